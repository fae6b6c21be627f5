"""A row for a ufunc of SciPy's that is computed in float64, and given in the dtype of SciPy's loop."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir import Atom, Type
from codegen.ir.build import Builder
from codegen.primitives.elementwise import broadcast_shape, result_dtype
from codegen.primitives.reduce import as_array
from codegen.primitives.row import FUNCTIONS, row


def float64_row(ufunc: np.ufunc, helper: str, *jvp: Callable[..., Any], cost: float = 200) -> None:
    """`helper`: the function of codegen/runtime/special_functions that it is of a number."""
    name = ufunc.__name__
    row(
        name,
        meaning_in_float64(ufunc, ufunc.nin),
        float64_of(ufunc.nin),
        "elementwise",
        call=f"scipy.special.{name}",
        helper=helper,
        cost=cost,
        jvp=jvp,
    )

    def build(b: Builder, *operands: Any) -> Any:
        given = [as_array(b, x) if isinstance(x, tuple | list) else x for x in operands]
        dtype = result_dtype(ufunc, tuple(map(b.atom, given)))
        made = b.apply(name, *(b.apply("cast", x, dtype="f8") for x in given))
        return made if dtype == "f8" else b.apply("cast", made, dtype=dtype)

    FUNCTIONS[ufunc] = build


def float64_of(count: int) -> Callable[..., Type]:
    """The type of a function of so many numbers, which are taken in float64."""

    def float_type(*atoms: Atom) -> Type:
        if len(atoms) != count:
            raise TypeError(f"it takes {count} operands, not {len(atoms)}")
        return Type("f8", broadcast_shape(atoms))

    return float_type


def meaning_in_float64(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """The function of so many numbers, in float64."""

    def meaning(*values: Any) -> Any:
        return function(*(np.asarray(v, np.float64)[()] for v in values))

    kind = inspect.Parameter.POSITIONAL_ONLY
    meaning.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter("xyz"[k], kind) for k in range(count)]
    )
    return meaning
