"""Where the frames of a thread of a GPU are: frames_of : Storage -> Frames.

I_near[depth]                    the number of a frame among the first 64, in the thread's own memory
I_stack[depth - 64, lane]        one of a later frame, in global memory, lanes innermost
F_stack[20 * depth + 3, lane]    one of a large frame

All frames are as large as the largest, so that the depth says where each is. Local memory is written back when it has
to make room; what is written to global memory goes through the cache at once, and each place of it takes four products.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from autobatch.cfg.spilling import Storage
from autobatch.cost_model import FRAME_BYTES, NEAR_FRAMES
from autobatch.kernel.memory.arenas import ARENAS, DTYPES, element_count


@dataclass(frozen=True)
class Frames:
    """sizes: an arena -> the numbers of a frame. near: how many frames are in the thread's own memory."""

    sizes: Mapping[str, int]
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


def frames_of(where: Storage, *, near: bool) -> Frames:
    """`near`: whether small ones may be in the thread's own memory."""
    sizes: dict[str, int] = {}
    for pushed in where.pushes.values():
        counts: dict[str, int] = {}
        for var in pushed:
            arena = ARENAS[var.type.dtype]
            counts[arena] = counts.get(arena, 0) + element_count(var.type)
        sizes |= {arena: max(count, sizes.get(arena, 0)) for arena, count in counts.items()}
    of_one = sum(size * np.dtype(DTYPES[arena]).itemsize for arena, size in sizes.items())
    count = FRAME_BYTES // of_one if near and of_one else 0
    return Frames(sizes, count if count >= NEAR_FRAMES else 0)
