"""A function of `emit` as a module of its own: standalone : Made -> text.

What is compiled stands there as it is; around it what a call needs, and the function that takes and gives the user's
structures: the same as the command line adds to a user's module, which gives all of it names of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autobatch.command.emit import Made, helpers, own_names
from autobatch.command.pieces import (
    bound_by,
    defined,
    import_lines,
    is_foreign,
    joined,
    renamed_tokens,
    segments,
)
from autobatch.command.texts import quoted
from autobatch.command.wrapper import Kernel, Words, wrapper
from codegen.emit.coalescing import candidates, function_names
from codegen.emit.module import packages_needed, sections, show, split_sections
from codegen.emit.spelling import TAKEN
from codegen.infer.values import keys_of

SHOWN = 64  # elements of a constant array that is written as numbers


def standalone(made: Made, *, target: str, doc: str) -> str:
    """The text of the module. Names are those of what is compiled; constant arrays of the user's stand at the end."""
    return Writer(made, target).text(doc)


class Writer:
    def __init__(self, made: Made, target: str):
        self.made, self.target = made, target
        if made.runs is None:
            self.texts = [show(made.program, target=target)]
            self.names = [function_names(made.program)[made.program.main]]
        else:
            self.texts = [module.text for module in made.runs.modules]
            self.names = [module.run for module in made.runs.modules]
        self.taken = {*TAKEN, *(a.name for a in made.arguments), made.name}
        for text in self.texts:
            self.taken.update((*defined(segments(text)), *map(bound_by, import_lines(text))))
        self.classes: dict[Any, str] = {}

    def fresh(self, base: str) -> str:
        name = next(c for c in candidates(base) if c not in self.taken)
        self.taken.add(name)
        return name

    def class_name(self, cls: Any) -> str:
        if cls not in self.classes:
            self.classes[cls] = self.fresh(cls.__name__)
        return self.classes[cls]

    def text(self, doc: str) -> str:
        self.parted()
        made, beside = self.made, helpers([self.made], self.target)
        words = [name for text in beside for name in defined(segments(text))]
        mapping = {name: self.fresh(name) for name in words if name in self.taken}
        self.taken.update(words)
        params = made.traced.program.entry.params
        hidden = params[len(params) - len(made.traced.hidden) :]
        arrays = [self.fresh(f"_{p.name}") for p in hidden]
        failures = self.fresh("_failures") if made.failings else None
        kernel = Kernel(
            tuple(self.names),
            made.traced,
            tuple(arrays),
            failures,
            rows=self.target == "numba",
            runs=made.runs,
            axes=made.axes,
            written=made.written,
        )
        seen = Words(lambda word: mapping.get(word, word), self.class_name, frozenset(self.taken))
        face = wrapper(made.name, made.doc, made.arguments, kernel, seen)
        said = [f"{failures} = (", *(f"    {quoted(m)}," for m in made.failings), ")"] if failures else []
        own = [
            "\n".join(said),
            "\n".join(record(cls, name) for cls, name in self.classes.items()),
            face,
        ]
        beside = [renamed_tokens(text, mapping) for text in beside]
        given = zip(arrays, made.traced.hidden, strict=True)
        return self.whole(doc, own, [*beside, "\n".join(f"{n} = {array_text(a)}" for n, a in given)])

    def parted(self) -> None:
        """What the second module calls as the first does, and is another thing, gets another name."""
        for k, text in enumerate(self.texts[1:], 1):
            known = set(defined(segments(self.texts[0])))
            renames = {name: self.fresh(f"{name}_again") for name in own_names(text) if name in known}
            self.texts[k] = renamed_tokens(text, renames)
            self.names[k] = renames.get(self.names[k], self.names[k])

    def whole(self, doc: str, own: Sequence[str], beside: Sequence[str]) -> str:
        texts = [*self.texts, *filter(None, own), *filter(None, beside)]
        lines = {line for text in texts for line in import_lines(text)} | {"import numpy as np"}
        if self.classes:
            lines.add("from collections import namedtuple")
        heads = ["\n".join(merged(each)) for each in parted_imports(lines) if each]
        heads[0] = packages_needed("\n".join(self.texts)) + heads[0]
        functions, called = split_sections(code_of(self.texts[0]))
        first = {piece.text for piece in segments(self.texts[0])}
        others = [split_sections(text) for text in self.texts[1:]]

        def new(texts: Iterable[str]) -> list[str]:
            return joined(p for text in texts for p in segments(text) if p.text not in first)

        code = sections(
            [functions, *new([*(f for f, _ in others), *filter(None, own)])],
            [called, *new([*(c for _, c in others), *filter(None, beside)])],
        )
        return "\n\n".join((f'"""{doc}"""', *heads)) + f"\n\n\n{code}"


def parted_imports(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """Python's own, and others."""
    listed = sorted(lines, key=lambda line: (line.startswith("from "), line))
    return [x for x in listed if not is_foreign(x)], [x for x in listed if is_foreign(x)]


def merged(lines: Iterable[str]) -> list[str]:
    """Imports from one module on one line."""
    found: dict[str, list[str]] = {}
    for line in lines:
        start, _, names = line.partition(" import ")
        found.setdefault(start if names else line, []).append(names)
    return [f"{start} import {', '.join(names)}" if names[0] else start for start, names in found.items()]


def code_of(text: str) -> str:
    """A module's text without its docstring and imports, the rest to the letter."""
    lines = text.splitlines()
    body = ast.parse(text).body
    start = next(n for n in body if not isinstance(n, ast.Import | ast.ImportFrom | ast.Expr))
    before = [n.end_lineno or 0 for n in body if n.lineno < start.lineno]
    return "\n".join(lines[max(before, default=0) :]).strip("\n")


def record(cls: Any, name: str) -> str:
    """A class with the fields of the user's."""
    fields = ", ".join(map(quoted, keys_of(cls) or ()))
    return f"{name} = namedtuple({quoted(cls.__name__)}, [{fields}])"


def array_text(array: Any) -> str:
    """An array as text that gives the same bits."""
    whole = np.ascontiguousarray(array)
    dtype = quoted(whole.dtype.str)
    if whole.size <= SHOWN and np.isfinite(whole).all():
        return f"np.array({whole.tolist()}, {dtype})"
    return f"np.frombuffer(bytes.fromhex({quoted(whole.tobytes().hex())}), {dtype}).reshape({whole.shape})"
