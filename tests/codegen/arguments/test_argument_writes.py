"""Arguments are the caller's arrays: what compiled code leaves in them, as far as it comes, and what it gives back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import LaneError, Schedule, batch
from autodiff import grad, jacobian, jvp, vjp
from codegen import SourceError, jit


def line() -> np.ndarray:
    return np.arange(5.0)


def table() -> np.ndarray:
    return np.arange(12.0).reshape(3, 4)


def scaled(x, out):
    out[:] = x * 2.0
    x[0] = 5.0
    for i in range(len(x)):
        out[i] += x[i]
    return x, out[1:], x.copy()


def swapped(x, y):
    t = x.copy()
    x[:] = y
    y[:] = t


def equal_values(x, y):
    a = x * 1.0
    x[:] = y
    y[:] = a
    return x * 1.0, x, a, y[1:], x + 0.0, x[1:] * 1.0


def backwards(x):
    x[:] = x[::-1]


def turned(x):
    """The result's contents are what the argument held before its last write."""
    x[1] += 1.0
    x[::-1] = x
    return x[::-1], x[1:] + 0.0


def parts(X, c):
    if c:
        X[0] = 1.5
    else:
        X[:, 1] = X[:, 0] * 2
    rows = X[1:]
    rows[1] += 1.0
    return X


def step(x, k):
    x[k] = x[k - 1] + 1
    x *= 2.0


def nested(x, d):
    for i in range(3):
        step(x, i)
        step(d["a"], i)
    x[0] = 7
    return d


def recursive(x, n):
    if n == 0:
        return
    x[n] += 1.0
    recursive(x, n - 1)


def halved(x, n):
    while n > 0:
        x[:] = x * 0.5
        x[n] = n
        n -= 1


def stencil(a, b, steps):
    for _ in range(steps):
        b[1:-1] = 0.33 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33 * (b[:-2] + b[1:-1] + b[2:])


def captured(x):
    def inner(k):
        x[k] = k

    inner(1)
    inner(2)


def tripled(x):
    x[:] = x * 3


def failing(x, n):
    tripled(x)
    for t in range(3):
        x[:] = x + 1
        if t == n:
            raise ValueError("stop")
    x[:] = 0.0
    if x[0] < 1.0:
        raise ValueError("end")


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (scaled, (line, line)),
    (swapped, (line, lambda: np.ones(5))),
    (equal_values, (line, lambda: np.ones(5))),
    (backwards, (line,)),
    (turned, (line,)),
    (parts, (table, lambda: True)),
    (parts, (table, lambda: False)),
    (nested, (line, lambda: {"a": np.ones(4), "b": np.zeros(2)})),
    (recursive, (line, lambda: 3)),
    (halved, (line, lambda: 3)),
    (stencil, (line, lambda: np.ones(5), lambda: 3)),
    (captured, (line,)),
    (failing, (line, lambda: 1)),
    (failing, (line, lambda: 7)),
]


def outcome(f: Callable[..., Any], arguments: list[Any]) -> str:
    try:
        found = f(*arguments)
    except ValueError as error:
        found = str(error)
    return f"{found!r} {arguments!r}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_callers_see_writes(target: str) -> None:
    for f, makers in PROGRAMS:
        plain = outcome(f, [make() for make in makers])
        assert outcome(jit(f, target=target), [make() for make in makers]) == plain, f.__name__


def returned(x, y):
    y[0] = 1.0
    return y, (x, x), x[1:]


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_an_argument_returned_is_the_callers(target: str) -> None:
    x, y = line(), line()
    a, (b, c), part = jit(returned, target=target)(x, y)
    assert a is y
    assert b is x
    assert c is x
    assert np.shares_memory(part, x)
    assert jit(lambda x: x, target=target)(x) is x


def total(a):
    made = 0.0
    for v in a:
        made += v
    return made


def turned(x, a):
    x.reverse()
    return (total(a),)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_what_is_left_in_arguments_after_a_call_that_is_returned(target: str) -> None:
    x = [3.0, 1.0, 2.0]
    assert jit(turned, target=target)(x, np.ones(3)) == (3.0,)
    assert x == [2.0, 1.0, 3.0]


def row_written_before_a_check(u, n):
    row = u[0]
    u[0][0] = 3.0
    if n > 5:
        raise ValueError(n)
    return row


