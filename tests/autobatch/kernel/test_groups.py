"""Lanes in groups, side by side in vector registers: the same numbers, really in vectors, whatever comes and goes."""

import inspect
import re
from typing import Any

import numba
import numpy as np
import pytest
from corpus import CASES
from corpus.case import Case
from over_lanes import directory, same_as_loop  # noqa: F401
from scipy.stats import hypergeom

from autobatch import LaneError, Schedule, batch, profile, streams
from autobatch.execute import executor as compiled
from autobatch.execute.executor import Machine
from autobatch.execute.vector_check import mostly_vectors
from autobatch.kernel.memory import group as group_memory
from codegen.backend.load import load

# Every case that calls itself or draws, which a group does differently from lanes one by one, and some of the others.
MARKS = {"recursive", "draws"}
GROUPED = [c for k, c in enumerate(CASES) if not c.raises and (MARKS & c.marks or k % 12 == 0)]
UNSIZED = {"reading_elements", "reading_matrices", "sized_draws", "recurrence_in_place"}
REFUSED = {*UNSIZED, "view_of_a_view_in_a_loop", "arrays_that_grow", "shapes_that_do_not_fit"}


@pytest.mark.sampled(36)
@pytest.mark.parametrize("case", [c for c in GROUPED if c.name not in REFUSED], ids=lambda c: c.name)
def test_corpus(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lanes in one group, and the last two of them by themselves."""
    from over_lanes import arguments

    monkeypatch.setattr(group_memory, "GROUP_LANES", 2)
    monkeypatch.setattr(group_memory, "DISTRIBUTED_GROUP_LANES", 2)
    _, axes = arguments(case.lanes(), case.shared)
    many = batch(case.function, axes, schedule=Schedule(group=8))
    same_as_loop(many, case.function, case.examples, case.shared, widens="widens" in case.marks)


def smooth(x, n):
    """Enough arithmetic in a loop of its own length that lanes side by side pay."""
    for _ in range(n):
        y = np.exp(-x * x) + 0.5 * np.log1p(x * x)
        x = x + 0.1 * np.sin(y) - 0.05 * y / (1.0 + x * x)
    return x


def rooted(x, n):
    total = 0.0
    for k in range(n):
        if x < -1.0:
            raise ValueError("x is too small")
        total = total + np.exp(-x * x) * np.log1p(x * x) + np.sin(x) / (1.0 + x * x)
        x = x - 0.25 * k
    return total


def deep(x, n):
    """Recursion with an expensive block and a value that outlives each call."""
    if n == 0:
        return np.exp(-x * x) + np.log1p(x * x) * np.cos(x) + np.tanh(x)
    inner = deep(0.5 * x + 0.1, n - 1)
    return inner + np.exp(-x * inner) * np.log1p(x * x) + np.sin(inner) * x


def branching(x, n):
    """Dear work between two calls of itself: lanes wait there, with more or less on their stacks."""
    if n <= 0:
        return 0.5 * x
    y = np.exp(-x * x) + np.log1p(x * x) * np.cos(x)
    left = branching(y, n - 1)
    z = np.exp(-left * left) + np.log1p(y * y) * np.sin(left)
    return z + branching(0.5 * z + x, n - 3)


def counting(x, n):
    """Numbers that only cheap blocks touch, at places of a lane's own."""
    counts = np.zeros(5)
    for _ in range(n):
        y = np.exp(-x * x) + 0.5 * np.log1p(x * x)
        x = x + 0.1 * np.sin(y) - 0.05 * y / (1.0 + x * x)
        counts[int(10.0 * abs(x)) % 5] += y
    return counts, x


def differences(x, y):
    """Each place is inside the array only where the condition says so."""
    total = 0.0
    for k in range(5):
        before = x[k - 1] if k > 0 else 0.0
        after = x[k + 1] if k < 4 else 0.0
        total = total + np.exp(-before * before) * np.log1p(y * y) - np.sin(after) * x[k]
    return total


def walk(rng, n):
    x = 0.0
    for _ in range(n):
        z = rng.normal(0.0, 0.3)
        x = x * np.exp(-0.1 * x * x) + z * np.log1p(z * z) + np.cos(x) * z + rng.random()
    return x


LENGTHS = np.random.default_rng(3).integers(0, 40, 101)
POINTS = np.random.default_rng(4).normal(size=101)


def machine_of(many: Any, *args: Any) -> Machine:
    many(*args)
    assert isinstance(many.latest, Machine)
    return many.latest


@pytest.mark.sampled(4)
@pytest.mark.parametrize("f", [smooth, deep])
@pytest.mark.parametrize("group", [1, 4, 32])
def test_bit_for_bit_as_one_lane_at_a_time(f: Any, group: int) -> None:
    one = batch(f, schedule=Schedule("program_counter", threads=64))(POINTS, LENGTHS)
    np.testing.assert_array_equal(batch(f, schedule=Schedule(group=group, threads=1))(POINTS, LENGTHS), one)
    np.testing.assert_array_equal(batch(f, schedule=Schedule(group=group, threads=2))(POINTS, LENGTHS), one)
    np.testing.assert_allclose(one, [f(x, n) for x, n in zip(POINTS, LENGTHS, strict=True)], rtol=1e-12)


@pytest.mark.turns(4)
@pytest.mark.sampled(6)
@pytest.mark.parametrize("f", [smooth, branching, counting, walk])
def test_lanes_take_along_all_that_is_theirs(f: Any) -> None:
    """Of a group of 64 the last 16 move to the first places."""
    late = np.where(np.arange(101) % 7 == 6, 9, 2)
    many = batch(f, schedule=Schedule(group=64, threads=1))
    made = machine_of(many, first_of(f), late)
    assert {smooth: "F[", branching: "F_stack[place", counting: "C[", walk: "R["}[f] in closer(made)
    found = many(first_of(f), late)
    one = batch(f, schedule=Schedule(group=1))(first_of(f), late)
    for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (found, one)), strict=True):
        np.testing.assert_array_equal(a, b)


