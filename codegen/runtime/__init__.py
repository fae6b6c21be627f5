"""What emitted code needs at run time, to be copied into it: text : names of functions -> source.

    text(["draw_random", "fast_log"])

is the source of these two and of all that they need (of `draw_random`: `stream_next64`, `stream_refill`,
`philox_product` and their constants), in the order of the files of this folder, `complex_matrices/`, `fourier/`,
`intrinsics/`, `linear_algebra/`, `near/`, `ordering/`, `special_functions/` and `streams/`: every one but this,
`forms.py` and `state.py` is such a store of text, its names its own; `cuda/` has what is another text in a thread of a
GPU.
The module it is pasted into has `IMPORTS` at its top and leaves the names `defines(names)` alone. `state_of` and
`put_state` carry a stream between a NumPy Generator and the state row that the draws advance.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from .forms import Form, Part, as_compiled, parts_of, plain, with_offset
from .state import STATE_WORDS, checked_state, put_state, state_of

__all__ = [
    "IMPORTS",
    "RARE",
    "STATE_WORDS",
    "Part",
    "as_compiled",
    "checked_state",
    "defines",
    "own_text",
    "plain",
    "put_state",
    "state_of",
    "text",
    "with_offset",
]

IMPORTS = (
    "import math",
    "import numpy as np",
    "from numba import njit, types",
    "from numba.extending import get_cython_function_address, intrinsic",
    "from llvmlite.binding import add_symbol, get_host_cpu_features",
)
NO_STORES = ("__init__", "forms", "state")
FOLDERS = (
    "complex_matrices",
    "fourier",
    "intrinsics",
    "linear_algebra",
    "near",
    "ordering",
    "special_functions",
    "streams",
)
RARE = frozenset(
    {"draw_normal_edge", "draw_exponential_edge"}
)  # what a draw comes to once in a hundred times


def text(names: Iterable[str], *, form: Form = as_compiled, device: bool = False) -> str:
    """Source of the named functions and all they need, without imports: text(["draw_random", "fast_exp"]).

    The order of the names does not matter. `form`: how a function is written. `device`: for threads of a GPU.
    ValueError: a name that no file here defines.
    """
    pieces: list[str] = []
    previous = None
    for each in parts_needed(names, device=device):
        part = each.on_device if device else each
        if previous is not None:
            pieces.append("\n" * gap(previous, part))
        if previous is None or previous.block != part.block:
            pieces.append(part.heading)
        pieces.append(form(part))
        previous = part
    return "".join(pieces)


def own_text(name: str, *, device: bool = False) -> str:
    """Source of one function, without what it needs."""
    part = owners(device)[name]
    return (part.on_device if device else part).source


def defines(names: Iterable[str], *, device: bool = False) -> tuple[str, ...]:
    """The module-level names in `text(names)`, in its order; defines(["draw_random"]) ends in draw_random."""
    return tuple(name for part in parts_needed(names, device=device) for name in part.names)


def parts_needed(names: Iterable[str], *, device: bool = False) -> list[Part]:
    """The parts that define these names and, transitively, what those use, in file order, as the CPU has them."""
    if not (waiting := sorted(set(names))):
        return []
    listed, owner = device_parts() if device else parts(), owners(device)
    if unknown := [name for name in waiting if name not in owner]:
        functions = ", ".join(name for name, part in owner.items() if part.decorator)
        raise ValueError(f"no function {', '.join(unknown)}; there are {functions}")
    found: set[str] = set()
    while waiting:
        part = owner[waiting.pop()]
        found.update(part.names)
        waiting.extend(name for name in sorted(part.uses) if name in owner and name not in found)
    return [part for part in listed if found.issuperset(part.names)]


@cache
def owners(device: bool) -> dict[str, Part]:
    """What defines each name."""
    return {name: part for part in (device_parts() if device else parts()) for name in part.names}


def gap(above: Part, below: Part) -> int:
    """Newlines between two parts, as the formatter has them."""
    if above.block == below.block:
        return 1
    return 3 if above.opening or below.opening else 2


@cache
def names() -> frozenset[str]:
    """All names at the top level of such texts."""
    return frozenset(name for part in (*parts(), *device_parts()) for name in part.names)


@cache
def parts() -> tuple[Part, ...]:
    """All parts of all files but those for GPUs; they are read, not imported."""
    here = Path(__file__).parent
    return parts_in(here, *(here / name for name in FOLDERS))


@cache
def device_parts() -> tuple[Part, ...]:
    """The same for threads of a GPU: those of the folder `cuda` in place of others of the same names."""
    own = parts_in(Path(__file__).parent / "cuda")
    names = {name for part in own for name in part.names}
    common = (part for part in parts() if names.isdisjoint(part.names))
    return (*common, *(replace(part, block=part.block + len(parts())) for part in own))


def parts_in(*folders: Path) -> tuple[Part, ...]:
    files = (file for folder in folders for file in sorted(folder.glob("*.py")))
    return parts_of(file.read_text("utf-8") for file in files if file.stem not in NO_STORES)
