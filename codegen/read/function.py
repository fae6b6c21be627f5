"""A live Python function -> its tree, at its true place in its file.

    read_function(f)     def or lambda; nested, indented, decorated, from a notebook cell or a doctest

The file's text comes through `linecache`, as tracebacks do, so whatever a traceback can quote can be read.
Python's own parser, quick and of the same version as the running code, finds where the function stands;
libcst reads those lines alone, so that a function costs the same in a large file as in a small one; what an earlier
process has read is on disk.
"""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache
from types import CodeType, FunctionType

from codegen.lazy import lazily
from codegen.process_cache import forgettable
from codegen.read import tree
from codegen.read.kept_trees import kept
from codegen.read.plain_names import Names, other_names
from codegen.read.texts import function_text, not_a_function
from codegen.source import Source, SourceError, Span, refuse

parsing = lazily("codegen.read.parsing")  # libcst comes with it

Outlined = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def read_function(f: object) -> tree.Define:
    """The tree of a live function, its decorators left out; a lambda is called `lambda_`.

    Read is the function given, also when it wraps another one (`__wrapped__` is not followed).

    Raises TypeError for what is no Python function, and SourceError when its text is not available, has
    changed since it was loaded, or holds something that cannot be transformed.

    >>> import colorsys
    >>> [parameter.name for parameter in read_function(colorsys.rgb_to_yiq).parameters]
    ['r', 'g', 'b']
    """
    if not isinstance(f, FunctionType):
        raise TypeError(not_a_function(f))
    text = _file_text(f)
    node = _find(f.__code__, text)
    lines = text.split("\n")[node.lineno - 1 : node.end_lineno]
    if isinstance(node, ast.Lambda):
        start, end = _character(lines[0], node.col_offset), _character(lines[-1], node.end_col_offset)
        return _read_lambda(f.__code__.co_filename, "\n".join(lines), node.lineno, start, end)
    return _read_def(node.name, f.__code__.co_filename, "\n".join(lines), node.lineno, other_names(f))


def _file_text(f: FunctionType) -> str:
    """The text of the file, notebook cell or doctest that `f` was defined in, lines ending in '\\n'."""
    file = f.__code__.co_filename
    if not (text := function_text(f)):
        raise refuse(
            None,
            f"the text of `{f.__qualname__}` is not available ({file}): "
            "define it in a file or a notebook cell",
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _find(code: CodeType, text: str) -> Outlined:
    """The node of the file's tree that `code` was compiled from."""
    found = [node for node in _outline(text) if _first_line(node) == code.co_firstlineno]
    found = [node for node in found if _agrees(node, code)]
    if len(found) > 1:
        found = _by_columns(found, code)
    if not found:
        raise refuse(
            None,
            f"the text of `{code.co_name}` ({code.co_filename}:{code.co_firstlineno}) "
            "has changed since it was loaded: load it again",
        )
    if len(found) > 1 and len({ast.dump(node) for node in found}) > 1:
        place = Source(code.co_filename, text)
        spans = [_span(node, place) for node in found]
        message = "cannot tell which lambda of this line is meant: give each its own line, or write a `def`"
        raise SourceError([(spans[0], message)])
    return found[0]


@forgettable
@lru_cache(maxsize=64)
def _outline(text: str) -> tuple[Outlined, ...]:
    """Every function of a file's text, nested ones included; none when it is no Python (any more)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in the user's text is not ours to report
        try:
            nodes = ast.walk(ast.parse(text))
        except SyntaxError:
            return ()
    return tuple(node for node in nodes if isinstance(node, Outlined))


def _first_line(node: Outlined) -> int:
    """What the code object calls its first line: that of the first decorator, where there is one."""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return decorators[0].lineno if decorators else node.lineno


def _agrees(node: Outlined, code: CodeType) -> bool:
    """Whether name and parameters are those of the code (names `__x` in a class carry the class's name)."""
    name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
    rest = node.args
    plain = [*rest.posonlyargs, *rest.args, *rest.kwonlyargs]
    names = [arg.arg for arg in [*plain, rest.vararg, rest.kwarg] if arg]
    same_counts = len(plain) == code.co_argcount + code.co_kwonlyargcount
    known = code.co_varnames[: len(names)]
    return name == code.co_name and same_counts and all(a.endswith(b) for a, b in zip(known, names))


def _by_columns(found: list[Outlined], code: CodeType) -> list[Outlined]:
    """Those whose body begins and ends where the code's instructions do.

    Without columns (a constant's in 3.12; all, under `-X no_debug_ranges`), those that compile to the code.
    """
    places = [
        ((line, column), (end_line, end_column))
        for line, end_line, column, end_column in code.co_positions()
        if line and end_line and column is not None and end_column is not None
        if (line, column) < (end_line, end_column)
    ]
    if not places:
        return [node for node in found if _compiles_to(node, code)] or found
    extent = min(start for start, _ in places), max(end for _, end in places)
    exact = [node for node in found if _extent(node) == extent]
    return exact or [
        node for node in found if _extent(node)[0] <= extent[0] and extent[1] <= _extent(node)[1]
    ]


def _compiles_to(node: Outlined, code: CodeType) -> bool:
    """Whether a lambda compiled by itself is `code`; never, where it has names of a function around it."""
    if not isinstance(node, ast.Lambda):
        return False
    constants = compile(ast.Expression(node), code.co_filename, "eval").co_consts
    alone = next(constant for constant in constants if isinstance(constant, CodeType))
    return _content(alone) == _content(code)


def _content(code: CodeType) -> tuple[bytes, tuple[str, ...], str]:
    return code.co_code, code.co_names, repr(code.co_consts)


def _extent(node: Outlined) -> tuple[tuple[int, int], tuple[int, int]]:
    first, last = (node.body, node.body) if isinstance(node, ast.Lambda) else (node.body[0], node.body[-1])
    return (first.lineno, first.col_offset), (last.end_lineno or 0, last.end_col_offset or 0)


def _span(node: Outlined, source: Source) -> Span:
    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    start = _character(source.line(node.lineno), node.col_offset)
    return Span(source, node.lineno, start + 1, end_line, _character(source.line(end_line), end_column) + 1)


def _character(line: str, byte: int | None) -> int:
    """Python counts columns in UTF-8 bytes."""
    return len(line.encode()[:byte].decode())


@forgettable
@lru_cache(maxsize=1024)
def _read_def(name: str, file: str, text: str, first_line: int, names: Names) -> tree.Define:
    """The tree of the `def` whose lines are `text`, with Python's names for those of Numba's."""
    source = Source(file, text, first_line)
    return kept(name, lambda source: parsing.define_of(source, names), source, *map(str, names))


@forgettable
@lru_cache(maxsize=1024)
def _read_lambda(file: str, text: str, first_line: int, start: int, end: int) -> tree.Define:
    """The tree of the lambda in `text` from column `start` of its first line to `end` of its last."""
    source = Source(file, text, first_line)
    return kept("lambda", lambda source: parsing.lambda_of(source, start, end), source, start, end)
