"""A kernel whose lanes wait for products with shared matrices, and at long loops: WaitingKernel, in Kernel's place.

    @cuda.jit
    def f_kernel(lanes, places, waiting, F, F_kept, counters, failed, X, q_lanes, out0):
        lane = cuda.grid(1)
        if lane >= lanes:
            return
        pc = places[lane]                        -1: at its start
        if pc == 1:                              at its end
            return
        if pc == 2:                              its product has been taken
            pc = 3
        ...
        while pc != 1:
            if pc == 0:
                ...
                F_kept[0, lane] = s              what it will need
                pc = 2
                break
            elif pc == 3:                        X @ q is in its array
                s = F_kept[0, lane]
                ...
        places[lane] = pc
        cuda.atomic.add(waiting, pc // 2, 1)     how many are at which place, the host is told

A launch takes each lane to the next product, or long loop (kernel/parts.py), or to its end. In between the host takes
products, and has loops gone through by kernels of their own (execute/waiting.py). What outlives a launch is in global
memory, lanes innermost: so the vectors of all lanes are a matrix, as a library has it. There are no votes: lanes part
and meet where they wait.
"""

from __future__ import annotations

from dataclasses import dataclass

from autobatch.kernel import ir
from autobatch.kernel.cuda.dialect import Dialect
from autobatch.kernel.cuda.kernel import UNENDED, Kernel
from autobatch.kernel.cuda.parts import PartKernel
from autobatch.kernel.cuda.spelling import ThreadSpelling
from autobatch.kernel.cuda.statements import STREAM_WORDS
from autobatch.kernel.cuda.visits import ThreadVisits
from autobatch.kernel.ir import Stmt
from autobatch.kernel.lane_visits import SharedProduct
from autobatch.kernel.memory.arenas import DTYPES, element_count, is_stream
from autobatch.kernel.memory.thread import ThreadMemory
from autobatch.kernel.panels import shared_product
from codegen.ir import Var


@dataclass(frozen=True)
class WaitedProduct:
    """Lanes at these places are given `matrix @ vector`.

    matrix: the argument's number, counted from the last one; `turned`: its transpose. vector: from where on it is in F,
    or the number of an argument that is one for all. result: from where on it goes.
    """

    places: tuple[int, ...]
    matrix: int
    turned: bool
    vector: int
    size: int
    result: int
    rows: int


