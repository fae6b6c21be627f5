"""Programs with dicts and sets whose keys are numbers, each the body of a function of n, v and w."""

DICTS = {
    "counts": """
    d = {}
    for u in v:
        k = int(u) % 3
        d[k] = d.get(k, 0) + 1
    s = 0
    for k, m in d.items():
        s = s * 10 + k * 4 + m
    return s, len(d)""",
    "counts of many": """
    d = {}
    for i in range(40 * n + 7):
        d[i * i % 97] = d.get(i * i % 97, 0) + 1
    s = 0
    for k, m in d.items():
        s = (s * 31 + k * 7 + m) % 1000003
    return s, len(d)""",
    "put, taken and put again": """
    d = {}
    for i in range(60 + n):
        d[i % 23] = i
        if i % 5 == 0:
            del d[i % 23]
        if i % 7 == 0:
            d[100 + i] = d.get(i % 23, -1)
    return list(d), list(d.values())""",
    "counted by a function": """
    def note(d, k, by):
        d[k] = d.get(k, 0.5) + by
        return d
    d = {}
    e = d
    for u in v:
        d = note(d, int(u) % 4, u)
        e[9] = u
    return sorted(d), sum(e.values()), len(e)""",
    "counts by +=": """
    d = {}
    for i in range(n):
        if i % 3 in d:
            d[i % 3] += i
        else:
            d[i % 3] = i
    return sorted(d), sum(d.values())""",
    "memo": """
    memo = {}
    def fib(k):
        if k in memo:
            return memo[k]
        r = k if k < 2 else fib(k - 1) + fib(k - 2)
        memo[k] = r
        return r
    return fib(n + 10), len(memo)""",
    "memo begun": """
    memo = {0: 0, 1: 1}
    for i in range(2, n + 5):
        memo[i] = memo[i - 1] + memo[i - 2]
    return memo[n + 4], len(memo)""",
    "memo given": """
    def fib(k, memo):
        if k not in memo:
            memo[k] = fib(k - 1, memo) + fib(k - 2, memo)
        return memo[k]
    memo = {0: 0, 1: 1}
    return fib(n + 5, memo), len(memo)""",
    "deleted": """
    d = {}
    for i in range(n + 4):
        d[i * 7 % 11] = i
    del d[0]
    a = d.pop(7)
    b = d.pop(99, -1)
    d[0] = 5
    return list(d), list(d.values()), a, b""",
    "popitem": """
    d = {}
    for i in range(n + 2):
        d[i * i] = i
    s = 0
    while d:
        k, m = d.popitem()
        s = s * 7 + k + m
    return s""",
    "missing": """
    d = {1: 2}
    d[n] = 3
    return d[n + 1]""",
    "missing caught": """
    d = {}
    for i in range(n + 3):
        try:
            d[i % 2] += 1
        except KeyError:
            d[i % 2] = 10
    return d[0], d[1]""",
    "setdefault": """
    d = {}
    s = 0
    for i in range(n + 3):
        s += d.setdefault(i % 2, i)
    return s, list(d.items())""",
    "floats": """
    d = {}
    for i in range(n):
        d[i % 2] = d.get(i % 2, 0.0) + v[i % 6]
    s = 0.0
    for k in d:
        s += d[k] ** 2
    return s""",
    "tuples for keys": """
    d = {}
    for i in range(n + 2):
        for j in range(3):
            d[(i, j)] = i * j
            d[i, j] += 1
    s = 0
    for (i, j), m in d.items():
        s = s * 3 + i - j + m
    return s, (1, 2) in d, d.get((9, 9), -1), len(d)""",
    "tuples for values": """
    d = {}
    for i in range(n):
        d[i % 3] = (i, 0.5 * i)
    s = 0.0
    for k, (a, b) in d.items():
        s += k + a * b
    return s""",
    "new each time": """
    s = 0
    for i in range(n):
        d = {}
        for j in range(i + 1):
            d[j % 3] = d.get(j % 3, 0) + j
        s += len(d) * 10 + d[0]
    return s""",
    "one after the other": """
    dp = {0: 1}
    for i in range(n):
        new = {}
        for k, m in dp.items():
            new[k + 1] = new.get(k + 1, 0) + m
            new[k - 1] = new.get(k - 1, 0) + m
        dp = new
    return dp.get(0, 0), sorted(dp.items()), max(dp.values())""",
    "comprehension": """
    d = {i: i * i for i in range(n)}
    e = {k: 2 * m for k, m in d.items() if k % 2}
    return list(d.items()), list(e.items()), sum(d)""",
    "zip": """
    d = dict(zip(range(n), v))
    s = 0.0
    for k in d:
        s += k * d[k]
    return s""",
    "a copy": """
    d = {}
    d[n] = 1
    e = d.copy()
    e[n + 1] = 2
    f = dict(e)
    f[n] = 7
    g = d
    g[5] = 6
    return list(d.items()), list(e.items()), list(f.items())""",
    "two names": """
    d = {}
    e = d
    e[n] = 1
    d[n + 1] = 2
    return len(d), len(e), e[n + 1]""",
    "update": """
    d = {1: 2, n: 3}
    d.update({5: 6, 1: 7})
    e = {i: i for i in range(3)}
    d.update(e)
    d |= e
    return list((d | e).items()), d == e, d != e""",
    "equal": """
    d = {}
    e = {}
    for i in range(n):
        d[i] = i
        e[n - 1 - i] = n - 1 - i
    return d == e, d == {}, d != e""",
    "max by": """
    d = {}
    for u in v:
        d[int(u) % 4] = d.get(int(u) % 4, 0) + int(u)
    return max(d, key=d.get), min(d, key=lambda k: d[k]), max(d), min(d.values())""",
    "sorted by": """
    d = {}
    for i in range(n + 3):
        d[i * 5 % 7] = -i
    return sorted(d, key=lambda k: d[k]), sorted(d.items(), key=lambda p: p[1])""",
    "a graph": """
    graph = {0: [1, 2], 1: [3], 2: [3], 3: []}
    seen = set()
    stack = [n % 4]
    s = 0
    while stack:
        u = stack.pop()
        if u in seen:
            continue
        seen.add(u)
        s = s * 5 + u
        for w in graph[u]:
            stack.append(w)
    return s, len(seen)""",
    "known keys": """
    d = {0: 1.5, 2: 2.5}
    d[2] += 1.0
    return d[0], d[2], 1 in d, n in d, d.get(n, -1.0), len(d)""",
    "bools": """
    d = {}
    for u in v:
        d[u > 1.0] = d.get(u > 1.0, 0) + 1
    return d[True], d[False]""",
    "negative keys": """
    d = {}
    for i in range(-n, n + 1):
        d[i * 2**40] = i
    s = 0
    for k, m in d.items():
        s += (k // 2**40) * m
    return s, (-n) * 2**40 in d, 2**41 * n + 1 in d""",
    "cleared": """
    d = {}
    for i in range(n + 12):
        d[i] = 1
        if i == 9:
            d.clear()
    return list(d), len(d), bool(d)""",
    "known keys, cleared": """
    d = {0: 1, 3: 2}
    def has(k):
        return k in d
    d.clear()
    return has(0), has(n), len(d)""",
    "known keys, written": """
    d = {0: 1, 3: 2}
    e = d
    def put(g, k):
        g[3] = k
        g[0] += 1
    put(d, n)
    e[0] += 5
    return list(d.items()), e[0]""",
    "copies of what has no keys yet": """
    d = {}
    e = d.copy()
    e[n] = 1
    s = set()
    t = s.copy()
    t.add(n)
    return len(d), len(e), len(s), len(t)""",
    "bools, then ints": """
    d = {}
    d[n > 1] = 5
    d[1] = 6
    return d[False] if n < 2 else -1, d[1], len(d)""",
    "in a branch": """
    d = {}
    if n > 1:
        d[n] = 1
    else:
        d[0] = 2
    return len(d), list(d)""",
    "returned by a function": """
    def made(k):
        d = {}
        for i in range(k):
            d[i % 3] = i
        return d
    a = made(n)
    b = made(n + 2)
    a[9] = 9
    return len(a), list(b.items())""",
    "many": """
    d = {}
    for i in range(n * 50):
        k = i * i % 97
        d[k] = d.get(k, 0) + 1
        if i % 7 == 3 and k in d:
            del d[k]
    s = 0
    for k, m in d.items():
        s = (s * 31 + k * 7 + m) % 1000003
    return s, len(d)""",
    "returned": """
    d = {}
    for i in range(n):
        d[i % 3] = i * 0.5
    return d""",
    "returned with others": """
    d = {}
    s = set()
    for i in range(n):
        d[(i, 1)] = i
        s.add(i % 2)
    return d, s, n""",
    "enumerate": """
    d = {}
    for i, u in enumerate(v):
        d[int(u)] = i
    t = 0
    for i, k in enumerate(d):
        t = t * 3 + i * k
    return t""",
    "two sums": """
    xs = [2, 7, 11, 15, n]
    seen = {}
    for i, x in enumerate(xs):
        if 9 - x in seen:
            return seen[9 - x], i
        seen[x] = i
    return -1, -1""",
    "nobody changes": """
    d = {}
    return len(d), n in d, d.get(n, 4)""",
    "values changed in a loop": """
    d = {}
    for i in range(n + 2):
        d[i] = i * 1.0
    t = sum(d.values())
    for k in d:
        d[k] /= t
    for k, m in d.items():
        d[k] = m * 2 + k
    return list(d.items())""",
    "another key in a loop": """
    d = {}
    for i in range(3):
        d[i] = i
    for k in d:
        d[(k + 1) % 3] = d[k] + n
    return list(d.items())""",
    "removed in a loop": """
    d = {}
    for i in range(3):
        d[i] = i
    for k in list(d):
        if k != n:
            del d[k]
    return list(d.items())""",
    "closures": """
    d = {}
    def put(k):
        d[k] = d.get(k, 0) + 1
    for i in range(n + 3):
        put(i % 3)
    return list(d.items())""",
    "given twice": """
    def f(a, b, k):
        a[k] = 1
        b[k + 1] = 2
        return len(a)
    d = {}
    return f(d, d, n), len(d)""",
    "given two": """
    def f(a, b, k):
        a[k] = 1
        b[k + 1] = 2
        return len(a)
    d = {}
    e = {}
    return f(d, e, n), len(d), len(e), list(e)""",
    "one of two": """
    d = {1: 2}
    e = {3: 4, 5: 6}
    d[n] = 0
    e[n] = 0
    g = d if n > 2 else e
    return len(g), sum(g)""",
    "one of two, then changed": """
    if n > 2:
        d = {}
        d[n] = 1
    else:
        d = {}
    d[7] = 2
    return list(d.items())""",
    "again": """
    d = {}
    d[n] = 1
    a = len(d)
    d = {}
    d[3] = 1.5
    return a, list(d.items())""",
    "ints then floats": """
    d = {}
    d[n] = 1
    d[n + 1] = 0.5
    s = 0.0
    for k in d:
        s += d[k]
    return s""",
    "keys of arrays": """
    d = {}
    for u in w:
        d[u] = d.get(u, 0) + 1
    s = 0
    for k in d:
        s = s * 3 + k
    return s, len(d), 3 in d""",
    "narrow keys": """
    d = {}
    for u in w.astype(np.int32):
        d[u] = 1
    return len(d), sum(d.values())""",
    "nested": """
    d = {}
    for i in range(n + 1):
        for j in range(n + 1):
            d[i * j] = d.get(i * j, 0) + 1
    best = max(d.items(), key=lambda p: p[1])
    return best, len(d)""",
    "early return": """
    d = {}
    for i in range(100):
        k = (i * i + n) % 13
        if k in d:
            return i, d[k]
        d[k] = i
    return -1, -1""",
    "break": """
    d = {}
    for i in range(20):
        if i * i % 7 in d and i > n:
            break
        d[i * i % 7] = i
    return len(d), i""",
    "while": """
    d = {}
    k = n + 27
    while k != 1 and k not in d:
        d[k] = len(d)
        k = k // 2 if k % 2 == 0 else 3 * k + 1
    return len(d), max(d)""",
    "three counts": """
    words = [3, 1, 2, 3, n, 1, 3]
    counts = {}
    for x in words:
        if x not in counts:
            counts[x] = 0
        counts[x] += 1
    top = sorted(counts.items(), key=lambda p: (-p[1], p[0]))
    return top[0], len(top)""",
    "inverse": """
    d = {i: (i * 3 + n) % 7 for i in range(7)}
    inv = {m: k for k, m in d.items()}
    return [inv[k] for k in range(7)]""",
    "any and all": """
    d = {i: i - n for i in range(n + 2)}
    return any(m == 0 for m in d.values()), all(k >= 0 for k in d), sum(m for k, m in d.items() if k > 1)""",
    "in a list": """
    ds = [{}, {}]
    ds[0][n] = 1
    return len(ds[0]), len(ds[1])""",
    "texts": """
    d = {}
    d['a'] = n
    d['b'] = 2
    return d['a'] + len(d)""",
    "bool of": """
    d = {}
    if not d:
        d[n] = 1
    return bool(d), 1 if d else 2""",
    "a graph that grows": """
    g = {}
    for i in range(n + 3):
        g[i] = (i * 2 % (n + 3), i * 3 % (n + 3))
    seen = set()
    todo = [1]
    while todo:
        u = todo.pop()
        if u not in seen:
            seen.add(u)
            a, b = g[u]
            todo.append(a)
            todo.append(b)
    return len(seen), sorted(seen)""",
    "unpacked": """
    d = {}
    d[n] = 1
    d[n + 1] = 2
    a, b = d
    return a, b""",
    "recursive with a default": """
    def f(k, memo):
        if k < 2:
            return k
        if k in memo:
            return memo[k]
        memo[k] = f(k - 1, memo) + f(k - 2, memo)
        return memo[k]
    return f(n + 6, {})""",
    "grid": """
    paths = {}
    def count(i, j):
        if i == 0 or j == 0:
            return 1
        if (i, j) not in paths:
            paths[(i, j)] = count(i - 1, j) + count(i, j - 1)
        return paths[i, j]
    return count(n, n + 1), len(paths)""",
    "coins": """
    memo = {}
    def ways(left, k):
        if left == 0:
            return 1
        if left < 0 or k == 3:
            return 0
        key = (left, k)
        if key in memo:
            return memo[key]
        r = ways(left - (1, 2, 5)[k], k) + ways(left, k + 1)
        memo[key] = r
        return r
    return ways(n * 3, 0)""",
    "edges": """
    edges = [(0, 1), (1, 2), (2, 0), (3, n)]
    deg = {}
    for a, b in edges:
        deg[a] = deg.get(a, 0) + 1
        deg[b] = deg.get(b, 0) + 1
    return sorted(deg.items())""",
    "union find": """
    parent = {i: i for i in range(6)}
    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x
    for a, b in [(0, 1), (2, 3), (1, n % 6)]:
        parent[find(a)] = find(b)
    return len(set(find(i) for i in range(6)))""",
    "life": """
    alive = {(1, 0), (1, 1), (1, 2)}
    for _ in range(n):
        near = {}
        for i, j in sorted(alive):
            for a in (-1, 0, 1):
                for b in (-1, 0, 1):
                    if a != 0 or b != 0:
                        near[i + a, j + b] = near.get((i + a, j + b), 0) + 1
        alive = {c for c, m in near.items() if m == 3 or m == 2 and c in alive}
    return sorted(alive)""",
    "len of set of list": """
    xs = [i * i % 5 for i in range(n)]
    return len(set(xs)) == len(xs), len({x for x in xs if x})""",
    "primes": """
    composite = {}
    found = []
    q = 2
    while len(found) < n:
        if q not in composite:
            found.append(q)
            composite[q * q] = q
        else:
            p = composite.pop(q)
            m = q + p
            while m in composite:
                m += p
            composite[m] = p
        q += 1
    return found""",
    "defaultdict": """
    d = defaultdict(int)
    for u in w:
        d[u % 3] += 1
    return sorted(d.items()), d[n], len(d)""",
    "defaultdict of floats": """
    d = collections.defaultdict(float)
    for i in range(n):
        d[i % 2] += v[i]
    return list(d.values()), d.get(7, -1.0), len(d)""",
    "defaultdict lambda": """
    d = defaultdict(lambda: 5)
    d[n]
    d[2] -= 1
    return list(d.items())""",
    "Counter": """
    c = Counter([3, 1, n, 3, 1, 3])
    return c[3], c[99], len(c), c.most_common(1), c.most_common(2)[0][0], sorted(c.items()), max(c, key=c.get)""",
    "Counter of": """
    c = Counter(w)
    c[5] += 1
    return c.most_common(), sum(c.values()), c.total()""",
    "Counter begun": """
    c = Counter()
    for i in range(n + 2):
        c[i * i % 4] += 1
    return [c[i] for i in range(4)], len(c)""",
    "fromkeys": """
    d = dict.fromkeys(range(n), 0)
    e = dict.fromkeys([1, 2, 1], 0.5)
    for i in range(n):
        d[i] += i
    return list(d.items()), list(e.items())""",
    "OrderedDict": """
    d = OrderedDict()
    d[n] = 1
    d[0] = 2
    return list(d)""",
    "int subclasses": """
    d = {}
    d[n] = True
    return isinstance(d, dict), d[n], type(d) is dict, isinstance(d, set)""",
    "constants": """
    return TABLE[n % 3], n in TABLE, TABLE.get(n, -1.0), n in ODD, sum(TABLE[k] for k in TABLE)""",
}

