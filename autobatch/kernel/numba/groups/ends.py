"""How lanes of a group start and end, as text: what they are given goes to their memory, results come out of it."""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.kernel.memory.arenas import count, is_stream
from autobatch.kernel.numba.addresses import element
from autobatch.kernel.numba.groups.blocks import Blocks
from autobatch.kernel.numba.groups.routine import Routine
from autobatch.kernel.numba.writer import Writer
from codegen.runtime import STATE_WORDS


def loading(b: Blocks) -> Routine:
    """The function that puts a lane into a place of the group."""
    p, used = Writer(1), {"I"}
    p.line('"""Lane `number` starts at place `lane`."""')
    p.written(["I[NUMBER + lane] = number"] if b.numbered or not b.flow.one_way else [])
    if b.visits.lowering.sites:
        p.line("I[FAILED + lane] = 0")
    for own in ("DEPTH", *(f"{a}_TOP" for a in b.memory.stacks)) if b.memory.stacks else ():
        p.line(f"I[{own} + lane] = 0")
    for (param, one), argument in zip(b.memory.shared.items(), b.memory.inputs, strict=True):
        home = b.visits.home(param)
        if param in b.memory.fixed or home is None:
            continue
        used |= {argument, home.name}
        b.used.add(str(home.first))
        if is_stream(param):
            p.line(f"for k in range({STATE_WORDS}):")
            p.line(f"    {element(home, 'k')} = {argument}[number, k]")
        elif not param.type.rank:
            p.line(f"{element(home, '0')} = {argument}{'' if one else '[number]'}")
        else:
            p.line(f"for k in range({count(param.type)}):")
            p.line(f"    {element(home, 'k')} = {argument}{'.flat[k]' if one else '[number, k]'}")
    address = b.memory.program.entry.address
    home = b.visits.home(address)
    if home is not None and address in b.memory.where.registers:
        p.line(f"{element(home, '0')} = END")
        b.used.add(str(home.first))
    p.line(f"I[PC + lane] = {b.memory.program.entry.entry}")
    given = [m for m in dict.fromkeys((*b.memory.memories(), *b.memory.plain_inputs())) if m in used]
    return end_function("load", given, p.lines, b.flow.one_way)


def finishing(b: Blocks) -> Routine:
    """The function that takes a lane's results."""
    p, used = Writer(1), set()
    p.line('"""The results of lane `number`, which is at place `lane`."""')
    if b.visits.lowering.sites and not b.flow.one_way:
        p.line("if I[FAILED + lane] != 0:")
        p.line("    failed[number] = I[FAILED + lane]")
        used |= {"I", "failed"}
    streams = iter(a for v, a in zip(b.memory.shared, b.memory.inputs, strict=True) if is_stream(v))
    for result, out in zip(b.memory.program.entry.results, b.memory.outputs, strict=True):
        home = b.visits.home(result)
        if home is not None and home.name == out:
            continue
        assert home is not None or result.type.rank
        source = home or b.visits.lowering.array(result)
        b.used.add(str(source.first))
        if is_stream(result):
            argument = next(streams)
            p.line(f"for k in range({STATE_WORDS}):")
            p.line(f"    {argument}[number, k] = {element(source, 'k')}")
            used |= {argument, source.name}
            continue
        used |= {out, source.name}
        if not result.type.rank:
            nonzero = " != 0" if result.type.dtype == "b1" else ""
            p.line(f"{out}[number] = {element(source, '0')}{nonzero}")
        else:
            p.line(f"for k in range({count(result.type)}):")
            p.line(f"    {out}[number, k] = {element(source, 'k')}")
    wanted = ("failed", *b.memory.memories(), *b.memory.plain_inputs(), *b.memory.plain_outputs())
    given = [m for m in dict.fromkeys(wanted) if m in used]
    return end_function("finish", given, p.lines, b.flow.one_way)


def end_function(name: str, given: Sequence[str], lines: Sequence[str], inline: bool) -> Routine:
    """The function with which lanes start or end."""
    flag = "forceinline=True, " if inline else ""
    head = (
        f'@njit(error_model="numpy", {flag}pipeline_class=Distinct)',
        f"def {name}({', '.join(('lane', 'number', *given))}):",
    )
    return Routine(tuple(given), "\n".join((*head, *lines)))
