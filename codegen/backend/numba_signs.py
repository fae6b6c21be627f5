"""What LLVM is told of signs: sizes of arrays are not negative, indices of loops do not wrap.

    result[n + i] = y[i]      with n = len(x), i in range(m)

Numba adds the array's length to a negative place. Where LLVM does not know that n + i is none it has to look at each
place, and makes no vectors of the loop. Of an index that begins at 0 or more, and does not wrap, it knows.

`signs_told : context class -> what stands in for its methods`
"""

from __future__ import annotations

from functools import partial
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from codegen.backend.numba_analyses import Attribute


def signs_told(kind: type[Any]) -> list[Attribute]:
    """For `len(x)` and `x.shape` of arrays, and loops over `range(...)`."""
    function, attribute = kind.get_function, kind.get_getattr

    def get_function(self: Any, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        found = function(self, fn, sig, _firstcall)
        if fn == "iternext" and is_signed_range(sig.args[0]):
            return without_wrapping(found)
        is_length = getattr(fn, "typing_key", fn) is len and isinstance(sig.args[0], types.Array)
        return told_sizes(found) if is_length else found

    def get_getattr(self: Any, typ: Any, attr: str) -> Any:
        found = attribute(self, typ, attr)
        return told_sizes(found) if attr == "shape" and isinstance(typ, types.Array) else found

    return [(kind, "get_function", get_function), (kind, "get_getattr", get_getattr)]


def is_signed_range(kind: Any) -> bool:
    return isinstance(kind, types.RangeIteratorType) and kind.yield_type in types.signed_domain


def without_wrapping(find: Any) -> Any:
    """What writes the instructions for the next index: a sum that does not wrap, as no index is beyond the range's end,
    and the one after the last is not looked at."""

    def write(builder: Any, *given: Any, **options: Any) -> Any:
        builder.add = partial(type(builder).add, builder, flags=("nsw",))
        try:
            return find(builder, *given, **options)
        finally:
            del builder.add

    return write


def told_sizes(find: Any) -> Any:
    """What writes the instructions for a size or a tuple of sizes, and that they are 0 or more."""

    def write(*given: Any) -> Any:
        builder = next(each for each in given if isinstance(each, ir.IRBuilder))
        found = find(*given)
        several = isinstance(found.type, ir.ArrayType)
        sizes = cgutils.unpack_tuple(builder, found) if several else [found]
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(1)])
        assume = cgutils.get_or_insert_function(builder.module, kind, "llvm.assume")
        for size in sizes:
            builder.call(assume, [builder.icmp_signed(">=", size, size.type(0))])
        return found

    return write
