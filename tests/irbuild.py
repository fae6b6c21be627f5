"""Short ways to build IR by hand, and random programs with loops, branches, calls and in-place writes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from codegen.ir import Call, For, Function, If, Program, Type, Var, While, program
from codegen.ir.build import Builder, E
from codegen.ir.literals import code
from codegen.primitives.calls.subscripts import parse, write

F8, I8, B1, RNG = Type("f8"), Type("i8"), Type("b1"), Type("rng")


def named(x: Any, name: str) -> Any:
    """The last value built, under a name of the user's."""
    if not isinstance(x, E) or not x.builder.equations or x.atom not in x.builder.equations[-1].outs:
        return x
    equation = x.builder.equations.pop()
    var = Var(name, x.atom.type)
    outs = tuple(var if o is x.atom else o for o in equation.outs)
    x.builder.equations.append(type(equation)(outs, equation.op, equation.span))
    return E(x.builder, var)


def enter(b: Builder, *values: Any) -> list[Any]:
    """Outer values, for use in an inner block."""
    return [E(b, v.atom) if isinstance(v, E) else v for v in values]


def function(name: str, params: Sequence[Var], body: Callable[..., Any], doc: str | None = None) -> Function:
    b = Builder()
    results = body(b, *(b.wrap(p) for p in params))
    return Function(
        name, tuple(params), b.block(results if isinstance(results, tuple) else (results,)), doc=doc
    )


def single(name: str, params: Sequence[Var], body: Callable[..., Any], doc: str | None = None) -> Program:
    return program({name: function(name, params, body, doc)}, name)


def finish(b: Builder, op: Any, types: Sequence[Type], names: Sequence[str]) -> tuple[Any, ...]:
    outs = tuple(Var(n, t) for n, t in zip(names, types))
    b.emit(outs, op)
    return tuple(b.wrap(o) for o in outs)


def if_(
    b: Builder, test: Any, names: Sequence[str], then: Callable[..., Any], orelse: Callable[..., Any]
) -> Any:
    """`then(b)` and `orelse(b)` give tuples of results."""
    one, two = b.inner(), b.inner()
    first, second = one.block(then(one)), two.block(orelse(two))
    return finish(b, If(b.atom(test), first, second), [r.type for r in first.results], names)


def for_(
    b: Builder, index: str, bounds: tuple[Any, Any, int], carried: dict[str, Any], body: Callable[..., Any]
) -> Any:
    """`body(b, i, *carried)` gives a tuple; the values that leave the loop."""
    inner = b.inner()
    i = Var(index, I8)
    init = tuple(b.atom(u) for u in carried.values())
    params = tuple(Var(n, Type(u.type.dtype, u.type.shape)) for n, u in zip(carried, init))
    results = inner.block(body(inner, E(inner, i), *(inner.wrap(p) for p in params)))
    start, stop, step = bounds
    op = For(i, b.atom(start), b.atom(stop), step, params, init, results)
    return finish(b, op, [p.type for p in params], list(carried))


def while_(b: Builder, carried: dict[str, Any], cond: Callable[..., Any], body: Callable[..., Any]) -> Any:
    init = tuple(b.atom(u) for u in carried.values())
    params = tuple(Var(n, Type(u.type.dtype, u.type.shape)) for n, u in zip(carried, init))
    one, two = b.inner(), b.inner()
    test = one.block((cond(one, *(one.wrap(p) for p in params)),))
    results = two.block(body(two, *(two.wrap(p) for p in params)))
    return finish(b, While(params, init, test, results), [p.type for p in params], list(carried))


def call_(b: Builder, name: str, operands: Sequence[Any], types: Sequence[Type], names: Sequence[str]) -> Any:
    return finish(b, Call(name, tuple(b.atom(o) for o in operands)), types, names)


def put(b: Builder, x: Any, index: Any, value: Any, how: str = "update") -> Any:
    """The array after x[index] = value (or +=)."""
    return write(b, E(b, x.atom), index, value, how=how)


def at(b: Builder, x: Any, index: Any) -> Any:
    spec, operands = parse(b, x.type, index)
    return b.apply("index", x, *operands, spec=spec)


def zeros(b: Builder, *dims: Any, dtype: str = "f8") -> Any:
    return b.apply("full", np.dtype(dtype).type(0), *dims, dtype=code(np.dtype(dtype)))


N = 4
VECTOR = Type("f8", (N,))
USER = ("a", "b", "s", "x", "np", "sum", "t", "t", "t")


