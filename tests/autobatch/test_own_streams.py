"""Generators that a program makes of seeds, and copies of generators in derivatives, against Python."""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autobatch import LaneError, Schedule, batch, streams
from autobatch.streams import Streams
from autodiff import grad, value_and_grad
from codegen import SourceError, jit

LANES = 6
SEEDS = np.array([0, 1, 7, 2**32, 2**40 + 3, 2**63 - 1])
SHARED = np.random.default_rng(0).normal(size=(200, 30))


def ising(beta, sweeps, seed):
    rng = np.random.default_rng(seed)
    s = np.ones((4, 4))
    accepted = 0
    for _ in range(sweeps * 16):
        i, j = rng.integers(4), rng.integers(4)
        change = 2 * s[i, j] * (s[(i + 1) % 4, j] + s[i - 1, j] + s[i, (j + 1) % 4] + s[i, j - 1])
        if change <= 0 or rng.random() < math.exp(-beta * change):
            s[i, j] *= -1
            accepted += 1
    return s.mean(), accepted


def several(seed):
    """Of equal seeds each has its own stream, another name of one has the same."""
    a, b = np.random.default_rng(seed), np.random.default_rng(seed)
    c, d = a, np.random.default_rng([seed, 7])
    return (
        a.normal() + b.random(),
        c.random(),
        d.integers(5),
        b.exponential(),
        np.random.default_rng(a).random(),
    )


def anew(seed, n):
    total = 0.0
    for k in range(n):
        rng = np.random.default_rng((seed, k, 3))
        total += rng.random() + np.random.default_rng(5).random()
    return total


def listed(seed):
    rngs = [np.random.default_rng([seed, k]) for k in range(3)]
    return sum(rng.normal() for rng in rngs), rngs[1].random()


def tree(rng, depth):
    if depth == 0 or rng.random() < 0.2:
        return 1.0
    return tree(rng, depth - 1) + tree(rng, depth - 1) * rng.random()


def passed_along(seed, depth):
    """Of two streams now one and now the other goes through the same frames."""
    first, second = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    return tree(first, depth) + tree(second, depth) * tree(first, 2), second.random()


def made_in_recursion(seed, depth):
    if depth == 0:
        return 0.0
    rng = np.random.default_rng([seed, depth])
    first = rng.random()
    return first + made_in_recursion(seed, depth - 1) + rng.random()


def arrays(seed):
    rng = np.random.default_rng(seed)
    x, order = rng.normal(size=4), rng.permutation(4)
    return np.sum(x[order] * np.arange(4)), rng.choice(5), rng.gamma(2.0)


def waiting(seed, matrix):
    """Lanes wait for each other's products with a matrix that all share, and keep their streams meanwhile."""
    rng = np.random.default_rng(seed)
    x, t = rng.normal(size=30), 0.0
    while t < 3.0:
        x = x + 0.1 * rng.normal(size=30)
        t += np.sum((matrix @ x) ** 2) * 1e-3 + rng.random()
    return t


def of_all_lanes():
    return np.random.default_rng(3).normal()


def beside(rng, seed):
    own = np.random.default_rng(seed)
    return rng.random() + own.random(), rng.random()


def last_passage(x, seed):
    """Its number of steps hangs on the draws, which a derivative needs again."""
    rng = np.random.default_rng(seed)
    t = 0.0
    while t < 3.0:
        t = t + abs(x * rng.standard_normal()) + 0.1
    return t * x + rng.normal()


def drawn_until(x, rng):
    t = 0.0
    while t < 3.0:
        t = t + abs(x * rng.standard_normal()) + 0.1
    return t * x * rng.random()


def noise(x, seed):
    return x * np.random.default_rng(seed).normal()


