"""Small programs in the IR, built by hand: what the first program-counter autobatchers were tested on."""

from collections.abc import Callable
from typing import Any

from codegen.ir import Block, Call, For, Function, If, Lit, Program, Type, Var, While, program
from codegen.ir.build import Builder
from codegen.ir.check import check

I8 = Type("i8")
F8 = Type("f8")
B1 = Type("b1")


def function(name: str, params: dict[str, Type], body: Callable[..., tuple[Any, ...]]) -> Function:
    """A function whose body `body(builder, *params)` builds."""
    b = Builder(checked=False)
    variables = tuple(Var(n, t) for n, t in params.items())
    results = body(b, *(b.wrap(v) for v in variables))
    return Function(name, variables, b.block(results))


def made(*functions: Function) -> Program:
    """The program of these functions, the first one main."""
    return check(program({f.name: f for f in functions}, functions[0].name))


def call(b: Builder, name: str, types: tuple[Type, ...], *arguments: Any) -> tuple[Any, ...]:
    outs = tuple(Var("r", t) for t in types)
    b.emit(outs, Call(name, tuple(b.atom(a) for a in arguments)))
    return tuple(b.wrap(o) for o in outs)


def branch(b: Builder, types: tuple[Type, ...], test: Any, then: Any, orelse: Any) -> tuple[Any, ...]:
    """`then` and `orelse` are functions of a builder that give tuples."""
    outs = tuple(Var("j", t) for t in types)
    b.emit(outs, If(b.atom(test), inner(b, then), inner(b, orelse)))
    return tuple(b.wrap(o) for o in outs)


def inner(b: Builder, make: Callable[[Builder], tuple[Any, ...]]) -> Block:
    inside = b.inner()
    return inside.block(rewrap(inside, make(inside)))


