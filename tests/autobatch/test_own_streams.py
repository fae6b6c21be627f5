"""Generators that a program makes of seeds, and copies of generators in derivatives, against Python."""

import copy
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from gpu_by_numba import with_compiled_gpu
from seeded_programs import (
    LANES,
    ON_A_GPU,
    PROGRAMS,
    SEEDS,
    SLOPES,
    alike,
    beside,
    by_lanes,
    drawn_until,
    is_of_lanes,
    lane,
    last_passage,
    made_in_recursion,
    noise,
    of_all_lanes,
    on_a_gpu,
    tree,
    waiting,
)
from waiting_gpu import with_products

from autobatch import LaneError, Schedule, batch, streams
from autobatch.streams import Streams
from autodiff import grad, value_and_grad
from codegen import SourceError, jit


@pytest.mark.sampled(6)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("f, arguments", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_one(f, arguments, target):
    made = jit(f, target=target)
    for k in range(LANES):
        wanted = f(*lane(arguments, k))
        alike(made(*lane(arguments, k)), [*wanted] if isinstance(wanted, tuple) else [wanted])


@pytest.mark.sampled(18)
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


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f, arguments", ON_A_GPU, ids=lambda x: getattr(x, "__name__", ""))
def test_threads_of_a_gpu(f, arguments):
    """Streams of their own, which lanes that wait for products keep from launch to launch."""
    with with_products() if f is waiting else with_compiled_gpu():
        on_a_gpu(f, arguments)


def test_a_thread_has_no_room_for_streams_of_frames_or_copies():
    with pytest.raises(SourceError, match="a function that calls itself makes a random generator"):
        batch(made_in_recursion, target="cuda").source(SEEDS, np.arange(LANES))
    with pytest.raises(SourceError, match="random numbers are drawn here in a loop of unknown length"):
        batch(grad(last_passage), target="cuda").source(*SLOPES[0][1])


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


@pytest.mark.sampled(4)
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


@pytest.mark.parametrize("target", ["numpy", "numba", "cuda"])
def test_lists_of_generators_are_streams(target):
    """As `spawn` makes them: each is left where its lane got to."""
    with with_compiled_gpu() if target == "cuda" else nullcontext():
        check_lists_of_generators(target)


def check_lists_of_generators(target):
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
