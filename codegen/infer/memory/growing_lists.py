"""Lists whose length is known when the program runs: buffers, of which so many rows are the items.

    out = []                             out, count = np.empty(n), 0
    for v in x:                          for v in x:
        if v > 0:              ->            if v > 0:
            out.append(v)                        out[count], count = v, count + 1
    return np.array(out)                 return out[:count].copy()

A list is known item by item until lists of two lengths meet: at the end of a branch, or of an iteration. Its items then
have one form: numbers of one kind, arrays of one shape, or tuples of such. Appending to it binds its name to a list of
new buffers; who has the old one sees no change. An array in it is a copy of what was appended: neither may be written
as long as both are there.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, is_dataclass, replace
from itertools import chain
from typing import Any

from codegen.analysis.definitions import hangs_on
from codegen.infer.frame import Frame
from codegen.infer.kinds import Differ, Kind, Open, as_kind, kind, unify
from codegen.infer.memory import buffers
from codegen.infer.memory.aliases import reachable_cells
from codegen.infer.objects.assigned import wanting_rows
from codegen.infer.objects.field import AssignedField
from codegen.infer.objects.held import AnyField
from codegen.infer.optional import may_be_none
from codegen.infer.texts.known_texts import as_item_of, is_known_letter, is_letter, members
from codegen.infer.values import (
    Cell,
    GrowingList,
    Nest,
    Ref,
    Value,
    View,
    Wording,
    leaves,
    rebuild,
    same_static,
)
from codegen.ir import Atom, Lit, Var
from codegen.ir.buffers import with_rows_for
from codegen.ir.literals import name_of

# What an item is made of: a Kind in place of each number and array, and what is known as it is.
Form = Any
KindOf = Callable[[Any], Form]
ITEM = "it is an item of a list whose length is not known"
OF_OBJECTS = "a list of as many objects as is known when the program runs, to whose fields is assigned"
UNLIKE_SIZES = "a list of arrays whose sizes are not known to be equal"


class LengthsDiffer(Exception):
    """A list would get a length that is known only when the program runs."""


def is_list(value: object) -> bool:
    return isinstance(value, GrowingList) or isinstance(value, Nest) and value.cls is list


# ---- forms ----


def kinds_in(frame: Frame, inside: Container[Var] = ()) -> KindOf:
    """The kinds of numbers and arrays; sizes bound `inside` a block are open."""

    def part(leaf: Value) -> Any:
        if isinstance(leaf, Var | Lit | Ref | View):
            return kind(frame.atom(leaf).type, inside)
        return leaf

    return part


def form_of(item: Value, kind_of: KindOf) -> Form:
    """The form of an item."""
    if any(isinstance(each, GrowingList) for each in item_parts(item)):
        differ = differing("a list of lists whose lengths are not known (append np.array of them)", item)
        differ.of_lists = True
        raise differ
    if any(isinstance(each, Wording) for each in item_parts(item)):
        raise Differ("a list of texts that are put together when the program runs")
    if may_be_none(item):
        raise differing("a list of items that may be None", item)
    return rebuild(item, kind_of)


def item_parts(item: Value) -> Iterator[Value]:
    yield item
    if isinstance(item, Nest):
        for each in item.items:
            yield from item_parts(each)


def class_of_objects(form: Form) -> Any:
    """The class of an object in a form to whose fields is assigned."""
    found = (part for part in item_parts(form) if isinstance(part, AssignedField | AnyField))
    return next((part.of if isinstance(part, AssignedField) else part.owner for part in found), None)


def differing(message: str, *forms: Form) -> Differ:
    """What is raised for items that are no rows of arrays; objects of a class of the user's could be."""
    cls = next((each for form in forms if (each := class_of_records(form)) is not None), None)
    return Differ(message) if cls is None else wanting_rows(message, cls)


def class_of_records(form: Form) -> Any:
    """The class of an object of the user's in a form, of those that hold more than numbers the innermost."""
    found = [p.cls for p in item_parts(form) if isinstance(p, Nest) and p.keys and is_dataclass(p.cls)]
    return found[-1] if found else None


def form_of_list(value: Value, kind_of: KindOf) -> Form | None:
    """The form of all items of a list; None of a list without any."""
    if isinstance(value, GrowingList):
        python = iter(value.python)

        def row(leaf: Any) -> Any:
            found = kind_of(leaf)
            return Kind(found.dtype, found.dims[1:], next(python)) if isinstance(found, Kind) else found

        return rebuild(value.rows, row)
    assert isinstance(value, Nest)
    return united([form_of(item, kind_of) for item in value.items])


def united(forms: list[Form]) -> Form | None:
    found = forms[0] if forms else None
    for each in forms[1:]:
        found = unify_forms(found, each)
    return found


