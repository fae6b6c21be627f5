"""Two blocks of which one computes what the other does, and more, as one: Joined(env).blocks(first, second).

    y2 = y * 0.9                 ys2 = update ys y k             ys2 = update ys y k
                                 y2 = y * 0.9             ->     y2 = y * 0.9

Equations are the same where they compute the same of the same; loops and branches that compute the same, and more
beside it, are joined in their turn. `env` says what the second block names by the names of the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from codegen.analysis.effects import may_end, pure
from codegen.ir import Apply, Atom, Block, Equation, For, If, Lit, Var, While
from codegen.ir.build import SIZE
from codegen.ir.kinds import Arithmetic, Same, Stream
from codegen.ir.listing import Listing
from codegen.ir.substitution import free_in, fresh, nothing, renamed, replaced, rewrite_op, sizes
from codegen.simplify.algebra import same_constant

LoopOp = TypeVar("LoopOp", bound=For | While)


class Joined:
    """The first block with what the second computes beside; None where it does more than compute."""

    def __init__(self, env: dict[Var, Atom]):
        self.env = env
        self.numbers: dict[Var, int] = {}  # of what neither binds

    def blocks(self, first: Block, second: Block) -> list[Equation] | None:
        made = list(first.equations)
        # In order: new arrays are alike, and not one.
        known: dict[tuple[str, ...], list[tuple[Var, ...]]] = {}
        for each in made:
            known.setdefault(self.key(each), []).append(each.outs)
        for each in second.equations:
            op = rewrite_op(each.op, self.env, fresh, nothing)
            outs = tuple(self.of_sizes(out) for out in each.outs)
            found = known.get(self.key(Equation(outs, op)))
            if found is not None:
                self.name_all_alike(each.outs, found.pop(0) if len(found) > 1 else found[0])
            elif not self.is_joined(made, each):
                if not pure(each) or may_end(each):
                    return None
                new = Equation(tuple(fresh(out, self.env) for out in each.outs), op, each.span)
                made.insert(earliest(made, new), new)
        return made

    def of_sizes(self, out: Var) -> Var:
        """A variable with the first block's names of its sizes; itself where all are its own equation's."""
        type_ = renamed(out.type, self.env)
        return out if type_ is out.type else Var(out.name, type_)

    def is_joined(self, made: list[Equation], equation: Equation) -> bool:
        """Whether a loop or a branch is one of those that are there, and more, which then stands in its place: of
        several that which gives most of it already."""
        env, found = self.env, list[tuple[int, int, Equation, dict[Var, Atom]]]()
        for place, each in enumerate(made):
            self.env = dict(env)
            joined = self.one(each, equation)
            if joined is not None and earliest(made, joined) <= place:
                found.append((len(joined.outs) - len(each.outs), place, joined, self.env))
        _, place, joined, self.env = min(found, key=lambda each: each[:2], default=(0, 0, equation, env))
        if found:
            made[place] = joined
        return bool(found)

    def one(self, first: Equation, second: Equation) -> Equation | None:
        """Two loops or branches as one; None where they are not."""
        match first.op, second.op:
            case (For() as loop, For() as other):
                return self.loops(first, loop, second, other)
            case (While() as loop, While() as other):
                return self.carrying(first, loop, second, other)
            case (If() as branch, If() as other):
                return self.branches(first, branch, second, other)
        return None

    def loops(self, first: Equation, loop: For, second: Equation, other: For) -> Equation | None:
        """The first of two loops through the same range with what the second carries beside."""
        bounds = replaced((other.start, other.stop), self.env)
        same = all(map(are_same_atom, bounds, (loop.start, loop.stop))) and loop.step == other.step
        if not same or not loop.kind == other.kind == "sequential":
            return None
        self.env[other.index] = loop.index
        return self.carrying(first, loop, second, other)

    def carrying(
        self, first: Equation, loop: For | While, second: Equation, other: For | While
    ) -> Equation | None:
        """The first of two loops that run equally often, or to one condition, with what the second carries beside."""
        inits = replaced(other.init, self.env)
        of = self.begin_alike(loop, other.carried, inits)
        more = [p for p in other.carried if p not in of]
        carried = tuple(fresh(p, self.env) for p in more)
        if isinstance(loop, While) and not (isinstance(other, While) and self.are_one(loop.cond, other.cond)):
            return None
        equations = self.blocks(loop.body, other.body)
        results = dict(zip(other.carried, replaced(other.body.results, self.env)))
        same = all(are_same_atom(results[p], loop.body.results[q]) for p, q in of.items())
        if equations is None or not same:
            return None
        outs = dict(zip(other.carried, second.outs))
        for p, q in of.items():
            self.name_alike(outs[p], first.outs[q])
        for p in more:
            equations = counted_last(equations, self.env[p])
        begin = dict(zip(other.carried, inits))
        joined = replace(
            loop,
            carried=(*loop.carried, *carried),
            init=(*loop.init, *(begin[p] for p in more)),
            body=Block(tuple(equations), (*loop.body.results, *(results[p] for p in more))),
        )
        return Equation((*first.outs, *(fresh(outs[p], self.env) for p in more)), joined, first.span)

    def are_one(self, first: Block, second: Block) -> bool:
        """Whether two blocks compute the same, and nothing beside."""
        made = self.blocks(first, second)
        results = replaced(second.results, self.env)
        return (
            made is not None
            and len(made) == len(first.equations)
            and all(map(are_same_atom, first.results, results))
        )

    def begin_alike(
        self, loop: For | While, carried: tuple[Var, ...], inits: tuple[Atom, ...]
    ) -> dict[Var, int]:
        """For each of these carried values the one of the loop that begins as it does, if one does: it has its name."""
        left, of = list(range(len(loop.carried))), dict[Var, int]()
        for p, begin in zip(carried, inits):
            alike = [
                q for q in left if are_same_atom(loop.init[q], begin) and are_of_one_kind(loop.carried[q], p)
            ]
            if alike:
                of[p] = next((q for q in alike if loop.carried[q].name == p.name), alike[0])
                left.remove(of[p])
                self.name_alike(p, loop.carried[of[p]])
        return of

    def branches(self, first: Equation, branch: If, second: Equation, other: If) -> Equation | None:
        """The first of two branches by the same test with what the second gives beside."""
        if not are_same_atom(branch.test, *replaced((other.test,), self.env)):
            return None
        then, orelse = self.blocks(branch.then, other.then), self.blocks(branch.orelse, other.orelse)
        if then is None or orelse is None:
            return None
        results = [replaced(block.results, self.env) for block in (other.then, other.orelse)]
        given = list(zip(branch.then.results, branch.orelse.results))
        more = []
        for k, (out, *ways) in enumerate(zip(second.outs, *results)):
            same = [q for q, pair in enumerate(given) if all(map(are_same_atom, ways, pair))]
            if same and are_of_one_kind(out, first.outs[same[0]]):
                self.name_alike(out, first.outs[same[0]])
            else:
                more.append(k)
        joined = If(
            branch.test,
            Block(tuple(then), (*branch.then.results, *(results[0][k] for k in more))),
            Block(tuple(orelse), (*branch.orelse.results, *(results[1][k] for k in more))),
        )
        return Equation((*first.outs, *(fresh(second.outs[k], self.env) for k in more)), joined, first.span)

    def name_all_alike(self, outs: tuple[Var, ...], others: tuple[Var, ...]) -> None:
        for out, other in zip(outs, others):
            self.name_alike(out, other)

    def name_alike(self, var: Var, other: Atom) -> None:
        """Have a variable of the second block, and the sizes that it brings, by the names of the first."""
        self.env[var] = other
        for n, m in zip(var.type.shape, other.type.shape):
            if isinstance(n, Var) and n is not m:
                self.env.setdefault(n, m if isinstance(m, Var) else Lit(m, SIZE))

    def key(self, equation: Equation) -> tuple[str, ...]:
        """What an equation computes of what: equal for two that compute the same."""
        listing = Keyed(self.numbers, frozenset(free_in(equation.op)))
        listing.equation(equation, 0)
        return tuple(listing.lines)


def earliest(made: list[Equation], equation: Equation) -> int:
    """The first place where all that an equation reads has been made."""
    read = set(free_in(equation.op))
    return next(
        (k + 1 for k in reversed(range(len(made))) if not read.isdisjoint(bound_with_sizes(made[k]))), 0
    )


def bound_with_sizes(equation: Equation) -> set[Var]:
    """What an equation binds, sizes of its arrays among it."""
    around = free_in(equation.op)
    return {v for out in equation.outs for v in (out, *sizes(out.type)) if v not in around}


def root(atom: Atom, made: Mapping[Atom, Apply]) -> Atom:
    """What an array or a stream is a copy of."""
    while (op := made.get(atom)) is not None and op.primitive.kind in (Same.COPY, Stream.COPIED):
        atom = op.operands[0]
    return atom


def rooted(op: LoopOp, made: Mapping[Atom, Apply]) -> LoopOp:
    """A loop that begins with what others are copies of."""
    return replace(op, init=tuple(root(begin, made) for begin in op.init))


def counted_last(equations: list[Equation], count: Atom) -> list[Equation]:
    """What reads the count before what adds to it, where nothing else hangs on the sum."""
    for each in equations:
        if (
            isinstance(each.op, Apply)
            and each.op.primitive.kind is Arithmetic.ADD
            and count in each.op.operands
        ):
            rest = [e for e in equations if e is not each]
            if all(each.outs[0] not in free_in(e.op) for e in rest):
                return [*rest, each]
    return equations


def are_same_atom(x: Atom, y: Atom) -> bool:
    """Whether two atoms are one value."""
    return x is y or same_constant(x, y) and x.type.weak == y.type.weak


def are_of_one_kind(x: Var, y: Var) -> bool:
    """Whether two values are of one kind, of whatever sizes."""
    a, b = x.type, y.type
    return (a.dtype, a.rank, a.weak) == (b.dtype, b.rank, b.weak)


class Keyed(Listing):
    """A listing of one equation whose own variables are numbered, and those around it by who they are."""

    def __init__(self, numbers: dict[Var, int], around: frozenset[Var]):
        super().__init__(None, "")
        self.numbers, self.around = numbers, around

    def name(self, atom: Atom | int) -> str:
        if isinstance(atom, Lit):
            return f"{atom.value!r}: {atom.type}{' weak' if atom.type.weak else ''}"
        if not isinstance(atom, Var):
            return repr(atom)
        if atom in self.around:
            return f"outer {self.numbers.setdefault(atom, len(self.numbers))}"
        if atom not in self.names:
            self.names[atom] = f"inner {len(self.names)}"
        return self.names[atom]
