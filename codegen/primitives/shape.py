"""Making arrays and changing their shape. Sizes are operands, so that they are ordinary values of the program."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from codegen.build import SIZE, Builder, E, code
from codegen.ir import Atom, Type, Var
from codegen.primitives.fits import fit
from codegen.primitives.reduce import as_array, axes
from codegen.primitives.row import LINEAR, as_type, lowers, row, size


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


def broadcast_type(x: Atom, *dims: Atom) -> Type:
    shape = tuple(size(d) for d in dims)
    for n, m in zip(reversed(x.type.shape), reversed(shape), strict=False):
        if isinstance(n, int) and isinstance(m, int) and n not in (1, m):
            raise ValueError(f"{x.type} cannot be broadcast to shape {shape}")
    return Type(x.type.dtype, shape)


def broadcast_back(ct: Any, x: Type, *dims: Any) -> Any:
    return ct  # the caller sums to the operand's shape, as for every broadcast


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


def concatenate_type(*xs: Atom, axis: int) -> Type:
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
    "create", jvp=LINEAR, linear=(0,), transpose={0: full_back}, form=full_form)
row("empty", lambda *dims, dtype: np.zeros(dims, dtype), lambda *dims, dtype: as_type(dtype, dims), "create",
    form=lambda *dims, dtype, rank: (f"np.empty({dims_text(dims)}{', ' if dtype_text(dtype) else ''}"
                                     f"{dtype_text(dtype)})", 100))
row("arange", lambda n, *, dtype: np.arange(n, dtype=dtype), arange_type, "create", form=arange_form)
row("copy", lambda x: np.array(x)[()], lambda x: Type(x.type.dtype, x.type.shape), "copy", jvp=LINEAR, linear=(0,),
    transpose={0: lambda ct, x: ct}, form=lambda x, *, rank: (f"{x}.copy()" if rank else x, 100))
row("stop_gradient", lambda x: x, lambda x: x.type, "elementwise", jvp=(None,),
    form=lambda x, *, rank: (x, 100))
row("broadcast_to", lambda x, *dims: np.broadcast_to(x, dims), broadcast_type, "shape", jvp=LINEAR, linear=(0,),
    transpose={0: broadcast_back}, form=lambda x, *dims, rank: (f"np.broadcast_to({x}, {dims_text(dims)})", 100))
row("reshape", lambda x, *dims: np.reshape(x, dims)[()], reshape_type, "shape", jvp=LINEAR, linear=(0,),
    transpose={0: lambda ct, x, *dims: np.reshape(ct, x.shape)}, form=reshape_form)
row("transpose", lambda x, *, perm: np.transpose(x, perm), transpose_type, "shape", jvp=LINEAR, linear=(0,),
    transpose={0: lambda ct, x, *, perm: np.transpose(ct, tuple(np.argsort(perm).tolist()))}, form=transpose_form)
row("stack", lambda *xs: np.stack([np.asarray(x) for x in xs]), stack_type, "shape", jvp=LINEAR, linear=EVERY,
    transpose=StackBack(lambda k: lambda ct, *xs: ct[k]), form=stack_form)
row("concatenate", lambda *xs, axis: np.concatenate(xs, axis), concatenate_type, "shape", jvp=LINEAR, linear=EVERY,
    transpose=StackBack(concatenate_back),
    form=lambda *xs, axis, rank: (f"np.concatenate(({', '.join(xs)},){f', axis={axis}' if axis else ''})", 100))
# fmt: on


def shape_of(shape: Any) -> tuple[Any, ...]:
    """A shape argument as a tuple of sizes."""
    return tuple(shape) if isinstance(shape, tuple | list) else (shape,)


def dtype_code(dtype: Any, default: str) -> str:
    return default if dtype is None else code(dtype)


def counts(b: Builder, shape: Any) -> tuple[Any, ...]:
    """Sizes to make an array with: ints; a negative one is NumPy's ValueError."""
    dims = shape_of(shape)
    for n in dims:
        if isinstance(n, int) and n < 0:
            raise ValueError("negative dimensions are not allowed")
        if b.atom(n).type.dtype[0] not in "iu" or b.atom(n).type.rank:
            raise TypeError(f"a size must be an int, not {b.atom(n).type}")
    return dims


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
        fill_value = fit(b, fill_value, kind)
    if b.atom(fill_value).type.rank:
        return np.broadcast_to(fill_value, shape_of(shape)).copy()
    dims = counts(b, shape)
    return b.apply("full", fill_value, *dims, dtype=kind) if dims else b.wrap(b.atom(fill_value))


