"""Expressions of a function as Python text: Atom -> text, with what folds into it; and assignments of them.

x, y <- y, x     ->     x, y = y, x            values get their names, several at once without loss
x, y <- y, 1     ->     x = y
                        y = 1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from codegen.emit.argument_stores import GivenBack
from codegen.emit.coalescing import Names
from codegen.emit.expression_folding import Folded, length_form, named_reads
from codegen.emit.lines import Lines
from codegen.emit.spelling import ATOM, BINARY, Spelling, Text, conditional_text, enclose, operator
from codegen.ir import Apply, Atom, Call, Equation, If, Lit, Var
from codegen.ir.kinds import Arithmetic, Bits, Logic, Relation
from codegen.ir.substitution import sizes
from codegen.targets import Target

AUGMENTED = (
    Arithmetic.ADD, Arithmetic.SUB, Arithmetic.MUL, Arithmetic.DIV, Arithmetic.FLOORDIV, Arithmetic.MOD,
    Bits.AND, Bits.OR, Bits.XOR,
)  # fmt: skip
ABOVE, BELOW = (Relation.GE, Relation.GT), (Relation.LT, Relation.LE)


@dataclass(eq=False)
class Expressions:
    """How a function's values are written; `names` has a name for every Var that is not folded."""

    target: Target
    spelling: Spelling
    called: Mapping[str, str]
    folded: Folded
    names: Names
    out: Lines  # of the function; it notes what expressions were printed for

    def text(self, atom: Atom) -> Text:
        """An atom standing alone."""
        if isinstance(atom, Lit):
            return self.spelling.literal(atom)
        if atom not in self.folded:
            return self.names[atom], ATOM
        equation = self.folded[atom]
        text = self.expression(equation)
        if equation.span is not None:
            self.out.printed_for.setdefault(text[0], equation.span)
        return text

    def folded_primitive(self, atom: Atom) -> Apply | None:
        """What is applied to give an atom that has no name."""
        op = self.folded[atom].op if isinstance(atom, Var) and atom in self.folded else None
        return op if isinstance(op, Apply) else None

    def plain(self, atom: Atom) -> str:
        return self.text(atom)[0]

    def arguments(self, op: Apply) -> list[Text]:
        return [self.spelling.operand(o, op) if isinstance(o, Lit) else self.text(o) for o in op.operands]

    def expression(self, equation: Equation) -> Text:
        op = equation.op
        if isinstance(op, If):
            return self.choice(op)
        if isinstance(op, Call):
            return self.calling(op), ATOM
        assert isinstance(op, Apply)
        if op.primitive.kind is Logic.AND and (chain := self.chain(*op.operands)):
            return chain
        if op.primitive.family == "random":
            return self.target.draw(op, [self.plain(o) for o in op.operands])
        return self.spelling.apply(op, self.arguments(op), equation.outs[0].type)

    def chain(self, left: Atom, right: Atom) -> Text | None:
        """`a <= x < b` for a <= x and x < b."""
        low, high = self.bound(left, ABOVE), self.bound(right, BELOW)
        if low is None or high is None or low[0] is not high[0]:
            return None
        ends = [
            enclose(self.spelling.operand(a, op) if isinstance(a, Lit) else self.text(a), BINARY["<"] + 1)
            for _, a, op in (low, high)
        ]
        first, second = (self.spelling.sign(op) for _, _, op in (low, high))
        return f"{ends[0]} {first} {self.names[low[0]]} {second} {ends[1]}", BINARY["<"]

    def bound(self, test: Atom, those: tuple[Relation, Relation]) -> tuple[Var, Atom, Apply] | None:
        """A named scalar and what it is compared with, where `test` is such a comparison and folds."""
        op = self.folded_primitive(test)
        if op is None or op.primitive.kind not in those or op.operands[0].type.rank:
            return None
        middle, end = op.operands
        plain = isinstance(middle, Var) and middle not in self.folded
        return (middle, end, op) if plain and isinstance(middle, Var) and not end.type.rank else None

    def choice(self, op: If) -> Text:
        """An If as an expression: and, or, not, or a conditional expression."""
        then, orelse = op.then.results[0], op.orelse.results[0]
        test = self.text(op.test)
        if isinstance(orelse, Lit) and orelse.value is False:
            if isinstance(then, Lit) and then.value is True:
                return test
            return self.chain(op.test, then) or operator("and", (test, self.text(then)))
        if isinstance(then, Lit) and then.value is True:
            return operator("or", (test, self.text(orelse)))
        if isinstance(then, Lit) and then.value is False and isinstance(orelse, Lit):
            return operator("not", (test,))
        return conditional_text(test, self.text(then), self.text(orelse))

    def denied(self, test: Atom) -> str:
        """The text of `not test`."""
        if (op := self.folded_primitive(test)) is not None:
            kind, args = op.primitive.kind, self.arguments(op)
            whole = all(o.type.dtype[0] in "iu" for o in op.operands)
            if kind in (Relation.EQ, Relation.NE) or (isinstance(kind, Relation) and whole):
                relation = kind.negated
                if isinstance(op.operands[0], Lit):  # n <= 0, not 0 >= n
                    relation, args = relation.swapped, args[::-1]
                return operator(relation.value, args)[0]
            if kind is Logic.NOT:
                return args[0][0]
        return operator("not", (self.text(test),))[0]

    def calling(self, op: Call) -> str:
        """A call in an expression."""
        return f"{self.called[op.function]}({', '.join(map(self.plain, op.operands))})"

    def call_alone(self, head: str, op: Call, named: Mapping[Atom, str] = MappingProxyType({})) -> None:
        """A call that is all of a statement behind `head`; `named`: operands that have another name by now."""
        given = [named.get(o) or self.plain(o) for o in op.operands]
        self.out.listed(f"{head}{self.called[op.function]}(", given, ")", filled=True)

    def signed(self, value: Atom) -> tuple[str, str]:
        """`-`, v for a negation of v that folds, else `+` and the value."""
        op = self.folded_primitive(value)
        if op is not None and op.primitive.kind is Arithmetic.NEG:
            return "-", self.plain(op.operands[0])
        return "+", self.plain(value)

    def stepped(self, slot: str, value: Atom) -> str | None:
        """`x[i] += v` for x[i] = x[i] + v."""
        op = self.folded_primitive(value)
        if op is None:
            return None
        return self.augmented(slot, op, value, self.arguments(op), self.text(value))

    def augmented(self, slot: str, op: Apply, out: Atom, args: Sequence[Text], value: Text) -> str | None:
        """`s += v` for `s = s + v` of scalars."""
        word = op.primitive.operator
        if op.primitive.kind not in AUGMENTED or out.type.rank or args[0] != (slot, ATOM):
            return None
        return f"{slot} {word}= {args[1][0]}" if word and operator(word, args) == value else None

    def is_folded(self, equation: Equation) -> bool:
        """Whether an equation is part of another's expression, and no statement of its own."""
        return bool(equation.outs) and equation.outs[0] in self.folded


