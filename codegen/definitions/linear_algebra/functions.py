"""scipy.linalg: functions of matrices, and equations of matrices."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.matrices import floats, matrix_of_each, square
from codegen.definitions.scipy_linalg import adjoint, lapack_floats, one_square
from codegen.definitions.table import refused, stands_for

TINY = 1e-300
LARGEST_NORM = 1.090863719290036  # of which Taylor's polynomial of degree 18 has all digits of a double


@stands_for("scipy.linalg.expm", generic=True)
def expm(A):
    return matrix_of_each(exponential, square_floats(A))


def square_floats(a):
    """A matrix or a stack of them, of floats or complex numbers."""
    a = np.asarray(a)
    return square(a if a.dtype.kind == "c" else floats(a))


def exponential(a):
    """By Taylor's polynomial of degree 18, in five products, of what is scaled down, squared as often (Bader, Blanes
    and Casas 2019, section 3); as often as powers ask, whose norms may grow less than those of the matrix (Al-Mohy and
    Higham 2009)."""
    kind = a.dtype
    steps = max(exponent_of(column_norm(a) / LARGEST_NORM), 0)
    a = a / 2.0**steps
    one, a2 = np.eye(len(a)), a @ a
    a3 = a2 @ a
    size = max(np.sqrt(column_norm(a2)), np.cbrt(column_norm(a3)), TINY)
    fewer = min(max(exponent_of(LARGEST_NORM / size) - 1, 0), steps)
    scale = 2.0**fewer
    a, a2, a3 = scale * a, scale**2 * a2, scale**3 * a3
    a6 = a3 @ a3
    low = -0.10036558103014462 * a - 0.008029246482411570 * a2 - 0.0008921384980457300 * a3
    high = -0.09233646193671186 * a2 - 0.01693649390020817 * a3 - 1.4008679818203610e-05 * a6
    rest = 0.06759613017704597 * a2 + 0.02955525704293155 * a3 - 1.3918025751606070e-05 * a6
    nine = low @ high + (rest - 0.09043168323908106 * one - 0.06764045190713819 * a)
    begin = (
        0.3978497494996451 * a
        + 1.3678377846041172 * a2
        + 0.49828962252538268 * a3
        - 0.00063789819459472330 * a6
    )
    more = (
        1.6801581387890620 * a
        + 0.05717798464788655 * a2
        - 0.006982101224880521 * a3
        + 3.3497501708607050e-05 * a6
    )
    made = begin + (nine + (more - 10.967639605296206 * one)) @ nine
    for _ in range(steps - fewer):
        made = made @ made
    return made.astype(kind)


def column_norm(a):
    """The largest sum of sizes in a column."""
    return np.max(np.sum(np.abs(a), 0), initial=0.0)


def exponent_of(x):
    """The least k with x < 2**k; 0 of 0 and of what is no finite number."""
    return np.frexp(x)[1]


@stands_for("scipy.linalg.cosm", generic=True)
def cosm(A):
    a = square_floats(A)
    turned = exponential_of_turned(a)
    return turned.real if a.dtype.kind != "c" else 0.5 * (turned + np.linalg.inv(turned))


@stands_for("scipy.linalg.sinm", generic=True)
def sinm(A):
    a = square_floats(A)
    turned = exponential_of_turned(a)
    return turned.imag if a.dtype.kind != "c" else -0.5j * (turned - np.linalg.inv(turned))


def exponential_of_turned(a):
    """exp(i a)."""
    return matrix_of_each(exponential, 1j * a)


@stands_for("scipy.linalg.tanm", generic=True)
def tanm(A):
    a = square_floats(A)
    return np.linalg.solve(cosm(a), sinm(a))


@stands_for("scipy.linalg.coshm", generic=True)
def coshm(A):
    a = square_floats(A)
    return 0.5 * (expm(a) + expm(-a))


@stands_for("scipy.linalg.sinhm", generic=True)
def sinhm(A):
    a = square_floats(A)
    return 0.5 * (expm(a) - expm(-a))


@stands_for("scipy.linalg.tanhm", generic=True)
def tanhm(A):
    a = square_floats(A)
    return np.linalg.solve(coshm(a), sinhm(a))


@stands_for("scipy.linalg.sqrtm", generic=True)
def sqrtm(A):
    """The root whose eigenvalues have positive real parts, which there is where no eigenvalue is negative or 0."""
    return matrix_of_each(square_root, square_floats(A))


def square_root(a):
    """By the product form of Denman and Beavers' iteration, scaled by determinants (Higham 2008, eq. 6.29)."""
    one = np.eye(len(a), dtype=a.dtype)
    left, x = a, a
    apart, more, rounds = math.inf, 2, 0
    while more > 0:
        if rounds == 40 or math.isnan(apart):
            raise ValueError("sqrtm: no square root was found: an eigenvalue may be negative")
        scale = determinant_scale(left) if apart > 0.01 else 1.0
        inverse = np.linalg.inv(left)
        x = 0.5 * scale * x @ (one + inverse / scale**2)
        left = 0.5 * (one + 0.5 * (scale**2 * left + inverse / scale**2))
        apart = float(np.max(np.abs(left - one), initial=0.0))
        more -= apart < 1e-7  # twice, for derivatives, which come an iteration later
        rounds += 1
    return x


