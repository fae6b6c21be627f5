"""Random programs by the machines of lanes, their text run as plain Python: the numbers of each lane by itself.

Nothing is compiled here, so that there can be many: what is wrong with places, lifetimes, masks or lists of lanes is
wrong in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import user_programs
from plain_numba import run_lanes, stacked
from random_arrays import array_program
from random_ir import equations, random_program
from random_programs import loaded
from random_recursion import recursive_program

from autobatch.execute.executor import Machine
from autobatch.kernel.memory import group as group_memory
from autobatch.kernel.module import LaneModule
from autobatch.kernel.numba.groups.module import groups_module
from autobatch.schedule import Schedule
from autodiff.pipeline import reverse
from codegen.infer.trace import Traced, trace
from codegen.ir import Program, Type
from codegen.ir.interpreter import evaluate
from codegen.ir.literals import literal
from codegen.ir.substitution import substitute
from codegen.pipeline import last
from codegen.pytree import describe
from codegen.pytree import known_size as size_of
from codegen.simplify.driver import simplify

LANES = 3


def until_one_is_left(machine: Machine) -> LaneModule:
    """A group of 4 whose last lane moves to the first place and runs for itself."""
    with mock.patch.multiple(group_memory, GROUP_LANES=1, DISTRIBUTED_GROUP_LANES=1):
        return groups_module(machine.grouped, machine.shared, machine.name, schedule=Schedule(group=4))


MADE: dict[str, Callable[[Machine], LaneModule]] = {
    "lanewise": lambda machine: machine.by_lanes(),
    "groups": lambda machine: machine.in_groups(),
    "groups, one left": until_one_is_left,
}


def known_size(program: Program, sizes: dict[Any, int]) -> Program:
    """The program for arrays of these sizes."""
    entry = program.entry
    known = {n: literal(size) for n, size in sizes.items()}
    params = tuple(
        type(p)(p.name, Type(p.type.dtype, tuple(sizes.get(d, d) for d in p.type.shape)))
        for p in entry.params
    )
    body = substitute(entry.body, {**known, **dict(zip(entry.params, params, strict=True))})
    changed = type(entry)(entry.name, params, body, entry.span, entry.doc)
    return type(program)({**program.functions, program.main: changed}, program.main)


def check_lanes(
    program: Program, lanes: Sequence[Sequence[Any]], function: Callable[..., Any] | None = None
) -> None:
    """Each machine gives each lane what the program gives it, or the function that it was read from."""
    with np.errstate(all="ignore"):
        found = [function(*lane) if function else evaluate(program, *lane) for lane in lanes]
    wanted = [one if isinstance(one, tuple) else (one,) for one in found]
    error = 1e-5 if any(o.type.dtype == "f4" for e in equations(program) for o in e.outs) else 1e-9
    machine = Machine(Traced(program, (), ()), (False,) * len(program.entry.params), Schedule())
    for name, make in MADE.items():
        outputs = run_lanes(make(machine), lanes, list(zip(*wanted, strict=True)))
        for found, column in zip(outputs, zip(*wanted, strict=True), strict=True):
            np.testing.assert_allclose(found, stacked(column), rtol=error, atol=error, err_msg=name)


def varied(arguments: Sequence[Any], seed: int) -> list[tuple[Any, ...]]:
    """A few lanes: these arguments, and others of their kinds."""
    rng = np.random.default_rng(seed)
    lanes = [tuple(arguments)]
    for _ in range(LANES - 1):
        lanes.append(tuple(type_of(a)(a + rng.integers(-1, 2, np.shape(a))) for a in arguments))
    return lanes


def type_of(value: Any) -> Callable[[Any], Any]:
    return (lambda v: np.asarray(v, value.dtype)) if isinstance(value, np.ndarray) else type(value)


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("first", range(0, 300, 150))
def test_arrays(first: int) -> None:
    """Equations over whole arrays, their results large and small, one after the other."""
    tried = 0
    for seed in range(first, first + 150):
        program, arguments = array_program(seed, statements=8 + seed % 13)
        if all(isinstance(d, int) for p in program.entry.params for d in p.type.shape):
            try:
                lanes = varied(arguments, seed)
                for lane in lanes:
                    evaluate(program, *lane)
            except (ValueError, FloatingPointError):  # an empty array has no largest element
                continue
            check_lanes(program, lanes)
            tried += 1
    assert tried > 30


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("first", range(0, 60, 30))
def test_control_flow(first: int) -> None:
    """Loops, branches and calls, nested."""
    for seed in range(first, first + 30):
        program, arguments = random_program(seed)
        sizes = {d: len(a) for p, a in zip(program.entry.params, arguments) for d in p.type.shape}
        program = known_size(program, sizes)
        lanes = varied(arguments, seed)
        check_lanes(program, lanes)


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("first", range(0, 20, 10))
def test_gradients(first: int, tmp_path: Path) -> None:
    """Derivatives of loops that write arrays in place: two sweeps, with what the first keeps for the second."""
    rng = np.random.default_rng(first)
    for seed in range(first, first + 10):
        lanes = [tuple(rng.normal(size=5) for _ in range(2)) for _ in range(LANES)]
        signature = tuple(describe(a, size_of) for a in lanes[0])
        program = trace(loaded(seed, tmp_path), signature, {}, known_sizes=True).program
        swept = reverse(program, (True, True), seeds={0: 1.0}, known_sizes=True)
        check_lanes(last(swept), lanes)


SUMS = """
def f(a, n):
    return a[0] if n == 0 else f(a * 0.5, n - 1) + f(a, n - 1) + a[1]
"""


def check_recursion(function: Any, lanes: list[tuple[Any, ...]]) -> None:
    signature = tuple(describe(a, size_of) for a in lanes[0])
    program = simplify(trace(function, signature, {}, known_sizes=True).program)
    check_lanes(program, lanes, function)


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("first", range(30, 50, 10))
def test_recursion(first: int) -> None:
    """Arrays that are needed after calls: kept in frames, several a function."""
    for seed in range(first, first + 10):
        rng = np.random.default_rng(seed)
        lanes = [(rng.normal(size=3), rng.normal(size=3), rng.normal(), n) for n in (2, 1, 3)]
        check_recursion(user_programs.loaded(recursive_program(seed)), lanes)


def test_two_frames_pushed_by_one_function() -> None:
    """What is held in the first is not in the second."""
    rng = np.random.default_rng(1)
    check_recursion(user_programs.loaded(SUMS), [(rng.random(2), n) for n in (3, 1, 2)])
