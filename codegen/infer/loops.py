"""Loops: what they carry, found by running the body until names and types are stable.

A loop carries the names its body binds that are read later, the arrays and streams it writes, and the flags of
break and return where it has them.

    while x > 1:              x1, n1 = while with x2 = x, n2 = 0:  cond  gt x2 1
        x, n = x / 2, n + 1                                         body  yield x2 / 2, n2 + 1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.build import B1, I8, Builder, call
from codegen.infer.frame import BROKE, CONTINUED, RESULT, RETURNED, Bottom, Frame
from codegen.infer.join import (
    FALSE,
    TRUE,
    Differ,
    Side,
    as_dtype,
    bound_in,
    falling,
    filler,
    flag,
    join,
    unify,
)
from codegen.infer.values import (
    Cell,
    Closure,
    Conflict,
    Enumerate,
    Nest,
    Range,
    Ref,
    Reversed,
    State,
    Static,
    Unbound,
    Value,
    View,
    Zip,
    cell_of,
    describe,
    leaves,
    references,
)
from codegen.ir import Atom, Block, For, Lit, Type, Var, While
from codegen.read.scope import assigned, mutated
from codegen.read.tree import AugAssign, Expression, Iterate, Loop, Statement
from codegen.source import Span, refuse

Live = frozenset[str]
ROUNDS = 8


def while_loop(frame: Frame, loop: Loop, live: Live) -> None:
    head = frame.before((loop,), live)

    def body(inner: Frame) -> None:
        from codegen.infer.statements import run

        run(inner, loop.body, head | live)

    Carrying(frame, loop, loop.span, live, body, test=loop.test).build()


def for_loop(frame: Frame, loop: Iterate, live: Live) -> None:
    from codegen.infer.expressions import evaluate

    iterable = evaluate(frame, loop.iterable)
    known = known_items(frame, iterable, loop.span)
    if known is not None:
        unroll(frame, loop, known, live)
        return
    head = frame.before((loop,), live)
    start, stop, step, item = counted(frame, iterable, loop.span)

    def body(inner: Frame, index: Var) -> None:
        from codegen.infer.statements import assign, run

        assign(inner, loop.target, item(inner, index))
        run(inner, loop.body, head | live)

    Carrying(frame, loop, loop.span, live, body, bounds=(start, stop, step), index=index_name(loop.target)).build()


def index_name(target: Expression) -> str:
    from codegen.read.tree import Name, Tuple

    if isinstance(target, Tuple) and target.items:
        target = target.items[0]
    return target.id if isinstance(target, Name) and target.id != "_" else "i"


def known_items(frame: Frame, iterable: Value, span: Span) -> list[Value] | None:
    """The items, where the loop is over a tuple or the like and so is written out; None for counted loops."""
    match iterable:
        case Nest(cls, items):
            if cls is dict:
                return [Static(key) for key in iterable.keys or ()]
            return list(items)
        case Enumerate(inner, start):
            known = known_items(frame, inner, span)
            if known is None:
                return None
            b = frame.b
            places = [b.atom(b.apply("add", b.wrap(start), k)) for k in range(len(known))]
            return [Nest(tuple, (p, v)) for p, v in zip(places, known, strict=True)]
        case Zip(inners):
            all_known = [known_items(frame, inner, span) for inner in inners]
            if all(k is None for k in all_known):
                return None
            length = min(len(k) for k in all_known if k is not None)
            columns = [
                k if k is not None else items_of(frame, inner, length, span)
                for k, inner in zip(all_known, inners, strict=True)
            ]
            return [Nest(tuple, row) for row in zip(*columns, strict=False)]
        case Reversed(inner):
            known = known_items(frame, inner, span)
            return None if known is None else known[::-1]
    return None


def items_of(frame: Frame, iterable: Value, length: int, span: Span) -> list[Value]:
    """The first items of a counted iterable, one by one; its length must be known."""
    start, stop, step, item = counted(frame, iterable, span)
    if not all(isinstance(a, Lit) for a in (start, stop)):
        raise refuse(span, "zip of a tuple and something of unknown length: use range(len(...)) and index")
    values = range(start.value, stop.value, step)[:length]  # type: ignore[union-attr]
    return [item(frame, Lit(k, I8)) for k in values]


Item = Callable[[Frame, Atom], Value]


def counted(frame: Frame, iterable: Value, span: Span) -> tuple[Atom, Atom, int, Item]:
    """start, stop, step, and what the loop's target is at an index."""
    b = frame.b
    match iterable:
        case Range(start, stop, Lit(value=int(step))) if step:
            return as_i8(b, start, span), as_i8(b, stop, span), step, lambda inner, i: i
        case Range(start, stop, step_):
            return runtime_range(frame, start, stop, step_, span)
        case Ref() | View():
            from codegen.infer.expressions import element

            x = b.wrap(frame.atom(iterable, span))
            if not x.ndim:
                raise refuse(span, "iteration over a 0-d array")
            n = b.atom(x.shape[0])
            return Lit(0, I8), n, 1, lambda inner, i: element(inner, iterable, inner.b.wrap(i), span, "x")
        case Enumerate(inner_, first):
            start, stop, step, item = counted(frame, inner_, span)

            def pair(inner: Frame, i: Atom) -> Value:
                place = count_at(inner.b, i, start, step)
                return Nest(tuple, (inner.b.atom(inner.b.apply("add", inner.b.wrap(first), place)), item(inner, i)))

            return start, stop, step, pair
        case Zip(inners):
            return zipped(frame, inners, span)
        case Reversed(inner_):
            start, stop, step, item = counted(frame, inner_, span)
            n = trips(b, start, stop, step)
            last = b.apply("add", b.wrap(start), b.apply("mul", b.apply("sub", n, 1), step))
            return b.atom(last), b.atom(b.apply("sub", b.wrap(start), step)), -step, item
    raise refuse(span, f"{describe(iterable, frame.st.store)} cannot be iterated over")


