"""Derivatives by complex numbers, by JAX's conventions."""

import numpy as np
import pytest
from corpus import CASES

from autodiff import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jvp,
    linear_transpose,
    linearize,
    value_and_grad,
    vjp,
)
from codegen import jit

Z = np.array([0.3 + 1.0j, -0.5 - 0.5j, 0.7j])
W = np.array([1.0 - 0.5j, 0.2j, -0.4 + 0.1j])
STEP = 1e-6


def slopes(f, z):
    """u_x - i u_y by differences."""
    z = np.asarray(z)
    made = np.zeros(z.shape, complex)
    for place in np.ndindex(z.shape):
        unit = np.zeros(z.shape, complex)
        unit[place] = STEP
        along, across = ((f((z + d)[()]) - f((z - d)[()])) / (2 * STEP) for d in (unit, 1j * unit))
        made[place] = along - 1j * across
    return made[()]


def energy(z):
    return abs(z) ** 2


def mixed(z):
    return np.sum(np.abs(np.exp(z) * z[::-1]) ** 2) + (z[0] * z[1]).imag


def stepped(z):
    psi = z.copy()
    for k in range(3):
        psi[k % 3] *= np.exp(1j * psi.real.sum())
        psi = psi / np.sqrt(np.sum(np.abs(psi) ** 2))
    return psi[0].real + np.vdot(psi, W).imag


def of_spectrum(z):
    return np.sum(np.abs(np.fft.fft(z * z)) ** 2) + np.fft.ifft(z, 5)[1].imag


def of_system(z):
    a = np.outer(z, z) + 2.0 * np.eye(3)
    return np.sum(np.abs(np.linalg.solve(a, W)) ** 2) + np.linalg.det(a).real


def holomorphic(z):
    return z**3 / (1 + z) + np.exp(z) * np.sin(z)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("f", [mixed, stepped, of_spectrum, of_system])
