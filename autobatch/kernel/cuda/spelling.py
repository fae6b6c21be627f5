"""Primitives of lanes as threads of a GPU: muladd(x, y, z)  ->  cuda.fma(x, y, z); others as in targets/device.py."""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.kernel.numba.spelling import LaneSpelling
from codegen import runtime
from codegen.emit.spelling import ATOM, Text
from codegen.ir import Apply, Type
from codegen.ir.kinds import Arithmetic
from codegen.targets.device import DeviceSpelling


class ThreadSpelling(DeviceSpelling, LaneSpelling):
    """`wanted`: the functions of codegen/runtime that were written."""

    def note(self, function: str) -> None:
        self.wanted[function] = None

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        if op.primitive.kind is Arithmetic.MULADD:
            return f"cuda.fma({', '.join(text for text, _ in args)})", ATOM
        return super().apply(op, args, out)

    def called(self) -> str:
        """The text of the functions that were written."""
        return runtime.text(self.wanted, device=True).strip("\n") if self.wanted else ""
