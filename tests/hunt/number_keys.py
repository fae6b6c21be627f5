"""Dicts and sets whose keys are numbers: changed and read under several names, in loops, functions and branches."""

from __future__ import annotations

from random import Random

from hunt.case import CALLS, Case
from hunt.writer import program

HEAD = "from collections import Counter, defaultdict\n\n\n"
COUNTS = (
    "{}", "{0: 0}", "{n: 1}", "{i: i * i for i in range(n)}", "dict(zip(ks, range(len(ks))))", "{n: 2, 1: 3}",
    "Counter(ks)", "Counter()", "defaultdict(int)", "dict.fromkeys(range(n), 1)", "dict.fromkeys(ks, n)",
)  # fmt: skip
VALUES = (
    "{}", "{n: x}", "{k: x * k for k in ks}", "{0: 0.5, n: x}", "defaultdict(float)", "dict(enumerate(u))",
)  # fmt: skip
SETS = (
    "set()", "{n}", "{1, n, 3}", "set(ks)", "set(range(n))", "{k * k % 7 for k in ks}",
    "{k for k in ks if k > 1}",
)  # fmt: skip
PAIRS = (
    "{}", "{(n, 0): x}", "{(i, j): i * x - j for i in range(n) for j in range(2)}",
)  # fmt: skip
LISTS = (
    "{}", "{n: [1, 2]}", "{k: [k] for k in ks}", "{i: [] for i in range(n)}", "{0: [n], 1: []}", "defaultdict(list)",
)  # fmt: skip
BEGUN = {"c": COUNTS, "d": VALUES, "s": SETS, "g": LISTS, "p": PAIRS}
GIVEN = ("c", "d", "s", "g")  # which of them may be arguments
HELPERS = """
def lent(h, k, v):
    h.setdefault(k, []).append(v)
    return h[k]
def depth(k, seen):
    if k in seen or k not in g:
        return 0
    seen.add(k)
    return 1 + max([depth(j % 5, seen) for j in g[k]], default=0)
def note(k):
    c[k] = c.get(k, 0) + 1
    return c[k]
def keep(g, k, v):
    g[k] = v
    return len(g)
def once(k):
    if k in s:
        return False
    s.add(k)
    return True
def memo(k):
    if k in c:
        return c[k]
    c[k] = k if k < 2 else memo(k - 1) - 2 * memo(k - 2)
    return c[k]
def made(m):
    new = {}
    for i in range(m):
        new[i * i % 5] = i * 0.5
    return new
def walk(k, seen):
    if k in seen or len(seen) > 6:
        return 0
    seen.add(k)
    return 1 + walk(k * 2 % 7, seen) + walk((k + n) % 5, seen)
def pruned(g, least):
    for k in list(g):
        if g[k] < least:
            del g[k]
    return g
""".strip()
CHANGES = (
    "a = note(n)", "for k in ks:\n    a = note(k % 4)", "a = keep(d, n, x)", "a = keep(d, {k}, 0.5)",
    "a = memo(n + 2)", "for k in ks:\n    if once(k):\n        d[k] = d.get(k, 0.0) + x",
    "e = made(n)\ne[9] = x", "a = walk(n, s)", "a = walk(1, set())", "g = pruned(d, {c})", "g = pruned(c, {k})",
    "d[n] = x", "d[{k}] = x * 2.0", "if n in d:\n    d[n] += x\nelse:\n    d[n] = {c}", "c[{k}] = n",
    "for i in range(n):\n    c[i % 3] = c.get(i % 3, 0) + i", "for k in d:\n    d[k] *= 2.0",
    "for k, v in d.items():\n    d[k] = v - x", "for k in c:\n    c[k] += k", "if n in c:\n    del c[n]",
    "a = c.pop({k}, -1)", "a = d.pop(n, x)", "if c:\n    a = c.popitem()[1]",
    "while len(d) > {k}:\n    a = d.popitem()", "d.update({{n: x, 7: 0.25}})", "c.clear()",
    "e = d.copy()\ne[n] = 1.5", "e = d\ne[{k}] = x", "a = d.setdefault(n, x)",
    "a = [d.setdefault(k, x) for k in ks]", "d = {{n: x}}\nd[{k}] = 0.5",
    "new = {{}}\nfor k, v in d.items():\n    new[k + 1] = new.get(k + 1, 0.0) + v\n    new[k - 1] = v\nd = new",
    "for i in range(n):\n    new = {{}}\n    for k in d:\n        new[k % 3] = d[k] + i\n    d = new",
    "s.add(n)", "s.discard({k})", "if n in s:\n    s.remove(n)", "s |= {{1, n}}", "s &= {{0, 1, 2, n}}",
    "s -= {{n}}", "s ^= {{1, 2}}", "s = s | set(ks)", "s.update(ks)", "for k in sorted(s):\n    a = note(k)",
    "s.update(range(n))", "t = s\nt.add({k})", "t = s.copy()\nt.add({k})",
    "for k in ks:\n    s.add(k % 3)\n    if len(s) > 2:\n        break", "p[n, {k}] = x",
    "for i, k in enumerate(ks):\n    p[(k, i % 2)] = p.get((k, i % 2), 0.0) + x", "p.pop((n, 0), 0.0)",
    "for (i, j), v in p.items():\n    d[i * 2 + j] = v", "if x > {c}:\n    d[n] = 1.0\nelse:\n    d[{k}] = x",
    "if x > {c}:\n    d = {{n: x}}\nelse:\n    d = {{}}\nd[{k}] = x",
    "try:\n    d[n] += x\nexcept KeyError:\n    d[n] = x",
    "for k in ks:\n    try:\n        c[k] += 1\n    except KeyError:\n        c[k] = 10", "d[n * 2**40] = x",
    "d[-n] = 1.0", "k = n\nwhile k not in s and len(s) < 9:\n    s.add(k)\n    k = (k * k + 1) % 11",
    "for i in range(n * 9):\n    c[i * 7 % 23] = i\n    if i % 3 == 1:\n        a = c.pop(i * 7 % 23)",
    "a = d[n]", "del d[{k}]", "for k in ks:\n    c[k] = c.get(k, 0) + 1",
    "inv = {{int(v) % 5: k for k, v in c.items()}}\nc = inv", "e = d if x > {c} else made(n)\ne[n] = x",
    "s.remove({k})", "g.setdefault(n, []).append({k})",
    "for i, k in enumerate(ks):\n    g.setdefault(k % 3, []).append(i)",
    "g[{k}] = [n, 1]", "if n in g:\n    g[n].append({k})\n    g[n].append(n)", "e = lent(g, n, {k})\ne.append(9)",
    "for k in g:\n    if g[k]:\n        a = g[k].pop()",
    "for k, h in g.items():\n    for j in h:\n        a = a + j * x",
    "g[7] = [j + 1 for j in range(n)]\ng[8] = g[7]\ng[8].append({k})",
    "for k in g:\n    g[k].sort()\n    g[k].reverse()",
    "if g.get(n, []):\n    g[n][0] = {k}\n    g[n][-1] += n", "a = g.pop(n, [])",
    "e = g.copy()\ne[n] = [3]\nlent(e, 1, 2)",
    "row = []\nfor i in range(n):\n    row.append(i * i)\ng[{k}] = row", "for k in sorted(g):\n    g[k].extend(ks)",
    "a = depth({k}, set())", "g[{k}][n] = 4", "if {k} in g:\n    g[{k}].insert(0, n)\n    g[{k}] += [n]",
    "g[n].remove({k})",
    "stack = [n]\nwhile stack and len(stack) < 20:\n    k = stack.pop()\n    if k in g and k not in s:\n"
    "        s.add(k)\n        stack.extend(g[k])",
)  # fmt: skip
READS = (
    "len(c)", "len(d)", "len(s)", "sorted(c)", "list(c)", "list(d)", "list(c.items())", "list(d.values())",
    "sorted(s)", "sum(c.values())", "sum(d.values(), 0.0)", "n in c", "n in d", "{k} not in s", "c.get(n, -1)",
    "d.get({k}, x)", "max(c.values()) if c else n", "max(d, key=d.get) if d else n", "min(s) if s else n",
    "sum(s)", "sum(k * k for k in s)", "any(v > {c} for v in d.values())", "all(k >= 0 for k in c)",
    "list(p.items())", "(n, {k}) in p", "sum(p.values())", "c == {{n: 1}}", "sorted(s & set(ks))",
    "sorted(s - {{n}})", "len(s | {{n, 2}})", "s <= set(range(5))", "s == set(ks)", "s.isdisjoint({{n}})",
    "bool(d)", "not s", "[k for k in d if k > {k}]", "{{k: v * 2 for k, v in c.items() if v}}", "c", "d", "s",
    "sorted(d.items(), key=lambda q: q[1])", "[(k, i) for i, k in enumerate(c)]", "d == d.copy()", "c != {{}}",
    "sorted({{k % 3 for k in s}})", "sorted(c, key=lambda k: -c[k])",
    "np.array(list(d.values())).sum() if d else x", "g", "[len(h) for h in g.values()]",
    "sum(sum(h) for h in g.values())",
    "sorted(g)", "g.get(n, [])", "g.get({k}, [])[:2]", "[k for k in g if n in g[k]]", "len(g)", "n in g",
    "{{k: len(h) for k, h in g.items()}}", "[max(h) for h in g.values() if h]",
    "list(reversed(g[n])) if n in g else []",
)  # fmt: skip


