"""Ways of control: running something at the end of one, or only where control goes on, and meeting again."""

from __future__ import annotations

from collections.abc import Callable

from codegen.infer.control.join import Differ, Side, falling, join
from codegen.infer.frame import BROKE, CONTINUED, RETURNED, Bottom, Frame, Live
from codegen.ir import Atom
from codegen.source import Span, refuse

Run = Callable[[], None]


def side(frame: Frame, run: Run) -> Side:
    """One way of a branch, from the present state."""
    return resume(frame, Side(frame.b.inner(), frame.st.copy()), run)


def resume(frame: Frame, way: Side, run: Run) -> Side:
    """Something run at the end of one way."""
    assert way.st is not None
    try:
        with frame.inside(way.b, way.st):
            run()
            return Side(way.b, frame.st)
    except Bottom:
        return Side(way.b, None)


def gated(frame: Frame, rest: Run, live: Live, span: Span) -> None:
    """Run `rest` only where no flag is set."""
    going = falling(frame.b, frame.st)
    if isinstance(going, bool):
        if going:
            rest()
        return
    on = Side(frame.b.inner(), frame.st.copy())
    assert on.st is not None
    for name in (BROKE, CONTINUED, RETURNED):
        on.st.env.pop(name, None)
    off = Side(frame.b.inner(), frame.st.copy())
    meet(frame, frame.b.atom(going), resume(frame, on, rest), off, live, span)


def meet(frame: Frame, test: Atom, left: Side, right: Side, live: Live, span: Span) -> None:
    """Two ways to one place. Raises SourceError where the values returned do not fit."""
    if left.st is None and right.st is None:
        raise Bottom
    with frame.b.at(span):
        try:
            join(frame, test, left, right, live)
        except Differ as differ:
            raise refuse(span, f"the value returned is {differ}: return one kind of value") from None
