"""Emitted modules as plain Python: what Numba compiles, run by the interpreter, at once and with every index checked.

Arrays are read and written by index alone in what machines of lanes emit, so that a place too small is an IndexError or
a wrong number here as there.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from types import ModuleType
from typing import Any

import numpy as np

from autobatch.kernel.module import LaneModule
from codegen.runtime.complex_matrices.systems import complex_log_determinant, complex_solved
from codegen.runtime.linear_algebra.systems import cholesky_factor, solved


def nothing(*given: Any) -> None:
    """What only speaks to the compiler."""


ONE_AT_A_TIME = Lock()


def add_at_once(number: np.ndarray, more: int) -> int:
    with ONE_AT_A_TIME:  # threads take lanes off one queue
        before = int(number[0])
        number[0] += more
    return before


def halves_of_product(a: Any, b: Any) -> tuple[np.uint64, np.uint64]:
    product = int(a) * int(b)
    return np.uint64(product >> 64), np.uint64(product % 2**64)


# What emitted modules have of Numba's own, by name.
MEANING: dict[str, Callable[..., Any]] = {
    "muladd": lambda x, y, z: x * y + z,
    "fused": lambda x, y, z: x * y + z,
    "rounded": lambda x, y: x * y,
    "half_of": lambda whole, first: whole[..., first],
    "diagonal_of": lambda x: np.einsum("...ii->...i", x),
    "highest": np.maximum,
    "lowest": np.minimum,
    "highest_number": np.maximum,
    "lowest_number": np.minimum,
    "put_elements_in_order": lambda x, made: np.copyto(made, np.sort(x)),
    "add_at_once": add_at_once,
    "philox_product": halves_of_product,
    "stopped": lambda failed: bool(failed[-1] == 1),  # at 2 Python is to look for signals, as it does here
    **dict.fromkeys(
        (
            "use_wide_registers",
            "read_anywhere",
            "lanes_apart",
            "compiled_apart",
            "iterations_apart",
            "two_vectors_at_once",
            "rarely_called",
            "unroll_loops",
            "draws_kept_whole",
            "raise_waiting",
        ),
        nothing,
    ),
}


def lenient(function: Callable[..., Any], ufunc: Callable[..., Any]) -> Callable[..., Any]:
    """A function of math as Numba has it: NumPy's NaN and infinities where Python's raises."""

    def run(*x: Any) -> Any:
        try:
            return function(*x)
        except (ValueError, OverflowError):
            return float(ufunc(*x))

    return run


MATH = ModuleType("math")
MATH.__dict__.update(vars(math))
MATH.__dict__.update(
    {
        name: lenient(getattr(math, name), getattr(np, "arc" + name[1:] if name[0] == "a" else name))
        for name in (
            *("sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh"),
            *("asin", "acos", "acosh", "atanh", "hypot"),
        )
    }
)


def njit(*functions: Any, **options: Any) -> Any:
    return functions[0] if functions else lambda function: function


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    return MEANING.get(function.__name__) or without_meaning(function.__name__)


def without_meaning(name: str) -> Callable[..., Any]:
    def called(*given: Any) -> Any:
        raise NotImplementedError(f"{name} has no meaning in plain Python")

    return called


class Turn(int):
    """What Numba's prange counts by: an int without a sign. What would be another number of it is refused."""

    def __neg__(self) -> int:
        raise TypeError("an int without a sign has no negative one")

    __invert__ = __abs__ = __round__ = __neg__

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Turn):
            raise TypeError("two ints without a sign give another one")
        return super().__mul__(other)

    __rmul__ = __mul__


def prange(*bounds: int) -> Iterator[Turn]:
    return map(Turn, range(*bounds))


class Types:
    """Numba's types, which tell the compiler of functions of libraries."""

    def __getattr__(self, name: str) -> Any:
        return lambda *given: None


# Functions of emitted modules that are vectors or calls of a library.
INSTEAD = {
    "solved_in_short_rows": solved,
    "solved_by_lapack": solved,
    "factored_in_tiles": cholesky_factor,
    "factored_by_lapack": cholesky_factor,
    "complex_solved_by_lapack": complex_solved,
    "complex_log_determinant_by_lapack": complex_log_determinant,
    "product_of_views": np.matmul,
    "view_times_vector": np.matmul,
    "vector_times_view": np.matmul,
    "put_product": lambda made, x, y: np.copyto(made, x @ y),
    "add_product_to": lambda made, x, y: np.add(made, x @ y, out=made),
}


@contextmanager
def plain_numba() -> Iterator[None]:
    """Modules of Numba's names, in place of it."""
    names = ("math", "numba", "numba.extending", "numba.core", "numba.core.compiler")
    saved = {name: sys.modules.get(name) for name in names}
    made = {name: ModuleType(name) for name in names}
    made["numba"].__dict__.update(njit=njit, types=Types(), config=None, prange=prange)
    made["math"] = MATH
    made["numba.extending"].__dict__.update(intrinsic=intrinsic)
    made["numba.core.compiler"].__dict__.update(Compiler=object)
    sys.modules.update(made)
    try:
        yield
    finally:
        for name, module in saved.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def module(text: str) -> dict[str, Any]:
    """What an emitted module defines."""
    found: dict[str, Any] = {"__name__": "emitted"}
    with plain_numba(), np.errstate(all="ignore"):
        exec(compile(text, "emitted", "exec"), found)
    found.update((name, function) for name, function in INSTEAD.items() if name in found)
    return found


def stacked(values: Sequence[Any]) -> np.ndarray:
    """One row a lane."""
    rows = np.stack([np.asarray(v) for v in values])
    return rows.reshape(len(rows), -1) if rows.ndim > 1 else rows


def run_lanes(
    made: LaneModule, lanes: Sequence[Sequence[Any]], like: Sequence[Sequence[Any]]
) -> list[np.ndarray]:
    """What a machine's text gives the lanes, a row each for each result, of the sizes and dtypes of `like`."""
    run = module(made.text)[made.run]
    inputs = [stacked(column) for column in zip(*lanes, strict=True)]
    outputs = [stacked(column) * 0 for column in like]
    failed = np.zeros(len(lanes) + 1, np.int64)
    stacks = [np.empty(1024, dtype) for _, dtype in made.stacks]
    first = np.array([0, len(lanes), 0, 0]) if made.queued else 0
    with np.errstate(all="ignore"):
        run(first, len(lanes), -1, failed, *(() if made.queued else stacks), *inputs, *outputs)
    assert not failed.any()
    return outputs
