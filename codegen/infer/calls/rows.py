"""Calls of NumPy's, math's and SciPy's functions, and of methods: what their rows build."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.infer.calls.binding import Arguments, Keywords
from codegen.infer.calls.suggestions import (
    advice,
    name,
    nearest,
    not_in_arrays,
    not_made,
    public_module,
    row_file,
)
from codegen.infer.complex_numbers.calls import call_parts, is_of_complex
from codegen.infer.complex_numbers.methods import asks_for_complex, method_of_complex
from codegen.infer.complex_numbers.parts import (
    PARTS,
    as_complex,
    is_complex,
    of_weakness,
    pair,
    part_dtype,
    part_name,
)
from codegen.infer.dependencies import package_of
from codegen.infer.frame import Frame
from codegen.infer.layout import axes_of, is_reshaped_in_place, keeps_axes, lies_in_order, root_of
from codegen.infer.memory.outputs import given_out, harmless_aside, summed_in_result, write_result
from codegen.infer.memory.subscripts import check_writable, write_item
from codegen.infer.memory.views import steps_from
from codegen.infer.values import Cell, Method, Nest, Ref, Static, Value, View, cell_of
from codegen.ir import Var
from codegen.ir.build import E
from codegen.ir.kinds import Same
from codegen.ir.literals import code
from codegen.ir.promotion import computed_in, numpy_kind
from codegen.primitives.calls.reshaping import in_columns, keeps_size
from codegen.primitives.calls.subscripts import write
from codegen.primitives.fits import fit
from codegen.primitives.random import METHODS
from codegen.primitives.row import FUNCTIONS, VIEWS
from codegen.primitives.signatures import bind_function, bind_method, label, library_signature, supported
from codegen.source import SourceError, Span, refuse

VIEW_METHODS = {"reshape", "ravel", "transpose"}
LIKE = (np.zeros_like, np.ones_like, np.full_like, np.empty_like)
READ_ONLY_VIEWS = (np.diagonal, np.diag, np.broadcast_to)
# Methods of arrays that take what a function takes.
FUNCTIONS_OF = {
    "sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "mean": np.mean, "any": np.any, "all": np.all,
    "argmax": np.argmax, "argmin": np.argmin, "cumsum": np.cumsum, "dot": np.dot, "clip": np.clip, "std": np.std,
    "var": np.var, "trace": np.trace, "squeeze": np.squeeze, "swapaxes": np.swapaxes, "take": np.take,
    "repeat": np.repeat, "diagonal": np.diagonal, "round": np.round, "conj": np.conjugate, "conjugate": np.conjugate,
}  # fmt: skip
# The same, of functions that are no rows.
CALLED_AS = {
    "argsort": np.argsort,
    "cumprod": np.cumprod,
    "nonzero": np.nonzero,
    "argpartition": np.argpartition,
    "choose": np.choose,
    "put": np.put,
    "searchsorted": np.searchsorted,
}


def call_row(frame: Frame, obj: Any, arguments: Arguments, keywords: Keywords, name: str) -> Value:
    """A function that has a row or is built from rows."""
    with frame.refusing():
        given = bind_function(obj, arguments, keywords)
    return lowered(frame, obj, given, name)


def lowered(frame: Frame, obj: Any, values: dict[Any, Value], name: str) -> Value:
    """What a function builds of its arguments, which are given by name; `out=` is written as by `out[...] = `."""
    if is_of_complex(values):
        is_ufunc = isinstance(obj, np.ufunc)
        build = functools.partial(lowered, frame, obj)
        made = call_parts(frame, build, values, name, ufunc=is_ufunc, label=label(obj))
        return of_weakness(frame, made, False, name) if from_numpy(obj) else made
    out, cast = values.pop("out", None), "dtype" in values
    with frame.refusing():
        into = given_out(out)
    if into is not None:
        values = summed_in_result(frame, label(obj), values, into)
    given = {key: frame.give(value, any_dtype=not cast) for key, value in values.items()}
    with frame.refusing():
        if into is not None:
            made = built(frame, obj, given, frame.b.wrap(frame.atom(into)))
            return write_result(frame, made, into, label(obj), spreads=isinstance(obj, np.ufunc))
        if obj is np.reshape:
            keeps_size(frame.b, next(iter(given.values())), given.get("shape"))
        made = built(frame, obj, given)
    is_number = isinstance(made, np.ndarray) and not made.ndim  # of numbers that are known
    result: Any = made[()] if is_number else made
    if not is_view_among(result, values):
        result = frame.named(result, name, weak=False if from_numpy(obj) else from_math(obj) or None)
    if obj in VIEWS and (owner := VIEWS[obj](values, result)) is not None:
        return viewed(frame, owner, result, name, is_flat=obj is np.ravel, fixed=obj in READ_ONLY_VIEWS)
    value = frame.take(number_of(obj, result), name)
    if obj in LIKE and isinstance(value, Ref):
        like(frame, value, next(iter(values.values())))
    return value


def like(frame: Frame, made: Ref, prototype: Value) -> None:
    """An array that was just made lies in memory as another one does."""
    if isinstance(prototype, Ref | View):
        is_known = lies_in_order(prototype, frame.st)
        frame.order(made.cell, root_of(prototype).ordered_as if is_known else None)


def is_view_among(made: Any, values: dict[Any, Value]) -> bool:
    """Whether what was made is a view that was given, which keeps the name that it is known by."""
    return isinstance(made, E) and any(isinstance(v, View) and v.atom is made.atom for v in values.values())


def built(frame: Frame, obj: Any, given: dict[Any, Any], out: Any = None) -> Any:
    """The result, and of a ufunc only where `where` holds, else what `out` is."""
    if not isinstance(obj, np.ufunc):
        operands, keywords = supported(obj, FUNCTIONS[obj], given)
        return FUNCTIONS[obj](frame.b, *operands, **keywords)
    mask, dtype = given.pop("where", True), given.pop("dtype", None)
    operands, keywords = supported(obj, FUNCTIONS[obj], given)
    operands = [FUNCTIONS[np.array](frame.b, x) if isinstance(x, tuple | list) else x for x in operands]
    if dtype is not None:
        operands = operands_in_dtype(frame, obj, operands, np.dtype(dtype))
    if mask is not True:
        operands = [harmless_aside(obj, mask, x) for x in operands]
    made = FUNCTIONS[obj](frame.b, *operands, **keywords)
    if mask is True:
        return made
    if out is None:
        raise TypeError(f"{obj.__name__}: what where= leaves out has no value: give out=, or use np.where")
    return np.where(mask, made, out)


def operands_in_dtype(frame: Frame, ufunc: np.ufunc, operands: list[Any], dtype: np.dtype) -> list[Any]:
    """A ufunc's operands as its loop for a result of `dtype` takes them."""
    types = [frame.b.atom(x).type for x in operands]
    inputs: list[Any] = [numpy_kind(t.dtype, t.weak) for t in types]
    loop = ufunc.resolve_dtypes((*inputs, None), signature=(*(None for _ in inputs), dtype))
    return [
        frame.b.apply("cast", x, dtype=code(kind)) if isinstance(x, E) else kind.type(x)
        for x, kind in zip(operands, loop, strict=False)
    ]


