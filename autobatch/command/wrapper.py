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

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from autobatch.command.texts import Argument, is_laned, is_narrow, param_list, result_name
from autobatch.command.waiting import waiting_lanes
from autobatch.cost_model import THREADS
from autobatch.kernel.cuda.module import KernelModule
from autobatch.kernel.module import LaneModule
from autobatch.schedule import DEEPEST
from codegen.emit.argument_stores import stored
from codegen.emit.coalescing import claim, identifier
from codegen.emit.structures import literal_text, quote, rows_text, structure, tupled
from codegen.infer.main import Traced
from codegen.infer.values import GrowingList, Nest, Optional, Static
from codegen.ir import Program, Type
from codegen.pytree import types_in

INDENT = "    "
RUNNERS = {
    "_run_lanes": ("limit", "threads", "stacks", "together"),
    "_run_groups": ("limit", "threads"),
    "_run_kernel": ("fails", "zero", "limit", "stacks", "tables", "shared", "streams", "block"),
    "_run_calls": ("starts", "limit", "threads", "shared", "stacks"),
}
"""What goes through the lanes (`helpers.py`), and what each is told."""


@dataclass(frozen=True, eq=False)
class Runs:
    """What runs lanes: a machine; `host`, where recursion is by the host's calls, and the machine for what that leaves.

    limit: the deepest recursion. threads: 0 for as many as there are processors. block: threads of one on a GPU.
    """

    machine: LaneModule
    host: LaneModule | None = None
    limit: int = DEEPEST
    threads: int = 0
    block: int = THREADS

    @property
    def modules(self) -> tuple[LaneModule, ...]:
        return (self.machine,) if self.host is None else (self.host, self.machine)

    @property
    def runner(self) -> str:
        """The function that goes through the lanes."""
        if self.host is not None:
            return "_run_calls"
        if isinstance(self.machine, KernelModule):
            return "_run_kernel"
        return "_run_groups" if self.machine.queued else "_run_lanes"


@dataclass(frozen=True, eq=False)
class Made:
    """A function to be added: `program` is `traced`'s after the passes; `note` goes above it as a comment.

    runs      where it is over lanes, each at its own place: what runs them, instead of `program`
    failings  what the numbers say that lanes which failed are given
    axes      of each leaf of the arguments that has lanes: which of its axes they are
    written   leaves of the arguments that lanes write into; what they leave there comes last of the results
    """

    name: str
    doc: str
    note: str
    arguments: tuple[Argument, ...]
    traced: Traced
    program: Program
    target: str
    runs: Runs | None = None
    failings: tuple[str, ...] = ()
    axes: tuple[int | None, ...] = ()
    written: tuple[int, ...] = ()


@dataclass(frozen=True)
class Words:
    """Names at the module's level that a wrapper uses.

    kernel      the function over flat values, and the machine for what the host's calls leave
    hidden      the constant arrays that it takes after the arguments
    failures    the messages for lanes that fail
    of          the helpers
    class_name  named tuples
    avoid       the others
    """

    kernel: tuple[str, ...]
    hidden: tuple[str, ...]
    failures: str
    of: Callable[[str], str]
    class_name: Callable[[Any], str]
    avoid: frozenset[str]


def wrapper(made: Made, words: Words) -> str:
    """The text of `def name(arguments)`, which gives the kernel's flat results in their structure."""
    return Wrapper(made, words).text()


def helpers_called(made: Made) -> set[str]:
    """The helpers that the wrapper of a function calls."""
    found: set[str] = set()

    def of(word: str) -> str:
        found.add(word)
        return word

    wrapper(made, Words(("_", "_"), (), "_", of, lambda cls: str(cls.__name__), frozenset()))
    return found


