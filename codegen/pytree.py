"""Arguments and results as nests of leaves: what a call is given, described for `trace`, flattened for compiled code.

    describe((x, {"a": 2.0}))   ->  Nest(tuple, (f8[n], Nest(dict, (f8,), ("a",))))
    flatten((x, {"a": 2.0}))    ->  [x, 2.0]

Leaves are arrays, numbers and random generators; tuples, lists, named tuples, dicts and dataclasses are nests;
everything else (None, strings, functions) is part of the program.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any

import numpy as np

from codegen.arguments.lists import Lent, nests_of, of_fields
from codegen.gpu_arrays import complex_parts, is_on_gpu, joined_there, of_dlpack
from codegen.infer.tables.values import OwnTable, is_given_table
from codegen.infer.texts.known_texts import OF_TEXT, Letters
from codegen.infer.values import GrowingList, Nest, Same, Static, keys_of
from codegen.ir import Lit, Type, Var
from codegen.ir.broadcasting import EMPTY, FEW, MANY
from codegen.ir.build import I8
from codegen.ir.literals import code

SUPPORTED = {"f8", "f4", "b1", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8))}
COMPLEX = ("c16", "c8")

PLAIN = (bool, int, float, complex, tuple, list, dict, str, type(None), np.memmap)

# A size of the leaf `array` at `axis`: an int to know it, a Var for any.
Sizes = Callable[[np.ndarray, int], Any]
Leaf = Callable[[Any], Any]


def any_size(array: np.ndarray, axis: int) -> Any:
    """Programs serve all sizes from 8 on: broadcasting must see an axis of size 1, `x[:1]` one of size 0."""
    n = array.shape[axis]
    return 1 if n == 1 else Var("n" if n >= MANY else FEW if n else EMPTY, I8)


def known_size(array: np.ndarray, axis: int) -> Any:
    return array.shape[axis]


def is_complex_leaf(value: Any) -> bool:
    """Whether a value is a complex number or array: a nest of its two parts, of the class `complex`."""
    if isinstance(value, np.ndarray):
        return type(value) is np.ndarray and code(value.dtype) in COMPLEX
    return isinstance(value, complex) or isinstance(value, np.generic) and code(value.dtype) in COMPLEX


def is_leaf(value: Any) -> bool:
    return isinstance(value, bool | int | float | np.generic | np.ndarray | np.random.Generator)


def parts(value: Any) -> tuple[tuple[Any, ...], tuple[Any, ...] | None] | None:
    """The items of a nest and their keys; None for a leaf or a static value."""
    if is_complex_leaf(value):
        return (value.real, value.imag), ("re", "im")
    if is_leaf(value):
        return None
    if isinstance(value, dict):
        if not all(isinstance(key, str | Enum) for key in value) and not all(
            type(key) is int for key in value
        ):
            raise TypeError("a dict argument must have strings for keys, or ints")
        return tuple(value.values()), tuple(value)
    keys = keys_of(type(value))
    if keys is not None:
        return tuple(getattr(value, key) for key in keys), keys
    return (tuple(value), None) if isinstance(value, tuple | list) else None


def describe(value: Any, sizes: Sizes = any_size, leaf: Leaf | None = None, lent: Lent | None = None) -> Any:
    """A value's entry in a signature. `leaf` describes leaves of other kinds (None for those it does not know).
    `lent`: says which lists are taken as arrays (arguments/lists.py); None: no list."""
    known = None if leaf is None else leaf(value)
    if known is None and lent is not None and type(value) in (list, dict, set):
        known = lent.entry(value, sizes) if type(value) is list else lent.tables.entry(value)
    if known is not None:
        return known
    inside = parts(value)
    if inside is not None:
        items, keys = inside
        if is_complex_leaf(value):
            part = describe(items[0], sizes, leaf, lent)
            return Nest(complex, (part, part), keys)
        made = Nest(type(value), tuple(describe(item, sizes, leaf, lent) for item in items), keys)
        return made if lent is None or type(value) is not dict else lent.tables.described(made, value)
    refuse_subclass(value)
    return leaf_type(value, sizes) if is_leaf(value) else Static(value)


def refuse_subclass(value: Any) -> None:
    """TypeError for arrays that are more than their elements (masks, units, labels, matrices), and for what can be made
    one: compiled code would lose the rest."""
    cls = type(value)
    if cls is np.ndarray or cls in PLAIN:
        return
    kind = f"{cls.__module__.split('.')[0]}.{cls.__name__}"
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("masked arrays are not supported: fill the mask, or give data and mask as two arrays")
    if isinstance(value, np.ndarray):
        raise TypeError(f"arrays of type {kind} are not supported: give a plain array, np.asarray of it")
    for method, maker in (("__array__", "np.asarray"), ("__dlpack__", "np.from_dlpack")):
        if hasattr(cls, method) and not isinstance(value, type | np.generic):
            raise TypeError(f"a {kind} is no array: give a plain array, {maker} of it")


def leaf_type(value: Any, sizes: Sizes) -> Type:
    if isinstance(value, np.random.Generator):
        return Type("rng")
    if isinstance(value, np.ndarray | np.generic) and code(value.dtype) not in SUPPORTED:
        raise TypeError(f"dtype {value.dtype} is not supported: use float64, float32, ints or bools")
    if isinstance(value, np.ndarray):
        return Type(code(value.dtype), tuple(sizes(value, axis) for axis in range(value.ndim)))
    weak = not isinstance(value, np.generic)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise OverflowError(f"the int {value} does not fit in 64 bits")
    return Type(code(np.asarray(value).dtype), (), weak)


def native(array: np.ndarray) -> np.ndarray:
    """The array in the machine's order of bytes."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def leaves(entry: Any) -> Iterator[Any]:
    """The entries that are not nests, in order."""
    if isinstance(entry, Nest):
        for item in entry.items:
            yield from leaves(item)
    elif isinstance(entry, GrowingList):
        yield from leaves(entry.rows)
    else:
        yield entry