def as_i8(b: Builder, atom: Atom, span: Span) -> Atom:
    if atom.type.dtype[0] not in "iu" or atom.type.rank:
        raise refuse(span, f"range takes ints, not {atom.type}")
    return Lit(atom.value, I8) if isinstance(atom, Lit) else atom


def count_at(b: Builder, i: Atom, start: Atom, step: int) -> Any:
    """How many iterations came before index i."""
    offset = b.apply("sub", b.wrap(i), b.wrap(start))
    return offset if step == 1 else b.apply("floordiv", offset, step)


def trips(b: Builder, start: Atom, stop: Atom, step: int) -> Any:
    """len(range(start, stop, step))."""
    span = b.apply("sub", b.wrap(stop), b.wrap(start))
    if step != 1:
        span = b.apply("neg", b.apply("floordiv", b.apply("neg", span), step))
    return b.apply("maximum", span, 0)


def runtime_range(frame: Frame, start: Atom, stop: Atom, step: Atom, span: Span) -> tuple[Atom, Atom, int, Item]:
    """A step known only at run time: count the iterations, then i = start + k * step."""
    b = frame.b
    s = b.wrap(step)
    b.require(b.apply("ne", s, 0), "ValueError", "range() arg 3 must not be zero")
    distance = b.apply("sub", b.wrap(stop), b.wrap(start))
    n = b.apply("maximum", b.apply("neg", b.apply("floordiv", b.apply("neg", distance), s)), 0)
    return (
        Lit(0, I8),
        b.atom(n),
        1,
        lambda inner, k: inner.b.atom(
            inner.b.apply("add", inner.b.wrap(start), inner.b.apply("mul", inner.b.wrap(k), inner.b.wrap(step)))
        ),
    )


