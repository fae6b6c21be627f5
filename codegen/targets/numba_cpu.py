"""Numba on the CPU: the same statements, compiled when first called, cached on disk.

Scalars go through `math`; a literal or an operation that Numba would give another dtype than NumPy does is
cast. Streams are state rows that the draw functions (codegen/runtime) advance, their text copied in.
Array operations that `is_for_library` does not name become loops before (loops/lower.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from codegen.analysis.calls import reach, recursive, small_in_loops
from codegen.analysis.once import per_program
from codegen.emit.spelling import ATOM, Spelling, Text, enclose, number_text, operator, scalar_type
from codegen.emit.structures import tupled
from codegen.ir import Apply, Atom, Block, Call, For, Function, Lit, Operation, Program, Type, Var
from codegen.ir.kinds import (
    Access,
    Arithmetic,
    Joined,
    Logic,
    Made,
    Product,
    Reduction,
    Rounding,
    Same,
    Stream,
)
from codegen.ir.primitive import Primitive
from codegen.ir.promotion import computed_in
from codegen.ir.substitution import blocks
from codegen.ir.traversal import all_equations, applications, equations
from codegen.loops.vectors.vectorise import FUNCTIONS, KEEP_DTYPE
from codegen.targets.target import Target

SAME = (Same.CAST, Same.STOPPED)
SUMS = (Arithmetic.ADD, Arithmetic.MUL, Arithmetic.ABS)  # of bools ints for Numba


def is_for_library(op: Operation) -> bool:
    """Whether an array operation is left to a library: products that BLAS has, of floats of one dtype, the place of a
    vector's extreme, and what only moves arrays."""
    if not isinstance(op, Apply):
        return False
    if op.primitive.kind is Product.MATRIX:
        return len({o.type.dtype for o in op.operands}) == 1 and op.operands[0].type.is_float
    if op.primitive.kind in (Reduction.ARGMAX, Reduction.ARGMIN):
        return op.operands[0].type.rank == 1 and op.operands[0].type.dtype in ("f8", "f4", "i8", "i4")
    return op.primitive.kind in (Same.TRANSPOSED, Same.DIAGONAL, Same.COPY)


def taken(op: Apply) -> Sequence[str | None]:
    """For each operand of a scalar operation the dtype that it must be cast to for Numba to compute as NumPy does.

    Ints are computed in 64 bits, and the result is cut; with a float64, or where all are int64, both agree. (NumPy
    looks for NaN in small ints as float16; float32 does.)
    """
    given = [o.type.dtype for o in op.operands]
    if not isinstance(op.primitive.numpy, np.ufunc):
        return [None] * len(given)
    dtypes, _ = computed_in(op.primitive.numpy, [o.type for o in op.operands])
    wanted = tuple(d.replace("f2", "f4") for d in dtypes)
    if op.primitive.kind is Arithmetic.POW:
        wanted = wanted[0], given[1]
    if set(wanted) == {"f8"} and ("f8" in given or set(given) == {"i8"}):
        return [None] * len(given)
    needed = "f" if "u8" not in wanted else "fu"
    return [to if to != of and to[0] in needed else None for of, to in zip(given, wanted, strict=True)]


