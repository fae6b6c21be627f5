"""Jump threading: thread_jumps : BlockProgram -> BlockProgram, where edges go straight to where they lead.

    0: jump 1 with broke <- True                0: jump 3
    1: go = not broke; branch go -> 2 | 3  ->   1: ...

What the structured program carries as a flag (break, continue, an early return) is a jump again. Known
along an edge are the literals it moves, the outcome of the test it comes from, and what was known before
(`facts_in`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autobatch.cfg.copy_propagation import as_type_of, atom_key, known_value
from autobatch.cfg.graph import (
    BasicBlock,
    BlockProgram,
    Branch,
    Call,
    Jump,
    Moves,
    Return,
    Terminator,
    edges,
    equation_outs,
    replaced_atom,
    replaced_equation,
    replaced_moves,
    replaced_terminator,
    with_blocks,
    with_edges,
)
from autobatch.cfg.liveness import Live, is_live, is_pure, live_in
from codegen.ir import Apply, Atom, Lit, Type, Var
from codegen.ir.kinds import Logic


def thread_jumps(program: BlockProgram) -> BlockProgram:
    live, facts = live_in(program), facts_in(program)
    blocks = {
        k: thread_block(program, live, facts[k], fold_known(b, facts[k]))
        for k, b in enumerate(program.blocks)
    }
    return with_blocks(program, blocks)


Facts = Mapping[Var, Atom]


def facts_in(program: BlockProgram) -> list[Facts]:
    """What is known to be a literal on entry of each block, whichever way it is entered."""
    entries = {f.entry for f in program.functions.values()}
    entries |= {b.terminator.then for b in program.blocks if isinstance(b.terminator, Call)}
    found: dict[int, Facts] = {k: {} for k in entries}
    todo = sorted(entries, reverse=True)
    while todo:
        k = todo.pop()
        block = program.blocks[k]
        for e, edge in enumerate(edges(block)):
            after = facts_after(program, block, e, found[k])
            before = found.get(edge.target)
            if before is not None:
                after = {v: a for v, a in before.items() if atom_key(after.get(v, v)) == atom_key(a)}
            if before is None or len(after) < len(before):
                found[edge.target] = after
                todo.append(edge.target)
    return [found.get(k, {}) for k in range(len(program.blocks))]


def facts_after(program: BlockProgram, block: BasicBlock, e: int, facts: Facts) -> Facts:
    """What is known after edge e of a block that is entered with `facts`."""
    made = set(program.assigned(equation_outs(block)))
    known_ = {v: a for v, a in facts.items() if v not in made} | known_on(block, e)
    moves = edges(block)[e].moves
    moved = {to: replaced_atom(source, known_) for to, source in moves}
    kept = {v: a for v, a in known_.items() if v not in moved}
    return kept | {to: as_type_of(a, to) for to, a in moved.items() if isinstance(a, Lit)}


def fold_known(block: BasicBlock, facts: Facts) -> BasicBlock:
    """The block, entered with `facts`, with all that is known written out."""
    env = dict(facts)
    equations = []
    for equation in block.equations:
        value = known_value(equation, env) if is_pure(equation) else None
        equations.append(replaced_equation(equation, env))
        for out in equation.outs:
            env.pop(out, None)
        if isinstance(value, Lit):
            env[equation.outs[0]] = value
    end = replaced_terminator(block.terminator, env)
    return simplify_branch(replace(block, equations=tuple(equations), terminator=end))


def simplify_branch(block: BasicBlock) -> BasicBlock:
    """A Branch that can go one way only is a Jump."""
    match block.terminator:
        case Branch(Lit(value), then, orelse):
            return replace(block, terminator=then if value else orelse)
        case Branch(_, then, orelse) if then.target == orelse.target and same_moves(then.moves, orelse.moves):
            return replace(block, terminator=then)
        case _:
            return block


def same_moves(a: Moves, b: Moves) -> bool:
    return {t: atom_key(s) for t, s in a} == {t: atom_key(s) for t, s in b}


def thread_block(
    program: BlockProgram, live: tuple[Live, ...], entry: Facts, block: BasicBlock
) -> BasicBlock:
    changed = {}
    made = set(equation_outs(block))
    for k, edge in enumerate(edges(block)):
        facts = {v: a for v, a in entry.items() if v not in made} | known_on(block, k)
        changed[k] = edge = Jump(edge.target, replaced_moves(edge.moves, facts))
        seen = {edge.target}
        while (further := past_block(program, live, edge, facts)) is not None:
            outdated = {*equation_outs(program.blocks[edge.target]), *(to for to, _ in edge.moves)}
            facts = {var: atom for var, atom in facts.items() if var not in outdated}
            if isinstance(further, Return):
                if isinstance(block.terminator, Jump):
                    return replace(block, terminator=further)
                break
            if further.target in seen:
                break
            seen.add(further.target)
            changed[k] = edge = further
    return with_edges(block, changed)


def known_on(block: BasicBlock, edge: int) -> dict[Var, Atom]:
    """What the outcome of a block's test says of the values it was made from."""
    if not isinstance(block.terminator, Branch):
        return {}
    made = {out: e.op for e in block.equations for out in e.outs}
    facts: dict[Var, Atom] = {}
    todo: list[tuple[Atom, bool]] = [(block.terminator.test, edge == 0)]
    while todo:
        atom, value = todo.pop()
        if isinstance(atom, Lit) or atom in facts:
            continue
        facts[atom] = Lit(value, Type("b1"))
        op = made.get(atom)
        if isinstance(op, Apply) and op.primitive.kind is Logic.NOT:
            todo.append((op.operands[0], not value))
        if isinstance(op, Apply) and op.primitive.kind is (Logic.AND if value else Logic.OR):
            todo += [(o, value) for o in op.operands]
    return facts


