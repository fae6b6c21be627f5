"""Complex arrays of compiled code in one piece of memory, as NumPy has them: with_whole_arrays, just before printing.

    def f(z_re, z_im):                    def f(z):
        re = empty n                          z_re = half_of z, 0; z_im = half_of z, 1
        im = empty n              ->          t = empty n, 2
        ...                                   re = half_of t, 0; im = half_of t, 1
        return re, im                         ...
                                              return whole_of t, re, im

A half is every other number of the whole, which LLVM knows, and makes vectors of. So it is done of parts of which
nothing but elements is read, if they are given, or read and written, if they are results; others are copied where they
are given and returned. What is written into a half is written into the whole from here on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from codegen.analysis.definitions import is_empty
from codegen.emit.argument_stores import ResultHome, is_store, stored
from codegen.infer.values import Nest
from codegen.ir import Apply, Atom, Block, Call, Equation, For, If, Lit, Program, Type, Var, While
from codegen.ir.build import I8
from codegen.ir.kinds import Access
from codegen.ir.substitution import blocks, free
from codegen.ir.traversal import equations, with_entry
from codegen.primitives.row import ROWS
from codegen.pytree import is_complex_leaf, is_part, joined_parts, native, types_in

Pairs = tuple[
    tuple[int, ...], ...
]  # the places of leaves, those of the two parts of a complex number together


@dataclass(frozen=True, eq=False)
class WholeArrays:
    """A program with complex arrays in place of two parts: of which parameters and results that came in these are the
    first, and what results may share memory with."""

    program: Program
    homes: tuple[ResultHome, ...]
    params: tuple[int, ...] = ()
    results: tuple[int, ...] = ()

    @cached_property
    def parts(self) -> frozenset[int]:
        """The arguments that are given as parts of such arrays."""
        return frozenset(k + part for k in self.params for part in (0, 1))


def leaf_places(entries: Iterable[Any]) -> Pairs:
    """The places of the leaves of arguments or results."""
    places = count()
    return tuple(pair for entry in entries for pair in pairs_in(entry, places))


def pairs_in(entry: Any, places: Iterator[int]) -> Iterator[tuple[int, ...]]:
    """A part of a complex number that is known has no place."""
    if isinstance(entry, Nest) and entry.cls is complex:
        yield tuple(next(places) for _ in types_in(entry))
    elif isinstance(entry, Nest):
        for item in entry.items:
            yield from pairs_in(item, places)
    else:
        yield from ((next(places),) for _ in types_in(entry))


def with_whole_arrays(
    program: Program, homes: Sequence[ResultHome], given: Pairs, made: Pairs
) -> WholeArrays:
    """`given`, `made`: the places of the leaves of arguments and results."""
    entry, listed = program.entry, list(equations(program.entry.body))
    params = [pair[0] for pair in given if len(pair) == 2 and are_only_read(pair, program)]
    room = {
        pair[0]: found
        for pair in made
        if len(pair) == 2 and (found := empty_parts(pair, entry.body, listed)) is not None
    }
    if not params and not room:
        return WholeArrays(program, tuple(homes))
    wholes = {k: Var(entry.params[k].name.removesuffix("_re"), whole_type(entry.params[k])) for k in params}
    taken = {k: wholes.get(k, param) for k, param in enumerate(entry.params) if k - 1 not in wholes}
    place = {k: n for n, k in enumerate(taken)}
    before = [e for k in params for e in halves(wholes[k], *entry.params[k : k + 2])]
    rooms = {k: Var("t", whole_type(pair[0].outs[0])) for k, pair in room.items()}
    results = {k: r for k, r in enumerate(entry.body.results) if k - 1 not in rooms}
    after = []
    for k, whole in rooms.items():
        results[k] = made_whole = Var("t", whole.type)
        written = Apply(ROWS["whole_of"], (whole, *entry.body.results[k : k + 2]))
        after.append(Equation((made_whole,), written, None))
    body = Block((*before, *with_rooms(entry.body, room, rooms, place), *after), tuple(results.values()))
    return WholeArrays(
        with_entry(program, params=tuple(taken.values()), body=body),
        tuple(moved(homes[k], place) for k in results if k < len(homes)),
        tuple(params),
        tuple(room),
    )


def with_rooms(
    body: Block,
    room: Mapping[int, tuple[Equation, Equation]],
    rooms: Mapping[int, Var],
    place: Mapping[int, int],
) -> Iterator[Equation]:
    """Equations of which those that make two parts make a whole; parameters have other places."""
    first = {pair[0]: k for k, pair in room.items()}
    second = {pair[1] for pair in room.values()}
    for equation in body.equations:
        op = equation.op
        if equation in first and isinstance(op, Apply):
            k = first[equation]
            sized = replace(op, operands=(*op.operands, Lit(2, I8)))
            yield replace(equation, outs=(rooms[k],), op=sized)
            yield from halves(rooms[k], *(each.outs[0] for each in room[k]))
        elif is_store(op):
            yield replace(equation, op=replace(op, params={"param": place[op.params["param"]]}))
        elif equation not in second:
            yield equation


def moved(home: ResultHome, place: Mapping[int, int]) -> ResultHome:
    own = None if home.own is None else place[home.own]
    return replace(home, own=own, views=frozenset(place[k] for k in home.views if k in place))


def whole_type(part: Var) -> Type:
    return Type(part.type.dtype, (*part.type.shape, 2))


def halves(whole: Var, *parts: Var) -> list[Equation]:
    half = ROWS["half_of"]
    return [Equation((part,), Apply(half, (whole, Lit(k, I8))), None) for k, part in enumerate(parts)]


def are_only_read(places: Iterable[int], program: Program) -> bool:
    """Whether parameters are parts of an array of which nothing but elements is read."""
    if not stored(program).isdisjoint(places):
        return False
    body, parts = program.entry.body, [program.entry.params[k] for k in places]
    found = [names_of_part(part, list(equations(body)), writes=False) for part in parts]
    return all(
        part.type.rank and names is not None and names.isdisjoint(body.results)
        for part, names in zip(parts, found, strict=True)
    )


def empty_parts(
    places: tuple[int, ...], body: Block, listed: Sequence[Equation]
) -> tuple[Equation, Equation] | None:
    """The equations that make both parts of a result, if elements are all that is written there. In their order: a
    size that the first asks for is known then."""
    wanted = [body.results[k] for k in places]
    made = []
    for equation in filter(is_empty, body.equations if wanted[0].type.rank else ()):
        names = names_of_part(equation.outs[0], listed, writes=True)
        if names is None or taken_in(body, names) is None:
            continue
        there = [r for r in body.results if r in names]
        if len(there) == 1 and there[0] in wanted:
            made.append((wanted.index(there[0]), equation))
    if [k for k, _ in made] != [0, 1] or made[0][1].outs[0].type != made[1][1].outs[0].type:
        return None
    return made[0][1], made[1][1]


def names_of_part(array: Var, listed: Sequence[Equation], *, writes: bool) -> set[Atom] | None:
    """What the array is called in turn; None if it may be another one there, or is more than elements."""
    found: set[Atom] = {array}
    flows = [flow for equation in listed for flow in flows_of(equation)]
    known = 0
    while known < len(found):
        known = len(found)
        for sources, targets in flows:
            if not found.isdisjoint(sources):
                found.update(targets)
    certain = all(found.issuperset(sources) for sources, targets in flows if not found.isdisjoint(targets))
    return found if certain and all(is_of_elements(e, found, writes) for e in listed) else None


def flows_of(equation: Equation) -> Iterator[tuple[tuple[Atom, ...], tuple[Var, ...]]]:
    """Arrays, and what is the same one then."""
    match op := equation.op:
        case For() | While():
            for k, out in enumerate(equation.outs):
                yield (op.init[k], op.body.results[k]), (op.carried[k], out)
        case If():
            for k, out in enumerate(equation.outs):
                yield (op.then.results[k], op.orelse.results[k]), (out,)
        case Apply() if op.primitive.writes:
            yield (op.operands[0],), equation.outs


def taken_in(block: Block, found: Set[Atom]) -> Set[Atom] | None:
    """The arrays of `found` that a block writes, or that a loop or a branch in it goes on with; None where one of them
    is read or taken once more: it is copied there, and what is made of it is another array."""
    taken: set[Atom] = set()
    for equation in block.equations:
        op, inner = equation.op, [taken_in(each, found) for each in blocks(equation.op)]
        if None in inner or not taken.isdisjoint(free(op)):
            return None
        within = set[Atom]().union(*(names for names in inner if names is not None))
        match op:
            case For() | While():
                given = [x for x in op.init if x in found]
                outer = set[Atom]().union(*map(free, blocks(op))).difference(op.carried)
                if len(given) > len({*given}) or not outer.isdisjoint(within.union(given)):
                    return None
                taken.update(given)
            case If():
                taken |= within
            case Apply() if op.primitive.writes and op.operands[0] in found:
                if op.operands[0] in op.operands[1:]:
                    return None
                taken.add(op.operands[0])
    results = [r for r in block.results if r in found]
    if len(results) > len({*results}) or not taken.isdisjoint(results):
        return None
    return taken.union(results)


def is_of_elements(equation: Equation, found: set[Atom], writes: bool) -> bool:
    op = equation.op
    if not isinstance(op, Apply | Call) or found.isdisjoint(op.operands):
        return True
    if isinstance(op, Call) or not op.primitive.accesses or not found.isdisjoint(op.operands[1:]):
        return False
    element = equation.outs[0] if op.primitive.kind is Access.READ else op.operands[1]
    return not element.type.rank and (writes or op.primitive.kind is Access.READ)


def taking_wholes(run: Callable[..., Any], whole: WholeArrays) -> Callable[..., Any]:
    """Compiled code of whole arrays, given parts and giving them."""
    if not whole.params and not whole.results:
        return run

    def call(*given: Any) -> Any:
        params = {k: whole_of(given[k], given[k + 1]) for k in whole.params}
        made = run(*(params.get(k, x) for k, x in enumerate(given) if k - 1 not in params))
        parts: list[Any] = []
        for each in made if isinstance(made, tuple) else (made,):
            if len(parts) in whole.results:
                parts += (each[..., 0], each[..., 1])
            else:
                parts.append(each)
        return tuple(parts) if len(parts) > 1 else parts[0]

    return call


def whole_of(re: np.ndarray, im: np.ndarray) -> np.ndarray:
    """A complex array as pairs of numbers: itself, if it is contiguous. Its parts are an argument's, both of one."""
    both = re.base
    is_own = both is not None and is_complex_leaf(both) and both.flags.c_contiguous and both.dtype.isnative
    if both is None or not is_own or not is_part(re, both.real):
        both = np.ascontiguousarray(native(joined_parts(re, im)))
    return both.view(both.real.dtype).reshape((*re.shape, 2))
