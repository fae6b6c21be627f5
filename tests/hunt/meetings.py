"""Whether a difference is that of kinds that meet: a number that comes from several places has one dtype here.

    if a: t = 1                if a: t = 1.0
    else: t = 2.5      ->      else: t = 2.5
    return t - b               return t - b

The plain function is run again with the numbers of one or two such places, or items there, in another dtype, which
holds them exactly. If that gives what was given, the difference is the convention's alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import combinations, count, product
from typing import Any

import numpy as np

from hunt.case import Outcome, names_of, plain
from hunt.compare import difference

RUNS = 2000  # of the plain function, at most
STEPS = 3000  # of one run: values that meet
DEEP = 3  # items of items
Spot = tuple[int, ...]  # a place, and items there
Chosen = dict[Spot, Any]


def of_kinds(text: str, given: Callable[[], tuple[Any, ...]], got: Outcome) -> bool:
    """Whether some numbers in another dtype give what was given for these arguments."""
    tree = ast.parse(text)
    places = Places()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name != "calls":
            places.function(node)
    made = ast.unparse(ast.fix_missing_locations(tree))
    names = names_of(made)
    held_in: Chosen = {}
    steps = count()
    seen: set[Any] = {int, np.int64, float, np.float64}

    spots = dict.fromkeys((place,) for place in range(places.count))

    def meet(place: Spot, value: Any) -> Any:
        if next(steps) > STEPS:  # in another dtype a loop may have no end
            raise RecursionError
        if isinstance(value, bool | int | float | np.generic):
            seen.add(type(value))
            return held(value, held_in[place]) if place in held_in else value
        if type(value) in (list, tuple) and len(place) < DEEP:
            parts = [(*place, k) for k in range(len(value))]
            spots.update(dict.fromkeys(parts))
            met = [meet(part, item) for part, item in zip(parts, value, strict=True)]
            return value if all(m is item for m, item in zip(met, value, strict=True)) else type(value)(met)
        if isinstance(value, np.ndarray) and place in held_in:
            if not value.ndim:  # "An array without axes counts as a number"
                return held(value[()], held_in[place])
            kind = np.result_type(value, np.dtype(held_in[place]))
            return value.astype(kind) if np.all(value.astype(kind) == value) else value
        return value

    names["meet__"] = lambda place, value: meet((place,), value)
    for call in names["calls"]():
        plain(names["f"], call)
        seen |= {type(a) for a in call if isinstance(a, np.generic | int | float)}
        seen |= {a.dtype.type for a in call if isinstance(a, np.ndarray)}
    ints = [kind for kind in seen if issubclass(kind, np.integer)]
    seen |= {
        np.result_type(*pair).type for pair in combinations(ints, 2)
    }  # two that meet may be of neither's
    for n, chosen in enumerate(choices(list(spots), sorted(seen, key=lambda t: t.__name__))):
        if n > RUNS:
            return False
        held_in.clear()
        steps = count()
        held_in.update(chosen)
        if alike(got, plain(names["f"], given())):
            return True
    return False


def choices(spots: list[Spot], kinds: list[Any]) -> Iterator[Chosen]:
    """One place in each kind, all of them, two of them."""
    for kind in kinds:
        yield dict.fromkeys(spots, kind)
    for place, kind in product(spots, kinds):
        yield {place: kind}
    for pair in combinations(spots, 2):
        for two in product(kinds, repeat=2):
            yield dict(zip(pair, two, strict=True))


def held(value: Any, kind: Any) -> Any:
    """A number in a dtype that holds it, as it is where none does."""
    with np.errstate(all="ignore"):
        try:
            made = kind(value)
        except (OverflowError, ValueError):
            return value
    return made if made == value or made != made else value


def alike(got: Outcome, want: Outcome) -> bool:
    if got.error is not None or want.error is not None:
        return type(got.error) is type(want.error)
    return difference((got.value, got.arguments), (want.value, want.arguments)) is None


class Places(ast.NodeTransformer):
    """Puts `meet__(place, ...)` around what may come from several places: names that are bound more than once or not on
    every way, choices, results of functions that return at several places."""

    def __init__(self) -> None:
        self.count = 0
        self.named: dict[str, int] = {}
        self.results: list[int] = []  # of each part of what is returned, where that is in several places

    def place(self) -> int:
        self.count += 1
        return self.count - 1

    def function(self, node: ast.FunctionDef) -> None:
        before, self.named = self.named, {}
        arguments = [a.arg for a in node.args.args]
        for name in bound(node):
            self.named.setdefault(name, self.place())
        returns = list(own_returns(node))
        self.results = [self.place() for _ in range(most(returns))] if len(returns) > 1 else []
        node.body = [made for s in node.body for made in listed(self.visit(s))]
        node.body[:0] = [self.again(name) for name in arguments if name in self.named]
        self.named = before

    def again(self, name: str) -> ast.stmt:
        made = ast.parse(f"{name} = meet__({self.named[name]}, {name})").body[0]
        return made

    def around(self, node: ast.expr, place: int) -> ast.expr:
        return ast.Call(ast.Name("meet__", ast.Load()), [ast.Constant(place), node], [])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        results = self.results
        self.function(node)
        self.results = results
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        names = [n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
        stored = [n for n in names if n in self.named and stores(node, n)]
        return [node, *(self.again(name) for name in stored)]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        is_named = isinstance(node.target, ast.Name) and node.target.id in self.named
        return [node, self.again(node.target.id)] if is_named else node  # type: ignore[union-attr]

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        names = [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name) and n.id in self.named]
        node.body[:0] = [self.again(name) for name in names]
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        self.generic_visit(node)
        if isinstance(node.value, ast.Tuple):
            node.value.elts = [
                self.around(e, p) for e, p in zip(node.value.elts, self.results, strict=False)
            ] or node.value.elts
        elif node.value is not None and self.results:
            node.value = self.around(node.value, self.results[0])
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        self.generic_visit(node)
        return self.around(node, self.place())

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        self.generic_visit(node)
        return self.around(node, self.place())

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        return self.around(node, self.place()) if len(node.ops) > 1 else node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        is_item = isinstance(node.value, ast.List | ast.Name) and not isinstance(node.slice, ast.Constant)
        return self.around(node, self.place()) if is_item and isinstance(node.ctx, ast.Load) else node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        is_choice = isinstance(node.func, ast.Name) and node.func.id in ("max", "min")
        return self.around(node, self.place()) if is_choice else node


def own_returns(node: ast.AST) -> Iterator[ast.Return]:
    """The returns of a function, not of those inside it."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Return):
            yield part
        elif not isinstance(part, ast.FunctionDef | ast.Lambda):
            yield from own_returns(part)


def most(returns: list[ast.Return]) -> int:
    """How many parts the results have."""
    return max(len(r.value.elts) if isinstance(r.value, ast.Tuple) else 1 for r in returns)


def listed(made: Any) -> list[ast.stmt]:
    return made if isinstance(made, list) else [made]


def stores(node: ast.Assign, name: str) -> bool:
    targets = [n for t in node.targets for n in ast.walk(t)]
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in targets)


def bound(node: ast.FunctionDef) -> list[str]:
    """Names that a function binds at several places, or where it branches or loops."""
    counted: dict[str, int] = {a.arg: 1 for a in node.args.args}

    def walk(statements: list[ast.stmt], weight: int) -> None:
        for s in statements:
            if isinstance(s, ast.FunctionDef):
                continue
            inner = [getattr(s, field, []) for field in ("body", "orelse")]
            here = [s.target] if isinstance(s, ast.For) else [] if any(inner) else [s]
            for part in here:
                for n in ast.walk(part):
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                        counted[n.id] = counted.get(n.id, 0) + weight
            for each in inner:
                walk(each, 2)

    walk(node.body, 1)
    return [name for name, times in counted.items() if times > 1]
