"""What is known of the lists and objects that a program makes, before it is inferred once more: found out by what was
refused.

xs = [0] * n; xs[i] = 0.5           made there, it has floats
xs = [0] * n; xs[i] = x[0]          made there, it has ints of NumPy's, of an array of them
seen = []; note(seen, 1.5)          made there, it grows in a function, and has floats
body.x += 1.0                       objects of this class have a variable for x (objects/fields.py)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from codegen.infer.functions import NumberKinds, Place, span_place
from codegen.infer.kinds import Differ
from codegen.infer.memory.growing_lists import part_kinds, unify_forms
from codegen.source import SourceError


@dataclass(frozen=True)
class KnownLists:
    """`objects`: new lists are, and may have several names; made at places in `kinds`, their
    numbers are of these; `grown`: at these places are made lists that get longer or shorter as objects, of items of
    these forms, None of no such; `tables`: at these, dicts and sets whose keys are numbers, of such entries;
    `written`: loops that make lists longer are written out also where that is a long text; `fields`: those of
    classes that are assigned to; `letters`: texts of which one is chosen when the program runs are lists of letters;
    `rows`: of classes whose objects are rows of arrays, the forms of what their fields hold."""

    objects: bool = False
    kinds: Mapping[Place, NumberKinds] = field(default_factory=dict)
    grown: dict[Place, Any] | None = None
    tables: Mapping[Place, Any] = field(default_factory=dict)
    written: bool = False
    fields: Mapping[Any, frozenset[str]] = field(default_factory=dict)
    letters: bool = False
    rows: Mapping[Any, dict[str, Any]] = field(default_factory=dict)

    def after(self, error: SourceError) -> KnownLists | None:
        """What is known after a refusal; None where it tells nothing new."""
        if error.wants_fields is not None:
            cls, keys = error.wants_fields
            return replace(self, fields={**self.fields, cls: keys}) if self.fields.get(cls) != keys else None
        if error.wants_rows is not None and error.wants_rows[1]:
            cls, forms = error.wants_rows
            return replace(self, rows={**self.rows, cls: forms})
        if error.wants_table is not None and error.wants_table[0] is not None:
            span, form = error.wants_table
            tables = with_form(self.tables, span_place(span), form)
            return None if tables is None else replace(self, tables=tables)
        if error.wants_letters and not self.letters:
            return replace(self, letters=True)
        if error.wants_lengths and not self.written:
            return replace(self, written=True)
        if error.of_changed_list and not self.objects:
            return replace(self, objects=True)
        if error.wants_kinds is not None:
            span, kinds = error.wants_kinds
            if self.kinds.get(span_place(span)) != kinds:
                return replace(self, kinds={**self.kinds, span_place(span): kinds})
        if error.of_changed_list and self.grown is None:
            return replace(self, grown={})
        if error.wants_growth is not None and self.grown is not None:
            span, form = error.wants_growth
            grown = with_form(self.grown, span_place(span), form)
            if grown is not None:
                return replace(self, grown=grown)
        cls = class_of_rows(error)
        if cls is None or cls in self.rows:
            return None
        grown = None if self.grown is None else {}  # forms have objects of this class as they were
        return replace(self, rows={**self.rows, cls: {}}, grown=grown, tables={})


def class_of_rows(error: BaseException | None) -> Any:
    """The class whose objects as rows would not have led to a refusal."""
    while error is not None:
        if (wanted := getattr(error, "wants_rows", None)) is not None:
            return wanted[0]
        error = error.__context__
    return None


def with_form(known: Mapping[Any, Any], place: Any, form: Any) -> dict[Any, Any] | None:
    """What is known of forms, with one more; None where that is nothing new."""
    before = known.get(place)
    try:
        wide = unify_forms(before, form)
    except Differ:
        return None
    if place in known and part_kinds(wide) == part_kinds(before):
        return None
    return {**known, place: wide}
