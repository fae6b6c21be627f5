"""Making arrays and changing their shape. Sizes are operands, so that they are ordinary values of the program."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir import Apply, Atom, Dim, If, Type, Var
from codegen.ir.build import SIZE, Builder, E
from codegen.ir.kinds import Joined, Made, Same, Vector
from codegen.ir.literals import code, size_atom
from codegen.ir.primitive import LINEAR, Rule
from codegen.primitives.row import ROWS, as_type, dim_of, lowers, row


def dims_text(dims: tuple[str, ...]) -> str:
    return dims[0] if len(dims) == 1 else f"({', '.join(dims)})"


def dtype_text(dtype: str) -> str:
    names = {"f8": "", "b1": "np.bool_"}
    return names.get(dtype, f"np.{np.dtype(dtype).name}")


def broadcast_type(x: Atom, *dims: Atom, loose: bool = False) -> Type:
    shape = tuple(dim_of(d) for d in dims)
    for n, m in zip(reversed(x.type.shape), reversed(shape), strict=False):
        if isinstance(n, int) and isinstance(m, int) and n not in (1, m):
            raise ValueError(f"{x.type} cannot be broadcast to shape {shape}")
    return Type(x.type.dtype, shape)


def broadcast_back(ct: Any, x: Type, *dims: Any, loose: bool = False) -> Any:
    """The caller sums to the operand's shape, as for every broadcast, but for axes that may be 1 (`loose`)."""
    if not loose:
        return ct
    for axis, (n, m) in enumerate(zip(x.shape, ct.type.shape[len(dims) - x.rank :], strict=True)):
        if not isinstance(n, int) and n is not m:
            ct = summed_or_same(ct, axis + len(dims) - x.rank, n, m)
    return ct


def summed_or_same(ct: Any, axis: int, n: Dim, m: Dim) -> Any:
    """The cotangent of an axis of size n, made m by a broadcast: summed if that is another size, or as it is."""
    b = ct.builder
    shape = tuple(n if k == axis else d for k, d in enumerate(ct.type.shape))
    out, total = Var("t", Type(ct.type.dtype, shape)), Var("t", Type(ct.type.dtype, shape))
    inner = b.inner()
    reduced = inner.atom(inner.apply("sum", ct, axis=(axis,)))
    if reduced.type.rank:
        inner.emit((total,), Apply(ROWS["index"], (reduced,), {"spec": (*(":",) * axis, "n")}))
    else:
        inner.emit((total,), Apply(ROWS["full"], (reduced, size_atom(n)), {"dtype": ct.type.dtype}))
    same = b.apply("eq", b.size(n), b.size(m))
    b.emit((out,), If(b.atom(same), b.inner().block((ct.atom,)), inner.block((total,))))
    return b.wrap(out)


def reshape_type(x: Atom, *dims: Atom) -> Type:
    shape, old = tuple(dim_of(d) for d in dims), x.type.shape
    known = [n for n in (*old, *shape) if isinstance(n, int)]
    if len(known) == len(old) + len(shape) and math.prod(known[: len(old)]) != math.prod(known[len(old) :]):
        raise ValueError(f"cannot reshape {x.type} into shape {shape}")
    return Type(x.type.dtype, shape)


def common_dtype(atoms: tuple[Atom, ...]) -> str:
    strong = [np.dtype(a.type.dtype) for a in atoms if not a.type.weak]
    kinds = [{"i": 0, "f": 0.0, "b": False}[a.type.dtype[0]] for a in atoms if a.type.weak]
    return code(np.result_type(*strong, *kinds))


def stack_type(*xs: Atom) -> Type:
    axes = list(zip(*(x.type.shape for x in xs)))
    known = [sorted({n for n in sizes if isinstance(n, int)}) for sizes in axes]
    if len({x.type.rank for x in xs}) > 1 or any(len(each) > 1 for each in known):
        items = ", ".join(str(x.type) for x in xs)
        raise ValueError(f"the items of an array must have one shape, not {items}")
    return Type(common_dtype(xs), (len(xs), *(ints[0] if ints else n[0] for ints, n in zip(known, axes))))


UNLIKE = "all the input array dimensions except for the concatenation axis must match exactly"


def concatenate_type(*xs: Atom, axis: int) -> Type:
    for others in zip(*(x.type.shape[:axis] + x.type.shape[axis + 1 :] for x in xs)):
        if len({n for n in others if isinstance(n, int)}) > 1:
            raise ValueError(f"{UNLIKE}: " + ", ".join(str(x.type) for x in xs))
    sizes = [x.type.shape[axis] for x in xs]
    known = [n for n in sizes if isinstance(n, int)]
    total = sum(known) if len(known) == len(sizes) else Var("n", SIZE)
    shape = list(xs[0].type.shape)
    shape[axis] = total
    return Type(common_dtype(xs), tuple(shape))


class OfEach(dict[int, Rule]):
    """The transposes of a primitive of however many operands: the rule of each is made on demand."""

    def __init__(self, make: Callable[[int], Rule]):
        self.make = make

    def get(self, k: int, default: Any = None) -> Any:
        return self.make(k)


