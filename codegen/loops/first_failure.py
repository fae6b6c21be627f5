"""Whether an iteration of a loop will fail, as a loop of its own: question : For -> equations, For.

    for i in range(n):                        failing = 0
        if x[i] < 0.0: raise ValueError       for i in range(n):
        y[i] = exp(x[i])               ->         failing += x[i] < 0.0

Threads can share both loops then, this one and the one without its checks; where an iteration fails, the loop runs as
it was written, and raises where it did. That is done where asking is little work beside the rest, hangs on nothing that
the loop writes, and reads nothing that only the checks make readable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from codegen import ir
from codegen.analysis.effects import may_end
from codegen.cost_model import CHECKING_SHARE
from codegen.ir import Apply, Atom, Block, Equation, For, Function, If, Lit, Type, Var, While
from codegen.ir.build import Builder
from codegen.ir.kinds import Effect
from codegen.ir.substitution import brought, free, sizes, substitute
from codegen.ir.traversal import equations, with_inner
from codegen.simplify import bounds_checks as bounds
from codegen.simplify.dead_code import dead_code
from codegen.simplify.driver import simplify

BOOL, INT = Type("b1"), Type("i8")


def question(
    loop: For, before: Sequence[Equation], work: Callable[[Block], float]
) -> tuple[Sequence[Equation], For] | None:
    """Equations, and the loop after them that counts the iterations that fail; None where that cannot be told.

    `before`: checks that have passed when the loop begins; work: what a block costs.
    """
    body, fails = asked(loop.body)
    failing = Var("failing", INT)
    b = Builder(checked=False)
    total = b.atom(b.wrap(failing) + b.apply("cast", b.wrap(fails), dtype="i8"))
    # an iteration sees of an array its own row alone, as it was before the loop
    after = [p if p.type.rank else r for p, r in zip(loop.carried, body.results, strict=True)]
    count = replace(
        loop,
        carried=(*loop.carried, failing),
        init=(*loop.init, Lit(0, INT)),
        body=Block((*body.equations, *b.equations), (*after, total)),
    )
    outs = tuple(Var(p.name, p.type) for p in count.carried)
    made = without_dead_code(Block((Equation(outs, count),), outs[-1:]))
    *first, last = made.equations or [Equation((), loop)]
    told = last.op
    if not isinstance(told, For) or made.results != last.outs or stateful(made):
        return None
    if work(told.body) > CHECKING_SHARE * work(loop.body) or not proved(before, made):
        return None
    return first, told


def asked(block: Block) -> tuple[Block, Atom]:
    """A block without its checks, its results as they were; and whether one of them would have failed."""
    b = Builder(checked=False)
    fails: list[Atom] = []
    for equation in block.equations:
        op = equation.op
        match op:
            case Apply(primitive, operands) if primitive.kind is Effect.CHECK:
                fails.append(b.atom(b.apply("not", b.wrap(operands[0]))))
                continue
            case Apply(primitive) if primitive.kind is Effect.FAIL:
                fails.append(Lit(True, BOOL))
                continue
            case If() if checks(op.then) or checks(op.orelse):
                sides = [asked(side) for side in (op.then, op.orelse)]
                then, orelse = (Block(s.equations, (*s.results, f)) for s, f in sides)
                found = Var("fails", BOOL)
                fails.append(found)
                equation = Equation((*equation.outs, found), If(op.test, then, orelse), equation.span)
            case For() if checks(op.body):
                own, found = Var("fails", BOOL), Var("fails", BOOL)
                inner, failed = asked(op.body)
                c = Builder(checked=False)
                either = c.atom(c.apply("or", c.wrap(own), c.wrap(failed)))
                body = Block((*inner.equations, *c.equations), (*inner.results, either))
                op = replace(op, carried=(*op.carried, own), init=(*op.init, Lit(False, BOOL)), body=body)
                fails.append(found)
                equation = Equation((*equation.outs, found), op, equation.span)
        b.equations.append(equation)
    some: Atom = Lit(False, BOOL)
    for each in fails:
        none = isinstance(some, Lit) and not some.value
        some = each if none else b.atom(b.apply("or", b.wrap(some), b.wrap(each)))
    return Block(tuple(b.equations), block.results), some


def calm(loop: For) -> For:
    """A loop without its checks, and without what only they need."""
    outs = tuple(Var(p.name, p.type) for p in loop.carried)
    block = unchecked(Block((Equation(outs, loop),), outs))
    program = ir.program({"calm": Function("calm", block_parameters(block), block)}, "calm")
    (equation,) = dead_code(program, explicit=True).entry.body.equations
    assert isinstance(equation.op, For)
    return equation.op


def unchecked(block: Block) -> Block:
    """A block without its checks, loops of unknown length as they are."""
    kept = (e for e in block.equations if not (isinstance(e.op, Apply) and e.op.primitive.stops))
    inner = (e if isinstance(e.op, While) else replace(e, op=with_inner(e.op, unchecked)) for e in kept)
    return replace(block, equations=tuple(inner))


def checks(block: Block) -> bool:
    """Whether something in a block may fail."""
    return any(isinstance(e.op, Apply) and e.op.primitive.stops for e in equations(block))


def without_dead_code(block: Block) -> Block:
    """A block with nothing that its results do not need."""
    given = block_parameters(block)
    program = ir.program({"question": Function("question", given, block)}, "question")
    made = simplify(program, explicit=True).entry
    back: dict[Var, Atom] = dict(zip(made.params, given, strict=True))
    for new, old in zip(made.params, given, strict=True):
        back |= zip(sizes(new.type), sizes(old.type))
    return substitute(made.body, back)


def block_parameters(block: Block) -> tuple[Var, ...]:
    """What is given to a block, the sizes of arrays aside, which these bring."""
    mentioned = free(block)
    own = brought(mentioned)
    return tuple(v for v in mentioned if v not in own)


def stateful(block: Block) -> bool:
    """Whether something is written, repeated without end or carried from iteration to iteration but their count."""
    loops = (e.op for e in block.equations if isinstance(e.op, For))
    writes = (isinstance(e.op, Apply) and e.op.primitive.writes for e in equations(block))
    endless = (isinstance(e.op, While) for e in equations(block))
    return any(len(loop.carried) != 1 for loop in loops) or any(writes) or any(endless)


def proved(before: Sequence[Equation], block: Block) -> bool:
    """Whether all indices in a block are in range after these checks."""
    whole = Block((*before, *block.equations), block.results)
    f = Function("question", block_parameters(whole), whole)
    return not any(may_end(e) for e in bounds.Checks(False).function(f).body.equations[len(before) :])
