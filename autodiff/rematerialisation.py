"""Parts of `unzip`: what is split by a mask, what may be run again, what may be kept.

for i in range(n):                     for i in range(n):
    check i < len(x)                       y = sin(x[i])       # run again: the checks have passed,
    y = sin(x[i])              ->
    z = rng.normal()                                           # but the stream has moved on
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from autodiff.activity import Mask
from autodiff.jvp import zeros_of
from autodiff.sizes.scope import Brings, bound, mentions
from codegen.ir import Apply, Atom, Block, Equation, For, Lit, Type, Var, While
from codegen.ir.build import Builder
from codegen.ir.kinds import Arithmetic
from codegen.ir.substitution import blocks, renamed, sizes
from codegen.ir.traversal import equations, with_inner
from codegen.primitives import ROWS

Split = tuple[list[Equation], list[Equation]]  # known, linear


class Unbounded(Exception):
    """Values of a loop's iterations are wanted, but it has no known number of them."""


def counted_while(
    op: For | While,
) -> tuple[Atom, tuple[Equation, ...], tuple[Var, ...], tuple[Atom, ...], Block]:
    """A loop as a while: its test and what computes it, its counter, the counter's start and how it goes on."""
    if isinstance(op, While):
        return op.cond.results[0], op.cond.equations, (), (), Block((), ())
    b, step = Builder(checked=False), Builder(checked=False)
    test = b.atom(b.apply("lt" if op.step > 0 else "gt", op.index, op.stop))
    onward = step.atom(step.apply("add", op.index, op.step, name=op.index.name))
    return test, tuple(b.equations), (op.index,), (op.start,), step.block((onward,))


RAGGED_DRAW = (
    "random numbers are drawn here in a loop of unknown length, or in an array whose size changes from one iteration "
    "to the next; a derivative would have to keep them: draw them before the loop"
)


def parted(items: Iterable[Any], flags: Mask) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Those without a flag, and those with one."""
    pairs = list(zip(items, flags, strict=True))
    return tuple(x for x, flag in pairs if not flag), tuple(x for x, flag in pairs if flag)


def inside(equations: Iterable[Equation], brought: Brings) -> set[Var]:
    """What equations bind at their own level."""
    return {v for e in equations for v in bound(e, brought)}


def hoisted_sizes(known: list[Equation], own: set[Var], brought: Brings) -> Split:
    """Integer arithmetic that a loop's body does not change, and the rest: sizes of what inner loops save."""
    moved: list[Equation] = []
    rest: list[Equation] = []
    here = own | inside(known, brought)
    for equation in known:
        if is_size(equation) and not any(v in here for v in mentions(equation, brought)):
            moved.append(equation)
            here.difference_update(equation.outs)
        else:
            rest.append(equation)
    return moved, rest


SIZES = (Arithmetic.ADD, Arithmetic.SUB, Arithmetic.MUL, Arithmetic.MAXIMUM, Arithmetic.MINIMUM)


def is_size(equation: Equation) -> bool:
    op = equation.op
    plain = isinstance(op, Apply) and op.primitive.kind in SIZES
    return plain and equation.outs[0].type.dtype == "i8" and not equation.outs[0].type.rank


def storable(var: Var, inside: set[Var]) -> bool:
    """Are its sizes known before the scope is entered?"""
    return not any(d in inside for d in sizes(var.type))


def resized(op: For, brought: Brings) -> set[Var]:
    """Arrays of ints that a loop carries in changing sizes, and what it makes of them, as the slots of a dict are."""
    found = {p for p in op.carried if holds_ints(p) and not storable(p, set(brought.get(p, ())))}
    for equation in equations(op.body) if found else ():
        if not found.isdisjoint(mentions(equation, brought)):
            found |= set(filter(holds_ints, equation.outs))
    return found


def holds_ints(var: Var) -> bool:
    return bool(var.type.rank) and var.type.dtype[0] in "iub"


def unless_idle(equation: Equation) -> list[Equation]:
    """The equation, unless it has neither outs nor effects."""
    return [equation] if equation.outs or quiet(equation) is not equation else []


def quiet(equation: Equation) -> Equation:
    """The equation without the effects inside it (what is run again has passed its checks)."""
    op = with_inner(equation.op, quiet_block)
    same = all(new is old for new, old in zip(blocks(op), blocks(equation.op), strict=True))
    return equation if same else replace(equation, op=op)


def quiet_block(block: Block) -> Block:
    kept = tuple(quiet(e) for e in block.equations if e.outs)
    same = len(kept) == len(block.equations) and all(
        a is b for a, b in zip(kept, block.equations, strict=True)
    )
    return block if same else Block(kept, block.results)


def fillers(saved: list[Var], sized: set[Var]) -> tuple[list[Equation], list[Atom]]:
    """Zeros for what the other branch saves; none where their number, one of `sized`, is known there alone."""
    b = Builder(checked=False)
    none: dict[Var, Atom] = {d: Lit(0, Type("i8")) for d in sized}
    atoms = [filler(b, renamed(v.type, none)) for v in saved]
    return b.equations, atoms


def filler(b: Builder, type_: Type) -> Atom:
    if type_.is_float:
        return zeros_of(b, type_)
    zero = Lit(False if type_.dtype == "b1" else 0, Type(type_.dtype))
    return b.atom(b.apply("full", zero, *type_.shape, dtype=type_.dtype)) if type_.rank else zero


def own_stream(b: Builder, init: Atom) -> Atom:
    """A stream of its own for the run that only counts."""
    if init.type.dtype != "rng" or not isinstance(init, Var):
        return init
    own = Var(init.name, init.type)
    b.emit((own,), Apply(ROWS["copied_stream"], (init,)))
    return own


def reads_histories(second: Equation, first: list[Equation], brought: Brings) -> bool:
    """Does the linear loop read anything that the first one saved?"""
    made = {v for e in first for v in bound(e, brought)}
    return any(v in made for v in mentions(second, brought))
