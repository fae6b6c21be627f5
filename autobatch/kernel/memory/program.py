"""What all layouts have: the memory of a block program, and the names of what is there."""

from __future__ import annotations

from collections.abc import Mapping

from autobatch.cfg.graph import BlockProgram
from autobatch.cfg.spilling import Storage
from autobatch.kernel.memory.arenas import ARENAS, is_stream
from autobatch.kernel.memory.register_allocation import Slots
from codegen.emit.coalescing import identifier, name_candidates
from codegen.ir import Var
from codegen.ir.traversal import nested
from codegen.source import UnknownSizeError


class ProgramMemory:
    """fixed: shared arrays that stay where they are. kinds: dtype -> arena of what outlives a block.

    inputs, outputs: the names of arguments. taken: names that are not to be used.
    """

    kinds: Mapping[str, str] = ARENAS
    program: BlockProgram
    shared: dict[Var, bool]
    fixed: list[Var]
    where: Storage
    slots: Slots
    taken: set[str]
    inputs: list[str]
    outputs: list[str]

    def fresh(self, hint: str) -> str:
        """A name that nothing has yet."""
        word = next(c for c in name_candidates(hint) if c not in self.taken)
        self.taken.add(word)
        return word

    def argument(self, param: Var) -> str:
        """The name of a parameter's argument; fixed shared arrays keep their own."""
        if param in self.fixed:
            return self.slots.names[param]
        return self.fresh(f"{identifier(param.name)}_{'shared' if self.shared[param] else 'lanes'}")

    @property
    def arguments(self) -> dict[Var, str]:
        """Each parameter with its argument."""
        return dict(zip(self.shared, self.inputs, strict=True))

    @property
    def stream_arguments(self) -> dict[Var, str]:
        return {param: argument for param, argument in self.arguments.items() if is_stream(param)}

    @property
    def plain_outputs(self) -> list[str]:
        """The arrays that results go to; streams advance in place."""
        return [o for o, r in zip(self.outputs, self.program.entry.results, strict=True) if not is_stream(r)]

    @property
    def stacks(self) -> list[str]:
        """The arenas whose dtypes some pushed variable has."""
        used = {self.kinds[v.type.dtype] for v in self.where.stacks}
        return [arena for arena in dict.fromkeys(self.kinds.values()) if arena in used]

    def must_know_size(self, var: Var) -> None:
        """Arrays have sizes that are known."""
        if all(isinstance(n, int) for n in var.type.shape):
            return
        listed = (e for block in self.program.blocks for e in nested(block.equations))
        made = (e.span for e in listed if var in e.outs and e.span is not None)
        raise UnknownSizeError.at(
            next(made, self.program.program.entry.span),
            f"the size of the array {var.name!r} is not known before the program runs: {var.type}; "
            "use the largest size and a mask (np.where), or a loop over the elements",
        )
