"""What lanes raised: failures : what each lane's number says, its arguments -> Failures with their exceptions.

Machines note which place ended a lane, not the values that its message tells. Where it tells any, the lane is run
again by the meaning of its program (codegen/ir/interpreter.py), as far as that takes few steps; else the message is
without them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autobatch.errors import Failure, Site
from codegen.emit.raising import raising_operations
from codegen.ir import Program
from codegen.ir.exceptions import Thrown
from codegen.ir.interpreter import Watched, evaluate
from codegen.source import Span

STEPS = 200_000  # equations, of all lanes that are run again: about a second

Arguments = Callable[[int], Sequence[Any]]  # lane -> what it was given


def failures(sites: Sequence[Site], failed: np.ndarray, program: Program, given: Arguments) -> list[Failure]:
    """What each lane's number says."""
    known = {(t.name, t.message): t for op in raising_operations(program) if (t := op.params["exception"])}
    again = Replay(program, given)
    found = []
    for lane in np.flatnonzero(failed).tolist():
        site = sites[failed[lane] - 1]
        thrown = known.get((site.exception, site.message))
        error = again.error(lane, site.exception) if site.tells else None
        error = error or plain_error(site, thrown)
        name, message = (
            (site.exception, site.message) if error is None else (type(error).__name__, str(error))
        )
        found.append(Failure(lane, name, message, site.span, error))
    return found


def failures_of_all(error: Exception, count: int, program: Program, given: Arguments) -> list[Failure]:
    """Of lanes that ran in one piece of code, which raised for none in particular: each by itself, if that is short."""
    again = Replay(program, given)
    found = []
    for lane in range(count):
        own = again.error(lane, None)
        if own is not None or again.left < 0:
            own = own or error
            found.append(Failure(lane, type(own).__name__, str(own), again.at, own))
    return found or [Failure(lane, type(error).__name__, str(error), None, error) for lane in range(count)]


def failures_of_each(raised: Mapping[int, Exception], program: Program, given: Arguments) -> list[Failure]:
    """Of lanes that raised these; each is run again for the line, if that is short."""
    again = Replay(program, given)
    found = []
    for lane, error in sorted(raised.items()):
        own = again.error(lane, None)
        span, own = (None, error) if own is None else (again.at, own)
        found.append(Failure(lane, type(own).__name__, str(own), span, own))
    return found


def plain_error(site: Site, thrown: Thrown | None) -> BaseException | None:
    """The exception, as far as it is known without values."""
    if thrown is not None and thrown.known:
        return thrown.error()
    cls = getattr(builtins, site.exception, None) if thrown is None else thrown.cls
    try:
        return cls(site.message) if cls is not None else None
    except TypeError:  # a class of the user's that takes other arguments
        return None


class Replay:
    """Lanes run again one by one; `left` steps may still be taken, `at` is where the last one ended."""

    def __init__(self, program: Program, given: Arguments):
        self.program, self.given = program, given
        self.left = STEPS
        self.at: Span | None = None

    def error(self, lane: int, name: str | None) -> BaseException | None:
        """What a lane raises, if it is of this class; None where it takes too long, or does not raise."""
        if self.left < 0:
            return None
        watched = Watched(self.program.functions, self.left)
        try:
            evaluate(self.program, *self.given(lane), functions=watched)
        except BaseException as error:
            if not isinstance(error, Exception) and name != type(error).__name__:
                raise
            wanted = watched.left >= 0 and name in (None, *(cls.__name__ for cls in type(error).__mro__))
            return error.with_traceback(None) if wanted else None
        finally:
            self.left, self.at = watched.left, watched.at
        return None
