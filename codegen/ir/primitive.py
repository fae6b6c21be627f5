"""What a primitive is: one row that states everything the system knows of it.

A rule is an ordinary NumPy function. Called with arrays it computes; called with expressions (`codegen.ir.build.E`) it
builds equations. Letters: `t` tangent, `ct` cotangent, `out` the result, then the operands.

    jvp        one rule per operand, `(t, out, *operands, **params) -> tangent`; None where no derivative flows;
               LINEAR where the primitive itself, applied to the tangents of `linear` operands, is the rule
    linear     the operands in which it is jointly linear, the others held
    transpose  operand -> `(ct, *operands, **params) -> cotangent of that operand`, the operand given as its
               Type; where it may be broadcast the caller sums the cotangent back to the operand's shape
    element    how one element of the result comes from elements of the operands (see lower.py)
    spelling   operator='+' or call='np.exp' for arrays, scalar='math.exp' or `helper`, a function of
               codegen/runtime, for scalars in compiled code, or `form`, which is told the `rank` of the first
               operand and what NumPy is called (`lib`, for arrays on a GPU CuPy); for a number in a
               thread of a GPU, where that is none of these, device='squared' or NVIDIA's libdevice='floor', which
               is floorf of float32
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import Any

from codegen.ir.kinds import Access, Arithmetic, Bits, Effect, Logic, Relation, Same, Vector

Rule = Callable[..., Any]


class Linear:
    """The jvp of a primitive that is linear in `linear`: itself, on the tangents."""

    def __repr__(self) -> str:
        return "LINEAR"


LINEAR = Linear()


@dataclass(frozen=True, eq=False)
class Primitive:
    """One row. See the module's docstring for the rules' signatures.

    numpy     the meaning: operands (arrays or scalars) and params -> array; a tuple where several come out
    type      `(*operand atoms, **params) -> Type` (or a tuple of Types); new sizes are fresh Vars
    family    'elementwise', 'reduce', 'index', 'shape', 'create', 'linalg', 'random', 'stream', 'effect', 'scan'
    kind      what passes know it by (codegen/ir/kinds.py); None where none asks
    empty     of a reduction without identity: what NumPy says of no elements
    neutral   operand -> the literal there that leaves the other as it is
    of_bools  what NumPy makes of it on bools alone: a logical row, or it in another dtype
    fills     of a draw, the function of codegen/runtime that fills an array with draws; of a stream, that fills a row
    letter    what a temporary with a draw is called
    first_size  where the operands that say sizes begin
    looks_up  of a draw, whether it looks into the ziggurat's tables, which threads of a GPU are given
    of_ints   dtype of ints -> the function of codegen/runtime by which LLVM makes vectors of it
    cost      rough scalar operations per element, for block scheduling (an addition is 1)
    work      shapes of the operands -> scalar operations of all, where that is not a number for each element
    definition  of a row that is a whole function of arrays, `() -> ` the same in our own language: for lanes, which
              have no library to call. `call` and `helper` are then functions of codegen/runtime: NumPy's, Numba's
    for_lanes  of such a row, operations from which lanes call a function of codegen/runtime, and which: where these are
              not LIBRARY_OPERATIONS and `helper`
    alone     of a row that reads a part of what another row makes: that row, and the one that makes the part itself
    """

    name: str
    numpy: Rule
    type: Callable[..., Any]
    family: str
    kind: Enum | None = None
    jvp: tuple[Rule | None, ...] | Linear | None = None
    linear: tuple[int, ...] = ()
    transpose: Mapping[int, Rule] = field(default_factory=lambda: MappingProxyType({}))
    operator: str | None = None
    call: str | None = None
    scalar: str | None = None
    helper: str | None = None
    device: str | None = None
    libdevice: str | None = None
    form: Callable[..., tuple[str, int]] | None = None
    element: Rule | None = None
    empty: str = ""
    neutral: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    of_bools: str = ""
    fills: str = ""
    letter: str = "t"
    first_size: int = 1
    looks_up: bool = False
    cost: float = 1.0
    work: Callable[..., float] | None = None
    definition: Callable[..., Any] | None = None
    for_lanes: tuple[float, str] | None = None
    alone: tuple[str, str] | None = None
    vector: Vector | None = None
    of_ints: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __repr__(self) -> str:
        return self.name

    def call_of(self, lib: str) -> str | None:
        """`call`, where NumPy, or what stands for it, is called `lib`."""
        module, _, name = (self.call or "").partition(".")
        return f"{lib}.{name}" if module == "np" else self.call

    @cached_property
    def effect(self) -> bool:
        """Acts: never removed, never reordered with other effects."""
        return isinstance(self.kind, Effect)

    @cached_property
    def stops(self) -> bool:
        """May end the program."""
        return self.kind in (Effect.CHECK, Effect.FAIL)

    @cached_property
    def tells(self) -> bool:
        """Makes a text of its operands, in Python."""
        return self.stops or self.kind is Effect.PRINT

    @cached_property
    def of_streams(self) -> bool:
        """Draws from a stream, or makes one: as often as the program says, and in that order."""
        return self.family in ("random", "stream")

    @cached_property
    def accesses(self) -> bool:
        """Reads or writes elements of its first operand."""
        return isinstance(self.kind, Access)

    @cached_property
    def writes(self) -> bool:
        """Its result is its first operand with some elements written."""
        return self.kind in (Access.WRITE, Access.ADD)

    @cached_property
    def views(self) -> bool:
        """Its result may be in its first operand's memory."""
        shown = (Same.STOPPED, Same.BROADCAST, Same.RESHAPED, Same.TRANSPOSED, Same.DIAGONAL)
        return self.kind in (Access.READ, *shown)

    @cached_property
    def commutes(self) -> bool:
        sums = (Arithmetic.ADD, Arithmetic.MUL, Bits.AND, Bits.OR, Bits.XOR)
        return self.kind in (*sums, Logic.AND, Logic.OR, Logic.XOR, Relation.EQ, Relation.NE)

    @cached_property
    def first_place(self) -> int:
        """Where the operands begin that say which elements."""
        return 2 if self.writes else 1
