"""Views: helpers that return them and write through them, reads and writes of one statement that overlap, names of one
array, views that outlive what they were made of; with values and over lanes, and differentiated.
"""

from __future__ import annotations

from hunt.arithmetic import ELEMENTWISE, OPERATORS
from hunt.case import CALLS, Case
from hunt.derivatives import ARRAYS as SMOOTH
from hunt.writer import Missing, Writer, is_array, is_number

HEAD = """def odd(v):
    return v[1::2]


def turned(v):
    return v[::-1]


def column(m, k):
    return m[:, k]


def inner(v):
    return v[1:-1]


def swapped(m):
    return m.T


def halved(v):
    v *= 0.5
    return v


def first(v, w):
    return v


def put(v, i, x):
    v[i] = x


def added(v, w):
    v[: len(w)] += w[: len(v)]


def moved(v):
    w = v[1:]
    w[:] = v[:-1]
    return w


def filled(m, x):
    for row in m:
        row[0] = x
        x = row[-1] + 0.5
    return m


def sums(v, k):
    if k == 0:
        return v[0]
    v[0] += 0.25
    return sums(v[1:], k - 1) + v[1]


"""
VIEWS = (
    "{v}[1:]", "{v}[::-1]", "{v}[::2]", "odd({v})", "turned({v})", "{m}[0]", "{m}[:, {k2}]", "column({m}, {k2})",
    "{m}.T", "swapped({m})", "{m}.T[0]", "{m}[::-1]", "{m}[:, ::-1]", "{m}.reshape(-1)", "{m}.ravel()",
    "{v}[:, None]",
    "{v}[None]", "{v}[..., None]", "np.diagonal({m})", "{m}[1:, 1:]", "{m}[-1]", "inner({v})", "first({v}, {v})",
    "np.transpose({m})", "{v}.reshape(-1, 1)", "{v}.reshape(1, -1)", "np.broadcast_to({v}, (2, {v}.size))", "{a}",
    "np.squeeze({v}[None])", "np.atleast_2d({v})", "np.flip({v})", "np.swapaxes({m}, 0, 1)", "{m}[1:][0]",
    "{v}[1:][:-1]",
    "turned(turned({v}))", "odd({v}[1:])", "{m}.T[:, 0]", "{m}[[0, 1]]", "{v}[-1:0:-1]", "{m}[..., 0]",
    "{m}[0, ::-1]",
    "np.asarray({v})", "np.array({v})", "{a}.copy()", "{v}.flatten()", "np.expand_dims({v}, 0)", "np.atleast_1d({v})",
    "np.moveaxis({m}, 0, 1)", "np.split({v}, [1])[1]", "np.rollaxis({m}, 1)", "{m}[:, 1:].T",
    "np.array_split({v}, 2)[0]",
    "np.vsplit({m}, [1])[0]",
)  # fmt: skip
CHANGES = (
    "{v}[0] = {z}", "{v}[-1] {op}= {z}", "{v}[:] = {v}[::-1]", "{v}[1:] = {v}[:-1]", "{v}[1:] {op}= {v}[:-1]",
    "{v}[:-1] {op}= {v}[1:]", "{v}[::-1] = {v}", "{m}[0] = {m}[1]", "{m}[:, 0], {m}[:, 1] = {m}[:, 1], {m}[:, 0]",
    "{m}[0], {m}[1] = {m}[1].copy(), {m}[0].copy()", "{m} {op}= {m}.T", "{m}[:] = {m}.T", "{m}.T[0] = {n}",
    "{a} {op}= {n}",
    "halved({v})", "halved({m}[0])", "halved({m}[:, 0])", "put({v}, 0, {n})", "put({m}[0], -1, {n})",
    "put({m}.T, 0, {n})",
    "added({v}, {v})", "added({v}, {v}[::-1])", "added({v}[1:], {v})", "moved({v})", "filled({m}, {n})",
    "filled({m}.T, {n})", "{v}[0], {v}[-1] = {v}[-1], {v}[0]", "{v}[::2] = {v}[1::2][: len({v}[::2])]",
    "{m}[0, :] {op}= {m}[:, 0]", "{m}[1:, 1:] = {m}[:-1, :-1]", "{m} -= {m}[0]", "{m} /= {m}[0, 0] + 3.0",
    "{v} -= {v}[0]", "{v} *= {v}[-1]", "{v}[1:] *= {v}[0]", "{m}[:, 0] = {v}[:2]", "odd({v})[:] = {n}",
    "turned({v})[0] = {n}",
    "{v}[{v} > {c}] = {v}[0]", "{v}[[0, 1]] = {v}[[1, 0]]", "{m}[[0, 1]] = {m}[[1, 0]]", "{m}.T[0, 1] = {n}",
    "{m}.reshape(-1)[1] = {n}", "{m}.ravel()[0] {op}= {n}", "{v}[:, None][0] = {n}", "{v}[None][0, 0] = {n}",
    "{a}.fill({c})", "np.add({v}, {v}[::-1], out={v})", "np.multiply({v}, 2.0, out={v})",
    "{v}[1:-1] = 0.5 * ({v}[2:] + {v}[:-2])",
    "{v}[:] = np.cumsum({v})", "{m}[:] = {m} @ {m}.T[:, :2]", "{m}[:] = {m}[::-1]", "{m}[::-1, ::-1] {op}= {m}",
    "{new} = {v}\n{v} = {v} * 2.0\n{new}[0] = {n}", "{new} = {v}[1:]\n{v} = {v} + 1.0\n{new}[0] = {n}",
    "{new} = {m}[0]\n{m}[0, 0] = {n}", "{new} = {m}.T\n{m}[0, 1] = {n}",
    "{new} = {v}[1:]\n{new}[0] = {n}\n{new} = {new} + {c}", "{new} = {m}[:]\n{new}[0] = {n}\n{new} = {new} + {c}",
    "{new} = {v}.copy()\n{new}[0] = {n}\nu = {new}\n{new} = {new} + {c}\n{new} = u + {new}",
    "{new} = {v}[::-1]\n{v}[0] = {n}\n{new} *= 2.0",
    "for i in range(1, len({v})):\n    {v}[i:] {op}= {v}[i - 1]",
    "for i in range(len({v})):\n    u = {v}[i:]\n    u[0] = i",
    "for row in {m}:\n    row {op}= {c}", "for row in {m}:\n    row[:] = row[::-1]",
    "for i in range(2):\n    {m}[i] = {m}[:, i]",
    "for i in range(2):\n    {v}[:] = {v}[::-1] * 0.5\n    {v}[i] = {n}", "{new} = {v}\nfor i in range({k}):\n"
    "    {new} = {new}[1:] if len({new}) > 2 else {new}\n{new} = {new} * 1.0",
    "u = {v}\nfor i in range({k}):\n    u[0] += i\n"
    "    u = u[::-1]\n{new} = u * 1.0", "if {n} > {c}:\n    {v}[0] = {n}\nelse:\n    {v}[1:] = {n}",
    "if {n} > {c}:\n    u = {v}\nelse:\n    u = {v}[::-1]\n{new} = u[0]", "{new} = sums({v}, 2)",
    "{new} = sums({v}[::-1], 1)",
    "def g():\n    {v}[0] = {n}\ng()", "g = lambda u: put(u, 1, {n})\ng({v})",
    "k = 0\nwhile k < 2:\n    {v}[k:] *= 0.5\n    k += 1",
    "for i, u in enumerate({v}):\n    {v}[-1] = u + i", "for u, w in zip({v}, {v}[::-1]):\n    {v}[0] += u * w",
    "{new} = [{v}, {v}[::-1]]\n{new}[1][0] = {n}\n{new} = {new}[0] + 0.0", "{new} = {v}[{v} > {c}]\n{v}[:] = 0.5",
    "{v}[...] = {n}", "{m}[..., 0] {op}= {n}", "{m}[0][:] = {m}[1][::-1]", "{new} = {v} if {n} > {c} else {v}.copy()",
)  # fmt: skip
READ = (
    "{v}[0]",
    "{v} * 1.0",
    "np.sum({a})",
    "{m}[0, -1]",
    "{v} @ {v}",
    "{a}.copy()",
    "{m} + {m}",
    "np.cumsum({v})",
    "{n}",
)
FORMS = (
    "jit-numpy", "jit-numpy", "jit-text", "jit-text", "batch-numpy", "batch-text", "static-numpy", "groups-text",
    "jit-cuda",
)  # fmt: skip


