"""Programs with dicts whose values are lists, and calls of each."""

import heapq
from collections import defaultdict, deque

import numpy as np


def bfs(graph, start):
    seen = {start}
    queue = [start]
    order = []
    while queue:
        u = queue.pop(0)
        order.append(u)
        for v in graph[u]:
            if v not in seen:
                seen.add(v)
                queue.append(v)
    return order


def dijkstra(graph, source):
    dist = {v: float("inf") for v in graph}
    dist[source] = 0.0
    heap = [(0.0, source)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > dist[u]:
            continue
        for v, w in graph[u]:
            if d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return dist


def add_edge(graph, edge):
    u, v = edge
    graph.setdefault(u, []).append(v)
    graph.setdefault(v, []).append(u)
    if u in graph:
        graph[u].sort()
    return len(graph)


def comp(n):
    g = {i: [] for i in range(n)}
    for i in range(n):
        g[i].append(i * i % n)
    return g


def comp2(n):
    g = {i: [i, i + 1] for i in range(n)}
    return (sum((len(v) for v in g.values())), g[0], [v[0] for v in g.values()])


def display(n):
    g = {0: [1, 2], 1: [2], 2: []}
    s = 0
    for k in range(3):
        for v in g[k]:
            s = s * 5 + v
    g[n] = [7]
    g[1].append(n)
    return (s, g)


def dfs(graph, start):
    seen = set()
    order = []

    def visit(u):
        seen.add(u)
        order.append(u)
        for v in graph[u]:
            if v not in seen:
                visit(v)

    visit(start)
    return order


def dfs_stack(graph, start):
    seen, stack, order = (set(), [start], [])
    while stack:
        u = stack.pop()
        if u in seen:
            continue
        seen.add(u)
        order.append(u)
        for v in reversed(graph[u]):
            stack.append(v)
    return order


def topo(graph):
    indeg = {u: 0 for u in graph}
    for u in graph:
        for v in graph[u]:
            indeg[v] += 1
    queue = [u for u in indeg if indeg[u] == 0]
    order = []
    while queue:
        u = queue.pop(0)
        order.append(u)
        for v in graph[u]:
            indeg[v] -= 1
            if indeg[v] == 0:
                queue.append(v)
    return order


def topo_deque(graph):
    indeg = defaultdict(int)
    for u, vs in graph.items():
        for v in vs:
            indeg[v] += 1
    queue = deque((u for u in graph if indeg[u] == 0))
    order = []
    while queue:
        u = queue.popleft()
        order.append(u)
        for v in graph[u]:
            indeg[v] -= 1
            if indeg[v] == 0:
                queue.append(v)
    return order


def components(edges, n):
    graph = defaultdict(list)
    for u, v in edges:
        graph[u].append(v)
        graph[v].append(u)
    seen = set()
    sizes = []
    for s in range(n):
        if s in seen:
            continue
        seen.add(s)
        stack = [s]
        size = 0
        while stack:
            u = stack.pop()
            size += 1
            for v in graph[u]:
                if v not in seen:
                    seen.add(v)
                    stack.append(v)
        sizes.append(size)
    return sizes


def union_find(edges):
    parent = {}

    def find(x):
        parent.setdefault(x, x)
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for u, v in edges:
        a, b = (find(u), find(v))
        if a != b:
            parent[a] = b
    groups = {}
    for x in list(parent):
        groups.setdefault(find(x), []).append(x)
    return groups


def colouring(graph):
    colour = {}
    for u in sorted(graph, key=lambda u: -len(graph[u])):
        used = {colour[v] for v in graph[u] if v in colour}
        c = 0
        while c in used:
            c += 1
        colour[u] = c
    return colour


def words(ids):
    count = {}
    where = defaultdict(list)
    for i, w in enumerate(ids):
        count[w] = count.get(w, 0) + 1
        where[w].append(i)
    return (sorted(count.items(), key=lambda p: (-p[1], p[0])), where[ids[0]])


def path(graph, start, goal):
    prev = {start: start}
    queue = [start]
    for u in queue:
        pass
    k = 0
    while k < len(queue):
        u = queue[k]
        k += 1
        if u == goal:
            break
        for v in graph.get(u, []):
            if v not in prev:
                prev[v] = u
                queue.append(v)
    if goal not in prev:
        return []
    p = [goal]
    while p[-1] != start:
        p.append(prev[p[-1]])
    return p[::-1]


def alias(n):
    d = {}
    d[0] = []
    a = d[0]
    d[1] = a
    for i in range(n):
        a.append(i)
    b = d[1]
    b[0] = 50
    c = d.pop(0)
    c.append(-1)
    return (d[1], len(a), a[0] == b[0])


def grid(n):
    g = {}
    for i in range(n):
        for j in range(n):
            g[i, j] = [(i + 1, j), (i, j + 1)]
    return (sum((a * b for a, b in g[1, 1])), len(g), g[0, 1][0])


def given_to(n):

    def put(g, u, v):
        g[u].append(v)
        return g[u]

    d = {0: [], 1: []}
    x = put(d, 0, n)
    x.append(5)
    put(d, 1, 7)
    return (d[0], d[1], x)


def floats(x):
    d = defaultdict(list)
    for i in range(len(x)):
        d[i % 2].append(x[i])
    return (np.array(d[0]).sum(), sum(d[1]), max(d[0]))


def remove(n):
    d = {i: [i, 1, 2, i] for i in range(n)}
    d[3].remove(1)
    del d[2][0]
    d[1].sort()
    d[0].reverse()
    d[1].extend([9, 9])
    d[1] += [8]
    a = d[0].pop(0)
    d[4].clear()
    return (d, a, d[3].index(2), d[1].count(9), d[1][1:3], 3 in d[3])


def bellman(edges, n):
    dist = {v: 10**9 for v in range(n)}
    dist[0] = 0
    for _ in range(n - 1):
        for u, v, w in edges:
            if dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
    return dist


def undirected(graph):
    new = {u: list(vs) for u, vs in graph.items()}
    for u in graph:
        for v in graph[u]:
            if u not in new[v]:
                new[v].append(u)
    return new


def named_unchanged(n):
    d = {}
    for i in range(n):
        xs = [j * i for j in range(i)]
        d[i] = xs
    return d


def built(n):
    d = {}
    for i in range(n):
        xs = []
        for j in range(i):
            if j % 2:
                xs.append(j)
        d[i] = xs
    return d


def copied(n):
    a = {i: [i] for i in range(n)}
    b = a.copy()
    b[0].append(3)
    b[9] = [1]
    return (a[0], len(a), len(b))


def default_list(n):
    d = {}
    for i in range(n):
        d[i % 2] = d.get(i % 2, []) + [i]
    return d


def popped(n):
    d = defaultdict(list)
    for i in range(n):
        d[i % 2].append(i)
    xs = d.pop(1)
    ys = d.pop(7, [])
    return (xs, ys, len(d))


def swap(n):
    d = {0: [1], 1: [2, 3]}
    d[0], d[1] = (d[1], d[0])
    d[0].append(n)
    return d


def pairs(n):
    d = defaultdict(list)
    for i in range(n):
        d[i % 2].append((i, 0.5 * i))
    s = 0.0
    for k in d:
        for a, b in d[k]:
            s += a * b
    return (s, d[0][-1], dict(d))


def empty_only(n):
    d = {i: [] for i in range(n)}
    return (d, len(d[0]), [x for x in d[0]], sum(d[0]))


def until(n):
    d = defaultdict(list)
    d[0].append(n)
    while d[0]:
        x = d[0].pop()
        if x > 0:
            d[0].append(x - 2)
            d[0].append(x - 3)
        d[1].append(x)
    return d[1]


def index_error(n):
    d = {n: [1, 2]}
    return d[n][n]


def key_error(n):
    d = defaultdict(list)
    d[1].append(n)
    e = dict(d)
    return e[n]


def retd(n):
    d = defaultdict(list)
    for i in range(n):
        d[i].append(i)
    return dict(d)


def sorted_by(n):
    d = {i: [i * 3 % 7, i] for i in range(n)}
    return (
        sorted(d[2]),
        sorted(d, key=lambda k: d[k][0]),
        max((len(v) for v in d.values())),
        [len(v) for k, v in d.items() if k],
    )


def enum(n):
    d = {i: [i * 3 % 7, i] for i in range(n)}
    return (
        [(i, x) for i, x in enumerate(d[2])],
        [a + b for a, b in zip(d[0], d[1])],
        d[1][::-1],
        list(reversed(d[2])),
    )


def unpack(n):
    d = {i: [i, i + 1] for i in range(n)}
    a, b = d[1]
    return a * b


def nested(n):
    d = defaultdict(lambda: [])

    def add(k, v):
        d[k].append(v)

    for i in range(n):
        add(i % 3, i)
    return dict(d)


def sums(n):
    d = defaultdict(list)
    for i in range(n):
        d[i % 3].append(i * 1.5)
    return {k: sum(v) / len(v) for k, v in d.items()}


def truth(n):
    d = {i: [1] * i for i in range(n)}
    return ([1 if d[k] else 0 for k in d], not d[0], [k for k, v in d.items() if v])


def until_empty(n):
    d = {i: [i, i + 1] for i in range(n)}
    while d:
        k, v = d.popitem()
    return (k, v)


def asked_for(n):
    d = {0: [1, 2], n: [3]}
    d[0].append(n)
    x = d.get(n)
    y = d.get(n + 1)
    s = 0
    if x is not None:
        for v in x:
            s += v
    return (s, y is None)


def zipped(n):
    d = {i: [i, i + n] for i in range(n)}
    s = 0
    for i, (k, v) in enumerate(d.items()):
        s = s * 3 + i * k + v[0]
    for v, k in zip(d.values(), d):
        s = s * 2 + k - v[1]
    return s % 1000007


def extended(n):
    d = {i: [i, i + n] * 9 for i in range(n)}
    xs = []
    xs.append(1)
    xs.extend(d[1])
    xs.extend(d)
    xs += d[2]
    for k in d:
        xs.append(k)
    for v in d[0]:
        xs.append(v)
    return xs


def many_items(n):
    d = {i: list(range(i)) for i in range(50)}
    xs = []
    for k in d:
        xs.append(k)
    ys = []
    for k in d:
        for v in d[k]:
            ys.append(v)
    zs = [k for k in d for v in d[k] if v % 7 == 0]
    return (xs, sum(ys), len(ys), zs)


def longest(n):
    d = {n: [1, 2], n + 1: [3, 4]}
    d[n].append(3)
    return (
        max(d, key=lambda k: len(d[k])),
        sorted(d, key=lambda k: d[k][-1]),
        sum((len(v) for v in d.values())),
    )


def binary_tree(n):
    tree = {}
    for i in range(1, n):
        p = (i - 1) // 2
        if p not in tree:
            tree[p] = []
        tree[p].append(i)

    def depth(u):
        if u not in tree:
            return 0
        return 1 + max((depth(v) for v in tree[u]))

    def size(u):
        s = 1
        for v in tree.get(u, []):
            s += size(v)
        return s

    return (depth(0), size(0))


def distances(n):
    adj = {i: [] for i in range(n)}
    for i in range(n):
        adj[i].append(((i + 1) % n, 1.5 * i))
    dist = {}
    for i in range(n):
        for j, w in adj[i]:
            dist[i, j] = w
    return dist


def removed_of_none(n):
    d = defaultdict(list)
    if n == 4:
        d[n].remove(1)
    return len(d), d[n].count(1), d[n][1:]


GRAPH = {0: [1, 2], 1: [3], 2: [3], 3: [4], 4: []}
EDGES = [(0, 1), (2, 3), (1, 4)]
WEIGHTS = {0: [(1, 4), (2, 1.5)], 1: [(3, 1)], 2: [(1, 2.0)], 3: []}
CALLS = {
    bfs: [(GRAPH, 0), (GRAPH, 4), ({1: [7], 7: []}, 1), ({1: [7]}, 1), ({k: [k + 1] for k in range(40)}, 3)],
    dijkstra: [(WEIGHTS, 0), (WEIGHTS, 3)],
    add_edge: [(GRAPH, (3, 9)), ({}, (3, 9)), ({k: [] for k in range(100)}, (3, 9))],
    dfs: [(GRAPH, 0)], dfs_stack: [(GRAPH, 0)], topo: [(GRAPH,)], topo_deque: [(GRAPH,)],
    colouring: [(GRAPH,)], path: [(GRAPH, 0, 4), (GRAPH, 4, 0)], undirected: [(GRAPH,)],
    components: [(EDGES, 7)], union_find: [(EDGES,)], bellman: [([(0, 1, 4), (1, 2, -3)], 4)],
    words: [([3, 1, 3, 7, 1, 3],)], floats: [(np.arange(5.0),)],
    index_error: [(1,), (4,)], key_error: [(1,), (4,)],
}  # fmt: skip
OF_A_NUMBER = [
    removed_of_none,
    asked_for, zipped, extended, many_items, longest, binary_tree, distances,
    comp, comp2, display, alias, grid, given_to, remove, named_unchanged, built, copied, default_list, popped,
    swap, pairs, empty_only, until, retd, sorted_by, enum, unpack, nested, sums, truth, until_empty,
]  # fmt: skip
CALLS |= {f: [(4,), (7,)] for f in OF_A_NUMBER}
