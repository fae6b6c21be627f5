"""Arrays between the host and a GPU, for array programs: CuPy's there, NumPy's here.

An argument that is on the GPU (`__cuda_array_interface__`, DLPack) is used where it is, and then results stay there.
Nothing of this is imported before a program is called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import ModuleType
from typing import Any

import numpy as np

from codegen.gpu_arrays import cupy, is_of_cupy, is_on_gpu, of_dlpack
from codegen.infer.values import Nest
from codegen.ir import Type
from codegen.ir.literals import code
from codegen.lazy import lazily
from codegen.pytree import SUPPORTED, any_size, describe

kernel_launch = lazily("codegen.backend.kernel_launch")  # numba-cuda comes with it


def stand_in(value: Any) -> np.ndarray:
    """An array that takes no memory, of the dtype and shape of one on a GPU."""
    told = value.__cuda_array_interface__
    return np.broadcast_to(np.empty((), told["typestr"]), told["shape"])


def entry(value: Any) -> Type | Nest | None:
    """An array on a GPU in a signature, of complex numbers its parts; None for anything else. (CuPy's are asked as they
    are: 20 us less.)"""
    value = of_dlpack(value)
    if is_of_cupy(value) and (dtype := code(value.dtype)) in SUPPORTED:
        return Type(dtype, tuple(any_size(value, axis) for axis in range(value.ndim)))
    found: Type | Nest | None = describe(stand_in(value)) if is_on_gpu(value) else None
    return found


def there_and_back(load: Callable[[], Callable[..., Any]], written: Collection[int]) -> Callable[..., Any]:
    """What calls a function of arrays on a GPU, which `load` gives when it is first called; `written`: the arguments
    that it writes into."""

    def run(*given: Any) -> Any:
        library = cupy()
        there = [as_taken(library, a) for a in given]
        try:
            made = load()(*there)
        finally:
            for k in written:
                if not is_on_gpu(given[k]):
                    given[k][...] = library.asnumpy(there[k])
        if any(map(is_on_gpu, given)):
            return made
        results = made if isinstance(made, tuple) else (made,)
        back = tuple(library.asnumpy(r) if is_on_gpu(r) else r for r in results)
        return back if isinstance(made, tuple) else back[0]

    return run


def addressed(value: Any) -> Any:
    """An array that stands for one on a GPU where it is asked which memory that is; it cannot be read."""
    return np.asarray(Addressed(value)) if is_on_gpu(value) else value


class Addressed:
    """Memory of a GPU as if it were the host's."""

    def __init__(self, value: Any):
        self.__array_interface__ = dict(value.__cuda_array_interface__)


def with_quick_launches(module: ModuleType) -> ModuleType:
    """The module, whose kernels are launched by the driver's call alone, and kept on disk."""
    for name, each in list(vars(module).items()):
        if type(each).__module__.startswith("numba.cuda.") and not each.targetoptions.get("device"):
            setattr(module, name, kernel_launch.QuickKernel(each))
    return module


def as_taken(library: Any, value: Any) -> Any:
    """An argument as a program on the GPU takes it: arrays there, numbers on the host."""
    if is_on_gpu(value):
        array = library.asarray(value)
        return array if array.ndim else array.get()[()]
    return library.asarray(value) if isinstance(value, np.ndarray) and value.ndim else value
