"""No name that a user can write changes a result: names of generated code in every role, under every transformation."""

import linecache
from collections import namedtuple
from collections.abc import Callable
from math import cos, sin
from typing import Any

import numpy as numpy_itself
import pytest
import scipy.special
from over_lanes import directory  # noqa: F401

from autobatch import Schedule, batch
from autodiff import grad
from codegen import jit

NAMES = (
    "pc", "lanes", "lane", "stack", "np", "nb", "x_bar", "x_dot", "range", "sum", "_", "state", "out", "F", "I",
    "failed", "first", "last", "limit", "k", "count", "places",
)  # fmt: skip
HARMLESS = tuple(f"a{i}" for i in range(len(NAMES)))

# `0` to `21` in angle brackets are the names; each program takes (int, float) and returns a float.
PROGRAMS = {
    "parameters": """
def inner(<>):
    total = 0.0
    for turn in steps(<1>):
        total = total + sin(<0>) * <2> + <3> - <4> * <5> + <6> / (2.0 + <7> * <7>) + <8> * <9> - <10> * <11>
        total = total * 0.5 + <12> * <13> + <14> * <15> - <16> * <17> + <18> - <19> * <20> * <21>
    return total

def main(n, x):
    return inner(x, n, *(x + 0.1, x * 0.2, x, 0.3, x * x, x, x, 0.4, 0.5, x, x, 0.6, x, x, 0.7, x, x, 0.8, x, 0.9))
""",
    "parameters of the function itself": """
def main(<0>, <15>):
    return sin(<15>) if <0> > 2 else <15> * main(<0> + 1, <15> * 0.5)
""",
    "locals": """
def main(n, x):
    <0> = x
    <1> = sin(<0>)
    <2>, <3> = <1> * <0>, n
    <4> = <5> = <6> = <7> = <2> + 0.5
    while <3> > 0:
        <3> = <3> - 1
        <4>, <5> = <5>, <4> * 0.9 + <3>
        if <4> > 1.0:
            <6> = <4> * <6>
            continue
        <7> += <6> * x
    <8> = <9> = <10> = <11> = <12> = <13> = <14> = <4> + <7>
    <15>, <16>, <17> = <8> * <9>, <10> + <11>, <12>
    <18> = <19> = <13> - <14> * <15>
    <20> = <21> = <16> * <17> + <18>
    return <19> + <20> * <21> + <5>
""",
    "loop variables": """
def main(n, x):
    for <0> in steps(n):
        for <1> in steps(<0> + 1):
            x = x * 0.9 + <1>
        for <8> in steps(2):
            for <9> in steps(1, -1, -1):
                x = x + <8> * 0.1 - <9> * <0> * 0.01
        for <10> in steps(n):
            x = sin(x) + <10>
    for <2> in (x, 0.5):
        for <16> in (1.0, x):
            x = x + <2> * <16>
    for <19> in steps(n):
        for <20> in steps(<19>):
            for <13> in steps(<20>):
                x = x + cos(x) * <13> * <20>
    return x + <19> * x if n > 0 else x
""",
    "functions": """
def <0>(n, x):
    return x if n == 0 else <0>(n - 1, sin(x))
def <1>(x): return x * 2.0
def <2>(x): return <1>(x) + 1.0
def <3>(n, x):
    if n <= 0:
        return x
    y = <3>(n - 1, x * 0.5)
    return <3>(n - 2, y) + x
def <4>(x): return x + 0.5
def <8>(x): return x - 0.5
def <9>(x): return cos(x)
def <10>(x): return x * x
def <13>(f, x): return f(f(x))
def <15>(x): return <13>(<9>, x)
def <18>(x): return <13>(<10>, x)

def main(n, x):
    return <0>(n, x) + <2>(x) + <3>(n, x) + <4>(x) * <8>(x) + <15>(x) - <18>(x)
""",
    "arrays": """
def main(n, x):
    <13> = library.zeros(3)
    <14> = library.array([1, 0, 2])
    <3> = library.ones((2, 2)) * x
    <4> = <13> + x
    for <19> in steps(n):
        <13>[<19> % 3] += x * <19>
        <3>[<14>[<19> % 3] % 2, 0] = <13>[0] + <4>[1]
        <4> = <4> * 0.5 + <13>
    <12> = <13> * <4>
    <21> = <3>[0] * <12>[:2]
    return library.sum(<21>) + library.max(<12>)
""",
    "fields": """
def change(p, x):
    return p._replace(<0>=p.<0> * x, <13>=p.<12> + p.<4>)

def main(n, x):
    p = Fields(*tuple_of(x))
    while n > 0:
        p = change(p, x)
        n = n - 1
    return p.<0> + p.<13> * p.<21> - p.<8>

def tuple_of(x):
    return (x, 1.0, x, 1.0, x, 1.0, x, 1.0, x, 1.0, x, x, 1.0, x, 1.0, x, 1.0, x, 1.0, x, 1.0)
""",
}


