"""Products that lose nothing: `rounded` and what `fused` says it lost are the product, to the last bit."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numba import njit

from codegen.runtime import IMPORTS, PORTABLE, text

RNG = np.random.default_rng(4)
PAIRS = RNG.normal(size=(500, 2)) * 10.0 ** RNG.uniform(-30, 30, (500, 2))

PARTS = """
def parts(x, y):
    p = rounded(x, y)
    return p, fused(x, y, -p), 1.0 + p
"""


def parts(decorator: str | None, contract: bool) -> Any:
    """`PARTS`, on the functions as emitted modules carry them or, with a decorator, as others do."""
    module: dict = {}
    names = {"fused": "fused", "rounded": "rounded"}
    if decorator is not None:
        names = {name: PORTABLE[name] for name in names}
    exec("\n".join([*IMPORTS, "def plain(f): return f", text(names.values(), decorator=decorator)]), module)
    module |= {name: module[taken] for name, taken in names.items()}
    exec(PARTS, module)
    return (
        module["parts"]
        if decorator == "plain"
        else njit(fastmath={"contract"} if contract else False)(module["parts"])
    )


@pytest.mark.parametrize("contract", [False, True])
def test_nothing_is_lost(contract: bool) -> None:
    """Not even where the compiler may contract."""
    found = parts(None, contract)
    for x, y in PAIRS.tolist():
        p, rest, _ = found(x, y)
        assert p == x * y
        assert Fraction(p) + Fraction(rest) == Fraction(x) * Fraction(y)


@pytest.mark.parametrize("decorator", ["plain", "njit", 'njit(fastmath={"contract"})'])
def test_next_to_nothing_by_parts(decorator: str) -> None:
    """For other compilers, and for whoever steps through the module."""
    found = parts(decorator, True)
    for x, y in PAIRS.tolist():
        p, rest, _ = found(x, y)
        exact = Fraction(x) * Fraction(y)
        assert abs(Fraction(p) - exact) <= abs(exact) / 2**25
        assert abs(Fraction(p) + Fraction(rest) - exact) <= abs(exact) / 2**75
