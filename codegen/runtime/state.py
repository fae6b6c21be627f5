"""A stream as 13 words: state_of : Generator -> uint64[13], and put_state back again, exactly.

| words | NumPy's name                   | what                                                           |
|-------|--------------------------------|----------------------------------------------------------------|
| 0-3   | `state["counter"]`             | 256-bit counter, lowest word first; advanced before each block |
| 4-5   | `state["key"]`                 | which stream: (seed, lane)                                     |
| 6-9   | `buffer`                       | the block last made, four words                                |
| 10    | `buffer_pos`                   | how many of them are used, 0 to 4                              |
| 11    | `has_uint32`                   | 1 if a 32-bit draw left the upper half of its word, else 0     |
| 12    | `uinteger`                     | that half (stale, but kept, when it was taken)                 |

So it is of Philox. Of PCG64, which `numpy.random.default_rng` draws from, word 11 is more by 2; it makes blocks of four
words, too, so that words 0-1 are `state["state"]` at a block's end, the lower half first, and 2-3 `state["inc"]`.

The draws in `draws.py` advance such a row in place. Many streams are an array of shape (n, 13).
"""

import numpy as np

STATE_WORDS = 13
PCG64_KIND = 2  # in word 11
PCG64_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
HALF_STATE, WHOLE_STATE = 2**64, 2**128
PCG64_BACK = pow(PCG64_MULTIPLIER, -1, WHOLE_STATE)
LARGEST = np.array((4, 3, 2**32 - 1), np.uint64)  # of words 10 to 12


def state_of(generator: np.random.Generator) -> np.ndarray:
    """The generator's state as uint64[13]; TypeError unless it draws from numpy.random.Philox or PCG64.

    state_of(np.random.Generator(np.random.Philox(key=7)))[4] == 7
    """
    state = bit_generator_of(generator).state
    half, uinteger = state["has_uint32"], state["uinteger"]
    if state["bit_generator"] == "Philox":
        words = *state["state"]["counter"], *state["state"]["key"], *state["buffer"], state["buffer_pos"]
        return np.array((*words, half, uinteger), np.uint64)
    now, inc = state["state"]["state"], state["state"]["inc"]
    halves = now % HALF_STATE, now // HALF_STATE, inc % HALF_STATE, inc // HALF_STATE
    return np.array((*halves, *(0,) * 6, 4, half + PCG64_KIND, uinteger), np.uint64)


def put_state(generator: np.random.Generator, row: np.ndarray) -> None:
    """Set the generator to a state uint64[13]; TypeError as in `state_of`, and for a state of another kind of
    generator, ValueError as in `checked_state`.

    put_state(g, state_of(h)) makes g continue as h would, with h's key.
    """
    if row.ndim != 1:
        raise ValueError(f"one stream's state has shape ({STATE_WORDS},), not {row.shape}")
    source, words = bit_generator_of(generator), checked_state(row).tolist()
    kind = "PCG64" if words[11] >= PCG64_KIND else "Philox"
    if type(source).__name__ != kind:
        raise TypeError(f"this is a state of {kind}, and the Generator draws from {type(source).__name__}")
    source.state = pcg64_state(words) if kind == "PCG64" else philox_state(words)


def generator_at(row: np.ndarray) -> np.random.Generator:
    """A new generator of the kind that a state uint64[13] is of, at its place."""
    source = np.random.PCG64(0) if row[11] >= PCG64_KIND else np.random.Philox(key=0)
    generator = np.random.Generator(source)
    put_state(generator, row)
    return generator


def philox_state(words: list[int]) -> dict:
    """The state as NumPy's Philox has it."""
    return {
        "bit_generator": "Philox",
        "state": {"counter": words[0:4], "key": words[4:6]},
        "buffer": words[6:10],
        "buffer_pos": words[10],
        "has_uint32": words[11],
        "uinteger": words[12],
    }


def pcg64_state(words: list[int]) -> dict:
    """The state as NumPy's PCG64 has it: as many steps back as words of the block are left."""
    state, inc = words[0] + words[1] * HALF_STATE, words[2] + words[3] * HALF_STATE
    for _ in range(4 - words[10]):
        state = (state - inc) * PCG64_BACK % WHOLE_STATE
    return {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": inc},
        "has_uint32": words[11] - PCG64_KIND,
        "uinteger": words[12],
    }


def checked_state(state: np.ndarray) -> np.ndarray:
    """The array of states itself; ValueError unless it is uint64[..., 13] with words 10-12 in their ranges.

    A word out of range would make the draws read beside the block.
    """
    if state.dtype != np.uint64 or state.ndim == 0 or state.shape[-1] != STATE_WORDS:
        raise ValueError(
            f"stream states are uint64[..., {STATE_WORDS}], not {state.dtype}{list(state.shape)}"
        )
    if not (state[..., 10:] > LARGEST).any():
        return state
    for word, name, most in zip((10, 11, 12), ("buffer_pos", "has_uint32", "uinteger"), LARGEST, strict=True):
        if np.any(state[..., word] > most):
            raise ValueError(
                f"word {word} of a stream's state ({name}) is {state[..., word].max()}, beyond {most}"
            )
    return state


def bit_generator_of(generator: np.random.Generator) -> np.random.BitGenerator:
    """The generator's bit generator; TypeError if it is one of which compiled code draws nothing, or no generator is
    given."""
    if not isinstance(generator, np.random.Generator):
        raise TypeError(f"a numpy.random.Generator is needed, not {type(generator).__name__}")
    source = generator.bit_generator
    if type(source).__name__ not in ("Philox", "PCG64"):
        raise TypeError(
            f"this Generator draws from {type(source).__name__}; compiled code draws from PCG64 and Philox: use "
            "numpy.random.default_rng(seed), or autobatch.streams(seed, n)"
        )
    return source
