"""Values in the user's words, for messages."""

from __future__ import annotations

import builtins
import difflib
from collections.abc import Iterable

from codegen.infer.tables.values import HeldList, Lists, Table
from codegen.infer.texts.known_texts import Letters, Members, Texts, is_letters
from codegen.infer.values import (
    CHOICE,
    Cell,
    Closure,
    Enumerate,
    GrowingList,
    Nest,
    Optional,
    Partial,
    Ref,
    Reversed,
    Static,
    Unbound,
    Value,
    View,
    Wording,
    Yields,
)
from codegen.ir import Atom, Lit, Type, Var


def in_words(value: Value | None, store: dict[Cell, Atom]) -> str:
    """A value in the user's words."""
    match value:
        case Var() | Lit():
            return scalar_words(value.type)
        case Ref(cell):
            return f"an array {store[cell].type}" if store[cell].type.dtype != "rng" else "a random generator"
        case View():
            return f"an array {value.atom.type}"
        case Optional():
            return f"None or {in_words(value.value, store)}"
        case Nest(cls, (Var() | Lit(), _)) if cls is complex:
            return "a complex number"
        case Nest(cls, _) if cls is complex:
            return "a complex array"
        case Nest(Members() as chosen):
            return f"one of {chosen.enum.__name__}"
        case Nest(cls) if isinstance(cls, Texts) and not isinstance(cls, Letters):
            return "one of several texts"
        case Nest(cls) if cls is CHOICE:
            return "one of two functions"
        case HeldList():
            return "a list in a dict"
        case Lists():
            return "the lists of a dict"
        case Table() if value.is_list:
            return "a list of lists"
        case Table():
            return "a set" if value.is_set else "a dict whose keys are numbers"
        case Nest(cls, items):
            return f"a {cls.__name__} of {len(items)}"
        case GrowingList() if is_letters(value):
            return "a text"
        case Nest(Letters()):
            return "a letter"
        case GrowingList():
            return "a list of a length that is not known"
        case Wording():
            return "a text that is not known"
        case Static(None):
            return "None"
        case Static(obj):
            return f"{getattr(obj, '__name__', None) or repr(obj)}"
        case Closure() | Partial():
            return "a function"
        case Yields():
            return "a generator"
        case Reversed():
            return "an iterator"
        case Enumerate():
            return "an enumerate"
        case Unbound():
            return "no value"
        case _:
            return f"a {type(value).__name__.lower()}"


def scalar_words(type_: Type) -> str:
    words = {"f": "a float", "i": "an int", "u": "an unsigned int", "b": "a bool"}
    default = type_.dtype in ("f8", "i8", "b1")
    return words[type_.dtype[0]] if default else f"{words[type_.dtype[0]]} ({type_.dtype})"


IMPORTS = {
    "np": "import numpy as np",
    **{m: f"import {m}" for m in ("numpy", "scipy", "math", "cmath", "functools")},
}
IMPORTS |= {
    m: f"import {m}" for m in ("itertools", "operator", "heapq", "bisect", "collections", "dataclasses")
}


def meant(name: str, names: Iterable[str]) -> str:
    """Which of the names there are is most like one that is none."""
    near = difflib.get_close_matches(name, sorted(each for each in names if not each.startswith("_")), 1, 0.7)
    return f": did you mean {near[0]!r}?" if near else ""


def undefined(name: str, names: Iterable[str]) -> str:
    """What is said of a name that stands for nothing; `names`: those that stand for something."""
    said = f"name {name!r} is not defined"
    if name in IMPORTS:
        return f"{said}: write `{IMPORTS[name]}` at the top of the module"
    return said + meant(name, (*names, *dir(builtins)))
