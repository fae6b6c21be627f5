"""Array equations to loops over scalars, fused.

    z = np.exp(x) * w              s = 0.0
    s = np.sum(z)          ->      for i in range(n):
    return s                           s += math.exp(x[i]) * w[i]

An array whose elements come from elements of others (elements.py) is not computed where it is defined: the
loop that needs it computes its elements as it goes. It becomes an array in memory when something needs it as
one: a result, a call, a loop's state, an in-place write; when two loops need it and an element costs more
than reading one (the first loop then stores it as it goes); or before something it reads is written. Arrays
of one shape that are due together share a loop, and so do reductions of arrays of one shape. What has no
elements of its own is in reductions.py. The loop over the last axis is the innermost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from codegen import ir
from codegen.cost_model import FUSED_COST, RECOMPUTED_COST
from codegen.ir import Apply, Atom, Block, Call, Equation, For, If, Program, Type, Var, While
from codegen.ir.kinds import Access, Joined, Same, Vector
from codegen.ir.substitution import binders, free, reads, sizes
from codegen.ir.traversal import with_inner, within
from codegen.loops import concat_split
from codegen.loops.elements import Element, divides, element_of, is_slice, reduces_all, slot_sizes
from codegen.loops.folds import Fold, fold_of
from codegen.loops.nests import Place, Point, in_dtype
from codegen.loops.producer_fusion import DelayedArray, PendingArrays
from codegen.loops.reductions import (
    FOLDS,
    leaves_rows,
    lower_draws,
    lower_reduction,
    reduce_rows,
    require_elements,
)
from codegen.loops.windows import written_element
from codegen.primitives import ROWS
from codegen.simplify.driver import use_counts


def scalarize(
    program: Program,
    *,
    when: Callable[[Equation], bool] = lambda equation: True,
    thrifty: bool = False,
    views: bool = False,
    windows: bool = False,
) -> Program:
    """`program` with the array equations chosen by `when` as loops; the others get their operands as arrays.

    `thrifty`: a cheap array that is needed twice is stored, too, where that ends the lives of two others.
    `views`: slices and other shapes of arrays in memory are not copied. `windows`: what is written into a part of an
    array that is not in memory is computed with it, and loops are not split where the pieces of a join meet.

    scalarize(program, when=lambda equation: equation.op.primitive.family != "linalg")
    """
    functions = {}
    for name, f in program.functions.items():
        scope = dict.fromkeys(d for p in f.params for d in (p, *sizes(p.type)))
        lowering = LoopLowering(scope, {}, use_counts(f.body), when, thrifty, views, windows)
        functions[name] = replace(f, body=lowering.block(f.body))
    return ir.program(functions, program.main)


@dataclass(eq=False)
class LoopLowering(PendingArrays):
    """One block being walked."""

    def block(self, block: Block) -> Block:
        """The block with its array equations turned."""
        for equation in block.equations:
            self.visit(equation)
        self.need(block.results)
        return Block(tuple(self.b.equations), block.results)

    def inner(self, block: Block) -> Block:
        """The same of a block inside this one."""
        equal, goal = dict(self.equal), (self.when, self.thrifty, self.views, self.windows)
        return LoopLowering(self.scope, equal, use_counts(block), *goal, bases=self.bases).block(block)

    def visit(self, equation: Equation) -> None:
        self.b.span = equation.span
        op = equation.op
        mentioned = free(op)
        if self.waits(equation):
            self.later.update((out, equation) for out in equation.outs)
            self.spend(equation, mentioned)
            self.bind(equation.outs)
            return
        self.need(v for v in mentioned if not v.type.rank)
        turns = isinstance(op, Apply) and not op.primitive.effect and arrays_in(equation)
        turns = turns and self.when(equation)
        self.need_reductions_of(self.read_at_once(equation) if turns else mentioned)
        self.spend(equation, mentioned)
        self.before_writes(arrays_consumed(equation))
        if isinstance(op, Apply) and turns:
            self.turn(equation, op)
        else:
            self.need(mentioned)
            if isinstance(op, Apply) and op.primitive.family == "reduce":
                require_elements(self.b, op, op.params["axis"])
            self.b.equations.append(self.inside(equation))
            self.learn(equation)
        self.bind(equation.outs)

    def spend(self, equation: Equation, mentioned: Iterable[Var]) -> None:
        """The uses in this equation are no longer to come."""
        self.left.subtract(use_counts(Block((equation,), ())))
        for var in mentioned:
            if var in self.waiting and self.left[var] <= 0:
                del self.waiting[var]

    def waits(self, equation: Equation) -> bool:
        """A scalar of a reduction that is not yet done can wait with it: more may then share the loop."""
        op = equation.op
        if not isinstance(op, Apply) or op.primitive.effect or op.primitive.of_streams:
            return False
        pending = any(o in self.folds or o in self.later for o in op.operands if isinstance(o, Var))
        return pending and not arrays_in(equation)

    def inside(self, equation: Equation) -> Equation:
        """An equation with the blocks in it turned."""
        self.bind(binders(equation.op))
        return replace(equation, op=with_inner(equation.op, self.inner))

    def bind(self, binders_: Iterable[Var]) -> None:
        for var in binders_:
            self.scope[var] = None
            self.scope.update(dict.fromkeys(sizes(var.type)))

    def turn(self, equation: Equation, op: Apply) -> None:
        out = equation.outs[-1]
        self.bring(op, out)
        if not self.windows and not keeps_order(op):
            self.whole(op.operands)
        rule = element_of(op)
        if rule is None and self.windows and not self.stored(op.operands[0]):
            rule = written_element(op)
        if rule is not None and out.type.rank:
            self.delay(equation, op, rule)
            return
        if op.primitive.family == "reduce" and (fold := self.fold(out, op)) is not None:
            self.reduce(equation, op, fold)
            return
        if rule is not None:
            self.read_one(equation, op, rule)
        elif op.primitive.family == "reduce":
            lower = reduce_rows if leaves_rows(self, op) else lower_reduction
            lower(self, equation, op)
        elif op.primitive.family == "random":
            lower_draws(self, equation, op)
        elif op.primitive.kind in FOLDS and not one_place(op):
            FOLDS[op.primitive.kind](self, equation, op)
        else:
            self.need(o for o in op.operands if isinstance(o, Var) and o.type.rank)
            self.b.equations.append(equation)

    def bring(self, op: Apply, out: Var) -> None:
        """The sizes that an array not in memory would bring, as scalars."""
        for k, d in enumerate(out.type.shape):
            if not isinstance(d, Var) or d in self.scope:
                continue
            if op.primitive.kind is Access.READ:
                value = slot_sizes(self.b, op.operands[0].type, op.params["spec"], op.operands[1:])[k]
            elif op.primitive.kind is Joined.CONCATENATE:
                value = concat_split.piece_begin(self.b, op, len(op.operands))
            else:
                continue
            self.bind_to(d, value)
            self.scope[d] = None

    def bind_to(self, var: Var, value: Any) -> None:
        """`var` is this value, if it is not bound to it already."""
        atom = self.b.atom(value)
        last = self.b.equations[-1] if self.b.equations else None
        if last is not None and last.outs == (atom,) and atom not in self.scope:
            self.b.equations[-1] = replace(last, outs=(var,))  # made for it
        elif atom is not var:
            self.b.emit((var,), Apply(ROWS["copy"], (atom,)))

    def read_at_once(self, equation: Equation) -> list[Atom]:
        """The operands of which a loop is about to read, or elements again and again."""
        op, out = equation.op, equation.outs[-1]
        assert isinstance(op, Apply)
        if op.primitive.family == "reduce" and self.fold(out, op) is not None:
            return []
        if not out.type.rank or element_of(op) is None or is_gather(op):
            return list(op.operands)
        longer = size_order(out.type)[1]
        return [x for x in op.operands if x.type.rank and size_order(x.type)[1] < longer]

    def fold(self, out: Var, op: Apply) -> Fold | None:
        """A reduction that can share a loop with others: on a GPU one to a number."""
        alone = out.type.rank and (self.windows or leaves_rows(self, op))
        return None if alone else fold_of(out, op)

    def reduce(self, equation: Equation, op: Apply, fold: Fold) -> None:
        """Leave a reduction to the loops over what it reduces."""
        require_elements(self.b, op, op.params["axis"])
        self.keep(fold.x, joins=True)
        self.folds[fold.out] = fold
        if fold.out.type.rank:
            self.pulls[fold.out] = DelayedArray(
                equation, read_too_early, {fold.out: RECOMPUTED_COST + 1}, frozenset()
            )
            if self.left[fold.out] > 0:
                self.waiting[fold.out] = None

    def delay(self, equation: Equation, op: Apply, rule: Element) -> None:
        """Leave an array to the loops that need it."""
        out = equation.outs[0]
        for operand in op.operands:
            if isinstance(operand, Var) and operand.type.rank:
                again = is_gather(op) or size_order(operand.type) < size_order(out.type)
                if operand not in self.folds:
                    self.keep(operand, always=again, joins=op.primitive.family == "elementwise")
        pull = self.pull(equation, op, rule)
        self.pulls[out] = pull
        if self.views and {None, Vector.TEXT} <= pull.on_way(self.pulls):
            self.apart(op)
            pull = self.pull(equation, op, rule)
        if pull.cost > FUSED_COST:
            self.need(o for o in op.operands if isinstance(o, Var))
            pull = self.pull(equation, op, rule)
        self.pulls[out] = pull
        if self.left[out] > 0:
            self.waiting[out] = None
        if (
            self.views
            and op.primitive.kind is Same.RESHAPED
            and divides(out.type.shape, op.operands[0].type.shape)
        ):
            self.in_memory(op.operands[0])
            self.need([out])

    def apart(self, op: Apply) -> None:
        """Store what LLVM makes no vectors of where it would share a loop with functions that become vectors; where the
        operation itself is such, their results."""
        stops = Vector.TEXT if op.primitive.vector is None else None
        for operand in op.operands:
            if (
                isinstance(operand, Var)
                and operand in self.pulls
                and stops in self.pulls[operand].on_way(self.pulls)
            ):
                self.in_memory(operand)

    def pull(self, equation: Equation, op: Apply, rule: Element) -> DelayedArray:
        own = op.primitive.cost if op.primitive.family == "elementwise" else 0.0
        parts: dict[Var, float] = {}
        leaves: set[Var] = set()
        for operand in op.operands:
            if not isinstance(operand, Var) or not operand.type.rank:
                continue
            if self.stored(operand):
                leaves.add(operand)
            else:
                parts |= self.pulls[operand].parts
                leaves |= self.pulls[operand].leaves
        parts[equation.outs[0]] = own
        return DelayedArray(equation, rule, parts, frozenset(leaves))

    def read_one(self, equation: Equation, op: Apply, rule: Element) -> None:
        """One element of an array: computed alone, unless the array is due anyway."""
        (out,) = equation.outs
        self.keep(op.operands[0])
        value = rule(self.point(self.b, ()), out.type, (), *op.operands, **op.params)
        self.bind_to(out, in_dtype(self.b, value, out.type.dtype))

    def turned(self, atom: Atom) -> bool:
        """Do the rows of this matrix run across those in memory?"""
        pull = self.pulls.get(atom) if isinstance(atom, Var) else None
        if pull is None:
            return False
        op = pull.equation.op
        return isinstance(op, Apply) and op.primitive.kind is Same.TRANSPOSED

    def sum_of_products(self, equation: Equation, x: Atom, y: Atom) -> None:
        """A dot product is the sum of an array of products."""
        (out,) = equation.outs
        op = Apply(ROWS["mul"], (x, y))
        product = Var("t", Type(out.type.dtype, x.type.shape))
        rule = element_of(op)
        assert rule is not None
        self.delay(Equation((product,), op, equation.span), op, rule)
        self.folds[out] = Fold(out, Apply(ROWS["sum"], (product,), {"axis": (0,)}))


def read_too_early(p: Point, type_: Type, place: Place, *operands: Atom, **params: Any) -> Any:
    raise AssertionError("a reduction is done before its results are read")


def is_gather(op: Apply) -> bool:
    return op.primitive.kind is Access.READ and "a" in op.params["spec"]


def arrays_in(equation: Equation) -> bool:
    atoms = (*reads(equation.op), *equation.outs)
    return any(a.type.rank for a in atoms)


def one_place(op: Apply) -> bool:
    """Is it a write of a scalar at one place?"""
    if not op.primitive.writes:
        return False
    spec = op.params["spec"]
    return len(spec) == op.operands[0].type.rank and all(token == "i" for token in spec)


def keeps_order(op: Apply) -> bool:
    """Whether the elements of an operation's result come from its operands' in their order, one from one.

    Then loops over them can be split where the pieces of a join meet.
    """
    if op.primitive.kind is Access.READ:
        return is_slice(op)
    if op.primitive.kind in (Same.COPY, Same.BROADCAST, Same.TRANSPOSED, Joined.CONCATENATE):
        return True
    return op.primitive.family == "elementwise" or reduces_all(op)


def size_order(type_: Type) -> tuple[int, int]:
    """An order of shapes by their numbers of elements, as far as broadcasting tells."""
    return type_.rank, sum(n != 1 for n in type_.shape)


def arrays_consumed(equation: Equation) -> set[Var]:
    """The arrays that an equation may write in place, or hand to what does."""
    found: list[Atom] = []
    for each in within(equation):
        match each.op:
            case Apply(primitive, operands) if primitive.writes:
                found += operands[:1]
            case Call(_, operands):
                found += operands
            case If(_, then, orelse):
                found += (*then.results, *orelse.results)
            case For(init=init) | While(init=init):
                found += init
    return {a for a in found if isinstance(a, Var) and a.type.rank}
