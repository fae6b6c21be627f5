"""Making arrays and changing their shape. Sizes are operands, so that they are ordinary values of the program."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from codegen.ir import Atom, Type, Var
from codegen.ir.broadcasting import least
from codegen.ir.build import SIZE, Builder, E
from codegen.ir.kinds import Joined, Made, Same, Vector
from codegen.ir.literals import code
from codegen.ir.primitive import LINEAR
from codegen.primitives.fits import fit
from codegen.primitives.index import write
from codegen.primitives.reduce import as_array, axes
from codegen.primitives.row import FUNCTIONS, as_type, first, lowers, row, size


def dims_text(dims: tuple[str, ...]) -> str:
    return dims[0] if len(dims) == 1 else f"({', '.join(dims)})"


def dtype_text(dtype: str) -> str:
    names = {"f8": "", "b1": "np.bool_"}
    return names.get(dtype, f"np.{np.dtype(dtype).name}")


def full_form(value: str, *dims: str, dtype: str, rank: int) -> tuple[str, int]:
    kind = dtype_text(dtype)
    tail = f", {kind})" if kind else ")"
    for name, number in (("zeros", 0), ("ones", 1)):
        if value in (str(number), str(float(number)), str(bool(number))):
            return f"np.{name}({dims_text(dims)}{tail}", 100
    return f"np.full({dims_text(dims)}, {value}{tail}", 100


def full_back(ct: Any, value: Type, *dims: Any, dtype: str) -> Any:
    return np.sum(ct)


def broadcast_type(x: Atom, *dims: Atom, loose: bool = False) -> Type:
    shape = tuple(size(d) for d in dims)
    for n, m in zip(reversed(x.type.shape), reversed(shape), strict=False):
        if isinstance(n, int) and isinstance(m, int) and n not in (1, m):
            raise ValueError(f"{x.type} cannot be broadcast to shape {shape}")
    return Type(x.type.dtype, shape)


def broadcast_form(x: str, *dims: str, rank: int, loose: bool = False) -> tuple[str, int]:
    return f"np.broadcast_to({x}, {dims_text(dims)})", 100


def broadcast_back(ct: Any, x: Type, *dims: Any, loose: bool = False) -> Any:
    """The caller sums to the operand's shape, as for every broadcast, but for axes that may be 1 (`loose`)."""
    if not loose:
        return ct
    b = ct.builder
    for axis, (n, m) in enumerate(zip(x.shape, ct.type.shape[len(dims) - x.rank :], strict=True)):
        if isinstance(n, int) or n is m:
            continue
        k = axis + len(dims) - x.rank
        shape = tuple(n if j == k else d for j, d in enumerate(ct.type.shape))
        places = b.apply(
            "mul",
            b.apply("arange", b.size(m), dtype="i8"),
            b.apply("cast", b.apply("ne", b.size(n), 1), dtype="i8"),
        )
        zeros = b.apply("full", np.dtype(ct.type.dtype).type(0), *map(b.size, shape), dtype=ct.type.dtype)
        ct = b.apply("accumulate", zeros, ct, places, spec=(*(":" for _ in range(k)), "a"))
    return ct


def reshape_type(x: Atom, *dims: Atom) -> Type:
    shape, old = tuple(size(d) for d in dims), x.type.shape
    known = [n for n in (*old, *shape) if isinstance(n, int)]
    if len(known) == len(old) + len(shape) and math.prod(known[: len(old)]) != math.prod(known[len(old) :]):
        raise ValueError(f"cannot reshape {x.type} into shape {shape}")
    return Type(x.type.dtype, shape)


def reshape_form(x: str, *dims: str, rank: int) -> tuple[str, int]:
    if not dims:
        return f"{x}[{', '.join('0' for _ in range(rank))}]", 100
    return f"np.reshape({x}, {dims_text(dims)})", 100


def transpose_type(x: Atom, *, perm: tuple[int, ...]) -> Type:
    return Type(x.type.dtype, tuple(x.type.shape[k] for k in perm))


def transpose_form(x: str, *, perm: tuple[int, ...], rank: int) -> tuple[str, int]:
    return (f"{x}.T", 100) if rank == 2 else (f"np.transpose({x}, {perm})", 100)


