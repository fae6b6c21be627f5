"""What a function prints is printed once, in its order, whatever is run again for derivatives."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest
from user_programs import loaded

from autobatch import batch
from autodiff import grad, hessian, jacobian, jvp, value_and_grad
from codegen import SourceError, jit

PROGRAMS = {
    "recursion": '''
def f(x, k=2):
    print("f", k)
    if k == 0:
        return x * x
    return np.sin(x) * f(x * 0.5, k - 1)
''',
    "search": '''
def f(x):
    y = x
    while abs(y * y - x) > 1e-9:
        y = 0.5 * (y + x / y)
        print(f"{y:.4f}")
    return y
''',
    "list": '''
def f(x):
    xs = [x]
    while len(xs) < 5 and xs[-1] < 100.0:
        xs.append(xs[-1] * xs[-1] + 1.0)
        print(len(xs))
    return sum(xs)
''',
    "helper": '''
def helper(x, i):
    print("helper", i)
    t = 1.0
    for k in range(i + 1):
        t *= np.sin(x * t) + 1.0
        inner(t)
    return t

def inner(t):
    print(f"inner {t:.3f}")

def f(x):
    s = 0.0
    for i in range(3):
        s += helper(x, i) * x
        inner(s)
    return s
''',
    "helper of arrays": '''
def scaled(x, by):
    print("by", by)
    y = x * by
    y[0] = np.exp(y[1])
    return y

def f(x):
    y = np.array([x, 2.0 * x])
    for k in range(3):
        y = scaled(y, k + 0.5)
    return y.sum()
''',
    "branch": '''
def noted(x):
    print("noted")
    return x ** 3

def f(x):
    if x > 0.0:
        return noted(x)
    print("negative")
    return x
''',
}  # fmt: skip


def printed(f, *arguments):
    out = io.StringIO()
    with redirect_stdout(out):
        f(*arguments)
    return out.getvalue()


@pytest.mark.turns(4)
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_once(name):
    f = loaded(PROGRAMS[name])
    wanted = printed(f, 1.3)
    assert wanted
    for made in (jit(f), grad(f), value_and_grad(f), hessian(f), jacobian(f)):
        assert printed(made, 1.3) == wanted
    assert printed(jvp, f, (1.3,), (1.0,)) == wanted
    slope = (f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6
    assert np.isclose(grad(f)(1.3), slope, rtol=1e-6)


def test_lanes():
    """Lanes run in no order."""
    f = loaded(PROGRAMS["helper"])
    for made in (batch(f), batch(grad(f)), batch(f, target="numpy")):
        with pytest.raises(SourceError) as caught:
            made(np.array([1.0, 2.0]))
        assert caught.value.msg == (
            "print() over lanes is not supported: they run in no order; print what is returned, or call jit of the "
            "function on one example"
        )
