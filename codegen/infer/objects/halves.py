"""Which fields a statement assigns to before it is over, as it may raise in between."""

from __future__ import annotations

from codegen.infer.objects.field import AssignedField
from codegen.infer.objects.fields import fields_of
from codegen.infer.values import FlowState, Nest, Value
from codegen.read import tree
from codegen.read.scope import parts_of


def fields_changed(before: FlowState, after: FlowState) -> list[str]:
    """The fields that hold something else, by the names of their variables."""
    return [name for name, value in fields_of(before.env).items() if after.env.get(name) is not value]


def own_field(statement: tree.Statement, st: FlowState) -> str | None:
    """The field that an assignment gives its value when that is there: its target, where the value calls nothing."""
    match statement:
        case tree.Assign(_, (target,), value) | tree.AugAssign(_, target, _, value) if not calls(value):
            found = field_at(target, st)
            return found.name if isinstance(found, AssignedField) else None
    return None


def calls(node: tree.Node) -> bool:
    return isinstance(node, tree.CallExpr) or any(map(calls, parts_of(node)))  # type: ignore[arg-type]


def field_at(node: tree.Expression, st: FlowState) -> Value | AssignedField | None:
    """The field that `p.q.x` is, or what the name p stands for."""
    match node:
        case tree.Name(_, name):
            return st.env.get(name)
        case tree.Attribute(_, inner, name):
            owner = field_at(inner, st)
            owner = st.env.get(owner.name) if isinstance(owner, AssignedField) else owner
            return owner.field(name) if isinstance(owner, Nest) else None
    return None
