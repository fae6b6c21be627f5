"""What is raised when lanes fail: the others have finished, and their results are kept."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from codegen.ir.exceptions import Thrown
from codegen.pickling import exception_parts, rebuilt_exception
from codegen.source import Span

SHOWN = 5


@dataclass(frozen=True)
class Site:
    """A place where a lane can fail: the exception's name, its message, the user's line.

    `tells`: the exception has values of the lane, which the message is without.
    """

    exception: str
    message: str
    span: Span | None
    tells: bool


def site_number(sites: list[Site], thrown: Thrown, span: Span | None) -> int:
    """What a lane that fails there is marked with: 1, 2, ...; a new place is added."""
    wanted = Site(thrown.name, thrown.message, span, not thrown.known)
    if wanted not in sites:
        sites.append(wanted)
    return sites.index(wanted) + 1


@dataclass(frozen=True, eq=False)
class Failure:
    """What stopped a lane: the exception's name and message, the user's line, and the exception itself.

    `error` is None where it cannot be made without running the lane again, which would take long.
    """

    lane: int
    exception: str
    message: str
    span: Span | None
    error: BaseException | None = None

    @property
    def told(self) -> tuple[int, str, str, str]:
        """What is alike in two runs, in whatever processes."""
        return self.lane, self.exception, self.message, str(self.span)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Failure) and self.told == other.told

    def __hash__(self) -> int:
        return hash(self.told)

    def __str__(self) -> str:
        where = "" if self.span is None else f" ({self.span}: {self.span.text})"
        said = f"{self.exception}: {self.message}" if self.message else self.exception
        return f"lane {self.lane}: {said}{where}"

    def __reduce__(self) -> Any:
        return unpack, (self.lane, self.exception, self.message, self.span, pack_error(self.error))

    def __copy__(self) -> Failure:
        return self  # nothing of it changes

    def __deepcopy__(self, memo: dict[int, Any]) -> Failure:
        return self


class LaneError(RuntimeError):
    """Some lanes failed, each by itself.

    failures   one Failure a lane, in lane order
    lanes      their numbers
    results    what the call would have returned; rows of failed lanes are unspecified (None where all lanes were
               stopped at once)
    """

    def __init__(self, failures: Sequence[Failure], count: int, results: Any):
        self.failures = tuple(failures)
        self.lanes = tuple(f.lane for f in failures)
        self.results = results
        listed = [str(f) for f in self.failures[:SHOWN]]
        if len(self.failures) > SHOWN:
            listed.append(f"and {len(self.failures) - SHOWN} more")
        super().__init__("\n  ".join((f"{len(self.failures)} of {count} lanes failed", *listed)))

    def __reduce__(self) -> Any:
        return exception_parts(self)


def pack_error(error: BaseException | None) -> bytes | None:
    """An exception of the user's and its cause, if they can be carried at all: another process may not know the class,
    and all lanes' failures are not lost for it."""
    if error is None:
        return None
    listed = []
    at: BaseException | None = error
    while at is not None:
        own = type(at).__reduce__ is BaseException.__reduce__
        listed.append(exception_parts(at)[1] if own else at)
        at = at.__cause__
    for name in ("pickle", "cloudpickle"):
        try:
            return bytes(sys.modules[name].dumps(listed))
        except Exception:  # whatever a class of the user's does there
            continue
    return None


def unpack(lane: int, exception: str, message: str, span: Span | None, content: bytes | None) -> Failure:
    """A Failure, without its exception where that is not known here."""
    try:
        listed = pickle.loads(content) if content is not None else []
        errors = [rebuilt_exception(*each) if isinstance(each, tuple) else each for each in listed]
    except Exception:
        errors = []
    for error, cause in pairwise(errors):
        error.__cause__ = cause
    return Failure(lane, exception, message, span, errors[0] if errors else None)
