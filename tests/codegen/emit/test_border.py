"""The text of functions of complex numbers and structures, which has one over the parts and one around it."""

import importlib.util
import secrets
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from autobatch import batch
from autodiff import grad, value_and_grad
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


class State(NamedTuple):
    q: np.ndarray
    p: float


@dataclass(frozen=True)
class Step:
    state: State
    size: float = 0.1


def stepped(step, pair, n):
    for _ in range(n):
        state = step.state
        step = Step(State(state.q + step.size * state.p * pair[0], state.p - pair[1]["k"]), step.size)
    return step, {"n": n, "said": "done"}, [step.state.q, None, -np.inf], np.float32(2.5)


def alone(x):
    return (x,)


def known(x):
    return 7, True


def first_above(x, least):
    for v in x:
        if v > least:
            return v


def crossings(x):
    found = []
    for i in range(1, len(x)):
        if x[i - 1] * x[i] < 0.0:
            found.append((i, x[i], 1j * x[i], "sign"))
    return found


def overwritten(states):
    states["q"][1][0] = 5.0


def defined(text: str, name: str, tmp_path):
    """The function of a text, in a module that is found by its name, as recursion in Numba wants it."""
    path = tmp_path / f"emitted_{secrets.token_hex(4)}.py"
    path.write_text(text.replace("cache=True, ", ""))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def several(z, w, flag):
    """Arrays of two axes; one of the results is given, one is made by a loop under a test."""
    made = np.zeros_like(z)
    if flag:
        for i in range(z.shape[0]):
            made[i] = z[i] * w[i]
    return z, z.conj() * w, made, abs(w)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("dtype", ["c16", "c8", ">c16"])
@pytest.mark.parametrize("place", ["apart", "part", "turned", "fixed", "none", "one", "wide"])
def test_whole_arrays(dtype, place):
    """However they lie; what is given stays as it is."""
    rng = np.random.default_rng(3)
    z, w = (rng.standard_normal((6, 4)) + 1j * rng.standard_normal((6, 4)) for _ in range(2))
    z = z.astype(dtype)
    views = {"part": z[::2], "turned": z.T, "none": z[:0], "one": z[:1, :1], "wide": z[1:4]}
    z = views.get(place, z)
    w = w.astype(dtype)[: z.shape[0], : z.shape[1]] if place != "turned" else w.astype(dtype).T
    if place == "fixed":
        z.flags.writeable = False
    before = z.copy()
    for flag in (True, False):
        for found, wanted in zip(jit(several)(z, w, flag), several(z, w, flag), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-5 if dtype == "c8" else 1e-13)
            assert found.dtype == wanted.dtype.newbyteorder("=") or found is z
        assert np.array_equal(z, before)
    first, second = (jit(product)(each, each) for each in (z, 2 * z))
    second[...] = 0.0
    np.testing.assert_allclose(first, z * z, rtol=1e-5)


def test_arrays_stay_whole():
    """What only reads and writes elements has no copies around it."""
    assert "ascontiguousarray(z.real)" not in jit(product).source(Z, Z)
    assert "complex_of" not in jit(product).source(Z, Z)
    z = np.zeros((2, 3), complex)
    made = jit(product)(z, z)
    assert made.flags.c_contiguous and made.flags.writeable and not np.shares_memory(made, z)


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
    assert g({"a": Z}, 2.0) == total({"a": Z}, 2.0)


X = np.array([1.0, -2.0, -3.0, 4.0])


def values(made):
    """A result whose numbers are Python's, as Numba gives them, and whose classes are known by their names."""
    match made:
        case np.generic() | np.ndarray():
            return made.tolist()
        case tuple() | list():
            return type(made).__name__, *map(values, made)
        case dict():
            return {key: values(item) for key, item in made.items()}
    return (type(made).__name__, values(made.state), made.size) if hasattr(made, "state") else made


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize(
    ("f", "given"),
    [
        (stepped, (Step(State(X, 2.0)), (0.5, {"k": 0.25}), 3)),
        (alone, (2.0,)),
        (known, (2.0,)),
        (first_above, (X, 2.0)),
        (first_above, (X, 5.0)),
        (crossings, (X,)),
        (crossings, (X[:1],)),
    ],
)
def test_structures(f, given, target, tmp_path):
    made = defined(jit(f, target=target).source(*given), f.__name__, tmp_path)
    assert repr(values(made(*given))) == repr(values(f(*given)))


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_what_is_written_into_parts(target, tmp_path):
    columns = {"q": (X.copy(), np.ones((4, 2))[:, 0])}
    made = defined(jit(overwritten, target=target).source(columns), "overwritten", tmp_path)
    assert made(columns) is None and columns["q"][1].tolist() == [5.0, 1.0, 1.0, 1.0]