def common_dtype(atoms: tuple[Atom, ...]) -> str:
    strong = [np.dtype(a.type.dtype) for a in atoms if not a.type.weak]
    kinds = [{"i": 0, "f": 0.0, "b": False}[a.type.dtype[0]] for a in atoms if a.type.weak]
    return code(np.result_type(*strong, *kinds))


def stack_type(*xs: Atom) -> Type:
    shapes = {x.type.shape for x in xs}
    if (
        len({tuple(n for n in s if isinstance(n, int)) for s in shapes}) > 1
        or len({len(s) for s in shapes}) > 1
    ):
        raise ValueError(
            "the items of an array must have one shape, not " + ", ".join(str(x.type) for x in xs)
        )
    return Type(common_dtype(xs), (len(xs), *(xs[0].type.shape if xs else ())))


def stack_form(*xs: str, rank: int) -> tuple[str, int]:
    return (f"np.array([{', '.join(xs)}])", 100) if rank == 0 else (f"np.stack(({', '.join(xs)},))", 100)


UNLIKE = "all the input array dimensions except for the concatenation axis must match exactly"


def concatenate_type(*xs: Atom, axis: int) -> Type:
    for others in zip(*(x.type.shape[:axis] + x.type.shape[axis + 1 :] for x in xs)):
        if len({n for n in others if isinstance(n, int)}) > 1:
            raise ValueError(f"{UNLIKE}: " + ", ".join(str(x.type) for x in xs))
    sizes = [x.type.shape[axis] for x in xs]
    known = [n for n in sizes if isinstance(n, int)]
    total = builtins.sum(known) if len(known) == len(sizes) else Var("n", SIZE)
    shape = list(xs[0].type.shape)
    shape[axis] = total
    return Type(common_dtype(xs), tuple(shape))


def arange_type(n: Atom, *, dtype: str) -> Type:
    return Type(dtype, (size(n),))


def arange_form(n: str, *, dtype: str, rank: int) -> tuple[str, int]:
    return (
        f"np.arange({n})" if dtype == "i8" else f"np.arange({n}, dtype={dtype_text(dtype) or 'np.float64'})",
        100,
    )


class StackBack:
    """The cotangent of item k of a stack is ct[k]: one rule per position, made on demand."""

    def __init__(self, make: Any):
        self.make = make

    def __getitem__(self, k: int) -> Any:
        return self.make(k)

    def __contains__(self, k: object) -> bool:
        return isinstance(k, int)

    def get(self, k: int, default: Any = None) -> Any:
        return self.make(k)


def length(b: Any, x: Any, axis: int) -> Any:
    """The size of an operand, of which a rule has the value or, where it is the linear one, only the type."""
    return b.size(x.shape[axis]) if isinstance(x, Type) else x.shape[axis]


def concatenate_back(k: int) -> Any:
    def rule(ct: Any, *xs: Any, axis: int) -> Any:
        start: Any = 0
        for x in xs[:k]:
            start = start + length(ct.builder, x, axis)
        stop = start + length(ct.builder, xs[k], axis)
        return ct[(slice(None),) * axis + (slice(start, stop),)].reshape(xs[k].shape)

    return rule


class Every:
    """`linear` of a primitive that is linear in all its operands, however many."""

    def __iter__(self) -> Any:
        raise TypeError("linear in every operand: ask with `in`")

    def __contains__(self, k: object) -> bool:
        return True


EVERY: Any = Every()


# fmt: off
row("full", lambda value, *dims, dtype: np.full(dims, value, dtype), lambda value, *dims, dtype: as_type(dtype, dims),
    "create", kind=Made.FULL, jvp=LINEAR, linear=(0,), transpose={0: full_back}, form=full_form)
row("empty", lambda *dims, dtype: np.zeros(dims, dtype), lambda *dims, dtype: as_type(dtype, dims), "create",
    kind=Made.EMPTY, first_size=0, form=lambda *dims, dtype, rank:
    (f"np.empty({dims_text(dims)}{', ' if dtype_text(dtype) else ''}{dtype_text(dtype)})", 100))
row("arange", lambda n, *, dtype: np.arange(n, dtype=dtype), arange_type, "create",
    kind=Made.RANGE, first_size=0, form=arange_form)
row("copy", lambda x: np.array(x)[()], lambda x: Type(x.type.dtype, x.type.shape), "copy",
    kind=Same.COPY, jvp=LINEAR, linear=(0,), transpose={0: lambda ct, x: ct},
    form=lambda x, *, rank: (f"{x}.copy()" if rank else x, 100))
