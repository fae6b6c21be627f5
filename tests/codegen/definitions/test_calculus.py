"""Integrals, differential equations and roots of a program's functions: SciPy's numbers, and true derivatives."""

import math

import numpy as np
import pytest
from plain_python import difference
from scipy.integrate import quad, solve_ivp
from scipy.optimize import bisect, brenth, brentq, newton, ridder

from autobatch import batch
from autodiff import check_grads, grad, jacobian
from codegen import SourceError, jit

INTEGRALS = {
    "smooth": lambda p: quad(lambda x: np.exp(-p * x * x), 0, 2),
    "backwards": lambda p: quad(math.cos, 3 * p, p),
    "nowhere": lambda p: quad(lambda x: x**3, p, p),
    "whole line": lambda p: quad(lambda x, a, b: np.exp(-a * x * x + b * x), -np.inf, np.inf, args=(p, 1.0)),
    "half line": lambda p: quad(lambda x: np.exp(-x * p), 0, np.inf),
    "below": lambda p: quad(lambda x: 1 / (1 + x * x), -np.inf, p),
    "ends known when it runs": lambda p: quad(lambda x: 1 / (1 + x * x), p, np.inf if p > 0.5 else 1.0),
    "singular": lambda p: quad(lambda x: x**-p, 0, 1),
    "logarithm": lambda p: quad(lambda x: np.log(p * x), 0, 1),
    "kink": lambda p: quad(lambda x: abs(x - p), 0, 1),
    "step": lambda p: quad(lambda x: 1.0 if x > 0.47 * p else 0.0, 0, 1),
    "waves": lambda p: quad(lambda x: np.sin(60 * p * x) * x, 0, 3),
    "few halvings": lambda p: quad(lambda x: x**-p, 0, 1, limit=4),
    "one interval": lambda p: quad(lambda x: x**-p, 0, 1, limit=1),
    "divergent": lambda p: quad(lambda x: p / x, 0, 1),
    "coarse": lambda p: quad(lambda x: np.sqrt(p * x), 0, 1, epsabs=1e-3, epsrel=1e-3),
    "nested": lambda p: quad(lambda x: quad(lambda y: np.exp(-p * x * y), 0, x)[0], 0, 1),
}


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", INTEGRALS)
def test_integrals(name):
    """Where a limit of sums is taken, its error is their rounding; elsewhere SciPy's is ours."""
    f = INTEGRALS[name]
    (value, error), (wanted, its_error) = jit(f, target="numpy")(0.6), f(0.6)
    assert type(value) is type(error) is float
    assert value == pytest.approx(wanted, rel=1e-12, abs=1e-14)
    assert error == pytest.approx(its_error, rel=1e-3, abs=1e-11)


# What waves, jumps or diverges has no slopes to speak of.
SMOOTH = "smooth", "whole line", "half line", "below", "singular", "logarithm", "nested", "backwards"


@pytest.mark.turns(4)
@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", (*SMOOTH, "ends known when it runs"))
def test_slopes_of_integrals(name):
    f = INTEGRALS[name]
    order = 2 if name == "smooth" else 1
    check_grads(lambda p: f(p)[0], (0.62,), order=order, atol=1e-6, rtol=1e-6, target="numpy")


@pytest.mark.turns(4)
def test_slopes_where_a_kink_moves():
    """2 p - 1, of sums over a step."""
    slope = grad(lambda p: quad(lambda x: abs(x - p), 0, 1)[0], target="numpy")
    assert slope(0.62) == pytest.approx(0.24, rel=1e-3)


@pytest.mark.turns(4)
def test_slopes_of_singular_integrals():
    """1 / (1 - p), of which the sums alone have three digits."""
    slope = grad(lambda p: quad(lambda x: x**-p, 0, 1)[0], target="numpy")
    assert slope(0.5) == pytest.approx(4.0, rel=1e-10)


