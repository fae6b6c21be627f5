"""Derivatives of derivatives, in every order; derivatives inside programs that are differentiated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from derivative_programs import PROGRAMS, A, B
from differentiate import active_in, directions, grad_of, inner, program_of, slope, tangents, vjp_of

from autobatch import batch
from autodiff import (
    check_grads,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linear_transpose,
    linearize,
    value_and_grad,
    vjp,
)
from autodiff.jvp import jvp as jvp_pass
from codegen import SourceError, jit
from codegen.ir.interpreter import evaluate

NUMPY: dict[str, Any] = {"target": "numpy"}


def cube(x):
    return x * x * x


def times(x, y):
    return x * y * y


SMOOTH = [
    "foo",
    "vectors",
    "products",
    "running",
    "branches_in_loop",
    "powers_by_loop",
    "nonlinear_recurrence",
    "perfect_nest",
    "nest_depth_two",
    "by_twos",
    "swapped",
    "swapped_arrays",
    "newton",
    "while_in_for",
    "recurrence",
    "nonlinear_recurrence_in_place",
    "write_after_read",
    "gauss_seidel",
    "trisolve",
    "cholesky",
    "lu",
    "branch_writes",
    "duplicate_places",
    "rows_of_a_matrix",
    "neighbours",
    "reads_all_before_write",
    "calls_power",
    "fibonacci_like",
    "helper_on_arrays",
    "helper_in_loop",
]


@pytest.mark.parametrize("name", SMOOTH)
def test_forward_over_reverse(name: str) -> None:
    """<v, H w> from the gradient's jvp against differences of the gradient."""
    f, arguments = PROGRAMS[name]
    program = program_of(f, arguments)
    gradient = grad_of(program, active_in(program))
    v, w = (directions(program, arguments, seed) for seed in (0, 1))
    pushed = jvp_pass(gradient, active_in(gradient))
    results = evaluate(pushed, *arguments, *tangents(w))
    changes = results[len(results) // 2 :]

    def along(step: float) -> float:
        moved = [a if d is None else a + step * d for a, d in zip(arguments, w, strict=True)]
        return inner(evaluate(gradient, *moved), tangents(v))

    h = 1e-4
    expected = (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h)
    np.testing.assert_allclose(inner(changes, tangents(v)), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SMOOTH)
def test_reverse_over_reverse(name: str) -> None:
    """The gradient of <v, gradient> against forward over reverse."""
    f, arguments = PROGRAMS[name]
    program = program_of(f, arguments)
    gradient = grad_of(program, active_in(program))
    v, w = (directions(program, arguments, seed) for seed in (0, 1))
    count = len(gradient.entry.body.results)
    pushed = jvp_pass(gradient, active_in(gradient))
    forward = evaluate(pushed, *arguments, *tangents(w))[count:]

    turned = vjp_of(gradient, active_in(gradient))
    back = evaluate(turned, *arguments, *tangents(v))[count:]
    np.testing.assert_allclose(inner(back, tangents(w)), inner(forward, tangents(v)), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", ["foo", "newton", "nest_depth_two", "calls_power"])
def test_forward_over_forward(name: str) -> None:
    f, arguments = PROGRAMS[name]
    program = program_of(f, arguments)
    once = jvp_pass(program, active_in(program))
    v = directions(program, arguments)
    flags = tuple(
        k < len(arguments) and on for k, on in enumerate((*active_in(program), *[True] * len(tangents(v))))
    )
    twice = jvp_pass(once, flags)
    results = evaluate(twice, *arguments, *tangents(v), *tangents(v))

    def at(step: float) -> Any:
        moved = [a if d is None else a + step * d for a, d in zip(arguments, v, strict=True)]
        return slope(program, moved, v)

    np.testing.assert_allclose(results[3], (at(1e-3) - at(-1e-3)) / 2e-3, rtol=1e-4, atol=1e-6)


def test_powers_of_grad() -> None:
    f: Any = cube
    for expected in (12.0, 12.0, 6.0, 0.0):
        f = grad(f, **NUMPY)
        assert f(2.0) == expected


def test_no_perturbation_confusion() -> None:
    def f(x):
        return x * grad(lambda y: x * y)(2.0)

    assert grad(f, **NUMPY)(1.0) == 2.0
    assert jvp(f, (1.0,), (1.0,), **NUMPY) == (1.0, 2.0)


def test_a_default_has_no_tangent() -> None:
    def power(x, n=3):
        return x**n

    assert jvp(power, (2.0,), (1.0,), **NUMPY) == (8.0, 12.0)
    assert jvp(grad(power), (2.0,), (0.5,), **NUMPY) == (12.0, 6.0)
    assert hvp(power, (2.0,), (0.5,), **NUMPY) == 6.0
    assert grad(lambda x: jvp(power, (x,), (1.0,))[1], **NUMPY)(2.0) == 12.0
    with pytest.raises(TypeError, match="tangents must have the shapes of the primals"):
        jvp(power, (2.0,), (1.0, 1.0), **NUMPY)


def test_gradient_inside_a_differentiated_loop() -> None:
    def energy(q):
        return 0.5 * np.sum(q * q) + 0.25 * np.sum(q**4)

    def leapfrog(q, p, eps):
        for _ in range(3):
            p = p - 0.5 * eps * grad(energy)(q)
            q = q + eps * p
            p = p - 0.5 * eps * grad(energy)(q)
        return np.sum(q * q) + np.sum(p)

    check_grads(leapfrog, (A, B, 0.1))


@pytest.mark.turns(4)
def test_hessians_agree() -> None:
    def f(x):
        return np.sum(np.sin(x) * x[0]) + np.prod(x)

    x = np.array([0.3, 0.7, 1.1])
    by_hessian = hessian(f, **NUMPY)(x)
    np.testing.assert_allclose(by_hessian, by_hessian.T, rtol=1e-14)
    for make in (jacfwd, jacrev):
        for inner_make in (jacfwd, jacrev, grad):
            np.testing.assert_allclose(make(inner_make(f, **NUMPY), **NUMPY)(x), by_hessian, rtol=1e-13)
    v = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(hvp(f, (x,), (v,), **NUMPY), by_hessian @ v, rtol=1e-13)


def test_jacobians() -> None:
    def f(x, y):
        return {"a": x * y[0], "b": np.sum(x)}, np.outer(x, y)

    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0])
    for make in (jacobian, jacrev, jacfwd):
        first, outer = make(f, (0, 1), **NUMPY)(x, y)
        np.testing.assert_array_equal(first["a"][0], np.eye(3) * 4.0)
        np.testing.assert_array_equal(first["a"][1], np.stack([x, np.zeros(3)], axis=1))
        np.testing.assert_array_equal(first["b"][0], np.ones(3))
        np.testing.assert_array_equal(first["b"][1], np.zeros(2))
        np.testing.assert_array_equal(outer[0], np.einsum("ik,j->ijk", np.eye(3), y))
        np.testing.assert_array_equal(outer[1], np.einsum("i,jk->ijk", x, np.eye(2)))


