"""Each lane rule against a loop over the lanes: every mixture of operands over lanes and shared ones."""

import itertools
from typing import Any

import numpy as np
import pytest

from autobatch.lanes.batching_rules import apply_rule
from codegen.ir import Function, Type, Var, program
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.ir.literals import code
from codegen.primitives import ROWS
from codegen.primitives.index import Cut
from codegen.source import SourceError

N = 3
RNG = np.random.default_rng(0)
V, W = RNG.normal(size=4), RNG.normal(size=4)
M, K = RNG.normal(size=(5, 4)), RNG.normal(size=(4, 6))
T = RNG.normal(size=(5, 4, 3))
S = 1.5
I, A, AA = np.int64(1), np.array([0, 2, 1]), np.array([[0, 1], [2, 1]])

PLAIN = [
    ("add", (V, W)),
    ("mul", (S, V)),
    ("sub", (M, V)),
    ("matmul", (V, W)),
    ("matmul", (M, V)),
    ("matmul", (V, K)),
    ("matmul", (M, K)),
    ("outer", (V, W)),
    ("stack", (V, W)),
    ("stack", (np.float64(2.0), np.float64(S))),
    ("select", (V > 0, V, W)),
    ("logaddexp", (M, V)),
]
WITH_PARAMS = [
    ("concatenate", (M, M), {"axis": 0}),
    ("concatenate", (M, M), {"axis": 1}),
    ("sum", (M,), {"axis": (0,)}),
    ("max", (M,), {"axis": (1,)}),
    ("prod", (M,), {"axis": (0, 1)}),
    ("cumsum", (M,), {"axis": 1}),
    ("argmax", (V,), {"axis": (0,)}),
    ("transpose", (M,), {"perm": (1, 0)}),
    ("cast", (V,), {"dtype": "f4"}),
]
READS = [
    (M, (I,), ("i",)),
    (M, (I,), (":", "i")),
    (M, (A,), ("a",)),
    (M, (A,), (":", "a")),
    (T, (I,), (":", "i")),
    (T, (AA,), (":", "a")),
    (T, (I,), ("n", "i")),
    (T, (A,), (":", ":", "a")),
    (T, (I, I), ("i", "i")),
    (T, (I, A), ("i", "a")),
    (T, (I, A), (":", "i", "a")),
    (T, (A, A), ("a", "a")),
    (T, (I,), ("n", ":", "i")),
]
WRITES = [
    (M, V, (I,), ("i",)),
    (M, S, (I,), ("i",)),
    (M, M[:, 0], (I,), (":", "i")),
    (M, M[:, :3], (A,), (":", "a")),
    (M, S, (A,), (":", "a")),
    (M, V[:3], (A,), (":", "a")),
    (T, M[:, :3], (I,), (":", "i")),
    (V, S, (I,), ("i",)),
    (T, V[:3], (I, A), (":", "i", "a")),
    (M, S, (I, I), ("i", "i")),
]


def masks(count: int) -> list[tuple[bool, ...]]:
    return [m for m in itertools.product((False, True), repeat=count) if any(m)]


def lane_values(value: Any, over: bool, whole: bool) -> Any:
    """One value a lane: different ones; indices within range."""
    value = np.asarray(value)
    if not over:
        return value
    if value.dtype.kind == "i" and not whole:
        return RNG.integers(0, 3, size=(N, *value.shape))
    return np.stack([np.roll(value, k) if value.dtype == bool else value + k for k in range(N)])


def against_a_loop(
    name: str, values: tuple[Any, ...], over: tuple[bool, ...], params: dict[str, Any]
) -> None:
    given = [lane_values(v, o, whole=False) for v, o in zip(values, over)]
    rule = ROWS[name]
    b, lanes = Builder(checked=False), Var("lanes", Type("i8"))
    shapes = [(lanes, *g.shape[1:]) if o else g.shape for g, o in zip(given, over)]
    operands = [Var("x", Type(code(g.dtype), shape)) for g, shape in zip(given, shapes)]
    made = apply_rule(b, b.wrap(lanes), rule, [b.wrap(v) for v in operands], over, params)
    function = Function("f", (lanes, *operands), b.block((made,)))
    (got,) = evaluate(check(program({"f": function}, "f")), np.int64(N), *given)
    for k in range(N):
        wanted = rule.numpy(*[g[k] if o else g for g, o in zip(given, over)], **params)
        assert np.shape(got[k]) == np.shape(wanted) and got.dtype == np.asarray(wanted).dtype
        np.testing.assert_allclose(got[k], wanted, rtol=1e-12)


@pytest.mark.parametrize(("name", "values"), PLAIN, ids=lambda v: v if isinstance(v, str) else "")
def test_products_and_elementwise(name: str, values: tuple[Any, ...]) -> None:
    for over in masks(len(values)):
        against_a_loop(name, values, over, {})


@pytest.mark.parametrize(
    ("name", "values", "params"), WITH_PARAMS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_axes(name: str, values: tuple[Any, ...], params: dict[str, Any]) -> None:
    for over in masks(len(values)):
        against_a_loop(name, values, over, params)


@pytest.mark.parametrize(("x", "places", "spec"), READS, ids=str)
def test_reads(x: Any, places: tuple[Any, ...], spec: tuple[Any, ...]) -> None:
    for over in masks(1 + len(places)):
        against_a_loop("index", (x, *places), over, {"spec": spec})


@pytest.mark.parametrize("how", ["update", "accumulate"])
@pytest.mark.parametrize(("x", "v", "places", "spec"), WRITES, ids=str)
def test_writes(how: str, x: Any, v: Any, places: tuple[Any, ...], spec: tuple[Any, ...]) -> None:
    for over in masks(2 + len(places)):
        against_a_loop(how, (x, v, *places), over, {"spec": spec})


def sized(name: str, over: tuple[bool, ...], *operands: Var, **params: Any) -> Any:
    b = Builder(checked=False)
    return apply_rule(
        b, b.wrap(Var("lanes", Type("i8"))), ROWS[name], [b.wrap(o) for o in operands], over, params
    )


def test_sizes_that_differ_between_lanes_are_refused() -> None:
    lanes = Var("lanes", Type("i8"))
    count, x = Var("k", Type("i8", (lanes,))), Var("x", Type("f8", (lanes, 5)))
    shared = Var("v", Type("f8"))
    for name, over, operands, params in (
        ("arange", (True,), (count,), {"dtype": "i8"}),
        ("full", (False, True), (shared, count), {"dtype": "f8"}),
        ("reshape", (True, True), (x, count), {}),
        ("index", (True, True), (x, count), {"spec": (Cut(False, True),)}),
    ):
        with pytest.raises(SourceError, match="size would differ from lane to lane"):
            sized(name, over, *operands, **params)


def test_one_generator_for_all_lanes_is_refused() -> None:
    with pytest.raises(SourceError, match=r"autobatch.streams\(seed, n\)"):
        sized("draw_random", (False,), Var("rng", Type("rng")))
