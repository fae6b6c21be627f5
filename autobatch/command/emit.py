"""Programs to the text that joins a user's module: append_functions : (its names, what was made of it) -> text.

The module's own text stays as it is. What is added is named so that nothing in the module is in its way, and
it in nothing's: functions under the wrappers begin with an underscore, and a name that the module uses for
something else (a function `draw_random`, `np = 3`, a `range` of the user's) is another one in the added text.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from autobatch.command.helpers import helpers, words_in
from autobatch.command.names import FileNames
from autobatch.command.pieces import (
    Piece,
    bound_by,
    defined,
    import_lines,
    is_foreign,
    merge_pieces,
    path_of,
    pieces_in,
    segments,
    with_name,
)
from autobatch.command.wrapper import Made, Words, wrapper
from codegen import runtime
from codegen.emit.argument_stores import stored
from codegen.emit.coalescing import claim, identifier
from codegen.emit.module import CALLED, EmittedModule, emitted, packages_needed
from codegen.emit.raising import own_classes
from codegen.emit.renaming import free_tokens, renamed_tokens
from codegen.emit.spelling import TAKEN
from codegen.emit.structures import quote
from codegen.ir import Program
from codegen.ir.traversal import renamed_functions
from codegen.read.bindings import STAR, Imported
from codegen.read.module import append_text

BUILTINS = frozenset(dir(builtins)) - frozenset(keyword.kwlist)


def append_functions(names: FileNames, made: Sequence[Made]) -> str:
    """The text of the module with these functions added, all for one target."""
    return Emission(names).text(made)


class Emission:
    def __init__(self, names: FileNames):
        self.names, self.module = names, names.module
        self.globals = {*self.module.bindings, *TAKEN}
        self.written = set(re.findall(r"[^\W\d]\w*", self.module.module.code))
        self.taken = self.written | TAKEN

    def text(self, made: Sequence[Made]) -> str:
        self.taken.update(each.name for each in made)
        kernels = [self.kernel(each) for each in made]
        beside, written = helpers(made), [text for _, texts in kernels for text in texts]
        pieces = [piece for text in beside for piece in segments(text)]
        pieces += [piece for text in written for piece in pieces_in(text)]
        self.taken.update(word for piece in pieces for word in re.findall(r"[^\W\d]\w*", piece.text))
        heads = [*beside, *(text.head for text in written)]
        imports = dict.fromkeys(line for text in heads for line in import_lines(text))
        mapping, lines = self.renamings(pieces, imports)
        functions = merge_pieces(piece for text in written for piece in segments(text.own))
        called = [text for text in merge_pieces(pieces) if text not in functions]
        functions, called = ([renamed_tokens(text, mapping) for text in each] for each in (functions, called))
        self.globals |= {mapping.get(name, name) for name in defined(pieces)}
        wrappers = [
            self.wrapper(each, own, mapping, packages_needed("\n".join(text.text for text in texts)))
            for each, (own, texts) in zip(made, kernels, strict=True)
        ]
        called[:1] = [f"{CALLED}\n\n\n{text}" for text in called[:1]]
        return append_text(self.module.module, [*functions, *wrappers, *called], lines)

    def fresh(self, base: str) -> str:
        """A name that stands nowhere in the module nor in what was added."""
        return claim(base, self.taken)

    # functions

    def kernel(self, made: Made) -> tuple[tuple[str, ...], list[EmittedModule]]:
        """The names of the functions over flat values, and the modules that have them."""
        if made.runs is not None:
            found = [*self.machines([(each.written, each.functions) for each in made.runs.modules])]
            return tuple(name for names, _ in found for name in names), [text for _, text in found]
        program = made.program
        names = {
            name: self.fresh(f"_{identifier(name)}") for name in program.functions if name != program.main
        }
        names[program.main] = self.fresh(f"_{made.name}")
        functions = renamed_functions(program.functions, names)
        homes = (made.traced.homes or None) if stored(made.traced.program) else None
        whole = Program(functions, names[program.main])
        return (names[program.main],), [self.with_exceptions(emitted(whole, made.target, homes), whole)]

    def with_exceptions(self, written: EmittedModule, program: Program) -> EmittedModule:
        """A text whose exceptions are the file's own classes, and whose other classes have names of their own."""
        users = {cls: name for name, cls in self.names.objects.items() if isinstance(cls, type)}
        stand = {name: users[cls] for name, cls in own_classes(program).items() if cls in users}
        classes = [node for node in ast.parse(written.called).body if isinstance(node, ast.ClassDef)]
        there = [range(node.lineno, (node.end_lineno or 0) + 1) for node in classes if node.name in stand]
        lines = enumerate(written.called.splitlines(), 1)
        kept = "\n".join(line for k, line in lines if not any(k in lines for lines in there))
        names = {node.name: stand.get(node.name) or self.fresh(f"_{node.name}") for node in classes}
        return replace(written, called=kept).changed(partial(renamed_tokens, mapping=names))

    def machines(
        self, modules: Sequence[tuple[EmittedModule, Sequence[str]]]
    ) -> Iterator[tuple[tuple[str, ...], EmittedModule]]:
        """The same for machines: what is their own has names of its own, one where it is the same thing in both."""
        first = pieces_in(modules[0][0])
        names: dict[str, str] = {}
        for text, functions in modules:
            own = own_definitions(pieces_in(text))
            apart = {*different(first, pieces_in(text), own)}
            new = {name: self.fresh(f"_{name}") for name in own if name in apart or name not in names}
            names = {**names, **new}
            yield (
                tuple(names[name] for name in functions),
                text.changed(partial(renamed_tokens, mapping={name: names[name] for name in own})),
            )

    def wrapper(self, made: Made, names: tuple[str, ...], mapping: Mapping[str, str], needed: str) -> str:
        params = {argument.name for argument in made.arguments}
        aliases: dict[str, str] = {}  # of names that parameters hide

        def seen(name: str) -> str:
            if name in params and name not in aliases:
                aliases[name] = self.fresh(f"_{name}")
            return aliases.get(name, name)

        hidden = tuple(
            f"{seen(self.names.arrays[id(array)])}{'' if array.ndim else '[()]'}"
            for array in made.traced.hidden
        )
        failures = self.fresh(f"_{made.name}_failures") if made.failings else ""
        self.globals.add(failures)
        words = Words(
            names,
            hidden,
            failures,
            of=lambda word: mapping.get(word, word),
            class_name=lambda cls: seen(next(n for n, obj in self.names.objects.items() if obj is cls)),
            avoid=frozenset(self.globals),
        )
        text = f"{needed}# {made.note}\n{wrapper(made, words)}"
        above = [f"{alias} = {name}" for name, alias in aliases.items()]
        above += messages_text(failures, made.failings)
        return "\n".join(above) + f"\n\n\n{text}" if above else text

    # names

    def renamings(self, pieces: Sequence[Piece], imports: Iterable[str]) -> tuple[dict[str, str], list[str]]:
        """Names of the added text that the module uses otherwise, to other names; and the import lines."""
        used = dict.fromkeys(token.string for piece in pieces for token in free_tokens(piece.text))
        mapping: dict[str, str] = {}
        lines = []
        for line in dict.fromkeys(["import numpy as np", *imports] if "np" in used else imports):
            name = bound_by(line)
            if not self.has(name, line):
                mapping[name] = self.fresh(f"_{name}")
                line = with_name(line, mapping[name])
            lines.append(line)
        star = STAR in self.module.bindings
        for name in used:
            if name in BUILTINS and (star or name in self.module.bindings):
                mapping[name] = self.fresh(f"_{name}")
                lines.append(f"from builtins import {name} as {mapping[name]}")
        for name in defined(pieces):
            if name in self.written:
                mapping[name] = self.fresh(f"_{name}")
        return mapping, sorted(lines, key=is_foreign)

    def has(self, name: str, line: str) -> bool:
        """Whether a name is the import's in the module, or free for it there."""
        binding = self.module.bindings.get(name)
        if STAR in self.module.bindings:
            return False
        return binding is None or (isinstance(binding, Imported) and binding.path == path_of(line))


