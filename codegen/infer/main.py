"""The main function: a program's, whose arguments are given by a signature. Its caller sees what it writes into them
where the inference says so (`writes`: each array's last contents are stored), else no writes at all.

A function that writes no argument is its own main function, so that a recursion is in the program once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from codegen.analysis.calls import calls_in
from codegen.definitions import OWN_FUNCTIONS
from codegen.emit.argument_stores import ResultHome
from codegen.infer.calls.binding import given_in_turn
from codegen.infer.calls.packing import Packing
from codegen.infer.calls.results import Given, GivenInt, MadeField, Result, Shown, Summary
from codegen.infer.calls.returned_functions import as_functions, refuse_functions
from codegen.infer.calls.structures import refuse_objects
from codegen.infer.frame import Bottom, Frame
from codegen.infer.functions import Globals
from codegen.infer.inference import Callee, Entry, Inference
from codegen.infer.memory.aliases import whole_list
from codegen.infer.objects.placed import objects_in
from codegen.infer.tables.arguments import want_given_sets
from codegen.infer.tables.reading import has_numbers_for_keys
from codegen.infer.tables.results import nests_in, with_items_alone, with_lists_back
from codegen.infer.tables.values import NewTable, Table
from codegen.infer.values import (
    Cell,
    GrowingList,
    Nest,
    Ref,
    Same,
    Static,
    Value,
    Wording,
    complex_pair,
    leaves,
    rebuild,
)
from codegen.ir import Apply, Block, Equation, Function, Lit, Program, Type, Var, program
from codegen.ir.broadcasting import EMPTY, FEW, LEAST, Meets, RelatedInt, RelatedSize, least_of
from codegen.ir.build import SIZE
from codegen.ir.traversal import renamed_functions
from codegen.primitives import ROWS
from codegen.read.tree import Define, Lambda
from codegen.source import SourceError, Span, refuse

Signature = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Traced:
    """A program and how Python's arguments and results map to it.

    The program's parameters are the arguments' leaves in order, then `hidden` arrays of the enclosing scopes. Its
    results are `out`'s leaves in order, then the streams that came in, as they are after the draws. What it writes
    into arguments it stores, as its last effects. `homes`: for each of `out`'s leaves what it may share memory with.
    `augmented`: parameters without axes that `+=` binds anew: no arrays, which it would change. `ordered`: parameters
    that are taken to lie row after row in memory. `back`: the dicts and sets among the arguments, by number, that the
    function changes: `out` has what they are then, behind what the function gives. `returning`: where it gives it.
    """

    program: Program
    arguments: Signature
    out: Any
    hidden: tuple[np.ndarray, ...] = ()
    stages: tuple[tuple[str, Program], ...] = ()
    homes: tuple[ResultHome, ...] = ()
    augmented: tuple[int, ...] = ()
    ordered: tuple[int, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)  # that passes took
    back: tuple[int, ...] = ()
    returning: Span | None = None

    @property
    def around(self) -> tuple[Any, ...]:
        """The hidden arguments of a call: of an array without axes the number, which nothing can change."""
        return tuple(array if array.ndim else array[()] for array in self.hidden)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.program.entry.params)


def trace_define(
    inference: Inference,
    shell: Frame,
    define: Define | Lambda,
    globals_: Globals,
    captured: dict[str, Any],
    bound: dict[str, Any],
    label: str,
) -> Traced:
    """Infer `define` as the main function; `bound` and `captured` are entries of a signature by name."""
    seen: list[Value] = []
    entries = {**bound, **captured}
    related = Related()
    given = {
        key: as_functions(entry_value(shell, entry, key, seen, related)) for key, entry in entries.items()
    }
    related.note(inference.meets)

    def callee() -> Callee:
        packing = Packing(shell, known=(bool, int, float))
        packing.is_checked = True
        env = packing.pack_all({key: given[key] for key in bound})
        closed = packing.pack_all({key: given[key] for key in captured})
        return Callee(define, globals_, env, closed, packing, label)

    try:
        entry, name = main_entry(inference, callee)
        want_given_sets(entry.frame, entry.value)
    except Bottom:
        raise refuse(
            define.span, f"{label!r} calls itself on every way: what it returns cannot be known"
        ) from None
    except RecursionError:
        raise refuse(
            define.span, f"{label!r} is nested too deeply: split it, or loop over an array"
        ) from None
    summary = entry.summary
    assert summary is not None
    made = assemble(inference.functions, entry.name, name)
    results = made.entry.body.results
    arguments = tuple(static_defaults(e) for e in (*given_in_turn(define, bound), *captured.values()))
    span = entry.frame.returning if entry.frame else define.span
    refuse_no_results(summary.value, span)
    made, value = with_items_alone(made, summary.value)
    results = made.entry.body.results
    out = rebuild(value, lambda leaf: out_entry(leaf, results, span))
    made = reorder(made, result_order(value, results))
    if entry.back:
        out = out.with_items((out.items[0], *map(with_lists_back, out.items[1:])))
    names = {
        name for where, name in inference.augmented if where is define and isinstance(bound.get(name), Type)
    }
    augmented = tuple(k for k, p in enumerate(made.entry.params) if p.name in names and not p.type.rank)
    homes, ordered = result_homes(summary, value), tuple(array_places(summary)[k] for k in summary.ordered)
    stages = (("infer", made),)
    own = made, arguments, out, summary.hidden, stages, homes, augmented, ordered
    return Traced(*own, back=entry.back, returning=span)


def refuse_no_results(value: Any, span: Span) -> None:
    """Refuse what is in a returned value and is no result of a call from Python."""
    refuse_functions(value, span)
    refuse_objects(value, span)
    parts = list(nests_in(value))
    if any(isinstance(part, Wording) for part in parts):
        raise refuse(
            span, "a text that is put together when the program runs is not returned: return what it tells"
        )
    if any(isinstance(part, Table | NewTable) and part.default for part in parts):
        raise refuse(span, "a defaultdict or Counter is no result: return dict(...) of it")
    if any(isinstance(part, Table) and part.store and part.is_read_only for part in parts):
        raise refuse(span, "a dict of dicts or sets is no result: return what is in it")


def result_homes(summary: Summary, value: Any) -> tuple[ResultHome, ...]:
    """What each result may share memory with, in the order of the returned structure's leaves."""
    places = array_places(summary)
    hidden = range(len(summary.params) - len(summary.hidden), len(summary.params))
    found: list[ResultHome] = []
    listed: Any = leaves(value)
    for leaf in listed:
        match leaf:
            case Given(k):
                found.append(ResultHome(own=places[k]))
            case Result(_, given, shared):
                found.append(
                    ResultHome(views=frozenset([*(places[k] for k in given), *hidden]), shared=shared)
                )
    return tuple(found)


