"""`jit`: the transformation that only compiles, and what every transformed function has.

@jit
def f(x): ...

f(x)             the result, by code compiled for these types of arguments
f.source(x)      that code as text, which stands alone
f.stages(x)      the program after each pass, by name
f.explain(x)     what was chosen, and what it costs
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, overload

from codegen.infer.trace import Signature, Traced, trace
from codegen.pipeline import PARALLEL
from codegen.transformed import P, R, Transformed


class Jit(Transformed[P, R]):
    """`jit(f)`: f itself, compiled; what it writes into its arguments, the caller sees."""

    transparent = True
    quote = False  # what is printed is those lines

    def __init__(self, function: Any, *, parallel: bool = False, **options: Any):
        super().__init__(function, **options)
        if parallel and self.target not in PARALLEL:
            raise ValueError(
                f"target {self.target!r} has no threads: parallel=True goes with {', '.join(PARALLEL)}"
            )
        self.parallel = parallel

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        return trace(self.__wrapped__, signature, keywords, known_sizes=known_sizes, writes=True, lists=True)

    def traced_alone(
        self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False
    ) -> Traced:
        options = {"known_sizes": known_sizes, "slopes": False}
        return trace(self.__wrapped__, signature, keywords, writes=True, lists=True, **options)


@overload
def jit(
    f: Callable[P, R],
    *,
    target: str = "numba",
    static_argnames: tuple[str, ...] | str = (),
    parallel: bool = False,
) -> Jit[P, R]: ...
@overload
def jit(
    f: None = None,
    *,
    target: str = "numba",
    static_argnames: tuple[str, ...] | str = (),
    parallel: bool = False,
) -> Callable[[Callable[P, R]], Jit[P, R]]: ...
def jit(
    f: Any = None,
    *,
    target: str = "numba",
    static_argnames: tuple[str, ...] | str = (),
    parallel: bool = False,
) -> Any:
    """Compile a function written in ordinary Python and NumPy; as a decorator, bare or with arguments.

    target           "numba" (compiled for the CPU), "numpy" (readable Python) or "cuda" (array programs on a GPU:
                     docs/cuda.md)
    static_argnames  arguments whose values are part of the program (an axis, a flag, a shape)
    parallel         whether Numba's threads share the loops of one call whose iterations do not look at each other,
                     and large grids in time, tile by tile; sums are then taken in another order

    Raises SourceError, at the function's own line, for what is not supported.

    >>> @jit(target="numpy")
    ... def halve(x):
    ...     n = 0
    ...     while x > 1.0:
    ...         x, n = x / 2.0, n + 1
    ...     return n
    >>> int(halve(1000.0))
    10
    """
    names = (static_argnames,) if isinstance(static_argnames, str) else tuple(static_argnames)
    if f is None:
        return functools.partial(jit, target=target, static_argnames=names, parallel=parallel)
    return Jit(f, target=target, static_argnames=names, parallel=parallel)


jit.__transformation__ = True  # type: ignore[attr-defined]
jit.__unchanged__ = True  # type: ignore[attr-defined]  # compiled or not, a function is what it is