def add(w: Writer, templates: tuple[str, ...], named: bool) -> None:
    for _ in range(12):
        if w.ended:
            return
        text = w.pick.choice(templates)
        text = f"{{new}} = {text}" if named else text
        text = text.replace("{op}", w.pick.choice("++-*")).replace("{new}", f"t{w.made}")
        text = text.replace("{k2}", str(w.pick.randint(0, 1)))
        while "{v}" in text and w.pick.random() < 0.5:  # one array at several places
            try:
                text = text.replace("{v}", w.some(lambda v: is_array(v) and v.ndim == 1))
            except Missing:
                break
        try:
            text = w.fill(text)
        except Missing:
            continue
        if w.run(text):
            w.made += 1
            for name in ("i", "k", "u", "w", "g", "row"):
                if name not in w.parameters:
                    w.values.pop(name, None)
            return


def vector(w: Writer, smooth: bool, shape: tuple[int, ...], dtype: str) -> str:
    def number() -> str:
        if dtype != "float64" and dtype != "float32":
            return str(w.pick.randint(-9, 9))
        return str(round(w.pick.uniform(0.2, 0.9) if smooth else w.pick.uniform(-3.0, 3.0), 2))

    def nested(sizes: tuple[int, ...]) -> str:
        return f"[{', '.join(nested(sizes[1:]) for _ in range(sizes[0]))}]" if sizes else number()

    if not shape:
        return number()
    return f"np.array({nested(shape)}, np.{dtype})"


