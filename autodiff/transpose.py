"""transpose : linear a -> b  becomes  b -> a

    def f(c, x_dot, y_dot):              def f_transposed(c, z_bar):
        t = c * x_dot                        t_bar = z_bar
        z_dot = t + y_dot          ->        y_bar = z_bar
        return z_dot                         x_bar = c * t_bar
                                             return x_bar, y_bar

Known equations run forwards as they stand, then the linear ones backwards: each hands the cotangent of
its result to its operands. Reading an element becomes adding to it in place (`x_bar[i] += y_bar`), never
a dense array; writing one becomes reading it and leaving zero. A loop becomes the loop in the opposite
order: cotangents of carried values are carried back, those of values from outside accumulate. A branch
becomes a branch, a call a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, assert_never

import numpy as np

from autodiff.activity import Mask, depends
from autodiff.cotangents import Cotangents, bar
from autodiff.loops.accumulation import emit_reduced
from autodiff.loops.affine_bounds import AffineBounds
from autodiff.loops.dependences import Dependences
from autodiff.loops.history_sizes import iteration_count
from autodiff.markers import BACK, KEPT_SIZE
from autodiff.policy import Policy
from autodiff.sizes.scope import Brings, bound, fresh_name, mentions, program_brings, refresh
from autodiff.unzip import Unzip
from codegen import ir
from codegen.analysis.affine import offset_of
from codegen.analysis.calls import recursive
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Program, Type, Var, While
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.kinds import Access, Arithmetic, Reduction
from codegen.ir.substitution import binders, renamed
from codegen.primitives import ROWS
from codegen.source import refuse


def transpose(program: Program, linear: Mask) -> Program:
    """`program`, linear in the parameters chosen by `linear`, turned round.

    (other parameters, one cotangent per result) -> (one cotangent per linear parameter). Every result has
    to be linear in the chosen parameters, as `unzip`'s linear half is.
    """
    table = depends(program, program.main, linear)
    found: dict[str, set[Var]] = {}
    for (name, _), each in table.items():
        found.setdefault(name, set()).update(
            each.active
        )  # a zero may stand for a tangent at one of two calls
    dependences = Dependences(AffineBounds(program))
    turner = Transposer(dict(program.functions), found, program_brings(program), dependences)
    name = fresh_name(f"{program.main}_transposed", program.functions)
    turned = turner.turned(program.entry, name, table[program.main, linear].active)
    return check(refresh(ir.program({**turner.functions, name: turned}, name)), after="transpose")


def sweeps(
    program: Program, *, count: int, kept: int, save: Policy, seeds: Sequence[float] | None, name: str
) -> Program:
    """The forward sweep, then the linear half turned round, of a jvp whose params after `count` are tangents.

    After `kept` primal results come tangents; for `seeds` see `Transposer.turned`.
    """
    halves = Unzip(program, tuple(k >= count for k in range(len(program.entry.params))), save)
    known, mixed = halves.entry()
    entry = halves.program.entry
    whole = replace(entry, body=Block((*known, *mixed), entry.body.results))
    name = fresh_name(name, halves.functions)
    turner = Transposer(halves.functions, halves.linear, halves.brought, halves.dependences)
    turned = turner.turned(whole, name, halves.activity.active, kept, seeds)
    return refresh(ir.program({**turner.functions, name: turned}, name))


@dataclass(eq=False)
class Transposer:
    """`functions` grows by the transposed ones; `linear` has the linear Vars of each function, by name."""

    functions: dict[str, Function]
    linear: dict[str, set[Var]]
    brought: Brings
    dependences: Dependences
    memo: dict[tuple[str, Mask], str] = field(default_factory=dict)

    @cached_property
    def recursive(self) -> frozenset[str]:
        """The linear functions that call themselves."""
        return recursive(ir.program(self.functions, next(iter(self.functions))))

    def block(self, b: Builder, equations: Iterable[Equation], linear: set[Var], cts: Cotangents) -> None:
        """Known equations forwards, linear ones backwards."""
        backwards = []
        for equation in equations:
            if any(out in linear for out in equation.outs):
                backwards.append(equation)
            else:
                b.equations.append(equation)
        for equation in reversed(backwards):
            if any(cts.peek(out) is not None for out in equation.outs):
                with b.at(equation.span):
                    self.equation(b, equation, linear, cts)

    def equation(self, b: Builder, equation: Equation, linear: set[Var], cts: Cotangents) -> None:
        match equation.op:
            case Apply():
                self.apply(b, equation.outs[0], equation.op, linear, cts)
            case If():
                self.branches(b, equation, equation.op, linear, cts)
            case For():
                self.loop(b, equation, equation.op, linear, cts)
            case Call():
                self.call(b, equation, equation.op, linear, cts)
            case While():
                raise AssertionError("a while is a for after unzip")
            case _:
                assert_never(equation.op)

    def free(self, block: Block, linear: set[Var], own: Iterable[Var]) -> list[Var]:
        """The linear Vars from outside that a block reads."""
        found: dict[Var, None] = {}
        inside: set[Var] = set(own)
        for equation in block.equations:
            found.update(
                (v, None) for v in mentions(equation, self.brought) if v in linear and v not in inside
            )
            inside.update(bound(equation, self.brought))
        for r in block.results:
            if isinstance(r, Var) and r in linear and r not in inside:
                found[r] = None
        return list(found)

    # primitives

    def apply(self, b: Builder, out: Var, op: Apply, linear: set[Var], cts: Cotangents) -> None:
        ct = cts.pop(out)
        assert ct is not None
        row = op.primitive
        if row.accesses:
            (index_back if row.kind is Access.READ else write_back)(b, op, linear, cts, ct)
            return
        if row is BACK:
            made = op.params["rule"].cotangents(self, b, op, ct)
            for operand, value in zip(op.operands, made, strict=False):
                if operand in linear:
                    cts.add(operand, value)
            return
        places = [k for k, o in enumerate(op.operands) if o in linear]
        if len(places) > 1 and not all(k in row.linear for k in places):
            raise refuse(b.span, f"{row} is not linear in {len(places)} operands at once")
        for k in places:
            operand, rule = op.operands[k], row.transpose.get(k)
            if rule is None:
                raise refuse(b.span, f"{row} is not linear in operand {k}: it has no transpose rule")
            values = [o.type if o in linear else b.wrap(o) for o in op.operands]
            if row.kind is Reduction.SUM and not ct.type.rank:  # simplify sees through `full`
                value = b.apply("full", ct, *operand.type.shape, dtype=operand.type.dtype)
            else:
                value = rule(solid(b, ct, op), *values, **op.params)
            cts.add(operand, unbroadcast(b, value, operand.type))

    # scopes

    def branches(self, b: Builder, equation: Equation, op: If, linear: set[Var], cts: Cotangents) -> None:
        """Both branches turned round. What they read enters as accumulated so far and leaves so."""
        outs = [(k, cts.pop(out)) for k, out in enumerate(equation.outs)]
        outs = [(k, ct) for k, ct in outs if ct is not None]
        read = dict.fromkeys((*self.free(op.then, linear, ()), *self.free(op.orelse, linear, ())))
        sides = []
        for block in (op.then, op.orelse):
            inner = b.inner()
            inside = Cotangents(inner, {v: ct for v in read if (ct := cts.peek(v)) is not None})
            for k, ct in outs:
                result = block.results[k]
                if result in linear:
                    inside.add(result, ct)
            self.block(inner, block.equations, linear, inside)
            sides.append((inner, inside))
        reached = [v for v in read if any(inside.peek(v) is not None for _, inside in sides)]
        then, orelse = (inner.block(tuple(inside.take(v) for v in reached)) for inner, inside in sides)
        bars = tuple(Var(bar(v.name), v.type) for v in reached)
        b.emit(bars, If(op.test, then, orelse))
        cts.found.update(zip(reached, bars, strict=True))

    def loop(self, b: Builder, equation: Equation, op: For, linear: set[Var], cts: Cotangents) -> None:
        """The loop in the opposite order: p_bar is carried back, the cotangents of free Vars accumulate."""
        read = self.free(op.body, linear, binders(op))
        ends = [cts.take(out) for out in equation.outs]
        so_far = [cts.take(v) for v in read]
        known = [e for e in op.body.equations if linear.isdisjoint(e.outs)]
        incoming = self.sizes_after(op, known)
        p_bars = [Var(bar(p.name), renamed(p.type, incoming)) for p in op.carried]
        f_bars = [Var(bar(v.name), v.type) for v in read]
        inner = b.inner()
        inside = Cotangents(inner, dict(zip(read, f_bars, strict=True)))
        brought = set(incoming.values())
        inner.equations += [size_read(e) for e in known if brought.isdisjoint(e.outs)]
        for result, p_bar in zip(op.body.results, p_bars, strict=True):
            if result in linear:
                inside.add(result, p_bar)
        self.block(inner, [e for e in op.body.equations if not linear.isdisjoint(e.outs)], linear, inside)
        body = inner.block(tuple(inside.take(v) for v in (*op.carried, *read)))
        start, stop = backwards(b, op)
        begun = [sized_like(p_bar, p, u) for p_bar, p, u in zip(p_bars, op.carried, op.init, strict=True)]
        outs = [*begun, *(Var(v.name, v.type) for v in f_bars)]
        turned = For(op.index, start, stop, -op.step, (*p_bars, *f_bars), (*ends, *so_far), body, op.kind)
        emit_reduced(b, tuple(outs), turned, self.brought, self.dependences)
        cts.found.update(zip(read, outs[len(p_bars) :], strict=True))
        for init, p_bar in zip(op.init, outs[: len(p_bars)], strict=True):
            if init in linear:
                cts.add(init, p_bar)

    def sizes_after(self, op: For, known: Sequence[Equation]) -> dict[Var, Var]:
        """What the sizes that carried values bring are after an iteration: cotangents that come in bring those. Sizes
        that were kept need not be read then."""
        reads = (e for e in known if isinstance(e.op, Apply) and e.op.primitive.kind is Access.READ)
        kept = {out for e in reads for out in e.outs if out.type.dtype == "i8" and not out.type.rank}
        found: dict[Var, Var] = {}
        for p, result in zip(op.carried, op.body.results, strict=True):
            for d, n in zip(p.type.shape, result.type.shape, strict=True):
                if isinstance(d, Var) and d in self.brought.get(p, ()) and d not in found:
                    is_kept = isinstance(n, Var) and n in kept and n not in found.values()
                    found[d] = n if is_kept else Var(d.name, d.type)  # type: ignore[assignment]
        return found

    def call(self, b: Builder, equation: Equation, op: Call, linear: set[Var], cts: Cotangents) -> None:
        """The transposed call. It adds to cotangents of arrays that are there, which is one array for many calls. To a
        function that calls itself one is always given: else there would be two that do the same."""
        active = self.linear[op.function]
        bars = tuple(cts.take(out) for out in equation.outs)
        pairs = [*zip(op.operands, self.functions[op.function].params, strict=True)]
        known = [o for o, p in pairs if p not in active]
        chosen = [(o, p) for o, p in pairs if p in active]
        again = op.function in self.recursive
        so_far = {p: ct for o, p in chosen if (ct := cts.pop_array(o, or_zeros=again)) is not None}
        outs = tuple(Var(bar(p.name), o.type) for o, p in chosen)
        name = self.function(op.function, tuple(p in so_far for _, p in chosen))
        b.emit(outs, Call(name, (*known, *bars, *so_far.values())))
        for (operand, _), out in zip(chosen, outs, strict=True):
            if operand in linear:
                cts.add(operand, out)

    def function(self, name: str, adding: Mask) -> str:
        """The transposed function: (known params, cotangents of results, of the linear params that it is `adding` to
        those so far) -> cotangents of linear params."""
        if (name, adding) in self.memo:
            return self.memo[name, adding]
        made = fresh_name(f"{name.removesuffix('_linear')}_vjp", {*self.functions, *self.memo.values()})
        self.memo[name, adding] = made
        self.functions[made] = self.turned(self.functions[name], made, self.linear[name], adding=adding)
        return made

    def turned(
        self,
        source: Function,
        name: str,
        linear: set[Var],
        kept: int = 0,
        seeds: Sequence[float] | None = None,
        adding: Mask = (),
    ) -> Function:
        """`source` turned round: (known params, cotangents of results) -> (known results, cotangents of linear params).

        kept    how many results are known: they come first, before the linear ones
        seeds   the cotangents of the linear results, where they are known: no params then
        adding  the linear params to whose cotangents so far, which are the last params, it adds
        """
        b = Builder(span=source.span, checked=False)
        chosen = [p for p in source.params if p in linear]
        so_far = {p: Var(bar(p.name), p.type) for p, adds in zip(chosen, adding, strict=False) if adds}
        cts = Cotangents(b, so_far)
        bars: list[Var] = []
        for k, result in enumerate(source.body.results[kept:]):
            if seeds is None:
                bars.append(Var(bar(result.name if isinstance(result, Var) else "y"), result.type))
            if result in linear:
                cts.add(result, bars[-1] if seeds is None else Lit(seeds[k], result.type))
        self.block(b, source.body.equations, linear, cts)
        body = b.block((*source.body.results[:kept], *map(cts.take, chosen)))
        known = (p for p in source.params if p not in linear)
        return replace(source, name=name, params=(*known, *bars, *so_far.values()), body=body)


def sized_like(p_bar: Var, p: Var, init: Atom) -> Var:
    """The cotangent that leaves the loop, of the size of what the loop begins with."""
    return Var(p_bar.name, p.type if p_bar.type is p.type else Type(p.type.dtype, init.type.shape))


def size_read(equation: Equation) -> Equation:
    """A size that tangents bring, where there are none: it is among those that were kept."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive is not KEPT_SIZE:
        return equation
    n, ns, i = op.operands
    assert isinstance(n, Var)
    return replace(equation, outs=(n,), op=Apply(ROWS["index"], (ns, i), {"spec": ("i",)}))


