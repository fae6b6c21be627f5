"""Loops whose iterations several threads may share, as functions of their own: shares : Program -> Program.

    for i in range(n):                  y, s = f_loop(x, y, s)
        s += x[i]               ->
        y[i] = f(x, i)                  def f_loop(x, y, s):
                                            for i in prange(len(x)):
                                                s += x[i]
                                                y[i] = f(x, i)
                                            return y, s

The outermost loops of the main function in which an iteration writes its own rows of arrays alone, and adds to numbers.
Nothing in them may draw or fail: whether indices are in range is asked before, and whether anything else fails by a
loop of its own (`first_failure.py`). (They are functions of their own because Numba, told to share loops, takes arrays
of one name in a function to have one size: numba/numba#7681.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from typing import Any

from codegen import ir
from codegen.analysis.affine import offset_of
from codegen.analysis.definitions import applied
from codegen.analysis.effects import pure
from codegen.analysis.own_places import own_axes
from codegen.cost_model import ASSUMED_INNER_ITERATIONS, PARALLEL_OPERATIONS, SERIAL_ITERATIONS
from codegen.emit.coalescing import unused_spelling
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Program, Var, While
from codegen.ir.build import Builder
from codegen.ir.kinds import Access, Arithmetic, Effect, Relation
from codegen.ir.substitution import blocks, clone, free, keep, rewrite
from codegen.ir.traversal import equations, with_outer_loops
from codegen.loops.first_failure import block_parameters, calm, checks, question
from codegen.primitives.row import ROWS
from codegen.simplify.driver import use_counts

Sum = tuple[Atom, int]  # a number, and an int that is added to it


def share_loops(program: Program) -> Program:
    """`program` with such loops as functions, of kind "threads"."""
    main = program.entry
    made = SharedLoops(main.name, {n: f for n, f in program.functions.items() if n != main.name})
    body = with_outer_loops(main.body, made.shared)
    return ir.program({**made.functions, main.name: replace(main, body=body)}, program.main)


@dataclass(eq=False)
class SharedLoops:
    """The functions of a program beside its main one."""

    main: str
    functions: dict[str, Function] = field(default_factory=dict)

    def shared(self, equation: Equation, loop: For, again: bool) -> Sequence[Equation] | None:
        """A loop as a call, where threads can share it; `again`: it is in another."""
        bare = Bare(loop)
        least = PARALLEL_OPERATIONS // max(round(work(loop.body)), 1) if again else 0
        if each_its_own(bare.loop):
            return bare.where_it_fits(self.function(equation, bare.loop), equation, least)
        quiet = calm(bare.loop) if loop.carried and checks(loop.body) and not has_calls(loop.body) else None
        if quiet and each_its_own(quiet) and (asks := self.asking(bare)):
            return bare.where_it_fits(self.function(equation, quiet), equation, least, asks)
        return None

    def asking(self, bare: Bare) -> list[Equation] | None:
        """What tells, last, how many iterations of a loop fail."""
        b = Builder(checked=False)
        for test in bare.tests(b):
            b.require(test, "IndexError")
        found = question(bare.loop, b.equations, work)
        if found is None or not each_its_own(found[1]):
            return None
        count = Var("failing", found[1].carried[0].type)
        return [*found[0], self.function(Equation((count,), found[1]), found[1])]

    def function(self, equation: Equation, loop: For) -> Equation:
        """A loop as a call of a function that has nothing else in it, whose iterations threads share."""
        equation = replace(equation, op=with_signed_index(replace(loop, kind="threads")))
        name = unused_spelling(f"{self.main}_loop", {*self.functions, self.main})
        outs = tuple(Var(o.name, o.type) for o in equation.outs)
        body = Block((replace(equation, outs=outs),), outs)
        given = block_parameters(body)
        self.functions[name] = clone(Function(name, given, body))
        return replace(equation, op=Call(name, given))


class Bare:
    """A loop without the checks that its indices are in range, where one question before it answers them all."""

    def __init__(self, loop: For):
        self.outside = set(free(loop))
        self.bounds: dict[tuple[Atom, int, Atom], None] = {}  # the index + an int at most is below a size
        inside = self.block(Block((Equation((), loop),), ()), {}, {})
        (equation,) = inside.equations
        assert isinstance(equation.op, For)
        self.loop = equation.op

    def block(self, block: Block, stops: Mapping[Var, Sum], made: Mapping[Atom, Apply]) -> Block:
        made = {**made, **applied(block.equations)}
        kept = []
        for equation in block.equations:
            op = equation.op
            match op:
                case Apply(primitive, operands) if primitive.kind is Effect.CHECK:
                    if (bound := self.bound(made.get(operands[0]), stops, made)) is not None:
                        self.bounds[bound] = None
                        continue
                case If():
                    then, orelse = (self.block(b, stops, made) for b in (op.then, op.orelse))
                    op = replace(op, then=then, orelse=orelse)
                case For():
                    stop, more = sum_parts(op.stop, made)
                    known = op.step == 1 and (isinstance(stop, Lit) or stop in self.outside)
                    own = {**stops, op.index: (stop, more)} if known else stops
                    op = replace(op, body=self.block(op.body, own, made))
            kept.append(replace(equation, op=op))
        return replace(block, equations=tuple(kept))

    def bound(
        self, test: Apply | None, stops: Mapping[Var, Sum], made: Mapping[Atom, Apply]
    ) -> tuple[Atom, int, Atom] | None:
        """Where a loop's index stops, what is added to it, and the size that it is to stay below."""
        if test is None or test.primitive.kind is not Relation.LT or test.operands[1] not in self.outside:
            return None
        index, more = sum_parts(test.operands[0], made)
        if not isinstance(index, Var) or index not in stops:
            return None
        stop, beyond = stops[index]
        return stop, beyond + more, test.operands[1]

    def tests(self, b: Builder) -> list[Any]:
        """Whether all indices are in range."""
        ends = ((b.wrap(stop), more, b.wrap(size)) for stop, more, size in self.bounds)
        return [(stop - -more if more < 0 else stop + more) <= size for stop, more, size in ends]

    def where_it_fits(
        self, shared: Equation, equation: Equation, least: int, asks: Sequence[Equation] = ()
    ) -> Sequence[Equation]:
        """The loop for threads, if all indices are in range and iterations enough; else as it was.

        asks: what tells, last, how many iterations fail: none is to.
        """
        b = Builder(span=equation.span, checked=False)
        tests = self.tests(b)
        if not isinstance(self.loop.start, Lit):  # places that count from the end may be others' too
            tests.append(b.apply("ge", self.loop.start, 0))
        if least > 1:
            tests.append(b.apply("ge", b.apply("sub", self.loop.stop, self.loop.start), least))
        test = reduce(partial(b.apply, "and"), tests) if tests else None
        if asks:
            c = Builder(span=equation.span, checked=False)
            c.equations += asks
            none = c.atom(c.apply("eq", c.wrap(asks[-1].outs[0]), 0))
            if test is None:
                b.equations += c.equations
                test = b.wrap(none)
            else:
                fine = Var("fine", none.type)
                sides = Block(tuple(c.equations), (none,)), Block((), (Lit(False, none.type),))
                b.emit((fine,), If(b.atom(test), *sides))
                test = b.wrap(fine)
        if test is None:
            return [shared]
        ways = (clone(Block((e,), equation.outs)) for e in (shared, equation))
        b.emit(equation.outs, If(b.atom(test), *ways))
        return b.equations


