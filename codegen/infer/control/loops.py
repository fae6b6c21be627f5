"""Loops: what they carry, found by running the body until names and types are stable.

A loop carries the names its body binds that are read later, the arrays and streams it writes, and the flags of
break and return where it has them.

    while x > 1:              x1, n1 = while with x2 = x, n2 = 0:  cond  gt x2 1
        x, n = x / 2, n + 1                                         body  yield x2 / 2, n2 + 1
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codegen.cost_model import LEAST_ROOM
from codegen.infer.control.carried import (
    BodyStates,
    Head,
    Maybe,
    Number,
    Template,
    holds_growing,
    is_certain,
    template,
    widen_again,
)
from codegen.infer.control.flags import BROKE, CONTINUED, RAISED, RESULT, RETURNED, flag, possible
from codegen.infer.control.given_generators import as_own_loops, is_generator
from codegen.infer.control.iterables import (
    Counted,
    as_long,
    counted_iteration,
    free_letter,
    index_name,
    iterated,
    known_items,
    range_length,
    strict,
)
from codegen.infer.control.list_room import appended_at_most, most_items, reserve
from codegen.infer.control.loop_aliases import (
    Learned,
    LoopRun,
    Place,
    Shared,
    Sharing,
    first_sharing,
    grew,
    learned_in,
    mark,
    merged,
    seem_written,
    seen_sharing,
)
from codegen.infer.control.loop_equation import (
    GO,
    Carried,
    Round,
    add_loop,
    after_tests,
    array_of_sums,
    widened_by,
    with_lists,
)
from codegen.infer.control.nested_loops import as_nested_loops
from codegen.infer.control.unrolling import (
    are_few,
    or_written_out,
    run_orelse,
    unroll_or_count,
    written_out_for_lists,
)
from codegen.infer.control.yields import infer_yielding, is_yielded
from codegen.infer.expressions import condition, evaluate_iterable
from codegen.infer.frame import Bottom, Frame, Live
from codegen.infer.kinds import Kind, bound_vars, kind, unify
from codegen.infer.memory.assignment import assign
from codegen.infer.memory.growing_objects import as_long_as_it_is
from codegen.infer.memory.list_objects import refuse_lost
from codegen.infer.memory.rotation import Rotation, find_rotation, settle
from codegen.infer.objects.field import shown_name
from codegen.infer.objects.loops import LoopObjects
from codegen.infer.optional import learn
from codegen.infer.special_methods import as_iterated
from codegen.infer.values import Cell, FlowState, Nest, Product, Value, cell_of, leaves
from codegen.ir import Atom, Block, Lit, Var
from codegen.ir.build import SIZE
from codegen.ir.literals import literal
from codegen.read.scope import all_statements, read_names
from codegen.read.tree import Break, Expression, Iterate, Loop, Return

ROUNDS = 12
ITERATED = "%iterated"
TURNS = "%turns"  # how often names have changed places


def infer_while(frame: Frame, loop: Loop, live: Live) -> None:
    Building(frame, loop, live).build()


def infer_for(frame: Frame, loop: Iterate, live: Live) -> None:
    if is_generator(loop.iterable):
        return infer_for(frame, as_own_loops(frame, loop), live)
    iterable = as_iterated(frame, evaluate_iterable(frame, loop.iterable))
    leaves = any(isinstance(node, Break | Return) for node in all_statements(loop.body))
    with as_long_as_it_is(frame, iterable, loop.span, may_leave=leaves):
        go_through(frame, loop, iterable, live)


def go_through(frame: Frame, loop: Iterate, iterable: Value, live: Live) -> None:
    if is_yielded(iterable):
        return infer_yielding(frame, loop, iterable, live)
    if isinstance(iterable, Product) and known_items(frame, iterable) is None:
        with as_nested_loops(frame, loop, iterable) as loops:
            if loops is not None:
                return infer_for(frame, loops, live)
    if known_items(frame, iterable) is not None:
        return unroll_or_count(frame, loop, iterable, live, count_through)
    with (
        written_out_for_lists(frame, loop, iterable, live) as done,
        or_written_out(frame, loop, iterable, live),
    ):
        if not done:
            count_through(frame, loop, iterable, live)


def count_through(frame: Frame, loop: Iterate, iterable: Value, live: Live) -> None:
    bounds = counted_iteration(frame, iterable)
    same = as_long(frame, iterable, loop) if strict(iterable) else None
    around = sum(name.startswith(ITERATED) for name in frame.st.env)
    held = {f"{ITERATED}{k}": x for k, x in enumerate(iterated(iterable), around)}
    frame.st.env.update(held)
    index = index_name(iterable, loop.target) or free_letter(frame)
    with frame.counting(index):
        Building(frame, loop, live | frozenset(held), bounds, index, most_items(frame, iterable)).build()
    for name in held:
        frame.st.env.pop(name, None)
    if same is not None:
        with frame.b.at(loop.span):
            frame.b.require(same, "ValueError", "zip() arguments are of different lengths")


class Building:
    """One loop while it is built: what it carries grows until a round fits it.

    `bounds`: start, stop, step and items of a counted loop, whose index is called `index`, and which has `most`
    iterations at most, if that is known; a while has its test.
    """

    def __init__(
        self,
        frame: Frame,
        loop: Loop | Iterate,
        live: Live,
        bounds: Counted | None = None,
        index: str = "",
        most: int | None = None,
    ):
        self.fields = LoopObjects(frame, loop)
        self.frame, self.loop, self.live = frame, loop, live | self.fields.before
        self.bounds, self.index, self.most = bounds, index, most
        self.head_live = frame.before((loop,), live) | self.live
        self.settled = False  # whether names that no round gave a value have none
        known = frame.learned.get(loop, Learned())
        self.reserved = frame.reserved | reserve(frame, loop, bounds, most)
        names = (*frame.carried(loop, live), *self.fields.first())
        for name in names:
            if (t := known.templates.get(name)) is not None and is_certain(t):
                self.make_growing(name, t)
        self.start = frame.st.copy()
        templates: dict[str, Template] = {}
        for name in names:
            first = template(self.start.env.get(name), self.start)
            templates[name] = widen_again(first, known.templates.get(name), self.start)
        if RESULT in known.templates and is_certain(known.templates[RESULT]):
            templates[RESULT] = known.templates[RESULT]
        cells = list(dict.fromkeys(self.first_cells(known.written)))
        self.carried = Carried(templates, cells, known.flags)
        self.sharing: Sharing = self.first_sharing(known)
        self.rotation: Rotation | None = None
        self.turns = f"{TURNS}{sum(name.startswith(TURNS) for name in frame.st.env)}"

    def make_growing(self, name: str, t: Template | None) -> bool:
        """Before the loop, lists of unknown length in place of those that it was found to make longer or shorter."""
        frame, value = self.frame, self.frame.st.env.get(name)
        if t is None or value is None or not holds_growing(t):
            return False
        room: Any = LEAST_ROOM
        if isinstance(value, Nest) and value.cls is list and name in frame.owned:
            before = len(value.items)
            more = appended_at_most(frame, self.loop, name, before, self.bounds, self.most)
            if more is not None:
                room = frame.b.apply("add", more, before)
                self.reserved |= {name}
        frame.st.env[name] = with_lists(frame, self.loop, t, value, name, room)
        return frame.st.env[name] is not value

    def first_sharing(self, learned: Learned) -> Sharing:
        cells = dict(self.objects())
        again = {
            path: Shared(frozenset(cells[place] for place in places if place in cells), mixed)
            for path, (places, mixed) in learned.sharing.items()
        }
        return merged(again, first_sharing(self.frame, self.carried.templates, self.start, self.head_live))

    def objects(self) -> Iterator[tuple[Place, Cell]]:
        """The objects that names hold at the loop's start."""
        for name, value in {**self.frame.captured, **self.start.env}.items():
            for k, leaf in enumerate(leaves(value)):
                cell = cell_of(leaf)
                if cell is not None and cell in self.start.store:
                    yield (name, k), cell

    def first_cells(self, learned: frozenset[Place]) -> Iterator[Cell]:
        """The objects the body seems to write: arrays assigned into (a list's items are bound anew), streams named."""
        named = {**self.frame.captured, **self.start.env}
        written, read = {*seem_written(self.loop.body, named)}, set(read_names(self.loop))
        for place, cell in self.objects():
            stream = place[0] in read and self.start.store[cell].type.dtype == "rng"
            if stream or place in learned or cell in written and cell not in self.frame.gone_through:
                yield cell

    def build(self) -> None:
        for _ in range(ROUNDS):
            try:
                this = self.fields.tried(self.round, self.start, self.carried.templates)
            except Bottom:
                if not self.settled:
                    self.settled = True
                    continue
                # a recursive call of unknown type on every way: as if the body never ran
                if any(isinstance(t, Maybe) for t in self.carried.templates.values()) or self.carried.flags:
                    raise
                return
            if this is None:
                if isinstance(self.loop, Loop):
                    condition(self.frame, self.loop.test)
                self.frame.inference.run(self.frame, self.loop.orelse, self.live)
                return
            if self.grows(this):
                continue
            if self.fields.leave(this.head.st, this.end, self.carried.templates, self.head_live):
                continue
            if self.settled or not any(
                isinstance(t, Maybe) and t.inner is None for t in self.carried.templates.values()
            ):
                self.learn()
                add_loop(self.frame, self.loop, self.carried, this, self.bounds)
                turns = self.frame.st.env.pop(self.turns, None)
                if self.rotation:
                    settle(self.frame, self.rotation, self.rounds_made(turns))
                if isinstance(self.loop, Loop) and {BROKE, *RAISED}.isdisjoint(self.carried.flags):
                    learn(self.frame, self.loop.test, False)
                run_orelse(self.frame, self.loop, self.live, endless=this.endless)
                return
            self.settled = True
        raise self.fields.of_ever_new(self.carried.templates)

    def takes_turns(self, rotation: Rotation | None) -> bool:
        """Take in which names changed places in a round; True if that is new. What no longer does never will."""
        if rotation == self.rotation or self.turns in self.carried.templates and self.rotation is None:
            return False
        self.rotation = None if self.rotation else rotation
        self.carried.templates[self.turns] = template(literal(0), self.start)
        self.start.env[self.turns] = self.frame.st.env[self.turns] = literal(0)
        return True

    def rounds_made(self, turns: Value | None) -> Atom:
        """How many iterations there were: by the range, or as counted."""
        if self.bounds is not None and not self.carried.flags:
            return self.frame.b.atom(range_length(self.frame.b, *self.bounds[:3]))
        assert isinstance(turns, Var | Lit)
        return turns

    def learn(self) -> None:
        self.frame.learned[self.loop] = learned_in(self.carried, [*self.objects()], self.sharing)

    def round(self) -> Round | None:
        """Run the test and the body once from the head; None where the test is known to fail."""
        frame, b, carried = self.frame, self.frame.b.inner(), self.carried
        head, counter = self.head(), None
        frame.inference.changing |= head.sizes
        if self.bounds is not None:
            counter = head.param(self.index, kind(SIZE)) if carried.flags else Var(self.index, SIZE)
        elif carried.acts:
            head.st.env[GO] = head.param("go", Kind("b1"))
        test = None
        if isinstance(self.loop, Loop) and not carried.acts:
            test, changed, after = self.test(head, self.loop.test)
            if isinstance(test.results[0], Lit) and not test.results[0].value:
                return None
            if changed:
                return Round(head, b, counter, head.st, test, changed, [after])
        inner = head.st.copy()
        for name in (*carried.flags, GO):
            inner.env.pop(name, None)
        turns = inner.env.pop(self.turns, None)
        with frame.inside(b, inner):
            if isinstance(turns, Var):
                turns = b.atom(b.apply("add", b.wrap(turns), 1, name="turns"))
            if isinstance(self.loop, Iterate):
                assert self.bounds is not None and counter is not None
                target = self.loop.target
                if are_few(self.bounds, frame.rounds):
                    frame.counters[counter] = self.loop
                assign(frame, target, self.bounds[3](frame, counter, target))
                frame.inference.caught |= {*b.equations}  # whose places are those that there are
            if isinstance(self.loop, Loop):
                learn(frame, self.loop.test, True)
            with frame.looping(self.head_live), frame.reserving(self.reserved):
                frame.inference.run(frame, self.loop.body, self.head_live)
            frame.st.env.pop(CONTINUED, None)
            self.end_lists()
            if turns is not None:
                frame.st.env[self.turns] = turns
            end = frame.st
        tested = after_tests(frame, self.loop, carried, (self.start, end))
        return Round(head, b, counter, end, test, [], tested)

    def end_lists(self) -> None:
        """At the end of the body, lists of unknown length where the next iteration has such."""
        frame = self.frame
        for name, t in self.carried.templates.items():
            if (value := frame.st.env.get(name)) is not None and holds_growing(t):
                frame.st.env[name] = with_lists(frame, self.loop, t, value, name)

    def head(self) -> Head:
        """The parameters, and the state in terms of them."""
        head = Head(self.start.copy(), self.frame.inference.numbers, pending=not self.settled)
        for cell in self.carried.cells:
            first = kind(self.start.store[cell].type)
            head.st.store[cell] = head.param(cell.name, self.carried.kinds.get(cell, first))
        for name, t in self.carried.templates.items():
            head.st.env[name] = head.value(t, (name,), shown_name(name))
        for name in self.carried.flags:
            head.st.env[name] = head.param(name.strip("%"), Kind("b1"))
        turning = self.rotation.objects if self.rotation else {}
        mark(head, {path: shared for path, shared in self.sharing.items() if path not in turning})
        return head

    def test(self, head: Head, test: Expression) -> tuple[Block, list[Any], tuple[FlowState, set[Var]]]:
        """A while's test at the head, what it changes (by draws, writes), which a condition block may not, and then."""
        b, st = self.frame.b.inner(), head.st.copy()
        for name in self.carried.flags:
            st.env.pop(name, None)
        with self.frame.inside(b, st):
            met = condition(self.frame, test)
            refuse_lost(self.frame, head.st.store, self.loop.span)
            after, fields = self.frame.st, self.fields.note_test(head.st, self.frame.st)
        changed = [*fields, *(c for c, x in head.st.store.items() if after.store.get(c) is not x)]
        return b.block((met,)), changed, (after, bound_vars(b))

    def grows(self, this: Round) -> bool:
        """Take in what a round showed; True if another one is needed."""
        end, start, carried = this.end, self.start, self.carried
        written = [c for c, before in start.store.items() if end.store[c] is not before or c in this.changed]
        more = [c for c in written if c not in carried.cells]
        flags = tuple(n for n in (BROKE, RETURNED, *RAISED) if n in carried.flags or possible(flag(end, n)))
        grown = bool(more) or flags != carried.flags or bool(this.changed)
        carried.cells += more
        carried.flags, carried.acts = flags, carried.acts or bool(this.changed)
        inside = bound_vars(this.b) | this.head.sizes
        grown = self.other_sizes(written, end, inside) or grown
        if RETURNED in flags and RESULT not in carried.templates:
            carried.templates[RESULT] = template(end.env[RESULT], end, inside, stays=start.store)
            grown = True
        grown = self.fields.take(start, end, carried.templates) or grown
        ends = [(end, inside), *((st, inside | bound) for st, bound in this.tested)]
        seen = [BodyStates(start, *each, self.frame.inference.texts) for each in ends]
        for name, t in carried.templates.items():
            found = template(end.env.get(name), end, inside) if isinstance(t, Number) else None
            as_sum = array_of_sums(self.frame, self.loop, name, start.env.get(name), found)
            wide = t if as_sum else widened_by(self.frame, self.loop, seen, name, t)
            carried.templates[name] = wide
            if as_sum or wide is not t and name != RESULT and self.make_growing(name, wide):
                self.start = self.frame.st.copy()
                carried.templates[name] = template(self.start.env[name], self.start)
            grown = grown or carried.templates[name] is not t
        run = LoopRun(start, end, this.head, self.head_live)
        turned = self.takes_turns(find_rotation(self.frame, carried.templates, run))
        if grown or turned:
            self.sharing = merged(
                self.sharing, first_sharing(self.frame, carried.templates, start, self.head_live)
            )
            return True
        before = self.sharing
        self.sharing = seen_sharing(self.frame, carried.templates, run, before)
        return grew(before, self.sharing)

    def other_sizes(self, written: list[Cell], end: FlowState, inside: set[Var]) -> bool:
        """Take in that objects got other sizes in a round; True if that is new."""
        wider = False
        for cell in written:
            if cell.grows:
                before = self.carried.kinds.get(cell, kind(self.start.store[cell].type))
                self.carried.kinds[cell] = unify(before, kind(end.store[cell].type, inside))
                wider = wider or self.carried.kinds[cell] != before
        return wider
