"""Expressions to values: names, literals, operators, subscripts, attributes, displays. Calls are in calls.py."""

from __future__ import annotations

import operator
from typing import Any, assert_never

import numpy as np

from codegen.build import E, call, refusing
from codegen.infer.frame import Bottom, Frame
from codegen.infer.join import Differ, Side, join
from codegen.infer.values import (
    Closure,
    Method,
    Nest,
    Range,
    Ref,
    Static,
    Value,
    View,
    cell_of,
    describe,
    is_named_tuple,
)
from codegen.ir import Atom, Lit, Var
from codegen.primitives.index import parse
from codegen.primitives.random import METHODS
from codegen.read import tree
from codegen.source import Span, refuse

OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow",
    "&": "bitand", "|": "bitor", "^": "bitxor", "<<": "lshift", ">>": "rshift",
    "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne",
}  # fmt: skip
PYTHON = {
    "+": operator.add, "*": operator.mul, "%": operator.mod, "==": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "is": operator.is_,
}  # fmt: skip


def evaluate(frame: Frame, node: tree.Expression, *, name: str = "t") -> Value:
    """The value of an expression; what it builds is called `name`."""
    with frame.b.at(node.span):
        return expression(frame, node, name)


def expression(frame: Frame, node: tree.Expression, name: str) -> Value:
    match node:
        case tree.Name(span, id_):
            return frame.lookup(id_, span)
        case tree.Constant(span, value):
            return frame.constant(value, "t", span)
        case tree.Tuple(_, items, is_list):
            return Nest(list if is_list else tuple, tuple(spread(frame, items)))
        case tree.DictDisplay(_, keys, values):
            return Nest(dict, tuple(evaluate(frame, v) for v in values), keys)
        case tree.Attribute(span, owner, attribute_):
            return attribute(frame, evaluate(frame, owner), attribute_, span)
        case tree.Subscript(span, container, index):
            return element(frame, evaluate(frame, container), subscript(frame, index), span, name)
        case tree.CallExpr():
            from codegen.infer.calls import call_expression

            return call_expression(frame, node, name)
        case tree.Unary(span, sign, operand):
            return unary(frame, sign, operand, span, name)
        case tree.Binary(span, sign, left, right):
            return operate(frame, sign, evaluate(frame, left), evaluate(frame, right), span, name)
        case tree.Logical(_, word, values):
            return logical(frame, word, values, name)
        case tree.Compare(span, left, rest):
            return compare(frame, left, rest, span)
        case tree.Conditional(span, test, then, orelse):
            met = truth(frame, test)
            return choose(frame, met, lambda: evaluate(frame, then), lambda: evaluate(frame, orelse), span, name)
        case tree.Comprehension():
            return comprehension(frame, node)
        case tree.Lambda():
            return Closure(node, frame, frame.st.env)
        case tree.Text(span):
            raise refuse(span, "an f-string can only be the message of an exception")
        case tree.Starred(span):
            raise refuse(span, "`*` can only stand in a call, a tuple or a pattern")
        case tree.Slice(span):
            raise refuse(span, "a slice can only stand between brackets")
        case _:
            assert_never(node)


def spread(frame: Frame, items: tuple[tree.Expression, ...]) -> list[Value]:
    """Evaluated items, starred ones spread out."""
    from codegen.infer.statements import parts_of

    values: list[Value] = []
    for item in items:
        if isinstance(item, tree.Starred):
            values.extend(parts_of(frame, evaluate(frame, item.value), item.span))
        else:
            values.append(evaluate(frame, item))
    return values


def subscript(frame: Frame, node: tree.Expression) -> Any:
    """What stands between brackets, as rules take it: ints, Es, slices, None, Ellipsis, strings."""
    if isinstance(node, tree.Tuple) and not node.list:
        return tuple(subscript(frame, item) for item in node.items)
    if isinstance(node, tree.Slice):
        bounds = [None if n is None else frame.give(evaluate(frame, n), n.span) for n in (node.start, node.stop, node.step)]
        return slice(*bounds)
    return frame.give(evaluate(frame, node), node.span)


