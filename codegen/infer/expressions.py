"""Expressions to values: names, literals, operators, subscripts, attributes, displays, what runs on one way only."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, assert_never

import numpy as np

import codegen.infer.calls.mapped  # noqa: F401  (whose functions are among Python's then)
from codegen.infer.attributes import attribute
from codegen.infer.calls.dispatch import call_value
from codegen.infer.calls.generators import FURTHER, REDUCTIONS, reduction
from codegen.infer.calls.rows import from_library
from codegen.infer.complex_numbers.parts import complex_dtype, is_complex
from codegen.infer.control.conditions import conditional
from codegen.infer.control.iterables import all_items, counted_iteration, is_counted, item_count
from codegen.infer.control.paths import Make
from codegen.infer.dependencies import package_of
from codegen.infer.frame import Frame
from codegen.infer.kinds import bound_vars
from codegen.infer.memory.masks import chosen
from codegen.infer.memory.patterns import matched
from codegen.infer.memory.subscripts import get_item, items_of_value
from codegen.infer.operators import IDENTITY, compare, negate, operate, truth
from codegen.infer.optional import as_told, is_none, learn, present
from codegen.infer.unloaded import object_at
from codegen.infer.values import Closure, Nest, Optional, Static, Value
from codegen.ir import Lit, Type, Var
from codegen.ir.build import SIZE
from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.scope import read_names, target_names
from codegen.source import Span, refuse


def evaluate(frame: Frame, node: tree.Expression, *, name: str = "t") -> Value:
    """The value of an expression, which is needed; what it builds is called `name`."""
    return present(frame, evaluate_optional(frame, node, name=name), node.span)


def evaluate_optional(frame: Frame, node: tree.Expression, *, name: str = "t") -> Value:
    """The value of an expression, which may be None."""
    with frame.b.at(node.span):
        return evaluate_node(frame, node, name)


def condition(frame: Frame, node: tree.Expression) -> Var | Lit:
    """An expression as a condition: a scalar bool."""
    return truth(frame, evaluate_optional(frame, node), node.span)


def evaluate_node(frame: Frame, node: tree.Expression, name: str) -> Value:
    match node:
        case tree.Name(span, id_):
            return as_told(frame.lookup(id_, span))
        case tree.Constant(span, value):
            return frame.constant(value, "t", span)
        case tree.Import(span, path):
            return frame.constant(object_at(path, span), name, span)
        case tree.Tuple(_, items, is_list):
            return Nest(list if is_list else tuple, tuple(evaluate_items(frame, items)))
        case tree.DictDisplay(_, keys, values):
            return Nest(dict, tuple(evaluate_optional(frame, v) for v in values), keys)
        case tree.Attribute(span, owner, attribute_):
            return attribute(frame, evaluate(frame, owner), attribute_, span)
        case tree.Subscript(span, container, index):
            held, at = evaluate(frame, container), evaluate_index(frame, index)
            return get_item(frame, *chosen(frame, held, at, span), span, name)
        case tree.CallExpr():
            return call_expression(frame, node, name)
        case tree.Unary(span, "not", operand):
            met = frame.b.apply("not", frame.b.wrap(condition(frame, operand)), name=name)
            return frame.b.atom(frame.named(met, name, weak=True))
        case tree.Unary(span, sign, operand):
            return negate(frame, sign, evaluate(frame, operand), name)
        case tree.Binary(span, sign, left, right):
            return operate(frame, sign, evaluate(frame, left), evaluate(frame, right), name)
        case tree.Logical(_, word, values):
            return logical(frame, word, values, name)
        case tree.Compare(span, left, rest):
            return comparisons(frame, evaluate_optional(frame, left), rest, span)
        case tree.Conditional(span, test, then, orelse):
            met = condition(frame, test)
            return conditional(
                frame,
                met,
                lambda: evaluate_after(frame, test, True, then, name=name),
                lambda: evaluate_after(frame, test, False, orelse, name=name),
                span,
                name,
            )
        case tree.Comprehension():
            return comprehension(frame, node)
        case tree.Lambda():
            return make_closure(frame, node)
        case tree.Text(span):
            raise refuse(span, "an f-string can only be the message of an exception")
        case tree.Starred(span):
            raise refuse(span, "`*` can only stand in a call, a tuple or a pattern")
        case tree.Slice(span):
            raise refuse(span, "a slice can only stand between brackets")
        case _:
            assert_never(node)


def evaluate_after(
    frame: Frame, test: tree.Expression, outcome: bool, node: tree.Expression, *, name: str = "t"
) -> Value:
    """The value of an expression where a test came out so."""
    learn(frame, test, outcome)
    return evaluate_optional(frame, node, name=name)


def call_expression(frame: Frame, node: tree.CallExpr, name: str) -> Value:
    function = evaluate(frame, node.function)
    called = function.value if isinstance(function, Static) else None
    first = node.arguments[0] if node.arguments else None
    if isinstance(first, tree.Comprehension) and first.generator and called is not None:
        return of_generator(frame, called, first, node, name)
    arguments = tuple(evaluate_items(frame, node.arguments, as_arrays=makes_arrays(called)))
    keywords = evaluate_keywords(frame, node.keywords)
    if called is not None and from_library(called):
        arguments = tuple(present(frame, value, node.span) for value in arguments)
        keywords = {key: present(frame, value, node.span) for key, value in keywords.items()}
    is_made = isinstance(first, tree.Comprehension) and not isinstance(arguments[0], Nest)
    if is_made and called is np.array and len(arguments) == 1 and not keywords:
        return arguments[0]  # which is new
    with frame.b.at(node.span):
        return call_value(frame, function, arguments, keywords, name)


def makes_arrays(function: Any) -> bool:
    """Whether a function takes a list as the array that NumPy makes of it."""
    return isinstance(function, np.ufunc) or package_of(function) in ("numpy", "scipy")


def of_generator(
    frame: Frame, function: Any, generator: tree.Comprehension, node: tree.CallExpr, name: str
) -> Value:
    """A call of one of Python's functions of a generator expression."""
    if (function is list or function is tuple) and len(node.arguments) == 1 and not node.keywords:
        made = comprehension(frame, replace(generator, generator=False))
        assert isinstance(made, Nest)
        return Nest(function, made.items)
    if not isinstance(function, types.BuiltinFunctionType | type) or function not in REDUCTIONS:
        return comprehension(frame, generator)  # which refuses it
    further, wanted = node.arguments[1:], FURTHER.get(function, "")
    keywords = {str(key): value for key, value in node.keywords}
    if function is sum and len(further) == 1 and not keywords:
        keywords = {wanted: further[0]}
    elif further or keywords.keys() - {wanted}:
        listed = f"beside it {wanted!r} alone" if wanted else "nothing beside it"
        raise refuse(node.span, f"{function.__name__}() of a generator expression takes {listed}")
    given = tuple(evaluate(frame, value) for value in keywords.values())
    define = reduction(function, generator, tuple(keywords))
    with frame.b.at(node.span):
        return call_value(frame, make_closure(frame, define), given, {}, name)


