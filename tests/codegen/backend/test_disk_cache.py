"""What is kept on disk costs nothing but time, whatever becomes of it; and is never another program's."""

import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processes import Child, answer, full_disk, make_read_only

from autobatch import batch
from autobatch.execute import artifact_cache as kept
from codegen import jit
from codegen.backend import disk_cache as cache
from codegen.backend import load as loading
from codegen.backend import machine_code
from codegen.backend.cache_size import LOOKED

KINDS = {
    *(".code", ".groups", ".lanewise", ".linked", ".machine"),
    *(".library", ".native", ".py", ".schedule", ".share", ".tree", ".vectors"),
}

X = np.linspace(0.5, 60.0, 64)


def below(x):
    while x > 1.0:
        x = 0.5 * x + 0.25
    return x


def halved(x):
    while x > 1.0:
        x = 0.5 * x
    return x


def plus(x):
    return x + 0.5


def use(folder: Path) -> None:
    os.environ["AUTOBATCH_CACHE_DIR"] = str(folder)


def outcome(program: Callable[[], Any]) -> tuple[Any, list[str], int]:
    """What a program gives, what it warns of, and how many functions it compiled for the cache."""
    compiled: list[Any] = []
    machine_code.MachineCode.save_overload = counted(machine_code.MachineCode.save_overload, compiled)
    loading.LONG = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = program()
    return result, [str(each.message) for each in caught], len(compiled)


def counted(save: Any, compiled: list[Any]) -> Any:
    def saved(self: Any, signature: Any, data: Any) -> None:
        compiled.append(signature)
        save(self, signature, data)

    return saved


def both() -> Any:
    """Two functions over lanes: what they have in common is compiled in modules of its own."""
    return jit(plus)(1.0), batch(below)(X).tolist(), batch(halved)(X).tolist()


BOTH = 1.5, [below(x) for x in X], [halved(x) for x in X]


def small() -> Any:
    return jit(plus)(1.0)


def say_both(say: Any, folder: Path) -> None:
    use(folder)
    say(outcome(both))


def say_small(say: Any, folder: Path) -> None:
    use(folder)
    say(outcome(small))


def right(found: Any) -> bool:
    return found[0] == BOTH[0] and np.allclose(found[1:], BOTH[1:], rtol=1e-12)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """A cache that another process has filled with everything."""
    folder = tmp_path_factory.mktemp("warm")
    result, said, compiled = answer(say_both, folder)
    assert right(result) and said == [] and compiled == 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOBATCH_CACHE_DIR", str(folder))
        cache.put("below_0.schedule", json.dumps({"lane after lane": 1e-4}).encode())
    assert {path.suffix for path in kept_in(folder)} == KINDS
    return folder, contents(folder)


@pytest.fixture
def folder(warm: tuple[Path, dict[str, bytes]]) -> Path:
    """That cache, as it was: what is in it is bound to its place."""
    folder, files = warm
    shutil.rmtree(folder)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in kept_in(folder)}


def kept_in(folder: Path) -> list[Path]:
    """The files but for the note of how much there is."""
    return sorted(path for path in folder.iterdir() if path.name != LOOKED)


def is_whole(name: str, content: bytes) -> bool:
    return name.endswith(".py") or cache.unsealed(content) is not None


def flipped(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 4])


