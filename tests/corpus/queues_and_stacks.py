"""Lists that are a queue or a stack in a `while`: arrays that a loop assigns anew, and gives up, as they get longer."""

import numpy as np

from corpus.case import case

X = np.array([0.5, -1.5, 2.0, 3.0, -0.5, 4.0, 1.0, 0.25, 2.5])
Y = np.array([-2.0, -1.0, -3.0, -0.25, -4.0, -5.0, 6.0, 7.0, 1.0])
WALLS = np.array([[0, 0, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 1, 0]])
OPEN = np.zeros((4, 4), dtype=np.int64)
STARTS = np.array([0, 2, 3, 5, 6, 6, 7])  # of each node's edges
ENDS = np.array([1, 2, 3, 3, 4, 5, 0])


@case((WALLS, 0, 0), (OPEN, 3, 2), marks="arrays grows")
def steps_away(walls, i, j):
    """A queue of pairs, of which an index is the head."""
    n, m = walls.shape
    far = np.full((n, m), -1)
    far[i, j] = 0
    queue = [(i, j)]
    head = 0
    while head < len(queue):
        a, b = queue[head]
        head += 1
        for k in range(4):
            c = a + (k == 0) - (k == 1)
            d = b + (k == 2) - (k == 3)
            if 0 <= c < n and 0 <= d < m and walls[c, d] == 0 and far[c, d] < 0:
                far[c, d] = far[a, b] + 1
                queue.append((c, d))
    return far, len(queue)


@case((WALLS,), (OPEN,), marks="arrays grows")
def regions(walls):
    """A stack of its own in each of some iterations."""
    n, m = walls.shape
    label = np.zeros((n, m), dtype=np.int64)
    found = 0
    for i in range(n):
        for j in range(m):
            if walls[i, j] or label[i, j]:
                continue
            found += 1
            label[i, j] = found
            stack = [(i, j)]
            while stack:
                a, b = stack.pop()
                if a + 1 < n and walls[a + 1, b] == 0 and label[a + 1, b] == 0:
                    label[a + 1, b] = found
                    stack.append((a + 1, b))
                if b + 1 < m and walls[a, b + 1] == 0 and label[a, b + 1] == 0:
                    label[a, b + 1] = found
                    stack.append((a, b + 1))
                if b > 0 and walls[a, b - 1] == 0 and label[a, b - 1] == 0:
                    label[a, b - 1] = found
                    stack.append((a, b - 1))
    return found, label


@case((X,), (Y,), marks="arrays grows")
def next_above(x):
    found = np.full(len(x), -1)
    stack = [0]
    for i in range(1, len(x)):
        while len(stack) > 0 and x[stack[-1]] < x[i]:
            found[stack.pop()] = i
        stack.append(i)
    return found


@case((X, 3), (Y, 2), marks="arrays grows")
def largest_of_windows(x, w):
    queue = [0]
    head = 0
    out = np.zeros(len(x))
    for i in range(len(x)):
        while len(queue) > head and x[queue[-1]] <= x[i]:
            queue.pop()
        queue.append(i)
        if queue[head] <= i - w:
            head += 1
        out[i] = x[queue[head]]
    return out


@case((np.sort(X), 0.6), (np.sort(Y), 1.5), marks="arrays grows")
def joined_intervals(starts, length):
    first = [starts[0]]
    last = [starts[0] + length]
    for k in range(1, len(starts)):
        if starts[k] <= last[-1]:
            last[-1] = max(last[-1], starts[k] + length)
        else:
            first.append(starts[k])
            last.append(starts[k] + length)
    return np.array(first), np.array(last)


@case(0, 4, marks="arrays grows")
def level_by_level(node):
    """Two lists that change places."""
    seen = np.zeros(7, dtype=bool)
    seen[node] = True
    now = [node]
    sizes = []
    while now:
        after = []
        for u in now:
            for k in range(STARTS[u] if u < 7 else 7, STARTS[u + 1] if u < 6 else 7):
                v = ENDS[k]
                if not seen[v]:
                    seen[v] = True
                    after.append(v)
        sizes.append(len(now))
        now = after
    return np.array(sizes), seen


@case(6, 11, marks="arrays grows")
def growing_in_turn(n):
    """A second name of the list, which sees what is appended, and a copy, which does not."""
    a = [1]
    b = a
    kept = a.copy()
    k = 1
    while k < n:
        if k % 3 == 0:
            b.append(b[-1] + a[len(a) // 2])
        elif k % 3 == 1:
            a.append(k)
        else:
            kept.append(a.pop() + len(b))
            a.append(k * k)
        k += 1
    return np.array(a), np.array(b), np.array(kept)


@case((X, 12), (Y, 10), marks="arrays grows raises", raises=IndexError)
def taken_too_often(x, n):
    stack = [x[0]]
    k = 1
    while k < n:
        if k < 4:
            stack.append(x[k])
        else:
            stack.pop()
        k += 1
    return np.array(stack)
