"""Programs that went wrong once, in each form that runs lanes, against the function itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

from autobatch import LaneError, batch, streams
from autobatch.schedule import Schedule
from autodiff import checkpoint, grad, hessian, jvp
from codegen import SourceError, jit

FORMS = ["lanewise", "program_counter", "local_static"]
X = np.array([[1.0, 2.0, 4.0], [-0.5, 3.0, 0.25]])


def lanes_agree(f: Callable[..., Any], *columns: np.ndarray) -> None:
    """Each lane by itself, and all in every form."""
    with np.errstate(all="ignore"):
        wanted = [f(*lane) for lane in zip(*columns, strict=True)]
    for form in FORMS:
        found = batch(f, schedule=form)(*columns)
        for k, want in enumerate(wanted):
            mine = tuple(np.asarray(out)[k] for out in found) if isinstance(found, tuple) else found[k]
            for one, other in zip(
                *((mine, want) if isinstance(want, tuple) else ((mine,), (want,))), strict=True
            ):
                np.testing.assert_allclose(one, other, rtol=1e-13, err_msg=form)


def shorter_then_longer(u):
    w = np.zeros(2)
    for i in range(2):
        w[i] = u[i] * 2.0
    s = w[0] * w[1]
    z = np.zeros(3)
    w = np.zeros(3)
    for i in range(3):
        w[i] = u[i] * 3.0
    for k in range(2, 0, -1):
        w[k - 1] += w[k]
        z[k] = w[k]
    return s + np.sum(w), z


def other_shape(u):
    m = np.zeros((2, 3))
    for i in range(2):
        m[i] = u * i
    s = np.sum(m)
    m = np.zeros((4, 2))
    for i in range(4):
        m[i, 0] = u[i % 3] + s
    return m, s


@pytest.mark.parametrize("f", [shorter_then_longer, other_shape])
def test_one_name_of_two_sizes(f: Callable[..., Any]) -> None:
    lanes_agree(f, X)


def running(u):
    v = np.zeros(len(u))
    v[0] = u[0]
    for k in range(1, len(u)):
        v[k] = v[k - 1] + u[k]
    return v


def slices_summed(u):
    return np.sum(running(u[0:3])) + np.sum(running(u[3:5]))


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_functions_that_only_pass_tangents(target: str) -> None:
    """Whose sizes nothing but tangents bring."""
    u = np.arange(1.0, 6.0)
    np.testing.assert_array_equal(grad(slices_summed, target=target)(u), [3.0, 2.0, 1.0, 2.0, 1.0])
    np.testing.assert_array_equal(
        batch(grad(slices_summed), target=target)(u[None])[0], [3.0, 2.0, 1.0, 2.0, 1.0]
    )


def checked(x):
    if x < 0.0:
        raise ValueError("negative")
    return x * 2.0


def deep(x, n):
    if n == 0:
        return x * 1.5
    if x < 0.0:
        raise ValueError("negative")
    return deep(x * 1.1, n - 1) * x


def checks_more_than_it_takes(x):
    for i in range(2):
        if x < 3.0:
            checked(x)
            deep(x, 2 + i)
    return checked(deep(x * 0.5, 3)) * x


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_calls_for_their_effects_alone(target: str) -> None:
    """Of functions that are called elsewhere for what they give."""
    slope = 5.0 * 2.0 * 1.5 * 0.5**4 * 1.1**6  # of x ** 5
    np.testing.assert_allclose(
        grad(checks_more_than_it_takes, target=target)(2.0), slope * 2.0**4, rtol=1e-12
    )
    with pytest.raises(ValueError, match="negative"):
        grad(checks_more_than_it_takes, target=target)(-1.0)


def products_until(x, n):
    s = 1.0
    for i in range(n):
        for _ in range(i):
            s = s * (1.2 + x)
            if s < 0:
                return s * x
    return s * s


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_second_derivatives_of_loops_over_lanes(target: str) -> None:
    found = batch(hessian(products_until), target=target)(np.array([0.1, 0.2]), np.array([3, 4]))
    np.testing.assert_allclose(found, [6 * 5 * 1.3**4, 12 * 11 * 1.4**10], rtol=1e-12)


def moved_over(u, a):
    x, y = u * 2.0, u + 1.0
    total = 0.0
    if a > 0.5:
        total = np.sum(x) * 0.1
        x = y
    return x, total, np.maximum(x, total)


def test_a_number_of_an_array_that_is_moved_over() -> None:
    lanes_agree(moved_over, X, np.array([1.0, 0.0]))


@checkpoint
def smooth(x):
    return np.tanh(x) + x


def smoothed(x):
    return np.sum(smooth(smooth(x)) ** 2)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_checkpoints_in_lanes(target: str) -> None:
    np.testing.assert_allclose(batch(smoothed, target=target)(X), [smoothed(x) for x in X], rtol=1e-13)
    wanted = [grad(smoothed)(x) for x in X]
    np.testing.assert_allclose(batch(grad(smoothed), target=target)(X), wanted, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.int8, np.bool_])
def test_sums_of_narrow_integers(dtype: type) -> None:
    """In 64 bits, of their sign."""

    def sums(u):
        return np.sum(u), np.cumsum(u), np.prod(u), np.mean(u), np.sum(u, axis=0)

    u = (
        np.array([[100, 120, 3], [1, 2, 3]])
        * np.array(np.iinfo(dtype).max // 127 if dtype != np.bool_ else 1)
    ).astype(dtype)
    for target in ("numpy", "numba"):
        for found, want in zip(batch(sums, target=target)(u), sums(u[0]), strict=True):
            np.testing.assert_allclose(found[0], want)
            assert found.dtype == np.asarray(want).dtype


@pytest.mark.turns(4)
@pytest.mark.parametrize("zeros", [(), (0,), (0, 2), (0, 1, 2)])
def test_second_derivatives_of_a_product(zeros: tuple[int, ...]) -> None:
    x = np.array([2.0, 3.0, -1.5, 0.5])
    x[list(zeros)] = 0.0
    others = [[np.prod(np.delete(x, [i, j])) if i != j else 0.0 for j in range(4)] for i in range(4)]
    np.testing.assert_allclose(hessian(lambda x: np.prod(x))(x), others, rtol=1e-12)


def test_polygamma_at_poles_and_far_out() -> None:
    """It ends, and gives what SciPy does where that ends."""

    def both(x):
        return scipy.special.polygamma(1, x), scipy.special.polygamma(2, x)

    x = np.array([np.inf, -np.inf, 0.0, -1.0, -1e300, 1e300, 1e17, -1e9 - 0.5, -2.25])
    one, two = batch(both)(x)
    np.testing.assert_allclose(
        one, [0, np.inf, np.inf, np.inf, np.inf, 1e-300, 1e-17, np.pi**2, 19.3794105], rtol=1e-7
    )
    np.testing.assert_allclose(two[:7], [0, -np.inf, -np.inf, -np.inf, -np.inf, 0, -1e-34], rtol=1e-12)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda rng, s: rng.normal(0.0, s), "scale < 0"),
        (lambda rng, s: rng.exponential(s), "scale < 0"),
        (lambda rng, s: rng.uniform(0.0, s), "high - low < 0"),
        (lambda rng, s: rng.integers(int(s)), "high <= 0"),
        (lambda rng, s: rng.integers(-int(s), 1), "low >= high"),
        (lambda rng, s: rng.uniform(-s, 0.5), "high - low < 0"),
    ],
)
def test_draws_that_fail_fail_alone(draw: Callable[..., Any], message: str) -> None:
    with pytest.raises(LaneError, match=message) as caught:
        batch(draw)(streams(1, 3), np.array([1.0, -1.0, 2.0]))
    assert [failure.lane for failure in caught.value.failures] == [1]
    rngs = streams(1, 3)
    np.testing.assert_allclose(caught.value.results[[0, 2]], [draw(rngs[0], 1.0), draw(rngs[2], 2.0)])


def test_powers_below_zero_of_zero() -> None:
    """Infinite, as division by zero is."""

    def powers(x, n, a):
        return x**-1, x**n, np.sum(a**-2), a**n

    for found, want in zip(
        jit(powers)(0.0, -3, np.zeros(2)), (np.inf, np.inf, np.inf, [np.inf] * 2), strict=True
    ):
        np.testing.assert_array_equal(found, want)
    assert jit(lambda a: a**-1)(np.ones(2, np.float32)).dtype == np.float32


@pytest.mark.parametrize("wrap", [batch, jit, grad])
def test_dtypes(wrap: Callable[..., Any]) -> None:
    """Bytes in the other order are read as they mean; what has no type here is refused by name."""
    f = wrap(lambda x: np.sum(x * x))
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(f(x.astype(">f8")), f(x))
    for dtype in (np.float16, np.clongdouble, np.longdouble):
        with pytest.raises(TypeError, match=f"dtype {np.dtype(dtype)} is not supported"):
            f(x.astype(dtype))


def test_empty_joins() -> None:
    x = np.zeros((3, 0))
    for form in FORMS:
        assert batch(lambda a, b: np.concatenate((a, b)) * 2.0, schedule=form)(x, x).shape == (3, 0)


def test_tangents_of_other_sizes() -> None:
    for n in (1, 2, 5):
        with pytest.raises(TypeError, match="shapes of the primals"):
            jvp(lambda x: np.sum(x * x), (np.arange(3.0),), (np.ones(n),))


def test_places_in_numbers() -> None:
    """The first of one is a number, over lanes as elsewhere."""
    lanes_agree(lambda a: (np.argmin(np.sum(a)), np.argmax(a[0])), X)


def test_joins_of_a_length_that_a_write_tells() -> None:
    def f(a, b):
        a.copy()[1:] = a
        t = np.diff(a, append=b)
        once = np.zeros(1)
        once[:] = t
        places = np.zeros(len(t))
        for i in range(len(once)):
            places[len(t)] = i
        return t

    given = np.array([1.0, 2.0]), 0.25
    with pytest.raises(ValueError, match="could not broadcast"):
        jvp(f, given, given)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_calls_of_what_always_raises(target: str) -> None:
    """Sizes that never fit, in a function whose result another one uses."""

    def shifted(x, y):
        z = np.zeros(len(y) - 1)
        z[:] = y
        return np.sum(z) * x

    def f(x, y):
        return shifted(x, y) + x

    given = 2.0, np.ones(3)
    for run in (
        lambda: jit(f, target=target)(*given),
        lambda: grad(f, target=target)(*given),
        lambda: jvp(f, given, given, target=target),
    ):
        with pytest.raises(ValueError, match="could not broadcast"):
            run()


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_known_sizes_that_do_not_fit_in_joins(target: str) -> None:
    def f(x):
        return np.sum(np.concatenate((np.reshape(x, (1, 3)), np.zeros((1, 2)))))

    for run in (jit(f, target=target), grad(f, target=target)):
        with pytest.raises(SourceError, match=r"must match exactly: f8\[1, 3\], f8\[1, 2\]"):
            run(np.ones(3))


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_functions_of_extremes_of_mixed_numbers(target: str) -> None:
    """In the dtype of the larger kind: of a bool NumPy computes in half precision."""

    def f(a, b):
        return np.log1p(max(a, b)), np.sqrt(min(b, a))

    for a, b in ((True, 0.75), (np.int8(3), np.float64(2.5)), (np.float32(1.3), np.float64(0.5))):
        wanted = f(float(a), float(b))
        found = jit(f, target=target)(a, b)
        np.testing.assert_allclose(found, wanted, rtol=1e-15)
        assert [np.asarray(each).dtype for each in found] == ["f8", "f8"]
    assert jit(lambda a: np.reciprocal(a), target=target)(np.True_).dtype == np.int8


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_ranges_of_narrow_ints(target: str) -> None:
    """Where they overflow, too, as in NumPy."""

    def f(start, stop):
        return np.arange(start, stop)

    with np.errstate(over="ignore"):
        for start, stop in ((0, 3), (-100, 100)):
            given = np.int8(start), np.int8(stop)
            wanted, found = f(*given), jit(f, target=target)(*given)
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == wanted.dtype
    assert len(jit(lambda a: np.arange(np.int8(a)), target=target)(0)) == 0


def test_powers_that_are_found_negative_over_lanes() -> None:
    """By constants that only blocks know: each lane fails, as it would if it were run."""

    def f(x):
        for _ in range(1):
            power = -1
        return power**power + x

    for form in FORMS:
        with pytest.raises(LaneError, match="negative int power"):
            batch(f, schedule=form)(np.zeros(3))
    with pytest.raises(LaneError, match="negative int power"):
        batch(f, target="numpy")(np.zeros(3))


@pytest.mark.parametrize("reduce", [np.argmax, np.argmin, np.cumsum])
def test_one_axis(reduce: Callable[..., Any]) -> None:
    for axis in ((0,), [0]):
        with pytest.raises(SourceError, match="cannot be interpreted as an integer"):
            jit(lambda x: reduce(x, axis), target="numpy")(np.ones(3))


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_a_join_as_long_as_one_of_its_pieces(target: str) -> None:
    """What `c[1:]` of one element leaves out made the join's size that of `b[:1]`, and the latter was forgotten."""

    def f(b, c):
        joined = np.concatenate((c[1:], b[:1]))
        last = joined[-1:]
        return np.sum(joined * 3.0) + np.sum(last * 2.0)

    for b, slopes in ((np.zeros(0), []), (np.ones(3), [5.0, 0.0, 0.0])):
        got = grad(f, (0, 1), target=target)(b, np.ones(1))
        np.testing.assert_array_equal(got[0], slopes)
        np.testing.assert_array_equal(got[1], [0.0])


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_fills_that_their_dtype_does_not_hold(target: str) -> None:
    """NumPy casts a float that fills an int array as it casts an array: it raises for ints alone."""

    def f(n, c):
        return np.full(n, c, dtype=np.int64), np.full(n, c).astype(np.int64), np.full(n, 2.5, np.uint8)

    def g(n, k):
        return np.full(n, k, dtype=np.uint8)

    with np.errstate(invalid="ignore"):
        for n, c in ((0, np.inf), (2, np.nan), (2, -3.5), (3, -1e30)):
            for got, want in zip(jit(f, target=target)(n, c), f(n, c), strict=True):
                assert got.dtype == want.dtype and got.shape == want.shape
                if n and abs(c) < 10.0:
                    np.testing.assert_array_equal(got, want)
    with pytest.raises(OverflowError):
        jit(g, target=target)(2, 300)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_writes_of_nothing_to_places(target: str) -> None:
    """What a slice turns out to hold too late for its check to be refused when it is read."""

    def f(c):
        t = np.zeros(2)
        t[:] = c[2:2]
        return c[2:2], t

    with pytest.raises(ValueError, match="could not broadcast"):
        jit(f, target=target)(np.array([1, 1]))


@pytest.mark.parametrize("schedule", [Schedule("lanewise"), Schedule("program_counter", group=4)])
def test_places_are_checked_before_anything_is_written_there(schedule: Schedule) -> None:
    """A loop that writes stays behind the check of its places, though one that looks at them comes before both."""

    def f(b, c):
        b[c] = 2.0
        return np.sum(b)

    b, c = np.array([[0.0, 10.0], [1.0, 5.0]]), np.array([[[0, 1], [1, 0]], [[0, 10**9], [1, -(10**12)]]])
    with pytest.raises(LaneError) as caught:
        batch(f, schedule=schedule)(b.copy(), c)
    assert [failure.lane for failure in caught.value.failures] == [1]
    assert caught.value.results[0] == 4.0
