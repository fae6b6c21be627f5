"""The text of a function that takes and returns a user's structures, around a compiled one over flat values.

    def leapfrog_jit(state, step_size):
        "leapfrog, compiled."
        _check_fields("state", state, "q", "p")
        state_q = _given("state.q", state.q, "f8", None)
        state_p = _given("state.p", state.p, "f8", None)
        step_size = _given("step_size", step_size, "f8")
        q, p = _leapfrog_jit(state_q, state_p, step_size)
        return State(q, p)

Arguments are checked and converted to the types that the compiled function was made for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan, prod
from typing import Any

import numpy as np

from autobatch.machine.numba_lanes import LaneModule
from codegen.infer.main import Traced
from codegen.infer.values import Nest, Static
from codegen.ir import Type, Var
from codegen.names import candidates, identifier
from codegen.structure import leaves

INDENT = "    "
LANE_AXIS = Var("lanes", Type("i8"))
"""The size that marks the lane axis of an argument."""


@dataclass(frozen=True)
class Argument:
    """A parameter of the wrapper. kind: 'positional', 'plain' or 'keyword'; `default`: its text."""

    name: str
    kind: str
    entry: Any
    default: str | None = None


@dataclass(frozen=True)
class Words:
    """Names at the module's level that a wrapper uses: `of` for helpers, `class_name` for named tuples."""

    of: Callable[[str], str]
    class_name: Callable[[Any], str]
    avoid: frozenset[str]


@dataclass(frozen=True, eq=False)
class Kernel:
    """The function over flat values that a wrapper calls.

    hidden    names of the constant arrays that it takes after the arguments
    failures  name of the messages for lanes that fail, where its last result says which did
    rows      whether it takes random generators as rows of their state
    machine   whether it is a function over a range of lanes that writes its results into arrays
    """

    name: str
    traced: Traced
    hidden: tuple[str, ...] = ()
    failures: str | None = None
    rows: bool = False
    machine: LaneModule | None = None


def wrapper(name: str, doc: str, arguments: Sequence[Argument], kernel: Kernel, words: Words) -> str:
    """The text of `def name(arguments)`, which gives the kernel's flat results in their structure."""
    return Wrapper(arguments, kernel, words).text(name, doc)


