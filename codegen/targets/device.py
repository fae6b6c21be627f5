"""Primitives as a thread of a GPU computes them: rows' `device` where numba-cuda has no other function of a number.

floor(x)  ->  libdevice.floor(x)          x ** 3  ->  cubed(x)          np.empty(4)  ->  cuda.local.array(4, np.float64)

Elementary functions are NVIDIA's: the CPU's, which are made for vectors, take up to four times as many instructions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from codegen import runtime
from codegen.emit.spelling import ATOM, EXTREMES, Text, number_text, scalar_type
from codegen.ir import Apply, Lit, Type
from codegen.ir.kinds import Arithmetic, Made, Rounding
from codegen.loops.vectors.vectorise import PREFIXES, is_half_power
from codegen.primitives.shape import dims_text
from codegen.targets.numba_cpu import NumbaSpelling, taken

POWERS = {2: "squared", 3: "cubed", 4: "fourth_power"}  # what numba-cuda would call its power for
ROOT = "fast_root_pow"  # what it is for fractions with these denominators, without a logarithm
DENOMINATORS = range(3, 9)


class DeviceSpelling(NumbaSpelling):
    """As Numba's; what is written of codegen/runtime is told to `note`."""

    def note(self, function: str) -> None:
        """A function of codegen/runtime is called."""

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        row = op.primitive
        if row.kind is Made.EMPTY:
            return f"cuda.local.array({dims_text(tuple(a for a, _ in args))}, {scalar_type(out.dtype)})", ATOM
        function = device_function(op, out)
        if function is None:
            if row.helper:
                self.note(row.helper)
            return super().apply(op, args, out)
        if function in runtime.names():
            self.note(function)
        args = [self.met(o, a, to) for o, a, to in zip(op.operands, args, taken(op), strict=True)]
        if row.kind is Arithmetic.POW:
            args = self.of_power(function, op, args, out)
        text = f"{function}({', '.join(text for text, _ in args)})"
        given = op.operands[0].type
        if isinstance(row.kind, Rounding) and not given.is_float:
            return args[0]
        plain = out.dtype in ("f8", "b1") or (out.dtype == given.dtype == "i8" and row.kind is not None)
        return text if plain else f"{scalar_type(out.dtype)}({text})", ATOM

    def of_power(self, function: str, op: Apply, args: Sequence[Text], out: Type) -> list[Text]:
        """What the function for a power is given."""
        base, exponent = args[0], op.operands[1]
        if function in POWERS.values():
            return [base]
        if function == ROOT and (fraction := fraction_of(op, out)):
            return [base, *(number_text(x) for x in fraction)]
        return [base, self.met(exponent, self.power(exponent, args[1], out), out.dtype)]


def device_function(op: Apply, out: Type) -> str | None:
    """The function that a thread calls, where it is not the CPU's."""
    if op.primitive.kind in EXTREMES and not out.is_float:
        return None
    if op.primitive.kind is not Arithmetic.POW:
        return op.primitive.device or of_library(op, out)
    exponent = known_power(op)
    if not out.is_float or exponent in (0, 1):
        return None
    if exponent in POWERS:
        return POWERS[int(exponent)]
    if is_half_power(op):
        return f"{PREFIXES[out.dtype]}_half_pow"
    return ROOT if fraction_of(op, out) else of_library(op, out)


def of_library(op: Apply, out: Type) -> str | None:
    """NVIDIA's function; those of float32 have names of their own."""
    single = {out.dtype, *(o.type.dtype for o in op.operands)} & {"f4", "f8"} == {"f4"}
    return f"libdevice.{op.primitive.libdevice}{'f' * single}" if op.primitive.libdevice else None


def known_power(op: Apply) -> float | None:
    exponent = op.operands[1]
    return exponent.value if isinstance(exponent, Lit) else None


def fraction_of(op: Apply, out: Type) -> tuple[float, int, int, float] | None:
    """Of an exponent that is n / q to rounding, |n| < q: itself, n, q, and what the fraction lacks."""
    y = known_power(op)
    if y is None or out.dtype != "f8" or not 0.0 < abs(y) < 1.0:
        return None
    for q in DENOMINATORS:
        n = round(y * q)
        if n and n / q == y:
            return float(y), n, q, float(Fraction(y) - Fraction(n, q))
    return None
