"""scipy.linalg: matrices of blocks, matrices that are made of vectors."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import refused, stands_for


@stands_for("scipy.linalg.block_diag", generic=True)
def block_diag(arrs):
    """Each matrix below the ones before it and to their right, vectors as rows; 0 elsewhere."""
    blocks = [np.atleast_2d(np.asarray(each)) for each in arrs]
    if len(blocks) == 0:
        return np.zeros((1, 0))
    height, width = 0, 0
    for block in blocks:
        if block.ndim > 2:
            refused("block_diag takes vectors and matrices: of more, call it in a loop or a batch")
        height, width = height + block.shape[0], width + block.shape[1]
    made = np.zeros((height, width), np.concatenate([block.reshape(-1) for block in blocks]).dtype)
    row, column = 0, 0
    for block in blocks:
        m, n = block.shape
        made[row : row + m, column : column + n] = block
        row, column = row + m, column + n
    return made


@stands_for("scipy.linalg.toeplitz", generic=True)
def toeplitz(c, r=None):
    """Constant along each diagonal: c down the first column, r along the first row."""
    c = np.asarray(c)
    r = np.conj(c) if r is None else np.asarray(r)
    if c.ndim != 1 or r.ndim != 1:
        refused("toeplitz takes vectors")
    along = np.concatenate((c[::-1], r[1:]))
    made = np.empty((len(c), len(r)), along.dtype)
    for i in range(len(c)):
        made[i] = along[len(c) - 1 - i : len(c) - 1 - i + len(r)]
    return made


@stands_for("scipy.linalg.hankel", generic=True)
def hankel(c, r=None):
    """Constant along each diagonal from below left: c down the first column, r along the last row."""
    c = np.asarray(c)
    r = np.zeros_like(c) if r is None else np.asarray(r)
    if c.ndim != 1 or r.ndim != 1:
        refused("hankel takes vectors")
    along = np.concatenate((c, r[1:]))
    return along[np.arange(len(c))[:, None] + np.arange(len(r))]


@stands_for("scipy.linalg.circulant", generic=True)
def circulant(c):
    """Each column is the one before turned by a place."""
    c = np.atleast_1d(c)
    n = np.arange(c.shape[c.ndim - 1])
    return c[..., (n[:, None] - n) % max(len(n), 1)]


@stands_for("scipy.linalg.companion", generic=True)
def companion(a):
    """The matrix whose characteristic polynomial has these coefficients."""
    a = np.atleast_1d(a)
    if a.ndim > 1:
        refused("companion takes a vector")
    if len(a) < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    if a[0] == 0:
        raise ValueError("The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero.")
    first = -a[1:] / (1.0 * a[0])
    made = np.eye(len(first), k=-1, dtype=first.dtype)
    made[0] = first
    return made


@stands_for("scipy.linalg.leslie")
def leslie(f, s):
    """Fecundities f in the first row, shares that survive beside the diagonal."""
    f, s = np.atleast_1d(f), np.atleast_1d(s)
    if f.ndim > 1 or s.ndim > 1:
        refused("leslie takes vectors")
    if len(f) != len(s) + 1:
        raise ValueError(
            "Incorrect lengths for f and s. The length of s along the last axis must be one less than the length of f."
        )
    if len(s) == 0:
        raise ValueError("The length of s must be at least 1.")
    made = np.zeros((len(f), len(f)), (f[:0].sum() + s[:0].sum()).dtype)
    made[0] = f
    for k in range(len(s)):
        made[k + 1, k] = s[k]
    return made


@stands_for("scipy.linalg.fiedler")
def fiedler(a):
    a = np.atleast_1d(a)
    return np.abs(a[..., :, None] - a[..., None, :])


@stands_for("scipy.linalg.hilbert")
def hilbert(n):
    places = np.arange(n)
    return 1.0 / (1.0 + (places[:, None] + places))


@stands_for("scipy.linalg.convolution_matrix", generic=True)
def convolution_matrix(a, n, mode="full"):
    """What multiplies a vector of n elements as np.convolve with a does."""
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    a = np.asarray(a)
    if a.ndim != 1:
        refused("convolution_matrix takes a vector")
    if len(a) == 0:
        raise ValueError("len(a) must be at least 1.")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    column = np.concatenate((a, np.zeros(n - 1, a.dtype)))
    whole = toeplitz(column, np.concatenate((a[:1], np.zeros(n - 1, a.dtype))))
    gone = 0 if mode == "full" else min(n, len(a)) - 1
    first = gone // 2 if mode == "same" else gone
    return whole[first : len(whole) - (gone - first if mode == "same" else gone)]
