"""Views: arrays that show another one by calls of rows, each of which is undone where something is written.

y = x.T            y is x by `transpose`
y[i, j] = v        x1 = update x v  j i

z = x.reshape(-1)  z is x by `reshape`, where x lies in order
z[k] = v           x1 = update x v  k // m, k % m

z[a:b] = v         t = reshape x n * m; t1 = update t v  a b; x1 = reshape t1 n m
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from codegen.infer.values import FlowState, Ref, View
from codegen.ir import Apply, Atom, Equation, Lit, Type, Var
from codegen.ir.build import SIZE, Builder
from codegen.ir.kinds import Access, Same
from codegen.primitives.calls.subscripts import read_slice
from codegen.primitives.index import Cut, Inside, grouped

READ_ONLY = "assignment destination is read-only"


def steps_from(b: Builder, owner: Ref | View, st: FlowState, made: Atom) -> list[Any] | None:
    """The equations, just built, that show a part of `owner`, or it in another order; None where others made this. What
    shows the owner itself anew comes before them."""
    found: list[Equation] = []
    levels = levels_of(owner, st)
    for equation in reversed(b.equations):
        if made in levels:
            break
        if equation.outs == (made,):
            op = equation.op
            if not (isinstance(op, Apply) and op.primitive.views):
                return None
            found.append(equation)
            made = op.operands[0]
    return found[::-1][levels[made] :] if made in levels else None


def levels_of(value: Ref | View, st: FlowState) -> dict[Atom, int]:
    """The present contents of an array and of what it is a view of, as far as they are known, and how many views are
    between."""
    if isinstance(value, Ref):
        return {st.store[value.cell]: 0}
    below = levels_of(value.base, st)
    found = {atom: level + 1 for atom, level in below.items()}
    return found | ({value.atom: 0} if below.get(value.made.operands[0]) == 0 else {})


def view_of(b: Builder, base: Ref | View, made: Atom) -> View:
    """What the equation just built shows of a base."""
    op = b.equations[-1].op
    assert isinstance(op, Apply) and isinstance(made, Var)
    return View(base, op, made)


def shown_now(b: Builder, base: Atom, view: View) -> Atom:
    """A view's contents, now that its base holds these."""
    op = view.made
    _, *operands = op.operands
    if op.primitive.kind is Access.READ:
        made = read_slice(b, b.wrap(base), op.params["spec"], tuple(operands), view.atom.name)
    else:
        made = b.apply(op.primitive, base, *operands, name=view.atom.name, **op.params)
    return b.atom(made)


def shown_anew(b: Builder, base: Atom, view: View) -> View:
    """A view, its contents read anew."""
    made = view_of(b, view.base, shown_now(b, base, view))
    return replace(made, fixed=view.fixed, relies=view.relies, stepped=view.stepped)


def undone(b: Builder, base: Atom, view: View, contents: Atom) -> Atom:
    """What the base holds once a view of it has these contents."""
    op, name = view.made, base.name if isinstance(base, Var) else "t"
    match op.primitive.kind:
        case Access.READ:
            _, *operands = op.operands
            return b.atom(b.apply("update", base, contents, *operands, spec=op.params["spec"], name=name))
        case Same.TRANSPOSED:
            return b.atom(b.apply("transpose", contents, perm=axes_back(op.params["perm"]), name=name))
    sizes = [b.size(n) for n in base.type.shape]
    if not contents.type.rank:
        return b.atom(b.apply("full", contents, *sizes, dtype=base.type.dtype, name=name))
    return b.atom(b.apply("reshape", contents, *sizes, name=name))


def axes_back(perm: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(range(len(perm)), key=perm.__getitem__))


def written_through(b: Builder, base: Atom, view: View, contents: Atom) -> Atom:
    """As `undone`; contents that were just made by a write at places of the view are made by one at places of its
    base."""
    last = b.equations[-1] if b.equations else None
    op = last.op if last is not None and last.outs == (contents,) else None
    if not isinstance(op, Apply) or not op.primitive.writes:
        return undone(b, base, view, contents)
    shape, value, *places = op.operands
    count = len(b.equations)
    value, spec = without_new_axes(b, value, shape.type, op.params["spec"])
    found = places_in_base(b, base.type, view, shape, spec, places)
    if found is None:
        return undone(b, base, view, contents)
    spec, operands, order = found
    if value.type.rank and order != sorted(order):
        if missing := len(order) - value.type.rank:
            value = b.atom(b.apply("index", value, spec=("n",) * missing))
        value = b.atom(b.apply("transpose", value, perm=tuple(order)))
    del b.equations[count - 1]
    name = base.name if isinstance(base, Var) else "t"
    return b.atom(b.apply(op.primitive, base, value, *operands, spec=spec, name=name))


def without_new_axes(b: Builder, value: Atom, shape: Type, spec: Any) -> tuple[Atom, Any]:
    """A value written to places of a subscript, without the axes of one element that None makes there; and that."""
    slots = [token for token in spec if token != "i"]
    slots += [":"] * (shape.rank - sum(token != "n" for token in spec))
    gone = [token == "n" for token in slots][len(slots) - value.type.rank :]
    if not any(token == "n" for token in spec) or "a" in spec:
        return value, spec
    if any(gone):
        at = tuple("i" if each else ":" for each in gone)
        value = b.atom(b.apply("index", value, *(0 for each in gone if each), spec=at))
    return value, type(spec)(token for token in spec if token != "n")


Places = tuple[Any, list[Any], list[int]]


