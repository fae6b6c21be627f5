"""Airy's functions and their slopes: each has the other's slope, by y'' = x y."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scipy import special

from codegen.ir.build import Builder
from codegen.primitives.row import lowers, row
from codegen.primitives.special_functions.float64_row import float64_of, meaning_in_float64


def airy_part(name: str, place: int, slope: Callable[..., Any]) -> Callable[[Any], Any]:
    """A row for one of what scipy.special.airy gives, and the function that it is in definitions."""

    def part(x: Any) -> Any:
        return special.airy(x)[place]

    row(
        name,
        meaning_in_float64(part, 1),
        float64_of(1),
        "elementwise",
        helper=name,
        cost=300,
        jvp=(lambda t, out, x: t * slope(x),),
        form=lambda x, *, rank, lib: (f"scipy.special.airy({x})[{place}]", 100),
    )

    @lowers(part)
    def build(b: Builder, x: Any) -> Any:
        return b.apply(name, x)

    return part


airy_ai = airy_part("airy_ai", 0, lambda x: x.builder.apply("airy_ai_slope", x))
airy_ai_slope = airy_part("airy_ai_slope", 1, lambda x: x * x.builder.apply("airy_ai", x))
airy_bi = airy_part("airy_bi", 2, lambda x: x.builder.apply("airy_bi_slope", x))
airy_bi_slope = airy_part("airy_bi_slope", 3, lambda x: x * x.builder.apply("airy_bi", x))
