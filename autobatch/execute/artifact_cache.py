"""What was made of a program, kept on disk for later processes: Kept(program, ...)("groups", make) -> what make() gave.

A later process that traces the same program finds the text of its machine and all that is known of it, and runs none of
the passes in between. The same program is one of the same structure, types, constants and places in the user's source,
for the same arguments, versions of Python and NumPy, and files of this project. What was found is kept beside the
compiled modules; where nothing can be kept there, it is made anew.

    kept_trace(name, known, make)          the program that make() traces, where `known` tells it from others
"""

from __future__ import annotations

import hashlib
import io
import pickle
import platform
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from codegen.activity import doing
from codegen.backend.collector import rare_collections
from codegen.backend.disk_cache import found, remembered
from codegen.infer.trace import Traced
from codegen.ir import Program, Var
from codegen.ir.primitive import Primitive
from codegen.primitives.row import ROWS
from codegen.source import Source

T = TypeVar("T")

PACKAGES = ("codegen", "autodiff", "autobatch")
PLAIN = (str, bytes, bool, int, float, complex, np.generic, type(None), type(Ellipsis))


class Artifacts:
    """The things made of one program for one `use` of it, by name."""

    def __init__(self, program: Program, *use: Any):
        try:
            self.digest: str | None = digest_of((program, use))
        except TypeError:  # it has a part that no other process can tell from others
            self.digest = None
        self.name = program.main

    def has(self, what: str) -> bool:
        """Whether an earlier process kept this."""
        return self.digest is not None and found(self.file(what)) is not None

    def file(self, what: str) -> str:
        return f"{self.name[:40]}_{self.digest}.{what}"

    def __call__(self, what: str, make: Callable[[], T]) -> T:
        def made() -> T:
            with rare_collections(), doing(f"transforming {self.name}"):
                return make()

        return make() if self.digest is None else remembered(self.file(what), made)


def kept_trace(name: str, known: Any, make: Callable[[], Traced]) -> Traced:
    """The program that `make` traces of a function; `known` has all that it hangs on, if that is known."""
    if known is None:
        return make()
    try:
        file = f"{name[:40]}_{digest_of(known)}.traced"
    except TypeError:
        return make()
    return remembered(file, make, packed)


def packed(traced: Traced) -> bytes | None:
    """As another process can use it; None where it has a part that is of this process, as arrays around it are."""
    if traced.hidden:
        return None
    kept = io.BytesIO()
    pickler = pickle.Pickler(kept)
    pickler.dispatch_table = REDUCED
    try:
        pickler.dump(replace(traced, seconds={}))
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return None
    return kept.getvalue()


def row_named(name: str) -> Primitive:
    return ROWS[name]


def read_only(items: dict[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(items)


# Primitives are found by their names again.
REDUCED: dict[type, Callable[[Any], Any]] = {
    Primitive: lambda row: (row_named, (row.name,)),
    MappingProxyType: lambda items: (read_only, (dict(items),)),
}


def digest_of(value: Any) -> str:
    """Of a program, or of what has programs in it. TypeError for an unknown part."""
    words = [*source_versions()]
    spell(value, words, {})
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:24]


@cache
def source_versions() -> tuple[str, ...]:
    """Of Python, NumPy and the files of this project: what is in them, since times and sizes may be those of others."""
    top, total = Path(__file__).parents[2], hashlib.sha256()
    for path in sorted(path for package in PACKAGES for path in (top / package).rglob("*.py")):
        content = path.read_bytes()
        total.update(f"{path.relative_to(top)}:{len(content)}:".encode() + content)
    return platform.python_version(), np.__version__, total.hexdigest()


def spell(value: Any, words: list[str], seen: dict[Any, int]) -> None:
    """A value's structure as words: variables and sources are told apart by when they are first met."""
    if isinstance(value, PLAIN):
        words.append(f"{type(value).__name__} {value!r}")
        return
    if isinstance(value, Primitive):
        words.append(value.name)
        return
    if isinstance(value, (Var, Source)):
        if value in seen:
            words.append(f"#{seen[value]}")
            return
        seen[value] = len(seen)
    parts = structure_parts(value)
    words.append(f"{type(value).__name__} {len(parts)}")
    for part in parts:
        spell(part, words, seen)


def structure_parts(value: Any) -> list[Any]:
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, (np.dtype, slice)):
        return [repr(value)]
    if isinstance(value, type) and issubclass(value, (BaseException, tuple, list, dict)):
        return [value.__module__, value.__qualname__]
    raise TypeError(f"{type(value).__name__} has no structure that is known")
