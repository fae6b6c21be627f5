"""This project's side of every figure, through its public interface alone.

python ours.py eight_schools CHAINS DRAWS      NUTS, leapfrogs
python ours.py recursive CHAINS DRAWS [CALLS]  the algorithm of hand_nuts.py as plain recursion (recursive_nuts.py)
python ours.py twigs CHAINS DRAWS [CALLS]      the same, down to two leaves at a time
python ours.py iterative CHAINS DRAWS [CALLS]  the same as a loop over leaves (iterative_nuts.py)
python ours.py logistic|logistic_even CHAINS DRAWS
python ours.py fib|fib_loop LANES N            batch(fib) and a Python loop over lanes, lanes
python ours.py control WORK LANES [CALLS]      batch of a program of control.py, lanes
python ours.py steps LANES CALLS               batch of control.py's mandelbrot, steps of all lanes
python ours.py kernel WORK SIZE                batch or jit of a kernel of kernels.py, examples
python ours.py small|small_gradient WORK STEPS jit of a program of small.py, or its gradient, steps
python ours.py table|table_gradient WORK SIZE  jit of a program of tables.py, or its gradient, calls
python ours.py primal|gradient CALLS           the logistic density and its gradient, calls
python ours.py first_use WORK                  seconds from import, and from after it, to a first result
python ours.py one_core ANY OF THESE           on one core
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import works
from serving import answer, serve

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

Run = Callable[[], dict[str, Any]]


def eight_schools(chains: int, draws: int, **more: Any) -> Run:
    import models
    from autobatch.mcmc import positive, real

    start = works.schools_start(chains)
    return nuts(
        models.eight_schools,
        {"mu": real(), "tau": positive(), "theta_trans": real(8)},
        {"y": works.SCHOOLS_Y, "sigma": works.SCHOOLS_SIGMA},
        {"mu": start.mu, "tau": np.exp(start.log_tau), "theta_trans": start.theta_trans},
        draws,
        works.STEP_SIZE["eight_schools"],
        **more,
    )


def recursive(chains: int, draws: int, calls: int = 1) -> Run:
    from recursive_nuts import chain

    return plain_nuts(chain, chains, draws, calls)


def twigs(chains: int, draws: int, calls: int = 1) -> Run:
    import recursive_nuts

    return plain_nuts(recursive_nuts.twigs, chains, draws, calls)


def iterative(chains: int, draws: int, calls: int = 1) -> Run:
    from iterative_nuts import chain

    return plain_nuts(chain, chains, draws, calls)


def plain_nuts(
    chain: Callable[..., Any],
    chains: int,
    draws: int,
    calls: int = 1,
    *,
    target: str = "numba",
    dtype: str = "f8",
) -> Run:
    """From call to call positions stay where they are: on the GPU for target cuda."""
    from autobatch import batch, streams

    start = works.schools_start(chains)
    u = np.column_stack([start.mu, start.log_tau, start.theta_trans]).astype(dtype)
    rngs, step = streams(1, chains), np.dtype(dtype).type(works.STEP_SIZE["eight_schools"])
    data = works.SCHOOLS_Y.astype(dtype), works.SCHOOLS_SIGMA.astype(dtype)
    many = batch(chain, in_axes=(0, 0, None, None, None, None), target=target)
    if target == "cuda":
        import cupy

        u = cupy.asarray(u)

    def run() -> dict[str, Any]:
        nonlocal u
        count = 0
        for _ in range(calls):
            u, made, means = many(rngs, u, draws, step, *data)
            count += int(made.sum())
        return {"count": count, "means": {"mu": float(means[:, 0].mean())}}

    run()
    return run


def logistic(work: str, chains: int, draws: int, **more: Any) -> Run:
    import models
    from autobatch.mcmc import real

    data = works.logistic()
    start = {"beta": works.logistic_start(chains, data.beta)}
    arguments = {"X": data.X, "y": data.y}
    params = {"beta": real(len(data.beta))}
    return nuts(models.logistic_regression, params, arguments, start, draws, works.STEP_SIZE[work], **more)


def nuts(
    logp: Callable[..., float],
    params: dict[str, Any],
    data: dict[str, np.ndarray],
    start: dict[str, np.ndarray],
    draws: int,
    step_size: float,
    *,
    target: str = "numba",
    warmup: int = 0,
) -> Run:
    """Measures `draws` draws of every chain, with a new seed each time; all is adapted where there is a warm-up."""
    from autobatch.mcmc import NUTS, sample

    chains = len(next(iter(start.values())))
    fixed = NUTS(step_size=step_size, max_depth=works.MAX_DEPTH, metric="unit")
    seed = 0

    def run() -> dict[str, Any]:
        nonlocal seed
        seed += 1
        begun = time.perf_counter()
        result = sample(
            logp,
            params,
            data=data,
            chains=chains,
            draws=draws,
            warmup=warmup,
            seed=seed,
            sampler=NUTS() if warmup else fixed,
            target=target,
            optimize="full",
            init=start,
            progress=False,
        )
        seconds = time.perf_counter() - begun
        means = {name: float(result.posterior[name].mean()) for name in params}
        return {"seconds": seconds, "count": int(result.sample_stats["n_steps"].sum()), "means": means}

    run()
    return run


def fib(n):
    """Written as a user writes it; batched below."""
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def fib_lanes(lanes: int, n: int) -> Run:
    from autobatch import batch

    batched, ns = batch(fib), np.full(lanes, n)

    def run() -> dict[str, Any]:
        result = batched(ns)
        assert np.all(result == fibonacci(n))
        return {"count": lanes}

    run()
    return run


def fib_loop(lanes: int, n: int) -> Run:
    def run() -> dict[str, Any]:
        result = [fib(n) for _ in range(lanes)]
        assert result == [fibonacci(n)] * lanes
        return {"count": lanes}

    return run


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def controlled(name: str, lanes: int, calls: int = 1) -> Run:
    import control
    from autobatch import batch

    function, arguments = control.work(name, lanes)
    batched = batch(function)

    def run() -> dict[str, Any]:
        return works.measured(len(arguments[0]), lambda: batched(*arguments), calls)

    run()
    return run


def steps(lanes: int, calls: int) -> Run:
    """The picture of the Mandelbrot set, where a lane's result is the number of its steps."""
    picture = controlled("mandelbrot", lanes, calls)

    def run() -> dict[str, Any]:
        measurement = picture()
        return {**measurement, "count": measurement["fingerprint"][0] * calls}

    return run


