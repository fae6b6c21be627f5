"""What is said of a program that was run: the same, refused by name, or a mismatch."""

from __future__ import annotations

import re
from dataclasses import dataclass

from codegen import SourceError

# Refusals that are no SourceError: at the call, before anything is compiled.
REFUSALS = (
    r"dtype \w+ is not supported",
    r"derivatives are with respect to floats",
    r"gives? an? array|give(s)? a scalar|scalar function",
    r"sizes? (would )?differ from lane to lane",
    r"does not fit in 64 bits",
    r"a way through the function returns no value",
    r"float16",
    r"does not lie row after row",
    r"overlap|shares? memory|cross takes vectors of three",
    r"a list without items|changes its size from one iteration to the next",
    r"say full_matrices=False",
    r"every result must be of floats|the result must be one float scalar",
)


@dataclass(frozen=True)
class Verdict:
    """`kind`: same, refused, mismatch, or unlike (lanes cannot be made of the calls). `what`: the class of it."""

    kind: str
    what: str = ""
    call: int = 0
    got: str = ""
    want: str = ""


SAME = Verdict("same")
UNLIKE = Verdict("unlike")


def refused(error: BaseException) -> str | None:
    """The reason, in general words, where an error is a refusal."""
    if isinstance(error, SourceError):
        message = error.problems[0][1]
    elif isinstance(error, TypeError | ValueError | OverflowError) and any(
        re.search(words, str(error)) for words in REFUSALS
    ):
        message = str(error)
    else:
        return None
    message = re.sub(r"`[^`]*`", "`...`", message)
    message = re.sub(r"\b[fiub][1248](\[[^\]]*\])?", "T", message)
    return re.sub(r"[-+]?\d[\d.e+-]*", "N", message)[:90]
