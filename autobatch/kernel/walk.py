"""Walks over the kernel language: what a node is made of, and the same node made of others.

nodes(region)                 all that it is made of: statements, values, addresses, memories
rebuilt(region, change)       the same with each node changed, innermost first
read_first(region, known)     the registers that are read before they are assigned
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, get_args

from autobatch.kernel import ir
from autobatch.kernel.ir import Memory, Region, Register, Stmt, Value
from codegen.ir import Lit

VALUES, STATEMENTS = get_args(Value), get_args(Stmt)
LEAVES = (ir.Next, ir.Wait, ir.Fail)
OF_PROGRAM = ("op", "type", "span", "equation", "reduced")  # fields that are no nodes of the statements
OUTS = ("out", "outs", "index")  # fields with what a statement gives new values
PARTS = {
    kind: tuple(f.name for f in fields(kind) if f.name not in OF_PROGRAM)
    for kind in (*VALUES, *STATEMENTS, ir.Address, ir.StackFrame, ir.Memory, ir.Either)
    if kind is not Lit
}  # the fields of each kind of node that have nodes
REGIONS = {kind: tuple(f.name for f in fields(kind) if f.type == "Region") for kind in STATEMENTS}


def nodes(part: Any, *, inner: bool = True) -> Iterator[Any]:
    """A node, or several, and all they are made of; `inner`: the statements inside them too."""
    left = [part]
    while left:
        each = left.pop()
        if isinstance(each, tuple):
            inside = list(each)
        else:
            yield each
            inside = [getattr(each, name) for name in PARTS.get(type(each), ())]
        if not inner:
            inside = [one for one in inside if not isinstance(one, STATEMENTS)]
        left += inside[::-1]


def statements(region: Region) -> Iterator[Stmt]:
    """The statements of a region, those in others after what they are in."""
    for stmt in region:
        yield stmt
        for name in REGIONS[type(stmt)]:
            yield from statements(getattr(stmt, name))


def memories_in(region: Region) -> Iterator[Memory]:
    """The memories that statements read and write."""
    return (node for node in nodes(region) if isinstance(node, Memory))


def registers(value: Value) -> Iterator[Register]:
    """The registers that a value reads."""
    return (node for node in nodes(value) if isinstance(node, Register))


def values_read(stmt: Stmt) -> Iterator[Value]:
    """The values that a statement itself reads, and all they are made of."""
    for name in PARTS[type(stmt)]:
        if name not in OUTS and not isinstance(stmt, ir.Pop):
            yield from (n for n in nodes(getattr(stmt, name), inner=False) if isinstance(n, VALUES))


def outs(stmt: Stmt) -> Iterator[Register]:
    """The registers that a statement itself gives new values."""
    written = stmt if isinstance(stmt, ir.Pop) else tuple(getattr(stmt, n) for n in OUTS if hasattr(stmt, n))
    return (node for node in nodes(written) if isinstance(node, Register))


def looks_in(region: Region) -> bool:
    """Whether a lane looks anywhere if it is to stop."""
    return any(isinstance(s, ir.Look) or (isinstance(s, ir.Loop) and s.strip) for s in statements(region))


def read_first(region: Region, known: set[str]) -> set[str]:
    """The registers that are read, on some path, before they are assigned; `known` becomes what is at the end."""
    found: set[str] = set()
    for stmt in region:
        match stmt:
            case ir.Step(body):
                found |= read_first(body, known)
            case ir.If(test, then, orelse):
                found |= register_names(test) - known
                arms = set(known), set(known)
                found |= read_first(then, arms[0]) | read_first(orelse, arms[1])
                come = [arm for arm, way in zip(arms, (then, orelse)) if not always_leaves(way)] or arms
                known |= set.intersection(*come)
            case ir.Loop(index, start, stop, body=body):
                found |= register_names((start, stop)) - known | read_first(body, {*known, index.name})
            case ir.Repeat(body):
                found |= read_first(body, set(known))
            case ir.While(head, test, body):
                inside = set(known)
                found |= read_first(head, inside) | (register_names(test) - inside) | read_first(body, inside)
            case _:
                found |= register_names(tuple(values_read(stmt))) - known
                known |= {register.name for register in outs(stmt)}
    return found


def always_leaves(region: Region) -> bool:
    """Whether the lane goes on elsewhere, or has ended, before the end of a region."""
    return any(map(statement_leaves, region))


def statement_leaves(stmt: Stmt) -> bool:
    match stmt:
        case ir.Step(body):
            return always_leaves(body)
        case ir.If(_, then, orelse):
            return always_leaves(then) and always_leaves(orelse)
        case _:
            return isinstance(stmt, LEAVES)


def register_names(part: Any) -> set[str]:
    """The registers of numbers in values."""
    return {r.name for r in nodes(part) if isinstance(r, Register) and r.type.dtype != "rng"}


def rebuilt(part: Any, change: Callable[[Any], Any]) -> Any:
    """A node, or several, with each node changed, innermost first; a statement may become several, or none."""
    if isinstance(part, tuple):
        found: list[Any] = []
        for each in part:
            made = rebuilt(each, change)
            found += made if isinstance(made, tuple) and isinstance(each, STATEMENTS) else [made]
        return tuple(found)
    if type(part) not in PARTS:
        return part
    before = {name: getattr(part, name) for name in PARTS[type(part)]}
    after = {name: rebuilt(each, change) for name, each in before.items()}
    return change(part if after == before else replace(part, **after))