def element(frame: Frame, container: Value, index: Any, span: Span, name: str) -> Value:
    """`container[index]`; a part of an array by ints and slices is a view of it."""
    if isinstance(container, Nest):
        return item(frame, container, index, span)
    if isinstance(container, Static):
        return static_item(frame, container, index, span, name)
    if not isinstance(container, Ref | View):
        raise refuse(span, f"{describe(container, frame.st.store)} has no elements")
    x = frame.b.wrap(frame.atom(container, span))
    with refusing(span):
        spec, operands = parse(frame.b, x.type, index)
        if not spec:
            return container
        made = frame.b.apply("index", x, *operands, spec=spec, name=name)
    if not made.type.rank:
        return made.atom  # type: ignore[no-any-return]
    if "a" in spec:
        return frame.new(made.atom, name)
    atoms = tuple(frame.b.atom(o) for o in operands)
    return View(container, spec, atoms, made.atom, x.atom)


def item(frame: Frame, nest: Nest, index: Any, span: Span) -> Value:
    """An item of a tuple, list or dict by a known index; of a tuple of numbers, by any."""
    if nest.cls is dict:
        found = nest.field(index) if isinstance(index, str) else None
        if found is None:
            raise refuse(span, f"the key {index!r} is not in the dict: it has {', '.join(map(repr, nest.keys or ()))}")
        return found
    if isinstance(index, slice):
        try:
            return Nest(list if nest.cls is list else tuple, nest.items[index])
        except TypeError:
            raise refuse(span, "a slice of a tuple must have known bounds") from None
    if isinstance(index, E):
        array = frame.take(call(frame.b, np.array, frame.give(nest, span)), "t")
        return element(frame, array, index, span, "t")
    if not isinstance(index, int):
        raise refuse(span, f"a {nest.cls.__name__} is indexed by an int")
    if not -len(nest.items) <= index < len(nest.items):
        raise refuse(span, f"index {index} is out of range for a {nest.cls.__name__} of {len(nest.items)}")
    return nest.items[index]


def static_item(frame: Frame, container: Static, index: Any, span: Span, name: str) -> Value:
    try:
        return frame.constant(container.value[index], name, span)
    except (TypeError, KeyError, IndexError) as error:
        raise refuse(span, f"{type(error).__name__}: {error}") from error


def attribute(frame: Frame, owner: Value, name: str, span: Span) -> Value:
    """`owner.name`."""
    match owner:
        case Nest(cls, items):
            found = owner.field(name) if cls is not dict else None
            if found is not None:
                return found
            if (is_named_tuple(cls) and name == "_replace") or (cls is dict and name in ("items", "keys", "values")):
                return Method(owner, name)
            if cls in (list,) and name in ("append", "extend", "pop", "insert"):
                raise refuse(span, f"list.{name} is not supported: make an array of the final size and write into it")
            raise refuse(span, f"a {cls.__name__} has no attribute {name!r}")
        case Static(obj):
            if not hasattr(obj, name):
                raise refuse(span, f"{getattr(obj, '__name__', obj)!r} has no attribute {name!r}")
            return frame.constant(getattr(obj, name), name, span)
        case Var() | Lit() | Ref() | View():
            return array_attribute(frame, owner, name, span)
    raise refuse(span, f"{describe(owner, frame.st.store)} has no attribute {name!r}")


def array_attribute(frame: Frame, owner: Value, name: str, span: Span) -> Value:
    atom = frame.atom(owner, span)
    if atom.type.dtype == "rng":
        if name not in METHODS:
            raise refuse(span, f"the generator's method {name!r} is not supported: it has {', '.join(METHODS)}")
        return Method(owner, name)
    match name:
        case "shape":
            return Nest(tuple, tuple(frame.b.atom(frame.b.size(n)) for n in atom.type.shape))
        case "ndim":
            return frame.b.atom(atom.type.rank)
        case "size":
            total: Any = 1
            for n in atom.type.shape:
                total = frame.b.apply("mul", total, frame.b.size(n))
            return frame.b.atom(total)
        case "dtype":
            return Static(np.dtype(atom.type.dtype))
        case "T":
            bases = base_cells(owner)
            return frame.take(call(frame.b, np.transpose, frame.give(owner, span)), "t", bases)
        case "real":
            return owner
    if not isinstance(getattr(E, name, None), type(E.__bool__)) or name.startswith("_"):
        words = describe(owner, frame.st.store)
        raise refuse(span, f"{words} has no method or attribute {name!r} that is supported")
    return Method(owner, name)