def own_definitions(pieces: Iterable[Piece]) -> list[str]:
    """The names that a machine's module defines: not those of parts that read the same in all modules."""
    same: dict[str, list[str]] = {}
    for part in (*runtime.parts(), *runtime.device_parts()):
        for name in part.names:
            same.setdefault(name, []).append(part.text)
    found = [(name, piece.text) for piece in pieces for name in defined([piece])]
    return [name for name, source in found if not any(map(source.endswith, same.get(name, ())))]


def different(pieces: Sequence[Piece], others: Sequence[Piece], own: Sequence[str]) -> Iterator[str]:
    """Those names of `own` that both define, by other texts or by texts that read such names."""
    first, second = ({name: p.text for p in each for name in defined([p])} for each in (pieces, others))
    both = [name for name in own if name in first]
    words = {name: words_in(second[name]) for name in both}
    found = {name for name in both if first[name] != second[name]}
    while more := {name for name in both if name not in found and not words[name].isdisjoint(found)}:
        found |= more
    yield from (name for name in both if name in found)


def messages_text(name: str, failings: Sequence[str]) -> list[str]:
    """The lines that give the messages for lanes that fail a name, if there are any."""
    return [f"{name} = (", *(f"    {quote(message)}," for message in failings), ")"] if failings else []
