"""Which arrays may come to be written: a first guess for the loops of copy_insertion.py, in one linear walk; and
which a block writes into for certain.

    x1 = update x, v, i          x and x1 flow together, and are written

Arrays that flow into one another (views, writes, branches, loops, calls) are one class (Steensgaard's analysis);
a class with a write in it may be written.
"""

from __future__ import annotations

from collections.abc import Container

from codegen.ir import Apply, Atom, Block, Call, Equation, For, If, Operation, Var, While
from codegen.ir.substitution import blocks


class Flows:
    """Classes of the arrays of one block; `consumes` says of (function, position) whether a call writes it."""

    def __init__(self, block: Block, consumes: Container[tuple[str, int]]):
        self.parent: dict[Var, Var] = {}
        self.marks: set[Var] = set()
        self.consumes = consumes
        self.block(block)
        self.written = {self.find(v) for v in self.marks}

    def may_write(self, array: Var) -> bool:
        """Whether the array, or what it becomes, may be written."""
        return self.find(array) in self.written

    def find(self, var: Var) -> Var:
        while (up := self.parent.get(var, var)) is not var:
            self.parent[var] = self.parent.get(up, up)
            var = up
        return var

    def flow(self, a: Atom, b: Atom) -> None:
        if isinstance(a, Var) and isinstance(b, Var) and a.type.rank and b.type.rank:
            self.parent[self.find(a)] = self.find(b)

    def block(self, block: Block) -> None:
        for equation in block.equations:
            self.equation(equation)
            for inner in blocks(equation.op):
                self.block(inner)

    def equation(self, equation: Equation) -> None:
        outs, op = equation.outs, equation.op
        match op:
            case Apply(primitive):
                if primitive.writes or primitive.views:
                    self.flow(outs[0], op.operands[0])
                if primitive.writes and isinstance(op.operands[0], Var):
                    self.marks.add(op.operands[0])
            case Call(name, operands):
                for k, operand in enumerate(operands):
                    if (name, k) in self.consumes and isinstance(operand, Var):
                        self.marks.add(operand)
                    for out in outs:
                        self.flow(out, operand)
            case If(_, then, orelse):
                for out, a, b in zip(outs, then.results, orelse.results):
                    self.flow(out, a)
                    self.flow(out, b)
            case For() | While():
                for out, carried, init, result in zip(outs, op.carried, op.init, op.body.results):
                    for other in (carried, init, result):
                        self.flow(out, other)


def overwrites(block: Block, array: Var) -> bool:
    """Whether a block writes into an array as it is at its beginning."""
    return any(replaces(equation.op, array) for equation in block.equations)


def replaces(op: Operation | None, array: Var) -> bool:
    match op:
        case Apply(primitive, operands):
            return primitive.writes and operands[0] is array
        case For() | While():
            return any(a is array and overwrites(op.body, c) for c, a in zip(op.carried, op.init))
        case If(_, then, orelse):
            return overwrites(then, array) or overwrites(orelse, array)
    return False