def array_places(summary: Summary) -> list[int]:
    """The parameters that are arrays and streams, as a function's callers number them."""
    return [k for k, p in enumerate(summary.params) if p.type.rank or p.type.dtype == "rng"]


def main_entry(inference: Inference, callee: Callable[[], Callee]) -> tuple[Entry, str]:
    """The function as its own main, or inferred once more as one whose arguments nobody else holds; and its name."""
    given = callee()
    try:
        entry = inference.entry(given, given.define.span)
    except SourceError:
        if inference.writes or not given.packing.inner:
            raise
        given = callee()
        entry = Entry(inference.fresh(given.label), given.define)
        entry.summary = inference.once(entry, given, main=True)
        return entry, entry.name
    if has_plain_results(entry, given.packing, len(inference.functions[entry.name].body.results)):
        return entry, entry.name
    if not entry.recursive:
        entry.summary = inference.finish(entry, given, main=True)
        return entry, entry.name
    main = Entry(inference.fresh(given.label), given.define)
    main.summary = inference.once(main, callee(), main=True)
    return main, entry.name


def has_plain_results(entry: Entry, packing: Packing, count: int) -> bool:
    """Whether a function's results are what a main function's are: no array argument written or given back, and in
    a main function's order where it calls itself."""
    summary = entry.summary
    assert summary is not None
    streams = {k for k, cell in enumerate(packing.inner) if packing.state.store[cell].type.dtype == "rng"}
    listed: Any = leaves(summary.value)  # type: ignore[arg-type]
    if any(isinstance(leaf, Given | GivenInt | Shown | MadeField) for leaf in listed):
        return False
    if any(isinstance(part, Wording) for part in nests_in(summary.value)) or any(objects_in(summary.value)):
        return False
    if any(k not in streams for k, _ in summary.written):
        return False
    return not entry.recursive or result_order(summary.value, range(count)) == tuple(range(count))


@dataclass(eq=False)
class Related:
    """The sizes and ints of a signature that are others and so many more; and the program's own, for each."""

    found: list[tuple[Var, Var | None, int]] = field(default_factory=list)
    own: dict[Var, Var] = field(default_factory=dict)

    def see(self, own: Var, entry: Any) -> None:
        if isinstance(entry, RelatedSize | RelatedInt):
            self.found.append((own, entry.of, entry.more))
        if isinstance(entry, Var):
            self.own[entry] = own

    def note(self, meets: Meets) -> None:
        for n, of, more in self.found:
            if of in self.own:
                meets.relate(n, self.own[of], more)


