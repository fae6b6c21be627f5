"""Lines of Python, indented."""

from __future__ import annotations

from collections.abc import Iterable

INDENT = "    "


class Lines:
    def __init__(self, depth: int = 0) -> None:
        self.lines: list[str] = []
        self.depth = depth

    def line(self, text: str) -> None:
        self.lines.append(INDENT * self.depth + text)

    def written(self, lines: Iterable[str]) -> None:
        """Lines as they are."""
        for line in lines:
            self.line(line)


def indented(lines: Iterable[str]) -> list[str]:
    return [f"{INDENT}{line}" for line in lines]
