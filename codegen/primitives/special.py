"""SciPy's special functions. Where Numba has none, emitted source carries the function's text (codegen/runtime)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from codegen.ir import Type
from codegen.ir.build import Builder, E
from codegen.ir.kinds import Vector
from codegen.ir.promotion import computed_in
from codegen.primitives.calls.formulas import in_dtypes, in_loop
from codegen.primitives.elementwise import broadcast_shape, elementwise, nonzero
from codegen.primitives.reduce import as_array, axes, of_array
from codegen.primitives.row import FUNCTIONS, lowers, row

ROOT_HALF = math.sqrt(0.5)
TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma, of numbers, arrays or expressions (SciPy's is no ufunc)."""
    if not isinstance(x, E):
        return scipy.special.polygamma(n, x)
    return x.builder.apply("trigamma", x) if is_one(n) else x.builder.apply("polygamma", n, x)


def is_one(n: Any) -> bool:
    return not isinstance(n, E) and n == 1


def slope_of_erfcx(t: Any, out: Any, x: Any) -> Any:
    """2 x erfcx(x) - 2 / sqrt(pi), by erfcx's asymptotic series from 7 on, where that cancels."""
    far = x >= 7.0
    u = np.where(far, x, 7.0)
    step = 0.5 / (u * u)
    total = 1.0 - 39.0 * step
    for odd in range(37, 1, -2):
        total = 1.0 - float(odd) * step * total
    return t * np.where(far, -TWO_OVER_ROOT_PI * step * total, 2.0 * x * out - TWO_OVER_ROOT_PI)


def special(name: str, ufunc: np.ufunc, vector: Vector | None = Vector.TEXT, **fields: Any) -> None:
    """A row for a function of SciPy's, which takes an int for the float that the result is."""
    rule = elementwise(name, ufunc, call=f"scipy.special.{name}", vector=vector, **fields)

    def build(b: Builder, x: Any) -> Any:
        type_ = b.atom(x).type
        return b.apply(rule, x if type_.is_float else b.apply("cast", x, dtype=rule.type(b.atom(x)).dtype))

    FUNCTIONS[ufunc] = build


# fmt: off
special("expit", scipy.special.expit, helper="expit", cost=20, jvp=lambda t, out, x: t * out * (1.0 - out))
special("log_expit", scipy.special.log_expit, helper="log_expit", cost=30,
        jvp=lambda t, out, x: t * scipy.special.expit(-x))
special("gammaln", scipy.special.gammaln, helper="gammaln", cost=60,
        jvp=lambda t, out, x: t * scipy.special.digamma(x))
special("digamma", scipy.special.digamma, helper="digamma", cost=60,
        jvp=lambda t, out, x: t * polygamma(1, x))
row("trigamma", lambda x: scipy.special.polygamma(1, x).astype(x.dtype), lambda x: x.type, "elementwise",
    form=lambda x, *, rank, lib: (f"scipy.special.polygamma(1, {x})", 100), helper="trigamma", cost=60,
    vector=Vector.TEXT, jvp=(lambda t, out, x: t * polygamma(2, x),))
row("polygamma", scipy.special.polygamma, lambda n, x: Type(x.type.dtype, broadcast_shape((n, x))), "elementwise",
    call="scipy.special.polygamma", helper="polygamma", cost=100,
    jvp=(None, lambda t, out, n, x: t * polygamma(n + 1, x)))
special("gamma", scipy.special.gamma, scalar="math.gamma", cost=60,
        jvp=lambda t, out, x: t * out * scipy.special.digamma(x))
special("erf", scipy.special.erf, scalar="math.erf", libdevice="erf", cost=30,
        jvp=lambda t, out, x: t * TWO_OVER_ROOT_PI * np.exp(-x * x))
special("erfc", scipy.special.erfc, scalar="math.erfc", libdevice="erfc", cost=30,
        jvp=lambda t, out, x: -t * TWO_OVER_ROOT_PI * np.exp(-x * x))
