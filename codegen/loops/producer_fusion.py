"""Arrays that are not in memory, and the loops that compute them when something needs them.

The state of one block while lower.py walks it: which arrays wait and for how many uses, which reductions, which sizes
are equal; and how arrays get stored, several in one loop.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from codegen.cost_model import ARRAYS_OF_ONE_LOOP, RECOMPUTED_COST
from codegen.ir import Apply, Atom, Dim, Equation, Type, Var
from codegen.ir.build import Builder
from codegen.ir.kinds import Access, Effect, Made, Relation, Vector
from codegen.ir.substitution import reads
from codegen.loops import concat_split
from codegen.loops.concat_split import is_join
from codegen.loops.elements import Element
from codegen.loops.folds import Fold, empty_array, row_nest, store_element
from codegen.loops.nests import Place, Point, Values, in_dtype, nest
from codegen.loops.reductions import lower_join
from codegen.primitives.index import Spec
from codegen.primitives.row import dim_of
from codegen.simplify.load_forwarding import same_atoms


@dataclass(eq=False)
class DelayedArray:
    """An array that is not in memory: how its elements come about, and what they cost.

    `parts`: the arrays not in memory that an element goes through, with their costs; `leaves`: those read.
    """

    equation: Equation
    rule: Element
    parts: dict[Var, float]
    leaves: frozenset[Var]

    @property
    def cost(self) -> float:
        return sum(self.parts.values())

    def on_way(self, pulls: Mapping[Var, DelayedArray]) -> set[Vector | None]:
        """How LLVM computes what an element goes through, of elementwise operations."""
        ops = [pulls[v].equation.op for v in self.parts if v in pulls]
        return {
            op.primitive.vector
            for op in ops
            if isinstance(op, Apply) and op.primitive.family == "elementwise"
        }


@dataclass(eq=False)
class PendingArrays:
    """What is in memory, what is not yet."""

    scope: dict[Var, None]  # what is bound, in order
    equal: dict[Var, Dim]  # sizes that a check has found to be others
    left: Counter[Var]  # uses still to come
    when: Callable[[Equation], bool]  # the equations to turn
    thrifty: bool  # whether memory matters more than a store
    views: bool  # whether arrays may be views of others
    windows: bool  # whether parts of one not in memory, written or joined, are told apart at each place
    b: Builder = field(default_factory=lambda: Builder(checked=False))
    pulls: dict[Var, DelayedArray] = field(default_factory=dict)
    waiting: dict[Var, None] = field(default_factory=dict)  # pulls that something to come needs
    folds: dict[Var, Fold] = field(default_factory=dict)  # reductions not yet done; arrays of such are pulls
    later: dict[Var, Equation] = field(default_factory=dict)  # scalars that wait for reductions
    bases: dict[Atom, Atom] = field(default_factory=dict)  # of views in memory
    tests: dict[Var, tuple[Atom, ...]] = field(default_factory=dict)  # of sizes for equality

    # ---- elements ----

    def stored(self, atom: Atom) -> bool:
        """Is it in memory?"""
        return not isinstance(atom, Var) or atom not in self.pulls

    def point(self, b: Builder, at: Place) -> Point:
        return Point(b, at, self.element, self.stored)

    def element(self, p: Point, var: Var, place: Place) -> Any:
        pull = self.pulls.get(var)
        if pull is None:
            return p.b.apply("index", var, *place, spec=("i",) * len(place))
        op = pull.equation.op
        assert isinstance(op, Apply)
        if is_join(op):
            return in_dtype(p.b, concat_split.join_element(p, var, op, place), var.type.dtype)
        return in_dtype(p.b, pull.rule(p, var.type, place, *op.operands, **op.params), var.type.dtype)

    def expensive(self, atom: Atom) -> bool:
        """Whether elements of an array that is not in memory are rather stored than computed twice."""
        if not isinstance(atom, Var) or atom not in self.pulls:
            return False
        return self.pulls[atom].cost > RECOMPUTED_COST or (self.thrifty and self.frees(atom))

    def frees(self, var: Var) -> bool:
        """Whether two arrays of its shape or more, which nothing else reads, are done with once it is stored."""
        others = {v for pull in self.to_come(set()) if var not in pull.parts for v in pull.leaves}
        shape = self.shape(var.type)
        own = [v for v in self.pulls[var].leaves if v.type.rank and self.shape(v.type) == shape]
        return sum(self.left[v] <= 0 and v not in others for v in own) >= 2

    # ---- sizes ----

    def learn(self, equation: Equation) -> None:
        """Sizes that must be equal are one."""
        match equation.op:
            case Apply(rule, operands) if rule.kind is Relation.EQ and operands[0].type.dtype == "i8":
                self.tests[equation.outs[0]] = operands
            case Apply(rule, (Var() as test, *_)) if rule.kind is Effect.CHECK and test in self.tests:
                found = {self.size(dim_of(a)): None for a in self.tests[test]}
                younger = [v for v in reversed(self.scope) if v in found]
                if len(found) == 2 and younger:
                    del found[younger[0]]
                    (self.equal[younger[0]],) = found

    def size(self, d: Dim) -> Dim:
        while isinstance(d, Var) and d in self.equal:
            d = self.equal[d]
        return d

    def shape(self, type_: Type) -> tuple[Dim, ...]:
        return tuple(self.size(d) for d in type_.shape)

    # ---- arrays in memory ----

    def keep(self, atom: Atom, *, always: bool = False, joins: bool = False) -> None:
        """Store an expensive array before a loop that would compute its elements again.

        `always`: the loop reads them more than once; `joins`: if others need the array, the loop stores it.
        """
        if self.expensive(atom) and (always or (not joins and self.needed(atom, set()))):
            self.need([atom])

    def needed(self, atom: Atom, done: set[Var]) -> bool:
        """Will anything to come, `done` aside, go through this array?"""
        if isinstance(atom, Var) and self.left[atom] > 0:
            return True
        return any(atom in pull.parts for pull in self.to_come(done))

    def to_come(self, done: set[Var]) -> list[DelayedArray]:
        """What waits, `done` aside: arrays, and those of reductions."""
        waiting = (v for v in self.waiting if v not in done)
        folded = (f.x for f in self.folds.values() if f.out not in done)
        return [self.pulls[v] for v in (*waiting, *folded) if v in self.pulls]

    def need(self, atoms: Iterable[Atom]) -> None:
        """Compute what waits among `atoms`: arrays into memory, reductions, and scalars that wait for these.

        Arrays of one shape are stored in one loop, which does the reductions over that shape as well.
        """
        due = [a for a in atoms if isinstance(a, Var)]
        scalars: dict[Var, None] = {}
        todo = list(due)
        while todo:
            var = todo.pop()
            if var in self.later and var not in scalars:
                scalars[var] = None
                todo += (o for o in reads(self.later[var].op) if isinstance(o, Var))
            elif var in self.folds:
                due.append(var)
        self.compute(due)
        for var in [v for v in self.later if v in scalars]:
            if var in self.later:  # it may have gone with another out of its equation
                equation = self.later[var]
                self.b.equations.append(equation)
                for out in equation.outs:
                    del self.later[out]

    def compute(self, due: list[Var]) -> None:
        self.need_reductions_of(self.folds[v].x if v in self.folds else v for v in due)
        groups: dict[tuple[Dim, ...], list[Var]] = defaultdict(list)
        rows: dict[tuple[Dim, ...], list[int]] = defaultdict(list)
        for var in due:
            if var in self.folds:
                shape = self.shape(self.folds[var].x.type)
                groups[shape] += ()
                rows[shape].append(self.folds[var].rows)
            elif var in self.pulls and self.made_at_once(var):
                self.settle(var)
            elif var in self.pulls and var not in groups[self.shape(var.type)]:
                groups[self.shape(var.type)].append(var)
        for shape, arrays in groups.items():
            for stay in dict.fromkeys(rows[shape] or (0,)):
                for k in range(0, max(len(arrays), 1), ARRAYS_OF_ONE_LOOP):
                    some = [v for v in arrays[k : k + ARRAYS_OF_ONE_LOOP] if v in self.pulls]
                    self.loop(shape, some, self.folds_over(shape, stay))

    def folds_over(self, shape: tuple[Dim, ...], rows: int) -> list[Fold]:
        """The reductions that one loop over `shape` can do, those of rows last: of these the ones that leave `rows`
        axes, or as many as the first of them where that is 0."""
        folds = [f for f in self.folds.values() if self.shape(f.x.type) == shape]
        ready = [f for f in folds if not self.reductions_of(f.x)]
        rows = rows or next((f.rows for f in ready if f.rows), 0)
        return sorted((f for f in ready if f.rows in (0, rows)), key=lambda f: f.rows)

    def need_reductions_of(self, atoms: Iterable[Atom]) -> None:
        """Do the reductions first whose arrays are read on the way to these."""
        if found := [v for a in atoms for v in self.reductions_of(a)]:
            self.need(found)

    def reductions_of(self, atom: Atom) -> list[Var]:
        """The arrays of reductions not yet done that an element goes through."""
        return [v for v in self.pulls[atom].parts if v in self.folds] if atom in self.pulls else []

    def before_writes(self, written: set[Var]) -> None:
        """What reads an array that is about to be written in place is done before it."""
        if written:
            arrays = [v for v in self.waiting if self.reads(v) & written]
            self.need([*arrays, *(f.out for f in self.folds.values() if self.reads(f.x) & written)])

    def reads(self, atom: Atom) -> set[Atom]:
        """The arrays that an element of `atom` comes from."""
        pull = self.pulls.get(atom) if isinstance(atom, Var) else None
        return {atom} if pull is None else {*pull.leaves, *pull.parts}

    def made_at_once(self, var: Var) -> bool:
        """An array filled with one value is made as it is, a join piece by piece, but on a GPU."""
        equation = self.pulls[var].equation
        if is_join(equation.op) and not self.windows:
            lower_join(self, equation, equation.op)  # type: ignore[arg-type]
        elif isinstance(equation.op, Apply) and self.verbatim(equation.op):
            self.b.equations.append(equation)
            if equation.op.primitive.views:
                self.bases[var] = self.base(equation.op.operands[0])
        else:
            return False
        return True

    def in_memory(self, array: Atom) -> None:
        """Store an array as its elements follow one another, if it is not in memory: no view of another one."""
        if array in self.folds:
            self.need([array])
        elif not self.stored(array):
            assert isinstance(array, Var)
            self.need_reductions_of([array])
            self.loop(self.shape(array.type), [array], [])

    def verbatim(self, op: Apply) -> bool:
        """Whether an array needs no loop: one filled with a number, or a view of one in memory."""
        views = self.views and op.primitive.views and "a" not in op.params.get("spec", ())
        return op.primitive.kind is Made.FULL or (views and self.stored(op.operands[0]))

    def base(self, array: Atom) -> Atom:
        """The array that one is a view of, or itself."""
        return self.bases.get(array, array)

    def may_overlap(self, v: Atom, x: Atom) -> bool:
        """Whether elements of `v` are read of the memory of `x`: then that is written after they were."""
        return self.views and v.type.rank > 0 and any(self.base(a) is self.base(x) for a in self.reads(v))

    def same_parts(self, v: Atom, write: Apply) -> list[Var]:
        """What an element of `v` goes through that is the very part of an array which is written: the array itself, or
        the same slice of it."""
        x, _, *places = write.operands
        spec, found = write.params["spec"], []
        for part in self.reads(v) if self.views and "a" not in spec else ():
            whole = part is x and set(spec) <= {":"}
            if isinstance(part, Var) and (whole or self.is_slice(part, x, spec, places)):
                found.append(part)
        return found

    def is_slice(self, part: Var, x: Atom, spec: Spec, places: Sequence[Atom]) -> bool:
        """Whether an array not in memory is this slice of `x`."""
        op = self.pulls[part].equation.op if part in self.pulls else None
        if not isinstance(op, Apply) or op.primitive.kind is not Access.READ or op.operands[0] is not x:
            return False
        return op.params["spec"] == spec and same_atoms(op.operands[1:], places)

    def whole(self, atoms: Iterable[Atom]) -> None:
        """Store the joins that these arrays go through: their elements are needed in another order."""
        found = [v for a in atoms if isinstance(a, Var) and a in self.pulls for v in self.pulls[a].parts]
        self.need(v for v in found if v in self.pulls and is_join(self.pulls[v].equation.op))

    def settle(self, var: Var) -> None:
        """`var` is in memory from here on."""
        del self.pulls[var]
        self.waiting.pop(var, None)

    def now_read(self, array: Var) -> None:
        """What goes through the results of a reduction reads them."""
        for pull in self.pulls.values():
            if pull.parts.pop(array, None) is not None:
                pull.leaves |= {array}

    def loop(self, shape: tuple[Dim, ...], arrays: list[Var], folds: list[Fold]) -> None:
        """One nest that stores these arrays and does these reductions of arrays of `shape`."""
        if not arrays and not folds:
            return
        p, seams = self.survey(shape, arrays, folds)
        if concat_split.too_many(self.b, shape, seams, self.size):
            self.whole((*arrays, *(f.x for f in folds)))
            p, seams = self.survey(shape, arrays, folds)
        arrays += self.also(p, shape, arrays, folds)[: max(ARRAYS_OF_ONE_LOOP - len(arrays), 0)]
        along, across = [f for f in folds if f.rows], [f for f in folds if not f.rows]
        outs = (*arrays, *(o for f in across for o in f.outs), *(f.out for f in along))
        init = (*(empty_array(self.b, v.type) for v in arrays), *(v for f in across for v in f.start(self.b)))
        init += tuple(empty_array(self.b, f.out.type) for f in along)

        def body(b: Builder, at: Place, values: Values, pieces: Mapping[Any, int]) -> Values:
            p = replace(self.point(b, at), pieces=pieces)
            done = [store_element(b, y, p.read(v, at), at) for v, y in zip(arrays, values)]
            rest = list(values[len(arrays) :])
            for fold in folds:
                mine, rest = rest[: len(fold.outs)], rest[len(fold.outs) :]
                done += fold.step(b, tuple(mine), p.read(fold.x, at), at)
            return tuple(done)

        kind = "sequential" if any(f.places for f in folds) else "parallel"
        turn = partial(row_nest, folds=along) if along else nest
        concat_split.split_nest(self.b, shape, outs, init, body, kind, seams, self.size, turn)
        for var in arrays:
            self.settle(var)
        for fold in folds:
            fold.finish(self.b)
            del self.folds[fold.out]
            if fold.out in self.pulls:
                self.settle(fold.out)
                self.now_read(fold.out)

    def survey(
        self, shape: tuple[Dim, ...], arrays: list[Var], folds: list[Fold]
    ) -> tuple[Point, tuple[concat_split.Seam, ...]]:
        """What a loop would read at each of its places, and along which seams it is split: on a GPU along none."""
        b = Builder(checked=False)
        at = tuple(b.wrap(Var("i", Type("i8"))) for _ in shape)
        p = replace(self.point(b, at), met={})
        for atom in (*arrays, *(f.x for f in folds)) if 0 not in shape else ():
            p.read(atom, at)
        return p, () if self.windows else tuple(p.met or {})

    def also(self, p: Point, shape: tuple[Dim, ...], arrays: list[Var], folds: list[Fold]) -> list[Var]:
        """The expensive arrays that this loop computes on its way and others need: it stores them too."""
        if 0 in shape:
            return []
        here = tuple(k.atom for k in p.at)
        done = {*arrays, *(f.out for f in folds)}
        found: list[Var] = []
        for k in reversed(p.known):  # what reads an array comes before it
            v = k[0]
            if k[1:] != here or v in done or self.shape(v.type) != shape or not self.expensive(v):
                continue
            if self.needed(v, done):
                done.add(v)
                found.append(v)
        return found[::-1]
