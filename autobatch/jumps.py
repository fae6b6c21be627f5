"""Tidying of blocks: tidy : BlockProgram -> BlockProgram, which does the same with fewer blocks, moves and
variables.

    copies      a place that is only ever given one value is that value (parameters that recursion hands on
                unchanged, and what callers always pass, cost nothing)
    tail calls  a call whose results are returned at once is a jump with moves
    threading   an edge into a block whose test is known along it goes where the test leads
    pruning     moves and pure equations that nobody needs, blocks that nobody enters
    constants   a place that is only ever given one literal is that literal
    merging     a block with one predecessor that jumps to it is part of that predecessor; moves on the only
                edge into a block are its own

        0: broke = True; Jump 1 with b <- broke          0: ...; Jump 3 with ...
        1: go = not b; Branch go -> 2 | 3          ->

Blocks are renumbered last, in the order of the source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from autobatch.cost import cost
from autobatch.graph import (
    BasicBlock,
    BlockProgram,
    Branch,
    Call,
    Jump,
    Moves,
    Return,
    Terminator,
    alike,
    assigned,
    edges,
    reads,
    replaced,
    replaced_block,
    replaced_equation,
    replaced_terminator,
    successors,
    terminator_moves,
    with_edges,
)
from autobatch.liveness import Live, at_end, live_in, pure, wanted
from codegen.build import fold
from codegen.ir import Apply, Atom, Equation, Lit, Type, Var


def tidy(program: BlockProgram) -> BlockProgram:
    """Every step until none finds anything; then blocks in source order, with their costs."""
    program = copies(with_reach(program))
    while True:
        before = listing(program)
        program = merged(pruned(threaded(constants(tail_calls(program)))))
        if listing(program) == before:
            return with_reach(renumbered(program))


def listing(program: BlockProgram) -> list[object]:
    """What tells whether a step changed anything: the shape of each block."""
    return [
        (
            len(b.equations),
            type(b.terminator),
            [e.target for e in edges(b)],
            list(map(len, terminator_moves(b))),
        )
        for b in program.blocks
    ]


def with_blocks(program: BlockProgram, blocks: Mapping[int, BasicBlock]) -> BlockProgram:
    """The program with some blocks replaced."""
    return replace(program, blocks=tuple(blocks.get(k, b) for k, b in enumerate(program.blocks)))


# reach


def with_reach(program: BlockProgram) -> BlockProgram:
    """`reaches` as the blocks stand: whose blocks may run between a function's entry and its return."""
    reach = {}
    for name, function in program.functions.items():
        seen = visited(program, function.entry)
        again = {b.terminator.function for k in seen if isinstance((b := program.blocks[k]).terminator, Call)}
        inside = {program.blocks[k].function for k in seen}
        back = any(function.entry in visited(program, program.functions[g].entry) for g in again)
        reach[name] = frozenset(inside if back else inside - {name})
    return replace(program, reaches=MappingProxyType(reach))


def visited(program: BlockProgram, start: int) -> set[int]:
    """The blocks that may run once block `start` does, callees' included."""
    seen: set[int] = set()
    todo = [start]
    while todo:
        k = todo.pop()
        if k in seen:
            continue
        seen.add(k)
        block = program.blocks[k]
        todo += [edge.target for edge in edges(block)]
        if isinstance(block.terminator, Call):
            todo += [program.functions[block.terminator.function].entry, block.terminator.then]
    return seen


# copies


def copies(program: BlockProgram) -> BlockProgram:
    """Replace each place that has a single source, itself aside, by that source."""
    while env := single_sources(program):
        brings = dict(program.brings)
        for var, atom in env.items():
            if isinstance(atom, Var) and var in brings:
                brings[atom] = (*brings.get(atom, ()), *brings[var])
        blocks = tuple(replaced_block(b, env) for b in program.blocks)
        blocks = tuple(without_targets(b, set(env)) for b in blocks)
        program = replace(program, blocks=blocks, brings=MappingProxyType(brings))
    return program


def single_sources(program: BlockProgram) -> dict[Var, Atom]:
    """Places and their only sources, none of which is itself among the places."""
    home = homes(program)
    found: dict[Var, Atom] = {}
    for target, given in sources(program).items():
        if len(given) != 1 or not steady(program, target, given[0], home):
            continue
        source = replaced(given[0], found)
        if source is not target and source not in found and target not in found.values():
            found[target] = typed(source, target)
    return found


