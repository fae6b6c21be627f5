"""The demonstration: two posteriors, hundreds of chains of NUTS each, and the programs that drew them.

    python examples/demo.py             eight schools, and a logistic regression on the breast-cancer data
    python examples/demo.py --quick     the same with fewer chains and draws
    python examples/demo.py --models eight_schools --chains 64 --draws 500 --warmup 500 --out somewhere

For each model it prints a summary of the posterior, what compiling and sampling took, leapfrogs per second
and how well the lanes were used, and writes a folder:

    trace.nc       all draws and statistics (ArviZ InferenceData: `arviz.from_netcdf`)
    trace.png      densities and ranks of some parameters, for the first chains
    logp.py        the log density, compiled as it is
    gradient.py    its value and gradient
    step.py        one transition of NUTS for one chain
    batched.py     all transitions of all chains

The four programs import numpy, math and numba alone: copy them, read them, step through them, keep them.
"""

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import models
from autobatch.mcmc import NUTS, positive, real
from autobatch.mcmc.kernels.metric import Diagonal
from autobatch.mcmc.kernels.state import State
from autobatch.mcmc.report import inference_data
from autobatch.mcmc.sample import gradient_of, prepare_programs, run_chains
from autobatch.mcmc.samplers import transition
from autodiff import value_and_grad
from codegen import jit

DATA = Path(__file__).resolve().parent / "data"
SHOWN_CHAINS = 8


class Example(NamedTuple):
    """A model with its data; `shown` are the parameters in the picture, with the elements to take."""

    title: str
    logp: Callable[..., float]
    params: Mapping[str, Any]
    data: Mapping[str, np.ndarray]
    shown: Mapping[str, Sequence[int]]


def eight_schools() -> Example:
    """Ten dimensions: the effects of coaching in eight schools (Rubin 1981), non-centred."""
    table = json.loads((DATA / "eight_schools.json").read_text())
    return Example(
        "eight schools",
        models.eight_schools,
        {"mu": real(), "tau": positive(), "theta_trans": real(8)},
        {name: np.array(table[name], dtype=np.float64) for name in ("y", "sigma")},
        {"mu": (), "tau": (), "theta_trans": (0,)},
    )


def logistic_regression() -> Example:
    """31 dimensions: is a tumour benign? An intercept and 30 standardised features of 569 tumours."""
    table = np.loadtxt(DATA / "breast_cancer.csv", delimiter=",", skiprows=1)
    features = table[:, :-1]
    standardised = (features - features.mean(axis=0)) / features.std(axis=0)
    X = np.column_stack([np.ones(len(table)), standardised])
    return Example(
        "logistic regression, breast cancer",
        models.logistic_regression,
        {"beta": real(X.shape[1])},
        {"X": X, "y": table[:, -1]},
        {"beta": (0, 21, 22)},
    )


EXAMPLES = {"eight_schools": eight_schools, "logistic_regression": logistic_regression}


class Watch:
    """A batched program of transitions: counts its seconds, keeps each call's leapfrogs (chains, draws)."""

    def __init__(self, run: Callable[..., Any]) -> None:
        self.run, self.seconds = run, 0.0
        self.n_steps: list[np.ndarray] = []

    def __call__(self, *args: Any) -> Any:
        begun = time.perf_counter()
        state, record = self.run(*args)
        self.seconds += time.perf_counter() - begun
        count = args[4]
        self.n_steps.append(np.array(record.n_steps[:, :count]))
        return state, record


@dataclass(frozen=True)
class Run:
    """What a demonstration made: the trace, seconds, and leapfrogs call by call."""

    trace: Any
    first_seconds: float
    seconds: float
    drawing_seconds: float
    n_steps: Sequence[np.ndarray]


def sampled(example: Example, *, chains: int, draws: int, warmup: int, seed: int) -> Run:
    """What `autobatch.mcmc.sample` does, with a watch on the program that draws.

    It is done twice, so that compiling can be told from running: the second run compiles nothing.
    """
    sampler = NUTS()
    model, found, over = prepare_programs(example.logp, example.params, example.data, sampler, "numba")
    watch = Watch(over.run)
    seconds = []
    for _ in ("with compiling", "without"):
        watch.seconds, watch.n_steps = 0.0, []
        begun = time.perf_counter()
        held = run_chains(
            model, over._replace(run=watch), sampler, tuple(example.data.values()), chains=chains,
            draws=draws, warmup=warmup, seed=seed, init=None, progress=False, resume=None, density=found.digest,
        )  # fmt: skip
        seconds.append(time.perf_counter() - begun)
    trace = inference_data(model, sampler, held.record, example.data)
    return Run(trace, seconds[0], seconds[1], watch.seconds, watch.n_steps)


def in_use(n_steps: Sequence[np.ndarray], threads: int) -> float:
    """Lane utilisation as threads share lanes: leapfrogs / (threads x leapfrogs of the busiest thread).

    In a call threads take lanes as they have room for them. What is lost here is the time in which threads that find
    no lane left wait for the last one, counted in leapfrogs, as if all cost the same and a thread ran one lane at a
    time; how many lanes of a group are at work in each block is `autobatch.profile`'s to measure.

    >>> in_use([np.array([[3], [1]])], threads=2)
    0.6666666666666666
    """
    useful, slots = 0, 0
    for call in n_steps:
        lanes = call.sum(axis=1)
        workers = min(threads, len(lanes))
        loads = np.zeros(workers, dtype=np.int64)
        for lane in lanes:
            loads[np.argmin(loads)] += lane
        useful += lanes.sum()
        slots += workers * loads.max()
    return float(useful / slots)


