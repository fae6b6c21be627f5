"""Arrays written in place in a loop: which reads still find, once the loop is over, what they found then?

    for i in range(1, n):
        x[i] = x[i - 1] * x[i]          x[i - 1] is not written again: the finished array has it
                                        x[i] is overwritten: its value has to be kept

A history of whole arrays would cost the array's size an iteration. Instead each read that an overwrite
may spoil is kept by itself, and all others read the finished array: time and memory are linear in the
number of reads and writes. A write spoils a read if it may touch the same element in the same iteration
after the read, or in a later one. Whether it may is decided on subscripts that are a loop's index, a size
or any other int, plus a literal, with the ranges of the indices for bounds; what is not decided counts as
spoilt. Subscripts must be known not to be negative: those wrap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codegen.analysis.affine import offset_of
from codegen.ir import Apply, Atom, Block, Dim, Equation, For, If, Lit, Program, Var, While
from codegen.ir.kinds import Access, Logic, Relation
from codegen.ir.substitution import binders, blocks, reads, sizes
from codegen.primitives.index import Cut, cut_bounds, grouped

Affine = tuple[Var | None, int]
Edge = Atom | Affine  # an int as it is given, or one counted from the end: an axis's size plus a literal


@dataclass(frozen=True)
class Range:
    """The indices of one axis from `start` up to `stop`, which is not among them."""

    start: Edge
    stop: Edge


Place = tuple[Edge | Range | None, ...]  # the subscript of each axis, None where it is neither int nor slice


@dataclass(frozen=True, eq=False)
class Chain:
    """An array carried through a loop's body by writes alone.

    versions  its names at the body's own level and in branches, numbered by the steps before them
    writes    each with the number of its step
    depth     how many loops inside the body the deepest write is
    """

    versions: Mapping[Var, int]
    writes: tuple[tuple[int, Place], ...]
    depth: int


def chain(block: Block, start: Var, end: Atom) -> Chain | None:
    """The chain from `start`, the array at a body's entry, to `end`, at its exit; None if there is none."""
    walk = ChainWalk({start: 0}, [])
    if walk.block(block, start, None, 0) is not end:
        return None
    return Chain(walk.versions, tuple(walk.writes), walk.depth)


@dataclass(eq=False)
class ChainWalk:
    """Follows an array from write to write."""

    versions: dict[Var, int]
    writes: list[tuple[int, Place]]
    depth: int = 0

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
                if not depth:
                    self.versions[now] = number
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
                end = self.block(loop.body, loop.carried[slots[0]], number, depth + 1)
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


def subscript_ints(op: Apply, first: int) -> Place:
    """The ints of a subscript, by axis; operands before `first` are the array and the value."""
    spec = op.params["spec"]
    if "n" in spec:
        return ()
    given = grouped(spec, op.operands[first:])
    return tuple(place(token, of, n) for token, of, n in zip(spec, given, op.operands[0].type.shape))


def place(token: Any, given: tuple[Atom, ...], size: Dim) -> Edge | Range | None:
    """What one part of a subscript chooses of its axis; None where that is not one int or one range."""
    if token == "i":
        return from_start(given[0], size)
    if not isinstance(token, Cut) or token.step != 1:
        return None
    start, stop = cut_bounds(token, given)
    low: Edge = (None, 0) if start is None else from_start(start, size)
    return Range(low, from_start(stop, size) if stop is not None else from_end(size, 0))


def from_start(atom: Atom, size: Dim) -> Edge:
    """An int of a subscript; a negative literal is counted from the end of its axis."""
    return from_end(size, atom.value) if isinstance(atom, Lit) and atom.value < 0 else atom


def from_end(size: Dim, offset: int) -> Affine:
    return (size, offset) if isinstance(size, Var) else (None, size + offset)