def make_closure(frame: Frame, define: tree.Define | tree.Lambda) -> Closure:
    """A nested function where it is made: its defaults are evaluated here."""
    defaults = {p.name: evaluate(frame, p.default) for p in define.parameters if p.default is not None}
    return Closure(define, frame, frame.st.env, defaults)


def evaluate_items(
    frame: Frame, items: tuple[tree.Expression, ...], *, as_arrays: bool = False
) -> list[Value]:
    """Evaluated items, starred ones spread out. `as_arrays`: what takes them makes arrays of lists."""
    values: list[Value] = []
    for item in items:
        if isinstance(item, tree.Starred):
            values.extend(items_of_value(frame, evaluate(frame, item.value), item.span))
        elif as_arrays and isinstance(item, tree.Comprehension) and not item.generator:
            values.append(comprehension(frame, item, as_array=True))
        else:
            values.append(evaluate_optional(frame, item))
    return values


def evaluate_keywords(
    frame: Frame, keywords: tuple[tuple[str | None, tree.Expression], ...]
) -> dict[str, Value]:
    """Arguments by name, those of dicts spread out."""
    made: dict[str, Value] = {}
    for key, node in keywords:
        value = evaluate_optional(frame, node)
        spread = {key: value} if key is not None else items_by_key(frame, value, node.span)
        if again := next((each for each in spread if each in made), None):
            raise refuse(node.span, f"the call is given the keyword argument {again!r} twice")
        made.update(spread)
    return made


def items_by_key(frame: Frame, value: Value, span: Span) -> dict[str, Value]:
    """What a dict holds."""
    if isinstance(value, Static) and isinstance(value.value, dict):
        value = frame.constant(value.value, "t", span)
    if not (isinstance(value, Nest) and value.cls is dict):
        raise refuse(span, f"`**` takes a dict, not {frame.describe(value)}")
    return dict(zip(value.keys or (), value.items, strict=True))