def first_of(f: Any) -> Any:
    return streams(1, 101) if f is walk else POINTS


def closer(made: Machine) -> str:
    """The text of the function that moves lanes."""
    return made.groups.text.split("def closer(")[1].split("\n\n\n")[0]


def test_places_that_a_condition_keeps_inside() -> None:
    rows = np.random.default_rng(8).normal(size=(101, 5))
    expected = [differences(x, y) for x, y in zip(rows, POINTS, strict=True)]
    np.testing.assert_allclose(
        batch(differences, schedule=Schedule(group=8))(rows, POINTS), expected, rtol=1e-12
    )


def names_of_its_own(F, G, lane):
    """Every name here is one that the machine would use too."""
    I, PC, END, LS, W = F * F, G + 1.0, np.log1p(F * F), np.exp(-G * G), 0.0
    number, count, where, live, most, k, n, j = lane, 0, 1.0, 2.0, 3.0, 0, lane + 2, 0.5
    L, N, R, S, C = np.zeros(3), np.ones(3), np.full(3, 2.0), 1.0, 4.0
    advance, finish, load, coming, first, last, failed, limit = 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0
    onwards, FEW, few, closer, place, free, idle = 9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0
    while number > 0:
        number = number - 1
        for total in range(3):
            L[total] = L[total] + np.exp(-I) * N[total] + R[total] / (1.0 + PC * PC)
        W = W + L[0] * LS + np.sin(END) * where + live * most + j
        count = count + k + n
    return (
        W
        + S
        + C
        + advance
        + finish
        + load
        + coming
        + first
        + last
        + failed
        + limit
        + onwards
        + FEW * few
        + closer * place
        + free * idle,
        count,
        L,
    )


