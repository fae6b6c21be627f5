"""Discrete Fourier transforms of arrays of complex numbers, whose parts lie one after the other (runtime/fourier/).

    x: f8[2, m, n, k]      real and imaginary parts; sums along the axis of n numbers

They are linear, and symmetric as matrices of complex numbers: of the two parts as real numbers the transpose of each is
the other.
"""

from __future__ import annotations

from math import log2, prod
from typing import Any

from codegen.ir.build import Builder
from codegen.ir.primitive import LINEAR
from codegen.lazy import lazily
from codegen.primitives.row import lowers, row
from codegen.runtime.fourier.sums import fourier_back, fourier_forth

compiled = lazily("codegen.runtime.fourier.terms")  # Numba comes with it


def fourier_work(x: tuple[int, ...]) -> float:
    return prod(x) * (10.0 + 2.5 * log2(max(x[2], 1)))


# fmt: off
row("fourier_forth", fourier_forth, lambda x: x.type, "linalg", call="fourier_forth", helper="fourier_forth_in_stages",
    definition=lambda: compiled.fourier_forth_by_terms.py_func, work=fourier_work,
    for_lanes=(4e3, "fourier_forth_in_stages"),
    jvp=LINEAR, linear=(0,), transpose={0: lambda ct, x: ct.builder.apply("fourier_back", ct)})
row("fourier_back", fourier_back, lambda x: x.type, "linalg", call="fourier_back", helper="fourier_back_in_stages",
    definition=lambda: compiled.fourier_back_by_terms.py_func, work=fourier_work,
    for_lanes=(4e3, "fourier_back_in_stages"),
    jvp=LINEAR, linear=(0,), transpose={0: lambda ct, x: ct.builder.apply("fourier_forth", ct)})
# fmt: on


@lowers(fourier_forth)
def forth(b: Builder, x: Any) -> Any:
    return b.apply("fourier_forth", x)


@lowers(fourier_back)
def back(b: Builder, x: Any) -> Any:
    return b.apply("fourier_back", x)
