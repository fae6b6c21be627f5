"""A block program as a kernel of one thread a lane: Kernel(...).function() -> text.

    @cuda.jit
    def root_kernel(lanes, failed, x_lanes, out0):
        lane = cuda.grid(1)
        if lane >= lanes:
            return
        failed[lane] = -2                                  until the lane has come to its end, if lanes can fail
        x = x_lanes[lane]
        if x < 0.0:
            failed[lane] = 1
            return
        result = math.sqrt(x)
        out0[lane] = result
        failed[lane] = 0

Several blocks are a chain of tests of `pc`. Where some are waited at (meeting.py) the lanes of a warp vote:

    while True:
        while pc < 3:                                      each lane by itself, until it waits
            if pc == 0: ...
        cuda.syncwarp()
        best, most = END, 0
        waiting = cuda.popc(cuda.ballot_sync(0xFFFFFFFF, pc == 3))
        if waiting > most:
            best, most = 3, waiting
        ...
        if most == 0:
            break
        if pc != best:
            continue
        if pc == 3: ...

All lanes of a warp vote until the last of them is at its end, so that those beyond the last lane begin there.
"""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.kernel import ir
from autobatch.kernel.cuda.dialect import Dialect
from autobatch.kernel.cuda.spelling import ThreadSpelling
from autobatch.kernel.cuda.statements import OUT_OF_STACK, STREAM_WORDS, TABLES, ThreadStatements
from autobatch.kernel.cuda.structured import falls_through, structured
from autobatch.kernel.cuda.watchdog import Watchdog
from autobatch.kernel.ir import Region
from autobatch.kernel.lane_visits import LaneVisits, Visit
from autobatch.kernel.memory.arenas import ARENAS, TYPES, element_count, is_stream
from autobatch.kernel.memory.thread import ThreadMemory
from autobatch.kernel.numba.addresses import element_text
from autobatch.kernel.walk import nodes, read_first
from codegen.ir import Lit, Type, Var
from codegen.source import Span

UNENDED = -2  # what a lane's failure is until it has come to its end


