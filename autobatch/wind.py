"""wind : Program -> Program, with a main function that repeats the recursive one it calls replaced by that
one.

    main fib(n): ... fib_2(n - 1) + fib_2(n - 2)               main fib(n): ... fib(n - 1) + fib(n - 2)
    fib_2(n):    ... fib_2(n - 1) + fib_2(n - 2)        ->

A function called from outside and from within itself is specialised twice, with the same outcome. As blocks
that would be two copies of everything, at which lanes wait apart.
"""

from __future__ import annotations

from dataclasses import replace

from codegen.dump import Listing
from codegen.inline import call_graph_of
from codegen.ir import Block, Call, Equation, Function, Program, Var, program
from codegen.rename import rewrite


def wind(whole: Program) -> Program:
    """The program itself where main repeats no function that it calls."""
    text = canonical(whole.entry)
    for name in call_graph_of(whole.entry):
        if name != whole.main and canonical(whole.functions[name]) == text:
            kept = {
                n: replace(f, body=recalled(f.body, name, whole.main))
                for n, f in whole.functions.items()
                if n != name
            }
            return program(kept, whole.main)
    return whole


def canonical(function: Function) -> list[str]:
    """The function's listing with its variables numbered: equal for functions that do the same, name by
    name.
    """
    listing = Numbered(None, "")
    listing.add(0, ", ".join(listing.binder(p) for p in function.params))
    listing.block(function.body, 1, "return")
    return listing.lines


class Numbered(Listing):
    """A listing without the user's names."""

    def name(self, atom: object) -> str:
        if not isinstance(atom, Var):
            return repr(atom)
        if atom not in self.names:
            self.names[atom] = f"v{len(self.names)}"
        return self.names[atom]


def recalled(block: Block, old: str, new: str) -> Block:
    """The block calling `new` where it called `old`."""

    def expand(equation: Equation, _: object) -> list[Equation] | None:
        if isinstance(equation.op, Call) and equation.op.function == old:
            return [replace(equation, op=Call(new, equation.op.operands))]
        return None

    return rewrite(block, {}, lambda var, _: var, expand)
