"""A Python file, read without running any of it, and texts added to it.

    read_module("model.py").define("f")     the tree of its function f
    append_text(module, texts, imports)     the file's text with functions added, all else kept to the letter

What the file's names stand for is told by `bindings.py`.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from os import PathLike, fspath
from pathlib import Path

import libcst as cst

from codegen.read import tree
from codegen.read.bindings import (
    STAR,
    Binding,
    Defined,
    Imported,
    bindings,
    bound_names,
    small_statements,
)
from codegen.read.expressions import Reading, node_text
from codegen.read.imports import import_origin, import_paths
from codegen.read.parsing import checked_define, parse_module
from codegen.source import Source, SourceError, refuse


@dataclass(frozen=True, eq=False)
class ModuleText:
    """A file as read: libcst's tree of it, and `bindings`, what its names stand for once it has run."""

    file: str
    module: cst.Module
    at: Reading
    bindings: Mapping[str, Binding]

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions, in the order of the file."""
        return tuple(name for name, found in self.bindings.items() if isinstance(found, Defined))

    def define(self, name: str) -> tree.Define:
        """The tree of the function called `name`, its decorators left out.

        Raises KeyError when the file has no such function, SourceError when it cannot be transformed.
        """
        found = self.bindings.get(name)
        if not isinstance(found, Defined):
            known = ", ".join(self.functions) or "none"
            raise KeyError(f"{self.file} has no function `{name}`; its functions: {known}")
        return checked_define(found.node, name, self.at)

    def lookup(self, name: str) -> Binding | None:
        """What a global name stands for; None for one that the file does not bind, such as a builtin."""
        return self.bindings.get(name) or self.bindings.get(STAR)


def read_module(path: str | PathLike[str]) -> ModuleText:
    """The file at `path`, none of it executed. Functions are read one by one, by `define`.

    Raises OSError when there is no such file, SourceError when it is no Python.
    """
    data = Path(path).read_bytes()
    try:
        with Path(path).open("rb") as file:
            encoding, _ = tokenize.detect_encoding(file.readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError) as error:
        raise refuse(None, f"{fspath(path)} is no Python text: {error}") from None
    return _module(data, Source(fspath(path), text))


def read_text(text: str, file: str = "<text>") -> dict[str, tree.Define]:
    """The trees of all functions at the outermost level of a text, by name.

    >>> read_text("def f(x):\\n    return x + 1\\n")["f"].name
    'f'

    Raises SourceError with the problems of all of them.
    """
    module = _module(text, Source(file, text))
    found: dict[str, tree.Define] = {}
    problems = []
    for name in module.functions:
        try:
            found[name] = module.define(name)
        except SourceError as error:
            problems += error.problems
    if problems:
        raise SourceError(problems)
    return found


def append_text(module: cst.Module, texts: Sequence[str], imports: Sequence[str] = ()) -> str:
    """The module's text, `texts` added at its end and those of `imports` that it lacks below its first ones.

    A last `if __name__ == "__main__":` stays last. Line ends are the module's.

    >>> print(append_text(cst.parse_module("x = 1"), ["def f():\\n    return 2"], ["import math"]))
    import math
    <BLANKLINE>
    x = 1
    <BLANKLINE>
    <BLANKLINE>
    def f():
        return 2
    <BLANKLINE>

    Write it with `newline=""` and `module.encoding`. Raises ValueError when a name to be added is taken.
    """
    code = module.code
    read = _module(code, Source("<module>", code))
    new_imports = [line for text in imports for line in _lacking(text, read)]
    _refuse_taken(texts, read)
    lines = re.findall(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+", code)
    if lines and lines[-1][-1] not in "\r\n" and (texts or new_imports):
        lines[-1] += module.default_newline
    end = _place_of_texts(read, lines)
    start, below_import = _place_of_imports(read, lines)
    _insert_texts(lines, end, texts, module.default_newline)
    _insert_imports(lines, start, new_imports, module.default_newline, below_import=below_import)
    return "".join(lines)


def _module(text: str | bytes, source: Source) -> ModuleText:
    module, at = parse_module(text, source)
    return ModuleText(source.file, module, at, bindings(module, at))


def _lacking(text: str, read: ModuleText) -> Iterator[str]:
    """The part of an import statement that the module has not got."""
    have = {path for node in small_statements(read.module.body) for path in _packages(node)}
    for node in small_statements(cst.parse_module(text).body):
        if not isinstance(node, (cst.Import, cst.ImportFrom)):
            raise ValueError(f"`{text}` is no import")
        new = []
        for name, path, alias in import_paths(node):
            bound = read.bindings.get(name)
            if bound is not None and not (isinstance(bound, Imported) and bound.path == path):
                raise ValueError(f"cannot add `{text}`: the module uses the name `{name}` for something else")
            if bound is None or not have.issuperset(_packages(node)):
                new.append(node_text(alias.with_changes(comma=cst.MaybeSentinel.DEFAULT)))
        if new:
            start = f"from {import_origin(node)} " if isinstance(node, cst.ImportFrom) else ""
            yield f"{start}import {', '.join(new)}"


def _packages(node: cst.CSTNode) -> list[str]:
    """`a.b` for `import a.b`, which binds no more than `a` but loads `a.b` as well."""
    aliases = node.names if isinstance(node, cst.Import) else ()
    return [alias.evaluated_name for alias in aliases if alias.asname is None]


def _refuse_taken(texts: Sequence[str], read: ModuleText) -> None:
    for text in texts:
        for node in small_statements(cst.parse_module(text).body):
            for name, _ in bound_names(node):
                if name in read.bindings:
                    raise ValueError(f"cannot add `{name}`: the module has something of that name")


def _place_of_texts(read: ModuleText, lines: Sequence[str]) -> int:
    """How many lines stand before the texts: all, or those before a last `if __name__ == "__main__":`."""
    body = read.module.body
    if not body or not _is_main(body[-1]):
        return len(lines)
    earliest = read.at.span(body[-2]).end_line if len(body) > 1 else 0
    return _before_comments(lines, read.at.span(body[-1]).line - 1, earliest)


def _is_main(node: cst.CSTNode) -> bool:
    text = node_text(node.test) if isinstance(node, cst.If) else ""
    return text.replace("'", '"').replace(" ", "") in ('__name__=="__main__"', '"__main__"==__name__')


def _before_comments(lines: Sequence[str], place: int, earliest: int) -> int:
    """Above the comments that belong to the statement at `place`; a first line for the system stays first."""
    while place > earliest and re.match(r"#(?!!)(?!.*coding[:=])", lines[place - 1]):
        place -= 1
    return place


def _place_of_imports(read: ModuleText, lines: Sequence[str]) -> tuple[int, bool]:
    """How many lines stand before new imports (docstring, first imports); whether imports are among them."""
    body = read.module.body
    documented = read.module.get_docstring() is not None
    place = int(documented)
    while place < len(body) and all(
        isinstance(s, cst.Import | cst.ImportFrom) for s in small_statements([body[place]])
    ):
        place += 1
    if place:
        return read.at.span(body[place - 1]).end_line, place > documented
    return _before_comments(lines, read.at.span(body[0]).line - 1, 0) if body else len(lines), False


def _insert_texts(lines: list[str], place: int, texts: Sequence[str], newline: str) -> None:
    """Two empty lines around each text."""
    for text in texts:
        before = [newline] * (2 - _empty_lines(reversed(lines[:place]))) if place else []
        new = before + [line + newline for line in re.split(r"\r\n?|\n", text.strip("\r\n"))]
        lines[place:place] = new
        place += len(new)
    if texts and place < len(lines):
        lines[place:place] = [newline] * (2 - _empty_lines(lines[place:]))


def _insert_imports(
    lines: list[str], place: int, imports: Sequence[str], newline: str, *, below_import: bool
) -> None:
    """Directly below other imports; otherwise with an empty line around them."""
    if not imports:
        return
    new = [line + newline for line in imports]
    if place and not below_import and lines[place - 1].strip():
        new.insert(0, newline)
    if not below_import and lines[place:] and lines[place].strip():
        new.append(newline)
    lines[place:place] = new


def _empty_lines(lines: Iterable[str]) -> int:
    """How many of the first lines are empty, up to two."""
    return sum(1 for _ in islice(takewhile(lambda line: not line.strip(), lines), 2))
