"""Recursion over numbers alone, left to the machine's own calls: native : Program -> NativeModule.

    def fib(n): ...                      @njit
                               ->        def fib(n, depth, word): ...  # its last call a loop, the other expanded
                                         @njit
                                         def fib_lanes(first, last, failed, n_lanes, out0): ...

Where a recursive function takes and gives numbers only, a call of it costs a few instructions, less than a program
counter and a stack of one's own. A lane that raises, or recurses deeper than the thread's stack is sure to hold, is
marked -1 and left to the program counter machine, which says what happened or grows its stack. Calls look at `word`, a
place in memory, whether they are to stop.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from autobatch.machine.flags import ATTENDS, CALLS
from autobatch.machine.marks import UNMARKED, Unmarked, begins_at
from autobatch.machine.tail_calls import tail_calls
from codegen.build import Builder
from codegen.check import check
from codegen.inline import call_graph_of, inlined, recursive
from codegen.ir import (
    Apply,
    Atom,
    Block,
    Call,
    Equation,
    For,
    Function,
    If,
    Lit,
    Operation,
    Program,
    Type,
    Var,
    While,
    program,
)
from codegen.names import candidates, function_names
from codegen.primitives import ROWS
from codegen.rename import blocks
from codegen.show import imports_of, show
from codegen.simplify import simplify
from codegen.spell import TAKEN
from codegen.targets.numba_cpu import CACHED, UNCACHED
from codegen.thrown import thrown
from codegen.wrapping import wrapping

DEEPEST = 10_000  # calls inside one another: about 1 MB of a thread's stack
OWN = {
    "kept_apart",
    "attends",
    "look",
    "said_at",
    "word_of",
    "stopped",
    "raise_waiting",
    "intrinsic",
    "types",
}
LARGEST = 130  # equations of a function that is still expanded into itself
EXPANSIONS = 7  # calls are few enough for what they ask; 6 and 8 are slower on fib, 5 by as much as they ask
I8, B1 = Type("i8", weak=True), Type("b1")  # depths are far from where ints wrap


@dataclass(frozen=True, eq=False)
class NativeModule:
    """text: the module; run: its function `(first, last, failed, *inputs, *outputs)`, inputs as for a LaneModule."""

    text: str
    run: str


def is_native(whole: Program) -> bool:
    """Whether a program recurses, and over numbers only."""
    functions = whole.functions.values()
    atoms = [a for f in functions for a in (*f.params, *f.body.results)]
    return bool(recursive(whole)) and all(not a.type.rank and a.type.dtype != "rng" for a in atoms)


def native(whole: Program, shared: Sequence[bool], marks: Unmarked = UNMARKED) -> NativeModule:
    """The module of a program for which `is_native` holds; `shared` marks parameters that are one for all lanes."""
    deep = recursive(whole)
    counting = leading(whole, deep)
    bounded = {n: tail_calls(counted(f, deep, counting)) for n, f in whole.functions.items()}
    large = program({n: expanded(f) if n in deep else f for n, f in bounded.items()}, whole.main)
    made = wrapping(simplify(check(large, after="tail_calls")))
    names = function_names(made)
    shown = asking(show(made, target="numba", quote=False), [names[n] for n in made.functions if n in deep])
    text = signed(shown, made, names, deep)
    name = names[made.main]
    marks.avoid({*TAKEN, *names.values(), *OWN, f"{name}_lanes"})
    over = lanes(whole.entry, name, {*TAKEN, *OWN, *names.values()}, shared, whole.main in deep, marks)
    if "cache=True" in text:
        over = over.replace("@njit(", "@njit(cache=True, ", 1)
    text = re.sub(r"\A(?:(?:import|from) .*\n|\n)+", "", text)
    parts = (ATTENDS, CALLS, text, marks.text(), over)
    code = "\n\n\n".join(part.strip("\n") for part in parts if part) + "\n"
    return NativeModule(f"{imports_of(code)}\n\n\n{code}", f"{name}_lanes")


def leading(whole: Program, deep: set[str]) -> set[str]:
    """The functions that may come to call recursive ones."""
    found, more = set(deep), True
    while more:
        calling = {n for n, f in whole.functions.items() if call_graph_of(f).keys() & found}
        more = not calling <= found
        found |= calling
    return found


def asking(text: str, deep: Collection[str]) -> str:
    """The text with recursive functions asking at their beginning whether to stop, of the place they are given last.

    What is expanded into them, and the loops that calls became, do not: it would cost them more than all else.
    """
    for name in deep:
        head = (
            rf"(^def {name}\(.*?(\w+), (\w+)\):\n(?:    \"\"\"(?:.|\n)*?\"\"\"\n)?    \w+ = \2 <= {DEEPEST})$"
        )
        text, count = re.subn(head, r"\1 and not stopped(\3)", text, count=1, flags=re.MULTILINE)
        assert count == 1, text
    return text


def signed(text: str, whole: Program, names: Mapping[str, str], deep: set[str]) -> str:
    """The text with a signature for each recursive function, so that it can be cached; else nothing is cached.

    Where Numba 0.68 infers the type of a recursive call it leaves an address in the compiled code to be filled in
    later, and for code from its cache nobody does: the call is of address 0. A call of a signature is a plain call.
    The functions of a mutual recursion cannot be signed: the first is compiled when the second is not there.
    """
    taken = {"_", *vars(builtins)}  # found before the function of that name is there
    if not all(one_by_one(whole, n) and names[n] not in taken for n in deep):
        return text.replace(CACHED, UNCACHED)
    text = text.replace(UNCACHED, CACHED)
    for n, f in whole.functions.items():
        if n in deep:
            given = [a.type.dtype for a in f.body.results]
            out = given[0] if len(given) == 1 else f"Tuple(({', '.join(given)}))"
            signature = f"{out}({', '.join(p.type.dtype for p in f.params)})"
            head = f"\ndef {names[n]}("
            own = CACHED.replace("(", f'("{signature}", ', 1)
            text = text.replace(CACHED + head, own + head)
    return text


def one_by_one(whole: Program, name: str) -> bool:
    """Whether all that a function calls stands before it, or is itself; and it gives something."""
    order = list(whole.functions)
    before = {*order[: order.index(name) + 1]}
    function = whole.functions[name]
    return bool(function.body.results) and call_graph_of(function).keys() <= before


def expanded(function: Function) -> Function:
    """A recursive function with its calls of itself replaced by its body, while it stays small."""
    once = function
    for _ in range(EXPANSIONS):
        larger = inlined(function, {function.name: once})
        if size(larger.body) > LARGEST:
            return once
        once = larger
    return once


def size(block: Block) -> int:
    return sum(1 + sum(size(b) for b in blocks(e.op)) for e in block.equations)


def counted(function: Function, deep: set[str], counting: set[str]) -> Function:
    """Calls of recursive functions say how deep they are; one that is too deep raises.

    All that are `counting` are given last where it says whether to stop.
    """
    if function.name not in counting:
        return function
    depth, test, word = Var("depth", I8), Var("fine", B1), Var("word", I8)
    callees = {name: name in deep for name in counting}
    if function.name not in deep:
        body = calling(function.body, callees, None, word)
        return replace(function, params=(*function.params, word), body=body)
    body = calling(function.body, callees, depth, word)
    params = {"exception": thrown("RecursionError", "maximum recursion depth exceeded")}
    first = (
        Equation((test,), Apply(ROWS["le"], (depth, Lit(DEEPEST, I8)))),
        Equation((), Apply(ROWS["check"], (test,), params)),
    )
    return replace(
        function, params=(*function.params, depth, word), body=Block((*first, *body.equations), body.results)
    )


def calling(block: Block, counting: Mapping[str, bool], depth: Var | None, word: Var) -> Block:
    """The block with such calls; `counting`: the functions, and which say how deep they are."""
    equations: list[Equation] = []
    for equation in block.equations:
        op = equation.op
        if isinstance(op, Call) and op.function in counting:
            given: tuple[Atom, ...] = (word,)
            if counting[op.function]:
                b = Builder(span=equation.span, checked=False)
                given = (Lit(0, I8) if depth is None else b.atom(b.apply("add", b.wrap(depth), 1)), word)
                equations += b.equations
            op = Call(op.function, (*op.operands, *given))
        equations.append(replace(equation, op=inside(op, counting, depth, word)))
    return Block(tuple(equations), block.results)


def inside(op: Operation, counting: Mapping[str, bool], depth: Var | None, word: Var) -> Operation:
    def within(block: Block) -> Block:
        return calling(block, counting, depth, word)

    match op:
        case If():
            return replace(op, then=within(op.then), orelse=within(op.orelse))
        case For():
            return replace(op, body=within(op.body))
        case While():
            return replace(op, cond=within(op.cond), body=within(op.body))
    return op


def lanes(
    entry: Function,
    name: str,
    used: Collection[str],
    shared: Sequence[bool],
    deep: bool,
    marks: Unmarked,
) -> str:
    """The text of the function over a range of lanes.

    `used` are the names of the module's functions.
    """
    taken = {*used, f"{name}_lanes", *marks.words}

    def fresh(hint: str) -> str:
        word = next(c for c in candidates(hint) if c not in taken)
        taken.add(word)
        return word

    first, last, lane, failed, word = map(fresh, ("first", "last", "lane", "failed", "word"))
    inputs = [
        fresh(f"{p.name}_{'shared' if one else 'lanes'}") for p, one in zip(entry.params, shared, strict=True)
    ]
    outs = [fresh(f"out{k}") for k in range(len(entry.body.results))]
    given = [n if one else f"{n}[{lane}]" for n, one in zip(inputs, shared, strict=True)]
    given += ["0", word] if deep else [word]
    indent = " " * 8
    return "\n".join((
        "@njit(nogil=True)",
        f"def {name}_lanes({', '.join((first, last, failed, *inputs, *outs, *marks.given))}):",
        '    """Lanes first to last; failed is -1 for a lane that raises or recurses too deep."""',
        f"    {word} = {failed}.ctypes.data + 8 * (len({failed}) - 1)  # where it says whether to stop",
        f"    for {lane} in range({first}, {last}):",
        *(indent + line for line in marks.host(entry.name, begins_at(entry.body) or entry.span)),
        "        try:",
        f"            {', '.join(f'{o}[{lane}]' for o in outs)}{' = ' * bool(outs)}{name}({', '.join(given)})",
        "        except Exception:",
        f"            {failed}[{lane}] = -1",
        f"        if stopped({word}):",
        "            break",
        *(indent + line for line in (*marks.between(), *marks.ended())),
        f"    raise_waiting({word})",
    ))  # fmt: skip
