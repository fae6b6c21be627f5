"""Whether the compiler made vectors of what was meant for them: in_vectors : compiled module, names -> bool.

Whether LLVM turns a loop over lanes into vector instructions hangs on details that change with its version and with the
processor. So its output is looked at: in each of the named functions most arithmetic must be on vectors. What was found
is kept, for later processes on such a processor, which take the machine code from Numba's cache and never see LLVM's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from types import ModuleType

from codegen.backend.disk_cache import found, hashed_name, put
from codegen.lazy import lazily

binding = lazily("llvmlite.binding")
machine_code = lazily("codegen.backend.machine_code")

FLOAT = re.compile(
    r" f(?:add|sub|mul|div) (?:\w+ )*(<\d+ x )?(?:double|float)\b"
    r"| call (?:\w+ )*(<\d+ x )?(?:double|float)>? @llvm\.fmuladd"
)
WHOLE = re.compile(r" (?:add|sub|mul|and|or|xor|shl|ashr|lshr) (?:\w+ )*(<\d+ x )?i64\b")
WIDTH = re.compile(r"<(\d+) x (?:double|float|i64)>")
BLOCK = re.compile(r"^(?=[\w.$\"]+:)", re.M)  # where one begins, in LLVM's text


def compile_if_unknown(module: ModuleType) -> None:
    """Where nothing was found out of a module yet, or that was lost, it is compiled, whatever machine code is kept."""
    if found(vector_note(module)) is None:
        machine_code.compile_anew(list(vars(module).values()))


def are_vectorised(module: ModuleType, names: Sequence[str]) -> bool:
    """Whether most arithmetic of each of these compiled functions is on vectors."""
    functions = [getattr(module, name) for name in names]
    if all(f.overloads for f in functions):
        is_so = all(mostly_vectors(text) for f in functions for text in f.inspect_llvm().values())
        put(vector_note(module), b"yes" if is_so else b"no")
        return is_so
    return found(vector_note(module)) != b"no"


def vector_note(module: ModuleType) -> str:
    return f"{hashed_name(module.__name__.rpartition('.')[2], host(), *machine_code.compiler_versions())}.vectors"


@cache
def host() -> str:
    """The processor: other ones have other vectors."""
    return f"{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"


def mostly_vectors(text: str) -> bool:
    """Whether most floating-point operations of LLVM's text are on vectors; of integers, where it has no others."""
    blocks = BLOCK.split(text)
    for kind in (FLOAT, WHOLE):
        found = [vector_operations(block, kind) for block in blocks]
        vectors, others = (sum(counts) for counts in zip(*found, strict=True))
        if vectors or others:
            return vectors > others
    return True


def vector_operations(block: str, kind: re.Pattern[str]) -> tuple[int, float]:
    """How many operations of a block are on vectors, and how many are not.

    What is done for one lane of a vector after the other, as loads under masks are where the processor has none, is a
    part of an operation each: it is beside operations on vectors, or in a block of its own, which LLVM calls so.
    """
    on_vectors = [any(found.groups()) for found in kind.finditer(block)]
    vectors, others = sum(on_vectors), len(on_vectors) - sum(on_vectors)
    in_parts = vectors > 0 or block.startswith("pred.")
    return vectors, others / max((int(n) for n in WIDTH.findall(block)), default=1) if in_parts else others
