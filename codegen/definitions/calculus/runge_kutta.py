"""Explicit methods of Runge and Kutta with two orders, whose last stage is the first one of the next step.

P. Bogacki and L. F. Shampine, A 3(2) pair of Runge-Kutta formulas (1989); J. R. Dormand and P. J. Prince, A family of
embedded Runge-Kutta formulae (1980), between the steps L. F. Shampine, Some practical Runge-Kutta formulas (1986).
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import refused

# Of each stage after the first the weights of those before it; the last is where the step ends.
THREE = (
    (1 / 2, 0.0, 0.0),
    (0.0, 3 / 4, 0.0),
    (2 / 9, 1 / 3, 4 / 9),
)
THREE_LESS_TWO = (5 / 72, -1 / 12, -1 / 9, 1 / 8)
THREE_BETWEEN = (  # of each stage a polynomial of the place in the step: x, x**2, ...
    (1.0, -4 / 3, 5 / 9),
    (0.0, 1.0, -2 / 3),
    (0.0, 4 / 3, -8 / 9),
    (0.0, -1.0, 1.0),
)
FIVE = (
    (1 / 5, 0.0, 0.0, 0.0, 0.0, 0.0),
    (3 / 40, 9 / 40, 0.0, 0.0, 0.0, 0.0),
    (44 / 45, -56 / 15, 32 / 9, 0.0, 0.0, 0.0),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0.0, 0.0),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0.0),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
FIVE_LESS_FOUR = (-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40)
FIVE_BETWEEN = (
    (1.0, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
    (0.0, 0.0, 0.0, 0.0),
    (0.0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
    (0.0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
    (0.0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
    (0.0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
    (0.0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
)


def tableau_of(method):
    """The weights of stages, those of the error, and the order of the error."""
    if method == "RK45":
        return np.array(FIVE), np.array(FIVE_LESS_FOUR), 5.0
    if method == "RK23":
        return np.array(THREE), np.array(THREE_LESS_TWO), 3.0
    refused("of the methods there are 'RK45' and 'RK23'")


def stepped(fun, given, t, y, slope, h, weights):
    """The slopes of all stages, and y at the end of a step."""
    stages = len(weights)
    k = np.zeros((stages + 1, len(y)))
    k[0] = slope
    at = y
    for s in range(stages):
        at = y + weights[s] @ k[:stages] * h
        k[s + 1] = fun(t + np.sum(weights[s]) * h, at, *given)
    return k, at


def between(method, x):
    """The weights of the slopes at a place of a step, 0 at its beginning, 1 at its end."""
    rows = FIVE_BETWEEN if method == "RK45" else THREE_BETWEEN
    return np.array([polynomial(row, x) for row in rows])


def polynomial(row, x):
    """row[0] x + row[1] x**2 ..."""
    total = 0.0
    for weight in row[::-1]:
        total = (total + weight) * x
    return total
