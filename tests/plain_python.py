"""Programs as plain Python runs them, and as compiled ones do: `complaint` says what differs."""

import re
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from user_programs import loaded

from codegen import SourceError, jit


def outcome(function: Any, arguments: list[Any]) -> Any:
    """What a call gives, or the exception that it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*(a.copy() if isinstance(a, np.ndarray) else a for a in arguments))
    except Exception as error:
        return error


def difference(got: Any, want: Any) -> str | None:
    """In what two results differ."""
    if isinstance(want, dict | set):
        same = type(got) in (dict, set) and isinstance(want, type(got))
        in_order = sorted if isinstance(want, set) else lambda d: list(d.items())
        return difference(in_order(got), in_order(want)) if same else f"{got!r} for {want!r}"
    if isinstance(want, tuple | list):
        if type(got) is not type(want) or len(got) != len(want):
            return f"{got!r} for {want!r}"
        return next((d for g, w in zip(got, want) if (d := difference(g, w))), None)
    g, w = np.asarray(got), np.asarray(want)
    if (g.dtype, g.shape) != (w.dtype, w.shape):
        return f"{g.dtype}{g.shape} for {w.dtype}{w.shape}"
    tolerance = 1e-5 if w.dtype in (np.float32, np.complex64) else 1e-12
    same = (
        np.allclose(g, w, tolerance, tolerance, equal_nan=True)
        if w.dtype.kind in "fc"
        else np.array_equal(g, w)
    )
    return None if same else f"{got!r} for {want!r}"


def complaint(
    text: str,
    arguments: Mapping[str, Any],
    refused: str | None = None,
    target: str = "numpy",
    around: Mapping[str, Any] | None = None,
) -> str | None:
    """What is wrong with a compiled function of these arguments: `text` is its body, or an expression; it finds what is
    `around`.

    What plain Python raises is raised, or refused; anything else is refused only with the message `refused`.
    """
    body = text if re.search(r"\breturn\b", text) else f"    return {text}"
    plain = loaded(f"def f({', '.join(arguments)}):\n{body}\n")
    plain.__globals__.update(around or {})
    values = list(arguments.values())
    want, got = outcome(plain, values), outcome(jit(plain, target=target), values)
    if refused is not None:
        return None if isinstance(got, SourceError) and got.msg == refused else repr(got)
    if isinstance(want, Exception) or isinstance(got, Exception):
        fits = isinstance(got, SourceError) or isinstance(want, type(got))
        return None if isinstance(want, Exception) and fits else f"{got!r} for {want!r}"
    return difference(got, want)