def written(role: str, names: tuple[str, ...]) -> Callable[..., Any]:
    """The program of a role with these names, as a module's function."""
    text = PROGRAMS[role].replace("<>", ", ".join(names))
    for i, name in enumerate(names):
        text = text.replace(f"<{i}>", name)
    fields = namedtuple("Fields", [n for n in names if n not in ("_", "a10")])
    scope = {"sin": sin, "cos": cos, "library": numpy_itself, "steps": range, "Fields": fields}
    file = f"<{role} {names[0]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), scope)
    return scope["main"]


INTS = numpy_itself.array([3, 0, 1, 5])
FLOATS = numpy_itself.array([0.3, 1.2, -0.4, 0.8])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("role", PROGRAMS)
def test_names(role: str, target: str) -> None:
    plain, named = written(role, HARMLESS), written(role, NAMES)
    values = [plain(int(n), float(x)) for n, x in zip(INTS, FLOATS)]
    close = numpy_itself.testing.assert_allclose
    close([named(int(n), float(x)) for n, x in zip(INTS, FLOATS)], values, rtol=0.0)
    made = jit(named, target=target)
    close([made(int(n), float(x)) for n, x in zip(INTS, FLOATS)], values, rtol=1e-12)
    close(batch(named, schedule=Schedule("program_counter"), target=target)(INTS, FLOATS), values, rtol=1e-12)
    if target == "numpy":
        close(
            batch(named, schedule=Schedule("local_static"), target=target)(INTS, FLOATS), values, rtol=1e-12
        )
    slope = grad(named, argnums=1, target=target)
    h = 1e-6
    for n, x in zip(INTS.tolist(), FLOATS.tolist()):
        close(slope(n, x), (plain(n, x + h) - plain(n, x - h)) / (2.0 * h), rtol=1e-6, atol=1e-7)


def expit(x):
    return 2.0 * scipy.special.expit(x)


def test_a_function_called_as_one_that_its_text_brings_along() -> None:
    assert jit(expit)(0.3) == pytest.approx(expit(0.3), rel=1e-15)
    assert jit(expit).source(0.3).count("def expit(x") == 1


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_the_function_itself(name: str) -> None:
    """The only function of a module is called as its own machinery may be."""
    text = f"def {name}(n, x):\n    return x if n == 0 else sin({name}(n - 1, x * 0.5))\n"
    scope: dict[str, Any] = {"sin": sin}
    file = f"<function {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), scope)
    f = scope[name]
    values = [f(int(n), float(x)) for n, x in zip(INTS, FLOATS)]
    for form in ("program_counter", "local_static"):
        found = batch(f, schedule=Schedule(form), target="numpy")(INTS, FLOATS)
        numpy_itself.testing.assert_allclose(found, values, rtol=1e-12)
    assert grad(f, argnums=1, target="numpy")(0, 0.5) == 1.0
    if name in ("pc", "np", "lane", "F", "failed", "_"):
        for form in ("program_counter", "auto"):
            found = batch(f, schedule=Schedule(form))(INTS, FLOATS)
            numpy_itself.testing.assert_allclose(found, values, rtol=1e-12)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_variables_called_as_modules_are_not_imported(target: str) -> None:
    """`cp` and `dp`, as the elimination of a tridiagonal matrix is usually written."""

    def eliminated(cupyx, config, solve_triangular):
        cp = numpy_itself.zeros(len(config))
        for i in range(1, len(config)):
            cp[i] = config[i] / (solve_triangular[i] - cupyx[i] * cp[i - 1])
        return numpy_itself.sum(cp)

    made, values = jit(eliminated, target=target), (FLOATS, FLOATS, FLOATS + 4.0)
    numpy_itself.testing.assert_allclose(made(*values), eliminated(*values), rtol=1e-15)
    head = made.source(*values).partition("\ndef ")[0]
    assert [word for word in ("cupy", "config") if word in head] == []
    lanes = [numpy_itself.stack((each, each)) for each in values]
    numpy_itself.testing.assert_allclose(batch(eliminated, target=target)(*lanes)[1], eliminated(*values))
