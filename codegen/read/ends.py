"""Whether control reaches the end of a block: falls : statements -> bool.

if x > 0:
    return x         falls: where x > 0 is false
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from codegen.read import tree

Ways = Callable[[tree.Branch], set[bool]]  # the ways out of a condition that can be taken


def falls(statements: Sequence[tree.Statement], ways: Ways) -> bool:
    """Whether what stands behind these statements can be reached from them."""
    return all(passes(statement, ways) for statement in statements)


def passes(statement: tree.Statement, ways: Ways) -> bool:
    match statement:
        case tree.Return() | tree.Raise() | tree.Break() | tree.Continue():
            return False
        case tree.Branch(_, _, then, orelse):
            taken = ways(statement)
            return (True in taken and falls(then, ways)) or (False in taken and falls(orelse, ways))
        case tree.Loop(_, test, body, orelse):
            endless = isinstance(test, tree.Constant) and bool(test.value)
            return leaves(body) or (not endless and falls(orelse, ways))
        case tree.Iterate(_, _, _, body, orelse):
            return leaves(body) or falls(orelse, ways)
        case tree.Assert(_, test, _):
            return not (isinstance(test, tree.Constant) and not test.value)
        case tree.Assign() | tree.AugAssign() | tree.Evaluate() | tree.Define():
            return True
        case _:
            assert_never(statement)


def leaves(body: Sequence[tree.Statement]) -> bool:
    """Whether a loop's body has a `break` of that loop."""
    for statement in body:
        if isinstance(statement, tree.Break):
            return True
        if isinstance(statement, tree.Branch) and (leaves(statement.then) or leaves(statement.orelse)):
            return True
        if isinstance(statement, tree.Loop | tree.Iterate) and leaves(statement.orelse):
            return True
    return False
