"""What functions have of objects that are rows: the arrays of their classes, and the lists that fields of them hold,
which are kept as those in dicts are."""

from __future__ import annotations

from typing import Any

from codegen.infer.frame import Frame
from codegen.infer.objects.placed import ONE_LIST, FieldLists
from codegen.infer.objects.rows import no_rows
from codegen.infer.tables.lists import new_store

NO_ITEMS: dict[str, Any] = {"": None}


def rows_of_classes(frame: Frame) -> dict[Any, Any]:
    """The arrays of all classes whose objects are rows, in which there are none yet; and where lists in fields are."""
    made: dict[Any, Any] = {}
    for cls, forms in frame.inference.rows.items():
        if isinstance(cls, FieldLists):
            continue
        made[cls] = no_rows(frame, cls, forms)
        for key in (key for key, form in forms.items() if form is ONE_LIST):
            field = FieldLists(cls, key)
            item = frame.inference.rows.get(field, NO_ITEMS)[""]
            made[field] = new_store(frame, item, f"{cls.__name__.lower()}_{key}", field)  # type: ignore[arg-type]
    return made
