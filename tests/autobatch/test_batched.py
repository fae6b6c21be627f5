"""batch: the corpus over lanes, axes, numbers of lanes, threads, streams, products with what is shared."""

from typing import Any

import numpy as np
import pytest
from corpus import CASES, Case
from corpus.draws import one_of_each, random_walk_metropolis
from corpus.loops import halvings
from over_lanes import arguments, directory, row, same, same_as_loop  # noqa: F401

from autobatch import LaneError, Schedule, batch, streams
from codegen import SourceError, jit

FORMS = [("numba", "program_counter"), ("numpy", "program_counter"), ("numpy", "local_static")]
MASK = "use the largest size and a mask (np.where), or a loop over the elements"

# Programs with arrays whose size would be another one in each lane.
UNSIZED = {
    "creation_of_runtime_size", "reading_elements", "reading_matrices", "sized_draws", "over_slices",
    "recurrence_in_place",
}  # fmt: skip
REFUSED = {
    # Where loops are fused, the arrays of some are gone.
    "numba": {"view_of_a_view_in_a_loop", "arrays_that_grow", *UNSIZED}
    - {"creation_of_runtime_size", "over_slices"},
    "numpy": {*UNSIZED, "arrays_that_grow"},
}


def batched(case: Case, target: str, form: str) -> Any:
    _, axes = arguments(case.lanes(), case.shared)
    return batch(case.function, axes, schedule=Schedule(form), target=target)


# Compiled every other one, and all that fail or are refused: groups have the rest (tests/autobatch/kernel).
TRIED = [
    pytest.param(case, target, form, id=f"{case.name}-{target}-{form}")
    for k, case in enumerate(CASES)
    for target, form in FORMS
    if target == "numpy" or k % 2 == 0 or case.raises or case.name in REFUSED["numba"]
]


@pytest.mark.sampled(48)
@pytest.mark.parametrize("case, target, form", TRIED)
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


def needed_after_both(depth, q):
    if depth == 0:
        return q + 1.0
    left = needed_after_both(depth - 1, q)
    right = needed_after_both(depth - 1, left)
    return left + q * right


def needed_after_some(depth, q):
    if depth == 0:
        return q
    a = needed_after_some(depth - 1, q)
    if depth % 2 == 0:
        b = needed_after_some(depth - 1, a)
        return b + q
    return 2.0 * needed_after_some(depth - 1, a + 1.0)


@pytest.mark.parametrize("target, form", FORMS)
@pytest.mark.parametrize("f", [needed_after_both, needed_after_some])
def test_what_a_later_call_is_given_does_not_touch_what_the_caller_needs(
    f: Any, target: str, form: str
) -> None:
    lanes = [(depth, 0.5 * depth) for depth in range(5)]
    same_as_loop(batch(f, schedule=Schedule(form), target=target), f, lanes)


# axes

MATRIX = np.arange(6.0).reshape(2, 3)


def weigh(x, w, scale=1.0):
    total = 0.0
    for k in range(len(w)):
        total += x[k] * w[k]
    return total * scale


def nested(state, settings):
    (position, momentum), count = state
    return {"sum": position + momentum * settings["step"], "count": count + settings["more"][0]}


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_axes_of_arrays(target: str) -> None:
    w = np.array([1.0, 2.0, 3.0])
    expected = MATRIX @ w
    np.testing.assert_array_equal(batch(weigh, (0, None), target=target)(MATRIX, w), expected)
    np.testing.assert_array_equal(batch(weigh, (1, None), target=target)(MATRIX.T, w), expected)
    np.testing.assert_array_equal(batch(weigh, (-1, None), target=target)(MATRIX.T, w), expected)
    np.testing.assert_array_equal(batch(weigh, [None, 0], target=target)(w, MATRIX), expected)
    scales = np.array([2.0, 3.0])
    np.testing.assert_array_equal(
        batch(weigh, (0, None), target=target)(MATRIX, w, scale=scales), expected * scales
    )
    many = batch(weigh, target=target)
    np.testing.assert_array_equal(many(MATRIX, w=MATRIX, scale=scales), np.sum(MATRIX**2, axis=1) * scales)


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_axes_of_nests(target: str) -> None:
    x, n = np.array([1.0, 2.0]), np.array([3, 4])
    axes = (((0, None), 0), {"step": None, "more": 0})
    found = batch(nested, axes, target=target)(((x, 5.0), n), {"step": 2.0, "more": (n,)})
    assert list(found) == ["sum", "count"]
    np.testing.assert_array_equal(found["sum"], x + 10.0)
    np.testing.assert_array_equal(found["count"], 2 * n)
    found = batch(nested, target=target)(((x, x), n), {"step": x, "more": [n]})
    np.testing.assert_array_equal(found["sum"], x + x * x)


