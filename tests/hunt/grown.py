"""Lists that get longer and shorter under several names: in functions that are given them, or stand around them."""

from __future__ import annotations

from random import Random

from hunt.case import CALLS, Case
from hunt.writer import program

MADE = (
    "[]",
    "[x]",
    "[x, 1.5]",
    "[v * 0.5 for v in u]",
    "[x] * n",
    "list(u)",
    "[0.5, x] + [1.0]",
    "[v for v in u if v > {c}]",
)
INTS = ("[]", "[n]", "[0, 3]", "[i * i for i in range(n)]", "[1] * (n + 1)", "list(range(n))")
HELPERS = """
def keep(v):
    xs.append(v)
def drop():
    return xs.pop() if xs else 0.5
def push(zs, v):
    zs.append(v)
    return len(zs)
def trim(zs, k):
    del zs[k:]
    return zs
def put(zs, v):
    if zs:
        zs[0] = v
    else:
        zs.insert(0, v)
def walk(zs, k):
    if k <= 0:
        return 0
    zs.append(k * 0.5)
    found = 1 + walk(zs, k - 1)
    if k % 2:
        zs.pop()
    return found
def fresh(k):
    made = []
    for i in range(k):
        push(made, i * 0.5)
    return made
def both(v):
    keep(v)
    ps.append((len(ps), v))
def gone_through(g, k):
    t = 0.0
    for i in range(k):
        t += g(i * 0.5)
    return t
def counted(v):
    nonlocal total, calls_made
    total += v
    calls_made = calls_made + 1
    return total * 0.5
def noted(v):
    ns.append(len(ns))
    if v > {c}:
        xs.append(v)
    return v + len(xs)
""".strip()
CHANGES = (
    "a = counted(x)", "a = gone_through(counted, n)", "total = total - x", "calls_made += n",
    "keep(x)", "a = drop()", "k = push(xs, x)", "push(ns, n)", "trim(xs, {k})", "trim(ns, n)", "put(xs, 0.25)",
    "put(ns, n)", "k = walk(xs, n)", "ys = fresh(n)\npush(ys, x)", "both(x)", "a = gone_through(noted, n)",
    "a = gone_through(lambda v: push(xs, v) * 0.5, {k})", "ys = xs\nys.append(x)",
    "ys = xs\nxs = [x]\nys.append(1.0)", "for i in range(n):\n    keep(i * x)",
    "for v in u:\n    if v > {c}:\n        both(v)\n    else:\n        a = drop()",
    "while len(xs) < n:\n    push(xs, x)\n    if xs[-1] > {c}:\n        push(xs, 0.5)", "xs.extend(u)",
    "xs += [x, 2.5]", "xs.insert({k}, x)", "xs[{k}:] = [x, 1.0]", "xs.sort()", "xs.reverse()", "xs.clear()",
    "ns.extend([n, 1])", "if xs:\n    del xs[0]", "if x > {c}:\n    keep(x)\nelse:\n    trim(xs, {k})",
    "ys = xs if x > {c} else fresh(2)\nys.append(x)",
    "for i in range(n):\n    new = [x]\n    push(new, i * 0.5)\n    xs = new",
    "ns.remove(n) if n in ns else push(ns, n)", "ys = list(xs)\nkeep(x)\nys.append(1.0)", "ys = xs[1:]\nput(ys, x)",
    "for v in list(xs):\n    keep(v * 0.5)", "for i, v in enumerate(xs):\n    ns.append(i)",
    "if xs:\n    xs[-1] += 0.25\n    keep(xs[0])", "a = [push(xs, v) for v in u]",
    "ys = [x]\nfor i in range(n):\n    if i % 2:\n        ys = xs\n    ys.append(i * 0.5)",
    "a, b = [x], [1.5]\npush(a, x)\npush(b, x)",
    "while ns and len(ns) > {k}:\n    k = ns.pop(0)\n    if k > 1:\n        push(ns, k // 2)",
    "a = sum(xs)\nkeep(a)",
)  # fmt: skip
READS = (
    "xs", "ns", "ps", "len(xs)", "sum(xs)", "xs[-1] if xs else x", "[v for v in xs if v > {c}]", "xs[::2]",
    "sorted(xs)", "list(ns)", "np.array(xs).sum()", "x in xs", "ns.count(n)", "[v * 2 for v in xs]", "xs + [x]",
    "xs[1:]", "sum(ns)", "(xs, xs)", "[i + v for i, v in ps]", "max(xs) if xs else x", "any(v > {c} for v in xs)",
    "len(ns) + len(ps)",
)  # fmt: skip


def grown(seed: int) -> Case:
    pick = Random(seed)

    def filled(text: str) -> list[str]:
        for mark, number in (("{c}", round(pick.uniform(-1.5, 1.5), 1)), ("{k}", pick.randint(0, 3))):
            text = text.replace(mark, str(number))
        return ["    " + line for line in text.splitlines()]

    size = pick.choice((0, 1, 3, 4))
    us = [[round(pick.uniform(-2.0, 2.0), 1) for _ in range(size)] for _ in range(CALLS)]
    columns = [
        [f"np.array({each}, float)" for each in us],
        [str(pick.randint(0, 5)) for _ in range(CALLS)],
        [str(round(pick.uniform(-2.0, 2.0), 1)) for _ in range(CALLS)],
    ]
    lists = f"xs = {pick.choice(MADE)}\nns = {pick.choice(INTS)}\nps = []\nys = xs\n"
    lines = filled(f"{lists}total, calls_made = 0.0, 0\n{HELPERS}")
    for _ in range(pick.randint(1, 5)):
        lines += filled(pick.choice(CHANGES))
    last = pick.choice(("ys", "len(ys)", "sum(ys)", "n", "total", "(total, calls_made)", "calls_made * x"))
    (returned,) = filled(", ".join([*pick.sample(READS, 2), last]))
    text = program(("u", "n", "x"), [*lines, f"    return ({returned.strip()})"], columns)
    return Case("grown", seed, text, ("jit-numpy",))
