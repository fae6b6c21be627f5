"""Recursion over numbers alone, left to the machine's own calls: native_module : Program -> LaneModule.

    def fib(n): ...                      @njit
                               ->        def fib(n, depth): ...        # its last call a loop, the other expanded
                                         @njit
                                         def fib_lanes(first, last, failed, n_lanes, out0): ...

Where a recursive function takes and gives numbers only, a call of it costs a few instructions, less than a program
counter and a stack of one's own. Derivatives hand on rows of numbers too (call_rows.py). A lane that raises, or
recurses deeper than the thread's stack is sure to hold, is marked -1 and left to the program counter machine, which
says what happened or grows its stack. Between lanes it is seen whether to stop; to ask in each call costs three parts
in a hundred.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace

from autobatch.cost_model import EXPANDED_EQUATIONS, EXPANSIONS, GUARDED_EQUATIONS
from autobatch.host.tail_calls import loop_tail_calls
from autobatch.kernel.module import LaneModule
from autobatch.kernel.numba.hints import ATTENDS, STOPS
from autobatch.profiling.probes import UNMARKED, Unmarked, begins_at
from autobatch.schedule import deepest
from codegen.analysis.calls import calls_in, recursive
from codegen.emit.coalescing import claim, function_names, identifier, unused_spelling
from codegen.emit.lines import parsed
from codegen.emit.module import EmittedModule, function_texts, imports_of, joined_texts
from codegen.emit.overflow import wrapping
from codegen.emit.raising import base
from codegen.emit.renaming import renamed_tokens
from codegen.emit.spelling import TAKEN
from codegen.ir import (
    Apply,
    Atom,
    Block,
    Call,
    Equation,
    Function,
    Lit,
    Operation,
    Program,
    Type,
    Var,
    program,
)
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.exceptions import thrown
from codegen.ir.traversal import equation_count, with_inner
from codegen.primitives import ROWS
from codegen.recursion.depth_check import STACK, frame_bytes, frame_variables
from codegen.simplify.driver import simplify
from codegen.simplify.inline import inlined
from codegen.targets.numba_cpu import njit_line

DEEPEST = 10_000  # calls inside one another, at most: about 1 MB of a thread's stack, where they hand on few numbers
OWN = [node.name for node in ast.parse(ATTENDS + STOPS).body if isinstance(node, ast.FunctionDef)]
I8, B1 = Type("i8", weak=True), Type("b1")  # depths are far from where ints wrap


def must_give_back(function: Function) -> bool:
    """Whether a function makes arrays, and is not too long to have a `try`, which gives them back where it raises.

    Numba gives back what a function made when it returns, not when an exception passes through it.
    """
    short = equation_count(function.body) <= GUARDED_EQUATIONS
    return short and bool(function.body.results) and any(v.type.rank for v in frame_variables(function))


def is_native(whole: Program) -> bool:
    """Whether a program recurses, and over numbers only."""
    functions = whole.functions.values()
    atoms = [a for f in functions for a in (*f.params, *f.body.results)]
    return bool(recursive(whole)) and all(not a.type.rank and a.type.dtype != "rng" for a in atoms)


def native_module(whole: Program, shared: Sequence[bool], marks: Unmarked = UNMARKED) -> LaneModule:
    """The module of a program of numbers alone, or with rows; `shared` marks parameters that are one for all lanes.

    Its lanes begin at depth 0, or below it where the stack is one of `STACKS` bytes. The second is for rows, as the
    machine that lanes are left to would take the square of that time.
    """
    deep = recursive(whole)
    recurring = [whole.functions[n] for n in deep]
    largest = max(map(frame_bytes, recurring))
    limit = min(DEEPEST, STACK // largest)
    bounded = {n: loop_tail_calls(with_depth_check(f, deep, limit)) for n, f in whole.functions.items()}
    large = program({n: expanded(f) if n in deep else f for n, f in bounded.items()}, whole.main)
    made = wrapping(simplify(check(large, after="tail_calls")))
    names = function_names(made)
    name = names[made.main]
    used = {*TAKEN, *names.values()}
    own = {word: unused_spelling(word, used) for word in OWN}
    marks.avoid({*used, *own.values(), f"{name}_lanes"})
    holds = whole.main not in deep and must_give_back(whole.entry)
    cached = can_be_signed(made, names, deep)
    above = decorators(made, deep, cached=cached)
    text = function_texts(made, "numba", decorators=above, guarded={made.main} if holds else ())
    over = lanes(whole.entry, name, used, own, shared, marks, holds, cached)
    looks = renamed_tokens(f"{ATTENDS}\n{STOPS}", own)
    # What functions call comes first here: a function with a signature is compiled at once.
    parts = (looks, *text.helpers, *text.functions, marks.text(), over)
    code = joined_texts(parts)
    rows = any(p.type.rank for f in recurring for p in f.params)
    starts = (0, limit - deepest(largest, 1)) if rows else (0,)
    return LaneModule(
        EmittedModule(f"{imports_of(parsed(code, whole.entry.span))}\n\n\n", code, ""),
        f"{name}_lanes",
        (),
        (),
        together=False,
        starts=starts,
    )


def can_be_signed(whole: Program, names: Mapping[str, str], deep: Set[str]) -> bool:
    """Whether recursive functions can have signatures, so that they can be cached.

    Where Numba 0.68 infers the type of a recursive call it leaves an address in the compiled code to be filled in
    later, and for code from its cache nobody does: the call is of address 0. A call of a signature is a plain call.
    The functions of a mutual recursion cannot be signed: the first is compiled when the second is not there.
    """
    taken = {"_", *vars(builtins)}  # found before the function of that name is there
    return all(calls_only_earlier(whole, n) and names[n] not in taken for n in deep)


def decorators(whole: Program, deep: Set[str], *, cached: bool) -> dict[str, str]:
    """The line above each function: with a signature above recursive ones that are cached."""
    signed = deep if cached else ()
    return {
        n: njit_line(cached=cached, signature=signature(f) if n in signed else "")
        for n, f in whole.functions.items()
    }


def signature(f: Function) -> str:
    """The types of a function, as a decorator says them."""
    given = [type_spelling(a) for a in f.body.results]
    out = given[0] if len(given) == 1 else f"Tuple(({', '.join(given)}))"
    params = ", ".join(map(type_spelling, f.params))
    return f'"{out}({params})"'


def type_spelling(atom: Atom) -> str:
    """A number or a row, as Numba's signatures spell them."""
    return f"{atom.type.dtype}[::1]" if atom.type.rank else atom.type.dtype