def evaluate_index(frame: Frame, node: tree.Expression) -> Any:
    """What stands between brackets, as rules take it: ints, Es, slices, None, Ellipsis, strings."""
    if isinstance(node, tree.Tuple) and not node.list:
        return tuple(evaluate_index(frame, item) for item in node.items)
    if isinstance(node, tree.Slice):
        parts = (node.start, node.stop, node.step)
        return slice(*(None if n is None else frame.give(evaluate(frame, n), n.span) for n in parts))
    return frame.give(evaluate(frame, node), node.span)


def comparisons(frame: Frame, x: Value, rest: tuple[tuple[str, tree.Expression], ...], span: Span) -> Value:
    """`a < b <= c`: each operand once, later ones only where the earlier comparisons hold."""
    sign, node = rest[0]
    y = evaluate_optional(frame, node)
    if sign not in IDENTITY or not (is_none(x) or is_none(y)):
        x, y = present(frame, x, span), present(frame, y, node.span)
    met = compare(frame, sign, x, y)
    if len(rest) == 1:
        return met
    return short_circuit(frame, "and", met, lambda: comparisons(frame, y, rest[1:], span), span, "t")


def logical(frame: Frame, word: str, values: tuple[tree.Expression, ...], name: str) -> Value:
    """`and` and `or`: Python gives an operand's value, and runs the later ones only where needed."""
    first = evaluate_optional(frame, values[0])
    if len(values) == 1:
        return first

    def rest() -> Value:
        learn(frame, values[0], word == "and")
        return logical(frame, word, values[1:], name)

    return short_circuit(frame, word, first, rest, values[0].span, name)


def short_circuit(frame: Frame, word: str, first: Value, rest: Make, span: Span, name: str) -> Value:
    test = truth(frame, first, span)
    if isinstance(test, Lit):
        return rest() if bool(test.value) == (word == "and") else first

    def keep() -> Value:
        return first.value if word == "or" and isinstance(first, Optional) else first

    return conditional(frame, test, *((rest, keep) if word == "and" else (keep, rest)), span, name)


def comprehension(frame: Frame, node: tree.Comprehension, *, as_array: bool = False) -> Value:
    """A list of known length, written out; its targets' names are its own. `as_array`: where its length is not known,
    an array."""
    if node.generator:
        raise refuse(
            node.span,
            "a generator expression is not supported but in a call of Python's sum, any, all, max, min, tuple or list: "
            "nothing is computed lazily; write a list comprehension `[... for ...]`",
        )
    names = frozenset(name for clause in node.clauses for name in target_names(clause.target))
    clause = node.clauses[0]
    iterable = evaluate(frame, clause.iterable)
    if as_array and len(node.clauses) == 1 and not clause.conditions and is_counted(frame, iterable):
        return rows_of(frame, node, iterable)
    first = all_items(frame, iterable)
    with own_names(frame, names):
        values = tuple(comprehended(frame, node.value, node.clauses, first, as_array=as_array))
    return Nest(list, values)


@contextmanager
def own_names(frame: Frame, names: frozenset[str]) -> Iterator[None]:
    """While names are a comprehension's."""
    hidden = {name: frame.st.env[name] for name in names if name in frame.st.env}
    local, frame.locals = frame.locals, frame.locals | names
    try:
        yield
    finally:
        frame.locals = local
    for name in names:
        frame.st.env.pop(name, None)
    frame.st.env.update(hidden)


NO_ITEMS = "a list without items: NumPy makes an array of float64 with one axis of it, which others of its kind are not"


def rows_of(frame: Frame, node: tree.Comprehension, iterable: Value) -> Value:
    """The items of a list whose length is counted, and of such lists in it, as an array: the loops that fill it."""
    span, (clauses, value) = node.span, rectangle(node)
    iterables = [iterable, *(evaluate(frame, clause.iterable) for clause in clauses[1:])]
    own = frozenset(name for clause in clauses for name in target_names(clause.target))
    taken = {*own, *read_names(node)}
    made, places = claimed_name("made", taken), [claimed_name("i", taken) for _ in clauses]
    items = {claimed_name("items", taken): each for each in iterables}
    with own_names(frame, own | {made, *places, *items}):
        row, value, whole = row_type(frame, clauses, iterables, value)
        shape = [item_count(frame, each) for each in iterables] + [frame.b.size(n) for n in row.shape]
        for n in shape[: len(iterables) if row.dtype != "f8" or whole else int(len(shape) > 1)]:
            frame.b.require(frame.b.apply("gt", n, 0), "ValueError", NO_ITEMS)
        dtype = complex_dtype(row.dtype) if whole else np.dtype(row.dtype)
        lengths = Nest(tuple, tuple(frame.take(n, "n") for n in shape))
        rows = call_value(frame, Static(np.empty), (lengths, Static(dtype)), {}, "made")
        before = dict(frame.st.env)
        frame.st.env |= {**items, made: rows}
        index = tree.Tuple(span, tuple(tree.Name(span, place) for place in places))
        body: tree.Statement = tree.Assign(span, (tree.Subscript(span, tree.Name(span, made), index),), value)
        for clause, place, through in reversed(list(zip(clauses, index.items, items, strict=True))):
            each = tree.CallExpr(span, tree.Constant(span, enumerate), (tree.Name(span, through),))
            body = tree.Iterate(span, tree.Tuple(span, (place, clause.target)), each, (body,), ())
        frame.inference.run(frame, (body,), frozenset({made}))
        found = frame.st.env[made]
        frame.st.env = before
    return found


