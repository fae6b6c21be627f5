"""What is known at a place of a function while `simplify` walks it: what stands for what, what made what,
which tests hold, which equations have been met.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np

from codegen.ir import Apply, Atom, Dim, Equation, Function, Lit, Operation, Type, Var
from codegen.ir.kinds import Arithmetic, Logic, Relation
from codegen.ir.literals import fold, literal, size_atom
from codegen.ir.primitive import Primitive
from codegen.ir.substitution import dim, keep, sizes
from codegen.primitives import ROWS
from codegen.source import Span

Key = tuple[Hashable, ...]
Result = Atom | Apply | None
Rule = Callable[..., Result]
RULES: dict[Primitive, list[Rule]] = defaultdict(list)


def rule(*names: str) -> Callable[[Rule], Rule]:
    def enter(function: Rule) -> Rule:
        for name in names:
            RULES[ROWS[name]].append(function)
        return function

    return enter


RELATIONS = {row.kind: row for row in ROWS.values() if isinstance(row.kind, Relation)}


@dataclass(eq=False)
class Scope:
    """What is known while walking a function forward; facts of one block are undone at its end.

    `signed`: the sign of a zero matters.
    """

    acting: Mapping[str, Function]  # that may raise or print
    pure: set[str]
    drop: frozenset[Enum]
    uses: Counter[Var]
    general: Collection[Rule]  # of all primitives
    signed: bool = True
    env: dict[Var, Atom] = field(default_factory=dict)
    defs: dict[Var, Apply] = field(default_factory=dict)
    bound: set[Var] = field(default_factory=set)
    counts: set[Var] = field(default_factory=set)  # ints that are 0 or more
    kept: set[Atom] = field(
        default_factory=set
    )  # arrays of callers, whose writes are done one by one, in order
    overwritten: set[Atom] = field(default_factory=set)  # arrays that a write has replaced by others
    facts: dict[Var, Lit] = field(default_factory=dict)
    lengths: dict[Var, tuple[Var, int]] = field(default_factory=dict)  # sizes that are others less a number
    table: dict[Key, tuple[Var, ...]] = field(default_factory=dict)
    undo: list[Callable[[], object]] = field(default_factory=list)
    equations: list[Equation] = field(default_factory=list)
    span: Span | None = None
    changed: bool = False

    # What rules ask (see algebra.py).

    def made(self, atom: Atom, *kinds: Enum | None) -> Apply | None:
        """The Apply that made `atom`, if its primitive is of one of these kinds."""
        found = self.defs.get(atom) if isinstance(atom, Var) else None
        return found if found is not None and found.primitive.kind in kinds else None

    def once(self, atom: Atom) -> bool:
        """Is `atom` used in one place only, so that what made it goes when that use does?"""
        return isinstance(atom, Var) and self.uses[atom] <= 1

    def nonnegative(self, atom: Atom, depth: int = 3) -> bool:
        """Is this int known to be 0 or more?"""
        if isinstance(atom, Lit):
            return bool(atom.value >= 0)
        if atom in self.counts:
            return True
        if depth and (made := self.made(atom, Arithmetic.MAXIMUM)):
            return any(self.nonnegative(o, depth - 1) for o in made.operands)
        made = self.made(atom, Arithmetic.ADD) if depth else None
        return made is not None and all(self.counted(o, depth - 1) for o in made.operands)

    def counted(self, atom: Atom, depth: int) -> bool:
        """Is this int a sum of a few sizes, counters and such numbers, which does not overflow?"""
        if isinstance(atom, Lit):
            return bool(0 <= atom.value < 2**48)
        made = self.made(atom, Arithmetic.ADD) if depth and atom not in self.counts else None
        return (
            atom in self.counts or made is not None and all(self.counted(o, depth - 1) for o in made.operands)
        )

    def emit(self, name: str, *operands: Atom, **params: Any) -> Atom:
        """Build another equation (simplified too) in front of the one at hand."""
        return self.emit_of(ROWS[name], *operands, **params)

    def emit_of(self, primitive: Primitive, *operands: Atom, **params: Any) -> Atom:
        """The same, of a row."""
        type_ = primitive.type(*operands, **params)
        found = reduce(self, Apply(primitive, operands, params), type_)
        if not isinstance(found, Apply):
            return found
        out = Var("t", type_)
        number_equation(self, out, found)
        return out

    def leave(self, name: str, *operands: Atom, **params: Any) -> None:
        """An equation that nothing reads: dead code keeps its check, where it has one."""
        primitive = ROWS[name]
        self.push((Var("t", primitive.type(*operands, **params)),), Apply(primitive, operands, params))

    def known(self, name: str, *operands: Atom, **params: Any) -> Atom | None:
        """The out of an earlier equation that is this one."""
        found = self.table.get(expression_key(Apply(ROWS[name], operands, params)))
        return found[0] if found else None

    def equal(self, a: Dim, b: Dim) -> bool:
        """Whether two sizes have been found equal by a check."""
        test = self.known("eq", size_atom(a), size_atom(b))
        known = None if test is None else self.atom(test)
        return isinstance(known, Lit) and bool(known.value)

    # What the walk itself does.

    def atom(self, atom: Atom) -> Atom:
        if isinstance(atom, Var):
            atom = self.env.get(atom, atom)
        return self.facts.get(atom, atom) if isinstance(atom, Var) else atom

    def atoms(self, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple([self.atom(a) for a in atoms])

    def bind(self, var: Var) -> Var:
        """A binder, with the sizes in its type renamed."""
        var = keep(var, self.env)
        self.bound.add(var)
        for d in sizes(var.type):
            self.bound.add(d)
            if d not in self.counts:  # known where the array is: in this block, not after it
                self.counts.add(d)
                self.undo.append(lambda d=d: self.counts.discard(d))  # type: ignore[misc]
        return var

    def become(self, var: Var, atom: Atom) -> bool:
        """Let `atom` stand for `var` from here on, if the types allow it; sizes that `var` brings follow."""
        return self.all_become((var,), (atom,))

    def all_become(self, variables: Sequence[Var], atoms: Sequence[Atom]) -> bool:
        """Let each atom stand for its variable, or none of them."""
        brought: dict[Var, Dim] = {}
        standing = []
        for var, atom in zip(variables, atoms, strict=True):
            if (found := self.standing_for(var, atom, brought)) is None:
                return False
            standing.append(found)
        self.env.update((d, size_atom(n)) for d, n in brought.items())
        for var, atom in zip(variables, standing):
            self.env[var] = atom
            if isinstance(atom, Var):
                self.uses[atom] += self.uses[var] - 1
        self.changed = True
        return True

    def standing_for(self, var: Var, atom: Atom, brought: dict[Var, Dim]) -> Atom | None:
        """The atom in the type of `var`, if the types allow it; the sizes that `var` brings are noted."""
        type_ = var.type
        if isinstance(atom, Lit) and not type_.rank:
            atom = retyped(atom, type_)
        if not same_number(atom.type, type_):
            return None
        for mine, its in zip((dim(d, self.env) for d in type_.shape), atom.type.shape):
            if mine is its or mine == its or self.equal(mine, its):
                continue
            if isinstance(mine, int) or mine in self.bound or brought.setdefault(mine, its) is not its:
                return None
        return atom

    def assume(self, test: Atom, value: bool) -> None:
        """`test` is known in this block from here on."""
        if not isinstance(test, Var) or test in self.facts:
            return
        self.facts[test] = literal(value)
        self.undo.append(lambda: self.facts.pop(test))
        made = self.made(test, Logic.NOT, Logic.AND if value else Logic.OR)
        for part in made.operands if made else ():
            self.assume(part, value if made and made.primitive.kind is not Logic.NOT else not value)
        compared = self.made(test, *Relation)
        if compared is not None and (opposite := self.opposite(compared)) is not None:
            self.assume(opposite, not value)

    def opposite(self, op: Apply) -> Var | None:
        """What tells that a comparison does not hold, where that is computed already; of NaN none of < and >= does."""
        kind = op.primitive.kind
        assert isinstance(kind, Relation)
        if kind not in (Relation.EQ, Relation.NE) and any(o.type.is_float for o in op.operands):
            return None
        found = self.table.get(expression_key(replace(op, primitive=RELATIONS[kind.negated])))
        return found[0] if found else None

    def push(self, outs: tuple[Var, ...], op: Operation) -> None:
        self.equations.append(Equation(outs, op, self.span))

    def enter(self, k: Key, outs: tuple[Var, ...]) -> None:
        """Equal equations later in this block give `outs`."""
        if k not in self.table:
            self.table[k] = outs
            self.undo.append(lambda: self.table.pop(k))


def retyped(lit: Lit, type_: Type) -> Lit:
    """A literal in another type (of ints, one that wraps)."""
    if lit.type == Type(type_.dtype, (), type_.weak):
        return lit
    value = np.asarray(lit.value).astype(type_.dtype).item()
    return Lit(value, Type(type_.dtype, (), type_.weak))


def number_equation(s: Scope, out: Var, op: Apply) -> None:
    s.push((out,), op)
    s.bound.add(out)
    s.defs[out] = op
    if op.primitive.writes:
        s.overwritten.add(op.operands[0])
        if op.operands[0] in s.kept:
            s.kept.add(out)
    if shareable(op, out.type):
        s.enter(expression_key(op), (out,))


def reduce(s: Scope, op: Apply, type_: Type, out: Var | None = None) -> Atom | Apply:
    """The simplest that is known for `op`: an atom (which stands for `out` then), or an Apply."""
    while True:
        for found in candidates(s, op, type_):
            if isinstance(found, Apply):
                if has_type(found, type_):
                    op, s.changed = found, True
                    break
            elif s.become(out, found) if out else same_type(found.type, type_):
                return s.env[out] if out else found
        else:
            return op


def same_type(a: Type, b: Type) -> bool:
    return same_number(a, b) and a.shape == b.shape


def same_number(a: Type, b: Type) -> bool:
    """May one stand for the other? Of bools Python's and NumPy's are one, once their arithmetic is settled."""
    return a.dtype == b.dtype and a.rank == b.rank and (a.weak == b.weak or a.dtype == "b1")


def candidates(s: Scope, op: Apply, type_: Type) -> Iterator[Atom | Apply]:
    """What `op` might be replaced by, best first."""
    if op.primitive.kind in s.drop:
        yield op.operands[0]
    if op.primitive.family == "elementwise" and Var not in map(type, op.operands):
        value = fold(op.primitive, op.operands, dict(op.params))
        if value is not None:
            yield value
    for rule in RULES.get(op.primitive, ()):
        if (found := rule(s, type_, *op.operands, **op.params)) is not None:
            yield found
    for general in s.general:
        if (found := general(s, type_, op)) is not None:
            yield found
    if shareable(op, type_) and (earlier := s.table.get(expression_key(op))):
        yield earlier[0]
    if isinstance(op.primitive.kind, Relation) and (opposite := s.opposite(op)) in s.facts:
        yield literal(not s.facts[opposite].value)


def has_type(op: Apply, type_: Type) -> bool:
    """Does an Apply that a rule gives have the type it must have, and no axis of 1 that was broadcast?"""
    got = op.primitive.type(*op.operands, **op.params)
    return same_number(got, type_) and all((n == 1) == (m == 1) for n, m in zip(got.shape, type_.shape))


def shareable(op: Apply, type_: Type) -> bool:
    """May one result serve for two equal equations? Not new arrays, which may be written to, nor streams."""
    if op.primitive.effect or op.primitive.of_streams:
        return False
    fresh = op.primitive.family in ("create", "copy") or op.primitive.writes
    return not (fresh and type_.rank)


def expression_key(op: Apply) -> Key:
    parts = [part(o) for o in op.operands]
    if op.primitive.commutes:
        parts.sort(key=hash)
    return (op.primitive, *parts, frozenset(op.params.items()) if op.params else NO_PARAMS)


NO_PARAMS: frozenset[tuple[str, Any]] = frozenset()


def part(atom: Atom) -> Hashable:
    """Vars are themselves; literals are equal by type and spelling (0.0 is not -0.0, nan is nan)."""
    return atom if isinstance(atom, Var) else (repr(atom.value), atom.type.dtype, atom.type.weak)
