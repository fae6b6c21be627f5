"""What is the same: values, dtypes, shapes and structures.

A Python number is the same as NumPy's of 64 bits, and an array without axes the same as its number; NaN is NaN; zeros
have signs, but for those of complex numbers. Floats may differ by a few roundings (rules.py tells larger differences
that are rounding too).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hunt.nests import keys, parts

ULPS = 8  # roundings that a result may be off by


def difference(got: Any, want: Any) -> str | None:
    """How a result is not what it is to be: a few words, the same for all of its kind."""
    if (inside := parts(want)) is not None:
        if type(got) is not type(want):
            return "structure"
        if keys(got) != keys(want):
            return "structure" if isinstance(want, dict) else "length"
        return first(difference(g, w) for g, w in zip(parts(got) or [], inside, strict=True))
    if isinstance(want, np.ndarray | np.generic | bool | int | float | complex):
        return of_arrays(got, want)
    return None if type(got) is type(want) and got == want else "structure"


def first(found: Any) -> str | None:
    return next((each for each in found if each is not None), None)


def of_arrays(got: Any, want: Any) -> str | None:
    if not isinstance(got, np.ndarray | np.generic | bool | int | float | complex):
        return "structure"
    g, w = np.asarray(got), np.asarray(want)
    if g.shape != w.shape:
        return "shape"
    if g.dtype != w.dtype:
        return "dtype" if close(g, w) else "dtype and values"
    if not close(g, w):
        return "values"
    zero = (g == 0) & (w == 0)
    if w.dtype.kind == "f" and np.any(np.signbit(g[zero]) != np.signbit(w[zero])):
        return "sign of zero"
    return None


def close(g: np.ndarray, w: np.ndarray) -> bool:
    if w.dtype.kind not in "fc" or g.dtype.kind != w.dtype.kind:
        return bool(np.all((g == w) | ((g != g) & (w != w))))
    eps = max(np.finfo(g.dtype).eps, np.finfo(w.dtype).eps)
    tiny = float(np.finfo(w.dtype).tiny)
    with np.errstate(all="ignore"):
        near = np.abs(g - w) <= ULPS * eps * np.abs(w) + tiny
    same = (g == w) | (np.isnan(g) & np.isnan(w))  # of complex numbers where a part is
    return bool(np.all(same | (near & np.isfinite(g) & np.isfinite(w))))
