"""Loops of known length that draw are not written out, by twenty draws inlined one after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autobatch import Schedule, batch, streams
from codegen import jit
from codegen.backend.load import load


def many(rng, x):
    return x * np.sum(rng.standard_normal(20))


def few(rng, x):
    return x * np.sum(rng.standard_normal(4))


def nested(rng, x):
    for _ in range(3):
        for _ in range(5):
            x += rng.random()
    return x


def a_philox(lane: int) -> Any:
    return np.random.Generator(np.random.Philox(key=[3, lane]))


def test_a_loop_calls_its_draw_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Machine code from the cache comes without LLVM's text.
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    state = np.zeros(16, np.uint64)
    compiled = load(jit(many).source(a_philox(0), 2.0), "many").many
    compiled(state, 2.0)
    (result,) = compiled.overloads.values()
    assert result.library.get_llvm_str().count("draw_normal_edge") < 20


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", ["lanewise", "program_counter"])
@pytest.mark.parametrize(("f", "kept_whole"), [(many, True), (few, False), (nested, True)])
def test_lanes_say_where_they_draw_often(f: Any, kept_whole: bool, form: Any) -> None:
    batched = batch(f, schedule=Schedule(form))
    xs = np.arange(3.0)
    plain = [f(a_philox(i), x) for i, x in enumerate(xs)]
    assert np.allclose(batched(streams(3, 3), xs), plain, rtol=1e-13)
    assert ("draws_kept_whole()" in batched.source(streams(3, 3), xs)) is kept_whole
