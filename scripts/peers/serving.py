"""The measuring protocol: a contender is a process that measures once for every line it is sent.

    serve(run)      the contender prepares (imports, compiles, warms up), then says {"ready": true};
                    for each line on standard input it calls run() and prints one JSON line

`run` returns a dict with at least `count`, the useful work done; the time of the call is added as `seconds`,
unless run timed the work itself. A `fingerprint` (works.py) is compared with the other contenders'.
Contenders wait silently between their turns, so that several can be measured in alternation on one machine.
Importing this module turns standard output over to the answers: what a library prints goes to standard error.
Only the standard library is used here: this file runs in every contender's own environment.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

ANSWERS, sys.stdout = sys.stdout, sys.stderr


def serve(run: Callable[[], dict[str, Any]]) -> None:
    """Answer measurement requests until standard input ends."""
    answer({"ready": True})
    for _ in sys.stdin:
        start = time.perf_counter()
        result = run()
        answer({"seconds": time.perf_counter() - start, **result})


def answer(result: dict[str, Any]) -> None:
    """One line to whoever measures."""
    print(json.dumps(result), file=ANSWERS, flush=True)
