"""Marks in a program that only differentiation reads; to everything else they are their first operand.

    custom_derivative(y, *xs, rule=)   y, of which the derivative by the xs is what `rule` says
    checkpoint(x)                      x; the function that begins with it is always run again (policy.py)
    kept_size(n, ns, i)                n, the size of a tangent; the loop that goes back finds it in ns[i]

And `custom_back(*xs_dot, *residuals, rule=)`, the tangent of a result of a custom_vjp: it is linear in the
tangents and has no value, only a transpose.
"""

from __future__ import annotations

from typing import Any

from codegen.ir import Apply, Atom, Block, Program, Type
from codegen.ir.kinds import Same
from codegen.ir.primitive import Primitive
from codegen.ir.traversal import all_equations
from codegen.primitives import LINEAR, ROWS


def first_type(y: Atom, *xs: Atom, **params: Any) -> Type:
    return Type(y.type.dtype, y.type.shape)


def first_form(y: str, *xs: str, **params: Any) -> tuple[str, int]:
    return y, 100


def back_type(*operands: Atom, rule: Any, count: int) -> Type:
    type_: Type = rule.out_type
    return type_


def no_value(*operands: Any, rule: Any, count: int) -> Any:
    raise TypeError(f"{rule.name} has a custom_vjp: it can be differentiated in reverse mode only")


CUSTOM = Primitive(
    "custom_derivative", lambda y, *xs, **params: y, first_type, "copy", kind=Same.MARKED, form=first_form
)
CHECKPOINT = Primitive(
    "checkpoint",
    lambda x: x,
    first_type,
    "copy",
    kind=Same.MARKED,
    jvp=LINEAR,
    linear=(0,),
    transpose={0: lambda ct, x: ct},
    form=first_form,
)
KEPT_SIZE = Primitive(
    "kept_size", lambda n, ns, i: n, first_type, "copy", kind=Same.MARKED, jvp=(), form=first_form
)
BACK = Primitive("custom_back", no_value, back_type, "custom")


def is_checkpointed(body: Block) -> bool:
    """Does a function begin with the mark that asks for it to be run again?"""
    return any(isinstance(e.op, Apply) and e.op.primitive is CHECKPOINT for e in body.equations)


def forward_only(program: Program) -> Program:
    """`program`, if it can be run: TypeError if the tangent of a custom_vjp is left in it."""
    for equation in all_equations(program):
        if isinstance(equation.op, Apply) and equation.op.primitive is BACK:
            no_value(**equation.op.params)
    return program


assert not {CUSTOM.name, CHECKPOINT.name, KEPT_SIZE.name, BACK.name} & set(ROWS)
