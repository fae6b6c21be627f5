"""Branches and loops whose names change type on the way, early returns, and what goes wrong in them: indices out of
range, divisions by zero, raises, asserts, functions outside their domain; their values used or not.
"""

from __future__ import annotations

import random

from random_loops import random_loops

from hunt.arithmetic import NUMBERS, OPERATORS, forms
from hunt.case import CALLS, Case
from hunt.writer import Missing, Writer

ERRORS = (
    "{v}[{i}]", "{v}[{k}]", "{m}[{k}, {i}]", "{i} // {k}", "{i} % {i}", "{n} // {i}", "math.sqrt({n})",
    "math.log({n})", "int({n})", "math.floor({n})", "np.argmax({a})", "np.max({a})", "{v}[[0, {k}]]",
    "np.zeros({i})", "np.linspace(0.0, 1.0, {i})", "np.eye({i})", "math.exp({n} * 100)", "{v}[{idx}]",
    "np.take({v}, {i})", "{v}[{i}:][0]", "[{n}, {c}][{i}]", "math.asin({n})", "np.min({v}[{i}:])", "1 / {i}",
    "{n} / {i}", "divmod({i}, {i})", "np.ones({i})", "np.arange(min({i}, 6))", "{v}[{i}] * 0", "np.full({i}, {n})",
    "np.concatenate(({v}, {v}))[{k}]", "np.reshape({v}, (2, -1))", "{v} + {v}[1:]", "np.int8({i})",
    "math.ceil({n})", "round({n})", "math.pow({n}, {n})", "math.acosh({n})", "math.atanh({n})", "math.gamma({n})",
    "{v}[np.uint8({k})]", "{v}[-{k}]", "({n} // {k}) * 0", "{v}[{k}] == {v}[{k}]", "{v}.reshape(2, 2)",
    "np.max({a}, axis=0)", "{m}[{k}]", "{m}[{k}][{i}]",
)  # fmt: skip
RAISES = (
    "if {n} > {c}:\n    raise ValueError('far')", "assert {n} < {c}",
    "if {n} != {n}:\n    raise ArithmeticError('nan', 3)", "if {n} < {c}:\n    raise IndexError(f'at {{{n}}}')",
    "if {i} == 2:\n    raise KeyError('two')", "assert {n} > {c}, 'small'",
    "for i in range({k}):\n    if i == 2:\n        raise RuntimeError('i is 2')",
    "if {n} > {c}:\n    raise ZeroDivisionError", "if {n} > {c}:\n    raise ValueError",
)  # fmt: skip
BRANCHES = (
    "if {n} > {c}:\n    {new} = {z}\nelse:\n    {new} = {z}", "{new} = {n}\nif {n} > {c}:\n    {new} = {z}",
    "if {n} > {c}:\n    return {result}", "{new} = {z} if {n} > {c} else {z}",
    "{new} = {n}\nwhile {new} > 3:\n    {new} = {new} / 2", "{new} = 0\nfor i in range({k}):\n    {new} += {z}",
    "{new} = {c}\nfor i in range(min({i}, 6)):\n    {new} = {new} + i",
    "{new} = {n}\nfor i in range(3):\n    if i == {k}:\n        break\n    {new} = {new} * {c}",
    "{new} = {n}\nfor i in range(3):\n    if i == {k}:\n        continue\n    {new} = {new} - {c}",
    "{new} = 1\nfor i in range({k}, 0, -1):\n    {new} = {new} * i",
    "{new} = {n}\nfor i in range({k}):\n    {new} = {z}", "for i in range({k}):\n    {new} = i",
    "{new} = {n}\nk = 0\nwhile k < {k}:\n    k += 1\n    {new} = {new} + k",
    "{new} = 0.0\nfor i in range(len({v})):\n    if {v}[i] > {c}:\n        {new} += {v}[i]\n    else:"
    "\n        {new} -= 1",
    "if {n} > {c} and {n} < {z}:\n    {new} = {n}\nelif {n} == {c}:\n    {new} = {z}\nelse:\n    {new} = {c}",
    "{new} = {n} or {z}", "{new} = {n} and {z}",
    "{new} = {n}\nfor u in {v}:\n    {new} = u if u > {new} else {new}", "{new} = [{n}, {z}][{k} % 2]",
    "{new} = max({n}, {z})", "{new} = not {n}", "{new} = {n}\nfor i in range({k}):\n    {new} = {new} + {new}",
    "if {n} > {c}:\n    {new} = {a}\nelse:\n    {new} = {a} * 2",
    "{new} = {n}\nfor i in range(2):\n    for j in range(i, 3):\n        if j == {k}:\n            break"
    "\n        {new} += i - j",
    "{new} = 0\nfor i in range({v}.shape[0] - 1, -1, -1):\n    {new} = {new} * 2 + {v}[i]",
    "if {n}:\n    {new} = 1\nelse:\n    {new} = 2.5",
    "{new} = 0\nwhile True:\n    {new} += 1\n    if {new} > {k}:\n        break",
    "{new} = {n}\nfor i in range(2):\n    {new}, k = {new} * 2, {new}",
    "{new} = {n}\nfor i in range({k}):\n    {new} = {new} / 2\nelse:\n    {new} = {new} + 1",
    "def g(u):\n    u[0] = u[0] + 1\n    return u[0] < 4\n{new} = 0\nwhile g({v}) and {new} < 6:\n    {new} += 1",
    "def g(u, w={c}):\n    return u * w + {n}\n{new} = g({n})", "g = lambda u: u + {n}\n{new} = g({z}) * g({c})",
    "def g(u):\n    if u > {c}:\n        return u\n    return {z}\n{new} = g({n})",
    "def g(u, m):\n    return u[m:] - u[:-m]\n{new} = g({v}, {k})",
    "def g(u, m):\n    return u[:m] * 2\n{new} = g({v}, {k})\n{new} = {new} + {new}[:1]",
    "def g(u, m):\n    return np.concatenate((u[-m:], u[::m]))\n{new} = np.sum(g({v}, {k})) + g({v}, {k})",
)  # fmt: skip
OPTIONAL = (
    "{new} = None\nfor u in {v}:\n    if {new} is None or u < {new}:\n        {new} = u\n"
    "{new} = {c} if {new} is None else {new}",
    "{new} = None\nif {n} > {c}:\n    {new} = {n}\n{new} = {new} or {z}",
    "def g(u):\n    if u > {c}:\n        return u\n{new} = g({n})\n{new} = 0 if {new} is None else {new} * 2",
    "def g(u):\n    for i in range({k}):\n        if u < i:\n            return i, u\n{new} = g({n})\n"
    "{new} = {c} if {new} is None else {new}[1]",
    "{new} = None\nk = 0\nwhile {new} is None or {new} < {c}:\n    {new} = k * {n}\n    k += 1\n    if k > 5:"
    "\n        break\nif {new} is None:\n    {new} = {c}",
    "last = None\n{new} = 0\nfor u in {v}:\n    if last is not None:\n        {new} += u - last\n    last = u",
    "p = [None, {n}]\nif {n} > {c}:\n    p[0] = {z}\n{new} = p[1] if p[0] is None else p[0]",
    "p = [None, {n}, {z}]\nif {n} > {c}:\n    p[0] = {z}\nk = 0\nwhile k < 2 and {z} > {c}:\n    k += 1\n{new} = p[k]\n"
    "if {new} is None:\n    {new} = {c}",
    "{new} = None\nfor i in range({k}):\n    {new} = {n} if {new} is None else {new} + {z}\nif not {new}:"
    "\n    {new} = {c}",
    "{new} = {n} if {n} > {c} else None\nif {new} is not None and {new} > {z}:\n    {new} = {z}\n"
    "elif {new} is None:\n    {new} = {c}",
    "{new} = None\nif {n} > {c}:\n    {new} = {v}\nif {new} is None:\n    {new} = {v} * 2\n{new} = {new} + 1",
    "def g(u, w=None):\n    w = u if w is None else w\n    return u * w\nq = None\nif {n} > {c}:\n    q = {z}\n"
    "{new} = g({n}, q)",
    "q = None\nfor i in range(3):\n    if i == {k}:\n        q = None\n        continue\n    q = i\n"
    "{new} = q is None, q is not None and q > 1",
)  # fmt: skip


