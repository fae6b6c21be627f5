"""A value that is one of two, each computed on its way only: conditional expressions, `and` and `or`."""

from __future__ import annotations

from codegen.infer.control.paths import Make, choose_way
from codegen.infer.control.truth import truth
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ
from codegen.infer.values import Optional, Value
from codegen.ir import Apply, Atom, Block, If, Lit, Var
from codegen.source import Span, refuse

CHOSEN = "%t"


def conditional(frame: Frame, test: Var | Lit, then: Make, orelse: Make, span: Span, name: str) -> Value:
    """`then()` where `test` holds, else `orelse()`: each run only on its way."""
    if isinstance(test, Lit):
        return then() if test.value else orelse()
    try:
        chosen = choose_way(frame, test, then, orelse, CHOSEN)
    except Differ as differ:
        raise refuse(span, f"the value is {differ}: give it one kind") from None
    return simple_logic(frame, test, chosen, name)


def either(frame: Frame, test: Var | Lit, then: Value, orelse: Value, span: Span) -> Value:
    """One of two values that are there."""
    return conditional(frame, test, lambda: then, lambda: orelse, span, "t")


def simple_logic(frame: Frame, test: Atom, value: Value, name: str) -> Value:
    """An If that is `x and y` over two bools, y cheap and sure not to fail, becomes the operation."""
    last = frame.b.equations[-1] if frame.b.equations else None
    if last is None or not isinstance(value, Var) or not isinstance(last.op, If) or last.outs != (value,):
        return value
    if value.name == CHOSEN.strip("%"):
        renamed: Var = frame.named(frame.b.wrap(value), name).atom
        value = renamed
    then, orelse = last.op.then, last.op.orelse
    if value.type.dtype != "b1" or not is_cheap(then) or not is_cheap(orelse):
        return value
    x, y = then.results[0], orelse.results[0]
    is_and = isinstance(y, Lit) and not y.value or y is test
    is_or = isinstance(x, Lit) and bool(x.value) or x is test
    if not is_and and not is_or:
        return value
    b = frame.b
    b.equations.pop()
    b.equations.extend((*then.equations, *orelse.equations))
    made = b.apply("and", b.wrap(test), b.wrap(x)) if is_and else b.apply("or", b.wrap(test), b.wrap(y))
    return b.atom(frame.named(made, name, weak=value.type.weak))


def is_cheap(block: Block) -> bool:
    """A few scalar operations that cannot fail."""
    return len(block.equations) <= 3 and all(
        isinstance(e.op, Apply) and e.op.primitive.family == "elementwise" and not e.outs[0].type.rank
        for e in block.equations
    )


def short_circuit(frame: Frame, word: str, first: Value, rest: Make, span: Span, name: str) -> Value:
    """`and` and `or` of a value and what comes after it."""
    test = truth(frame, first, span)
    if isinstance(test, Lit):
        return rest() if bool(test.value) == (word == "and") else first

    def keep() -> Value:
        return first.value if word == "or" and isinstance(first, Optional) else first

    return conditional(frame, test, *((rest, keep) if word == "and" else (keep, rest)), span, name)
