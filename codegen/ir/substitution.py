"""Free variables, substitution and copies with fresh variables.

    free       : Block -> the Vars it mentions and does not bind
    substitute : Block, {Var: Atom} -> the same Block with other atoms in their place
    clone      : Block or Function -> the same with every binder fresh

A size is mentioned by the types it stands in, so all three go through types. Whether a size in a binder's
type is bound there or outside the block is read off the block: what an operand or the type of an operand
mentioned before is from outside, any other is new. (Where that is undecided the copy binds a fresh size, of
the same value.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import assert_never, overload
from weakref import WeakKeyDictionary

from codegen.ir import (
    Apply,
    Atom,
    Block,
    Call,
    Dim,
    Equation,
    For,
    Function,
    If,
    Lit,
    Operation,
    Type,
    Var,
    While,
)


def free(part: Block | Operation) -> tuple[Var, ...]:
    """The Vars mentioned and not bound inside, in order of first mention; the sizes of a Var come before it.

    >>> x, n = Var("x", Type("f8")), Var("n", Type("i8"))
    >>> free(Block((), (x, n)))
    (x: f8, n: i8)
    """
    if not isinstance(part, Block):
        return free_in(part)
    found: dict[Var, None] = {}
    gather(part, set(), found)
    return tuple(found)


FREE: WeakKeyDictionary[Operation, tuple[Var, ...]] = WeakKeyDictionary()
"""Of operations with blocks, which would be gone through once for each that they are in."""


def free_in(op: Operation) -> tuple[Var, ...]:
    if not isinstance(op, Apply) and (known := FREE.get(op)) is not None:
        return known
    found: dict[Var, None] = {}
    bound: set[Var] = set()
    mention(reads(op), bound, found)
    if inner := blocks(op):
        enter_binders(binders(op), bound, found)
        for block in inner:
            gather(block, bound, found)  # bound once: what an inner block binds is nobody else's
        FREE[op] = tuple(found)
    return tuple(found)


def gather(block: Block, bound: set[Var], found: dict[Var, None]) -> None:
    for equation in block.equations:
        if isinstance(equation.op, Apply | Call):
            mention(equation.op.operands, bound, found)
        else:
            found.update([(var, None) for var in free_in(equation.op) if var not in bound])
        enter_binders(equation.outs, bound, found)
    mention(block.results, bound, found)


def mention(atoms: tuple[Atom, ...], bound: set[Var], found: dict[Var, None]) -> None:
    for atom in atoms:
        if isinstance(atom, Var) and atom not in bound and atom not in found:
            found.update([(d, None) for d in sizes(atom.type) if d not in bound])
            found[atom] = None


def enter_binders(binders: tuple[Var, ...], bound: set[Var], found: dict[Var, None]) -> None:
    for var in binders:
        bound.add(var)
        bound.update([d for d in sizes(var.type) if d not in found])


def same_dim(n: Dim | Atom, m: Dim | Atom) -> bool:
    """Whether two sizes are one as they stand."""
    return n is m or isinstance(n, int) and isinstance(m, int) and n == m


def reads(op: Operation) -> tuple[Atom, ...]:
    """The atoms an operation reads itself, its blocks aside."""
    match op:
        case Apply() | Call():
            return op.operands
        case If():
            return (op.test,)
        case For():
            return (op.start, op.stop, *op.init)
        case While():
            return op.init
        case _:
            assert_never(op)


def blocks(op: Operation) -> tuple[Block, ...]:
    """The blocks inside an operation, in the order they run."""
    match op:
        case Apply() | Call():
            return ()
        case If():
            return (op.then, op.orelse)
        case For():
            return (op.body,)
        case While():
            return (op.cond, op.body)
        case _:
            assert_never(op)


def binders(op: Operation) -> tuple[Var, ...]:
    """The Vars an operation binds for its blocks."""
    match op:
        case For():
            return (op.index, *op.carried)
        case While():
            return op.carried
        case _:
            return ()


def sizes(type_: Type) -> Sequence[Var]:
    """The size Vars of a type."""
    return [d for d in type_.shape if isinstance(d, Var)] if type_.shape else ()


def brought(variables: Iterable[Var]) -> set[Var]:
    """The sizes that arrays bring."""
    return {d for v in variables if v.type.rank for d in sizes(v.type)}


def makers(
    atoms: Iterable[Atom], made: Mapping[Atom, Apply], through: Callable[[Apply], bool]
) -> Iterator[Apply]:
    """What makes some arrays, and the arrays that these are made of `through` some primitives, each once."""
    todo, met = list(atoms), set[Atom]()
    while todo:
        atom = todo.pop()
        if atom in met or atom not in made:
            continue
        met.add(atom)
        yield made[atom]
        if through(made[atom]):
            todo += [o for o in made[atom].operands if o.type.rank]


def substitute(block: Block, mapping: Mapping[Var, Atom]) -> Block:
    """`block` with each mentioned Var of `mapping` replaced, in types too.

    A binder keeps its Var unless its type changes.

    >>> n, m = Var("n", Type("i8")), Var("m", Type("i8"))
    >>> substitute(Block((), (n,)), {n: m}).results
    (m: i8,)
    """
    return rewrite(block, dict(mapping), keep)


@overload
def clone(part: Block, mapping: Mapping[Var, Atom] | None = None) -> Block: ...
@overload
def clone(part: Function, mapping: Mapping[Var, Atom] | None = None) -> Function: ...


def clone(part: Block | Function, mapping: Mapping[Var, Atom] | None = None) -> Block | Function:
    """A copy whose binders (and the sizes they bring) are fresh; `mapping` says what becomes of free Vars.

    >>> x = Var("x", Type("f8"))
    >>> copy = clone(Function("f", (x,), Block((), (x,))))
    >>> copy.params[0] is x, copy.body.results[0] is copy.params[0]
    (False, True)
    """
    env: dict[Var, Atom] = dict(mapping or {})
    if isinstance(part, Block):
        for var in free(part):
            env.setdefault(var, var)
        return rewrite(part, env, fresh)
    params = tuple(fresh(p, env) for p in part.params)
    return replace(part, params=params, body=rewrite(part.body, env, fresh))


Binder = Callable[[Var, dict[Var, Atom]], Var]
Expand = Callable[[Equation, dict[Var, Atom]], list[Equation] | None]


def nothing(equation: Equation, env: dict[Var, Atom]) -> None:
    """An Expand that leaves every equation to be rewritten."""


def fresh(var: Var, env: dict[Var, Atom]) -> Var:
    """A new Var for a binder, and for the sizes that it brings."""
    for d in sizes(var.type):
        if d not in env:
            env[d] = Var(d.name, d.type)
    env[var] = new = Var(var.name, renamed(var.type, env))
    return new


def keep(var: Var, env: dict[Var, Atom]) -> Var:
    """The binder itself where its type stays as it is."""
    type_ = renamed(var.type, env)
    if type_ is var.type:
        return var
    env[var] = new = Var(var.name, type_)
    return new


def renamed(type_: Type, env: Mapping[Var, Atom]) -> Type:
    """A type with its sizes replaced; the same object where none is."""
    if not type_.shape or env.keys().isdisjoint(type_.shape):
        return type_
    return Type(type_.dtype, tuple([dim(d, env) for d in type_.shape]), type_.weak)


def dim(d: Dim, env: Mapping[Var, Atom]) -> Dim:
    if isinstance(d, int):
        return d
    atom = env.get(d, d)
    return int(atom.value) if isinstance(atom, Lit) else atom


def rewrite(block: Block, env: dict[Var, Atom], binder: Binder, expand: Expand = nothing) -> Block:
    """`block` with Vars replaced by `env` and binders by `binder`; blocks side by side may bind the same Vars.

    `expand` may put other equations in the place of one, and what its outs are into `env`.
    """
    equations: list[Equation] = []
    for equation in block.equations:
        if (instead := expand(equation, env)) is not None:
            equations += instead
            continue
        op = rewrite_op(equation.op, env, binder, expand)
        equations.append(Equation(tuple([binder(o, env) for o in equation.outs]), op, equation.span))
    return Block(tuple(equations), replaced(block.results, env))


def rewrite_op(op: Operation, env: dict[Var, Atom], binder: Binder, expand: Expand = nothing) -> Operation:
    """The same for one operation."""
    match op:
        case Apply(primitive, operands):
            return Apply(primitive, replaced(operands, env), op.params)
        case Call(function, operands):
            return Call(function, replaced(operands, env))
        case If():
            then, orelse = (rewrite(b, dict(env), binder, expand) for b in (op.then, op.orelse))
            return If(replaced((op.test,), env)[0], then, orelse)
        case For():
            start, stop, *init = replaced((op.start, op.stop, *op.init), env)
            inner = dict(env)
            index, *carried = (binder(v, inner) for v in (op.index, *op.carried))
            body = rewrite(op.body, inner, binder, expand)
            return For(index, start, stop, op.step, tuple(carried), tuple(init), body, op.kind)
        case While():
            while_init, inner = replaced(op.init, env), dict(env)
            params = tuple(binder(v, inner) for v in op.carried)
            cond, body = (rewrite(b, dict(inner), binder, expand) for b in (op.cond, op.body))
            return While(params, while_init, cond, body)
        case _:
            assert_never(op)


def replaced(atoms: tuple[Atom, ...], env: Mapping[Var, Atom]) -> tuple[Atom, ...]:
    return tuple([env.get(a, a) if isinstance(a, Var) else a for a in atoms])
