"""Recursion that ends before the stack does: depth : Program -> Program, for compiled targets.

    def down(n):                                 def down_calls(n, depth):
        if n == 0:                                   if n == 0:
            return 0                                     return 0
        return 1 + down(n - 1)            ->         if depth == 0: raise RecursionError(...)
                                                     return 1 + down_calls(n - 1, depth - 1)

                                                 def down(n):
                                                     return down_calls(n, np.int64(50000))

Compiled calls go on until the stack is gone, and the process with it. So one function of each cycle of calls counts
them, and all of the cycle hand the count on. How many there may be is what the stack holds of their frames, as
estimated from their variables: at least what the compiler makes of them (it was compared with the frames that LLVM
laid out). To ask the stack's pointer instead costs more, and Numba has no word for it.
Runs last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from codegen.analysis.calls import call_graph, components, recursive
from codegen.emit.sink import is_update
from codegen.ir import Apply, Block, Call, Equation, Function, If, Lit, Program, Type, Var
from codegen.ir.build import Builder
from codegen.ir.exceptions import thrown
from codegen.ir.primitive import Primitive
from codegen.ir.traversal import equations, with_equations, with_functions, within
from codegen.recursion.entry_point import doubled

I8 = Type("i8", weak=True)
DEEP = Primitive(  # cast, so that Numba types calls with it as those of variables, which it can keep on disk
    "deep",
    lambda n: n,
    lambda n: I8,
    "stack",
    scalar="np.int64",
    form=lambda n, rank, lib: (f"np.int64({n})", 100),
)
TOO_DEEP = thrown("RecursionError", "maximum recursion depth exceeded")
STACK = 6_000_000  # bytes, of the 8 MB that main and other threads have where nobody has chosen another size
FRAME, NUMBER, ARRAY = 96, 8, 56  # bytes: of a frame, and of each of its numbers and arrays


def depth(whole: Program) -> Program:
    """`whole`, whose recursion raises before the stack is full."""
    if not recursive(whole):
        return whole
    if whole.main in recursive(whole):
        whole = doubled(whole, "calls")
    graph = call_graph(whole)
    cycles = cycles_of(whole)
    limits = {n: call_limit([whole.functions[m] for m in cycle]) for n, cycle in cycles.items()}
    counting = cycle_breakers(graph, cycles)
    return with_functions(whole, lambda f: Counting(f, cycles, limits, counting).function())


def cycles_of(whole: Program) -> dict[str, frozenset[str]]:
    """Each function that may come back to itself, and those that it does so through."""
    found = recursive(whole)
    cycle = {n: frozenset(group) for group in components(whole) for n in group}
    return {n: cycle[n] for n in whole.functions if n in found}


def cycle_breakers(graph: Mapping[str, Collection[str]], cycles: Mapping[str, frozenset[str]]) -> set[str]:
    """Functions without which there is no cycle."""
    found: set[str] = set()
    for name, cycle in cycles.items():
        rest = cycle - found
        if name in rest and comes_back(graph, name, rest):
            found.add(name)
    return found


def comes_back(graph: Mapping[str, Collection[str]], name: str, among: Collection[str]) -> bool:
    seen: set[str] = set()
    todo = [name]
    while todo:
        for called in graph[todo.pop()]:
            if called == name:
                return True
            if called in among and called not in seen:
                seen.add(called)
                todo.append(called)
    return False


def call_limit(cycle: Collection[Function]) -> int:
    """How often the functions of a cycle may all be called inside one another."""
    return STACK // sum(map(frame_bytes, cycle))


def frame_bytes(function: Function) -> int:
    """Bytes of a function's frame, about, and not fewer."""
    return FRAME + sum(ARRAY if v.type.rank else NUMBER for v in frame_variables(function))


def frame_variables(function: Function) -> list[Var]:
    """What has room in a frame: not what is written in place."""
    made = (e for e in equations(function.body) if not is_update(e.op))
    return [*function.params, *(v for e in made for v in e.outs)]


class Counting:
    """A function that hands on how deep it may go, as its last parameter, if it is in a cycle."""

    def __init__(
        self,
        function: Function,
        cycles: Mapping[str, frozenset[str]],
        limits: Mapping[str, int],
        counting: Collection[str],
    ):
        self.whole, self.cycles, self.limits, self.counting = function, cycles, limits, counting
        self.cycle = cycles.get(function.name, frozenset())
        self.depth = Var("depth", I8)

    def function(self) -> Function:
        if not self.cycle:
            return replace(self.whole, body=with_equations(self.whole.body, self.call))
        body = self.checked(self.whole.body) if self.whole.name in self.counting else self.whole.body
        params = (*self.whole.params, self.depth)
        return replace(self.whole, params=params, body=with_equations(body, self.call))

    def call(self, equation: Equation) -> list[Equation]:
        """A call with the depth that is left; other equations as they are."""
        op = equation.op
        if not isinstance(op, Call) or op.function not in self.cycles:
            return [equation]
        if op.function not in self.cycle:
            left, deepest = Var("depth", I8), Lit(self.limits[op.function], I8)
            begun = Equation((left,), Apply(DEEP, (deepest,)), equation.span)
            return [begun, replace(equation, op=Call(op.function, (*op.operands, left)))]
        b = Builder(span=equation.span, checked=False)
        less = b.atom(b.wrap(self.depth) - 1) if op.function in self.counting else self.depth
        return [*b.equations, replace(equation, op=Call(op.function, (*op.operands, less)))]

    def checked(self, block: Block) -> Block:
        """The block with a check before its calls, as far inside as they all are."""
        where = [k for k, e in enumerate(block.equations) if self.calls(e)]
        if not where:
            return block
        at = where[0]
        first = block.equations[at]
        before, after = block.equations[:at], block.equations[at + 1 :]
        if len(where) == 1 and isinstance(first.op, If):
            then, orelse = self.checked(first.op.then), self.checked(first.op.orelse)
            made: tuple[Equation, ...] = (replace(first, op=replace(first.op, then=then, orelse=orelse)),)
        else:
            b = Builder(span=self.calls(first)[0].span, checked=False)
            b.require(b.wrap(self.depth) != 0, TOO_DEEP)
            made = (*b.equations, first)
        return replace(block, equations=(*before, *made, *after))

    def calls(self, equation: Equation) -> list[Equation]:
        """The calls within the cycle that an equation is or has inside."""
        inside = within(equation)
        return [e for e in inside if isinstance(e.op, Call) and e.op.function in self.cycle]
