"""One-lane programs for many lanes: the corpus and others, with what each lane is to give."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from corpus import CASES, Case

from autobatch.lanes.local_static import LaneProgram
from codegen.emit.module import show
from codegen.infer import trace
from codegen.ir import Program
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.pytree import describe, flatten, known_size
from codegen.simplify.driver import simplify


@dataclass(frozen=True)
class Lanes:
    """A program, its flat arguments lane by lane (afresh: generators advance), and which are per lane."""

    program: Program
    arguments: Callable[[], list[list[Any]]]
    over: tuple[bool, ...]

    def wanted(self) -> list[Any]:
        """What each lane gives: its results, or the exception it ends in."""
        return [outcome(self.program, lane) for lane in self.arguments()]

    def stacked(self) -> list[Any]:
        """One value a parameter, those per lane with the lanes first."""
        lanes = self.arguments()
        params = self.program.entry.params
        columns = [[lane[k] for lane in lanes] for k in range(len(params))]
        return [column(c, p.type.dtype) if o else c[0] for c, p, o in zip(columns, params, self.over)]


def outcome(program: Program, lane: list[Any]) -> Any:
    try:
        return evaluate(program, *lane)
    except Exception as error:  # whatever the program raises is the expectation
        return error


def column(values: list[Any], dtype: str) -> np.ndarray:
    if dtype == "rng":
        streams = np.empty(len(values), object)
        streams[:] = values
        return streams
    return np.stack([np.asarray(v, dtype) for v in values])


def lanes_of(function: Callable[..., Any], lanes: Callable[[], Any], shared: Sequence[int] = ()) -> Lanes:
    """A function traced for the types of its lanes' arguments; `shared`: arguments that all lanes share."""
    first = list(lanes())[0]
    entries = tuple(describe(a, known_size) for a in first)
    made = trace(function, entries, known_sizes=True)
    per_leaf = [k not in shared for k, e in enumerate(entries) for _ in flatten(first[k], e)]
    over = (*per_leaf, *(False for _ in made.hidden))

    def arguments() -> list[list[Any]]:
        return [
            [leaf for value, e in zip(lane, entries) for leaf in flatten(value, e)] + list(made.hidden)
            for lane in lanes()
        ]

    return Lanes(check(simplify(made.program)), arguments, over)


# Refused while it is traced: two sizes that are known differ.
PROGRAMS = [case for case in CASES if case.name != "sizes_differ"]


def of_case(case: Case) -> Lanes:
    return lanes_of(case.function, case.lanes, case.shared)


def holds(lanes: Lanes, made: LaneProgram) -> None:
    """The program over lanes, as it is, simplified, and printed, gives what each lane gives by itself."""
    check(made.program, after="batching")
    simple = check(simplify(made.program), after="simplify")
    wanted = lanes.wanted()
    results = len(lanes.program.entry.body.results)
    for run in (evaluated(made.program), evaluated(simple), printed(simple)):
        agree(wanted, run(*lanes.stacked()), results, made)


def evaluated(program: Program) -> Callable[..., tuple[Any, ...]]:
    return lambda *arguments: evaluate(program, *arguments)


def printed(program: Program) -> Callable[..., tuple[Any, ...]]:
    """The emitted text, run as a reader would run it."""
    scope: dict[str, Any] = {}
    exec(compile(show(program), "<emitted>", "exec"), scope)
    single = len(program.entry.body.results) == 1

    def run(*arguments: Any) -> tuple[Any, ...]:
        with np.errstate(all="ignore"):
            results = scope[program.main](*arguments)
        return (results,) if single else results or ()

    return run


def agree(wanted: list[Any], got: tuple[Any, ...], results: int, made: LaneProgram) -> None:
    codes = got[results] if made.failings else np.zeros(len(wanted), int)
    for k, expected in enumerate(wanted):
        if isinstance(expected, Exception):
            failing = made.failings[codes[k] - 1]
            assert codes[k] > 0 and failing.exception == type(expected).__name__
            continue
        assert codes[k] == 0, made.failings[codes[k] - 1]
        for one, column_ in zip(expected, got):
            if not isinstance(one, np.random.Generator):
                equal(column_[k], one)


def equal(got: Any, wanted: Any) -> None:
    assert np.shape(got) == np.shape(wanted)
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12, equal_nan=True)
