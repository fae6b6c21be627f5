"""Statements in order: assignment, branches, return, raise. Loops are in loops.py.

Control that leaves early (return, break, continue, raise) sets a flag among the state's hidden names; what follows is
built inside the way that goes on, so that `if c: return a` needs no flag at run time.
"""

from __future__ import annotations

import builtins
from typing import assert_never

from codegen.build import Builder
from codegen.infer import loops
from codegen.infer.expressions import evaluate, subscript, truth
from codegen.infer.frame import BROKE, CONTINUED, DEAD, RESULT, RETURNED, Bottom, Frame
from codegen.infer.join import TRUE, Differ, Side, certain, exits, falling, falls, flag, join
from codegen.infer.values import Closure, Nest, Ref, State, Static, Value, View, describe
from codegen.ir import Lit, Var
from codegen.primitives.index import parse, write
from codegen.read.tree import (
    Assert,
    Assign,
    Attribute,
    AugAssign,
    Branch,
    Break,
    CallExpr,
    Constant,
    Continue,
    Define,
    Evaluate,
    Expression,
    Iterate,
    Loop,
    Name,
    Raise,
    Return,
    Starred,
    Statement,
    Subscript,
    Text,
    Tuple,
)
from codegen.source import Span, refuse

Live = frozenset[str]


def run(frame: Frame, statements: tuple[Statement, ...], live: Live) -> None:
    """Run statements in `frame`'s state and block. `live`: names read after them."""
    for k, statement in enumerate(statements):
        rest = statements[k + 1 :]
        with frame.b.at(statement.span):
            done = step(frame, statement, rest, live)
        if done or not falls(frame.st):
            if not done and not certain_exit(frame.st):
                gate(frame, rest, live)
            return


def certain_exit(st: State) -> bool:
    return any(certain(flag(st, name)) for name in (DEAD, BROKE, CONTINUED, RETURNED))


def step(frame: Frame, statement: Statement, rest: tuple[Statement, ...], live: Live) -> bool:
    """One statement; True where it ran the rest too."""
    match statement:
        case Branch():
            return branch(frame, statement, rest, live)
        case Loop():
            loops.while_loop(frame, statement, frame.before(rest, live))
        case Iterate():
            loops.for_loop(frame, statement, frame.before(rest, live))
        case Assign(_, targets, value):
            result = evaluate(frame, value, name=hint(targets[0]))
            for target in targets:
                assign(frame, target, result)
        case AugAssign():
            augment(frame, statement)
        case Return(_, value):
            frame.st.env[RESULT] = Static(None) if value is None else evaluate(frame, value, name="result")
            frame.st.env[RETURNED] = TRUE
        case Break():
            frame.st.env[BROKE] = TRUE
        case Continue():
            frame.st.env[CONTINUED] = TRUE
        case Raise(span, value):
            exception, message = raised(frame, value, span)
            frame.b.apply("fail", exception=exception, message=message)
            frame.st.env[DEAD] = TRUE
        case Assert(_, test, message):
            told = text_of(frame, message) if message is not None else ""
            met = truth(frame, test)
            frame.b.apply("check", frame.b.wrap(met), exception="AssertionError", message=told)
        case Evaluate(_, value):
            evaluate(frame, value)
        case Define():
            frame.st.env[statement.name] = Closure(statement, frame, frame.st.env)
        case _:
            assert_never(statement)
    return False


def hint(target: Expression) -> str:
    return target.id if isinstance(target, Name) else "t"


def gate(frame: Frame, rest: tuple[Statement, ...], live: Live) -> None:
    """Run `rest` only where no flag is set."""
    if not rest:
        return
    test = frame.b.atom(falling(frame.b, frame.st))
    on = Side(frame.b.inner(), frame.st.copy())
    for name in (BROKE, CONTINUED, RETURNED):
        assert on.st is not None
        on.st.env.pop(name, None)
    try:
        with frame.inside(on.b, on.st):  # type: ignore[arg-type]
            run(frame, rest, live)
    except Bottom:
        on = Side(on.b, None)
    meet(frame, test, on, Side(frame.b.inner(), frame.st.copy()), live, frame.body[0].span)


def side(frame: Frame, statements: tuple[Statement, ...], live: Live) -> Side:
    """One way of a branch, from the present state."""
    b, st = frame.b.inner(), frame.st.copy()
    try:
        with frame.inside(b, st):
            run(frame, statements, live)
            st = frame.st
    except Bottom:
        return Side(b, None)
    return Side(b, st)


