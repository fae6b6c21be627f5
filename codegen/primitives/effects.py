"""What acts instead of computing: `check` and `fail` stop the program, or one lane of it, at the user's line; `store`
leaves an array in the main function's argument number `param`, at its end; `print` prints, as Python does.

    check test, *values: exception          fail *values: exception          print *values: told, settings

`exception` is a `Thrown`, `told` are a Said for each argument of print; the values are what they tell. `settings` are
print's arguments by name, known ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codegen.ir import Atom, Type
from codegen.ir.exceptions import Said, Thrown
from codegen.ir.kinds import Effect
from codegen.primitives.row import row


def check_numpy(test: Any, *values: Any, exception: Thrown) -> None:
    if not test:
        raise exception.error(values)


def fail_numpy(*values: Any, exception: Thrown) -> None:
    raise exception.error(values)


def check_type(test: Atom, *values: Atom, exception: Thrown) -> Type:
    if test.type.dtype != "b1" or test.type.rank:
        raise TypeError(f"a check is of a bool, not {test.type}")
    return Type("b1")


def fail_type(*values: Atom, exception: Thrown) -> Type:
    return Type("b1")


def print_numpy(*values: Any, told: tuple[Said, ...], settings: Mapping[str, Any]) -> None:
    print(*(each.value(values) for each in told), **settings)


def print_type(*values: Atom, told: tuple[Said, ...], settings: Mapping[str, Any]) -> Type:
    return Type("b1")


def stored_type(array: Atom, *rest: Atom, param: int) -> Type:
    if not array.type.rank:
        raise TypeError(f"what is stored into an argument is an array, not {array.type}")
    return Type("b1")


row("check", check_numpy, check_type, "effect", kind=Effect.CHECK)
row("fail", fail_numpy, fail_type, "effect", kind=Effect.FAIL)
row("store", lambda array, *rest, param: None, stored_type, "effect", kind=Effect.STORE)
row("print", print_numpy, print_type, "effect", kind=Effect.PRINT)
