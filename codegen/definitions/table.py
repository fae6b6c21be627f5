"""The table of definitions, by the dotted name of what each stands for."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from codegen.ir.build import Builder
from codegen.primitives.row import lowers

Definition = Callable[..., Any]
DEFINITIONS: dict[str, Definition | Composed] = {}
NAMED: dict[str, list[str]] = {}  # the dotted names by their last part


def stands_for(name: str) -> Callable[[Definition], Definition]:
    """Decorate the definition of a library's function. Its parameters are those of the library's that it takes."""

    def of_name(definition: Definition) -> Definition:
        enter(name, definition)
        return definition

    return of_name


def enter(name: str, definition: Definition | Composed) -> None:
    DEFINITIONS[name] = definition
    NAMED.setdefault(name.rpartition(".")[2], []).append(name)


class Composed:
    """The definition of a function that is another one's result, put into a function of one argument."""

    def __init__(self, outer: Definition, inner: Any) -> None:
        self.outer, self.inner = outer, inner
        self.__signature__ = inspect.signature(inner)
        self.__module__, self.__name__ = outer.__module__, outer.__name__

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.outer(self.inner(*arguments, **keywords))


def refused(message: str) -> None:
    """What a definition says of arguments that the library takes and we do not: a SourceError at the user's call."""
    raise TypeError(message)


@lowers(refused)
def refuse(b: Builder, message: str) -> None:
    """Said where the definition is read."""
    refused(message)


def standing_for(obj: Any) -> tuple[str, Definition | Composed] | None:
    """The dotted name of a function and its definition, where it has one."""
    for name in NAMED.get(getattr(obj, "__name__", ""), ()):
        if loaded_object(name) == obj:
            return name, DEFINITIONS[name]
    return None


def loaded_object(name: str) -> Any:
    """The object of a dotted name, None where its module has not been imported (which looking it up would do)."""
    first, *rest = name.split(".")
    found: Any = sys.modules.get(first)
    for part in rest:
        found = vars(found).get(part) if isinstance(found, ModuleType) else getattr(found, part, None)
    return found
