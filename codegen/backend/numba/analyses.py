"""What Numba's compiler works out in steps that grow with the square of a function, in fewer: QUICK_ANALYSES.

Static single assignment. For each variable that is assigned more than once Numba walks over all statements, twice.
Here it walks over the blocks that mention the variable: where statements stand in thousands of blocks, most are one
assignment and its use.

Live variables. Numba's sets of names become bits of ints, whose unions are one operation.

Scopes. Numba looks for each variable in the scope of each block; the blocks of a function share one.

The results are Numba's own, names of new variables included, but for two things. What a variable puts on the stack
Numba names by the variable and a place in the bytecode, one written behind the other, so that `n2` at place 80 and `n`
at place 280 were one, and the function was refused. And an array that a loop may assign anew is one variable again when
its type is known: where single assignments meet Numba assigns one name to another, in every round of a loop, counts a
reference to it each time and gives one up, and LLVM keeps nothing of the array in registers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from numba.core import analysis, byteflow, ir, ir_utils, ssa, typed_passes, types, untyped_passes

Attribute = tuple[Any, str, Any]  # whose, its name, its value
Blocks = dict[int, Any]

# ---- static single assignment ----

# Of the functions being rewritten: the blocks that mention a variable.
MENTIONS: list[dict[str, set[int]]] = []

all_single_assignments: Any = ssa._run_ssa
rewrite_all_blocks: Any = ssa._run_block_rewrite


def single_assignments(blocks: Blocks) -> Blocks:
    """Numba's rewriting of one variable after the other, which knows where each is mentioned."""
    found: dict[str, set[int]] = defaultdict(set)
    for label, block in blocks.items():
        for statement in block.body:
            for var in statement.list_vars():
                found[var.name].add(label)
            if isinstance(statement, ir.Assign):
                found[statement.target.name].add(label)
    MENTIONS.append(found)
    try:
        return all_single_assignments({label: copy(block) for label, block in blocks.items()})
    finally:
        MENTIONS.pop()


def rewrite_blocks(blocks: Blocks, states: dict[str, Any], handler: Any) -> Blocks:
    """Rewrite the blocks that mention a variable. A rewriting changes no other variable's mentions."""
    where = MENTIONS[-1][states["varname"]]
    rewritten = rewrite_all_blocks({k: block for k, block in blocks.items() if k in where}, states, handler)
    return {k: rewritten.get(k, block) for k, block in blocks.items()}


# ---- and back ----

strip_phis: Any = typed_passes.PreLowerStripPhis.run_pass


def strip_array_phis(self: Any, state: Any) -> Any:
    """Numba's pass, after names that are one array variable of the text are one again. (Parallel loops hold names of
    their own.)"""
    if state.typemap is not None and not state.flags.auto_parallel.enabled:
        merge_array_names(state.func_ir.blocks, state.typemap)
    return strip_phis(self, state)


def merge_array_names(blocks: Blocks, kinds: Mapping[str, Any]) -> None:
    """Arrays of one type that meet have one name: of a variable's values one is alive at a time."""
    phis = [
        (block, each) for block in blocks.values() for each in block.find_insts(ir.Assign) if is_phi(each)
    ]
    meeting = [(block, phi) for block, phi in phis if isinstance(kinds[phi.target.name], types.Array)]
    merged: dict[str, Any] = {}

    def one(var: Any) -> Any:
        while var.name in merged:
            var = merged[var.name]
        return var

    for _, phi in meeting:
        for var in defined_values(phi):
            mine, other = one(phi.target), one(var)
            if mine.name != other.name and kinds[mine.name] == kinds[other.name]:
                merged[other.name] = mine
    if not merged or any(expr.op == "arrayexpr" for block in blocks.values() for expr in block.find_exprs()):
        return  # an array expression may read a variable behind its next assignment
    for block, phi in meeting:
        if all(one(var).name == one(phi.target).name for var in defined_values(phi)):
            block.remove(phi)
    ir_utils.replace_vars(blocks, {name: one(var) for name, var in merged.items()})


def defined_values(phi: Any) -> list[Any]:
    return [var for var in phi.value.incoming_values if var is not ir.UNDEFINED]


def is_phi(assign: Any) -> bool:
    return isinstance(assign.value, ir.Expr) and assign.value.op == "phi"


# ---- live variables ----


def live_variables(
    cfg: Any, blocks: Blocks, uses: Mapping[int, set[str]], definitions: Mapping[int, set[str]]
) -> dict[int, set[str]]:
    """The variables that are live where each block begins: the least fixed point."""
    names = sorted(set().union(*uses.values(), *definitions.values()))
    bits = {name: 1 << k for k, name in enumerate(names)}
    used = {label: total(bits, uses[label]) for label in blocks}
    defined = {label: total(bits, definitions[label]) for label in blocks}
    order = cfg.topo_order()
    reaching = {label: used[label] | defined[label] for label in blocks}
    before = None
    while before != reaching:
        before = dict(reaching)
        for label in order:
            for after, _ in cfg.successors(label):
                reaching[after] |= reaching[label]
    live, before = dict(used), None
    while before != live:
        before = dict(live)
        for label in reversed(order):
            for ahead, _ in cfg.predecessors(label):
                live[ahead] |= live[label] & reaching[ahead] & ~defined[ahead]
    return {label: named(names, mask) for label, mask in live.items()}


def total(bits: Mapping[str, int], names: Iterable[str]) -> int:
    found = 0
    for name in names:
        found |= bits[name]
    return found


def named(names: list[str], mask: int) -> set[str]:
    """The names of the bits that are set."""
    found = set()
    while mask:
        lowest = mask & -mask
        found.add(names[lowest.bit_length() - 1])
        mask ^= lowest
    return found


# ---- scopes ----


def define_in_scopes(blocks: Blocks) -> None:
    """Every variable that is used, in the scope of every block."""
    used = {var.name: var for block in blocks.values() for inst in block.body for var in inst.list_vars()}
    for scope in {id(block.scope): block.scope for block in blocks.values()}.values():
        for name, var in used.items():
            if name not in scope.localvars:
                scope.localvars.define(name, var)


# ---- the stack's variables ----

numbas_temporary: Any = byteflow.State.make_temp


def temporary(state: Any, prefix: str = "") -> str:
    """The name of what is put on the stack, told apart from its place where it ends with a digit."""
    name: str = numbas_temporary(state, f"{prefix}." if prefix[-1:].isdigit() else prefix)
    return name


QUICK_ANALYSES: list[Attribute] = [
    (ssa, "_run_ssa", single_assignments),
    (ssa, "_run_block_rewrite", rewrite_blocks),
    (typed_passes.PreLowerStripPhis, "run_pass", strip_array_phis),
    (analysis, "compute_live_map", live_variables),
    (byteflow.State, "make_temp", temporary),
    (untyped_passes, "fixup_var_define_in_scope", define_in_scopes),
]
