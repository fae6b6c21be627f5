"""Printed names: the user's own, unique where values are alive together, shared where one takes over.

    s = for i in range(0, n, 1) with s.2 = 0.0:        s = 0.0
      s.3 = add s.2, t                           ->    for i in range(n):
      yield s.3                                            s = s + t

Python has no block scope, so values interfere over the whole function: two may share a name unless one is
assigned while the other is still to be read. Values that flow into one another (a loop's initial, carried,
next and final value; an array before and after a write) are given one name where that is possible, and an
assignment where it is not. (Chaitin's interference graph with conservative coalescing, on structured code.)
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from codegen import runtime
from codegen.emit.argument_stores import NOTHING, GivenBack
from codegen.emit.copy_insertion import TEMPORARY
from codegen.emit.expression_folding import (
    Folded,
    equation_leaves,
    is_draw,
    named_reads,
    temporary_draw,
    use_count,
)
from codegen.emit.spelling import TAKEN
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Program, Var, While
from codegen.ir.kinds import Access, Choice
from codegen.ir.substitution import binders, blocks, sizes
from codegen.ir.traversal import equations

Names = Mapping[Var, str]


def names(function: Function, folded: Folded, avoid: Collection[str], back: GivenBack = NOTHING) -> Names:
    """A printed name for every Var of `function` that is not folded; none is in `avoid`. Deterministic."""
    walk = Interference(folded, use_count(function.body), back)
    walk.function(function)
    classes = Classes(walk, function.params)
    for a, b in walk.wishes:
        classes.join(a, b)
    return classes.name(avoid)


def function_names(program: Program) -> dict[str, str]:
    """Printed names of the functions: identifiers, no two equal, and none that of a function that texts bring along."""
    given: dict[str, str] = {}
    taken = TAKEN | runtime.names()
    for name in program.functions:
        base = identifier(name)
        given[name] = next(c for c in name_candidates(base) if c not in taken and c not in given.values())
    return given


def identifier(name: str) -> str:
    """The nearest Python identifier."""
    word = re.sub(r"\W", "_", name) or TEMPORARY
    return f"_{word}" if word[0].isdigit() else word


def name_candidates(base: str) -> Iterable[str]:
    """base, base_ (where base is taken), base2, base3, ..."""
    if base in TAKEN:
        base = f"{base}_"
    yield base
    stem = f"{base}_" if base[-1].isdigit() else base
    for k in range(2, 1_000_000):
        yield f"{stem}{k}"


# Words tried before new ones are taken: else thousands that are alive together would try as many each.
FEW = 64


def candidates_from(base: str, used: int) -> Iterator[tuple[int, str]]:
    """Candidates, numbered: after a few of them those that come after the `used` first."""
    yield from islice(enumerate(name_candidates(base)), FEW)
    yield from islice(enumerate(name_candidates(base)), max(FEW, used), None)


def unused_spelling(base: str, taken: Collection[str]) -> str:
    """The first of these that nobody has."""
    return next(c for c in name_candidates(base) if c not in taken)


def claim(base: str, taken: set[str]) -> str:
    """The same, taken from now on."""
    name = unused_spelling(base, taken)
    taken.add(name)
    return name


def operation_name(op: Apply) -> str | None:
    """x_sum for np.sum(x), exp_x for np.exp(x), where x is a name of the user's."""
    named = [o for o in op.operands if isinstance(o, Var)]
    if len(op.operands) != 1 or not named or named[0].name == TEMPORARY:
        return None
    name, x = f"{op.primitive}", named[0].name
    if op.primitive.family in ("reduce", "scan"):
        return f"{x}_{name}"
    called = op.primitive.family == "elementwise" and op.primitive.call
    return f"{name}_{x}" if called and op.primitive.kind is not Choice.SELECT else None


