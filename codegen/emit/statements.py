"""One function of a Program as Python text: statements, with expressions folded into them.

s1 = if c: yield a else: yield b              if c:
                                       ->         s = a
                                              else:
                                                  s = b
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from codegen.emit.argument_stores import is_store
from codegen.emit.coalescing import claim
from codegen.emit.copy_insertion import TEMPORARY
from codegen.emit.expression_folding import CHOICE, is_choice, width
from codegen.emit.expressions import Assignments
from codegen.emit.lines import INDENT
from codegen.emit.raising import Raising
from codegen.emit.spelling import documentation, scalar_type
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Var, While
from codegen.ir.kinds import Access, Effect
from codegen.ir.substitution import blocks, sizes
from codegen.ir.traversal import equations, operands
from codegen.primitives.index import subscript
from codegen.source import refuse


@dataclass(frozen=True)
class Moves:
    """At the end of a block its results go into `outs`."""

    outs: tuple[Var, ...]


@dataclass(frozen=True)
class Leave:
    """At the end of a block the function returns `results`, where `outs` stand for the block's own."""

    results: tuple[Atom, ...]
    outs: tuple[Var, ...] = ()

    def given(self, results: tuple[Atom, ...]) -> tuple[Atom, ...]:
        own = dict(zip(self.outs, results))
        return tuple(own.get(r, r) if isinstance(r, Var) else r for r in self.results)


Finish = Moves | Leave