def sources(program: BlockProgram) -> dict[Var, list[Atom]]:
    """The different values that places are given by moves, themselves aside.

    Main's parameters, which come from outside, are left out.
    """
    found: dict[Var, dict[object, Atom]] = {}
    for k in sorted(visited(program, program.entry.entry)):
        block = program.blocks[k]
        for moves in () if isinstance(block.terminator, Return) else terminator_moves(block):
            for target, source in moves:
                found.setdefault(target, {})[key(source)] = source
    outside = set(program.entry.params)
    return {
        to: [s for s in given.values() if s is not to] for to, given in found.items() if to not in outside
    }


def typed(source: Atom, target: Var) -> Atom:
    """A literal as a value of the place's type."""
    return Lit(source.value, target.type) if isinstance(source, Lit) else source


def constants(program: BlockProgram) -> BlockProgram:
    """Replace places that are only given one literal by the literal.

    (A place with one variable as its source is left: once edges have been threaded, that variable may have
    changed.)
    """
    made = {out for b in program.blocks for e in b.equations for out in e.outs}
    made |= {to for b in program.blocks for to, _ in b.arrives}
    env: dict[Var, Atom] = {
        to: typed(given[0], to)
        for to, given in sources(program).items()
        if len(given) == 1 and isinstance(given[0], Lit) and to not in made
    }
    across = frozenset().union(*live_in(program))
    blocks = (without_targets(replaced_block(b, env), set(env)) if env else b for b in program.blocks)
    return replace(program, blocks=tuple(without_aliases(b, across) for b in blocks))


def without_aliases(block: BasicBlock, across: Live) -> BasicBlock:
    """`t = and True x` is x to the end of the block, where t is not needed beyond it."""
    env: dict[Var, Atom] = {}
    later = {out for e in block.equations for out in e.outs}
    for equation in block.equations:
        later.difference_update(equation.outs)
        value = known(equation, env) if pure(equation) else None
        if isinstance(value, Var) and value not in later and equation.outs[0] not in across:
            env[equation.outs[0]] = value
    return replaced_block(block, env) if env else block


def key(atom: Atom) -> object:
    return (repr(atom.value), atom.type.dtype) if isinstance(atom, Lit) else atom


def homes(program: BlockProgram) -> dict[Var, str]:
    """The function a variable belongs to."""
    home = {p: f.name for f in program.functions.values() for p in f.params}
    for block in program.blocks:
        inner = [out for e in block.equations for out in e.outs] + [to for to, _ in block.arrives]
        inner += [to for edge in edges(block) for to, _ in edge.moves]
        for out in inner:
            for var in assigned(program.brings, out):
                home.setdefault(var, block.function)
    for function in program.functions.values():
        for param in function.params:
            home.update((v, function.name) for v in assigned(program.brings, param))
    return home


def steady(program: BlockProgram, target: Var, source: Atom, home: Mapping[Var, str]) -> bool:
    """Whether source keeps its value while target's function runs.

    A literal does, a variable of the same function (by dominance), and a caller's that is not re-entered.
    """
    if isinstance(source, Lit):
        return True
    owner = home[source]
    return owner == home[target] or owner not in program.reaches[owner]


def without_targets(block: BasicBlock, gone: set[Var]) -> BasicBlock:
    """The block without moves into these."""
    return with_moves(block, lambda _, moves: tuple((to, source) for to, source in moves if to not in gone))


def with_moves(block: BasicBlock, change: object) -> BasicBlock:
    """The block with the moves of way out k replaced by change(k, moves)."""
    assert callable(change)
    match block.terminator:
        case Call(function, moves, then):
            return replace(block, terminator=Call(function, change(0, moves), then))
        case Return():
            return block
        case _:
            return with_edges(
                block, {k: Jump(e.target, change(k, e.moves)) for k, e in enumerate(edges(block))}
            )


# tail calls


def tail_calls(program: BlockProgram) -> BlockProgram:
    """Calls within a recursion whose results are returned at once become jumps to the callee's entry."""
    changed: dict[int, BasicBlock] = {}
    for k, block in enumerate(program.blocks):
        if is_tail_call(program, block):
            assert isinstance(block.terminator, Call)
            callee = program.functions[block.terminator.function]
            program = sharing(program, block.function, callee.name)
            changed[k] = replace(program.blocks[k], terminator=Jump(callee.entry, block.terminator.moves))
            program = with_blocks(program, changed)
    return program


