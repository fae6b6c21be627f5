"""Arguments that are on a GPU already, as arrays of any library say by `__cuda_array_interface__`.

    x = cupy.arange(1000.0)
    batch(f, target="cuda")(x)              is read where it is; results stay on the GPU, as arrays of CuPy's

Nothing is copied that the caller did not copy: an array whose lanes are not one after the other is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.gpu_arrays import is_of_cupy, is_on_gpu
from codegen.lazy import lazily

launching = lazily("autobatch.execute.launching")  # numba-cuda comes with it


def described(value: Any) -> tuple[Any, ...]:
    """All that calls look at in an array on a GPU."""
    if is_of_cupy(value):
        strides = None if value.flags.c_contiguous else value.strides
        return value.dtype.str, value.shape, strides, True
    told = value.__cuda_array_interface__
    return told["typestr"], told["shape"], told.get("strides"), told.get("mask") is None


def check_layout(value: Any, axis: int | None, name: str) -> None:
    """ValueError for an array on a GPU that kernels would not read as it is."""
    told = value.__cuda_array_interface__
    shape, strides, dtype = told["shape"], told.get("strides"), np.dtype(told["typestr"])
    if not shape:
        raise ValueError(f"{name} is one number on a GPU: give the number, x.item()")
    if axis not in (None, 0):
        raise ValueError(
            f"{name} is on a GPU, where lanes are the first axis: in_axes is 0 or None, not {axis}"
        )
    if told.get("mask") is not None:
        raise ValueError(f"{name} is masked: fill the mask, or give data and mask as two arrays")
    if not dtype.isnative or not is_contiguous(shape, strides, dtype.itemsize):
        raise ValueError(
            f"{name} is not contiguous on its GPU: give a copy, as cupy.ascontiguousarray makes it"
        )


def in_order(array: Any) -> Any:
    """An array on a GPU as lanes read it: of the parts of a complex one a copy."""
    return array.copy(order="C") if is_of_cupy(array) and not array.flags.c_contiguous else array


def is_contiguous(shape: Sequence[int], strides: Sequence[int] | None, size: int) -> bool:
    """Whether elements of `size` bytes are in order, the last axis innermost."""
    for n, stride in reversed(list(zip(shape, strides or ()))):
        if n != 1 and stride != size:
            return False
        size *= n
    return True


def as_given(results: Sequence[Any], flat: Sequence[Any]) -> list[Any]:
    """Results on the GPU, as arrays of CuPy's where an argument is one, else of numba-cuda's: the same memory."""
    if not any(map(is_on_gpu, results)):
        return list(results)
    same = sys.modules["cupy"].asarray if any(map(is_of_cupy, flat)) else launching.cuda.as_cuda_array
    return [same(array) if is_on_gpu(array) else array for array in results]


def to_gpu(array: np.ndarray) -> Any:
    """RuntimeError where there is no GPU."""
    launching.check_gpu()
    with launching.plain_errors():
        return launching.cuda.to_device(array)


def repeated_rows(row: np.ndarray, count: int) -> np.ndarray:
    """So many times an array or a number, along a new first axis."""
    return np.repeat(row[None], count, axis=0)


def repeated_there(row: np.ndarray, count: int) -> Any:
    """The same on the GPU."""
    library = launching.library_in_use()
    if library is None:
        return to_gpu(repeated_rows(row, count))
    many = library.broadcast_to(library.asarray(row), (count, *row.shape))
    return launching.cuda.as_cuda_array(library.ascontiguousarray(many))


def on_host(flat: Sequence[Any]) -> list[Any]:
    """Leaves of arguments, those on a GPU copied."""
    return [launching.cuda.as_cuda_array(leaf).copy_to_host() if is_on_gpu(leaf) else leaf for leaf in flat]


def tree_to_gpu(tree: Any) -> Any:
    """Nested named tuples, their arrays on the GPU."""
    if isinstance(tree, tuple):
        return type(tree)(*map(tree_to_gpu, tree))
    return to_gpu(tree) if isinstance(tree, np.ndarray) and not is_on_gpu(tree) else tree


def tree_on_host(tree: Any) -> Any:
    """Nested named tuples, their arrays on the host."""
    return type(tree)(*map(tree_on_host, tree)) if isinstance(tree, tuple) else on_host([tree])[0]


def rows_of_tree(tree: Any, some: slice) -> Any:
    """Rows of all arrays of nested named tuples, where they are."""
    return type(tree)(*(rows_of_tree(leaf, some) for leaf in tree)) if isinstance(tree, tuple) else tree[some]


def joined_rows(trees: Sequence[Any]) -> Any:
    """Nested named tuples as one, whose arrays have the rows of theirs one after the other, on the GPU."""
    first = trees[0]
    if len(trees) == 1:
        return first
    if isinstance(first, tuple):
        return type(first)(*map(joined_rows, zip(*trees)))
    library = launching.library_in_use()
    if library is None:
        return to_gpu(np.concatenate(on_host(trees)))
    return launching.cuda.as_cuda_array(library.concatenate([library.asarray(array) for array in trees]))


def copy_of(array: Any) -> Any:
    """A copy of an array of the host's, or of numba-cuda's, where it is."""
    return launching.copy_there(array) if is_on_gpu(array) else array.copy()


def put_values(array: Any, values: Any) -> None:
    """All elements of an array, by those of another that is where it is."""
    if is_on_gpu(array):
        launching.put_rows(array, slice(0, len(array)), values)
    else:
        array[...] = values
