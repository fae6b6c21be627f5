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

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from autodiff import recursion
from autodiff.activity import Activity, Key, Mask, depends, mask_of
from autodiff.calls import CallHalves, split_call
from autodiff.cut import Partition, partition
from autodiff.loops.affine_bounds import AffineBounds
from autodiff.loops.dependences import Dependences
from autodiff.loops.ragged_histories import by_shape, made_together
from autodiff.loops.residual_arrays import Histories, history_names
from autodiff.loops.unknown_length import split_unbounded, split_while
from autodiff.loops.write_hazards import Overwritten, chain
from autodiff.policy import Policy
from autodiff.rematerialisation import (
    Split,
    Unbounded,
    fillers,
    hoisted_sizes,
    inside,
    parted,
    resized,
    storable,
    unless_idle,
)
from autodiff.sizes.invariant import Growing
from autodiff.sizes.linear import with_sizes_known
from autodiff.sizes.parameters import explicit
from autodiff.sizes.scope import fresh_name, mentioned, program_brings, refresh
from codegen import ir
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Program, Var, While
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.substitution import binders, sizes, substitute
from codegen.ir.traversal import with_inner, within


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
    halves = Unzip(program, linear, save)
    known, mixed = halves.entry()
    entry, flags = halves.program.entry, halves.activity.results
    active = halves.activity.active
    params = tuple(p for p in entry.params if p in active)
    results, dots = parted(entry.body.results, flags)
    read = (
        *mentioned(mixed, halves.brought),
        *(d for d in dots if isinstance(d, Var)),
    )  # a result may be zeros, known
    residuals = [v for v in read if v not in active] + [d for p in params for d in sizes(p.type)]
    # Scalars first: sizes, which the arrays' types mention.
    kept = tuple(sorted(dict.fromkeys(residuals), key=lambda v: v.type.rank))
    others = tuple(p for p in entry.params if p not in active)
    first = replace(entry, params=others, body=Block(tuple(known), (*results, *kept)))
    name = fresh_name(f"{entry.name}_linear", halves.functions)
    second = replace(entry, name=name, params=(*kept, *params), body=Block(tuple(mixed), dots))
    first_program = refresh(ir.program({**halves.functions, first.name: first}, first.name))
    second_program = refresh(ir.program({**halves.functions, name: second}, name))
    check(first_program, after="unzip (known)")
    return Unzipped(first_program, check(second_program, after="unzip (linear)"), flags)


def has_tangents(equation: Equation, act: Activity) -> bool:
    """Whether an equation hands tangents to a function, or has one inside that does, or that makes some."""
    _, *inner = within(equation)
    calls = (e.op for e in (equation, *inner) if isinstance(e.op, Call))
    return any(any(mask_of(op, act)) for op in calls) or any(not act.active.isdisjoint(e.outs) for e in inner)


Body = tuple[list[Equation], list[Equation], list[Equation], Partition]  # hoisted, known, mixed


