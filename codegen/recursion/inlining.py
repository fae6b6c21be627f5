"""Calls written out for compiled targets: of small recursive functions, and of many functions that call one another.

unroll_recursion : Program -> Program

    def fib(n):                                  def fib(n):
        if n < 2:                                    if n < 2:
            return n                                     return n
        return fib(n - 1) + fib(n - 2)    ->         a = n - 1 if n - 1 < 2 else fib(n - 2) + fib(n - 3)
                                                     b = n - 2 if n - 2 < 2 else fib(n - 3) + fib(n - 4)
                                                     return a + b

A function that can raise returns a status that each call looks at, which is half the time of a function like this one,
and one that recurs can raise (depth_check.py). This pays for it: most of the calls are gone. Only functions over
numbers that call themselves alone, and do little else.

shallow : Program -> Program

    def g0(x): ...          def f(x):
    def g1(x): g0(x)   ->       ...
    ...
    def f(x): g40(x)

Numba compiles what a function calls while it types the call, by calls of its own: after about 40 functions that call
one another Python's limit is met. Where there are many, those called once, and small ones, are inlined. Of functions
that call one another in a circle it finds no types where only one of them has a way without such a call,
`return x[i] + max((f(x, j) for j in ...), default=0)`: those that are called at one place are inlined there.
"""

from __future__ import annotations

from codegen.analysis.calls import call_graph, callees_first, recursive
from codegen.cost_model import RECURSIVE_CALLS, RECURSIVE_EQUATIONS
from codegen.ir import Call, Function, Program, program
from codegen.ir.traversal import equations
from codegen.recursion.depth_check import cycles_of, frame_variables
from codegen.simplify.inline import inline, inlined, unlinked
from codegen.source import refuse

LEVELS = 20


def unroll_recursion(whole: Program) -> Program:
    """`whole`, with the calls of small recursive functions replaced by what they call, once."""
    if not recursive(whole):
        return whole
    cycles = cycles_of(whole)
    functions = dict(whole.functions)
    for name, f in functions.items():
        if cycles.get(name) == frozenset({name}) and is_mostly_calls(f):
            functions[name] = inlined(f, {name: f})
    return program(functions, whole.main)


def is_mostly_calls(function: Function) -> bool:
    """Whether calls are what takes a function's time."""
    numbers = not any(v.type.rank or v.type.dtype == "rng" for v in frame_variables(function))
    ops = [e.op for e in equations(function.body)]
    return (
        numbers
        and len(ops) <= RECURSIVE_EQUATIONS
        and sum(isinstance(op, Call) for op in ops) <= RECURSIVE_CALLS
    )


def shallow(program: Program) -> Program:
    """`program` with at most LEVELS functions that call one another, and without those that a recursion goes through at
    one place."""
    program = unlinked(program)
    if call_height(program) <= LEVELS:
        return program
    made = inline(program)
    if call_height(made) > LEVELS:
        raise refuse(
            program.entry.span,
            f"more than {LEVELS} functions call one another: Numba cannot compile so many, call fewer or use loops",
        )
    return made


def call_height(program: Program) -> int:
    """How many functions call one another at most, each counted once."""
    graph, found = call_graph(program), dict[str, int]()
    for name in callees_first(program):
        found[name] = 1 + max((found.get(callee, 0) for callee in graph[name]), default=0)
    return found[program.main]
