"""Ints in arrays of dicts and sets whose keys are numbers, at places that are there."""

from __future__ import annotations

from typing import Any

from codegen.infer.frame import Frame
from codegen.infer.memory import buffers
from codegen.infer.tables.values import HeldList
from codegen.infer.values import Value


def int_at(frame: Frame, array: Value, place: Any, name: str) -> Value:
    """The element of an array at a place that it has, a number of Python's."""
    made = buffers.row_at(frame.b, frame.atom(array), place, name)
    return frame.take(frame.named(made, name, weak=True), name)


def list_number(frame: Frame, held: HeldList, which: int, name: str) -> Value:
    """One of a list's start, length and room."""
    return int_at(frame, held.places.rows.items[which], frame.give(held.handle), name)
