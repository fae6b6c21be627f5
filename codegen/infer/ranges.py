"""Whether a number is one of a range's: `n in range(start, stop, step)`."""

from __future__ import annotations

from typing import Any

from codegen.infer.values import Range
from codegen.ir import Lit
from codegen.ir.build import Builder


def is_in_range(b: Builder, number: Any, numbers: Range) -> Any:
    start, stop, step = (b.wrap(atom) for atom in (numbers.start, numbers.stop, numbers.step))
    rises = b.apply("and", b.apply("ge", number, start), b.apply("lt", number, stop))
    falls = b.apply("and", b.apply("le", number, start), b.apply("gt", number, stop))
    if isinstance(numbers.step, Lit):
        within = rises if numbers.step.value > 0 else falls
    else:
        within = b.apply("select", b.apply("gt", step, 0), rises, falls)
    return b.apply("and", within, b.apply("eq", b.apply("mod", b.apply("sub", number, start), step), 0))
