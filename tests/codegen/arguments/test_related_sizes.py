"""Sizes of arguments that are others and a few more: what programs are made for, and what serves other calls."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from user_programs import loaded

from autodiff import grad, value_and_grad
from codegen import jit
from codegen.arguments.related_sizes import common_relations
from codegen.infer.inference import OTHER_SIZES

BOTH = pytest.mark.parametrize("target", ["numpy", "numba"])


def second(u, n):
    v = u[1 : n - 1] - 2.0 * u[: n - 2] + u[2:n]
    return np.sum(v * v)


def lifted(field, out):
    i, j = out.shape
    top = field[2 : i + 2, 1 : j + 1] - field[:i, 1 : j + 1]
    out[:, :] += top * (field[1 : i + 1, 2:] - field[1 : i + 1, :j])


def of_lifted(field, out):
    lifted(field, out)
    return np.sum(out * out)


def outcome(f: Any, *args: Any) -> Any:
    try:
        return f(*args)
    except (ValueError, IndexError) as error:
        return type(error), str(error).split(" with ")[0]


def check(found: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple) and isinstance(wanted[0], type):
        assert found[:1] == wanted[:1]
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12, strict=True)


def triangle(m, data):
    """Slices from the index of a loop on, of an argument and of an array whose sizes are an int."""
    made = np.zeros((m, m))
    for i in range(m):
        made[i:m, i] = made[i, i:m] = data[:, i] @ data[:, i:m] / 3.0
    return np.sum(made * made)


@pytest.mark.turns(4)
@BOTH
def test_slices_from_an_index_on(target: str) -> None:
    data = np.sin(np.arange(120.0).reshape(12, 10))
    derived = value_and_grad(triangle, 1, target=target)
    text = derived.source(10, data)
    assert OTHER_SIZES in text and "broadcast" not in text and "min(" not in text
    check(derived(10, data)[0], triangle(10, data))
    check(derived(9, data)[0], triangle(9, data))  # of other sizes
    slope = derived(10, data)[1]
    wanted = value_and_grad(triangle, 1, target=target)(9, data[:, :9])[1]
    check(slope.shape, data.shape)
    check(derived(9, data)[1][:, :9], wanted)


@BOTH
def test_a_count_that_is_a_size(target: str) -> None:
    """Slices are counted from the end: no axis may be 1, and nothing is stretched."""
    u = np.cos(np.arange(20.0))
    derived = value_and_grad(second, target=target)
    text = derived.source(u, 20)
    assert OTHER_SIZES in text and "broadcast" not in text and "min(" not in text
    assert "broadcast" in value_and_grad(second, target=target).source(u, 12)
    check(derived(u, 20)[0], second(u, 20))


@BOTH
def test_sizes_a_few_apart(target: str) -> None:
    field, out = np.random.default_rng(0).random((12, 14)), np.zeros((10, 12))
    text = grad(of_lifted, target=target).source(field, out)
    assert text.count(OTHER_SIZES) == 2 and "broadcast" not in text
    assert "broadcast" in grad(of_lifted, target=target).source(field, np.zeros((20, 12)))


def test_golden(golden: Any) -> None:
    """In functions that are called, too; of a grid's sizes, each by its own axis though both are equal."""
    field, out = np.random.default_rng(0).random((12, 12)), np.zeros((10, 10))
    golden("related_sizes.py", grad(of_lifted).source(field, out))


@BOTH
def test_other_sizes(target: str) -> None:
    """Each call has its own result, by few programs, whatever sizes come first."""
    sizes = [(20, 20), (30, 30), (20, 19), (20, 22), (20, -3), (9, 9), (5, 5), (5, 4), (1, 1), (30, 30)]
    jitted = jit(second, target=target)
    for m, n in sizes:
        u = np.cos(np.arange(float(m)))
        check(outcome(jitted, u, n), outcome(second, u, n))
    assert len(jitted.compiled) <= 5  # related, general; few, one; an int below 8 is no other kind


