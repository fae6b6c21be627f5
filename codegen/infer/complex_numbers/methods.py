"""Methods of complex arrays and numbers."""

from __future__ import annotations

from typing import Any

from codegen.infer.calls.binding import Arguments, Keywords
from codegen.infer.complex_numbers.parts import (
    PARTS,
    as_complex,
    is_complex,
    is_complex_dtype,
    is_weak,
    of_weakness,
    pair,
    part_dtype,
    part_name,
)
from codegen.infer.frame import Frame
from codegen.infer.memory.subscripts import set_item
from codegen.infer.values import Method, Static, Value


def asks_for_complex(method: Method, arguments: Arguments, keywords: Keywords) -> bool:
    """`x.astype(complex)` of an array of real numbers."""
    return method.name == "astype" and any(map(is_complex_dtype, (*arguments[:1], keywords.get("dtype"))))


def method_of_complex(
    frame: Frame,
    method: Method,
    function: Any,
    arguments: Arguments,
    keywords: Keywords,
    name: str,
    *,
    own: bool,
) -> Value:
    """A method of a complex array or number: the `function` that does the same, or part by part, where it is arrays'
    `own`."""
    owner = method.owner
    if function is not None:
        made = frame.inference.call(frame, Static(function), (owner, *arguments), keywords, name)
        return of_weakness(frame, made, True, name) if is_weak(frame, owner) else made
    if method.name == "astype":
        return astype_complex(frame, owner, arguments, keywords, name)
    assert is_complex(owner)
    if method.name == "fill":
        set_item(frame, owner, Ellipsis, arguments[0], frame.span)
        return Static(None)
    if not own:
        raise frame.refusal(f"{frame.describe(owner)} has no method {method.name!r} that is supported")
    parts = (
        frame.inference.call(frame, Method(part, method.name), arguments, keywords, part_name(name, key))
        for part, key in zip(owner.items, PARTS, strict=True)
    )
    return pair(*parts)


def astype_complex(frame: Frame, owner: Value, arguments: Arguments, keywords: Keywords, name: str) -> Value:
    """`z.astype(dtype)`, of real numbers where the dtype is complex."""
    dtype, *rest = arguments if arguments else (keywords["dtype"],)
    if not isinstance(dtype, Static) or not is_complex_dtype(dtype):
        raise frame.refusal("a complex array in a dtype of real numbers loses its imaginary part: take .real")
    named = {k: v for k, v in keywords.items() if k != "dtype"}
    given = (Static(part_dtype(dtype.value)), *rest)
    z = as_complex(frame, owner)
    parts = (
        frame.inference.call(frame, Method(part, "astype"), given, named, part_name(name, key))
        for part, key in zip(z.items, PARTS, strict=True)
    )
    return pair(*parts)
