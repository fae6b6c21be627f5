"""From a traced program to the program that is printed: the passes, in order, a line each.

    stages("numba", traced)   ->  {"infer": Program, "simplify": Program, ..., "scalarize": Program}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codegen.check import check
from codegen.ir import Program
from codegen.simplify import simplify

Pass = Callable[[Program], Program]


PASSES: dict[str, dict[str, Pass]] = {
    "numpy": {
        "simplify": simplify,
    },
    "numba": {
        "simplify": simplify,
    },
}


def stages(target: str, traced: Sequence[tuple[str, Program]]) -> dict[str, Program]:
    """Every stage of a program by name, the last one ready to be printed; each is checked."""
    if target not in PASSES:
        raise ValueError(f"no target {target!r}: there are {', '.join(PASSES)}")
    made = dict(traced)
    program = traced[-1][1]
    for name, run in PASSES[target].items():
        program = made[name] = check(run(program), after=name)
    return made
