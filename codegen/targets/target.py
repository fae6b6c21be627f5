"""What the printer asks of a target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codegen.emit.spelling import Spelling, Text
from codegen.ir import Apply, For, Function, Program, Type
from codegen.ir.traversal import all_equations


@dataclass(frozen=True)
class Target:
    """spelling: how primitives are written; decorator: the line above each function.

    compiled: what is raised is put together in Python, by classes that the text has for it (raising.py)
    """

    name: str
    spelling: Spelling
    decorator: str | None = None
    compiled: bool = False

    def decorated(self, program: Program, function: Function) -> str | None:
        """The line above a function of this program."""
        return self.decorator

    def counted(self, loop: For) -> str:
        """What a loop counts by."""
        return "range"

    def spelled(self, program: Program) -> Spelling:
        """How this program's primitives are written."""
        return self.spelling

    def draw(self, op: Apply, args: Sequence[str]) -> Text:
        """A draw as an expression."""
        assert op.primitive.form is not None
        return op.primitive.form(*args, **op.params, rank=0)

    def draws(self, op: Apply, args: Sequence[str], out: str, type_: Type) -> list[str]:
        """The statements of a draw into the name `out`."""
        return [f"{out} = {self.draw(op, args)[0]}"]

    def helpers(self, program: Program) -> str:
        """Definitions that the program's functions call."""
        return ""

    def helper_names(self, program: Program) -> Sequence[str]:
        """The module-level names of `helpers`."""
        return ()


def applied(program: Program) -> Iterator[Apply]:
    """Every primitive that a program applies."""
    return (e.op for e in all_equations(program) if isinstance(e.op, Apply))
