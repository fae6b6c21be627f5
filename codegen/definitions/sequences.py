"""Sequences: running products, differences, convolutions, counts, and values between points."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.table import refused, stands_for

PART = 1024  # numbers that stay in the nearest cache while they are multiplied


@stands_for("numpy.cumprod", generic=True)
def cumprod(a, axis=None, dtype=None):
    """Running products; of ints in 64 bits."""
    a = np.atleast_1d(np.asarray(a))
    flat = a.reshape(-1) if axis is None else np.moveaxis(a, axis, 0)
    out = flat.astype(np.prod(flat[:1]).dtype if dtype is None else dtype)
    for k in range(1, len(out)):
        out[k] = out[k - 1] * out[k]
    return out if axis is None else np.moveaxis(out, 0, axis)


@stands_for("numpy.nancumprod")
def nancumprod(a, axis=None, dtype=None):
    a = np.asarray(a)
    return np.cumprod(np.where(np.isnan(a), 1, a) if a.dtype.kind == "f" else a, axis, dtype)


@stands_for("functools.reduce")
def reduce(function, sequence, initial=...):
    """From the first to the last."""
    if initial is not ...:
        total, rest = initial, sequence
    elif len(sequence) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    else:
        total, rest = sequence[0], sequence[1:]
    for each in rest:
        total = function(total, each)
    return total


@stands_for("numpy.ediff1d", generic=True)
def ediff1d(ary, to_end=None, to_begin=None):
    ary = np.asarray(ary).reshape(-1)
    if ary.dtype.kind == "b":
        refused("ediff1d: bools have no differences: use np.diff, or ints")
    made = np.diff(ary)
    if to_begin is not None:
        made = np.concatenate((differences_like(to_begin, made), made))
    return made if to_end is None else np.concatenate((made, differences_like(to_end, made)))


def differences_like(given, made):
    """Numbers to stand beside differences, in their dtype."""
    given = np.asarray(given)
    if (
        given.dtype.kind == "f"
        and made.dtype.kind in "iu"
        or given.dtype.kind == "i"
        and made.dtype.kind == "u"
    ):
        refused(
            "dtype of `to_begin` and `to_end` must be compatible with input `ary` under the `same_kind` rule."
        )
    return given.reshape(-1).astype(made.dtype)


@stands_for("numpy.interp")
def interp(x, xp, fp, left=None, right=None, period=None):
    """The value at x of the line through the points; at the ends that of the last point, or that a period further."""
    x, xp, fp = np.asarray(x).astype(np.float64), np.asarray(xp), np.asarray(fp)
    if xp.ndim != 1 or fp.ndim != 1:
        refused("interp takes points as two vectors")
    if len(xp) != len(fp):
        raise ValueError("fp and xp are not of the same length.")
    if len(xp) == 0:
        raise ValueError("array of sample points is empty")
    xp, fp = xp.astype(np.float64), fp.astype(np.float64)
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        turn, left, right = np.abs(period), None, None
        x, xp = x % turn, xp % turn
        order = np.argsort(xp)
        xp = np.concatenate((xp[order[-1:]] - turn, xp[order], xp[order[:1]] + turn))
        fp = np.concatenate((fp[order[-1:]], fp[order], fp[order[:1]]))
    n = len(xp)
    k = np.minimum(np.maximum(np.searchsorted(xp, x, "right") - 1, 0), max(n - 2, 0))
    after = np.minimum(k + 1, n - 1)
    width = xp[after] - xp[k]
    slope = (fp[after] - fp[k]) / np.where(width == 0, 1.0, width)
    inside = slope * (x - xp[k]) + fp[k]
    inside = np.where(
        np.isnan(inside), slope * (x - xp[after]) + fp[after], inside
    )  # of an infinite end, the other
    inside = np.where(np.isnan(inside) & (fp[k] == fp[after]) | (x == xp[k]), fp[k], inside)
    low = fp[0] if left is None else left
    high = fp[n - 1] if right is None else right
    made = np.where(
        x < xp[0], low, np.where(x > xp[n - 1], high, np.where(x == xp[n - 1], fp[n - 1], inside))
    )
    return np.where(np.isnan(x), x, made)


@stands_for("numpy.convolve", generic=True)
def convolve(a, v, mode="full"):
    """Sums of products with the shorter one turned round and shifted."""
    a, v = np.asarray(a), np.asarray(v)
    if a.ndim > 1 or v.ndim > 1:
        refused("convolve takes vectors")
    a, v = np.atleast_1d(a), np.atleast_1d(v)
    if len(a) == 0:
        raise ValueError("a cannot be empty")
    if len(v) == 0:
        raise ValueError("v cannot be empty")
    n, m = max(len(a), len(v)), min(len(a), len(v))
    full = np.zeros(len(a) + len(v) - 1, (a[:1] * v[:1]).dtype)
    if len(v) <= len(a):
        add_products(full, a, v)
    else:
        add_products(full, v, a)
    if mode == "full":
        return full
    if mode == "same":
        return full[(m - 1) // 2 : (m - 1) // 2 + n]
    if mode != "valid":
        refused("mode must be 'full', 'same' or 'valid'")
    return full[m - 1 : n]


def add_products(full, longer, shorter):
    """Parts of the longer one, times each of the shorter one."""
    for start in range(0, len(longer), PART):
        stop = min(start + PART, len(longer))
        for j in range(len(shorter)):
            for i in range(start, stop):
                full[i + j] += longer[i] * shorter[j]


@stands_for("numpy.correlate")
def correlate(a, v, mode="valid"):
    return products_of_shifts(np.asarray(a), np.asarray(v), mode)


def products_of_shifts(a, v, mode):
    """Sums of the products of `a` with `v` moved along it, where the mode says so."""
    made = np.convolve(a, v[::-1], "full")
    n, m = max(len(a), len(v)), min(len(a), len(v))
    if mode == "full":
        return made
    if mode == "valid":
        return made[m - 1 : n]
    if mode != "same":
        refused("mode must be 'full', 'same' or 'valid'")
    start = m // 2 if len(a) < len(v) else (m - 1) // 2
    return made[start : start + n]


@stands_for("numpy.bincount")
def bincount(x, weights=None, minlength=0):
    """How often each int is there, or the sum of its weights."""
    x = np.asarray(x)
    if x.ndim != 1:
        refused("bincount takes a vector of ints")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    size = int(minlength) if len(x) == 0 else max(int(np.max(x)) + 1, int(minlength))
    if len(x) and np.min(x) < 0:
        raise ValueError("'list' argument must have no negative elements")
    if weights is None:
        counts = np.zeros(size, np.int64)
        for k in range(len(x)):
            counts[x[k]] += 1
        return counts
    weights = np.asarray(weights)
    if len(weights) != len(x):
        raise ValueError("The weights and list don't have the same length.")
    sums = np.zeros(size)
    for k in range(len(x)):
        sums[x[k]] += weights[k]
    return sums


@stands_for("math.prod")
def prod(iterable, start=1):
    for factor in iterable:
        start = start * factor
    return start


def ints_together(x1, x2):
    """Both operands of one dtype and one shape."""
    x = np.asarray(x1) if isinstance(x1, tuple | list) else x1
    y = np.asarray(x2) if isinstance(x2, tuple | list) else x2
    kinds = np.asarray(x).dtype.kind + np.asarray(y).dtype.kind
    if "f" in kinds or kinds == "bb":
        refused("gcd and lcm take ints")
    x, y = x + (y ^ y), y + (x ^ x)
    if np.asarray(x).dtype.kind == "f":
        refused("gcd and lcm take ints of one dtype: int64 and uint64 have none in common")
    return x, y


@stands_for("numpy.gcd")
def gcd(x1, x2):
    """By remainders, all elements together."""
    x, y = ints_together(x1, x2)
    x, y = abs(x), abs(y)
    while np.any(y != 0):
        rest = np.where(y != 0, x % np.where(y == 0, 1, y), 0)
        x = np.where(y != 0, y, x)
        y = rest
    return abs(x)


@stands_for("numpy.lcm")
def lcm(x1, x2):
    x, y = ints_together(x1, x2)
    common = np.gcd(x, y)
    return abs(x) // np.where(common == 0, 1, common) * abs(y)


@stands_for("numpy.unwrap")
def unwrap(p, discont=None, axis=-1, period=6.283185307179586):
    """The same angles, in steps of no more than half a period."""
    p = np.asarray(p)
    step = np.diff(p, axis=axis)
    half = period // 2 if isinstance(period, int) and p.dtype.kind != "f" else period / 2
    within = np.mod(step + half, period) - half
    if half + half == period:
        within = np.where((within == -half) & (step > 0), half, within)
    least = period / 2 if discont is None else max(discont, period / 2)
    correction = np.where(np.abs(step) < least, 0 * within, within - step)
    rows, turned = np.moveaxis(p, axis, 0), np.moveaxis(np.cumsum(correction, axis=axis), axis, 0)
    return np.moveaxis(np.concatenate((rows[:1], rows[1:] + turned)), 0, axis)


@stands_for("numpy.angle")
def angle(z, deg=False):
    """Of numbers that are real: 0, or half a turn below 0."""
    z = np.asarray(z)
    turn = np.arctan2(np.zeros(1, z.dtype)[0], z)
    return turn * (180.0 / np.pi) if deg else turn


@stands_for("scipy.signal.fftconvolve", generic=True)
def fftconvolve(in1, in2, mode="full"):
    """By sums too, in floats."""
    a, v = np.asarray(in1), np.asarray(in2)
    kind = np.result_type(a.dtype, v.dtype, np.float32)
    return convolve_arrays(a.astype(kind), v.astype(kind), mode)


@stands_for("scipy.signal.convolve", generic=True)
def convolve_arrays(in1, in2, mode="full"):
    """Sums of products with the second turned round along each axis and shifted."""
    a, v = np.asarray(in1), np.asarray(in2)
    if a.ndim != v.ndim:
        refused("in1 and in2 should have the same dimensionality")
    if a.ndim == 0:
        return a * v
    return part_of_full(all_overlaps(a, v), a.shape, v.shape, mode)


@stands_for("scipy.signal.correlate")
def correlate_arrays(in1, in2, mode="full"):
    v = np.asarray(in2)
    return convolve_arrays(in1, np.flip(v) if v.ndim else v, mode)


@stands_for("scipy.signal.convolve2d", generic=True)
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    a, v = two_matrices(in1, in2, boundary, fillvalue)
    return convolve_arrays(a, v, mode)


@stands_for("scipy.signal.correlate2d")
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """In "same" mode the middle is a place later than that of a convolution with as many rows or columns, if these are
    even."""
    a, v = two_matrices(in1, in2, boundary, fillvalue)
    full = all_overlaps(a, v[::-1, ::-1])
    return part_of_full(full, a.shape, v.shape, mode, 1)


def two_matrices(in1, in2, boundary, fillvalue):
    """What is beyond the first is 0."""
    a, v = np.asarray(in1), np.asarray(in2)
    if a.ndim != 2 or v.ndim != 2:
        refused("convolve2d and correlate2d take two matrices")
    if boundary != "fill" or not isinstance(fillvalue, int | float) or fillvalue != 0:
        refused("a boundary other than zeros is not supported: np.pad the first before")
    return a, v


def all_overlaps(a, v):
    """The full convolution: of rows one after the other, each with as much room as a row of the result, the sum of the
    first array at the places that the elements of the second have there."""
    shape = tuple(n + m - 1 for n, m in zip(a.shape, v.shape))
    room = np.pad(a, tuple((0, (m - 1) * (k > 0)) for k, m in enumerate(v.shape))).reshape(-1)
    places = np.ravel_multi_index(np.unravel_index(np.arange(v.size), v.shape), shape)
    factors, size = v.reshape(-1), math.prod(shape)
    total = np.zeros(size + math.prod(shape[1:]), (room[:1] * factors[:1]).dtype)
    for k in range(len(factors)):
        total[places[k] : places[k] + len(room)] += room * factors[k]
    return total[:size].reshape(shape)


def part_of_full(full, n, m, mode, later=0):
    """All of it, what has the first one's shape in the middle, or what nothing beyond the arrays takes part in."""
    if mode == "full":
        return full
    if mode != "same" and mode != "valid":
        refused("acceptable mode flags are 'valid', 'same', or 'full'")
    if mode == "valid":
        if not (all(i >= j for i, j in zip(n, m)) or all(i <= j for i, j in zip(n, m))):
            raise ValueError(
                "For 'valid' mode, one must be at least as large as the other in every dimension"
            )
        sizes = tuple(max(i, j) - min(i, j) + 1 for i, j in zip(n, m))
        starts = tuple(min(i, j) - 1 for i, j in zip(n, m))
    else:
        sizes, starts = n, tuple((j - 1 + later) // 2 for j in m)
    for k, (start, size) in enumerate(zip(starts, sizes)):
        full = np.moveaxis(np.moveaxis(full, k, 0)[start : start + size], 0, k)
    return full


def pairs_of(items):
    """Each item beside each of those behind it, as itertools.combinations(items, 2) has them."""
    made = []
    for i in range(len(items)):
        for j in range(i + 1, len(items)):
            made.append((items[i], items[j]))
    return made


def running_from_last(items, f):
    """What itertools.accumulate(items, f) gives in turn, the last of it first."""
    made = []
    if len(items) > 0:
        total = items[0]
        made.append(total)
        for k in range(1, len(items)):
            total = f(total, items[k])
            made.append(total)
    return made[::-1]


def running_on_from_last(items, f, initial):
    """The same from a first value on."""
    total = initial
    made = [total]
    for item in items:
        total = f(total, item)
        made.append(total)
    return made[::-1]


def chained_from_last(iterables):
    """What itertools.chain(*iterables) gives in turn, the last of it first."""
    made = []
    for items in iterables:
        for item in items:
            made.append(item)
    return made[::-1]


@stands_for("numpy.apply_over_axes", generic=True)
def apply_over_axes(func, a, axes):
    """One axis after the other, which stay with one place each."""
    made = np.asarray(a)
    count = made.ndim
    for axis in axes if isinstance(axes, tuple | list) else (axes,):
        found = np.asarray(func(made, axis))
        made = found if found.ndim == count else np.expand_dims(found, axis)
    return made


@stands_for("numpy.fromiter", generic=True)
def fromiter(iter, dtype, count=-1):
    items = list(iter)
    if count > len(items):
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
    return np.array(items if count < 0 else items[:count], dtype)


@stands_for("numpy.asarray_chkfinite", generic=True)
def asarray_chkfinite(a, dtype=None):
    a = np.asarray(a) if dtype is None else np.asarray(a, dtype)
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a
