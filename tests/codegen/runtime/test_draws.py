"""The compiled draws against NumPy's own: the same bits, and the stream left at the same place."""

import ast
import pathlib
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit

from codegen.runtime import (
    IMPORTS,
    defines,
    device_parts,
    draws,
    draws_of_arrays,
    parts,
    plain,
    put_state,
    state_of,
    text,
)
from codegen.runtime.state import generator_at
from codegen.runtime.streams import seeds as seeds_

COUNT = 1_000_000
RANGES = [
    (0, 1),
    (-7, -6),
    (0, 2),
    (-3, 5),
    (0, 10),
    (-5, 2**31),
    (0, 2**31 + 1),
    (0, 2**32 - 1),
    (-(2**31), 2**31),
    (0, 2**32 + 1),
    (-(2**40), 2**40),
    (0, 2**62),
    (-(2**62), 2**62 + 12345),
    (-(2**63), 2**63 - 1),
    (2**63 - 2, 2**63 - 1),
    (-(2**63), -(2**63) + 3),
]


def generator(*key: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=np.array(key or (3, 9), np.uint64)))


def assert_same(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    bits = f"u{ours.itemsize}"
    np.testing.assert_array_equal(np.ascontiguousarray(ours).view(bits), theirs.view(bits))


def functions() -> list[str]:
    """Every function of the two files that takes a state row."""
    trees = [ast.parse(pathlib.Path(file.__file__).read_text()) for file in (draws, draws_of_arrays)]
    return [
        f.name
        for tree in trees
        for f in tree.body
        if isinstance(f, ast.FunctionDef) and f.args.args[:1] and f.args.args[0].arg == "s"
    ]


@pytest.mark.parametrize(
    "kind, parameters",
    [
        ("random", ()),
        ("standard_normal", ()),
        ("standard_exponential", ()),
        ("integers", (-5, 1000)),
        ("integers", (-5, 2**40)),
    ],
)
def test_sized(kind, parameters):
    theirs = generator()
    row = state_of(theirs)
    out = np.empty(COUNT, np.int64 if kind == "integers" else np.float64)
    getattr(draws_of_arrays, f"fill_{kind}")(row, out, *parameters)
    assert_same(out, getattr(theirs, kind)(*parameters, size=COUNT))
    np.testing.assert_array_equal(row, state_of(theirs))


def test_sized_in_any_shape_and_layout():
    theirs = generator()
    row = state_of(theirs)
    for out in (np.empty((3, 4)), np.empty((4, 5)).T, np.empty((6, 8))[::2, 1::3], np.empty(0)):
        draws_of_arrays.fill_random(row, out)
        assert_same(out, theirs.random(out.shape))
    np.testing.assert_array_equal(row, state_of(theirs))


@njit
def interleaved(row, kinds, out):
    for i in range(kinds.size):
        kind = kinds[i]
        if kind == 0:
            out[i] = draws.draw_random(row)
        elif kind == 1:
            out[i] = draws.draw_standard_normal(row)
        elif kind == 2:
            out[i] = draws.draw_standard_exponential(row)
        elif kind == 3:
            out[i] = draws.draw_integers(row, -3, 100)
        elif kind == 4:
            out[i] = draws.draw_integers(row, 0, 2**50)
        else:
            out[i] = draws.draw_integers(row, 4, 5)


def test_interleaved_scalars():
    """Kinds of 32 and 64 bits in turn, so that left halves of words are carried across other draws."""
    theirs = generator(2**64 - 1, 5)
    methods = [
        theirs.random,
        theirs.standard_normal,
        theirs.standard_exponential,
        lambda: theirs.integers(-3, 100),
        lambda: theirs.integers(0, 2**50),
        lambda: theirs.integers(4, 5),
    ]
    kinds = np.random.default_rng(0).integers(0, len(methods), 200_000)
    row = state_of(theirs)
    out = np.empty(kinds.size)
    interleaved(row, kinds, out)
    assert_same(out, np.array([methods[kind]() for kind in kinds], np.float64))
    np.testing.assert_array_equal(row, state_of(theirs))


@njit
def scalars(row, out):
    for i in range(out.size):
        out[i] = draws.draw_standard_normal(row)


def test_a_million_scalar_draws():
    theirs = generator(1, 1)
    row = state_of(theirs)
    out = np.empty(COUNT)
    scalars(row, out)
    assert_same(out, theirs.standard_normal(COUNT))


@njit
def closed(row, low, last, out):
    for i in range(out.size):
        out[i] = draws.draw_integers_closed(row, low, last)


@pytest.mark.parametrize("low, high", RANGES)
def test_integers(low, high):
    theirs = generator()
    theirs.integers(0, 3)
    row = state_of(theirs)
    out = np.empty(1001, np.int64)
    draws_of_arrays.fill_integers(row, out, low, high)
    assert_same(out, theirs.integers(low, high, size=1001))
    closed(row, low, high, out)
    assert_same(out, theirs.integers(low, high, size=1001, endpoint=True))
    np.testing.assert_array_equal(row, state_of(theirs))


def test_integers_of_full_range():
    theirs = generator()
    row = state_of(theirs)
    out = np.empty(1000, np.int64)
    closed(row, -(2**63), 2**63 - 1, out)
    assert_same(out, theirs.integers(-(2**63), 2**63, size=1000))
    closed(row, -1, 2**32 - 2, out)
    assert_same(out, theirs.integers(-1, 2**32 - 1, size=1000))


@pytest.mark.parametrize(
    "name, parameters",
    [
        ("integers", (3, 3)),
        ("integers", (3, -(2**63))),
    ],
)
def test_parameters_that_numpy_refuses(name, parameters):
    with pytest.raises((ValueError, OverflowError)) as theirs:
        getattr(generator(), name)(*parameters)
    with pytest.raises(theirs.type) as ours:
        getattr(draws, f"draw_{name}")(state_of(generator()), *parameters)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("words", [(1, 0, 0, 0), (2, 2, 0, 0), (1, 1, 1, 0), (1, 1, 1, 1), (7, 1, 1, 5)])
def test_counter_carries(words):
    """Counters just before their words overflow: 0 - w modulo 2**64."""
    counter = -np.array(words, np.uint64)
    theirs = np.random.Generator(np.random.Philox(counter=counter, key=11))
    row = state_of(theirs)
    out = np.empty(64)
    draws_of_arrays.fill_random(row, out)
    assert_same(out, theirs.random(64))
    np.testing.assert_array_equal(row, state_of(theirs))


def test_tables_are_numpys():
    """NumPy ships its C library for others to link to; every table lies in it, byte for byte."""
    library = (pathlib.Path(np.random.__file__).parent / "lib" / "libnpyrandom.a").read_bytes()
    for kind in ("NORMAL", "EXPONENTIAL"):
        for letter in "KWF":
            table = getattr(draws, f"DRAW_{kind}_{letter}")
            assert len(table) == 256 and table.tobytes() in library


def test_states_round_trip():
    source, target = generator(), generator(8, 8)
    for draw in (
        source.random,
        lambda: source.integers(0, 9),
        lambda: source.random(3),
        source.standard_normal,
    ) * 3:
        draw()
        put_state(target, state_of(source))
        np.testing.assert_array_equal(state_of(target), state_of(source))
        fresh = generator()
        put_state(fresh, state_of(source))
        assert fresh.integers(0, 9) == target.integers(0, 9) and fresh.random() == target.random()


def test_row_goes_back_to_a_generator():
    theirs, ours = generator(), generator()
    row = state_of(ours)
    for _ in range(3):
        assert draws.draw_integers(row, 0, 100) == theirs.integers(0, 100)
    put_state(ours, row)
    assert ours.integers(0, 100) == theirs.integers(0, 100)
    assert ours.random() == theirs.random()


@pytest.mark.parametrize("name", [name for name in functions() if name.startswith("fill_")])
def test_generators_over_pcg64(name):
    """The words of a block are made at once: a generator goes on from the word that comes next."""
    kind = name.removeprefix("fill_")
    parameters = {"integers": (-5, 1000)}.get(kind, ())
    ours, theirs = np.random.default_rng(7), np.random.default_rng(7)
    for count in (0, 1, 2, 3, 5, 8, 1001):
        row = state_of(ours)
        out = np.empty(count, np.int64 if kind == "integers" else np.float64)
        getattr(draws_of_arrays, name)(row, out, *parameters)
        assert_same(out, getattr(theirs, kind)(*parameters, size=count))
        put_state(ours, row)
        assert ours.bit_generator.state == theirs.bit_generator.state
        again = generator_at(row)
        assert again.bit_generator.state == theirs.bit_generator.state


@pytest.mark.turns(4)
@settings(max_examples=200)
@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9), min_size=1, max_size=6))
@example([0])
@example([0, 0])
@example([2**64 - 1] * 5)
def test_streams_of_seeds(seeds):
    """Words of more than four make the pool larger than it is: they are mixed in."""
    theirs = np.random.default_rng(seeds if len(seeds) > 1 else seeds[0])
    row = seeds_.seeded_stream(tuple(map(np.uint64, seeds)))
    np.testing.assert_array_equal(row, state_of(theirs))