def types_in(entry: Any) -> Iterator[Type]:
    """The types among the leaves of an entry: what a program has parameters and results for."""
    return (leaf for leaf in leaves(entry) if isinstance(leaf, Type))


def flatten(value: Any, entry: Any, lent: Lent | None = None) -> Iterator[Any]:
    """A value's leaves, in the order of the entry that describes it. `lent`: the lists that are taken as arrays."""
    if isinstance(entry, GrowingList):
        yield from (Lent() if lent is None else lent).arrays(value)
    elif is_given_table(entry):
        yield from (Lent() if lent is None else lent).tables.arrays(value)
    elif isinstance(entry, Nest):
        if entry.cls is dict and lent is not None:
            lent.tables.others.append(value)
        for item, inner in zip(items_in(value, entry), entry.items, strict=True):
            yield from flatten(item, inner, lent)
    elif isinstance(entry, Type):
        yield of_dlpack(value) if type(value) in PLAIN else plain_number(value)


def plain_number(value: Any) -> Any:
    """A number of Python's of a class of its own (a member of an IntEnum) as one of Python's."""
    if isinstance(value, np.generic) or not isinstance(value, int | float):
        return of_dlpack(value)
    return int(value) if isinstance(value, int) else float(value)


def items_in(value: Any, entry: Nest) -> tuple[Any, ...]:
    """The items of a nest."""
    if entry.cls is complex and is_on_gpu(there := of_dlpack(value)):
        return complex_parts(there)
    if entry.cls is set:  # one without elements
        return ()
    inside = parts(np.asarray(value)[()] if entry.cls is complex else value)
    assert inside is not None
    return inside[0]


def unflatten(entry: Any, values: Iterator[Any], lent: Lent | None = None) -> Any:
    """The value an entry describes, its leaves taken from `values`. `lent`: the caller's lists that may be in it."""
    match entry:
        case GrowingList(_, python, fixed):
            arrays = [next(values) for _ in types_in(entry)]
            own = lent.own(arrays[0]) if fixed and lent is not None else None
            of_lists = fixed and any(array.ndim > 1 for array in arrays)
            if own is None and of_lists and not any(python):
                return nested_lists(arrays[0])
            return listed_rows(entry.rows, iter(python), iter(arrays)) if own is None else own
        case Nest(cls, items, keys):
            made = [unflatten(item, values, lent) for item in items]
            if isinstance(cls, Letters):
                return cls(made)
            if cls is complex:
                return joined_parts(*made)
            if cls is dict:
                return dict(zip(keys or (), made, strict=True))
            return cls(made) if keys is None else of_fields(cls, keys, made)
        case Type():
            return next(values)
        case Static(OwnTable(place)) if lent is not None:
            return lent.tables.given[place]
    return entry.value


