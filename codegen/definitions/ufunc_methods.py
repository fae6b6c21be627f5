"""Methods of NumPy's functions of two numbers that go from element to element: accumulate, reduce, at; cumulative sums
and products; functions of numbers that go over arrays."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import refused, stands_for


@stands_for("numpy.add.accumulate", generic=True)
def add_accumulate(array, axis=0, dtype=None):
    return np.cumsum(with_axis(array), axis=axis, dtype=dtype)


@stands_for("numpy.multiply.accumulate", generic=True)
def multiply_accumulate(array, axis=0, dtype=None):
    return np.cumprod(with_axis(array), axis=axis, dtype=dtype)


@stands_for("numpy.maximum.accumulate")
def maximum_accumulate(array, axis=0, dtype=None):
    return running(np.maximum, in_dtype(with_axis(array), dtype), axis)


@stands_for("numpy.minimum.accumulate")
def minimum_accumulate(array, axis=0, dtype=None):
    return running(np.minimum, in_dtype(with_axis(array), dtype), axis)


@stands_for("numpy.fmax.accumulate")
def fmax_accumulate(array, axis=0, dtype=None):
    return running(np.fmax, in_dtype(with_axis(array), dtype), axis)


@stands_for("numpy.fmin.accumulate")
def fmin_accumulate(array, axis=0, dtype=None):
    return running(np.fmin, in_dtype(with_axis(array), dtype), axis)


def over_elements(f, takes, gives, *arrays):
    """What a function of numbers gives for each element; `takes` and `gives` are dtypes, or None."""
    if takes is not None:
        arrays = tuple([np.asarray(x, t) if np.ndim(x) else t(x) for x, t in zip(arrays, takes)])
    shape = np.broadcast_shapes(*[np.shape(x) for x in arrays])
    if len(shape) == 0:
        return f(*arrays) if gives is None else gives(f(*arrays))
    lines = [np.broadcast_to(x, shape).ravel() if np.ndim(x) else x for x in arrays]
    size = max([len(x) for x in lines if np.ndim(x)])
    if gives is None:
        return np.array([f(*at_place(lines, k)) for k in range(size)]).reshape(shape)
    made = np.empty(size, gives)
    for k in range(size):
        made[k] = f(*at_place(lines, k))
    return made.reshape(shape)


def at_place(lines, k):
    return [x[k] if np.ndim(x) else x for x in lines]


def with_axis(array):
    array = np.asarray(array)
    if array.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    return array


def in_dtype(array, dtype):
    return array if dtype is None else array.astype(dtype)


@stands_for("numpy.logaddexp.accumulate")
def logaddexp_accumulate(array, axis=0):
    array = np.asarray(array)
    return running(np.logaddexp, array.astype(np.logaddexp(array, array).dtype), axis)


def running(function, array, axis):
    """Of each element and all before it along an axis."""
    out = np.moveaxis(array, axis, 0).copy()
    for k in range(1, len(out)):
        out[k] = function(out[k - 1], out[k])
    return np.moveaxis(out, 0, axis)


def accumulated(function):
    """The running values of a function, in the dtype that it gives."""

    def accumulate(array, axis=0):
        array = with_axis(array)
        if axis is None and array.ndim > 1:
            refused("one axis, along which the values run")
        return running(function, array.astype(function(array, array).dtype), 0 if axis is None else axis)

    return accumulate


def reduced(function, none):
    """A function of all along an axis, one after the other; of nothing what it has for that (None: an error)."""

    def reduce(array, axis=0, keepdims=False):
        array = np.asarray(array)
        dtype = function(array, array).dtype
        if array.ndim == 0:
            one = array.astype(dtype)
            return one[()] if none is None else function(np.full(1, none, dtype), one)[0]
        if axis is None and array.ndim > 1 and none is None:
            refused("one axis, as the function is another one in another order")
        rows = array.reshape(-1) if axis is None else np.moveaxis(array, axis, 0)
        if none is not None:
            total, first = np.full(rows.shape[1:], none, dtype), 0
        elif len(rows) > 0:
            total, first = rows[0].astype(dtype), 1
        else:
            raise ValueError("zero-size array to reduction operation which has no identity")
        for k in range(first, len(rows)):
            total = function(total, rows[k])
        if not keepdims:
            return total[()]
        return total.reshape((1,) * array.ndim) if axis is None else np.expand_dims(total, axis)

    return reduce


for _name, _function, _none in (
    ("subtract", np.subtract, None),
    ("divide", np.divide, None),
    ("floor_divide", np.floor_divide, None),
    ("remainder", np.remainder, None),
    ("fmod", np.fmod, None),
    ("float_power", np.float_power, None),
    ("copysign", np.copysign, None),
    ("lcm", np.lcm, None),
    ("gcd", np.gcd, 0),
    ("hypot", np.hypot, 0.0),
    ("logaddexp2", np.logaddexp2, -np.inf),
    ("logical_xor", np.logical_xor, False),
):
    stands_for(f"numpy.{_name}.accumulate")(accumulated(_function))
    stands_for(f"numpy.{_name}.reduce")(reduced(_function, _none))
# Their reductions are rows, folded below, or wrong in NumPy (power, arctan2).
for _name in ("power", "arctan2", "logical_and", "logical_or", "bitwise_and", "bitwise_or", "bitwise_xor"):
    stands_for(f"numpy.{_name}.accumulate")(accumulated(getattr(np, _name)))


def reduced_from_places(ufunc, sums):
    """A function of all from each place along an axis to before the next one, of those alone that do not lie before it;
    `sums`: in the dtype that all together have."""
    name = ufunc.__name__

    def reduceat(array, indices, axis=0, dtype=None):
        array = np.asarray(array)
        if array.ndim == 0:
            raise TypeError("cannot reduceat on a scalar")
        array, places = in_dtype(array, dtype), np.asarray(indices)
        if places.ndim != 1 or places.dtype.kind not in "iu":
            refused("reduceat takes a vector of ints as places")
        rows = np.moveaxis(array, axis, 0)
        for place in places:
            if place < 0 or place >= len(rows):
                raise IndexError(f"index {place} out-of-bounds in {name}.reduceat [0, {len(rows)})")
        one = ufunc.reduce(array[:1], axis=0) if sums and dtype is None else ufunc(array[:1], array[:1])
        made = np.empty(places.shape + rows.shape[1:], one.dtype)
        for k in range(len(places)):
            total = rows[places[k]].astype(one.dtype)
            for i in range(places[k] + 1, places[k + 1] if k + 1 < len(places) else len(rows)):
                total = ufunc(total, rows[i])
            made[k] = total
        return np.moveaxis(made, 0, axis)

    return reduceat


for _name in ("add", "multiply"):
    stands_for(f"numpy.{_name}.reduceat")(reduced_from_places(getattr(np, _name), True))
for _name in (
    "subtract", "divide", "maximum", "minimum", "fmax", "fmin", "logaddexp", "logical_and", "logical_or",
    "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor",
):  # fmt: skip
    stands_for(f"numpy.{_name}.reduceat")(reduced_from_places(getattr(np, _name), False))


@stands_for("numpy.logaddexp.reduce")
def logaddexp_reduce(array, axis=0):
    """From the first to the last, as NumPy goes: logsumexp rounds otherwise."""
    rows = np.moveaxis(np.asarray(array), axis, 0)
    total = np.full(rows.shape[1:], -np.inf, np.logaddexp(rows[:1], rows[:1]).dtype)
    for k in range(len(rows)):
        total = np.logaddexp(total, rows[k])
    return total


@stands_for("numpy.bitwise_and.reduce")
def bitwise_and_reduce(array, axis=0, keepdims=False):
    return folded(np.bitwise_and, array, axis, keepdims, True)


@stands_for("numpy.bitwise_or.reduce")
def bitwise_or_reduce(array, axis=0, keepdims=False):
    return folded(np.bitwise_or, array, axis, keepdims, False)


@stands_for("numpy.bitwise_xor.reduce")
def bitwise_xor_reduce(array, axis=0, keepdims=False):
    return folded(np.bitwise_xor, array, axis, keepdims, False)


def folded(function, array, axis, keepdims, bits):
    """The function of all along an axis, or of all elements (None); of none every bit is as said."""
    array = np.asarray(array)
    if array.dtype.kind == "f":
        refused("bits are those of ints and bools")
    flat = array.reshape(-1) if axis is None else np.moveaxis(array, axis, 0)
    none = np.zeros(flat.shape[1:], array.dtype)
    total = ~none if bits else none
    for k in range(len(flat)):
        total = function(total, flat[k])
    if not keepdims:
        return total[()]
    return total.reshape((1,) * array.ndim) if axis is None else np.expand_dims(total, axis)


@stands_for("numpy.multiply.at", generic=True)
def multiply_at(a, indices, b):
    at_places(np.multiply, a, indices, np.asarray(b))


@stands_for("numpy.maximum.at")
def maximum_at(a, indices, b):
    at_places(np.maximum, a, indices, np.asarray(b))


@stands_for("numpy.minimum.at")
def minimum_at(a, indices, b):
    at_places(np.minimum, a, indices, np.asarray(b))


@stands_for("numpy.subtract.at", generic=True)
def subtract_at(a, indices, b):
    at_places(np.subtract, a, indices, np.asarray(b))


@stands_for("numpy.logaddexp.at")
def logaddexp_at(a, indices, b):
    at_places(np.logaddexp, a, indices, np.asarray(b))


def at_places(function, a, indices, b):
    """Each place with its operand, of which every repeat counts."""
    if isinstance(indices, slice):
        indices = np.arange(len(a))[indices]
    if not isinstance(indices, tuple) and np.ndim(indices) == 1 and np.asarray(indices).dtype.kind == "b":
        indices = np.flatnonzero(indices)
    if isinstance(indices, tuple) or np.asarray(indices).dtype.kind not in "iu":
        refused("places are an int, a slice, or an array of ints or bools along the first axis")
    if function(a[:1], b).dtype != a.dtype:
        refused("what is put at places must have the array's dtype: cast it first")
    places = np.asarray(indices)
    operands = np.broadcast_to(b, places.shape + a.shape[1:]).reshape((places.size,) + a.shape[1:])
    places = places.reshape(-1)
    for k in range(len(places)):
        a[places[k]] = function(a[places[k]], operands[k])


def cumulative(running, filled_like):
    """Along the only axis, or the one that is given, perhaps after what it begins with."""

    def along_axis(x, *, axis=None, dtype=None, include_initial=False):
        x = np.atleast_1d(x)
        along = along_only_axis(x, axis)
        made = running(x, along, dtype)
        return after_first(filled_like, made, along) if include_initial else made

    return along_axis


stands_for("numpy.cumulative_sum", generic=True)(cumulative(np.cumsum, np.zeros_like))
stands_for("numpy.cumulative_prod", generic=True)(cumulative(np.cumprod, np.ones_like))


def after_first(filled_like, made, axis):
    """What was made along an axis, after what that begins with."""
    turned = np.moveaxis(made, axis, 0)
    first = filled_like(np.empty((1,) + turned.shape[1:], made.dtype))
    return np.moveaxis(np.concatenate((first, turned)), 0, axis)


def along_only_axis(x, axis):
    if axis is None and x.ndim > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    return 0 if axis is None else axis
