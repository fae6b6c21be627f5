"""Ways of control: running something at the end of one, or only where control goes on, and meeting again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codegen.infer.control.flags import DEAD, FLAGS, falling
from codegen.infer.control.join import Join, Way, join_ways
from codegen.infer.frame import Bottom, Frame, Live
from codegen.infer.kinds import Differ, Raises
from codegen.infer.values import TRUE, Value
from codegen.ir import Atom
from codegen.source import Span, refuse

Run = Callable[[], None]
Make = Callable[[], Value]


@dataclass(frozen=True, eq=False)
class Rest:
    """What follows a statement in its block: names read in it or later (`live`), names read after it (`end`)."""

    run: Run
    live: Live
    end: Live
    any: bool


def fork(frame: Frame) -> Way:
    """One way that begins here."""
    return Way(frame.b.inner(), frame.st.copy())


def side(frame: Frame, run: Run) -> Way:
    """One way of a branch, from the present state."""
    return resume(frame, fork(frame), run)


def resume(frame: Frame, way: Way, run: Run) -> Way:
    """Something run at the end of one way."""
    assert way.st is not None
    try:
        with frame.inside(way.b, way.st):
            try:
                run()
            except Raises as raises:
                end_by(frame, raises)
            return Way(way.b, frame.st)
    except Bottom:
        return Way(way.b, None)


def end_by(frame: Frame, raises: Raises) -> None:
    """This way ends here, in an exception."""
    frame.b.apply("fail", exception=raises.thrown)
    frame.st.env[DEAD] = TRUE


def gated(frame: Frame, rest: Run, live: Live, span: Span, going: Any = None) -> None:
    """Run `rest` only where no flag is set, or where `going` says so."""
    going = falling(frame.b, frame.st) if going is None else going
    if isinstance(going, bool):
        if going:
            rest()
        return
    on, off = fork(frame), fork(frame)
    assert on.st is not None
    for name in FLAGS:
        on.st.env.pop(name, None)
    meet(frame, frame.b.atom(going), resume(frame, on, rest), off, live, span)


def choose_way(frame: Frame, test: Atom, then: Make, orelse: Make, name: str) -> Value:
    """`then()` where `test` holds, else `orelse()`: each run only on its way, its value under a hidden name.

    Raises Differ where no one value can stand for both.
    """

    def way(make: Make) -> Way:
        def run() -> None:
            frame.st.env[name] = make()

        return side(frame, run)

    left, right = way(then), way(orelse)
    if left.st is None and right.st is None:
        raise Bottom
    kept = dict(frame.st.env)
    join_ways(frame, Join(frame, left, right, test), [*frame.st.env, name])
    value = frame.st.env.pop(name)
    frame.st.env = {**kept, **frame.st.env}
    return value


def meet(frame: Frame, test: Atom, left: Way, right: Way, live: Live, span: Span) -> None:
    """Two ways to one place. Raises SourceError where the values returned do not fit."""
    if left.st is None and right.st is None:
        raise Bottom
    with frame.b.at(span):
        try:
            join_ways(frame, Join(frame, left, right, test), live)
        except Differ as differ:
            raise refuse(span, f"the value returned is {differ}: return one kind of value") from None
