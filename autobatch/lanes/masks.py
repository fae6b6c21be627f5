"""Values over the lanes that are active: what the walk over structured code works with.

    if x > 0:                    then_at = np.flatnonzero(x > 0)
        y = f(x)                 y = np.empty(n)
    else:             ->         y[then_at] = f(x[then_at])
        y = g(x)                 else_at = np.flatnonzero(~(x > 0)); y[else_at] = g(x[else_at])

A Scope is a run of equations over some lanes. A condition that differs between lanes opens scopes of fewer
lanes: what they read is gathered, what they give is scattered (if_conversion.py), so that nothing runs on lanes
that are elsewhere. A loop whose end differs between lanes keeps the places of those still in it (loops.py).
What is the same for all lanes stays one value. Arrays read and written by elements, and streams, stay where
they are: only the places are gathered.

A lane that fails (check, fail, an index out of range) has its failure noted in `failed`, over lanes, 0 for
none; it takes part in no later branch, loop or call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any

import numpy as np

from autobatch.errors import Site, site_number
from autobatch.lanes.axes import broadcast_to_lanes, varying_size
from codegen.ir import Atom, Block, Call, Dim, Equation, Lit, Program, Type, Var
from codegen.ir.build import I8, Builder
from codegen.ir.exceptions import Thrown
from codegen.ir.literals import name_of


@dataclass(frozen=True, eq=False)
class LaneValue:
    """An atom of the new program.

    over: its first axis is lanes, those of the scope `home`, which may be more than those here.
    """

    atom: Atom
    over: bool
    home: LaneScope | None = None


@dataclass(eq=False)
class LaneContext:
    """What all scopes of one program share.

    run: the equations of a block in a scope, to its results; call: a call of a function over lanes (both are in
    local_static.py).
    before: an array that was written for some of its lanes -> the array as it was before that.
    settled: a loop, with what decides it -> which of its carried values are over lanes, and what else was found.
    """

    program: Program
    run: Callable[[LaneScope, Block], list[LaneValue]]
    call: Callable[[LaneScope, Equation, Call], None]
    failings: list[Site] = field(default_factory=list)
    before: dict[Atom, Atom] = field(default_factory=dict)
    settled: dict[tuple[object, ...], tuple[list[bool], bool, bool]] = field(default_factory=dict)

    def versions(self, atom: Atom) -> Iterator[Atom]:
        """An array and what it was earlier, the latest first."""
        yield atom
        while atom in self.before:
            atom = self.before[atom]
            yield atom


@dataclass(eq=False)
class LaneScope:
    """Equations over `n` lanes, which are those at `at` of the parent's (all of them where `at` is None).

    masked: some lane of the batch may not be here, so that an error must not end the program for all.
    """

    whole: LaneContext
    b: Builder
    n: Any
    parent: LaneScope | None = None
    at: Atom | None = None
    masked: bool = False
    values: dict[Var, LaneValue] = field(default_factory=dict)
    failed: Atom | None = None
    places: dict[LaneScope, Atom] = field(default_factory=dict)
    gathered: dict[Atom, Atom] = field(default_factory=dict)

    def outward(self) -> Iterator[LaneScope]:
        """This scope and those around it."""
        scope: LaneScope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    @property
    def base(self) -> LaneScope:
        """The scope that settled which lanes are here."""
        return next(s for s in self.outward() if s.at is not None or s.parent is None)

    def where(self) -> Any:
        """The places of the lanes here among the parent's."""
        assert self.at is not None
        return self.b.wrap(self.at)

    # values

    def find(self, var: Var) -> LaneValue | None:
        """A variable of the old program."""
        return next((scope.values[var] for scope in self.outward() if var in scope.values), None)

    def value(self, atom: Atom) -> LaneValue:
        if isinstance(atom, Lit):
            return LaneValue(atom, False)
        found = self.find(atom)
        assert found is not None, f"{atom!r} is not in scope"
        return found

    def rows(self, home: LaneScope | None) -> Any | None:
        """Where the lanes here are among those of `home`; None where they are the same."""
        base = self.base
        if home is base or home is None:
            return None
        if home not in base.places:
            assert base.parent is not None and base.at is not None
            outer = base.parent.rows(home)
            at = base.b.wrap(base.at)
            found = at if outer is None else base.b.apply("index", outer, at, spec=("a",), name="rows")
            base.places[home] = base.b.atom(found)
        return self.b.wrap(base.places[home])

    def here(self, value: LaneValue) -> bool:
        """Whether a value over lanes is over just those here."""
        return not value.over or value.home is self.base

    def use(self, value: LaneValue) -> Any:
        """The value for the lanes here: gathered, once a scope, where it is over more."""
        if self.here(value):
            return self.b.wrap(value.atom)
        written = value.atom in self.whole.before  # perhaps here, and so not known further out
        scope = self if written else self.base
        if value.atom not in scope.gathered:
            near = value if written else scope.nearest(value)
            array, rows = scope.b.wrap(near.atom), scope.rows(near.home)
            made = scope.b.apply("index", array, rows, spec=("a",), name=name_of(value.atom))
            scope.gathered[value.atom] = scope.b.atom(made)
        return self.b.wrap(scope.gathered[value.atom])

    def nearest(self, value: LaneValue) -> LaneValue:
        """The same as it was gathered for fewer lanes around these."""
        for scope in takewhile(lambda scope: scope is not value.home, islice(self.outward(), 1, None)):
            if value.atom in scope.gathered:
                return LaneValue(scope.gathered[value.atom], True, scope.base)
        return value

    def over(self, value: LaneValue) -> Any:
        """The value over these lanes, broadcast if it is shared."""
        return self.use(value) if value.over else broadcast_to_lanes(self.b, self.n, self.use(value))

    def carried(self, value: LaneValue, over: bool) -> Any:
        """The value as loops and functions take and give it: streams over lanes stay where they are."""
        if over and value.atom.type.dtype == "rng":
            return self.b.wrap(value.atom)
        return self.over(value) if over else self.use(value)

    def bind(self, out: Var, made: Any, over: bool) -> None:
        """Enter the value of an old variable, and of the sizes that it brings."""
        atom = self.b.atom(made)
        if atom.type.dtype != out.type.dtype:
            atom = self.b.atom(self.b.apply("cast", made, dtype=out.type.dtype, name=out.name))
        self.enter(out, LaneValue(atom, over, self.base if over else None))

    def parameter(self, var: Var, over: bool) -> Var:
        """The parameter that stands for one of the old program's."""
        made = Var(var.name, self.type(var.type, over))
        self.bind(var, self.b.wrap(made), over)
        return made

    def enter(self, out: Var, value: LaneValue) -> None:
        """Enter a value as it is."""
        self.values[out] = value
        for old, new in zip(out.type.shape, value.atom.type.shape[value.over :]):
            if isinstance(old, Var) and self.find(old) is None:
                self.values[old] = LaneValue(Lit(new, I8) if isinstance(new, int) else new, False)

    def enter_written(self, out: Var, made: Any, old: LaneValue) -> None:
        """Enter an array that is `old`, over its lanes, written for the lanes here."""
        atom = self.b.atom(made)
        self.whole.before[atom] = old.atom
        self.enter(out, LaneValue(atom, True, old.home))

    def put(self, array: Any, value: Any, *places: Any) -> Any:
        """array[at, ...] = value, for the lanes here."""
        spec, name = ("a",) * (1 + len(places)), name_of(self.b.atom(array))
        return self.b.apply("update", array, value, self.where(), *places, spec=spec, name=name)

    def in_place(self, value: LaneValue, array: Atom) -> bool:
        """Whether a value is `array`, over more lanes than those here, which were written there or left alone."""
        return value.over and not self.here(value) and array in self.whole.versions(value.atom)

    def put_back(
        self, place: Var, value: LaneValue, given: Callable[[LaneValue], Any], where: str = ""
    ) -> Any:
        """The array `place` with the value for the lanes here, as `given` has it; one of another size is refused."""
        if self.in_place(value, place):
            return self.b.wrap(value.atom)
        what = f"the array {place.name!r}, which changes its size{where}"
        self.one_size(LaneValue(place, True), value, what)
        made = given(value)
        if value.atom.type.dtype != place.type.dtype:
            made = self.b.apply("cast", made, dtype=place.type.dtype)
        return self.put(self.b.wrap(place), made)

    def one_size(self, a: LaneValue, b: LaneValue, what: str) -> None:
        """Arrays of which a lane has the one or the other have one size: a single element would be broadcast."""
        for n, m in zip(*(v.atom.type.shape[v.over :] for v in (a, b)), strict=True):
            if isinstance(n, int) and isinstance(m, int) and n != m:
                raise varying_size(self.b, what)
            if not self.b.meets.same(n, m):
                self.b.same_size(n, m, "arrays of which each lane has one differ in size")

    def dim(self, dim: Dim) -> Dim:
        """A size of the old program as one of the new; one that is not in scope stands for itself, anew."""
        if isinstance(dim, int):
            return dim
        found = self.find(dim)
        if found is None:
            return Var(dim.name, I8)
        return int(found.atom.value) if isinstance(found.atom, Lit) else found.atom

    def type(self, type_: Type, over: bool) -> Type:
        """A one-lane type as it is here."""
        lanes = (as_dim(self.b, self.n),) if over else ()
        return Type(type_.dtype, (*lanes, *(self.dim(d) for d in type_.shape)))

    def inner(self, b: Builder | None = None, **fields: Any) -> LaneScope:
        """A scope inside this one: of the same lanes, unless `at` and `n` say otherwise."""
        fields = {"n": self.n, "masked": self.masked, **fields}
        return LaneScope(self.whole, b or self.b.inner(), parent=self, **fields)

    # failures

    def fail(self, ok: Any, over: bool, thrown: Thrown) -> None:
        """Note the failure of the lanes that are not `ok`; the first failure of a lane stays."""
        code = site_number(self.whole.failings, thrown, self.b.span)
        since = len(self.b.equations)
        ok = ok if over else broadcast_to_lanes(self.b, self.n, ok)
        if self.failed is None:
            made = np.where(ok, 0, code)
        else:
            before = self.b.wrap(self.failed)
            made = np.where(ok | (before != 0), before, code)
        self.failed = self.b.atom(named_result(self.b, made, "failed", since))

    def going(self, test: Any | None = None) -> Any:
        """The lanes for which `test` holds and that have not failed."""
        if self.failed is None:
            return test
        fine = self.b.apply("eq", self.b.wrap(self.failed), 0)
        return fine if test is None else test & fine

    def failed_here(self) -> Any:
        """`failed` as a value: zeros where nothing can have failed."""
        return (
            broadcast_to_lanes(self.b, self.n, np.int64(0))
            if self.failed is None
            else self.b.wrap(self.failed)
        )


def named_result(b: Builder, made: Any, name: str, since: int) -> Any:
    """A value under the user's name, if it is what the last equation made and that is later than `since`."""
    atom = b.atom(made)
    last = b.equations[-1] if len(b.equations) > since else None
    if not isinstance(atom, Var) or atom.name != "t" or last is None or atom not in last.outs:
        return made
    renamed = Var(name, atom.type)
    outs = tuple(renamed if o is atom else o for o in last.outs)
    b.equations[-1] = Equation(outs, last.op, last.span)
    return b.wrap(renamed)


def as_dim(b: Builder, n: Any) -> Dim:
    atom = b.atom(n)
    return int(atom.value) if isinstance(atom, Lit) else atom
