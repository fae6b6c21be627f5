"""A loop that counts and one that repeats it, keeping values, as one loop: single_pass : Program -> Program.

    n = 0                                            n = 0
    while c(x):                                      xs = np.empty(8)
        x, n = f(x), n + 1                           while c(x):
    xs = np.empty(n)                      ->             if n >= len(xs):
    for k in range(n):                                       xs = with twice the room(xs)
        xs[k] = y                                        xs[n] = x
        y = f(y)                                         x, n = f(x), n + 1
                                                     xs = xs[:n]

Reverse mode counts how often a `while` runs to know how much room its values take, and repeats it to keep them, beside
the `while` of the function itself, of which something may be needed. That is what lanes and threads of a GPU need,
whose arrays have the sizes that they begin with. Where arrays can be made anew with more room, the loop runs once. Rows
of arrays are copied as room is made: the loop's own work has to be more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from typing import Any

from codegen.analysis.affine import offset_of, sum_with_literal
from codegen.analysis.definitions import applied, is_empty
from codegen.analysis.effects import may_end, pure
from codegen.cost_model import LEAST_ROOM, SMALL_ARRAY
from codegen.ir import (
    Apply,
    Atom,
    Block,
    Call,
    Dim,
    Equation,
    For,
    If,
    Lit,
    Operation,
    Program,
    Type,
    Var,
    While,
)
from codegen.ir.buffers import FIRST, with_rows_for
from codegen.ir.build import SIZE, Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import (
    blocks,
    free,
    free_in,
    fresh,
    reads,
    replaced,
    substitute,
)
from codegen.ir.traversal import all_equations, equations, operands, with_bodies, with_equations, with_inner
from codegen.primitives import ROWS
from codegen.primitives.index import FirstInside, Inside, first_inside
from codegen.simplify.dead_code import dead_code
from codegen.while_loops.filled_as_grown import filled_as_grown
from codegen.while_loops.joined_blocks import (
    Joined,
    are_same_atom,
    bound_with_sizes,
    counted_last,
    root,
    rooted,
)
from codegen.while_loops.part_sizes import sizes_of_parts


def single_pass(program: Program) -> Program:
    """The program with one loop in place of each two such; the program itself where there are none."""
    inner = (block for each in all_equations(program) for block in blocks(each.op))
    if not any(map(has_repeated_while, (*(f.body for f in program.functions.values()), *inner))):
        return program
    found: list[Block] = []
    made = with_bodies(dead_code(with_bodies(program, sizes_of_parts)), partial(single_in, found))
    return made if found else program


def has_repeated_while(block: Block) -> bool:
    """Whether a `for` runs as often as a `while` of the block says."""
    outs = {out for each in block.equations if isinstance(each.op, While) for out in each.outs}
    return bool(outs) and any(isinstance(e.op, For) and e.op.stop in outs for e in block.equations)


def single_in(found: list[Block], block: Block) -> Block:
    """A block with its own loops made one, outer ones first: then what is inside them is one text, too; at last those
    that are run for sizes. Each block that has fewer loops then is noted."""
    k = 0
    while k < len(block.equations):
        op = block.equations[k].op
        instead = (with_twin(block, k, op) or one_loop(block, k, op)) if isinstance(op, While) else None
        if instead is None:
            k += 1
        else:
            block = instead
            found.append(block)
    made = []
    for each in block.equations:
        inside = isinstance(each.op, If | For | While)
        op = with_inner(each.op, partial(single_in, found)) if inside else each.op
        made.append(each if op is each.op else replace(each, op=op))
    block = replace(block, equations=tuple(made))
    for k in reversed(range(len(made))):
        if (instead := filled_as_grown(block, k)) is not None:
            block = instead
            found.append(block)
    return block


def with_twin(block: Block, k: int, loop: While) -> Block | None:
    """The block with the `while` at k and a later one on the same condition as one: what reverse mode counts by, beside
    what the function itself computes. None where there is none."""
    first = block.equations[k]
    late = bound_with_sizes(first)
    for j, second in enumerate(block.equations[k + 1 :], k + 1):
        op = second.op
        if isinstance(op, While):
            made = applied(block.equations[:j])
            other = rooted(op, made)
            joined = Joined({v: v for v in free_in(other)})
            both = joined.one(replace(first, op=rooted(loop, made)), replace(second, op=other))
            if both is not None and late.isdisjoint(free_in(both.op)):
                assert isinstance(both.op, While)
                whole = replace(both.op, init=(*loop.init, *both.op.init[len(loop.init) :]))
                rest = substitute(Block(block.equations[j + 1 :], block.results), joined.env)
                before = (*block.equations[:k], replace(both, op=whole), *block.equations[k + 1 : j])
                return Block((*before, *rest.equations), rest.results)
        late |= bound_with_sizes(second)
    return None


def one_loop(block: Block, k: int, loop: While) -> Block | None:
    """The block with the `while` at k and the `for` that repeats it as one loop; None where no `for` does."""
    outs = block.equations[k].outs
    for j, each in enumerate(block.equations):
        op = each.op
        if j > k and isinstance(op, For) and op.stop in outs:
            made = RepeatedWhile(block, k, j, loop, op).merged()
            if made is not None:
                return made
    return None


@dataclass
class RepeatedWhile:
    """A block, the places of a `while` and of a `for` in it, and what is found of them."""

    block: Block
    k: int
    j: int
    loop: While
    repeat: For
    front: list[Equation] = field(default_factory=list)  # what stood between them and comes before both
    back: list[Equation] = field(default_factory=list)  # and what comes after
    kept: dict[Var, Apply] = field(default_factory=dict)  # what the `for` keeps rows in, as it is made
    joined: Joined = field(default_factory=lambda: Joined({}))  # the bodies, by the names of the `while`
    of: dict[Var, int] = field(default_factory=dict)  # which carried value of the `while` one of the `for` is

    def __post_init__(self) -> None:
        self.first, self.second = self.block.equations[self.k], self.block.equations[self.j]
        assert isinstance(self.repeat.stop, Var)
        self.n = self.repeat.stop
        self.begin = dict(zip(self.repeat.carried, self.repeat.init))
        self.rest = Block(self.block.equations[self.j + 1 :], self.block.results)

    def merged(self) -> Block | None:
        count = self.counter()
        if count is None or not self.part():
            return None
        apart: set[Var] = set()
        while self.begins_alike(apart):
            histories, bounded = self.rows_and_others(count)
            equations = self.joined.blocks(self.loop.body, self.repeat.body)
            results = dict(zip(self.repeat.carried, replaced(self.repeat.body.results, self.joined.env)))
            others = {
                p for p, q in self.of.items() if not are_same_atom(results[p], self.loop.body.results[q])
            }
            if equations is None or not is_worth_keeping(self.loop, histories):
                return None
            if not others:
                return self.written(count, bounded, histories, equations, results)
            apart |= others
        return None

    def rows_and_others(self, count: Var) -> tuple[list[Var], list[Var]]:
        """The carried values of the `for` that the `while` has not: rows, and others. All named by what the `while`
        calls them."""
        env, room = self.joined.env, Var("n", SIZE)
        env[self.repeat.index], env[self.n] = count, room
        for var in free_in(self.repeat):
            env.setdefault(var, var)
        histories = [p for p in self.repeat.carried if self.begin[p] in self.kept]
        env.update((p, of_rows(p, room)) for p in histories)
        bounded = [p for p in self.repeat.carried if p not in self.of and p not in histories]
        env.update([(p, fresh(p, env)) for p in bounded])
        return histories, bounded

    def counter(self) -> Var | None:
        """What counts from 0 to n as the `while` runs, where the `for` goes through the same."""
        at = self.first.outs.index(self.n)
        var, begin, after = self.loop.carried[at], self.loop.init[at], self.loop.body.results[at]
        made = applied(self.loop.body.equations).get(after)
        by_one = made is not None and sum_with_literal(made) == (var, 1)
        from_zero = is_literal(begin, 0) and is_literal(self.repeat.start, 0) and self.repeat.step == 1
        return var if by_one and from_zero else None

    def part(self) -> bool:
        """Part what stands between the loops; whether nothing that the `for` needs is made there but room for rows."""
        late = bound_with_sizes(self.first)
        for each in self.block.equations[self.k + 1 : self.j]:
            op = each.op
            if isinstance(op, Apply) and late.isdisjoint(free_in(op)) and pure(each) and not may_end(each):
                self.front.append(each)
            elif isinstance(op, Apply) and is_empty(each) and self.is_room(op, late):
                self.kept[each.outs[0]] = op
            else:
                self.back.append(each)
                late |= bound_with_sizes(each)
        late |= self.kept.keys()
        if self.n in operands(self.repeat.body) or not all(map(self.keeps, equations(self.repeat.body))):
            return False
        read = {v for e in self.back for v in free_in(e.op)} | set(free(self.rest))
        taken = [a for a in self.repeat.init if a in self.kept]
        if len(taken) != len(self.kept) or not read.isdisjoint(self.kept):
            return False
        return late.isdisjoint({*free_in(self.repeat)} - {self.n, *self.kept})

    def keeps(self, equation: Equation) -> bool:
        """Whether of the arrays of n rows it reads and writes the row of an iteration, or a part of it."""
        op = equation.op
        if isinstance(op, For | If) or all(self.n not in each.type.shape for each in reads(op)):
            return True
        if not isinstance(op, Apply) or not isinstance(op.primitive.kind, Access):
            return False
        places = 2 if op.primitive.writes else 1
        is_row = op.params["spec"][:1] == ("i",) and op.operands[places] is self.repeat.index
        return is_row and all(self.n not in each.type.shape for each in op.operands[1:])

    def is_room(self, op: Apply, late: set[Var]) -> bool:
        """Whether a new array has n rows, and other axes that are known before the `while`."""
        return op.operands[0] is self.n and late.isdisjoint(op.operands[1:])

    def begins_alike(self, apart: set[Var]) -> bool:
        """Whether each carried value of the `for` is one of the `while`, but arrays that rows are kept in, and numbers
        that begin as literals. `apart`: those that begin as one of the `while`, and become another."""
        before = (*self.block.equations[: self.k], *self.front)
        made, empty = applied(before), {e.outs[0] for e in before if is_empty(e)} | self.kept.keys()
        inits = {p: root(begin, made) for p, begin in self.begin.items()}
        others = [p for p in inits if inits[p] not in empty and p not in apart]
        self.joined = Joined({})
        loop, begin = rooted(self.loop, made), tuple(inits[p] for p in others)
        self.of = self.joined.begin_alike(loop, tuple(others), begin)
        return all(p in self.of or isinstance(inits[p], Lit) for p in (*others, *apart))

    def written(
        self,
        count: Var,
        bounded: list[Var],
        histories: list[Var],
        equations: list[Equation],
        results: dict[Var, Atom],
    ) -> Block:
        """The block with the one loop, whose rows have room for more."""
        begin = self.begin
        makers = [op for p in histories for array, op in self.kept.items() if array is begin[p]]
        b, before, last = Builder(span=self.second.span, checked=False), Var("n", SIZE), Var("n", SIZE)
        inits = tuple(with_rows_of(b, op, LEAST_ROOM, p.name) for op, p in zip(makers, histories))
        carried, ends = (tuple(of_rows(p, n) for p in histories) for n in (before, last))
        body, room = b.inner(), self.joined.env[self.n]
        if histories:
            rows = [v for p in histories if isinstance(v := self.joined.env[p], Var)]
            with_rows_for(body, carried, body.wrap(count), 1, known=False, outs=rows)
        given = (*self.loop.body.results, *(results[p] for p in (*bounded, *histories)))
        body.equations += counted_last(equations, count)
        loop = While(
            (
                *self.loop.carried,
                *(new for p in bounded if isinstance(new := self.joined.env[p], Var)),
                *carried,
            ),
            (*self.loop.init, *(begin[p] for p in bounded), *inits),
            self.loop.cond,
            with_equations(Block(tuple(body.equations), given), partial(known_inside, room)),
        )
        outs = dict(zip(self.repeat.carried, self.second.outs))
        after, cut = Joined({}), []
        for p, q in self.of.items():
            after.name_alike(outs[p], self.first.outs[q])
        for p, end in zip(histories, ends):
            if self.is_read_by_rows(outs[p]):
                after.env[outs[p]] = end
            else:
                part = Apply(ROWS["index"], (end, self.n), {"spec": FIRST})
                cut.append(Equation((outs[p],), part, self.second.span))
        rest = with_equations(substitute(self.rest, after.env), partial(known_inside, last))
        both = Equation((*self.first.outs, *(outs[p] for p in bounded), *ends), loop, self.first.span)
        before_both = (*self.block.equations[: self.k], *self.front, *b.equations)
        return Block((*before_both, both, *cut, *self.back, *rest.equations), rest.results)

    def is_read_by_rows(self, array: Var) -> bool:
        """Whether of an array of n rows one at a time is read, in loops from the last row to the first."""
        inside = list(equations(self.rest))
        made, loops = applied(inside), [e.op for e in inside if isinstance(e.op, For)]
        places = {loop.index for loop in loops if self.goes_back(loop, made)}

        def by_rows(op: Operation) -> bool:
            if (
                not isinstance(op, Apply)
                or op.primitive.kind is not Access.READ
                or op.operands[0] is not array
            ):
                return False
            return op.params["spec"][:1] == ("i",) and op.operands[1] in places

        read = [e.op for e in inside if array in reads(e.op)]
        return array not in operands_given(self.rest) and all(map(by_rows, read))

    def goes_back(self, loop: For, made: Mapping[Atom, Apply]) -> bool:
        """Whether a loop goes from n - 1 to 0."""
        return (
            loop.step == -1 and offset_of(made.get(loop.start)) == (self.n, -1) and is_literal(loop.stop, -1)
        )


def operands_given(block: Block) -> set[Atom]:
    """What a block and those inside it give."""
    inner = [each for e in equations(block) for each in blocks(e.op)]
    return {atom for each in (block, *inner) for atom in each.results}


def known_inside(room: Atom, equation: Equation) -> list[Equation]:
    """A row that is written or read is one of those that there is room for."""
    op = equation.op
    if not isinstance(op, Apply) or not isinstance(op.primitive.kind, Access):
        return [equation]
    spec = op.params["spec"]
    if isinstance(spec, Inside) or op.operands[0].type.shape[0] is not room:
        return [equation]
    inside: Any = FirstInside(spec) if len(spec) > 1 else Inside(spec)
    if len(spec) > 1:
        inside.first = max(1, first_inside(spec))
    return [replace(equation, op=Apply(op.primitive, op.operands, {**op.params, "spec": inside}))]


def of_rows(array: Var, n: Var) -> Var:
    return Var(array.name, Type(array.type.dtype, (n, *array.type.shape[1:])))


def with_rows_of(b: Builder, made: Apply, size: Any, name: str) -> Any:
    """An array as another, of so many rows."""
    return b.apply("empty", size, *map(b.wrap, made.operands[1:]), name=name, **made.params).atom


def is_worth_keeping(loop: While, histories: list[Var]) -> bool:
    """Whether the loop works more than it takes to copy rows once or twice, from memory that is farther away than its
    own: with loops, calls or arrays of more axes than the rows inside it, or where all that is kept is numbers, each by
    itself or a few of them."""
    axes = max((p.type.rank - 1 for p in histories if not is_of_few(p.type.shape[1:])), default=0)
    inside = [e for part in (loop.cond, loop.body) for e in equations(part)]
    if not axes or any(isinstance(e.op, For | While | Call) for e in inside):
        return True
    return any(each.type.rank > axes for e in inside for each in reads(e.op))


def is_of_few(shape: Sequence[Dim]) -> bool:
    """Whether a row is an array of so few numbers that each is a variable of its own."""
    known = [n for n in shape if isinstance(n, int)]
    return len(known) == len(shape) and prod(known) <= SMALL_ARRAY


def is_literal(atom: Atom, number: int) -> bool:
    return isinstance(atom, Lit) and atom.value == number and atom.type.dtype == "i8"
