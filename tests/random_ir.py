"""Random well-typed programs to hold passes against `evaluate`: branches, loops, in-place writes, calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from codegen import ir
from codegen.ir import Call, Equation, For, Function, If, Program, Type, Var, While
from codegen.ir.build import B1, I8, Builder
from codegen.ir.interpreter import evaluate
from codegen.ir.literals import literal

F8 = Type("f8")
BINARY = (np.add, np.subtract, np.multiply, np.maximum, lambda x, y: x / (2.0 + np.abs(y)))
UNARY = (np.sin, np.tanh, np.negative, np.abs, lambda x: x * 1.0, lambda x: 0.0 - x, lambda x: -(x * -1.0))
COMPARE = (np.less, np.greater_equal, np.equal)


class Writer:
    """Writes random equations into a Builder over a pool of values in scope."""

    def __init__(self, rng: np.random.Generator, shapes: tuple[tuple[Any, ...], ...], helper: bool):
        self.rng, self.shapes, self.helper = rng, shapes, helper

    def pick(self, items: Any) -> Any:
        return items[self.rng.integers(len(items))]

    def value(self, b: Builder, pool: list[Any], shape: Any) -> Any:
        """A value of this shape: one from the pool or a new one."""
        found = [v for v in pool if v.type.shape == shape and v.type.dtype == "f8"]
        if found and self.rng.random() < 0.9:
            return b.wrap(self.pick(found))
        if not shape:
            return float(self.pick((0.0, 1.0, -1.0, 0.5)))
        return b.apply("full", float(self.pick((0.0, 1.0))), *shape, dtype="f8")

    def place(self, b: Builder, pool: list[Any], array: Any) -> tuple[Any, ...]:
        """Ints in range of the array's axes."""
        ints = [v for v in pool if v.type == I8]
        return tuple((b.wrap(self.pick(ints)) + int(self.rng.integers(3))) % n for n in b.wrap(array).shape)

    def statement(self, b: Builder, pool: list[Any], depth: int) -> None:
        shape = self.pick(self.shapes)
        arrays = [v for v in pool if v.type.shape == self.shapes[-1] != () and v.type.dtype == "f8"]
        kinds = ["binary", "unary", "binary", "int", "read", "write", "add", "where", "sum", "check", "call"]
        if depth:
            kinds += ["if", "for", "while", "if", "for"]
        kind = self.pick(kinds)
        made: Any = None
        if kind == "binary":
            made = self.pick(BINARY)(self.value(b, pool, shape), self.value(b, pool, self.pick((shape, ()))))
        elif kind == "unary":
            made = self.pick(UNARY)(self.value(b, pool, shape))
        elif kind == "int":
            ints = [v for v in pool if v.type == I8]
            made = b.wrap(self.pick(ints)) + self.pick([1, -1, b.wrap(self.pick(ints)), 0])
        elif kind == "read" and arrays:
            array = self.pick(arrays)
            made = b.wrap(array)[self.place(b, pool, array)]
        elif kind in ("write", "add") and arrays:
            array, how = self.pick(arrays), {"write": "update", "add": "accumulate"}[kind]
            at = self.place(b, pool, array)
            made = b.apply(how, array, self.value(b, pool, ()), *at, spec=("i",) * len(at))
        elif kind == "where":
            test = b.apply(self.pick(("lt", "ge", "eq")), self.value(b, pool, ()), self.value(b, pool, ()))
            made = b.apply("select", test, self.value(b, pool, shape), self.value(b, pool, shape))
        elif kind == "sum" and shape:
            x = self.value(b, pool, shape)
            made = b.apply("sum", x, axis=tuple(range(len(shape)))) * 0.1
        elif kind == "check":
            x = self.value(b, pool, ())
            b.require(b.apply("ge", x * x, 0.0) if not isinstance(x, float) else True, "ValueError", "odd")
        elif kind == "call" and self.helper:
            outs = (Var("g", F8), Var("h", F8))
            b.emit(outs, Call("helper", tuple(b.atom(self.value(b, pool, ())) for _ in range(2))))
            pool.extend(outs)
        elif kind in ("if", "for", "while"):
            getattr(self, kind + "_")(b, pool, depth - 1)
        if made is not None and not isinstance(made, int | float | np.generic):
            pool.append(made.atom)

    def body(self, b: Builder, pool: list[Any], depth: int) -> list[Any]:
        inner = list(pool)
        for _ in range(self.rng.integers(1, 6)):
            self.statement(b, inner, depth)
        return inner

    def slots(self, pool: list[Any]) -> list[Any]:
        chosen = [v for v in pool if isinstance(v, Var) and v.type.dtype == "f8"]
        return [self.pick(chosen) for _ in range(self.rng.integers(1, 4))]

    def results(self, pool: list[Any], like: list[Any], new: int) -> tuple[Any, ...]:
        """A value for each slot, of its type, often one of the block's own."""
        fresh = pool[new:]
        return tuple(
            self.pick([v for v in fresh if v.type == x.type] or [v for v in pool if v.type == x.type])
            for x in like
        )

    def if_(self, b: Builder, pool: list[Any], depth: int) -> None:
        x = self.value(b, pool, ())
        test = b.atom(b.apply(self.pick(("lt", "ge")), x, 0.25)) if self.rng.random() < 0.9 else literal(True)
        slots = self.slots(pool)
        parts = []
        for _ in range(2):
            inner = b.inner()
            then = self.body(inner, pool, depth)
            parts.append(inner.block(self.results(then, slots, len(pool))))
        outs = tuple(Var(v.name, v.type) for v in slots)
        b.emit(outs, If(test, parts[0], parts[1]))
        pool.extend(outs)

    def for_(self, b: Builder, pool: list[Any], depth: int) -> None:
        slots = self.slots(pool)
        index, carried = Var("i", I8), tuple(Var(v.name, v.type) for v in slots)
        inner = b.inner()
        then = self.body(inner, [*pool, index, *carried], depth)
        block = inner.block(self.results(then, list(carried), len(pool)))
        start, stop, step = self.pick(((0, 3, 1), (0, 1, 1), (2, -1, -1), (1, 1, 1), (0, 4, 2)))
        outs = tuple(Var(v.name, v.type) for v in slots)
        loop = For(index, literal(start), literal(stop), step, carried, tuple(slots), block)
        b.emit(outs, loop)
        pool.extend(outs)

    def while_(self, b: Builder, pool: list[Any], depth: int) -> None:
        slots = self.slots(pool)
        count, carried = Var("c", I8), tuple(Var(v.name, v.type) for v in slots)
        cond, inner = b.inner(), b.inner()
        test = cond.wrap(count) < int(self.rng.integers(0, 4))
        then = self.body(inner, [*pool, *carried], depth)
        block = inner.block((inner.wrap(count) + 1, *self.results(then, list(carried), len(pool))))
        outs = tuple(Var(v.name, v.type) for v in (count, *slots))
        b.emit(outs, While((count, *carried), (literal_i8(0), *slots), cond.block((test,)), block))
        pool.extend(outs)


