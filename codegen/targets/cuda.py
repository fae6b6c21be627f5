"""A GPU and its host: arrays of CuPy's, loops that threads share as kernels for numba-cuda (emit/gpu/kernels.py).

The host's text is NumPy's, with `cp` where arrays are made or computed with; a kernel's is Numba's, as in device.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codegen import runtime
from codegen.emit.spelling import ATOM, Spelling, Text, enclose, scalar_type
from codegen.ir import Apply, For, Function, Program, Type
from codegen.ir.kinds import Access, Arithmetic, Logic, Product
from codegen.ir.traversal import equations
from codegen.loops.independent import Kind, reductions
from codegen.loops.vectors.vectorise import FUNCTIONS, inlinable_helper
from codegen.targets.device import DeviceSpelling, device_function
from codegen.targets.loose import loose
from codegen.targets.numba_cpu import NUMBA
from codegen.targets.numpy import NumpySpelling
from codegen.targets.target import Target

PAIRS = (
    ("shared[k]", "shared[k + width]"),
    ("x", "cuda.shfl_xor_sync(WHOLE_WARP, x, 16 >> k)"),
    ("x", "cuda.shfl_xor_sync(mask, x, step)"),
    ("x", "shared[k]"),
)  # of numbers that become one, in those functions


@dataclass(frozen=True)
class Reducer:
    """What reduces what threads have found: those of a block, or of a row, by functions of a name that ends in `name`
    and a `step` that is of two numbers; those of all blocks; and what each begins with: a number, or the least or the
    largest of a dtype."""

    name: str
    meaning: str
    step: str
    of_blocks: str
    first: float

    @property
    def in_a_block(self) -> str:
        return f"block_{self.name}"

    @property
    def in_a_row(self) -> str:
        return f"row_{self.name}"

    def text(self, function: str) -> str:
        """One of its two functions, made from that of sums."""
        of_sums = {self.in_a_block: SUM.in_a_block, self.in_a_row: SUM.in_a_row}
        text = runtime.own_text(of_sums[function], device=True)
        for old, new in zip(SUM.words, self.words):
            text = text.replace(old, new)
        return text

    @property
    def words(self) -> list[str]:
        """What is another word in the functions of each."""
        meanings = [self.meaning.format(whose) for whose in ("a block's", "a row's")]
        return [self.in_a_block, self.in_a_row, *meanings, *(self.step.format(*pair) for pair in PAIRS)]


SUM = Reducer("sum", "The sum of what {} threads have", "{0} += {1}", "np.sum", 0)
REDUCERS: dict[Kind, Reducer] = {
    Arithmetic.ADD: SUM,
    Arithmetic.MUL: Reducer("product", "Their product", "{0} *= {1}", "np.prod", 1),
    Arithmetic.MAXIMUM: Reducer(
        "highest", "The largest; NaN if one is NaN", "{0} = np.maximum({0}, {1})", "np.max", -math.inf
    ),
    Arithmetic.MINIMUM: Reducer(
        "lowest", "The smallest; NaN if one is NaN", "{0} = np.minimum({0}, {1})", "np.min", math.inf
    ),
    Logic.AND: Reducer("all", "Whether all are true", "{0} &= {1}", "np.all", 1),
    Logic.OR: Reducer("any", "Whether one is true", "{0} |= {1}", "np.any", 0),
}
REDUCTIONS = {name: r for r in REDUCERS.values() for name in (r.in_a_block, r.in_a_row)}


class CupySpelling(NumpySpelling):
    """Arrays are CuPy's, numbers NumPy's: one that comes out of arrays is fetched."""

    def library(self, rank: int) -> str:
        return "cp" if rank else "np"

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        text, binds = super().apply(op, args, out)
        row = op.primitive
        if not out.rank and (row.kind in (Access.READ, Product.MATRIX) or row.definition):
            return f"{scalar_type(out.dtype)}({enclose((text, binds), ATOM)}.item())", ATOM
        return text, binds


class KernelSpelling(DeviceSpelling):
    """Elementary functions are the text that the CPU has for vectors, where numba-cuda has none of its own."""

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        function = inlined_function(op, out)
        if function is None:
            return super().apply(op, args, out)
        given = [self.met(o, a, out.dtype) for o, a in zip(op.operands, args, strict=True)]
        return f"{function}({', '.join(a for a, _ in given)})", ATOM


def kernel_kind(function: Function) -> str | None:
    """The kind of the loop that a kernel is: "threads" of a grid share it, or "rows" of it, a few for each; another
    of a kernel for one block of threads."""
    first = function.body.equations[0].op
    return first.kind if len(function.body.equations) == 1 and isinstance(first, For) else None


def called_in_kernel(function: Function) -> Iterator[str]:
    """What a kernel, and what launches it, call of codegen/runtime."""
    kind_of_all = kernel_kind(function)
    rows = kind_of_all == "rows"
    if kind_of_all in ("threads", "rows"):
        yield "BLOCKS"
    if rows:
        yield from ("row_threads", "row_sync")
    for equation in equations(function.body):
        op = equation.op
        if isinstance(op, For) and op.kind in ("threads", "rows"):
            yield "THREADS"
            in_a_row = rows and op.kind == "threads"
            for kind in reductions(op).values():
                yield REDUCERS[kind].in_a_row if in_a_row else REDUCERS[kind].in_a_block
        if isinstance(op, Apply) and op.primitive.stops:
            yield "NOWHERE"
        if isinstance(op, Apply) and equation.outs:
            out = equation.outs[0].type
            word = device_function(op, out) or inlined_function(op, out) or op.primitive.helper
            if word in runtime.names():
                yield word


def called_of_arrays(function: Function) -> list[str]:
    """The functions of codegen/runtime that the host calls."""
    ops = (e.op for e in equations(function.body) if isinstance(e.op, Apply))
    return [op.primitive.call for op in ops if op.primitive.definition and op.primitive.call]


def inlined_function(op: Apply, out: Type) -> str | None:
    return None if device_function(op, out) else inlinable_helper(op, out)


class CudaTarget(Target):
    launches = True

    def spelled(self, program: Program) -> Spelling:
        return CupySpelling(loose(program))

    def in_kernels(self) -> Spelling:
        return KernelSpelling()

    def draw(self, op: Apply, args: Sequence[str]) -> Text:
        """By NumPy's generator, on the host."""
        text, binds = super().draw(op, args)
        return (f"cp.asarray({text})", ATOM) if op.operands[op.primitive.first_size :] else (text, binds)

    def wanted(self, program: Program) -> list[str]:
        found: dict[str, None] = {}
        for function in program.functions.values():
            found |= dict.fromkeys(
                called_in_kernel(function) if function.kernel else called_of_arrays(function)
            )
        return list(found)

    def helpers(self, program: Program) -> str:
        wanted = self.wanted(program)
        copied = runtime.text([word for word in wanted if word not in REDUCTIONS], device=True).strip("\n")
        made = [REDUCTIONS[word].text(word) for word in wanted if word in REDUCTIONS]
        return "\n\n\n".join(filter(None, [copied, *made]))

    def helper_names(self, program: Program) -> Sequence[str]:
        kernels = [f"{name}_kernel" for name, f in program.functions.items() if f.kernel]
        wanted = [*FUNCTIONS, *NUMBA.wanted(program), *self.wanted(program)]
        called = runtime.defines([word for word in wanted if word not in REDUCTIONS], device=True)
        return ["cp", *kernels, *REDUCTIONS, *called]


CUDA = CudaTarget()