@pytest.mark.turns(8)
def test_integrals_compiled():
    def f(p):
        return quad(lambda x: x**-p, 0, 1)[0]

    ps = np.array([0.1, 0.3, 0.5, 0.7])
    assert jit(f)(0.5) == pytest.approx(2.0, rel=1e-12)
    assert np.allclose(batch(f)(ps), 1 / (1 - ps), rtol=1e-12, atol=0)


def pendulum(t, y, g):
    angle, speed = y
    return [speed, -g * np.sin(angle)]


EQUATIONS = {
    "places": lambda y: solve_ivp(pendulum, (0.0, 3.0), y, args=(9.81,), t_eval=np.linspace(0.0, 3.0, 7)),
    "steps": lambda y: solve_ivp(pendulum, (0.0, 3.0), y, args=(9.81,)),
    "backwards": lambda y: solve_ivp(pendulum, (3.0, 0.0), y, args=(9.81,), t_eval=[2.5, 1.0, 0.0]),
    "third order": lambda y: solve_ivp(
        pendulum, [0, 3], y, "RK23", args=(9.81,), t_eval=[0.1, 0.11, 0.12, 2.0]
    ),
    "steps of third order": lambda y: solve_ivp(pendulum, [0, 3], y, method="RK23", args=(9.81,)),
    "limits": lambda y: solve_ivp(lambda t, y: -t * y, (0, 3), y, max_step=0.1, first_step=0.01, rtol=1e-8),
    "a tolerance each": lambda y: solve_ivp(
        lambda t, y: -y, (0, 3), y, rtol=1e-6, atol=np.array([1e-6, 1e-9])
    ),
    "arrays": lambda y: solve_ivp(lambda t, y: np.array([[0.0, 1.0], [-2.0, 0.0]]) @ y, (0, 5), y, rtol=1e-5),
    "a list of ints": lambda y: solve_ivp(lambda t, z: [z[1] * y[0], -z[0]], (0, 1), [1, 0]),
    "nowhere": lambda y: solve_ivp(lambda t, y: -y, (1.0, 1.0), y),
    "no slope": lambda y: solve_ivp(lambda t, y: 0.0 * y, (0.0, 1.0), y),
    "a pole": lambda y: solve_ivp(lambda t, y: y * y, (0.0, 3.0), y),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", EQUATIONS)
def test_equations(name):
    """SciPy's steps, and so its numbers."""
    f, y = EQUATIONS[name], np.array([0.9, 0.4])
    with np.errstate(all="ignore"):
        found, wanted = jit(f, target="numpy")(y), f(y)
    assert (found.nfev, found.status, found.success) == (wanted.nfev, wanted.status, wanted.success)
    assert found.t.shape == np.shape(wanted.t)
    tolerance = 1e-6 if name == "a pole" else 1e-10
    assert np.allclose(found.t, wanted.t, rtol=tolerance, atol=0)
    assert found.y.shape == wanted.y.shape
    assert name == "a pole" or np.allclose(found.y, wanted.y, rtol=1e-9, atol=1e-12)


def logistic(y0, rate, end):
    return solve_ivp(
        lambda t, y: rate * y * (1 - y), (0, end), [y0], t_eval=[0.5, end], rtol=1e-10, atol=1e-10
    ).y[0]


def test_slopes_of_solutions():
    """y / (1 - y) grows like exp(rate t)."""
    slopes = jacobian(logistic, argnums=(0, 1, 2), target="numpy")(0.2, 1.5, 2.0)
    found = logistic(0.2, 1.5, 2.0)
    spread, times = found * (1 - found), np.array([0.5, 2.0])
    for slope, wanted in zip(slopes, (spread / 0.16, spread * times, spread * [0.0, 1.5]), strict=True):
        assert np.allclose(slope, wanted, rtol=1e-8)


@pytest.mark.turns(4)
def test_slopes_of_solutions_at_their_steps():
    def end(y, rate):
        return np.sum(solve_ivp(lambda t, y: -rate * y, (0, 1), y, rtol=1e-9, atol=1e-9).y[:, -1])

    check_grads(end, (np.array([0.3, 0.9]), 1.3), order=2, atol=1e-6, rtol=1e-6, target="numpy")


@pytest.mark.turns(4)
def test_solutions_over_lanes():
    def f(y, g):
        made = solve_ivp(pendulum, (0.0, 2.0), y, args=(g,), t_eval=[0.5, 1.0, 2.0], rtol=1e-6)
        return made.y, made.nfev

    ys, gs = np.array([[0.3 * k, 0.1] for k in range(5)]), 1.0 + np.arange(5.0)
    made, calls = batch(f)(ys, gs)
    for k in range(5):
        wanted, its_calls = f(ys[k], gs[k])
        assert np.allclose(made[k], wanted, rtol=1e-10, atol=1e-12)
        assert calls[k] == its_calls


ROOTS = {
    "brentq": lambda m, e: brentq(lambda x: x - e * math.sin(x) - m, 0.0, 7.0),
    "brenth": lambda m, e: brenth(lambda x, a: x - a * math.sin(x) - m, 0.0, 7.0, args=(e,)),
    "bisect": lambda m, e: bisect(lambda x: x - e * math.sin(x) - m, 0.0, 7.0, xtol=1e-9),
    "ridder": lambda m, e: ridder(lambda x: x - e * math.sin(x) - m, 7.0, 0.0),
    "at an end": lambda m, e: brentq(lambda x: x * (x - e) - m * 0.0, 0.0, 7.0),
    "newton": lambda m, e: newton(lambda x: x - e * math.sin(x) - m, m, lambda x: 1 - e * math.cos(x)),
    "secant": lambda m, e: newton(lambda x, a: x - a * math.sin(x) - m, m, args=(e,)),
    "secant of two": lambda m, e: newton(lambda x: x - e * math.sin(x) - m, m, x1=m + 0.3, tol=1e-11),
    "halley": lambda m, e: newton(
        lambda x: x - e * math.sin(x) - m, m, lambda x: 1 - e * math.cos(x), fprime2=lambda x: e * math.sin(x)
    ),
}


@pytest.mark.parametrize("name", ROOTS)
def test_roots_of_functions(name):
    f = ROOTS[name]
    assert difference(jit(f, target="numpy")(1.3, 0.4), f(1.3, 0.4)) is None


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [name for name in ROOTS if name != "at an end"])
def test_slopes_of_roots(name):
    """Those of the implicit function, whatever the steps were."""
    x = brentq(lambda x: x - 0.4 * math.sin(x) - 1.3, 0.0, 7.0)
    by_m = 1 / (1 - 0.4 * math.cos(x))
    f = ROOTS[name]
    found = grad(f, argnums=(0, 1), target="numpy")(1.3, 0.4)
    assert found == pytest.approx((by_m, by_m * math.sin(x)), rel=1e-9)
    second = grad(grad(f, target="numpy"), target="numpy")(1.3, 0.4)
    assert second == pytest.approx(-0.4 * math.sin(x) * by_m**3, rel=1e-8)


