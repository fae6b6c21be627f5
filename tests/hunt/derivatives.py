"""Programs to differentiate: products, quotients, sums and compositions of elementary functions; arrays joined,
reshaped, reduced, multiplied and written, of what is differentiated and of constants; loops (tests/random_programs.py,
tests/random_nests.py, tests/random_tables.py).
"""

from __future__ import annotations

import random

from random_nests import random_nest
from random_programs import random_program
from random_tables import random_table

from hunt.case import Case
from hunt.writer import Missing, Writer

# Smooth between 0.2 and 0.9.
ELEMENTARY = tuple(
    f"np.{name}(U)"
    for name in (
        "sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "arctan", "square", "exp2", "expm1", "log1p", "log2",
        "log10", "sinh", "cosh", "arcsinh", "cbrt", "abs", "reciprocal", "negative", "sign",
    )
) + (
    "np.arcsin(0.9 * U)", "np.arccos(0.9 * U)", "np.arccosh(1.5 + U)", "np.arctanh(0.9 * U)",
    "np.maximum(U, 0.01)", "np.hypot(U, 2.0)", "np.minimum(U, V)", "np.logaddexp(U, V)", "np.arctan2(U, 1.5)",
    "np.power(U, 3)", "U**2", "U**0.5", "U**-1", "U**V", "2.0**U", "sp.erf(U)", "sp.expit(U)",
    "sp.gammaln(1.0 + U)", "sp.xlogy(U, V)", "math.sin(U)", "math.exp(U)", "math.sqrt(U)", "math.log(U)",
    "math.atan2(U, V)", "math.pow(U, 1.5)", "(U if U > 0.01 else V)", "max(U, V)", "np.where(U > V, U, 2.0 * V)",
    "1.0 / U", "U % 7.0", "np.clip(U, -9.0, 9.0)", "np.copysign(U, 1.0)", "U / V", "-U", "abs(U)", "sp.ndtr(U)",
    "sp.log_expit(U)", "math.hypot(U, V)", "sp.psi(1.0 + U)", "float(U)",
    "np.logaddexp(np.logaddexp(np.where(U > 9.0, U, -np.inf), np.where(V > 9.0, V, -np.inf)), U)",
    "np.logaddexp(sp.logsumexp(np.where(np.stack((U, V)) > 9.0, np.stack((U, V)), -np.inf)), U)",
)  # fmt: skip
WAYS = (
    "A * B", "A / B", "A + B", "A - B", "A * B * C", "A * B + C", "A / B * C", "A * (B - C)", "A + B * A",
    "A * A * B", "B / (1.0 + A * A)", "(A + B) * (A - C)", "A * np.exp(-0.5 * A * A)", "A - A * B",
    "(A + B) / (2.0 + C * C)", "A * B / (3.0 + A)",
)  # fmt: skip


def products(seed: int) -> Case:
    """Of one number x, or of x and y."""
    pick = random.Random(f"products:{seed}")
    both = pick.random() < 0.3
    other = "y" if both else "(1.0 - 0.5 * x)" if pick.random() < 0.4 else "x"

    def elementary(inner: str) -> str:
        return pick.choice(ELEMENTARY).replace("U", inner).replace("V", other)

    def part() -> str:
        inner = "x"
        if pick.random() < 0.3:
            inner = pick.choice(
                ("0.1 + 0.5 * x", "x * x", "0.9 * x", "0.2 + x * y" if both else "0.3 * x + 0.2")
            )
            inner = f"({inner})"
        made = elementary(inner)
        if pick.random() < 0.3:  # composed, brought back between 0.2 and 0.9
            made = elementary(f"(0.55 + 0.3 * np.sin({made}))")
        return made

    lines = []
    names = dict(zip("ABC", (part(), part(), part())))
    if pick.random() < 0.5:
        lines = [f"    {name.lower()} = {text}" for name, text in names.items()]
        names = {name: name.lower() for name in names}
    result = "".join(names.get(c, c) for c in pick.choice(WAYS).replace("np.exp", "@")).replace("@", "np.exp")
    points = [(round(pick.uniform(0.25, 0.9), 3), round(pick.uniform(0.25, 0.9), 3)) for _ in range(2)]
    rows = ", ".join(f"({x}, {y})" if both else f"({x},)" for x, y in points)
    body = "\n".join([*lines, f"    return {result}"])
    text = f"def f(x{', y' * both}):\n{body}\n\n\ndef calls():\n    return [{rows}]\n"
    form = pick.choice(
        ("derivative-numpy", "derivative-numpy", "derivative-text", "second-numpy", "lanes-numpy")
    )
    return Case("products", seed, text, (form,))


