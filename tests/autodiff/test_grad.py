"""Reverse mode: the corpus and random programs against jvp, costs, edge cases, the public functions."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from count_work import work
from derivative_programs import PROGRAMS, A, B
from differentiate import active_in, directions, inner, primitives, program_of, tangents, value_and_grad_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_arrays import array_program
from random_ir import equations, summed
from random_ir import random_program as random_ir
from random_programs import loaded

import codegen.ir.interpreter
from autodiff import (
    check_grads,
    checkpoint,
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
)
from autodiff.jvp import jvp as jvp_pass
from codegen.ir import Program
from codegen.ir.interpreter import evaluate

NUMPY: dict[str, Any] = {"target": "numpy"}


def assert_reverse_is_forward(program: Program, arguments: Any, save: Any) -> None:
    along = directions(program, arguments)
    value, change = evaluate(jvp_pass(program, active_in(program)), *arguments, *tangents(along))
    made = value_and_grad_of(program, active_in(program), save=save)
    again, *bars = evaluate(made, *arguments)
    np.testing.assert_allclose(again, value, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(inner(bars, tangents(along)), change, rtol=1e-9, atol=1e-10)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("save", ["none", "all", "sqrt", ("s", "x", "t")])
@pytest.mark.parametrize("name", PROGRAMS)
def test_corpus(name: str, save: Any) -> None:
    f, arguments = PROGRAMS[name]
    assert_reverse_is_forward(program_of(f, arguments), arguments, save)


@pytest.mark.turns(4)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 100_000))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    f = loaded(seed, tmp_path)
    program = program_of(f, (A, B))
    with np.errstate(all="ignore"):
        expected = f(A.copy(), B.copy())
    if not np.isfinite(expected) or abs(expected) > 1e6:
        return
    for save in ("none", "all"):
        assert_reverse_is_forward(program, (A, B), save)


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("first", range(0, 60, 30))
def test_random_control_flow(first: int) -> None:
    """Calls, loops and branches, some of them made for their effects alone."""
    for seed in range(first, first + 30):
        program, arguments = random_ir(seed)
        for save in ("none", "all"):
            assert_reverse_is_forward(summed(program), arguments, save)


@pytest.mark.turns(4)
@pytest.mark.parametrize("first", range(0, 120, 40))
def test_random_arrays(first: int) -> None:
    for seed in range(first, first + 40):
        program, arguments = array_program(seed, statements=10)
        try:
            evaluate(program, *arguments)
        except ValueError:  # an empty array has no largest element
            continue
        if not any(o.type.dtype == "f4" for e in equations(program) for o in e.outs):
            assert_reverse_is_forward(summed(program), arguments, "none")


# costs


def sum_of_squares(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s


def scattered_gather(x):
    s = 0.0
    for i in range(len(x)):
        s += math.sin(x[(i * 7) % len(x)])
    return s


def one_hot(x):
    s = 0.0
    for i in range(len(x)):
        v = np.zeros(4)
        v[i % 4] = x[i]
        s += np.sum(v * v)
    return s


def diagonal_product(x):
    s = 0.0
    for i in range(8):
        for k in range(len(x)):
            if i == k:
                s += x[i] * x[k] * math.exp(x[k])
    return s


def triangular_loop(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s = s + math.sin(x[i] * x[j])
    return s


def slice_updates(x):
    y = x.copy()
    for i in range(2, len(x)):
        y[i : i + 1] = np.sin(y[i - 1 : i]) + y[i : i + 1]
    return np.sum(y * y)


def recurrence_in_place(x):
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = math.sin(y[i - 1]) * x[i]
    return y[len(x) - 1]


def write_after_read(x):
    y = x.copy()
    for i in range(len(x) - 1):
        y[i] = y[i + 1] * math.cos(y[i])
    return np.sum(y)


def gauss_seidel_sweep(x):
    y = np.ones(len(x))
    for i in range(1, len(x) - 1):
        y[i] = 0.25 * (x[i] + y[i - 1] + math.sin(y[i] * y[i + 1]))
    return np.sum(y * y)


def helper_that_writes(x):
    y = x.copy()
    for i in range(1, len(x)):
        relax(y, i)
    return np.sum(y * y)


def relax(y, i):
    y[i] = math.sin(y[i] * y[i - 1])


LINEAR = [
    sum_of_squares,
    scattered_gather,
    one_hot,
    diagonal_product,
    slice_updates,
    recurrence_in_place,
    write_after_read,
    gauss_seidel_sweep,
    helper_that_writes,
    triangular_loop,
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", LINEAR)
def test_gradient_cost_stays_a_constant_times_the_primals(f: Any) -> None:
    sizes = (8, 16, 32, 64) if f is triangular_loop else (16, 64, 256)
    program = program_of(f, (A,))
    made = value_and_grad_of(program, (True,))
    ratios = []
    for n in sizes:
        x = (np.linspace(0.1, 0.9, n),)
        ratios.append(work(made, *x) / work(program, *x))
    growth = math.log(ratios[-1] / ratios[0]) / math.log(sizes[-1] / sizes[0])
    assert growth <= 0.1, ratios
    assert ratios[-1] <= 5.0, ratios


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def tree(x, n):
    if n == 0:
        return math.sin(x)
    return tree(0.9 * x, n - 1) * tree(1.1 * x, n - 1)


@pytest.mark.turns(4)
@pytest.mark.parametrize("f, sizes", [(power, (10, 20, 40, 80)), (tree, (4, 6, 8, 10))])
def test_recursion_runs_each_call_a_few_times(f: Any, sizes: Any) -> None:
    program = program_of(f, (0.9, 3))
    made = value_and_grad_of(program, (True, False))
    ratios = [work(made, 0.9, n) / work(program, 0.9, n) for n in sizes]
    assert ratios[-1] <= ratios[0] * 1.1 <= 8.0, ratios


def test_recursion_in_a_loop_and_over_arrays() -> None:
    """Where a call would have to keep an array, or an unknown number of values, it runs again."""

    def halves(v, n):
        if n == 0:
            return v * v
        return halves(np.sin(v), n - 1) * 0.5 + halves(v * v, n - 1)

    def fan(x, n):
        s = x
        for k in range(n):
            s = s * 0.5 + fan(x * 0.9, k) * math.sin(s)
        return s

    def products(v):
        if len(v) == 1:
            return np.sin(v)
        u, w = products(v[::2]), products(v[1::2])
        return np.concatenate((u, u[: len(w)] * w))

    check_grads(lambda v: np.sum(halves(v, 3)), (A,))
    check_grads(lambda x: fan(x, 4), (0.7,))
    check_grads(lambda v: np.sum(products(v)), (np.linspace(0.1, 1.3, 7),))


def last(x):
    """The gradient's last part is added up by a cotangent's only element."""
    if len(x) <= 1:
        return np.sin(x)
    return np.append(x[2:3], np.sum(last(x[2:])) * 0.2)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_a_number_out_of_a_cotangent_is_no_view_of_it(target: Any) -> None:
    x, y_bar = np.array([0.9, -0.4, -0.3, 0.9, 0.9]), np.array([1.0, 2.0])
    (x_bar,) = vjp(last, x, target=target)[1](y_bar)
    np.testing.assert_array_equal(y_bar, [1.0, 2.0])
    np.testing.assert_allclose(x_bar, [0.0, 0.0, 1.0, 0.0, 0.4 + 0.08 * math.cos(0.9)])
    twice = hessian(lambda x: np.sum(last(x)), target=target)(x)
    np.testing.assert_allclose(twice[-1, -1], -0.04 * math.sin(0.9))


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_forward_runs_of_nests(depth: int, tmp_path: Path) -> None:
    """Perfect nests run forward twice at most, sequential ones depth + 1 times."""
    for perfect in (True, False):
        lines = ["import math", "", "", "def f(x, n):", "    s = x"]
        for d in range(depth):
            lines.append("    " * (d + 1) + f"for i{d} in range(n):")
        body = "s += math.exp(x * i0)" if perfect else "s = math.exp(-s * x)"
        lines += ["    " * (depth + 1) + body, "    return s"]
        file = tmp_path / f"nest_{depth}_{perfect}.py"
        file.write_text("\n".join(lines) + "\n")
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        made = value_and_grad_of(program_of(module.f, (0.5, 2)), (True, False))
        assert primitives(made).count("exp") <= (2 if perfect else depth + 1)


def test_strips_keep_the_square_root(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x, n):
        for _ in range(n):
            x = math.sin(x) + 0.1
        return x

    program = program_of(f, (0.5, 100))
    made = value_and_grad_of(program, (True, False), save="sqrt")
    rows = []
    real = codegen.ir.interpreter.run_primitive

    def noted(equation: Any, values: Any) -> Any:
        found = real(equation, values)
        if equation.op.primitive.name == "empty":
            rows.append(len(found[0]))
        return found

    monkeypatch.setattr(codegen.ir.interpreter, "run_primitive", noted)
    value, bar = evaluate(made, 0.5, 100)
    assert set(rows) == {10}
    np.testing.assert_allclose(
        bar, evaluate(value_and_grad_of(program, (True, False)), 0.5, 100)[1], rtol=1e-12
    )
    for n in (0, 1, 2, 7, 99):
        assert evaluate(made, 0.5, n)[0] == evaluate(program, 0.5, n)[0]


def test_sharing_is_kept(tmp_path: Path) -> None:
    """w = f(w) * f(w), k times: text and gradient grow linearly."""

    def equations(k: int) -> int:
        lines = (
            ["import math", "", "", "def f(w):"]
            + ["    w = math.sin(w) * math.cos(w)"] * k
            + ["    return w"]
        )
        file = tmp_path / f"chain_{k}.py"
        file.write_text("\n".join(lines) + "\n")
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return len(primitives(value_and_grad_of(program_of(module.f, (0.5,)), (True,))))

    assert equations(40) - equations(20) == equations(20) - equations(0) + (
        equations(40) - 2 * equations(20) + equations(0)
    )
    assert equations(40) <= 2 * equations(20) + 5


# one program read closely


def foo(x, y, z):
    w = x * math.sin(y)
    return math.atan2(z, w) + z * w


def test_foo() -> None:
    found = grad(foo, (0, 1, 2), **NUMPY)(1.1, 2.2, 3.3)
    np.testing.assert_allclose(
        found, (2.4396285219055063, -1.953374825727421, 0.9654825811012627), rtol=1e-15
    )
    names = primitives(value_and_grad_of(program_of(foo, (1.0, 1.0, 1.0)), (True, True, True)))
    assert names.count("sin") == names.count("cos") == 1
    gradient = grad(foo, (0, 1, 2), **NUMPY)
    assert "arctan2" not in gradient.source(1.0, 1.0, 1.0)
    arithmetic = [n for n in names if n in ("add", "sub", "mul", "div", "neg")]
    assert len(arithmetic) <= 17 + 2  # the value itself costs two of these


GOLDEN = (
    "recurrence",
    "newton",
    "trisolve",
    "gauss_seidel",
    "branches_in_loop",
    "calls_power",
    "perfect_nest",
    "zipped",
)


@pytest.mark.parametrize("name", GOLDEN)
def test_emitted_gradients(name: str, golden: Callable[[str, str], None]) -> None:
    f, arguments = PROGRAMS[name]
    chosen = tuple(k for k, a in enumerate(arguments) if not isinstance(a, int))
    golden(f"{name}_grad.py", value_and_grad(f, chosen, **NUMPY).source(*arguments))


def test_emitted_foo(golden: Callable[[str, str], None]) -> None:
    golden("foo_grad.py", value_and_grad(foo, (0, 1, 2), **NUMPY).source(1.1, 2.2, 3.3))


# edges


def derivative(f: Any, *arguments: Any, argnums: Any = 0) -> Any:
    return grad(f, argnums, **NUMPY)(*arguments)


def test_branch_protects_and_where_does_not() -> None:
    def branch(x):
        if x > 0.0:
            return math.log(x)
        return 0.0 * x

    assert derivative(branch, 0.0) == 0.0
    assert derivative(branch, 2.0) == 0.5


def test_powers() -> None:
    assert derivative(lambda x: x**2, -3.0) == -6.0
    assert derivative(lambda x: x**0, 0.0) == 0.0
    assert derivative(lambda x: x**1, 0.0) == 1.0
    assert derivative(lambda x: abs(x), 0.0) == 0.0
    np.testing.assert_allclose(
        derivative(lambda x, y: x**y, 2.0, 3.0, argnums=(0, 1)), (12.0, 8.0 * math.log(2.0))
    )


def test_ties_share() -> None:
    x = np.array([1.0, 3.0, 3.0])
    np.testing.assert_array_equal(derivative(lambda x: np.max(x), x), [0.0, 0.5, 0.5])
    assert jvp(lambda x: np.max(x), (x,), (np.array([0.0, 1.0, 0.0]),), **NUMPY)[1] == 0.5
    assert derivative(lambda x, y: max(x, y), 2.0, 2.0, argnums=(0, 1)) == (0.5, 0.5)
    assert derivative(lambda x, y: min(x, y), 2.0, 2.0, argnums=(0, 1)) == (0.5, 0.5)


def test_only_the_one_that_comes_out_has_a_derivative() -> None:
    """Python's max is its first argument beside NaN; NumPy's is NaN, and so is its derivative."""
    assert derivative(lambda x, y: max(x, y), math.nan, 2.0, argnums=(0, 1)) == (1.0, 0.0)
    assert derivative(lambda x, y: min(x, y), 2.0, math.nan, argnums=(0, 1)) == (1.0, 0.0)
    assert derivative(lambda x, y: max(x, y), 2.0, 3.0, argnums=(0, 1)) == (0.0, 1.0)
    assert derivative(lambda x: max(0.2, 0.9 * x), 2.0) == 0.9
    assert derivative(lambda x: np.maximum(np.float64(0.2), x), 2.0) == 1.0
    assert np.isnan(derivative(lambda x: np.maximum(x, math.nan), 2.0))


@pytest.mark.parametrize("x", [[2.0, 3.0, 4.0], [0.0, 3.0, 4.0], [0.0, 0.0, 4.0]])
def test_products_with_zeros(x: list[float]) -> None:
    others = [np.prod(np.delete(x, k)) for k in range(3)]
    np.testing.assert_array_equal(derivative(lambda x: np.prod(x), np.array(x)), others)


THIRD = grad(lambda x: grad(lambda y: grad(np.prod)(y)[0])(x)[1], target="numpy")
FOURTH = grad(lambda x: grad(lambda y: grad(lambda z: grad(np.prod)(z)[0])(y)[1])(x)[2], target="numpy")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "x", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 5.0), (0.0,) * 4, (2.0,) + (0.0,) * 4]
)
def test_higher_derivatives_of_products_with_several_zeros(x):
    for f, places in ((THIRD, (0, 1)), (FOURTH, (0, 1, 2))):
        left = [0.0 if k in places else np.prod(np.delete(x, (*places, k))) for k in range(len(x))]
        np.testing.assert_array_equal(f(np.array(x)), left)


def test_duplicate_places() -> None:
    idx = np.array([1, 1, 2])

    def last_wins(v):
        x = np.zeros(4)
        x[idx] = v
        return np.sum(x * np.arange(4.0))

    def all_add(v):
        x = np.zeros(4)
        np.add.at(x, idx, v)
        return np.sum(x * x)

    np.testing.assert_array_equal(derivative(last_wins, np.ones(3)), [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(derivative(all_add, np.ones(3)), [4.0, 4.0, 2.0])


def test_arguments_are_never_changed() -> None:
    def writes(x):
        x = x.copy()
        x[0] = x[1] * x[0]
        return np.sum(x * x)

    a = np.array([1.0, 2.0])
    value_and_grad(writes, **NUMPY)(a)
    np.testing.assert_array_equal(a, [1.0, 2.0])


def test_unused_arguments_and_constants() -> None:
    assert derivative(lambda x, y: y, 1.0, 2.0) == 0.0
    np.testing.assert_array_equal(derivative(lambda x, y: y, np.ones(3), 2.0), np.zeros(3))
    assert derivative(lambda x: 3.0, 1.0) == 0.0


def test_integers_and_non_scalars_are_refused() -> None:
    with pytest.raises(TypeError, match="argument n is of type i8; derivatives are with respect to floats"):
        grad(lambda n: n * 2.0, **NUMPY)(3)
    with pytest.raises(TypeError, match=r"the result must be one float scalar, not f8\[n\]"):
        grad(lambda x: x, **NUMPY)(np.ones(2))
    with pytest.raises(TypeError, match=r"not f8\[1, 1\] \(return its number, y.item\(\)\)$"):
        grad(lambda x: x.reshape(1, 2) @ x.reshape(2, 1), **NUMPY)(np.ones(2))
    with pytest.raises(TypeError, match="the result must be one float scalar, not i8"):
        grad(lambda x: int(x), **NUMPY)(2.0)
    with pytest.raises(ValueError, match="argnums names argument 2, but f has 1"):

        def f(x):
            return x

        grad(f, 2, **NUMPY)(1.0)
    with pytest.raises(ValueError, match='save is "none", "all", "sqrt" or a tuple of names'):
        grad(foo, save="some")


def test_float32_stays_float32() -> None:
    def f(x):
        s = np.float32(0.5)
        for i in range(len(x)):
            s = np.sin(s * x[i]) + np.max(x) / len(x)
        return s

    x = np.array([0.5, 0.25], "f4")
    made = value_and_grad(f, **NUMPY)
    value, bar = made(x)
    assert value.dtype == bar.dtype == np.float32
    program = made.last.traced.program
    assert all(
        o.type.dtype != "f8" for fn in program.functions.values() for e in fn.body.equations for o in e.outs
    )


def test_nested_arguments() -> None:
    def f(p, x):
        return np.sum(p["w"] * x) + p["b"][0] ** 2 * p["b"][1]

    x = np.array([1.0, 2.0])
    found = grad(f, **NUMPY)({"w": np.ones(2), "b": (3.0, 4.0)}, x)
    np.testing.assert_array_equal(found["w"], x)
    assert found["b"] == (24.0, 9.0)


def test_empty_arrays_and_zero_trips() -> None:
    def f(x, s):
        for i in range(len(x)):
            s = s * x[i]
        return s * s

    found = grad(f, (0, 1), **NUMPY)(np.zeros(0), 3.0)
    assert found[0].shape == (0,) and found[1] == 6.0


def test_draws_are_reparameterised() -> None:
    def f(mu, rng):
        return rng.normal(mu, 2.0) ** 2

    z = np.random.default_rng(1).normal(0.3, 2.0)
    assert grad(f, **NUMPY)(0.3, np.random.default_rng(1)) == 2.0 * z


# rules of the user's own


@custom_jvp
def softplus(x):
    return np.log(1.0 + np.exp(x))


@softplus.defjvp
def softplus_jvp(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return softplus(x), x_dot / (1.0 + np.exp(-x))


def test_custom_jvp() -> None:
    assert softplus(0.0) == math.log(2.0)
    assert derivative(softplus, 0.0) == 0.5
    assert jvp(softplus, (0.0,), (2.0,), **NUMPY) == (math.log(2.0), 1.0)
    np.testing.assert_allclose(grad(grad(softplus, **NUMPY), **NUMPY)(0.0), 0.25)
    check_grads(lambda x: np.sum(softplus(x) * x), (np.array([0.5, -1.0]),), order=2)


@custom_vjp
def clipped(x, y):
    return x * y


clipped.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, ct: (min(ct, 1.0) * kept[1], ct * kept[0]))


def test_custom_vjp() -> None:
    assert derivative(lambda x, y: 5.0 * clipped(x, y), 2.0, 3.0, argnums=(0, 1)) == (3.0, 10.0)
    with pytest.raises(
        TypeError, match="clipped has a custom_vjp: it can be differentiated in reverse mode only"
    ):
        jvp(clipped, (2.0, 3.0), (1.0, 1.0), **NUMPY)


def test_a_rule_is_needed() -> None:
    with pytest.raises(TypeError, match="f has no derivative yet: define it by defjvp"):

        @custom_jvp
        def f(x):
            return x

        grad(f, **NUMPY)(1.0)


def test_stop_gradient() -> None:
    assert stop_gradient(3.0) == 3.0
    assert derivative(lambda x: x * stop_gradient(x), 3.0) == 3.0


def test_checkpoint_runs_again() -> None:
    @checkpoint
    def heavy(x):
        return np.sin(np.exp(x) * x)

    def f(x):
        return heavy(x) * x

    made = grad(f, save="all", **NUMPY)
    np.testing.assert_allclose(made(0.3), grad(lambda x: np.sin(np.exp(x) * x) * x, **NUMPY)(0.3), rtol=1e-15)
    code = "\n".join(line.split("#")[0] for line in made.source().splitlines())
    assert code.count("np.exp") == 2


def test_vjp_and_shapes() -> None:
    value, pull = vjp(lambda x, y: (x * y[0], np.sum(x)), A, B, **NUMPY)
    np.testing.assert_array_equal(value[0], A * B[0])
    x_bar, y_bar = pull((np.ones(5), 2.0))
    np.testing.assert_allclose(x_bar, B[0] + 2.0)
    np.testing.assert_allclose(y_bar, [np.sum(A), 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match=r"a cotangent of shape \(2,\) where \(5,\) is expected"):
        pull((np.ones(2), 2.0))


def test_a_growing_array() -> None:
    """Where its iterations are known and few, they are written out."""

    def f(x, n):
        y = np.array([x])
        for _ in range(n):
            y = np.append(y, np.sum(y * y))
        return np.sum(y)

    def by_size(x):
        y = x
        for _ in range(len(x)):
            y = np.append(y, np.sum(y * y))
        return np.sum(y)

    def written(x):
        a = x * x
        b = a + a * a
        return x + a + b + (b + b * b)

    rise = (f(0.1 + 1e-6, 33) - f(0.1 - 1e-6, 33)) / 2e-6
    assert grad(f, **NUMPY)(0.1, 33) == pytest.approx(rise, rel=1e-8)
    x = np.linspace(0.01, 0.04, 40)
    rises = [(by_size(x + e) - by_size(x - e)) / 2e-6 for e in 1e-6 * np.eye(40)]
    np.testing.assert_allclose(grad(by_size, **NUMPY)(x), rises, rtol=1e-7)
    assert grad(f, **NUMPY)(0.5, 3) == pytest.approx(grad(written, **NUMPY)(0.5), rel=1e-14)
    x = np.array([0.3, 0.2, 0.1])
    rises = [(by_size(x + e) - by_size(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(grad(by_size, **NUMPY)(x), rises, rtol=1e-6)


def test_names_of_users_do_not_matter() -> None:
    def f(x_bar, x_dot):
        np_ = x_bar * x_dot
        xs = np.sin(np_)
        return xs * x_bar

    np.testing.assert_allclose(
        derivative(f, 0.5, 0.25, argnums=(0, 1)), derivative(plain, 0.5, 0.25, argnums=(0, 1))
    )


def plain(a, b):
    return np.sin(a * b) * a


def test_check_grads_finds_a_wrong_rule() -> None:
    @custom_jvp
    def wrong(x):
        return x * x

    wrong.defjvp(lambda primals, tangents: (primals[0] * primals[0], 3.0 * tangents[0]))
    with pytest.raises(AssertionError, match="forward mode and differences disagree"):
        check_grads(wrong, (2.0,))


@pytest.mark.parametrize("name", ["api", "custom", "gradcheck", "linearize", "policy"])
def test_docstrings(name: str) -> None:
    module = importlib.import_module(f"autodiff.{name}")
    assert doctest.testmod(module, extraglobs={"np": np, "grad": grad}).failed == 0


def test_reads_add_in_place() -> None:
    f, arguments = PROGRAMS["gather"]
    made = value_and_grad_of(program_of(f, arguments), (True, False))
    assert primitives(made).count("accumulate") == 1
    assert primitives(made).count("full") == 1


def test_a_choice_that_the_other_value_makes_larger() -> None:
    """`np.where(c, A[:, :1], x)` by x alone was an internal error: its tangent had the size of x."""
    A, x = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.5, 0.3, 9.0])
    for f in (
        lambda x: np.sum(np.where(x > 1.1, A[:, :, None], x) ** 2),
        lambda x: np.sum(np.fmax(A[:, :1], x) ** 2),
        lambda x: np.sum(np.fmin.outer(A + 0.01, x) ** 2),
    ):
        check_grads(f, (x,), order=2)
