"""joins, stencils and spare: arrays made of arrays end to end are never made where only their elements are needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from random_ir import equations, same

from autodiff import grad, jvp
from codegen import ir, jit
from codegen.ir import Apply, For, Function, If, Program, Type, Var
from codegen.ir.build import I8, Builder, call
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.loops.lower import scalarize
from codegen.simplify.driver import simplify


def program(shape: tuple[Any, ...], build: Any) -> Program:
    """`build` of two arrays of one shape."""
    b = Builder()
    params = tuple(Var(name, Type("f8", shape)) for name in "xy")
    results = build(b, *map(b.wrap, params))
    body = b.block(results if isinstance(results, tuple) else (results,))
    return check(ir.program({"f": Function("f", params, body)}, "f"))


def join(b: Builder, axis: int, *parts: Any) -> Any:
    return call(b, np.concatenate, parts, axis=axis)


def part(x: Any, axis: int, first: int | None, last: int | None) -> Any:
    return x[(slice(None),) * axis + (slice(first, last),)]


def count(p: Program, name: str) -> int:
    return sum(isinstance(e.op, Apply) and e.op.primitive.name == name for e in equations(p))


def loops(p: Program) -> list[For]:
    return [e.op for e in equations(p) if isinstance(e.op, For)]


def agree(p: Program, *shapes: tuple[int, ...]) -> Program:
    """The program as loops, which gives what it gave for arrays of these shapes."""
    done = simplify(check(scalarize(p), after="scalarize"))
    for shape in shapes:
        x, y = np.random.default_rng(0).normal(size=(2, *shape))
        assert same(evaluate(check(done), x, y), evaluate(p, x, y), 1e-12)
    return done


def random_stencil(seed: int, rank: int) -> Any:
    """Sums and products of what lies around each element, edges repeated, wrapped round or cut off a wider array."""

    def build(b: Builder, x: Any, y: Any) -> Any:
        rng = np.random.default_rng(seed)

        def near(e: Any) -> Any:
            axis, far = int(rng.integers(rank)), int(rng.integers(1, 3))
            match rng.integers(4):
                case 0:
                    return join(b, axis, part(e, axis, None, far), part(e, axis, None, -far))
                case 1:
                    return join(b, axis, part(e, axis, far, None), part(e, axis, -far, None))
                case 2:
                    return join(b, axis, part(e, axis, -far, None), part(e, axis, None, -far))
            wide = join(b, axis, part(e, axis, -1, None), e, part(e, axis, None, 1))
            first = int(rng.integers(3))
            return part(wide, axis, first, (-2, -1, None)[first])

        pool = [x, y]
        for _ in range(6):
            e, g = (pool[int(rng.integers(len(pool)))] for _ in range(2))
            pool.append((near(e) - 0.5 * g, near(e) * near(g), e + near(g))[int(rng.integers(3))])
        return pool[-1], np.sum(pool[-2] * pool[-3])

    return build


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(40))
def test_random_stencils_of_known_sizes(seed: int) -> None:
    for shape in ((1,), (2,), (3,), (7,), (1, 4), (5, 2), (6, 5)):
        agree(program(shape, random_stencil(seed, len(shape))), shape)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(40))
def test_random_stencils_of_unknown_sizes(seed: int) -> None:
    n, m = Var("n", I8), Var("m", I8)
    agree(program((n,), random_stencil(seed, 1)), *((k,) for k in (1, 2, 3, 4, 9)))
    agree(program((n, m), random_stencil(seed, 2)), (1, 1), (2, 5), (4, 1), (3, 3), (6, 7))


def around(b: Builder, x: Any, y: Any) -> Any:
    """The four neighbours of each element of a matrix, those outside it taken for the element itself."""
    up, down = join(b, 0, x[:1], x[:-1]), join(b, 0, x[1:], x[-1:])
    left, right = join(b, 1, x[:, :1], x[:, :-1]), join(b, 1, x[:, 1:], x[:, -1:])
    return y + up + down + left + right


def test_a_stencil_is_one_pass_without_tests_and_makes_only_its_result() -> None:
    done = agree(program((6, 8), around), (6, 8))
    assert (count(done, "empty"), count(done, "concatenate"), count(done, "select")) == (1, 0, 0)
    assert not any(isinstance(e.op, If) for e in equations(done))
    inner = {(loop.start.value, loop.stop.value) for loop in loops(done)}  # type: ignore[union-attr]
    assert inner == {(1, 5), (1, 7)}  # the edges are written out


def test_where_sizes_are_unknown_one_question_is_asked_before_the_loops() -> None:
    done = agree(program((Var("n", I8), Var("m", I8)), around), (6, 8), (1, 8), (2, 1))
    asked = [e.op for e in done.entry.body.equations if isinstance(e.op, If)]
    assert len(asked) == 1 and not any(isinstance(e.op, If) for e in asked[0].then.equations)
    assert (count(done, "empty"), count(done, "concatenate")) == (1, 0)


def test_a_join_read_further_on_is_cut_elsewhere() -> None:
    def build(b: Builder, x: Any, y: Any) -> Any:
        wide = join(b, 0, x[-1:], x, x[:1])
        return wide[2:] - wide[:-2]

    done = agree(program((9,), build), (9,))
    assert count(done, "empty") == 1
    assert [(loop.start.value, loop.stop.value) for loop in loops(done)] == [(1, 8)]  # type: ignore[union-attr]


def test_a_join_that_is_summed_is_not_made() -> None:
    done = agree(program((9,), lambda b, x, y: np.sum(join(b, 0, x[3:], y[:3]) * y)), (9,))
    assert (count(done, "empty"), len(loops(done))) == (0, 2)


def test_joins_with_too_many_seams_are_made() -> None:
    def build(b: Builder, x: Any, y: Any) -> Any:
        ends = [
            join(b, axis, part(x, axis, k, None), part(x, axis, None, k))
            for k in (1, 2, 3)
            for axis in (0, 1)
        ]
        return sum(ends, y)

    done = agree(program((6, 8), build), (6, 8))
    assert count(done, "empty") == 7


@pytest.mark.parametrize(
    "build",
    [
        lambda b, x, y: join(b, 0, x, y)[3],
        lambda b, x, y: np.cumsum(join(b, 0, x[1:], y)),
        lambda b, x, y: join(b, 0, x, y[:2]) @ join(b, 0, y, x[:2]),
        lambda b, x, y: join(b, 0, x, y)[::-2],
        lambda b, x, y: np.sum(call(b, np.outer, join(b, 0, x[:1], y), x), axis=0),
        lambda b, x, y: join(b, 0, join(b, 0, x[:2], y) * 2.0, y) + 1.0,
    ],
)
def test_a_join_that_is_read_in_another_way(build: Any) -> None:
    agree(program((5,), build), (5,))
    agree(program((Var("n", I8),), build), (5,), (4,))


# ---- compiled ----


def diffused(heat: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        left = np.concatenate((heat[:1], heat[:-1]))
        right = np.concatenate((heat[1:], heat[-1:]))
        heat = heat + 0.1 * (left + right - 2.0 * heat)
    return heat


def settled(heat: np.ndarray, tolerance: float) -> np.ndarray:
    change = 1.0
    while change > tolerance:
        before = heat
        heat = 0.5 * (heat + np.concatenate((heat[1:], heat[-1:])))
        change = np.max(np.abs(heat - before))
    return heat


@pytest.mark.parametrize("n", [1, 2, 3, 40])
@pytest.mark.parametrize("steps", [0, 1, 2, 7])
def test_a_compiled_stencil(n: int, steps: int) -> None:
    heat = np.random.default_rng(1).normal(size=n)
    given = heat.copy()
    np.testing.assert_allclose(jit(diffused)(heat, steps), diffused(heat, steps), rtol=1e-12)
    assert np.array_equal(heat, given)  # it is the caller's


def test_a_compiled_stencil_makes_no_array_in_its_loop() -> None:
    text = jit(diffused).source(np.ones(4), 3)
    before, loop = text.split("for _ in range(steps):")
    assert "concatenate" not in text
    assert (before.count("np.empty"), loop.count("np.empty"), loop.count("copy")) == (1, 0, 0)


def test_a_loop_that_needs_the_array_before_keeps_both() -> None:
    heat = np.random.default_rng(2).normal(size=12)
    np.testing.assert_allclose(jit(settled)(heat, 1e-3), settled(heat, 1e-3), rtol=1e-12)


def test_a_result_that_shows_every_step_is_not_overwritten() -> None:
    def kept(x, steps):
        seen = np.zeros((steps, len(x)))
        last = x
        for k in range(steps):
            last = x
            x = np.concatenate((x[1:], x[-1:])) - 0.5 * x
            seen[k] = last
        return x, last, seen

    x = np.random.default_rng(3).normal(size=6)
    for got, want in zip(jit(kept)(x, 5), kept(x, 5), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def roughness(x: np.ndarray) -> float:
    wide = np.concatenate((x[:1], x, x[-1:]))
    return np.sum((wide[2:] - 2.0 * wide[1:-1] + wide[:-2]) ** 2)


@pytest.mark.parametrize("n", [1, 2, 3, 30])
def test_a_compiled_sum_over_a_padded_array(n: int) -> None:
    x = np.random.default_rng(5).normal(size=n)
    assert jit(roughness)(x) == pytest.approx(roughness(x), rel=1e-12)


def test_sizes_are_followed_back_to_the_argument() -> None:
    """One loop over the inside, from 1 to the argument's last but one element; nothing is made."""
    text = jit(roughness).source(np.ones(9))
    assert "for i in range(1, n - 1):" in text and "if n - 1 >= 1:" in text
    assert "np.empty" not in text and "concatenate" not in text


