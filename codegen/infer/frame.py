"""One call of a user's function while it is inferred: its names, contents, and the block being built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from codegen.infer.constants import value_of_object
from codegen.infer.dependencies import package_of
from codegen.infer.functions import Functions, Globals
from codegen.infer.kinds import Raises
from codegen.infer.layout import order_of, relied_on
from codegen.infer.memory.aliases import is_contents, is_held, not_written, written_since, written_words
from codegen.infer.memory.buffers import as_one_array, of_range
from codegen.infer.memory.views import READ_ONLY, shown_now, written_through
from codegen.infer.tables.values import OF_KEYS
from codegen.infer.texts.known_texts import holds_chosen
from codegen.infer.texts.words import in_words, undefined
from codegen.infer.unloaded import Unread
from codegen.infer.values import (
    NEEDED,
    Cell,
    Closure,
    Conflict,
    FlowState,
    GrowingList,
    Nest,
    Optional,
    Range,
    Ref,
    Static,
    Unbound,
    Value,
    View,
    rebuild,
)
from codegen.ir import Atom, Dim, Equation, Lit, Type, Var
from codegen.ir.broadcasting import LEAST
from codegen.ir.build import SIZE, Builder, E
from codegen.ir.literals import code, literal
from codegen.read.lists.kept_names import KNOWN, handed_over_in
from codegen.read.scope import (
    Exits,
    all_statements,
    assigned_names,
    carried_names,
    closures,
    free_names,
    live_before,
)
from codegen.read.tree import Branch, Change, Define, Iterate, Lambda, Loop, Return, Statement
from codegen.source import SourceError, Span, refuse, refusing

Live = frozenset[str]


class Bottom(Exception):
    """What a recursive call returns, or what a loop gives a name, is not known yet: this way has no type this time."""


class Frame:
    """`globals_`: name -> Python object (KeyError when there is none); `captured`: values of names around.

    `owned`: names to whose lists and dicts nothing else refers; `given`, `given_fields`: what its caller holds too;
    `hidden`: arrays of the enclosing scopes that it reads, by id, each with its object and parameter; `learned`: what
    loops were found to carry when they were run before, as loops around them are run again; `ways`: of each condition
    met, those that are taken.
    """

    def __init__(
        self,
        inference: Functions,
        define: Define | Lambda,
        globals_: Globals,
        captured: dict[str, Value] | None = None,
    ):
        self.inference, self.define = inference, define
        self.globals = globals_
        self.captured = captured or {}
        self.b, self.st = Builder(span=define.span, meets=inference.meets), FlowState()
        self.closures = closures(self.body)
        self.locals = frozenset(p.name for p in define.parameters) | frozenset(assigned_names(self.body))
        changes = [s for s in all_statements(self.body) if isinstance(s, Change)]
        known = not changes or all(map(self.is_known, KNOWN))
        self.owned = frozenset(name for each in changes for name in each.names if known)
        if inference.grown is not None:
            self.owned -= {name for node in self.body for name in handed_over_in(node)}
        self.given, self.given_fields = frozenset[Cell](), frozenset[Any]()
        self.rows: dict[Any, Any] = {}  # of classes whose objects are rows
        self.relied_on: set[Cell] = set()  # arrays whose order in memory the program hangs on
        self.hidden: dict[int, tuple[np.ndarray, Cell, Var]] = {}
        self.learned: dict[Loop | Iterate, Any] = {}
        self.exits: Live = frozenset()
        self.catching: tuple[Any, ...] = ()  # the handlers around (control/tries.py)
        self.handled: Live = frozenset()  # names read where they lead
        self.last: Live = frozenset()  # names that `finally` around reads, where the function is left too
        self.indices: tuple[str, ...] = ()  # what the indices of the loops around are called
        self.counters: dict[Var, Iterate] = {}  # indices of loops of few iterations, whose number is known
        self.rounds, self.depth = 1, 0  # how many iterations of loops around are written out; loops around
        self.around: tuple[Builder, ...] = ()  # the blocks around
        self.reserved: frozenset[str] = frozenset()  # lists that have room for all that a loop around appends
        self.gone_through: dict[Cell, bool] = {}  # counts that loops go by, which may be left early
        self.known_lengths = False  # while a loop is tried out written out: no list may get an unknown length
        self.returning: Span = define.span
        self.ways: dict[Branch, set[bool]] = {}
        self.generators: dict[Any, Any] = {}  # loops by what they go through, and these loops written out
        self.known_lives: dict[tuple[tuple[Statement, ...], Live, Live], tuple[Live, ...]] = {}

    def is_known(self, name: str) -> bool:
        """Whether a name is what everybody calls so."""
        try:
            found = None if name in self.captured else self.globals(name)
        except (KeyError, Unread):
            return True
        return package_of(found) in ("builtins", "numpy", "math")

    @property
    def body(self) -> tuple[Statement, ...]:
        if isinstance(self.define, Lambda):
            return (Return(self.define.span, self.define.body),)
        return self.define.body

    @property
    def span(self) -> Span:
        """Where in the user's text this is."""
        assert self.b.span is not None
        return self.b.span

    def refusal(self, message: str, span: Span | None = None) -> SourceError:
        """The error for what stands here, or at `span`."""
        return refuse(span or self.span, message)

    def refusing(self) -> AbstractContextManager[None]:
        """What rules refuse, refused here."""
        return refusing(self.span)

    def describe(self, value: Value) -> str:
        """A value in the user's words."""
        return in_words(value, self.st.store)

    def before(self, statements: tuple[Statement, ...], live: Live) -> Live:
        """Names read when control goes on at `statements`."""
        return live_before(statements, live, Exits(self.exits, self.exits, self.closures)) | self.handled

    def lives(self, statements: tuple[Statement, ...], live: Live) -> tuple[Live, ...]:
        """Names read from each statement on, and after the last: one walk for all, kept for further rounds."""
        key = statements, live | self.handled, self.exits
        if key not in self.known_lives:
            found = [live | self.handled]
            for statement in reversed(statements):
                found.append(self.before((statement,), found[-1]))
            self.known_lives[key] = tuple(reversed(found))
        return self.known_lives[key]

    def carried(self, loop: Loop | Iterate, live: Live) -> tuple[str, ...]:
        """Names a loop binds that its next iteration or what follows reads; and of lists that functions may change."""
        found = carried_names(loop, live | self.handled, Exits(self.exits, self.exits, self.closures))
        given = dict.fromkeys(handed_over_in(loop)) if self.inference.list_objects else ()
        return (*found, *(name for name in given if name in self.owned and name not in found))

    @contextmanager
    def looping(self, exits: Live) -> Iterator[None]:
        """Inside a loop's body: `exits` are the names read where break and continue lead."""
        before = self.exits, self.depth
        self.exits, self.depth = exits, self.depth + 1
        try:
            yield
        finally:
            self.exits, self.depth = before

    @contextmanager
    def reserving(self, names: Live) -> Iterator[None]:
        """Inside a loop's body: these lists have room for all that it appends."""
        before, self.reserved = self.reserved, names
        try:
            yield
        finally:
            self.reserved = before

    @contextmanager
    def counting(self, index: str) -> Iterator[None]:
        """Inside a counted loop, whose index is called so."""
        before, self.indices = self.indices, (*self.indices, index)
        try:
            yield
        finally:
            self.indices = before

    @contextmanager
    def inside(self, b: Builder, st: FlowState) -> Iterator[None]:
        """Build into another block, from another state."""
        before = self.b, self.st, self.around
        self.b, self.st, self.around = b, st, (*self.around, self.b)
        try:
            yield
        finally:
            self.b, self.st, self.around = before

    # names

    def lookup(self, name: str, span: Span) -> Value:
        """What a name stands for here."""
        if name in self.locals:
            return self.local(name, span)
        if name in self.captured:
            return self.use(name, self.captured[name], span)
        try:
            return self.constant(self.globals(name), name.partition("%")[0], span)
        except Unread as error:
            raise refuse(span, str(error)) from None
        except KeyError:
            raise refuse(span, undefined(name, (*self.locals, *self.captured))) from None

    def local(self, name: str, span: Span) -> Value:
        value = self.st.env.get(name)
        if value is None:
            raise refuse(span, f"the local variable {name!r} is used before it is given a value")
        return self.use(name, value, span)

    def use(self, name: str, value: Value, span: Span) -> Value:
        """A name's value, if it has one: a check of it where that is known only at run time."""
        if self.inference.points:
            value = rebuild(value, self.shown)
        match value:
            case Conflict(message, wants):
                raise refuse(span, message, wants=wants)
            case Unbound(pending=True):
                raise Bottom
            case Unbound(bound, inner):
                message = f"the local variable {name!r} is used before it is given a value"
                if inner is None or (isinstance(bound, Lit) and not bound.value):
                    raise refuse(span, message)
                with self.b.at(span):
                    self.b.require(self.b.wrap(bound), "UnboundLocalError", message)
                if name in self.st.env:
                    self.st.env[name] = inner
                return inner
        return value

    def shown(self, leaf: Any) -> Any:
        """What a number is now: `x[..., 0]` is an array without axes, which shows what is written into x."""
        part = self.inference.points.get(leaf) if isinstance(leaf, Var) else None
        return leaf if part is None else self.point(self.atom(part), part)

    def point(self, number: Atom, part: Value) -> Atom:
        """A number that is an array without axes, `part` of another."""
        if isinstance(number, Var):
            self.inference.points[number] = part
        return number

    def captured_values(self, closure: Closure) -> dict[str, Value]:
        """What a function's free names are at this call (Python looks them up when it is called)."""
        home: Frame = closure.frame
        env = self.st.env if home is self else closure.env
        found = {key: env.get(key, home.captured.get(key)) for key in free_names(closure.define)}
        return {key: value for key, value in found.items() if value is not None}

    # Python objects

    def constant(self, obj: Any, name: str, span: Span | None = None) -> Value:
        """A Python object of the enclosing scopes as a value."""
        return value_of_object(self, obj, name, span)

    def capture(self, array: np.ndarray, name: str, shape: tuple[Dim, ...] | None = None) -> Value:
        """An array of the enclosing scopes: a hidden argument of the program, given by reference at each call. `shape`:
        its sizes, where another one has them too."""
        if id(array) not in self.hidden:
            shape = shape or tuple(
                n if self.inference.known_sizes or n == 1 else Var("n", SIZE) for n in array.shape
            )
            LEAST.update((n, 2) for n, count in zip(shape, array.shape) if isinstance(n, Var) and count > 1)
            var = Var(name, Type(code(array.dtype), shape))
            cell = Cell(name, shared="it is an array of the enclosing scope")
            self.hidden[id(array)] = array, cell, var
        _, cell, var = self.hidden[id(array)]
        self.st.store.setdefault(cell, var)
        return Ref(cell) if var.type.rank else self.point(var, Ref(cell))

    # contents

    def atom(self, value: Value, span: Span | None = None) -> Atom:
        """The present contents of a scalar, array or stream."""
        match value:
            case Var() | Lit():
                return value
            case Ref(cell):
                return self.contents(cell, span)
            case View():
                return self.view_contents(value, span)
        raise self.refusal(f"a number or an array is needed here, not {self.describe(value)}", span)

    def contents(self, cell: Cell, span: Span | None) -> Atom:
        if (base := written_since(self.st, cell)) is not None:
            raise self.refusal(written_words(cell, base, self.locals), span)
        return self.st.store[cell]

    def view_contents(self, view: View, span: Span | None) -> Atom:
        """A view shows its base as it is now: the element reads are built again after a write."""
        base = self.atom(view.base, span)
        if base is view.made.operands[0]:
            return view.atom
        self.relied_on |= relied_on(view)
        return shown_now(self.b, base, view)

    def give(self, value: Value, span: Span | None = None, *, any_dtype: bool = True) -> Any:
        """A value as rules take it: E, number, tuple or list of these, or the object. `any_dtype`: an empty list's."""
        match value:
            case Var() | Lit() | Ref() | View():
                return self.b.wrap(self.atom(value, span))
            case Optional():
                self.b.require(self.b.wrap(value.there), "TypeError", NEEDED)
                return self.give(value.value, span)
            case Nest(cls, items) if cls is complex:
                why = "is not supported here: give .real and .imag"
                raise self.refusal(f"{self.describe(value)} {why}", span)
            case Nest(cls, items) if not (cls in OF_KEYS or is_dataclass(cls)):
                given = [self.give(item, span) for item in items]
                return given if cls is list else tuple(given)
            case GrowingList() if not holds_chosen(value.rows):
                atoms = rebuild(value.rows, lambda leaf: self.atom(leaf, span))
                return as_one_array(self.b, atoms, self.b.wrap(self.atom(value.count)), any_dtype=any_dtype)
            case Range():
                return of_range(self.b, value)
            case Static(obj):
                return obj
        raise self.refusal(f"a number or an array is needed here, not {self.describe(value)}", span)

    def take(self, result: Any, name: str, bases: tuple[Cell, ...] = ()) -> Value:
        """What a rule gave, as a value; arrays and streams become new objects (views of `bases`, where given)."""
        if isinstance(result, E):
            is_object = result.type.rank or result.type.dtype == "rng"
            return self.new(result.atom, name, bases) if is_object else result.atom
        if isinstance(result, bool | int | float | np.generic):
            return literal(result)
        if isinstance(result, Var | Lit):
            return self.take(self.b.wrap(result), name, bases)
        if isinstance(result, tuple | list):
            items = tuple(self.take(item, f"{name}_{k}", bases) for k, item in enumerate(result))
            return Nest(type(result), items)
        return Static(result)

    def named(self, made: Any, name: str, *, weak: bool | None = None) -> Any:
        """What a row has just built, called `name`, and a Python number (weak) or NumPy's (not), where it says."""
        if not isinstance(made, E):
            return made
        atom, equations = made.atom, self.b.equations
        label = name if atom.name == "t" else atom.name
        type_ = Type(
            atom.type.dtype, atom.type.shape, atom.type.weak if weak is None else weak and not atom.type.rank
        )
        made_last = bool(equations) and equations[-1].outs[-1:] == (atom,) and not is_contents(atom, self.st)
        if type_ == atom.type and (label == atom.name or not made_last):
            return made
        if not made_last:
            cast = self.b.apply("cast", made, dtype=atom.type.dtype, name=name)
            if not type_.weak:
                return cast
        last = equations[-1]
        out = Var(label, type_)
        equations[-1] = Equation((*last.outs[:-1], out), last.op, last.span)
        return E(self.b, out)

    def new(self, atom: Atom, name: str, bases: tuple[Cell, ...] = ()) -> Ref:
        """A new array object with these contents, perhaps a view of those `bases` that have a name still."""
        held = self.st.env, self.captured
        bases = tuple(base for base in bases if base.shared or base in self.given or is_held(base, *held))
        cell = Cell(name, bases=tuple((base, self.st.store[base]) for base in bases))
        if bases:
            cell.shared = f"it may be a view of {bases[0].name!r}"
        self.st.store[cell] = atom
        if not bases:
            self.order(cell, order_of(self.b.equations, atom, self.inference.ordered))
        return Ref(cell)

    def order(self, cell: Cell, arguments: frozenset[Cell] | None) -> None:
        """The elements of an array lie row after row where those of these arguments do; None: they may not."""
        cell.ordered, cell.ordered_as = arguments is not None, arguments or frozenset()
        self.inference.ordered[self.st.store[cell]] = arguments

    def write(self, target: Value, contents: Atom, span: Span | None = None) -> None:
        """New contents of an array object, seen under every name it has."""
        if isinstance(target, View):
            if target.fixed:
                raise Raises("ValueError", READ_ONLY)
            base, self.relied_on = self.atom(target.base, span), self.relied_on | relied_on(target)
            self.write(target.base, written_through(self.b, base, target, contents), span)
            return
        assert isinstance(target, Ref)
        if (why := not_written(target.cell, self.locals, self.given, self.st.env, self.captured)) is not None:
            raise self.refusal(why, span)
        if target.cell.number is not None:
            self.inference.augmented.add(target.cell.number)
        self.contents(target.cell, span)
        if target.cell.ordered:
            self.inference.ordered[contents] = target.cell.ordered_as
        self.st.store[target.cell] = contents
