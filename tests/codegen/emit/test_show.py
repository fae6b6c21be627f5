"""The printer: goldens read like code, and the text means the program, in place and all."""

import ast
import importlib.util
import inspect
import random
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from irbuild import (
    B1,
    F8,
    I8,
    RNG,
    VECTOR,
    N,
    Random,
    at,
    call_,
    enter,
    for_,
    function,
    if_,
    named,
    put,
    single,
    while_,
    zeros,
)

from autobatch import batch
from autodiff import grad
from codegen.api import jit
from codegen.emit.inplace import inplace
from codegen.emit.module import packages_needed, show
from codegen.ir import Program, Type, Var, program
from codegen.ir.check import check
from codegen.ir.exceptions import thrown
from codegen.ir.interpreter import evaluate
from codegen.source import Source, Span

SIZE, SIZE2 = Var("n", I8), Var("m", I8)
ARRAY = Type("f8", (SIZE,))


def run(p: Program, *args: Any) -> Any:
    """The main function's results, from the printed text."""
    scope: dict[str, Any] = {}
    exec(compile(show(check(p)), f"<{p.main}>", "exec"), scope)
    with np.errstate(all="ignore"):
        return scope[p.main](*args)


def same(p: Program, *args: Any) -> None:
    """Printed text and equations give the same, and leave arguments as they were."""
    before = [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]
    wanted = evaluate(p, *args)
    check(inplace(p), after="inplace")
    got = run(p, *args)
    for value, want in zip(got if len(wanted) > 1 else (got,), wanted, strict=True):
        np.testing.assert_array_equal(value, want)
    for argument, old in zip(args, before):
        np.testing.assert_array_equal(argument, old)


# Programs whose text is kept in tests/golden: one function each, as a front end would build them.


def recur(b, a, x0):
    x = put(b, named(zeros(b, b.wrap(SIZE)), "x"), 0, x0)
    step = lambda c, i, x: (put(c, x, i, at(c, x, i - 1) * at(c, *enter(c, a), i)),)
    return for_(b, "i", (1, b.wrap(SIZE), 1), {"x": x}, step)


def newton(b, a, x0):
    def step(c, x, e):
        (a_,) = enter(c, a)
        e = named((x * x - a_) / (2.0 * x), "e")
        return named(x - e, "x"), e

    return while_(b, {"x": x0, "e": 1.0}, lambda c, x, e: np.abs(e) > 1e-9, step)[0]


def trisolve(b, L, rhs):
    def row(c, i, x):
        def dot(d, j, s):
            L_, i_, x_ = enter(d, L, i, x)
            return (named(s - at(d, L_, (i_, j)) * at(d, x_, j), "s"),)

        L_, rhs_ = enter(c, L, rhs)
        (s,) = for_(c, "j", (0, i, 1), {"s": named(at(c, rhs_, i), "s")}, dot)
        return (put(c, x, i, s / at(c, L_, (i, i))),)

    return for_(b, "i", (0, b.wrap(SIZE), 1), {"x": named(zeros(b, b.wrap(SIZE)), "x")}, row)


def gauss(b, rhs, m):
    n = b.wrap(SIZE)

    def sweep(c, t, x, xs):
        def relax(d, i, x):
            (rhs_,) = enter(d, rhs)
            value = 0.25 * (at(d, rhs_, i) + at(d, x, i - 1) + np.sin(at(d, x, i) * at(d, x, i + 1)))
            return (put(d, x, i, value),)

        xs = put(c, xs, t, x)
        (x,) = for_(c, "i", (1, enter(c, n)[0] - 1, 1), {"x": x}, relax)
        return x, xs

    xs = named(b.apply("empty", m, n, dtype="f8"), "xs")
    return for_(b, "t", (0, m, 1), {"x": named(zeros(b, n), "x"), "xs": xs}, sweep)