def begun(family: str, seed: int, smooth: bool) -> Writer:
    w = Writer(family, seed, narrow=0.0, odd=0.0, head=HEAD)
    size = w.pick.choice((2, 3, 4, 4, 5))
    dtype = "float64" if smooth else w.pick.choice(("float64",) * 4 + ("int64", "float32", "int8"))
    shapes = w.pick.sample(((size,), (size,), (2, 2), (3, 3), (2, 3), ()), w.pick.randint(2, 3))
    for shape in shapes:
        w.parameter([vector(w, smooth, shape, dtype) for _ in range(CALLS)])
    return w


def views(seed: int) -> Case:
    w = begun("views", seed, False)
    for _ in range(w.pick.randint(2, 5)):
        add(w, *((VIEWS, True) if w.pick.random() < 0.45 else (CHANGES, False)))
        if w.pick.random() < 0.3:
            add(w, READ, True)
        if w.pick.random() < 0.15:
            w.assign(w.pick.choice((OPERATORS, ELEMENTWISE)))
    return Case("views", seed, w.text(), (w.pick.choice(FORMS),))


def viewed(seed: int) -> Case:
    """Derivatives of programs that write through views."""
    w = begun("viewed", seed, True)
    for name in list(w.parameters):
        if is_array(w.values[name]) and w.pick.random() < 0.7:
            w.run(f"t{w.made} = {name}{w.pick.choice(('.copy()', ' * 1.0'))}")
            w.made += 1
    for _ in range(w.pick.randint(2, 4)):
        add(w, *((VIEWS, True) if w.pick.random() < 0.4 else (CHANGES, False)))
        if w.pick.random() < 0.3:
            w.assign(SMOOTH)
    names = [name for name in w.values if is_array(w.values[name]) or is_number(w.values[name])]
    ends = [
        w.pick.choice(("np.sum({0})", "np.sum({0} * {0})", "np.sum(np.sin({0}))")).format(name)
        for name in names
    ]
    form = w.pick.choice(("derivative-numpy",) * 3 + ("derivative-text", "lanes-numpy", "second-numpy"))
    return Case("viewed", seed, w.text(" + ".join(ends)), (form,))
