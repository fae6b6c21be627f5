"""Lists that are arguments, and change: item by item, through other names, rows, loops, functions, in branches."""

from __future__ import annotations

from hunt.case import CALLS, Case
from hunt.writer import Writer

BEFORE = (
    "def put(zs, i):\n    zs[i] = zs[i] * 0.5 + 1.0",
    "def turned(zs, i, j):\n    zs[i], zs[j] = zs[j], zs[i]\n    return zs",
    "def first(rows):\n    return rows[0]",
    "def marked(zs, n):\n    for i in range(len(zs)):\n        if zs[i] < n:\n            zs[i] = n + i\n"
    "            return True\n    return False",
    "def small(zs, c):\n    zs[0] = zs[0] + 0.25\n    return zs[0] < c",
)
CHANGES = (
    "xs[{k}] = x", "xs[n % len(xs)] += 0.5", "xs[0], xs[-1] = xs[-1], xs[0]", "ns[{k}] = n", "ns[-{k} - 1] *= 2",
    "for i in range(len(ns)):\n    ns[i] += i", "u[{k}][n % len(u[0])] = x", "r = u[{k}]\nr[0] *= 2.0",
    "for row in u:\n    row[1] -= x",
    "for i in range(len(u)):\n    for j in range(len(u[i])):\n        u[i][j] += i - j",
    "xs.sort()", "xs.reverse()", "ns.sort(reverse=True)", "u[{k}].sort()", "a = xs\na[1] = 0.25", "put(xs, {k})",
    "put(u[{k}], 0)", "turned(xs, 0, {k})", "a = turned(ns, 0, {k})\na[1] = n", "first(u)[{k}] = 3.0",
    "if x > {c}:\n    xs[0] = x\nelse:\n    xs[1] -= x", "a = xs if x > {c} else u[0]\na[0] = 7.0",
    "i = 0\nwhile i < n:\n    xs[i % len(xs)] += ns[i % len(ns)] * 0.5\n    i += 1",
    "u[0][1], u[1][0] = u[1][0], u[0][1]",
    "for i, v in enumerate(xs):\n    xs[i] = v + i", "ps[{k}] = (n, x)", "ps[0], ps[1] = ps[1], ps[0]",
    "for v, row in zip(xs, u):\n    row[0] += v", "xs[n] = x", "if n > 5:\n    raise ValueError(n)",
    "b = list(xs)\nb[0] = x", "b = xs[1:]\nb[0] = x\nb[-1] += 1.0", "b = u[1]\nb[0] = x\nc = b\nc[1] = 2.0",
    "ns[0] += int(xs[0] > 0.0)", "xs[{k}] = xs[{k}] / 2 if xs[0] > {c} else x",
    "for _ in range(2):\n    a = u[_]\n    a[0], a[1] = a[1], a[0]", "b = [x, 1.0]\nput(b, 0)\nxs[0] = b[0]",
    "b = [0] * (n + 2)\nb[n] = 4\nns[1] = turned(b, 0, n)[0]",
    "b = [[0.0] * 3 for _ in range(n + 1)]\nb[n][1] = x\nu[0][0] = b[n][1]",
    "b = [[0.0, x], [1.0, 2.0]]\nc = b[1]\nc[0] = 5.0\nu[1][0] = b[1][0] + b[0][1]",
    "b = [i * x for i in range(n + 2)]\nc = b\nc[1] = 9.0\nxs[1] = b[1]",
    "b = []\nfor v in xs:\n    if v > {c}:\n        b.append(v)\n    else:\n        b.append(x)\n"
    "        put(b, 0)\nxs[0] = sum(b)",
    "b = [0]\nfor i in range(n):\n    b.append(i)\n    turned(b, i, 0)\nns[1] = b[-1]",
    "b = [0] * 4\ni = 0\nwhile marked(b, n) and i < 9:\n    i += 1\nns[{k}] = b[{k}] + i",
    "b = [x]\nwhile small(b, {c}) and len(b) < 6:\n    b.append(b[-1] + 0.5)\nxs[1] = b[-1]",
    "ns[1] = 1 if marked(ns, n) else ns[2]",
    "b = [x, 1.0]\nb = [0.5, x] if small(b, {c}) and x > 0 else b\nxs[0] = b[0]",
    "b = [x]\nwhile len(b) < n:\n    b.append(2.0)\n    if b[-1] > {c}:\n"
    "        put(b, -1)\nput(b, 0)\nxs[1] = b[0] + b[-1]",
)  # fmt: skip
READS = (
    "sum(xs)", "xs[1:]", "len(u)", "xs + [x]", "x in xs", "max(xs)", "[v for v in xs if v > {c}]", "u[0][1]",
    "list(xs)",
    "sum(u[1])", "[row[0] for row in u]", "ns[{k}]", "sum(ns)", "ps[{k}][0]", "sum(p * q for p, q in ps)", "sorted(ns)",
    "np.array(u).sum()", "np.array(xs)", "xs[-1]", "[v * 2 for v in ns]", "u[{k}][:2]", "min(u[{k}])", "ns.count(n)",
    "xs",
    "u", "u[{k}]", "ns", "(xs, u[0])", "xs[::-1]",
)  # fmt: skip


def list_arguments(seed: int) -> Case:
    w = Writer("list_arguments", seed, narrow=0.0, odd=0.0)
    pick = w.pick
    size, rows = pick.choice((4, 5, 9)), pick.choice((4, 9))

    def floats(count: int) -> list[float]:
        return [round(pick.uniform(-2.0, 2.0), 1) for _ in range(count)]

    w.parameter([str(floats(size)) for _ in range(CALLS)], "xs")
    w.parameter([str([pick.randint(-4, 9) for _ in range(size)]) for _ in range(CALLS)], "ns")
    w.parameter([str([floats(4) for _ in range(rows)]) for _ in range(CALLS)], "u")
    w.parameter([str([(pick.randint(0, 4), *floats(1)) for _ in range(size)]) for _ in range(CALLS)], "ps")
    w.parameter([str(pick.randint(0, 6)) for _ in range(CALLS)], "n")
    w.parameter([str(round(pick.uniform(-2.0, 2.0), 1)) for _ in range(CALLS)], "x")

    def filled(text: str) -> str:
        return text.replace("{c}", str(round(pick.uniform(-1.5, 1.5), 1))).replace(
            "{k}", str(pick.randint(0, 3))
        )

    for text in BEFORE:
        w.run(text)
    listed = []
    for _ in range(pick.randint(1, 5)):
        if w.ended:
            break
        w.run(filled(pick.choice(CHANGES)))
        if pick.random() < 0.4 and not w.ended and w.run(f"t{w.made} = {filled(pick.choice(READS))}"):
            listed.append(f"t{w.made}")
            w.made += 1
    returned = ", ".join([*listed, filled(pick.choice(READS))])
    return Case("list_arguments", seed, w.text(f"({returned},)"), ("jit-numpy",))
