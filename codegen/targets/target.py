"""What the printer asks of a target."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from codegen import runtime
from codegen.emit.spelling import Spelling, Text
from codegen.ir import Apply, For, Function, Program, Type


class Target(ABC):
    """compiled: what is raised is put together in Python, by classes that the text has for it (raising.py)

    launches: functions that are kernels are written `in_kernels`, with what launches them.
    """

    compiled = False
    launches = False

    @abstractmethod
    def spelled(self, program: Program) -> Spelling:
        """How this program's primitives are written."""

    def in_kernels(self) -> Spelling:
        """How primitives are written in kernels."""
        raise AssertionError("only a target that launches kernels has a spelling for them")

    @abstractmethod
    def wanted(self, program: Program) -> list[str]:
        """The functions of codegen/runtime that the program's functions call."""

    def helpers(self, program: Program) -> str:
        """Definitions that the program's functions call."""
        form = runtime.as_compiled if self.compiled else runtime.plain
        return runtime.text(self.wanted(program), form=form).strip("\n")

    def helper_names(self, program: Program) -> Sequence[str]:
        """The module-level names of `helpers`."""
        return runtime.defines(self.wanted(program))

    def decorated(self, program: Program, function: Function, options: Sequence[str] = ()) -> str | None:
        """The line above a function of this program; `options`: more of a compiler's."""
        return None

    def counted(self, loop: For) -> str:
        """What a loop counts by."""
        return "range"

    def draw(self, op: Apply, args: Sequence[str]) -> Text:
        """A draw as an expression."""
        assert op.primitive.form is not None
        return op.primitive.form(*args, **op.params, rank=0, lib="np")

    def draws(self, op: Apply, args: Sequence[str], out: str, type_: Type) -> list[str]:
        """The statements of a draw into the name `out`."""
        return [f"{out} = {self.draw(op, args)[0]}"]
