"""What stands in for analyses of Numba's gives what they give, on functions with many blocks and assignments."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import analysis, byteflow, compiler, ssa
from numba.core.runtime import _nrt_python
from numba.core.runtime.nrt import rtsys

from codegen import jit
from codegen.backend import machine_code
from codegen.backend.numba.analyses import QUICK_ANALYSES
from codegen.backend.numba.lookups import attributes_replaced


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def nested(n, x):
    total = 0.0
    last = x
    for i in range(n):
        for j in range(i):
            if j % 3 == 1:
                continue
            if total > 100.0:
                last = total
                break
            total += x * j
        else:
            last = last - 1.0
        x = x * 0.5 + last
    return total, last, x


def sometimes_assigned(n):
    for i in range(n):
        y = i * 2
    if n > 3:
        z = y
    elif n > 2:
        z = 1
    else:
        z = n
        y = z
    return y + z


def straight(a):
    b = a + 1
    a = b * b
    b = a - b
    return a / b


FUNCTIONS = [collatz, nested, sometimes_assigned, straight]


def single_assignment_text(f: Callable[..., Any]) -> str:
    function = compiler.run_frontend(f)
    return "\n".join(
        f"{label}: {statement}"
        for label, block in ssa.reconstruct_ssa(function).blocks.items()
        for statement in block.body
    )


def live(f: Callable[..., Any]) -> Any:
    blocks = compiler.run_frontend(f).blocks
    cfg, found = analysis.compute_cfg_from_blocks(blocks), analysis.compute_use_defs(blocks)
    return analysis.compute_live_map(cfg, blocks, found.usemap, found.defmap)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_single_assignments_are_numbas(f: Callable[..., Any]) -> None:
    theirs = single_assignment_text(f)
    with attributes_replaced(QUICK_ANALYSES):
        ours = single_assignment_text(f)
    assert ours == theirs
    assert ".1" in theirs  # something was renamed


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_live_variables_are_numbas(f: Callable[..., Any]) -> None:
    theirs = live(f)
    with attributes_replaced(QUICK_ANALYSES):
        assert live(f) == theirs


def on_the_stack(name: str, place: int) -> str:
    state = SimpleNamespace(_pc=place, _temp_registers=[])
    made: str = byteflow.State.make_temp(state, name)
    return made


def test_names_are_told_apart_from_places() -> None:
    """`n2` at place 80 of the bytecode and `n` at place 280; and a program in which they are read there."""
    assert on_the_stack("n2", 80) == on_the_stack("n", 280)
    with attributes_replaced(QUICK_ANALYSES):
        assert on_the_stack("n2", 80) != on_the_stack("n", 280)
    x = np.ones((2, 3))
    np.testing.assert_array_equal(jit(lambda x, k: np.flip(np.cumsum(x, 0), 0) * k)(x, 2), x * [[4], [2]])


def longer(n):
    items = np.empty(1, np.int64)
    count = 0
    for i in range(n):
        if count == len(items):
            room = np.empty(2 * count, np.int64)
            room[:count] = items
            items = room
        items[count] = i * i
        count += 1
    return items[:count]


def in_turn(n, x):
    here, there = x.copy(), np.zeros(len(x))
    for _ in range(n):
        for i in range(len(x)):
            there[i] = here[i - 1] + here[i]
        here, there = there, here
    return here, there


def made_inside(n, x):
    """With array expressions, which may read a variable after its next assignment."""
    for i in range(n):
        if i % 3 == 0:
            last = x + float(i)
            for _ in range(i):
                last = last[1:]
                if len(last) < 3:
                    last = x
        first = last * 2.0
        last = first - last
    return last + first


def of_two_layouts(n, x):
    y = np.zeros(3)
    for i in range(n):
        if i % 2 == 0:
            y = x[i % 3 :: 2]
        else:
            y = np.full(4, y[-1])
    return y


def set_or_not(n, x):
    for i in range(n):
        for j in range(i):
            y = np.full(j + 1, x[j % len(x)] + 1.0)
        if i > 2:
            x = y
    return x


def where_references_are_counted(compiled: Any) -> int:
    (result,) = compiled.overloads.values()
    return len(re.findall(r"call void @NRT_(?:incref|decref)", result.library.get_llvm_str()))


X = np.arange(8.0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("f", "args", "is_fewer"),
    [
        (longer, (40,), True),
        (in_turn, (7, X), True),
        (made_inside, (9, X), False),
        (of_two_layouts, (6, X), False),
        (set_or_not, (7, X), False),
    ],
)
def test_arrays_that_loops_assign_are_one_variable(f: Callable[..., Any], args: Any, is_fewer: bool) -> None:
    """The results are Numba's, all memory is given back, and references are counted in fewer places."""
    theirs, ours = numba.njit(f), machine_code.njit()(f)
    wanted = theirs(*args)
    np.testing.assert_array_equal(ours(*args), wanted)
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        for _ in range(10):
            ours(*args)
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free > 0
    if is_fewer:
        assert where_references_are_counted(ours) < where_references_are_counted(theirs)
