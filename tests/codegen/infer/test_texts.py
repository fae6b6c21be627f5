"""Texts as values: messages that have names, what is printed, texts that are known."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest
from user_programs import loaded

from autobatch import batch
from autodiff import check_grads, grad
from codegen import SourceError, jit

NAMED = """
def f(x, n):
    message = f"{x} after {n} steps"
    if n > 3:
        raise ValueError(message)
    longer = message + f", {n * 2}" + "!"
    if n > 2:
        raise ValueError(f"so: {message}", longer, "%d of %r" % (n, x), str(n))
    return x
"""

HELPER = """
def complain(message):
    raise RuntimeError(message)

def f(x, n):
    for k in range(n):
        text = f"{k} < {x}"
        if k > x:
            complain(text)
    return x
"""

CHOSEN = """
def f(x, n):
    text = f"{x}" if n > 2 else f"{2.0 * x}"
    y = np.full(n, x)
    told = f"{y}"
    y[0] = 100.0
    if n > 1:
        raise ValueError(text, told)
    return y[0]
"""

PLACES = """
ABOUT = "{} of {!r}: {x:.2f}"

def f(x, n):
    after, both = "after %d steps", "%s and %r"
    if n > 4:
        raise ValueError(after % n)
    if n > 2:
        raise ValueError(ABOUT.format(n, x, x=x), both % (x, n))
    print(ABOUT.format(n, 2 * x, x=x))
    return x
"""

CLASSES = """
def f(x, n):
    y = np.full(n, np.float32(x))
    if n > 2:
        raise ValueError(f"{y.dtype} {type(x)} {type(y)!s:>24} {type(y[0]).__name__}", type(n), type(y[0]), y.dtype)
    return x
"""

KNOWN = """
def f(x, n):
    name = "-".join(["a", "b"]).upper()
    words = "one two".split()
    if name == "A-B" and len(words) == 2 and "%s=%d" % (words[0], 3) == "one=3" and str(2.5) == "2.5":
        return x * len(f"{name}")
    return x
"""

PRINTS = """
def f(x, n):
    total, seen = 0.0, []
    for k in range(n):
        total += x * k
        seen.append(k)
        if k % 2 == 0:
            print(f"step {k}: {total:8.3f}", total, k > 1, sep=" | ")
    y = np.array([x, total])
    print("all", y, seen, None, (n, "a"))
    y[0] = 7.0
    text = f"{y}"
    print(text + ".", np.float32(0.1), [n])
    print()
    print("two", "words", sep="")
    print(total)
    return y[0]
"""

ORDER = """
def shown(x, k):
    print("shown", k)
    return x / (k + 2)

def f(x, n):
    total = 0.0
    for k in range(n):
        total += shown(x, k)
        shown(x, k)
        if k == 2:
            raise ValueError(f"{total}")
        print(k)
    return total
"""


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("text", [NAMED, HELPER, CHOSEN, PLACES, CLASSES, KNOWN, PRINTS, ORDER])
def test_texts(text, target):
    """What is returned, raised and printed is what Python's is."""
    f = loaded(text)
    made = jit(f, target=target)
    for n in (0, 2, 3, 5):
        assert told(made, 1.5, n) == told(f, 1.5, n)


def told(f, *arguments):
    out = io.StringIO()
    with redirect_stdout(out):
        try:
            result = f(*arguments)
        except (ValueError, RuntimeError, ZeroDivisionError, IndexError, UnboundLocalError) as error:
            result = type(error), error.args
    return result, out.getvalue()


def test_print_in_the_text_of_programs():
    """NumPy's text prints as the user's does; Numba's has a class for what Numba would print otherwise."""
    f = loaded('def f(x):\n    print(f"{x:.2f}", x)\n    print(x, 1)\n    return x\n')
    assert 'print(f"{x:.2f}", x)\n    print(x, 1)' in jit(f, target="numpy").source(1.0)
    text = jit(f).source(1.0)
    assert "print(Told(x))\n    print(x, 1)" in text
    assert 'return " ".join(map(str, (f"{x:.2f}", x)))' in text


