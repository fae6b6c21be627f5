"""What a lane does as a thread of a GPU: lane_visits.py's visits, their divisions by reciprocals that are at hand.

    t / 5.0, t / sigma[i]        ->      quotient(t, 5.0, 0.2), quotient(t, sigma[i], sigma_inverse[i])

A division takes some 25 instructions of a thread, and a leapfrog of NUTS for eight schools makes 22.
"""

from __future__ import annotations

from dataclasses import replace

from autobatch.kernel.lane_visits import LaneVisits, Visit
from autobatch.kernel.memory.thread import ThreadMemory
from autobatch.kernel.reciprocals import divisions, with_reciprocals


class ThreadVisits(LaneVisits):
    memory: ThreadMemory

    def visits(self) -> list[Visit]:
        known = divisions((e for block in self.program.blocks for e in block.equations), vectors=False)
        told = known, self.lowering, self.memory.inverse
        return [replace(visit, region=with_reciprocals(visit.region, *told)) for visit in super().visits()]