class Interference:
    """Which values are alive together, from one backward walk; which ones should share a name.

    Sets of values are ints, a bit each: thousands that are alive together are as many operations, not their square.
    """

    def __init__(self, folded: Folded, used: Mapping[Var, int], back: GivenBack = NOTHING):
        self.folded = folded
        self.used = used
        self.back = back  # what called functions give back of what they are given
        self.places: dict[Var, int] = {}  # of each value's bit
        self.edges: dict[Var, int] = defaultdict(int)  # what is still to be read when a value is assigned
        self.wishes: list[tuple[Var, Var]] = []
        self.order: dict[Var, None] = {}
        self.sized: set[Var] = set()
        self.brings: dict[Var, tuple[Var, ...]] = {}
        self.hints: dict[Var, str] = {}
        self.same: dict[Var, int] = {}  # a stream and what it is later
        self.stream: dict[Var, Var] = {}  # streams after a draw are the object they were before
        self.around = 0  # the indices of the loops that a walk is in: nests read best with an index each

    def function(self, function: Function) -> None:
        self.sized.update(function.params)
        self.first_seen(function.params)
        self.forward(function.body)
        alive = self.block(function.body, self.read(function.body.results))
        self.define((*function.params, *self.with_sizes(function.params)), alive)

    # a forward walk for the order of appearance and for which binder brings which size

    def first_seen(self, binders: Iterable[Var]) -> None:
        for var in binders:
            new = tuple(n for n in dict.fromkeys(sizes(var.type)) if n not in self.sized)
            self.sized.update((*new, var))  # a loop's index may be a size in it
            self.brings[var] = tuple(n for n in new if self.used.get(n))
            for each in (var, *new):
                self.order.setdefault(each)

    def forward(self, block: Block) -> None:
        for equation in block.equations:
            self.first_seen(binders(equation.op))
            for inner in blocks(equation.op):
                self.forward(inner)
            self.sized.update(equation.outs)  # a size that is computed is brought by no array
            self.first_seen(equation.outs)
            self.wish(equation)
            self.hint(equation)

    def wish(self, equation: Equation) -> None:
        """Pairs that read best under one name, the most telling first."""
        op = equation.op
        if isinstance(op, Apply) and (op.primitive.writes or op.primitive.family == "random"):
            self.pair(equation.outs[0], op.operands[0])
        elif isinstance(op, For | While):
            for out, carried, init, result in zip(equation.outs, op.carried, op.init, op.body.results):
                self.pair(carried, result)
                self.pair(out, carried)
                self.pair(carried, init)
        elif isinstance(op, If):
            # A block that leaves a value as it is comes first: it needs no else.
            for block in sorted(blocks(op), key=lambda b: bool(b.equations)):
                for out, result in zip(equation.outs, block.results):
                    self.pair(out, result)
        elif isinstance(op, Call):
            for out, operand in self.given_back(equation, op):
                self.pair(out, operand)
            streams = [o for o in op.operands if o.type.dtype == "rng"]
            for out, stream in zip([o for o in equation.outs if o.type.dtype == "rng"], streams):
                self.pair(out, stream)

    def hint(self, equation: Equation) -> None:
        """What a temporary may be called: x_i for x[i], z for a normal draw."""
        op = equation.op
        if not isinstance(op, Apply):
            return
        if is_draw(equation) and isinstance(rng := op.operands[0], Var):
            self.stream[equation.outs[0]] = self.stream.get(rng, rng)
        if is_draw(equation) and temporary_draw(equation):
            self.hints[equation.outs[1]] = op.primitive.letter
        elif op.primitive.kind is Access.READ and equation.outs[0].name == TEMPORARY:
            array, *rest = op.operands
            places = [p.name if isinstance(p, Var) else str(p.value) for p in rest]
            simple = places and TEMPORARY not in places and all(t in ("i", ":") for t in op.params["spec"])
            if isinstance(array, Var) and array.name != TEMPORARY and simple and "-" not in "".join(places):
                self.hints[equation.outs[0]] = "_".join((array.name, *places))
        elif len(equation.outs) == 1 and equation.outs[0].name == TEMPORARY and (word := operation_name(op)):
            self.hints[equation.outs[0]] = word

    def word(self, var: Var) -> str:
        """The user's name, or TEMPORARY."""
        return TEMPORARY if var in self.hints else var.name

    def given_back(self, equation: Equation, op: Call) -> Iterator[tuple[Var, Atom]]:
        """Outs of a call that are arrays it is given, which have their names before it, each with that array."""
        places = self.back.get(op.function, {}).items()
        yield from ((equation.outs[k], op.operands[p]) for k, p in places)

    def pair(self, a: Atom, b: Atom) -> None:
        if isinstance(a, Var) and isinstance(b, Var) and a not in self.folded and b not in self.folded:
            self.wishes.append((a, b))

    # the backward walk

    def read(self, atoms: Iterable[Atom]) -> int:
        """The set of values that expressions read."""
        return self.mask(v for atom in atoms for v in named_reads(atom, self.folded))

    def mask(self, values: Iterable[Var]) -> int:
        """The set of these values."""
        found = 0
        for var in values:
            found |= 1 << self.places.setdefault(var, len(self.places))
        return found

    def with_sizes(self, binders: Iterable[Var]) -> list[Var]:
        """The binders that anything reads, and the sizes they bring that anything reads."""
        found: list[Var] = []
        for var in binders:
            brought = self.brings.get(var, ())
            if brought or self.used.get(var):
                found += [var, *brought]
        return found

    def define(self, binders: Collection[Var], alive: int) -> None:
        """The binders are assigned, side by side, while `alive` are still to be read."""
        together = alive | self.mask(binders)
        for var in binders:
            self.edges[var] |= together & ~self.own(var)

    def own(self, var: Var) -> int:
        """A value itself, and of a stream what it is before and later."""
        stream = self.stream.get(var, var)
        if stream not in self.same:
            self.same[stream] = self.mask((stream, *(v for v, of in self.stream.items() if of is stream)))
        return self.same[stream]

    def free(self, block: Block) -> int:
        """Named Vars that a block reads and does not bind, at any depth."""
        found, bound = self.read(block.results), 0
        for equation in equations(block):
            if not (equation.outs and equation.outs[0] in self.folded):
                found |= self.mask(equation_leaves(equation, self.folded))
            for inner in blocks(equation.op):
                found |= self.read(inner.results)
            for var in (*equation.outs, *binders(equation.op)):
                bound |= self.mask((var, *self.brings.get(var, ())))
        return found & ~bound

    def block(self, block: Block, alive: int) -> int:
        """What is alive before the block, from what is alive at its end."""
        for equation in reversed(block.equations):
            if not (equation.outs and equation.outs[0] in self.folded):
                alive = self.equation(equation, alive)
        return alive

    def equation(self, equation: Equation, alive: int) -> int:
        outs = self.with_sizes(equation.outs)
        rest = alive & ~self.mask(outs)
        self.define(outs, rest)
        op = equation.op
        match op:
            case Apply():
                operands = self.read(op.operands)
                if op.primitive.writes or (is_draw(equation) and op.primitive.first_size > 1):
                    self.define(outs, operands & ~self.read(op.operands[:1]))  # assigned first
                return rest | operands
            case Call():
                for out, operand in self.given_back(equation, op):
                    self.define(self.with_sizes((out,))[:1], self.read(op.operands) & ~self.read((operand,)))
                return rest | self.read(op.operands)
            case If():
                before = self.read((op.test,))
                for block in blocks(op):
                    results = (r for o, r in zip(equation.outs, block.results) if o in outs)
                    before |= self.block(block, rest | self.read(results))
                return before
            case For():
                bounds = self.read((op.start, op.stop))
                return self.loop(op, rest, bounds, (op.index,)) | bounds
            case While():
                return self.loop(op, rest, 0, ())

    def loop(self, op: For | While, rest: int, bounds: int, index: tuple[Var, ...]) -> int:
        carried = self.with_sizes(op.carried)
        own = self.mask((*carried, *index, *(n for p in op.carried for n in self.brings.get(p, ()))))
        around = rest | bounds  # not read in it, but a loop whose bounds change reads badly
        for block in blocks(op):
            around |= self.free(block) & ~own
        params = [p for p in op.carried if p in carried]
        all_params = self.mask(params)
        results = (r for p, r in zip(op.carried, op.body.results) if p in carried)
        outer, self.around = self.around, self.around | self.mask(filter(self.used.get, index))
        inside = self.block(op.body, around | self.read(results))
        self.around = outer
        if isinstance(op, While):
            inside |= self.block(op.cond, inside | around | all_params | self.read(op.cond.results))
        self.define(index, around | inside | all_params | outer)
        self.define(carried, around | all_params)
        self.define(params, bounds)
        return around | self.read(u for p, u in zip(op.carried, op.init) if p in carried)


