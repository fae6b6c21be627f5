"""Primitives as a thread of a GPU computes them: rows' `device` where numba-cuda has no other function of a number.

muladd(x, y, z)  ->  cuda.fma(x, y, z)          floor(x)  ->  libdevice.floor(x)          x ** 3  ->  cubed(x)
"""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.kernel.numba.spelling import LaneSpelling
from codegen import runtime
from codegen.emit.spelling import ATOM, Text, scalar_type
from codegen.ir import Apply, Lit, Type
from codegen.ir.kinds import Arithmetic, Rounding
from codegen.targets.numba_cpu import taken

POWERS = {2: "squared", 3: "cubed", 4: "fourth_power"}  # what numba-cuda would call its power for


class ThreadSpelling(LaneSpelling):
    """`wanted`: the functions of codegen/runtime that were written."""

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        row = op.primitive
        if row.kind is Arithmetic.MULADD:
            return f"cuda.fma({', '.join(text for text, _ in args)})", ATOM
        function = row.device if row.kind is not Arithmetic.POW else small_power(op, out)
        if function is None:
            if row.helper:
                self.wanted[row.helper] = None
            return super().apply(op, args, out)
        if "." not in function:
            self.wanted[function] = None
        if row.kind is Arithmetic.POW:
            args = args[:1]
        else:
            args = [self.met(o, a, to) for o, a, to in zip(op.operands, args, taken(op), strict=True)]
        text = f"{function}({', '.join(text for text, _ in args)})"
        given = op.operands[0].type
        if isinstance(row.kind, Rounding) and not given.is_float:
            return args[0]
        plain = out.dtype in ("f8", "b1") or (out.dtype == given.dtype == "i8" and row.kind is not None)
        return text if plain else f"{scalar_type(out.dtype)}({text})", ATOM

    def called(self) -> str:
        """The text of the functions that were written."""
        return runtime.text(self.wanted, device=True).strip("\n") if self.wanted else ""


def small_power(op: Apply, out: Type) -> str | None:
    """The function for a float's power that is a few multiplications."""
    power = op.operands[1]
    return POWERS.get(power.value) if out.is_float and isinstance(power, Lit) else None
