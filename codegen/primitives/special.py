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
from codegen.primitives.elementwise import broadcast_shape, elementwise
from codegen.primitives.reduce import of_array
from codegen.primitives.row import FUNCTIONS, lowers, row

ROOT_HALF = math.sqrt(0.5)
TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma, of numbers, arrays or expressions (SciPy's is no ufunc)."""
    return x.builder.apply("polygamma", n, x) if isinstance(x, E) else scipy.special.polygamma(n, x)


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
special("digamma", scipy.special.digamma, vector=None, helper="digamma", cost=60,
        jvp=lambda t, out, x: t * polygamma(1, x))
row("polygamma", scipy.special.polygamma, lambda n, x: Type(x.type.dtype, broadcast_shape((n, x))), "elementwise",
    call="scipy.special.polygamma", helper="polygamma", cost=100,
    jvp=(None, lambda t, out, n, x: t * polygamma(n + 1, x)))
special("erf", scipy.special.erf, scalar="math.erf", cost=30,
        jvp=lambda t, out, x: t * TWO_OVER_ROOT_PI * np.exp(-x * x))
special("erfc", scipy.special.erfc, scalar="math.erfc", cost=30,
        jvp=lambda t, out, x: -t * TWO_OVER_ROOT_PI * np.exp(-x * x))
# fmt: on


def in_loop(b: Builder, ufunc: np.ufunc, *operands: Any) -> list[Any]:
    """Operands in the dtypes that SciPy computes in: float64 unless all are float32."""
    types = [b.atom(x).type for x in operands]
    inside, _ = computed_in(ufunc, types)
    return [
        x if (t.weak and t.dtype != "b1") or t.dtype == dtype else b.apply("cast", x, dtype=dtype)
        for x, t, dtype in zip(operands, types, inside, strict=True)
    ]


def scipys_own(ufunc: np.ufunc, row_name: str) -> Callable[..., Any]:
    """What SciPy has as NumPy has it, in SciPy's dtypes."""
    return lambda b, x: b.apply(row_name, *in_loop(b, ufunc, x))


for _name in ("log1p", "expm1"):
    FUNCTIONS[getattr(scipy.special, _name)] = scipys_own(getattr(scipy.special, _name), _name)


@lowers(scipy.special.polygamma)
def polygamma_of(b: Builder, n: Any, x: Any) -> Any:
    """SciPy's own gives float64 of all else, the 0th as digamma gives it; derivatives of float32 stay float32."""
    made = b.apply("polygamma", n, b.apply("cast", x, dtype="f8"))
    if b.atom(x).type.dtype != "f4":
        return made
    zeroth = b.apply("cast", b.apply("digamma", x), dtype="f8")
    return b.apply("select", b.apply("eq", n, 0), zeroth, made)


@lowers(scipy.special.xlogy)
def xlogy(b: Builder, x: Any, y: Any) -> Any:
    """x log y, 0 where x is 0 (unless y is NaN)."""
    x, y = in_loop(b, scipy.special.xlogy, x, y)
    zero = b.apply("and", b.apply("eq", x, 0), b.apply("not", b.apply("isnan", y)))
    log = b.apply("log", b.apply("select", zero, 1.0, y))
    return b.apply("select", zero, 0.0, b.apply("mul", x, log))


FUNCTIONS[scipy.special.ndtr] = lambda b, x: 0.5 * scipy.special.erfc(-ROOT_HALF * x)


@of_array(scipy.special.softmax)
def softmax(b: Builder, x: Any, axis: Any = None) -> Any:
    """SciPy's own formula: NaN where the largest is infinite."""
    top = b.apply("stop_gradient", np.max(x, axis=axis, keepdims=True))
    terms = np.exp(x - top)
    return terms / np.sum(terms, axis=axis, keepdims=True)
