"""bounds: what is proved needs no check, what is not proved has one, and no index escapes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_ir import Writer, random_program, same

from codegen.infer import trace
from codegen.ir import Type, Var
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.ir.listing import dump
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.driver import simplify

I8 = Type("i8")
MESSAGE = "index out of bounds for axis"


def vector(dtype: str = "f8") -> Type:
    return Type(dtype, (Var("n", I8),))


def matrix() -> Type:
    return Type("f8", (Var("n", I8), Var("m", I8)))


def checked(f: Any, *types: Type) -> str:
    p = simplify(trace(f, types).program)
    return dump(check(simplify(check(bounds(p)))))


def stencil(x: Any) -> Any:
    s = 0.0
    for i in range(1, len(x) - 1):
        s += x[i - 1] * x[i] * x[i + 1]
    return s


def paired(x: Any, y: Any) -> Any:
    s = 0.0
    for i in range(min(len(x), len(y)) - 1, -1, -1):
        s += x[i] * y[i]
    for a, b in zip(x, reversed(y)):
        s += a * b
    return s


def backwards(x: Any) -> Any:
    n = len(x)
    s = 0.0
    for i in range(n):
        s += x[n - 1 - i]
    for i in range(n - 1, -1, -1):
        s += x[i] * x[-1]
    return s


def triangle(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s += x[i] * x[j] * x[i - j - 1]
    return s


def nested(m: Any) -> Any:
    s = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            s += m[i, j]
    return s


def guarded(x: Any, k: int) -> Any:
    if k >= 0 and k < len(x):
        return x[k]
    return 0.0


def wrapped(x: Any, k: int) -> Any:
    s = 0.0
    if len(x) > 0:
        s = x[k % len(x)]
    return s


def searching(x: Any) -> Any:
    i = 0
    while i < len(x) and x[i] > 0.0:
        i += 1
    return i


def greatest(x: Any) -> Any:
    return x[np.argmax(x)]


def gathered(x: Any) -> Any:
    return np.sum(x[np.arange(len(x))])


def inner(x: Any) -> Any:
    s = 0.0
    for i in range(max(len(x) - 2, 0)):
        s += x[i + 2]
    return s


def inner_but_one(x: Any) -> Any:
    s = 0.0
    for i in range(max(len(x) - 2, 1)):
        s += x[i + 2]
    return s


def clipped(x: Any, places: Any) -> Any:
    n = len(x)
    if n == 0:
        raise ValueError("nothing")
    return x[np.clip(places, 0, n - 1)]


def neighbours(x: Any, places: Any) -> Any:
    n = len(x)
    if n > 0:
        scale = 2.0
    else:
        raise ValueError("nothing")
    k = np.minimum(np.maximum(places - 1, 0), max(n - 2, 0))
    return scale * x[k] + x[np.minimum(k + 1, n - 1)]


def convolved(x: Any, y: Any) -> Any:
    full = np.zeros(len(x) + len(y) - 1)
    for start in range(0, len(x), 64):
        for j in range(len(y)):
            for i in range(start, min(start + 64, len(x))):
                full[i + j] += x[i] * y[j]
    return full


def convolved_too_far(x: Any, y: Any) -> Any:
    full = np.zeros(len(x) + len(y) - 2)
    for i in range(len(x)):
        for j in range(len(y)):
            full[i + j] += x[i] * y[j]
    return full


def of_one_size(x: Any, y: Any) -> Any:
    if len(x) != len(y):
        raise ValueError("sizes")
    s = 0.0
    for i in range(len(x)):
        s += y[i]
    return s


PLACES = Type("i8", (Var("p", I8),))


@pytest.mark.parametrize(
    ("f", "types"),
    [
        (clipped, (vector(), PLACES)),
        (convolved, (vector(), Type("f8", (Var("m", I8),)))),
        (neighbours, (vector(), PLACES)),
        (of_one_size, (vector(), Type("f8", (Var("m", I8),)))),
        (stencil, (vector(),)),
        (inner, (vector(),)),
        (backwards, (vector(),)),
        (paired, (vector(), Type("f8", (Var("m", I8),)))),
        (triangle, (vector(),)),
        (nested, (matrix(),)),
        (guarded, (vector(), I8)),
        (wrapped, (vector(), I8)),
        (searching, (vector(),)),
        (greatest, (vector(),)),
        (gathered, (vector(),)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_proved(f: Any, types: Any) -> None:
    assert MESSAGE not in checked(f, *types)


def unguarded(x: Any, k: int) -> Any:
    return x[k] + x[k]


def one_too_far(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s += x[i + 1]
    return s


def other_array(x: Any, y: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s += y[i]
    return s


def given(x: Any, idx: Any) -> Any:
    return np.sum(x[idx])


def overflowing(x: Any, k: int) -> Any:
    """k + 1 is negative for the largest int, though k is not."""
    if k >= 0 and k + 1 < len(x):
        return x[k]
    return 0.0


@pytest.mark.parametrize(
    ("f", "types"),
    [
        (unguarded, (vector(), I8)),
        (one_too_far, (vector(),)),
        (convolved_too_far, (vector(), Type("f8", (Var("m", I8),)))),
        (inner_but_one, (vector(),)),
        (other_array, (vector(), vector())),
        (given, (vector(), vector("i8"))),
        (overflowing, (vector(), I8)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_not_proved(f: Any, types: Any) -> None:
    assert checked(f, *types).count(MESSAGE) == 1


def test_the_error_is_numpys() -> None:
    p = bounds(trace(unguarded, (vector(), I8)).program)
    assert evaluate(p, np.arange(3.0), -3) == (0.0,)
    for k in (3, -4):
        with pytest.raises(IndexError, match=f"^index {k} is out of bounds for axis 0 with size 3$"):
            evaluate(p, np.arange(3.0), k)


def twice_at_places(x: Any, y: Any, at: Any, k: Any) -> Any:
    """The second array is as long as the first, and is seen at the same places."""
    z = np.zeros(len(x))
    z[at] = x[at] * 2.0
    z[k] = x[k]
    return z[at] + x[at], y[at]


def test_the_same_places_are_looked_at_once_for_each_size() -> None:
    p = bounds(trace(twice_at_places, (vector(), vector(), Type("i8", (5,)), I8)).program)
    assert dump(p).count(MESSAGE) == 3 and dump(p).count(" all ") == 4
    x, at = np.arange(4.0), np.array([0, -4, 3, 2, 1])
    for places, k in ((at, -1), (at - 1, 0), (at + 1, 0), (at, 4), (at, -5)):
        given = x, x + 1.0, places, k
        try:
            wanted = twice_at_places(*given)
        except IndexError as error:
            with pytest.raises(IndexError) as found:
                evaluate(check(p), *given)
            assert str(found.value) == str(error)
        else:
            assert all(map(np.array_equal, evaluate(check(p), *given), wanted))


def test_negative_indices_are_made_positive_on_request() -> None:
    p = bounds(trace(unguarded, (vector(), I8)).program, normalise=True)
    assert "select" in dump(p)
    assert evaluate(check(p), np.arange(3.0), -3) == (0.0,)
    q = bounds(trace(stencil, (vector(),)).program, normalise=True)
    assert "select" not in dump(q)


class Careless(Writer):
    """Writes indices that may be anywhere."""

    def place(self, b: Any, pool: list[Any], array: Any) -> tuple[Any, ...]:
        if self.rng.random() < 0.7:
            return super().place(b, pool, array)
        ints = [v for v in pool if v.type == I8]
        return (b.wrap(self.pick(ints)) + int(self.rng.integers(-1, 2)),)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(120))
def test_no_index_escapes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What NumPy raises is raised, with its text, also where the value that was read is not needed."""
    monkeypatch.setattr("random_ir.Writer", Careless)
    p, arguments = random_program(seed)
    try:
        want = evaluate(p, *arguments)
    except IndexError as error:
        for run in (bounds, simplify, lambda p: bounds(simplify(p)), lambda p: simplify(bounds(p))):
            with pytest.raises(IndexError) as found:
                evaluate(check(run(p)), *arguments)
            assert str(found.value) == str(error)
        return
    for normalise in (False, True):
        done = check(bounds(p, normalise=normalise))
        assert same(evaluate(done, *arguments), want)
        assert same(evaluate(check(simplify(done)), *arguments), want)
