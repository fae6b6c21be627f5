"""Lists that loops of known length make: written out where that is short or nothing else is left, else counted."""

import numpy as np
import pytest
from corpus.science import DATA, S, implicit_euler, mixture_by_em, triangle_by_rotations
from plain_python import difference

from autobatch import batch
from autodiff import grad
from codegen import jit


def velocity(times, e):
    found = []
    for t in times:
        E = t
        for _ in range(50):
            step = (E - e * np.sin(E) - t) / (1.0 - e * np.cos(E))
            E -= step
            if abs(step) < 1e-12:
                break
        nu = 2.0 * np.arctan2(np.sqrt(1.0 + e) * np.sin(E / 2.0), np.sqrt(1.0 - e) * np.cos(E / 2.0))
        found.append(np.cos(nu) + e * np.cos(0.3))
    return np.sum(np.array(found) ** 2)


@pytest.mark.turns(4)
def test_long_loops_over_lanes_are_no_long_text() -> None:
    times, e = np.linspace(0.1, 6.0, 40), np.array([0.1, 0.3, 0.5])
    made = batch(grad(velocity, argnums=1), in_axes=(None, 0))
    slopes = [(velocity(times, each + 1e-6) - velocity(times, each - 1e-6)) / 2e-6 for each in e]
    assert np.allclose(made(times, e), slopes)
    assert made.source(times, e).count("sin(") < 40


def losses(x):
    found = []
    for k in range(40):
        for _ in range(3):
            x = (
                0.1 * np.sin(x)
                + 0.1 * np.cos(x * 0.1 * k) / (1.0 + x * x)
                + 0.1 * np.exp(-x)
                - 0.1 * np.sqrt(1.0 + x * x)
            )
            x = 0.2 * np.tanh(x) * np.log1p(x * x) + 0.3 * np.arctan(x) / (1.0 + np.cosh(x)) + 1.0 / (2.0 + k)
        found.append(x)
    return found


@pytest.mark.turns(4)
def test_lanes_give_lists_of_long_loops() -> None:
    x = np.array([0.3, 1.0])
    assert np.allclose(batch(losses)(x), np.transpose([losses(each) for each in x]))


def wavelet(x, levels=3):
    parts = []
    for _ in range(levels):
        x, d = 0.5 * (x[::2] + x[1::2]), 0.5 * (x[::2] - x[1::2])
        parts.append(d)
    parts.append(x)
    return parts[::-1]


def loud(x):
    return sum([np.sum(part**2) * (k + 1) for k, part in enumerate(wavelet(x))])


def of_three(y):
    a, b, c = y
    return np.array([b - a, c - b, a - c])


def history(y, n=40):
    kept = [y.copy()]
    for _ in range(n):
        z = y.copy()
        for _ in range(4):
            z = z + 0.5 * (of_three(z) + y - z)
        y = z
        kept.append(y.copy())
    return np.array(kept)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [wavelet, loud, history])
@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_sizes_that_are_asked_for_are_the_calls(f, target: str) -> None:  # type: ignore[no-untyped-def]
    x = np.array([1.0, 2.5, -1.0]) if f is history else np.arange(16.0) ** 1.5
    assert difference(jit(f, target=target)(x), f(x)) is None
    assert difference(jit(f, target=target)(x), f(x)) is None


def test_arrays_of_lanes_that_change_size_are_written_out() -> None:
    xs = np.arange(32.0).reshape(2, 16) ** 1.5
    assert np.allclose(batch(loud)(xs), [loud(x) for x in xs])
    slopes = [[(loud(x + 1e-4 * e) - loud(x - 1e-4 * e)) / 2e-4 for e in np.eye(16)] for x in xs]
    assert np.allclose(batch(grad(loud))(xs), slopes, rtol=1e-6)


def listed(times, e):
    return np.sum(np.array([velocity(times[:1] + t, e) for t in times if t > 0.0]) ** 2)


def summed(times, e):
    found = [velocity(times[:1] + t, e) * k for k, t in enumerate(times)]
    return sum(v * v for v in found) + found[3]


@pytest.mark.parametrize("f", [listed, summed])
def test_long_comprehensions_over_lanes_are_loops(f) -> None:  # type: ignore[no-untyped-def]
    times, e = np.linspace(0.1, 3.0, 50), np.array([0.1, 0.3])
    made = batch(grad(f, argnums=1), in_axes=(None, 0))
    slopes = [(f(times, each + 1e-6) - f(times, each - 1e-6)) / 2e-6 for each in e]
    assert np.allclose(made(times, e), slopes, rtol=1e-6)
    assert made.source(times, e).count("sin(") < 40


def test_lists_that_each_iteration_makes_anew_write_no_loop_out() -> None:
    a = np.stack([S, 2.0 * S])
    made = batch(triangle_by_rotations)
    assert np.allclose(made(a), [triangle_by_rotations(each) for each in a])
    assert made.source(a).count("hypot(") < 10


def test_dicts_whose_keys_stay_write_no_loop_out() -> None:
    text = jit(mixture_by_em).source(DATA, np.array([-0.5, 1.0]))
    assert text.count("< 0.001") == 1


def test_arrays_that_are_added_to_write_no_loop_out() -> None:
    assert jit(implicit_euler, target="numpy").source(0.4, 3.0).count("= solved(") == 1


def opened(n):
    seen = {"start": 1.0}
    for k in range(n):
        seen.update({f"at{k}": 0.5 * k})
    return sum(seen.values())


def test_dicts_that_get_keys_write_loops_out() -> None:
    assert jit(lambda: opened(4))() == opened(4)


MANY = 300


def round_trip(start):
    seen, far = [False] * MANY, [0.0, 1.0] * MANY
    while not seen[start]:
        seen[start] = True
        far[start] += 0.5
        start = (start * 7 + 3) % MANY
    return sum(seen), sum(far), len(far)


def test_long_lists_of_one_number_again_and_again_are_no_long_text() -> None:
    """Each place was a variable, of which one was chosen among all, and they compiled for ten seconds."""
    starts = np.arange(5)
    wanted = [round_trip(int(start)) for start in starts]
    made = batch(round_trip)
    np.testing.assert_array_equal(np.transpose(made(starts)), wanted)
    assert made.source().count("\n") < 400
    compiled = jit(round_trip)
    assert [compiled(start) for start in range(5)] == wanted
    assert compiled.source().count("\n") < 60
    shared = batch(lambda start, many: sum([start] * many), in_axes=(0, None))
    np.testing.assert_array_equal(shared(starts, 400), 400 * starts)
