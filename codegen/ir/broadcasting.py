"""Sizes that meet in broadcasting: which are one, and which may be 1 when the program runs.

    x[1:] - x[:-1]     two sizes, both n - 1: one
    x[:k] + y          the first may be 1, and then is stretched: np.broadcast_to(x[:k], len(y)) + y
    x + y              of arguments neither is 1 (an axis of size 1 is known as that): equal, or an error

Where a size may be 1 is known from where it came: `least` is a lower bound.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from codegen.ir import Atom, Dim, Lit, Type, Var
from codegen.ir.kinds import Arithmetic

Key = tuple[Hashable, ...]
# The names of sizes that are 0, and 2 to 7, now: programs for them hold for all sizes, and are made for no others. In
# those for larger ones `x[1:-1]`, the inside of a grid, is known to be no single place.
EMPTY, FEW = "none", "few"
MANY = 8


def least_of(name: str) -> int:
    """How large a size of an argument is at least, by its name."""
    return {EMPTY: 0, FEW: 2}.get(name, MANY)


# How large a size is at least, for as long as its Var lives.
LEAST: WeakKeyDictionary[Var, int] = WeakKeyDictionary()


def least(n: Dim) -> int:
    return n if isinstance(n, int) else LEAST.get(n, 0)


def sized_alike(n: Dim | int) -> Var:
    """A new size, at least as large as n is known to be."""
    made = Var("n", Type("i8", weak=True))
    LEAST[made] = least(n)
    return made


@dataclass(frozen=True, eq=False)
class RelatedSize(Var):
    """In a signature: a size that is another one and so many more, in all calls that its program serves."""

    of: Var | None = None
    more: int = 0


@dataclass(frozen=True, eq=False)
class RelatedInt(Type):
    """In a signature: an int that is a size and so many more."""

    of: Var | None = None
    more: int = 0


class LeftOpen(BaseException):
    """Whether an axis is 1, and stretched, hangs on what is not known of the arguments' sizes."""


@dataclass(eq=False)
class OpenSizes:
    """How often that was so while a program was inferred; `wanted`: LeftOpen is raised where it is. `inside`: how many
    inferences are under way, those of functions that it takes derived among them."""

    wanted: bool
    count: int = 0
    inside: int = 0


OPEN_SIZES: ContextVar[OpenSizes | None] = ContextVar("OPEN_SIZES", default=None)


@contextmanager
def counted_open_sizes() -> Iterator[None]:
    """An inference. Where sizes are counted LeftOpen ends the making of a program that leaves some open, as soon as it
    is known how many."""
    found = OPEN_SIZES.get() or OpenSizes(wanted=False)
    found.inside += 1
    try:
        yield
    finally:
        found.inside -= 1
    if OPEN_SIZES.get() is found and found.count and not found.inside:
        raise LeftOpen


