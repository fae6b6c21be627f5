"""What acts instead of computing: `check` and `fail` stop the program, or one lane of it, at the user's line; `store`
leaves an array in the main function's argument number `param`, at its end."""

from __future__ import annotations

import builtins
from typing import Any

from codegen.ir import Atom, Type
from codegen.primitives.row import row


def raise_named(exception: str, message: str) -> None:
    """Raise a builtin exception by name."""
    raise getattr(builtins, exception)(message)


def check_numpy(test: Any, *, exception: str, message: str) -> None:
    if not test:
        raise_named(exception, message)


def check_type(test: Atom, *, exception: str, message: str) -> Type:
    if test.type.dtype != "b1" or test.type.rank:
        raise TypeError(f"a check is of a bool, not {test.type}")
    return Type("b1")


def fail_type(*, exception: str, message: str) -> Type:
    return Type("b1")


def stored_type(array: Atom, *rest: Atom, param: int) -> Type:
    if not array.type.rank:
        raise TypeError(f"what is stored into an argument is an array, not {array.type}")
    return Type("b1")


row("check", check_numpy, check_type, "effect", effect=True)
row("fail", lambda *, exception, message: raise_named(exception, message), fail_type, "effect", effect=True)
row("store", lambda array, *rest, param: None, stored_type, "effect", effect=True)
