"""jacrev and jacfwd: the same tables, by rows and by columns."""

from typing import Any

import numpy as np
import pytest
from corpus import CASES, Case

from autodiff import check_grads, grad, jacfwd, jacrev

SOME = [
    case
    for case in CASES
    if "differentiable" in case.marks
    and any(isinstance(a, float | np.ndarray) for a in case.examples[0])
    and case.name != "where_and_clip"  # gives ints
]


def tables(value: Any) -> list[Any]:
    return [t for part in value for t in tables(part)] if isinstance(value, tuple) else [value]


def places(arguments: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(k for k, a in enumerate(arguments) if getattr(np.asarray(a), "dtype", None) == np.float64)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("case", SOME, ids=lambda case: case.name)
def test_rows_and_columns_agree(case: Case) -> None:
    (given, *_) = case.lanes()
    with np.errstate(all="ignore"):
        by_rows, by_columns = (
            tables(of(case.function, places(given), target="numpy")(*case.lanes()[0]))
            for of in (jacrev, jacfwd)
        )
    for rows, columns in zip(by_rows, by_columns, strict=True):
        np.testing.assert_allclose(rows, columns, rtol=1e-9, atol=1e-12)


def test_one_result_that_is_given_twice() -> None:
    def f(x):
        y = x * x
        return y, y

    for of in (jacrev, jacfwd):
        for table in of(f)(np.array([1.0, 3.0])):
            np.testing.assert_array_equal(table, np.diag([2.0, 6.0]))


@pytest.mark.parametrize("of", [jacrev, jacfwd])
def test_arrays_of_other_sizes_that_change_places(of: Any) -> None:
    """The tangents of a loop that is taken in two bring the sizes that its values have brought."""

    def f(x, n):
        a, b = x.copy(), np.zeros(2)
        for _ in range(n):
            for i in range(2):
                b[i] = 0.5 * a[i] + a[i - 1]
            a, b = b, a
        return a

    once = np.array([[0.5, 1.0], [1.0, 0.5]])
    np.testing.assert_allclose(of(f, target="numpy")(np.array([1.0, 2.0]), 3), once @ once @ once)


def test_sizes_that_values_say_are_kept() -> None:
    (leapfrog,) = (case for case in CASES if case.name == "leapfrog")
    given = leapfrog.lanes()[0]
    rows = jacrev(leapfrog.function, places(given), target="numpy")(*given)
    for row, slopes in zip(rows, grad(leapfrog.function, places(given), target="numpy")(*given), strict=True):
        np.testing.assert_allclose(row, slopes, rtol=1e-12)
    check_grads(leapfrog.function, given, order=2)


def test_sizes_that_change() -> None:
    def f(x, n):
        y = np.array([x])
        for _ in range(n):
            y = np.append(y, np.sum(y * y))
        return y

    rows, columns = (derive(f, target="numpy")(0.1, 33) for derive in (jacrev, jacfwd))
    assert rows.shape == (34,)
    np.testing.assert_allclose(rows, columns, rtol=1e-12)
    np.testing.assert_allclose(jacrev(f, target="numpy")(0.5, 2), [1.0, 1.0, 1.5], rtol=1e-14)
