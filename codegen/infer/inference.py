"""The functions of one program while they are inferred: once per function and kinds of arguments, recursive or not."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from codegen.infer.calls.packing import Given, Packing, Summary, returned
from codegen.infer.control.join import certain, flag, possible
from codegen.infer.dependencies import note_cell, note_name
from codegen.infer.frame import DEAD, RESULT, RETURNED, Bottom, Frame, Live
from codegen.infer.unloaded import ReadFunction
from codegen.infer.values import Cell, Ref, Static, Unbound, Value, rebuild
from codegen.ir import Apply, Atom, Function, Type, Var
from codegen.ir.broadcasting import LEAST, Meets
from codegen.ir.build import SIZE
from codegen.ir.literals import code
from codegen.primitives import ROWS
from codegen.read.ends import falls
from codegen.read.function import read_function
from codegen.read.tree import Define, Lambda, Statement, relocated
from codegen.source import Span, refuse

ROUNDS = 10
DEEPEST = 60  # calls of one function inferred inside one another
WIDEST = 4000  # entries of a call's key: about two per argument, items of tuples counted

Globals = Callable[[str], Any]
Run = Callable[[Frame, tuple[Statement, ...], Live], None]


@dataclass(frozen=True, eq=False)
class Callee:
    """A user's function to be inferred: its tree, the names around it, its arguments and captured values."""

    define: Define | Lambda
    globals: Globals
    env: dict[str, Value]
    captured: dict[str, Value]
    packing: Packing
    label: str

    @property
    def key(self) -> Any:
        return id(self.define), tuple(self.captured), tuple(self.env), tuple(self.packing.key)


@dataclass(eq=False)
class Entry:
    """A function being inferred or inferred. `summary` is a guess while `open`; `alive` keeps what ids stand for."""

    name: str
    alive: Any
    summary: Summary | None = None
    open: bool = True
    recursive: bool = False
    frame: Frame | None = None
    value: Value | None = None


