"""Others' names for what Python has, as Python's: with_plain_names : Define, names -> Define.

for i in prange(n):                    for i in range(n):
    ...                        ->          ...
xs = List.empty_list(float64)          xs = []
ys = List()                            ys = list()
q = deque([0]); q.popleft()            q = list([0]); q.pop(0)
self.__left                            self._Run__left, in a method of Run, as Python has it

So loops over them and lists made by them are what they are under Python's names, whose meaning is known before anything
is inferred. What the others mean (`float64(x)`) is a matter of values: `plain_object`.
"""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from codegen.read import tree

PATHS = ("", "prange", "List", "typed.List", "deque")  # from a name, which may be a module's
EMPTY = "empty_list"
AT_FRONT = {"popleft": "pop", "appendleft": "insert"}  # methods of a deque, by a list's at place 0

Names = tuple[tuple[str, str], ...]  # dotted, as a function has them, and Python's


def one_thread() -> int:
    """As many threads as there are in a loop that is gone through in turn."""
    return 1


def first_thread() -> int:
    return 0


def same(x: Any) -> Any:
    return x


OBJECTS: dict[str, Any] = {
    "numba.misc.special.prange": range,
    "numba.misc.special.pndindex": np.ndindex,
    "numba.misc.special.literally": same,
    "numba.misc.special.literal_unroll": same,
    "numba.typed.typedlist.List": list,
    "numba.np.ufunc.parallel.get_num_threads": one_thread,
    "numba.np.ufunc.parallel.get_thread_id": first_thread,
}


def plain_object(obj: Any) -> Any:
    """What Numba's objects mean: `prange` is range, `numba.float64` np.float64; a deque is a list; others are
    themselves."""
    if obj is deque:
        return list
    module = getattr(obj, "__module__", None) or ""
    if not isinstance(module, str) or not module.startswith("numba."):
        return obj
    if module == "numba.core.types.scalars" and not isinstance(obj, type):
        return np.dtype("bool" if obj.name == "bool" else obj.name).type
    return OBJECTS.get(f"{module}.{getattr(obj, '__qualname__', '')}", obj)


def other_names(f: FunctionType) -> Names:
    """The names in a function that stand for a range and a list, and its class's own, which begin with `.__`."""
    found, named = [], sorted(global_names(f.__code__))
    for name in named:
        for path in PATHS if isinstance(f.__globals__.get(name), ModuleType) else PATHS[:1]:
            try:
                obj = functools.reduce(getattr, path.split(".") if path else (), f.__globals__[name])
            except (AttributeError, KeyError):
                continue
            plain = plain_object(obj)
            if (plain is range or plain is list) and plain is not obj:
                found.append((f"{name}.{path}".rstrip("."), plain.__name__))
    found = [(path, plain) for path, plain in found if plain not in f.__code__.co_varnames]
    if not found and any(map(AT_FRONT.get, named)) and not any(map(is_own_queue, f.__globals__.values())):
        found = [("deque", "list")]  # which is one that the function is given
    return (*found, *class_names(f.__qualname__, named))


def is_own_queue(obj: Any) -> bool:
    """Whether it is a class that has methods of a deque's names."""
    return isinstance(obj, type) and obj is not deque and any(hasattr(obj, each) for each in AT_FRONT)


def class_names(path: str, named: Iterable[str]) -> Names:
    """The names `__x` of a class in a function that stands in it: `_Run__x`."""
    around = path.split(".")
    while len(around) > 2 and around[-2] == "<locals>":  # a function in a method
        around = around[:-2]
    if len(around) < 2 or around[-2] == "<locals>":
        return ()
    prefix = f"_{around[-2].lstrip('_')}"
    own = [name for name in named if name.startswith(f"{prefix}__") and not name.endswith("__")]
    return tuple((f".{name[len(prefix) :]}", name) for name in own)


def global_names(code: CodeType) -> set[str]:
    inner = (global_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return functools.reduce(operator.or_, inner, {*code.co_names})


def with_plain_names(part: Any, names: Names) -> Any:
    """A tree with Python's names for those."""
    if not names or not (isinstance(part, tuple) or is_dataclass(part)):
        return part
    match part:
        case tuple():
            return tuple(with_plain_names(each, names) for each in part)
        case tree.CallExpr(span, tree.Attribute(_, owner, last)) if last == EMPTY and plain_name(
            owner, names
        ):
            return tree.Tuple(span, (), list=True)
        case tree.CallExpr(span, tree.Attribute(at, owner, method), values, ()) if method in AT_FRONT:
            owner, values = with_plain_names(owner, names), with_plain_names(values, names)
            called = tree.Attribute(at, owner, AT_FRONT[method])
            return tree.CallExpr(span, called, (tree.Constant(span, 0), *values))
        case tree.Attribute(span, owner, name) if f".{name}" in dict(names):
            return tree.Attribute(span, with_plain_names(owner, names), dict(names)[f".{name}"])
        case tree.Name() | tree.Attribute() if (plain := plain_name(part, names)) is not None:
            return tree.Name(part.span, plain)
        case tree.Node():
            changed = {f.name: with_plain_names(getattr(part, f.name), names) for f in fields(part) if f.init}
            return type(part)(**changed)
    return part


def plain_name(node: tree.Expression, names: Names) -> str | None:
    path = ".".join(reversed(tuple(path_words(node))))
    return dict(names).get(path)


def path_words(node: tree.Expression) -> Iterator[str]:
    """Of `a.b.c` its words, the last first."""
    match node:
        case tree.Attribute(_, owner, name):
            yield name
            yield from path_words(owner)
        case tree.Name(_, name):
            yield name
        case _:
            yield "()"
