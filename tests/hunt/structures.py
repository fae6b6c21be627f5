"""Structures: dataclasses, named tuples, dicts and lists of them; made, taken apart, changed by copies and in their
arrays, given to methods and functions, carried through loops, branches and recursion; arguments and results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hunt.arithmetic import OPERATORS
from hunt.case import CALLS, Case
from hunt.derivatives import ARRAYS as SMOOTH
from hunt.nests import parts
from hunt.writer import Missing, Writer, is_array, is_number

HEAD = """@dataclass
class P:
    a: float
    b: np.ndarray

    def total(self):
        return self.a + np.sum(self.b)

    def scaled(self, s, *, twice=False):
        made = P(self.a * s, self.b * s)
        return made.scaled(2.0) if twice else made

    def put(self, i, value):
        self.b[i] = value
        return self

    @property
    def first(self):
        return self.b[0]

    def __add__(self, other):
        return P(self.a + other.a, self.b + other.b)

    @staticmethod
    def of(x):
        return P(x[0], x * 2.0)


@dataclass(frozen=True)
class Q:
    p: P
    w: np.ndarray
    k: float = 0.5

    @classmethod
    def zero(cls, p):
        return cls(p, np.zeros(len(p.b)))

    def stepped(self, dt):
        return replace(self, p=P(self.p.a + dt * self.k, self.p.b - dt * self.w), w=self.w * (1.0 - dt))


class N(NamedTuple):
    x: float
    y: np.ndarray
    z: float = 1.5

    def norm(self):
        return np.sum(self.y * self.y) * self.x

    def moved(self, dt):
        return self._replace(x=self.x + dt, y=self.y * dt)


class C:
    limit = 2.0

    def __init__(self, a, b, scale=1.0):
        self.a, self.b = a, b
        self.top = self.b[-1] * scale
        if a > self.limit:
            self.a = self.limit
            self.way = 0.5 * self.top
        else:
            self.way = a
        for _ in range(2):
            self.way += 0.25 * self.a

    def total(self, s=1.0):
        return self.a * s + np.sum(self.b) + self.way

    def put(self, i, value):
        self.b[i] = value


@dataclass
class M:
    a: float
    b: np.ndarray
    count: int = 0

    def step(self, dt):
        self.b = self.b * dt
        self.a += dt * np.sum(self.b)
        self.count += 1

    def add(self, x):
        self.count += 1
        self.a += (x - self.a) / self.count
        return self


class R:
    def __init__(self, x, m):
        self.m = m
        self.last = None
        self.reset(x)

    def reset(self, x):
        self.x, self.n = x, 0

    def put(self, y):
        self.n += 1
        if self.last is None or y > self.last:
            self.x += y * self.m.a
        self.last = y
        self.m.a = self.x
        return self.x


def nudged(m, d):
    m.a += d
    m.count += 1
    return m


def exchanged(m, k):
    m.a, k.a = k.a, m.a
    return m.b


def scaled(p, s):
    return P(p.a * s, p.b * s)


def turned(d):
    return {**d, "p": d["q"], "q": d["p"]}


def put(v, i, x):
    v[i] = x
    return v


def pair(p, q):
    return q, p


def deep(p, k):
    if k == 0:
        return p
    if p.a > 3.0:
        return P(p.a, p.b + 1.0)
    return deep(replace(p, a=p.a * 0.5 + k), k - 1)


def sums(n, k):
    if k < 1:
        return n.x
    return sums(n.moved(0.5), k - 1) + sums(N(n.x * 0.5, n.y), k - 2)


def larger(p, q):
    if p.a > q.a:
        return p
    return q


def both(p, *, s=2.0, **more):
    return p.a * s + sum(more.values()), p


