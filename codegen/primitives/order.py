"""Numbers in order (runtime/order.py): of float64 and int64, which hold the other dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codegen.ir import Type
from codegen.lazy import lazily
from codegen.primitives.reduce import as_array
from codegen.primitives.row import lowers, row
from codegen.runtime.order import ordered, places_in_order

compiled = lazily("codegen.runtime.sorting")  # Numba comes with it


def comparisons(x: tuple[int, ...]) -> float:
    return 4.0 * x[0] * max(x[0], 2).bit_length()


# fmt: off
row("ordered", ordered, lambda x: Type(x.type.dtype, x.type.shape), "linalg", call="ordered", helper="ordered_by_bytes",
    definition=lambda: compiled.ordered_by_merging.py_func, work=comparisons,
    jvp=(lambda t, out, x: t[x.builder.apply("places_in_order", x)],))
row("places_in_order", places_in_order, lambda x: Type("i8", x.type.shape), "linalg", call="places_in_order",
    helper="order_by_bytes", definition=lambda: compiled.order_by_merging.py_func, work=comparisons, jvp=(None,))
# fmt: on


def of_vector(name: str) -> Callable[..., Any]:
    return lambda b, x: b.apply(name, as_array(b, x))


lowers(ordered)(of_vector("ordered"))
lowers(places_in_order)(of_vector("places_in_order"))
