"""Sizes that are known only when the program runs: each call has arrays of other sizes, 0 and 1 among them, so that one
program meets all of them; slices of them, sums of what may be empty, writes and broadcasts that fit in some calls.
"""

from __future__ import annotations

from hunt.case import CALLS, Case
from hunt.values import CASTS, array, scalar
from hunt.writer import Missing, Writer

VALUES = (
    "{v}[{k}:]", "{v}[:{k}]", "{v}[:-1]", "{v}[1:] - {v}[:-1]", "{v}[{k}:{k}]", "{v}[-{k}:]", "{v}[{v} > {c}]",
    "{v}[::-1]", "{v}[::2]",
    "{v}[: len({v}) - 1]", "{v}[1:-1]", "{v}[{v}.size // 2 :]", "{v} + {n}", "{v} * {like}", "{v}[:1] + {v}",
    "{v}[:1] * {v}[1:]", "{v} - {v}[-1:]", "np.sum({v})", "np.sum({v}[{k}:])", "np.prod({v}[1:])", "np.mean({v})",
    "np.mean({v}[1:])", "np.var({v})", "np.var({v}, ddof=1)", "np.sqrt(1.0 + np.var({v}))",
    "np.max({v}, initial={c})", "np.max({v})", "np.min({v}[1:])", "np.argmax({v})", "np.argmin({v}[1:])",
    "np.cumsum({v})", "np.diff({v})", "np.diff({v}, prepend={c})", "np.diff({v}, append={n})",
    "np.concatenate(({v}, {v}[:1]))", "np.concatenate(({v}[1:], {v}[:1]))", "np.roll({v}, {k})", "np.flip({v})",
    "np.tile({v}, {k})", "np.append({v}, {n})", "np.outer({v}, {v}[1:])", "{v} @ {like}", "{v}[1:] @ {v}[:-1]",
    "{v}[:, None] + {v}", "{v}[:, None] * {v}[None, :1]", "np.stack(({v}, {like}))",
    "np.stack(({v}, {like}), axis=1)", "np.zeros(len({v}))", "np.ones_like({v}) * {n}", "np.arange(len({v})) * {n}",
    "np.linspace(0.0, 1.0, len({v}))", "np.full(len({v}), {n})", "np.where({v} > {c}, {v}, {n})",
    "np.where({v} > {c}, {v}, {v}[:1])", "np.maximum({v}, {v}[:1])", "len({v})", "{m}[0]", "{m}[:, 0]", "{m}[1:]",
    "{m}.T", "{m} @ {v}", "{v} @ {m}", "np.sum({m}, axis={axis1})", "np.sum({m}, axis=0, keepdims=True)",
    "np.mean({m}, axis=1)", "np.max({m}, axis=0)", "{m} + {v}", "{m} * {m}[:1]", "{m} - np.mean({m}, axis=0)",
    "{m}.reshape(-1)", "np.reshape({v}, (-1, 1))", "{m}[{k}:, 1:]", "np.trace({m})", "np.eye(len({v}))",
    "np.diag({v})", "np.take({v}, {k})", "{v}[{k}]", "{v}[-1]", "{v}[len({v}) - 1]", "np.any({v} > {c})",
    "np.all({v} > {c})", "sum([u for u in {v}[:2]])", "np.linalg.norm(np.append({v}, 2.0))",
    "np.broadcast_to({v}, (2, len({v})))", "np.squeeze({v}[:1])", "np.array([{n}, {n}])[: len({v})]",
    "np.expand_dims({v}, 0)", "np.swapaxes({m}, 0, 1)", "np.logical_and({v} > {c}, {v} < {n})", "np.dot({v}, {v})",
    "np.inner({v}[1:], {v}[1:])", "np.cumsum({v}[1:])", "np.sum({v}, where={v} > {c})", "np.clip({v}, {c}, None)",
    "np.sum(np.concatenate(({v}[2:{k}] * 2, {like})))", "np.concatenate(({v}[{k}:2], {v}[3:{k}], {v}))",
)  # fmt: skip
SMOOTH = tuple(text for text in VALUES if "ddof" not in text)  # of one element: slopes without end
STATEMENTS = (
    "{new} = {v}.copy()\n{new}[1:] = {v}[:-1]", "{new} = np.zeros(len({v}) + 1)\n{new}[1:] = {v}",
    "{new} = np.zeros(len({v}))\n{new}[:{k}] = {n}", "{new} = {v}.copy()\n{new}[{k}:] *= 2",
    "{new} = np.zeros(3)\n{new}[:] = {v}", "{new} = np.zeros(3)\n{new}[: len({v})] = {v}",
    "{new} = {v}.copy()\n{new}[:] = {v}[:1]", "{new} = {v}.copy()\n{new}[0] = {n}",
    "{new} = {v}.copy()\n{new}[-1] += 1", "{new} = {v} * 2\n{new}[{new} > {c}] = {n}",
    "{new} = {v}.copy()\n{new}[1:] += {v}[1:] * 2",
    "{new} = {v}.copy()\nfor i in range(1, len({new})):\n    {new}[i] = {new}[i] + {new}[i - 1]",
    "{new} = 0.0\nfor u in {v}:\n    {new} = {new} + u",
    "{new} = {n}\nfor i in range(len({v}) - 1):\n    {new} = {new} + {v}[i + 1]",
    "{new} = 0\nfor i in range(len({v}) // 2):\n    {new} += {v}[2 * i]",
    "{new} = 0\nwhile {new} < len({v}) and {v}[{new}] < {c}:\n    {new} += 1",
    "{new} = np.zeros((len({v}), 2))\n{new}[:, 0] = {v}", "{new} = np.zeros((2, len({v})))\n{new}[1] = {v}",
    "{new} = np.zeros((len({v}), len({v})))\nfor i in range(len({v})):\n    {new}[i, i:] = {v}[i:]",
    "{new} = {m}.copy()\n{new}[1:] = {m}[:-1]", "{new} = {m}.copy()\n{new}[:, 0] = {n}",
    "{new} = {m}.copy()\n{new}[0] = {m}[-1]", "{new} = {m}.copy()\nfor i in range(len({new})):\n    {new}[i] *= i",
    "if len({v}) > {k}:\n    {new} = {v}[{k}]\nelse:\n    {new} = {n}", "if len({v}) == 0:\n    return {n}",
    "for u in {v}:\n    if u > {c}:\n        return u", "{new} = {v}.copy()\nw = {new}[1:]\nw += {n}",
    "{new} = {v}.copy()\n{new}.fill({n})", "{new} = {v}.copy()\n{new}[::2] = {v}[::-2]",
    "{new} = np.zeros(len({v}))\nfor i in range(len({v})):\n    {new}[len({v}) - 1 - i] = {v}[i]",
    "{new} = np.array([u * 2 for u in {v}])", "{new} = sum([u * w for u, w in zip({v}, {v}[1:])])",
    "{v}[1:] = {v}[:-1]", "{v}[:{k}] = {n}", "{v} += {v}[:1]", "{m}[:, 1:] = {m}[:, :1]", "{v}[:] = {like}",
    "{v}[{k}:] -= {like}[{k}:]",
    "{new} = {v}.copy()\nw = {like} * 1.0\nfor i in range(3):\n    w[1:-1] = 0.3 * ({new}[:-2] + {new}[1:-1])\n"
    "    {new}[1:-1] = 0.3 * (w[:-2] + w[1:-1])",
    "def g(m, u):\n    made = np.zeros(m)\n    for i in range(m):\n        made[i:] = u[i:m] * 2.0\n    return made\n"
    "{new} = g(len({v}), {v})",
    "{new} = np.zeros(3)\n{new}[: len({v})] = [max(*{v}, {n}, {c}), {n}, {c}][: len({v})]",
    "rows = [{v} * {n}]\nfor i in range({k}):\n    rows.append({m} @ rows[-1])\n{new} = rows[-1]",
    "def g(m, u):\n    made = np.zeros((m, m))\n    for i in range(m):\n        made[i, i:m] = u[i] * u[i:m]\n"
    "    return made\n{new} = g(len({v}), {v})",
    "def g(a, b, c, i, j):\n    return (a - c) @ (b[:i] - c[:j])\n"
    "{new} = g({v}, {like}, {v} * 0.5, len({v}), len({like}))",
)  # fmt: skip


