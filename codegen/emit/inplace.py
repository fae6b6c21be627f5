"""In-place writes: after this pass every `update` and `accumulate` can overwrite its array.

First updates move behind the reads of the array they overwrite (sink.py), then copies are put in where an array
still cannot be taken (copy_insertion.py). The main function takes the arguments that it is to leave something in
(argument_stores.py), and streams, which advance where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from codegen import ir
from codegen.emit.argument_stores import ResultHome, stored_results, take_stores, with_stores
from codegen.emit.copy_insertion import CopyInsertion, Summary
from codegen.emit.sink import sink
from codegen.ir import Function, Program, Var
from codegen.recursion.entry_point import separate_entry
from codegen.simplify.bounds_checks import unproved

Storage = Callable[[Var], frozenset[object]]  # the memories an array may live in


def inplace(program: Program, homes: Sequence[ResultHome] | None = None, *, checked: bool = True) -> Program:
    """`program` with updates in order and the copies that in-place writes need.

    `homes`: which arguments the main function's results may share memory with; None where it does not matter.
    `checked`: whether all that may raise has a check, and can be moved.
    """
    own = separate_entry(program).functions
    sunk = {n: replace(f, body=sink(f.body, frozenset() if checked else unproved(f))) for n, f in own.items()}
    program, stores = take_stores(ir.program(sunk, program.main))
    functions, walks = settle_summaries(program, frozenset(stores))
    program, of = ir.program(functions, program.main), storage_by_roots(walks)
    params = [of(p) for p in program.entry.params]
    functions[program.main] = with_stores(program, stores, homes, params, of)
    return ir.program(functions, program.main)


def array_storage(program: Program) -> Storage:
    """For each array of an `inplace` program, the memories it may live in."""
    _, walks = settle_summaries(*stored_results(program))
    return storage_by_roots(walks)


def storage_by_roots(walks: Iterable[CopyInsertion]) -> Storage:
    memory = {v: walk.expanded(roots) for walk in walks for v, roots in walk.roots.items()}
    return lambda var: memory.get(var, frozenset())


def settle_summaries(
    program: Program, taken: frozenset[int]
) -> tuple[dict[str, Function], list[CopyInsertion]]:
    """All functions done, with summaries that agree with one another: they only grow, so they settle.

    `taken`: the arguments that the main function may write into.
    """
    summaries: dict[str, Summary] = {
        name: (frozenset(), tuple(frozenset() for _ in f.body.results))
        for name, f in program.functions.items()
    }
    while True:
        walks = [CopyInsertion(f, summaries, n == program.main, taken) for n, f in program.functions.items()]
        functions = {walk.function.name: walk.run() for walk in walks}
        found = {walk.function.name: walk.summary() for walk in walks}
        found = {name: merge_summaries(summaries[name], found[name]) for name in found}
        if found == summaries:
            return functions, walks
        summaries = found


def merge_summaries(a: Summary, b: Summary) -> Summary:
    return a[0] | b[0], tuple(x | y for x, y in zip(a[1], b[1]))
