"""What calls of NumPy show of later writes into their arguments: what NumPy's do, or a refusal."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hunt.case import names_of

from codegen import SourceError, jit

CALLS = """np.vsplit(m, [1])[0]; np.vsplit(c.reshape(1, -1), [1])[0]; np.hsplit(c, [1])[0]; np.split(m, [1], axis=1)[1]
np.array_split(c, 2)[1]; c[None][:1]; c.reshape(1, -1)[0:1]; m.T[:1]; m.T.T; m.T.T.T[0]; np.diagonal(m); np.diag(m)
np.diagonal(m.T); np.broadcast_to(c, (2, c.size)); np.squeeze(c[None]); np.atleast_2d(c); np.atleast_3d(m)
np.expand_dims(c, (0, 2)); np.moveaxis(m, 0, 1); np.rollaxis(m, 1); m.swapaxes(0, 1); m.transpose(1, 0); np.flip(m)
np.fliplr(m); np.rot90(m); np.rot90(m, 4); np.ravel(m); np.ravel(m.T); m.T.reshape(-1); m[:, 0].ravel(); c[::2].ravel()
c[::-1].ravel(); m.flatten(); m.reshape(m.shape); np.asarray(c); np.ascontiguousarray(c); np.ascontiguousarray(m.T)
np.ascontiguousarray(c[::2]); np.ascontiguousarray(m); np.asfortranarray(m); np.asfortranarray(m.T)
np.asfortranarray(c); np.array(c); np.asarray(c, float); c.astype(float)
c.astype(float, copy=False); c.real; np.real(c); c.conj(); np.conj(c); c.conjugate(); np.delete(c, 1); np.roll(c, 0)
np.repeat(c, 1); np.tile(c, 1); np.concatenate((c,)); np.hstack((c,)); np.triu(m); np.sum(m[None], axis=0); np.sort(c)
np.max(m[None], axis=0); np.clip(c, None, 100.0); np.maximum(c, c); +c; np.diff(c, 0); np.unwrap(c); np.pad(c, 0)
np.matrix_transpose(m); np.linalg.matrix_power(m, 1); np.einsum("ij->ji", m); np.einsum("ii->i", m); np.copy(c)
np.lib.stride_tricks.sliding_window_view(c, 2); np.meshgrid(c, c)[0]; np.column_stack((c,)); [r for r in m][0]
np.apply_along_axis(lambda v: v, 0, c); np.fft.fftshift(c); c.squeeze(); c.T; c.copy(); m[...]; m[:, [0]]; m[m > 0]
c[..., None][..., 0]; c[1:][:2][::-1]; np.nan_to_num(c); np.resize(c, 5); np.take(c, [0, 1])"""
PROGRAM = "def f(c, m):\n    t = {}\n    c[0] = 5.0\n    m[0, 0] = 7.0\n    m[-1, -1] = 8.0\n    return t\n"


@pytest.mark.parametrize("call", [each.strip() for line in CALLS.splitlines() for each in line.split(";")])
def test_writes_are_shown_as_by_numpy(call):
    def given():
        return np.arange(1.0, 6.0), np.arange(9.0).reshape(3, 3) + 1.0

    f = names_of(PROGRAM.format(call))["f"]
    wanted = f(*given())
    with suppress(SourceError):
        np.testing.assert_array_equal(jit(f, target="numpy")(*given()), wanted)


MADE = """x + 1.0; np.zeros_like(x); np.zeros_like(x.T); x.T + 1.0; x.copy(); np.copy(x); np.where(x > 0, x, 1.0); x
np.ones_like(x + x.T); np.empty_like(x[::-1]) * 0.0; np.full_like(np.zeros((3, 3)).T, 2.0); np.zeros((3, 3)).T.copy()
np.sort(x.T, axis=0); np.cumsum(x.T, axis=0); np.concatenate((x.T, x.T)); np.linalg.inv(x + 9.0 * np.eye(3))
np.linalg.cholesky(x @ x.T + np.eye(3)); np.tile(x.T, (1, 1)); np.pad(x.T, 1); np.roll(x.T, 1, 0); x.T[[0, 1]]
np.take(x.T, [0, 1], 0); x.T[x[0] > -9]; np.meshgrid(x[0], x[1])[0] * 1.0; np.outer(x[0], x[1]).T @ x; np.kron(x, x)
np.linalg.solve(x + 9.0 * np.eye(3), x); np.array([x[0], x[1]]); np.einsum("ij->ji", x) * 1.0; np.cov(x); np.tri(3)
np.einsum("ij,jk->ki", x, x); np.tensordot(x, x, ([0], [1])); np.gradient(x)[1]; np.indices((2, 3))[0] * 1.0
np.vander(x[0]); np.vstack((x[0], x[1])).T + 0.0; np.column_stack((x[0], x[1])); np.repeat(x.T, 2, axis=0)
np.moveaxis(x.reshape(3, 3), -1, -1); np.diag(x[0]).copy(); np.zeros((2, 3)); np.ones((3, 2)).T; np.eye(3)"""
FLAT = """def f(x):
    y = {}
    z = y.{}
    z[1] = 9.0
    y[0, 0] = z[2]
    return y, z
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("made", [each.strip() for line in MADE.splitlines() for each in line.split(";")])
def test_what_is_flattened_is_a_view_where_numpys_is(made):
    """Or it is refused, where that hangs on how an array lies in memory."""
    x = np.random.default_rng(0).normal(size=(3, 3))
    for flat in ("ravel()", "reshape(-1)"):
        f = names_of(FLAT.format(made, flat))["f"]
        for given in (x, np.asfortranarray(x), np.asfortranarray(x).T):
            wanted = f(given.copy(order="K"))
            with suppress(SourceError, ValueError):
                for found, want in zip(jit(f, target="numpy")(given.copy(order="K")), wanted, strict=True):
                    np.testing.assert_allclose(found, want, rtol=1e-12)


TESTED = """
def mark(p, x):
    for i in range(len(p)):
        if p[i] < 0.5:
            p[i] = p[i] + x
            return True
    return False

def f(x, p):
    made, n = np.zeros(4), 0
    listed = [0.0] * 3
    while mark(made, x) and n < 50:
        n += 1
    while mark(listed, x) and n < 90:
        n += 10
    while mark(p, x) and n < 500:
        n += 100
    return made.sum() + listed[1] + n
"""


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_writes_in_the_test_of_a_loop(target):
    """Which nothing in the loop's body writes, too."""
    f = names_of(TESTED)["f"]
    given, wanted = np.zeros(3), np.zeros(3)
    assert jit(f, target=target)(0.3, given) == pytest.approx(f(0.3, wanted))
    np.testing.assert_array_equal(given, wanted)
