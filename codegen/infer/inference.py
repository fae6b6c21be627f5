"""The functions of one program while they are inferred: once per function and kinds of arguments, recursive or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from codegen.infer.calls.packing import Packing
from codegen.infer.calls.results import Given, Summary, described_result
from codegen.infer.control.flags import DEAD, RESULT, RETURNED, certain, flag, possible
from codegen.infer.frame import Bottom, Frame
from codegen.infer.functions import Functions, Globals
from codegen.infer.objects.field import AssignedField
from codegen.infer.objects.fields import as_they_are
from codegen.infer.objects.held import rows_of_one_in_itself
from codegen.infer.optional import as_told
from codegen.infer.tables.arguments import Opened, opened, with_own_tables
from codegen.infer.tables.field_lists import rows_of_classes
from codegen.infer.texts.letters import letters_where_known
from codegen.infer.values import Cell, FlowState, Optional, Static, Unbound, Value, rebuild
from codegen.ir import Apply, Atom, Function
from codegen.primitives import ROWS
from codegen.read.scope import falls_off_end
from codegen.read.tree import Define, Lambda
from codegen.source import SourceError, Span, refuse

ROUNDS = 10
# What programs raise that are made for sizes of arguments of which some are others and so many more.
OTHER_SIZES = "this program was made for arguments of other sizes"
RETURNS_OTHERS = "the type of what {!r} returns changes with every call of itself"
DEEPEST = 60  # calls of one function inferred inside one another
WIDEST = 4000  # entries of a call's key: about two per argument, items of tuples counted


@dataclass(frozen=True, eq=False)
class Callee:
    """A user's function to be inferred: its tree, the names around it, its arguments and captured values."""

    define: Define | Lambda
    globals: Globals
    env: dict[str, Value]
    captured: dict[str, Value]
    packing: Packing
    label: str

    @property
    def key(self) -> Any:
        catches, packing = self.packing.frame.inference.catches, self.packing
        relations = packing.relations
        named = (
            {var: k for k, var in enumerate((*packing.sizes.values(), *packing.params))} if relations else {}
        )
        related = tuple((named[n], named[base], more) for n, base, more in relations)
        return id(self.define), tuple(self.captured), tuple(self.env), tuple(packing.key), related, catches


@dataclass(eq=False)
class Entry:
    """A function being inferred or inferred. `summary` is a guess while `open`; `alive` keeps what ids stand for;
    `back`: which dicts and sets among the arguments of the main function are changed."""

    name: str
    alive: Any
    summary: Summary | None = None
    open: bool = True
    recursive: bool = False
    frame: Frame | None = None
    value: Value | None = None
    back: tuple[int, ...] = ()


