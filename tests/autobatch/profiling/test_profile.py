"""Profiles: the numbers of a plain call, and counts that can be worked out by hand."""

import importlib
import io
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from corpus import CASES
from corpus.case import Case
from over_lanes import arguments, directory  # noqa: F401

from autobatch import LaneError, Schedule, batch, profile, streams
from autobatch.execute.executor import Machine
from autobatch.execute.vector_check import are_vectorised
from autobatch.mcmc import HMC, real, sample
from autobatch.profiling import notes
from autobatch.profiling.profile import BlockProfile, Profile
from autobatch.profiling.timeline import POINTS as POINTS_OF_TIME
from autobatch.profiling.timeline import MachineRun, Timeline, so_far, timeline
from autobatch.streams import Streams
from codegen.backend.load import load

MACHINES = [Schedule(), Schedule("program_counter"), Schedule(group=4)]
ONE_BY_ONE = Schedule("program_counter", threads=1)


def same(a: Any, b: Any) -> None:
    """Equal bit for bit, NaN for NaN, in all parts."""
    if isinstance(a, dict):
        a, b = tuple(a.values()), tuple(b.values())
    if isinstance(a, tuple | list):
        for x, y in zip(a, b, strict=True):
            same(x, y)
    elif a is not None:
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes()


def named(found: Profile, name: str) -> BlockProfile:
    (block,) = [b for b in found.blocks if b.name == name]
    return block


def outcome(call: Any, *args: Any) -> tuple[Any, tuple[str, ...]]:
    """What a batched call gives, failures and all."""
    try:
        return call(*args), ()
    except LaneError as error:
        return error.results, tuple(map(str, error.failures))


# --- the same numbers ------------------------------------------------------------------------------------

CHOSEN = {"fibonacci_float", "quicksort", "drawn_in_recursion", "rejection"}


@pytest.mark.sampled(15)
@pytest.mark.parametrize("schedule", MACHINES, ids=["auto", "program_counter", "group"])
@pytest.mark.parametrize("case", [c for c in CASES if c.name in CHOSEN], ids=lambda c: c.name)
def test_corpus(case: Case, schedule: Schedule) -> None:
    plain, axes = arguments(case.lanes(), case.shared)
    profiled, _ = arguments(case.lanes(), case.shared)
    many = batch(case.function, axes, schedule=schedule)
    results, failures = outcome(many, *plain)
    found = profile(many, *profiled)
    assert (() if found.error is None else tuple(map(str, found.error.failures))) == failures
    if not failures:
        same(found.results, results)
    for a, b in zip(plain, profiled, strict=True):
        if isinstance(a, Streams):
            np.testing.assert_array_equal(a.state, b.state)


def smooth(x, n):
    """Enough arithmetic in a loop of its own length that lanes side by side pay."""
    for _ in range(n):
        y = np.exp(-x * x) + 0.5 * np.log1p(x * x)
        x = x + 0.1 * np.sin(y) - 0.05 * y / (1.0 + x * x)
    return x


def walk(rng, n):
    """Draws lane by lane, between expensive blocks."""
    x = 0.0
    for _ in range(n):
        z = rng.normal(0.0, 0.3)
        x = x * np.exp(-0.1 * x * x) + z * np.log1p(z * z) + np.cos(x) * z + rng.random()
    return x


def descent(beta, n, X):
    """Steps against a matrix that lanes share."""
    for _ in range(n):
        beta = beta - 0.001 * (X.T @ (X @ beta))
    return beta


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def rooted(x):
    if x < 0.0:
        raise ValueError("no real root")
    return np.sqrt(x)


X = np.random.default_rng(2).normal(size=(200, 30))
BETAS = np.random.default_rng(5).normal(size=(20, 30))
POINTS = np.random.default_rng(4).normal(size=101)
LENGTHS = np.random.default_rng(3).integers(0, 40, 101)


@pytest.mark.turns(4)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("threads", [1, 2])
def test_lanes_in_groups(threads: int) -> None:
    many = batch(smooth, schedule=Schedule(group=16, threads=threads))
    same(profile(many, POINTS, LENGTHS).results, many(POINTS, LENGTHS))
    assert isinstance(many.latest, Machine) and many.ran is many.latest.groups


