"""Random draws in a thread of a GPU: the same streams, words and numbers as those of `draws.py` beside this folder.

The ziggurat's tables are given to a kernel as one array, `ziggurat`, a row each: normal k, w, f, exponential k, w, f.
(As constants of the module they would be in memory that is quick only where all lanes read one place.) The whole
numbers of k are below 2**54 and even beyond 2**53, so that doubles hold them.

What is held against a curve is rounded as NumPy's is: no product becomes a part of a sum. Beyond the last layer (one
normal in 4,000) the logarithm is the device's, whose last bit is not the C library's in one case of 2,000.
"""

import math

import numpy as np
from numba import cuda
from numba.cuda import libdevice

from codegen.runtime.cuda.numbers import rounded
from codegen.runtime.draws import (
    DRAW_EXPONENTIAL_F,
    DRAW_EXPONENTIAL_K,
    DRAW_EXPONENTIAL_TAIL,
    DRAW_EXPONENTIAL_W,
    DRAW_NORMAL_F,
    DRAW_NORMAL_K,
    DRAW_NORMAL_TAIL,
    DRAW_NORMAL_TAIL_INVERSE,
    DRAW_NORMAL_W,
    draw_random,
    philox_next64,
)

ZIGGURAT = np.array(
    [
        [DRAW_NORMAL_K, DRAW_NORMAL_W, DRAW_NORMAL_F],
        [DRAW_EXPONENTIAL_K, DRAW_EXPONENTIAL_W, DRAW_EXPONENTIAL_F],
    ]
).reshape(6, 256)


@cuda.jit(device=True)
def philox_product(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The upper and the lower 64 bits of a * b."""
    return np.uint64(libdevice.umul64hi(np.int64(a), np.int64(b))), a * b


@cuda.jit(device=True)
def draw_normal_point(s: np.ndarray, ziggurat: np.ndarray) -> tuple[np.int64, np.int64, float]:
    """A point of a random layer: (layer, its distance from 0 as 52 bits, the point)."""
    bits = philox_next64(s)
    layer = np.int64(bits & np.uint64(0xFF))
    distance = np.int64(bits >> np.uint64(9) & np.uint64(0xFFFFFFFFFFFFF))
    x = distance * ziggurat[1, layer]
    return layer, distance, -x if bits & np.uint64(0x100) else x


@cuda.jit(device=True)
def draw_normal_tail(s: np.ndarray, distance: np.int64) -> float:
    """A normal beyond the last layer, its sign from a bit of the distance."""
    while True:
        x = rounded(-DRAW_NORMAL_TAIL_INVERSE, math.log1p(-draw_random(s)))
        y = -math.log1p(-draw_random(s))
        if y + y > rounded(x, x):
            x = DRAW_NORMAL_TAIL + x
            return -x if distance & 0x100 else x


@cuda.jit(device=True)
def draw_normal_edge(
    s: np.ndarray, ziggurat: np.ndarray, layer: np.int64, distance: np.int64, x: float
) -> float:
    """A normal whose first point lies where its layer crosses the curve: accept it, or try others."""
    while True:
        if layer == 0:
            return draw_normal_tail(s, distance)
        below, above = ziggurat[2, layer], ziggurat[2, layer - 1]
        if rounded(above - below, draw_random(s)) + below < math.exp(rounded(rounded(-0.5, x), x)):
            return x
        layer, distance, x = draw_normal_point(s, ziggurat)
        if distance < ziggurat[0, layer]:
            return x


@cuda.jit(device=True)
def draw_standard_normal(s: np.ndarray, ziggurat: np.ndarray) -> float:
    """Normal, mean 0, standard deviation 1."""
    layer, distance, x = draw_normal_point(s, ziggurat)
    if distance < ziggurat[0, layer]:
        return x
    return draw_normal_edge(s, ziggurat, layer, distance, x)


@cuda.jit(device=True)
def draw_exponential_point(s: np.ndarray, ziggurat: np.ndarray) -> tuple[np.int64, np.int64, float]:
    """A point of a random layer: (layer, its distance from 0 as 53 bits, the point)."""
    bits = philox_next64(s) >> np.uint64(3)
    layer, distance = np.int64(bits & np.uint64(0xFF)), np.int64(bits >> np.uint64(8))
    return layer, distance, distance * ziggurat[4, layer]


@cuda.jit(device=True)
def draw_exponential_edge(s: np.ndarray, ziggurat: np.ndarray, layer: np.int64, x: float) -> float:
    """An exponential whose first point lies where its layer crosses the curve: accept it, or try others."""
    while True:
        if layer == 0:
            return DRAW_EXPONENTIAL_TAIL - math.log1p(-draw_random(s))
        below, above = ziggurat[5, layer], ziggurat[5, layer - 1]
        if rounded(above - below, draw_random(s)) + below < math.exp(-x):
            return x
        layer, distance, x = draw_exponential_point(s, ziggurat)
        if distance < ziggurat[3, layer]:
            return x


@cuda.jit(device=True)
def draw_standard_exponential(s: np.ndarray, ziggurat: np.ndarray) -> float:
    """Exponential, mean 1."""
    layer, distance, x = draw_exponential_point(s, ziggurat)
    if distance < ziggurat[3, layer]:
        return x
    return draw_exponential_edge(s, ziggurat, layer, x)