class NumbaSpelling(Spelling):
    """NumPy as Numba types it. `strided`: the arrays that may not be contiguous."""

    def __init__(self, strided: frozenset[Var] = frozenset()):
        self.strided = strided

    def operand(self, lit: Lit, op: Apply) -> Text:
        """Numba's literals are int64 and float64, whatever they meet."""
        if op.primitive.kind in (Joined.STACK, Same.BROADCAST, Same.RESHAPED):
            return self.literal(lit)
        if op.primitive.family != "elementwise" or lit.type.weak or lit.type.dtype in ("f8", "i8", "b1"):
            return number_text(lit.value)
        return f"{scalar_type(lit.type.dtype)}({number_text(lit.value)[0]})", ATOM

    def function(self, rule: Primitive, rank: int) -> str:
        scalar = rule.helper or (None if isinstance(rule.kind, Logic) else rule.scalar)
        of_arrays = rule.definition is not None or rule.kind is Made.PLACES
        return scalar if scalar and (of_arrays or not rank) else super().function(rule, rank)

    def packed(self, array: Text) -> str:
        """Numba reshapes contiguous arrays alone."""
        return f"np.ascontiguousarray({array[0]})"

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        if name := product_of_parts(op, self.strided):
            return f"{name}({', '.join(a for a, _ in args)})", ATOM
        if op.primitive.kind is Same.CAST and not out.weak and op.operands[0].type == replace(out, weak=True):
            return args[0]  # of a size: Python's ints are NumPy's int64 here
        if op.primitive.kind is Product.MATRIX or op.primitive.definition is not None:
            args = [(self.packed(a), ATOM) if o in self.strided else a for o, a in zip(op.operands, args)]
        elementwise = op.primitive.family == "elementwise" and op.primitive.kind not in SAME
        if op.primitive.kind is Arithmetic.POW and out.is_float:
            args = [args[0], self.power(op.operands[1], args[1], out)]
        if op.primitive.kind is Reduction.SUM and out == Type("f4"):  # Numba's adds in float32, one by one
            return f"np.float32(np.sum({args[0][0]}, dtype=np.float64))", ATOM
        if op.primitive.kind is Stream.SEEDED:
            return f"{op.primitive.helper}({tupled([a for a, _ in args])})", ATOM
        has_words = op.primitive.operator or op.primitive.form or op.primitive.family == "reduce"
        if has_words and op.primitive.helper:
            return f"{op.primitive.helper}({', '.join(a for a, _ in args)})", ATOM
        if op.primitive.kind is Arithmetic.SIGN and out.is_float:
            return self.without_minus(super().apply(op, args, out), out)
        if not elementwise or out.rank:
            return super().apply(op, args, out)
        args = [self.met(o, a, k) for o, a, k in zip(op.operands, args, taken(op))]
        text = super().apply(op, args, out)
        if op.primitive.kind is Arithmetic.SIGN and out.dtype[0] == "u":  # for Numba the highest bit is one
            text = operator("!=", (args[0], number_text(0)))
        own = (op.primitive.helper or op.primitive.kind is Arithmetic.POW) and not keeps_dtype(op)
        wider = (out.dtype[0] in "iu" and out.dtype != "i8") or (out.dtype == "f4" and own)
        if wider:
            return f"{scalar_type(out.dtype)}({text[0]})", ATOM
        made_int = op.primitive.kind in SUMS or isinstance(op.primitive.kind, Rounding)
        return (f"bool({text[0]})", ATOM) if out.dtype == "b1" and made_int else text

    def without_minus(self, text: Text, out: Type) -> Text:
        """A number whose zero has no sign: Numba's np.sign of -0.0 is -0.0."""
        zero = number_text(0.0) if out.dtype == "f8" else (f"{scalar_type(out.dtype)}(0.0)", ATOM)
        return operator("+", (text, zero))

    def power(self, exponent: Atom, arg: Text, out: Type) -> Text:
        """A float's power: Numba divides by it for exponents that are ints below 0, and raises where it is 0."""
        if exponent.type.dtype[0] not in "iu":
            return arg
        if isinstance(exponent, Lit):
            return arg if exponent.value >= 0 else self.literal(Lit(float(exponent.value), Type(out.dtype)))
        if exponent.type.rank:
            return f"{enclose(arg, ATOM)}.astype(np.float64)", ATOM
        return f"np.float64({arg[0]})", ATOM

    def met(self, operand: Atom, arg: Text, dtype: str | None) -> Text:
        """An operand in the dtype in which NumPy takes it; None: as it is."""
        if dtype is None or dtype == operand.type.dtype:
            return arg
        if isinstance(operand, Lit):
            return self.literal(Lit(np.dtype(dtype).type(operand.value).item(), Type(dtype)))
        return f"{scalar_type(dtype)}({arg[0]})", ATOM

    def cast(self, op: Apply, args: Sequence[Text], rank: int) -> Text:
        """A number is true where it is not 0: Numba has no np.bool_ of a float."""
        if op.params["dtype"] == "b1" and not rank:
            return f"{enclose(args[0], 6)} != 0", 5
        return super().cast(op, args, rank)


# What multiplies matrices that are parts of others, by ranks.
OF_PARTS = {(2, 2): "product_of_views", (2, 1): "view_times_vector", (1, 2): "vector_times_view"}


def product_of_parts(op: Apply, strided: frozenset[Var]) -> str | None:
    """The function for a product whose matrices may not be contiguous."""
    if op.primitive.kind is not Product.MATRIX or not any(
        o in strided and o.type.rank == 2 for o in op.operands
    ):
        return None
    return OF_PARTS[op.operands[0].type.rank, op.operands[1].type.rank]


def keeps_dtype(op: Apply) -> bool:
    """Whether the function that is called gives the dtype that it is given."""
    return op.primitive.helper in FUNCTIONS or op.primitive.helper in KEEP_DTYPE


