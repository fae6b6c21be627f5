"""Python's operators as functions: the module operator."""

# mypy: disable-error-code="no-untyped-def"

from codegen.definitions.table import stands_for


@stands_for("operator.add")
def add(a, b):
    return a + b


@stands_for("operator.sub")
def sub(a, b):
    return a - b


@stands_for("operator.mul")
def mul(a, b):
    return a * b


@stands_for("operator.truediv")
def truediv(a, b):
    return a / b


@stands_for("operator.floordiv")
def floordiv(a, b):
    return a // b


@stands_for("operator.mod")
def mod(a, b):
    return a % b


@stands_for("operator.pow")
def pow_(a, b):
    return a**b


@stands_for("operator.matmul")
def matmul(a, b):
    return a @ b


@stands_for("operator.neg")
def neg(a):
    return -a


@stands_for("operator.pos")
def pos(a):
    return +a


@stands_for("operator.abs")
def abs_(a):
    return abs(a)


@stands_for("operator.invert")
def invert(a):
    return ~a


@stands_for("operator.not_")
def not_(a):
    return not a


@stands_for("operator.truth")
def truth(a):
    return bool(a)


@stands_for("operator.and_")
def and_(a, b):
    return a & b


@stands_for("operator.or_")
def or_(a, b):
    return a | b


@stands_for("operator.xor")
def xor(a, b):
    return a ^ b


@stands_for("operator.lshift")
def lshift(a, b):
    return a << b


@stands_for("operator.rshift")
def rshift(a, b):
    return a >> b


@stands_for("operator.eq")
def eq(a, b):
    return a == b


@stands_for("operator.ne")
def ne(a, b):
    return a != b


@stands_for("operator.lt")
def lt(a, b):
    return a < b


@stands_for("operator.le")
def le(a, b):
    return a <= b


@stands_for("operator.gt")
def gt(a, b):
    return a > b


@stands_for("operator.ge")
def ge(a, b):
    return a >= b
