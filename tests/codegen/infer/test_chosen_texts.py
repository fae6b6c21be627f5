"""Texts of which one is chosen when the program runs: states, labels, and what a function says of a number."""

from typing import Any

import numpy as np
import pytest
from plain_python import complaint
from user_programs import loaded

from autobatch import batch
from autodiff import grad, value_and_grad
from codegen import SourceError, jit

EPIDEMIC = """
    state, t = "S", 0.0
    for k in range(n):
        if state == "S":
            if x * k > 1.0:
                state = "E"
        elif state == "E":
            state = "I"
            t += x
        elif state in ("I", "R"):
            state = "R" if k % 4 == 0 else state
            t += x**2
        if state != "R" and k > 20:
            break
    return t, state, state == "R", {"at": (state, n)}"""

STEPS = """
    def step(s, x):
        if s == "a":
            return "b", x + 1
        if s == "b":
            return "c", x * 2
        return s, x - 1

    s = "a"
    for _ in range(n):
        s, x = step(s, x)
    return s, x"""

RATES = """
    s, rates = "S", {"S": 0.5, "I": 0.25, "R": 0.1}
    for k in range(n):
        x += rates[s]
        s = "I" if s == "S" else "R" if k % 2 else "S"
    return x * {"S": 1.0, "I": x, "R": 3.0}[s]"""

OR_NONE = """
    found, status = None, "running"
    for i in range(n):
        if i > x:
            found = "late"
        elif i == 1:
            found = "early"
    while status == "running":
        n -= 1
        if n < 0:
            status = "done"
        elif x > 5:
            status = "failed"
    return status, found == "late", n, 1.0 if found is None else 2.0"""

MATCHED = """
    mode = "up" if n > 3 else "down"
    match mode:
        case "up":
            x = x * 2
        case "down" | "left":
            x = -x
    return x, mode, "more" if mode else ""
"""

RECURSION = """
    def turned(s, n):
        if n == 0:
            return s
        return turned("odd" if s == "even" else "even", n - 1)

    return turned("even", n)"""

COMPARED = """
    a, b = "a" if x > 0 else "b", "b" if n > 3 else ""
    n += 1 if b else 10
    if a in {"a", "c"} or a == 3 or b is None:
        n += 100
    a, b = b, a
    return n, (a, b) == ("b", "a"), a != b, b in (a, "a"), [a, b]"""

TRIED = """
    try:
        said = "ok"
        if x > 1:
            raise ValueError("no")
    except ValueError:
        said = "bad"
    return said"""

AMONG = """
    order = ("low", "mid", "high")
    said = "low" if x < 0 else "high"
    return order.index("mid") * n + order.count("none") + (said == order[order.index("high")])"""

LISTED = """
    log, pairs = [], []
    for k in range(n):
        said = "zeta" if k % 2 == 0 else "alpha"
        log.append("late" if k > 3 else said)
        pairs.append((said, -k))
    last = "alpha" if x > 0 else "late"
    counts = log.count("alpha"), log.count(last), log.count("none"), log.index("zeta")
    among = "zeta" in log, "none" in log, last in log, last not in log, 3 in log, ("alpha", -1) in pairs
    return log, counts, among, pairs.count(("zeta", 0)), isinstance(last, str), isinstance(log[0], (int, list))"""

