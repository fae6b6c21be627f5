"""What every Program must satisfy: check runs after the last pass, in users' hands too, after each in tests.

    program = check(program, after="simplify")

Every Var is bound once and used in its scope (sizes in types included); outs have the types that the rows'
rules, callees and blocks give; streams are consumed once on each path; effects have no outs. What is
broken is an InternalError that names the pass and shows the IR with the complaint at its line. Linear time.

Of sizes only known ints are compared: that symbolic sizes are equal is what `check` equations prove at run
time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, assert_never

from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Program, Type, Var, While
from codegen.ir.listing import dump
from codegen.ir.substitution import blocks as blocks_of
from codegen.ir.traversal import equations


class InternalError(Exception):
    """A pass has made a program that is not well formed: a mistake of ours, never of the user's."""


def is_asked_after_each_pass() -> bool:
    """Whether passes are watched as in all tests: AUTOBATCH_CHECK=passes is in the environment."""
    return os.environ.get("AUTOBATCH_CHECK") == "passes"


def check(program: Program, *, after: str = "the front end") -> Program:
    """`program` itself, if it is well formed; `after` names the pass that made it."""
    if program.main not in program.functions:
        raise InternalError(f"after {after}: no function {program.main!r} in the program")
    bound: set[Var] = set()
    draws = drawn_from(program)
    for name, function in program.functions.items():
        try:
            if function.name != name:
                raise Complaint(None, f"function {function.name!r} is entered as {name!r}")
            Checker(program, bound, draws).function(function)
        except Complaint as complaint:
            listing = dump(program, at=complaint.at, says=complaint.says)
            raise InternalError(f"after {after}, in {name}: {complaint.says}\n{listing}") from None
    return program


def drawn_from(program: Program) -> dict[str, set[int]]:
    """For each function the places of parameters whose streams it touches: draws from, copies or gives back."""
    found: dict[str, set[int]] = {name: set() for name in program.functions}
    with_streams = {
        n: f for n, f in program.functions.items() if any(p.type.dtype == "rng" for p in f.params)
    }
    grown = bool(with_streams)
    while grown:
        grown = False
        for name, function in with_streams.items():
            used = set(consumed(function.body, found))
            places = {k for k, p in enumerate(function.params) if p in used}
            grown = grown or places != found[name]
            found[name] = places
    return found


def consumed(block: Block, draws: Mapping[str, set[int]]) -> Iterator[Atom]:
    """What a block takes or copies, passes on to be taken, carries through loops, or gives back."""
    yield from block.results
    for equation in equations(block):
        match equation.op:
            case Apply(_, operands):
                yield from operands
            case Call(name, operands):
                yield from (a for k, a in enumerate(operands) if k in draws.get(name, ()))
            case For(init=init) | While(init=init):
                yield from init
        for inside in blocks_of(equation.op):
            yield from inside.results


class Complaint(Exception):
    """`says` of the equation `at` (None: the function's head or its results)."""

    def __init__(self, at: Equation | None, says: str):
        super().__init__(says)
        self.at = at
        self.says = says


