"""What is raised when lanes fail: the others have finished, and their results are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from codegen.source import Span

SHOWN = 5


@dataclass(frozen=True)
class Failure:
    """What stopped a lane: the exception's name and message, the user's line, and the exception itself.

    `error` is None where it cannot be made without running the lane again, which would take long.
    """

    lane: int
    exception: str
    message: str
    span: Span | None
    error: BaseException | None = field(default=None, compare=False)

    def __str__(self) -> str:
        where = "" if self.span is None else f" ({self.span}: {self.span.text})"
        said = f"{self.exception}: {self.message}" if self.message else self.exception
        return f"lane {self.lane}: {said}{where}"


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
