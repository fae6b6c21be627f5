"""Which equations are written inside the expression that uses them, rather than as statements.

    t = index x, i ; u = mul t, a ; s1 = add s, u      ->      s1 = s + x[i] * a

    fold : Function -> {Var: its equation}, the Vars that get no name

A temporary folds into its only user in the same block when it is no name of the user's, the expression
stays short, and nothing between writes an array that it reads. Calls and draws fold where nothing else
happens between and Python evaluates them in their order. An If whose blocks fold whole is itself an
expression: `a if test else b`, `a and b`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from codegen.analysis.affine import offset_of
from codegen.analysis.effects import may_end as stops
from codegen.emit.argument_stores import NOTHING, GivenBack
from codegen.emit.copy_insertion import TEMPORARY
from codegen.emit.inplace import Storage
from codegen.emit.spelling import ATOM, Text
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Var, While
from codegen.ir.kinds import Access, Arithmetic, Effect, Same
from codegen.ir.primitive import Primitive
from codegen.ir.substitution import blocks, reads, sizes
from codegen.ir.traversal import equations, within
from codegen.simplify.driver import use_counts as mentions

OPERATIONS = 6  # of an expression put together from several of the user's lines
WIDTH = 100  # characters of an expression, where every name had NAME
CHOICE = 64  # the same of an If that is written as an expression
NAME = 3

Folded = Mapping[Var, Equation]


def fold_expressions(
    function: Function, storage: Storage, pinned: Set[Equation] = frozenset(), back: GivenBack = NOTHING
) -> Folded:
    """The Vars of `function` that are written in place, each with its equation.

    `storage` tells the memory an array may live in: what is written between an expression and its user must
    not overlap what the expression reads. `pinned` equations may raise: not behind what may do so too. Calls that give
    `back` what they are given are statements, and what they are given has a name.
    """
    returned = frozenset(returned_by(function.body, frozenset(function.body.results)))
    given = frozenset(n for p in function.params for n in sizes(p.type))
    count = use_count(function.body)
    folding = Folding(count, storage, {}, returned, pinned, given, counters=True, back=back)
    folding.block(function.body)
    folding.lengths(function)
    return folding.folded


def returned_by(block: Block, results: Set[Atom]) -> Iterator[Var]:
    """The values that a function returns, those of the branches that they come from too."""
    yield from (r for r in results if isinstance(r, Var))
    for equation in block.equations:
        if isinstance(equation.op, If):
            for inner in blocks(equation.op):
                yield from returned_by(
                    inner, {r for o, r in zip(equation.outs, inner.results) if o in results}
                )


def use_count(block: Block) -> Counter[Var]:
    """How often each Var is read as an operand, a result, or a carried value that leaves its loop."""
    loops = (e.op for e in equations(block) if isinstance(e.op, For | While))
    return mentions(block) + Counter(v for loop in loops for v in loop.carried)


def named_reads(atom: Atom, folded: Folded) -> Iterator[Var]:
    """The named Vars an atom's expression reads."""
    if isinstance(atom, Lit):
        return
    if atom not in folded:
        yield atom
        return
    yield from equation_leaves(folded[atom], folded)


def equation_leaves(equation: Equation, folded: Folded) -> Iterator[Var]:
    """The named Vars an expression's equation reads."""
    for atom in reads(equation.op):
        yield from named_reads(atom, folded)
    if isinstance(equation.op, If):
        for block in blocks(equation.op):
            for result in block.results:
                yield from named_reads(result, folded)


def is_expression(equation: Equation) -> bool:
    """Whether an Apply can be written as an expression."""
    op = equation.op
    effect = not isinstance(op, Apply) or op.primitive.effect or op.primitive.writes
    return len(equation.outs) == 1 and not effect


