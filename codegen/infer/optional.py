"""Values that may be None: what is used must be there, which is checked at run time where no test says so before.

best = None                        best: there = False, 0.0
for x in xs:
    if best is None or x < best:   not there or x < best, which is there in the second operand
        best = x                   there = True, x
"""

from __future__ import annotations

import operator
from typing import Any

from codegen.infer.frame import Frame
from codegen.infer.texts.known_texts import is_words
from codegen.infer.values import (
    FALSE,
    NEEDED,
    TRUE,
    Conflict,
    GrowingList,
    Nest,
    Optional,
    Range,
    Ref,
    Static,
    Value,
    View,
)
from codegen.ir import Lit, Var
from codegen.read import tree
from codegen.source import Span, refuse

NONE = Static(None)
IDENTITY = ("is", "is not", "==", "!=")


def is_none(value: object) -> bool:
    return isinstance(value, Static) and value.value is None


def may_be_none(value: Any) -> bool:
    """Whether a value is an Optional, or one is in it."""
    return isinstance(value, Optional) or isinstance(value, Nest) and any(map(may_be_none, value.items))


def present(frame: Frame, value: Value, span: Span) -> Value:
    """The value itself; TypeError when the program runs where it is None."""
    if not isinstance(value, Optional):
        return value
    if not isinstance(value.there, Lit):
        with frame.b.at(span):
            frame.b.require(frame.b.wrap(value.there), "TypeError", NEEDED)
    elif not value.there.value:
        raise refuse(span, NEEDED)
    return value.value


def as_told(value: Any) -> Any:
    """A value, and what is in it, without what may be None but is known to be there, or not to be."""
    if isinstance(value, Optional) and isinstance(value.there, Lit):
        return as_told(value.value) if value.there.value else NONE
    if not isinstance(value, Nest):
        return value
    items = tuple(map(as_told, value.items))
    return value if all(map(operator.is_, items, value.items)) else value.with_items(items)


def learn(frame: Frame, test: tree.Expression, outcome: bool) -> None:
    """What a test that has come out so says of names, and of items of tuples and the like: that they are None, or have
    a value."""
    match test:
        case tree.Compare(_, place, (("is" | "is not" as sign, tree.Constant(_, None)),)):
            tell(frame, place, (sign == "is not") == outcome)
        case tree.Unary(_, "not", operand):
            learn(frame, operand, not outcome)
        case tree.Logical(_, word, values) if (word == "and") == outcome:
            for value in values:
                learn(frame, value, outcome)
        case _ if outcome:
            tell(frame, test, True)


def tell(frame: Frame, place: tree.Expression, there: bool) -> None:
    """From here on a place is known to be None, or to have a value."""
    match place:
        case tree.Name(_, name):
            if (value := frame.st.env.get(name)) is not None:
                frame.st.env[name] = known_optional(value, there)
        case tree.Subscript(_, tree.Name(_, name), tree.Constant(_, int() | str() as key)):
            tell_item(frame, name, key, there)
        case tree.Attribute(_, tree.Name(_, name), key):
            tell_item(frame, name, key, there)


def tell_item(frame: Frame, name: str, key: int | str, there: bool) -> None:
    nest = frame.st.env.get(name)
    if isinstance(nest, Nest) and not isinstance(nest, Optional):
        keys = nest.keys if isinstance(key, str) else range(len(nest.items))
        items = [
            known_optional(item, there) if at == key else item for at, item in zip(keys or (), nest.items)
        ]
        frame.st.env[name] = nest.with_items(tuple(items)) if keys else nest


def known_optional(value: Value, there: bool) -> Value:
    """A value of which it is told whether it is there."""
    return value.known(there) if isinstance(value, Optional) and not isinstance(value.there, Lit) else value


def given_value(value: Any) -> Any:
    """What an Optional is where it is not None."""
    return value.value if isinstance(value, Optional) else value


def compares_none(sign: str, x: Value, y: Value) -> bool:
    """Whether a comparison has an answer where one of its operands is None: it is no number, and in no range; in a
    tuple or list only if that has it."""
    if is_none(x) or is_none(y):
        return sign in IDENTITY
    x = given_value(x)
    if sign in ("in", "not in"):
        numbers = not isinstance(x, Ref | View) or isinstance(y, Range)
        return numbers and isinstance(y, Range | GrowingList | Nest) and not isinstance(y, Optional)
    return sign in ("==", "!=") and all(isinstance(v, Var | Lit) or is_words(v) for v in (x, given_value(y)))


def given_parts(value: Value | None) -> tuple[Value | None, Value | None]:
    """Whether a value is there, and which, as an Optional's template has them."""
    if value is None or isinstance(value, Conflict):
        return None, None
    if is_none(value):
        return FALSE, None
    return (value.there, value.value) if isinstance(value, Optional) else (TRUE, value)
