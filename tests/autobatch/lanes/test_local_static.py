"""Structured code over the active lanes: what it computes, for whom, and how it reads."""

import numpy as np
import pytest
from corpus import Case
from lane_programs import PROGRAMS, agree, evaluated, holds, lanes_of, of_case
from random_ir import random_program

from autobatch import Schedule, batch
from autobatch.lanes.local_static import local_static
from codegen.emit.module import show
from codegen.ir import Program
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.simplify.driver import simplify
from codegen.source import SourceError

# Arrays whose sizes the lanes' own numbers give.
SIZED = {
    "arrays_that_grow", "creation_of_runtime_size", "over_slices", "reading_elements", "reading_matrices",
    "recurrence_in_place", "sized_draws", "slice_update_chain", "view_of_a_view_in_a_loop",
}  # fmt: skip


@pytest.mark.sampled(16)
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_corpus(case: Case) -> None:
    lanes = of_case(case)
    try:
        made = local_static(lanes.program, lanes.over)
    except SourceError as refusal:
        assert case.name in SIZED and "differ" in str(refusal)
        return
    holds(lanes, made)


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int) -> None:
    program, over, rows = random_lanes(seed)
    made = local_static(program, over)
    check(made.program)
    wanted = [evaluate(program, *row) for row in rows]
    agree(wanted, evaluated(made.program)(*columns(rows, over)), len(wanted[0]), made)


def random_lanes(seed: int) -> tuple[Program, list[bool], list[tuple]]:
    """A random program, which of its arguments are per lane, and four lanes."""
    program, first = random_program(seed)
    rng = np.random.default_rng(seed + 10**6)
    over = [bool(x) for x in rng.random(len(first)) < 0.7]
    over[0] = over[0] or not any(over)
    rows = [first]
    for _ in range(3):
        fresh = (
            float(rng.normal()),
            int(rng.integers(-2, 3)),
            *(rng.normal(size=len(first[2])) for _ in range(3)),
        )
        rows.append(tuple(f if o else a for f, a, o in zip(fresh, first, over)))
    return program, over, rows


def columns(rows: list[tuple], over: list[bool]) -> list:
    return [np.stack([np.asarray(r[k]) for r in rows]) if o else rows[0][k] for k, o in enumerate(over)]


def halve(x, least):
    count = 0
    while x > least:
        x = x / 2
        count += 1
    return x, count


def test_a_loop_that_lanes_leave_apart() -> None:
    lanes = lanes_of(halve, lambda: [(3.0, 1.0), (70.0, 1.0), (0.5, 1.0)], shared=(1,))
    made = local_static(lanes.program, lanes.over)
    holds(lanes, made)
    text = show(simplify(made.program))
    assert "active = active[np.flatnonzero(" in text and "count += 1" in text


def fib(n):
    if n <= 1:
        return 1
    return fib(n - 1) + fib(n - 2)


def test_recursion_is_the_host_s_and_for_active_lanes_only() -> None:
    lanes = lanes_of(fib, lambda: [(n,) for n in (3, 7, 4, 5, 0)])
    made = local_static(lanes.program, lanes.over)
    holds(lanes, made)
    assert list(made.program.functions) == ["fib"] and made.failings == ()
    sizes: list[int] = []

    def counted(function):
        return lambda n: sizes.append(len(n)) or function(n)

    scope: dict = {}
    exec(show(simplify(made.program)), scope)
    scope.update({name: counted(f) for name, f in scope.items() if name.startswith("fib")})
    assert scope["fib"](np.array([3, 7, 4, 5, 0])).tolist() == [3, 21, 5, 8, 1]
    assert min(sizes) > 0
    assert len(sizes) - 41 in (0, 1)  # as many calls as fib(7) makes by itself, and one from outside


def guarded(x, k):
    y = x[k]
    if y < 0.0:
        raise ValueError("negative")
    return deeper(x, k - 1) + y


def deeper(x, k):
    return guarded(x, k) if k >= 0 else 0.0


def test_a_lane_that_fails_goes_no_further() -> None:
    """Nothing runs for it any more: recursion past its failure would not end."""
    x = np.array([1.0, 2.0, 4.0])
    rows = [(x, 2), (np.array([1.0, -2.0, 4.0]), 2), (x, 3), (x, 0)]
    lanes = lanes_of(guarded, lambda: rows)
    made = local_static(lanes.program, lanes.over)
    holds(lanes, made)
    results = evaluate(made.program, *lanes.stacked())
    named = [made.failings[k - 1].exception if k else None for k in results[-1]]
    assert named == [None, "ValueError", "IndexError", None]


def shared_product(design, beta):
    return np.sum(design @ beta)


def test_a_shared_matrix_meets_all_lanes_in_one_product() -> None:
    design = np.arange(12.0).reshape(4, 3)
    rows = [(design, np.array([1.0, k, -1.0])) for k in range(3)]
    lanes = lanes_of(shared_product, lambda: rows, shared=(0,))
    made = local_static(lanes.program, lanes.over)
    holds(lanes, made)
    assert "beta @ design.T" in show(simplify(made.program))


def test_what_all_lanes_share_is_computed_once() -> None:
    def f(x, a):
        scale = np.exp(a) + 1.0
        return x * scale

    lanes = lanes_of(f, lambda: [(1.0, 0.5), (2.0, 0.5)], shared=(1,))
    made = local_static(lanes.program, lanes.over)
    holds(lanes, made)
    exponentials = [e for e in made.program.entry.body.equations if e.op.primitive.name == "exp"]
    assert [e.outs[0].type.rank for e in exponentials] == [0]


