"""Ints and sizes that are one in all calls of a function are that one: known_parameters : Program -> Program.

    def step(x, n, h): ... np.empty(n) ...           def step(x, h): ... np.empty(32) ...
    step(x, 32, h)                             ->    step(x, h)
    step(step(x, 32, h), 32, 2.0 * h)                step(step(x, h), 2.0 * h)

So are sizes that are always the same, or always equal to another one, and results that are numbers, sizes or ints which
the function is given. Sizes then meet that are known to be one, and nothing is left to be asked about broadcasting.
Floats stay parameters. The main function's calls are not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from codegen import ir
from codegen.ir import Atom, Call, Function, Lit, Program, Var
from codegen.ir.literals import size_atom
from codegen.ir.substitution import binders, renamed, sizes, substitute
from codegen.ir.traversal import equations
from codegen.simplify.driver import simplify
from codegen.simplify.value_numbering import part, retyped

DEEPEST = 8  # calls of calls, through which numbers are followed


def known_parameters(program: Program) -> Program:
    """`program` simplified with what is known of its functions' parameters and results; itself where nothing is."""
    for _ in range(DEEPEST):
        if len(program.functions) == 1 or (made := with_what_is_known(program)) is None:
            break
        program = simplify(made)
    return program


@dataclass(frozen=True)
class CallSite:
    """A call, the function that it is in, and the sizes that its results bring."""

    inside: str
    outs: tuple[Var, ...]
    op: Call
    brings: frozenset[Var]


def with_what_is_known(program: Program) -> Program | None:
    """The program with what is known put in; None where nothing is."""
    calls: dict[str, list[CallSite]] = defaultdict(list)
    for f in program.functions.values():
        for call in call_sites(f):
            calls[call.op.function].append(call)
    env: dict[Var, Atom] = {}
    for name, f in program.functions.items():
        if name != program.main:
            env |= given_by_all(f, calls[name])
            env.update(known for call in calls[name] for known in known_results(f, call))
    if not env:
        return None
    env = {v: last_of(env, v) for v in env}
    return ir.program({name: with_known(f, env) for name, f in program.functions.items()}, program.main)


def call_sites(f: Function) -> Iterator[CallSite]:
    """The calls in a function, in order."""
    bound = {d for p in f.params for d in (p, *sizes(p.type))}
    for e in equations(f.body):
        told = {d for v in (*e.outs, *binders(e.op)) for d in (v, *sizes(v.type))}
        if isinstance(e.op, Call):
            yield CallSite(f.name, e.outs, e.op, frozenset(told - bound - set(e.outs)))
        bound |= told


def last_of(env: Mapping[Var, Atom], atom: Atom) -> Atom:
    """What an atom is in the end."""
    while isinstance(atom, Var) and atom in env:
        atom = env[atom]
    return atom


def with_known(f: Function, env: Mapping[Var, Atom]) -> Function:
    params = tuple(Var(p.name, found) if (found := renamed(p.type, env)) != p.type else p for p in f.params)
    moved = {p: q for p, q in zip(f.params, params) if p is not q}
    return replace(f, params=params, body=substitute(f.body, {**moved, **env}))


# ---- parameters ----


def given_by_all(f: Function, calls: Sequence[CallSite]) -> dict[Var, Atom]:
    """What a function's ints, bools and sizes are in all its calls: numbers, or others of them."""
    told = [given(f, c.op) for c in calls if c.inside != f.name]
    own = [given(f, c.op) for c in calls if c.inside == f.name]
    found: dict[Var, Atom] = {}
    first: dict[object, Var] = {}
    for v, alike in classes(told, own).items():
        number, same = told[0][v], first.setdefault(alike, v)
        if isinstance(number, Lit) and all(part(each[v]) in (v, part(number)) for each in (*told, *own)):
            found[v] = retyped(number, v.type)
        elif same is not v and same not in found:
            found[v] = same
    return found


def classes(told: Sequence[Mapping[Var, Atom]], own: Sequence[Mapping[Var, Atom]]) -> dict[Var, object]:
    """What is equal in all calls is of one class; what a function gives itself is so if it was so before."""
    if not told:
        return {}
    found: dict[Var, object] = {v: (v.type, *(part(each[v]) for each in told)) for v in told[0]}
    while True:
        finer = {v: (k, *(class_in(found, each[v]) for each in own)) for v, k in found.items()}
        if len(set(finer.values())) == len(set(found.values())):
            return found
        found = dict(finer)


def class_in(classes: Mapping[Var, object], atom: Atom) -> object:
    return classes[atom] if isinstance(atom, Var) and atom in classes else part(atom)


def given(f: Function, op: Call) -> dict[Var, Atom]:
    """A function's ints, bools and sizes as a call gives them."""
    found: dict[Var, Atom] = {}
    for param, operand in zip(f.params, op.operands, strict=True):
        if not param.type.rank and param.type.dtype in ("i8", "b1"):
            found.setdefault(param, operand)
        for d, n in zip(param.type.shape, operand.type.shape):
            if isinstance(d, Var):
                found.setdefault(d, size_atom(n))
    return found


# ---- results ----


def known_results(f: Function, call: CallSite) -> Iterator[tuple[Var, Atom]]:
    """The results of a call, and the sizes that they bring, that are numbers or what the function is given."""
    told = given(f, call.op)
    for out, result in zip(call.outs, f.body.results, strict=True):
        pairs = [(out, result)] if out.type.dtype in ("i8", "b1") and not out.type.rank else []
        axes = zip(out.type.shape, result.type.shape)
        pairs += [(d, size_atom(n)) for d, n in axes if isinstance(d, Var) and d in call.brings]
        for var, left in pairs:
            value = left if isinstance(left, Lit) else told.get(left)
            if isinstance(value, Lit):
                yield var, retyped(value, var.type)
            elif value is not None and value.type == var.type:
                yield var, value
