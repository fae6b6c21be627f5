"""Derivatives held against differences of the plain function, and forward mode against reverse mode.

    derivative-numpy, derivative-text   jvp, grad (or jacrev) and value_and_grad along a random direction
    second-numpy                        the gradient of a gradient's sum, by grad and by jvp
    jacobian-numpy                      jacfwd and jacrev
    lanes-numpy                         batch of grad, a lane a call

Values are those of plain Python but for the rules of rules.py. Where the mean of no elements, a NaN, comes into a
result, or the norm or logsumexp of none, forward mode gives NaN and reverse mode nothing (docs/derivatives.md).

Along a direction the plain function is a function of one number; its derivative is extrapolated from central
differences, and how much two step sizes differ says how far it can be trusted: at a kink, not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest import mock

import numpy as np
from scipy import special

from autobatch import batch
from autodiff import grad, hessian, jacfwd, jacrev, jvp, value_and_grad
from hunt.case import Outcome, names_of, outcome, plain
from hunt.compare import difference
from hunt.nests import leaves, mapped, parts
from hunt.rules import excuse, has_halves
from hunt.verdicts import SAME, UNLIKE, Verdict, refused

OF_NOTHING = ((np.linalg, "norm"), (special, "logsumexp"))  # whose slopes at no elements are infinite
STEP = 2e-3
STEEP = 1e6  # a slope, from which a step is looked at more closely
TRUSTED = 1e-4  # relative: where differences are worse, they say nothing
EXACT = 1e-8  # forward against reverse, relative to the size of what is added up
OF_SINGLE = 1e-6  # the same, where arguments are of float32
HALF = 2e-3  # where NumPy's functions of bools give float16


def floats(value: Any) -> Any:
    """All numbers of a result in one row; None where it has others than floats."""
    arrays = [np.asarray(leaf) for leaf in leaves(value)]
    if any(array.dtype.kind != "f" for array in arrays):
        return None
    return np.concatenate([np.zeros(0), *map(np.ravel, arrays)])


def along(arguments: tuple[Any, ...], seed: int) -> list[Any]:
    """A random tangent for each argument."""
    rng = np.random.default_rng(seed)

    def drawn(leaf: Any) -> Any:
        made = rng.standard_normal(np.shape(leaf))
        return made if isinstance(leaf, np.ndarray) else float(made)

    return [mapped(drawn, a) for a in arguments]


def slope(
    f: Callable[..., Any], fresh: Callable[[], tuple[Any, ...]], tangents: list[Any]
) -> tuple[Any, Any] | None:
    """The derivative along `tangents`, and how far off it may be; None where plain Python has none."""

    def at(step: float) -> Any:
        moved = mapped(lambda a, t: a + step * t, fresh(), tuple(tangents))
        found = plain(f, moved)
        return None if found.error is not None else floats(found.value)

    here = at(0.0)

    def by(step: float) -> Any:
        """The slope, and by how much it differs from one side to the other."""
        high, low = at(step), at(-step)
        if high is None or low is None or here is None or not high.shape == low.shape == here.shape:
            return None
        with np.errstate(all="ignore"):
            return np.array([(high - low) / (2 * step), (high - 2 * here + low) / step])

    wide, middle, narrow = by(STEP), by(STEP / 2), by(STEP / 4)
    if wide is None or middle is None or narrow is None:
        return None
    with np.errstate(all="ignore"):
        (first, _), (second, _) = (4 * middle - wide) / 3, (4 * narrow - middle) / 3
        kink = np.abs(2 * narrow[1] - middle[1])  # elsewhere the sides come together as the step goes to 0
        rounding = 8 * np.finfo(float).eps * np.abs(here)
        error = 10 * np.abs(second - first) + kink + 1e-7 * (1 + np.abs(second)) + rounding / STEP
    steep = float(np.max(np.abs(second), initial=0.0))
    # A sine of something so steep goes round many times in a step, and is lost beside it.
    if STEEP < steep < np.inf:
        near = by(0.1 / steep)
        if near is None:
            return None
        with np.errstate(all="ignore"):
            one_turn = np.abs(near[0] - second) <= 0.01 * np.abs(second) + rounding * steep * 10
        error = np.where(one_turn, error, np.inf)
    return second, error


def agrees(got: Any, want: Any, error: Any) -> bool:
    if got.shape != want.shape:
        return False
    with np.errstate(all="ignore"):
        unsure = ~(error < TRUSTED * (1 + np.abs(want)))
        return bool(np.all(unsure | (np.abs(got - want) <= error + 1e-6 * (1 + np.abs(want)))))


def wrong(what: str, k: int, got: Any, want: Any) -> Verdict:
    said = [np.array2string(np.asarray(v), threshold=20) for v in (got, want)]
    return Verdict("mismatch", what, k, *said)


def takes_nothing(f: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    """Whether a norm or logsumexp is of no elements."""
    sizes: list[int] = []

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, *rest, **named: (sizes.append(np.size(x)), function(x, *rest, **named))[1]

    with ExitStack() as stack:
        for module, name in OF_NOTHING:
            stack.enter_context(mock.patch.object(module, name, noted(getattr(module, name))))
        plain(f, arguments)
    return 0 in sizes


def equal(one: Any, two: Any, tolerance: float) -> bool:
    """Up to rounding of what is added up."""
    if parts(one) is not None:
        return all(equal(a, b, tolerance) for a, b in zip(leaves(one), leaves(two), strict=True))
    size = 1 + float(np.max(np.abs(np.nan_to_num(two)), initial=0.0))
    return bool(np.allclose(one, two, tolerance, tolerance * size, equal_nan=True))


def failed(found: Outcome, want: Outcome, k: int, name: str) -> Verdict | None:
    """What an error of a derivative means: the function's own, a refusal, or a crash; None where there is none."""
    if found.error is None and want.error is None:
        return None
    if found.error is None:
        return Verdict("mismatch", f"{name}: no {type(want.error).__name__}", k, found.said, want.said)
    if want.error is not None and type(found.error).__name__ == type(want.error).__name__:
        return SAME
    if reason := refused(found.error):
        return Verdict("refused", reason)
    if isinstance(want.error, TypeError | ZeroDivisionError | OverflowError):
        return SAME
    return Verdict("mismatch", f"{name}: {type(found.error).__name__} raised", k, found.said, want.said)