def past_block(
    program: BlockProgram, live: tuple[Live, ...], edge: Jump, facts: Mapping[Var, Atom]
) -> Jump | Return | None:
    """The edge past its target block, where that block has nothing to do and its test is known along the
    edge.

    `facts` holds what is known before the edge's moves.
    """
    block = program.blocks[edge.target]
    env: dict[Var, Atom] = {**facts, **dict(edge.moves)}
    opaque: set[Var] = set()
    for equation in block.equations:
        if not is_pure(equation):
            return None
        value = known_value(equation, env)
        for out in equation.outs:
            env.pop(out, None)
        if value is not None:
            env[equation.outs[0]] = value
        else:
            opaque.update(program.assigned(equation.outs))
    end = known_target(block.terminator, env)
    brought = {size for to, _ in edge.moves for size, _ in program.brings.get(to, ())}
    if end is None or any(source in opaque | brought for _, source in end.moves):
        return None
    moves = tuple((to, replaced_atom(source, env)) for to, source in end.moves)
    if isinstance(end, Return):
        return Return(moves)
    overwritten = set(program.assigned(to for to, _ in moves))
    needed = live[end.target] - overwritten
    if needed & opaque:
        return None
    rest = {to: source for to, source in edge.moves if is_live(program, to, needed)}
    rest |= {to: a for to in equation_outs(block) if to in needed and (a := env.get(to)) is not None}
    kept = (*((to, a) for to, a in rest.items() if to not in overwritten), *moves)
    return Jump(end.target, tuple((to, a) for to, a in kept if to is not a))


def known_target(end: Terminator, env: Mapping[Var, Atom]) -> Jump | Return | None:
    """Where a terminator leads, given what is known; None where it is open, or calls."""
    match end:
        case Jump() | Return():
            return end
        case Branch(test, then, orelse):
            value = replaced_atom(test, env)
            return (then if value.value else orelse) if isinstance(value, Lit) else None
        case Call():
            return None