row("stop_gradient", lambda x: x, lambda x: x.type, "elementwise", kind=Same.STOPPED, vector=Vector.PLAIN,
    jvp=(None,), form=lambda x, *, rank: (x, 100))
row("broadcast_to", lambda x, *dims, loose=False: np.broadcast_to(x, dims), broadcast_type, "shape",
    kind=Same.BROADCAST, jvp=LINEAR, linear=(0,), transpose={0: broadcast_back}, form=broadcast_form)
row("reshape", lambda x, *dims: np.reshape(x, dims)[()], reshape_type, "shape",
    kind=Same.RESHAPED, jvp=LINEAR, linear=(0,),
    transpose={0: lambda ct, x, *dims: np.reshape(ct, x.shape)}, form=reshape_form)
row("transpose", lambda x, *, perm: np.transpose(x, perm), transpose_type, "shape", kind=Same.TRANSPOSED,
    jvp=LINEAR, linear=(0,),
    transpose={0: lambda ct, x, *, perm: np.transpose(ct, tuple(np.argsort(perm).tolist()))}, form=transpose_form)
row("stack", lambda *xs: np.stack([np.asarray(x) for x in xs]), stack_type, "shape", kind=Joined.STACK,
    jvp=LINEAR, linear=EVERY, transpose=StackBack(lambda k: lambda ct, *xs: ct[k]), form=stack_form)
row("concatenate", lambda *xs, axis: np.concatenate(xs, axis), concatenate_type, "shape",
    kind=Joined.CONCATENATE, jvp=LINEAR, linear=EVERY, transpose=StackBack(concatenate_back),
    form=lambda *xs, axis, rank: (f"np.concatenate(({', '.join(xs)},){f', axis={axis}' if axis else ''})", 100))
# fmt: on


def shape_of(shape: Any) -> tuple[Any, ...]:
    """A shape argument as a tuple of sizes."""
    return tuple(shape) if isinstance(shape, tuple | list) else (shape,)


def dtype_code(dtype: Any, default: str) -> str:
    return default if dtype is None else code(dtype)


def counts(b: Builder, shape: Any) -> tuple[Any, ...]:
    """Sizes to make an array with."""
    return tuple(counted(b, n) for n in shape_of(shape))


def counted(b: Builder, n: Any, message: str = "negative dimensions are not allowed") -> Any:
    """A size that was given: an int, not below 0."""
    type_ = b.atom(n).type
    if type_.dtype[0] not in "iu" or type_.rank:
        raise TypeError(f"a size must be an int, not {type_}")
    if isinstance(n, int | np.integer):
        if n < 0:
            raise ValueError(message)
        return int(n)
    if b.checked:
        b.require(b.apply("ge", n, 0), "ValueError", message)
    return n


@lowers(np.zeros)
def zeros(b: Builder, shape: Any, dtype: Any = None) -> Any:
    return full(b, shape, 0, dtype or np.float64)


@lowers(np.ones)
def ones(b: Builder, shape: Any, dtype: Any = None) -> Any:
    return full(b, shape, 1, dtype or np.float64)


