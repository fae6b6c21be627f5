"""jvp : (a -> b) -> (a, T a) -> (b, T b)

    def f(x, y):                     def f_jvp(x, y, x_dot, y_dot):
        s = sin(y)                       s = sin(y)
        return x * s           ->        s_dot = y_dot * cos(y)
                                         t = x * s
                                         return t, x_dot * s + x * s_dot

Each equation is kept and followed by that of its tangent. A tangent that is zero for all inputs has no
equation: it is None until a branch, a loop or a result needs a value. Loops carry tangents beside their
primals; a call becomes a call of the callee's jvp, which is entered in the memo before its body is built,
so recursion needs no rule.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, assert_never

import numpy as np

from autodiff.activity import Activity, Key, Mask, depends, mask_of
from autodiff.loops.write_hazards import chain
from autodiff.markers import CUSTOM, is_checkpointed
from autodiff.sizes.invariant import settle_sizes
from autodiff.sizes.scope import fresh_name, own_main, refresh
from codegen import ir
from codegen.analysis.calls import calls_in
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Program, Type, Var, While
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.kinds import Arithmetic, Choice
from codegen.ir.primitive import Primitive
from codegen.primitives import ROWS, Linear
from codegen.primitives.shape import EXPANSION, WITH_PARTIAL, WITHOUT_PARTIAL
from codegen.simplify.inline import inline
from codegen.source import refuse

Tangents = dict[Var, Atom]


def jvp(program: Program, active: Mask, *, checked: bool = False) -> Program:
    """(params, tangents of the active ones) -> (results, tangents of the float ones), flat.

    `active` has one flag per parameter of the main function; only floats may be chosen. Results that do
    not depend on an active parameter get a tangent of zeros. `checked`: see `settle_sizes`.
    """
    program = with_settled_sizes(program, checked)
    entry = program.entry
    for param, flag in zip(entry.params, active, strict=True):
        if flag and not param.type.is_float:
            raise TypeError(f"{entry.name} is not differentiable in {param.name}: {param.type} is no float")
    maker = Maker(program, depends(program, program.main, active))
    floats = tuple(r.type.is_float for r in entry.body.results)
    name = maker.function((program.main, active), floats)
    return check(refresh(ir.program(maker.functions, name)), after="jvp")


def with_settled_sizes(program: Program, checked: bool) -> Program:
    """`program` with its sizes as far as they are known; functions that write their arguments are in place."""
    return own_main(settle_sizes(inline(program, when=writes_argument), checked=checked))


def writes_argument(function: Function, calls: int) -> bool:
    """Does it give back an array argument, written? It is inlined: writes that are seen stay in place."""
    body = function.body
    arrays = [p for p in function.params if p.type.rank]
    return not is_checkpointed(body) and any(
        (found := chain(body, p, r)) and found.writes for p in arrays for r in body.results
    )


class Maker:
    """The functions made so far; those with no active input stay as they are."""

    def __init__(self, program: Program, table: dict[Key, Activity]):
        self.program = program
        self.table = table
        self.memo: dict[Key, str] = {}
        self.functions: dict[str, Function] = {}
        self.rules: dict[Any, list[Atom]] = {}  # tangents by a user's own rule, by rule, operands and block

    def function(self, key: Key, wanted: Mask | None = None) -> str:
        """The name of the jvp of function key[0] for mask key[1]; `wanted`: the results given a tangent."""
        if key in self.memo:
            return self.memo[key]
        source, mask = self.program.functions[key[0]], key[1]
        name = self.memo[key] = fresh_name(f"{source.name}_jvp", {*self.functions, *self.reserved()})
        activity = self.table[key]
        b = Builder(span=source.span, checked=False)
        pairs = [(p, tangent_var(p)) for p, flag in zip(source.params, mask, strict=True) if flag]
        tangents: Tangents = dict(pairs)
        body = self.block(b, source.body, tangents, activity, activity.results if wanted is None else wanted)
        params = (*source.params, *(p_dot for _, p_dot in pairs))
        self.functions[name] = replace(source, name=name, params=params, body=body)
        return name

    def reserved(self) -> set[str]:
        """The names of the program's functions, which may still be kept, and of those that are begun."""
        return {*self.program.functions, *self.memo.values()}

    def plain(self, name: str) -> None:
        """Keep function `name` and what it calls: no derivative flows through this call."""
        if name not in self.functions:
            function = self.functions[name] = self.program.functions[name]
            for inner in sorted(calls_in(function.body)):
                self.plain(inner)

    def block(self, b: Builder, block: Block, tangents: Tangents, known: Activity, wanted: Mask) -> Block:
        """`block` with tangents: its results, then those of the tangents of the `wanted` ones."""
        for equation in block.equations:
            with b.at(equation.span):
                self.equation(b, equation, tangents, known)
        dots = [tangent(b, r, tangents) for r, flag in zip(block.results, wanted, strict=True) if flag]
        return b.block((*block.results, *dots))

    def equation(self, b: Builder, equation: Equation, tangents: Tangents, known: Activity) -> None:
        op = equation.op
        if isinstance(op, Apply):
            b.equations.append(once_more(b, equation, op, tangents))
            if any(out in known.active for out in equation.outs):
                made = self.apply(b, equation.outs[0], op, tangents)
                if made is not None:
                    tangents[equation.outs[0]] = made
            return
        flags = tuple(out in known.active for out in equation.outs)
        match op:
            case Call():
                mask = mask_of(op, known)
                if not any(flags):
                    self.plain(op.function)
                    b.equations.append(equation)
                    return
                dots = [tangent(b, o, tangents) for o, flag in zip(op.operands, mask, strict=True) if flag]
                made_op: Any = Call(self.function((op.function, mask)), (*op.operands, *dots))
            case If():
                then = self.block(b.inner(), op.then, dict(tangents), known, flags)
                orelse = self.block(b.inner(), op.orelse, dict(tangents), known, flags)
                made_op = If(op.test, then, orelse)
            case For() | While():
                made_op = self.loop(b, op, flags, tangents, known)
            case _:
                assert_never(op)
        pairs = [(out, tangent_var(out)) for out, flag in zip(equation.outs, flags, strict=True) if flag]
        tangents.update(pairs)
        b.emit((*equation.outs, *(out_dot for _, out_dot in pairs)), made_op)

    def apply(self, b: Builder, out: Var, op: Apply, tangents: Tangents) -> Atom | None:
        if op.primitive is not CUSTOM:
            return of_apply(b, out, op, tangents)
        return fit_tangent(b, op.params["rule"].tangent(self, b, op, tangents), out)

    def loop(
        self, b: Builder, op: For | While, flags: Mask, tangents: Tangents, known: Activity
    ) -> For | While:
        """The loop with the tangents of its active carried values carried too; a condition reads none."""
        pairs = [(p, tangent_var(p)) for p, flag in zip(op.carried, flags, strict=True) if flag]
        dots = [tangent(b, u, tangents) for u, flag in zip(op.init, flags, strict=True) if flag]
        body = self.block(b.inner(), op.body, {**tangents, **dict(pairs)}, known, flags)
        if isinstance(op, While):
            for name in sorted(calls_in(op.cond)):
                self.plain(name)
        return replace(
            op, carried=(*op.carried, *(p_dot for _, p_dot in pairs)), init=(*op.init, *dots), body=body
        )


