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

from collections.abc import Callable, Iterable, Mapping
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

    def assigned(self, places: Iterable[Var]) -> list[Var]:
        """What assignments of `places` assign: themselves and the sizes they bring."""
        return [v for place in places for v in (place, *(size for size, _ in self.brings.get(place, ())))]


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


def targets(program: BlockProgram, block: BasicBlock) -> tuple[int, ...]:
    """The blocks that may run next, a callee's first among them; none that is known after a Return."""
    if isinstance(block.terminator, Call):
        return (program.functions[block.terminator.function].entry, block.terminator.then)
    return successors(block)


def terminator_moves(block: BasicBlock) -> tuple[Moves, ...]:
    """The moves of each way out."""
    match block.terminator:
        case Call(_, moves) | Return(moves):
            return (moves,)
        case _:
            return tuple(edge.moves for edge in edges(block))


def all_moves(block: BasicBlock) -> Moves:
    """What arrives, and the moves of all ways out."""
    return tuple(move for moves in (block.arrives, *terminator_moves(block)) for move in moves)


def terminator_atoms(block: BasicBlock) -> tuple[Atom, ...]:
    """What a block's terminator reads: its test, and the sources of its moves."""
    test = (block.terminator.test,) if isinstance(block.terminator, Branch) else ()
    return (*test, *(source for moves in terminator_moves(block) for _, source in moves))


def variables_read(equation: Equation) -> tuple[Var, ...]:
    """The variables an equation reads, inside its blocks too; sizes only where they are values."""
    return tuple(v for v in free(equation.op) if isinstance(v, Var))


def equation_outs(block: BasicBlock) -> list[Var]:
    """The outs of a block's equations."""
    return [out for equation in block.equations for out in equation.outs]


def writes(program: BlockProgram, block: BasicBlock) -> list[Var]:
    """The variables a block assigns, by arriving results, equations and moves (of Calls and Returns too)."""
    return program.assigned([*equation_outs(block), *(target for target, _ in all_moves(block))])


def replaced_moves(moves: Moves, env: Mapping[Var, Atom]) -> Moves:
    """Moves with other sources; what would move a variable to itself is gone."""
    changed = tuple((target, replaced_atom(source, env)) for target, source in moves)
    return tuple((target, source) for target, source in changed if target is not source)


def replaced_atom(atom: Atom, env: Mapping[Var, Atom]) -> Atom:
    return env.get(atom, atom) if isinstance(atom, Var) else atom


def replaced_equation(equation: Equation, env: Mapping[Var, Atom]) -> Equation:
    """The equation reading other atoms; binders keep their Vars."""
    return replace(equation, op=rewrite_op(equation.op, dict(env), lambda var, _: var, lambda *_: None))


def replaced_terminator(end: Terminator, env: Mapping[Var, Atom]) -> Terminator:
    end = with_moves(end, lambda _, moves: replaced_moves(moves, env))
    return replace(end, test=replaced_atom(end.test, env)) if isinstance(end, Branch) else end


def replaced_block(block: BasicBlock, env: Mapping[Var, Atom]) -> BasicBlock:
    """The block reading other atoms; what it assigns stays."""
    return replace(
        block,
        equations=tuple(replaced_equation(e, env) for e in block.equations),
        terminator=replaced_terminator(block.terminator, env),
        arrives=replaced_moves(block.arrives, env),
    )


def share_a_place(a: Type, b: Type) -> bool:
    """Whether one place can hold values of both types."""
    return (
        a.dtype == b.dtype
        and a.rank == b.rank
        and all(n == m for n, m in zip(a.shape, b.shape) if isinstance(n, int) or isinstance(m, int))
    )


def with_blocks(program: BlockProgram, blocks: Mapping[int, BasicBlock]) -> BlockProgram:
    """The program with some blocks replaced."""
    return replace(program, blocks=tuple(blocks.get(k, b) for k, b in enumerate(program.blocks)))


def with_moves(end: Terminator, change: Callable[[int, Moves], Moves]) -> Terminator:
    """The terminator with the moves of way out k replaced by change(k, moves)."""
    if isinstance(end, Branch):
        then, orelse = (replace(e, moves=change(k, e.moves)) for k, e in enumerate((end.then, end.orelse)))
        return Branch(end.test, then, orelse)
    return replace(end, moves=change(0, end.moves))


def visited(program: BlockProgram, start: int) -> set[int]:
    """The blocks that may run once block `start` does, callees' included."""
    seen: set[int] = set()
    todo = [start]
    while todo:
        k = todo.pop()
        if k in seen:
            continue
        seen.add(k)
        todo += targets(program, program.blocks[k])
    return seen
