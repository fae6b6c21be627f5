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

from autobatch.cost_model import INTERRUPTED_LANE_OPERATIONS
from autobatch.kernel.lane_visits import LaneVisits
from autobatch.kernel.memory.arenas import TYPES, element_count, is_stream
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.numba.addresses import element_text
from autobatch.kernel.numba.spelling import LaneSpelling
from autobatch.kernel.numba.statements import Statements
from autobatch.kernel.polling import price
from autobatch.kernel.walk import looks_in
from codegen.ir import Lit, Type, Var
from codegen.runtime import STATE_WORDS

STOP = ("if stopped(failed):", "    break")


class OneByOne(Statements):
    """The function over a range of lanes, while it is written."""

    def __init__(self, memory: LaneMemory, visits: LaneVisits, spelling: LaneSpelling):
        super().__init__(spelling, len(memory.program.blocks))
        self.memory, self.marks, self.names = memory, visits.marks, memory.slots.names
        self.entry = memory.program.entry
        self.visits = visits.visits()
        self.looked = any(v.looks or looks_in(v.region) for v in self.visits)
        self.before = {argument: f"{argument}_before" for argument in memory.stream_arguments.values()}

    def function(self) -> str:
        memory = self.memory
        stacks = [f"{a}_stack" for a in memory.stacks]
        compiler = ", pipeline_class=Packed" if memory.packed else ""
        given = ["first", "last", "limit", "failed", *stacks]
        given += [*memory.inputs, *memory.plain_outputs, *self.marks.given]
        self.line(f'@njit(cache=True, nogil=True, error_model="numpy"{compiler})')
        with self.block(f"def {memory.name}_lanes({', '.join(given)}):"):
            self.lanes()
            self.written(["raise_waiting(failed)"] if self.looked else [])
            self.line("return last")
        return self.text

    def lanes(self) -> None:
        """Each lane from its start to its end, in the same memory."""
        self.line(
            '"""Lanes first to last, one after the other; the lane that needs a larger stack, or last."""'
        )
        self.written(["use_wide_registers()"] if self.memory.wide else [])
        self.written(["draws_kept_whole()"] if self.memory.draws_often else [])
        for arena in self.memory.arenas:
            made = "aligned" if self.memory.aligned else "np.empty"
            self.line(f"{arena} = {made}({self.memory.sizes[arena]}, {TYPES[arena]})")
        for stream in self.memory.own_streams:
            self.line(f"{stream} = np.zeros({STATE_WORDS}, np.uint64)")
        once = price(e for block in self.memory.program.blocks for e in block.equations)
        self.looked = self.looked or once > INTERRUPTED_LANE_OPERATIONS
        with self.block("for lane in range(first, last):"):
            self.prologue()
            self.line(f"pc = {self.entry.entry}")
            with self.block(f"while pc != {self.end}:"):
                self.dispatch()
            self.written(STOP if self.looked else [])
            self.written(self.marks.between())
            if self.memory.stacks:
                self.restart()
            self.epilogue()

    def restart(self) -> None:
        """A lane whose stack is full starts again, with larger ones and its streams as they were."""
        with self.block("if failed[lane] == -1:"):
            self.line("failed[lane] = 0")
            for argument, before in self.before.items():
                self.copy_stream(f"{argument}[lane, k]", f"{before}[k]")
            self.line("return lane")

    def prologue(self, *, streams: bool = True) -> None:
        """What a lane is given, and the zeros that its registers begin with."""
        for param, argument in self.memory.arguments.items():
            if is_stream(param) and not streams:
                continue
            if param not in self.memory.fixed and param in self.names:
                self.read_argument(param, argument, self.memory.shared[param])
        for arena in self.memory.stacks:
            self.line(f"{arena}_top = 0")
        if self.memory.stacks:
            self.line("depth = 0")
            for argument, before in self.before.items() if streams else ():
                self.line(f"{before} = {argument}[lane].copy()")
        given = {self.names[v] for v in self.entry.params if v in self.names}
        for var in self.memory.where.registers:
            slot = self.names.get(var)
            if slot is not None and slot not in given and not var.type.rank and not is_stream(var):
                given.add(slot)
                address = slot == self.names.get(self.entry.address)  # functions may have one for all of them
                self.line(f"{slot} = {self.end if address else self.zero(var.type)}")

    def read_argument(self, param: Var, argument: str, shared: bool) -> None:
        if is_stream(param):
            self.line(f"{self.names[param]} = {argument}[lane]")
        elif not param.type.rank:
            self.line(f"{self.names[param]} = {argument}{'' if shared else '[lane]'}")
        elif self.memory.lowering.is_read(param):
            source = f"{argument}.flat[k]" if shared else f"{argument}[lane, k]"
            self.elements(
                element_count(param.type),
                f"{element_text(self.memory.lowering.array(param), 'k')} = {source}",
            )

    def zero(self, type_: Type) -> str:
        plain = {"f8": "0.0", "i8": "0", "b1": "False"}
        return plain.get(type_.dtype) or self.spelling.literal(Lit(0, type_))[0]

    def epilogue(self) -> None:
        self.written(self.marks.ended())
        streams = iter(self.memory.stream_arguments.items())
        for result, out in zip(self.entry.results, self.memory.outputs, strict=True):
            if is_stream(result):  # to its row, unless it was there all along
                param, argument = next(streams)
                if self.names.get(param) != self.names.get(result):
                    self.copy_stream(f"{argument}[lane, k]", f"{self.names[result]}[k]")
            elif not result.type.rank:
                self.line(f"{out}[lane] = {self.names[result]}")
            else:
                source = element_text(self.memory.lowering.array(result), "k")
                self.elements(element_count(result.type), f"{out}[lane, k] = {source}")

    def dispatch(self) -> None:
        """The blocks, as one chain of tests of the program counter."""
        for n, visit in enumerate(self.visits):
            with self.block(f"{'if' if n == 0 else 'elif'} pc == {visit.number}:  # {visit.name}"):
                self.written(STOP if visit.looks else [])
                self.region(visit.region)
