"""What the global names of a file stand for, as Python objects, while nothing of the file is executed.

    names = FileNames(read_module("model.py"))
    names("np")          the module numpy: libraries that numerical functions call are imported, and no others
    names("SCALE")       -2.0, from `SCALE = -2.0`; also from `SCALE = -math.sqrt(4.0)`
    names("TABLE")       an array, from `TABLE = np.array([1.0, 2.0])`
    names("State")       a named tuple class with the same fields as the file's
    names("f")           a ReadFunction

Everything else raises Unread, which says why, and what to write instead.
"""

from __future__ import annotations

import builtins
import operator
from collections import Counter, namedtuple
from types import ModuleType
from typing import Any

import libcst as cst
import numpy as np

from codegen.infer.unloaded import ReadFunction, Unread, imported
from codegen.primitives.row import FUNCTIONS
from codegen.read import tree
from codegen.read.bindings import (
    STAR,
    Binding,
    Defined,
    Imported,
    LiteralValue,
    RecordType,
    Unknown,
    bound_names,
)
from codegen.read.module import ModuleText
from codegen.source import refuse

SAME_MEANING = {"numba.njit", "numba.jit", "codegen.jit", "functools.cache", "functools.lru_cache"}
"""Decorators that change how a function runs and not what it computes."""

LARGEST_POWER = 64
OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "@": operator.matmul, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


class FileNames:
    """The lookup of a file's global names. `arrays`: id -> the name of a constant array."""

    def __init__(self, module: ModuleText):
        self.module = module
        self.objects: dict[str, Any] = {}
        self.arrays: dict[int, str] = {}
        self.open: set[str] = set()
        self.counts = Counter(name for line in module.module.body for name, _ in bound_names(line))

    def __call__(self, name: str) -> Any:
        """The object; KeyError where there is no such name, Unread where it cannot be told, SourceError for
        a function that cannot be transformed."""
        if name not in self.objects:
            self.objects[name] = self.found(name, self.module.lookup(name))
        return self.objects[name]

    def found(self, name: str, binding: Binding | None) -> Any:
        match binding:
            case None:
                return vars(builtins)[name]
            case Defined():
                return self.function(name, binding)
            case Imported(_, path):
                return imported(name, path)
            case LiteralValue(_, value):
                return value
            case RecordType(_, _, fields, defaults):
                return namedtuple(name, fields, defaults=list(defaults.values()))
            case Unknown(_, expression) if expression is not None and self.counts[name] == 1:
                return self.constant(name, expression)
            case Unknown() if self.counts[name] == 1 and (exception := self.exception(name)) is not None:
                return exception
        if name not in self.module.bindings and STAR in self.module.bindings:
            raise Unread(
                f"{name!r} may come from a `from ... import *`, which is not read: import it by its name"
            )
        raise unknown_value(repr(name))

    def exception(self, name: str) -> type[BaseException] | None:
        """A class of the file that is an exception: what matters of it is its name."""
        for node in self.module.module.body:
            if isinstance(node, cst.ClassDef) and node.name.value == name and len(node.bases) == 1:
                base = node.bases[0].value
                found = self(base.value) if isinstance(base, cst.Name) else None
                if isinstance(found, type) and issubclass(found, BaseException):
                    return type(name, (found,), {})
        return None

    # functions

    def function(self, name: str, binding: Defined) -> ReadFunction:
        for decorator in binding.decorators:
            if decorator not in SAME_MEANING:
                raise refuse(
                    binding.span,
                    f"the decorator `{decorator}` of {name!r} may change what it computes, and it is not "
                    f"run: transform a function without it, and give what it makes of that another name",
                )
        define = self.module.define(name)
        return ReadFunction(name, define, self, self.defaults(define))

    def defaults(self, define: tree.Define) -> dict[str, Any]:
        """Defaults that can be told; an Unread for the others."""
        found: dict[str, Any] = {}
        for parameter in define.parameters:
            if parameter.default is not None:
                unread = unknown_value(f"the default of {parameter.name!r}")
                try:
                    value = self.evaluate(parameter.default)
                except Unread:
                    value = unread
                found[parameter.name] = unread if isinstance(value, np.ndarray) else value
        return found

    # constants

    def constant(self, name: str, node: tree.Expression) -> Any:
        """The value of `name = node`: arithmetic and library functions over literals and constants above."""
        if name in self.open:
            raise unknown_value(repr(name))
        self.open.add(name)
        try:
            value = self.evaluate(node)
        except Unread as error:
            raise unknown_value(repr(name)) from error
        finally:
            self.open.discard(name)
        if isinstance(value, np.ndarray):
            self.arrays[id(value)] = name
        return value

    def evaluate(self, node: tree.Expression) -> Any:
        """A constant expression's value; Unread for anything that is not one."""
        try:
            return self.value(node)
        except Unread:
            raise
        except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise Unread(f"it cannot be told without running the file ({error})") from error

    def value(self, node: tree.Expression) -> Any:
        match node:
            case tree.Constant(_, value):
                return value
            case tree.Name(_, name):
                return self.above(name)
            case tree.Tuple(_, items, is_list):
                values = [self.value(item) for item in items]
                return values if is_list else tuple(values)
            case tree.Unary(_, sign, operand) if sign in "-+":
                value = self.value(operand)
                return -value if sign == "-" else +value
            case tree.Binary(_, sign, left, right):
                return arithmetic(sign, self.value(left), self.value(right))
            case tree.Attribute(_, owner, name):
                value = self.value(owner)
                if not isinstance(value, ModuleType | tuple):
                    raise Unread(f"the attribute {name!r} cannot be told")
                return getattr(value, name)
            case tree.Subscript(_, owner, index):
                return self.value(owner)[self.value(index)]
            case tree.Slice(_, start, stop, step):
                return slice(*(None if bound is None else self.value(bound) for bound in (start, stop, step)))
            case tree.CallExpr(_, function, arguments, keywords) if all(key for key, _ in keywords):
                given = [self.value(argument) for argument in arguments]
                named = {str(key): self.value(v) for key, v in keywords}
                return permitted(self.value(function))(*given, **named)
        raise Unread("it is no constant expression")

    def above(self, name: str) -> Any:
        """A name in a constant's expression: it must have one meaning in the whole file."""
        if self.counts[name] > 1:
            raise Unread(f"{name!r} is given several values")
        value = self(name)
        if isinstance(value, ReadFunction):
            raise Unread(f"{name!r} is a function of the file")
        return value


def unknown_value(what: str) -> Unread:
    return Unread(
        f"what {what} is cannot be told without running the file: "
        f"write it as a number, a tuple or an array of numbers, or pass it as an argument"
    )


def arithmetic(sign: str, left: Any, right: Any) -> Any:
    """An operator on constants; powers of ints stay small."""
    whole = isinstance(left, int) and isinstance(right, int)
    if sign in ("**", "<<") and whole and not 0 <= right <= LARGEST_POWER:
        raise Unread("the power of ints is too large")
    return OPERATORS[sign](left, right)


def permitted(function: Any) -> Any:
    """A function that a constant's expression may call: one that has a row, a number type, a record."""
    known = isinstance(function, type) and (
        issubclass(function, bool | int | float | np.generic) or hasattr(function, "_fields")
    )
    if not known and function not in FUNCTIONS:
        raise Unread(f"{getattr(function, '__name__', function)!r} is not called while reading")
    return function
