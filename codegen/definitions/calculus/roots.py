"""Where a function of one number is 0. SciPy's methods, by R. P. Brent, Algorithms for Minimization Without Derivatives
(1973), J. C. P. Bus and T. J. Dekker (1975), C. Ridders (1979), and Newton's, Halley's and by secants.

Derivatives are those of the implicit function, not of the steps (slopes.py).
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.calculus.slopes import root_with_slopes
from codegen.definitions.table import refused, stands_for
from codegen.primitives.shape import without_slope

RELATIVE = 8.881784197001252e-16  # four units in the last place: the least that SciPy takes
SIGNS = "f(a) and f(b) must have different signs"
OUTPUT = "full_output=True and disp=False are not supported"


@stands_for("scipy.optimize.brentq")
def brentq(f, a, b, args=(), xtol=2e-12, rtol=RELATIVE, maxiter=100, full_output=False, disp=True):
    return bracketed(f, a, b, args, xtol, rtol, maxiter, full_output, disp, "quadratic")


@stands_for("scipy.optimize.brenth")
def brenth(f, a, b, args=(), xtol=2e-12, rtol=RELATIVE, maxiter=100, full_output=False, disp=True):
    return bracketed(f, a, b, args, xtol, rtol, maxiter, full_output, disp, "hyperbolic")


@stands_for("scipy.optimize.bisect")
def bisect(f, a, b, args=(), xtol=2e-12, rtol=RELATIVE, maxiter=100, full_output=False, disp=True):
    return bracketed(f, a, b, args, xtol, rtol, maxiter, full_output, disp, "halves")


@stands_for("scipy.optimize.ridder")
def ridder(f, a, b, args=(), xtol=2e-12, rtol=RELATIVE, maxiter=100, full_output=False, disp=True):
    return bracketed(f, a, b, args, xtol, rtol, maxiter, full_output, disp, "exponential")


def bracketed(f, a, b, args, xtol, rtol, maxiter, full_output, disp, method):
    """A root between a and b, where the signs of f differ."""
    if full_output or not disp:
        refused(OUTPUT)
    if xtol <= 0:
        raise ValueError("xtol too small")
    if rtol < RELATIVE:
        raise ValueError("rtol too small")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    given = args if isinstance(args, tuple) else (args,)

    def number(x):
        value = without_slope(f(x, *given))
        if np.isnan(value):
            raise ValueError("The function value is NaN; solver cannot continue.")
        return value

    low, high = without_slope(a + 0.0), without_slope(b + 0.0)
    at_low, at_high = number(low), number(high)
    if at_low == 0.0:
        found = low
    elif at_high == 0.0:
        found = high
    elif np.signbit(at_low) == np.signbit(at_high):
        raise ValueError(SIGNS)
    elif method == "halves":
        found = by_halves(number, low, high, at_low, xtol, rtol, maxiter)
    elif method == "exponential":
        found = by_exponentials(number, low, high, at_low, at_high, xtol, rtol, maxiter)
    else:
        found = by_brent(number, low, high, at_low, at_high, xtol, rtol, maxiter, method)
    return root_with_slopes(f, given, found)


def by_brent(f, before, now, at_before, at_now, xtol, rtol, maxiter, method):
    """Between `now`, where f is least, and `across`: by secants or a curve through three places, else by halves."""
    across = at_across = step_before = step = 0.0
    for _ in range(maxiter):
        if at_before != 0.0 and at_now != 0.0 and np.signbit(at_before) != np.signbit(at_now):
            across, at_across = before, at_before
            step_before = step = now - before
        if abs(at_across) < abs(at_now):
            before, now, across = now, across, now
            at_before, at_now, at_across = at_now, at_across, at_now
        near, half = 0.5 * (xtol + rtol * abs(now)), 0.5 * (across - now)
        if at_now == 0.0 or abs(half) < near:
            return now
        tried = np.inf
        if abs(step_before) > near and abs(at_now) < abs(at_before):
            if before == across:
                tried = -at_now * (now - before) / (at_now - at_before)
            else:
                one = (at_before - at_now) / (before - now)
                other = (at_across - at_now) / (across - now)
                if method == "quadratic":
                    tried = -at_now * (at_across * other - at_before * one)
                    tried = tried / (other * one * (at_across - at_before))
                else:
                    tried = -at_now * (at_across - at_before) / (at_across * one - at_before * other)
        if 2.0 * abs(tried) < min(abs(step_before), 3.0 * abs(half) - near):
            step_before, step = step, tried
        else:
            step_before = step = half
        before, at_before = now, at_now
        now += step if abs(step) > near else near if half > 0.0 else -near
        at_now = f(now)
    raise RuntimeError("Failed to converge.")


def by_halves(f, low, high, at_low, xtol, rtol, maxiter):
    length = high - low
    for _ in range(maxiter):
        length *= 0.5
        middle = low + length
        at_middle = f(middle)
        if np.signbit(at_middle) == np.signbit(at_low):
            low = middle
        if at_middle == 0.0 or abs(length) < xtol + rtol * abs(middle):
            return middle
    raise RuntimeError("Failed to converge.")


def by_exponentials(f, low, high, at_low, at_high, xtol, rtol, maxiter):
    """By secants of f times an exponential that has three values in a line."""
    near = xtol + rtol * min(abs(low), abs(high))
    for _ in range(maxiter):
        half = 0.5 * (high - low)
        middle = low + half
        at_middle = f(middle)
        step = half * at_middle / np.sqrt(at_middle * at_middle - at_low * at_high)
        step = step if at_high > at_low else -step
        length = min(abs(step), abs(half) - 0.5 * near)
        now = middle - (length if step > 0.0 else -length)
        at_now = f(now)
        if np.signbit(at_now) != np.signbit(at_middle):
            low, at_low, high, at_high = now, at_now, middle, at_middle
        elif np.signbit(at_now) != np.signbit(at_low):
            high, at_high = now, at_now
        else:
            low, at_low = now, at_now
        near = xtol + rtol * now
        if at_now == 0.0 or abs(high - low) < near:
            return now
    raise RuntimeError("Failed to converge.")


@stands_for("scipy.optimize.newton")
def newton(
    func,
    x0,
    fprime=None,
    args=(),
    tol=1.48e-8,
    maxiter=50,
    fprime2=None,
    x1=None,
    rtol=0.0,
    full_output=False,
    disp=True,
):
    """Of one number. By secants without `fprime`, by Halley's steps with `fprime2`."""
    if full_output or not disp:
        refused(OUTPUT)
    if np.ndim(x0) != 0:
        refused("x0 is a number: call it for each of an array's")
    if tol <= 0:
        raise ValueError("tol too small (tol <= 0)")
    if maxiter < 1:
        raise ValueError("maxiter must be greater than 0")
    given = args if isinstance(args, tuple) else (args,)

    def number(x):
        return without_slope(func(x, *given))

    start = without_slope(x0 + 0.0)
    if fprime is None:
        found = by_secants(number, start, x1, tol, rtol, maxiter)
    else:
        found = by_tangents(number, fprime, fprime2, given, start, tol, rtol, maxiter)
    return root_with_slopes(func, given, found)


