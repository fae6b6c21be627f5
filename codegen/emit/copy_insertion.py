"""In-place writes in one function: copies where an array cannot be overwritten.

    y = update x, v, i                    c = copy x                 y = x.copy()
    z = add x, y                  ->      y = update c, v, i         y[i] = v
                                          z = add x, y               z = x + y

An array cannot be taken where it is the caller's, it is read later, or two values share it. Where only views of
it are read later, they become copies: they are smaller. A loop that writes a carried array copies its initial
value at most once, before the loop. A function may take over the arrays of its parameters; then its callers copy
what they still need.

Each array value has `roots`: the memories it may live in. An array can be taken where all of its roots are
ours and no other value that is alive has one of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import assert_never

from codegen.analysis.may_write import Flows
from codegen.emit.argument_stores import without_target
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Var, While
from codegen.ir.kinds import Access, Same
from codegen.ir.substitution import blocks, free
from codegen.primitives.row import ROWS


@dataclass(eq=False)
class MemoryRoot:
    """A memory. `ours`: it may be written."""

    ours: bool = True


Roots = frozenset[MemoryRoot]
NONE: Roots = frozenset()
TEMPORARY = "t"  # the name of what has none
LENT = "read only"  # the memory of broadcast_to

# What a caller must know: the parameters a function takes over, and for each result the parameters (by
# number) and the new memories (labelled by the first result that has it) it may live in.
Summary = tuple[frozenset[int], tuple[frozenset[object], ...]]


@dataclass
class BlockFrame:
    """A block being walked: where each Var is read last, how far we are, what outlives every iteration."""

    last: Mapping[Var, int]
    always: frozenset[Var]
    at: int = 0
    here: set[Var] = field(default_factory=set)  # arrays of this block

    def alive(self, var: Var) -> bool:
        return var in self.always or self.last.get(var, -1) > self.at


@dataclass
class CopyInsertion:
    """One function: roots of its arrays, and what has been written so far."""

    function: Function
    summaries: Mapping[str, Summary]
    lent: bool  # the arrays of the parameters, but those `taken`
    taken: frozenset[int] = frozenset()
    roots: dict[Var, Roots] = field(default_factory=dict)
    sharing: dict[MemoryRoot, dict[Var, None]] = field(default_factory=lambda: defaultdict(dict))
    written: set[MemoryRoot] = field(default_factory=set)
    taken_from: dict[MemoryRoot, Roots] = field(default_factory=dict)
    frames: list[BlockFrame] = field(default_factory=list)
    made: dict[object, MemoryRoot] = field(default_factory=dict)
    mentioned: dict[Equation, tuple[Var, ...]] = field(default_factory=dict)
    born: list[set[MemoryRoot]] = field(default_factory=list)  # in each enclosing loop's iteration
    loops: dict[Equation, tuple[Set[int], Mapping[int, Roots]]] = field(default_factory=dict)  # as last found

    def run(self) -> Function:
        consumed = {(name, k) for name, summary in self.summaries.items() for k in summary[0]}
        self.flows = Flows(self.function.body, consumed)
        for k, param in enumerate(self.function.params):
            if param.type.rank:
                lent = self.lent and k not in self.taken and param.type.dtype != "rng"  # streams advance
                self.give(param, frozenset({self.root(("param", k), not lent)}))
        body = self.block(self.function.body)
        self.results = body.results
        return replace(self.function, body=body)

    def summary(self) -> Summary:
        params = {self.made[key]: key[1] for key in self.made if isinstance(key, tuple) and key[0] == "param"}
        written = self.expanded(self.written)
        consumed = frozenset(k for root, k in params.items() if root in written)
        labels: dict[object, object] = {}
        results = []
        for k, result in enumerate(self.results):
            mine = self.expanded(self.of(result))
            results.append(
                frozenset(
                    params[r] if r in params else labels.setdefault(r, ("new", k)) if r.ours else LENT
                    for r in mine
                )
            )
        return consumed, tuple(results)

    # roots

    def root(self, key: object, ours: bool = True) -> MemoryRoot:
        """The one root of `key`, the same in every round of a loop's analysis."""
        if key not in self.made:
            self.made[key] = MemoryRoot(ours)
        return self.made[key]

    def fresh(self, key: object) -> MemoryRoot:
        """The root of new memory."""
        root = self.root(key)
        for born in self.born:
            born.add(root)
        return root

    def give(self, var: Var, roots: Roots) -> None:
        if var.type.rank:
            self.roots[var] = roots
            if self.frames:
                self.frames[-1].here.add(var)
            for root in roots:
                self.sharing[root][var] = None

    def of(self, atom: Atom) -> Roots:
        return self.roots.get(atom, NONE) if isinstance(atom, Var) else NONE

    def expanded(self, roots: Iterable[MemoryRoot]) -> Roots:
        """Roots with those that a loop's carried arrays took over."""
        found: set[MemoryRoot] = set()
        waiting = list(roots)
        while waiting:
            root = waiting.pop()
            if root not in found:
                found.add(root)
                waiting.extend(self.taken_from.get(root, ()))
        return frozenset(found)

    def alive(self, var: Var) -> bool:
        return any(frame.alive(var) for frame in self.frames)

    def can_take(self, array: Atom, into: list[Equation], others: Iterable[Atom] = ()) -> bool:
        """Whether `array` may be overwritten here: ours, and no value alive (nor `others`) shares it.

        Parts of it that are read later, and were made in this block, become copies: they are smaller.
        """
        mine = self.of(array)
        if not all(root.ours for root in mine) or any(not mine.isdisjoint(self.of(o)) for o in others):
            return False
        sharing = (var for root in mine for var in self.sharing[root] if root in self.of(var))
        alive = dict.fromkeys(var for var in sharing if self.alive(var))
        if not alive or array in alive:
            return not alive
        made: dict[Atom, int] = {out: k for k, e in enumerate(into) for out in e.outs}
        parts = {v: k for v, k in made.items() if may_be_part(into[k]) and k > made.get(array, -1)}  # of it
        lent = self.root(LENT, ours=False)
        if any(var not in parts or lent in self.of(var) for var in alive):
            return False
        for var in sorted(alive, key=parts.__getitem__, reverse=True):
            self.detach(var, parts[var], into)
        return True

    def detach(self, view: Var, at: int, into: list[Equation]) -> None:
        """Have a part, made by the equation at a place of `into`, hold a copy."""
        part = Var(TEMPORARY, view.type)
        outs = tuple(part if out is view else out for out in into[at].outs)
        into[at : at + 1] = [replace(into[at], outs=outs), Equation((view,), Apply(ROWS["copy"], (part,)))]
        self.give(part, self.of(view))
        self.give(view, frozenset({self.fresh((view, "copied"))}))

    def take(self, array: Atom) -> None:
        """Note that `array` is overwritten; this block's values that shared its memory are dead for good."""
        self.written |= self.of(array)
        for root in self.of(array):
            for var in [v for v in self.sharing[root] if v in self.frames[-1].here]:
                del self.sharing[root][var]

    def copied(self, array: Atom, into: list[Equation], place: object, name: str | None = None) -> Var:
        """A new Var that holds a copy for `place`."""
        assert isinstance(array, Var)
        copy = Var(name or array.name, array.type)
        into.append(Equation((copy,), Apply(ROWS["copy"], (array,))))
        self.give(copy, frozenset({self.fresh((array, place))}))
        return copy

    # blocks and equations

    def block(self, block: Block, always: Iterable[Var] = ()) -> Block:
        """The block with copies; its frame stays for the caller to ask what is alive at its end."""
        last: dict[Var, int] = {}
        for k, equation in enumerate(block.equations):
            last.update((v, k) for v in self.mentions(equation))
        last.update((r, len(block.equations)) for r in block.results if isinstance(r, Var))
        self.frames.append(BlockFrame(last, frozenset(always)))
        equations: list[Equation] = []
        for k, equation in enumerate(block.equations):
            self.frames[-1].at = k
            equations.append(self.equation(equation, equations))
        self.frames[-1].at = len(block.equations)
        self.frames.pop()
        return Block(tuple(equations), block.results)

    def mentions(self, equation: Equation) -> tuple[Var, ...]:
        if equation not in self.mentioned:
            self.mentioned[equation] = free(without_target(equation.op))
        return self.mentioned[equation]

    def equation(self, equation: Equation, into: list[Equation]) -> Equation:
        """The equation with its own copies put before it, into `into`; gives its outs their roots."""
        op = equation.op
        match op:
            case Apply() if op.primitive.writes:
                return replace(equation, op=self.update(equation, op, into))
            case Apply(primitive) if primitive.effect:
                return equation
            case Apply():
                self.apply(equation, op)
                return equation
            case Call():
                return replace(equation, op=self.call(equation, op, into))
            case If():
                then, orelse = self.block(op.then), self.block(op.orelse)
                for out, a, b in zip(equation.outs, then.results, orelse.results):
                    self.give(out, self.of(a) | self.of(b))
                return replace(equation, op=replace(op, then=then, orelse=orelse))
            case For() | While():
                return replace(equation, op=LoopCopies(self, equation, op).run(into))
            case _:
                assert_never(op)

    def update(self, equation: Equation, op: Apply, into: list[Equation]) -> Apply:
        array, *rest = op.operands
        if not self.can_take(array, into):
            array = self.copied(array, into, equation)
        self.take(array)
        # What is read while the array is being written must not live in it. NumPy and Numba see to the
        # value of a plain assignment themselves.
        first = 0 if op.primitive.kind is Access.ADD else 1
        for k in range(first, len(rest)):
            if not self.of(array).isdisjoint(self.of(rest[k])):
                rest[k] = self.copied(rest[k], into, (equation, k))
        self.give(equation.outs[0], self.of(array))
        return replace(op, operands=(array, *rest))

    def apply(self, equation: Equation, op: Apply) -> None:
        if is_view(op) and (op.operands[0].type.rank or op.primitive.kind is Same.BROADCAST):
            lent = frozenset({self.root(LENT, ours=False)} if op.primitive.kind is Same.BROADCAST else ())
            self.give(equation.outs[0], self.of(op.operands[0]) | lent)
            return
        for out in equation.outs:
            self.give(out, frozenset({self.fresh(out)}))

    def call(self, equation: Equation, op: Call, into: list[Equation]) -> Call:
        consumed, results = self.summaries[op.function]
        operands = list(op.operands)
        for k in sorted(consumed):
            others = [o for m, o in enumerate(operands) if m != k]
            if not self.can_take(operands[k], into, others):
                operands[k] = self.copied(operands[k], into, (equation, k), TEMPORARY)
            self.take(operands[k])
        for out, aliases in zip(equation.outs, results):
            self.give(out, frozenset().union(*(self.named(a, equation, operands) for a in aliases)))
        return replace(op, operands=tuple(operands))

    def named(self, alias: object, equation: Equation, operands: Sequence[Atom]) -> Roots:
        """The memories that a callee's summary calls so."""
        if isinstance(alias, int):
            return self.of(operands[alias])
        return frozenset({self.root(LENT, ours=False) if alias == LENT else self.fresh((equation, alias))})


