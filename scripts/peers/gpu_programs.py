"""Programs of the GPU's figures, each written for one lane or as a program of arrays, and their data. NumPy only.

Beside them are those of control.py and kernels.py; `work` knows them all.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import control
import kernels

TOLERANCE = 1e-6  # of the differential equations, relative and absolute
SINE = 20.0  # operations that a sine counts for


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def kepler(mean, e):
    """The eccentric anomaly, by Newton's method."""
    x = mean
    while np.abs(x - e * np.sin(x) - mean) > 1e-12:
        x = x - (x - e * np.sin(x) - mean) / (1.0 - e * np.cos(x))
    return x


def lorenz(y, parameters):
    return np.array(
        [
            parameters[0] * (y[1] - y[0]),
            y[0] * (parameters[1] - y[2]) - y[1],
            y[0] * y[1] - parameters[2] * y[2],
        ]
    )


def lotka_volterra(y, parameters):
    return np.array(
        [
            y[0] * (parameters[0] - parameters[1] * y[1]),
            y[1] * (parameters[3] * y[0] - parameters[2]),
        ]
    )


def dormand_prince(field):
    """Of a vector field, the function that takes one state to time `end`: Dormand and Prince's pair 5(4) (1980)."""

    def solved(y, parameters, end):
        t, h = 0.0, 0.01
        k1 = field(y, parameters)
        while t < end:
            h = min(h, end - t)
            k2 = field(y + h * (k1 / 5.0), parameters)
            k3 = field(y + h * (3.0 / 40.0 * k1 + 9.0 / 40.0 * k2), parameters)
            k4 = field(y + h * (44.0 / 45.0 * k1 - 56.0 / 15.0 * k2 + 32.0 / 9.0 * k3), parameters)
            k5 = field(
                y
                + h
                * (
                    19372.0 / 6561.0 * k1 - 25360.0 / 2187.0 * k2 + 64448.0 / 6561.0 * k3 - 212.0 / 729.0 * k4
                ),
                parameters,
            )
            k6 = field(
                y
                + h
                * (
                    9017.0 / 3168.0 * k1
                    - 355.0 / 33.0 * k2
                    + 46732.0 / 5247.0 * k3
                    + 49.0 / 176.0 * k4
                    - 5103.0 / 18656.0 * k5
                ),
                parameters,
            )
            new = y + h * (
                35.0 / 384.0 * k1
                + 500.0 / 1113.0 * k3
                + 125.0 / 192.0 * k4
                - 2187.0 / 6784.0 * k5
                + 11.0 / 84.0 * k6
            )
            k7 = field(new, parameters)
            wrong = h * (
                71.0 / 57600.0 * k1
                - 71.0 / 16695.0 * k3
                + 71.0 / 1920.0 * k4
                - 17253.0 / 339200.0 * k5
                + 22.0 / 525.0 * k6
                - 1.0 / 40.0 * k7
            )
            scale = TOLERANCE + TOLERANCE * np.maximum(np.abs(y), np.abs(new))
            error = np.sqrt(np.mean((wrong / scale) ** 2))
            if error <= 1.0:
                t, y, k1 = t + h, new, k7
            h *= min(5.0, max(0.2, 0.9 * max(error, 1e-10) ** -0.2))
        return y

    return solved


lorenz_end = dormand_prince(lorenz)
lotka_volterra_end = dormand_prince(lotka_volterra)