def gauss_grad(b, x, x_olds, x_bar, b_bar):
    """One reversed sweep: what was overwritten is put back, adjoints accumulate in place."""
    n = b.wrap(SIZE)

    def back(c, i, x, x_bar, b_bar):
        x = put(c, x, i, at(c, enter(c, x_olds)[0], i))
        t_bar = named(0.25 * at(c, x_bar, i), "t_bar")
        x_bar = put(c, x_bar, i, 0.0)
        p_bar = named(t_bar * np.cos(at(c, x, i) * at(c, x, i + 1)), "p_bar")
        x_bar = put(c, x_bar, i - 1, t_bar, "accumulate")
        b_bar = put(c, b_bar, i, -t_bar, "accumulate")
        x_bar = put(c, x_bar, i + 1, at(c, x, i) * p_bar, "accumulate")
        return x, put(c, x_bar, i, p_bar * at(c, x, i + 1), "accumulate"), b_bar

    copies = {"x": x.copy(), "x_bar": x_bar.copy(), "b_bar": b_bar.copy()}
    return for_(b, "i", (n - 2, 0, -1), copies, back)[2]


def fib(b, k):
    def both(c):
        (k_,) = enter(c, k)
        (first,) = call_(c, "fib", [k_ - 1], [I8], ["t"])
        (second,) = call_(c, "fib", [k_ - 2], [I8], ["t"])
        return (first + second,)

    return if_(b, k < 2, ["t"], lambda c: (1,), both)


def gcd(b, x, y):
    return while_(b, {"a": x, "b": y}, lambda c, a, b: b != 0, lambda c, a, b: (b, a % b))[0]


def grade(b, x, low, high):
    def above(c):
        x_, low_, high_ = enter(c, x, low, high)
        return if_(c, x_ > high_, ["y", "k"], lambda d: (high_, 2), lambda d: (x_, 1))

    y, k = if_(b, x < low, ["y", "k"], lambda c: (*enter(c, low), 0), above)
    (z,) = if_(b, y > 0.0, ["z"], lambda c: (np.log(enter(c, y)[0]),), lambda c: (0.0,))
    ok = np.isfinite(z) & (k != 5)
    b.require(ok, "ValueError", "z is not finite")
    return y, k, z


def walk(b, rng, n):
    def step(c, i, rng, x):
        (rng, u) = c.apply("draw_random", rng, name="rng")

        def jump(d):
            r, x_ = enter(d, rng, x)
            r, z = d.apply("draw_standard_normal", r, name="rng")
            return r, x_ + 0.5 * z

        return if_(c, u < 0.3, ["rng", "x"], jump, lambda d: tuple(enter(d, rng, x)))

    rng, x = for_(b, "i", (0, n, 1), {"rng": rng, "x": 0.0}, step)
    rng, z = b.apply("draw_standard_normal", rng, 3, name="rng")
    rng, k = b.apply("draw_integers", rng, 0, n, name="rng")
    return x + np.sum(z), named(k, "k")


def bubble(b, x):
    """Swaps under an if, in place."""
    n = b.wrap(SIZE)

    def inner(c, j, x):
        def swap(d):
            x_, j_ = enter(d, x, j)
            old = at(d, x_, j_)
            return (put(d, put(d, x_, j_, at(d, x_, j_ + 1)), j_ + 1, old),)

        return if_(c, at(c, x, j) > at(c, x, j + 1), ["x"], swap, lambda d: tuple(enter(d, x)))

    def outer(c, i, x):
        return for_(c, "j", (0, enter(c, n)[0] - 1 - i, 1), {"x": x}, inner)

    return for_(b, "i", (0, n, 1), {"x": x}, outer)


def product(b, A, B):
    """A matrix product by loops."""
    n, m, k = (b.wrap(v) for v in (SIZE, SIZE2, A.type.shape[1]))

    def rows(c, i, C):
        def columns(d, j, C):
            def dot(e, l, s):
                A_, B_, i_, j_ = enter(e, A, B, i, j)
                return (s + at(e, A_, (i_, l)) * at(e, B_, (l, j_)),)

            (s,) = for_(d, "l", (0, enter(d, k)[0], 1), {"s": 0.0}, dot)
            return (put(d, C, (enter(d, i)[0], j), s),)

        return for_(c, "j", (0, enter(c, m)[0], 1), {"C": C}, columns)

    return for_(b, "i", (0, n, 1), {"C": named(zeros(b, n, m), "C")}, rows)