def is_tail_call(program: BlockProgram, block: BasicBlock) -> bool:
    if not isinstance(block.terminator, Call):
        return False
    caller, callee = program.functions[block.function], program.functions[block.terminator.function]
    then = program.blocks[block.terminator.then]
    if (
        then.equations
        or not isinstance(then.terminator, Return)
        or len(callee.results) != len(caller.results)
    ):
        return False
    if caller.name != callee.name and caller.name not in program.reaches[callee.name]:
        return False
    arrived = dict(then.arrives)
    given = dict(then.terminator.moves)
    return all(
        arrived.get(given.get(to)) is result and alike(to.type, result.type)  # type: ignore[arg-type]
        for to, result in zip(caller.results, callee.results)
    )


def sharing(program: BlockProgram, first: str, second: str) -> BlockProgram:
    """Both functions with the results and the address of `first`."""
    kept, given_up = program.functions[first], program.functions[second]
    if kept.address is given_up.address:
        return program
    env: dict[Var, Var] = dict(zip(given_up.results, kept.results))
    group = [f for f in program.functions.values() if f.address is given_up.address]
    functions = {
        **program.functions,
        **{f.name: replace(f, results=kept.results, address=kept.address) for f in group},
    }
    blocks = []
    for block in program.blocks:
        arrives = tuple((to, env.get(r, r) if isinstance(r, Var) else r) for to, r in block.arrives)
        end = block.terminator
        if isinstance(end, Return):
            end = Return(tuple((env.get(to, to), source) for to, source in end.moves))
        blocks.append(replace(block, arrives=arrives, terminator=end))
    return replace(program, blocks=tuple(blocks), functions=MappingProxyType(functions))


# threading


def threaded(program: BlockProgram) -> BlockProgram:
    live, facts = live_in(program), facts_in(program)
    blocks = {
        k: thread_block(program, live, facts[k], settled(b, facts[k])) for k, b in enumerate(program.blocks)
    }
    return with_blocks(program, blocks)


Facts = Mapping[Var, Atom]


def facts_in(program: BlockProgram) -> list[Facts]:
    """What is known to be a literal on entry of each block, whichever way it is entered."""
    found: list[Facts | None] = [None] * len(program.blocks)
    entries = {f.entry for f in program.functions.values()}
    entries |= {b.terminator.then for b in program.blocks if isinstance(b.terminator, Call)}
    todo = sorted(entries, reverse=True)
    for k in todo:
        found[k] = {}
    while todo:
        k = todo.pop()
        block, facts = program.blocks[k], found[k]
        assert facts is not None
        for e, edge in enumerate(edges(block)):
            after = facts_after(program, block, e, facts)
            before = found[edge.target]
            both = (
                after
                if before is None
                else {v: a for v, a in before.items() if key(after.get(v, v)) == key(a)}
            )
            if before is None or len(both) < len(before):
                found[edge.target] = both
                todo.append(edge.target)
    return [facts or {} for facts in found]


def facts_after(program: BlockProgram, block: BasicBlock, e: int, facts: Facts) -> Facts:
    """What is known after edge e of a block that is entered with `facts`."""
    made = {v for equation in block.equations for out in equation.outs for v in assigned(program.brings, out)}
    known_ = {v: a for v, a in facts.items() if v not in made} | known_on(block, e)
    moves = edges(block)[e].moves
    moved = {to: replaced(source, known_) for to, source in moves}
    kept = {v: a for v, a in known_.items() if v not in moved}
    return kept | {to: typed(a, to) for to, a in moved.items() if isinstance(a, Lit)}


def settled(block: BasicBlock, facts: Facts) -> BasicBlock:
    """The block, entered with `facts`, with all that is known written out."""
    env = dict(facts)
    equations = []
    for equation in block.equations:
        value = known(equation, env) if pure(equation) else None
        equations.append(replaced_equation(equation, env))
        for out in equation.outs:
            env.pop(out, None)
        if isinstance(value, Lit):
            env[equation.outs[0]] = value
    end = replaced_terminator(block.terminator, env)
    return simpler(replace(block, equations=tuple(equations), terminator=end))


