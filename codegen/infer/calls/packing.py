"""Arguments across a call: a caller's values to a callee's parameters, and its results back.

f(x, (q, p), rng)      x, q, p, rng flattened to operands; the callee has a parameter for each;
                       what it writes comes back behind its own results
"""

from __future__ import annotations

from typing import Any

from codegen.analysis.equal_sizes import is_count
from codegen.infer.calls.held_values import with_held
from codegen.infer.calls.results import (
    Given,
    GivenField,
    GivenInt,
    MadeField,
    Result,
    Shown,
    Summary,
    argument_sizes,
    result_names,
    says_as_much,
    type_at_call,
)
from codegen.infer.calls.returned_functions import as_functions
from codegen.infer.frame import Frame
from codegen.infer.layout import lies_in_order, root_of
from codegen.infer.memory.aliases import GIVEN_BACK, reachable_cells, whole_list
from codegen.infer.memory.growing_objects import with_counts
from codegen.infer.memory.views import shown_anew
from codegen.infer.objects.field import AssignedField, shown_name
from codegen.infer.objects.fields import new_name, value_to_give
from codegen.infer.objects.placed import FieldLists
from codegen.infer.values import (
    FALSE,
    Cell,
    Closure,
    Enumerate,
    FlowState,
    GrowingList,
    Method,
    Nest,
    Partial,
    Product,
    Range,
    Ref,
    Reversed,
    Static,
    Unbound,
    Value,
    View,
    Wording,
    Zip,
    cell_of,
    rebuild,
)
from codegen.ir import Apply, Atom, Call, Function, Lit, Type, Var
from codegen.ir.broadcasting import LEAST, MANY, least
from codegen.ir.build import SIZE
from codegen.simplify.inline import inlined_body


