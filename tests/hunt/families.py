"""Which random programs there are: a generator each, and its share of a hunt."""

from __future__ import annotations

from collections.abc import Callable

from hunt import (
    arithmetic,
    complex_numbers,
    compositions,
    control,
    customs,
    derivatives,
    draws,
    dtypes,
    functions,
    grown,
    halves,
    lanes,
    list_arguments,
    lists,
    models,
    number_keys,
    ragged,
    sequences,
    shown,
    sizes,
    small,
    structures,
    tries,
    views,
    writes,
)
from hunt.case import Case

FAMILIES: dict[str, tuple[Callable[[int], Case], int]] = {
    "numbers": (arithmetic.numbers, 8),
    "arrays": (arithmetic.arrays, 8),
    "elementwise": (arithmetic.elementwise, 6),
    "functions": (functions.functions, 8),
    "dtypes": (dtypes.dtypes, 6),
    "reductions": (functions.reductions, 6),
    "writes": (writes.writes, 8),
    "sharing": (writes.sharing, 2),
    "sequences": (sequences.sequences, 4),
    "lists": (lists.lists, 4),
    "list_arguments": (list_arguments.list_arguments, 3),
    "grown": (grown.grown, 3),
    "number_keys": (number_keys.number_keys, 4),
    "control": (control.control, 6),
    "optional": (control.optional, 3),
    "errors": (control.errors, 6),
    "tries": (tries.tries, 5),
    "products": (derivatives.products, 4),
    "joined": (derivatives.joined, 5),
    "customs": (customs.customs, 3),
    "loops": (derivatives.loops, 1),
    "nests": (derivatives.nests, 2),
    "tables": (derivatives.tables, 3),
    "ragged": (ragged.ragged, 4),
    "neighbours": (control.neighbours, 2),
    "recursions": (lanes.recursions, 4),
    "halves": (halves.halves, 2),
    "draws": (draws.draws, 4),
    "drawn": (draws.drawn, 4),
    "models": (models.models, 3),
    "compositions": (compositions.compositions, 1),
    "sizes": (sizes.sizes, 5),
    "small": (small.small, 5),
    "structures": (structures.structures, 6),
    "structured": (structures.structured, 3),
    "views": (views.views, 6),
    "viewed": (views.viewed, 3),
    "shown": (shown.shown, 4),
    "complex": (complex_numbers.complex_numbers, 5),
}


def case_of(family: str, seed: int) -> Case:
    return FAMILIES[family][0](seed)


def shares(count: int) -> dict[str, int]:
    """How many programs of each family, of `count`."""
    whole = sum(weight for _, weight in FAMILIES.values())
    return {name: -(-count * weight // whole) for name, (_, weight) in FAMILIES.items()}