def determinant_scale(a):
    """|det a|^(-1 / 2n)"""
    return np.exp(-0.5 * np.linalg.slogdet(a)[1] / max(len(a), 1))


@stands_for("scipy.linalg.logm", generic=True)
def logm(A):
    """The logarithm whose eigenvalues have imaginary parts between -pi and pi, as far as there are square roots: in
    double precision, whatever is given."""
    a = square_floats(A)
    return matrix_of_each(logarithm, a.astype(np.complex128 if a.dtype.kind == "c" else np.float64))


NODES, WEIGHTS = (tuple(map(float, each)) for each in np.polynomial.legendre.leggauss(7))


def logarithm(a):
    """By square roots, and Padé's approximant of log(1 + x) of order 7 as partial fractions (Higham 2008, 11.18)."""
    one, doubled = np.eye(len(a), dtype=a.dtype), 1.0
    while np.max(np.sum(np.abs(a - one), 0), initial=0.0) > 0.264:
        a, doubled = square_root(a), 2.0 * doubled
    x, made = a - one, np.zeros_like(a)
    for node, weight in zip(NODES, WEIGHTS):
        made += 0.5 * weight * np.linalg.solve(one + 0.5 * (node + 1.0) * x, x)
    return doubled * made


@stands_for("scipy.linalg.solve_sylvester", generic=True)
def solve_sylvester(a, b, q):
    """a x + x b = q, as one system for the elements of x: m n equations, where Schur's form would have m**2 + n**2."""
    a, b, q = one_square(a, False), one_square(b, False), lapack_floats(q)
    m, n = len(a), len(b)
    if q.ndim != 2:
        refused("solve_sylvester takes matrices")
    if q.shape[0] != m or q.shape[1] != n:
        raise ValueError("Matrices need to be of compatible size.")
    left = np.kron(a, np.eye(n)) + np.kron(np.eye(m), b.T)
    made = np.linalg.solve(left, q.reshape(-1)).reshape((m, n))
    return made.astype((a.reshape(-1)[:0] + b.reshape(-1)[:0] + q.reshape(-1)[:0]).dtype)


@stands_for("scipy.linalg.solve_continuous_lyapunov", generic=True)
def solve_continuous_lyapunov(a, q):
    """a x + x a^H = q"""
    return solve_sylvester(a, adjoint(one_square(a, False)), q)


@stands_for("scipy.linalg.solve_discrete_lyapunov", generic=True)
def solve_discrete_lyapunov(a, q, method=None):
    """x = a x a^H + q, as one system for the elements of x, whatever the method."""
    a, q = one_square(a, False), one_square(q, False)
    left = np.eye(q.size) - np.kron(a, np.conj(a))
    return np.linalg.solve(left, q.reshape(-1)).reshape(q.shape)
