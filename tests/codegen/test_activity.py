"""What is made is told to whoever waits: by the progress of `sample`, and by log_compiles."""

import io
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autobatch import batch
from autobatch.mcmc.report import Progress
from codegen import activity, jit, log_compiles
from codegen.activity import doing, watched


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "EVERY", 0.01)


def test_the_outermost_is_told_until_it_is_done() -> None:
    told: list[str] = []
    with watched(lambda it: told.append(it.what if it else "")):
        with doing("one"), doing("two"):
            time.sleep(0.2)
        time.sleep(0.2)
        with pytest.raises(ValueError), doing("three"):
            raise ValueError
    assert set(told) == {"one", ""} and told.index("") > told.index("one")
    assert activity.CURRENT == []


@pytest.mark.parametrize("transform", [jit, batch])
def test_what_takes_long_is_logged_once(
    transform: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))

    def slow(x):
        y = x
        for i in range(3):
            y = np.sin(y) + i
        return y

    said = io.StringIO()
    with log_compiles(after=0.0, file=said):
        transform(slow)(np.linspace(0.0, 1.0, 4))
        transform(slow)(np.linspace(0.0, 1.0, 4))
    lines = said.getvalue().splitlines()
    assert all(
        line.startswith(("autobatch: transforming slow, ", "autobatch: compiling slow")) for line in lines
    )
    assert [line.split()[-1] for line in lines] == ["far", "done"] * (len(lines) // 2)
    assert any("compiling slow" in line for line in lines)


def test_quick_ones_are_not_logged() -> None:
    said = io.StringIO()
    with log_compiles(file=said), doing("compiling f"):
        time.sleep(0.1)
    assert said.getvalue() == ""


def test_progress_says_what_is_compiled(capsys: pytest.CaptureFixture[str]) -> None:
    bar = Progress(100, 2, shown=True)
    with doing("compiling chain_lanes"):
        time.sleep(0.3)
    time.sleep(0.1)
    bar(10, np.ones(20), np.zeros(20), 0.5)
    bar.close()
    shown = capsys.readouterr().err
    assert "compiling chain_lanes, 0 s: " in shown
    assert "compiling" not in shown.split("\r")[-1]
