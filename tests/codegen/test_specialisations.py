"""Calls of numbers, arrays, tuples and constants find what serves them by their classes, and see all that the long way
sees."""

import gc
import linecache
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit

from autodiff import grad, jvp
from codegen import clear_cache, jit
from codegen.specialisations import kind_of

SCALE = 2.0

X = np.arange(12.0)
CALLS: list[Any] = [
    1.5, 2, True, 2**63 - 1, np.float32(0.5), np.int8(3), np.uint64(7), np.bool_(True), X, X[:1], X[:0], X[:3],
    X.astype(np.float32), X.astype(">f8"), X[::2], X.reshape(3, 4), X.reshape(3, 4).T, X.reshape(12, 1),
    X.reshape(1, 12), X.astype(np.int8), X > 3, np.array(1.5), 1.5 + 2j, X + 1j, (1.0, 2.0), [1.0, 2.0], {"a": 1.0},
    (X + 1j)[::2], (X + 1j).astype(np.complex64), (X + 1j).astype(">c16"), np.complex64(1j), np.complex128(2j),
    np.array(1j), (X + 1j)[:1], (1.5, X + 1j),
]  # fmt: skip


def plus(x: Any) -> Any:
    if isinstance(x, tuple | list):
        return x[0] + x[1]
    return x["a"] if isinstance(x, dict) else x + x


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_calls_of_all_kinds_in_turn(target: str) -> None:
    f = jit(plus, target=target)
    for _ in range(2):
        for given in CALLS[:3] + CALLS[4:]:
            made, expected = f(given), plus(given)
            assert type(made) is type(expected)
            np.testing.assert_array_equal(made, expected)
            assert getattr(made, "dtype", None) == (
                expected.dtype.newbyteorder("=") if isinstance(expected, np.ndarray | np.generic) else None
            )


@pytest.mark.turns(8)
def test_kinds_are_those_of_programs() -> None:
    """Two calls of one kind have one program."""
    kinds: dict[Any, Any] = {}
    f = jit(lambda x, y: x + y)
    plain = [
        x
        for x in CALLS
        if kind_of((x,))[0] is not None and x is not CALLS[3] and type(x) not in (tuple, list)
    ]
    assert len(plain) == 26
    for x in plain:
        for y in (1.5, X[:1], x):
            try:
                f(x, y)
            except (TypeError, ValueError):
                continue
            assert kinds.setdefault(kind_of((x, y))[0], f.last) is f.last
    assert len(kinds) > 30


def test_what_is_around_a_function_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def scaled(x):
        return SCALE * x

    f = jit(scaled)
    assert [f(1.5), f(1.5)] == [3.0, 3.0]
    monkeypatch.setitem(globals(), "SCALE", 4.0)
    assert [f(1.5), f(1.5)] == [6.0, 6.0]
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    assert f(1.5) == 3.0
    clear_cache()
    assert not f.short.made
    assert f(1.5) == 3.0


def test_what_is_given_twice_and_written_is_one_array() -> None:
    @jit
    def moved(x, y):
        x[0] = 5.0
        return y[0] + x[1]

    for _ in range(2):
        x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
        assert (moved(x, y), x[0]) == (5.0, 5.0)
        x[0] = 1.0
        assert (moved(x, x), x[0]) == (7.0, 5.0)
        with pytest.raises(ValueError, match="which shares memory with argument"):
            moved(X[:4], X[1:5])
        fixed = np.array([1.0, 2.0])
        fixed.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            moved(fixed, y)
        turned = np.arange(6.0).reshape(3, 2).T[0]
        assert (moved(turned, y), turned[0]) == (5.0, 5.0)


def test_ints_that_are_constants_stay_so() -> None:
    f = jit(lambda x, axis: np.sum(x, axis=axis))
    m = X.reshape(3, 4)
    for axis in (0, 1, 0, -1, 1):
        np.testing.assert_array_equal(f(m, axis), m.sum(axis))
    fixed = jit(lambda x, k: x * k, static_argnames="k")
    assert [fixed(2.0, 3), fixed(2.0, 4), fixed(2.0, 3)] == [6.0, 8.0, 6.0]
    with pytest.raises(OverflowError, match="the int 18446744073709551616 does not fit in 64 bits"):
        jit(lambda n: n)(2**64)


def squares(x):
    return np.sum(x * x)


def test_derivatives_still_look_at_shapes() -> None:
    def f(primals, tangents):
        return jvp(squares, primals, tangents)

    for _ in range(2):
        assert f((X,), (X,)) == (506.0, 1012.0)
        with pytest.raises(TypeError, match="tangents must have the shapes of the primals"):
            f((X,), (X[:9],))
        np.testing.assert_array_equal(grad(lambda x: np.sum(x * x))(X), 2 * X)
    slope = grad(lambda x: x**3)
    for _ in range(2):
        assert slope(2.0) == 12.0
        with pytest.raises(TypeError, match="derivatives are with respect to floats"):
            slope(2)


def test_a_second_call_describes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    f = jit(lambda x, y: x * y)
    f(X, 2.0)
    nested(X, options=Options(1.0, (X,)), rule=twice)
    monkeypatch.setattr("codegen.transformed.describe", None)
    np.testing.assert_array_equal(f(X[:9], 3.0), 3.0 * X[:9])
    np.testing.assert_array_equal(nested(X[:9], options=Options(3.0, (X[:9],)), rule=twice), 8.0 * X[:9])


