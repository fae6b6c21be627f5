"""math's functions: Python's floats of one number each, and an exception where NumPy gives NaN or infinity.

    math.sqrt(x)    ->    check (not x < 0): ValueError("math domain error")
                          y = sqrt x

The value is that of NumPy's row, in float64. A check is a comparison or two, and is left out where the argument is seen
to be in the domain: by bounds of what it is made of in its block, of which NaN, which `math` takes, is never outside.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import islice, product
from typing import Any

import numpy as np

from codegen.ir import Apply, Atom, Lit, Type
from codegen.ir.build import LARGE, Builder, E
from codegen.primitives.fits import whole_number
from codegen.primitives.row import FUNCTIONS, lowers

Test = Callable[[Builder, Any], Any]  # (builder, argument) -> is all well


def exception_of(function: Callable[..., Any], *arguments: float) -> tuple[str, str]:
    """The exception of a function of math and its message, in the words of the Python that runs."""
    try:
        function(*arguments)
    except (ValueError, OverflowError) as error:
        return type(error).__name__, str(error)
    raise AssertionError(f"{function.__name__} of {arguments} is no error")


def number_type(b: Builder, x: Any) -> Type:
    type_ = b.atom(x).type
    if type_.rank:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars: use NumPy's function")
    return type_


def as_float64(b: Builder, x: Any) -> Any:
    """A number as math's functions take it: a float of 64 bits."""
    return x if number_type(b, x).dtype == "f8" else b.apply("cast", x, dtype="f8")


def is_at_least(low: float, *, strictly: bool = False) -> Test:
    """Is x not below `low`? NaN is not."""

    def test(b: Builder, x: Any) -> Any:
        if not isinstance(x, E):
            return not (x <= low if strictly else x < low)
        surely = value_bounds(b, x)[0]
        if surely > low or (surely == low and not strictly):
            return True
        return b.apply("not", b.apply("le" if strictly else "lt", x, low))

    return test


NEAR = 100  # equations among which one is looked for
ANYTHING = (-math.inf, math.inf)
VALUES = {  # of functions whose values are between two numbers
    **dict.fromkeys(("abs", "sqrt", "exp", "square"), (0.0, math.inf)),
    **dict.fromkeys(("sin", "cos", "tanh", "erf", "sign"), (-1.0, 1.0)),
    **dict.fromkeys(("atan", "asin"), (-1.6, 1.6)),
    "acos": (0.0, 3.2),
    "cosh": (1.0, math.inf),
    "expm1": (-1.0, math.inf),
    "erfc": (0.0, 2.0),
}
# Of functions that only rise or only fall in each operand: the bounds are at the corners. What rounding does keeps the
# order, so that bounds are computed as the values are.
MONOTONE: dict[str, Callable[..., float]] = {
    "add": operator.add, "sub": operator.sub, "neg": operator.neg, "mul": operator.mul, "div": operator.truediv,
    "minimum": min, "maximum": max,
}  # fmt: skip


def value_bounds(b: Builder, x: Any, depth: int = 6) -> tuple[float, float]:
    """Numbers that x, unless it is NaN, is surely not below and not above, by what it is made of in this block."""
    if not isinstance(x, E):
        return float(x), float(x)
    made = producing_apply(b, x.atom)
    if made is None or x.atom.type.dtype != "f8" or not depth:
        return ANYTHING
    name = made.primitive.name
    if name in VALUES:
        return VALUES[name]
    operands = [b.wrap(a) for a in made.operands]
    if name == "mul" and (sign := sign_of_product(b, x, depth - 1)):
        return (0.0, math.inf) if sign > 0 else (-math.inf, 0.0)
    if name == "pow" and isinstance(operands[1], int | float) and operands[1] % 2 == 0:
        return 0.0, math.inf
    if name in ("smaller", "larger") and any(isinstance(o, int | float) for o in operands):
        # The literal may be taken instead of NaN.
        limit, other = sorted(operands, key=lambda o: isinstance(o, E))
        (low, high), limit = value_bounds(b, other, depth - 1), float(limit)
        return (min(low, limit), limit) if name == "smaller" else (limit, max(high, limit))
    if name not in MONOTONE:
        return ANYTHING
    within = [value_bounds(b, o, depth - 1) for o in operands]
    if name == "div" and not within[1][0] > 0.0:
        return ANYTHING
    corners = [MONOTONE[name](*corner) for corner in product(*within)]
    return ANYTHING if any(map(math.isnan, corners)) else (min(corners), max(corners))