def axis_size(b: Any, x: Any, axis: int) -> Any:
    """The size of an operand, of which a rule has the value or, where it is the linear one, only the type."""
    return b.size(x.shape[axis]) if isinstance(x, Type) else x.shape[axis]


def concatenate_back(k: int) -> Any:
    def rule(ct: Any, *xs: Any, axis: int) -> Any:
        start: Any = 0
        for x in xs[:k]:
            start = start + axis_size(ct.builder, x, axis)
        stop = start + axis_size(ct.builder, xs[k], axis)
        return ct[(slice(None),) * axis + (slice(start, stop),)].reshape(xs[k].shape)

    return rule


EVERY: Any = range(sys.maxsize)  # operands, however many


# fmt: off
row("full", lambda value, *dims, dtype: np.full(dims, value, dtype), lambda value, *dims, dtype: as_type(dtype, dims),
    "create", kind=Made.FULL, jvp=LINEAR, linear=(0,), transpose={0: lambda ct, value, *dims, dtype: np.sum(ct)})
row("empty", lambda *dims, dtype: np.zeros(dims, dtype), lambda *dims, dtype: as_type(dtype, dims), "create",
    kind=Made.EMPTY, first_size=0, form=lambda *dims, dtype, rank, lib:
    (f"{lib}.empty({dims_text(dims)}{', ' if dtype_text(dtype) else ''}{dtype_text(dtype)})", 100))
row("half_of", lambda x, first: x[..., first], lambda x, first: Type(x.type.dtype, x.type.shape[:-1]), "shape",
    call="half_of", helper="half_of", jvp=(None, None))  # of complex numbers as pairs (emit/whole_arrays.py)
row("whole_of", lambda x, re, im: x, lambda x, re, im: x.type, "shape", call="whole_of", helper="whole_of",
    jvp=(None, None, None))
row("diagonal_of", lambda x: np.einsum("...ii->...i", x), lambda x: Type(x.type.dtype, x.type.shape[:-1]), "shape",
    kind=Same.DIAGONAL, call="diagonal_of", helper="diagonal_of", jvp=(None,))  # simplify/diagonal_views.py
row("arange", lambda n, *, dtype: np.arange(n, dtype=dtype), lambda n, *, dtype: as_type(dtype, (n,)), "create",
    kind=Made.RANGE, first_size=0, form=lambda n, *, dtype, rank, lib:
    (f"{lib}.arange({n})" if dtype == "i8" else f"{lib}.arange({n}, dtype={dtype_text(dtype) or 'np.float64'})", 100))
row("copy", lambda x: np.array(x)[()], lambda x: Type(x.type.dtype, x.type.shape), "copy",
    kind=Same.COPY, jvp=LINEAR, linear=(0,), transpose={0: lambda ct, x: ct},
    form=lambda x, *, rank, lib: (f"{x}.copy()" if rank else x, 100))
row("stop_gradient", lambda x: x, lambda x: x.type, "elementwise", kind=Same.STOPPED, vector=Vector.PLAIN,
    jvp=(None,), form=lambda x, *, rank, lib: (x, 100))
row("with_slope", lambda value, made: value, lambda value, made: value.type, "elementwise", kind=Same.MARKED,
    vector=Vector.PLAIN, jvp=(None, lambda t, out, value, made: t), form=lambda value, made, *, rank, lib: (value, 100))
WITHOUT_PARTIAL = row(
    "without_partial", lambda x: x, lambda x: x.type, "elementwise", kind=Same.MARKED, vector=Vector.PLAIN,
    jvp=(None,), form=lambda x, *, rank, lib: (x, 100))
WITH_PARTIAL = row(
    "with_partial", lambda value, x, partial: value, lambda value, x, partial: value.type, "elementwise",
    kind=Same.MARKED, vector=Vector.PLAIN,
    jvp=(lambda t, out, value, x, partial: t, lambda t, out, value, x, partial: t * partial, None),
    form=lambda value, x, partial, *, rank, lib: (value, 100))
EXPANSION = row(
    "expansion_point", lambda found, *xs, **params: found, lambda found, *xs, **params: found.type,
    "elementwise", kind=Same.MARKED, vector=Vector.PLAIN, jvp=(),
    form=lambda found, *xs, rank, lib, **params: (found, 100))
row("broadcast_to", lambda x, *dims, loose=False: np.broadcast_to(x, dims), broadcast_type, "shape",
    kind=Same.BROADCAST, jvp=LINEAR, linear=(0,), transpose={0: broadcast_back},
    form=lambda x, *dims, rank, lib, loose=False: (f"{lib}.broadcast_to({x}, {dims_text(dims)})", 100))
row("reshape", lambda x, *dims: np.reshape(x, dims)[()], reshape_type, "shape",
    kind=Same.RESHAPED, jvp=LINEAR, linear=(0,),
    transpose={0: lambda ct, x, *dims: np.reshape(ct, x.shape)})
