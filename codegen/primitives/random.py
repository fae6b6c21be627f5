"""Draws from a numpy.random.Generator: a stream value in, the stream after the draw and the number out.

Methods are NumPy's own formulas over basic draws (others are definitions: codegen/definitions/generators/), so that
derivatives with respect to location and scale come by themselves (the draw is reparameterised) and the numbers stay
bit-identical:
uniform = low + (high - low) * random, normal = loc + scale * standard_normal,
exponential = scale * standard_exponential.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen.ir import Apply, Atom, Equation, Type
from codegen.ir.build import Builder, E
from codegen.ir.kinds import Drawn, Stream
from codegen.primitives.row import as_type, lowers, row
from codegen.primitives.shape import as_shape, dims_text

RNG = Type("rng")


def draw_row(
    name: str,
    letter: str,
    *,
    dtype: str = "f8",
    arguments: int = 0,
    cost: float = 15,
    looks_up: bool = False,
    kind: Drawn | None = None,
) -> None:
    """A row for a basic draw: operands (stream, *arguments, *sizes) -> (stream, value)."""

    def type_(rng: Atom, *rest: Atom) -> tuple[Type, Type]:
        if rng.type.dtype != "rng":
            raise TypeError(f"draws come from a random generator, not {rng.type}")
        return RNG, as_type(dtype, rest[arguments:])

    def meaning(rng: Any, *rest: Any) -> Any:
        return rng, getattr(rng, name)(*rest[:arguments], size=rest[arguments:] or None)

    def form(rng: str, *rest: str, rank: int, lib: str) -> tuple[str, int]:
        given = list(rest[:arguments])
        if rest[arguments:]:
            sizes = dims_text(rest[arguments:])
            given.append(f"size={sizes}" if arguments else sizes)
        return f"{rng}.{name}({', '.join(given)})", 100

    # fmt: off
    row(f"draw_{name}", meaning, type_, "random", form=form, helper=f"draw_{name}", fills=f"fill_{name}", letter=letter,
        first_size=1 + arguments, looks_up=looks_up, cost=cost, jvp=(None,), kind=kind)
    # fmt: on


draw_row("random", "u", cost=5)
draw_row("standard_normal", "z", looks_up=True)
draw_row("standard_exponential", "e", looks_up=True)
draw_row("integers", "k", dtype="i8", arguments=2, cost=8, kind=Drawn.BETWEEN)
draw_row("standard_gamma", "g", arguments=1, cost=40, looks_up=True)
draw_row("poisson", "k", dtype="i8", arguments=1, cost=60, kind=Drawn.COUNT)
draw_row("binomial", "k", dtype="i8", arguments=2, cost=80, kind=Drawn.SHARE)


def generator_of_seeds(*seeds: Any) -> np.random.Generator:
    return np.random.default_rng(seeds)


def seeded_text(*seeds: str, rank: int, lib: str) -> tuple[str, int]:
    one = seeds[0] if len(seeds) == 1 else f"[{', '.join(seeds)}]"
    return f"np.random.default_rng({one})", 100


# fmt: off
row("copied_stream", copy.deepcopy, lambda rng: RNG, "stream", kind=Stream.COPIED, jvp=(None,), helper="copied_stream",
    form=lambda rng, *, rank, lib: (f"copy.deepcopy({rng})", 100))
row("seeded_stream", generator_of_seeds, lambda *seeds: RNG, "stream", kind=Stream.SEEDED, jvp=(None,),
    helper="seeded_stream", fills="seed_stream", cost=200, form=seeded_text)
# fmt: on


def makes_stream(equation: Equation) -> bool:
    """Whether it makes a stream of its own."""
    return isinstance(equation.op, Apply) and isinstance(equation.op.primitive.kind, Stream)


@lowers(np.random.default_rng)
def stream_of_seeds(b: Builder, seed: Any = None) -> E:
    """The stream of ints that are not negative, one or a tuple of them."""
    if seed is None:
        raise TypeError("default_rng: a seed is missing: without one each call would draw other numbers")
    seeds = list(seed) if isinstance(seed, tuple | list) else [seed]
    kinds = [b.atom(s).type for s in seeds]
    if not seeds or any(kind.rank or kind.dtype[0] not in "iub" for kind in kinds):
        raise TypeError("default_rng: a seed is an int, or a tuple of ints")
    dtype = "u8" if "u8" in (k.dtype for k in kinds) else "i8"
    for each, kind in zip(seeds, kinds):
        refuse_where(b, each < 0 if kind.dtype[0] == "i" else False, "expected non-negative integer")
    given = (s if k.dtype == dtype else b.apply("cast", s, dtype=dtype) for s, k in zip(seeds, kinds))
    return b.apply("seeded_stream", *given, name="rng")


def basic_draw(b: Builder, rng: E, name: str, size: Any, *arguments: Any) -> tuple[E, Any]:
    dims = () if size is None else as_shape(size)
    stream, value = b.apply(f"draw_{name}", rng, *arguments, *dims, name=rng.atom.name)
    return stream, value


# Generator method -> `(builder, stream, *arguments) -> (stream after, value)`.
METHODS: dict[str, Callable[..., tuple[E, Any]]] = {}


def generator_method(function: Callable[..., tuple[E, Any]]) -> Callable[..., tuple[E, Any]]:
    METHODS[function.__name__] = function
    return function


@generator_method
def random(b: Builder, rng: E, size: Any = None) -> tuple[E, Any]:
    return basic_draw(b, rng, "random", size)


@generator_method
def standard_normal(b: Builder, rng: E, size: Any = None) -> tuple[E, Any]:
    return basic_draw(b, rng, "standard_normal", size)


@generator_method
def standard_exponential(b: Builder, rng: E, size: Any = None) -> tuple[E, Any]:
    return basic_draw(b, rng, "standard_exponential", size)


@generator_method
def uniform(b: Builder, rng: E, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> tuple[E, Any]:
    width = high - low
    refuse_where(b, abs(width) == np.inf, "high - low range exceeds valid bounds", "OverflowError")
    refuse_where(b, width < 0.0, "high - low < 0")
    stream, value = basic_draw(b, rng, "random", draw_shape(b, size, low, high))
    return stream, low + width * value


@generator_method
def normal(b: Builder, rng: E, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> tuple[E, Any]:
    refuse_where(b, scale < 0.0, "scale < 0")
    stream, value = basic_draw(b, rng, "standard_normal", draw_shape(b, size, loc, scale))
    return stream, loc + scale * value


@generator_method
def exponential(b: Builder, rng: E, scale: Any = 1.0, size: Any = None) -> tuple[E, Any]:
    refuse_where(b, scale < 0.0, "scale < 0")
    stream, value = basic_draw(b, rng, "standard_exponential", draw_shape(b, size, scale))
    return stream, scale * value


@generator_method
def integers(
    b: Builder,
    rng: E,
    low: Any,
    high: Any = None,
    size: Any = None,
    dtype: Any = np.int64,
    endpoint: Any = False,
) -> tuple[E, Any]:
    if np.dtype(dtype) != np.int64 or not isinstance(endpoint, bool):
        raise TypeError("integers: they are of int64, and a program has to know `endpoint`")
    wrong = "high <= 0" if high is None else "low >= high"
    if high is None:
        low, high = 0, low
    if b.atom(low).type.rank or b.atom(high).type.rank:
        raise TypeError("integers: the bounds must be scalars")
    if endpoint:
        high, wrong = high + 1, wrong.replace(">=", ">").replace("<= 0", "< 0")
    refuse_where(b, high <= low, wrong)
    return basic_draw(b, rng, "integers", size, low, high)


# What the definitions are made of.
@generator_method
def _standard_gamma(b: Builder, rng: E, shape: Any) -> tuple[E, Any]:
    return basic_draw(b, rng, "standard_gamma", None, shape)


@generator_method
def _poisson(b: Builder, rng: E, lam: Any) -> tuple[E, Any]:
    return basic_draw(b, rng, "poisson", None, lam)


@generator_method
def _binomial(b: Builder, rng: E, n: Any, p: Any) -> tuple[E, Any]:
    return basic_draw(b, rng, "binomial", None, n, p)


def refuse_where(b: Builder, wrong: Any, message: str, exception: str = "ValueError") -> None:
    """A check that nothing is wrong which NumPy would refuse, with its message; what is known, at once."""
    if not isinstance(wrong, E):
        if np.any(wrong):
            raise ValueError(message)
        return
    anywhere = b.apply("any", wrong, axis=tuple(range(wrong.ndim))) if wrong.ndim else wrong
    b.require(b.apply("not", anywhere), exception, message)


def draw_shape(b: Builder, size: Any, *arguments: Any) -> Any:
    """The sizes of a draw whose arguments may be arrays, as NumPy broadcasts them."""
    shapes = [b.atom(a).type.shape for a in arguments if b.atom(a).type.rank]
    if size is not None or not shapes:
        return size
    return sum(arguments[1:], start=arguments[0]).shape
