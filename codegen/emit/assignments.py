"""Assignments of a function: values get their names, several at once without loss, sizes from arrays that bring them.

x, y <- y, x     ->     x, y = y, x
x, y <- y, 1     ->     x = y
                        y = 1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from codegen.emit.expression_folding import leaves
from codegen.emit.expressions import AUGMENTED, Expressions
from codegen.emit.spelling import ATOM, Text, operator
from codegen.ir import Apply, Atom, Var
from codegen.ir.substitution import sizes


@dataclass(eq=False)
class Assignments(Expressions):
    """Assignments of one function, of which `used` counts the reads; `sized`: Vars that need no size of an array."""

    used: Counter[Var]
    sized: set[Var] = field(init=False, default_factory=set)

    def wanted(self, out: Var) -> bool:
        """Whether anything reads an out, or a size it brings."""
        return bool(self.used[out]) or any(self.used[n] for n in sizes(out.type) if n not in self.sized)

    def assign(self, out: Var, value: str, instead: str | None = None) -> None:
        self.out.line(instead or f"{self.names[out]} = {value}")

    def augmented(self, out: Var, op: Apply, args: Sequence[Text], value: Text) -> str | None:
        """`s += v` for `s = s + v` of scalars."""
        word = op.primitive.operator
        if op.primitive.kind not in AUGMENTED or out.type.rank or args[0] != (self.names[out], ATOM):
            return None
        plain = operator(word, args) if word else None
        return f"{args[0][0]} {word}= {args[1][0]}" if plain == value else None

    @cached_property
    def nobody(self) -> str:
        """The name of what nobody reads: an underscore, or more where the user has a variable of that name."""
        taken = set(self.names.values())
        return next(word for k in range(1, len(taken) + 2) if (word := "_" * k) not in taken)

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
                self.out.line(f"{left} = {', '.join(self.plain(v) for _, v in waiting)}")
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
        if (op := self.folded_primitive(value)) is not None and isinstance(value, Var):
            before, self.out.span = self.out.span, self.folded[value].span
            spelled = self.expression(self.folded[value])
            self.assign(out, spelled[0], self.augmented(out, op, self.arguments(op), spelled))
            self.out.span = before
            return
        self.assign(out, self.plain(value))

    def sizes(self, binders: Sequence[Var]) -> None:
        """`n = len(x)` for the sizes that binders bring and something reads."""
        for var in binders:
            new = [n for n in dict.fromkeys(sizes(var.type)) if n not in self.sized]
            self.sized.update(new)
            read = [n for n in new if self.used[n] and n not in self.folded]
            if len(read) == var.type.rank > 1:
                self.out.line(f"{', '.join(self.names[n] for n in read)} = {self.names[var]}.shape")
                continue
            for n in read:
                axis = f"len({self.names[var]})" if var.type.rank == 1 else f"{self.names[var]}.shape"
                self.assign(n, axis if var.type.rank == 1 else f"{axis}[{var.type.shape.index(n)}]")