def argument(name: str, pick: Random) -> str:
    """A dict or set that is an argument."""
    keys = pick.sample(range(-1, 6), pick.choice((0, 1, 2, 4)))
    if name == "s":
        return f"{{{', '.join(map(str, keys))}}}" if keys else "set()"
    values = {
        "c": lambda: str(pick.randint(-2, 5)),
        "d": lambda: str(round(pick.uniform(-2.0, 2.0), 1)),
        "g": lambda: str([pick.randint(-1, 5) for _ in range(pick.choice((0, 1, 3)))]),
    }
    return f"{{{', '.join(f'{key}: {values[name]()}' for key in keys)}}}"


def number_keys(seed: int) -> Case:
    pick = Random(seed)

    def filled(text: str) -> list[str]:
        for mark, number in (("{c}", round(pick.uniform(-1.5, 1.5), 1)), ("{k}", pick.randint(0, 3))):
            text = text.replace(mark, str(number))
        return ["    " + line for line in text.replace("{{", "{").replace("}}", "}").splitlines()]

    size = pick.choice((0, 1, 3, 4))
    keys = [[pick.randint(-2, 5) for _ in range(size)] for _ in range(CALLS)]
    floats = [[round(pick.uniform(-2.0, 2.0), 1) for _ in range(size)] for _ in range(CALLS)]
    columns = [
        [f"np.array({each}, float)" for each in floats],
        [f"np.array({each}, int)" for each in keys],
        [str(pick.randint(0, 5)) for _ in range(CALLS)],
        [str(round(pick.uniform(-2.0, 2.0), 1)) for _ in range(CALLS)],
    ]
    made = {name: pick.choice(texts) for name, texts in BEGUN.items()}
    given = [name for name in GIVEN if pick.random() < 0.25]
    columns += [[argument(name, pick) for _ in range(CALLS)] for name in given]
    begun = "ks = [int(k) for k in w]\na = 0.0\n"
    begun += "".join(f"{name} = {text}\n" for name, text in made.items() if name not in given)
    lines = ["    " + line for line in f"{begun}{HELPERS}".splitlines()]
    for _ in range(pick.randint(1, 5)):
        lines += filled(pick.choice(CHANGES))
    (returned,) = filled(", ".join(pick.sample(READS, 3)))
    text = program(("u", "w", "n", "x", *given), [*lines, f"    return ({returned.strip()})"], columns, HEAD)
    forms = ["jit-numpy"] + (["batch-text"] if pick.random() < 0.1 and not given else [])
    return Case("number_keys", seed, text, tuple(forms))
