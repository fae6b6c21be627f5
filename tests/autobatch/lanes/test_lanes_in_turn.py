"""Lanes that have arrays of sizes of their own are run in turn: values, streams, what they write and how they fail."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np
import pytest

from autobatch import LaneError, Schedule, batch, streams
from autobatch.cli import main
from autodiff import grad
from codegen.source import SourceError, UnknownSizeError

X = np.random.default_rng(0).normal(size=(5, 7))
TARGETS = ("numba", "numpy")


def median_above(x: Any, t: Any) -> Any:
    above = x[x > t]
    if len(above) == 0:
        raise ValueError(f"nothing above {t}")
    return np.median(above), len(above)


def generator(seed: int, lane: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[seed, lane]))


@pytest.mark.parametrize("target", TARGETS)
def test_values(target: str) -> None:
    medians, counts = batch(median_above, in_axes=(0, None), target=target)(X, 0.0)
    want = [median_above(x, 0.0) for x in X]
    np.testing.assert_allclose(medians, [m for m, _ in want])
    assert counts.dtype == np.int64 and counts.tolist() == [n for _, n in want]


def shrunk(x: Any, n: Any) -> Any:
    for _ in range(n):
        x = x[:-1] * 0.5 + x[1:]
    return x[0]


@pytest.mark.parametrize("target", TARGETS)
def test_arrays_that_get_smaller(target: str) -> None:
    """In each iteration, from a size that is known."""
    made = batch(shrunk, in_axes=(0, None), target=target)(X, 6)
    np.testing.assert_allclose(made, [shrunk(x, 6) for x in X])


def smoothed(q: Any, ys: Any) -> Any:
    """A filter, then a smoother of what it kept."""
    mean, spread = np.zeros(2), np.eye(2)
    kept = []
    for y in ys:
        mean, spread = mean + q * y, spread @ spread.T / np.trace(spread) + q * np.eye(2)
        kept.append((mean, spread))
    means = [kept[-1][0]]
    for k in range(len(ys) - 2, -1, -1):
        mean, spread = kept[k]
        means.append(np.linalg.solve(spread, 0.5 * mean + 0.5 * means[-1]))
    return np.sum(np.array(means[::-1]) ** 2)


@pytest.mark.turns(4)
def test_lists_that_loops_make_longer_by_as_much_have_known_lengths() -> None:
    """Though the loops are no short text."""
    qs, ys = np.array([0.1, 0.2, 0.3]), np.random.default_rng(1).normal(size=30)
    slopes = batch(grad(smoothed), in_axes=(0, None))
    wanted = [(smoothed(q + 1e-6, ys) - smoothed(q - 1e-6, ys)) / 2e-6 for q in qs]
    np.testing.assert_allclose(slopes(qs, ys), wanted, rtol=1e-6)
    assert "in turn" not in slopes.explain(qs, ys)


def shortest(w: Any, ends: Any) -> Any:
    """The length of the shortest way from the first place to the last one, by a heap."""
    far, heap, edges = [math.inf] * 4, [(0.0, 0)], [[] for _ in range(4)]  # type: ignore[var-annotated]
    for (a, b), length in zip(ends, w, strict=False):
        edges[a].append((b, length))
    far[0] = 0.0
    while heap:
        d, u = heapq.heappop(heap)
        for v, length in edges[u]:
            if d + length < far[v]:
                far[v] = d + length
                heapq.heappush(heap, (far[v], v))
    return far[3]


@pytest.mark.turns(4)
def test_derivatives_in_turn_keep_what_they_need_in_arrays() -> None:
    """Side by side they would run a `while` again as a recursion, and keep no array whose size is not known."""
    ends = np.array([[0, 1], [0, 2], [1, 3], [2, 3], [1, 2]])
    w = np.random.default_rng(3).uniform(0.5, 2.0, (9, 5))
    slopes = batch(grad(shortest), in_axes=(0, None))
    made = slopes(w, ends)
    for k, row in enumerate(w):
        steps = 1e-6 * np.eye(5)
        wanted = [(shortest(row + h, ends) - shortest(row - h, ends)) / 2e-6 for h in steps]
        np.testing.assert_allclose(made[k], wanted, atol=1e-8)
    assert "in turn" in slopes.explain() and "RecursionError" not in slopes.source()


def test_lists_of_which_nothing_says_how_long_they_get_are_refused_before_they_are_differentiated() -> None:
    def f(x: Any) -> Any:
        found = [x]
        while found[-1] < 10.0:
            found.append(found[-1] * 1.5)
        return found[-1] - found[len(found) // 2]

    with pytest.raises(UnknownSizeError, match="how long a list gets, 'found"):
        batch(grad(f), schedule="program_counter")(np.array([1.0, 2.0]))
    np.testing.assert_allclose(batch(grad(f))(np.array([1.0, 2.0])), [1.5**6 - 1.5**3, 1.5**4 - 1.5**2])


@pytest.mark.parametrize("target", TARGETS)
def test_lanes_that_fail_are_named(target: str) -> None:
    with pytest.raises(LaneError) as raised:
        batch(median_above, in_axes=(0, None), target=target)(X, 1.2)
    lost = {lane for lane, x in enumerate(X) if not np.any(x > 1.2)}
    assert {f.lane for f in raised.value.failures} == lost and 0 < len(lost) < 5
    assert {(f.exception, f.message) for f in raised.value.failures} == {("ValueError", "nothing above 1.2")}
    medians, counts = raised.value.results
    for lane in {*range(5)} - lost:
        assert (medians[lane], counts[lane]) == median_above(X[lane], 1.2)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_take_ranges_of_lanes(threads: int) -> None:
    """Each lane once, with its own stream; what others gave is kept where some fail, and what those wrote is not."""

    def walk(rng: Any, x: Any, low: Any) -> Any:
        steps = []
        while len(steps) < 40 and rng.random() > low:
            steps.append(x[0])
            x[1] += 1.0
        if x[1] < 1.0:
            raise ValueError("no step")
        return x[1] + sum(steps), x[0]

    lanes, rng = 3001, np.random.default_rng(1)
    given, own = rng.normal(size=(lanes, 2)), streams(7, lanes)
    given[:, 1] = 0.0
    x, many = given.copy(), batch(walk, in_axes=(0, 0, None), schedule=Schedule(threads=threads))
    with pytest.raises(LaneError) as raised:
        many(own, x, 0.2)
    sums, first = raised.value.results
    lost = set(raised.value.lanes)
    assert 400 < len(lost) < 800
    for lane in range(0, lanes, 7):
        alone, row = generator(7, lane), given[lane].copy()
        if lane in lost:
            with pytest.raises(ValueError, match="no step"):
                walk(alone, row, 0.2)
            np.testing.assert_array_equal(x[lane], given[lane])
        else:
            np.testing.assert_allclose((sums[lane], first[lane]), walk(alone, row, 0.2), rtol=1e-14)
            np.testing.assert_array_equal(x[lane], row)
            assert own[lane].random() == alone.random()


@pytest.mark.parametrize("target", TARGETS)
def test_streams_advance_and_arguments_are_written(target: str) -> None:
    def drawn(first: Any, second: Any, x: Any, third: Any) -> Any:
        found = []
        for _ in range(first.poisson(3.0)):
            found.append(second.normal())
        third.random()
        x[1] = len(found)
        return sum(found), first.random()

    a, b, c, x = streams(1, 4), streams(2, 4), streams(3, 4), np.zeros((4, 2))
    sums, last = batch(drawn, target=target)(a, b, x, c)
    for lane in range(4):
        own, row = [generator(seed, lane) for seed in (1, 2, 3)], np.zeros(2)
        np.testing.assert_allclose((sums[lane], last[lane]), drawn(own[0], own[1], row, own[2]))
        np.testing.assert_array_equal(x[lane], row)
        assert [g.random() for g in own] == [rngs[lane].random() for rngs in (a, b, c)]


def test_ints_that_lanes_share_are_known_first() -> None:
    """Lanes go side by side where such an int says all sizes; with a mask besides, they go in turn, and it does too."""

    def centres(x: Any, k: Any) -> Any:
        made = np.zeros(k)
        for j in range(k):
            made[j] = x[np.arange(len(x)) % k == j].mean()
        return made

    found = batch(centres, in_axes=(0, None))
    for k in (2, 3):
        np.testing.assert_allclose(found(X, k), [centres(x, k) for x in X])
    sums = batch(lambda x, k: np.sum(x[: len(x) - k] * np.ones(len(x) - k)), in_axes=(0, None))
    np.testing.assert_allclose(sums(X, 2), X[:, :5].sum(axis=1))
    assert "in turn" in found.source() and "in turn" not in sums.source()


def test_no_lanes() -> None:
    medians, counts = batch(median_above, in_axes=(0, None))(np.zeros((0, 3)), 0.0)
    assert medians.shape == counts.shape == (0,)


def test_one_array_given_twice() -> None:
    def least(x: Any, y: Any) -> Any:
        x[0] = 0.5
        return np.min(y[y > 0.0])

    x, y = X.copy(), X.copy()
    found = batch(least)(x, x)
    np.testing.assert_allclose(found, [least(row, row) for row in y])
    np.testing.assert_array_equal(x, y)


def test_results_have_one_size() -> None:
    for f in (lambda x: x[x > 0.0], lambda x: (x[x > 0.0].mean(), np.flatnonzero(x > 0.0))):
        with pytest.raises(
            UnknownSizeError, match="the size of a result is not known before the program runs"
        ):
            batch(f)(X)


def listed(x: Any) -> Any:
    found = []
    for v in x:
        if v > 0.0:
            found.append(v)
    return found


def counted(x: Any) -> Any:
    found: dict[int, int] = {}
    for v in x:
        found[int(v)] = found.get(int(v), 0) + 1
    return found


def put_in_rows(x: Any) -> Any:
    found: list[list[Any]] = [[] for _ in range(2)]
    for v in x:
        found[int(v > 0.0)].append(v)
    return found


ROOM = (
    "return an array with room for the longest, and how much of it counts, "
    "`made = np.zeros(100); made[:len(xs)] = xs; return made, len(xs)`"
)


@pytest.mark.parametrize(
    "f, line, said, instead",
    [
        (listed, 5, "the list that is returned has a length", ROOM),
        (
            lambda x: np.array(listed(x)),
            0,
            "the size of a result is not known before the program runs:",
            ROOM,
        ),
        (lambda x: np.bincount(np.abs(x).astype(np.int64)), 0, "the size of a result", ROOM),
        (counted, 4, "the dict that is returned has keys", "`for k in d: made[k] = d[k]`"),
        (lambda x: set(counted(x)), 0, "the set that is returned", "`for k in sorted(s): made[k] = True`"),
        (
            put_in_rows,
            4,
            "the lists that are returned",
            "an array with a row for each list, and how long they are",
        ),
    ],
)
def test_results_as_long_as_lanes_find_out_are_refused_where_they_are_returned(
    f: Any, line: int, said: str, instead: str
) -> None:
    with pytest.raises(SourceError) as caught:
        batch(f)(X)
    assert caught.value.lineno == f.__code__.co_firstlineno + line
    assert caught.value.msg.startswith(said) and caught.value.msg.endswith(instead)
    assert "and the results of lanes are stored in one array: return an array " in caught.value.msg


def test_what_to_write_instead_of_a_list() -> None:
    def f(x: Any) -> Any:
        xs = listed(x)
        made = np.zeros(100)
        made[: len(xs)] = xs
        return made, len(xs)

    made, counts = batch(f)(X)
    for row, count, x in zip(made, counts, X, strict=True):
        assert row[:count].tolist() == listed(x) and not row[count:].any()


def test_what_to_write_instead_of_a_dict_and_a_set() -> None:
    def f(x: Any) -> Any:
        d, made, there = counted(x), np.zeros(100), np.zeros(100, bool)
        for k in d:
            made[k] = d[k]
        for k in sorted(set(d)):
            there[k] = True
        return made, there

    x = np.random.default_rng(1).integers(0, 9, size=(7, 5)).astype(float)
    made, there = batch(f)(x)
    np.testing.assert_array_equal(made, [np.bincount(row.astype(int), minlength=100) for row in x])
    np.testing.assert_array_equal(there, made > 0)


def test_a_schedule_that_is_asked_for_is_kept() -> None:
    with pytest.raises(SourceError, match="is not known before the program runs"):
        batch(median_above, in_axes=(0, None), schedule="program_counter")(X, 0.0)


@pytest.mark.turns(4)
def test_the_text_stands_alone(tmp_path: Any) -> None:
    path = tmp_path / "emitted.py"
    path.write_text(batch(median_above, in_axes=(0, None)).source(X, 0.0))
    names = {"__name__": "emitted", "__file__": str(path)}
    exec(compile(path.read_text().replace("cache=True, ", ""), str(path), "exec"), names)
    medians, _ = names["median_above_batch"](X, 0.0)  # type: ignore[operator]
    np.testing.assert_allclose(medians, [median_above(x, 0.0)[0] for x in X])


LISTED = """def f(x: float, n: int):
    seen = []
    while x < n:
        seen.append(x)
        x = x * 1.7 + 0.1
    return sum(seen)
"""


@pytest.mark.parametrize("target", TARGETS)
def test_the_commands_text_runs_them_in_turn_too(target: str, tmp_path: Any) -> None:
    """Where lists get longer by values, whichever target it is for."""
    source, made = tmp_path / "listed.py", tmp_path / "made.py"
    source.write_text(LISTED)
    options = ["--transform", "batch", "--target", target, "-o", str(made)]
    assert main(["transform", f"{source}:f", *options]) == 0
    names = {"__name__": "made", "__file__": str(made)}
    exec(compile(made.read_text().replace("cache=True, ", ""), str(made), "exec"), names)
    x, n = np.array([0.5, 1.0, 3.0]), np.array([5, 9, 3])
    plain = names["f"]
    np.testing.assert_allclose(
        names["f_batch"](x, n),  # type: ignore[operator]
        [plain(*lane) for lane in zip(x.tolist(), n.tolist(), strict=True)],  # type: ignore[operator]
    )
