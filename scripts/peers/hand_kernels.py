"""The kernels of kernels.py by hand: a plain Numba loop over examples, spread over threads.

python hand_kernels.py WORK SIZE
"""

import math
import sys
from typing import Any

import numpy as np
from numba import njit, prange

import kernels
from kernels import ALONG_X, ALONG_Y, AMBIENT, STEP, UPWARDS
from serving import serve
from works import measured

# Sums may be taken in any order, so that LLVM can vectorise them; NaN and infinity keep their meaning.
FAST = {"error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc"}}


@njit(**FAST)
def log_of_sum(x):
    top = x[0]
    for value in x:
        top = max(top, value)
    total = 0.0
    for value in x:
        total += math.exp(value - top)
    return top + math.log(total)


@njit(parallel=True, **FAST)
def logsumexp(x):
    out = np.empty(len(x))
    for i in prange(len(x)):
        out[i] = log_of_sum(x[i])
    return out


@njit(parallel=True, **FAST)
def cross_entropy(logits, labels):
    out = np.empty(len(logits))
    for i in prange(len(logits)):
        out[i] = log_of_sum(logits[i]) - logits[i, labels[i]]
    return out


@njit(**FAST)
def normal_cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@njit(parallel=True, **FAST)
def black_scholes(spot, strike, years, rate, volatility):
    calls, puts = np.empty(len(spot)), np.empty(len(spot))
    for i in prange(len(spot)):
        deviation = volatility[i] * math.sqrt(years[i])
        growth = (rate[i] + 0.5 * volatility[i] ** 2) * years[i]
        d1 = (math.log(spot[i] / strike[i]) + growth) / deviation
        d2 = d1 - deviation
        discounted = strike[i] * math.exp(-rate[i] * years[i])
        calls[i] = spot[i] * normal_cdf(d1) - discounted * normal_cdf(d2)
        puts[i] = calls[i] - spot[i] + discounted
    return calls, puts


@njit(parallel=True, **FAST)
def mriq(x, y, z, kx, ky, kz, weight):
    re, im = np.empty(len(x)), np.empty(len(x))
    for i in prange(len(x)):
        cosines, sines = 0.0, 0.0
        for k in range(len(kx)):
            angle = 2.0 * math.pi * (kx[k] * x[i] + ky[k] * y[i] + kz[k] * z[i])
            cosines += weight[k] * math.cos(angle)
            sines += weight[k] * math.sin(angle)
        re[i], im[i] = cosines, sines
    return re, im


@njit(parallel=True, **FAST)
def kmeans_cost(points, centres):
    out = np.empty(len(points))
    for i in prange(len(points)):
        best = np.inf
        for k in range(len(centres)):
            distance = 0.0
            for d in range(points.shape[1]):
                distance += (centres[k, d] - points[i, d]) ** 2
            best = min(best, distance)
        out[i] = best
    return out


@njit(**FAST)
def cell(heat, power, up, i, down, left, j, right):
    t = heat[i, j]
    flow = ALONG_Y * (heat[up, j] + heat[down, j] - 2.0 * t) + ALONG_X * (
        heat[i, left] + heat[i, right] - 2.0 * t
    )
    return t + STEP * (power[i, j] + flow + UPWARDS * (AMBIENT - t))


@njit(**FAST)
def row(heat, power, new, i):
    n, m = heat.shape
    up, down = max(i - 1, 0), min(i + 1, n - 1)
    new[i, 0] = cell(heat, power, up, i, down, 0, 0, 1)
    for j in range(1, m - 1):
        new[i, j] = cell(heat, power, up, i, down, j - 1, j, j + 1)
    new[i, m - 1] = cell(heat, power, up, i, down, m - 2, m - 1, m - 1)


@njit(parallel=True, **FAST)
def hotspot(heat, power, steps):
    heat, new = heat.copy(), np.empty_like(heat)
    for _ in range(steps):
        for i in prange(len(heat)):
            row(heat, power, new, i)
        heat, new = new, heat
    return heat


hotspot_large = hotspot


@njit(parallel=True, **FAST)
def hotspot_chips(heat, power, steps):
    out = np.empty_like(heat)
    for chip in prange(len(heat)):
        old, new = heat[chip].copy(), np.empty_like(heat[chip])
        for _ in range(steps):
            for i in range(len(old)):
                row(old, power[chip], new, i)
            old, new = new, old
        out[chip] = old
    return out


def main(name: str, size: int) -> None:
    work, loop = kernels.work(name, size), globals()[name]

    def run() -> dict[str, Any]:
        return measured(work.count, lambda: loop(*work.arguments))

    run()
    serve(run)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
