"""Lanes that go by themselves, one after the other, until they wait for others again, as text."""

from __future__ import annotations

from autobatch.kernel.numba.groups.blocks import Blocks, Routine
from autobatch.kernel.numba.writer import CodeWriter, distinct_function, indented
from autobatch.kernel.polling import visited_again


def advancing(b: Blocks) -> Routine:
    """The function that runs one lane until it waits for others or ends."""
    p, given = CodeWriter(1), {"I": None}
    p.line(
        '"""Run a lane until it comes to a block where it waits for others, or to its end: which it is."""'
    )
    p.line("k = I[PC + lane]")
    alone = [k for k in b.flow.entered() if not b.memory.wide[k]]
    circles = visited_again(b.memory.program, (k for k in range(b.memory.end) if not b.memory.wide[k]))
    with p.block("while True:"):
        for n, k in enumerate(alone):
            given |= dict.fromkeys(b.given[k])
            with p.block(f"{'elif' if n else 'if'} k == {k}:"):
                if k in circles:
                    p.written(["if stopped(failed):", "    return END"])
                    given["failed"] = None
                for arena, size in b.flow.pushes_from(k, ()).items():
                    with p.block(f"if I[{arena}_TOP + lane] + {size} > {arena}_stack.shape[1]:"):
                        p.line("I[PC + lane] = k")
                        p.line("return FULL")
                    given[f"{arena}_stack"] = None
                p.line(f"k = {b.block_names[k]}({', '.join(('lane', *b.given[k]))})")
        p.written(["else:", "    break"] if alone else ["break"])
    p.line("I[PC + lane] = k")
    p.line("return k")
    return Routine(tuple(given), distinct_function("advance", ("lane", *given), p.lines, inline=True))


def onwards(b: Blocks, advance: Routine, finish: Routine) -> Routine:
    """The function that runs each lane of a list until it waits for others again."""
    p, stacks = CodeWriter(1), bool(b.memory.stacks)
    until = "; which of them found a stack full" * stacks
    what = "Lanes of block k from the j-th on" if stacks else "The lanes of block k"
    p.line(f'"""{what}, each to where it waits next{until}."""')
    p.written(["use_wide_registers()"] if any(b.memory.wide) else [])
    p.written([] if stacks else ["count = N[k]", "N[k] = 0"])
    with p.block("while j < count:" if stacks else "for j in range(count):"):
        p.line("lane = L[k * G + j]")
        p.line("where = END")
        with p.block("if I[PC + lane] >= 0:"):
            p.line(f"where = advance({', '.join(('lane', *advance.given))})")
            p.written(["if where == FULL:", "    return j"] if stacks else [])
            p.written(b.marks.between())
            p.line("if where == END:")
            p.line(f"    finish({', '.join(('lane', 'I[NUMBER + lane]', *finish.given))})")
            p.written(indented(b.marks.ended()))
            p.line("    I[PC + lane] = -1")
        p.line("L[where * G + N[where]] = lane")
        p.line("N[where] += 1")
        p.written(["j += 1"] if stacks else [])
    p.written(["return j"] if stacks else [])
    given = tuple(dict.fromkeys(("L", "N", *advance.given, *finish.given, *b.marks.given)))
    which = ("k", "j", "count") if stacks else ("k",)
    return Routine(given, distinct_function("onwards", (*which, *given), p.lines, inline=True))