def test_third_derivatives_of_roots():
    cube_root = grad(grad(grad(lambda p: brentq(lambda x: x**3 - p, 0.1, 5.0), target="numpy")))
    assert cube_root(2.0) == pytest.approx(10 / 27 * 2.0 ** (-8 / 3), rel=1e-10)


@pytest.mark.turns(4)
def test_roots_over_lanes():
    def f(m, e):
        return brentq(lambda x: x - e * np.sin(x) - m, 0.0, 7.0)

    m, e = np.linspace(0.1, 6.0, 9), np.linspace(0.0, 0.9, 9)
    assert np.array_equal(batch(f)(m, e), [f(*each) for each in zip(m, e, strict=True)])
    assert np.allclose(batch(grad(f))(m, e), [grad(f)(*each) for each in zip(m, e, strict=True)])


ERRORS = {
    "signs": (lambda p: brentq(lambda x: x * x + p, 0.0, 1.0), ValueError, "must have different signs"),
    "flat": (
        lambda p: newton(lambda x: x * x + p, 0.0, lambda x: 2 * x),
        RuntimeError,
        "Derivative was zero",
    ),
    "no root": (
        lambda p: newton(lambda x: x * x + p, 0.5, lambda x: 2 * x),
        RuntimeError,
        "Failed to converge",
    ),
    "few steps": (
        lambda p: bisect(lambda x: x - 0.3 * p, 0.0, 1.0, maxiter=3),
        RuntimeError,
        "Failed to converge",
    ),
    "not a number": (lambda p: brentq(lambda x: np.nan * x * p, 1.0, 2.0), ValueError, "is NaN"),
    "outside": (
        lambda p: solve_ivp(lambda t, y: p * y, (0, 1), [p], t_eval=[0, 2]).y,
        ValueError,
        "not within",
    ),
    "out of order": (
        lambda p: solve_ivp(lambda t, y: y, (0, p), [p], t_eval=[0.5, 0.4]).y,
        ValueError,
        "sorted",
    ),
    "infinite": (lambda p: solve_ivp(lambda t, y: y, (0, 1), [p / 0.0]).y, ValueError, "must be finite"),
    "tolerance": (
        lambda p: solve_ivp(lambda t, y: y, (0, 1), [p], atol=-p).y,
        ValueError,
        "`atol` must be positive",
    ),
    "stuck": (
        lambda p: solve_ivp(lambda t, y: y * y, (0, 3), [p], t_eval=[2.5]).y,
        RuntimeError,
        "step size",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_is_raised(name):
    f, error, words = ERRORS[name]
    with np.errstate(all="ignore"), pytest.raises(error, match=words):
        jit(f, target="numpy")(np.float64(1.0))


REFUSED = {
    "methods": (lambda y: solve_ivp(lambda t, y: -y, (0, 1), y, method="BDF").y, "'RK45' and 'RK23'"),
    "events": (lambda y: solve_ivp(lambda t, y: -y, (0, 1), y, events=lambda t, y: y[0]).y, "events"),
    "axes": (lambda y: solve_ivp(lambda t, y: -y, (0, 1), [[1.0]]).y, "1-dimensional"),
    "weights": (lambda y: quad(lambda x: x, 0, 1, weight="cos", wvar=1.0)[0], "wvar"),
    "points": (lambda y: quad(lambda x: x, 0, 1, points=[0.5])[0], "points"),
    "arrays": (lambda y: newton(lambda x: x * x - 2, y), "x0 is a number"),
    "output": (lambda y: brentq(lambda x: x, -1, 1, full_output=True)[0], "full_output"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    f, words = REFUSED[name]
    with pytest.raises(SourceError, match=words):
        jit(f, target="numpy")(np.ones(2))


@pytest.mark.turns(4)
def test_functions_that_hold_functions():
    """What they hold goes along where they are differentiated, or run over lanes, inside a program."""

    def f(p, x):
        def scaled(a):
            def inner(z):
                return a * np.sin(z) * p

            return inner

        one, other = scaled(2.0), scaled(x)

        def both(z):
            return one(z) * other(z)

        def applied(z, function):
            return function(z) + z

        lanes = batch(lambda z: both(z) + one(z))(np.array([x, p]))
        return grad(both)(x), grad(applied)(x, both), np.sum(lanes)

    p, x = 2.0, 3.0
    slope = 2 * p * p * x * math.sin(2 * x)
    lanes = sum(2 * p * math.sin(z) * (x * p * math.sin(z) + 1) for z in (x, p))
    for target in ("numpy", "numba"):
        assert jit(f, target=target)(p, x) == pytest.approx((slope, slope + 1, lanes), rel=1e-12)
    assert f(p, x) == pytest.approx((slope, slope + 1, lanes), rel=1e-12)
    check_grads(f, (p, x), order=1, atol=1e-6, rtol=1e-6, target="numpy")