def arrays_written(equation: Equation) -> Iterator[Var]:
    """The arrays that an equation, inner blocks included, may write in place."""
    for each in within(equation):
        written: tuple[Atom, ...] = ()
        match each.op:
            case Apply(primitive, operands) if primitive.writes:
                written = operands[:1]
            case Apply(primitive, operands) if primitive.kind is Effect.STORE:
                written = operands[1:]
            case Call(_, operands):
                written = tuple(o for o in operands if o.type.rank)
        yield from (o for o in written if isinstance(o, Var))


@dataclass
class Folding:
    count: Counter[Var]
    storage: Storage
    folded: dict[Var, Equation]
    returned: frozenset[Var] = frozenset()
    pinned: Set[Equation] = frozenset()
    given: frozenset[Atom] = frozenset()  # the sizes of parameters
    counters: bool = False  # write i + 1 wherever it is used, in inner blocks too
    back: GivenBack = field(default_factory=dict)
    written: dict[Equation, list[Var]] = field(default_factory=dict)  # asked for each expression before it

    def block(self, block: Block) -> None:
        """Fold inside one block, from its end: a user's place is known before its operands'."""
        for equation in block.equations:
            for inner in blocks(equation.op):
                self.block(inner)
        users = place_of_users(block, self.back)
        spread: set[int] = set()
        place = list(range(len(block.equations) + 1))
        whole: dict[int, Var] = {}  # for what folds into a result: that result
        size: dict[int | Var, tuple[int, int]] = {}  # of a statement, or of a result
        ends: dict[Var, Equation] = {}  # each result's own equation
        for k in range(len(block.equations) - 1, -1, -1):
            equation = block.equations[k]
            value = self.candidate(equation)
            at = place[users[value]] if value in users else k
            if value is not None and users.get(value, k) not in {k, *spread}:
                key = at if at < len(block.equations) else whole.get(users[value], value)
                root = block.equations[at] if isinstance(key, int) else ends.setdefault(key, equation)
                total = self.size_within(equation, root, size.get(key, start_size(block, at)))
                if total is not None and self.may_move(block, k, at, value, place):
                    self.folded[value] = equation
                    size[key], place[k] = total, at
                    if isinstance(key, Var):
                        whole[k] = key
                    continue
            if self.counters and self.counter(equation):
                self.folded[equation.outs[0]] = equation
                spread.add(k)

    def size_within(
        self, equation: Equation, root: Equation, before: tuple[int, int]
    ) -> tuple[int, int] | None:
        """Operations and characters of a statement that an equation is written in; None where it gets too long."""
        (operations, width), (more, wider) = before, self.weight(equation)
        if width + wider > WIDTH or (operations + more > OPERATIONS and not one_line(equation, root)):
            return None
        return operations + more, width + wider

    def may_move(self, block: Block, k: int, at: int, value: Var, place: Sequence[int]) -> bool:
        """Whether equation k gives at place `at` what it gives where it is, and acts in order."""
        equation, between = block.equations[k], block.equations[k + 1 : at]
        if self.overwritten(equation, between):
            return False
        if equation in self.pinned and any(stops(e) for e in between):
            return False
        beside = set(place[k + 1 : at]) <= {at}
        return not calls_or_draws(equation) or beside and self.in_order(block, at, value, equation)

    def counter(self, equation: Equation) -> bool:
        """Whether an equation is i + 1, -n or the like, which is written out wherever it is used."""
        op = equation.op
        if not isinstance(op, Apply) or not (op.primitive.kind is Arithmetic.NEG or is_offset(op)):
            return False
        out, first = equation.outs[0], op.operands[0]
        whole = all(v.type.dtype == "i8" and not v.type.rank for v in (out, first))
        return whole and isinstance(first, Var) and out.name == TEMPORARY and self.count[out] > 0

    def lengths(self, function: Function) -> None:
        """`len(x)` in place of sizes that are read once, where x is a parameter that is only looked at."""
        taken = {a for e in equations(function.body) for a in passed_on(e)} | self.returned
        sized = set(function.params)
        for param in sorted(function.params, key=lambda p: p.type.rank != 1):
            new = {n: k for k, n in enumerate(param.type.shape) if isinstance(n, Var) and n not in sized}
            sized.update(new)
            if param not in taken and all(self.count[n] <= 1 for n in new):
                for n, k in new.items():
                    self.folded[n] = Equation((n,), Apply(LENGTH, (param,), {"axis": k}))

    def candidate(self, equation: Equation) -> Var | None:
        """The value of an equation that might be written where it is used."""
        if not equation.outs:
            return None
        value = equation.outs[-1]
        once = self.count[value] == 1 and value.type.dtype != "rng"
        if is_draw(equation):
            return value if once and temporary_draw(equation) and not value.type.rank else None
        unnamed = value.name == TEMPORARY or (value.name == "result" and value in self.returned)
        if not once or len(equation.outs) != 1 or not unnamed:
            return None
        if self.brings(equation) or isinstance(equation.op, Call) and self.back.get(equation.op.function):
            return None
        plain = is_expression(equation) or calls_or_draws(equation)
        return value if plain or self.choice(equation) else None

    def brings(self, equation: Equation) -> bool:
        """Whether an equation's array brings a size that something reads: it needs a name then."""
        known = {*self.given, *(n for o in reads(equation.op) for n in (o, *o.type.shape))}
        return any(self.count[n] for o in equation.outs for n in sizes(o.type) if n not in known)

    def choice(self, equation: Equation) -> bool:
        """Whether an equation is an If that can be written as one expression."""
        return is_choice(equation, self.folded) and self.weight(equation)[0] <= OPERATIONS

    def weight(self, equation: Equation) -> tuple[int, int]:
        """Operations and estimated characters of one equation, over its operands' own."""
        op = equation.op
        if isinstance(op, If):
            parts = [self.weight(e) for b in blocks(op) for e in b.equations]
            return 1 + sum(p[0] for p in parts), 12 + sum(p[1] for p in parts)
        length = sum(len_of(o) for o in reads(op))
        if isinstance(op, Call):
            return 1, NAME + length + 2 * len(op.operands)
        assert isinstance(op, Apply)
        if op.primitive.kind is Access.READ or (is_offset(op) and not equation.outs[0].type.is_float):
            return 0, length + 3
        return 1, length + (3 if op.primitive.operator else 7 + 2 * len(op.operands))

    def overwritten(self, equation: Equation, between: Iterable[Equation]) -> bool:
        """Whether an equation in `between` writes what the expression reads."""
        arrays = [v for v in equation_leaves(equation, self.folded) if v.type.rank]
        if not arrays:
            return False
        read = frozenset[object]().union(*(self.storage(v) for v in arrays))
        return any(not read.isdisjoint(self.storage(w)) for e in between for w in self.arrays(e))

    def arrays(self, equation: Equation) -> list[Var]:
        """The arrays that an equation may write."""
        if (found := self.written.get(equation)) is None:
            found = self.written[equation] = list(arrays_written(equation))
        return found

    def in_order(self, block: Block, at: int, value: Var, equation: Equation) -> bool:
        """Whether Python, going through the expression at `at`, meets what acts in the block's order."""
        whole = at == len(block.equations)
        atoms = block.results if whole else reads(block.equations[at].op)
        if not whole and not isinstance(block.equations[at].op, Apply | Call | If):
            return False
        met = [e for a in atoms for e in acting(a, {**self.folded, value: equation})]
        return met == sorted(met, key=block.equations.index)


