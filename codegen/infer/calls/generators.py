"""Python's functions of a generator expression as the loops that they are: reduction : (function, generator) -> Define.

    sum(x * y for x, y in zip(xs, ys) if y > 0)      ->      def sum_():
                                                                 total = 0
                                                                 for x, y in zip(xs, ys):
                                                                     if y > 0:
                                                                         total = total + x * y
                                                                 return total

    next((x for x in xs if x > 0), 0.0)              ->      def next_(default):
                                                                 for x in xs:
                                                                     if x > 0:
                                                                         return x
                                                                 return default

which is called where the generator stands, so that its names are its own and no length need be known. So are

    sum(filter(f, xs))      ->      sum(x for x in xs if f(x))
    sum(map(f, xs))         ->      sum(f(x) for x in xs)               of an array whose length is not known
"""

from __future__ import annotations

import builtins
import math
import types
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeGuard

import numpy as np

from codegen.infer.dependencies import package_of
from codegen.infer.frame import Frame
from codegen.infer.texts.wording import is_text
from codegen.infer.values import GrowingList, Nest, Ref, Static, Value, Wording
from codegen.ir.exceptions import few_values
from codegen.ir.traversal import claimed_name
from codegen.read import tree
from codegen.read.scope import read_names, target_names
from codegen.source import Span, refuse


def generator_reduction(
    function: Any, generator: tree.Comprehension, given: Mapping[str, tree.Expression]
) -> tree.Define:
    """What computes `function(generator)`: a function of what else is `given`, one of FURTHER."""
    if joins_texts(function):
        return texts_joined(LoopWriter(generator), function.__self__)
    return REDUCTIONS[function](LoopWriter(generator), given)


class LoopWriter:
    """Statements of a generator's function, all at its place; names of the function's own are none of the user's."""

    def __init__(self, generator: tree.Comprehension):
        self.generator = generator
        self.span: Span = generator.span
        targets = (name for clause in generator.clauses for name in target_names(clause.target))
        self.taken = {*read_names(generator), *targets}

    def name(self, wanted: str) -> tree.Name:
        return tree.Name(self.span, claimed_name(wanted, self.taken))

    def constant(self, value: object) -> tree.Constant:
        return tree.Constant(self.span, value)

    def returned(self, value: tree.Expression) -> tree.Return:
        return tree.Return(self.span, value)

    def assigned(self, name: tree.Name, value: tree.Expression) -> tree.Assign:
        return tree.Assign(self.span, (name,), value)

    def loops(self, body: tuple[tree.Statement, ...]) -> tree.Statement:
        """The generator's loops and conditions around what is done with a value."""
        for clause in reversed(self.generator.clauses):
            for condition in reversed(clause.conditions):
                body = (tree.Branch(condition.span, condition, body, ()),)
            body = (tree.Iterate(self.span, clause.target, clause.iterable, body, ()),)
        return body[0]

    def define(self, name: str, parameters: tuple[tree.Name, ...], *body: tree.Statement) -> tree.Define:
        listed = tuple(tree.Parameter(self.span, each.id, None, "plain") for each in parameters)
        return tree.Define(self.span, name, listed, body, self.span.source)


def summed(w: LoopWriter, given: Mapping[str, tree.Expression]) -> tree.Define:
    total = w.name("total")
    start = tuple(w.name(each) for each in given)
    added = tree.Binary(w.generator.value.span, "+", total, w.generator.value)
    first = w.assigned(total, start[0] if start else w.constant(0))
    return w.define("sum_", start, first, w.loops((w.assigned(total, added),)), w.returned(total))


def stops_at_first(w: LoopWriter, given: Mapping[str, tree.Expression], *, looked_for: bool) -> tree.Define:
    """any() and all(), which go no further than the first that decides."""
    value = w.generator.value
    decided = (w.returned(w.constant(looked_for)),)
    test = tree.Branch(value.span, value, *((decided, ()) if looked_for else ((), decided)))
    name = "any_" if looked_for else "all_"
    return w.define(name, (), w.loops((test,)), w.returned(w.constant(not looked_for)))


