"""Bessel functions of any order, which differentiate by their recurrences (DLMF 10.6.1 and 10.29.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from codegen.primitives.special_functions.float64_row import float64_row


def no_slope_by_order(ufunc: np.ufunc) -> Callable[..., Any]:
    def refuse(t: Any, out: Any, v: Any, x: Any) -> Any:
        raise TypeError(
            f"{ufunc.__name__}: no derivative with respect to the order: differentiate with respect to other arguments"
        )

    return refuse


def slope(
    ufunc: np.ufunc, below: float, above: float, own: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Of the functions of the orders beside it, so many times each; and of its factor's."""

    def rule(t: Any, out: Any, v: Any, x: Any) -> Any:
        made = below * ufunc(v - 1.0, x) + above * ufunc(v + 1.0, x)
        return t * (made if own is None else made + own(x) * out)

    return rule


for _ufunc, _helper, _below, _above, _own in (
    (special.jv, "bessel_jv", 0.5, -0.5, None),
    (special.yv, "bessel_yv", 0.5, -0.5, None),
    (special.iv, "bessel_iv", 0.5, 0.5, None),
    (special.kv, "bessel_kv", -0.5, -0.5, None),
    (special.ive, "bessel_ive", 0.5, 0.5, lambda x: -np.sign(x)),
    (special.kve, "bessel_kve", -0.5, -0.5, lambda x: 1.0),
):
    float64_row(_ufunc, _helper, no_slope_by_order(_ufunc), slope(_ufunc, _below, _above, _own))
