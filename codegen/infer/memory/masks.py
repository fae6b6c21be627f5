"""Masks in subscripts: the places where each holds, in its stead.

    x[x > 0.0]       x[np.flatnonzero(x > 0.0)]
    a[rows, 1]       a[np.flatnonzero(rows), 1]       rows: b1[n]
    a[a > 0.0]       a.ravel()[np.flatnonzero((a > 0.0).ravel())]
    a[a > 0.0] = v   a.ravel()[np.flatnonzero((a > 0.0).ravel())] = v
    b[b > 0.0] = v   b[np.nonzero(b > 0.0)] = v       of an argument or a part, which it is written into

How many there are is known when the program runs. A number that is written under a mask needs no places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.infer.complex_numbers.parts import is_complex, pair
from codegen.infer.complex_numbers.places import real_value, written_parts
from codegen.infer.frame import Frame
from codegen.infer.memory.subscripts import check_writable, is_mask, set_item
from codegen.infer.memory.views import view_of
from codegen.infer.tables.values import NewTable, Table
from codegen.infer.texts.known_texts import is_letter
from codegen.infer.texts.letters import is_known_text, is_text_value
from codegen.infer.texts.text_operators import item_by_text
from codegen.infer.values import Nest, Ref, Value, View
from codegen.ir import Type
from codegen.ir.build import E, call
from codegen.ir.exceptions import Said, Thrown, told_value
from codegen.primitives.calls.subscripts import OfMask, unlike_mask
from codegen.primitives.index import mask_axes
from codegen.source import Span, refusing


def without_masks(frame: Frame, container: Value, index: Any, span: Span) -> Any:
    """A subscript of an array with places in place of masks."""
    if is_complex(container):
        return without_masks(frame, container.items[0], index, span)
    places = list(index) if isinstance(index, tuple) else [index]
    if not isinstance(container, Ref | View) or not any(map(is_mask, places)):
        return index
    x = frame.atom(container, span).type
    taken = [place.ndim if is_mask(place) else int(place is not None) for place in places]
    found: list[Any] = []
    axis = 0
    for place, axes in zip(places, taken, strict=True):
        if is_mask(place):
            require_size(frame, x, axis, place, span)
            found += mask_axes(frame.b, place)
        else:
            found.append(place)
        axis += x.rank - (sum(taken) - 1) if place is Ellipsis else axes
    return OfMask(found) if all(map(is_mask, places)) else tuple(found)


def chosen(frame: Frame, container: Value, index: Any, span: Span) -> tuple[Value, Any]:
    """What is read by a subscript, and at which places: elements of a whole array are counted through."""
    if is_letter(index) and isinstance(container, Table | NewTable):
        return container, index
    if is_text_value(index) and not is_known_text(index):
        return item_by_text(frame, container, index, span)
    if is_complex(container):
        (re, at), (im, _) = (chosen(frame, part, index, span) for part in container.items)
        return pair(re, im), at
    whole = isinstance(container, Ref | View) and is_mask(index)
    x = frame.b.wrap(frame.atom(container, span)) if whole else None
    if x is None or not index.ndim >= x.ndim > 1:
        return container, without_masks(frame, container, index, span)
    require_size(frame, x.type, 0, index, span)
    flat = call(frame.b, np.ravel, x)
    return frame.new(flat.atom, "elements"), OfMask(mask_axes(frame.b, call(frame.b, np.ravel, index)))


def require_size(frame: Frame, x: Type, axis: int, mask: E, span: Span) -> None:
    """A mask is as long as the axes that it is for; one without elements is for axes of any length, as in NumPy."""
    with refusing(span):
        if axis + mask.ndim > x.rank:
            raise ValueError(f"too many indices for array: array is {x.rank}-dimensional")
        for k, m in enumerate(mask.type.shape, start=axis):
            n, error = x.shape[k], unlike_mask(k)
            if isinstance(m, int) and m in (0, n):
                continue
            if isinstance(n, int) and isinstance(m, int):
                raise ValueError(f"{error.message}: {m} for {n}")
            if not frame.b.meets.same(n, m):
                wanted, size = frame.b.size(n), frame.b.size(m)
                fits = frame.b.apply("eq", size, wanted)
                if not isinstance(m, int):
                    fits = frame.b.apply("or", fits, frame.b.apply("eq", size, 0))
                frame.b.require(fits, error, None, wanted, size)


def write_chosen(frame: Frame, container: Ref | View | Nest, mask: E, value: Value, span: Span) -> None:
    """`x[mask] = v`: a number where the mask holds, or the elements of a vector in turn."""
    if is_complex(container):
        for part, each in zip(container.items, written_parts(frame, value, span), strict=True):
            write_chosen(frame, check_writable(frame, part, span), mask, each, span)
        return
    value = real_value(value, span)
    x, given = frame.atom(container, span).type, frame.give(value, span)
    axes = 1 if isinstance(value, Nest) else frame.b.atom(given).type.rank
    if not axes and mask.ndim == x.rank:
        set_item(frame, container, mask, value, span)
        return
    whole = axes and mask.ndim == x.rank
    if whole and x.rank > 1 and isinstance(container, Ref) and is_made_here(frame, container):
        require_size(frame, x, 0, mask, span)
        mask = call(frame.b, np.ravel, mask)
        container = view_of(frame.b, container, call(frame.b, np.ravel, frame.give(container, span)).atom)
    places = without_masks(frame, container, mask, span)
    if whole and isinstance(given, E):
        require_count(frame, given, places[0], span)
    set_item(frame, container, places, value, span)


def is_made_here(frame: Frame, array: Ref) -> bool:
    """Whether a function has made an array itself, or been given it for nobody else."""
    return array.cell not in frame.given and not array.cell.bases


def require_count(frame: Frame, values: E, places: E, span: Span) -> None:
    """As many values as the mask has places, or one."""
    (wanted,), begin = places.type.shape, "NumPy boolean array indexing assignment"
    with refusing(span):
        if values.ndim > 1:
            words = f"requires a 0 or 1-dimensional input, input has {values.ndim} dimensions"
            raise TypeError(f"{begin} {words}")
    n = values.type.shape[0]
    if n == 1 or frame.b.meets.same(n, wanted):
        return
    pieces = (f'f"{begin} cannot assign ', told_value(0), " input values to the ", told_value(1))
    error = Thrown(ValueError, (Said((*pieces, ' output values where the mask is true"'), begin),))
    b, size = frame.b, frame.b.size(n)
    fits = b.apply("eq", size, b.size(wanted))
    if not isinstance(n, int):
        fits = b.apply("or", fits, b.apply("eq", size, 1))
    b.require(fits, error, None, size, b.size(wanted))
