"""A loop that is run for the sizes of arrays, and the one that fills them, as one: filled_as_grown.

    n = 0; xs = np.empty(8)                              n = 0; xs = np.empty(8)
    while c(x):                                          while c(x):
        if n >= len(xs): xs = with more rows(xs)             if n >= len(xs): xs = with more rows(xs)
        x, n = f(x), n + 1                     ->            xs[n] = x
    xs = np.empty(len(xs))                                   x, n = f(x), n + 1
    while c(x):
        xs[n] = x
        x, n = f(x), n + 1

A derivative keeps values in arrays that are made before the loop, and so the function's own lists are made at their
final sizes (autodiff/loops/final_sizes.py). Where arrays can be made anew with more room, the loop runs once: without
its growth the first is the second, or a part of it, and in both together the growth is put back.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

from codegen.analysis.definitions import applied, is_empty
from codegen.analysis.effects import may_end, pure
from codegen.ir import Apply, Atom, Block, Dim, Equation, For, Type, Var, While
from codegen.ir.buffers import FIRST
from codegen.ir.build import Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import free, free_in, substitute
from codegen.ir.traversal import within
from codegen.while_loops.growth_apart import WithoutGrowth
from codegen.while_loops.growth_put_back import PutBack
from codegen.while_loops.joined_blocks import Joined, bound_with_sizes, root, rooted


def filled_as_grown(block: Block, k: int) -> Block | None:
    """The block with the loop at k and the one that fills arrays of the sizes that it finds as one; None where there is
    no such one."""
    first = block.equations[k]
    found = set(grown_by(first).values())
    for j in range(k + 1, len(block.equations)) if found else ():
        op = block.equations[j].op
        if isinstance(op, For | While) and any(n in found for x in op.init for n in x.type.shape[:1]):
            return FilledArrays(block, k, j, found).merged()
    return None


def grown_by(equation: Equation) -> dict[int, Var]:
    """The arrays whose sizes a loop changes, with these sizes behind it."""
    op, found = equation.op, {}
    if isinstance(op, For | While):
        for place, (out, begin) in enumerate(zip(equation.outs, op.init, strict=True)):
            if out.type.rank and isinstance(n := out.type.shape[0], Var) and n is not begin.type.shape[0]:
                found[place] = n
    return found


@dataclass
class FilledArrays:
    """A block, the places of both loops in it, the sizes that the first finds, and what is found of them.

    `empty`: the arrays that are made at these sizes; `begun`: these with their first rows, and what these rows are;
    `front`, `back`: what stands between the loops and comes before both, or after.
    """

    block: Block
    k: int
    j: int
    sizes: set[Var]
    empty: dict[Var, Apply] = field(default_factory=dict)
    begun: dict[Var, Atom] = field(default_factory=dict)
    front: list[Equation] = field(default_factory=list)
    back: list[Equation] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.first, self.second = self.block.equations[self.k], self.block.equations[self.j]

    def merged(self) -> Block | None:
        op, other = self.first.op, self.second.op
        assert isinstance(op, For | While) and isinstance(other, For | While)
        self.part()
        self.begin_empty(other)
        made = applied((*self.block.equations[: self.k], *self.front))
        first = replace(self.first, op=rooted(op, made))
        filled = {x.type.shape[0] for x in self.begun}
        apart = WithoutGrowth(self.final(op, made, filled)).loop(first)
        if apart is None:
            apart = WithoutGrowth(self.final(op, made, self.sizes)).loop(first)
        if apart is None:
            return None
        joined = Joined({v: v for v in free_in(other)})
        both = joined.one(apart, replace(self.second, op=rooted(other, made)))
        known = [e for e in within(apart) if isinstance(e.op, Apply)]
        whole = None if both is None else PutBack(self.begun, known).loop(both)
        if whole is None:
            return None
        rest = Block((*self.back, *self.block.equations[self.j + 1 :]), self.block.results)
        rest = substitute(rest, joined.env)
        before = (*self.block.equations[: self.k], *self.front, whole)
        gone = {*self.empty, *self.begun, *self.first.outs, *self.sizes}
        left = gone - bound_with_sizes(whole) - {each for e in before[:-1] for each in bound_with_sizes(e)}
        if not left.isdisjoint({*free(rest), *free_in(whole.op)}):
            return None
        return Block((*before, *rest.equations), rest.results)

    def part(self) -> None:
        """Part what stands between the loops."""
        late = bound_with_sizes(self.first)
        for each in self.block.equations[self.k + 1 : self.j]:
            op = each.op
            if isinstance(op, Apply) and is_empty(each) and op.operands[0] in self.sizes:
                self.empty[each.outs[0]] = op
            elif (
                isinstance(op, Apply)
                and op.operands[:1]
                and op.operands[0] in self.empty
                and is_of_first_rows(op)
            ):
                self.begun[each.outs[0]] = op.operands[1]
            elif late.isdisjoint(free_in(op)) and pure(each) and not may_end(each):
                self.front.append(each)
                continue
            else:
                self.back.append(each)
            late |= bound_with_sizes(each)

    def begin_empty(self, other: For | While) -> None:
        """Arrays without first rows begin with none."""
        for begin in other.init:
            if isinstance(begin, Var) and begin in self.empty:
                b, made = Builder(span=self.first.span, checked=False), self.empty[begin]
                rows = b.apply("empty", 0, *map(b.wrap, made.operands[1:]), name=begin.name, **made.params)
                self.begun[begin] = b.atom(rows)
                self.front += b.equations

    def final(
        self, op: For | While, made: Mapping[Atom, Apply], known: Container[Dim | Atom]
    ) -> dict[int, Atom]:
        """The arrays that the first loop makes larger, to a known size, as they are made at their final sizes."""
        found: dict[int, Atom] = {}
        for place, n in grown_by(self.first).items():
            if n not in known:
                continue
            p, begin = op.carried[place], root(op.init[place], made)
            alike = [
                x for x, rows in self.begun.items() if x.type.shape[0] is n and root(rows, made) is begin
            ]
            if alike:
                found[place] = alike[0]
                continue
            found[place] = stand_in = Var(p.name, Type(p.type.dtype, (n, *p.type.shape[1:])))
            if all(x.type.shape[0] is not n for x in self.begun):
                self.begun[stand_in] = op.init[place]
        return found


def is_of_first_rows(op: Apply) -> bool:
    return op.primitive.kind is Access.WRITE and op.params["spec"] == FIRST
