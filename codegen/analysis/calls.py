"""Who calls whom: the call graph of a program, its recursive functions, what a call may run.

def double(x): return x + x              call_graph   {"double": {}, "f": {"double": 2}}
def f(x): return double(double(x))       reach(f)     {"double", "f"}
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from codegen.analysis.once import per_program
from codegen.cost_model import PLACED_EQUATIONS
from codegen.ir import Block, Call, Equation, For, Function, Program, While
from codegen.ir.substitution import blocks
from codegen.ir.traversal import all_equations, equation_count, equations


@per_program
def call_graph(program: Program) -> Mapping[str, Counter[str]]:
    """For each function the functions it calls, in order of first call, and from how many places."""
    return {name: calls_in(f.body) for name, f in program.functions.items()}


def sites(graph: Mapping[str, Counter[str]]) -> Counter[str]:
    """From how many places each function is called."""
    return Counter(name for called in graph.values() for name in called.elements())


def calls_in(block: Block) -> Counter[str]:
    return Counter(e.op.function for e in equations(block) if isinstance(e.op, Call))


@per_program
def small_in_loops(program: Program) -> frozenset[str]:
    """The functions of arrays without loops that loops call and that are worth being in place of each call: LLVM counts
    what they may raise as if it were raised, and calls what takes less than a call. Those of numbers it places itself.
    """
    calls, cycles = sites(call_graph(program)), recursive(program)
    called = (program.functions[name] for name in called_in_loops(program) - cycles - {program.main})
    straight = {
        f.name: calls[f.name] * equation_count(f.body)
        for f in called
        if any(p.type.rank for p in f.params)
        and not any(isinstance(e.op, For | While) for e in equations(f.body))
    }
    return frozenset(name for name, size in straight.items() if size <= PLACED_EQUATIONS)


@per_program
def recursive(program: Program) -> frozenset[str]:
    """The functions that reach themselves through calls.

    >>> x = Var("x", Type("f8"))
    >>> again = Equation((Var("y", x.type),), Call("f", (x,)))
    >>> recursive(ir.program({"f": Function("f", (x,), Block((again,), again.outs))}, "f"))
    frozenset({'f'})
    """
    graph = call_graph(program)
    found: set[str] = set()
    for group in components(program):
        if len(group) > 1 or group[0] in graph[group[0]]:
            found.update(group)
    return frozenset(found)


def callees_first(program: Program) -> list[str]:
    """The functions' names, each after those it calls (those of a cycle side by side)."""
    return [name for group in components(program) for name in group]


@per_program
def components(program: Program) -> Sequence[list[str]]:
    """The strongly connected components of the call graph, callees first (Tarjan's algorithm)."""
    graph = call_graph(program)
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    stacked: set[str] = set()
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        stacked.add(name)
        for callee in graph[name]:
            if callee not in order:
                visit(callee)
                low[name] = min(low[name], low[callee])
            elif callee in stacked:
                low[name] = min(low[name], order[callee])
        if low[name] == order[name]:
            at = stack.index(name)
            found.append(stack[at:])
            stacked.difference_update(found[-1])
            del stack[at:]

    for name in program.functions:
        if name not in order:
            visit(name)
    return found


def functions_with(program: Program, holds: Callable[[Equation], bool]) -> set[str]:
    """The functions in which something holds of an equation, or in a function that they reach by calls.

    Asked of all equations but calls.
    """
    callers: dict[str, list[str]] = defaultdict(list)
    todo = []
    for name, function in program.functions.items():
        for equation in equations(function.body):
            if isinstance(equation.op, Call):
                callers[equation.op.function].append(name)
            elif holds(equation):
                todo.append(name)
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += callers[name]
    return found


def reach(functions: Mapping[str, Function], main: str) -> set[str]:
    """The functions that a call of `main` may run."""
    found: set[str] = set()
    todo = [main]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += calls_in(functions[name].body)
    return found


def called_in_loops(program: Program) -> frozenset[str]:
    """The functions that loops call, and what those call."""
    loops = (e.op for e in all_equations(program) if isinstance(e.op, For | While))
    inside = (e.op for loop in loops for block in blocks(loop) for e in equations(block))
    named = {op.function for op in inside if isinstance(op, Call)}
    return frozenset(g for name in named for g in reach(program.functions, name))
