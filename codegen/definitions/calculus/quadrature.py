"""Integrals of functions, by the sums of Gauss and Kronrod, halved where they are worst, and extrapolated.

R. Piessens, E. de Doncker-Kapenga, C. W. Ueberhuber and D. K. Kahaner, QUADPACK (1983): the algorithms QAGS and QAGI,
which are SciPy's. An integral is found in steps, each of which halves a piece of the interval, and derivatives go
through those steps once more: pieces, where they begin and how long they are, as shares of the interval (2 limit, 2);
which of them each step halves; after which steps a limit of the sums is looked for.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.calculus.epsilon import EPSILON, HUGE, MOST, extrapolated
from codegen.definitions.table import refused, stands_for
from codegen.primitives.shape import with_slope, without_slope

TINY = 2.2250738585072014e-308
# Places in (0, 1), Kronrod's weights and Gauss's; the first place is the middle.
TWENTY_ONE = (
    (0.0, 0.149445554002916906, 0.0),
    (0.148874338981631211, 0.147739104901338491, 0.295524224714752870),
    (0.294392862701460198, 0.142775938577060081, 0.0),
    (0.433395394129247191, 0.134709217311473326, 0.269266719309996355),
    (0.562757134668604683, 0.123491976262065851, 0.0),
    (0.679409568299024406, 0.109387158802297642, 0.219086362515982044),
    (0.780817726586416897, 0.0931254545836976055, 0.0),
    (0.865063366688984511, 0.0750396748109199528, 0.149451349150580593),
    (0.930157491355708226, 0.0547558965743519960, 0.0),
    (0.973906528517171720, 0.0325581623079647275, 0.0666713443086881376),
    (0.995657163025808081, 0.0116946388673718743, 0.0),
)
FIFTEEN = (
    (0.0, 0.209482141084727828, 0.417959183673469388),
    (0.207784955007898468, 0.204432940075298892, 0.0),
    (0.405845151377397167, 0.190350578064785410, 0.381830050505118945),
    (0.586087235467691130, 0.169004726639267903, 0.0),
    (0.741531185599394440, 0.140653259715525919, 0.279705391489276668),
    (0.864864423359769073, 0.104790010322250184, 0.0),
    (0.949107912342758525, 0.0630920926299785533, 0.129484966168869693),
    (0.991455371120812639, 0.0229353220105292250, 0.0),
)


@stands_for("scipy.integrate.quad")
def quad(
    func,
    a,
    b,
    args=(),
    full_output=0,
    epsabs=1.49e-8,
    epsrel=1.49e-8,
    limit=50,
    points=None,
    weight=None,
    complex_func=False,
):
    """The integral and an estimate of its error, as SciPy has them; no warning where that is larger than was asked."""
    if full_output or points is not None or weight is not None or complex_func:
        refused("full_output, points, weight and complex_func are not supported")
    if limit < 1 or epsabs <= 0 and epsrel < 50.0 * EPSILON:
        raise ValueError("The input is invalid: limit is below 1, or epsabs and epsrel are too small.")
    given = args if isinstance(args, tuple) else (args,)
    low, high = min(a, b) + 0.0, max(a, b) + 0.0
    sign = -1.0 if b < a else 1.0
    if low == high:
        return 0.0, 0.0
    is_long, both = low == -np.inf or high == np.inf, low == -np.inf and high == np.inf
    edge = (0.0 if both else high if low == -np.inf else low) if is_long else 0.0
    way = -1.0 if low == -np.inf and not both else 1.0

    def integrand(t):
        if not is_long:
            return func(t, *given)
        x = edge + way * (1.0 - t) / t  # from the edge on, t in (0, 1]
        value = func(x, *given)
        if both:
            value = value + func(-x, *given)
        return value / t / t

    rule = padded(FIFTEEN) if is_long else padded(TWENTY_ONE)
    count = len(FIFTEEN) if is_long else len(TWENTY_ONE)
    start, end = 0.0 if is_long else low, 1.0 if is_long else high
    pieces = np.zeros((2 * limit, 2)), np.zeros(limit, np.int64), np.zeros(limit, np.bool_)
    made, error, last = integral(integrand, rule, count, start, end, pieces, epsabs, epsrel, limit)
    again = replayed(integrand, rule, count, start, end, pieces, last)
    return float(sign * with_slope(made, again)), float(error)


def padded(table):
    """As long as the longest."""
    return np.array(table + ((0.0, 0.0, 0.0),) * (len(TWENTY_ONE) - len(table)))


def integral(f, rule, count, low, high, pieces, epsabs, epsrel, limit):
    """The integral, its error, and the step whose limit it is: minus the last one where it is the sum after that."""
    pieces[0][0, 1] = 1.0
    area, error, size, spread = sums_over(f, rule, count, low, high)
    is_vain = error <= 100.0 * EPSILON * size or error == 0.0
    if is_vain or limit == 1 or error <= max(epsabs, epsrel * abs(area)) and error != spread:
        return area, error, 0
    return in_steps(f, rule, count, low, high, pieces, area, error, epsabs, epsrel, limit)


def in_steps(f, rule, count, low, high, pieces, area, all_errors, epsabs, epsrel, limit):
    """The same, where the sum over the whole interval will not do: `area`, with `all_errors`."""
    spans, parents, marks = pieces
    sums, errors, order = np.zeros(2 * limit), np.zeros(2 * limit), np.zeros(limit, np.int64)
    sums[0], errors[0] = area, all_errors
    table, last_three, found, tried = np.zeros(MOST + 2), np.zeros(3), 2, 0
    table[0] = area
    made, error, chosen, off = area, HUGE, 0, 0.0
    rank, short, far_errors, wanted = 0, 0.375, all_errors, 0.0  # the piece to halve, by the order of errors
    ranked = barred = failed = is_rough = False  # `ranked`: long pieces come first; `barred`: no more limits
    rough, rough_ranked, grew, idle, step = 0, 0, 0, 0, 0
    while not failed:
        step += 1
        parent = order[rank]
        before, parents[step] = errors[parent], parent
        both, both_errors, is_smooth = halved(f, rule, count, low, high, spans, sums, errors, parent, step)
        area, all_errors = area + both - sums[parent], all_errors + both_errors - before
        if is_smooth and abs(sums[parent] - both) <= 1e-5 * abs(both) and both_errors >= 0.99 * before:
            rough, rough_ranked = rough + (not ranked), rough_ranked + ranked
        grew += is_smooth and step > 9 and both_errors > before
        bound, is_rough = max(epsabs, epsrel * abs(area)), is_rough or rough_ranked >= 5
        rank = put_in_order(order, errors, rank, step)
        if all_errors <= bound:
            return sum_of(sums, order, step), all_errors, -step
        failed = (
            rough + rough_ranked >= 10
            or grew >= 20
            or step == limit - 1
            or is_point(low, high, spans[parent])
        )
        if step == 1:
            far_errors, wanted, table[1] = all_errors, bound, area
        if failed or barred or step == 1:
            continue
        far_errors += (both_errors if 0.5 * spans[parent, 1] > short else 0.0) - before
        if not ranked:
            if spans[order[rank], 1] > short:
                continue
            ranked, rank = True, 1
        if not is_rough and far_errors > wanted:
            rank, is_long = first_long(order, spans, rank, step, short, limit)
            if is_long:
                continue
        table[found], marks[step] = area, True
        found, limiting, limit_error = extrapolated(found + 1, table, last_three, tried)
        tried, idle, barred = tried + 1, idle + 1, found == 1
        failed = idle > 5 and error < 1e-3 * all_errors
        if limit_error < error:
            made, error, chosen, off, idle = limiting, limit_error, step, far_errors, 0
            wanted = max(epsabs, epsrel * abs(limiting))
            if error <= wanted:
                break
        rank, ranked, short, far_errors = 0, False, 0.5 * short, all_errors
    return better(
        made, error, chosen, off, failed, is_rough, area, sum_of(sums, order, step), all_errors, step
    )


def better(made, error, chosen, off, failed, is_rough, area, plain, all_errors, step):
    """The limit or, where that is not found or less sure, the sum."""
    if failed or is_rough:
        error += off if is_rough else 0.0
        if made != 0.0 and area != 0.0:
            is_worse = error / abs(made) > all_errors / abs(area)
        else:
            is_worse = error > all_errors
    else:
        is_worse = False
    if error >= HUGE or is_worse:
        return plain, all_errors, -step
    return made, error, chosen


def replayed(f, rule, count, low, high, pieces, last):
    """The integral by the same steps."""
    spans, parents, marks = pieces
    steps = abs(last)
    sums = np.zeros(2 * steps + 1)
    for piece in range(2 * steps + 1):
        start = low + spans[piece, 0] * (high - low)
        sums[piece] = kronrod(f, rule, count, start, start + spans[piece, 1] * (high - low))
    area = limit = sums[0]
    table, last_three, found, tried = np.zeros(MOST + 2), np.zeros(3), 2, 0
    table[0] = area
    for step in range(1, steps + 1):
        area = area + sums[2 * step - 1] + sums[2 * step] - sums[parents[step]]
        if step == 1:
            table[1] = area
        elif marks[step] and last > 0:
            table[found] = area
            found, limit, _ = extrapolated(found + 1, table, last_three, tried)
            tried += 1
    return limit if last > 0 else area


def halved(f, rule, count, low, high, spans, sums, errors, parent, step):
    """A piece in two, numbers 2 step - 1 and 2 step: the sum of both, of their errors, and whether these say much."""
    both, both_errors, is_smooth = 0.0, 0.0, True
    for side in range(2):
        piece, share = 2 * step - 1 + side, 0.5 * spans[parent, 1]
        spans[piece, 0], spans[piece, 1] = spans[parent, 0] + side * share, share
        start = low + spans[piece, 0] * (high - low)
        made, error, _, spread = sums_over(f, rule, count, start, start + share * (high - low))
        sums[piece], errors[piece] = made, error
        both, both_errors, is_smooth = both + made, both_errors + error, is_smooth and spread != error
    return both, both_errors, is_smooth


def sums_over(f, rule, count, low, high):
    """Kronrod's sum over an interval, an estimate of its error, the integrals of the size and of the spread."""
    middle, half = without_slope(0.5 * (low + high)), without_slope(0.5 * (high - low))
    values = np.zeros(2 * len(rule))
    made, coarse, size, spread = 0.0, 0.0, 0.0, 0.0
    for k in range(1, 2 * count):  # the middle, and then places above and below it
        values[k] = without_slope(f(middle + (half if k % 2 == 0 else -half) * rule[k // 2, 0]))
        made += rule[k // 2, 1] * values[k]
        coarse += rule[k // 2, 2] * values[k]
        size += rule[k // 2, 1] * abs(values[k])
    for k in range(1, 2 * count):
        spread += rule[k // 2, 1] * abs(values[k] - 0.5 * made)
    size, spread, error = size * abs(half), spread * abs(half), abs((made - coarse) * half)
    if spread != 0.0 and error != 0.0:
        error = spread * min(1.0, (200.0 * error / spread) ** 1.5)
    if size > TINY / (50.0 * EPSILON):
        error = max(50.0 * EPSILON * size, error)
    return made * half, error, size, spread


def kronrod(f, rule, count, low, high):
    """The first of these sums."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    made = 0.0
    for k in range(1, 2 * count):
        made += rule[k // 2, 1] * f(middle + (half if k % 2 == 0 else -half) * rule[k // 2, 0])
    return made * half


def put_in_order(order, errors, rank, step):
    """The pieces by their errors, two new ones in the place of the one at `rank`; and the rank of the larger of both,
    as it is before what is larger now goes before it."""
    more = 2 * step if errors[2 * step] > errors[2 * step - 1] else 2 * step - 1
    order[rank], order[step] = more, 4 * step - 1 - more
    while rank > 0 and errors[more] > errors[order[rank - 1]]:
        rank -= 1
    for k in range(1, step + 1):
        place = k
        while place > 0 and errors[order[place - 1]] < errors[order[place]]:
            order[place - 1], order[place] = order[place], order[place - 1]
            place -= 1
    return rank


def first_long(order, spans, rank, step, short, limit):
    """The rank, from one on, of the first long piece, and whether there is one."""
    most = step + 1 if step + 1 <= 2 + limit // 2 else limit + 2 - step
    while rank < most:
        if spans[order[rank], 1] > short:
            return rank, True
        rank += 1
    return rank, False


def is_point(low, high, span):
    """Whether the middle of a piece cannot be told from its ends."""
    first = low + span[0] * (high - low)
    last = first + span[1] * (high - low)
    middle = 0.5 * (first + last)
    return max(abs(first), abs(last)) <= (1.0 + 100.0 * EPSILON) * (abs(middle) + 1000.0 * TINY)


def sum_of(sums, order, step):
    total = 0.0
    for k in range(step + 1):
        total += sums[order[k]]
    return total
