"""Kernels of one block of threads as text (loops/gpu/block_kernels.py).

    @cuda.jit
    def f_loop_kernel(x, L, b):                       all threads are at one place of the program, with the same numbers
        thread, threads = cuda.threadIdx.x & 1023, cuda.blockDim.x & 2047
        for k in range(len(x)):
            s = 0.0
            i = thread
            while i < k:
                s += L[k, i] * x[i]
                i += threads
            s = block_sum(s, shared)
            if cuda.threadIdx.x == 0:                 one writes, when no other still reads
                x[k] = (b[k] - s) / L[k, k]
            cuda.syncthreads()

Where no loop is shared, there is one thread. Numbers come out in arrays of one element.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from codegen import ir
from codegen.emit.argument_stores import Own
from codegen.emit.coalescing import claim
from codegen.emit.gpu.kernels import KernelPrinter, RaisingStop, Reduced, dtype_argument
from codegen.emit.lines import INDENT
from codegen.emit.spelling import scalar_type
from codegen.emit.statements import Moves
from codegen.ir import Apply, Atom, Equation, For, Lit, Var, While
from codegen.ir.substitution import free
from codegen.ir.traversal import equations
from codegen.loops.first_failure import checks
from codegen.loops.independent import Kind, reductions
from codegen.targets.cuda import REDUCERS, Reducer


@dataclass(eq=False)
class BlockPrinter(KernelPrinter):
    alone: bool = field(init=False)  # whether there is one thread
    thread: str = field(init=False)
    threads_of_all: str = field(init=False)
    sharing: bool = field(init=False, default=False)  # whether each thread does its share here
    sharers: set[Equation] = field(
        init=False, default_factory=set
    )  # the checks of iterations that are shared
    barrier = "cuda.syncthreads()"
    met: tuple[int, int] = field(
        init=False, default=(0, 0)
    )  # the lines before which all threads have met, and depth

    def both(self) -> None:
        """The kernel, and the function that launches it."""
        function = self.function
        ops = [e.op for e in equations(function.body)]
        shared = [op for op in ops if isinstance(op, For) and op.kind == "threads"]
        self.alone = not shared
        for op in shared:
            self.added |= self.counted(op)
            if checks(op.body):
                self.names = {**self.names, op.index: claim("iteration", self.taken)}
                self.sharers.update(e for e in equations(op.body) if e in self.stops)
        results = list(dict.fromkeys(function.body.results))
        ends = {r: claim(f"{self.word(r)}_end", self.taken) for r in results if not r.type.rank}
        arguments = self.kernel({*free(function.body)}, list(ends.values()), lambda: self.whole(shared, ends))
        self.out.lines += ["", ""]
        self.head(f"def {self.name}(", [self.names[p] for p in function.params])
        for result, name in ends.items():
            self.out.line(f"{name} = cp.empty(1{dtype_argument(result.type.dtype)})")
        self.launch("1, 1" if self.alone else "1, THREADS", arguments)
        fetched = {r: f"{scalar_type(r.type.dtype)}({name}.item())" for r, name in ends.items()}
        if results:
            self.out.returned(
                [fetched.get(r) or self.home(r) for r in function.body.results], self.names.values()
            )
        self.out.depth -= 1

    def whole(self, shared: Sequence[For], ends: dict[Atom, str]) -> None:
        self.memory(c.type.dtype for loop in shared for c in reductions(loop))
        self.block(self.function.body, Moves(()))
        for result, name in ends.items():
            self.out.line(f"{name}[0] = {self.plain(result)}")

    def memory(self, dtypes: Iterable[str]) -> None:
        """What threads reduce in, the thread's number and how many there are: not negative, as compilers then know."""
        super().memory(dtypes)
        if not self.alone:
            self.thread, self.threads_of_all = claim("thread", self.taken), claim("threads", self.taken)
            self.out.line(
                f"{self.thread}, {self.threads_of_all} = cuda.threadIdx.x & 1023, cuda.blockDim.x & 2047"
            )

    def home(self, result: Atom) -> str:
        """The parameter that an array is, which is written in place."""
        function = self.function
        (k,) = Own(ir.program({function.name: function}, function.name)).of(function, result)
        assert isinstance(k, int)
        return self.names[function.params[k]]

    def wait(self) -> None:
        """Until all threads are here."""
        if not self.alone and not self.sharing and self.met != self.here:
            self.out.line(self.barrier)
            self.met = self.here

    @property
    def here(self) -> tuple[int, int]:
        return len(self.out.lines), self.out.depth

    def of_block(self, carried: Var, by: Reducer) -> None:
        super().of_block(carried, by)
        self.met = self.here

    def put(self, out: Var, op: Apply) -> None:
        if self.alone or self.sharing:
            super().put(out, op)
            return
        self.wait()
        self.out.line("if cuda.threadIdx.x == 0:")
        self.out.depth += 1
        super().put(out, op)
        self.out.depth -= 1
        self.wait()

    def loop(self, equation: Equation, loop: For | While) -> None:
        if not isinstance(loop, For) or loop.kind != "threads":
            super().loop(equation, loop)
            return
        found = self.met_after(loop)
        self.wait()
        self.moves(list(zip(loop.carried, loop.init)))
        for carried, init in zip(loop.carried, loop.init):
            if carried in found:
                self.others_begin(carried, init, found[carried])
        self.sharing, self.loop_of_all = True, loop
        self.strided(loop, self.thread, self.threads_of_all)
        self.sharing = False
        if checks(loop.body):
            self.wait()
            self.out.line(f"if {self.failed}[0] != NOWHERE:")
            self.out.line(f"{INDENT}return")
        for carried, kind in found.items():
            self.of_block(carried, REDUCERS[kind])
        self.wait()
        self.moves(list(zip(equation.outs, loop.carried)))

    def met_after(self, loop: For) -> dict[Var, Kind]:
        """The numbers of a shared loop that threads put together after it."""
        return reductions(loop)

    def others_begin(self, carried: Var, init: Atom, kind: Kind) -> None:
        """What was there before goes into the reduction once."""
        first = Reduced(REDUCERS[kind], init, "", carried.type)
        if not isinstance(init, Lit) or init.value != first.by.first:
            self.out.line("if cuda.threadIdx.x > 0:")
            self.out.line(f"{INDENT}{self.names[carried]} = {first.first}")

    # what fails does so in all threads, but in iterations that they share

    def room_to_tell(self, stop: RaisingStop) -> str:
        return "THREADS" if stop.equation in self.sharers else "1"

    def give_up(self, stop: RaisingStop) -> None:
        if self.sharing:
            super().give_up(stop)
            return
        self.out.line(f"{self.failed}[0] = {stop.number}")
        for k, name in stop.told.items():
            self.out.line(f"{name}[0] = {self.plain(self.values(stop.op)[k])}")
        self.out.line("return")

    def leave(self) -> str:
        return "break"

    def teller(self, stop: RaisingStop, k: int, at: str) -> str:
        return super().teller(stop, k, at) if stop.equation in self.sharers else "0"

    def which(self, at: str) -> str:
        return super().which(at) if self.sharers else at