row("transpose", lambda x, *, perm: np.transpose(x, perm),
    lambda x, *, perm: Type(x.type.dtype, tuple(x.type.shape[k] for k in perm)), "shape",
    kind=Same.TRANSPOSED, jvp=LINEAR, linear=(0,),
    transpose={0: lambda ct, x, *, perm: np.transpose(ct, tuple(np.argsort(perm).tolist()))},
    form=lambda x, *, perm, rank, lib: (f"{x}.T" if perm == (1, 0) else f"{lib}.transpose({x}, {perm})", 100))
row("stack", lambda *xs: np.stack([np.asarray(x) for x in xs]), stack_type, "shape", kind=Joined.STACK,
    jvp=LINEAR, linear=EVERY, transpose=OfEach(lambda k: lambda ct, *xs: ct[k]),
    form=lambda *xs, rank, lib:
    (f"{lib}.stack(({', '.join(xs)},))" if rank else f"{lib}.array([{', '.join(xs)}])", 100))
row("concatenate", lambda *xs, axis: np.concatenate(xs, axis), concatenate_type, "shape",
    kind=Joined.CONCATENATE, jvp=LINEAR, linear=EVERY, transpose=OfEach(concatenate_back),
    form=lambda *xs, axis, rank, lib:
    (f"{lib}.concatenate(({', '.join(xs)},){f', axis={axis}' if axis else ''})", 100))
# fmt: on


def as_shape(shape: Any) -> tuple[Any, ...]:
    """A shape argument as a tuple of sizes."""
    if isinstance(shape, E) and shape.ndim == 1:
        if not isinstance(shape.type.shape[0], int):
            raise TypeError("a shape has a known number of sizes, which an array has not: give a tuple")
        return tuple(shape[k] for k in range(shape.type.shape[0]))
    return tuple(shape) if isinstance(shape, tuple | list) else (shape,)


def dtype_code(dtype: Any, default: str) -> str:
    return default if dtype is None else code(dtype)


def require_equal(b: Builder, n: Any, m: Any, message: str) -> None:
    """Two sizes that must be equal, where no row compares those that are known."""
    if isinstance(n, int) and isinstance(m, int) and n != m:
        raise ValueError(message)
    b.same_size(n, m, message)


def checked_sizes(b: Builder, shape: Any) -> tuple[Any, ...]:
    """Sizes to make an array with."""
    return tuple(checked_size(b, n) for n in as_shape(shape))


def checked_size(b: Builder, n: Any, message: str = "negative dimensions are not allowed") -> Any:
    """A size that was given: an int, not below 0."""
    type_ = b.atom(n).type
    if type_.dtype[0] not in "iu" or type_.rank:
        raise TypeError(f"a size must be an int, not {type_}")
    if isinstance(n, int | np.integer):
        if n < 0:
            raise ValueError(message)
        return int(n)
    if type_.dtype != "i8":
        n = b.apply("cast", n, dtype="i8")
    if b.checked:
        b.require(b.apply("ge", n, 0), "ValueError", message)
    return n


def step_is(value: Any, number: int) -> bool:
    return not isinstance(value, E) and value == number


def without_slope(x: Any) -> Any:
    """x, taken for a constant by derivatives, for definitions: autodiff.stop_gradient."""
    return x


@lowers(without_slope)
def stopped(b: Builder, x: Any) -> Any:
    return b.apply("stop_gradient", x)


def with_slope(value: Any, made: Any) -> Any:
    """The value, with the slope of what was made otherwise, for definitions; where nothing is differentiated, that is
    not made."""
    return value


@lowers(with_slope)
def sloped(b: Builder, value: Any, made: Any) -> Any:
    return b.apply("with_slope", value, made)


def without_partial(x: Any) -> Any:
    """x, for definitions that tell the partial derivative by it themselves (`with_partial`)."""
    return x


@lowers(without_partial)
def build_without_partial(b: Builder, x: Any) -> Any:
    return b.apply("without_partial", x)


def with_partial(value: Any, x: Any, partial: Any) -> Any:
    """The value, made of without_partial(x), with its partial derivative by x, for definitions: in a derivative, which
    may be differentiated once more, both are what they stand for."""
    return value


@lowers(with_partial)
def build_with_partial(b: Builder, value: Any, x: Any, partial: Any) -> Any:
    return b.apply("with_partial", value, x, partial)


def tells_slope(called: Any) -> bool:
    """Whether this is one of the two, of whose arguments all but the first are for derivatives alone."""
    return called is with_slope or called is with_partial


def expansion_point(of: str, order: int, found: Any, *xs: Any) -> Any:
    """What was found for xs, taken for a constant by derivatives, for definitions that go on from it by an expansion
    which is exact up to derivatives of this order by xs; further ones are refused, in the name `of` a function."""
    return found


@lowers(expansion_point)
def expansion(b: Builder, of: str, order: int, found: Any, *xs: Any) -> Any:
    return b.apply("expansion_point", found, *xs, order=order, of=of, taken=0)