def base_cells(value: Value) -> tuple[Any, ...]:
    cell = cell_of(value)
    return () if cell is None else (cell,)


def unary(frame: Frame, sign: str, operand: tree.Expression, span: Span, name: str) -> Value:
    if sign == "not":
        return frame.b.atom(frame.b.apply("not", frame.b.wrap(truth(frame, operand)), name=name))
    value = frame.give(evaluate(frame, operand), span)
    if isinstance(value, bool):
        value = int(value)
    if sign == "+":
        return frame.take(value, name)
    return frame.take(frame.b.apply("neg" if sign == "-" else "invert", value, name=name), name)


def operate(frame: Frame, sign: str, left: Value, right: Value, span: Span, name: str) -> Value:
    """`left sign right`."""
    if isinstance(left, Nest) or isinstance(right, Nest):
        return operate_nests(frame, sign, left, right, span)
    if isinstance(left, Static) and isinstance(right, Static) and sign in PYTHON:
        return frame.constant(PYTHON[sign](left.value, right.value), name, span)
    x, y = frame.give(left, span), frame.give(right, span)
    with refusing(span):
        if sign == "@":
            return frame.take(call(frame.b, np.matmul, x, y), name)
        if sign == "**":
            return frame.take(power(frame, x, y, name), name)
        x, y = (int(v) if isinstance(v, bool) and sign not in ("&", "|", "^") else v for v in (x, y))
        if sign == "/" and not isinstance(x, E) and not isinstance(y, E) and y == 0:
            raise ValueError("division by zero")
        return frame.take(frame.b.apply(OPERATORS[sign], x, y, name=name), name)


def power(frame: Frame, x: Any, y: Any, name: str) -> Any:
    """A negative literal exponent of an int gives a float, as in Python."""
    if isinstance(y, int) and y < 0 and frame.b.atom(x).type.dtype[0] in "iu":
        x = float(x) if not isinstance(x, E) else x.astype(np.float64)
    return frame.b.apply("pow", x, y, name=name)


def operate_nests(frame: Frame, sign: str, left: Value, right: Value, span: Span) -> Value:
    if sign == "+" and isinstance(left, Nest) and isinstance(right, Nest) and left.cls in (tuple, list):
        return Nest(left.cls, left.items + right.items)
    if sign == "*":
        nest, times = (left, right) if isinstance(left, Nest) else (right, left)
        if isinstance(nest, Nest) and isinstance(times, Lit) and isinstance(times.value, int):
            return Nest(nest.cls, nest.items * times.value)
    if isinstance(left, Ref | View) or isinstance(right, Ref | View):
        arrays = [frame.take(call(frame.b, np.array, frame.give(v, span)), "t") if isinstance(v, Nest) else v
                  for v in (left, right)]  # fmt: skip
        return operate(frame, sign, arrays[0], arrays[1], span, "t")
    if sign in ("==", "!=") and isinstance(left, Nest) and isinstance(right, Nest):
        return equal_nests(frame, sign, left, right, span)
    words = f"{describe(left, frame.st.store)} and {describe(right, frame.st.store)}"
    raise refuse(span, f"`{sign}` of {words} is not supported: use arrays")


def equal_nests(frame: Frame, sign: str, left: Nest, right: Nest, span: Span) -> Value:
    b = frame.b
    if len(left.items) != len(right.items):
        return b.atom(sign == "!=")
    met: Any = True
    for x, y in zip(left.items, right.items, strict=True):
        met = b.apply("and", met, b.wrap(frame.atom(operate(frame, "==", x, y, span, "t"))))
    return b.atom(met if sign == "==" else b.apply("not", met))


def truth(frame: Frame, node: tree.Expression) -> Var | Lit:
    """An expression as a condition: a scalar bool."""
    return truth_of(frame, evaluate(frame, node), node.span)


