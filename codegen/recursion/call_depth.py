"""Calls inside one another as Numba compiles them: shallow : Program -> Program.

    def g0(x): ...          def f(x):
    def g1(x): g0(x)   ->       ...
    ...
    def f(x): g40(x)

Numba compiles what a function calls while it types the call, by calls of its own: after about 40 functions that call
one another Python's limit is met. Where there are many, those called once, and small ones, are inlined.
"""

from __future__ import annotations

from codegen.analysis.calls import call_graph, callees_first
from codegen.ir import Program
from codegen.simplify.inline import inline
from codegen.source import refuse

LEVELS = 20


def shallow(program: Program) -> Program:
    """`program` with at most LEVELS functions that call one another."""
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
