"""batch: the corpus over lanes, axes, numbers of lanes, threads, streams, products with what is shared."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from corpus import CASES, Case
from corpus.calls import fibonacci, iota_sum
from corpus.draws import drawn_in_recursion, one_of_each, random_walk_metropolis
from corpus.loops import halvings
from over_lanes import arguments, directory, row, same, same_as_loop  # noqa: F401

from autobatch import LaneError, Schedule, batch, streams
from codegen import SourceError

FORMS = [("numba", "program_counter"), ("numpy", "program_counter"), ("numpy", "local_static")]
ALL = [*FORMS, ("numba", "local_static"), ("numba", "auto")]
MASK = "use the largest size and a mask (np.where), or a loop over the elements"

# Programs with arrays whose size would be another one in each lane.
UNSIZED = {
    "creation_of_runtime_size", "reading_elements", "reading_matrices", "sized_draws", "over_slices",
    "recurrence_in_place",
}  # fmt: skip
REFUSED = {
    "numba": {*UNSIZED, "view_of_a_view_in_a_loop", "arrays_that_grow"},
    "numpy": {*UNSIZED, "arrays_that_grow"},
}


def batched(case: Case, target: str, form: str) -> Any:
    _, axes = arguments(case.lanes(), case.shared)
    return batch(case.function, axes, schedule=Schedule(form), target=target)


@pytest.mark.parametrize("target, form", FORMS)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_corpus(case: Case, target: str, form: str) -> None:
    many = batched(case, target, form)
    given, _ = arguments(case.lanes(), case.shared)
    if case.name == "sizes_differ":
        with pytest.raises(SourceError, match=r"f8\[2\] and f8\[3\] do not broadcast together"):
            many(*given)
    elif case.raises:
        with pytest.raises(LaneError) as error:
            many(*given)
        assert error.value.lanes == tuple(range(len(case.examples)))
        assert {f.exception for f in error.value.failures} == {case.raises.__name__}
    elif case.name in REFUSED[target]:
        with pytest.raises(SourceError) as refused:
            many(*given)
        assert refused.value.filename.endswith(".py") and refused.value.lineno
        if case.name in UNSIZED:
            assert MASK in str(refused.value)
    else:
        same_as_loop(many, case.function, case.examples, case.shared, widens="widens" in case.marks)
