"""Lists whose length is known when the program runs: made in loops and under tests, changed, read; stacks and queues.

All items of a list are floats, or all are ints, so that what differs is no question of kinds that meet.
"""

from __future__ import annotations

from hunt.case import CALLS, Case
from hunt.writer import Writer

FLOATS = (
    "{new} = []\nfor u in v:\n    if u > {c}:\n        {new}.append(u * x)",
    "{new} = [x]\nwhile len({new}) < n + {k}:\n    {new}.append({new}[-1] * 0.5 + 1.0)",
    "{new} = [u * 0.5 for u in v if u > {c}]", "{new} = [i * x for i in range(n) if i % 2 == {k}]",
    "{new} = [x] * n", "{new} = list(v)", "{new} = [0.5, x] * (n + {k})", "{new} = sorted(v)",
    "{new} = []\nfor u in v:\n    while {new} and {new}[-1] > u:\n        {new}.pop()\n    {new}.append(u + 0.0)",
    "{new} = []\ni = 0\nwhile i < len(v):\n    if v[i] > {c}:\n        {new}.append(v[i])\n    elif {new}:\n"
    "        {new}.pop()\n    i += 1",
    "{new} = [x, 1.5]\nfor i in range(n):\n    if i == {k}:\n        continue\n    {new}.insert(i, i * 0.5)",
    "{new} = []\nfor i in range(n):\n    for j in range(i):\n        if (i + j) % 2:\n"
    "            {new}.append(i * x - j)",
    "{new} = [x]\nfor _ in range(n):\n    new = [1.0]\n    for i in range(len({new}) - 1):\n"
    "        new.append({new}[i] + {new}[i + 1])\n    new.append(0.5)\n    {new} = new",
    "{new} = [1.0] if x > {c} else [x, 2.0]", "{new} = {floats}[1:]", "{new} = {floats}[:-1] + [x]",
    "{new} = {floats} + {floats}", "{new} = [u - w for u, w in zip({floats}, {floats}[1:])]",
    "{new} = list(reversed({floats}))", "{new} = {floats}[::2]", "{new} = {floats}[-n:]", "{new} = {floats}.copy()",
    "{new} = [0] * n\nfor i in range(n):\n    {new}[i] = i * x",
    "{new} = list(range(len(v)))\ni = 0\nwhile i < len(v):\n    {new}[i] = v[i]\n    i += 1",
    "{new} = [0] * len(v)\ndef write(zs, i, u):\n    zs[i] = u\nfor i in range(len(v)):\n    write({new}, i, v[i])",
    "rows = [[x] * (n + 1) for _ in range(2)]\nfor i in range(n):\n    rows[i % 2][i] = i * 0.5\n{new} = rows[n % 2]",
    "rows = [[0] * len(v) for _ in range({k} + 1)]\nfor row in rows:\n    for i in range(len(v)):\n"
    "        row[i] = v[i] + x\n{new} = rows[n % ({k} + 1)]",
    "{new} = []\nfor u in v:\n    heapq.heappush({new}, u * x)\n    if len({new}) > {k} + 1:\n"
    "        heapq.heappop({new})",
    "{new} = list(v)\nheapq.heapify({new})\nif {new}:\n    u = heapq.heappushpop({new}, v[0])\n"
    "    heapq.heapreplace({new}, u)",
    "heap = [(u, i) for i, u in enumerate(v)]\nheapq.heapify(heap)\n{new} = []\nwhile heap:\n"
    "    u, i = heapq.heappop(heap)\n    {new}.append(u * i)\n    if (u, i) < (x, n) and i < 9:\n"
    "        heapq.heappush(heap, (u + 1.0, i + 10))",
    "{new} = [p * 1.0 for p, q in {pairs}]", "{new} = [u + i for i, u in enumerate({floats}) if u != x]",
    "{new} = [zs for zs in ({floats}, {floats})][{k} % 2]", "{new} = list(({floats}, {floats}))[{k} % 2]",
    "{new} = [{floats}, {floats}][{k} % 2]", "for zs in ({floats}, {floats}):\n    {new} = zs",
    "{new} = ([{floats}] * 2)[1]", "{new} = dict(zip('ab', ({floats}, {floats})))['b']",
    "d = {'a': [], 'b': 0.5}\nfor u in v:\n    if u > {c}:\n        d['a'].append(u * d['b'])\n    d['b'] += x\n"
    "{new} = d['a']",
    "both = []\nboth.extend(({floats}, {floats}))\n{new} = both[0]",
)  # fmt: skip
INTS = (
    "{new} = [i for i in range(n) if i != {k}]", "{new} = [n]\nwhile {new}[-1] > 0:\n    {new}.append({new}[-1] // 2)",
    "{new} = [0] * (n + 1)\nfor i in range(n):\n    {new}[(i * 3) % (n + 1)] += i",
    "{new} = []\nfor i in range(len(v)):\n    if v[i] > {c}:\n        {new}.append(i)",
    "{new} = [len({floats}), n]", "{new} = list(range(n))",
    "order = np.argsort(v, kind='stable')\n{new} = [0] * len(v)\n"
    "for i in range(len(v)):\n    {new}[order[i]] = order[-1 - i]",
    "order = np.argsort(v, kind='stable')\n{new} = [1] * len(v)\ndef write(zs, i, u):\n    zs[i] = u\n"
    "for i in range(len(v)):\n    write({new}, i, order[i])", "{new} = sorted({ints}, reverse=True)",
    "{new} = [0]\nwhile {new} and len({new}) < 6:\n    i = {new}.pop(0)\n    if i < n:\n"
    "        {new}.extend([i + 1, i + 2])",
)  # fmt: skip
PAIRS = (
    "{new} = []\nfor i in range(n):\n    if i != {k}:\n        {new}.append((i, i * x))",
    "{new} = list(enumerate(v))", "{new} = [(i, u) for i, u in enumerate({floats})]",
    "{new} = [(n, x)]\nwhile {new} and len({new}) < 5:\n    i, u = {new}.pop()\n    if i > 0:\n"
    "        {new}.append((i - 1, u))\n        {new}.append((i - 2, u * 0.5))\n    else:\n        break",
)  # fmt: skip
CHANGED = (
    "{floats}.append(x)", "if x > {c}:\n    {floats}.append(x)", "if {floats}:\n    {floats}.pop()",
    "if len({floats}) > {k}:\n    {floats}.pop({k})", "{floats}.insert({k}, x)", "{floats}.extend(v)",
    "{floats}[{k}:n] = [x, 0.5]", "{floats}[-{k}:] = v", "{floats}[::-1] = {floats}", "del {floats}[{k}:n]",
    "if len({floats}) > {k}:\n    del {floats}[{k}]", "{floats}[n:{k}] = {floats}", "del {ints}[n:]",
    "{floats}[n::2] = [x] * len({floats}[n::2])", "for i in range(n):\n    {pairs}[i:i] = [(i, x)]",
    "for i in range(1, len({floats})):\n    {floats}[::i] = [0.25 * i] * len(range(0, len({floats}), i))",
    "{floats} += [x, 0.5]", "{floats}.reverse()", "{floats}.sort()", "if {floats}:\n    {floats}[0] = x",
    "if {floats}:\n    {floats}[-1] += 0.25", "for i in range(n):\n    {floats}.append(x * i)",
    "while len({floats}) > {k}:\n    {floats}.pop(0)", "{floats} = {floats} + [x]", "if x < {c}:\n    {floats}.clear()",
    "for u in v:\n    if u in {floats}:\n        break\n    {floats}.append(u)", "{ints}.append(n)", "{ints} += [1, 2]",
    "{ints}.insert(-1, n)", "if {ints}:\n    {ints}[{ints}[0] % len({ints})] = n", "{pairs}.append((n, x))",
    "if {pairs}:\n    i, u = {pairs}.pop()\n    {pairs}.insert(0, (i + 1, u))", "{floats}.extend({floats}[:n])",
    "if len({floats}) > 1:\n    {floats}[0], {floats}[-1] = {floats}[-1], {floats}[0]",
)  # fmt: skip
READ = (
    "len({floats})", "sum({floats}, 0.0)", "sum(u * 2.0 for u in {floats})", "{floats}[-1] if {floats} else x",
    "{floats}[{k}] if len({floats}) > {k} else 0.5", "max({floats}, default=x)", "np.sum(np.array({floats}))",
    "x in {floats}", "any(u > {c} for u in {floats})", "len([u for u in {floats} if u > {c}])", "sum({ints})",
    "{ints}.count({k})", "max({ints}, default=0)", "len({ints}) > n", "sum(i * u for i, u in {pairs})", "len({pairs})",
    "(n, x) in {pairs}", "sum(u * w for u, w in zip({floats}, v))", "not {floats}", "np.array({floats}).sum() + x",
    "sum(i * u for i, u in enumerate({floats}, 2))",
    "min(u for u, w in zip({floats}, {floats}[1:])) if len({floats}) > 1 else x",
    "all(u <= w for u, w in zip({floats}, {floats}[1:]))", "sorted({floats})[0] if {floats} else x",
)  # fmt: skip
KINDS = {"floats": FLOATS, "ints": INTS, "pairs": PAIRS}


