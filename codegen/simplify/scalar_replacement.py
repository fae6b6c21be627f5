"""Small arrays become the numbers that they hold: scalar_replacement : Program -> Program.

    k = np.empty(2)                            k_0 = x * y
    k[0] = x * y                               k_1 = x + y
    k[1] = x + y                     ->        z[0] = k_0 * dt
    for i in range(2):                         z[1] = k_1 * dt
        z[i] = k[i] * dt

Loops over their places are unrolled; functions take and give the numbers (Muchnick 1997, 12.2, "scalar replacement of
aggregates"). Which arrays these are is found in analysis/small_arrays.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any, TypeGuard, assert_never

import numpy as np

from codegen import ir
from codegen.analysis.small_arrays import (
    Unrolled,
    places,
    run_again,
    small_arrays,
    touched,
    unrolled_indices,
    value_count,
)
from codegen.cost_model import AGAIN_UNROLLED, ONCE_UNROLLED
from codegen.ir import (
    Apply,
    Atom,
    Block,
    Call,
    Equation,
    For,
    Function,
    If,
    Lit,
    Operation,
    Program,
    Type,
    Var,
    While,
)
from codegen.ir.build import Builder
from codegen.ir.kinds import Access, Arithmetic, Made
from codegen.ir.literals import fold
from codegen.ir.substitution import clone, keep, replaced, rewrite, substitute
from codegen.ir.traversal import all_equations, operands, with_functions
from codegen.primitives import ROWS
from codegen.simplify.inline import stand


def scalar_replacement(program: Program) -> Program:
    """`program` with numbers in place of small arrays whose places are all known, unless it would grow too long."""
    for which in (Unrolled.ALL, Unrolled.AGAIN):
        if not (arrays := small_arrays(program, which)):
            continue
        unrolled = with_functions(program, partial(with_unrolled_loops, arrays=arrays))
        again, once = (
            after - before for before, after in zip(lengths(program), lengths(unrolled), strict=True)
        )
        if once <= ONCE_UNROLLED and again <= AGAIN_UNROLLED:
            return ScalarReplacement(unrolled).program()
    return program


def lengths(program: Program) -> tuple[int, int]:
    """How many equations are run more than once in a call, and how many once."""
    again = len(run_again(program))
    return again, sum(1 for _ in all_equations(program)) - again


# ---- loops


def with_unrolled_loops(function: Function, arrays: frozenset[Var]) -> Function:
    """A function without the loops over places of these arrays."""

    def expand(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        loop = equation.op
        if not isinstance(loop, For) or not unrolled_indices(loop) or not touched(loop, arrays):
            return None
        b = Builder(span=equation.span, checked=False)
        body = rewrite(loop.body, dict(env), keep, expand)
        current = replaced(loop.init, env)
        first = without_zeros(body, loop, current) if loop.kind == "parallel" else body
        for at, k in enumerate(unrolled_indices(loop)):
            given: dict[Var, Atom] = {loop.index: Lit(k, loop.index.type)}
            for param, atom in zip(loop.carried, current, strict=True):
                stand(b, param, atom, given, set())
            made = clone(body if at else first, given)
            b.equations += made.equations
            current = made.results
        for out, atom in zip(equation.outs, current, strict=True):
            stand(b, out, atom, env, set())
        return b.equations

    return replace(function, body=rewrite(function.body, {}, keep, expand))


def without_zeros(body: Block, loop: For, init: Sequence[Atom]) -> Block:
    """A first iteration in which sums that begin with 0.0 begin with their first term."""
    begun = {
        p
        for p, u in zip(loop.carried, init, strict=True)
        if isinstance(u, Lit) and u.type.is_float and u.value == 0
    }
    used = Counter(operands(body))
    terms: dict[Var, Atom] = {}
    rest: list[Equation] = []
    for equation in body.equations:
        op = equation.op
        if (
            is_sum_with(op, begun)
            and used[op.operands[0]] == 1
            and op.operands[1].type == equation.outs[0].type
        ):
            if op.primitive.kind is Arithmetic.ADD:
                terms[equation.outs[0]] = op.operands[1]
                continue
            equation = replace(equation, op=Apply(ROWS["neg"], op.operands[1:]))
        rest.append(equation)
    return substitute(Block(tuple(rest), body.results), terms)


def is_sum_with(op: Operation, totals: Collection[Atom]) -> TypeGuard[Apply]:
    """Whether an operation adds a float to one of these, or takes it away."""
    sums = isinstance(op, Apply) and op.primitive.kind in (Arithmetic.ADD, Arithmetic.SUB)
    return sums and op.operands[0] in totals and op.operands[1].type.is_float  # type: ignore[union-attr]


# ---- arrays


class ScalarReplacement:
    """Goes through a program whose loops over small arrays are unrolled. `elements`: what a small array holds."""

    def __init__(self, program: Program):
        self.whole = program
        self.arrays = small_arrays(program)
        self.elements: dict[Var, tuple[Atom, ...]] = {}
        self.env: dict[Var, Atom] = {}

    def program(self) -> Program:
        functions = {name: self.function(f) for name, f in self.whole.functions.items()}
        return ir.program(functions, self.whole.main)

    def function(self, function: Function) -> Function:
        params = tuple(self.binders(function.params))
        b = Builder(checked=False)
        self.equations(b, function.body.equations)
        results = function.body.results
        outer = function.name == self.whole.main
        given = tuple(self.given(b, results, () if outer else results))
        return replace(function, params=params, body=Block(tuple(b.equations), given))

    # binders and values

    def numbers(self, array: Var) -> tuple[Var, ...]:
        """A variable for each element of an array, from now on."""
        kind = Type(array.type.dtype)
        made = tuple(Var("_".join((array.name, *map(str, at))), kind) for at in places(array.type))
        self.elements[array] = made
        return made

    def binders(self, variables: Iterable[Var]) -> Iterator[Var]:
        """Parameters and outs, with the elements of arrays in place of these."""
        for var in variables:
            yield from self.numbers(var) if var in self.arrays else (keep(var, self.env),)

    def given(self, b: Builder, atoms: Sequence[Atom], to: Sequence[Atom]) -> Iterator[Atom]:
        """Values, with elements in place of those that are given `to` arrays which are numbers."""
        for atom, var in zip_longest(atoms, to):
            if var in self.arrays:
                yield from self.of(b, atom, var.type)
            else:
                yield self.whole_array(b, atom)

    def of(self, b: Builder, atom: Atom, type_: Type) -> tuple[Atom, ...]:
        """The elements of an array, read where it is one."""
        if atom in self.elements:
            return self.elements[atom]
        array, spec = self.atom(atom), ("i",) * type_.rank
        return tuple(b.atom(b.apply("index", array, *at, spec=spec)) for at in places(type_))

    def whole_array(self, b: Builder, atom: Atom) -> Atom:
        """An array that is asked for as one."""
        if not isinstance(atom, Var) or atom not in self.elements:
            return self.atom(atom)
        dims = [Lit(n, Type("i8", weak=True)) for n in atom.type.shape]
        made: Any = b.apply("empty", *dims, dtype=atom.type.dtype, name=atom.name)
        spec = ("i",) * atom.type.rank
        for place, element in zip(places(atom.type), self.elements[atom], strict=True):
            made = b.apply("update", made, element, *place, spec=spec, name=atom.name)
        return b.atom(made)

    def atom(self, atom: Atom) -> Atom:
        return self.env.get(atom, atom) if isinstance(atom, Var) else atom

    # equations

    def equations(self, b: Builder, listed: Iterable[Equation]) -> None:
        for equation in listed:
            with b.at(equation.span):
                self.equation(b, equation)

    def block(self, b: Builder, block: Block, to: Sequence[Atom]) -> Block:
        inner = b.inner()
        self.equations(inner, block.equations)
        given = tuple(self.given(inner, block.results, to))
        return Block(tuple(inner.equations), given)

    def equation(self, b: Builder, equation: Equation) -> None:
        op, outs = equation.op, equation.outs
        made: Operation
        match op:
            case Apply():
                self.apply(b, outs, op)
                return
            case Call(name, operands):
                self.call(b, outs, name, operands)
                return
            case If() if isinstance(test := self.atom(op.test), Lit):
                self.taken(b, outs, op.then if test.value else op.orelse)
                return
            case If():
                then, orelse = (self.block(b, side, outs) for side in (op.then, op.orelse))
                made = If(self.atom(op.test), then, orelse)
            case For():
                init = tuple(self.given(b, op.init, op.carried))
                index, *carried = self.binders((op.index, *op.carried))
                bounds = self.atom(op.start), self.atom(op.stop)
                body = self.block(b, op.body, op.carried)
                made = For(index, *bounds, op.step, tuple(carried), init, body, op.kind)
            case While():
                init = tuple(self.given(b, op.init, op.carried))
                params = tuple(self.binders(op.carried))
                cond = self.block(b, op.cond, op.cond.results)
                made = While(params, init, cond, self.block(b, op.body, op.carried))
            case _:
                assert_never(op)
        b.emit(tuple(self.binders(outs)), made)

    def taken(self, b: Builder, outs: tuple[Var, ...], side: Block) -> None:
        """The branch that is taken, where that is known: in the other one sizes are what they cannot be."""
        self.equations(b, side.equations)
        for out, atom in zip(outs, side.results, strict=True):
            if out in self.arrays:
                self.elements[out] = self.of(b, atom, out.type)
            else:
                stand(b, out, self.whole_array(b, atom), self.env, set())

    def apply(self, b: Builder, outs: tuple[Var, ...], op: Apply) -> None:
        kind, array = op.primitive.kind, op.operands[0] if op.operands else None
        operands = replaced(op.operands, self.env)
        if outs and outs[0] in self.arrays:
            self.elements[outs[0]] = self.held(b, outs[0].type, op, operands)
        elif kind is Access.READ and array in self.elements:
            (self.env[outs[0]],) = self.moved(b, op, operands)
        elif is_of_literals(op, operands, outs) and (value := fold(op.primitive, operands, dict(op.params))):
            self.env[outs[0]] = value
        else:
            b.emit(tuple(self.binders(outs)), replace(op, operands=operands))

    def held(self, b: Builder, type_: Type, op: Apply, operands: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """The elements of what an operation makes."""
        kind = op.primitive.kind
        count = len(places(type_))
        if kind is Made.EMPTY:
            return (of_dtype(b, Lit(0, Type("i8")), type_.dtype),) * count
        if kind is Made.FULL:
            return (of_dtype(b, operands[0], type_.dtype),) * count
        if kind is Made.RANGE:
            return tuple(of_dtype(b, Lit(k, Type("i8")), type_.dtype) for k in range(count))
        if not op.primitive.writes:
            return tuple(of_dtype(b, element, type_.dtype) for element in self.moved(b, op, operands))
        before = self.of(b, op.operands[0], type_)
        at = place_of(operands[2:], type_)
        value = of_dtype(b, operands[1], type_.dtype)
        if kind is Access.ADD:
            value = b.atom(b.apply("add", before[at], value))
        return (*before[:at], value, *before[at + 1 :])

    def moved(self, b: Builder, op: Apply, operands: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """What an operation moves, in the order of its result: its row's own meaning, on numbers of elements."""
        held: list[Atom] = []
        numbered: list[Any] = []
        for atom in op.operands[: value_count(op)]:
            own = self.of(b, atom, atom.type) if atom.type.rank else (self.atom(atom),)
            numbered.append(np.arange(len(held), len(held) + len(own)).reshape(atom.type.shape))
            held += own
        ints = [o.value for o in operands[value_count(op) :]]  # type: ignore[union-attr]
        order = op.primitive.numpy(*numbered, *ints, **op.params)
        return tuple(held[k] for k in np.ravel(order))

    def call(self, b: Builder, outs: tuple[Var, ...], name: str, operands: tuple[Atom, ...]) -> None:
        taken = tuple(self.given(b, operands, self.whole.functions[name].params))
        numbers = [r in self.arrays for r in self.whole.functions[name].body.results]
        given = [
            self.numbers(out) if each else (keep(out, self.env),)
            for out, each in zip(outs, numbers, strict=True)
        ]
        b.emit(tuple(v for each in given for v in each), Call(name, taken))
        for out, each in zip(outs, numbers, strict=True):
            if out in self.arrays and not each:
                self.elements[out] = self.of(b, out, out.type)


def place_of(indices: Sequence[Atom], type_: Type) -> int:
    """Which of its elements a place is."""
    at = tuple(i.value % n for i, n in zip(indices, type_.shape, strict=True))  # type: ignore
    return places(type_).index(at)


def of_dtype(b: Builder, value: Atom, dtype: str) -> Atom:
    """A value as an array holds it."""
    if value.type == Type(dtype):
        return value
    return b.atom(b.apply("cast", value, dtype=dtype))


def is_of_literals(op: Apply, operands: tuple[Atom, ...], outs: tuple[Var, ...]) -> bool:
    """Whether an operation computes an int of literals, a place, or a bool, whether two sizes are one."""
    scalar = len(outs) == 1 and outs[0].type.dtype in ("i8", "b1") and not outs[0].type.rank
    return scalar and op.primitive.family == "elementwise" and all(isinstance(o, Lit) for o in operands)