def test_states_go_to_generators_of_their_kind():
    with pytest.raises(TypeError, match="this is a state of PCG64, and the Generator draws from Philox"):
        put_state(generator(), state_of(np.random.default_rng(1)))
    with pytest.raises(TypeError, match="this is a state of Philox, and the Generator draws from PCG64"):
        put_state(np.random.default_rng(1), state_of(generator()))


def test_other_bit_generators_are_refused():
    with pytest.raises(TypeError) as error:
        state_of(np.random.Generator(np.random.SFC64(1)))
    assert str(error.value) == (
        "this Generator draws from SFC64; compiled code draws from PCG64 and Philox: use "
        "numpy.random.default_rng(seed), or autobatch.streams(seed, n)"
    )
    with pytest.raises(TypeError, match="a numpy.random.Generator is needed, not RandomState"):
        put_state(np.random.RandomState(1), state_of(generator()))


def test_rows_that_no_generator_has_are_refused():
    row = state_of(generator())
    row[10] = 5
    with pytest.raises(ValueError, match=r"word 10 of a stream's state \(buffer_pos\) is 5, beyond 4"):
        put_state(generator(), row)
    with pytest.raises(ValueError, match=r"uint64\[..., 13\], not float64\[13\]"):
        put_state(generator(), np.zeros(13))
    with pytest.raises(ValueError, match=r"shape \(13,\), not \(2, 13\)"):
        put_state(generator(), np.zeros((2, 13), np.uint64))