def test_jacobian_runs_the_forward_sweep_once() -> None:
    text = jacrev(lambda x: np.exp(x) * x, **NUMPY).source(np.ones(3))
    assert "\n".join(line.split("#")[0] for line in text.splitlines()).count("np.exp") == 1


def test_jacobian_of_integers_is_refused() -> None:
    with pytest.raises(TypeError, match="every result must be of floats, not i8"):
        jacrev(lambda x: (x, int(x)), **NUMPY)(1.0)


def test_linearize_is_jvp_and_vjp_is_its_transpose() -> None:
    f, arguments = PROGRAMS["gauss_seidel"]

    def g(b):
        return f(b, 3)

    y, push = linearize(g, arguments[0], **NUMPY)
    y2, pull = vjp(g, arguments[0], **NUMPY)
    v = np.linspace(-1.0, 1.0, 5)
    assert y == y2
    np.testing.assert_allclose(push(v), jvp(g, (arguments[0],), (v,), **NUMPY)[1], rtol=1e-13)
    np.testing.assert_allclose(pull(2.0)[0] @ v, 2.0 * push(v), rtol=1e-13)


def test_linear_transpose() -> None:
    turned = linear_transpose(lambda x, y: np.cumsum(x) * 2.0 + y[0], A, B, **NUMPY)
    x_bar, y_bar = turned(np.ones(5))
    np.testing.assert_array_equal(x_bar, [10.0, 8.0, 6.0, 4.0, 2.0])
    np.testing.assert_array_equal(y_bar, [5.0, 0.0, 0.0, 0.0, 0.0])


