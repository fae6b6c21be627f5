"""In which power results hang on values, by what the rows of the equations say."""

import numpy as np
import pytest

from codegen.analysis.homogeneity import degree
from codegen.ir import Type, Var
from codegen.ir.build import Builder

V, F = Type("f8", (3,)), Type("f8")
CASES = [
    (lambda x, y: x + x, 1),
    (lambda x, y: x * y, 1),
    (lambda x, y: x * x, 2),
    (lambda x, y: x * (x * y) * x, 3),
    (lambda x, y: x + y, None),
    (lambda x, y: x + 1.0, None),
    (lambda x, y: x * x + x, None),
    (lambda x, y: y / x, None),
    (lambda x, y: x / y, 1),
    (lambda x, y: np.sum(x) * 2.0, 1),
    (lambda x, y: x @ y, 1),
    (lambda x, y: x @ x, 2),
    (lambda x, y: np.where(y > 0.0, x, 0.0), 1),
    (lambda x, y: np.where(x > 0.0, x, 0.0), None),
    (lambda x, y: np.where(y > 0.0, x, 1.0), None),
    (lambda x, y: np.concatenate((x, np.zeros_like(y))), 1),
    (lambda x, y: np.concatenate((x, y)), None),
    (lambda x, y: np.exp(y), 0),
    (lambda x, y: np.exp(x), None),
    (lambda x, y: np.zeros_like(x), 0),
    (lambda x, y: np.ones_like(x), 0),
    (lambda x, y: x.astype(np.float32), 1),
    (lambda x, y: x.astype(np.int64), None),
    (lambda x, y: np.max(x), None),
    (lambda x, y: np.cumsum(x[::-1])[1:], 1),
]


@pytest.mark.parametrize(("function", "wanted"), CASES)
def test_degree(function, wanted):
    b, x, y = Builder(), Var("x", V), Var("y", V)
    made = function(b.wrap(x), b.wrap(y))
    assert degree(b.equations, [x], [b.atom(made)]) == wanted


def test_several_values_together():
    b, x, y = Builder(), Var("x", V), Var("y", V)
    total = b.wrap(x) + b.wrap(y)
    product = b.wrap(x) * b.wrap(y)
    assert degree(b.equations, [x, y], [total.atom]) == 1
    assert degree(b.equations, [x, y], [product.atom]) == 2
    assert degree(b.equations, [x, y], [total.atom, product.atom]) is None
