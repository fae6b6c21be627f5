"""Lanes that all take the same way: a group goes through the blocks together, from its start to its end.

    for coming in range(first, last, G):
        n = min(G, last - coming)
        load_all(n, coming, F, I, x_lanes)             # n lanes start
        body_group(n, F, I)                            # block 0, side by side
        advance_all(n, F, I)                           # block 1, lane by lane
        finish_all(n, coming, F, I, out0)              # their results

Nobody needs to be counted or picked, and loads and results are vector instructions as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.cfg.graph import BlockProgram, Jump, Return
from autobatch.kernel.numba.groups.blocks import Blocks
from autobatch.kernel.numba.lines import Lines, indented
from autobatch.profiling.probes import Unmarked
from autobatch.schedule import Schedule

FAILING = '''
@njit(error_model="numpy", pipeline_class=Distinct)
def fail_all(n, coming, failed, I):
    """What ended those of n lanes that failed: where none did, nothing is written."""
    use_wide_registers()
    some = 0
    for lane in range(n):
        some |= I[FAILED + lane]
    if some != 0:
        for lane in range(n):
            failed[coming + lane] = I[FAILED + lane]
'''.strip()


class Sweep(Blocks):
    """The functions of all lanes of a group, and the loop over groups."""

    load_given: list[str]
    finish_given: list[str]
    advance_given: list[str]
    onwards_given: list[str]

    def __init__(
        self, program: BlockProgram, shared: Sequence[bool], name: str, schedule: Schedule, marks: Unmarked
    ):
        super().__init__(program, shared, name, schedule, marks)
        self.few = 0 if self.one_way else self.few

    @property
    def one_way(self) -> bool:
        """Whether every lane goes through every block, once and in order, unless it fails."""
        ends = isinstance(self.program.blocks[self.way()[-1]].terminator, Return)
        return ends and any(self.wide) and not self.stacks

    def way(self) -> list[int]:
        """The blocks from the entry on, as long as each jumps onwards."""
        found = [self.program.entry.entry]
        while isinstance(end := self.program.blocks[found[-1]].terminator, Jump) and end.target > found[-1]:
            found.append(end.target)
        return found

    def all_lanes(self) -> str:
        """The functions with which the lanes of a group start, go on and end."""
        # Lanes are next to each other: of numbers that cannot be negative LLVM sees it, and gathers nothing.
        numbered = "lane, np.uint64(coming + lane)", "n, coming"
        texts = [over_all("load", *numbered, self.load_given)]
        if not all(self.wide[k] for k in self.entered()):
            texts.append(over_all("advance", "lane", "n", self.advance_given))
        texts.append(over_all("finish", *numbered, self.finish_given))
        if self.lowering.sites:
            texts.append(FAILING)
        return "\n\n\n".join(texts)

    def sweep(self, p: Lines) -> None:
        """The loop over groups."""
        p.line("for lane in range(G):")
        p.line("    I[PC + lane] = END")
        p.line("for coming in range(first, last, G):")
        p.depth += 1
        p.line("if stopped(failed):")
        p.line("    break")
        p.line("n = min(G, last - coming)")
        p.line(f"load_all({', '.join(('n', 'coming', *self.load_given))})")
        alone = False
        for k in self.entered():
            if self.wide[k]:
                n = self.there(k, p) if "n" in self.group_given[k] else ""
                p.line(self.group_call(k, n))
                p.written(self.marks.alone())
            elif not alone:
                p.line(f"advance_all({', '.join(('n', *self.advance_given))})")
                p.written(self.marks.between())
            alone = not self.wide[k]
        p.line(f"finish_all({', '.join(('n', 'coming', *self.finish_given))})")
        if self.lowering.sites:
            p.line("fail_all(n, coming, failed, I)")
        if ended := self.marks.ended():
            p.line("for lane in range(n):")
            p.written(indented(ended))
        p.depth -= 1

    def there(self, k: int, p: Lines) -> str:
        """How many lanes have come to block k: all, where none can have failed."""
        if k == self.program.entry.entry or not self.lowering.sites:
            return "n"
        p.line("count = 0")
        p.line("for lane in range(n):")
        p.line(f"    count += I[PC + lane] == {k}")
        return "count"


def over_all(name: str, lane: str, head: str, given: Sequence[str]) -> str:
    """The function that does for n lanes what another does for one."""
    listed = ", ".join(given)
    return "\n".join(
        (
            '@njit(error_model="numpy", pipeline_class=Distinct)',
            f"def {name}_all({head}, {listed}):",
            f'    """{name} for n lanes."""',
            "    use_wide_registers()",
            "    for lane in range(n):",
            f"        {name}({lane}, {listed})",
        )
    )
