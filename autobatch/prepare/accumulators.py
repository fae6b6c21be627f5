"""Sums of recursive calls, passed along in place of being put together: pass_sums_on : Program -> Program.

    def fib(n):                                  def fib(n):
        if n < 2:                                    return fib_onto(n, 0)
            return n                             def fib_onto(n, total):
        return fib(n - 1) + fib(n - 2)    ->         if n < 2:
                                                         return total + n
                                                     total = fib_onto(n - 1, total)
                                                     return fib_onto(n - 2, total)

What a function gives that is only added up is added where it comes to be: so no sum is kept on a stack while another
call runs, and the last call is one that the function ends with, a jump (cfg/tail_calls.py). So it is with sums that
loops carry. The operation is one of integers, where any order gives the same bits; sums of floats are left alone.
Calls stay in their order, and what is between them; sums and products that do not need them go before them.
(host/tail_calls.py makes loops of last calls alone: there an argument more costs what a sum does.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from autobatch.host.tail_calls import NEUTRAL, are_integers
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
    Program,
    Var,
    While,
    program,
)
from codegen.ir.kinds import Arithmetic, Bits
from codegen.ir.literals import dtype_of
from codegen.ir.primitive import Primitive
from codegen.ir.substitution import blocks, clone
from codegen.ir.traversal import equations, unused_name, with_calls
from codegen.simplify.driver import use_counts

NEVER_FAIL = (*NEUTRAL, Arithmetic.SUB, Arithmetic.NEG, Bits.INVERT)


def pass_sums_on(whole: Program) -> Program:
    """The program with sums passed on by the functions that can."""
    for name in whole.functions:
        whole = with_sums_passed_on(whole, name)
    return whole


def with_sums_passed_on(whole: Program, name: str) -> Program:
    """The same of one function."""
    function = whole.functions[name]
    for op in operations(function):
        onto = Onto(function, unused_name(f"{name}_onto", whole.functions), op)
        if (made := onto.function()) is not None:
            break
    else:
        return whole
    zero = Lit(dtype_of(onto.total.type).type(NEUTRAL[op.kind]).item(), onto.total.type)

    def begun(call: Call) -> Call:
        return Call(made.name, (*call.operands, zero)) if call.function == name else call

    functions = {f: replace(each, body=with_calls(each.body, begun)) for f, each in whole.functions.items()}
    if name == whole.main:
        outer = clone(Function(name, function.params, Block((), ()), function.span, function.doc))
        out = Var("result", onto.total.type)
        call = Equation((out,), Call(made.name, (*outer.params, zero)), function.span)
        functions[name] = replace(outer, body=Block((call,), (out,)))
    else:
        del functions[name]
    return program({**functions, made.name: made}, whole.main)


def operations(function: Function) -> Iterator[Primitive]:
    """The operations of integers by which a function may put the results of calls of itself together."""
    body = function.body
    called = any(isinstance(e.op, Call) and e.op.function == function.name for e in equations(body))
    if called and len(body.results) == 1 and are_integers(body.results[0]):
        found = (e.op.primitive for e in equations(body) if isinstance(e.op, Apply))
        yield from dict.fromkeys(row for row in found if row.kind in NEUTRAL)


@dataclass(eq=False)
class Onto:
    """A function under another name that puts its result onto `total`, by `op`. joined: whether a call's result was
    put together with something."""

    before: Function
    name: str
    op: Primitive
    joined: bool = False
    total: Var = field(init=False)

    def __post_init__(self) -> None:
        self.total = self.sum()

    def sum(self) -> Var:
        return Var("total", replace(self.before.body.results[0].type, weak=False))

    def function(self) -> Function | None:
        """None where a call's result is used otherwise, or none is put together with anything."""
        body = self.onto(self.before.body, 0, self.total, None)
        if not self.joined or self.calls(body):
            return None
        return replace(self.before, name=self.name, params=(*self.before.params, self.total), body=body)

    def calls(self, *inside: Block) -> bool:
        """Whether the function is called as it was."""
        called = (e.op for block in inside for e in equations(block))
        return any(isinstance(op, Call) and op.function == self.before.name for op in called)

    def onto(self, block: Block, k: int, total: Atom, held: Var | None) -> Block:
        """The block with its result k put onto `total`. held: the term that is in it already."""
        terms = Terms(self, block, k)
        early = terms.early()
        changed: dict[Equation, Equation] = {}
        added: list[tuple[float, Equation]] = []
        now = -1.0
        for term in sorted(terms.terms, key=terms.ready):
            if term is held or is_neutral(term, self.op):
                continue
            now = max(now, terms.ready(term))
            maker = terms.passing(term, held)
            if maker is not None and maker not in changed:
                self.joined |= len(terms.terms) > 1 and self.calls(Block((maker,), ()))
                start, changed[maker], total = self.passed(maker, maker.outs.index(term), total, held)
                added += [(now - 0.5, e) for e in start]
            else:
                out = self.sum()
                added.append((now, Equation((out,), Apply(self.op, (total, term)))))
                total = out
        placed = [
            ((terms.ready(e.outs[0]), 1, n) if e in early else (float(n), 0, n), changed.get(e, e))
            for n, e in enumerate(block.equations)
            if e not in terms.gone
        ]
        placed += [((at, 2, n), e) for n, (at, e) in enumerate(added)]
        ordered = tuple(e for _, e in sorted(placed, key=lambda each: each[0]))
        return Block(ordered, (*block.results[:k], total, *block.results[k + 1 :]))

    def passed(
        self, equation: Equation, k: int, total: Atom, held: Var | None
    ) -> tuple[list[Equation], Equation, Var]:
        """The equation with out k put onto `total`, what comes before it, and the out."""
        out, before = self.sum(), list[Equation]()
        outs = (*equation.outs[:k], out, *equation.outs[k + 1 :])
        op = equation.op
        match op:
            case Call():
                op = Call(self.name, (*op.operands, total))
            case If(_, then, orelse):
                within = held if held and self.mentions(then, k, held) else None
                op = replace(
                    op, then=self.onto(then, k, total, within), orelse=self.onto(orelse, k, total, within)
                )
            case For(carried=carried, init=init) | While(carried=carried, init=init):
                if not is_neutral(init[k], self.op):
                    start = self.sum()
                    before = [Equation((start,), Apply(self.op, (total, init[k])))]
                    total = start
                body = self.onto(op.body, k, carried[k], carried[k])
                op = replace(op, init=(*init[:k], total, *init[k + 1 :]), body=body)
        return before, replace(equation, outs=outs, op=op), out

    def mentions(self, block: Block, k: int, term: Var) -> int:
        """How often a block mentions what is one term of its result k, whichever way it goes; else 0."""
        terms = Terms(self, block, k)
        found = [
            n for each in terms.terms if (n := 1 if each is term else self.in_branches(terms, each, term))
        ]
        return found[0] if len(found) == 1 else 0

    def in_branches(self, terms: Terms, atom: Atom, term: Var) -> int:
        maker = terms.maker(atom)
        if maker is None or not isinstance(maker.op, If):
            return 0
        k = maker.outs.index(atom)
        ways = [self.mentions(each, k, term) for each in (maker.op.then, maker.op.orelse)]
        return sum(ways) if all(ways) else 0