def begun_again(x, n):
    if n == 0:
        return x
    if n > 3:
        return begun_again(2.0, 2) + x
    return 0.5 * begun_again(x, n - 1)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_a_call_of_itself_that_all_lanes_share(target: str) -> None:
    """By literals alone: it is made once, of a function beside that over lanes."""
    x, n = np.linspace(0.0, 1.0, 6), np.arange(6)
    many = batch(begun_again, schedule=Schedule("local_static"), target=target)
    np.testing.assert_allclose(many(x, n), [begun_again(*each) for each in zip(x, n)], rtol=1e-15)


def test_no_lanes_at_all() -> None:
    lanes = lanes_of(fib, lambda: [(3,)])
    made = local_static(lanes.program, lanes.over)
    (results,) = evaluate(made.program, np.zeros(0, np.int64))
    assert results.shape == (0,)


def test_something_must_be_over_lanes() -> None:
    lanes = lanes_of(fib, lambda: [(3,)])
    with pytest.raises(ValueError, match="no argument is given per lane"):
        local_static(lanes.program, [False])
    with pytest.raises(ValueError, match="takes 1 arguments, not 2"):
        local_static(lanes.program, [True, True])


def halved_path(x: float, n: int) -> np.ndarray:
    path = np.zeros(3)
    for t in range(n):
        if x > 1.0:
            x = x * 0.5
            path[t % 3] = x
        else:
            x = 3.0 * x + path[0]
    return path


HALVED_PATH = """
def halved_path(x, n):
    lanes = len(x)
    more = n > 0
    active = np.flatnonzero(more)
    x = x.copy()
    t = 0
    path = np.zeros((lanes, 3))
    while True:
        m = len(active)
        if m <= 0:
            break
        x2 = x[active]
        t2 = x2 > 1.0
        at = np.flatnonzero(t2)
        x3 = x2[at]
        x3 = x3 * 0.5
        rows = active[at]
        path[rows, t % 3] = x3
        x4 = np.empty(m)
        x4[at] = x3
        at = np.flatnonzero(~t2)
        x2 = x2[at]
        rows = active[at]
        x2 = 3.0 * x2 + path[rows, 0]
        x4[at] = x2
        n2 = n[active]
        more = t + 1 < n2
        x[active] = x4
        active = active[np.flatnonzero(more)]
        t += 1
    return path
"""


def test_the_text_copies_gathers_and_checks_nothing_twice() -> None:
    """A new array is not copied, what was gathered for more lanes is taken from there, and places are known."""
    lanes = np.linspace(0.1, 3.0, 8), np.arange(8)
    made = batch(halved_path, target="numpy", schedule=Schedule("local_static"))
    assert HALVED_PATH in made.source(*lanes)
    np.testing.assert_array_equal(made(*lanes), [halved_path(x, n) for x, n in zip(*lanes, strict=True)])
    assert "(local_static)" in made.source()


def test_lanes_that_part_twice_are_refused() -> None:
    inner = lanes_of(halve, lambda: [(3.0, 1.0)])
    with pytest.raises(SourceError, match="a batch inside a batch"):
        local_static(local_static(inner.program, [True, True]).program, [True, True])


def one_of_two(a, c):
    short = c[1:]
    return c if a else short


def written_in_one(a, c):
    """Branches for the lanes that take them alone."""
    if a:
        made = c.copy()
        for i in range(len(c)):
            made[i] += 1.0
    else:
        made = c[1:] * 2.0
    return np.sum(made)


@pytest.mark.parametrize("form", ["local_static", "program_counter"])
@pytest.mark.parametrize("f", [one_of_two, written_in_one])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_one_of_two_arrays_whose_sizes_differ(n, f, form):
    """One element would be broadcast to the other's size."""
    with pytest.raises(SourceError, match="the size would differ from lane to lane"):
        batch(f, target="numpy", schedule=Schedule(form=form))(np.array([1, 0]), np.ones((2, n)))


def cut_or_whole(a, c, d):
    made = c.copy()
    if a:
        made = d * 2.0
        for i in range(len(d)):
            made[i] += 1.0
    return np.sum(made)


@pytest.mark.parametrize("form", ["local_static", "program_counter"])
def test_one_of_two_arrays_whose_sizes_differ_as_it_runs(form):
    """The sizes are two names until the program runs."""
    made = batch(cut_or_whole, (0, 0, None), target="numpy", schedule=Schedule(form=form))
    lanes, rows = np.array([1, 0]), np.ones((2, 3))
    np.testing.assert_array_equal(made(lanes, rows, np.ones(3)), [9.0, 3.0])
    with pytest.raises((SourceError, ValueError), match="differ"):
        made(lanes, rows, np.ones(1))


def exchanged(x, shared):
    """Two arrays of a size that numbers give change places in a loop that all lanes go through together."""
    places = np.flatnonzero(shared)
    return x * np.sort(places[::-1])


def test_arrays_that_change_places_in_a_shared_loop() -> None:
    """Their sizes are those of the loop's carried arrays, and others after it."""
    shared = np.array([0.0, 1.0, 2.0, 0.0, 3.0])
    made = batch(exchanged, (0, None), target="numpy", schedule=Schedule("local_static"))
    xs = np.array([1.0, -2.0])
    np.testing.assert_array_equal(made(xs, shared), [exchanged(x, shared) for x in xs])
