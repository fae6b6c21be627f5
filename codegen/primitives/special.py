"""SciPy's special functions. Where Numba has none, emitted source carries the function's text (codegen/runtime)."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import scipy.special

from codegen.ir import Type
from codegen.ir.build import Builder, E
from codegen.ir.kinds import Vector
from codegen.ir.primitive import Primitive
from codegen.ir.promotion import computed_in
from codegen.primitives.elementwise import broadcast_shape, elementwise
from codegen.primitives.reduce import as_array
from codegen.primitives.row import FUNCTIONS, ROWS, row

PLAIN, TEXT = Vector.PLAIN, Vector.TEXT

ROOT_HALF = math.sqrt(0.5)
TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)


def expit_jvp(t: Any, out: Any, x: Any) -> Any:
    return t * out * (1.0 - out)


def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma, of numbers, arrays or expressions (SciPy's is no ufunc)."""
    return x.builder.apply("polygamma", n, x) if isinstance(x, E) else scipy.special.polygamma(n, x)


# fmt: off
elementwise("expit", scipy.special.expit, vector=TEXT, call="scipy.special.expit", helper="expit", cost=20, numba=False,
            jvp=expit_jvp)
elementwise("log_expit", scipy.special.log_expit, vector=TEXT,
            call="scipy.special.log_expit", helper="log_expit", cost=30,
            numba=False, jvp=lambda t, out, x: t * scipy.special.expit(-x))
elementwise("gammaln", scipy.special.gammaln, vector=TEXT,
            call="scipy.special.gammaln", helper="gammaln", cost=60, numba=False,
            jvp=lambda t, out, x: t * scipy.special.digamma(x))
elementwise("digamma", scipy.special.digamma, call="scipy.special.digamma", helper="digamma", cost=60, numba=False,
            jvp=lambda t, out, x: t * polygamma(1, x))
row("polygamma", scipy.special.polygamma, lambda n, x: Type(x.type.dtype, broadcast_shape((n, x))), "elementwise",
    call="scipy.special.polygamma", helper="polygamma", cost=100, numba=False,
    jvp=(None, lambda t, out, n, x: t * polygamma(n + 1, x)))
elementwise("erf", scipy.special.erf, vector=TEXT, call="scipy.special.erf", scalar="math.erf", cost=30, numba=False,
            jvp=lambda t, out, x: t * TWO_OVER_ROOT_PI * np.exp(-x * x))
elementwise("erfc", scipy.special.erfc, vector=TEXT,
            call="scipy.special.erfc", scalar="math.erfc", cost=30, numba=False,
            jvp=lambda t, out, x: -t * TWO_OVER_ROOT_PI * np.exp(-x * x))
# fmt: on


def of_float(b: Builder, rule: Primitive, x: Any) -> Any:
    """A row of an int as SciPy has it: of the float that the result is."""
    type_ = b.atom(x).type
    return b.apply(rule, x if type_.is_float else b.apply("cast", x, dtype=rule.type(b.atom(x)).dtype))


for _name in ("expit", "log_expit", "gammaln", "digamma", "erf", "erfc"):
    FUNCTIONS[ROWS[_name].numpy] = functools.partial(lambda rule, b, x: of_float(b, rule, x), ROWS[_name])


def in_loop(b: Builder, ufunc: np.ufunc, *operands: Any) -> list[Any]:
    """Operands in the dtypes that SciPy computes in: float64 unless all are float32."""
    types = [b.atom(x).type for x in operands]
    inside, _ = computed_in(ufunc, types)
    return [
        x if (t.weak and t.dtype != "b1") or t.dtype == dtype else b.apply("cast", x, dtype=dtype)
        for x, t, dtype in zip(operands, types, inside, strict=True)
    ]


for _scipy, _numpy in ((scipy.special.log1p, np.log1p), (scipy.special.expm1, np.expm1)):
    FUNCTIONS[_scipy] = functools.partial(
        lambda own, name, b, x: b.apply(name, *in_loop(b, own, x)),
        _scipy,
        _numpy.__name__,
    )


def polygamma_of(b: Builder, n: Any, x: Any) -> Any:
    """SciPy's own gives float64 of all else, the 0th as digamma gives it; derivatives of float32 stay float32."""
    made = b.apply("polygamma", n, b.apply("cast", x, dtype="f8"))
    if b.atom(x).type.dtype != "f4":
        return made
    zeroth = b.apply("cast", b.apply("digamma", x), dtype="f8")
    return b.apply("select", b.apply("eq", n, 0), zeroth, made)


FUNCTIONS[scipy.special.polygamma] = polygamma_of
FUNCTIONS[scipy.special.psi] = FUNCTIONS[scipy.special.digamma]


def xlogy(b: Any, x: Any, y: Any) -> Any:
    """x log y, 0 where x is 0 (unless y is NaN)."""
    x, y = in_loop(b, scipy.special.xlogy, x, y)
    zero = b.apply("and", b.apply("eq", x, 0), b.apply("not", b.apply("isnan", y)))
    log = b.apply("log", b.apply("select", zero, 1.0, y))
    return b.apply("select", zero, 0.0, b.apply("mul", x, log))


FUNCTIONS[scipy.special.xlogy] = xlogy
FUNCTIONS[scipy.special.ndtr] = lambda b, x: 0.5 * scipy.special.erfc(-ROOT_HALF * x)


def softmax(b: Any, x: Any, axis: Any = None) -> Any:
    """SciPy's own formula: NaN where the largest is infinite."""
    x = as_array(b, x)
    top = b.apply("stop_gradient", np.max(x, axis=axis, keepdims=True))
    terms = np.exp(x - top)
    return terms / np.sum(terms, axis=axis, keepdims=True)


FUNCTIONS[scipy.special.softmax] = softmax
