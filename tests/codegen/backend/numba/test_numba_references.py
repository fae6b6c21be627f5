"""All memory that compiled code takes is freed, once: by what is bound anew, copied, left early or left by an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys
from user_programs import loaded

from codegen import jit
from codegen.backend.load import load

PROGRAMS = {
    "bound anew": """def f(x, n):
    y = x * 2.0
    for i in range(n):
        z = y + i
        y = z[1:] if len(z) > 3 else z * 0.5
    return y
""",
    "left early": """def f(x, n):
    for i in range(n):
        y = np.cumsum(x)
        for j in range(i):
            z = y * j
            if z[0] > 4.0:
                return z
    return x + n
""",
    "an error": """def f(x, n):
    y = np.sort(x)
    for i in range(n):
        z = y + x
        y[i] = z[i + 2] - 1.0
    return y
""",
    "pairs": """def f(x, n):
    a, b = x + 1.0, x * 3.0
    for _ in range(n):
        a, b = b - 1.0, a
    return a, b
""",
    "caught": """def f(x, n):
    y = x + 1.0
    try:
        for i in range(n + 3):
            y = y * x[i]
    except IndexError:
        y = y - 7.0
    return y
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory_is_freed(name: str) -> None:
    f = loaded("import numpy as np\n\n\n" + PROGRAMS[name])
    compiled = jit(f)
    x = np.linspace(0.5, 1.5, 5)
    ends = [outcome(compiled, x, n) for n in range(6)]  # what it takes once
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        for _ in range(3):
            for n, end in enumerate(ends):
                np.testing.assert_equal(outcome(compiled, x, n), end)
                np.testing.assert_equal(outcome(f, x, n), end)
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert after.alloc > before.alloc
    assert (after.alloc - before.alloc, after.mi_alloc - before.mi_alloc) == (
        after.free - before.free,
        after.mi_free - before.mi_free,
    )


def outcome(f: Any, *args: Any) -> Any:
    try:
        return f(*args)
    except IndexError as error:
        return str(error)


RANGES = """
from numba import njit


@njit(error_model="numpy")
def each(start, stop, step):
    found = []
    for i in range(start, stop, step):
        found.append(i)
    return found


@njit(error_model="numpy")
def down(start, stop):
    found = []
    for i in range(start, stop, -1):
        found.append(i)
    return found


@njit(error_model="numpy")
def up(start, stop):
    found = []
    for i in range(start, stop):
        if i == start + 3:
            continue
        for j in range(i):
            if j > 2:
                break
            found.append(i + j)
    else:
        found.append(-1)
    return found


@njit(error_model="numpy")
def steps(n):
    made = range(n)
    total = 0
    for i in made:
        for j in made:
            total += i * j
    return total, len(made), made.stop
"""


def test_loops_over_ranges() -> None:
    """Of any step, empty ones and those at the ends of 64 bits; one that is a variable, gone through twice."""
    made = load(RANGES, "ranges")
    bounds = [-7, -1, 0, 1, 5, 12]
    for start in bounds:
        for stop in bounds:
            assert made.up(start, stop) == made.up.py_func(start, stop)
            assert made.down(start, stop) == list(range(start, stop, -1))
            for step in (-4, -1, 1, 3):
                assert made.each(start, stop, step) == list(range(start, stop, step))
    far = 2**63 - 1
    assert made.each(far - 3, far, 1) == [far - 3, far - 2, far - 1]
    assert made.each(far - 3, far, 2) == [far - 3, far - 1]
    assert made.down(-far + 1, -far - 1) == [-far + 1, -far]
    assert made.steps(5) == (100, 5, 5)
    with pytest.raises(ValueError, match="must not be zero"):
        made.each(0, 3, 0)
