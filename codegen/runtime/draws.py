"""Random draws from one stream: draw : (state row, parameters) -> number, the row advanced in place.

Each function draws the numbers that a `numpy.random.Generator` draws, over Philox or PCG64 (`default_rng`), bit for
bit, and leaves the stream where NumPy leaves it. The state row `s` holds 13 words of uint64 (`state.py`):

    s[0:4] counter   s[4:6] key   s[6:10] block   s[10] words used of the block
    s[11] whether half a word is left, and 2 if the stream is one of PCG64   s[12] that half (32 bits)

The functions a program uses are copied into its emitted module, so this file is flat: functions and tables,
in the order of what they need, and nothing imported but math, NumPy and Numba. For example

    s = np.zeros(13, np.uint64); s[4], s[10] = 7, 4          # key (7, 0), the block used up
    draw_standard_normal(s), draw_integers(s, 0, 10)

are `standard_normal()` and `integers(0, 10)` of `Generator(Philox(key=7))`. Parameters that NumPy refuses
raise its ValueError or OverflowError. Sources: Salmon et al. 2011 (Philox 4x64-10); O'Neill 2014 (PCG64: XSL RR
128/64); Marsaglia and Tsang 2000 (ziggurat); Lemire 2019 (bounded integers); NumPy 2 for the order in which words are
used.
"""

import math

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

# Philox 4x64-10: the multipliers, and what is added to the key after each of the ten rounds.
PHILOX_M0 = np.uint64(0xD2E7470EE14C6C93)
PHILOX_M1 = np.uint64(0xCA5A826395121157)
PHILOX_W0 = np.uint64(0x9E3779B97F4A7C15)
PHILOX_W1 = np.uint64(0xBB67AE8584CAA73B)

# PCG64: what its state of 128 bits is multiplied by, the upper half and the lower.
PCG64_UPPER = np.uint64(0x2360ED051FC65DA4)
PCG64_LOWER = np.uint64(0x4385DF649FCCF645)

# Numbers as uint64, so that arithmetic with them stays uint64.
PHILOX_0 = np.uint64(0)
PHILOX_1 = np.uint64(1)
PHILOX_4 = np.uint64(4)
PHILOX_BLOCK = np.uint64(6)
PHILOX_HALF = np.uint64(32)
PHILOX_LOW = np.uint64(0xFFFFFFFF)
PHILOX_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@intrinsic
def philox_product(typing, a, b):
    """The upper and the lower 64 bits of a * b, from one multiplication: Numba has no integers of 128 bits."""

    def generate(context, builder, signature, args):
        word = args[0].type
        wide = type(word)(128)
        product = builder.mul(*(builder.zext(x, wide) for x in args))
        parts = builder.lshr(product, wide(64)), product
        return context.make_tuple(builder, signature.return_type, [builder.trunc(x, word) for x in parts])

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


@njit(error_model="numpy")
def philox_refill(s: np.ndarray) -> None:
    """Advance the 256-bit counter, then encrypt it into a new block of four words."""
    s[0] += PHILOX_1
    if s[0] == PHILOX_0:
        s[1] += PHILOX_1
        if s[1] == PHILOX_0:
            s[2] += PHILOX_1
            if s[2] == PHILOX_0:
                s[3] += PHILOX_1
    c0, c1, c2, c3, k0, k1 = s[0], s[1], s[2], s[3], s[4], s[5]
    for _ in range(10):
        upper0, lower0 = philox_product(PHILOX_M0, c0)
        upper1, lower1 = philox_product(PHILOX_M1, c2)
        c0, c1, c2, c3 = upper1 ^ c1 ^ k0, lower1, upper0 ^ c3 ^ k1, lower0
        k0, k1 = k0 + PHILOX_W0, k1 + PHILOX_W1
    s[6], s[7], s[8], s[9] = c0, c1, c2, c3


@njit(error_model="numpy")
def pcg64_step(s: np.ndarray) -> None:
    """The state s[0:2], the lower half first, times a constant, plus the increment s[2:4]."""
    upper, lower = philox_product(PCG64_LOWER, s[0])
    high = upper + PCG64_UPPER * s[0] + PCG64_LOWER * s[1] + s[3]
    s[0] = lower + s[2]
    s[1] = high + np.uint64(s[0] < lower)


@njit(error_model="numpy")
def pcg64_word(s: np.ndarray) -> np.uint64:
    """The word of a state: its halves joined, turned by the highest bits."""
    word, turn = s[1] ^ s[0], s[1] >> np.uint64(58)
    return word >> turn | word << (np.uint64(64) - turn & np.uint64(63))


@njit(error_model="numpy")
def pcg64_refill(s: np.ndarray) -> None:
    """Four steps of PCG64, each of which gives a word."""
    for k in range(6, 10):
        pcg64_step(s)
        s[k] = pcg64_word(s)


@njit(error_model="numpy")
def stream_refill(s: np.ndarray) -> None:
    """A new block of four words."""
    if s[11] > PHILOX_1:
        pcg64_refill(s)
    else:
        philox_refill(s)


