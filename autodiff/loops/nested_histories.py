"""Histories of inner loops as rows of those of the loops around them: no array is made and copied an iteration.

    for i in range(n):                        for i in range(n):
        ys = np.empty(m)                          for j in range(m):
        for j in range(m):          ->                yss[i, j] = y
            ys[j] = y
        yss[i] = ys

A loop in a branch too: where the other one is taken, the row stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from codegen.ir import Apply, Atom, Block, Equation, For, If, Var
from codegen.ir.substitution import free


def kept_in_rows(equation: Equation, history: Var, rows: Var, place: Atom) -> tuple[Equation, Var]:
    """A loop that writes row `place` of `rows` instead of `history`, which it gives, or a branch with such a loop in
    it; and the rows then."""
    k, op, after = equation.outs.index(history), equation.op, next_version(rows)
    made: For | If
    if isinstance(op, For):
        param = next_version(rows)
        body = RowWrites(op.carried[k], param, place).block(op.body, k)
        made = replace(
            op, carried=replaced_at(op.carried, k, param), init=replaced_at(op.init, k, rows), body=body
        )
    else:
        assert isinstance(op, If)
        made = If(op.test, *(kept_in_branch(side, k, rows, place) for side in (op.then, op.orelse)))
    return replace(equation, outs=replaced_at(equation.outs, k, after), op=made), after


def kept_in_branch(block: Block, k: int, rows: Var, place: Atom) -> Block:
    """A branch whose result k is such a history, or what stands in for it."""
    history, last = block.results[k], rows
    body = []
    for equation in block.equations:
        if history in equation.outs and isinstance(equation.op, For | If):
            equation, last = kept_in_rows(equation, history, rows, place)
        body.append(equation)
    return Block(tuple(body), replaced_at(block.results, k, last))


@dataclass(eq=False)
class RowWrites:
    """Writes of an array as writes of row `place` of another: `old` and `new` are their last versions."""

    old: Var
    new: Var
    place: Atom

    def block(self, block: Block, k: int) -> Block:
        """A block whose result k is the array."""
        body = tuple(map(self.equation, block.equations))
        assert block.results[k] is self.old
        return Block(body, replaced_at(block.results, k, self.new))

    def equation(self, equation: Equation) -> Equation:
        match equation.op:
            case Apply(primitive, (array, value, *places), params) if primitive.writes and array is self.old:
                spec = type(params["spec"])(("i", *params["spec"]))
                op = Apply(primitive, (self.new, value, self.place, *places), {"spec": spec})
                self.old, self.new = equation.outs[0], next_version(self.new)
                return replace(equation, outs=(self.new,), op=op)
            case For(init=init) if self.old in init:
                self.old = equation.outs[init.index(self.old)]
                made, self.new = kept_in_rows(equation, self.old, self.new, self.place)
                return made
            case If(test, then, orelse) as op if self.old in free(op):
                last: tuple[Atom, Atom] = self.last_version(then), self.last_version(orelse)
                k = [*zip(then.results, orelse.results, strict=True)].index(last)
                sides = [replace(self).block(side, k) for side in (then, orelse)]
                self.old, self.new = equation.outs[k], next_version(self.new)
                return replace(equation, outs=replaced_at(equation.outs, k, self.new), op=If(test, *sides))
        return equation

    def last_version(self, side: Block) -> Var:
        """What the array is at the end of a branch."""
        writes = replace(self)
        for equation in side.equations:
            writes.equation(equation)
        return writes.old


def next_version(rows: Var) -> Var:
    return Var(rows.name, rows.type)


def replaced_at(items: tuple[Any, ...], k: int, item: Any) -> tuple[Any, ...]:
    """The tuple with another item at one place."""
    return (*items[:k], item, *items[k + 1 :])
