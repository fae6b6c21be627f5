"""Primitives as a thread of a GPU computes them: rows' `device` where numba-cuda has no other function of a number.

floor(x)  ->  libdevice.floor(x)          x ** 3  ->  cubed(x)          np.empty(4)  ->  cuda.local.array(4, np.float64)
"""

from __future__ import annotations

from collections.abc import Sequence

from codegen import runtime
from codegen.emit.spelling import ATOM, Text, scalar_type
from codegen.ir import Apply, Lit, Type
from codegen.ir.kinds import Arithmetic, Made, Rounding
from codegen.primitives.shape import dims_text
from codegen.targets.numba_cpu import NumbaSpelling, taken

POWERS = {2: "squared", 3: "cubed", 4: "fourth_power"}  # what numba-cuda would call its power for


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


def device_function(op: Apply, out: Type) -> str | None:
    """The function that a thread calls, where it is not the CPU's."""
    if op.primitive.kind is not Arithmetic.POW:
        return op.primitive.device
    power = op.operands[1]
    return POWERS.get(power.value) if out.is_float and isinstance(power, Lit) else None
