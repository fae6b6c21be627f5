"""This project's side of the GPU's figures, through its public interface alone; TARGET is cuda, or numba for a trial.

python gpu_ours.py TARGET lanes WORK SIZE                 a program of gpu_programs.py
python gpu_ours.py TARGET gradient WORK SIZE              its gradient, and beside it the program itself
python gpu_ours.py TARGET nuts recursive|iterative|iterative_f4 CHAINS DRAWS
python gpu_ours.py TARGET sample eight_schools|logistic_even CHAINS DRAWS WARMUP

Arguments lie on the GPU and results stay there; a second measurement of a program takes arguments of the host, copies
there and back included.
"""

import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import gpu_programs
import ours
from autobatch import batch
from autodiff import grad
from codegen import jit
from serving import serve


def there(target: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with their arrays on the GPU."""
    if target != "cuda":
        return arguments
    import cupy

    return tuple(cupy.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments)


def finished(target: str) -> Callable[[], None]:
    """Waits until the GPU is done."""
    if target != "cuda":
        return lambda: None
    import cupy

    return cupy.cuda.Device().synchronize


def host(result: Any) -> np.ndarray:
    """All numbers of a result."""
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(x.get() if hasattr(x, "get") else x) for x in parts])


def timed(target: str, count: int, f: Callable[..., Any], arguments: tuple[Any, ...]) -> dict[str, Any]:
    """A measurement of calls."""
    wait = finished(target)
    kept: list[Any] = []

    def call() -> None:
        kept[:] = [f(*arguments)]
        wait()

    return {**gpu_programs.measured(count, call), "fingerprint": gpu_programs.marks(host(kept[0]))}


def made(target: str, work: gpu_programs.Work, *, gradient: bool = False) -> Callable[..., Any]:
    if work.axes is None:
        return (
            grad(work.function, work.argnums, target=target)
            if gradient
            else jit(work.function, target=target)
        )
    return batch(grad(work.function, work.argnums) if gradient else work.function, work.axes, target=target)


def program(target: str, name: str, size: int) -> Callable[[], dict[str, Any]]:
    work = gpu_programs.work(name, size)
    f, given = made(target, work), there(target, work.arguments)

    def run() -> dict[str, Any]:
        main = timed(target, work.count, f, given)
        copied = timed(target, work.count, f, work.arguments)
        bounds = {"operations": work.operations / work.count, "bytes": work.bytes / work.count}
        return {**main, **bounds, "also": {"copies included": copied}}

    run()
    return run


def gradient(target: str, name: str, size: int) -> Callable[[], dict[str, Any]]:
    """Beside it the primal; the operations that bound it are the primal's."""
    work = gpu_programs.work(name, size)
    given = there(target, work.arguments)
    f, primal = made(target, work, gradient=True), made(target, work)

    def run() -> dict[str, Any]:
        main = timed(target, work.count, f, given)
        bounds = {"operations": work.operations / work.count, "bytes": work.bytes / work.count}
        return {**main, **bounds, "also": {"primal": timed(target, work.count, primal, given)}}

    run()
    return run


def main(target: str, what: str, name: str, *sizes: int) -> None:
    match what, sizes:
        case "lanes", [size]:
            serve(program(target, name, size))
        case "gradient", [size]:
            serve(gradient(target, name, size))
        case "nuts", [chains, draws]:
            source, _, dtype = name.partition("_")
            chain = importlib.import_module(f"{source}_nuts").chain
            serve(ours.plain_nuts(chain, chains, draws, target=target, dtype=dtype or "f8"))
        case "sample", [chains, draws, warmup]:
            rest: dict[str, Any] = {"target": target, "warmup": warmup}
            if name == "eight_schools":
                serve(ours.eight_schools(chains, draws, **rest))
            else:
                serve(ours.logistic(name, chains, draws, **rest))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))