def strided(program: Program) -> frozenset[Var]:
    """Arrays that may be seen through slices, steps or broadcasts, so that they are not contiguous: also those that a
    function is given, or gives."""
    found: set[Var] = set()

    def walk(block: Block) -> None:
        for equation in block.equations:
            op = equation.op
            for inner in blocks(op):
                walk(inner)
                results = zip(equation.outs, inner.results)
                found.update(out for out, result in results if out.type.rank and result in found)
            if isinstance(op, Call):
                called = program.functions[op.function]
                given = zip(called.params, op.operands, strict=True)
                found.update(param for param, operand in given if operand in found)
                results = zip(equation.outs, called.body.results, strict=True)
                found.update(out for out, result in results if result in found)
            if isinstance(op, Apply) and loosens(op, found):
                found.update(o for o in equation.outs if o.type.rank)

    known = -1
    while known < len(found):
        known = len(found)
        for function in program.functions.values():
            walk(function.body)
    return frozenset(found)


def loosens(op: Apply, found: set[Var]) -> bool:
    """Whether an array comes out of an operation in pieces."""
    if op.primitive.kind is Access.READ and "a" not in op.params["spec"]:
        spec = op.params["spec"]
        rows = list(spec) == ["i"] * spec.count("i") + [":"] * spec.count(":")
        return not rows or op.operands[0] in found
    kept = op.primitive.writes or op.primitive.kind in (Same.TRANSPOSED, Same.STOPPED)
    return op.primitive.kind in (Same.BROADCAST, Same.DIAGONAL) or (kept and op.operands[0] in found)


class NumbaTarget(Target):
    compiled = True

    def decorated(self, program: Program, function: Function, options: Sequence[str] = ()) -> str | None:
        threads = ["parallel=True"] * has_threads(function)
        placed = ["forceinline=True"] * (function.name in small_in_loops(program))
        return njit_line(*options, *threads, *placed, cached=cacheable(program))

    def counted(self, loop: For) -> str:
        return "prange" if loop.kind == "threads" else "range"

    def spelled(self, program: Program) -> Spelling:
        return NumbaSpelling(strided(program))

    def draw(self, op: Apply, args: Sequence[str]) -> Text:
        return f"{op.primitive.helper}({', '.join(args)})", ATOM

    def draws(self, op: Apply, args: Sequence[str], out: str, type_: Type) -> list[str]:
        """An array of draws is made, then filled."""
        if not type_.rank:
            return super().draws(op, args, out, type_)
        given, dims = args[: op.primitive.first_size], args[op.primitive.first_size :]
        shape = dims[0] if len(dims) == 1 else f"({', '.join(dims)})"
        kind = "" if type_.dtype == "f8" else f", {scalar_type(type_.dtype)}"
        filled = ", ".join((given[0], out, *given[1:]))
        return [f"{out} = np.empty({shape}{kind})", f"{op.primitive.fills}({filled})"]

    def wanted(self, program: Program) -> list[str]:
        """The helpers a program calls."""
        parts = strided(program)
        names = (product_of_parts(op, parts) or helper(op) for op in applications(program))
        return list(dict.fromkeys(name for name in names if name is not None))


def helper(op: Apply) -> str | None:
    """The function of codegen/runtime that an operation calls."""
    filled = op.primitive.family == "random" and op.operands[op.primitive.first_size :]
    return op.primitive.fills if filled else op.primitive.helper


def has_threads(function: Function) -> bool:
    """Whether threads share a loop of a function."""
    return any(isinstance(e.op, For) and e.op.kind == "threads" for e in equations(function.body))


@per_program
def cacheable(program: Program) -> bool:
    """Whether Numba may keep the compiled functions on disk.

    Of a recursive function it must not keep several signatures, nor functions that call one another: the
    next process then crashes (seen with 0.68.1). One signature is certain where it calls only itself, takes
    scalars alone and gets no literals, which Numba types apart.
    """
    cycles = recursive(program)
    for name in cycles:
        arrays = any(p.type.rank for p in program.functions[name].params)
        if arrays or reach(program.functions, name) & cycles != {name}:
            return False
    calls = (e.op for e in all_equations(program) if isinstance(e.op, Call))
    return not any(isinstance(o, Lit) for call in calls if call.function in cycles for o in call.operands)


def njit_line(*options: str, cached: bool, signature: str = "") -> str:
    """The decorator of a function, whose machine code is kept on disk if it is `cached`.

    >>> njit_line("nogil=True", cached=True)
    '@njit(cache=True, error_model="numpy", nogil=True)'
    """
    listed = [signature] * bool(signature) + ["cache=True"] * cached + ['error_model="numpy"', *options]
    return f"@njit({', '.join(listed)})"


NUMBA = NumbaTarget()
