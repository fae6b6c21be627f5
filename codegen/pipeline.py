"""From a traced program to the program that is printed: the passes, in order, a line each.

stages("numba", traced)      ->  {"infer": Program, "simplify": Program, ..., "depth check": Program}
emission(program, "numba")   ->  {"broadcasting": Program, "copies": Program}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import TypeVar

from codegen import ir
from codegen.analysis.calls import called_in_loops
from codegen.analysis.small_arrays import run_again
from codegen.emit.argument_stores import ResultHome
from codegen.emit.idioms import idioms
from codegen.emit.implicit_broadcasting import implicit_broadcasts
from codegen.emit.inplace import inplace
from codegen.emit.overflow import wrapping
from codegen.ir import Equation, For, Program
from codegen.ir.check import check, is_asked_after_each_pass
from codegen.ir.traversal import equation_count, equations
from codegen.loops.contraction import contract
from codegen.loops.double_buffer import spare
from codegen.loops.filled import without_fills
from codegen.loops.fusion import fuse
from codegen.loops.gpu.early import early_checks, early_numbers
from codegen.loops.gpu.kernel_coverage import is_for_cupy
from codegen.loops.gpu.kernels import kernels
from codegen.loops.gpu.row_kernels import share_rows
from codegen.loops.independent import share_alike, sum_alike
from codegen.loops.interior_writes import frames
from codegen.loops.lower import scalarize
from codegen.loops.masked_sums import masked_sums
from codegen.loops.overwrite import overwrite
from codegen.loops.parallelise import share_loops
from codegen.loops.products import is_of_vectors, is_small_product, products_of_made
from codegen.loops.shortened import shortened
from codegen.loops.tiling.tiles import tiles
from codegen.loops.vectors.distribution import distribute
from codegen.loops.vectors.vectorise import fills_vectors, fits_vectors, vectorise
from codegen.loops.vectors.zero_based import zero_based
from codegen.loops.windows import written_windows
from codegen.recursion.depth_check import depth
from codegen.recursion.inlining import shallow, unroll_recursion
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.dead_writes import dead_writes
from codegen.simplify.diagonal_views import diagonal_views
from codegen.simplify.driver import simplify, without_marks
from codegen.simplify.function_merging import merge_functions
from codegen.simplify.inline import inline, is_worth_inlining, without_empty_calls
from codegen.simplify.int_ranges import decide_ints
from codegen.simplify.known_parameters import known_parameters
from codegen.simplify.literal_sizes import literal_sizes
from codegen.simplify.one_size import one_size
from codegen.simplify.parts_alone import parts_alone
from codegen.simplify.scalar_replacement import scalar_replacement
from codegen.source import SourceError
from codegen.targets import TARGETS
from codegen.targets.numba_cpu import has_threads, is_for_library
from codegen.while_loops.single_pass import single_pass

Pass = Callable[[Program], Program]


def compute_in_loops(program: Program) -> Program:
    """As loops over numbers, which threads may share, all array equations that compute: Numba compiles them in a tenth
    of the time that array expressions take it, and what one loop makes and another reads needs no array. Products of
    matrices are for BLAS."""
    tiled = {e for f in program.functions.values() if has_threads(f) for e in equations(f.body)}
    again, joined = run_again(program), products_of_made(program)

    def turned(equation: Equation) -> bool:
        op = equation.op
        in_loop = equation in again and (is_small_product(op) or is_of_vectors(op))
        return (in_loop or equation in joined or not is_for_library(op)) and equation not in tiled

    return scalarize(program, when=turned, views=True)


def compute_in_kernels(program: Program) -> Program:
    """The same, but for what a GPU has a library for, or its host draws."""
    again, whole = run_again(program), written_windows(program)

    def turned(equation: Equation) -> bool:
        if equation in again and is_small_product(equation.op) or not whole.isdisjoint(equation.outs):
            return True
        return not is_for_library(equation.op) and not is_for_cupy(equation)

    return scalarize(program, when=turned, views=True, windows=True)


def inline_in_loops(program: Program) -> Program:
    """Calls inlined, and those in loops whatever they call: kernels call nothing but what texts bring along."""
    called = called_in_loops(program)
    return inline(program, when=lambda f, calls: f.name in called or is_worth_inlining(f, calls))


def fuse_array_loops(program: Program) -> Program:
    """With the loops of array equations over the same rows made one, a row at a time."""
    return fuse(program, worth=are_alike)


def fuse_for_threads(program: Program) -> Program:
    """The same, where threads share both loops in one way, or rows of both, or sums of the same columns."""

    def worth(a: For, b: For) -> bool:
        return are_parallel(a, b) and (share_alike(a, b) or share_rows(a, b) or sum_alike(a, b))

    return fuse(program, worth)


def wrap_in_kernels(program: Program) -> Program:
    """Ints of NumPy's that may overflow in kernels; those of the host are NumPy's themselves."""
    made = wrapping(program).functions
    kept = {name: made[name] if f.kernel else f for name, f in program.functions.items()}
    return ir.program(kept, program.main)


LARGEST = (
    200  # equations of a fused loop: many more need more registers than there are, and long to be compiled
)


def are_alike(a: For, b: For) -> bool:
    """Whether two loops are of array equations, vectors are made of both or of neither, and both are not too large."""
    return are_parallel(a, b) and (fills_vectors(a) == fills_vectors(b) or is_a_step_between_rows(a, b))


def is_a_step_between_rows(a: For, b: For) -> bool:
    """Whether one of two loops goes through rows and the other computes a few numbers of each, without functions."""
    return any(
        has_loops(x) and all(fits_vectors(e, functions=False) for e in y.body.equations)
        for x, y in ((a, b), (b, a))
    )


def has_loops(loop: For) -> bool:
    return any(isinstance(e.op, For) for e in loop.body.equations)


def are_parallel(a: For, b: For) -> bool:
    """Whether two loops are of array equations, and both are not too large."""
    small = equation_count(a.body) + equation_count(b.body) <= LARGEST
    return a.kind == b.kind == "parallel" and small


PASSES: dict[str, dict[str, Pass]] = {
    "numpy": {
        "parts alone": parts_alone,
        "empty calls": without_empty_calls,
        "literal sizes": literal_sizes,
        "one size": one_size,
        "int ranges": partial(decide_ints, remainders=True),
        "simplify": without_marks,
        "merge functions": merge_functions,
    },
    "numba": {
        "parts alone": parts_alone,
        "empty calls": without_empty_calls,
        "simplify": without_marks,
        "known parameters": known_parameters,
        "literal sizes": literal_sizes,
        "single pass": single_pass,
        "call depth": shallow,
        "unroll": unroll_recursion,
        "bounds checks": bounds,
        "dead writes": dead_writes,
        "interior writes": frames,
        "diagonals": diagonal_views,
        "loops": compute_in_loops,
        "int ranges": decide_ints,
        "simplify loops": simplify,
        "masked sums": masked_sums,
        "fusion": fuse_array_loops,
        "contraction": contract,
        "tidy": simplify,
        "overwriting": overwrite,
        "small arrays": scalar_replacement,
        "tidy numbers": simplify,
        "double buffer": spare,
        "merge functions": merge_functions,
        "late checks": shortened,
        "distribution": distribute,
        "vectors": vectorise,
        "from zero": zero_based,
        "overflow": wrapping,
        "depth check": depth,
    },
    "cuda": {
        "inline": inline_in_loops,
        "simplify": without_marks,
        "literal sizes": literal_sizes,
        "bounds checks": bounds,
        "dead writes": dead_writes,
        "loops": compute_in_kernels,
        "simplify loops": simplify,
        "early checks": early_checks,
        "one size": one_size,
        "fusion": fuse_for_threads,
        "filled arrays": without_fills,
        "tidy": simplify,
        "small arrays": scalar_replacement,
        "tidy numbers": simplify,
        "early numbers": early_numbers,
        "kernels": kernels,
        "tidy kernels": simplify,
        "merge kernels": merge_functions,
        "overflow": wrap_in_kernels,
    },
}

PARALLEL: dict[str, dict[str, Pass]] = {
    "numba": {
        "inline": inline,
        "simplify": without_marks,
        "unroll": unroll_recursion,
        "bounds checks": bounds,
        "tiling": tiles,
        "interior writes": frames,
        "diagonals": diagonal_views,
        "loops": compute_in_loops,
        "int ranges": decide_ints,
        "tidy": simplify,
        "overwriting": overwrite,
        "small arrays": scalar_replacement,
        "tidy numbers": simplify,
        "double buffer": spare,
        "parallelise": share_loops,
        "late checks": shortened,
        "distribution": distribute,
        "vectors": vectorise,
        "from zero": zero_based,
        "overflow": wrapping,
        "depth check": depth,
    },
}


def stages(
    target: str,
    traced: Sequence[tuple[str, Program]],
    *,
    parallel: bool = False,
    seconds: dict[str, float] | None = None,
) -> dict[str, Program]:
    """Every stage of a program by name, the last one ready for `emission`; each is checked.

    `seconds` is given what each pass took.
    """
    passes = PARALLEL if parallel else PASSES
    if target not in passes:
        raise ValueError(f"no target {target!r}{' is parallel' * parallel}: there are {', '.join(passes)}")
    return dict(traced) | through(passes[target], traced[-1][1], check, seconds)


def emission(
    program: Program,
    target: str,
    homes: Sequence[ResultHome] | None = None,
    seconds: dict[str, float] | None = None,
) -> dict[str, Program]:
    """The last stages, after which the program is printed as it stands; for `homes` see inplace.py."""
    copies = partial(inplace, homes=homes, checked=TARGETS[target].compiled)
    whole = {} if TARGETS[target].compiled else {"idioms": idioms}
    return through(
        {"broadcasting": implicit_broadcasts} | whole | {"copies": copies}, program, check, seconds
    )


P = TypeVar("P")


def through(
    passes: Mapping[str, Callable[[P], P]],
    program: P,
    well_formed: Callable[..., P],
    seconds: dict[str, float] | None = None,
) -> dict[str, P]:
    """The program after each pass, by name; `well_formed` raises where it is not. One that stays as it is was asked.

    Asked is the last one alone, and all of them where a pass fails: then it is told which pass went wrong. With
    AUTOBATCH_CHECK=passes in the environment, as in all tests, each is asked at once.
    """
    if is_asked_after_each_pass():
        return checked_after(passes, program, well_formed, seconds)
    try:
        unchecked = checked_after(passes, program, lambda each, **_: each, seconds)
        well_formed(last(unchecked), after=list(passes)[-1])
        return unchecked
    except SourceError:
        raise
    except Exception:
        return checked_after(passes, program, well_formed, seconds)


def checked_after(
    passes: Mapping[str, Callable[[P], P]],
    program: P,
    well_formed: Callable[..., P],
    seconds: dict[str, float] | None,
) -> dict[str, P]:
    """The program after each pass that changes it, each of which is asked."""
    made: dict[str, P] = {}
    for name, run in passes.items():
        begun = perf_counter()
        after = run(program)
        program = made[name] = after if after is program else well_formed(after, after=name)
        if seconds is not None:
            seconds[name] = perf_counter() - begun
    return made


def last(made: Mapping[str, P]) -> P:
    """The program after all passes."""
    return list(made.values())[-1]


def told(seconds: Mapping[str, float]) -> str:
    """What passes took, for people."""
    return ", ".join(f"{name} {1e3 * spent:.1f} ms" for name, spent in seconds.items())