def add(w: Writer, templates: tuple[str, ...]) -> None:
    for _ in range(6):
        if w.ended:
            return
        template = w.pick.choice(templates)
        has_result = "{result}" in template
        try:
            template = template.replace("{new}", f"t{w.made}").replace(
                "{result}", w.pick.choice(("{n}", "{y}", "({n}, 1)"))
            )
            text = (
                w.fill(template.replace("{{", "\0").replace("}}", "\1")).replace("\0", "{").replace("\1", "}")
            )
        except Missing:
            continue
        if has_result:  # only where the first call does not return there
            test = text.splitlines()[0][3:-1]
            if w.run(f"t{w.made} = {test}") and not w.values[f"t{w.made}"]:
                w.lines[-1] = "    " + text.replace("\n", "\n    ")
                del w.values[f"t{w.made}"]
            return
        if w.run(text):
            w.made += 1
            for name in ("i", "q", "p", "last"):
                w.values.pop(name, None)
            return


def control(seed: int) -> Case:
    return branching("control", seed, BRANCHES)


def optional(seed: int) -> Case:
    """Names that may be None on the way."""
    return branching("optional", seed, OPTIONAL)


def branching(family: str, seed: int, templates: tuple[str, ...]) -> Case:
    w = Writer(family, seed, narrow=0.35)
    for _ in range(w.pick.randint(1, 2)):
        w.number()
    if w.pick.random() < 0.6:
        w.array(rank=w.pick.choice((1, 1, 2)))
    for _ in range(w.pick.randint(2, 4)):
        add(w, templates)
        if w.pick.random() < 0.4:
            w.assign(w.pick.choice((OPERATORS, NUMBERS)))
    return Case(family, seed, w.text(), forms(w, 0.7))


