"""A limit on how often a lane goes round its loops, since nothing ends a kernel that does not end by itself.

    while x > 1.0:                        while x > 1.0:
        x = x / 2.0           ->              rounds += 1
                                              if rounds > 1000000:
                                                  failed[lane] = 1
                                                  return
                                              x = x / 2.0

Rounds of all loops of unknown length count, and so do calls by which a block comes to itself again: at the places where
a lane on the CPU looks whether it is to stop (polling.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from autobatch.kernel.lower import Lowering
from codegen.ir.exceptions import thrown
from codegen.source import Span


@dataclass(frozen=True, eq=False)
class Watchdog:
    """`limit`: rounds of a lane in all, beyond which it fails."""

    limit: int
    lowering: Lowering

    def site(self, span: Span | None) -> int:
        """The number of the failure there."""
        message = f"more than {self.limit:,} rounds of its loops, which is the round_limit of its schedule"
        return self.lowering.site(thrown("RuntimeError", message), span)
