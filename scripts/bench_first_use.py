"""What the first use costs: seconds from `import` to the first draws of the demonstration's NUTS.

Once with empty caches (transform and compile everything), then in new processes that find the disk cache.
--quick measures the second alone.
"""

import json
import os
import subprocess
import tempfile

import measuring as m


def seconds(**variables: str) -> float:
    """One new process."""
    done = subprocess.run(
        m.ours("first_use"), env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)["seconds"]


def caches(home: str) -> dict[str, str]:
    """What makes all caches lie under `home`."""
    return {
        "HOME": home,
        "XDG_CACHE_HOME": f"{home}/cache",
        "NUMBA_CACHE_DIR": f"{home}/numba",
        "AUTOBATCH_CACHE_DIR": f"{home}/autobatch",
    }


def cold_and_warm(rounds: int) -> tuple[list[float], list[float]]:
    """Each round begins with empty caches, and goes on with two processes that find them full."""
    cold, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as home:
            cold.append(seconds(**caches(home)))
            warm.extend(seconds(**caches(home)) for _ in range(2))
    return cold, warm


def main() -> None:
    options = m.options(__doc__)
    if options.quick:
        seconds()
        cold, warm = [], [seconds()]
    else:
        cold, warm = cold_and_warm(min(options.rounds, 3))
    figures = [m.show(m.bounded("first use of NUTS in a new process, cached", "s", warm, 5.0))]
    if cold:
        figures.append(m.show(m.bounded("first use of NUTS, nothing cached", "s", cold, 60.0)))
    print(m.table(figures))


if __name__ == "__main__":
    main()