K = Var("k", I8)
GOLDENS: dict[str, Program] = {
    "recur": single("recur", [Var("a", ARRAY), Var("x0", F8)], recur),
    "newton": single("newton", [Var("a", F8), Var("x0", F8)], newton, doc="The root of a, from x0."),
    "trisolve": single("trisolve", [Var("L", Type("f8", (SIZE, SIZE))), Var("b", ARRAY)], trisolve),
    "gauss": single("gauss", [Var("b", ARRAY), Var("m", I8)], gauss),
    "gauss_grad": single(
        "gauss_grad", [Var(n, ARRAY) for n in ("x", "x_olds", "x_bar", "b_bar")], gauss_grad
    ),
    "fib": single("fib", [Var("k", I8)], fib),
    "gcd": single("gcd", [Var("a", I8), Var("b", I8)], gcd),
    "grade": single("grade", [Var("x", F8), Var("low", F8), Var("high", F8)], grade),
    "walk": single("walk", [Var("rng", RNG), Var("n", I8)], walk),
    "bubble": single("bubble", [Var("x", ARRAY)], bubble),
    "product": single(
        "product", [Var("A", Type("f8", (SIZE, K))), Var("B", Type("f8", (K, SIZE2)))], product
    ),
}

ARGUMENTS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "recur": lambda: (np.array([2.0, 3.0, 0.5]), np.float64(1.5)),
    "newton": lambda: (np.float64(2.0), np.float64(1.0)),
    "trisolve": lambda: (np.tril(np.arange(1.0, 10.0).reshape(3, 3)), np.array([1.0, 2.0, 3.0])),
    "gauss": lambda: (np.array([1.0, 2.0, 3.0, 4.0]), np.int64(2)),
    "gauss_grad": lambda: tuple(np.linspace(k, k + 1, 4) for k in range(4)),
    "fib": lambda: (np.int64(9),),
    "gcd": lambda: (np.int64(49), np.int64(56)),
    "grade": lambda: (np.float64(2.5), np.float64(1.0), np.float64(2.0)),
    "bubble": lambda: (np.array([3.0, 1.0, 2.0, -1.0]),),
    "product": lambda: (np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_golden(name, golden):
    golden(f"show_{name}.py", show(GOLDENS[name]))


def test_golden_numba(golden):
    golden("show_grade_numba.py", show(GOLDENS["grade"], target="numba", banner="The grade of a number."))


@pytest.mark.parametrize("name", ARGUMENTS)
def test_golden_means_its_program(name):
    same(GOLDENS[name], *ARGUMENTS[name]())


def test_draws_are_the_generator_s_own():
    stream, other = (np.random.Generator(np.random.Philox(key=[7, 3])) for _ in range(2))
    assert run(GOLDENS["walk"], stream, np.int64(20)) == evaluate(GOLDENS["walk"], other, np.int64(20))
    assert stream.random() == other.random()


# What a statement looks like.


def text_of(body: Callable[..., Any], *params: Var, **options: Any) -> str:
    """The printed body of one function, without head and imports."""
    text = show(check(single("f", params, body)), **options)
    return text[text.index("def f(") :].split("\n", 1)[1]


X, Y, I = Var("x", F8), Var("y", F8), Var("i", I8)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x, y: x - (y - 1.0), "x - (y - 1.0)"),
        (lambda x, y: x - y - 1.0, "x - y - 1.0"),
        (lambda x, y: x + (y + 1.0), "x + (y + 1.0)"),
        (lambda x, y: (x + y) * (x - y) / 2.0, "(x + y) * (x - y) / 2.0"),
        (lambda x, y: x / (y * 2.0), "x / (y * 2.0)"),
        (lambda x, y: -(x**2) + (-x) ** y, "-x ** 2 + (-x) ** y"),
        (lambda x, y: -(x + y) * 2.0, "-(x + y) * 2.0"),
        (lambda x, y: (x < y) & (y <= 2.0), "(x < y) & (y <= 2.0)"),
        (lambda x, y: np.logical_and(x < y, np.logical_not(y < 0.0)), "x < y and not y < 0.0"),
        (lambda x, y: np.where(x < y, x + 1.0, y), "x + 1.0 if x < y else y"),
        (lambda x, y: np.exp(np.where(x < y, x, y)) + 1.0, "np.exp(x if x < y else y) + 1.0"),
        (lambda x, y: x * np.inf + np.nan, "x * np.inf + np.nan"),
        (lambda x, y: x * -1e-12 - -2.5e20, "x * -1e-12 - -2.5e20"),
    ],
)
def test_expressions(make, text):
    assert text_of(lambda b, x, y: make(x, y), X, Y).strip() == f"return {text}"