def softmax(X):
    e = np.exp(X - X.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def ascent(q, X, y, steps):
    """Steps up a logistic regression's density."""
    for _ in range(steps):
        q = q + 1e-4 * ((y - 1.0 / (1.0 + np.exp(-(X @ q)))) @ X - q)
    return q


def heated(u, steps):
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
        u = v
    return u


def warmth(u, steps):
    return 0.5 * np.sum(heated(u, steps) ** 2)


def forward(L, b):
    """A lower triangular system."""
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def intensity(x, y, z, kx, ky, kz, weight):
    """Of a voxel's entry of the matrix Q."""
    real, imaginary = kernels.mriq(x, y, z, kx, ky, kz, weight)
    return real**2 + imaginary**2


def kmeans(centres, X):
    """The squared distances of all points to their nearest centres."""
    return np.sum(np.min(np.sum((X[:, None, :] - centres) ** 2, axis=2), axis=1))


def mixture(weights, means, precisions, X):
    """The log likelihood of Gaussians with diagonal covariances; weights and precisions as logarithms."""
    z = (X[:, None, :] - means) * np.exp(precisions)
    inside = weights + np.sum(precisions, axis=1) - 0.5 * np.sum(z**2, axis=2)
    top = np.max(inside, axis=1)
    points = np.sum(top + np.log(np.sum(np.exp(inside - top[:, None]), axis=1)))
    return points - len(X) * np.log(np.sum(np.exp(weights)))


def reprojection(camera, point, weight, feature):
    """Half the squared error of one observation: a rotation vector, a centre, a focal length, a principal point and
    two coefficients of radial distortion see a point."""
    turn = camera[:3]
    angle = np.sqrt(np.sum(turn**2))
    axis = turn / angle
    moved = point - camera[3:6]
    cosine = np.cos(angle)
    across = np.array(
        [
            axis[1] * moved[2] - axis[2] * moved[1],
            axis[2] * moved[0] - axis[0] * moved[2],
            axis[0] * moved[1] - axis[1] * moved[0],
        ]
    )
    turned = moved * cosine + across * np.sin(angle) + axis * (np.sum(axis * moved) * (1.0 - cosine))
    flat = turned[:2] / turned[2]
    r2 = np.sum(flat**2)
    seen = camera[6] * flat * (1.0 + camera[9] * r2 + camera[10] * r2**2) + camera[7:9]
    return 0.5 * np.sum((weight * (seen - feature)) ** 2)


D2Q9 = (
    ((0, 0), 4.0 / 9.0),
    *((way, 1.0 / 9.0) for way in ((1, 0), (0, 1), (-1, 0), (0, -1))),
    *((way, 1.0 / 36.0) for way in ((1, 1), (-1, 1), (-1, -1), (1, -1))),
)


def collision(f, target, omega):
    """A lattice Boltzmann step of one cell, before its populations move on (D2Q9, BGK): half its squared distance from
    other populations."""
    density = np.sum(f)
    x = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / density
    y = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / density
    still = 1.0 - 1.5 * (x**2 + y**2)
    wrong = 0.0
    for k, ((along_x, along_y), weight) in enumerate(D2Q9):
        along = 3.0 * (along_x * x + along_y * y)
        new = f[k] + omega * (weight * density * (still + along + 0.5 * along**2) - f[k])
        wrong += (new - target[k]) ** 2
    return 0.5 * wrong


class Work(NamedTuple):
    """A function; its arguments; which have an axis of lanes (None: it has no lanes); what a call counts for; by which
    arguments it is differentiated; the operations and the bytes that a call cannot do without, where known."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    axes: tuple[int | None, ...] | None
    count: int
    argnums: tuple[int, ...] = (0,)
    operations: float = 0.0
    bytes: float = 0.0


def work(name: str, size: int) -> Work:
    """The named program and data for so many lanes (points, rows, steps of a side); the same for everyone."""
    rng = np.random.default_rng(7)
    match name:
        case "mandelbrot" | "gcd" | "fib":
            function, lanes = control.work(name, size)
            return Work(function, lanes, (0,) * len(lanes), len(lanes[0]))
        case "collatz":
            return Work(collatz, (np.arange(1, size + 1),), (0,), size)
        case "kepler":
            e = np.linspace(0.0, 0.9, size)
            return Work(kepler, (3.0 * e, e), (0, 0), size)
        case "lorenz":
            start = rng.normal([1.0, 1.0, 20.0], 0.5, (size, 3))
            parameters = rng.uniform([9.0, 20.0, 2.0], [11.0, 30.0, 3.0], (size, 3))
            return Work(lorenz_end, (start, parameters, 3.0), (0, 0, None), size)
        case "lotka_volterra":
            start = rng.uniform(5.0, 15.0, (size, 2))
            parameters = rng.uniform([0.9, 0.3, 0.3, 0.08], [1.3, 0.5, 0.5, 0.12], (size, 4))
            return Work(lotka_volterra_end, (start, parameters, 10.0), (0, 0, None), size)
        case "mriq":
            _, arguments, axes, _ = kernels.work("mriq", size)
            each = 13.0 + 2.0 * SINE
            return Work(intensity, arguments, axes, size, (0, 1, 2), operations=size * 1024 * each)
        case "collision":
            f, target = (np.array([w for _, w in D2Q9]) * rng.uniform(0.9, 1.1, (size, 9)) for _ in range(2))
            return Work(collision, (f, target, 0.8), (0, 0, None), size, bytes=216.0 * size)
        case "reprojection":
            return Work(reprojection, observations(rng, size), (0,) * 4, size, (0, 1, 2))
    return array_work(name, size, rng)


def observations(rng: np.random.Generator, size: int) -> tuple[np.ndarray, ...]:
    camera = np.column_stack(
        [
            rng.normal(0.0, 0.3, (size, 3)),
            rng.normal(0.0, 0.2, (size, 3)),
            rng.uniform(0.9, 1.1, size),
            rng.normal(0.0, 0.1, (size, 2)),
            rng.normal(0.0, 0.01, (size, 2)),
        ]
    )
    point = rng.normal([0.0, 0.0, 5.0], 0.5, (size, 3))
    return camera, point, rng.uniform(0.5, 1.5, size), rng.normal(0.0, 0.3, (size, 2))


def array_work(name: str, size: int, rng: np.random.Generator) -> Work:
    """Those without lanes."""
    match name:
        case "softmax":  # of rows of 1,000
            cells = size * 1000
            return Work(softmax, (rng.normal(size=(size, 1000)),), None, cells, bytes=16.0 * cells)
        case "ascent":  # lanes that wait for products; 50 steps
            X, y = rng.normal(size=(10_000, 100)), rng.integers(0, 2, 10_000) * 1.0
            arguments = (0.1 * rng.normal(size=(size, 100)), X, y, 50)
            return Work(
                ascent, arguments, (0, None, None, None), 50 * size, operations=50.0 * size * 4.0 * X.size
            )
        case "heat" | "warmth":
            steps, function = (100, heated) if name == "heat" else (50, warmth)
            cells = steps * size**2
            return Work(function, (rng.random((size, size)), steps), None, cells, bytes=16.0 * cells)
        case "forward":
            L = np.tril(rng.random((size, size))) / size + 2.0 * np.eye(size)
            return Work(forward, (L, np.ones(size)), None, 1)
        case "kmeans":
            centres, X = rng.normal(size=(16, 8)), rng.normal(size=(size, 8))
            return Work(kmeans, (centres, X), None, size)
        case "mixture":
            means, X = rng.normal(size=(25, 16)), rng.normal(size=(size, 16))
            weights, precisions = rng.normal(size=25), 0.1 * rng.normal(size=(25, 16))
            return Work(mixture, (weights, means, precisions, X), None, size, (0, 1, 2))
    raise ValueError(f"no work {name}")


def marks(numbers: np.ndarray) -> list[float]:
    """The mean of a result and about a hundred of its numbers: what contenders must agree on."""
    return [float(numbers.mean()), *map(float, numbers[:: max(1, len(numbers) // 100)])]


def measured(count: float, call: Callable[[], Any]) -> dict[str, Any]:
    """One measurement of calls that last until their results are there. A call goes before, which wakes the machine;
    short ones are measured up to 20 at a time."""
    begun = time.perf_counter()
    call()
    calls = max(min(round(0.1 / (time.perf_counter() - begun)), 20), 1)
    begun = time.perf_counter()
    for _ in range(calls):
        call()
    return {"count": calls * count, "seconds": time.perf_counter() - begun}
