"""Attributes of values: fields of nests, shapes and methods of arrays, what modules and objects have."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from codegen.definitions import method_of_generator
from codegen.definitions.python_math import bit_count, bit_length, is_integer
from codegen.infer.calls.dispatch import call_value
from codegen.infer.calls.partials import is_distribution
from codegen.infer.calls.rows import CALLED_AS, FUNCTIONS_OF, OWN, viewed
from codegen.infer.complex_numbers.parts import is_complex
from codegen.infer.complex_numbers.places import complex_attribute
from codegen.infer.dependencies import note_attribute
from codegen.infer.frame import Frame
from codegen.infer.memory.growing_objects import IN_ORDER
from codegen.infer.objects.assigned import users_class
from codegen.infer.objects.fields import now
from codegen.infer.objects.making import AsParent
from codegen.infer.objects.placed import Placed
from codegen.infer.objects.rows import read_field
from codegen.infer.tables.forms import LISTS_OF_LISTS, wanting_lists
from codegen.infer.tables.methods import table_methods
from codegen.infer.tables.values import HeldList, NewTable, Table
from codegen.infer.texts.enum_members import of_member
from codegen.infer.texts.known_texts import is_chosen, members
from codegen.infer.texts.letters import has_letters
from codegen.infer.texts.text_methods import has_method
from codegen.infer.texts.words import meant
from codegen.infer.values import (
    GrowingList,
    Method,
    Nest,
    NewList,
    Partial,
    Ref,
    Static,
    Value,
    View,
    cell_of,
    is_named_tuple,
)
from codegen.ir import Lit, Var
from codegen.ir.build import call
from codegen.primitives.random import METHODS
from codegen.read import tree
from codegen.read.lists.owned_lists import IN_LENGTH
from codegen.source import Span, list_changed, refuse


def attribute(frame: Frame, owner: Value, name: str, span: Span) -> Value:
    """`owner.name`."""
    if is_chosen(owner) and members(owner) is not None:
        return of_member(frame, owner, name, span)
    if has_letters(owner) or is_chosen(owner):
        return method_of_text(frame, owner, name, span)
    match owner:
        case GrowingList() if name in LIST_METHODS or owner.fixed and name in (*IN_ORDER, *IN_LENGTH):
            return Method(owner, name)
        case GrowingList() if callable(getattr(list, name, None)):
            raise list_changed(span, f"{method_words(name)} is not supported here: {NOT_OWNED}")
        case HeldList() if name in (*LIST_METHODS, *IN_ORDER, *IN_LENGTH):
            return Method(owner, name)
        case Table() | NewTable() if name in table_methods(owner):
            return Method(owner, name)
        case Table() if owner.is_list:
            raise refuse(span, f"a list of lists that get longer has no {name!r} here: write a loop")
        case Nest():
            return nest_attribute(frame, owner, name, span)
        case Partial(Static(obj), (), parameters) if is_distribution(obj) and hasattr(obj, name):
            return Partial(Static(getattr(obj, name)), (), parameters)
        case Static(obj):
            if not hasattr(obj, name):
                words = f"{getattr(obj, '__name__', obj)!r} has no attribute {name!r}"
                raise refuse(span, words + meant(name, dir(obj)))
            found = getattr(obj, name)
            note_attribute(obj, name, found)
            return frame.constant(found, name, span)
        case Var() | Lit() | Ref() | View():
            return array_attribute(frame, owner, name, span)
    names = dir(list) if isinstance(owner, GrowingList) else ()
    raise refuse(span, f"{frame.describe(owner)} has no attribute {name!r}{meant(name, names)}")


def read_of(
    frame: Frame, node: tree.Expression, evaluate: Callable[[Frame, tree.Expression], Value]
) -> Value:
    """What an attribute is read of: a member of an IntEnum as such, which is a number elsewhere."""
    held = evaluate(frame, node)
    if isinstance(held, Lit) and isinstance(node, tree.Attribute) and is_dotted(node.value):
        around = evaluate(frame, node.value)
        found = getattr(around.value, node.name, None) if isinstance(around, Static) else None
        return Static(found) if isinstance(found, Enum) else held
    return held


def is_dotted(node: tree.Expression) -> bool:
    return isinstance(node, tree.Name) or isinstance(node, tree.Attribute) and is_dotted(node.value)


def method_of_text(frame: Frame, owner: Value, name: str, span: Span) -> Value:
    if not has_method(name):
        known = hasattr(str, name)
        why = (
            "is not supported where its letters are found out when it runs" if known else "is none of a text"
        )
        raise refuse(span, f"{name!r} {why}{'' if known else meant(name, dir(str))}")
    return Partial(Static(getattr(str, name)), (owner,), {})


MISSING: Any = object()
IN_PLACE = ("fill", "sort", "partition")  # methods that write into an array
OTHERS = (*IN_PLACE, "tolist")
PYTHONS = {"f": float, "i": int, "b": bool, "u": int}  # the types of Python's numbers
OF_INTS = {"bit_length": bit_length, "bit_count": bit_count}  # methods of Python's ints
OF_ARRAYS = ("shape", "ndim", "size", "nbytes", "itemsize", "flat", "dtype", "T", "real", "imag")
LIST_METHODS = ("copy", "count", "index")
METHODS_OF: dict[Any, tuple[str, ...]] = {
    dict: ("items", "keys", "values", "copy", "get"),
    list: LIST_METHODS,
    tuple: ("count", "index"),
}
NOT_OWNED = "lists are changed that one name alone has: make a new one, `xs = xs + [x]`"


DELETE = "__delitem__"  # what `del xs[i]` calls


def method_words(name: str) -> str:
    return "`del` of an item" if name == DELETE else f"list.{name}"


def nest_attribute(frame: Frame, owner: Nest, name: str, span: Span) -> Value:
    """A field, or a method or property of the class."""
    cls = owner.cls
    if is_complex(owner):
        if name in ("itemsize", "nbytes"):  # of two parts
            return frame.b.atom(frame.b.apply("mul", array_attribute(frame, owner.items[0], name, span), 2))
        made = complex_attribute(frame, owner, name, span)
        return array_attribute(frame, owner.items[0], name, span) if made is None else made
    if isinstance(owner, Placed) and (held := read_field(frame, owner, name)) is not None:
        return held
    found = owner.field(name) if cls is not dict else None
    if found is not None:
        return now(frame, found, name, span)
    if name in METHODS_OF.get(cls, ("_replace",) if is_named_tuple(cls) else ()):
        return Method(owner, name)
    if isinstance(owner, NewList) and name in IN_LENGTH:
        return Method(owner, name)
    if cls is list and callable(getattr(list, name, None)):
        raise list_changed(span, f"{method_words(name)} is not supported here: {NOT_OWNED}")
    has_class = owner.keys is not None and cls is not dict
    member = inspect.getattr_static(cls, name, MISSING) if has_class else MISSING
    if isinstance(member, types.FunctionType):
        return Partial(Static(member), (owner.own if isinstance(owner, AsParent) else owner,), {})
    if member is object.__init__:
        return Method(owner, name)
    if isinstance(member, staticmethod | classmethod | bool | int | float | np.ndarray | tuple):
        return frame.constant(getattr(cls, name), name, span)
    if isinstance(member, property) and member.fget is not None:
        return call_value(frame, Static(member.fget), (owner,), {}, name)
    if member is not MISSING and not hasattr(member, "__get__"):  # a constant of the class, or a class in it
        note_attribute(users_class(cls), name, member)
        return frame.constant(member, name, span)
    names = (*(owner.keys or ()), *dir(cls)) if cls is not dict else METHODS_OF[dict]
    raise refuse(span, f"a {cls.__name__} has no attribute {name!r}{meant(name, names)}")


def array_attribute(frame: Frame, owner: Value, name: str, span: Span) -> Value:
    atom = frame.atom(owner, span)
    if name == DELETE:
        raise refuse(
            span,
            "`del` of an element is not supported: arrays keep what they hold; build the shorter array with a slice",
        )
    if atom.type.dtype == "rng":
        if name not in METHODS and method_of_generator(name) is None:
            there = sorted(m for m in dir(np.random.Generator) if m in METHODS or method_of_generator(m))
            raise refuse(span, f"the generator's method {name!r} is not supported: it has {', '.join(there)}")
        return Method(owner, name)
    if isinstance(atom, Var | Lit) and atom.type.weak and not hasattr(PYTHONS[atom.type.dtype[0]], name):
        raise refuse(
            span, f"{frame.describe(owner)} of Python's has no attribute {name!r}: np.asarray(...) has"
        )
    if name in OF_INTS and atom.type.weak and not atom.type.is_float:
        return Partial(Static(OF_INTS[name]), (owner,), {})
    if name == "is_integer" and not atom.type.rank:
        return Partial(Static(is_integer), (owner,), {})
    match name:
        case "shape":
            return Nest(tuple, tuple(frame.b.atom(frame.b.size(n)) for n in atom.type.shape))
        case "ndim":
            return frame.b.atom(atom.type.rank)
        case "size" | "nbytes":
            total: Any = 1 if name == "size" else np.dtype(atom.type.dtype).itemsize
            for n in atom.type.shape:
                total = frame.b.apply("mul", total, frame.b.size(n))
            return frame.b.atom(total)
        case "itemsize":
            return frame.b.atom(np.dtype(atom.type.dtype).itemsize)
        case "flat":
            return viewed(frame, owner, call(frame.b, np.ravel, frame.give(owner, span)), "t", is_flat=True)
        case "tolist" if not atom.type.rank:
            return Method(owner, "item")
        case "dtype":
            return Static(np.dtype(atom.type.dtype))
        case "T":
            return viewed(frame, owner, call(frame.b, np.transpose, frame.give(owner, span)), "t")
        case "real" if atom.type.rank:
            return owner
        case "real" | "imag":
            return frame.take(call(frame.b, getattr(np, name), frame.give(owner, span)), "t")
    if not any(name in methods for methods in (FUNCTIONS_OF, CALLED_AS, OWN, OTHERS)):
        words = f"{frame.describe(owner)} has no method or attribute {name!r}"
        if name in ("append", "extend", "insert", "pop"):  # it may be one of several lists
            made = frame.inference.made_at.get(cell_of(owner))  # type: ignore[arg-type]
            raise wanting_lists(refuse(span, f"{words}; {LISTS_OF_LISTS}"), made)
        known = (*OF_ARRAYS, *FUNCTIONS_OF, *CALLED_AS, *OWN, *OTHERS)
        near = "" if hasattr(np.ndarray, name) else meant(name, known)
        raise refuse(span, words + (near or " that is supported"))
    return Method(owner, name)