def from_numpy(obj: Any) -> bool:
    """NumPy's functions give NumPy's numbers, also of Python's; math's give Python's."""
    return isinstance(obj, np.ufunc) or (getattr(obj, "__module__", None) or "").startswith("numpy")


def from_math(obj: Any) -> bool:
    return getattr(obj, "__module__", None) == "math"


def number_of(obj: Any, made: Any) -> Any:
    """A number that is known as the function gives it: of NumPy's kind, or of Python's."""
    if from_numpy(obj):
        return np.asarray(made)[()] if isinstance(made, bool | int | float) else made
    return made.item() if from_math(obj) and isinstance(made, np.generic) else made


def call_method(frame: Frame, method: Method, arguments: Arguments, keywords: Keywords, name: str) -> Value:
    """A method of a generator or an array."""
    owner = method.owner
    if is_complex(owner) or asks_for_complex(method, arguments, keywords):
        function, own = FUNCTIONS_OF.get(method.name), method.name in OWN
        return method_of_complex(frame, method, function, arguments, keywords, name, own=own)
    atom = frame.atom(owner)
    if atom.type.dtype == "rng":
        return call_draw(frame, method, arguments, keywords, name)
    if method.name == "fill":
        return fill_method(frame, owner, arguments, keywords)
    if method.name in FUNCTIONS_OF:
        function = FUNCTIONS_OF[method.name]
        if function is np.conjugate and atom.type.rank:
            return owner  # where np.conjugate(x) is a copy
        with frame.refusing():
            values = bind_method(function, arguments, keywords)
        array = next(iter(library_signature(function).parameters))
        return lowered(frame, function, {array: owner, **values}, name)
    x = frame.b.wrap(atom)
    if not isinstance(x, E):
        x = frame.b.apply("copy", x)
    given = [frame.give(a) for a in arguments]
    named = {k: frame.give(v) for k, v in keywords.items()}
    with frame.refusing():
        if method.name == "reshape":
            keeps_size(frame.b, x, given if len(given) != 1 else given[0])
        made = OWN[method.name](x, *given, **named)
    if method.name == "item":
        return frame.take(frame.named(in_python_dtype(made), name, weak=True), name)
    if method.name == "astype" and made is x:
        return owner
    if not is_view_among(made, {"self": owner}):
        made = frame.named(made, name)
    if method.name not in VIEW_METHODS:
        result = frame.take(made, name)
        if method.name == "copy" and isinstance(result, Ref):
            frame.order(result.cell, frozenset())
        return result
    return viewed(frame, owner, made, name, is_flat=method.name == "ravel")