def test_jit_of_grad_and_grad_of_jit() -> None:
    def f(x):
        return math.sin(x) * x

    expected = math.cos(2.0) * 2.0 + math.sin(2.0)
    assert jit(grad(f, **NUMPY), target="numpy")(2.0) == expected
    assert grad(jit(f, target="numpy"), **NUMPY)(2.0) == expected


def test_directional_derivatives_inside_programs() -> None:
    def f(x, v):
        value, change = jvp(cube, (x,), (v,))
        return value + change * hvp(cube, (x,), (v,))

    assert jit(f, target="numpy")(2.0, 0.5) == 8.0 + 6.0 * 6.0
    check_grads(f, (2.0, 0.5))


def test_by_which_argument_is_known_where_a_helper_is_told() -> None:
    def slope_of(f, argnum=0):
        return grad(f, tuple(argnum) if type(argnum) is list else argnum)

    def f(x, y):
        return slope_of(times)(x, y) + slope_of(times, argnum=1)(x, y) + slope_of(times, [1])(x, y)[0]

    def chosen(x, k):
        return grad(times, k)(x, 3.0)

    assert jit(f, target="numpy")(2.0, 3.0) == 9.0 + 2 * 12.0
    check_grads(f, (2.0, 3.0))
    assert [jit(chosen, target="numpy")(2.0, k) for k in (0, 1)] == [9.0, 12.0]


def test_by_which_argument_is_known_before_the_program_runs() -> None:
    def f(x, k):
        return grad(times, k + 0 * int(x))(x, 3.0)

    with pytest.raises(SourceError) as caught:
        jit(f, target="numpy")(2.0, 0)
    assert caught.value.msg == "what grad is told beside its function must be known before the program runs"


def test_value_and_grad_composes() -> None:
    def f(x):
        value, slope_ = value_and_grad(cube)(x)
        return value + slope_

    assert grad(f, **NUMPY)(2.0) == 24.0


