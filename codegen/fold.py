"""Which equations are written inside the expression that uses them, rather than as statements.

    t = index x, i ; u = mul t, a ; s1 = add s, u      ->      s1 = s + x[i] * a

    fold : Function -> {Var: its equation}, the Vars that get no name

A temporary folds into its only user in the same block when it is pure, no name of the user's, the expression
stays short, and nothing between writes an array that it reads. An If whose blocks fold whole is itself an
expression: `a if test else b`, `a and b`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Var, While
from codegen.inplace import Storage
from codegen.rename import blocks, reads

OPERATIONS = 5  # of an expression put together from several of the user's lines
WIDTH = 84  # of an expression, estimated
TEMPORARY = "t"

Folded = Mapping[Var, Equation]


def fold(function: Function, storage: Storage) -> Folded:
    """The Vars of `function` that are written in place, each with its equation.

    `storage` tells the memory an array may live in: what is written between an expression and its user must
    not overlap what the expression reads.
    """
    folding = Folding(uses(function.body), storage, {})
    folding.block(function.body)
    return folding.folded


def uses(block: Block) -> Counter[Var]:
    """How often each Var is read as an operand, a result, or a carried value that leaves its loop."""
    count: Counter[Var] = Counter()
    for equation in block.equations:
        count.update(a for a in reads(equation.op) if isinstance(a, Var))
        if isinstance(equation.op, For | While):
            count.update(equation.op.carried)
        for inner in blocks(equation.op):
            count.update(uses(inner))
    count.update(r for r in block.results if isinstance(r, Var))
    return count


def leaves(atom: Atom, folded: Folded) -> Iterator[Var]:
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
        yield from leaves(atom, folded)
    if isinstance(equation.op, If):
        for block in blocks(equation.op):
            for result in block.results:
                yield from leaves(result, folded)


def pure(equation: Equation) -> bool:
    """Whether an Apply can be written as an expression."""
    op = equation.op
    if not isinstance(op, Apply) or len(equation.outs) != 1 or op.primitive.effect:
        return False
    return op.primitive.name not in ("update", "accumulate")


def writes(equation: Equation) -> Iterator[Var]:
    """The arrays that an equation, inner blocks included, may write in place."""
    op = equation.op
    if isinstance(op, Apply) and op.primitive.name in ("update", "accumulate"):
        yield from (o for o in op.operands[:1] if isinstance(o, Var))
    elif isinstance(op, Call):
        yield from (o for o in op.operands if isinstance(o, Var) and o.type.rank)
    for block in blocks(op):
        for inner in block.equations:
            yield from writes(inner)


@dataclass
class Folding:
    count: Counter[Var]
    storage: Storage
    folded: dict[Var, Equation]

    def block(self, block: Block) -> None:
        """Fold inside one block, from its end: a user's place is known before its operands'."""
        for equation in block.equations:
            for inner in blocks(equation.op):
                self.block(inner)
        users = place_of_users(block)
        place = {k: k for k in range(len(block.equations) + 1)}
        size: dict[int, tuple[int, int]] = {}
        for k in range(len(block.equations) - 1, -1, -1):
            equation = block.equations[k]
            user = users.get(equation.outs[0]) if self.may(equation) else None
            if user is None:
                continue
            at = place[user]
            operations, width = size.get(at, start_size(block, at))
            more, wider = self.weight(equation)
            same_line = at < len(block.equations) and one_line(equation, block.equations[at])
            if width + wider > WIDTH or (operations + more > OPERATIONS and not same_line):
                continue
            if self.overwritten(equation, block.equations[k + 1 : at]):
                continue
            self.folded[equation.outs[0]] = equation
            size[at] = operations + more, width + wider
            place[k] = at

    def may(self, equation: Equation) -> bool:
        if len(equation.outs) != 1 or equation.outs[0].name != TEMPORARY or self.count[equation.outs[0]] != 1:
            return False
        return pure(equation) or self.choice(equation)

    def choice(self, equation: Equation) -> bool:
        """Whether an equation is an If that can be written as one expression."""
        return is_choice(equation, self.folded) and self.weight(equation)[0] <= OPERATIONS

    def weight(self, equation: Equation) -> tuple[int, int]:
        """Operations and estimated characters of one equation, over its operands' own."""
        op = equation.op
        if isinstance(op, If):
            inner = [e for b in blocks(op) for e in b.equations]
            parts = [self.weight(e) for e in inner]
            return 1 + sum(p[0] for p in parts), 12 + sum(p[1] for p in parts)
        assert isinstance(op, Apply)
        rule = op.primitive
        overhead = 3 if rule.operator else 2 + 2 * len(op.operands) + (0 if rule.name == "index" else 7)
        return 1, overhead + sum(len_of(o) for o in op.operands)

    def overwritten(self, equation: Equation, between: Iterable[Equation]) -> bool:
        """Whether an equation in `between` writes what the expression reads."""
        arrays = [v for v in self.all_leaves(equation) if v.type.rank]
        if not arrays:
            return False
        read = frozenset().union(*(self.storage(v) for v in arrays))
        return any(not read.isdisjoint(self.storage(w)) for e in between for w in writes(e))

    def all_leaves(self, equation: Equation) -> Iterator[Var]:
        """What the equation reads if its operands fold into it, too: only fewer reads remain later."""
        return equation_leaves(equation, self.folded)


def is_choice(equation: Equation, folded: Folded) -> bool:
    """An If with one scalar out whose blocks consist of their results' expressions."""
    op = equation.op
    if not isinstance(op, If) or len(equation.outs) != 1 or equation.outs[0].type.rank:
        return False
    if equation.outs[0].type.dtype == "rng":
        return False
    return all(e.outs and e.outs[0] in folded for b in blocks(op) for e in b.equations)


def place_of_users(block: Block) -> dict[Var, int]:
    """Where in the block itself each Var is read as a value; results count as one past the end."""
    found: dict[Var, int] = {}
    for k, equation in enumerate(block.equations):
        written = tuple(writes(equation)) if isinstance(equation.op, Apply) else ()
        found.update((a, k) for a in reads(equation.op) if isinstance(a, Var) and a not in written)
    found.update((r, len(block.equations)) for r in block.results if isinstance(r, Var))
    return found


def start_size(block: Block, at: int) -> tuple[int, int]:
    """Operations and characters of a statement before anything folds into it."""
    if at == len(block.equations):
        return 0, 10
    equation = block.equations[at]
    outs = sum(len(o.name) + 2 for o in equation.outs)
    return (1 if isinstance(equation.op, Apply) else 0), outs + sum(len_of(a) + 2 for a in reads(equation.op))


def len_of(atom: Atom) -> int:
    return len(atom.name) if isinstance(atom, Var) else len(repr(atom.value))


def one_line(a: Equation, b: Equation) -> bool:
    """Whether both come from one line of the user's."""
    return (
        a.span is not None
        and b.span is not None
        and (a.span.source is b.span.source and a.span.line == b.span.line)
    )
