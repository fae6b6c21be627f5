"""What the first use costs, in seconds: the first draws of the demonstration's NUTS, and a small batched function.

Once with empty caches (transform and compile everything), then in new processes that find the disk cache: from
`import` to the result, and from after `import`. --quick leaves out the first.
"""

import json
import os
import subprocess
import tempfile

import measuring as m

NUTS, BATCH = "eight_schools", "mandelbrot"


def first(work: str, **variables: str) -> dict[str, float]:
    """One new process."""
    command, environment = m.ours("first_use", work), {**os.environ, **variables}
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


def cold(rounds: int) -> list[float]:
    """With empty caches."""
    seconds = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as home:
            seconds.append(first(NUTS, **caches(home))["seconds"])
    return seconds


def cached(work: str, rounds: int) -> dict[str, list[float]]:
    """With full ones."""
    first(work)
    times = [first(work) for _ in range(rounds)]
    return {kind: [each[kind] for each in times] for kind in times[0]}


def main() -> None:
    options = m.options(__doc__)
    rounds = 1 if options.quick else min(options.rounds, 3)
    nuts, small = cached(NUTS, rounds), cached(BATCH, rounds)
    figures = [
        m.show(m.bounded("first use of NUTS in a new process, cached", "s", nuts["seconds"], 5.0)),
        m.show(m.bounded("the same after import, ArviZ's too", "s", nuts["after_import"], 1.0)),
        m.show(m.bounded("a batched function after import, cached", "s", small["after_import"], 1.0)),
    ]
    if not options.quick:
        figures.append(m.show(m.bounded("first use of NUTS, nothing cached", "s", cold(rounds), 60.0)))
    print(m.table(figures))


if __name__ == "__main__":
    main()