@pytest.mark.turns(4)
def test_streams_advance_as_they_would() -> None:
    many = batch(walk, schedule=Schedule(group=8))
    plain, profiled = streams(5, 101), streams(5, 101)
    for _ in range(2):
        same(profile(many, profiled, LENGTHS).results, many(plain, LENGTHS))
    np.testing.assert_array_equal(profiled.state, plain.state)


def test_the_text_of_a_plain_call_stays_as_it_is() -> None:
    many = batch(smooth, schedule=Schedule(group=16))
    many(POINTS, LENGTHS)
    before = many.source()
    profile(many, POINTS, LENGTHS)
    assert many.source() == before and "note_" not in before


def test_notes_leave_vectors_alone() -> None:
    many = batch(smooth, schedule=Schedule(group=16))
    profile(many, POINTS, LENGTHS)
    made = many.latest
    assert isinstance(made, Machine)
    noting, _ = made.marked(made.groups)
    assert noting.wide and are_vectorised(load(noting.text, made.name), noting.wide)


def names_of_its_own(notes, ir, types):
    """Every name here is one that notes use too."""
    note_visit, note_time, note_lanes, note_end = notes + 1.0, ir + 2.0, types, 0
    note_cycles, note_timeline, intrinsic = 1.0, 2.0, 3.0
    while note_end < 3:
        note_end = note_end + 1
        note_visit = note_visit * np.exp(-note_time * note_lanes) + np.sin(note_visit) / (1.0 + ir * ir)
    return note_visit + note_time + note_lanes + note_end + note_cycles + note_timeline + intrinsic


def note_lanes(notes):
    return notes if notes < 2 else note_lanes(notes - 1) + note_lanes(notes - 2)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", MACHINES, ids=["auto", "program_counter", "group"])
def test_any_name_is_the_users(schedule: Schedule) -> None:
    many = batch(names_of_its_own, schedule=schedule)
    same(profile(many, POINTS, POINTS + 1.0, POINTS - 1.0).results, many(POINTS, POINTS + 1.0, POINTS - 1.0))
    recursive = batch(note_lanes, schedule=schedule)
    assert profile(recursive, np.arange(10)).results.tolist() == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]


def test_lanes_that_fail() -> None:
    found = profile(batch(rooted), np.array([1.0, -1.0, 4.0]))
    assert found.error is not None and found.error.lanes == (1,)
    assert found.results[[0, 2]].tolist() == [1.0, 2.0]
    assert sum(b.visits for b in found.blocks) >= 3


# --- counts ------------------------------------------------------------------------------------------------


def test_recursion_is_counted_call_by_call() -> None:
    found = profile(batch(fib, schedule=Schedule("program_counter")), np.array([3, 7, 4, 5]))
    assert found.results.tolist() == [2, 13, 3, 5]
    additions = 2 + 20 + 4 + 7  # of fib(n): fib(n + 1) - 1
    calls = 2 * additions + 4  # each addition calls twice
    counts = {b.name: b.visits for b in found.blocks}
    assert counts == {
        "fib": calls,
        "fib join": calls - additions,
        "fib else": additions,
        "fib after fib": additions,
        "fib after fib 2": additions,
    }
    assert all(b.lanes == b.room == b.visits and b.utilisation == 1.0 for b in found.blocks)
    line = named(found, "fib").span
    assert line is not None and line.text == "if n < 2:" and line.source.file == __file__


def test_the_hosts_calls_are_one_block() -> None:
    found = profile(batch(fib), np.arange(20))
    (block,) = found.blocks
    assert (block.name, block.visits, block.lanes) == ("fib, by the host's calls", 20, 20)


def stairs(n):
    if n == 0:
        return 0.0
    return 0.5 * stairs(n - 1) + 1.0


@pytest.mark.turns(4)
def test_lanes_that_are_too_deep_for_the_hosts_calls() -> None:
    """They are run again, by a machine whose stack grows: from the start, so that visits count twice."""
    many, n = batch(stairs), np.array([3, 20_000])
    found = profile(many, n)
    same(found.results, many(n))
    assert named(found, "stairs, by the host's calls").visits == 2
    assert named(found, "stairs").visits > 20_001
    assert found.timeline.alive[-1] >= 0.0