SETS = {
    "many added, some taken": """
    s = set()
    for i in range(50 + n):
        s.add(i * 13 % 41)
        if i % 4 == 0:
            s.discard(i % 41)
        if i * 3 % 41 not in s:
            s.add(-i)
    return sorted(s), len(s)""",
    "seen": """
    seen = set()
    k = n
    while k not in seen:
        seen.add(k)
        k = (k * k + 1) % 17
    return k, len(seen), sorted(seen)""",
    "distinct": """
    xs = [3, 1, 3, n, 1]
    return len(set(xs)), sorted(set(xs)), len({i % 3 for i in range(n)}), n in {1, 4}""",
    "operators": """
    a = {1, 2, 3, n}
    b = set(range(2, 6))
    return sorted(a | b), sorted(a & b), sorted(a - b), sorted(a ^ b), a <= b, a < b, a >= {1}, a == b, a != b""",
    "methods": """
    a = {1, 2, 3, n}
    b = set()
    b.add(2)
    b.update([5, 6])
    b.update(range(n))
    c = a.union(b)
    d = a.intersection(b)
    a.discard(1)
    a.discard(77)
    e = a.difference(b)
    return sorted(c), sorted(d), sorted(a), a.isdisjoint({50}), a.issubset(c), c.issuperset(a), sorted(e)""",
    "in place": """
    a = {1, 2, 3, n}
    b = {3, 4}
    c = a
    a |= {8}
    a -= {1}
    a &= {2, 3, 8, n}
    a ^= b
    return sorted(a), len(c)""",
    "removed": """
    a = set(range(n + 30))
    for i in range(0, n + 30, 3):
        a.remove(i)
    a.add(3)
    return sorted(a), len(a), 3 in a, 6 in a""",
    "missing": """
    a = {1, 2}
    a.remove(n)
    return len(a)""",
    "order free": """
    a = set()
    for u in v:
        a.add(int(u) * 3 % 5)
    return sum(a), min(a), max(a), any(a), all(a), len(a)""",
    "of pairs": """
    a = set()
    x, y = 0, 0
    for i in range(n * 5):
        x, y = x + i % 3 - 1, y + i % 2
        a.add((x, y))
    return len(a), (0, 1) in a, sorted(a)""",
    "queens": """
    cols, left, right = set(), set(), set()
    def place(r):
        if r == n:
            return 1
        s = 0
        for c in range(n):
            if c in cols or r - c in left or r + c in right:
                continue
            cols.add(c)
            left.add(r - c)
            right.add(r + c)
            s += place(r + 1)
            cols.remove(c)
            left.remove(r - c)
            right.remove(r + c)
        return s
    return place(0)""",
    "sieve": """
    found = set(range(2, n * 10 + 3))
    for i in range(2, n * 10 + 3):
        if i in found:
            for j in range(2 * i, n * 10 + 3, i):
                found.discard(j)
    return len(found), sum(found)""",
    "copied": """
    a = {n, 1}
    b = a.copy()
    b.add(9)
    c = set(b)
    c.clear()
    return len(a), len(b), len(c), bool(c)""",
    "empty": """
    a = set()
    b = {n}
    return len(a), len(a | b), len(a & b), a <= b, b - a == b, a == b""",
    "visited": """
    seen = {0}
    todo = [0]
    while todo:
        u = todo.pop(0)
        for w in (u + 3, u * 2 + 1):
            if w < 4 * n and w not in seen:
                seen.add(w)
                todo.append(w)
    return len(seen)""",
    "frozen": """
    a = frozenset([1, n, 2])
    return len(a), 2 in a""",
    "in a function": """
    def walk(k, seen):
        if k in seen:
            return
        seen.add(k)
        walk(k * 2 % 7, seen)
        walk((k + n) % 7, seen)
    seen = set()
    walk(1, seen)
    return len(seen), sorted(seen)""",
    "two sets": """
    a = set()
    b = set()
    for i in range(n + 4):
        if i in a:
            b.add(i)
        a.add(i * i % 5)
    return sorted(a), sorted(b), len(a & b), a - b == set(), a >= b""",
    "joined": """
    a = set()
    for i in range(n):
        a = a | {i * i % 5}
    return sorted(a)""",
    "given back": """
    def evens(k):
        return {i for i in range(k) if i % 2 == 0}
    return len(evens(n) | evens(n + 3)), 2 in evens(n)""",
    "sudoku": """
    row = [5, 3, n, 7]
    seen = set()
    ok = True
    for x in row:
        if x != 0 and x in seen:
            ok = False
        seen.add(x)
    return ok""",
    "sum of squares": """
    s = {1, 2, n}
    return sum(x * x for x in s), max(abs(x) for x in s)""",
    "happy": """
    seen = set()
    k = n
    while k != 1 and k not in seen:
        seen.add(k)
        t = 0
        while k > 0:
            t += (k % 10) ** 2
            k //= 10
        k = t
    return k == 1""",
}
