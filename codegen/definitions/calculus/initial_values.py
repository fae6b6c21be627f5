"""Ordinary differential equations from an initial value, by Runge and Kutta's methods with steps of their own length.

E. Hairer, S. P. Norsett and G. Wanner, Solving Ordinary Differential Equations I (1993), II.4: SciPy's methods, whose
steps these are. A derivative takes their lengths for constants: it is the solution's, not that of estimates of errors.
"""

# mypy: disable-error-code="no-untyped-def"

from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.definitions.calculus.runge_kutta import between, stepped, tableau_of
from codegen.definitions.table import refused, stands_for
from codegen.primitives.shape import without_slope

NEAREST = 2.220446049250313e-14  # the least relative tolerance: a hundred units in the last place
STUCK = "Required step size is less than spacing between numbers."


@dataclass
class OdeResult:
    """What SciPy's solve_ivp gives, as far as it is found: y (n, places) at the times t."""

    t: Any
    y: Any
    nfev: int
    status: int
    sol: None = None
    t_events: None = None
    y_events: None = None
    njev: int = 0
    nlu: int = 0

    @property
    def success(self):
        return self.status >= 0


@stands_for("scipy.integrate.solve_ivp")
def solve_ivp(
    fun,
    t_span,
    y0,
    method="RK45",
    t_eval=None,
    dense_output=False,
    events=None,
    vectorized=False,
    args=None,
    rtol=1e-3,
    atol=1e-6,
    max_step=np.inf,
    first_step=None,
):
    """Where `t_eval` is given, all of it is reached or a RuntimeError is raised."""
    if dense_output or events is not None or vectorized:
        refused("dense_output, events and vectorized are not supported: give the places as t_eval")
    t, end, y = float(t_span[0]), float(t_span[1]), state(y0)
    if max_step <= 0:
        raise ValueError("`max_step` must be positive.")
    if np.any(np.asarray(atol) < 0):
        raise ValueError("`atol` must be positive.")
    rtol = max(rtol, NEAREST)
    given = () if args is None else args
    slope = np.asarray(fun(t, y, *given)) + np.zeros(len(y))
    calls = 2
    if end == t or len(y) == 0:
        h, calls = 0.0, 1
    elif first_step is None:
        order = tableau_of(method)[2]
        h = first_length(fun, given, t, y, slope, end, min(max_step, abs(end - t)), order, rtol, atol)
    else:
        if first_step <= 0:
            raise ValueError("`first_step` must be positive.")
        if first_step > abs(end - t):
            raise ValueError("`first_step` exceeds bounds.")
        h, calls = first_step, 1
    h = without_slope(h)
    if t_eval is None:
        return at_steps(fun, given, t, y, slope, h, end, calls, method, rtol, atol, max_step)
    times = np.asarray(t_eval) + 0.0
    check_places(times, t, end)
    return at_places(fun, given, t, y, slope, h, end, times, calls, method, rtol, atol, max_step)


def at_steps(fun, given, t, y, slope, h, end, calls, method, rtol, atol, max_step):
    """The solution where steps end."""
    tableau = tableau_of(method)
    times, states = [t], []
    states.extend(y)
    if end == t or len(y) == 0:
        times.append(end)
        states.extend(y)
        t = end
    status, again = 0, False
    while t != end:
        h, is_stuck = allowed(h, t, end, again, max_step)
        if is_stuck:
            status = -1
            break
        after, y_after, k, off = attempt(fun, given, t, y, slope, h, end, tableau, rtol, atol)
        calls += len(tableau[0])
        h, again = next_length(abs(after - t), off, tableau[2], again), not off < 1.0
        if not again:
            t, y, slope = after, y_after, k[len(k) - 1].copy()
            times.append(t)
            states.extend(y)
    return OdeResult(np.array(times), np.array(states).reshape(len(times), len(y)).T, calls, status)


