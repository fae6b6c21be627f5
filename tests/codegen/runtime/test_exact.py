"""Products that lose nothing: `rounded` and what `fused` says it lost are the product, to the last bit."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numba import njit

from codegen.runtime import IMPORTS, text

RNG = np.random.default_rng(4)
PAIRS = RNG.normal(size=(500, 2)) * 10.0 ** RNG.uniform(-30, 30, (500, 2))

PARTS = """
def parts(x, y):
    p = rounded(x, y)
    return p, fused(x, y, -p), 1.0 + p
"""


def parts(contract: bool) -> Any:
    """`PARTS`, on the functions as emitted modules carry them."""
    module: dict = {}
    exec("\n".join([*IMPORTS, text(["fused", "rounded"]), PARTS]), module)
    return njit(fastmath={"contract"} if contract else False)(module["parts"])


@pytest.mark.parametrize("contract", [False, True])
def test_nothing_is_lost(contract: bool) -> None:
    """Not even where the compiler may contract."""
    found = parts(contract)
    for x, y in PAIRS.tolist():
        p, rest, _ = found(x, y)
        assert p == x * y
        assert Fraction(p) + Fraction(rest) == Fraction(x) * Fraction(y)
