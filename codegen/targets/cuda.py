"""A GPU and its host: arrays of CuPy's, loops that threads share as kernels for numba-cuda (emit/kernels.py).

The host's text is NumPy's, with `cp` where arrays are made or computed with; a kernel's is Numba's, as in device.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from codegen import runtime
from codegen.emit.spelling import ATOM, Spelling, Text, enclose, scalar_type
from codegen.ir import Apply, For, Program, Type
from codegen.ir.kinds import Access, Arithmetic, Logic, Product
from codegen.ir.traversal import equations
from codegen.loops.kernels import Kind, reductions
from codegen.loops.vectorise import FUNCTIONS, inlinable_helper
from codegen.targets.device import DeviceSpelling, device_function
from codegen.targets.loose import loose
from codegen.targets.numba_cpu import NUMBA, has_threads
from codegen.targets.numpy import NumpySpelling
from codegen.targets.target import Target


@dataclass(frozen=True)
class Reducer:
    """What reduces what the threads of a block have found, what those of all blocks, and what each begins with: a
    number, or the least or the largest of a dtype."""

    in_a_block: str
    of_blocks: str
    first: float


REDUCERS: dict[Kind, Reducer] = {
    Arithmetic.ADD: Reducer("block_sum", "cp.sum", 0),
    Arithmetic.MUL: Reducer("block_product", "cp.prod", 1),
    Arithmetic.MAXIMUM: Reducer("block_highest", "cp.max", -math.inf),
    Arithmetic.MINIMUM: Reducer("block_lowest", "cp.min", math.inf),
    Logic.AND: Reducer("block_all", "cp.all", 1),
    Logic.OR: Reducer("block_any", "cp.any", 0),
}


class CupySpelling(NumpySpelling):
    """Arrays are CuPy's, numbers NumPy's: one that comes out of arrays is fetched."""

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        text, binds = super().apply(op, args, out)
        if out.rank and text.startswith("np."):
            return f"cp.{text.removeprefix('np.')}", binds
        if not out.rank and op.primitive.kind in (Access.READ, Product.MATRIX):
            return f"{scalar_type(out.dtype)}({enclose((text, binds), ATOM)}.item())", ATOM
        return text, binds


class KernelSpelling(DeviceSpelling):
    """Elementary functions are the text that the CPU has for vectors, where numba-cuda has none of its own."""

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        function = inlined(op, out)
        if function is None:
            return super().apply(op, args, out)
        given = [self.met(o, a, out.dtype) for o, a in zip(op.operands, args, strict=True)]
        return f"{function}({', '.join(a for a, _ in given)})", ATOM


def inlined(op: Apply, out: Type) -> str | None:
    return None if device_function(op, out) else inlinable_helper(op, out)


class CudaTarget(Target):
    launches = True

    def spelled(self, program: Program) -> Spelling:
        return CupySpelling(loose(program))

    def in_kernels(self) -> Spelling:
        return KernelSpelling()

    def wanted(self, program: Program) -> list[str]:
        found: dict[str, None] = {}
        for function in filter(has_threads, program.functions.values()):
            found |= dict.fromkeys(("BLOCKS", "THREADS"))
            for equation in equations(function.body):
                if isinstance(op := equation.op, For) and op.kind == "threads":
                    found |= dict.fromkeys(REDUCERS[kind].in_a_block for kind in reductions(op).values())
                if isinstance(op, Apply) and equation.outs:
                    out = equation.outs[0].type
                    word = device_function(op, out) or inlined(op, out) or op.primitive.helper
                    found |= {word: None} if word and "." not in word else {}
        return list(found)

    def helpers(self, program: Program) -> str:
        return runtime.text(self.wanted(program), device=True).strip("\n")

    def helper_names(self, program: Program) -> Sequence[str]:
        kernels = [f"{name}_kernel" for name, f in program.functions.items() if has_threads(f)]
        called = runtime.defines([*FUNCTIONS, *NUMBA.wanted(program), *self.wanted(program)], device=True)
        return ["cp", *kernels, *called]


CUDA = CudaTarget()
