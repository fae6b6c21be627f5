"""Values of the kernel language as Python expressions that Numba compiles."""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.kernel.ir import Element, Layout, Operation, Quotient, Register, Select, Value
from autobatch.kernel.numba.addresses import address_text, stream_place
from autobatch.kernel.numba.spelling import LaneSpelling
from codegen.emit.expressions import ABOVE, AUGMENTED, BELOW
from codegen.emit.spelling import ATOM, BINARY, Text, conditional_text, enclose, operator
from codegen.ir import Apply, Lit
from codegen.ir.kinds import Choice, Logic, Relation
from codegen.targets.numba_cpu import NUMBA


class Values:
    """`vectors`: what is written is done by lanes side by side, so that no test of two guards the second."""

    def __init__(self, spelling: LaneSpelling, *, vectors: bool = False):
        self.spelling, self.vectors = spelling, vectors

    def plain(self, value: Value) -> str:
        return self.text(value)[0]

    def text(self, value: Value) -> Text:
        match value:
            case Lit():
                return self.spelling.literal(value)
            case Register(name):
                return name, ATOM
            case Operation():
                return self.operation(value)
            case Quotient():
                self.spelling.wanted["fast_quotient"] = None
                return f"fast_quotient({', '.join(map(self.plain, (*value.operands, value.inverse)))})", ATOM
            case Element(address, type_):
                if address.memory.layout is Layout.STREAM:
                    return f"{address.memory.name}, {stream_place(address.memory)}", ATOM
                text = address_text(address, self.text)
                flag = type_.dtype == "b1" and address.memory.type.dtype != "b1"
                return (f"{text} != 0", BINARY["!="]) if flag else (text, ATOM)
            case Select(test, then, orelse, eager=True):
                return self.eager_select(*map(self.plain, (test, then, orelse)))
            case Select():
                return self.select(value)

    def operands(self, value: Operation) -> list[Text]:
        return [
            self.spelling.operand(o, value.op) if isinstance(o, Lit) else self.text(o) for o in value.operands
        ]

    def operation(self, value: Operation) -> Text:
        op, kind = value.op, value.op.primitive.kind
        if op.primitive.family == "random":
            return self.draw(op, [self.plain(o) for o in value.operands])
        if value.eager and kind in (Logic.AND, Logic.OR):
            return operator("&" if kind is Logic.AND else "|", self.operands(value))
        if value.eager and kind is Choice.SELECT:
            return self.eager_select(*(text for text, _ in self.operands(value)))
        if kind is Logic.AND and (chain := self.chain(*value.operands)):
            return chain
        return self.spelling.apply(op, self.operands(value), value.type)

    def draw(self, op: Apply, given: Sequence[str]) -> Text:
        """A number off a stream."""
        return NUMBA.draw(op, given)

    def chain(self, left: Value, right: Value) -> Text | None:
        """`a <= x < b` for a <= x and x < b."""
        low, high = named_comparison(left, ABOVE), named_comparison(right, BELOW)
        if low is None or high is None or low.operands[0] != high.operands[0] or self.vectors:
            return None
        ends = [
            enclose(self.spelling.operand(end, test.op) if isinstance(end, Lit) else self.text(end), 6)
            for test in (low, high)
            for end in test.operands[1:]
        ]
        first, second = self.spelling.sign(low.op), self.spelling.sign(high.op)
        return f"{ends[0]} {first} {self.plain(low.operands[0])} {second} {ends[1]}", BINARY["<"]

    def eager_select(self, test: str, then: str, orelse: str) -> Text:
        self.spelling.intrinsics["select"] = None
        return f"select({test}, {then}, {orelse})", ATOM

    def select(self, value: Select) -> Text:
        """and, or, not, or a conditional expression."""
        then, orelse, test = value.then, value.orelse, self.text(value.test)
        if is_literal_false(orelse):
            if is_literal_true(then):
                return test
            return self.chain(value.test, then) or operator("and", (test, self.text(then)))
        if is_literal_true(then):
            return operator("or", (test, self.text(orelse)))
        if is_literal_false(then) and isinstance(orelse, Lit):
            return operator("not", (test,))
        return conditional_text(test, self.text(then), self.text(orelse))

    def denied(self, test: Value) -> str:
        """The text of `not test`."""
        if isinstance(test, Lit):
            return str(not test.value)
        if isinstance(test, Operation):
            kind, args = test.op.primitive.kind, self.operands(test)
            whole = all(o.type.dtype[0] in "iu" for o in test.op.operands)
            if kind in (Relation.EQ, Relation.NE) or (isinstance(kind, Relation) and whole):
                return operator(kind.negated.value, args)[0]
            if kind is Logic.NOT:
                return args[0][0]
        return operator("not", (self.text(test),))[0]

    def augmented(self, name: str, value: Value) -> str | None:
        """`s += v` for `s = s + v`."""
        if not isinstance(value, Operation) or value.op.primitive.kind not in AUGMENTED:
            return None
        word, args = value.op.primitive.operator, self.operands(value)
        if word is None or args[0] != (name, ATOM) or operator(word, args) != self.text(value):
            return None
        return f"{name} {word}= {args[1][0]}"


def named_comparison(test: Value, those: tuple[Relation, Relation]) -> Operation | None:
    """A comparison of a number that has a name with something."""
    if not isinstance(test, Operation) or test.op.primitive.kind not in those:
        return None
    return test if isinstance(test.operands[0], Register) else None


def is_literal_true(value: Value) -> bool:
    return isinstance(value, Lit) and value.value is True


def is_literal_false(value: Value) -> bool:
    return isinstance(value, Lit) and value.value is False