def noisy(x):
    total = 0.0
    for k in range(4):
        total += noise(x, k) * x
    return total


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (ising, (0.4, 3, SEEDS)),
    (several, (SEEDS,)),
    (anew, (SEEDS, np.arange(LANES))),
    (listed, (SEEDS,)),
    (passed_along, (SEEDS, 5)),
    (made_in_recursion, (SEEDS, np.arange(LANES))),
    (arrays, (SEEDS,)),
    (waiting, (SEEDS, SHARED)),
    (last_passage, (np.linspace(0.3, 2.0, LANES), SEEDS)),
    (noisy, (np.linspace(0.3, 2.0, LANES),)),
]
SLOPES = [(last_passage, (np.linspace(0.3, 2.0, LANES), SEEDS)), (noisy, (np.linspace(0.3, 2.0, LANES),))]


def is_of_lanes(argument: Any) -> bool:
    return isinstance(argument, np.ndarray) and argument.ndim == 1


def lane(arguments: tuple[Any, ...], k: int) -> list[Any]:
    return [a[k].item() if is_of_lanes(a) else copy.deepcopy(a) for a in arguments]


def alike(found: Any, wanted: list[Any]) -> None:
    for one, other in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def by_lanes(f: Callable[..., Any], arguments: tuple[Any, ...]) -> list[np.ndarray]:
    made = [f(*lane(arguments, k)) for k in range(LANES)]
    return [np.array(column) for column in zip(*(m if isinstance(m, tuple) else (m,) for m in made))]


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("f, arguments", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_one(f, arguments, target):
    made = jit(f, target=target)
    for k in range(LANES):
        wanted = f(*lane(arguments, k))
        alike(made(*lane(arguments, k)), [*wanted] if isinstance(wanted, tuple) else [wanted])


@pytest.mark.parametrize(
    "options", [{}, {"target": "numpy"}, {"schedule": Schedule("program_counter", group=8)}], ids=str
)
@pytest.mark.parametrize("f, arguments", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_lanes(f, arguments, options):
    axes = tuple(0 if is_of_lanes(a) else None for a in arguments)
    made = batch(f, axes, **options)
    if f is made_in_recursion and "schedule" in options:
        with pytest.raises(
            SourceError, match="a function that calls itself makes a random generator: make it out"
        ):
            made(*arguments)
    else:
        alike(made(*arguments), by_lanes(f, arguments))


def test_lanes_of_equal_seeds_draw_the_same_and_each_its_own():
    """What is the same for all lanes is not one stream of all."""
    f = batch(lambda x: x + of_all_lanes())
    np.testing.assert_array_equal(f(np.zeros(5)), np.full(5, of_all_lanes()))


def test_two_arguments_through_one_recursion():
    """Which no frame has room for: they are moved."""

    def plain(a, b):
        return tree(a, 2) + tree(b, 3) * tree(a, 1)

    rngs, theirs = (streams(1, LANES), streams(2, LANES)), (streams(1, LANES), streams(2, LANES))
    wanted = [plain(a, b) for a, b in zip(*theirs)]
    alike(batch(plain, schedule=Schedule("lanewise", stack_limit=200))(*rngs), [wanted])


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_beside_an_argument(target):
    rngs, theirs = streams(1, LANES), list(streams(1, LANES))
    found = batch(beside, target=target)(rngs, SEEDS)
    wanted = [beside(rng, int(seed)) for rng, seed in zip(theirs, SEEDS)]
    alike(found, [np.array(column) for column in zip(*wanted)])
    assert [rng.random() for rng in rngs] == [rng.random() for rng in theirs]


def difference(f: Callable[..., float], x: float, *rest: Any) -> float:
    h = 1e-6
    return (f(x + h, *copy.deepcopy(rest)) - f(x - h, *copy.deepcopy(rest))) / (2 * h)


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("f, arguments", SLOPES, ids=lambda x: getattr(x, "__name__", ""))
def test_slopes(f, arguments, target):
    slope = grad(f, target=target)
    wanted = [difference(f, *lane(arguments, k)) for k in range(LANES)]
    np.testing.assert_allclose([slope(*lane(arguments, k)) for k in range(LANES)], wanted, rtol=1e-6)
    np.testing.assert_allclose(batch(slope, target=target)(*arguments), wanted, rtol=1e-6)
    curve = grad(grad(f), target=target)
    bends = [difference(grad(f, target="numpy"), *lane(arguments, k)) for k in range(LANES)]
    np.testing.assert_allclose([curve(*lane(arguments, k)) for k in range(LANES)], bends, rtol=1e-5)


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("kind", [np.random.Philox, np.random.PCG64])
def test_a_loop_that_a_derivative_repeats_draws_the_same_numbers(kind, target):
    """The generator is left where the function leaves it, though the derivative draws twice."""
    theirs, ours = np.random.Generator(kind(3)), np.random.Generator(kind(3))
    x = 0.7
    wanted = difference(drawn_until, x, copy.deepcopy(theirs))
    value, slope = value_and_grad(drawn_until, target=target)(x, ours)
    assert value == pytest.approx(drawn_until(x, theirs), rel=1e-13)
    assert slope == pytest.approx(wanted, rel=1e-6)
    assert ours.random() == theirs.random()
    rngs, xs = [np.random.Generator(kind(k)) for k in range(4)], np.linspace(0.3, 1.5, 4)
    slopes = [difference(drawn_until, float(x), copy.deepcopy(rng)) for x, rng in zip(xs, rngs)]
    np.testing.assert_allclose(batch(grad(drawn_until), target=target)(xs, rngs), slopes, rtol=1e-6)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_lists_of_generators_are_streams(target):
    """As `spawn` makes them: each is left where its lane got to."""
    ours, theirs = (np.random.default_rng(3).spawn(LANES) for _ in range(2))
    f = batch(beside, target=target)
    for _ in range(3):
        wanted = [beside(rng, int(seed)) for rng, seed in zip(theirs, SEEDS)]
        alike(f(ours, SEEDS), [np.array(column) for column in zip(*wanted)])
        assert [r.bit_generator.state for r in ours] == [r.bit_generator.state for r in theirs]
    apart = Streams.from_generators(ours)
    assert repr(apart) == "Streams(6 lanes)" and apart[2].normal() == theirs[2].normal()
    f(apart, SEEDS)
    assert apart[1].random() != ours[1].random() == theirs[1].random()
    with pytest.raises(ValueError, match="6 and 5|lanes"):
        f(ours[:5], SEEDS)


def test_negative_seeds_fail_as_numpys():
    f = jit(of_seed)
    with pytest.raises(ValueError, match="expected non-negative integer"):
        f(-1)
    with pytest.raises(LaneError, match="lane 1: ValueError: expected non-negative integer"):
        batch(of_seed)(np.array([1, -1]))


def of_seed(seed):
    return np.random.default_rng(seed).random()


@pytest.mark.parametrize("seed", [np.uint64(2**63 + 5), np.int32(5), True, (1, 2), [3, 2**40]], ids=str)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_kinds_of_seeds(seed, target):
    assert jit(of_seed, target=target)(seed) == of_seed(seed)


def test_what_is_no_seed_is_refused():
    with pytest.raises(SourceError, match="a seed is an int, or a tuple of ints"):
        jit(of_seed)(1.5)
    with pytest.raises(
        SourceError, match="a seed is missing: without one each call would draw other numbers"
    ):
        jit(lambda x: x + np.random.default_rng().random())(1.0)
    with pytest.raises(
        SourceError, match="a thread of a GPU makes no random generators: pass autobatch.streams"
    ):
        batch(of_seed, target="cuda").source(SEEDS)
    with pytest.raises(SourceError, match="lanes as rows of arrays make no random generators"):
        batch(of_seed, schedule=Schedule("local_static"))(SEEDS)


def test_texts_run_alone():
    """As a person would write them: `default_rng` in NumPy's, a row of words in Numba's."""
    text = jit(noise, target="numpy").source(1.0, 2)
    assert "np.random.default_rng(seed)" in text
    module: dict[str, Any] = {"__name__": "apart"}
    exec(text, module)
    assert module["noise"](2.0, 5) == noise(2.0, 5)
    assert "copy.deepcopy(rng)" in grad(drawn_until, target="numpy").source(1.0, np.random.default_rng(1))
    assert "seed_stream(rng, (seed,))" in batch(noise).source(np.ones(3), np.arange(3))
