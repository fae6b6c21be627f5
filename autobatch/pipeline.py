"""From a program of one lane to what machines run: the passes, in order, a line each.

    prepared(program)   calls only of recursive functions, array equations as loops over numbers, index errors as checks
    contracted(...)     the same roundings in all machines
    blocks(...)         basic blocks (cfg/lower.py), cut where lanes are to meet
    group_blocks(...)   blocks that lanes run side by side, without branches

Each is checked after each pass; `seconds` is given what each pass took, by name.
"""

from __future__ import annotations

from collections.abc import Callable

from autobatch.cfg.check import check as check_blocks
from autobatch.cfg.graph import BlockProgram
from autobatch.prepare.accumulators import pass_sums_on
from autobatch.prepare.contraction import contract_products
from autobatch.prepare.exact_draws import exact_draws
from autobatch.prepare.own_streams import refuse_frames_with_streams
from autobatch.prepare.passes import (
    drop_messages,
    drop_transposes,
    explicit_bounds_checks,
    inline_all,
    lower_all_to_loops,
    lower_but_waited_products,
    lower_to_loops,
)
from autobatch.prepare.prints import refuse_prints
from autobatch.prepare.softplus import rewrite_softplus
from autobatch.prepare.unroll_by_two import unroll_by_two
from autobatch.prepare.written_out import write_out_definitions, write_out_small_definitions
from autobatch.simd.block_splitting import split_blocks
from autobatch.simd.if_conversion import flattened
from codegen.analysis.growth import refuse_growth
from codegen.emit.overflow import wrapping
from codegen.ir import Program
from codegen.ir.check import check
from codegen.loops.fusion import fuse
from codegen.pipeline import last, through
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.driver import simplify, without_marks
from codegen.simplify.function_merging import merge_functions
from codegen.simplify.int_ranges import decide_ints

Pass = Callable[[Program], Program]


def prepare(written_out: Pass, bounds_checks: Pass, loops: Pass = lower_to_loops) -> dict[str, Pass]:
    """The passes before a program is cut into blocks."""
    return {
        "function merging": merge_functions,
        "drop marks": without_marks,
        "written out": written_out,
        "inline": inline_all,
        "simplify": simplify,
        "bounded lists": refuse_growth,
        "streams": refuse_frames_with_streams,
        "prints": refuse_prints,
        "transposes": drop_transposes,
        "bounds checks": bounds_checks,
        "drop messages": drop_messages,
        "loops": loops,
        "int ranges": decide_ints,
        "simplify loops": simplify,
        "fusion": fuse,
        "softplus": rewrite_softplus,
        "simplify terms": simplify,
        "unroll by two": unroll_by_two,
        "tidy": simplify,
    }


# Places in arrays are counted from the start: a lane's array is part of a larger one.
PREPARE = prepare(write_out_small_definitions, explicit_bounds_checks)
FOR_THE_HOST = prepare(write_out_definitions, bounds)  # each lane's arrays are its own
FOR_THREADS = prepare(write_out_definitions, explicit_bounds_checks, lower_all_to_loops) | {
    "draws": exact_draws,
    "accumulators": pass_sums_on,
}  # of a GPU: no library
WAITING = FOR_THREADS | {"loops": lower_but_waited_products}
CONTRACT: dict[str, Pass] = {"contraction": contract_products, "overflow": wrapping}
GROUPS: dict[str, Callable[[BlockProgram], BlockProgram]] = {
    "split": split_blocks,
    "if-conversion": flattened,
}


def prepared(program: Program) -> Program:
    return last(through(PREPARE, program, check))


def prepared_for_the_host(program: Program) -> Program:
    return last(through(FOR_THE_HOST, program, check))


def prepared_for_threads(program: Program, *, products: bool = False) -> Program:
    """`products`: with those that lanes may wait at."""
    return last(through(WAITING if products else FOR_THREADS, program, check))


def contract_sums(program: Program) -> Program:
    return last(through(CONTRACT, program, check))


def group_blocks(program: BlockProgram) -> BlockProgram:
    return last(through(GROUPS, program, check_blocks))
