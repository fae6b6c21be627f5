"""Loops in strips, first by functions of near arguments: in_strips : Equation, fast loop, plain loop -> equations.

                                          for first in range(0, n, 1024):
                                              begin = max(first, 0)
                                              count = min(1024, n - begin)
                                              near = True
                                              for k in range(count):
                                                  i = begin + k
    for i in range(n):                            near &= is_near_angle(x[i])
        y[i] = fast_sin(x[i])     ->              y[i] = near_fast_sin(x[i])
                                              if not near:
                                                  for k in range(count):
                                                      i = begin + k
                                                      y[i] = np.sin(x[i])

Vectors have no branches, and one path for every float takes two to four times as long as one for those that are mostly
met (`codegen/runtime/near`). A strip with others is computed again by the C library, one by one: a second vector loop
would take as long to compile as all the rest. (That `first` is not below 0 LLVM does not see itself; a place below 0
would count from the end.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from codegen.cost_model import FEWEST_IN_STRIPS, STRIP
from codegen.ir import Apply, Atom, Block, Equation, For, If, Lit, Type, Var
from codegen.ir.build import SIZE, Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import clone
from codegen.primitives import ROWS

BOOL = Type("b1")
NEAR = {
    **dict.fromkeys(("fast_sin", "fast_cos", "fast_tan"), "is_near_angle"),
    **dict.fromkeys(("single_sin", "single_cos", "single_tan"), "is_near_single_angle"),
    "fast_pow": "is_near_power",
    "single_pow": "is_near_single_power",
}
"""Functions beside which there is one of near arguments, and what says whether arguments are near."""


def in_strips(equation: Equation, fast: For, plain: For) -> list[Equation]:
    """The loop by functions for vectors, in two ways, where one is faster; `plain`: the loop by the C library's."""
    near = near_loop(fast)
    count = (
        fast.stop.value - fast.start.value
        if isinstance(fast.stop, Lit) and isinstance(fast.start, Lit)
        else None
    )
    if near is None or (count is not None and count < FEWEST_IN_STRIPS) or not may_run_again(fast):
        return [replace(equation, op=fast)]
    b = Builder(span=equation.span, checked=False)
    if count is not None and count <= STRIP:
        both_ways(b, equation.outs, near, plain, Places(fast.start, fast.stop))
        return b.equations
    first = Var("first", SIZE)
    carried = tuple(Var(p.name, p.type) for p in fast.carried)
    outs = tuple(Var(p.name, p.type) for p in fast.carried)
    inner = b.inner()
    begin = inner.apply("larger", inner.wrap(first), 0, name="begin")
    size = inner.apply("smaller", STRIP, inner.wrap(fast.stop) - begin, name="count")
    places = Places(Lit(0, SIZE), inner.atom(size), inner.atom(begin))
    both_ways(
        inner, outs, replace(near, init=(*carried, near.init[-1])), replace(plain, init=carried), places
    )
    b.emit(equation.outs, For(first, fast.start, fast.stop, STRIP, carried, fast.init, inner.block(outs)))
    return b.equations


def may_run_again(loop: For) -> bool:
    """Whether a loop goes up from 0 or more by ones, and reads nothing that it has written."""
    if not isinstance(loop.start, Lit) or loop.start.value < 0 or loop.step != 1:
        return False
    written = {atom for pair in zip(loop.carried, loop.init) for atom in pair if atom.type.rank}
    for equation in loop.body.equations:
        op = equation.op
        assert isinstance(op, Apply)
        writes = op.primitive.kind is Access.WRITE and op.operands[0] in written
        if not written.isdisjoint(op.operands[1 if writes else 0 :]):
            return False
        written |= set(equation.outs) if writes else set()
    return True


def near_loop(loop: For) -> For | None:
    """The loop by functions of near arguments, which carries one number more: whether all were near; None where it has
    no such function."""
    equations: list[Equation] = []
    start = flag = Var("near", BOOL)
    asked = set[tuple[str, tuple[Atom, ...]]]()
    for equation in loop.body.equations:
        op = equation.op
        assert isinstance(op, Apply)
        if (test := NEAR.get(op.primitive.helper or "")) is not None:
            if (test, op.operands) not in asked:
                asked.add((test, op.operands))
                is_near, both = Var("t", BOOL), Var("near", BOOL)
                row = replace(ROWS["isnan" if len(op.operands) == 1 else "lt"], helper=test)  # of such types
                equations.append(Equation((is_near,), Apply(row, op.operands)))
                equations.append(Equation((both,), Apply(ROWS["bitand"], (flag, is_near))))
                flag = both
            op = replace(op, primitive=replace(op.primitive, helper=f"near_{op.primitive.helper}"))
        equations.append(replace(equation, op=op))
    body = Block(tuple(equations), (*loop.body.results, flag))
    carried, init = (*loop.carried, start), (*loop.init, Lit(True, BOOL))
    return None if flag is start else replace(loop, carried=carried, init=init, body=body)


@dataclass(frozen=True)
class Places:
    """Where a loop starts and stops; with `begin`, from that place on."""

    start: Atom
    stop: Atom
    begin: Atom | None = None

    def run(self, loop: For) -> Block:
        """The loop alone over these places, in variables of its own."""
        if self.begin is not None:
            k = Var("k", SIZE)
            place = Equation((loop.index,), Apply(ROWS["add"], (self.begin, k)))
            loop = replace(loop, index=k, body=replace(loop.body, equations=(place, *loop.body.equations)))
        outs = tuple(Var(p.name, p.type) for p in loop.carried)
        return clone(Block((Equation(outs, replace(loop, start=self.start, stop=self.stop)),), outs))


def both_ways(b: Builder, outs: tuple[Var, ...], near: For, plain: For, places: Places) -> None:
    """The loop by functions of near arguments, and as it was where one was not near: over the same arrays."""
    quick = places.run(near)
    b.equations += quick.equations
    *made, flag = quick.results
    init = tuple(m if m.type.rank else i for m, i in zip(made, plain.init, strict=True))
    b.emit(outs, If(flag, Block((), tuple(made)), places.run(replace(plain, init=init))))
