"""Elementwise arithmetic and functions: broadcasting, dtype by NumPy's own promotion, one row each."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir import Atom, Type, Var
from codegen.ir.build import Builder, E
from codegen.ir.kinds import Arithmetic, Bits, Choice, Rounding, Same, Vector
from codegen.ir.primitive import LINEAR, Primitive
from codegen.ir.promotion import computed_in
from codegen.primitives.row import FUNCTIONS, ROWS, lowers, row

PLAIN, TEXT = Vector.PLAIN, Vector.TEXT


def broadcast_shape(atoms: tuple[Atom, ...]) -> tuple[Any, ...]:
    """NumPy's broadcasting of the operands' shapes; of two sizes that must be equal the known one."""
    given = {a.type.shape for a in atoms}
    if len(given) == 1:
        return given.pop()
    rank = max((a.type.rank for a in atoms), default=0)
    shape: list[Any] = []
    for axis in range(rank, 0, -1):
        sizes = [a.type.shape[-axis] for a in atoms if a.type.rank >= axis and a.type.shape[-axis] != 1]
        known = sorted({s for s in sizes if isinstance(s, int)})
        if len(known) > 1:
            shapes = " and ".join(str(a.type) for a in atoms)
            raise ValueError(f"{shapes} do not broadcast together: sizes {known[0]} and {known[1]} meet")
        shape.append(known[0] if known else sizes[0] if sizes else 1)
    return tuple(shape)


def result_dtype(ufunc: np.ufunc, atoms: tuple[Atom, ...]) -> str:
    """The dtype NumPy gives `ufunc` of these operands, Python numbers weak."""
    try:
        _, found = computed_in(ufunc, [a.type for a in atoms])
    except TypeError as error:
        names = " and ".join(a.type.dtype for a in atoms)
        raise TypeError(f"{ufunc.__name__} is not defined for {names}") from error
    if found == "f2":
        names = " and ".join(a.type.dtype for a in atoms)
        raise TypeError(
            f"{ufunc.__name__} of {names} is float16 for NumPy, which is not supported: "
            "cast first, as in x.astype(np.float64)"
        )
    return found


shape_of = operator.attrgetter("type.shape")


def elementwise_type(ufunc: np.ufunc) -> Callable[..., Type]:
    of_numbers: dict[tuple[tuple[str, bool], ...], Type] = {}

    def type_(*atoms: Atom) -> Type:
        if not any(map(shape_of, atoms)):
            given = tuple([(a.type.dtype, a.type.weak) for a in atoms])
            if given not in of_numbers:
                of_numbers[given] = Type(result_dtype(ufunc, atoms), (), all(weak for _, weak in given))
            return of_numbers[given]
        shape = broadcast_shape(atoms)
        return Type(result_dtype(ufunc, atoms), shape)

    return type_


def elementwise(name: str, ufunc: np.ufunc, *also: Any, jvp: Any = None, **fields: Any) -> Primitive:
    """A row for a ufunc; `also`: further callables that mean the same (math.exp). Without a `jvp` no derivative flows.

    Its kind is the one of its name, and what has no operator is called as NumPy has it.
    """
    fields.setdefault("type", elementwise_type(ufunc))
    fields.setdefault("kind", Arithmetic.__members__.get(name.upper()))
    if "operator" not in fields:
        fields.setdefault("call", f"np.{ufunc.__name__}")
    jvp = (jvp,) if callable(jvp) else jvp or (None,) * ufunc.nin
    entry = row(name, ufunc, family="elementwise", jvp=jvp, **fields)
    for each in (ufunc, *also):
        FUNCTIONS[each] = lambda b, *operands: b.apply(entry, *operands)
    return entry


def in_math(name: str, ufunc: np.ufunc, **fields: Any) -> Primitive:
    """A row for a ufunc that `math` has for numbers, under its name; so has NVIDIA what is more than an instruction."""
    if fields["vector"] is TEXT:
        fields.setdefault("libdevice", name)
    return elementwise(name, ufunc, scalar=f"math.{name}", **fields)


def nonzero(out: Any) -> Any:
    """The length that a slope is divided by: where it is 0 the slope is, as that of `abs`."""
    return np.where(out == 0, np.dtype(out.dtype).type(1), out)


def share_of_sum(x: Any, out: Any, y: Any) -> Any:
    """What exp(x) is of exp(x) + exp(y), whose logarithm is `out`; where both are 0 it is 0, too."""
    if any(isinstance(known, int | float) and known > -math.inf for known in (x, y)):
        return np.exp(x - out)
    return np.exp(x - np.where(out == -math.inf, np.dtype(out.dtype).type(0), out))


def same_cotangent(ct: Any, *_: Any) -> Any:
    return ct


# fmt: off
elementwise("add", np.add, vector=PLAIN, operator="+", neutral={0: 0, 1: 0}, of_bools="or",
            jvp=LINEAR, linear=(0, 1), transpose={0: same_cotangent, 1: same_cotangent})
elementwise("sub", np.subtract, vector=PLAIN, operator="-", neutral={1: 0},
            jvp=LINEAR, linear=(0, 1), transpose={0: same_cotangent, 1: lambda ct, x, y: -ct})
elementwise("mul", np.multiply, vector=PLAIN, operator="*", neutral={0: 1, 1: 1}, of_bools="and",
            transpose={0: lambda ct, x, y: ct * y, 1: lambda ct, x, y: x * ct},
            jvp=(lambda t, out, x, y: t * y, lambda t, out, x, y: x * t))
elementwise("div", np.true_divide, vector=PLAIN, operator="/", neutral={1: 1}, of_bools="f8", cost=4,
            transpose={0: lambda ct, x, y: ct / y},
            jvp=(lambda t, out, x, y: t / y, lambda t, out, x, y: -t * out / y))
elementwise("neg", np.negative, vector=PLAIN, operator="-", jvp=LINEAR, linear=(0,), transpose={0: lambda ct, x: -ct})
elementwise("floordiv", np.floor_divide, operator="//", of_bools="i1", cost=8,
            of_ints={"i8": "whole_floordiv", "i4": "narrow_floordiv"})
elementwise("mod", np.remainder, operator="%", of_bools="i1", cost=8,
            of_ints={"i8": "whole_mod", "i4": "narrow_mod"},
            jvp=(lambda t, out, x, y: t, lambda t, out, x, y: -t * np.floor(x / y)))
elementwise("abs", np.absolute, abs, vector=PLAIN, call="np.abs", scalar="abs", jvp=lambda t, out, x: t * np.sign(x))
elementwise("sign", np.sign, device="signum", vector=PLAIN)
in_math("sqrt", np.sqrt, vector=PLAIN, cost=6, jvp=lambda t, out, x: 0.5 * (t / out))
elementwise("cbrt", np.cbrt, vector=TEXT, libdevice="cbrt", cost=20, jvp=lambda t, out, x: t / (3.0 * out * out))
elementwise("square", np.square, device="squared", vector=PLAIN, jvp=lambda t, out, x: 2.0 * (x * t))
elementwise("reciprocal", np.reciprocal, vector=PLAIN, device="inverse", of_bools="i1", cost=4,
            jvp=lambda t, out, x: -t * out * out)
in_math("exp", np.exp, vector=TEXT, cost=15, jvp=lambda t, out, x: t * out)
in_math("exp2", np.exp2, vector=TEXT, cost=15, jvp=lambda t, out, x: math.log(2.0) * t * out)
in_math("expm1", np.expm1, vector=TEXT, cost=20, jvp=lambda t, out, x: t * np.exp(x))
in_math("log", np.log, vector=TEXT, cost=15, jvp=lambda t, out, x: t / x)
in_math("log2", np.log2, vector=TEXT, cost=15, jvp=lambda t, out, x: t / (math.log(2.0) * x))
in_math("log10", np.log10, vector=TEXT, cost=15, jvp=lambda t, out, x: t / (math.log(10.0) * x))
in_math("log1p", np.log1p, vector=TEXT, cost=20, jvp=lambda t, out, x: t / (1.0 + x))
in_math("sin", np.sin, vector=TEXT, libdevice=None, cost=20, jvp=lambda t, out, x: t * np.cos(x))
in_math("cos", np.cos, vector=TEXT, libdevice=None, cost=20, jvp=lambda t, out, x: -t * np.sin(x))
in_math("tan", np.tan, vector=TEXT, cost=25, jvp=lambda t, out, x: t * (1.0 + out * out))
in_math("asin", np.arcsin, vector=TEXT, cost=25, jvp=lambda t, out, x: t / np.sqrt((1.0 - x) * (1.0 + x)))
in_math("acos", np.arccos, vector=TEXT, cost=25, jvp=lambda t, out, x: -t / np.sqrt((1.0 - x) * (1.0 + x)))
in_math("atan", np.arctan, vector=TEXT, cost=25, jvp=lambda t, out, x: t / (1.0 + x * x))
in_math("sinh", np.sinh, vector=TEXT, cost=25, jvp=lambda t, out, x: t * np.cosh(x))
in_math("cosh", np.cosh, vector=TEXT, cost=25, jvp=lambda t, out, x: t * np.sinh(x))
in_math("tanh", np.tanh, vector=TEXT, cost=25, jvp=lambda t, out, x: t * (1.0 - out * out))
in_math("asinh", np.arcsinh, vector=TEXT, cost=25, jvp=lambda t, out, x: t / np.sqrt(1.0 + x * x))
in_math("acosh", np.arccosh, vector=TEXT, cost=25, jvp=lambda t, out, x: t / np.sqrt((x - 1.0) * (x + 1.0)))
in_math("atanh", np.arctanh, vector=TEXT, cost=25, jvp=lambda t, out, x: t / ((1.0 - x) * (1.0 + x)))
elementwise("floor", np.floor, vector=PLAIN, libdevice="floor", kind=Rounding.FLOOR)
elementwise("ceil", np.ceil, vector=PLAIN, libdevice="ceil", kind=Rounding.CEIL)
elementwise("trunc", np.trunc, vector=PLAIN, libdevice="trunc", kind=Rounding.TRUNC)
elementwise("rint", np.rint, vector=PLAIN, libdevice="rint", kind=Rounding.NEAREST)
in_math("atan2", np.arctan2, vector=TEXT, cost=30,
        jvp=(lambda t, out, x, y: t * y / (x * x + y * y), lambda t, out, x, y: -t * x / (x * x + y * y)))
in_math("hypot", np.hypot, vector=TEXT, cost=10,
        jvp=(lambda t, out, x, y: t * x / nonzero(out), lambda t, out, x, y: t * y / nonzero(out)))
in_math("copysign", np.copysign, vector=PLAIN,
        jvp=(lambda t, out, x, y: t * np.sign(x) * np.copysign(1.0, y), None))
elementwise("logaddexp", np.logaddexp, vector=TEXT, cost=40,
            jvp=(lambda t, out, x, y: t * share_of_sum(x, out, y), lambda t, out, x, y: t * share_of_sum(y, out, x)))
elementwise("nextafter", np.nextafter, vector=TEXT, libdevice="nextafter", jvp=(lambda t, out, x, y: t, None))
elementwise("ldexp", np.ldexp, device="math.ldexp", vector=PLAIN, helper="times_power_of_two", cost=8,
            jvp=(lambda t, out, x, n: t * np.ldexp(np.dtype(out.dtype).type(1.0), n), None))
elementwise("bitand", np.bitwise_and, kind=Bits.AND, vector=PLAIN, operator="&")
elementwise("bitor", np.bitwise_or, kind=Bits.OR, vector=PLAIN, operator="|")
elementwise("bitxor", np.bitwise_xor, kind=Bits.XOR, vector=PLAIN, operator="^")
elementwise("invert", np.invert, kind=Bits.INVERT, vector=PLAIN, operator="~")
elementwise("lshift", np.left_shift, kind=Bits.LEFT, vector=PLAIN, operator="<<", of_bools="i1")
elementwise("rshift", np.right_shift, kind=Bits.RIGHT, vector=PLAIN, operator=">>", of_bools="i1")
# fmt: on


# Ties share the cotangent equally, forward and reverse alike: the weight is 1, 1/2 or 0. Where an operand is NaN the
# result is that NaN and so is the derivative.
def tie_weight(x: Any, y: Any, out: Any) -> Any:
    zero, half, one, nan = (np.dtype(out.dtype).type(c) for c in (0.0, 0.5, 1.0, np.nan))
    return np.where(x == out, np.where(y == out, half, one), np.where(y == out, zero, nan))


for _name, _ufunc, _logical, _device in (
    ("maximum", np.maximum, "or", "highest"),
    ("minimum", np.minimum, "and", "lowest"),
):
    ties = (lambda t, out, x, y: t * tie_weight(x, y, out), lambda t, out, x, y: t * tie_weight(y, x, out))
    elementwise(_name, _ufunc, vector=PLAIN, device=_device, of_bools=_logical, jvp=ties)


def extreme_row(name: str, call: str, ufunc: np.ufunc, strictly: np.ufunc) -> None:
    """Python's max or min of two floats: the second only where it is strictly beyond the first, which may be NaN.

    Ties share as above: `first` is what of the cotangent the first gets, 1, 1/2 or 0.
    """

    def first(x: Any, y: Any, out: Any) -> Any:
        zero, half, one = (np.dtype(out.dtype).type(c) for c in (0.0, 0.5, 1.0))
        return np.where(strictly(y, x), zero, np.where(x == y, half, one))

    # fmt: off
    row(name, lambda x, y: np.where(strictly(y, x), y, x), elementwise_type(ufunc), "elementwise",
        kind=Choice[name.upper()], vector=PLAIN, call=call, device=name,
        jvp=(lambda t, out, x, y: t * first(x, y, out), lambda t, out, x, y: t * (1.0 - first(x, y, out))))
    # fmt: on


extreme_row("larger", "max", np.maximum, np.greater)
extreme_row("smaller", "min", np.minimum, np.less)


def power_base(t: Any, out: Any, x: Any, y: Any) -> Any:
    """y x^(y-1) t; an exponent of 0 gives 0 also at x = 0, where x^-1 is infinite, and elsewhere has a slope itself."""
    if isinstance(y, int | float | np.number):
        if y == 0:
            return None
        return 2.0 * (x * t) if y == 2 else t * y * x ** (y - 1)
    return t * y * np.where((y == 0) & ~(np.abs(x) > 0), 1.0, x) ** (y - 1)


def power_exponent(t: Any, out: Any, x: Any, y: Any) -> Any:
    """x^y log x t; 0 at x = 0 (the limit for y > 0)."""
    return t * np.where(x == 0, 0.0, out * np.log(np.where(x == 0, 1.0, x)))


elementwise(
    "pow",
    np.power,
    vector=TEXT,
    operator="**",
    libdevice="pow",
    cost=30,
    jvp=(power_base, power_exponent),
    of_bools="i1",
)
NEGATIVE_POWER = "Integers to negative integer powers are not allowed."  # NumPy's words


def power(b: Builder, x: Any, y: Any) -> Any:
    """NumPy has no negative powers of ints, and takes a bool for the int that its power is."""
    base, exponent = b.atom(x).type, b.atom(y).type
    inside, result = computed_in(np.power, (base, exponent))
    if base.dtype == "b1" and exponent.dtype != "b1":
        x = b.apply("cast", x, dtype=inside[0])
    if exponent.dtype[0] == "i" and result[0] == "i":
        if not isinstance(y, E):
            if y < 0:
                raise ValueError(NEGATIVE_POWER)
        else:
            test = b.apply("ge", y, 0)
            axes = tuple(range(exponent.rank))
            b.require(b.apply("all", test, axis=axes) if axes else test, "ValueError", NEGATIVE_POWER)
    elif result[0] == "u" and exponent.weak and not isinstance(y, E) and y < 0:
        raise OverflowError(f"Python integer {y} out of bounds for {np.dtype(result).name}")
    return b.apply("pow", x, y)


def power_or_root(b: Builder, x: Any, y: Any) -> Any:
    """np.power, and `**` of arrays: to the power 0.5 they are square roots, of -0.0 and -inf too. `**` of numbers is
    C's pow."""
    if not isinstance(y, int | float | np.floating) or y != 0.5:
        return power(b, x, y)
    base = b.atom(x).type
    dtype = computed_in(np.power, (base, b.atom(y).type))[1]
    if computed_in(np.sqrt, (base,))[1] != dtype:
        x = b.apply("cast", x, dtype=dtype)
    return b.apply("sqrt", x)