ARRAYS = (
    "{a} * {y}", "{a} + {fa}", "{a} - {n}", "{a} / (1.5 + {like} * {like})", "np.sin({a})", "np.exp(0.1 * {a})",
    "np.tanh({a})", "{a} ** 2", "np.sqrt(1.0 + {a} * {a})", "{a}[{slice}]", "{a}[{idx}]", "{m}[:, {slice}]",
    "{a}.T", "{a}[None]", "{a}[..., None]", "np.maximum({a}, {c})", "np.where({a} > {c}, {a}, {like})",
    "np.where({a} > 0.3, {a}, 0.0)", "np.minimum({a}, {like})", "np.clip({a}, -0.5, 0.7)", "np.abs({a})",
    "np.concatenate(({a}, {like}))", "np.concatenate([{a}, {like}], axis={axis1})",
    "np.concatenate(({v}, np.ones(2)))", "{v}[[0, 0]]", "np.concatenate((np.zeros(2), {v}, {v}))",
    "np.stack(({a}, {like}))", "np.stack([{a}, np.ones_like({a})], axis={axis1})", "np.array([{n}, {n}])",
    "np.array([{n}, 1.0, 2.0])", "np.stack(({n}, {n}))", "np.hstack(({a}, {like}))", "np.vstack(({a}, {like}))",
    "np.tile({v}, 2)", "np.array([[{n}, 0.0], [1.0, {n}]])", "np.flip({a}, {axis1})",
    "np.roll({a}, 1, axis={axis1})", "np.roll({a}, 2)", "np.take({a}, 0, axis={axis1})", "np.reshape({a}, -1)",
    "{a}.ravel()", "np.broadcast_to({n}, (2, 2))", "np.broadcast_to({v}, (2, len({v})))", "np.cumsum({a})",
    "np.cumsum({a}, axis={axis1})", "np.diff({v})", "np.diff({a}, axis={axis1})", "np.append({v}, {n})",
    "np.diag({v})", "np.diag({m})", "np.full(3, {n})", "np.linspace({n}, {n}, 3)", "np.swapaxes({m}, 0, 1)",
    "np.outer({v}, {v})", "{m} @ {v}", "{v} @ {m}", "{m} @ {m}", "{v} @ {v}", "np.dot({v}, {like})",
    "np.inner({v}, {like})", "np.cross({v}, {like})", "np.trace({m})", "{m} @ {m}.T", "np.squeeze({a})",
    "np.full_like({a}, {n})", "np.linalg.norm(1.0 + {a} * {a})", "sp.logsumexp({a})", "sp.softmax({v})",
    "sp.logsumexp({a}, axis={axis1})", "np.sum({a}, axis={axis})", "np.sum({a}, axis={axis1}, keepdims={bool})",
    "np.mean({a})", "np.mean({a}, axis={axis1})", "np.prod({a})", "np.prod({a}, axis={axis1}, keepdims={bool})",
    "np.var({a})", "np.max({a})", "np.max({a}, axis={axis1})", "np.min({a}, keepdims=True)",
    "np.sum({a} * {like})", "np.sqrt(1.0 + np.var({a}))", "max({n}, {c})", "{n} if {n} > {c} else {c}",
    "{n} * {n}", "np.sin({n}) * {n}", "np.sum({a} > 0.4)", "np.argmax({a}) * {n}",
    "np.array([u * {n} for u in {v}])", "sum([u * u for u in {v}])", "np.eye(2) * {n}",
    "({v}[None] @ {v}[:, None] + {n}).item()", "(np.ones((1, 1)) * {n}).item()", "np.reshape({n}, (1, 1))[0, 0]",
    "np.squeeze({v}[None] @ {v}[:, None] * {n})", "float((np.ones((2, 1)).T @ np.full((2, 1), {n})).item())",
)  # fmt: skip
WRITTEN = (
    "{new} = {a}.copy()\n{new}[{idx0}] = {z}", "{new} = np.zeros(3)\n{new}[:] = {n}",
    "{new} = np.zeros(3)\n{new}[1:] = {n} * {n}", "{new} = {a}.copy()\n{new} *= {n}",
    "{new} = {a} * 1.0\n{new}[{slice}] += {n}", "{new} = np.zeros_like({a})\n{new}[:] = {like}",
    "{new} = {a}.copy()\n{new}[{new} > 0.4] = {c}", "{new} = np.empty(2)\n{new}[0] = {n}\n{new}[1] = {n}",
    "{new} = {v}.copy()\n{new}[[0, 0]] += {n}",
    "{new} = {v}.copy()\nfor i in range(1, len({new})):\n    {new}[i] = {new}[i - 1] * {new}[i]",
    "{new} = 0.0\nfor u in {v}:\n    {new} = {new} * 0.5 + u",
    "{new} = {n}\nfor i in range(3):\n    {new} = np.sin({new}) + {n}",
    "{new} = {v}.copy()\n{new}[1:] = {v}[:-1] * {n}",
    "{new} = {n}\nwhile {new} < 2.0:\n    {new} = {new} * 1.7 + 0.2",
    "{new} = np.zeros((2, 3))\n{new}[:, 0] = {n}\n{new}[1] += {n}",
    "if {n} > {c}:\n    {new} = {n} * {n}\nelse:\n    {new} = {c}", "{new} = {v}.copy()\nu = {new}[1:]\nu *= {n}",
    "{new} = {a}.copy()\n{new}[...] = {like} * {n}", "def g(u):\n    return u * {n}\n{new} = g({a})",
    "{new} = np.zeros(4)\nfor i in range(4):\n    {new}[i] = {n} * i",
    "{new} = {v}.copy()\nnp.add.at({new}, [0, 0], {n})",
    "def g(u, k):\n    return u if k == 0 else np.sin(g(u, k - 1)) + u\n{new} = g({n}, 3)",
    "{new} = {v}.copy()\nfor i in range(len({new}) - 1, -1, -1):\n    {new}[i] = {new}[i] * {n} - {v}[0]",
    "{new} = np.sum(batch(lambda u: u * {n})({v}))", "{new} = batch(lambda u: u * u + 1.0)({v})",
    "def g(u):\n    while u < 2.0:\n        u = u * 1.7 + {n}\n    return u\n{new} = batch(g)({v})",
    "def g(u):\n    if u[0] > 0.45:\n        return u[-1] * {n}\n    return u[0] ** 2\n{new} = batch(g)({m})",
    "def g(u):\n    t = 0.0\n    for i in range(len(u)):\n        if u[i] > 0.6:\n            break\n"
    "        t += u[i]\n    return t * {n}\n{new} = batch(g)({m})",
    "{new} = 0.0\nfor i in range(len({v})):\n    if {v}[i] > 0.5:\n        break\n    {new} += {v}[i]",
    "{new} = {v}[{v} > 0.4] * {n}", "{new} = {v}.copy()\n{new}[{new} > 0.4] *= {n}",
    "{new} = {v}.copy()\nw = {like} * 1.0\nfor i in range(3):\n    w[1:-1] = 0.3 * ({new}[:-2] + {new}[1:-1])\n"
    "    {new}[1:-1] = 0.3 * (w[:-2] + w[1:-1])",
    "def g(m, u):\n    made = np.zeros(m)\n    for i in range(m):\n        made[i:] = u[i:m] * 2.0\n    return made\n"
    "{new} = g(len({v}), {v})",
    "def g(m, u):\n    made = np.zeros((m, m))\n    for i in range(m):\n        made[i, i:m] = u[i] * u[i:m]\n"
    "    return made\n{new} = g(len({v}), {v})",
)  # fmt: skip


