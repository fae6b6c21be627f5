"""jvp on the corpus: against the function itself and against differences."""

from __future__ import annotations

import numpy as np
import pytest
from derivative_programs import PROGRAMS
from differentiate import active_in, directions, primitives, program_of, slope, tangents

from autodiff.jvp import jvp
from codegen.infer import trace
from codegen.ir import Type
from codegen.ir.interpreter import evaluate


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_tangents(name: str) -> None:
    f, arguments = PROGRAMS[name]
    program = program_of(f, arguments)
    along = directions(program, arguments)
    value, change = evaluate(jvp(program, active_in(program)), *arguments, *tangents(along))
    expected = f(*(a.copy() if isinstance(a, np.ndarray) else a for a in arguments))
    np.testing.assert_allclose(value, expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(change, slope(program, arguments, along), rtol=1e-7, atol=1e-8)


def test_arguments_are_never_changed() -> None:
    f, (a,) = PROGRAMS["overwritten_argument"]
    program = program_of(f, (a,))
    before = a.copy()
    evaluate(jvp(program, (True,)), a, np.ones_like(a))
    np.testing.assert_array_equal(a, before)


def test_only_active_parameters_get_tangents() -> None:
    def f(x, y):
        return x * y

    program = program_of(f, (1.0, 1.0))
    made = jvp(program, (False, True))
    assert [p.name for p in made.entry.params] == ["x", "y", "y_dot"]
    assert evaluate(made, 2.0, 3.0, 1.0) == (6.0, 2.0)


def test_zero_tangents_make_no_equations() -> None:
    def f(x, y):
        z = np.exp(y) * np.sin(y)
        return z + x

    made = jvp(program_of(f, (1.0, 1.0)), (True, False))
    assert sorted(primitives(made)) == ["add", "exp", "mul", "sin"]


def test_results_that_do_not_depend_have_zeros() -> None:
    def f(x, y):
        return y * y, x

    program = program_of(f, (1.0, 1.0))
    assert evaluate(jvp(program, (True, False)), 1.0, 3.0, 1.0) == (9.0, 1.0, 0.0, 1.0)


def test_integers_are_refused() -> None:
    program = program_of(lambda n: n * 2, (1,))
    with pytest.raises(TypeError, match="not differentiable in n: i8 is no float"):
        jvp(program, (True,))


def test_float32_stays_float32() -> None:
    def f(x, s):
        t = s
        for i in range(len(x)):
            t = t * np.sin(x[i]) + 0.5
        return t

    x = np.array([0.5, 0.25], "f4")
    program = trace(f, (Type("f4", (2,)), Type("f4"))).program
    value, change = evaluate(jvp(program, (True, True)), x, np.float32(0.5), x, np.float32(1.0))
    assert value.dtype == change.dtype == np.float32
