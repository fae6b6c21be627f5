import numpy as np

def walk(rng, x: float, limit: float):
    """Steps until |x| is beyond a limit."""
    if limit < 0.0:
        raise ValueError("no limit")
    n = 0
    while abs(x) <= limit:
        x = x + rng.normal()
        n += 1
    return n, x


def _walk_batch(rng, x, limit):
    """Steps until |x| is beyond a limit."""
    lanes = len(rng)
    if limit < 0.0:
        raise ValueError("no limit")
    active = np.flatnonzero(np.abs(x) <= limit)
    x = x.copy()
    n = 0
    n2 = np.zeros(lanes, np.int64)
    while True:
        m = len(active)
        if m <= 0:
            break
        t = np.empty(m)
        for k in range(m):
            row = active[k]
            stream = rng[row]
            z = stream.standard_normal()
            rng[row] = stream
            t[k] = z
        x2 = x[active]
        x2 = x2 + (0.0 + t)
        n += 1
        x[active] = x2
        n2[active] = n
        active = active[np.flatnonzero(np.abs(x2) <= limit)]
    return n2, x, rng


# autobatch transform walk.py:walk --transform batch --target numpy --types 'rng: rng' --in-axes 'limit: None'
def walk_batch(rng, x, limit):
    """`walk` over lanes (local_static), made for rng: rng[lanes], x: f8[lanes], limit: f8."""
    rng_states = _streams_of("rng", rng)
    x = _given("x", x, "f8", None)
    limit = _given("limit", limit, "f8").item()
    _lanes(rng_states, x)
    n, x2, rng_states = _walk_batch(rng_states, x, limit)
    _put_streams(rng, rng_states)
    return n, x2


# What the functions above call.


def _given(name, value, dtype, *shape):
    """An argument as a number or a C-contiguous array of this dtype; a size that is None may be any."""
    array = np.asarray(value, order="C")
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape))
    if not fits or not np.can_cast(array.dtype, dtype):
        wanted = ", ".join(":" if n is None else str(n) for n in shape)
        raise TypeError(f"{name} is to be {dtype}[{wanted}], not {array.dtype} of shape {array.shape}")
    return array.astype(dtype, copy=False)[()]


def _generator(name, value):
    """An argument that is a random generator."""
    if not isinstance(value, np.random.Generator):
        found = type(value).__name__
        raise TypeError(f"{name} is to be a numpy.random.Generator, not {found}")
    return value


def _generators(name, value):
    """An argument that is a list of random generators, one a lane."""
    if not hasattr(value, "__len__"):
        found = type(value).__name__
        raise TypeError(f"{name} is to be a list of random generators, one a lane, not {found}")
    return [_generator(f"{name}[{lane}]", each) for lane, each in enumerate(value)]


def _lanes(*arguments):
    """The number of lanes, which is the same in all arguments."""
    counts = [len(argument) for argument in arguments]
    if min(counts) != max(counts):
        raise ValueError(f"the arguments differ in their number of lanes: {counts}")
    return counts[0]


PCG64_KIND = 2  # in word 11
HALF_STATE, WHOLE_STATE = 2**64, 2**128


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


def _streams_of(name, rngs):
    """One random generator a lane, in an array of objects."""
    listed = _generators(name, rngs)
    generators = np.empty(len(listed), object)
    generators[:] = listed
    return generators


def _put_streams(rngs, generators):
    """Leave the generators where the lanes left them."""
    if hasattr(rngs, "state"):
        rngs.state[...] = [state_of(generator) for generator in generators]
        return
    for rng, generator in zip(rngs, generators):
        rng.bit_generator.state = generator.bit_generator.state
