"""How lanes of a group start and end, as text: what they are given goes to their memory, results come out of it."""

from __future__ import annotations

from collections.abc import Iterable

from autobatch.kernel.memory.arenas import element_count, is_stream
from autobatch.kernel.numba.addresses import element_text
from autobatch.kernel.numba.groups.blocks import Blocks, Routine
from autobatch.kernel.numba.writer import CodeWriter, distinct_function
from codegen.runtime import STATE_WORDS


def loading(b: Blocks) -> Routine:
    """The function that puts a lane into a place of the group."""
    p, used = CodeWriter(1), {"I"}
    p.line('"""Lane `number` starts at place `lane`."""')
    p.written(["I[NUMBER + lane] = number"] if b.numbered or not b.flow.one_way else [])
    p.written(["I[FAILED + lane] = 0"] if b.visits.lowering.sites else [])
    for own in ("DEPTH", *(f"{a}_TOP" for a in b.memory.stacks)) if b.memory.stacks else ():
        p.line(f"I[{own} + lane] = 0")
    for param, argument in b.memory.arguments.items():
        home, one = b.visits.home(param), b.memory.shared[param]
        if param in b.memory.fixed or home is None:
            continue
        used |= {argument, home.name}
        b.used.add(str(home.first))
        if is_stream(param):
            p.elements(STATE_WORDS, f"{element_text(home, 'k')} = {argument}[number, k]")
        elif not param.type.rank:
            p.line(f"{element_text(home, '0')} = {argument}{'' if one else '[number]'}")
        else:
            source = f"{argument}{'.flat[k]' if one else '[number, k]'}"
            p.elements(element_count(param.type), f"{element_text(home, 'k')} = {source}")
    address = b.memory.program.entry.address
    home = b.visits.home(address)
    if home is not None and address in b.memory.where.registers:
        p.line(f"{element_text(home, '0')} = END")
        b.used.add(str(home.first))
    p.line(f"I[PC + lane] = {b.memory.program.entry.entry}")
    return end_function(
        b, "load", (m for m in (*b.memory.memories(), *b.memory.plain_inputs) if m in used), p
    )


def finishing(b: Blocks) -> Routine:
    """The function that takes a lane's results."""
    p, used = CodeWriter(1), set()
    p.line('"""The results of lane `number`, which is at place `lane`."""')
    if b.visits.lowering.sites and not b.flow.one_way:
        p.written(["if I[FAILED + lane] != 0:", "    failed[number] = I[FAILED + lane]"])
        used |= {"I", "failed"}
    streams = iter(b.memory.stream_arguments.values())
    for result, out in zip(b.memory.program.entry.results, b.memory.outputs, strict=True):
        home = b.visits.home(result)
        if home is not None and home.name == out:
            continue
        assert home is not None or result.type.rank
        source = home or b.visits.lowering.array(result)
        b.used.add(str(source.first))
        target = next(streams) if is_stream(result) else out
        used |= {target, source.name}
        if is_stream(result) or result.type.rank:
            size = STATE_WORDS if is_stream(result) else element_count(result.type)
            p.elements(size, f"{target}[number, k] = {element_text(source, 'k')}")
        else:
            nonzero = " != 0" if result.type.dtype == "b1" else ""
            p.line(f"{out}[number] = {element_text(source, '0')}{nonzero}")
    wanted = ("failed", *b.memory.memories(), *b.memory.plain_inputs, *b.memory.plain_outputs)
    return end_function(b, "finish", (m for m in wanted if m in used), p)


def end_function(b: Blocks, name: str, wanted: Iterable[str], body: CodeWriter) -> Routine:
    """The function with which lanes start or end."""
    given = tuple(dict.fromkeys(wanted))
    return Routine(
        given, distinct_function(name, ("lane", "number", *given), body.lines, inline=b.flow.one_way)
    )
