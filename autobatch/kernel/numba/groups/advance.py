"""Lanes that go by themselves, one after the other, until they wait for others again, as text."""

from __future__ import annotations

from autobatch.kernel.numba.groups.blocks import Blocks
from autobatch.kernel.numba.groups.routine import Routine
from autobatch.kernel.numba.writer import Writer, indented
from autobatch.kernel.polling import again

INLINE = '@njit(error_model="numpy", forceinline=True, pipeline_class=Distinct)'


def advancing(b: Blocks) -> Routine:
    """The function that runs one lane until it waits for others or ends."""
    p = Writer(1)
    p.line(
        '"""Run a lane until it comes to a block where it waits for others, or to its end: which it is."""'
    )
    p.line("k = I[PC + lane]")
    given: list[str] = ["I"]
    circles = again(b.memory.program, (k for k in range(b.memory.end) if not b.memory.wide[k]))
    p.line("while True:")
    p.depth = 2
    word = "if"
    for k in b.flow.entered():
        if b.memory.wide[k]:
            continue
        own = b.given[k]
        given += [g for g in own if g not in given]
        p.line(f"{word} k == {k}:")
        if k in circles:
            p.line("    if stopped(failed):")
            p.line("        return END")
            given += [g for g in ("failed",) if g not in given]
        for arena, size in b.flow.pushes_from(k, ()).items():
            p.line(f"    if I[{arena}_TOP + lane] + {size} > {arena}_stack.shape[1]:")
            p.line("        I[PC + lane] = k")
            p.line("        return FULL")
            given += [g for g in (f"{arena}_stack",) if g not in given]
        p.line(f"    k = {b.block_names[k]}({', '.join(('lane', *own))})")
        word = "elif"
    if word == "if":
        p.line("break")
    else:
        p.line("else:")
        p.line("    break")
    p.depth = 1
    p.line("I[PC + lane] = k")
    p.line("return k")
    text = "\n".join((INLINE, f"def advance({', '.join(('lane', *given))}):", *p.lines))
    return Routine(tuple(given), text)


def onwards(b: Blocks, advance: Routine, finish: Routine) -> Routine:
    """The function that runs each lane of a list until it waits for others again."""
    p = Writer(1)
    head = "k, j, count" if b.memory.stacks else "k"
    until = "; which of them found a stack full" if b.memory.stacks else ""
    what = "Lanes of block k from the j-th on" if b.memory.stacks else "The lanes of block k"
    p.line(f'"""{what}, each to where it waits next{until}."""')
    p.written(["use_wide_registers()"] if any(b.memory.wide) else [])
    if b.memory.stacks:
        p.line("while j < count:")
    else:
        p.line("count = N[k]")
        p.line("N[k] = 0")
        p.line("for j in range(count):")
    p.depth = 2
    p.line("lane = L[k * G + j]")
    p.line("where = END")
    p.line("if I[PC + lane] >= 0:")
    p.depth = 3
    p.line(f"where = advance({', '.join(('lane', *advance.given))})")
    if b.memory.stacks:
        p.line("if where == FULL:")
        p.line("    return j")
    p.written(b.marks.between())
    p.line("if where == END:")
    p.line(f"    finish({', '.join(('lane', 'I[NUMBER + lane]', *finish.given))})")
    p.written(indented(b.marks.ended()))
    p.line("    I[PC + lane] = -1")
    p.depth = 2
    p.line("L[where * G + N[where]] = lane")
    p.line("N[where] += 1")
    if b.memory.stacks:
        p.line("j += 1")
        p.depth = 1
        p.line("return j")
    given = tuple(dict.fromkeys(("L", "N", *advance.given, *finish.given, *b.marks.given)))
    return Routine(given, "\n".join((INLINE, f"def onwards({', '.join((head, *given))}):", *p.lines)))
