"""How a primitive runs for many lanes at once: apply_rule : one lane's operation -> the same over a leading
axis of lanes.

    x: f8[5], y: f8[5]            x over lanes: f8[n, 5]      y shared: f8[5]
    x @ y                    ->   x @ y                       (one product for all lanes)
    y[i], i over lanes       ->   y[i]                        (one gather)
    x[i], i over lanes       ->   x[np.arange(n), i]
    np.sum(x)                ->   np.sum(x, axis=1)

Operands come with a flag: over lanes (their first axis is the lanes') or shared. What needs only shared
operands is computed once, unchanged. `FAMILIES` has a rule per family and `RULES` per kind where the
family's will not do. A primitive without either runs lane by lane in a loop (`loop_over_lanes`), which is always
right. A rule is `(b, n, rule, operands, over, params) -> result over lanes`, n the number of lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import numpy as np

from autobatch.lanes.axes import (
    align_axes,
    broadcast_to_lanes,
    lane_rank,
    permute_axes,
    varying_size,
)
from autobatch.lanes.gather_scatter import batch_index, batch_write
from codegen.ir import Atom, For, Lit, Type, Var
from codegen.ir.build import I8, Builder
from codegen.ir.kinds import Access, Choice, Joined, Made, Product, Same
from codegen.ir.literals import name_of
from codegen.ir.primitive import Primitive
from codegen.source import refuse

Flags = Sequence[bool]
Operands = Sequence[Any]
ONE_STREAM = (
    "all lanes would draw from one random generator, in an order that depends on the batch; "
    "give each lane its own: autobatch.streams(seed, n)"
)


def apply_rule(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    """`rule` over n lanes, some of its operands `over` lanes. The result (or each of several) is over lanes.

    SourceError at the builder's span where the size of the result would differ from lane to lane.
    """
    how = RULES.get(rule.kind) or FAMILIES.get(rule.family) or loop_over_lanes
    return how(b, n, rule, operands, over, params)


def batch_elementwise(
    b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any
) -> Any:
    """Ranks aligned behind the lanes' axis; then broadcasting does the rest."""
    to = max(lane_rank(b, x, o) for x, o in zip(operands, over))
    return b.apply(rule, *(align_axes(b, x, o, to) for x, o in zip(operands, over)), **params)


