"""Random programs: what is traced computes what plain Python does, or was refused because arrays may be one."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_infer import assert_same, computed, traced
from user_programs import UserProgram, loaded

from codegen.pytree import any_size, known_size
from codegen.source import SourceError

# What may be refused in these programs: aliasing that in-place writes could not follow exactly.
ALIASING = (
    "may share memory",
    "may be the same array",
    "may be the array that was",
    "may be a view",
    "may overlap",
    "may be a part of",
)


def arguments() -> tuple[Any, ...]:
    return 3, 0.75, np.array([1.0, -2.0, 3.0]), np.array([0.5, 2.0, -1.0])


def outcome(run: Any) -> Any:
    """What a run gives, the error for a name without a value included."""
    try:
        with np.errstate(all="ignore"):
            return run()
    except UnboundLocalError as error:
        return type(error)


def check_program(text: str, sizes: Any) -> bool:
    """Whether the program is transformed; it then has to mean what it says."""
    f = loaded(text)
    expected = outcome(lambda: f(*arguments()))
    try:
        made = traced(f, arguments(), sizes)
    except SourceError as error:
        message = error.problems[0][1]
        assert any(words in message for words in ALIASING), message
        return False
    given = outcome(lambda: computed(made, arguments()))
    assert given is expected if isinstance(expected, type) else True
    if not isinstance(expected, type):
        assert_same(given, expected, widens=True)
    return True


@pytest.mark.turns(8)
@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.randoms(use_true_random=False), st.sampled_from([any_size, known_size]))
def test_random_programs(choose: random.Random, sizes: Any) -> None:
    check_program(UserProgram(choose).text, sizes)


@pytest.mark.turns(4)
@pytest.mark.sampled(6)
@pytest.mark.parametrize("first", range(0, 250, 50))
def test_most_random_programs_are_transformed(first: int) -> None:
    programs = [UserProgram(random.Random(seed)).text for seed in range(first, first + 50)]
    assert sum(check_program(text, any_size) for text in programs) > 35