special("erfcx", scipy.special.erfcx, helper="erfcx", cost=40, jvp=slope_of_erfcx)
# fmt: on


def scipys_own(ufunc: np.ufunc, row_name: str) -> Callable[..., Any]:
    """What SciPy has as NumPy has it, in SciPy's dtypes."""
    return lambda b, x: b.apply(row_name, *in_loop(b, ufunc, x))


for _name in ("log1p", "expm1"):
    FUNCTIONS[getattr(scipy.special, _name)] = scipys_own(getattr(scipy.special, _name), _name)


def in_dtype_of(ufunc: Any, made: Any, *operands: Any) -> Any:
    """What was made of operands, in the dtype that SciPy's ufunc gives for them, for definitions."""
    return made.astype(ufunc(*operands).dtype)


@lowers(in_dtype_of)
def cast_to_loop(b: Builder, ufunc: Any, made: Any, *operands: Any) -> Any:
    types = [as_array(b, x).type if isinstance(x, tuple | list) else b.atom(x).type for x in operands]
    return b.apply("cast", made, dtype=computed_in(ufunc, types)[1])


@lowers(scipy.special.polygamma)
def polygamma_of(b: Builder, n: Any, x: Any) -> Any:
    """SciPy's own gives float64 of all else, the 0th as digamma gives it; derivatives of float32 stay float32."""
    made = polygamma(n, b.wrap(b.atom(b.apply("cast", x, dtype="f8"))))
    if b.atom(x).type.dtype != "f4":
        return made
    zeroth = b.apply("cast", b.apply("digamma", x), dtype="f8")
    return b.apply("select", b.apply("eq", n, 0), zeroth, made)


def times_log(ufunc: np.ufunc, log: str, one: float) -> Callable[..., Any]:
    """x times the logarithm of y, 0 where x is 0 (unless y is NaN), with the logarithm as slope where that is finite.
    `one`: the y whose logarithm is 0."""

    def build(b: Builder, x: Any, y: Any) -> Any:
        x, y = in_loop(b, ufunc, x, y)
        zero = b.apply("and", b.apply("eq", x, 0), b.apply("not", b.apply("isnan", y)))
        infinite = b.apply("or", b.apply("le", y, one - 1.0), b.apply("eq", y, np.inf))
        made = x * b.apply(log, b.apply("select", b.apply("and", zero, infinite), one, y))
        return b.apply("select", zero, made + 0.0, made)

    return build


FUNCTIONS[scipy.special.xlogy] = times_log(scipy.special.xlogy, "log", 1.0)
FUNCTIONS[scipy.special.xlog1py] = times_log(scipy.special.xlog1py, "log1p", 0.0)


@lowers(scipy.special.entr)
def entr(b: Builder, x: Any) -> Any:
    """-x log x; 0 at 0, -inf below."""
    (x,) = in_loop(b, scipy.special.entr, x)
    inside = np.where(x > 0, x, 1.0)
    return np.where(
        np.isnan(x), x, np.where(x > 0, -inside * np.log(inside), np.where(x == 0, inside - 1.0, -np.inf))
    )


@lowers(scipy.special.rel_entr)
def rel_entr(b: Builder, x: Any, y: Any) -> Any:
    """x log(x / y) of positive numbers; 0 where x is 0 and y not below it; else inf."""
    x, y = in_dtypes(b, scipy.special.rel_entr, x, y)
    positive = (x > 0) & (y > 0)
    above, below = np.where(positive, x, 1.0), np.where(positive, y, 1.0)
    ratio = above / below
    tiny = float(np.finfo(b.atom(ratio).type.dtype).tiny)
    far = (ratio < tiny) | (ratio > 1.0 / tiny)  # where it has lost digits, or is 0 or infinite
    near = (ratio > 0.5) & (ratio < 2.0)
    logged = np.where(far, np.log(above) - np.log(below), np.log(np.where(far | near, 1.0, ratio)))
    logged = np.where(near, np.log1p(np.where(near, (above - below) / below, 0.0)), logged)
    made = np.where(positive, above * logged, np.where((x == 0) & (y >= 0), above - 1.0, np.inf))
    return np.where(np.isnan(x) | np.isnan(y), np.nan, made)


