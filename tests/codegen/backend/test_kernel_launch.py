"""Arguments of launches are laid out as numba-cuda lays them out, and go to the driver: scripts/test --cuda.

There is no GPU: the driver's call notes the bytes that it is given, numba-cuda's launch is counted.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from cubins import device

pytestmark = pytest.mark.cuda

ARRAYS = {
    "cupy": lambda array: OfCupy(array),
    "numba": lambda array: OfNumba(array),
}


class OfCupy:
    """An array with the attributes of CuPy's; its memory is the host's."""

    __module__ = "cupy._core"
    _c_contiguous = property(lambda self: self.array.flags.c_contiguous)

    def __init__(self, array: np.ndarray):
        self.array, self.dtype, self.shape, self.strides = array, array.dtype, array.shape, array.strides
        self.size, self.itemsize, self.data = (
            array.size,
            array.itemsize,
            SimpleNamespace(ptr=array.ctypes.data),
        )
        self._f_contiguous = array.flags.f_contiguous
        self.__cuda_array_interface__ = array.__array_interface__ | {"version": 3}


class OfNumba(OfCupy):
    """The same of numba-cuda's."""

    __module__ = "numba.cuda.cudadrv.devicearray"

    def __init__(self, array: np.ndarray):
        super().__init__(array)
        flags = array.flags
        self.flags = {"C_CONTIGUOUS": flags.c_contiguous, "F_CONTIGUOUS": flags.f_contiguous}
        self.device_ctypes_pointer = ctypes.c_void_p(array.ctypes.data)


def kernel(a, flag, x, n, small, whole, m):
    if flag:
        a[0] = x + n + small + whole + m[0, 0]


def noted() -> tuple[Any, list[bytes], Callable[..., Any]]:
    """A quick kernel, what the driver is given, and its stand-in."""
    from numba import cuda

    from codegen.backend import kernel_launch

    given: list[bytes] = []

    def launch(function: Any, *rest: Any) -> tuple[Any]:
        pointer, at, size_word, size_at, end = (ctypes.c_void_p * 5).from_address(rest[-1])
        assert (pointer, size_word, end) == (1, 2, None)
        given.append(ctypes.string_at(at, ctypes.c_size_t.from_address(size_at).value))
        return (kernel_launch.driver.CUresult.CUDA_SUCCESS,)

    return kernel_launch.QuickKernel(cuda.jit(kernel)), given, launch


def numbers_of(quick: Any, arguments: tuple[Any, ...]) -> list[Any]:
    """What numba-cuda gives the driver."""
    (made,) = quick.kernel.overloads.values()
    found: list[Any] = []

    def wrapped(value: OfCupy) -> Any:
        there = SimpleNamespace(size=value.size, dtype=value.dtype, ptr=value.data.ptr, shape=value.shape)
        there._layout = SimpleNamespace(strides_in_bytes=value.strides)
        return SimpleNamespace(to_device=lambda *_: there)

    with mock.patch("numba.cuda.dispatcher.wrap_arg", wrapped):
        for type_, value in zip(made.argument_types, arguments, strict=True):
            made._prepare_args(type_, value, 0, [], found)
    return [each.value if hasattr(each, "value") else each for each in found]


@pytest.mark.parametrize("library", list(ARRAYS))
@pytest.mark.parametrize("turned", [False, True])
def test_arguments_are_laid_out_as_numba_cuda_does(library: str, turned: bool) -> None:
    from numba.cuda.dispatcher import CUDADispatcher, _Kernel

    of = ARRAYS[library]
    m = np.arange(6, dtype=np.int32).reshape(2, 3)
    given = of(np.zeros(5)), True, 2.5, 7, np.float32(0.5), np.int16(-3), of(m.T if turned else m)
    quick, taken, launch = noted()
    slow: list[tuple[Any, ...]] = []

    def compiled_and_launched(self: Any, shape: tuple[int, int]) -> Callable[..., None]:
        def call(*arguments: Any) -> None:
            self.compile(tuple(map(self.typeof_pyval, arguments)))
            slow.append(arguments)

        return call

    with (
        device((9, 0)),
        mock.patch.object(_Kernel, "bind", lambda self: None),
        mock.patch.object(CUDADispatcher, "__getitem__", compiled_and_launched),
        mock.patch.object(type(quick), "layout", laid_out_without_gpu),
        mock.patch("codegen.backend.kernel_launch.driver.cuLaunchKernel", launch),
    ):
        quick[4, 64](*given)
        quick[4, 64](*given)
    assert len(slow) == len(taken) == 1  # the first by numba-cuda, the second by the driver
    (layout,) = quick.layouts.values()
    values = layout.struct.unpack(taken[0])
    assert list(values) == numbers_of(quick, given)


def laid_out_without_gpu(self: Any, kinds: Any, arguments: Any) -> Any:
    from codegen.backend.kernel_launch import ArgumentBuffer

    made = self.kernel.overloads[tuple(map(self.kernel.typeof_pyval, arguments))]
    library = SimpleNamespace(get_cufunc=lambda: SimpleNamespace(handle=0))
    return ArgumentBuffer(kinds, SimpleNamespace(library=library, made=made))
