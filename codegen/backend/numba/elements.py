"""Elements of arrays, in a third of Numba's instructions: element_instructions : what Numba has -> ours.

    x[i, j] += y[k]      of each array its sizes and its first element, and where the place is counted from

Numba copies the structure of the array into memory that it has zeroed twice, reads sizes and strides there, once to see
whether an index counts from the end and once for the place, and packs and unpacks indices. LLVM takes all of that away
again. Here sizes are taken of the structure as a value, the place is the same sum of products, and only an index that
may be negative is looked at (lower_bounds.py).

ELEMENTS_WRITTEN: the same for what else is copied into memory to be taken apart: that is overwritten, and not zeroed
before.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.core import cgutils, types
from numba.core import ir as numba_ir
from numba.core.lowering import Lower
from numba.np import arrayobj

from codegen.backend.numba.analyses import Attribute
from codegen.backend.numba.lower_bounds import LowerBounds

FIELDS = ("meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides")  # of Numba's arrays
DATA, SHAPE, STRIDES = (FIELDS.index(each) for each in ("data", "shape", "strides"))


def element_instructions(find: Any, context: Any, fn: Any, sig: Any) -> Any:
    """What writes the instructions of `x[i, j]`, or of `x[i, j] = v`, for an index of each axis; else `find`."""
    what = getattr(fn, "typing_key", fn)
    if what not in (operator.getitem, operator.setitem) or not is_of_all_axes(*sig.args[:2]):
        return find

    def read(builder: Any, args: Any, *_: Any) -> Any:
        return arrayobj.load_item(context, builder, sig.args[0], address_of(context, builder, sig, args))

    def write(builder: Any, args: Any, *_: Any) -> None:
        array, _, kind = sig.args
        place = address_of(context, builder, sig, args)
        value = context.cast(builder, args[2], kind, array.dtype)
        arrayobj.store_item(context, builder, array, value, place)

    return read if what is operator.getitem else write


def is_of_all_axes(array: Any, index: Any) -> bool:
    kinds = index_types(index)
    return (
        type(array) is types.Array
        and isinstance(array.dtype, types.Number | types.Boolean)
        and len(kinds) == array.ndim
        and all(isinstance(kind, types.Integer) for kind in kinds)
    )


def index_types(index: Any) -> tuple[Any, ...]:
    kinds: Any = index
    return tuple(kinds) if isinstance(index, types.BaseTuple) else (index,)


def address_of(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """The address of an element; negative indices count from the end."""
    array, index = sig.args[:2]
    shape, strides = (
        cgutils.unpack_tuple(builder, builder.extract_value(args[0], k), array.ndim) for k in (SHAPE, STRIDES)
    )
    given = cgutils.unpack_tuple(builder, args[1]) if isinstance(index, types.BaseTuple) else [args[1]]
    kinds = index_types(index)
    places = [
        each
        if is_known and kind.bitwidth == 64
        else arrayobj.fix_integer_index(context, builder, kind, each, n)
        for kind, each, n, is_known in zip(
            kinds, given, shape, known_places(builder, len(kinds)), strict=True
        )
    ]
    data = builder.extract_value(args[0], DATA)
    return cgutils.get_item_pointer2(context, builder, data, shape, strides, array.layout, places)


KNOWN = "places_not_negative"  # an attribute of the builder, while it writes a statement

lower_any_statement: Any = Lower.lower_inst


def lower_statement(self: Any, statement: Any) -> None:
    """Numba's writing of a statement, which notes which ints of its index are never negative."""
    if (index := index_of(statement)) is not None:
        if not hasattr(self, "lower_bounds"):
            self.lower_bounds = LowerBounds(self.blocks, self.fndesc.typemap)
        setattr(self.builder, KNOWN, self.lower_bounds.places(index))
    lower_any_statement(self, statement)
    if index is not None:
        setattr(self.builder, KNOWN, ())


def index_of(statement: Any) -> Any:
    """The variable of the index by which a statement reads or writes an element; None where it does neither."""
    if isinstance(statement, numba_ir.SetItem):
        return statement.index
    if isinstance(statement, numba_ir.StaticSetItem):
        return statement.index_var
    value = statement.value if isinstance(statement, numba_ir.Assign) else None
    if isinstance(value, numba_ir.Expr) and value.op in ("getitem", "static_getitem"):
        return value.index if value.op == "getitem" else value.index_var
    return None


def known_places(builder: Any, count: int) -> tuple[bool, ...]:
    found = getattr(builder, KNOWN, ())
    return found if len(found) == count else (False,) * count


structure_of_numbas: Any = cgutils._StructProxy.__init__


def overwritten_structure(self: Any, context: Any, builder: Any, value: Any = None, ref: Any = None) -> None:
    if value is not None and ref is None:
        with builder.goto_entry_block():
            ref = builder.alloca(value.type)
    structure_of_numbas(self, context, builder, value, ref)


ELEMENTS_WRITTEN: list[Attribute] = [
    (Lower, "lower_inst", lower_statement),
    (cgutils._StructProxy, "__init__", overwritten_structure),
]
