"""Functions that take `*args` and `**kwargs`, calls that spread them, and lists that parameters become."""

import functools
from typing import Any

import numpy as np
import pytest
from plain_python import complaint
from user_programs import loaded

from autobatch import batch
from autodiff import grad, jvp, vjp
from codegen import SourceError, jit

v = np.array([3.0, -1.0, 2.0])


def total(x, *args, scale=2.0, **kwargs):
    s = x * scale
    for a in args:
        s = s + a
    return s + kwargs["shift"] if "shift" in kwargs else s


def changed(x, *args, **kwargs):
    args = list(args)
    args[0] = args[0] * 3
    kwargs["shift"] = x
    return total(x, *args, **kwargs)


AROUND = {"total": total, "changed": changed}
RIGHT: list[tuple[str, dict[str, Any]]] = [
    ("total(x), total(x, 1, v), total(x, x, scale=x, shift=1.5)", {"x": 2.0, "v": v}),
    ("changed(x, 1.0, v), changed(x, x, scale=3)", {"x": 2.0, "v": v}),
    ("    g = lambda *a, k=1: (len(a), a[1:], k)\n    return g(x, 2, x), g(x, k=x), g()", {"x": 2.0}),
    ("    def g(first, *rest):\n        return first if not rest else first * g(*rest)\n"
     "    return g(x, 2.0, 3.0), g(*(x, 3.0)), g(x, *[x] * 3)", {"x": 2.0}),
    ("    d = {'scale': x}\n    return total(1.0, x, **d), total(x, **d, **{'shift': x}), dict(**d)", {"x": 2.0}),
    ("    def g(**k):\n        k['a'] = 5.0\n        return k\n    d = {'a': x}\n    return g(**d), d, g()",
     {"x": 2.0}),
    ("    x = list(x)\n    x[1] = x[0]\n    x.append(3.0)\n    return x", {"x": (1.0, 2.0)}),
    ("total(x, unknown=1, *v)", {"x": 1.0, "v": (1.0, 2.0)}),
    ("total()", {}),
]  # fmt: skip


@pytest.mark.parametrize("text, arguments", RIGHT)
def test_python_says(text, arguments):
    assert complaint(text, arguments, around=AROUND) is None


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_functions_that_are_transformed_take_them(target):
    assert jit(total, target=target)(1.0, 2.0, 3.0, scale=5.0, shift=1.5) == total(
        1.0, 2.0, 3.0, scale=5.0, shift=1.5
    )
    assert grad(total, (0, 2), target=target)(1.0, 2.0, 3.0) == (2.0, 1.0)
    assert vjp(total, 1.0, 2.0, target=target)[1](1.0) == (2.0, 1.0)
    assert jvp(total, (1.0, 2.0, 3.0), (1.0, 0.0, 1.0), target=target) == (7.0, 3.0)
    held = functools.partial(total, 1.0, 2.0, 4.0, shift=5.0)
    assert jit(held, target=target)(7.0) == held(7.0)
    np.testing.assert_array_equal(batch(total, target=target)(v, v, shift=v), 4 * v)


def test_what_stands_for_kwargs_comes_last():
    assert jit(total, target="numpy")(1.0, scale=3.0, shift=2.0) == 5.0
    with pytest.raises(
        SourceError, match="give 'scale' before the arguments that no parameter of 'total' names"
    ):
        jit(total, target="numpy")(1.0, shift=2.0, scale=3.0)


def test_a_list_that_the_caller_has_is_changed_until_there_is_another():
    f = loaded("def f(x):\n    x[0] = 1.0\n    x = list(x)\n    x[1] = 5.0\n    return x\n")
    given = [2.0, 3.0]
    assert jit(f, target="numpy")(given) == [1.0, 5.0]
    assert given == [1.0, 3.0]


def test_defaults_are_constants_of_what_is_linearised():
    assert vjp(lambda x, n=2, f=np.sin: f(x) * n, 0.0, target="numpy")[1](1.0) == (2.0,)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_defaults_that_are_arrays_without_axes_are_read_at_each_call(target):
    held = np.array(3.0)

    def f(x, scale=held, pair=(np.array(2), 1.0), turned=np.array(1j)):
        return x * scale + pair[0] + abs(turned)

    compiled = jit(f, target=target)
    assert compiled(2.0) == 9.0
    held[...] = 5.0
    assert compiled(2.0) == 13.0
    assert compiled(2.0, 1.0) == 5.0
    assert grad(f, target=target)(2.0) == 5.0
    np.testing.assert_array_equal(batch(f, target=target)(np.array([1.0, 2.0])), [8.0, 13.0])