class Terms:
    """The terms of a block's result k: what is put together by nothing but the operation, and used for nothing else."""

    def __init__(self, onto: Onto, block: Block, k: int):
        self.onto, self.op = onto, onto.op
        self.uses = use_counts(block)
        self.made = {out: (n, e) for n, e in enumerate(block.equations) for out in e.outs}
        self.known: dict[Atom, float] = {}
        self.gone: set[Equation] = set()
        self.terms = list(self.flat(block.results[k]))

    def flat(self, atom: Atom) -> Iterator[Atom]:
        maker = self.maker(atom)
        match maker.op if maker else None:
            case Apply(row, (x, y)) if row is self.op and are_integers(atom, x, y):
                assert maker is not None
                self.gone.add(maker)
                yield from self.flat(x)
                yield from self.flat(y)
            case _:
                yield atom

    def maker(self, atom: Atom) -> Equation | None:
        """What makes an atom that is used once."""
        return (
            self.made[atom][1]
            if isinstance(atom, Var) and atom in self.made and self.uses[atom] == 1
            else None
        )

    def passing(self, atom: Atom, held: Var | None) -> Equation | None:
        """What makes an atom, if it can put it onto a sum."""
        maker, onto = self.maker(atom), self.onto
        if maker is None:
            return None
        k = maker.outs.index(atom)
        match maker.op:
            case Call(function):
                passes = function == onto.before.name
            case If(_, then, orelse):
                passes = onto.calls(then, orelse) or bool(held and onto.mentions(then, k, held))
            case For(carried=carried) | While(carried=carried) as loop:
                uses = sum((use_counts(each) for each in blocks(loop)), Counter())[carried[k]]
                passes = onto.calls(loop.body) and uses == onto.mentions(loop.body, k, carried[k]) > 0
            case _:
                passes = False
        return maker if passes else None

    def ready(self, atom: Atom) -> float:
        """The number of the equation after which it can be there, if sums and products go before calls."""
        if not isinstance(atom, Var) or atom not in self.made:
            return -1.0
        n, equation = self.made[atom]
        if atom not in self.known:
            self.known[atom] = max(map(self.ready, ring_operands(equation)), default=float(n))
        return self.known[atom]

    def early(self) -> set[Equation]:
        """The sums and products that terms are made of."""
        found, todo = set[Equation](), list(self.terms)
        while todo:
            atom = todo.pop()
            equation = self.made[atom][1] if isinstance(atom, Var) and atom in self.made else None
            if equation is not None and (operands := ring_operands(equation)):
                found.add(equation)
                todo += operands
        return found


def ring_operands(equation: Equation) -> tuple[Atom, ...]:
    """The operands of a sum, product or the like of integers, which never fails; none of what is something else."""
    op = equation.op
    free = isinstance(op, Apply) and op.primitive.kind in NEVER_FAIL and are_integers(*equation.outs)
    return op.operands if free and isinstance(op, Apply) else ()


def is_neutral(atom: Atom, op: Primitive) -> bool:
    return isinstance(atom, Lit) and atom.value == NEUTRAL[op.kind]
