"""Places in lists of arrays that hang on the index of a loop: it is written out, so that they are known.

    for i in range(len(p)):                            x = tanh(x @ p[0][0] + p[0][1])
        x = tanh(x @ p[i][0] + p[i][1])      ->        x = tanh(x @ p[1][0] + p[1][1])

Such arrays may differ in size, and which one is meant would have to be asked in each iteration. Numbers are in an
array, which is read at any place.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from codegen.analysis.definitions import applied
from codegen.infer.dependencies import note_attribute
from codegen.infer.frame import Frame
from codegen.infer.objects.assigned import users_class
from codegen.infer.objects.field import AssignedField
from codegen.infer.optional import is_none, may_be_none
from codegen.infer.values import GrowingList, Nest, Ref, Static, Value, View, keys_of
from codegen.ir import Atom, Lit, Var
from codegen.ir.build import E
from codegen.read.tree import Iterate


class ToBeWrittenOut(Exception):
    """A loop of few iterations reads a list of arrays at places that are known once it is written out."""

    def __init__(self, loop: Iterate):
        self.loop = loop


def want_known(frame: Frame, nest: Nest, index: E, *written: Value) -> None:
    """Have the outermost loop written out that the place of an array hangs on, if it hangs on such loops alone; and of
    what may be None. `written`: what is to be there."""
    if not frame.counters or not any(
        holds_arrays(v) or is_none(v) or may_be_none(v) for v in (*nest.items, *written)
    ):
        return
    behind = counters_behind(frame, index.atom)
    if behind:
        raise ToBeWrittenOut(next(loop for counter, loop in frame.counters.items() if counter in behind))


def by_fields(frame: Frame, nest: Nest) -> Nest:
    """A list of dataclasses and named tuples around the program, by what their fields are."""
    objects = [item for item in nest.items if isinstance(item, Nest) and is_assigned_to(item)]
    if objects or is_assigned_to(nest):
        error = frame.refusal(
            "objects whose fields are assigned to are found in a list at places that are known: "
            "make an array of each field"
        )
        error.wants_rows = (users_class(objects[0].cls), {}) if objects else None
        raise error

    def fields(item: Value) -> Value:
        if not isinstance(item, Static) or (keys := keys_of(type(item.value))) is None:
            return item
        found = {key: getattr(item.value, key) for key in keys}
        for key, held in found.items():
            note_attribute(item.value, key, held)
        return Nest(type(item.value), tuple(frame.constant(held, key) for key, held in found.items()), keys)

    return nest.with_items(tuple(map(fields, nest.items)))


def is_assigned_to(nest: Nest) -> bool:
    return any(isinstance(item, AssignedField) for item in nest.items)


def holds_arrays(value: Value) -> bool:
    match value:
        case Ref() | View() | GrowingList():
            return True
        case Nest():
            return any(map(holds_arrays, value.items))
    return False


def are_of_other_sizes(frame: Frame, items: Sequence[Value]) -> bool:
    """Whether values are arrays of one dtype and rank that may have different sizes."""
    found = {frame.atom(item).type for item in items if isinstance(item, Ref | View)}
    shapes, kinds = ({t.shape for t in found}, {(t.dtype, t.rank) for t in found})
    return len(shapes) > 1 and len(kinds) == 1 and all(isinstance(item, Ref | View) for item in items)


def counters_behind(frame: Frame, atom: Atom) -> set[Var] | None:
    """The indices of loops of few iterations that a number is computed from; None where it hangs on more."""
    made = applied(chain.from_iterable(b.equations for b in (*frame.around, frame.b)))
    found: set[Var] = set()
    todo, met = [atom], set[Atom]()
    while todo:
        atom = todo.pop()
        if isinstance(atom, Lit) or atom in met:
            continue
        met.add(atom)
        if atom in frame.counters:
            found.add(atom)
            continue
        if atom not in made:
            return None
        todo += made[atom].operands
    return found