def test_a_view_of_what_was_written_is_returned_on_one_way() -> None:
    u = np.ones((3, 4))
    assert list(jit(row_written_before_a_check, target="numpy")(u, 1)) == [3.0, 1.0, 1.0, 1.0]
    rows = [[1.0, 2.0], [3.0, 4.0]]
    assert jit(row_written_before_a_check, target="numpy")(rows, 1) == [3.0, 2.0]


def test_results_are_apart_from_arguments() -> None:
    x = line()
    for f in (
        lambda x: x * 1.0,
        lambda x: (x * 1.0)[1:],
        lambda x: x.copy(),
        lambda x: (x + 0.0).reshape(5, 1),
    ):
        assert not np.shares_memory(jit(f, target="numpy")(x), x)
    found = grad(lambda x, y: np.sum(x * y), target="numpy")(x, line())
    assert not np.shares_memory(found, x)


def summed(x, y):
    for i in range(len(x)):
        x[i] = x[i] + y[i]
    return x.sum()


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_layouts_and_overlaps(target: str) -> None:
    f = jit(summed, target=target)
    x, y = line(), line()
    assert f(x, x) == summed(y, y)
    assert np.array_equal(x, y)
    assert f(x[:], x) == summed(y[:], y)
    assert f(x[:2], x[2:4]) == summed(y[:2], y[2:4])
    assert f(x[::2], x[1::-1].repeat(2)[:3]) == summed(y[::2], y[1::-1].repeat(2)[:3])
    assert f(x[::-1], np.ones(5)) == summed(y[::-1], np.ones(5))
    assert np.array_equal(x, y)
    m, n = np.asfortranarray(table()), np.asfortranarray(table())
    assert f(m[:, 1], m[:, 2]) == summed(n[:, 1], n[:, 2])
    assert np.array_equal(m, n)
    swapped_bytes = line().astype(">f8")
    f(swapped_bytes, np.ones(5))
    assert np.array_equal(swapped_bytes, line() + 1.0)
    assert f(np.empty(0), np.empty(0)) == 0.0
    with pytest.raises(
        ValueError, match="summed writes into argument 'x', which shares memory with argument 'y'"
    ):
        f(x[1:], x[:-1])
    before = line()
    before.flags.writeable = False
    with pytest.raises(ValueError, match="^assignment destination is read-only") as caught:
        f(before, y)
    assert str(caught.value) == "assignment destination is read-only"
    assert caught.value.__notes__ == ["argument 'x' of summed, which writes into it"]
    assert f(y, before) == summed(x, before)


def cells(d):
    d["u"][0] = d["v"][1] + 1.0
    d["v"][:] = 9.0


def test_one_array_in_two_places_of_a_nest() -> None:
    x, y = line(), line()
    jit(cells, target="numpy")({"u": x, "v": x})
    cells({"u": y, "v": y})
    assert np.array_equal(x, y)


@jit(target="numpy")
def doubled(x, out):
    out[:] = x * 2.0


def test_compiled_functions_write_inside_programs() -> None:
    def loss(x):
        out = np.empty(len(x))
        doubled(x, out)
        doubled(out, x)
        return np.sum(out * x)

    x, y = line(), line()
    assert jit(loss, target="numpy")(x) == loss(y)
    assert np.array_equal(x, y)


def writing(x):
    x[0] = x[1] * 2
    return np.sum(x**2)


def test_derivatives_leave_arguments_as_they_were() -> None:
    x = line() + 1.0
    assert grad(writing, target="numpy")(x).tolist() == [0.0, 20.0, 6.0, 8.0, 10.0]
    assert grad(jit(writing), target="numpy")(x).tolist() == [0.0, 20.0, 6.0, 8.0, 10.0]
    assert jit(lambda x: grad(writing)(x), target="numpy")(x).tolist() == [0.0, 20.0, 6.0, 8.0, 10.0]
    value, change = jvp(writing, (x,), (np.ones(5),), target="numpy")
    assert (value, change) == (70.0, 44.0)

    def out_of(x):
        out = np.empty(len(x))
        doubled(x, out)
        return out

    assert np.array_equal(jacobian(out_of, target="numpy")(x), 2.0 * np.eye(5))
    assert np.array_equal(x, line() + 1.0)


def test_emitted_text_writes_into_arguments(golden: Callable[[str, str], None]) -> None:
    golden("arguments_written.py", jit(halved, target="numpy").source(line(), 3))


