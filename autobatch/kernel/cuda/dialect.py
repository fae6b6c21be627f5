"""What is CUDA's alone in a kernel's text: how a thread finds its lane, and how the lanes of a warp vote.

The lanes of a warp can be run in step by something else, with other words for the same (tests/warp.py): a kernel is
written in a dialect.
"""

from __future__ import annotations

from collections.abc import Iterable

WARP = "0xFFFFFFFF"  # the mask of all lanes of a warp


class Dialect:
    """CUDA's own."""

    given: tuple[str, ...] = ()  # arguments before all others

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

    def together(self) -> Iterable[str]:
        """The lanes of a warp wait for each other."""
        return ["cuda.syncwarp()"]


CUDA = Dialect()
