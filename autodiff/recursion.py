"""Functions that call themselves: each call keeps what its return sweep needs, in a row of its own.

    def power(x, n):                   def power(x, n, call, powers):          # the forward sweep
        if n == 0: return 1.0              if n == 0: return 1.0, call + 1, powers
        return x * power(x, n - 1)         p, after, powers = power(x, n - 1, call + 1, powers)
                                ->         powers[call] = p
                                           return x * p, after, powers

Run again instead, the return sweep of each call would call the function anew, and those calls again: n^2
of them here. What is kept are the results of the inner calls and the numbers that these calls have, which
lead the return sweep to their rows (the first one's is the next after the call's own); all else is run again
from the arguments. A first run counts the calls.
It applies where a function calls itself alone, outside of loops, and what is kept are numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from autodiff.activity import Activity, Key, mask_of
from autodiff.cut import partition
from autodiff.loops.residual_arrays import ROW, plural
from autodiff.policy import NONE
from autodiff.rematerialisation import inside, parted
from autodiff.sizes.scope import fresh_name
from codegen.analysis.calls import call_graph, reach
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Type, Var, While
from codegen.ir.build import I8, Builder
from codegen.ir.traversal import equations, with_calls, within
from codegen.primitives import ROWS


@dataclass(eq=False)
class CallRows:
    """The functions that a recursive function becomes. `inner`: its calls of itself, while they are collected.

    count   (params, number of this call) -> (results, number after its calls)
    known   (params, number, rows) -> (results, number after, rows)
    linear  (params, number, rows, linear params) -> linear results
    kept    the variables that each call keeps
    """

    count: str
    known: str
    linear: str
    kept: tuple[Var, ...] | None = None
    inner: dict[Equation, Var] | None = None


def keeps_rows(unzip: Any, key: Key) -> bool:
    """Does the function call itself alone, under this mask alone, and outside of loops?"""
    name, mask = key
    body = unzip.program.functions[name].body
    calls = call_graph(unzip.program)
    callers = {f for f in reach(unzip.program.functions, name) if name in calls[f]}
    masks = {mask_of(op, unzip.table[key]) for op in own_calls(body.equations, name)}
    return callers == {name} and masks == {mask} and not in_loops(body, name)


def own_calls(part: Iterable[Equation], name: str) -> Iterator[Call]:
    """The calls of `name` in equations and inside them."""
    for each in part:
        yield from (e.op for e in within(each) if isinstance(e.op, Call) and e.op.function == name)


def in_loops(block: Block, name: str) -> bool:
    """Is there a call of `name` inside a loop?"""
    loops = (e for e in equations(block) if isinstance(e.op, For | While))
    return any(own_calls(loops, name))


def enter_rows(unzip: Any, key: Key) -> CallRows | None:
    """Enter the functions of a recursive function; None if a call would have to keep more than numbers.

    (Arrays, as the results of calls over lanes are: those are run again.)
    """
    source = unzip.program.functions[key[0]]
    act: Activity = unzip.table[key]
    base = key[0].removesuffix("_jvp")
    taken = unzip.taken()
    names: list[str] = []
    for ending in ("_count", "_forward", "_linear"):
        names.append(fresh_name(f"{base}{ending}", {*taken, *names}))
    rows = unzip.rows[key] = CallRows(names[0], names[1], names[2], inner={})
    known, mixed = unzip.split(source.body.equations, act)
    params, linear_params = parted(source.params, key[1])
    results, linear_results = parted(source.body.results, act.results)
    assert rows.inner is not None
    made = partition(unzip, known, mixed, linear_results, inside(known, unzip.brought), NONE)
    if any(v.type.rank or v.type.dtype == "rng" for v in made.saved):
        return None
    if any(own_calls((*made.again, *mixed), rows.known)):
        return None
    number, size = Var("call", I8), Var("calls", I8)
    nexts = next_numbers(known, rows.inner)
    rows.kept = tuple(v for v in made.saved if v not in nexts)
    heaps = [Var(plural(v.name), Type(v.type.dtype, (size,))) for v in rows.kept]
    counting = Thread(rows.inner, rows.count)
    b = Builder(checked=False)
    equations, (after,) = counting.block(known, [next_call(b, number)])
    unzip.functions[rows.count] = replace(
        source,
        name=rows.count,
        params=(*params, number),
        body=Block((*b.equations, *equations), (*results, after)),
    )
    unzip.functions[rows.known] = keeping_function(source, rows, params, number, heaps, known, results)
    again = [Equation((v,), next_number(number)) for v in made.saved if v in nexts]
    body = Block((*loads(rows.kept, heaps, number), *again, *made.again, *mixed), linear_results)
    first = len(params) + 1  # the known operands of a call and its number come before its rows

    def with_rows(call: Call) -> Call:
        given = (*call.operands[:first], *heaps, *call.operands[first:])
        return replace(call, operands=given) if call.function == rows.linear else call

    unzip.functions[rows.linear] = replace(
        source,
        name=rows.linear,
        params=(*params, number, *heaps, *linear_params),
        body=with_calls(body, with_rows),
    )
    unzip.linear[rows.linear] = act.active
    rows.inner = None
    return rows


def next_call(b: Builder, number: Var) -> Var:
    after = Var("call", I8)
    b.emit((after,), next_number(number))
    return after


def next_number(number: Var) -> Apply:
    return Apply(ROWS["add"], (number, Lit(1, I8)))


def next_numbers(known: Iterable[Equation], inner: dict[Equation, Var]) -> set[Var]:
    """The numbers of first inner calls, which are the next after the call's own, also as results of branches, where
    it makes no difference what another branch gives: they need not be kept."""
    found: set[Var] = set()

    def walk(equations: Iterable[Equation], is_first: bool) -> bool:
        for equation in equations:
            if equation in inner:
                if is_first:
                    found.add(inner[equation])
                is_first = False
            elif isinstance(equation.op, If):
                sides = equation.op.then, equation.op.orelse
                still = [walk(side.equations, is_first) for side in sides]
                for out, *given in zip(equation.outs, *(side.results for side in sides), strict=True):
                    numbers = [r for r in given if not isinstance(r, Lit)]
                    if numbers and found.issuperset(numbers):
                        found.add(out)
                is_first = all(still)
        return is_first

    walk(known, True)
    return found


def keeping_function(
    source: Function,
    rows: CallRows,
    params: tuple[Var, ...],
    number: Var,
    heaps: list[Var],
    known: list[Equation],
    results: tuple[Atom, ...],
) -> Function:
    """The function that keeps: its calls, then its own row."""
    assert rows.inner is not None and rows.kept is not None
    b = Builder(checked=False)
    equations, (after, *state) = Thread(rows.inner, rows.known).block(known, [next_call(b, number), *heaps])
    saves = Builder(checked=False)
    ends = []
    for heap, value in zip(state, rows.kept, strict=True):
        end = Var(heap.name, heap.type)
        saves.emit((end,), Apply(ROWS["update"], (heap, value, number), {"spec": ROW}))
        ends.append(end)
    body = Block((*b.equations, *equations, *saves.equations), (*results, after, *ends))
    return replace(source, name=rows.known, params=(*params, number, *heaps), body=body)


def loads(kept: tuple[Var, ...], heaps: list[Var], number: Var) -> list[Equation]:
    pairs = zip(kept, heaps, strict=True)
    return [Equation((v,), Apply(ROWS["index"], (heap, number), {"spec": ROW})) for v, heap in pairs]


@dataclass(eq=False)
class Thread:
    """Hands a state through the inner calls of a body: the number of the next call, and rows.

    `inner`: the calls, each with the out that stands for its number.
    """

    inner: dict[Equation, Var]
    function: str

    def block(self, equations: Iterable[Equation], state: list[Var]) -> tuple[list[Equation], list[Var]]:
        made: list[Equation] = []
        for equation in equations:
            if equation in self.inner:
                call = equation.op
                assert isinstance(call, Call)
                after = [Var(s.name, s.type) for s in state]
                made.append(Equation((self.inner[equation],), Apply(ROWS["copy"], (state[0],))))
                outs = tuple(o for o in equation.outs if o is not self.inner[equation])
                onward = Call(self.function, (*call.operands, *state))
                made.append(Equation((*outs, *after), onward, equation.span))
                state = after
            elif isinstance(equation.op, If) and any(e in self.inner for e in within(equation)):
                sides = []
                for side in (equation.op.then, equation.op.orelse):
                    inside_, ends = self.block(side.equations, state)
                    sides.append(Block(tuple(inside_), (*side.results, *ends)))
                state = [Var(s.name, s.type) for s in state]
                made.append(Equation((*equation.outs, *state), If(equation.op.test, *sides), equation.span))
            else:
                made.append(equation)
        return made, state


def row_call(unzip: Any, rows: CallRows, equation: Equation, op: Call, mask: Any) -> Any:
    """A call of a function that keeps rows: the known equations and the linear one."""
    flags = unzip.table[op.function, mask].results
    known_outs, linear_outs = parted(equation.outs, flags)
    operands, dots = parted(op.operands, mask)
    if rows.inner is not None:  # a call of itself
        number = Var("number", I8)
        first = Equation((*known_outs, number), Call(rows.known, operands), equation.span)
        rows.inner[first] = number
        unzip.kept.add(first)
        return [first], [Equation(linear_outs, Call(rows.linear, (*operands, number, *dots)))]
    assert rows.kept is not None
    b = Builder(span=equation.span, checked=False)
    zero = Lit(0, I8)
    total = Var("calls", I8)
    counted = tuple(Var(o.name, o.type) for o in known_outs)
    b.emit((*counted, total), Call(rows.count, (*operands, zero)))
    empty = [b.atom(b.apply("empty", total, dtype=v.type.dtype, name=plural(v.name))) for v in rows.kept]
    heaps = tuple(Var(plural(v.name), Type(v.type.dtype, (total,))) for v in rows.kept)
    after = Var("calls", I8)
    b.emit((*known_outs, after, *heaps), Call(rows.known, (*operands, zero, *empty)))
    return b.equations, [
        Equation(linear_outs, Call(rows.linear, (*operands, zero, *heaps, *dots)), equation.span)
    ]
