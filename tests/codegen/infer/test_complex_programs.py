"""Complex numbers in programs: arguments that are written, aliases, what meets on two ways, kinds, what is refused."""

import pickle
from collections import namedtuple

import numpy as np
import pytest
from plain_python import complaint, outcome
from user_programs import loaded

from codegen import SourceError, jit

Wave = namedtuple("Wave", "psi energy")
Z = np.array([0.3 + 1.0j, -2.0 - 0.5j, 0.7j, 1.5 + 0.25j])
A = np.array([[1.0 + 1.0j, 2.0, 0.5j], [0.3, 3.0 - 1.0j, 1.0]])
AROUND = np.array([1j, 2.0, 3.0 + 1j, 4.0])
VALUES = {
    "z": 0.3 - 1.2j, "w": np.complex64(1 + 2j), "x": 1.7, "n": 3, "Z": Z, "A": A, "X": np.array([1.0, -2.0, 0.5, 3.0]),
    "m": np.array([True, False, True, True]), "F": Z.astype(np.complex64), "I": np.array([1, 2, 3, 4]),
}  # fmt: skip
EXPRESSIONS = """
z + x; z * x; x - z; x / z; -z; z == z; z != x; abs(z); z.real; z.imag; z.conjugate(); complex(x, n); complex(z, z)
2j * n; bool(z); not z; z and 2j; complex("1+2j"); complex(); isinstance(z, complex); isinstance(Z[0], np.complex128)
1j**2; Z.shape; Z.size; Z.ndim; len(Z); Z.dtype == complex; F.dtype; np.iscomplexobj(Z); np.isrealobj(X); X.conj()
n * 1j + True; Z + X; X * Z; Z / I; Z - 1; 2 * Z; m * z; m + Z; F * 2.0; F * z; F * X; F + I; F * np.float32(2)
F * np.float64(2); w * 2; w + z; w * np.float64(1.5); np.float64(2) * z; np.float32(2) * z; Z.astype(np.complex64)
X.astype(complex); I.astype("c8"); np.zeros(3, complex); np.ones(2, dtype="complex128"); np.full(3, 1j)
np.full(3, 2, dtype=np.complex64); np.empty(0, complex); np.zeros_like(Z); np.ones_like(F); np.full_like(Z, 2 + 1j)
np.eye(2, dtype=complex); np.arange(4, dtype=complex); np.array(Z); np.array([z, x, 1]); np.array([[1j, 2], [3, 4]])
np.array([1, 2], dtype=complex); np.asarray(X, dtype=complex); np.array([w, w]); np.linspace(0, 1j, 5)
np.linspace(z, 1, 3); np.complex128(x); np.complex64(z); np.meshgrid(Z, X)[1]; Z[1]; Z[1:3]; Z[::-1]; Z[m]; Z[I - 1]
A[1, 2]; A[:, 0]; A.T[0]; A[1][2]; Z[n]; A.reshape(3, 2); A.ravel(); A.flatten(); np.where(m, Z, 0); np.where(m, Z, X)
np.where(X > 0, z, X); np.concatenate([Z, X]); np.stack((X, Z)); np.append(Z, 1.0); np.hstack([Z, X]); np.pad(Z, 1)
np.roll(Z, 1); np.flip(A); np.diff(Z); np.gradient(Z); np.repeat(Z, 2); np.tile(Z, 2); np.split(Z, 2)
np.swapaxes(A, 0, 1); np.diagonal(A); np.trace(A); np.diag(Z); np.triu(A); np.tril(A); np.insert(Z, 1, 2j)
np.sum(A, axis=0, keepdims=True); np.sum(Z, initial=2.0); np.sum(Z, where=m); np.mean(A, axis=(0, 1))
np.cumsum(A, axis=1); np.average(Z, weights=X); np.dot(Z, X); np.inner(Z, Z); A @ A.T; A @ X[:3]; np.outer(Z, X)
np.kron(Z, Z); np.tensordot(A, A, 2); np.einsum("ij,kj->ik", A, A); np.einsum("i,i,i->", Z, X, Z)
np.cross(Z[:3], X[:3]); np.convolve(Z, X); np.polyval(Z, z); sum(Z); sum([z, 1, x]); (z, x)[0]; [z, 2j][n - 2]
z in [1, z]; z in Z; all([z, x]); any(Z); pow(z, 2); np.array_equal(Z, Z); [1j, 2.0] * X[:2]; np.abs([1j, 2])
np.exp(1j * X); max(abs(each) for each in Z); [each * 2 for each in (z, x)]; np.array([each.real + 1j for each in Z])
np.add(Z, X); np.multiply(X, Z); np.subtract(Z, 1j); np.negative(Z); np.positive(Z)
""".replace("\n", ";")


