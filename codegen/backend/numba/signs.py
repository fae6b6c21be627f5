"""What LLVM is told of signs: sizes of arrays are not negative, indices of loops do not wrap.

    result[n + i] = y[i]      with n = len(x), i in range(m)

Numba adds the array's length to a negative place. Where LLVM does not know that n + i is none it has to look at each
place, and makes no vectors of the loop. Of an index that begins at 0 or more, and does not wrap (ranges.py), it knows.

`signs_told : context class -> what stands in for its methods`
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from codegen.backend.numba.analyses import Attribute
from codegen.backend.numba.elements import element_instructions
from codegen.backend.numba.ranges import assume, range_instructions


def signs_told(kind: type[Any]) -> list[Attribute]:
    """For `len(x)` and `x.shape` of arrays, and loops over `range(...)`."""
    function, attribute = kind.get_function, kind.get_getattr

    def get_function(self: Any, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        found = range_instructions(function(self, fn, sig, _firstcall), fn, sig)
        found = element_instructions(found, self, fn, sig)
        is_length = getattr(fn, "typing_key", fn) is len and isinstance(sig.args[0], types.Array)
        return told_sizes(found) if is_length else found

    def get_getattr(self: Any, typ: Any, attr: str) -> Any:
        found = attribute(self, typ, attr)
        return told_sizes(found) if attr == "shape" and isinstance(typ, types.Array) else found

    return [(kind, "get_function", get_function), (kind, "get_getattr", get_getattr)]


def told_sizes(find: Any) -> Any:
    """What writes the instructions for a size or a tuple of sizes, and that they are 0 or more."""

    def write(*given: Any) -> Any:
        builder = next(each for each in given if isinstance(each, ir.IRBuilder))
        found = find(*given)
        several = isinstance(found.type, ir.ArrayType)
        sizes = cgutils.unpack_tuple(builder, found) if several else [found]
        for size in sizes:
            assume(builder, builder.icmp_signed(">=", size, size.type(0)))
        return found

    return write
