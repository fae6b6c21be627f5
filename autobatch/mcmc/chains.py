"""All chains of one run: started, warmed up, drawn from in chunks.

    over_chains : ChainPrograms of one -> ChainPrograms of many
    start_chains : (Setting, ...) -> Chains        draw_chains : (Setting, Chains, n, ...) -> Chains

`Chains` is everything that a run needs to go on: with the same `Setting` it continues exactly where it stood,
whatever the chunks were. The programs of a single chain come from `samplers.py`; `over_chains` makes them
programs of many, by `autobatch.batch` in use and by a plain loop in the tests. One starts chains and warms them up, the
other draws.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from autobatch.cost_model import CHUNK, CHUNK_NUMBERS, CHUNK_SECONDS, FEW_CHAINS, LONG_CHUNK
from autobatch.device_arrays import copy_of, repeated_rows, repeated_there, to_gpu, tree_on_host
from autobatch.execute.threads import equal_ranges, over_threads, workers_of
from autobatch.mcmc.density import Model
from autobatch.mcmc.kernels.adaptation import FAST, LAST, WINDOW_END, Tuning, restarted, windows
from autobatch.mcmc.kernels.chain import START, Record, WarmupSums
from autobatch.mcmc.kernels.pooled import Report, pooled_warmup
from autobatch.mcmc.kernels.start import no_start
from autobatch.mcmc.kernels.state import State
from autobatch.mcmc.samplers import RWM, ChainPrograms, Sampler, empty_welford, unit_metric

PLAN = 1024  # iterations of a warm-up in one call: the size of a plan is part of the compiled program


class Setting(NamedTuple):
    """What stays the same through a run.

    `programs` are those over chains; `free` (chains, d) says which elements of their positions are drawn at the
    start; `lanes` are the chains' streams, which advance as they are used.
    """

    model: Model
    sampler: Sampler
    programs: ChainPrograms
    data: tuple[Any, ...]
    free: np.ndarray
    lanes: Any


class Chains(NamedTuple):
    """Where the chains stand: states (chains, ...), tuned settings, and the draws made so far.

    `step_size` and `metric` have a leading axis of chains unless they are pooled. `record` holds `done` draws
    a chain, each array (chains, at least done, ...). `words` (chains, 13) are the streams' states. All but the record
    may be on a GPU.
    """

    state: State
    step_size: Any
    metric: Any
    words: np.ndarray
    record: Record
    done: int


def over_chains(programs: ChainPrograms, sampler: Sampler, batch: Callable[..., Any]) -> ChainPrograms:
    """The programs with a leading axis of chains; what is tuned has none if it is pooled."""
    axis = None if sampler.adapt == "pooled" else 0
    return ChainPrograms(
        advance=batch(programs.advance, in_axes=(0, 0, axis, 0, None, None, None, None, None, None)),
        run=batch(programs.run, in_axes=(0, 0, axis, axis, None, None, None)),
    )


def start_chains(
    setting: Setting, position: np.ndarray, warmup: int, report: Report, *, whole: bool
) -> Chains:
    """Chains at the end of their warm-up, started at `position` (chains, d) or at random where `setting.free`.

    ValueError names the chains that found no start. With `whole` a chain's warm-up is one call, else it is
    cut at the ends of its windows, so that `report` is called in between; the draws are the same.
    """
    sampler, count = setting.sampler, len(position)
    if runs_on_gpu(setting.programs):
        state, tuning = unstarted(setting, to_gpu(position), repeated_there)
    else:
        state, tuning = unstarted(setting, position)
    # Random walks have no gradient to follow; without a warm-up chains begin where they start.
    downhill = warmup > 0 and not isinstance(sampler, RWM)
    state, told, found, _ = advanced(setting, state, tuning, [START], downhill=downhill)
    if not np.all(found := tree_on_host(found)):
        raise ValueError(no_start(setting.model, tree_on_host(state), found))
    plan = windows(warmup)
    if sampler.metric == "unit":
        plan = np.where(plan == LAST, LAST, FAST)
    if sampler.adapt == "pooled":

        def once(state: State, tuning: Tuning, phase: int) -> tuple[State, Any, WarmupSums]:
            state, step_size, _, sums = advanced(setting, state, tuning, [phase])
            return state, tree_on_host(step_size), tree_on_host(sums)

        tuning = untaught(setting, float(np.median(tree_on_host(told))), tuning.metric)
        state, tuning = pooled_warmup(once, sampler, state, tuning, plan, report)
    else:
        tuning = told
        for piece in pieces(plan, whole=whole):
            state, tuning, _, sums = advanced(setting, state, tuning, piece)
            report(len(piece), *map(tree_on_host, (sums.n_steps, sums.n_diverging, tuning.step_size)))
    record = empty_record(count, 0, setting.model)
    return Chains(state, tuning.step_size, tuning.metric, copy_of(setting.lanes.state), record, 0)


def unstarted(
    setting: Setting, position: Any, repeat: Callable[[np.ndarray, int], Any] = repeated_rows
) -> tuple[State, Tuning]:
    """Chains before their start, and what they are given to begin with; `repeat` as in `stacked_states`."""
    sampler, (count, size) = setting.sampler, position.shape
    lp, gradient = (stacked_states(each, count, repeat) for each in (-np.inf, np.zeros(size)))
    first = 1.0 if sampler.step_size is None else float(sampler.step_size)
    tuning = untaught(setting, first, unit_metric(sampler, size))
    if sampler.adapt == "chain":
        tuning = stacked_states(tuning, count, repeat)
    return State(position, lp, gradient), tuning


def compile_draws(setting: Setting, position: np.ndarray) -> None:
    """Have the program that draws compiled while the chains start and warm up."""
    (state, tuning), room = unstarted(setting, position), chunk_room(setting, len(position))
    begin = getattr(setting.programs.run, "compile_ahead", None)  # of one that `batch` made
    if begin is not None:
        begin(setting.lanes, state, tuning.step_size, tuning.metric, CHUNK, room, setting.data)


def untaught(setting: Setting, step_size: float, metric: Any) -> Tuning:
    """A step size and a metric beside which nothing has been learned."""
    return Tuning(step_size, metric, restarted(step_size), empty_welford(setting.sampler, setting.model.size))


def advanced(setting: Setting, state: State, tuning: Tuning, plan: Any, *, downhill: bool = False) -> Any:
    """All chains along a plan of at most PLAN iterations: what their program gives."""
    padded, sampler = np.concatenate([plan, np.full(PLAN - len(plan), FAST)]), setting.sampler
    return setting.programs.advance(
        setting.lanes, state, tuning, setting.free, padded, len(plan), sampler.target_accept,
        sampler.step_size is None, downhill, setting.data,
    )  # fmt: skip


def pieces(plan: np.ndarray, *, whole: bool) -> list[np.ndarray]:
    """What of a warm-up one call makes: all of it, or a window, as far as a plan goes."""
    windows = [plan] if whole else np.split(plan, np.flatnonzero(plan == WINDOW_END) + 1)
    return [piece[at : at + PLAN] for piece in windows for at in range(0, len(piece), PLAN)]


def draw_chains(
    setting: Setting, chains: Chains, draws: int, report: Report, keep: Callable[[Chains], None]
) -> Chains:
    """The chains with `draws` draws each, or more if they have; `keep` is shown them after every chunk."""
    if chains.done >= draws:
        return chains
    count = len(chains.words)
    record = extended_record(chains.record, empty_record(count, draws, setting.model), chains.done)
    room = chunk_room(setting, count)
    capacity = len(room)
    length = min(CHUNK, capacity)
    chains = chains._replace(record=record)
    while chains.done < draws:
        n, started = min(length, draws - chains.done), perf_counter()
        state, chunk = setting.programs.run(
            setting.lanes, chains.state, chains.step_size, chains.metric, n, room, setting.data,
        )  # fmt: skip
        store_chunk(record, chunk, chains.done, n)
        made = slice(chains.done, chains.done + n)
        chains = chains._replace(state=state, words=copy_of(setting.lanes.state), done=made.stop)
        report(n, record.n_steps[:, made], record.diverging[:, made], chains.step_size)
        keep(chains)
        as_many = int(n * CHUNK_SECONDS / max(perf_counter() - started, 1e-6))
        length = min(max(length, as_many), capacity)
    return chains


def runs_on_gpu(programs: ChainPrograms) -> bool:
    return getattr(programs.run, "target", None) == "cuda"


def chunk_room(setting: Setting, count: int) -> np.ndarray:
    """Room for the draws that a chain makes in one call."""
    size = setting.model.constrained_size
    capacity = max(CHUNK, min(LONG_CHUNK, CHUNK_NUMBERS // size)) if count <= FEW_CHAINS else CHUNK
    return np.empty((capacity, size))


def store_chunk(record: Record, chunk: Record, done: int, n: int) -> None:
    """The first `n` draws of a chunk go behind those that are done: memory never touched before, so by all threads."""

    def of_some(first: int, last: int) -> None:
        for whole, part in zip(record, chunk):
            whole[first:last, done : done + n] = np.asarray(part)[first:last, :n]

    count = len(record.lp)
    workers = workers_of(None) if count > FEW_CHAINS else 1
    over_threads(of_some, workers, equal_ranges(count, workers))


def empty_record(count: int, draws: int, model: Model, make: Callable[..., np.ndarray] = np.zeros) -> Record:
    """A record of `draws` draws for `count` chains, its arrays as `make` makes them."""
    kinds = {"tree_depth": np.int64, "n_steps": np.int64, "diverging": np.bool_}
    shapes = {"draws": (count, draws, model.constrained_size)}
    names = Record._fields
    return Record(*(make(shapes.get(name, (count, draws)), kinds.get(name, np.float64)) for name in names))


def extended_record(record: Record, room: Record, done: int) -> Record:
    """`room`, its first `done` draws those of `record`."""
    for old, new in zip(record, room):
        new[:, :done] = old[:, :done]
    return room


def stacked_states(tree: Any, count: int, repeat: Callable[[np.ndarray, int], Any]) -> Any:
    """Nested named tuples of arrays and numbers, each with a leading axis of `count`, as `repeat` makes it."""
    if isinstance(tree, tuple):
        return type(tree)(*(stacked_states(leaf, count, repeat) for leaf in tree))
    return repeat(np.asarray(tree), count)
