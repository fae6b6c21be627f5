"""Places that need not be: propagate_copies, propagate_constants : BlockProgram -> BlockProgram.

    call f with p <- x      (the only call)           f reads x itself; the move is gone
    jump 3 with go <- True  (go is given no other) ->  block 3 reads True

So parameters that recursion hands on unchanged, and what all callers pass, cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autobatch.cfg.graph import (
    BasicBlock,
    BlockProgram,
    Return,
    equation_outs,
    replaced_atom,
    replaced_block,
    terminator_moves,
    visited,
    with_moves,
    writes,
)
from autobatch.cfg.liveness import Live, is_pure, live_in
from codegen.ir import Apply, Atom, Equation, Lit, Var
from codegen.ir.kinds import Logic
from codegen.ir.literals import fold


def propagate_copies(program: BlockProgram) -> BlockProgram:
    """Replace each place that has a single source, itself aside, by that source."""
    while env := single_sources(program):
        brings = dict(program.brings)
        for var, atom in env.items():
            if isinstance(atom, Var) and var in brings:
                brings[atom] = (*brings.get(atom, ()), *brings[var])
        blocks = tuple(replace_places(b, env) for b in program.blocks)
        program = replace(program, blocks=blocks, brings=brings)
    return program


def single_sources(program: BlockProgram) -> dict[Var, Atom]:
    """Places and their only sources, none of which is itself among the places."""
    home = owners(program)
    found: dict[Var, Atom] = {}
    for target, given in move_sources(program).items():
        if len(given) != 1 or not is_invariant(program, target, given[0], home):
            continue
        source = replaced_atom(given[0], found)
        if source is not target and source not in found and target not in found.values():
            found[target] = as_type_of(source, target)
    return found


def move_sources(program: BlockProgram) -> dict[Var, list[Atom]]:
    """The different values that places are given by moves, themselves aside.

    Main's parameters, which come from outside, are left out.
    """
    found: dict[Var, dict[object, Atom]] = {}
    for k in sorted(visited(program, program.entry.entry)):
        block = program.blocks[k]
        for moves in () if isinstance(block.terminator, Return) else terminator_moves(block):
            for target, source in moves:
                found.setdefault(target, {})[atom_key(source)] = source
    outside = set(program.entry.params)
    return {
        to: [s for s in given.values() if s is not to] for to, given in found.items() if to not in outside
    }


def owners(program: BlockProgram) -> dict[Var, str]:
    """The function a variable belongs to."""
    home: dict[Var, str] = {}
    for block in program.blocks:
        for var in writes(program, block):
            home.setdefault(var, block.function)
    for function in program.functions.values():
        home.update(dict.fromkeys(program.assigned(function.params), function.name))
    return home


def is_invariant(program: BlockProgram, target: Var, source: Atom, home: Mapping[Var, str]) -> bool:
    """Whether source keeps its value while target's function runs.

    A literal does, a variable of the same function (by dominance), and a caller's that is not re-entered.
    """
    if isinstance(source, Lit):
        return True
    owner = home[source]
    return owner == home[target] or owner not in program.reaches[owner]


def propagate_constants(program: BlockProgram) -> BlockProgram:
    """Replace places that are only given one literal by the literal.

    (A place with one variable as its source is left: once edges have been threaded, that variable may have
    changed.)
    """
    made = {v for b in program.blocks for v in (*equation_outs(b), *(to for to, _ in b.arrives))}
    env: dict[Var, Atom] = {
        to: as_type_of(given[0], to)
        for to, given in move_sources(program).items()
        if len(given) == 1 and isinstance(given[0], Lit) and to not in made
    }
    across = frozenset().union(*live_in(program))
    blocks = (without_aliases(replace_places(b, env) if env else b, across) for b in program.blocks)
    return replace(program, blocks=tuple(blocks))


def without_aliases(block: BasicBlock, across: Live) -> BasicBlock:
    """`t = and True x` is x to the end of the block, where t is not needed beyond it."""
    env: dict[Var, Atom] = {}
    later = set(equation_outs(block))
    for equation in block.equations:
        later.difference_update(equation.outs)
        value = known_value(equation, env) if is_pure(equation) else None
        if isinstance(value, Var) and value not in later and equation.outs[0] not in across:
            env[equation.outs[0]] = value
    return replaced_block(block, env) if env else block


def replace_places(block: BasicBlock, env: Mapping[Var, Atom]) -> BasicBlock:
    """The block reading `env` instead of these places, to which nothing is moved any more."""
    block = replaced_block(block, env)
    end = with_moves(block.terminator, lambda _, moves: tuple(m for m in moves if m[0] not in env))
    return replace(block, terminator=end)


def as_type_of(source: Atom, target: Var) -> Atom:
    """A literal as a value of the place's type."""
    return Lit(source.value, target.type) if isinstance(source, Lit) else source


def atom_key(atom: Atom) -> object:
    return (repr(atom.value), atom.type.dtype) if isinstance(atom, Lit) else atom


def known_value(equation: Equation, env: Mapping[Var, Atom]) -> Atom | None:
    """The value of an elementwise equation, where its operands settle it."""
    assert isinstance(equation.op, Apply)
    rule, operands = equation.op.primitive, [replaced_atom(o, env) for o in equation.op.operands]
    if rule.family != "elementwise":
        return None
    if all(isinstance(o, Lit) for o in operands):
        return fold(rule, tuple(operands), dict(equation.op.params))
    if rule.kind in (Logic.AND, Logic.OR) and not equation.outs[0].type.rank:
        for k, o in enumerate(operands):
            if isinstance(o, Lit):
                decides = bool(o.value) == (rule.kind is Logic.OR)
                return o if decides else operands[1 - k]
    return None
