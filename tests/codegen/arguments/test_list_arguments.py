"""Lists that are arguments: the caller sees what a function changes in them, as from plain Python."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from autobatch import batch
from autodiff import grad, value_and_grad
from codegen import SourceError, jit
from codegen.infer.memory.list_objects import NOT_OWNED


def swap(xs, i, j):
    xs[i], xs[j] = xs[j], xs[i]


def sorted_by_swaps(xs):
    for i in range(1, len(xs)):
        j = i
        while j > 0 and xs[j - 1] > xs[j]:
            swap(xs, j - 1, j)
            j -= 1
    return xs


def quicksort(xs, low, high):
    if low < high:
        place = low
        for j in range(low, high):
            if xs[j] < xs[high]:
                swap(xs, place, j)
                place += 1
        swap(xs, place, high)
        quicksort(xs, low, place - 1)
        quicksort(xs, place + 1, high)


def rows_changed(u, k):
    row = u[k]
    row[0] += 5
    for each in u:
        each[1] *= 2
    u[0][1] -= 1
    return sum(u[1]), len(u), len(u[0]), row


def copies(xs, ys):
    whole, part = list(xs), xs[1:]
    xs.sort()
    ys.reverse()
    xs[0] = 100.0
    return whole, part, xs + ys, xs[-1]


def of_tuples(ps):
    ps[0] = ps[1]
    ps[1] = (9, 1.5)
    return ps[0][1] + ps[1][0]


def of_complex(z, w):
    for i in range(len(z)):
        z[i] = z[i] * w[i] + 1j


def of_complex_rows(u, w):
    row = u[1]
    row[0] = row[1] * w + 2.0
    for i in range(len(u)):
        for j in range(len(u[i])):
            u[i][j] *= 1j
    return sum(u[0]), u[1][1], row


def failing(xs):
    xs[0] = 7
    if xs[1] > 0:
        raise ValueError("no")


def read_alone(u):
    total = 0.0
    for row in u:
        for x in row:
            total += x * x
    return total, u[2], max(u[1])


def zeros(n):
    return [0.0] * n


def of_new_lists(n, m):
    g = [[0] * n for _ in range(m)]
    for i in range(m):
        for j in range(n):
            g[i][j] = i * j
    g[0][0] += 5
    last = g[m - 1]
    last[1] = 77
    b = zeros(n)
    b[0] = 2.0
    swap(b, 0, 1)
    ys = b
    ys[0] = 9.0
    d = [[1.0, 2.0], [3.0, 4.0]]
    row = d[1]
    row[0] = 8.0
    return g, sum(g[1]), len(g), len(g[0]), [sum(each) for each in g], b, d


def zipped_while_changed(n):
    x, total = np.array([1.0, 2.0]), 0.0
    for u, w in zip(x, [1, 2]):
        x[1] += 7.0
        total += u * w
    xs = [1.0, 2.0]
    ys = xs
    for u, w in zip(ys, [1, 2]):
        xs[1] += 7.0
        total += u * w
    row = [1, 2]
    rows = [row, row]
    rows[0][0] = n
    cube = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    inner = cube[1][0]
    inner[1] = n
    return total, rows, cube


def merge_sorted(xs):
    if len(xs) > 1:
        left, right = [], []
        for i in range(len(xs) // 2):
            left.append(xs[i])
        for i in range(len(xs) // 2, len(xs)):
            right.append(xs[i])
        merge_sorted(left)
        merge_sorted(right)
        i = j = 0
        for k in range(len(xs)):
            if j >= len(right) or (i < len(left) and left[i] <= right[j]):
                xs[k] = left[i]
                i += 1
            else:
                xs[k] = right[j]
                j += 1
    return xs


def appended_and_handed_over(n):
    xs = []
    for i in range(n):
        xs.append(i)
    for i in range(n):
        swap(xs, i, 0)
    if n > 2:
        swap(xs, 1, 2)
    xs.append(7)
    swap(xs, n, 0)
    i = 0
    while i < n:
        xs.append(doubled(xs, i))
        i += 1
    return xs


def appended_between(n):
    xs = []
    for i in range(n):
        xs.append(i + 1)
        doubled(xs, 0)
    return xs


def doubled(xs, i):
    xs[i] *= 2
    return xs[i]


def zeros_of(n, m):
    return [[0 for _ in range(n)] for _ in range(m)]


def product_of(a, b):
    c = zeros_of(len(b[0]), len(a))
    for i in range(len(a)):
        for j in range(len(b[0])):
            c[i][j] = sum([a[i][k] * b[k][j] for k in range(len(b))]) / 2
    halves = [0] * len(a)
    for k in range(len(a)):
        halves[k] = 0.5
    swap(halves, 0, 1)
    return c, halves


def transposed(n):
    g = [[1.5 * j + i for j in range(n)] for i in range(n)]
    return [[g[j][i] for j in range(n)] for i in range(n)]


def of_tables(k):
    """Rows that are repeated, of a number of rows and columns that is known."""
    table = [[0] * 3 for _ in range(3)]
    joined = [[0, k] * 2 + [1] for _ in range(2)]
    cube = [[[0.5] * 2 for _ in range(2)] for _ in range(3)]
    pair = [[k] * 2, [0] * 2]
    for i in range(3):
        table[i][(i + k) % 3] = i
        cube[i][k][i // 2] = 1.5
    joined[k][k + 1] = 7
    pair[1][k] = 9
    return table, joined, cube, pair


NOT_CHANGED = "a list is not changed in place: make a new one, or use an array"


def handed_over_and_changed(n):
    """A list under two names, by the second of which it is changed, when the first has been read or is yet."""
    first = [5, 6]
    second = [0, 0]
    second[0] = n
    second = first
    second[1] = 7
    before = [0] * n
    for i in range(n):
        row = [0] * n
        row[0] = i
        before = row
        before[0] += 100
        if row[0] > 101:
            before[1] = 9
    return first, second, before


def of_copies(u, k):
    row, rows = u[k].copy(), [each.copy() for each in u]
    other = row
    other[0] = 9
    rows[k][0] += 5
    other = rows[0].copy()
    swap(other, 0, 1)
    return row, rows, other


CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (sorted_by_swaps, ([3.0, 1.0, 2.0, -1.0],)),
    (sorted_by_swaps, ([3, 1, 2],)),
    (rows_changed, ([[1, 2], [3, 4], [5, 6]], 1)),
    (quicksort, ([5, 3, 9, 1, 7, 2], 0, 5)),
    (copies, ([3.0, 1.0, 2.0], [1.0, 2.0])),
    (of_tuples, ([(1, 2.0), (3, 4.0)],)),
    (of_complex, ([1 + 2j, 3 - 1j], [2j, 1 + 0j])),
    (of_complex_rows, ([[1 + 2j, 3 - 1j], [0.5j, 2 + 0j]], 1 - 1j)),
    (failing, ([1, 2],)),
    (of_new_lists, (3, 4)),
    (of_tables, (1,)),
    (handed_over_and_changed, (3,)),
    (of_copies, ([[1, 2], [3, 4]], 1)),
    (zipped_while_changed, (9,)),
    (product_of, ([[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.0], [2.0, 3.0]])),
    (merge_sorted, ([5, 2, 9, 1, 7],)),
    (appended_and_handed_over, (4,)),
    (appended_between, (40,)),
    (transposed, (3,)),
    (transposed, (0,)),
    (read_alone, ([[0.5 * i + j for i in range(30)] for j in range(4)],)),
]


def run(f: Callable[..., Any], arguments: Any) -> str:
    given = copy.deepcopy(arguments)
    try:
        made = f(*given)
    except ValueError as error:
        made = error
    return repr((made, given))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("f, arguments", CALLS)
def test_as_in_python(f: Callable[..., Any], arguments: Any, target: str) -> None:
    assert run(jit(f, target=target), arguments) == run(f, arguments)


def test_the_callers_own_list_is_given_back() -> None:
    xs, u = [3, 1, 2], [[0.0] * 20 for _ in range(5)]
    assert jit(sorted_by_swaps, target="numpy")(xs) is xs

    def parts(u):
        return u[1], u

    row, whole = jit(parts, target="numpy")(u)
    assert row is u[1] and whole is u


def test_one_list_in_two_places() -> None:
    def first_of(a, b):
        a[0] = 3
        return a[0] + b[0]

    xs, row = [1, 2], [1, 2]
    assert jit(first_of, target="numpy")(xs, xs) == 6
    with pytest.raises(ValueError, match="one of them is in two places of its arguments: give it copies"):
        jit(rows_changed, target="numpy")([row, row], 0)


def test_derivatives_leave_lists_as_they_were() -> None:
    def squares(xs):
        for i in range(len(xs)):
            xs[i] = xs[i] ** 2
        return sum(xs)

    xs = [1.0, 2.0]
    assert grad(squares, target="numpy")(xs) == [2.0, 4.0]
    assert xs == [1.0, 2.0]
    value, slopes = value_and_grad(squares, target="numpy")([0.5] * 100)
    assert (value, slopes) == (25.0, [1.0] * 100)


def test_the_length_of_a_long_list_is_no_part_of_the_program() -> None:
    f = jit(read_alone, target="numpy")
    for count in (30, 40, 1000):
        f([[0.5] * count] * 5)
    assert len(f.compiled) == 1


@pytest.mark.parametrize(
    "text, said",
    [
        (
            "xs[0] = 1.5",
            "a list of ints that is changed in place keeps their kind, and a float is written into it: give it floats",
        ),
        (
            "xs[1:] = [2, 3]",
            NOT_OWNED,
        ),
        ("u[0] = [1.0, 2.0]", "a list in a list is not replaced by another: write its items, in a loop"),
        (
            "u[0][0] = 1.0\n    u += [[1.0, 2.0]]",
            NOT_OWNED,
        ),
        (
            "u[0][0] = 1.0\n    return sum(u, [])",
            "sum() of a list of lists is not supported: take np.array of it, or a loop",
        ),
        # rows that are one list
        ("q = [[[0] * 2] * 2 for _ in range(3)]\n    q[xs[0] % 2][1][0] = 5\n    return q", NOT_CHANGED),
        (
            "q = [list(u) for _ in range(2)]\n    q[0][xs[0] % 2][0] = 7.0\n    return q, u",
            "a list is not changed in place here: make a new one, or use an array",
        ),
        (
            "q = u.copy()\n    q[xs[0] % 2][0] = 7.0\n    return q, u",
            "a list is not changed in place here: make a new one, or use an array",
        ),
        ("q = [[0] * 2] * 3\n    q[xs[0] % 2][0] = 5\n    return q", NOT_CHANGED),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    f = loaded(f"def f(xs, u):\n    {text}\n")
    with pytest.raises(SourceError) as caught:
        jit(f, target="numpy")([1, 2, 3], [[1.0, 2.0], [3.0, 4.0]])
    assert caught.value.msg == said


def of_a_table(x):
    """Of Laplace's triangle: as many columns as there are elements, which lanes know."""
    n = len(x)
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        table[i][0] = x[i]
        for j in range(1, i + 1):
            table[i][j] = table[i - 1][j - 1] * x[i] + table[i][j - 1]
    return table[n - 1][n - 1]


