"""Loading emitted text: real files, whole or not there at all. What other processes find: test_disk_cache.py."""

import inspect
import sys
import traceback
from pathlib import Path

import pytest

from codegen.backend import disk_cache as cache
from codegen.backend import load as loading
from codegen.backend.disk_cache import cache_directory
from codegen.backend.load import load

TEXT = "def f(x):\n    y = x + 1\n    return 1 / y\n"


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "WARNED", set())
    loading.loaded.cache_clear()
    return tmp_path / "cache"


def test_the_module_runs_and_lies_in_the_cache(directory):
    module = load(TEXT, "f")
    assert module.f(1) == 0.5
    assert Path(module.__file__).parent == directory
    assert Path(module.__file__).read_text() == TEXT
    assert Path(module.__file__).name.startswith("f_")


def test_source_and_tracebacks_show_the_text():
    module = load(TEXT, "f")
    assert inspect.getsource(module.f) == TEXT
    with pytest.raises(ZeroDivisionError) as caught:
        module.f(-1)
    assert "return 1 / y" in "".join(traceback.format_exception(caught.value))


def test_one_text_is_one_module():
    assert load(TEXT, "f") is load(TEXT, "f")
    assert load(TEXT, "f") is not load(TEXT + "\n", "f")


def test_names_that_are_no_identifiers():
    assert load(TEXT, "<lambda> f.g").f(0) == 1.0


def test_nothing_half_written_stays(directory):
    load(TEXT, "f")
    assert [p.suffix for p in directory.iterdir() if p.is_file()] == [".py"]


def test_a_broken_file_is_written_anew(directory):
    path = Path(load(TEXT, "f").__file__)
    path.write_text("def f(x")
    loading.loaded.cache_clear()
    assert load(TEXT, "f").f(1) == 0.5
    assert path.read_text() == TEXT


def test_a_directory_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="is not kept: .* cannot be written"):
        module = load(TEXT, "f")
    assert module.f(1) == 0.5
    assert inspect.getsource(module.f) == TEXT
    with pytest.raises(ZeroDivisionError) as caught:
        module.f(-1)
    assert "return 1 / y" in "".join(traceback.format_exception(caught.value))


def test_the_user_s_cache_directory(monkeypatch):
    monkeypatch.delenv("AUTOBATCH_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_directory() == Path("/somewhere/autobatch")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_directory() == Path.home() / ".cache" / "autobatch"

    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", nobody)
    assert cache_directory() == Path("/dev/null/autobatch")
    with pytest.warns(
        RuntimeWarning, match="compiled code is not kept: /dev/null/autobatch cannot be written"
    ):
        assert load(TEXT, "f").f(1) == 0.5
