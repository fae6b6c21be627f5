"""Which generator a stream variable is: stream_of : BlockProgram -> {variable: main's parameter}.

    rng1, u = draw rng;  call f with g <- rng1         rng, rng1 and g are main's parameter `rng`

A lane's stream advances in one place, however many variables it goes through; so these variables need no
places of their own, no moves and no stack.
"""

from __future__ import annotations

from collections.abc import Mapping

from autobatch.cfg.graph import BlockProgram, all_moves, variables_read
from codegen.ir import Var


def stream_of(program: BlockProgram) -> Mapping[Var, Var]:
    """For each stream variable the parameter it comes from; those that may be one of several are left out."""
    parent: dict[Var, Var] = {}

    def find(var: Var) -> Var:
        parent.setdefault(var, var)
        while parent[var] is not var:
            var = parent[var]
        return var

    for a, b in stream_pairs(program):
        parent[find(b)] = find(a)
    groups: dict[Var, list[Var]] = {}
    for param in program.entry.params:
        if param.type.dtype == "rng":
            groups.setdefault(find(param), []).append(param)
    return {v: groups[root][0] for v in list(parent) if len(groups.get(root := find(v), ())) == 1}


def stream_pairs(program: BlockProgram) -> list[tuple[Var, Var]]:
    """Pairs of stream variables that are (or may be) one stream."""
    pairs: list[tuple[Var, Var]] = [(p, p) for p in program.entry.params if p.type.dtype == "rng"]
    for block in program.blocks:
        pairs += [(to, s) for to, s in all_moves(block) if isinstance(s, Var) and s.type.dtype == "rng"]
        for equation in block.equations:
            streams = [v for v in (*variables_read(equation), *equation.outs) if v.type.dtype == "rng"]
            pairs += [(streams[0], other) for other in streams]
    return pairs
