"""Arrays that a function takes for their sizes alone: it takes the sizes.

    def f(x: f8[n, m]):                  def f(n):
        check n > 0           ->             check n > 0
    f(a @ b)                             f(k)                     a: f8[k, l]

What is left of a function whose results are not wanted are its checks. What computes their arrays goes then, too.
"""

from __future__ import annotations

from dataclasses import replace

from codegen import ir
from codegen.ir import Atom, Call, Function, Program, Var
from codegen.ir.literals import size_atom
from codegen.ir.substitution import sizes
from codegen.ir.traversal import operands, with_calls

Axes = dict[int, list[int]]  # the parameters that go, and the axes of each that only they have


def sizes_alone(program: Program) -> Program:
    """`program`, whose functions, but for the main one, take no array of which they need nothing but sizes."""
    asked = {n: found for n, f in program.functions.items() if n != program.main and (found := for_sizes(f))}

    def passed(op: Call) -> Call:
        axes = asked.get(op.function, {})
        return replace(op, operands=sizes_for_arrays(op.operands, axes)) if axes else op

    def made(f: Function) -> Function:
        params = sizes_for_arrays(f.params, asked.get(f.name, {}))
        return replace(f, params=params, body=with_calls(f.body, passed))  # type: ignore[arg-type]

    return ir.program({n: made(f) for n, f in program.functions.items()}, program.main) if asked else program


def sizes_for_arrays(atoms: tuple[Atom, ...], axes: Axes) -> tuple[Atom, ...]:
    """Parameters, or what is passed for them: sizes in place of arrays, before all others."""
    given = (size_atom(atoms[k].type.shape[axis]) for k, mine in axes.items() for axis in mine)
    return (*given, *(a for k, a in enumerate(atoms) if k not in axes))


def for_sizes(function: Function) -> Axes:
    """The array parameters of which nothing but sizes is read."""
    params = function.params
    read = set(operands(function.body))
    alone = [k for k, p in enumerate(params) if p.type.rank and p.type.dtype != "rng" and p not in read]
    known = {d for k, p in enumerate(params) if k not in alone for d in (p, *sizes(p.type))}
    found: Axes = {}
    for k in alone:
        shape = params[k].type.shape
        found[k] = [
            j for j, d in enumerate(shape) if isinstance(d, Var) and d not in known and d not in shape[:j]
        ]
        known.update(sizes(params[k].type))
    return found
