"""T. G. Stockham's Fourier transform of lines, in stages, one for each factor of the length.

    work[0] -> work[1] -> work[0] ...      n numbers of each line, lines innermost, in order after the last stage

A stage of radix r makes sums of r numbers that are n / r apart, and turns them:

    x (r, left, span) -> y (left, r, span)      r * left * span numbers; rows of `span` are vectors

Rows are longer from stage to stage. So a few lines are side by side, and a single one is taken apart (two_steps.py).
"""

# mypy: disable-error-code="call-arg"

import numpy as np
from numba import njit

from codegen.runtime.intrinsics.loop_hints import iterations_apart


@njit(error_model="numpy")
def fourier_in_stages(work: np.ndarray, n: int, lines: int, turns: np.ndarray, radices: np.ndarray) -> int:
    """work[0] transformed, in the half of `work` that is returned; `turns`: n roots of unity."""
    here, left, span, size = 0, n, lines, n * lines
    for radix in radices:
        left //= radix
        x_re = np.reshape(work[here, 0, :size], (radix, left, span))
        x_im = np.reshape(work[here, 1, :size], (radix, left, span))
        y_re = np.reshape(work[1 - here, 0, :size], (left, radix, span))
        y_im = np.reshape(work[1 - here, 1, :size], (left, radix, span))
        if radix == 4:
            fourier_stage_of_4(x_re, x_im, y_re, y_im, turns)
        elif radix == 2:
            fourier_stage_of_2(x_re, x_im, y_re, y_im, turns)
        elif radix == 3:
            fourier_stage_of_3(x_re, x_im, y_re, y_im, turns)
        elif radix == 5:
            fourier_stage_of_5(x_re, x_im, y_re, y_im, turns)
        else:
            fourier_stage_of_odd(x_re, x_im, y_re, y_im, turns)
        span *= radix
        here = 1 - here
    return here


@njit(error_model="numpy", fastmath={"contract"})
def fourier_stage_of_2(
    x_re: np.ndarray, x_im: np.ndarray, y_re: np.ndarray, y_im: np.ndarray, turns: np.ndarray
) -> None:
    iterations_apart()
    left, span, n = x_re.shape[1], x_re.shape[2], turns.shape[1]
    step = n // (2 * left)
    for p in range(left):
        c1, s1 = turns[0, p * step], turns[1, p * step]
        a0_re, a0_im, b0_re, b0_im = x_re[0, p], x_im[0, p], y_re[p, 0], y_im[p, 0]
        a1_re, a1_im, b1_re, b1_im = x_re[1, p], x_im[1, p], y_re[p, 1], y_im[p, 1]
        for q in range(span):
            re, im = a0_re[q] - a1_re[q], a0_im[q] - a1_im[q]
            b0_re[q], b0_im[q] = a0_re[q] + a1_re[q], a0_im[q] + a1_im[q]
            b1_re[q], b1_im[q] = c1 * re - s1 * im, c1 * im + s1 * re


