"""The function over lanes of a module of groups, as text: its arguments, its memory, and the loop over blocks."""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.kernel.ir import Site
from autobatch.kernel.numba.groups.arrays import arrays
from autobatch.kernel.numba.groups.blocks import Blocks
from autobatch.kernel.numba.groups.queue import queues
from autobatch.kernel.numba.groups.routine import Routine
from autobatch.kernel.numba.groups.sweep import sweep
from autobatch.kernel.numba.writer import Writer


def driver(b: Blocks, load: Routine, advance: Routine, finish: Routine, onwards: Routine | None) -> str:
    p = Writer()
    signature = [*b.memory.inputs, *b.memory.plain_outputs(), *b.marks.given]
    begins = "first" if b.flow.one_way else "coming"
    p.line('@njit(cache=True, nogil=True, error_model="numpy")')
    p.line(f"def {b.memory.name}_lanes({', '.join((begins, 'last', 'limit', 'failed', *signature))}):")
    p.depth = 1
    p.lines += described(b.visits.lowering.sites, b.memory.streams > 0, queued=not b.flow.one_way)
    p.written(["use_wide_registers()"] if any(b.memory.wide) else [])
    p.written([] if b.flow.one_way else ["add_at_once(coming[2:3], 1)"])
    p.lines += [f"    {line}" for line in arrays(b)]
    for constant, (argument, size) in b.memory.shares.items():
        p.line(f"for k in range({size}):")
        p.line(
            f"    S[{constant} + k] = {argument}{'[k]' if b.memory.homes[argument].type.rank == 1 else '.flat[k]'}"
        )
        if constant in b.memory.inverses:
            p.line(f"    S[{b.memory.inverses[constant]} + k] = 1.0 / S[{constant} + k]")
    if b.flow.one_way:
        sweep(b, load, advance, finish, p)
    else:
        assert onwards is not None
        queues(b, load, onwards, p)
        p.line("add_at_once(coming[3:4], 1)")
    p.line("raise_waiting(failed)")
    p.line("return last")
    return "\n".join(p.lines)


def plain(message: str) -> str:
    """A message as it can stand in a docstring."""
    return repr(message)[1:-1].replace('"', "'")


COMING = (
    "    coming is what threads share: the number of the lane that comes next, how many lanes a thread has at a time,",
    "    at most, how many calls have begun, and how many have ended.",
)


def described(sites: Sequence[Site], streams: bool, *, queued: bool) -> list[str]:
    """The docstring of the function over lanes."""
    taken = "Lanes that nobody has taken, up to last" if queued else "Lanes first to last"
    lines = [
        f'    """{taken}, G of them at a time; returns last.',
        "",
        *(COMING if queued else ()),
        "    What ends in _lanes has a row a lane, what ends in _shared is one for all; results go to out0, out1, ...",
        *(["    Streams are state rows (Philox 4x64-10), which are advanced."] if streams else []),
        "    failed[lane] is 0, or the number of what ended the lane; limit is the deepest recursion, -1 for none.",
    ]
    causes = [f"    {k + 1}: {s.exception}: {plain(s.message)}" for k, s in enumerate(sites)]
    return [*lines, *([""] if causes else []), *causes, '    """']