def first_extreme(
    w: LoopWriter, given: Mapping[str, tree.Expression], *, sign: str, name: str
) -> tree.Define:
    """max() and min(), which keep the first of those that are alike. A number that stands for none is there before: a
    function that calls itself here then has a value."""
    found, best, value = w.name("found"), w.name("best"), w.name("value")
    default = tuple(w.name(each) for each in given)
    further = tree.Compare(w.span, value, ((sign, best),))
    test = tree.Logical(w.span, "or", (tree.Unary(w.span, "not", found), further))
    kept = w.assigned(best, value), w.assigned(found, w.constant(True))
    each = w.assigned(value, w.generator.value), tree.Branch(w.span, test, kept, ())
    empty = tree.CallExpr(w.span, w.constant(ValueError), (w.constant(said_of_none(name)),))
    last: tree.Statement = w.returned(default[0]) if default else tree.Raise(w.span, empty)
    begun: tree.Statement = w.assigned(found, w.constant(False))
    if all(map(is_written_number, given.values())) and default:
        return w.define(
            f"{name}_", default, begun, w.assigned(best, default[0]), w.loops(each), w.returned(best)
        )
    ending = tree.Branch(w.span, found, (), (last,))
    return w.define(f"{name}_", default, begun, w.loops(each), ending, w.returned(best))


def is_written_number(node: tree.Expression) -> bool:
    """Whether an expression is a number's literal, or infinity."""
    if isinstance(node, tree.Unary):
        return is_written_number(node.value)
    if isinstance(node, tree.Attribute):
        return node.name == "inf"
    return isinstance(node, tree.Constant) and type(node.value) in (int, float)


def first_value(w: LoopWriter, given: Mapping[str, tree.Expression]) -> tree.Define:
    """next(), of which no more is asked."""
    default = tuple(w.name(each) for each in given)
    empty = tree.CallExpr(w.span, w.constant(StopIteration), ())
    last: tree.Statement = w.returned(default[0]) if default else tree.Raise(w.span, empty)
    return w.define("next_", default, w.loops((w.returned(w.generator.value),)), last)


def texts_joined(w: LoopWriter, separator: str) -> tree.Define:
    """`separator.join()`"""
    made, some, value = w.name("made"), w.name("some"), w.generator.value
    body: tuple[tree.Statement, ...] = (w.assigned(made, tree.Binary(value.span, "+", made, value)),)
    if separator:
        behind = w.assigned(made, tree.Binary(w.span, "+", made, w.constant(separator)))
        body = tree.Branch(w.span, some, (behind,), ()), *body, w.assigned(some, w.constant(True))
    first = w.assigned(made, w.constant("")), w.assigned(some, w.constant(False))
    return w.define("join_", (), *first, w.loops(body), w.returned(made))


def joins_texts(function: Any) -> bool:
    """Whether it is the method `join` of a text that is known."""
    return isinstance(getattr(function, "__self__", None), str) and function.__name__ == "join"


def becomes_loop(node: tree.Expression | None, function: Any) -> TypeGuard[tree.Comprehension]:
    """Whether what a function is given is a generator expression, or a list that becomes no more than a text."""
    return isinstance(node, tree.Comprehension) and (node.generator or joins_texts(function))


def said_of_none(name: str) -> str:
    """What this version of Python says where there is nothing to choose from."""
    try:
        getattr(builtins, name)(())
    except ValueError as error:
        return str(error)
    raise AssertionError(f"{name} of nothing")


TEXTS = ("bin", "oct", "hex", "format")  # what is given by these
FURTHER: dict[Any, str] = {sum: "start", max: "default", min: "default", next: "default"}
REDUCTIONS: dict[Any, Callable[[LoopWriter, Mapping[str, tree.Expression]], tree.Define]] = {
    sum: summed,
    any: partial(stops_at_first, looked_for=True),
    all: partial(stops_at_first, looked_for=False),
    max: partial(first_extreme, sign=">", name="max"),
    min: partial(first_extreme, sign="<", name="min"),
    next: first_value,
}
# What takes all values of a generator before it does anything.
WHOLE: tuple[Any, ...] = (
    list,
    tuple,
    sorted,
    set,
    frozenset,
    dict,
    Counter,
    math.fsum,
    math.prod,
    np.fromiter,
)


def is_reduction(function: Any) -> bool:
    return isinstance(function, types.BuiltinFunctionType) and function in REDUCTIONS


