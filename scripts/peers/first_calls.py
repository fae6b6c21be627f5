"""First calls, each in a process of its own with nothing compiled: python first_calls.py WORK, seconds.

jit, grad         the README's examples: `first` with everything imported, `whole` with the imports
softmax           of four lines over (16, 16, 64, 64) float32; its time against NumPy's afterwards
softmax_grad      the gradient of its sum
call TEXT         one of library_calls.py, in processor time
schools CHAINS    100 draws of eight schools; then in the same process other numbers of chains, draws, and other data
posterior NAME    10 draws of one of examples/posteriors.py, 4 chains
import MODULE     seconds of importing it
"""

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from serving import answer


def seconds(work: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def jit_readme() -> dict[str, float]:
    begun = time.perf_counter()
    from codegen import jit

    import_compilers()
    first = seconds(lambda: jit(collatz)(27))
    return {"first": first, "whole": time.perf_counter() - begun}


def import_compilers() -> None:
    """What the first function that is compiled for Numba brings along."""
    import libcst  # noqa: F401
    import numba  # noqa: F401


def grad_readme() -> dict[str, float]:
    begun = time.perf_counter()
    import numpy as np

    from autodiff import grad

    import_compilers()

    def logp(beta, X, y):
        logits = X @ beta
        return np.sum(y * logits - np.logaddexp(0.0, logits)) - 0.5 * np.sum(beta**2)

    X, y = np.array([[1.0, 0.5], [1.0, -1.0], [1.0, 2.0]]), np.array([1.0, 0.0, 1.0])
    first = seconds(lambda: grad(logp)(np.array([0.1, 0.2]), X, y))
    return {"first": first, "whole": time.perf_counter() - begun}


def softmax_first(*, gradient: bool) -> dict[str, float]:
    import numpy as np

    from autodiff import grad
    from codegen import jit

    import_compilers()

    def softmax(x):
        largest = np.max(x, axis=-1, keepdims=True)
        powers = np.exp(x - largest)
        total = np.sum(powers, axis=-1, keepdims=True)
        return powers / total

    def weighed(x):
        return np.sum(softmax(x) ** 2)

    x = np.random.default_rng(0).random((16, 16, 64, 64), np.float32)
    if gradient:
        return {"first": seconds(lambda: grad(weighed)(x))}
    compiled = jit(softmax)
    first = seconds(lambda: compiled(x))
    pairs = [(seconds(lambda: compiled(x)), seconds(lambda: softmax(x))) for _ in range(15)]
    return {
        "first": first,
        "ratio": median(ours for ours, _ in pairs) / median(numpys for _, numpys in pairs),
    }


def call(text: str) -> dict[str, float]:
    from codegen import jit
    from library_calls import argument, calls, function, processor_seconds

    import_compilers()
    name = calls()[text]
    f = function(name, text)
    return {"first": processor_seconds(lambda x: jit(f)(x), argument(name))}


def schools(chains: int) -> dict[str, float]:
    import arviz  # noqa: F401

    import models
    import works
    from autobatch.mcmc import positive, real, sample

    def run(chains: int, draws: int, warmup: int, seed: int, shift: float = 0.0) -> None:
        sample(
            models.eight_schools,
            {"mu": real(), "tau": positive(), "theta_trans": real(8)},
            data={"y": works.SCHOOLS_Y + shift, "sigma": works.SCHOOLS_SIGMA},
            chains=chains, draws=draws, warmup=warmup, seed=seed, progress=False,
        )  # fmt: skip

    first = seconds(lambda: run(chains, 100, 100, 0))
    others = [
        (4, 100, 100, 1, 0.0),
        (chains, 700, 1500, 2, 0.0),
        (chains // 2, 100, 100, 3, 0.0),
        (chains, 50, 50, 4, 1.0),
    ]
    return {"first": first, "second": max(seconds(lambda each=each: run(*each)) for each in others)}


def posterior(name: str) -> dict[str, float]:
    import arviz  # noqa: F401

    from autobatch import mcmc
    from posteriors import load

    found = load(name)
    params = {key: getattr(mcmc, c.kind)(*c.bounds, *c.shape) for key, c in found.params.items()}

    def run() -> None:
        mcmc.sample(
            found.logp, params, data=found.data, init=found.init, chains=4, draws=10, warmup=10, seed=0,
            progress=False,
        )  # fmt: skip

    return {"first": seconds(run)}


def main(work: str, *given: str) -> None:
    match work, given:
        case "jit", []:
            answer(jit_readme())
        case "grad", []:
            answer(grad_readme())
        case (("softmax" | "softmax_grad"), []):
            answer(softmax_first(gradient=work == "softmax_grad"))
        case "call", [text]:
            answer(call(text))
        case "schools", [chains]:
            answer(schools(int(chains)))
        case "posterior", [name]:
            answer(posterior(name))
        case "import", [module]:
            answer({"first": seconds(lambda: importlib.import_module(module))})
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