class Packing:
    """Flattens values into operands; `key` identifies their kinds, `pack` gives the callee's view of them.

    `known`: literals of these classes stay constants in the callee instead of becoming parameters. Inside a nest a flag
    is data, not a setting, and Python's floats in a named tuple or dataclass arrive as NumPy's where the program has
    met no narrower dtypes, among which they would be others: one function then serves the first state and all later
    ones. (A main function is called from Python: there they stay what they are.) `apart`: arrays that share memory are
    taken for arrays that do not, which is right where none of them is written (`is_for`).
    """

    def __init__(self, frame: Frame, known: tuple[type, ...] = (bool,), *, apart: bool = False):
        self.frame, self.known, self.apart = frame, known, apart
        self.in_state = False
        self.operands: list[Atom] = []
        self.params: list[Var] = []
        self.objects: list[Ref | View] = []
        self.inner: list[Cell] = []
        self.cells: dict[Cell, int] = {}
        self.together: set[int] = set()
        self.closures: dict[int, tuple[int, Closure]] = {}
        self.sizes: dict[Var, Var] = {}
        self.fields: dict[AssignedField, AssignedField] = {}
        self.state = FlowState()
        self.key: list[Any] = []
        self.is_checked = False  # whether its relations are found out by checks, as nobody has asked before
        self.alive: list[Any] = []
        self.rows: dict[Any, Any] = {}  # of classes whose objects are rows

    @property
    def relations(self) -> list[tuple[Var, Var, int]]:
        """The sizes and ints of the callee that are a size and so many more, as the caller's are; by sizes before.
        None by a part that may have ended at 0."""
        meets = self.frame.inference.meets
        found: list[tuple[Var, Var, int]] = []
        first: dict[Var, tuple[Var, int]] = {}
        pairs = [*self.sizes.items()] if meets.related else []
        pairs += [
            (o, p) for o, p in zip(self.operands, self.params) if pairs and isinstance(o, Var) and is_count(o)
        ]
        for outer, inner in pairs:
            if (of := meets.relation(outer)) is not None and (of[0] in first or -of[1] <= least(of[0])):
                base, more = first.setdefault(of[0], (inner, of[1]))
                found += [(inner, base, of[1] - more)] if base is not inner else []
        return found

    def pack_all(self, values: dict[str, Value]) -> dict[str, Value]:
        return {name: self.pack(value, name) for name, value in values.items()}

    def pack_rows(self) -> None:
        """The callee has the rows of objects that its caller has."""
        for of, rows in self.frame.rows.items():
            name = f"{of.cls.__name__}_{of.key}" if isinstance(of, FieldLists) else of.__name__
            self.rows[of] = self.pack(rows, name.lower())

    def pack(self, value: Value, name: str) -> Value:
        """The callee's value for one of the caller's."""
        match value:
            case Nest(cls, items, keys):
                self.key.append((cls, keys, len(items), getattr(value, "default", None)))
                outside = self.known, self.in_state
                self.known = () if self.known == (bool,) else self.known
                self.in_state = cls not in (list, tuple, dict, complex) and int not in self.known
                inner = value.with_items(tuple(self.pack(v, label) for label, v in value.named(name)))
                self.known, self.in_state = outside
                return inner
            case GrowingList(parts, python, fixed, grows):
                self.key.append(("list", python, fixed, grows))
                if fixed and not grows:
                    return whole_list(self.pack(value.rows, name), python, self.state)
                return value.with_parts(self.pack(parts, name))
            case Wording(said, parts):
                self.key.append(("text", said))
                return value.with_parts(self.pack(parts, name))
            case Lit() if type(value.value) in self.known:
                self.key.append(("lit", type(value.value), value.value, value.type))
                return value
            case Var() | Lit():
                return self.param(value, name)
            case Ref() | View():
                return self.array(value, name)
            case AssignedField():
                return self.field(value, name)
            case Static(obj):
                self.key.append(("static", obj if isinstance(obj, str) else id(obj)))
                self.alive.append(obj)
                return value
            case Closure():
                return self.closure(value)
            case Partial(function, arguments, keywords):
                self.key.append(("partial", len(arguments), tuple(keywords)))
                packed = tuple(self.pack(v, f"{name}_{k}") for k, v in enumerate(arguments))
                return Partial(self.pack(function, name), packed, self.pack_all(keywords))
            case Unbound(_, inner) if inner is not None:
                return self.pack(inner, name)
            case Range() | Enumerate() | Zip() | Reversed() | Product() | Method():
                known, self.known = self.known, (bool, int, float)
                facts, held = with_held(value, lambda part: self.pack(part, name))
                self.key.append(facts)
                self.known = known
                return held
        self.key.append("nothing")
        return value

    def param(self, atom: Atom, name: str) -> Var:
        """A parameter for an operand; sizes that are not known become the callee's own."""
        shape: list[Any] = []
        kinds: list[Any] = []
        for n in atom.type.shape:
            if isinstance(n, Var):
                own = self.sizes.setdefault(n, Var(n.name, SIZE))
                LEAST[own] = next(k for k in (MANY, 2, 0) if least(n) >= k)
                shape.append(own)
                kinds.append(("size", list(self.sizes).index(n), LEAST[own]))
            else:
                shape.append(n)
                kinds.append(n)
        inference = self.frame.inference
        inference.is_narrow |= atom.type.dtype not in ("f8", "i8", "b1", "rng")
        weak = atom.type.weak and not (self.in_state and atom.type.is_float and not inference.is_narrow)
        self.key.append((atom.type.dtype, weak, tuple(kinds)))
        var = Var(name, Type(atom.type.dtype, tuple(shape), weak))
        self.operands.append(atom)
        self.params.append(var)
        return var

    def array(self, value: Ref | View, name: str) -> Ref:
        """An array keeps its identity: two arguments that are one object are one object in the callee."""
        cell = value.cell if isinstance(value, Ref) else None
        if cell is not None and cell in self.cells and not self.apart:
            self.key.append(("again", self.cells[cell]))
            self.together.add(self.cells[cell])
            return Ref(self.inner[self.cells[cell]])
        new = Cell(name, shared=self.overlap(value), grows=cell is not None and cell.grows)
        new.ordered = self.frame.atom(value).type.rank > 1 and lies_in_order(value, self.frame.st)
        self.state.store[new] = self.param(self.frame.atom(value), name)
        if new.ordered:
            new.ordered_as = frozenset({new})
            self.frame.inference.ordered[self.state.store[new]] = new.ordered_as
        if cell is not None:
            self.cells[cell] = len(self.objects)
        self.key.append(("shared", bool(new.shared), new.ordered))
        self.objects.append(value)
        self.inner.append(new)
        if (at := self.frame.inference.made_at.get(cell_of(value))) is not None:  # type: ignore[arg-type]
            self.frame.inference.made_at[new] = at
        return Ref(new)

    def field(self, field: AssignedField, name: str) -> AssignedField:
        """A field that is assigned to, by the callee's own variable, which it has the value of."""
        if field in self.fields:
            self.key.append(("field again", [*self.fields].index(field)))
            return self.fields[field]
        inner = self.fields[field] = AssignedField(new_name(self.frame, name), field.of)
        self.key.append("field")
        held = value_to_give(self.frame, field)
        if isinstance(held, Unbound) and held.value is not None:
            self.key.append("field that may have no value")
            bound = self.pack(held.bound, f"{name}_bound")
            assert isinstance(bound, Var | Lit)
            self.state.env[inner.name] = Unbound(bound, self.pack(held.value, name))
        else:
            self.state.env[inner.name] = self.pack(held, name)
        return inner

    def overlap(self, value: Ref | View) -> str | None:
        """Why writing an argument could reach another one: both are parts of one array."""
        mine = reachable_cells(value)
        for place, (other, inner) in enumerate(zip(self.objects, self.inner, strict=True)):
            if mine & reachable_cells(other):
                self.together |= {place, len(self.objects)}
                if self.apart:
                    continue
                inner.shared = inner.shared or "it may overlap another argument of this call"
                self.key.append(("overlaps", place))
                return f"it may overlap the argument {inner.name!r} of this call"
        return None  # what else the caller calls it matters when the write comes back (`unpack`)

    def is_for(self, summary: Summary, exact: Summary) -> bool:
        """Whether a function inferred for arrays apart may be given these.

        It must write none that shares memory with another, and say as much of what it returns as `exact`, the function
        inferred for these.
        """
        writes = {k for k, _ in summary.written}
        return self.together.isdisjoint(writes) and says_as_much(summary.value, exact.value)

    def closure(self, closure: Closure) -> Closure:
        """A nested function with what it captured; one that reaches itself is packed once."""
        if id(closure) in self.closures:
            place, packed = self.closures[id(closure)]
            self.key.append(("closure again", place))
            return packed
        env: dict[str, Value] = {}
        defaults: dict[str, Value] = {}
        packed = Closure(closure.define, closure.frame, env, defaults)
        self.closures[id(closure)] = len(self.closures), packed
        captured = self.frame.captured_values(closure)
        self.key.append(("closure", id(closure.define), tuple(captured)))
        self.alive.append(closure.define)
        env.update(self.pack_all(captured))
        defaults.update(self.pack_all(closure.defaults))
        return packed

    def unpack(self, summary: Summary, name: str, in_place: Function | None = None) -> Value:
        """Emit the Call, put written arrays back, and give the returned value in the caller's terms.

        `in_place`: the function itself, whose equations are put in place of the Call.
        """
        frame, meets = self.frame, self.frame.inference.meets
        hidden = [frame.atom(frame.capture(array, "data")) for array in summary.hidden]
        operands = [*self.operands, *hidden]
        sizes = argument_sizes(summary.params, operands)
        labels = dict(result_names(summary.value, name, summary.made))
        fields = [*self.fields]
        for k, value in summary.fields:
            labels.update(result_names(value, shown_name(fields[k].name), summary.made))
        labels.update({result: self.label(k) for k, result in summary.written})
        outs: tuple[Any, ...]
        if in_place is None:
            outs = tuple(Var(labels[k], type_at_call(t, sizes, meets)) for k, t in enumerate(summary.types))
            frame.b.emit(outs, Call(summary.name, tuple(operands)))
        else:
            body = inlined_body(frame.b, in_place, tuple(operands))
            frame.b.equations += body.equations
            outs = body.results
        for k, result in summary.written:
            frame.write(self.objects[k], outs[result])
        frame.relied_on.update(*(root_of(self.objects[k]).ordered_as for k in summary.ordered))

        made: dict[int, Ref] = {}
        new: dict[int, AssignedField] = {}

        def make(leaf: Any) -> Any:
            match leaf:
                case Result(k) if outs[k].type.rank or outs[k].type.dtype == "rng":
                    if k not in made:
                        made[k] = self.result(leaf, outs[k], labels.get(k, name))
                        if (at := frame.inference.made_at.get((summary.name, k))) is not None:
                            frame.inference.made_at[made[k].cell] = at
                    return made[k]
                case Result(k):
                    return outs[k]
                case Given(k):
                    return self.objects[k]
                case Shown(base):
                    return self.view(leaf, make(base), tuple(map(make, leaf.operands)))
                case GivenInt(k):
                    return self.operands[k]
                case GivenField(k):
                    return fields[k]
                case MadeField(k, label, of):
                    if k not in new:
                        new[k] = AssignedField(new_name(frame, label), of)
                        frame.st.env[new[k].name] = whole(summary.made[k], label)
                    return new[k]
            return leaf

        def whole(value: Any, label: str) -> Value:
            return as_functions(with_counts(frame, rebuild(value, make), label))

        for k, value in summary.fields:
            frame.st.env[fields[k].name] = whole(value, shown_name(fields[k].name))
        return whole(summary.value, name)

    def label(self, k: int) -> str:
        """What an array that was written is called: as before, in the caller; a part of one as in the callee."""
        array = self.objects[k]
        return array.cell.name if isinstance(array, Ref) else self.inner[k].name

    def view(self, shown: Shown, base: Ref | View, operands: tuple[Value, ...]) -> View:
        """A view that was returned, of the caller's own array."""
        op = Apply(shown.primitive, (FALSE, *map(self.frame.atom, operands)), shown.params)
        told = View(base, op, Var(shown.name, SIZE), shown.fixed, shown.relies)
        return shown_anew(self.frame.b, self.frame.atom(base), told)

    def result(self, result: Result, out: Atom, name: str) -> Ref:
        """An array that was returned, as a new object, or one that may share memory with arguments."""
        made = self.frame.new(out, name)
        bases = [cell_of(self.objects[k]) for k in result.given]
        made.cell.bases = tuple((base, self.frame.st.store[base]) for base in bases if base is not None)
        if result.given:
            made.cell.shared = GIVEN_BACK
        elif result.shared:
            made.cell.shared = "it may share memory with another value that was returned with it"
        return made
