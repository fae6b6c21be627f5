"""Loops whose iterations several threads may share: shares : Program -> Program.

    for i in range(n):                  for i in prange(n):
        s += x[i]               ->          s += x[i]
        y[i] = f(x, i)                      y[i] = f(x, i)

The outermost loops of the main function in which an iteration writes its own rows of arrays alone, and adds to numbers.
Nothing in them may fail or draw: whether indices are in range is asked before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from codegen import ir
from codegen.build import Builder
from codegen.fuse import at_row
from codegen.ir import Apply, Atom, Block, Call, Equation, For, If, Lit, Program, Var, While
from codegen.rename import blocks, clone, free
from codegen.simplify import uses

FEW = 64  # iterations that are not worth it


def shares(program: Program) -> Program:
    """`program` with such loops of kind "threads"."""
    main = program.entry
    functions = {**program.functions, main.name: replace(main, body=shared(main.body))}
    return ir.program(functions, program.main)


def shared(block: Block) -> Block:
    return replace(block, equations=tuple(each for e in block.equations for each in turned(e)))


def turned(equation: Equation) -> Sequence[Equation]:
    op = equation.op
    match op:
        case If():
            op = replace(op, then=shared(op.then), orelse=shared(op.orelse))
        case While():
            op = replace(op, body=shared(op.body))
        case For(kind="threads"):
            return [equation]
        case For():
            bare = Bare(op)
            if each_its_own(bare.loop):
                return bare.where_it_fits(equation)
            op = replace(op, body=shared(op.body))
    return [replace(equation, op=op)]


class Bare:
    """A loop without the checks that its indices are in range, where one question before it answers them all."""

    def __init__(self, loop: For):
        self.outside = set(free(loop))
        self.bounds: dict[tuple[Atom, int, Atom], None] = {}  # the index + an int at most is below a size
        inside = self.block(Block((Equation((), loop),), ()), {}, {})
        (equation,) = inside.equations
        assert isinstance(equation.op, For)
        self.loop = equation.op

    def block(self, block: Block, stops: Mapping[Var, Atom], made: Mapping[Atom, Apply]) -> Block:
        made = {**made, **{o: e.op for e in block.equations for o in e.outs if isinstance(e.op, Apply)}}
        kept = []
        for equation in block.equations:
            op = equation.op
            match op:
                case Apply(primitive, operands) if primitive.name == "check":
                    if (bound := self.bound(made.get(operands[0]), stops, made)) is not None:
                        self.bounds[bound] = None
                        continue
                case If():
                    then, orelse = (self.block(b, stops, made) for b in (op.then, op.orelse))
                    op = replace(op, then=then, orelse=orelse)
                case For():
                    known = op.step == 1 and (isinstance(op.stop, Lit) or op.stop in self.outside)
                    own = {**stops, op.index: op.stop} if known else stops
                    op = replace(op, body=self.block(op.body, own, made))
            kept.append(replace(equation, op=op))
        return replace(block, equations=tuple(kept))

    def bound(
        self, test: Apply | None, stops: Mapping[Var, Atom], made: Mapping[Atom, Apply]
    ) -> tuple[Atom, int, Atom] | None:
        """Where a loop's index stops, what is added to it, and the size that it is to stay below."""
        if test is None or test.primitive.name != "lt" or test.operands[1] not in self.outside:
            return None
        index, more = test.operands[0], 0
        match made.get(index):
            case Apply(primitive, (x, Lit(value=int(c)))) if primitive.name in ("add", "sub"):
                index, more = x, c if primitive.name == "add" else -c
        stop = stops.get(index) if isinstance(index, Var) else None
        return None if stop is None else (stop, more, test.operands[1])

    def where_it_fits(self, equation: Equation) -> Sequence[Equation]:
        """The loop for threads, if all indices are in range; else as it was, which then fails where it should."""
        threads = replace(equation, op=replace(self.loop, kind="threads"))
        if not self.bounds:
            return [threads]
        b = Builder(span=equation.span, checked=False)
        tests = [b.wrap(stop) + more <= b.wrap(size) for stop, more, size in self.bounds]
        test = tests[0]
        for each in tests[1:]:
            test = b.apply("and", test, each)
        sides = (clone(Block((e,), equation.outs)) for e in (threads, equation))
        b.emit(equation.outs, If(b.atom(test), *sides))
        return b.equations


def each_its_own(loop: For) -> bool:
    """Whether iterations do not look at each other's results, but for sums, and cannot fail."""
    if loop.step != 1 or not loop.carried or is_short(loop) or not quiet(loop.body):
        return False
    for param, result in zip(loop.carried, loop.body.results, strict=True):
        arrays: set[Atom] = {param}
        if param.type.rank:
            if not in_rows(loop.body, arrays, loop.index) or result not in arrays:
                return False
        elif not is_sum(loop.body, param, result):
            return False
    return True


def in_rows(block: Block, arrays: set[Atom], index: Var) -> bool:
    """Whether an array is read and written at rows `index` alone; `arrays`: it, and what writes make of it."""
    for equation in block.equations:
        op = equation.op
        match op:
            case Apply(primitive, operands):
                touched = [o for o in operands if o in arrays]
                if not touched:
                    continue
                if touched != [operands[0]] or not at_row(op, index):
                    return False
                if primitive.name != "index":
                    arrays.update(equation.outs)
            case If(_, then, orelse):
                if not (in_rows(then, arrays, index) and in_rows(orelse, arrays, index)):
                    return False
                for out, *sides in zip(equation.outs, then.results, orelse.results, strict=True):
                    if len({side in arrays for side in sides}) > 1:
                        return False
                    if sides[0] in arrays:
                        arrays.add(out)
            case For() | While():
                own = [init in arrays for init in op.init]
                for mine, param, out in zip(own, op.carried, equation.outs, strict=True):
                    if mine:
                        arrays |= {param, out}
                if not all(in_rows(b, arrays, index) for b in blocks(op)):
                    return False
                if own != [result in arrays for result in op.body.results]:
                    return False
    return True


def is_short(loop: For) -> bool:
    start, stop = loop.start, loop.stop
    return isinstance(start, Lit) and isinstance(stop, Lit) and stop.value - start.value < FEW


def quiet(block: Block) -> bool:
    """Whether nothing in a block acts, draws or calls."""
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Call) or (
            isinstance(op, Apply) and (op.primitive.effect or op.primitive.family == "random")
        ):
            return False
        if not all(map(quiet, blocks(op))):
            return False
    return True


def is_sum(block: Block, carried: Var, result: Atom) -> bool:
    """Whether a number is only ever added to, once an iteration."""
    made = next((e.op for e in block.equations if result in e.outs), None)
    if not isinstance(made, Apply) or made.primitive.name != "add" or carried not in made.operands:
        return False
    count = uses(block)
    return count[carried] == 1 and isinstance(result, Var) and count[result] == 1
