"""Streams that a program makes: of seeds, as `numpy.random.default_rng` does, and at the place of another.

Sources: O'Neill 2015 (seed_seq_fe, whose constants these are) and NumPy 2 for which words are hashed in what order.
"""

import numpy as np
from numba import njit

from ..draws import PHILOX_0, PHILOX_1, PHILOX_4, PHILOX_HALF, PHILOX_LOW, pcg64_step

# A pool of four words of 32 bits is made of seeds, and the stream of the pool: by what they are hashed and mixed.
SEED_POOL, SEED_POOL_STEP = np.uint64(0x43B0D7E5), np.uint64(0x931E8875)
SEED_STATE, SEED_STATE_STEP = np.uint64(0x8B51F9DD), np.uint64(0x58F38DED)
SEED_LEFT, SEED_RIGHT = np.uint64(0xCA01F9DD), np.uint64(0x4973F715)


@njit(error_model="numpy")
def seed_hash(word: np.uint64, by: np.uint64, step: np.uint64) -> tuple[np.uint64, np.uint64]:
    """A word of 32 bits hashed, and what the next one is hashed by."""
    after = by * step & PHILOX_LOW
    word = (word ^ by) * after & PHILOX_LOW
    return word ^ word >> np.uint64(16), after


@njit(error_model="numpy")
def seed_mix(s: np.ndarray, k: int, word: np.uint64, by: np.uint64) -> np.uint64:
    """A word hashed and mixed into word k of the pool, s[6:10]; what the next one is hashed by."""
    word, by = seed_hash(word, by, SEED_POOL_STEP)
    mixed = SEED_LEFT * s[6 + k] - SEED_RIGHT * word & PHILOX_LOW
    s[6 + k] = mixed ^ mixed >> np.uint64(16)
    return by


@njit(error_model="numpy")
def seed_word(seeds: tuple[int, ...], k: int) -> tuple[np.uint64, int]:
    """Word k of 32 bits of the seeds, each the lower one first, its upper one if that is not 0; and how many there are.
    Behind the last they are 0."""
    found, count = PHILOX_0, 0
    for seed in seeds:
        word = np.uint64(seed)
        if count == k:
            found = word & PHILOX_LOW
        count += 1
        if word > PHILOX_LOW:
            if count == k:
                found = word >> PHILOX_HALF
            count += 1
    return found, count


@njit(error_model="numpy")
def seed_stream(s: np.ndarray, seeds: tuple[int, ...]) -> None:
    """Make it the stream of `numpy.random.default_rng(seeds)`, none of which is negative."""
    by = SEED_POOL
    for k in range(4):
        s[6 + k], by = seed_hash(seed_word(seeds, k)[0], by, SEED_POOL_STEP)
    for source in range(4):
        for k in range(4):
            if k != source:
                by = seed_mix(s, k, s[6 + source], by)
    for j in range(4, seed_word(seeds, 0)[1]):
        word = seed_word(seeds, j)[0]
        for k in range(4):
            by = seed_mix(s, k, word, by)
    by = SEED_STATE
    for k in range(4):  # what begins the state, the upper half first, then what chooses the increment
        lower, by = seed_hash(s[6 + 2 * k % 4], by, SEED_STATE_STEP)
        upper, by = seed_hash(s[7 + 2 * k % 4], by, SEED_STATE_STEP)
        s[k ^ 1] = lower | upper << PHILOX_HALF
    s[3] = s[3] << PHILOX_1 | s[2] >> np.uint64(63)
    s[2] = s[2] << PHILOX_1 | PHILOX_1
    s[0] += s[2]
    s[1] += s[3] + np.uint64(s[0] < s[2])
    pcg64_step(s)
    for k in range(4, 13):
        s[k] = PHILOX_0
    s[10], s[11] = PHILOX_4, np.uint64(2)


@njit(error_model="numpy")
def seeded_stream(seeds: tuple[int, ...]) -> np.ndarray:
    """A stream of its own, `numpy.random.default_rng(seeds)`."""
    s = np.empty(13, np.uint64)
    seed_stream(s, seeds)
    return s


@njit(error_model="numpy")
def copied_stream(s: np.ndarray) -> np.ndarray:
    """A stream of its own, at the same place."""
    return s.copy()
