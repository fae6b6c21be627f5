"""Runs in files: processes that are killed or interrupted, disks that are full or read-only, bytes that change."""

import importlib
import io
import os
import signal
import time
import warnings
from itertools import count
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from mcmc_plain import plain_batch
from processes import Child, answer, full_disk, make_read_only

from autobatch.mcmc import RWM, chains, real, resume
from autobatch.mcmc.chains import over_chains
from autobatch.mcmc.density import build
from autobatch.mcmc.samplers import programs

driver = importlib.import_module("autobatch.mcmc.sample")

DRAWS = 1200


def run(path: Path | None = None, draws: int = DRAWS, batch: Any = plain_batch, seed: int | None = 1) -> Any:
    """Two random walks; a chunk has 100 draws, and the file is written after each."""
    chains.CHUNK_SECONDS = driver.SAVE_EVERY = 0.0
    model, sampler = build(lambda x: -0.5 * x**2, {"x": real()}, []), RWM(scale=1.0)
    one = programs(sampler, lambda u, data: (-0.5 * u[0] ** 2, np.zeros(1)), model.constrained)
    return driver.run_chains(
        model, over_chains(one, sampler, batch), sampler, (), chains=2, draws=draws, warmup=0, seed=seed,
        init=None, progress=False, resume=path, density="normal",
    )  # fmt: skip


def after(calls: int, then: Any) -> Any:
    """`plain_batch`, where something happens before some call of the program that draws."""

    def batched(program: Any, in_axes: Any, schedule: Any = None) -> Any:
        plain, number = plain_batch(program, in_axes), count()

        def call(*given: Any) -> Any:
            if program.__name__ == "run" and next(number) == calls:
                then()
            return plain(*given)

        return call

    return batched


def numbers(held: Any) -> Any:
    return held.done, [np.asarray(each).tolist() for each in (*held.record, held.words)]


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "CHUNK_SECONDS", chains.CHUNK_SECONDS)
    monkeypatch.setattr(driver, "SAVE_EVERY", driver.SAVE_EVERY)


@pytest.fixture(scope="module")
def whole() -> Any:
    return numbers(run())


