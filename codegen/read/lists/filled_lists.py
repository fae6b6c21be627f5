"""Lists of None that are filled from the first place to the last, as lists that get longer.

with_filled : Define -> Define

    ys = [None] * n                        ys = []
    for i in range(n):             ->      for i in range(n):
        ys[i] = sin(x[i])                      ys.append(sin(x[i]))

Nobody sees a None in such a list. In the loop that fills it items before the one that is written may be read, as
`ys[i - 1]`, where the first ones were written one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace

from codegen.read import tree
from codegen.read.lists.kept_names import handed_over_in
from codegen.read.lists.owned_lists import changed_names
from codegen.read.scope import Node, all_statements, assigned_names, free_names, parts_of, read_names
from codegen.source import Span

LATE = "list assignment index out of range"
Block = tuple[tree.Statement, ...]


def with_filled(define: tree.Define) -> tree.Define:
    """The function, and those in it, with such lists appended to."""
    return replace(define, body=filled_in(define.body, frozenset(read_by_functions(define.body))))


def filled_in(block: Block, captured: frozenset[str]) -> Block:
    """A block, in which names in `captured` are read by functions that may be called meanwhile."""
    made = [with_filled_blocks(node, captured) for node in block]
    for k in range(len(made)):
        found = empty_list(made[k])
        if found is None or found.name in captured:
            continue
        if (rest := found.appended(tuple(made[k + 1 :]))) is not None:
            made[k:] = [found.start, *rest]
    return tuple(made)


def with_filled_blocks(node: tree.Statement, captured: frozenset[str]) -> tree.Statement:
    def within(block: Block) -> Block:
        return filled_in(block, captured)

    match node:
        case tree.Define():
            return with_filled(node)
        case tree.Branch():
            return replace(node, then=within(node.then), orelse=within(node.orelse))
        case tree.Loop() | tree.Iterate():
            return replace(node, body=within(node.body), orelse=within(node.orelse))
    return node


def read_by_functions(nodes: Iterable[Node]) -> Iterator[str]:
    """The names around functions that these read."""
    for node in nodes:
        if isinstance(node, tree.Define | tree.Lambda):
            yield from free_names(node)
        yield from read_by_functions(parts_of(node))


@dataclass(frozen=True)
class EmptyList:
    """`name = [None] * count`, at a statement."""

    name: str
    count: tree.Expression
    made: tree.Assign

    @property
    def start(self) -> tree.Statement:
        return replace(self.made, value=tree.Tuple(self.made.value.span, (), True))

    def appended(self, rest: Block) -> list[tree.Statement] | None:
        """What follows, with items appended where they are written; None unless all are, in their order."""
        made: list[tree.Statement] = []
        written = 0
        for k, node in enumerate(rest):
            if not self.mentioned(node):
                if not self.unchanged(node):
                    return None
                made.append(node)
            elif (value := self.written_at(node, written)) is not None:
                made += [self.checked(node.span, written), self.append(node.span, value)]
                written += 1
            else:
                loop = self.filling(node, written)
                return None if loop is None else [*made, loop, *rest[k + 1 :]]
        return None

    def mentioned(self, node: tree.Statement) -> bool:
        return self.name in (*read_names(node), *assigned_names((node,)))

    def unchanged(self, node: tree.Statement) -> bool:
        """Whether a statement leaves the count as it is, and the list of which it may be the length."""
        changes = (name for each in all_statements((node,)) for name in changed_names(each))
        held = {*sized_in(self.count)}.isdisjoint((*changes, *handed_over_in(node)))
        return held and {*read_names(self.count)}.isdisjoint(assigned_names((node,)))

    def written_at(self, node: tree.Statement, place: int) -> tree.Expression | None:
        """The value in `name[place] = value`, whose own items are there."""
        match node:
            case tree.Assign(
                _, (tree.Subscript(_, tree.Name(_, name), tree.Constant(_, int() as at)),), value
            ):
                if (
                    name == self.name
                    and at == place
                    and all(is_before(each, place) for each in self.places(value))
                ):
                    return value
        return None

    def places(self, node: Node) -> Iterator[tree.Expression | None]:
        """The indices at which the list is read, None where it is there in another way."""
        match node:
            case tree.Subscript(_, tree.Name(_, name), index) if name == self.name:
                yield index
                yield from self.places(index)
                return
            case tree.Name(_, name) if name == self.name:
                yield None
        for part in parts_of(node):
            yield from self.places(part)

    def filling(self, node: tree.Statement, written: int) -> tree.Iterate | None:
        """A loop over all places that are left, with the item appended that it writes at its index."""
        if not isinstance(node, tree.Iterate) or node.orelse or not self.unchanged(node):
            return None
        index = self.index(node, written)
        if index is None or index in assigned_names(node.body) or has_exits(node.body):
            return None
        for k, each in enumerate(node.body):
            match each:
                case tree.Assign(span, (tree.Subscript(_, tree.Name(_, name), tree.Name(_, at)),), value) if (
                    name,
                    at,
                ) == (self.name, index):
                    before, after = (*node.body[:k], value), node.body[k + 1 :]
                    if self.reads(before, index, written) and self.reads(after, index, written, now=True):
                        return replace(node, body=(*node.body[:k], self.append(span, value), *after))
                    return None
        return None

    def index(self, node: tree.Iterate, written: int) -> str | None:
        """The name of a loop's index, if that goes from the number of items `written` to the last place."""
        first = tree.Constant(node.span, written)
        match node.target, node.iterable:
            case tree.Name(_, index), tree.CallExpr(_, tree.Name(_, "range"), (stop,), ()) if not written:
                return index if have_same_text(stop, self.count) else None
            case tree.Name(_, index), tree.CallExpr(_, tree.Name(_, "range"), (start, stop), ()):
                return index if have_same_text(stop, self.count) and have_same_text(start, first) else None
            case (
                tree.Tuple(_, (tree.Name(_, index), _)),
                tree.CallExpr(_, tree.Name(_, "enumerate"), (through,), ()),
            ) if not written:
                size = tree.CallExpr(node.span, tree.Name(node.span, "len"), (through,))
                return index if have_same_text(size, self.count) else None
        return None

    def reads(self, nodes: tuple[Node, ...], index: str, written: int, *, now: bool = False) -> bool:
        """Whether items are read that are there: up to as many places before the index as were `written` before."""
        found = (place for node in nodes for place in self.places(node))
        return all(is_behind(place, index, written) or now and is_name(place, index) for place in found)

    def checked(self, span: Span, place: int) -> tree.Statement:
        """IndexError where there is no such place."""
        late = tree.CallExpr(span, tree.Constant(span, IndexError), (tree.Constant(span, LATE),))
        test = tree.Compare(span, self.count, (("<=", tree.Constant(span, place)),))
        return tree.Branch(span, test, (tree.Raise(span, late),), ())

    def append(self, span: Span, value: tree.Expression) -> tree.Statement:
        return tree.Evaluate(
            span, tree.CallExpr(span, tree.Attribute(span, tree.Name(span, self.name), "append"), (value,))
        )