def test_compiled_derivatives_agree() -> None:
    """Numba's code of a few second derivatives against NumPy's."""
    for name in ("trisolve", "newton"):
        f, arguments = PROGRAMS[name]
        chosen = tuple(range(len(arguments)))
        compiled = value_and_grad(f, chosen)(*arguments)
        plain = value_and_grad(f, chosen, **NUMPY)(*arguments)
        np.testing.assert_allclose(compiled[0], plain[0], rtol=1e-13)
        for a, b in zip(compiled[1], plain[1], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


def test_stages_are_named() -> None:
    made = grad(cube, **NUMPY)
    names = [
        "infer",
        "known parameters",
        "literal sizes",
        "sizes",
        "jvp",
        "needed",
        "transpose",
        "loosen",
        "stretched axes",
        "grad",
    ]
    assert list(made.stages(2.0))[: len(names)] == names
    assert "cube_jvp" in made.stages()["jvp"]


LANES = [
    "foo",
    "broadcasts",
    "products",
    "branches_in_loop",
    "early_return",
    "nest_depth_two",
    "triangular",
    "newton",
    "while_in_for",
    "recurrence",
    "gauss_seidel",
    "cholesky",
    "calls_power",
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("name", LANES)
def test_gradients_over_lanes(name: str, target: str) -> None:
    """Loops of any length, differently long in each lane: none of their histories has a size."""
    f, arguments = PROGRAMS[name]
    chosen = tuple(k for k, a in enumerate(arguments) if not isinstance(a, int))
    lanes = [[a + 0.01 * k if i in chosen else a for i, a in enumerate(arguments)] for k in range(3)]
    made = batch(value_and_grad(f, chosen, target=target), target=target)
    values, bars = made(*(np.stack([lane[i] for lane in lanes]) for i in range(len(arguments))))
    for k, lane in enumerate(lanes):
        value, expected = value_and_grad(f, chosen, **NUMPY)(*lane)
        np.testing.assert_allclose(values[k], value, rtol=1e-10)
        for bar, each in zip(bars, expected, strict=True):
            np.testing.assert_allclose(bar[k], each, rtol=1e-9, atol=1e-11)


def with_constants(x):
    return {"a": 2, "b": (x * 2.0, True, 3.5), "c": 1.5, "none": None}


def constant_when_deep(x, n):
    return (x, 1.0) if n <= 0 else (constant_when_deep(2.0 * x, n - 1)[0], 1.0)


def summed(xs, ns):
    """Constants of lanes, made inside other functions."""
    many, deep = batch(with_constants)(xs), batch(constant_when_deep)(xs, ns)
    total = np.sum(many["a"]) + np.sum(many["b"][1]) + np.sum(many["b"][2] * xs) + np.sum(many["c"])
    return total + np.sum(deep[0] * deep[1])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_constants_of_lanes(target: str) -> None:
    """They have the lane axis in every composition."""
    xs, ns = np.array([1.0, 2.0, 3.0]), np.array([0, 2, 1])
    plain = summed(xs, ns)
    assert plain == 6 + 3 + 21.0 + 4.5 + 15.0
    np.testing.assert_allclose(jit(summed, target=target)(xs, ns), plain)
    np.testing.assert_allclose(grad(summed, target=target)(xs, ns), 3.5 + 2.0**ns)


def test_lists_of_numbers_are_lanes_inside_a_function_too() -> None:
    def total(a):
        return np.sum(batch(lambda u: u * a)([a, 2.0])) + np.sum(batch(lambda u: u * a)([]))

    assert jit(total, target="numpy")(3.0) == total(3.0) == 15.0
    assert grad(total, target="numpy")(3.0) == 8.0
    np.testing.assert_array_equal(batch(total, target="numpy")(np.array([1.0, 3.0])), [3.0, 15.0])


def test_numbers_of_lanes_that_differ_inside_a_function() -> None:
    def product(x, y):
        return batch(lambda u, v: u * v)(x, y)

    for target in ("numpy", "numba"):
        for given in (np.ones(2), np.ones(3)), (np.ones(2), np.ones(1)):
            with pytest.raises(ValueError) as plain:
                product(*given)
            with pytest.raises(ValueError) as made:
                jit(product, target=target)(*given)
            assert str(made.value) == str(plain.value)

    def known(x):
        return batch(lambda u, v: u * v * x)(np.ones(2), np.ones(3))

    def number(x):
        return batch(lambda u: u)(x)

    said = {
        known: "the arguments differ in their number of lanes: 2 in argument 0, 3 in argument 1",
        number: "argument 0 has no lane axis: it is a float; use in_axes=None to share it",
    }
    for f, message in said.items():
        with pytest.raises(SourceError) as refused:
            jit(f, target="numpy")(1.0)
        assert refused.value.msg == message


def test_lanes_share_what_a_nested_function_reads() -> None:
    """in_axes speaks of the arguments; a captured array that is as long as the lanes are many is each lane's whole."""

    def total(x, w, n):
        lanes = batch(lambda u: u * np.sum(w) * n, in_axes=(0,))(x)
        slopes = batch(grad(lambda u: u * u * np.sum(w)))(x)
        return np.sum(lanes) + np.sum(slopes)

    x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert jit(total, target="numpy")(x, w, 2) == 42.0 + 42.0
    np.testing.assert_array_equal(grad(total, target="numpy")(x, w, 2), [28.0, 28.0])


def test_lanes_of_lanes() -> None:
    xs = np.arange(6.0).reshape(2, 3)
    for target in ("numpy", "numba"):
        found = batch(batch(with_constants), target=target)(xs)
        np.testing.assert_array_equal(found["b"][0], 2.0 * xs)
        for part, value in ((found["a"], 2), (found["b"][1], True), (found["b"][2], 3.5), (found["c"], 1.5)):
            np.testing.assert_array_equal(part, np.full((2, 3), value))
        assert found["a"].dtype == np.int64 and found["none"] is None


def test_what_is_called_outside_of_programs_alone() -> None:
    @jit
    def pulled(x):
        y, pull = vjp(math.sin, x)
        return pull(y)[0]

    with pytest.raises(
        SourceError, match=r"vjp is called outside of programs alone: grad of a function that returns"
    ):
        pulled(1.0)
