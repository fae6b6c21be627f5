"""A block program as one function over lanes that Numba compiles: OneByOne.

    def fib_lanes(first, last, limit, failed, I_stack, n_lanes, out0):
        for lane in range(first, last):
            n = n_lanes[lane]
            pc = 0
            while pc != 5:
                if pc == 0:                       # fib
                    pc = 4 if n < 2 else 1
                ...
            out0[lane] = result

Scalars are local variables; a lane's arrays lie side by side in one array a dtype (`F` for float64), at places that
are constants of the module, so that LLVM knows them distinct; what must outlive a recursive call goes to a stack.
Where a lane fails it notes the number of the place in `failed` and goes to its end.
"""

from __future__ import annotations

from functools import cached_property

from autobatch.kernel.lane_visits import LaneVisits
from autobatch.kernel.memory.arenas import TYPES, count, is_stream
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.numba.addresses import element
from autobatch.kernel.numba.spelling import LaneSpelling
from autobatch.kernel.numba.statements import Statements
from autobatch.kernel.polling import price
from autobatch.kernel.walk import looks_in
from codegen import runtime
from codegen.ir import Lit, Type, Var

SHORT = 64  # operations of a lane; calls of lanes as short as that are cut short by others (executor.py)


class OneByOne:
    """The function over a range of lanes, while it is written."""

    def __init__(self, memory: LaneMemory, visits: LaneVisits, spelling: LaneSpelling):
        self.memory, self.marks, self.spelling = memory, visits.marks, spelling
        self.visits = visits.visits()
        self.end = len(memory.program.blocks)
        self.looked = any(v.looks or looks_in(v.region) for v in self.visits)
        self.printer = Statements(spelling, self.end)

    def signature(self) -> str:
        results = self.memory.program.entry.results
        outputs = (o for o, r in zip(self.memory.outputs, results) if not is_stream(r))
        return ", ".join((*self.memory.inputs, *outputs, *self.marks.given))

    def function(self) -> str:
        p, memory = self.printer, self.memory
        stacks = [f"{a}_stack" for a in memory.stacks]
        compiler = ", pipeline_class=Packed" if memory.packed else ""
        given = ", ".join(("first", "last", "limit", "failed", *stacks, self.signature()))
        p.line(f'@njit(cache=True, nogil=True, error_model="numpy"{compiler})')
        p.line(f"def {memory.name}_lanes({given}):")
        p.depth = 1
        self.lanes()
        p.written(["raise_waiting(failed)"] if self.looked else [])
        p.line("return last")
        return p.text

    def lanes(self) -> None:
        """Each lane from its start to its end, in the same memory."""
        p = self.printer
        p.line('"""Lanes first to last, one after the other; the lane that needs a larger stack, or last."""')
        p.written(["use_wide_registers()"] if self.memory.wide else [])
        for arena in self.memory.arenas:
            made = "aligned" if self.memory.aligned else "np.empty"
            p.line(f"{arena} = {made}({self.memory.sizes[arena]}, {TYPES[arena]})")
        self.looked = self.looked or self.a_lane > SHORT
        p.line("for lane in range(first, last):")
        p.depth += 1
        self.prologue()
        p.line(f"pc = {self.memory.program.entry.entry}")
        p.line(f"while pc != {self.end}:")
        p.depth += 1
        self.dispatch()
        p.depth -= 1
        p.written(["if stopped(failed):", "    break"] if self.looked else [])
        p.written(self.marks.between())
        if self.memory.stacks:
            self.restart()
        self.epilogue()
        p.depth -= 1

    @cached_property
    def a_lane(self) -> int:
        """The operations of a lane that comes to each block once."""
        return price(e for block in self.memory.program.blocks for e in block.equations)

    def restart(self) -> None:
        """A lane whose stack is full starts again, with larger ones and its streams as they were."""
        p = self.printer
        p.line("if failed[lane] == -1:")
        p.depth += 1
        p.line("failed[lane] = 0")
        for before, argument in self.streams():
            self.copy_stream(f"{argument}[lane, k]", before)
        p.line("return lane")
        p.depth -= 1

    def copy_stream(self, word: str, stream: str) -> None:
        """The words of a stream, one by one."""
        self.printer.line(f"for k in range({runtime.STATE_WORDS}):")
        self.printer.line(f"    {word} = {stream}[k]")

    def streams(self) -> list[tuple[str, str]]:
        """For each stream argument a name for what it was, and the argument's."""
        names = [a for a, v in zip(self.memory.inputs, self.memory.shared) if is_stream(v)]
        return [(f"{a}_before", a) for a in names]

    def prologue(self, *, streams: bool = True) -> None:
        """What a lane is given, and the zeros that its registers begin with."""
        p = self.printer
        for (param, is_shared), argument in zip(self.memory.shared.items(), self.memory.inputs, strict=True):
            if is_stream(param) and not streams:
                continue
            if param not in self.memory.fixed and param in self.memory.slots.names:
                self.read_argument(param, argument, is_shared)
        for arena in self.memory.stacks:
            p.line(f"{arena}_top = 0")
        if self.memory.stacks:
            p.line("depth = 0")
        if self.memory.stacks and streams:
            for before, argument in self.streams():
                p.line(f"{before} = {argument}[lane].copy()")
        known = set(self.memory.program.entry.params)
        names = {self.memory.slots.names[v] for v in known if v in self.memory.slots.names}
        address = self.memory.slots.names.get(
            self.memory.program.entry.address
        )  # functions may have one for all of them
        for var in self.memory.where.registers:
            slot = self.memory.slots.names.get(var)
            if slot is not None and slot not in names and not var.type.rank and var.type.dtype != "rng":
                names.add(slot)
                p.line(
                    f"{slot} = {len(self.memory.program.blocks) if slot == address else self.zero(var.type)}"
                )

    def read_argument(self, param: Var, argument: str, shared: bool) -> None:
        p = self.printer
        if is_stream(param):
            p.line(f"{self.memory.slots.names[param]} = {argument}[lane]")
        elif not param.type.rank:
            p.line(f"{self.memory.slots.names[param]} = {argument}{'' if shared else '[lane]'}")
        elif self.memory.lowering.is_read(param):
            source = f"{argument}.flat[k]" if shared else f"{argument}[lane, k]"
            p.line(f"for k in range({count(param.type)}):")
            p.line(f"    {element(self.memory.lowering.array(param), 'k')} = {source}")

    def zero(self, type_: Type) -> str:
        plain = {"f8": "0.0", "i8": "0", "b1": "False"}
        return plain.get(type_.dtype) or self.spelling.literal(Lit(0, type_))[0]

    def epilogue(self) -> None:
        p = self.printer
        p.written(self.marks.ended())
        for result, out in zip(self.memory.program.entry.results, self.memory.outputs, strict=True):
            if is_stream(result):
                self.stream_back(result)
            elif not result.type.rank:
                p.line(f"{out}[lane] = {self.memory.slots.names[result]}")
            else:
                p.line(f"for k in range({count(result.type)}):")
                p.line(f"    {out}[lane, k] = {element(self.memory.lowering.array(result), 'k')}")

    def stream_back(self, result: Var) -> None:
        """A stream's last state goes to its row, unless it was there all along."""
        streams = [
            (p, a) for (p, s), a in zip(self.memory.shared.items(), self.memory.inputs) if is_stream(p)
        ]
        results = [r for r in self.memory.program.entry.results if is_stream(r)]
        param, argument = streams[results.index(result)]
        if self.memory.slots.names.get(param) != self.memory.slots.names.get(result):
            self.copy_stream(f"{argument}[lane, k]", self.memory.slots.names[result])

    def dispatch(self) -> None:
        """The blocks, as one chain of tests of the program counter."""
        p = self.printer
        for n, visit in enumerate(self.visits):
            p.line(f"{'if' if n == 0 else 'elif'} pc == {visit.number}:  # {visit.name}")
            p.depth += 1
            p.written(["if stopped(failed):", "    break"] if visit.looks else [])
            p.region(visit.region)
            p.depth -= 1
