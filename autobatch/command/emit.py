"""Programs to the text that joins a user's module: emit : (its names, what was made of it) -> text.

The module's own text stays as it is. What is added is named so that nothing in the module is in its way, and
it in nothing's: functions under the wrappers begin with an underscore, and a name that the module uses for
something else (a function `draw_random`, `np = 3`, a `range` of the user's) is another one in the added text.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autobatch.command.helpers import (
    CHECKS,
    FAILED,
    GENERATOR,
    GENERATORS,
    GIVEN,
    LANES,
    NARROWED,
    RESULTS,
    RUN,
    RUN_IMPORTS,
    STREAMS,
    THREADS,
    WRITTEN,
)
from autobatch.command.names import Names
from autobatch.command.pieces import (
    Piece,
    bound_by,
    defined,
    free_tokens,
    import_lines,
    is_foreign,
    joined,
    path_of,
    renamed_tokens,
    segments,
    with_name,
)
from autobatch.command.texts import is_laned, is_narrow, parts_of, quoted
from autobatch.command.wrapper import Argument, Kernel, Runs, Words, wrapper
from codegen import runtime
from codegen.emit.argument_stores import stored
from codegen.emit.coalescing import candidates, identifier
from codegen.emit.module import CALLED, packages_needed, show, split_sections
from codegen.emit.raising import own_classes
from codegen.emit.spelling import TAKEN
from codegen.infer.main import Traced
from codegen.infer.values import Nest, Static
from codegen.ir import Program, Type
from codegen.ir.traversal import renamed_functions
from codegen.pytree import leaves
from codegen.read.bindings import STAR, Imported
from codegen.read.module import append_text
from codegen.runtime import state

BUILTINS = frozenset(dir(builtins)) - frozenset(keyword.kwlist)


@dataclass(frozen=True, eq=False)
class Made:
    """A function to be added: `program` is `traced`'s after the passes; `note` goes above it as a comment.

    runs      where it is over lanes, each at its own place: what runs them, instead of `program`
    failings  what the numbers say that lanes which failed are given
    axes      of each leaf of the arguments: which of its axes lanes are
    written   leaves of the arguments that lanes write into
    """

    name: str
    doc: str
    note: str
    arguments: tuple[Argument, ...]
    traced: Traced
    program: Program
    runs: Runs | None = None
    failings: tuple[str, ...] = ()
    axes: tuple[int | None, ...] = ()
    written: tuple[int, ...] = ()


def emit(names: Names, made: Sequence[Made], *, target: str) -> str:
    """The text of the module with these functions added."""
    return Emission(names, target).text(made)


@dataclass(frozen=True)
class Seen:
    """The module's names as a wrapper sees them, whose parameters may hide some: those get `aliases`."""

    params: frozenset[str]
    fresh: Callable[[str], str]
    aliases: dict[str, str] = field(default_factory=dict)

    def __call__(self, name: str) -> str:
        if name in self.params and name not in self.aliases:
            self.aliases[name] = self.fresh(f"_{name}")
        return self.aliases.get(name, name)


