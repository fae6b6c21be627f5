"""The machine for Numba: lanes' arrays side by side in one memory, stacks, and text that stands alone."""

import re
from typing import Any

import numpy as np
import pytest
from corpus.calls import fibonacci
from corpus.draws import rejection
from over_lanes import directory, same_as_loop  # noqa: F401

from autobatch import LaneError, Schedule, batch
from codegen import SourceError

PROGRAM_COUNTER = Schedule("program_counter")


def places(x, m, k):
    y = x.copy()
    y[k] = m[k // 2, k % 2] + x[-1]
    y[k - 1] += m[-1 - k % 2, (k + 1) % 2]
    z = m.reshape(4)[k] + m.T[k % 2, k // 2]
    return y, y[k - 3], z, np.argmax(m), m[:, k % 2]


def nothing(x):
    y = x * 2.0
    for k in range(len(x)):
        y[k] += 1.0
    return y, np.sum(y), len(y)


def stack_machine(codes, values):
    """A stack in an array: push (0), pop (1), add to the top (2); what was read, and how deep it was."""
    stack = np.zeros(1000)
    depth, read, deepest = 0, 0.0, 0
    for k in range(len(codes)):
        if codes[k] == 0:
            if depth == len(stack):
                raise OverflowError("the stack is full")
            stack[depth] = values[k]
            depth += 1
        elif depth == 0:
            raise LookupError("the stack is empty")
        elif codes[k] == 1:
            depth -= 1
            read = read * 0.5 + stack[depth]
        else:
            stack[depth - 1] += values[k]
        deepest = max(deepest, depth)
    return read, depth, deepest


def test_places_count_from_either_end() -> None:
    m = np.arange(4.0).reshape(2, 2)
    lanes = [
        (np.array([1.0, 2.0, 3.0, 4.0]) * s, m - s, k) for s, k in [(1.0, 0), (2.0, 1), (3.0, 2), (-1.0, 3)]
    ]
    same_as_loop(batch(places, schedule=PROGRAM_COUNTER), places, lanes)


def test_arrays_without_elements() -> None:
    same_as_loop(batch(nothing, schedule=PROGRAM_COUNTER), nothing, [(np.zeros(0),), (np.zeros(0),)])


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_a_stack_against_a_list(target: str) -> None:
    random = np.random.default_rng(6)
    codes = random.choice(3, size=(40, 2500), p=[0.5, 0.3, 0.2])
    codes[:30, :40] = 0  # the others find their stack empty sooner or later
    codes[20:30] = 0
    values = random.normal(size=codes.shape)
    expected: list[Any] = []
    for lane in range(40):
        try:
            expected.append(stack_machine(codes[lane], values[lane]))
        except (OverflowError, LookupError) as error:
            expected.append(error)
    with pytest.raises(LaneError) as raised:
        batch(stack_machine, schedule=PROGRAM_COUNTER, target=target)(codes, values)
    failures = {f.lane: (f.exception, f.message) for f in raised.value.failures}
    assert failures == {
        k: (type(e).__name__, str(e)) for k, e in enumerate(expected) if isinstance(e, Exception)
    }
    assert {name for name, _ in failures.values()} == {"OverflowError", "LookupError"}
    for k, wanted in enumerate(expected):
        if k not in failures:
            found = [column[k] for column in raised.value.results]
            np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_sizes_that_only_running_tells() -> None:
    def tail(x, k):
        part = x[k:]
        return part

    with pytest.raises(
        SourceError, match="is not known before the program runs.*use the largest size and a mask"
    ) as error:
        batch(tail, schedule=PROGRAM_COUNTER)(np.ones((2, 3)), np.array([1, 2]))
    assert error.value.filename == __file__ and error.value.text.strip() == "part = x[k:]"


def test_sizes_that_only_running_tells_in_kernels() -> None:
    def settled(x):
        while True:
            s = x[x > 0.0].sum()
            x = 0.1 * x + s
            if s < 1e-3:
                return x

    with pytest.raises(SourceError, match="is not known before the program runs") as error:
        batch(settled, target="cuda").source(np.ones((2, 3)))
    assert error.value.filename == __file__ and error.value.text.strip() == "s = x[x > 0.0].sum()"


@pytest.mark.parametrize("f", [fibonacci, rejection])
def test_the_text_stands_alone(f: Any) -> None:
    from corpus import CASES
    from over_lanes import arguments

    (case,) = [c for c in CASES if c.function is f]
    text = batch(f, schedule=PROGRAM_COUNTER).source(*arguments(case.lanes())[0])
    imported = re.findall(r"^(?:import|from) (\w+)", text, re.M)
    assert set(imported) <= {"concurrent", "math", "numba", "numpy", "os"}
    assert text == batch(f, schedule=PROGRAM_COUNTER).source(*arguments(case.lanes())[0])
    compile(text, "text", "exec")
