"""sample : (logp, params, data) -> draws of its posterior by many chains, as ArviZ InferenceData.

The density is an ordinary function for one set of constrained parameters; chains are programs for one chain
(`samplers.py`), batched over the chains and compiled as any other function is.
"""

import os
import warnings
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import lru_cache, partial
from typing import Any

import numpy as np

from autobatch.api import batch
from autobatch.batched import Batch
from autobatch.mcmc import resume as on_disk
from autobatch.mcmc.chains import (
    Chains,
    Setting,
    compile_draws,
    draw_chains,
    over_chains,
    runs_on_gpu,
    start_chains,
)
from autobatch.mcmc.density import Model, build
from autobatch.mcmc.diagnostics import SamplingWarning, concerns
from autobatch.mcmc.fingerprint import Meaning, known_by, meaning
from autobatch.mcmc.gpu_chains import draw_on_gpu, placed, room_ahead
from autobatch.mcmc.kernels.start import start_points
from autobatch.mcmc.kernels.state import Data, Gradient
from autobatch.mcmc.report import Progress, extra, inference_data
from autobatch.mcmc.resume import content_digest
from autobatch.mcmc.samplers import NUTS, RWM, ChainPrograms, Sampler, programs
from autobatch.mcmc.transforms import Transform
from autobatch.mcmc.validation import check_seed, checked_count, checked_data, seeded
from autobatch.schedule import Optimize, Schedule
from autobatch.streams import streams
from autodiff import value_and_grad
from codegen.process_cache import forgettable
from codegen.tracebacks import at_border

Seed = int | np.integer[Any] | np.random.SeedSequence | np.random.Generator | None

# How often at most a run is written to its file while it goes on, in seconds.
SAVE_EVERY = 30.0


@at_border
def sample(
    logp: Callable[..., float],
    params: Mapping[str, Transform],
    *,
    data: Mapping[str, Any] | None = None,
    chains: int = 4,
    draws: int = 1000,
    warmup: int = 1000,
    seed: Seed = None,
    sampler: Sampler = NUTS(),  # noqa: B008 - frozen
    init: Mapping[str, Any] | None = None,
    target: str = "numba",
    optimize: Optimize = "auto",
    progress: bool = True,
    resume: str | os.PathLike[str] | None = None,
) -> Any:
    """Draw from the posterior whose log density is `logp(**params, **data)`, up to a constant.

        def logp(mu, tau, y):
            return -0.5 * mu**2 - tau - len(y) * np.log(tau) - 0.5 * np.sum(((y - mu) / tau) ** 2)

        sample(logp, {"mu": real(), "tau": positive()}, data={"y": y}, chains=1000, seed=1)

    `logp` sees constrained values: floats, or arrays of the shapes in `params`; the log Jacobian is added.
    `data` are arrays and numbers, shared by all chains; those on a GPU are fetched. Values that `logp` reads
    around it are taken as they are at the call. Returned are the first `draws` draws of every chain after its
    warm-up, in constrained parameters (chain, draw, *shape), with `sample_stats` lp, acceptance_rate, step_size,
    tree_depth, n_steps, diverging, energy and max_energy_error as far as the sampler has them.

    Chain i draws its random numbers from stream i of `seed`, so it does not depend on how many chains there
    are; a SeedSequence or a Generator stands for 64 bits drawn from it. `init` gives starting values of some or all
    parameters, constrained, for all chains or with a leading axis of chains; the others start from U(-2, 2) on the
    unconstrained scale. A chain far below what a few steps downhill reach goes there before its warm-up. `target` is
    as in `batch`, `optimize` as in `Schedule`: a few chains begin by code that is compiled soon. `resume` names a file:
    the run is kept there, and continued if it exists, to the draws of an uninterrupted run, bit for bit; `draws` may
    then be larger than before. An exception that ends drawing, Ctrl-C above all, has what was drawn until then as its
    attribute `trace`.

    ValueError: no start with finite density and gradient was found for some chains (they are named, with the
    values last tried); settings that make no sense; a file of another run, of none, or with bytes changed. What is
    another run is seen by what `logp` and the values around it compute, the parameters, the data and the settings.
    TypeError: arguments of a wrong kind; a `logp` that does not return a number. FileNotFoundError: no folder for the
    file. RuntimeError: another process is at the run in it. RuntimeWarning: it cannot be written; sampling goes on.
    SamplingWarning: chains were left behind, or ran away because there is no distribution.
    """
    chains, draws = checked_count("chains", chains, 1), checked_count("draws", draws, 1)
    warmup = checked_count("warmup", warmup, 0)
    check_sample_arguments(params, data, init, sampler, seed, resume)
    for name in ("arviz", "tqdm") if progress else ("arviz",):
        extra(name)
    arrays = {name: checked_data(name, value) for name, value in (data or {}).items()}
    model, found, over = prepare_programs(logp, params, arrays, sampler, target, optimize)
    held = run_chains(
        model, over, sampler, tuple(arrays.values()), chains=chains, draws=draws, warmup=warmup, seed=seed,
        init=init, progress=progress, resume=resume, density=found.digest,
    )  # fmt: skip
    for concern in concerns(model, sampler, held, warmup):
        warnings.warn(concern, SamplingWarning, stacklevel=2)
    return inference_data(model, sampler, held.record, arrays)


