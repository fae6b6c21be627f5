"""From a traced program to the program that is printed: the passes, in order, a line each.

stages("numba", traced)   ->  {"infer": Program, "simplify": Program, ..., "scalarize": Program}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from codegen.emit.overflow import wrapping
from codegen.ir import Apply, Equation, Program
from codegen.ir.check import check
from codegen.loops.double_buffer import spare
from codegen.loops.interior_writes import frames
from codegen.loops.lower import scalarize
from codegen.loops.parallelise import shares
from codegen.loops.profitable import stencils
from codegen.loops.tiling.tiles import tiles
from codegen.recursion.call_depth import shallow
from codegen.recursion.depth_check import depth
from codegen.recursion.entry_point import equations
from codegen.recursion.unroll import unroll
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.driver import simplify
from codegen.simplify.inline import inline
from codegen.targets.numba_cpu import compiles, has_threads

Pass = Callable[[Program], Program]


def all_loops(program: Program) -> Program:
    """As loops, which threads may share, all array equations that compute, but products of matrices."""
    tiled = {e for f in program.functions.values() if has_threads(f) for e in equations(f.body)}

    def turned(equation: Equation) -> bool:
        op = equation.op
        moves = isinstance(op, Apply) and op.primitive.name in ("matmul", "transpose", "copy")
        return not compiles(equation) or not (moves or equation in tiled)

    return scalarize(program, when=turned)


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
        "shallow": shallow,
        "unroll": unroll,
        "bounds": bounds,
        "frames": frames,
        "scalarize": loops,
        "tidy": simplify,
        "spare": spare,
        "wrapping": wrapping,
        "depth": depth,
    },
}

PARALLEL: dict[str, dict[str, Pass]] = {
    "numba": {
        "inline": inline,
        "simplify": simplify,
        "unroll": unroll,
        "bounds": bounds,
        "tiles": tiles,
        "frames": frames,
        "scalarize": all_loops,
        "tidy": simplify,
        "spare": spare,
        "shares": shares,
        "wrapping": wrapping,
        "depth": depth,
    },
}


def stages(
    target: str, traced: Sequence[tuple[str, Program]], *, parallel: bool = False
) -> dict[str, Program]:
    """Every stage of a program by name, the last one ready to be printed; each is checked."""
    passes = PARALLEL if parallel else PASSES
    if target not in passes:
        raise ValueError(f"no target {target!r}{' is parallel' * parallel}: there are {', '.join(passes)}")
    made = dict(traced)
    program = traced[-1][1]
    for name, run in passes[target].items():
        program = made[name] = check(run(program), after=name)
    return made
