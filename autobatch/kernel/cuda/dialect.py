"""What is CUDA's alone in a kernel's text: how a thread finds its lane, and how the lanes of a warp vote.

The lanes of a warp can be run in step by something else, with other words for the same (tests/warp.py): a kernel is
written in a dialect.
"""

from __future__ import annotations

from collections.abc import Iterable

WARP = "0xFFFFFFFF"  # the mask of all threads of a warp
WARP_THREADS = 32


class Dialect:
    """CUDA's own."""

    given: tuple[str, ...] = ()  # arguments before all others
    has_warps = True  # whether a lane may be a warp (warps.py)

    def __init__(self, registers: int | None = None):
        self.registers = registers  # of a thread, at most

    def decorator(self) -> str:
        """What makes a function a kernel."""
        return "@cuda.jit" if self.registers is None else f"@cuda.jit(max_registers={self.registers})"

    def lane(self) -> str:
        """The number of the thread's lane."""
        return "cuda.grid(1)"

    def thread(self) -> str:
        """The number of the thread in its block."""
        return "cuda.threadIdx.x"

    def count(self, test: str) -> str:
        """The number of lanes of the warp for which the test holds: all come here together."""
        return f"cuda.popc(cuda.ballot_sync({WARP}, {test}))"

    def any(self, test: str) -> str:
        """Whether the test holds for a lane of the warp."""
        return f"cuda.any_sync({WARP}, {test})"

    def exchanged(self, number: str, distance: str) -> str:
        """The number of the thread of the warp whose own number differs in this bit."""
        return f"cuda.shfl_xor_sync({WARP}, {number}, {distance})"

    def of_first(self, number: str) -> str:
        """The number that the first thread of the warp has."""
        return f"cuda.shfl_sync({WARP}, {number}, 0)"

    def together(self) -> Iterable[str]:
        """The lanes of a warp wait for each other."""
        return ["cuda.syncwarp()"]


CUDA = Dialect()