def reciprocal(b: Builder, x: Any) -> Any:
    """Of unsigned ints 1 has one, and 0 has 0: NumPy converts infinity there, which each compiler does its own way."""
    type_ = b.atom(x).type
    if type_.dtype[0] != "u":
        return b.apply("reciprocal", x)
    return b.apply("cast", b.apply("eq", x, 1), dtype=type_.dtype)


FUNCTIONS[np.reciprocal] = reciprocal
FUNCTIONS[pow] = power
FUNCTIONS[np.power] = power_or_root


def shift_builder(name: str) -> Callable[..., Any]:
    """Shifts as NumPy has them: by all bits or more, or by a negative number, nothing is left but the sign.

    A processor looks at the lowest bits of the number alone.
    """
    rule = ROWS[name]

    def build(b: Builder, x: Any, y: Any) -> Any:
        _, atoms = b.of_bools(rule, (b.atom(x), b.atom(y)))
        x, y = (b.wrap(a) for a in b.meet(atoms, rule))
        type_ = rule.type(b.atom(x), b.atom(y))
        bits = 8 * np.dtype(type_.dtype).itemsize
        if isinstance(y, E) and y.type.dtype == "b1":
            return b.apply(name, x, b.apply("cast", y, dtype=type_.dtype))
        if not isinstance(y, E):
            if 0 <= y < bits:
                return b.apply(name, x, y)
            far: Any = True
        else:
            far = b.apply("gt", y, bits - 1)
            if y.type.dtype[0] == "i":
                far = b.apply("or", far, b.apply("lt", y, 0))
        if name == "rshift" and type_.dtype[0] == "i":
            return b.apply(name, x, np.where(far, bits - 1, y))
        kept = y & (bits - 1)
        nothing = 0 if type_.weak else np.dtype(type_.dtype).type(0)
        return np.where(far, nothing, b.apply(name, x, kept))

    return build