def lane(x, k):
    for i in range(len(x)):
        if k > 2 and i == 1:
            raise ValueError("k")
        x[i] = x[i] * k + i
    return x.sum(), x


def two(x, y):
    x[0] = y[1]
    y[:] = x + 1.0


SCHEDULES: list[dict[str, Any]] = [{}, {"target": "numpy"}, {"schedule": Schedule(group=4)}]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", SCHEDULES, ids=str)
def test_lanes_write_into_their_arguments(options: dict[str, Any]) -> None:
    x, y, k = np.arange(15.0).reshape(5, 3), np.arange(15.0).reshape(5, 3), np.arange(5)
    with pytest.raises(LaneError) as caught:
        batch(lane, **options)(x, k)
    sums, rows = caught.value.results
    for i in range(3):
        total, row = lane(y[i], k[i])
        assert (sums[i], rows[i].tolist()) == (total, row.tolist())
    assert np.array_equal(x, y)  # a lane that fails leaves what was there
    pairs = batch(two, **options)
    pairs(x, x)
    for row in y:
        two(row, row)
    pairs(x[:, ::-1], x.copy())
    for row in y:
        two(row[::-1], row.copy())
    assert np.array_equal(x, y)
    batch(two, (1, 1), **options)(x, z := np.ones((5, 3)))
    for row, other in zip(y.T, np.ones((5, 3)).T, strict=True):
        two(row, other)
    assert np.array_equal(x, y)
    assert np.array_equal(z[:, 0], y[:, 0] + 1.0)


def test_what_lanes_may_not_write() -> None:
    x = np.arange(15.0).reshape(5, 3)
    with pytest.raises(
        ValueError, match="two writes into argument 'x', which shares memory with argument 'y'"
    ):
        batch(two, target="numpy")(x[1:], x[:-1])
    with pytest.raises(TypeError, match="batch of two: it writes into argument 'y', which all lanes share"):
        batch(two, (0, None), target="numpy")(x, x[0])
    with pytest.raises(ValueError, match="one array with lanes along other axes"):
        batch(two, (0, 1), target="numpy")(z := np.ones((3, 3)), z)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        batch(two, target="numpy")(x, np.ones((5, 3)))


def scale(x, k):
    for i in range(3):
        x[i] = x[i] * k
    return x.sum()


def test_lanes_write_inside_programs() -> None:
    def over(x, k):
        first = batch(scale)(x, k)
        second = batch(scale, (0, None))(x[1:], 2.0)
        return first, second, x.sum()

    x, k = np.arange(12.0).reshape(4, 3), np.arange(4.0)
    first, second, total = jit(over, target="numpy")(x, k)
    y = np.arange(12.0).reshape(4, 3)
    assert first.tolist() == [scale(row, n) for row, n in zip(y, k, strict=True)]
    assert second.tolist() == [scale(row, 2.0) for row in y[1:]]
    assert total == y.sum()
    assert np.array_equal(x, y)
    jit(batch(scale), target="numpy")(x, k)
    assert np.array_equal(x, y * k[:, None])
    slopes = grad(lambda x: np.sum(batch(scale)(x, 3.0 * np.ones(4))) * x[0, 1], target="numpy")(y)
    assert slopes[1, 1] == 9.0 * y[0, 1]


class Units(np.ndarray):
    """An array that means more than its elements."""


