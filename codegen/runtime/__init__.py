"""What emitted code needs at run time, to be copied into it: text : names of functions -> source.

    text(["draw_random", "fast_log"])

is the source of these two and of all that they need (of `draw_random`: `philox_next64`, `philox_refill`,
`philox_product` and their constants), in the order of the files of this folder, `fourier/`, `linear_algebra/`, `near/`
and `ordering/`: every one but this and `state.py` is such a store of text, its names its own; `cuda/` has what is
another text in a thread of a GPU.
The module it is pasted into has `IMPORTS` at its top and leaves the names `defines(names)` alone. `state_of` and
`put_state` carry a stream between a NumPy Generator and the state row that the draws advance.
"""

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from codegen.backend import disk_cache

from .state import STATE_WORDS, checked_state, put_state, state_of

__all__ = ["IMPORTS", "STATE_WORDS", "checked_state", "defines", "put_state", "state_of", "text"]

IMPORTS = (
    "import math",
    "import numpy as np",
    "from numba import njit, types",
    "from numba.extending import get_cython_function_address, intrinsic",
    "from llvmlite.binding import add_symbol",
)
NUMBAS = "@njit"  # how the source of a compiled function begins
DEVICE = "@cuda.jit(device=True)"  # and one for threads of a GPU
TAKES_ARRAYS = re.compile(r"def \w+\(\w+: np\.ndarray")
ON_DEVICE = {"np.floor": "libdevice.floor", "np.sqrt": "math.sqrt"}  # of a number
NO_STORES = ("__init__", "state")
OF_ARRAYS = re.compile(r"\bnp\.(?!(?:floating|errstate|nan|linalg\.LinAlgError)\b)")  # what CuPy has too


def text(names: Iterable[str], *, compiled: bool = True, device: bool = False) -> str:
    """Source of the named functions and all they need, without imports: text(["draw_random", "fast_exp"]).

    The order of the names does not matter. `compiled`: with Numba's decorators. `device`: for threads of a GPU.
    ValueError: a name that no file here defines.
    """
    pieces: list[str] = []
    previous = None
    for part in parts_needed(names, device=device):
        if previous is not None:
            pieces.append("\n" * gap(previous, part))
        if previous is None or previous.block != part.block:
            pieces.append(part.heading)
        as_is = compiled or not part.source.startswith(NUMBAS)
        pieces.append(part.source if as_is else part.source.partition("\n")[2])
        previous = part
    return "".join(pieces)


def offset_streams(source: str) -> str:
    """Draw functions whose stream is not an array `s` but 13 words of a larger one, from place `o` on."""
    source = source.replace("(s: np.ndarray", "(s: np.ndarray, o: int")
    source = re.sub(r"\b((?:philox|draw)_\w+)\(s\b(?!:)", r"\1(s, o", source)
    source = re.sub(r"\bs\[(\d+)\]", r"s[o + \1]", source)
    return re.sub(r"\bs\[([A-Z]\w* \+ \w+)\]", r"s[o + np.int64(\1)]", source)


def defines(names: Iterable[str], *, device: bool = False) -> tuple[str, ...]:
    """The module-level names in `text(names)`, in its order; defines(["draw_random"]) ends in draw_random."""
    return tuple(name for part in parts_needed(names, device=device) for name in part.names)


@dataclass(frozen=True)
class Part:
    """One function or assignment at the top level of a file here.

    Parts with no blank line between them form a block; `heading` is the comment above the block. `source`
    ends without a newline.
    """

    names: tuple[str, ...]
    uses: frozenset[str]
    block: int
    heading: str
    source: str


def on_device(part: Part) -> Part:
    """A function of the CPU's for a thread of a GPU: numba-cuda compiles it, but for NumPy's function of a number. And
    one of NumPy's arrays for its host, of CuPy's."""
    if TAKES_ARRAYS.match(part.source):
        return replace(part, source=OF_ARRAYS.sub("cp.", part.source))
    if not part.source.startswith(NUMBAS):
        return part
    body = part.source.partition("\n")[2]
    for function, own in ON_DEVICE.items():
        body = body.replace(f"{function}(", f"{own}(")
    return replace(part, source=f"{DEVICE}\n{body}", heading="")


