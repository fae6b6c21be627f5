"""What a run shows and returns: one progress bar over all chains, and ArviZ's InferenceData.

Both tqdm and ArviZ are the extra `mcmc`; without them an ImportError says how to get them.
"""

import importlib
import time
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np

from autobatch.mcmc.density import Model
from autobatch.mcmc.kernels.chain import Record
from autobatch.mcmc.samplers import HMC, RWM, Sampler
from codegen.activity import Task, watched
from codegen.backend.collector import rare_collections


class Progress:
    """One bar for `total` transitions, with divergences so far, median step size and leapfrogs per second.

    It is called after each piece of work; until then it says what is compiled, and for how long. `shown=False` makes it
    silent and needs no tqdm.
    """

    def __init__(self, total: int, chains: int, *, shown: bool) -> None:
        self.chains, self.n_diverging = chains, 0
        self.last = time.perf_counter()
        self.bar = extra("tqdm").tqdm(total=total, unit="draw", smoothing=0) if shown else None
        self.watch = ExitStack()
        if shown:
            self.watch.enter_context(watched(self.tell))

    def tell(self, activity: Task | None) -> None:
        """What is made before the chains go on."""
        self.bar.set_description_str("" if activity is None else str(activity))  # type: ignore[union-attr]

    def __call__(self, iterations: int, n_steps: Any, diverging: Any, step_size: Any) -> None:
        """Count `iterations` of every chain with their leapfrogs and divergences (arrays of any shape)."""
        if self.bar is not None:
            self.n_diverging += int(np.sum(diverging))
            now = time.perf_counter()
            rate, self.last = np.sum(n_steps) / (now - self.last), now
            self.bar.set_postfix_str(
                f"{self.n_diverging} divergences, step size {np.median(step_size):.3g}, "
                f"{rate:.3g} leapfrogs/s",
                refresh=False,
            )
            self.bar.update(iterations * self.chains)

    def close(self) -> None:
        self.watch.close()
        if self.bar is not None:
            self.bar.set_description_str("", refresh=False)
            self.bar.close()


def inference_data(model: Model, sampler: Sampler, record: Record, data: Mapping[str, Any]) -> Any:
    """The draws as InferenceData.

    `posterior` has the constrained parameters, (chain, draw, *shape); `sample_stats` what the sampler reports
    of each draw; `observed_data` the arrays among the data, `constant_data` its numbers.
    """
    stats = record._asdict()
    del stats["draws"]
    if isinstance(sampler, HMC | RWM):
        del stats["tree_depth"]
    if isinstance(sampler, RWM):
        del stats["n_steps"], stats["diverging"], stats["energy"], stats["max_energy_error"]
    arrays = {name: np.asarray(value) for name, value in data.items()}
    drawn = ("chain", "draw")
    groups = {
        "posterior": dataset(model.split(record.draws), drawn),
        "sample_stats": dataset(stats, drawn),
        "observed_data": dataset({name: value for name, value in arrays.items() if value.ndim}, ()),
        "constant_data": dataset({name: value for name, value in arrays.items() if not value.ndim}, ()),
    }
    return extra("arviz").InferenceData(**{name: group for name, group in groups.items() if group.data_vars})


def dataset(arrays: Mapping[str, np.ndarray], first: tuple[str, ...]) -> Any:
    """Arrays whose first axes have the names `first`, as xarray's Dataset; other axes are named as ArviZ names them.

    Made at once: `arviz.from_dict`, which makes an array after the other, takes as long as 100,000 leapfrogs. xarray
    need not ask whose arrays they are (`fastpath`), which would import Dask.
    """
    xarray = extra("xarray")
    named: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for name, value in arrays.items():
        own = (f"{name}_dim_{k}" for k in range(value.ndim - len(first)))
        axes = (*first, *own)
        named[name] = xarray.Variable(axes, value, fastpath=True)
        sizes.update(zip(axes, value.shape, strict=True))
    places = {axis: xarray.Variable(axis, np.arange(n), fastpath=True) for axis, n in sizes.items()}
    return xarray.Dataset(named, places, extra("arviz.data.base").make_attrs())


def extra(name: str) -> Any:
    """A module of the extra `mcmc`."""
    try:
        # ArviZ, which makes half a million objects, comes in 1.1 s instead of 1.6.
        with rare_collections(1_000_000), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of what the package itself is going to be
            return importlib.import_module(name)
    except ImportError:
        raise ImportError(
            f"sampling needs the package {name.partition('.')[0]}, which is not installed"
        ) from None
