"""Operators on complex values, by what the rows of the real ones say.

    z + w      linear in both operands together: part by part
    z * w      linear in each of them: z_re * w_re - z_im * w_im, z_re * w_im + z_im * w_re
    z / w      neither: the definition for complex numbers

A real operand is a complex one whose imaginary part is 0.0, as in Python and NumPy: that decides signs of zeros.
"""

from __future__ import annotations

from collections.abc import Callable

from codegen.infer.complex_numbers.parts import (
    PARTS,
    as_complex,
    in_floats,
    is_complex,
    is_real,
    is_weak,
    known_complex,
    of_weakness,
    pair,
    part_name,
    settled,
    zero_of,
    zero_part,
)
from codegen.infer.frame import Frame
from codegen.infer.values import Nest, Value
from codegen.ir import Lit, Type, Var
from codegen.ir.kinds import Bits, Relation
from codegen.ir.primitive import Primitive

Operate = Callable[[Frame, str, Value, Value, str], Value]  # the operator of real values
UNORDERED = "'{}' not supported between instances of 'complex' and 'complex'"
NO_QUOTIENT = {"//": "can't take floor of complex number.", "%": "can't mod complex numbers."}


def operate_parts(
    frame: Frame, row: Primitive | None, sign: str, left: Value, right: Value, name: str, operate: Operate
) -> Value | None:
    """`left sign right` of which one is complex; None where it is a definition's."""
    if row is not None and isinstance(row.kind, Relation):
        return compare_parts(frame, row.kind, left, right, name, operate)
    if sign in NO_QUOTIENT or row is not None and isinstance(row.kind, Bits):
        raise frame.refusal(NO_QUOTIENT.get(sign) or f"`{sign}` of complex numbers is not defined")
    if row is None or not {0, 1} <= row.transpose.keys():
        return None
    (x_re, x_im), (y_re, y_im) = both_parts(frame, left, right, added={0, 1} <= set(row.linear))

    def of(x: Value, y: Value, name: str = "t") -> Value:
        return operate(frame, sign, x, y, name)

    names = [part_name(name, part) for part in PARTS]
    if {0, 1} <= set(row.linear):
        return settled(frame, of(x_re, y_re, names[0]), of(x_im, y_im, names[1]), name)

    def product(x: Value, y: Value) -> Value:
        return of(without_slope_beside(frame, y, x), without_slope_beside(frame, x, y))

    re = operate(frame, "-", product(x_re, y_re), product(x_im, y_im), names[0])
    im = operate(frame, "+", product(x_re, y_im), product(x_im, y_re), names[1])
    return settled(frame, re, im, name)


def without_slope_beside(frame: Frame, factor: Value, x: Value) -> Value:
    """`x`, without a derivative where it is multiplied by a part that is 0.0, as that of a real operand: the product is
    there for NaN and the signs of zeros alone."""
    if not (isinstance(factor, Lit) and factor.value == 0) or isinstance(x, Lit):
        return x
    return frame.take(frame.b.apply("stop_gradient", frame.atom(x)), "t")


def both_parts(frame: Frame, left: Value, right: Value, *, added: bool) -> list[tuple[Value, Value]]:
    """The parts of two operands. `added`: parts are added to one another, so that a zero must have the shape."""
    made: list[tuple[Value, Value]] = []
    for x, y in ((left, right), (right, left)):
        if is_complex(x):
            made.append((x.items[0], x.items[1]))
            continue
        if not is_real(x):
            raise frame.refusal(
                f"a complex number and {frame.describe(x)} are no operands of an operator together"
            )
        other = frame.atom(as_complex(frame, y).items[0]).type
        x = in_floats(frame, x, "f8" if other.weak else other.dtype)
        own = frame.atom(x).type
        zero = zero_of(own)
        made.append((x, zero_part(frame, x) if added and own.rank and not same_shape(own, other) else zero))
    return made


def same_shape(x: Type, y: Type) -> bool:
    return len(x.shape) == len(y.shape) and all(n is m or n == m for n, m in zip(x.shape, y.shape))


def compare_parts(
    frame: Frame, relation: Relation, left: Value, right: Value, name: str, operate: Operate
) -> Value:
    """Both parts are equal, or one is not."""
    if relation not in (Relation.EQ, Relation.NE):
        raise frame.refusal(UNORDERED.format(relation.value))
    if not all(is_complex(side) or is_real(side) for side in (left, right)):
        return frame.b.atom(relation is Relation.NE)
    (x_re, x_im), (y_re, y_im) = both_parts(frame, left, right, added=True)
    first, second = (operate(frame, relation.value, x, y, "t") for x, y in ((x_re, y_re), (x_im, y_im)))
    word = "and" if relation is Relation.EQ else "or"
    with frame.refusing():
        return frame.take(frame.b.apply(word, frame.give(first), frame.give(second), name=name), name)


def known_result(frame: Frame, function: Callable[..., object], *operands: Value) -> Value | None:
    """An operation on complex numbers of Python's that are known: Python's answer."""
    known = [known_complex(value) for value in operands]
    if any(value is None for value in known):
        return None
    try:
        return frame.constant(function(*known), "t")
    except ZeroDivisionError:
        return None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise frame.refusal(str(error)) from error


def negate_parts(frame: Frame, sign: str, value: Nest, name: str, negate: Callable[..., Value]) -> Value:
    """`-z`, `+z`."""
    if sign == "~":
        raise frame.refusal("bad operand type for unary ~: 'complex'")
    named = zip(value.items, PARTS, strict=True)
    return pair(*(negate(frame, sign, each, part_name(name, part)) for each, part in named))


def truth_of(frame: Frame, value: Nest) -> Var | Lit:
    """Whether a complex number is not 0, as a bool."""
    re, im = (frame.atom(part) for part in value.items)
    if re.type.rank:
        raise frame.refusal("the truth value of an array is ambiguous: use np.any or np.all")
    b = frame.b
    made: Var | Lit = b.atom(b.apply("or", *(b.apply("ne", b.wrap(part), 0.0) for part in (re, im))))
    return made


def of_operands(frame: Frame, made: Value, *operands: Value, name: str) -> Value:
    """What an operator gives: Python's number where all operands are Python's."""
    return of_weakness(frame, made, all(is_weak(frame, each) for each in operands), name)