def in_lockstep(n_steps: Sequence[np.ndarray]) -> float:
    """The same if in each draw all chains had to wait for the longest trajectory, as masked batching has it.

    >>> in_lockstep([np.array([[3, 1], [1, 3]])])
    0.6666666666666666
    """
    return float(sum(c.sum() for c in n_steps) / sum(c.max(axis=0).sum() * len(c) for c in n_steps))


def emitted(example: Example) -> dict[str, str]:
    """File name -> text of the emitted programs, for the types of the example's data."""
    sampler, data = NUTS(), tuple(example.data.values())
    model, _, over = prepare_programs(example.logp, example.params, example.data, sampler, "numba")
    u = np.zeros(model.size)
    values = (*(given(v) for v in model.split(model.constrained(u)).values()), *data)
    step = transition(sampler, gradient_of(model, sampler))
    state, metric = State(u, 0.0, u), Diagonal(np.ones(model.size))
    return {
        "logp.py": jit(example.logp).source(*values),
        "gradient.py": value_and_grad(example.logp, tuple(range(len(example.params)))).source(*values),
        "step.py": jit(step).source(np.random.default_rng(0), state, 0.5, metric, data),
        "batched.py": over.run.source(),
    }


def given(value: np.ndarray) -> Any:
    """A parameter's value as the log density takes it."""
    return value if value.ndim else float(value)


def quiet_arviz() -> Any:
    """ArviZ, without its warning of the next version."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"\s*ArviZ is undergoing", category=FutureWarning)
        import arviz
    return arviz


def summary(trace: Any) -> str:
    """Mean, deviation, effective sample sizes and R-hat of every parameter, as a table."""
    table = quiet_arviz().summary(trace, round_to="none")
    columns = ["mean", "sd", "mcse_mean", "ess_bulk", "ess_tail", "r_hat"]
    formats = dict.fromkeys(columns, "{:.3f}".format) | dict.fromkeys(
        ["ess_bulk", "ess_tail"], "{:.0f}".format
    )
    return table[columns].to_string(formatters=formats)


def picture(example: Example, trace: Any, path: Path) -> None:
    """Densities and rank plots of `example.shown`, for the first chains; no display is needed."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    chosen = {f"{name}_dim_0": list(at) for name, at in example.shown.items() if at}
    some = trace.posterior[list(example.shown)].sel(chain=slice(0, SHOWN_CHAINS - 1), **chosen)
    axes = quiet_arviz().plot_trace(some, kind="rank_vlines", compact=False, figsize=(10, 7))
    figure = axes[0, 0].figure
    figure.suptitle(f"{example.title}: densities and ranks, the first {some.sizes['chain']} chains")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def demonstrate(name: str, options: argparse.Namespace) -> None:
    """One model: runs it, prints what came of it, writes its folder."""
    example, folder = EXAMPLES[name](), options.out / name
    folder.mkdir(parents=True, exist_ok=True)
    chains, draws, warmup = options.chains, options.draws, options.warmup
    print(f"\n== {example.title}: {chains} chains, {warmup} warm-up and {draws} draws each")
    run = sampled(example, chains=chains, draws=draws, warmup=warmup, seed=options.seed)
    print(summary(run.trace))
    print("\n".join(f"{label:<36}{value}" for label, value in figures(run)))
    run.trace.to_netcdf(folder / "trace.nc")
    picture(example, run.trace, folder / "trace.png")
    for file, text in emitted(example).items():
        (folder / file).write_text(text)
    print(f"written: {', '.join(str(path) for path in sorted(folder.iterdir()) if path.is_file())}")


def figures(run: Run) -> Iterator[tuple[str, str]]:
    """What a run did and took, label by label."""
    leapfrogs = sum(int(call.sum()) for call in run.n_steps)
    threads = len(os.sched_getaffinity(0))
    yield "divergences", f"{int(run.trace.sample_stats.diverging.sum())}"
    yield "compiling (first run less second)", f"{run.first_seconds - run.seconds:.1f} s"
    yield "sampling, warm-up and draws", f"{run.seconds:.2f} s"
    yield "leapfrogs per second, drawing", f"{leapfrogs / run.drawing_seconds:,.0f} on {threads} threads"
    yield "lane utilisation, drawing", f"{in_use(run.n_steps, threads):.0%}"
    yield "the same in lockstep", f"{in_lockstep(run.n_steps):.0%} (had all chains waited at every draw)"


def settings(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line; --quick lowers what is not given."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--chains", type=int, help="chains of each model (256; quick: 32)")
    parser.add_argument("--draws", type=int, help="draws of each chain (250; quick: 100)")
    parser.add_argument("--warmup", type=int, help="warm-up iterations of each chain (250; quick: 100)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the chains' streams (1)")
    parser.add_argument("--out", type=Path, default=Path("demo-output"), help="folder to write (demo-output)")
    parser.add_argument("--models", nargs="+", choices=EXAMPLES, default=list(EXAMPLES), help="which models")
    parser.add_argument("--quick", action="store_true", help="less work")
    options = parser.parse_args(arguments)
    usual = (32, 100, 100) if options.quick else (256, 250, 250)
    for name, value in zip(("chains", "draws", "warmup"), usual):
        if getattr(options, name) is None:
            setattr(options, name, value)
        elif getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    options = settings(arguments)
    for name in options.models:
        demonstrate(name, options)


if __name__ == "__main__":
    main()