# What every draw runs is inlined by force: else Numba counts references to s, at ten times the draw's cost.
@njit(error_model="numpy", forceinline=True)
def stream_next64(s: np.ndarray) -> np.uint64:
    """The next word of the stream."""
    used = s[10]
    if used < PHILOX_4:
        s[10] = used + PHILOX_1
        return s[PHILOX_BLOCK + used]
    stream_refill(s)
    s[10] = PHILOX_1
    return s[6]


@njit(error_model="numpy", forceinline=True)
def stream_next32(s: np.ndarray) -> np.uint64:
    """The next 32 bits, in a uint64: a word gives its lower half first and keeps the upper for later."""
    if s[11] & PHILOX_1:
        s[11] ^= PHILOX_1
        return s[12]
    word = stream_next64(s)
    s[11] |= PHILOX_1
    s[12] = word >> PHILOX_HALF
    return word & PHILOX_LOW


def draw_fixed_exp(x: int) -> int:
    """e**x by its series. Integers here count 2**-128: the tables are the same whatever the C library."""
    total = term = 1 << 128
    n = 0
    while term:
        n += 1
        term = (term * x >> 128) // n
        total += term
    return total


def draw_fixed_log(y: int) -> int:
    """log(y): what math.log leaves over, y / e**guess = 1 + error, is added as log(1 + error)."""
    guess = int(math.log(y / 2**128) * 2.0**128)
    error = (draw_fixed_exp(-guess) * y >> 128) - (1 << 128)
    return guess + error - (error * error >> 129)


def draw_rounded_exp(x: float) -> float:
    """e**x, rounded once."""
    return draw_fixed_exp(int(x * 2.0**128)) / 2**128


def draw_rounded_log(y: float) -> float:
    """log(y), rounded once."""
    return draw_fixed_log(int(y * 2.0**128)) / 2**128


