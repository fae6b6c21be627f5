"""The passes over the statements of a group's block, in order; each is checked after, and told to who asks.

copy elision     copies of arrays that nobody needs are never made
eager choices    side by side: what would be a branch is computed for all
chosen places    lane by lane: branches that only copy arrays choose a place
reciprocals      side by side: divisions by what is known beforehand
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial

from autobatch.kernel.check import check
from autobatch.kernel.copy_elision import elide_copies
from autobatch.kernel.ir import Memory, Region
from autobatch.kernel.lower import Lowering
from autobatch.kernel.reciprocals import with_reciprocals
from autobatch.kernel.select_conversion import chosen_places, eager
from codegen.ir import Apply, Lit

Pass = Callable[[Region], Region]
LOWERED = "kernel"


def block_passes(
    low: Lowering,
    divisions: Mapping[Apply, Lit | Apply],
    inverse: Callable[[Memory], Memory | None],
    *,
    vectors: bool,
) -> dict[str, Pass]:
    """`divisions` by what is known beforehand; `inverse`: where the reciprocals of an array are."""
    first: dict[str, Pass] = {"copy elision": partial(elide_copies, low=low)}
    if not vectors:
        return {**first, "chosen places": chosen_places}
    reciprocals = partial(with_reciprocals, divisions=divisions, low=low, inverse=inverse)
    return {**first, "eager choices": eager, "reciprocals": reciprocals}


def after_passes(
    steps: Mapping[str, Pass], region: Region, *, vectors: bool, known: Collection[str]
) -> Iterator[tuple[str, Region]]:
    """A region as it is lowered, and after each pass, by its name; `known`: the registers it begins with."""
    yield LOWERED, check(region, after=LOWERED, vectors=vectors, known=known)
    for name, step in steps.items():
        region = check(step(region), after=name, vectors=vectors, known=known)
        yield name, region