def truth_of(frame: Frame, value: Value, span: Span) -> Var | Lit:
    match value:
        case Nest(_, items):
            return frame.b.atom(bool(items))
        case Static(obj) if obj is None or isinstance(obj, str):
            return frame.b.atom(bool(obj))
        case Closure() | Static():
            return frame.b.atom(True)
    atom = frame.atom(value, span)
    if atom.type.rank:
        raise refuse(span, "the truth value of an array is ambiguous: use np.any or np.all")
    if atom.type.dtype == "b1":
        return atom
    return frame.b.atom(frame.b.apply("ne", frame.b.wrap(atom), 0))


def compare(frame: Frame, left: tree.Expression, rest: tuple[tuple[str, tree.Expression], ...], span: Span) -> Value:
    """`a < b <= c`: each operand once, later ones only where the earlier comparisons hold."""
    x = evaluate(frame, left)
    sign, node = rest[0]
    y = evaluate(frame, node)
    first = compare_pair(frame, sign, x, y, span)
    if len(rest) == 1:
        return first

    def later(y: Value, pairs: tuple[tuple[str, tree.Expression], ...]) -> Value:
        sign, node = pairs[0]
        z = evaluate(frame, node)
        met = compare_pair(frame, sign, y, z, span)
        if len(pairs) == 1:
            return met
        return short_circuit(frame, "and", met, lambda: later(z, pairs[1:]), span, "t")

    return short_circuit(frame, "and", first, lambda: later(y, rest[1:]), span, "t")


def compare_pair(frame: Frame, sign: str, x: Value, y: Value, span: Span) -> Value:
    if sign in ("is", "is not"):
        same = identical(frame, x, y, span)
        return frame.b.atom(same if sign == "is" else not same)
    if sign in ("in", "not in"):
        return contains(frame, sign, x, y, span)
    if isinstance(x, Static) or isinstance(y, Static):
        if sign in ("==", "!=") and not (isinstance(x, Static) and isinstance(y, Static)):
            return frame.b.atom(sign == "!=")
    return operate(frame, sign, x, y, span, "t")


def identical(frame: Frame, x: Value, y: Value, span: Span) -> bool:
    if isinstance(x, Static) and isinstance(y, Static):
        return x.value is y.value
    if isinstance(x, Static) or isinstance(y, Static):
        return False
    if isinstance(x, Lit) and isinstance(y, Lit) and isinstance(x.value, bool) and isinstance(y.value, bool):
        return x.value is y.value
    raise refuse(span, "`is` compares objects: use == for numbers and arrays")


def contains(frame: Frame, sign: str, x: Value, y: Value, span: Span) -> Value:
    b = frame.b
    if isinstance(y, Static):
        if not isinstance(x, Static):
            raise refuse(span, f"`{sign}` needs a tuple or an array on its right")
        return b.atom((x.value in y.value) == (sign == "in"))
    if isinstance(y, Nest):
        met: Any = False
        if y.cls is dict:
            met = isinstance(x, Static) and x.value in (y.keys or ())
        else:
            for each in y.items:
                met = b.apply("or", met, b.wrap(frame.atom(compare_pair(frame, "==", x, each, span))))
    else:
        met = call(b, np.any, b.apply("eq", frame.give(y, span), frame.give(x, span)))
    return b.atom(met if sign == "in" else b.apply("not", met))


def logical(frame: Frame, word: str, values: tuple[tree.Expression, ...], name: str) -> Value:
    """`and` and `or`: Python gives an operand's value, and runs the later ones only where needed."""
    first = evaluate(frame, values[0])
    if len(values) == 1:
        return first
    return short_circuit(frame, word, first, lambda: logical(frame, word, values[1:], name), values[0].span, name)


def short_circuit(frame: Frame, word: str, first: Value, rest: Any, span: Span, name: str) -> Value:
    test = truth_of(frame, first, span)
    if isinstance(test, Lit):
        return rest() if bool(test.value) == (word == "and") else first  # type: ignore[no-any-return]
    keep = lambda: first  # noqa: E731
    return choose(frame, test, rest, keep, span, name) if word == "and" else choose(frame, test, keep, rest, span, name)


