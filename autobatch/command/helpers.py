"""Texts of the functions that wrappers call, to be copied beside them: helpers : functions -> texts."""

from __future__ import annotations

import inspect
from collections.abc import Sequence, Set
from pathlib import Path

from autobatch.command.pieces import Piece, bound_by, defined, import_lines, merge_pieces, segments
from autobatch.command.wrapper import Made, helpers_called
from autobatch.execute import __file__ as launching_folder
from codegen.emit.module import joined_texts
from codegen.emit.renaming import free_tokens
from codegen.runtime import state

OF_GPU = ("gpu_streams.py", "arrivals.py", "launching.py", "waiting.py")  # each after what it calls


def text_of_gpu(name: str) -> str:
    """A file that is read, since to import it takes a GPU's packages; without what it imports of the others."""
    text = Path(launching_folder).with_name(name).read_text(encoding="utf-8")
    return "".join(line for line in text.splitlines(True) if not line.startswith("from autobatch."))


def helpers(made: Sequence[Made]) -> list[str]:
    """Texts of what the wrappers of these functions call, and of what those call in turn; no more than that."""
    needed = {word for each in made for word in helpers_called(each)}
    found = []
    for text in reversed(
        (
            *map(text_of_gpu, OF_GPU),
            *HELPERS,
            inspect.getsource(state),
            STREAMS[made[0].target],
        )
    ):
        if part := called_of(text, needed):
            needed |= words_in(part)
            found.append(part)
    return found[::-1]


def called_of(text: str, needed: Set[str]) -> str:
    """The statements of a text that define what is needed, and what they call in turn, with the imports they name."""
    pieces = [*segments(text)]
    kept: set[Piece] = set()
    wanted = {*needed}
    while new := [p for p in pieces if p not in kept and not wanted.isdisjoint(defined([p]))]:
        kept.update(new)
        wanted.update(*(words_in(p.text) for p in new))
    imports = [line for line in import_lines(text) if bound_by(line) in wanted] if kept else []
    return joined_texts(["\n".join(imports), *merge_pieces(p for p in pieces if p in kept)])


def words_in(text: str) -> set[str]:
    """The names that a text defines, or reads and does not define."""
    return {token.string for token in free_tokens(text)}


