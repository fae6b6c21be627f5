"""From a function and the types of its arguments to a typed Program.

    trace(f, (f8[n], i8)) -> Traced(program, ...)

A signature has one entry per argument: a Type, a Nest of entries, or Static(object). `Traced.out` has the same form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.build import I8
from codegen.infer.calls import bind, defaults_of
from codegen.infer.frame import Bottom, Frame
from codegen.infer.inference import Entry, Inference
from codegen.infer.packing import Packing, Result
from codegen.infer.values import Cell, Nest, Ref, Static, Value
from codegen.ir import Lit, Program, Type, Var, program
from codegen.read.tree import Define
from codegen.source import refuse

Signature = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Traced:
    """A program and how Python's arguments and results map to it.

    The program's parameters are the arguments' leaves in order, then `hidden` arrays of the enclosing scopes. Its
    results are `out`'s leaves in order, then the streams that came in, as they are after the draws.
    """

    program: Program
    arguments: Signature
    out: Any
    hidden: tuple[np.ndarray, ...] = ()
    stages: tuple[tuple[str, Program], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.program.entry.params)


def trace(f: Any, signature: Signature, keywords: dict[str, Any] | None = None, *, known_sizes: bool = False) -> Traced:
    """The Program of a Python function, or of a transformed one, for these types of arguments."""
    if hasattr(f, "trace") and hasattr(f, "__wrapped__"):
        traced: Traced = f.trace(signature, keywords or {}, known_sizes=known_sizes)
        return traced
    inference = Inference(known_sizes)
    define = inference.define(f)
    label = getattr(f, "__name__", "f")
    globals_ = inference.globals_of(f)
    shell = Frame(inference, define, globals_)
    bound = bind(
        define.parameters, signature, keywords or {}, defaults_of(shell, f, define.span), label, define.span
    )
    return trace_define(inference, shell, define, globals_, {}, bound, label)


def trace_define(
    inference: Inference,
    shell: Frame,
    define: Define | Any,
    globals_: Callable[[str], Any],
    captured: dict[str, Any],
    bound: dict[str, Any],
    label: str,
) -> Traced:
    """Infer `define` as the main function, its arguments given by a signature."""
    given = {key: value_of(shell, entry, key) for key, entry in bound.items()}
    outer = {key: value_of(shell, entry, key) for key, entry in captured.items()}
    packing = Packing(shell, keep_ints=True)
    env = {key: packing.pack(value, key) for key, value in given.items()}
    closed = {key: packing.pack(value, key) for key, value in outer.items()}
    entry = Entry(inference.fresh(label if label.isidentifier() else "f"), alive=define)
    inference.memo[("main",)] = entry
    try:
        summary = inference.once(entry, define, globals_, closed, env, packing, main=True)
    except Bottom:
        raise refuse(define.span, f"{label!r} calls itself on every way: what it returns cannot be known") from None
    arguments = (*(structure(e) for e in bound.values()), *(structure(e) for e in captured.values()))
    entry_function = inference.functions[entry.name]
    functions = {name: f for name, f in inference.functions.items() if name != entry.name}
    functions[entry.name] = entry_function
    results = entry_function.body.results
    out = out_structure(summary.value, results)
    made = program(functions, entry.name)
    return Traced(reorder(made, summary.value), arguments, out, summary.hidden, (("infer", made),))


def value_of(shell: Frame, entry: Any, name: str) -> Value:
    """A signature's entry as a value in the shell around the main function."""
    match entry:
        case Type():
            shape = tuple(n if isinstance(n, int) else Var(n.name, I8) for n in entry.shape)
            var = Var(name, Type(entry.dtype, shape, entry.weak))
            if not entry.rank and entry.dtype != "rng":
                return var
            cell = Cell(name)
            shell.st.store[cell] = var
            return Ref(cell)
        case Nest(_, items, keys):
            names = keys or tuple(str(k) for k in range(len(items)))
            return entry.with_items(
                tuple(value_of(shell, item, f"{name}_{k}") for item, k in zip(items, names, strict=True))
            )
    value: Value = entry
    return value


def structure(entry: Any) -> Any:
    """A default that is a literal takes no argument."""
    return Static(entry.value) if isinstance(entry, Lit) else entry


def out_structure(value: Any, results: tuple[Any, ...]) -> Any:
    match value:
        case Nest(_, items):
            return value.with_items(tuple(out_structure(item, results) for item in items))
        case Result(k):
            return results[k].type
        case Lit():
            return Static(value.value)
    return value


def result_order(value: Any) -> Iterator[int]:
    if isinstance(value, Nest):
        for item in value.items:
            yield from result_order(item)
    elif isinstance(value, Result):
        yield value.k


def reorder(made: Program, value: Any) -> Program:
    """Results in the order of the returned structure's leaves (an object returned twice is two results), then streams."""
    entry = made.entry
    listed = list(result_order(value))
    rest = [k for k in range(len(entry.body.results)) if k not in listed]
    results = tuple(entry.body.results[k] for k in (*listed, *rest))
    body = type(entry.body)(entry.body.equations, results)
    changed = type(entry)(entry.name, entry.params, body, entry.span, entry.doc)
    return program({**made.functions, made.main: changed}, made.main)
