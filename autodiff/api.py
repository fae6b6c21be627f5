"""Derivatives of Python functions: what a user imports from `autodiff`.

    @grad
    def f(x): ...                    f(x)            the gradient, compiled for these types of arguments
                                     f.source(x)     its program as text, which stands alone

Each transformation is an object like `jit`'s, over flat programs: it traces the function for the types of
the arguments, applies the passes of this package to the program, and says how the flat results become a
nest again. Since what it gives is traced in the same way, transformations compose in any order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Generic, overload

from autodiff.derivatives import Argnums, Grad, Hvp, Jacobian, Jvp, ValueAndGrad
from autodiff.policy import Save
from codegen.infer.calls.arity import once_for
from codegen.infer.trace import Signature, Traced
from codegen.infer.values import Static
from codegen.tracebacks import at_border
from codegen.transformed import P, R, Transformed


@overload
def grad(
    f: Callable[P, R],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    save: Save = "none",
    target: str = "numba",
    holomorphic: bool = False,
) -> Transformed[P, Any]: ...
@overload
def grad(
    f: None = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    save: Save = "none",
    target: str = "numba",
    holomorphic: bool = False,
) -> Callable[[Callable[P, R]], Transformed[P, Any]]: ...
def grad(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    save: Save = "none",
    target: str = "numba",
    holomorphic: bool = False,
) -> Any:
    """The gradient of a function that returns one float scalar, in the structure of the chosen argument.

    argnums  an argument's number, or a tuple of them for a tuple of gradients; arguments are floats,
             arrays of floats or nests of these
    has_aux  f returns a pair, of which the first is derived; (gradient, second) is returned
    save     what the forward sweep keeps for the return sweep: "none" (loop-carried values at the entry of
             each iteration, the rest is run again), "all", "sqrt" (of long loops about 2 sqrt(n) entry
             values; they run once more), or names of variables
    target   "numba" or "numpy"

    By a complex argument it is JAX's, the conjugate of the direction in which f grows: 2 * conj(z) of abs(z) ** 2. With
    `holomorphic` f gives a complex number, and has a complex derivative, which is what is given.

    TypeError for a result that is no float scalar and for arguments that are no floats; SourceError, at the
    function's line, for what is not supported.

    >>> grad(lambda x: x * x * x, target="numpy")(2.0)
    12.0
    """
    if f is None:
        return functools.partial(
            grad, argnums=argnums, has_aux=has_aux, save=save, target=target, holomorphic=holomorphic
        )
    return Grad(f, argnums, save, target, holomorphic=holomorphic, has_aux=has_aux)


@overload
def value_and_grad(
    f: Callable[P, R],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    save: Save = "none",
    target: str = "numba",
) -> Transformed[P, tuple[R, Any]]: ...
@overload
def value_and_grad(
    f: None = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    save: Save = "none",
    target: str = "numba",
) -> Callable[[Callable[P, R]], Transformed[P, tuple[R, Any]]]: ...
def value_and_grad(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    save: Save = "none",
    target: str = "numba",
) -> Any:
    """The value and the gradient, as a pair; arguments as for `grad`.

    >>> value_and_grad(lambda x: x * x * x, target="numpy")(2.0)
    (8.0, 12.0)

    With has_aux the value is the pair that f returns, a float scalar and what else it makes on the way:

    >>> value_and_grad(lambda x: (x * x, x > 0.0), has_aux=True, target="numpy")(2.0)
    ((4.0, True), 4.0)
    """
    if f is None:
        return functools.partial(value_and_grad, argnums=argnums, has_aux=has_aux, save=save, target=target)
    return ValueAndGrad(f, argnums, save, target, has_aux=has_aux)


@overload
def jacrev(
    f: Callable[P, R], argnums: Argnums = 0, *, save: Save = "none", target: str = "numba"
) -> Transformed[P, Any]: ...
@overload
def jacrev(
    f: None = None, argnums: Argnums = 0, *, save: Save = "none", target: str = "numba"
) -> Callable[[Callable[P, R]], Transformed[P, Any]]: ...
def jacrev(f: Any = None, argnums: Argnums = 0, *, save: Save = "none", target: str = "numba") -> Any:
    """The Jacobian by one return sweep per element of the results: for fewer results than arguments.

    Shaped (*result, *argument), in the structure of the results, then of the arguments.

    >>> jacrev(lambda x: x * x, target="numpy")(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    if f is None:
        return functools.partial(jacrev, argnums=argnums, save=save, target=target)
    return Jacobian(f, argnums, save, target, by_rows=True)


@overload
def jacfwd(
    f: Callable[P, R], argnums: Argnums = 0, *, save: Save = "none", target: str = "numba"
) -> Transformed[P, Any]: ...
@overload
def jacfwd(
    f: None = None, argnums: Argnums = 0, *, save: Save = "none", target: str = "numba"
) -> Callable[[Callable[P, R]], Transformed[P, Any]]: ...
def jacfwd(f: Any = None, argnums: Argnums = 0, *, save: Save = "none", target: str = "numba") -> Any:
    """The Jacobian by one forward push per element of the arguments; otherwise as `jacrev`."""
    if f is None:
        return functools.partial(jacfwd, argnums=argnums, save=save, target=target)
    return Jacobian(f, argnums, save, target, by_rows=False)


jacobian = jacrev


@overload
def hessian(
    f: Callable[P, R], argnums: Argnums = 0, *, save: Save = "none", target: str = "numba"
) -> Transformed[P, Any]: ...
@overload
def hessian(
    f: None = None, argnums: Argnums = 0, *, save: Save = "none", target: str = "numba"
) -> Callable[[Callable[P, R]], Transformed[P, Any]]: ...
def hessian(f: Any = None, argnums: Argnums = 0, *, save: Save = "none", target: str = "numba") -> Any:
    """The second derivatives of a scalar function: forward over reverse.

    >>> hessian(lambda x: x[0] * x[1], target="numpy")(np.array([1.0, 2.0]))
    array([[0., 1.],
           [1., 0.]])
    """
    if f is None:
        return functools.partial(hessian, argnums=argnums, save=save, target=target)
    return jacfwd(jacrev(f, argnums, save=save, target=target), argnums, save=save, target=target)


@once_for
def jvp_on(f: Any, target: str) -> Jvp:
    return Jvp(f, 0, "none", target)


class Directional(Generic[P, R]):
    """jvp and hvp: functions of a function and values, in Python and inside programs."""

    def __init__(self, function: Callable[P, R], make: Callable[[Any], Jvp]):
        functools.update_wrapper(self, function)
        self.function = function
        self.make = make

    @at_border
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        f, *values = signature
        if not isinstance(f, Static) or len(values) != 2 or keywords:
            name = self.function.__name__
            raise TypeError(
                f"{name} inside a program is {name}(f, primals, tangents), f defined outside of it"
            )
        return self.make(f.value).trace(tuple(values), {}, known_sizes=known_sizes)


@once_for
def hessian_times(f: Any, target: str) -> Hvp:
    return Hvp(Grad(f, 0, "none", target), 0, "none", target)


def directional(make: Callable[[Any, str], Jvp]) -> Callable[[Callable[P, R]], Directional[P, R]]:
    return lambda function: Directional(function, lambda f: make(f, "numba"))


@directional(jvp_on)
def jvp(
    f: Callable[..., R], primals: Sequence[Any], tangents: Sequence[Any], *, target: str = "numba"
) -> tuple[R, Any]:
    """The value of f at `primals` and its derivative in the direction `tangents`, which has their structure.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0), target="numpy")
    (6.0, 3.0)
    """
    value, change = jvp_on(f, target)(tuple(primals), tuple(tangents))
    return value, change


@directional(hessian_times)
def hvp(
    f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], *, target: str = "numba"
) -> Any:
    """The Hessian of a scalar f, in its first argument, times a vector, at the cost of a few gradients.

    >>> hvp(lambda x: x * x * x, (2.0,), (1.0,), target="numpy")
    12.0
    """
    return hessian_times(f, target)(tuple(primals), tuple(tangents))


_transformation: Any
for _transformation in (grad, value_and_grad, jacrev, jacfwd, hessian):
    _transformation.__transformation__ = True
