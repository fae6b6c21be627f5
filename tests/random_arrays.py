"""Random programs over arrays of ranks 0 to 3, with axes of size 0, 1 and more, known and unknown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from codegen import ir
from codegen.ir import Function, Program, Type, Var
from codegen.ir.build import I8, Builder, call
from codegen.primitives.calls.subscripts import write

SLICES = (
    slice(None),
    slice(1, None),
    slice(None, -1),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(-2, None),
    slice(0, 1),
    slice(2, 0, -1),
    slice(5, None),
)
REFUSED = ("zero", "empty", "broadcast", "shape", "fit", "axes", "meet", "places", "out of bounds")


class Arrays:
    """Writes random array equations over a growing pool of values."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.b = Builder()
        self.pool: list[Any] = []

    def pick(self, items: Any) -> Any:
        return items[self.rng.integers(len(items))]

    def some(self, test: Callable[[Any], bool] = lambda e: True) -> Any:
        found = [e for e in self.pool if test(e)]
        return self.pick(found) if found else None

    def axes(self, rank: int) -> tuple[int, ...]:
        chosen = self.rng.choice(rank, size=self.rng.integers(1, rank + 1), replace=False)
        return tuple(sorted(chosen.tolist()))

    # Each gives a new value, or None where it has no operands.

    def binary(self, e: Any) -> Any:
        def meets(g: Any) -> bool:
            pairs = zip(reversed(e.type.shape), reversed(g.type.shape))
            return all(n is m or n == m or n == 1 or m == 1 for n, m in pairs)

        g = self.some(meets)
        rules = (
            np.add,
            np.multiply,
            np.subtract,
            np.maximum,
            lambda e, g: call(self.b, np.where, e > g, e, g),
        )
        return self.pick(rules)(e, g)

    def unary(self, e: Any) -> Any:
        rules = (
            np.tanh,
            np.negative,
            np.abs,
            lambda e: e * 2,
            lambda e: np.exp(-np.abs(e)),
            lambda e: e.astype("f4"),
        )
        return self.pick(rules)(e)

    def reduction(self, e: Any) -> Any:
        name = self.pick(("sum", "prod", "max", "min", "sum"))
        return self.b.apply(name, e, axis=self.axes(e.ndim)) if e.ndim else None

    def spread(self, e: Any) -> Any:
        """Rows against their means: what one loop over the rows writes, the next reads."""
        if not e.ndim:
            return None
        keepdims = bool(self.rng.random() < 0.5)
        made = call(self.b, np.var, e, axis=self.axes(e.ndim), keepdims=keepdims)
        return self.pick((made, np.sqrt(1.0 + made)))

    def truth(self, e: Any) -> Any:
        return (
            self.b.apply(self.pick(("any", "all")), e > 0, axis=self.axes(e.ndim)) * 1.0 if e.ndim else None
        )

    def place(self, e: Any) -> Any:
        name, axis = self.pick(("argmax", "argmin")), (int(self.rng.integers(max(e.ndim, 1))),)
        return self.b.apply(name, e, axis=axis) if e.ndim else None

    def running(self, e: Any) -> Any:
        return call(self.b, np.cumsum, e, axis=int(self.rng.integers(e.ndim))) if e.ndim else None

    def turned(self, e: Any) -> Any:
        return (
            self.b.apply("transpose", e, perm=tuple(self.rng.permutation(e.ndim).tolist()))
            if e.ndim
            else None
        )

    def reshaped(self, e: Any) -> Any:
        if self.rng.random() < 0.5:
            return call(self.b, np.reshape, e, -1)
        return call(self.b, np.expand_dims, e, int(self.rng.integers(e.ndim + 1)))

    def cut(self, e: Any) -> Any:
        return (
            e[tuple(self.pick(SLICES) for _ in range(self.rng.integers(1, e.ndim + 1)))] if e.ndim else None
        )

    def joined(self, e: Any) -> Any:
        g = self.some(lambda g: g.type.shape == e.type.shape)
        if self.rng.random() < 0.5:
            return call(self.b, np.stack, (e, g, e))
        return call(self.b, np.concatenate, (e, g), axis=int(self.rng.integers(e.ndim))) if e.ndim else None

    def outer(self, e: Any) -> Any:
        x, y = (self.some(lambda g: g.ndim == 1) for _ in range(2))
        return call(self.b, np.outer, x, y)

    def product(self, e: Any) -> Any:
        x = self.some(lambda g: 1 <= g.ndim <= 2)
        y = self.some(lambda g: 1 <= g.ndim <= 2 and g.type.shape[0] == x.type.shape[-1])
        if y is None:
            return None
        return x @ y if self.rng.random() < 0.6 or x.ndim + y.ndim < 4 else y.T @ x.T

    def gather(self, e: Any) -> Any:
        if not e.ndim:
            return None
        rows = self.b.apply("arange", e.shape[0], dtype="i8")
        if self.rng.random() < 0.5:
            rows = rows - e.shape[0]  # counted from the end
        if e.ndim > 1 and self.rng.random() < 0.4:
            return e[rows[:, None], self.b.apply("arange", e.shape[1], dtype="i8")]
        return e[rows]

    def written(self, e: Any) -> Any:
        if not e.ndim:
            return None
        where = self.pick(SLICES)
        value = e[(where,)] * 2 if self.rng.random() < 0.6 else 2
        return write(self.b, e, (where,), value, how=self.pick(("update", "accumulate")))

    def scattered(self, e: Any) -> Any:
        """To places that occur twice: of `update` the last wins."""
        if not e.ndim:
            return None
        places = self.b.apply("arange", e.shape[0], dtype="i8") // 2
        return write(self.b, e, (places,), e + 1, how=self.pick(("update", "accumulate")))

    def filled(self, e: Any) -> Any:
        shape = [self.pick((2, 3, *e.shape)) for _ in range(self.rng.integers(1, 3))]
        return self.b.apply("full", 1.0, *shape, dtype="f8")

    def copied(self, e: Any) -> Any:
        return e.copy()

    def element(self, e: Any) -> Any:
        return e[(-1,) * e.ndim] if e.ndim else None

    def statement(self) -> None:
        rules = (
            self.binary, self.binary, self.binary, self.unary, self.unary, self.reduction, self.spread, self.truth,
            self.place, self.running, self.turned, self.reshaped, self.cut, self.joined, self.outer,
            self.product, self.product, self.gather, self.written, self.scattered, self.filled, self.copied,
            self.element,
        )  # fmt: skip
        depth = len(self.b.equations)
        try:
            made = self.pick(rules)(self.some())
        except (TypeError, ValueError, SyntaxError) as error:
            if not any(word in str(error) for word in REFUSED):
                raise
            del self.b.equations[depth:]
            return
        if hasattr(made, "atom"):
            self.pool.append(made)


