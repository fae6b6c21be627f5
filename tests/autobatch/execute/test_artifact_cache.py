"""What was made of a program is found again, for the same program only."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autobatch import LaneError, Schedule, batch, pipeline
from autobatch.execute.artifact_cache import Artifacts
from codegen.backend import disk_cache as cache
from codegen.infer.trace import trace
from codegen.ir import Program, Type

X = np.array([0.0, 0.5, 3.0, 10.0])


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache directory with nothing in it, of which no warning was given yet."""
    monkeypatch.setattr(cache, "WARNED", set())
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """The programs that passes were run on."""
    seen: list[Program] = []
    passes = pipeline.prepared

    def noted(program: Program) -> Program:
        seen.append(program)
        return passes(program)

    monkeypatch.setattr(pipeline, "prepared", noted)
    return seen


def halvings(x):
    n = 0
    while x > 1.0:
        x, n = x / 2.0, n + 1
    return n


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def bounded(x):
    if x > 5.0:
        raise ValueError("too large")
    return x + 1.0


def scaled(factor: float) -> Callable[..., Any]:
    def f(x):
        return np.exp(-factor * x) + np.cos(x)

    return f


def test_a_later_batch_of_the_same_program_runs_no_pass(prepared: list[Program]) -> None:
    first = batch(halvings)(X)
    assert len(prepared) == 1
    np.testing.assert_array_equal(batch(halvings)(X), first)
    assert len(prepared) == 1


def test_recursion_by_the_hosts_calls(prepared: list[Program]) -> None:
    n = np.arange(9)
    first = batch(fib)(n)
    np.testing.assert_array_equal(batch(fib)(n), first)
    assert len(prepared) == 1


@pytest.mark.turns(4)
def test_lanes_in_groups(prepared: list[Program]) -> None:
    x = np.linspace(0.0, 1.0, 100)
    first = batch(scaled(2.0), schedule=Schedule(group=16))(x)
    np.testing.assert_array_equal(batch(scaled(2.0), schedule=Schedule(group=16))(x), first)
    assert len(prepared) == 1
    np.testing.assert_array_equal(batch(scaled(2.0), schedule=Schedule(group=32))(x), first)
    assert len(prepared) == 2, "another schedule"


def test_another_constant_type_or_sharing_is_another_program(prepared: list[Program]) -> None:
    np.testing.assert_allclose(batch(scaled(2.0))(X), np.exp(-2.0 * X) + np.cos(X))
    np.testing.assert_allclose(batch(scaled(3.0))(X), np.exp(-3.0 * X) + np.cos(X))
    np.testing.assert_allclose(batch(scaled(3.0))(X.astype("f4")), np.exp(-3.0 * X) + np.cos(X), 1e-6)
    assert len(prepared) == 3

    def less(x, y):
        return x - y

    batch(less)(X, X)
    batch(less, (0, None))(X, 1.0)
    assert len(prepared) == 5


def test_failures_and_explanations_are_as_before(prepared: list[Program]) -> None:
    raised = []
    for many in (batch(bounded), batch(bounded)):
        with pytest.raises(LaneError) as caught:
            many(X)
        raised.append((str(caught.value), many.explain(X).partition("passes: ")[0]))
    assert raised[0] == raised[1] and "too large" in raised[1][0]
    assert len(prepared) == 2, "one for the first call, one to explain the second"


def test_what_is_damaged_is_made_again(empty: Path, prepared: list[Program]) -> None:
    first = batch(halvings)(X)
    for path in empty.glob("halvings_*.lanewise"):
        path.write_bytes(path.read_bytes()[:100])
    with pytest.warns(RuntimeWarning, match="damaged, and made again: halvings_.*.lanewise"):
        np.testing.assert_array_equal(batch(halvings)(X), first)
    np.testing.assert_array_equal(batch(halvings)(X), first)
    assert len(prepared) == 2


def test_where_nothing_can_be_kept(
    empty: Path, prepared: list[Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty / "file").write_text("")
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(empty / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="compiled code is not kept: ") as caught:
        for _ in range(2):
            kept = Artifacts(trace(halvings, (Type("f8"),)).program)
            assert kept("answer", lambda: 42) == 42
    assert len(caught) == 1
    assert list(empty.iterdir()) == [empty / "file"]


def test_digests_tell_programs_apart() -> None:
    programs = [
        trace(halvings, (Type("f8"),)).program,
        trace(halvings, (Type("f4"),)).program,
        trace(bounded, (Type("f8"),)).program,
        trace(scaled(2.0), (Type("f8"),)).program,
        trace(scaled(np.nextafter(2.0, 3.0)), (Type("f8"),)).program,
    ]
    digests = [Artifacts(p).digest for p in programs]
    assert None not in digests and len(set(digests)) == len(digests)
    assert Artifacts(trace(halvings, (Type("f8"),)).program).digest == digests[0]
    assert Artifacts(programs[0], (True,)).digest != digests[0]


def test_a_part_without_structure_is_not_kept(empty: Path) -> None:
    kept = Artifacts(trace(halvings, (Type("f8"),)).program, object())
    made = [kept("answer", lambda k=k: k) for k in range(2)]
    assert made == [0, 1] and not list(empty.iterdir())