def unify_forms(x: Form, y: Form) -> Form:
    """The form of what has either of two, None of no item. Raises Differ."""
    if x is None or y is None:
        return y if x is None else x
    for part in (x, y):
        if (cls := class_of_objects(part)) is not None:
            raise wanting_rows(OF_OBJECTS, cls)
    for one, other in ((x, y), (y, x)):
        if is_letter(one) and is_known_letter(other):
            return one
    if (enum := members(x)) is not None and not same_static(x, y) and members(y) is enum:
        return Nest(enum, (Kind("i8", (), True),))  # type: ignore[arg-type]
    match x, y:
        case Kind(), Kind() if x.dims and x.weak != y.weak:
            raise Differ("a list of lists and of arrays")
        case Kind(), Kind():
            return unify_rows(x, y)
        case Nest(), Nest() if x.like(y):
            return x.with_items(tuple(unify_forms(a, b) for a, b in zip(x.items, y.items, strict=True)))
        case (Kind() | Nest(), _) | (_, Kind() | Nest()):
            differ = differing("a list of items that are made in more than one way", x, y)
            differ.of_lists = all(isinstance(form, Nest) and form.cls is list for form in (x, y))
            raise differ
    if x is y or same_static(x, y):
        return x
    raise differing("a list of items that are no numbers or arrays", x, y)


def unify_rows(x: Kind, y: Kind) -> Kind:
    """The kind of rows of both: a size that is known where the other is one of the running program, which is compared
    as it is put there."""
    made = unify(x, y)
    pairs = zip(x.dims, y.dims, made.dims, strict=True)
    return replace(made, dims=tuple(the_known(n, m) or found for n, m, found in pairs))


def the_known(n: Any, m: Any) -> int | None:
    sizes = [each for each in (n, m) if isinstance(each, int)]
    return sizes[0] if len(sizes) == 1 and isinstance(n, int | Var) and isinstance(m, int | Var) else None


def part_kinds(form: Form | None) -> list[Kind]:
    """The kinds in a form, one for each buffer."""
    parts: list[Any] = list(leaves(form))
    return [part for part in parts if isinstance(part, Kind)]


def check_form(form: Form | None) -> None:
    """Raise Differ where buffers hold no items of a form."""
    kinds = part_kinds(form)
    if (cls := class_of_objects(form)) is not None:
        raise wanting_rows(OF_OBJECTS, cls)
    if not kinds or "rng" in [k.dtype for k in kinds]:
        raise differing("a list of items that are no numbers or arrays", form)
    if any(isinstance(n, Open) for k in kinds for n in k.dims):
        raise Differ(UNLIKE_SIZES)


# ---- lists of a form ----


def growing(frame: Frame, value: Value, form: Form, name: str, room: Any = 0) -> GrowingList:
    """A list as one that grows, of items of a form, with room for so many in all."""
    check_form(form)
    if isinstance(value, GrowingList):
        made = of_form(frame, value, form)
        size = size_of(frame, made)
        if value.fixed and value.grows:
            raise Differ("a list that gets longer where other names may have it, and another list")
        if value.fixed and made is not value:
            raise Differ(f"a list of {words_of(value, frame)} that keep their kind, and of others")
        few = isinstance(size, int) and isinstance(room, int) and size < room and not value.fixed
        return with_room(frame, made, room - size) if few else made
    if frame.known_lengths:
        raise LengthsDiffer
    assert isinstance(value, Nest)
    b = frame.b
    known = isinstance(room, int)
    size = max(len(value.items), room) if known else b.apply("maximum", room, len(value.items))

    def column(part: Form, items: list[Any], label: str) -> Any:
        match part:
            case Kind():
                made = buffers.made(b, size, part, label)
                for k, item in enumerate(items):
                    row = b.wrap(as_kind(b, frame.atom(item), part))
                    made = buffers.with_row(b, made.atom, k, row)
                return buffer_of(frame, made.atom, items)
            case Nest():
                columns = (
                    zip(*(item.items for item in items), strict=True) if items else [()] * len(part.items)
                )
                named = zip(part.named(label), columns, strict=True)
                return part.with_items(tuple(column(p, list(each), at) for (at, p), each in named))
        return part

    made = column(form, [as_item_of(form, item) for item in value.items], name)
    return GrowingList.of(b.atom(len(value.items)), made, python_parts(form))


def words_of(value: GrowingList, frame: Frame) -> str:
    """What the items of a list are, in the user's words."""
    words = {"f8": "floats", "i8": "ints", "b1": "bools"}
    dtypes = {frame.atom(leaf).type.dtype for leaf in leaves(value.rows) if isinstance(leaf, Ref | View)}
    return words.get(dtypes.pop(), "numbers") if len(dtypes) == 1 else "numbers"


def holds_lists(frame: Frame, value: GrowingList) -> bool:
    """Whether the items are lists, rows of an array."""
    parts = [leaf for leaf in leaves(value.rows) if isinstance(leaf, Ref | View)]
    return any(
        (python or value.fixed) and frame.atom(leaf).type.rank > 1
        for leaf, python in zip(parts, value.python, strict=True)
    )


def copied(frame: Frame, value: Value) -> Any:
    """A list of its own with the items of another."""
    if not isinstance(value, GrowingList) or not value.fixed:
        return value
    return with_buffers(frame, value, frame.atom)


def python_parts(form: Form) -> tuple[bool, ...]:
    return tuple(k.weak for k in part_kinds(form))