def array_program(seed: int, statements: int = 8) -> tuple[Program, tuple[Any, ...]]:
    """A program over arrays and arguments for it."""
    w = Arrays(seed)
    known = w.rng.random() < 0.4
    symbols = [Var("n", I8), Var("m", I8)]
    counts = [int(w.rng.integers(0 if w.rng.random() < 0.2 else 1, 4)) for _ in symbols]
    dims: list[tuple[Any, int]] = [(c if known else s, c) for s, c in zip(symbols, counts)] + [(1, 1), (3, 3)]
    params, arguments = [], []
    for name, rank in zip("abcdefgh", (0, 1, 1, 2, 2, 3, 1, 1)):
        shape = [w.pick(dims) for _ in range(rank)] if name < "g" else [dims[ord(name) - ord("g")]]
        dtype = "i8" if name == "e" else "f8"
        params.append(Var(name, Type(dtype, tuple(d for d, _ in shape))))
        values = np.round(w.rng.normal(size=[c for _, c in shape]) * 2, 1 if name in "bd" else 8)
        arguments.append(values.astype(dtype) if rank else float(values))
    w.pool = [w.b.wrap(p) for p in params]
    for _ in range(statements):
        w.statement()
    results = (*w.pool[-3:], w.some())
    main = Function("main", tuple(params), w.b.block(results))
    return ir.program({"main": main}, "main"), tuple(arguments)
