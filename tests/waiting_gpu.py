"""A stand-in for a GPU whose lanes wait for products: kernels are warps in plain Python, products NumPy's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from array_gpu import cupy
from warp import gpu, with_gpu


@contextmanager
def with_products(**options: Any) -> Iterator[None]:
    before = sys.modules.get("cupy")
    sys.modules["cupy"] = cupy()  # alone: what is imported meanwhile stays
    try:
        with with_gpu(gpu(**options)):
            yield
    finally:
        del sys.modules["cupy"]
        sys.modules |= {"cupy": before} if before else {}


def noted(library: Any, name: str) -> list[Any]:
    """The first argument of each call of a function of the library."""
    function, found = getattr(library, name), []  # type: ignore[var-annotated]

    def called(first: Any, *rest: Any, **named: Any) -> Any:
        found.append(first)
        return function(first, *rest, **named)

    setattr(library, name, called)
    return found


def alike(found: Any, wanted: Any) -> None:
    """What lanes give by two targets, to rounding."""
    listed = ([x] if not isinstance(x, tuple) else x for x in (found, wanted))
    for one, other in zip(*listed, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
