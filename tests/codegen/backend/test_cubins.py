"""Machine code of kernels on disk, for a GPU that is said to be there: scripts/test --cuda."""

from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from corpus.calls import fibonacci
from cubins import device, signature
from lanes_as_threads import machine_of

from codegen.backend.load import forget, load

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    yield tmp_path
    forget()


def compiled(capability: tuple[int, int]) -> tuple[bytes, bool]:
    """The machine code that a process which has just begun gets, and whether it was on disk."""
    from numba.cuda.dispatcher import _Kernel

    from codegen.backend.cubins import keep_cubin

    forget()
    machine = machine_of(fibonacci, (3,), (False,))
    module = machine.by_threads()
    kernel = getattr(load(module.text, machine.name), module.run)
    keep_cubin(kernel)
    with device(capability), mock.patch.object(_Kernel, "bind", lambda self: self._codelibrary.get_cubin()):
        made = kernel.compile(signature(machine, module))
    (code,) = made._codelibrary._cubin_cache.values()
    return code.code, bool(kernel._cache_hits)


def kept(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.cubin"))


def test_a_kernel_is_compiled_once_for_each_generation_of_gpus(folder: Path) -> None:
    for capability in ((8, 0), (9, 0)):
        first, was_there = compiled(capability)
        again, is_there = compiled(capability)
        assert (was_there, is_there) == (False, True)
        assert again == first
    assert len(kept(folder)) == 2


def test_what_is_damaged_is_made_again(folder: Path) -> None:
    compiled((9, 0))
    (path,) = kept(folder)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.warns(RuntimeWarning, match="is damaged, and made again"):
        _, was_there = compiled((9, 0))
    assert not was_there
    assert compiled((9, 0))[1]
