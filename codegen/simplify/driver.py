"""Simplification: constants, copies, common subexpressions, algebra, loop invariants, dead code.

    for k in range(n):                       for k in range(n):
        a = 1.0 * x[k]                           a = x[k]
        b = x[k] + 0.0              ->           s = s + a * a
        s = s + a * b
        c = c

One walk forward over a function replaces each equation by something simpler where a rule (algebra.py,
load_forwarding.py) or an earlier equal equation gives it; dead_code.py then drops what became superfluous; both again
until nothing changes. Each walk is linear in the program: equal equations are found by hashing.

What stays: effects and their order; the values of floats (of derivatives, but for the sign of zero); separate
arrays where the program makes separate arrays (`zeros` twice is two arrays: each may be written in place). An
index read that is replaced or dead takes its bounds check with it, unless `bounds` made it explicit before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from enum import Enum
from typing import assert_never

from codegen import ir
from codegen.analysis.affine import offset_of
from codegen.analysis.effects import always_fails
from codegen.analysis.may_write import overwrites
from codegen.analysis.termination import refuse_endless
from codegen.emit.argument_stores import stored
from codegen.ir import Apply, Atom, Block, Call, For, Function, If, Lit, Program, Var, While
from codegen.ir.check import InternalError, is_asked_after_each_pass
from codegen.ir.kinds import MARKS, Effect
from codegen.ir.literals import range_size
from codegen.ir.substitution import renamed, substitute
from codegen.ir.traversal import all_equations, operands, with_inner
from codegen.simplify.algebra import dims, make, same_constant
from codegen.simplify.counters import without_counters
from codegen.simplify.dead_code import dead_code, effectful
from codegen.simplify.load_forwarding import GENERAL
from codegen.simplify.one_size import congruent_as_one
from codegen.simplify.sizes import known_sizes, sizes_that_stay
from codegen.simplify.unreached import fail_if_empty, is_last, leave_out, put_call
from codegen.simplify.value_numbering import Key, Scope, number_equation, part, reduce


def simplify(
    program: Program, *, drop: Collection[Enum] = (), signed: bool = True, explicit: bool = False
) -> Program:
    """`program` with the same results and effects, and less of everything else.

    `drop` has further kinds that are to be taken for their first operand: `MARKS`, once there is nothing left to
    differentiate (`without_marks`).

    `signed=False`: the signs of zeros do not matter, as in derivatives, so that `x + 0.0` is x.
    `explicit`: all that may fail has its check already, so that what is dropped needs none.
    """
    writes = bool(stored(program))
    program = without_counters(program)
    for _ in range(ROUNDS):
        program = congruent_as_one(program)
        acting = {name: program.functions[name] for name in effectful(program)}
        pure = set(program.functions) - set(acting)
        scopes = {
            name: Scope(acting, pure, frozenset(drop), use_counts(f.body), GENERAL, signed)
            for name, f in program.functions.items()
        }
        forward = {
            name: simplify_function(scopes[name], f, name == program.main, writes)
            for name, f in program.functions.items()
        }
        walked = refuse_endless(ir.program(forward, program.main))
        after = dead_code(walked, explicit=explicit)
        settled = extent(after) == extent(program) and not any(s.changed for s in scopes.values())
        program = after
        if settled:
            return program
    if is_asked_after_each_pass():
        raise InternalError(f"simplify does not settle {program.main!r}")
    return program


def without_marks(program: Program) -> Program:
    """Simplified, and without what only differentiation reads."""
    return simplify(program, drop=MARKS)


ROUNDS = 50  # each round brings a program nearer to its end; a few are usual, as many as loops are nested


def use_counts(block: Block) -> Counter[Var]:
    """How often each Var is mentioned as an operand or result."""
    return Counter(a for a in operands(block) if isinstance(a, Var))


def extent(program: Program) -> int:
    """Equations, outs and parameters: what dead code takes away."""
    params = sum(len(f.params) for f in program.functions.values())
    return params + sum(1 + len(e.outs) for e in all_equations(program))


def simplify_function(s: Scope, f: Function, main: bool, writes: bool) -> Function:
    """A function; `writes`: what the program writes into arguments is seen, as far as it came, if it fails."""
    params = tuple(s.bind(p) for p in f.params)
    if writes:
        s.kept.update(p for p in params if p.type.rank)
    body = simplify_block(s, f.body)
    return replace(f, params=params, body=with_separate_results(s, f, body) if main else body)


def with_separate_results(s: Scope, f: Function, body: Block) -> Block:
    """Arrays that have become a parameter, or one another, are copied: the caller may write into them."""
    seen: set[Atom] = {p for p in f.params if p not in f.body.results}
    results = []
    s.equations, s.span = list(body.equations), None
    for before, result in zip(f.body.results, body.results):
        if result.type.rank and result in seen and result is not before:
            out = Var(result.name if isinstance(result, Var) else "t", result.type)
            number_equation(s, out, make("copy", result))
            result = out
        seen.add(result)
        results.append(result)
    return Block(tuple(s.equations), tuple(results))


def simplify_block(s: Scope, b: Block, test: Atom | None = None, value: bool = True) -> Block:
    """A nested block, under the assumption that `test` has this value."""
    outside, s.equations = s.equations, []
    depth = len(s.undo)
    if test is not None:
        s.assume(test, value)
    simplify_equations(s, b)
    done = Block(tuple(s.equations), s.atoms(b.results))
    while len(s.undo) > depth:
        s.undo.pop()()
    s.equations = outside
    return done


def simplify_equations(s: Scope, b: Block) -> None:
    for k, equation in enumerate(b.equations):
        before = len(s.equations)
        s.span = equation.span
        match equation.op:
            case Apply() as op:
                simplify_apply(s, equation.outs, op)
            case Call() as op:
                simplify_call(s, equation.outs, op)
            case If() as op:
                branch(s, equation.outs, op)
            case For() as op:
                for_loop(s, equation.outs, op)
            case While() as op:
                while_loop(s, equation.outs, op)
            case _:
                assert_never(equation.op)
        raised = any(is_last(e.op, s.acting) for e in s.equations[before:])
        if raised and leave_out(s, b.equations[k + 1 :], b.results):
            return


# ---- primitives and calls ----


def simplify_apply(s: Scope, outs: tuple[Var, ...], op: Apply) -> None:
    operands = s.atoms(op.operands)
    if operands != op.operands:
        op = Apply(op.primitive, operands, op.params)
    if op.primitive.effect:
        simplify_effect(s, op)
    elif len(outs) != 1:
        s.push(tuple(s.bind(o) for o in outs), op)
    else:
        out = outs[0]
        for size, same in known_sizes(s, op, out):
            s.env[size], s.changed = same, True
        if fail_if_empty(s, out, op):
            return
        found = reduce(s, op, renamed(out.type, s.env), out)
        if isinstance(found, Apply):
            number_equation(s, s.bind(out), found)


def simplify_effect(s: Scope, op: Apply) -> None:
    """A check that is known to hold goes; where one was passed its test is known."""
    if op.primitive.kind is not Effect.CHECK:
        s.push((), op)
        return
    test = op.operands[0]
    if isinstance(test, Lit) and test.value:
        s.changed = True
        return
    s.push((), op)
    s.assume(test, True)


def simplify_call(s: Scope, outs: tuple[Var, ...], op: Call) -> None:
    """A call with the same operands gives the same, unless it acts."""
    op = Call(op.function, s.atoms(op.operands))
    k = (op.function, *(part(o) for o in op.operands))
    earlier = s.table.get(k)
    if earlier and len(earlier) == len(outs) and s.all_become(outs, tuple(earlier)):
        return
    if is_last(op, s.acting):
        put_call(s, outs, op)
        return
    new = tuple(s.bind(o) for o in outs)
    s.push(new, op)
    if not s.kept.isdisjoint(op.operands):
        s.kept.update(o for o in new if o.type.rank)
    if op.function in s.pure:
        s.enter(k, new)


# ---- branches ----


def branch(s: Scope, outs: tuple[Var, ...], op: If) -> None:
    test = s.atom(op.test)
    if isinstance(test, Lit):
        splice(s, outs, op.then if test.value else op.orelse)
        return
    span = s.span
    then, orelse = simplify_block(s, op.then, test, True), simplify_block(s, op.orelse, test, False)
    s.span = span
    seen: dict[Key, Var] = {}
    gone = set()
    for out, a, b in zip(outs, then.results, orelse.results):
        if (found := common_value(s, test, a, b) or seen.get((part(a), part(b)))) and s.become(out, found):
            gone.add(out)
        else:
            seen.setdefault((part(a), part(b)), out)
    left = [k for k, out in enumerate(outs) if out not in gone]
    then, orelse = (Block(b.equations, tuple(b.results[k] for k in left)) for b in (then, orelse))
    if left or then.equations or orelse.equations:
        new = tuple(s.bind(outs[k]) for k in left)
        s.push(new, If(test, then, orelse))
        s.kept.update(o for o, a, b in zip(new, then.results, orelse.results) if a in s.kept or b in s.kept)
    for side, value in ((then, False), (orelse, True)):
        if always_fails(side):
            s.assume(test, value)


def common_value(s: Scope, test: Atom, a: Atom, b: Atom) -> Atom | None:
    """The value of an out, where it does not take the If to know it."""
    if a is b or same_constant(a, b):
        return a
    if isinstance(a, Lit) and isinstance(b, Lit) and a.type.dtype == b.type.dtype == "b1":
        return test if a.value else s.emit("not", test)
    return None


def splice(s: Scope, outs: tuple[Var, ...], body: Block) -> None:
    """Run a block as part of the block around it."""
    span = s.span
    simplify_equations(s, body)
    s.span, s.changed = span, True
    for out, result in zip(outs, s.atoms(body.results)):
        settle_out(s, out, result)


def settle_out(s: Scope, out: Var, atom: Atom) -> None:
    """`out` is `atom`, by a copy of the right type where it must be."""
    if s.become(out, atom):
        return
    out = s.bind(out)
    shape = dims(out.type.shape)
    number_equation(
        s, out, make("broadcast_to", atom, *shape) if shape else make("cast", atom, dtype=out.type.dtype)
    )


# ---- loops ----


def for_loop(s: Scope, outs: tuple[Var, ...], op: For) -> None:
    start, stop, init = s.atom(op.start), s.atom(op.stop), s.atoms(op.init)
    trips = trip_count(start, stop, op.step, s.defs)
    if trips == 0:
        splice(s, outs, Block((), init))
        return
    if trips == 1 and s.all_become(op.carried, init):
        settle_out(s, op.index, start)
        splice(s, outs, op.body)
        return
    index = s.bind(op.index)
    if s.nonnegative(start) if op.step > 0 else isinstance(stop, Lit) and stop.value >= -1:
        s.counts.add(index)
    loop(s, outs, replace(op, index=index, start=start, stop=stop, init=init))


def trip_count(start: Atom, stop: Atom, step: int, made: Mapping[Var, Apply]) -> int | None:
    """How often a loop runs, if that is known."""
    if isinstance(start, Lit) and isinstance(stop, Lit):
        return range_size(start.value, stop.value, step)
    if isinstance(start, Var) and isinstance(stop, Var):
        (x, ahead), (y, further) = (offset_of(made.get(atom)) or (atom, 0) for atom in (start, stop))
        return range_size(ahead, further, step) if x is y else None
    return None


def while_loop(s: Scope, outs: tuple[Var, ...], op: While) -> None:
    init, test = s.atoms(op.init), op.cond.results[0]
    if isinstance(test, Lit) and not test.value and not op.cond.equations:
        splice(s, outs, Block((), init))
        return
    loop(s, outs, replace(op, init=init))


def loop(s: Scope, outs: tuple[Var, ...], op: For | While) -> None:
    """A loop that runs, whose bounds and initial values are what they are known to be."""
    span, init = s.span, op.init
    for size, same in sizes_that_stay(s, outs, op):
        s.env[size], s.changed = same, True
    invariant(s, outs, op.carried, init, op.body.results)
    arrays = [(c, first) for c, first in zip(op.carried, init) if c.type.shape]
    s.overwritten.update(first for c, first in arrays if overwrites(op.body, c))
    carried = tuple(s.bind(c) for c in op.carried)
    s.kept.update(c for c, first in zip(carried, init) if first in s.kept)
    op = replace(with_inner(op, lambda inner: simplify_block(s, inner)), carried=carried)
    s.span = span
    if found := invariants_of_body(s, outs, carried, init, op.body.results):
        op = with_inner(op, lambda inner: substitute(inner, found))
    new = tuple(s.bind(o) for o in outs)
    s.push(new, op)
    s.kept.update(o for o, first in zip(new, init) if first in s.kept)


def invariant(
    s: Scope, outs: tuple[Var, ...], carried: tuple[Var, ...], init: tuple[Atom, ...], nexts: tuple[Atom, ...]
) -> None:
    """A value carried round unchanged is its initial value, in the loop and after it."""
    for out, var, first, after in zip(outs, carried, init, nexts):
        if (after is var or same_constant(after, first)) and s.become(var, first):
            s.become(out, first)


def invariants_of_body(
    s: Scope, outs: tuple[Var, ...], carried: tuple[Var, ...], init: tuple[Atom, ...], nexts: tuple[Atom, ...]
) -> dict[Var, Atom]:
    """The same, seen only now that the body is simplified; and two values that are carried alike."""
    found: dict[Var, Atom] = {}
    seen: dict[Key, int] = {}
    for k, (out, var, first, after) in enumerate(zip(outs, carried, init, nexts)):
        if (after is var or same_constant(after, first)) and s.become(var, first):
            found[var] = s.env[var]
            s.become(out, first)
            continue
        twin = seen.setdefault((part(first), part(after)), k)
        if twin != k and s.become(var, carried[twin]):
            found[var] = carried[twin]
            s.become(out, outs[twin])
    return found
