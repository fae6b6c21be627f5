"""Lanes that all take the same way: a group goes through the blocks together, from its start to its end.

    for coming in range(first, last, G):
        n = min(G, last - coming)
        load_all(n, coming, F, I, x_lanes)             # n lanes start
        body_group(n, F, I)                            # block 0, side by side
        advance_all(n, F, I)                           # block 1, lane by lane
        finish_all(n, coming, F, I, out0)              # their results

Nobody needs to be counted or picked, and loads and results are vector instructions as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.kernel.numba.groups.blocks import Blocks, Routine
from autobatch.kernel.numba.writer import CodeWriter, indented

FAILING = '''
@njit(error_model="numpy", pipeline_class=Distinct)
def fail_all(n, coming, failed, I):
    """What ended those of n lanes that failed: where none did, nothing is written."""
    use_wide_registers()
    some = 0
    for lane in range(n):
        some |= I[FAILED + lane]
    if some != 0:
        for lane in range(n):
            failed[coming + lane] = I[FAILED + lane]
'''.strip()

OVER_ALL = '''
@njit(error_model="numpy", pipeline_class=Distinct)
def {name}_all({head}, {given}):
    """{name} for n lanes."""
    use_wide_registers()
    for lane in range(n):
        {name}({lane}, {given})
'''


def has_narrow_blocks(b: Blocks) -> bool:
    """Whether some blocks are run lane by lane."""
    return not all(b.memory.wide[k] for k in b.flow.entered())


def all_lanes(b: Blocks, load: Routine, advance: Routine, finish: Routine) -> str:
    """The functions with which the lanes of a group start, go on and end."""
    # Lanes are next to each other: of numbers that cannot be negative LLVM sees it, and gathers nothing.
    numbered = "lane, np.uint64(coming + lane)", "n, coming"
    texts = [for_all_lanes("load", *numbered, load.given)]
    if has_narrow_blocks(b):
        texts.append(for_all_lanes("advance", "lane", "n", advance.given))
    texts.append(for_all_lanes("finish", *numbered, finish.given))
    if b.visits.lowering.sites:
        texts.append(FAILING)
    return "\n\n\n".join(texts)


def sweep_loop(b: Blocks, load: Routine, advance: Routine, finish: Routine, p: CodeWriter) -> None:
    """The loop over groups."""
    p.written(["for lane in range(G):", "    I[PC + lane] = END"])
    with p.block("for coming in range(first, last, G):"):
        p.written(["if stopped(failed):", "    break"])
        p.line("n = min(G, last - coming)")
        p.line(f"load_all({', '.join(('n', 'coming', *load.given))})")
        alone = False
        for k in b.flow.entered():
            if b.memory.wide[k]:
                p.line(b.group_call(k, arrived(b, k, p) if "n" in b.group_given[k] else ""))
                p.written(b.marks.alone())
            elif not alone:
                p.line(f"advance_all({', '.join(('n', *advance.given))})")
                p.written(b.marks.between())
            alone = not b.memory.wide[k]
        p.line(f"finish_all({', '.join(('n', 'coming', *finish.given))})")
        p.written(["fail_all(n, coming, failed, I)"] if b.visits.lowering.sites else [])
        if ended := b.marks.ended():
            p.written(["for lane in range(n):", *indented(ended)])


def arrived(b: Blocks, k: int, p: CodeWriter) -> str:
    """How many lanes have come to block k: all, where none can have failed."""
    if k == b.memory.program.entry.entry or not b.visits.lowering.sites:
        return "n"
    p.line("count = 0")
    p.line("for lane in range(n):")
    p.line(f"    count += I[PC + lane] == {k}")
    return "count"


def for_all_lanes(name: str, lane: str, head: str, given: Sequence[str]) -> str:
    """The function that does for n lanes what another does for one."""
    return OVER_ALL.format(name=name, lane=lane, head=head, given=", ".join(given)).strip()