def test_end_of_a_line():
    """Numba ends each line."""
    f = loaded('def f(x):\n    print(x, end=" ")\n    return x\n')
    assert told(jit(f, target="numpy"), 1.0) == (1.0, "1.0 ")
    with pytest.raises(SourceError) as caught:
        jit(f)(1.0)
    assert caught.value.lineno == 2
    assert caught.value.msg == (
        "print(end=...) is not supported by Numba, which ends each line: print a line at once"
    )


def test_what_is_not_run_prints_nothing():
    f = loaded("def f(x, verbose=False):\n    if verbose:\n        print(x)\n    return x\n")
    assert "print" not in jit(f).source(1.0)
    assert told(jit(f), 1.0, True) == (1.0, "1.0\n")
    assert np.isscalar(jit(f)(1.0))


LAYERS = {"W0": np.eye(2), "b0": np.ones(2), "W1": np.ones((2, 1)), "b1": np.array([0.5])}
AROUND = {(0, "scale"): 2.0, (1, "scale"): 3.0}


def by_layers(p, x):
    for i in range(2):
        x = np.tanh(x @ p[f"W{i}"] + p["b" + str(i)]) * AROUND[i, "scale"]
    return np.sum(x) + sum(np.sum(p["b%d" % i] ** 2) for i in range(2))


def test_loops_are_written_out_where_keys_hang_on_their_index() -> None:
    x = np.array([[0.5, -1.0], [0.25, 2.0], [1.0, 0.0]])
    assert jit(by_layers, target="numpy")(LAYERS, x) == pytest.approx(by_layers(LAYERS, x), rel=1e-14)
    check_grads(by_layers, (LAYERS, x), order=2)
    lanes = {key: np.stack([value, 2.0 * value]) for key, value in LAYERS.items()}
    expected = [by_layers({key: value[k] for key, value in lanes.items()}, x) for k in range(2)]
    many = batch(by_layers, in_axes=(0, None), target="numpy")(lanes, x)
    np.testing.assert_allclose(many, expected, rtol=1e-14)


def test_a_break_leaves_a_loop_that_is_written_out() -> None:
    def f(p, x):
        total = 0.0
        for i in range(4):
            if total > x:
                break
            total += p[f"b{i % 2}"][0]
        else:
            total = -total
        return total

    for x in (0.2, 1.2, 9.0):
        assert jit(f, target="numpy")(LAYERS, x) == f(LAYERS, x)


def test_keys_that_hang_on_the_index_of_a_long_loop() -> None:
    def f(p):
        total = 0.0
        for i in range(33):
            total += p[f"b{i % 2}"][0]
        return total

    with pytest.raises(
        SourceError, match="^a number or an array is needed here, not a text that is not known"
    ):
        jit(f, target="numpy")(LAYERS)

    def g(k):
        return AROUND[k * 2, "scale"]

    with pytest.raises(SourceError, match="^the key of a dict must be known before the program runs"):
        jit(g, target="numpy")(1.0)


LETTERS = """
def f(x, y):
    s = 0.0
    for k, (axis, a, b) in enumerate(zip("zyx", x, y)):
        s += a * b * k if axis == "y" else a - b
    held = dict(zip(["a", "b"], x))
    return s + sum(2.0 * v if c == "x" else v for c, v in zip("yxy", y)) + held["b"]
"""


def test_letters_beside_arrays() -> None:
    """A program for each size of the arrays, as it hangs on which of them is the shortest."""
    f = loaded(LETTERS)
    compiled, slope = jit(f), grad(f)
    for n in (2, 3, 5):
        x, y = np.linspace(1.0, 2.0, n), np.linspace(-3.0, 1.0, n) ** 2
        assert np.isclose(compiled(x, y), f(x, y))
        assert np.allclose(slope(x, y), [(f(x + d, y) - f(x - d, y)) / 2e-6 for d in 1e-6 * np.eye(n)])
    rows = np.array([[1.0, 2.0, 4.0], [0.5, 3.0, -1.0]])
    assert np.allclose(batch(f)(rows, rows + 1.0), [f(row, row + 1.0) for row in rows])