class WaitingKernel(Kernel):
    """`width`: the threads of a lane."""

    memory: ThreadMemory
    width = 1
    lanes = "One thread"

    def __init__(
        self,
        memory: ThreadMemory,
        visits: ThreadVisits,
        spelling: ThreadSpelling,
        dialect: Dialect,
        *rest: object,
    ):
        super().__init__(memory, visits, spelling, dialect, *rest)  # type: ignore[arg-type]
        self.stops, self.products = visits.stops, visits.products
        self.places, self.resumes = visits.places, visits.resumes
        self.counters = ["depth"] * bool(memory.stacks) + ["rounds"] * (self.watchdog is not None)
        self.part_kernels = [
            PartKernel(loop, visits, spelling, dialect, self.following) for loop in visits.loops
        ]

    fails = True

    @property
    def kept(self) -> list[tuple[str, str, int]]:
        """What outlives a launch: arrays, their dtypes, and how many numbers of a lane each has."""
        memory = self.memory
        found = [(a, DTYPES[a], memory.sizes[a]) for a in ("F", *memory.arenas)]
        found += [(f"{a}_kept", DTYPES[a], len(columns)) for a, columns in memory.kept.items()]
        found += [(f"{a}_parts", DTYPES[a], size) for a, size in memory.part_sizes.items()]
        found += [(f"{stream}_all", "uint64", STREAM_WORDS) for stream in memory.own_streams]
        found += [("counters", "int64", len(self.counters))] * bool(self.counters)
        return list(dict.fromkeys(found))

    @property
    def given(self) -> list[str]:
        return [*self.dialect.given, "lanes", "places", "waiting", *self.following]

    @property
    def following(self) -> list[str]:
        """The arguments after `waiting`."""
        first = len(self.dialect.given) + 1
        return [*(name for name, _, _ in self.kept), *super().given[first:]]

    def function(self) -> str:
        return "\n\n\n".join((super().function(), *(loop.function() for loop in self.part_kernels)))

    @property
    def waited(self) -> tuple[WaitedProduct, ...]:
        """The products, as the host takes them."""
        memory, found = self.memory, []
        arguments = [*memory.inputs, *memory.plain_outputs]
        for made in self.products:
            matrix, vector, left = self.sides(made)
            (out,) = made.equation.outs
            found.append(
                WaitedProduct(
                    self.places(made),
                    arguments.index(self.names[matrix]) - len(arguments),
                    not left,
                    self.place(vector, arguments),
                    element_count(vector.type),
                    self.place(out, arguments),
                    element_count(out.type),
                )
            )
        return tuple(found)

    def sides(self, made: SharedProduct) -> tuple[Var, Var, bool]:
        found = shared_product(made.equation, self.memory.fixed)
        assert found is not None
        return found

    def place(self, var: Var, arguments: list[str]) -> int:
        """Where an array is in F; below 0 which argument it is."""
        memory = self.memory.memory(var)
        if memory is None:
            return arguments.index(self.names[var]) - len(arguments)
        return self.memory.constants[str(memory.first)]

    def doc(self) -> str:
        matrices = dict.fromkeys(self.names[self.sides(made)[0]] for made in self.products)
        loops = ", and at long loops" * bool(self.part_kernels)
        return f"{self.lanes} a lane, which waits for products with {', '.join(matrices)}{loops}."

    def begin(self) -> None:
        self.begin_lane()
        self.written(["if lane >= lanes:", "    return"])
        self.line("pc = places[lane]")
        self.written([f"if pc == {self.end}:", "    return"])
        served: dict[int, list[str]] = {}
        for stop in self.stops:
            served.setdefault(self.resumes(stop), []).append(f"pc == {stop.waits}")
        for place, tests in served.items():
            self.written([f"if {' or '.join(tests)}:", f"    pc = {place}"])

    def begin_lane(self) -> None:
        self.line(f"lane = {self.dialect.lane()}")

    def counted_stop(self) -> None:
        """How many lanes have ended, and are at each place, the host is told."""
        place = f"(pc - {self.end - 1})" if self.end > 1 else "pc"
        self.line(f"cuda.atomic.add(waiting, {place} // 2, 1)")

    def prologue(self) -> None:
        """A lane that begins is given its arrays; one that goes on has them, and reads numbers where it needs them."""
        memory, names = self.memory, self.names
        self.stream_arrays()
        given = [(p, a) for p, a in memory.arguments.items() if p not in memory.fixed and p in names]
        for param, argument in given:
            if is_stream(param) or not param.type.rank:
                self.read_argument(param, argument, memory.shared[param])
        for stream in memory.own_streams:
            self.elements(STREAM_WORDS, f"{stream}[k] = {stream}_all[k, lane]")
        self.registers()
        self.written([f"{counter} = 0" for counter in self.counters])
        if memory.stacks:
            self.room()
        self.line("fault = 0")
        with self.block("if pc == -1:"):
            self.line(f"failed[lane] = {UNENDED}")
            for param, argument in given:
                if param.type.rank and not is_stream(param):
                    self.read_argument(param, argument, memory.shared[param])
            self.line(f"pc = {self.entry.entry}")
        if self.counters:
            with self.block("else:"):
                self.written(f"{counter} = counters[{k}, lane]" for k, counter in enumerate(self.counters))

    def statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, ir.Wait):
            self.written(f"counters[{k}, lane] = {counter}" for k, counter in enumerate(self.counters))
        super().statement(stmt)

    def rest(self) -> None:
        """The lane goes on until it waits or has ended."""
        with self.block(f"while pc != {self.end}:"):
            self.chain(self.visits)
        self.line("places[lane] = pc")
        self.counted_stop()
        with self.block(f"if pc == {self.end}:"):
            self.epilogue()
        if self.memory.stream_arguments or self.memory.own_streams:
            with self.block("else:"):
                self.keep_streams()
                for stream in self.memory.own_streams:
                    self.elements(STREAM_WORDS, f"{stream}_all[k, lane] = {stream}[k]")
