"""What is known of the lists that a program makes, before it is inferred once more: found out by what was refused.

xs = [0] * n; xs[i] = 0.5           made there, it has floats
seen = []; note(seen, 1.5)          made there, it grows in a function, and has floats
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from codegen.infer.functions import Place, span_place
from codegen.infer.kinds import Differ
from codegen.infer.memory.growing_lists import part_kinds, unify_forms
from codegen.source import SourceError


@dataclass(frozen=True)
class KnownLists:
    """`objects`: new lists are, and may have several names; made at `floats` they have floats for ints; `grown`: at
    these places are made lists that get longer or shorter as objects, of items of these forms, None of no such."""

    objects: bool = False
    floats: frozenset[Place] = frozenset()
    grown: dict[Place, Any] | None = None

    def after(self, error: SourceError) -> KnownLists | None:
        """What is known after a refusal; None where it tells nothing new."""
        if error.of_changed_list and not self.objects:
            return replace(self, objects=True)
        if error.wants_floats is not None and (place := span_place(error.wants_floats)) not in self.floats:
            return replace(self, floats=self.floats | {place})
        if error.of_changed_list and self.grown is None:
            return replace(self, grown={})
        if error.wants_growth is None or self.grown is None:
            return None
        span, form = error.wants_growth
        place, before = span_place(span), self.grown.get(span_place(span))
        try:
            wide = unify_forms(before, form)
        except Differ:
            return None
        if place in self.grown and part_kinds(wide) == part_kinds(before):
            return None
        return replace(self, grown={**self.grown, place: wide})
