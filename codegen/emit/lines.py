"""Statements as lines of a function's text: indented, broken where they are too long, with the user's own beside them.

return f(x)    ->        return f(x)  # what the user wrote there

A function that the user could just write may be nested deeper when it is emitted, inside the loops of its lanes, than
Python reads: that is looked at where the text is read again (`parsed`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from codegen.source import Source, Span, refuse

INDENT = "    "
LINE = 100
LONGEST = 30  # items of a tuple that Python builds at once
LEVELS, LOOPS = 99, 20  # of indentation, and inside one another, that Python takes
TOO_DEEP = (
    f"branches and loops are nested too deeply: Python takes {LEVELS} levels, and {LOOPS} loops inside one another, "
    "in what is emitted; nest fewer"
)


class Lines:
    """The lines so far. `quote`: note the user's line beside statements that are not that line itself."""

    def __init__(self, *, quote: bool):
        self.quote = quote
        self.lines: list[str] = []
        self.printed_for: dict[int | str, Span] = {}  # what lines, and expressions, were printed for
        self.depth = 0
        self.span: Span | None = None  # of the statement being printed
        self.leaving: Span | None = None  # of what a return returns
        self.noted: tuple[Source, int] | None = None  # the user's line that was quoted last

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

    def listed(self, head: str, items: Sequence[str], tail: str, *, filled: bool = False) -> None:
        """A statement around a list, broken where it is too long: names fill lines, expressions have one each, unless
        they are to be `filled`, too."""
        whole = f"{head}{', '.join(items)}{tail}"
        if len(whole) + len(INDENT) * self.depth <= LINE or len(items) < 2:
            self.line(whole)
            return
        head, tail = (head, tail) if tail else (f"{head}(", ")")
        self.line(head)
        filled = filled or all(item.isidentifier() for item in items)
        for row in filled_lines(items, LINE - len(INDENT) * (self.depth + 1) if filled else 0):
            self.line(f"{INDENT}{row}")
        self.line(tail)

    def returned(self, values: list[str], names: Iterable[str]) -> None:
        """The return; Python builds a longer tuple through a list, which Numba does not compile."""
        if len(values) <= LONGEST:
            self.listed("return ", values, "")
            return
        taken = set(names)
        words = (f"part{k}" for k in range(len(taken) + len(values)))
        free = (word for word in words if word not in taken)
        named = [(next(free), values[k : k + LONGEST]) for k in range(0, len(values), LONGEST)]
        for word, part in named:
            self.listed(f"{word} = (", part, ")" if len(part) > 1 else ",)")
        self.line(f"return {' + '.join(word for word, _ in named)}")

    def quoted(self, text: str) -> str:
        """The user's line to note beside the first of its statements, where it does not say the same."""
        if not self.quote or self.span is None or self.noted == (self.span.source, self.span.line):
            return ""
        self.noted = (self.span.source, self.span.line)
        written = self.span.text
        return "" if written.endswith(":") or bare_text(written) == bare_text(text) else written


def filled_lines(items: Sequence[str], width: int) -> list[str]:
    """Items with commas, as many to a line as there is room for."""
    rows: list[str] = []
    for item in items:
        if rows and len(rows[-1]) + len(item) + 2 <= width:
            rows[-1] += f" {item},"
        else:
            rows.append(f"{item},")
    return rows


def bare_text(text: str) -> str:
    """A statement without its spaces, parentheses and comment."""
    return re.sub(r"#.*|[\s()]", "", text)


def parsed(text: str, span: Span | None) -> ast.Module:
    """The tree of a text, unless it is nested deeper than Python reads; then a SourceError at `span`."""
    try:
        tree = ast.parse(text)
    except IndentationError:
        raise refuse(span, TOO_DEEP) from None
    if loops_inside(tree) > LOOPS:
        raise refuse(span, TOO_DEEP)
    return tree


def loops_inside(node: ast.AST) -> int:
    """How many loops, and `try`s, of a tree are inside one another."""
    blocks = [getattr(node, name, ()) for name in ("body", "handlers", "orelse", "finalbody")]
    own = isinstance(node, ast.For | ast.While | ast.Try)
    statements = (each for block in blocks if isinstance(block, list) for each in block)
    return own + max(map(loops_inside, statements), default=0)
