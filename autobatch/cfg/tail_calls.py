"""Tail calls: eliminate_tail_calls : BlockProgram -> BlockProgram, in which recursion in tail position needs no stack.

call f with n <- m, then 4                jump to f's entry with n <- m
4: r = result; return to address, result <- r     ->
"""

from __future__ import annotations

from dataclasses import replace

from autobatch.cfg.graph import (
    BasicBlock,
    BlockProgram,
    Call,
    Jump,
    Return,
    replaced_atom,
    share_a_place,
    with_blocks,
)


def eliminate_tail_calls(program: BlockProgram) -> BlockProgram:
    """Calls within a recursion whose results are returned at once become jumps to the callee's entry."""
    for k, block in enumerate(program.blocks):
        if is_tail_call(program, block):
            assert isinstance(block.terminator, Call)
            callee = program.functions[block.terminator.function]
            program = share_results(program, block.function, callee.name)
            jumping = replace(program.blocks[k], terminator=Jump(callee.entry, block.terminator.moves))
            program = with_blocks(program, {k: jumping})
    return program


def is_tail_call(program: BlockProgram, block: BasicBlock) -> bool:
    if not isinstance(block.terminator, Call):
        return False
    caller, callee = program.functions[block.function], program.functions[block.terminator.function]
    then = program.blocks[block.terminator.then]
    if then.equations or not isinstance(then.terminator, Return):
        return False
    if len(callee.results) != len(caller.results):
        return False
    if caller.name != callee.name and caller.name not in program.reaches[callee.name]:
        return False
    arrived = dict(then.arrives)
    given = dict(then.terminator.moves)
    return all(
        arrived.get(given.get(to)) is result and share_a_place(to.type, result.type)  # type: ignore[arg-type]
        for to, result in zip(caller.results, callee.results)
    )


def share_results(program: BlockProgram, first: str, second: str) -> BlockProgram:
    """Both functions with the results and the address of `first`."""
    kept, given_up = program.functions[first], program.functions[second]
    if kept.address is given_up.address:
        return program
    env = dict(zip(given_up.results, kept.results))
    functions = {
        name: replace(f, results=kept.results, address=kept.address) if f.address is given_up.address else f
        for name, f in program.functions.items()
    }
    blocks = []
    for block in program.blocks:
        arrives = tuple((to, replaced_atom(r, env)) for to, r in block.arrives)
        end = block.terminator
        if isinstance(end, Return):
            end = Return(tuple((env.get(to, to), source) for to, source in end.moves))
        blocks.append(replace(block, arrives=arrives, terminator=end))
    return replace(program, blocks=tuple(blocks), functions=functions)