FUNCTIONS[operator.lshift] = shift_builder("lshift")
FUNCTIONS[operator.rshift] = shift_builder("rshift")
FUNCTIONS[np.right_shift] = FUNCTIONS[operator.rshift]


@lowers(np.left_shift)
def left_shift(b: Builder, x1: Any, x2: Any) -> Any:
    """Of Python's ints too it is one of NumPy's, of 64 bits."""
    x = b.apply("cast", x1, dtype="i8") if b.atom(x1).type.weak and b.atom(x1).type.dtype == "i8" else x1
    return FUNCTIONS[operator.lshift](b, x if b.atom(x2).type.weak else x1, x2)


@lowers(np.ldexp)
def ldexp(b: Builder, x: Any, n: Any) -> Any:
    """x times 2**n, in the dtype of the float that x is."""
    dtype = result_dtype(np.ldexp, (b.atom(x), b.atom(n)))
    x = x if b.atom(x).type.dtype == dtype else b.apply("cast", x, dtype=dtype)
    return b.apply("ldexp", x, b.apply("cast", n, dtype="i8"))


def exponent_type(x: Atom) -> Type:
    if not x.type.is_float:
        raise TypeError(f"exponents are of floats, not of {x.type}")
    return Type("i4", x.type.shape)


row("exponent", lambda x: np.frexp(x)[1], exponent_type, "elementwise", helper="binary_exponent", vector=PLAIN, cost=4,
    form=lambda x, rank, lib: (f"{lib}.frexp({x})[1]", 100), jvp=(None,))  # fmt: skip
