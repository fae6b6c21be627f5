"""What is written into arrays, and seen by whoever shares their memory: plain Python is the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit


def same(f: Callable[..., Any], *arguments: Any) -> None:
    """Values, dtypes and changed arguments; exceptions by their text."""

    def run(g: Callable[..., Any]) -> Any:
        given = tuple(a.copy() for a in arguments)
        try:
            return repr((g(*given), given))
        except IndexError as error:
            return repr(error)

    assert run(jit(f, target="numpy")) == run(f)


def refused(f: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(SourceError) as caught:
        jit(f, target="numpy")(*arguments)
    return str(caught.value.msg)


def test_a_part_without_axes_shows_what_is_written():
    def read(b):
        t = b[..., 0]
        b[0] = 5
        for _ in range(3):
            b[0] = b[0] * 2 + t
        return t * 1

    def written(b):
        t = b[..., 0]
        t += 7
        u = t
        b[1] = u
        u -= 1
        return t * 1, u * 1

    def a_number(b):
        t = b[..., 0]
        t = t + 1
        t += 1
        return t, b[0]

    def reshaped(b):
        t = b[:1].reshape(())
        b[0] = 3
        return t * 1

    for f in (read, written, a_number, reshaped):
        same(f, np.array([1, 2]))


def test_what_is_flattened_is_a_copy_only_where_it_must_be():
    def of_its_own(a):
        b = a * 1
        c, d = b.ravel(), b[1:].ravel()
        c[0] = 9
        d[0] = 8
        return b

    def of_the_caller(a):
        b = a.ravel()
        b[0] = 9
        return b

    def of_a_step(a):
        b = (a * 1)[::2].ravel()
        b[0] = 9
        return b

    same(of_its_own, np.arange(3))
    assert "it may be a view of 'a'" in refused(of_the_caller, np.arange(6)[::2])
    same(of_a_step, np.arange(3))


def test_numbers_that_are_arrays_without_axes_are_not_changed():
    def reshaped(a):
        np.add.at(a.reshape(1), 0, 1)
        return a * 1

    def renamed(a):
        b = a
        b += 1
        return b * 1

    for f in (reshaped, renamed):
        with pytest.raises(TypeError, match="argument 'a' of .* is an array without axes"):
            jit(f, target="numpy")(np.array(1))
        assert jit(f, target="numpy")(np.int64(1)) == (1 if f is reshaped else 2)


def test_masks_of_other_sizes():
    def filled(a, c):
        a[c > 1] = 7
        a[c > 2] += 1
        return a

    for mask in ([1, 2, 3], [1, 2], [], [5]):
        same(filled, np.array([1, 2, 3]), np.array(mask, np.int64))
    for shape in ((2, 3), (0, 3), (2, 2), (2, 1)):
        same(filled, np.ones((2, 3)), np.full(shape, 2))


def test_values_with_more_axes_than_their_places():
    def element(a, c):
        a[1] = c
        return a

    def part(a, c):
        a[..., 1] = c
        a[[0]] = c
        a[2:] = c
        return a

    def added(a, c):
        a[:2] += c
        return a

    def raised(a, c):
        a[[1]] **= c
        return a

    for c in (np.array([4]), np.array([[4]])):
        same(part, np.array([1, 2, 3]), c)
        assert "is written to one element" in refused(element, np.array([1, 2, 3]), c)
    same(added, np.array([1, 2, 3]), np.array([4]))
    assert "does not fit the places" in refused(added, np.array([1, 2, 3]), np.array([[4]]))
    assert "does not fit the places" in refused(raised, np.array([1, 2, 3]), np.array([[4]]))


def test_what_is_added_at_places_in_another_dtype_is_refused():
    def added(a, c):
        np.add.at(a, [0, 0], c)
        return a

    same(added, np.array([1.5]), np.array(1))
    assert (
        refused(added, np.array([1]), 1.5) == "np.add.at of f8 into an array of i8: cast what is added first"
    )
    assert "np.add.at of i8 into an array of b1" in refused(added, np.array([True]), 1)


def test_divisions_by_minus_one_keep_numpy_s_dtypes():
    def f(a, b, c):
        c[0] /= -1
        return a / -1, b / -1, a * -1, c / -1

    same(f, np.array([-128, 3], np.int8), np.array([1, 3], np.uint8), np.array([True, False]))


def test_results_of_lanes_are_what_was_there_before_arguments_are_written():
    def f(b):
        t = b[1]
        u = b[:1] * 1
        b[1] = 1
        return t, u

    given = np.array([[1, 2], [3, 4]])
    made = batch(f, target="numpy")
    t, u = made(given)
    assert t.tolist() == [2, 4] and u.tolist() == [[1], [3]] and given.tolist() == [[1, 1], [3, 1]]
    module: dict[str, Any] = {}
    exec(made.source(given), module)
    again = np.array([[1, 2], [3, 4]])
    assert module["f_batch"](again)[0].tolist() == [2, 4] and again.tolist() == [[1, 1], [3, 1]]


def test_an_argument_that_shows_another_is_left_as_it_was_before_that_is_written():
    def f(a, b):
        for _ in range(2):
            b[:] = a
        a.fill(2)

    def given() -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((3, 2)), np.ones((3, 2))

    made = batch(f, target="numpy")
    module: dict[str, Any] = {}
    exec(made.source(*given()), module)
    for run in (made, module["f_batch"]):
        a, b = given()
        run(a, b)
        assert np.all(a == 2.0) and np.all(b == 0.0)


def test_numbers_are_added_to_whole_vectors_by_numba():
    def f(b, c):
        b[:] += c
        return b

    assert jit(f)(np.ones(3), 2).tolist() == [3.0, 3.0, 3.0]


def test_what_is_reshaped_keeps_its_size_whether_it_is_read_or_not():
    def two_rows(a, n):
        b = np.reshape(np.linspace(0.0, 1.0, n), (2, -1))
        c = a.reshape(n // 2, 2)
        return n

    for target in ("numpy", "numba"):
        made = jit(two_rows, target=target)
        assert made(np.ones(4), 4) == 4
        for n, size, shape in ((5, 5, "(2,newaxis)"), (6, 4, "(3,2)")):
            with pytest.raises(ValueError) as caught:
                made(np.ones(4), n)
            assert str(caught.value) == f"cannot reshape array of size {size} into shape {shape}"


def test_parts_of_parts_keep_their_names():
    def f(a):
        b = a[:1][:]
        c = b.reshape(1)
        return b

    same(f, np.array([False]))


def test_a_mask_is_written_in_dtypes_that_fit():
    def f(a):
        a[a] //= 1
        return a

    assert refused(f, np.array([True])) == "cannot cast from i8 to b1 in place"


def test_an_array_taken_from_itself_backwards_by_numba():
    def f(b, a):
        b[1::-1] -= b
        t = (a > a) * a
        return b, bool(t[0])

    got, _ = jit(f)(np.array([-1.7, -2.5]), np.ones(2, np.int64))
    np.testing.assert_allclose(got, [0.8, -0.8])


@pytest.mark.parametrize("schedule", ["lanewise", "local_static"])
def test_a_row_transposed_is_the_row(schedule: str) -> None:
    def f(b):
        t = b.T.T
        b[1] += 2
        return t

    rows = np.array([[2, 1], [5, 6]])
    made = batch(f, target="numpy", schedule=schedule)(rows.copy())
    np.testing.assert_array_equal(made, [f(row) for row in rows.copy()])


def test_results_of_unknown_size_are_refused() -> None:
    def f(b, c):
        return b[c:c:1]

    with pytest.raises(SourceError, match="not known before the program runs"):
        batch(f, schedule="lanewise")(np.zeros((2, 0)), np.array([1, 1]))


def test_fill_writes_numbers_that_fit():
    def filled(x, v):
        x.fill(v)
        return x

    same(filled, np.zeros((2, 2), np.int8), np.array([3.5])[0])
    assert refused(filled, np.zeros(2), np.ones(1)) == "setting an array element with a sequence."
    with pytest.raises(OverflowError):
        jit(filled, target="numpy")(np.zeros(2, np.int8), 300)


ANEW = """
def f(x, y):
    v = {made}
    v[0] = 5.0
    u = v
    v = v + y
    return x, u, v