PROGRAMS = [EPIDEMIC, STEPS, RATES, OR_NONE, MATCHED, RECURSION, COMPARED, TRIED, AMONG, LISTED]
GIVEN = [(0.7, 2), (0.7, 9), (6.0, 4), (-1.0, 5)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("text", PROGRAMS)
def test_one_is_chosen(text: str, target: str) -> None:
    for x, n in GIVEN:
        assert complaint(text, {"x": x, "n": n}, target=target) is None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("schedule", ["auto", "program_counter", "local_static"])
@pytest.mark.parametrize("text", [STEPS, MATCHED, RECURSION, TRIED])
def test_lanes_choose(text: str, schedule: str) -> None:
    f: Any = loaded(f"def f(x, n):\n{text}\n")
    xs, ns = (np.array(column) for column in zip(*GIVEN, strict=True))
    want, found = [f(x, n) for x, n in GIVEN], batch(f, schedule=schedule)(xs, ns)
    for got, one in zip(found if isinstance(found, tuple) else [found], columns(want), strict=True):
        assert np.array_equal(got, one) or np.allclose(got, one)


def columns(results: list[Any]) -> list[Any]:
    return (
        [np.array(column) for column in zip(*results, strict=True)]
        if type(results[0]) is tuple
        else [np.array(results)]
    )


@pytest.mark.parametrize("text, k", [(RATES, None), (EPIDEMIC, 0), (STEPS, 1)])
def test_derivatives(text: str, k: int | None) -> None:
    whole: Any = loaded(f"def f(x, n):\n{text}\n")

    def part(x, n):
        return whole(x, n)[k]

    f = whole if k is None else part
    for x, n in GIVEN:
        assert np.isclose(grad(f)(x, n), (f(x + 1e-6, n) - f(x - 1e-6, n)) / 2e-6)


OF_TWO_PROGRAMS = """
def loss(x, told):
    said = "up" if x > 1.0 else "down"
    return x * x if told == "no" else 3.0 * x, said

def f(x):
    first = "first" if x > 3.0 else "down"

    def scaled(y):
        now = first if y > 0.5 else "none"
        return 2.0 * y if now == "first" else 5.0 * y if now == "down" else y

    (value, said), slope = value_and_grad(loss, has_aux=True)(x, "no")
    return value, said == first, said == "down", slope, said if x < 4.0 else first, grad(scaled)(x)
"""


def test_programs_in_a_program_number_texts_anew() -> None:
    f: Any = loaded(OF_TWO_PROGRAMS)
    f.__globals__.update(grad=grad, value_and_grad=value_and_grad)
    for x in (0.25, 0.75, 2.0, 3.5, 5.0):
        assert jit(f)(x) == f(x)


TOLD = (
    "the letters of a text are asked for that tells more than ints and texts, by str(n), "
    'f"{n}", bin(n) and `+`: ask for what it tells'
)


@pytest.mark.parametrize(
    "text, said",
    [
        ("np.array([s])", "a number or an array is needed here, not one of several texts"),
        ("(1.0, 2.0)[s]", "a tuple of 2 is not read by a text that is chosen when the program runs"),
        ("s.title()", "'title' is not supported where its letters are found out when it runs"),
        ("f'{x}' == 'a'", TOLD),
        ("str(x) in (s, 'b')", TOLD),
        ("f'{x}' != s", TOLD),
    ],
)
def test_nothing_else_is_known_of_it(text: str, said: str) -> None:
    with pytest.raises(SourceError) as error:
        jit(loaded(f"def f(x):\n    s = 'a' if x > 0 else 'bc'\n    return {text}\n"))(1.0)
    assert error.value.problems[0][1] == said


ASKED = ["len(s)", "s[0]", "[c for c in s]", "s < 'b'", "s in 'abc'", "s != f'{int(x)}'", "s + s[-1:]"]


@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("text", ASKED)
def test_where_letters_are_asked_for_it_is_the_list_of_them(text: str, target: str) -> None:
    f = loaded(f"def f(x):\n    s = 'a' if x > 0 else 'bc' if x > -2 else 'd'\n    return {text}\n")
    made = jit(f, target=target)
    for x in (1.0, -1.0, -3.0):
        assert made(x) == f(x)


@pytest.mark.parametrize("text", ["sorted(xs)", "max(xs)", "np.array(xs)", "np.array([s for s, _ in xs])"])
def test_their_numbers_have_no_order(text: str) -> None:
    body = f"    for v in x:\n        xs.append(('z' if v > 0 else 'a', v))\n    return {text}"
    with pytest.raises(SourceError):
        jit(loaded(f"def f(x):\n    xs = []\n{body}\n"))(np.array([1.0, -1.0]))


def test_a_text_that_is_no_key() -> None:
    f = loaded("def f(x):\n    s = 'a' if x > 0 else 'bc'\n    return {'a': x, 'b': 2.0}[s]\n")
    assert jit(f)(1.5) == 1.5
    with pytest.raises(KeyError, match="the key is not in the dict"):
        jit(f)(-1.0)


MESSAGES = """
def f(x, n):
    s = "start"
    for k in range(n):
        if x * k > 3:
            raise ValueError(f"state {s} at {k}: {s!r} {s:>8}|")
        if s == "start" and x > 0:
            s = "don't"
        elif s == "don't":
            s = 'say "a\\\\b{c}"'
    if n > 6:
        raise ArithmeticError(s, n)
    if n > 4:
        raise KeyError(s)
    message = f"<{s}>" + s
    if n == 4:
        raise RuntimeError(message, "%s!" % s, str(s), repr(s))
    print("now", s, f"{s}-{n}")
    return s
"""


@pytest.mark.parametrize("target", ["numba", "numpy"])
def test_messages_say_which_it_is(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    f: Any = loaded(MESSAGES)
    compiled = jit(f, target=target)
    cases = (
        (2.0, 3),
        (2.0, 2),
        (2.0, 1),
        (1.0, 9),
        (-1.0, 7),
        (0.1, 7),
        (0.1, 5),
        (0.1, 4),
        (-0.1, 4),
        (0.1, 3),
    )
    for given in cases:
        assert told(compiled, given, capsys) == told(f, given, capsys)


def told(f: Any, given: tuple[float, int], capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """What a call gives or raises, and what it prints."""
    try:
        said = repr(f(*given))
    except Exception as error:
        said = repr(error)
    return said, capsys.readouterr().out


def test_the_text_of_the_program(golden: Any) -> None:
    golden("chosen_texts.py", jit(loaded(f"def f(x, n):\n{STEPS}\n"), target="numpy").source(0.5, 3))
