"""Spherical Bessel functions, which differentiate by their neighbours without a division by their argument (DLMF
10.51.1 and 10.51.4): also of small ones and of 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from codegen.ir.build import Builder
from codegen.primitives.row import lowers, row
from codegen.primitives.special_functions.float64_row import float64_of, meaning_in_float64

Function = Callable[[Any, Any], Any]


def spherical(function: Callable[..., Any], below: float, above: float) -> tuple[Function, Function]:
    """A row for a function of SciPy's, and the functions that it and its slope are in definitions: the slope is the
    function of the order below n times and that above n + 1 times, with these signs, over 2 n + 1."""
    name = function.__name__

    def of_order(n: Any, z: Any) -> Any:
        return function(n, z)

    def no_slope_by_order(t: Any, out: Any, n: Any, z: Any) -> Any:
        raise TypeError(f"{name}: no derivative with respect to the order, which is an int")

    def slope_of_order(n: Any, z: Any) -> Any:
        return function(n, z, derivative=True)

    @lowers(slope_of_order)
    def slope(b: Builder, n: Any, z: Any) -> Any:
        smaller, larger = b.apply(name, np.maximum(n - 1.0, 0.0), z), b.apply(name, n + 1.0, z)
        return ((below * n) * smaller + (above * (n + 1.0)) * larger) / (2.0 * n + 1.0)

    row(
        name,
        meaning_in_float64(of_order, 2),
        float64_of(2),
        "elementwise",
        call=f"scipy.special.{name}",
        helper=name,
        cost=300,
        jvp=(no_slope_by_order, lambda t, out, n, z: t * slope(z.builder, n, z)),
    )

    @lowers(of_order)
    def build(b: Builder, n: Any, z: Any) -> Any:
        return b.apply(name, n, z)

    return of_order, slope_of_order


spherical_first, spherical_first_slope = spherical(special.spherical_jn, 1.0, -1.0)
spherical_second, spherical_second_slope = spherical(special.spherical_yn, 1.0, -1.0)
spherical_growing, spherical_growing_slope = spherical(special.spherical_in, 1.0, 1.0)
spherical_falling, spherical_falling_slope = spherical(special.spherical_kn, -1.0, -1.0)