def g(x, y):
    v = {made}
    v[0] = 5.0
    try:
        return x, v
    finally:
        v = v + y
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("made", ["x[:]", "x[1:]", "x.copy()", "x[::-1].copy()"])
def test_a_sum_with_its_own_name_is_a_new_array(made, target):
    """What a name had is left as it was; of lists that one name has, it is what they are then."""
    for name in ("f", "g"):
        f = loaded(ANEW.format(made=made), name)
        for wanted, found in zip(f(np.ones(3), 2.0), jit(f, target=target)(np.ones(3), 2.0), strict=True):
            np.testing.assert_array_equal(found, wanted)
        lanes = batch(f, target=target)(np.ones((2, 3)), np.array([2.0, 3.0]))
        for wanted, found in zip(f(np.ones(3), 3.0), lanes, strict=True):
            np.testing.assert_array_equal(found[1], wanted)


def test_arrays_of_other_sizes_than_their_places_are_an_error():
    def written(a, b, used):
        t = np.zeros(2)
        if used == 0:
            t[1:] = b * 2.0  # as a loop it would read past the end
        elif used == 1:
            a[:] = b * 2.0
        elif used == 2:
            np.zeros(1)[:] = b  # nobody reads what is written
        else:
            a[:1] = b[:1] * 2.0
        return t, a

    for target in ("numpy", "numba"):
        made = jit(written, target=target)
        for used in range(3):
            for given in (np.ones(2), np.ones(3)), (np.ones(3), np.ones(2)):
                with pytest.raises(ValueError, match="could not broadcast"):
                    written(*given, used)
                with pytest.raises(ValueError, match="could not broadcast"):
                    made(*given, used)
        assert made(np.ones(2), np.ones(3), 3)[1].tolist() == [2.0, 1.0]


