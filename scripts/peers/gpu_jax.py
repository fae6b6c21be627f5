"""JAX's side of the GPU's figures, float64: python gpu_jax.py program|gradient|diffrax WORK SIZE

The programs of gpu_programs.py as one writes them in JAX: one lane, vmap and jit. Arguments lie on the GPU, and a call
is over when its results are there. `diffrax` has that library's Dormand and Prince for the differential equations.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import gpu_programs
from gpu_programs import TOLERANCE
from serving import serve


def mandelbrot(cr, ci):
    def inside(state):
        x, y, steps = state
        return (steps < 500) & (x * x + y * y < 4.0)

    def step(state):
        x, y, steps = state
        return x * x - y * y + cr, 2.0 * x * y + ci, steps + 1

    return lax.while_loop(inside, step, (0.0 * cr, 0.0 * ci, 0))[2]


def gcd(a, b):
    def step(state):
        a, b = state
        return jnp.where(a > b, a - b, a), jnp.where(a > b, b, b - a)

    return lax.while_loop(lambda state: state[0] != state[1], step, (a, b))[0]


def collatz(n):
    def step(state):
        n, steps = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return lax.while_loop(lambda state: state[0] != 1, step, (n, 0))[1]


def kepler(mean, e):
    def wrong(x):
        return x - e * jnp.sin(x) - mean

    return lax.while_loop(
        lambda x: jnp.abs(wrong(x)) > 1e-12, lambda x: x - wrong(x) / (1.0 - e * jnp.cos(x)), mean
    )


def lorenz(y, parameters):
    sigma, rho, beta = parameters
    return jnp.array([sigma * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - beta * y[2]])


def lotka_volterra(y, parameters):
    a, b, c, d = parameters
    return jnp.array([y[0] * (a - b * y[1]), y[1] * (d * y[0] - c)])


STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


def dormand_prince(field, y, parameters, end):
    """The same algorithm as in gpu_programs.py."""

    def step(state):
        t, h, y, k1 = state
        h = jnp.minimum(h, end - t)
        slopes = [k1]
        for row in STAGES:
            new = y + h * sum(a * k for a, k in zip(row, slopes, strict=True) if a)
            slopes.append(field(new, parameters))
        wrong = h * sum(a * k for a, k in zip(ERROR, slopes, strict=True) if a)
        scale = TOLERANCE + TOLERANCE * jnp.maximum(jnp.abs(y), jnp.abs(new))
        error = jnp.sqrt(jnp.mean((wrong / scale) ** 2))
        good = error <= 1.0
        t, y, k1 = jnp.where(good, t + h, t), jnp.where(good, new, y), jnp.where(good, slopes[-1], k1)
        return t, h * jnp.clip(0.9 * jnp.maximum(error, 1e-10) ** -0.2, 0.2, 5.0), y, k1

    start = jnp.zeros(()), jnp.asarray(0.01), y, field(y, parameters)
    return lax.while_loop(lambda state: state[0] < end, step, start)[2]


def by_diffrax(field: Callable[..., Any]) -> Callable[..., Any]:
    import diffrax

    control = diffrax.PIDController(rtol=TOLERANCE, atol=TOLERANCE)
    term = diffrax.ODETerm(lambda t, y, parameters: field(y, parameters))

    def solved(y, parameters, end):
        found = diffrax.diffeqsolve(
            term,
            diffrax.Dopri5(),
            0.0,
            end,
            0.01,
            y,
            args=parameters,
            stepsize_controller=control,
            saveat=diffrax.SaveAt(t1=True),
            throw=False,
        )
        return found.ys[0]

    return solved


def softmax(X):
    return jax.nn.softmax(X, axis=1)


def ascent(q, X, y, steps):
    return lax.fori_loop(0, steps, lambda _, q: q + 1e-4 * ((y - 1.0 / (1.0 + jnp.exp(-(X @ q)))) @ X - q), q)


def heated(u, steps):
    def step(_, u):
        flow = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        return u.at[1:-1, 1:-1].add(0.1 * flow)

    return lax.fori_loop(0, steps, step, u)


def warmth(u, steps):
    return 0.5 * jnp.sum(heated(u, steps) ** 2)


def forward(L, b):
    return jax.scipy.linalg.solve_triangular(L, b, lower=True)


def intensity(x, y, z, kx, ky, kz, weight):
    angle = 2.0 * jnp.pi * (kx * x + ky * y + kz * z)
    return jnp.sum(weight * jnp.cos(angle)) ** 2 + jnp.sum(weight * jnp.sin(angle)) ** 2


def kmeans(centres, X):
    return jnp.sum(jnp.min(jnp.sum((X[:, None, :] - centres) ** 2, axis=2), axis=1))


def mixture(weights, means, precisions, X):
    z = (X[:, None, :] - means) * jnp.exp(precisions)
    inside = weights + jnp.sum(precisions, axis=1) - 0.5 * jnp.sum(z**2, axis=2)
    points = jnp.sum(jax.scipy.special.logsumexp(inside, axis=1))
    return points - len(X) * jax.scipy.special.logsumexp(weights)


def reprojection(camera, point, weight, feature):
    turn = camera[:3]
    angle = jnp.sqrt(jnp.sum(turn**2))
    axis, moved, cosine = turn / angle, point - camera[3:6], jnp.cos(angle)
    turned = (
        moved * cosine
        + jnp.cross(axis, moved) * jnp.sin(angle)
        + axis * (jnp.sum(axis * moved) * (1.0 - cosine))
    )
    flat = turned[:2] / turned[2]
    r2 = jnp.sum(flat**2)
    seen = camera[6] * flat * (1.0 + camera[9] * r2 + camera[10] * r2**2) + camera[7:9]
    return 0.5 * jnp.sum((weight * (seen - feature)) ** 2)


def collision(f, target, omega):
    ways = jnp.array([way for way, _ in gpu_programs.D2Q9], float)
    weights = jnp.array([weight for _, weight in gpu_programs.D2Q9])
    density = jnp.sum(f)
    velocity = f @ ways / density
    along = 3.0 * ways @ velocity
    equilibrium = weights * density * (1.0 - 1.5 * jnp.sum(velocity**2) + along + 0.5 * along**2)
    return 0.5 * jnp.sum((f + omega * (equilibrium - f) - target) ** 2)


def one_lane(what: str, name: str, work: gpu_programs.Work) -> Callable[..., Any]:
    """The function in JAX, of those arguments that are no whole numbers: these are constants of the program."""
    match name:
        case "lorenz" | "lotka_volterra":
            field = globals()[name]
            one = by_diffrax(field) if what == "diffrax" else partial(dormand_prince, field)
        case _:
            one = globals()[work.function.__name__]
    counted = isinstance(work.arguments[-1], int)
    return (lambda *given: one(*given, work.arguments[-1])) if counted else one


def main(what: str, name: str, size: int) -> None:
    work = gpu_programs.work(name, size)
    one = one_lane(what, name, work)
    if what == "gradient":
        one = jax.grad(one, work.argnums)
    kept = [not isinstance(x, int) for x in work.arguments]
    axes = work.axes and tuple(axis for axis, keep in zip(work.axes, kept, strict=True) if keep)
    given = tuple(jnp.asarray(x) for x, keep in zip(work.arguments, kept, strict=True) if keep)
    many = jax.jit(jax.vmap(one, axes) if axes else one).lower(*given).compile()

    def run() -> dict[str, Any]:
        measurement = gpu_programs.measured(work.count, lambda: jax.block_until_ready(many(*given)))
        parts = jax.tree.leaves(many(*given))
        numbers = np.concatenate([np.ravel(np.asarray(x)) for x in parts])
        return {**measurement, "fingerprint": gpu_programs.marks(numbers)}

    run()
    serve(run)


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
