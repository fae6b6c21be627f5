"""Members of Enums: states and kinds that are known, or of which one is chosen when the program runs."""

from enum import Enum, IntEnum, StrEnum
from typing import Any

import numpy as np
import pytest
from plain_python import complaint
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit


class Stage(Enum):
    WELL = 0
    ILL = 1
    OVER = 2

    @property
    def spreads(self):
        return self is Stage.ILL

    def later(self):
        return Stage.OVER if self is Stage.ILL else Stage.ILL


class Rate(Enum):
    LOW = 0.25
    HIGH = 2.5


class Side(IntEnum):
    LEFT = 0
    RIGHT = 1


class Key(StrEnum):
    A = "a"
    B = "b"


class Person:
    def __init__(self, stage):
        self.stage = stage
        self.days = 0


AROUND: dict[str, Any] = {
    "Stage": Stage, "Rate": Rate, "Side": Side, "Key": Key, "Person": Person, "COST": {Stage.WELL: 0.5, Stage.ILL: 2.0}
}  # fmt: skip

STEPS = """
    stage, t = Stage.WELL, 0.0
    for k in range(n):
        if stage is Stage.WELL and x * k > 1.0:
            stage = Stage.ILL
        elif stage == Stage.ILL and k % 4 == 0:
            stage = Stage.OVER
        t += x**2 if stage in (Stage.ILL, Stage.OVER) else x
    return t"""

METHODS = """
    stage, count = Stage.WELL, 0
    for _ in range(n):
        stage = stage.later()
        count += stage.spreads
    return count, stage, stage.value, stage.name"""

VALUES = """
    rate = Rate.LOW
    for _ in range(n):
        x += rate.value * x
        rate = Rate.HIGH if x < 3.0 else Rate.LOW
    return x"""

DICTS = """
    stage, weight, seen = Stage.WELL, {Stage.WELL: 1.0, Stage.ILL: x, Stage.OVER: 3.0}, {s: 0 for s in Stage}
    for k in range(n):
        match stage:
            case Stage.WELL:
                stage = Stage.ILL
            case _:
                stage = Stage(k % 3)
        x += weight[stage] + COST.get(Stage.ILL, 1.0)
        seen[stage] += k
    return x, seen, COST[Stage.WELL]"""

LISTED = """
    stages, log = [Stage.WELL for _ in range(n)], [Stage.OVER]
    for k in range(n):
        if k % 3 == 0:
            stages[k] = Stage.ILL
        log.append(stages[k])
    counts = log.count(Stage.ILL), sum(s in (Stage.ILL, Stage.OVER) for s in stages), len(Stage)
    return log, counts, [s.value for s in Stage]"""

OBJECTS = """
    people = [Person(Stage.ILL if k == 0 else Stage.WELL) for k in range(n)]
    for _ in range(2):
        for k in range(1, n):
            if people[k - 1].stage.spreads and people[k].stage is Stage.WELL:
                people[k].stage = Stage.ILL
        for p in people:
            p.days += p.stage is Stage.ILL
    return [p.days for p in people], sum(p.stage == Stage.WELL for p in people)"""

NONE = """
    last = None
    for k in range(n):
        if x * k > 1.0:
            last = Stage.OVER
    return last is None, last == Stage.OVER"""

NUMBERS = """
    side, counts, items = Side.LEFT, [0] * len(Side), [(0.5, Side.LEFT)]
    for k in range(n):
        side = Side.RIGHT if side == Side.LEFT else Side.LEFT
        counts[Side(k % 2)] += 1
        items.append((items[-1][0] * 2, side))
    return side + Side.RIGHT.value * x, counts, sum(t for t, s in items if s == Side.RIGHT), len(Side.LEFT.name)"""

TEXTS = """
    key = Key.A if x > 1.0 else Key.B
    return key == "a", key == Key.B, n"""

PROGRAMS = [STEPS, METHODS, VALUES, DICTS, LISTED, OBJECTS, NONE, NUMBERS, TEXTS]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("text", PROGRAMS)
def test_members_are_chosen(text: str, target: str) -> None:
    for x, n in ((0.7, 4), (1.5, 7)):
        assert complaint(text, {"x": x, "n": n}, target=target, around=AROUND) is None


def function_of(text: str) -> Any:
    made = loaded(f"def f(x, n):\n{text}\n")
    made.__globals__.update(AROUND)
    return made


@pytest.mark.parametrize("text", [STEPS, VALUES])
def test_derivatives_and_lanes(text: str) -> None:
    f, xs = function_of(text), np.array([0.2, 0.7, 1.5])
    np.testing.assert_allclose(batch(f, in_axes=(0, None))(xs, 6), [f(x, 6) for x in xs])
    np.testing.assert_allclose(grad(f)(0.7, 6), (f(0.7 + 1e-6, 6) - f(0.7 - 1e-6, 6)) / 2e-6, rtol=1e-6)


def test_given_and_returned() -> None:
    def marked(x, stage, side):
        if side == Side.RIGHT:
            x += side
        return Stage.ILL if x > 1.0 else stage

    assert jit(marked)(0.5, Stage.OVER, Side.RIGHT) is Stage.ILL
    assert jit(marked)(0.5, Stage.OVER, Side.LEFT) is Stage.OVER
    made = batch(marked, in_axes=(0, None, None))(np.array([0.5, 2.0]), Stage.WELL, Side.LEFT)
    assert [*made] == [Stage.WELL, Stage.ILL]


def test_messages_name_them() -> None:
    def failing(x):
        stage = Stage.ILL if x > 1.0 else Stage.OVER
        raise ValueError(f"in {stage}, which is {stage.name}")

    with pytest.raises(ValueError, match=r"in Stage\.ILL, which is ILL"):
        jit(failing)(2.0)


def test_a_value_of_none() -> None:
    with pytest.raises(ValueError, match="not a valid Stage"):
        jit(lambda n: Stage(n) is Stage.ILL)(7)


def test_two_enums_are_two_kinds() -> None:
    with pytest.raises(SourceError, match=r"Stage.ILL.* on one way to here and .*Rate.LOW.* on another"):
        jit(lambda x: (Stage.ILL if x > 1.0 else Rate.LOW) is Stage.ILL)(2.0)