def producing_apply(b: Builder, atom: Any) -> Apply | None:
    """What an atom is made by in this block, not long before."""
    made = next((e.op for e in islice(reversed(b.equations), NEAR) if atom in e.outs), None)
    return made if isinstance(made, Apply) else None


def sign_of_product(b: Builder, x: E, depth: int) -> int:
    """That of -0.5 * x * x: of what is there twice it does not matter; 0 if it is not known."""
    sign, odd = 1, dict[Atom, None]()
    todo: list[Atom] = [x.atom]
    while todo:
        atom = todo.pop()
        made = producing_apply(b, atom)
        if made is not None and made.primitive.name in ("mul", "neg") and len(todo) < 8:
            sign *= -1 if made.primitive.name == "neg" else 1
            todo += made.operands
        elif isinstance(atom, Lit) or atom not in odd:
            odd[atom] = None
        else:
            del odd[atom]
    for atom in odd:
        low, high = value_bounds(b, b.wrap(atom), depth)
        sign *= 1 if low >= 0.0 else -1 if high <= 0.0 else 0
    return sign


def in_unit_interval(*, strictly: bool = False) -> Test:
    """Is x in [-1, 1]?"""

    def test(b: Builder, x: Any) -> Any:
        size = max(map(abs, value_bounds(b, x)))
        if isinstance(x, E) and (size < 1.0 or (size == 1.0 and not strictly)):
            return True
        return b.apply("not", b.apply("ge" if strictly else "gt", b.apply("abs", x), 1.0))

    return test


def finite(b: Builder, x: Any) -> Any:
    return b.apply("lt", b.apply("abs", x), np.inf)


def no_infinity(b: Builder, x: Any) -> Any:
    return b.apply("ne", b.apply("abs", x), np.inf)


def below_overflow(high: float, *, magnitude: bool = False) -> Test:
    """Where x, or its magnitude, is at most this, or infinite, the result does not overflow."""

    def test(b: Builder, x: Any) -> Any:
        low, most = value_bounds(b, x)
        if isinstance(x, E) and max(most, -low if magnitude else most) <= high:
            return True
        size = b.apply("abs", x) if magnitude else x
        return b.apply("or", b.apply("not", b.apply("gt", size, high)), b.apply("eq", size, np.inf))

    return test


def largest(function: Callable[[float], float]) -> float:
    """The largest float of which an increasing function does not overflow."""
    low, high = 700.0, 720.0
    while (middle := (low + high) / 2) not in (low, high):
        try:
            function(middle)
        except OverflowError:
            high = middle
        else:
            low = middle
    return low


def domain_checked(name: str, test: Test | None = None, bad: float = 0.0) -> None:
    """math's function by the row of its name; where `test` fails it raises what it does of `bad`."""
    function = getattr(math, name)
    error = exception_of(function, bad) if test else ("", "")

    def build(b: Builder, *given: Any) -> Any:
        operands = [as_float64(b, x) for x in given]
        if test is not None:
            require(b, test(b, *operands), error)
        return b.apply(name, *operands)

    FUNCTIONS[function] = build


def require(b: Builder, test: Any, error: tuple[str, str]) -> None:
    if isinstance(test, E):
        b.require(test, *error)
    elif not test:
        raise ValueError(error[1])


for _name in ("atan", "asinh", "tanh", "erf", "erfc"):
    domain_checked(_name)
for _name in ("atan2", "copysign", "hypot", "isnan", "isinf", "isfinite"):
    domain_checked(_name)