def sizes(seed: int) -> Case:
    w = Writer("sizes", seed, narrow=0.15, odd=0.0)
    is_smooth = w.pick.random() < 0.45
    dtype = "float64" if is_smooth or w.pick.random() < 0.5 else w.pick.choice(w.dtypes)
    counts = [w.pick.choice((2, 3, 4)), *(w.pick.choice((0, 1, 1, 2, 3, 5, 9)) for _ in range(CALLS - 1))]
    ranks = [1, *(w.pick.choice((1, 1, 2)) for _ in range(w.pick.randint(0, 2)))]
    for rank in ranks:
        more = w.pick.choice((0, 0, 0, 0, 1))
        shapes = [[n + more] if rank == 1 else [n + more, w.pick.choice((n, n, 2))] for n in counts]
        w.parameter([uneven(w, shape) if is_smooth else array(w.pick, dtype, shape, 0.0) for shape in shapes])
    w.parameter(
        [scalar(w.pick, dtype, 0.0, python=dtype in CASTS and dtype == "float64") for _ in range(CALLS)]
    )
    for _ in range(w.pick.randint(2, 4)):
        if w.pick.random() < 0.45 and not w.ended:
            stated(w)
        else:
            w.assign(SMOOTH if is_smooth else VALUES)
    made = w.results()
    if is_smooth:
        result = " + ".join(f"np.sum({name} * 1.0)" for name in made)
        forms = (w.pick.choice(("derivative-numpy", "derivative-numpy", "derivative-text", "jit-text")),)
        return Case("sizes", seed, w.text(result), forms)
    return Case("sizes", seed, w.text(), (w.pick.choice(("jit-numpy", "jit-text", "around-numpy")),))


def uneven(w: Writer, shape: list[int]) -> str:
    """Floats of which no two are equal, nor equal to literals: no kinks."""
    if 0 in shape:
        return f"np.zeros({tuple(shape)})"
    items = [
        round(w.pick.uniform(-2.5, 2.5), 3) for _ in range(shape[0] * (shape[1] if len(shape) > 1 else 1))
    ]
    rows = [items[k : k + shape[-1]] for k in range(0, len(items), shape[-1])]
    return f"np.array({rows[0] if len(shape) == 1 else rows})"


def stated(w: Writer) -> None:
    """A statement that can be run, one that returns only where it does not return in the first call."""
    for _ in range(6):
        template = w.pick.choice(STATEMENTS).replace("{new}", f"t{w.made}")
        try:
            text = w.fill(template)
        except Missing:
            continue
        if "return" in text:
            w.lines += ["    " + line for line in text.splitlines()]
            return
        if w.run(text):
            w.made += 1
            for name in ("u", "w", "i"):
                w.values.pop(name, None)
            return
