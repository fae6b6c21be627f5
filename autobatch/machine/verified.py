"""Whether the compiler made vectors of what was meant for them: in_vectors : compiled module, names -> bool.

Whether LLVM turns a loop over lanes into vector instructions hangs on details that change with its version and with the
processor. So its output is looked at: in each of the named functions most arithmetic must be on vectors. What was found
is kept beside the module, for later processes, which take the machine code from Numba's cache and never see LLVM's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType

FLOAT = re.compile(
    r" f(?:add|sub|mul|div) (?:\w+ )*(<\d+ x )?(?:double|float)\b"
    r"| call (?:\w+ )*(<\d+ x )?(?:double|float)>? @llvm\.fmuladd"
)
WHOLE = re.compile(r" (?:add|sub|mul|and|or|xor|shl|ashr|lshr) (?:\w+ )*(<\d+ x )?i64\b")


def in_vectors(module: ModuleType, names: Sequence[str]) -> bool:
    """Whether most arithmetic of each of these compiled functions is on vectors."""
    assert module.__file__ is not None
    note = Path(module.__file__).with_suffix(".vectors")
    functions = [getattr(module, name) for name in names]
    if all(f.overloads for f in functions):
        found = all(mostly_vectors(text) for f in functions for text in f.inspect_llvm().values())
        with suppress(OSError):  # it will be looked at again
            note.write_text("yes" if found else "no", encoding="utf-8")
        return found
    return not note.is_file() or note.read_text(encoding="utf-8") == "yes"


def mostly_vectors(text: str) -> bool:
    """Whether most floating-point operations of LLVM's text are on vectors; of integers, where it has no others."""
    for kind in (FLOAT, WHOLE):
        vectors = [any(found.groups()) for found in kind.finditer(text)]
        if vectors:
            return 2 * sum(vectors) > len(vectors)
    return True
