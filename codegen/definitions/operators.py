"""Python's operators as functions: the module operator."""

# mypy: disable-error-code="no-untyped-def"

from codegen.definitions.table import stands_for


@stands_for("operator.add", generic=True)
def add(a, b):
    return a + b


@stands_for("operator.sub", generic=True)
def sub(a, b):
    return a - b


@stands_for("operator.mul", generic=True)
def mul(a, b):
    return a * b


@stands_for("operator.truediv", generic=True)
def truediv(a, b):
    return a / b


@stands_for("operator.floordiv", generic=True)
def floordiv(a, b):
    return a // b


@stands_for("operator.mod", generic=True)
def mod(a, b):
    return a % b


@stands_for("operator.pow", generic=True)
def pow_(a, b):
    return a**b


@stands_for("operator.matmul", generic=True)
def matmul(a, b):
    return a @ b


@stands_for("operator.neg", generic=True)
def neg(a):
    return -a


@stands_for("operator.pos", generic=True)
def pos(a):
    return +a


@stands_for("operator.abs", generic=True)
def abs_(a):
    return abs(a)


@stands_for("operator.invert", generic=True)
def invert(a):
    return ~a


@stands_for("operator.not_", generic=True)
def not_(a):
    return not a


@stands_for("operator.truth", generic=True)
def truth(a):
    return bool(a)


@stands_for("operator.and_", generic=True)
def and_(a, b):
    return a & b


@stands_for("operator.or_", generic=True)
def or_(a, b):
    return a | b


@stands_for("operator.xor", generic=True)
def xor(a, b):
    return a ^ b


@stands_for("operator.lshift", generic=True)
def lshift(a, b):
    return a << b


@stands_for("operator.rshift", generic=True)
def rshift(a, b):
    return a >> b


@stands_for("operator.eq", generic=True)
def eq(a, b):
    return a == b


@stands_for("operator.ne", generic=True)
def ne(a, b):
    return a != b


@stands_for("operator.lt", generic=True)
def lt(a, b):
    return a < b


@stands_for("operator.le", generic=True)
def le(a, b):
    return a <= b


@stands_for("operator.gt", generic=True)
def gt(a, b):
    return a > b


@stands_for("operator.ge", generic=True)
def ge(a, b):
    return a >= b
