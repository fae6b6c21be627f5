"""The table of definitions, by the dotted name of what each stands for."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from enum import Enum
from types import ModuleType
from typing import Any

import numpy as np

from codegen.ir.build import Builder
from codegen.primitives.row import lowers


class Origin(Enum):
    """What a function of complex numbers is of, by the first part of its dotted name."""

    NUMPY = "numpy"  # arguments are those of its signature
    SCIPY = "scipy"  # the same
    CMATH = "cmath"  # of Python's numbers, real ones too, it gives Python's
    BUILTINS = "builtins"  # of Python's numbers they give Python's
    OPERATOR = "operator"

    @property
    def is_library(self) -> bool:
        """Whether functions have signatures, and give NumPy's numbers."""
        return self in (Origin.NUMPY, Origin.SCIPY)


GENERATOR = "numpy.random.Generator"

Definition = Callable[..., Any]
DEFINITIONS: dict[str, Definition | Composed] = {}
NAMED: dict[str, list[str]] = {}  # the dotted names by their last part
COMPLEX: dict[str, Definition] = {}  # for complex arguments
NAMED_COMPLEX: dict[str, list[str]] = {}
ALWAYS: set[str] = set()  # those of them that are for real arguments too
OF_COMPLEX: set[Definition | Composed] = set()  # those definitions
GENERIC: set[Definition | Composed] = set()  # definitions that are for real and complex arguments alike


SHOWING: set[Definition | Composed] = set()  # whose results show what is written into the first argument
OWN_FUNCTIONS: set[Definition] = set()  # that are functions of the program, too, and stand in no call's place
WITHIN_LISTS: set[Definition] = set()  # that index lists at places that are there, which nothing asks


def own_function(definition: Definition) -> Definition:
    """Decorate a definition that is a function of the program."""
    OWN_FUNCTIONS.add(definition)
    return definition


def within_lists(definition: Definition) -> Definition:
    """Decorate a definition that indexes lists at places that are there, from the front."""
    WITHIN_LISTS.add(definition)
    return definition


def stands_for(
    name: str, *, generic: bool = False, views: bool = False
) -> Callable[[Definition], Definition]:
    """Decorate the definition of a library's function. Its parameters are those of the library's that it takes.

    `generic`: its text is right for complex arguments as it stands. `views`: the library's result is a view of its
    first argument, and the definition's is not.
    """

    def of_name(definition: Definition) -> Definition:
        enter(name, definition)
        if generic:
            GENERIC.add(definition)
        if views:
            SHOWING.add(definition)
        return definition

    return of_name


def of_complex(*names: str, always: bool = False) -> Callable[[Definition], Definition]:
    """Decorate the definition of library's functions for complex arguments; `always`: for real ones too, as those of
    `cmath`."""

    def of_names(definition: Definition) -> Definition:
        OF_COMPLEX.add(definition)
        for name in names:
            if always or origin(name) is Origin.CMATH:
                ALWAYS.add(name)
            COMPLEX[name] = definition
            NAMED_COMPLEX.setdefault(name.rpartition(".")[2], []).append(name)
        return definition

    return of_names


def origin(name: str) -> Origin:
    return Origin(name.partition(".")[0])


def enter(name: str, definition: Definition | Composed) -> None:
    DEFINITIONS[name] = definition
    NAMED.setdefault(name.rpartition(".")[2], []).append(name)


class Composed:
    """The definition of a function that is others' results, put into a function of as many arguments."""

    def __init__(self, outer: Definition, *inner: Any) -> None:
        self.outer, self.inner = outer, inner
        self.__signature__ = inspect.signature(inner[0])
        self.__module__, self.__name__ = outer.__module__, outer.__name__

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.outer(*(each(*arguments, **keywords) for each in self.inner))


def refused(message: str) -> None:
    """What a definition says of arguments that the library takes and we do not: a SourceError at the user's call."""
    raise TypeError(message)


@lowers(refused)
def refuse(b: Builder, message: str) -> None:
    """Said where the definition is read."""
    refused(message)


def is_known(number: Any) -> bool:
    """Whether a number is known while the program is made, for definitions."""
    return True


def standing_for(obj: Any, *, of_complex: bool = False) -> tuple[str, Definition | Composed] | None:
    """The dotted name of a function and its definition, where it has one: of complex arguments, where it has them."""
    for name in NAMED_COMPLEX.get(getattr(obj, "__name__", ""), ()):
        if (of_complex or name in ALWAYS) and loaded_object(name) == obj:
            return name, COMPLEX[name]
    for name in NAMED.get(getattr(obj, "__name__", ""), ()):
        if loaded_object(name) == obj:
            return name, DEFINITIONS[name]
    return None


def method_of_generator(name: str) -> Any:
    """A method of numpy.random.Generator that has a definition."""
    return getattr(np.random.Generator, name) if f"{GENERATOR}.{name}" in DEFINITIONS else None


def loaded_object(name: str) -> Any:
    """The object of a dotted name, None where its module has not been imported (which looking it up would do)."""
    first, *rest = name.split(".")
    found: Any = sys.modules.get(first)
    for part in rest:
        found = vars(found).get(part) if isinstance(found, ModuleType) else getattr(found, part, None)
    return found
