"""Modules imported at their first use: whole, or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest

from codegen.lazy import lazily

# Numba is imported by the call, and a signal comes on the way.
INTERRUPTED = """
import signal, sys
from codegen import jit

class Alarm:
    def find_spec(self, name, path, target=None):
        if name == "numba.core.types.misc":
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGALRM)

class Stop(Exception):
    pass

def stop(number, frame):
    raise Stop

signal.signal(signal.SIGALRM, stop)

@jit
def square(x):
    return x * x

assert "numba" not in sys.modules
sys.meta_path.insert(0, Alarm())
try:
    square(2.0)
except Stop:
    print("stopped")
print(square(3.0), signal.getsignal(signal.SIGALRM) is stop)
"""


@pytest.mark.turns(4)
def test_a_signal_waits_until_a_module_has_run(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(INTERRUPTED)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == ["stopped", "9.0", "True"], done.stderr


def test_errors_are_raised_at_the_first_use() -> None:
    missing = lazily("no_such_module_of_ours")
    with pytest.raises(ModuleNotFoundError, match="no_such_module_of_ours"):
        missing.anything  # noqa: B018


ON_THE_CPU = """
import sys
import numpy as np
from autobatch import batch

def doubled(x):
    return x + x

print(batch(doubled)(np.arange(3.0)).tolist(), "numba" in sys.modules, "numba.cuda" in sys.modules)
"""


@pytest.mark.turns(4)
def test_lanes_on_the_cpu_import_nothing_of_gpus(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(ON_THE_CPU)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "[0.0, 2.0, 4.0] True False\n", done.stderr
