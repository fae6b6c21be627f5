"""Integrals, solutions and roots of a program's functions: over lanes, or in a loop over SciPy's calls.

python calculus.py ours|SciPy WORK COUNT
"""

import math
import sys
from typing import Any

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

from serving import serve

TIMES = np.linspace(0.5, 20.0, 21)


def kepler(x: float) -> float:
    """The eccentric anomaly at mean anomaly 6 x, eccentricity 0.9 x."""
    return brentq(lambda angle: angle - 0.9 * x * math.sin(angle) - 6.0 * x, 0.0, 7.0)


def normal(x: float) -> float:
    return quad(lambda t: math.exp(-(0.5 + x) * t * t), 0.0, 2.0)[0]


def rates(t: float, z: Any, growth: float) -> list[float]:
    hares, lynxes = z
    return [(growth - 0.02 * lynxes) * hares, (0.02 * hares - 0.8) * lynxes]


def hares_and_lynxes(x: float) -> float:
    made = solve_ivp(rates, (0.0, 20.0), (30.0, 4.0), t_eval=TIMES, args=(0.4 + 0.2 * x,), rtol=1e-6)
    return made.y[0, 20]


WORKS = {"brentq": kepler, "quad": normal, "solve_ivp": hares_and_lynxes}


def main(who: str, work: str, count: int) -> None:
    function = WORKS[work]
    xs = np.linspace(0.05, 0.95, count)
    shown = np.linspace(0.05, 0.95, 5)
    if who == "ours":
        from autobatch import batch

        lanes = batch(function)
        lanes(xs)

        def run() -> dict[str, Any]:
            lanes(xs)
            return {"count": count, "fingerprint": lanes(shown).tolist()}

    else:

        def run() -> dict[str, Any]:
            for x in xs:
                function(float(x))
            return {"count": count, "fingerprint": [function(float(x)) for x in shown]}

    serve(run)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
