"""The programs of control.py in a Numba loop over lanes, as a person writes it: compiled, lanes spread over threads.

python hand_control.py [one_core] WORK LANES [CALLS]

One lane is run without threads.
"""

import sys
from typing import Any

import numpy as np
from numba import njit, prange, set_num_threads

import control
from serving import serve
from works import measured

PLAIN = {"error_model": "numpy"}


def over_lanes(one: Any, arguments: int, kind: Any, parallel: bool) -> Any:
    """A compiled loop that runs `one`, itself compiled, for every lane; results are of dtype `kind`."""

    @njit(parallel=parallel, **PLAIN)
    def of_one(a):
        out = np.empty(len(a), kind)
        for i in prange(len(a)):
            out[i] = one(a[i])
        return out

    @njit(parallel=parallel, **PLAIN)
    def of_two(a, b):
        out = np.empty(len(a), kind)
        for i in prange(len(a)):
            out[i] = one(a[i], b[i])
        return out

    @njit(parallel=parallel, **PLAIN)
    def of_four(a, b, c, d):
        out = np.empty(len(a), kind)
        for i in prange(len(a)):
            out[i] = one(a[i], b[i], c[i], d[i])
        return out

    return {1: of_one, 2: of_two, 4: of_four}[arguments]


def compiled(function: Any) -> Any:
    """The function compiled; what it calls is compiled in its place."""
    control.hares_and_lynxes = njit(**PLAIN)(control.hares_and_lynxes)
    made = njit(**PLAIN)(function)
    setattr(control, function.__name__, made)  # recursion finds itself by this name
    return made


def main(name: str, lanes: int, calls: int = 1) -> None:
    function, arguments = control.work(name, lanes)
    kind = np.float64 if function in (control.runge_kutta, control.newton) else np.int64
    loop = over_lanes(compiled(function), len(arguments), kind, parallel=lanes > 1)

    def run() -> dict[str, Any]:
        return measured(len(arguments[0]), lambda: loop(*arguments), calls)

    run()
    serve(run)


if __name__ == "__main__":
    _, *given = sys.argv
    if given[0] == "one_core":
        del given[0]
        set_num_threads(1)
    main(given[0], *map(int, given[1:]))
