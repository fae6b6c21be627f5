"""The two halves of a derivative as two functions: vjp, linearize, linear_transpose.

    y, pull = vjp(f, x)          runs the forward sweep and keeps its residuals
    x_bar, = pull(y_bar)         runs the return sweep, as often as one likes

    y, push = linearize(f, x)    the same, forwards
    y_dot = push(x_dot)

Here the residuals are arrays that outlive the forward sweep; `grad` has both sweeps in one function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from autodiff.conjugates import conjugated
from autodiff.derivatives import Derivative, count_results, mask, with_literals
from autodiff.pipeline import policy_of, pushed
from autodiff.policy import NONE
from autodiff.sizes.invariant import or_lanes_in_turn, while_sizes_stay
from autodiff.transpose import transpose
from autodiff.unzip import Unzipped, unzip
from codegen.arguments.lists import Lent
from codegen.infer.calls.arity import once_for
from codegen.infer.dependencies import Programs
from codegen.infer.trace import Signature, Traced, trace
from codegen.infer.values import Nest
from codegen.ir import Program, Type
from codegen.ir.check import check
from codegen.ir.traversal import with_results
from codegen.pipeline import last, through
from codegen.pytree import describe, flatten, key, known_size, leaves, refuse_subclass, unflatten
from codegen.simplify.driver import simplify
from codegen.specialisations import Compiled
from codegen.tracebacks import at_border
from codegen.transformed import R


@dataclass(frozen=True, eq=False)
class Parted:
    """The compiled halves of a function for one signature. `moving`: which results depend on arguments."""

    traced: Traced
    known: Compiled
    linear: Compiled
    moving: tuple[bool, ...]


class Halves(Derivative):
    """Splits a function into its forward sweep and its linear half, turned round or not."""

    tables = False

    def __init__(self, function: Any, target: str, *, turned: bool):
        super().__init__(function, 0, "none", target)
        self.turned = turned

    def begin(self) -> None:
        super().begin()
        self.parts: Programs[Parted] = Programs()

    @property
    def kind(self) -> str:
        return "vjp" if self.turned else "linearize"

    def run(self, primals: Sequence[Any]) -> tuple[Any, LinearFunction]:
        """The value, and the linear function at this point."""
        parted = self.parted(tuple(primals))
        entries = parted.traced.arguments
        flat = [leaf for value, entry in zip(primals, entries, strict=True) for leaf in flatten(value, entry)]
        values = tuple(
            parted.known.settled(parted.known.run(*map(self.argument, flat), *parted.traced.around))
        )
        count = count_results(parted.traced.out)
        outs = values[:count]
        nest = unflatten(parted.traced.out, iter(outs))
        return nest, LinearFunction(self, parted, tuple(map(np.shape, flat)), tuple(outs), values[count:])

    def parted(self, primals: tuple[Any, ...]) -> Parted:
        self.check_call(len(primals), ())
        signature, _ = self.signature(primals, {})
        wanted = tuple(key(entry) for entry in signature)
        split = partial(or_lanes_in_turn, lambda: self.split(self.of_primals(signature)))
        return self.parts.of(wanted, split)[1]

    def of_primals(self, signature: Signature) -> Traced:
        """The program of the arguments that are given; defaults are constants in it."""
        traced = trace(self.__wrapped__, signature, {})
        return replace(traced, arguments=traced.arguments[: len(signature)])

    def split(self, traced: Traced) -> Parted:
        traced = with_literals(traced)
        self.argnums = tuple(range(len(traced.arguments)))
        chosen = self.chosen(traced)
        self.check_floats(traced)
        program = traced.program
        count, active = len(program.entry.params), mask(program, chosen)

        def halves_of(sized: Program, checked: bool) -> Unzipped:
            made = last(through(pushed(active, checked=checked), sized, check))
            flags = tuple(k >= count for k in range(len(made.entry.params)))
            return unzip(made, flags, policy_of(self.save, sized, checked))

        halves = while_sizes_stay(program, halves_of)
        return self.compiled_halves(traced, halves, len(chosen), len(program.entry.body.results))

    def compiled_halves(self, traced: Traced, halves: Unzipped, count: int, results: int) -> Parted:
        second = halves.linear
        if self.turned:
            residuals = len(second.entry.params) - count
            second = transpose(second, tuple(k >= residuals for k in range(len(second.entry.params))))
        known = simplify(drop_known_tangents(halves, results))
        first = self.compile(replace(traced, program=known, stages=(("known", known),)))
        second = simplify(second, signed=False)
        second_half = self.compile(
            replace(traced, program=second, stages=(("linear", second),), homes=())
        )  # what it gives is its own
        return Parted(traced, first, second_half, halves.flags[results:])


class Transposed(Halves):
    """A function that is linear in its arguments, turned round. Its sizes are known: no array brings them."""

    def describe(self, value: Any, lent: Lent) -> Any:
        return describe(value, known_size)

    @property
    def kind(self) -> str:
        return "linear_transpose"

    def split(self, traced: Traced) -> Parted:
        self.argnums = tuple(range(len(traced.arguments)))
        chosen = self.chosen(traced)
        self.check_floats(traced)
        program = simplify(traced.program)
        halves = unzip(program, mask(program, chosen), NONE)
        if not all(halves.flags):
            raise TypeError(f"linear_transpose of {self.label}: a result does not depend on the arguments")
        return self.compiled_halves(traced, halves, len(chosen), 0)

    def run(self, primals: Sequence[Any]) -> tuple[Any, LinearFunction]:
        parted = self.parted(tuple(primals))
        entries = parted.traced.arguments
        flat = [leaf for value, entry in zip(primals, entries, strict=True) for leaf in flatten(value, entry)]
        values = tuple(parted.known.settled(parted.known.run(*parted.traced.around)))
        return None, LinearFunction(self, parted, tuple(map(np.shape, flat)), None, values)


def drop_known_tangents(halves: Unzipped, results: int) -> Program:
    """The known half without the tangents that are zeros for all arguments."""
    zeros = halves.flags[results:].count(False)
    total = len(halves.known.entry.body.results)
    return with_results(halves.known, (*range(results), *range(results + zeros, total)))


class LinearFunction:
    """A linear function at a point: it holds the residuals and runs the second half."""

    def __init__(self, owner: Halves, parted: Parted, shapes: Any, outs: Any, residuals: Any):
        self.owner = owner
        self.parted = parted
        self.shapes = shapes
        self.outs = outs
        self.residuals = residuals

    @at_border
    def __call__(self, *given: Any) -> Any:
        return self.pull(*given) if self.owner.turned else self.push(*given)

    def source(self) -> str:
        """The text of the linear half."""
        return self.parted.linear.text

    def pull(self, *given: Any) -> Any:
        """Cotangents of the results, in their structure -> a tuple of those of the arguments."""
        if len(given) != 1:
            raise TypeError(f"one cotangent in the structure of the result is expected, not {len(given)}")
        out = self.parted.traced.out
        cts = list(conjugated(out, flatten(given[0], out)))
        self.check(cts, None if self.outs is None else tuple(map(np.shape, self.outs)), "cotangent")
        moving = [
            self.like(c, t) for c, t, m in zip(cts, self.out_types(), self.parted.moving, strict=True) if m
        ]
        found = self.parted.linear.settled(self.parted.linear.run(*self.residuals, *moving))
        entries = Nest(tuple, tuple(self.parted.traced.arguments))
        return unflatten(entries, conjugated(entries, found))

    def push(self, *given: Any) -> Any:
        """Tangents of the arguments, in their structure -> those of the results."""
        entries = self.parted.traced.arguments
        if len(given) != len(entries):
            raise TypeError(f"{len(entries)} tangents are expected, not {len(given)}")
        dots = [d for value, entry in zip(given, entries, strict=True) for d in flatten(value, entry)]
        self.check(dots, self.shapes, "tangent")
        types = [leaf for entry in entries for leaf in leaves(entry)]
        flat = [self.like(d, t) for d, t in zip(dots, types, strict=True)]
        found = iter(self.parted.linear.settled(self.parted.linear.run(*self.residuals, *flat)))
        return unflatten(self.parted.traced.out, self.filled(found))

    def filled(self, found: Iterator[Any]) -> Iterator[Any]:
        """Zeros where a result does not depend on the arguments."""
        for out, moves in zip(self.outs, self.parted.moving, strict=True):
            yield next(found) if moves else np.zeros_like(out)[()]

    def out_types(self) -> list[Type]:
        return list(leaves(self.parted.traced.out))

    def like(self, value: Any, type_: Type) -> Any:
        if type_.rank:
            return np.ascontiguousarray(value, type_.dtype)
        return (
            value if isinstance(value, float) and type_.dtype == "f8" else np.dtype(type_.dtype).type(value)
        )

    def check(self, values: list[Any], shapes: Any, what: str) -> None:
        for value in values:
            refuse_subclass(value)
        if shapes is None:
            return
        for value, shape in zip(values, shapes, strict=True):
            if np.shape(value) != shape:
                raise ValueError(f"a {what} of shape {np.shape(value)} where {shape} is expected")


@once_for
def made_halves(f: Any, make: Any, target: str, turned: bool) -> Halves:
    made: Halves = make(f, target, turned=turned)
    return made


def vjp(f: Callable[..., R], *primals: Any, target: str = "numba") -> tuple[R, LinearFunction]:
    """The value of f, and the function from a cotangent of it to a tuple of cotangents of the arguments.

    >>> y, pull = vjp(lambda x, y: x * y, 2.0, 3.0, target="numpy")
    >>> y, pull(1.0)
    (6.0, (3.0, 2.0))
    """
    return made_halves(f, Halves, target, True).run(primals)


def linearize(f: Callable[..., R], *primals: Any, target: str = "numba") -> tuple[R, LinearFunction]:
    """The value of f, and its derivative at this point as a function of tangents of the arguments.

    >>> y, push = linearize(lambda x, y: x * y, 2.0, 3.0, target="numpy")
    >>> y, push(1.0, 0.0)
    (6.0, 3.0)
    """
    return made_halves(f, Halves, target, False).run(primals)


def linear_transpose(f: Callable[..., Any], *primals: Any, target: str = "numba") -> LinearFunction:
    """The transpose of an f that is linear in all its arguments; of `primals` only types and shapes matter.

    SourceError at the line where f is not linear.

    >>> linear_transpose(lambda x: 3.0 * x, 0.0, target="numpy")(2.0)
    (6.0,)
    """
    return made_halves(f, Transposed, target, True).run(primals)[1]


_function: Any
for _function, _instead in (
    (vjp, "grad of a function that returns np.sum(f(x) * cotangent) gives the same"),
    (linearize, "jvp(f, primals, tangents) gives the same"),
    (linear_transpose, "grad of a function that returns np.sum(f(x) * cotangent) gives the same"),
):
    _function.__outside__ = _instead
