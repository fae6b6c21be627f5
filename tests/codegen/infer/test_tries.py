"""`try`: the handler that plain Python runs, with the names and arrays that it sees; lanes and derivatives of it."""

import numpy as np
import pytest
from user_programs import loaded

from autobatch import LaneError, batch
from autodiff import grad, jvp
from codegen import SourceError, jit

HELPERS = """
def helper(x, k):
    if k > 2:
        raise ValueError(f"{k} is too large")
    if x < 0.0:
        raise NotImplementedError(k)
    total = x
    for i in range(k + 1):
        total = total * x
        if total > 30.0:
            raise KeyError(i)
    return total
"""

# A program, and arguments of it: a float and an int.
PROGRAMS = {
    "a quotient": (
        '''
def f(x, k):
    try:
        y = x / k
    except ZeroDivisionError:
        y = -x
    return y * 2.0
''',
        ((1.5, 0), (1.5, 2)),
    ),
    "a number of another kind": (
        '''
def f(x, k):
    n = x
    try:
        n = int(x)
        n = n // k
    except (ValueError, ZeroDivisionError):
        n = 3
    total = x
    for i in range(n):
        total += x * i
    return total
''',
        ((3.5, 1), (3.5, 0)),
    ),
    "an else part that nothing comes to": (
        '''
def f(x, k):
    a = np.array([x, 1.0])
    try:
        a[k] = 2.0
    except IndexError:
        try:
            raise KeyError("here")
        except ValueError:
            x = 0.0
        else:
            x = a[0] if x > 1.0 else x
    return x
''',
        ((1.5, 1), (1.5, 2)),
    ),
    "a helper": (
        '''
def f(x, k):
    y = x
    try:
        y = helper(x, k) + 1.0
        y = y + helper(x, k + 1)
    except (ValueError, KeyError):
        return y * x
    except Exception as error:
        y = 0.5 * x
    else:
        y += x
    return y
''',
        ((1.5, 0), (1.5, 2), (1.5, 3), (-1.0, 1), (9.0, 1)),
    ),
    "arrays": (
        '''
def f(x, k):
    a = np.zeros(3)
    try:
        a[0] = x
        a[k] += x * x
        a[1] = helper(x, 1)
    except IndexError:
        a[2] = x ** 3
    return a.sum() + a[1]
''',
        ((1.5, 0), (1.5, 2), (1.5, 3), (1.5, -4)),
    ),
    "loops": (
        '''
def f(x, k):
    total = 0.0
    for i in range(5):
        try:
            if i == k:
                continue
            if i > 3:
                break
            total += helper(x, i) / (k - i + 7)
        except ValueError:
            total += 0.25 * x
            if k == 1:
                return total
        else:
            total += 1.0
    return total
''',
        ((1.5, 0), (1.5, 1), (1.5, 7), (1.5, 2)),
    ),
    "a search": (
        '''
def f(x, k):
    a = np.array([1.0, 2.0, 3.0])
    i = 0
    try:
        while a[i] * x < k:
            i += 1
    except IndexError:
        i = -1
    return a[i] * x
''',
        ((1.6, 0), (1.6, 3), (1.6, 7)),
    ),
    "inside one another": (
        '''
def f(x, k):
    y = x
    try:
        y = 2.0 * x
        try:
            y = helper(y, k)
            assert y < 10.0, f"{y}"
        except ValueError:
            y = y + 1.0
            raise NotImplementedError
        except KeyError:
            y = helper(-x, 1)
        y = y * 3.0
    except (NotImplementedError, AssertionError):
        y = y - x
    return y
''',
        ((1.5, 0), (1.5, 2), (1.5, 3), (9.0, 1), (-1.5, 0)),
    ),
    "what nobody takes": (
        '''
def f(x, k):
    try:
        y = helper(x, k)
    except KeyError:
        y = 2.0
    return y
''',
        ((1.5, 0), (1.5, 3), (-1.5, 0), (9.0, 1)),
    ),
    "linear algebra": (
        '''
def f(x, k):
    a = np.array([[1.0 + x, 2.0], [2.0, 4.0 * k]])
    try:
        y = np.linalg.solve(a, np.array([1.0, x]))
    except np.linalg.LinAlgError:
        return -x
    try:
        factor = np.linalg.cholesky(a)
    except Exception:
        return y.sum()
    return factor.sum() + y[0]
''',
        ((0.0, 1), (0.5, 2), (0.5, 0)),
    ),
    "comprehensions": (
        '''
def f(x, k):
    a = np.array([x, 2.0, 3.0])
    try:
        ys = [a[i] for i in range(k)]
        y = sum(a[i] * v for i, v in enumerate(ys))
    except LookupError:
        y = x
    return y
''',
        ((1.5, 0), (1.5, 3), (1.5, 4)),
    ),
    "functions with handlers": (
        '''
def careful(x, k):
    try:
        return helper(x, k)
    except ValueError:
        raise KeyError(k)

def f(x, k):
    try:
        return careful(x, k) * 2.0
    except KeyError:
        return x
''',
        ((1.5, 0), (1.5, 3), (-1.5, 0)),
    ),
    "finally, with ways out": (
        '''
def f(x, k):
    a = np.array([x, 2.0, 3.0])
    n = total = 0.0
    for i in range(4):
        try:
            if i == k:
                break
            if i == 1:
                continue
            total += helper(a[i], i)
        except ValueError:
            total -= x
        finally:
            n += x
            a[0] = n
    try:
        return total + n * a[0]
    finally:
        total = n = 7.0
''',
        ((1.5, 0), (1.5, 1), (1.5, 2), (1.5, 3), (-1.5, 2)),
    ),
    "names that finally reads where the function is left": (
        '''
def f(x, k):
    w = np.zeros(2)

    def left(x, k):
        m = 1.0
        if x > 0.0:
            m = 2.0
        try:
            if k == 0:
                return x
            if k == 1:
                m = 50.0
                return -x
            m = 7.0
            for i in range(4):
                m = m + i * x
                if i == k:
                    return m * x
                m = m * 2.0
        finally:
            w[0] += m
            m = m + 0.5
        return x * m

    return left(x, k) + 3.0 * w[0]
''',
        ((1.5, 0), (-1.5, 0), (1.5, 1), (1.5, 2), (1.5, 9)),
    ),
    "names that finally reads where something was raised": (
        '''
def f(x, k):
    n = out = 0.0
    a = np.array([x, 2.0])
    try:
        try:
            n = x
            v = a[k]
            n = 2.0 * v
        finally:
            out = n * x
    except IndexError:
        out = out + 0.5
    return out + n
''',
        ((1.5, 0), (1.5, 1), (1.5, 2)),
    ),
    "finally before an outer handler": (
        '''
def inner(a, k):
    n = 0
    try:
        found = a[k]
    except TypeError:
        found = 5.0
    finally:
        n += 1
    return found + n

def f(x, k):
    a = np.array([x, 2.0, 3.0])
    n = 0
    try:
        try:
            y = inner(a, k) * a[0]
            y = y + inner(a, k - 4)
        finally:
            n = n + 10
            a[0] = 4.0
    except IndexError:
        return a[0] * x + n
    return y + n
''',
        ((1.5, 0), (1.5, 1), (1.5, 2), (1.5, 3)),
    ),
    "what is raised again": (
        '''
def f(x, k):
    a = np.array([x, 2.0, 3.0])
    try:
        try:
            y = a[k] + helper(x, k)
        except IndexError as error:
            raise error
        except KeyError:
            raise
        except LookupError:
            y = 1.0
        except NotImplementedError:
            y = 2.0 * x
    except IndexError:
        y = 3.0 * x
    return y
''',
        ((1.5, 0), (1.5, 2), (1.5, 3), (-1.5, 0), (5.0, 2), (2.0, -1)),
    ),
    "raised again, and taken by nobody": (
        '''
def f(x, k):
    try:
        y = helper(x, k)
    except KeyboardInterrupt:
        raise
    except ValueError:
        raise
    except Exception:
        y = x
    return y
''',
        ((1.5, 0), (1.5, 3), (-1.5, 0), (5.0, 2)),
    ),
}  # fmt: skip


