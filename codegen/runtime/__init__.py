"""What emitted code needs at run time, to be copied into it: text : names of functions -> source.

    text(["draw_random", "fast_log"])

is the source of these two and of all that they need (of `draw_random`: `philox_next64`, `philox_refill`,
`philox_product` and their constants), in the order of the files of this folder: every one but this and
`state.py` is such a store of text, its names its own. The module it is pasted into has `IMPORTS` at its top
and leaves the names `defines(names)` alone. `state_of` and `put_state` carry a stream between a NumPy
Generator and the state row that the draws advance.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from .state import STATE_WORDS, checked_state, put_state, state_of

__all__ = ["IMPORTS", "STATE_WORDS", "checked_state", "defines", "put_state", "state_of", "text"]

IMPORTS = (
    "import math",
    "import numpy as np",
    "from numba import njit, types",
    "from numba.extending import intrinsic",
)

# What only Numba understands, and what does the same without it.
PORTABLE = {
    "fused": "fused_by_parts",
    "highest": "highest_by_comparison",
    "lowest": "lowest_by_comparison",
    "philox_product": "philox_product_by_halves",
    "rounded": "rounded_by_bits",
}


def text(names: Iterable[str], *, decorator: str | None = None) -> str:
    """Source of the named functions and all they need, without imports: text(["draw_normal", "fast_exp"]).

    The order of the names does not matter. `decorator` replaces Numba's on every compiled function, say
    "cuda.jit(device=True)"; "" takes it away. ValueError: a name that no file here defines.
    """
    pieces: list[str] = []
    previous = None
    for part in needed(names, portable=decorator is not None):
        if previous is not None:
            pieces.append("\n" * gap(previous, part))
        if previous is None or previous.block != part.block:
            pieces.append(part.heading)
        pieces.append(part.source if decorator is None else redecorated(part, decorator))
        previous = part
    return "".join(pieces)


def offset_streams(source: str) -> str:
    """Draw functions whose stream is not an array `s` but 13 words of a larger one, from place `o` on."""
    source = source.replace("(s: np.ndarray", "(s: np.ndarray, o: int")
    source = re.sub(r"\b((?:philox|draw)_\w+)\(s\b(?!:)", r"\1(s, o", source)
    source = re.sub(r"\bs\[(\d+)\]", r"s[o + \1]", source)
    return re.sub(r"\bs\[([A-Z]\w* \+ \w+)\]", r"s[o + np.int64(\1)]", source)


def defines(names: Iterable[str]) -> tuple[str, ...]:
    """The module-level names in `text(names)`, in its order; defines(["draw_random"]) ends in draw_random."""
    return tuple(name for part in needed(names) for name in part.names)


@dataclass(frozen=True)
class Part:
    """One function or assignment at the top level of a file here.

    Parts with no blank line between them form a block; `heading` is the comment above the block. `source`
    ends without a newline. `compiled` says that it opens with a decorator's line.
    """

    names: tuple[str, ...]
    uses: frozenset[str]
    block: int
    heading: str
    source: str
    is_function: bool
    compiled: bool


def needed(names: Iterable[str], *, portable: bool = False) -> list[Part]:
    """The parts that define these names and, transitively, what those use, in file order; without Numba's own."""
    known = [ported(part) for part in parts()] if portable else parts()
    owner = {name: part for part in known for name in part.names}
    waiting = sorted(set(names))
    if unknown := [name for name in waiting if name not in owner]:
        functions = ", ".join(name for name, part in owner.items() if part.compiled)
        raise ValueError(f"no function {', '.join(unknown)}; there are {functions}")
    found: set[str] = set()
    while waiting:
        part = owner[waiting.pop()]
        found.update(part.names)
        waiting.extend(name for name in sorted(part.uses) if name in owner and name not in found)
    return [part for part in known if found.issuperset(part.names)]


def gap(above: Part, below: Part) -> int:
    """Newlines between two parts, as the formatter has them."""
    if above.block == below.block:
        return 1
    return 3 if above.is_function or below.is_function else 2


def ported(part: Part) -> Part:
    """The part with portable functions in place of Numba's own."""
    if part.names[0] in PORTABLE or not part.uses & PORTABLE.keys():
        return part
    words = re.compile(rf"\b({'|'.join(PORTABLE)})\b")
    source = words.sub(lambda match: PORTABLE[match[1]], part.source)
    return replace(part, uses=frozenset(PORTABLE.get(name, name) for name in part.uses), source=source)


def redecorated(part: Part, decorator: str) -> str:
    """The part's source under another decorator, or none."""
    line = f"@{decorator}\n" if decorator else ""
    return line + part.source.split("\n", 1)[1] if part.compiled else part.source


@cache
def parts() -> tuple[Part, ...]:
    """All parts of all files, which are read, not imported."""
    found: list[Part] = []
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem not in ("__init__", "state"):
            found.extend(parts_of(path.read_text(encoding="utf-8"), len(found)))
    return tuple(found)


def parts_of(source: str, block: int) -> list[Part]:
    """The parts of one file, their blocks numbered from `block`."""
    lines = source.splitlines()
    found: list[Part] = []
    end = 0
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.Assign):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            opens_block = first - end > 1 or not found
            found.append(part_of(node, lines, first, block + len(found) if opens_block else found[-1].block))
        end = node.end_lineno or end
    return found


def part_of(node: ast.FunctionDef | ast.Assign, lines: list[str], first: int, block: int) -> Part:
    """The part at lines first.. (counted from 1), with the comment lines right above."""
    top = first
    while lines[top - 2].startswith("#"):
        top -= 1
    is_function = isinstance(node, ast.FunctionDef)
    variables = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    stored = tuple(n.id for n in variables if isinstance(n.ctx, ast.Store))
    return Part(
        names=(node.name,) if isinstance(node, ast.FunctionDef) else stored,
        uses=frozenset(n.id for n in variables if isinstance(n.ctx, ast.Load)),
        block=block,
        heading="".join(line + "\n" for line in lines[top - 1 : first - 1]),
        source="\n".join(lines[first - 1 : node.end_lineno]),
        is_function=is_function,
        compiled=lines[first - 1].startswith("@njit"),
    )