class Emission:
    def __init__(self, names: Names, target: str):
        self.names, self.target = names, target
        self.module = names.module
        self.globals = {*self.module.bindings, *TAKEN}
        self.written = set(re.findall(r"[^\W\d]\w*", self.module.module.code))
        self.taken = self.written | TAKEN

    def text(self, made: Sequence[Made]) -> str:
        self.taken.update(each.name for each in made)
        kernels = [self.kernel(each) for each in made]
        texts = [*helpers(made, self.target), *(text for _, texts in kernels for text in texts)]
        pieces = [piece for text in texts for piece in segments(text)]
        self.taken.update(word for piece in pieces for word in re.findall(r"[^\W\d]\w*", piece.text))
        imports = [*self.numpy(pieces), *(line for text in texts for line in import_lines(text))]
        mapping, lines = self.renamings(pieces, dict.fromkeys(imports))
        functions = joined(
            piece for _, own in kernels for text in own for piece in segments(split_sections(text)[0])
        )
        called = [text for text in joined(pieces) if text not in functions]
        functions, called = ([renamed_tokens(text, mapping) for text in each] for each in (functions, called))
        self.globals |= {mapping.get(name, name) for name in defined(pieces)}
        wrappers = [
            self.wrapper(each, own, mapping, packages_needed("\n".join(texts)))
            for each, (own, texts) in zip(made, kernels, strict=True)
        ]
        called[:1] = [f"{CALLED}\n\n\n{text}" for text in called[:1]]
        return append_text(self.module.module, [*functions, *wrappers, *called], lines)

    def fresh(self, base: str) -> str:
        """A name that stands nowhere in the module nor in what was added."""
        name = next(c for c in candidates(base) if c not in self.taken)
        self.taken.add(name)
        return name

    # functions

    def kernel(self, made: Made) -> tuple[tuple[str, ...], list[str]]:
        """The names of the functions over flat values, and the texts of the modules that have them."""
        if made.runs is not None:
            found = [self.machine(module.text, module.run) for module in made.runs.modules]
            return tuple(name for name, _ in found), [text for _, text in found]
        program = made.program
        names = {
            name: self.fresh(f"_{identifier(name)}") for name in program.functions if name != program.main
        }
        names[program.main] = self.fresh(f"_{made.name}")
        functions = renamed_functions(program.functions, names)
        homes = (made.traced.homes or None) if stored(made.traced.program) else None
        whole = Program(functions, names[program.main])
        text = show(whole, target=self.target, homes=homes)
        return (names[program.main],), [self.with_exceptions(text, whole)]

    def with_exceptions(self, text: str, program: Program) -> str:
        """A text whose exceptions are the file's own classes, and whose other classes have names of their own."""
        users = {cls: name for name, cls in self.names.objects.items() if isinstance(cls, type)}
        stand = {name: users[cls] for name, cls in own_classes(program).items() if cls in users}
        classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
        lines: list[str | None] = list(text.splitlines())
        for node in classes:
            if node.name in stand:
                lines[node.lineno - 1 : node.end_lineno] = [None] * ((node.end_lineno or 0) - node.lineno + 1)
        names = {node.name: stand.get(node.name) or self.fresh(f"_{node.name}") for node in classes}
        return renamed_tokens("\n".join(line for line in lines if line is not None), names) + "\n"

    def machine(self, text: str, run: str) -> tuple[str, str]:
        """The same for a machine: what is its own has names of its own."""
        names = {name: self.fresh(f"_{name}") for name in own_names(text)}
        return names[run], renamed_tokens(text, names)

    def wrapper(self, made: Made, names: tuple[str, ...], mapping: Mapping[str, str], needed: str) -> str:
        seen = Seen(frozenset(argument.name for argument in made.arguments), self.fresh)
        hidden = tuple(seen(self.array(array)) for array in made.traced.hidden)
        failures = self.fresh(f"_{made.name}_failures") if made.failings else None
        self.globals.update([failures] if failures else [])
        rows = self.target == "numba"
        kernel = Kernel(
            names,
            made.traced,
            hidden,
            failures,
            rows=rows,
            runs=made.runs,
            axes=made.axes,
            written=made.written,
        )
        words = Words(
            of=lambda word: mapping.get(word, word),
            class_name=lambda cls: seen(self.class_name(cls)),
            avoid=frozenset(self.globals),
        )
        text = f"{needed}# {made.note}\n{wrapper(made.name, made.doc, made.arguments, kernel, words)}"
        above = [f"{alias} = {name}" for name, alias in seen.aliases.items()]
        if failures is not None:
            above += [f"{failures} = (", *(f"    {quoted(message)}," for message in made.failings), ")"]
        return "\n".join(above) + f"\n\n\n{text}" if above else text

    def array(self, array: Any) -> str:
        """The name of a constant array of the module."""
        return self.names.arrays[id(array)]

    def class_name(self, cls: Any) -> str:
        """The user's name of a named tuple."""
        return next(name for name, obj in self.names.objects.items() if obj is cls)

    # names

    def numpy(self, pieces: Iterable[Piece]) -> list[str]:
        """The import of NumPy that helpers without imports of their own need."""
        used = any(token.string == "np" for piece in pieces for token in free_tokens(piece.text))
        return ["import numpy as np"] if used else []

    def renamings(self, pieces: Sequence[Piece], imports: Iterable[str]) -> tuple[dict[str, str], list[str]]:
        """Names of the added text that the module uses otherwise, to other names; and the import lines."""
        mapping: dict[str, str] = {}
        lines = []
        for line in imports:
            name = bound_by(line)
            if not self.has(name, line):
                mapping[name] = self.fresh(f"_{name}")
                line = with_name(line, mapping[name])
            lines.append(line)
        for name in self.shadowed(pieces):
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

    def shadowed(self, pieces: Iterable[Piece]) -> list[str]:
        """Builtins that the added text means and the module has bound to something."""
        used = dict.fromkeys(token.string for piece in pieces for token in free_tokens(piece.text))
        star = STAR in self.module.bindings
        return [name for name in used if name in BUILTINS and (star or name in self.module.bindings)]