def parts_needed(names: Iterable[str], *, device: bool = False) -> list[Part]:
    """The parts that define these names and, transitively, what those use, in file order."""
    if not (waiting := sorted(set(names))):
        return []
    listed = device_parts() if device else parts()
    owner = {name: part for part in listed for name in part.names}
    if unknown := [name for name in waiting if name not in owner]:
        functions = ", ".join(name for name, part in owner.items() if part.source.startswith(NUMBAS))
        raise ValueError(f"no function {', '.join(unknown)}; there are {functions}")
    found: set[str] = set()
    while waiting:
        part = owner[waiting.pop()]
        found.update(part.names)
        waiting.extend(name for name in sorted(part.uses) if name in owner and name not in found)
    return [part for part in listed if found.issuperset(part.names)]


def gap(above: Part, below: Part) -> int:
    """Newlines between two parts, as the formatter has them."""
    if above.block == below.block:
        return 1
    return 3 if any(part.source.startswith(("@", "def ")) for part in (above, below)) else 2


@cache
def names() -> frozenset[str]:
    """All names at the top level of such texts."""
    return frozenset(name for part in (*parts(), *device_parts()) for name in part.names)


def parts() -> tuple[Part, ...]:
    """All parts of all files but those for GPUs; they are read, not imported."""
    return all_parts()[0]


@cache
def device_parts() -> tuple[Part, ...]:
    """The same for threads of a GPU: those of the folder `cuda` in place of others of the same names."""
    common, own = all_parts()
    names = {name for part in own for name in part.names}
    return (*(on_device(part) for part in common if names.isdisjoint(part.names)), *own)


@cache
def all_parts() -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """The parts of all files, and of those of the folder `cuda`; kept on disk, as it takes 30 ms to find them."""
    here = Path(__file__).parent
    folders = (here, *(here / name for name in ("fourier", "linear_algebra", "near", "ordering")))
    files = (
        [f for folder in folders for f in sorted(folder.glob("*.py"))],
        sorted((here / "cuda").glob("*.py")),
    )
    common, own = ([path.read_text("utf-8") for path in each if path.stem not in NO_STORES] for each in files)
    name = f"{disk_cache.hashed_name('runtime', Path(__file__).read_text('utf-8'), *common, *own)}.parts"

    def made() -> tuple[tuple[Part, ...], tuple[Part, ...]]:
        first = parts_of(common, 0)
        return first, parts_of(own, len(first))

    return disk_cache.remembered(name, made)


def parts_of(sources: list[str], block: int) -> tuple[Part, ...]:
    """The parts of stores of text, their blocks numbered from `block`."""
    found: list[Part] = []
    for source in sources:
        found.extend(file_parts(source, block + len(found)))
    return tuple(found)


def file_parts(source: str, block: int) -> list[Part]:
    """The parts of one file, their blocks numbered from `block`."""
    lines = source.splitlines()
    found: list[Part] = []
    end = 0
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.Assign):
            first = top = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            while lines[top - 2].startswith("#"):
                top -= 1
            inside = nodes_in(node)
            variables = [n for n in inside if isinstance(n, ast.Name)]
            stored = tuple(n.id for n in variables if isinstance(n.ctx, ast.Store))
            own = (*stored, *(n.arg for n in inside if isinstance(n, ast.arg)))
            opens_block = first - end > 1 or not found
            part = Part(
                names=(node.name,) if isinstance(node, ast.FunctionDef) else stored,
                uses=frozenset(n.id for n in variables if isinstance(n.ctx, ast.Load)).difference(own),
                block=block + len(found) if opens_block else found[-1].block,
                heading="".join(line + "\n" for line in lines[top - 1 : first - 1]),
                source="\n".join(lines[first - 1 : node.end_lineno]),
            )
            found.append(part)
        end = node.end_lineno or end
    return found


def nodes_in(node: ast.AST) -> list[ast.AST]:
    """A node and all in it, as `ast.walk` gives them in three times the time."""
    found = [node]
    for each in found:
        for field in each._fields:
            value = getattr(each, field, None)
            if isinstance(value, list):
                found.extend(item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST):
                found.append(value)
    return found
