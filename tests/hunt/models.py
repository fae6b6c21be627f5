"""Densities as statisticians write them, of parameters with constraints and data of all kinds, and a sampler for them.

`f(**params, **data)` is the density, also a function like any other: its derivatives are held against differences.
Data may also be around it.
"""

from __future__ import annotations

import random
import re

from hunt.case import Case

FORMS = ("sampled-text", "derivative-text", "sampled-numpy", "jit-text")
HEAD = """from scipy import stats

from autobatch.mcmc import HMC, NUTS, RWM, interval, ordered, positive, positive_ordered, real, simplex
from autobatch.mcmc.density import build

"""
# Parameters by what their values are, each with priors that end.
NUMBERS = {
    "real()": ("s -= 0.5 * P**2", "s += stats.norm.logpdf(P, 0.0, 2.0)", "s += stats.t.logpdf(P, 5.0)",
               "s -= np.logaddexp(P, -P)"),
    "interval(-1.0, 2.0)": ("s -= P**2", "s += 0.5 * np.log(P + 1.0)", "s -= 0.1"),
}  # fmt: skip
SCALES = {
    "positive()": ("s -= P", "s += stats.gamma.logpdf(P, 2.0)", "s += stats.halfnorm.logpdf(P)",
                   "s += np.log(P) - 2.0 * P", "s += stats.lognorm.logpdf(P, 0.5)"),
    "interval(0.5, 3)": ("s -= P", "s += np.log(P)"),
}  # fmt: skip
VECTORS = {
    "real(3)": ("s -= 0.5 * np.sum(P**2)", "s += stats.norm.logpdf(P, 0.0, 1.5).sum()", "s -= 0.5 * (P @ P)",
                "for v in P:\n    s -= 0.5 * v * v",
                "s += stats.multivariate_normal.logpdf(P, np.zeros(3), np.eye(3))"),
    "ordered(3)": ("s -= 0.5 * np.sum(P**2)", "s += np.sum(stats.cauchy.logpdf(P)) - np.sum(P**2)"),
    "positive(3)": ("s -= np.sum(P)", "s += np.sum(stats.expon.logpdf(P))"),
    "positive_ordered(3)": ("s -= P[-1] + P.sum()",),
    "simplex(3)": ("s += np.sum(np.log(P))", "s += stats.dirichlet.logpdf(P, np.array([2.0, 1.5, 3.0]))"),
    "interval(0, 1, 3)": ("s += np.sum(np.log(P) + np.log1p(-P))", "s += stats.beta.logpdf(P, 2.0, 2.0).sum()"),
}  # fmt: skip
MATRICES = {
    "real((2, 3))": ("s -= 0.5 * np.sum(P * P)", "s -= 0.5 * np.trace(P @ P.T)",
                     "for row in P:\n    s -= 0.5 * np.dot(row, row)"),
    "positive((2, 3))": ("s -= P.sum()", "s += np.sum(stats.gamma.logpdf(P, 3.0))"),
}  # fmt: skip
KINDS = {"number": NUMBERS, "scale": SCALES, "vector": VECTORS, "matrix": MATRICES}
NAMES = {"number": ("a", "mu"), "scale": ("b", "tau"), "vector": ("c", "theta"), "matrix": ("m", "w")}
DATA = {
    "y": "np.array([0.4, -1.2, 0.3, 1.9, 0.8])",
    "x": "np.linspace(-1.0, 1.0, 5)",
    "X": "np.cos(np.arange(15.0)).reshape(5, 3)",
    "k": "np.array([2, 0, 1, 4, 1])",
    "g": "np.array([0, 2, 1, 1, 0])",
    "seen": "np.array([True, False, True, True, True])",
    "h": "np.array([0.5, 1.5, -0.5, 2.0, 1.0], np.float32)",
    "n": "3",
    "rate": "0.75",
    "times": "[0.1, 0.5, 1.5, 2.0, 2.5]",
}
# Numbers (E), positive ones (S), vectors of three (V) and of as many as there are data (M).
E = (
    "A", "A", "V[0]", "V[1]", "np.sum(V)", "0.5", "rate", "np.log(S)", "W[1, 2]", "A * n", "V.mean()",
    "np.sin(A)", "V @ V", "helper(A, S)", "W[0] @ V", "max(A, 0.2)", "abs(A)", "np.tanh(A)", "V[n - 1]",
    "float(n)", "np.median(y) * A",
)  # fmt: skip
S = (
    "T", "T", "1.0", "np.exp(0.3 * E)", "0.5 + T", "np.sqrt(T)", "np.log1p(np.exp(E))", "np.abs(E) + 0.5",
    "np.hypot(E, 1.0)", "sp.expit(E) + 0.1", "rate * T", "np.sum(np.abs(W))",
)  # fmt: skip
V = (
    "C", "C", "W[0]", "np.array([E, E, E])", "C - C.mean()", "S * C", "np.cumsum(C)", "np.sort(C)",
    "sp.softmax(C)", "X.T @ (E * x + M)", "W[0] + W[1]", "np.where(C > E, C, 0.5)", "X[n] * C", "C[::-1]",
)  # fmt: skip
M = (
    "E", "X @ V", "V[g]", "E * x", "E + E * x", "E * np.exp(-S * x**2)", "np.where(seen, E, V[g])", "h * E",
    "E * y", "np.array([E * t for t in times])", "X @ V + V[g]", "np.cumsum(E * x)", "np.full(5, E)",
    "E - S * np.array(times)",
)  # fmt: skip
TERMS = (
    "s += np.sum(stats.norm.logpdf(y, M, S))",
    "s += stats.norm.logpdf(y, M, S).sum()",
    "s -= 0.5 * np.sum(((y - M) / S) ** 2) + len(y) * np.log(S)",
    "s += np.sum(k * (M) - np.exp(np.minimum(M, 20.0)))",
    "s += np.sum(stats.poisson.logpmf(k, np.exp(np.clip(M, -5.0, 5.0)) + np.zeros(5)))",
    "s += np.sum(stats.bernoulli.logpmf(seen, 0.01 + 0.98 * sp.expit(M)))",
    "s -= np.sum(np.logaddexp(0.0, np.where(seen, -1.0, 1.0) * (M)))",
    "s += np.sum(stats.t.logpdf(y, 3.0 + S, M, S))",
    "s += np.sum(np.logaddexp(stats.norm.logpdf(y, E, S), stats.norm.logpdf(y, E, 1.0)))",
    "s += sp.logsumexp(V) - 0.5 * np.sum((y - M) ** 2)",
    "for i in range(len(y)):\n    s -= 0.5 * ((y[i] - E) / S) ** 2 + np.log(S)",
    "for i in range(1, len(y)):\n    s += stats.norm.logpdf(y[i], E * y[i - 1], S)",
    "level = E\nfor i in range(len(y)):\n    level = 0.9 * level + 0.1 * y[i]\n    s -= abs(y[i] - level)",
    "for v, j in zip(y, g):\n    s -= (v - V[j]) ** 2",
    "for i, c_i in enumerate(k):\n    if seen[i]:\n        s += c_i * np.log(S) - S",
    "if E > 0.3:\n    s -= (E) ** 2\nelse:\n    s -= S",
    "if S > 50.0:\n    return -np.inf",
    "if abs(E) > 30.0:\n    return -np.inf",
    "square = S\nroot = 1.0 + square\nwhile abs(root * root - square) > 1e-10 * (1.0 + square):\n"
    "    root = 0.5 * (root + square / root)\ns -= root",
    "near = np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2 / (S) ** 2) + (0.1 + S) * np.eye(5)\n"
    "low = np.linalg.cholesky(near)\nwhite = np.linalg.solve(low, y - M)\n"
    "s -= 0.5 * (white @ white) + np.sum(np.log(np.diag(low)))",
    "s -= 0.5 * np.linalg.slogdet(np.eye(3) + np.outer(V, V))[1]",
    "resid = y - M\ns -= 0.5 * np.sum(resid * resid) / S + 2.5 * np.log(S)",
    "shares = np.zeros(3)\nfor j in g:\n    shares[j] += E\ns -= shares @ shares",
    "total = sum(v * E for v in y)\ns -= 0.1 * total * total",
    "s += tree(E, n)",
    "forward = sp.log_softmax(V)\nfor i in range(4):\n"
    "    forward = sp.logsumexp(forward[:, None] - np.abs(W[0][None, :]), axis=0) - 0.5 * (y[i] - V) ** 2\n"
    "s += sp.logsumexp(forward)",
    "def inner(z):\n    return -z * z * S\ns += inner(E) + inner(y[0])",
    "s += np.sum(np.array([stats.norm.logpdf(v, E, S) for v in y]))",
    "s -= np.sum(np.abs(np.diff(V)))",
    "s -= np.sum(np.maximum(M, 0.0))",
)
HELPERS = """def helper(a, b):
    if a > 1.0:
        return np.log(a) * b
    return a - 1.0


def tree(a, n):
    if n <= 0:
        return -a * a
    return 0.5 * tree(a - 0.5, n - 1) + 0.25 * tree(a + 0.1, n - 2)

"""
SAMPLERS = (
    "NUTS(max_depth=3)", "NUTS(max_depth=3, metric='dense')", "NUTS(step_size=0.2, max_depth=4)",
    "NUTS(step_size=0.1, max_depth=3, metric='unit')", "NUTS(max_depth=3, adapt='pooled')", "HMC(n_leapfrog=3)",
    "HMC(n_leapfrog=4, step_size=0.1)", "HMC(n_leapfrog=3, metric='dense', adapt='pooled')", "RWM()",
    "RWM(scale=0.4)", "RWM(metric='dense')",
)  # fmt: skip