def test_a_join_that_is_needed_in_another_order_is_stored_piece_by_piece() -> None:
    def ordered(x):
        return np.cumsum(np.concatenate((x[:1], x)))

    x = np.array([1.0, -2.0, 4.0, 0.5])
    np.testing.assert_array_equal(jit(ordered)(x), ordered(x))
    assert "np.concatenate" not in jit(ordered).source(x)


@pytest.mark.turns(4)
def test_derivatives_of_a_stencil() -> None:
    def cost(heat):
        for _ in range(3):
            left = np.concatenate((heat[:1], heat[:-1]))
            heat = heat + 0.1 * np.sin(left - heat)
        return np.sum(heat * heat)

    x, t = np.random.default_rng(4).normal(size=(2, 9))
    small = 1e-6
    slope = (cost(x + small * t) - cost(x - small * t)) / (2 * small)
    assert np.dot(grad(cost)(x), t) == pytest.approx(slope, rel=1e-6)
    assert jvp(cost, (x,), (t,))[1] == pytest.approx(slope, rel=1e-6)


def test_slices_whose_sizes_are_compared_have_names() -> None:
    def change(x):
        return np.sum((x[2:] - x[:-2]) ** 2)

    x = np.random.default_rng(6).normal(size=9)
    assert jit(change)(x) == pytest.approx(change(x), rel=1e-12)


