"""What the first use costs: seconds from `import` to the first draws of the demonstration's NUTS.

Once with empty caches (transform and compile everything), then in new processes that find the disk cache.
"""

import json
import os
import subprocess
import tempfile

import measuring as m


def seconds(home: str) -> float:
    """One new process whose caches all lie under `home`."""
    caches = {"HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "NUMBA_CACHE_DIR": f"{home}/numba"}
    done = subprocess.run(
        m.ours("first_use"), env={**os.environ, **caches}, stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout)["seconds"]


def main() -> None:
    options = m.options(__doc__)
    cold, warm = [], []
    for _ in range(1 if options.quick else min(options.rounds, 3)):
        with tempfile.TemporaryDirectory() as home:
            cold.append(seconds(home))
            warm.extend(seconds(home) for _ in range(2))
    figures = [
        m.show(m.bounded("first use of NUTS, nothing cached", "s", cold, 60.0)),
        m.show(m.bounded("first use of NUTS in a new process, cached", "s", warm, 5.0)),
    ]
    print(m.table(figures))


if __name__ == "__main__":
    main()
