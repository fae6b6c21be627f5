"""jit(f, target="cuda"): loops as kernels, over stand-ins of numba-cuda and CuPy held against plain NumPy."""

import sys
from typing import Any

import numpy as np
import pytest
from array_gpu import OfDlpack, cupy, with_arrays_there
from array_gpu_by_numba import with_compiled_arrays_there
from array_programs import PROGRAMS, X, distance, logistic, same, same_outcome, scaled, softmax, x, y
from corpus import CASES, GROWING, Case
from ordered_array_programs import LOSSES, decomposed, forward, scattered, written
from ordered_array_programs import PROGRAMS as ORDERED
from over_lanes import directory  # noqa: F401
from warp import OfLibrary, OnDevice

from autodiff import grad, value_and_grad
from codegen import jit

Z = x + 1j * np.cos(3.0 * x)


@pytest.mark.parametrize(("f", "given"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_programs(f: Any, given: Any) -> None:
    with with_arrays_there():
        found = jit(f, target="cuda")(*given)
    same(found, f(*given))


@pytest.mark.parametrize(
    ("f", "given"), [(distance, (X, X[0])), (logistic, PROGRAMS[5][1])], ids=["distance", "logistic"]
)
def test_gradients(f: Any, given: Any) -> None:
    with with_arrays_there():
        found = grad(f, target="cuda")(*given)
        both = value_and_grad(f, target="cuda")(*given)
    same(found, grad(f)(*given))
    same(both, value_and_grad(f)(*given))


def test_the_text(golden: Any) -> None:
    golden("softmax_cuda.py", jit(softmax, target="cuda").source(X))
    golden("logistic_grad_cuda.py", value_and_grad(logistic, target="cuda").source(*PROGRAMS[5][1]))
    given = {f: arguments for f, arguments in reversed(ORDERED)}
    golden("forward_cuda.py", jit(forward, target="cuda").source(*given[forward]))
    golden("scattered_cuda.py", jit(scattered, target="cuda").source(*given[scattered]))


def test_arrays_that_are_there_stay_there() -> None:
    with with_arrays_there():
        found = jit(scaled, target="cuda")(OfLibrary(x), y)
        total = jit(distance, target="cuda")(OfLibrary(X), X[0])
    assert isinstance(found, OnDevice) and isinstance(total, float)
    same(found.get(), scaled(x, y))


@pytest.mark.parametrize("z", [x, Z], ids=["f8", "c16"])
def test_arrays_that_are_there_by_dlpack(z: Any) -> None:
    def scaled_by(given, z):
        return {"z": given[0] * 2.0 + z}

    with with_arrays_there():
        found = jit(scaled_by, target="cuda")((OfDlpack(z),), z)["z"]
        assert type(found) is sys.modules["cupy"].ndarray
        with pytest.raises(
            TypeError, match="a array_gpu.OfDlpack is no array: .*np.from_dlpack of it"
        ):  # on the host
            jit(energy, target="cuda")(OfDlpack(z, device=1))
    same(found.get(), 3.0 * z)


def test_numbers_that_are_there_are_fetched() -> None:
    """Such as CuPy's sums give; kernels take numbers of the host's."""

    def line(x, slope, start):
        return slope * x + start

    with with_arrays_there():
        found = jit(line, target="cuda")(OfLibrary(x), OfLibrary(np.array(3.0)), OfLibrary(np.array(2)))
        slopes = grad(lambda x, a: np.sum(a * x), (0, 1), target="cuda")(
            OfLibrary(x), OfLibrary(np.array(3.0))
        )
    same(found.get(), 3.0 * x + 2)
    same(slopes[1], x.sum())


def test_errors_are_python_s() -> None:
    with with_arrays_there(), pytest.raises(ValueError, match="^operands could not be broadcast together"):
        jit(scaled, target="cuda")(x, y[:-1])


IN_ORDER = pytest.mark.parametrize(("f", "given"), ORDERED, ids=[f.__name__ for f, _ in ORDERED])


@pytest.mark.sampled(3)
@IN_ORDER
def test_programs_that_go_in_order(f: Any, given: Any) -> None:
    same_outcome(f, given, with_arrays_there, 1e-9 if f is decomposed else 1e-12)


@pytest.mark.sampled(5)
@IN_ORDER
def test_programs_that_go_in_order_compiled(f: Any, given: Any) -> None:
    """Kernels are code that Numba takes."""
    same_outcome(f, given, with_compiled_arrays_there, 1e-9 if f is decomposed else 1e-12)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("f", "given"), LOSSES, ids=[f.__name__ for f, _ in LOSSES])
def test_their_gradients(f: Any, given: Any) -> None:
    """The adjoint of a gather is a scatter, that of a sum in order one from its end."""
    argnums = tuple(k for k, value in enumerate(given) if np.asarray(value).dtype.kind == "f")

    with with_arrays_there():
        found = grad(f, argnums=argnums, target="cuda")(*given)
    same(found, grad(f, argnums=argnums)(*given), 1e-9)


DIFFERS = {  # Python's own messages; and what is an int or a float as it comes
    "unbound_after_a_loop", "sizes_differ", "int_on_one_way", "zero_trips",
}  # fmt: skip


@pytest.mark.sampled(13)
@pytest.mark.parametrize(
    "case", [c for c in (*CASES, *GROWING) if c.name not in DIFFERS], ids=lambda c: c.name
)
def test_the_corpus(case: Case) -> None:
    """Every program that runs on the CPU runs on a GPU."""
    same_outcome(case.function, case.lanes()[0], with_arrays_there, 1e-5 if "f4" in case.marks else 1e-12)


def test_the_same_sums_each_time() -> None:
    """What is added at one place is added in its order, so that all bits are the CPU's."""
    values, places = np.random.default_rng(1).normal(size=200), np.arange(200) * 7 % 3
    with with_arrays_there():
        found = jit(scattered, target="cuda")(values, places, 3)
    np.testing.assert_array_equal(found, scattered(values, places, 3))


def test_arrays_that_are_there_are_written_there() -> None:
    given, other = OfLibrary(x), OfLibrary(y)
    with with_arrays_there():
        jit(written, target="cuda")(given, other)
        with pytest.raises(
            ValueError, match="shares memory with argument 'y': give it a copy of one of them$"
        ):
            jit(written, target="cuda")(OfLibrary(given.memory[:9]), OfLibrary(given.memory[1:10]))
    np.testing.assert_allclose(given.memory, x + y, rtol=1e-15)
    assert other.memory[0] == y[0] and not other.memory[1:].any()


def phased(z, w):
    return np.exp(1j * z) * w.conj() + np.abs(z), np.sum(z * w)


def energy(z):
    return np.sum(np.abs(z) ** 2 * z.real)


def halved(z):
    z[0] = 1j
    z *= 0.5
    return z.imag.sum()


@pytest.mark.parametrize("z", [Z, Z[:3].astype(np.complex64), Z.reshape(3, 7)], ids=["1d", "c8", "2d"])
def test_complex_arrays_that_are_there(z: Any) -> None:
    """Their parts are read and written where they are; results are whole again, there."""
    with with_arrays_there():
        library = sys.modules["cupy"]
        for there in (library.asarray(z), OfLibrary(z)):
            found = jit(phased, target="cuda")(there, z)
            assert type(found[0]) is library.ndarray and found[0].dtype == z.dtype
            same((found[0].get(), found[1]), phased(z, z), rtol=1e-5 if z.dtype == np.complex64 else 1e-12)
        slope = grad(energy, target="cuda")(library.asarray(z))
        changed, wanted = library.asarray(z), z.copy()
        same(jit(halved, target="cuda")(changed), halved(wanted), rtol=1e-5)
    assert type(slope) is library.ndarray
    same(slope.get(), grad(energy)(z), rtol=1e-5)
    np.testing.assert_array_equal(changed.get(), wanted)


def test_the_text_of_complex_arrays_takes_those_that_are_there() -> None:
    text = jit(phased, target="cuda").source(Z, Z)
    assert "z_re = cp.ascontiguousarray(z.real)" in text and "np.ascontiguousarray" not in text
    with with_arrays_there():
        library = sys.modules["cupy"]
        defined: dict[str, Any] = {"__name__": "phased"}
        exec(compile(text, "phased", "exec"), defined)
        found = defined["phased"](library.asarray(Z), library.asarray(Z))
    assert type(found[0]) is library.ndarray
    same((found[0].get(), found[1]), phased(Z, Z), rtol=1e-12)


def test_a_second_call_with_arrays_that_are_there_describes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    f = jit(scaled, target="cuda")
    with with_arrays_there():
        library = sys.modules["cupy"]
        f(library.asarray(x), library.asarray(y))
        monkeypatch.setattr("codegen.transformed.describe", None)
        found = f(library.asarray(x[:9]), library.asarray(y[:9]))
        same(found.get(), scaled(x[:9], y[:9]))
        with pytest.raises(TypeError):  # one element, and a host's array, are other kinds
            f(library.asarray(x[:1]), library.asarray(y[:9]))
        with pytest.raises(TypeError):
            f(x, library.asarray(y))


def test_what_is_missing_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with with_arrays_there(cupy(gpus=0)), pytest.raises(RuntimeError) as error:
        jit(scaled, target="cuda")(x, y)
    assert str(error.value) == "target='cuda' needs a GPU of NVIDIA's: the driver sees none here"
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    with pytest.raises(RuntimeError) as error:
        jit(scaled, target="cuda")(x, y)
    assert str(error.value) == "target='cuda' of array programs needs CuPy: pip install cupy-cuda13x"
