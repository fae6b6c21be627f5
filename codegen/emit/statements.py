"""One function of a Program as Python text: statements, with expressions folded into them.

s1 = if c: yield a else: yield b              if c:
                                       ->         s = a
                                              else:
                                                  s = b
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from codegen.emit.coalescing import Names
from codegen.emit.expression_folding import TEMPORARY, Folded, is_choice, leaves, uses
from codegen.emit.raising import Raising
from codegen.emit.spelling import ATOM, BINARY, Spelling, Text, choice, enclose, operator, scalar_type
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Var, While
from codegen.ir.kinds import Access, Arithmetic, Bits, Effect, Logic, Relation
from codegen.ir.substitution import sizes
from codegen.primitives.index import subscript
from codegen.source import Source, Span
from codegen.targets import Target

INDENT = "    "
LINE = 100
LONGEST = 30  # items of a tuple that Python builds at once
AUGMENTED = (
    Arithmetic.ADD, Arithmetic.SUB, Arithmetic.MUL, Arithmetic.DIV, Arithmetic.FLOORDIV, Arithmetic.MOD,
    Bits.AND, Bits.OR, Bits.XOR,
)  # fmt: skip


@dataclass(frozen=True)
class Moves:
    """At the end of a block its results go into `outs`."""

    outs: tuple[Var, ...]


@dataclass(frozen=True)
class Leave:
    """At the end of a block the function returns `results`, where `outs` stand for the block's own."""

    results: tuple[Atom, ...]
    outs: tuple[Var, ...] = ()

    def given(self, results: tuple[Atom, ...]) -> tuple[Atom, ...]:
        own = dict(zip(self.outs, results))
        return tuple(own.get(r, r) if isinstance(r, Var) else r for r in self.results)


Finish = Moves | Leave