@dataclass(eq=False)
class Unzip:
    """The pass over a program, and what it has made so far.

    linear the linear Vars of each function that has any, by name
    given  versions of arrays of the enclosing loops that need not be made again (see write_hazards.py)
    kept   reads of them that are spoilt
    around what the innermost loop around writes in place
    histories  what loops have kept so far
    lost   ints in arrays whose size changes from iteration to iteration: what is read of them is kept
    """

    program: Program
    mask: Mask
    policy: Policy
    functions: dict[str, Function] = field(default_factory=dict)
    linear: dict[str, set[Var]] = field(default_factory=dict)
    memo: dict[Key, CallHalves] = field(default_factory=dict)
    given: set[Var] = field(default_factory=set)
    kept: set[Equation] = field(default_factory=set)
    around: Overwritten | None = None
    histories: set[Var] = field(default_factory=set)
    lost: set[Var] = field(default_factory=set)
    rows: dict[Key, recursion.CallRows | None] = field(default_factory=dict)

    def entry(self) -> Split:
        """The two halves of the main function; `functions` has those that they call."""
        program = self.program = with_sizes_known(explicit(self.program, self.mask), self.mask)
        self.table = depends(program, program.main, self.mask)
        self.activity = self.table[program.main, self.mask]
        self.brought = program_brings(program)
        self.ranges = AffineBounds(program)
        self.dependences = Dependences(self.ranges)
        self.functions.update(program.functions)
        return self.split(program.entry.body.equations, self.activity)

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
        if isinstance(op, Call):
            return split_call(self, equation, op, act)[0]
        return [replace(equation, op=with_inner(op, lambda inner: self.known_half(inner, act)))]

    def known_half(self, block: Block, act: Activity) -> Block:
        return Block(tuple(self.split(block.equations, act)[0]), block.results)

    def parted(self, equation: Equation, act: Activity) -> Split:
        match equation.op:
            case If():
                return self.branches(equation, equation.op, act)
            case For() | While() as loop:
                try:
                    if isinstance(loop, For):
                        return self.loop(equation, loop, act)
                    return split_while(self, equation, loop, act)
                except Unbounded:
                    return split_unbounded(self, equation, loop, act)
            case Call():
                return split_call(self, equation, equation.op, act)
            case _:
                raise AssertionError(equation.op)

    # the four kinds of scope

    def branches(self, equation: Equation, op: If, act: Activity) -> Split:
        flags = tuple(out in act.active for out in equation.outs)
        sides, sized = [], set[Var]()
        for block in (op.then, op.orelse):
            known, mixed = self.split(block.equations, act)
            _, linear_results = parted(block.results, flags)
            here = inside(known, self.brought)
            made = partition(self, known, mixed, linear_results, here, self.policy, around=self.around)
            sized |= made.sized
            sides.append((known, mixed, made.again, made.saved))
        (known_a, mixed_a, again_a, saved_a), (known_b, mixed_b, again_b, saved_b) = sides
        results_a, linear_a = parted(op.then.results, flags)
        results_b, linear_b = parted(op.orelse.results, flags)
        extra_a, filler_a = fillers(saved_b, sized)
        extra_b, filler_b = fillers(saved_a, sized)
        then = Block((*known_a, *extra_a), (*results_a, *saved_a, *filler_a))
        orelse = Block((*known_b, *extra_b), (*results_b, *filler_b, *saved_b))
        known_outs, linear_outs = parted(equation.outs, flags)
        first = Equation((*known_outs, *saved_a, *saved_b), If(op.test, then, orelse), equation.span)
        second_op = If(op.test, Block((*again_a, *mixed_a), linear_a), Block((*again_b, *mixed_b), linear_b))
        return unless_idle(first), [Equation(linear_outs, second_op, equation.span)]

    def loop(self, equation: Equation, op: For, act: Activity) -> Split:
        flags = tuple(out in act.active for out in equation.outs)
        known_outs, linear_outs = parted(equation.outs, flags)
        carried, linear_carried = parted(op.carried, flags)
        init, linear_init = parted(op.init, flags)
        results, linear_results = parted(op.body.results, flags)
        own = {d for p in linear_carried for d in self.brought.get(p, ())}
        over, body, ragged = self.halved(
            op, act, linear_results, self.overwritten(op, carried, results), carried
        )
        hoisted, known, mixed, made = body
        finished = {
            v: out
            for p, out in zip(carried, known_outs, strict=True)
            if p in over.chains
            for v in over.chains[p].versions
        }
        if ragged and not self.policy.ragged:
            raise Growing.called(ragged[0].name, equation.span)
        lengths = {n for p in ragged if p.type.rank == 1 for n in p.type.shape}  # which such a vector brings
        wanted = (own | set(made.wanted)) - lengths
        entry = [p for p in carried if p in wanted and p not in over.chains]
        changing = self.bound_inside(op, known)
        drawn = [v for v in made.saved if v not in made.parts and not storable(v, changing)]
        b = Builder(span=equation.span, checked=False)
        rows = Histories(
            b,
            op,
            [*entry, *made.saved],
            self.ranges,
            history_names(known),
            made.parts,
            self.brought,
            ragged=[*by_shape(ragged), *made_together(known, drawn)],
            tangent_sizes=own,
        )
        self.histories.update(rows.outs[: len(rows.variables)])
        if self.policy.known_sizes and not rows.known_size:
            raise Unbounded
        first_body = Block(
            (*rows.saves(entry), *rows.saved_after(known, self.histories)), (*results, *rows.results)
        )
        first = replace(
            op,
            carried=(*carried, *rows.params),
            init=(*init, *rows.init),
            body=first_body,
            kind=rows.kind(op),
        )
        again = substitute(Block((*rows.reloaded(made.again), *mixed), linear_results), finished)
        second_body = Block((*rows.loads(), *again.equations), again.results)
        second = replace(op, carried=linear_carried, init=linear_init, body=second_body)
        equations = [
            *hoisted,
            *b.equations,
            *unless_idle(Equation((*known_outs, *rows.outs), first, equation.span)),
        ]
        return equations, [Equation(linear_outs, second, equation.span)]

    def halved(
        self,
        op: For,
        act: Activity,
        linear_results: tuple[Atom, ...],
        over: Overwritten,
        carried: tuple[Var, ...],
    ) -> tuple[Overwritten, Body, list[Var]]:
        """A loop's body in two, what of its writes can be spared, and the arrays of changing sizes that are kept."""
        body = self.body(op, act, linear_results, over)
        while body[-1].failed:
            over = over.without(body[-1].failed)
            body = self.body(op, act, linear_results, over)
        ragged = self.changing_at_entry(carried, body, over, op)
        if ragged:  # arrays of which sizes alone are asked need not be kept
            less = self.body(op, act, linear_results, over, sizes_alone=True)
            if len(fewer := self.changing_at_entry(carried, less, over, op)) < len(ragged):
                return over, less, fewer
        return over, body, ragged

    def changing_at_entry(
        self, carried: tuple[Var, ...], body: Body, over: Overwritten, op: For
    ) -> list[Var]:
        """The carried known arrays that are kept and whose size is not known before the loop."""
        _, known, _, made = body
        changing = self.bound_inside(op, known)
        kept = [p for p in carried if p in made.wanted and p not in over.chains]
        return [p for p in kept if not storable(p, changing)]

    def bound_inside(self, op: For, known: list[Equation]) -> set[Var]:
        """What a loop's body binds, the sizes of what it carries among it."""
        own = binders(op)
        return inside(known, self.brought).union(own, *(self.brought.get(p, ()) for p in own))

    def body(
        self,
        op: For,
        act: Activity,
        linear_results: tuple[Atom, ...],
        over: Overwritten,
        *,
        sizes_alone: bool = False,
    ) -> Body:
        """A loop's body in two, and the cut between them. `sizes_alone`: see `partition`."""
        given, kept, lost, around = self.given, self.kept, self.lost, self.around
        self.around = over
        self.lost = lost | resized(op, self.brought)
        self.given = given | set(over.versions)
        self.kept = kept | set(over.to_keep(op.body.equations, everywhere=self.policy.ragged))
        known, mixed = self.split(op.body.equations, act)
        hoisted, known = hoisted_sizes(known, set(binders(op)), self.brought)
        here = self.bound_inside(op, known)
        made = partition(self, known, mixed, linear_results, here, self.policy, over, sizes_alone=sizes_alone)
        self.given, self.kept, self.lost, self.around = given, kept, lost, around
        return hoisted, known, mixed, made

    def overwritten(self, op: For, carried: tuple[Var, ...], results: tuple[Atom, ...]) -> Overwritten:
        """The known arrays that the loop writes in place."""
        arrays = [(p, r) for p, r in zip(carried, results, strict=True) if p.type.rank]
        is_short, guards = self.ranges.is_short, self.ranges.guards.get(op, ())
        found = {p: c for p, r in arrays if (c := chain(op.body, p, r, is_short, guards))}
        return Overwritten(op, found, self.dependences)

    def recursion(self, key: Key) -> recursion.CallRows | None:
        """The functions of a function that calls itself and keeps a row a call; None for others."""
        if key not in self.rows:
            keeps = not self.policy.known_sizes and recursion.keeps_rows(self, key)
            self.rows[key] = recursion.enter_rows(self, key) if keeps else None
        return self.rows[key]

    def taken(self) -> set[str]:
        """The names of functions that are in use."""
        made = {n for h in self.memo.values() for n in (h.known, h.linear)}
        rows = {n for r in self.rows.values() if r for n in (r.count, r.known, r.linear)}
        return {*self.functions, *made, *rows}