def test_places_that_are_not_there_are_told_before_sizes_that_do_not_fit():
    def row(m, v):
        m[5] = v

    def added(x, v):
        np.add.at(x, [0, 5], v)

    same(row, np.zeros((2, 4)), np.ones(3))
    same(added, np.zeros(2), np.ones(3))


def swapped(a, b, n):
    for _ in range(n):
        b[1:-1] = 0.5 * (a[2:] + a[:-2])
        a, b = b, a
    return a.sum()


def three_in_turn(a, b, c, n):
    k = 0
    while k < n:
        c[1:-1] = 2.0 * b[1:-1] - a[1:-1] + 0.1 * (b[2:] - b[:-2])
        a, b, c = b, c, a
        k += 1
    return a + 0.0, b + 0.0


def until_near(a, b, tolerance):
    n = 0
    while True:
        b[1:-1] = 0.5 * (a[2:] + a[:-2])
        distance = np.max(np.abs(a - b))
        spare = a
        a = b
        b = spare
        n += 1
        if distance < tolerance:
            break
    return n


def with_one_of_its_own(a, n):
    b = a.copy()
    for i in range(n, 0, -2):
        for j in range(1, len(a) - 1):
            b[j] = a[j - 1] * i + a[j + 1]
        a, b = b, a


def in_two_loops(a, b, n):
    for _ in range(n):
        b[1:-1] = 0.5 * (a[2:] + a[:-2])
        a, b = b, a
    total = a.sum()
    for i in range(n):
        total += a[i] * b[i]
    return total


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 6])
def test_buffers_that_change_places(n: int):
    a = np.linspace(0.0, 1.0, 9) ** 2
    b = np.concatenate([a[:1], np.full(7, 0.3), a[-1:]])
    same(swapped, a, b, np.array(n))
    same(three_in_turn, a, b, 2.0 * a, np.array(n))
    same(until_near, a, b, np.array(10.0**-n))
    same(with_one_of_its_own, a, np.array(n))
    same(in_two_loops, a, b, np.array(n))


