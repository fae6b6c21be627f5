"""Equations that may raise inside `try`, as equations that tell which handler is to run.

    t = index x, i           ok = i < n
    y = mul t, 2      ->     raised, y = if ok:                     raised0: what leads to the first handler
                                 t = index x, i; t2 = mul t, 2; yield False, t2
                             else:
                                 yield True, y_before

A check whose exception no handler takes stays as it is. Functions that are called are made over in the same way, and
give the flags before their results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from codegen.infer.functions import Functions
from codegen.infer.kinds import Kind, as_kind, filler_value, kind
from codegen.infer.values import FALSE, TRUE
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Var, While
from codegen.ir.build import B1, Builder
from codegen.ir.kinds import Arithmetic, Effect
from codegen.ir.substitution import blocks, clone, gather, sizes
from codegen.ir.traversal import equations, with_inner
from codegen.simplify.bounds_checks import Checks
from codegen.source import refuse

ENDED = Callable[[Builder], tuple[Atom, ...]]  # the values where something was raised


@dataclass(frozen=True, eq=False)
class Caught:
    """A handler: the flag that leads to it, the classes that it takes, and the names that are read from it on.
    `outer`: of one that raises them again, how many handlers are around its `try`."""

    flag: str
    classes: tuple[type[BaseException], ...]
    live: frozenset[str]
    outer: int | None = None


@dataclass(frozen=True, eq=False)
class Finish:
    """What a block of equations gives where nothing was raised, flags first, of these kinds, and else."""

    flags: tuple[Atom, ...]
    values: tuple[Atom, ...]
    kinds: tuple[Kind, ...]
    ended: ENDED


class Catching:
    """Equations of one place of a program, made over for the handlers around, the innermost first."""

    def __init__(self, functions: Functions, clauses: Sequence[Caught]):
        self.functions, self.clauses = functions, clauses
        self.looking: set[str] = set()

    # ---- which handlers equations may lead to ----

    def leads_to(self, cls: type[BaseException]) -> set[int]:
        k = 0
        while k < len(self.clauses):
            clause = self.clauses[k]
            if not issubclass(cls, clause.classes):
                k += 1
            elif clause.outer is None:
                return {k}
            else:
                k = len(self.clauses) - clause.outer
        return set()

    def of_block(self, equations: Sequence[Equation]) -> set[int]:
        return set().union(*map(self.of_equation, equations))

    def of_equation(self, equation: Equation) -> set[int]:
        """The handlers that an equation may lead to, by their places."""
        match equation.op:
            case Apply(row) as op if row.stops:
                return self.leads_to(op.params["exception"].cls)
            case Apply() as op:
                return self.of_row(equation, op)
            case Call(name):
                return self.of_function(equation, name)
        return set().union(*(self.of_block(block.equations) for block in blocks(equation.op)))

    def of_row(self, equation: Equation, op: Apply) -> set[int]:
        """What a row raises by itself."""
        row, found = op.primitive, set[int]()
        if equation not in self.functions.caught:
            if row.accesses and op.params["spec"]:
                found |= self.leads_to(IndexError)
            found |= self.leads_to(ValueError) if row.empty else set()
        if row.kind is Arithmetic.POW and is_refusable(op) and self.leads_to(ValueError):
            raise refuse(
                equation.span,
                "a power of ints that may be negative is not supported inside `try` that takes its error: make one of "
                "them a float",
            )
        return found

    def of_function(self, equation: Equation, name: str) -> set[int]:
        if name not in self.functions.functions:
            raise refuse(
                equation.span,
                "a call of a function that calls itself is not supported inside `try`, which must know what it raises",
            )
        if name in self.looking:
            return set()
        self.looking.add(name)
        try:
            return self.of_block(self.functions.functions[name].body.equations)
        finally:
            self.looking.discard(name)

    # ---- equations made over ----

    def explicit(self, block: Block) -> Block:
        """A block with checks before what raises by itself."""
        made = Checks(False).function(Function("f", (), block)).body
        self.note(made)
        return made

    def note(self, block: Block) -> None:
        """What needs no check any more."""
        self.functions.caught |= {e for e in equations(block) if isinstance(e.op, Apply)}

    def made_over(self, block: Block, count: int, used: Sequence[int], finish: Finish) -> Block:
        """A block, the first `count` equations of which, explicit ones, may raise: as one that gives a flag for each of
        the handlers `used`, and the values."""
        return Rewriting(self, used, block).rest(block.equations, finish, count)

    def function(self, name: str, used: Sequence[int]) -> str:
        """A function made over: its name."""
        taken = tuple((k, each.classes, each.outer) for k, each in enumerate(self.clauses))
        passing = tuple(each for each in taken if each[-1] is not None)
        key = name, tuple(taken[k][:2] for k in used), passing, len(self.clauses)
        made = self.functions.made_over.get(key)
        if made not in self.functions.functions:
            source = self.functions.functions[name]
            made = self.functions.made_over[key] = self.functions.fresh(f"{name}_caught")
            self.functions.functions[made] = replace(source, name=made)  # which takes the name
            body = self.explicit(source.body)
            rewriting = Rewriting(self, used, body)
            kinds = tuple(kind(result.type, rewriting.bound) for result in body.results)
            body = rewriting.whole(body, kinds, nothing_of(kinds))
            whole = clone(replace(source, name=made, body=body))
            self.note(whole.body)
            self.functions.functions[made] = whole
        assert made is not None
        return made


def is_refusable(op: Apply) -> bool:
    base, power = (operand.type for operand in op.operands)
    known = isinstance(op.operands[1], Lit) and op.operands[1].value >= 0
    return base.dtype[0] in "iu" and power.dtype[0] == "i" and not known


def nothing_of(kinds: Sequence[Kind]) -> ENDED:
    """Values that nobody reads."""
    return lambda b: tuple(filler_value(b, each) for each in kinds)


@dataclass(eq=False)
class Rewriting:
    """One block made over, with those in it. `used`: the handlers that have flags."""

    catching: Catching
    used: Sequence[int]
    block: Block

    @cached_property
    def bound(self) -> set[Var]:
        found: set[Var] = set()
        gather(self.block, found, {})
        return found

    def flags(self, place: int | None = None) -> tuple[Atom, ...]:
        return tuple(TRUE if k == place else FALSE for k in self.used)

    def whole(self, block: Block, kinds: tuple[Kind, ...], ended: ENDED) -> Block:
        """A block all of whose equations may raise."""
        finish = Finish(self.flags(), block.results, kinds, ended)
        return self.rest(block.equations, finish, len(block.equations))

    def rest(self, equations: Sequence[Equation], finish: Finish, count: int) -> Block:
        """These equations, each of which is run where none before raised; `count`: those that may."""
        for at, equation in enumerate(equations[:count]):
            places = self.catching.of_equation(equation)
            if not places:
                continue
            before, after = equations[:at], equations[at + 1 :]
            op = equation.op
            if isinstance(op, Apply):
                (place,) = places
                left = ended(finish, self.flags(place))
                if op.primitive.kind is Effect.FAIL:
                    return Block((*before, *left.equations), left.results)
                made = If(op.operands[0], self.rest(after, finish, count - at - 1), left)
            else:
                flags, equation = self.told(equation)
                before = (*before, equation)
                raised, tests = any_of(flags)
                before = (*before, *tests)
                made = If(raised, ended(finish, flags), self.rest(after, finish, count - at - 1))
            outs = self.outs(finish)
            return Block((*before, Equation(outs, made, equation.span)), outs)
        b = Builder(checked=False)
        values = tuple(as_kind(b, v, k) for v, k in zip(finish.values, finish.kinds, strict=True))
        return Block((*equations, *b.equations), (*finish.flags, *values))

    def outs(self, finish: Finish) -> tuple[Var, ...]:
        flags = tuple(Var("raised", B1) for _ in self.used)
        return (*flags, *(Var("t", each.type()) for each in finish.kinds))

    def told(self, equation: Equation) -> tuple[tuple[Var, ...], Equation]:
        """An equation with blocks, or a call, that gives flags before its outs."""
        op = equation.op
        flags = tuple(Var("raised", B1) for _ in self.used)
        if isinstance(op, Call):
            name = self.catching.function(op.function, self.used)
            return flags, replace(equation, outs=(*flags, *equation.outs), op=replace(op, function=name))
        if isinstance(op, If):
            kinds = tuple(kind(out.type, self.bound) for out in equation.outs)

            def branch(block: Block) -> Block:
                return self.whole(block, kinds, nothing_of(kinds))

            return flags, replace(equation, outs=(*flags, *equation.outs), op=with_inner(op, branch))
        assert isinstance(op, For | While)
        return flags, replace(equation, outs=(*flags, *equation.outs), op=self.loop(equation, op))

    def loop(self, equation: Equation, op: For | While) -> For | While:
        """A loop that does nothing more once something was raised, which it carries."""
        carried = tuple(Var("raised", B1) for _ in self.used)
        kinds = tuple(kind(v.type, sizes_of(op.carried)) for v in op.carried)
        body = self.whole(op.body, kinds, lambda b: op.carried)
        if isinstance(op, While):
            if self.catching.of_block(op.cond.equations):
                raise refuse(
                    equation.span,
                    "a loop's test that may raise is not supported here: name what it tests in the loop",
                )
            raised, tests = any_of(carried)
            b = Builder(checked=False)
            b.equations += [*tests, *op.cond.equations]
            go = b.apply("and", b.apply("not", b.wrap(raised)), b.wrap(op.cond.results[0]))
            cond = b.block((go,))
            init = (*self.flags(), *op.init)
            return replace(op, carried=(*carried, *op.carried), init=init, cond=cond, body=body)
        raised, tests = any_of(carried)
        outs = tuple(
            Var(v.name, k.type()) for v, k in zip((*carried, *op.carried), (*map(flag_kind, carried), *kinds))
        )
        skipping = If(raised, Block((), (*carried, *op.carried)), body)
        body = Block((*tests, Equation(outs, skipping, equation.span)), outs)
        return replace(op, carried=(*carried, *op.carried), init=(*self.flags(), *op.init), body=body)


def flag_kind(flag: Var) -> Kind:
    return Kind(flag.type.dtype)


def sizes_of(carried: Sequence[Var]) -> set[Var]:
    return {n for var in carried for n in sizes(var.type)}


def ended(finish: Finish, flags: tuple[Atom, ...]) -> Block:
    """What a block gives where something was raised."""
    b = Builder(checked=False)
    values = finish.ended(b)
    return b.block((*flags, *values))


def any_of(flags: Sequence[Atom]) -> tuple[Atom, list[Equation]]:
    """Whether one of some flags is set, and the equations that tell it."""
    b = Builder(checked=False)
    found = b.wrap(flags[0])
    for each in flags[1:]:
        found = b.apply("or", found, b.wrap(each))
    return b.atom(found), b.equations
