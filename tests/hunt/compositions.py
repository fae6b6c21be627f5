"""Transformed functions inside functions: gradients, Jacobians, lanes and compiled functions in loops, branches and
closures, of each other; jitted, over lanes, and differentiated once more.
"""

from __future__ import annotations

import random

from hunt.case import CALLS, Case

FORMS = (
    "jit-plain",
    "jit-text",
    "jit-text",
    "batch-plain",
    "batch-text",
    "derivative-plain",
    "derivative-text",
    "lanes-plain",
)
# Of a number x between 0.2 and 0.9.
SCALARS = (
    "x",
    "np.sin(x)",
    "x * x",
    "np.exp(0.3 * x)",
    "1.0 / (1.0 + x)",
    "np.sqrt(x + 0.5)",
    "np.tanh(x)",
    "x**3",
    "0.7",
)
# Of a vector v.
VECTORS = (
    "v",
    "np.sin(v)",
    "v * v",
    "np.exp(-v)",
    "v[::-1]",
    "v / (1.0 + v * v)",
    "np.cumsum(v)",
    "np.append(v[1:], 0.5)",
)
TEMPLATES = (
    "{t} = grad(h)({x})",
    "{t} = grad(h)({x})",
    "{t}, d = value_and_grad(h)({x})\n{t} = {t} * d",
    "{t} = jvp(h, ({x},), ({x},))[1]",
    "{w} = grad(g)({v})",
    "{w} = grad(g)({v})",
    "{w} = jacfwd(m)({v}) @ {v}",
    "{w} = {v} @ jacrev(m)({v})",
    "{t} = np.sum(hessian(g)({v}))",
    "{t} = grad(grad(h))({x})",
    "{w} = batch(h)({v})",
    "{w} = batch(grad(h))({v})",
    "{t} = grad(lambda s: g(s * {v}))({x})",
    "{t} = grad(lambda s: h(s) * s + {x} * s)({x})",
    "for i in range({k}):\n    {x} = {x} - 0.1 * grad(h)({x})",
    "for i in range({k}):\n    {v} = {v} - 0.1 * grad(g)({v})",
    "if {x} > 0.4:\n    {t} = grad(h)({x})\nelse:\n    {t} = h({x})",
    "{t} = jit(h)({x}) * {x}",
    "{t} = grad(jit(h))({x})",
    "{w} = hvp(g, ({v},), (np.sin({v}),))",
    "{w} = batch(m)(np.stack(({v}, 0.5 * {v})))[1]",
    "{w} = np.sum(batch(m)(np.stack(({v}, 0.5 * {v}))), axis=0)",
    "{t} = grad(h2, 1)({x}, {x} + 0.1)",
    "{t} = sum(grad(h2, (0, 1))({x}, 0.5))",
    "{t} = np.sum(batch(h2, (0, None))({v}, {x}))",
    "({t}, more), d = value_and_grad(both, has_aux=True)({x})\n{t} = {t} * d + np.sum(more)",
    "{t} = grad(lambda s: grad(h)(s) * s)({x})",
    "{w} = grad(lambda u: np.sum(batch(h)(u)))({v})",
    "{t} = grad(checkpoint(h))({x})",
    "{w} = grad(lambda u: u @ grad(g)(u))({v})",
    "{t} = 0.0\nfor u in {v}:\n    {t} += grad(h)(u) * u",
    "{t} = grad(r)({x}, {k})",
    "{t} = np.sum(jacrev(r)({x}, {k}))",
    "def loss(s):\n    return np.sum((m({v}) - s) ** 2)\n{t} = grad(loss)({x})",
    "{t} = h2({x}, grad(h)({x}))",
    "{w} = m({v}) + grad(g)({v})",
    "{t} = {x}\nwhile {t} < 2.0:\n    {t} = {t} + 0.5 + 0.1 * abs(grad(h)({t}))",
    "{w} = np.array([grad(h)(u) for u in {v}])",
    "{w} = jvp(m, ({v},), ({v},))[1]",
    "{w} = batch(lambda s: grad(g)(s * {v})[0])({v})",
    "{t} = ONE({x}) * 3.0 + TWO({x})",
    "{t} = grad(ONE)({x}) * 3.0 + grad(TWO)({x})",
    "one, two = scaled({x}), scaled(0.3)\n{t} = grad(lambda s: one(s) * two(s) + ONE(s))({x})",
    "{t} = grad(lambda s, f: f(s) * s)({x}, scaled({x}))",
    "one, two = scaled({x}), scaled(0.3)\n{w} = batch(lambda s: one(s) - two(s))({v})",
    "{t} = quad(lambda s: np.exp(-s * {x}), 0.2, {x} + 1.0)[0]",
    "{t} = brentq(lambda s: s**3 + s - {x}, -3.0, 3.0)",
    "{w} = solve_ivp(lambda s, u: -{x} * u, (0.0, 0.5), {v}, t_eval=[0.5], rtol=1e-9, atol=1e-9).y[:, 0]",
)
NUMBERS = (
    "return {e} * {e} + x",
    "s = {e}\n    for i in range(3):\n        s = s * 0.5 + {e}\n    return s",
    "if x > 0.35:\n        return {e} + {e}\n    return {e} * {e}",
    "s = x\n    while abs(s) < 2.0:\n        s = s * 1.5 + np.sign(s)\n    return s * {e}",
    "made = np.zeros(3)\n    made[0] = {e}\n    made[1] = made[0] * {e}\n"
    "    made[2] += made[1]\n    return np.sum(made * made)",
    "return math.sin({e}) * {e}",
    "a, b = {e}, {e}\n    return a * b - b",
)
SUMS = (
    "return np.sum({e} * {e})",
    "s = 0.0\n    for i in range(len(v)):\n        s += v[i] * s + {e}[i]\n    return s",
    "return {e} @ {e}",
    "made = {e} * 1.0\n    made[1:] = made[:-1] * 0.5\n    return np.sum(made * v)",
    "return np.sum(np.outer({e}, {e})[0])",
    "return np.prod(v + 1.0)",
)
ARRAYS = (
    "return {e} * {e}",
    "made = np.zeros(len(v))\n    for i in range(len(v)):\n"
    "        made[i] = {e}[i] * np.sum(v[: i + 1])\n    return made",
    "return {e} - np.mean({e})",
    "return np.where(v > 0.4, {e}, {e} * v)",
    "made = {e}.copy()\n    made[0] = v[-1] * v[0]\n    return made",
)
REST = """def h2(x, y):
    return h(x) * y + x * y * y


def both(x):
    made = np.array([x, h(x)])
    return made[0] * made[1], made


def r(x, n):
    if n == 0:
        return np.sin(x)
    return x * r(0.9 * x, n - 1) + 0.1


def scaled(a):
    def inner(z):
        return a * h(z) + z

    return inner


ONE, TWO = scaled(2.0), scaled(-0.5)
"""
IMPORTS = """from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

from autodiff import checkpoint, grad, hessian, hvp, jacfwd, jacrev, jvp, value_and_grad
from codegen import jit

"""