def sums(xs: Any, ys: Any) -> Any:
    total = 0.0
    for x in xs:
        total = 10.0 * total + x
    return total + len(ys)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_lists_of_few_numbers_take_the_short_way(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their lengths and the kinds of their items; long ones, and those that are changed, are arrays as before."""
    f = jit(sums, target=target)
    lists: list[list[Any]] = [[1.0, 2.0], [3.0, 4.0, 5.0], [], [1, 2], [1, 2.0], [True, 2], [0.5] * 70]
    for _ in range(2):
        for xs in lists:
            made, wanted = f(xs, [1.0]), sums(xs, [1.0])
            assert (made, type(made)) == (wanted, type(wanted))
    g = jit(filled, target=target)
    for n in (3, 3, 70, 3):
        xs = [0.5] * n
        assert (g(xs), xs) == (0.5 * n, [2.0] + [0.5] * (n - 1))
    monkeypatch.setattr("codegen.transformed.describe", None)
    assert f([7.0, 8.0], [2.0]) == 79.0
    with pytest.raises(TypeError):
        f([7.0] * 70, [2.0])


def filled(xs: Any) -> Any:
    total = sum(xs)
    xs[0] = 2.0
    return total


class Options(NamedTuple):
    scale: float
    more: tuple[Any, ...]


class Others(NamedTuple):
    more: tuple[Any, ...]
    scale: float


def twice(x: Any) -> Any:
    return 2.0 * x


@jit
def nested(x: Any, options: Any = None, rule: Any = None, kind: Any = "sum") -> Any:
    made = x if options is None else options.scale * x + options.more[0]
    made = made if rule is None else rule(made)
    return made if kind == "sum" else -made


@jit
def joined(listed: Any) -> Any:
    return np.concatenate(listed)


@pytest.mark.turns(4)
def test_structures_and_constants() -> None:
    """Each is found for what it is: by its fields, the names of arguments, texts, functions, also made anew."""
    for _ in range(3):
        found_again()
    for scale in (3.0, 4.0, 5.0):
        source = f"def rule(x):\n    return {scale} * x\n"
        names: dict[str, Any] = {}
        linecache.cache["rule.py"] = len(source), None, source.splitlines(True), "rule.py"
        exec(compile(source, "rule.py", "exec"), names)
        assert nested(1.0, None, names.pop("rule")) == scale
        gc.collect()


def found_again() -> None:
    found = [
        nested(1.0, Options(2.0, (3.0,))),
        nested(1.0, Others((3.0,), 2.0)),
        nested(1.0, (Options(2.0, (3.0,)),)[0], None, "su" + "m"[:1]),
        nested(1.0, Options(2.0, (3.0, 5)), kind="other"),
        nested(x=1.0, kind="other", options=Options(2.0, (3.0,))),
        nested(1.0, options=None, rule=twice),
        nested(1.0, None, twice, "other"),
        nested(1.0, None, jit(twice), "other"),
        nested(1.0, None, njit(twice)),
        float(joined([X[:3], X[:9]])[11]),
        float(joined([X[:3], X[:3], X[:2]])[7]),
    ]
    assert found == [5.0, 5.0, 5.0, -5.0, -5.0, 2.0, -2.0, -2.0, 2.0, 8.0, 1.0]


def test_structures_that_are_written() -> None:
    @jit
    def moved(pair, y):
        pair[0][0] = 5.0
        return y[0] + pair[1]

    for _ in range(2):
        x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
        assert (moved((x, 1.0), y), x[0]) == (4.0, 5.0)
        x[0] = 1.0
        assert (moved((x, 1.0), x), x[0]) == (6.0, 5.0)


def sum_of_two(a, b):
    return a.random() + 10.0 * b.normal()


@pytest.mark.parametrize("make", [np.random.PCG64, np.random.Philox])
def test_streams_go_on_where_calls_left_them(make):
    """Two of them, one as both, by position and by name, and where a call fails."""
    compiled = jit(sum_of_two)
    (a, b), (c, d) = ([np.random.Generator(make(seed)) for seed in (1, 2)] for _ in range(2))
    for _ in range(3):
        assert compiled(a, b) == sum_of_two(c, d)
        assert compiled(a, a) == sum_of_two(c, c)
        assert compiled(a=b, b=a) == sum_of_two(a=d, b=c)
    assert a.random() == c.random() and b.random() == d.random()


def test_a_stream_in_a_tuple_that_is_an_argument_too():
    def f(pair, rng, n=2):
        scale, stream = pair
        total = 0.0
        for _ in range(n):
            total += scale * rng.normal() + stream.random()
        if n > 2:
            raise ValueError("too many")
        return total

    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    for n in (2, 1, 2):
        assert jit(f)((2.0, ours), ours, n) == pytest.approx(f((2.0, theirs), theirs, n), rel=1e-14)
    for g, rng in ((jit(f), ours), (f, theirs)):
        with pytest.raises(ValueError, match="too many"):
            g((2.0, rng), rng, 3)
    assert ours.random() == theirs.random()