def outcome(f, *arguments):
    try:
        return f(*arguments)
    except Exception as error:
        return type(error).__name__, error.args


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_handlers(name, target):
    text, calls = PROGRAMS[name]
    f = loaded(HELPERS + text)
    made = jit(f, target=target)
    for arguments in calls:
        want = outcome(f, *arguments)
        assert outcome(made, *arguments) == (
            want if isinstance(want, tuple) else pytest.approx(want, rel=1e-14)
        )


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_lanes(name):
    text, calls = PROGRAMS[name]
    f = loaded(HELPERS + text)
    if name == "comprehensions":  # lists of lanes have one length
        return
    lanes = [(np.float64(x), k) for x, k in calls if not isinstance(outcome(f, x, k), tuple) and k]
    if not lanes:
        return
    found = batch(f)(np.array([x for x, _ in lanes]), np.array([k for _, k in lanes]))
    np.testing.assert_allclose(found, [f(x, k) for x, k in lanes])


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    text, calls = PROGRAMS[name]
    f = loaded(HELPERS + text)
    for x, k in calls:
        if isinstance(outcome(f, x, k), tuple):
            assert outcome(grad(f), x, k)[0] == outcome(f, x, k)[0]
            continue
        if name == "linear algebra" and (x, k) == (0.0, 1):  # of a singular matrix
            continue
        slope = (f(x + 1e-6, k) - f(x - 1e-6, k)) / 2e-6
        assert grad(f)(x, k) == pytest.approx(slope, rel=1e-6, abs=1e-6)
        assert jvp(lambda x, k=k: f(x, k), (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_text():
    """What was raised is a flag, and the handler a branch."""
    f = loaded(
        "def f(x, n):\n    try:\n        y = x // n\n    except ZeroDivisionError:\n        y = -1\n    return y\n"
    )
    assert jit(f, target="numpy").source(7, 2) == (
        "def f(x, n):\n"
        "    if n != 0:\n"
        "        y = x // n\n"
        "    else:\n"
        "        y = 0\n"
        "    y = -1 if n == 0 else y\n"
        "    return y\n"
    )


ENDED = (
    "`finally` of more than names is not supported where something may be raised that no handler takes: the program "
    "ends there; write it behind the `try`, and handlers before it"
)
REFUSED = {
    "finally that is seen from outside": (
        "    try:\n        y = a[k]\n    finally:\n        a[0] = 2.0\n    return y", 5, ENDED,
    ),
    "finally that raises": (
        "    y = 0.0\n    try:\n        y = a[k]\n    finally:\n        assert y > 0.0\n    return y", 6, ENDED,
    ),
    "finally that raises what is taken": (
        "    try:\n        try:\n            return k\n        finally:\n            y = a[k]\n"
        "    except IndexError:\n        y = 2.0\n    return y",
        6, "`finally` that may raise what a handler around takes is not supported where another way leads out of its "
        "`try`: write it behind the `try`",
    ),
    "finally that prints": (
        "    try:\n        y = a[k]\n    finally:\n        print(k)\n    return y", 5, ENDED,
    ),
    "finally behind what always raises": (
        "    try:\n        raise ValueError\n    finally:\n        a[0] = 2.0", 5, ENDED,
    ),
    "a name of an exception": (
        "    try:\n        y = a[k]\n    except IndexError as e:\n        raise ValueError(e)\n    return y",
        5, "what was caught as 'e' has no value here: its class alone is known; say what is wrong in words of the "
        "handler's own, and leave `from e` out",
    ),
    "the stack": (
        "    try:\n        y = a[k]\n    except RecursionError:\n        y = 0.0\n    return y",
        4, "`except RecursionError` is not supported: programs do not tell when it is raised",
    ),
    "a power": (
        "    try:\n        y = np.array([2, 3]) ** k\n    except ValueError:\n        y = a\n    return y",
        3, "a power of ints that may be negative is not supported inside `try` that takes its error: make one of them "
        "a float",
    ),
    "halves": (
        "    try:\n        a[k], a[0] = a[0], a[k]\n    except IndexError:\n        pass\n    return a",
        3, "one of its targets is changed here before what may raise inside `try`: make it statements of their own",
    ),
    "what changes before it raises": (
        "    def g(v, k):\n        v[0] = 1.0\n        return v[k]\n    try:\n        y = g(a, k)\n"
        "    except IndexError:\n        y = 0.0\n    return y + a[0]",
        6, "'a' is changed here before what may raise inside `try`: make it statements of their own",
    ),
    "recursion": (
        "    def g(k):\n        try:\n            return a[k] + g(k - 1)\n        except IndexError:\n"
        "            return 0.0\n    return g(k)",
        4, "a call of a function that calls itself is not supported inside `try`, which must know what it raises",
    ),
    "a class that is not known": (
        "    try:\n        y = a[k]\n    except k:\n        y = 0.0\n    return y",
        4, "`except` takes exceptions' classes that are known",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    body, line, message = REFUSED[name]
    f = loaded(f"def f(a, k):\n{body}\n")
    with pytest.raises(SourceError) as caught:
        jit(f)(np.ones(2), 300)  # no small int, whose value the program would have
    assert (caught.value.lineno, caught.value.msg) == (line, message)


# ---- exceptions that have names ----

NAMED = {
    "before a branch": """
def f(x, k):
    error = ValueError("too large")
    if k > 2:
        raise error
    return x * k
""",
    "in a loop": """
def f(x, k):
    message = "no way"
    for i in range(4):
        error = np.linalg.LinAlgError(message, 3)
        if x * i > 3.5 * k:
            raise error
    return x * k
""",
    "where there is one": """
def f(x, k):
    error = None
    for i in range(4):
        if i > k:
            error = ArithmeticError("later")
            break
    if error is not None:
        raise error from None
    return x * x
""",
    "of a function around": """
def f(x, k):
    error = IndexError()
    def square(v):
        if v > 3.0:
            raise error
        return v * v
    return square(x) + square(x * k)
""",
    "that is caught": """
def f(x, k):
    try:
        error = ValueError("k")
        if k < 2:
            raise error
        y = x * k
    except ValueError:
        y = -x
    return y
""",
}


@pytest.mark.parametrize("name", NAMED)
def test_exceptions_with_names(name):
    f = loaded("import numpy as np\n" + NAMED[name])
    for k in (1, 3):
        try:
            want, slope = f(1.5, k), (f(1.5 + 1e-6, k) - f(1.5 - 1e-6, k)) / 2e-6
        except Exception as error:
            for made in (jit(f), jit(f, target="numpy"), grad(f)):
                with pytest.raises(type(error)) as raised:
                    made(1.5, k)
                assert raised.value.args == error.args
            with pytest.raises(LaneError) as lanes:
                batch(f)(np.array([1.5]), np.array([k]))
            assert lanes.value.failures[0].error.args == error.args
        else:
            assert jit(f)(1.5, k) == jit(f, target="numpy")(1.5, k) == want
            assert grad(f)(1.5, k) == pytest.approx(slope, rel=1e-6)
            assert batch(f)(np.array([1.5]), np.array([k])) == want