class Labelled:
    """What NumPy makes an array of."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.ones(3)


def total(x, y=0.0):
    return np.sum(x)


MASKED = np.ma.masked_array([1.0, 1000.0], [False, True])
UNITS = np.ones(3).view(Units)


def with_units(x):
    return x + UNITS


def test_arrays_that_are_more_than_their_elements_are_refused() -> None:
    for given, words in (
        (MASKED, "masked arrays are not supported"),
        (np.ones((2, 2)).view(np.matrix), "arrays of type numpy.matrix are not supported"),
        (UNITS, "arrays of type test_argument_writes.Units are not supported"),
        (Labelled(), "a test_argument_writes.Labelled is no array"),
    ):
        for f in (jit(total), grad(total), jit(total, target="numpy")):
            with pytest.raises(TypeError, match=f"^argument 'x' of total: {words}"):
                f(given)
            with pytest.raises(TypeError, match=f"^argument 'y' of total: {words}"):
                f(np.ones(2), y={"inside": given})
        for axes in (0, (0, None)):
            with pytest.raises(TypeError, match=words):
                batch(total, axes)(np.ones((2, 2)), given)
        with pytest.raises(TypeError, match=words):
            jvp(total, (np.ones(2),), (given,), target="numpy")
        with pytest.raises(TypeError, match=words):
            vjp(lambda x: x * 2.0, np.ones(3), target="numpy")[1](given)
    with pytest.raises(SourceError, match="'UNITS' is an array of type Units"):
        jit(with_units)(1.0)


def test_arguments_that_hold_themselves_are_refused() -> None:
    xs: list = [1.0]
    xs.append(xs)
    with pytest.raises(TypeError, match="^argument 'x' of total holds itself"):
        jit(total)(xs)


def halving(x):
    x /= 2.0
    return x


def test_numbers_in_arrays_without_axes() -> None:
    f = jit(halving, target="numpy")
    assert f(np.float64(3.0)) == 1.5
    assert f(np.ones(2)).tolist() == [0.5, 0.5]
    with pytest.raises(TypeError, match="argument 'x' of halving is an array without axes"):
        f(np.array(3.0))
    assert grad(halving, target="numpy")(np.array(3.0)) == 0.5


def weighted(a, x, k=1.0):
    return np.sum(a * x) + k


class Model:
    """A callable object with a method."""

    def __init__(self, weight: Any):
        self.weight = weight
        self.quote = "an attribute of its own"

    def loss(self, x):
        return np.sum(self.weight * x) ** 2

    def __call__(self, x):
        return self.loss(x) + 1.0


def test_partials_methods_and_callable_objects() -> None:
    model, x = Model(np.array([1.0, 2.0])), np.ones(2)
    listed: list[Any] = [
        functools.partial(weighted, 2.0),
        functools.partial(weighted, np.arange(2.0)),
        functools.partial(weighted, 3.0, k=2.0),
        functools.partial(functools.partial(jit(weighted), 2.0), k=5.0),
        model,
        model.loss,
        functools.partial(Model(3.0).loss),
    ]
    for f in listed:
        assert jit(f, target="numpy")(x) == f(x)
        assert batch(f, target="numpy")(np.ones((2, 2))).tolist() == [f(x), f(x)]
        step = 1e-6 * np.array([1.0, 0.0])
        slope = (f(x + step) - f(x - step)) / 2e-6
        assert grad(f, target="numpy")(x)[0] == pytest.approx(slope, rel=1e-6)
    assert jit(lambda x: model(x) + model.loss(x) + listed[0](x), target="numpy")(x) == 10.0 + 9.0 + 5.0
    assert jit(listed[2], target="numpy")(x, k=7.0) == listed[2](x, k=7.0)
    compiled = jit(model.loss, target="numpy")
    model.weight = np.ones(2)
    assert compiled(x) == 4.0
    with pytest.raises(TypeError, match=r"^weighted\(\) got multiple values for argument 'k'$"):
        jit(listed[2], target="numpy")(x, 1.0)


def trained(weights, rate, steps):
    """Items of a dict and a list are bound anew, of which one is then written."""
    kept = dict(weights)
    best = [weights["v"], 0.0]
    for k in range(steps):
        kept["w"] = kept["w"] - rate * kept["v"]
        if k == 1:
            kept["w"][0] = 9.0
        best[0] = best[0] + kept["w"]
    return np.sum(kept["w"]), best[0]


def raised_in_place(weights, rate, steps):
    kept = [weights["w"], weights["v"]]
    for _ in range(steps):
        kept[0] += rate
        kept[1] = kept[0] * 2.0
    return np.sum(kept[1])


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_items_that_are_bound_anew_leave_arguments_alone(target: str) -> None:
    weights = {"w": line(), "v": line() + 1.0}
    want = trained(weights, 0.5, 3)
    around = jit(lambda rate, steps: trained(weights, rate, steps), target=target)
    for array in weights.values():
        array.flags.writeable = False
    for found in (jit(trained, target=target)(weights, 0.5, 3), around(0.5, 3)):
        np.testing.assert_allclose(found[0], want[0])
        np.testing.assert_allclose(found[1], want[1])
    given, kept = ({"w": line(), "v": line() + 1.0} for _ in range(2))
    assert jit(raised_in_place, target=target)(given, 0.5, 3) == raised_in_place(kept, 0.5, 3)
    np.testing.assert_array_equal(given["w"], kept["w"])
    np.testing.assert_array_equal(given["v"], kept["v"])
