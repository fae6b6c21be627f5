"""Gradients by complex numbers are JAX's: of a real u(x + iy) u_x - i u_y, conjugate to the direction in which u grows.

    grad(lambda z: abs(z) ** 2)(z)        2 * np.conj(z)

So are cotangents, of which the real part of cotangent * tangent counts: a pair of them is a complex number whose
imaginary part has the other sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from codegen.infer.values import Nest
from codegen.ir import Program, Type
from codegen.ir.build import Builder
from codegen.ir.traversal import with_entry


def imaginary(entry: Any) -> Iterator[bool]:
    """Of each leaf of an entry whether it is an imaginary part."""
    if isinstance(entry, Nest):
        for k, item in enumerate(entry.items):
            yield from (entry.cls is complex and k == 1 or part for part in imaginary(item))
    elif isinstance(entry, Type):
        yield False


def conjugated(entry: Any, values: Iterable[Any]) -> Iterator[Any]:
    """An entry's leaves with the other sign of the imaginary parts."""
    return (-v if turned else v for v, turned in zip(values, imaginary(entry), strict=True))


def with_conjugates(program: Program, places: set[int]) -> Program:
    """The program with the other sign of the results at these places."""
    if not places:
        return program
    body = program.entry.body
    b = Builder(span=program.entry.span)
    b.equations = list(body.equations)
    results = [
        b.atom(b.apply("neg", r, name=getattr(r, "name", "t"))) if k in places else r
        for k, r in enumerate(body.results)
    ]
    return with_entry(program, body=b.block(tuple(results)))
