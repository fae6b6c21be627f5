"""What first calls cost, in seconds: each in a new process, most with nothing compiled, then what is found compiled.

--quick leaves out the posteriors and measures once.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import measuring as m

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
NUTS, BATCH = "eight_schools", "mandelbrot"
IMPORTS = ("autobatch", "codegen")


def answered(command: list[str], **variables: str) -> dict[str, float]:
    """What one new process says; Python's own files of bytecode are there, as they are after installing."""
    environment = {**os.environ, **variables}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def caches(home: str) -> dict[str, str]:
    """What makes all caches lie under `home`."""
    return {
        "HOME": home,
        "XDG_CACHE_HOME": f"{home}/cache",
        "NUMBA_CACHE_DIR": f"{home}/numba",
        "AUTOBATCH_CACHE_DIR": f"{home}/autobatch",
    }


def cold(rounds: int, *work: object) -> dict[str, list[float]]:
    """A first call with empty caches, again and again."""
    told = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as home:
            told.append(answered(m.here("first_calls.py", *work), **caches(home)))
    return {kind: [each[kind] for each in told] for kind in told[0]}


def cached(work: str, rounds: int) -> dict[str, list[float]]:
    """With full ones."""
    command = m.ours("first_use", work)
    answered(command)
    told = [answered(command) for _ in range(rounds)]
    return {kind: [each[kind] for each in told] for kind in told[0]}


def nothing_cached(rounds: int) -> list[m.Figure]:
    """First calls of functions and of eight schools."""
    figures = []
    for work, floor in (("jit", 0.6), ("grad", 1.0)):
        found = cold(rounds, work)
        figures.append(m.show(m.bounded(f"{work} of the README's example", "s", found["first"], floor)))
        figures.append(m.show(m.bounded("the same, imports included", "s", found["whole"])))
    softmax = cold(rounds, "softmax")
    figures += [
        m.show(m.bounded("jit of softmax over (16, 16, 64, 64)", "s", softmax["first"], 0.7)),
        m.show(m.bounded("softmax then, times NumPy's seconds", "", softmax["ratio"], 0.7)),
        m.show(m.bounded("grad of softmax", "s", cold(rounds, "softmax_grad")["first"], 15.0)),
    ]
    for chains in (4, 64):
        found = cold(rounds, "schools", chains)
        figures.append(
            m.show(m.bounded(f"sample of eight schools, {chains} chains", "s", found["first"], 10.0))
        )
    figures.append(m.show(m.bounded("other chains, draws, data, in that process", "s", found["second"], 0.3)))
    return figures


def posteriors(rounds: int) -> list[m.Figure]:
    from posteriors import NAMES

    return [
        m.show(m.bounded(f"sample of {name}", "s", cold(rounds, "posterior", name)["first"], 15.0))
        for name in NAMES
    ]


def main() -> None:
    options = m.options(__doc__)
    rounds = 1 if options.quick else min(options.rounds, 3)
    cold(1, "import", "autobatch.mcmc")  # which leaves bytecode
    figures = [
        m.show(m.bounded(f"import {name}", "s", cold(rounds, "import", name)["first"], 0.6))
        for name in IMPORTS
    ]
    figures += nothing_cached(rounds)
    if not options.quick:
        figures += posteriors(rounds)
    nuts, small = cached(NUTS, rounds), cached(BATCH, rounds)
    figures += [
        m.show(m.bounded("NUTS in a second process, import included", "s", nuts["seconds"], 2.0)),
        m.show(m.bounded("the same after import, ArviZ's too", "s", nuts["after_import"], 1.0)),
        m.show(m.bounded("a batched function after import, cached", "s", small["after_import"], 1.0)),
    ]
    print(m.table(figures))


if __name__ == "__main__":
    main()
