"""What a batched function is given inside another: lists of numbers as arrays, as many lanes in each argument.

batch(g)([a, b], x)      ->      batch(g)(np.array([a, b]), x), where x has two rows, or a ValueError
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autobatch.arguments import per_item
from autobatch.streams import Streams
from codegen.infer.control.truth import both
from codegen.infer.frame import Frame
from codegen.infer.operators import array_value
from codegen.infer.texts.words import in_words
from codegen.infer.values import Nest, Ref, Static, Value, View
from codegen.ir import Lit, Var
from codegen.ir.exceptions import Said, Slot, Thrown, told_value
from codegen.source import Span, refuse

Counts = list[tuple[Any, str]]  # the number of lanes of each leaf that has them, and of which argument it is

UNLIKE = "the arguments differ in their number of lanes"

STREAMS_INSIDE = (
    "{} is of streams: inside another function a batch takes none; draw arrays there and batch over them, or batch "
    "what is to be transformed (batch(grad(f)))"
)


def lane_rows(
    frame: Frame, values: Sequence[Value], axes: Sequence[Any], names: Sequence[str], span: Span
) -> list[Value]:
    """The arguments as they are batched; what differs in its number of lanes raises."""
    counts: Counts = []
    made = [lane_arrays(frame, v, a, n, counts, span) for v, a, n in zip(values, axes, names, strict=True)]
    if not counts:
        raise refuse(span, "batch needs at least one argument with a lane axis (in_axes=0)")
    known = {n for n, _ in counts if isinstance(n, int)}
    if len(known) > 1:
        listed = ", ".join(f"{n} in {name}" for n, name in counts if isinstance(n, int))
        raise refuse(span, f"{UNLIKE}: {listed}")
    if len({n for n, _ in counts}) > 1:
        require_same_lanes(frame, counts, span)
    return made


def require_same_lanes(frame: Frame, counts: Counts, span: Span) -> None:
    """Raise, when it runs, unless they are as many."""
    b = frame.b
    first, *others = sizes = [b.size(n) for n, _ in counts]
    same: Any = True
    for size in others:
        same = both(frame, "and", same, b.apply("eq", first, size))
    with b.at(span):
        b.require(same, unlike([name for _, name in counts]), None, *sizes)


def unlike(names: Sequence[str]) -> Thrown:
    """`batch`'s ValueError for numbers of lanes that differ."""
    pieces: list[str | Slot] = [f'f"{UNLIKE}: ']
    for k, name in enumerate(names):
        pieces += [told_value(k), f" in {name}{', ' if k < len(names) - 1 else ''}"]
    return Thrown(ValueError, (Said((*pieces, '"'), UNLIKE),))


def lane_arrays(frame: Frame, value: Value, axis: Any, name: str, counts: Counts, span: Span) -> Value:
    """An argument, or a part of one; notes how many lanes it has."""
    if isinstance(value, Nest) and value.cls is Streams:
        raise refuse(span, STREAMS_INSIDE.format(name))
    if isinstance(value, Nest) and not (axis is not None and is_number_nest(value)):
        inner = per_item(axis, value.items, value.keys, name)
        items = zip(value.items, inner, strict=True)
        return value.with_items(tuple(lane_arrays(frame, v, a, name, counts, span) for v, a in items))
    if axis is None or not isinstance(value, Nest | Var | Lit | Ref | View):
        return value
    array = array_value(frame, value, span)
    type_ = frame.atom(array, span).type
    if type_.dtype == "rng" or not type_.rank:
        said = in_words(array, frame.st.store)
        raise refuse(span, f"{name} has no lane axis: it is {said}; use in_axes=None to share it")
    if axis != 0:
        raise refuse(
            span, f"inside a transformation in_axes is 0 or None: move the lane axis of {name} to the front"
        )
    counts.append((type_.shape[0], name))
    return array


def is_number_nest(value: Nest) -> bool:
    """Whether a list is an array of numbers: so it is where it is batched outside (arguments.py)."""
    return value.cls is list and all(is_number_value(item) for item in value.items)


def is_number_value(item: Value) -> bool:
    if isinstance(item, Static):
        return isinstance(item.value, bool | int | float)
    return isinstance(item, Lit) or isinstance(item, Var) and not item.type.rank