class Wrapper:
    def __init__(self, arguments: Sequence[Argument], kernel: Kernel, words: Words):
        self.arguments, self.kernel, self.words = arguments, kernel, words
        self.lines: list[str] = []
        self.streams: list[tuple[str, str]] = []
        self.operands: list[str] = []
        self.laned: list[str] = []
        self.taken = {*words.avoid, *(a.name for a in arguments)}

    def text(self, name: str, doc: str) -> str:
        for argument in self.arguments:
            self.unpack(argument.entry, argument.name, argument.name, argument.name)
        if self.kernel.machine is None:
            if len(self.laned) > 1:
                self.lines.append(f"{self.words.of('_lanes')}({', '.join(self.laned)})")
            self.call()
        else:
            self.run(self.kernel.machine)
        head = [f"def {name}({', '.join(signature(self.arguments))}):", f'{INDENT}"""{doc}"""']
        return "\n".join([*head, *(INDENT + line for line in self.lines)])

    # arguments

    def unpack(self, entry: Any, place: str, label: str, word: str) -> None:
        """The leaves of the argument at `place`, converted; `label` is what errors call it."""
        if isinstance(entry, Nest):
            self.check(entry, place, label)
        match entry:
            case Nest(cls, items, None):
                names = [self.local(f"{word}_{k}") for k in range(len(items))]
                if names:
                    self.lines.append(f"{', '.join(names)}{',' if len(names) == 1 else ''} = {place}")
                for k, (item, each) in enumerate(zip(items, names, strict=True)):
                    self.unpack(item, each, f"{label}[{k}]", each)
            case Nest(cls, items, keys):
                for key, item in zip(keys or (), items, strict=True):
                    part = f"[{key!r}]".replace("'", '"') if cls is dict else f".{key}"
                    self.unpack(item, place + part, label + part, f"{word}_{identifier(key)}")
            case Type():
                self.leaf(entry, place, label, word)

    def check(self, nest: Nest, place: str, label: str) -> None:
        """The line that raises TypeError where the argument at `place` has other parts."""
        parts = [str(len(nest.items))] if nest.keys is None else map(quoted, nest.keys)
        given = ", ".join([quoted(label), place, *parts])
        self.lines.append(f"{self.words.of(f'_check_{parts_of(nest)}')}({given})")

    def leaf(self, type_: Type, place: str, label: str, word: str) -> None:
        made = self.stream if type_.dtype == "rng" else self.converted
        name = made(type_, place, label, word)
        if is_laned(type_):
            self.laned.append(name)
        flat = self.kernel.machine is not None and is_laned(type_) and type_.rank > 2
        self.operands.append(
            f"{name}.reshape(-1, {prod(n for n in type_.shape[1:] if isinstance(n, int))})" if flat else name
        )

    def converted(self, type_: Type, place: str, label: str, word: str) -> str:
        """A number or an array."""
        name = place if place.isidentifier() else self.local(word)
        shape = "".join(f", {n if isinstance(n, int) else None}" for n in type_.shape)
        plain = ".item()" if type_.weak else ""
        dtype, of = quoted(type_.dtype), self.words.of
        value = f"{of('_narrowed')}({place}, {dtype})" if is_narrow(type_) else place
        given = f"{of('_given')}({quoted(label)}, {value}, {dtype}{shape}){plain}"
        self.lines.append(f"{name} = {given}")
        return name

    def stream(self, type_: Type, place: str, label: str, word: str) -> str:
        """A random generator, or one a lane."""
        of = self.words.of
        one = f"{of('_generator')}({quoted(label)}, {place})"
        if not self.kernel.rows and not type_.rank:
            self.lines.append(one)
            return place
        if type_.rank:
            name, put = self.local(f"{word}_states"), "_put_streams"
            self.lines.append(f"{name} = {of('_streams_of')}({quoted(label)}, {place})")
        else:
            name, put = self.local(f"{word}_state"), "put_state"
            self.lines.append(f"{name} = {of('state_of')}({one})")
        self.streams.append((f"{of(put)}({place}, {name})", name))
        return name

    def local(self, word: str) -> str:
        name = next(c for c in candidates(word) if c not in self.taken)
        self.taken.add(name)
        return name

    # the call and what comes back

    def call(self) -> None:
        kernel, out = self.kernel, self.kernel.traced.out
        call = f"{kernel.name}({', '.join((*self.operands, *kernel.hidden))})"
        results = kernel.traced.program.entry.body.results
        own = sum(isinstance(leaf, Type) for leaf in leaves(out))
        bare = isinstance(out, Type) or (flat_tuple(out) and own > 1)
        typed = any(self.is_unboxed(leaf) for leaf in leaves(out))
        if bare and own == len(results) and not self.streams and (isinstance(out, Type) or not typed):
            self.lines.append(f"return {self.build(out, iter([call])) if typed else call}")
            return
        names = [self.local(result_name(r, k)) for k, r in enumerate(results[:own])]
        targets = [*names, *self.advanced(results)]
        if kernel.failures is not None:
            targets.append(self.local("failed"))
        self.lines.append(f"{', '.join(targets)} = {call}" if targets else call)
        self.finish(names, targets[-1] if targets else "_")

    def run(self, machine: LaneModule) -> None:
        """The lines that run a machine over all lanes: streams advance in their rows."""
        kernel, out = self.kernel, self.kernel.traced.out
        types = [leaf for leaf in leaves(out) if isinstance(leaf, Type)]
        results = kernel.traced.program.entry.body.results
        names = [self.local(result_name(r, k)) for k, r in enumerate(results[: len(types)])]
        failed = self.local("failed") if kernel.failures else "_"
        operands = tupled([*self.operands, *kernel.hidden])
        stacks = tupled([quoted(dtype) for _, dtype in machine.stacks])
        shapes = tupled([tupled([quoted(t.dtype), *map(str, t.shape[1:])]) for t in types])
        counted = f"{self.words.of('_lanes')}({', '.join(self.laned)})"
        self.lines += [
            f"{', '.join([*names, failed])} = {self.words.of('_run_lanes')}(",
            f"{INDENT}{kernel.name},",
            f"{INDENT}{counted},",
            f"{INDENT}together={machine.together},",
            f"{INDENT}stacks={stacks},",
            f"{INDENT}arguments={operands},",
            f"{INDENT}results={shapes},",
            ")",
        ]
        self.finish(names, failed)

    def finish(self, names: Sequence[str], failed: str) -> None:
        """What is done after the call: streams put back, the results in their structure."""
        self.lines += [put for put, _ in self.streams]
        out, failures = self.kernel.traced.out, self.kernel.failures
        made = self.build(out, iter(names))
        if failures is not None:
            self.lines.append(f"return {self.words.of('_check_lanes')}({failed}, {failures}, {made})")
        elif made != "None":
            bare = isinstance(out, Nest) and out.cls is tuple and len(out.items) > 1
            self.lines.append(f"return {made[1:-1] if bare else made}")

    def advanced(self, results: Sequence[Any]) -> list[str]:
        """Where the streams that come back go: one that was not drawn from does not come back."""
        back = [r.name for r in results if r.type.dtype == "rng"]
        params = [p.name for p in self.kernel.traced.program.entry.params if p.type.dtype == "rng"]
        names = [name for _, name in self.streams] or ["_"] * len(params)
        if len(back) == len(params):
            return names
        return [names[params.index(name)] for name in back]

    def is_unboxed(self, leaf: Any) -> bool:
        """Whether a result is a number of a narrower dtype that comes from Numba as Python's."""
        scalar = isinstance(leaf, Type) and not leaf.rank and is_narrow(leaf)
        return scalar and self.kernel.rows and self.kernel.machine is None

    def build(self, entry: Any, names: Iterator[str]) -> str:
        """The text of a structure whose leaves are called `names`."""
        match entry:
            case Type():
                name = next(names)
                typed = self.is_unboxed(entry)
                return f"{self.words.of('np')}.{np.dtype(entry.dtype).name}({name})" if typed else name
            case Nest(cls, items, keys):
                parts = [self.build(item, names) for item in items]
                if cls is tuple:
                    return tupled(parts)
                if cls is list:
                    return f"[{', '.join(parts)}]"
                if cls is dict:
                    return "{" + ", ".join(f"{quoted(k)}: {p}" for k, p in zip(keys or (), parts)) + "}"
                return f"{self.words.class_name(cls)}({', '.join(parts)})"
            case Static(value):
                return quoted(value) if isinstance(value, str) else number(value)
        raise AssertionError(f"a {type(entry).__name__} is returned")


