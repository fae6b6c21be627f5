"""What is kept on disk stays below its limit: the oldest files of this library go, and no others."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autobatch.cli import main
from codegen.backend import cache_size, disk_cache


def kept_names(folder: Path) -> set[str]:
    return {file.path.name for file in cache_size.files(folder)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of half a megabyte, of which this process has kept nothing yet."""
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv(cache_size.LIMIT, "0.5")
    monkeypatch.setattr(cache_size.SINCE, "bytes", None)
    return tmp_path


def name(k: int) -> str:
    return f"{disk_cache.hashed_name('f', k)}.machine"


def test_the_oldest_go_first(folder: Path) -> None:
    content, now = bytes(40_000), time.time()
    for k in range(10):
        disk_cache.put(name(k), content)
        os.utime(folder / name(k), (now - 9000 + k, now - 9000 + k))
    assert disk_cache.found(name(0)) == content  # used now
    (folder / "notes.txt").write_bytes(bytes(10**6))  # of somebody else
    for k in range(10, 16):
        disk_cache.put(name(k), content)
    left = kept_names(folder)
    assert {name(0), name(15)} <= left and name(1) not in left
    assert sum(file.size for file in cache_size.files(folder)) <= 0.55 * cache_size.MEGABYTE
    assert (folder / "notes.txt").exists()


@pytest.mark.parametrize("given", ["-1", "many", "nan"])
def test_a_limit_that_makes_no_sense_is_not_followed(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache_size.LIMIT, given)
    assert cache_size.limit() == cache_size.USUAL * cache_size.MEGABYTE


@pytest.mark.turns(4)
def test_processes_that_keep_and_remove_at_once_find_what_they_put_or_nothing(folder: Path) -> None:
    program = """
import sys
from codegen.backend import disk_cache
first = int(sys.argv[1])
for k in range(60):
    for name in (f"{disk_cache.hashed_name('f', first, k)}.machine", f"{disk_cache.hashed_name('f', k)}.machine"):
        disk_cache.put(name, name.encode() * 400)
        found = disk_cache.found(name)
        assert found is None or found == name.encode() * 400
"""
    command = [sys.executable, "-W", "error", "-c", program]
    running = [subprocess.Popen([*command, str(k)]) for k in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert sum(file.size for file in cache_size.files(folder)) <= 0.7 * cache_size.MEGABYTE


def test_the_command_shows_and_clears(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = folder / "model.py"
    other.write_text("x = 1\n")
    disk_cache.put(name(0), bytes(np.arange(200_000, dtype=np.uint8)))
    assert main(["cache"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert (
        shown[0] == str(folder)
        and shown[1] == "1 file, 0.2 of 0 MB"
        and shown[2].startswith("last used from ")
    )
    assert main(["cache", "--clear"]) == 0
    assert capsys.readouterr().out == f"{folder}\n1 file removed, 0 left\n"
    assert os.listdir(folder) == ["model.py"]
    assert main(["cache"]) == 0
    assert capsys.readouterr().out == f"{folder}\n0 files, 0.0 of 0 MB\n"


def test_nothing_that_is_compiled_is_larger_than_its_room(folder: Path, monkeypatch: Any) -> None:
    """Every file goes at once where there is no room at all, and costs compiling alone."""
    monkeypatch.setenv(cache_size.LIMIT, "0")
    monkeypatch.setattr(cache_size.SINCE, "bytes", None)
    disk_cache.put(name(0), bytes(1000))
    assert disk_cache.found(name(0)) is None and not kept_names(folder)


def test_what_another_process_is_writing_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache_size.LIMIT, "0")
    part = folder / f"{disk_cache.hashed_name('f', 1)}.machine.1-0123abcd.part"
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_bytes(b"half")
    cache_size.SINCE.bytes = None
    cache_size.note_kept(folder, 4)
    assert part.exists()
    os.utime(part, (0, 0))
    cache_size.SINCE.bytes = None
    cache_size.note_kept(folder, 4)
    assert not part.exists()


def test_who_comes_within_the_hour_need_not_look(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk_cache.put(name(0), bytes(1000))
    looks = []
    monkeypatch.setattr(cache_size, "files", lambda directory: looks.append(directory) or [])
    for said, seen in (("1000", 0), (str(10**9), 1), ("what?", 2)):
        (folder / cache_size.LOOKED).write_text(said)
        cache_size.SINCE.bytes = None
        disk_cache.put(name(1), bytes(1000))
        assert len(looks) == seen
    os.utime(folder / cache_size.LOOKED, (time.time() - 7200,) * 2)
    cache_size.SINCE.bytes = None
    disk_cache.put(name(2), bytes(1000))
    assert len(looks) == 3
