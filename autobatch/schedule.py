"""What runs when: the order of blocks, and `Schedule`, what a user may say about it.

Of the blocks at which lanes wait the one that matters least runs first: so lanes collect at the one that
matters most, and that runs only when no lane can get there any more through others. In whatever order the
source writes its branches, it is then run as often as the busiest lane needs it, and no more. What matters
is a block's cost times how often it may be visited: each loop or recursion around it counts ASSUMED_TRIPS-fold.
Among equals the earlier block runs first.

    fib on [3, 7, 4, 5]: the addition runs 20 times, for the 20 additions of fib(7)
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Literal, get_args

from autobatch.cfg.graph import BlockProgram, Call, successors
from autobatch.cost_model import ASSUMED_TRIPS

Form = Literal["auto", "measure", "program_counter", "local_static", "lanewise"]
Layout = Literal["mixed", "rows"]
Optimize = Literal["full", "auto", "fast"]

DEEPEST, FEWEST = 1_000_000, 1_000  # frames of a lane
STACKS = 2**28  # bytes
OF_A_GPU = {
    "round_limit": "Ctrl-C ends lanes that do not end",
    "block": "lanes are in groups, of group= lanes",
    "registers": "the processor has as many as it has",
}
"""Fields that are for a GPU alone, and what there is instead."""
TOO_DEEP = "maximum recursion depth exceeded"


@dataclass(frozen=True)
class Schedule:
    """How lanes are run; never what they compute.

    form         "program_counter": lanes wait at blocks; "local_static": structured code over the active
                 lanes; "lanewise": each lane by itself, one after the other on each thread; "auto": by
                 estimated cost; "measure": the fastest on some of the first call's lanes, remembered on disk
    group        lanes that run together in one group, stored side by side (a power of two); None: chosen, and
                 lanes are in groups only where most of their work can be done in vector registers
    threads      CPU threads; None: all that Numba has
    stack_limit  the deepest recursion of a lane, in frames: a lane that goes beyond fails with RecursionError.
                 None: 1,000,000, or as many as take 256 MB for the lanes that run together, but at least 1,000
    tile         rows of a shared matrix that waiting lanes' products take at a time, with all that is done for each
                 row between them; None: as many as the second-level cache holds. Sums are taken tile by tile, so
                 that this one is seen in the last digits
    round_limit  of a lane on a GPU, how often it may go round its loops in all: one that goes beyond fails. None: for
                 ever, and nothing ends it
    block        threads of a block on a GPU (32, 64, ... 1,024); None: 64
    registers    that a thread of a GPU has at most: with fewer, more warps share a processor, and more numbers are in
                 memory. None: as many as the compiler likes
    optimize     "full": machine code that is fast; "auto": up to 16 lanes begin by code that was made in half the time
                 and runs at a third to a tenth of the speed, until other code has been made beside them, if they
                 take long; "fast": by such code, unless other is kept. More lanes, and those with long sums,
                 whose digits would be others, have "full"
    layout       of a group: "rows": every number of all its lanes side by side; "mixed": only those that blocks
                 run side by side use, a lane's other arrays by themselves

        batch(f, schedule=Schedule("program_counter", group=32))

    TypeError and ValueError for what is not such a value.
    """

    form: Form = "auto"
    group: int | None = None
    threads: int | None = None
    stack_limit: int | None = None
    layout: Layout = "mixed"
    tile: int | None = None
    round_limit: int | None = None
    block: int | None = None
    registers: int | None = None
    optimize: Optimize = "full"

    def __post_init__(self) -> None:
        if self.form not in get_args(Form):
            raise ValueError(f"form is one of {', '.join(map(repr, get_args(Form)))}, not {self.form!r}")
        if self.layout not in get_args(Layout):
            raise ValueError(f"layout is 'mixed' or 'rows', not {self.layout!r}")
        if self.optimize not in get_args(Optimize):
            raise ValueError(f"optimize is {', '.join(map(repr, get_args(Optimize)))}, not {self.optimize!r}")
        for name in ("group", "threads", "stack_limit", "tile", *OF_A_GPU):
            check_count(name, getattr(self, name))
        if self.group is not None and self.group & (self.group - 1):
            raise ValueError(f"group is a power of two, not {self.group}")
        if self.block is not None and (self.block % 32 or self.block > 1024):
            raise ValueError(f"block is a multiple of 32 up to 1,024, not {self.block:,}")
        if self.registers is not None and not 16 <= self.registers <= 255:
            raise ValueError(f"registers is at least 16 and at most 255, not {self.registers}")

    def check_on_cpu(self) -> None:
        """ValueError for what is for a GPU alone."""
        for name, instead in OF_A_GPU.items():
            if getattr(self, name) is not None:
                raise ValueError(f"{name}= of a schedule is for target='cuda': on the CPU {instead}")

    def deepest(self, frame: int, together: int) -> int:
        """The stack limit, for frames of so many bytes and lanes that run together."""
        return self.stack_limit or deepest(frame, together)


def deepest(frame: int, together: int) -> int:
    """The frames that a lane may have where nothing else was said."""
    return min(DEEPEST, max(FEWEST, STACKS // max(frame * together, 1)))


def check_count(name: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is an int or None, not {type(value).__name__}")
    if value < 1:
        raise ValueError(f"{name} is at least 1, not {value}")


def block_order(program: BlockProgram) -> tuple[int, ...]:
    """The blocks in the order in which they are to run where lanes wait at several."""
    weight = weights(program)
    return tuple(sorted(range(len(weight)), key=lambda k: (weight[k], k)))


def weights(program: BlockProgram) -> list[float]:
    """For each block its cost times its likely visits."""
    return [block.cost * visits for block, visits in zip(program.blocks, likely_visits(program))]


def likely_visits(program: BlockProgram) -> list[int]:
    """How often a lane may come to each block."""
    inner, outer = loop_depths(program), call_depths(program)
    depths = [loops + outer[block.function] for block, loops in zip(program.blocks, inner)]
    return [ASSUMED_TRIPS**depth for depth in depths]


def loop_depths(program: BlockProgram) -> list[int]:
    """In how many loops of its function each block is."""
    follow = [successors(block) for block in program.blocks]
    depth = [0] * len(follow)
    todo = [frozenset(range(len(follow)))]
    while todo:
        for cycle in block_cycles(follow, todo.pop()):
            for k in cycle:
                depth[k] += 1
            todo.append(cycle - {min(cycle)})  # without its head: what still is a cycle is an inner one
    return depth


def call_depths(program: BlockProgram) -> dict[str, int]:
    """In how many loops and recursions of its callers each function is, its own recursion included."""
    inner = loop_depths(program)
    depth = {name: int(name in program.reaches[name]) for name in program.functions}
    calls = [
        (block.function, block.terminator.function, inner[k])
        for k, block in enumerate(program.blocks)
        if isinstance(block.terminator, Call)
    ]
    outside = [(f, g, loops) for f, g, loops in calls if f not in program.reaches[g] and f != g]
    for _ in depth:  # no chain of calls is longer
        for f, g, loops in outside:
            depth[g] = max(depth[g], depth[f] + loops + int(g in program.reaches[g]))
    return depth


def block_cycles(follow: Sequence[tuple[int, ...]], among: Set[int]) -> list[frozenset[int]]:
    """The strongly connected parts of the blocks `among`, single blocks that do not follow themselves left
    out.
    """
    ahead = {k: reachable(follow, among, k) for k in among}
    found = {frozenset({k, *(j for j in ahead[k] if k in ahead[j])}) for k in among if k in ahead[k]}
    return sorted(found, key=min)


def reachable(follow: Sequence[tuple[int, ...]], among: Set[int], start: int) -> set[int]:
    """The blocks that can be reached from `start` in one step or more."""
    seen: set[int] = set()
    todo = [start]
    while todo:
        more = {j for j in follow[todo.pop()] if j in among and j not in seen}
        seen |= more
        todo += more
    return seen
