"""Visits of blocks as one region, with loops and branches in place of a program counter: structured : visits -> Region.

    0: push n; n = n - 1; next 1              while True:
    1: next 0 if n >= 2 else 2         ->         while n >= 2:
    2: total += n; next 3 if deep else 4              push n; n = n - 1
    3: pop n; n = n - 2; next 1                   total += n
                                                  if not deep: break
                                                  pop n; n = n - 2

Lanes of a warp that stand at different blocks go on one after the other; where loops end they are together again.
A block that is come to from one other is put at the end of that one (T2 of Hecht and Ullman's, Flow graph
reducibility, 1972), and one that leads to itself becomes a loop (T1): its shortest cycle the inner one, all others one
around it, as lanes would wait in each of several for the last of them. Where ways meet or leave a loop for different
places, `pc` says which is meant, and where a cycle is entered at several, `entry`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import count

from autobatch.cost_model import COPIED_WORK
from autobatch.kernel import ir
from autobatch.kernel.cuda.work import region_work
from autobatch.kernel.ir import Assign, Exit, If, Next, Operation, Region, Register, Repeat
from autobatch.kernel.lane_visits import LaneVisits, Visit
from codegen.ir import Apply, Lit, Var
from codegen.ir.build import B1, I8
from codegen.primitives import ROWS

PC = Register("pc", I8)
INF, NONE = 1e9, 1e10  # steps where there is no way, and where there is nothing to go from
Leaf = Callable[[int], Region]  # a block -> what is done where a region goes on there


def structured(made: LaneVisits, visits: Sequence[Visit], look: Callable[[Visit], Region]) -> Region:
    """All that a lane does, to its end. Where it ends before the last statement, it is sent there by a Next.

    look: how lanes look whether they are to stop, at the beginning of a visit.
    """
    program = made.program
    structure = Structure(program.entry.entry, len(program.blocks), made.return_sites(), made.memory.fresh)
    for visit in visits:
        structure.regions[visit.number] = structure.plain((*look(visit), *visit.region))
    return structure.whole()


class Structure:
    """Regions by number, which go on at others: at the end of each a Next, or an If with one at the end of its arms.

    start, end: where a lane begins, and the number at which it has ended. sites: a register -> where Returns that read
    it may go. fresh: names for registers.
    """

    def __init__(self, start: int, end: int, sites: dict[str, list[int]], fresh: Callable[[str], str]):
        self.start, self.end, self.sites, self.fresh = start, end, sites, fresh
        self.regions: dict[int, Region] = {}
        self.returns: dict[str, int] = {}
        self.numbers = count(end + 1)
        self.looping: set[int] = set()  # the regions that have had their inner loop

    def plain(self, region: Region) -> Region:
        """A region that goes on at numbers alone, without tests in a Next."""
        *before, last = region
        match last:
            case Next(Register(name), None):
                return (*before, Next(self.return_by(name)))
            case Next(then, test, orelse) if test is not None:
                return (*before, If(test, self.plain((Next(then),)), self.plain((Next(orelse),)), ends=True))
            case If(ends=True):
                return (*before, replace(last, then=self.plain(last.then), orelse=self.plain(last.orelse)))
        return region

    def return_by(self, name: str) -> int:
        """The region that goes where a register says."""
        if name not in self.returns:
            self.returns[name] = next(self.numbers)
            self.regions[self.returns[name]] = dispatch(self.sites[name], Register(name, I8), goes_on)
        return self.returns[name]

    def whole(self) -> Region:
        self.pass_over()
        while len(self.regions) > 1 or self.start in leaves(self.regions[self.start]):
            looping = {k for k, region in self.regions.items() if k in leaves(region)}
            steps, k, into = self.next_inlined()
            if first := looping - self.looping:
                self.loop(min(first))
            elif steps < INF or (steps == INF and not looping):
                self.regions[into] = self.joined(self.regions[into], k, self.regions.pop(k))
            elif looping:
                self.loop(min(looping))
            else:
                self.enter_at_one(self.entered_at_several())
        return with_leaves(self.regions[self.start], lambda _: (), ends=False)

    def pass_over(self) -> None:
        """Regions that do nothing."""
        for k in list(self.regions):
            if k != self.start and isinstance(self.regions[k][0], Next) and k not in leaves(self.regions[k]):
                self.put_in_place(k)

    def put_in_place(self, k: int) -> None:
        """A region in the place of each way to it."""
        tail = self.regions.pop(k)
        for n, region in self.regions.items():
            self.regions[n] = with_leaves(region, lambda to: tail if to == k else (Next(to),))

    # one region at the end of another

    def next_inlined(self) -> tuple[float, int, int]:
        """A region to which one other leads alone, and that one: those with the fewest steps back; how many."""
        before: dict[int, set[int]] = {k: set() for k in self.regions}
        for k, to in self.graph().items():
            for n in to:
                before[n].add(k)
        alone = {k: min(those) for k, those in before.items() if k != self.start and len(those) == 1}
        alone = {k: into for k, into in alone.items() if k != into}
        return min(((self.steps(k, into), k, into) for k, into in alone.items()), default=(NONE, -1, -1))

    def graph(self) -> dict[int, set[int]]:
        return {k: set(leaves(region)) - {self.end} for k, region in self.regions.items()}

    def steps(self, first: int, last: int) -> float:
        """From one region to another at least."""
        graph, reached, steps = self.graph(), {first}, 0
        while last not in reached:
            further = reached.union(*(graph[k] for k in reached))
            if further == reached:
                return INF
            reached, steps = further, steps + 1
        return steps

    def joined(self, region: Region, k: int, tail: Region) -> Region:
        """A region with the tail where it goes on at k."""
        if list(leaves(region)).count(k) == 1:
            return with_leaves(region, lambda n: tail if n == k else (Next(n),))
        *before, last = region
        assert isinstance(last, If)
        if k not in leaves(last.orelse):
            return (*before, replace(last, then=self.joined(last.then, k, tail)))
        if k not in leaves(last.then):
            return (*before, replace(last, orelse=self.joined(last.orelse, k, tail)))
        return (*before, *self.met((last,), {k}, lambda n: tail if n == k else (Next(n),)))

    def met(self, region: Region, at: Set[int], then: Leaf) -> Region:
        """A region whose ways come together, and go on at `at` or others from there; those that end do so."""
        places = sorted((set(leaves(region)) | at) - {self.end})
        noted = with_leaves(region, lambda n: self.noted(n, places), ends=False)
        return (*noted, *dispatch(places, PC, then))

    def noted(self, n: int, places: Sequence[int]) -> Region:
        """That a lane is to go on at n, where it may be at several places; one that ends goes there at once."""
        if n == self.end:
            return (Next(n),)
        return (Assign(PC, Lit(n, I8)),) if len(places) > 1 else ()

    # loops

    def loop(self, k: int) -> None:
        """A region that goes on at itself is a loop, and where it goes on afterwards."""
        self.looping.add(k)
        region = self.regions[k]
        ways = set(leaves(region)) - {k}
        places = sorted(ways - {self.end} or ways)

        def leaf(n: int) -> Region:
            if n == k:
                return ()
            left = n in places
            return (*(self.noted(n, places) if n != self.end else ()), Exit()) if left else (Next(n),)

        loop = Repeat(with_leaves(region, leaf, ends=False))
        self.regions[k] = (loop, *dispatch(places, PC, goes_on)) if places else (loop,)

    # cycles that are entered at several places

    def enter_at_one(self, places: Sequence[int]) -> None:
        """A short region is put wherever it is come to; else a register says where lanes enter."""
        short = [k for k in places if k not in leaves(self.regions[k])]
        short = [k for k in short if region_work(self.regions[k]) <= COPIED_WORK]
        if short:
            self.put_in_place(min(short, key=lambda k: (region_work(self.regions[k]), k)))
            return
        number, register = next(self.numbers), Register(self.fresh("entry"), I8)

        def leaf(n: int) -> Region:
            return (Assign(register, Lit(n, I8)), Next(number)) if n in places else (Next(n),)

        self.regions = {k: with_leaves(region, leaf) for k, region in self.regions.items()}
        self.regions[number] = dispatch(places, register, goes_on)

    def entered_at_several(self) -> list[int]:
        """The places where a cycle is entered, the innermost that has several."""
        graph, inside, head = self.graph(), set(self.regions), self.start
        while True:
            inner = {k: graph[k] & inside - {head} for k in inside}
            cycle = next(c for k in sorted(inside) if len(c := cycle_of(inner, k)) > 1)
            entries = {n for k in self.regions if k not in cycle for n in graph[k] & cycle}
            if len(entries) > 1:
                return sorted(entries)
            inside, (head,) = cycle, entries


def cycle_of(graph: dict[int, set[int]], k: int) -> set[int]:
    """The nodes from which k is reached and that are reached from it."""
    return {n for n in reached(graph, k) if k in reached(graph, n)}


def reached(graph: dict[int, set[int]], k: int) -> set[int]:
    found, todo = set[int](), [k]
    while todo:
        todo += (new := graph[todo.pop()] - found)
        found |= new
    return found


def goes_on(n: int) -> Region:
    return (Next(n),)


def dispatch(places: Sequence[int], register: Register, then: Leaf) -> Region:
    """One of several ways, as a register says."""
    first, *others = places
    if not others:
        return then(first)
    equal = Apply(ROWS["eq"], (Var(register.name, I8), Lit(first, I8)))
    test = Operation(equal, (register, Lit(first, I8)), B1)
    return (If(test, then(first), dispatch(others, register, then), ends=True),)


def falls_through(region: Region) -> bool:
    """Whether what follows a region is come to: a loop that is never left is the last of it."""
    match region[-1:]:
        case (Repeat(body),):
            return any(isinstance(stmt, Exit) for stmt in own_statements(body))
    return True


def own_statements(region: Region) -> Iterator[ir.Stmt]:
    """The statements of a region, without those of loops in it."""
    for stmt in region:
        yield stmt
        if isinstance(stmt, If):
            yield from (*own_statements(stmt.then), *own_statements(stmt.orelse))


def leaves(region: Region) -> Iterator[int]:
    """Where a region goes on."""
    match region[-1:]:
        case (Next(int(n)),):
            yield n
        case (If(_, then, orelse, ends=True),):
            yield from (*leaves(then), *leaves(orelse))


def with_leaves(region: Region, leaf: Leaf, *, ends: bool = True) -> Region:
    """A region with something else in place of each Next at its end; `ends`: which goes on somewhere."""
    match region[-1:]:
        case (Next(int(n)),):
            return (*region[:-1], *leaf(n))
        case (If(_, then, orelse, ends=True) as last,):
            then, orelse = (with_leaves(arm, leaf, ends=ends) for arm in (then, orelse))
            return (*region[:-1], replace(last, then=then, orelse=orelse, ends=ends))
    return region
