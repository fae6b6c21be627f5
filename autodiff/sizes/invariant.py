"""Sizes that loops and branches do not change, recognised as the sizes they are.

    b: f8[m] = for i ... with b': f8[k] = a: f8[n]           b: f8[n] = for i ... with b': f8[n] = a: f8[n]
        c: f8[k] = sin(b')                            ->         c: f8[n] = sin(b')
        yield c                                                  yield c

An array that a loop assigns anew may change its size, so the front end gives it a size of its own. A
derivative keeps the array's values iteration by iteration, for which the size must be known beforehand. All
such sizes are taken to be those of the initial values, and given up again where the body contradicts, unless checks
show the two to be equal. Where a derivative would be refused for that, as of `v = A @ v`, they are compared as it runs;
those of which the body makes others each time, as `v[1:]` does, stay given up (changing.py), and the derivative keeps
arrays of changing sizes one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from autodiff.loops.final_sizes import at_final_sizes
from autodiff.loops.written_out import short_loops_written_out
from autodiff.sizes.changing import changing
from autodiff.sizes.scope import Brings, brings, refresh
from codegen.analysis.equal_sizes import equal_sizes
from codegen.infer.trace import LANES_IN_TURN
from codegen.ir import Apply, Atom, Block, Dim, Equation, For, Function, If, Lit, Program, Type, Var, While
from codegen.ir.build import Builder
from codegen.ir.check import InternalError
from codegen.ir.kinds import Access, Made
from codegen.ir.substitution import keep, replaced, rewrite_op, same_dim, sizes, substitute
from codegen.ir.traversal import applications, equations, operands, with_functions
from codegen.source import InTurnError, SourceError, Span

Env = dict[Var, Atom]
T = TypeVar("T")


GROWING = (
    "{name} changes its size from one iteration to the next; a derivative would have to keep each of its "
    "values: allocate it at its final size before the loop and write into it"
)


class Growing(InTurnError):
    """A derivative would have to keep an array, called `name`, whose size is not known beforehand. It may be if the
    number of iterations is known, which an argument may say."""

    of_unknown = True

    @classmethod
    def called(cls, name: str, span: Span | None) -> Growing:
        return cls([(span, GROWING.format(name=name))])


def while_sizes_stay(program: Program, make: Callable[[Program, bool], T]) -> T:
    """`make(program, False)`; where that would have to keep arrays of unknown size, of the program with those that grow
    at their final sizes, with short loops written out, or what looks at its sizes as it runs."""
    try:
        return make(program, False)
    except Growing as growing:
        sized = at_final_sizes(program)
        settled = settle_sizes(sized)
        for before, other in ((program, sized), (settled, short_loops_written_out(settled))):
            with suppress(Growing):
                if other is not before:
                    return make(other, False)
        try:
            return make(sized, True)
        except (InternalError, SourceError):  # sizes that are known, and change
            raise growing from None


def may_be_ragged(program: Program) -> bool:
    """Whether arrays whose size changes may be kept. Not, at first, where one may be the list of those lanes of a batch
    inside that are in a loop: they are rather gone through in turn."""
    return LANES_IN_TURN.get() or not any(op.primitive.kind is Made.PLACES for op in applications(program))


def or_lanes_in_turn(make: Callable[[], T]) -> T:
    """`make()`, where a batch inside goes through its lanes in turn if the list of those in a loop, which gets shorter,
    would have to be kept."""
    try:
        return make()
    except Growing as growing:
        token = LANES_IN_TURN.set(True)
        try:
            return make()
        except Growing:
            raise growing from None
        finally:
            LANES_IN_TURN.reset(token)


def settle_sizes(program: Program, *, checked: bool = False) -> Program:
    """`program` with every size that is known to be another one replaced by it.

    `checked`: sizes that a loop may change are taken to stay too, and compared after each iteration, as far as a
    change is not plain to see.
    """
    return with_functions(program, lambda f: Settling(brings(f), program if checked else None).function(f))


@dataclass(frozen=True)
class Settling:
    """A walk over a function, in which an Env says what sizes are. `before`: what has run where it is.

    `checked`: the program, where sizes that may stay are compared as it runs. `changing`: those that loops around
    change.
    """

    brought: Brings
    checked: Program | None
    changing: set[Dim] = field(default_factory=set)
    before: list[Equation] = field(default_factory=list)

    def function(self, function: Function) -> Function:
        return replace(function, body=self.block(function.body, {}))

    def block(self, block: Block, env: Env) -> Block:
        depth = len(self.before)
        for equation in block.equations:
            self.before.append(self.equation(equation, env))
        made = tuple(self.before[depth:])
        del self.before[depth:]
        return Block(made, replaced(block.results, env))

    def equation(self, equation: Equation, env: Env) -> Equation:
        match equation.op:
            case For() | While() as loop:
                made, assumed = self.settled(loop, env)
                known = [tuple(p.type.shape) for p in made.carried]
                fixed = set(assumed.values())
                own = {d for s in known for d in s if is_own_size(d, made, fixed)}
                out_sizes(equation.outs, known, self.brought, env, own)
                return Equation(tuple(keep(o, env) for o in equation.outs), made, equation.span)
            case If(test, then, orelse):
                sides = [self.block(side, dict(env)) for side in (then, orelse)]
                bound = {v for b in sides for e in b.equations for o in e.outs for v in (o, *sizes(o.type))}
                shapes = [
                    common_shape(a.type, b.type)
                    for a, b in zip(sides[0].results, sides[1].results, strict=True)
                ]
                out_sizes(equation.outs, shapes, self.brought, env, bound)
                made_if = If(replaced((test,), env)[0], *sides)
                return Equation(tuple(keep(o, env) for o in equation.outs), made_if, equation.span)
            case op:
                made_op = rewrite_op(op, env, keep)
                return Equation(tuple(keep(o, env) for o in equation.outs), made_op, equation.span)

    def settled(self, loop: For | While, env: Env) -> tuple[For | While, Env]:
        """The loop, and what the sizes that its carried values bring are."""
        assumed = initial_sizes(loop.carried, replaced(loop.init, env), self.brought)
        while True:
            made = self.attempt(loop, {**env, **assumed})
            changes = list(contradictions(loop, made, assumed))
            if changes:
                known = equal_sizes((*self.before, *made.body.equations))
                changes = [each for each in changes if not known.same(each.before, each.after)]
            wrong = {each.size for each in changes}
            if wrong and self.checked:
                found = changing(loop, self.brought, self.checked)
                wrong = {
                    each.size
                    for each in changes
                    if found.changes(each.size, each.made) or each.before in self.changing or each.is_certain
                }
            if not wrong:
                return with_checks(made, changes), assumed
            assumed = {d: n for d, n in assumed.items() if d not in wrong}
            self.changing.update(wrong)

    def attempt(self, loop: For | While, env: Env) -> For | While:
        """The loop with sizes replaced as `env` has it."""
        env = dict(env)
        head = rewrite_op(replace(loop, body=Block((), loop.body.results)), dict(env), keep)
        assert isinstance(head, For | While)
        carried = tuple(keep(p, env) for p in loop.carried)
        body = self.block(loop.body, env)
        if isinstance(loop, While):
            cond = self.block(loop.cond, env)
            return While(carried, head.init, cond, body)
        assert isinstance(head, For)
        return replace(head, carried=carried, body=body)


def initial_sizes(carried: tuple[Var, ...], init: tuple[Atom, ...], brought: Brings) -> Env:
    """Every size that a carried value brings is that of its initial value."""
    guess: Env = {}
    for p, u in zip(carried, init, strict=True):
        for d, n in zip(p.type.shape, u.type.shape, strict=True):
            if isinstance(d, Var) and any(d in brought.get(q, ()) for q in carried):
                guess.setdefault(d, as_atom(n))
    return guess


class SizeChange(NamedTuple):
    """A size that was assumed of a carried value, which after an iteration is another one."""

    name: str
    size: Var
    before: Dim
    after: Dim
    made: Dim  # what `after` is in the loop of which nothing is assumed

    @property
    def is_certain(self) -> bool:
        """But for what is made longer where it is 1."""
        return isinstance(self.before, int) and (isinstance(self.after, int) or self.before == 1)


def contradictions(loop: For | While, made: For | While, assumed: Env) -> Iterator[SizeChange]:
    """The assumed sizes that a value handed to the next iteration is not known to have."""
    values = zip(loop.carried, loop.body.results, made.carried, made.body.results, strict=True)
    for old, old_result, p, result in values:
        shapes = (v.type.shape for v in (old, p, result, old_result))
        for d, n, m, first in zip(*shapes, strict=True):
            if isinstance(d, Var) and d in assumed and not same_dim(n, m):
                yield SizeChange(p.name, d, n, m, first)


def with_checks(loop: For | While, changes: Sequence[SizeChange]) -> For | While:
    """The loop, whose iterations end by comparing these sizes."""
    b = Builder(checked=False)
    for name, _, before, after, _ in changes:
        same = b.apply("eq", b.size(after), b.size(before))
        b.require(same, "ValueError", GROWING.format(name=name))
    body = loop.body
    return replace(loop, body=Block((*body.equations, *b.equations), body.results)) if changes else loop


def is_own_size(d: Dim, loop: For | While, fixed: set[Atom]) -> bool:
    """Is it a size that the loop's carried values bring, and so unknown outside?"""
    init = {n for u in loop.init for n in u.type.shape}
    return isinstance(d, Var) and d not in fixed and d not in init


