"""Parameters of a model: their shapes and constraints, and the way to and from unconstrained numbers.

    params = {"mu": real(), "tau": positive(), "theta": real(8), "share": interval(0, 1)}

A `Transform` says how many unconstrained numbers a parameter takes (`size`), maps them to its value with the
log Jacobian (`constrain`) and back (`unconstrain`, for starting values given by the user).

    >>> import numpy as np
    >>> tau = positive(2)
    >>> tau.unconstrain(np.array([1.0, np.e])).tolist()
    [0.0, 1.0]

Source: Stan Reference Manual 2.28, chapter "Constraint Transforms".
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autobatch.mcmc import constrain as programs
from autobatch.mcmc.validation import is_integer

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Transform:
    """One parameter: value of `shape` from `size` unconstrained numbers.

    `program(u, *arguments)` is the constraining program (`constrain.py`), `inverse(value, *arguments)` its
    inverse in NumPy, `broken(value, *arguments)` what is wrong with a value, or None; both take leading axes.
    """

    spelling: str
    shape: Shape
    unconstrained_shape: Shape
    program: Callable[..., tuple[Any, Any]]
    inverse: Callable[..., np.ndarray]
    broken: Callable[..., str | None]
    arguments: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return self.spelling

    @property
    def size(self) -> int:
        """How many unconstrained numbers."""
        return math.prod(self.unconstrained_shape)

    def constrain(self, u: np.ndarray) -> tuple[Any, Any]:
        """(value, log |Jacobian|) at u (size,)."""
        u = np.asarray(u, dtype=np.float64)
        shaped = u.reshape(self.unconstrained_shape) if self.unconstrained_shape else u.reshape(-1)[0]
        return self.program(shaped, *self.arguments)

    def unconstrain(self, value: Any) -> np.ndarray:
        """The u (size,) with constrain(u) = value; ValueError for another shape or a value out of bounds."""
        value = np.asarray(value, dtype=np.float64)
        if value.shape != self.shape:
            raise ValueError(f"{self} has shape {self.shape}, the value given has shape {value.shape}")
        complaint = None if np.isfinite(value).all() else "every element must be finite"
        complaint = complaint or self.broken(value, *self.arguments)
        if complaint:
            raise ValueError(f"{self} cannot be {np.array2string(value, threshold=8)}: {complaint}")
        return self.inverse(value, *self.arguments).reshape(self.size)

    def unconstrain_all(self, values: np.ndarray) -> np.ndarray:
        """The u (n, size) of values (n, *shape); ValueError for the first that is out of bounds."""
        if not np.isfinite(values).all() or self.broken(values, *self.arguments):
            for value in values:
                self.unconstrain(value)
        return self.inverse(values, *self.arguments).reshape(len(values), self.size)


def real(shape: int | Shape = ()) -> Transform:
    """Any real number, or an array of them."""
    dims = checked_shape(shape)
    return Transform(call_text("real", dims), dims, dims, programs.real, np.asarray, nothing_wrong)


def positive(shape: int | Shape = ()) -> Transform:
    """Greater than zero: exp(u)."""
    dims = checked_shape(shape)
    program = programs.positive_array if dims else programs.positive
    return Transform(call_text("positive", dims), dims, dims, program, np.log, not_positive)


def interval(low: float, high: float, shape: int | Shape = ()) -> Transform:
    """Between two finite bounds: low + (high - low) / (1 + exp(-u))."""
    low, high = checked_bound("interval", low), checked_bound("interval", high)
    if not between(low, high):
        raise ValueError(
            f"interval({low}, {high}): the bounds must be finite and the first the smaller; "
            "a parameter with one bound is low + positive() or high - positive()"
        )
    dims = checked_shape(shape)
    program = programs.interval_array if dims else programs.interval
    spelling = call_text("interval", dims, f"{low}, {high}")
    return Transform(spelling, dims, dims, program, log_odds, not_inside, (low, high))


def ordered(n: int) -> Transform:
    """An increasing vector (n,)."""
    dims = checked_length("ordered", n, 1)
    return Transform(f"ordered({n})", dims, dims, programs.ordered, log_gaps, not_increasing)


def positive_ordered(n: int) -> Transform:
    """An increasing vector (n,) of positive numbers."""
    dims = checked_length("positive_ordered", n, 1)
    return Transform(
        f"positive_ordered({n})",
        dims,
        dims,
        programs.positive_ordered,
        log_positive_gaps,
        not_positive_increasing,
    )


def simplex(n: int) -> Transform:
    """Positive numbers (n,) that sum to one, from n - 1 unconstrained ones."""
    dims = checked_length("simplex", n, 2)
    return Transform(f"simplex({n})", dims, (n - 1,), programs.simplex, stick_odds, not_simplex)


def checked_shape(shape: int | Shape) -> Shape:
    dims = shape if isinstance(shape, tuple | list) else (shape,)
    if not all(is_integer(n) and n > 0 for n in dims):
        raise ValueError(f"a shape is a positive int or a tuple of them, not {shape!r}")
    return tuple(int(n) for n in dims)


def checked_length(name: str, n: int, least: int) -> Shape:
    if not is_integer(n) or n < least:
        raise ValueError(f"{name}(n) takes an int of at least {least}, not {n!r}")
    return (int(n),)


def checked_bound(kind: str, value: Any) -> float:
    """A bound as a float; TypeError where it is not one number."""
    number = np.asarray(value)
    if number.ndim:
        raise TypeError(
            f"{kind}: a bound is one number, not an array of shape {number.shape}; the shape comes third, and bounds "
            f"that differ are low + (high - low) * {kind}(0, 1, {number.size})"
        )
    if number.dtype.kind not in "iuf":
        raise TypeError(f"{kind}: a bound is a number, not {value!r}")
    return float(number)


def between(low: float, high: float) -> bool:
    """Whether numbers lie between two bounds, and how far these are from each other is a number too."""
    return low < high and math.isfinite(high - low) and math.nextafter(low, high) < high


def call_text(name: str, dims: Shape, bounds: str = "") -> str:
    """The call that makes the transform: `interval(0.0, 1.0, 8)`."""
    shape = str(dims[0]) if len(dims) == 1 else str(dims) if dims else ""
    return f"{name}({', '.join(part for part in (bounds, shape) if part)})"


def log_odds(x: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.log(x - low) - np.log(high - x)


def log_gaps(x: np.ndarray) -> np.ndarray:
    return np.concatenate([x[..., :1], np.log(np.diff(x))], axis=-1)


def log_positive_gaps(x: np.ndarray) -> np.ndarray:
    return np.log(np.diff(x, prepend=0.0))


def stick_odds(x: np.ndarray) -> np.ndarray:
    """log(piece / what is left after it), shifted so that equal pieces give zeros."""
    rest = np.cumsum(x[..., ::-1], axis=-1)[..., ::-1]
    return np.log(x[..., :-1]) - np.log(rest[..., 1:]) + np.log(np.arange(x.shape[-1] - 1, 0, -1))


def nothing_wrong(x: np.ndarray) -> str | None:
    return None


def not_positive(x: np.ndarray) -> str | None:
    return None if np.all(x > 0) else "every element must be greater than 0"


def not_inside(x: np.ndarray, low: float, high: float) -> str | None:
    return None if np.all((x > low) & (x < high)) else f"every element must be between {low} and {high}"


def not_increasing(x: np.ndarray) -> str | None:
    return None if np.all(np.diff(x) > 0) else "every element must be greater than the one before"


def not_positive_increasing(x: np.ndarray) -> str | None:
    return not_positive(x) or not_increasing(x)


def not_simplex(x: np.ndarray) -> str | None:
    if np.any(np.abs(np.sum(x, axis=-1) - 1.0) > 1e-8):
        return f"the elements must sum to 1, they sum to {np.sum(x)}"
    return not_positive(x)
