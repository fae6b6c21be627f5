"""Loops over items that are known, written out; and those that change how long lists are, if these are known then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from codegen.cost_model import FEW_ITERATIONS, FLOATS_AT_MOST, LISTED_AT_MOST
from codegen.infer.calls.listed import TooLong, check_length, longest_text
from codegen.infer.control.flags import BROKE, CONTINUED, falling, leaves_for_good
from codegen.infer.control.iterables import (
    Counted,
    all_items,
    counted_iteration,
    is_counted,
    item_in_turn,
    strict,
)
from codegen.infer.control.known_places import ToBeWrittenOut
from codegen.infer.control.paths import gated
from codegen.infer.frame import Frame, Live
from codegen.infer.kinds import LONGEST
from codegen.infer.memory.assignment import assign
from codegen.infer.memory.growing_lists import LengthsDiffer, form_of_list, growing, kinds_in
from codegen.infer.values import FlowState, Nest, Ref, Value, View
from codegen.ir import Lit, Var
from codegen.ir.literals import known_range
from codegen.read.scope import all_statements
from codegen.read.tree import (
    Attribute,
    AugAssign,
    CallExpr,
    Change,
    Evaluate,
    Iterate,
    Loop,
    Name,
    Statement,
)
from codegen.source import SourceError, refuse


@contextmanager
def written_out_for_lists(frame: Frame, loop: Iterate, iterable: Value, live: Live) -> Iterator[bool]:
    """A loop that changes the lengths of lists is written out, where these are known then and it is no long text, or
    nothing but that is left, as where dicts get other keys. Whether it is already; what is done otherwise is the
    caller's."""
    carried = (name for name in frame.carried(loop, live) if may_be_list(frame.st.env.get(name)))
    changes = [*changes_of_length(loop, [*carried])]
    if not changes or strict(iterable):
        yield False
        return
    of_lists = not all(map(is_dict_update, changes))
    if of_lists and try_unrolling(frame, loop, iterable, live, longest_text(frame)):
        yield True
        return
    before, count = frame.st.copy(), len(frame.b.equations)
    try:
        yield False
    except SourceError:
        frame.st = before
        del frame.b.equations[count:]
        if not try_unrolling(frame, loop, iterable, live, LISTED_AT_MOST):
            raise


def try_unrolling(frame: Frame, loop: Iterate, iterable: Value, live: Live, most: int) -> bool:
    """Try to write out a loop that changes the lengths of lists; False, and nothing done, where these would not be
    known then, or the loop would be more than so many equations."""
    if is_counted(frame, iterable):
        return False
    before, count, tried = frame.st.copy(), len(frame.b.equations), frame.known_lengths
    frame.known_lengths = True
    try:
        unroll_loop(frame, loop, iterable, live, most)
    except (LengthsDiffer, TooLong) as reason:
        if tried and isinstance(reason, LengthsDiffer):
            raise
        frame.st = before
        del frame.b.equations[count:]
        return False
    finally:
        frame.known_lengths = tried
    return True


@contextmanager
def or_written_out(frame: Frame, loop: Iterate, iterable: Value, live: Live) -> Iterator[None]:
    """The loop is written out where its iterations must be known, as in `p[f"W{i}"]`, or had better be, and are few."""
    before, count = frame.st.copy(), len(frame.b.equations)
    try:
        yield
        return
    except ToBeWrittenOut as wanted:
        if wanted.loop is not loop:
            raise
    except SourceError as error:
        if not error.of_unknown or not has_few_rounds(frame, iterable, before):
            raise
    frame.st = before
    del frame.b.equations[count:]
    rounds = frame.rounds
    frame.rounds *= max(1, len(all_items(frame, iterable)))
    try:
        unroll_loop(frame, loop, iterable, live)
    finally:
        frame.rounds = rounds


def has_few_rounds(frame: Frame, iterable: Value, before: FlowState) -> bool:
    """Whether few iterations are known to be all."""
    frame.st = before.copy()
    return are_few(counted_iteration(frame, iterable))


