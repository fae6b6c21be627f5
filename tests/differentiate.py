"""What the tests of derivatives share: programs of Python functions, and derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autodiff.pipeline import reverse
from autodiff.policy import Save
from codegen.infer import trace
from codegen.ir import Apply, Block, Program, Type, Var
from codegen.ir.build import I8
from codegen.ir.interpreter import evaluate
from codegen.ir.substitution import blocks
from codegen.pipeline import last
from codegen.simplify.driver import simplify


def type_of(value: Any) -> Type:
    if isinstance(value, np.ndarray):
        return Type(value.dtype.str[1:], tuple(Var("nmk"[k], I8) for k in range(value.ndim)))
    return Type("f8" if isinstance(value, float) else "i8")


def program_of(f: Callable[..., Any], arguments: Sequence[Any]) -> Program:
    return simplify(trace(f, tuple(type_of(a) for a in arguments)).program)


def active_in(program: Program) -> tuple[bool, ...]:
    """All floats."""
    return tuple(p.type.is_float for p in program.entry.params)


def directions(program: Program, arguments: Sequence[Any], seed: int = 0) -> list[Any]:
    """A random tangent for each float argument, None for the others."""
    random = np.random.default_rng(seed)
    pairs = zip(arguments, active_in(program), strict=True)
    return [random.standard_normal(np.shape(a)) if on else None for a, on in pairs]


def slope(program: Program, arguments: Sequence[Any], along: Sequence[Any], h: float = 1e-4) -> Any:
    """The derivative of the first result along a direction, by differences of fourth order."""

    def at(step: float) -> Any:
        moved = [a if d is None else a + step * d for a, d in zip(arguments, along, strict=True)]
        return np.asarray(evaluate(program, *moved)[0])

    return (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)


def tangents(along: Sequence[Any]) -> list[Any]:
    return [d for d in along if d is not None]


def inner(xs: Sequence[Any], ys: Sequence[Any]) -> float:
    return float(sum(np.sum(x * y) for x, y in zip(xs, ys, strict=True)))


def primitives(program: Program) -> list[str]:
    """The names of all primitives in a program, in order, inner blocks included."""

    def walk(block: Block) -> list[str]:
        names = []
        for equation in block.equations:
            if isinstance(equation.op, Apply):
                names.append(equation.op.primitive.name)
            names += [name for each in blocks(equation.op) for name in walk(each)]
        return names

    return [name for f in program.functions.values() for name in walk(f.body)]


def vjp_of(program: Program, active: tuple[bool, ...]) -> Program:
    """(params, a cotangent per float result) -> (results, a cotangent per active parameter), flat."""
    return last(reverse(program, active))


def value_and_grad_of(program: Program, active: tuple[bool, ...], save: Save = "none") -> Program:
    """(params) -> (results, the gradient of the first in each active parameter)."""
    return last(reverse(program, active, save=save, seeds={0: 1.0}, kind="value_and_grad"))


def grad_of(program: Program, active: tuple[bool, ...]) -> Program:
    """(params) -> (the gradient of the first result in each active parameter)."""
    return last(reverse(program, active, seeds={0: 1.0}, keep=(), kind="grad"))
