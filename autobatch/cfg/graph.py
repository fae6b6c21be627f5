"""A program as basic blocks: the data, and what a block reads, writes and leads to.

    BlockProgram = blocks, functions by name, and the structured Program whose functions kept Calls name
    BasicBlock   = equations that run straight through, then one terminator
    Terminator   = Jump | Branch | Call | Return

    def gcd(a, b):                  0 gcd          test = eq a b; Branch test -> 1 | 2
        if a == b:                  1 gcd then     Return r <- a
            return a          ->    2 gcd else     s = gt a b; Branch s -> 3 | 4
        if a > b:                   3 gcd then     t = sub a b; Jump 0 with a <- t
            return gcd(a - b, b)    4 gcd else     u = sub b a; Jump 0 with a <- u, b <- a
        return gcd(b - a, a)

Variables are the IR's Vars, now places that are assigned again and again: by equations, and by moves. The
moves of a Jump, Call or Return are parallel: all sources are read before a target is written. A block whose
`arrives` is not empty is entered only by the Return of the call before it, and first copies the callee's
results out.

Sizes. Whoever assigns x: f8[n], where x brings n, assigns n too: `brings[x] = ((n, 0),)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from codegen.ir import Atom, Equation, Program, Type, Var
from codegen.ir.substitution import free, rewrite_op
from codegen.source import Span

Move = tuple[Var, Atom]
Moves = tuple[Move, ...]


@dataclass(frozen=True, eq=False)
class Jump:
    """Go to block `target` after the moves."""

    target: int
    moves: Moves = ()


@dataclass(frozen=True, eq=False)
class Branch:
    """`test` is a scalar b1. The two edges may carry different moves."""

    test: Atom
    then: Jump
    orelse: Jump


@dataclass(frozen=True, eq=False)
class Call:
    """Enter `function` after the moves into its parameters; its Return goes on at block `then`.

    What must survive on a stack is not said here: spilling.py decides it. span: the user's line of the call.
    """

    function: str
    moves: Moves
    then: int
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Return:
    """Leave the function after the moves into its result variables."""

    moves: Moves


Terminator = Jump | Branch | Call | Return


@dataclass(frozen=True, eq=False)
class BasicBlock:
    """Equations, possibly with whole If, For and While inside, and where to go from there.

    cost: rough scalar operations of one lane's visit (cost.py). name: for readers, unique in the program.
    """

    name: str
    function: str
    equations: tuple[Equation, ...]
    terminator: Terminator
    arrives: Moves = ()
    cost: float = 0.0


@dataclass(frozen=True, eq=False)
class BlockFunction:
    """A function that was cut into blocks. Functions that tail-call each other share `results` and `address`.

    address: the i8 variable that holds the block to go to at Return; of the main function it is never set.
    """

    name: str
    entry: int
    params: tuple[Var, ...]
    results: tuple[Var, ...]
    address: Var


@dataclass(frozen=True, eq=False)
class BlockProgram:
    """Blocks by position, block 0 the first to run; `program` holds the functions of Calls kept in equations.

    reaches: function -> the functions it may run before it returns, itself only if it is recursive.
    """

    blocks: tuple[BasicBlock, ...]
    functions: Mapping[str, BlockFunction]
    main: str
    brings: Mapping[Var, tuple[tuple[Var, int], ...]]
    reaches: Mapping[str, frozenset[str]]
    program: Program

    @property
    def entry(self) -> BlockFunction:
        return self.functions[self.main]


def edges(block: BasicBlock) -> tuple[Jump, ...]:
    """The jumps a block may leave by (of a Call and a Return: none)."""
    match block.terminator:
        case Jump() as jump:
            return (jump,)
        case Branch(_, then, orelse):
            return (then, orelse)
        case Call() | Return():
            return ()


def with_edges(block: BasicBlock, change: Mapping[int, Jump]) -> BasicBlock:
    """The block with edge k replaced by change[k]."""
    match block.terminator:
        case Jump() as jump:
            return replace(block, terminator=change.get(0, jump))
        case Branch(test, then, orelse):
            return replace(block, terminator=Branch(test, change.get(0, then), change.get(1, orelse)))
        case Call() | Return():
            return block


def successors(block: BasicBlock) -> tuple[int, ...]:
    """The blocks of the same function that may run next; after a Call the one it returns to."""
    if isinstance(block.terminator, Call):
        return (block.terminator.then,)
    return tuple(edge.target for edge in edges(block))


def terminator_moves(block: BasicBlock) -> tuple[Moves, ...]:
    """The moves of each way out."""
    match block.terminator:
        case Call(_, moves) | Return(moves):
            return (moves,)
        case _:
            return tuple(edge.moves for edge in edges(block))


def terminator_atoms(block: BasicBlock) -> tuple[Atom, ...]:
    """What a block's terminator reads."""
    test = (block.terminator.test,) if isinstance(block.terminator, Branch) else ()
    return (*test, *(source for moves in terminator_moves(block) for _, source in moves))