def lists(seed: int) -> Case:
    w = Writer("lists", seed, narrow=0.0, odd=0.0)
    pick = w.pick
    size = pick.choice((0, 1, 3, 4, 5))
    vectors = [[round(pick.uniform(-2.0, 2.0), 1) for _ in range(size)] for _ in range(CALLS)]
    w.parameter([f"np.array({each}, float)" for each in vectors], "v")
    w.parameter([str(pick.randint(0, 5)) for _ in range(CALLS)], "n")
    w.parameter([str(round(pick.uniform(-2.0, 2.0), 1)) for _ in range(CALLS)], "x")
    made: dict[str, list[str]] = {kind: [] for kind in KINDS}

    def add(templates: tuple[str, ...], kind: str = "") -> None:
        for _ in range(8):
            text = pick.choice(templates)
            wanted = [each for each in KINDS if f"{{{each}}}" in text]
            if w.ended or any(not made[each] for each in wanted):
                continue
            for each in wanted:
                while f"{{{each}}}" in text:
                    text = text.replace(f"{{{each}}}", pick.choice(made[each]), 1)
            name = f"t{w.made}"
            text = text.replace("{new}", name).replace("{c}", str(round(pick.uniform(-1.5, 1.5), 1)))
            if w.run(text.replace("{k}", str(pick.randint(0, 3)))):
                w.made += 1
                made.setdefault(kind, []).append(name)
                return

    add(FLOATS[:13], "floats")
    for _ in range(pick.randint(1, 5)):
        kind = pick.choice(("floats", "floats", "ints", "pairs", "", ""))
        add(KINDS[kind] if kind else CHANGED, kind or "changed")
    for _ in range(pick.randint(1, 4)):
        add(tuple("{new} = " + read for read in READ), "read")
    listed = made.get("read", [])
    if pick.random() < 0.5:
        listed = [*listed, pick.choice([name for kind in KINDS for name in made[kind]] or ["x"])]
    returned = ", ".join(listed or ["n"])
    forms = ["jit-numpy"] + (["batch-text"] if pick.random() < 0.2 else [])
    return Case("lists", seed, w.text(f"({returned},)"), tuple(forms))
