"""A block with long loops in parts, so that its lanes go through every iteration side by side.

    a; s = 0.0; for t in range(1, 200): s = s + f(a, y[t]); b

    for lane in range(G): first(lane)             a; s = 0.0
    for t in range(1, 200):
        for lane in range(G): second(lane, t)     s = s + f(a, y[t])
    for lane in range(G): third(lane)             b

What one part makes and another reads is kept in rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autobatch.cfg.graph import BasicBlock, Moves
from autobatch.simd.vectorisable import is_tall
from codegen.ir import Equation, For, Var


@dataclass(frozen=True, eq=False)
class Straight:
    """Moves, equations and moves of one lane; `last`: the block's end follows."""

    before: Moves
    equations: tuple[Equation, ...]
    after: Moves
    last: bool = False


@dataclass(frozen=True, eq=False)
class Repeated:
    """Parts that all lanes run for each value of a loop's index."""

    loop: For
    parts: tuple[Straight | Repeated, ...]


Part = Straight | Repeated


def loop_parts(block: BasicBlock) -> tuple[Part, ...]:
    """The parts of a block, the last with its end; one if it has no long loop."""
    return tuple(parts_in(block.equations, block.arrives, (), last=True))


def parts_in(
    equations: Iterable[Equation], before: Moves, after: Moves, last: bool = False
) -> Iterator[Part]:
    straight: list[Equation] = []
    for equation in equations:
        loop = equation.op
        if not isinstance(loop, For) or not is_tall(equation):
            straight.append(equation)
            continue
        yield Straight(before, tuple(straight), tuple(zip(loop.carried, loop.init, strict=True)))
        onwards = tuple(zip(loop.carried, loop.body.results, strict=True))
        yield Repeated(loop, tuple(parts_in(loop.body.equations, (), onwards)))
        before, straight = tuple(zip(equation.outs, loop.carried, strict=True)), []
    yield Straight(before, tuple(straight), after, last)


def straights(parts: Sequence[Part]) -> Iterator[tuple[Straight, tuple[Var, ...]]]:
    """Every straight part with the indices of the loops around it, outermost first."""
    for part in parts:
        if isinstance(part, Straight):
            yield part, ()
        else:
            for inner, indices in straights(part.parts):
                yield inner, (part.loop.index, *indices)
