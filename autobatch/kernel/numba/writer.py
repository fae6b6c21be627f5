"""Lines of Python, indented, while they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from codegen.emit.lines import INDENT, Lines


class CodeWriter(Lines):
    """Lines from a depth on."""

    def __init__(self, depth: int = 0, *, quote: bool = False) -> None:
        super().__init__(quote=quote)
        self.depth = depth

    def written(self, lines: Iterable[str]) -> None:
        """Lines as they are."""
        for line in lines:
            self.line(line)

    def paste(self, text: str) -> None:
        """The lines of a text."""
        self.written(text.strip().splitlines())

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """What is written inside is a level deeper, under `head`."""
        self.line(head)
        self.depth += 1
        yield
        self.depth -= 1

    @contextmanager
    def counted(self, index: str, stop: int) -> Iterator[None]:
        """What is written inside is done for each number below `stop`."""
        with self.block(f"for {index} in range({stop}):"):
            yield

    def elements(self, count: int, line: str) -> None:
        """A line for each element `k`."""
        with self.counted("k", count):
            self.line(line)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def indented(lines: Iterable[str]) -> list[str]:
    return [f"{INDENT}{line}" for line in lines]


def distinct_function(
    name: str, given: Iterable[str], body: Iterable[str], *, inline: bool = False, kind: str = "Distinct"
) -> str:
    """A function that is given arrays which do not overlap, and makes none; `kind`: a class of DISTINCT in hints.py."""
    flag = "forceinline=True, " * inline
    head = f'@njit(error_model="numpy", {flag}pipeline_class={kind})', f"def {name}({', '.join(given)}):"
    return "\n".join((*head, *body))
