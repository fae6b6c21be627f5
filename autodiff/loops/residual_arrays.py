"""Histories: the arrays in which a loop keeps values of each of its iterations.

    for i in range(n):                    xs = np.empty(n)
        x = f(x, i)               ->      for i in range(n):
                                              xs[i] = x
                                              x = f(x, i)

They are made before the loop at a size that is enough: the loop's upper bound where that is a number or an
array's size (a loop up to another's index has as many rows as that may get), else the number of iterations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autodiff.loops.write_hazards import AffineBounds
from codegen.ir import Apply, Atom, Dim, Equation, For, Lit, Type, Var
from codegen.ir.build import Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import sizes
from codegen.primitives import ROWS


class Histories:
    """The arrays in which a loop keeps values of each iteration, one row an iteration: `xs[i] = x`.

    Row i where the loop counts by one and never below 0, else row (i - start) // step. `names`: what the
    arrays of some variables are called.
    """

    def __init__(
        self, b: Builder, op: For, variables: Sequence[Var], ranges: AffineBounds, names: Mapping[Var, str]
    ):
        self.names = names
        self.op = op
        self.variables = list(dict.fromkeys(variables))
        self.direct = abs(op.step) == 1 and ranges.counts_from_zero(op)
        self.init: list[Atom] = []
        self.params: list[Var] = []
        self.outs: list[Var] = []
        self.now: dict[Var, Var] = {}
        if self.variables:
            self.allocate(b, history_size(b, op, ranges, self.direct))

    @property
    def known_size(self) -> bool:
        return all(isinstance(p.type.shape[0], int) for p in self.params)

    def allocate(self, b: Builder, n: Dim) -> None:
        for var in self.variables:
            name = self.names.get(var) or plural(var.name)
            made = b.apply("empty", n, *var.type.shape, dtype=var.type.dtype, name=name)
            type_ = Type(var.type.dtype, (n, *var.type.shape))
            self.init.append(b.atom(made))
            self.params.append(Var(name, type_))
            self.outs.append(Var(name, type_))
        self.now = dict(zip(self.variables, self.params, strict=True))

    def kind(self, op: For) -> str:
        """A loop that saves carries its rows: in order, then."""
        return "sequential" if self.variables else op.kind

    @property
    def results(self) -> list[Var]:
        return [self.now[v] for v in self.variables]

    def place(self, b: Builder) -> Any:
        index = b.wrap(self.op.index)
        return index if self.direct else (index - b.wrap(self.op.start)) // self.op.step

    def saves(self, variables: Iterable[Var]) -> list[Equation]:
        """`xs[i] = x` for each."""
        b = Builder(span=None, checked=False)
        for var in variables:
            rows = self.now[var]
            made = Var(rows.name, rows.type)
            b.emit((made,), Apply(ROWS["update"], (rows, var, b.atom(self.place(b))), {"spec": ("i",)}))
            self.now[var] = made
        return b.equations

    def saved_after(self, known: list[Equation]) -> list[Equation]:
        """The equations, each followed by the saves of what it binds."""
        made: list[Equation] = []
        pending = [v for v in self.variables if self.now[v] in self.params]
        for equation in known:
            made.append(equation)
            outs = {*equation.outs, *(d for o in equation.outs for d in sizes(o.type))}
            made += self.saves([v for v in pending if v in outs])
            pending = [v for v in pending if v not in outs]
        return made

    def loads(self) -> list[Equation]:
        """`x = xs[i]` for each."""
        b = Builder(span=None, checked=False)
        for var, rows in zip(self.variables, self.outs, strict=True):
            b.emit((var,), Apply(ROWS["index"], (rows, b.atom(self.place(b))), {"spec": ("i",)}))
        return b.equations


def history_size(b: Builder, op: For, ranges: AffineBounds, direct: bool) -> Dim:
    """How many rows: what is known to be enough and is a number or a size, else as many as there are iterations."""
    if not direct:
        return as_dim(b.atom(trips(b, op)))
    last, over = (op.stop, 0) if op.step > 0 else (op.start, 1)
    enough = [(base, c + over) for base, c in ranges.bounds(last, upper=True)]
    known = [max(c, 0) for base, c in enough if base is None]
    if known:
        return min(known)
    for base, c in enough:
        if base in ranges.sizes:
            return as_dim(base if c <= 0 else b.atom(b.wrap(base) + c))
    return as_dim(b.atom(b.apply("maximum", b.wrap(last) + over if over else b.wrap(last), 0)))


def trips(b: Builder, op: For) -> Any:
    """The number of iterations of a for."""
    return b.apply("maximum", iterations(b, op), 0)


def iterations(b: Builder, op: For) -> Any:
    """The same of one that runs; of others 0 or less."""
    start, stop = b.wrap(op.start), b.wrap(op.stop)
    span, step = (stop - start, op.step) if op.step > 0 else (start - stop, -op.step)
    return span if step == 1 else (span + (step - 1)) // step


def as_dim(atom: Atom) -> Dim:
    return int(atom.value) if isinstance(atom, Lit) else atom


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