def empty_list(node: tree.Statement) -> EmptyList | None:
    match node:
        case tree.Assign(_, (tree.Name(_, name),), tree.Binary(_, "*", left, right)):
            for one, count in ((left, right), (right, left)):
                if is_one_none(one) and is_plain_count(count):
                    return EmptyList(name, count, node)
        case tree.Assign(
            _,
            (tree.Name(_, name),),
            tree.Comprehension(_, tree.Constant(_, None), (tree.Clause(_, tree.Name(), over, ()),), False),
        ):
            match over:
                case tree.CallExpr(_, tree.Name(_, "range"), (count,), ()) if is_plain_count(count):
                    return EmptyList(name, count, node)
    return None


def is_one_none(node: tree.Expression) -> bool:
    match node:
        case tree.Tuple(_, (tree.Constant(_, None),), True):
            return True
    return False


def is_plain_count(node: tree.Expression) -> bool:
    """Whether a count is made of names, numbers and sizes, and is the same each time."""
    match node:
        case tree.Name() | tree.Constant(_, int()):
            return True
        case tree.Binary(_, "+" | "-" | "*" | "//", left, right):
            return is_plain_count(left) and is_plain_count(right)
        case tree.CallExpr(_, tree.Name(_, "len"), (tree.Name(),), ()):
            return True
        case tree.Subscript(_, tree.Attribute(_, tree.Name(), "shape"), tree.Constant(_, int())):
            return True
    return False


def sized_in(count: Node) -> Iterator[str]:
    """The names whose lengths are in a count."""
    match count:
        case tree.CallExpr(_, tree.Name(_, "len"), (tree.Name(_, name),), ()):
            yield name
    for part in parts_of(count):
        yield from sized_in(part)


def have_same_text(a: object, b: object) -> bool:
    """Whether two expressions have the same text."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(have_same_text, a, b))
    if type(a) is not type(b) or not isinstance(a, tree.Node):
        return type(a) is type(b) and a == b
    names = [part.name for part in fields(a) if part.name != "span"]
    return all(have_same_text(getattr(a, name), getattr(b, name)) for name in names)


def is_before(place: tree.Expression | None, count: int) -> bool:
    return isinstance(place, tree.Constant) and isinstance(place.value, int) and 0 <= place.value < count


def is_behind(place: tree.Expression | None, index: str, most: int) -> bool:
    match place:
        case tree.Binary(_, "-", tree.Name(_, name), tree.Constant(_, int() as back)):
            return name == index and 1 <= back <= most
    return is_before(place, most)


def is_name(place: tree.Expression | None, name: str) -> bool:
    return isinstance(place, tree.Name) and place.id == name


def has_exits(body: Block) -> bool:
    """Whether an iteration may end early, or be the last one, and the program go on."""
    return any(
        isinstance(node, tree.Break | tree.Continue | tree.Try | tree.Delete) for node in all_statements(body)
    )