def batch_mark(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    """What a mark leaves, its first operand, has lanes where another operand has."""
    first = operands[0] if over[0] else broadcast_to_lanes(b, n, operands[0])
    if "lanes" in params:  # of arguments of any rank, for a rule of one lane
        return b.apply(rule, first, *operands[1:], **{**params, "lanes": (tuple(over[1:]), *params["lanes"])})
    return batch_elementwise(b, n, rule, (first, *operands[1:]), (True, *over[1:]), params)


def batch_min_max(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    """Python's max and min take numbers alone: of lanes, what the row says they mean."""
    return rule.numpy(*(b.wrap(b.atom(operand)) for operand in operands))


def batch_reduce(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    """The same axes, one further on."""
    return b.apply(rule, operands[0], axis=tuple(k + 1 for k in params["axis"]))


def batch_scan(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    return b.apply(rule, operands[0], axis=params["axis"] + 1)


def batch_create(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    """Arrays of a shared size; `full` of a value a lane is that value, broadcast."""
    first = rule.first_size
    if any(over[first:]):
        raise varying_size(b, f"np.{rule.name}")
    value = align_axes(b, operands[0], over[0], len(operands) - 1)
    return b.apply("copy", b.apply("broadcast_to", value, n, *operands[1:]))


def batch_reshape(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    if any(over[1:]):
        raise varying_size(b, "reshape")
    return b.apply("reshape", operands[0], n, *operands[1:])


def batch_broadcast_to(
    b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any
) -> Any:
    if any(over[1:]):
        raise varying_size(b, "np.broadcast_to")
    return b.apply(rule, align_axes(b, operands[0], over[0], len(operands) - 1), n, *operands[1:], **params)


def batch_transpose(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    return permute_axes(b, operands[0], (0, *(k + 1 for k in params["perm"])))


def batch_stack(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    """Stacked along a first axis, which then changes places with the lanes' axis."""
    items = [x if o else broadcast_to_lanes(b, n, x) for x, o in zip(operands, over)]
    made = b.apply("stack", *items)
    return permute_axes(b, made, (1, 0, *range(2, made.ndim)))


def batch_concatenate(
    b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any
) -> Any:
    items = [x if o else broadcast_to_lanes(b, n, x) for x, o in zip(operands, over)]
    return b.apply("concatenate", *items, axis=params["axis"] + 1)


# products


def batch_matmul(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    """A shared matrix meets all lanes in one product; what lanes have of their own is multiplied and summed."""
    x, y = operands
    match (lane_rank(b, x, over[0]), lane_rank(b, y, over[1]), *over):
        case (1, 1, True, True):
            return np.sum(x * y, axis=1)
        case (1, 1, False, True):
            return y @ x
        case (1, 1, True, False) | (1, 2, True, False):
            return x @ y
        case (2, 1, False, True):
            return y @ np.transpose(x)
        case (2, 1, True, True):
            return np.sum(x * y[:, None, :], axis=2)
        case (1, 2, True, True):
            return np.sum(x[:, :, None] * y, axis=1)
        case (2, 1, True, False):
            return matmul_rows(b, x, y)
        case (1, 2, False, True):
            return matmul_rows(b, np.transpose(y, (0, 2, 1)), x)
        case (2, 2, True, False):
            return matmul_rows(b, x, y)
        case (2, 2, False, True):
            return np.transpose(matmul_rows(b, np.transpose(y, (0, 2, 1)), np.transpose(x)), (0, 2, 1))
        case _:
            return loop_over_lanes(b, n, rule, operands, over, params)


def matmul_rows(b: Builder, x: Any, y: Any) -> Any:
    """x @ y for x: [n, m, k] over lanes and y shared, as one product of n * m rows."""
    n, m, k = x.shape
    made = np.reshape(x, (n * m, k)) @ y
    return np.reshape(made, (n, m, *made.shape[1:]))


def batch_outer(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    x, y = operands
    left = x[:, :, None] if over[0] else x[:, None]
    return left * (y[:, None, :] if over[1] else y)


def refuse_places(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    raise varying_size(
        b, "what a mask selects, or lanes of a batch inside a batch that take ways of their own"
    )


# draws, and whatever has no rule of its own: a loop over the lanes


def batch_draw(
    b: Builder,
    n: Any,
    rule: Primitive,
    operands: Sequence[Any],
    over: Flags,
    params: Any,
    rows: Any | None = None,
) -> Any:
    """out[k] = rng[k].method(...) for each lane; rng[rows[k]] where there are more streams than lanes."""
    if not over[0]:
        raise refuse(b.span, ONE_STREAM)
    streams = b.atom(operands[0])
    inner, k, here = b.inner(), Var("k", I8), Var(name_of(streams), streams.type)
    row = k if rows is None else inner.apply("index", rows, k, spec=("i",), name="row")
    stream = inner.apply("index", here, row, spec=("i",), name="stream")
    after, value = inner.apply(rule, stream, *of_lane(inner, k, operands[1:], over[1:]), **params)
    kept = inner.apply("update", inner.wrap(here), after, row, spec=("i",), name=here.name)
    return emit_lane_loop(b, inner, n, k, [(here, streams, kept), filled_array(b, inner, n, k, value)])


def loop_over_lanes(b: Builder, n: Any, rule: Primitive, operands: Operands, over: Flags, params: Any) -> Any:
    """A loop over the lanes: out[k] = rule(x[k], ...)."""
    inner, k = b.inner(), Var("k", I8)
    made = inner.apply(rule, *of_lane(inner, k, operands, over), **params)
    results = made if isinstance(made, tuple) else (made,)
    outs = emit_lane_loop(b, inner, n, k, [filled_array(b, inner, n, k, r) for r in results])
    return outs if isinstance(made, tuple) else outs[0]


def of_lane(inner: Builder, k: Var, operands: Operands, over: Flags) -> list[Any]:
    """Lane k's operands."""
    return [
        inner.apply("index", x, k, spec=("i",), name=name_of(inner.atom(x))) if o else x
        for x, o in zip(operands, over)
    ]


Carried = tuple[Var, Atom, Any]


def filled_array(b: Builder, inner: Builder, n: Any, k: Var, value: Any) -> Carried:
    """A new array over lanes for a value that a loop over them gives: carried, initial, after lane k."""
    type_: Type = inner.atom(value).type
    inside = {out for e in inner.equations for out in e.outs}
    if any(d in inside for d in type_.shape):
        raise varying_size(b, "an array of a size that differs from lane to lane")
    sizes = (b.size(d) for d in type_.shape)
    made = b.atom(b.apply("empty", n, *sizes, dtype=type_.dtype, name=name_of(inner.atom(value))))
    here = Var(name_of(made), made.type)
    put = inner.apply("update", inner.wrap(here), value, k, spec=("i",), name=here.name)
    return here, made, put


def emit_lane_loop(b: Builder, inner: Builder, n: Any, k: Var, carried: list[Carried]) -> tuple[Any, ...]:
    """The loop over the lanes with the body `inner`."""
    outs = tuple(Var(here.name, here.type) for here, _, _ in carried)
    body = inner.block(tuple(after for _, _, after in carried))
    params, init = tuple(h for h, _, _ in carried), tuple(i for _, i, _ in carried)
    b.emit(outs, For(k, Lit(0, I8), b.atom(n), 1, params, init, body))
    return tuple(b.wrap(o) for o in outs)


Rule = Callable[..., Any]
FAMILIES: dict[str, Rule] = {
    "elementwise": batch_elementwise,
    "reduce": batch_reduce,
    "scan": batch_scan,
    "create": batch_create,
    "copy": batch_elementwise,
    "index": batch_index,
    "random": batch_draw,
}
RULES: dict[Enum | None, Rule] = {
    Choice.LARGER: batch_min_max,
    Choice.SMALLER: batch_min_max,
    Same.MARKED: batch_mark,
    Same.RESHAPED: batch_reshape,
    Same.TRANSPOSED: batch_transpose,
    Same.BROADCAST: batch_broadcast_to,
    Joined.STACK: batch_stack,
    Joined.CONCATENATE: batch_concatenate,
    Access.WRITE: batch_write,
    Access.ADD: batch_write,
    Product.MATRIX: batch_matmul,
    Product.OUTER: batch_outer,
    Made.PLACES: refuse_places,
}