def choose(frame: Frame, test: Var | Lit, then: Any, orelse: Any, span: Span, name: str) -> Value:
    """`then()` where `test` holds, else `orelse()`: each run only on its way."""
    if isinstance(test, Lit):
        return then() if test.value else orelse()  # type: ignore[no-any-return]
    left, right = way(frame, then), way(frame, orelse)
    if left.st is None and right.st is None:
        raise Bottom
    kept = dict(frame.st.env)
    try:
        join(frame, test, left, right, [*frame.st.env, CHOSEN])
    except Differ as differ:
        raise refuse(span, str(differ)) from None
    chosen = frame.st.env.pop(CHOSEN)
    frame.st.env = {**kept, **frame.st.env}
    value = frame.use(name, chosen, span)
    if isinstance(value, Var):
        return simple_logic(frame, test, value)
    return value


CHOSEN = "%chosen"
PLAIN = {"elementwise"}


def way(frame: Frame, make: Any) -> Side:
    b, st = frame.b.inner(), frame.st.copy()
    try:
        with frame.inside(b, st):
            frame.st.env[CHOSEN] = make()
    except Bottom:
        return Side(b, None)
    return Side(b, st)


def simple_logic(frame: Frame, test: Atom, value: Var) -> Value:
    """An If that is `x and y` over two bools, y cheap and sure not to fail, becomes the operation."""
    from codegen.ir import Apply, If

    equation = frame.b.equations[-1]
    if not isinstance(equation.op, If) or equation.outs != (value,) or value.type.dtype != "b1":
        return value
    then, orelse = equation.op.then, equation.op.orelse
    both = [*then.equations, *orelse.equations]
    safe = all(isinstance(e.op, Apply) and e.op.primitive.family in PLAIN and not e.outs[0].type.rank for e in both)
    if not safe or len(both) > 3:
        return value
    x, y = then.results[0], orelse.results[0]
    is_and = isinstance(y, Lit) and not y.value or (y is test and not orelse.equations)
    is_or = isinstance(x, Lit) and bool(x.value) or (x is test and not then.equations)
    if not is_and and not is_or:
        return value
    frame.b.equations.pop()
    frame.b.equations.extend(both)
    b = frame.b
    made = b.apply("and", b.wrap(test), b.wrap(x)) if is_and else b.apply("or", b.wrap(test), b.wrap(y))
    return b.atom(made)


def comprehension(frame: Frame, node: tree.Comprehension) -> Value:
    """A list of known length, written out."""
    from codegen.infer.loops import items_of, known_items
    from codegen.infer.statements import assign

    iterable = evaluate(frame, node.iterable)
    known = known_items(frame, iterable, node.span)
    if known is None:
        known = counted_items(frame, iterable, node.span, items_of)
    hidden = {name: frame.st.env.get(name) for name in targets(node.target)}
    values: list[Value] = []
    local, frame.locals = frame.locals, frame.locals | set(hidden)
    for each in known:
        assign(frame, node.target, each)
        values.append(evaluate(frame, node.value))
    frame.locals = local
    for name, before in hidden.items():
        frame.st.env.pop(name, None)
        if before is not None:
            frame.st.env[name] = before
    return Nest(list, tuple(values))


LONGEST = 256


def counted_items(frame: Frame, iterable: Value, span: Span, items_of: Any) -> list[Value]:
    length: int | None = None
    match iterable:
        case Range(Lit(value=int(start)), Lit(value=int(stop)), Lit(value=int(step))):
            length = len(range(start, stop, step))
        case Ref() | View():
            n = frame.atom(iterable).type.shape[0]
            length = n if isinstance(n, int) else None
    if length is None or length > LONGEST:
        raise refuse(
            span,
            f"a list's length must be known and at most {LONGEST}: make an array with np.zeros and fill it in a loop",
        )
    return items_of(frame, iterable, length, span)  # type: ignore[no-any-return]


def targets(target: tree.Expression) -> tuple[str, ...]:
    from codegen.read.scope import assigned

    return tuple(assigned((tree.Assign(target.span, (target,), target),)))


__all__ = ["attribute", "element", "evaluate", "operate", "spread", "subscript", "truth", "truth_of"]
