"""Reductions and running sums. `axis` is a tuple of non-negative axes; keepdims is a reshape around."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir import Atom, Type, Var
from codegen.ir.build import Builder, E
from codegen.ir.kinds import Reduction
from codegen.ir.literals import code
from codegen.ir.primitive import LINEAR, Rule
from codegen.primitives.elementwise import result_dtype
from codegen.primitives.fits import fit, require_exact
from codegen.primitives.row import FUNCTIONS, lowers, row


def keep_axes(y: Any, x: Any, axis: tuple[int, ...]) -> Any:
    """A reduction's result with axes of size 1 put back, ready to broadcast against `x`."""
    shape = tuple(1 if k in axis else n for k, n in enumerate(x.shape))
    return np.reshape(y, shape)


def reduced_shape(x: Atom, axis: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(n for k, n in enumerate(x.type.shape) if k not in axis)


def reduce_type(ufunc: np.ufunc) -> Callable[..., Type]:
    def type_(x: Atom, *, axis: tuple[int, ...]) -> Type:
        # NumPy sums bools and ints in 64 bits.
        wide = {"b": "i8", "i": "i8", "u": "u8"} if ufunc in (np.add, np.multiply) else {}
        dtype = wide.get(x.type.dtype[0]) or code(result_dtype(ufunc, (x, x)))
        return Type(dtype, reduced_shape(x, axis))

    return type_


def keep_type(x: Atom, *, axis: tuple[int, ...]) -> Type:
    if any(n == 0 for k, n in enumerate(x.type.shape) if k in axis):
        raise ValueError("max and min of an empty array are not defined")
    return Type(x.type.dtype, reduced_shape(x, axis))


def reduced_to(dtype: str) -> Callable[..., Type]:
    return lambda x, *, axis: Type(dtype, reduced_shape(x, axis))


def extreme_jvp(t: Any, out: Any, x: Any, *, axis: tuple[int, ...]) -> Any:
    """Ties share the tangent equally; where the result is NaN so is the derivative (0 / 0)."""
    chosen = np.where(x == keep_axes(out, x, axis), np.ones((), x.dtype)[()], np.zeros((), x.dtype)[()])
    return np.sum(t * chosen, axis=axis) / np.sum(chosen, axis=axis)


def prod_jvp(t: Any, out: Any, x: Any, *, axis: tuple[int, ...]) -> Any:
    """Sum of t_i times the product of the others, exact with any number of zeros among them.

    So are its own derivatives, with up to four zeros: at one of several, the product of the others has the other zeros
    as factors, whose product is 0 and has slopes.
    """
    zero = x == 0
    zeros = keep_axes(np.sum(zero, axis=axis), x, axis)
    rest = keep_axes(np.prod(np.where(zero, 1, x), axis=axis), x, axis)
    alone = np.where(zero & (zeros == 1), x.dtype.type(1), x.dtype.type(0))
    others: Any = x.dtype.type(0)
    for k, product in reversed(list(enumerate(products_of_other_zeros(x, zero, axis), start=1))):
        others = np.where(zeros == k, product, others)
    at_zero = rest * x.builder.apply("with_slope", alone, others)
    elsewhere = keep_axes(out, x, axis) / np.where(zero, 1, x)
    return np.sum(t * np.where(zero, at_zero, elsewhere), axis=axis)


def products_of_other_zeros(x: Any, zero: Any, axis: tuple[int, ...]) -> list[Any]:
    """Of all zeros but the one at each place, products of none, one, two and three, added up: by sums of their powers
    (Newton's identities)."""
    found, sums, power = [x * 0 + 1], list[Any](), np.where(zero, x, 0)
    for k in range(1, 4):
        sums.append(keep_axes(np.sum(power, axis=axis), x, axis) - power)
        power = power * x
        terms = [(-1) ** i * found[k - 1 - i] * sums[i] for i in range(k)]
        found.append(sum(terms[1:], terms[0]) / k)
    return found


def sum_back(ct: Any, x: Type, *, axis: tuple[int, ...]) -> Any:
    sizes: Any = x.shape
    return np.broadcast_to(keep_axes(ct, x, axis), sizes)


def cumsum_back(ct: Any, x: Type, *, axis: int) -> Any:
    return np.flip(np.cumsum(np.flip(ct, axis), axis), axis)


def reduce_row(kind: Reduction, type_: Callable[..., Type], *, one_axis: bool = False, **fields: Any) -> None:
    """A row for NumPy's function of this name. `one_axis`: it takes one axis or none.

    Spelling: `axis` is left out where everything is reduced.
    """
    name = kind.name.lower()
    function = getattr(np, name)

    def meaning(x: Any, *, axis: tuple[int, ...]) -> Any:
        return function(x, axis=axis if not one_axis else axis[0] if len(axis) == 1 else None)

    def form(x: str, *, axis: tuple[int, ...], rank: int, lib: str) -> tuple[str, int]:
        along = "" if len(axis) == rank else f", axis={axis[0] if len(axis) == 1 else axis}"
        return f"{lib}.{name}({x}{along})", 100

    row(name, meaning, type_, "reduce", kind=kind, form=form, **{"jvp": (None,)} | fields)


NO_IDENTITY = "zero-size array to reduction operation {}imum which has no identity"
NO_PLACE = "attempt to get {} of an empty sequence"

# fmt: off
reduce_row(Reduction.SUM, reduce_type(np.add), jvp=LINEAR, linear=(0,), transpose={0: sum_back})
reduce_row(Reduction.PROD, reduce_type(np.multiply), jvp=(prod_jvp,))
reduce_row(Reduction.MAX, keep_type, jvp=(extreme_jvp,), empty=NO_IDENTITY.format("max"))
reduce_row(Reduction.MIN, keep_type, jvp=(extreme_jvp,), empty=NO_IDENTITY.format("min"))
reduce_row(Reduction.ANY, reduced_to("b1"))
reduce_row(Reduction.ALL, reduced_to("b1"))
reduce_row(Reduction.ARGMAX, reduced_to("i8"), one_axis=True, empty=NO_PLACE.format("argmax"),
           helper="place_of_highest")
reduce_row(Reduction.ARGMIN, reduced_to("i8"), one_axis=True, empty=NO_PLACE.format("argmin"),
           helper="place_of_lowest")
row("cumsum", lambda x, *, axis: np.cumsum(x, axis=axis),
    lambda x, *, axis: Type(reduce_type(np.add)(x, axis=()).dtype, x.type.shape),
    "scan", kind=Reduction.CUMSUM, jvp=LINEAR, linear=(0,), transpose={0: cumsum_back},
    form=lambda x, *, axis, rank, lib:
    (f"{lib}.cumsum({x})" if rank == 1 else f"{lib}.cumsum({x}, axis={axis})", 100))
# fmt: on


def as_array(b: Builder, x: Any) -> Any:
    """Numbers and tuples of values as one E."""
    if isinstance(x, tuple | list):
        return FUNCTIONS[np.array](b, x)
    return x if isinstance(x, E) else b.wrap(b.apply("copy", x).atom)


def of_array(*callables: Any, **views: Any) -> Callable[[Rule], Rule]:
    """As `lowers`, of a function whose first operand is an array: what is given for it is made one."""

    def enter(function: Rule) -> Rule:
        @functools.wraps(function)
        def build(b: Builder, x: Any, /, *others: Any, **named: Any) -> Any:
            return function(b, as_array(b, x), *others, **named)

        return lowers(*callables, **views)(build)

    return enter


def axes(x: Any, axis: Any) -> tuple[int, ...]:
    """`axis` as NumPy takes it -> a tuple of non-negative axes in order."""
    if axis is None:
        return tuple(range(x.ndim))
    return tuple(sorted(axes_given(axis, x.ndim, "duplicate value in 'axis'")))


def axes_given(axis: Any, rank: int, twice: str = "repeated axis") -> tuple[int, ...]:
    """One axis or several, as NumPy takes them, none of them negative. `twice`: what is said of one that is again."""
    listed = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    for k in listed:
        if not isinstance(k, int | np.integer) or isinstance(k, bool):
            raise TypeError("axis must be a known int or a tuple of them")
        if not -rank <= k < rank:
            raise ValueError(f"axis {k} is out of bounds for an array with {rank} dimensions")
    found = tuple(int(k) % rank for k in listed)
    if len(set(found)) < len(found):
        raise ValueError(twice)
    return found


def number_axes(x: Any, axis: Any) -> tuple[int, ...]:
    """`axes` of a reduction, which takes 0 and -1 for a number too."""
    if isinstance(axis, list):
        raise TypeError("'list' object cannot be interpreted as an integer")
    return () if not x.ndim and axis in (0, -1) else axes(x, axis)


def one_of_axes(axis: Any) -> Any:
    """The axis of what goes along a single one."""
    if isinstance(axis, tuple | list):
        raise TypeError(f"{type(axis).__name__!r} object cannot be interpreted as an integer")
    return axis


# What a reduction starts from, which is what elements that `where` leaves out are taken for.
IDENTITY = {"sum": 0, "prod": 1, "any": False, "all": True}


def reduction_builder(name: str, default: Any = None) -> Callable[..., Any]:
    def build(
        b: Builder, a: Any, axis: Any = default, dtype: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = True,
    ) -> Any:  # fmt: skip
        x = as_array(b, a)
        if dtype is not None:
            x = (
                b.apply("cast", x, dtype=x.type.dtype) if x.type.weak else x
            )  # which wraps, as an array's does
            x = x.astype(dtype)
        if getattr(initial, "ndim", 0) or isinstance(initial, tuple | list):
            raise TypeError(f"{name}: initial= is one number")
        over_ = number_axes(x, axis)
        if where is not True:
            x = masked_operand(b, name, x, where, initial)
        if initial is not None and name in ("max", "min"):
            longer, along = with_initial(b, x, over_, initial)
            y = b.apply(name, longer, axis=along)
        else:
            y = b.apply(name, x, axis=over_) if x.ndim else of_number(b, name, x)
        if initial is not None and name in ("sum", "prod"):
            start = fit(b, initial, y.type.dtype)
            y = start + y if name == "sum" else start * y
        if initial is not None and name in ("any", "all"):
            y = b.apply("or" if name == "any" else "and", y, np.not_equal(initial, 0))
        if dtype is not None and y.dtype != dtype:  # what 64 bits hold too much goes, as it would on the way
            y = y.astype(dtype)
        return keep_axes(y, x, over_) if keepdims else y

    return build


def masked_operand(b: Builder, name: str, x: Any, where: Any, initial: Any) -> Any:
    """The elements where a mask holds; the others are what changes nothing."""
    where = as_array(b, where)
    sizes = b.atom(where).type.shape
    if len(sizes) > x.ndim:
        raise ValueError(f"{name}: where= must broadcast to the array's shape")
    for n, wanted in zip(sizes, b.atom(x).type.shape[x.ndim - len(sizes) :], strict=True):
        b.spreads(n, wanted)
    nothing = IDENTITY.get(name, initial)
    if nothing is None:
        raise ValueError(f"{name} has no identity: with where= it needs initial=")
    return b.apply("select", where, x, fit(b, nothing, x.type.dtype))


def with_initial(b: Builder, x: Any, over_: tuple[int, ...], initial: Any) -> tuple[Any, tuple[int, ...]]:
    """The array with `initial` as one more element along an axis that is reduced, which may be empty."""
    if len(over_) != 1:
        if len(over_) != x.ndim:
            raise TypeError(
                "initial= of several axes of more is not supported: reduce one axis after the other"
            )
        x, over_ = np.ravel(x), (0,)
    one = fit(b, initial, x.type.dtype)
    sizes = tuple(1 if k == over_[0] else n for k, n in enumerate(x.shape))
    return np.concatenate((b.apply("full", one, *sizes, dtype=x.type.dtype), x), axis=over_[0]), over_


def of_number(b: Builder, name: str, x: Any) -> Any:
    """A reduction of one number: the number, in the dtype of the reduction."""
    match name:
        case "any" | "all":
            return b.apply("ne", x, np.dtype(x.dtype).type(0))
        case "sum" | "prod" if x.type.dtype[0] in "biu":
            return b.apply("cast", x, dtype="u8" if x.type.dtype[0] == "u" else "i8")
    return x


for _callable in (np.sum, np.prod, np.max, np.min, np.any, np.all):
    FUNCTIONS[_callable] = reduction_builder(_callable.__name__)
FUNCTIONS[np.amax], FUNCTIONS[np.amin] = FUNCTIONS[np.max], FUNCTIONS[np.min]
FUNCTIONS[np.add.reduce] = reduction_builder("sum", 0)
FUNCTIONS[np.multiply.reduce] = reduction_builder("prod", 0)


def arg_reduction(name: str) -> Callable[..., Any]:
    def build(b: Builder, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        axis = one_of_axes(axis)
        if not x.ndim:
            number_axes(x, axis)
            return np.int64(0)
        flat = np.ravel(x) if axis is None and x.ndim > 1 else x
        y = b.apply(name, flat, axis=axes(flat, axis))
        return keep_axes(y, x, axes(x, axis)) if keepdims else y

    return build


of_array(np.argmax)(arg_reduction("argmax"))
of_array(np.argmin)(arg_reduction("argmin"))


@of_array(np.cumsum)
def cumsum(b: Builder, x: Any, axis: Any = None, dtype: Any = None) -> Any:
    axis = one_of_axes(axis)
    if not x.ndim:
        number_axes(x, axis)
        x, axis = np.reshape(x, (1,)), 0
    if dtype is not None:
        x = x.astype(dtype)
    if axis is None:
        x, axis = np.ravel(x), 0
    made = b.apply("cumsum", x, axis=axes(x, axis)[0])
    # Sums of narrow ints are made in 64 bits, and wrap alike.
    return made if dtype is None else made.astype(dtype)


def norm_of_elements(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """np.linalg.norm of all but singular values."""
    return np.linalg.norm(x, ord, axis, keepdims)


@of_array(norm_of_elements)
def norm(b: Builder, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Of vectors by any power, of matrices the Euclidean norm and the largest or least sum of a row or column. Those by
    singular values: codegen/definitions/decompositions.py."""
    over_ = axes(x, axis)
    if ord is not None and axis is None and x.ndim > 2:
        raise ValueError("Improper number of dimensions to norm.")
    if axis is not None and len(over_) > 2:
        raise ValueError("improper number of dimensions to norm")
    if isinstance(ord, E):
        raise TypeError("norm: which norm it is must be known before the program runs")
    x = x if x.type.is_float else x.astype(np.float64)
    if ord is None or (len(over_), ord) in ((1, 2), (2, "fro"), (2, "f")):
        return np.sqrt(np.sum(x * x, axis=over_, keepdims=keepdims))
    if len(over_) == 1:
        return norm_of_vectors(x, ord, over_, keepdims)
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError("Invalid norm order for matrices.")
    rows, columns = axes_given(axis, x.ndim) if axis is not None else (0, 1)
    summed, kept = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums: Any = np.sum(np.abs(x), axis=summed, keepdims=True)
    if ord > 0:
        made = np.max(sums, axis=kept, keepdims=True, initial=0.0)
    else:
        made = np.min(sums, axis=kept, keepdims=True)
    return made if keepdims else np.reshape(made, tuple(n for k, n in enumerate(x.shape) if k not in over_))


def norm_of_vectors(x: Any, ord: Any, over_: tuple[int, ...], keepdims: bool) -> Any:
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord in (np.inf, -np.inf):
        size = np.abs(x)
        if ord < 0:
            return np.min(size, axis=over_, keepdims=keepdims)
        return np.max(size, axis=over_, keepdims=keepdims, initial=0.0)
    if ord == 0:
        return np.sum((x != 0).astype(x.dtype), axis=over_, keepdims=keepdims)
    terms = np.abs(x) if ord == 1 else np.abs(x) ** float(ord)
    total = np.sum(terms, axis=over_, keepdims=keepdims)
    return total if ord == 1 else total ** (1.0 / ord)


@lowers(builtins.sum)
def builtin_sum(b: Builder, values: Any) -> Any:
    """Of an array: its rows, or its elements in their own dtype, added up."""
    if not values.ndim:
        raise TypeError("sum() takes something to go through, not a number")
    made = np.sum(values, axis=0)
    keeps = values.type.dtype == "b1" or made.type.dtype == values.type.dtype
    return made if keeps else made.astype(values.dtype)


def builtin_extreme(name: str, of_floats: str, of_ints: str) -> Callable[..., Any]:
    """max() and min(): Python keeps the first argument unless a later one is strictly beyond it."""

    def build(b: Builder, *values: Any) -> Any:
        if len(values) == 1 and isinstance(values[0], E):
            return extreme_of_array(b, name, values[0])
        best, *others = values
        for value in others:
            is_float = any(b.atom(x).type.is_float for x in (best, value))
            if is_float:
                for x in (best, value):
                    require_exact(b, x, "f8")
            best = b.apply(of_floats if is_float else of_ints, best, value)
        return best

    return build


def extreme_of_array(b: Builder, name: str, x: E) -> Any:
    """A NaN that is first stays, a later one is beyond nothing."""
    n = x.type.shape[0]
    if n == 0:
        raise ValueError(f"{name}() iterable argument is empty")
    if isinstance(n, Var) and b.checked:
        b.require(b.apply("gt", b.size(n), 0), "ValueError", f"{name}() iterable argument is empty")
    if not x.type.is_float:
        return b.apply(name, x, axis=(0,))
    least = np.dtype(x.dtype).type(-np.inf if name == "max" else np.inf)
    first = x[0]
    y = b.apply(name, b.apply("select", b.apply("isnan", x), least, x), axis=(0,))
    return b.apply("select", b.apply("isnan", first), first, y)


FUNCTIONS[builtins.max] = builtin_extreme("max", "larger", "maximum")
FUNCTIONS[builtins.min] = builtin_extreme("min", "smaller", "minimum")
