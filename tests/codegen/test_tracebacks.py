"""What a user sees when it fails: all that a script prints, its own lines and no others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """\
import sys
import traceback

import numpy as np

from autobatch import batch
from autodiff import grad
from codegen import jit


def pick(x, k):
    y = x * 2.0
    return y[0] + x[k]


def refused(x):
    y = {v for v in x if v > 0.0}
    return y


def positive(x):
    if x < 0.0:
        raise ValueError(f"{x} is negative")
    return x


def shown(f, *args):
    try:
        f(*args)
    except Exception:
        traceback.print_exc()


x = np.ones(3)
if len(sys.argv) == 1:
    shown(pick, x, 7)
    shown(jit(pick), x, 7)
    shown(jit(pick, target="numpy"), x, 7)
    shown(grad(pick, target="numpy"), x, 7)
    shown(jit(refused), x)
    shown(jit(refused).source, x)
    shown(grad(positive), 1)
    shown(batch(positive, target="numpy"), np.array([1.0, -2.0]))
jit(positive)(-1.0)
"""

CALL = """\
Traceback (most recent call last):
  File "script.py", line 29, in shown
    f(*args)
"""
INDEX = """\
  File "script.py", line 13, in pick
    return y[0] + x[k]
                  ~^^^
IndexError: index 7 is out of bounds for axis 0 with size 3
"""
LANES = """\
  File "script.py", line 23, in positive
    raise ValueError(f"{x} is negative")
autobatch.errors.LaneError: 1 of 2 lanes failed
  lane 1: ValueError: -2.0 is negative (script.py:23: raise ValueError(f"{x} is negative"))
"""
LAST = """\
Traceback (most recent call last):
  File "script.py", line 44, in <module>
    jit(positive)(-1.0)
  File "script.py", line 23, in positive
    raise ValueError(f"{x} is negative")
ValueError: -1.0 is negative
"""


def printed(tmp_path: Path, *arguments: str, **environment: str) -> str:
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "script.py", *arguments]
    run = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env={**os.environ, **environment}
    )
    return run.stderr.replace(f"{tmp_path}{os.sep}", "")


@pytest.mark.turns(4)
def test_frames_are_the_users(tmp_path: Path) -> None:
    found = printed(tmp_path)
    plain, *ours = found.split("Traceback (most recent call last):\n")[1:5]
    assert plain == CALL.partition("\n")[2] + INDEX
    assert ours == [plain] * 3
    refused, source, grads, lanes, last = found.split("Traceback (most recent call last):\n")[5:]
    assert refused == source
    assert refused.startswith(
        '  File "script.py", line 29, in shown\n    f(*args)\n  File "script.py", line 17\n'
    )
    assert "codegen.source.SourceError: " in refused and "codegen/" not in refused
    assert grads.startswith(
        '  File "script.py", line 29, in shown\n    f(*args)\nTypeError: grad of positive: '
    )
    assert lanes == CALL.partition("\n")[2] + LANES
    assert last == LAST.partition("\n")[2]


@pytest.mark.turns(4)
def test_all_frames_on_request(tmp_path: Path) -> None:
    found = printed(tmp_path, "last", AUTOBATCH_TRACEBACK="full")
    assert "codegen" in found and found.endswith("ValueError: -1.0 is negative\n")