def test_full_groups() -> None:
    """32 lanes of 5 steps, 16 at a time: 10 visits, all places taken."""
    found = profile(batch(smooth, schedule=Schedule(group=16, threads=1)), POINTS[:32], np.full(32, 5))
    body = named(found, "smooth body")
    assert (body.visits, body.lanes, body.room, body.utilisation) == (10, 160, 160, 1.0)
    assert named(found, "smooth for").visits == 32
    assert body.span is not None and body.span.text == "y = np.exp(-x * x) + 0.5 * np.log1p(x * x)"


@pytest.mark.parametrize("threads", [1, 2])
def test_groups_that_are_not_full(threads: int) -> None:
    found = profile(batch(smooth, schedule=Schedule(group=16, threads=threads)), POINTS, LENGTHS)
    body = named(found, "smooth body")
    assert body.lanes == LENGTHS.sum() and body.room == 16 * body.visits
    assert max(LENGTHS.max(), body.lanes / 16) <= body.visits <= body.lanes
    assert 0.0 < body.utilisation < 1.0


@pytest.mark.turns(4)
def test_lanes_one_at_a_time_between_dear_blocks() -> None:
    found = profile(batch(walk, schedule=Schedule(group=8)), streams(5, 101), LENGTHS)
    counts = {b.span.text: b.lanes for b in found.blocks if b.span is not None and b.room == b.visits}
    assert counts["z = rng.normal(0.0, 0.3)"] == LENGTHS.sum()


@pytest.mark.turns(4)
def test_products_that_lanes_share() -> None:
    """All lanes together, so that there are as many as the longest lane has steps."""
    steps = np.random.default_rng(6).integers(0, 9, 20)
    many = batch(descent, (0, 0, None), schedule=Schedule(threads=1))
    found = profile(many, BETAS, steps, X)
    same(found.results, many(BETAS, steps, X))
    products = [b for b in found.blocks if b.room > b.visits]
    assert len(products) == 1  # both in one panel
    for block in products:
        assert (block.visits, block.lanes, block.room) == (steps.max(), steps.sum(), 20 * steps.max())
        assert block.span is not None and block.span.text == "beta = beta - 0.001 * (X.T @ (X @ beta))"


@pytest.mark.slow
def test_every_program_of_a_sampler() -> None:
    def normal(x):
        return -0.5 * x * x

    settings: Any = dict(chains=10, draws=30, warmup=20, seed=1, sampler=HMC(n_leapfrog=2), progress=False)
    plain = sample(normal, {"x": real()}, **settings)
    found = profile(sample, normal, {"x": real()}, **settings)
    np.testing.assert_array_equal(found.results.posterior.x, plain.posterior.x)
    assert {b.program for b in found.blocks} == {"advance", "run"}


# --- time ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "schedule", [Schedule("lanewise"), Schedule(group=16, threads=1), Schedule(threads=2)]
)
def test_times_and_the_timeline(schedule: Schedule) -> None:
    found = profile(batch(smooth, schedule=schedule), POINTS, LENGTHS)
    spent = sum(b.seconds for b in found.blocks) + found.between
    assert all(b.seconds >= 0.0 for b in found.blocks) and found.between >= 0.0
    assert 0.0 < spent <= found.seconds * found.threads * 1.001
    lanes, width = found.timeline, found.seconds / POINTS_OF_TIME
    assert lanes.edges[0] == 0.0 and np.isclose(lanes.edges[-1], found.seconds)
    assert np.all(lanes.active <= lanes.room * (1 + 1e-9)) and np.all(lanes.active >= 0.0)
    assert np.all(lanes.occupancy <= 1.0 + 1e-9) and lanes.occupancy.shape == (POINTS_OF_TIME,)
    assert (
        np.all(np.diff(lanes.alive) <= 1e-6)
        and -1e-6 <= lanes.alive[-1] <= lanes.alive[0] <= len(POINTS) + 1e-6
    )
    if schedule.form == "lanewise":
        np.testing.assert_allclose(np.sum(lanes.active) * width, spent, rtol=1e-6)
        np.testing.assert_array_equal(lanes.active, lanes.room)


