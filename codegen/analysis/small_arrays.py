"""Arrays of few elements that can be numbers instead: those read and written only at places that are known.

    k = np.array([x * y, x + y])
    for i in range(2):                    k, as the loop can be unrolled
        z[i] = k[i] * dt

`small_arrays : Program -> frozenset[Var]`. Values that become one another, through writes, branches and loops, are so
together (a union-find over Vars); a call may take or give numbers where its function does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import product
from math import prod

from codegen.analysis.calls import called_in_loops, recursive
from codegen.cost_model import SMALL_ARRAY, UNROLLED_EQUATIONS
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Program, Type, Var, While
from codegen.ir.kinds import Access, Arithmetic, Joined, Made, Same
from codegen.ir.literals import range_size
from codegen.ir.substitution import blocks, reads
from codegen.ir.traversal import equation_count
from codegen.primitives.index import places_along

Values = frozenset[int]
# What moves elements, whatever they are.
MOVED = (*Access, *Joined, Same.COPY, Same.BROADCAST, Same.RESHAPED, Same.TRANSPOSED)
VIEWED = (Access.READ, Same.BROADCAST, Same.RESHAPED, Same.TRANSPOSED)  # what may be a view of its operand
ARITHMETIC = {Arithmetic.ADD: int.__add__, Arithmetic.SUB: int.__sub__, Arithmetic.MUL: int.__mul__}


# Which loops over places of few elements are to be unrolled: all, those that run again and again in a call, none.
Unrolled = Enum("Unrolled", "ALL AGAIN NONE")


def small_arrays(program: Program, unrolled: Unrolled = Unrolled.NONE) -> frozenset[Var]:
    """The arrays of a program that can be numbers, once these loops are unrolled."""
    found = SmallArrays(program, unrolled)
    for function in program.functions.values():
        found.function(function)
    return found.good()


def run_again(program: Program) -> frozenset[Equation]:
    """The equations in loops that stay loops, and in functions that are called in loops."""
    called = called_again(program)

    def found(block: Block, again: bool) -> Iterator[Equation]:
        for equation in block.equations:
            if again:
                yield equation
            op = equation.op
            inside = again or isinstance(op, While) or isinstance(op, For) and not unrolled_indices(op)
            for inner in blocks(op):
                yield from found(inner, inside)

    return frozenset(e for f in program.functions.values() for e in found(f.body, f.name in called))


def called_again(program: Program) -> frozenset[str]:
    """The functions that loops call, and those that call themselves."""
    return called_in_loops(program) | recursive(program)


def is_small_type(type_: Type) -> bool:
    """Whether arrays of a type have few elements, and how many is known."""
    known = [n for n in type_.shape if isinstance(n, int)]
    return 0 < len(known) == type_.rank and 0 < prod(known) <= SMALL_ARRAY and type_.dtype != "rng"


def places(type_: Type) -> list[tuple[int, ...]]:
    """The places of a small array, in order."""
    return list(product(*(range(n) for n in type_.shape if isinstance(n, int))))


def unrolled_indices(loop: For) -> range:
    """The indices of a loop that can be unrolled; none of another."""
    if not isinstance(loop.start, Lit) or not isinstance(loop.stop, Lit) or loop.kind == "threads":
        return range(0)
    bounds = loop.start.value, loop.stop.value, loop.step
    count = range_size(*bounds)
    few = count <= SMALL_ARRAY and count * equation_count(loop.body) <= UNROLLED_EQUATIONS
    return range(*bounds) if few else range(0)


def is_at_places(op: Apply) -> bool:
    """Whether an operation reads or writes one element of an array."""
    return isinstance(op.primitive.kind, Access) and set(op.params["spec"]) == {"i"}


class SmallArrays:
    """Small arrays while a program is gone through. `again`: whether what is gone through runs more than once."""

    def __init__(self, program: Program, unrolled: Unrolled):
        self.program = program
        self.unrolled = unrolled
        self.called_again = called_again(program)
        self.again = False
        self.cycles = recursive(program)
        self.parent: dict[Var, Var] = {}
        self.bad: set[Var] = set()
        self.given: list[tuple[Var, Var]] = []  # a value, and what it must be able to become
        self.shared: dict[Var, Var] = {}  # views and what is written, by what they may share memory with
        self.known: dict[Atom, Values] = {}  # ints, and what they may be

    # classes

    def find(self, var: Var) -> Var:
        self.parent.setdefault(var, var)
        while self.parent[var] is not var:
            self.parent[var] = var = self.parent[self.parent[var]]
        return var

    def memory(self, var: Var) -> Var:
        """What stands for the memory that an array may have a part of."""
        while var in self.shared:
            var = self.shared[var]
        return var

    def share(self, a: Atom, b: Atom) -> None:
        """Two arrays may share memory."""
        if isinstance(a, Var) and isinstance(b, Var) and self.memory(a) is not self.memory(b):
            self.shared[self.memory(a)] = self.memory(b)

    def link(self, a: Atom, b: Atom) -> None:
        """One is a number where the other is."""
        self.share(a, b)
        if isinstance(a, Var) and isinstance(b, Var) and (is_small_type(a.type) or is_small_type(b.type)):
            x, y = self.find(a), self.find(b)
            self.parent[y] = x
            if y in self.bad or not (is_small_type(a.type) and is_small_type(b.type)):
                self.bad.add(x)

    def refuse(self, atoms: Iterable[Atom]) -> None:
        """These stay arrays."""
        self.bad.update(self.find(a) for a in atoms if isinstance(a, Var) and is_small_type(a.type))

    def give(self, value: Atom, to: Var) -> None:
        if isinstance(value, Var) and is_small_type(value.type):
            self.find(value)
            self.given.append((value, to))

    def good(self) -> frozenset[Var]:
        bad, before = {self.find(v) for v in self.bad}, -1
        while len(bad) > before:
            before = len(bad)
            bad |= {
                self.find(v) for v, to in self.given if not is_small_type(to.type) or self.find(to) in bad
            }
        return frozenset(v for v in self.parent if self.find(v) not in bad)

    # the walk

    def function(self, function: Function) -> None:
        outer = function.name == self.program.main or function.name in self.cycles
        for param in function.params:
            if is_small_type(param.type):
                self.find(param)
        if outer:
            self.refuse(function.params)
        if function.name in self.cycles:
            self.refuse(function.body.results)
        self.again = function.name in self.called_again
        self.block(function.body)
        arrays = [r for r in function.body.results if isinstance(r, Var) and r.type.rank]
        homes = Counter(map(self.memory, arrays))
        self.refuse(r for r in arrays if homes[self.memory(r)] > 1)  # one array, or one and a part of it

    def block(self, block: Block) -> None:
        for equation in block.equations:
            self.equation(equation)

    def equation(self, equation: Equation) -> None:
        op = equation.op
        match op:
            case Apply():
                self.apply(equation, op)
            case Call(name, operands):
                callee = self.program.functions[name]
                for operand, param in zip(operands, callee.params, strict=True):
                    self.give(operand, param)
                for result, out in zip(callee.body.results, equation.outs, strict=True):
                    self.give(result, out)
                    if is_small_type(out.type):
                        self.find(out)
            case If():
                for block in blocks(op):
                    for out, result in zip(equation.outs, block.results, strict=True):
                        self.link(out, result)
                    self.block(block)
            case For() | While():
                for out, param, result in zip(equation.outs, op.carried, op.body.results, strict=True):
                    self.link(param, result)
                    self.link(param, out)
                for init, param in zip(op.init, op.carried, strict=True):
                    self.give(init, param)
                if isinstance(op, For) and op.kind == "threads":
                    self.refuse(op.carried)
                around, places = self.again, unrolled_indices(op) if isinstance(op, For) else range(0)
                if isinstance(op, For) and self.is_unrolled():
                    self.known[op.index] = frozenset(places)
                self.again = self.again or not places
                for inner in blocks(op):
                    self.block(inner)
                self.again = around

    def is_unrolled(self) -> bool:
        """Whether a loop that can be unrolled here is to be."""
        return self.unrolled is Unrolled.ALL or self.unrolled is Unrolled.AGAIN and self.again

    def apply(self, equation: Equation, op: Apply) -> None:
        kind, operands, outs = op.primitive.kind, op.operands, equation.outs
        if kind in (Made.EMPTY, Made.FULL, Made.RANGE):
            if is_small_type(outs[0].type):
                self.find(outs[0])
        elif kind in MOVED and self.has_known_places(op):
            if is_small_type(outs[0].type):
                self.find(outs[0])
            if op.primitive.writes:
                self.link(outs[0], operands[0])
            elif outs[0].type.rank:
                for operand in operands:
                    self.give(operand, outs[0])
                if kind in VIEWED:
                    self.share(outs[0], operands[0])
        else:
            self.refuse((*operands, *outs))
            if kind in ARITHMETIC and len(outs) == 1:
                self.note(outs[0], [self.values(o) for o in operands], ARITHMETIC[kind])

    def has_known_places(self, op: Apply) -> bool:
        """Whether it is known which elements an operation moves where; of a write, elements one by one."""
        if op.primitive.accesses:
            return is_at_places(op) and self.is_inside(op) if op.primitive.writes else self.is_inside(op)
        places = op.operands[value_count(op) :]
        return all(isinstance(o, Lit) for o in places) and all(
            is_small_type(o.type) or not o.type.rank for o in op.operands[: value_count(op)]
        )

    def note(self, out: Var, parts: list[Values], compute: object) -> None:
        """What an int may be that is computed of known ones."""
        if out.type.dtype == "i8" and not out.type.rank and 0 < prod(map(len, parts)) <= SMALL_ARRAY**2:
            self.known[out] = frozenset(compute(*each) for each in product(*parts))  # type: ignore[operator]

    def values(self, atom: Atom) -> Values:
        if isinstance(atom, Lit):
            return frozenset((atom.value,)) if type(atom.value) is int else frozenset()
        return self.known.get(atom, frozenset())

    def is_inside(self, op: Apply) -> bool:
        """Whether the places of an access are known, and are in its array."""
        array, spec, given = op.operands[0].type, op.params["spec"], op.operands[op.primitive.first_place :]
        if not is_small_type(array) or "a" in spec:
            return False
        ints = [
            (self.values(place), n) for token, place, n in places_along(array, spec, given) if token == "i"
        ]
        inside = all(at and all(-n <= k < n for k in at) for at, n in ints)  # type: ignore[operator]
        return inside and all(isinstance(o, Lit) or self.values(o) for o in given)


def value_count(op: Apply) -> int:
    """How many of the operands of an operation that moves elements are those elements, or arrays of them."""
    return len(op.operands) if isinstance(op.primitive.kind, Joined) else 1


def touched(op: For, arrays: frozenset[Var]) -> bool:
    """Whether a loop takes elements of some arrays at places that hang on its index."""
    inside = {op.index}
    return any(arrays.intersection(operands) for operands in indexed(op.body, inside))


def indexed(block: Block, inside: set[Var]) -> Iterator[tuple[Atom, ...]]:
    """The operands of what hangs on some indices; what is computed of them is added to these."""
    for equation in block.equations:
        operands = reads(equation.op)
        if inside.intersection(operands):
            yield operands
            if isinstance(equation.op, Apply) and equation.op.primitive.kind in ARITHMETIC:
                inside.update(equation.outs)
        for inner in blocks(equation.op):
            yield from indexed(inner, inside)
