"""A kernel whose lanes wait for products with shared matrices, and at long loops: WaitingKernel, in Kernel's place.

    @cuda.jit
    def f_kernel(lanes, places, F, F_kept, counters, failed, X, q_lanes, out0):
        lane = cuda.grid(1)
        if lane >= lanes:
            return
        pc = places[lane]                        -1: at its start
        if pc == 1 or pc == 2:                   at its end; its product is not taken yet
            return
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
from autobatch.kernel.cuda.visits import ThreadVisits
from autobatch.kernel.ir import Stmt
from autobatch.kernel.lane_visits import SharedProduct
from autobatch.kernel.memory.arenas import DTYPES, element_count, is_stream
from autobatch.kernel.memory.thread import ThreadMemory
from autobatch.kernel.panels import shared_product
from codegen.ir import Var


@dataclass(frozen=True)
class WaitedProduct:
    """Lanes at place `waits` are given `matrix @ vector`, and go on at `resumes`.

    matrix: the argument's number, counted from the last one; `turned`: its transpose. vector: from where on it is in F,
    or the number of an argument that is one for all. result: from where on it goes.
    """

    waits: int
    resumes: int
    matrix: int
    turned: bool
    vector: int
    size: int
    result: int
    rows: int


class WaitingKernel(Kernel):
    memory: ThreadMemory

    def __init__(
        self,
        memory: ThreadMemory,
        visits: ThreadVisits,
        spelling: ThreadSpelling,
        dialect: Dialect,
        *rest: object,
    ):
        super().__init__(memory, visits, spelling, dialect, *rest)  # type: ignore[arg-type]
        self.stops, self.products, self.resumes = visits.stops, visits.products, visits.resumes
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
        found += [("counters", "int64", len(self.counters))] * bool(self.counters)
        return list(dict.fromkeys(found))

    @property
    def given(self) -> list[str]:
        return [*self.dialect.given, "lanes", "places", *self.following]

    @property
    def following(self) -> list[str]:
        """The arguments after `places`."""
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
                    made.waits,
                    self.resumes(made),
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
        return f"One thread a lane, which waits for products with {', '.join(matrices)}{loops}."

    def begin(self) -> None:
        still = " or ".join(f"pc == {n}" for n in (self.end, *(stop.waits for stop in self.stops)))
        self.line(f"lane = {self.dialect.lane()}")
        self.written(["if lane >= lanes:", "    return"])
        self.line("pc = places[lane]")
        self.written([f"if {still}:", "    return"])

    def prologue(self) -> None:
        """A lane that begins is given its arrays; one that goes on has them, and reads numbers where it needs them."""
        memory, names = self.memory, self.names
        self.stream_arrays()
        given = [(p, a) for p, a in memory.arguments.items() if p not in memory.fixed and p in names]
        for param, argument in given:
            if is_stream(param) or not param.type.rank:
                self.read_argument(param, argument, memory.shared[param])
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
        with self.block(f"if pc == {self.end}:"):
            self.epilogue()
        if self.memory.stream_arguments:
            with self.block("else:"):
                self.keep_streams()
