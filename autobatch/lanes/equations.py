"""One primitive in a scope: apply_primitive : Scope, equation -> what stands for it over the scope's lanes.

    y = x[i]        x over all lanes, i over those at `at`         y = x[at, i]
    check i < 5                                              ->    failed = np.where(i < 5, 0, 3)

An effect that fails for some lanes is noted for them; what NumPy would raise for a whole array is looked
for before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autobatch.cfg.may_fail import refusable
from autobatch.lanes.axes import align_axes
from autobatch.lanes.batching_rules import apply_rule, batch_draw
from autobatch.lanes.gather_scatter import read_rows, write_rows
from autobatch.lanes.masks import LaneScope, LaneValue, named_result
from autobatch.prepare.prints import refuse_print
from codegen.analysis.places import is_nowhere
from codegen.ir import Apply, Equation, Lit, Type
from codegen.ir.exceptions import thrown
from codegen.ir.kinds import Access, Arithmetic, Effect
from codegen.primitives.elementwise import NEGATIVE_POWER
from codegen.primitives.index import grouped


def apply_primitive(scope: LaneScope, equation: Equation, op: Apply) -> None:
    rule = op.primitive
    if rule.effect:
        refuse_print(equation)
        note_effect(scope, op)
        return
    if rule.accesses and is_nowhere(op):
        unreached_access(scope, equation, op)
        return
    values = [scope.value(o) for o in op.operands]
    if values and not scope.here(values[0]) and apply_in_place(scope, equation, op, values):
        return
    operands = [scope.use(v) for v in values]
    over = [v.over for v in values]
    if rule.accesses:
        operands = mask_failed_indices(scope, op, operands, over)
    if rule.kind is Arithmetic.POW:
        operands = check_int_powers(scope, op, operands, over)
    since = len(scope.b.equations)
    if any(over) or rule.family == "random":
        made = apply_rule(scope.b, scope.n, rule, operands, over, op.params)
    else:
        made = scope.b.apply(rule, *operands, **op.params)
    results = made if isinstance(made, tuple) else (made,)
    for out, result in zip(equation.outs, results):
        scope.bind(out, named_result(scope.b, result, out.name, since), any(over))


def unreached_access(scope: LaneScope, equation: Equation, op: Apply) -> None:
    """For an access that is never reached: zeros, or the array as it was."""
    (out,) = equation.outs
    if op.primitive.kind is not Access.READ:
        scope.enter(out, scope.value(op.operands[0]))
        return
    zero, shape = scope.b.wrap(Lit(0, Type(out.type.dtype))), scope.type(out.type, False).shape
    made = scope.b.apply("full", zero, *shape, dtype=out.type.dtype, name=out.name) if shape else zero
    scope.bind(out, made, False)


def apply_in_place(scope: LaneScope, equation: Equation, op: Apply, values: list[LaneValue]) -> bool:
    """Elements read and written, and numbers drawn, in an array over more lanes; False: not that."""
    rule, first = op.primitive, values[0]
    if rule.family != "random" and not rule.accesses:
        return False
    whole = scope.b.wrap(first.atom)
    operands = [whole, *(scope.use(v) for v in values[1:])]
    over = [v.over for v in values]
    rows = scope.rows(first.home)
    if rule.family == "random":
        streams, value = batch_draw(scope.b, scope.n, rule, operands, over, op.params, rows)
        scope.enter_written(equation.outs[0], streams, first)
        scope.bind(equation.outs[1], value, True)
        return True
    operands = mask_failed_indices(scope, op, operands, over)
    spec, places = op.params["spec"], operands[rule.first_place :]
    if rule.kind is Access.READ:
        since = len(scope.b.equations)
        made = read_rows(scope.b, rows, whole, spec, places, over[1:])
        scope.bind(equation.outs[0], named_result(scope.b, made, equation.outs[0].name, since), True)
    else:
        made = write_rows(scope.b, rows, rule, operands, over, spec)
        scope.enter_written(equation.outs[0], made, first)
    return True


def note_effect(scope: LaneScope, op: Apply) -> None:
    """A check or fail: of lanes, noted; of all of them at once, as it is, unless what it tells is a lane's."""
    test = scope.value(op.operands[0]) if op.primitive.kind is Effect.CHECK else None
    values = [scope.value(o) for o in (op.operands[1:] if test else op.operands)]
    if scope.masked or (test is not None and test.over) or any(v.over for v in values):
        ok = False if test is None else scope.use(test)
        scope.fail(ok, test is not None and test.over, op.params["exception"])
    else:
        tested = [] if test is None else [scope.use(test)]
        scope.b.apply(op.primitive, *tested, *(scope.use(v) for v in values), **op.params)


def mask_failed_indices(scope: LaneScope, op: Apply, operands: list[Any], over: list[bool]) -> list[Any]:
    """The operands of a subscript, with 0 for an index out of range: that lane has failed.

    (Whether an index is in range is a `check` before it, put there by codegen/simplify/bounds_checks.py.)
    """
    if scope.failed is None:
        return operands
    first = op.primitive.first_place
    spec, places = op.params["spec"], list(range(first, len(operands)))
    fine = scope.b.apply("eq", scope.b.wrap(scope.failed), 0)
    for token, numbers in zip(spec, grouped(spec, tuple(places))):
        for k in numbers if token in ("i", "a") else ():
            rank = scope.b.atom(operands[k]).type.rank - over[k]
            if over[k]:
                operands[k] = np.where(align_axes(scope.b, fine, True, rank), operands[k], 0)
            elif not isinstance(scope.b.atom(operands[k]), Lit):
                operands[k] = np.where(np.any(fine), operands[k], 0)
    return operands


def check_int_powers(scope: LaneScope, op: Apply, operands: list[Any], over: list[bool]) -> list[Any]:
    """NumPy refuses negative powers of ints, for a whole array at once."""
    if not refusable(*op.operands) or not (any(over) or scope.masked):
        return operands
    b = scope.b
    positive = b.apply("ge", operands[1], 0)
    ok, axes = positive, b.atom(positive).type.rank
    if axes > over[1]:
        ok = np.all(positive, axis=tuple(range(over[1], axes)))
    scope.fail(ok, over[1], thrown("ValueError", NEGATIVE_POWER))
    return [operands[0], np.where(positive, operands[1], 0)]