def zipped(frame: Frame, inners: tuple[Value, ...], span: Span) -> tuple[Atom, Atom, int, Item]:
    parts = [counted(frame, inner, span) for inner in inners]
    b = frame.b
    length = trips(b, *parts[0][:3])
    for start, stop, step, _ in parts[1:]:
        length = b.apply("minimum", length, trips(b, start, stop, step))

    def row(inner: Frame, k: Atom) -> Value:
        c = inner.b
        places = [c.apply("add", c.wrap(start), c.apply("mul", c.wrap(k), step)) for start, _, step, _ in parts]
        return Nest(tuple, tuple(item(inner, c.atom(p)) for (_, _, _, item), p in zip(parts, places, strict=True)))

    return Lit(0, I8), b.atom(length), 1, row


def unroll(frame: Frame, loop: Iterate, items: list[Value], live: Live) -> None:
    """A loop over known items is written out; break and continue gate what follows."""
    from codegen.infer.statements import assign, certain_exit, meet, run

    live_inside = frame.before((loop,), live) | live

    def go(k: int) -> None:
        if k == len(items):
            run(frame, loop.orelse, live)
            return
        assign(frame, loop.target, items[k])
        run(frame, loop.body, live_inside)
        frame.st.env.pop(CONTINUED, None)
        gated(lambda: go(k + 1))

    def gated(rest: Callable[[], None]) -> None:
        if certain_exit(frame.st):
            return
        going = falling(frame.b, frame.st)
        if going is True:
            rest()
            return
        way = Side(frame.b.inner(), frame.st.copy())
        assert way.st is not None
        for name in (BROKE, RETURNED):
            way.st.env.pop(name, None)
        try:
            with frame.inside(way.b, way.st):
                rest()
                way = Side(way.b, frame.st)
        except Bottom:
            way = Side(way.b, None)
        other = Side(frame.b.inner(), frame.st.copy())
        meet(frame, frame.b.atom(going), way, other, live_inside, loop.span)

    go(0)
    frame.st.env.pop(BROKE, None)


@dataclass(eq=False)
class Round:
    """One attempt at a body: the parameters made, and how it ended."""

    b: Builder
    params: list[Var] = field(default_factory=list)
    nexts: list[Atom] = field(default_factory=list)
    end: State | None = None


