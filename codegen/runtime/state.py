"""A Philox stream as 13 words: state_of : Generator -> uint64[13], and put_state back again, exactly.

| words | NumPy's name        | what                                                                      |
|-------|---------------------|---------------------------------------------------------------------------|
| 0-3   | `state["counter"]`  | 256-bit counter, lowest word first; advanced before each block            |
| 4-5   | `state["key"]`      | which stream: (seed, lane)                                                |
| 6-9   | `buffer`            | the block last made, four words                                           |
| 10    | `buffer_pos`        | how many of them are used, 0 to 4                                         |
| 11    | `has_uint32`        | 1 if a 32-bit draw left the upper half of its word, else 0                |
| 12    | `uinteger`          | that half (stale, but kept, when word 11 is 0)                            |

The draws in `draws.py` advance such a row in place. Many streams are an array of shape (n, 13).
"""

import numpy as np

STATE_WORDS = 13


def state_of(generator: np.random.Generator) -> np.ndarray:
    """The generator's state as uint64[13]; TypeError unless it draws from numpy.random.Philox.

    state_of(np.random.Generator(np.random.Philox(key=7)))[4] == 7
    """
    state = philox_of(generator).state
    halves = state["has_uint32"], state["uinteger"]
    words = *state["state"]["counter"], *state["state"]["key"], *state["buffer"], state["buffer_pos"], *halves
    return np.array(words, np.uint64)


def put_state(generator: np.random.Generator, row: np.ndarray) -> None:
    """Set the generator to a state uint64[13]; TypeError as in `state_of`, ValueError as in `checked_state`.

    put_state(g, state_of(h)) makes g continue as h would, with h's key.
    """
    philox = philox_of(generator)
    if row.ndim != 1:
        raise ValueError(f"one stream's state has shape ({STATE_WORDS},), not {row.shape}")
    row = checked_state(row)
    philox.state = {
        "bit_generator": "Philox",
        "state": {"counter": row[0:4].copy(), "key": row[4:6].copy()},
        "buffer": row[6:10].copy(),
        "buffer_pos": int(row[10]),
        "has_uint32": int(row[11]),
        "uinteger": int(row[12]),
    }


def checked_state(state: np.ndarray) -> np.ndarray:
    """The array of states itself; ValueError unless it is uint64[..., 13] with words 10-12 in their ranges.

    A word out of range would make the draws read beside the block.
    """
    if state.dtype != np.uint64 or state.ndim == 0 or state.shape[-1] != STATE_WORDS:
        raise ValueError(
            f"stream states are uint64[..., {STATE_WORDS}], not {state.dtype}{list(state.shape)}"
        )
    for word, name, most in ((10, "buffer_pos", 4), (11, "has_uint32", 1), (12, "uinteger", 2**32 - 1)):
        if np.any(state[..., word] > np.uint64(most)):
            raise ValueError(
                f"word {word} of a stream's state ({name}) is {state[..., word].max()}, beyond {most}"
            )
    return state


def philox_of(generator: np.random.Generator) -> np.random.Philox:
    """The generator's bit generator; TypeError if it is another kind, or no generator is given."""
    if not isinstance(generator, np.random.Generator):
        raise TypeError(f"a numpy.random.Generator is needed, not {type(generator).__name__}")
    source = generator.bit_generator
    if not isinstance(source, np.random.Philox):
        raise TypeError(
            f"this Generator draws from {type(source).__name__}; compiled code draws from Philox only: "
            "use numpy.random.Generator(numpy.random.Philox(seed)), or autobatch.streams(seed, n)"
        )
    return source
