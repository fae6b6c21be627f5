"""Lists whose length is known when the program has run: records of a while, stacks, queues, what a test lets through.

Those of the second half say how long their lists get, so that lanes can have them.
"""

import numpy as np

from corpus.case import case

X = np.array([0.5, -1.5, 2.0, 3.0, -0.5, 4.0])
Y = np.array([-2.0, -1.0, -3.0, -0.25, -4.0, -5.0])
EDGES = np.array([[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [5, 6]])


@case((0.0, 1.0), (0.5, 0.6), marks="arrays grows")
def recorded_decay(t, end):
    """A record of what an adaptive step passes through."""
    y, h = 1.0, 0.01
    ts = [t]
    ys = [y]
    while t < end:
        error = abs(h * h * y)
        if error < 1e-3:
            t = t + h
            y = y - h * y
            ts.append(t)
            ys.append(y)
            h = h * 1.5
        else:
            h = h / 2
    return np.array(ts), np.array(ys)


@case(0, 3, marks="arrays grows")
def depth_first(root):
    seen = np.zeros(7, dtype=bool)
    order = []
    stack = [root]
    while stack:
        node = stack.pop()
        if seen[node]:
            continue
        seen[node] = True
        order.append(node)
        for k in range(len(EDGES)):
            a, b = EDGES[k]
            if a == node and not seen[b]:
                stack.append(b)
            if b == node and not seen[a]:
                stack.append(a)
    return np.array(order), len(order)


@case(0, 4, marks="arrays grows")
def breadth_first(root):
    far = np.full(7, -1)
    far[root] = 0
    queue = [root]
    while len(queue) > 0:
        node = queue.pop(0)
        for a, b in EDGES:
            if a == node and far[b] < 0:
                far[b] = far[node] + 1
                queue.append(b)
            elif b == node and far[a] < 0:
                far[a] = far[node] + 1
                queue.append(a)
    return far


@case(X, Y, marks="arrays grows")
def positive_ones(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * v)
    total = sum(out) if out else x[0]
    last = out[-1] if len(out) > 0 else x[1]
    return np.array(out), len(out), total, last


@case(30, 2, marks="arrays grows")
def primes_below(n):
    flags = [True] * n
    primes = []
    for k in range(2, n):
        if flags[k]:
            primes.append(k)
            for j in range(k * k, n, k):
                flags[j] = False
    return np.array(primes, dtype=np.int64)


@case(np.array([1, 1, 2, 3, 3, 3]), np.array([4, 4, 4, 4, 4, 4]), marks="arrays grows")
def run_lengths(x):
    values, counts = [], []
    i = 0
    while i < len(x):
        j = i
        while j < len(x) and x[j] == x[i]:
            j += 1
        values.append(x[i])
        counts.append(j - i)
        i = j
    return np.array(values), np.array(counts)


@case((2.0, 1.0), (9.0, 5.0), marks="arrays grows")
def newton_history(a, x):
    history = [x]
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
        history.append(x)
    steps = np.diff(np.array(history))
    return history[-1], len(history), np.max(np.abs(steps))


@case(
    np.array([[0.0, 0.0], [0.25, 0.5], [0.5, 0.25], [1.0, 0.0], [1.0, 1.0]]),
    np.array([[0.0, 1.0], [0.1, 0.2], [0.3, 0.9], [0.6, 0.1], [0.8, 0.8]]),
    marks="arrays grows",
)
def convex_hull(points):
    """Andrew's monotone chain, of points in order."""
    lower = []
    for p in points:
        while len(lower) >= 2 and cross(lower[-2], lower[-1], p) <= 0:
            lower.pop()
        lower.append(p)
    upper = []
    for p in reversed(points):
        while len(upper) >= 2 and cross(upper[-2], upper[-1], p) <= 0:
            upper.pop()
        upper.append(p)
    hull = lower[:-1] + upper[:-1]
    return np.array(hull)


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


@case((0.0, 3.0), (1.0, 2.0), marks="arrays grows")
def adaptive_quadrature(a, b):
    total = 0.0
    stack = [(a, b)]
    while stack:
        lo, hi = stack.pop()
        mid = 0.5 * (lo + hi)
        coarse = (hi - lo) * np.exp(-mid * mid)
        fine = 0.5 * (hi - lo) * (np.exp(-0.25 * (lo + mid) ** 2) + np.exp(-0.25 * (mid + hi) ** 2))
        if abs(coarse - fine) < 1e-3:
            total += fine
        else:
            stack.append((lo, mid))
            stack.append((mid, hi))
    return total


@case(3.0, 5.5, marks="arrays grows")
def event_queue(end):
    """Customers arrive, are served in turn, and leave."""
    t = 0.0
    queue = []
    waits = []
    free_at = 0.0
    while t < end:
        t += 0.4 + 0.3 * np.sin(7.0 * t)
        queue.append(t)
        while queue and free_at <= t:
            arrived = queue.pop(0)
            begin = max(arrived, free_at)
            waits.append(begin - arrived)
            free_at = begin + 0.55
    return len(waits), sum(waits), max(waits), len(queue)


@case(27, 6, marks="arrays grows")
def collatz_path(n):
    path = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        path.append(n)
    return len(path), max(path), path[0], path[-1]


@case(X, Y, marks="arrays grows")
def prefix_sums(x):
    sums = [0.0]
    for v in x:
        sums.append(sums[-1] + v)
    return np.array(sums)


@case((X, 2), (Y, 3), marks="arrays grows")
def stacked_rows(x, n):
    rows = []
    for i in range(n):
        rows.append(x * i)
    return np.array(rows), np.stack(rows), np.vstack(rows)


@case(X, Y, marks="arrays grows")
def local_maxima(x):
    places = [i for i in range(1, len(x) - 1) if x[i] > x[i - 1] and x[i] > x[i + 1]]
    heights = [x[i] for i in places]
    return len(places), sum(heights), np.array(places, dtype=np.int64)


@case(5, 233, marks="arrays grows")
def digits_of(n):
    digits = []
    while n > 0:
        digits.append(n % 2)
        n //= 2
    digits.reverse()
    total = 0
    for d in digits:
        total = 2 * total + d
    return total, len(digits)


@case(X, Y, marks="arrays")
def longest_rising(x):
    """Patience: the smallest end of a rising run of each length."""
    ends = []
    for v in x:
        k = 0
        while k < len(ends) and ends[k] < v:
            k += 1
        if k == len(ends):
            ends.append(v)
        else:
            ends[k] = v
    return len(ends), ends[-1]


@case(X, Y, marks="arrays")
def next_greater(x):
    """The place of the next larger element of each, by a stack of places that wait for theirs."""
    found = np.full(len(x), -1)
    waiting = []
    for i in range(len(x)):
        while waiting and x[waiting[-1]] < x[i]:
            found[waiting.pop()] = i
        waiting.append(i)
    return found


@case(X, Y, marks="arrays grows")
def merged_halves(x):
    half = len(x) // 2
    left, right = np.sort(x[:half]), np.sort(x[half:])
    out = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    out.extend(left[i:])
    out.extend(right[j:])
    return np.array(out)


@case((1.0, 0.3), (2.0, 0.1), marks="arrays grows")
def trajectory(v, h):
    """Rows of a state until it comes back to the ground."""
    state = np.array([0.0, v])
    rows = [state]
    while True:
        state = state + h * np.array([state[1], -1.0])
        if state[0] < 0.0:
            break
        rows.append(state)
    path = np.array(rows)
    return path, path.shape[0], path[:, 0].max()


@case((X, 1.0), (Y, -2.0), marks="arrays")
def outliers(x, bound):
    kept, others = [], []
    for i, v in enumerate(x):
        if v > bound:
            others.append((i, v))
        else:
            kept.append(v)
    mean = sum(kept) / len(kept) if kept else 0.0
    far = 0.0
    for i, v in others:
        far += i * (v - mean)
    return mean, far, len(others)


@case(6, 1, marks="arrays grows")
def pascal_row(n):
    row = [1]
    for _ in range(n):
        new = [1]
        for j in range(len(row) - 1):
            new.append(row[j] + row[j + 1])
        new.append(1)
        row = new
    return sum(row), len(row), max(row)


@case((X, 0.75), (Y, -2.5), marks="arrays")
def crossings(x, level):
    found = []
    for i in range(len(x) - 1):
        if (x[i] - level) * (x[i + 1] - level) < 0:
            found.append(i + (level - x[i]) / (x[i + 1] - x[i]))
    gaps = [b - a for a, b in zip(found, found[1:])]
    return len(found), sum(gaps), any(g < 1.5 for g in gaps)


@case(X, Y, marks="arrays grows")
def backtracked(x):
    """Subsets whose sum is below 1, by a stack of (place, sum)."""
    count = 0
    stack = [(0, 0.0)]
    while stack:
        i, total = stack.pop()
        if i == len(x):
            count += total < 1.0
            continue
        stack.append((i + 1, total))
        stack.append((i + 1, total + x[i]))
    return count


@case((12.0, 0.5), (3.0, 0.25), marks="arrays grows")
def bisected(width, tolerance):
    """Intervals in which x**3 - x has a zero, halved until they are short."""
    found = []
    work = [-width, width]
    while len(work) > 0:
        hi = work.pop()
        lo = work.pop()
        if hi - lo < tolerance:
            found.append(0.5 * (lo + hi))
            continue
        mid = 0.5 * (lo + hi)
        for a, b in ((lo, mid), (mid, hi)):
            if (a**3 - a) * (b**3 - b) <= 0.0:
                work.extend([a, b])
    found.sort()
    return np.array(found)


@case((X, 3), (Y, 2), marks="arrays grows")
def window_means(x, k):
    window = []
    means = []
    for v in x:
        window.append(v)
        if len(window) > k:
            window.pop(0)
        means.append(sum(window) / len(window))
    return np.asarray(means)


@case(4, 7, marks="arrays grows")
def pairs_within(n):
    pairs = []
    for i in range(n):
        for j in range(i + 1, n):
            if (i * j) % 3 == 1:
                pairs.append((i, j))
    total = 0
    for i, j in pairs:
        total += i + 10 * j
    return total, len(pairs), (1, 4) in pairs


@case((3, np.array([0.5, 0.25])), (1, np.array([1.0, 2.0])), marks="arrays grows")
def listed_by_another(n, x):
    values = powers(x[0], n)
    return total_of(values) + x[1] * values[n - 1]


def powers(v, n):
    found = [1.0]
    for _ in range(n):
        found.append(found[-1] * v)
    return found


def total_of(values):
    total = 0.0
    for v in values:
        total += v
    return total


@case((0.1, 2.0), (1.0, 4.0), marks="arrays differentiable")
def quadrature_of_a_bounded_stack(a, b):
    total = 0.0
    work = [(a, b)]
    while work:
        assert len(work) <= 40
        lo, hi = work.pop()
        mid = 0.5 * (lo + hi)
        coarse = (hi - lo) * np.exp(-mid * mid)
        fine = 0.5 * (hi - lo) * (np.exp(-0.25 * (lo + mid) ** 2) + np.exp(-0.25 * (mid + hi) ** 2))
        if abs(coarse - fine) < 1e-2:
            total += fine
        else:
            work.append((lo, mid))
            work.append((mid, hi))
    return total


@case(2.0, 9.5, marks="arrays differentiable")
def bounded_newton_history(a):
    xs = [1.0]
    while len(xs) < 30 and abs(xs[-1] * xs[-1] - a) > 1e-9:
        xs.append(0.5 * (xs[-1] + a / xs[-1]))
    return xs[-1] + 0.1 * sum(xs)


@case(X, Y * Y, marks="arrays differentiable")
def products_of_kept_neighbours(x):
    kept = [v for v in x if v > 0.0]
    return sum([a * b for a, b in zip(kept, kept[1:])]) + 0.5 * max(kept)


@case(1.7, 0.2, marks="arrays differentiable")
def halves_in_a_queue(x):
    queue = [x]
    total = 0.0
    while queue:
        assert len(queue) <= 30
        u = queue.pop(0)
        total += u * u
        if u > 0.35:
            queue.append(u * 0.5)
            queue.append(u * 0.3)
    return total


@case(X, Y, marks="arrays")
def rising_pairs(x):
    pairs = []
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[i] < x[j]:
                pairs.append((i, j))
    total = 0
    for i, j in pairs:
        total += 10 * i + j
    return total, len(pairs)


@case(X, Y, marks="arrays")
def monotone_chain_of_places(x):
    lower = []
    for k in range(len(x)):
        while len(lower) >= 2 and x[lower[-1]] > x[k]:
            lower.pop()
        lower.append(k)
    both = lower[:-1] + [7] + lower[1:]
    both.reverse()
    both.insert(1, 5)
    return sum(both), len(both), both[0], any(k == 2 for k in both)


@case(X, Y, marks="arrays")
def kept_in_order(x):
    kept = [v for v in x if v > -3.5]
    kept.sort()
    middle = kept[len(kept) // 2]
    return middle, kept[0], sorted(kept, reverse=True)[0], kept.count(middle), middle in kept


@case(X, Y, marks="arrays differentiable")
def kept_by_another_function(x):
    return weighted(kept_above(x, -2.5)) + weighted(kept_above(x, -99.0))


def kept_above(x, level):
    kept = []
    for v in x:
        if v > level:
            kept.append(v)
    return kept


def weighted(values):
    total = 0.0
    for k, v in enumerate(values):
        total += (k + 1) * v * v
    return total