def solid(b: Builder, ct: Atom, op: Apply) -> Any:
    """A cotangent as rules take it: an expression, or a number for plain arithmetic."""
    return b.apply("copy", ct) if isinstance(ct, Lit) and op.primitive.kind not in PLAIN else b.wrap(ct)


PLAIN = (Arithmetic.ADD, Arithmetic.SUB, Arithmetic.MUL, Arithmetic.DIV, Arithmetic.NEG)


def index_back(b: Builder, op: Apply, linear: set[Var], cts: Cotangents, ct: Atom) -> None:
    """y = x[i]: x_bar[i] += y_bar. y = x[:, None]: x_bar += y_bar[:, 0]."""
    x, *places = op.operands
    assert isinstance(x, Var)
    if set(op.params["spec"]) <= {":", "n"}:
        spec = tuple("i" if token == "n" else token for token in op.params["spec"])
        cts.add(x, b.apply("index", ct, *(0 for token in spec if token == "i"), spec=spec))
        return
    so_far = cts.take(x)
    cts.add(x, b.apply("accumulate", so_far, ct, *places, name=bar(x.name), **op.params))


def write_back(b: Builder, op: Apply, linear: set[Var], cts: Cotangents, ct: Atom) -> None:
    """x[i] = v or x[i] += v: v_bar += x_bar[i]. Assigned, x_bar[i] = 0; of equal places only the last was written."""
    x, v, *places = op.operands
    if v in linear:
        value = op.primitive.transpose[1](b.wrap(ct), x.type, v.type, *map(b.wrap, places), **op.params)
        cts.add(v, unbroadcast(b, value, v.type))
    if isinstance(x, Var) and x in linear:
        if op.primitive.kind is Access.WRITE:
            zero = Lit(0.0, Type(x.type.dtype))
            ct = b.atom(b.apply("update", ct, zero, *places, name=bar(x.name), **op.params))
        cts.add(x, ct)


