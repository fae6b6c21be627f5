"""Arrays of four megabytes and more are asked for in large pages, as NumPy asks for its own.

The system clears memory page by page when it is first written, in pages of 4 kilobytes for most of the time that it
takes to fill a new array: of 80 megabytes four times as long as in large ones. What is smaller, and given up again, is
kept (kept_memory.py).
"""

from __future__ import annotations

import mmap
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.runtime.context import NRTContext

from codegen.backend.numba.analyses import Attribute

LARGE = 2**22  # bytes
NOT_CAPTURED = "captures(none)" if "captures(none)" in ir.values.ArgumentAttributes._known else "nocapture"
ASKING = "ask_for_large_pages"

allocated_by_numba: Any = NRTContext.meminfo_alloc_aligned


def allocated(self: Any, builder: Any, size: Any, align: Any) -> Any:
    memory = allocated_by_numba(self, builder, size, align)
    is_large = builder.icmp_signed(">=", size, size.type(LARGE))
    with builder.if_then(is_large, likely=False):
        builder.call(asking_function(builder.module), [memory, size])
    return memory


def asking_function(module: Any) -> Any:
    """madvise(from the first page that is within, to its end, MADV_HUGEPAGE), which touches nothing that is seen."""
    if ASKING in module.globals:
        return module.globals[ASKING]
    kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, cgutils.intp_t])
    function: Any = ir.Function(module, kind, ASKING)
    function.linkage = "linkonce_odr"
    for each in ("noinline", "nounwind", "inaccessiblememonly"):
        function.attributes.add(each)
    function.args[0].add_attribute(NOT_CAPTURED)
    builder: Any = ir.IRBuilder(function.append_basic_block())
    memory, size = function.args
    place = builder.ptrtoint(memory, size.type)
    whole = size.type(-mmap.PAGESIZE)
    first = builder.and_(builder.add(place, size.type(mmap.PAGESIZE - 1)), whole)
    length = builder.sub(builder.add(place, size), first)
    advise = cgutils.get_or_insert_function(
        module, ir.FunctionType(cgutils.int32_t, [size.type, size.type, cgutils.int32_t]), "madvise"
    )
    builder.call(advise, [first, length, cgutils.int32_t(mmap.MADV_HUGEPAGE)])
    builder.ret_void()
    return function


LARGE_PAGES: list[Attribute] = (
    [(NRTContext, "meminfo_alloc_aligned", allocated)] if hasattr(mmap, "MADV_HUGEPAGE") else []
)
