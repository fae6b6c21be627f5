"""What ints, bools and Python's floats do: wrap, compare exactly, raise, as plain Python and NumPy do."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from over_lanes import directory  # noqa: F401
from user_programs import loaded

from autobatch import LaneError, batch
from autodiff import grad
from codegen import SourceError, jit


def outcome(f: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """What a call gives, flat, or the name of its exception."""
    try:
        with np.errstate(all="ignore"):
            made = f(*[a.copy() if isinstance(a, np.ndarray) else a for a in arguments])
    except LaneError as error:
        return {failure.exception for failure in error.failures}.pop()
    except SourceError:
        return "refused"
    except Exception as error:  # whatever plain Python raises
        return type(error).__name__
    return [np.asarray(v) for v in (made if isinstance(made, tuple) else (made,))]


def agree(found: Any, wanted: Any) -> None:
    """Equal values and dtypes; an exception that is certain may be a refusal."""
    if isinstance(wanted, str) or isinstance(found, str):
        assert found == wanted or (found == "refused" and isinstance(wanted, str))
        return
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-14)
        np.testing.assert_array_equal(np.signbit(one), np.signbit(other))


def first(made: Any) -> Any:
    return tuple(v[0] for v in made) if isinstance(made, tuple) else made[0]


def holds(f: Callable[..., Any], *arguments: Any, lanes: bool = True, target: str = "numpy") -> None:
    """`jit(f)` is f; `batch(f)` is f of the elements of what it is given."""
    agree(outcome(jit(f, target=target), arguments), outcome(f, arguments))
    if lanes:
        rows = tuple(np.stack([np.asarray(a)] * 2) for a in arguments)
        many = batch(f, target=target)
        agree(outcome(lambda *given: first(many(*given)), rows), outcome(f, tuple(r[0] for r in rows)))


def signs(a, b):
    return b + -a, -a / 2, b - -a, -a * b, b * -a


def ends(a):
    return (a + (2**63 - 1)) + 1, (a - 5) - (2**63 - 1), (a + (2**63 - 1)) - (a - (2**63 - 1))


def literals(a):
    return a < 300, a > -1, a == 300, a != -1, 300 > a, -1 <= a, a < 100, a >= 2**63, a == -129


def compared(a, n):
    return a < n, a == n, n >= a


def added(a, n):
    return a + n, n * a


def at(x, k):
    return x[k]


def sums_of_bools(p, q):
    return (
        p + q,
        p * q,
        p // q,
        p % q,
        p**q,
        p / q,
        p & q,
        p ^ q,
        p << q,
        ~p,
        abs(p),
        p + 1,
        p * 2.5,
        1 - q,
        p + True,
    )


def counted(a, b):
    return (a > 0) + (b > 0), (a > 0) * (b > 0), (not a) + (not b), bool(a > 0) + bool(b > 0)


def shifted(x, k):
    return x << k, x >> k


def zeros(x):
    return x + 0.0, 0.0 + x, x - 0.0, x * 1.0, 0.0 - x, x - -0.0, x + -0.0, np.copysign(1.0, x + 0.0)


def norms(x):
    return np.linalg.norm(x), np.mean(x), np.var(x), np.sum(x, dtype=np.int32), np.prod(x, dtype=np.float32)


def stored(m, v):
    m[0] = v
    return m


def added_to(m, v):
    m[0] += v
    return m


def made(v):
    return np.full(2, v, np.uint8), np.array([v, 1], np.uint8)


def divided(a, b):
    return a // b, a % b


def quotient(a, b):
    return a / b


def powers(x, y):
    return x**y


def literal_powers(x):
    return x**2, x**-1


def whole(x):
    return int(x), round(x), math.floor(x), math.trunc(x)


def of_math(x):
    return math.exp(x), math.log(x), math.sqrt(x), math.sin(x), math.pow(x, 2), math.hypot(x, x), math.fabs(x)


def ints_of_math(a, b):
    """They take Python's ints, which do not wrap, whatever NumPy's are given."""
    counts = (
        math.comb(a, b),
        math.perm(b, b),
        math.factorial(b),
        math.isqrt(a),
        math.gcd(a, b),
        math.lcm(a, b),
    )
    return (
        *counts,
        math.gcd(a),
        math.isclose(-a, 1),
        math.isclose(a, b),
        math.remainder(a, b),
        math.fmod(a, b),
    )


def products(x, n):
    return (
        np.dot(x, n),
        np.dot(n, x),
        np.inner(x, n),
        np.dot(x, 2),
        np.dot(-1, x),
        np.dot(x, 0.5),
        np.clip(3, x, x),
    )


def bounds(x, n):
    least = (
        np.clip(x, n, np.int8(1)),
        np.clip(x, None, 300),
        np.clip(x, -300, 5),
        np.clip(x, 0, 1),
        np.clip(x, n, 100),
    )
    return *least, np.clip(x, -2, n), np.clip(x, 1.5, n), np.clip(x, True, 2), np.clip(x, -300, 300)


def wrapped(flag):
    """Ints that are chosen or bounded are NumPy's: another dtype wraps them."""
    least, most = np.clip(flag, 1, -2), np.clip(flag, 300, 400)
    return (
        np.uint64(least),
        np.uint8(most),
        np.int8(np.where(flag, 200, -200)),
        np.uint16(np.maximum(-2, flag * 1)),
    )


