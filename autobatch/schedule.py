"""What runs when: the order of blocks, and `Schedule`, what a user may say about it.

Of the blocks at which lanes wait the cheapest runs first, the earlier one among equals: so lanes collect at
the expensive one, and it runs only when no lane can get there any more by cheaper blocks. In whatever order
the source writes its branches, that block is then run as often as the busiest lane needs it, and no more.

    fib on [3, 7, 4, 5]: the addition runs 20 times, for the 20 additions of fib(7)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from autobatch.graph import BlockProgram

Form = Literal["auto", "program_counter", "local_static", "lanewise"]


@dataclass(frozen=True)
class Schedule:
    """How lanes are run; never what they compute.

    form         "program_counter": lanes wait at blocks; "local_static": structured code over the active
                 lanes; "lanewise": each lane by itself, one after the other on each thread; "auto": by
                 estimated cost
    group        lanes that run together in one group, stored side by side (a power of two); None: chosen
    threads      CPU threads; None: all that Numba has
    stack_limit  the deepest recursion of a lane, in frames; a lane that goes beyond fails. None: stacks grow

        batch(f, schedule=Schedule("program_counter", group=32))

    TypeError and ValueError for what is not such a value.
    """

    form: Form = "auto"
    group: int | None = None
    threads: int | None = None
    stack_limit: int | None = None

    def __post_init__(self) -> None:
        if self.form not in get_args(Form):
            raise ValueError(f"form is one of {', '.join(map(repr, get_args(Form)))}, not {self.form!r}")
        for name in ("group", "threads", "stack_limit"):
            check_count(name, getattr(self, name))
        if self.group is not None and self.group & (self.group - 1):
            raise ValueError(f"group is a power of two, not {self.group}")


def check_count(name: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is an int or None, not {type(value).__name__}")
    if value < 1:
        raise ValueError(f"{name} is at least 1, not {value}")


def order(program: BlockProgram) -> tuple[int, ...]:
    """The blocks in the order in which they are to run where lanes wait at several: cheap ones first."""
    return tuple(sorted(range(len(program.blocks)), key=lambda k: (program.blocks[k].cost, k)))


def choose(program: BlockProgram, waiting: Mapping[int, int]) -> int:
    """The block to run next, of those at which lanes wait (block -> number of lanes)."""
    return min((k for k, lanes in waiting.items() if lanes), key=lambda k: (program.blocks[k].cost, k))


def expensive(program: BlockProgram) -> int:
    """The block at which lanes collect: the last of `order`."""
    return order(program)[-1]
