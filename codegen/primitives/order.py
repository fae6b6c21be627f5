"""Numbers in order (runtime/ordering): of floats, int64 and int32, which hold the other dtypes."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from codegen.ir import Atom, Type
from codegen.ir.build import Builder
from codegen.ir.kinds import Order
from codegen.lazy import lazily
from codegen.primitives.row import lowers, row
from codegen.runtime.ordering import order

# Numba comes with them.
sorting = lazily("codegen.runtime.ordering.sorting")
sorted_rows = lazily("codegen.runtime.ordering.sorted_rows")
selection = lazily("codegen.runtime.ordering.selection")
searching = lazily("codegen.runtime.ordering.searching")


def comparison_count(x: tuple[int, ...], *others: tuple[int, ...]) -> float:
    return 4.0 * prod(x) * max(x[-1], 2).bit_length()


def type_of_places(x: Atom, *others: Atom) -> Type:
    return Type("i8", x.type.shape)


def row_change(t: Any, out: Any, x: Any) -> Any:
    """Each row's tangents in the order of its elements."""
    rows = x.builder.apply("arange", x.shape[0], dtype="i8")
    return t[rows[:, None], x.builder.apply("places_in_rows", x)]


# fmt: off
row("ordered", order.ordered, lambda x: Type(x.type.dtype, x.type.shape), "linalg", call="ordered",
    helper="ordered_by_bytes", definition=lambda: sorting.ordered_by_merging.py_func, work=comparison_count,
    jvp=(lambda t, out, x: t[x.builder.apply("places_in_order", x)],))
row("places_in_order", order.places_in_order, type_of_places, "linalg", call="places_in_order", helper="order_by_bytes",
    definition=lambda: sorting.order_by_merging.py_func, work=comparison_count, kind=Order.PLACES, jvp=(None,))
row("ordered_rows", order.ordered_rows, lambda x: Type(x.type.dtype, x.type.shape), "linalg", call="ordered_rows",
    helper="ordered_rows_by_bytes", definition=lambda: sorted_rows.ordered_rows_by_merging.py_func,
    work=comparison_count, jvp=(row_change,))
row("places_in_rows", order.places_in_rows, type_of_places, "linalg", call="places_in_rows",
    helper="order_of_rows_by_bytes", definition=lambda: sorted_rows.order_of_rows_by_merging.py_func,
    work=comparison_count, kind=Order.PLACES, jvp=(None,))
row("places_of_ranks", order.places_of_ranks, lambda x, ranks: Type("i8", ranks.type.shape), "linalg",
    call="places_of_ranks", helper="places_by_selection", definition=lambda: selection.places_by_merging.py_func,
    work=comparison_count, kind=Order.PLACES, jvp=(None, None))
row("places_of_few_ranks", order.places_of_ranks, lambda x, ranks: Type("i8", ranks.type.shape), "linalg",
    call="places_of_ranks", helper="few_places_by_selection",
    definition=lambda: selection.places_by_merging.py_func, work=comparison_count, kind=Order.PLACES, jvp=(None, None))
row("places_in_parts", order.places_in_parts, type_of_places, "linalg", call="places_in_parts",
    helper="parts_by_selection", definition=lambda: selection.parts_by_merging.py_func, work=comparison_count,
    kind=Order.PLACES, jvp=(None, None))
row("in_parts", order.in_parts, lambda x, rank: Type(x.type.dtype, x.type.shape), "linalg", call="in_parts",
    helper="in_parts_by_selection", definition=lambda: selection.in_parts_by_merging.py_func, work=comparison_count,
    jvp=(lambda t, out, x, rank: t[x.builder.apply("places_in_parts", x, rank)], None))
row("places_among", order.places_among, lambda a, x, from_right: Type("i8", x.type.shape), "linalg",
    call="places_among", helper="places_by_halving", definition=lambda: searching.places_one_by_one.py_func,
    work=lambda a, x, from_right: 4.0 * x[0] * max(a[0], 2).bit_length(), kind=Order.AMONG, jvp=(None, None, None))
# fmt: on


def row_of_arrays(name: str) -> Callable[..., Any]:
    return lambda b, *operands: b.apply(name, *operands)


for _name in (
    "ordered",
    "places_in_order",
    "ordered_rows",
    "places_in_rows",
    "places_in_parts",
    "in_parts",
    "places_among",
):
    lowers(getattr(order, _name))(row_of_arrays(_name))


@lowers(order.places_of_ranks)
def build_places_of_ranks(b: Builder, x: Any, ranks: Any) -> Any:
    number = b.atom(ranks).type.shape[0]
    few = isinstance(number, int) and number <= order.MOST_SELECTED
    return b.apply("places_of_few_ranks" if few else "places_of_ranks", x, ranks)
