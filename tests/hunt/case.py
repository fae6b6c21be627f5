"""A random program: its text, what it is called with, and what plain Python makes of it.

The text defines `f` and `calls()`, which gives the tuples of arguments, made anew each time, so that what one run
writes is not seen by the next.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from types import CodeType
from typing import Any

import numpy as np

from hunt.nests import parts

HEAD = """import dataclasses
import functools
import heapq
import math
import operator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy.special as sp
from numpy import inf, nan

from autobatch import batch

"""
NUMBERS = count()
CALLS = 3  # of a program, of arguments of the same types


@dataclass(frozen=True)
class Case:
    """`forms`: the ways to run it, by name (forms.py)."""

    family: str
    seed: int
    text: str
    forms: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.family}:{self.seed}"


@dataclass(frozen=True)
class Outcome:
    """What a run gave: a value and the arguments after it, or an error."""

    value: Any = None
    arguments: Any = None
    error: BaseException | None = None

    @property
    def said(self) -> str:
        if self.error is not None:
            return (
                f"{type(self.error).__name__}: {str(self.error).splitlines()[0] if str(self.error) else ''}"
            )
        return shown(self.value)


def shown(value: Any) -> str:
    """A value with its dtype, on one line."""
    match value:
        case np.ndarray():
            return f"{np.array2string(value, separator=', ', threshold=30)} {value.dtype}{list(value.shape)}".replace(
                "\n", ""
            )
        case tuple() if type(value) is tuple:
            return f"({', '.join(map(shown, value))})"
        case list():
            return f"[{', '.join(map(shown, value))}]"
        case dict():
            return "{" + ", ".join(f"{k!r}: {shown(v)}" for k, v in value.items()) + "}"
    if (inside := parts(value)) is not None:
        return f"{type(value).__name__}({', '.join(map(shown, inside))})"
    return repr(value)


def names_of(text: str) -> dict[str, Any]:
    """What a module's text defines; tracebacks and the reader of functions find its lines."""
    found: dict[str, Any] = {"__name__": "program"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compiled(text), found)
    return found


@lru_cache(maxsize=64)
def compiled(text: str) -> CodeType:
    """A module's code, in a file of its own: by each of its forms a program is read once."""
    file = f"<program {next(NUMBERS)}>"
    whole = HEAD + text
    linecache.cache[file] = (len(whole), None, whole.splitlines(keepends=True), file)
    return compile(whole, file, "exec", dont_inherit=True)


def outcome(run: Callable[[], tuple[Any, Any]]) -> Outcome:
    """`run` gives a value and the arguments; errors are outcomes too."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value, arguments = run()
        return Outcome(value, arguments)
    except Exception as error:
        return Outcome(error=error)


def plain(f: Callable[..., Any], arguments: tuple[Any, ...]) -> Outcome:
    """The function as it is."""
    return outcome(lambda: (f(*arguments), arguments))
