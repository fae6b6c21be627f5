"""Python's operators as functions: the module operator."""

# mypy: disable-error-code="no-untyped-def"

from codegen.definitions.table import refused, stands_for


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


@stands_for("operator.inv", generic=True)
def inv(a):
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


@stands_for("operator.is_", generic=True)
def is_(a, b):
    return a is b


@stands_for("operator.is_not", generic=True)
def is_not(a, b):
    return a is not b


def sequences_alone(a, b):
    """Of arrays `+` is a sum."""
    if not (isinstance(a, tuple | list) and isinstance(b, tuple | list)):
        refused("operator.concat takes tuples or lists: of arrays, np.concatenate")


@stands_for("operator.concat", generic=True)
def concat(a, b):
    sequences_alone(a, b)
    return a + b


@stands_for("operator.contains", generic=True)
def contains(a, b):
    return b in a


@stands_for("operator.countOf", generic=True)
def count_of(a, b):
    return sum(x == b for x in a)


@stands_for("operator.indexOf", generic=True)
def index_of(a, b):
    for k, x in enumerate(a):
        if x == b:
            return k
    raise ValueError("sequence.index(x): x not in sequence")


@stands_for("operator.iadd", generic=True)
def iadd(a, b):
    a += b
    return a


@stands_for("operator.isub", generic=True)
def isub(a, b):
    a -= b
    return a


@stands_for("operator.imul", generic=True)
def imul(a, b):
    a *= b
    return a


@stands_for("operator.itruediv", generic=True)
def itruediv(a, b):
    a /= b
    return a


@stands_for("operator.ifloordiv", generic=True)
def ifloordiv(a, b):
    a //= b
    return a


@stands_for("operator.imod", generic=True)
def imod(a, b):
    a %= b
    return a


@stands_for("operator.ipow", generic=True)
def ipow(a, b):
    a **= b
    return a


@stands_for("operator.imatmul", generic=True)
def imatmul(a, b):
    a @= b
    return a


@stands_for("operator.iand", generic=True)
def iand(a, b):
    a &= b
    return a


@stands_for("operator.ior", generic=True)
def ior(a, b):
    a |= b
    return a


@stands_for("operator.ixor", generic=True)
def ixor(a, b):
    a ^= b
    return a


@stands_for("operator.ilshift", generic=True)
def ilshift(a, b):
    a <<= b
    return a


@stands_for("operator.irshift", generic=True)
def irshift(a, b):
    a >>= b
    return a


@stands_for("operator.iconcat", generic=True)
def iconcat(a, b):
    sequences_alone(a, b)
    a += b
    return a