class Random:
    """A random program over scalars and vectors of 4, heavy on writes, views, carried arrays and swaps."""

    def __init__(self, chance: random.Random):
        self.chance = chance
        self.functions: dict[str, Function] = {}

    def program(self) -> Program:
        for k in range(self.chance.randrange(3)):
            self.define(f"g{k}")
        self.define("f")
        return program(self.functions, "f")

    def define(self, name: str) -> None:
        params = [Var(self.name(), VECTOR) for _ in range(2)] + [Var(self.name(), F8) for _ in range(2)]
        b = Builder()
        state = State([b.wrap(p) for p in params[2:]], [b.wrap(p) for p in params[:2]], [])
        self.block(b, 0, state)
        results = (self.array(state), self.array(state), self.scalar(state))
        self.functions[name] = Function(name, tuple(params), b.block(results))

    def name(self) -> str:
        return self.chance.choice(USER)

    def scalar(self, state: State) -> Any:
        return self.chance.choice(state.scalars[-4:] + [0.5, -1.0])

    def array(self, state: State) -> Any:
        return self.chance.choice(state.arrays[-4:])

    def index(self, state: State) -> Any:
        return self.chance.choice(state.ints + [0, 1, 2, 3, -1])

    def block(self, b: Builder, depth: int, state: State) -> None:
        for _ in range(self.chance.randint(1, 7 - 2 * depth)):
            kinds = [self.arithmetic, self.read, self.write, self.write, self.write, self.view, self.whole]
            kinds += [self.branch, self.loop, self.loop, self.repeat, self.call] if depth < 2 else []
            self.chance.choice(kinds)(b, depth, state)

    def arithmetic(self, b: Builder, depth: int, state: State) -> None:
        x, y = self.scalar(state), self.scalar(state)
        if not isinstance(x, E) and not isinstance(y, E):
            return
        make = self.chance.choice(
            [
                lambda: x + y,
                lambda: x - 0.5 * y,
                lambda: x * y * 0.25,
                lambda: np.maximum(x, y),
                lambda: -(x - y),
            ]
        )
        state.scalars.append(named(make(), self.name()))

    def read(self, b: Builder, depth: int, state: State) -> None:
        state.scalars.append(named(at(b, self.array(state), self.index(state)), self.name()))

    def write(self, b: Builder, depth: int, state: State) -> None:
        x, how = self.array(state), self.chance.choice(["update", "accumulate"])
        kind = self.chance.randrange(4)
        if kind == 0:
            y = self.array(state)
            made = put(b, x, slice(1, 3), at(b, y, slice(0, 2)), how)
        elif kind == 1:
            value = self.scalar(state)
            made = put(b, x, self.index(state), -value if isinstance(value, E) else value, how)
        else:
            made = put(b, x, self.index(state), self.scalar(state), how)
        state.arrays.append(named(made, self.name()))

    def view(self, b: Builder, depth: int, state: State) -> None:
        x = self.array(state)
        made = at(b, x, slice(None, None, -1)) if self.chance.random() < 0.5 else b.apply("reshape", x, N)
        state.arrays.append(named(made, self.name()))

    def whole(self, b: Builder, depth: int, state: State) -> None:
        x, y = self.array(state), self.array(state)
        made = b.apply("copy", x) if self.chance.random() < 0.3 else x - 0.5 * y
        state.arrays.append(named(made, self.name()))

    def carried(self, state: State) -> dict[str, Any]:
        chosen = [self.array(state) for _ in range(self.chance.randrange(3))]
        chosen += [self.scalar(state) for _ in range(self.chance.randrange(2))]
        names = [f"{self.name()}" for _ in chosen]
        return {f"{n}{'_' * k}": c for k, (n, c) in enumerate(zip(names, chosen))}

    def inside(
        self, b: Builder, depth: int, state: State, carried: Sequence[Any], ints: list[Any]
    ) -> tuple[Any, ...]:
        inner = State(enter(b, *state.scalars), enter(b, *state.arrays), enter(b, *state.ints) + ints)
        for value in carried:
            (inner.arrays if value.type.rank else inner.scalars).append(value)
        self.block(b, depth + 1, inner)
        return tuple(self.array(inner) if c.type.rank else self.scalar(inner) for c in carried)

    def keep(self, state: State, outs: Sequence[Any]) -> None:
        for value in outs:
            (state.arrays if value.type.rank else state.scalars).append(value)

    def loop(self, b: Builder, depth: int, state: State) -> None:
        bounds = self.chance.choice([(0, 3, 1), (3, 0, -1), (1, 4, 2), (2, 2, 1)])
        outs = for_(
            b, "i", bounds, self.carried(state), lambda c, i, *p: self.inside(c, depth, state, p, [i])
        )
        self.keep(state, outs)

    def repeat(self, b: Builder, depth: int, state: State) -> None:
        outs = while_(
            b,
            {"k": 0, **self.carried(state)},
            lambda c, k, *p: k < 3,
            lambda c, k, *p: (k + 1, *self.inside(c, depth, state, p, [k])),
        )
        self.keep(state, outs[1:])

    def branch(self, b: Builder, depth: int, state: State) -> None:
        results = [Var("", VECTOR)] * self.chance.randrange(3) + [Var("", F8)] * self.chance.randrange(2)
        if not results:
            return
        outs = if_(
            b,
            b.wrap(b.atom(self.scalar(state))) < 0.3,
            [self.name() for _ in results],
            lambda c: self.arm(c, depth, state, results),
            lambda c: self.arm(c, depth, state, results),
        )
        self.keep(state, outs)

    def arm(self, b: Builder, depth: int, state: State, results: Sequence[Var]) -> tuple[Any, ...]:
        inner = State(enter(b, *state.scalars), enter(b, *state.arrays), enter(b, *state.ints))
        if self.chance.random() < 0.7:
            self.block(b, depth + 1, inner)
        return tuple(self.array(inner) if r.type.rank else self.scalar(inner) for r in results)

    def call(self, b: Builder, depth: int, state: State) -> None:
        if not self.functions:
            return
        name = self.chance.choice(sorted(self.functions))
        operands = [self.array(state), self.array(state), self.scalar(state), self.scalar(state)]
        outs = call_(b, name, operands, (VECTOR, VECTOR, F8), [self.name() for _ in range(3)])
        self.keep(state, outs)


class State:
    """The values in scope while a random program is built."""

    def __init__(self, scalars: list[Any], arrays: list[Any], ints: list[Any]):
        self.scalars, self.arrays, self.ints = scalars, arrays, ints
