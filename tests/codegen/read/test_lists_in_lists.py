"""Lists in a list that get longer: what plain Python makes of them, its errors, and what is left to others."""

import numpy as np
import pytest
from user_programs import loaded

from autobatch import LaneError, batch
from autodiff import grad
from codegen import SourceError, jit

EDGES = np.array([[0, 1], [1, 2], [0, 3], [3, 2], [2, 4]])


def in_order(n, edges):
    """An order of a graph's nodes in which none comes before one that leads to it."""
    out = [[] for _ in range(n)]
    leading = [0] * n
    for a, b in edges:
        out[a].append(b)
        leading[b] += 1
    free = [k for k in range(n) if leading[k] == 0]
    order = []
    while free:
        node = free.pop()
        order.append(node)
        for other in out[node]:
            leading[other] -= 1
            if leading[other] == 0:
                free.append(other)
    if len(order) != len(out):
        raise ValueError("a circle")
    return order, [len(each) for each in out], out[-2]


def traces(x, n):
    kept = [[], [1.0]]
    for k in range(n):
        x = 3.7 * x * (1.0 - x)
        kept[0].append(x)
        if x > 0.5:
            kept[1].append(k * x)
    return sum(kept[0]) + sum(kept[1]) + len(kept[1]) * kept[1][-1]


def turns(x, n):
    kept = [[] for _ in range(3)]
    for k in range(n):
        kept[k % 3].append(x + k)
        kept[-1].append(x * x)
        kept[0] += [x]
    total = 0.0
    for k, each in enumerate(kept):
        total += (k + 1) * sum(each)
    return total


def buckets(xs):
    found = [[] for _ in xs]
    for x in xs:
        found[min(int(x * len(xs)), len(xs) - 1)].append(x)
    made = []
    for each in found:
        made += sorted(each)
    return made


def one_more(n, k):
    made = [[] for _ in range(n)]
    made[k].append(1)
    return len(made[k]), len(made)


def chosen(k):
    made = [[1.0], [2.0, 3.0]]
    made[k].append(5.0)
    return sum(made[0]), sum(made[1]), made[k][-1]


def rows(k, x):
    """Rows keep their length: lists as before."""
    made = [[0.0, 1.0], [2.0, 3.0]]
    made[k][1] += x
    made[0][k] = 2.0 * x
    return made[0][1] * made[1][1] + made[1][0]


def noted(x, n):
    log = {"a": [], "n": 2.0, "b": []}

    def note(v):
        log["a"].append(v)
        log["b"].append(v * log["n"])

    for k in range(n):
        note(x + k)
    return np.array(log["a"]) @ np.array(log["b"])


def test_rows_stay_numbers_of_a_lane():
    text = batch(rows).explain(np.array([0, 1]), np.array([1.5, 2.5]))
    assert "in turn" not in text


def test_functions_inside_make_lists_of_a_dict_longer():
    assert jit(noted)(0.5, 4) == noted(0.5, 4)
    slope = (noted(0.5 + 1e-6, 4) - noted(0.5 - 1e-6, 4)) / 2e-6
    assert grad(noted)(0.5, 4) == pytest.approx(slope, rel=1e-6)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize(
    ("f", "arguments"),
    [
        (in_order, (5, EDGES)),
        (in_order, (5, np.array([[0, 1], [1, 0]]))),
        (in_order, (2, np.array([[0, 5]]))),
        (buckets, (np.array([0.9, 0.2, 0.5, 0.1]),)),
        *((one_more, given) for given in ((3, 1), (3, -1), (3, 3), (3, -4), (0, 0), (-2, 0))),
        *((chosen, (k,)) for k in (0, 1, -1, 2)),
        (rows, (1, 2.5)),
    ],
)
def test_values_and_errors(f, arguments, target):
    try:
        wanted = f(*arguments)
    except Exception as error:
        with pytest.raises(type(error), match=str(error)):
            jit(f, target=target)(*arguments)
    else:
        assert jit(f, target=target)(*arguments) == wanted


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", [traces, turns])
def test_slopes_and_lanes(f):
    xs = np.array([0.2, 0.55])
    wanted = [f(x, 5) for x in xs]
    np.testing.assert_allclose([jit(f)(x, 5) for x in xs], wanted)
    np.testing.assert_allclose(batch(f, in_axes=(0, None))(xs, 5), wanted)
    slopes = [(f(x + 1e-6, 5) - f(x - 1e-6, 5)) / 2e-6 for x in xs]
    np.testing.assert_allclose([grad(f)(x, 5) for x in xs], slopes, rtol=1e-6)


@pytest.mark.turns(4)
def test_a_place_that_is_not_there_is_at_the_users_line():
    with pytest.raises(LaneError) as caught:
        batch(one_more, in_axes=(None, 0))(3, np.array([1, 5]))
    (failure,) = caught.value.failures
    line = one_more.__code__.co_firstlineno + 2
    assert (failure.lane, failure.message, failure.span.line) == (1, "list index out of range", line)


LONGER = "def f(n):\n    made = [[] for _ in range(n)]\n    made[0].append(1)\n    {}\n    return 1\n"


@pytest.mark.parametrize("rest", ["made = made + [[]]", "made = made * 2"])
def test_others_are_refused(rest):
    with pytest.raises(SourceError):
        jit(loaded(LONGER.format(rest)))(2)


@pytest.mark.parametrize(
    "rest", ["return made", "made.append([])", "made.append([5]); return made", "return len(made[:2])"]
)
def test_they_are_lists_that_have_other_names(rest):
    f = loaded(LONGER.format(rest))
    assert jit(f)(2) == f(2)