def simpler(block: BasicBlock) -> BasicBlock:
    """A Branch that can go one way only is a Jump."""
    match block.terminator:
        case Branch(Lit(value), then, orelse):
            return replace(block, terminator=then if value else orelse)
        case Branch(_, then, orelse) if then.target == orelse.target and same(then.moves, orelse.moves):
            return replace(block, terminator=then)
        case _:
            return block


def same(a: Moves, b: Moves) -> bool:
    return {t: key(s) for t, s in a} == {t: key(s) for t, s in b}


def thread_block(
    program: BlockProgram, live: tuple[Live, ...], entry: Facts, block: BasicBlock
) -> BasicBlock:
    changed = {}
    made = {out for equation in block.equations for out in equation.outs}
    for k, edge in enumerate(edges(block)):
        facts = {v: a for v, a in entry.items() if v not in made} | known_on(block, k)
        seen = {edge.target}
        while (further := follow(program, live, edge, facts)) is not None:
            passed = program.blocks[edge.target].equations
            outdated = {out for e in passed for out in e.outs} | {to for to, _ in edge.moves}
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
        if isinstance(op, Apply) and op.primitive.name == "not":
            todo.append((op.operands[0], not value))
        if isinstance(op, Apply) and op.primitive.name == ("and" if value else "or"):
            todo += [(o, value) for o in op.operands]
    return facts


