"""What is said where a GPU cannot run lanes: one line for each cause, over stand-ins that fail as CUDA does."""

from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from over_lanes import directory  # noqa: F401
from warp import Launched, OfLibrary, gpu, with_gpu

from autobatch import batch
from codegen.backend import machine_code

TOO_OLD = (
    "the GPU's driver is older than the CUDA toolkit that compiles kernels here: install a newer driver, or "
    "cuda-toolkit of its version, which nvidia-smi shows, beside numba-cuda"
)
NO_ROOM = (
    "the GPU has too little memory for what lanes share, their stacks, and the arrays of its threads: "
    "give smaller ones"
)


class CudaSupportError(ImportError):
    """numba-cuda's, where its driver does not start."""


class CudaAPIError(Exception):
    """numba-cuda's, of a call of the driver."""

    def __str__(self) -> str:
        return f"[1] Call to cu{self.args[0]} results in CUDA_ERROR_{self.args[1]}"


def double(x):
    return 2.0 * x


def root(x):
    if x < 0.0:
        raise ValueError("no real root")
    return np.sqrt(x)


def failing(call: str, name: str) -> Any:
    def fail(*given: Any) -> None:
        raise CudaAPIError(call, name)

    return fail


def with_gpus(gpus: Any) -> SimpleNamespace:
    return SimpleNamespace(**vars(gpu()) | {"gpus": gpus})


class NoDriver:
    def __init__(self, said: str):
        self.said = said

    def __len__(self) -> int:
        raise CudaSupportError(f"Error at driver init: {self.said}")


@pytest.mark.parametrize(
    ("gpus", "message"),
    [
        (NoDriver("\nCUDA driver library cannot be found.\n:"),
         "target='cuda' needs a driver of NVIDIA's, and there is none here"),
        (NoDriver("Call to cuInit results in CUDA_ERROR_NO_DEVICE (100)"),
         "target='cuda' needs a GPU of NVIDIA's: the driver sees none here"),
        ([], "target='cuda' needs a GPU of NVIDIA's: the driver sees none here"),
        (NoDriver("Call to cuInit results in CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"), TOO_OLD),
        (NoDriver("Call to cuInit results in CUDA_ERROR_UNKNOWN (999)"),
         "target='cuda' needs a driver of NVIDIA's, and the one here does not start (Error at driver init: Call to "
         "cuInit results in CUDA_ERROR_UNKNOWN (999))"),
    ],
)  # fmt: skip
def test_where_there_is_no_gpu(gpus: Any, message: str) -> None:
    with with_gpu(with_gpus(gpus)), pytest.raises(RuntimeError) as error:
        batch(double, target="cuda")(np.ones(3))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("UNSUPPORTED_PTX_VERSION", RuntimeError, TOO_OLD),
        ("INVALID_IMAGE", RuntimeError, TOO_OLD),
        ("NO_BINARY_FOR_GPU", RuntimeError,
         "kernels are not compiled for a GPU of this generation: numba-cuda and its CUDA toolkit are older than it"),
        ("OUT_OF_MEMORY", MemoryError, NO_ROOM),
        ("LAUNCH_OUT_OF_RESOURCES", RuntimeError,
         "a kernel takes more registers than the GPU has for a block of threads"),
        ("LAUNCH_TIMEOUT", RuntimeError,
         "the driver has ended a kernel that took long, as it does where the GPU has a screen: give fewer lanes at "
         "once"),
        ("ILLEGAL_ADDRESS", RuntimeError,
         "a kernel has left its arrays, which is a fault of autobatch's: please report it"),
    ],
)  # fmt: skip
def test_where_a_launch_fails(
    name: str, kind: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Launched, "run", failing("LaunchKernel", name))
    with with_gpu(gpu()), pytest.raises(kind) as error:
        batch(double, target="cuda")(np.ones(3))
    assert str(error.value) == f"{message} ([1] Call to cuLaunchKernel results in CUDA_ERROR_{name})"


@pytest.mark.parametrize("place", ["to_device", "device_array"])
def test_where_memory_is_too_small(place: str) -> None:
    """For an argument; for results that are to be there."""
    cuda = SimpleNamespace(**vars(gpu()) | {place: failing("MemAlloc_v2", "OUT_OF_MEMORY")})
    given = np.ones(3) if place == "to_device" else OfLibrary(np.ones(3))
    with with_gpu(cuda), pytest.raises(MemoryError) as error:
        batch(double, target="cuda")(given)
    assert str(error.value) == f"{NO_ROOM} ([1] Call to cuMemAlloc_v2 results in CUDA_ERROR_OUT_OF_MEMORY)"


def test_where_lanes_do_not_come_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have the mark of their beginning, which nothing but a fault of a kernel's leaves."""

    def run(self: Launched, count: int, *given: Any) -> None:
        given[1][1:] = -2

    monkeypatch.setattr(Launched, "run", run)
    with with_gpu(gpu()), pytest.raises(RuntimeError, match="^2 lanes did not come to their end$"):
        batch(root, target="cuda")(np.ones(3))


def test_other_errors_are_as_they_are() -> None:
    cuda = SimpleNamespace(**vars(gpu()) | {"to_device": failing("MemAlloc_v2", "ECC_UNCORRECTABLE")})
    with with_gpu(cuda), pytest.raises(CudaAPIError, match="ECC_UNCORRECTABLE"):
        batch(double, target="cuda")(np.ones(3))


def test_a_numpy_that_numba_cuda_does_not_know() -> None:
    def failing(name: str) -> None:
        raise AttributeError("module 'numpy' has no attribute 'row_stack'")

    message = r"^numba-cuda does not start beside NumPy \S+ \(.* no attribute 'row_stack'\): pip install"
    with mock.patch.object(machine_code.importlib, "import_module", failing):
        with pytest.raises(RuntimeError, match=message):
            batch(lambda x: x + 1.0, target="cuda")(np.ones(3))
