"""Arguments across a call: a caller's values to a callee's parameters, and its results back.

    f(x, (q, p), rng)      x, q, p, rng flattened to operands; the callee has a parameter for each;
                           what it writes comes back behind its own results
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codegen.build import I8
from codegen.infer.frame import Frame

from codegen.infer.values import Cell, Closure, Nest, Ref, State, Static, Unbound, Value, View, describe, rebuild
from codegen.ir import Atom, Call, Lit, Type, Var
from codegen.source import Span, refuse


@dataclass(frozen=True, eq=False)
class Result:
    """The k-th result of a Call, where a callee's value is described to its callers."""

    k: int


@dataclass(frozen=True, eq=False)
class Given:
    """The object that came in as the k-th array argument, given back."""

    k: int


@dataclass(frozen=True, eq=False)
class Summary:
    """What callers need to know of an inferred function.

    value    what it returns: Results, Givens, literals and static values in the nests returned
    types    of its results, in terms of its own parameters' sizes
    written  which array arguments come back changed, and as which result
    hidden   arrays of the enclosing scopes it reads, passed after the arguments
    """

    name: str
    params: tuple[Var, ...]
    value: Value | Result | Given
    types: tuple[Type, ...]
    written: tuple[tuple[int, int], ...]
    hidden: tuple[Any, ...]

    def signature(self) -> Any:
        """What must be stable for a recursive function's inference to be over."""
        sizes = {n: k for k, p in enumerate(self.params) for n in p.type.shape if isinstance(n, Var)}
        types = [
            (t.dtype, t.weak, tuple(n if isinstance(n, int) else ("size", sizes.get(n)) for n in t.shape))
            for t in self.types
        ]
        return shape_of(self.value), tuple(types), self.written, tuple(id(h) for h in self.hidden)


def shape_of(value: Any) -> Any:
    match value:
        case Nest(cls, items, keys):
            return cls, keys, tuple(shape_of(item) for item in items)
        case Result(k) | Given(k):
            return type(value).__name__, k
        case Lit():
            return "lit", repr(value.value), value.type
        case Static(obj):
            return "static", id(obj)
    return "closure", id(getattr(value, "define", value))


class Packing:
    """Flattens values into operands; `key` identifies their kinds, `pack` gives the callee's view of them.

    `keep_ints`: int literals stay constants in the callee (it needs them known) instead of becoming parameters.
    """

    def __init__(self, frame: Frame, keep_ints: bool):
        self.frame, self.keep_ints = frame, keep_ints
        self.operands: list[Atom] = []
        self.params: list[Var] = []
        self.objects: list[Ref | View] = []
        self.cells: dict[Cell, int] = {}
        self.inner: list[Cell] = []
        self.sizes: dict[Var, Var] = {}
        self.state = State()
        self.key: list[Any] = []
        self.alive: list[Any] = []

    def pack(self, value: Value, name: str) -> Value:
        """The callee's value for one of the caller's."""
        match value:
            case Nest(cls, items, keys):
                self.key.append((cls, keys, len(items)))
                names = keys or tuple(str(k) for k in range(len(items)))
                return value.with_items(
                    tuple(self.pack(v, f"{name}_{k}") for v, k in zip(items, names, strict=True))
                )
            case Lit() if isinstance(value.value, bool) or (self.keep_ints and isinstance(value.value, int)):
                self.key.append(("lit", value.value))
                return value
            case Var() | Lit():
                return self.param(value, name)
            case Ref() | View():
                return self.pack_array(value, name)
            case Static(obj):
                self.key.append(("static", id(obj)))
                self.alive.append(obj)
                return value
            case Closure():
                return self.pack_closure(value)
            case Unbound(_, inner) if inner is not None:
                return self.pack(inner, name)
        self.key.append("nothing")
        return value

    def param(self, atom: Atom, name: str) -> Var:
        """A parameter for an operand; sizes that are not known become the callee's own."""
        shape: list[Any] = []
        kinds: list[Any] = []
        for n in atom.type.shape:
            if isinstance(n, Var):
                self.sizes.setdefault(n, Var(n.name, I8))
                shape.append(self.sizes[n])
                kinds.append(("size", list(self.sizes).index(n)))
            else:
                shape.append(n)
                kinds.append(n)
        self.key.append((atom.type.dtype, atom.type.weak, tuple(kinds)))
        var = Var(name, Type(atom.type.dtype, tuple(shape), atom.type.weak))
        self.operands.append(atom)
        self.params.append(var)
        return var

    def pack_array(self, value: Ref | View, name: str) -> Ref:
        """An array keeps its identity: two arguments that are one object are one object in the callee."""
        cell = value.cell if isinstance(value, Ref) else None
        if cell is not None and cell in self.cells:
            self.key.append(("again", self.cells[cell]))
            return Ref(self.inner[self.cells[cell]])
        new = Cell(name)
        self.state.store[new] = self.param(self.frame.atom(value), name)
        if cell is not None:
            self.cells[cell] = len(self.objects)
            new.shared = cell.shared
            self.key.append(("shared", bool(cell.shared)))
        self.objects.append(value)
        self.inner.append(new)
        return Ref(new)

    def pack_closure(self, closure: Closure) -> Closure:
        from codegen.infer.calls import captured_values

        self.key.append(("closure", id(closure.define)))
        self.alive.append(closure.define)
        captured = captured_values(self.frame, closure)
        env = {key: self.pack(value, key) for key, value in captured.items()}
        return Closure(closure.define, closure.frame, env)

    def unpack(self, summary: Summary, name: str, span: Span) -> Value:
        """Emit the Call, put written arrays back, and give the returned value in the caller's terms."""
        frame = self.frame
        hidden = [frame.atom(frame.capture(array, "data")) for array in summary.hidden]
        operands = [*self.operands, *hidden]
        sizes = argument_sizes(summary.params, operands)
        types = tuple(outer_type(t, sizes) for t in summary.types)
        outs = tuple(Var(self.out_name(summary, k, name), t) for k, t in enumerate(types))
        frame.b.emit(outs, Call(summary.name, tuple(operands)))
        for k, result in summary.written:
            frame.write(self.objects[k], outs[result], span)

        def make(leaf: Any) -> Any:
            match leaf:
                case Result(k):
                    return frame.new(outs[k], name) if outs[k].type.rank else outs[k]
                case Given(k):
                    return self.objects[k]
            return leaf

        return rebuild(summary.value, make)  # type: ignore[arg-type]

    def out_name(self, summary: Summary, k: int, name: str) -> str:
        for at, result in summary.written:
            if result == k:
                return self.inner[at].name if at < len(self.inner) else name
        return summary_name(summary.value, k, name)


