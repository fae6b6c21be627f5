"""How small the ints of a function can be: LowerBounds(blocks, types).places(index).

    for i in range(n - 1, 0, -1):         i is 1 or more
        for j in range(len(y)):           j is 0 or more
            x[i - 1 + j] += y[j]          neither place counts from the end

Numba adds an array's length to an index that is below 0: three instructions for each, and LLVM makes no vectors of a
loop where it has lost sight of a sign. Sizes, indices of loops and literals have lower bounds, and so have sums,
products, quotients, remainders, the least and the largest of such. A variable that is assigned several times is bounded
by what bounds each of its values. Sums do not wrap, but for those with large literals and those that are made of
themselves on both sides, `d = d + d` in a loop; products of variables that change may, as those that hash do.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from numba.core import ir, types

from codegen.analysis.doubling import LARGEST_STEP

FURTHEST = 8  # a bound that is further from 0 is taken for it, or for none

ADDED = operator.add, operator.iadd
SUBTRACTED = operator.sub, operator.isub
PRODUCTS = operator.mul, operator.imul
OF_BOTH = {
    *(*PRODUCTS, operator.floordiv, operator.ifloordiv),
    *(operator.or_, operator.ior, operator.xor, operator.ixor),
}
OF_EITHER = {operator.and_, operator.iand}
OF_LEFT = {operator.rshift, operator.irshift}
OF_RIGHT = {operator.mod, operator.imod}  # Python's remainder has the divisor's sign


class LowerBounds:
    """Of the variables of a function's blocks with their types; of a tuple's elements together."""

    def __init__(self, blocks: dict[int, Any], kinds: dict[str, Any]):
        self.kinds = kinds
        self.values: dict[str, list[Any]] = defaultdict(list)
        for block in blocks.values():
            for each in block.find_insts(ir.Assign):
                self.values[each.target.name].append(each.value)
        bounded = [
            name for name in self.values if is_int_type(kinds.get(name)) or are_all_ints(kinds.get(name))
        ]
        self.least: dict[str, float] = dict.fromkeys(bounded, inf)  # what is not contradicted yet
        self.asked_for = ""
        self.sources: dict[str, set[str]] = {}
        self.unchanging: dict[str, bool] = {}
        self.users: dict[str, set[str]] = defaultdict(set)  # of a variable, whose bounds hang on it
        self.settle()

    def settle(self) -> None:
        """Lower each bound to that of its values, and then those that hang on it, until all hold."""
        waiting = list(self.least)
        while waiting:
            name = self.asked_for = waiting.pop()
            found = min(map(self.of_value, self.values[name]))
            if found != inf:
                found = min(found, FURTHEST) if found >= -FURTHEST else -inf
            if found < self.least[name]:
                self.least[name] = found
                waiting += self.users[name]

    def of(self, var: Any) -> float:
        self.users[var.name].add(self.asked_for)
        if var.name in self.least:
            return self.least[var.name]
        kind: Any = self.kinds.get(var.name)
        return 0 if is_int_type(kind) and not kind.signed and kind.bitwidth < 64 else -inf

    def places(self, index: Any) -> tuple[bool, ...]:
        """Whether each int of an index is 0 or more."""
        if is_expr(value := self.only(index), "build_tuple"):
            return tuple(self.of(each) >= 0 for each in value.items)
        kind = self.kinds.get(index.name)
        return (self.of(index) >= 0,) * (len(kind) if isinstance(kind, types.BaseTuple) else 1)

    def only(self, var: Any) -> Any:
        """What is assigned to a variable, where one thing is, through other names."""
        values = self.values.get(var.name, ())
        if len(values) != 1:
            return None
        return self.only(values[0]) if isinstance(values[0], ir.Var) else values[0]

    def literal(self, var: Any) -> Any:
        value = self.only(var)
        known = value.value if isinstance(value, ir.Const | ir.Global | ir.FreeVar) else None
        return known if isinstance(known, int) else None

    def of_value(self, value: Any) -> float:
        """Of one value that is assigned."""
        match value:
            case ir.Var():
                return self.of(value)
            case ir.Const() | ir.Global() | ir.FreeVar() if isinstance(value.value, int):
                return value.value
            case ir.Expr():
                rule = RULES.get(value.op)
                return -inf if rule is None else rule(self, value)
        return -inf

    def of_operator(self, value: Any) -> float:
        if not all(is_int_type(self.kinds.get(each.name)) for each in (value.lhs, value.rhs)):
            return -inf
        left, right, fn = self.of(value.lhs), self.of(value.rhs), value.fn
        if fn in (*ADDED, *SUBTRACTED, *PRODUCTS) and any(map(self.is_large, (value.lhs, value.rhs))):
            return -inf
        if fn in ADDED:
            return -inf if -inf in (left, right) or self.doubles(self.asked_for, value) else left + right
        if fn in SUBTRACTED:
            less = self.literal(value.rhs)
            return -inf if less is None else left - less
        if fn in PRODUCTS and not (self.changes_never(value.lhs) and self.changes_never(value.rhs)):
            return -inf
        signs = {
            fn in OF_BOTH: left >= 0 and right >= 0,
            fn in OF_EITHER: left >= 0 or right >= 0,
            fn in OF_LEFT: left >= 0,
            fn in OF_RIGHT: right >= 0,
        }
        return 0 if signs.get(True) else -inf

    def is_large(self, var: Any) -> bool:
        return abs(self.literal(var) or 0) > LARGEST_STEP

    def doubles(self, name: str, value: Any) -> bool:
        """Whether both sides of a sum, which a variable is, are made of it: each time round it is up to twice as large,
        unless nothing is made of the sum but halves."""
        both = all(name in self.made_of(each.name) for each in (value.lhs, value.rhs))
        return both and not self.is_halved(name)

    def made_of(self, name: str) -> set[str]:
        """The ints that one is made of, itself among them."""
        if name not in self.sources:
            found, waiting = {name}, [name]
            while waiting:
                values = self.values.get(waiting.pop(), ())
                given = {each.name for value in values for each in variables_of(value)}
                waiting += (new := (given & self.least.keys()) - found)
                found |= new
            self.sources[name] = found
        return self.sources[name]

    def is_halved(self, name: str) -> bool:
        """Whether nothing is made of an int, under all names that it gets, but halves."""
        names, waiting = {name}, [name]
        while waiting:
            read = waiting.pop()
            for target, value in self.uses(read):
                if isinstance(value, ir.Var):
                    waiting += {target} - names
                    names.add(target)
                elif not self.is_half(value, read):
                    return False
        return True

    def uses(self, name: str) -> Iterator[tuple[str, Any]]:
        """What other ints are assigned of it."""
        for target in self.least:
            for value in self.values[target] if target != name else ():
                if any(each.name == name for each in variables_of(value)):
                    yield target, value

    def is_half(self, value: Any, name: str) -> bool:
        """Whether a value is an int // 2, an int >> 1 or less."""
        least = {operator.floordiv: 2, operator.ifloordiv: 2, operator.rshift: 1, operator.irshift: 1}
        fn = value.fn if value.op in ("binop", "inplace_binop") else None
        return fn in least and value.lhs.name == name and (self.literal(value.rhs) or 0) >= least[fn]

    def changes_never(self, var: Any) -> bool:
        """Whether a variable, and all that it is made of, is assigned once: where a loop's index goes is no change."""
        if var.name not in self.unchanging:
            values = self.values.get(var.name, ())
            self.unchanging[var.name] = len(values) == 1 and (
                is_expr(values[0], "pair_first") or all(map(self.changes_never, variables_of(values[0])))
            )
        return self.unchanging[var.name]

    def of_tuple(self, value: Any) -> float:
        return min(map(self.of, value.items), default=0)

    def of_part(self, value: Any) -> float:
        """An element of a tuple; one of an array is not known."""
        if not isinstance(self.kinds.get(value.value.name), types.BaseTuple):
            return -inf
        made = self.only(value.value)
        if value.op == "static_getitem" and is_expr(made, "build_tuple") and isinstance(value.index, int):
            return self.of(made.items[value.index])
        return self.of(value.value)

    def of_attribute(self, value: Any) -> float:
        is_size = value.attr in ("shape", "size", "ndim")
        return 0 if is_size and isinstance(self.kinds.get(value.value.name), types.Array) else -inf

    def of_call(self, value: Any) -> float:
        called = self.literal_function(value)
        if called is len:
            return 0
        if called not in (min, max) or not all(is_int_type(self.kinds.get(each.name)) for each in value.args):
            return -inf
        return called(map(self.of, value.args))

    def of_index(self, value: Any) -> float:
        """The index of a loop: `pair_first(iternext(getiter(range(...))))`."""
        step: Any = self.only(value.value)
        start: Any = self.only(step.value) if is_expr(step, "iternext") else None
        made: Any = self.only(start.value) if is_expr(start, "getiter") else None
        if not is_expr(made, "call") or self.literal_function(made) is not range:
            return -inf
        if len(made.args) == 1:
            return 0
        by = self.literal(made.args[2]) if len(made.args) == 3 else 1
        if by is None or by == 0:
            return -inf
        return self.of(made.args[0]) if by > 0 else self.of(made.args[1]) + 1

    def literal_function(self, call: Any) -> Any:
        """What is called, where it is a function of Python's by its own name, and all arguments are by place."""
        function = self.only(call.func)
        is_named = isinstance(function, ir.Global | ir.FreeVar) and not call.kws and not call.vararg
        return function.value if is_named else None


def is_int_type(kind: Any) -> bool:
    return isinstance(kind, types.Integer)


def are_all_ints(kind: Any) -> bool:
    parts: Any = kind
    return isinstance(kind, types.BaseTuple) and all(map(is_int_type, parts))


def variables_of(value: Any) -> list[Any]:
    """The variables that a value is made of."""
    if isinstance(value, ir.Var):
        return [value]
    return value.list_vars() if isinstance(value, ir.Expr) else []


def is_expr(value: Any, op: str) -> bool:
    return isinstance(value, ir.Expr) and value.op == op


RULES: dict[str, Callable[[LowerBounds, Any], float]] = {
    "binop": LowerBounds.of_operator,
    "inplace_binop": LowerBounds.of_operator,
    "cast": lambda self, value: self.of(value.value),
    "exhaust_iter": lambda self, value: self.of(value.value),
    "build_tuple": LowerBounds.of_tuple,
    "static_getitem": LowerBounds.of_part,
    "getitem": LowerBounds.of_part,
    "getattr": LowerBounds.of_attribute,
    "call": LowerBounds.of_call,
    "pair_first": LowerBounds.of_index,
}