def reads(equation: Equation) -> tuple[Var, ...]:
    """The variables an equation reads, inside its blocks too; sizes only where they are values."""
    return tuple(v for v in free(equation.op) if isinstance(v, Var))


def assigned(brings: Mapping[Var, tuple[tuple[Var, int], ...]], var: Var) -> tuple[Var, ...]:
    """What an assignment of `var` assigns: itself and the sizes it brings."""
    return (var, *(size for size, _ in brings.get(var, ())))


def writes(program: BlockProgram, block: BasicBlock) -> Iterator[Var]:
    """The variables a block assigns, by arriving results, equations and moves (of Calls and Returns too)."""
    for target, _ in block.arrives:
        yield from assigned(program.brings, target)
    for equation in block.equations:
        for out in equation.outs:
            yield from assigned(program.brings, out)
    for moves in terminator_moves(block):
        for target, _ in moves:
            yield from assigned(program.brings, target)


def replaced(atom: Atom, env: Mapping[Var, Atom]) -> Atom:
    return env.get(atom, atom) if isinstance(atom, Var) else atom


def replaced_moves(moves: Moves, env: Mapping[Var, Atom]) -> Moves:
    """Moves with other sources; what would move a variable to itself is gone."""
    changed = tuple((target, replaced(source, env)) for target, source in moves)
    return tuple((target, source) for target, source in changed if target is not source)


def replaced_equation(equation: Equation, env: Mapping[Var, Atom]) -> Equation:
    """The equation reading other atoms; binders keep their Vars."""
    return replace(equation, op=rewrite_op(equation.op, dict(env), lambda var, _: var, lambda *_: None))


def replaced_terminator(terminator: Terminator, env: Mapping[Var, Atom]) -> Terminator:
    match terminator:
        case Jump(target, moves):
            return Jump(target, replaced_moves(moves, env))
        case Branch(test, then, orelse):
            edges_ = [Jump(j.target, replaced_moves(j.moves, env)) for j in (then, orelse)]
            return Branch(replaced(test, env), edges_[0], edges_[1])
        case Call(_, moves):
            return replace(terminator, moves=replaced_moves(moves, env))
        case Return(moves):
            return Return(replaced_moves(moves, env))


def replaced_block(block: BasicBlock, env: Mapping[Var, Atom]) -> BasicBlock:
    """The block reading other atoms; what it assigns stays."""
    return replace(
        block,
        equations=tuple(replaced_equation(e, env) for e in block.equations),
        terminator=replaced_terminator(block.terminator, env),
        arrives=replaced_moves(block.arrives, env),
    )


def alike(a: Type, b: Type) -> bool:
    """Whether one place can hold values of both types."""
    return (
        a.dtype == b.dtype
        and a.rank == b.rank
        and all(n == m for n, m in zip(a.shape, b.shape) if isinstance(n, int) or isinstance(m, int))
    )


def with_blocks(program: BlockProgram, blocks: Mapping[int, BasicBlock]) -> BlockProgram:
    """The program with some blocks replaced."""
    return replace(program, blocks=tuple(blocks.get(k, b) for k, b in enumerate(program.blocks)))


def with_moves(block: BasicBlock, change: object) -> BasicBlock:
    """The block with the moves of way out k replaced by change(k, moves)."""
    assert callable(change)
    match block.terminator:
        case Call(_, moves) as call:
            return replace(block, terminator=replace(call, moves=change(0, moves)))
        case Return():
            return block
        case _:
            return with_edges(
                block, {k: Jump(e.target, change(k, e.moves)) for k, e in enumerate(edges(block))}
            )


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