@dataclass(eq=False)
class Printer(Assignments):
    """The text of one function; `guarded`: it never raises, and tells whether it did what it should; `returned`: the
    values that it returns, of its results, where these are other ones."""

    function: Function
    raising: Raising
    guarded: bool
    returned: Callable[[Sequence[str]], Sequence[str]] | None = None

    def definition(self, decorator: str | None = None) -> str:
        function = self.function
        if decorator:
            self.out.line(decorator)
        self.out.listed(f"def {self.called[function.name]}(", [self.names[p] for p in function.params], "):")
        self.out.depth += 1
        if function.doc:
            first, *rest = documentation(function.doc).splitlines()
            self.out.line(first)
            self.out.lines += [INDENT * self.out.depth + line if line.strip() else "" for line in rest]
        begun = len(self.out.lines)
        self.sized.update(self.scalars())
        self.sizes(sorted(function.params, key=lambda p: p.type.rank != 1))  # len(b) rather than L.shape[0]
        for param in function.params:
            if param in self.spelling.settled:
                self.out.line(f"{self.names[param]} = {scalar_type(param.type.dtype)}({self.names[param]})")
        back = self.back.get(function.name, {})
        if self.guarded:
            self.guard(function)
        else:
            results = (r for k, r in enumerate(function.body.results) if k not in back)
            self.block(function.body, Leave(tuple(results)))
        self.out.depth -= 1
        if len(self.out.lines) == begun and not function.doc:
            self.out.lines.append(f"{INDENT}pass")
        return "\n".join(self.out.lines)

    def guard(self, function: Function) -> None:
        """The body of a function that never raises: it also gives whether it did what it should."""
        self.out.line("try:")
        self.out.depth += 1
        self.block(function.body, Leave(function.body.results))
        self.out.depth -= 1
        zeros = [f"{scalar_type(r.type.dtype)}(0)" for r in function.body.results]
        self.out.line("except Exception:")
        self.out.line(f"{INDENT}return {', '.join((*zeros, 'False'))}")

    def scalars(self) -> Iterator[Var]:
        """Parameters and indices of loops, which no array brings where they are its size."""
        yield from self.function.params
        yield from (e.op.index for e in equations(self.function.body) if isinstance(e.op, For))

    # blocks

    def block(self, block: Block, finish: Finish) -> None:
        """The statements of a block and what becomes of its results."""
        self.sized.update(o for e in block.equations for o in e.outs)  # computed, not brought by an array
        equations = [e for e in block.equations if not self.is_folded(e)]
        if isinstance(finish, Leave):
            finish = Leave(finish.given(block.results))
        for k, equation in enumerate(equations):
            if isinstance(equation.op, If) and k == len(equations) - 1 and not self.as_choice(equation):
                if (onwards := self.onwards(equation, block, finish)) is not None:
                    self.branches(equation.op, onwards)
                    return
            elif self.tail_call(equation, finish) and all(map(says_nothing, equations[k + 1 :])):
                assert isinstance(equation.op, Call)
                self.call_alone("return ", equation.op)
                return
            self.statement(equation)
            if raises(equation):
                return
        if isinstance(finish, Moves):
            self.moves(list(zip(finish.outs, block.results)))
        elif finish.results:
            folded = (self.folded[r].span for r in finish.results if isinstance(r, Var) and r in self.folded)
            self.out.leaving = next((span for span in folded if span is not None), None)
            values = [self.plain(r) for r in finish.results]
            if self.returned is not None:
                values = [*self.returned(values)]
            self.out.returned([*values, "True"] if self.guarded else values, self.names.values())
            self.out.leaving = None

    def tail_call(self, equation: Equation, finish: Finish) -> bool:
        """Whether a call's values, without names of the user's, are what the function returns."""
        outs = equation.outs
        unnamed = outs and all(o.name == TEMPORARY and self.used[o] == 1 for o in outs)
        back = isinstance(equation.op, Call) and self.back.get(equation.op.function)
        whole = not self.guarded and self.returned is None and not back
        leaves = isinstance(finish, Leave) and finish.results == outs and whole
        return isinstance(equation.op, Call) and bool(unnamed) and leaves

    def onwards(self, equation: Equation, block: Block, finish: Finish) -> Finish | None:
        """The finish of an If's branches that does at once what the block does with the If's outs."""
        outs = equation.outs
        brought = {n for o in outs for n in sizes(o.type) if self.used[n]} - self.sized
        if isinstance(finish, Leave):
            given = finish.results
            simple = all(isinstance(r, Lit) or (r not in self.folded and r not in brought) for r in given)
            return Leave(given, outs) if simple and given else None
        if any(not isinstance(r, Var) or r not in outs for r in block.results):
            return None
        onto = dict(zip((r for r in block.results if isinstance(r, Var)), finish.outs))
        if len(onto) != len(finish.outs) or set(onto) != set(outs) or brought:
            return None
        return Moves(tuple(onto[o] for o in outs))

    def nested(self, block: Block, finish: Finish) -> None:
        """A block one level deeper."""
        self.out.depth += 1
        before = len(self.out.lines)
        self.block(block, finish)
        if len(self.out.lines) == before:
            self.out.line("pass")
        self.out.depth -= 1

    # statements

    def statement(self, equation: Equation) -> None:
        self.out.span = equation.span
        match equation.op:
            case Apply():
                self.apply(equation, equation.op)
            case Call():
                self.call(equation, equation.op)
            case If():
                if self.as_choice(equation):
                    if self.wanted(equation.outs[0]):
                        self.assign(equation.outs[0], self.choice(equation.op)[0])
                else:
                    self.branches(equation.op, Moves(equation.outs))
            case For() | While():
                self.loop(equation, equation.op)
            case _ as never:
                assert_never(never)
        self.out.span = None
        self.sizes(equation.outs)

    def apply(self, equation: Equation, op: Apply) -> None:
        match op.primitive.kind:
            case Effect.CHECK:
                self.out.line(f"if {self.failing(op.operands[0])}:")
                self.out.line(f"{INDENT}{self.raised(op, op.operands[1:])}")
            case Effect.FAIL:
                self.out.line(self.raised(op, op.operands))
            case Access.WRITE | Access.ADD:
                self.write(equation, op)
            case Effect.PRINT:
                if self.target.launches:
                    raise refuse(equation.span, "print() is not supported on a GPU: print what is returned")
                texts = [self.plain(v) for v in op.operands]
                self.out.line(self.raising.printing(op, texts, equation.span))
            case Effect.STORE:
                for target in op.operands[1:]:  # none where the argument was written in place all along
                    self.store(self.plain(target), op.operands[0])
            case _ if op.primitive.family == "random":
                self.draw(equation, op)
            case _:
                self.pure(equation, op)

    def store(self, target: str, value: Atom) -> None:
        """All elements of an array into another: by loops, as Numba compiles an error message for each assignment."""
        if not self.target.compiled:
            self.out.line(f"{target}[...] = {self.plain(value)}")
            return
        taken = set(self.names.values())
        values = self.plain(value)
        if value in self.folded:  # an expression, which is computed once
            values, expression = claim(TEMPORARY, taken), values
            self.out.line(f"{values} = {expression}")
        places = [claim("i", taken) for _ in range(value.type.rank)]
        for axis, place in enumerate(places):
            self.out.line(f"for {place} in range({target}.shape[{axis}]):")
            self.out.depth += 1
        at = ", ".join(places)
        self.out.line(f"{target}[{at}] = {values}[{at}]")
        self.out.depth -= len(places)

    def failing(self, test: Atom) -> str:
        """When a check fails. One that always does is a call: of what follows Numba is to find the type."""
        return "bool(1)" if isinstance(test, Lit) and self.target.compiled else self.denied(test)

    def raised(self, op: Apply, values: Sequence[Atom]) -> str:
        return self.raising.statement(op, [self.plain(v) for v in values], values)

    def pure(self, equation: Equation, op: Apply) -> None:
        out = equation.outs[0]
        if not self.wanted(out):
            return
        args = self.arguments(op)
        value = self.spelling.apply(op, args, out.type)
        self.assign(out, value[0], self.augmented(self.names[out], op, out, args, value))

    def write(self, equation: Equation, op: Apply) -> None:
        """update and accumulate, in place: their array is dead afterwards (copy_insertion.py)."""
        out = equation.outs[0]
        if not self.wanted(out):
            return
        self.moves([(out, op.operands[0])])
        self.put(out, op)

    def put(self, out: Var, op: Apply) -> None:
        """The write itself."""
        _, value, *places = op.operands
        name = self.names[out]
        if op.primitive.kind is Access.ADD and "a" in op.params["spec"]:
            index = self.spelling.places(op.params["spec"], [self.plain(p) for p in places])
            self.out.line(f"np.add.at({name}, {index}, {self.plain(value)})")
            return
        inside = subscript(op.params["spec"], tuple(self.plain(p) for p in places))
        if op.primitive.kind is Access.WRITE:
            slot = f"{name}[{inside}]"
            self.out.line(self.stepped(slot, value) or f"{slot} = {self.plain(value)}")
            return
        slot = f"{name}[{inside if op.params['spec'] else ':'}]"  # Numba adds to no vector under an ellipsis
        # An array that is negated on the way may be the one that is written: Numba does not look.
        is_apart = not value.type.rank or not self.target.compiled
        sign, added = self.signed(value) if is_apart else ("+", self.plain(value))
        self.out.line(f"{slot} {sign}= {added}")

    def draw(self, equation: Equation, op: Apply) -> None:
        stream, value = equation.outs
        self.moves([(stream, op.operands[0])] if self.wanted(stream) else [])
        if value in self.folded:
            return
        name = self.names[value] if self.wanted(value) else self.nobody
        for line in self.target.draws(op, [self.plain(o) for o in op.operands], name, value.type):
            self.out.line(line)

    def as_choice(self, equation: Equation) -> bool:
        """Whether an If is short enough to be an expression."""
        if not is_choice(equation, self.folded) or not isinstance(equation.op, If):
            return False
        results = (b.results[0] for b in blocks(equation.op))
        return 12 + sum(width(a, self.folded) for a in (equation.op.test, *results)) <= CHOICE

    def branches(self, op: If, finish: Finish) -> None:
        """if, elif, else; what follows a branch that has left needs no else."""
        self.out.span = None
        word = "if"
        while True:
            then, orelse = op.then, op.orelse
            if self.empty(then, finish) and not self.empty(orelse, finish):
                self.out.line(f"{word} {self.denied(op.test)}:")
                self.nested(orelse, finish)
                return
            self.out.line(f"{word} {self.plain(op.test)}:")
            if word == "if" and self.leave_alike(then, orelse, finish):
                self.nested(then, Moves(()))
                self.block(orelse, finish)
                return
            self.nested(then, finish)
            if word == "if" and leaves_block(then, finish):
                self.block(orelse, finish)
                return
            if self.empty(orelse, finish):
                return
            chained = self.chained(orelse, finish)
            if chained is None:
                self.out.line("else:")
                self.nested(orelse, finish)
                return
            op, finish = chained
            word = "elif"

    def leave_alike(self, then: Block, orelse: Block, finish: Finish) -> bool:
        """Whether a branch goes on to what all else there is does, to return values of the same names."""
        if (
            not isinstance(finish, Leave)
            or not finish.results
            or not all(map(self.is_folded, orelse.equations))
        ):
            return False
        pairs = zip(finish.given(then.results), finish.given(orelse.results))
        alike = all(a is b or (self.printed_name(a) or a) == (self.printed_name(b) or b) for a, b in pairs)
        return alike and not all(map(self.is_folded, then.equations))

    def printed_name(self, atom: Atom) -> str | None:
        return None if isinstance(atom, Lit) else self.names.get(atom)

    def chained(self, orelse: Block, finish: Finish) -> tuple[If, Finish] | None:
        """The If that is all of an else-branch, for elif."""
        rest = [e for e in orelse.equations if not self.is_folded(e)]
        if len(rest) != 1 or not isinstance(rest[0].op, If):
            return None
        onwards = self.onwards(rest[0], orelse, finish)
        return None if onwards is None else (rest[0].op, onwards)

    def empty(self, block: Block, finish: Finish) -> bool:
        """Whether a block prints nothing: no statements, and every result has its name already."""
        if isinstance(finish, Leave) or not all(map(self.is_folded, block.equations)):
            return False
        return not self.moving(list(zip(finish.outs, block.results)))

    def loop(self, equation: Equation, loop: For | While) -> None:
        self.out.span = None
        self.moves(list(zip(loop.carried, loop.init)))
        first = [] if isinstance(loop, For) else self.before_test(loop)
        if isinstance(loop, For):
            index = self.names[loop.index] if self.used[loop.index] else self.nobody
            self.out.line(f"for {index} in {self.range(loop)}:")
        else:
            self.out.line(f"while {self.plain(loop.cond.results[0]) if first is None else 'True'}:")
        self.out.depth += 1
        self.sizes(loop.carried)
        if isinstance(loop, While) and first is not None:
            for each in first:
                self.statement(each)
            self.out.line(f"if {self.denied(loop.cond.results[0])}:")
            self.out.line(f"{INDENT}break")
        self.out.depth -= 1
        self.nested(loop.body, Moves(loop.carried))
        self.moves(list(zip(equation.outs, loop.carried)))

    def range(self, loop: For) -> str:
        start, stop = self.plain(loop.start), self.plain(loop.stop)
        word = self.target.counted(loop)
        if loop.step != 1:
            return f"{word}({start}, {stop}, {loop.step})"
        return f"{word}({stop})" if start == "0" else f"{word}({start}, {stop})"

    def before_test(self, loop: While) -> list[Equation] | None:
        """The statements before a loop's test; None where it has none, nor asks for a size that the loop brings."""
        rest = [e for e in loop.cond.equations if not self.is_folded(e)]
        brought = {n for p in loop.carried for n in sizes(p.type)} - self.sized
        made = (n for e in loop.cond.equations for out in e.outs for n in sizes(out.type))
        return rest if rest or not brought.isdisjoint((*operands(loop.cond), *made)) else None


def says_nothing(equation: Equation) -> bool:
    """Whether an equation is no statement: a store of what was written in place all along."""
    return is_store(equation.op) and len(equation.op.operands) == 1


def raises(equation: Equation) -> bool:
    return isinstance(equation.op, Apply) and equation.op.primitive.kind is Effect.FAIL


def leaves_block(block: Block, finish: Finish) -> bool:
    """Whether what follows a branch is reached only past it."""
    if any(raises(e) for e in block.equations):
        return True
    return isinstance(finish, Leave) and bool(finish.results)