class Printer:
    """The text of one function; `names` has a name for every Var that is not folded."""

    def __init__(
        self,
        target: Target,
        called: Mapping[str, str],
        folded: Folded,
        names: Names,
        *,
        spelling: Spelling | None = None,
        quote: bool = False,
        raising: Raising | None = None,
    ):
        self.target = target
        self.spelling = spelling or target.spelling
        self.quote = quote
        self.raising = raising
        self.called = called
        self.folded = folded
        self.names = names
        self.lines: list[str] = []
        self.printed_for: dict[int | str, Span] = {}  # what lines, and expressions, were printed for
        self.depth = 0
        self.sized: set[Var] = set()
        self.span: Span | None = None  # of the statement being printed
        self.leaving: Span | None = None  # of what a return returns
        self.noted: tuple[Source, int] | None = None  # the user's line that was quoted last

    def function(self, function: Function, decorator: str | None = None) -> str:
        self.used = uses(function.body)
        if decorator:
            self.line(decorator)
        self.listed(f"def {self.called[function.name]}(", [self.names[p] for p in function.params], "):")
        self.depth += 1
        if function.doc:
            first, *rest = f'"""{function.doc}"""'.splitlines()
            self.line(first)
            self.lines += [INDENT * self.depth + line if line.strip() else "" for line in rest]
        self.sized.update(function.params)
        self.sizes(sorted(function.params, key=lambda p: p.type.rank != 1))  # len(b) rather than L.shape[0]
        for param in function.params:
            if param in self.spelling.settled:
                self.line(f"{self.names[param]} = {scalar_type(param.type.dtype)}({self.names[param]})")
        self.block(function.body, Leave(function.body.results))
        self.depth -= 1
        if self.lines[-1].startswith("def "):
            self.lines.append(f"{INDENT}pass")
        return "\n".join(self.lines)

    # expressions

    def text(self, atom: Atom) -> Text:
        """An atom standing alone."""
        if isinstance(atom, Lit):
            return self.spelling.literal(atom)
        if atom not in self.folded:
            return self.names[atom], ATOM
        equation = self.folded[atom]
        text = self.expression(equation)
        if equation.span is not None:
            self.printed_for.setdefault(text[0], equation.span)
        return text

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
        op = self.folded[test].op if isinstance(test, Var) and test in self.folded else None
        if not isinstance(op, Apply) or op.primitive.kind not in those or op.operands[0].type.rank:
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
        return choice(test, self.text(then), self.text(orelse))

    # blocks

    def block(self, block: Block, finish: Finish) -> None:
        """The statements of a block and what becomes of its results."""
        self.sized.update(o for e in block.equations for o in e.outs)  # computed, not brought by an array
        equations = [e for e in block.equations if not self.is_folded(e)]
        if isinstance(finish, Leave):
            finish = Leave(finish.given(block.results))
        for k, equation in enumerate(equations):
            inner = self.passed(equation, block, finish) if k == len(equations) - 1 else None
            if inner is not None and isinstance(equation.op, If):
                self.branches(equation, equation.op, inner)
                return
            if isinstance(equation.op, Call) and self.tail_call(equation, finish):
                self.line(f"return {self.calling(equation.op)}")
                return
            self.statement(equation)
            if raises(equation):
                return
        if isinstance(finish, Moves):
            self.moves(list(zip(finish.outs, block.results)))
        elif finish.results:
            folded = (self.folded[r].span for r in finish.results if isinstance(r, Var) and r in self.folded)
            self.leaving = next((span for span in folded if span is not None), None)
            self.returned([self.plain(r) for r in finish.results])
            self.leaving = None

    def tail_call(self, equation: Equation, finish: Finish) -> bool:
        """Whether a call's values, without names of the user's, are what the function returns."""
        outs = equation.outs
        unnamed = outs and all(o.name == TEMPORARY and self.used[o] == 1 for o in outs)
        return bool(unnamed) and isinstance(finish, Leave) and finish.results == outs

    def passed(self, equation: Equation, block: Block, finish: Finish) -> Finish | None:
        """What the branches do when the block's last statement is an If: return, or assign onwards."""
        if not isinstance(equation.op, If) or self.as_choice(equation):
            return None
        return self.onwards(equation, block, finish)

    def onwards(self, equation: Equation, block: Block, finish: Finish) -> Finish | None:
        """The finish of an If's branches that does at once what the block does with the If's outs."""
        outs = equation.outs
        brought = {n for o in outs for n in sizes(o.type)} - self.sized
        if isinstance(finish, Leave):
            given = finish.results
            simple = all(isinstance(r, Lit) or (r not in self.folded and r not in brought) for r in given)
            return Leave(given, outs) if simple and given else None
        if any(not isinstance(r, Var) or r not in outs for r in block.results):
            return None
        onto = dict(zip((r for r in block.results if isinstance(r, Var)), finish.outs))
        if len(onto) != len(finish.outs) or set(onto) != set(outs) or brought:
            return None
        return Moves(tuple(onto[o] for o in outs))

    def nested(self, block: Block, finish: Finish) -> None:
        """A block one level deeper."""
        self.depth += 1
        before = len(self.lines)
        self.block(block, finish)
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    # statements

    def statement(self, equation: Equation) -> None:
        self.span = equation.span
        match equation.op:
            case Apply():
                self.apply(equation, equation.op)
            case Call():
                self.call(equation, equation.op)
            case If():
                if self.as_choice(equation):
                    if self.wanted(equation.outs[0]):
                        self.assign(equation.outs[0], self.choice(equation.op)[0])
                else:
                    self.branches(equation, equation.op, Moves(equation.outs))
            case For():
                self.for_(equation, equation.op)
            case While():
                self.while_(equation, equation.op)
            case _ as never:
                assert_never(never)
        self.span = None
        self.sizes(equation.outs)

    def apply(self, equation: Equation, op: Apply) -> None:
        match op.primitive.kind:
            case Effect.CHECK:
                self.line(f"if {self.failing(op.operands[0])}:")
                self.line(f"{INDENT}{self.raised(op, op.operands[1:])}")
            case Effect.FAIL:
                self.line(self.raised(op, op.operands))
            case Access.WRITE | Access.ADD:
                self.write(equation, op)
            case Effect.STORE:
                for target in op.operands[1:]:  # none where the argument was written in place all along
                    self.line(f"{self.plain(target)}[...] = {self.plain(op.operands[0])}")
            case _ if op.primitive.family == "random":
                self.draw(equation, op)
            case _:
                self.pure(equation, op)

    def failing(self, test: Atom) -> str:
        """When a check fails. One that always does is a call: of what follows Numba is to find the type."""
        return "bool(1)" if isinstance(test, Lit) and self.target.compiled else self.denied(test)

    def raised(self, op: Apply, values: Sequence[Atom]) -> str:
        assert self.raising is not None
        return self.raising.statement(op, [self.plain(v) for v in values], values)

    def pure(self, equation: Equation, op: Apply) -> None:
        out = equation.outs[0]
        if not self.wanted(out):
            return
        args = self.arguments(op)
        value = self.spelling.apply(op, args, out.type)
        self.assign(out, value[0], self.augmented(out, op, args, value))

    def augmented(self, out: Var, op: Apply, args: Sequence[Text], value: Text) -> str | None:
        """`s += v` for `s = s + v` of scalars."""
        word = op.primitive.operator
        if op.primitive.kind not in AUGMENTED or out.type.rank or args[0] != (self.names[out], ATOM):
            return None
        plain = operator(word, args) if word else None
        return f"{args[0][0]} {word}= {args[1][0]}" if plain == value else None

    def assign(self, out: Var, value: str, instead: str | None = None) -> None:
        self.line(instead or f"{self.names[out]} = {value}")

    def wanted(self, out: Var) -> bool:
        """Whether anything reads an out, or a size it brings."""
        return bool(self.used[out]) or any(self.used[n] for n in sizes(out.type) if n not in self.sized)

    def write(self, equation: Equation, op: Apply) -> None:
        """update and accumulate, in place: their array is dead afterwards (copy_insertion.py)."""
        out = equation.outs[0]
        if not self.wanted(out):
            return
        array, value, *places = op.operands
        self.moves([(out, array)])
        name = self.names[out]
        if op.primitive.kind is Access.ADD and "a" in op.params["spec"]:
            index = self.spelling.places(op.params["spec"], [self.plain(p) for p in places])
            self.line(f"np.add.at({name}, {index}, {self.plain(value)})")
            return
        inside = subscript(op.params["spec"], tuple(self.plain(p) for p in places))
        if op.primitive.kind is Access.WRITE:
            slot = f"{name}[{inside}]"
            self.line(self.stepped(slot, value) or f"{slot} = {self.plain(value)}")
            return
        slot = f"{name}[{inside if op.params['spec'] else ':'}]"  # Numba adds to no vector under an ellipsis
        # An array that is negated on the way may be the one that is written: Numba does not look.
        is_apart = not value.type.rank or not self.target.compiled
        sign, added = self.signed(value) if is_apart else ("+", self.plain(value))
        self.line(f"{slot} {sign}= {added}")

    def stepped(self, slot: str, value: Atom) -> str | None:
        """`x[i] += v` for x[i] = x[i] + v."""
        if not isinstance(value, Var) or value not in self.folded:
            return None
        op = self.folded[value].op
        if not isinstance(op, Apply) or op.primitive.kind not in AUGMENTED or value.type.rank:
            return None
        args = self.arguments(op)
        word = op.primitive.operator or ""
        plain = args[0][0] == slot and operator(word, args) == self.text(value)
        return f"{slot} {word}= {args[1][0]}" if plain else None

    def signed(self, value: Atom) -> tuple[str, str]:
        """`-`, v for a negation of v that folds, else `+` and the value."""
        if isinstance(value, Var) and value in self.folded:
            op = self.folded[value].op
            if isinstance(op, Apply) and op.primitive.kind is Arithmetic.NEG:
                return "-", self.plain(op.operands[0])
        return "+", self.plain(value)

    def draw(self, equation: Equation, op: Apply) -> None:
        stream, value = equation.outs
        self.moves([(stream, op.operands[0])] if self.wanted(stream) else [])
        if value in self.folded:
            return
        name = self.names[value] if self.wanted(value) else self.nobody
        for line in self.target.draws(op, [self.plain(o) for o in op.operands], name, value.type):
            self.line(line)

    @cached_property
    def nobody(self) -> str:
        """The name of what nobody reads: an underscore, or more where the user has a variable of that name."""
        taken = set(self.names.values())
        return next(word for k in range(1, len(taken) + 2) if (word := "_" * k) not in taken)

    def call(self, equation: Equation, op: Call) -> None:
        left = ", ".join(self.names[o] if self.wanted(o) else self.nobody for o in equation.outs)
        left = f"{left} = " if any(self.wanted(o) for o in equation.outs) else ""
        self.line(f"{left}{self.calling(op)}")

    def calling(self, op: Call) -> str:
        return f"{self.called[op.function]}({', '.join(self.plain(o) for o in op.operands)})"

    def as_choice(self, equation: Equation) -> bool:
        """Whether an If is short enough to be an expression."""
        if not is_choice(equation, self.folded) or not isinstance(equation.op, If):
            return False
        return len(self.choice(equation.op)[0]) + len(INDENT) * self.depth <= 72

    def branches(self, equation: Equation, op: If, finish: Finish) -> None:
        """if, elif, else; what follows a branch that has left needs no else."""
        self.span = None
        word = "if"
        while True:
            then, orelse = op.then, op.orelse
            if self.empty(then, finish) and not self.empty(orelse, finish):
                self.line(f"{word} {self.denied(op.test)}:")
                self.nested(orelse, finish)
                return
            self.line(f"{word} {self.plain(op.test)}:")
            self.nested(then, finish)
            if word == "if" and leaves_block(then, finish):
                self.block(orelse, finish)
                return
            if self.empty(orelse, finish):
                return
            chained = self.chained(orelse, finish)
            if chained is None:
                self.line("else:")
                self.nested(orelse, finish)
                return
            op, finish = chained
            word = "elif"

    def chained(self, orelse: Block, finish: Finish) -> tuple[If, Finish] | None:
        """The If that is all of an else-branch, for elif."""
        rest = [e for e in orelse.equations if not self.is_folded(e)]
        if len(rest) != 1 or not isinstance(rest[0].op, If):
            return None
        onwards = self.onwards(rest[0], orelse, finish)
        return None if onwards is None else (rest[0].op, onwards)

    def empty(self, block: Block, finish: Finish) -> bool:
        """Whether a block prints nothing: no statements, and every result has its name already."""
        if isinstance(finish, Leave) or not all(map(self.is_folded, block.equations)):
            return False
        return not self.moving(list(zip(finish.outs, block.results)))

    def for_(self, equation: Equation, loop: For) -> None:
        self.span = None
        self.moves(list(zip(loop.carried, loop.init)))
        index = self.names[loop.index] if self.used[loop.index] else self.nobody
        self.line(f"for {index} in {self.range(loop)}:")
        self.body(loop, Moves(loop.carried))
        self.moves(list(zip(equation.outs, loop.carried)))

    def range(self, loop: For) -> str:
        start, stop, word = self.plain(loop.start), self.plain(loop.stop), self.target.counted(loop)
        if loop.step != 1:
            return f"{word}({start}, {stop}, {loop.step})"
        return f"{word}({stop})" if start == "0" else f"{word}({start}, {stop})"

    def begins(self, loop: For | While) -> None:
        """What stands first in each round of a loop."""

    def body(self, loop: For | While, finish: Finish) -> None:
        self.depth += 1
        self.begins(loop)
        self.sizes(loop.carried)
        self.depth -= 1
        self.nested(loop.body, finish)

    def while_(self, equation: Equation, loop: While) -> None:
        self.span = None
        self.moves(list(zip(loop.carried, loop.init)))
        test = loop.cond.results[0]
        rest = [e for e in loop.cond.equations if not self.is_folded(e)]
        brought = any(n not in self.sized and self.used[n] for p in loop.carried for n in sizes(p.type))
        if not rest and not brought:
            self.line(f"while {self.plain(test)}:")
            self.body(loop, Moves(loop.carried))
        else:
            self.line("while True:")
            self.depth += 1
            self.begins(loop)
            self.sizes(loop.carried)
            for each in rest:
                self.statement(each)
            self.line(f"if {self.denied(test)}:")
            self.line(f"{INDENT}break")
            self.depth -= 1
            self.nested(loop.body, Moves(loop.carried))
        self.moves(list(zip(equation.outs, loop.carried)))

    # moves

    def is_folded(self, equation: Equation) -> bool:
        """Whether an equation is part of another's expression, and no statement of its own."""
        return bool(equation.outs) and equation.outs[0] in self.folded

    def moving(self, pairs: Sequence[tuple[Var, Atom]]) -> list[tuple[Var, Atom]]:
        """The pairs that need an assignment."""
        read = [(out, value) for out, value in pairs if self.wanted(out)]
        return [(o, v) for o, v in read if not self.is_name(v, self.names[o])]

    def is_name(self, value: Atom, name: str) -> bool:
        return isinstance(value, Var) and value not in self.folded and self.names[value] == name

    def moves(self, pairs: Sequence[tuple[Var, Atom]]) -> None:
        """Assign at once: one by one where no value is lost, else side by side (`a, b = b, a`)."""
        waiting = self.moving(pairs)
        while waiting:
            free = next((p for p in waiting if not self.read_by_others(p, waiting)), None)
            if free is None:
                left = ", ".join(self.names[o] for o, _ in waiting)
                self.line(f"{left} = {', '.join(self.plain(v) for _, v in waiting)}")
                return
            waiting.remove(free)
            self.move(*free)

    def read_by_others(self, pair: tuple[Var, Atom], pairs: Sequence[tuple[Var, Atom]]) -> bool:
        name = self.names[pair[0]]
        return any(
            name == self.names[v] for o, a in pairs if o is not pair[0] for v in leaves(a, self.folded)
        )

    def move(self, out: Var, value: Atom) -> None:
        """One assignment of a loop, a branch or a result."""
        if isinstance(value, Var) and value in self.folded and isinstance(op := self.folded[value].op, Apply):
            before, self.span = self.span, self.folded[value].span
            spelled = self.expression(self.folded[value])
            self.assign(out, spelled[0], self.augmented(out, op, self.arguments(op), spelled))
            self.span = before
            return
        self.assign(out, self.plain(value))

    def sizes(self, binders: Sequence[Var]) -> None:
        """`n = len(x)` for the sizes that binders bring and something reads."""
        for var in binders:
            new = [n for n in dict.fromkeys(sizes(var.type)) if n not in self.sized]
            self.sized.update(new)
            read = [n for n in new if self.used[n] and n not in self.folded]
            if len(read) == var.type.rank > 1:
                self.line(f"{', '.join(self.names[n] for n in read)} = {self.names[var]}.shape")
                continue
            for n in read:
                axis = f"len({self.names[var]})" if var.type.rank == 1 else f"{self.names[var]}.shape"
                self.assign(n, axis if var.type.rank == 1 else f"{axis}[{var.type.shape.index(n)}]")

    def denied(self, test: Atom) -> str:
        """The text of `not test`."""
        if isinstance(test, Var) and test in self.folded and isinstance(op := self.folded[test].op, Apply):
            kind, args = op.primitive.kind, self.arguments(op)
            whole = all(o.type.dtype[0] in "iu" for o in op.operands)
            if kind in (Relation.EQ, Relation.NE) or (isinstance(kind, Relation) and whole):
                return operator(kind.negated.value, args)[0]
            if kind is Logic.NOT:
                return args[0][0]
        return operator("not", (self.text(test),))[0]

    def returned(self, values: list[str]) -> None:
        """The return; Python builds a longer tuple through a list, which Numba does not compile."""
        if len(values) <= LONGEST:
            self.listed("return ", values, "")
            return
        taken = set(self.names.values())
        words = (f"part{k}" for k in range(len(taken) + len(values)))
        free = (word for word in words if word not in taken)
        named = [(next(free), values[k : k + LONGEST]) for k in range(0, len(values), LONGEST)]
        for word, part in named:
            self.listed(f"{word} = (", part, ")" if len(part) > 1 else ",)")
        self.line(f"return {' + '.join(word for word, _ in named)}")

    def listed(self, head: str, items: Sequence[str], tail: str) -> None:
        """A statement around a list, broken where it is too long."""
        whole = f"{head}{', '.join(items)}{tail}"
        if len(whole) + len(INDENT) * self.depth <= LINE or len(items) < 2:
            self.line(whole)
            return
        head, tail = (head, tail) if tail else (f"{head}(", ")")
        self.line(head)
        width = LINE - len(INDENT) * (self.depth + 1)
        rows = textwrap.wrap(", ".join(items), width, break_long_words=False) if fits(items, width) else items
        for row in rows:
            self.line(INDENT + (row if row.endswith(",") else f"{row},"))
        self.line(tail)

    def line(self, text: str) -> None:
        quoted = self.quoted(text)
        line = INDENT * self.depth + text
        if quoted and len(line) + len(quoted) + 4 > LINE:
            self.lines.append(f"{INDENT * self.depth}# {quoted}")
        elif quoted:
            line = f"{line}  # {quoted}"
        if (span := self.span or self.leaving) is not None:
            self.printed_for[len(self.lines)] = span
        self.lines.append(line)

    def quoted(self, text: str) -> str:
        """The user's line to note beside the first of its statements, where it does not say the same."""
        if not self.quote or self.span is None or self.noted == (self.span.source, self.span.line):
            return ""
        self.noted = (self.span.source, self.span.line)
        written = self.span.text
        return "" if written.endswith(":") or bare(written) == bare(text) else written


ABOVE, BELOW = (Relation.GE, Relation.GT), (Relation.LT, Relation.LE)


def fits(items: Sequence[str], width: int) -> bool:
    """Whether items are plain names, several to a line."""
    return all(item.isidentifier() and len(item) < width for item in items)


def bare(text: str) -> str:
    """A statement without its spaces, parentheses and comment."""
    return re.sub(r"#.*|[\s()]", "", text)


def raises(equation: Equation) -> bool:
    return isinstance(equation.op, Apply) and equation.op.primitive.kind is Effect.FAIL


def leaves_block(block: Block, finish: Finish) -> bool:
    """Whether what follows a branch is reached only past it."""
    if any(raises(e) for e in block.equations):
        return True
    return isinstance(finish, Leave) and bool(finish.results)
