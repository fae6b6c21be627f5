"""The functions of one program while they are inferred: once per function and kinds of arguments, recursion included."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.build import I8, code
from codegen.infer.frame import RESULT, RETURNED, Bottom, Frame
from codegen.infer.join import FALSE, certain, flag
from codegen.infer.packing import Given, Packing, Result, Summary, returned
from codegen.infer.values import Cell, Nest, Ref, Static, Unbound, Value
from codegen.ir import Function, Lit, Type, Var
from codegen.read.function import read_function
from codegen.source import Span, refuse

ROUNDS = 10
DEEPEST = 60


@dataclass(eq=False)
class Entry:
    """A function being inferred or inferred. `summary` is a guess while `open`."""

    name: str
    summary: Summary | None = None
    open: bool = True
    recursive: bool = False
    alive: Any = None


class Inference:
    """`known_sizes`: arrays of the enclosing scopes have their sizes in their types, not symbols for them."""

    def __init__(self, known_sizes: bool = False):
        self.known_sizes = known_sizes
        self.functions: dict[str, Function] = {}
        self.memo: dict[Any, Entry] = {}
        self.defines: dict[Any, Any] = {}
        self.frames: dict[Frame, Packing] = {}
        self.hidden: dict[Frame, dict[int, tuple[np.ndarray, Cell, Var]]] = {}
        self.splices: dict[Any, Any] = {}
        self.reserved: set[str] = set()
        self.depth = 0

    def define(self, f: Any, span: Span | None = None) -> Any:
        """The tree of a Python function, read once."""
        if f not in self.defines:
            self.defines[f] = read_function(f)
        return self.defines[f]

    def globals_of(self, f: Any) -> Callable[[str], Any]:
        """Name -> object, as the function itself would find it: its closure, its module, the builtins."""
        closed = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))

        def find(name: str) -> Any:
            if name in closed:
                try:
                    return closed[name].cell_contents
                except ValueError:
                    raise KeyError(name) from None
            if name in f.__globals__:
                return f.__globals__[name]
            return vars(builtins)[name]

        return find

    def given(self, frame: Frame) -> set[Cell]:
        """Objects that the caller holds too."""
        packing = self.frames.get(frame)
        return set() if packing is None or frame not in self.inner else set(packing.inner)

    @property
    def inner(self) -> set[Frame]:
        return self.__dict__.setdefault("_inner", set())

    def sizes(self, frame: Frame) -> set[Var]:
        """Sizes that the function's parameters bring."""
        packing = self.frames.get(frame)
        params = [] if packing is None else packing.params
        hidden = [var for _, _, var in self.hidden.get(frame, {}).values()]
        return {n for p in (*params, *hidden) for n in p.type.shape if isinstance(n, Var)}

    def capture(self, frame: Frame, array: np.ndarray, name: str) -> Value:
        """An array of the enclosing scopes, as a hidden parameter of the function that reads it."""
        mine = self.hidden.setdefault(frame, {})
        if id(array) not in mine:
            shape = tuple(n if self.known_sizes or n == 1 else Var("n", I8) for n in array.shape)
            var = Var(name, Type(code(array.dtype), shape))
            mine[id(array)] = (array, Cell(name, shared=f"{name!r} is an array of the enclosing scope"), var)
        _, cell, var = mine[id(array)]
        if not var.type.rank:
            return var
        frame.st.store.setdefault(cell, var)
        return Ref(cell)

    def infer(
        self,
        define: Any,
        globals_: Callable[[str], Any],
        captured: dict[str, Value],
        env: dict[str, Value],
        packing: Packing,
        label: str,
        span: Span,
    ) -> Summary:
        """The summary of a function for these kinds of arguments; Bottom where a recursion does not know it yet."""
        key = (id(define), tuple(captured), tuple(env), tuple(packing.key))
        entry = self.memo.get(key)
        if entry is not None:
            if entry.open:
                entry.recursive = True
                if entry.summary is None:
                    raise Bottom
            assert entry.summary is not None
            return entry.summary
        if self.depth >= DEEPEST:
            raise refuse(span, f"{label!r} calls itself with arguments of ever new kinds: their shapes must not change")
        entry = self.memo[key] = Entry(self.fresh(label), alive=(define, packing.alive))
        self.depth += 1
        try:
            return self.settle(entry, define, globals_, captured, env, packing, span)
        except Exception:
            self.memo.pop(key, None)
            self.functions.pop(entry.name, None)
            raise
        finally:
            self.depth -= 1

    def settle(self, entry: Entry, define: Any, globals_: Any, captured: Any, env: Any, packing: Packing, span: Span) -> Summary:
        """Infer until a recursive function's summary is what was assumed of it."""
        for _ in range(ROUNDS):
            before = set(self.memo)
            functions = set(self.functions)
            guess = entry.summary
            summary = self.once(entry, define, globals_, captured, env, packing, main=False)
            if not entry.recursive or (guess is not None and guess.signature() == summary.signature()):
                entry.summary, entry.open = summary, False
                return summary
            for key in set(self.memo) - before:
                del self.memo[key]
            for name in set(self.functions) - functions - self.reserved:
                del self.functions[name]
            entry.summary = summary
        raise refuse(span, f"the type of what {entry.name!r} returns changes with every call of itself")

    def once(
        self, entry: Entry, define: Any, globals_: Any, captured: Any, env: Any, packing: Packing, *, main: bool
    ) -> Summary:
        """Infer a function's body once."""
        from codegen.infer.statements import run

        frame = Frame(self, define, globals_, captured)
        self.frames[frame] = packing
        if not main:
            self.inner.add(frame)
        frame.st.env.update(env)
        frame.st.store.update(packing.state.store)
        run(frame, frame.body, frozenset())
        value = final_value(frame)
        shape, results = returned(frame, packing, value, define.span)
        written: list[tuple[int, int]] = []
        for k, cell in enumerate(packing.inner):
            now = frame.st.store[cell]
            stream = now.type.dtype == "rng"
            if now is not packing.state.store[cell] and (stream or not main):
                written.append((k, len(results)))
                results.append(now)
            elif main and not stream and contains_given(shape, k):
                shape = replace_given(shape, k, Result(len(results)))
                results.append(now)
        hidden = self.hidden.get(frame, {})
        params = (*packing.params, *(var for _, _, var in hidden.values()))
        body = frame.b.block(tuple(results))
        doc = getattr(define, "doc", None)
        self.functions[entry.name] = Function(entry.name, params, body, define.span, doc)
        arrays = tuple(array for array, _, _ in hidden.values())
        return Summary(entry.name, params, shape, tuple(r.type for r in body.results), tuple(written), arrays)

    def spliced(self, key: Any, obj: Any, signature: Any, keywords: Any) -> tuple[Any, str]:
        """A transformed function traced for a signature, its functions added under free names; once per kinds."""
        from codegen.infer.transformed import renamed

        if key not in self.splices:
            traced = obj.trace(signature, keywords, known_sizes=self.known_sizes)
            names: dict[str, str] = {}
            for name in traced.program.functions:
                names[name] = self.fresh(name)
                self.reserved.add(names[name])
            for function in traced.program.functions.values():
                self.functions[names[function.name]] = renamed(function, names)
            self.splices[key] = (traced, names[traced.program.main], obj)
        traced, main, _ = self.splices[key]
        return traced, main

    def fresh(self, label: str) -> str:
        """A function name that is not taken."""
        label = label if label.isidentifier() else "f"
        taken = {*self.functions, *self.reserved, *(e.name for e in self.memo.values())}
        name, k = label, 2
        while name in taken:
            name, k = f"{label}_{k}", k + 1
        return name


def contains_given(shape: Any, k: int) -> bool:
    if isinstance(shape, Nest):
        return any(contains_given(item, k) for item in shape.items)
    return isinstance(shape, Given) and shape.k == k


def replace_given(shape: Any, k: int, result: Result) -> Any:
    if isinstance(shape, Nest):
        return shape.with_items(tuple(replace_given(item, k, result) for item in shape.items))
    return result if isinstance(shape, Given) and shape.k == k else shape


def final_value(frame: Frame) -> Value:
    """What the function returns: None where control reaches its end on every way."""
    was = flag(frame.st, RETURNED)
    if frame.st.env.get("%dead") is not None and certain(frame.st.env["%dead"]):  # type: ignore[arg-type]
        return frame.st.env.get(RESULT, Static(None))
    if isinstance(was, Lit) and not was.value:
        return Static(None)
    value = frame.st.env[RESULT]
    if isinstance(value, Unbound):
        value = value.value or Static(None)
    if not certain(was) and not (isinstance(value, Static) and value.value is None):
        span = frame.define.span
        frame.b.require(frame.b.wrap(was), "TypeError", "a way through the function returns no value")
        if was is FALSE:
            raise refuse(span, "a way through the function returns no value")
    return value