class Meets:
    """What is known of the sizes of one inference; `all_wide`: none is 1 that is not known to be; `related`: some are
    known to be others and so many more."""

    def __init__(self, *, all_wide: bool = False) -> None:
        self.all_wide = all_wide
        self.related = False
        self.keys: dict[Var, Key] = {}

    def may_be_one(self, n: Dim) -> bool:
        return isinstance(n, Var) and not self.all_wide and least(n) < 2

    def same(self, n: Dim, m: Dim) -> bool:
        """Whether two sizes are certainly equal."""
        if isinstance(n, int) or isinstance(m, int):
            return isinstance(n, int) and isinstance(m, int) and n == m
        return n is m or self.key(n) == self.key(m)

    def key(self, n: Var) -> Key:
        return self.keys.get(n, ("less", n, 0))

    def less(self, n: Dim, number: int) -> Key | None:
        """n - number, as far as there is an array of that size. Adding to n is known where it is no part of the whole
        that may have ended at 0."""
        match self.key(n) if isinstance(n, Var) else ():
            case ("less", Var() as whole, int(before)) if number >= 0 or before <= least(whole):
                return ("less", whole, before + number)
        return None

    def relate(self, n: Var, other: Var, more: int) -> None:
        """n is another size and so many more."""
        self.related = True
        self.note(n, self.less(other, -more))

    def relation(self, n: Var) -> tuple[Var, int] | None:
        """What n is known to be: a size, and how many more."""
        match self.key(n):
            case ("less", Var() as whole, int(number)):
                return whole, -number
        return None

    def left_open(self) -> None:
        """It is not known whether an axis is 1."""
        found = OPEN_SIZES.get()
        if found is not None:
            found.count += 1
            if found.wanted:
                raise LeftOpen

    def made_by(self, kind: Any, out: Var, operands: tuple[Atom, ...]) -> None:
        """`out` is what an operation gives: the difference of a Python int; any int, where sizes are related."""
        is_known = self.related or out.type.weak and kind is Arithmetic.SUB
        if not is_known or out.type.dtype != "i8" or out.type.rank:
            return
        x, y = operands
        if kind is Arithmetic.ADD and isinstance(x, Lit):
            x, y = y, x
        if isinstance(x, Var) and isinstance(y, Lit) and isinstance(y.value, int):
            number = y.value if kind is Arithmetic.SUB else -y.value
            if number > 0 or self.related:
                self.note(out, self.less(x, number))

    def cuts(self, x: Type, places: list[tuple[Any, tuple[Atom, ...]]], made: Type) -> None:
        """The sizes of a slice: `places` are the parts of its subscript with their operands."""
        axis = out = 0
        for token, given in places:
            if not isinstance(token, str) and isinstance(made.shape[out], Var):
                self.note(made.shape[out], self.cut(x.shape[axis], token, given))
            axis += token != "n"
            out += token != "i"

    def cut(self, n: Dim, token: Any, given: tuple[Atom, ...]) -> Key | None:
        """What a slice leaves of n elements."""
        ends: list[Any] = [g.value if isinstance(g, Lit) else g for g in given]
        ends = [*ends[:-1], self.counted_back(n, ends[-1])] if token.stop else ends
        start = ends[0] if token.start else 0
        stop = ends[-1] if token.stop else None
        ends = [e for e in ends if e is not None]
        if token.step == 1 and all(isinstance(e, int) for e in ends) and isinstance(n, Var):
            if start >= 0 and (stop is None or stop < 0):
                return self.less(n, start - (stop or 0))
            if start == 0 and stop is not None:
                return ("at most", self.key(n), stop)
            if stop is None:
                return ("at most", self.key(n), -start)
        parts = (self.key(each) if isinstance(each, Var) else each for each in (n, start, stop))
        return ("cut", *parts, token.step)

    def counted_back(self, n: Dim, stop: Any) -> Any:
        """The end of a slice as an int where it is n, or n less a number that n has: None, -1, -2."""
        found, of = (self.relation(m) if isinstance(m, Var) else None for m in (stop, n))
        if found is None or of is None or found[0] is not of[0]:
            return stop
        number = of[1] - found[1]
        return None if number <= 0 else -number if number <= least(n) else stop

    def from_the_end(self, n: Dim, bounds: slice) -> slice:
        """A slice of an axis of n elements, its bounds counted from the end where they are related to n."""
        if not self.related or bounds.step not in (None, 1):
            return bounds
        start, stop = (getattr(bound, "atom", bound) for bound in (bounds.start, bounds.stop))
        from_start, from_stop = self.counted_back(n, start), self.counted_back(n, stop)
        first = bounds.start if from_start is start or from_start is None else from_start
        return slice(first, bounds.stop if from_stop is stop else from_stop, bounds.step)

    def equal(self, n: Dim, m: Dim) -> None:
        """Two sizes that are one."""
        if isinstance(m, Var):
            self.note(n, self.key(m))

    def joined(self, total: Dim, sizes: Iterable[Dim]) -> None:
        """`total` is the sum of these sizes."""
        if isinstance(total, Var):
            LEAST[total] = sum(map(least, sizes))

    def note(self, n: Dim, key: Key | None) -> None:
        if isinstance(n, Var) and key is not None:
            self.keys.setdefault(n, key)
            LEAST[n] = max(least(n), of_key(key))


def of_key(key: Key) -> int:
    """How large a size is at least, by where it came from."""
    match key:
        case ("less", Var() as whole, int(number)):  # of an int that may be negative nothing is known
            return max(least(whole) - number, 0) if least(whole) else 0
        case ("at most", tuple(inner), int(number)):
            return min(of_key(inner), number) if number >= 0 else 0
    return 0


def distinct(atoms: tuple[Atom, ...], axis: int) -> list[Any]:
    """The different sizes that meet along an axis, counted from the last, without 1."""
    found: list[Any] = []
    for atom in atoms:
        n = atom.type.shape[-axis] if atom.type.rank >= axis else 1
        if not any(n is m for m in found) and not (isinstance(n, int) and (n == 1 or n in found)):
            found.append(n)
    return found
