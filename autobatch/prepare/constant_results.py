"""Numbers that a function always returns, as results of its program: constants_as_results : Traced -> Traced.

    out (f8, 3)      one result        ->      out (f8, i8)      two results, the second of them 3

Over lanes each lane has such a number too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from autobatch.prepare.known_sizes import wrapped_in_call
from codegen.analysis.calls import recursive
from codegen.infer.trace import Traced
from codegen.infer.values import Nest, Static
from codegen.ir import Atom, Block, Program, Type
from codegen.ir.literals import literal
from codegen.pytree import leaves


def constants_as_results(traced: Traced) -> Traced:
    """The same with every number of `out` a Type; its places are those of the program's results."""
    entry, one = traced.program.entry, traced.program
    if not any(map(is_static_number, leaves(traced.out))):
        return traced
    if entry.name in recursive(one):
        one = wrapped_in_call(one)
    body = one.entry.body
    given = iter(body.results)
    results: list[Atom] = []
    out = types_for_numbers(traced.out, given, results)
    function = replace(one.entry, body=Block(body.equations, (*results, *given)))
    program = Program({**one.functions, one.main: function}, one.main)
    return replace(traced, program=program, out=out)


def is_static_number(entry: Any) -> bool:
    return isinstance(entry, Static) and isinstance(entry.value, bool | int | float | np.generic)


def types_for_numbers(entry: Any, given: Iterator[Atom], results: list[Atom]) -> Any:
    """The structure with types for numbers; all that it has goes to `results`, in order."""
    if isinstance(entry, Nest):
        return entry.with_items(tuple(types_for_numbers(item, given, results) for item in entry.items))
    if is_static_number(entry):
        results.append(literal(np.asarray(entry.value)[()]))
        return results[-1].type
    if isinstance(entry, Type):
        results.append(next(given))
    return entry