class Inference(Functions):
    """The functions of a program and how they are found."""

    def entry(self, callee: Callee, span: Span) -> Entry:
        """What is found of a function for these kinds of arguments; Bottom where a recursion does not know it yet."""
        key = callee.key
        if key in self.memo:
            entry: Entry = self.memo[key]
            entry.recursive = entry.recursive or entry.open
            if entry.summary is None:
                raise Bottom
            return entry
        is_wide = len(callee.packing.key) > WIDEST
        if is_wide and not self.inside[callee.define]:
            why = f"is given {len(callee.packing.params)} numbers and arrays in lists or tuples: give it an array"
            raise refuse(span, f"{callee.label!r} {why}")
        if is_wide or self.inside[callee.define] >= DEEPEST:
            why = "calls itself with arguments of ever new kinds: their shapes must not change"
            held = callee.env.values(), callee.packing.state
            raise self.of_ever_new(span, f"{callee.label!r} {why}", *held)
        entry = self.memo[key] = Entry(self.fresh(callee.label), (callee.define, callee.packing.alive))
        self.inside[callee.define] += 1
        try:
            self.settle(entry, callee, span)
            return entry
        except Exception:
            del self.memo[key]
            self.functions.pop(entry.name, None)
            raise
        finally:
            self.inside[callee.define] -= 1

    def settle(self, entry: Entry, callee: Callee, span: Span) -> None:
        """Infer until a recursive function's summary is what was assumed of it."""
        for _ in range(ROUNDS):
            before, functions = set(self.memo), set(self.functions)
            guess = entry.summary
            summary = self.once(entry, callee, main=False)
            entry.summary = summary
            if guess is not None and len(summary.types) > len(guess.types):
                self.check_growth(entry, callee, span)
            if not entry.recursive or (guess is not None and guess.signature() == summary.signature()):
                entry.open = False
                return
            for key in set(self.memo) - before:
                del self.memo[key]
            for name in set(self.functions) - functions - self.reserved:
                del self.functions[name]
        raise self.of_ever_new(
            span, RETURNS_OTHERS.format(entry.name), callee.env.values(), callee.packing.state
        )

    def check_growth(self, entry: Entry, callee: Callee, span: Span) -> None:
        """SourceError where a function gives objects ever more others in their fields."""
        assert entry.frame is not None
        held = (entry.value, *callee.env.values())
        error = self.of_ever_new(span, RETURNS_OTHERS.format(entry.name), held, entry.frame.st)
        if error.wants_rows is not None:
            raise error

    def of_ever_new(self, span: Span, message: str, values: Iterable[Any], st: FlowState) -> SourceError:
        """The SourceError for values of which there are ever new kinds."""
        error = refuse(span, message)
        error.wants_rows = rows_of_one_in_itself(values, st)
        return error

    def once(self, entry: Entry, callee: Callee, *, main: bool) -> Summary:
        """Infer a function's body once. Where nobody sees writes, the main function's arrays are its own."""
        packing = callee.packing
        frame = entry.frame = Frame(self, callee.define, callee.globals, callee.captured)
        if self.writes or not main:
            frame.given = frozenset(packing.inner)
            frame.given_fields = frozenset(packing.fields.values())
        frame.st.store.update(packing.state.store)
        frame.st.env.update(packing.state.env)
        frame.rows = packing.rows
        note_relations(frame, packing)
        tables: list[Opened] = []
        with frame.b.at(callee.define.span):
            frame.rows = frame.rows or rows_of_classes(frame)
            env = {name: opened(frame, value, name, tables) for name, value in callee.env.items()}
        frame.st.env.update(env)
        if self.writes:
            frame.given |= {cell for each in tables for cell in each.cells}
        puts_new = self.puts_new
        self.run(frame, frame.body, frozenset())
        self.puts_new = puts_new
        entry.value = final_value(frame)
        if tables and self.writes:
            entry.value, entry.back = with_own_tables(frame, entry.value, tables)
        return self.finish(entry, callee, main=main)

    def finish(self, entry: Entry, callee: Callee, *, main: bool) -> Summary:
        """Enter the function whose body was inferred, with its results for callers or for nobody who sees writes."""
        frame, packing, span = entry.frame, callee.packing, callee.define.span
        assert frame is not None and entry.value is not None
        inner = packing.inner if self.writes or not main else []
        fields = changed_fields(frame, packing)
        given = [entry.value]
        if main:
            with frame.b.at(frame.returning):
                given = [letters_where_known(frame, as_they_are(frame, entry.value, frame.returning))]
        given += [] if main else [frame.st.env[field.name] for _, field in fields]
        own = [*packing.fields.values()]
        told, results = described_result(
            frame, inner, given, frame.returning, main=main, fields=own, params=packing.params
        )
        value, left, made = told[0], told[1 : len(given)], told[len(given) :]
        for cell, at in [*self.made_at.items()]:
            atom = frame.st.store.get(cell)  # type: ignore[arg-type]
            self.made_at.update(((entry.name, k), at) for k, result in enumerate(results) if result is atom)
        if main and self.writes:
            value = kept_given(frame, inner, value, results)
        written: list[tuple[int, int]] = []
        for k, cell in enumerate(packing.inner):
            now, before = frame.st.store[cell], packing.state.store[cell]
            if now is before:
                continue
            if not main or now.type.dtype == "rng":
                written.append((k, len(results)))
                results.append(now)
            elif self.writes:
                place = next(p for p, param in enumerate(packing.params) if param is before)
                frame.b.emit((), Apply(ROWS["store"], (now,), MappingProxyType({"param": place})))
        params = (*packing.params, *(var for _, _, var in frame.hidden.values()))
        body = frame.b.block(tuple(results))
        doc = getattr(callee.define, "doc", None)
        self.functions[entry.name] = Function(entry.name, params, body, span, doc)
        arrays = tuple(array for array, _, _ in frame.hidden.values())
        types, ordered = tuple(r.type for r in body.results), cells_at(frame.relied_on, packing.inner)
        changed = tuple((k, each) for (k, _), each in zip(fields, left, strict=not main))
        return Summary(
            entry.name, params, value, types, tuple(written), arrays, ordered, changed, tuple(made)
        )


def changed_fields(frame: Frame, packing: Packing) -> list[tuple[int, AssignedField]]:
    """The fields of objects that a function is given which it assigns to."""
    fields = enumerate(packing.fields.values())
    return [(k, f) for k, f in fields if frame.st.env[f.name] is not packing.state.env[f.name]]


def cells_at(cells: set[Cell], inner: list[Cell]) -> tuple[int, ...]:
    return tuple(k for k, cell in enumerate(inner) if cell in cells)


def kept_given(frame: Frame, inner: list[Cell], value: Any, results: list[Atom]) -> Any:
    """A main function's value: the arguments it gives back are results as well."""
    made: dict[int, Given] = {}

    def make(leaf: Any) -> Any:
        if not isinstance(leaf, Given):
            return leaf
        if leaf.k not in made:
            made[leaf.k] = Given(leaf.k, len(results))
            results.append(frame.st.store[inner[leaf.k]])
        return made[leaf.k]

    return rebuild(value, make)


def final_value(frame: Frame) -> Value:
    """What the function returns: None where control reaches its end on every way."""
    env, was = frame.st.env, flag(frame.st, RETURNED)
    value = env.get(RESULT, Static(None))
    if certain(flag(frame.st, DEAD)) or not possible(was):
        return value if possible(was) else Static(None)
    if isinstance(value, Unbound):
        value = value.value or Static(None)
    nothing = isinstance(value, Static) and value.value is None
    if certain(was) or nothing or not falls_off_end(frame.body, frame.ways):
        return as_told(value)
    if isinstance(value, Optional):
        b = frame.b
        there = b.atom(b.apply("and", b.wrap(was), b.wrap(value.there)))
        return Optional.made(there, value.value)
    return Optional.made(was, value)


def note_relations(frame: Frame, packing: Packing) -> None:
    """Note which of a function's sizes and ints are related; checked where a signature says so."""
    for n, base, more in packing.relations:
        if packing.is_checked:
            wanted = frame.b.apply("add", frame.b.wrap(base), more) if more else frame.b.wrap(base)
            frame.b.require(frame.b.apply("eq", frame.b.wrap(n), wanted), "ValueError", OTHER_SIZES)
        frame.inference.meets.relate(n, base, more)
