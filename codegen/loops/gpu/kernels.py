"""Loops for the threads of a GPU, each a function of its own: kernels : Program -> Program.

    for i in range(n):                        s = f_loop(X, y)
        for j in range(m):
            s += X[i, j] * y[j]       ->      def f_loop(X, y):
                                                  for k in range(n * m):               of kind "threads"
                                                      i, j = k // m, k % m
                                                      s += X[i, j] * y[j]

A loop whose iterations do not look at each other (independent.py) is shared by the threads of a grid; of two loops, one
alone in the other, the iterations of both where both are such loops, and those of the inner one where that alone is
(sums of columns), each going through the outer by itself. Sums at any places of an array are put in order (scatter.py).
Another loop over elements is gone through by one block of threads (block_kernels.py), unless it has work for more than
one; then, and where it takes a library, the host goes through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from codegen import ir
from codegen.analysis.equal_sizes import equal_sizes
from codegen.emit.coalescing import unused_spelling
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, Lit, Program, Var, While
from codegen.ir.build import Builder
from codegen.ir.substitution import clone
from codegen.ir.traversal import equations, with_inner
from codegen.loops.first_failure import block_parameters, checks
from codegen.loops.gpu.block_kernels import one_block, stays_in_place
from codegen.loops.gpu.kernel_coverage import is_element_work, runs_in_thread, without_library
from codegen.loops.gpu.row_kernels import shared_rows
from codegen.loops.gpu.scatter import added_in_order, with_additions
from codegen.loops.gpu.split_sums import in_parts
from codegen.loops.gpu.turned_tables import with_turned_tables
from codegen.loops.independent import LoopNest, Sizes, exchanged, is_independent, nest_of, sizes_in
from codegen.primitives.row import ROWS


def kernels(program: Program) -> Program:
    """`program` with such loops as functions that are kernels."""
    functions = dict(program.functions)
    for name, function in program.functions.items():
        made = Kernels(name, sizes_in(function), {n: f for n, f in functions.items() if n != name})
        body = made.whole(with_additions(function.body))
        functions = {**made.functions, name: replace(function, body=body)}
    return ir.program(functions, program.main)


@dataclass(eq=False)
class Kernels:
    """The kernels of one function, among the program's other functions."""

    main: str
    sizes: Sizes
    functions: dict[str, Function] = field(default_factory=dict)
    ran: list[Equation] = field(default_factory=list)  # all that has run before

    def whole(self, block: Block) -> Block:
        """The body of the function."""
        made: list[Equation] = []
        for equation in block.equations:
            made += self.equation(equation)
            self.ran.append(equation)
        return replace(block, equations=tuple(made))

    def block(self, block: Block) -> Block:
        made: list[Equation] = []
        for equation in block.equations:
            made += self.equation(equation)
        return replace(block, equations=tuple(made))

    def equation(self, equation: Equation) -> Sequence[Equation]:
        """A loop as kernels, or with kernels inside."""
        op = equation.op
        if isinstance(op, For | While):
            for listed in self.ways(equation):
                *before, last = listed
                if isinstance(last.op, For) and (made := self.grid(last, last.op)) is not None:
                    return [*before, *made]
                if (body := one_block(last, self.sizes)) is not None:
                    return [*before, self.called(last, body)]
        return [replace(equation, op=with_inner(op, self.block))]

    def ways(self, equation: Equation) -> list[Sequence[Equation]]:
        """A loop as it is, or with what it does to parts of arrays written out, where threads may compute it."""
        inside = list(equations(Block((equation,), ())))
        if any(isinstance(e.op, Call) for e in inside):
            return []
        if all(map(is_element_work, inside)):
            return [[equation]]
        written = without_library(equation)
        return [written] if written and isinstance(written[-1].op, For | While) else []

    def grid(self, equation: Equation, loop: For) -> Sequence[Equation] | None:
        """A loop that threads of a grid can share."""
        if not runs_in_thread(loop.body) or not stays_in_place(Block((equation,), equation.outs)):
            return None
        nest = nest_of(loop)
        if nest and checks(Block(nest.before, ())):
            tested, nest = self.tested(nest)
            rest = self.grid(replace(equation, op=nest.outer), nest.outer)
            return [tested, *rest] if rest is not None else None
        inner = nest is not None and is_independent(nest.inner, self.sizes)
        if is_independent(loop, self.sizes):
            if nest and inner:
                return self.flat(equation, nest)
            rows = shared_rows(loop, self.sizes)
            before, made = with_turned_tables(equation, rows, equal_sizes(self.ran)) if rows else ([], loop)
            kind = "rows" if rows else "threads"
            return [
                *(part for each in before for part in self.equation(each)),
                self.kernel(equation, made, kind),
            ]
        if nest and inner:
            return self.columns(equation, nest)
        before, whole = self.cells(equation, nest) if nest else ([], loop)
        if (ordered := added_in_order(equation, whole, self.sizes)) is not None:
            return [*before, *(made for each in ordered for made in self.equation(each))]
        return None

    def tested(self, nest: LoopNest) -> tuple[Equation, LoopNest]:
        """The checks of a nest's rows as a loop of their own, and the nest without."""
        outer = nest.outer
        test = replace(outer, carried=(), init=(), body=Block(nest.before, ()))
        kept = tuple(e for e in nest.before if e.outs)
        within = replace(outer.body, equations=(*kept, nest.around))
        span = next(e.span for e in nest.before if not e.outs)
        alone = clone(Block((Equation((), test, span),), ())).equations[0]
        assert isinstance(alone.op, For)
        return self.kernel(alone, alone.op), replace(nest, outer=replace(outer, body=within), before=kept)

    def flat(self, equation: Equation, nest: LoopNest) -> list[Equation]:
        """The loops of a nest as one, whose neighbours are neighbours in memory."""
        before, loop = self.cells(equation, nest)
        deeper = nest_of(loop)
        if deeper and is_independent(deeper.inner, self.sizes):
            return [*before, *self.flat(equation, deeper)]
        return [*before, self.kernel(equation, loop)]

    def columns(self, equation: Equation, nest: LoopNest) -> list[Equation]:
        """Threads for the iterations of the inner loop of a nest, and for parts of the outer one's where these are of
        sums."""
        found = in_parts(equation, nest, self.sizes, self.ran)
        if found is None:
            return [self.kernel(equation, exchanged(nest))]
        (*listed, last), made = found
        self.sizes |= made
        assert isinstance(last.op, For)
        rows = shared_rows(last.op, self.sizes)
        assert rows is not None
        return [*(part for each in listed for part in self.equation(each)), self.kernel(last, rows, "rows")]

    def cells(self, equation: Equation, nest: LoopNest) -> tuple[list[Equation], For]:
        """The iterations of both loops as those of one, after how many they are."""
        outer, inner = nest.outer, nest.inner
        b = Builder(span=equation.span, checked=False)
        sides = (self.count(b, loop.stop) for loop in (outer, inner))
        total = b.atom(b.apply("mul", *sides, name="cells"))
        self.sizes |= {total} if isinstance(total, Var) else set()
        c = Builder(span=equation.span, checked=False)
        k = Var("k", outer.index.type)
        for index, row in ((outer.index, "floordiv"), (inner.index, "mod")):
            c.emit((index,), Apply(ROWS[row], (k, inner.stop)))
        body = Block((*c.equations, *nest.before, *inner.body.equations), inner.body.results)
        return b.equations, replace(inner, index=k, stop=total, init=outer.init, body=body)

    def count(self, b: Builder, stop: Atom) -> Any:
        """The iterations of a loop from 0."""
        least = stop.value if isinstance(stop, Lit) else 0 if stop in self.sizes else -1
        return stop if least >= 0 else b.apply("maximum", stop, 0)

    def kernel(self, equation: Equation, loop: For, kind: str = "threads") -> Equation:
        """A loop that is shared by the threads of a grid, or of rows, as a call of its kernel."""
        outs = tuple(Var(o.name, o.type) for o in equation.outs)
        shared = replace(equation, outs=outs, op=replace(loop, kind=kind))
        return self.called(equation, Block((shared,), outs))

    def called(self, equation: Equation, body: Block) -> Equation:
        """What computes the same by a call of a kernel with this body."""
        name = unused_spelling(f"{self.main}_loop", {*self.functions, self.main})
        given = block_parameters(body)
        self.functions[name] = clone(Function(name, given, body, equation.span, kernel=True))
        return replace(equation, op=Call(name, given))
