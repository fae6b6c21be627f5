"""What a complex number or array is: a nest of the class `complex` whose items are its two parts.

    z = 1.0 + 2.0j                    (1.0, 2.0)
    x = np.zeros(3, complex)          two arrays of zeros

So loops, branches, calls and closures carry it as two leaves, named `z_re` and `z_im`. The parts of an array are two
arrays: what is written into `x.real` is written into x, and what shares memory with x does so part by part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from codegen.infer.frame import Frame
from codegen.infer.kinds import Kind, as_kind, kind, unify
from codegen.infer.memory.aliases import is_contents
from codegen.infer.values import Nest, Ref, Static, Value, View, complex_pair
from codegen.ir import Atom, Equation, Lit, Type, Var
from codegen.ir.build import call
from codegen.ir.literals import code, literal
from codegen.ir.substitution import free

PARTS = ("re", "im")


pair = complex_pair


def is_complex(value: object) -> TypeGuard[Nest]:
    return isinstance(value, Nest) and value.cls is complex


def holds_complex(value: object) -> bool:
    """Whether a value is complex, or a list or tuple of which an item is."""
    return isinstance(value, Nest) and (
        value.cls is complex or value.cls in (list, tuple) and any(map(holds_complex, value.items))
    )


def is_real(value: object) -> TypeGuard[Var | Lit | Ref | View]:
    """Whether a value is a number or an array of real ones."""
    return isinstance(value, Var | Lit | Ref | View)


def is_number(value: object) -> TypeGuard[Var | Lit]:
    return isinstance(value, Var | Lit)


def is_complex_dtype(value: object) -> bool:
    """Whether a value is a dtype of complex numbers, under any of its names."""
    if not isinstance(value, Static) or value.value is None:
        return False
    try:
        return np.dtype(value.value).kind == "c"
    except TypeError:
        return False


def part_dtype(dtype: Any) -> np.dtype:
    """complex128 -> float64"""
    return np.empty(0, dtype).real.dtype


def complex_dtype(part: str) -> np.dtype:
    """float64 -> complex128"""
    return np.result_type(part, np.complex64)


def part_name(name: str, part: str) -> str:
    """What a part of `name` is called; "t" has no name."""
    return name if name == "t" else f"{name}_{part}"


def zero_of(type_: Type) -> Lit:
    """The imaginary part of a real number: 0.0 in the dtype that its real part has then."""
    dtype = type_.dtype if type_.is_float else "f8"
    return Lit(0.0, Type(dtype, (), type_.weak and not type_.rank))


def zero_part(frame: Frame, value: Value, name: str = "t") -> Value:
    """The imaginary part of a real number or array, of its shape."""
    type_ = frame.atom(value).type
    zero = zero_of(type_)
    if not type_.rank:
        return zero
    sizes = map(frame.b.size, type_.shape)
    return frame.take(
        frame.b.apply("full", frame.b.wrap(zero), *sizes, dtype=zero.type.dtype, name=name), name
    )


def as_complex(frame: Frame, value: Value) -> Nest:
    """A complex value, or a real one with its imaginary part."""
    if is_complex(value):
        return value
    if not is_real(value):
        raise frame.refusal(f"a number or an array is needed here, not {frame.describe(value)}")
    return pair(in_floats(frame, value), zero_part(frame, value))


def in_floats(frame: Frame, value: Value, beside: str = "f8") -> Value:
    """A number or array of ints or bools in float64, or as narrow as parts beside it where these hold them; floats as
    they are."""
    atom = frame.atom(value)
    if atom.type.is_float:
        return value
    if isinstance(atom, Lit):
        return literal(float(atom.value) if atom.type.weak else np.float64(atom.value))
    both = np.result_type(atom.type.dtype, complex_dtype(beside))
    dtype = "f8" if atom.type.weak else code(part_dtype(both))
    made = frame.b.apply("cast", frame.b.wrap(atom), dtype=dtype)
    return frame.take(frame.named(made, "t", weak=atom.type.weak), "t")


def settled(frame: Frame, re: Value, im: Value, name: str = "t") -> Nest:
    """Two parts as one value: of one shape, and of one dtype of floats."""
    re, im = spread(frame, in_floats(frame, re), im), spread(frame, in_floats(frame, im), re)
    kinds = [Kind(a.type.dtype, (), a.type.weak) for a in (frame.atom(re), frame.atom(im))]
    if kinds[0] == kinds[1]:
        return pair(re, im)
    met = unify(*kinds)
    return pair(
        *(in_kind(frame, each, met, part_name(name, p)) for each, p in zip((re, im), PARTS, strict=True))
    )


def spread(frame: Frame, value: Value, other: Value) -> Value:
    """A number as an array of the other part's shape, where that is one."""
    wanted, atom = frame.atom(other).type, frame.atom(value)
    if atom.type.rank or not wanted.rank:
        return value
    sizes = tuple(map(frame.b.size, wanted.shape))
    return frame.take(frame.b.apply("full", frame.b.wrap(atom), *sizes, dtype=atom.type.dtype), "t")