def follow(
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
        if not pure(equation):
            return None
        value = known(equation, env)
        for out in equation.outs:
            env.pop(out, None)
        if value is not None:
            env[equation.outs[0]] = value
        else:
            opaque.update(v for out in equation.outs for v in assigned(program.brings, out))
    end = resolved(block.terminator, env)
    brought = {size for to, _ in edge.moves for size, _ in program.brings.get(to, ())}
    if end is None or any(source in opaque | brought for _, source in end.moves):
        return None
    moves = tuple((to, replaced(source, env)) for to, source in end.moves)
    if isinstance(end, Return):
        return Return(moves)
    overwritten = {v for to, _ in moves for v in assigned(program.brings, to)}
    needed = live[end.target] - overwritten
    if needed & opaque:
        return None
    rest = {to: source for to, source in edge.moves if wanted(program, to, needed)}
    rest |= {
        to: a for e in block.equations for to in e.outs if to in needed and (a := env.get(to)) is not None
    }
    kept = (*((to, a) for to, a in rest.items() if to not in overwritten), *moves)
    return Jump(end.target, tuple((to, a) for to, a in kept if to is not a))


def resolved(end: Terminator, env: Mapping[Var, Atom]) -> Jump | Return | None:
    """Where a terminator leads, given what is known; None where it is open, or calls."""
    match end:
        case Jump() | Return():
            return end
        case Branch(test, then, orelse):
            value = replaced(test, env)
            return (then if value.value else orelse) if isinstance(value, Lit) else None
        case Call():
            return None


def known(equation: Equation, env: Mapping[Var, Atom]) -> Atom | None:
    """The value of an elementwise equation, where its operands settle it."""
    assert isinstance(equation.op, Apply)
    rule, operands = equation.op.primitive, [replaced(o, env) for o in equation.op.operands]
    if rule.family != "elementwise":
        return None
    if all(isinstance(o, Lit) for o in operands):
        return fold(rule, tuple(operands), dict(equation.op.params))
    if rule.name in ("and", "or"):
        for k, o in enumerate(operands):
            if isinstance(o, Lit):
                decides = bool(o.value) == (rule.name == "or")
                return o if decides else operands[1 - k]
    return None


# pruning


def pruned(program: BlockProgram) -> BlockProgram:
    """Without moves, arrivals and pure equations whose targets nobody needs."""
    live = live_in(program)
    return with_blocks(program, {k: prune(program, live, b) for k, b in enumerate(program.blocks)})


def prune(program: BlockProgram, live: tuple[Live, ...], block: BasicBlock) -> BasicBlock:
    block = with_moves(
        block,
        lambda k, moves: tuple(
            (to, source)
            for to, source in moves
            if to is not source and wanted(program, to, beyond(program, live, block, k))
        ),
    )
    needed = set(at_end(program, block, live))
    kept: list[Equation] = []
    for equation in reversed(block.equations):
        outs = {v for out in equation.outs for v in assigned(program.brings, out)}
        if (pure(equation) and not outs & needed) or holds(equation):
            continue
        kept.append(equation)
        needed = (needed - outs) | set(reads(equation))
    arrives = tuple((to, r) for to, r in block.arrives if wanted(program, to, needed))
    return replace(block, equations=tuple(reversed(kept)), arrives=arrives)


def holds(equation: Equation) -> bool:
    """Whether an equation is a check of what is known to hold."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.name != "check":
        return False
    return isinstance(op.operands[0], Lit) and bool(op.operands[0].value)


def beyond(program: BlockProgram, live: tuple[Live, ...], block: BasicBlock, k: int) -> Live:
    """What is needed after the moves of way out k."""
    if isinstance(block.terminator, Call):
        return live[block.terminator.then] | live[program.functions[block.terminator.function].entry]
    return live[edges(block)[k].target]


# merging


def merged(program: BlockProgram) -> BlockProgram:
    """Blocks joined with their only predecessor where that one jumps to them; else its moves its own."""
    live = live_in(program)
    blocks = dict(enumerate(program.blocks))
    entries = {f.entry for f in program.functions.values()}
    seen = visited(program, program.entry.entry)
    incoming = Counter(e.target for k in seen for e in edges(program.blocks[k]))
    single = {k for k, count in incoming.items() if count == 1 and k not in entries}
    changed: set[int] = set()  # blocks that may read more than `live` says: what leads there has to wait
    for k in sorted(seen):
        for e, edge in enumerate(edges(blocks[k])):
            target = blocks[edge.target]
            if edge.target not in single - {k} or not edge.moves or changed & {k, *successors(target)}:
                continue
            if movable(program, live, edge, target):
                changed.add(edge.target)
                tail = absorbed(program, live, edge.moves, target)
                blocks[k] = with_edges(blocks[k], {e: Jump(edge.target)})
                blocks[edge.target] = tail
    for k in sorted(seen):
        while isinstance(end := blocks[k].terminator, Jump) and end.target in single - {k} and not end.moves:
            tail, blocks[end.target] = (
                blocks[end.target],
                replace(blocks[end.target], terminator=Jump(end.target)),
            )
            single.discard(end.target)
            equations = blocks[k].equations + tail.equations
            blocks[k] = replace(blocks[k], equations=equations, terminator=tail.terminator)
    return with_blocks(program, blocks)


def movable(program: BlockProgram, live: tuple[Live, ...], edge: Jump, block: BasicBlock) -> bool:
    """Whether a block can read the sources of an edge instead of the places they are moved to.

    A Call saves what is live after it before it moves anything, so that nothing can be moved there for later.
    """
    if isinstance(block.terminator, Call) and beyond(program, live, block, 0) & {to for to, _ in edge.moves}:
        return False
    made = {v for e in block.equations for out in e.outs for v in assigned(program.brings, out)}
    return all(
        source not in made and to not in made and to not in program.brings for to, source in edge.moves
    )


def absorbed(program: BlockProgram, live: tuple[Live, ...], moves: Moves, block: BasicBlock) -> BasicBlock:
    """The block doing the moves itself, on its way out, as far as they are needed there."""

    def carried(k: int, own: Moves) -> Moves:
        needed = beyond(program, live, block, k) - {to for to, _ in terminator_moves(block)[k]}
        return (*((to, source) for to, source in moves if to in needed), *own)

    return with_moves(replaced_block(block, dict(moves)), carried)


# renumbering


def renumbered(program: BlockProgram) -> BlockProgram:
    """Only blocks that can run, in the order they were made, which is the source's; names made unique."""
    order = sorted(visited(program, program.entry.entry))
    number = {old: new for new, old in enumerate(order)}
    taken: dict[str, int] = {}
    blocks = []
    for old in order:
        block = retargeted(program.blocks[old], number)
        count = taken[block.name] = taken.get(block.name, 0) + 1
        name = block.name if count == 1 else f"{block.name} {count}"
        blocks.append(replace(block, name=name, cost=cost(block.equations, program.program)))
    functions = {
        name: replace(f, entry=number[f.entry]) for name, f in program.functions.items() if f.entry in number
    }
    return replace(program, blocks=tuple(blocks), functions=MappingProxyType(functions))


def retargeted(block: BasicBlock, number: Mapping[int, int]) -> BasicBlock:
    if isinstance(block.terminator, Call):
        call = block.terminator
        return replace(block, terminator=Call(call.function, call.moves, number[call.then]))
    return with_edges(block, {k: Jump(number[e.target], e.moves) for k, e in enumerate(edges(block))})
