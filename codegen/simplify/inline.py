"""Calls replaced by what they call, and who calls whom.

    def double(x): return x + x              def f(x):
    def f(x): return double(x) * 3     ->        return (x + x) * 3

A function that reaches itself stays a function; of the others those go that are called once or are small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from codegen import ir
from codegen.ir import Atom, Block, Call, Equation, Function, Lit, Program, Type, Var
from codegen.ir.build import Builder
from codegen.ir.literals import literal
from codegen.ir.substitution import Expand, blocks, clone, keep, rewrite, sizes

SMALL = 12  # equations; a call, its tuple and its copies cost about as many lines of emitted source


def inline(program: Program, *, when: Callable[[Function, int], bool] | None = None) -> Program:
    """`program` with calls of non-recursive functions replaced by their bodies; functions left uncalled go.

    `when(function, calls)` says which are; the default takes those called once or of at most 12 equations.

        inline(program, when=lambda function, calls: True)
    """
    chosen = when or (lambda function, calls: calls == 1 or size(function.body) <= SMALL)
    cycles = recursive(program)
    calls = sites(call_graph(program))
    done: dict[str, Function] = {}
    for name in callees_first(program):
        function = program.functions[name]
        into = {
            g: done[g]
            for g in call_graph_of(function)
            if g not in cycles and g != program.main and chosen(done[g], calls[g])
        }
        done[name] = inlined(function, into) if into else function
    reached = reach(done, program.main)
    return ir.program({name: done[name] for name in program.functions if name in reached}, program.main)


def unlinked(program: Program) -> Program:
    """`program` with each function that takes part in a recursion, but is called at one place, inlined there.

    def grow(n): return twice(n - 1) if n else 1          def grow(n):
    def twice(n): return grow(n) + grow(n)          ->        return grow(n - 1) + grow(n - 1) if n else 1
    """
    while (link := first_link(program)) is not None:
        caller, name = link
        functions = dict(program.functions)
        functions[caller] = inlined(functions[caller], {name: functions.pop(name)})
        program = ir.program(functions, program.main)
    return program


def first_link(program: Program) -> tuple[str, str] | None:
    """A function of a recursion, and one that it alone calls, at one place, and that does not call itself."""
    graph, cycles = call_graph(program), recursive(program)
    calls = sites(graph)
    for caller, called in graph.items():
        for name in called:
            if name in cycles and calls[name] == 1 and name not in (caller, program.main):
                return caller, name
    return None


def inlined(function: Function, into: Mapping[str, Function]) -> Function:
    """A function with its calls of `into` replaced."""
    scope = {d for p in function.params for d in (p, *sizes(p.type))}

    def bind(var: Var, env: dict[Var, Atom]) -> Var:
        var = keep(var, env)
        scope.update((var, *sizes(var.type)))
        return var

    return replace(function, body=rewrite(function.body, {}, bind, expander(into, scope)))


def expander(into: Mapping[str, Function], scope: set[Var]) -> Expand:
    def expand(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        op = equation.op
        if not isinstance(op, Call) or op.function not in into:
            return None
        b = Builder(span=equation.span, checked=False)
        operands = (env.get(o, o) if isinstance(o, Var) else o for o in op.operands)
        body = body_of(b, into[op.function], tuple(operands))
        b.equations += body.equations
        for out, result in zip(equation.outs, body.results):
            stand(b, out, result, env, scope)
        return b.equations

    return expand


def body_of(b: Builder, function: Function, operands: tuple[Atom, ...]) -> Block:
    """A fresh copy of a function's body on these operands."""
    env: dict[Var, Atom] = {}
    for param, operand in zip(function.params, operands):
        stand(b, param, operand, env, set())
    return clone(function.body, env)


def stand(b: Builder, var: Var, atom: Atom, env: dict[Var, Atom], scope: set[Var]) -> None:
    """Let `atom` stand for `var` in `env`, and its sizes for those that `var` brings into `scope`."""
    type_ = var.type
    for mine, its in zip(type_.shape, atom.type.shape):
        if isinstance(mine, Var) and mine is not its and mine not in scope:
            env.setdefault(mine, literal(its) if isinstance(its, int) else its)
    if atom.type.dtype == type_.dtype and atom.type.weak == type_.weak:
        env[var] = atom
    elif isinstance(atom, Lit):
        env[var] = Lit(atom.value, Type(type_.dtype, (), type_.weak))
    else:
        env[var] = b.atom(b.apply("cast", atom, dtype=type_.dtype))


def size(block: Block) -> int:
    """The equations of a block, nested ones included."""
    return sum(1 + sum(size(inner) for inner in blocks(e.op)) for e in block.equations)


def call_graph(program: Program) -> dict[str, Counter[str]]:
    """For each function the functions it calls, in order of first call, and from how many places."""
    return {name: call_graph_of(f) for name, f in program.functions.items()}


def sites(graph: Mapping[str, Counter[str]]) -> Counter[str]:
    """From how many places each function is called."""
    return Counter(name for called in graph.values() for name in called.elements())


def call_graph_of(function: Function) -> Counter[str]:
    found: Counter[str] = Counter()
    todo = [function.body]
    while todo:
        block = todo.pop()
        for equation in block.equations:
            if isinstance(equation.op, Call):
                found[equation.op.function] += 1
            todo += blocks(equation.op)
    return found


def recursive(program: Program) -> set[str]:
    """The functions that reach themselves through calls.

    >>> x = Var("x", Type("f8"))
    >>> again = Equation((Var("y", x.type),), Call("f", (x,)))
    >>> recursive(ir.program({"f": Function("f", (x,), Block((again,), again.outs))}, "f"))
    {'f'}
    """
    graph = call_graph(program)
    found: set[str] = set()
    for group in components(program):
        if len(group) > 1 or group[0] in graph[group[0]]:
            found.update(group)
    return found


def callees_first(program: Program) -> list[str]:
    """The functions' names, each after those it calls (those of a cycle side by side)."""
    return [name for group in components(program) for name in group]


def components(program: Program) -> list[list[str]]:
    """The strongly connected components of the call graph, callees first (Tarjan's algorithm)."""
    graph = call_graph(program)
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for callee in graph[name]:
            if callee not in order:
                visit(callee)
                low[name] = min(low[name], low[callee])
            elif callee in stack:
                low[name] = min(low[name], order[callee])
        if low[name] == order[name]:
            at = stack.index(name)
            found.append(stack[at:])
            del stack[at:]

    for name in program.functions:
        if name not in order:
            visit(name)
    return found


def reach(functions: Mapping[str, Function], main: str) -> set[str]:
    """The functions that a call of `main` may run."""
    found: set[str] = set()
    todo = [main]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += call_graph_of(functions[name])
    return found
