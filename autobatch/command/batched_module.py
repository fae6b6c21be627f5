"""The text of a batched function, a module that runs by itself: source : its program over lanes, arguments -> text.

    def f_batch(x, n):              # arrays as the batched function takes them
        x = _given("x", x, "f8", None, 3)
        ...

The same text as the command line writes (`autobatch/command`), around what the library compiles and runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autobatch.command.emit import Made
from autobatch.command.make import doc_of, failings_of, lane_type
from autobatch.command.standalone import standalone
from autobatch.command.wrapper import Argument, Runs
from autobatch.lanes.masks import Failing
from codegen.emit.coalescing import identifier
from codegen.infer.trace import Traced
from codegen.infer.values import Nest
from codegen.ir import Program, Type


@dataclass(frozen=True, eq=False)
class Face:
    """What a batched function is given: one lane's entries, those by name last, and the axis of each leaf."""

    function: Callable[..., Any]
    entries: tuple[Any, ...]
    axes: tuple[int | None, ...]
    keywords: tuple[str, ...]

    def source(
        self,
        traced: Traced,
        program: Program,
        failings: Sequence[Failing],
        runs: Runs | None,
        target: str,
        written: tuple[int, ...],
        ran: str,
    ) -> str:
        name = identifier(traced.program.main)
        arguments = tuple(self.arguments())
        doc = doc_of(f"`{name}`", ran, arguments)
        if runs is not None:
            failings = runs.machine.sites  # type: ignore[assignment]
        made = Made(
            f"{name}_batch",
            doc,
            "",
            arguments,
            traced,
            program,
            runs,
            failings_of(failings),
            self.axes,
            written,
        )
        return standalone(made, target=target, doc=doc)

    def arguments(self) -> list[Argument]:
        axes = iter(self.axes)

        def laned(entry: Any) -> Any:
            if isinstance(entry, Nest):
                return entry.with_items(tuple(map(laned, entry.items)))
            if not isinstance(entry, Type):
                return entry
            return entry if next(axes) is None else lane_type(entry)

        places = len(self.entries) - len(self.keywords)
        named = (*parameters(self.function, places), *((name, "keyword") for name in self.keywords))
        return [Argument(name, kind, laned(e)) for (name, kind), e in zip(named, self.entries, strict=True)]


def parameters(function: Callable[..., Any], count: int) -> list[tuple[str, str]]:
    """The names of so many arguments given by position, and how they may be given."""
    kinds = {"POSITIONAL_ONLY": "positional", "KEYWORD_ONLY": "keyword"}
    try:
        listed = [p for p in inspect.signature(function).parameters.values() if "VAR" not in p.kind.name]
    except (TypeError, ValueError):
        listed = []
    found = [(p.name, kinds.get(p.kind.name, "plain")) for p in listed[:count]]
    return [*found, *((f"argument{k}", "plain") for k in range(len(found), count))]