def test_bins_double_when_they_are_full() -> None:
    own = notes.empty_notes(1)
    own[notes.THEN], own[notes.ACTIVE], own[notes.PLACES] = 10_000, 3, 4
    notes.note_timeline(own)
    lanes, room = own[notes.LANES : notes.ROOM], own[notes.ROOM : notes.ENDED]
    assert own[notes.WIDTH] == 5 and own[notes.SINCE] == 10_000
    assert lanes.tolist() == [3 * 32] * 312 + [3 * 16] + [0] * 199
    assert room.tolist() == [4 * 32] * 312 + [4 * 16] + [0] * 199
    notes.note_end(own)
    own[notes.THEN], own[notes.ACTIVE] = 20_000, 1
    notes.note_end(own)
    assert own[notes.WIDTH] == 6 and (lanes.sum(), room.sum()) == (30_000 + 10_000, 80_000)
    ended = own[notes.ENDED : notes.ROWS]
    assert ended.sum() == 2 and ended[10_000 >> 6] == 1 and ended[20_000 >> 6] == 1


# --- what is shown -----------------------------------------------------------------------------------------


def test_the_table() -> None:
    found = profile(batch(fib, schedule=ONE_BY_ONE), np.array([3, 7, 4, 5]))
    first, empty, head, *lines = str(found).splitlines()
    assert first.endswith(" s on 1 thread, 100% of the room in use") and not empty
    assert head.split() == ["program", "block", "visits", "lanes", "used", "seconds", "share", "where"]
    (line,) = [line for line in lines if line.startswith("fib      fib  ")]
    assert line.split()[2:5] == ["70", "70", "100%"] and line.endswith("if n < 2:")
    assert lines[-1].split()[:2] == ["between", "blocks"] and len(lines) == 6


def test_the_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    found = profile(batch(smooth, schedule=Schedule(group=16)), POINTS, LENGTHS)
    figure, file = found.plot(), io.BytesIO()
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["Occupancy over time", "Time of each block", ""]
    names = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert names == [*(b.name for b in found.blocks), "between blocks"]
    figure.savefig(file)
    assert file.getvalue().startswith(b"\x89PNG")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"^a plot needs the package matplotlib, which is not installed$"):
        found.plot()


def test_what_has_no_blocks() -> None:
    message = (
        "fib ran as a program over arrays, which has no blocks to profile: "
        "use target='numba' and another form than 'local_static'"
    )
    with pytest.raises(TypeError) as error:
        profile(batch(fib, target="numpy"), np.array([3, 4]))
    assert str(error.value) == message
    with pytest.raises(ValueError, match="^fib called nothing that batch made: there is nothing to profile$"):
        profile(fib, 3)


@pytest.mark.turns(4)
def test_groups_whose_lanes_all_go_the_same_way(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[MachineRun] = []

    def noting(given: Sequence[MachineRun]) -> Timeline:
        runs.extend(given)
        return timeline(given)

    monkeypatch.setattr(importlib.import_module("autobatch.profiling.profile"), "timeline", noting)

    def straight(x, y):
        return np.exp(-x * x) * np.cos(y) + np.log1p(y * y)

    found = profile(batch(straight, schedule=Schedule(group=16, threads=1)), POINTS, POINTS)
    same(found.results, batch(straight)(POINTS, POINTS))
    (block,) = found.blocks
    groups = -(-len(POINTS) // 16)
    assert (block.visits, block.lanes, block.room) == (groups, len(POINTS), 16 * groups)
    # Lanes are alive up to the end of a run where the process waits before it has noted that: its notes are exact.
    (run,) = runs
    assert so_far(run, notes.ENDED, np.array([float(run.stop - run.start)])) == run.count == len(POINTS)
    alive = found.timeline.alive
    assert alive[0] > 0.0 and np.all(np.diff(alive) <= 1e-6) and alive[-1] >= -1e-6