class Kernel(ThreadStatements):
    """The kernel, while it is written.

    first: the first block that lanes wait at. rounds: how often a lane may go round its loops.
    """

    def __init__(
        self,
        memory: ThreadMemory,
        visits: LaneVisits,
        spelling: ThreadSpelling,
        dialect: Dialect,
        first: int,
        rounds: int | None,
    ):
        end = len(memory.program.blocks)
        watchdog = None if rounds is None else Watchdog(rounds, memory.lowering)
        self.memory, self.names, self.dialect = memory, memory.slots.names, dialect
        self.entry = memory.program.entry
        self.visits = visits.visits()
        self.first, self.votes = first, first < end
        whole = not self.votes and not memory.has_products
        super().__init__(spelling, end, memory.frames, straight=whole, watchdog=watchdog)
        self.whole = structured(visits, self.visits, self.looks) if whole else ()

    @property
    def fails(self) -> bool:
        """Whether lanes can: then each notes how it has ended."""
        return bool(self.memory.lowering.sites or self.memory.stacks or self.watchdog)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that draws look into."""
        found = (op for visit in self.visits for n in nodes(visit.region) if (op := getattr(n, "op", None)))
        return (TABLES,) if any(op.primitive.looks_up for op in found) else ()

    @property
    def given(self) -> list[str]:
        """The arguments."""
        memory = self.memory
        stacks = [f"{a}_stack" for a in memory.stacks]
        limit = ["limit"] if stacks else []
        zero = ["zero"] if memory.has_local else []
        return [
            *self.dialect.given,
            *("lanes", *zero, *limit, *["failed"] * self.fails, *stacks, *self.tables),
            *(*memory.inputs, *memory.plain_outputs),
        ]

    def function(self) -> str:
        self.line(self.dialect.decorator())
        with self.block(f"def {self.memory.name}_kernel({', '.join(self.given)}):"):
            self.line(f'"""{self.doc()}"""')
            self.reciprocals(self.memory, tuple(stmt for visit in self.visits for stmt in visit.region))
            self.begin()
            self.prologue()
            self.rest()
        return self.text

    def doc(self) -> str:
        return f"One thread a lane{', which vote where the warp goes on' if self.votes else ''}."

    def begin(self) -> None:
        """The thread's lane; where there is none it is another's, whose arguments are read and left alone."""
        self.line(f"lane = {self.dialect.lane()}")
        if self.votes:
            self.line("here = lane < lanes")
            self.line("lane = min(lane, lanes - 1)")
            self.written(["if here:", f"    failed[lane] = {UNENDED}"] if self.fails else [])
        else:
            self.written(["if lane >= lanes:", "    return"])
            self.written([f"failed[lane] = {UNENDED}"] if self.fails else [])

    def prologue(self) -> None:
        """Memory, what a lane is given, and the zeros that its registers begin with."""
        memory, names = self.memory, self.names
        self.arrays()
        self.stream_arrays()
        for param, argument in memory.arguments.items():
            if param not in memory.fixed and param in names:
                self.read_argument(param, argument, memory.shared[param])
        if memory.stacks:
            self.line("depth = 0")
            self.room()
        if self.watchdog is not None:
            self.line("rounds = 0")
        if not memory.straight:
            self.registers()
        if not self.straight:
            start = f"{self.entry.entry} if here else {self.end}" if self.votes else f"{self.entry.entry}"
            self.line(f"pc = {start}")
            self.written(["fault = 0"] if self.fails else [])

    def arrays(self) -> None:
        """The memory of a lane's arrays.

        Where the compiler knows each index it has all numbers of local memory in registers, from block to block, and
        spills more than a kilobyte: so they begin at a place that it does not know, `zero`.
        """
        memory, start = self.memory, "[zero:]" if self.memory.has_local else ""
        for arena in memory.arenas:
            self.line(f"{arena} = cuda.local.array({memory.sizes[arena]}, {TYPES[arena]}){start}")
        for slot, type_ in memory.own.items():
            count, kind = element_count(type_), TYPES[ARENAS[type_.dtype]]
            self.line(f"{slot} = cuda.local.array({count}, {kind})")
        if memory.block_sizes:
            self.line(f"thread = {self.dialect.thread()}")
        for arena, size in memory.block_sizes.items():
            self.line(f"{arena}_block = cuda.shared.array(({size}, THREADS), {TYPES[arena]})")

    def stream_arrays(self) -> None:
        """The streams, without the blocks that come next."""
        for slot in dict.fromkeys(name for var, name in self.names.items() if is_stream(var)):
            self.line(f"{slot} = cuda.local.array({STREAM_WORDS}, np.uint64)")
            self.line(f"{slot}[{STREAM_WORDS - 1}] = 0")

    def room(self) -> None:
        """How deep the stack may be: where the first frames are in the thread's own memory, and in all."""
        frames = self.frames
        for arena, size in frames.sizes.items() if frames.near else ():
            self.line(f"{arena}_near = cuda.local.array({frames.near * size}, {TYPES[arena]})")
        if frames.near:
            self.line(f"near = min(limit, {frames.near})")
        self.line(f"room = min(limit, {frames.room()})")

    def rest(self) -> None:
        """What the lane does, to its end."""
        if self.straight:
            self.region(self.whole)
            if falls_through(self.whole):
                self.epilogue()
        elif self.votes:
            self.voted()
            with self.block("if here:"):
                self.epilogue()
        else:
            with self.block(f"while pc != {self.end}:"):
                self.chain(self.visits)
            self.epilogue()

    def registers(self) -> None:
        """What outlives a block begins as zero."""
        given = {self.names[v] for v in self.entry.params if v in self.names}
        unset = read_first(self.whole, set(given)) if self.whole else None
        for var in self.memory.where.registers:
            slot = self.names.get(var)
            if unset is not None and slot not in unset:
                continue
            if slot is not None and slot not in given and not var.type.rank and not is_stream(var):
                given.add(slot)
                address = slot == self.names.get(self.entry.address)
                self.line(f"{slot} = {self.end if address else self.zero(var.type)}")

    def zero(self, type_: Type) -> str:
        plain = {"f8": "0.0", "i8": "0", "b1": "False"}
        return plain.get(type_.dtype) or self.spelling.literal(Lit(0, type_))[0]

    def read_argument(self, param: Var, argument: str, shared: bool) -> None:
        if is_stream(param):
            self.copy_stream(f"{self.names[param]}[k]", f"{argument}[lane, k]")
        elif not param.type.rank:
            self.line(f"{self.names[param]} = {argument}{'' if shared else '[lane]'}")
        elif self.memory.lowering.is_read(param):
            source = f"{argument}.flat[k]" if shared else f"{argument}[lane, k]"
            to = element_text(self.memory.lowering.array(param), "k")
            self.elements(element_count(param.type), f"{to} = {source}")

    # where lanes go

    def chain(self, visits: Sequence[Visit]) -> None:
        """Blocks, as one chain of tests of the program counter."""
        for n, visit in enumerate(visits):
            with self.block(f"{'if' if n == 0 else 'elif'} pc == {visit.number}:  # {visit.name}"):
                self.visit(visit)

    def visit(self, visit: Visit) -> None:
        if visit.looks:
            self.look(self.span_of(visit))
        self.body(visit.region)

    def looks(self, visit: Visit) -> Region:
        """A look at the beginning of a visit, where lanes count their rounds."""
        counted = visit.looks and self.watchdog is not None
        return (ir.Look(self.span_of(visit)),) if counted else ()

    def span_of(self, visit: Visit) -> Span | None:
        """The first of the user's lines that a visit is about; else its function's."""
        spans = (node.equation.span for node in nodes(visit.region) if isinstance(node, ir.Step))
        program = self.memory.program
        function = program.program.functions[program.blocks[visit.number].function]
        return next((span for span in spans if span is not None), function.span)

    def voted(self) -> None:
        """Each lane by itself until it waits; then the block that most lanes of the warp wait at."""
        alone, met = self.visits[: self.first], self.visits[self.first :]
        with self.block("while True:"):
            if alone:
                with self.block(f"while pc < {self.first}:"):
                    self.chain(alone)
            self.written(self.dialect.together())
            if len(met) == 1:
                self.written([f"if not {self.dialect.any(f'pc == {self.first}')}:", "    break"])
            else:
                self.most(met)
            self.chain(met)

    def most(self, met: Sequence[Visit]) -> None:
        self.line(f"best, most = {self.end}, 0")
        for visit in met:
            self.line(f"waiting = {self.dialect.count(f'pc == {visit.number}')}")
            self.written(["if waiting > most:", f"    best, most = {visit.number}, waiting"])
        self.written(["if most == 0:", "    break", "if pc != best:", "    continue"])

    def go(self, stmt: ir.Next) -> None:
        if self.straight:
            self.epilogue()
            self.line("return")
        else:
            super().go(stmt)

    # how a lane ends

    def epilogue(self) -> None:
        """What a lane gives, and that it has ended. One that wants a larger stack starts again: its streams stay."""
        for result, out in zip(self.entry.results, self.memory.outputs, strict=True):
            if not is_stream(result) and not result.type.rank:
                self.line(f"{out}[lane] = {self.names[result]}")
            elif not is_stream(result) and self.names[result] not in self.memory.direct:
                source = element_text(self.memory.lowering.array(result), "k")
                self.elements(element_count(result.type), f"{out}[lane, k] = {source}")
        if self.memory.stacks and self.keeps_streams and not self.straight:
            with self.block(f"if fault != {OUT_OF_STACK}:"):
                self.keep_streams()
        else:
            self.keep_streams()
        self.written([f"failed[lane] = {0 if self.straight else 'fault'}"] if self.fails else [])

    @property
    def keeps_streams(self) -> bool:
        return bool(self.memory.stream_arguments)

    def keep_streams(self) -> None:
        arguments = self.memory.stream_arguments.values()
        for result, argument in zip(filter(is_stream, self.entry.results), arguments):
            self.copy_stream(f"{argument}[lane, k]", f"{self.names[result]}[k]")