def literal_i8(n: int) -> Any:
    return ir.Lit(n, I8)


def random_program(seed: int, *, statements: int = 12, depth: int = 2) -> tuple[Program, tuple[Any, ...]]:
    """A program `main(a, k, x: f8[n], y: f8[n], z: f8[n])` and arguments for it."""
    rng = np.random.default_rng(seed)
    n = Var("n", I8)
    params = (Var("a", F8), Var("k", I8), *(Var(v, Type("f8", (n,))) for v in "xyz"))
    functions: dict[str, Function] = {"helper": helper(rng)}
    b = Builder()
    pool: list[Any] = [*params, n]
    writer = Writer(rng, ((), (n,)), helper=True)
    for _ in range(statements):
        writer.statement(b, pool, depth)
    values = [v for v in pool if v.type != B1 and isinstance(v, Var)]
    results = tuple(values[k] for k in rng.integers(len(values), size=3)) + (values[-1],)
    functions["main"] = Function("main", params, b.block(results))
    size = int(rng.integers(1, 4))
    arrays = tuple(rng.normal(size=size) for _ in range(3))
    return ir.program(functions, "main"), (float(rng.normal()), int(rng.integers(-2, 3)), *arrays)


def helper(rng: np.random.Generator) -> Function:
    params = (Var("u", F8), Var("v", F8))
    b = Builder()
    pool: list[Any] = list(params)
    writer = Writer(rng, ((),), helper=False)
    for _ in range(4):
        writer.statement(b, [*pool, literal_i8(1)], 0)
        pool.append((b.wrap(pool[-1]) * b.wrap(pool[0])).atom)
    return Function("helper", params, b.block((pool[-1], pool[0])))


def same(got: tuple[Any, ...], want: tuple[Any, ...], tolerance: float = 0.0) -> bool:
    """Equal dtypes, shapes and values; nan equals nan, 0.0 equals -0.0."""
    pairs = [(np.asarray(g), np.asarray(w)) for g, w in zip(got, want, strict=True)]
    return all(
        g.dtype == w.dtype and g.shape == w.shape and np.allclose(g, w, tolerance, tolerance, equal_nan=True)
        for g, w in pairs
    )


def keeps(before: Program, after: Program, arguments: tuple[Any, ...]) -> bool:
    """Whether a program gives exactly what it gave before a pass, or an error of the same class."""
    try:
        expected = evaluate(before, *arguments)
    except (IndexError, ValueError) as error:
        try:
            evaluate(after, *arguments)
        except type(error):
            return True
        return False
    return same(evaluate(after, *arguments), expected)


def summed(program: Program) -> Program:
    """The program that gives the sum of all floats that this one gives."""
    b = Builder()
    b.equations += list(program.entry.body.equations)
    total: Any = 0.0
    for result in program.entry.body.results:
        if result.type.is_float:
            every = tuple(range(result.type.rank))
            total = total + (b.apply("sum", result, axis=every) if every else b.wrap(result) * 1.0)
    entry = replace(program.entry, body=b.block((total,)))
    return ir.program({**program.functions, program.main: entry}, program.main)


def equations(program: Program) -> list[Equation]:
    """All equations, nested ones included."""
    from codegen.ir.substitution import blocks

    found: list[Equation] = []
    todo = [f.body for f in program.functions.values()]
    while todo:
        for equation in todo.pop().equations:
            found.append(equation)
            todo += blocks(equation.op)
    return found
