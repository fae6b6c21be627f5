"""Dead code: what no result and no effect of the program needs.

    s = 0.0                                      t = 1.0
    t = 1.0                                      for k in range(n):
    for k in range(n):            ->                 t = t * x[k]
        s = s + t                                return t
        t = t * x[k]
    return t

Marks what is needed, from the main function's results and from the effects, through operands, sizes in types,
loop-carried values, branches and calls; then sweeps the rest. Both walk the program once. A carried value is
needed when its final value is or when anything needed reads it; a function keeps the parameters and results
that some call needs. A loop nothing needs goes, `while` too, which is taken to end if its condition hangs on what it
changes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import assert_never

from codegen import ir
from codegen.analysis.calls import functions_with
from codegen.analysis.termination import stuck
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Program, Var, While
from codegen.ir.substitution import binders, blocks, sizes
from codegen.ir.traversal import equations
from codegen.simplify.bounds_checks import left_by, may_fail


def dead_code(program: Program, *, explicit: bool = False) -> Program:
    """`program` without what neither its results nor its effects need; the main function's signature stays.

    `explicit`: all that may fail has its check already.

    >>> x = Var("x", Type("f8"))
    >>> unused = Equation((Var("y", x.type),), Apply(ROWS["exp"], (x,)))
    >>> main = Function("f", (x,), Block((unused,), (x,)))
    >>> dead_code(ir.program({"f": main}, "f")).entry.body.equations
    ()
    """
    need = needed_by(program)
    if not explicit:
        program, need = keeping_checks(program, need)
    kept = {name: sweep_function(f, need) for name, f in program.functions.items() if name in need.entered}
    return ir.program(kept, program.main)


def keeping_checks(program: Program, need: Uses) -> tuple[Program, Uses]:
    """The program with the checks of equations that nothing needs but that might have raised: these stay.

    What a check needs is needed, and not dropped then.
    """
    own = {name: tuple(equations(f.body)) for name, f in program.functions.items()}
    dropped = {e for listed in own.values() for e in listed if e not in need.alive and may_fail(e)}
    while dropped:
        left = {
            n: left_by(f, dropped) for n, f in program.functions.items() if not dropped.isdisjoint(own[n])
        }
        if all(len(tuple(equations(f.body))) == len(own[name]) for name, f in left.items()):
            return program, needed_by(program)
        checked = ir.program({**program.functions, **left}, program.main)
        need = needed_by(checked)
        if dropped.isdisjoint(need.alive):
            return checked, need
        dropped -= need.alive
    return program, need


@dataclass(eq=False)
class Uses:
    """Where things are bound and what is needed; `todo` holds what was found needed and not yet followed."""

    program: Program
    effectful: set[str]
    place: dict[Var, tuple[Equation | str, int]] = field(
        default_factory=dict
    )  # binder: (equation or function, k)
    group: dict[Var, tuple[Var, ...]] = field(default_factory=dict)  # size: the binders that may bring it
    parent: dict[Equation, Equation | None] = field(default_factory=dict)
    entered: set[str] = field(default_factory=set)
    live: set[Var] = field(default_factory=set)
    alive: set[Equation] = field(default_factory=set)
    results: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    calls: dict[str, list[Equation]] = field(default_factory=lambda: defaultdict(list))
    todo: list[Atom | Equation] = field(default_factory=list)
    wanted_sizes: list[Var] = field(default_factory=list)


def needed_by(program: Program) -> Uses:
    """What the main function's results and the effects need."""
    uses = Uses(program, effectful(program))
    enter_function(uses, program.main)
    uses.todo += program.entry.params
    for k in range(len(program.entry.body.results)):
        need_result(uses, program.main, k)
    while uses.todo or uses.wanted_sizes:
        while uses.todo:
            item = uses.todo.pop()
            if isinstance(item, Equation):
                need_equation(uses, item)
            elif isinstance(item, Var):
                need_var(uses, item)
        if uses.wanted_sizes:
            bring(uses, uses.wanted_sizes.pop())
    return uses


def effectful(program: Program) -> set[str]:
    """The functions with a check, a fail or a loop that may never end in them or in what they call."""
    return functions_with(program, is_root)


def is_root(equation: Equation) -> bool:
    op = equation.op
    return op.primitive.effect if isinstance(op, Apply) else stuck(op)


def enter_function(uses: Uses, name: str) -> None:
    """Note where a function binds what; its effects are needed."""
    if name in uses.entered:
        return
    uses.entered.add(name)
    function = uses.program.functions[name]
    scope: set[Var] = set()
    note_binders(uses, function.params, name, scope)
    enter_block(uses, function.body, None, scope)


