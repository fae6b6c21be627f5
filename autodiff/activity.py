"""Which values depend, differentiably, on chosen parameters.

    depends(program, name, mask) -> per function and mask: the Vars that do, and which results do

    def f(x, n):                   mask (True, False):
        k = n + 1                      k no
        y = x * k                      y yes
        if y > 0.0: z = y              z yes (in one branch is enough)
        else: z = 1.0
        return z                       results (True,)

jvp asks it what has a tangent, unzip what is linear. The answer is a least fixed point: loops and
recursive functions start from "nothing depends" and are walked until nothing more does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from autodiff.markers import CUSTOM
from codegen.ir import Apply, Atom, Block, Call, Equation, For, If, Program, Var, While
from codegen.primitives import Linear

Mask = tuple[bool, ...]
Key = tuple[str, Mask]


@dataclass(eq=False)
class Activity:
    """Of one function under one mask of its parameters."""

    active: set[Var] = field(default_factory=set)
    results: Mask = ()

    def has(self, atom: Atom) -> bool:
        return atom in self.active


def depends(program: Program, name: str, mask: Mask) -> dict[Key, Activity]:
    """What depends on the parameters of function `name` that `mask` chooses, for it and for all it calls."""
    table: dict[Key, Activity] = {}
    demand(program, (name, mask), table)
    before = None
    while before != (now := measure(table)):
        before = now
        for key, activity in list(table.items()):
            body = program.functions[key[0]].body
            propagate(program, body, activity, table)
            activity.results = tuple(activity.has(r) for r in body.results)
    return table


def measure(table: dict[Key, Activity]) -> tuple[int, int, int]:
    """Grows as long as anything is added."""
    activities = table.values()
    return len(table), sum(len(a.active) for a in activities), sum(sum(a.results) for a in activities)


def demand(program: Program, key: Key, table: dict[Key, Activity]) -> Activity:
    if key not in table:
        function = program.functions[key[0]]
        chosen = {p for p, m in zip(function.params, key[1], strict=True) if m}
        table[key] = Activity(chosen, tuple(r in chosen for r in function.body.results))
    return table[key]


def propagate(program: Program, block: Block, known: Activity, table: dict[Key, Activity]) -> None:
    for equation in block.equations:
        propagate_equation(program, equation, known, table)


def propagate_equation(
    program: Program, equation: Equation, known: Activity, table: dict[Key, Activity]
) -> None:
    op = equation.op
    match op:
        case Apply():
            found = any(known.has(o) and flows(op, k) for k, o in enumerate(op.operands))
            flags: Mask = (found,) * len(equation.outs)
        case Call():
            flags = demand(program, (op.function, mask_of(op, known)), table).results
        case If():
            propagate(program, op.then, known, table)
            propagate(program, op.orelse, known, table)
            pairs = zip(op.then.results, op.orelse.results, strict=True)
            flags = tuple(known.has(a) or known.has(b) for a, b in pairs)
        case For() | While():
            activate(op.carried, tuple(known.has(u) for u in op.init), known)
            propagate(program, op.body, known, table)
            activate(op.carried, tuple(known.has(r) for r in op.body.results), known)
            flags = tuple(p in known.active for p in op.carried)
        case _:
            assert_never(op)
    activate(equation.outs, flags, known)


def activate(variables: tuple[Var, ...], flags: Mask, known: Activity) -> None:
    known.active.update(v for v, flag in zip(variables, flags, strict=True) if flag and v.type.is_float)


def mask_of(op: Call, known: Activity) -> Mask:
    """Which operands of a call are active."""
    return tuple(known.has(o) for o in op.operands)


def flows(op: Apply, k: int) -> bool:
    """Does a derivative flow through operand k? (A row without any rule is refused later, by name.)"""
    rule = op.primitive.jvp
    if op.primitive is CUSTOM:
        return k > 0
    if isinstance(rule, Linear):
        return k in op.primitive.linear
    return rule is None or (k < len(rule) and rule[k] is not None)