@pytest.mark.turns(4)
def test_any_name_is_the_users() -> None:
    many = batch(names_of_its_own, schedule=Schedule(group=32))
    same_as_loop(many, names_of_its_own, [(0.3, -0.2, 2), (1.5, 0.7, 0), (-2.0, 0.1, 5)])


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("group", [8, 32])
def test_streams_go_with_their_lanes(group: int) -> None:
    grouped, single = streams(5, 101), streams(5, 101)
    many = batch(walk, schedule=Schedule(group=group))
    one = batch(walk, schedule="lanewise")
    for _ in range(2):  # a stream goes on where it was left
        np.testing.assert_array_equal(many(grouped, LENGTHS), one(single, LENGTHS))
    for a, b in zip(grouped, single, strict=True):
        assert a.random() == b.random()


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [smooth, deep, walk])
def test_the_dear_block_is_in_vectors(f: Any) -> None:
    """Elsewhere lanes side by side would be lanes one by one with their memory far apart."""
    first = streams(1, 101) if f is walk else POINTS
    many = batch(f, schedule=Schedule(group=32))
    made = machine_of(many, first, LENGTHS)
    run = made.function(made.groups)
    groups = [v for name, v in run.py_func.__globals__.items() if name.endswith(("_group", "_few"))]
    assert len(groups) >= 2
    for block in groups:
        (text,) = block.inspect_llvm().values()
        vectors = re.findall(r"f(?:add|mul|sub|div) (?:\w+ )*<\d+ x double>", text)
        assert len(vectors) >= 20, block


@pytest.mark.turns(4)
def test_two_vectors_at_once() -> None:
    """What waits for one another in one vector need not in two: a step of the loop over lanes holds twice as much."""
    made = machine_of(batch(smooth, schedule=Schedule(group=64)), POINTS, LENGTHS)
    call = "    two_vectors_at_once()\n"
    assert call in made.groups.text
    kinds = {"F": numba.float64[::1], "C": numba.float64[::1], "I": numba.int64[::1], "n": numba.int64}

    def vectors(text: str) -> int:
        block = load(text, "smooth").smooth_body_group
        signature = tuple(kinds[name] for name in inspect.signature(block.py_func).parameters)
        block.compile(signature)
        return len(re.findall(r"fmul (?:\w+ )*<\d+ x double>", block.inspect_llvm(signature)))

    assert vectors(made.groups.text) > 1.8 * vectors(made.groups.text.replace(call, ""))


def hits(x):
    """Masses that are dear enough for lanes to stay at them for few turns."""
    return hypergeom.cdf(x, 20, 7, 12)


@pytest.mark.turns(8)
def test_turns_are_written_once() -> None:
    """LLVM would write out the turns of lanes that stay at a block, while that is short: before it is put in place."""
    made = machine_of(batch(hits, schedule=Schedule(group=64)), POINTS)
    run = made.function(made.groups)
    for block in (v for name, v in run.py_func.__globals__.items() if name.endswith(("_group", "_few"))):
        (text,) = block.inspect_llvm().values()
        assert len(re.findall(r"^vector.body\d*:", text, re.MULTILINE)) <= 2


@pytest.mark.turns(4)
def test_the_last_lanes_run_without_those_that_have_left() -> None:
    late = np.where(np.arange(64) % 4 == 3, 400, 1)  # 16 of 64
    found = profile(batch(smooth, schedule=Schedule(group=64, threads=1)), POINTS[:64], late)
    (body,) = (b for b in found.blocks if b.name == "smooth body")
    assert body.lanes == late.sum() and body.utilisation > 0.9


def test_chosen_where_it_pays() -> None:
    wide = batch(smooth, schedule=Schedule(threads=1))
    wide(np.resize(POINTS, 64), np.resize(LENGTHS, 64))
    assert "side by side" in wide.explain() and "smooth_body_group" in wide.source()
    wide(POINTS[:2], LENGTHS[:2])
    assert "lane after lane" in wide.explain()

    def count(rng):
        k = 0
        while rng.random() < 0.9:
            k = k + 1
        return k

    thin = batch(count, schedule=Schedule(threads=1))
    thin(streams(0, 64))
    assert "lane after lane" in thin.explain()