ENDS = ("np.sum({0})", "np.sum({0} * {0})", "np.sum(np.sin({0}))")


def joined(seed: int) -> Case:
    """Of arrays and numbers, to a number or an array."""
    w = Writer("joined", seed, narrow=0.0, odd=0.0)
    w.size = w.pick.choice((1, 2, 3, 3))

    def floats(shape: list[int]) -> list[str]:
        def nested(sizes: list[int]) -> str:
            if not sizes:
                return str(round(w.pick.uniform(0.2, 0.9), 3))
            return f"[{', '.join(nested(sizes[1:]) for _ in range(sizes[0]))}]"

        return [f"np.array({nested(shape)})" if shape else nested(shape) for _ in range(2)]

    for _ in range(w.pick.randint(1, 2)):
        rank = w.pick.choice((0, 1, 1, 1, 2))
        w.parameter(floats([w.pick.choice((w.size, w.size, 1, 2)) for _ in range(rank)]))
    if w.pick.random() < 0.6:  # a constant
        sizes = [w.size] if w.pick.random() < 0.6 else [w.size, w.size]
        w.run(f"k = {floats(sizes)[0]}")
    for _ in range(w.pick.randint(2, 4)):
        if w.pick.random() < 0.3 and not w.ended:
            written(w)
        else:
            w.assign(ARRAYS)
    made = [name for name in w.results() if name.startswith("t")]
    if not made:
        made = w.parameters[:1]
    if w.pick.random() < 0.75:
        result = " + ".join(w.pick.choice(ENDS).format(name) for name in made)
        form = w.pick.choice(("derivative-numpy",) * 4 + ("derivative-text", "second-numpy", "lanes-numpy"))
    else:
        result, form = f"{made[-1]} * 1.0", "jacobian-numpy"
    text = w.text(result)
    return Case("joined", seed, text, (form,))