def out_sizes(
    outs: tuple[Var, ...],
    shapes: Sequence[tuple[Dim | None, ...]],
    brought: Brings,
    env: Env,
    inside: set[Var] | set[Dim],
) -> None:
    """The sizes that outs bring are those found, where these are known outside."""
    for out, shape in zip(outs, shapes, strict=True):
        for d, n in zip(out.type.shape, shape, strict=True):
            fresh = isinstance(d, Var) and any(d in brought.get(o, ()) for o in outs)
            if isinstance(d, Var) and fresh and n is not None and n not in inside:
                env.setdefault(d, as_atom(n))


def common_shape(a: Type, b: Type) -> tuple[Dim | None, ...]:
    return tuple(n if same_dim(n, m) else None for n, m in zip(a.shape, b.shape, strict=True))


def as_atom(n: Dim) -> Atom:
    return Lit(n, Type("i8")) if isinstance(n, int) else n


def loosen(program: Program) -> Program:
    """`program` in which a size that is only read to stand in types is brought by what has it.

    A slice's size read from a history (`n = ns[i]`) is such: the slice has it, and the history goes. A sum has none of
    its own: its size is one of its operands', but which is known to be equal only where the primal looked.
    """
    used = {a for f in program.functions.values() for a in operands(f.body)}
    return refresh(with_functions(program, lambda f: loosened(f, used)))


def loosened(function: Function, used: set[Atom]) -> Function:
    read = {
        e.outs[0]: Var(e.outs[0].name, e.outs[0].type)
        for e in equations(function.body)
        if isinstance(e.op, Apply) and e.op.primitive.kind is Access.READ and e.outs[0].type.dtype == "i8"
    }
    first: dict[Dim, Equation] = {}  # with an array of this size
    for equation in equations(function.body):
        for size in (d for out in equation.outs for d in sizes(out.type)):
            first.setdefault(size, equation)
    env: Env = {
        old: new
        for old, new in read.items()
        if old not in used and not old.type.rank and old in first and brings_size(first[old])
    }
    return replace(function, body=substitute(function.body, env)) if env else function


def brings_size(equation: Equation) -> bool:
    """Whether an equation's array has a size that no operand has."""
    return not isinstance(equation.op, Apply) or equation.op.primitive.family != "elementwise"