def draw_normal_tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ziggurat's 256 layers (k, w, f): layer i lies below x[i], and inside the curve below x[i - 1].

    w = x / 2**52, k = 2**52 x[i - 1] / x[i], f = exp(-x * x / 2). NumPy's x were made in doubles, each from
    the one before, and so are these. One entry of NumPy's, f[38], is rounded the other way.
    """
    area, x = 0.004928673233974652, 3.654152885361009
    xs, fs = [x], [draw_rounded_exp(-0.5 * x * x)]
    for layer in range(254, 0, -1):
        x = math.sqrt(-2.0 * draw_rounded_log(area / x + fs[-1]))
        f = draw_rounded_exp(-0.5 * x * x)
        xs.append(x)
        fs.append(math.nextafter(f, 1.0) if layer == 38 else f)
    inner = [xs[0], 0.0, *xs[:0:-1]]
    outer = [area / fs[0], *xs[::-1]]
    k = [round(a / b * 2.0**52) for a, b in zip(inner, outer, strict=True)]
    w = [x / 2.0**52 for x in outer]
    return np.array(k, np.uint64), np.array(w), np.array([1.0, *fs[::-1]])


def draw_exponential_tables() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same for the exponential: w = x / 2**53, k = 2**53 x[i - 1] / x[i] made even, f = exp(-x)."""
    x = (769711747013104971404462804801521549911 << 128) // 10**38
    xs, fs = [x], [draw_fixed_exp(-x)]
    area = (x + (1 << 128)) * fs[0]
    for _ in range(254):
        fs.append(fs[-1] + area // xs[-1])
        xs.append(-draw_fixed_log(fs[-1]))
    inner = [xs[0], 0, *xs[:0:-1]]
    outer = [xs[0] + (1 << 128), *xs[::-1]]
    k = [(a << 52) // b * 2 for a, b in zip(inner, outer, strict=True)]
    w = [x / 2**181 for x in outer]
    return np.array(k, np.uint64), np.array(w), np.array([1.0, *(f / 2**128 for f in fs[::-1])])


DRAW_NORMAL_K, DRAW_NORMAL_W, DRAW_NORMAL_F = draw_normal_tables()
DRAW_EXPONENTIAL_K, DRAW_EXPONENTIAL_W, DRAW_EXPONENTIAL_F = draw_exponential_tables()

# Where the tails begin: x[255] of the normal and of the exponential.
DRAW_NORMAL_TAIL = 3.654152885361009
DRAW_NORMAL_TAIL_INVERSE = 0.27366123732975828
DRAW_EXPONENTIAL_TAIL = 7.697117470131050


@njit(error_model="numpy", forceinline=True)
def draw_random(s: np.ndarray) -> float:
    """Uniform on [0, 1), 53 bits."""
    return np.int64(stream_next64(s) >> np.uint64(11)) * 2.0**-53


@njit(error_model="numpy", forceinline=True)
def draw_normal_point(s: np.ndarray) -> tuple[np.uint64, np.uint64, float]:
    """A point of a random layer: (layer, its distance from 0 as 52 bits, the point)."""
    bits = stream_next64(s)
    layer = bits & np.uint64(0xFF)
    distance = bits >> np.uint64(9) & np.uint64(0xFFFFFFFFFFFFF)
    x = np.int64(distance) * DRAW_NORMAL_W[layer]
    return layer, distance, -x if bits & np.uint64(0x100) else x


@njit(error_model="numpy")
def draw_normal_tail(s: np.ndarray, distance: np.uint64) -> float:
    """A normal beyond the last layer, its sign from a bit of the distance."""
    while True:
        x = -DRAW_NORMAL_TAIL_INVERSE * math.log1p(-draw_random(s))
        y = -math.log1p(-draw_random(s))
        if y + y > x * x:
            x = DRAW_NORMAL_TAIL + x
            return -x if distance & np.uint64(0x100) else x


@njit(error_model="numpy")
def draw_normal_edge(s: np.ndarray, layer: np.uint64, distance: np.uint64, x: float) -> float:
    """A normal whose first point lies where its layer crosses the curve: accept it, or try others."""
    while True:
        if layer == PHILOX_0:
            return draw_normal_tail(s, distance)
        below, above = DRAW_NORMAL_F[layer], DRAW_NORMAL_F[layer - PHILOX_1]
        if (above - below) * draw_random(s) + below < math.exp(-0.5 * x * x):
            return x
        layer, distance, x = draw_normal_point(s)
        if distance < DRAW_NORMAL_K[layer]:
            return x


@njit(error_model="numpy", forceinline=True)
def draw_standard_normal(s: np.ndarray) -> float:
    """Normal, mean 0, standard deviation 1."""
    layer, distance, x = draw_normal_point(s)
    if distance < DRAW_NORMAL_K[layer]:
        return x
    return draw_normal_edge(s, layer, distance, x)


@njit(error_model="numpy")
def draw_exponential_tail(s: np.ndarray) -> float:
    """An exponential beyond the last layer."""
    return DRAW_EXPONENTIAL_TAIL - math.log1p(-draw_random(s))


@njit(error_model="numpy")
def draw_exponential_edge(s: np.ndarray, layer: np.uint64, x: float) -> float:
    """An exponential whose first point lies where its layer crosses the curve: accept it, or try others."""
    while True:
        if layer == PHILOX_0:
            return draw_exponential_tail(s)
        below, above = DRAW_EXPONENTIAL_F[layer], DRAW_EXPONENTIAL_F[layer - PHILOX_1]
        if (above - below) * draw_random(s) + below < math.exp(-x):
            return x
        bits = stream_next64(s) >> np.uint64(3)
        layer, distance = bits & np.uint64(0xFF), bits >> np.uint64(8)
        x = np.int64(distance) * DRAW_EXPONENTIAL_W[layer]
        if distance < DRAW_EXPONENTIAL_K[layer]:
            return x


@njit(error_model="numpy", forceinline=True)
def draw_standard_exponential(s: np.ndarray) -> float:
    """Exponential, mean 1."""
    bits = stream_next64(s) >> np.uint64(3)
    layer, distance = bits & np.uint64(0xFF), bits >> np.uint64(8)
    x = np.int64(distance) * DRAW_EXPONENTIAL_W[layer]
    if distance < DRAW_EXPONENTIAL_K[layer]:
        return x
    return draw_exponential_edge(s, layer, x)


@njit(error_model="numpy", forceinline=True)
def draw_below32(s: np.ndarray, last: np.uint64) -> np.uint64:
    """Integer in 0..last, last < 2**32 - 1: the upper half of bits * count, if the lower is not in excess."""
    count = last + PHILOX_1
    product = stream_next32(s) * count
    if product & PHILOX_LOW < count:
        excess = (PHILOX_LOW - last) % count
        while product & PHILOX_LOW < excess:
            product = stream_next32(s) * count
    return product >> PHILOX_HALF


@njit(error_model="numpy", forceinline=True)
def draw_below64(s: np.ndarray, last: np.uint64) -> np.uint64:
    """The same with words of 64 bits, last < 2**64 - 1."""
    count = last + PHILOX_1
    upper, lower = philox_product(stream_next64(s), count)
    if lower < count:
        excess = (PHILOX_ALL - last) % count
        while lower < excess:
            upper, lower = philox_product(stream_next64(s), count)
    return upper


@njit(error_model="numpy", forceinline=True)
def draw_integers_closed(s: np.ndarray, low: int, last: int | np.int64) -> np.int64:
    """Integer in low..last, both included; the int64 of `integers(low, last, endpoint=True)`."""
    if low > last:
        raise ValueError("low > high")
    start = np.uint64(np.int64(low))
    span = np.uint64(np.int64(last)) - start
    if span == PHILOX_0:
        return np.int64(low)
    if span < PHILOX_LOW:
        offset = draw_below32(s, span)
    elif span == PHILOX_LOW:
        offset = stream_next32(s)
    elif span < PHILOX_ALL:
        offset = draw_below64(s, span)
    else:
        offset = stream_next64(s)
    return np.int64(start + offset)


@njit(error_model="numpy", forceinline=True)
def draw_integers(s: np.ndarray, low: int, high: int) -> np.int64:
    """Integer in low..high - 1; the int64 of `integers(low, high)`."""
    if low >= high:
        raise ValueError("low >= high")
    return draw_integers_closed(s, low, np.int64(high) - 1)