def row_type(
    frame: Frame, clauses: list[tree.Clause], iterables: list[Value], value: tree.Expression
) -> tuple[Type, tree.Expression, bool]:
    """The type of a row, for which it is made once and thrown away, and the row as an array or number; whether that is
    complex, and the type that of its parts."""
    inner = frame.b.inner()
    with frame.inside(inner, frame.st.copy()):
        for clause, iterable in zip(clauses, iterables, strict=True):
            item = counted_iteration(frame, iterable)[3]
            bind(frame, clause.target, item(frame, Var("i", SIZE), clause.target))
        first = evaluate(frame, value)
        if isinstance(first, Nest) and not is_complex(first):
            value = tree.CallExpr(value.span, tree.Constant(value.span, np.array), (value,))
            first = evaluate(frame, value)
        row = frame.atom(first.items[0] if is_complex(first) else first, value.span).type
    if not bound_vars(inner).isdisjoint(row.shape):
        message = "the size of a row is known only when it is made: fill an array in a loop"
        raise refuse(value.span, message)
    return row, value, is_complex(first)


def rectangle(node: tree.Comprehension) -> tuple[list[tree.Clause], tree.Expression]:
    """The clauses of a list and of lists in it that all have the same items, and the innermost value."""
    clauses, value = [node.clauses[0]], node.value
    while isinstance(value, tree.Comprehension) and not value.generator and len(value.clauses) == 1:
        clause = value.clauses[0]
        names = {name for each in clauses for name in target_names(each.target)}
        if clause.conditions or not is_plain(clause.iterable) or names & {*read_names(clause.iterable)}:
            break
        clauses.append(clause)
        value = value.value
    if isinstance(value, tree.Comprehension):
        value = tree.CallExpr(value.span, tree.Constant(value.span, np.array), (value,))
    return clauses, value


def is_plain(node: tree.Expression) -> bool:
    """Whether an iterable is made of names, numbers and ranges, which are the same each time."""
    match node:
        case tree.CallExpr(_, tree.Name(_, "range" | "len" | "zip" | "enumerate" | "reversed"), parts, ()):
            return all(map(is_plain, parts))
        case tree.Binary(_, _, left, right):
            return is_plain(left) and is_plain(right)
        case tree.Attribute(_, value, _) | tree.Unary(_, _, value):
            return is_plain(value)
        case tree.Subscript(_, value, index):
            return is_plain(value) and is_plain(index)
    return isinstance(node, tree.Name | tree.Constant)


def bind(frame: Frame, target: tree.Expression, value: Value) -> None:
    """The names of a comprehension's target."""
    for name, part in matched(frame, target, value):
        assert isinstance(name, tree.Name)
        frame.st.env[name.id] = part


def comprehended(
    frame: Frame,
    value: tree.Expression,
    clauses: Sequence[tree.Clause],
    items: list[Value],
    *,
    as_array: bool,
) -> Iterator[Value]:
    """The values for all items of the first clause."""
    first, *rest = clauses
    for item in items:
        bind(frame, first.target, item)
        if not all(known_condition(frame, each) for each in first.conditions):
            continue
        if rest:
            further = all_items(frame, evaluate(frame, rest[0].iterable))
            yield from comprehended(frame, value, rest, further, as_array=as_array)
        else:
            yield from evaluate_items(frame, (value,), as_arrays=as_array)


def known_condition(frame: Frame, node: tree.Expression) -> bool:
    test = condition(frame, node)
    if isinstance(test, Lit):
        return bool(test.value)
    raise refuse(
        node.span, "a list's length must be known before it runs: write a loop that counts, or `np.where`"
    )