def models(seed: int) -> Case:
    pick = random.Random(f"models:{seed}")
    params, lines = {}, []
    for kind in ("number", *pick.sample(("scale", "vector", "matrix"), pick.randrange(4))):
        name = pick.choice(NAMES[kind])
        params[name] = pick.choice(list(KINDS[kind]))
        lines.append(pick.choice(KINDS[kind][params[name]]).replace("P", name))
    pick.shuffle(lines)
    lines += [Filler(pick, params).filled(pick.choice(TERMS)) for _ in range(pick.randrange(1, 4))]
    body = "\n".join(lines)
    data = [name for name in DATA if name in words(body)]
    pick.shuffle(data)
    around = [name for name in data if pick.random() < 0.5] if pick.random() < 0.5 else []
    given = [name for name in data if name not in around]
    helpers = HELPERS if {"helper", "tree"} & words(body) else ""
    inside = "".join(f"    {line}\n" for line in ["s = 0.0", *body.split("\n"), "return s"])
    text = (
        f"{HEAD}params = {{{', '.join(f'{name!r}: {said}' for name, said in params.items())}}}\n"
        f"data = {{{', '.join(f'{name!r}: {DATA[name]}' for name in given)}}}\n"
        + "".join(f"{name} = {DATA[name]}\n" for name in around)
        + f"sampler = {pick.choice(SAMPLERS)}\n\n{helpers}\n"
        f"def f({', '.join([*params, *given])}):\n{inside}\n{CALLS_TEXT}"
    )
    return Case("models", seed, text, FORMS)


