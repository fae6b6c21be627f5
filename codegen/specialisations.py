"""What is compiled for a kind of calls, and how it is found for a call that is given numbers, arrays, tuples of such
and constants: by their classes, by which sizes are 0, 1 or few, and by what constants are.

    kind_of((2.0, x))      ->  (float, np.ndarray, "d", 1, "n"), (2.0, x)     x of float64 and eight elements or more

The first such call goes the long way, which describes each argument; all others do not.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from codegen.arguments.lists import FEW_NUMBERS
from codegen.arguments.writes import Writes
from codegen.emit.whole_arrays import WholeArrays
from codegen.gpu_arrays import is_of_cupy
from codegen.infer.dependencies import Around
from codegen.infer.trace import Traced
from codegen.infer.values import Static, is_named_tuple, keys_of, leaves
from codegen.ir import Program, Type, Var
from codegen.ir.broadcasting import EMPTY, FEW, MANY
from codegen.source import Span

COMPLEX_NUMBERS = frozenset((complex, np.complex128, np.complex64))
NUMBERS = frozenset(
    (bool, float, np.bool_, np.float64, np.float32)
    + (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
)
PLAIN = NUMBERS | {np.random.Generator}


@dataclass(frozen=True, eq=False)
class Compiled:
    """One specialisation: its program, its text, and the function that runs over flat arguments."""

    traced: Traced
    program: Program
    text: str
    run: Callable[..., Any]
    writes: Writes | None
    file: str  # of the text
    places: Mapping[int | str, Span]  # what the user wrote for its lines and expressions
    dtypes: tuple[Callable[[Any], Any] | None, ...] | None  # what makes each result the number it is to be
    whole: WholeArrays  # which complex arrays the program has as they are

    @cached_property
    def draws(self) -> bool:
        """Whether it is given streams, whose places a call changes."""
        return any(p.type.dtype == "rng" for p in self.traced.program.entry.params)

    def settled(self, made: Any) -> Sequence[Any]:
        """What the function has given, as a sequence, numbers in their dtypes."""
        listed = made if isinstance(made, tuple) else () if made is None else (made,)
        if self.dtypes is None:
            return listed
        return [value if to is None else to(value) for value, to in zip(listed, self.dtypes)]


class ShortCalls:
    """What was made for calls of a kind, as long as what is around its function is as it was."""

    def __init__(self) -> None:
        self.made: dict[Hashable, tuple[Around, Compiled]] = {}

    def of(self, kind: Hashable) -> Compiled | None:
        pair = self.made.get(kind)
        return pair[1] if pair is not None and pair[0].holds() else None

    def note(self, kind: Hashable, entries: Iterable[Any], around: Around, made: Compiled) -> None:
        """Say what serves a call, unless that hangs on values of numbers, or on sizes beyond 1."""
        listed: list[Any] = [leaf for entry in entries for leaf in leaves(entry)]
        if all(
            type(leaf) is Static
            or type(leaf) is Type
            and all(isinstance(n, Var) or n == 1 for n in leaf.shape)
            for leaf in listed
        ):
            self.made[kind] = around, made


def kind_of(args: tuple[Any, ...], names: Iterable[str] = ()) -> tuple[Hashable, Sequence[Any]]:
    """What calls of one program have in common, None where that takes a closer look; and the leaves of the arguments,
    of which the last have these `names`."""
    found: list[Any] = [*names]
    flat: Sequence[Any] = args
    if not are_plain(args, found):
        found, flat = [*names], []
        if not are_nested(args, found, flat):
            return None, ()
    if np.random.Generator in found and streams_again(flat):
        return None, ()
    return tuple(found), flat


def streams_again(flat: Sequence[Any]) -> dict[int, int]:
    """The streams that are given again: place -> first place."""
    first: dict[int, int] = {}
    streams = [k for k, leaf in enumerate(flat) if isinstance(leaf, np.random.Generator)]
    return {k: at for k in streams if (at := first.setdefault(id(flat[k]), k)) != k}


def are_plain(args: tuple[Any, ...], found: list[Any]) -> bool:
    """Whether all are numbers, arrays and streams, whose kinds are appended to `found`."""
    for value in args:
        cls = type(value)
        if cls in PLAIN or cls is int and -(2**63) <= value < 2**63:
            found.append(cls)
            continue
        if cls is not np.ndarray and not is_of_cupy(value):
            return False
        dtype, shape = value.dtype, value.shape
        if not shape or not dtype.isnative or dtype.kind == "c":
            return False
        found += (cls, dtype.char, len(shape))
        for n in shape:
            found.append("n" if n >= MANY else n if n == 1 else FEW if n else EMPTY)
    return True


def are_nested(args: Iterable[Any], found: list[Any], flat: list[Any]) -> bool:
    """Whether all are such or complex, tuples and named tuples of such, lists of arrays or of few numbers, or
    constants: texts and None by their value, functions by identity (who has a program for one keeps it). Numbers and
    arrays are appended to `flat`, complex ones as two parts."""
    for value in args:
        cls = type(value)
        if value is None or cls is str:
            found += (cls, value)
        elif cls is list and {*map(type, value)} == {float}:
            if len(value) > FEW_NUMBERS:
                return False
            found += (cls, len(value), float)
            flat += value
        elif cls is tuple or is_named_tuple(cls) or cls is list and is_taken_apart(value):
            found += (cls, len(value))
            if not are_nested(value, found, flat):
                return False
        elif are_plain((value,), found):
            flat.append(value)
        elif cls in COMPLEX_NUMBERS:
            found.append(cls)
            flat += (value.real, value.imag)
        elif is_complex_array(value):
            found += ("complex", value.dtype.char)
            parts = value.real, value.imag
            are_plain(parts[:1], found)
            flat += parts
        elif callable(value) and keys_of(cls) is None and not isinstance(value, dict | list | tuple):
            found += (cls, id(value))
        else:
            return False
    return True


def is_taken_apart(value: list[Any]) -> bool:
    """Whether a list is of arrays, or of few numbers."""
    kinds = {*map(type, value)}
    return kinds == {np.ndarray} or len(value) <= FEW_NUMBERS and kinds <= {float, int, bool, np.ndarray}


def is_complex_array(value: Any) -> bool:
    """Whether a value is an array of complex numbers in the machine's order of bytes, with axes."""
    return (
        type(value) is np.ndarray and value.dtype.char in "FD" and value.dtype.isnative and bool(value.shape)
    )
