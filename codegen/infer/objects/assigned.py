"""Which fields of a user's class its own methods assign to."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from codegen.infer.kinds import Differ
from codegen.process_cache import forgettable
from codegen.read import tree
from codegen.read.function import read_function
from codegen.read.lists.owned_lists import is_new
from codegen.read.scope import all_statements, parts_of
from codegen.source import SourceError

MADE = "__made_of_fields__"  # of a class whose objects have these fields: the user's, which has their methods


def users_class(cls: Any) -> Any:
    """The user's class of objects that a program makes."""
    return getattr(cls, MADE, cls)


def has_own(cls: Any, name: str) -> bool:
    """Whether a method stands in the text of a class of the user's: what `dataclass` writes stands in no file."""
    found = getattr(cls, name, None)
    return isinstance(found, types.FunctionType) and found.__code__.co_filename != "<string>"


def wanting_rows(message: str, cls: Any) -> Differ:
    """What objects of a class that are known one by one cannot be, and those that are rows can."""
    differ = Differ(message)
    differ.wants_rows = users_class(cls), {}
    return differ


@forgettable
@lru_cache(256)
def assigned_fields(cls: type) -> frozenset[str]:
    """The fields that methods of a class, but for `__init__`, assign to."""
    return frozenset(key for method in methods_of(cls) for key in fields_given_in(method))


@forgettable
@lru_cache(256)
def fields_given_in(method: types.FunctionType) -> tuple[str, ...]:
    """The fields of its object that a method assigns to; of one that cannot be read none: it says so where it is
    called."""
    if not is_readable(method):
        return ()
    define = read_function(method)
    own = define.parameters[0].name if define.parameters else ""
    listed = (key for node in all_statements(define.body) for key in given_fields(node, own))
    return tuple(dict.fromkeys(listed))


@forgettable
@lru_cache(256)
def fields_given_for_sure(method: types.FunctionType) -> frozenset[str]:
    """Those that it assigns to whatever way it takes: no branch or loop is around."""
    define = read_function(method)
    own = define.parameters[0].name if define.parameters else ""
    return frozenset(key for statement in define.body for key in given_fields(statement, own))


@forgettable
@lru_cache(256)
def fields_of_new_lists(cls: type) -> frozenset[str]:
    """The fields to which `__init__` gives lists that are made there, which nothing else has."""
    init: Any = cls.__init__  # type: ignore[misc]
    if not isinstance(init, types.FunctionType) or not is_readable(init):
        return frozenset()
    define = read_function(init)
    own = define.parameters[0].name if define.parameters else ""
    new: dict[str, bool] = {}
    for node in all_statements(define.body):
        one = isinstance(node, tree.Assign) and len(node.targets) == 1 and is_new(node.value)
        new |= {key: one and new.get(key, True) for key in given_fields(node, own)}
    given = Counter(key for node in all_statements(define.body) for key in given_fields(node, own))
    met = Counter(key for node in define.body for key in fields_met(node, own))
    return frozenset(key for key, is_made in new.items() if is_made and met[key] <= given[key])


def fields_met(node: Any, own: str) -> Iterator[str]:
    """The fields of an object that a node has, but for those of which a method is called at once."""
    match node:
        case tree.Attribute(_, tree.Attribute(_, tree.Name(_, name), _), _) if name == own:
            return
        case tree.Attribute(_, tree.Name(_, name), key) if name == own:
            yield key
    for part in parts_of(node):
        yield from fields_met(part, own)


def is_readable(method: types.FunctionType) -> bool:
    try:
        read_function(method)
    except (SourceError, OSError, TypeError):
        return False
    return True


def methods_of(cls: type) -> Iterator[types.FunctionType]:
    for base in cls.__mro__:
        for name, member in vars(base).items():
            each: Any = member.fset if isinstance(member, property) else member
            is_own = isinstance(each, types.FunctionType) and each.__code__.co_filename != "<string>"
            if is_own and name != "__init__":
                yield each


def given_fields(statement: tree.Statement, own: str) -> Iterator[str]:
    """The fields of an object that a statement assigns to: of a frozen one by `object.__setattr__(self, "x", x)`."""
    match statement:
        case tree.Evaluate(_, tree.CallExpr(_, tree.Attribute(_, _, "__setattr__"), arguments)):
            match arguments:
                case (tree.Name(_, name), tree.Constant(_, str() as field), _) if name == own:
                    yield field
    node = statement.statement if isinstance(statement, tree.Change) else statement
    targets = node.targets if isinstance(node, tree.Assign) else ()
    for target in (node.target,) if isinstance(node, tree.AugAssign) else targets:
        for each in target.items if isinstance(target, tree.Tuple) else (target,):
            match each:
                case tree.Attribute(_, tree.Name(_, name), field) if name == own:
                    yield field
