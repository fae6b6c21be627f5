"""`with` of what only says what is warned of, and imports inside functions."""

from __future__ import annotations

import contextlib
import threading
import warnings

import numpy as np
import pytest

from autobatch import batch
from codegen import SourceError, jit

X = np.array([1.0, 0.0, -2.0])


def quiet(x):
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        y = 1.0 / x
        with contextlib.nullcontext():
            if y[0] > 0.5:
                return y
    return -y


def of_modules(x):
    import math
    from functools import reduce as fold

    import numpy.linalg
    import scipy.special as sp
    from numpy.linalg import norm

    return fold(numpy.maximum, x), sp.expit(x), norm(x) == numpy.linalg.norm(x), math.sin(x[0])


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_programs(target: str):
    assert np.array_equal(jit(quiet, target=target)(X), quiet(X))
    ours, plain = jit(of_modules, target=target)(X), of_modules(X)
    assert all(np.allclose(a, b, rtol=1e-15) for a, b in zip(ours, plain, strict=True))
    assert np.array_equal(batch(quiet, target=target)(X[None]), quiet(X)[None])


def test_other_contexts_and_modules_are_refused():
    lock = threading.Lock()

    def locked(x):
        with lock:
            return x

    def named(x):
        with np.errstate() as state:
            return x, state

    def unknown(x):
        import this_module_is_not_there

        return this_module_is_not_there.f(x)

    def around(x):
        from . import f

        return f(x)

    for f, words in (
        (
            locked,
            "`with` of other contexts than numpy.errstate, warnings.catch_warnings, contextlib.nullcontext",
        ),
        (named, "`with` ... `as` is not supported"),
        (
            unknown,
            "'this_module_is_not_there' is imported from 'this_module_is_not_there', which is not read",
        ),
        (around, "`from .` in a function is not supported"),
    ):
        with pytest.raises(SourceError, match=words):
            jit(f)(1.0)