class Checker:
    """The state of one walk over one function: what is bound anywhere, in scope here, and consumed so far."""

    def __init__(self, program: Program, bound: set[Var], draws: Mapping[str, set[int]]):
        self.program = program
        self.draws = draws
        self.bound = bound
        self.scope: set[Var] = set()
        self.spent: set[Var] = set()  # streams consumed on this path
        self.walls: list[set[Var]] = []  # what each enclosing loop body may consume
        self.at: Equation | None = None

    def function(self, function: Function) -> None:
        self.bind(function.params)
        self.block(function.body)

    # scopes

    def bind(self, binders: Iterable[Var]) -> list[Var]:
        """Enter binders, and the sizes they bring; all that was entered."""
        entered: list[Var] = []
        for var in binders:
            if shape := var.type.shape:
                for dim in shape:
                    if isinstance(dim, Var) and dim not in self.scope:
                        if dim.type.dtype != "i8" or dim.type.shape:
                            raise Complaint(self.at, f"size {dim!r} is not an i8 scalar")
                        self.enter(dim, entered)
                if var.type.weak:
                    raise Complaint(self.at, f"{var!r} is weak but no scalar")
            self.enter(var, entered)
        return entered

    def enter(self, var: Var, entered: list[Var]) -> None:
        if var in self.bound:
            raise Complaint(self.at, f"{var!r} is bound twice")
        self.bound.add(var)
        self.scope.add(var)
        entered.append(var)
        if self.walls:
            self.walls[-1].add(var)

    def use(self, atom: Atom) -> None:
        if isinstance(atom, Lit):
            if atom.type.shape:
                raise Complaint(self.at, f"literal {atom!r} is no scalar")
            return
        self.within(atom)
        if atom in self.spent:
            raise Complaint(self.at, f"stream {atom!r} is used after it was consumed")

    def within(self, atom: Atom) -> None:
        if atom not in self.scope:
            raise Complaint(self.at, f"{atom!r} is used out of its scope")

    def consume(self, atom: Atom) -> None:
        """A use that may advance a stream; of other values an ordinary use."""
        self.use(atom)
        if isinstance(atom, Var) and atom.type.dtype == "rng":
            if self.walls and atom not in self.walls[-1]:
                raise Complaint(self.at, f"stream {atom!r} is consumed in a loop that does not carry it")
            self.spent.add(atom)

    def block(self, block: Block) -> list[Type]:
        """Check a block in a scope of its own; the types of its results."""
        outer = self.at
        entered: list[Var] = []
        for equation in block.equations:
            self.at = equation
            types = self.operation(equation)
            self.match(equation.outs, types, "out")
            entered += self.bind(equation.outs)
        self.at = outer
        for result in block.results:
            self.consume(result)
        self.scope.difference_update(entered)
        return [r.type for r in block.results]

    # types

    def match(self, binders: tuple[Var, ...], given: list[Type], what: str) -> None:
        if len(binders) != len(given):
            raise Complaint(self.at, f"{len(given)} values for {len(binders)} {what}s")
        for var, type_ in zip(binders, given):
            if var.type is not type_ and not agree(var.type, type_):
                raise Complaint(self.at, f"{what} {var!r} is given {type_}")

    def operation(self, equation: Equation) -> list[Type]:
        """Check an operation; the types of its values."""
        match equation.op:
            case Apply():
                return self.apply(equation.op)
            case Call(name, operands):
                if name not in self.program.functions:
                    raise Complaint(self.at, f"no function {name!r}")
                callee = self.program.functions[name]
                for k, operand in enumerate(operands):
                    idle = operand.type.dtype == "rng" and k not in self.draws[name]
                    (self.within if idle else self.consume)(operand)
                self.match(callee.params, [o.type for o in operands], "parameter")
                return [r.type for r in callee.body.results]
            case If():
                return self.branches(equation.op)
            case For() as loop:
                for atom in (loop.start, loop.stop):
                    self.use(atom)
                    if atom.type.dtype != "i8" or atom.type.rank:
                        raise Complaint(self.at, f"bound {atom!r} is not an i8 scalar")
                if loop.step == 0:
                    raise Complaint(self.at, "step 0")
                index = loop.index.type
                if index.dtype != "i8" or index.rank:
                    raise Complaint(self.at, f"index {loop.index!r} is not an i8 scalar")
                return self.loop(loop, (loop.index,), None)
            case While() as loop:
                return self.loop(loop, (), loop.cond)
            case _ as never:
                assert_never(never)

    def apply(self, op: Apply) -> list[Type]:
        draws, scope, spent = op.primitive.family == "random", self.scope, self.spent
        for operand in op.operands:
            if draws or operand not in scope or operand in spent:
                (self.consume if draws else self.use)(operand)
        try:
            types: Any = op.primitive.type(*op.operands, **op.params)
        except (TypeError, ValueError) as error:
            raise Complaint(self.at, f"{op.primitive.name}: {error}") from error
        if op.primitive.effect:
            return []
        return list(types) if isinstance(types, tuple) else [types]

    def branches(self, op: If) -> list[Type]:
        self.use(op.test)
        if op.test.type.dtype != "b1" or op.test.type.rank:
            raise Complaint(self.at, f"test {op.test!r} is no bool")
        before = set(self.spent)
        then = self.block(op.then)
        after_then, self.spent = self.spent, before
        orelse = self.block(op.orelse)
        self.spent |= after_then
        if len(then) != len(orelse):
            raise Complaint(self.at, f"{len(then)} results of one branch, {len(orelse)} of the other")
        for k, (a, b) in enumerate(zip(then, orelse)):
            if a.dtype != b.dtype or a.rank != b.rank:
                raise Complaint(self.at, f"result {k} is {a} of one branch, {b} of the other")
        return [common_type(a, b) for a, b in zip(then, orelse)]

    def loop(self, loop: For | While, before: tuple[Var, ...], cond: Block | None) -> list[Type]:
        for init in loop.init:
            self.consume(init)
        self.match(loop.carried, [u.type for u in loop.init], "carried")
        self.walls.append(set())
        entered = self.bind((*before, *loop.carried))
        if cond is not None:
            tests = self.block(cond)
            if [(t.dtype, t.rank) for t in tests] != [("b1", 0)]:
                raise Complaint(self.at, "the condition is not one bool")
        self.match(loop.carried, self.block(loop.body), "carried")
        self.walls.pop()
        self.scope.difference_update(entered)
        return [p.type for p in loop.carried]


def agree(a: Type, b: Type) -> bool:
    """Same dtype and rank, and no two known sizes that differ. (Weakness guides the front end alone.)"""
    if a is b:
        return True
    if a.dtype != b.dtype or len(a.shape) != len(b.shape):
        return False
    return a.shape == b.shape or not any(
        n != m and isinstance(n, int) and isinstance(m, int) for n, m in zip(a.shape, b.shape)
    )


def common_type(a: Type, b: Type) -> Type:
    """What is known of a value that is an `a` or a `b`: sizes that differ are left open."""
    open_ = Var("n", Type("i8"))
    return Type(a.dtype, tuple(n if n is m or n == m else open_ for n, m in zip(a.shape, b.shape)))