@njit(error_model="numpy", fastmath={"contract"})
def fourier_stage_of_3(
    x_re: np.ndarray, x_im: np.ndarray, y_re: np.ndarray, y_im: np.ndarray, turns: np.ndarray
) -> None:
    iterations_apart()
    left, span, n = x_re.shape[1], x_re.shape[2], turns.shape[1]
    step = n // (3 * left)
    half, high = turns[0, n // 3], turns[1, n // 3]
    for p in range(left):
        c1, s1 = turns[0, p * step], turns[1, p * step]
        c2, s2 = turns[0, 2 * p * step], turns[1, 2 * p * step]
        a0_re, a0_im, b0_re, b0_im = x_re[0, p], x_im[0, p], y_re[p, 0], y_im[p, 0]
        a1_re, a1_im, b1_re, b1_im = x_re[1, p], x_im[1, p], y_re[p, 1], y_im[p, 1]
        a2_re, a2_im, b2_re, b2_im = x_re[2, p], x_im[2, p], y_re[p, 2], y_im[p, 2]
        for q in range(span):
            sum_re, sum_im = a1_re[q] + a2_re[q], a1_im[q] + a2_im[q]
            turn_re, turn_im = high * (a2_im[q] - a1_im[q]), high * (a1_re[q] - a2_re[q])
            mid_re, mid_im = a0_re[q] + half * sum_re, a0_im[q] + half * sum_im
            b0_re[q], b0_im[q] = a0_re[q] + sum_re, a0_im[q] + sum_im
            re, im = mid_re + turn_re, mid_im + turn_im
            b1_re[q], b1_im[q] = c1 * re - s1 * im, c1 * im + s1 * re
            re, im = mid_re - turn_re, mid_im - turn_im
            b2_re[q], b2_im[q] = c2 * re - s2 * im, c2 * im + s2 * re


@njit(error_model="numpy", fastmath={"contract"})
def fourier_stage_of_4(
    x_re: np.ndarray, x_im: np.ndarray, y_re: np.ndarray, y_im: np.ndarray, turns: np.ndarray
) -> None:
    iterations_apart()
    left, span, n = x_re.shape[1], x_re.shape[2], turns.shape[1]
    step = n // (4 * left)
    quarter = turns[1, n // 4]
    for p in range(left):
        c1, s1 = turns[0, p * step], turns[1, p * step]
        c2, s2 = turns[0, 2 * p * step], turns[1, 2 * p * step]
        c3, s3 = turns[0, 3 * p * step], turns[1, 3 * p * step]
        a0_re, a0_im, b0_re, b0_im = x_re[0, p], x_im[0, p], y_re[p, 0], y_im[p, 0]
        a1_re, a1_im, b1_re, b1_im = x_re[1, p], x_im[1, p], y_re[p, 1], y_im[p, 1]
        a2_re, a2_im, b2_re, b2_im = x_re[2, p], x_im[2, p], y_re[p, 2], y_im[p, 2]
        a3_re, a3_im, b3_re, b3_im = x_re[3, p], x_im[3, p], y_re[p, 3], y_im[p, 3]
        for q in range(span):
            even_re, even_im = a0_re[q] + a2_re[q], a0_im[q] + a2_im[q]
            odd_re, odd_im = a0_re[q] - a2_re[q], a0_im[q] - a2_im[q]
            sum_re, sum_im = a1_re[q] + a3_re[q], a1_im[q] + a3_im[q]
            turn_re, turn_im = quarter * (a1_im[q] - a3_im[q]), quarter * (a3_re[q] - a1_re[q])
            b0_re[q], b0_im[q] = even_re + sum_re, even_im + sum_im
            re, im = odd_re - turn_re, odd_im - turn_im
            b1_re[q], b1_im[q] = c1 * re - s1 * im, c1 * im + s1 * re
            re, im = even_re - sum_re, even_im - sum_im
            b2_re[q], b2_im[q] = c2 * re - s2 * im, c2 * im + s2 * re
            re, im = odd_re + turn_re, odd_im + turn_im
            b3_re[q], b3_im[q] = c3 * re - s3 * im, c3 * im + s3 * re


@njit(error_model="numpy", fastmath={"contract"})
def fourier_stage_of_5(
    x_re: np.ndarray, x_im: np.ndarray, y_re: np.ndarray, y_im: np.ndarray, turns: np.ndarray
) -> None:
    iterations_apart()
    left, span, n = x_re.shape[1], x_re.shape[2], turns.shape[1]
    step = n // (5 * left)
    u1, v1, u2, v2 = turns[0, n // 5], turns[1, n // 5], turns[0, 2 * (n // 5)], turns[1, 2 * (n // 5)]
    for p in range(left):
        c1, s1 = turns[0, p * step], turns[1, p * step]
        c2, s2 = turns[0, 2 * p * step], turns[1, 2 * p * step]
        c3, s3 = turns[0, 3 * p * step], turns[1, 3 * p * step]
        c4, s4 = turns[0, 4 * p * step], turns[1, 4 * p * step]
        a0_re, a0_im, b0_re, b0_im = x_re[0, p], x_im[0, p], y_re[p, 0], y_im[p, 0]
        a1_re, a1_im, b1_re, b1_im = x_re[1, p], x_im[1, p], y_re[p, 1], y_im[p, 1]
        a2_re, a2_im, b2_re, b2_im = x_re[2, p], x_im[2, p], y_re[p, 2], y_im[p, 2]
        a3_re, a3_im, b3_re, b3_im = x_re[3, p], x_im[3, p], y_re[p, 3], y_im[p, 3]
        a4_re, a4_im, b4_re, b4_im = x_re[4, p], x_im[4, p], y_re[p, 4], y_im[p, 4]
        for q in range(span):
            far_re, far_im = a1_re[q] + a4_re[q], a1_im[q] + a4_im[q]
            near_re, near_im = a2_re[q] + a3_re[q], a2_im[q] + a3_im[q]
            b0_re[q], b0_im[q] = a0_re[q] + far_re + near_re, a0_im[q] + far_im + near_im
            mid_re, mid_im = a0_re[q] + u1 * far_re + u2 * near_re, a0_im[q] + u1 * far_im + u2 * near_im
            turn_re = v1 * (a4_im[q] - a1_im[q]) + v2 * (a3_im[q] - a2_im[q])
            turn_im = v1 * (a1_re[q] - a4_re[q]) + v2 * (a2_re[q] - a3_re[q])
            re, im = mid_re + turn_re, mid_im + turn_im
            b1_re[q], b1_im[q] = c1 * re - s1 * im, c1 * im + s1 * re
            re, im = mid_re - turn_re, mid_im - turn_im
            b4_re[q], b4_im[q] = c4 * re - s4 * im, c4 * im + s4 * re
            mid_re, mid_im = a0_re[q] + u2 * far_re + u1 * near_re, a0_im[q] + u2 * far_im + u1 * near_im
            turn_re = v2 * (a4_im[q] - a1_im[q]) + v1 * (a2_im[q] - a3_im[q])
            turn_im = v2 * (a1_re[q] - a4_re[q]) + v1 * (a3_re[q] - a2_re[q])
            re, im = mid_re + turn_re, mid_im + turn_im
            b2_re[q], b2_im[q] = c2 * re - s2 * im, c2 * im + s2 * re
            re, im = mid_re - turn_re, mid_im - turn_im
            b3_re[q], b3_im[q] = c3 * re - s3 * im, c3 * im + s3 * re


@njit(error_model="numpy", fastmath={"contract"})
def fourier_stage_of_odd(
    x_re: np.ndarray, x_im: np.ndarray, y_re: np.ndarray, y_im: np.ndarray, turns: np.ndarray
) -> None:
    """Of any odd radix: sums k and radix - k together, of the sums and differences of terms j and radix - j."""
    iterations_apart()
    radix, left, span = x_re.shape
    n = turns.shape[1]
    step, half = n // (radix * left), radix // 2
    for p in range(left):
        a_re, a_im, b_re, b_im = x_re[0, p], x_im[0, p], y_re[p, 0], y_im[p, 0]
        for q in range(span):
            b_re[q], b_im[q] = a_re[q], a_im[q]
        for j in range(1, half + 1):
            d_re, d_im, e_re, e_im = x_re[j, p], x_im[j, p], x_re[radix - j, p], x_im[radix - j, p]
            for q in range(span):
                b_re[q] += d_re[q] + e_re[q]
                b_im[q] += d_im[q] + e_im[q]
        for k in range(1, half + 1):
            f_re, f_im, g_re, g_im = y_re[p, k], y_im[p, k], y_re[p, radix - k], y_im[p, radix - k]
            for q in range(span):
                f_re[q], f_im[q] = a_re[q], a_im[q]
                g_re[q] = g_im[q] = 0.0
            for j in range(1, half + 1):
                angle = j * k % radix * (n // radix)
                c, s = turns[0, angle], turns[1, angle]
                d_re, d_im, e_re, e_im = x_re[j, p], x_im[j, p], x_re[radix - j, p], x_im[radix - j, p]
                for q in range(span):
                    f_re[q] += c * (d_re[q] + e_re[q])
                    f_im[q] += c * (d_im[q] + e_im[q])
                    g_re[q] += s * (d_im[q] - e_im[q])
                    g_im[q] += s * (d_re[q] - e_re[q])
            c1, s1 = turns[0, k * p * step], turns[1, k * p * step]
            c2, s2 = turns[0, (radix - k) * p * step], turns[1, (radix - k) * p * step]
            for q in range(span):
                re, im, odd_re, odd_im = f_re[q], f_im[q], g_re[q], g_im[q]
                one_re, one_im, other_re, other_im = re - odd_re, im + odd_im, re + odd_re, im - odd_im
                f_re[q], f_im[q] = c1 * one_re - s1 * one_im, c1 * one_im + s1 * one_re
                g_re[q], g_im[q] = c2 * other_re - s2 * other_im, c2 * other_im + s2 * other_re