FUNCTIONS[math.fabs] = lambda b, x: b.apply("abs", as_float64(b, x))
for _name in ("sin", "cos", "tan"):
    domain_checked(_name, no_infinity, math.inf)
for _name in ("log", "log2", "log10"):
    domain_checked(_name, is_at_least(0.0, strictly=True), -1.0)
domain_checked("log1p", is_at_least(-1.0, strictly=True), -2.0)
domain_checked("sqrt", is_at_least(0.0), -1.0)
domain_checked("acosh", is_at_least(1.0), 0.0)
domain_checked("asin", in_unit_interval(), 2.0)
domain_checked("acos", in_unit_interval(), 2.0)
domain_checked("atanh", in_unit_interval(strictly=True), 2.0)
for _name in ("exp", "expm1"):
    domain_checked(_name, below_overflow(largest(getattr(math, _name))), 1e9)
for _name in ("sinh", "cosh"):
    domain_checked(_name, below_overflow(largest(getattr(math, _name)), magnitude=True), 1e9)

natural = FUNCTIONS[math.log]


@lowers(math.log)
def log(b: Builder, x: Any, base: Any = None) -> Any:
    """math.log, with its optional base."""
    above = natural(b, x)
    if base is None:
        return above
    below = natural(b, base)
    if isinstance(below, E):
        b.require(b.apply("ne", below, 0.0), "ZeroDivisionError", "float division by zero")
    elif not below:
        raise ValueError("float division by zero")
    return above / below


@lowers(math.pow)
def math_power(b: Builder, x: Any, y: Any) -> Any:
    """math.pow: an infinite power of finite numbers is of 0, or too large; NaN of what is none has no root."""
    # NumPy's floats: Python's have complex powers.
    x, y = (b.apply("cast", as_float64(b, v), dtype="f8") for v in (x, y))
    z = b.apply("pow", x, y)
    if not isinstance(z, E):
        return math.pow(x, y)
    both = b.apply("and", finite(b, x), finite(b, y))
    fine = b.apply("or", finite(b, z), b.apply("not", both))
    zero, error = b.apply("eq", x, 0.0), exception_of(math.pow, 0.0, -1.0)
    b.require(b.apply("or", b.apply("eq", z, z), b.apply("not", both)), *exception_of(math.pow, -1.0, 0.5))
    b.require(b.apply("or", fine, b.apply("not", zero)), *error)
    b.require(b.apply("or", fine, zero), *exception_of(math.pow, 10.0, 400.0))
    return z


@lowers(math.lgamma)
def lgamma(b: Builder, x: Any) -> Any:
    """At 0, -1, -2, ... it is infinite; SciPy's is another at -inf."""
    x = as_float64(b, x)
    y = b.apply("gammaln", np.where(x == -np.inf, np.inf, x))
    fine = b.apply("or", finite(b, y), b.apply("not", finite(b, x)))
    positive = b.apply("gt", x, 0.0)
    require(b, b.apply("or", fine, positive), exception_of(math.lgamma, 0.0))
    require(b, b.apply("or", fine, b.apply("not", positive)), exception_of(math.lgamma, 1e308))
    return y


def to_int(name: str) -> Callable[..., Any]:
    """math.floor and its like give an int, of Python's ints themselves; NumPy's ints have none of their own, and are
    floats before."""

    def build(b: Builder, x: Any) -> Any:
        type_ = number_type(b, x)
        if name == "trunc" and type_.dtype != "f8" and not type_.weak:
            raise TypeError(f"type numpy.{np.dtype(type_.dtype).name} doesn't define __trunc__ method")
        if type_.dtype in ("i8", "u8") and not type_.weak:
            x = as_float64(b, x)
            require(b, b.apply("lt", x, 2.0**63), ("OverflowError", LARGE))
        elif type_.is_float:
            return whole_number(b, b.apply(name, x))
        return b.apply("cast", x, dtype="i8")

    return build


for _name in ("floor", "ceil", "trunc"):
    FUNCTIONS[getattr(math, _name)] = to_int(_name)