def further_arguments(function: Any, node: tree.CallExpr) -> dict[str, tree.Expression]:
    """What such a function is given beside a generator expression, by name."""
    further, wanted = node.arguments[1:], FURTHER.get(function, "")
    keywords = {str(key): value for key, value in node.keywords}
    if function in (sum, next) and len(further) == 1 and not keywords:
        return {wanted: further[0]}
    if further or keywords.keys() - {wanted}:
        listed = f"beside it {wanted!r} alone" if wanted else "nothing beside it"
        raise refuse(node.span, f"{function.__name__}() of a generator expression takes {listed}")
    return keywords


def makes_arrays(function: Any) -> bool:
    """Whether a function takes a list as the array that NumPy makes of it."""
    return isinstance(function, np.ufunc) or package_of(function) in ("numpy", "scipy")


def first_in_turn(
    frame: Frame, called: Any, nodes: Sequence[tree.Expression], evaluate: Callable[..., Value]
) -> tree.Expression | None:
    """The first argument of a call, a generator expression instead of `filter`, and of `map` of unknown lengths."""
    first = nodes[0] if nodes else None
    takes = callable(called) and (called in WHOLE or is_reduction(called) or joins_texts(called))
    match first if takes else None:
        case tree.CallExpr(
            span,
            tree.Name(_, "filter" | "map") as function,
            (tree.Name() | tree.Lambda() | tree.Attribute() | tree.Constant() as f, *through),
            (),
        ) if not any(isinstance(each, tree.Starred) for each in through):
            of = evaluate(frame, function)
            taken = {*frame.locals, *(name for each in nodes for name in read_names(each))}
            items = tuple(tree.Name(span, claimed_name("item", taken)) for _ in through)
        case _:
            return first
    if isinstance(of, Static) and of.value is filter and len(through) == 1:
        test = items[0] if isinstance(f, tree.Constant) else tree.CallExpr(span, f, items, ())
        return generator_over(items, through, items[0], test)
    if (
        isinstance(of, Static)
        and of.value is map
        and (joins_texts(called) or any(has_unknown_length(frame, each) for each in through))
    ):
        return generator_over(items, through, tree.CallExpr(span, f, items, ()))
    return first


def columns_of_rows(frame: Frame, node: tree.CallExpr) -> tree.Tuple | None:
    """`zip(*rows)` of a list of tuples whose length is known when the program runs: a list of their first items, one of
    their second items, and so on."""
    match node.arguments, node.keywords:
        case (tree.Starred(span, tree.Name(_, id_) as rows),), ():
            held = frame.st.env.get(id_)
            if not isinstance(held, GrowingList) or not is_sequence(held.rows):
                return None
            count, size = len(held.rows.items), frame.give(held.count)
            frame.b.require(frame.b.apply("gt", size, 0), few_values(count), None, size)
            row = tree.Name(span, "row")
            items = (tree.Subscript(span, row, tree.Constant(span, k)) for k in range(count))
            through = (tree.Clause(span, row, rows, ()),)
            columns = (tree.Comprehension(span, item, through, False) for item in items)
            return tree.Tuple(span, tuple(columns))
    return None


def is_sequence(value: Value) -> bool:
    return isinstance(value, Nest) and isinstance(value.cls, type) and issubclass(value.cls, tuple | list)


def generator_over(
    items: tuple[tree.Name, ...],
    through: Sequence[tree.Expression],
    value: tree.Expression,
    *tests: tree.Expression,
) -> tree.Comprehension:
    """`(value for items in through if test)`, through several at once by zip."""
    span = value.span
    if len(items) == 1:
        return tree.Comprehension(span, value, (tree.Clause(span, items[0], through[0], tests),), True)
    zipped = tree.CallExpr(span, tree.Constant(span, zip), tuple(through), ())
    return tree.Comprehension(span, value, (tree.Clause(span, tree.Tuple(span, items), zipped, tests),), True)


def has_unknown_length(frame: Frame, node: tree.Expression) -> bool:
    """Whether a name has an array, a list or a text whose length is known only when the program runs, or a part of it,
    or a text is made."""
    while isinstance(node, tree.Subscript):
        node = node.value
    if is_text(node) or isinstance(node, tree.CallExpr) and getattr(node.function, "id", "") in TEXTS:
        return True
    value = frame.st.env.get(node.id) if isinstance(node, tree.Name) else None
    if isinstance(value, Ref):
        shape = frame.atom(value).type.shape
        return bool(shape) and not isinstance(shape[0], int)
    return isinstance(value, GrowingList | Wording)
