"""A field that the program assigns to stands in its object as the name of a variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class AssignedField:
    """What an object has for a field that is assigned to: the variable of this name holds its value. Objects that have
    one of these in common are one object. `of`: their class."""

    name: str
    of: Any = None


def field_name(number: int, label: str) -> str:
    """A name for a variable that no other has, and no user's text."""
    return f"%{number}%{label}"


def is_field_name(name: str) -> bool:
    return name[:1] == "%" and name[1:2].isdigit()


def shown_name(name: str) -> str:
    """What a hidden name is called in emitted text."""
    return name.rpartition("%")[2]


def called(name: str) -> str:
    """What is said of a list: its name, where the user has given it one."""
    return "the list" if name.rstrip("0123456789") == "listed" else repr(shown_name(name))
