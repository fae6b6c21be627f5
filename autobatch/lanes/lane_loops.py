"""Lanes in turn: a loop over them.

    batch(f)(x)     ->      for lane in range(lanes):
                                made[lane] = f(x[lane])

So are lanes that have arrays whose sizes only the running program knows (lanes_in_turn); and a batch inside another
function where lanes may fail, or where they come apart and a derivative has to keep what they had, or all is done over
lanes, as a list of those that are active has no known size (inside_another). The first lane that fails raises what it
raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from autobatch.lanes.local_static import LaneProgram, local_static
from codegen import ir
from codegen.infer.trace import LANES_IN_TURN
from codegen.ir import Atom, Block, Call, Function, If, Lit, Program, Type, Var
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.kinds import Made
from codegen.ir.literals import literal, name_of
from codegen.ir.loop_nests import Atoms, loop_nest, with_element
from codegen.ir.substitution import clone, sizes
from codegen.ir.traversal import applications, unused_name, with_functions
from codegen.simplify.driver import simplify


def inside_another(one: Program, over: Sequence[bool], known_sizes: bool) -> Program:
    """The program over lanes, the leading axis of the parameters chosen by `over`, which is part of another one.

    `known_sizes`: that runs over lanes itself, whose arrays have one size.
    """
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


def lane_after_lane(one: Program, over: Sequence[bool]) -> Program:
    """The loop over lanes, whose results have sizes that do not differ; streams of lanes advance."""
    entry, results = one.entry, one.entry.body.results
    lanes, b = Var("lanes", Type("i8")), Builder(span=entry.span, checked=False)
    params = tuple(
        Var(p.name, Type(p.type.dtype, (lanes, *p.type.shape))) if flag else p
        for p, flag in zip(entry.params, over, strict=True)
    )

    streams = [p for p in params if p.type.dtype == "rng"]
    advanced = [k for k, r in enumerate(results) if r.type.dtype == "rng"]

    def called(inner: Builder, name: str, place: Atom, types: Iterable[Var], held: Atoms) -> tuple[Var, ...]:
        """What a function of one lane gives, of streams as they stand."""
        now = dict(zip(streams, (held[k] for k in advanced) if held else streams))
        operands = tuple(
            inner.atom(inner.apply("index", now.get(p, p), place, spec=("i",), name=p.name)) if flag else p
            for p, flag in zip(params, over, strict=True)
        )
        outs = tuple(types)
        inner.emit(outs, Call(name, operands))
        return outs

    shared = {p for p, flag in zip(entry.params, over, strict=True) if not flag}
    known = shared.union(*(sizes(p.type) for p in entry.params))
    own = tuple(dict.fromkeys(d for r in results for d in sizes(r.type) if d not in known))
    functions = dict(one.functions)
    if own:
        asked = unused_name(f"{entry.name}_sizes", functions)
        functions[asked] = replace(entry, name=asked, body=Block(entry.body.equations, own))
        first = b.inner()
        found = called(first, asked, literal(0), (Var(d.name, d.type) for d in own), ())
        some = b.atom(b.apply("gt", b.wrap(lanes), 0))
        b.emit(own, If(some, first.block(found), Block((), (literal(0),) * len(own))))

    def fill(inner: Builder, place: tuple[Var, ...], filled: tuple[Atom, ...]) -> tuple[Atom, ...]:
        outs = called(inner, entry.name, place[0], (Var(name_of(r), r.type) for r in results), filled)
        return tuple(with_element(inner, f, out, place, ("i",)) for f, out in zip(filled, outs, strict=True))

    tables = [
        streams[advanced.index(k)]
        if k in advanced
        else b.apply("full", false_or_zero(r.type.dtype), lanes, *r.type.shape, dtype=r.type.dtype)
        for k, r in enumerate(results)
    ]
    made = loop_nest(b, (lanes,), (), tuple(map(b.atom, tables)), fill)
    name = unused_name(f"{entry.name}_lanes", functions)
    loop = Function(name, params, b.block(made), entry.span, entry.doc)
    return with_functions(ir.program({**functions, name: loop}, name), clone)


def false_or_zero(dtype: str) -> Lit:
    """Zero of a dtype."""
    return Lit({"f": 0.0, "b": False}.get(dtype[0], 0), Type(dtype))