row("mantissa", lambda x: np.frexp(x)[0], lambda x: Type(x.type.dtype, exponent_type(x).shape), "elementwise",
    helper="binary_part", vector=PLAIN, cost=4, form=lambda x, rank, lib: (f"{lib}.frexp({x})[0]", 100),
    jvp=(lambda t, out, x: t * np.ldexp(np.dtype(out.dtype).type(1.0), -x.builder.apply("exponent", x)),))  # fmt: skip


def muladd_type(x: Atom, y: Atom, z: Atom) -> Type:
    if not all(atom.type.is_float for atom in (x, y, z)):
        raise TypeError("muladd is for floats")
    return elementwise_type(np.add)(Var("t", elementwise_type(np.multiply)(x, y)), z)


def wrapping_type(x: Atom, y: Atom) -> Type:
    if any(atom.type.dtype != "i8" for atom in (x, y)):
        raise TypeError("wrapping arithmetic is for ints of 64 bits")
    return Type("i8", broadcast_shape((x, y)), x.type.weak and y.type.weak)


# fmt: off
row("cast", lambda x, *, dtype: np.asarray(x).astype(dtype)[()], lambda x, *, dtype: Type(dtype, x.type.shape),
    "elementwise", kind=Same.CAST, vector=PLAIN, jvp=LINEAR, linear=(0,),
    transpose={0: lambda ct, x, *, dtype: ct.astype(np.dtype(x.dtype))})
