"""unzip on the corpus: the linear half run forwards on the residuals is the jvp; what is saved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from derivative_programs import PROGRAMS
from differentiate import active_in, directions, program_of, tangents, value_and_grad_of

from autodiff import grad, hessian
from autodiff.jvp import jvp
from autodiff.policy import policy
from autodiff.unzip import unzip
from codegen.ir import For
from codegen.ir.interpreter import evaluate
from codegen.simplify.driver import simplify


@pytest.mark.sampled(2)
@pytest.mark.parametrize("save", ["none", "all"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_halves_make_the_jvp(name: str, save: str) -> None:
    f, arguments = PROGRAMS[name]
    program = program_of(f, arguments)
    pushed = simplify(jvp(program, active_in(program)))
    dots = tangents(directions(program, arguments))
    linear = tuple(k >= len(arguments) for k in range(len(pushed.entry.params)))
    halves = unzip(pushed, linear, policy(save))
    assert halves.flags == (False, True)
    value, *residuals = evaluate(simplify(halves.known), *arguments)
    (change,) = evaluate(simplify(halves.linear), *residuals, *dots)
    expected = evaluate(pushed, *arguments, *dots)
    np.testing.assert_allclose((value, change), expected, rtol=1e-12, atol=1e-13)


def saved(f, arguments, save="none") -> set[str]:
    program = program_of(f, arguments)
    made = value_and_grad_of(program, active_in(program), save=save)
    names = {o.name for e in made.entry.body.equations if isinstance(e.op, For) for o in e.outs}
    primal = {o.name for e in program.entry.body.equations for o in e.outs}
    return {n for n in names - primal if not n.endswith("_bar")}


def test_a_sum_saves_nothing() -> None:
    f, arguments = PROGRAMS["perfect_nest"]
    assert saved(f, arguments) == set()


def test_the_entry_value_is_saved() -> None:
    f, arguments = PROGRAMS["nonlinear_recurrence"]
    assert saved(f, arguments) == {"ss"}


def test_a_finished_array_needs_no_history() -> None:
    assert saved(*PROGRAMS["recurrence"]) == set()
    assert saved(*PROGRAMS["trisolve"]) == set()


def test_named_variables_are_saved() -> None:
    def f(a):
        s = 0.5
        for i in range(len(a)):
            heavy = math.exp(s * a[i])
            s = math.sin(heavy)
        return s

    a = np.array([0.1, 0.2])
    assert "heavys" in saved(f, (a,), save=("heavy",))
    with pytest.raises(ValueError, match='save is "none", "all", "sqrt" or a tuple of names'):
        saved(f, (a,), save="some")


def walked(rng, s, pull, steps, walkers):
    s = np.full(walkers, s)
    for _ in range(steps):
        s = s * np.exp(pull * rng.standard_normal(walkers) - 0.5 * pull**2)
    return s


def seeded_price(s, pull, seed):
    rng = np.random.default_rng(seed)
    return np.sum(walked(rng, s, pull, 12, 5) ** 2) + walked(rng, s, 0.1, 3, 2)[1]


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_draws_of_a_function_with_a_loop_are_saved(target: str) -> None:
    at = 1.2, 0.3, 5
    slopes = grad(seeded_price, argnums=(0, 1), target=target)(*at)
    near = [
        (seeded_price(1.2 + a, 0.3 + b, 5) - seeded_price(1.2 - a, 0.3 - b, 5)) / 2e-6
        for a, b in ((1e-6, 0.0), (0.0, 1e-6))
    ]
    np.testing.assert_allclose(slopes, near, rtol=1e-7)
    second = hessian(seeded_price, argnums=1, target=target)(*at)
    by_pull = grad(seeded_price, argnums=1)
    np.testing.assert_allclose(
        second, (by_pull(1.2, 0.3 + 1e-6, 5) - by_pull(1.2, 0.3 - 1e-6, 5)) / 2e-6, rtol=1e-6
    )


def test_draws_are_saved_not_repeated() -> None:
    from codegen.infer import trace
    from codegen.ir import Type

    def f(x, rng):
        s = x
        for _ in range(4):
            s = math.sin(s * rng.standard_normal()) + x
        return s

    program = trace(f, (Type("f8"), Type("rng"))).program

    def value(x: float) -> float:
        return evaluate(program, x, np.random.default_rng(3))[0]

    made = value_and_grad_of(program, (True, False))
    results = evaluate(made, 0.7, np.random.default_rng(3))
    assert results[0] == value(0.7)
    np.testing.assert_allclose(results[-1], (value(0.7 + 1e-6) - value(0.7 - 1e-6)) / 2e-6, rtol=1e-8)