@lowers(np.full)
def full(b: Builder, shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    kind = dtype_code(dtype, b.atom(fill_value).type.dtype)
    if not b.atom(fill_value).type.rank or b.atom(fill_value).type.dtype != kind:
        fill_value = fit(b, fill_value, kind, stored=False)
    dims = counts(b, shape)
    if b.atom(fill_value).type.rank:
        return broadcast_to(b, fill_value, dims).copy()
    return b.apply("full", fill_value, *dims, dtype=kind) if dims else b.wrap(b.atom(fill_value))


@lowers(np.empty)
def empty(b: Builder, shape: Any, dtype: Any = None) -> Any:
    return b.apply("empty", *counts(b, shape), dtype=dtype_code(dtype, "f8"))


def like(value: Any) -> Any:
    def build(b: Builder, a: Any, dtype: Any = None, shape: Any = None) -> Any:
        return full_like(b, a, value, dtype, shape)

    return build


lowers(np.zeros_like)(like(0))
lowers(np.ones_like)(like(1))


@lowers(np.full_like)
def full_like(b: Builder, a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    x = as_array(b, a)
    return full(b, x.shape if shape is None else shape, fill_value, dtype or x.dtype)


@lowers(np.empty_like)
def empty_like(b: Builder, prototype: Any, dtype: Any = None, shape: Any = None) -> Any:
    x = as_array(b, prototype)
    return empty(b, x.shape if shape is None else shape, dtype or x.dtype)


@lowers(np.arange)
def arange(b: Builder, start: Any = None, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """start + step * (0, 1, ...): exact for ints, NumPy's own formula for floats."""
    if start is None:
        start = 0
    elif stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    given = tuple(b.atom(v) for v in (start, stop, step))
    if any(v.type.rank or v.type.dtype == "b1" for v in given):
        raise TypeError("arange takes numbers")
    whole = all(v.type.dtype[0] in "iu" for v in given)
    kind = dtype_code(dtype, code(np.result_type(np.int64, *(np.dtype(v.type.dtype) for v in given))))
    if kind[0] not in ("iuf" if whole else "f"):
        raise TypeError(f"arange of floats in dtype {kind} is not supported: make floats and cast them")
    if step_is(step, 0):
        raise ValueError("arange: the step must not be 0")
    if isinstance(step, E) and whole and b.checked:
        b.require(b.apply("ne", step, 0), "ZeroDivisionError", "division by zero")
    if whole:  # in the arguments' own dtype, and so does NumPy, where they overflow
        n = stop - start if step_is(step, 1) else -((start - stop) // step)
    else:
        n = np.ceil((stop - start) / step)
        if isinstance(n, E) and b.checked:
            b.require(b.apply("isfinite", n), "ValueError", "arange: cannot compute length")
            b.require(b.apply("lt", n, 2.0**62), "ValueError", "Maximum allowed size exceeded")
        n = b.apply("cast", n, dtype="i8") if isinstance(n, E) else int(n)
    n = b.apply("maximum", n if b.atom(n).type.dtype == "i8" else b.apply("cast", n, dtype="i8"), 0)
    y = b.apply("arange", n, dtype=kind)
    y = y if step_is(step, 1) else y * b.apply("cast", step, dtype=kind)
    return y if step_is(start, 0) else b.apply("cast", start, dtype=kind) + y


def step_is(value: Any, number: int) -> bool:
    return not isinstance(value, E) and value == number


@lowers(np.linspace)
def linspace(
    b: Builder, start: Any, stop: Any, num: Any = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """start + step * (0, 1, ...), the last one exactly `stop` where it belongs to them."""
    num = counted(b, num, "Number of samples must be non-negative.")
    start, stop = (FUNCTIONS[np.array](b, v) if isinstance(v, tuple | list) else v for v in (start, stop))
    ends = [b.atom(v).type for v in (start, stop)]
    kind = code(np.result_type(*(0.0 if t.weak else np.dtype(t.dtype) for t in ends), 0.0))
    start, stop = (b.apply("cast", v, dtype=kind) for v in (start, stop))
    gaps = b.apply("maximum", num - 1 if endpoint else num, 1)
    rank = max(t.rank for t in ends)
    place = reshape(b, b.apply("arange", num, dtype=kind), (num, *(1 for _ in range(rank))))
    step = (stop - start) / b.apply("cast", gaps, dtype=kind)
    y = start + place * step
    if endpoint:
        y = np.where(place == b.apply("cast", gaps, dtype=kind), stop, y)
    if dtype is not None and code(dtype) != kind:
        y = (np.floor(y) if code(dtype)[0] in "iu" else y).astype(dtype)
    return y if axis == 0 else moveaxis(b, y, 0, axis)


@lowers(np.eye)
def eye(b: Builder, N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    n = counted(b, N)
    rows = b.apply("arange", n, dtype="i8")
    columns = rows if M is None else b.apply("arange", counted(b, M), dtype="i8")
    diagonal = rows if step_is(k, 0) else rows + k
    return (diagonal[:, None] == columns[None, :]).astype(dtype or np.float64)


@lowers(np.identity)
def identity(b: Builder, n: Any, dtype: Any = None) -> Any:
    return eye(b, n, dtype=dtype)


@lowers(np.array)
def array(b: Builder, items: Any, dtype: Any = None) -> Any:
    if isinstance(items, E):
        made = items.copy()
    elif isinstance(items, tuple | list):
        if not items:
            return empty(b, 0, dtype)
        parts = [array(b, i) if isinstance(i, tuple | list) else i for i in items]
        if dtype is not None:
            parts = [in_dtype(b, i, code(dtype)) for i in parts]
        made = b.apply("stack", *one_shape(b, parts))
    else:
        made = b.wrap(b.atom(items))
    return made if dtype is None else b.apply("cast", made, dtype=code(dtype))


@lowers(np.asarray, np.asanyarray, views=first)
def asarray(b: Builder, a: Any, dtype: Any = None) -> Any:
    """The array itself where it is one of the dtype wanted."""
    own = isinstance(a, E) and a.ndim and dtype in (None, a.dtype)
    return a if own else array(b, a, dtype)


def in_dtype(b: Builder, items: Any, dtype: str) -> Any:
    """Nested numbers in a dtype that holds them."""
    if isinstance(items, tuple | list):
        return type(items)(in_dtype(b, i, dtype) for i in items)
    return fit(b, items, dtype) if not b.atom(items).type.rank else items


def alike(b: Builder, items: Any) -> list[Any]:
    """Items of one dtype, as NumPy casts them: among them a Python number is an int64, float64 or bool."""
    kind = code(np.result_type(*(np.dtype(b.atom(i).type.dtype) for i in items)))
    return [i if b.atom(i).type.dtype == kind else b.apply("cast", i, dtype=kind) for i in items]


def one_shape(b: Builder, items: Any) -> list[Any]:
    """Items of one dtype and shape: sizes that are not known are checked."""
    made = alike(b, items)
    shapes = [b.atom(x).type.shape for x in made]
    for shape in shapes[1:]:
        for n, m in zip(shapes[0], shape):
            if b.checked and (isinstance(n, Var) or isinstance(m, Var)) and not b.meets.same(n, m):
                b.same_size(n, m, "all input arrays must have the same shape")
    return made


@lowers(np.stack)
def stack(b: Builder, arrays: Any, axis: int = 0, dtype: Any = None) -> Any:
    made = arrays.copy() if isinstance(arrays, E) else b.apply("stack", *one_shape(b, listed(b, arrays)))
    made = made if dtype is None else made.astype(dtype)
    return made if axis == 0 else moveaxis(b, made, 0, axis)


def listed(b: Builder, arrays: Any) -> list[Any]:
    """The arrays to be joined, one at least."""
    if not isinstance(arrays, tuple | list):
        raise TypeError("arrays to stack must be passed as a tuple or a list of them")
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    return [array(b, x) if isinstance(x, tuple | list) else x for x in arrays]


@lowers(np.concatenate)
def concatenate(b: Builder, arrays: Any, axis: Any = 0, dtype: Any = None) -> Any:
    if isinstance(arrays, E):
        made = rows_joined(b, arrays, axis)
        return made if dtype is None else made.astype(dtype)
    items = alike(b, [np.ravel(x) if axis is None else x for x in listed(b, arrays)])
    if any(not b.atom(x).type.rank for x in items):
        raise ValueError("zero-dimensional values cannot be concatenated")
    if len({x.ndim for x in items}) > 1:
        raise ValueError("arrays to be concatenated must have the same number of dimensions")
    (where,) = (0,) if axis is None else axes(items[0], axis)
    for x in items[1:]:
        for k in range(x.ndim):
            if k != where:
                b.same_size(items[0].type.shape[k], x.type.shape[k], UNLIKE)
    made = b.apply("concatenate", *items, axis=where)
    b.meets.joined(made.type.shape[where], [b.atom(x).type.shape[where] for x in items])
    return made if dtype is None else made.astype(dtype)


def rows_joined(b: Builder, x: Any, axis: Any) -> Any:
    """The rows of one array joined: its first axis goes into another one."""
    if x.ndim < 2:
        raise ValueError("zero-dimensional values cannot be concatenated")
    if axis is None:
        return np.ravel(x).copy()
    (where,) = axes(x[0] if x.ndim > 1 else x, axis)
    x = moveaxis(b, x, 0, where)
    return reshape(b, x, (*x.shape[:where], x.shape[where] * x.shape[where + 1], *x.shape[where + 2 :]))


@lowers(np.hstack)
def hstack(b: Builder, tup: Any, dtype: Any = None) -> Any:
    if isinstance(tup, E):
        if tup.ndim < 2:
            return (tup.copy() if tup.ndim else reshape(b, tup, (1,))) if dtype is None else tup.astype(dtype)
        return concatenate(b, tup, 0 if tup.ndim == 2 else 1, dtype)
    items = [x if isinstance(x, E) and x.ndim else array(b, (x,)) for x in listed(b, tup)]
    return concatenate(b, items, 0 if items[0].ndim == 1 else 1, dtype)


@lowers(np.append)
def append(b: Builder, arr: Any, values: Any, axis: Any = None) -> Any:
    parts = [as_array(b, arr), as_array(b, values)]
    return concatenate(
        b, [np.reshape(x, (-1,)) if axis is None else x for x in parts], 0 if axis is None else axis
    )


@lowers(np.reshape, views=first)
def reshape(b: Builder, x: Any, shape: Any) -> Any:
    x = as_array(b, x)
    dims = list(shape_of(shape))
    for n in dims:
        if b.atom(n).type.dtype[0] not in "iu" or b.atom(n).type.rank:
            raise TypeError(f"a size must be an int, not {b.atom(n).type}")
        if isinstance(n, int | np.integer) and n < -1:
            raise ValueError("negative dimensions are not allowed")
    unknown = [k for k, n in enumerate(dims) if isinstance(n, int) and n == -1]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown:
        rest: Any = 1
        for k, n in enumerate(dims):
            rest = rest if k == unknown[0] else rest * n
        dims[unknown[0]] = x.size if step_is(rest, 1) else x.size // rest
    if len(dims) == x.ndim and all(same(b, n, m) for n, m in zip(dims, x.shape, strict=True)):
        return x
    return b.apply("reshape", x, *dims)


def same(b: Builder, n: Any, m: Any) -> bool:
    return size(b.atom(n)) is size(b.atom(m)) or (isinstance(n, int) and isinstance(m, int) and n == m)


@lowers(np.ravel, views=first)
def ravel(b: Builder, x: Any) -> Any:
    x = as_array(b, x)
    return x if x.ndim == 1 else reshape(b, x, (x.size,))


@lowers(np.expand_dims, views=first)
def expand_dims(b: Builder, a: Any, axis: Any) -> Any:
    x = as_array(b, a)
    new = axis if isinstance(axis, tuple | list) else (axis,)
    where = places(new, x.ndim + len(new))
    old = iter(x.shape)
    return reshape(b, x, tuple(1 if k in where else next(old) for k in range(x.ndim + len(new))))


def places(listed: Any, rank: int) -> tuple[int, ...]:
    """Axes as NumPy takes them, in the order given."""
    for k in listed:
        if not isinstance(k, int | np.integer) or isinstance(k, bool):
            raise TypeError("axes must be known ints")
        if not -rank <= k < rank:
            raise ValueError(f"axis {k} is out of bounds for an array with {rank} dimensions")
    found = tuple(int(k) % rank for k in listed)
    if len(set(found)) < len(found):
        raise ValueError("repeated axis")
    return found


@lowers(np.squeeze, views=first)
def squeeze(b: Builder, a: Any, axis: Any = None) -> Any:
    x = as_array(b, a)
    if axis is None and any(b.meets.may_be_one(n) for n in x.type.shape):
        raise TypeError("squeeze: which sizes are 1 is not known: say which by axis=")
    gone = tuple(k for k, n in enumerate(x.shape) if step_is(n, 1)) if axis is None else axes(x, axis)
    for k in gone:
        n = x.shape[k]
        if isinstance(n, E):
            b.require(b.apply("eq", n, 1), "ValueError", NOT_ONE)
        elif n != 1:
            raise ValueError(NOT_ONE)
    return reshape(b, x, tuple(n for k, n in enumerate(x.shape) if k not in gone))


NOT_ONE = "cannot select an axis to squeeze out which has size not equal to one"


@lowers(np.transpose, views=first)
def transpose(b: Builder, a: Any, axes: Any = None) -> Any:
    x = as_array(b, a)
    perm = tuple(reversed(range(x.ndim))) if axes is None else places(axes, x.ndim)
    if len(perm) != x.ndim:
        raise ValueError("axes don't match array")
    return x if perm == tuple(range(x.ndim)) else b.apply("transpose", x, perm=perm)


@lowers(np.swapaxes, views=first)
def swapaxes(b: Builder, a: Any, axis1: int, axis2: int) -> Any:
    x = as_array(b, a)
    perm = list(range(x.ndim))
    (first,), (second,) = axes(x, axis1), axes(x, axis2)
    perm[first], perm[second] = perm[second], perm[first]
    return transpose(b, x, tuple(perm))


@lowers(np.moveaxis, views=first)
def moveaxis(b: Builder, a: Any, source: Any, destination: Any) -> Any:
    x = as_array(b, a)
    sources, targets = (
        places(given if isinstance(given, tuple | list) else (given,), x.ndim)
        for given in (source, destination)
    )
    if len(sources) != len(targets):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    perm = [k for k in range(x.ndim) if k not in sources]
    for target, place in sorted(zip(targets, sources, strict=True)):
        perm.insert(target, place)
    return transpose(b, x, tuple(perm))


@lowers(np.broadcast_to, views=first)
def broadcast_to(b: Builder, array: Any, shape: Any) -> Any:
    """To sizes that the array's are, or are 1 beside: where that is known only at run time, it is checked there."""
    atom = b.atom(array)
    dims = tuple(
        counted(b, n, "all elements of broadcast shape must be non-negative") for n in shape_of(shape)
    )
    if len(dims) < atom.type.rank:
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    pairs = [(n, size(b.atom(m))) for n, m in zip(reversed(atom.type.shape), reversed(dims))]
    loose = False
    for n, m in pairs:
        if not b.checked or n is m or isinstance(n, int) and (n == 1 or isinstance(m, int)):
            continue
        if b.meets.may_be_one(n):
            loose = True
            b.one_or(n, b.size(m))
        else:
            b.same_size(n, m)
    if len(dims) == atom.type.rank and all(n is m or n == m for n, m in pairs):
        return array
    if not dims:
        return array
    params: Any = {"loose": True} if loose else {}
    return b.apply("broadcast_to", array, *dims, **params)


@lowers(np.flip, views=first)
def flip(b: Builder, m: Any, axis: Any = None) -> Any:
    x = as_array(b, m)
    chosen = axes(x, axis)
    return x[tuple(slice(None, None, -1) if k in chosen else slice(None) for k in range(x.ndim))]


@lowers(np.roll)
def roll(b: Builder, a: Any, shift: Any, axis: Any = None) -> Any:
    """The last elements first: of each axis in turn, or of the array as one row."""
    x = as_array(b, a)
    if not x.ndim and axis is None:
        return x
    if axis is None and x.ndim != 1:
        return reshape(b, roll(b, reshape(b, x, (-1,)), shift), x.shape)
    chosen = (0,) if axis is None else tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    shifts = tuple(shift) if isinstance(shift, tuple | list) else (shift,) * len(chosen)
    if axis is None:
        shifts = (builtins.sum(shifts),)
    chosen = chosen * len(shifts) if len(chosen) == 1 else chosen
    if len(shifts) != len(chosen):
        raise TypeError(f"roll: {len(shifts)} shifts for {len(chosen)} axes")
    for each, number in zip(shifts, chosen, strict=True):
        (k,) = axes(x, number)
        if b.atom(each).type.rank or b.atom(each).type.dtype[0] not in "iu":
            raise TypeError("roll: a shift must be an int")
        if step_is(each, 0):
            continue
        start = -each
        size_ = x.type.shape[k]
        if isinstance(each, E) or abs(each) > builtins.max(least(size_), 1):  # the axis may be shorter
            n = x.shape[k]
            start = n - each % b.apply("maximum", n, 1)
        whole = (slice(None),) * k
        x = concatenate(b, (x[(*whole, slice(start, None))], x[(*whole, slice(None, start))]), axis=k)
        b.meets.equal(x.type.shape[k], size_)
    return x


@lowers(np.tile)
def tile(b: Builder, A: Any, reps: Any) -> Any:
    """Each axis with another before it, which the array is broadcast along; then the two are one."""
    x = as_array(b, A)
    times = tuple(counted(b, n) for n in shape_of(reps))
    rank = builtins.max(x.ndim, len(times))
    times = (1,) * (rank - len(times)) + times
    sizes = (1,) * (rank - x.ndim) + tuple(x.shape)
    if all(step_is(n, 1) for n in times):
        return reshape(b, x, sizes).copy()
    apart = reshape(b, x, tuple(n for each in sizes for n in (1, each)))
    wide = broadcast_to(b, apart, tuple(n for pair in zip(times, sizes, strict=True) for n in pair))
    return reshape(b, wide, tuple(n * m for n, m in zip(times, sizes, strict=True)))


@lowers(np.repeat)
def repeat(b: Builder, a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element, along an axis or of the array as one row, as often as a number or a known list says."""
    x = as_array(b, a)
    x, axis = (reshape(b, x, (-1,)), 0) if axis is None else (x, axis)
    (k,) = axes(x, axis)
    whole = (slice(None),) * k
    if isinstance(repeats, tuple | list) and len(repeats) == 1:
        (repeats,) = repeats
    if isinstance(repeats, tuple | list):
        counts_ = [counted(b, n, NEGATIVE_REPEATS) for n in repeats]
        if not all(isinstance(n, int) for n in counts_):
            raise TypeError(f"repeat: {UNKNOWN_REPEATS}")
        b.same_size(x.type.shape[k], len(counts_), "operands could not be broadcast together")
        if isinstance(x.type.shape[k], int) and x.type.shape[k] != len(counts_):
            raise ValueError("operands could not be broadcast together")
        places_ = [place for place, n in enumerate(counts_) for _ in range(n)]
        return x[(*whole, array(b, places_, np.int64))]
    if b.atom(repeats).type.rank:
        raise TypeError(f"repeat: {UNKNOWN_REPEATS}")
    n = counted(b, repeats, NEGATIVE_REPEATS)
    left, right = x.shape[: k + 1], x.shape[k + 1 :]
    wide = broadcast_to(b, reshape(b, x, (*left, 1, *right)), (*left, n, *right))
    return reshape(b, wide, (*left[:-1], left[-1] * n, *right))


NEGATIVE_REPEATS = "repeats may not contain negative values."
UNKNOWN_REPEATS = "how often is one int, or a list of ints that are known when the function is read"


@lowers(np.diag)
def diag(b: Builder, v: Any, k: Any = 0) -> Any:
    x = as_array(b, v)
    if x.ndim == 2:
        return x[diagonal(b, x, k)]
    if x.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    n = x.shape[0]
    zero = np.dtype(x.dtype).type(0)
    if step_is(k, 0):
        rows = b.apply("arange", n, dtype="i8")
        return np.where(rows[:, None] == rows[None, :], x[:, None], zero)
    size = n + b.apply("abs", k)
    square = b.apply("full", zero, size, size, dtype=x.type.dtype)
    return write(b, square, diagonal(b, square, k), x)


def diagonal(b: Builder, x: Any, k: Any) -> tuple[Any, Any]:
    """The places of a matrix's diagonal, `k` above the main one."""
    if step_is(k, 0):
        n = b.apply("arange", b.apply("minimum", *x.shape[:2]), dtype="i8")
        return n, n
    down, right = b.apply("maximum", -k, 0), b.apply("maximum", k, 0)
    length = b.apply("maximum", b.apply("minimum", x.shape[0] - down, x.shape[1] - right), 0)
    n = b.apply("arange", length, dtype="i8")
    return n + down, n + right


@lowers(np.trace)
def trace(b: Builder, a: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    x = as_array(b, a)
    if x.ndim < 2:
        raise ValueError("trace takes an array of at least two axes")
    x = moveaxis(b, x, (axis1, axis2), (0, 1))
    return np.sum(x[diagonal(b, x, offset)], axis=0, dtype=dtype)


@lowers(np.diff)
def diff(b: Builder, a: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    x = as_array(b, a)
    if not isinstance(n, int) or n < 0:
        raise ValueError("diff: the order must be a known int, not below 0")
    if not x.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    if not n:
        return x
    (k,), whole = axes(x, axis), slice(None)
    ends = [beside(b, x, each, k) for each in (prepend, append)]
    if any(end is not None for end in ends):
        x = concatenate(b, [part for part in (ends[0], x, ends[1]) if part is not None], k)
    for _ in range(n):
        after, before = x[(whole,) * k + (slice(1, None),)], x[(whole,) * k + (slice(None, -1),)]
        x = b.apply("ne", after, before) if x.type.dtype == "b1" else after - before
    return x


def beside(b: Builder, x: Any, end: Any, axis: int) -> Any:
    """What `diff` puts before or after an array: a number stands for a row of it."""
    if end is None:
        return None
    end = array(b, end) if isinstance(end, tuple | list) else end
    if b.atom(end).type.rank:
        return end
    end = end if isinstance(end, E) else b.wrap(b.apply("copy", np.asarray(end)[()]).atom)
    return b.apply("broadcast_to", end, *(1 if k == axis else m for k, m in enumerate(x.shape)))
