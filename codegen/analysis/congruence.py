"""Numbers and sizes that are one in every iteration of a loop, or in each branch: congruent : Function -> {one: first}.

    while t < 5:                          the counts of both lists are one, and so are the sizes of their arrays
        if count >= len(xs): xs = ...
        xs[count] = x; count += 1
        if more >= len(ts): ts = ...
        ts[more] = t; more += 1

All numbers that a loop carries and that begin as one are taken to be one, and all sizes of its arrays that do; those
that an iteration then leaves different are set apart, until what is taken to be so shows itself. (Alpern, Wegman,
Zadeck, POPL 1988, by the partition refinement of Hopcroft 1971.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from typing import TypeAlias

from codegen.ir import Apply, Atom, Block, Dim, Equation, For, Function, If, Lit, Var, While
from codegen.ir.kinds import Access, Choice, Joined
from codegen.ir.substitution import blocks, sizes
from codegen.ir.traversal import equations
from codegen.primitives.index import Cut, grouped

Key: TypeAlias = Hashable
Classes: TypeAlias = dict[Var, int]

DEEPEST = 30  # of what a number is computed by; beyond it a number is itself


def congruent(function: Function) -> dict[Var, Var]:
    """The numbers of loops and branches, and the sizes that their arrays bring, that are others which come first."""
    listed = list(equations(function.body))
    if not any(isinstance(e.op, For | While | If) and gives_two(e.outs) for e in listed):
        return {}
    return dict(Congruence(function, listed).pairs())


def gives_two(variables: tuple[Var, ...]) -> bool:
    numbers = sum(not v.type.rank for v in variables)
    return numbers > 1 or len({n for v in variables for n in v.type.shape if isinstance(n, Var)}) > 1


class Congruence:
    """What is known of the numbers and sizes of a function."""

    def __init__(self, function: Function, listed: list[Equation]):
        self.body = function.body
        # What makes a number or a size, its place among the outs, and of a size its axis.
        self.made: dict[Dim | Atom, tuple[Equation, int, int | None]] = {}
        self.carried: dict[Dim | Atom, Equation] = {}
        self.assumed: dict[Dim | Atom, Key] = {}
        self.keys: dict[Dim | Atom, Key] = {}  # as long as no more is assumed
        self.found: dict[Equation, Classes] = {}  # and loops
        self.numbers: dict[Key, int] = {}  # of keys of keys
        known: set[Dim | Atom] = {n for p in function.params for n in (p, *p.type.shape)}
        for equation in listed:
            if isinstance(op := equation.op, For | While):
                known |= {op.index, *op.carried} if isinstance(op, For) else {*op.carried}
                self.carried |= {n: equation for n, _, _ in carried_sizes(op) if n not in known}
                known |= self.carried.keys()
                self.carried |= {n: equation for n in op.carried if is_carried_number(n)}
            for k, out in enumerate(equation.outs):
                self.made[out] = equation, k, None
                for axis, n in enumerate(out.type.shape):
                    if isinstance(n, Var) and n not in known:
                        self.made[n] = equation, k, axis
                        known.add(n)
            known |= {*equation.outs}

    def pairs(self, block: Block | None = None) -> Iterator[tuple[Var, Var]]:
        """Numbers and sizes, and the first ones that they are."""
        outs: list[Var] = []
        for equation in (block or self.body).equations:
            op = equation.op
            if isinstance(op, For | While):
                found = self.classes(equation)
                yield from firsts(found.items())
                ends = zip(equation.outs, op.carried, strict=True)
                yield from firsts((out, found[p]) for out, p in ends if p in found)
                ends = zip(equation.outs, op.carried, strict=True)
                yield from firsts((out, found[p]) for out, p in ends if self.carried.get(p) is equation)
                self.assumed |= {n: ("carried", id(equation), number) for n, number in found.items()}
                self.keys = {}
            for inner in blocks(op):
                yield from self.pairs(inner)
            if isinstance(op, For | While | If):
                brought = dict.fromkeys(n for out in equation.outs for n in sizes(out.type))
                outs += [n for n in brought if n in self.made and self.made[n][0] is equation]
        yield from firsts((n, self.key(n)) for n in outs)

    def classes(self, equation: Equation) -> Classes:
        """The numbers that a loop carries and the sizes that its arrays bring, each with the number of its class."""
        if equation not in self.found:
            around = self.keys, self.found
            classes = self.refined(equation)
            self.keys, self.found = around
            self.found[equation] = classes
        return self.found[equation]

    def refined(self, equation: Equation) -> Classes:
        op = equation.op
        assert isinstance(op, For | While)
        own = [(n, k, axis) for n, k, axis in carried_by(op) if self.carried.get(n) is equation]
        found = numbered((n, (kind_of_number(n), self.begin(op.init[k], axis))) for n, k, axis in own)
        while several := {number for number, count in Counter(found.values()).items() if count > 1}:
            self.assumed |= {n: ("carried", id(equation), number) for n, number in found.items()}
            self.keys, self.found = {}, {}
            left = (
                (n, self.key(value_or_size(op.body.results[k], axis)) if found[n] in several else None)
                for n, k, axis in own
            )
            apart = numbered((n, (found[n], key)) for n, key in left)
            if len(set(apart.values())) == len(set(found.values())):
                break
            found = apart
        for n in found:
            self.assumed.pop(n, None)
        return found

    def begin(self, atom: Atom, axis: int | None) -> Key:
        """What a number or a size begins as; of numbers no more is asked than whether they are one."""
        if axis is None and isinstance(atom, Var):
            return self.assumed.get(atom, atom)
        return self.key(value_or_size(atom, axis))

    def key(self, n: Dim | Atom, depth: int = 0) -> Key:
        """Equal for what is equal, as far as is assumed of the sizes that loops carry."""
        if isinstance(n, Lit):
            return n.value if n.type.dtype == "i8" else ("literal", repr(n.value), kind_of_number(n))
        if isinstance(n, int) or n in self.assumed:
            return self.assumed.get(n, n)
        if n not in self.made or depth > DEEPEST:
            return n
        if n not in self.keys:
            self.keys[n] = self.key_of_made(n, depth)
        return self.keys[n]

    def short(self, *parts: Key) -> Key:
        """A key of keys, as a number."""
        return "key", self.numbers.setdefault(parts, len(self.numbers))

    def key_of_made(self, n: Dim | Atom, depth: int) -> Key:
        equation, k, axis = self.made[n]
        match equation.op:
            case Apply() as op:
                found = number_from(op) if axis is None else axis_from(op, axis)
                if found is None:
                    return n
                parts = [self.key(a, depth + 1) for a in found[1]]
                same = op.primitive.kind is Choice.SELECT and parts[1] == parts[2]
                return parts[1] if same else self.short(*found[0], *parts)
            case If(test, then, orelse):
                left, right = (
                    self.key(value_or_size(way.results[k], axis), depth + 1) for way in (then, orelse)
                )
                return left if left == right else self.short("if", self.key(test, depth + 1), left, right)
            case For() | While() as loop:
                inside = value_or_size(loop.carried[k], axis)
                if self.carried.get(inside) is equation:
                    assert isinstance(inside, Var)
                    return "after", id(equation), self.classes(equation)[inside]
                return n if axis is None else self.key(inside, depth + 1)
        return n


def carried_by(op: For | While) -> Iterator[tuple[Var, int, int | None]]:
    """The numbers that a loop carries, and the sizes in the types of its arrays, with the places that they are at, in
    the order of these: an array brings its size before a number that comes after it can be one."""
    numbers = ((n, k, None) for k, n in enumerate(op.carried) if is_carried_number(n))
    yield from sorted((*numbers, *carried_sizes(op)), key=lambda each: each[1])


def carried_sizes(op: For | While) -> Iterator[tuple[Var, int, int]]:
    """The sizes in the types of what a loop carries, with the first places that they are at."""
    found: dict[Var, tuple[int, int]] = {}
    for k, var in enumerate(op.carried):
        for axis, n in enumerate(var.type.shape):
            if isinstance(n, Var):
                found.setdefault(n, (k, axis))
    return ((n, *place) for n, place in found.items())


def is_carried_number(atom: Atom) -> bool:
    return not atom.type.rank and atom.type.dtype != "rng"


def kind_of_number(atom: Atom) -> Key:
    """What two numbers have in common where one may stand for the other."""
    return atom.type.dtype, atom.type.weak


def value_or_size(atom: Atom, axis: int | None) -> Dim | Atom:
    """A number, or the size of an array's axis."""
    return atom if axis is None else atom.type.shape[axis]


