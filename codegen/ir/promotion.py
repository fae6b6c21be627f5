"""NumPy's promotion of dtypes, by their codes: in what a ufunc computes, and what comes out.

computed_in(np.true_divide, (Type("u1"), Type("i8", weak=True)))   ->   ("f8", "f8"), "f8"
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from codegen.ir import Type


def computed_in(ufunc: np.ufunc, types: Sequence[Type]) -> tuple[tuple[str, ...], str]:
    """The dtypes in which a ufunc takes operands of these types, Python's numbers weak, and that of its result.

    TypeError where it is not defined for them.
    """
    return resolved(ufunc, tuple([(t.dtype, t.weak) for t in types]))


@cache
def resolved(ufunc: np.ufunc, given: tuple[tuple[str, bool], ...]) -> tuple[tuple[str, ...], str]:
    found = ufunc.resolve_dtypes((*(numpy_kind(*g) for g in given), None))
    *inside, out = (np.dtype(d).str.lstrip("<>|=") for d in found)
    return tuple(inside), out


def numpy_kind(dtype: str, weak: bool) -> Any:
    """A dtype as NumPy's promotion takes it: a Python number by its class."""
    return {"i": int, "u": int, "f": float, "b": np.dtype("b1")}[dtype[0]] if weak else np.dtype(dtype)


def joined_dtype(types: Sequence[Type]) -> np.dtype[Any]:
    """The dtype of an array whose elements come from all of these."""
    kinds = [numpy_kind(t.dtype, t.weak) for t in types]
    return np.result_type(*(each(1) if isinstance(each, type) else each for each in kinds))