def of_a_grid(x, n):
    g = [[x * i for j in range(3)] for i in range(3)]
    g[1][1] = x * x
    swap(g[0], 0, 1)
    total = 0.0
    for row in g:
        for v in row:
            total += v
    return total


@pytest.mark.turns(4)
def test_new_lists_in_lanes_and_derivatives() -> None:
    x = np.array([1.0, 2.0])
    assert grad(of_a_grid, target="numpy")(2.0, 3) == 12.0
    assert list(batch(of_a_grid, in_axes=(0, None))(x, 3)) == [of_a_grid(1.0, 3), of_a_grid(2.0, 3)]
    rows = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]])
    np.testing.assert_allclose(batch(of_a_table)(rows), [of_a_table(row) for row in rows])
    each = np.eye(3) * 1e-6
    slopes = [(of_a_table(rows[0] + e) - of_a_table(rows[0] - e)) / 2e-6 for e in each]
    np.testing.assert_allclose(batch(grad(of_a_table))(rows)[0], slopes, rtol=1e-6)


def test_lanes_change_no_lists_of_their_callers() -> None:
    with pytest.raises(SourceError, match="a list is not changed in place"):
        batch(lambda xs, x: swap(xs, 0, 1), in_axes=(None, 0))([1, 2], np.ones(2))
