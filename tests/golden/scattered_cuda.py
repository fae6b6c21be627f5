import cupy as cp
import numpy as np
from numba import cuda


@cuda.jit
def scattered_loop_kernel(places, terms, places2, x, n, failed, i_told, places_i_told):
    n2 = len(places)
    n3 = len(x)
    iteration = cuda.grid(1)
    while iteration < n2:
        places_i = places2[iteration]
        if iteration >= n3:
            cuda.atomic.min(failed, 0, 2 * iteration)
            i_told[iteration % len(i_told)] = iteration
            return
        if not -n <= places_i < n:
            cuda.atomic.min(failed, 0, 2 * iteration + 1)
            places_i_told[iteration % len(places_i_told)] = places_i
            return
        places[iteration] = places_i + n if places_i < 0 else places_i
        terms[iteration] = squared(x[iteration])
        iteration += cuda.gridsize(1)


def scattered_loop(places, terms, places2, x, n):
    failed = cp.full(1, NOWHERE)
    i_told = cp.empty(BLOCKS * THREADS, np.int64)
    places_i_told = cp.empty(BLOCKS * THREADS, np.int64)
    scattered_loop_kernel[BLOCKS, THREADS](
        places, terms, places2, x, n, failed, i_told, places_i_told,
    )
    at = failed.item()
    if at != NOWHERE:
        if at % 2 == 0:
            raise IndexError(f"index {i_told[at // 2 % len(i_told)].item()} is out of bounds for axis 0 with size {len(x)}")
        raise IndexError(f"index {places_i_told[at // 2 % len(places_i_told)].item()} is out of bounds for axis 0 with size {n}")
    return places, terms


@cuda.jit
def scattered_loop2_kernel(out, order, places, terms):
    n = len(out)
    n2 = len(order)
    j = cuda.grid(1)
    while j < n:
        k = 0
        high = n2
        while k < high:
            t = (k + high) // 2
            t2 = places[order[t]] < j
            k = t + 1 if t2 else k
            high = high if t2 else t
        while k < n2 and places[order[k]] == j:
            out[j] += terms[order[k]]
            k += 1
        j += cuda.gridsize(1)


def scattered_loop2(out, order, places, terms):
    scattered_loop2_kernel[BLOCKS, THREADS](out, order, places, terms)
    return out


def scattered(x, places, n):
    n2 = len(places)
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    out = cp.zeros(n)
    places, terms = scattered_loop(cp.empty(n2, np.int64), cp.empty(n2), places, x, n)
    order = places_in_order(places)
    out = scattered_loop2(out, order, places, terms)
    return out


# What the functions above call.


def places_in_order(x: cp.ndarray) -> cp.ndarray:
    return cp.argsort(x, kind="stable")


BLOCKS = 1024
THREADS = 256  # of each
NOWHERE = 2**63 - 1  # where nothing has failed


@cuda.jit(device=True)
def squared(x: float) -> float:
    """x ** 2."""
    return x * x