def at_places(fun, given, t, y, slope, h, end, times, calls, method, rtol, atol, max_step):
    """The solution at these places, in their order."""
    tableau, forth = tableau_of(method), 1.0 if end >= t else -1.0
    states, place, again = np.empty((len(y), len(times))), 0, False
    if end == t or len(y) == 0:
        for column in range(len(times)):
            states[:, column] = y
        t = end
    while t != end:
        h, is_stuck = allowed(h, t, end, again, max_step)
        if is_stuck:
            raise RuntimeError(STUCK)
        after, y_after, k, off = attempt(fun, given, t, y, slope, h, end, tableau, rtol, atol)
        calls += len(tableau[0])
        step = after - t
        h, again = next_length(abs(step), off, tableau[2], again), not off < 1.0
        if not again:
            while place < len(times) and forth * (times[place] - after) <= 0.0:
                states[:, place] = y + step * (between(method, (times[place] - t) / step) @ k)
                place += 1
            t, y, slope = after, y_after, k[len(k) - 1].copy()
    return OdeResult(times, states, calls, 0)


def allowed(h, t, end, again, most):
    """The length of a step within bounds, and whether it is too short to be tried again; NaN is."""
    least = 10.0 * abs(np.nextafter(t, np.inf if end >= t else -np.inf) - t)
    return without_slope(h if again else min(max(h, least), most)), again and not h >= least


def attempt(fun, given, t, y, slope, h, end, tableau, rtol, atol):
    """Where a step ends, y there, the slopes of its stages, and its error as a share of what is allowed."""
    weights, error, _ = tableau
    after = min(t + h, end) if end >= t else max(t - h, end)
    k, y_after = stepped(fun, given, t, y, slope, after - t, weights)
    scale = atol + np.maximum(np.abs(y), np.abs(y_after)) * rtol
    return after, y_after, k, size_of(error @ k * (after - t) / scale)


def next_length(length, off, order, again):
    """Of the step after one that was good, not longer where it had been tried again, or of the same once more."""
    if off < 1.0:
        grown = 10.0 if off == 0.0 else min(10.0, 0.9 * off ** (-1.0 / order))
        return without_slope(length * (min(1.0, grown) if again else grown))
    return without_slope(length * max(0.2, 0.9 * off ** (-1.0 / order)))


def state(y0):
    y = np.asarray(y0).astype(np.float64)
    if y.ndim != 1:
        refused("`y0` must be 1-dimensional.")
    if not np.all(np.isfinite(y)):
        raise ValueError("All components of the initial state `y0` must be finite.")
    return y


def check_places(times, start, end):
    """Whether SciPy takes these for places."""
    if times.ndim != 1:
        raise ValueError("`t_eval` must be 1-dimensional.")
    if np.any(times < min(start, end)) or np.any(times > max(start, end)):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    if end > start and np.any(np.diff(times) <= 0) or end < start and np.any(np.diff(times) >= 0):
        raise ValueError("Values in `t_eval` are not properly sorted.")


def first_length(fun, given, t, y, slope, end, most, order, rtol, atol):
    """Of the first step, by how the slope changes over a short one."""
    forth = 1.0 if end >= t else -1.0
    scale = atol + np.abs(y) * rtol
    high, steep = size_of(y / scale), size_of(slope / scale)
    short = 1e-6 if high < 1e-5 or steep < 1e-5 else 0.01 * high / steep
    short = min(short, abs(end - t))
    other = np.asarray(fun(t + short * forth, y + short * forth * slope, *given))
    bent = size_of((other - slope) / scale) / short
    if steep <= 1e-15 and bent <= 1e-15:
        h = max(1e-6, short * 1e-3)
    else:
        h = (0.01 / max(steep, bent)) ** (1.0 / order)
    return min(100.0 * short, h, most)


def size_of(x):
    """The root of the mean square."""
    return np.sqrt(np.sum(x * x)) / len(x) ** 0.5
