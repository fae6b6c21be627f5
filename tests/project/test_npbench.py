"""scripts/npbench over a small suite in NPBench's layout: one program of each state."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import npbench_programs

PROGRAMS = {
    "stencil": "def kernel(steps, A):\n    for _ in range(steps):\n        A[1:-1] = 0.5 * (A[:-2] + A[2:])\n",
    "digits": "def kernel(steps, A):\n    return A * len(str(A[0]))\n",
    "raising": "def kernel(steps, A):\n    return A + np.ones(3)\n",
    "endless": "def kernel(steps, A):\n    while A[0] < 2.0:\n        A[0] = 1.0\n",
}
BEGIN = "import numpy as np\n\n\ndef initialize(N):\n    return np.linspace(0.0, 1.0, N)\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A checkout of made-up programs."""
    (tmp_path / "bench_info").mkdir()
    for name, text in PROGRAMS.items():
        told = {
            "module_name": name,
            "relative_path": f"group/{name}",
            "func_name": "kernel",
            "parameters": {"S": {"steps": 3, "N": 10}},
            "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["A"]},
            "input_args": ["steps", "A"],
        }
        (tmp_path / "bench_info" / f"{name}.json").write_text(json.dumps({"benchmark": told}))
        folder = tmp_path / "npbench" / "benchmarks" / "group" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text(BEGIN)
        (folder / f"{name}_numpy.py").write_text(f"import numpy as np\n\n\n{text}")
    return tmp_path


@pytest.mark.turns(4)
def test_a_line_a_program(suite: Path) -> None:
    file = suite / "figures.json"
    command = [sys.executable, npbench_programs.__file__, str(suite), "--target", "numpy"]
    options = ["stencil", "digits", "raising", "--json", str(file)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [
        ["equal", "stencil"],
        ["refused", "digits"],
        ["failed", "raising"],
    ]
    assert "NumPy" in lines[0]
    assert "line 5: " in lines[1]
    assert "plain NumPy: ValueError" in lines[2]
    assert lines[3].startswith("3 programs: 1 equal, 0 differs, 1 refused, 1 failed; the equal ones are")
    assert done.returncode == 1
    assert [each["state"] for each in json.loads(file.read_text())] == ["equal", "refused", "failed"]
    done = subprocess.run(
        [*command, "endless", "--timeout", "1"], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[0].endswith("took longer than 1 s")


def test_what_counts_as_equal() -> None:
    difference, x = npbench_programs.difference, np.array([1.0, np.nan, np.inf])
    assert difference((x, 1, None), (x * (1.0 + 1e-12), 1, None), "result") == []
    assert difference(x, x * (1.0 + 1e-8), "result") == ["result: off by 1e-08, the largest is 1"]
    assert difference(x, np.where(np.isinf(x), -np.inf, x), "result") != []
    assert difference(x.astype("f4"), x.astype("f4") * np.float32(1.0 + 1e-6), "result") == []
    assert difference(x, x.astype("f4"), "argument 1") == ["argument 1: float32[3], not float64[3]"]
    assert difference(np.array([1, 2]), np.array([1, 3]), "result") == ["result: 1 of 2 differ"]
    assert difference((1.0, 2.0), (1.0,), "result") == ["result: tuple of 1, not tuple of 2"]


def test_no_checkout_is_said(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="is no checkout of NPBench"):
        npbench_programs.main([str(tmp_path)])
