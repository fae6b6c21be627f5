"""Functions with derivatives of their own: a random linear function of a vector and an int, which takes it to other
sizes. In the rule for the derivative of its square it takes the tangent.
"""

from __future__ import annotations

import random

from hunt.case import Case

LINEAR = (
    "d = d[:k]", "d = d[k:]", "d = d[::2]", "d = d[::-1]", "d = d[-k:]", "d = d[:-1]", "d = d[1:k + 1]",
    "d = np.concatenate((d[k:], d[:k]))", "d = np.append(d, d[0])", "d = np.repeat(d, 2)", "d = np.tile(d, k)",
    "d = np.roll(d, 1)[:k]", "d = np.flip(d)", "d = np.cumsum(d)", "d = np.diff(d, prepend=0.0)", "d = d * k",
    "d = np.hstack((d, np.zeros(k)))", "d = np.outer(d, np.arange(1.0, k + 1.0))[:, -1]", "d = helped(d, k)",
    "d = d[np.arange(k)]", "d = np.sum(np.outer(np.ones(k), d), axis=0)", "d = np.reshape(d, (1, -1))[0]",
    "d = np.take(d, [0, -1])", "d = np.where(np.arange(len(d)) < k, d, 2.0 * d)", "d = np.stack((d, d))[:, 0]",
    "e = np.zeros(k)\nfor i in range(min(k, len(d))):\n    e[i] = 2.0 * d[i]\nd = e",
    "e = np.zeros(len(d) + k)\ne[k:] = d\nd = e", "e = d.copy()\ne[:k] += d[-1]\nd = e",
    "s = 0.0\nfor i in range(len(d)):\n    s += d[i]\nd = np.full(k, s)",
    "if k > 1:\n    d = d[:k]\nelse:\n    d = d[1:]", "if k > 1:\n    d = np.append(d, 0.0)",
    "e = d[:k]\nfor i in range(k):\n    e = e + d[i]\nd = e",
    "d = helped(d, k) if k > 1 else helped(d, 1)", "d = fewer(d, k)",
    "e = d[:1]\nfor i in range(2):\n    e = e + d[:k][0]\nd = np.append(e, d)",
)  # fmt: skip
TEXT = """\
from autobatch import batch
from autodiff import custom_jvp


def helped(d, k):
    return {helped}


def fewer(d, k):
    if len(d) <= k:
        return d
    return fewer(d[:len(d) - 1], k)


def turned(d, k):
{body}
    return d


@custom_jvp
def own(x, k):
    return turned(x, k) ** 2, np.sum(x)


@own.defjvp
def own_jvp(primals, tangents):
    x, k = primals
    d = tangents[0]
    return own(x, k), (2.0 * turned(x, k) * turned(d, k), np.sum(d))


@custom_jvp
def added(x, k):
    return np.cumsum(x) * k, np.sum(x) ** 2


@added.defjvp
def added_jvp(primals, tangents):
    x, k = primals
    return added(x, k), (np.cumsum(tangents[0]) * k, 2.0 * np.sum(x) * np.sum(tangents[0]))


def f(x):
    k = 1 + int(np.sum(x > 0.5)) % 3
{inner}


def calls():
    return [{rows}]
"""
INNER = (
    "    a, b = own(np.sin(x), k)\n    return np.sum(a) * b", "    a, b = own(x, k)\n    return np.sum(np.sin(a))",
    "    s = 0.0\n    for i in range(1, k + 1):\n        a, b = own(x + s, i)\n        s += 0.1 * np.sum(a) + b\n"
    "    return s",
    "    if x[0] > 0.5:\n        a, b = own(x, k)\n        return a[0] * b\n    return np.sum(own(x, 1)[0])",
    "    a, b = batch(added, in_axes=(0, None))(np.outer(x, x), k)\n    return np.sum(np.sin(a)) + np.sum(b * x)",
    "    return np.sum(batch(lambda r: added(r, k)[1] * r[0])(np.outer(x, x)) * np.arange(1.0, len(x) + 1.0))",
    "    a, b = own(x * x, k)\n    a2, b2 = own(a[:2], 1)\n    return np.sum(a2) + b2 * b",
)  # fmt: skip


def customs(seed: int) -> Case:
    pick = random.Random(f"customs:{seed}")
    statements = "\n".join(pick.choice(LINEAR) for _ in range(pick.randint(1, 3)))
    body = "\n".join(f"    {line}" for line in statements.splitlines())
    size = pick.randint(4, 6)
    rows = ", ".join(
        f"(np.array([{', '.join(str(round(pick.uniform(0.2, 0.9), 3)) for _ in range(size))}]),)"
        for _ in range(2)
    )
    text = TEXT.format(
        helped=pick.choice(("d[:k]", "d[k:]", "2.0 * d", "np.concatenate((d[:k], d))")),
        body=body,
        inner=pick.choice(INNER),
        rows=rows,
    )
    form = pick.choice(("derivative-numpy", "derivative-text", "second-numpy", "lanes-numpy"))
    return Case("customs", seed, text, (form,))
