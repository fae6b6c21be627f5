"""Scopes for passes that move equations: which size is brought by what, what is mentioned, fresh Vars.

The passes of this package put copies of equations into sibling scopes (a loop's body runs forward in one
loop and again in another) and leave the copies their Vars: substitution-free, so that an equation stays
recognisable. `refresh` then gives each scope Vars of its own, which is what `check` asks for.

    for i in range(n):  y = sin(x[i])            for i in range(n):  y = sin(x[i])
    for i in range(n):  y = sin(x[i])     ->     for i in range(n):  y' = sin(x[i])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codegen import ir
from codegen.analysis.calls import call_graph
from codegen.ir import Apply, Atom, Block, Call, Equation, Function, Program, Var
from codegen.ir.substitution import binders, blocks, clone, fresh, reads, sizes
from codegen.ir.traversal import with_functions

Brings = Mapping[Var, tuple[Var, ...]]


def brings(function: Function) -> dict[Var, tuple[Var, ...]]:
    """Binder -> the sizes it brings into scope, for every binder of a function whose Vars are unique."""
    found: dict[Var, tuple[Var, ...]] = {}
    seen: set[Var] = set()

    def bind(variables: Iterable[Var]) -> None:
        for var in variables:
            new = tuple(dict.fromkeys(d for d in sizes(var.type) if d not in seen))
            seen.update(new)
            seen.add(var)
            if new:
                found[var] = new

    def walk(block: Block) -> None:
        for equation in block.equations:
            carried = binders(equation.op)
            new = {d for var in carried for d in sizes(var.type)} - seen
            bind(carried)
            for var in carried:  # each may be left alone when a loop is taken in two
                if own := tuple(dict.fromkeys(d for d in sizes(var.type) if d in new)):
                    found[var] = own
            for inner in blocks(equation.op):
                walk(inner)
            bind(equation.outs)

    bind(function.params)
    walk(function.body)
    return found


def program_brings(program: Program) -> dict[Var, tuple[Var, ...]]:
    """The same for all functions of a program."""
    return {d: b for f in program.functions.values() for d, b in brings(f).items()}


def bound(equation: Equation, brought: Brings) -> tuple[Var, ...]:
    """The Vars an equation binds for what follows it."""
    outs = equation.outs
    if brought.keys().isdisjoint(outs):
        return outs
    return (*outs, *(d for out in outs for d in brought.get(out, ())))


def mentions(equation: Equation, brought: Brings) -> dict[Var, None]:
    """The Vars from outside that an equation mentions, sizes in its types included."""
    op = equation.op
    found: dict[Var, None] = {atom: None for atom in reads(op) if isinstance(atom, Var)}
    if not isinstance(op, Apply | Call):
        inner = binders(op)
        own = {*inner, *(d for v in inner for d in brought.get(v, ()))}
        for var in inner:
            found.update((d, None) for d in sizes(var.type) if d not in own)
        for block in blocks(op):
            found.update((v, None) for v in free_in_order(block, brought) if v not in own)
    mine = None
    for out in equation.outs:
        if out.type.shape:
            mine = mine or set(bound(equation, brought))
            found.update((d, None) for d in sizes(out.type) if d not in mine)
    return found


def free_in_order(block: Block, brought: Brings) -> dict[Var, None]:
    """The Vars from outside that a block mentions, in order."""
    found = mentioned(block.equations, brought)
    inside = {v for e in block.equations for v in bound(e, brought)}
    found.update((r, None) for r in block.results if isinstance(r, Var) and r not in inside)
    return found


def mentioned(equations: Iterable[Equation], brought: Brings) -> dict[Var, None]:
    """The Vars from outside that consecutive equations mention, in order."""
    found: dict[Var, None] = {}
    inside: set[Var] = set()
    for equation in equations:
        found.update((v, None) for v in mentions(equation, brought) if v not in inside)
        inside.update(bound(equation, brought))
    return found


def refresh(program: Program) -> Program:
    """`program` with each binder a Var of its own; siblings may have shared theirs."""
    return with_functions(program, clone)


def own_main(program: Program) -> Program:
    """`program` with a main function that nothing calls, so that its results may be chosen freely."""
    entry = program.entry
    if not any(program.main in called for called in call_graph(program).values()):
        return program
    env: dict[Var, Atom] = {}
    params = tuple(fresh(p, env) for p in entry.params)
    results = (r if isinstance(r, Var) else Var("t", r.type) for r in entry.body.results)
    outs = tuple(fresh(r, env) for r in results)
    name = fresh_name(program.main, program.functions)
    body = Block((Equation(outs, Call(program.main, params), entry.span),), outs)
    made = Function(name, params, body, entry.span, entry.doc)
    return ir.program({**program.functions, name: made}, name)


def fresh_name(base: str, taken: Iterable[str]) -> str:
    """`base`, with a number if it is taken."""
    used = set(taken)
    name, k = base, 2
    while name in used:
        name, k = f"{base}{k}", k + 1
    return name
