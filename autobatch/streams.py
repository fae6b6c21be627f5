"""Random streams, one a lane: streams : (seed, n) -> Streams, with their states in one array.

    rngs = streams(3, 4096)
    rngs[17].standard_normal()          # Generator(Philox(key=[3, 17])).standard_normal()

Lane i does not depend on how many lanes there are. A batched function that takes `rngs` draws lane i's
numbers from lane i and leaves each stream where it got to, as a Generator argument is left: the next call
goes on from there. `rngs.copy()` beforehand keeps the old place.
"""

import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from codegen.gpu_arrays import is_on_gpu
from codegen.runtime import STATE_WORDS, checked_state, put_state, state_of
from codegen.runtime.state import PCG64_KIND, generator_at


def streams(seed: int, n: int) -> "Streams":
    """n streams; lane i is `Generator(Philox(key=np.array([seed, i], np.uint64)))`, NumPy's own numbers.

    streams(3, 2).state.shape == (2, 13). ValueError unless 0 <= seed < 2**64 and n >= 0. (As a plain list
    `[seed, i]`, NumPy rounds a seed of 2**63 or more to a float first; here all 64 bits count.)
    """
    seed, n = operator.index(seed), operator.index(n)
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed must be in 0 .. 2**64 - 1, not {seed}")
    if n < 0:
        raise ValueError(f"there cannot be {n} streams")
    state = np.zeros((n, STATE_WORDS), np.uint64)
    state[:, 4] = seed
    state[:, 5] = np.arange(n, dtype=np.uint64)
    state[:, 10] = 4  # the block, all zeros, is used up: the first draw makes a new one
    return Streams(state)


@dataclass(frozen=True, eq=False, repr=False)
class Streams:
    """A sequence of streams; `state` is uint64[n, 13], lane i in row i (layout: `codegen/runtime/state.py`).

    `rngs[i]` is a Generator that starts at lane i's place and leaves the lane there. `rngs[2:5]` shares its
    states with `rngs`, as a NumPy slice does; an index array or a mask copies them. Compare streams through
    `.state`. ValueError: a state that no generator has.

    A state that is an array of numba-cuda's stays on its GPU, and serves calls there alone.
    """

    state: np.ndarray

    def __post_init__(self) -> None:
        if is_on_gpu(self.state):
            return
        if self.state.ndim != 2:
            raise ValueError(f"states of streams have shape (n, {STATE_WORDS}), not {self.state.shape}")
        checked_state(self.state)

    @classmethod
    def from_state(cls, state: np.ndarray) -> "Streams":
        """Streams at the states in a copy of a uint64[n, 13] array: from_state(np.load("rngs.npy"))."""
        return cls(np.array(state, order="C"))

    @classmethod
    def from_generators(cls, generators: Sequence[np.random.Generator]) -> "Streams":
        """Streams at the places of Generators over PCG64 or Philox, as `rng.spawn(n)` has them, advancing apart from
        these. TypeError: of another kind."""
        return cls(np.array([state_of(each) for each in generators], np.uint64).reshape(-1, STATE_WORDS))

    def go_to(self, generators: Sequence[np.random.Generator]) -> None:
        """Go on where Generators of the same kinds are."""
        self.state[...] = Streams.from_generators(generators).state

    def copy(self) -> "Streams":
        """The same streams at the same places, advancing apart from these."""
        return Streams.from_state(self.state)

    def __len__(self) -> int:
        return len(self.state)

    @overload
    def __getitem__(self, index: int | np.integer) -> np.random.Generator: ...
    @overload
    def __getitem__(self, index: slice | list[int] | np.ndarray) -> "Streams": ...
    def __getitem__(
        self, index: int | np.integer | slice | list[int] | np.ndarray
    ) -> "np.random.Generator | Streams":
        if isinstance(index, slice | list) or (isinstance(index, np.ndarray) and index.ndim > 0):
            return Streams(self.state[index])
        return generator_at(self.state[operator.index(index)])

    def __iter__(self) -> Iterator[np.random.Generator]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        if not len(self):
            return "Streams(no lanes)"
        if np.any(self.state[:, 11] >= PCG64_KIND):
            return f"Streams({len(self)} lanes)"
        first, last = (tuple(int(word) for word in self.state[i, 4:6]) for i in (0, -1))
        return f"Streams({len(self)} lanes, keys {first} to {last})"


def is_generators(value: Any) -> bool:
    """Whether an argument is a list of Generators, one a lane."""
    return type(value) in (list, tuple) and bool(value) and isinstance(value[0], np.random.Generator)


@contextmanager
def as_streams(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Arguments with Streams in the place of lists of Generators, which are left where the Streams get to."""
    given = [*args, *kwargs.values()]
    if not any(map(is_generators, given)):  # what nearly all calls do
        yield args, kwargs
        return
    made = [Streams.from_generators(value) if is_generators(value) else value for value in given]
    try:
        yield tuple(made[: len(args)]), dict(zip(kwargs, made[len(args) :], strict=True))
    finally:
        for value, rngs in zip(given, made, strict=True):
            for generator, row in zip(value, rngs.state, strict=True) if is_generators(value) else ():
                put_state(generator, row)