class AffineBounds:
    """What is known of the ints of a program: how they were made, and the range of each loop's index."""

    def __init__(self, program: Program):
        self.made: dict[Var, Apply] = {}
        self.loops: dict[Var, For] = {}
        self.sizes: set[Var] = set()
        self.caps: dict[Var, tuple[Atom, int]] = {}  # counts of a while that are at most another int, plus
        for function in program.functions.values():
            self.note(function.params)
            self.enter(function.body)

    def note(self, variables: tuple[Var, ...]) -> None:
        for var in variables:
            self.sizes.update(sizes(var.type))

    def enter(self, block: Block) -> None:
        for equation in block.equations:
            self.note((*equation.outs, *binders(equation.op)))
            if isinstance(equation.op, Apply) and offset_of(equation.op):
                self.made[equation.outs[0]] = equation.op
            if isinstance(equation.op, For):
                self.loops[equation.op.index] = equation.op
            for inner in blocks(equation.op):
                self.enter(inner)

    def affine(self, atom: Edge) -> Affine:
        """An int as something plus a literal."""
        if isinstance(atom, tuple):
            return atom
        if isinstance(atom, Lit):
            return None, atom.value
        if (found := offset_of(self.made.get(atom))) is not None:
            base, offset = self.affine(found[0])
            return base, offset + found[1]
        return atom, 0

    def bounds(self, place: Edge | Range, upper: bool) -> list[Affine]:
        """Bounds from above or from below, each with fewer indices in it than the one before."""
        if isinstance(place, Range):
            base, offset = self.affine(place.stop if upper else place.start)
            offset -= upper
        else:
            base, offset = self.affine(place)
        found = [(base, offset)]
        while base is not None:
            if (loop := self.loops.get(base)) is not None:
                last = loop.stop if (loop.step > 0) == upper else loop.start
                offset += 0 if last is loop.start else -1 if upper else 1
            elif upper and base in self.caps:
                last, over = self.caps[base]
                offset += over
            else:
                break
            base, more = self.affine(last)
            offset += more
            found.append((base, offset))
        return found

    def cap_count(self, n: Var, loop: While) -> None:
        """Note that a while repeats at most `n` times, if its condition has a counter against a bound."""
        slots = {p: k for k, p in enumerate(loop.carried)}
        tests = {e.outs[0]: e.op for e in loop.cond.equations if isinstance(e.op, Apply)}
        todo = list(loop.cond.results)
        while todo:
            test = tests.get(todo.pop())  # type: ignore[arg-type]
            if test is None:
                continue
            if test.primitive.kind is Logic.AND:
                todo += test.operands
            elif test.primitive.kind is Relation.LT and isinstance(i := test.operands[0], Var) and i in slots:
                start = self.affine(loop.init[slots[i]])
                base, step = self.affine(loop.body.results[slots[i]])
                bound = test.operands[1]
                inside = isinstance(bound, Var) and (bound in tests or bound in slots)
                if start[0] is None and start[1] >= 0 and base is i and step > 0 and not inside:
                    self.caps[n] = (bound, -start[1])
                    return

    def counts_from_zero(self, loop: For) -> bool:
        """Is the index known to be 0 or more in every iteration?"""
        low, over = (loop.start, 0) if loop.step > 0 else (loop.stop, 1)
        lowest = self.bounds(low, upper=False)
        return any(c + over >= 0 and (b is None or b in self.sizes) for b, c in lowest)

    def natural(self, place: Edge | Range) -> bool:
        """Is it known to be 0 or more? Of a slice, are both ends? What is counted from the end does not wrap."""
        if isinstance(place, Range):
            return self.natural(place.start) and self.natural(place.stop)
        if isinstance(place, tuple):
            return True
        return any(c >= 0 and (b is None or b in self.sizes) for b, c in self.bounds(place, upper=False))

    def later(self, place: Edge | Range, loop: For, upper: bool, strictly: bool) -> list[Affine]:
        """Bounds of a write's subscript over this iteration (unless `strictly`) and all later ones."""
        found = []
        for base, c in self.bounds(place, upper):
            if base is not loop.index:
                found.append((base, c))
            elif (loop.step > 0) != upper:
                found.append((base, c + (loop.step if strictly else 0)))
        return found

    def spoilt(self, read: Place, version: int, found: Chain, loop: For) -> bool:
        """May a read of a version find something else once `loop` is over?"""
        return not all(self.apart(read, w, loop, number <= version) for number, w in found.writes)

    def apart(self, read: Place, write: Place, loop: For, strictly: bool) -> bool:
        """Are the places read and written later different, by some axis?"""
        for r, w in zip(read, write):
            if r is None or w is None or not (self.natural(r) and self.natural(w)):
                continue
            if below(self.bounds(r, True), self.later(w, loop, False, strictly)):
                return True
            if below(self.later(w, loop, True, strictly), self.bounds(r, False)):
                return True
        return False


def below(uppers: list[Affine], lowers: list[Affine]) -> bool:
    """Is one of these upper bounds below one of these lower bounds?"""
    return any(a is b and m < n for a, m in uppers for b, n in lowers)


@dataclass(frozen=True, eq=False)
class Overwritten:
    """The arrays that a loop writes in place and whose entry values are not kept, by their carried Vars."""

    loop: For
    chains: Mapping[Var, Chain]
    ranges: AffineBounds

    @property
    def versions(self) -> dict[Var, Var]:
        """Version -> the array it is one of."""
        return {v: p for p, c in self.chains.items() for v in c.versions}

    def without(self, failed: set[Var]) -> Overwritten:
        left = {p: c for p, c in self.chains.items() if p not in failed}
        return Overwritten(self.loop, left, self.ranges)

    def spoilt(self, equation: Equation) -> set[Var]:
        """The arrays of which an equation needs values that a later write may overwrite."""
        versions = self.versions
        return {
            versions[v]
            for v, read in version_uses(equation, versions)
            if self.is_spoilt(versions[v], v, read)
        }

    def is_spoilt(self, array: Var, version: Var, read: Place | None) -> bool:
        found = self.chains[array]
        return read is None or self.ranges.spoilt(read, found.versions[version], found, self.loop)

    def to_keep(self, equations: Sequence[Equation]) -> Iterator[Equation]:
        """The equations at the body's own level and in its branches whose values have to be kept."""
        for equation in equations:
            if isinstance(equation.op, If):
                for side in blocks(equation.op):
                    yield from self.to_keep(side.equations)
            elif not blocks(equation.op) and not self.writes(equation) and self.spoilt(equation):
                yield equation

    def writes(self, equation: Equation) -> bool:
        return any(out in chain.versions for out in equation.outs for chain in self.chains.values())


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