def test_user_named_values_stay_statements():
    assert text_of(lambda b, x, y: np.exp(named(x + y, "s")), X, Y) == "    s = x + y\n    return np.exp(s)\n"


def test_what_is_used_twice_is_a_statement():
    assert text_of(lambda b, x, y: (t := x + y) * t, X, Y) == "    t = x + y\n    return t * t\n"


def test_an_element_read_twice_is_named_after_it():
    text = text_of(lambda b, x, i: (t := at(b, x, i)) * t, Var("x", VECTOR), I)
    assert text == "    x_i = x[i]\n    return x_i * x_i\n"


def test_reads_do_not_move_behind_writes():
    def body(b, x, i):
        x = x.copy()
        old = at(b, x, i)
        x = put(b, x, i, 0.0)
        return old * 2.0, x

    text = text_of(body, Var("x", VECTOR), I)
    assert text == "    x2 = x.copy()\n    x_i = x2[i]\n    x2[i] = 0.0\n    return x_i * 2.0, x2\n" or (
        text == "    t = x.copy()\n    t2 = t[i]\n    t[i] = 0.0\n    return t2 * 2.0, t\n"
    )


def test_long_expressions_are_parted():
    def body(b, x, y):
        for _ in range(12):
            x = x * y + 1.0
        return x

    lines = text_of(body, X, Y).splitlines()
    assert 3 < len(lines) < 10 and max(map(len, lines)) <= 100
    same(single("f", [X, Y], body), np.float64(1.5), np.float64(0.5))


def test_long_lists_are_broken():
    params = [Var(f"parameter_{k}", F8) for k in range(12)]
    text = text_of_whole(lambda b, *xs: tuple(x * 2.0 for x in xs), *params)
    assert max(map(len, text.splitlines())) <= 100
    assert text.startswith("def f(\n    parameter_0, parameter_1,")
    assert "\n):\n    return (\n        parameter_0 * 2.0,\n" in text


def text_of_whole(body: Callable[..., Any], *params: Var) -> str:
    return show(check(single("f", params, body)))


def test_swap_is_one_statement():
    p = single(
        "f", [X, Y], lambda b, x, y: for_(b, "i", (0, 3, 1), {"x": x, "y": y}, lambda c, i, x, y: (y, x))
    )
    assert show(p) == ("def f(x, y):\n    for _ in range(3):\n        x, y = y, x\n    return x, y\n")


def test_while_with_statements_in_its_condition():
    def cond(c, x):
        s = named(x * x, "s")
        return np.logical_and(s > 1.0, s < 100.0)

    p = single("f", [X], lambda b, x: while_(b, {"x": x}, cond, lambda c, x: (x + 1.0,)))
    assert show(p) == (
        "def f(x):\n"
        "    while True:\n"
        "        s = x * x\n"
        "        if not 1.0 < s < 100.0:\n"
        "            break\n"
        "        x += 1.0\n"
        "    return x\n"
    )
    same(p, np.float64(1.5))


def test_checks_and_fails():
    def body(b, i):
        b.require(i < 3, "IndexError", "i is too large")

        def no(c):
            c.apply("fail", exception=thrown("ValueError", 'no "negative" numbers'))
            return (0,)

        return if_(b, i < 0, ["y"], no, lambda c: (enter(c, i)[0] + 1,))

    assert text_of(body, I) == (
        "    if i >= 3:\n"
        '        raise IndexError("i is too large")\n'
        "    if i < 0:\n"
        "        raise ValueError('no \"negative\" numbers')\n"
        "    return i + 1\n"
    )


