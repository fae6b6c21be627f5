"""A function over lanes as a module of its own: standalone : Made -> text.

    def f_batch(x, n):              # arrays as the batched function takes them
        x = _given("x", x, "f8", None, 3)
        ...

What is compiled stands there as it is; around it what a call needs, and the function that takes and gives the user's
structures: the same as the command line adds to a user's module, which gives all of it names of its own.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autobatch.command.emit import messages_text, own_definitions
from autobatch.command.helpers import helpers
from autobatch.command.pieces import (
    bound_by,
    defined,
    import_lines,
    is_foreign,
    merge_pieces,
    segments,
)
from autobatch.command.texts import Argument
from autobatch.command.wrapper import Made, Words, wrapper
from codegen.emit.coalescing import claim, function_names
from codegen.emit.module import packages_needed, sections, show, split_sections
from codegen.emit.renaming import renamed_tokens
from codegen.emit.spelling import TAKEN
from codegen.emit.structures import quote
from codegen.infer.values import keys_of
from codegen.ir import Lit

SHOWN = 64  # elements of a constant array that is written as numbers


def wrapper_arguments(
    function: Callable[..., Any], entries: Sequence[Any], keywords: Sequence[str]
) -> list[Argument]:
    """What a batched function is given, one lane's entries: those by name last; no constants."""
    count = len(entries) - len(keywords)
    kinds = {"POSITIONAL_ONLY": "positional", "KEYWORD_ONLY": "keyword"}
    try:
        listed = [p for p in inspect.signature(function).parameters.values() if "VAR" not in p.kind.name]
    except (TypeError, ValueError):
        listed = []
    named = [(p.name, kinds.get(p.kind.name, "plain")) for p in listed[:count]]
    named += [(f"argument{k}", "plain") for k in range(len(named), count)]
    named += [(name, "keyword") for name in keywords]
    given = zip(named, entries, strict=True)
    return [Argument(name, kind, entry) for (name, kind), entry in given if not isinstance(entry, Lit)]


def standalone(made: Made) -> str:
    """The text of the module. Names are those of what is compiled; constant arrays of the user's stand at the end."""
    return ModuleWriter(made).text()


class ModuleWriter:
    def __init__(self, made: Made):
        self.made = made
        if made.runs is None:
            self.texts = [show(made.program, target=made.target)]
            self.names = [[function_names(made.program)[made.program.main]]]
        else:
            self.texts = [module.text for module in made.runs.modules]
            self.names = [list(module.functions) for module in made.runs.modules]
        self.taken = {*TAKEN, *(a.name for a in made.arguments), made.name}
        for text in self.texts:
            self.taken.update((*defined(segments(text)), *map(bound_by, import_lines(text))))
        self.classes: dict[Any, str] = {}

    def class_name(self, cls: Any) -> str:
        if cls not in self.classes:
            self.classes[cls] = claim(cls.__name__, self.taken)
        return self.classes[cls]

    def text(self) -> str:
        self.set_apart()
        made, beside = self.made, helpers([self.made])
        words = [name for text in beside for name in defined(segments(text))]
        mapping = {name: claim(name, self.taken) for name in words if name in self.taken}
        self.taken.update(words)
        params = made.traced.program.entry.params
        hidden = params[len(params) - len(made.traced.hidden) :]
        arrays = [claim(f"_{p.name}", self.taken) for p in hidden]
        failures = claim("_failures", self.taken) if made.failings else ""
        seen = Words(
            tuple(name for names in self.names for name in names),
            tuple(arrays),
            failures,
            of=lambda word: mapping.get(word, word),
            class_name=self.class_name,
            avoid=frozenset(self.taken),
        )
        face = wrapper(made, seen)
        records = [named_tuple_text(cls, name) for cls, name in self.classes.items()]
        own = ["\n".join(messages_text(failures, made.failings)), "\n".join(records), face]
        beside = [renamed_tokens(text, mapping) for text in beside]
        given = zip(arrays, made.traced.around, strict=True)
        return self.whole(own, [*beside, "\n".join(f"{n} = {array_text(a)}" for n, a in given)])

    def set_apart(self) -> None:
        """What the second module calls as the first does, and is another thing, gets another name."""
        for k, text in enumerate(self.texts[1:], 1):
            known = set(defined(segments(self.texts[0])))
            names = [name for name in own_definitions(text) if name in known]
            renames = {name: claim(f"{name}_again", self.taken) for name in names}
            self.texts[k] = renamed_tokens(text, renames)
            self.names[k] = [renames.get(name, name) for name in self.names[k]]

    def whole(self, own: Iterable[str], beside: Iterable[str]) -> str:
        own, beside = list(filter(None, own)), list(filter(None, beside))
        lines = {line for text in (*self.texts, *own, *beside) for line in import_lines(text)}
        lines.add("import numpy as np")
        if self.classes:
            lines.add("from collections import namedtuple")
        listed = sorted(lines, key=lambda line: (line.startswith("from "), line))
        parted = ([x for x in listed if is_foreign(x) is foreign] for foreign in (False, True))
        heads = ["\n".join(merge_imports(each)) for each in parted if each]
        heads[0] = packages_needed("\n".join(self.texts)) + heads[0]
        functions, called = split_sections(code_of(self.texts[0]))
        first = {piece.text for piece in segments(self.texts[0])}
        others = [split_sections(text) for text in self.texts[1:]]

        def new(texts: Iterable[str]) -> list[str]:
            return merge_pieces(p for text in texts for p in segments(text) if p.text not in first)

        code = sections(
            [functions, *new([*(f for f, _ in others), *own])],
            [called, *new([*(c for _, c in others), *beside])],
        )
        return "\n\n".join((f'"""{self.made.doc}"""', *heads)) + f"\n\n\n{code}"


def merge_imports(lines: Iterable[str]) -> list[str]:
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


def named_tuple_text(cls: Any, name: str) -> str:
    """A class with the fields of the user's."""
    fields = ", ".join(map(quote, keys_of(cls) or ()))
    return f"{name} = namedtuple({quote(cls.__name__)}, [{fields}])"


def array_text(array: Any) -> str:
    """An array as text that gives the same bits; of a number, it as well."""
    if not array.ndim:
        return f"{array_text(array.reshape(1))}[0]"
    whole = np.ascontiguousarray(array)
    dtype = quote(whole.dtype.str)
    if whole.size <= SHOWN and np.isfinite(whole).all():
        return f"np.array({whole.tolist()}, {dtype})"
    return f"np.frombuffer(bytes.fromhex({quote(whole.tobytes().hex())}), {dtype}).reshape({whole.shape})"
