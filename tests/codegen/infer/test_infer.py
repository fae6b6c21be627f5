"""The front end: a function traced for the types of its arguments means what the plain function computes."""

import warnings
from typing import Any

import numpy as np
import pytest
from corpus import CASES, GROWING, Case

from codegen import jit
from codegen.infer import Traced, trace
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.pytree import any_size, describe, flatten, known_size, unflatten

SIZES = {"any sizes": any_size, "known sizes": known_size}


def traced(function: Any, arguments: tuple[Any, ...], sizes: Any = any_size) -> Traced:
    made = trace(function, tuple(describe(a, sizes) for a in arguments), known_sizes=sizes is known_size)
    check(made.program)
    return made


def computed(made: Traced, arguments: tuple[Any, ...]) -> Any:
    flat = [leaf for a, entry in zip(arguments, made.arguments) for leaf in flatten(a, entry)]
    results = evaluate(made.program, *flat, *made.hidden)
    return unflatten(made.out, iter(results))


def plainly(case: Case, arguments: tuple[Any, ...]) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case.function(*arguments)


def assert_same(given: Any, expected: Any, *, widens: bool = False) -> None:
    """Equal in structure, value and dtype; Python's numbers are as good as NumPy's of the default dtype."""
    if isinstance(expected, dict):
        assert isinstance(given, dict) and list(given) == list(expected)
        for key in expected:
            assert_same(given[key], expected[key], widens=widens)
    elif isinstance(expected, tuple | list):
        assert type(given) is type(expected) and len(given) == len(expected)
        for one, other in zip(given, expected):
            assert_same(one, other, widens=widens)
    elif hasattr(expected, "__dataclass_fields__"):
        assert type(given) is type(expected)
        for name in expected.__dataclass_fields__:
            assert_same(getattr(given, name), getattr(expected, name), widens=widens)
    elif isinstance(expected, int | float | complex | np.generic | np.ndarray):
        assert np.shape(given) == np.shape(expected)
        if not widens:
            assert np.asarray(given).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(
            given, expected, rtol=1e-6 if np.asarray(expected).dtype in ("f4", "c8") else 1e-13
        )
    else:
        assert given is expected or given == expected


@pytest.mark.sampled(18)
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("case", [*CASES, *GROWING], ids=lambda c: c.name)
def test_corpus(case: Case, sizes: Any) -> None:
    for k, (arguments, again) in enumerate(zip(case.lanes(), case.lanes())):
        if case.raises:
            with pytest.raises(case.raises):
                plainly(case, arguments)
            with pytest.raises((case.raises, SyntaxError) if sizes is known_size else case.raises):
                computed(traced(case.function, again, sizes), again)
            continue
        expected = plainly(case, arguments)
        if case.gives is not None:
            assert expected == case.gives[k]
        made = traced(case.function, again, sizes)
        assert_same(computed(made, again), expected, widens="widens" in case.marks)


def merged(depth, x, y):
    """A recursion whose arguments are one array at first, parts of one later, and apart after that."""
    if depth == 0:
        return x, y + 1.0
    x, y = merged(depth - 1, x, y)
    x, y = merged(depth - 1, x[::-1], y)
    return x + y, y


def given_one_array(x):
    return merged(2, x, x)


def given_two_arrays(x):
    return merged(2, x, x + 0.0)


def given_parts(x):
    return merged(2, x[:2], x[1:])


def filled(depth, x, y):
    """The same, with an array that is written: then it matters whether the other is that one."""
    if depth == 0:
        x[0] += 1.0
        return x + y
    z = filled(depth - 1, x, y)
    return filled(depth - 1, z, x + 0.0) + y


def fills_one_array(x):
    return filled(2, x, x), x


def fills_two_arrays(x):
    return filled(2, x, x + 0.0), x


def fills_both(x):
    y = x + 0.0
    return filled(2, y, y) + filled(2, x, y), x, y


def fills_apart_first(x):
    y = x + 0.0
    return filled(2, x, y) + filled(2, y, y), x, y


def turned(n, x, y):
    return y if n == 0 else turned(n - 1, y, x)


def fills_what_comes_back(x):
    """Of one array given twice it is known which comes back, of two it is not."""
    y = turned(3, x, x + 0.0)[1]
    z = turned(2, x, x)
    z[0] = 9.0
    return x, y, z


@pytest.mark.parametrize(
    "function, copies",
    [
        (fills_apart_first, 2),
        (fills_what_comes_back, 2),
        (given_one_array, 1),
        (given_two_arrays, 1),
        (given_parts, 1),
        (fills_one_array, 2),
        (fills_two_arrays, 1),
        (fills_both, 2),
    ],
)
def test_arguments_that_share_memory(function: Any, copies: int) -> None:
    """One function serves arrays that share memory and arrays that do not, unless it writes what is shared."""
    x = np.array([1.0, 4.0, 2.0])
    made = traced(function, (x,))
    assert len(made.program.functions) == 1 + copies
    assert_same(computed(made, (x.copy(),)), function(x.copy()))


def test_a_value_that_a_row_hands_on_keeps_its_name():
    def masked(a):
        t = a.reshape(1)
        t[t] = False
        u = a.reshape(1)
        return t, u

    def repeated(a):
        return a or a, a and a

    found = jit(masked, target="numpy")(np.array([True]))
    np.testing.assert_array_equal(found, [[False], [False]])
    assert jit(repeated, target="numpy")(True) == (True, True)
    assert jit(repeated, target="numpy")(False) == (False, False)


def test_a_python_int_that_a_loop_makes_unsigned():
    def total(b):
        t = 0
        for _ in range(3):
            t += b
        return t

    for target in ("numpy", "numba"):
        with np.errstate(over="ignore"):
            found = jit(total, target=target)(np.uint16(30000))
        assert (found, found.dtype) == (24464, np.uint16)


def test_a_name_is_bound_later_in_a_loop_around_another_join():
    """Whether `t` has a value is known after the first round, wherever control met before it is read."""

    def after_a_branch(n):
        s = 0.0
        for i in range(n):
            if i > 0:
                if i > 4:
                    s = 0.5
                s = s + t  # noqa: F821
            t = 1.0 * i
        return s

    def after_a_loop(n):
        s = 0.0
        for i in range(n):
            if i > 0:
                for _ in range(i):
                    s = s + 1.0
                s = s + t  # noqa: F821
            t = 1.0 * i
        return s

    assert jit(after_a_branch, target="numpy")(8) == after_a_branch(8)
    assert jit(after_a_loop, target="numpy")(8) == after_a_loop(8)