def once_more(b: Builder, equation: Equation, op: Apply, tangents: Tangents) -> Equation:
    """An equation as it is where a derivative is differentiated once more: what has a partial derivative told apart
    has its own again; the point of an expansion is counted, SourceError where it is not exact to that order."""
    if op.primitive in (WITHOUT_PARTIAL, WITH_PARTIAL):
        value = op.operands[0]
        return replace(equation, op=Apply(ROWS["with_slope"], (value, value)))
    if op.primitive is not EXPANSION or not any(x in tangents for x in op.operands[1:]):
        return equation
    order, of, taken = op.params["order"], op.params["of"], op.params["taken"]
    if taken == order:
        raise refuse(
            b.span, f"{of} has derivatives up to order {order}, and this would be one of order {order + 1}"
        )
    return replace(equation, op=replace(op, params={**op.params, "taken": taken + 1}))


def tangent_var(var: Var) -> Var:
    """The Var of a tangent."""
    return Var(f"{var.name}_dot", var.type)


def tangent(b: Builder, atom: Atom, tangents: Tangents) -> Atom:
    """The tangent of an atom as a value: zeros where it has none."""
    if isinstance(atom, Var) and atom in tangents:
        return tangents[atom]
    return zeros_of(b, atom.type)


def zeros_of(b: Builder, type_: Type, name: str = "t") -> Atom:
    """Zeros of a type: a literal, or an array made from the sizes in the type (never from an array)."""
    if not type_.rank:
        return Lit(0.0, replace(type_, shape=()))
    zero = Lit(0.0, Type(type_.dtype))
    return b.atom(b.apply("full", zero, *type_.shape, dtype=type_.dtype, name=name))