def errors(seed: int) -> Case:
    """What may raise, in some of the calls; half of it is not used."""
    w = Writer("errors", seed, narrow=0.25)
    w.number("int64" if w.pick.random() < 0.7 else None)
    w.number()
    w.array(rank=w.pick.choice((1, 1, 1, 2)))
    for _ in range(w.pick.randint(1, 3)):
        kind = w.pick.random()
        if kind < 0.6:
            before, made = len(w.lines), w.made
            w.assign(ERRORS)
            if w.pick.random() < 0.35 and len(w.lines) > before:  # in a loop or a branch, or not used
                line = w.lines.pop().strip()
                around = w.pick.choice(
                    ("for i in range(2):", f"if {w.parameters[0]} >= 0:", "for i in range(3):")
                )
                w.lines += [f"    {around}", f"        {line}"]
                w.values.pop(f"t{made}", None)
            elif w.pick.random() < 0.4:
                w.values.pop(f"t{made}", None)
        elif kind < 0.8:
            add(w, RAISES)
        else:
            add(w, BRANCHES)
    listed = w.results() if w.pick.random() < 0.7 else w.parameters[:1]
    returned = ", ".join(listed)
    return Case("errors", seed, w.text(returned), forms(w, 0.7))


def neighbours(seed: int) -> Case:
    """Loops whose iterations read what others write (random_loops.py)."""
    pick = random.Random(seed)
    n = pick.choice((1, 2, 3, 5, 6))

    def vector() -> str:
        return f"np.array({[round(pick.uniform(-1.5, 1.5), 2) for _ in range(n)]})"

    def call() -> str:
        return f"({vector()}, {vector()}, {vector()}, np.stack([{', '.join(vector() for _ in range(n))}]))"

    text = random_loops(seed).removeprefix("import numpy as np\n\n\n")
    calls = "".join(f"        {call()},\n" for _ in range(CALLS))
    text = f"{text}\n\ndef calls():\n    return [\n{calls}    ]\n"
    return Case("neighbours", seed, text, ("jit-numpy", "jit-text", "jit-cuda", "batch-text", "groups-text"))
