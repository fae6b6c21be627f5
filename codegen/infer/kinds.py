"""What is known of a value that has one type on some ways and another on others: a Type with sizes left open.

unify(kind(f8[3]), kind(i8[n]))  ->  f8[?]
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codegen.ir import Atom, Lit, Type, Var
from codegen.ir.broadcasting import least, sized_alike
from codegen.ir.build import Builder
from codegen.ir.exceptions import thrown
from codegen.ir.literals import code, limits
from codegen.ir.substitution import free, sizes
from codegen.ir.traversal import binds
from codegen.primitives.fits import require_exact

LONGEST = 256  # items that are values each for itself


@dataclass(frozen=True)
class Open:
    """A size that is not known, but to be at least so large."""

    least: int = 0


@dataclass(frozen=True)
class Kind:
    """A Type whose sizes may be open: whoever binds a value of it binds a new size there."""

    dtype: str
    dims: tuple[int | Var | Open, ...] = ()
    weak: bool = False

    def type(self) -> Type:
        """A Type of this kind, with fresh sizes where they are open."""
        shape = tuple(sized_alike(n.least) if isinstance(n, Open) else n for n in self.dims)
        return Type(self.dtype, shape, self.weak)


class Raises(Exception):
    """An expression that ends in an exception wherever it is evaluated, as what is read of an empty list does."""

    def __init__(self, exception: str, message: str):
        super().__init__(message)
        self.thrown = thrown(exception, message)


class Differ(Exception):
    """Two values that no one value can stand for. `wants_rows`: as SourceError's; `of_lists`: the items of a list are
    lists whose lengths are not known."""

    wants_rows: tuple[Any, dict[str, Any]] | None = None
    of_lists = False


def kind(type_: Type, inside: Container[Var] = ()) -> Kind:
    """The kind of a type as seen from outside a block; sizes bound `inside` it are open."""
    dims = tuple(Open(least(n)) if isinstance(n, Var) and n in inside else n for n in type_.shape)
    return Kind(type_.dtype, dims, type_.weak)


def unify(x: Kind, y: Kind) -> Kind:
    """The kind that holds both: NumPy's promotion, sizes that differ open. Raises Differ."""
    if x == y:
        return x
    if len(x.dims) != len(y.dims):
        raise Differ(f"{axes_words(x)} and {axes_words(y)}")
    if "rng" in (x.dtype, y.dtype):
        if x.dtype != y.dtype:
            raise Differ("a random generator and a number")
        return x
    weak = x.weak and y.weak
    dtype = x.dtype if x.dtype == y.dtype else code(np.result_type(promoted(x, weak), promoted(y, weak)))
    dims = tuple(
        n if n is m or n == m else Open(min(size_at_least(n), size_at_least(m)))
        for n, m in zip(x.dims, y.dims)
    )
    return Kind(dtype, dims, weak)


def unify_rounds(before: Kind, after: Kind) -> Kind:
    """The same of what an iteration begins with and leaves: what is known of a size that gets smaller in each of them
    would be another number each time."""
    wide = unify(before, after)
    dims = (Open() if isinstance(n, Open) and n != m else m for n, m in zip(before.dims, wide.dims))
    return replace(wide, dims=tuple(dims))


def size_at_least(n: int | Var | Open) -> int:
    return n.least if isinstance(n, Open) else least(n)


def axes_words(x: Kind) -> str:
    count = len(x.dims)
    return "a number" if not count else f"an array with {count} {'axis' if count == 1 else 'axes'}"


def promoted(x: Kind, both_weak: bool) -> Any:
    """What stands for a kind in NumPy's promotion: a Python number for a weak one."""
    numbers: dict[str, Any] = {"i": 0, "f": 0.0, "b": np.dtype("b1")}
    return numbers[x.dtype[0]] if x.weak and not both_weak else np.dtype(x.dtype)


def check_holds(wanted: Kind, atom: Atom) -> None:
    """Raise Differ where a kind does not hold a literal."""
    if not isinstance(atom, Lit) or not isinstance(atom.value, int) or atom.type.dtype == wanted.dtype:
        return
    if wanted.dtype[0] == "f" and float(atom.value) != atom.value:
        raise Differ(f"the int {atom.value} and a float, which does not hold it exactly")
    if wanted.dtype[0] in "iu":
        low, high = limits(wanted.dtype)
        if not low <= atom.value <= high:
            name = np.dtype(wanted.dtype).name
            raise Differ(f"the int {atom.value} and a NumPy number of {name}, which does not hold it")


def as_kind(b: Builder, atom: Atom, wanted: Kind) -> Atom:
    """An atom in the dtype of a kind. Raises Differ."""
    if atom.type.dtype == wanted.dtype:
        if isinstance(atom, Lit) and atom.type.weak != wanted.weak:
            return Lit(atom.value, wanted.type())
        return atom
    if isinstance(atom, Lit):
        check_holds(wanted, atom)
        return Lit(np.dtype(wanted.dtype).type(atom.value).item(), wanted.type())
    require_exact(b, b.wrap(atom), wanted.dtype)
    if b.checked and atom.type.weak and atom.type.dtype == "i8" and wanted.dtype[0] in "iu":
        b.in_bounds(b.wrap(atom), wanted.dtype)
    made: Atom = b.apply("cast", atom, dtype=wanted.dtype, name=atom.name).atom
    return made


def filler_value(b: Builder, wanted: Kind) -> Atom:
    """A value nobody reads: zero, or an array of zeros whose open sizes are 0."""
    if wanted.dtype == "rng":
        raise AssertionError("a random generator cannot be made up")
    zero = Lit(np.dtype(wanted.dtype).type(0).item(), Type(wanted.dtype, (), wanted.weak))
    if not wanted.dims:
        return zero
    sizes = [0 if isinstance(n, Open) else b.size(n) for n in wanted.dims]
    made: Atom = b.apply("full", zero, *sizes, dtype=wanted.dtype).atom
    return made


def out_atom(b: Builder, atom: Atom | None, wanted: Kind) -> Atom:
    """What a block gives for an atom of another kind, or for none."""
    return filler_value(b, wanted) if atom is None else as_kind(b, atom, wanted)


def bound_vars(b: Builder) -> set[Var]:
    """The Vars bound in a block, sizes included."""
    block = b.block(())
    found = {var for equation in block.equations for var in binds(equation)}
    return found | {d for var in found for d in sizes(var.type)}.difference(free(block))
