"""Calls replaced by what they call, and who calls whom.

    def double(x): return x + x              def f(x):
    def f(x): return double(x) * 3     ->        return (x + x) * 3

A function that reaches itself stays a function; of the others those go that are called once or are small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from codegen import ir
from codegen.analysis.calls import call_graph, callees_first, calls_in, reach, recursive, sites
from codegen.cost_model import INLINED_EQUATIONS
from codegen.ir import Atom, Block, Call, Equation, Function, Lit, Program, Type, Var
from codegen.ir.build import Builder
from codegen.ir.literals import literal, size_atom
from codegen.ir.substitution import Expand, clone, dim, keep, replaced, rewrite, sizes
from codegen.ir.traversal import equation_count
from codegen.simplify.unreached import first_raise, stream_before
from codegen.simplify.value_numbering import retyped


def inline(program: Program, *, when: Callable[[Function, int], bool] | None = None) -> Program:
    """`program` with calls of non-recursive functions replaced by their bodies; functions left uncalled go.

    `when(function, calls)` says which are; the default takes those called once or of at most 12 equations.

        inline(program, when=lambda function, calls: True)
    """
    chosen = when or is_worth_inlining
    cycles = recursive(program)
    calls = sites(call_graph(program))
    done: dict[str, Function] = {}
    for name in callees_first(program):
        function = program.functions[name]
        into = {
            g: done[g]
            for g in calls_in(function.body)
            if g not in cycles and g != program.main and chosen(done[g], calls[g])
        }
        done[name] = inlined(function, into) if into else function
    reached = reach(done, program.main)
    return ir.program({name: done[name] for name in program.functions if name in reached}, program.main)


def is_worth_inlining(function: Function, calls: int) -> bool:
    """Whether a function is called once, or of few equations."""
    return calls == 1 or equation_count(function.body) <= INLINED_EQUATIONS


def without_empty_calls(program: Program) -> Program:
    """`program` without calls of functions that give back what they are given, or constants, and compute nothing."""
    empty = {name for name, f in program.functions.items() if not f.body.equations} - {program.main}
    return inline(program, when=lambda function, _: function.name in empty) if empty else program


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
        operands = replaced(op.operands, env)
        function = into[op.function]
        if (raising := first_raise(function, operands)) is not None:
            return up_to(b, function, raising, operands, equation.outs, env, scope)
        body = inlined_body(b, function, operands)
        b.equations += body.equations
        for out, result in zip(equation.outs, body.results):
            stand(b, out, result, env, scope)
        return b.equations

    return expand


def up_to(
    b: Builder,
    function: Function,
    raising: int,
    operands: tuple[Atom, ...],
    outs: tuple[Var, ...],
    env: dict[Var, Atom],
    scope: set[Var],
) -> list[Equation]:
    """What a function does up to its equation that raises, and zeros for its results, which nobody sees."""
    done, rest = function.body.equations[: raising + 1], function.body.equations[raising + 1 :]
    streams = (r for r in function.body.results if r.type.dtype == "rng")
    results = tuple(stream_before(r, rest) or r for r in streams)
    body = inlined_body(b, replace(function, body=Block(done, results)), operands)
    b.equations += body.equations
    left = iter(body.results)
    for out in outs:
        if out.type.dtype == "rng":
            env[out] = next(left)
            continue
        zero = retyped(literal(0), replace(out.type, shape=()))
        env.update((d, literal(0)) for d in sizes(out.type) if d not in scope and d not in env)
        shape = (size_atom(dim(d, env)) for d in out.type.shape)
        env[out] = b.atom(b.apply("full", zero, *shape, dtype=out.type.dtype)) if out.type.rank else zero
    return b.equations


def inlined_body(b: Builder, function: Function, operands: tuple[Atom, ...]) -> Block:
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
            env.setdefault(mine, size_atom(its))
    if atom.type.dtype == type_.dtype and atom.type.weak == type_.weak:
        env[var] = atom
    elif isinstance(atom, Lit):
        env[var] = Lit(atom.value, Type(type_.dtype, (), type_.weak))
    else:
        env[var] = b.atom(b.apply("cast", atom, dtype=type_.dtype))
