"""The lanes' axis: one lane's rank, axes aligned behind the lanes, shared values broadcast over them.

x: f8[n] over lanes, a number each; y: f8[n, 5]        x[:, None] + y
s shared                                               np.full(n, s)
"""

from __future__ import annotations

from typing import Any

from codegen.ir import Lit, Type
from codegen.ir.build import Builder
from codegen.source import UnknownSizeError


def lane_rank(b: Builder, value: Any, over: bool) -> int:
    """The rank of one lane's value."""
    return b.atom(value).type.rank - over


def broadcast_to_lanes(b: Builder, n: Any, value: Any) -> Any:
    """A shared value, the same for every lane: an array over lanes that may be written."""
    type_ = b.atom(value).type
    if not type_.rank:
        return b.apply("full", strongly_typed(b, value), n, dtype=type_.dtype)
    sizes = [b.size(d) for d in type_.shape]
    return b.apply("copy", b.apply("broadcast_to", value, n, *sizes))


def strongly_typed(b: Builder, value: Any) -> Any:
    """A number with a dtype of its own."""
    atom = b.atom(value)
    return b.wrap(Lit(atom.value, Type(atom.type.dtype))) if isinstance(atom, Lit) else value


def align_axes(b: Builder, value: Any, over: bool, to: int) -> Any:
    """One lane's value with axes of size 1 before its own, up to rank `to`; a shared one broadcasts anyway."""
    missing = to - lane_rank(b, value, over)
    if not over or missing <= 0:
        return value
    return b.apply("index", value, spec=(":", *("n",) * missing))


def permute_axes(b: Builder, x: Any, perm: tuple[int, ...]) -> Any:
    """x with its axes in another order; x itself if that is the order they are in."""
    return x if perm == tuple(range(len(perm))) else b.apply("transpose", x, perm=perm)


def varying_size(b: Builder, what: str) -> Exception:
    return UnknownSizeError.at(
        b.span,
        f"{what}: the size would differ from lane to lane, and the lanes of a batch are stored in one array; "
        "use the largest size and a mask (np.where), or a loop over the elements",
    )
