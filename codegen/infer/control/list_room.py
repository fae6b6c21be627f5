"""How many items a loop may append to a list: for so many there is room before it begins.

    for v in x:                        np.empty(len(x))
        if v > 0: out.append(v)

    while stack:                       np.empty(101)
        assert len(stack) <= 100
        ...; stack.append(...)

A loop that nothing bounds, and lists in loops whose counts are known only when they begin, grow where there is no room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from codegen.infer.control.iterables import Counted, range_length
from codegen.infer.expressions import evaluate
from codegen.infer.frame import Bottom, Frame
from codegen.infer.memory.growing_lists import count_of, size_of, with_room
from codegen.infer.tables.values import OF_ARRAYS
from codegen.infer.values import Enumerate, GrowingList, Nest, Range, Ref, Reversed, Value, View, Zip
from codegen.ir import Lit
from codegen.ir.literals import range_size
from codegen.read import tree
from codegen.read.lists.kept_names import handed_over_in
from codegen.read.scope import all_statements, assigned_names, read_names, target_names
from codegen.source import SourceError

# Rows that are there before it is known that they are needed: in all, and of each iteration of a longer loop.
LARGEST_ROOM, LARGEST_SHARE = 2**22, 16
Interval = tuple[int, int]


def most_items(frame: Frame, iterable: Value) -> int | None:
    """How many items a value has at most, if that is known."""
    match iterable:
        case Range(Lit(value=start), Lit(value=stop), Lit(value=step)):
            return range_size(start, stop, step)
        case Ref() | View():
            size = frame.atom(iterable).type.shape[0]
            return size if isinstance(size, int) else None
        case GrowingList():
            size = size_of(frame, iterable)
            return size if isinstance(size, int) else None
        case Enumerate(inner, _) | Reversed(inner):
            return most_items(frame, inner)
        case Zip(inners):
            return min((n for each in inners if (n := most_items(frame, each)) is not None), default=None)
        case Nest(cls, items) if cls not in OF_ARRAYS:
            return len(items)
    return None


def reserve(
    frame: Frame, loop: tree.Loop | tree.Iterate, bounds: Counted | None, most: int | None
) -> frozenset[str]:
    """Make room before a loop for all that it appends to lists that grow already; the names of these."""
    changes = (node for node in all_statements(loop.body) if isinstance(node, tree.Change))
    reserved = []
    for name in dict.fromkeys(name for node in changes for name in node.names):
        held = frame.st.env.get(name)
        if not isinstance(held, GrowingList) or held.fixed or name in frame.reserved:
            continue
        size = size_of(frame, held)
        before = size if isinstance(size, int) else count_of(frame, held)
        more = appended_at_most(frame, loop, name, before, bounds, most)
        if more is not None:
            frame.st.env[name] = held if no_more(more) else with_room(frame, held, more)
            reserved.append(name)
    return frozenset(reserved)


def no_more(count: Any) -> bool:
    return isinstance(count, int) and count == 0


def appended_at_most(
    frame: Frame,
    loop: tree.Loop | tree.Iterate,
    name: str,
    before: Any,
    bounds: Counted | None,
    most: int | None,
) -> Any:
    """How many items a loop appends at most to a list that has at most `before`; None where nothing says so."""
    if frame.inference.list_objects and name in handed_over_in(loop):
        return None  # what a function is given has room for no more
    inside, b = InLoop(frame, loop, name), frame.b
    with inside.through(loop):
        each = inside.appended(loop.body)
    if not each:
        return each
    if bounds is not None:
        trips = range_length(b, *bounds[:3]) if most is None else most
        more = b.apply("mul", trips, each)
        few = more <= LARGEST_ROOM if isinstance(more, int) else each <= LARGEST_SHARE
        return more if few else None
    limit = inside.limit()
    return (
        None if limit is None else b.apply("add", b.apply("maximum", b.apply("sub", limit, before), 0), each)
    )


class InLoop:
    """The statements of a loop, and what is known of its ints before it begins."""

    def __init__(self, frame: Frame, loop: tree.Loop | tree.Iterate, name: str):
        self.frame, self.loop, self.name = frame, loop, name
        self.bindings = Counter(names_bound_by(loop))
        self.intervals: dict[str, Interval] = {}

    @contextmanager
    def through(self, loop: tree.Loop | tree.Iterate) -> Iterator[None]:
        """In a loop's body: between which ints its index is, if nothing else gives it a value."""
        bounds = self.range_bounds(loop.iterable) if isinstance(loop, tree.Iterate) else None
        index = loop.target.id if bounds and isinstance(loop.target, tree.Name) else ""  # type: ignore[union-attr]
        if bounds is not None and self.bindings[index] == 1:
            self.intervals[index] = bounds[0][0], max(bounds[1][1] - 1, bounds[0][0])
        yield
        self.intervals.pop(index, None)

    def appended(self, statements: Sequence[tree.Statement]) -> int | None:
        """How many items statements append at most, if that is known."""
        total = 0
        for node in statements:
            more = self.appended_by(node)
            if more is None:
                return None
            total += more
        return total

    def appended_by(self, node: tree.Statement) -> int | None:
        match node:
            case tree.Change(_, names, statement):
                return self.changed(statement) if self.name in names else 0
            case tree.Branch():
                ways = self.appended(node.then), self.appended(node.orelse)
                return None if None in ways else max(*ways)  # type: ignore[type-var]
            case tree.Try():
                parts = [self.appended(block) for block in tree.blocks_of(node)]
                return None if None in parts else sum(parts)  # type: ignore[arg-type]
            case tree.Iterate():
                with self.through(node):
                    each = self.appended(node.body)
                last = self.appended(node.orelse)
                if not each or last is None:
                    return None if each is None else last
                trips = self.trips(node.iterable)
                return None if trips is None else trips * each + last
            case tree.Loop():
                each = self.appended((*node.body, *node.orelse))
                return None if each else each
            case tree.Assign() if self.name in assigned_names((node,)):
                return None
        return 0

    def changed(self, statement: tree.Statement) -> int | None:
        match statement:
            case tree.Evaluate(_, tree.CallExpr(_, tree.Attribute(_, _, method), values)):
                if method == "extend":
                    return display_length(values[0]) if values else None
                return int(method in ("append", "insert"))
            case tree.AugAssign(_, tree.Name(), _, value):
                return display_length(value)
            case tree.Assign() if self.name in assigned_names((statement,)):
                return None
            case tree.Assign(_, targets, value) if display_length(value) != 0:
                return None if any(map(self.has_part, targets)) else 0
        return 0

    def has_part(self, target: tree.Expression) -> bool:
        """Whether items of the list from one place to another are among what is assigned to."""
        match target:
            case tree.Subscript(_, tree.Name(_, name), tree.Slice()):
                return name == self.name
            case tree.Tuple(_, items):
                return any(map(self.has_part, items))
        return False

    # ints

    def trips(self, iterable: tree.Expression) -> int | None:
        """How many items a loop in the loop goes through at most."""
        if (bounds := self.range_bounds(iterable)) is not None:
            return max(bounds[1][1] - bounds[0][0], 0)
        found: int | None = self.known(iterable, lambda value: most_items(self.frame, value))
        return found

    def range_bounds(self, iterable: tree.Expression) -> tuple[Interval, Interval] | None:
        """Between which ints a range begins, and between which it ends."""
        match iterable:
            case tree.CallExpr(_, tree.Name(_, "range"), (stop,), ()):
                last = self.interval(stop)
                return None if last is None else ((0, 0), last)
            case tree.CallExpr(_, tree.Name(_, "range"), (start, stop), ()):
                first, last = self.interval(start), self.interval(stop)
                return None if first is None or last is None else (first, last)
        return None

    def interval(self, node: tree.Expression) -> Interval | None:
        """Between which ints an expression is."""
        match node:
            case tree.Name(_, name) if name in self.intervals:
                return self.intervals[name]
            case tree.Binary(_, "+" | "-" as sign, left, right):
                x, y = self.interval(left), self.interval(right)
                if x is None or y is None:
                    return None
                return (x[0] + y[0], x[1] + y[1]) if sign == "+" else (x[0] - y[1], x[1] - y[0])
        number = self.known(node, lambda value: value.value if isinstance(value, Lit) else None)
        return (number, number) if type(number) is int else None

    def known(self, node: tree.Expression, what: Callable[[Value], Any]) -> Any:
        """What is to be known of the value of an expression, if the loop does not change it."""
        if any(self.bindings[name] for name in read_names(node)):
            return None
        frame = self.frame
        try:
            with frame.inside(frame.b.inner(), frame.st.copy()):
                return what(evaluate(frame, node))
        except (SourceError, Bottom):
            return None

    # limits

    def limit(self) -> Any:
        """How long a list is at most where a while begins another iteration, as its test or an assert in it says."""
        tests = [self.loop.test] if isinstance(self.loop, tree.Loop) else []
        if not any(isinstance(node, tree.Continue) for node in all_statements(self.loop.body)):
            tests += [node.test for node in self.loop.body if isinstance(node, tree.Assert)]
        for test in (part for each in tests for part in conjuncts(each)):
            match test:
                case tree.Compare(
                    _, tree.CallExpr(_, tree.Name(_, "len"), (tree.Name(_, name),)), ((sign, most),)
                ):
                    pass
                case _:
                    continue
            if (
                name == self.name
                and sign in ("<", "<=")
                and not any(map(self.bindings.get, read_names(most)))
            ):
                found = self.frame.give(evaluate(self.frame, most))
                return self.frame.b.apply("sub", found, 1) if sign == "<" else found
        return None


def names_bound_by(loop: tree.Loop | tree.Iterate) -> Iterator[str]:
    """The names that a loop gives values to, each as often as it is written there."""
    for node in all_statements((loop,)):
        match node:
            case tree.Loop() | tree.Branch() | tree.Try():
                continue
            case tree.Iterate():
                yield from target_names(node.target)
            case _:
                yield from assigned_names((node,))


def conjuncts(test: tree.Expression) -> Iterator[tree.Expression]:
    if isinstance(test, tree.Logical) and test.operator == "and":
        for each in test.values:
            yield from conjuncts(each)
    else:
        yield test


def display_length(node: tree.Expression) -> int | None:
    """How many items a display has."""
    if not isinstance(node, tree.Tuple) or any(isinstance(item, tree.Starred) for item in node.items):
        return None
    return len(node.items)
