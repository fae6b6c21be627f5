"""What a program took from around its function, and whether that is still so: numbers of the module and of closures,
functions it calls, attributes, defaults.

    K = 2.0
    def f(x): return x * K              the program of f is x * 2.0 as long as K is 2.0

`taking()` notes what is taken while a program is traced; `Programs` keeps what was made for each state of it. Looking
costs a comparison of identities for each name. Contents of arrays are no part of a program: it reads them at each call.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

import numpy as np

from codegen.backend.collector import rare_collections
from codegen.deep_stack import roomy

T = TypeVar("T")

STATES = 8  # of what is around a function, whose programs are kept
GONE = object()
NUMBERS = (bool, int, float, complex, str)
LIBRARIES = ("numpy", "scipy", "math", "builtins", "functools", "operator")


class Around:
    """What was taken: names of a module or of a function's closure, attributes, defaults, items of lists and dicts."""

    def __init__(self) -> None:
        self.names: list[tuple[Mapping[str, Any], str, Any]] = []
        self.others: list[tuple[Callable[[], Any], Any]] = []

    def holds(self) -> bool:
        """Whether all of it is as it was."""
        for names, name, then in self.names:
            now = names.get(name, GONE)
            if now is not then and not same_object(now, then):
                return False
        for look, then in self.others:
            now = look()
            if now is not then and not same_object(now, then):
                return False
        return True


TAKING: ContextVar[Around | None] = ContextVar("taking", default=None)


@contextmanager
def taking() -> Iterator[Around]:
    """What is taken inside."""
    around = Around()
    token = TAKING.set(around)
    try:
        yield around
    finally:
        TAKING.reset(token)


def note_name(names: Mapping[str, Any], name: str, found: Any) -> None:
    around = TAKING.get()
    if around is not None and not belongs_to_library(found):
        around.names.append((names, name, found))


def note_cell(cell: types.CellType, found: Any) -> None:
    def look() -> Any:
        try:
            return cell.cell_contents
        except ValueError:
            return GONE

    note_taken(look, found)


def note_attribute(owner: Any, name: str, found: Any) -> None:
    if not belongs_to_library(owner):
        note_taken(lambda: getattr(owner, name, GONE), found)


def note_defaults(f: Any) -> None:
    if f.__defaults__ or f.__kwdefaults__:
        note_taken(lambda: f.__defaults__, f.__defaults__)
        note_taken(lambda: tuple((f.__kwdefaults__ or {}).items()), tuple((f.__kwdefaults__ or {}).items()))


def note_items(container: Any) -> None:
    """The items of a list or dict, of which a copy is kept."""
    if isinstance(container, list):
        note_taken(lambda: tuple(container), tuple(container))
    elif isinstance(container, dict):
        note_taken(lambda: tuple(container.items()), tuple(container.items()))


def note_taken(look: Callable[[], Any], found: Any) -> None:
    around = TAKING.get()
    if around is not None and not belongs_to_library(found):
        around.others.append((look, found))


def belongs_to_library(found: Any) -> bool:
    """What nobody rebinds: the libraries and what is theirs."""
    if isinstance(found, types.ModuleType):
        name = found.__name__
    elif isinstance(found, type | types.FunctionType | types.BuiltinFunctionType | np.ufunc):
        name = found.__module__ if isinstance(getattr(found, "__module__", None), str) else "numpy"
    else:
        return False
    return name.split(".")[0] in LIBRARIES


def package_of(obj: Any) -> str:
    """The package that an object is, or is defined in: "numpy" of np, np.linalg.norm."""
    return str(getattr(obj, "__module__", None) or getattr(obj, "__name__", "")).split(".")[0]


def same_object(now: Any, then: Any) -> bool:
    """Whether two objects mean the same in a program: one object, equal numbers, tuples of the same."""
    if now is then:
        return True
    if type(now) is not type(then):
        return False
    if isinstance(then, NUMBERS):
        return repr(now) == repr(then)
    if type(then) is tuple:
        return len(now) == len(then) and all(map(same_object, now, then))
    if isinstance(then, types.MethodType):
        return now.__func__ is then.__func__ and now.__self__ is then.__self__
    return False


class Programs(Generic[T]):
    """What was made for a key, for each of the last states of what is around its function."""

    def __init__(self) -> None:
        self.made: dict[Hashable, list[tuple[Around, T]]] = {}

    def __len__(self) -> int:
        return len(self.values())

    def values(self) -> list[T]:
        """All that is kept."""
        return [made for listed in self.made.values() for _, made in listed]

    def around(self, of: T) -> Around:
        """What something that is kept hangs on."""
        return next(around for listed in self.made.values() for around, made in listed if made is of)

    def of(self, wanted: Hashable, make: Callable[[], T]) -> tuple[Around, T]:
        listed = self.made.setdefault(wanted, [])
        for k, pair in enumerate(listed):
            if pair[0].holds():
                if k:
                    listed.insert(0, listed.pop(k))
                return pair
        with taking() as around, rare_collections():
            pair = around, roomy(make)
        listed.insert(0, pair)
        del listed[STATES:]
        return pair