def rewrap(b: Builder, values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(b.wrap(b.atom(v)) for v in values)


def loop(b: Builder, init: dict[str, tuple[Any, Type]], cond: Any, body: Any) -> tuple[Any, ...]:
    """A While; `cond` and `body` are functions of a builder and the carried values."""
    carried = tuple(Var(n, t) for n, (_, t) in init.items())
    outs = tuple(Var(n, t) for n, (_, t) in init.items())

    def over_carried(make: Any) -> Block:
        return inner(b, lambda i: make(i, *(i.wrap(v) for v in carried)))

    blocks = [over_carried(cond), over_carried(body)]
    b.emit(outs, While(carried, tuple(b.atom(v) for v, _ in init.values()), blocks[0], blocks[1]))
    return tuple(b.wrap(o) for o in outs)


def counted(b: Builder, stop: Any, init: dict[str, tuple[Any, Type]], body: Any) -> tuple[Any, ...]:
    """A For from 0; `body` is a function of a builder, the index and the carried values."""
    index = Var("i", I8)
    carried = tuple(Var(n, t) for n, (_, t) in init.items())
    outs = tuple(Var(n, t) for n, (_, t) in init.items())
    inside = inner(b, lambda i: body(i, i.wrap(index), *(i.wrap(v) for v in carried)))
    zero = Lit(0, I8)
    b.emit(
        outs, For(index, zero, b.atom(stop), 1, carried, tuple(b.atom(v) for v, _ in init.values()), inside)
    )
    return tuple(b.wrap(o) for o in outs)


def fib(dtype: str = "i8", *, swapped: bool = False) -> Program:
    """def fib(n): return 1 if n <= 1 else fib(n - 1) + fib(n - 2); `swapped` turns the branches round."""
    t = Type(dtype)

    def one(b: Builder) -> tuple[Any, ...]:
        return (Lit(1 if dtype[0] == "i" else 1.0, t),)

    def body(b: Builder, n: Any) -> tuple[Any, ...]:
        def both(i: Builder) -> tuple[Any, ...]:
            m = i.wrap(n.atom)
            (left,) = call(i, "fib", (t,), m - 1)
            (right,) = call(i, "fib", (t,), m - 2)
            return (left + right,)

        return branch(b, (t,), n > 1, both, one) if swapped else branch(b, (t,), n <= 1, one, both)

    return made(function("fib", {"n": t}, body))


def gcd() -> Program:
    """def gcd(a, b): a if a == b, else gcd(b, a) if a < b, else gcd(a - b, b)"""

    def body(b: Builder, x: Any, y: Any) -> tuple[Any, ...]:
        def differ(i: Builder) -> tuple[Any, ...]:
            u, v = i.wrap(x.atom), i.wrap(y.atom)
            return branch(
                i,
                (I8,),
                u < v,
                lambda k: call(k, "gcd", (I8,), v, u),
                lambda k: call(k, "gcd", (I8,), k.wrap(u.atom) - k.wrap(v.atom), v),
            )

        return branch(b, (I8,), b.apply("eq", x, y), lambda i: (x,), differ)

    return made(function("gcd", {"a": I8, "b": I8}, body))


def iota_sum() -> Program:
    """def iota_sum(n, acc): return acc if n <= 0 else iota_sum(n - 1, acc + n)"""

    def body(b: Builder, n: Any, acc: Any) -> tuple[Any, ...]:
        def more(i: Builder) -> tuple[Any, ...]:
            m, a = i.wrap(n.atom), i.wrap(acc.atom)
            return call(i, "iota_sum", (I8,), m - 1, a + m)

        return branch(b, (I8,), n <= 0, lambda i: (acc,), more)

    return made(function("iota_sum", {"n": I8, "acc": I8}, body))


def parity() -> Program:
    """def is_even(n): True if n == 0 else is_odd(n - 1), and is_odd likewise."""

    def of(other: str, at_zero: bool) -> Callable[..., tuple[Any, ...]]:
        def body(b: Builder, n: Any) -> tuple[Any, ...]:
            less = lambda i: call(i, other, (B1,), i.wrap(n.atom) - 1)
            return branch(b, (B1,), b.apply("eq", n, 0), lambda i: (Lit(at_zero, B1),), less)

        return body

    return made(
        function("is_even", {"n": I8}, of("is_odd", True)),
        function("is_odd", {"n": I8}, of("is_even", False)),
    )


def pea_nuts() -> Program:
    """A while over `count` around a binary recursion that adds 1 twice a level: state grows by 2 (2^depth -
    1).

    def pea_nuts(count, depth, state):
        while count > 0:
            count -= 1
            state = shell(state, (count + depth) % 4)
        return state

    def shell(state, depth):
        if depth <= 0: return state
        state = shell(state + 1, depth - 1)
        return shell(state + 1, depth - 1)
    """

    def main(b: Builder, count: Any, depth: Any, state: Any) -> tuple[Any, ...]:
        def body(i: Builder, c: Any, s: Any) -> tuple[Any, ...]:
            left = c - 1
            (s,) = call(i, "shell", (I8,), s, (left + i.wrap(depth.atom)) % 4)
            return left, s

        return loop(b, {"count": (count, I8), "state": (state, I8)}, lambda i, c, s: (c > 0,), body)[1:]

    def shell(b: Builder, state: Any, depth: Any) -> tuple[Any, ...]:
        def deeper(i: Builder) -> tuple[Any, ...]:
            less = i.wrap(depth.atom) - 1
            (s,) = call(i, "shell", (I8,), i.wrap(state.atom) + 1, less)
            return call(i, "shell", (I8,), s + 1, less)

        return branch(b, (I8,), depth <= 0, lambda i: (state,), deeper)

    return made(
        function("pea_nuts", {"count": I8, "depth": I8, "state": I8}, main),
        function("shell", {"state": I8, "depth": I8}, shell),
    )


def first_beyond() -> Program:
    """The first i < 100 with i * i > n, by a While with a carried `found` flag, as `break` is lowered; else
    -1."""

    def main(b: Builder, n: Any) -> tuple[Any, ...]:
        def cond(i: Builder, k: Any, found: Any, at: Any) -> tuple[Any, ...]:
            return (i.apply("and", i.apply("not", found), k < 100),)

        def body(i: Builder, k: Any, found: Any, at: Any) -> tuple[Any, ...]:
            hit, where = branch(
                i,
                (B1, I8),
                k * k > i.wrap(n.atom),
                lambda j: (Lit(True, B1), k),
                lambda j: (Lit(False, B1), at),
            )
            following = i.apply("add", k, 1)
            return following, hit, where

        carried = {"k": (Lit(0, I8), I8), "found": (Lit(False, B1), B1), "at": (Lit(-1, I8), I8)}
        return loop(b, carried, cond, body)[2:]

    return made(function("first_beyond", {"n": I8}, main))
