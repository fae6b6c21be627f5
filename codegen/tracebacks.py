"""What a user sees of an error: the user's own frames, and in them the line that failed.

    Traceback (most recent call last):
      File "model.py", line 9, in <module>
        f(x, 9)
      File "model.py", line 5, in f                 the user's line, for emitted code that raised
        return x[k]
               ~^^^
    IndexError: index 9 is out of bounds for axis 0 with size 3

Frames of this library, of Numba and of emitted modules are left out where an error leaves the library; with
AUTOBATCH_TRACEBACK=full in the environment everything is shown. A method at the border reads

    try:
        ...
    except BaseException as error:
        cut(error, span)
        raise                      # alone: Python then adds no frame of this method's
"""

from __future__ import annotations

import ast
import linecache
import os
import textwrap
from collections.abc import Callable, Mapping
from functools import cache, wraps
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, cast

from codegen.backend.load import is_emitted
from codegen.lazy import lazily
from codegen.source import Source, SourceError, Span

F = TypeVar("F", bound=Callable[..., Any])
numba = lazily("numba")
PACKAGES = ("codegen", "autodiff", "autobatch")


def cut(error: BaseException, span: Span | None = None) -> None:
    """Leave of an error's frames the user's own, and one that stands at `span`."""
    if os.environ.get("AUTOBATCH_TRACEBACK") == "full":
        return
    error.__traceback__ = user_frames(error.__traceback__, None if span is None else frame_at(span))
    for inner in (error.__cause__, error.__context__):
        if inner is not None and inner.__traceback__ is not None and is_ours(inner.__traceback__):
            error.__suppress_context__ = True
            if inner is error.__cause__:
                error.__cause__ = None


def at_border(function: F) -> F:
    """A public function whose errors show the user's own frames."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BaseException as error:
            cut(error)
            raise

    return cast(F, call)


def user_frames(trace: TracebackType | None, end: TracebackType | None) -> TracebackType | None:
    """A chain of frames without this library's, then `end`."""
    kept = []
    while trace is not None:
        if not is_ours(trace):
            kept.append(trace)
        trace = trace.tb_next
    for each in reversed(kept):
        end = TracebackType(end, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return end


def is_ours(trace: TracebackType) -> bool:
    """Whether a frame is one of this library, of Numba or of an emitted module."""
    file = trace.tb_frame.f_code.co_filename
    return is_emitted(file) or file.startswith(library_folders())


@cache
def library_folders() -> tuple[str, ...]:
    top = Path(__file__).parents[1]
    folders = [top / package for package in PACKAGES] + [Path(numba.__file__).parent]
    return tuple(f"{folder}{os.sep}" for folder in folders)


def last_position(trace: TracebackType | None, file: str) -> tuple[int, str] | None:
    """Where a chain of frames last stands in a file: the line, and the expression if Python knows."""
    found = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == file:
            _, end, first, last = next(islice(code.co_positions(), trace.tb_lasti // 2, None), (None,) * 4)
            whole = end == trace.tb_lineno and first is not None and trace.tb_lasti >= 0
            found = trace.tb_lineno, linecache.getline(file, trace.tb_lineno)[first:last] if whole else ""
        trace = trace.tb_next
    return found


def failing_span(error: BaseException, file: str, spans: Mapping[int | str, Span]) -> Span | None:
    """What the user wrote where an emitted module raised; `spans` are those of its lines and expressions."""
    if isinstance(error, SourceError) or (found := last_position(error.__traceback__, file)) is None:
        return None
    line, expression = found
    before = [k for k in spans if isinstance(k, int) and k <= line]
    span = spans[max(before)] if before else None
    inner = spans.get(expression)
    return inner if inner is not None and span is not None and inner.line == span.line else span


def frame_at(span: Span) -> TracebackType | None:
    """A frame that stands at a place of the user's text."""
    raising = ast.Raise(exc=ast.Name("error", ast.Load()), cause=None)
    for node in (raising, raising.exc):
        assert node is not None
        node.lineno, node.end_lineno = span.line, span.end_line
        node.col_offset = byte_offset(span.source, span.line, span.column)
        node.end_col_offset = byte_offset(span.source, span.end_line, span.end_column)
    code = compile(ast.Module([raising], []), span.source.file, "exec")
    try:
        exec(code.replace(co_name=enclosing_function(span)), {"error": Exception()})
    except Exception as error:
        return error.__traceback__.tb_next if error.__traceback__ else None
    return None


def byte_offset(source: Source, line: int, column: int) -> int:
    """A column as Python counts it, in bytes from 0."""
    return len(source.line(line)[: column - 1].encode())


def enclosing_function(span: Span) -> str:
    """The name of the function that a place is in."""
    try:
        module = ast.parse(textwrap.dedent(span.source.text))
    except SyntaxError:
        return "<lambda>"
    line = span.line - span.source.first_line + 1
    found = [
        n
        for n in ast.walk(module)
        if isinstance(n, ast.FunctionDef) and n.lineno <= line <= (n.end_lineno or 0)
    ]
    return max(found, key=lambda n: n.lineno).name if found else "<lambda>"


def raising_own(run: Callable[..., Any], raises: Mapping[type, type[BaseException]]) -> Callable[..., Any]:
    """Compiled code that raises the user's exceptions, where its text has others in their place."""

    def call(*given: Any) -> Any:
        try:
            return run(*given)
        except BaseException as error:
            if type(error) not in raises:
                raise
            own = as_own(error, raises)
        raise own

    return call


def as_own(error: BaseException, raises: Mapping[type, type[BaseException]]) -> BaseException:
    """The user's exception for one that stands for it, its cause likewise."""
    cls = raises.get(type(error))
    made = error if cls is None else cls(*error.args).with_traceback(error.__traceback__)
    if error.__cause__ is not None:
        made.__cause__ = as_own(error.__cause__, raises)
    return made