"""
MADE = (
    "P({n}, {v})", "P(b={v}, a={n})", "P({n}, {v}.copy())", "N({n}, {v})", "N({n}, y={v}, z={n})", "Q({P}, {v})",
    "Q({P}, {v}, {n})", "Q.zero({P})", "P.of({v})", "{{'p': {P}, 'q': {P} }}", "{{'n': {n}, 'v': {v} }}",
    "[{P}, {P}]",
    "({n}, {P})", "(({n}, {v}), {P})", "{{'n': {n}, 'v': {v}, 'd': {{'n': {n} }}}}", "N({n}, {v})._replace(z={n})",
    "P(*{T2})", "N(*{N})", "P(**{{'a': {n}, 'b': {v} }})", "[{N}, {N}]", "{Q}.p", "{D}['v']", "{DP}['p']",
    "{L}[0]", "{L}[-1]",
)  # fmt: skip
COPIED = (
    "replace({P}, a={n})", "replace({P}, b={v})", "replace({P}, a={P}.a + 1, b={P}.b * 2.0)", "{N}._replace(x={n})",
    "dataclasses.replace({Q}, p={P})", "replace({Q}, w={v}, k={n})", "{N}._replace(y={v})", "{{**{D}, 'n': {n} }}",
    "turned({DP})", "{D} | {{'n': {n} }}", "dict({D}, n={n})", "{L}[::-1]", "[{L}[1], {L}[0]]", "{Q}.stepped({n})",
    "{P}.scaled({n})", "{P}.scaled({n}, twice={bool})", "{N}.moved({n})", "{P} + {P}", "scaled({P}, {n})",
    "deep({P}, {k})",
    "larger({P}, {P})", "{P} if {n} > {c} else {P}", "{N} if {n} > {c} else {N}", "{D} if {n} > {c} else {D}",
    "pair({P}, {P})[0]", "replace({Q}, p=replace({Q}.p, a={n}))", "{{k: u * 2 for k, u in {D}.items()}}",
    "[replace(p, a=p.a * 2) for p in {L}]", "[p.scaled(s) for p, s in zip({L}, ({n}, {c}))]",
    "functools.reduce(lambda p, q: p + q, {L})",
)  # fmt: skip
READ = (
    "{P}.a", "{P}.b", "{P}.b[{k}]", "{P}.total()", "{P}.first", "{N}.x", "{N}[0]", "{N}.y", "{N}[1][{k}]",
    "{N}.norm()",
    "{Q}.p.a", "{Q}.p.b", "{Q}.w", "{Q}.p.total() * {Q}.k", "{D}['n']", "{D}['v']", "{DP}['p'].a", "{DP}['q'].b",
    "{L}[0].a", "{L}[1].b", "sum([p.a for p in {L}])", "sums({N}, {k})", "both({P}, s={n})[0]",
    "both({P}, u={n}, w=2.0)[0]",
    "len({N})", "{N}.y @ {N}.y", "max({P}.a, {P}.a)", "sum({N}[::2])", "{P}.b + {Q}.w",
    "C({n}, {v}).total({n})", "C({n}, {v}.copy(), scale={n}).top * C({c}, {P}.b).way", "P(C({n}, {v}).a, {v})",
    "{P}.scaled({n}).a * {v}", "both({P})[0] * {v}", "{N}.moved({n}).x + {v}", "{P}.b[:-1]", "{P}.b[::-1]",
    "sorted([p.a for p in {L}])[0]",
    "isinstance({P}, P)", "{L}[{k} % 2].a", "{L}[int({n} > {c})].a", "np.array([p.a for p in {L}])",
    "{M}.a * {M}.b", "{M}.count + {M}.a", "R({n}, {M}).put({n})", "nudged({M}, {z}).a", "exchanged({M}, {M})",
    "[nudged({M}, u).a for u in {v}]", "np.array([{M}.add(u).a for u in {v}])", "{M} == {M}",
    "np.stack([p.b for p in {L}])", "[p.b[0] for p in {L}][1]", "any(p.a > {c} for p in {L})",
)  # fmt: skip
WRITTEN = (
    "{P}.b[{k}] = {z}", "{P}.b[:] += {n}", "{N}.y[0] *= {n}", "{D}['v'][{k}] = {z}", "{D}['n'] = {n}",
    "{D}['n'] += {z}",
    "{P}.put({k}, {z})", "put({P}.b, 0, {z})", "put({D}['v'], -1, {z})", "{Q}.p.b[{k}] -= {z}", "{Q}.w[:] = {Q}.p.b",
    "{L}[0].b[0] = {z}", "{P}.b[1:] = {P}.b[:-1]", "{v}[{k}] = {z}", "{new} = {P}.b\n{new}[0] = {z}",
    "{new} = replace({P}, a={n})\n{new}.b[0] = {z}", "{new} = {N}._replace(x=0.0)\n{new}.y[-1] = {z}",
    "for p in {L}:\n    p.b[0] += {z}", "{L}[0], {L}[1] = {L}[1], {L}[0]", "{L}[{k} % 2] = {P}",
    "for i, p in enumerate({L}):\n    {L}[i] = replace(p, a=p.a + i)", "{DP}['p'] = {P}", "{DP}['p'].b[0] = {z}",
    "{new} = P({n}, np.zeros(3))\nfor i in range(3):\n    {new}.b[i] = {P}.b[0] + i",
    "{L}.append({P})", "{P}.b.fill({z})", "{P}.b[{k}], {P}.b[0] = {P}.b[0], {P}.b[{k}]",
)  # fmt: skip
FLOW = (
    "{new} = {P}\nfor i in range({k}):\n    {new} = replace({new}, a={new}.a * 0.5 + {z})",
    "{new} = {P}\nfor i in range({k}):\n    {new} = P({new}.a + i, {new}.b * 0.5)",
    "{new} = {P}\nwhile {new}.a < 4.0:\n    {new} = P({new}.a + 1.0 + abs({n}), {new}.b)",
    "{new} = {N}\nfor u in {v}:\n    {new} = {new}._replace(x={new}.x + u, z={new}.x)",
    "{new} = {N}\nfor i in range(2):\n    {new} = {new}.moved({n})\n    if {new}.x > {c}:\n        break",
    "{new} = {Q}\nfor i in range({k}):\n    {new} = {new}.stepped(0.25)",
    "{new} = {D}\nfor i in range(2):\n    {new} = {{**{new}, 'n': {new}['n'] * 0.5 + i}}",
    "{new} = {DP}\nfor i in range({k}):\n    {new} = turned({new})",
    "if {n} > {c}:\n    {new} = {P}\nelse:\n    {new} = replace({P}, b={P}.b * 2)",
    "{new} = {P}\nif {n} > {c}:\n    {new} = scaled({new}, {n})", "{new}, q = pair({P}, {P})\n{new} = {new}.a - q.a",
    "{new} = 0.0\nfor p in {L}:\n    {new} += p.total()", "{new} = {P}\nfor p in {L}:\n    {new} = larger({new}, p)",
    "{new} = {n}\nfor p, q in zip({L}, {L}[::-1]):\n    {new} = {new} * p.a + q.a", "x, y, *_ = {N}\n{new} = y * x",
    "(x, y), p = ({n}, {v}), {P}\n{new} = p.b * x + y",
    "p, q = {P}, {P}\nfor i in range({k}):\n    p, q = q, p\n{new} = p",
    "p = {P}\nq = scaled({P}, 0.5)\nfor i in range({k}):\n    p, q = q, P(p.a + q.a, p.b - q.b)\n{new} = q",
    "{new} = {P}\nfor i in range(3):\n    if i == {k}:\n        continue\n    {new} = {new}.scaled({z})",
    "def g(p, s=1.0):\n    if p.a > {c}:\n        return p.a, p\n    return s, replace(p, a=s)\n{new} = g({P}, {n})[1]",
    "g = lambda p: replace(p, a=p.a + {n})\n{new} = g(g({P}))", "{new} = None\nif {n} > {c}:\n    {new} = {P}\n"
    "{new} = {P} if {new} is None else {new}", "s = ({P}, 0.0, {v})\nfor i in range({k}):\n"
    "    p, t, u = s\n    s = (replace(p, a=t), p.a + i, u * 0.5)\n{new} = s",
    "{new} = ({n}, {P})\nfor i in range(2):\n    {new} = ({new}[0] * 0.5, {new}[1].scaled({new}[0]))",
    "{new} = [{P}, {P}]\nfor i in range({k}):\n    {new} = [{new}[1], {new}[0] + {new}[1]]",
    "{new} = P({n}, np.zeros(len({v})))\nfor i in range(len({v})):\n    {new}.b[i] = {v}[i] * {new}.a\n"
    "    {new} = replace({new}, a={new}.a + {v}[i])",
    "{new} = C({n}, {v} * 1.0)\nfor i in range({k}):\n    {new}.put(0, {new}.total({z}))\n"
    "    {new} = C({new}.way * 0.5, {new}.b, {n})\n{new} = {new}.total() * {new}.b",
    "{new} = C({n}, {v}) if {n} > {c} else C({c}, {P}.b)\n{new} = {new}.total()",
    "{new} = []\nfor u in {v}:\n    {new}.append(P(u, {P}.b))\n{new} = sum([p.a for p in {new}])",
    "m = (0.0, {P})\nfor p in {L}:\n    if p.a > m[0]:\n        m = (p.a, p)\n{new} = m[1]",
)  # fmt: skip
OBJECTS = ("M({n}, {v})", "M({n}, {v}.copy(), {k})", "M({n}, {v}).add({n})", "nudged(M({n}, {v}), {z})")
CHANGED = (  # objects whose fields are assigned to
    "{M}.a = {n}", "{M}.a += {z}", "{M}.count += 1", "{M}.b = {v}", "{M}.b = {M}.b * {z}", "{M}.b += {n}",
    "{M}.b[{k}] = {z}", "{M}.step({z})", "nudged({M}, {z})", "exchanged({M}, {M})", "{new} = {M}\n{new}.a -= {z}",
    "{new} = [{M}, {M}]\n{new}[{k} % 2].a = {z}", "{new} = ({M}, {n})\n{new}[0].a *= 2.0",
    "{new} = replace({M}, a={n})\n{new}.count += {k}", "{new} = {M}.b\n{M}.b = {v}\n{new}[0] = {z}",
    "g = lambda d: nudged({M}, d).a\n{new} = g({n}) + g(0.5)", "{M}.a, {M}.count = {n}, {k}",
    "for i in range({k}):\n    {M}.step({z})", "if {n} > {c}:\n    {M}.a = {n}\n    {M}.b = {v}",
    "for m in [{M}, {M}]:\n    m.add({n})", "{new} = {M}\nwhile {new}.count < 4:\n    {new}.add({z})",
    "{new} = M({n}, {v}) if {n} > {c} else M({c}, {v})\n{new}.step({z})",
    "{new} = M({n}, {v})\nfor i in range({k}):\n    {new} = M({new}.a + i, {new}.b * 0.5)\n    {new}.step({z})",
    "{new} = R({n}, {M})\nfor u in {v}:\n    if {new}.put(u) > {c}:\n        break\n{new} = {new}.x + {new}.m.a",
    "{new} = [M(0.5 * i, {v}) for i in range(3)]\nfor i in range({k}):\n    {new}[i % 3].add({z})",
    "try:\n    {M}.a += 1.0\n    if {n} > {c}:\n        raise ValueError('large')\n    {M}.step({z})\n"
    "except ValueError:\n    {M}.a = 0.5\n{new} = {M}.a",
    "def g(m, k):\n    if k > 0:\n        m.a = m.a * 0.5 + k\n        g(m, k - 1)\n    return m.a\n"
    "{new} = g({M}, {k})",
)  # fmt: skip
FORMS = ("jit-numpy", "jit-numpy", "jit-text", "batch-numpy", "batch-text", "static-numpy", "groups-text")


def is_of(w: Writer, name: str) -> Callable[[Any], bool]:
    cls = w.names[name]
    return lambda value: isinstance(value, cls)


def has_parts(kind: type, *keys: Any, of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Tuples, lists and dicts by what is in them."""
    return lambda v: type(v) is kind and (not keys or all(k in v for k in keys)) and bool(v) and of(v)