def own_names(text: str) -> list[str]:
    """The names that a machine's module defines: not those of parts that read the same in all modules."""
    same = {name: undecorated(part.source) for part in runtime.parts() for name in part.names}
    found = [(name, piece.text) for piece in segments(text) for name in defined([piece])]
    return [name for name, source in found if name not in same or not source.endswith(same[name])]


def undecorated(source: str) -> str:
    return source[source.index("def ") :] if source.startswith("@") else source


def helpers(made: Sequence[Made], target: str) -> list[str]:
    """Texts that the wrappers call."""
    types = [
        leaf for each in made for a in each.arguments for leaf in leaves(a.entry) if isinstance(leaf, Type)
    ]
    streams = [t for t in types if t.dtype == "rng"]
    runs = [each.runs for each in made if each.runs is not None]
    texts = [GIVEN] if len(types) > len(streams) else []
    texts += [NARROWED] if any(is_narrow(t) for t in types) else []
    parts = {parts_of(nest) for each in made for a in each.arguments for nest in nests(a.entry)}
    texts += [text for name, text in CHECKS.items() if name in parts]
    texts += [WRITTEN] if any(stored(each.traced.program) for each in made) else []
    texts += [GENERATOR] if streams else []
    texts += [GENERATORS] if any(t.rank for t in streams) else []
    texts += [LANES] if any(map(counts_lanes, made)) else []
    texts += [RESULTS, RUN_IMPORTS + THREADS] if runs else []
    texts += [RUN_IMPORTS + text for name, text in RUN.items() if any(name in r.helpers for r in runs)]
    texts += [FAILED] if any(each.failings for each in made) else []
    if any(t.rank for t in streams) or (streams and target == "numba"):
        texts.append(inspect.getsource(state))
    return texts + ([STREAMS[target]] if any(t.rank for t in streams) else [])


def counts_lanes(made: Made) -> bool:
    """Whether the wrapper asks for the number of lanes, or compares several."""
    types = (leaf for a in made.arguments for leaf in leaves(a.entry) if isinstance(leaf, Type))
    laned = sum(map(is_laned, types))
    asked = made.runs is not None or any(isinstance(leaf, Static) for leaf in leaves(made.traced.out))
    return laned > 1 or (laned > 0 and asked)


def nests(entry: Any) -> Iterator[Nest]:
    """The nests in an argument's entry, its own first."""
    if isinstance(entry, Nest):
        yield entry
        for item in entry.items:
            yield from nests(item)
