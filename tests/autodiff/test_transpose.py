"""transpose: linear programs turned round, by the dot product <ct, L x> = <L^T ct, x>."""

from __future__ import annotations

import numpy as np
import pytest
from derivative_programs import PROGRAMS
from differentiate import active_in, directions, inner, primitives, program_of, tangents

from autodiff.jvp import jvp
from autodiff.policy import policy
from autodiff.transpose import transpose
from autodiff.unzip import unzip
from codegen.infer import trace
from codegen.ir import For, Type
from codegen.ir.interpreter import evaluate
from codegen.simplify.driver import simplify
from codegen.source import SourceError


@pytest.mark.sampled(2)
@pytest.mark.parametrize("save", ["none", "all"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_dot_product(name: str, save: str) -> None:
    f, arguments = PROGRAMS[name]
    program = program_of(f, arguments)
    pushed = simplify(jvp(program, active_in(program)))
    dots = tangents(directions(program, arguments))
    halves = unzip(pushed, tuple(k >= len(arguments) for k in range(len(pushed.entry.params))), policy(save))
    _, *residuals = evaluate(halves.known, *arguments)
    (change,) = evaluate(halves.linear, *residuals, *dots)
    count = len(halves.linear.entry.params) - len(dots)
    turned = transpose(halves.linear, tuple(k >= count for k in range(count + len(dots))))
    bars = evaluate(turned, *residuals, 1.7)
    np.testing.assert_allclose(inner(bars, dots), 1.7 * change, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", ["nest_depth_two", "gauss_seidel", "branches_in_loop"])
def test_twice_is_once(name: str) -> None:
    f, arguments = PROGRAMS[name]
    program = program_of(f, arguments)
    pushed = simplify(jvp(program, active_in(program)))
    dots = tangents(directions(program, arguments))
    flags = tuple(k >= len(arguments) for k in range(len(pushed.entry.params)))
    halves = unzip(pushed, flags, policy("none"))
    count = len(halves.linear.entry.params) - len(dots)
    once = transpose(halves.linear, tuple(k >= count for k in range(count + len(dots))))
    _, *residuals = evaluate(halves.known, *arguments)
    twice = transpose(simplify(once), tuple(k == count for k in range(count + 1)))
    expected = evaluate(halves.linear, *residuals, *dots)
    np.testing.assert_allclose(evaluate(twice, *residuals, *dots), expected, rtol=1e-11)


def linear_program(f, *arguments):
    program = program_of(f, arguments)
    return transpose(program, active_in(program))


def test_reading_an_element_adds_to_it() -> None:
    def f(x, n):
        s = 0.0
        for i in range(n):
            s += x[i] * 2.0
        return s

    program = trace(f, (Type("f8", (3,)), Type("i8"))).program
    made = simplify(transpose(program, (True, False)))
    assert primitives(made).count("accumulate") == 1
    assert primitives(made).count("full") == 1
    np.testing.assert_array_equal(evaluate(made, 2, 1.0)[0], [2.0, 2.0, 0.0])


def test_loops_turn_round() -> None:
    def f(x, n):
        for i in range(2, n, 3):
            x = x * (i + 1.0)
        return x

    program = program_of(f, (1.0, 9))
    turned = transpose(program, (True, False))
    (loop,) = [e.op for e in turned.entry.body.equations if isinstance(e.op, For)]
    assert loop.step == -3
    for n in (0, 2, 3, 9, 11):
        assert evaluate(turned, n, 1.0) == evaluate(program, 1.0, n)


def test_what_is_not_linear_is_refused() -> None:
    with pytest.raises(SourceError, match="mul is not linear in 2 operands at once"):
        linear_program(lambda x: x * x, 1.0)
    with pytest.raises(SourceError, match="sin is not linear in operand 0"):
        linear_program(lambda x: np.sin(x), 1.0)