def roots(x):
    return x**0.5, np.power(x, 0.5), pow(x, 0.5), x**-0.5, x**2, np.sqrt(x)


def growing(a):
    """NumPy's functions give its ints, of Python's too, which wrap."""
    made = np.multiply(a, a), np.add(a, a), np.subtract(-2, a), np.power(a, 3), np.left_shift(a, 2)
    return *made, np.negative(a), np.negative(a) - 1, np.float_power(a, 1)


def summed(n):
    s = np.int64(0)
    for i in range(n):
        s += i * 2**61
    return s, s * 4


def beside_lists(b):
    return (
        b == (1, 2),
        b in (1, 2),
        (1, b) != b,
        b + (1, 2),
        b < [1, 2, 3],
        [b, 1] == [1, b],
        b == [[1, 2], [3, 4]],
    )


def among_pairs(b):
    return b in [(0, b), (1, b)]


def found_again(a, b):
    return a in [a], [a, b] == [a, b], (a,) != (a,), a in (b, 1.0), [a] == [b], a == a


def beside_math(a):
    return (
        a * math.lgamma(a),
        a * math.pow(a, 2.0),
        a * math.log(a, 2),
        a * math.sqrt(a),
        a * math.hypot(a, 1),
    )


def of_lists(k, c):
    return [5, 6][k] + c, [1.5, 2.5][k] * c, [5, 6][k], (True, False)[k]


def item_of(k):
    return [5, 6][k]


def to_base(x, base):
    return math.log(x, base)


def to_ints(n):
    return math.floor(n), math.ceil(n)