@pytest.mark.turns(4)
def test_compiled_and_over_lanes_they_change_places_too():
    a = np.linspace(0.0, 1.0, 9) ** 2
    b = np.concatenate([a[:1], np.full(7, 0.3), a[-1:]])
    for n in (3, 4):
        x, y, x2, y2 = a.copy(), b.copy(), np.stack([a, b]), np.stack([b, a])
        assert jit(swapped)(x, y, n) == pytest.approx(swapped(a2 := a.copy(), b2 := b.copy(), n))
        assert np.allclose(x, a2) and np.allclose(y, b2)
        batch(swapped, in_axes=(0, 0, None))(x2, y2, n)
        assert np.allclose(x2[0], a2) and np.allclose(y2[0], b2)


def test_complex_buffers_and_those_in_tuples_change_places():
    def of_complex(a, b, n):
        for _ in range(n):
            b[1:-1] = 0.5j * (a[2:] + a[:-2])
            a, b = b, a
        return a.sum()

    def in_a_tuple(a, b, n):
        pair = a, b
        for _ in range(n):
            pair[1][1:-1] = pair[0][2:] + pair[0][:-2]
            pair = pair[1], pair[0]

    a = np.linspace(0.0, 1.0, 9)
    for n in (0, 3, 4):
        same(of_complex, a + 0j, a * 2j, np.array(n))
        same(in_a_tuple, a, 2.0 * a, np.array(n))


def test_names_that_changed_places_are_not_written_after_the_loop():
    def written(a, b, n):
        for _ in range(n):
            b[:] = a + 1.0
            a, b = b, a
        a[0] = 0.0

    def sometimes(a, b, n):
        for i in range(n):
            b[:] = a + 1.0
            if i % 3:
                a, b = b, a

    assert "after the loop it may be the array that was 'a' before it" in refused(
        written, np.ones(2), np.ones(2), 2
    )
    assert "in some iterations" in refused(sometimes, np.ones(2), np.ones(2), 2)


def test_what_is_reshaped_at_once_is_nobody_elses():
    def rows(a, b, n):
        x = np.dot(a, b).reshape(n, -1)
        x[:, 0] = np.tanh(x[:, 0])
        y = (a * 2.0).T.ravel()
        y[0] += 1.0
        return x, y

    same(rows, np.arange(9.0).reshape(3, 3), np.ones((3, 3)), np.array(3))


def test_rows_of_a_transposed_matrix_are_columns():
    def by_columns(m, i):
        for k in range(m.shape[1]):
            m.T[k] = m.T[k] + k
        m.T[i, 0] = 5.0
        m.T[i, :] *= m[:, 1]
        m.T[0:2, 1] = m.T[-1, :1]
        m.T[-1] -= 2.0
        return m.T[i]

    def too_far(m):
        m.T[3] = 1.0
        return m

    def rows(m):
        m.T[1:] = 0.0

    m = np.arange(6.0).reshape(2, 3)
    same(by_columns, m, np.array(1))
    same(by_columns, m[::-1, ::-1], np.array(-1))
    with pytest.raises(
        IndexError, match="index 3 is out of bounds for axis 1 with size 3"
    ):  # the matrix's axis
        jit(too_far, target="numpy")(m)
    same(rows, m)


AROUND = np.array(2.0)


def changed(c, x):
    c += x
    return c


def changes_around(x):
    c = AROUND
    c += x
    return c


def gives_around(x):
    return changed(AROUND, x)


