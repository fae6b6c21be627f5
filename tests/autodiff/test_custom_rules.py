"""Rules of the user's own for arrays: tangents and cotangents of other sizes than the arguments."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from autodiff import custom_jvp, custom_vjp, grad
from autodiff.gradcheck import check_grads

X = np.array([0.3, 0.7, 0.2, 0.9])


@custom_jvp
def first_squared(x, k):
    return x[:k] ** 2


@first_squared.defjvp
def first_squared_jvp(primals, tangents):
    (x, k), (x_dot, _) = primals, tangents
    kept = x_dot[:k]
    return first_squared(x, k), 2.0 * x[:k] * kept


@pytest.mark.parametrize("k", [0, 1, 3])
def test_a_tangent_is_cut(k: int) -> None:
    check_grads(lambda x: np.sum(np.sin(first_squared(x, k))), (X,), order=2)


@custom_vjp
def parted(x, k):
    return x[:k] ** 2, 3.0 * x[k:], np.sum(x)


def parted_forward(x, k):
    return parted(x, k), (x, k)


def parted_backward(kept, cotangents):
    (x, k), (first, rest, total) = kept, cotangents
    return np.concatenate((2.0 * x[:k] * first, 3.0 * rest)) + total


parted.defvjp(parted_forward, parted_backward)


@pytest.mark.parametrize("chosen", [0, 1, 2])
def test_results_without_a_cotangent_have_their_sizes(chosen: int) -> None:
    def f(x, k):
        parts = parted(x, k)
        return np.sum(np.sin(parts[chosen]))

    def plain(x, k):
        return np.sum(np.sin((x[:k] ** 2, 3.0 * x[k:], np.sum(x))[chosen]))

    made = grad(f, target="numpy")(X, 3)
    np.testing.assert_allclose(made, grad(plain, target="numpy")(X, 3), rtol=1e-15)


def test_a_tangent_that_shrinks() -> None:
    @custom_jvp
    def last(x, k):
        return x[k:]

    @last.defjvp
    def last_jvp(primals, tangents):
        (x, k), (x_dot, _) = primals, tangents
        left = x_dot
        for _ in range(k):
            left = left[1:]
        return x[k:], left

    made = grad(lambda x, k: np.sum(last(x, k)), target="numpy")(X, 2)
    np.testing.assert_allclose(made, np.arange(len(X)) >= 2)


RULE = """\
from autodiff import custom_jvp


def helper(x):
    return 2.0 * x


@custom_jvp
def doubled(x):
    return helper(x)


@doubled.defjvp
def doubled_jvp(primals, tangents):
    return doubled(primals[0]), helper(tangents[0])
"""
USER = """\
def helper(n):
    return n + 100


def f(x, n):
    y = doubled(x)
    return y * helper(n)
"""


def test_functions_of_a_rule_keep_their_names_apart(tmp_path: Path) -> None:
    (tmp_path / "rule.py").write_text(RULE)
    (tmp_path / "user.py").write_text(USER)
    names = runpy.run_path(str(tmp_path / "rule.py"))
    f = runpy.run_path(str(tmp_path / "user.py"), {"doubled": names["doubled"]})["f"]
    assert grad(f, target="numpy")(1.5, 3) == 206.0
