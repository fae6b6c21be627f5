"""clear_cache: nothing of what was compiled stays alive, and everything that is still held works."""

import gc
import pickle
import sys
import weakref
from typing import Any

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad, hvp, jvp, vjp
from codegen import clear_cache, jit


def cube(x: Any) -> Any:
    return x * x * x


def square(x: Any) -> Any:
    return x * x


@pytest.mark.turns(4)
def test_nothing_that_was_compiled_stays_alive() -> None:
    def used_once() -> Any:
        def f(x: Any) -> Any:
            return x * x

        jvp(f, (1.0,), (1.0,), target="numpy")
        hvp(f, (1.0,), (1.0,), target="numpy")
        vjp(f, 1.0, target="numpy")
        return f

    there = set(sys.modules)  # what earlier tests hold on to is theirs
    compiled, slope, lanes = jit(cube), grad(cube, target="numpy"), batch(cube, target="numpy")
    batch(cube)(np.ones(3))
    held = pickle.loads(pickle.dumps(jit(square)))
    before = compiled(2.0), slope(2.0), lanes(np.ones(2)).tolist(), held(3.0)
    assert compiled.last is not None and slope.last is not None and held.last is not None
    running = held.last.run  # somebody holds on to it
    parts = [used_once(), compiled.last, compiled.last.run, slope.last.program, lanes.latest]
    names = [name for name in sys.modules if name.startswith("autobatch_cache.") and name not in there]
    modules = [sys.modules[name] for name in names]
    assert len(modules) > 3
    alive = [weakref.ref(each) for each in (*parts, *modules)]
    del parts, modules
    gc.collect()
    assert all(each() is not None for each in alive[:5])
    clear_cache()
    gc.collect()
    assert [each() for each in alive if each() is not None] == []
    assert running(4.0) == 16.0
    assert before == (compiled(2.0), slope(2.0), lanes(np.ones(2)).tolist(), held(3.0))
