"""Expressions to single-assignment equations.

    b = Builder()
    x = b.wrap(Var("x", Type("f8", (3,))))
    y = np.exp(x) * 2.0        # two equations, `exp` and `mul`; y is an E

`E` stands for a value while NumPy-style Python runs on it: its operators, NumPy's functions and methods build
equations instead of computing. Literals are passed around as the Python numbers they are, and operations on numbers
alone are computed at once.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from codegen.ir import Apply, Atom, Block, Equation, Lit, Operation, Type, Var
from codegen.ir.broadcasting import Meets, distinct
from codegen.ir.exceptions import Thrown, thrown
from codegen.ir.kinds import Arithmetic, Choice, Logic, Relation, Same
from codegen.ir.literals import beyond, code, dtype_of, fold, limits, literal, neutral
from codegen.ir.primitive import Primitive
from codegen.ir.promotion import computed_in
from codegen.ir.signs import compared, has_both_signs
from codegen.primitives.row import FUNCTIONS, ROWS
from codegen.source import Span, refusing

I8 = Type("i8")
SIZE = Type("i8", weak=True)  # of sizes and counters, which are Python ints: f4[n] / n stays f4
# What NumPy says where sizes do not fit, without the sizes.
MEET = "operands could not be broadcast together"
INTO = "could not broadcast input array"
LARGE = "Python int too large to convert to C long"
B1 = Type("b1")


class Builder:
    """Collects the equations of one block; `inner()` collects those of a nested one.

    `checked=False` trusts that sizes which meet are equal (rules of derivatives run on checked programs). `meets`:
    what is known of the sizes.
    """

    def __init__(self, *, span: Span | None = None, checked: bool = True, meets: Meets | None = None):
        self.equations: list[Equation] = []
        self.span = span
        self.checked = checked
        self.meets = meets or Meets(all_wide=True)
        self.latest: Var | None = None  # what `apply` made last
        self.renamed: dict[Var, Var] = {}  # see `named`

    def inner(self) -> Builder:
        return Builder(span=self.span, checked=self.checked, meets=self.meets)

    @contextmanager
    def at(self, span: Span | None) -> Iterator[None]:
        """Equations built inside are at `span`."""
        before, self.span = self.span, span or self.span
        try:
            yield
        finally:
            self.span = before

    def wrap(self, atom: Atom) -> Any:
        """An atom as a value for NumPy-style code: an E, or the number itself for a literal."""
        if isinstance(atom, Lit):
            return atom.value if atom.type.weak else np.dtype(atom.type.dtype).type(atom.value)
        return E(self, atom)

    def atom(self, value: Any) -> Atom:
        """The inverse of wrap; numbers become literals."""
        if isinstance(value, E):
            value = value.atom
        if isinstance(value, Var | Lit):
            return self.renamed.get(value, value) if isinstance(value, Var) else value
        return literal(value)

    def block(self, results: tuple[Any, ...]) -> Block:
        return Block(tuple(self.equations), tuple(self.atom(r) for r in results))

    def emit(self, outs: tuple[Var, ...], op: Operation) -> None:
        self.equations.append(Equation(outs, op, self.span))

    def named(self, atom: Atom, name: str, type_: Type) -> Atom:
        """`atom` under a name and type that say more, where the last equation made it and it has no name yet.

        An equation that came here as it was may be mentioned elsewhere, and keeps its Var.
        """
        if atom is not self.latest or self.latest.name != "t" or self.equations[-1].outs != (atom,):
            return atom
        made = Var(name, type_)
        self.renamed[self.latest] = made
        self.equations[-1] = replace(self.equations[-1], outs=(made,))
        return made

    def apply(self, primitive: Primitive | str, *operands: Any, name: str = "t", **params: Any) -> Any:
        """Build `primitive(*operands, **params)`: its E, a tuple of Es, or a number where all operands are."""
        rule = ROWS[primitive] if isinstance(primitive, str) else primitive
        atoms = tuple(self.atom(o) for o in operands)
        if rule.family == "elementwise":
            rule, atoms = self.of_bools(rule, atoms)
            if (known := beyond(rule, atoms)) is not None:
                return self.filled(known, atoms)
            with refusing(self.span):
                atoms = self.meet(atoms, rule)
            if all(isinstance(a, Lit) for a in atoms) and (value := fold(rule, atoms, params)) is not None:
                return self.wrap(value)
            if (same := neutral(rule, atoms)) is not None:
                return self.wrap(same)
            if has_both_signs(rule, atoms):
                return compared(self, rule, *atoms)
        with refusing(self.span):
            types = rule.type(*atoms, **params)
        several = isinstance(types, tuple)
        outs = tuple(Var(name, t) for t in (types if several else (types,)))
        if rule.kind in (Arithmetic.SUB, Arithmetic.ADD):
            self.meets.made_by(rule.kind, outs[0], atoms)
        self.emit(() if rule.effect and not several else outs, Apply(rule, atoms, params))
        self.latest = outs[0]
        if several:
            return tuple(self.wrap(o) for o in outs)
        return None if rule.effect else self.wrap(outs[0])

    def meet(self, atoms: tuple[Atom, ...], rule: Primitive) -> tuple[Atom, ...]:
        """Operands of one elementwise operation: weak numbers take the strong dtype, unequal sizes are checked."""
        atoms = self.stretched(atoms) if self.checked else atoms
        if rule.kind is Choice.SELECT:  # the condition meets nothing
            return (*atoms[:1], *self.strengthened(atoms[1:], rule))
        strong = [a.type for a in atoms if not a.type.weak]
        if not strong or rule.kind is Same.CAST or len(strong) == len(atoms):
            return atoms
        if rule.kind is Arithmetic.POW and isinstance(atoms[1], Lit) and isinstance(atoms[1].value, int):
            return atoms  # x ** 2 stays a product, not a call of pow
        if isinstance(rule.kind, Relation) and all(t.dtype[0] in "iub" for t in strong):
            if any(isinstance(a, Var) and a.type.weak for a in atoms):
                strong = [Type("i8"), *strong]
            return tuple(
                strengthen(self, a, strong) if isinstance(a, Lit) and a.type.weak else a for a in atoms
            )
        return self.strengthened(atoms, rule)

    def strengthened(self, atoms: tuple[Atom, ...], rule: Primitive) -> tuple[Atom, ...]:
        """Weak numbers among strong ones in the strong dtype."""
        strong = [a.type for a in atoms if not a.type.weak]
        if not strong or len(strong) == len(atoms) or rule.kind in (Logic.AND, Logic.OR, Logic.XOR):
            return atoms
        wanted: tuple[str | None, ...] = (None,) * len(atoms)
        if isinstance(rule.numpy, np.ufunc):
            wanted, _ = computed_in(rule.numpy, [a.type for a in atoms])
        wraps = rule.kind is Choice.SELECT
        return tuple(
            strengthen(self, a, strong, to, wraps=wraps) if a.type.weak else a
            for a, to in zip(atoms, wanted, strict=True)
        )

    def of_bools(self, rule: Primitive, atoms: tuple[Atom, ...]) -> tuple[Primitive, tuple[Atom, ...]]:
        """Arithmetic of bools as NumPy has it: sums and products are logical, quotients and powers int8."""
        if not atoms or any(a.type.dtype != "b1" for a in atoms) or not rule.of_bools:
            return rule, atoms
        if rule.of_bools in ROWS:
            return ROWS[rule.of_bools], atoms
        return rule, tuple(self.atom(self.apply("cast", a, dtype=rule.of_bools)) for a in atoms)

    def filled(self, value: bool, atoms: tuple[Atom, ...]) -> Any:
        """A bool for each element of what the atoms broadcast to."""
        shapes = [a.type.shape for a in atoms if a.type.rank]
        if shapes:
            return self.apply("full", np.bool_(value), *map(self.size, shapes[0]), dtype="b1")
        return value if all(a.type.weak for a in atoms) else np.bool_(value)

    def stretched(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """Operands whose sizes that meet are one, or literals: an axis that may be 1 is broadcast where it is.

        Known sizes are compared at once (by the type rule), others by a `check`.
        """
        rank = max((a.type.rank for a in atoms), default=0)
        found = {
            axis: self.met(sizes) for axis in range(1, rank + 1) if len(sizes := distinct(atoms, axis)) > 1
        }
        some = any(n is not None for n in found.values())
        return tuple(self.stretch(a, found) for a in atoms) if some else atoms

    def met(self, sizes: list[Any]) -> Any:
        """The size that different ones have together; None where they must be equal as they are."""
        fixed = [n for n in sizes if not self.meets.may_be_one(n)]
        if len(fixed) == len(sizes) or all(self.meets.same(sizes[0], n) for n in sizes):
            for other in sizes[1:]:
                self.same_size(sizes[0], other)
            return None
        first, *others = fixed or sizes
        target = self.size(first)
        for n in others:
            if fixed:
                self.same_size(first, n)
            else:
                self.one_or(n, target, self.apply("eq", target, 1))
                target = self.apply("select", self.apply("eq", target, 1), self.size(n), target, name="n")
        for n in filter(self.meets.may_be_one, sizes if fixed else ()):
            self.one_or(n, target)
        return target if isinstance(target, int) else self.atom(target)

    def spreads(self, n: Any, wanted: Any) -> None:
        """An axis of size n must broadcast to `wanted`, which stays as it is."""
        if isinstance(n, int) and isinstance(wanted, int):
            if n not in (1, wanted):
                raise ValueError(MEET)
        elif self.checked and n is not wanted and n != 1:
            if self.meets.may_be_one(n):
                self.one_or(n, self.size(wanted))
            else:
                self.same_size(n, wanted)

    def one_or(self, n: Any, target: Any, free: Any = False, *, message: str = MEET) -> None:
        """A size that must be 1 or `target`, which is 1 itself where `free`."""
        self.meets.left_open()
        fits = self.apply("or", self.apply("eq", self.size(n), target), self.apply("eq", self.size(n), 1))
        if free is not False:
            fits = self.apply("or", fits, free)
        self.require(fits, "ValueError", message)

    def stretch(self, atom: Atom, targets: dict[int, Any]) -> Atom:
        """The operand with the axes (counted from the last) that may be 1 broadcast to these sizes."""
        shape = list(atom.type.shape)
        for axis, target in targets.items():
            if target is not None and axis <= len(shape) and self.meets.may_be_one(shape[-axis]):
                shape[-axis] = target
        if all(n is m or n == m for n, m in zip(shape, atom.type.shape)):
            return atom
        made: Atom = self.apply("broadcast_to", atom, *map(self.size, shape), loose=True).atom
        return made

    def fitted(self, value: Any, shape: tuple[Any, ...]) -> Any:
        """A value to be written to places of this shape: its sizes are theirs, or are 1 and broadcast."""
        atom = self.atom(value)
        pairs = list(zip(reversed(atom.type.shape), reversed(shape)))
        targets: dict[int, Any] = {}
        for axis, (n, m) in enumerate(pairs, start=1):
            if n == 1 or self.meets.same(n, m):
                continue
            if self.meets.may_be_one(n) and m != 1:
                self.one_or(n, self.size(m), message=INTO)
                targets[axis] = m
            else:
                self.same_size(n, m, INTO)
        return self.wrap(self.stretch(atom, targets)) if targets else value

    def same_size(self, a: Any, b: Any, message: str = MEET) -> None:
        """Two sizes that must be equal; a `check` where that is not known. Known ones are the row's to compare."""
        if a is b or isinstance(a, int) and isinstance(b, int):
            return
        self.require(self.apply("eq", self.size(a), self.size(b)), "ValueError", message)

    def require(self, test: Any, exception: str | Thrown, message: str | None = None, *values: Any) -> None:
        """A `check`: raise `exception(message)` unless `test`; `values` are what a Thrown's message tells."""
        raised = exception if isinstance(exception, Thrown) else thrown(exception, message)
        self.apply("check", test, *values, exception=raised)

    def in_bounds(self, n: Any, dtype: str) -> None:
        """Require that a dtype holds an int."""
        (low, high), (least, most) = limits(dtype), limits(self.atom(n).type.dtype)
        name = np.dtype(dtype).name
        message = LARGE if dtype == "i8" else f"Python integer out of bounds for {name}"
        fits = self.apply("ge", n, low) if least < low else True
        if most > high:
            below = self.apply("le", n, high)
            fits = below if fits is True else self.apply("and", fits, below)
        self.require(fits, "OverflowError", message)

    def size(self, dim: Any) -> Any:
        """A dimension of a Type as a value."""
        return dim if isinstance(dim, int) else self.wrap(dim)


