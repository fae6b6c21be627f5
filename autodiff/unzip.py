"""unzip : (a, T a) -> (b, T b)  becomes  a -> (b, residuals)  and a linear (residuals, T a) -> T b

    def f_jvp(x, x_dot):               known:  s = 0.0              linear:  s_dot = 0.0
        s, s_dot = 0.0, 0.0                    for i in range(n):          for i in range(n):
        for i in range(n):                         ss[i] = s                   s = ss[i]
            t_dot = s_dot + x_dot[i]    ->         s = sin(s + x[i])           t_dot = s_dot + x_dot[i]
            s_dot = cos(s + x[i]) * t_dot                                      s_dot = cos(s + x[i]) * t_dot
            s = sin(s + x[i])

What depends on a tangent is linear, the rest known (Frostig et al. 2021, Radul et al. 2022). A loop
becomes two: the first carries the known values and saves what a cut chooses, the second takes it from
there, runs again what lies between the cut and the linear equations, and carries the tangents. The cut
decides what is stored and what is run again; that is all there is to checkpointing (see policy.py). A
`while` is counted first and is a `for` from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from autodiff import recursion
from autodiff.activity import Activity, Key, Mask, depends, mask_of
from autodiff.loops.residual_arrays import Rows, dim, named
from autodiff.loops.write_hazards import Overwritten, Ranges, chain
from autodiff.markers import is_checkpointed
from autodiff.policy import NONE, Policy, draws
from autodiff.rematerialisation import (
    GROWING,
    RAGGED_DRAW,
    Split,
    Unbounded,
    condition,
    fillers,
    hoist,
    inside,
    keep,
    own_stream,
    parted,
    quiet,
    reads_histories,
    recursive,
    storable,
)
from autodiff.sizes.parameters import explicit
from autodiff.sizes.scope import bound, brings, free, fresh_name, mentioned, mentions, refresh
from codegen import ir
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Program, Var, While
from codegen.ir.build import I8, Builder
from codegen.ir.check import check
from codegen.ir.substitution import binders, blocks, sizes, substitute
from codegen.recursion.entry_point import equations
from codegen.source import refuse


class Unzipped(NamedTuple):
    """`flags`: which results are linear."""

    known: Program
    linear: Program
    flags: Mask


def unzip(program: Program, linear: Mask, save: Policy) -> Unzipped:
    """`program`, linear in the parameters chosen by `linear`, as a known and a linear program.

    known  : (other parameters) -> (results that do not depend on linear ones, *residuals)
    linear : (*residuals, linear parameters) -> (results that do)
    """
    parts = Unzip(program, linear, save).entry()
    entry = parts.function
    free_ = mentioned(parts.mixed, parts.brought)
    residuals = [v for v in (*free_, *known_results(parts)) if v not in parts.active]
    residuals += [d for p in parts.params for d in sizes(p.type)]
    # Scalars first: sizes, which the arrays' types mention.
    kept = tuple(sorted(dict.fromkeys(residuals), key=lambda v: v.type.rank))
    known_params = tuple(p for p in entry.params if p not in parts.active)
    outs = (*(r for r, flag in zip(entry.body.results, parts.flags) if not flag), *kept)
    known = replace(entry, params=known_params, body=Block(tuple(parts.known), outs))
    results = tuple(r for r, flag in zip(entry.body.results, parts.flags) if flag)
    name = fresh_name(f"{entry.name}_linear", parts.functions)
    body = Block(tuple(parts.mixed), results)
    second = replace(entry, name=name, params=(*kept, *parts.params), body=body)
    first_program = refresh(ir.program({**parts.functions, known.name: known}, known.name))
    second_program = refresh(ir.program({**parts.functions, name: second}, name))
    check(first_program, after="unzip (known)")
    return Unzipped(first_program, check(second_program, after="unzip (linear)"), parts.flags)


def has_tangents(equation: Equation, act: Activity) -> bool:
    """Whether an equation hands tangents to a function, or has one inside that does, or that makes some."""
    inner = [e for block in blocks(equation.op) for e in equations(block)]
    calls = (e.op for e in (equation, *inner) if isinstance(e.op, Call))
    return any(any(mask_of(op, act)) for op in calls) or any(not act.active.isdisjoint(e.outs) for e in inner)


def known_results(parts: Parts) -> list[Var]:
    """The Vars among the linear results that are no more than zeros, known."""
    results = parts.function.body.results
    return [r for r, flag in zip(results, parts.flags) if flag and isinstance(r, Var)]


@dataclass(eq=False)
class Parts:
    """The two halves of the main function, and the functions both call.

    `flags` says which results are linear, `params` are the linear parameters; `linear` has the linear
    Vars of each function that has any, by name, `active` those of the main one.
    """

    function: Function
    known: list[Equation]
    mixed: list[Equation]
    flags: Mask
    params: tuple[Var, ...]
    active: set[Var]
    functions: dict[str, Function]
    linear: dict[str, set[Var]]
    brought: dict[Var, tuple[Var, ...]]


@dataclass(eq=False)
class Halves:
    """What a call becomes: the known function (its results end with what it saves) and the linear one."""

    known: str
    linear: str
    saved: tuple[Var, ...] | None = None  # None while the body is being made


@dataclass(eq=False)
class Cut:
    """`wanted`: all that is mentioned; `failed`: arrays of which spoilt values would have to be run again."""

    again: list[Equation]
    saved: list[Var]
    wanted: dict[Var, None]
    failed: set[Var] = field(default_factory=set)


Body = tuple[list[Equation], list[Equation], list[Equation], Cut]  # hoisted, known, mixed


@dataclass(eq=False)
class Unzip:
    """The pass over a program, and what it has made so far.

    given  versions of arrays of the enclosing loops that need not be made again (see write_hazards.py)
    kept   reads of them that are spoilt
    """

    program: Program
    mask: Mask
    policy: Policy
    functions: dict[str, Function] = field(default_factory=dict)
    linear: dict[str, set[Var]] = field(default_factory=dict)
    memo: dict[Key, Halves] = field(default_factory=dict)
    given: set[Var] = field(default_factory=set)
    kept: set[Equation] = field(default_factory=set)
    rows: dict[Key, recursion.Rows | None] = field(default_factory=dict)

    def entry(self) -> Parts:
        program = self.program = explicit(self.program, self.mask)
        self.table = depends(program, program.main, self.mask)
        self.brought = {d: b for f in program.functions.values() for d, b in brings(f).items()}
        self.ranges = Ranges(program)
        self.functions.update(program.functions)
        activity = self.table[program.main, self.mask]
        known, mixed = self.split(program.entry.body.equations, activity)
        params = tuple(p for p, flag in zip(program.entry.params, self.mask) if flag)
        return Parts(
            program.entry,
            known,
            mixed,
            activity.results,
            params,
            activity.active,
            self.functions,
            self.linear,
            self.brought,
        )

    def split(self, equations: Sequence[Equation], act: Activity) -> Split:
        """The known equations, and the linear ones: what they read of the known ones crosses."""
        known: list[Equation] = []
        mixed: list[Equation] = []
        for equation in equations:
            op = equation.op
            if not any(out in act.active for out in equation.outs):
                known += self.without_tangents(equation, act)
            elif isinstance(op, Apply):
                mixed.append(equation)
            else:
                first, second = self.parted(equation, act)
                known += first
                mixed += second
        return known, mixed

    def without_tangents(self, equation: Equation, act: Activity) -> list[Equation]:
        """An equation that gives no tangents, without those inside it: calls that are only made for their effects."""
        op = equation.op
        if not has_tangents(equation, act):
            return [equation]
        match op:
            case Call():
                return self.call(equation, op, act)[0]
            case If():
                op = replace(op, then=self.known_half(op.then, act), orelse=self.known_half(op.orelse, act))
            case For():
                op = replace(op, body=self.known_half(op.body, act))
            case While():
                op = replace(op, cond=self.known_half(op.cond, act), body=self.known_half(op.body, act))
        return [replace(equation, op=op)]

    def known_half(self, block: Block, act: Activity) -> Block:
        return Block(tuple(self.split(block.equations, act)[0]), block.results)

    def parted(self, equation: Equation, act: Activity) -> Split:
        match equation.op:
            case If():
                return self.branches(equation, equation.op, act)
            case For() | While() as loop:
                make = self.loop if isinstance(loop, For) else self.counted
                try:
                    return make(equation, loop, act)  # type: ignore[arg-type]
                except Unbounded:
                    return self.unbounded(equation, loop, act)
            case Call():
                return self.call(equation, equation.op, act)
            case _:
                raise AssertionError(equation.op)

    # what is saved and what is run again

    def cut(
        self,
        known: list[Equation],
        mixed: list[Equation],
        results: Iterable[Atom],
        inside: set[Var],
        policy: Policy,
        over: Overwritten | None = None,
    ) -> Cut:
        """What is saved and what is run again of the known equations, for the mixed ones and linear results.

        `inside`: what is bound in the scope at hand; a value whose size is among it cannot be saved.
        """
        wanted = mentioned(mixed, self.brought)
        wanted.update((r, None) for r in results if isinstance(r, Var))
        made = Cut([], [], wanted)
        for equation in reversed(known):
            asked = [v for v in bound(equation, self.brought) if v in wanted and v not in self.given]
            if not asked:
                continue
            spoilt = over.spoilt(equation) if over else set()
            if spoilt or policy.saves(equation) or draws(equation) or self.keeps(equation):
                if all(storable(v, inside) for v in asked):
                    made.saved[:0] = asked
                    continue
                if draws(equation):
                    raise refuse(equation.span, RAGGED_DRAW)
            made.failed |= spoilt
            made.again.insert(0, quiet(equation))
            wanted.update(mentions(equation, self.brought))
        if over:
            made.failed.update(p for equation in mixed for p in over.spoilt(equation))
        return made

    def keeps(self, equation: Equation) -> bool:
        """Is it, or does a branch in it hold, a read that a later write spoils?"""
        if isinstance(equation.op, If):
            return any(self.keeps(e) for side in blocks(equation.op) for e in side.equations)
        return equation in self.kept

    # the four kinds of scope

    def branches(self, equation: Equation, op: If, act: Activity) -> Split:
        flags = tuple(out in act.active for out in equation.outs)
        sides = []
        for block in (op.then, op.orelse):
            known, mixed = self.split(block.equations, act)
            _, linear_results = parted(block.results, flags)
            made = self.cut(known, mixed, linear_results, inside(known, self.brought), self.policy)
            sides.append((known, mixed, made.again, made.saved))
        (known_a, mixed_a, again_a, saved_a), (known_b, mixed_b, again_b, saved_b) = sides
        results_a, linear_a = parted(op.then.results, flags)
        results_b, linear_b = parted(op.orelse.results, flags)
        extra_a, filler_a = fillers(saved_b)
        extra_b, filler_b = fillers(saved_a)
        then = Block((*known_a, *extra_a), (*results_a, *saved_a, *filler_a))
        orelse = Block((*known_b, *extra_b), (*results_b, *filler_b, *saved_b))
        known_outs, linear_outs = parted(equation.outs, flags)
        first = Equation((*known_outs, *saved_a, *saved_b), If(op.test, then, orelse), equation.span)
        second_op = If(op.test, Block((*again_a, *mixed_a), linear_a), Block((*again_b, *mixed_b), linear_b))
        return keep(first), [Equation(linear_outs, second_op, equation.span)]

    def loop(self, equation: Equation, op: For, act: Activity) -> Split:
        flags = tuple(out in act.active for out in equation.outs)
        known_outs, linear_outs = parted(equation.outs, flags)
        carried, linear_carried = parted(op.carried, flags)
        init, linear_init = parted(op.init, flags)
        results, linear_results = parted(op.body.results, flags)
        over = self.overwritten(op, carried, results)
        hoisted, known, mixed, made = self.body(op, act, linear_results, over)
        while made.failed:
            over = over.without(made.failed)
            hoisted, known, mixed, made = self.body(op, act, linear_results, over)
        finished = {
            v: out
            for p, out in zip(carried, known_outs, strict=True)
            if p in over.chains
            for v in over.chains[p].versions
        }
        entry = [p for p in carried if p in made.wanted and p not in over.chains]
        for p in entry:
            if not storable(p, inside(known, self.brought) | set(self.brought.get(p, ()))):
                raise refuse(equation.span, GROWING.format(name=p.name))
        b = Builder(span=equation.span, checked=False)
        rows = Rows(b, op, [*entry, *made.saved], self.ranges, named(known))
        if self.policy.known_sizes and not rows.known_size:
            raise Unbounded
        first_body = Block((*rows.saves(entry), *rows.saved_after(known)), (*results, *rows.results))
        first = replace(
            op,
            carried=(*carried, *rows.params),
            init=(*init, *rows.init),
            body=first_body,
            kind=rows.kind(op),
        )
        again = substitute(Block((*made.again, *mixed), linear_results), finished)
        second_body = Block((*rows.loads(), *again.equations), again.results)
        second = replace(op, carried=linear_carried, init=linear_init, body=second_body)
        equations = [*hoisted, *b.equations, *keep(Equation((*known_outs, *rows.outs), first, equation.span))]
        return equations, [Equation(linear_outs, second, equation.span)]

    def body(self, op: For, act: Activity, linear_results: tuple[Atom, ...], over: Overwritten) -> Body:
        """A loop's body in two, and the cut between them."""
        given, kept = self.given, self.kept
        self.given = given | set(over.versions)
        self.kept = kept | set(over.to_keep(op.body.equations))
        known, mixed = self.split(op.body.equations, act)
        hoisted, known = hoist(known, set(binders(op)), self.brought)
        here = inside(known, self.brought) | set(binders(op))
        made = self.cut(known, mixed, linear_results, here, self.policy, over)
        self.given, self.kept = given, kept
        return hoisted, known, mixed, made

    def overwritten(self, op: For, carried: tuple[Var, ...], results: tuple[Atom, ...]) -> Overwritten:
        """The known arrays that the loop writes in place, less than a whole array an iteration."""
        arrays = [(p, r) for p, r in zip(carried, results, strict=True) if p.type.rank]
        found = {p: c for p, r in arrays if (c := chain(op.body, p, r)) and c.depth < p.type.rank}
        return Overwritten(op, found, self.ranges)

    def counted(self, equation: Equation, op: While, act: Activity) -> Split:
        """A while, counting, and the for that repeats it where values of its iterations are wanted."""
        flags = tuple(out in act.active for out in equation.outs)
        known_outs, _ = parted(equation.outs, flags)
        count, n = Var("count", I8), Var("n", I8)
        self.ranges.sizes.add(n)
        self.ranges.cap_count(n, op)
        body = Builder(span=equation.span, checked=False)
        body.equations += self.split(op.body.equations, act)[0]
        after = body.apply("add", body.wrap(count), 1, name="count")
        (carried, _), (init, _), (results, _) = (
            parted(v, flags) for v in (op.carried, op.init, op.body.results)
        )
        loop = While((*carried, count), (*init, Lit(0, I8)), op.cond, body.block((*results, after)))
        b = Builder(span=equation.span, checked=False)
        quiet_body = Block(tuple(quiet(e) for e in op.body.equations if e.outs), op.body.results)
        again = tuple(own_stream(b, u) for u in op.init)
        repeat = For(Var("k", I8), Lit(0, I8), n, 1, op.carried, again, quiet_body)
        outs = tuple(o if flag else Var(o.name, o.type) for o, flag in zip(equation.outs, flags, strict=True))
        first, second = self.loop(Equation(outs, repeat, equation.span), repeat, act)
        same = dict(zip(parted(outs, flags)[0], known_outs, strict=True))
        second = list(substitute(Block(tuple(second), ()), same).equations)
        b.emit((*known_outs, n), loop)
        return [*b.equations, *(first if reads_histories(second[0], first, self.brought) else [])], second

    def unbounded(self, equation: Equation, op: For | While, act: Activity) -> Split:
        """A loop of unknown length: the linear half is a function that calls itself for the next iteration.

        def loop(x, x_dot):                  x: known carried values, x_dot: linear ones
            if not cond(x): return x_dot
            return loop(next(x), D(x, x_dot))
        """
        flags = tuple(out in act.active for out in equation.outs)
        (carried, dots), (init, init_dots) = parted(op.carried, flags), parted(op.init, flags)
        (results, result_dots) = parted(op.body.results, flags)
        known_outs, linear_outs = parted(equation.outs, flags)
        known, mixed = self.split(op.body.equations, act)
        if any(draws(e) for e in known):
            raise refuse(equation.span, RAGGED_DRAW)
        first = replace(op, carried=carried, init=init, body=Block(tuple(known), results))
        again = [quiet(e) for e in known if e.outs]
        test, cond, counter, begin, after = condition(op)
        inside = Block(
            (*cond, *again, *after.equations, *mixed), (test, *results, *after.results, *result_dots)
        )
        read = [v for v in free(inside, self.brought) if v not in (*counter, *carried, *dots)]
        read += [d for v in (*carried, *dots) for d in sizes(v.type) if d not in read]
        others = sorted((v for v in read if v not in act.active), key=lambda v: v.type.rank)
        linear = [v for v in read if v in act.active]
        taken = self.taken()
        name = fresh_name(f"{self.program.main.removesuffix('_jvp')}_loop_linear", taken)
        deeper = tuple(Var(d.name, d.type) for d in dots)
        ends = tuple(Var(d.name, d.type) for d in dots)
        onward = Call(name, (*others, *after.results, *results, *linear, *result_dots))
        then = Block((*again, *after.equations, *mixed, Equation(deeper, onward)), deeper)
        body = Block((*cond, Equation(ends, If(test, then, Block((), dots)), equation.span)), ends)
        params = (*others, *counter, *carried, *linear, *dots)
        self.functions[name] = Function(name, params, body, equation.span)
        self.linear[name] = act.active | set(deeper) | set(ends)
        second = Call(name, (*others, *begin, *init, *linear, *init_dots))
        return keep(Equation(known_outs, first, equation.span)), [
            Equation(linear_outs, second, equation.span)
        ]

    def call(self, equation: Equation, op: Call, act: Activity) -> Split:
        mask = mask_of(op, act)
        if (rows := self.recursion((op.function, mask))) is not None:
            return recursion.call(self, rows, equation, op, act, mask)
        flags = self.table[op.function, mask].results
        halves = self.halves((op.function, mask), equation)
        known_outs, linear_outs = parted(equation.outs, flags)
        operands, linear_operands = parted(op.operands, mask)
        saved = self.saved_outs(op, halves.saved or ())
        first = Equation((*known_outs, *saved), Call(halves.known, operands), equation.span)
        second = Call(halves.linear, (*operands, *saved, *linear_operands))
        return [first], [Equation(linear_outs, second, equation.span)]

    def recursion(self, key: Key) -> recursion.Rows | None:
        """The functions of a function that calls itself and keeps a row a call; None for others."""
        if key not in self.rows:
            keeps = not self.policy.known_sizes and recursion.keeps_rows(self, key)
            self.rows[key] = recursion.make(self, key) if keeps else None
        return self.rows[key]

    def taken(self) -> set[str]:
        """The names of functions that are in use."""
        made = {n for h in self.memo.values() for n in (h.known, h.linear)}
        rows = {n for r in self.rows.values() if r for n in (r.count, r.known, r.linear)}
        return {*self.functions, *made, *rows}

    def halves(self, key: Key, at: Equation) -> Halves:
        """The two functions that a function becomes under a mask."""
        if key in self.memo:
            return self.memo[key]
        source, mask = self.program.functions[key[0]], key[1]
        base = key[0].removesuffix("_jvp")
        act = self.table[key]
        taken = self.taken()
        known_name = fresh_name(base, taken)
        halves = self.memo[key] = Halves(known_name, fresh_name(f"{base}_linear", {*taken, known_name}))
        known, mixed = self.split(source.body.equations, act)
        params, linear_params = parted(source.params, mask)
        results, linear_results = parted(source.body.results, act.results)
        loops = recursive(self.program, key[0])
        again = loops or is_checkpointed(source.body)
        here = inside(known, self.brought)
        made = self.cut(known, mixed, linear_results, here, NONE if again else self.policy)
        saved = made.saved
        if saved and loops:
            raise refuse(
                at.span, f"{base} draws random numbers and calls itself: its derivative is not supported"
            )
        halves.saved = tuple(saved)
        first = replace(
            source, name=halves.known, params=params, body=Block(tuple(known), (*results, *saved))
        )
        second = replace(
            source,
            name=halves.linear,
            params=(*params, *saved, *linear_params),
            body=Block((*made.again, *mixed), linear_results),
        )
        self.functions[halves.known], self.functions[halves.linear] = first, second
        self.linear[halves.linear] = act.active
        return halves

    def saved_outs(self, op: Call, saved: tuple[Var, ...]) -> tuple[Var, ...]:
        """Vars of the caller for what the callee saves; its sizes are those of the operands, or new."""
        params = self.program.functions[op.function].params
        env: dict[Any, Any] = dict(zip(params, op.operands, strict=True))
        for param, operand in zip(params, op.operands, strict=True):
            env.update(zip(param.type.shape, operand.type.shape, strict=True))
        outs = []
        for var in saved:
            new = {d: Var(d.name, d.type) for d in sizes(var.type) if d not in env}
            env.update(new)
            shape = tuple(d if isinstance(d, int) else dim(env[d]) for d in var.type.shape)
            out = Var(var.name, replace(var.type, shape=shape))
            if new:
                self.brought[out] = tuple(new.values())
            outs.append(out)
        return tuple(outs)