def by_tangents(f, fprime, fprime2, given, now, tol, rtol, maxiter):
    for _ in range(maxiter):
        value = f(now)
        if value == 0.0:
            return now
        slope = without_slope(fprime(now, *given))
        if slope == 0.0:
            raise RuntimeError("Derivative was zero. Failed to converge.")
        step = value / slope
        if fprime2 is not None:
            bent = step * without_slope(fprime2(now, *given)) / slope / 2.0
            step = step / (1.0 - bent) if abs(bent) < 1.0 else step
        after = now - step
        if abs(after - now) <= tol + rtol * abs(now):
            return after
        now = after
    raise RuntimeError("Failed to converge.")


def by_secants(f, before, x1, tol, rtol, maxiter):
    if x1 is None:
        now = before * (1.0 + 1e-4)
        now += 1e-4 if now >= 0.0 else -1e-4
    else:
        if x1 == before:
            raise ValueError("x1 and x0 must be different")
        now = without_slope(x1 + 0.0)
    at_before, at_now = f(before), f(now)
    if abs(at_now) < abs(at_before):
        before, now, at_before, at_now = now, before, at_now, at_before
    for _ in range(maxiter):
        if at_now == at_before:
            if now != before:
                raise RuntimeError("Tolerance reached. Failed to converge.")
            return 0.5 * (now + before)
        if abs(at_now) > abs(at_before):
            after = (-at_before / at_now * now + before) / (1.0 - at_before / at_now)
        else:
            after = (-at_now / at_before * before + now) / (1.0 - at_now / at_before)
        if abs(after - now) <= tol + rtol * abs(now):
            return after
        before, at_before = now, at_now
        now = after
        at_now = f(now)
    raise RuntimeError("Failed to converge.")