def prepare_programs(
    logp: Callable[..., float],
    params: Mapping[str, Transform],
    data: Mapping[str, Any],
    sampler: Sampler,
    target: str,
    optimize: Optimize = "auto",
) -> tuple[Model, Meaning, ChainPrograms]:
    """The model, what its density means now, and its programs over chains."""
    model = build(logp, params, data)
    found = meaning(model, tuple(data.values()), sampler)
    return (
        model,
        found,
        cached_programs(logp, tuple(params.items()), tuple(data), found, sampler, target, optimize),
    )


@forgettable
@lru_cache(maxsize=32)
def cached_programs(
    logp: Callable[..., float],
    params: tuple[tuple[str, Transform], ...],
    data: tuple[str, ...],
    found: Meaning,
    sampler: Sampler,
    target: str,
    optimize: Optimize,
) -> ChainPrograms:
    """The programs over chains, kept so that sampling a density that means the same compiles nothing again."""
    model = build(logp, dict(params), data)
    schedule, known = Schedule(optimize=optimize), known_by(model, found, sampler)

    def over_lanes(program: Callable[..., Any], in_axes: Any) -> Batch:
        made = batch(program, in_axes, target=target, schedule=schedule)
        made.known = known
        return made

    one = programs(sampler, gradient_of(model, sampler), model.constrained)
    return over_chains(one, sampler, over_lanes)


def run_chains(
    model: Model,
    over: ChainPrograms,
    sampler: Sampler,
    data: Data,
    *,
    chains: int,
    draws: int,
    warmup: int,
    seed: Seed,
    init: Mapping[str, Any] | None,
    progress: bool,
    resume: str | os.PathLike[str] | None,
    density: str,
) -> Chains:
    """The chains with exactly `draws` draws each, made by `over`, the programs over chains.

    `density` is a short name for what the density computes.
    """
    position, free = start_points(model, init, chains)
    if seed is None and resume is not None and os.path.exists(resume):
        seed = on_disk.read_identity(resume)["seed"]
    seed = seeded(seed)
    setting = Setting(model, sampler, over, data, free, streams(seed, chains))
    named_data = dict(zip(model.data, data, strict=True))
    identity = {}
    if resume is not None:
        named = [f"{name} {content_digest(value)}" for name, value in named_data.items()]
        identity = {
            "chains": chains, "warmup": warmup, "seed": seed, "sampler": repr(sampler), "density": density,
            "params": repr(model.params), "data": ", ".join(named), "init": content_digest(position, free),
        }  # fmt: skip
    bar = Progress(chains * (warmup + draws), chains, shown=progress)
    keeper = on_disk.Keeper(resume, identity, SAVE_EVERY)
    try:
        with closing(bar), keeper:
            held = keeper.load(draws)
            draw: Callable[..., Chains] = draw_chains
            if held is not None:
                setting.lanes.state[...] = held.words
                bar(min(draws, held.done) + warmup, 0, held.record.diverging, held.step_size)
            if runs_on_gpu(over) and (held is None or held.done < draws):
                draw = partial(draw_on_gpu, record=room_ahead(setting, chains, draws))
                setting = placed(setting)
            elif held is None:
                compile_draws(setting, position)
            if held is None:
                held = start_chains(setting, position, warmup, bar, whole=not progress)
                keeper(held)
            held = draw(setting, held, draws, bar, keeper)
    except BaseException as error:
        if keeper.latest is not None and keeper.latest.done > 0:
            attach(error, inference_data(model, sampler, truncate(keeper.latest, draws).record, named_data))
        raise
    return truncate(held, draws)


def truncate(held: Chains, draws: int) -> Chains:
    """The chains as they were after so many draws, or as they are where they have fewer."""
    n = min(draws, held.done)
    return held._replace(record=type(held.record)(*(array[:, :n] for array in held.record)), done=n)


def attach(error: BaseException, trace: Any) -> None:
    """What was drawn before an error goes with it, so that it is not lost."""
    error.trace = trace  # type: ignore[attr-defined]
    sizes = trace.posterior.sizes
    error.add_note(
        f"What was drawn before, {sizes['draw']} draws of {sizes['chain']} chains, is the attribute `trace` of this "
        "exception (at a prompt: sys.last_value.trace)"
    )


def gradient_of(model: Model, sampler: Sampler) -> Gradient:
    """(u, data) -> (lp, gradient), the gradient zeros where the sampler has no use for one."""
    density = model.density
    if not isinstance(sampler, RWM):
        return value_and_grad(density)

    def without_gradient(u: np.ndarray, data: Data) -> tuple[float, np.ndarray]:
        return density(u, data), np.zeros(u.shape[0])

    return without_gradient


def check_sample_arguments(params: Any, data: Any, init: Any, sampler: Any, seed: Any, resume: Any) -> None:
    """TypeError or ValueError for the first argument of `sample` that makes no sense."""
    given = (("params", params, "{'mu': real()}"), ("data", data, "{'y': y}"), ("init", init, "{'mu': 0.0}"))
    for name, value, example in given:
        if not isinstance(value, Mapping) and (value is not None or name == "params"):
            raise TypeError(f"{name} must be a dict, as in {example}, not of type {type(value).__name__}")
    if not isinstance(sampler, Sampler):
        raise TypeError(f"sampler={sampler!r}: must be a sampler, as in NUTS(), HMC() or RWM()")
    check_seed(seed)
    if resume is not None:
        on_disk.check_path(resume)