def buffer_of(frame: Frame, atom: Atom, items: list[Value], before: Ref | View | None = None) -> Ref:
    """A buffer as an object: it may hold the arrays that were appended."""
    bases = before.cell.bases if isinstance(before, Ref) else ()
    cell = Cell(name_of(atom), shared=ITEM, bases=bases)
    held = {cell: None for item in items for cell in reachable_cells(item) if cell in frame.st.store}
    cell.bases += tuple((each, frame.st.store[each]) for each in held)
    frame.st.store[cell] = atom
    return Ref(cell)


def of_form(frame: Frame, value: GrowingList, form: Form) -> GrowingList:
    """A list with its items cast to another form."""
    held = [frame.atom(leaf).type.dtype for leaf in leaves(value.rows) if isinstance(leaf, Ref | View)]
    listed = part_kinds(form)
    if held == [k.dtype for k in listed] and value.python == python_parts(form):
        return value
    kinds = iter(listed)

    def cast(leaf: Value) -> Value:
        if not isinstance(leaf, Ref | View):
            return leaf
        wanted, atom = next(kinds), frame.atom(leaf)
        if atom.type.dtype == wanted.dtype:
            return leaf
        rows = replace(wanted, dims=atom.type.shape, weak=False)
        return buffer_of(frame, as_kind(frame.b, atom, rows), [], leaf)

    return GrowingList.of(frame.atom(value.count), rebuild(value.rows, cast), python_parts(form))


def count_of(frame: Frame, value: GrowingList) -> Any:
    """How many items there are."""
    return frame.b.wrap(frame.atom(value.count))


def size_of(frame: Frame, value: GrowingList) -> Any:
    """How many items there is room for."""
    return next(frame.atom(leaf).type.shape[0] for leaf in leaves(value.rows) if isinstance(leaf, Ref | View))


def with_room(frame: Frame, value: GrowingList, more: Any) -> GrowingList:
    """A list with room for more items than it has."""
    held = [leaf for leaf in leaves(value.rows) if isinstance(leaf, Ref | View)]
    atoms = [frame.atom(leaf) for leaf in held]
    count = count_of(frame, value)
    made = iter(with_rows_for(frame.b, atoms, count, more, known=not value.grows))
    return with_buffers(frame, value, lambda leaf: next(made))


def with_buffers(
    frame: Frame, value: GrowingList, make: Callable[[Any], Atom], count: Any = None, items: Any = ()
) -> GrowingList:
    """A list with other buffers in place of its own, of which so many rows are in use; it may hold the `items`."""

    given = [*items]
    if value.fixed and holds_lists(frame, value):
        if not all(value.python):
            raise frame.refusal(
                "a list of lists of NumPy's numbers is not copied or joined: make an array of it"
            )
        given += leaves(value.rows)

    def part(leaf: Value) -> Value:
        return buffer_of(frame, make(leaf), given, leaf) if isinstance(leaf, Ref | View) else leaf

    number = frame.atom(value.count) if count is None else frame.b.atom(count)
    return GrowingList.of(number, rebuild(value.rows, part), value.python)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A list, and the parts of an item that goes into it, in the kinds of its buffers."""

    value: GrowingList
    parts: list[Any]


def fitted(frame: Frame, value: GrowingList, item: Value) -> Fitted:
    """A list that an item goes into: of a form that holds both. Raises Differ."""
    item = as_item_of(value.rows, item)
    kinds_of = kinds_in(frame)
    form = unify_forms(form_of_list(value, kinds_of), in_sizes(frame, value, form_of(item, kinds_of)))
    check_form(form)
    value = of_form(frame, value, form)
    kinds = part_kinds(form)
    given = [frame.atom(leaf) for leaf in leaves(item) if isinstance(leaf, Var | Lit | Ref | View)]
    parts = [frame.b.wrap(as_kind(frame.b, atom, k)) for atom, k in zip(given, kinds, strict=True)]
    return Fitted(value, parts)


def changes(frame: Frame, size: Var) -> bool:
    """Whether a size may be another one in the next iteration of a loop."""
    around = chain.from_iterable(b.equations for b in (*frame.around, frame.b))
    return bool(frame.inference.changing) and hangs_on(around, size, frame.inference.changing)


def in_sizes(frame: Frame, value: GrowingList, form: Form) -> Form:
    """The form of an item, whose arrays must have the sizes of those in the list, which is seen when it runs."""
    rows = iter(
        [frame.atom(leaf).type.shape[1:] for leaf in leaves(value.rows) if isinstance(leaf, Ref | View)]
    )

    def part(leaf: Any) -> Any:
        dims = next(rows, None) if isinstance(leaf, Kind) else None
        if dims is None or len(dims) != len(leaf.dims):
            return leaf
        for n, m in zip(leaf.dims, dims, strict=True):
            if isinstance(n, int) and isinstance(m, int) and n != m:
                raise Differ("a list of arrays that differ in size")
            if isinstance(m, int) and isinstance(n, Var) and changes(frame, n):
                raise Differ(UNLIKE_SIZES)
            frame.b.same_size(n, m, "arrays in a list that grows must have one shape")
        return replace(leaf, dims=dims)

    return rebuild(form, part)