def strengthen(
    b: Builder, atom: Atom, strong: list[Type], taken: str | None = None, *, wraps: bool = False
) -> Atom:
    """A weak number next to strong types, in the dtype NumPy 2 gives it; an int must fit there, or be `taken` as a
    float. In np.where it wraps."""
    kind = {"i": int, "f": float, "b": bool}[atom.type.dtype[0]]
    common = np.result_type(*(np.dtype(t.dtype) for t in strong))
    target = np.result_type(common, kind(0)) if kind is not bool else common
    as_float = taken is not None and taken[0] == "f" and target.kind in "iu"
    if isinstance(atom, Lit):
        if target.kind not in "iu" or wraps:
            return Lit(np.asarray(atom.value).astype(target).item(), Type(code(target)))
        value = int(atom.value)
        low, high = limits(code(target))
        if low <= value <= high:
            return Lit(value, Type(code(target)))
        if as_float:
            return Lit(float(np.dtype(taken).type(value)), Type(str(taken)))
        raise OverflowError(f"Python integer {value} out of bounds for {target.name}")
    if code(target) == atom.type.dtype:
        return atom
    if as_float:
        target = np.dtype(taken)
    elif wraps and kind is int:
        atom = b.apply("cast", atom, dtype="i8").atom
    elif kind is int and target.kind in "iu" and b.checked:
        b.in_bounds(b.wrap(atom), code(target))
    cast: Atom = b.apply("cast", atom, dtype=code(target)).atom
    return cast


