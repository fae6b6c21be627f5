"""Which random programs there are: a generator each, and its share of a hunt."""

from __future__ import annotations

from collections.abc import Callable

from hunt import arithmetic, control, derivatives, functions, lanes, sequences, writes
from hunt.case import Case

FAMILIES: dict[str, tuple[Callable[[int], Case], int]] = {
    "numbers": (arithmetic.numbers, 4),
    "arrays": (arithmetic.arrays, 4),
    "elementwise": (arithmetic.elementwise, 3),
    "functions": (functions.functions, 4),
    "reductions": (functions.reductions, 3),
    "writes": (writes.writes, 4),
    "sharing": (writes.sharing, 1),
    "sequences": (sequences.sequences, 2),
    "control": (control.control, 3),
    "errors": (control.errors, 3),
    "products": (derivatives.products, 3),
    "joined": (derivatives.joined, 4),
    "loops": (derivatives.loops, 1),
    "recursions": (lanes.recursions, 2),
}


def case_of(family: str, seed: int) -> Case:
    return FAMILIES[family][0](seed)


def shares(count: int) -> dict[str, int]:
    """How many programs of each family, of `count`."""
    whole = sum(weight for _, weight in FAMILIES.values())
    return {name: -(-count * weight // whole) for name, (_, weight) in FAMILIES.items()}