def test_what_is_left_of_relations() -> None:
    """A size that differs leaves the others; the programs are for fewer and fewer."""

    def f(u, v, n, m):
        return np.sum(u[1 : n - 1] * u[2:n]) + np.sum(v[1 : m - 1] * v[2:m])

    def call(*sizes: int) -> str:
        a, b, n, m = sizes
        u, v = np.cos(np.arange(float(a))), np.sin(np.arange(float(b)))
        check(jitted(u, v, n, m), f(u, v, n, m))
        return jitted.source()

    jitted = jit(f, target="numpy")
    assert call(12, 12, 12, 12).count(OTHER_SIZES) == 3
    assert call(12, 20, 12, 20).count(OTHER_SIZES) == 2
    assert call(12, 12, 12, 12).count(OTHER_SIZES) == 2
    assert call(12, 20, 12, 18).count(OTHER_SIZES) == 1
    assert call(12, 20, 12, 20).count(OTHER_SIZES) == 1
    assert call(14, 20, 12, 20).count(OTHER_SIZES) == 0
    assert call(12, 20, 12, 20).count(OTHER_SIZES) == 0


def test_programs_that_need_none() -> None:
    """What meets whole axes, or parts by known numbers, is the same text as ever: it serves all sizes."""
    for f in (
        lambda x, y, n: x + y * n,
        lambda x, y, n: x[1:] + y[:-1] * n,
        lambda x, y, n: x[:n] * 2.0,
    ):
        x = np.ones(12)
        assert OTHER_SIZES not in jit(f, target="numpy").source(x, x, 12)


def test_relations_that_settle_nothing() -> None:
    """Two arrays of one size, of which parts meet whose ends are data: nothing is won by that size."""

    def f(x, y, i, j):
        return x[:i] + y[:j]

    x = np.arange(12.0)
    jitted = jit(f, target="numpy")
    check(jitted(x, x, 3, 3), x[:3] * 2.0)
    assert OTHER_SIZES not in jitted.source()
    check(jitted(x, x[:9], 1, 5), x[:1] + x[:5])


@BOTH
def test_arguments_are_written_once(target: str) -> None:
    """A program that is not for a call's sizes has written nothing, and drawn nothing."""

    def f(u, n, rng):
        u[0] += rng.random()
        u[1 : n - 1] += u[2:n] * u[: n - 2]

    jitted = jit(f, target=target)
    for m, n in [(16, 16), (16, 16), (16, 15), (20, 20)]:
        u = np.cos(np.arange(float(m)))
        v, one, other = u.copy(), np.random.default_rng(1), np.random.default_rng(1)
        jitted(u, n, one)
        f(v, n, other)
        check(u, v)
        assert one.random() == other.random()


def test_arrays_that_do_not_fit() -> None:
    """NumPy's error, though the first call's did."""
    jitted = jit(of_lifted, target="numpy")
    field = np.ones((12, 14))
    assert jitted(field, np.zeros((10, 12))) == of_lifted(field, np.zeros((10, 12)))
    for shape in [(10, 11), (11, 12), (9, 9)]:
        found = outcome(jitted, field, np.zeros(shape))
        check(found, outcome(of_lifted, field, np.zeros(shape)))
        assert found[0] is ValueError and OTHER_SIZES not in found[1]


class Grid(NamedTuple):
    u: Any
    n: int


def test_nests_keywords_and_complex_numbers() -> None:
    def f(grid, *, weights, m):
        u, n = grid
        return np.sum(u[1 : n - 1] * weights["w"][: m + 1] * u[2:])

    jitted = jit(f, target="numpy")
    for m, n, k in [(14, 14, 12), (14, 14, 12), (15, 15, 13), (14, 13, 12), (12, 12, 10)]:
        u = np.exp(1j * np.arange(m))
        weights = {"w": np.arange(float(k))}
        wanted = outcome(lambda: f(Grid(u, n), weights=weights, m=k - 1))
        check(outcome(lambda: jitted(Grid(u, n), weights=weights, m=k - 1)), wanted)
    assert len(jitted.compiled) == 2


def test_ints_of_numpy_are_related_too() -> None:
    """A count that is read from a file is an np.int64."""
    u = np.cos(np.arange(20.0))
    jitted = jit(second, target="numpy")
    check(jitted(u, np.int64(20)), second(u, 20))
    check(jitted(u, np.int64(19)), second(u, 19))


def test_a_callee_knows_what_its_caller_does() -> None:
    def smoothed(v, k):
        return v[1 : k - 1] - v[: k - 2]

    def f(u, n):
        return np.sum(smoothed(u[1:], n - 1) * smoothed(u, n)[1:])

    u = np.cos(np.arange(20.0))
    derived = grad(f, target="numpy")
    check(derived(u, 20), grad(f, target="numpy")(np.append(u, 0.0), 20)[:20])
    assert " == 1" not in derived.source(u, 20) and "full" not in derived.source(u, 20)