class Carrying:
    """One loop while it is built. `bounds` for a counted loop, `test` for a while."""

    def __init__(
        self,
        frame: Frame,
        loop: Loop | Iterate,
        span: Span,
        live: Live,
        body: Callable[..., None],
        *,
        test: Expression | None = None,
        bounds: tuple[Atom, Atom, int] | None = None,
        index: str = "i",
    ):
        self.frame, self.loop, self.span, self.live, self.body = frame, loop, span, live, body
        self.test, self.bounds, self.index = test, bounds, index
        self.start = frame.st.copy()
        self.names = list(frame.carried(loop, live))
        self.cells = self.first_cells()
        self.kept = only_augmented(loop.body)
        self.templates: dict[str, Value] = {n: self.start.env[n] for n in self.names if n in self.start.env}
        self.types: dict[Cell, Type] = {c: self.start.store[c].type for c in self.cells}
        self.flags: list[str] = []
        self.result: Value | None = None
        self.test_acts = False
        for name in self.names:
            self.settle(name)

    def first_cells(self) -> list[Cell]:
        """The objects the body seems to write: arrays assigned into, streams."""
        cells: list[Cell] = []
        written = set(mutated(self.loop.body))
        for name, value in {**self.frame.captured, **self.start.env}.items():
            for leaf in leaves(value):
                cell = cell_of(leaf)
                if cell is None or cell in cells:
                    continue
                if name in written or self.start.store[cell].type.dtype == "rng":
                    cells.append(cell)
        return cells

    def settle(self, name: str) -> None:
        """A template's leaves lose what changes: literals become numbers, views arrays of their own."""
        value = self.templates.get(name)
        if value is not None and isinstance(value, Unbound) and value.value is None:
            del self.templates[name]

    def build(self) -> None:
        for _ in range(ROUNDS):
            attempt = self.attempt()
            if attempt is None:  # the body ends in a recursive call of unknown type: as if it never ran
                return
            if self.stable(attempt):
                self.emit(attempt)
                return
        raise refuse(self.span, "the types of this loop's variables change with every iteration")

    def attempt(self) -> Round | None:
        """Run the test and the body once, from parameters made after the templates."""
        frame = self.frame
        this = Round(frame.b.inner())
        state = State(dict(self.start.env), dict(self.start.store))
        self.slots: list[tuple[str, Any]] = []
        for cell in self.cells:
            state.store[cell] = self.param(this, ("cell", cell), cell.name, self.types[cell])
        self.owned: list[Cell] = []
        for name in self.names:
            if name in self.templates:
                state.env[name] = self.make(this, state, name, self.templates[name], name)
                if name not in self.start.env or isinstance(self.start.env[name], Unbound):
                    bound = self.param(this, ("bound", name), f"{name}_bound", B1)
                    inner = state.env[name]
                    state.env[name] = Unbound(bound, inner.value if isinstance(inner, Unbound) else inner)
            else:
                state.env[name] = Unbound(FALSE)
        for name in self.flags:
            state.env[name] = self.param(this, ("flag", name), name.strip("%"), B1)
        if self.result is not None:
            state.env[RESULT] = self.make(this, state, RESULT, self.result, "result")
        self.head = state.copy()
        if self.test is not None and self.test_acts:
            self.go = self.param(this, ("go", None), "go", B1)
        inner_state = state.copy()
        for name in self.flags:
            inner_state.env.pop(name, None)
        try:
            with frame.inside(this.b, inner_state):
                if self.bounds is not None:
                    self.counter = Var(self.index, I8)
                    self.body(frame, self.counter)
                else:
                    self.body(frame)
                frame.st.env.pop(CONTINUED, None)
                this.end = frame.st
        except Bottom:
            return None
        return this

    def param(self, this: Round, key: Any, name: str, type_: Type) -> Var:
        fresh = {n: Var("n", I8) for n in type_.shape if isinstance(n, Var) and n not in self.outer(n)}
        shape = tuple(fresh.get(n, n) if isinstance(n, Var) else n for n in type_.shape)
        var = Var(name, Type(type_.dtype, shape, type_.weak))
        this.params.append(var)
        self.slots.append(key)
        return var

    def outer(self, n: Var) -> tuple[Var, ...]:
        """(n,) where the size is in scope outside the loop: sizes that change are marked when types are unified."""
        return () if n in self.changing else (n,)

    changing: frozenset[Var] = frozenset()

    def make(self, this: Round, state: State, name: str, template: Value, text: str) -> Value:
        """A parameter value shaped like the template."""
        match template:
            case Var() | Lit():
                return self.param(this, ("name", name), text, template.type)
            case Unbound(_, value):
                assert value is not None
                return Unbound(TRUE, self.make(this, state, name, value, text))
            case Nest(_, items):
                names = template.keys or tuple(str(k) for k in range(len(items)))
                made = [
                    self.make(this, state, name, item, f"{text}_{k}") for item, k in zip(items, names, strict=True)
                ]
                return template.with_items(tuple(made))
            case Ref(cell) if name in self.kept and cell in self.start.store:
                return template
            case Ref() | View():
                type_ = self.array_type(template)
                shared = self.shared(template, name)
                new = Cell(text, shared)
                if not shared:
                    self.owned.append(new)
                state.store[new] = self.param(this, ("name", name), text, type_)
                return Ref(new)
        return template

    def array_type(self, value: Ref | View) -> Type:
        if isinstance(value, View):
            return value.atom.type
        store = self.frame.st.store
        return (store.get(value.cell) or self.start.store.get(value.cell) or self.known[value.cell]).type

    def shared(self, value: Ref | View, name: str) -> str | None:
        """Why writing the array carried under `name` could reach another one: its first value has other names."""
        cell = cell_of(value)
        if cell is None or cell not in self.start.store or name == RESULT:
            return None
        counted = references({k: v for k, v in self.start.env.items() if k != name})
        mine = references({name: self.start.env[name]}) if name in self.start.env else {}
        given = cell in self.frame.inference.given(self.frame)
        if isinstance(value, View) or counted[cell] or mine.get(cell, 0) > 1 or given:
            return f"at the first iteration it is the same array as {cell.name!r}" if counted[cell] or given else (
                "it may have another name"
            )
        return cell.shared

    known: dict[Cell, Atom] = {}

    def stable(self, this: Round) -> bool:
        """Whether what the body left fits the parameters; if not, the templates are widened."""
        assert this.end is not None
        end, changed = this.end, False
        self.known = dict(end.store)
        for cell, before in self.start.store.items():
            if end.store[cell] is not before and cell not in self.cells:
                self.cells.append(cell)
                self.types[cell] = before.type
                changed = True
        for name in (BROKE, RETURNED):
            if not (isinstance(flag(end, name), Lit) and not flag(end, name).value) and name not in self.flags:  # type: ignore[union-attr]
                self.flags.append(name)
                changed = True
        if RETURNED in self.flags and self.result is None:
            self.result = end.env[RESULT]
            changed = True
        this.nexts = []
        with self.frame.inside(this.b, end):
            for key, param in zip(self.slots, this.params, strict=True):
                if key[0] == "cell":
                    changed |= not self.cell_next(this, key[1], param, end)
        names = [*self.names, *([RESULT] if self.result is not None else [])]
        for name in names:
            changed |= not self.widen(name, end)
        changed |= self.test_changes(this)
        return not changed

    def cell_next(self, this: Round, cell: Cell, param: Var, end: State) -> bool:
        atom = end.store[cell]
        joined = unify(param.type, atom.type)
        if same_type(joined, param.type):
            return True
        self.types[cell] = self.marked(joined)
        return False

    def marked(self, type_: Type) -> Type:
        """Sizes that differ between iterations are made anew by every parameter."""
        inner = {n for n in type_.shape if isinstance(n, Var)} - scope_of(self.frame, self.start)
        self.changing = self.changing | inner
        return type_

    def widen(self, name: str, end: State) -> bool:
        """Join a name's template with its value at the end; True if nothing changed."""
        value = end.env.get(name)
        template = self.result if name == RESULT else self.templates.get(name)
        if isinstance(value, Unbound) and value.value is None:
            value = None
        if value is None or isinstance(value, Conflict):
            return True
        if template is None:
            self.templates[name] = value.value if isinstance(value, Unbound) and value.value else value
            return False
        value = value.value if isinstance(value, Unbound) and value.value else value
        base = template.value if isinstance(template, Unbound) and template.value else template
        try:
            wide, same = self.wider(base, value, name)
        except Differ as differ:
            raise refuse(self.span, f"{name.strip('%')!r} changes its kind from one iteration to the next: {differ}") from None
        if not same:
            if name == RESULT:
                self.result = wide
            else:
                self.templates[name] = wide
        return same

    def wider(self, x: Value, y: Value, name: str) -> tuple[Value, bool]:
        match x, y:
            case Var() | Lit(), Var() | Lit():
                joined = unify(x.type, y.type)
                return (x, True) if same_type(joined, x.type) else (Var(name, joined), False)
            case Nest(), Nest() if (x.cls, x.keys, len(x.items)) == (y.cls, y.keys, len(y.items)):
                parts = [self.wider(u, v, name) for u, v in zip(x.items, y.items, strict=True)]
                return x.with_items(tuple(p for p, _ in parts)), all(same for _, same in parts)
            case Ref(cell), Ref(other) if cell is other and name in self.kept:
                return x, True
            case Ref() | View(), Ref() | View():
                if name in self.kept:
                    self.kept = self.kept - {name}
                    return x, False
                return self.wider_array(x, y)
            case Static(), Static() if x.value is y.value or (isinstance(x.value, str) and x.value == y.value):
                return x, True
            case Closure(), Closure() if x.define is y.define:
                return x, True
        words = f"{describe(x, {**self.known, **self.start.store})}, then {describe(y, self.known)}"
        raise Differ(words)

    def wider_array(self, x: Ref | View, y: Ref | View) -> tuple[Value, bool]:
        mine, other = self.array_type(x), self.array_type(y)
        joined = unify(mine, other)
        if same_type(joined, mine):
            return x, True
        template = Cell(cell_of(x).name)  # type: ignore[union-attr]
        self.start.store.setdefault(template, Var(template.name, self.marked(joined)))
        self.templates_only.add(template)
        return Ref(template), False

    @property
    def templates_only(self) -> set[Cell]:
        """Cells that stand for a type alone."""
        return self.__dict__.setdefault("_templates_only", set())

    def test_changes(self, this: Round) -> bool:
        """Whether the test acts (draws, writes), which a cond block may not."""
        if self.test is None or self.test_acts:
            return False
        from codegen.infer.expressions import truth

        b, st = self.frame.b.inner(), self.head.copy()
        for name in self.flags:
            st.env.pop(name, None)
        with self.frame.inside(b, st):
            truth(self.frame, self.test)
            changed = any(self.frame.st.store.get(c) is not v for c, v in self.head.store.items())
        self.test_acts = changed
        return changed

    def emit(self, this: Round) -> None:
        """The loop equation, and the state after it."""
        frame, end = self.frame, this.end
        assert end is not None
        self.check_owned(end)
        init = [self.first(key, param) for key, param in zip(self.slots, this.params, strict=True)]
        self.cursor: dict[str, int] = {}
        nexts = [self.next(this, key, param, end) for key, param in zip(self.slots, this.params, strict=True)]
        outs = tuple(self.out(p) for p in this.params)
        if self.bounds is not None and not self.flags:
            start, stop, step = self.bounds
            block = this.b.block(tuple(nexts))
            frame.b.emit(outs, For(self.counter, start, stop, step, tuple(this.params), tuple(init), block))
        else:
            self.emit_while(this, init, nexts, outs)
        self.after(this, outs)

    def out(self, param: Var) -> Var:
        shape = tuple(Var("n", I8) if isinstance(n, Var) and n not in scope_of(self.frame, self.start) else n
                      for n in param.type.shape)  # fmt: skip
        return Var(param.name, Type(param.type.dtype, shape, param.type.weak))

    def first(self, key: Any, param: Var) -> Atom:
        """What a carried value is before the first iteration."""
        kind, name = key
        b = self.frame.b
        if kind == "cell":
            return as_dtype(b, self.frame.st.store[name], param.type)
        if kind == "bound":
            value = self.start.env.get(name)
            return value.bound or FALSE if isinstance(value, Unbound) else FALSE
        if kind in ("flag",):
            return FALSE
        if kind == "go":
            from codegen.infer.expressions import truth

            assert self.test is not None
            return truth(self.frame, self.test)
        atoms = self.initial(name)
        if atoms is None:
            return filler(b, param.type)
        return as_dtype(b, atoms.pop(0), param.type)

    def initial(self, name: str) -> list[Atom] | None:
        """The atoms of a name's leaves before the loop, taken one by one."""
        cache: dict[str, list[Atom]] = self.__dict__.setdefault("_initial", {})
        value = self.start.env.get(name) if name != RESULT else None
        if isinstance(value, Unbound):
            value = value.value
        if value is None:
            return None
        if name not in cache:
            cache[name] = self.atoms(name, value, self.frame)
        return cache[name]

    def atoms(self, name: str, value: Value, frame: Frame) -> list[Atom]:
        """The atoms of the leaves that are carried under a name."""
        found: list[Atom] = []
        for leaf in leaves(value):
            if isinstance(leaf, Ref) and name in self.kept and leaf.cell in self.start.store:
                continue
            if isinstance(leaf, Var | Lit | Ref | View):
                found.append(frame.atom(leaf))
        return found

    def next(self, this: Round, key: Any, param: Var, end: State) -> Atom:
        """What a carried value is after one iteration."""
        kind, name = key
        with self.frame.inside(this.b, end):
            if kind == "cell":
                return as_dtype(this.b, end.store[name], param.type)
            if kind == "flag":
                return flag(end, name)
            value = end.env.get(name)
            if kind == "bound":
                return value.bound or FALSE if isinstance(value, Unbound) else FALSE if value is None else TRUE
            if kind == "go":
                return self.test_again(this, end)
            cache: dict[str, list[Atom]] = self.__dict__.setdefault("_nexts", {})
            if name not in cache:
                inner = value.value if isinstance(value, Unbound) else value
                given = inner is not None and not isinstance(inner, Conflict)
                cache[name] = self.atoms(name, inner, self.frame) if given else []  # type: ignore[arg-type]
                if not given:
                    cache[name] = []
            if not cache[name]:
                return filler(this.b, param.type)
            return as_dtype(this.b, cache[name].pop(0), param.type)

    def test_again(self, this: Round, end: State) -> Atom:
        """The test, after the body, unless the loop was left: it may draw, so it is not run too often."""
        from codegen.infer.expressions import truth

        assert self.test is not None
        if not self.flags:
            return truth(self.frame, self.test)
        going = this.b.atom(falling(this.b, end))
        on, off = Side(this.b.inner(), end.copy()), Side(this.b.inner(), end.copy())
        assert on.st is not None and off.st is not None
        with self.frame.inside(on.b, on.st):
            on.st.env["%go"] = truth(self.frame, self.test)
        off.st.env["%go"] = FALSE
        join(self.frame, going, on, off, [*end.env, "%go"])
        value = self.frame.st.env.pop("%go")
        assert isinstance(value, Var | Lit)
        return value

    def emit_while(self, this: Round, init: list[Atom], nexts: list[Atom], outs: tuple[Var, ...]) -> None:
        params = list(this.params)
        if self.bounds is not None:
            start, stop, step = self.bounds
            k = Var(self.index, I8)
            bound = substitute_counter(this.b, self.counter, k)
            params, init = [k, *params], [start, *init]
            nexts = [bound.atom(bound.apply("add", bound.wrap(k), step)), *nexts]
            outs = (Var(self.index, I8), *outs)
            this.b = bound
            cond = self.cond_block(lambda b: b.atom(b.apply("lt" if step > 0 else "gt", b.wrap(k), b.wrap(stop))))
        elif self.test_acts:
            cond = Block((), (self.go,))
        else:
            cond = self.cond_block(self.evaluate_test)
        self.frame.b.emit(outs, While(tuple(params), tuple(init), cond, this.b.block(tuple(nexts))))

    def evaluate_test(self, b: Builder) -> Atom:
        from codegen.infer.expressions import truth

        assert self.test is not None
        st = self.head.copy()
        for name in self.flags:
            st.env.pop(name, None)
        with self.frame.inside(b, st):
            return truth(self.frame, self.test)

    def cond_block(self, test: Callable[[Builder], Atom]) -> Block:
        """The condition: not left, and the test; the test is not run once the loop was left."""
        from codegen.ir import If

        b = self.frame.b.inner()
        if not self.flags:
            return b.block((test(b),))
        head = State({name: self.head.env[name] for name in self.flags}, {})
        going = b.atom(falling(b, head))
        then, other = b.inner(), b.inner()
        out = Var("go", B1)
        b.emit((out,), If(going, then.block((test(then),)), other.block((False,))))
        return b.block((out,))

    def check_owned(self, end: State) -> None:
        """Arrays written under a carried name must stay apart from each other over the iterations."""
        written = [c for c in self.owned if end.store.get(c) is not self.head.store.get(c)]
        if not written:
            return
        counted = references({n: v for n, v in end.env.items() if n in (*self.names, *self.start.env)})
        for cell, count in counted.items():
            if count > 1 and (cell in self.owned or cell not in self.start.store):
                raise refuse(
                    self.span,
                    f"two names are the same array ({cell.name!r}) after an iteration, and it is written in place: "
                    f"use .copy()",
                )

    def after(self, this: Round, outs: tuple[Var, ...]) -> None:
        """The state once the loop is over; the loop's else part runs unless break or return left it."""
        frame = self.frame
        outs = outs[len(outs) - len(this.params) :]
        swap = dict(zip(this.params, outs, strict=True))
        st = State(dict(self.head.env), {c: swap.get(a, a) for c, a in self.head.store.items()})  # type: ignore[call-overload]
        for cell in self.templates_only:
            st.store.pop(cell, None)
        frame.st.store = st.store
        frame.st.env = {n: replaced(v, swap) for n, v in st.env.items()}
        for name in (BROKE, RETURNED):
            if name not in self.flags:
                frame.st.env.pop(name, None)
        if self.loop.orelse:
            self.run_else()
        frame.st.env.pop(BROKE, None)

    def run_else(self) -> None:
        from codegen.infer.statements import gate, run

        if not self.flags:
            run(self.frame, self.loop.orelse, self.live)
        else:
            gate(self.frame, self.loop.orelse, self.live)


