"""T. G. Stockham's Fourier transform of lines, in stages, one for each factor of the length.

    work[0] -> work[1] -> work[0] ...      n numbers of each line, lines innermost, in order after the last stage

A stage of radix r makes sums of r numbers that are n / r apart, and turns them. It reads and writes rows of `span`
numbers, which are longer from stage to stage, so that all but the first stages are vectors.
"""

import numpy as np
from numba import njit


@njit(error_model="numpy")
def fourier_in_stages(work: np.ndarray, n: int, lines: int, turns: np.ndarray, radices: np.ndarray) -> int:
    """work[0] transformed, in the half of `work` that is returned; `turns`: n roots of unity."""
    here, left, span = 0, n, lines
    for radix in radices:
        left //= radix
        x_re, x_im, y_re, y_im = work[here, 0], work[here, 1], work[1 - here, 0], work[1 - here, 1]
        if radix == 4:
            fourier_stage_of_4(x_re, x_im, y_re, y_im, left, span, n, turns)
        elif radix == 2:
            fourier_stage_of_2(x_re, x_im, y_re, y_im, left, span, n, turns)
        elif radix == 3:
            fourier_stage_of_3(x_re, x_im, y_re, y_im, left, span, n, turns)
        elif radix == 5:
            fourier_stage_of_5(x_re, x_im, y_re, y_im, left, span, n, turns)
        else:
            fourier_stage_of_odd(x_re, x_im, y_re, y_im, radix, left, span, n, turns)
        span *= radix
        here = 1 - here
    return here


@njit(error_model="numpy", fastmath={"contract"})
def fourier_stage_of_2(
    x_re: np.ndarray,
    x_im: np.ndarray,
    y_re: np.ndarray,
    y_im: np.ndarray,
    left: int,
    span: int,
    n: int,
    turns: np.ndarray,
) -> None:
    apart, step = left * span, n // (2 * left)
    for p in range(left):
        c, s = turns[0, p * step], turns[1, p * step]
        a_re, a_im = x_re[p * span : p * span + span], x_im[p * span : p * span + span]
        b_re, b_im = x_re[apart + p * span :][:span], x_im[apart + p * span :][:span]
        at = 2 * p * span
        for q in range(span):
            re, im = a_re[q] - b_re[q], a_im[q] - b_im[q]
            y_re[at + q] = a_re[q] + b_re[q]
            y_im[at + q] = a_im[q] + b_im[q]
            y_re[at + span + q] = c * re - s * im
            y_im[at + span + q] = c * im + s * re


