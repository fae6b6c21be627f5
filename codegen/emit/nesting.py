"""Text that Python takes: how deep its lines are indented, and its loops nested, is looked at before it is given away.

Python takes 99 levels of indentation and 20 loops inside one another. A function that the user could just write may be
deeper when it is emitted, inside the loops of its lanes.
"""

from __future__ import annotations

from codegen.source import Span, refuse

LEVELS, LOOPS = 99, 20
INDENT = 4


def readable(text: str, span: Span | None) -> str:
    """`text`, unless it is nested deeper than Python reads; then a SourceError at `span`."""
    loops: list[int] = []
    for line in text.splitlines():
        code = line.lstrip(" ")
        depth = (len(line) - len(code)) // INDENT
        if depth > LEVELS:
            raise refuse(span, TOO_DEEP)
        if not code:
            continue
        while loops and loops[-1] >= depth:
            loops.pop()
        if code.startswith(("for ", "while ", "try:")) and code.endswith(":"):
            loops.append(depth)
            if len(loops) > LOOPS:
                raise refuse(span, TOO_DEEP)
    return text


TOO_DEEP = (
    f"branches and loops are nested too deeply: Python takes {LEVELS} levels, and {LOOPS} loops inside one another, "
    "in what is emitted; nest fewer"
)
