"""Places and attributes of complex arrays: part by part.

z[i] = w            z_re[i] = w_re;  z_im[i] = w_im
z.real[1:] = x      z_re[1:] = x
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codegen.infer.complex_numbers.parts import (
    PARTS,
    complex_dtype,
    holds_complex,
    is_complex,
    is_real,
    pair,
    part_name,
    transposed,
    zero_of,
)
from codegen.infer.frame import Frame
from codegen.infer.values import Method, Nest, Ref, Static, Value, View
from codegen.ir import Var
from codegen.source import Span, refuse

Get = Callable[[Frame, Value, Any, Span, str], Value]


def is_array(value: Value) -> bool:
    return is_complex(value) and isinstance(value.items[0], Ref | View)


def part_of_place(frame: Frame, container: Nest, index: Any, span: Span, name: str, get: Get) -> Value:
    """`z[index]`"""
    return pair(
        *(
            get(frame, each, index, span, part_name(name, part))
            for each, part in zip(container.items, PARTS, strict=True)
        )
    )


def written_parts(frame: Frame, value: Value, span: Span) -> tuple[Value, Value]:
    """What is written into the two parts of a complex array."""
    if is_complex(value):
        return value.items[0], value.items[1]
    if not is_real(value):
        raise refuse(span, f"{frame.describe(value)} is no complex number: use arrays")
    return value, zero_of(frame.atom(value, span).type)


def real_value(value: Value, span: Span) -> Value:
    """What is written into an array of real numbers."""
    if holds_complex(value):
        raise refuse(
            span,
            "a complex number does not fit an array of real ones: write .real, or make the array complex",
        )
    return value


def complex_attribute(frame: Frame, owner: Nest, name: str, span: Span) -> Value | None:
    """`z.real`, `z.T`, ...; None for what the real part has alike (`shape`), or has not."""
    re, im = owner.items
    match name:
        case "real":
            return re
        case "imag":
            return im
        case "dtype":
            return Static(complex_dtype(frame.atom(re).type.dtype))
        case "T":
            return transposed(frame, owner)
        case "shape" | "ndim" | "size":
            return None
    first = frame.atom(re, span)
    if isinstance(first, Var) and first.type.weak and not hasattr(complex, name):
        raise refuse(span, f"a complex number of Python's has no attribute {name!r}: np.asarray(...) has")
    return Method(owner, name)