def by_slopes(text: str, *, target: str) -> Verdict:
    names = names_of(text)
    for k in range(len(names["calls"]())):
        verdict = along_one(text, names["f"], lambda k=k: names["calls"]()[k], k, target)
        if verdict is not SAME:
            return verdict
    return SAME


def along_one(
    text: str, f: Callable[..., Any], fresh: Callable[[], tuple[Any, ...]], k: int, target: str
) -> Verdict:
    """One call, along a direction: forward, reverse and by differences."""
    arguments, tangents, want = fresh(), along(fresh(), k), plain(f, fresh())
    pushed = outcome(lambda: (jvp(f, arguments, tangents, target=target), arguments))
    if verdict := failed(pushed, want, k, "jvp"):
        return verdict
    value, forward = pushed.value[0], floats(pushed.value[1])
    what = difference(value, want.value)
    if what is not None and not allowed(text, fresh, value, want, what):
        return Verdict("mismatch", f"jvp: value: {what}", k, str(value), str(want.value))
    every, scalar = tuple(range(len(arguments))), np.ndim(want.value) == 0
    name, derive = ("grad", grad) if scalar else ("jacrev", jacrev)
    swept = outcome(lambda: (derive(f, every, target=target)(*arguments), arguments))
    if verdict := failed(swept, want, k, name):
        return verdict
    if difference(arguments, fresh()) is not None:
        return wrong(f"{name} changes its arguments", k, arguments[0], fresh()[0])
    rank, reverse, size = np.ndim(want.value), np.zeros(1), 1.0
    if difference(mapped(np.zeros_like, swept.value), mapped(np.zeros_like, arguments)) == "structure":
        return wrong(f"{name}: structure", k, str(swept.value), str(arguments))
    for g, a, t in zip(leaves(swept.value), leaves(arguments), leaves(tangents), strict=True):
        if np.shape(g) != np.shape(want.value) + np.shape(a) or np.asarray(g).dtype != np.asarray(a).dtype:
            return wrong(f"{name}: shape or dtype", k, g, a)
        product = np.asarray(g) * t
        reverse = reverse + np.ravel(np.sum(product, axis=tuple(range(rank, product.ndim))))
        size += float(np.sum(np.abs(product)))
    single = any(np.asarray(leaf).dtype == np.float32 for leaf in leaves(arguments))
    near = np.abs(forward - reverse) <= (OF_SINGLE if single else EXACT) * size
    of_nothing = np.isnan(forward) & (bool(np.any(np.isnan(forward))) and takes_nothing(f, fresh()))
    is_nan = np.isnan(forward) & (np.isnan(reverse) | np.isnan(np.ravel(np.asarray(value, float))))
    fine = near | is_nan | of_nothing | (forward == reverse)
    if not np.all(fine):
        rough = np.abs(forward - reverse) <= HALF * size
        if np.all(fine | rough) and has_halves(text, fresh()):
            return SAME
        return wrong("forward and reverse differ", k, forward, reverse)
    forward = np.where(of_nothing, reverse, forward)
    if (true := slope(f, fresh, tangents)) is not None and not agrees(forward, *true):
        return wrong("derivative", k, forward, true[0])
    if scalar:
        both = outcome(lambda: (value_and_grad(f, every, target=target)(*fresh()), None))
        if verdict := failed(both, want, k, "value_and_grad"):
            return verdict
        if not equal(both.value[1], swept.value, 1e-9):
            return wrong("value_and_grad differs from grad", k, both.value[1][0], swept.value[0])
    return SAME