def tupled(texts: Sequence[str]) -> str:
    """A tuple's text.

    >>> tupled(["a"]), tupled(["a", "b"]), tupled([])
    ('(a,)', '(a, b)', '()')
    """
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def parts_of(nest: Nest) -> str:
    """What the parts of an argument are called: `items`, a dict's `keys` or a named tuple's `fields`."""
    if nest.keys is None:
        return "items"
    return "keys" if nest.cls is dict else "fields"


def is_written(leaf: Any) -> bool:
    """Whether a leaf of what is returned can stand in a file: a result of the program, or a literal."""
    if isinstance(leaf, Static):
        return leaf.value is None or isinstance(leaf.value, bool | int | float | str)
    return isinstance(leaf, Type)


def is_narrow(type_: Type) -> bool:
    """Whether NumPy takes Python's numbers for wider ones than the leaf's."""
    return type_.dtype not in ("f8", "i8", "b1", "rng")


def is_laned(type_: Type) -> bool:
    """Whether a leaf has a lane axis."""
    return bool(type_.shape) and type_.shape[0] is LANE_AXIS


def flat_tuple(out: Any) -> bool:
    return isinstance(out, Nest) and out.cls is tuple and all(isinstance(i, Type) for i in out.items)


def result_name(atom: Any, k: int) -> str:
    name = getattr(atom, "name", "t")
    return f"t{k}" if name == "t" else identifier(name)


def signature(arguments: Sequence[Argument]) -> list[str]:
    """Parameters with `/` and `*` where the user's function has them."""
    found = []
    required = [k for k, a in enumerate(arguments) if a.kind != "keyword" and a.default is None]
    for k, argument in enumerate(arguments):
        before = arguments[k - 1].kind if k else None
        if before == "positional" and argument.kind != "positional":
            found.append("/")
        if argument.kind == "keyword" and before != "keyword":
            found.append("*")
        bare = argument.default is None or (argument.kind != "keyword" and k < max(required, default=0))
        found.append(argument.name if bare else f"{argument.name}={argument.default}")
    if arguments and arguments[-1].kind == "positional":
        found.append("/")
    return found


def quoted(text: str) -> str:
    """A string literal in double quotes, as formatters write it."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def number(value: Any) -> str:
    """A number, bool or None as text that Python reads as the same value."""
    if isinstance(value, float) and isnan(value):
        return "(1e999 - 1e999)"
    return repr(value).replace("inf", "1e999")
