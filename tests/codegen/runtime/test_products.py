"""Products in tiles: of parts and turned matrices, of every size beside those of tiles, packs and depths."""

from itertools import product

import numpy as np
import pytest
from numba import njit

from codegen.runtime.linear_algebra import products
from codegen.runtime.linear_algebra.products import COLUMNS, DEPTH, ROWS, put_product_in_tiles

SIZES = [
    (1, 1, 1),
    (ROWS - 1, COLUMNS - 1, 3),
    (ROWS + 1, COLUMNS + 1, 1),
    (3 * ROWS, 2 * COLUMNS, 40),
    (2 * ROWS + 3, 5 * COLUMNS + 2, DEPTH),
    (5, 3, DEPTH + 1),
    (70, 300, 2 * DEPTH + 7),
    (0, 3, 2),
    (3, 0, 2),
    (3, 2, 0),
]


def matrix(rng: np.random.Generator, shape: tuple[int, int], is_turned: bool, is_part: bool) -> np.ndarray:
    whole = rng.normal(size=shape[::-1] if is_turned else shape)
    if is_part:
        whole = np.repeat(np.repeat(whole, 2, axis=0), 3, axis=1)[::2, ::3]
    return whole.T if is_turned else whole


@pytest.mark.sampled(4)
@pytest.mark.parametrize("height, width, length", SIZES)
def test_products_of_any_matrices(height: int, width: int, length: int) -> None:
    rng = np.random.default_rng(1)
    for x_turned, y_turned, is_part in product((False, True), (False, True), (False, True)):
        x = matrix(rng, (height, length), x_turned, is_part)
        y = matrix(rng, (length, width), y_turned, is_part)
        around = rng.normal(size=(height, width + 5))
        made, beyond = around[:, :width], around[:, width:].copy()
        put_product_in_tiles(made, x, y, 1.0, False)
        np.testing.assert_allclose(made, x @ y, rtol=1e-12, atol=1e-12)
        put_product_in_tiles(made, x, y, -2.0, True)
        np.testing.assert_allclose(made, -(x @ y), rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(around[:, width:], beyond)  # nothing else was written


def test_a_number_hangs_on_its_row_and_column_alone() -> None:
    """Whatever is beside it: so that what a lane gets does not depend on the others."""
    rng = np.random.default_rng(2)
    for length in (7, DEPTH, DEPTH + 50):
        x, y = rng.normal(size=(40, length)), rng.normal(size=(length, 200))
        whole = np.empty((40, 200))
        put_product_in_tiles(whole, x, y, 1.0, False)
        for rows, columns in ((1, 200), (40, 3), (17, 33), (2 * ROWS + 1, 200)):
            part = np.empty((rows, columns))
            put_product_in_tiles(part, x[:rows], y[:, :columns], 1.0, False)
            np.testing.assert_array_equal(part, whole[:rows, :columns])


@pytest.mark.parametrize("is_wide", [False, True])
def test_where_registers_are_narrow_products_are_a_library_s(
    is_wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "IS_WIDE", is_wide)
    x, y = np.random.default_rng(3).normal(size=(2, 90, 90))
    made, more = np.empty((90, 90)), np.ones((90, 90))
    njit(error_model="numpy")(products.put_product.py_func)(made, x, y)
    njit(error_model="numpy")(products.add_product_to.py_func)(more, x, y)
    np.testing.assert_allclose(made, x @ y, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(more, 1.0 + x @ y, rtol=1e-10, atol=1e-10)


def test_infinities_and_nan_stay_in_their_rows_and_columns() -> None:
    x, y = np.ones((20, 9)), np.ones((9, 35))
    x[3, 2], y[4, 20] = np.nan, np.inf
    made = np.empty((20, 35))
    put_product_in_tiles(made, x, y, 1.0, False)
    np.testing.assert_array_equal(made, x @ y)