def replaced(value: Value, swap: dict[Var, Var]) -> Value:
    """A value of the loop's head as it is after the loop."""
    match value:
        case Var():
            return swap.get(value, value)
        case Unbound(bound, inner):
            return Unbound(bound and swap.get(bound, bound), inner and replaced(inner, swap))  # type: ignore[arg-type, call-overload]
        case Nest(_, items):
            return value.with_items(tuple(replaced(item, swap) for item in items))
    return value


def same_type(x: Type, y: Type) -> bool:
    return x.dtype == y.dtype and x.shape == y.shape and x.weak == y.weak


def scope_of(frame: Frame, start: State) -> set[Var]:
    """Sizes in scope around the loop."""
    sizes = {n for atom in start.store.values() for n in atom.type.shape if isinstance(n, Var)}
    return sizes | bound_in(frame.b) | frame.inference.sizes(frame)


def only_augmented(statements: tuple[Statement, ...]) -> frozenset[str]:
    """Names the body changes by `x += ...` alone: an array keeps its identity."""
    augmented = {s.target.id for s in walk(statements) if isinstance(s, AugAssign) and hasattr(s.target, "id")}
    stripped = tuple(s for s in walk(statements) if not isinstance(s, AugAssign))
    rebound = {n for s in stripped for n in direct_targets(s)}
    return frozenset(augmented - rebound)


def walk(statements: tuple[Statement, ...]) -> list[Statement]:
    found: list[Statement] = []
    for s in statements:
        found.append(s)
        for part in ("then", "body", "orelse"):
            inner = getattr(s, part, ())
            if isinstance(inner, tuple) and type(s).__name__ != "Define":
                found.extend(walk(inner))
    return found


def direct_targets(statement: Statement) -> tuple[str, ...]:
    """Names this statement itself binds."""
    from codegen.read.tree import Assign, Define

    match statement:
        case Assign():
            return tuple(assigned((statement,)))
        case Iterate(span, target, iterable):
            return tuple(assigned((Assign(span, (target,), iterable),)))
        case Define():
            return (statement.name,)
    return ()


def substitute_counter(b: Builder, counter: Var, k: Var) -> Builder:
    """The body's builder with the loop's index renamed to the while's own counter."""
    from codegen.rename import substitute

    made = Builder(span=b.span, checked=b.checked)
    made.equations = list(substitute(Block(tuple(b.equations), ()), {counter: k}).equations)
    return made