def test_no_name_of_the_user_s_is_in_the_way():
    names = ["np", "range", "len", "f", "lambda", "n", "copy"]
    params = [Var(n, F8) for n in names] + [Var("x", ARRAY)]

    def body(b, *values):
        *scalars, x = values
        total = sum(scalars[1:], scalars[0])
        return for_(b, "i", (0, b.wrap(SIZE), 1), {"n": total}, lambda c, i, s: (s + at(c, *enter(c, x), i),))

    same(single("f", params, body), *(np.float64(k) for k in range(len(names))), np.array([1.0, 2.0]))


def test_sizes_come_from_the_arrays():
    def body(b, A):
        n, m = (b.wrap(v) for v in A.type.shape)
        return n + m, n

    assert text_of(body, Var("A", Type("f8", (SIZE, SIZE2)))) == ("    n, m = A.shape\n    return n + m, n\n")
    assert text_of(lambda b, x: b.wrap(SIZE) * 2, Var("x", ARRAY)) == "    return len(x) * 2\n"


def test_subscripts():
    def body(b, A, k, i):
        return (
            at(b, A, (i, slice(None))),
            at(b, A, (slice(None, i), None)),
            at(b, A, (k, 1)),
            at(b, A, slice(None, None, -2)),
        )

    params = (Var("A", Type("f8", (4, 3))), Var("k", Type("i8", (2,))), I)
    assert text_of(body, *params) == "    return A[i], A[:i, None], A[k, 1], A[::-2]\n"


def test_axes_of_one():
    def body(b, A, v):
        return b.apply("reshape", v, 3, 1), b.apply("reshape", A, 2, 3), b.apply("reshape", v, 1, 3)

    params = (Var("A", Type("f8", (2, 1, 3))), Var("v", Type("f8", (3,))))
    assert text_of(body, *params) == "    return v[:, None], A[:, 0, :], v[None, :]\n"
    assert run(single("f", params, body), np.ones((2, 1, 3)), np.ones(3))[1].shape == (2, 3)


def test_float32_stays_float32():
    f4 = Type("f4")

    def body(b, x):
        return for_(b, "i", (0, 2, 1), {"s": np.float32(0.5)}, lambda c, i, s: (s * enter(c, x)[0] + 1.0,))

    p = single("f", [Var("x", f4)], body)
    assert "s = np.float32(0.5)" in show(p)
    assert "s * x + 1.0" in show(p)
    assert "s * x + np.float32(1.0)" in show(p, target="numba")
    assert run(p, np.float32(0.1)).dtype == np.float32


def test_lines_are_quoted_once_where_the_text_differs():
    source = Source("user.py", "def f(x):\n    y = x * x + x\n    z = y + 1.0\n    return z\n")

    def body(b, x):
        with b.at(Span(source, 2, 5, 2, 18)):
            y = named(x * x, "y")
            y_dot = named(y + x, "y_dot")
        with b.at(Span(source, 3, 5, 3, 16)):
            return y_dot, named(y + 1.0, "z")

    assert text_of(body, X, quote=True) == (
        "    y = x * x  # y = x * x + x\n    y_dot = y + x\n    z = y + 1.0\n    return y_dot, z\n"
    )
    assert "#" not in text_of(body, X)


def test_modules_are_imported_where_used_only():
    assert show(single("f", [X], lambda b, x: x + 1.0)).startswith("def f(x):")
    assert show(single("f", [X], lambda b, x: np.exp(x)), banner="e^x.").startswith(
        '"""e^x."""\n\nimport numpy as np\n\n\ndef f(x):'
    )


def test_what_numba_needs_scipy_for_is_said():
    said = "# needs scipy: Numba takes products of matrices from there\n"
    head = "@njit\ndef f():\n    "
    assert [packages_needed(head + line) for line in ("y = X @ b", "np.dot(x, y, out)", "np.vdot(x, y)")] == [
        said
    ] * 3
    assert packages_needed("y = X @ b") == packages_needed(f"{head}y = x  # y = X @ b") == ""
    assert "linear algebra" in packages_needed(f"{head}y = np.linalg.solve(X, b)")