class Wrapper:
    def __init__(self, made: Made, words: Words):
        self.made, self.words, self.out = made, words, made.traced.out
        self.lines: list[str] = []
        self.streams: list[tuple[str, str]] = []
        self.operands: list[str] = []
        self.laned: list[str] = []
        self.axes = iter(made.axes)
        self.leaves = 0
        self.places: dict[int, str] = {}  # leaf that is written -> the caller's array, lanes first
        self.stores = stored(made.traced.program)  # leaves that the kernel itself writes into
        self.arrays: list[str] = []
        self.stored: list[tuple[str, str, str]] = []  # label, the caller's array, the converted one
        self.taken = {*words.avoid, *(a.name for a in made.arguments)}

    def text(self) -> str:
        made = self.made
        for argument in made.arguments:
            self.unpack(argument.entry, argument.name, argument.name, argument.name)
        at = len(self.lines)
        if made.runs is None:
            self.call()
        else:
            self.run(made.runs)
        self.lines[at:at] = self.count()
        head = [
            f"def {made.name}({', '.join(param_list(made.arguments))}):",
            textwrap.indent(f'"""{made.doc}', INDENT) + INDENT * made.doc.endswith("\n") + '"""',
        ]
        return "\n".join([*head, *(INDENT + line for line in self.lines)])

    @cached_property
    def lanes(self) -> str:
        """The name of their number, which is given where it is asked for."""
        return self.local("lanes")

    def count(self) -> list[str]:
        """The line that compares the numbers of lanes, and names them if something reads them."""
        named = f"{self.lanes} = " if "lanes" in vars(self) else ""
        if not self.laned or not (named or len(self.laned) > 1):
            return []
        return [f"{named}{self.words.of('_lanes')}({', '.join(self.laned)})"]

    # arguments

    def unpack(self, entry: Any, place: str, label: str, word: str) -> None:
        """The leaves of the argument at `place`, converted; `label` is what errors call it."""
        if isinstance(entry, Nest) and entry.cls is not complex:
            self.check(entry, place, label)
        match entry:
            case Nest(_, (re, im)) if entry.cls is complex:
                self.unpack(re, f"{place}.real", label, f"{word}_re")
                self.unpack(im, f"{place}.imag", label, f"{word}_im")
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
        parts = [str(len(nest.items))] if nest.keys is None else map(quote, nest.keys)
        given = ", ".join([quote(label), place, *parts])
        self.lines.append(f"{self.words.of(f'_check_{parts_word(nest)}')}({given})")

    def leaf(self, type_: Type, place: str, label: str, word: str) -> None:
        made = self.stream if type_.dtype == "rng" else self.converted
        self.leaves += 1
        name = made(type_, place, label, word)
        if type_.rank and type_.dtype != "rng":
            self.arrays.append(place if self.leaves - 1 in self.stores else name)
        if self.leaves - 1 in self.stores:
            self.stored.append((label, place, name))
        if is_laned(type_):
            self.laned.append(name)
        flat = self.made.runs is not None and is_laned(type_) and type_.rank > 2
        size = prod(n for n in type_.shape[1:] if isinstance(n, int))
        self.operands.append(f"{name}.reshape(len({name}), {size})" if flat else name)

    def converted(self, type_: Type, place: str, label: str, word: str) -> str:
        """A number or an array."""
        leaf = self.leaves - 1
        written = leaf in self.made.written
        name = place if place.isidentifier() and not written and leaf not in self.stores else self.local(word)
        shape = "".join(f", {n if isinstance(n, int) else None}" for n in type_.shape)
        plain = ".item()" if type_.weak else ""
        dtype, of = quote(type_.dtype), self.words.of
        value = place
        if (axis := next(self.axes, 0)) and is_laned(type_):
            value = f"{of('np')}.moveaxis({place}, {axis}, 0)"
        if written:
            self.places[leaf] = value
        value = f"{of('_narrowed')}({value}, {dtype})" if is_narrow(type_) else value
        given = f"{of('_given')}({quote(label)}, {value}, {dtype}{shape}){plain}"
        self.lines.append(f"{name} = {given}")
        return name

    def stream(self, type_: Type, place: str, label: str, word: str) -> str:
        """A random generator, or one a lane."""
        of = self.words.of
        next(self.axes, 0)
        one = f"{of('_generator')}({quote(label)}, {place})"
        if self.made.target == "numpy" and not type_.rank:
            self.lines.append(one)
            return place
        if type_.rank:
            name, put = self.local(f"{word}_states"), "_put_streams"
            self.lines.append(f"{name} = {of('_streams_of')}({quote(label)}, {place})")
        else:
            name, put = self.local(f"{word}_state"), "put_state"
            self.lines.append(f"{name} = {of('state_of')}({one})")
        self.streams.append((f"{of(put)}({place}, {name})", name))
        return name

    def local(self, word: str) -> str:
        return claim(word, self.taken)

    # the call and what comes back

    def call(self) -> None:
        made, out, words = self.made, self.out, self.words
        for label, place, _ in self.stored:
            others = (other for other in self.arrays if other != place)
            self.lines.append(f"{words.of('_writable')}({', '.join([quote(label), place, *others])})")
        call = f"{words.kernel[0]}({', '.join((*self.operands, *words.hidden))})"
        results = made.traced.program.entry.body.results
        types = list(types_in(out))
        own, typed = len(types), any(map(self.is_unboxed, types))
        flat = isinstance(out, Nest) and out.cls is tuple and all(isinstance(i, Type) for i in out.items)
        bare = isinstance(out, Type) or (flat and own > 1 and not typed)
        if bare and own == len(results) and not (made.failings or self.streams or self.stored):
            self.lines.append(f"return {self.build(out, iter([call])) if typed else call}")
            return
        names, left = self.names(own), self.left()
        targets = [*names, *self.advanced(results), *left.values()]
        if made.failings:
            targets.append(self.local("failed"))
        self.lines.append(f"{', '.join(targets)} = {call}" if targets else call)
        if left:  # they may show what is written next
            self.lines += [f"{result} = {result}.copy()" for result in [*names, *list(left.values())[1:]]]
        self.finish(names, targets[-1] if targets else "_", left)

    def run(self, runs: Runs) -> None:
        """The lines that run a machine over all lanes: streams advance in their rows."""
        made, machine, words = self.made, runs.machine, self.words
        types = list(types_in(self.out))
        results = made.traced.program.entry.body.results
        names, left = self.names(len(types)), self.left()
        types += [r.type for r in results[len(results) - len(left) :]]
        failed = self.local("failed") if made.failings else "_"
        given = [type_ for a in made.arguments for type_ in types_in(a.entry)]
        over = [*map(is_laned, given), *(False for _ in words.hidden)]
        params = made.traced.program.entry.params
        hidden = params[len(params) - len(words.hidden) :]
        shapes = tupled([tupled([quote(t.dtype), *map(str, t.shape)]) for t in types])
        told = {
            "starts": tupled([str(n) for n in runs.host.starts] if runs.host else []),
            "limit": runs.limit,
            "threads": runs.threads,
            "shared": tupled([str(not laned) for laned in over]),
            "stacks": tupled([quote(dtype) for _, dtype in machine.stacks]),
            "together": machine.together,
            "fails": getattr(machine, "fails", True),
            "zero": getattr(machine, "zero", False),
            "tables": tupled([words.of(name) for name in getattr(machine, "tables", ())]),
            "block": runs.block,
            "streams": tupled([str(t.dtype == "rng") for t in (*given, *(h.type for h in hidden))]),
        }
        self.lines += [
            f"{', '.join([*names, *left.values(), failed])} = {words.of(runs.runner)}(",
            *(f"{INDENT}{line}" for line in (*self.kernels(machine), f"{self.lanes},")),
            *(f"{INDENT}{word}={told[word]}," for word in RUNNERS[runs.runner]),
            f"{INDENT}arguments={tupled([*self.operands, *words.hidden])},",
            f"{INDENT}results={shapes},",
            ")",
        ]
        self.finish(names, failed, left)

    def kernels(self, machine: LaneModule) -> Iterable[str]:
        """The lines that say what runs lanes."""
        if isinstance(machine, KernelModule) and machine.products:
            return waiting_lanes(machine, self.words.of("WaitingLanes"), *self.words.kernel)
        return [f"{name}," for name in self.words.kernel]

    def names(self, count: int) -> list[str]:
        """Names for the results that are returned."""
        results = self.made.traced.program.entry.body.results[:count]
        return [self.local(result_name(r, k)) for k, r in enumerate(results)]

    def left(self) -> dict[int, str]:
        """Names of what lanes leave in arguments."""
        return {k: self.local(f"left{k}") for k in self.made.written}

    def finish(self, names: Sequence[str], failed: str, left: Mapping[int, str]) -> None:
        """What is done after the call: streams and what was written put back, the results in their structure."""
        self.lines += [put for put, _ in self.streams]
        self.lines += [f"{self.words.of('_put')}({place}, {name})" for _, place, name in self.stored]
        for k, name in left.items():
            if not self.made.failings:
                self.lines.append(f"{self.places[k]}[...] = {name}")
            else:
                self.lines.append(f"{self.places[k]}[{failed} == 0] = {name}[{failed} == 0]")
        words, out = self.words, self.out
        built = self.build(out, iter(names))
        if self.made.failings:
            self.lines.append(f"return {words.of('_check_lanes')}({failed}, {words.failures}, {built})")
        elif built != "None":
            bare = isinstance(out, Nest) and out.cls is tuple and len(out.items) > 1
            self.lines.append(f"return {built[1:-1] if bare else built}")

    def advanced(self, results: Sequence[Any]) -> list[str]:
        """Where the streams that come back go: one that was not drawn from does not come back."""
        back = [r.name for r in results if r.type.dtype == "rng"]
        params = [p.name for p in self.made.traced.program.entry.params if p.type.dtype == "rng"]
        names = [name for _, name in self.streams] or ["_"] * len(params)
        if len(back) == len(params):
            return names
        return [names[params.index(name)] for name in back]

    def is_unboxed(self, leaf: Any) -> bool:
        """Whether a result is a number of a narrower dtype that comes from Numba as Python's."""
        scalar = isinstance(leaf, Type) and not leaf.rank and is_narrow(leaf)
        return scalar and self.made.target == "numba" and not self.laned

    def build(self, entry: Any, names: Iterator[str]) -> str:
        """The text of a structure whose leaves are called `names`."""
        match entry:
            case Type():
                name = next(names)
                typed = self.is_unboxed(entry)
                return f"{self.words.of('np')}.{np.dtype(entry.dtype).name}({name})" if typed else name
            case GrowingList():
                return rows_text(entry.rows, iter(entry.python), names, self.words.class_name)
            case Nest(cls, items):
                parts = [self.build(item, names) for item in items]
                if isinstance(entry, Optional):
                    return f"({parts[1]} if {parts[0]} else None)"
                if cls is complex:
                    return f"{self.words.of('_complex')}({', '.join(parts)})"
                return structure(entry, parts, self.words.class_name)
            case Static(bool() | int() | float() | np.generic() as value) if self.laned:
                return f"{self.words.of('np')}.full({self.lanes}, {literal_text(value)})"
            case Static(value):
                return literal_text(value)
        raise AssertionError(f"a {type(entry).__name__} is returned")


def parts_word(nest: Nest) -> str:
    """What the parts of an argument are called: `items`, a dict's `keys` or a named tuple's `fields`."""
    if nest.keys is None:
        return "items"
    return "keys" if nest.cls is dict else "fields"