def joined_parts(re: Any, im: Any) -> Any:
    """A complex number or array of its two parts; the caller's own, where they are parts of one."""
    if isinstance(re, float) and not isinstance(re, np.generic):
        return complex(re, im)
    if is_on_gpu(re):
        return joined_there(re, im)
    whole = getattr(re, "base", None)
    if isinstance(whole, np.ndarray):
        is_pairs = whole.dtype == re.dtype and whole.shape == (*re.shape, 2) and whole.flags.c_contiguous
        both = whole.view(np.result_type(re, np.complex64))[..., 0] if is_pairs else whole
        if is_complex_leaf(both) and is_part(re, both.real) and is_part(im, both.imag):
            return both
    made = np.empty(np.shape(re), np.result_type(re, np.complex64))
    made.real, made.imag = re, im
    return made if np.ndim(re) else made[()]


def is_part(x: np.ndarray, part: np.ndarray) -> bool:
    return x.shape == part.shape and x.strides == part.strides and address(x) == address(part)


def address(x: np.ndarray) -> int:
    return int(x.__array_interface__["data"][0])  # in a fifth of the time that x.ctypes takes


def nested_lists(array: np.ndarray) -> list[Any]:
    """The list of lists of NumPy's numbers in an array."""
    return [nested_lists(row) if row.ndim else row for row in array]


def listed_rows(rows: Any, python: Iterator[bool], values: Iterator[Any]) -> Any:
    """The items of a list whose rows are taken from `values`."""
    match rows:
        case Nest(cls) if isinstance(cls, Letters):
            next(python)
            found = map(chr, next(values))
            return "".join(found) if cls is OF_TEXT else [*found]
        case Nest(cls, items, keys):
            return nests_of(cls, keys, [listed_rows(item, python, values) for item in items])
        case Type():
            array = next(values)
            return array.tolist() if next(python) else list(array)
    return itertools.repeat(rows.value)


def key(entry: Any) -> Any:
    """What two signatures must share to be served by one program: hashable."""
    match entry:
        case Nest(cls, items, keys):
            return cls, keys, tuple(key(item) for item in items)
        case GrowingList(_, python):
            return "list", python, key(entry.rows)
        case Type(dtype, shape, weak):
            return (
                dtype,
                weak,
                tuple(n if isinstance(n, int) else n.name if n.name in (EMPTY, FEW) else None for n in shape),
            )
        case Lit(value):
            return "lit", type(value), value
        case Static(obj):
            return "static", id(obj)
        case Same(k):
            return "same", k
    raise TypeError(f"{entry!r} is no entry of a signature")


def call_key(entries: tuple[Any, ...], keywords: Iterable[str]) -> tuple[Any, ...]:
    """What calls have in common that one program serves."""
    return tuple(keywords), tuple(map(key, entries))


def once(entries: list[Any], again: dict[int, int]) -> list[Any]:
    """Entries in which leaves, by number, are said to be the same arrays as earlier ones."""
    count = iter(range(sum(1 for entry in entries for _ in types_in(entry))))

    def said(entry: Any) -> Any:
        if isinstance(entry, Nest):
            return entry.with_items(tuple(said(item) for item in entry.items))
        if isinstance(entry, GrowingList):
            return GrowingList.of(entry.count, said(entry.rows), entry.python, fixed=entry.fixed)
        if not isinstance(entry, Type):
            return entry
        k = next(count)
        return Same(again[k]) if k in again else entry

    return [said(entry) for entry in entries]


def as_result(type_: Type, target: str) -> Callable[[Any], Any] | None:
    """What makes a scalar result the number that Python and NumPy give; None where it is that already.

    Numba gives Python's numbers whatever their dtype; plain Python may have either.
    """
    if type_.rank or type_.dtype == "rng":
        return None
    if type_.weak:
        return None if target == "numba" else as_python_number
    return np.dtype(type_.dtype).type


def as_python_number(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