BYTES, SMALL = np.array([200, 3], np.uint8), np.array([7, -100], np.int8)
EDGE = np.array([-np.inf, -0.0, 0.0, 4.0, -1.0, np.nan])
X = np.arange(5.0)
TABLE = [
    (signs, np.array([5], np.uint8), np.array([300])),
    (signs, np.uint8(5), np.int64(300)),
    (signs, np.int64(-(2**63)), np.float64(2.5)),
    (ends, np.int64(-7)),
    (literals, np.uint8(200)),
    (literals, BYTES),
    (literals, np.int8(-3)),
    (literals, np.uint64(2**63 + 5)),
    (compared, np.uint64(2**63 + 5), np.int64(-1)),
    (compared, BYTES, np.int64(300)),
    (at, X, np.uint8(2)),
    (at, X, np.int8(-2)),
    (at, X, np.uint8(200)),
    (at, X, np.uint64(3)),
    (at, X, np.array([2, 0], np.uint8)),
    (at, X, np.array([-1, 2], np.int8)),
    (sums_of_bools, np.True_, np.True_),
    (sums_of_bools, np.array([True, False]), np.array([True, True])),
    (counted, np.float64(1.0), np.float64(2.0)),
    (shifted, np.int64(1), np.int64(64)),
    (shifted, np.int64(-5), np.int64(-1)),
    (shifted, np.uint8(200), np.uint8(3)),
    (shifted, np.array([1, -1]), np.array([64, -1])),
    (shifted, np.int32(7), np.int64(40)),
    (zeros, np.float64(-0.0)),
    (zeros, np.array([-0.0, 0.0, np.nan])),
    (norms, np.array([100, 50, 3], np.int8)),
    (norms, np.array([100000, 50000], np.int32)),
    *(
        (f, x, n)
        for f in (products, bounds)
        for x in (BYTES, np.array([7, -100], np.int8))
        for n in (np.int64(3), x[1])
    ),
    (bounds, np.array([True, False]), np.int8(1)),
    (bounds, np.array([0.5, np.nan, 9.0], np.float32), np.int16(7)),
    *((roots, x) for x in (EDGE, EDGE.astype(np.float32), np.array([4, 9]), np.array([4, 9], np.int16))),
    *((roots, x) for x in (*EDGE, np.float32(-np.inf), np.float32(-0.0), np.int64(4), np.int32(9))),
    *((to_base, np.float64(x), np.float64(y)) for x in (0.0, 2.0) for y in (0.0, 1.0, 10.0)),
    *(
        (to_ints, n)
        for n in (np.int64(2**53 + 1), np.int64(-(2**63)), np.uint64(2**53 + 1), np.int8(-3), np.True_)
    ),
    *((f, b) for f in (beside_lists, among_pairs) for b in (np.int64(2), np.float32(2.5))),
    (of_lists, np.int64(1), np.uint8(3)),
    *((beside_math, x) for x in (np.float32(2.5), np.uint8(3))),
    *((found_again, np.float64(x), np.float64(2.0)) for x in (np.nan, 2.0)),
    *((item_of, k) for k in (np.array([1]), np.True_, np.float64(1.0), np.uint8(1), np.int8(-1))),
    (stored, np.zeros(2, np.int64), np.float64(np.inf)),
    (stored, np.zeros(2, np.int16), np.float64(np.nan)),
    (stored, np.zeros(2, np.uint8), np.int64(300)),
    (added_to, np.array([-5, 5]), np.float64(2.5)),
    (added_to, np.array([-1.0, 1.0], np.float32), np.float64(1.00000001)),
    (divided, np.int64(5), np.int64(0)),
    (quotient, np.int64(5), np.int64(0)),
    (powers, np.int64(2), np.int64(-1)),
    (powers, np.array([2, 3]), np.array([1, -1])),
    (powers, np.float64(2.0), np.int64(-1)),
    (literal_powers, np.array([2])),
    (of_math, np.float32(0.7)),
    (of_math, np.uint8(3)),
    (ints_of_math, np.int8(127), np.int8(5)),
    (ints_of_math, np.uint8(200), np.uint8(9)),
    (ints_of_math, np.int16(30000), np.int16(3)),
    *((of_math, np.float64(x)) for x in (-1.0, 0.0, 1e3, np.inf)),
    *((whole, np.float64(x)) for x in (2.5, -3.7, np.nan, np.inf, -(2.0**63))),
    (whole, np.float32(2.5)),
    (whole, np.int64(3)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("f", "arguments"), [(row[0], row[1:]) for row in TABLE])
def test_numpy_numbers(f: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    holds(f, *arguments)


PYTHON = [
    (counted, 1.0, 2.0),
    (counted, 1, 0),
    (compared, np.uint8(200), 300),
    (compared, np.uint64(2**63 + 5), -1),
    (added, np.uint8(5), 300),
    (added, np.array([5], np.uint8), -1),
    (added, np.int8(5), 3),
    (divided, 5, 0),
    (divided, -7, 2),
    *((f, x, n) for f in (products, bounds) for x in (BYTES, np.uint8(7)) for n in (2, -1, 0.5, True)),
    *((wrapped, flag) for flag in (False, True)),
    *((roots, x) for x in (0.5, 4.0, 4)),
    (to_ints, 2**53 + 1),
    *((f, 2) for f in (beside_lists, among_pairs, item_of)),
    (of_lists, 1, np.uint8(3)),
    *((growing, a) for a in (2**62 + 1, -(2**63), 5)),
    (summed, 3),
    (quotient, 5, 0),
    (literal_powers, 2),
    (shifted, 5, -1),
    *(
        (stored, np.zeros(2, dtype), v)
        for dtype in (np.uint8, np.int64)
        for v in (300, -1, 300.7, np.inf, np.nan, True)
    ),
    (made, 30),
    (made, 300),
]


@pytest.mark.parametrize(("f", "arguments"), [(row[0], row[1:]) for row in PYTHON])
def test_python_numbers(f: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    holds(f, *arguments, lanes=False)


def relations(a, b):
    return a > b, a < b, a == b, a >= b, a != b, a <= b


@pytest.mark.turns(4)
def test_ints_with_and_without_a_sign_are_compared_exactly() -> None:
    """uint64 and Python's int have no common dtype: as numbers, not as bits."""
    compiled = jit(relations)
    for a in (np.uint64(0), np.uint64(1), np.uint64(2**63 + 5), np.array([1, 2**63 + 5], np.uint64)):
        for b in (-1, 1, -(2**63), 2**63 - 1, np.int64(-1), np.int8(-1)):
            agree(outcome(compiled, (a, b)), outcome(relations, (a, b)))
            agree(outcome(compiled, (b, a)), outcome(relations, (b, a)))


EDGES = {
    math.sqrt: (-1.0, -0.0, math.inf, math.nan),
    math.log: (0.0, -1.0, math.inf, math.nan),
    math.log1p: (-1.0, math.nan),
    math.exp: (1e3, 709.7, math.inf, -math.inf, math.nan),
    math.sinh: (-1e3, math.inf),
    math.tan: (-math.inf, math.nan),
    math.asin: (2.0, -1.0),
    math.acosh: (0.5, 1.0),
    math.atanh: (1.0, 0.5),
    math.lgamma: (-1.0, -math.inf, 1e308, 0.5),
}


@pytest.mark.parametrize("function", EDGES, ids=lambda f: f.__name__)
def test_edges_of_math(function: Callable[[float], float]) -> None:
    def f(x):
        return function(x)

    for x in EDGES[function]:
        holds(f, np.float64(x))


@pytest.mark.parametrize("x, y", [(0.0, -1.0), (-1.0, 0.5), (10.0, 400.0), (math.inf, -1.0), (-8.0, 3.0)])
def test_powers_of_math(x: float, y: float) -> None:
    def f(x, y):
        return math.pow(x, y)

    holds(f, np.float64(x), np.float64(y))


def one_way(n):
    if n > 0:
        y = n
    else:
        y = 0.5
    return y


def test_an_int_beside_a_float_keeps_its_digits() -> None:
    """It is a float; where that would not hold it, an error."""
    f = jit(one_way, target="numpy")
    assert f(3) == 3.0 and f(2**53) == 2.0**53 and f(-1) == 0.5
    with pytest.raises(OverflowError, match="beyond what a float holds exactly"):
        f(2**53 + 1)
    with pytest.raises(OverflowError, match="beyond what a float holds exactly"):
        jit(lambda n: max(n, 0.5), target="numpy")(2**53 + 1)


def test_python_s_int_beside_numpy_s_fits_its_dtype() -> None:
    def either(b):
        return b or -1

    def looped(b):
        t = b
        for _ in range(2):
            t = 300
        return t

    def returned(b):
        if b > 1:
            return b
        return 300

    for f in (either, looped, returned):
        for made, given in ((jit(f, target="numpy"), BYTES[0]), (batch(f, target="numpy"), BYTES)):
            with pytest.raises(SourceError, match="a NumPy number of uint8, which does not hold it"):
                made(given)

    def unused(b):
        t = b
        if b > 1:
            t = -1
        return b

    assert jit(unused, target="numpy")(BYTES[0]) == BYTES[0]

    def counted(b, n):
        t = b
        for i in range(n):
            t = i * 100
        return t

    assert jit(counted, target="numpy")(np.uint8(7), 3) == 200
    with pytest.raises(OverflowError, match="out of bounds for uint8"):
        jit(counted, target="numpy")(np.uint8(7), 4)
    with pytest.raises(LaneError) as caught:
        batch(counted, target="numpy")(np.array([7, 7], np.uint8), np.array([3, 4]))
    assert [failure.lane for failure in caught.value.failures] == [1]


def test_a_negative_power_of_ints_at_run_time() -> None:
    with pytest.raises(ValueError, match="make one of them a float"):
        jit(lambda m, k: m**k, target="numpy")(2, -1)


@pytest.mark.parametrize("function", [round, math.trunc])
def test_numpy_s_bools_are_not_rounded(function: Callable[[Any], Any]) -> None:
    with pytest.raises(SourceError, match="type numpy.bool doesn't define"):
        jit(lambda b: function(b), target="numpy")(np.True_)
    assert jit(lambda b: function(b), target="numpy")(True) == 1


def classes(x):
    return tuple([isinstance(x, c) for c in (float, int, bool, np.bool_, np.floating, np.integer, np.number)])


def test_numpy_s_numbers_are_instances_of_numpy_s_classes() -> None:
    """Of NumPy's float64 alone of Python's too."""
    for x in (1, 1.0, True, np.int64(1), np.float64(1), np.True_, np.float32(1), np.uint8(1)):
        assert jit(classes, target="numpy")(x) == classes(x)


def test_logic_of_numbers_is_of_bools() -> None:
    def f(a, b):
        both = np.logical_and(a, a), np.logical_and(a, True), np.logical_or(a, b), np.logical_or(False, b)
        return (*both, np.logical_xor(a, b), np.logical_not(b), np.logical_and(2, a), np.logical_or(b, 0.5))

    for given in (
        (2, 3.0),
        (np.int8(2), np.float32(np.nan)),
        (np.array([2, 0, 3]), np.array([2.0, 0.0, -0.0])),
    ):
        holds(f, *given)


def test_python_s_tests_give_python_s_bools() -> None:
    def f(c, a, x):
        items = (any([c]) + 1) * a, (all((c, c)) + 1) * a, (c in (1, 2)) + 1, -(c not in (c, 2)), (1 in x) * a
        return (*items, ((c, 1) == (1, c)) + 1, -((c, 1) != (1, c)), (not c) * a)

    for c in (np.True_, True, np.int8(2)):
        holds(f, c, np.uint64(3), np.array([1, 2]), lanes=False)


def test_numpy_s_ints_that_python_holds_divide_as_numpy_s() -> None:
    """A text that computes with Python's numbers raises where NumPy's functions give 0."""

    def f(a, b):
        return np.mod(a, a), np.floor_divide(a, a), np.negative(a) / a, 1 % ~b, 1 // ~b

    holds(f, 0, np.True_)


def test_powers_of_numpy_s_ints_and_bools() -> None:
    def f(a, n):
        return a**n, np.power(a, n), pow(a, n)

    bools = np.array([True, False])
    for base in (np.True_, bools, np.int8(2), np.uint8(2), np.uint64(2), 2):
        for power in (2, np.int8(3), np.uint8(3), np.float32(-1), np.True_, -1, np.int8(-1)):
            known = isinstance(power, int)
            if not (known and (base is bools or isinstance(base, int))):
                holds(f, base, power, lanes=False)
    assert jit(lambda a: a**2, target="numpy")(bools).dtype == (bools**2).dtype
    with pytest.raises(SourceError, match="Integers to negative"):
        jit(lambda a: np.power(a, -1), target="numpy")(2)


def test_absolute_values_of_bools_and_small_ints() -> None:
    def f(a, b, n):
        return abs(a), abs(any([])), abs(b), np.hypot(n, -1), np.arctan2(n, -1), n / -1

    for n in (np.array([1, 2], np.uint16), np.uint32(3), np.uint64(3)):
        holds(f, True, np.True_, n, lanes=False)
        assert type(jit(f, target="numpy")(True, np.True_, n)[0]) is int


def test_what_is_taken_from_zeros_keeps_their_size() -> None:
    """An array of one element that broadcasts is not its own negative there."""

    def f(a, b):
        a[a > 1] = 1
        for _ in range(2):
            a[0] = b
        t = np.zeros(2, np.int32)
        return t - a // 1, t + a

    holds(f, np.array([1]), 1, lanes=False)


@pytest.mark.parametrize("place", ["()", "...", "None", "..., None"])
@pytest.mark.parametrize(
    "number", ["np.array(2.0)", "np.full((), 2, np.float32)", "np.int64(2)", "np.zeros(())"]
)
def test_numbers_that_are_known_are_read_as_arrays_are(number: str, place: str) -> None:
    f = loaded(f"import numpy as np\ndef f(x):\n    return {number}[{place}] * x\n")
    for x in (1.5, np.float32(1.5), np.arange(3.0)):
        wanted, found = f(x), jit(f, target="numpy")(x)
        assert type(found) is type(wanted) and found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


def test_bounds_of_slices_are_numbers() -> None:
    def f(c):
        return c[c:][0]

    for made in (jit(f, target="numpy"), batch(f)):
        with pytest.raises(
            SourceError, match="only integer scalar arrays can be converted to a scalar index"
        ):
            made(np.array([[0], [0]]))


def test_what_counts_too_far_is_not_empty() -> None:
    def f(n):
        return np.arange(n)

    with pytest.raises(ValueError, match="Maximum allowed size exceeded"):
        jit(f, target="numpy")(3e38)
    assert jit(f, target="numpy")(2.5).tolist() == [0.0, 1.0, 2.0]


def test_an_axis_of_one_that_meets_none_has_no_slope() -> None:
    def f(a, b):
        return np.sum(a.copy()[1:] - b[:-1])

    x = np.array([2.0]), np.array([1.0, 3.0])
    for found, given in zip(grad(f, (0, 1), target="numpy")(*x), x, strict=True):
        assert found.tolist() == (given * 0.0).tolist()


def test_numpys_ints_of_pythons_wrap() -> None:
    """A cast of a cast is not one of Python's int, which raises where it does not fit."""

    def f(n):
        return np.uint16(np.int64(n)), np.uint8(np.int32(n)), np.uint64(np.int64(n)), np.int8(np.int64(n))

    for n in (-1, 300):
        holds(f, n)


def test_literals_that_do_not_fit_are_refused() -> None:
    with pytest.raises(SourceError, match="Python integer 300 out of bounds for uint8"):
        jit(lambda a: a + 300)(BYTES)


def everything(a, b, x, m, v, k):
    return (
        a < 300, a > -1, x[k], x[a - 198], (a > 1) + (b > 1), b + -a, v << 70, v >> -1,
        m[:1] < 300, math.sqrt(x[1]), int(x[2]),
    )  # fmt: skip


def test_compiled() -> None:
    """The same compiled; what fails by itself in `test_fails_compiled`."""
    given = np.uint8(200), np.int64(300), np.arange(5.0), BYTES, np.int64(-7), np.array([1, 0], np.uint8)
    wanted = outcome(everything, given)
    for one, other in zip(outcome(jit(everything), given), wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def wraps(m, k):
    return (m + m) // 2 == m, m + 1 > m, m * 3 > 0, m - k > m, (k + (2**63 - 1)) + 1, abs(m + m), m + k


def powers(m, k):
    return m**k + k**2, m.astype(np.int32) ** k, [m, 3][1] ** k


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_the_larger_of_an_int_and_a_float_is_a_float(target: str) -> None:
    """Python's is one of the two; here it has the kind that `isinstance` says."""

    def f(n):
        larger, smaller = max(n, 1.0), min(2.5, n)
        return larger, smaller, isinstance(larger, float)

    for found in (jit(f, target=target)(2), [part[0] for part in batch(f, target=target)(np.array([2]))]):
        assert list(found) == [2.0, 2.0, True] and all(isinstance(x, float) for x in found[:2])


def test_powers_wrap() -> None:
    """Numba's are a float's beyond 65536."""
    ms, ks = np.array([3, 2, -5, 65539]), np.array([70001, 2**62, 3, 65537])
    want = [powers(m, k) for m, k in zip(ms, ks, strict=True)]
    for got, each in zip(batch(powers)(ms, ks), zip(*want, strict=True), strict=True):
        np.testing.assert_array_equal(got, each)
    for got, each in zip(jit(powers)(ms, ks[0]), powers(ms, ks[0]), strict=True):
        np.testing.assert_array_equal(got, each)


def test_overflow_is_seen_as_in_numpy() -> None:
    """Also over lanes, one after the other and in groups."""
    ints = [np.array(values) for values in ([2**62, 2**63 - 1, 7], [-7, -(2**62), 2])]
    compiled, many = jit(wraps), batch(wraps)(*ints)
    for lane, given in enumerate(zip(*ints)):
        wanted = outcome(wraps, given)
        for one, over, other in zip(outcome(compiled, given), many, wanted, strict=True):
            assert one == other and over[lane] == other
    plain = compiled.source(3, 4)  # of Python's ints Python's answer
    assert "wrapping" not in plain and "wrapping_add(m, m)" in compiled.source(*given)


def literal_powers(m):
    return m**2 != 0, m**2 > 5, m**4 > m, np.square(m) > 3, m**3 > 0, m**2 * m**6 > 1, bool(m**2)


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
def test_overflow_of_powers_by_literals_is_seen_as_in_numpy(dtype: str) -> None:
    bits = 8 * np.dtype(dtype).itemsize
    ints = np.array(
        [3, 2 ** (bits // 2), 2 ** (bits - 2), 2 ** (bits // 2 - 1) * 3, 2 ** (bits // 2) - 1], dtype
    )
    compiled, many = jit(literal_powers), batch(literal_powers)(ints)
    for lane, m in enumerate(ints):
        for one, over, other in zip(
            outcome(compiled, (m,)), many, outcome(literal_powers, (m,)), strict=True
        ):
            assert one == other and over[lane] == other


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_dtypes_that_numbers_and_bools_bring(target: str) -> None:
    """Shifts by bools are of the other's dtype, a number of samples may be of any, and so may what has a reciprocal."""

    def f(a, b, n):
        return np.left_shift(a, b), a >> (a == 2), np.linspace(0.0, 1.0, n), np.zeros(n), np.reciprocal(n)

    a, b = np.array([1, 2], np.int16), np.array([True, False])
    with np.errstate(divide="ignore"):
        for kind in (np.int8, np.uint8, np.uint32, np.int64, np.uint64):
            for n in (kind(3), kind(1)):
                for one, other in zip(jit(f, target=target)(a, b, n), f(a, b, n), strict=True):
                    assert one.dtype == other.dtype
                    np.testing.assert_array_equal(one, other)
        for kind in (np.uint8, np.uint32, np.uint64):  # as NumPy has it on x86-64
            for z in (kind(0), np.zeros(2, kind)):
                assert not np.any(jit(inverse, target=target)(z))


def inverse(a):
    return np.reciprocal(a)


def test_what_is_only_added_up_stays_a_sum() -> None:
    def f(counts, places):
        for i in range(len(places)):
            counts[places[i]] += 1
        return counts[0] + counts[1] * 3

    assert "wrapping" not in jit(f).source(np.zeros(4, int), np.zeros(9, int))


def failing(x, n, m, d):
    if n == 0:
        return math.sqrt(x)
    if n == 1:
        return float(int(x))
    if n == 2:
        m[0] = x
    if n == 3:
        return 1.0 * (5 // d)
    return math.exp(x)


def test_fails_compiled() -> None:
    f = jit(failing)
    for x, n, error in [
        (-1.0, 0, ValueError), (math.nan, 1, ValueError), (math.inf, 1, OverflowError), (1e300, 1, OverflowError),
        (math.nan, 2, ValueError), (0.0, 3, ZeroDivisionError), (1e3, 4, OverflowError),
    ]:  # fmt: skip
        with pytest.raises(error):
            f(x, n, np.zeros(1, np.int64), 0)
    assert f(4.0, 0, np.zeros(1, np.int64), 0) == 2.0


def never_fails(x, y):
    far = math.exp(-x * x) + math.exp(-0.5 * (x * x + y * y) / 3.0) + math.exp(-abs(x) * y * y)
    near = math.log(1.0 + x * x) + math.sqrt(x * x + y * y) + math.log1p(math.exp(-abs(y)))
    return (
        far + near + math.asin(math.tanh(x)) + math.acos(min(abs(y), 1.0)) + math.sinh(max(-9.0, min(x, 9.0)))
    )


def may_fail_anywhere(x, y):
    return (
        math.log(math.exp(x)),
        math.exp(-x * y),
        math.sqrt(1.0 - x * x),
        math.exp(x / y),
        math.atanh(math.tanh(y)),
    )


def test_what_math_cannot_raise_is_not_asked() -> None:
    one = jit(never_fails, target="numpy")
    assert "raise" not in one.source(1.0, 2.0)
    assert jit(may_fail_anywhere, target="numpy").source(1.0, 2.0).count("raise ") == 6
    with np.errstate(all="ignore"):
        for x, y in itertools.product((0.0, -0.0, 1e200, -1e200, math.nan, 0.3, -31.0), repeat=2):
            np.testing.assert_allclose(one(x, y), never_fails(x, y), rtol=1e-14)


def test_constant_results_keep_their_dtypes() -> None:
    def f(c):
        return np.zeros_like(c), np.ones_like(c), np.full_like(c, 3, np.float32), np.int8(3), np.zeros(()), 3

    for c in (np.int16(2), np.uint32(1), np.float32(0.5)):
        holds(f, c)


@pytest.mark.parametrize(
    "number", [np.int16(300), np.uint64(2**63), np.float64(300.0), np.float64(np.nan), 300, 300.0]
)
def test_what_is_assigned_to_signed_ints(number: Any) -> None:
    """They hold it, as they hold Python's numbers; masks, lists of places and `np.full` cast NumPy's numbers."""

    def all_(a, v):
        a[:] = v
        return a

    def one(a, v):
        a[0] = v
        return a

    def masked(a, v):
        a[a > 0] = v
        return a

    def listed(a, v):
        a[np.array([1, 0])] = v
        return a

    def made(a, v):
        return np.full(2, v, np.int8)

    def nested(a, v):
        return np.array([v], np.int8)

    def summed(a, v):
        a[1] = np.sum(a) + v
        return a

    for f in (all_, one, masked, listed, nested, summed, *([] if type(number) is float else [made])):
        for dtype in (np.int8, np.uint8):
            holds(f, np.array([100, 1], dtype), number, lanes=isinstance(number, np.int16))


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_powers_of_ints_are_those_of_python(target: str) -> None:
    """To the bit: an int to the power of a third is a whole number where it is one in Python."""

    def root(n: int, p: float) -> float:
        return n**p

    found = jit(root, target=target)
    assert all(found(n, 1 / 3) == n ** (1 / 3) for n in range(400))
    assert all(found(n, -0.7) == n**-0.7 for n in range(1, 400))


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_counts_of_more_than_64_bits(target: str) -> None:
    """They are Python's, or an OverflowError: what is between is no larger than what comes out."""

    def factorial(n: int, k: int) -> int:
        return math.factorial(n)

    def comb(n: int, k: int) -> int:
        return math.comb(n, k)

    def perm(n: int, k: int) -> int:
        return math.perm(n, k)

    def lcm(n: int, k: int) -> int:
        return math.lcm(n, k)

    given = [
        (20, 20),
        (21, 20),
        (62, 31),
        (66, 33),
        (67, 33),
        (30, 40),
        (2**40, 2),
        (2**62, 1),
        (2**62, 2**62 - 3),
    ]
    for f in (factorial, comb, perm, lcm):
        found = jit(f, target=target)
        for n, k in given:
            want = math.inf if f is factorial and n > 66 or f is perm and k > n // 2 > 99 else f(n, k)
            if want < 2**63:
                assert found(n, k) == want
            else:
                with pytest.raises(OverflowError, match="64 bits"):
                    found(n, k)
    with pytest.raises(LaneError, match="64 bits"):
        batch(factorial)(np.array([3, 21]), np.array([0, 0]))
