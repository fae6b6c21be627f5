"""Memory that arrays give up stays with the process, unless its user says otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import resource
import numpy as np
from codegen import jit

def both(x):
    return np.sort(x) + np.sort(-x)

f, x = jit(both), np.ones(400_000)
for _ in range(3):
    f(x)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(5):
    f(x)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("said", "kept"), [({}, True), ({"MALLOC_TRIM_THRESHOLD_": "0"}, False)])
def test_pages_are_not_cleared_again(said: dict[str, str], kept: bool, tmp_path: Path) -> None:
    file = tmp_path / "both.py"
    file.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(file)], env={**os.environ, **said}, capture_output=True, text=True, check=True
    )
    assert (int(done.stdout) < 500) is kept
