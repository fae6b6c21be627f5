"""A program for arrays of known sizes: with_known_sizes : Program, types of its arguments -> Program.

def f(x: f8[lanes]): ...      (f8[3],)      ->      def f(x: f8[3]): ...

Sizes of results that only the functions tell that are called: with_sized_results : Traced -> Traced.

def first(x, n): return x[:n]
def f(x: f8[7]): return first(x, 4)      f8[n]      ->      f8[4]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autobatch.prepare.passes import inline_all
from codegen.analysis.calls import recursive
from codegen.infer.trace import Traced
from codegen.infer.values import rebuild
from codegen.ir import Atom, Block, Call, Equation, Function, Program, Type, Var
from codegen.ir.literals import literal
from codegen.ir.substitution import substitute
from codegen.ir.traversal import unused_name
from codegen.simplify.driver import simplify


def with_known_sizes(one: Program, given: Sequence[Type]) -> Program:
    """`one`, the sizes of whose first parameters are numbers where they are numbers in `given`."""
    if one.main in recursive(one):
        one = wrapped_in_call(one)
    entry = one.entry
    known: dict[int | Var, int] = {}
    for param, type_ in zip(entry.params, given):
        sizes = zip(param.type.shape, type_.shape)
        known.update({d: n for d, n in sizes if isinstance(d, Var) and isinstance(n, int)})
    if not known:
        return one
    params = tuple(
        Var(p.name, Type(p.type.dtype, tuple(known.get(d, d) for d in p.type.shape), p.type.weak))
        for p in entry.params
    )
    replaced: dict[Var, Atom] = {d: literal(n) for d, n in known.items() if isinstance(d, Var)}
    replaced.update(zip(entry.params, params, strict=True))
    function = Function(entry.name, params, substitute(entry.body, replaced), entry.span, entry.doc)
    return Program({**one.functions, one.main: function}, one.main)


def wrapped_in_call(one: Program) -> Program:
    """A program whose first function calls the one that was: what calls itself keeps its results."""
    entry = one.entry
    name = unused_name(f"{entry.name}_once", one.functions)
    sizes: dict[Any, Any] = {}

    def again(atom: Atom) -> Var:
        shape = tuple(
            sizes.setdefault(d, Var(d.name, d.type)) if isinstance(d, Var) else d for d in atom.type.shape
        )
        return Var(atom.name if isinstance(atom, Var) else "t", Type(atom.type.dtype, shape))

    params = tuple(again(p) for p in entry.params)
    sizes.update(zip(entry.params, params))
    outs = tuple(again(r) for r in entry.body.results)
    call = Equation(outs, Call(entry.name, params), entry.span)
    first = Function(name, params, Block((call,), outs), entry.span, entry.doc)
    return Program({**one.functions, name: first}, name)


def with_sized_results(traced: Traced) -> Traced:
    """The same, its calls inlined where sizes of results are not known."""
    if has_sized_results(traced.program):
        return traced
    program = simplify(inline_all(traced.program))
    if not has_sized_results(program):
        return traced
    results = iter(program.entry.body.results)
    out = rebuild(traced.out, lambda leaf: next(results).type if isinstance(leaf, Type) else leaf)
    return replace(traced, program=program, out=out)


def has_sized_results(program: Program) -> bool:
    return all(isinstance(n, int) for result in program.entry.body.results for n in result.type.shape)