@pytest.mark.parametrize("text", [e.strip() for e in EXPRESSIONS.split(";") if e.strip()])
def test_expressions(text):
    assert complaint(text, VALUES) is None


PROGRAMS = {
    "a list that grows": """
    zs, best = [], None
    for k in range(n):
        zs.append(z * k + 1j)
        if best is None or abs(zs[-1]) > abs(best):
            best = zs[-1]
    whole = np.array(zs) * np.exp(zs)
    more = zs[0] * 2, [each + 1 for each in zs][1], len(zs), np.ones(n) + zs
    return whole, np.abs(zs), np.sum(zs), sum(zs), best, more
""",
    "kinds that meet": """
    s = 0
    for each in Z:
        s += each
    while abs(s) > 1.0:
        s *= 0.5
    return s""",
    "a number on one way": """
    t = 1.5
    if n > 2:
        t = z
    return t + 0j""",
    "a list of numbers": """
    roots = [1.0 + 0j, 0.4 + 0.9j, z]
    for k in range(n):
        roots[k % 3] = roots[k % 3] * 2j
        roots[0] += 1.0
    return roots[0], roots[1], roots[2]""",
    "dicts and closures": """
    d = {"a": z, "b": Z}
    def turned(k):
        return d["a"] * d["b"][k] * z
    return turned(0) + turned(1), d["b"].sum()""",
    "aliases": """
    y = Z.copy()
    u, v = y, y[1:]
    u[0] = 5j
    v *= 2
    v.imag[0] = 7.0
    y.real = 1.0
    u.real[2] -= 3
    y[y.imag > 6] = z
    return y, u, v, u.real""",
    "rows": """
    B = A.copy()
    for row in B:
        row *= 1j
    for k, row in enumerate(B):
        row[k] += 1
    B[:, 1] = Z[:2]
    B[0] -= B[1]
    return B""",
    "out": """
    y = np.empty(4, complex)
    np.multiply(Z, X, out=y)
    np.add(y, 1j, out=y)
    return y""",
    "masked": """
    y = Z.copy()
    y[m] = 0
    y[~m] += 2j
    y[I - 1] *= 3
    return y""",
    "functions": """
    def f(z, k):
        return z if k == 0 else f(z * z, k - 1) / abs(z)
    return f(z, n), f(1.0 + 0j, 2)""",
    "recursion that may be real": """
    def f(k):
        return 1.0 if k == 0 else 2j * f(k - 1)
    return f(n) + 0j""",
    "unpacking": """
    a, b, *rest = z, x, 1j
    c, d = Z[:2]
    return a + b, rest[0], c * d""",
    "zipped": """
    total = 0j
    for k, (each, other) in enumerate(zip(Z, X)):
        total += each * other * k
    for each in reversed(Z):
        total = total * 0.5 + each
    return total""",
    "early": """
    for each in Z:
        if each.real > 1.0:
            return each
    return 0j""",
    "filled": """
    y = np.empty((2, 3), complex)
    y.fill(z)
    y[0].fill(1)
    return y""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, target):
    assert complaint(PROGRAMS[name].lstrip("\n"), VALUES, target=target) is None


REFUSED = {
    "z < x": "'<' not supported between instances of 'complex' and 'complex'",
    "max(z, x)": "'>' not supported between instances of 'complex' and 'complex'",
    "z // 2": "can't take floor of complex number.",
    "z % 2": "can't mod complex numbers.",
    "~z": "bad operand type for unary ~: 'complex'",
    "int(z)": "int() argument must be a string, a bytes-like object or a real number, not 'complex'",
    "np.floor(Z)": "numpy.floor of complex numbers is not supported: compute it of .real and .imag",
    "np.median(Z)": "numpy.median of complex numbers is not supported: compute it of .real and .imag",
    "np.sum(Z, dtype=float)": "numpy.sum of complex numbers in dtype float64: take .real first",
    "np.add(Z, 1, out=X)": "numpy.add: the result is complex, and out= an array of real numbers",
    "np.float64(z)": "float64 of a complex number loses its imaginary part: take .real",
    "Z.astype(float)": "a complex array in a dtype of real numbers loses its imaginary part: take .real",
    "complex(Z)": "complex() takes numbers: write x + 1j * y, or x.astype(complex)",
    "1 if Z else 2": "the truth value of an array is ambiguous: use np.any or np.all",
    "z.sum()": "a complex number of Python's has no attribute 'sum': np.asarray(...) has",
    "Z.byteswap()": "a complex array has no method 'byteswap' that is supported",
    "np.fft.rfft(Z)": "rfft takes real numbers",
    "np.real_if_close(Z)": "whether real_if_close gives real numbers hangs on what the parts are: take .real",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    assert complaint(text, VALUES, refused=REFUSED[text]) is None


def doubled(z):
    z *= 2
    z.imag[0] = 1.0
    return z


def around(k):
    return AROUND[k] * AROUND.sum()


def nested(wave, options):
    return Wave(wave.psi * options["turn"], abs(wave.psi[0]) + wave.energy), {"sum": wave.psi.sum()}


@pytest.mark.parametrize("target", ["numpy", "numba"])
class TestArguments:
    def test_what_is_written_is_seen(self, target):
        z = Z.copy()
        assert jit(doubled, target=target)(z) is z
        assert np.array_equal(z, doubled(Z.copy()))

    def test_parts_of_arrays_are_written(self, target):
        z = np.arange(8) * (1.0 + 1j)
        want = z.copy()
        doubled(want[::2])
        jit(doubled, target=target)(z[::2])
        assert np.array_equal(z, want)

    def test_read_only(self, target):
        z = Z.copy()
        z.flags.writeable = False
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            jit(doubled, target=target)(z)

    def test_one_array_twice(self, target):
        def f(z, w):
            z[0] = w[1]
            return w[0]

        z = Z.copy()
        assert jit(f, target=target)(z, z) == Z[1]

    def test_arrays_that_overlap(self, target):
        def f(z, w):
            z[0] = w[1]

        z = Z.copy()
        with pytest.raises(ValueError, match="shares memory with"):
            jit(f, target=target)(z[1:], z[:-1])

    def test_arrays_around_are_read_at_each_call(self, target):
        f = jit(around, target=target)
        first = f(2)
        AROUND[2] += 1.0
        assert first != f(2) == around(2)
        AROUND[2] -= 1.0

    def test_nests(self, target):
        given = Wave(Z, 2.0), {"turn": 1j}
        wave, d = jit(nested, target=target)(*given)
        want, _ = nested(*given)
        assert type(wave) is Wave and np.array_equal(wave.psi, want.psi) and wave.energy == want.energy
        assert np.isclose(d["sum"], Z.sum())

    @pytest.mark.parametrize("number", [1 + 2j, np.complex128(1j), np.complex64(2 - 1j), 2.0])
    def test_numbers_come_back_in_their_kind(self, target, number):
        def f(z):
            return z * z

        made = jit(f, target=target)(number)
        assert type(made) is type(f(number)) and made == f(number)

    def test_other_orders_of_bytes(self, target):
        z = Z.astype(">c16")
        jit(doubled, target=target)(z)
        assert np.array_equal(z, doubled(Z.copy()))

    def test_empty(self, target):
        def f(z):
            return z * 2j, z.sum()

        made, total = jit(f, target=target)(np.zeros(0, complex))
        assert made.shape == (0,) and made.dtype == complex and total == 0


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_exceptions_say_numbers(target):
    def f(z):
        if abs(z) > 1.0:
            raise ValueError(f"{z} is too large", z)
        return z

    with pytest.raises(ValueError) as caught:
        jit(f, target=target)(1.0 - 2.0j)
    assert caught.value.args == ("(1-2j) is too large", 1 - 2j)


def test_pickled():
    f = pickle.loads(pickle.dumps(jit(nested, target="numpy")))
    assert f(Wave(Z, 2.0), {"turn": 1j})[0].energy == nested(Wave(Z, 2.0), {"turn": 1j})[0].energy


def test_two_parts_are_named_after_the_whole():
    def f(z, w):
        turned = z * w
        return turned

    assert "z_re * w_re - z_im * w_im" in jit(f, target="numpy").source(1j, 2j)


def test_a_name_for_a_real_and_a_complex_array():
    f = loaded("def f(x, n):\n    if n > 0:\n        x = x + 1j\n    return x\n")
    error = outcome(jit(f, target="numpy"), [np.ones(3), 300])
    assert isinstance(error, SourceError)