@lowers(scipy.special.logit)
def logit(b: Builder, x: Any) -> Any:
    """log(x / (1 - x)); about 1/2, where that cancels, by log1p of the distance."""
    (x,) = in_loop(b, scipy.special.logit, x)
    middle = (x >= 0.3) & (x <= 0.65)
    twice = np.where(middle, 2.0 * (x - 0.5), 0.0)
    outer = np.where(middle, 0.25, x)
    return np.where(middle, np.log1p(twice) - np.log1p(-twice), np.log(outer / (1.0 - outer)))


FUNCTIONS[scipy.special.ndtr] = lambda b, x: 0.5 * scipy.special.erfc(-ROOT_HALF * x)


@of_array(scipy.special.logsumexp)
def logsumexp(
    builder: Builder,
    x: Any,
    axis: Any = None,
    b: Any = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    """log of the sum of b exp(x), and the sum's sign where that is asked for, else NaN where it is negative."""
    weights = b if b is None or isinstance(b, int | float) else as_array(builder, b)
    if weights is not None:
        given, x = x, np.where(weights == 0, -np.inf, x)
        x = x + np.zeros_like(weights) if getattr(weights, "ndim", 0) else x
    x = x if x.type.rank else np.reshape(x, (1,))  # a number has an axis, as SciPy has it
    over_ = axes(x, axis)
    empty = any(n == 0 or builder.meets.may_be_one(n) for n in (x.type.shape[k] for k in over_))
    least: Any = {"initial": -np.inf} if empty else {}
    top = builder.apply("stop_gradient", np.max(x, axis=over_, keepdims=True, **least))
    top = np.where(np.isfinite(top), top, 0.0)  # all -inf: log 0; a +inf: inf
    terms = np.exp(x - top)
    if weights is not None:
        terms = builder.apply("with_slope", weights * terms, weighted(weights, given - top, terms))
    total = np.sum(terms, axis=over_, keepdims=True)
    found = [np.log(np.abs(total) if return_sign else total) + top]
    if weights is None:
        found = [builder.apply("with_slope", found[0], np.log(nonzero(total)) + top)]  # all -inf: no slope
    found += [np.sign(total)] if return_sign else []
    left = tuple(n for k, n in enumerate(x.shape) if k not in over_)
    made = tuple(y if keepdims else np.reshape(y, left) for y in found)
    return made if return_sign else made[0]


def weighted(weights: Any, away: Any, terms: Any) -> Any:
    """Terms times weights, those of weights of 0 with their slope by these, as far as numbers go."""
    most = 80.0 if away.type.dtype == "f4" else 700.0
    left_out = np.exp(np.minimum(np.where(np.isnan(away), -np.inf, away), most))
    return weights * np.where(weights == 0, left_out, terms)


@of_array(scipy.special.softmax)
def softmax(b: Builder, x: Any, axis: Any = None) -> Any:
    """SciPy's own formula: NaN where the largest is infinite."""
    top = b.apply("stop_gradient", np.max(x, axis=axis, keepdims=True))
    terms = np.exp(x - top)
    return terms / np.sum(terms, axis=axis, keepdims=True)


@of_array(scipy.special.log_softmax)
def log_softmax(b: Builder, x: Any, axis: Any = None) -> Any:
    """SciPy's own formula."""
    top = b.apply("stop_gradient", np.max(x, axis=axis, keepdims=True))
    away = x - np.where(np.isfinite(top), top, 0)
    return away - np.log(np.sum(np.exp(away), axis=axis, keepdims=True))
