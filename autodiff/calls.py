"""Calls in two: of the known half of a function, which gives what it saves too, and of the linear half.

y, y_dot = f_jvp(x, x_dot)     ->     y, saved = f(x)          y_dot = f_linear(x, saved, x_dot)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

from autodiff import recursion
from autodiff.activity import Activity, Key, mask_of
from autodiff.cut import partition
from autodiff.loops.history_sizes import as_size
from autodiff.markers import is_checkpointed
from autodiff.policy import NONE
from autodiff.rematerialisation import (
    Split,
    inside,
    parted,
)
from autodiff.sizes.scope import fresh_name
from codegen.analysis.calls import recursive
from codegen.ir import Atom, Block, Call, Equation, Var
from codegen.ir.substitution import sizes
from codegen.source import refuse

A = TypeVar("A", bound=Atom)


@dataclass(eq=False)
class CallHalves:
    """What a call becomes: the known function (its results end with what it saves) and the linear one."""

    known: str
    linear: str
    saved: tuple[Var, ...] | None = None  # None while the body is being made


def split_call(unzip: Any, equation: Equation, op: Call, act: Activity) -> Split:
    mask = mask_of(op, act)
    if (rows := unzip.recursion((op.function, mask))) is not None:
        return recursion.row_call(unzip, rows, equation, op, mask)
    flags = unzip.table[op.function, mask].results
    made = halves_of(unzip, (op.function, mask), equation)
    known_outs, linear_outs = parted(equation.outs, flags)
    operands, linear_operands = parted(op.operands, mask)
    saved = saved_outs(unzip, op, made.saved or ())
    first = Equation((*known_outs, *saved), Call(made.known, operands), equation.span)
    second = Call(made.linear, drawing_none((*operands, *saved, *linear_operands)))
    return [first], [Equation(linear_outs, second, equation.span)]


def halves_of(unzip: Any, key: Key, at: Equation) -> CallHalves:
    """The two functions that a function becomes under a mask."""
    if key in unzip.memo:
        return unzip.memo[key]
    source, mask = unzip.program.functions[key[0]], key[1]
    base = key[0].removesuffix("_jvp")
    act = unzip.table[key]
    taken = unzip.taken()
    known_name = fresh_name(base, taken)
    halves = unzip.memo[key] = CallHalves(known_name, fresh_name(f"{base}_linear", {*taken, known_name}))
    known, mixed = unzip.split(source.body.equations, act)
    params, linear_params = parted(source.params, mask)
    results, linear_results = parted(source.body.results, act.results)
    loops = key[0] in recursive(unzip.program)
    again = loops or is_checkpointed(source.body)
    here = inside(known, unzip.brought)
    made = partition(unzip, known, mixed, linear_results, here, NONE if again else unzip.policy, once=True)
    saved = made.saved
    if saved and loops:
        raise refuse(
            at.span, f"{base} draws random numbers and calls itself: its derivative is not supported"
        )
    halves.saved = tuple(saved)
    first = replace(source, name=halves.known, params=params, body=Block(tuple(known), (*results, *saved)))
    second = replace(
        source,
        name=halves.linear,
        params=drawing_none((*params, *saved, *linear_params)),
        body=Block((*made.again, *mixed), linear_results),
    )
    unzip.functions[halves.known], unzip.functions[halves.linear] = first, second
    unzip.linear[halves.linear] = act.active
    return halves


def drawing_none(atoms: tuple[A, ...]) -> tuple[A, ...]:
    """What a linear function is given: no streams, as what was drawn is saved."""
    return tuple(a for a in atoms if a.type.dtype != "rng")


def saved_outs(unzip: Any, op: Call, saved: tuple[Var, ...]) -> tuple[Var, ...]:
    """Vars of the caller for what the callee saves; its sizes are those of the operands, or new."""
    params = unzip.program.functions[op.function].params
    env: dict[Any, Any] = dict(zip(params, op.operands, strict=True))
    for param, operand in zip(params, op.operands, strict=True):
        env.update(zip(param.type.shape, operand.type.shape, strict=True))
    outs = []
    for var in saved:
        new = {d: Var(d.name, d.type) for d in sizes(var.type) if d not in env}
        env.update(new)
        shape = tuple(d if isinstance(d, int) else as_size(env[d]) for d in var.type.shape)
        out = env[var] = Var(var.name, replace(var.type, shape=shape))
        if new:
            unzip.brought[out] = tuple(new.values())
        outs.append(out)
    return tuple(outs)