CALLS_TEXT = """
def calls():
    model = build(f, params, data)
    drawn = (np.random.default_rng(k).uniform(-1.0, 1.0, model.size) for k in range(3))
    split = (model.split(model.constrained(u)).values() for u in drawn)
    given = [np.asarray(v) if isinstance(v, list) else v for v in data.values()]
    return [(*(v if v.shape else float(v) for v in values), *given) for values in split]
"""


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


class Filler:
    """Puts expressions for the capitals of a term: parameters where there are such, numbers elsewhere."""

    def __init__(self, pick: random.Random, params: dict[str, str]):
        self.pick, self.left = pick, 14
        self.own = {kind: [n for n in NAMES[kind] if n in params] for kind in NAMES}

    def filled(self, text: str) -> str:
        return re.sub(r"(?<![\w.])[ASVMECTW](?!\w)", lambda match: self.expression(match[0]), text)

    def expression(self, kind: str) -> str:
        own, other = {
            "A": ("number", "0.3"), "T": ("scale", "1.5"), "C": ("vector", "np.array([0.2, -0.4, 0.9])"),
            "W": ("matrix", "np.array([[0.1, 0.4, -0.3], [1.0, -0.6, 0.2]])"),
        }.get(kind, ("", ""))  # fmt: skip
        if own:
            return self.pick.choice(self.own[own]) if self.own[own] else other
        self.left -= 1
        listed = {"E": E, "S": S, "V": V, "M": M}[kind]
        chosen = self.pick.choice(listed) if self.left > 0 else listed[0]
        made = self.filled(chosen)
        return made if made.isidentifier() else f"({made})"
