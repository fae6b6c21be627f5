"""Arrays that are on a GPU: which are, and the parts of complex ones. No package of a GPU's is imported without one."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

ON_GPU = (2, 13)  # DLPack's kDLCUDA and kDLCUDAManaged


def is_on_gpu(value: Any) -> bool:
    """Whether it is an array there. CuPy's are known by their class: to ask them takes 2 us."""
    return is_of_cupy(value) or hasattr(value, "__cuda_array_interface__")


def is_of_cupy(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "cupy"


def of_dlpack(value: Any) -> Any:
    """An array that says by DLPack alone that it is on a GPU, as CuPy's, the same memory; any other value itself."""
    cls = type(value)
    if cls is np.ndarray or not hasattr(cls, "__dlpack_device__") or is_on_gpu(value):
        return value
    return cupy().from_dlpack(value) if value.__dlpack_device__()[0] in ON_GPU else value


def complex_parts(value: Any) -> tuple[Any, Any]:
    """The real and the imaginary part of a complex array on a GPU, where they are."""
    whole = cupy().asarray(value)
    return whole.real, whole.imag


def joined_there(re: Any, im: Any) -> Any:
    """A complex array on a GPU of its two parts there."""
    library = cupy()
    re, im = library.asarray(re), library.asarray(im)
    made = library.empty(re.shape, np.result_type(re.dtype, np.complex64))
    made.real, made.imag = re, im
    return made


def cupy() -> Any:
    """CuPy; RuntimeError, of one line, where there is none, or no GPU."""
    try:
        found = importlib.import_module("cupy")
    except ImportError:
        raise RuntimeError("target='cuda' of array programs needs CuPy: pip install cupy-cuda13x") from None
    try:
        there = found.cuda.runtime.getDeviceCount()
    except Exception as error:  # CUDA's, of a class of CuPy's
        raise RuntimeError(f"target='cuda' needs a GPU of NVIDIA's and its driver ({error})") from None
    if not there:
        raise RuntimeError("target='cuda' needs a GPU of NVIDIA's: the driver sees none here")
    return found