def of_rest(x, n, k):
    y = x[20:]
    return np.sum(x[1 : n - 1] * x[2:n]), x[: len(y) + 15], np.ones(k + 3) + x


def of_two(y, z):
    return z[len(y) + 14 :] * 2.0


def of_called(x, n, k):
    return np.sum(x[1 : n - 1] * x[2:n]), of_two(x[20:], x[5:])


@pytest.mark.parametrize("f", [of_rest, of_called])
def test_more_than_what_is_left(f: Any) -> None:
    """What is left of an array may be nothing, and an int less than that: so many more are not so many of the whole."""
    jitted = jit(f, target="numpy")
    for n, k in [(30, 27), (30, 28), (18, 15), (10, 7), (10, -2), (8, -2)]:
        x = np.cos(np.arange(float(n)))
        found, wanted = outcome(jitted, x, n, k), outcome(f, x, n, k)
        assert isinstance(found[0], type) == isinstance(wanted[0], type), (n, k)
        if not isinstance(wanted[0], type):
            for one, other in zip(leaves(found), leaves(wanted), strict=True):
                check(one, other)


def leaves(nest: Any) -> list[Any]:
    return [each for item in nest for each in leaves(item)] if isinstance(nest, tuple) else [nest]


@pytest.mark.parametrize(
    "axes, seen, alike, wanted",
    [
        ((0, None), [(20, 18)], True, ((1, 0, -2),)),
        ((None, 0), [(18, 20)], True, ((0, 1, -2),)),
        ((0, 1), [(20, 20)], True, ()),
        ((0, 1), [(20, 20)], False, ((1, 0, 0),)),
        ((0, 0), [(20, 25)], True, ()),
        ((0, 0), [(20, 7)], True, ()),
        ((0, 0), [(10, 12), (20, 22)], True, ((1, 0, 2),)),
        ((0, 0), [(10, 12), (20, 21)], True, ()),
        ((0, 1, 0, 1), [(12, 12, 10, 10)], True, ((2, 0, -2), (3, 1, -2))),
        ((None, None), [(20, 20)], True, ()),
    ],
)
def test_relations(axes: Any, seen: Any, alike: bool, wanted: Any) -> None:
    assert common_relations(axes, seen, alike) == wanted


BOUNDS = ["", "1", "2", "-1", "n", "n - 1", "n - 2", "n + 1", "m", "m - 1", "len(u)", "len(v) - 1", "k"]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Parts of two arrays by bounds that hang on ints and on lengths meet one another, and are written."""

    def part(name: str) -> str:
        return f"{name}[{draw(st.sampled_from(BOUNDS))}:{draw(st.sampled_from(BOUNDS))}]"

    lines = ["def f(u, v, n, m, k):", "    s = 0.0"]
    for _ in range(draw(st.integers(1, 3))):
        x, y, z = part("u"), part("v"), part(draw(st.sampled_from("uv")))
        form = draw(
            st.sampled_from(
                [
                    "s = s + np.sum({x} * {y})",
                    "{x} = {y} * 0.5",
                    "s = s + np.sum({x} + {y} * {z})",
                    "{x} += {z}",
                ]
            )
        )
        lines.append("    " + form.format(x=x, y=y, z=z))
    return "\n".join([*lines, "    return s, u[0], v[-1], np.sum(u), np.sum(v)"]) + "\n"


@pytest.mark.turns(8)
@settings(max_examples=60)
@given(programs(), st.lists(st.tuples(*[st.integers(-1, 2)] * 4), min_size=2, max_size=4))
def test_random_programs(text: str, offsets: list[tuple[int, ...]]) -> None:
    """Against plain Python, as the sizes of calls come to differ."""
    f = loaded(text)
    jitted = jit(f, target="numpy")
    for a, b, c, d in [(0, 0, 0, 0), *offsets]:
        u, v = np.cos(np.arange(12.0 + a)), np.sin(np.arange(12.0 + b))
        rest = (12 + c, 12 + d, 3)
        given_u, given_v = u.copy(), v.copy()
        wanted = outcome(f, u, v, *rest)
        found = outcome(jitted, given_u, given_v, *rest)
        if isinstance(wanted[0], type):
            assert found[:1] == wanted[:1], text
            continue
        for one, other in itertools.chain(zip(found, wanted, strict=True), [(given_u, u), (given_v, v)]):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12, err_msg=text)
