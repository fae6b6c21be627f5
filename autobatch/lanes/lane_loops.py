"""Lanes in turn: a loop over them.

    batch(f)(x)     ->      for lane in range(lanes):
                                made[lane] = f(x[lane])

So are lanes that have arrays whose sizes only the running program knows (lanes_in_turn; as threads run them:
rows_filled); and a batch inside another function where lanes may fail, or where they come apart and a derivative has to
keep what they had, or all is done over lanes, as a list of those that are active has no known size (inside_another).
The first lane that fails raises what it raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import MappingProxyType

from autobatch.lanes.local_static import LaneProgram, local_static
from codegen import ir
from codegen.infer.trace import LANES_IN_TURN
from codegen.ir import Apply, Atom, Block, Call, Function, If, Lit, Program, Type, Var
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.kinds import Made
from codegen.ir.literals import literal, name_of
from codegen.ir.loop_nests import Atoms, loop_nest, with_element
from codegen.ir.substitution import clone, sizes
from codegen.ir.traversal import applications, unused_name, with_functions
from codegen.primitives.row import ROWS
from codegen.simplify.driver import simplify


def inside_another(one: Program, over: Sequence[bool], known_sizes: bool) -> Program:
    """The program over lanes, the leading axis of the parameters chosen by `over`, which is part of another one.

    `known_sizes`: that runs over lanes itself, whose arrays have one size.
    """
    if any(op.primitive.family == "stream" for op in applications(one)):
        return lane_after_lane(one, over)
    made = local_static(one, over)  # which refuses what differs from lane to lane that must not
    listed = known_sizes and any(op.primitive.kind is Made.PLACES for op in applications(made.program))
    return lane_after_lane(one, over) if made.failings or listed or LANES_IN_TURN.get() else made.program


def can_take_turns(one: Program) -> bool:
    """Whether the sizes of all results are known, and each stream that lanes have advances."""
    types = [r.type for r in one.entry.body.results]
    streams = [p for p in one.entry.params if p.type.dtype == "rng"]
    known = all(isinstance(n, int) for t in types for n in t.shape)
    return known and len(streams) == sum(t.dtype == "rng" for t in types)


def lanes_in_turn(one: Program, over: Sequence[bool]) -> LaneProgram:
    """A batch whose lanes have arrays of sizes of their own; its results have one size."""
    return LaneProgram(check(lane_after_lane(simplify(one), over), after="lanes"), (), "lanes in turn")


def rows_filled(one: Program, over: Sequence[bool]) -> Program:
    """The same loop, into arrays that it is given after the parameters: a row a lane of each result but streams, and
    last a bool a lane, which says that the lane is done. A lane that fails ends the loop; those before it are there."""
    calls, b = LaneCalls(simplify(one), over), Builder(span=one.entry.span, checked=False)
    rows = [Var(name_of(r), lanes_of(r.type, calls.lanes)) for r in calls.results if r.type.dtype != "rng"]
    done = Var("done", Type("b1", (calls.lanes,)))
    given = iter(rows)
    tables = [calls.stream(k) if r.type.dtype == "rng" else next(given) for k, r in enumerate(calls.results)]

    def fill(inner: Builder, place: tuple[Var, ...], filled: tuple[Atom, ...]) -> tuple[Atom, ...]:
        *made, ended = filled
        return *calls.filled(inner, place, tuple(made)), with_element(
            inner, ended, Lit(True, Type("b1")), place, ("i",)
        )

    params = (*calls.params, *rows, done)
    made = loop_nest(b, (calls.lanes,), (), (*tables, done), fill)
    for table, left in zip((*tables, done), made, strict=True):
        if table.type.dtype != "rng":
            b.emit((), Apply(ROWS["store"], (left,), MappingProxyType({"param": params.index(table)})))
    streams = tuple(left for left in made if left.type.dtype == "rng")
    return check(calls.around(b.block(streams), params), after="lanes")


def lane_after_lane(one: Program, over: Sequence[bool]) -> Program:
    """The loop over lanes, whose results have sizes that do not differ; streams of lanes advance."""
    calls, b = LaneCalls(one, over), Builder(span=one.entry.span, checked=False)
    calls.find_sizes(b)
    tables = [
        calls.stream(k)
        if r.type.dtype == "rng"
        else b.apply("full", false_or_zero(r.type.dtype), calls.lanes, *r.type.shape, dtype=r.type.dtype)
        for k, r in enumerate(calls.results)
    ]
    made = loop_nest(b, (calls.lanes,), (), tuple(map(b.atom, tables)), calls.filled)
    return calls.around(b.block(made), calls.params)


class LaneCalls:
    """Calls of a function of one lane in a loop over lanes, whose `params` have those along their first axis."""

    def __init__(self, one: Program, over: Sequence[bool]):
        self.one, self.over, self.results = one, over, one.entry.body.results
        self.lanes = Var("lanes", Type("i8"))
        self.params = tuple(
            Var(p.name, lanes_of(p.type, self.lanes)) if flag else p
            for p, flag in zip(one.entry.params, over, strict=True)
        )
        self.functions = dict(one.functions)
        self.streams = [p for p in self.params if p.type.dtype == "rng"]
        self.advanced = [k for k, r in enumerate(self.results) if r.type.dtype == "rng"]

    def stream(self, result: int) -> Var:
        """The streams that a result has advanced."""
        return self.streams[self.advanced.index(result)]

    def called(
        self, b: Builder, name: str, place: Atom, types: Iterable[Var], held: Atoms
    ) -> tuple[Var, ...]:
        """What a function of one lane gives, of streams as they stand."""
        now = dict(zip(self.streams, (held[k] for k in self.advanced) if held else self.streams))
        operands = tuple(
            b.atom(b.apply("index", now.get(p, p), place, spec=("i",), name=p.name)) if flag else p
            for p, flag in zip(self.params, self.over, strict=True)
        )
        outs = tuple(types)
        b.emit(outs, Call(name, operands))
        return outs

    def filled(self, b: Builder, place: tuple[Var, ...], tables: Atoms) -> Atoms:
        """The tables with a lane's results."""
        outs = self.called(
            b, self.one.main, place[0], (Var(name_of(r), r.type) for r in self.results), tables
        )
        return tuple(with_element(b, t, out, place, ("i",)) for t, out in zip(tables, outs, strict=True))

    def find_sizes(self, b: Builder) -> None:
        """Sizes of results that no argument has are those of the first lane's."""
        entry = self.one.entry
        shared = {p for p, flag in zip(entry.params, self.over, strict=True) if not flag}
        known = shared.union(*(sizes(p.type) for p in entry.params))
        own = tuple(dict.fromkeys(d for r in self.results for d in sizes(r.type) if d not in known))
        if not own:
            return
        asked = unused_name(f"{entry.name}_sizes", self.functions)
        self.functions[asked] = replace(entry, name=asked, body=Block(entry.body.equations, own))
        first = b.inner()
        found = self.called(first, asked, literal(0), (Var(d.name, d.type) for d in own), ())
        some = b.atom(b.apply("gt", b.wrap(self.lanes), 0))
        b.emit(own, If(some, first.block(found), Block((), (literal(0),) * len(own))))

    def around(self, body: Block, params: tuple[Var, ...]) -> Program:
        """The program whose main function has this body."""
        entry = self.one.entry
        name = unused_name(f"{entry.name}_lanes", self.functions)
        loop = Function(name, params, body, entry.span, entry.doc)
        return with_functions(ir.program({**self.functions, name: loop}, name), clone)


def lanes_of(type_: Type, lanes: Var) -> Type:
    """Of an array that has such a value for each lane."""
    return Type(type_.dtype, (lanes, *type_.shape))


def false_or_zero(dtype: str) -> Lit:
    """Zero of a dtype."""
    return Lit({"f": 0.0, "b": False}.get(dtype[0], 0), Type(dtype))
