"""Diagonals that are given back are views where NumPy's are, and what shares memory with them is seen."""

import numpy as np
import pytest
from user_programs import loaded

from codegen import jit

A, C = np.arange(12.0).reshape(3, 2, 2), np.arange(9.0).reshape(3, 3)
# What is returned of which array; whether compiled code gives a view of it, as NumPy does of all of these.
SHOWN = {
    "np.einsum('ijj->ij', a)": (A, True),
    "np.einsum('ii->i', a.T)": (C, True),
    "np.einsum(a, [0, 1, 1], [0, 1])": (A, True),
    "np.einsum('jij->ij', a)": (A.swapaxes(0, 1), False),
    "np.einsum('ii->i', a)": (C + 1j, False),
    "np.einsum('ii->i', a + 0)": (C, False),
}


@pytest.mark.parametrize("call", SHOWN)
def test_returned(call):
    a, is_view = SHOWN[call]
    f = loaded(f"def f(a):\n    return {call}\n")
    made = jit(f)(a)
    np.testing.assert_array_equal(made, f(a))
    assert made.flags.writeable
    assert np.shares_memory(made, a) == is_view


def test_sizes_that_differ():
    with pytest.raises(ValueError, match="dimensions in an operand for collapsing index 'j' don't match"):
        jit(lambda a: np.einsum("ijj->ij", a))(np.zeros((3, 2, 4)))


WRITES = {
    "shown": "v = np.einsum('ii->i', a); a[0, 0] = 40.0; return v",
    "kept": "v = np.einsum('ii->i', a); w = v.copy(); a[0, 0] = 40.0; return v, w",
    "whole": "np.einsum('ii->i', a)[:] = 1.0; return a",
    "element": "v = np.einsum('ii->i', a); v[-1] += 3.0; v[1:] *= 2.0; return v",
    "later": "v = np.einsum('ii->i', a); a = a + 1.0; a[0, 0] = 40.0; return v, a",
    "rows": "v = np.einsum('iij->ij', a[None][[0, 0, 0]]); v[1] = v[0] + 1.0; return v",
    "three": "b = np.zeros((2, 2, 2)); v = np.einsum('iii->i', b); v[:] = a[0, 1:]; v[0] -= 9.0; return b",
    "turned": "v = np.einsum('ij->ji', a, optimize=True); v[0] = 7.0; np.einsum(a, [1, 0])[1] = 8.0; return a",
    "beside": "b = np.stack((a, a)); v = np.einsum('kii->ki', b); v[0, 1] = 7.0; v[:, 0] = 8.0; v[1, 1:] = 9; return b",
}


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("name", WRITES)
def test_writes(name, target):
    lines = "".join(f"    {line.strip()}\n" for line in WRITES[name].split(";"))
    f = loaded(f"def f(a):\n{lines}")
    ours, theirs = C.copy(), C.copy()
    made, wanted = jit(f, target=target)(ours), f(theirs)
    for got, true in zip(*((x if isinstance(x, tuple) else (x,)) for x in (made, wanted)), strict=True):
        np.testing.assert_array_equal(got, true)
    np.testing.assert_array_equal(ours, theirs)
