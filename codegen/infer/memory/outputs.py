"""Results written into the arrays that `out=` gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.infer.frame import Frame
from codegen.infer.values import Nest, Ref, Static, Value, View
from codegen.ir.build import E
from codegen.primitives.calls.subscripts import write
from codegen.primitives.shape import require_equal

HARMLESS = {
    np.add,
    np.subtract,
    np.negative,
    np.positive,
    np.absolute,
    np.maximum,
    np.minimum,
    np.fmax,
    np.fmin,
}


def harmless_aside(ufunc: np.ufunc, mask: Any, x: Any) -> Any:
    """An operand of a ufunc that is not computed where a mask leaves places out: there a number of which nothing fails
    and no slope is infinite, as it would be multiplied by 0."""
    has_slope = any(kind[-1] in "fd" for kind in ufunc.types) and ufunc not in HARMLESS
    if not has_slope or not isinstance(x, E) or x.type.weak:
        return x
    instead = 2.0 if ufunc is np.arccosh else 0.5 if x.type.is_float else 1
    operand: Any = x
    return np.where(mask, operand, np.dtype(x.dtype).type(instead))


def given_out(value: Value | None) -> Ref | View | None:
    """The array that a call is to write its result into; TypeError where it is something else."""
    if isinstance(value, Nest) and len(value.items) == 1:
        (value,) = value.items
    if value is None or isinstance(value, Static) and value.value is None:
        return None
    if not isinstance(value, Ref | View):
        raise TypeError("return arrays must be of ArrayType")
    return value


SUMS_IN_RESULT = ("numpy.sum", "numpy.prod", "numpy.cumsum", "numpy.cumprod")
METHODS_IN_RESULT = ("reduce", "accumulate", "reduceat")


def summed_in_result(frame: Frame, label: str, given: dict[Any, Value], out: Ref | View) -> dict[Any, Value]:
    """A function's arguments, the first of them in the dtype of the array that its result is written into, where it
    adds up or multiplies in that."""
    first = next(iter(given), None)
    value = given.get(first)
    is_so = label in SUMS_IN_RESULT or label.rpartition(".")[2] in METHODS_IN_RESULT
    if not is_so or "dtype" in given or not isinstance(value, Ref | View):
        return given
    x: Any = frame.b.wrap(frame.atom(value))
    dtype = frame.atom(out).type.dtype
    if x.type.dtype == dtype or not np.can_cast(x.type.dtype, dtype, "same_kind"):
        return given
    return {**given, first: frame.take(x.astype(dtype), "t")}


def write_result(frame: Frame, made: Any, out: Ref | View, name: str, *, spreads: bool = False) -> Value:
    """A result written into an array that is there, and that array. `spreads`: of fewer axes, as those of ufuncs may
    be."""
    old, type_ = frame.b.wrap(frame.atom(out)), frame.b.atom(made).type
    if type_.rank > old.ndim or (type_.rank < old.ndim and not spreads):
        raise ValueError(f"the result, {type_}, does not fit out, {old.type}")
    if not spreads:
        for n, wanted in zip(type_.shape, old.type.shape, strict=True):
            require_equal(frame.b, n, wanted, f"output array does not match result of {name}.")
    if not type_.weak and not np.can_cast(type_.dtype, old.dtype, "same_kind"):
        raise TypeError(f"cannot cast from {type_.dtype} to {old.type.dtype}, that of out, by 'same_kind'")
    frame.write(out, write(frame.b, old, Ellipsis, made).atom)
    return out
