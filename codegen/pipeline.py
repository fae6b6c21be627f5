"""From a traced program to the program that is printed: the passes, in order, a line each.

stages("numba", traced)   ->  {"infer": Program, "simplify": Program, ..., "scalarize": Program}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codegen.bounds import bounds
from codegen.check import check
from codegen.ir import Program
from codegen.scalarize import scalarize
from codegen.simplify import simplify
from codegen.spare import spare
from codegen.stencils import stencils
from codegen.targets.numba_cpu import compiles

Pass = Callable[[Program], Program]


def loops(program: Program) -> Program:
    """As loops the array equations that Numba does not compile as they stand, or would with arrays in between."""
    around = stencils(program)
    return scalarize(program, when=lambda equation: equation in around or not compiles(equation))


PASSES: dict[str, dict[str, Pass]] = {
    "numpy": {
        "simplify": simplify,
    },
    "numba": {
        "simplify": simplify,
        "bounds": bounds,
        "scalarize": loops,
        "tidy": simplify,
        "spare": spare,
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
