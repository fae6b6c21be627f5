"""merge_functions : Program -> Program, with functions that do the same made one.

    main fib(n): ... fib_2(n - 1) + fib_2(n - 2)               main fib(n): ... fib(n - 1) + fib(n - 2)
    fib_2(n):    ... fib_2(n - 1) + fib_2(n - 2)        ->

A function called from outside, from within itself, or with a constant here and a variable there is
specialised for each, often with the same outcome. As blocks that would be several copies of everything, at
which lanes wait apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from codegen.analysis.calls import reach
from codegen.ir import Function, Program, Var, program
from codegen.ir.listing import Listing
from codegen.ir.traversal import recalled


def merge_functions(whole: Program) -> Program:
    """The program with one function of each kind; the program itself where there are no two."""
    if len(whole.functions) == 1:
        return whole
    kind = representatives(whole)
    if all(name == other for name, other in kind.items()):
        return whole
    made = {
        name: replace(whole.functions[name], body=recalled(whole.functions[name].body, kind))
        for name in kind
        if kind[name] == name
    }
    return program(made, whole.main)


def representatives(whole: Program) -> dict[str, str]:
    """For each function that may run the one to call instead of it.

    Functions are alike until they are seen to differ: in their equations, or in calls of functions that
    differ. (The coarsest such partition, by refinement, as automata are minimised.)
    """
    reached = reach(whole.functions, whole.main)
    names = [whole.main, *(n for n in whole.functions if n in reached and n != whole.main)]
    kind = dict.fromkeys(names, names[0])
    while True:
        first: dict[tuple[str, ...], str] = {}
        refined = {n: first.setdefault(tuple(canonical(whole.functions[n], kind)), n) for n in names}
        if len(set(refined.values())) == len(set(kind.values())):
            return refined
        kind = refined


def canonical(function: Function, kind: Mapping[str, str]) -> list[str]:
    """The function's listing, variables numbered and callees by kind: equal where functions do the same."""
    listing = Numbered(None, "")
    body = recalled(function.body, kind)
    listing.add(0, ", ".join(listing.binder(p) for p in function.params))
    listing.block(body, 1, "return")
    return listing.lines


class Numbered(Listing):
    """A listing without the user's names."""

    def name(self, atom: object) -> str:
        if not isinstance(atom, Var):
            return repr(atom)
        if atom not in self.names:
            self.names[atom] = f"v{len(self.names)}"
        return self.names[atom]
