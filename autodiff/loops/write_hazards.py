"""Arrays written in place in a loop: which reads still find, once the loop is over, what they found then?

    for i in range(1, n):
        x[i] = x[i - 1] * x[i]          x[i - 1] is not written again: the finished array has it
                                        x[i] is overwritten: its value has to be kept

A history of whole arrays would cost the array's size an iteration. Instead each read that an overwrite
may spoil is kept by itself, and all others read the finished array: time and memory are linear in the
number of reads and writes. A write spoils a read if it may touch the same element in the same iteration
after the read, or in a later one (dependences.py); what is not decided counts as spoilt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autodiff.loops.affine_bounds import Guards
from autodiff.loops.dependences import Dependences, Place, accessed_place
from codegen.ir import Apply, Atom, Block, Equation, For, If, Var, While
from codegen.ir.kinds import Access
from codegen.ir.substitution import blocks, reads

MOST_KEPT = (
    1  # values in an iteration, as many as an array has elements: of more the array itself is less to keep
)


@dataclass(frozen=True, eq=False)
class Chain:
    """An array carried through a loop's body by writes alone.

    versions  its names at the body's own level and in branches, numbered by the writes before them
    inner     those in inner loops, numbered by the one write that the loop is
    writes    each with its number
    depth     how many loops inside the body the deepest write is, those of a few iterations not counted
    """

    versions: Mapping[Var, int]
    inner: Mapping[Var, int]
    writes: tuple[tuple[int, Place], ...]
    depth: int


def chain(
    block: Block,
    start: Var,
    end: Atom,
    is_short: Callable[[For | While], bool] = lambda loop: False,
    guards: Guards = (),
) -> Chain | None:
    """The chain from `start`, the array at a body's entry, to `end`, at its exit; None if there is none.

    `is_short`: whether a loop has a few iterations only. `guards`: those around the block.
    """
    walk = ChainWalk(is_short, {start: 0})
    if walk.block(block, start, 0, guards) is not end:
        return None
    return Chain(walk.versions, walk.inner, tuple(walk.writes), walk.depth)


@dataclass(eq=False)
class ChainWalk:
    """Follows an array from write to write. `is_short`: whether a loop has a few iterations only."""

    is_short: Callable[[For | While], bool]
    versions: dict[Var, int]
    inner: dict[Var, int] = field(default_factory=dict)
    writes: list[tuple[int, Place]] = field(default_factory=list)
    depth: int = 0
    steps: int = 0  # so far
    loops: int = 0  # around what is at hand

    def block(self, block: Block, now: Var, depth: int, guards: Guards) -> Var | None:
        """The last version in a block."""
        for equation in block.equations:
            if any(a is now for a in sources(equation)):
                made = self.step(equation, now, depth, guards)
                if made is None:
                    return None
                now = made
                (self.inner if self.loops else self.versions)[now] = self.steps
        return now

    def step(self, equation: Equation, now: Var, depth: int, guards: Guards) -> Var | None:
        """The version that one equation makes of another. An outermost loop is one step, whatever is in it."""
        self.steps += not self.loops
        match equation.op:
            case Apply() as op:
                self.writes.append((self.steps, accessed_place(op, 2, guards)))
                self.depth = max(self.depth, depth)
                return equation.outs[0]
            case For() | While() as loop:
                slots = [k for k, u in enumerate(loop.init) if u is now]
                param = loop.carried[slots[0]]
                self.inner[param] = self.steps
                self.loops += 1
                end = self.block(loop.body, param, depth + (not self.is_short(loop)), guards)
                self.loops -= 1
                through = len(slots) == 1 and end is loop.body.results[slots[0]]
                return equation.outs[slots[0]] if through else None
            case If(test, then, orelse):
                a = self.block(then, now, depth, (*guards, (test, True)))
                b = self.block(orelse, now, depth, (*guards, (test, False)))
                pairs = enumerate(zip(then.results, orelse.results, strict=True))
                slots = [k for k, (r, s) in pairs if r is a and s is b]
                return equation.outs[slots[0]] if a and b and len(slots) == 1 else None
        return None


def sources(equation: Equation) -> tuple[Atom, ...]:
    """What an equation may write into or pass on."""
    match equation.op:
        case Apply(primitive, operands):
            return operands[:1] if primitive.writes else ()
        case For() | While() as loop:
            return loop.init
        case If(_, then, orelse):
            inner = (a for side in (then, orelse) for e in side.equations for a in sources(e))
            return (*inner, *then.results, *orelse.results)
    return ()


@dataclass(frozen=True, eq=False)
class Overwritten:
    """The arrays that a loop writes in place and whose entry values are not kept, by their carried Vars."""

    loop: For
    chains: Mapping[Var, Chain]
    dependences: Dependences

    @property
    def guards(self) -> Guards:
        """The tests of the branches around the loop."""
        return self.dependences.ranges.guards.get(self.loop, ())

    @cached_property
    def versions(self) -> dict[Var, Var]:
        """Version -> the array it is one of."""
        return {v: p for p, c in self.chains.items() for v in c.versions}

    @cached_property
    def all_versions(self) -> dict[Var, Var]:
        """The same with the versions in inner loops."""
        return {v: p for p, c in self.chains.items() for v in (*c.versions, *c.inner)}

    def without(self, failed: set[Var]) -> Overwritten:
        left = {p: c for p, c in self.chains.items() if p not in failed}
        return Overwritten(self.loop, left, self.dependences)

    def spoilt(self, equation: Equation, guards: Guards = ()) -> set[Var]:
        """The arrays of which an equation needs values that a later write may overwrite.

        `guards`: those of the branches of the loop's body that it is in.
        """
        versions = self.all_versions
        return {
            versions[v]
            for v, read in version_uses(equation, versions, (*self.guards, *guards))
            if self.is_spoilt(versions[v], v, read)
        }

    def is_spoilt(self, array: Var, version: Var, read: Place | None) -> bool:
        """May what is read at a place of a version be something else once the loop is over?"""
        found = self.chains[array]
        number = found.versions[version] if version in found.versions else found.inner[version]
        apart = self.dependences.apart
        return read is None or not all(apart(read, w, self.loop, k <= number) for k, w in found.writes)

    def cheaper_whole(self, kept: Mapping[Var, set[Var]]) -> set[Var]:
        """The arrays of which each iteration writes about all, where what it needs of them is more to keep.

        `kept`: what is kept, and the arrays that it is of.
        """
        return {p for p, c in self.chains.items() if c.depth >= p.type.rank and as_large(p, kept) > MOST_KEPT}

    def to_keep(
        self, equations: Sequence[Equation], depth: int = 0, guards: Guards = (), *, everywhere: bool = False
    ) -> Iterator[Equation]:
        """The equations whose values have to be kept.

        In inner loops those of arrays with more axes than there are loops around, or of which an iteration of this
        loop writes a part: of others, all elements may well be read and written in it, and the array itself is less to
        keep. `everywhere`: all of them, where loops of a few iterations may go through a part of what gets large.
        """
        for equation in equations:
            op = equation.op
            if isinstance(op, If):
                for block, holds in zip(blocks(op), (True, False), strict=True):
                    inner = (*guards, (op.test, holds))
                    yield from self.to_keep(block.equations, depth, inner, everywhere=everywhere)
            elif isinstance(op, For):
                is_short = self.dependences.ranges.is_short(op)
                yield from self.to_keep(
                    op.body.equations, depth + (not is_short), guards, everywhere=everywhere
                )
            elif isinstance(op, While) and everywhere:
                yield from self.to_keep(op.body.equations, depth + 1, guards, everywhere=True)
            elif blocks(op) or self.writes(equation):
                continue
            elif any(
                everywhere or p.type.rank > min(depth, self.chains[p].depth)
                for p in self.spoilt(equation, guards)
            ):
                yield equation

    def writes(self, equation: Equation) -> bool:
        return any(out in self.all_versions for out in equation.outs)


def as_large(array: Var, kept: Mapping[Var, set[Var]]) -> int:
    """How much is kept of an array in each iteration that is about as large as itself."""
    return sum(array in arrays and v.type.rank >= array.type.rank for v, arrays in kept.items())


def version_uses(
    equation: Equation, versions: Mapping[Var, Var], guards: Guards
) -> Iterator[tuple[Var, Place | None]]:
    """The versions an equation and its blocks mention: the place read, None for any other use."""
    op = equation.op
    rest = reads(op)
    if isinstance(op, Apply) and op.primitive.kind is Access.READ and op.operands[0] in versions:
        yield op.operands[0], accessed_place(op, 1, guards)  # type: ignore[misc]
        rest = op.operands[1:]
    yield from ((a, None) for a in rest if isinstance(a, Var) and a in versions)
    tests: tuple[Guards, ...] = (((op.test, True),), ((op.test, False),)) if isinstance(op, If) else ((), ())
    for block, test in zip(blocks(op), tests):
        for each in block.equations:
            yield from version_uses(each, versions, (*guards, *test))
        yield from ((r, None) for r in block.results if isinstance(r, Var) and r in versions)