def method(function: Any) -> Callable[..., Any]:
    """An array method that is a NumPy function of the array."""
    return lambda self, *args, **kwargs: call(self.builder, function, self, *args, **kwargs)


def call(b: Builder, function: Any, *args: Any, **kwargs: Any) -> Any:
    """What a call of a NumPy (math, scipy.special, builtin) function builds. KeyError when it has no row."""
    return FUNCTIONS[function](b, *args, **kwargs)


class E(np.lib.mixins.NDArrayOperatorsMixin):
    """A Var under NumPy-style Python: operators, ufuncs, functions and methods build equations in `builder`."""

    def __init__(self, builder: Builder, atom: Var):
        self.builder = builder
        self.atom = atom

    @property
    def type(self) -> Type:
        return self.atom.type

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple(self.builder.size(d) for d in self.type.shape)

    @property
    def ndim(self) -> int:
        return self.type.rank

    @property
    def dtype(self) -> np.dtype:
        return dtype_of(self.type)

    @property
    def size(self) -> Any:
        total: Any = 1
        for dim in self.shape:
            total = total * dim
        return total

    @property
    def T(self) -> Any:
        return call(self.builder, np.transpose, self)

    def __array_ufunc__(self, ufunc: np.ufunc, how: str, *inputs: Any, **kwargs: Any) -> Any:
        if how != "__call__" or kwargs or ufunc not in FUNCTIONS:
            return NotImplemented
        return call(self.builder, ufunc, *inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function not in FUNCTIONS:
            return NotImplemented
        return call(self.builder, function, *args, **kwargs)

    def __getitem__(self, index: Any) -> Any:
        return FUNCTIONS[operator.getitem](self.builder, self, index)

    def __len__(self) -> int:
        raise TypeError("the length of an expression may be unknown: use .shape[0]")

    def __iter__(self) -> Iterator[Any]:
        """The rows, where their number is known (else Python would ask for one after another without end)."""
        if not self.ndim or not isinstance(self.type.shape[0], int):
            raise TypeError(f"{self.type} cannot be taken apart: the number of its rows is not known")
        return (self[k] for k in range(self.type.shape[0]))

    def __bool__(self) -> bool:
        raise TypeError("its truth value is not known while the program is built")

    def astype(self, dtype: Any) -> Any:
        return self.builder.apply("cast", self, dtype=code(dtype))

    def copy(self) -> Any:
        return self.builder.apply("copy", self)

    def reshape(self, *shape: Any) -> Any:
        return call(self.builder, np.reshape, self, shape[0] if len(shape) == 1 else shape)

    def item(self) -> Any:
        return call(self.builder, np.reshape, self, ())

    def __repr__(self) -> str:
        return f"E({self.atom!r})"


for _name, _function in {
    "sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "mean": np.mean, "any": np.any, "all": np.all,
    "argmax": np.argmax, "argmin": np.argmin, "cumsum": np.cumsum, "dot": np.dot, "ravel": np.ravel,
    "flatten": np.ravel, "transpose": np.transpose, "clip": np.clip, "std": np.std, "var": np.var, "trace": np.trace,
}.items():  # fmt: skip
    setattr(E, _name, method(_function))
