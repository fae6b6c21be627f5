import numpy as np
from numba import njit


@njit(error_model="numpy")
def visit_2(k, seen_count, seen, depth):
    n = len(seen)
    if seen_count >= n:
        seen2 = np.empty(2 * n + 8, np.int64)
        for i in range(n):
            seen2[i] = seen[i]
        seen = seen2
    seen[seen_count] = k
    seen_count += 1
    if k != 1:
        if depth == 0:
            raise RecursionError("maximum recursion depth exceeded")
        seen_count, seen = visit_2(k // 2 if k % 2 == 0 else 3 * k + 1, seen_count, seen, depth - 1)
    return seen_count, seen


@njit(error_model="numpy")
def visit(k):
    seen = np.empty(8, np.int64)
    seen[0] = k
    if k != 1:
        depth = np.int64(10714)
        seen_count, seen = visit_2(k // 2 if k % 2 == 0 else 3 * k + 1, 1, seen, depth)
        return seen_count, seen
    return 1, seen


@njit(error_model="numpy")
def orbit_parts(n):
    seen_count, seen = visit(n)
    seen = seen[:seen_count]
    return seen


def orbit(n):
    seen = orbit_parts(n)
    return seen.tolist()
