"""An address as text: offset by offset where a memory's layout has its elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from autobatch.kernel.ir import Address, Either, First, Layout, Memory, Value
from codegen.emit.spelling import BINARY, UNARY, Text, enclose
from codegen.ir import Type

Spell = Callable[[Value], Text]


def address_text(address: Address, text: Spell) -> str:
    """The text of an element."""
    memory, places = address.memory, address.places
    if memory.layout in (Layout.PLACES, Layout.BY_ROW):
        listed = [text(place)[0] for place in places]
        if memory.layout is Layout.BY_ROW:
            listed[0] = memory.row
        return f"{memory.name}[{', '.join(listed)}]"
    return element_text(memory, linear_index(memory.type, [text(place) for place in places]))


def linear_index(type_: Type, places: Sequence[Text]) -> str:
    """The number in order of the element at these places."""
    if not places:
        return "0"
    if len(places) == 1:
        return enclose(places[0], BINARY["+"])
    terms = []
    for axis, text in enumerate(places):
        stride = prod(n for n in type_.shape[axis + 1 :] if isinstance(n, int))
        terms.append(enclose(text, BINARY["+"]) if stride == 1 else f"{stride} * {enclose(text, UNARY)}")
    return " + ".join(terms)


def element_text(memory: Memory, index: str) -> str:
    """The text of element `index`, by its number in order."""
    name, first = memory.name, beginning(memory.first)
    match memory.layout:
        case Layout.ARENA | Layout.SHARED:
            return f"{name}[{first} + {index}]"
        case Layout.ROWS:
            start = f"{first} + " if first else ""
            return f"{name}[{start}{'' if index == '0' else f'{row_offset(index)} + '}lane]"
        case Layout.COLD:
            return f"{name}[W * lane + {first} + {index}]"
        case Layout.OWN:
            return f"{name}[{memory.row}, {index}]"
        case Layout.FRAME:
            return f"{name}[lane, {frame_place(memory)} + {index}]"
        case Layout.PLACES:
            return f"{name}[{index}]" if memory.type.rank == 1 else f"{name}.flat[{index}]"
        case Layout.BY_ROW:
            return f"{name}[{memory.row}]"
        case Layout.KEPT:
            return f"{name}[lane - first, {first}]"
        case Layout.LANES:
            return f"{name}[{first if index == '0' else f'{first} + {index}'}, {memory.row}]"
        case Layout.STREAM:
            return f"{name}[{stream_place(memory)} + {index}]"


def row_offset(index: str) -> str:
    """How far apart the rows of elements 0 and `index` are."""
    if index == "1":
        return "LS"
    return f"{index} * LS" if index.isidentifier() or index.isdigit() else f"({index}) * LS"


def beginning(first: First) -> str:
    if isinstance(first, Either):
        return f"({first.then} if {first.test.name} else {first.orelse})"
    return str(first)


def frame_place(memory: Memory) -> str:
    return memory.top if memory.first == 0 else f"{memory.top} + {memory.first}"


def stream_place(memory: Memory) -> str:
    return f"{memory.first} + 16 * lane"