def added(n):
    total = 0j
    total += n
    return total, n


def test_a_part_that_is_known(tmp_path):
    f = jit(added)
    assert f(3) == defined(f.source(3), "added", tmp_path)(3) == (3 + 0j, 3)


def test_lanes(tmp_path):
    f = defined(batch(product, target="numpy").source(Z, Z), "product_batch", tmp_path)
    assert np.allclose(f(Z, Z), Z * Z)


def test_the_text(golden):
    golden("complex_numbers.py", jit(scaled).source(Z, 1j, 2.0))
    golden("complex_numbers_grad.py", grad(size, target="numpy").source(Z))
    golden("structures.py", jit(stepped, target="numpy").source(Step(State(X, 2.0)), (0.5, {"k": 0.25}), 3))


def shares(x, n):
    if n < 0:
        return (x[0], (x,)), n
    return (np.sum(x), (x * n,)), -n


def sorted_into(x, s):
    return {"order": [x[0], s] if x[0] < s else [s, x[0]], "word": "low first", "none": None}


def halved(x, n):
    if n == 0:
        return x, (n,)
    half, (steps,) = halved(x / 2, n - 1)
    return half + 1, (steps + 1,)


@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize(
    ("f", "given", "in_one"),
    [
        (shares, (X, 2), {"numpy", "numba"}),
        (shares, (X, -2), {"numpy", "numba"}),
        (alone, (2.0,), {"numpy", "numba"}),
        (sorted_into, (X, 2.0), {"numpy"}),
        (halved, (8.0, 2), {"numba"}),  # it takes apart what it gives; compiled, another counts its calls
    ],
)
def test_structures_that_the_function_itself_gives(f, given, in_one, target, tmp_path):
    text = jit(f, target=target).source(*given)
    assert ("_parts" not in text) == (target in in_one)
    assert repr(values(defined(text, f.__name__, tmp_path)(*given))) == repr(values(f(*given)))


def cost(x, s):
    return np.sum(x * s)


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_gradients_by_several_arguments_are_one_function(target, tmp_path):
    f = value_and_grad(cost, (0, 1), target=target)
    text = f.source(X, 2.0)
    assert "(x_bar, s_bar)" in text and "_parts" not in text
    assert repr(values(defined(text, "cost_value_and_grad", tmp_path)(X, 2.0))) == repr(values(f(X, 2.0)))


def changed(d, z):
    d["a"][1] += 2
    u = d["c"]
    u[0] = u[0] * 2j
    s = 0.0
    for p, q in d["t"]:
        s += p * q
    return z * 2, s, d["a"]


@pytest.mark.parametrize("target", ["numpy", "numba"])
def test_lists_in_structures_are_changed(target, tmp_path):
    """Of numbers, of complex numbers, of tuples."""
    given, wanted = ({"a": [1, 2, 3], "t": [(1.0, 2), (3.0, 4)], "c": [1j, 2 + 0j]} for _ in range(2))
    f = defined(jit(changed, target=target).source(wanted, Z), "changed", tmp_path)
    found, plain = f(given, Z), changed(wanted, Z)
    assert np.array_equal(found[0], plain[0]) and found[1:] == plain[1:] and given == wanted
    assert type(found[2][0]) is int


def once_more(z, n):
    w = z * 2j
    y = w
    while n > 0:
        y = y * 0.5 + w
        n -= 1
    return y


def both_ways(z, n):
    w = z * 2j
    x, y = w, w
    for _ in range(n):
        x, y = y * 0.5 + 1.0, x * 0.5j
    return y


def one_of_two(z, n):
    w = z * 2j
    y = w if n > 1 else w + 1.0
    for _ in range(n):
        y = y * 0.5
    return y


@pytest.mark.parametrize("f", [once_more, both_ways, one_of_two])
def test_a_complex_array_that_a_loop_begins_with_and_something_else_reads(f):
    """What the loop makes is another array, in memory of its own."""
    for n in (0, 1, 3):
        np.testing.assert_allclose(jit(f)(Z, n), f(Z, n))
