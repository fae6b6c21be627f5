"""What is known of a program, computed once and asked by all passes: per_program.

@per_program
def recursive(program): ...        a program never changes, so neither does what is known of it
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from codegen.ir import Program

R = TypeVar("R")


def per_program(analysis: Callable[[Program], R]) -> Callable[[Program], R]:
    """An analysis that remembers its results as long as their programs live; they are for reading alone."""
    known: WeakKeyDictionary[Program, R] = WeakKeyDictionary()

    @wraps(analysis)
    def asked(program: Program) -> R:
        try:
            return known[program]
        except KeyError:
            return known.setdefault(program, analysis(program))

    return asked
