"""The programs of small.py, their text as it stands, compiled by Numba.

python hand_small.py WORK STEPS
"""

import sys

from numba import njit

import small
from serving import serve
from works import measured

CALLS = 20
PLAIN = {"error_model": "numpy"}


def main(name: str, steps: int) -> None:
    function, arguments = small.work(name, steps)
    for called in ("growth", "times"):
        setattr(small, called, njit(**PLAIN)(getattr(small, called)))
    compiled = njit(**PLAIN)(function)
    compiled(*arguments)
    serve(lambda: measured(steps, lambda: compiled(*arguments), CALLS))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