def test_gradients(f, target):
    np.testing.assert_allclose(grad(f, target=target)(Z), slopes(f, Z), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("z", [1.0 + 2.0j, -0.5j, np.complex128(3.0)])
def test_of_a_square(z):
    assert grad(energy, target="numpy")(z) == 2 * np.conj(z)
    value, slope = value_and_grad(energy, target="numpy")(z)
    assert np.isclose(value, abs(z) ** 2) and slope == 2 * np.conj(z)


def test_at_zero():
    assert grad(energy, target="numpy")(0j) == 0.0
    assert grad(abs, target="numpy")(0j) == 0.0


def test_single_precision():
    made = grad(lambda z: np.sum(np.abs(z) ** 2), target="numpy")(Z.astype(np.complex64))
    assert made.dtype == np.complex64
    np.testing.assert_allclose(made, 2 * Z.conj(), rtol=1e-6)


def test_by_several_arguments():
    def f(x, z, d):
        return abs(z * x) + (d["w"] * z).real

    x_bar, d_bar = grad(f, (0, 2), target="numpy")(2.0, 1j, {"w": 1 + 1j})
    assert x_bar == 1.0 and d_bar == {"w": 1j}


def test_holomorphic():
    z = 0.7 - 0.4j
    want = (holomorphic(z + STEP) - holomorphic(z - STEP)) / (2 * STEP)
    assert np.isclose(grad(holomorphic, holomorphic=True, target="numpy")(z), want)


def test_forwards():
    value, change = jvp(holomorphic, (0.7 - 0.4j,), (1j,), target="numpy")
    want = (holomorphic(0.7 - 0.4j + 1j * STEP) - holomorphic(0.7 - 0.4j - 1j * STEP)) / (2 * STEP)
    assert np.isclose(value, holomorphic(0.7 - 0.4j)) and np.isclose(change, want)


def test_halves():
    z = 0.7 - 0.4j
    slope = grad(holomorphic, holomorphic=True, target="numpy")(z)
    value, pull = vjp(holomorphic, z, target="numpy")
    assert np.isclose(value, holomorphic(z))
    for ct in (1.0 + 0j, 1j, 2.0 - 1j):
        assert np.isclose(pull(ct)[0], ct * slope)
    _, push = linearize(holomorphic, z, target="numpy")
    assert np.isclose(push(2.0 - 1j), (2.0 - 1j) * slope)
    assert linear_transpose(lambda z: z * (1 + 2j), 0j, target="numpy")(1j)[0] == 1j * (1 + 2j)


def test_of_a_real_argument():
    def f(x):
        return abs(np.exp(1j * x) + x**2 * (1 + 1j))

    want = (f(0.7 + STEP) - f(0.7 - STEP)) / (2 * STEP)
    assert np.isclose(grad(f, target="numpy")(0.7), want)
    assert isinstance(grad(f, target="numpy")(0.7), float)
    assert np.isclose(jvp(lambda x: np.exp(1j * x), (0.7,), (1.0,), target="numpy")[1], 1j * np.exp(0.7j))


def test_of_second_order():
    assert hvp(energy, (1 + 2j,), (1j,), target="numpy") == -2j
    second = grad(lambda x: grad(energy)(x * (1 + 1j)).real, target="numpy")
    assert np.isclose(second(0.3), 2.0)


def test_inside_a_program():
    @jit
    def descend(z):
        for _ in range(50):
            z = z - 0.1 * np.conj(grad(energy)(z))
        return z

    assert abs(descend(1.0 + 2.0j)) < 1e-3


NAME = "take .real and .imag of them, or jvp and vjp"


@pytest.mark.parametrize(
    ("derivative", "kind"), [(jacobian, "jacrev"), (jacfwd, "jacfwd"), (hessian, "jacrev")]
)
def test_jacobians_are_of_real_numbers(derivative, kind):
    with pytest.raises(TypeError) as caught:
        derivative(energy, target="numpy")(1j)
    assert str(caught.value) == f"{kind} of energy: of complex arguments and results there is none; {NAME}"


def test_a_complex_result_has_no_gradient():
    with pytest.raises(TypeError) as caught:
        grad(holomorphic, target="numpy")(1j)
    assert str(caught.value) == (
        "grad of holomorphic: the result must be one float scalar, not a complex number (take .real or abs(), or "
        "holomorphic=True) (jacobian takes other floats)"
    )


SMOOTH = [
    "fourier_by_definition",
    "transfer_matrices",
    "moebius",
    "circuit",
    "complex_matrices",
]


@pytest.mark.parametrize("case", [c for c in CASES if c.name in SMOOTH], ids=lambda c: c.name)
def test_corpus_forward_and_reverse_agree(case):
    """Re <ct, f'(z) t> is Re <f'(z)^T ct, t>."""
    given = case.lanes()[0]
    random = np.random.default_rng(3)

    def like(v):
        made = random.normal(size=np.shape(v)) + (
            1j * random.normal(size=np.shape(v)) if np.iscomplexobj(v) else 0
        )
        return made if np.ndim(v) else complex(made) if np.iscomplexobj(v) else float(np.real(made))

    tangents = tuple(map(like, given))
    value, change = jvp(case.function, given, tangents, target="numpy")
    listed, moved = ((v,) if not isinstance(v, tuple) else v for v in (value, change))
    cts = tuple(like(v) for v in listed)
    _, pull = vjp(case.function, *given, target="numpy")
    back = pull(cts if isinstance(value, tuple) else cts[0])
    forward = sum(np.sum(c * t).real for c, t in zip(cts, moved))
    assert np.isclose(sum(np.sum(b * t).real for b, t in zip(back, tangents)), forward, rtol=1e-9)


def test_zeros_of_real_operands_have_no_slope():
    """They are multiplied for NaN and the signs of zeros alone."""

    def weighted(x, c):
        return np.sum(np.real(x * c) + 2.0 * np.imag(x * c))

    c = np.array([1.0 + 2.0j, -0.5j, 3.0])
    text = grad(weighted, target="numpy").source(np.ones(3), c)
    assert "0.0 *" not in text and "* 0.0" not in text
    np.testing.assert_array_equal(grad(weighted, target="numpy")(np.ones(3), c), c.real + 2.0 * c.imag)


@pytest.mark.parametrize("size", [1e-200, 1e-3, 1.0, 1e200])
@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_quotients_of_all_sizes(size, target):
    """d(a / z) = -a / z**2 dz, of numbers whose squares are too large or too small, by either part the larger."""

    def ratio(x, y, s):
        z = (0.7 - 0.2j) * s / (x * s + 1j * (y * s))
        return z.real + 2.0 * z.imag

    for x, y in [(0.3, -1.5), (2.0, 0.25)]:
        slope = -(0.7 - 0.2j) / complex(x, y) ** 2
        expected = slope.real + 2.0 * slope.imag, (1j * slope).real + 2.0 * (1j * slope).imag
        got = grad(ratio, argnums=(0, 1), target=target)(x, y, size)
        np.testing.assert_allclose(got, expected, rtol=1e-12)
