"""Numba on the CPU: the same statements, compiled when first called, cached on disk.

Scalars go through `math`; a literal or an operation that Numba would give a wider dtype than NumPy does is cast.
Streams are state rows that the draw functions (codegen/runtime) advance, their text copied in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codegen import runtime
from codegen.ir import Apply, Lit, Program, Type
from codegen.primitives.row import Primitive
from codegen.spell import ATOM, Spelling, Text, number, scalar_type
from codegen.targets.target import Target, applied

ARITHMETIC = ("+", "-", "*", "//", "%", "**", "<<", ">>", "&", "|", "^", "~")


class NumbaSpelling(Spelling):
    """NumPy as Numba types it."""

    def operand(self, lit: Lit, op: Apply) -> Text:
        """Numba's literals are int64 and float64, whatever they meet."""
        if op.primitive.family != "elementwise" or lit.type.weak or lit.type.dtype in ("f8", "i8", "b1"):
            return number(lit.value)
        return f"{scalar_type(lit.type.dtype)}({number(lit.value)[0]})", ATOM

    def function(self, rule: Primitive, rank: int) -> str:
        return rule.scalar if rule.scalar and not rank else super().function(rule, rank)

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        text = super().apply(op, args, out)
        widened = (
            not out.rank and out.dtype not in ("f8", "i8", "b1") and op.primitive.family == "elementwise"
        )
        if widened and (out.dtype[0] in "iu" or op.primitive.name == "pow") and op.primitive.name != "cast":
            return f"{scalar_type(out.dtype)}({text[0]})", ATOM
        return text


@dataclass(frozen=True)
class NumbaTarget(Target):
    def draw(self, op: Apply, args: Sequence[str]) -> Text:
        return f"{op.primitive.name}({', '.join(args)})", ATOM

    def draws(self, op: Apply, args: Sequence[str], out: str, type_: Type) -> list[str]:
        """An array of draws is made, then filled."""
        if not type_.rank:
            return super().draws(op, args, out, type_)
        given, dims = args[: arguments(op)], args[arguments(op) :]
        shape = dims[0] if len(dims) == 1 else f"({', '.join(dims)})"
        kind = "" if type_.dtype == "f8" else f", {scalar_type(type_.dtype)}"
        filled = ", ".join((given[0], out, *given[1:]))
        return [f"{out} = np.empty({shape}{kind})", f"{filler(op)}({filled})"]

    def wanted(self, program: Program) -> list[str]:
        """The helpers a program calls."""
        draws = [op for op in applied(program) if op.primitive.family == "random"]
        return list(
            dict.fromkeys(filler(op) if op.operands[arguments(op) :] else op.primitive.name for op in draws)
        )

    def helpers(self, program: Program) -> str:
        wanted = self.wanted(program)
        return runtime.text(wanted).strip("\n") if wanted else ""

    def helper_names(self, program: Program) -> Sequence[str]:
        wanted = self.wanted(program)
        return runtime.defines(wanted) if wanted else ()


def arguments(op: Apply) -> int:
    """Operands of a draw before its sizes: the stream and what it is drawn with."""
    return 3 if op.primitive.name == "draw_integers" else 1


def filler(op: Apply) -> str:
    return op.primitive.name.replace("draw_", "fill_", 1)


NUMBA = NumbaTarget("numba", NumbaSpelling(), '@njit(cache=True, error_model="numpy")')
