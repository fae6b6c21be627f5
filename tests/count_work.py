"""How much a program does: the numbers that it computes, writes and copies, counted as the interpreter runs it."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np

from codegen.emit.inplace import inplace
from codegen.ir import Equation, Program, interpreter
from codegen.primitives import ROWS


def work(program: Program, *arguments: Any) -> int:
    """The work of a program with the copies that its in-place writes need."""
    done = 0
    plain = interpreter.run_primitive

    def counted(equation: Equation, values: Any) -> tuple[Any, ...]:
        nonlocal done
        results = plain(equation, values)
        done += work_of(equation, [interpreter.operand(values, o) for o in equation.op.operands], results)
        return results

    with mock.patch.object(interpreter, "run_primitive", counted):
        interpreter.evaluate(inplace(program), *arguments)
    return done


def work_of(equation: Equation, given: list[Any], results: tuple[Any, ...]) -> int:
    op = equation.op
    if op.primitive.writes:
        return int(np.size(ROWS["index"].numpy(given[0], *given[2:], spec=op.params["spec"])))
    if op.primitive.name == "matmul":
        return int(np.size(given[0]) * (given[1].shape[-1] if np.ndim(given[1]) > 1 else 1))
    if op.primitive.name == "empty" or op.primitive.views and "a" not in op.params.get("spec", ()):
        return 1
    return max([int(np.size(v)) for v in (*given, *results)], default=1)