def numbered(keys: Iterable[tuple[Var, Key]]) -> Classes:
    numbers: dict[Key, int] = {}
    return {n: numbers.setdefault(key, len(numbers)) for n, key in keys}


def firsts(keys: Iterable[tuple[Var, Key]]) -> Iterator[tuple[Var, Var]]:
    """What is not the first of its kind and key, and the first."""
    first: dict[Key, Var] = {}
    return (
        (n, first[kind_of_number(n), key])
        for n, key in keys
        if first.setdefault((kind_of_number(n), key), n) is not n
    )


def number_from(op: Apply) -> tuple[tuple[Key, ...], tuple[Atom, ...]] | None:
    """What a number computed of others is, and these."""
    if op.primitive.family != "elementwise" or any(a.type.rank for a in op.operands):
        return None
    return (op.primitive, *map(str, sorted(op.params.items()))), op.operands


def axis_from(op: Apply, axis: int) -> tuple[tuple[Key, ...], tuple[Dim | Atom, ...]] | None:
    """The same of a size that an array brings: of a part of an array, and of arrays that are joined."""
    kind = op.primitive.kind
    if kind is Joined.CONCATENATE and op.params["axis"] == axis:
        return ("joined",), tuple(x.type.shape[axis] for x in op.operands)
    if kind is not Access.READ or "a" in op.params["spec"]:
        return None
    old = new = 0
    for token, given in zip(op.params["spec"], grouped(op.params["spec"], op.operands[1:]), strict=True):
        if new == axis and token != "i":
            cut = isinstance(token, Cut)
            return (("part", token), (op.operands[0].type.shape[old], *given)) if cut else None
        old += token != "n"
        new += token != "i"
    return None