def kernel(name: str, size: int) -> Run:
    import kernels
    from autobatch import batch
    from codegen import jit

    work = kernels.work(name, size)
    made = batch(work.function, in_axes=work.axes) if work.axes else jit(work.function, parallel=True)

    def run() -> dict[str, Any]:
        return works.measured(work.count, lambda: made(*work.arguments))

    run()
    return run


def table(name: str, size: int, *, gradient: bool = False) -> Run:
    import tables
    from autodiff import grad
    from codegen import jit

    function, arguments = tables.work(name, size)
    made = grad(function) if gradient else jit(function)

    def run() -> dict[str, Any]:
        return works.measured(1, lambda: made(*arguments), 20)

    run()
    return run


def small(name: str, steps: int, *, gradient: bool = False) -> Run:
    import small
    from autodiff import grad
    from codegen import jit

    function, arguments = small.work(name, steps)
    made = grad(function, (1, 2, 3)) if gradient else jit(function)

    def run() -> dict[str, Any]:
        return works.measured(steps, lambda: made(*arguments), 20)

    run()
    return run


def density(what: str, calls: int) -> Run:
    import models
    from autodiff import value_and_grad
    from codegen import jit

    data = works.logistic()
    made = {"primal": jit, "gradient": value_and_grad}[what](models.logistic_regression)

    def run() -> dict[str, Any]:
        for _ in range(calls):
            made(data.beta, data.X, data.y)
        return {"count": calls}

    run()
    return run


def first_use(work: str) -> None:
    """From importing this project (and ArviZ, as `sample` does) to a first result: prints how long that took."""
    begun = time.perf_counter()
    import control
    import models  # noqa: F401
    from autobatch import batch
    from autobatch.mcmc import report

    if work == "eight_schools":
        report.extra("arviz")
    imported = time.perf_counter()
    if work == "eight_schools":
        few_draws()
    else:
        function, arguments = control.work(work, 1000)
        batch(function)(*arguments)
    done = time.perf_counter()
    answer({"seconds": done - begun, "after_import": done - imported})


def few_draws() -> None:
    """4 x 10 draws with all of NUTS's adaptation."""
    import models
    from autobatch.mcmc import NUTS, positive, real, sample

    sample(
        models.eight_schools,
        {"mu": real(), "tau": positive(), "theta_trans": real(8)},
        data={"y": works.SCHOOLS_Y, "sigma": works.SCHOOLS_SIGMA},
        chains=4,
        draws=10,
        warmup=10,
        seed=0,
        sampler=NUTS(),
        progress=False,
    )


def main(work: str, *sizes: Any) -> None:
    match work, sizes:
        case "first_use", [name]:
            first_use(name)
        case "one_core", [work, *sizes]:
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
            main(work, *sizes)
        case "eight_schools", [chains, draws]:
            serve(eight_schools(chains, draws))
        case "recursive", [chains, draws, *calls]:
            serve(recursive(chains, draws, *calls))
        case "twigs", [chains, draws, *calls]:
            serve(twigs(chains, draws, *calls))
        case "iterative", [chains, draws, *calls]:
            serve(iterative(chains, draws, *calls))
        case (("logistic" | "logistic_even"), [chains, draws]):
            serve(logistic(work, chains, draws))
        case "fib", [lanes, n]:
            serve(fib_lanes(lanes, n))
        case "fib_loop", [lanes, n]:
            serve(fib_loop(lanes, n))
        case "control", [name, *sizes]:
            serve(controlled(name, *sizes))
        case "steps", [lanes, calls]:
            serve(steps(lanes, calls))
        case "kernel", [name, size]:
            serve(kernel(name, size))
        case (("small" | "small_gradient"), [name, size]):
            serve(small(name, size, gradient=work == "small_gradient"))
        case (("table" | "table_gradient"), [name, size]):
            serve(table(name, size, gradient=work == "table_gradient"))
        case (("primal" | "gradient"), [calls]):
            serve(density(work, calls))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1], *(int(x) if x.isdigit() else x for x in sys.argv[2:]))
