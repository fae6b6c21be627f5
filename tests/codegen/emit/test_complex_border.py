"""The text of functions of complex numbers, which has one over the parts and one around it."""

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad
from codegen import jit

Z = np.array([1j, 2.0, 3.0 + 1j])


def scaled(z, w, x):
    z[0] = w * x
    return z * 2j, w + 1, abs(w)


def size(z):
    return np.sum(np.abs(z) ** 2)


def total(d, x):
    return d["a"].sum() * x


def product(z, w):
    return z * w


def defined(text: str, name: str, tmp_path):
    """The function of a text; Numba's cache wants a file."""
    path = tmp_path / "emitted.py"
    path.write_text(text)
    names = {"__name__": "emitted", "__file__": str(path)}
    exec(compile(text.replace("cache=True, ", ""), str(path), "exec"), names)
    return names[name]


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_it_takes_and_gives_what_the_function_does(target, tmp_path):
    f = defined(jit(scaled, target=target).source(Z, 1j, 2.0), "scaled", tmp_path)
    z, y = Z.copy(), Z.copy()
    made, w, length = f(z, 1 + 1j, 2.0)
    want, v, size_of = scaled(y, 1 + 1j, 2.0)
    assert np.array_equal(made, want) and (w, length) == (v, size_of) and np.array_equal(z, y)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_gradients_and_nests(target, tmp_path):
    f = defined(grad(size, target=target).source(Z), "size_grad", tmp_path)
    assert np.allclose(f(Z), 2 * Z.conj())
    g = defined(jit(total, target=target).source({"a": Z}, 2.0), "total", tmp_path)
    assert g(Z, 2.0) == total({"a": Z}, 2.0)


def test_lanes(tmp_path):
    f = defined(batch(product, target="numpy").source(Z, Z), "product_batch", tmp_path)
    assert np.allclose(f(Z, Z), Z * Z)


def test_the_text(golden):
    golden("complex_numbers.py", jit(scaled).source(Z, 1j, 2.0))
    golden("complex_numbers_grad.py", grad(size, target="numpy").source(Z))