@dataclass(eq=False)
class Assignments(Expressions):
    """Assignments of one function, of which `used` counts the reads; `back`: what functions give back, which callers
    have; `sized`: Vars that need no size of an array."""

    used: Counter[Var]
    back: GivenBack
    sized: set[Var] = field(init=False, default_factory=set)

    def wanted(self, out: Var) -> bool:
        """Whether anything reads an out, or a size it brings."""
        return bool(self.used[out]) or any(self.used[n] for n in sizes(out.type) if n not in self.sized)

    def assign(self, out: Var, value: str, instead: str | None = None) -> None:
        self.out.line(instead or f"{self.names[out]} = {value}")

    @cached_property
    def nobody(self) -> str:
        """The name of what nobody reads: an underscore, or more where the user has a variable of that name."""
        taken = set(self.names.values())
        return next(word for k in range(1, len(taken) + 2) if (word := "_" * k) not in taken)

    def moving(self, pairs: Sequence[tuple[Var, Atom]]) -> list[tuple[Var, Atom]]:
        """The pairs that need an assignment."""
        read = [(out, value) for out, value in pairs if self.wanted(out)]
        return [(o, v) for o, v in read if isinstance(v, Lit) or self.names.get(v) != self.names[o]]

    def moves(self, pairs: Sequence[tuple[Var, Atom]]) -> None:
        """Assign at once: one by one where no value is lost, else side by side (`a, b = b, a`)."""
        waiting = self.moving(pairs)
        while waiting:
            free = next((p for p in waiting if not self.read_by_others(p, waiting)), None)
            if free is None:
                left = ", ".join(self.names[o] for o, _ in waiting)
                self.out.line(f"{left} = {', '.join(self.plain(v) for _, v in waiting)}")
                return
            waiting.remove(free)
            self.move(*free)

    def read_by_others(self, pair: tuple[Var, Atom], pairs: Sequence[tuple[Var, Atom]]) -> bool:
        read = (v for o, a in pairs if o is not pair[0] for v in named_reads(a, self.folded))
        return self.names[pair[0]] in {self.names[v] for v in read}

    def move(self, out: Var, value: Atom) -> None:
        """One assignment of a loop, a branch or a result."""
        if (op := self.folded_primitive(value)) is not None and isinstance(value, Var):
            before, self.out.span = self.out.span, self.folded[value].span
            spelled = self.expression(self.folded[value])
            instead = self.augmented(self.names[out], op, out, self.arguments(op), spelled)
            self.assign(out, spelled[0], instead)
            self.out.span = before
            return
        self.assign(out, self.plain(value))

    def call(self, equation: Equation, op: Call) -> None:
        """A call; what it gives back of what it is given has its name before."""
        back = self.back.get(op.function, {})
        same = [(equation.outs[k], op.operands[p]) for k, p in back.items() if self.wanted(equation.outs[k])]
        self.moves(same)
        outs = [out for k, out in enumerate(equation.outs) if k not in back]
        left = ", ".join(self.names[o] if self.wanted(o) else self.nobody for o in outs)
        left = f"{left} = " if any(map(self.wanted, outs)) else ""
        self.call_alone(left, op, {array: self.names[out] for out, array in same})

    def sizes(self, binders: Sequence[Var]) -> None:
        """`n = len(x)` for the sizes that binders bring and something reads."""
        for var in binders:
            new = [n for n in dict.fromkeys(sizes(var.type)) if n not in self.sized]
            self.sized.update((*new, var))
            read = [n for n in new if self.used[n] and n not in self.folded]
            if len(read) == var.type.rank > 1:
                self.out.line(f"{', '.join(self.names[n] for n in read)} = {self.names[var]}.shape")
                continue
            for n in read:
                axis, rank = var.type.shape.index(n), var.type.rank
                self.assign(n, length_form(self.names[var], axis=axis, rank=rank)[0])