def test_what_is_mostly_on_vectors() -> None:
    one, many = " %a = fadd double %x, %y\n", " %b = fmul contract <4 x double> %c, %d\n"
    alone = f"entry:\n{2 * one}loop:\n{many}"
    assert not mostly_vectors(alone) and mostly_vectors(alone + 2 * many)
    assert not mostly_vectors(f"loop:\n{one}") and mostly_vectors(f"loop:\n{many}") and mostly_vectors("")
    # one lane of a vector after the other: beside what is on vectors, and under a mask
    beside, masked = (
        f"vector.body:\n{3 * one}{many}",
        f"vector.body:\n{many}pred.load.if7:\n{3 * one} %v = load <4 x i64>\n",
    )
    assert mostly_vectors(beside) and not mostly_vectors(beside + 2 * one)
    assert mostly_vectors(masked) and not mostly_vectors(masked.replace("pred.load.if7", "for.body"))
    whole = "body:\n %n = add <8 x i64> %a, %b\n %t = add <8 x i64> %n, %n\n"
    assert mostly_vectors(whole) and not mostly_vectors(f"{whole}rest:\n{3 * ' %s = and i64 %n, 1'}")


def test_lanes_one_by_one_where_the_compiler_made_no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "are_vectorised", lambda module, names: False)
    many = batch(smooth, schedule=Schedule(threads=1))
    found = many(POINTS, LENGTHS)
    assert "side by side they were not compiled to vector instructions" in many.explain()
    np.testing.assert_array_equal(found, batch(smooth, schedule="lanewise")(POINTS, LENGTHS))


def test_a_lane_that_fails_leaves_the_others() -> None:
    with pytest.raises(LaneError) as error:
        batch(rooted, schedule=Schedule(group=8))(POINTS, LENGTHS)
    expected = {}
    for lane, (x, n) in enumerate(zip(POINTS, LENGTHS, strict=True)):
        try:
            expected[lane] = rooted(x, n)
        except ValueError:
            expected[lane] = None
    assert list(error.value.lanes) == [lane for lane, value in expected.items() if value is None]
    for lane, value in expected.items():
        if value is not None:
            np.testing.assert_allclose(error.value.results[lane], value, rtol=1e-12)
    assert 'raise ValueError("x is too small")' in str(error.value)


@pytest.mark.turns(4)
def test_stacks_grow_and_have_a_limit() -> None:
    ns = np.array([3, 700, 0, 250])
    xs = np.linspace(0.1, 0.4, 4)
    expected = [deep(x, n) for x, n in zip(xs, ns, strict=True)]
    np.testing.assert_allclose(batch(deep, schedule=Schedule(group=2))(xs, ns), expected, rtol=1e-12)
    with pytest.raises(LaneError) as error:
        batch(deep, schedule=Schedule(group=2, stack_limit=300))(xs, ns)
    assert error.value.lanes == (1,)
    np.testing.assert_allclose(np.delete(error.value.results, 1), np.delete(expected, 1), rtol=1e-12)


def measured_against(x, n, data, scale):
    """Divisions by literals, by elements of shared data, and by what is a lane's own."""
    while n > 0:
        total = 0.0
        for k in range(6):
            total += np.exp(-(((x - data[k]) / scale[k]) ** 2)) / 3.0
        x = x + total / 7.0 - 0.1 * x / (1.0 + x * x)
        n -= 1
    return x


@pytest.mark.turns(4)
def test_quotients_by_known_divisors() -> None:
    """They are products in a group's vectors, and the numbers those of divisions."""
    rng = np.random.default_rng(12)
    xs, turns = rng.normal(size=300), rng.integers(1, 30, 300)
    data, scale = rng.normal(size=6), rng.uniform(0.3, 2.0, 6) * np.array([1, -1, 1, 1, -1, 1])
    lanes = batch(measured_against, (0, 0, None, None), schedule=Schedule(group=32))
    found = lanes(xs, turns, data, scale)
    emitted = lanes.source()
    assert "S[SCALE_INVERSE + k" in emitted and ", 7.0, 0.14285714285714285)" in emitted
    one_by_one = batch(measured_against, (0, 0, None, None), schedule="lanewise")
    np.testing.assert_array_equal(found, one_by_one(xs, turns, data, scale))
    assert "fast_quotient" not in one_by_one.source()


