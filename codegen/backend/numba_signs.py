"""What LLVM is told of signs: sizes of arrays are not negative, indices of loops do not wrap.

    result[n + i] = y[i]      with n = len(x), i in range(m)

Numba adds the array's length to a negative place. Where LLVM does not know that n + i is none it has to look at each
place, and makes no vectors of the loop. Of an index that begins at 0 or more, and does not wrap, it knows. Of one that
goes down it is told that it is above the range's end, but in innermost loops with checks: LLVM would no longer take
these out of the loop.

`signs_told : context class -> what stands in for its methods`
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.lowering import Lower

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

    return [
        (kind, "get_function", get_function),
        (kind, "get_getattr", get_getattr),
        (Lower, "lower_block", lower_block),
    ]


lower_any_block: Any = Lower.lower_block
TOLD = "tells_of_descent"  # an attribute of the builder, while it writes the header of a loop


def lower_block(self: Any, block: Any) -> None:
    """Numba's writing of a block, which notes whether it is the header of a loop where descending indices are told."""
    if not hasattr(self, "told_headers"):
        loops = compute_cfg_from_blocks(self.blocks).loops()
        checked = {h for h, loop in loops.items() if len(loop.exits) > 1}
        outer = {h for h, loop in loops.items() if any(other in loop.body for other in loops if other != h)}
        self.told_headers = {id(self.blocks[h]) for h in loops if h in outer or h not in checked}
    setattr(self.builder, TOLD, id(block) in self.told_headers)
    lower_any_block(self, block)


def is_signed_range(kind: Any) -> bool:
    return isinstance(kind, types.RangeIteratorType) and kind.yield_type in types.signed_domain


def without_wrapping(find: Any) -> Any:
    """What writes the instructions for the next index: a sum that does not wrap, as no index is beyond the range's end,
    and the one after the last is not looked at."""

    def write(builder: Any, args: Any, *given: Any, **options: Any) -> Any:
        stop, step = (builder.extract_value(args[0], FIELDS.index(each)) for each in ("stop", "step"))

        def add(index: Any, by: Any, name: str = "") -> Any:
            if getattr(builder, TOLD, False):
                up = builder.icmp_signed(">", step, step.type(0))
                assume(builder, builder.or_(up, builder.icmp_signed(">", index, stop)))
            return type(builder).add(builder, index, by, name, flags=("nsw",))

        builder.add = add
        try:
            return find(builder, args, *given, **options)
        finally:
            del builder.add

    return write


FIELDS = ("iter", "stop", "step", "count")  # of Numba's range iterator


def assume(builder: Any, told: Any) -> None:
    """Tell LLVM that something holds."""
    kind = ir.FunctionType(ir.VoidType(), [ir.IntType(1)])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.assume"), [told])


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