class Inference:
    """`run` infers statements; `known_sizes`: arrays of the enclosing scopes have their sizes in their types;
    `writes`: the main function's caller sees what is written into arguments, as every other caller does."""

    def __init__(self, run: Run, known_sizes: bool = False, writes: bool = False):
        self.run = run
        self.known_sizes = known_sizes
        self.writes = writes
        self.functions: dict[str, Function] = {}
        self.augmented: set[tuple[object, str]] = (
            set()
        )  # names of numbers that `+=` binds anew, by their function
        self.points: dict[Var, Value] = {}  # numbers that are arrays without axes: the parts that they show
        self.memo: dict[Any, Entry] = {}
        self.defines: dict[Any, Define] = {}
        self.definitions: set[Define | Lambda] = (
            set()
        )  # trees that stand at a user's call of a library's function
        self.callers: dict[Frame, Packing] = {}
        self.hidden: dict[Frame, dict[int, tuple[np.ndarray, Cell, Var]]] = {}
        self.splices: dict[Any, Any] = {}
        self.reserved: set[str] = set()
        self.inside: Counter[Define | Lambda] = Counter()  # calls that are being inferred
        self.meets = Meets()

    def again(self, known_sizes: bool) -> Inference:
        """An inference of its own for another program."""
        return Inference(self.run, known_sizes)

    def define(self, f: Any) -> Define:
        """The tree of a Python function, read once."""
        if isinstance(f, ReadFunction):
            return f.define
        if f not in self.defines:
            self.defines[f] = read_function(f)
        return self.defines[f]

    def definition(self, f: Any, span: Span) -> Define:
        """The tree of a definition as if it stood where it is called."""
        if (f, span) not in self.defines:
            self.defines[f, span] = relocated(read_function(f), span)
            self.definitions.add(self.defines[f, span])
        return self.defines[f, span]

    def globals_of(self, f: Any) -> Globals:
        """Name -> object, as the function itself would find it: its closure, its module, the builtins."""
        if isinstance(f, ReadFunction):
            return f.globals
        closed = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))

        def find(name: str) -> Any:
            if name in closed:
                try:
                    found = closed[name].cell_contents
                except ValueError:
                    raise KeyError(name) from None
                note_cell(closed[name], found)
                return found
            if name in f.__globals__:
                note_name(f.__globals__, name, f.__globals__[name])
                return f.__globals__[name]
            return vars(builtins)[name]

        return find

    def given(self, frame: Frame) -> set[Cell]:
        """Objects that the caller holds too."""
        return set(self.callers[frame].inner) if frame in self.callers else set()

    def capture(self, frame: Frame, array: np.ndarray, name: str) -> Value:
        """An array of the enclosing scopes, as a hidden parameter of the function that reads it."""
        mine = self.hidden.setdefault(frame, {})
        if id(array) not in mine:
            shape = tuple(n if self.known_sizes or n == 1 else Var("n", SIZE) for n in array.shape)
            LEAST.update((n, 2) for n, count in zip(shape, array.shape) if isinstance(n, Var) and count > 1)
            var = Var(name, Type(code(array.dtype), shape))
            mine[id(array)] = (array, Cell(name, shared="it is an array of the enclosing scope"), var)
        _, cell, var = mine[id(array)]
        if not var.type.rank:
            return var
        frame.st.store.setdefault(cell, var)
        return Ref(cell)

    def infer(self, callee: Callee, span: Span) -> Summary:
        """The summary of a function for these kinds of arguments; Bottom where a recursion does not know it yet."""
        return self.entry(callee, span).summary  # type: ignore[return-value]

    def found(self, callee: Callee) -> Summary | None:
        """The summary of a function that was inferred for these kinds of arguments before, or a guess at it."""
        entry = self.memo.get(callee.key)
        return entry.summary if entry else None

    def entry(self, callee: Callee, span: Span) -> Entry:
        """As `infer`, with all that was found."""
        key = callee.key
        if key in self.memo:
            entry = self.memo[key]
            entry.recursive = entry.recursive or entry.open
            if entry.summary is None:
                raise Bottom
            return entry
        if self.inside[callee.define] >= DEEPEST or len(callee.packing.key) > WIDEST:
            why = "calls itself with arguments of ever new kinds: their shapes must not change"
            raise refuse(span, f"{callee.label!r} {why}")
        entry = self.memo[key] = Entry(self.fresh(callee.label), (callee.define, callee.packing.alive))
        self.inside[callee.define] += 1
        try:
            self.settle(entry, callee, span)
            return entry
        except Exception:
            del self.memo[key]
            self.functions.pop(entry.name, None)
            raise
        finally:
            self.inside[callee.define] -= 1

    def settle(self, entry: Entry, callee: Callee, span: Span) -> None:
        """Infer until a recursive function's summary is what was assumed of it."""
        for _ in range(ROUNDS):
            before, functions = set(self.memo), set(self.functions)
            guess = entry.summary
            summary = self.once(entry, callee, main=False)
            entry.summary = summary
            if not entry.recursive or (guess is not None and guess.signature() == summary.signature()):
                entry.open = False
                return
            for key in set(self.memo) - before:
                del self.memo[key]
            for name in set(self.functions) - functions - self.reserved:
                del self.functions[name]
        raise refuse(span, f"the type of what {entry.name!r} returns changes with every call of itself")

    def once(self, entry: Entry, callee: Callee, *, main: bool) -> Summary:
        """Infer a function's body once. Where nobody sees writes, the main function's arrays are its own."""
        packing = callee.packing
        frame = entry.frame = Frame(self, callee.define, callee.globals, callee.captured)
        if self.writes or not main:
            self.callers[frame] = packing
        frame.st.env.update(callee.env)
        frame.st.store.update(packing.state.store)
        self.run(frame, frame.body, frozenset())
        entry.value = final_value(frame)
        return self.finish(entry, callee, main=main)

    def finish(self, entry: Entry, callee: Callee, *, main: bool) -> Summary:
        """Enter the function whose body was inferred, with its results for callers or for nobody who sees writes."""
        frame, packing, span = entry.frame, callee.packing, callee.define.span
        assert frame is not None and entry.value is not None
        inner = packing.inner if self.writes or not main else []
        value, results = returned(frame, inner, entry.value, frame.returning)
        if main and self.writes:
            value = kept_given(frame, inner, value, results)
        written: list[tuple[int, int]] = []
        for k, cell in enumerate(packing.inner):
            now, before = frame.st.store[cell], packing.state.store[cell]
            if now is before:
                continue
            if not main or now.type.dtype == "rng":
                written.append((k, len(results)))
                results.append(now)
            elif self.writes:
                place = next(p for p, param in enumerate(packing.params) if param is before)
                frame.b.emit((), Apply(ROWS["store"], (now,), MappingProxyType({"param": place})))
        hidden = self.hidden.get(frame, {})
        params = (*packing.params, *(var for _, _, var in hidden.values()))
        body = frame.b.block(tuple(results))
        doc = getattr(callee.define, "doc", None)
        self.functions[entry.name] = Function(entry.name, params, body, span, doc)
        arrays = tuple(array for array, _, _ in hidden.values())
        return Summary(entry.name, params, value, tuple(r.type for r in body.results), tuple(written), arrays)

    def fresh(self, label: str) -> str:
        """A function name that is not taken."""
        label = label if label.isidentifier() else "f"
        taken = {*self.functions, *self.reserved, *(e.name for e in self.memo.values())}
        name, k = label, 2
        while name in taken:
            name, k = f"{label}_{k}", k + 1
        return name


def kept_given(frame: Frame, inner: list[Cell], value: Any, results: list[Atom]) -> Any:
    """A main function's value: the arguments it gives back are results as well."""
    made: dict[int, Given] = {}

    def make(leaf: Any) -> Any:
        if not isinstance(leaf, Given):
            return leaf
        if leaf.k not in made:
            made[leaf.k] = Given(leaf.k, len(results))
            results.append(frame.st.store[inner[leaf.k]])
        return made[leaf.k]

    return rebuild(value, make)


def final_value(frame: Frame) -> Value:
    """What the function returns: None where control reaches its end on every way."""
    env, was = frame.st.env, flag(frame.st, RETURNED)
    value = env.get(RESULT, Static(None))
    if certain(flag(frame.st, DEAD)) or not possible(was):
        return value if possible(was) else Static(None)
    if isinstance(value, Unbound):
        value = value.value or Static(None)
    nothing = isinstance(value, Static) and value.value is None
    if not certain(was) and not nothing and falls(frame.body, lambda branch: frame.ways.get(branch, set())):
        raise refuse(
            frame.returning,
            "a value is returned here and nothing on another way to the function's end: return one on every way",
        )
    return value
