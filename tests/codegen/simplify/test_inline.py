"""inline, and the call graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_ir import random_program, same

from codegen import ir
from codegen.analysis.calls import call_graph, callees_first, recursive
from codegen.infer import trace
from codegen.ir import Block, Call, Equation, For, Function, Program, Type, Var
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.ir.listing import dump
from codegen.ir.literals import literal
from codegen.pytree import describe
from codegen.simplify.driver import simplify
from codegen.simplify.inline import inline, unlinked

F8, I8 = Type("f8"), Type("i8")


def calls(name: str, *callees: str) -> Function:
    """A function of x that calls each of these on x in turn."""
    x = Var("x", F8)
    equations, value = [], x
    for callee in callees:
        out = Var("y", F8)
        equations.append(Equation((out,), Call(callee, (value,))))
        value = out
    return Function(name, (x,), Block(tuple(equations), (value,)))


def made(*functions: Function) -> Program:
    return check(ir.program({f.name: f for f in functions}, functions[-1].name))


def rule(name: str, build: Any, *types: Type) -> Function:
    params = tuple(Var("uvw"[k], t) for k, t in enumerate(types))
    b = Builder(checked=False)
    return Function(name, params, b.block((build(b, *(b.wrap(p) for p in params)),)))


def test_a_function_called_once_is_inlined() -> None:
    p = made(rule("double", lambda b, u: u + u, F8), calls("f", "double"))
    assert dump(check(inline(p))) == "main f(x: f8):\n  t: f8 = add x, x\n  return t\n"


def test_large_functions_called_twice_stay() -> None:
    def large(b: Builder, u: Any) -> Any:
        for _ in range(20):
            u = np.sin(u)
        return u

    p = made(rule("large", large, F8), calls("f", "large", "large"))
    assert list(inline(p).functions) == ["large", "f"]
    assert list(check(inline(p, when=lambda function, count: True)).functions) == ["f"]


def test_cycles_are_found_and_stay() -> None:
    p = made(
        calls("even", "odd"), calls("odd", "even"), calls("loop", "loop"), calls("g", "even"), calls("f", "g")
    )
    assert recursive(p) == {"even", "odd", "loop"}
    assert set(inline(p).functions) == {"even", "odd", "f"}
    assert call_graph(p)["f"] == {"g": 1}
    order = callees_first(p)
    assert order.index("g") > order.index("even") and order.index("f") > order.index("g")


def test_links_of_a_recursion_are_written_out() -> None:
    """Those that are called at one place, and not by themselves; main stays, whatever calls it."""
    p = made(
        calls("even", "odd"),
        calls("odd", "even"),
        calls("loop", "loop"),
        calls("g", "even", "loop", "f"),
        calls("f", "g"),
    )
    q = check(unlinked(p))
    assert {name: dict(called) for name, called in call_graph(q).items()} == {
        "even": {"even": 1},
        "loop": {"loop": 1},
        "f": {"even": 1, "loop": 1, "f": 1},
    }
    p = made(calls("a", "b", "b"), calls("b", "a", "a"), calls("f", "a"))
    assert unlinked(p) is p


def turns(n: int, x: float) -> float:
    return x if n < 1 else back(n - 1, x + 1.0) * 0.5


def back(n: int, x: float) -> float:
    while x > 4.0:
        x = x - turns(n - 2, x) * 0.25
    return turns(n - 1, x) + turns(n - 3, 2.0 * x)


def test_links_written_out_compute_the_same() -> None:
    p = trace(turns, (describe(9), describe(1.5))).program
    q = check(unlinked(p))
    assert len(q.functions) == len(p.functions) - 1
    for n in range(9):
        assert evaluate(q, n, 1.5) == evaluate(p, n, 1.5) == (turns(n, 1.5),)


def test_sizes_a_call_brings_become_those_of_its_value() -> None:
    n, m = Var("n", I8), Var("m", I8)
    x = Var("x", Type("f8", (n,)))
    callee = rule("tail", lambda b, u: u[1:], Type("f8", (Var("k", I8),)))
    y = Var("y", Type("f8", (m,)))
    b = Builder(checked=False)
    b.emit((y,), Call("tail", (x,)))
    doubled = b.wrap(y) * b.apply("full", 2.0, m, dtype="f8")
    main = Function("f", (x,), b.block((doubled, m)))
    p = check(ir.program({"tail": callee, "f": main}, "f"))
    arguments = (np.arange(4.0),)
    done = check(inline(p))
    assert list(done.functions) == ["f"]
    assert same(evaluate(done, *arguments), evaluate(p, *arguments))
    assert same(evaluate(check(simplify(done)), *arguments), evaluate(p, *arguments))


def test_a_call_inside_a_loop() -> None:
    inner = Builder(checked=False)
    s, out, result = Var("s", F8), Var("s", F8), Var("s", F8)
    inner.emit((out,), Call("double", (s,)))
    b = Builder(checked=False)
    x = Var("x", F8)
    b.emit((result,), For(Var("i", I8), literal(0), literal(5), 1, (s,), (x,), inner.block((out,))))
    main = Function("f", (x,), b.block((result,)))
    p = made(rule("double", lambda b, u: u + u, F8), main)
    assert evaluate(check(inline(p)), 1.0) == (32.0,)


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_keep_their_results(seed: int) -> None:
    p, arguments = random_program(seed)
    done = check(inline(p, when=lambda function, count: True))
    assert list(done.functions) == ["main"]
    assert same(evaluate(done, *arguments), evaluate(p, *arguments))
