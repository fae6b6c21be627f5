"""Random draws in a thread of a GPU: the same streams, words and numbers as those of `draws.py` beside this folder.

The ziggurat's tables are given to a kernel as one array, `ziggurat`, a row each: normal k, w, f, exponential k, w, f.
(As constants of the module they would be in memory that is quick only where all lanes read one place.) The whole
numbers of k are below 2**54 and even beyond 2**53, so that doubles hold them.

A block of four words takes some 450 instructions, and of a warp's lanes one in four needs one at each draw, each at
another: so the warp would make one at each draw. Instead each lane has room for the block after the one at hand,
s[13:17], and where one of those that draw together has used up both, all that have room make theirs. s[17] says
whether it is there. Where a lane ends its state is s[:13], NumPy's. A step of PCG64 takes some 25 instructions: a lane
takes one at each draw and leaves its block empty.

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
    PHILOX_0,
    PHILOX_1,
    PHILOX_4,
    PHILOX_BLOCK,
    PHILOX_M0,
    PHILOX_M1,
    PHILOX_W0,
    PHILOX_W1,
    draw_random,
    pcg64_step,
    pcg64_word,
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
def philox_ahead(s: np.ndarray) -> None:
    """Encrypt the counter that comes next into the block after the one at hand."""
    c0 = s[0] + PHILOX_1
    c1 = s[1] + np.uint64(c0 == PHILOX_0)
    c2 = s[2] + np.uint64(c0 | c1 == PHILOX_0)
    c3 = s[3] + np.uint64(c0 | c1 | c2 == PHILOX_0)
    k0, k1 = s[4], s[5]
    for _ in range(10):
        upper0, lower0 = philox_product(PHILOX_M0, c0)
        upper1, lower1 = philox_product(PHILOX_M1, c2)
        c0, c1, c2, c3 = upper1 ^ c1 ^ k0, lower1, upper0 ^ c3 ^ k1, lower0
        k0, k1 = k0 + PHILOX_W0, k1 + PHILOX_W1
    s[13], s[14], s[15], s[16], s[17] = c0, c1, c2, c3, PHILOX_1


@cuda.jit(device=True)
def philox_go_on(s: np.ndarray) -> None:
    """The next block becomes the one at hand."""
    s[0] += PHILOX_1
    if s[0] == PHILOX_0:
        s[1] += PHILOX_1
        if s[1] == PHILOX_0:
            s[2] += PHILOX_1
            if s[2] == PHILOX_0:
                s[3] += PHILOX_1
    s[6], s[7], s[8], s[9], s[17] = s[13], s[14], s[15], s[16], PHILOX_0


@cuda.jit(device=True)
def stream_next64(s: np.ndarray) -> np.uint64:
    """The next word of the stream."""
    used = s[10]
    if cuda.any_sync(cuda.activemask(), used == PHILOX_4 and s[17] == PHILOX_0) and s[17] == PHILOX_0:
        philox_ahead(s)
    if used < PHILOX_4:
        s[10] = used + PHILOX_1
        return s[PHILOX_BLOCK + used]
    if s[11] > PHILOX_1:
        pcg64_step(s)
        return pcg64_word(s)
    philox_go_on(s)
    s[10] = PHILOX_1
    return s[6]


@cuda.jit(device=True)
def draw_normal_point(s: np.ndarray, ziggurat: np.ndarray) -> tuple[np.int64, np.int64, float]:
    """A point of a random layer: (layer, its distance from 0 as 52 bits, the point)."""
    bits = stream_next64(s)
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
    bits = stream_next64(s) >> np.uint64(3)
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


@cuda.jit(device=True)
def draw_standard_gamma(s: np.ndarray, ziggurat: np.ndarray, shape: float) -> float:
    """Gamma of scale 1, shape >= 0."""
    if shape == 1.0:
        return draw_standard_exponential(s, ziggurat)
    if shape == 0.0:
        return 0.0
    if shape < 1.0:
        while True:
            u, e = draw_random(s), draw_standard_exponential(s, ziggurat)
            if u <= 1.0 - shape:
                x = math.pow(u, 1.0 / shape)
                if x <= e:
                    return x
            else:
                y = -math.log((1.0 - u) / shape)
                x = math.pow(1.0 - shape + rounded(shape, y), 1.0 / shape)
                if x <= e + y:
                    return x
    b = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(rounded(9.0, b))
    while True:
        x = draw_standard_normal(s, ziggurat)
        v = 1.0 + rounded(c, x)
        if not v <= 0.0:  # NaN neither
            v = v * v * v
            u = draw_random(s)
            if u < 1.0 - rounded(0.0331 * (x * x), x * x):
                return b * v
            if math.log(u) < rounded(0.5 * x, x) + rounded(b, 1.0 - v + math.log(v)):
                return b * v