@njit(error_model="numpy", fastmath={"contract"})
def fourier_stage_of_3(
    x_re: np.ndarray,
    x_im: np.ndarray,
    y_re: np.ndarray,
    y_im: np.ndarray,
    left: int,
    span: int,
    n: int,
    turns: np.ndarray,
) -> None:
    apart, step = left * span, n // (3 * left)
    half, high = turns[0, n // 3], turns[1, n // 3]
    for p in range(left):
        c1, s1, c2, s2 = (
            turns[0, p * step],
            turns[1, p * step],
            turns[0, 2 * p * step],
            turns[1, 2 * p * step],
        )
        at, to = p * span, 3 * p * span
        for q in range(span):
            a_re, a_im = x_re[at + q], x_im[at + q]
            b_re, b_im = x_re[at + apart + q], x_im[at + apart + q]
            d_re, d_im = x_re[at + 2 * apart + q], x_im[at + 2 * apart + q]
            sum_re, sum_im = b_re + d_re, b_im + d_im
            turn_re, turn_im = high * (d_im - b_im), high * (b_re - d_re)
            mid_re, mid_im = a_re + half * sum_re, a_im + half * sum_im
            y_re[to + q], y_im[to + q] = a_re + sum_re, a_im + sum_im
            re, im = mid_re + turn_re, mid_im + turn_im
            y_re[to + span + q], y_im[to + span + q] = c1 * re - s1 * im, c1 * im + s1 * re
            re, im = mid_re - turn_re, mid_im - turn_im
            y_re[to + 2 * span + q], y_im[to + 2 * span + q] = c2 * re - s2 * im, c2 * im + s2 * re


@njit(error_model="numpy", fastmath={"contract"})
def fourier_stage_of_4(
    x_re: np.ndarray,
    x_im: np.ndarray,
    y_re: np.ndarray,
    y_im: np.ndarray,
    left: int,
    span: int,
    n: int,
    turns: np.ndarray,
) -> None:
    apart, step = left * span, n // (4 * left)
    quarter = turns[1, n // 4]
    for p in range(left):
        c1, s1, c2, s2 = (
            turns[0, p * step],
            turns[1, p * step],
            turns[0, 2 * p * step],
            turns[1, 2 * p * step],
        )
        c3, s3 = turns[0, 3 * p * step], turns[1, 3 * p * step]
        at, to = p * span, 4 * p * span
        for q in range(span):
            a_re, a_im = x_re[at + q], x_im[at + q]
            b_re, b_im = x_re[at + apart + q], x_im[at + apart + q]
            d_re, d_im = x_re[at + 2 * apart + q], x_im[at + 2 * apart + q]
            e_re, e_im = x_re[at + 3 * apart + q], x_im[at + 3 * apart + q]
            even_re, even_im, odd_re, odd_im = a_re + d_re, a_im + d_im, a_re - d_re, a_im - d_im
            sum_re, sum_im = b_re + e_re, b_im + e_im
            turn_re, turn_im = quarter * (b_im - e_im), quarter * (e_re - b_re)
            y_re[to + q], y_im[to + q] = even_re + sum_re, even_im + sum_im
            re, im = odd_re - turn_re, odd_im - turn_im
            y_re[to + span + q], y_im[to + span + q] = c1 * re - s1 * im, c1 * im + s1 * re
            re, im = even_re - sum_re, even_im - sum_im
            y_re[to + 2 * span + q], y_im[to + 2 * span + q] = c2 * re - s2 * im, c2 * im + s2 * re
            re, im = odd_re + turn_re, odd_im + turn_im
            y_re[to + 3 * span + q], y_im[to + 3 * span + q] = c3 * re - s3 * im, c3 * im + s3 * re


@njit(error_model="numpy", fastmath={"contract"})
def fourier_stage_of_5(
    x_re: np.ndarray,
    x_im: np.ndarray,
    y_re: np.ndarray,
    y_im: np.ndarray,
    left: int,
    span: int,
    n: int,
    turns: np.ndarray,
) -> None:
    apart, step = left * span, n // (5 * left)
    u1, v1, u2, v2 = turns[0, n // 5], turns[1, n // 5], turns[0, 2 * (n // 5)], turns[1, 2 * (n // 5)]
    for p in range(left):
        c1, s1, c2, s2 = (
            turns[0, p * step],
            turns[1, p * step],
            turns[0, 2 * p * step],
            turns[1, 2 * p * step],
        )
        c3, s3 = turns[0, 3 * p * step], turns[1, 3 * p * step]
        c4, s4 = turns[0, 4 * p * step], turns[1, 4 * p * step]
        at, to = p * span, 5 * p * span
        for q in range(span):
            a_re, a_im = x_re[at + q], x_im[at + q]
            b_re, b_im = x_re[at + apart + q], x_im[at + apart + q]
            d_re, d_im = x_re[at + 2 * apart + q], x_im[at + 2 * apart + q]
            e_re, e_im = x_re[at + 3 * apart + q], x_im[at + 3 * apart + q]
            f_re, f_im = x_re[at + 4 * apart + q], x_im[at + 4 * apart + q]
            far_re, far_im, near_re, near_im = b_re + f_re, b_im + f_im, d_re + e_re, d_im + e_im
            y_re[to + q], y_im[to + q] = a_re + far_re + near_re, a_im + far_im + near_im
            mid_re, mid_im = a_re + u1 * far_re + u2 * near_re, a_im + u1 * far_im + u2 * near_im
            turn_re = v1 * (f_im - b_im) + v2 * (e_im - d_im)
            turn_im = v1 * (b_re - f_re) + v2 * (d_re - e_re)
            re, im = mid_re + turn_re, mid_im + turn_im
            y_re[to + span + q], y_im[to + span + q] = c1 * re - s1 * im, c1 * im + s1 * re
            re, im = mid_re - turn_re, mid_im - turn_im
            y_re[to + 4 * span + q], y_im[to + 4 * span + q] = c4 * re - s4 * im, c4 * im + s4 * re
            mid_re, mid_im = a_re + u2 * far_re + u1 * near_re, a_im + u2 * far_im + u1 * near_im
            turn_re = v2 * (f_im - b_im) + v1 * (d_im - e_im)
            turn_im = v2 * (b_re - f_re) + v1 * (e_re - d_re)
            re, im = mid_re + turn_re, mid_im + turn_im
            y_re[to + 2 * span + q], y_im[to + 2 * span + q] = c2 * re - s2 * im, c2 * im + s2 * re
            re, im = mid_re - turn_re, mid_im - turn_im
            y_re[to + 3 * span + q], y_im[to + 3 * span + q] = c3 * re - s3 * im, c3 * im + s3 * re


@njit(error_model="numpy", fastmath={"contract"})
def fourier_stage_of_odd(
    x_re: np.ndarray,
    x_im: np.ndarray,
    y_re: np.ndarray,
    y_im: np.ndarray,
    radix: int,
    left: int,
    span: int,
    n: int,
    turns: np.ndarray,
) -> None:
    """Of any odd radix: sums k and radix - k together, of the sums and differences of terms j and radix - j."""
    apart, step, half = left * span, n // (radix * left), radix // 2
    for p in range(left):
        at, to = p * span, radix * p * span
        for q in range(span):
            y_re[to + q], y_im[to + q] = x_re[at + q], x_im[at + q]
        for j in range(1, half + 1):
            one, other = at + j * apart, at + (radix - j) * apart
            for q in range(span):
                y_re[to + q] += x_re[one + q] + x_re[other + q]
                y_im[to + q] += x_im[one + q] + x_im[other + q]
        for k in range(1, half + 1):
            first, last = to + k * span, to + (radix - k) * span
            for q in range(span):
                y_re[first + q], y_im[first + q] = x_re[at + q], x_im[at + q]
                y_re[last + q] = y_im[last + q] = 0.0
            for j in range(1, half + 1):
                angle = j * k % radix * (n // radix)
                c, s = turns[0, angle], turns[1, angle]
                one, other = at + j * apart, at + (radix - j) * apart
                for q in range(span):
                    y_re[first + q] += c * (x_re[one + q] + x_re[other + q])
                    y_im[first + q] += c * (x_im[one + q] + x_im[other + q])
                    y_re[last + q] += s * (x_im[one + q] - x_im[other + q])
                    y_im[last + q] += s * (x_re[one + q] - x_re[other + q])
            c1, s1 = turns[0, k * p * step], turns[1, k * p * step]
            c2, s2 = turns[0, (radix - k) * p * step], turns[1, (radix - k) * p * step]
            for q in range(span):
                even_re, even_im, odd_re, odd_im = (
                    y_re[first + q],
                    y_im[first + q],
                    y_re[last + q],
                    y_im[last + q],
                )
                re, im = even_re - odd_re, even_im + odd_im
                y_re[first + q], y_im[first + q] = c1 * re - s1 * im, c1 * im + s1 * re
                re, im = even_re + odd_re, even_im - odd_im
                y_re[last + q], y_im[last + q] = c2 * re - s2 * im, c2 * im + s2 * re