def may_be_part(equation: Equation) -> bool:
    """Whether what an equation gives may be a part of an older array: a view, or a branch's choice of one."""
    op = equation.op
    return isinstance(op, If) or (isinstance(op, Apply) and is_view(op))


def is_view(op: Apply) -> bool:
    return op.primitive.views and "a" not in op.params.get("spec", ())


class LoopCopies:
    """One loop: which carried arrays are its own to write, found by trying.

    A loop inside others is met again in each of their tries, and begins with what it found last: else those of all
    would multiply.
    """

    def __init__(self, walk: CopyInsertion, equation: Equation, op: For | While):
        self.walk = walk
        self.equation = equation
        self.op = op
        self.free = frozenset(v for part in blocks(op) for v in free(part)) - set(op.carried)
        arrays = [k for k, p in enumerate(op.carried) if p.type.rank]
        ours = {k for k in arrays if walk.flows.may_write(op.carried[k])}
        own, extra = walk.loops.get(equation, (ours, {}))
        self.own = {k: walk.root(op.carried[k]) for k in arrays if k in own}
        self.extra: dict[int, Roots] = {**dict.fromkeys(arrays, NONE), **extra}
        self.known = dict(walk.roots)  # before the loop

    def run(self, into: list[Equation]) -> For | While:
        """The loop with copies of initial values (into `into`) and inside."""
        walk, op = self.walk, self.op
        while True:
            before, extra = dict(self.own), dict(self.extra)
            op = self.attempt()
            self.learn(op)
            if (self.own, self.extra) == (before, extra):
                break
        walk.loops[self.equation] = set(self.own), dict(self.extra)
        init = self.taken(self.op.init, into, "init")
        for k, root in self.own.items():
            walk.taken_from[root] = walk.of(init[k]) | walk.of(op.body.results[k])
        walk.written |= walk.expanded(walk.written & set(self.own.values()))
        for k, out in enumerate(self.equation.outs):
            seen = walk.expanded(walk.of(init[k]) | walk.of(op.body.results[k]))
            walk.give(out, seen.difference(self.own.values()))
        return replace(op, init=init)

    def attempt(self) -> For | While:
        """Walk the blocks once with the present idea of what is the loop's own."""
        walk, op = self.walk, self.op
        walk.roots = dict(self.known)
        for k, param in enumerate(op.carried):
            if k in self.own:
                walk.give(param, frozenset({self.own[k]}))
            elif param.type.rank:
                walk.give(param, walk.of(op.init[k]) | self.extra[k])
        walk.written.difference_update(self.own.values())
        walk.born.append(set())
        if isinstance(op, While):
            op = replace(op, cond=walk.block(op.cond, self.free | set(op.carried)))
        body, copies = walk.block(op.body, self.free), list[Equation]()
        results = self.taken(body.results, copies)
        self.born = walk.born.pop()
        return replace(op, body=Block((*body.equations, *copies), results))

    def taken(self, values: Sequence[Atom], into: list[Equation], *place: object) -> tuple[Atom, ...]:
        """The values, of which those that the loop writes are arrays of their own; copies go into `into`."""
        walk, taken = self.walk, list(values)
        walk.frames.append(BlockFrame({}, self.free))
        for k in self.own:
            others = [taken[m] for m in range(len(taken)) if m != k]
            if not walk.can_take(taken[k], into, others):
                taken[k] = walk.copied(taken[k], into, (self.equation, *place, k))
        walk.frames.pop()
        return tuple(taken)

    def learn(self, op: For | While) -> None:
        """Give up arrays that the body does not write; the others' memories are seen through those left."""
        walk, results = self.walk, op.body.results
        needed = {k for k in self.own if self.own[k] in walk.written}
        while True:
            more = {j for k in needed for j in self.own if self.own[j] in walk.of(results[k])} - needed
            if not more:
                break
            needed |= more
        self.own = {k: root for k, root in self.own.items() if k in needed}
        for j in self.extra:
            if j not in self.own:
                shared = (root for k, root in self.own.items() if walk.of(results[k]) & walk.of(results[j]))
                mine = {self.before(root) for root in walk.of(results[j])}.union(shared)
                self.extra[j] |= mine - walk.of(self.op.init[j])

    def before(self, root: MemoryRoot) -> MemoryRoot:
        """What the next iteration calls a memory of this one: new memory is new in every iteration."""
        return self.walk.fresh((root, "before")) if root in self.born else root