def rolled(x):
    return np.roll(x, 1) - x, np.roll(x, -1), np.roll(x, 5), np.roll(x, 0)


def rolled_by(x, k):
    return np.roll(x, k)


def rolled_planes(x):
    one_axis = np.roll(x, 1, axis=1), np.roll(x, -2, axis=-2)
    return *one_axis, np.roll(x, (1, -2), axis=(0, 1)), np.roll(x, 3)


def differences(x):
    return np.diff(x), np.diff(x, axis=0), np.diff(x, 2), np.diff(x, n=2, axis=0)


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_rolls_and_differences_along_axes(target: str) -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 8):
        x = rng.normal(size=n)
        assert all(map(np.array_equal, jit(rolled, target=target)(x), rolled(x)))
        for k in (-n - 2, -1, 0, 1, 2, n, 3 * n + 1):
            assert np.array_equal(jit(rolled_by, target=target)(x, k), np.roll(x, k))
    for shape in ((3, 3), (4, 7)):
        x = rng.normal(size=shape)
        for f in (rolled_planes, differences):
            assert all(map(np.array_equal, jit(f, target=target)(x), f(x)))


def test_a_roll_has_a_derivative() -> None:
    x = np.random.default_rng(0).normal(size=6)
    slope = grad(lambda x: np.sum(np.roll(x, 2) * x**2))(x)
    np.testing.assert_allclose(slope, np.roll(x**2, -2) + 2.0 * x * np.roll(x, 2), rtol=1e-14)


def test_a_join_that_begins_with_what_has_no_known_size() -> None:
    def f(a: Any) -> Any:
        return np.sum(np.concatenate((a, np.ones(2))))

    assert jit(f)(np.array([1.0, 0.5])) == 3.5


def test_a_join_of_what_is_left_which_may_be_less_than_nothing() -> None:
    def f(x: Any, y: Any, k: Any) -> Any:
        return np.sum(np.concatenate((x[3:k] * 2.0, y * 3.0)))

    made, slope = jit(f), grad(f)
    for n in (1, 2, 5):
        for k in (0, 1, 4, -1):
            x, y = np.arange(1.0, n + 1), np.ones(2)
            assert made(x, y, k) == f(x, y, k)
            want = np.zeros(n)
            want[3:k] = 2.0
            np.testing.assert_array_equal(slope(x, y, k), want)
