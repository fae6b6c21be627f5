"""check_grads: derivatives against differences, forward against reverse.

    check_grads(f, (x, y), order=2)

Along a random direction v, (f(x + h v) - f(x - h v)) / 2h is the forward derivative; for a random cotangent
u, <u, J v> = <J^T u, v> ties reverse to forward. Higher orders check the derivative's own derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from autodiff.api import jvp, jvp_on
from autodiff.linearize import vjp
from codegen.pytree import describe, flatten, unflatten
from codegen.tracebacks import at_border

Nested = Any


@at_border
def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    *,
    atol: float = 1e-6,
    rtol: float = 1e-5,
    eps: float = 1e-5,
    seed: int = 0,
    target: str = "numpy",
) -> None:
    """AssertionError where a derivative of f at `args` (floats, float64 arrays, nests of these) is wrong.

    order   up to which derivatives are checked
    modes   "fwd", "rev" or both
    eps     the step of the differences; rtol and atol are meant for float64

    >>> check_grads(lambda x: np.sum(np.sin(x) * x), (np.array([0.5, 2.0]),), order=2)
    """
    unknown = [mode for mode in modes if mode not in ("fwd", "rev")]
    if unknown or order < 1:
        raise ValueError(f'modes are "fwd" and "rev" and order is at least 1, not {unknown or order}')
    random = np.random.default_rng(seed)
    primals = tuple(args)
    directions = tuple(direction(random, a) for a in primals)
    value, change = jvp(f, primals, directions, target=target)
    if "fwd" in modes:
        ahead, behind = (
            jvp(f, moved_along(primals, directions, s * eps), directions, target=target)[0] for s in (1, -1)
        )
        slopes = [
            (a - b) / (2.0 * eps) for a, b in zip(array_leaves(ahead), array_leaves(behind), strict=True)
        ]
        assert_close(array_leaves(change), slopes, "forward mode and differences", atol, rtol)
    if "rev" in modes:
        _, pull = vjp(f, *primals, target=target)
        cotangent = direction(random, value)
        bars = pull(cotangent)
        forwards = sum(
            np.sum(u * d) for u, d in zip(array_leaves(cotangent), array_leaves(change), strict=True)
        )
        back = sum(np.sum(g * v) for g, v in zip(array_leaves(bars), array_leaves(directions), strict=True))
        assert_close([back], [forwards], "reverse and forward mode", atol, rtol)
    if order > 1:
        check_grads(
            jvp_on(f, target),
            (primals, directions),
            order - 1,
            modes,
            atol=atol,
            rtol=rtol,
            eps=eps,
            seed=seed + 1,
            target=target,
        )


def array_leaves(value: Nested) -> list[Any]:
    return [np.asarray(leaf) for leaf in flatten(value, describe(value))]


def direction(random: np.random.Generator, value: Nested) -> Nested:
    """Normal numbers in the structure and shapes of `value`."""

    def draws() -> Iterator[Any]:
        for leaf in array_leaves(value):
            if leaf.dtype.kind != "f":
                raise TypeError(f"check_grads takes floats, not {leaf.dtype}: bind other arguments first")
            yield np.asarray(random.standard_normal(leaf.shape), leaf.dtype)[()]

    return unflatten(describe(value), draws())


def moved_along(value: Nested, along: Nested, by: float) -> Nested:
    pairs = zip(array_leaves(value), array_leaves(along), strict=True)
    return unflatten(describe(value), iter([(x + by * d)[()] for x, d in pairs]))


def assert_close(found: list[Any], expected: list[Any], what: str, atol: float, rtol: float) -> None:
    for k, (a, b) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_allclose(a, b, atol=atol, rtol=rtol, err_msg=f"{what} disagree (leaf {k})")
