"""References are counted where there are any.

Numba takes apart all that a variable holds to find what memory it refers to: of an array the sizes and strides, of a
range its bounds, each time that one is bound, copied or left, as all are in the block of each error. It loads numbers
before it overwrites them, and zeroes them where they end. LLVM takes that away again, a fifth of a gradient's
instructions.
"""

from __future__ import annotations

from typing import Any

from numba.core.lowering import Lower
from numba.core.runtime.context import NRTContext

from codegen.backend.numba.analyses import Attribute


def refers(context: Any, kind: Any) -> bool:
    """Whether a value of a type, or a part of it, has memory that is counted."""
    kept = context.__dict__.setdefault("kinds_that_refer", {})
    if kind not in kept:
        kept[kind] = bool(context.data_model_manager[kind].contains_nrt_meminfo())
    found: bool = kept[kind]
    return found


def memory_of(self: Any, builder: Any, kind: Any, value: Any) -> list[tuple[Any, Any]]:
    """The memory that a value refers to, by the types of what does."""
    if not refers(self._context, kind):
        return []
    model = self._context.data_model_manager[kind]
    found = [(kind, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
    for part, read in model.traverse(builder):
        if refers(self._context, part):
            found += memory_of(self, builder, part, read(value))
    return found


delete_any: Any = Lower.delvar
store_any: Any = Lower.storevar


def delete_variable(self: Any, name: str) -> None:
    kind = self.typeof(name)
    if refers(self.context, kind):
        delete_any(self, name)
        return
    if name not in self._blk_local_varmap:
        self._singly_assigned_vars.discard(name)
    self._alloca_var(name, kind)


def store_variable(self: Any, value: Any, name: str, argidx: int | None = None) -> None:
    kind = self.typeof(name)
    self._alloca_var(name, kind)
    where = None if name in self._singly_assigned_vars else self.getvar(name)
    if argidx is not None or where is None or refers(self.context, kind) or value.type != where.type.pointee:
        store_any(self, value, name, argidx)
    else:
        self.builder.store(value, where)


REFERENCES_COUNTED: list[Attribute] = [
    (NRTContext, "get_meminfos", memory_of),
    (Lower, "delvar", delete_variable),
    (Lower, "storevar", store_variable),
]