def with_signed_index(loop: For) -> For:
    """The index cast to an int with a sign, but where it is a place, or meets another int: Numba's prange counts in
    uint64, of which -i is no negative number, and `0 if c else i` a float."""
    index, signed = loop.index, Var(loop.index.name, loop.index.type)

    def as_it_is(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        return [equation] if meets_ints_alone(equation, index) else None

    body = rewrite(loop.body, {index: signed}, keep, as_it_is)
    if signed not in free(body):
        return loop
    b = Builder(checked=False)
    b.emit((signed,), Apply(ROWS["cast"], (index,), {"dtype": index.type.dtype}))
    return replace(loop, body=replace(body, equations=(*b.equations, *body.equations)))


def meets_ints_alone(equation: Equation, index: Var) -> bool:
    """Whether an equation does with an unsigned index what it does with a signed one."""
    op = equation.op
    if not isinstance(op, Apply) or any(index in x.type.shape for x in (*op.operands, *equation.outs)):
        return False
    match op.primitive.kind:
        case Access.READ | Access.WRITE | Access.ADD | Effect.CHECK:
            return True
        case (
            Arithmetic.ADD
            | Arithmetic.SUB
            | Arithmetic.MUL
            | Arithmetic.FLOORDIV
            | Arithmetic.MOD
            | Relation()
        ):
            return op.operands.count(index) == 1
    return False


def has_calls(block: Block) -> bool:
    """Whether a block calls functions, which may do anything."""
    return any(isinstance(e.op, Call) for e in equations(block))


def sum_parts(x: Atom, made: Mapping[Atom, Apply]) -> Sum:
    """A number as another one and an int, which is 0 where it is no such sum."""
    return offset_of(made.get(x)) or (x, 0)


def each_its_own(loop: For) -> bool:
    """Whether iterations do not look at each other's results, but for sums, and cannot fail."""
    if loop.step != 1 or not loop.carried or is_brief(loop) or not all(map(pure, loop.body.equations)):
        return False
    if isinstance(loop.start, Lit) and loop.start.value < 0:
        return False
    for param, result in zip(loop.carried, loop.body.results, strict=True):
        if param.type.rank:
            if 0 not in own_axes(loop.body, param, loop.index, result):
                return False
        elif not is_sum(loop.body, param, result):
            return False
    return True


def work(block: Block) -> float:
    """Rough operations of one run of a block."""
    total = 0.0
    for equation in block.equations:
        op = equation.op
        match op:
            case Apply():
                total += op.primitive.cost
            case For(start=Lit(value=start), stop=Lit(value=stop)):
                total += max(stop - start, 0) * work(op.body)
            case For() | While():
                total += ASSUMED_INNER_ITERATIONS * sum(map(work, blocks(op)))
            case If():
                total += max(map(work, blocks(op)))
    return total


def is_brief(loop: For) -> bool:
    start, stop = loop.start, loop.stop
    return isinstance(start, Lit) and isinstance(stop, Lit) and stop.value - start.value < SERIAL_ITERATIONS


def is_sum(block: Block, carried: Var, result: Atom) -> bool:
    """Whether a number is only ever added to, once an iteration."""
    made = next((e.op for e in block.equations if result in e.outs), None)
    if not isinstance(made, Apply) or made.primitive.kind is not Arithmetic.ADD:
        return False
    if carried not in made.operands or carried.type.dtype not in ("f8", "i8"):
        return False  # another dtype is cast in between
    count = use_counts(block)
    return count[carried] == 1 and isinstance(result, Var) and count[result] == 1