@lowers(np.empty)
def empty(b: Builder, shape: Any, dtype: Any = None) -> Any:
    return b.apply("empty", *counts(b, shape), dtype=dtype_code(dtype, "f8"))


def like(value: Any) -> Any:
    def build(b: Builder, x: Any, dtype: Any = None) -> Any:
        return full(b, x.shape, value, dtype or x.dtype)

    return build


lowers(np.zeros_like)(like(0))
lowers(np.ones_like)(like(1))


@lowers(np.full_like)
def full_like(b: Builder, x: Any, fill_value: Any, dtype: Any = None) -> Any:
    return full(b, x.shape, fill_value, dtype or x.dtype)


@lowers(np.empty_like)
def empty_like(b: Builder, x: Any, dtype: Any = None) -> Any:
    return empty(b, x.shape, dtype or x.dtype)


@lowers(np.arange)
def arange(b: Builder, start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """start + step * (0, 1, ...): exact for ints, NumPy's own formula for floats."""
    if stop is None:
        start, stop = 0, start
    whole = all(b.atom(v).type.dtype[0] in "iu" for v in (start, stop, step))
    if whole:
        n = stop - start if step_is(step, 1) else -((start - stop) // step)
    else:
        n = np.ceil((stop - start) / step)
        n = n.astype(np.int64) if isinstance(n, E) else int(n)
    n = b.apply("maximum", n, 0)
    kind = dtype_code(dtype, common_dtype(tuple(b.atom(v) for v in (start, stop, step))))
    y = b.apply("arange", n, dtype=kind)
    y = y if step_is(step, 1) else y * step
    return y if step_is(start, 0) else start + y


def step_is(value: Any, number: int) -> bool:
    return not isinstance(value, E) and value == number


@lowers(np.linspace)
def linspace(b: Builder, start: Any, stop: Any, num: Any = 50, endpoint: bool = True) -> Any:
    gaps = num - 1 if endpoint else num
    kind = b.atom(start + stop + 0.0).type.dtype
    step = (stop - start) / fit(b, b.apply("maximum", gaps, 1), kind)
    return start + b.apply("arange", num, dtype=kind) * step


@lowers(np.eye, np.identity)
def eye(b: Builder, n: Any, m: Any = None, dtype: Any = None) -> Any:
    rows = b.apply("arange", n, dtype="i8")
    columns = rows if m is None else b.apply("arange", m, dtype="i8")
    return (rows[:, None] == columns[None, :]).astype(dtype or np.float64)


@lowers(np.array, np.asarray, np.asanyarray)
def array(b: Builder, items: Any, dtype: Any = None) -> Any:
    if isinstance(items, E):
        made = items.copy()
    elif isinstance(items, tuple | list):
        if not items:
            return empty(b, 0, dtype)
        if dtype is not None:
            items = [in_dtype(b, i, code(dtype)) for i in items]
        made = b.apply("stack", *alike(b, [array(b, i) if isinstance(i, tuple | list) else i for i in items]))
    else:
        made = b.wrap(b.atom(items))
    return made if dtype is None or not isinstance(made, E) else made.astype(dtype)


def in_dtype(b: Builder, items: Any, dtype: str) -> Any:
    """Nested numbers in a dtype that holds them."""
    if isinstance(items, tuple | list):
        return type(items)(in_dtype(b, i, dtype) for i in items)
    return fit(b, items, dtype) if not b.atom(items).type.rank else items


def alike(b: Builder, items: Any) -> list[Any]:
    """Items of one dtype, as NumPy casts them."""
    kind = common_dtype(tuple(b.atom(i) for i in items))
    return [i if b.atom(i).type.dtype == kind else b.apply("cast", i, dtype=kind) for i in items]


@lowers(np.stack)
def stack(b: Builder, arrays: Any, axis: int = 0) -> Any:
    made = b.apply("stack", *alike(b, arrays))
    return made if axis == 0 else np.moveaxis(made, 0, axis)


@lowers(np.concatenate)
def concatenate(b: Builder, arrays: Any, axis: int = 0) -> Any:
    listed = alike(b, arrays)
    if any(not x.ndim for x in listed):
        raise ValueError("zero-dimensional values cannot be concatenated")
    where = axis % listed[0].ndim
    for x in listed[1:]:
        for k in range(x.ndim):
            if k != where:
                b.same_size(listed[0].type.shape[k], x.type.shape[k])
    return b.apply("concatenate", *listed, axis=where)


@lowers(np.hstack)
def hstack(b: Builder, arrays: Any) -> Any:
    listed = [x if isinstance(x, E) and x.ndim else array(b, (x,)) for x in arrays]
    return concatenate(b, listed, 0 if listed[0].ndim == 1 else 1)


@lowers(np.append)
def append(b: Builder, x: Any, values: Any) -> Any:
    return hstack(b, (np.ravel(x), values))


@lowers(np.reshape)
def reshape(b: Builder, x: Any, shape: Any) -> Any:
    x = as_array(b, x)
    dims = list(shape_of(shape))
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


@lowers(np.ravel)
def ravel(b: Builder, x: Any) -> Any:
    x = as_array(b, x)
    return x if x.ndim == 1 else reshape(b, x, (x.size,))


@lowers(np.expand_dims)
def expand_dims(b: Builder, x: Any, axis: int) -> Any:
    where = axis % (x.ndim + 1)
    return reshape(b, x, (*x.shape[:where], 1, *x.shape[where:]))


@lowers(np.squeeze)
def squeeze(b: Builder, x: Any, axis: Any = None) -> Any:
    gone = (
        tuple(k for k, n in enumerate(x.shape) if isinstance(n, int) and n == 1)
        if axis is None
        else axes(x, axis)
    )
    return reshape(b, x, tuple(n for k, n in enumerate(x.shape) if k not in gone))


@lowers(np.transpose)
def transpose(b: Builder, x: Any, axes_: Any = None) -> Any:
    perm = tuple(reversed(range(x.ndim))) if axes_ is None else tuple(k % x.ndim for k in axes_)
    return x if perm == tuple(range(x.ndim)) else b.apply("transpose", x, perm=perm)


@lowers(np.swapaxes)
def swapaxes(b: Builder, x: Any, first: int, second: int) -> Any:
    perm = list(range(x.ndim))
    perm[first], perm[second] = perm[second], perm[first]
    return transpose(b, x, tuple(perm))


@lowers(np.moveaxis)
def moveaxis(b: Builder, x: Any, source: int, destination: int) -> Any:
    perm = [k for k in range(x.ndim) if k != source % x.ndim]
    perm.insert(destination % x.ndim, source % x.ndim)
    return transpose(b, x, tuple(perm))


@lowers(np.broadcast_to)
def broadcast_to(b: Builder, x: Any, shape: Any) -> Any:
    dims = shape_of(shape)
    atom = b.atom(x)
    if len(dims) == atom.type.rank and all(
        same(b, b.size(size(b.atom(n))), b.size(m)) for n, m in zip(dims, atom.type.shape, strict=True)
    ):
        return x
    return b.apply("broadcast_to", x, *dims) if dims else x


@lowers(np.flip)
def flip(b: Builder, x: Any, axis: Any = None) -> Any:
    chosen = axes(x, axis)
    return x[tuple(slice(None, None, -1) if k in chosen else slice(None) for k in range(x.ndim))]


@lowers(np.roll)
def roll(b: Builder, x: Any, shift: Any, axis: Any = None) -> Any:
    """The last elements first: of each axis in turn, or of the array as one row."""
    if axis is None and x.ndim != 1:
        return reshape(b, roll(b, reshape(b, x, (-1,)), shift), x.shape)
    chosen = (0,) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(chosen)
    if len(shifts) != len(chosen):
        raise TypeError(f"roll: {len(shifts)} shifts for {len(chosen)} axes")
    for each, number in zip(shifts, chosen, strict=True):
        (k,) = axes(x, number)
        if step_is(each, 0):
            continue
        start = -each
        if isinstance(each, E) or abs(each) > 1:  # the axis may be shorter
            n = x.shape[k]
            start = n - each % b.apply("maximum", n, 1)
        whole = (slice(None),) * k
        x = np.concatenate((x[(*whole, slice(start, None))], x[(*whole, slice(None, start))]), axis=k)
    return x


@lowers(np.tile)
def tile(b: Builder, x: Any, reps: Any) -> Any:
    if x.ndim != 1 or isinstance(reps, tuple):
        raise TypeError("tile: one-dimensional arrays and one count are supported")
    return reshape(b, broadcast_to(b, x, (reps, *x.shape)), (-1,))


@lowers(np.diag)
def diag(b: Builder, x: Any) -> Any:
    if x.ndim == 2:
        n = b.apply("arange", b.apply("minimum", *x.shape), dtype="i8")
        return x[n, n]
    return x[:, None] * eye(b, x.shape[0], dtype=x.dtype)


@lowers(np.trace)
def trace(b: Builder, x: Any) -> Any:
    return np.sum(diag(b, x))


@lowers(np.diff)
def diff(b: Builder, x: Any, n: Any = 1, axis: Any = -1) -> Any:
    (k,), whole = axes(x, axis), slice(None)
    for _ in range(n):
        x = x[(whole,) * k + (slice(1, None),)] - x[(whole,) * k + (slice(None, -1),)]
    return x
