"""The plain listing of a Program's IR, for debugging and for the checker's complaints.

main f(x: f8[n]):
  s: f8 = for i in range(0, n, 1) with s.2: f8 = 0.0:
    t: f8 = index x, i, spec=('i',)
    t.2: f8 = add s.2, t
    yield t.2
  return s
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from codegen.ir import Apply, Atom, Block, Call, Equation, For, If, Program, Var, While


def dump(program: Program, *, at: Equation | None = None, says: str = "") -> str:
    """One line per equation; Vars of one name are told apart by numbers. `says` is noted `at` an equation."""
    lines: list[str] = []
    for name, function in program.functions.items():
        listing = Listing(at, says)
        head = ", ".join(listing.binder(p) for p in function.params)
        listing.add(0, f"{'main ' if name == program.main else ''}{name}({head}):")
        listing.block(function.body, 1, "return")
        lines += listing.lines
    return "\n".join(lines) + "\n"


class Listing:
    """The lines of one function, and the numbers of its names."""

    def __init__(self, at: Equation | None, says: str):
        self.lines: list[str] = []
        self.names: dict[Var, str] = {}
        self.taken: dict[str, int] = {}
        self.noted, self.says = at, says

    def add(self, depth: int, text: str, equation: Equation | None = None) -> None:
        note = f"    # <--- {self.says}" if equation is not None and equation is self.noted else ""
        self.lines.append("  " * depth + text + note)

    def name(self, atom: Atom | int) -> str:
        if not isinstance(atom, Var):
            return repr(atom)
        if atom not in self.names:
            count = self.taken[atom.name] = self.taken.get(atom.name, 0) + 1
            self.names[atom] = atom.name if count == 1 else f"{atom.name}.{count}"
        return self.names[atom]

    def all(self, atoms: Iterable[Atom]) -> str:
        return ", ".join(self.name(a) for a in atoms)

    def binder(self, var: Var) -> str:
        shape = ", ".join(self.name(d) for d in var.type.shape)
        return f"{self.name(var)}: {var.type.dtype}{f'[{shape}]' if shape else ''}"

    def block(self, block: Block, depth: int, leave: str) -> None:
        for equation in block.equations:
            self.equation(equation, depth)
        if block.results or leave == "return":
            self.add(depth, f"{leave} {self.all(block.results)}".rstrip())

    def equation(self, equation: Equation, depth: int) -> None:
        outs = ", ".join(self.binder(o) for o in equation.outs)
        outs = f"{outs} = " if outs else ""
        match equation.op:
            case Apply(primitive, operands, params):
                words = [self.name(o) for o in operands] + [f"{k}={v!r}" for k, v in params.items()]
                self.add(depth, f"{outs}{primitive.name} {', '.join(words)}".rstrip(), equation)
            case Call(name, operands):
                self.add(depth, f"{outs}{name}({self.all(operands)})", equation)
            case If(test, then, orelse):
                self.add(depth, f"{outs}if {self.name(test)}:", equation)
                self.block(then, depth + 1, "yield")
                self.add(depth, "else:")
                self.block(orelse, depth + 1, "yield")
            case For() as loop:
                bounds = f"range({self.name(loop.start)}, {self.name(loop.stop)}, {loop.step})"
                order = "" if loop.kind == "sequential" else f" {loop.kind}"
                text = f"{outs}for {self.name(loop.index)} in {bounds}{order}{self.carried(loop)}:"
                self.add(depth, text, equation)
                self.block(loop.body, depth + 1, "yield")
            case While() as loop:
                self.add(depth, f"{outs}while{self.carried(loop)}:", equation)
                self.block(loop.cond, depth + 1, "test")
                self.add(depth, "do:")
                self.block(loop.body, depth + 1, "yield")
            case _ as never:
                assert_never(never)

    def carried(self, loop: For | While) -> str:
        pairs = ", ".join(f"{self.binder(p)} = {self.name(u)}" for p, u in zip(loop.carried, loop.init))
        return f" with {pairs}" if pairs else ""