def are_few(bounds: Counted, around: int = 1) -> bool:
    """Whether few iterations are known to be all, also of as many of the loops around."""
    places = known_range(*bounds[:3])
    return places is not None and around * len(places) <= FEW_ITERATIONS


def may_be_list(value: Value | None) -> bool:
    """Whether a name has a list or dict before a loop, or nothing yet: `x += d` of an array leaves its length."""
    return not isinstance(value, Ref | View | Var | Lit)


def changes_of_length(loop: Iterate, carried: Sequence[str]) -> Iterator[Statement]:
    """Statements after which a list that iterations hand on, not one that each makes anew, may have another number of
    items; and those that call a method of a dict."""
    for node in all_statements(loop.body):
        match node:
            case Change(_, names, Evaluate() | AugAssign(_, Name()) as statement) if not {*names}.isdisjoint(
                carried
            ):
                yield statement


def is_dict_update(node: Statement) -> bool:
    """`d.update(...)`, which mostly gives new values to keys that are there."""
    match node:
        case Evaluate(_, CallExpr(_, Attribute(_, _, "update"))):
            return True
    return False


def unroll_or_count(
    frame: Frame,
    loop: Iterate,
    iterable: Value,
    live: Live,
    count_through: Callable[[Frame, Iterate, Value, Live], None],
) -> None:
    """A loop over known items, written out; over floats a loop through a list of them, where that would be a long text
    and nothing asks which they are."""
    if not is_of_floats(iterable):
        return unroll_loop(frame, loop, iterable, live)
    before, count = frame.st.copy(), len(frame.b.equations)

    def undo() -> None:
        frame.st = before.copy()
        del frame.b.equations[count:]

    try:
        return unroll_loop(frame, loop, iterable, live, FLOATS_AT_MOST)
    except TooLong:
        undo()
    try:
        held = growing(frame, iterable, form_of_list(iterable, kinds_in(frame)), "t")
        count_through(frame, loop, held, live)
    except (SourceError, LengthsDiffer):
        undo()
        unroll_loop(frame, loop, iterable, live)


def is_of_floats(iterable: Value) -> bool:
    """Whether it is a tuple or list of Python's floats, which are known."""
    if not isinstance(iterable, Nest) or iterable.cls not in (tuple, list):
        return False
    return all(
        isinstance(item, Lit) and type(item.value) is float and item.type.weak for item in iterable.items
    )


def unroll_loop(frame: Frame, loop: Iterate, iterable: Value, live: Live, most: int | None = None) -> None:
    """A loop over known items is unrolled; break and continue gate what follows. Items of arrays are read when it is
    their turn: iterations may change them. Raises TooLong where the first one shows that it would be more than `most`
    equations."""
    items = all_items(frame, iterable)
    if len(items) > LONGEST:
        raise refuse(
            loop.span,
            f"a loop over a tuple or list of {len(items)} is written out, {LONGEST} at most: use an array",
        )
    inner = frame.before((loop,), live) | live
    count = len(frame.b.equations)

    def go(k: int) -> None:
        if k == len(items):
            return
        if k == 1:
            check_length(frame, frame.b.equations[count:], len(items), most)
        assign(frame, loop.target, item_in_turn(frame, iterable, k) if k else items[0])
        with frame.looping(inner):
            frame.inference.run(frame, loop.body, inner)
        frame.st.env.pop(CONTINUED, None)
        if not leaves_for_good(frame.st):
            gated(frame, lambda: go(k + 1), inner, loop.span)

    go(0)
    run_orelse(frame, loop, live)


def run_orelse(frame: Frame, loop: Loop | Iterate, live: Live, *, endless: bool = False) -> None:
    """A loop's else part, which runs unless break or return left it. A break in it leaves the loop around."""
    going = falling(frame.b, frame.st)
    frame.st.env.pop(BROKE, None)
    if loop.orelse and not endless:
        gated(frame, partial(frame.inference.run, frame, loop.orelse, live), live, loop.span, going)
