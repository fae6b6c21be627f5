"""The cotangents of a block while it is turned round: what has been added up so far, by the linear Vars they are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from autodiff.jvp import fit_tangent, is_stretched, zeros_of
from codegen.analysis.small_arrays import is_small_type, places
from codegen.ir import Atom, Type, Var
from codegen.ir.build import Builder
from codegen.primitives.index import Inside


def bar(name: str) -> str:
    """The name of the cotangent of what a tangent is the tangent of."""
    return f"{name.removesuffix('_dot')}_bar"


class Cotangents:
    """What has been accumulated so far, per linear Var, in one block."""

    def __init__(self, b: Builder, found: Mapping[Var, Atom] | None = None):
        self.b = b
        self.found: dict[Var, Atom] = dict(found or {})

    def add(self, var: Any, value: Any) -> None:
        """`var_bar += value`."""
        atom, so_far = self.b.atom(value), self.found.get(var)
        if so_far is not None and says_places(atom.type, so_far.type) and not is_small_type(so_far.type):
            self.found[var] = added_in_places(self.b, so_far, atom, bar(var.name))
            return
        if so_far is not None:
            atom = self.b.atom(self.b.wrap(so_far) + self.b.wrap(atom))
        shape = atom.type.shape if says_places(atom.type, var.type) else var.type.shape
        made = Var(bar(var.name), replace(var.type, shape=shape))
        self.found[var] = fit_tangent(self.b, atom, made, suffix="")

    def pop(self, var: Var) -> Atom | None:
        return self.found.pop(var, None)

    def pop_array(self, var: Atom, *, or_zeros: bool) -> Atom | None:
        """The cotangent of an array, where something reached it; it is consumed. `or_zeros`: elsewhere zeros."""
        found = self.found.get(var)  # type: ignore[arg-type]
        if found is None and or_zeros and var.type.rank:
            return zeros_of(self.b, var.type, bar(getattr(var, "name", "x")))
        if isinstance(found, Var) and found.type.rank and found.type.dtype == var.type.dtype:
            return self.found.pop(var)  # type: ignore
        return None

    def peek(self, var: Var) -> Atom | None:
        return self.found.get(var)

    def take(self, var: Var) -> Atom:
        """The cotangent of a linear Var, zeros if nothing reached it; it is consumed."""
        atom = self.found.pop(var, None)
        return zeros_of(self.b, var.type, bar(var.name)) if atom is None else atom


def says_places(type_: Type, other: Type) -> bool:
    """Whether arrays of the first type have few elements, how many is known, and those of the other have as many."""
    same = type_.rank == other.rank and not any(map(is_stretched, type_.shape, other.shape))
    return same and is_small_type(type_)


def added_in_places(b: Builder, so_far: Atom, more: Atom, name: str) -> Atom:
    """Few elements, one by one: such an array need not be one (codegen/simplify/scalar_replacement.py)."""
    spec = Inside(("i",) * more.type.rank)
    for place in places(more.type):
        element = b.apply("index", more, *place, spec=spec)
        so_far = b.atom(b.apply("accumulate", so_far, element, *place, spec=spec, name=name))
    return so_far
