"""Targets: how a Program becomes a callable.

f = compile_program(program, "numba")
f(x, 2.0)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codegen.ir import Program
from codegen.targets.numba_cpu import NUMBA
from codegen.targets.numpy import NUMPY
from codegen.targets.target import Target

TARGETS: dict[str, Target] = {"numpy": NUMPY, "numba": NUMBA}


def compile_program(program: Program, target: str = "numpy") -> Callable[..., Any]:
    """The main function of `program`, compiled for `target`, over flat arguments.

    One result comes bare, several as a tuple. Streams are `numpy.random.Generator` for "numpy" and state rows
    (`codegen.runtime.state_of`) for "numba".
    """
    from codegen.backend.load import load  # the printer knows the targets, so it is imported when one is used
    from codegen.emit.coalescing import function_names
    from codegen.emit.module import show

    module = load(show(program, target=target), program.main)
    function: Callable[..., Any] = getattr(module, function_names(program)[program.main])
    return function


__all__ = ["TARGETS", "Target", "compile_program"]