def enter_block(uses: Uses, block: Block, parent: Equation | None, scope: set[Var]) -> None:
    for equation in block.equations:
        uses.parent[equation] = parent
        op = equation.op
        if is_root(equation) or (isinstance(op, Call) and op.function in uses.effectful):
            uses.todo.append(equation)
        if not isinstance(op, Apply | Call):
            note_binders(uses, binders(op)[isinstance(op, For) :], equation, scope)
            if isinstance(op, For):
                uses.place[op.index] = (equation, -1)
                scope.add(op.index)
            for inner in blocks(op):
                enter_block(uses, inner, equation, scope)
        note_binders(uses, equation.outs, equation, scope)


def note_binders(uses: Uses, group: tuple[Var, ...], where: Equation | str, scope: set[Var]) -> None:
    """`group` is bound together at `where`; the sizes not yet in scope come with it."""
    for k, var in enumerate(group):
        uses.place[var] = (where, k)
    scope.update(group)
    for var in group:
        if var.type.shape:
            for d in sizes(var.type):
                if d not in scope:
                    uses.group[d] = group
                    scope.add(d)


def need_var(uses: Uses, var: Var) -> None:
    if var in uses.live:
        return
    uses.live.add(var)
    uses.todo += sizes(var.type)
    if var not in uses.place:
        uses.wanted_sizes.append(var)
        return
    where, k = uses.place[var]
    if isinstance(where, str):
        uses.todo += (call.op.operands[k] for call in uses.calls[where])  # type: ignore[union-attr]
        return
    uses.todo.append(where)
    match where.op:
        case Call(function):
            enter_function(uses, function)
            need_result(uses, function, k)
        case If(_, then, orelse):
            uses.todo += (then.results[k], orelse.results[k])
        case (For() | While()) as loop if k >= 0:
            uses.todo += (where.outs[k], loop.carried[k], loop.init[k], loop.body.results[k])


def need_result(uses: Uses, function: str, k: int) -> None:
    if k not in uses.results[function]:
        uses.results[function].add(k)
        uses.todo.append(uses.program.functions[function].body.results[k])


def need_equation(uses: Uses, equation: Equation) -> None:
    if equation in uses.alive:
        return
    uses.alive.add(equation)
    if (parent := uses.parent[equation]) is not None:
        uses.todo.append(parent)
    match equation.op:
        case Apply(_, operands):
            uses.todo += (*operands, *equation.outs)
        case Call(function, operands):
            enter_function(uses, function)
            uses.calls[function].append(equation)
            params = uses.program.functions[function].params
            uses.todo += (o for p, o in zip(params, operands) if p in uses.live)
        case If(test):
            uses.todo.append(test)
        case For(_, start, stop):
            uses.todo += (start, stop)
        case While(cond=cond):
            uses.todo += cond.results
        case _:
            assert_never(equation.op)


def bring(uses: Uses, size: Var) -> None:
    """A needed size that some array brings: an array that is needed anyway, or else the first that can."""
    able = [var for var in uses.group[size] if size in sizes(var.type)]
    if not any(var in uses.live for var in able):
        uses.todo.append(able[0])


def sweep_function(function: Function, need: Uses) -> Function:
    body = sweep(function.body, need, sorted(need.results[function.name]))
    return replace(function, params=tuple(p for p in function.params if p in need.live), body=body)


def sweep(block: Block, need: Uses, results: list[int]) -> Block:
    kept = tuple(sweep_equation(e, need) for e in block.equations if e in need.alive)
    return Block(kept, tuple(block.results[k] for k in results))


def sweep_equation(equation: Equation, need: Uses) -> Equation:
    op = equation.op
    slots = [k for k, out in enumerate(equation.outs) if out in need.live]
    outs = tuple(equation.outs[k] for k in slots)
    match op:
        case Apply():
            return equation
        case Call(function, operands):
            params = need.program.functions[function].params
            kept = tuple(o for p, o in zip(params, operands) if p in need.live)
            given = tuple(equation.outs[k] for k in sorted(need.results[function]))
            return Equation(given, Call(function, kept), equation.span)
        case If():
            then, orelse = sweep(op.then, need, slots), sweep(op.orelse, need, slots)
            return Equation(outs, If(op.test, then, orelse), equation.span)
        case For() | While():
            carried, init = tuple(op.carried[k] for k in slots), tuple(op.init[k] for k in slots)
            loop = replace(op, carried=carried, init=init, body=sweep(op.body, need, slots))
            if isinstance(loop, While):
                loop = replace(loop, cond=sweep(loop.cond, need, [0]))
            return Equation(outs, loop, equation.span)
        case _:
            assert_never(op)
