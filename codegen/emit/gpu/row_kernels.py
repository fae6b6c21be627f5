"""Kernels whose threads share rows as text (loops/gpu/row_kernels.py).

@cuda.jit
def f_loop_kernel(y, X):                         the threads of a row are at one place, with the same numbers
    n = len(y)
    shared = cuda.shared.array(THREADS, np.float64)
    thread, threads = cuda.threadIdx.x & 1023, cuda.blockDim.x & 2047
    i = cuda.grid(2)[1]
    while i < n:
        t = -np.inf
        j = thread
        while j < X.shape[1]:
            t = np.maximum(t, X[i, j])
            j += threads
        t = row_highest(t, shared)
        if cuda.threadIdx.x == 0:                one writes what is the row's
            y[i] = t
        i += cuda.gridsize(2)[1]


def f_loop(y, X):
    f_loop_kernel[(1, BLOCKS), row_threads(len(y), X.shape[1])](y, X)
    return y
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from codegen import ir
from codegen.emit.gpu.block_kernels import BlockPrinter
from codegen.emit.gpu.kernels import KernelPrinter, Reduced
from codegen.emit.inplace import Storage, array_storage
from codegen.emit.lines import INDENT
from codegen.ir import Apply, Equation, For, Var, While
from codegen.ir.kinds import Access
from codegen.ir.traversal import equations
from codegen.loops.gpu.row_kernels import outside, shared_loops
from codegen.loops.independent import Kind, reductions
from codegen.simplify.driver import use_counts
from codegen.targets.cuda import Reducer


@dataclass(eq=False)
class RowPrinter(BlockPrinter):
    barrier = "row_sync()"
    first, step = "cuda.grid(2)[1]", "cuda.gridsize(2)[1]"
    block_number, is_first = "cuda.blockIdx.y", "cuda.threadIdx.x == 0 and cuda.threadIdx.y == 0"
    storage: Storage = field(init=False)
    # Memory that is written and read, and of that what threads have touched since they met.
    exchanged: frozenset[Hashable] = field(init=False, default=frozenset())
    touched: frozenset[Hashable] = field(init=False, default=frozenset())
    in_turn: bool = field(init=False, default=False)  # whether threads wait wherever they may have to
    kept_apart: dict[Var, Var] = field(init=False, default_factory=dict)

    def both(self) -> None:
        self.alone, body = False, self.function.body
        self.storage = array_storage(ir.program({self.function.name: self.function}, self.function.name))
        written = self.arrays(equations(body), writes=True)
        self.exchanged = self.arrays(equations(body)) & written
        row = list(outside(body))
        loops = [e.op for e in row if isinstance(e.op, For | While)]
        inside = [op for op in loops if not isinstance(op, For) or op.kind != "threads"]
        of_row = self.arrays(row) | self.arrays(row, writes=True)
        self.in_turn = len(inside) > 1 or bool(self.exchanged & of_row)
        for loop in shared_loops(body):
            self.added |= self.counted(loop)
        KernelPrinter.both(self)

    def arrays(self, within: Iterable[Equation], *, writes: bool = False) -> frozenset[Hashable]:
        """The memory that equations read, or write."""
        ops = (e.op for e in within if isinstance(e.op, Apply) and e.op.operands)
        found = (op.operands[0] for op in ops if (op.primitive.kind in (Access.WRITE, Access.ADD)) is writes)
        arrays = (a for a in found if isinstance(a, Var) and a.type.rank)
        return frozenset(memory for array in arrays for memory in self.storage(array))

    def threads(self, loop: For) -> str:
        lengths = dict.fromkeys(self.on_host(each.stop) or "" for each in shared_loops(self.function.body))
        length = next(iter(lengths)) if len(lengths) == 1 else f"max({', '.join(lengths)})"
        return f"(1, BLOCKS), row_threads({self.on_host(loop.stop)}, {length})"

    def put_together(self, loop: For) -> Iterable[Var]:
        self.kept_apart = kept_apart(loop)
        return [*(c for each in shared_loops(self.function.body) for c in reductions(each)), *self.reduced]

    def of_threads(self, carried: Var, found: Reduced) -> None:
        """Each of a row's threads has what the row gives, but where they have kept their own apart."""
        if carried not in self.kept_apart.values():
            self.out.line("if cuda.threadIdx.x > 0:")
            self.out.line(f"{INDENT}{self.names[carried]} = {found.first}")
        KernelPrinter.of_block(self, carried, found.by)

    def met_after(self, loop: For) -> dict[Var, Kind]:
        found = super().met_after(loop)
        return {carried: kind for carried, kind in found.items() if carried not in self.kept_apart}

    def of_block(self, carried: Var, by: Reducer) -> None:
        """A number reduced over the threads of a row, for all of them."""
        name = self.names[carried]
        self.out.line(f"{name} = {by.in_a_row}({name}, {self.scratch[carried.type.dtype]})")
        self.met, self.touched = self.here, frozenset()

    def loop(self, equation: Equation, loop: For | While) -> None:
        inside = list(equations(loop.body))
        touched = self.exchanged & (self.arrays(inside) | self.arrays(inside, writes=True))
        if not isinstance(loop, For) or loop.kind != "threads" or self.in_turn:
            super().loop(equation, loop)
            return
        if self.touched & touched:
            self.out.line(self.barrier)
            self.touched = frozenset()
        self.touched |= touched
        super().loop(equation, loop)

    def wait(self) -> None:
        if self.in_turn:
            super().wait()


def kept_apart(rows: For) -> dict[Var, Var]:
    """What shared loops carry of numbers that all rows are reduced to: each thread's own, until the last row."""
    counts, found = use_counts(rows.body), {}
    for equation in rows.body.equations:
        op = equation.op
        if isinstance(op, For) and op.kind == "threads":
            for out, inner, init in zip(equation.outs, op.carried, op.init, strict=True):
                at = [k for k, c in enumerate(rows.carried) if c is init and rows.body.results[k] is out]
                if at and inner in reductions(op) and counts[out] == counts[rows.carried[at[0]]] == 1:
                    found[inner] = rows.carried[at[0]]
    return found