FAULTS: list[Callable[[bytes], bytes]] = [
    flipped,
    lambda content: b"",
    lambda content: content[: len(content) // 2],
    lambda content: bytes(range(256)) * 3,
]


@pytest.mark.turns(4)
@pytest.mark.parametrize("most", [4096, pytest.param(None, marks=pytest.mark.slow)])
def test_every_changed_byte_and_every_cut_is_seen(folder: Path, most: int | None) -> None:
    """Of the smallest file of each kind, at so many places where it is large. What is not whole is not looked at
    further."""
    smallest: dict[str, bytes] = {}
    for name, content in contents(folder).items():
        kind = Path(name).suffix
        if kind != ".py" and len(content) <= len(smallest.get(kind, content)):
            smallest[kind] = content
    assert smallest.keys() == KINDS - {".py"}
    for kind, content in smallest.items():
        assert cache.unsealed(content) is not None
        changed = bytearray(content)
        for k in range(0, len(content), 1 if most is None else max(1, len(content) // most)):
            changed[k] ^= 1 << k % 8
            assert cache.unsealed(bytes(changed)) is None, (kind, k)
            assert cache.unsealed(content[:k]) is None, (kind, k)
            changed[k] = content[k]


@pytest.mark.turns(4)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_damaged_is_made_again(fault: Callable[[bytes], bytes], folder: Path) -> None:
    for path in folder.glob("plus*"):
        path.write_bytes(fault(path.read_bytes()))
    result, said, compiled = answer(say_small, folder)
    assert result == BOTH[0] and compiled == 1
    assert len(said) == 1 and said[0].startswith(
        f"what is kept in {folder} is damaged, and made again: plus_"
    )
    assert all(is_whole(*item) for item in contents(folder).items())
    assert answer(say_small, folder) == (BOTH[0], [], 0)


@pytest.mark.turns(4)
def test_all_files_are_damaged(folder: Path) -> None:
    for k, path in enumerate(kept_in(folder)):
        path.write_bytes(FAULTS[k % len(FAULTS)](path.read_bytes()))
    (folder / "below_0.schedule").unlink()
    result, said, compiled = answer(say_both, folder)
    assert right(result) and len(said) == 1 and compiled == 3
    assert all(is_whole(*item) for item in contents(folder).items())
    result, said, compiled = answer(say_both, folder)
    assert right(result) and said == [] and compiled == 0


def test_each_file_may_be_lost(folder: Path) -> None:
    for name in contents(folder):
        if name.startswith("plus"):
            (folder / name).unlink()
            assert answer(say_small, folder)[:2] == (BOTH[0], [])
            assert (folder / name).exists()


def without_room(say: Any, folder: Path, temporary: Path) -> None:
    use(folder)
    tempfile.tempdir = str(temporary)
    with full_disk():
        found = outcome(small)
    say(found)


def test_a_full_disk(folder: Path, tmp_path: Path) -> None:
    cold, temporary = tmp_path / "cold", tmp_path / "temporary"
    temporary.mkdir()
    result, said, compiled = answer(without_room, cold, temporary)
    assert result == BOTH[0] and compiled == 1
    assert said == [f"compiled code is not kept: {cold} cannot be written (File too large)"]
    assert contents(cold) == contents(temporary) == {}
    before = contents(folder)
    assert answer(without_room, folder, temporary) == (BOTH[0], [], 0)
    assert contents(folder) == before and contents(temporary) == {}


def without_rights(say: Any, folder: Path) -> None:
    use(folder)
    make_read_only(folder)
    say(outcome(both))


def test_a_read_only_disk(folder: Path) -> None:
    result, said, compiled = answer(without_rights, folder)
    assert right(result) and said == [] and compiled == 0
    for path in folder.glob("plus*.machine"):
        path.write_bytes(b"")
    result, said, compiled = answer(without_rights, folder)
    assert right(result) and compiled == 1
    assert [each.split(":")[0] for each in said] == [
        f"what is kept in {folder} is damaged, and made again",
        "compiled code is not kept",
    ]


def test_a_folder_in_place_of_a_file(folder: Path) -> None:
    for path in folder.glob("plus*"):
        path.unlink()
        path.mkdir()
    result, said, compiled = answer(say_small, folder)
    assert result == BOTH[0] and compiled == 1
    assert {each.split(":")[0] for each in said} == {
        f"what is kept in {folder} cannot be read",
        "compiled code is not kept",
    }


def together(say: Any, folder: Path, at: float) -> None:
    use(folder)
    time.sleep(max(at - time.time(), 0.0))
    say(outcome(small))


@pytest.mark.turns(4)
def test_four_processes_at_once(tmp_path: Path) -> None:
    children = [Child(together, tmp_path, time.time() + 0.5) for _ in range(4)]
    assert [child.hear()[:2] for child in children] == [(BOTH[0], [])] * 4
    assert [child.end() for child in children] == [0] * 4
    assert all(is_whole(*item) for item in contents(tmp_path).items())
    assert not [name for name in contents(tmp_path) if name.endswith(".part")]
    assert answer(say_small, tmp_path) == (BOTH[0], [], 0)


def forever(say: Any, folder: Path) -> None:
    use(folder)
    say("begun")
    while True:
        for k in range(100):
            cache.put(f"it_{k}.code", bytes(100_000))


def test_processes_killed_while_they_write(tmp_path: Path) -> None:
    for moment in (0.001, 0.004, 0.02):
        child = Child(forever, tmp_path)
        child.hear()
        time.sleep(moment)
        child.signal(signal.SIGKILL)
        child.end()
        whole = {name: c for name, c in contents(tmp_path).items() if not name.endswith(".part")}
        assert all(is_whole(*item) for item in whole.items())
    for part in (left := tmp_path / "it.17-0123.part", tmp_path / "it.18-4567.part"):
        part.write_bytes(b"half")
    os.utime(left, (1.7e9, 1.7e9))
    child = Child(forever, tmp_path)
    child.hear()
    while left.exists():
        time.sleep(0.01)
    child.signal(signal.SIGKILL)
    child.end()
    assert (tmp_path / "it.18-4567.part").exists(), "somebody may be writing it"


def eight_threads(say: Any, folder: Path) -> None:
    use(folder)
    found: list[Any] = []

    def call(k: int) -> None:
        function = jit(lambda x: x * 2.0) if k % 2 else jit(plus)
        found.append((k % 2, function(1.0), batch(plus)(np.arange(3.0)).tolist()))

    def threaded() -> Any:
        threads = [threading.Thread(target=call, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sorted(found)

    say(outcome(threaded)[:2])


@pytest.mark.turns(4)
def test_eight_threads_cold(tmp_path: Path) -> None:
    batched = [0.5, 1.5, 2.5]
    assert answer(eight_threads, tmp_path) == ([(0, 1.5, batched)] * 4 + [(1, 2.0, batched)] * 4, [])


USERS = """
import numpy as np
import helper

SCALE = 2.0
TABLE = np.array([3.0, 4.0])


class Held:
    rate = 5.0


def inner(x):
    return x + 6.0


def closed(amount):
    def within(x):
        return x * amount
    return within


within = closed(7.0)


def f(x, by=8.0):
    return x + 1.0, x * SCALE, x + TABLE[0], x * Held.rate, inner(x), within(x), x * by, helper.outer(x)
"""
HELPER = "def outer(x):\n    return x - 9.0\n"
EDITS = ["x + 1.0", "2.0", "3.0", "5.0", "6.0", "7.0", "8.0", "x - 9.0"]


def say_users(say: Any, folder: Path, program: Path, *, batched: bool) -> None:
    use(folder)
    sys.path.insert(0, str(program))
    sys.dont_write_bytecode = True
    sys.modules.pop("users", None)
    from users import f

    x = np.array([1.0, 2.0])
    got = outcome(lambda: batch(f)(x) if batched else jit(f)(2.0))
    say((np.array(got[0]).tolist(), np.array(f(x) if batched else f(2.0)).tolist()))


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("batched", [False, True])
def test_no_edit_is_missed(batched: bool, tmp_path: Path) -> None:
    """The files keep their times and sizes. Of all edits one after the other, each gives what plain Python gives."""
    program, made = tmp_path / "program", []
    program.mkdir()
    users, helper = USERS, HELPER

    def write() -> None:
        for name, text in (("users.py", users), ("helper.py", helper)):
            (program / name).write_text(text)
            os.utime(program / name, (1.7e9, 1.7e9))

    write()
    for edit in [None, *(EDITS if not batched else EDITS[:2])]:
        if edit is not None:
            changed = edit[:-3] + str(float(edit[-3:]) % 9.0 + 0.5)
            assert len(changed) == len(edit) and (edit in users) + (edit in helper) == 1
            users, helper = users.replace(edit, changed), helper.replace(edit, changed)
            write()
        child = Child(with_axes if batched else with_jit, tmp_path / "cache", program)
        got, wanted = child.hear()
        assert got == wanted, edit
        made.append(got)
    assert len({json.dumps(each) for each in made}) == len(made)


def with_jit(say: Any, *given: Path) -> None:
    say_users(say, *given, batched=False)


def with_axes(say: Any, *given: Path) -> None:
    say_users(say, *given, batched=True)


def test_another_version_of_this_library_is_told_by_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installers may give files the same times."""
    path = tmp_path / "autobatch" / "execute" / "artifact_cache.py"
    path.parent.mkdir(parents=True)
    monkeypatch.setattr(kept, "__file__", str(path))
    told = []
    for text in ("one", "two", "one"):
        path.write_text(text)
        os.utime(path, (1.7e9, 1.7e9))
        told.append(kept.source_versions.__wrapped__())
    assert told[0] == told[2] != told[1]
