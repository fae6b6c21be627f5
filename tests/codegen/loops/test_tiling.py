"""Grids in time: how far a step looks, and that steps tile by tile give the loop's own numbers, to the bit."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compile_program import compile_program
from random_steps import random_steps

from codegen import SourceError, jit
from codegen.infer.trace import trace
from codegen.ir import For, Program
from codegen.ir.check import check
from codegen.loops.tiling import halo
from codegen.loops.tiling import tiles as module
from codegen.loops.tiling.dependence_distance import Reach, loop_reach
from codegen.loops.tiling.tiles import tiles
from codegen.pytree import describe
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.driver import simplify


def program(f: Callable[..., Any], *args: Any) -> Program:
    return check(bounds(simplify(trace(f, tuple(map(describe, args)), {}).program)))


def looks(f: Callable[..., Any], *args: Any) -> Reach | None:
    """How far the first loop of a function looks."""
    loops = [e.op for e in program(f, *args).entry.body.equations if isinstance(e.op, For)]
    return loop_reach(loops[0])


@pytest.fixture
def small(monkeypatch) -> None:
    """Grids of some thousand cells are cut into several tiles, a few steps at a time."""
    for name, value in {"TILE_CELLS": 1024, "TILE_WIDTH": 32}.items():
        monkeypatch.setattr(halo, name, value)
    for name, value in {"TILED_CELLS": 1, "WIDEST_HALO": 6}.items():
        monkeypatch.setattr(module, name, value)


def agree(p: Program, *args: Any) -> None:
    """The program by tiles gives what it gives as it is."""
    tiled = simplify(check(tiles(p), after="tiles"))
    assert len(tiled.functions) > len(p.functions) + 1
    with np.errstate(all="ignore"):
        wanted = compile_program(p)(*args)
        found = compile_program(tiled)(*args)
    pairs = zip(*(x if isinstance(x, tuple) else (x,) for x in (wanted, found)), strict=True)
    assert all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)


# ---- how far ----


def of_slices(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    return u


def of_loops(u, steps):
    n, m = u.shape
    for _ in range(steps):
        new = u.copy()
        for i in range(1, n - 1):
            for j in range(2, m - 2):
                new[i, j] = (
                    0.5 * u[i, j] + 0.1 * (u[i + 1, j] - u[i - 1, j]) + 0.1 * (u[i, j + 2] - u[i, j - 2])
                )
        u = new
    return u


def of_joins(u, steps):
    for _ in range(steps):
        up = np.concatenate((u[:1], u[:-1]))
        down = np.concatenate((u[1:], u[-1:]))
        u = u + 0.2 * (up - 2.0 * u + down)
    return u


def of_two(u, v, c, steps):
    n, m = u.shape
    for t in range(steps):
        new = np.zeros_like(u)
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                s = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
                new[i, j] = 2.0 * u[i, j] - v[i, j] + c[i, j] * s
        u, v = new, u
    return u, v


def of_borders(u, rate, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] - rate[0] * (u[1:-1] - u[:-2]) + rate[1]
        u[0] = u[1]
        u[-1] = 0.0
    return u


def of_windows(u, w, steps):
    n, m = u.shape
    for _ in range(steps):
        new = u.copy()
        for i in range(2, n - 2):
            for j in range(2, m - 2):
                s = 0.0
                for a in range(-2, 3):
                    for b in range(-2, 3):
                        s += w[a + 2, b + 2] * u[i + a, j + b]
                new[i, j] = s
        u = new
    return u


def of_conditions(u, steps):
    n = len(u)
    for t in range(steps):
        new = np.empty_like(u)
        for i in range(n):
            left = u[i - 1] if i > 0 else u[i]
            right = u[i + 1] if i < n - 1 else u[i]
            new[i] = u[i] + 0.1 * (left - right) * t if u[i] > 0.0 else left
        u = new
    return u


def of_conditions_the_other_way(u, steps):
    n = len(u)
    for _ in range(steps):
        new = np.empty_like(u)
        for i in range(n):
            left = u[i] if i == 0 else u[i - 1]
            far = u[i] if i < 2 else u[i - 2]
            new[i] = 0.5 * u[i] + 0.25 * left + 0.25 * far
        u = new
    return u


def of_ints(u, steps):
    for _ in range(steps):
        near = np.zeros_like(u)
        near[1:-1, 1:-1] = u[:-2, :-2] + u[:-2, 1:-1] + u[:-2, 2:] + u[1:-1, :-2]
        near[1:-1, 1:-1] += u[1:-1, 2:] + u[2:, :-2] + u[2:, 1:-1] + u[2:, 2:]
        u = np.where((near == 3) | ((u == 1) & (near == 2)), 1, 0)
    return u


def of_itself(u, steps):
    for _ in range(steps):
        u = np.sin(u) + 0.5
    return u


def of_a_ring(u, steps):
    for _ in range(steps):
        u = 0.5 * u + 0.3 * np.roll(u, 1) + 0.2 * np.roll(u, -2)
    return u


def of_a_ring_by_hand(u, steps):
    for _ in range(steps):
        u = 0.5 * (u + np.concatenate((u[-1:], u[:-1]))) + 0.1 * np.concatenate((u[2:], u[:2]))
    return u


def of_a_ring_by_loops(u, steps):
    n = len(u)
    for _ in range(steps):
        new = np.empty_like(u)
        for i in range(n):
            new[i] = 0.5 * u[i] + 0.2 * u[i - 1] + 0.2 * u[(i + 2) % n] + 0.1 * u[(i - 2 + n) % n]
        u = new
    return u


def of_a_torus(u, v, c, steps):
    for _ in range(steps):
        near = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4.0 * u
        u, v = u + 0.1 * near - 0.05 * np.roll(c, 1, (0, 1)) * v, v + 0.01 * (u - np.roll(v, -2, axis=1))
    return u, v


def of_a_tube(u, c, steps):
    for _ in range(steps):
        new = u.copy()
        around = np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0)
        new[:, 1:-1] += 0.1 * (around[:, 1:-1] + u[:, 2:] + u[:, :-2] - 4.0 * u[:, 1:-1]) * c[:, 1:-1]
        u = new
    return u


def of_a_tube_by_loops(u, steps):
    n, m = u.shape
    for _ in range(steps):
        new = u.copy()
        for i in range(1, n - 1):
            for j in range(m):
                new[i, j] += 0.1 * (
                    u[i + 1, j] + u[i - 1, j] + u[i, j - 1] + u[i, (j + 1) % m] - 4.0 * u[i, j]
                )
        u = new
    return u


def of_sizes(u, steps):
    n, m = u.shape
    for _ in range(steps):
        new = u.copy()
        new[1 : n - 1, 2:m] = 0.5 * u[1 : n - 1, 2:m] + 0.1 * (u[2:n, 2:m] - u[0 : n - 2, 0 : m - 2])
        u = new
    return u


RNG = np.random.default_rng(3)
PLANE, LINE = RNG.normal(size=(75, 98)), RNG.normal(size=2500)
NEAR: list[tuple[Callable[..., Any], tuple[Any, ...], int]] = [
    (of_slices, (PLANE, 7), 1),
    (of_loops, (PLANE, 7), 2),
    (of_joins, (LINE, 13), 1),
    (of_joins, (PLANE, 8), 1),
    (of_two, (PLANE, 0.9 * PLANE, 0.1 + 0.01 * PLANE, 9), 1),
    (of_borders, (LINE, np.array([0.3, 0.01]), 8), 2),
    (of_windows, (PLANE, RNG.random((5, 5)) / 25, 4), 2),
    (of_conditions, (LINE, 6), 1),
    (of_conditions_the_other_way, (LINE, 6), 2),
    (of_ints, ((PLANE > 0.3).astype(int), 7), 1),
    (of_itself, (LINE, 7), 0),
    (of_a_ring, (LINE, 7), 2),
    (of_a_ring_by_hand, (LINE, 7), 2),
    (of_a_ring_by_loops, (LINE, 7), 2),
    (of_a_torus, (PLANE, 0.5 * PLANE, 0.1 * PLANE, 7), 2),
    (of_a_tube, (PLANE, 0.5 + 0.1 * PLANE, 8), 1),
    (of_a_tube_by_loops, (PLANE, 8), 1),
    (of_sizes, (PLANE, 5), 2),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("f, args, far", NEAR)
def test_how_far_a_step_looks(f: Any, args: Any, far: int, small: None) -> None:
    found = looks(f, *args)
    assert found is not None and found.far == far
    agree(program(f, *args), *args)


def seidel(u, steps):
    n, m = u.shape
    u = u.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return u


def normed(u, steps):
    for _ in range(steps):
        u = u / (1.0 + np.sum(u * u))
    return u


def ring_with_an_end(u, steps):
    for _ in range(steps):
        u = 0.5 * (u + np.roll(u, 1, axis=0))
        u[0] = 0.0
    return u


def ring_and_a_line(u, steps):
    for _ in range(steps):
        u = 0.5 * (np.concatenate((u[:1], u[:-1])) + np.concatenate((u[-1:], u[:-1])))
    return u


def ring_with_a_twist(u, steps):
    for _ in range(steps):
        u = 0.5 * (u + np.concatenate((-u[-1:], u[:-1])))
    return u


def ring_of_others(u, steps):
    for _ in range(steps):
        u = 0.5 * (u + np.concatenate((u[-2:-1], u[:-1])))
    return u


def ring_but_at_its_end(u, steps):
    n, m = u.shape
    for _ in range(steps):
        new = np.empty_like(u)
        for i in range(n):
            for j in range(m):
                new[i, j] = u[i - 1, j] if i < n - 1 else u[i, j]
        u = new
    return u


def the_other_way(u, steps):
    n, m = u.shape
    for _ in range(steps):
        new = np.empty_like(u)
        for i in range(n):
            for j in range(m):
                new[i, j] = u[-i, j]
        u = new
    return u


def placed(u, steps):
    n, m = u.shape
    for _ in range(steps):
        new = np.empty_like(u)
        for i in range(n):
            for j in range(m):
                new[i, j] = u[i, j] + 0.001 * i
        u = new
    return u


def scaled(u, steps):
    for _ in range(steps):
        u = u * (1.0 - 1.0 / len(u))
    return u


def one_for_all(u, steps):
    for _ in range(steps):
        u = u + 0.01 * u[3, 4]
    return u


def one_of_what_is_read_all_over(u, steps):
    w = np.cos(u)
    for _ in range(steps):
        u = 0.5 * u + w[3, 4] + w
    return u


def row_for_all(u, steps):
    for _ in range(steps):
        u = 0.5 * (u + u[0])
    return u


def turned(u, steps):
    for _ in range(steps):
        u = 0.5 * (u + u.T)
    return u


def backwards(u, steps):
    for _ in range(steps):
        u = 0.5 * (u + u[::-1])
    return u


def shrinking(u, steps):
    for _ in range(steps):
        u = u[1:-1] + 1.0
    return u


def counted(u, steps):
    t = 0.0
    for _ in range(steps):
        u = u + t
        t += 0.1
    return u


FAR = [
    seidel,
    normed,
    ring_with_an_end,
    ring_and_a_line,
    ring_with_a_twist,
    ring_of_others,
    ring_but_at_its_end,
    the_other_way,
    placed,
    scaled,
    one_for_all,
    one_of_what_is_read_all_over,
    row_for_all,
    turned,
    backwards,
    shrinking,
    counted,
]


@pytest.mark.parametrize("f", FAR)
def test_what_looks_further_is_left_as_it_is(f: Any) -> None:
    plane = PLANE[:, :75].copy()
    assert looks(f, plane, 3) is None
    p = program(f, plane, 3)
    assert tiles(p).functions.keys() == p.functions.keys()


def user(text: str, name: str) -> Callable[..., Any]:
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {}
    exec(compile(text, name, "exec"), scope)
    made: Callable[..., Any] = scope["f"]
    return made


@pytest.mark.slow
def test_random_steps(small: None) -> None:
    tiled = 0
    for seed in range(100):
        rng, rank = np.random.default_rng(seed), 1 + seed % 2
        u, v = rng.normal(size=(2, *((2300,) if rank == 1 else (66, 71))))
        args = (u, v, rng.random(5), int(rng.integers(2, 9)))
        try:
            p = program(user(random_steps(seed, rank), f"<steps {seed}>"), *args)
        except SourceError:
            continue
        if len(tiles(p).functions) > 1:
            tiled += 1
            agree(p, *args)
    assert tiled >= 35


# ---- compiled ----


def heat(u, w, steps):
    n, m = u.shape
    for _ in range(steps):
        new = u.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                new[i, j] = (
                    u[i, j]
                    + 0.1 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4.0 * u[i, j]) * w[i, j]
                )
        u = new
    return u


@pytest.mark.turns(4)
def test_compiled_tiles_on_threads() -> None:
    shared, plain = jit(heat, parallel=True), jit(heat)
    rng = np.random.default_rng(0)
    for shape in ((300, 520), (2111, 35), (40, 2000), (20, 5000), (64, 64)):
        u, w = rng.random((2, *shape))
        before = u.copy()
        for steps in (0, 1, 2, 10, 23):
            assert np.array_equal(shared(u, w, steps), plain(u, w, steps))
        assert np.array_equal(u, before)
    with pytest.raises(IndexError):
        shared(rng.random((300, 520)), rng.random((300, 500)), 3)
    assert shared.source().count("in prange(rows * columns)") == 2


def relaxed(u, w):
    new = u.copy()
    new[1:-1] = 0.5 * u[1:-1] + 0.25 * (u[2:] + u[:-2])
    return w * new


def by_a_function(u, w, steps):
    for _ in range(steps):
        u = relaxed(u, w)
    return u


@pytest.mark.slow
def test_tables_that_are_too_small() -> None:
    u = np.random.default_rng(1).normal(size=(300, 300))
    made = jit(of_windows, parallel=True)
    assert "of_windows_tiles(" in made.source(u, u, 3)
    for w in (np.ones((5, 3)), np.ones((3, 5)), np.ones((0, 0))):
        with pytest.raises(IndexError):
            made(u, w, 3)


@pytest.mark.turns(4)
def test_steps_that_are_functions_of_their_own() -> None:
    made = jit(by_a_function, parallel=True)
    assert "by_a_function_tiles(" in made.source(LINE, LINE, 3) and "relaxed" not in made.source(
        LINE, LINE, 3
    )
    long = np.random.default_rng(1).normal(size=70_001)
    w = np.cos(long)
    assert np.array_equal(made(long, w, 8), jit(by_a_function)(long, w, 8))
    with pytest.raises(ValueError, match="operands could not be broadcast"):
        made(long, w[1:], 8)


def test_the_text_of_tiles(golden: Any) -> None:
    golden("tiles.py", jit(of_two, parallel=True).source(PLANE, PLANE, PLANE, 3))
