"""What `sample` is given, looked at before anything is read or compiled: one error for what makes no sense.

checked_count : draws=np.int64(5) -> 5      checked_data : a list of numbers -> an array
seeded : SeedSequence(3) -> an int          check_seed : TypeError or ValueError, or nothing
"""

import operator
from typing import Any

import numpy as np

from autobatch.device_arrays import on_host
from codegen.gpu_arrays import is_on_gpu
from codegen.pytree import native


def checked_count(name: str, value: Any, least: int) -> int:
    """A number of chains or draws."""
    if not is_integer(value) or value < least:
        raise ValueError(f"{name}={value!r}: must be an int of at least {least}")
    return operator.index(value)


def is_integer(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_seed(seed: Any) -> None:
    if isinstance(seed, np.random.SeedSequence | np.random.Generator) or seed is None:
        return
    if not is_integer(seed):
        raise TypeError(f"seed={seed!r}: must be None, an int, a SeedSequence or a Generator")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed={seed!r}: must be in 0 .. 2**64 - 1")


def seeded(seed: Any) -> int:
    """The int that a seed stands for: itself, 64 bits of a SeedSequence, or of a Generator, which moves on."""
    match seed:
        case None:
            return int(np.random.SeedSequence().generate_state(1)[0])
        case np.random.SeedSequence():
            return int(seed.generate_state(1, np.uint64)[0])
        case np.random.Generator():
            return int(seed.integers(2**64, dtype=np.uint64))
    return int(seed)


def checked_data(name: str, value: Any) -> Any:
    """Data as the programs take it: a bool, int or float, or an array of these in the machine's byte order. What is
    on a GPU is fetched: results have it too."""
    called = f"data[{name!r}]"
    if is_on_gpu(value):
        (value,) = on_host([value])
    check_class(called, value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError(f"{called} is {value!r:.60}: ints have 64 bits")
    try:
        array = np.asarray(value)
    except ValueError:  # rows of several lengths
        array = np.empty(0, object)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{called} must be a number or an array of numbers, not {value!r:.60}")
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        raise TypeError(f"{called} is of {array.dtype}: only float64 and float32 are supported")
    if not array.size:
        raise ValueError(f"{called} is empty: an array of shape {array.shape} says nothing of the parameters")
    check_numbers(called, array)
    return value if isinstance(value, bool | int | float) else native(array)


def check_class(called: str, value: Any) -> None:
    """TypeError for arrays that are more than their numbers: what is masked would be used, `*` would be another."""
    if not isinstance(value, np.ndarray) or type(value) in (np.ndarray, np.memmap):
        return
    masked = isinstance(value, np.ma.MaskedArray)
    instead = "the values that are not masked, .compressed()" if masked else "np.asarray of it"
    raise TypeError(f"{called} is a {type(value).__name__}, whose rules would be lost: give {instead}")


def check_numbers(called: str, array: np.ndarray) -> None:
    """ValueError for NaN."""
    if array.dtype.kind != "f":
        return
    missing = np.isnan(array)
    if array.ndim == 0 and missing:
        raise ValueError(f"{called} is not a number")
    if missing.any():
        first = tuple(int(i) for i in np.argwhere(missing)[0])
        place = ", ".join(map(str, first))
        raise ValueError(
            f"{called} holds {int(missing.sum())} NaN of {array.size}, the first at [{place}]: leave out what is "
            "missing, or make it a parameter"
        )