def call_draw(frame: Frame, method: Method, arguments: Arguments, keywords: Keywords, name: str) -> Value:
    """A method of a generator: the value, and the generator one step on."""
    given = [frame.give(a) for a in arguments]
    named = {k: frame.give(v) for k, v in keywords.items()}
    with frame.refusing():
        stream = frame.b.wrap(frame.atom(method.owner))
        stream, value = METHODS[method.name](frame.b, stream, *given, **named)
    frame.write(method.owner, stream.atom)
    # One number is Python's, but for those of `integers`.
    weak = True if isinstance(value, E) and method.name != "integers" else None
    return frame.take(frame.named(value, name, weak=weak), name)


def astype_method(
    x: E, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """A copy in another dtype; without `copy` the array itself, where it has the dtype."""
    if not np.can_cast(x.dtype, dtype, casting):  # type: ignore[arg-type]
        raise TypeError(f"cannot cast from {x.type.dtype} to {code(dtype)} by {casting!r}")
    same_order(order, "C", "K", "A")
    return x if not copy and x.dtype == np.dtype(dtype) else x.astype(dtype)


def copy_method(x: E, order: str = "C") -> Any:
    same_order(order, "C", "K", "A")
    return x.copy()


def item_method(x: Any, *index: Any) -> Any:
    """One element as a Python number: the only one, that of a place in C order, or of an index for each axis."""
    if len(index) == 1 and not isinstance(index[0], tuple):
        return np.ravel(x)[index]
    place = index[0] if len(index) == 1 else index
    if index and len(place) != x.ndim:
        raise ValueError("incorrect number of indices for array")
    return x[place] if index else np.reshape(x, ())


def in_python_dtype(x: E) -> Any:
    """A number in Python's own type."""
    dtype = {"f": "f8", "i": "i8", "u": "u8", "b": "b1"}[x.type.dtype[0]]
    return x if dtype == x.type.dtype else x.builder.apply("cast", x, dtype=dtype)


def reshape_method(x: Any, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    if copy is not None:
        raise TypeError("reshape: the argument copy= is not supported")
    if in_columns(order):
        return np.reshape(x, shape[0] if len(shape) == 1 else shape, order="F")
    return x.reshape(*shape)


def ravel_method(x: Any, order: str = "C") -> Any:
    return np.ravel(x, order="F") if in_columns(order) else np.ravel(x)


def transpose_method(x: Any, *axes: Any) -> Any:
    return np.transpose(x, axes[0] if len(axes) == 1 else axes or None)


def same_order(order: str, *orders: str) -> None:
    if order not in orders:
        raise TypeError(f"order={order!r} is not supported: arrays are in C order")


# Methods of arrays that are no function's, or that take something else.
OWN: dict[str, Callable[..., Any]] = {
    "astype": astype_method, "copy": copy_method, "item": item_method, "reshape": reshape_method,
    "ravel": ravel_method, "flatten": ravel_method, "transpose": transpose_method,
}  # fmt: skip


def viewed(
    frame: Frame, owner: Value, made: Any, name: str, *, is_flat: bool = False, fixed: bool = False
) -> Value:
    """A result that may share memory with `owner`, or is it; of several each with the array or with its own.

    `is_flat`: a copy of what does not lie in order; `fixed`: nothing is written into it.
    """
    if isinstance(made, tuple | list):
        owners = owner if isinstance(owner, tuple) else (owner,) * len(made)
        return Nest(type(made), tuple(viewed(frame, o, m, name) for o, m in zip(owners, made, strict=True)))
    if not isinstance(made, E) or not isinstance(owner, Var | Ref | View):
        return frame.take(made, name)
    if isinstance(owner, Var):
        return note_number(frame, owner, frame.take(made, name))
    shown, st = owner, frame.st
    steps = steps_from(frame.b, owner, st, made.atom)
    if steps is None or is_flat and not is_flattened(frame, owner, steps):
        steps, shown = [], frame.new(made.atom, name, base_cells(owner))
    for step in steps:
        shape, kind, op = step.outs[0].type.shape, step.op.primitive.kind, step.op
        relies = is_flat
        if kind is Same.RESHAPED:
            if not is_reshaped_in_place(shown, shape, st):
                shown = frame.new(made.atom, name, base_cells(owner))
                break
            relies = is_flat or not keeps_axes(axes_of(shown, st), shape)
        shown = View(shown, op, step.outs[0], fixed or kind is Same.BROADCAST, relies)
    return shown if made.type.rank else frame.point(made.atom, shown)


def is_flattened(frame: Frame, owner: Ref | View, steps: list[Any]) -> bool:
    """Whether np.ravel certainly gives a view, or the array itself, which is so whatever the order of arguments."""
    return lies_in_order(owner, frame.st) and (bool(steps) or root_of(owner) not in frame.given)


def note_number(frame: Frame, owner: Var, made: Value) -> Value:
    """An array made of a number: if that is an array without axes, what is written into the one changes the other."""
    if isinstance(made, Ref):
        made.cell.number = frame.define, owner.name
    return made


def base_cells(value: Value) -> tuple[Cell, ...]:
    cell = cell_of(value)
    return () if cell is None else (cell,)


def call_scalar_type(frame: Frame, dtype: np.dtype, arguments: Arguments, name: str) -> Value:
    """`np.float32(x)` and its like."""
    if dtype.kind == "c":
        z = as_complex(frame, arguments[0] if arguments else frame.constant(0, "t"))
        part = part_dtype(dtype)
        named = zip(z.items, PARTS, strict=True)
        return pair(*(call_scalar_type(frame, part, (each,), part_name(name, key)) for each, key in named))
    if arguments and is_complex(arguments[0]):
        raise frame.refusal(f"{dtype.name} of a complex number loses its imaginary part: take .real")
    value = frame.give(arguments[0]) if arguments else 0
    with frame.refusing():
        if not isinstance(value, E):
            return frame.constant(dtype.type(value), name)
        made = fit(frame.b, value, code(dtype), stored=False)
    return frame.take(frame.named(made, name, weak=False), name)


def add_at(frame: Frame, name: str, a: Value, indices: Value, b: Value, /) -> Value:
    """np.add.at(a, indices, b): every repeat of a place counts."""
    x = frame.b.wrap(frame.atom(a))
    with frame.refusing():
        if not x.ndim:
            raise TypeError("np.add.at takes an array that has an axis")
        given = frame.give(b)
        if isinstance(given, tuple | list):
            given = FUNCTIONS[np.asarray](frame.b, given)
        added = frame.b.wrap(frame.b.atom(given))
        kind = computed_in(np.add, (x.type, frame.b.atom(added).type))[1]
        if kind != x.type.dtype:
            raise TypeError(f"np.add.at of {kind} into an array of {x.type.dtype}: cast what is added first")
        written = write(frame.b, x, frame.give(indices), added, how="accumulate")
    frame.write(a, written.atom)
    return Static(None)


def fill_method(frame: Frame, owner: Value, arguments: Arguments, keywords: Keywords) -> Value:
    """`x.fill(v)`: `x[...] = v` of a number."""
    if len(arguments) != 1 or keywords:
        raise frame.refusal("x.fill(v) takes one number")
    into = check_writable(frame, owner, frame.span)
    value = frame.give(arguments[0])
    if isinstance(value, tuple | list) or isinstance(value, E) and value.ndim:
        raise frame.refusal("setting an array element with a sequence.")
    write_item(frame, into, Ellipsis, arguments[0], frame.span, how="update")
    return Static(None)


def from_library(obj: Any) -> bool:
    return package_of(obj) in ("numpy", "scipy", "math", "builtins", "numba")


def unknown_function(obj: Any, span: Span) -> SourceError:
    """A function without a row or definition: those whose names are nearest, and where a new one goes."""
    if not callable(obj):
        return refuse(span, f"{obj!r} is not a function")
    if (why := not_in_arrays(obj) or not_made(obj)) is not None:
        return refuse(span, why)
    others = nearest(obj)
    instead = advice(obj)
    if instead is not None:
        said = f": {instead}"
    else:
        said = f"; the nearest that have one: {', '.join(found for found, _ in others)}" if others else ""
    where = row_file(obj, [] if instead else others)
    return refuse(
        span, f"{public_module(obj)}.{name(obj)} has no row{said}. A new row goes into {where.rstrip('/')}"
    )