def fill(w: Writer, template: str) -> str:
    """A template, its structures named."""
    tests = {name: is_of(w, name) for name in "PNQM"}
    tests |= {
        "DP": has_parts(dict, "p", "q", of=lambda v: True),
        "D": has_parts(dict, "n", "v", of=lambda v: True),
        "L": has_parts(list, of=lambda v: len(v) > 1 and all(map(tests["P"], v))),
        "T2": has_parts(tuple, of=lambda v: len(v) == 2 and is_number(v[0]) and is_array(v[1])),
    }
    template = template.replace("{new}", f"t{w.made}").replace("{{", "\0").replace("}}", "\1")
    for name, test in tests.items():
        while (place := f"{{{name}}}") in template:
            template = template.replace(place, w.some(test), 1)
    return w.fill(template).replace("\0", "{").replace("\1", "}")


def add(w: Writer, templates: tuple[str, ...], wrap: str = "{}") -> None:
    for _ in range(12):
        if w.ended:
            return
        try:
            text = fill(
                w, wrap.format(w.pick.choice(templates)) if wrap != "{}" else w.pick.choice(templates)
            )
        except Missing:
            continue
        if w.run(text):
            w.made += 1
            for name in ("i", "p", "q", "u", "x", "y", "s", "t", "g", "m", "_", "k"):
                if name not in w.parameters:
                    w.values.pop(name, None)
            return