def calls_or_draws(equation: Equation) -> bool:
    """Whether an expression does something besides computing its value."""
    return is_draw(equation) or (isinstance(equation.op, Call) and len(equation.outs) == 1)


def is_draw(equation: Equation) -> bool:
    return isinstance(equation.op, Apply) and equation.op.primitive.family == "random"


def temporary_draw(equation: Equation) -> bool:
    """Whether the number drawn has no name of the user's: the builder calls it after its stream."""
    stream, value = equation.outs
    return value.name in (TEMPORARY, stream.name)


def acting(atom: Atom, folded: Folded) -> Iterator[Equation]:
    """The calls and draws in an atom's expression, in the order Python meets them."""
    if isinstance(atom, Var) and atom in folded:
        for operand in reads(folded[atom].op):
            yield from acting(operand, folded)
        if calls_or_draws(folded[atom]):
            yield folded[atom]


def is_offset(op: Apply) -> bool:
    """i + 1 and the like, which read as one thing."""
    return offset_of(op) is not None


def length_form(x: str, *, axis: int, rank: int, lib: str = "np") -> Text:
    return f"len({x})" if rank == 1 else f"{x}.shape[{axis}]", ATOM


# How a size is read off its array, in printed text alone.
LENGTH = Primitive("length", np.shape, lambda x, *, axis: x.type.shape[axis], "shape", form=length_form)