def places_in_base(
    b: Builder, base: Type, view: View, shape: Atom, spec: Any, operands: Sequence[Atom]
) -> Places | None:
    """The places of a base that are these of a view of it, and the order that the axes of what stands there have in the
    base; None where a subscript does not say them. `shape`: the view's contents."""
    if any(token in ("n", "a") for token in spec):
        return None
    along = list(zip(spec, grouped(spec, tuple(operands)), strict=True))
    along += [(":", ())] * (shape.type.rank - len(along))
    match view.made.primitive.kind:
        case Same.TRANSPOSED:
            return turned_places(view.made.params["perm"], along, type(spec))
        case Same.RESHAPED:
            return reshaped_places(b, base, shape, along, isinstance(spec, Inside))
        case Access.READ if set(row := view.made.params["spec"]) == {"i"}:
            kind = Inside if isinstance(row, Inside) and isinstance(spec, Inside) else tuple
            kept = len(along) - sum(token == "i" for token, _ in along)
            return kind((*row, *spec)), [*view.made.operands[1:], *operands], list(range(kept))
        case Access.READ if "a" in (row := view.made.params["spec"]):
            return stepped_places(b, view, shape, along)
    return None


def stepped_places(b: Builder, view: View, shape: Atom, along: list[Any]) -> Places | None:
    """Those of an array of which every k-th is shown along an axis, or the diagonal of several: all of these, or one of
    them."""
    row, lists = view.made.params["spec"], view.made.operands[1:]
    axis = row.index("a")
    tokens, given = map(list, zip(*along, strict=True))
    kept = list(range(sum(token != "i" for token in tokens)))
    if set(row) - {":", "a"} or "a" in row[axis + len(lists) :]:
        return None
    if tokens[axis] == ":" and "i" not in tokens:
        token, at = "a", [(places,) for places in lists]
    elif tokens[axis] == "i":
        token, at = "i", [(place,) for place in stepped_place(b, view, shape, axis, given[axis][0])]
    else:
        return None
    tokens[axis : axis + 1], given[axis : axis + 1] = [token] * len(lists), at
    inside = all(token == ":" for k, token in enumerate(tokens) if not axis <= k < axis + len(lists))
    return (Inside if inside else tuple)(tokens), [o for each in given for o in each], kept


def stepped_place(b: Builder, view: View, shape: Atom, axis: int, place: Atom) -> list[Atom]:
    """Where in the base is what stands at a place along the axis that such a view shows."""
    _, *lists = view.made.operands
    if view.stepped is None:
        return [b.atom(b.apply("index", places, place, spec=("i",))) for places in lists]
    b.apply("index", shape, place, spec=(":",) * axis + ("i",))  # whether it is there
    (first, step), n = view.stepped, shape.type.shape[axis]
    return [b.atom(b.wrap(first) + b.wrap(place_from_front(b, place, n)) * b.wrap(step))]


def turned_places(perm: Sequence[int], along: list[Any], kind: type) -> Places:
    """Those of an array whose axes are exchanged: the places along each axis, at the axis that it is of the base."""
    back = axes_back(perm)
    kept = [k for k, (token, _) in enumerate(along) if token != "i"]
    spec = [along[k][0] for k in back]
    while spec and spec[-1] == ":":
        spec.pop()
    return kind(spec), [o for k in back for o in along[k][1]], [kept.index(k) for k in back if k in kept]


def reshaped_places(b: Builder, base: Type, shape: Atom, along: list[Any], inside: bool) -> Places | None:
    """Those of an array in another shape: an element's, counted through; of a vector, a row's."""
    type_ = shape.type
    ints = [given[0] for token, given in along if token == "i"]
    if any(token != ":" for token, _ in along[len(ints) :]) or any(t != "i" for t, _ in along[: len(ints)]):
        return None
    left = type_.shape[len(ints) :]
    if not ints or len(left) > 1 or left and base.rank != 1:
        return None
    if not inside:
        b.apply("index", shape, *ints, spec=("i",) * len(ints))  # whether the places are there
    at = [place if inside else place_from_front(b, place, n) for place, n in zip(ints, type_.shape)]
    if not left and (found := without_ones(type_, base, at)) is not None:
        return Inside(("i",) * base.rank), found, []
    number: Any = b.wrap(at[0])
    for place, n in zip(at[1:], type_.shape[1:]):
        number = number * b.size(n) + b.wrap(place)
    if left:
        size = b.size(left[0])
        start = number * size
        return Inside((Cut(True, True),)), [b.atom(start), b.atom(start + size)], [0]
    return Inside(("i",) * base.rank), [b.atom(each) for each in places_of_number(b, number, base)], []


def places_of_number(b: Builder, number: Any, type_: Type) -> Iterator[Any]:
    """The place along each axis of the element with this number."""
    for k, n in enumerate(type_.shape):
        rest: Any = 1
        for m in type_.shape[k + 1 :]:
            rest = rest * b.size(m)
        row = number // rest if k + 1 < type_.rank else number
        yield row % b.size(n) if k else row


def without_ones(type_: Type, base: Type, at: list[Atom]) -> list[Any] | None:
    """Places of a base that is the same but for axes of one element."""
    if [n for n in type_.shape if n != 1] != [n for n in base.shape if n != 1]:
        return None
    found = iter([place for place, n in zip(at, type_.shape, strict=True) if n != 1])
    return [Lit(0, SIZE) if n == 1 else next(found) for n in base.shape]


def place_from_front(b: Builder, place: Atom, n: Any) -> Atom:
    """A place that there is along an axis of size n, counted from the front."""
    if isinstance(place, Lit) and (place.value >= 0 or isinstance(n, int)):
        return b.atom(place.value + n if place.value < 0 else place.value)
    given = b.wrap(place)
    return b.atom(b.apply("select", given < 0, given + b.size(n), given))