class Classes:
    """Values under one name: a union-find over Vars that keeps interfering values apart."""

    def __init__(self, walk: Interference, params: tuple[Var, ...]):
        self.walk = walk
        self.params = params
        self.parent: dict[Var, Var] = {v: v for v in walk.order if v not in walk.folded}
        self.members: dict[Var, list[Var]] = {v: [v] for v in self.parent}
        self.mask: dict[Var, int] = {v: walk.mask((v,)) for v in self.parent}
        self.clash: dict[Var, int] = {v: walk.edges[v] for v in self.parent}
        for after, before in walk.stream.items():
            self.merge(self.find(before), self.find(after))

    def find(self, var: Var) -> Var:
        while self.parent[var] is not var:
            self.parent[var] = var = self.parent[self.parent[var]]
        return var

    def join(self, a: Var, b: Var) -> None:
        """Put two classes under one name, where types and names fit and no members interfere."""
        a, b = self.find(a), self.find(b)
        if len(self.members[a]) < len(self.members[b]):
            a, b = b, a
        if a is b or self.kind(a) != self.kind(b) or self.meet(a, b):
            return
        first, second = self.word(a), self.word(b)
        if TEMPORARY not in (first, second) and first != second:
            return
        if self.param(a) and self.param(b):
            return
        self.merge(a, b)

    def meet(self, a: Var, b: Var) -> bool:
        """Whether members of two classes are alive together."""
        return bool(self.clash[a] & self.mask[b] or self.clash[b] & self.mask[a])

    def kind(self, var: Var) -> object:
        """What values of one name have in common, dtype and rank: compiled code needs it, readers like it."""
        return var.type.dtype, var.type.rank

    def param(self, root: Var) -> Var | None:
        """The parameter in a class."""
        return next((p for p in self.params if self.find(p) is root), None)

    def merge(self, a: Var, b: Var) -> None:
        self.parent[b] = a
        self.members[a] += self.members.pop(b)
        self.mask[a] |= self.mask.pop(b)
        self.clash[a] |= self.clash.pop(b)

    def word(self, root: Var) -> str:
        """What a class is to be called: a parameter's name, else one of the user's, else the temporaries'."""
        param = self.param(root)
        if param is not None and param.name != TEMPORARY:
            return param.name
        return next((w for v in self.members[root] if (w := self.walk.word(v)) != TEMPORARY), TEMPORARY)

    def base(self, root: Var) -> str:
        """The first name to try for a class."""
        hints = [self.walk.hints[v] for v in self.members[root] if v in self.walk.hints]
        word = self.word(root)
        return identifier(hints[0] if word == TEMPORARY and hints else word)

    def name(self, avoid: Collection[str]) -> Names:
        """Names class by class, parameters first, then in order of appearance."""
        roots = list(dict.fromkeys(self.find(v) for v in self.parent))
        roots.sort(key=lambda r: self.param(r) is None)
        kinds: dict[str, object] = {}
        clash: dict[str, int] = defaultdict(int)  # what must not take a word any more
        taken: dict[str, int] = defaultdict(int)  # by what
        tried: dict[str, int] = defaultdict(int)  # of a base, how many words classes went through
        given: dict[Var, str] = {}
        for root in roots:
            base = self.base(root)
            for at, word in candidates_from(base, tried[base]):
                tried[base] = max(tried[base], at)
                free = word not in avoid and kinds.setdefault(word, self.kind(root)) == self.kind(root)
                if free and not (clash[word] & self.mask[root] or taken[word] & self.clash[root]):
                    break
            clash[word] |= self.clash[root]
            taken[word] |= self.mask[root]
            given.update((v, word) for v in self.members[root])
        return given