def passed_on(equation: Equation) -> Iterator[Var]:
    """The arrays that an equation passes on under another name, by assignment, call or write."""
    op = equation.op
    looks = isinstance(op, Apply) and op.primitive.kind not in (Access.WRITE, Access.ADD, Same.COPY)
    results = [r for b in blocks(op) for r in b.results]
    yield from (a for a in (() if looks else (*reads(op), *results)) if isinstance(a, Var) and a.type.rank)


def is_choice(equation: Equation, folded: Folded) -> bool:
    """An If with one scalar out whose blocks consist of their results' expressions."""
    op = equation.op
    if not isinstance(op, If) or len(equation.outs) != 1 or equation.outs[0].type.rank:
        return False
    if equation.outs[0].type.dtype == "rng":
        return False
    inner = [e for b in blocks(op) for e in b.equations]
    return all(len(e.outs) == 1 and e.outs[0] in folded and not calls_or_draws(e) for e in inner)


def place_of_users(block: Block, back: GivenBack) -> dict[Var, int]:
    """Where in the block itself each Var is read as a value; results count as one past the end."""
    found: dict[Var, int] = {}
    for k, equation in enumerate(block.equations):
        written: tuple[Atom, ...] = ()
        if isinstance(equation.op, Apply):
            written = tuple(arrays_written(equation))
        elif isinstance(equation.op, Call):
            written = returned_operands(equation.op, back)
        found.update((a, k) for a in reads(equation.op) if isinstance(a, Var) and a not in written)
    found.update((r, len(block.equations)) for r in block.results if isinstance(r, Var))
    return found


def returned_operands(op: Call, back: GivenBack) -> tuple[Atom, ...]:
    """What a call is given and gives back."""
    return tuple(op.operands[k] for k in back.get(op.function, {}).values())


def start_size(block: Block, at: int) -> tuple[int, int]:
    """Operations and characters of a statement before anything folds into it."""
    if at == len(block.equations):
        return 0, 10
    equation = block.equations[at]
    outs = sum(len_of(o) + 2 for o in equation.outs)
    counts = isinstance(equation.op, Apply) and not any(arrays_written(equation))
    return int(counts), outs + sum(len_of(a) + 2 for a in reads(equation.op))


def len_of(atom: Atom) -> int:
    """The characters of an atom: what the user calls things decides nothing."""
    if isinstance(atom, Lit):
        return len(repr(atom.value))
    return len(TEMPORARY) if atom.name == TEMPORARY else NAME


def width(atom: Atom, folded: Folded) -> int:
    """Estimated characters of an atom's whole expression."""
    if isinstance(atom, Lit) or atom not in folded:
        return len_of(atom) if isinstance(atom, Lit) else NAME
    op = folded[atom].op
    inner = sum(width(o, folded) for o in reads(op))
    if isinstance(op, If):
        return 12 + inner + sum(width(b.results[0], folded) for b in blocks(op))
    return inner + (3 if isinstance(op, Apply) and op.primitive.operator else 7)


def one_line(a: Equation, b: Equation) -> bool:
    """Whether both come from one line of the user's."""
    if a.span is None or b.span is None:
        return False
    return a.span.source is b.span.source and a.span.line == b.span.line