def standalone(names: list[str], **options: Any) -> dict:
    """The names of a module made of the imports and the text alone."""
    module: dict = {}
    exec("\n".join(IMPORTS) + "\n\n" + text(names, **options), module)
    return module


@pytest.mark.turns(4)
def test_text_runs_alone_compiled():
    theirs = generator()
    out = np.empty(100)
    standalone(["fill_standard_normal"])["fill_standard_normal"](state_of(theirs), out)
    assert_same(out, theirs.standard_normal(100))


@pytest.mark.parametrize("name", [name for name in functions() if name.startswith("fill_")])
def test_text_runs_alone_in_plain_python(name):
    """Without decorators: a person can step through."""
    kind = name.removeprefix("fill_")
    parameters = (-4, 90) if kind == "integers" else ()
    theirs = generator()
    row = state_of(theirs)
    out = np.empty(500, np.int64 if kind == "integers" else np.float64)
    module = standalone([name], form=plain)
    module["philox_product"] = lambda a, b: tuple(np.array(divmod(int(a) * int(b), 2**64), np.uint64))
    with np.errstate(over="ignore"):
        module[name](row, out, *parameters)
    assert_same(out, getattr(theirs, kind)(*parameters, size=500))
    np.testing.assert_array_equal(row, state_of(theirs))


def test_text_holds_what_is_needed_and_no_more():
    assert defines(["draw_random"]) == (
        "PHILOX_M0",
        "PHILOX_M1",
        "PHILOX_W0",
        "PHILOX_W1",
        "PCG64_UPPER",
        "PCG64_LOWER",
        "PHILOX_0",
        "PHILOX_1",
        "PHILOX_4",
        "PHILOX_BLOCK",
        "philox_product",
        "philox_refill",
        "pcg64_step",
        "pcg64_word",
        "pcg64_refill",
        "stream_refill",
        "stream_next64",
        "draw_random",
    )
    assert text([]) == "" and defines([]) == ()


def test_text_of_everything_is_the_file():
    """In the order of files, spacing and comments kept, whatever the order of the names."""
    names = functions()
    first, mark, last = text(names).partition('\n\n\n@njit(error_model="numpy")\ndef fill_random(')
    assert pathlib.Path(draws.__file__).read_text().endswith(f"{first}\n")
    assert pathlib.Path(draws_of_arrays.__file__).read_text().endswith(f"{mark}{last}\n")
    assert text(names) == text(reversed(names))


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="no function draw_gamma; there are .*draw_standard_normal"):
        text(["draw_random", "draw_gamma"])


def test_names_of_stores_are_their_own():
    """A name that two files had would be one function for the callers of both."""
    for listed in (parts(), device_parts()):
        names = [name for part in listed for name in part.names]
        assert sorted(names) == sorted(set(names))