# Machines of lanes have products and sums as one step (autobatch/prepare/contraction.py), named as in Julia and LLVM.
row("muladd", lambda x, y, z: x * y + z, muladd_type, "elementwise", kind=Arithmetic.MULADD, vector=PLAIN, cost=2,
    jvp=(lambda t, out, x, y, z: t * y, lambda t, out, x, y, z: x * t, lambda t, out, x, y, z: t),
    form=lambda x, y, z, **_: (f"({x}) * ({y}) + ({z})", 10))
# A product that no compiler makes a part of a sum (autobatch/prepare/exact_draws.py).
row("rounded_mul", np.multiply, elementwise_type(np.multiply), "elementwise", operator="*", helper="rounded",
    transpose={0: lambda ct, x, y: ct * y, 1: lambda ct, x, y: x * ct},
    jvp=(lambda t, out, x, y: t * y, lambda t, out, x, y: x * t))
# What `add`, `sub`, `mul` and `pow` of ints become where an overflow could be seen (codegen/emit/overflow.py).
for _name in ("add", "sub", "mul", "pow"):
    row(f"wrapping_{_name}", ROWS[_name].numpy, wrapping_type, "elementwise", vector=None if _name == "pow" else PLAIN,
        operator=ROWS[_name].operator, helper=f"wrapping_{_name}", jvp=(None, None))
# fmt: on
UNWRAPPED = {ROWS[f"wrapping_{name}"]: ROWS[name] for name in ("add", "sub", "mul", "pow")}