def of_apply(b: Builder, out: Var, op: Apply, tangents: Tangents) -> Atom | None:
    """The tangent of a primitive's result."""
    rules, row = op.primitive.jvp, op.primitive
    dots = [tangents.get(o) if isinstance(o, Var) else None for o in op.operands]
    if all(t is None for t in dots):
        return None
    if rules is None:
        raise refuse(b.span, f"{row.name} has no derivative rule")
    if isinstance(rules, Linear):
        return linear_tangent(b, out, op, dots)
    values = [b.wrap(o) for o in op.operands]
    total: Any = None
    for rule, t in zip(rules, dots, strict=False):
        if rule is None or t is None:
            continue
        term = rule(b.wrap(t), b.wrap(out), *values, **op.params)
        if term is not None:
            total = term if total is None else total + term
    return None if total is None else fit_tangent(b, total, out)


def linear_tangent(b: Builder, out: Var, op: Apply, dots: list[Atom | None]) -> Atom:
    """The primitive itself on the tangents of the operands in which it is linear."""
    row = op.primitive
    if row.kind in (Arithmetic.ADD, Arithmetic.SUB) and None in dots:
        k = 0 if dots[1] is None else 1
        t = b.wrap(dots[k])  # type: ignore[arg-type]
        return fit_tangent(b, -t if (row.kind, k) == (Arithmetic.SUB, 1) else t, out)
    operands = [
        o if k not in row.linear else zero_operand(b, row, k, o) if t is None else t
        for k, (o, t) in enumerate(zip(op.operands, dots, strict=True))
    ]
    if row.kind is Choice.SELECT:  # of which the other value may be what makes it this large
        return fit_tangent(b, b.apply(row, *operands), out)
    out_dot = tangent_var(out)
    b.emit((out_dot,), Apply(row, tuple(operands), op.params))
    return out_dot


def zero_operand(b: Builder, row: Primitive, k: int, operand: Atom) -> Atom:
    """The zero tangent of one operand where others have theirs: a scalar wherever that broadcasts."""
    scalar = row.kind is Choice.SELECT or (k == 1 and row.writes)
    return zeros_of(b, replace(operand.type, shape=()) if scalar else operand.type)


def fit_tangent(b: Builder, value: Any, out: Var, suffix: str = "_dot") -> Atom:
    """A rule's value as the tangent of `out`: its shape and dtype, its name where it was just made."""
    atom = b.atom(value)
    if atom.type.dtype != out.type.dtype:
        atom = b.atom(b.apply("cast", atom, dtype=out.type.dtype))
    if atom.type.rank != out.type.rank or any(
        is_stretched(n, m) for n, m in zip(atom.type.shape, out.type.shape)
    ):
        atom = b.atom(np.broadcast_to(b.wrap(atom), tuple(b.size(d) for d in out.type.shape)))
    return b.named(atom, f"{out.name}{suffix}", out.type)


def is_stretched(n: Any, m: Any) -> bool:
    """Is an axis of size n stretched to m?"""
    return isinstance(n, int) and n == 1 and not (isinstance(m, int) and m == 1)
