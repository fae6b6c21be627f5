"""Where Returns go: to one block, by the depth of the stack, or to the address that a call has noted.

fib_onto(n, total):              called by main, which nothing has been pushed for, then 1
    ...                          and by itself: pushes n, then 5
    return total         ->      a Return goes to 5 if anything is on the stack, else to 1
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from autobatch.cfg.graph import BlockProgram, Call, Return, visited
from codegen.ir import Var


@dataclass(frozen=True)
class ByDepth:
    """Where a Return goes while frames are on the stack, and where it does when none is."""

    deep: int
    shallow: int


def address_values(program: BlockProgram) -> dict[Var, set[int]]:
    """An address -> the blocks that it may hold, len(blocks) being the end."""
    places: dict[Var, set[int]] = {program.entry.address: {len(program.blocks)}}
    for block in program.blocks:
        if isinstance(block.terminator, Call):
            address = program.functions[block.terminator.function].address
            places.setdefault(address, set()).add(block.terminator.then)
    return places


def known_returns(program: BlockProgram) -> dict[int, int]:
    """The Returns that can go to one block only."""
    places = address_values(program)
    then = {k: places.get(address, set()) for k, address in return_addresses(program)}
    return {k: min(found) for k, found in then.items() if len(found) == 1}


def return_addresses(program: BlockProgram) -> list[tuple[int, Var]]:
    """The blocks that end in a Return, and the addresses of their functions."""
    return [
        (k, program.functions[b.function].address)
        for k, b in enumerate(program.blocks)
        if isinstance(b.terminator, Return)
    ]


def unread_addresses(program: BlockProgram, known: Set[int]) -> set[Var]:
    """Addresses that no Return reads; those of the blocks `known` have no need to."""
    read = {address for k, address in return_addresses(program) if k not in known}
    return {f.address for f in program.functions.values()} - read


def returns_by_depth(program: BlockProgram, saved: Mapping[int, Set[Var]]) -> dict[int, ByDepth]:
    """The Returns that the depth of the stack tells where to go. `saved`: what calls push.

    Those of a function that is called at one place while something is on the stack, a place that pushes something
    besides the address, and at one while nothing is.
    """
    ends = len(program.blocks)
    calls = {k: b.terminator for k, b in enumerate(program.blocks) if isinstance(b.terminator, Call)}
    entries = {name: f.entry for name, f in program.functions.items()}
    inside = {k for n, call in calls.items() if saved[n] for k in visited(program, entries[call.function])}
    addresses = {f.address for f in program.functions.values()}
    found: dict[int, ByDepth] = {}
    for k, address in return_addresses(program):
        here = {n for n, call in calls.items() if program.functions[call.function].address is address}
        deep = here & inside
        shallow = {calls[n].then for n in here - inside} | (
            {ends} if program.entry.address is address else set()
        )
        if len(shallow) == 1 and len(deep) == 1 and saved[n := min(deep)] - addresses:
            found[k] = ByDepth(calls[n].then, min(shallow))
    return found
