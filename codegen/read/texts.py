"""The text that a function was defined in: text_of : function -> text.

a file, an IPython cell, a doctest      linecache
the prompt of Python 3.13               linecache, by code
a cell under `%%time` and its like      the text that the magic was given, if it compiles to the function
another process, by value               what came with it (`texts` there, `keep_texts` here)
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import sys
import types
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

from codegen.pickling import MAIN, is_named

KEPT: dict[Place, str] = {}  # of functions that came by value
DATA = (bool, int, float, str, bytes)  # leads to no function


def function_text(f: FunctionType) -> str:
    """The whole text of the file or cell, or ''."""
    code = f.__code__
    if KEPT and (kept := KEPT.get(code_key(code))):
        return kept
    file = code.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file, f.__globals__)
    if not lines and file.startswith("<"):
        by_code = getattr(linecache, "_getlines_from_code", None)  # of Python 3.13
        lines = by_code(code) if by_code is not None else []
    return "".join(lines) or of_magic(code)


def not_a_function(f: object) -> str:
    """What is said of what has no Python text."""
    name = getattr(f, "__name__", repr(f))
    if isinstance(f, BuiltinFunctionType) or type(f).__name__ == "ufunc":
        return f"`{name}` is built in: it has no Python text to read"
    if inspect.ismethod(f):
        return f"`{name}` is a bound method: give its function, `{name}.__func__`, and the object"
    if isinstance(f, type):
        return f"`{name}` is a class: give a function that calls it"
    if callable(f) and (module := str(getattr(f, "__module__", "")).split(".")[0]) in ("numpy", "scipy"):
        return f"`{name}` is of {module}: give a function that calls it"
    if callable(f) and hasattr(f, "__wrapped__"):
        return f"`{name}` is what {type(f).__module__} makes of a function: give that, `{name}.__wrapped__`"
    return f"expected a Python function, got `{name}` of type `{type(f).__name__}`"


def of_magic(code: CodeType) -> str:
    """The text given to a cell magic that runs it without a file of its own."""
    if "IPython" not in sys.modules:
        return ""
    for _, _, lines, *_ in reversed([entry for entry in linecache.cache.values() if len(entry) == 4]):
        for cell in cells("".join(lines)):
            try:
                whole = compile(cell, code.co_filename, "exec", dont_inherit=True)
            except SyntaxError:
                continue
            if any(found == code for found in codes(whole)):
                return cell
    return ""


def cells(text: str) -> Iterator[str]:
    """What stands under the magics of a cell, as lines of Python."""
    if "run_cell_magic(" not in text:
        return
    shell = sys.modules["IPython"].get_ipython()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(ast.Attribute(attr="run_cell_magic"), [_, _, ast.Constant(str(cell))]):
                plain = cell if shell is None else shell.transform_cell(cell)
                yield plain
                yield from cells(plain)


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those inside."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


Place = tuple[str, int, bytes, tuple[str, ...], str]


def code_key(code: CodeType) -> Place:
    """What tells a function's code from others, in every process. Not its file: cloudpickle leaves that out."""
    constants = repr([c for c in code.co_consts if not isinstance(c, CodeType)])
    return code.co_qualname, code.co_firstlineno, code.co_code, code.co_names, constants


def texts(f: Any) -> dict[Place, str]:
    """The texts of the functions that may go with `f` by value: another process may have none of their files."""
    return {
        code_key(each.__code__): text for each in reached_functions(f, set()) if (text := function_text(each))
    }


def keep_texts(given: dict[Place, str]) -> None:
    """Know the texts of functions that came by value."""
    KEPT.update(given)


def reached_functions(f: Any, seen: set[int]) -> Iterator[FunctionType]:
    """The Python functions that go by value with a function or an object, as far as they are found by plain names."""
    if id(f) in seen or (is_named(f) and f.__module__ not in MAIN):
        return
    seen.add(id(f))
    inner: list[Any] = []
    match f:
        case FunctionType():
            yield f
            names = {name for code in codes(f.__code__) for name in code.co_names}
            inner += [f.__globals__[name] for name in names if name in f.__globals__]
            inner += [cell.cell_contents for cell in f.__closure__ or () if cell != types.CellType()]
            inner += [*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()]
        case types.MethodType():
            inner += [f.__func__, f.__self__]
        case functools.partial():
            inner += [f.func, *f.args, *f.keywords.values()]
        case tuple() | list():
            inner += f
        case dict():
            inner += f.values()
        case type() if f.__module__ in MAIN:
            inner += [*vars(f).values(), *f.__mro__[1:-1]]
        case _ if hasattr(type(f), "check_call"):
            inner += [f.__wrapped__, *getattr(f, "rules", ())]
        case _ if type(f).__module__ in MAIN:
            inner += [type(f), *getattr(f, "__dict__", {}).values()]
    for each in inner:
        if type(each) not in DATA:
            yield from reached_functions(each, seen)
