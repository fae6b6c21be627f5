"""What a main function leaves in its arguments, and what its results may share with them: just before printing.

    y = update x, v, i              x[i] = v                  t = add x, y
    store y to x          ->                                  store t to x      ->      x[...] = x + y

An argument that was updated in place all along holds its last contents already: its store says so alone. What is still
needed of an argument that a store writes over is copied before. A result that has become (a part of) an argument's
array, or another result, is copied where NumPy would have made an array of its own. What other functions give back of
their arguments their callers have: `returned_arguments`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeGuard

from codegen import ir
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Operation, Program, Var, While
from codegen.ir.kinds import Effect
from codegen.ir.traversal import equations, with_entry
from codegen.primitives.row import ROWS

Memory = Callable[[Var], frozenset[object]]
GivenBack = Mapping[
    str, Mapping[int, int]
]  # of functions, by name, which results are the array of which parameter
NOTHING: GivenBack = MappingProxyType({})


@dataclass(frozen=True)
class ResultHome:
    """Where a result may live. `own`: the parameter whose array it is; `views`: those it may be a part of;
    `shared`: whether it may share memory with other results."""

    own: int | None = None
    views: frozenset[int] = frozenset()
    shared: bool = False


ALONE = ResultHome()


def is_store(op: Operation) -> TypeGuard[Apply]:
    return isinstance(op, Apply) and op.primitive.kind is Effect.STORE


def stored(program: Program) -> frozenset[int]:
    """The parameters of the main function that it writes into."""
    return frozenset(e.op.params["param"] for e in program.entry.body.equations if is_store(e.op))


def take_stores(program: Program) -> tuple[Program, dict[int, Atom]]:
    """The program as a function of values: what it stores is further results. And the parameters that they go to."""
    entry = program.entry
    found: dict[int, Atom] = {}
    rest = []
    for equation in entry.body.equations:
        if is_store(equation.op):
            found[equation.op.params["param"]] = equation.op.operands[0]
        else:
            rest.append(equation)
    if not found:
        return program, found
    body = Block(tuple(rest), (*entry.body.results, *found.values()))
    return ir.program({**program.functions, entry.name: replace(entry, body=body)}, entry.name), found


def stored_results(program: Program) -> tuple[Program, frozenset[int]]:
    """The program with what is stored in an argument in place of the argument, where that is a result: its array holds
    that then, and what it held before is not needed. And the parameters that it stores in."""
    entry, (_, stores) = program.entry, take_stores(program)
    last: dict[Atom, Atom] = {entry.params[k]: array for k, array in stores.items()}
    results = tuple(last.get(r, r) for r in entry.body.results)
    return with_entry(program, body=replace(entry.body, results=results)), frozenset(stores)


def with_stores(
    program: Program,
    stores: dict[int, Atom],
    homes: Sequence[ResultHome] | None,
    params: Sequence[frozenset[object]],
    of: Memory,
) -> Function:
    """The main function of `program`, whose updates are in order, with what is left to store, and its own results.

    Each is where its home says: an argument's own array, a part of one, or apart from all; in none that a store writes.
    `params`: the memory of each parameter; `of`: the memories that an array may live in.
    """
    function, own = program.entry, Own(program)
    count = len(function.body.results) - len(stores)
    last = dict(zip(stores, function.body.results[count:], strict=True))
    open_: dict[int, Var] = {k: v for k, v in last.items() if isinstance(v, Var) and not own.certainly(v, k)}
    over = frozenset[object]().union(*(params[k] for k in open_))  # what stores write over
    results = list(function.body.results[:count])
    added: list[Equation] = []

    def copied(array: Var) -> Var:
        copy = Var(array.name, array.type)
        added.append(Equation((copy,), Apply(ROWS["copy"], (array,))))
        return copy

    listed = dict(enumerate(homes[:count])) if homes is not None else {}
    theirs, taken = frozenset[object]().union(*params), set[object]()
    for k, home in listed.items():
        if home.own is not None:
            results[k] = function.params[home.own] if home.own in open_ else last.get(home.own, results[k])
            taken |= params[home.own]
    for k, result in enumerate(results if homes is not None else ()):
        home = listed.get(k, ALONE)
        if home.own is not None or not isinstance(result, Var) or not result.type.rank:
            continue
        mine = of(result).difference(*(params[j] for j in home.views))
        before = not of(result).isdisjoint(over)  # what an argument held before its store
        if before or not mine.isdisjoint(theirs) or not (home.shared or mine.isdisjoint(taken)):
            results[k] = result = copied(result)
        taken |= of(result)
    for k, moved in open_.items():
        overlaps = own.may_be_part(moved) and not of(moved).isdisjoint(params[k])
        if overlaps or not (of(moved) - params[k]).isdisjoint(over):
            open_[k] = copied(moved)
    for k, array in last.items():
        operands = (open_[k], function.params[k]) if k in open_ else (array,)
        added.append(Equation((), Apply(ROWS["store"], operands, MappingProxyType({"param": k}))))
    return replace(function, body=Block((*function.body.equations, *added), tuple(results)))


def returned_arguments(program: Program) -> GivenBack:
    """What functions, of a program whose updates are in order, give back to others of what these gave them."""
    own = Own(program)
    found: dict[str, dict[int, int]] = {}
    for name, function in program.functions.items():
        homes = [own.of(function, result) for result in function.body.results] if name != program.main else []
        own_arrays = ((k, p) for k, home in enumerate(homes) if len(home) == 1 for p in home)
        found[name] = {k: p for k, p in own_arrays if isinstance(p, int) and has_identity(function.params[p])}
    return found


def has_identity(var: Var) -> bool:
    """Whether a value is an array or a stream."""
    return bool(var.type.rank) or var.type.dtype == "rng"


NEW, PART = "an array of its own", "a part of an array"


class Own:
    """Which values are a parameter's own array, whole and in place, in a program whose updates are in order."""

    def __init__(self, program: Program):
        self.entry = program.entry
        self.made = {name: made_by(f) for name, f in program.functions.items()}
        self.results: dict[tuple[str, int], frozenset[object]] = {}
        places = [(f, k) for f in program.functions.values() for k in range(len(f.body.results))]
        grown = any(isinstance(op, Call) for made in self.made.values() for op, _ in made.values())
        while grown:
            grown = False
            for function, k in places:
                found = self.of(function, function.body.results[k])
                if found != self.results.get((function.name, k), frozenset()):
                    self.results[function.name, k], grown = found, True

    def certainly(self, value: Atom, param: int) -> bool:
        return self.of(self.entry, value) == {param}

    def is_given(self, value: Atom) -> bool:
        """Whether a value is surely the array of one parameter, whichever that is."""
        homes = self.of(self.entry, value)
        return len(homes) == 1 and all(isinstance(home, int) for home in homes)

    def may_be_part(self, value: Atom) -> bool:
        """Whether a value may be a part of another array, or its elements in another order."""
        return PART in self.of(self.entry, value)

    def of(self, function: Function, value: Atom) -> frozenset[object]:
        """The parameters whose arrays `value` may be, by number; NEW for an array of its own, PART for a part of one;
        none where only a recursion gives it."""
        made, params = self.made[function.name], function.params
        homes: set[object] = set()
        seen: set[Atom] = set()
        waiting = [value]
        while waiting:
            atom = waiting.pop()
            if atom in seen:
                continue
            seen.add(atom)
            if not isinstance(atom, Var) or atom not in made:
                homes.add(next((k for k, p in enumerate(params) if p is atom), NEW))
                continue
            op, k = made[atom]
            match op:
                case Apply(primitive) if primitive.writes or primitive.family == "random" and k == 0:
                    waiting.append(op.operands[0])
                case If():
                    waiting += (op.then.results[k], op.orelse.results[k])
                case For() | While():
                    waiting += (op.init[k], op.body.results[k])
                case Call(name):
                    for place in self.results.get((name, k), ()):
                        if isinstance(place, int):
                            waiting.append(op.operands[place])
                        else:
                            homes.add(place)
                case Apply(primitive) if primitive.views:
                    homes.add(PART)
                case _:
                    homes.add(NEW)
        return frozenset(homes)


def made_by(function: Function) -> dict[Var, tuple[Operation, int]]:
    """What gives each array of a function: its operation, and as which out; a loop's carried arrays as well."""
    made: dict[Var, tuple[Operation, int]] = {}
    for equation in equations(function.body):
        made.update((out, (equation.op, k)) for k, out in enumerate(equation.outs))
        if isinstance(equation.op, For | While):
            made.update((c, (equation.op, k)) for k, c in enumerate(equation.op.carried))
    return made


def without_target(op: Operation) -> Operation:
    """A store as far as it reads: the array it goes to is written whole."""
    return replace(op, operands=op.operands[:1]) if is_store(op) else op
