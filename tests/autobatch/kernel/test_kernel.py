"""The kernel language: what is well formed, what passes do to it, and a second printer of it, for C."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernel_as_c import as_c

from autobatch import LaneError, Schedule, batch
from autobatch.execute.executor import Machine
from autobatch.kernel.check import check
from autobatch.kernel.ir import (
    Address,
    Assign,
    Copy,
    Element,
    If,
    Layout,
    Memory,
    Next,
    Operation,
    Region,
    Register,
    Store,
    While,
)  # fmt: skip
from autobatch.kernel.lane_visits import LaneVisits
from autobatch.kernel.listing import listing
from autobatch.kernel.numba.lanes import lane_memory
from autobatch.kernel.select_conversion import chosen_places, eager
from autobatch.profiling.probes import UNMARKED
from codegen.ir import Apply, Lit, Type, Var
from codegen.ir.check import InternalError
from codegen.primitives import ROWS

F8, I8, B1 = Type("f8"), Type("i8"), Type("b1")
X, N, T = Register("x", F8), Register("n", I8), Register("t", B1)
A, B, C = (Memory(Layout.ROWS, "F", name, Type("f8", (3,))) for name in "ABC")


def element(memory: Memory, place: int = 0) -> Element:
    return Element(Address(memory, (Lit(place, I8),)), F8)


def operation(name: str, *values: Any, type_: Type = F8) -> Operation:
    return Operation(Apply(ROWS[name], tuple(Var("v", v.type) for v in values)), values, type_)


@pytest.mark.parametrize(
    ("region", "says"),
    [
        ((Assign(X, N),), "f8 is given i8"),
        ((Store(Address(A, (N,)), T),), "f8 is given i8"),
        ((Assign(X, element(A, 3)),), "place 3 is outside an axis of 3"),
        ((Assign(X, Element(Address(A), F8)),), "an element of F has 0 places, its array 1 axes"),
        ((If(N, (), ()),), "a test is no bool"),
        ((Next(1, N, 2),), "a test is no bool"),
        ((Next(1), Assign(X, element(A))), "something follows next 1"),
        ((Copy(((A, replace(B, type=Type("f8", (4,)))),)),), "arrays of unlike sizes are copied"),
        ((Assign(X, operation("add", X, X)),), "x is read before it is assigned"),
        (
            (If(Lit(True, B1), (Assign(X, Lit(1.0, F8)),)), Store(Address(A, (Lit(0, I8),)), X)),
            "x is read before",
        ),
    ],
)
def test_what_is_not_well_formed_is_refused(region: Region, says: str) -> None:
    known = ["t", "n"]
    with pytest.raises(InternalError, match=f"after a pass: {says}"):
        check(region, after="a pass", known=known)


def test_a_loop_may_assign_its_test_before_each_round() -> None:
    loop = While((Assign(T, operation("gt", X, Lit(0.0, F8), type_=B1)),), T, (Assign(X, Lit(0.0, F8)),))
    assert check((loop,), after="a pass", known=["x"]) == (loop,)
    with pytest.raises(InternalError, match="after a pass: x is read before"):
        check((loop,), after="a pass", known=[])


def test_the_listing() -> None:
    region = (Assign(X, operation("add", element(A), Lit(1.0, F8))), Next(1, T, 2))
    assert listing("leaf", region, vectors=True) == (
        "leaf (vectors):\n  x = add(F[A, 0], 1.0)\n  next 1 if t else 2\n"
    )


def test_choices_side_by_side_are_computed_for_all() -> None:
    both = operation("and", T, T, type_=B1)
    chosen = operation("select", both, element(A), element(B))
    (made,) = eager((Assign(X, chosen),))
    assert listing("f", (made,)) == "f:\n  x = select!(and!(t, t), F[A, 0], F[B, 0])\n"
    plain = (Assign(X, operation("select", T, X, X)),)  # of numbers at hand: no loads
    assert eager(plain) == plain


def test_arms_that_copy_arrays_choose_the_place() -> None:
    (made,) = chosen_places((If(T, (Copy(((A, B),), now=True),), (Copy(((A, C),), now=True),)),))
    assert listing("f", (made,)) == "f:\n  copy F[A] <- F[B if t else C]\n"
    more = If(T, (Copy(((A, B),), now=True), Assign(X, element(A))), (Copy(((A, C),), now=True),))
    assert chosen_places((more,)) == (more,)


def twice(a: np.ndarray, n: int) -> float:
    """Pushes the array it was given after it has pushed another frame: that is in the first of them alone."""
    return a[0] if n == 0 else twice(a * 0.5, n - 1) + twice(a, n - 1) + a[1]


@pytest.mark.turns(4)
def test_an_array_is_pushed_again_where_another_frame_begins() -> None:
    a, n = np.linspace(0.1, 1.9, 32).reshape(16, 2), np.arange(16) % 5
    found = batch(twice, schedule=Schedule("program_counter", group=16))(a, n)
    np.testing.assert_array_equal(found, [twice(x, k) for x, k in zip(a, n, strict=True)])


def test_stages_show_the_statements_after_each_pass() -> None:
    made = batch(twice, schedule=Schedule("program_counter", group=16)).stages(
        np.ones((16, 2)), np.ones(16, int)
    )
    names = list(made)
    assert (
        names.index("if-conversion")
        < names.index("kernel")
        < names.index("copy elision")
        < names.index("machine")
    )
    assert "needed" in made["kernel"] and "needed" not in made["copy elision"]
    assert "push F[" in made["copy elision"]


def taken(x: float, k: int, v: np.ndarray) -> float:
    y = 2.0 * x
    if y > 0.1:
        raise KeyError("here")
    else:
        y = v[k:][0]
    if x > 0.3:
        raise ValueError("far")
    return x + y


def test_after_an_arm_that_fails_stands_what_the_other_has_assigned() -> None:
    x, k, v = np.linspace(-1.0, 1.0, 8), np.arange(8) % 4, np.arange(24.0).reshape(8, 3)
    many = batch(taken, schedule=Schedule("program_counter", group=4))
    with pytest.raises(LaneError) as caught:
        many(x, k, v)
    assert [f.exception for f in caught.value.failures] == ["IndexError", *["KeyError"] * 4]
    np.testing.assert_array_equal(
        caught.value.results[:3], [taken(*each) for each in zip(x[:3], k[:3], v[:3])]
    )
    shown = many.stages(x, k, v)
    assert 'raise IndexError("index out of bounds for axis 0")' in shown["drop messages"]


def collatz(n: int) -> int:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def leapfrog(q: np.ndarray, p: np.ndarray, n: int, h: float) -> tuple[float, int]:
    turns = 0
    for t in range(n):
        g = np.zeros(3)
        for i in range(3):
            g[i] = -np.sin(q[i]) / (1.0 + i)
        if q[0] > 0.9 and t > 2:
            turns += 1
            p = -p
        p = p + h * g
        q = q + h * p
    return np.sum(p * p) + q[n % 3], turns


def compiled(f: Callable[..., Any], *arguments: Any, at: Path) -> tuple[Any, Any]:
    """A lane's visits as C, compiled by the machine's compiler, and where its arrays are."""
    traced = batch(f, schedule=Schedule("lanewise")).seen(arguments, {})
    assert isinstance(traced, Machine)
    memory = lane_memory(traced.program, traced.shared, traced.name, UNMARKED)
    text = as_c(memory, LaneVisits(memory, UNMARKED).visits())
    (at / "kernel.c").write_text(text)
    subprocess.run(
        ["gcc", "-O1", "-shared", "-fPIC", "-o", at / "kernel.so", at / "kernel.c", "-lm"], check=True
    )
    return ctypes.CDLL(str(at / "kernel.so"))[memory.name], memory


def test_a_kernel_prints_as_c(tmp_path: Path) -> None:
    run, _ = compiled(collatz, np.arange(1, 33), at=tmp_path)
    for n in (1, 2, 27, 97):
        steps = ctypes.c_int64()
        assert run(ctypes.c_int64(n), None, None, ctypes.byref(steps)) == 0
        assert steps.value == collatz(n)


def test_a_kernel_with_arrays_prints_as_c(tmp_path: Path) -> None:
    lanes = np.ones((4, 3)), np.ones((4, 3)), np.arange(4), np.ones(4)
    run, memory = compiled(leapfrog, *lanes, at=tmp_path)
    rng = np.random.default_rng(1)
    for n in (0, 3, 20):
        q, p, h = rng.normal(size=3), rng.normal(size=3), 0.2
        F, I = np.zeros(memory.sizes["F"] + 1), np.zeros(memory.sizes["I"] + 1, np.int64)
        for param, given in zip(memory.program.entry.params, (q, p), strict=False):
            first = memory.constants[memory.memory(param).first]
            F[first : first + 3] = given
        out, turns = ctypes.c_double(), ctypes.c_int64()
        arenas = [a.ctypes.data_as(ctypes.c_void_p) for a in (F, I)]
        run(ctypes.c_int64(n), ctypes.c_double(h), *arenas, ctypes.byref(out), ctypes.byref(turns))
        expected = leapfrog(q, p, n, h)
        np.testing.assert_allclose(out.value, expected[0], rtol=1e-12)
        assert turns.value == expected[1]