def summary_name(value: Any, k: int, name: str) -> str:
    """A name for the k-th result, after where it stands in the nest returned."""
    match value:
        case Nest(_, items, keys):
            names = keys or tuple(str(i) for i in range(len(items)))
            for item, key in zip(items, names, strict=True):
                found = summary_name(item, k, f"{name}_{key}")
                if found:
                    return found
            return ""
        case Result(j) if j == k:
            return name
    return ""


def argument_sizes(params: tuple[Var, ...], operands: list[Atom]) -> dict[Var, Any]:
    """What a callee's sizes are at a call."""
    sizes: dict[Var, Any] = {}
    for param, operand in zip(params, operands, strict=True):
        for n, m in zip(param.type.shape, operand.type.shape, strict=True):
            if isinstance(n, Var):
                sizes.setdefault(n, m)
    return sizes


def outer_type(type_: Type, sizes: dict[Var, Any]) -> Type:
    """A callee's type in the caller's sizes; sizes made inside are fresh."""
    shape = tuple(n if isinstance(n, int) else sizes.get(n) or Var("n", I8) for n in type_.shape)
    return Type(type_.dtype, shape, type_.weak)


def returned(frame: Frame, packing: Packing, value: Value, span: Span) -> tuple[Any, list[Atom]]:
    """A callee's returned value described to its callers, and the atoms that are its results."""
    results: list[Atom] = []
    seen: dict[Cell, Result] = {}

    def add(atom: Atom) -> Result:
        results.append(atom)
        return Result(len(results) - 1)

    def make(leaf: Value) -> Any:
        match leaf:
            case Lit() | Static():
                return leaf
            case Var():
                return add(leaf)
            case Ref(cell) if cell in packing.inner:
                return Given(packing.inner.index(cell))
            case Ref(cell):
                if cell not in seen:
                    seen[cell] = add(frame.atom(leaf, span))
                return seen[cell]
            case View():
                return add(frame.atom(leaf, span))
            case Closure() if not leaf.env or not needed(leaf):
                return leaf
        raise refuse(span, f"{describe(leaf, frame.st.store)} cannot be returned from a function")

    return rebuild(value, make), results


def needed(closure: Closure) -> bool:
    """Whether a closure reads anything of the frame it was made in."""
    from codegen.read.scope import free

    return any(key in closure.env or key in closure.frame.captured for key in free(closure.define))


__all__ = ["Given", "Packing", "Result", "Summary", "argument_sizes", "outer_type", "returned"]
