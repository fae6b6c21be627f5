"""Calls with complex arguments, by what the rows say that the call builds.

    np.sum(z), np.concatenate([z, x])     linear in all complex arguments together: part by part, x with zeros
    np.einsum("ij,j", z, w)               linear in each of them: the four products of the parts
    np.ones_like(z)                       of no argument's numbers: real
    np.exp(z)                             a definition for complex numbers

Which of these it is, is found by building the call once and looking at what it built (analysis/homogeneity.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from codegen.analysis.homogeneity import ZERO, degree, degrees
from codegen.infer.complex_numbers.parts import (
    PARTS,
    as_complex,
    holds_complex,
    in_floats,
    is_complex,
    is_complex_dtype,
    is_real,
    pair,
    part_dtype,
    part_name,
    part_of,
    settled,
    zero_part,
)
from codegen.infer.frame import Frame
from codegen.infer.memory.subscripts import set_item
from codegen.infer.values import Cell, Nest, Ref, Static, Value, View, leaves
from codegen.ir import Lit, Type, Var
from codegen.source import SourceError

Arguments = dict[Any, Value]
Build = Callable[[Arguments, str], Value]  # what a call of real arguments gives
MOST = 3  # real arguments that may be operands beside the complex ones


def is_of_complex(values: Arguments) -> bool:
    """Whether a call has a complex argument, or asks for complex numbers."""
    return any(map(holds_complex, values.values())) or is_complex_dtype(values.get("dtype"))


def call_parts(frame: Frame, build: Build, values: Arguments, name: str, *, ufunc: bool, label: str) -> Value:
    """A call of which an argument is complex, or whose result is asked to be."""
    values = dict(values)
    out = given_as(values, "out", None)
    where = given_as(values, "where", True) if ufunc else None
    dtype = given_as(values, "dtype", None)
    if dtype is not None:
        values["dtype"] = Static(part_dtype(dtype.value)) if is_complex_dtype(dtype) else dtype  # type: ignore[union-attr]
    keys = [key for key, value in values.items() if holds_complex(value)]
    if keys and isinstance(dtype, Static) and not is_complex_dtype(dtype):
        raise frame.refusal(f"{label} of complex numbers in dtype {np.dtype(dtype.value)}: take .real first")
    if out is not None and not is_complex(out):
        raise frame.refusal(f"{label}: the result is complex, and out= an array of real numbers")
    if where is not None and out is None:
        raise frame.refusal(f"{label}: what where= leaves out has no value: give out=, or use np.where")
    for key in values if ufunc and keys else ():
        if is_operand(key) and is_real(values[key]):
            values[key] = as_complex(frame, values[key])
            keys.append(key)
    if keys:
        made = SplitCall(frame, build, label).made(values, keys, name)
    else:
        re = build(values, part_name(name, "re"))
        made = settled(frame, re, zero_part(frame, re, part_name(name, "im")), name)
    if out is None:
        return made
    if where is not None:
        made = frame.inference.call(frame, Static(np.where), (where, made, out), {}, name)
    set_item(frame, out, Ellipsis, made, frame.span)
    return out


def given_as(values: Arguments, key: str, nothing: object) -> Value | None:
    """An argument taken out, None where it is what it is anyway."""
    value = values.pop(key, None)
    return None if isinstance(value, Static | Lit) and value.value is nothing else value


def is_operand(key: Any) -> bool:
    """Whether an argument of a ufunc is one of its operands: they are named x, x1, x2."""
    return isinstance(key, str) and key[:1] == "x"


class SplitCall:
    """One call taken apart."""

    def __init__(self, frame: Frame, build: Build, label: str):
        self.frame, self.build, self.label = frame, build, label
        self.error: SourceError | None = None
        self.each: list[int | None] = []  # the degrees of the results, seen last

    def made(self, values: Arguments, keys: list[Any], name: str) -> Value:
        """The call's value, by the first way to take it apart that is right."""
        found, error = self.degree(values, keys), self.error
        if found == 0:
            return self.untouched(values, name)
        if found == 1 or 1 in self.each and {*self.each} <= {ZERO, 0, 1}:
            return self.by_parts(values, name)
        for more in self.beside(values, keys):
            lifted = values | {key: pair(in_floats(self.frame, values[key]), None) for key in more}
            if self.degree(lifted, [*keys, *more]) == 1:
                full = {key: as_complex(self.frame, values[key]) for key in more}
                return self.by_parts(values | full, name)
        for key in keys if len(keys) > 1 else ():
            if self.degree(values, [key]) == 1:
                return self.by_one(values, keys, key, name)
        raise error or self.frame.refusal(
            f"{self.label} of complex numbers is not supported: compute it of .real and .imag"
        )

    def beside(self, values: Arguments, keys: list[Any]) -> Iterator[tuple[Any, ...]]:
        """Real arguments that may be operands as the complex ones are: one, two, ... of them."""
        others = [k for k, v in values.items() if k not in keys and is_real(v)]
        for count in range(1, min(len(others), MOST) + 1):
            yield from combinations(others, count)

    def degree(self, values: Arguments, keys: list[Any]) -> int | None:
        """How the call hangs on these arguments' numbers, seen from building it of their real parts."""
        frame, inner, roots = self.frame, self.frame.b.inner(), list[Var]()
        with frame.inside(inner, frame.st.copy()):
            given = {
                key: self.stand_in(value, roots if key in keys else None) for key, value in values.items()
            }
            try:
                made = self.build(given, "t")
            except SourceError as error:
                self.error, self.each = self.error or error, []
                return None
            results = [frame.atom(leaf) for leaf in leaves(made) if is_real(leaf)]
            self.each = degrees(inner.equations, roots, results)
            return degree(inner.equations, roots, results)

    def stand_in(self, value: Value, roots: list[Var] | None) -> Value:
        """Values of the types of the real parts, which are noted in `roots`."""
        if is_complex(value):
            re = value.items[0]
            atom = self.frame.atom(re)
            made = Var("t", Type(atom.type.dtype, atom.type.shape, atom.type.weak))
            if roots is not None:
                roots.append(made)
            if not isinstance(re, Ref | View):
                return made
            cell = Cell("t")
            self.frame.st.store[cell] = made
            return Ref(cell)
        if isinstance(value, Nest) and holds_complex(value):
            return self.stand_ins(value, roots)
        return value

    def stand_ins(self, value: Nest, roots: list[Var] | None) -> Nest:
        """As `stand_in`, for all items of a list: real ones beside complex ones are complex."""
        made: list[Value] = []
        for item in value.items:
            if isinstance(item, Nest) and not is_complex(item):
                made.append(self.stand_ins(item, roots))
            else:
                whole = pair(in_floats(self.frame, item), None) if is_real(item) else item
                made.append(self.stand_in(whole, roots))
        return value.with_items(tuple(made))

    def untouched(self, values: Arguments, name: str) -> Value:
        """What hangs on no complex number: ints and bools as they are, floats as complex ones."""
        made = self.build({k: part_of(self.frame, v, 0) for k, v in values.items()}, name)
        if not is_real(made) or not self.frame.atom(made).type.is_float:
            return made
        return settled(self.frame, made, zero_part(self.frame, made), name)

    def by_parts(self, values: Arguments, name: str) -> Value:
        hangs = iter(self.each)
        re, im = (
            self.build(
                {key: part_of(self.frame, v, k) if holds_complex(v) else v for key, v in values.items()},
                part_name(name, part),
            )
            for k, part in enumerate(PARTS)
        )
        return self.joined(re, im, hangs, name)

    def joined(self, re: Value, im: Value, hangs: Iterator[int | None], name: str) -> Value:
        """The call's two results as complex ones: of several each that hangs on complex numbers."""
        if isinstance(re, Nest) and isinstance(im, Nest):
            pairs = zip(re.items, im.items, strict=True)
            return re.with_items(tuple(self.joined(x, y, hangs, name) for x, y in pairs))
        if not is_real(re):
            return re
        return re if next(hangs) == 0 else settled(self.frame, re, im, name)

    def by_one(self, values: Arguments, keys: list[Any], key: Any, name: str) -> Value:
        """f(x + iy, w) = f(x, w) + i f(y, w)"""
        frame, others = self.frame, [k for k in keys if k != key]
        parts = ({**values, key: part_of(frame, values[key], k)} for k in (0, 1))
        first, second = (self.made(each, others, name) for each in parts)
        if not (is_complex(first) and is_complex(second)):
            raise frame.refusal(f"{self.label} of two complex arguments gives one array")
        names = [part_name(name, part) for part in PARTS]
        with frame.refusing():
            a, b, c, d = (frame.give(part) for part in (*first.items, *second.items))
            re = frame.take(frame.b.apply("sub", a, d, name=names[0]), names[0])
            im = frame.take(frame.b.apply("add", b, c, name=names[1]), names[1])
        return settled(frame, re, im, name)