def unbroadcast(b: Builder, value: Any, type_: Type) -> Any:
    """A cotangent summed over the axes along which the operand was stretched.

    Sizes are compared as they stand: a literal 1 against anything else was stretched, equal Vars were not.
    """
    shape = b.atom(value).type.shape
    extra = len(shape) - type_.rank
    axes = tuple(range(extra))
    axes += tuple(
        k + extra
        for k, n in enumerate(type_.shape)
        if isinstance(n, int) and n == 1 and not one(shape[k + extra])
    )
    if axes:
        value = b.apply("sum", value, axis=axes)
        if len(axes) > extra:
            value = np.reshape(value, type_.shape)
    return value


def one(n: Any) -> bool:
    return isinstance(n, int) and n == 1


def backwards(b: Builder, op: For) -> tuple[Atom, Atom]:
    """The bounds of the loop that runs the same iterations from the last to the first."""
    start, step = b.wrap(op.start), op.step
    if abs(step) == 1:
        return shifted(b, op.stop, -step), shifted(b, op.start, -step)
    return b.atom(start + (iteration_count(b, op) - 1) * step), b.atom(start - step)


def shifted(b: Builder, atom: Atom, by: int) -> Atom:
    """atom + by, with an earlier shift by a literal taken up."""
    for equation in reversed(b.equations):
        if atom in equation.outs:
            if isinstance(equation.op, Apply) and (found := offset_of(equation.op)) is not None:
                atom, by = found[0], by + found[1]
            break
    x = b.wrap(atom)
    return b.atom(x if by == 0 else x + by if by > 0 else x - -by)
