"""Slices whose step is known when the program runs alone: read, written, added to, shown through views."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad
from codegen import jit

BOUNDS = (-9, -8, -3, -1, 0, 1, 3, 7, 8, 9)
STEPS = (-9, -3, -1, 1, 2, 8)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_all_bounds_and_steps(target):
    def whole(x, i, j, k):
        x[i:j:k] += 1.0
        return x[i:j:k] * 2.0, len(x[i:j:k])

    def begun(x, i, j, k):
        x[i::k] = x[0] + np.arange(len(x[i::k]))
        part = x[i::k]
        part *= 2.0
        return part.copy(), part.size

    def ended(x, i, j, k):
        x[:j:k] = -1.0
        return np.sum(x[:j:k]), x[:j:k].shape[0]

    def neither(x, i, j, k):
        part = x[::k]
        for at in range(len(part)):
            part[-1 - at] += part[at] + x[at]
        return part + 0.0, part.size

    for f in (whole, begun, ended, neither):
        made = jit(f, target=target)
        for i, j, k in product(BOUNDS, BOUNDS, STEPS):
            here, there = np.arange(8.0), np.arange(8.0)
            wanted, found = f(here, i, j, k), made(there, i, j, k)
            np.testing.assert_array_equal(found[0], wanted[0])
            assert found[1] == wanted[1]
            np.testing.assert_array_equal(there, here)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_the_sieve(target):
    def primes_to(n):
        is_prime = np.ones(n + 1, dtype=bool)
        is_prime[:2] = False
        for i in range(2, int(n**0.5) + 1):
            if is_prime[i]:
                is_prime[i * i :: i] = False
        return is_prime

    assert jit(primes_to, target=target)(50).tolist() == primes_to(50).tolist()
    if target == "numba":
        assert "np.empty" not in jit(primes_to).source(50)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_beside_other_places(target):
    def places(A, k, i):
        B = A.copy()
        B[::k, ::-k] = 0.0
        B[i, ::k] += 1.0
        B[..., None, ::k][0] *= 2.0
        B[1::k, [0, 1]] = 5.0
        B[B[:, 0] > 4.0, ::k] -= 1.0
        B.T[::k] += A.T[::k]
        C = B[:, k:10:k]
        C[:, 0] = 9.0
        C[i] = 3.0
        C[i, -1] = 4.0
        D = B[np.array([0, 1]), ::k]
        D[:] = 0.0
        return B, C.sum(), D, B[::k][-1].copy(), B[:, ::k, None].copy()

    for k, i in product((1, 2, 3), (0, 1, -1)):
        A = np.arange(30.0).reshape(5, 6)
        for found, wanted in zip(jit(places, target=target)(A, k, i), places(A, k, i), strict=True):
            assert np.shape(found) == np.shape(wanted)
            np.testing.assert_array_equal(found, wanted)


def test_complex_arrays():
    def turned(z, k):
        w = z.copy()
        w[::k] *= 2j
        w[..., ::-k] += z[::-k][::1]
        return w

    z = np.arange(5.0) + 1j
    for k in (2, -3):
        np.testing.assert_array_equal(jit(turned, target="numpy")(z, k), turned(z, k))


def strided(x, k):
    y = x * 1.0
    y[::k] = y[1] * np.sin(x[::k])
    y[k::-k] += x[0]
    z = y[1::k]
    for j in range(len(z)):
        z[j] *= x[j]
    return np.sum(y**2)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_derivatives(target):
    x, e = np.linspace(0.5, 1.5, 7), 1e-6
    for k in (1, 2, 3):
        slopes = [(strided(x + e * d, k) - strided(x - e * d, k)) / (2 * e) for d in np.eye(7)]
        np.testing.assert_allclose(grad(strided, target=target)(x, k), slopes, atol=1e-7)


@pytest.mark.turns(4)
def test_lanes():
    X, steps = np.linspace(0.5, 1.5, 21).reshape(3, 7), np.array([1, 2, 3])
    alone = jit(strided, target="numpy")
    np.testing.assert_allclose(
        batch(strided)(X, steps), [alone(*each) for each in zip(X, steps, strict=True)]
    )
    slopes = [grad(strided, target="numpy")(*each) for each in zip(X, steps, strict=True)]
    np.testing.assert_allclose(batch(grad(strided))(X, steps), slopes)
    np.testing.assert_array_equal(batch(lambda x, k: x[::k] * 2.0, (0, None))(X, 2), X[:, ::2] * 2.0)


def test_threads_of_a_gpu_have_such_slices():
    text = batch(strided, target="cuda").source(np.ones((3, 7)), np.array([1, 2, 3]))
    assert "slice step cannot be zero" in text


def test_narrow_bounds_are_taken_as_they_are():
    def total(x, k):
        kept = []
        for i in range(len(x)):
            kept.append(x[i])
        step = np.int32(k)
        return x[np.int8(1) : np.uint64(2**63) : step].sum() + sum(kept[::step])

    assert jit(total, target="numpy")(np.arange(200.0), 3) == total(np.arange(200.0), 3)


def test_what_cannot_be():
    def every(x, k):
        return x[::k]

    def by_float(x, k):
        return x[:: k * 0.5]

    def two_axes(x, k):
        return x[::k, ::k]

    with pytest.raises(ValueError, match="slice step cannot be zero"):
        jit(every, target="numpy")(np.ones(3), 0)
    with pytest.raises(SyntaxError, match="slice indices must be integers or None"):
        jit(by_float)(np.ones(3), 2)
    with pytest.raises(SyntaxError, match="too many indices for array: array is 1-dimensional"):
        jit(two_axes)(np.ones(3), 2)


def over_ranges(x, n, s):
    for i in range(n)[::s]:
        x = x * 0.5 + i
    for i in range(1, 3 * n, 2)[2:-1]:
        x = x * 0.75 - i
    for step in (1, -1):
        for i in range(n)[::step]:
            x = x * 0.5 + i
    return x


def of_ranges(x, n, s):
    places = range(2, n + 5, 2)
    return x * places[s] + places[-1] + len(places[1:]) + 5 * len(places[5:s])


@pytest.mark.parametrize("f", [over_ranges, of_ranges])
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_parts_of_ranges(f, target):
    for n, s in ((5, 1), (4, -2), (1, -1), (0, 1)):
        assert jit(f, target=target)(0.25, n, s) == f(0.25, n, s)
    lanes = np.array([0.25, 0.5]), np.array([5, 4]), np.array([1, -2])
    np.testing.assert_allclose(batch(f)(*lanes), [f(*lane) for lane in zip(*lanes, strict=True)], rtol=1e-15)
    assert grad(f, target=target)(0.25, 4, -2) == pytest.approx(f(1.0, 4, -2) - f(0.0, 4, -2))


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_places_that_a_range_does_not_have(target):
    with pytest.raises(IndexError, match="range object index out of range"):
        jit(of_ranges, target=target)(0.25, 4, 7)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        jit(over_ranges, target=target)(0.25, 4, 0)
