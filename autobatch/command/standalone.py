"""A function over lanes as a module of its own: standalone : Made -> text.

    def f_batch(x, n):              # arrays as the batched function takes them
        x = _given("x", x, "f8", None, 3)
        ...

What is compiled stands there as it is; around it what a call needs, and the function that takes and gives the user's
structures: the same as the command line adds to a user's module, which gives all of it names of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from autobatch.command.emit import different, messages_text, own_definitions
from autobatch.command.helpers import helpers
from autobatch.command.pieces import (
    bound_by,
    defined,
    import_lines,
    is_foreign,
    merge_pieces,
    pieces_in,
    segments,
)
from autobatch.command.texts import Argument
from autobatch.command.wrapper import Made, Words, wrapper
from codegen.emit.coalescing import claim, function_names
from codegen.emit.module import EmittedModule, emitted, joined_texts, packages_needed
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
            self.written = [emitted(made.program, made.target)]
            self.names = [[function_names(made.program)[made.program.main]]]
        else:
            self.written = [each.written for each in made.runs.modules]
            self.names = [list(each.functions) for each in made.runs.modules]
        self.taken = {*TAKEN, *(a.name for a in made.arguments), made.name}
        for each in self.written:
            self.taken.update((*defined(pieces_in(each)), *map(bound_by, import_lines(each.head))))
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
        for k, text in enumerate(self.written[1:], 1):
            names = [
                *different(pieces_in(self.written[0]), pieces_in(text), own_definitions(pieces_in(text)))
            ]
            renames = {name: claim(f"{name}_again", self.taken) for name in names}
            self.written[k] = text.changed(partial(renamed_tokens, mapping=renames))
            self.names[k] = [renames.get(name, name) for name in self.names[k]]

    def whole(self, own: Iterable[str], beside: Iterable[str]) -> str:
        own, beside = list(filter(None, own)), list(filter(None, beside))
        heads_and_texts = (*(each.head for each in self.written), *own, *beside)
        lines = {line for text in heads_and_texts for line in import_lines(text)}
        lines.add("import numpy as np")
        if self.classes:
            lines.add("from collections import namedtuple")
        listed = sorted(lines, key=lambda line: (line.startswith("from "), line))
        parted = ([x for x in listed if is_foreign(x) is foreign] for foreign in (False, True))
        heads = ["\n".join(merge_imports(each)) for each in parted if each]
        heads[0] = packages_needed("\n".join(each.text for each in self.written)) + heads[0]
        main, *others = self.written
        first = {piece.text for piece in pieces_in(main)}

        def new(texts: Iterable[str]) -> list[str]:
            return merge_pieces(p for text in texts for p in segments(text) if p.text not in first)

        whole = EmittedModule(
            "\n\n".join((f'"""{self.made.doc}"""', *heads)) + "\n\n\n",
            joined_texts([main.own, *new([*(each.own for each in others), *own])]),
            joined_texts([main.called, *new([*(each.called for each in others), *beside])]),
        )
        return whole.text


def merge_imports(lines: Iterable[str]) -> list[str]:
    """Imports from one module on one line."""
    found: dict[str, list[str]] = {}
    for line in lines:
        start, _, names = line.partition(" import ")
        found.setdefault(start if names else line, []).append(names)
    return [f"{start} import {', '.join(names)}" if names[0] else start for start, names in found.items()]


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
