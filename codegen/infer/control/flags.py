"""Names no user can write: how control left the statements run so far, and the value returned."""

from __future__ import annotations

from typing import Any

from codegen.infer.values import FALSE, FlowState
from codegen.ir import Atom, Lit, Var
from codegen.ir.build import Builder

BROKE, CONTINUED, RETURNED, DEAD, RESULT = "%broke", "%continued", "%returned", "%dead", "%result"
RAISED = tuple(f"%raised{k}" for k in range(8))  # for each handler around, whether it is to run
FLAGS = (BROKE, CONTINUED, RETURNED, *RAISED)


def flag(st: FlowState, name: str) -> Atom:
    """A control flag: True, False, or a Var where it depends on the data."""
    value = st.env.get(name, FALSE)
    assert isinstance(value, Var | Lit)
    return value


def certain(atom: Atom) -> bool:
    return isinstance(atom, Lit) and bool(atom.value)


def possible(atom: Atom) -> bool:
    return not isinstance(atom, Lit) or bool(atom.value)


def leaves_for_good(st: FlowState) -> bool:
    return any(certain(flag(st, name)) for name in (DEAD, *FLAGS))


def surely_falls(st: FlowState) -> bool:
    """Control certainly reaches the end."""
    return not any(possible(flag(st, name)) for name in (DEAD, *FLAGS))


def falling(b: Builder, st: FlowState) -> Any:
    """The condition under which control reaches the end."""
    flags = [flag(st, name) for name in FLAGS if possible(flag(st, name))]
    if not flags or any(certain(f) for f in flags):
        return not flags
    left = b.wrap(flags[0])
    for each in flags[1:]:
        left = b.apply("or", left, b.wrap(each))
    return b.apply("not", left)