def given(w: Writer, kind: str, odd: bool) -> None:
    """An argument that is a structure."""

    def number() -> str:
        return str(round(w.pick.uniform(0.2, 0.9) if not odd else w.pick.uniform(-3.0, 3.0), 2))

    def vector() -> str:
        return f"np.array([{', '.join(number() for _ in range(3))}])"

    made = {
        "P": lambda: f"P({number()}, {vector()})",
        "N": lambda: f"N({number()}, {vector()}, {number()})",
        "Q": lambda: f"Q(P({number()}, {vector()}), {vector()}, {number()})",
        "D": lambda: f"{{'n': {number()}, 'v': {vector()}}}",
        "DP": lambda: f"{{'p': P({number()}, {vector()}), 'q': P({number()}, {vector()})}}",
        "L": lambda: f"[P({number()}, {vector()}), P({number()}, {vector()})]",
        "T": lambda: f"(({number()}, {vector()}), {number()})",
        "n": number,
        "v": vector,
    }[kind]
    w.parameter([made() for _ in range(CALLS)])


def body(w: Writer, count: int, plainly: tuple[tuple[str, ...], ...]) -> None:
    changing = 0.6 if w.pick.random() < 0.5 else 0.0
    for _ in range(2 if changing else 0):
        add(w, OBJECTS, "{{new}} = {}")
    for _ in range(count):
        kind = w.pick.random()
        if w.pick.random() < changing:
            add(w, CHANGED)
        elif kind < 0.35:
            add(w, MADE, "{{new}} = {}")
        elif kind < 0.55:
            add(w, COPIED, "{{new}} = {}")
        elif kind < 0.7:
            add(w, FLOW)
        elif kind < 0.85:
            add(w, WRITTEN)
        else:
            w.assign(w.pick.choice(plainly))
        if w.pick.random() < 0.4:
            add(w, READ, "{{new}} = {}")