def in_kind(frame: Frame, value: Value, met: Kind, name: str) -> Value:
    """A part in a dtype."""
    atom = frame.atom(value)
    if atom.type.dtype == met.dtype and atom.type.weak == met.weak:
        return value
    made: Atom = as_kind(frame.b, atom, Kind(met.dtype, kind(atom.type).dims, met.weak))
    if isinstance(made, Lit):
        return made
    if (
        made is atom
        and (alone := retyped_number(frame, atom, Type(atom.type.dtype, (), met.weak))) is not None
    ):
        return alone
    return frame.take(frame.named(frame.b.wrap(made), name, weak=met.weak), name)


def retyped_number(frame: Frame, atom: Atom, type_: Type) -> Var | None:
    """A number that has just been made, and that nothing mentions yet, with another type."""
    if is_contents(atom, frame.st):
        return None
    for k in reversed(range(len(frame.b.equations))):
        equation = frame.b.equations[k]
        if atom in equation.outs:
            made = Var(equation.outs[equation.outs.index(atom)].name, type_)
            outs = tuple(made if out is atom else out for out in equation.outs)
            frame.b.equations[k] = Equation(outs, equation.op, equation.span)
            return made
        if atom in free(equation.op):
            break
    return None


def of_weakness(frame: Frame, value: Value, weak: bool, name: str) -> Value:
    """A number as Python's (weak) or as NumPy's."""
    if is_number(value) and weak and value.type.dtype in ("f8", "b1"):
        return value if value.type.weak else in_kind(frame, value, Kind(value.type.dtype, (), weak), name)
    if not is_complex(value):
        return value
    atoms = [frame.atom(part) for part in value.items]
    if atoms[0].type.rank or all(atom.type.weak == weak for atom in atoms):
        return value
    dtype = "f8" if weak else atoms[0].type.dtype
    named = zip(value.items, PARTS, strict=True)
    return pair(*(in_kind(frame, part, Kind(dtype, (), weak), part_name(name, p)) for part, p in named))


def rebuild_numbers(value: Value, make: Callable[[Value], Value]) -> Value:
    """A number, or a tuple of them, made other ones."""
    if isinstance(value, Nest) and not is_complex(value):
        return value.with_items(tuple(map(make, value.items)))
    return make(value)


def pythons_number(frame: Frame, value: Value, name: str) -> Value:
    """A number as cmath takes it: Python's, of 64 bits."""
    atom = frame.atom(value.items[0] if is_complex(value) else value)
    if atom.type.rank:
        raise frame.refusal("cmath's functions take numbers: NumPy's take arrays")
    if is_complex(value):
        return of_weakness(frame, value, True, name)
    return in_kind(frame, in_floats(frame, value), Kind("f8", (), True), name)


def known_complex(value: Value) -> Any:
    """The number that a value is, where it is known and Python's; None for others."""
    match value:
        case Lit() if value.type.weak:
            return value.value
        case Nest(_, (Lit() as re, Lit() as im)) if is_complex(value) and re.type.weak and im.type.weak:
            return complex(re.value, im.value)
    return None


def is_weak(frame: Frame, value: Value) -> bool:
    """Whether a number is Python's."""
    first = value.items[0] if is_complex(value) else value
    atom = frame.atom(first)
    return atom.type.weak and not atom.type.rank


def part_of(frame: Frame, value: Value, k: int) -> Value:
    """The real (0) or imaginary (1) part of what holds complex numbers: lists item by item."""
    if is_complex(value):
        return value.items[k]
    if isinstance(value, Nest):
        return value.with_items(tuple(part_of(frame, item, k) for item in value.items))
    return value if k == 0 else zero_part(frame, value)


def transposed(frame: Frame, value: Nest) -> Value:
    """`z.T`"""
    made = (frame.take(call(frame.b, np.transpose, frame.give(part)), "t") for part in value.items)
    return pair(*made)
