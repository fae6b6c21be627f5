"""Large arrays of compiled code are asked for in large pages; no others."""

from __future__ import annotations

import mmap
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codegen import jit

MAPPINGS = Path("/proc/self/smaps")


def doubled(x, n):
    made = np.empty(n)
    for i in range(n):
        made[i] = 2.0 * x[i % len(x)]
    return made


def large(array: np.ndarray) -> bool:
    """Whether the system was asked for large pages where an array is."""
    middle = array.ctypes.data + array.nbytes // 2
    inside = False
    for line in MAPPINGS.read_text().splitlines():
        if found := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            inside = int(found[1], 16) <= middle < int(found[2], 16)
        elif inside and line.startswith("VmFlags:"):
            return "hg" in line.split()
    raise AssertionError("it is in no mapping")


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(mmap, "MADV_HUGEPAGE") or not MAPPINGS.exists(),
    reason="asks Linux of its pages",
)
def test_large_arrays_are_in_large_pages() -> None:
    f: Any = jit(doubled)
    x, n = np.arange(7.0), 8 * 2**20
    made, numpys = f(x, n), np.empty(n)
    np.testing.assert_array_equal(made, 2.0 * x[np.arange(n) % 7])
    assert large(made) == large(numpys)  # where the system has none, NumPy is given none
    assert f(x, 10).tolist() == (2.0 * x[np.arange(10) % 7]).tolist()