def structures(seed: int) -> Case:
    w = Writer("structures", seed, narrow=0.4, odd=0.1, head=HEAD)
    w.size = 3
    for kind in w.pick.sample(("P", "N", "Q", "D", "DP", "L", "T", "n", "n", "v", "v"), w.pick.randint(2, 4)):
        given(w, kind, True)
    if w.pick.random() < 0.4:
        w.array(rank=1)
    body(w, w.pick.randint(2, 5), (OPERATORS,))
    listed = w.results()
    returned = listed[0] if len(listed) == 1 else f"({', '.join(listed)})"
    chosen = [w.pick.choice(FORMS)]
    return Case("structures", seed, w.text(returned), tuple(chosen))


def structured(seed: int) -> Case:
    """Derivatives with respect to structures."""
    w = Writer("structured", seed, narrow=0.0, odd=0.0, head=HEAD)
    w.dtypes, w.size = ("float64",), 3
    for kind in w.pick.sample(("P", "N", "Q", "D", "DP", "L", "T", "n", "v"), w.pick.randint(1, 3)):
        given(w, kind, False)
    body(w, w.pick.randint(2, 4), (SMOOTH,))
    added = [total(name, w.values[name]) for name in w.results()]
    form = w.pick.choice(("derivative-numpy",) * 3 + ("derivative-text", "lanes-numpy"))
    text = w.text(" + ".join(["0.0", *filter(None, added)]))
    return Case("structured", seed, text, (form,))


def total(name: str, value: Any) -> str:
    """The sum of a structure's numbers."""
    inside = parts(value)
    if inside is None:
        return f"np.sum({name})" if is_array(value) else name if is_number(value) else ""
    if isinstance(value, dict):
        places = [f"[{key!r}]" for key in value]
    elif isinstance(value, list) or type(value) is tuple:
        places = [f"[{k}]" for k in range(len(inside))]
    else:
        places = [f".{field}" for field in value.__annotations__]
    return " + ".join(
        filter(None, (total(name + place, item) for place, item in zip(places, inside, strict=True)))
    )