def gives_its_own(c, x):
    return changed(c, x)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_an_array_without_axes_is_not_changed_unseen(target):
    """NumPy's `+=` changes it for all: around a function, and through one that is called."""
    with pytest.raises(
        SourceError, match="'AROUND' is written in place, but it is an array of the enclosing"
    ):
        jit(changes_around, target=target)(1.5)
    with pytest.raises(SourceError, match="'c' is changed in place by a function that is called"):
        jit(gives_around, target=target)(1.5)
    with pytest.raises(TypeError, match="argument 'c' of gives_its_own is an array without axes"):
        jit(gives_its_own, target=target)(np.array(1.0), 1.5)
    assert jit(gives_its_own, target=target)(1.0, 1.5) == 2.5
    assert AROUND == 2.0


def of_two_sizes(t, k):
    total = 0.0
    for j in range(2):
        total += t[j].min() * t[1 - j].shape[0]
    return total + np.sum(t[k] ** 2)


@pytest.mark.turns(4)
def test_a_tuple_of_arrays_of_other_sizes_is_read_at_any_place():
    given = np.arange(1.0, 4.0), np.ones(5)
    for k in (0, 1, -1, -2):
        assert jit(of_two_sizes)(given, k) == of_two_sizes(given, k)
        slopes = grad(of_two_sizes)(given, k)
        np.testing.assert_array_equal(slopes[0], [5.0, 0.0, 0.0] + (k in (0, -2)) * 2 * given[0])
    with pytest.raises(IndexError, match="tuple index out of range"):
        jit(of_two_sizes)(given, 2)


def test_a_text_is_read_at_places_that_are_not_known():
    for count in (2, 900):
        assert jit(lambda text, x: [text[k % 3] == "a" for k in range(len(x))])("abc", np.ones(count)) == (
            [k % 3 == 0 for k in range(count)]
        )
    with pytest.raises(IndexError, match="string index out of range"):
        jit(lambda text, x: [text[k] == "a" for k in range(len(x))])("abc", np.ones(1000))


def relaxed(x, n):
    while n > 0:
        x = x * 0.5 + 1.0
        n -= 1
    return x


def given_back(x, n):
    s = np.zeros(3)
    for k in range(4):
        s = relaxed(s, n - k)
        s[1] += x * k
    return s


def given_back_on_a_way(x, n):
    s = np.ones(3) * x
    r = relaxed(s, n)
    if n > 1:
        s = np.zeros(3)
        r[0] = 5.0
    return s + r


def held_by_another(x, n):
    s = np.ones(3) * x
    t = s
    s = relaxed(s, n)
    s[0] = 5.0
    return s + t


def held_by_the_caller(x, n):
    return changed_there(np.ones(3) * x, n)


def changed_there(s, n):
    s = relaxed(s, n)
    s[0] = 1.0
    return s


@pytest.mark.parametrize("f", [given_back, given_back_on_a_way])
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_what_a_call_may_give_back_is_written_where_no_other_name_has_it(f, target):
    for n in range(4):
        np.testing.assert_allclose(jit(f, target=target)(1.5, n), f(1.5, n), rtol=1e-15)


@pytest.mark.parametrize("f", [held_by_another, held_by_the_caller])
def test_what_a_call_may_give_back_is_not_written_where_another_name_has_it(f):
    with pytest.raises(SourceError, match="'s' is written in place, but it may be a part of an argument"):
        jit(f)(1.5, 2)


class Path:
    def __init__(self, goal):
        self.goal, self.step, self.way = goal, 1.0, np.zeros(2)


def towards(x, goal):
    path = Path(goal)
    for _ in range(3):
        for k in range(2):
            path.way[k] += path.step * (goal[k] - x[k])
            path.step *= 0.75
            if path.step < 0.5:
                break
        path.way += 0.125
    return path.way


def test_fields_that_loops_change_write_no_other_arrays():
    x, goal = np.array([[0.25, 0.5], [1.0, 2.0]]), np.array([1.0, 3.0])
    want = [towards(row, goal) for row in x]
    np.testing.assert_allclose(batch(towards, in_axes=(0, None))(x, goal), want, rtol=1e-14)
    assert "path_goal" not in jit(towards, target="numpy").source(x[0], goal)