@pytest.mark.parametrize("least", [5e-324, 2.0**-1024, 2.0**-1023, 0.0, np.inf])
def test_quotients_by_divisors_without_reciprocals(least: float) -> None:
    """0 divided by the smallest numbers is 0, and others are what they are; only 0 / 0 is no number."""

    def divided(x, scale):
        total = x
        for k in range(6):
            total += np.sin(x / scale[k])
        return x / scale[2], total * 0.0

    xs = np.concatenate([np.zeros(40), np.full(40, 1e-320), np.linspace(-1.0, 1.0, 80)])
    scale = np.array([1.0, 2.0, least, 4.0, -3.0, 0.7])
    lanes = batch(divided, (0, None), schedule=Schedule(group=32))
    lanes(xs, np.ones(6))
    assert "fast_quotient" in lanes.source()
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(lanes(xs, scale)[0], xs / least)


def test_masks_cost_no_gathers() -> None:
    """Loads that some lanes take no part in are plain loads."""
    rng = np.random.default_rng(13)
    xs, turns = rng.normal(size=300), rng.integers(1, 30, 300)
    data, scale = rng.normal(size=6), rng.uniform(0.3, 2.0, 6)
    lanes = batch(measured_against, (0, 0, None, None), schedule=Schedule(group=32))
    lanes(xs, turns, data, scale)
    (machine,) = lanes.machines.values()
    module = load(machine.groups.text, machine.name)
    for name in machine.groups.wide:
        for code in getattr(module, name).inspect_llvm().values():
            assert "masked.gather" not in code


def two_ends(rng, x, n):
    """Arrays that go to one place or another, or change places, as a condition says."""
    left, right = np.full(4, x), np.full(4, -x)
    for _ in range(n):
        forward = rng.random() < 0.4
        at = right if forward else left
        while rng.random() < 0.8:
            total = 0.0
            for k in range(4):
                total += np.exp(-(at[k] ** 2)) * np.log1p(at[0] ** 2) / (1.0 + at[1] ** 2) + np.tanh(at[2])
            at = at + 0.1 * total + 0.01 * np.arange(4)
        if forward:
            right = at
        else:
            left = at
        if rng.random() < 0.3:
            left, right = right, left
    return left, right


@pytest.mark.turns(4)
def test_places_of_arrays_are_chosen() -> None:
    turns = np.random.default_rng(14).integers(0, 30, len(POINTS))
    lanes = batch(two_ends, schedule=Schedule(group=16))
    found = lanes(streams(5, len(POINTS)), POINTS, turns)
    chosen = re.findall(r"C\[W \* lane \+ \((\w+) if \w+ else (\w+)\) \+ k\]", lanes.source())
    assert ("RIGHT", "LEFT") in chosen
    rngs = streams(5, len(POINTS))
    expected = [two_ends(rng, x, n) for rng, x, n in zip(rngs, POINTS, turns, strict=True)]
    for array, wanted in zip(found, zip(*expected, strict=True), strict=True):
        np.testing.assert_allclose(array, wanted, rtol=1e-12)
    one_by_one = batch(two_ends, schedule="lanewise")(streams(5, len(POINTS)), POINTS, turns)
    for array, wanted in zip(found, one_by_one, strict=True):
        np.testing.assert_array_equal(array, wanted)


def tree(x, depth):
    """Dear leaves, and joints cheap enough that nobody waits at them."""
    if depth == 0:
        y = x
        for _ in range(6):
            y = np.exp(-y * y) * np.log1p(y * y) + np.tanh(y) / (1.0 + y * y)
        return y, y
    first, last = tree(x, depth - 1)
    other, end = tree(last + 0.1 * first, depth - 1)
    return 0.5 * (first + other) - 0.1 * np.sqrt(np.abs(first * other)) + 0.01 * last * end, end


@pytest.mark.turns(4)
def test_lanes_wait_at_the_dear_block_alone() -> None:
    depths = LENGTHS % 7
    lanes = batch(tree, schedule=Schedule(group=16))
    machine = machine_of(lanes, POINTS, depths)
    assert len(machine.groups.wide) == 1
    expected = [tree(x, n) for x, n in zip(POINTS, depths, strict=True)]
    for array, wanted in zip(lanes(POINTS, depths), zip(*expected, strict=True), strict=True):
        np.testing.assert_allclose(array, wanted, rtol=1e-12)


