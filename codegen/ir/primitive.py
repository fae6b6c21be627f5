"""What a primitive is: one row that states everything the system knows of it.

A rule is an ordinary NumPy function. Called with arrays it computes; called with expressions (`codegen.ir.build.E`) it
builds equations. Letters: `t` tangent, `ct` cotangent, `out` the result, then the operands.

    jvp        one rule per operand, `(t, out, *operands, **params) -> tangent`; None where no derivative flows;
               LINEAR where the primitive itself, applied to the tangents of `linear` operands, is the rule
    linear     the operands in which it is jointly linear, the others held
    transpose  operand -> `(ct, *operands, **params) -> cotangent of that operand`, the operand given as its
               Type; where it may be broadcast the caller sums the cotangent back to the operand's shape
    lane       how it runs with a leading lane axis (see batching_rules.py); families supply it
    element    how one element of the result comes from elements of the operands (see lower.py)
    spelling   operator='+' or call='np.exp' for arrays, scalar='math.exp' for scalars in compiled code, or `form`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

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
    family    'elementwise', 'reduce', 'index', 'shape', 'create', 'linalg', 'random', 'effect', 'scan'
    cost      rough scalar operations per element, for block scheduling (an addition is 1)
    effect    acts: never removed, never reordered with other effects
    numba     Numba compiles the array spelling as it stands; otherwise arrays go through loops
    """

    name: str
    numpy: Rule
    type: Callable[..., Any]
    family: str
    jvp: tuple[Rule | None, ...] | Linear | None = None
    linear: tuple[int, ...] = ()
    transpose: Mapping[int, Rule] = field(default_factory=lambda: MappingProxyType({}))
    operator: str | None = None
    call: str | None = None
    scalar: str | None = None
    form: Callable[..., tuple[str, int]] | None = None
    lane: Rule | None = None
    element: Rule | None = None
    cost: float = 1.0
    effect: bool = False
    numba: bool = True

    def __repr__(self) -> str:
        return self.name
