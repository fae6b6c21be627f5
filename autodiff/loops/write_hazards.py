"""Arrays written in place in a loop: which reads still find, once the loop is over, what they found then?

    for i in range(1, n):
        x[i] = x[i - 1] * x[i]          x[i - 1] is not written again: the finished array has it
                                        x[i] is overwritten: its value has to be kept

A history of whole arrays would cost the array's size an iteration. Instead each read that an overwrite
may spoil is kept by itself, and all others read the finished array: time and memory are linear in the
number of reads and writes. A write spoils a read if it may touch the same element in the same iteration
after the read, or in a later one (affine_bounds.py); what is not decided counts as spoilt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autodiff.loops.affine_bounds import AffineBounds, Place, subscript_ints
from codegen.ir import Apply, Atom, Block, Equation, For, If, Var, While
from codegen.ir.kinds import Access
from codegen.ir.substitution import blocks, reads


@dataclass(frozen=True, eq=False)
class Chain:
    """An array carried through a loop's body by writes alone.

    versions  its names at the body's own level and in branches, numbered by the steps before them
    inner     those in inner loops, numbered by the step that the loop is
    writes    each with the number of its step
    depth     how many loops inside the body the deepest write is, those of a few iterations not counted
    """

    versions: Mapping[Var, int]
    inner: Mapping[Var, int]
    writes: tuple[tuple[int, Place], ...]
    depth: int


def chain(
    block: Block, start: Var, end: Atom, is_short: Callable[[For | While], bool] = lambda loop: False
) -> Chain | None:
    """The chain from `start`, the array at a body's entry, to `end`, at its exit; None if there is none.

    `is_short`: whether a loop has a few iterations only.
    """
    walk = ChainWalk(is_short, {start: 0})
    if walk.block(block, start, None, 0) is not end:
        return None
    return Chain(walk.versions, walk.inner, tuple(walk.writes), walk.depth)


@dataclass(eq=False)
class ChainWalk:
    """Follows an array from write to write."""

    is_short: Callable[[For | While], bool]
    versions: dict[Var, int]
    inner: dict[Var, int] = field(default_factory=dict)
    writes: list[tuple[int, Place]] = field(default_factory=list)
    depth: int = 0
    loops: int = 0  # around what is at hand

    def block(self, block: Block, now: Var, step: int | None, depth: int) -> Var | None:
        """The last version in a block; `step`: the number of all in it, None if each write is a step."""
        count = 0
        for equation in block.equations:
            if any(a is now for a in sources(equation)):
                count += 1
                number = count if step is None else step
                made = self.step(equation, now, number, depth)
                if made is None:
                    return None
                now = made
                (self.inner if self.loops else self.versions)[now] = number
        return now

    def step(self, equation: Equation, now: Var, number: int, depth: int) -> Var | None:
        """The version that one equation makes of another."""
        match equation.op:
            case Apply() as op:
                self.writes.append((number, subscript_ints(op, 2)))
                self.depth = max(self.depth, depth)
                return equation.outs[0]
            case For() | While() as loop:
                slots = [k for k, u in enumerate(loop.init) if u is now]
                param = loop.carried[slots[0]]
                self.inner[param] = number
                self.loops += 1
                end = self.block(loop.body, param, number, depth + (not self.is_short(loop)))
                self.loops -= 1
                through = len(slots) == 1 and end is loop.body.results[slots[0]]
                return equation.outs[slots[0]] if through else None
            case If(_, then, orelse):
                a, b = (self.block(side, now, number, depth) for side in (then, orelse))
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
    ranges: AffineBounds

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
        return Overwritten(self.loop, left, self.ranges)

    def spoilt(self, equation: Equation) -> set[Var]:
        """The arrays of which an equation needs values that a later write may overwrite."""
        versions = self.all_versions
        return {
            versions[v]
            for v, read in version_uses(equation, versions)
            if self.is_spoilt(versions[v], v, read)
        }

    def is_spoilt(self, array: Var, version: Var, read: Place | None) -> bool:
        """May what is read at a place of a version be something else once the loop is over?"""
        found = self.chains[array]
        number = found.versions[version] if version in found.versions else found.inner[version]
        apart = self.ranges.apart
        return read is None or not all(apart(read, w, self.loop, k <= number) for k, w in found.writes)

    def to_keep(self, equations: Sequence[Equation], depth: int = 0) -> Iterator[Equation]:
        """The equations whose values have to be kept.

        In inner loops those of arrays with more axes than there are loops around: of others, all elements may well be
        read in each iteration of this loop, and the array itself is less to keep.
        """
        for equation in equations:
            op = equation.op
            if isinstance(op, If):
                for side in blocks(op):
                    yield from self.to_keep(side.equations, depth)
            elif isinstance(op, For):
                yield from self.to_keep(op.body.equations, depth + (not self.ranges.is_short(op)))
            elif blocks(op) or self.writes(equation):
                continue
            elif any(p.type.rank > depth for p in self.spoilt(equation)):
                yield equation

    def writes(self, equation: Equation) -> bool:
        return any(out in self.all_versions for out in equation.outs)


def version_uses(equation: Equation, versions: Mapping[Var, Var]) -> Iterator[tuple[Var, Place | None]]:
    """The versions an equation and its blocks mention: the place read, None for any other use."""
    op = equation.op
    rest = reads(op)
    if isinstance(op, Apply) and op.primitive.kind is Access.READ and op.operands[0] in versions:
        yield op.operands[0], subscript_ints(op, 1)  # type: ignore[misc]
        rest = op.operands[1:]
    yield from ((a, None) for a in rest if isinstance(a, Var) and a in versions)
    for block in blocks(op):
        for each in block.equations:
            yield from version_uses(each, versions)
        yield from ((r, None) for r in block.results if isinstance(r, Var) and r in versions)
