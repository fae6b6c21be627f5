"""The limit of a sequence by P. Wynn's epsilon algorithm, with an estimate of its error."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.primitives.shape import without_slope

EPSILON, HUGE = 2.220446049250313e-16, 1.7976931348623157e308
MOST = 50  # elements of the table's lower diagonal


def extrapolated(count, table, last_three, tried):
    """How many elements the table keeps, the limit, and its error. table: the lower diagonal, of which the last of
    `count` elements is new (MOST + 2,); `last_three`: limits found before."""
    limit = table[count - 1]
    error = HUGE
    if count < 3:
        return count, limit, max(error, 5.0 * EPSILON * abs(without_slope(limit)))
    table[count + 1] = table[count - 1]
    table[count - 1] = HUGE
    news, here, kept = (count - 1) // 2, count - 1, count
    for k in range(news):
        last = table[here + 2]
        e0, e1, e2 = table[here - 2], table[here - 1], last
        step2, step3 = e2 - e1, e1 - e0
        far2, far3 = abs(without_slope(step2)), abs(without_slope(step3))
        near2 = max(abs(e2), abs(e1)) * EPSILON
        near3 = max(abs(e1), abs(e0)) * EPSILON
        if far2 <= near2 and far3 <= near3:  # it has converged
            return count, last, max(far2 + far3, 5.0 * EPSILON * abs(without_slope(last)))
        e3 = table[here]
        table[here] = e1
        step1 = e1 - e3
        if abs(step1) <= max(abs(e1), abs(e3)) * EPSILON or far2 <= near2 or far3 <= near3:
            kept = 2 * k + 1
            break
        sum_of_steps = 1.0 / step1 + 1.0 / step2 - 1.0 / step3
        if abs(sum_of_steps * e1) <= 1e-4:  # irregular
            kept = 2 * k + 1
            break
        made = e1 + 1.0 / sum_of_steps
        table[here] = made
        here -= 2
        far = far2 + abs(without_slope(made - e2)) + far3
        if far <= error:
            error, limit = far, made
    if kept == MOST:
        kept = 2 * (MOST // 2) - 1
    place = 1 if count % 2 == 0 else 0
    for _ in range(news + 1):
        table[place] = table[place + 2]
        place += 2
    if count != kept:
        for k in range(kept):
            table[k] = table[count - kept + k]
    if tried < 3:
        last_three[tried] = without_slope(limit)
        error = HUGE
    else:
        error = np.sum(np.abs(without_slope(limit) - last_three))
        last_three[0], last_three[1], last_three[2] = last_three[1], last_three[2], without_slope(limit)
    return kept, limit, max(error, 5.0 * EPSILON * abs(without_slope(limit)))
