"""Functions that functions return, with what they hold."""

import functools

import numpy as np
import pytest
from plain_python import complaint

from autobatch import batch
from autodiff import check_grads, grad
from codegen import SourceError, jit

v = np.array([3.0, -1.0])


def kernel(scale, power=2.0):
    def k(x, y):
        return np.exp(-(np.abs(x - y) ** power) / scale)

    return k


def composed(*fs):
    def run(x):
        for f in fs:
            x = f(x)
        return x

    return run


def adding(a):
    return lambda y, b=a: y + b + a[0]


def pair(x):
    return (lambda: x), {"times": functools.partial(np.multiply, x)}


def at(k, f):
    def g(*parts):
        parts = list(parts)
        parts[k] = f(parts[k])
        return parts[k]

    return g


def factorial():
    def go(k):
        return 1.0 if k <= 1 else k * go(k - 1)

    return go


AROUND = {each.__name__: each for each in (kernel, composed, adding, pair, at, factorial)}
RIGHT = [
    ("kernel(x)(x, 1.0), kernel(2 * x, power=1.0)(x, 0.5)", {"x": 2.0}),
    ("composed(np.sin, lambda y: y * x, pair(x)[1]['times'])(x)", {"x": 0.5}),
    ("    g = adding(v)\n    v[0] = 10.0\n    return g(v), g(1.0, b=2.0)", {"v": v}),
    ("    f, d = pair(x)\n    return f() + d['times'](3.0)", {"x": 2.0}),
    (
        "at(1, np.sin)(v, v[0], 3), at(0, lambda a: a[::-1])(v, 2.0)",
        {"v": v},
    ),
    (
        "    total = 0.0\n    for k in range(3):\n        total += kernel(k + 1.0)(x, k)\n    return total",
        {"x": 2.0},
    ),
]


@pytest.mark.parametrize("text, arguments", RIGHT)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_python_says(text, arguments, target):
    assert complaint(text, arguments, around=AROUND, target=target) is None


def of_kernels(s, x):
    return kernel(s)(x, 1.0) * composed(np.sin, pair(s)[1]["times"])(x)


def test_derivatives_and_lanes():
    check_grads(of_kernels, (2.0, 0.3), order=2)
    np.testing.assert_allclose(batch(of_kernels)(v**2, v), [of_kernels(9.0, 3.0), of_kernels(1.0, -1.0)])


def slope_of(f):
    return grad(f)


def of_slopes(s, x):
    square = slope_of(lambda z: s * z * z)
    return square(2.0) + slope_of(lambda z: np.sum(x * z))(1.0) * square(s)


def test_derivatives_of_functions_that_hold_something_are_returned():
    assert jit(of_slopes, target="numpy")(3.0, v) == 12.0 + 2.0 * 18.0
    np.testing.assert_allclose(grad(of_slopes, (0, 1))(3.0, v)[0], 4.0 + 2.0 * 12.0)
    with pytest.raises(SourceError, match="a function cannot be returned from a function"):
        jit(lambda x: slope_of(lambda z: x * z))(3.0)


def test_refused():
    with pytest.raises(SourceError, match="a function that calls itself cannot be returned from a function"):
        jit(lambda x: factorial()(x))(3)
    with pytest.raises(SourceError, match="a function cannot be returned from a function"):
        jit(lambda x: adding(x))(v)
    for given in (lambda x: lambda y: y, lambda x: (x, [lambda: 2.0])):
        with pytest.raises(SourceError, match="a function cannot be returned from a function"):
            jit(given)(v)
