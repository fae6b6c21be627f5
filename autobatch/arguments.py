"""What a batched call is given: describe_call : values, in_axes -> one lane's signature, the number of lanes.

    describe_call(0, (f8[1000], f8[1000, 3]), {})       lanes 1000, axes [0, 0], entries (f8, f8[3])

and each leaf as compiled lanes take it: lanes first, contiguous.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from autobatch.device_arrays import check_layout, described, in_order
from autobatch.streams import Streams
from codegen.arguments.tables import table_arrays
from codegen.gpu import stand_in
from codegen.gpu_arrays import is_on_gpu, of_dlpack
from codegen.infer.values import Nest
from codegen.ir import Type
from codegen.pytree import describe, is_complex_leaf, known_size, native, parts, refuse_subclass


@dataclass(frozen=True)
class Described:
    """One lane's entries, the axis of each leaf (None where lanes share it), and how many lanes there are.

    on_gpu: what errors call the first argument that is on a GPU.
    """

    entries: Any
    axes: list[int | None]
    count: int
    on_gpu: str = ""


def describe_call(in_axes: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Described:
    """ValueError where lane axes are missing or differ in length."""
    flat_axes: list[int | None] = []
    entries = []
    sizes: list[tuple[int, str]] = []
    on_gpu: list[str] = []
    axes = argument_axes(in_axes, len(args), len(kwargs))
    for k, (value, axis) in enumerate(zip([*args, *kwargs.values()], axes, strict=True)):
        name = f"argument {k}" if k < len(args) else f"argument {list(kwargs)[k - len(args)]!r}"
        entries.append(lane_entry(value, axis, name, flat_axes, sizes, on_gpu))
    counts = {n for n, _ in sizes}
    if not counts:
        raise ValueError("batch needs at least one argument with a lane axis (in_axes=0)")
    if len(counts) > 1:
        listed = ", ".join(f"{n} in {name}" for n, name in sizes)
        raise ValueError(f"the arguments differ in their number of lanes: {listed}")
    return Described(tuple(entries), flat_axes, counts.pop(), next(iter(on_gpu), ""))


def argument_axes(in_axes: Any, places: int, named: int) -> list[Any]:
    """One entry of in_axes per argument; keywords take 0, as in JAX."""
    if not isinstance(in_axes, tuple | list):
        return [in_axes] * places + [0] * named
    if len(in_axes) != places:
        raise ValueError(f"in_axes has {len(in_axes)} entries for {places} arguments")
    return [*in_axes, *[0] * named]


def shapes(args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """All that `describe_call` looks at in arrays, streams, numbers and tuples of them: hashable. None where there is
    anything else."""
    found: list[Any] = []
    for value in args:
        if type(value) is np.ndarray:
            found += (value.dtype, value.shape)
        elif type(value) is Streams:
            found += (Streams, value.state.shape)
        elif isinstance(value, float | complex | np.generic) or (
            type(value) is int and -(2**63) <= value < 2**63
        ):
            found.append(type(value))
        elif is_on_gpu(value):
            found += ("on a GPU", *described(value))
        elif isinstance(value, tuple) and (inside := shapes(value)) is not None:
            found += (type(value), len(value), *inside)
        else:
            return None
    return tuple(found)


def lane_entry(
    value: Any,
    axis: Any,
    name: str,
    axes: list[int | None],
    sizes: list[tuple[int, str]],
    on_gpu: list[str],
) -> Any:
    """One lane's entry of a signature; notes each leaf's axis, its number of lanes, and its name if it is on a GPU."""
    if isinstance(value, Streams):
        if axis is None:
            raise ValueError(f"{name}: streams have a lane axis; in_axes is 0 for them")
        axes.append(0)
        sizes.append((len(value), name))
        return Type("rng")
    if axis is not None and is_number_list(value) and any(map(is_complex_leaf, value)):
        value = np.asarray(value)
    if is_on_gpu(value := of_dlpack(value)):
        check_layout(value, axis, name)
        on_gpu.append(name)
        value = stand_in(value)
    if axis is None and (form := table_arrays(value)) is not None:
        axes += [None] * len(form.arrays)
        return form.entry
    inside = parts(value)
    if inside is not None and not (axis is not None and is_number_list(value)):
        items, keys = inside
        inner = per_item(axis, items, keys, name)
        made = tuple(lane_entry(v, a, name, axes, sizes, on_gpu) for v, a in zip(items, inner, strict=True))
        return Nest(complex if is_complex_leaf(value) else type(value), made, keys)
    if isinstance(value, np.random.Generator):
        raise ValueError(
            f"{name}: one random generator cannot be shared by lanes; use autobatch.streams(seed, n)"
        )
    try:
        refuse_subclass(value)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    if axis is None or value is None:
        entry = describe(value, known_size)
        if isinstance(entry, Type):
            axes.append(None)
        return entry
    array = np.asarray(value)
    if array.ndim == 0 or array.dtype == object:
        raise ValueError(
            f"{name} has no lane axis: it is {type(value).__name__}; use in_axes=None to share it"
        )
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"{name} has no axis {axis}: its shape is {array.shape}")
    axes.append(axis)
    sizes.append((array.shape[axis], name))
    return lane_type(array.dtype, lanes_first(array, axis).shape[1:])


@functools.cache
def lane_type(dtype: np.dtype, shape: tuple[int, ...]) -> Any:
    """What one lane has of an array: another array, or a number."""
    return describe(np.empty(shape, dtype)[()], known_size)


def lanes_first(array: np.ndarray, axis: int) -> np.ndarray:
    """The array with its lane axis first."""
    return np.moveaxis(array, axis, 0) if axis else array


def is_number_list(value: Any) -> bool:
    """A plain list of numbers is an array with a lane axis; a tuple is a nest."""
    return isinstance(value, list) and all(
        isinstance(v, bool | int | float | complex | np.generic) for v in value
    )


def per_item(axis: Any, items: tuple[Any, ...], keys: tuple[str, ...] | None, name: str) -> list[Any]:
    """in_axes for each item of a nested argument."""
    if isinstance(axis, dict):
        return [axis[k] for k in keys or ()]
    if isinstance(axis, tuple | list):
        if len(axis) != len(items):
            raise ValueError(f"{name} has {len(items)} items, its in_axes {len(axis)}")
        return list(axis)
    return [axis] * len(items)


def lane_argument(leaf: Any, axis: int | None) -> Any:
    """A leaf as the compiled lanes take it."""
    if isinstance(leaf, Streams):
        return leaf.state
    if is_on_gpu(leaf):
        return in_order(leaf)
    if axis is None:
        return np.ascontiguousarray(native(leaf)) if isinstance(leaf, np.ndarray) and leaf.ndim else leaf
    array = np.ascontiguousarray(native(lanes_first(np.asarray(leaf), axis)))
    return array.reshape(len(array), prod(array.shape[1:])) if array.ndim > 1 else array


def leading(leaf: Any, axis: int | None, target: str) -> Any:
    """A leaf as a program over the lanes' axis takes it."""
    if isinstance(leaf, Streams):
        return generators(leaf) if target == "numpy" else leaf.state
    return leaf if axis is None else np.ascontiguousarray(lanes_first(np.asarray(leaf), axis))


def generators(rngs: Streams) -> np.ndarray:
    """An array of them: its parts have the same generators."""
    made = np.empty(len(rngs), object)
    made[:] = list(rngs)
    return made
