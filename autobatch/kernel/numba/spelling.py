"""Primitives of lanes as text: elementary functions that LLVM inlines, so that loops over them become vectors."""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.cfg.graph import BlockProgram
from codegen.emit.spelling import ATOM, Text
from codegen.ir import Apply, Block, Function, Type, program
from codegen.ir.kinds import Arithmetic
from codegen.loops.vectors import vectorise
from codegen.loops.vectors.vectorise import inlinable_helper
from codegen.targets.numba_cpu import NUMBA, NumbaSpelling

FILLING = {"seeded_stream": "seed_stream"}  # lanes have rows for their streams, which are filled
STEPS = {**vectorise.STEPS, Arithmetic.SUB: "plus"}


class LaneSpelling(NumbaSpelling):
    """As Numba's. `wanted`: the functions of codegen/runtime that were written, `intrinsics`: those of hints.py."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: dict[str, None] = {}
        self.intrinsics: dict[str, None] = {}

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        if op.primitive.kind is Arithmetic.MULADD:
            self.intrinsics["muladd"] = None
            return f"muladd({', '.join(a for a, _ in args)})", ATOM
        if (function := inlinable_helper(op, out)) is None:
            return super().apply(op, args, out)
        self.wanted[function] = None
        given = [self.met(o, a, out.dtype) for o, a in zip(op.operands, args, strict=True)]
        return f"{function}({', '.join(a for a, _ in given)})", ATOM

    def helpers(self, whole: BlockProgram) -> list[str]:
        """The functions of codegen/runtime that the blocks call."""
        equations = tuple(e for block in whole.blocks for e in block.equations)
        shell = Function("main", (), Block(equations, ()))
        called = NUMBA.wanted(program({"main": shell}, "main"))
        return [*(FILLING.get(name, name) for name in called), *self.wanted]