def named(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def keep(say: Any, path: Path) -> None:
    say("begun")
    run(path, draws=100_000)


def test_killed_and_interrupted_runs_go_on_bit_for_bit(tmp_path: Path) -> None:
    """Half of the time is spent writing, so that some are killed while they write."""
    path = tmp_path / "run.npz"
    for k, number in enumerate([signal.SIGKILL, signal.SIGINT, signal.SIGTERM, *3 * [signal.SIGKILL]]):
        before = resume.read_identity(path)["draws"] if path.exists() else 0
        child = Child(keep, path)
        child.hear()
        while not path.exists() or resume.read_identity(path)["draws"] <= before:
            assert child.process.is_alive(), child.hear()
            time.sleep(0.002)
        time.sleep(0.003 * k)
        child.signal(number)
        assert child.end() == (0 if number == signal.SIGINT else -number)  # an interrupt is told
        with resume.open_run(path):
            pass
    (tmp_path / "run.npz.17-0123.part").write_text("left by a killed process")
    draws = resume.read_identity(path)["draws"] + 150
    assert numbers(run(path, draws)) == numbers(run(draws=draws))
    assert named(tmp_path) == ["run.npz"]


def short_of_room(say: Any, path: Path) -> None:
    """The disk is full until the run is half done; at its end it is full again."""
    with warnings.catch_warnings(record=True) as caught, full_disk() as room:
        warnings.simplefilter("always")
        held = run(path, 1000, after(5, lambda: say(("room", named(path.parent)))))
        first = [str(each.message) for each in caught], named(path.parent), numbers(held)
    assert room is None
    say(first)
    say(numbers(run(path)))


def test_where_the_disk_is_full_sampling_goes_on(tmp_path: Path, whole: Any) -> None:
    path = tmp_path / "run.npz"
    child = Child(short_of_room, path)
    assert child.hear() == ("room", ["run.npz.lock"])
    said, names, drawn = child.hear()
    assert said == [
        f"the run is not kept: {path} cannot be written (File too large); "
        "sampling goes on, and writing is tried again"
    ]
    assert names == [] and drawn == numbers(run(draws=1000))
    assert child.hear() == whole
    assert named(tmp_path) == ["run.npz"]


def with_room_later(say: Any, path: Path) -> None:
    room = full_disk()
    room.__enter__()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(path, 1000, after(5, lambda: room.__exit__(None, None, None)))
    say((len(caught), resume.read_identity(path)["draws"]))


def test_writing_is_tried_again(tmp_path: Path) -> None:
    assert answer(with_room_later, tmp_path / "run.npz") == (1, 1000)


def read_only(say: Any, path: Path, draws: int) -> None:
    make_read_only(path.parent)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        held = run(path, draws, seed=None)
    say(([str(each.message) for each in caught], numbers(held)))


def test_a_finished_run_is_only_read(tmp_path: Path, whole: Any) -> None:
    path = tmp_path / "run.npz"
    run(path)
    before = os.stat(path), path.read_bytes()
    assert answer(read_only, path, DRAWS) == ([], whole)
    said, drawn = answer(read_only, path, 300)
    assert not said and drawn[1] == numbers(run(draws=300))[1][:-1] + whole[1][-1:]
    assert (os.stat(path).st_mtime_ns, path.read_bytes()) == (before[0].st_mtime_ns, before[1])
    said, drawn = answer(read_only, path, DRAWS + 100)
    assert said == [
        f"the run is not kept: {path} cannot be written (Read-only file system); "
        "sampling goes on, and writing is tried again"
    ]
    assert drawn == numbers(run(draws=DRAWS + 100)) and path.read_bytes() == before[1]


def stay(say: Any, path: Path) -> None:
    def fork_and_wait() -> None:
        if os.fork() == 0:  # a child of its own, which outlives it
            time.sleep(5.0)
            os._exit(0)
        say("half done")
        time.sleep(60.0)

    run(path, batch=after(3, fork_and_wait))


def test_one_process_at_a_time(tmp_path: Path, whole: Any) -> None:
    path = tmp_path / "run.npz"
    child = Child(stay, path)
    assert child.hear() == "half done"
    with pytest.raises(RuntimeError) as caught:
        run(path)
    assert str(caught.value) == (
        f"another process is at the run in {path}: wait until it ends, or name another file"
    )
    assert run(path, draws=200).done == 200, "what is there may be read"
    child.signal(signal.SIGKILL)
    child.end()
    assert named(tmp_path) == ["run.npz", "run.npz.lock"], "a file, which locks nothing"
    assert numbers(run(path)) == whole
    assert named(tmp_path) == ["run.npz"]


def interrupted(say: Any, path: Path | None) -> None:
    try:
        run(path, batch=after(4, lambda: os.kill(os.getpid(), signal.SIGINT)))
    except KeyboardInterrupt as stop:
        say((dict(stop.trace.posterior.sizes), stop.trace.posterior.x.values.tolist(), stop.__notes__))


@pytest.mark.parametrize("kept", [False, True])
def test_what_was_drawn_before_an_interrupt_goes_with_it(kept: bool, tmp_path: Path) -> None:
    sizes, drawn, notes = answer(interrupted, tmp_path / "run.npz" if kept else None)
    assert sizes == {"chain": 2, "draw": 400}
    assert drawn == run(draws=400).record.draws[..., 0].tolist()
    assert notes == [
        "What was drawn before, 400 draws of 2 chains, is the attribute `trace` of this exception "
        "(at a prompt: sys.last_value.trace)"
    ]


def test_every_changed_byte_and_every_cut_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run(path, draws=1)
    content = path.read_bytes()
    resume.check_seal(io.BytesIO(content))

    def is_refused(changed: bytes) -> bool:
        try:
            resume.check_seal(io.BytesIO(changed))
        except ValueError:
            return True
        return False

    changed = bytearray(content)
    for k in range(len(content)):
        changed[k] ^= 1 << k % 8
        assert is_refused(bytes(changed)), k
        assert is_refused(content[:k]), k
        changed[k] = content[k]
    for text in (b"", content[:100], bytes(len(content)), content.replace(b"1", b"2", 1), content + b"\n"):
        path.write_bytes(text)
        with pytest.raises(ValueError) as caught:
            run(path)
        assert str(caught.value) == (
            f"{path} is no file of a run, or is damaged: "
            "name one that resume= wrote, or one that does not exist"
        )
        assert path.read_bytes() == text and named(tmp_path) == ["run.npz"]


def test_every_member_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    run(path, draws=2)
    with np.load(path) as file:
        arrays = dict(file)
    for name in arrays:
        with open(path, "w+b") as file:
            resume.write_archive(file, {other: array for other, array in arrays.items() if other != name})
        with pytest.raises(
            ValueError, match="is no file of a run, or is damaged: name one that resume= wrote"
        ):
            run(path)


def test_the_versions_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.npz"
    run(path, draws=2)
    assert resume.read_identity(path)["versions"] == resume.releases() and "NumPy" in resume.releases()
    monkeypatch.setattr(resume, "releases", lambda: {"autobatch": "9.1", "NumPy": "9.2"})
    run(path, draws=2)
    with pytest.warns(
        RuntimeWarning, match=r"by autobatch \S+, NumPy \S+, this is autobatch 9.1, NumPy 9.2: "
    ):
        run(path, draws=4)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    path = tmp_path / "run.npz"
    path.symlink_to(tmp_path / "disk" / "run.npz")
    run(path, draws=2)
    assert path.is_symlink() and ZipFile(tmp_path / "disk" / "run.npz").testzip() is None
    assert named(tmp_path) == ["disk", "run.npz"] and named(tmp_path / "disk") == ["run.npz"]