def entry_value(
    shell: Frame, entry: Any, name: str, seen: list[Value], related: Related, *, own: bool = False
) -> Value:
    """A signature's entry as a value in the shell around the main function; `seen`: the leaves before it. `own`: its
    sizes are the program's already."""
    match entry:
        case Type():
            shape = tuple(
                n if own or isinstance(n, int) else Var("n" if n.name in (EMPTY, FEW) else n.name, SIZE)
                for n in entry.shape
            )
            var = Var(name, Type(entry.dtype, shape, entry.weak))
            if not own:
                sizes = ((m, least_of(n.name)) for m, n in zip(shape, entry.shape) if isinstance(n, Var))
                LEAST.update(sizes)  # type: ignore[arg-type]
                for m, n in zip((*shape, var), (*entry.shape, entry)):
                    related.see(m, n)  # type: ignore[arg-type]
            if not entry.rank and entry.dtype != "rng":
                seen.append(var)
                return var
            cell = Cell(name, ordered=entry.rank > 1)
            shell.st.store[cell] = var
            seen.append(Ref(cell))
            return seen[-1]
        case Same(place):
            seen.append(seen[place])
            return seen[place]
        case Nest() if entry.cls is complex and isinstance(entry.items[1], Type):
            first = entry_value(shell, entry.items[0], f"{name}_re", seen, related)
            size = shell.atom(first).type
            return complex_pair(first, entry_value(shell, size, f"{name}_im", seen, related, own=True))
        case Nest():
            items = tuple(entry_value(shell, item, label, seen, related) for label, item in entry.named(name))
            if entry.cls is dict and has_numbers_for_keys(entry) and not isinstance(entry, NewTable):
                return NewTable(dict, items, entry.keys)
            return entry.with_items(items)
        case GrowingList(_, python):
            return whole_list(entry_value(shell, entry.rows, name, seen, related), python, shell.st)
    value: Value = entry
    return value


def static_defaults(entry: Any) -> Any:
    """A default that is a literal takes no argument."""
    return rebuild(entry, lambda leaf: Static(scalar_of(leaf)) if isinstance(leaf, Lit) else leaf)


def out_entry(leaf: Any, results: tuple[Any, ...], span: Span) -> Any:
    """A returned leaf as an entry of a signature."""
    match leaf:
        case Result(int(k)) | Given(_, int(k)):
            if results[k].type.dtype == "rng":
                raise refuse(
                    span, "a random generator is advanced where the caller holds it: do not return it"
                )
            return results[k].type
        case Lit():
            return Static(scalar_of(leaf))
    return leaf


def scalar_of(literal: Lit) -> Any:
    """A literal as Python's or NumPy's number."""
    return literal.value if literal.type.weak else np.dtype(literal.type.dtype).type(literal.value)


def result_order(value: Any, results: Sized) -> tuple[int, ...]:
    """The places of the results in the order of the returned structure's leaves (an object returned twice is two
    results), then the streams."""
    every: Any = leaves(value)
    places = (leaf.k if isinstance(leaf, Result) else getattr(leaf, "result", None) for leaf in every)
    listed = [k for k in places if k is not None]
    return (*listed, *(k for k in range(len(results)) if k not in listed))


def assemble(functions: Mapping[str, Function], main: str, name: str) -> Program:
    """The functions that the main one needs, callees first; `name` is what it is to be called."""
    found: dict[str, None] = {}
    begun: set[str] = set()

    def visit(each: str) -> None:
        if each not in begun:
            begun.add(each)
            for callee in calls_in(functions[each].body):
                visit(callee)
            found[each] = None

    visit(main)
    names = plain_names(found) | ({main: name, name: main} if main != name else {})
    return program(renamed_functions({each: functions[each] for each in found}, names), name)


def plain_names(found: Iterable[str]) -> dict[str, str]:
    """What functions are called: the first of each definition of ours that is a function as it is."""
    names = {each: each for each in found}
    for own in sorted(f.__name__ for f in OWN_FUNCTIONS):
        first = next((each for each in names if each.rstrip("0123456789") == f"{own}_"), None)
        if first is not None and own not in names:
            names[first] = own
    return names


def storing(traced: Traced, written: tuple[int, ...]) -> Traced:
    """A traced program whose last results are left in these parameters, so that it stores them."""
    if not written:
        return traced
    entry = traced.program.entry
    count = len(entry.body.results) - len(written)
    left = zip(entry.body.results[count:], written, strict=True)
    stores = (
        Equation((), Apply(ROWS["store"], (r,), MappingProxyType({"param": k})), entry.span) for r, k in left
    )
    body = Block((*entry.body.equations, *stores), entry.body.results[:count])
    made = program({**traced.program.functions, entry.name: replace(entry, body=body)}, entry.name)
    return replace(traced, program=made, stages=(*traced.stages[:-1], (traced.stages[-1][0], made)))


def reorder(made: Program, places: tuple[int, ...]) -> Program:
    """The program with its results in another order."""
    entry = made.entry
    results = entry.body.results
    if places == tuple(range(len(results))):
        return made
    body = replace(entry.body, results=tuple(results[k] for k in places))
    return program({**made.functions, made.main: replace(entry, body=body)}, made.main)