def leaves(x, n):
    """Dear work, and after it loops of a few steps, one through rows that each lane chooses."""
    rows, total = np.zeros((6, 4)), 0.0
    for leaf in range(n):
        for k in range(4):
            total = total + np.exp(-x * x) * np.log1p(x * x + k) - np.sin(x + k) / (1.0 + x * x)
        row, bits = 0, leaf >> 1
        while bits > 0:
            row += bits & 1
            bits = bits >> 1
        if leaf & 1 == 0:
            rows[row] = x + np.arange(4.0)
        bits = leaf
        while bits & 1 == 1 and total < 100.0:
            total = total + np.dot(rows[row], rows[row]) / (1.0 + total * total)
            row -= 1
            bits = bits >> 1
        x = x + 0.05 * total / (1.0 + leaf)
    return total


@pytest.mark.turns(4)
def test_loops_that_no_lane_waits_in_stay_loops() -> None:
    many = batch(leaves, schedule=Schedule(group=16))
    machine = machine_of(many, POINTS, LENGTHS)
    assert len(machine.groups.wide) == 1
    assert len(set(re.findall(r"^ +while .*bits.*", machine.groups.text, re.MULTILINE))) == 2
    one = batch(leaves, schedule=Schedule("program_counter", threads=64))(POINTS, LENGTHS)
    np.testing.assert_array_equal(many(POINTS, LENGTHS), one)
    np.testing.assert_allclose(one, [leaves(x, n) for x, n in zip(POINTS, LENGTHS, strict=True)], rtol=1e-12)


def normals(rng, n):
    total = 0.0
    for _ in range(n):
        x = rng.standard_normal()
        total = total + np.exp(-x * x) * np.log1p(x * x) - np.sin(x) / (1.0 + x * x) + np.tanh(x) * np.cos(x)
    return total


def cross_entropy(logits, label):
    top = np.max(logits)
    return top + np.log(np.sum(np.exp(logits - top))) - logits[label]


def test_short_loops_within_loops_over_lanes() -> None:
    """They are unrolled before loops over lanes become vectors."""
    rng = np.random.default_rng(5)
    logits, labels = rng.standard_normal((3000, 10)), rng.integers(0, 10, 3000)
    many = batch(cross_entropy)
    expected = [cross_entropy(*one) for one in zip(logits, labels)]
    np.testing.assert_allclose(many(logits, labels), expected, rtol=1e-12)
    assert machine_of(many, logits, labels).verified == [True]


@pytest.mark.turns(4)
def test_nobody_counts_references() -> None:
    """Nor is what a draw comes to once in a hundred times written out at every draw."""
    machine = machine_of(batch(normals, schedule=Schedule(group=16)), streams(2, 101), LENGTHS)
    made = machine.function(machine.groups).py_func.__globals__
    (text,) = made["normals_lanes"].inspect_llvm().values()
    assert re.search(r"call .*draw_normal_edge", text)
    (edge,) = re.findall(r"^define [^\n]*draw_normal_edge.*?^}", text, re.MULTILINE | re.DOTALL)
    (group,) = made["normals_body_2_group"].inspect_llvm().values()
    assert "NRT_incref" not in edge and "NRT_incref" not in group


def reflected(a):
    """Rows that a loop comes to change others of the same array."""
    u = a.copy()
    for k in range(8):
        weight = 2.0 / u[k, k] if u[k, k] > 0.5 else u[0, 0]
        for i in range(8):
            for j in range(8):
                u[i, j] = u[i, j] - 0.1 * weight * u[k, i] * u[k, j]
    return u


def test_places_of_lanes_are_their_own() -> None:
    """LLVM cannot see which rows a loop is at: that lanes do not touch each other's it is told, and asks no more."""
    a = np.random.default_rng(9).uniform(0.0, 2.0, (64, 8, 8))
    many = batch(reflected, schedule=Schedule(group=16))
    np.testing.assert_allclose(many(a), [reflected(x) for x in a], rtol=1e-9, atol=1e-9)
    made = machine_of(many, a)
    run = made.function(made.groups)
    (block,) = (v for name, v in run.py_func.__globals__.items() if name.endswith("_group"))
    (text,) = block.inspect_llvm().values()
    assert re.search(r"fmul (?:\w+ )*<\d+ x double>", text)
    assert not re.search(r"f(?:mul|div) (?:\w+ )*double", text)
    assert "vector.memcheck" not in text
