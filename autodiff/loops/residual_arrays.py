"""Histories: the arrays in which a loop keeps values of each of its iterations.

    for i in range(n):                    xs = np.empty(n)
        x = f(x, i)               ->      for i in range(n):
                                              xs[i] = x
                                              x = f(x, i)

They are made before the loop at a size that is enough (history_sizes.py). A slice whose length changes from one
iteration to the next is kept in a row as long as its axis; arrays of which nothing says how long they get are kept one
after the other (ragged_histories.py).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from autodiff.loops.affine_bounds import AffineBounds
from autodiff.loops.history_sizes import history_rows
from autodiff.loops.kept_slices import Part
from autodiff.loops.nested_histories import kept_in_rows
from autodiff.loops.ragged_histories import RaggedRows
from autodiff.markers import KEPT_SIZE
from codegen.ir import Apply, Atom, Dim, Equation, For, If, Type, Var
from codegen.ir.build import Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import sizes
from codegen.primitives import ROWS
from codegen.primitives.index import Inside

ROW = Inside(("i",))


class Histories:
    """The arrays in which a loop keeps values of each iteration, one row an iteration: `xs[i] = x`.

    `direct`: row i is that of index i, else row (i - start) // step. `names`: what the arrays of some variables are
    called; `parts`: where in their rows slices are kept; `brought`: the sizes that variables bring; `ragged`: those of
    `variables` whose sizes change, by shape; `tangent_sizes`: the sizes among them that the tangents bring, which a
    loop that goes forwards need not be told.
    """

    def __init__(
        self,
        b: Builder,
        op: For,
        variables: Sequence[Var],
        ranges: AffineBounds,
        names: Mapping[Var, str],
        parts: Mapping[Var, Part],
        brought: dict[Var, tuple[Var, ...]],
        ragged: Sequence[Sequence[Var]] = (),
        tangent_sizes: Container[Var] = (),
    ):
        self.brought = brought
        self.tangent_sizes = tangent_sizes
        self.names = names
        self.parts = parts
        self.op = op
        changing = {v for group in ragged for v in group}
        self.variables = [v for v in dict.fromkeys(variables) if v not in changing]
        self.direct = True
        self.init: list[Atom] = []
        self.params: list[Var] = []
        self.outs: list[Var] = []
        self.now: dict[Var, Var] = {}
        self.ragged: list[RaggedRows] = []
        if self.variables or ragged:
            n, self.direct = history_rows(b, op, ranges)
            self.allocate(b, n)
            for group in ragged:
                called = [names.get(v) or plural(v.name) for v in group]
                self.ragged.append(RaggedRows(b, n, group, called, brought))
            for each in self.ragged:
                self.init += each.init
                self.params += each.params
                self.outs += each.outs

    @property
    def known_size(self) -> bool:
        return all(isinstance(n, int) for p in self.params for n in p.type.shape[:1])

    def allocate(self, b: Builder, n: Dim) -> None:
        for var in self.variables:
            name = self.names.get(var) or plural(var.name)
            shape = self.parts[var].shape if var in self.parts else var.type.shape
            made = b.apply("empty", n, *shape, dtype=var.type.dtype, name=name)
            type_ = Type(var.type.dtype, (n, *shape))
            self.init.append(b.atom(made))
            self.params.append(Var(name, type_))
            self.outs.append(Var(name, type_))
        self.now = dict(zip(self.variables, self.params, strict=True))

    def kind(self, op: For) -> str:
        """A loop that saves carries its rows: in order, then."""
        return "sequential" if self.params else op.kind

    @property
    def results(self) -> list[Var]:
        return [self.now[v] for v in self.variables] + [v for each in self.ragged for v in each.now]

    def place(self, b: Builder) -> Any:
        index, start, step = b.wrap(self.op.index), b.wrap(self.op.start), self.op.step
        if self.direct:
            return index
        distance = index - start if step > 0 else start - index
        return distance if abs(step) == 1 else distance // abs(step)

    def saves(self, variables: Sequence[Var]) -> list[Equation]:
        """`xs[i] = x` for each."""
        b = Builder(span=None, checked=False)
        for var in variables:
            if var not in self.now:
                continue
            rows = self.now[var]
            made = Var(rows.name, rows.type)
            places, params = self.places(b, var)
            b.emit((made,), Apply(ROWS["update"], (rows, var, *places), params))
            self.now[var] = made
        for each in self.ragged:
            if each.variables[0] in variables:
                each.save(b, self.place(b))
        return b.equations

    def saved_after(self, known: list[Equation], histories: Container[Var]) -> list[Equation]:
        """The equations, each followed by the saves of what it binds; inner loops save in these rows at once."""
        made: list[Equation] = []
        pending = [v for v in self.variables if self.now[v] in self.params]
        pending += [v for each in self.ragged if each.now == each.params for v in each.variables]
        for equation in known:
            outs = {*equation.outs, *(d for o in equation.outs for d in sizes(o.type))}
            mine = [v for v in pending if v in outs]
            nested = [
                v for v in mine if v in histories and v in self.now and isinstance(equation.op, For | If)
            ]
            for var in nested:
                equation = self.saved_inside(made, equation, var)
            made.append(equation)
            made += self.saves([v for v in mine if v not in nested])
            pending = [v for v in pending if v not in outs]
        return made

    def saved_inside(self, before: list[Equation], equation: Equation, history: Var) -> Equation:
        """A loop that keeps its values in a row of these instead of an array of its own."""
        b = Builder(span=None, checked=False)
        place = b.atom(self.place(b))
        before += b.equations
        inner, self.now[history] = kept_in_rows(equation, history, self.now[history], place)
        return inner

    def loads(self) -> list[Equation]:
        """`x = xs[i]` for each, but for parts of rows."""
        loaded = [e for var in self.variables if var not in self.parts for e in self.load(var)]
        b = Builder(span=None, checked=False)
        for each in self.ragged:
            each.load(b, self.place(b))
        return loaded + b.equations

    def reloaded(self, again: Iterable[Equation]) -> list[Equation]:
        """What is run again, with `x = xs[i, :j]` for the slices that were kept."""
        return [e for each in again for e in (self.load(each.outs[0]) if self.is_part(each) else [each])]

    def is_part(self, equation: Equation) -> bool:
        return bool(equation.outs) and equation.outs[0] in self.parts

    def load(self, var: Var) -> list[Equation]:
        b = Builder(span=None, checked=False)
        if var in self.parts:
            self.parts[var].bring_sizes(b, var, self.brought)
        rows = self.outs[self.variables.index(var)]
        places, params = self.places(b, var)
        if var in self.tangent_sizes:
            b.emit((Var(var.name, var.type),), Apply(KEPT_SIZE, (var, rows, *places)))
        else:
            b.emit((var,), Apply(ROWS["index"], (rows, *places), params))
        return b.equations

    def places(self, b: Builder, var: Var) -> tuple[tuple[Atom, ...], dict[str, Any]]:
        """The operands and parameters of a subscript: of a row, or of a part of it."""
        row = b.atom(self.place(b))
        if (part := self.parts.get(var)) is None:
            return (row,), {"spec": ROW}
        return (row, *part.places), {"spec": ("i", *part.spec)}


def history_names(known: list[Equation]) -> dict[Var, str]:
    """Names for the histories of what has none itself: elements of x that are overwritten go to x_olds."""
    found = {}
    for equation in known:
        op, outs = equation.op, equation.outs
        if isinstance(op, Apply) and op.primitive.kind is Access.READ and outs[0].name == "t":
            found[outs[0]] = f"{op.operands[0].name}_olds"  # type: ignore[union-attr]
    return found


def plural(name: str) -> str:
    return f"{name}s" if len(name) == 1 or not name.endswith("s") else f"{name}_rows"