def calls_only_earlier(whole: Program, name: str) -> bool:
    """Whether all that a function calls stands before it, or is itself; and it gives something."""
    order = list(whole.functions)
    before = {*order[: order.index(name) + 1]}
    function = whole.functions[name]
    return bool(function.body.results) and calls_in(function.body).keys() <= before


def expanded(function: Function) -> Function:
    """A recursive function with its calls of itself replaced by its body, while it stays small."""
    once = function
    for _ in range(EXPANSIONS):
        larger = inlined(function, {function.name: once})
        if equation_count(larger.body) > EXPANDED_EQUATIONS:
            return once
        once = larger
    return once


def with_depth_check(function: Function, deep: Set[str], limit: int) -> Function:
    """Calls of recursive functions say how deep they are; one that is too deep raises."""
    depth, test = Var("depth", I8), Var("fine", B1)  # LLVM makes faster code of a named test
    params = (*function.params, depth)
    if function.name not in deep:
        return replace(function, params=params, body=deepen_calls(function.body, deep, depth, 0))
    body = deepen_calls(function.body, deep, depth, 1)
    raised = {"exception": thrown("RecursionError", "maximum recursion depth exceeded")}
    first = (
        Equation((test,), Apply(ROWS["le"], (depth, Lit(limit, I8)))),
        Equation((), Apply(ROWS["check"], (test,), raised)),
    )
    return replace(function, params=params, body=Block((*first, *body.equations), body.results))


def deepen_calls(block: Block, deep: Set[str], depth: Var, more: int) -> Block:
    """The block, whose calls of recursive functions are `more` deeper."""
    equations: list[Equation] = []
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Call) and op.function in deep:
            b = Builder(span=equation.span, checked=False)
            next_ = b.atom(b.wrap(depth) + more) if more else depth
            equations += b.equations
            op = Call(op.function, (*op.operands, next_))
        op = with_inner(plainly(op), lambda inner: deepen_calls(inner, deep, depth, more))
        equations.append(replace(equation, op=op))
    return Block(tuple(equations), block.results)


def plainly(op: Operation) -> Operation:
    """A check or fail that raises something of a known text: the other machine says what is raised."""
    if not isinstance(op, Apply) or not op.primitive.stops:
        return op
    exception = op.params["exception"]
    if exception.known and exception.cause is None:
        return op
    return replace(op, params={**op.params, "exception": thrown(base(exception.cls), exception.message)})


def lanes(
    entry: Function,
    name: str,
    used: Collection[str],
    own: Mapping[str, str],
    shared: Sequence[bool],
    marks: Unmarked,
    holds: bool,
    cached: bool,
) -> str:
    """The text of the function over a range of lanes.

    `used` are the names of the module's functions, `own` those of what asks whether to stop. `holds`: it is told
    whether a lane did what it should.
    """
    taken = {*used, *own.values(), f"{name}_lanes", *marks.words}

    first, last, start, lane, failed = (claim(w, taken) for w in ("first", "last", "start", "lane", "failed"))
    inputs = [
        claim(f"{identifier(p.name)}_{'shared' if one else 'lanes'}", taken)
        for p, one in zip(entry.params, shared, strict=True)
    ]
    outs = [claim(f"out{k}", taken) for k in range(len(entry.body.results))]
    given = [n if one else f"{n}[{lane}]" for n, one in zip(inputs, shared, strict=True)] + [start]
    indent = " " * 8
    targets, call = ", ".join(f"{o}[{lane}]" for o in outs), f"{name}({', '.join(given)})"
    lost = f"    {failed}[{lane}] = -1"
    if holds:
        fine = claim("fine", taken)
        ways = [f"{targets}, {fine} = {call}", f"if not {fine}:", lost]
    else:
        ways = ["try:", f"    {targets}{' = ' * bool(outs)}{call}", "except Exception:", lost]
    return "\n".join((
        f"@njit({'cache=True, ' * cached}nogil=True)",
        f"def {name}_lanes({', '.join((first, last, start, failed, *inputs, *outs, *marks.given))}):",
        '    """Lanes first to last; failed is -1 for a lane that raises or recurses too deep."""',
        f"    for {lane} in range({first}, {last}):",
        *(indent + line for line in marks.host(entry.name, begins_at(entry.body) or entry.span)),
        *(indent + line for line in ways),
        f"        if {own['stopped']}({failed}):",
        "            break",
        *(indent + line for line in (*marks.between(), *marks.ended())),
        f"    {own['raise_waiting']}({failed})",
    ))  # fmt: skip