HELPERS = (
    '''\
def _given(name, value, dtype, *shape):
    """An argument as a number or a C-contiguous array of this dtype; a size that is None may be any."""
    array = np.asarray(value, order="C")
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape))
    if not fits or not np.can_cast(array.dtype, dtype):
        wanted = ", ".join(":" if n is None else str(n) for n in shape)
        raise TypeError(f"{name} is to be {dtype}[{wanted}], not {array.dtype} of shape {array.shape}")
    return array.astype(dtype, copy=False)[()]''',
    '''\
def _complex(re, im):
    """A complex number or array of its two parts."""
    if isinstance(re, float) and not isinstance(re, np.generic):
        return complex(re, im)
    made = np.empty(np.shape(re), np.result_type(re, np.complex64))
    made.real, made.imag = re, im
    return made[()]''',
    '''\
def _narrowed(value, dtype):
    """Python's own numbers, and integers for floats, in a dtype that holds them; anything else as it is."""
    wide = np.asarray(value)
    kinds = wide.dtype.kind + dtype[0]
    if kinds not in ("if", "uf") and (hasattr(value, "dtype") or kinds not in ("ff", "ii", "iu")):
        return value
    with np.errstate(over="ignore"):
        narrow = wide.astype(dtype)
    return narrow if np.allclose(narrow, wide, equal_nan=True) else value''',
    '''\
def _check_items(name, value, count):
    """TypeError unless an argument is a tuple or list of so many items."""
    found = len(value) if isinstance(value, (tuple, list)) else type(value).__name__
    if found != count:
        raise TypeError(f"{name} is to be a tuple or list of {count} items, not {found}")''',
    '''\
def _check_keys(name, value, *keys):
    """TypeError unless an argument is a dict with these keys."""
    is_dict = hasattr(value, "keys")
    if not is_dict or not all(key in value for key in keys):
        wanted = ", ".join(keys)
        found = ", ".join(map(str, value)) if is_dict else type(value).__name__
        raise TypeError(f"{name} is to be a dict with the keys {wanted}, not {found}")''',
    '''\
def _check_fields(name, value, *fields):
    """TypeError unless an argument has the fields of a named tuple."""
    if not all(hasattr(value, field) for field in fields):
        wanted, found = ", ".join(fields), type(value).__name__
        raise TypeError(f"{name} is to be a named tuple with the fields {wanted}, not {found}")''',
    '''\
def _writable(name, value, *others):
    """ValueError where an array that is written is read-only or shares memory with another argument."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} is written: it is to be an array, not {type(value).__name__}")
    if not value.flags.writeable:
        raise ValueError("assignment destination is read-only")
    if any(_overlap(value, other) for other in others):
        raise ValueError(f"{name} is written and shares memory with another argument: give a copy of one")


def _overlap(x, y):
    """Whether two arrays have elements in common; True where that is too hard to find out."""
    try:
        return np.shares_memory(x, y, max_work=10_000)
    except np.exceptions.TooHardError:
        return True


def _put(target, array):
    """What was written into an argument that had to be converted."""
    if target is not array:
        target[...] = array''',
    '''\
def _generator(name, value):
    """An argument that is a random generator."""
    if not isinstance(value, np.random.Generator):
        found = type(value).__name__
        raise TypeError(f"{name} is to be a numpy.random.Generator, not {found}")
    return value''',
    '''\
def _generators(name, value):
    """An argument that is a list of random generators, one a lane."""
    if not hasattr(value, "__len__"):
        found = type(value).__name__
        raise TypeError(f"{name} is to be a list of random generators, one a lane, not {found}")
    return [_generator(f"{name}[{lane}]", each) for lane, each in enumerate(value)]''',
    '''\
def _lanes(*arguments):
    """The number of lanes, which is the same in all arguments."""
    counts = [len(argument) for argument in arguments]
    if min(counts) != max(counts):
        raise ValueError(f"the arguments differ in their number of lanes: {counts}")
    return counts[0]''',
    '''\
def _results(lanes, results):
    """Arrays for what the lanes give, and the same with a row for each lane."""
    made = [np.empty((lanes, *shape), dtype) for dtype, *shape in results]
    return made, [array.reshape(lanes, array[:1].size) if array.ndim > 2 else array for array in made]''',
    '''\
import os
from concurrent.futures import ThreadPoolExecutor


def _in_threads(work, parts, threads, failed):
    """work(*part) for every part, on so many threads; the first by itself, which compiles it.

    Where one raises, or Ctrl-C is met, failed[-1] becomes 1, by which the others stop. This thread only waits: Ctrl-C
    is met between two steps of the interpreter.
    """
    first, *rest = parts
    work(*first)
    with ThreadPoolExecutor(threads) as pool:
        try:
            for done in [pool.submit(work, *part) for part in rest]:
                done.result()
        except BaseException:
            failed[-1] = 1
            raise''',
    '''\
def _run_lanes(run, lanes, limit, threads, stacks, together, arguments, results):
    """What the lanes give, and for each 0 or the number of its failure; ranges of lanes run in threads.

    limit     the deepest recursion
    threads   how many, 0 for as many as there are processors
    stacks    dtypes of the stacks for recursive calls: where a lane needs larger ones, it starts again
    together  whether lanes wait for each other at matrix products, which have threads of their own
    results   dtype and shape of what one lane gives
    """
    failed = np.zeros(lanes + 1, np.int64)  # and whether to stop
    made, rows = _results(lanes, results)

    def over(first, last):
        size = 1024
        while True:
            given = [np.empty(size, dtype) for dtype in stacks]
            first = run(first, last, limit, failed, *given, *arguments, *rows)
            if first == last or failed[-1]:
                break
            size *= 2

    threads = threads or os.cpu_count() or 1
    parts = max(threads, -(-lanes // 256)) if together else 4 * threads if threads > 1 else 1
    edges = [0, *(lanes * k // parts for k in range(parts + 1))]
    _in_threads(over, list(zip(edges, edges[1:])), 1 if together else threads, failed)
    return *made, failed[:lanes]''',
    '''\
def _run_groups(run, lanes, limit, threads, arguments, results):
    """What the lanes give, and for each 0 or the number of its failure; threads take lanes off one queue.

    limit    the deepest recursion
    threads  how many, 0 for as many as there are processors
    results  dtype and shape of what one lane gives
    """
    failed = np.zeros(lanes + 1, np.int64)  # and whether to stop
    made, rows = _results(lanes, results)

    def over(coming):
        run(coming, lanes if coming is queue else 0, limit, failed, *arguments, *rows)

    threads = threads or os.cpu_count() or 1
    queue = np.array([0, -(-lanes // threads), 0, 0])  # the next lane, lanes of a thread, calls begun and ended
    _in_threads(over, [(np.zeros(4, np.int64),), *[(queue,)] * threads], threads, failed)
    return *made, failed[:lanes]''',
    '''\
import threading


def _run_calls(run, again, lanes, starts, limit, threads, shared, stacks, arguments, results):
    """What the lanes give, and for each 0 or the number of its failure; recursion is the host's own.

    again    runs lanes that raise, or go too deep for that
    starts   the depths at which lanes begin; a second one is for those that failed, on a stack of 264 MB
    limit    the deepest recursion of lanes that run again
    threads  how many, 0 for as many as there are processors
    shared   which arguments are the same for all lanes
    stacks, results as for `again`
    """
    failed = np.zeros(lanes + 1, np.int64)  # and whether to stop
    made, rows = _results(lanes, results)

    def over(first, last):
        run(first, last, starts[0], failed, *arguments, *rows)

    threads = threads or os.cpu_count() or 1
    edges = [0, *(lanes * k // (4 * threads) for k in range(4 * threads + 1))]
    _in_threads(over, list(zip(edges, edges[1:])), threads, failed)
    left = np.flatnonzero(failed[:lanes])
    if len(left) and len(starts) > 1:
        own = [x if one else x[left] for x, one in zip(arguments, shared)]
        found, codes = [array[left] for array in made], np.zeros(len(left) + 1, np.int64)

        def far(first, last):
            run(first, last, starts[1], codes, *own, *found)

        size = threading.stack_size(2**28 + 2**23)
        try:
            _in_threads(far, [(0, 0), (0, len(left))], 1, codes)
        finally:
            threading.stack_size(size)
        for array, values in zip((*made, failed), (*found, codes[:-1])):
            array[left] = values
        left = left[codes[:-1] != 0]
    if len(left):
        own = [x if one else x[left] for x, one in zip(arguments, shared)]
        *found, failed[left] = _run_lanes(again, len(left), limit, threads, stacks, False, own, results)
        for array, values in zip(made, found):
            array[left] = values
    return *made, failed[:lanes]''',
    '''\
def _run_kernel(
    kernel, lanes, fails, zero, limit, stacks, tables, shared, streams, block, arguments, results
):
    """What the lanes give, each a thread of a GPU, and, if one fails, for each 0 or the number of its failure."""
    check_gpu()
    made, rows = _results(lanes, results)
    told = fails, zero, limit, stacks, tables, shared, streams, arguments, rows, block
    return *made, launch(kernel, lanes, *told)''',
    '''\
def _check_lanes(failed, messages, results):
    """The results; RuntimeError where lanes failed, with `lanes` and what the others gave as `results`."""
    lanes = np.flatnonzero(failed)
    count, total = len(lanes), len(failed)
    if count == 0:
        return results
    listed = [f"lane {lane}: {messages[failed[lane] - 1]}" for lane in lanes[:5]]
    rest = [f"and {count - 5} more"] if count > 5 else []
    error = RuntimeError("\\n  ".join([f"{count} of {total} lanes failed", *listed, *rest]))
    error.lanes, error.results = lanes, results
    raise error''',
)
"""Each calls only what stands before it."""

OF_STATES = '''\
def _streams_of(name, rngs):
    """The states of one random generator a lane, in rows; `rngs` has Generators, or the rows as `state`."""
    if hasattr(rngs, "state"):
        return checked_state(rngs.state)
    return np.array([state_of(rng) for rng in _generators(name, rngs)])


def _put_streams(rngs, states):
    """Leave the generators where the lanes left them."""
    if hasattr(rngs, "state"):
        rngs.state[...] = states
        return
    for rng, row in zip(rngs, states):
        put_state(rng, row)'''

STREAMS = {
    "numba": OF_STATES,
    "cuda": OF_STATES,
    "numpy": '''\
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
        rng.bit_generator.state = generator.bit_generator.state''',
}