def resume(frame: Frame, way: Side, rest: tuple[Statement, ...], live: Live) -> Side:
    """The rest of the statements, run at the end of one way."""
    assert way.st is not None
    try:
        with frame.inside(way.b, way.st):
            run(frame, rest, live)
            return Side(way.b, frame.st)
    except Bottom:
        return Side(way.b, None)


def branch(frame: Frame, statement: Branch, rest: tuple[Statement, ...], live: Live) -> bool:
    """if/else. Where one way leaves for good, the rest of the block belongs to the other."""
    test = truth(frame, statement.test)
    if isinstance(test, Lit):
        run(frame, statement.then if test.value else statement.orelse, frame.before(rest, live))
        return False
    after = frame.before(rest, live)
    left, right = side(frame, statement.then, after), side(frame, statement.orelse, after)
    took = False
    if rest and leaves_value(left) and not exits(right):
        right, took = resume(frame, right, rest, live), True
    elif rest and leaves_value(right) and not exits(left):
        left, took = resume(frame, left, rest, live), True
    meet(frame, test, left, right, live if took else after, statement.span)
    return took


def leaves_value(way: Side) -> bool:
    """The way ends here for good; a way that only raises gives nothing, so what follows need not be nested."""
    return exits(way) and not (way.st is not None and certain(flag(way.st, DEAD)))


def meet(frame: Frame, test: Var | Lit, left: Side, right: Side, names: Live, span: Span) -> None:
    if left.st is None and right.st is None:
        raise Bottom
    with frame.b.at(span):
        try:
            join(frame, test, left, right, names)
        except Differ as differ:
            raise refuse(span, f"the values returned do not fit: {differ}") from None


def assign(frame: Frame, target: Expression, value: Value) -> None:
    """Bind a target: a name, a pattern, or places of an array."""
    match target:
        case Name(_, name):
            frame.st.env[name] = value
        case Tuple(span, items):
            unpack(frame, span, items, value)
        case Subscript(span, container, index):
            store(frame, span, evaluate(frame, container), subscript(frame, index), value)
        case Attribute(span, _, name):
            raise refuse(span, f"assigning to the attribute {name!r} is not supported: return a new value instead")
        case _:
            raise refuse(target.span, "this cannot be assigned to")


def unpack(frame: Frame, span: Span, items: tuple[Expression, ...], value: Value) -> None:
    parts = parts_of(frame, value, span)
    starred = [k for k, item in enumerate(items) if isinstance(item, Starred)]
    if not starred:
        if len(parts) != len(items):
            raise refuse(span, f"cannot unpack {len(parts)} values into {len(items)} names")
        for item, part in zip(items, parts, strict=True):
            assign(frame, item, part)
        return
    at, after = starred[0], len(items) - starred[0] - 1
    if len(parts) < len(items) - 1:
        raise refuse(span, f"cannot unpack {len(parts)} values into at least {len(items) - 1} names")
    middle = Nest(list, tuple(parts[at : len(parts) - after]))
    spread = [*parts[:at], middle, *parts[len(parts) - after :]]
    for item, part in zip(items, spread, strict=True):
        assign(frame, item.value if isinstance(item, Starred) else item, part)


def parts_of(frame: Frame, value: Value, span: Span) -> list[Value]:
    """The items of a nest, or the rows of an array of known length."""
    if isinstance(value, Nest) and value.cls is not dict:
        return list(value.items)
    if isinstance(value, Ref | View):
        x = frame.b.wrap(frame.atom(value, span))
        if x.ndim and isinstance(x.type.shape[0], int):
            return [subscript_value(frame, value, k, span) for k in range(x.type.shape[0])]
        raise refuse(span, "an array of unknown length cannot be unpacked: index it instead")
    raise refuse(span, f"{describe(value, frame.st.store)} cannot be unpacked")


def subscript_value(frame: Frame, value: Value, index: int, span: Span) -> Value:
    from codegen.infer.expressions import element

    return element(frame, value, index, span, "t")


def store(frame: Frame, span: Span, container: Value, index: object, value: Value) -> None:
    """`container[index] = value`."""
    if isinstance(container, Nest):
        raise refuse(span, f"a {container.cls.__name__} is not changed in place: make a new one, or use an array")
    if not isinstance(container, Ref | View):
        raise refuse(span, f"{describe(container, frame.st.store)} has no places to write to")
    x = frame.b.wrap(frame.atom(container, span))
    given = frame.give(value, span)
    if isinstance(given, tuple | list):
        from codegen.build import call

        import numpy as np

        given = call(frame.b, np.array, given)
    written = write_refusing(frame.b, x, index, given, span)
    frame.write(container, written, span)