def refused(axes: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(ValueError) as error:
        batch(weigh, axes)(*args, **kwargs)
    return str(error.value)


def test_axes_that_do_not_fit() -> None:
    one, two, three = np.ones((1, 2)), np.ones((2, 2)), np.ones((3, 2))
    lanes = "the arguments differ in their number of lanes: "
    assert refused(0, two, three) == f"{lanes}2 in argument 0, 3 in argument 1"
    assert (
        refused(0, two, two, scale=one[0, :1])
        == f"{lanes}2 in argument 0, 2 in argument 1, 1 in argument 'scale'"
    )
    assert refused((0, None, 0), two, two[0]) == "in_axes has 3 entries for 2 arguments"
    assert refused(None, two, two) == "batch needs at least one argument with a lane axis (in_axes=0)"
    assert (
        refused(0, two, two, 2.0) == "argument 2 has no lane axis: it is float; use in_axes=None to share it"
    )
    assert refused(0, two, two, np.float64(2.0)).startswith("argument 2 has no lane axis: it is float64")
    assert refused((2, 0), two, two) == "argument 0 has no axis 2: its shape is (2, 2)"
    assert refused(((0, 0, 0), 0), (two, two), two) == "argument 0 has 2 items, its in_axes 3"


def test_one_generator_for_all_lanes() -> None:
    with pytest.raises(
        ValueError, match="^argument 0: one random generator cannot be shared by lanes; use autobatch.st"
    ):
        batch(one_of_each, None)(np.random.default_rng(0))
    with pytest.raises(ValueError, match="^argument 0: one random generator cannot be shared"):
        batch(one_of_each)(np.random.default_rng(0))
    with pytest.raises(ValueError, match="^argument 0: streams have a lane axis; in_axes is 0 for them$"):
        batch(one_of_each, None)(streams(0, 3))
    with pytest.raises(
        SourceError, match="^argument 0 is of streams: inside another function a batch takes none"
    ):
        jit(lambda rngs: batch(one_of_each)(rngs))(streams(0, 3))


# numbers of lanes, threads, order


@pytest.mark.parametrize("target, form", FORMS)
def test_no_lanes_and_one(target: str, form: str) -> None:
    many = batch(halvings, schedule=Schedule(form), target=target)
    none = many(np.zeros(0))
    assert none.shape == (0,) and none.dtype == np.int64
    assert many(np.array([1000.0])).tolist() == [10]
    many = batch(weigh, (0, None), schedule=Schedule(form), target=target)
    assert many(np.zeros((0, 3)), np.ones(3)).shape == (0,)
    rows = batch(lambda x: x * 2.0, schedule=Schedule(form), target=target)
    assert rows(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("target, form", FORMS)
def test_ten_thousand_lanes(target: str, form: str) -> None:
    many = batch(halvings, schedule=Schedule(form), target=target)
    x = np.random.default_rng(3).exponential(50.0, 10_000)
    np.testing.assert_array_equal(many(x), np.ceil(np.log2(np.maximum(x, 1.0))))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target, form", FORMS)
def test_lanes_do_not_depend_on_each_other(target: str, form: str) -> None:
    def run(lanes: Any, **settings: Any) -> Any:
        many = batch(random_walk_metropolis, schedule=Schedule(form, **settings), target=target)
        return many(streams(7, 23)[lanes], np.linspace(-1.0, 1.0, 23)[lanes], (np.arange(23) % 9)[lanes])

    everyone = run(np.arange(23))
    backward = run(np.arange(23)[::-1])
    some = run(np.array([4, 9]))
    for a, b, c, d in zip(everyone, backward, some, run(np.arange(23), threads=1)):
        np.testing.assert_array_equal(a, b[::-1])
        np.testing.assert_array_equal(a[[4, 9]], c)
        np.testing.assert_array_equal(a, d)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target, form", [*FORMS, ("numba", "local_static")])
def test_streams_advance_as_generators_do(target: str, form: str) -> None:
    many = batch(random_walk_metropolis, schedule=Schedule(form), target=target)
    rngs, theirs = streams(3, 4), list(streams(3, 4))
    for n in (2, 0, 5):
        steps = np.array([n, 1, 3, 0])
        found = many(rngs, np.zeros(4), steps)
        for k, rng in enumerate(theirs):
            same(row(found, k), random_walk_metropolis(rng, 0.0, int(steps[k])))
    assert [rng.random() for rng in rngs] == [rng.random() for rng in theirs]


# products with what is shared


def gradient_descent(q, X, n):
    for k in range(n):
        q = q - 0.01 * (X.T @ np.tanh(X @ q))
    return q, (X @ q).sum()


def tree_of_products(depth, q, X):
    if depth == 0:
        return np.tanh(X @ q)
    left = tree_of_products(depth - 1, q, X)
    right = tree_of_products(depth - 1, left, X)
    return left + q * right


def deep_products(depth, q, X):
    return q if depth == 0 else 0.5 * q + deep_products(depth - 1, np.tanh(X @ q), X)


def walk_over_products(rng, q, X):
    n = 0
    while rng.random() < 0.7:
        q = np.tanh(X @ q) + rng.standard_normal()
        n += 1
    return q, n


SHARED = np.random.default_rng(8).normal(size=(64, 64)) / 8.0
STARTS = np.random.default_rng(9).normal(size=(70, 64))


@pytest.mark.turns(8)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("target, form", FORMS)
def test_shared_products(target: str, form: str) -> None:
    def held(f: Any, first: Any, *rest: Any) -> Any:
        axes = (0, None, 0) if f is gradient_descent else (0, 0, None)
        many = batch(f, axes, schedule=Schedule(form), target=target)
        found = many(first, *rest)
        if target == "numba":
            assert "lanes wait for each other" in many.explain()
        return found

    steps = np.arange(70) % 4
    q, total = held(gradient_descent, STARTS, SHARED, steps)
    for k in range(0, 70, 9):
        wanted, sum_ = gradient_descent(STARTS[k], SHARED, int(steps[k]))
        np.testing.assert_allclose(q[k], wanted, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(total[k], sum_, rtol=1e-9, atol=1e-10)
    for f in (tree_of_products, deep_products):
        found = held(f, steps, STARTS, SHARED)
        for k in range(0, 70, 9):
            np.testing.assert_allclose(found[k], f(int(steps[k]), STARTS[k], SHARED), rtol=1e-9, atol=1e-12)
    deep = np.array([2, 90, 7])  # 90 frames of 64 numbers are more than a stack has at first
    found = held(deep_products, deep, STARTS[:3], SHARED)
    for k in range(3):
        np.testing.assert_allclose(found[k], deep_products(deep[k], STARTS[k], SHARED), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("target, form", FORMS)
def test_shared_products_and_streams(target: str, form: str) -> None:
    many = batch(walk_over_products, (0, 0, None), schedule=Schedule(form), target=target)
    rngs = streams(1, 70)
    q, n = many(rngs, STARTS, SHARED)
    for k, rng in list(enumerate(streams(1, 70)))[::9]:
        wanted, steps = walk_over_products(rng, STARTS[k], SHARED)
        assert n[k] == steps
        np.testing.assert_allclose(q[k], wanted, rtol=1e-9, atol=1e-12)
        assert rngs[k].random() == rng.random()
