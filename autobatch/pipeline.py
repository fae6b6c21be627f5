"""From a program of one lane to what machines run: the passes, in order, a line each.

    prepared(program)   calls only of recursive functions, array equations as loops over numbers, index errors as checks
    contracted(...)     the same roundings in all machines
    blocks(...)         basic blocks (cfg/lower.py), cut where lanes are to meet
    grouped(...)        blocks that lanes run side by side, without branches

Each is checked after each pass; `seconds` is given what each pass took, by name.
"""

from __future__ import annotations

from collections.abc import Callable

from autobatch.cfg.check import check as check_blocks
from autobatch.cfg.graph import BlockProgram
from autobatch.prepare.contraction import contract
from autobatch.prepare.function_merging import merge_functions
from autobatch.prepare.passes import checked, flat, loops, unmarked, unsaid, untransposed
from autobatch.prepare.softplus import softplus
from autobatch.prepare.unroll_by_two import alternate
from autobatch.prepare.written_out import written_out
from autobatch.simd.block_splitting import split_blocks
from autobatch.simd.if_conversion import flattened
from codegen.emit.overflow import wrapping
from codegen.ir import Program
from codegen.ir.check import check
from codegen.loops.fusion import fuse
from codegen.pipeline import last, through
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.driver import simplify

Pass = Callable[[Program], Program]


def prepare(bounds_checks: Pass) -> dict[str, Pass]:
    """The passes before a program is cut into blocks."""
    return {
        "function merging": merge_functions,
        "drop marks": unmarked,
        "written out": written_out,
        "inline": flat,
        "simplify": simplify,
        "transposes": untransposed,
        "bounds checks": bounds_checks,
        "drop messages": unsaid,
        "loops": loops,
        "simplify loops": simplify,
        "fusion": fuse,
        "softplus": softplus,
        "simplify terms": simplify,
        "unroll by two": alternate,
        "tidy": simplify,
    }


PREPARE = prepare(
    checked
)  # places in arrays are counted from the start: a lane's array is part of a larger one
FOR_THE_HOST = prepare(bounds)  # each lane's arrays are its own
CONTRACT: dict[str, Pass] = {"contraction": contract, "overflow": wrapping}
GROUPS: dict[str, Callable[[BlockProgram], BlockProgram]] = {
    "split": split_blocks,
    "if-conversion": flattened,
}


def prepared(program: Program) -> Program:
    return last(through(PREPARE, program, check))


def prepared_for_the_host(program: Program) -> Program:
    return last(through(FOR_THE_HOST, program, check))


def contracted(program: Program) -> Program:
    return last(through(CONTRACT, program, check))


def grouped(program: BlockProgram) -> BlockProgram:
    return last(through(GROUPS, program, check_blocks))
