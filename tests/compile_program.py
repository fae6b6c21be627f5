"""A Program as a callable, for tests of what is printed: f = compile_program(program, "numba"); f(x, 2.0)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codegen.backend.load import load
from codegen.emit.coalescing import function_names
from codegen.emit.module import show
from codegen.ir import Program


def compile_program(program: Program, target: str = "numpy") -> Callable[..., Any]:
    """The main function over flat arguments. One result comes bare, several as a tuple.

    Streams are `numpy.random.Generator` for "numpy" and state rows (`codegen.runtime.state_of`) for "numba".
    """
    module = load(show(program, target=target), program.main)
    function: Callable[..., Any] = getattr(module, function_names(program)[program.main])
    return function
