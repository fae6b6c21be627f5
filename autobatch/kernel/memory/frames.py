"""Where the frames of a thread of a GPU are: frames_of : Storage -> Frames.

I_near[depth]                    the number of a frame among the first 64, in the thread's own memory
I_stack[depth - 64, lane]        one of a later frame, in global memory, lanes innermost
F_stack[20 * depth + 3, lane]    one of a large frame

All frames are as large as the largest, so that the depth says where each is, and a variable has its place in all of
them: what is pushed again after it was popped is there (cuda/visits.py). Local memory is written back when it has to
make room; what is written to global memory goes through the cache at once, and each place of it takes four products.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from autobatch.cfg.spilling import Storage
from autobatch.cost_model import FRAME_BYTES, NEAR_FRAMES
from autobatch.kernel.memory.arenas import ARENAS, DTYPES, element_count
from codegen.ir import Var


@dataclass(frozen=True)
class Frames:
    """sizes: an arena -> the numbers of a frame. at: the first place of a variable in it, by its name.

    near: how many frames are in the thread's own memory.
    """

    sizes: Mapping[str, int]
    at: Mapping[str, int]
    near: int

    def place(self, arena: str, at: str, *, near: bool) -> str:
        """Number `at` of the frame at `depth`."""
        size, first = self.sizes[arena], 0 if near else self.near
        depth = f"depth - {first}" if first else "depth"
        if size > 1:
            depth = f"{size} * ({depth})" if first else f"{size} * depth"
        place = depth if at == "0" else f"{depth} + {at}"
        return f"{arena}_near[{place}]" if near else f"{arena}_stack[{place}, lane]"

    def room(self) -> str:
        """How many frames there is room for."""
        arena = max(self.sizes, key=lambda each: self.sizes[each])  # all stacks have as many numbers
        size, frames = self.sizes[arena], f"len({arena}_stack)"
        frames = f"{frames} // {size}" if size > 1 else frames
        return f"{self.near} + {frames}" if self.near else frames


def frames_of(where: Storage, names: Mapping[Var, str], *, near: bool) -> Frames:
    """`names`: what shares a name shares a place. `near`: whether small frames may be in the thread's own memory."""
    places: dict[str, range] = {}
    sizes: dict[str, int] = {}
    together = [{names[v]: v for v in pushed} for pushed in where.pushes.values()]
    for name, var in {name: var for pushed in together for name, var in pushed.items()}.items():
        arena, size = ARENAS[var.type.dtype], element_count(var.type)
        others = {
            n
            for pushed in together
            if name in pushed
            for n, v in pushed.items()
            if ARENAS[v.type.dtype] == arena
        }
        taken = [places[n] for n in others if n in places]
        firsts = sorted({0, *(place.stop for place in taken)})
        free = (range(at, at + size) for at in firsts)
        places[name] = next(f for f in free if all(f.stop <= t.start or t.stop <= f.start for t in taken))
        sizes[arena] = max(places[name].stop, sizes.get(arena, 0))
    of_one = sum(size * np.dtype(DTYPES[arena]).itemsize for arena, size in sizes.items())
    count = FRAME_BYTES // of_one if near and of_one else 0
    first = {name: place.start for name, place in places.items()}
    return Frames(sizes, first, count if count >= NEAR_FRAMES else 0)