def written(w: Writer) -> None:
    for _ in range(5):
        template = w.pick.choice(WRITTEN).replace("{new}", f"t{w.made}").replace("{idx0}", "0")
        try:
            text = w.fill(template)
        except Missing:
            continue
        if w.run(text):
            w.made += 1
            for name in ("u", "i", "g"):
                w.values.pop(name, None)
            return


def loops(seed: int) -> Case:
    """Nests of loops that read and write arrays in place."""
    pick = random.Random(f"loops:{seed}")
    body = random_program(seed).split("def f(", 1)[1]

    def array() -> str:
        return f"np.array([{', '.join(str(round(pick.gauss(0, 1), 3)) for _ in range(5))}])"

    rows = ", ".join(f"({array()}, {array()})" for _ in range(2))
    text = f"def f({body}\n\ndef calls():\n    return [{rows}]\n"
    derived = ("derivative-numpy", "derivative-numpy", "derivative-text")
    form = pick.choice((*derived, "batch-text", "groups-text", "jit-text", "jit-numpy"))
    return Case("loops", seed, text, (form,))


def nests(seed: int) -> Case:
    """Loops over a vector and a matrix that are read and written by elements, slices and windows."""
    derived = ("derivative-numpy", "derivative-text", "second-numpy")
    return of_vector_and_matrix(
        "nests", seed, random_nest(seed), 12, (*derived, "jit-text", "batch-text", "groups-text")
    )


def tables(seed: int) -> Case:
    """Loops in loops that fill a table: by rows, diagonals, bands and triangles."""
    others = ("derivative-text", "second-numpy", "jit-text", "batch-text")
    return of_vector_and_matrix("tables", seed, random_table(seed), 7, ("derivative-numpy",) * 4 + others)


def of_vector_and_matrix(family: str, seed: int, program: str, n: int, forms: tuple[str, ...]) -> Case:
    """A program of a vector of n and a matrix, in one of some forms."""
    pick = random.Random(f"{family}:{seed}")
    body = program.split("def f(", 1)[1]
    made = "np.random.default_rng({}).uniform(-0.9, 0.9, {})"
    rows = ", ".join(f"({made.format(k, n)}, {made.format(-k % 97, (n, n))})" for k in (1, 2))
    text = f"def f({body}\n\ndef calls():\n    return [{rows}]\n"
    return Case(family, seed, text, (pick.choice(forms),))