class Writer:
    def __init__(self, seed: int):
        self.random = random.Random(f"compositions:{seed}")
        self.numbers, self.vectors = ["x"], ["v"]

    def body(self, templates: tuple[str, ...], parts: tuple[str, ...]) -> str:
        text = self.random.choice(templates)
        while "{e}" in text:
            text = text.replace("{e}", self.random.choice(parts), 1)
        return text

    def statement(self) -> list[str]:
        """One statement of f; new names only where it is sure to be run."""
        text = self.random.choice(TEMPLATES)
        text = text.replace("{x}", self.random.choice(self.numbers)).replace(
            "{v}", self.random.choice(self.vectors)
        )
        text = text.replace("{k}", self.random.choice("123"))
        for place, names, letter in (("{t}", self.numbers, "t"), ("{w}", self.vectors, "w")):
            if place in text:
                text = text.replace(place, f"{letter}{len(names)}")
                made = f"{letter}{len(names)}"
                text += f"\n{made} = 0.3 + 0.4 / (1.0 + {made} * {made})"  # between 0.3 and 0.7
                names.append(made)
        return text.splitlines()

    def text(self) -> str:
        inner = [
            f"def h(x):\n    {self.body(NUMBERS, SCALARS)}\n",
            f"def g(v):\n    {self.body(SUMS, VECTORS)}\n",
            f"def m(v):\n    {self.body(ARRAYS, VECTORS)}\n",
            REST,
        ]
        lines = [line for _ in range(self.random.randint(1, 3)) for line in self.statement()]
        result = f"return {' + '.join(self.numbers)} + np.sum({' * '.join(self.vectors)})"
        main = "def f(x, v):\n    " + "\n    ".join([*lines, result]) + "\n"
        point = lambda: round(self.random.uniform(0.25, 0.9), 3)  # noqa: E731
        rows = ", ".join(f"({point()}, np.array({[point() for _ in range(3)]}))" for _ in range(CALLS))
        return IMPORTS + "\n\n".join([*inner, main, f"def calls():\n    return [{rows}]\n"])


def compositions(seed: int) -> Case:
    writer = Writer(seed)
    return Case("compositions", seed, writer.text(), (writer.random.choice(FORMS),))
