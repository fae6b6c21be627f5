"""What the first program-counter autobatcher was tested on, and where its users ran into walls: one-lane programs."""

from collections import namedtuple
from typing import Any

import numpy as np
from corpus import branches, calls, nests
from corpus.arrays import event_shapes_side_by_side, sum_of_doubles

from autobatch.mcmc.kernels import nuts
from autobatch.mcmc.kernels.metric import Diagonal, diagonal_momentum, diagonal_velocity

Pair = namedtuple("Pair", ["left", "right"])


def one_name_for_a_nest(x):
    answer = x + 1, (x + 2, x + 3)
    _, (y, z) = answer
    return y, z


def named(pair):
    return Pair(pair.right + 1, pair)


def through_caller_and_callee(x):
    pair = Pair(x, x + 1)
    outer = named(pair)
    return outer, outer.right


def several(x):
    return x, x + 1, x + 2


def dummy_outputs(x):
    _, y, _ = several(x)
    return y


def counted_outside(n):
    return n + len("four") + scale


scale = 10
offset = 100


def shares_a_globals_name(x):
    scale = x * 2
    return scale + counted_outside(x)


def doubled(x, by=2, *, plus=0):
    return x * by + plus


def own_name_rebound(x):
    x = doubled(x)
    x = doubled(x, plus=1)
    return doubled(by=x, x=3)


def power(x, n, one=1):
    return one if n == 0 else x * power(x, n=n - 1)


def keywords_in_recursion(x, n):
    return power(x, n) + power(n=2, x=x, one=3)


def nested(x):
    def inner(y):
        return y + offset if y > 0 else outer_again(-y)

    outer_again = lambda z: inner(z + 1) if z < 3 else z * x
    return inner(x) + (lambda y, by=x: y * by)(2)


def applied(f, x, n):
    return x if n == 0 else applied(f, f(x), n - 1)


def functions_as_arguments(x, n):
    return applied(lambda y: y * 2 + x, x, n) + applied(doubled, x, n)


def thresholds(n):
    answer = 1
    if n > 4:
        answer = 3
        if n > 50:
            answer = 5
    if True:
        return answer
    return missing  # noqa: F821


PROGRAMS = [  # function, lanes, shared
    (branches.last_write_wins, (5, 10, 15), ()),
    (branches.two_or_zero, (0, 5, -15), ()),
    (branches.two_or_zero_expression, (0, 5, -15), ()),
    (nests.part_of_a_pattern_overwritten, (1, 2), ()),
    (one_name_for_a_nest, (3, 4, 5), ()),
    (calls.fibonacci, (5, 6, 8, 9), ()),
    (calls.fibonacci, (np.int32(0), np.int32(1), np.int32(3)), ()),
    (calls.fibonacci, (0.0, 1.0, 3.0, 9.0), ()),
    (calls.fibonacci, (np.float32(5), np.float32(8)), ()),
    (calls.fibonacci_other_order, (6, 7, 8, 7), ()),
    (calls.is_even, (5, 6, 8, 9, 0), ()),
    (calls.pea_nuts, ((3, 3, 0), (3, 3, 5)), ()),
    (calls.pea_nuts_of_changing_depth, ((3, 0), (1, 1), (5, 2), (2, 3)), ()),
    (calls.iota_sum, ((12, 0), (-13, 0), (100, 0)), ()),
    (calls.gcd, ((7, 9), (12, 9), (49, 56)), ()),
    (nests.unpacked_list, (6, 7, 8), ()),
    (through_caller_and_callee, (6, 7, 8), ()),
    (dummy_outputs, (6, 7, 8), ()),
    (nests.restructured_returns, (3, 4, 5), ()),
    (sum_of_doubles, (np.array([12, 13]), np.array([-13, 10]), np.array([14, 1])), ()),
    (event_shapes_side_by_side, ((np.ones(3), np.eye(3), 2.0), (np.arange(3.0), np.ones((3, 3)), -1.0)), ()),
    (
        branches.seven_arguments,
        ((1, 2.0, 3.0, 4.0, True, 6, 7.0), (2, 2.0, 5.0, 4.0, False, 6, 1.0)),
        (1, 3, 5),
    ),
    (thresholds, (1, 5, 60, 3, 7), ()),
    (counted_outside, (1, 2), ()),
    (shares_a_globals_name, (1, 2), ()),
    (own_name_rebound, (1, 2), ()),
    (keywords_in_recursion, ((2, 3), (3, 0), (-1, 5)), ()),
    (nested, (2, -1, -5), ()),
    (functions_as_arguments, ((2, 3), (3, 0), (-1, 5)), ()),
]


def lanes_of(given: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return [lane if type(lane) is tuple else (lane,) for lane in given]


def label(program: Any) -> str:
    function, lanes, _ = program
    return f"{function.__name__}-{type(lanes_of(lanes)[0][0]).__name__}"


# NUTS, 20 chains side by side: a correlated normal in ten dimensions

COVARIANCE = 0.5 ** np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
PRECISION = np.linalg.inv(COVARIANCE)


def correlated(q):
    g = -(PRECISION @ q)
    return 0.5 * np.dot(q, g), g


def flat(q):
    return 0.0, np.zeros(q.shape[0])


def chain(rng, q, draws, step_size, max_depth, logp_grad):
    state = nuts.init(q, logp_grad)
    total, metric = 0, Diagonal(np.ones(q.shape[0]))
    for _ in range(draws):
        state, info = nuts.step(
            rng, state, step_size, metric, diagonal_momentum, diagonal_velocity, logp_grad, max_depth
        )
        total += info.n_steps
    return state.position, total


def chain_of_correlated(rng, q, draws):
    return chain(rng, q, draws, 0.3, 10, correlated)


def steps_where_nothing_turns(rng, q, max_depth):
    return chain(rng, q, 1, 0.1, max_depth, flat)
