"""Where a list that is a field of an object is refused: objects of its class may be rows, whose fields hold lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import is_dataclass

from codegen.infer.frame import Bottom, Frame
from codegen.infer.kinds import Differ, Raises
from codegen.infer.objects.assigned import users_class
from codegen.infer.values import Nest, Value
from codegen.read import tree
from codegen.read.lists.owned_lists import CHANGING
from codegen.source import SourceError


@contextmanager
def wanting_its_object(
    frame: Frame, node: tree.Expression, evaluate: Callable[[Frame, tree.Expression], Value]
) -> Iterator[None]:
    """What is refused of `p.xs.append(x)` wants p to be a row, if nothing else helps."""
    try:
        yield
    except SourceError as error:
        match node:
            case tree.CallExpr(_, tree.Attribute(_, tree.Attribute(_, of, _), method)) if method in CHANGING:
                with suppress(SourceError, Differ, Raises, Bottom):
                    held = evaluate(frame, of)
                    if isinstance(held, Nest) and held.keys and is_dataclass(held.cls):
                        error.wants_rows = error.wants_rows or (users_class(held.cls), {})
                        error.stands = True
        raise
