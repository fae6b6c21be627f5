"""Streams: lane i is NumPy's Generator(Philox(key=[seed, i])), whatever the number and order of the lanes."""

import io
import pickle

import numpy as np
import pytest

from autobatch import batch
from autobatch.streams import Streams, streams
from autodiff import value_and_grad
from codegen.runtime import draws, draws_of_arrays, state_of


def lane(seed: int, i: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=np.array([seed, i], np.uint64)))


@pytest.mark.parametrize("n", [1, 7, 4096])
def test_lane_is_numpys_generator(n):
    rngs = streams(3, n)
    assert len(rngs) == n
    for i in {0, n // 2, n - 1}:
        np.testing.assert_array_equal(
            rngs.state[i], state_of(np.random.Generator(np.random.Philox(key=[3, i])))
        )
        assert rngs[i].standard_normal() == lane(3, i).standard_normal()


@pytest.mark.parametrize("seed", [0, 2**63, 2**64 - 1, np.uint64(2**64 - 1), np.int32(5)])
def test_all_bits_of_the_seed_count(seed):
    np.testing.assert_array_equal(streams(seed, 2).state[1], state_of(lane(int(seed), 1)))


def test_lanes_do_not_depend_on_their_number_or_order():
    few, many = streams(5, 7), streams(5, 4096)
    np.testing.assert_array_equal(few.state, many.state[:7])
    out = np.empty((7, 10))
    for i in (4, 0, 6, 2, 1, 5, 3):
        draws_of_arrays.fill_standard_normal(few.state[i], out[i])
    for i in range(7):
        np.testing.assert_array_equal(out[i], lane(5, i).standard_normal(10))


def test_streams_advance_across_calls():
    rngs, theirs = streams(1, 3), [lane(1, i) for i in range(3)]
    for _ in range(4):
        for i in range(3):
            assert draws.draw_integers(rngs.state[i], 0, 50) == theirs[i].integers(0, 50)
    assert [rng.random() for rng in rngs] == [rng.random() for rng in theirs]


def test_a_lane_taken_out_leaves_the_lane_where_it_is():
    rngs = streams(1, 3)
    before = rngs.state.copy()
    assert rngs[2].random() == rngs[-1].random() == rngs[np.int64(2)].random() == lane(1, 2).random()
    np.testing.assert_array_equal(rngs.state, before)


def test_slices_share_and_index_arrays_copy():
    rngs = streams(1, 6)
    assert np.shares_memory(rngs[2:5].state, rngs.state)
    np.testing.assert_array_equal(rngs[2:5].state[:, 5], [2, 3, 4])
    for index, lanes in (
        ([4, 1], [4, 1]),
        (np.array([5, 5, -6]), [5, 5, 0]),
        (np.arange(6) % 2 == 1, [1, 3, 5]),
        (slice(None, None, -2), [5, 3, 1]),
    ):
        np.testing.assert_array_equal(rngs[index].state[:, 5], lanes)
    assert not np.shares_memory(rngs[[0, 1]].state, rngs.state)


def test_indices_that_no_sequence_has():
    rngs = streams(1, 3)
    with pytest.raises(IndexError):
        rngs[3]
    with pytest.raises(TypeError):
        rngs[0, 1]
    with pytest.raises(TypeError):
        rngs["0"]


def test_copies_advance_apart():
    rngs = streams(1, 2)
    copy = rngs.copy()
    draws.draw_random(rngs.state[0])
    np.testing.assert_array_equal(copy.state, streams(1, 2).state)
    assert not np.array_equal(copy.state, rngs.state)


def test_saved_and_loaded():
    rngs = streams(9, 5)
    draws.draw_integers(rngs.state[3], 0, 9)
    again = pickle.loads(pickle.dumps(rngs))
    np.testing.assert_array_equal(again.state, rngs.state)
    file = io.BytesIO()
    np.save(file, rngs.state)
    file.seek(0)
    again = Streams.from_state(np.load(file))
    np.testing.assert_array_equal(again.state, rngs.state)
    assert again[3].integers(0, 9) == rngs[3].integers(0, 9)


def test_many_streams_without_generators(monkeypatch):
    monkeypatch.setattr(np.random, "Philox", None)
    monkeypatch.setattr(np.random, "Generator", None)
    rngs = streams(0, 100_000)
    np.testing.assert_array_equal(rngs.state[:, 5], np.arange(100_000))
    assert rngs.state.dtype == np.uint64 and rngs.state.flags.c_contiguous


@pytest.mark.parametrize(
    "seed, n, error, message",
    [
        (-1, 2, ValueError, "seed must be in 0 .. 2**64 - 1, not -1"),
        (2**64, 2, ValueError, "seed must be in 0 .. 2**64 - 1, not 18446744073709551616"),
        (0, -1, ValueError, "there cannot be -1 streams"),
        (0.5, 1, TypeError, "'float' object cannot be interpreted as an integer"),
        (0, "2", TypeError, "'str' object cannot be interpreted as an integer"),
    ],
)
def test_refused(seed, n, error, message):
    with pytest.raises(error) as raised:
        streams(seed, n)
    assert str(raised.value) == message


def test_states_that_no_stream_has():
    state = streams(0, 2).state.copy()
    state[1, 12] = 2**32
    with pytest.raises(ValueError, match=r"word 12 of a stream's state \(uinteger\) is 4294967296"):
        Streams.from_state(state)
    with pytest.raises(ValueError, match=r"shape \(n, 13\), not \(13,\)"):
        Streams.from_state(state[0])
    with pytest.raises(ValueError, match=r"uint64\[..., 13\], not int64\[2, 13\]"):
        Streams.from_state(np.zeros((2, 13), np.int64))


def test_repr():
    assert repr(streams(3, 4096)) == "Streams(4096 lanes, keys (3, 0) to (3, 4095))"
    assert repr(streams(3, 0)) == "Streams(no lanes)"
    assert list(streams(3, 0)) == []


def shifted(rng, x):
    """Is given a stream and draws nothing."""
    return x + 1.0


def passed_on(rng, x):
    return shifted(rng, x) * 2.0


def drawn(rng, x):
    return passed_on(rng, x) + rng.random()


def noisy(rng, x):
    y = shifted(rng, x)
    for _ in range(3):
        y += passed_on(rng, x)
    return y + drawn(rng, x) + passed_on(rng, x) * rng.random()


def test_functions_that_are_given_a_stream_and_draw_nothing():
    x = np.arange(3.0)
    wanted = [noisy(lane(1, k), v) for k, v in enumerate(x)]
    np.testing.assert_allclose(batch(noisy)(streams(1, 3), x), wanted, rtol=1e-15)
    values, slopes = batch(value_and_grad(noisy, argnums=1))(streams(1, 3), x)
    np.testing.assert_allclose(values, wanted, rtol=1e-15)
    ahead = [noisy(lane(1, k), v + 1.0) for k, v in enumerate(x)]
    np.testing.assert_allclose(slopes, np.subtract(ahead, wanted), rtol=1e-12)  # linear in x