def allowed(text: str, fresh: Callable[[], tuple[Any, ...]], value: Any, want: Outcome, what: str) -> bool:
    """Whether the value beside a derivative may differ from plain Python's."""
    if what == "values" and floats(value) is not None and equal(floats(value), floats(want.value), 1e-9):
        return True
    return excuse(text, fresh, Outcome(value, want.arguments), want, what) is not None


def second(text: str, *, target: str) -> Verdict:
    """The Hessian by its two modes and by differences of the gradient."""
    names = names_of(text)
    f, calls = names["f"], names["calls"]
    for k in range(len(calls())):
        arguments, want = calls()[k], plain(f, calls()[k])
        if np.ndim(want.value) != 0 or want.error is not None:
            return UNLIKE
        tangents = along(arguments, k)
        first = outcome(lambda: (grad(f, target=target)(*arguments), arguments))
        if verdict := failed(first, want, k, "grad"):
            return verdict
        twice = outcome(lambda: (hessian(f, target=target)(*arguments), arguments))
        if verdict := failed(twice, want, k, "hessian"):
            return verdict
        rows = outcome(lambda: (jacrev(grad(f, target=target), target=target)(*arguments), arguments))
        if verdict := failed(rows, want, k, "jacrev of grad"):
            return verdict
        one, two = np.asarray(twice.value), np.asarray(rows.value)
        if one.shape != two.shape:
            return wrong("hessian: shape", k, one, two)
        if not np.allclose(
            one, two, 1e-7, 1e-7 * (1 + float(np.max(np.abs(one), initial=0.0))), equal_nan=True
        ):
            return wrong("hessian and jacrev of grad differ", k, one, two)
        tangents[1:] = [t * 0.0 for t in tangents[1:]]
        true = slope(grad(f, target=target), lambda k=k: calls()[k], tangents)
        rank = np.ndim(arguments[0])
        got = np.ravel(np.sum(one * tangents[0], axis=tuple(range(rank, 2 * rank))))
        if true is not None and not agrees(got, *true):
            return wrong("second derivative", k, got, true[0])
    return SAME


def by_columns(text: str, *, target: str) -> Verdict:
    """The Jacobian by rows and by columns."""
    names = names_of(text)
    f, calls = names["f"], names["calls"]
    for k in range(len(calls())):
        arguments, want = calls()[k], plain(f, calls()[k])
        pushed = outcome(lambda: (jacfwd(f, target=target)(*arguments), arguments))
        if verdict := failed(pushed, want, k, "jacfwd"):
            return verdict
        swept = outcome(lambda: (jacrev(f, target=target)(*arguments), arguments))
        if verdict := failed(swept, want, k, "jacrev"):
            return verdict
        one, two = np.asarray(pushed.value), np.asarray(swept.value)
        if one.shape != two.shape or one.shape != np.shape(want.value) + np.shape(arguments[0]):
            return wrong("jacobian: shape", k, one.shape, two.shape)
        by_rows = np.shape(want.value) + (1,) * np.ndim(arguments[0])
        of_nothing = np.isnan(one) & ~np.isfinite(np.reshape(want.value, by_rows))
        one = np.where(of_nothing, two, one)
        size = 1.0 + float(np.nanmax(np.abs(one), initial=0.0))
        if not np.allclose(one, two, 1e-8, 1e-8 * size, equal_nan=True):
            return wrong("jacfwd and jacrev differ", k, one, two)
    return by_slopes(text, target=target)


def over_lanes(text: str, *, target: str) -> Verdict:
    """batch of grad: each lane's gradient is grad's."""
    names = names_of(text)
    f, calls = names["f"], names["calls"]
    rows = calls()
    if not rows[0] or any(np.shape(plain(f, calls()[k]).value) for k in range(len(rows))):
        return UNLIKE
    given = mapped(lambda *lanes: np.stack([np.asarray(lane) for lane in lanes]), *rows)
    one = [outcome(lambda k=k: (grad(f, target=target)(*calls()[k]), None)) for k in range(len(rows))]
    want = plain(f, calls()[0])
    for k, found in enumerate(one):
        if found.error is not None:
            return failed(found, plain(f, calls()[k]), k, "grad") or SAME
    many = outcome(lambda: (batch(grad(f), target=target)(*given), None))
    if verdict := failed(many, want, 0, "batch of grad"):
        return verdict
    for k, found in enumerate(one):
        lane = mapped(lambda leaf, k=k: leaf[k], many.value)
        if not equal(lane, found.value, 1e-8):
            return wrong("batch of grad differs from grad", k, str(lane), str(found.value))
    return SAME