def test_callees_come_in_the_program_s_order():
    g = function("g", [X], lambda b, x: x * 2.0)
    f = function("f", [Var("y", F8)], lambda b, y: call_(b, "g", [y + 1.0], [F8], ["t"]))
    assert show(program({"g": g, "f": f}, "f")) == (
        "def g(x):\n    return x * 2.0\n\n\ndef f(y):\n    return g(y + 1.0)\n"
    )


@pytest.mark.turns(4)
@given(st.integers(0, 10**9))
def test_random_programs(seed):
    p = Random(random.Random(seed)).program()
    same(
        p, np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, -2.0, 3.0, 0.5]), np.float64(0.7), np.float64(-0.3)
    )


def test_printing_is_deterministic():
    texts = {show(Random(random.Random(5)).program()) for _ in range(3)}
    assert len(texts) == 1 and N == 4 and B1.dtype == "b1"


WORDS = {
    "x": "the_position_of_the_particle",
    "y": "its_momentum_in_the_field",
    "s": "sum_of_all_that_was_seen",
}
NAMED = """
import numpy as np


def f(x, y):
    s = 0.0
    for i in range(len(x)):
        if x[i] > y[i]:
            s = s + np.exp(-x[i] * y[i]) * (x[i] - 0.25 * y[i]) + np.sin(x[i] * y[i])
        s = s * 0.5 if s > 2.0 * y[i] else s + x[i]
    return s, x * np.exp(-x * y) + y / (1.0 + x * x)
"""


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_what_names_are_called_changes_no_statement(target: str, tmp_path: Path) -> None:
    texts = []
    for name, words in (("short", {}), ("long", WORDS)):
        file = tmp_path / f"{name}.py"
        file.write_text(re.sub(r"\b[xys]\b", lambda m: words.get(m[0], m[0]), NAMED))
        spec = importlib.util.spec_from_file_location(name, file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for made in (jit(module.f, target=target), grad(lambda x, y: module.f(x, y)[0], target=target)):
            text = made.source(np.ones(3), np.ones(3))
            for short, long in words.items():
                text = text.replace(long, short)
            texts.append(ast.dump(ast.parse(text)))
    assert texts[: len(texts) // 2] == texts[len(texts) // 2 :]


def rows_before(x, m):
    """The length of `x[:i]` is i, which the inner loops around its sums read again."""
    x, m, s = x.copy(), m.copy(), 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            s = np.sin(x[:i] @ m[i, :i] * np.sum(x[:i]) + 0.1 * np.sum(x[i + 1 :]))
            m[j, :] = 0.5 * (m[j, :] - x)
    return s


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_an_index_that_is_a_size_keeps_its_name(target: str) -> None:
    x, m = np.linspace(-0.9, 0.9, 12), np.sin(np.arange(144.0)).reshape(12, 12)
    np.testing.assert_allclose(jit(rows_before, target=target)(x, m), rows_before(x, m), rtol=1e-12)
    np.testing.assert_allclose(batch(rows_before, target=target)(x[None], m[None])[0], rows_before(x, m))


def test_what_a_message_says_does_not_decide_how_it_is_raised() -> None:
    def limited(x: float) -> float:
        if x > 1.0:
            raise ValueError("infeasible")
        return x

    assert 'raise ValueError("infeasible")' in jit(limited).source(0.5)


@pytest.mark.parametrize(
    "doc", [r"The \underline{half} of \nu", 'as "said"', 'has """three""" of\n\x0c\\', '"\\"']
)
def test_a_docstring_may_have_quotes_and_backslashes(doc: str, tmp_path: Path) -> None:
    file = tmp_path / "documented.py"
    file.write_text(f"def half(x):\n    {doc!r}\n    return 0.5 * x\n")
    half = runpy.run_path(str(file))["half"]
    for made in (jit(half), grad(half)):
        assert made(1.0) in (0.5, np.float64(0.5))
        emitted = ast.parse(made.source(1.0)).body[-1]
        assert isinstance(emitted, ast.FunctionDef) and ast.get_docstring(emitted) == inspect.cleandoc(doc)
