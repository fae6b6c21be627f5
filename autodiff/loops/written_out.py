"""Loops of few known iterations that make arrays of other sizes, written out: the sizes of each are known beforehand.

    for _ in range(2):                      p2 = (p[:-1] + p[1:]) / 2
        p = (p[:-1] + p[1:]) / 2     ->     p3 = (p2[:-1] + p2[1:]) / 2

A loop that was one keeps its values in the rows of an array, which all have one size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from autodiff.sizes.scope import Brings, brings, refresh
from codegen.cost_model import FEW_ITERATIONS
from codegen.ir import Atom, Equation, For, Function, Lit, Program, Var
from codegen.ir.build import Builder
from codegen.ir.substitution import free, fresh, keep, replaced, rewrite, sizes
from codegen.ir.traversal import nested, with_functions
from codegen.simplify.inline import stand


def short_loops_written_out(program: Program) -> Program:
    """`program` with such loops written out; itself where there is none."""
    if not any(grows(op, brings(f)) for f in program.functions.values() for op in counted_loops(f)):
        return program
    return refresh(with_functions(program, lambda f: WritingOut(brings(f)).function(f)))


def counted_loops(function: Function) -> list[For]:
    return [e.op for e in nested(function.body.equations) if isinstance(e.op, For)]


def grows(loop: For, brought: Brings) -> bool:
    """Whether a loop of few iterations hands on an array of another size, which its body makes."""
    if iterations(loop) is None:
        return False
    inside = {v for e in nested(loop.body.equations) for o in e.outs for v in (o, *brought.get(o, ()))}
    own = {d for p in loop.carried for d in brought.get(p, ())}
    return any(
        d in own and m is not d and (m in inside or m in own)
        for p, result in zip(loop.carried, loop.body.results, strict=True)
        for d, m in zip(p.type.shape, result.type.shape, strict=True)
    )


def iterations(loop: For) -> range | None:
    """The indices of a loop, if they are known and few."""
    if not (isinstance(loop.start, Lit) and isinstance(loop.stop, Lit)):
        return None
    found = range(loop.start.value, loop.stop.value, loop.step)
    return found if len(found) <= FEW_ITERATIONS else None


@dataclass(frozen=True)
class WritingOut:
    """A walk over a function, whose variables bring these sizes."""

    brought: Brings

    def function(self, function: Function) -> Function:
        return replace(function, body=rewrite(function.body, {}, keep, self.expand))

    def expand(self, equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        loop = equation.op
        if not isinstance(loop, For) or not grows(loop, self.brought):
            return None
        b = Builder(span=equation.span, checked=False)
        values = replaced(loop.init, env)
        for k in iterations(loop) or ():
            inner: dict[Var, Atom] = {loop.index: Lit(k, loop.index.type)}
            self.bind(b, loop.carried, values, inner)
            for var in free(loop.body):
                inner.setdefault(var, env.get(var, var))
            body = rewrite(loop.body, inner, fresh, self.expand)
            b.equations += body.equations
            values = body.results
        self.bind(b, equation.outs, values, env)
        return b.equations

    def bind(
        self, b: Builder, variables: tuple[Var, ...], values: tuple[Atom, ...], env: dict[Var, Atom]
    ) -> None:
        """Let values stand for variables, and their sizes for those that the variables bring."""
        own = {d for v in variables for d in self.brought.get(v, ())}
        outside = {d for v in variables for d in sizes(v.type)} - own
        for var, value in zip(variables, values, strict=True):
            stand(b, var, value, env, outside)