def write_refusing(b: Builder, x: object, index: object, value: object, span: Span) -> Var:
    try:
        made: Var = write(b, x, index, value).atom  # type: ignore[arg-type]
        return made
    except (TypeError, ValueError) as error:
        raise refuse(span, str(error)) from error


def augment(frame: Frame, statement: AugAssign) -> None:
    """`target op= value`: an array is changed in place, everything else is bound anew."""
    from codegen.infer.expressions import operate

    span, target = statement.span, statement.target
    match target:
        case Name(_, name):
            old = frame.lookup(name, span)
            new = operate(frame, statement.operator, old, evaluate(frame, statement.value), span, name)
            if isinstance(old, Ref | View):
                in_place(frame, old, new, span)
            else:
                frame.st.env[name] = new
        case Subscript(_, container_, index_):
            container, index = evaluate(frame, container_), subscript(frame, index_)
            value = evaluate(frame, statement.value)
            if statement.operator in "+-" and accumulates(frame, container, index):
                accumulate(frame, container, index, value, statement.operator, span)
                return
            from codegen.infer.expressions import element

            old = element(frame, container, index, span, "t")
            store(frame, span, container, index, operate(frame, statement.operator, old, value, span, "t"))
        case _:
            raise refuse(span, "this cannot be assigned to")


def in_place(frame: Frame, old: Ref | View, new: Value, span: Span) -> None:
    """`x += v` on an array: same object, same dtype, same shape."""
    before, after = frame.b.wrap(frame.atom(old, span)), frame.b.wrap(frame.atom(new, span))
    if before.type.rank != after.type.rank:
        raise refuse(span, f"the result, {after.type}, does not fit the array it is written to, {before.type}")
    if before.type.dtype != after.type.dtype:
        if before.type.dtype[0] in "iu" and after.type.is_float:
            raise refuse(span, f"cannot cast from {after.type.dtype} to {before.type.dtype} in place")
        after = after.astype(before.type.dtype)
    frame.write(old, after.atom, span)


def accumulates(frame: Frame, container: Value, index: object) -> bool:
    """`x[i] += v` adds at the place itself unless index arrays could name one place twice."""
    if not isinstance(container, Ref | View):
        return False
    x = frame.b.wrap(frame.atom(container))
    if not x.type.is_float:
        return False
    try:
        spec, _ = parse(Builder(), x.type, index)
    except (TypeError, ValueError):
        return False
    return "a" not in spec


def accumulate(frame: Frame, container: Value, index: object, value: Value, sign: str, span: Span) -> None:
    x = frame.b.wrap(frame.atom(container, span))
    added = frame.give(value, span)
    if sign == "-":
        added = frame.b.apply("neg", added)
    try:
        written = write(frame.b, x, index, added, how="accumulate").atom
    except (TypeError, ValueError) as error:
        raise refuse(span, str(error)) from error
    frame.write(container, written, span)


def raised(frame: Frame, value: Expression, span: Span) -> tuple[str, str]:
    """The exception's name and message; one that Python does not define becomes a RuntimeError that names it."""
    called = value.function if isinstance(value, CallExpr) else value
    cls = evaluate(frame, called)
    if not (isinstance(cls, Static) and isinstance(cls.value, type) and issubclass(cls.value, BaseException)):
        raise refuse(span, "raise takes an exception, as in `raise ValueError('...')`")
    arguments = value.arguments if isinstance(value, CallExpr) else ()
    message = text_of(frame, arguments[0]) if arguments else ""
    name = cls.value.__name__
    if getattr(builtins, name, None) is cls.value:
        return name, message
    return "RuntimeError", f"{name}: {message}" if message else name


def text_of(frame: Frame, expression: Expression) -> str:
    """The text of an error message: an f-string keeps its braces, since lanes differ in what they would say."""
    match expression:
        case Text(_, text):
            return text
        case Constant(_, value):
            return str(value)
    value = evaluate(frame, expression)
    if isinstance(value, Static) or isinstance(value, Lit):
        return str(value.value)
    raise refuse(expression.span, "an error message must be a string that is known when the program is transformed")
