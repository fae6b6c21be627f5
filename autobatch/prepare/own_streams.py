"""Streams that a program makes for itself, refused where lanes would have no place for them.

rng = np.random.default_rng(seed)       one place a lane; where a function calls itself, one a frame
"""

from __future__ import annotations

from collections.abc import Iterable

from codegen.analysis.calls import reach, recursive
from codegen.ir import Apply, Equation, Program
from codegen.ir.kinds import Stream
from codegen.ir.traversal import equations
from codegen.primitives.random import makes_stream
from codegen.source import InTurnError

OF_FRAMES = "a function that calls itself makes a random generator: make it outside and pass it along"
DRAWN_TWICE = (
    "a derivative would draw these numbers once more, for which lanes have no room: draw them before the loop"
)


def refuse_frames_with_streams(program: Program) -> Program:
    """The program itself. SourceError where a function makes a stream that may be called again before it ends, or where
    one is copied, as by a derivative that draws once more."""
    again = set().union(*(reach(program.functions, name) for name in recursive(program)))
    for name in program.functions:
        for equation in streams_made(program, (name,)):
            assert isinstance(equation.op, Apply)
            if equation.op.primitive.kind is Stream.COPIED:
                raise InTurnError.at(equation.span, DRAWN_TWICE)
            if name in again:
                raise InTurnError.at(equation.span, OF_FRAMES)
    return program


def refuse_own_streams(program: Program) -> Program:
    """The program itself. SourceError where it makes a stream."""
    for equation in streams_made(program, program.functions):
        raise InTurnError.at(
            equation.span,
            "lanes as rows of arrays make no random generators: pass autobatch.streams(seed, n)",
        )
    return program


def streams_made(program: Program, names: Iterable[str]) -> list[Equation]:
    """The equations that make streams in some of the functions."""
    return [e for name in names for e in equations(program.functions[name].body) if makes_stream(e)]
