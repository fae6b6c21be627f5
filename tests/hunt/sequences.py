"""Tuples, lists and dicts that change, aliases of them, zip and enumerate, comprehensions, unpacking, calls."""

from __future__ import annotations

from hunt.arithmetic import OPERATORS, forms
from hunt.case import Case
from hunt.writer import Missing, Writer

MADE = (
    "{new} = [{n}, {z}]", "{new} = [{n}, {n}, {c}]", "{new} = ({n}, {a})", "{new} = {{'p': {n}, 'q': {z}}}",
    "{new} = {list}", "{new} = {dict}", "{new} = [{a}, {n}]", "{new} = [u * {c} for u in {list}]",
    "{new} = list({list})", "{new} = {list}[::-1]", "{new} = {list} + [{n}]", "{new} = {list} * 2",
    "{new} = tuple({list})", "{new} = [{list}, {n}]", "{new} = {{'p': {list}, 'q': {n}}}",
    "{new} = [i + {c} for i in range(3)]", "{new} = list(zip({list}, {list}))", "{new} = list(reversed({list}))",
    "{new} = sorted({list}, key=lambda u: u * u - {c} * u)", "{new} = sorted({v}, key=lambda u: -u, reverse=True)",
    "{new} = sorted([(u, i) for i, u in enumerate({list})], key=lambda r: -r[0])[0][1]",
    "{new} = [u for u in {v}]", "{new} = list(enumerate({list}))", "{new} = {list}[1:]",
    "{new} = list({dict}.values())", "{new} = [*{list}, {n}]", "{new} = (*{list}, {c})",
    "{new} = {{**{dict}, 'r': {n}}}",
)  # fmt: skip
CHANGED = (
    "{new} = {list}\nif {n} > {c}:\n    {new} += [{n}]",
    "def grown(u):\n    u += [{n}]\n    return len(u)\n{new} = grown({list})",
    "for i in range(2):\n    {list} = {list} + [i]",
    "for i in range(len({list})):\n    {list}[i] = {list}[i] * 2",
    "if {n} > {c}:\n    {list}[0] = {z}",
    "for i in range(2):\n    {dict}['p'] = {dict}['p'] + i",
    "def change(u):\n    u[0] = {c}\nchange({list})",
    "{new} = [0, 0]\nfor i in range(2):\n    {new}[i] = {n} + i",
    "{list}[0] = {z}", "{list}[-1] = {n}", "{list} += [{n}]", "{list}[0] += {z}", "{list} *= 2",
    "{dict}['p'] = {z}", "{dict}['q'] += {n}", "{dict}['r'] = {n}",
    "{list}[0], {list}[-1] = {list}[-1], {list}[0]", "{list}[{k}] = {c}",
    "{dict}['p'], {dict}['q'] = {dict}['q'], {dict}['p']",
)  # fmt: skip
RARE = (
    "{new} = dict({dict})", "{new} = {dict}.copy()", "{new} = {list}.copy()", "{new} = sorted({list})",
    "{list}.append({n})", "{list}.pop()", "{list}.reverse()", "{list}.extend([{n}])", "{dict}.update(p={n})",
    "{list}.insert(0, {n})", "{dict}.pop('p')", "{list}.sort()", "{list}.clear()", "{dict}.setdefault('p', {n})",
    "{list}[:1] = [{n}]",
)  # fmt: skip
READ = (
    "{list}[0]", "{list}[-1]", "{list}[{k}]", "len({list})", "sum({list})", "max({list})", "{dict}['p']",
    "{dict}['q']", "len({dict})", "{n} in {list}", "'p' in {dict}", "{list} == {list}",
    "sum([u * w for u, w in zip({list}, {list})])", "{list}[{i}]", "sum([i * u for i, u in enumerate({list})])",
    "{list}[1:][0]", "np.array({list})", "np.sum({list})", "min({list})", "sum([u for u, w in zip({v}, {list})])",
    "sum([u * w for u, w in zip({v}, {like}, strict=True)])", "any({list})", "sum([u for u in {dict}.values()])",
    "max({list}, key=lambda u: u * u)", "min({v}, key=lambda u: abs(u - {c}))", "max([u for u in {v}], key=abs)",
    "{k} in range({c})", "{n} in range(1, 9, 2)", "{n} in {{1, 2, {c}}}", "len({list}) in range(5, 0, -1)",
    "list({dict})[0] == 'p'", "all({list})", "sum([u - w for u, w in zip({v}, {v}[::-1], strict=True)])",
    "sum([u * w for u, w in zip({list}, {v}, strict=True)])", "sum((u * w for u, w in zip({v}, {v}) if u > {c}), 0.0)",
    "max((u - {n} for u in {v} if u > {c}), default=0.0)", "any(u > {n} for u in {v})", "all(u < {n} for u in {list})",
    "np.sum([u * w * 1.0 for u, w in zip({v}, {v})])", "np.array([(u - {n}) * 1.0 for u in {v}])",
    "np.max([abs(u) for u in {v}])", "np.sum([[u * w * 1.0 for w in {v}] for u in {v}])",
    "np.mean([[u - {c} for u in r] for r in {m}])",
    "np.sum([np.sum(row) * 1.5 for row in {m}])", "sum((u * i for u in {v} for i in range(3) if i != {k}), 0.5)",
    "min(abs(u) for row in {m} for u in row)", "[lambda t: t * u + {n} for u in {list}][0]({c})",
    "sum([f(i) for i, f in enumerate([lambda t: t - i * {n} for i in range(3)])])",
    "{m}.item((0, {c} % 2))", "sum({v}.tolist())", "sum([u for u in {m}.flat])", "{m}.nbytes + {v}.itemsize",
    "sum({v}[{v} > {c}] * 2.0)", "np.sum({m}[{m} > {n}] - 1.5)",
)  # fmt: skip
FLOW = (
    "{new} = 0\nfor u in {list}:\n    {new} = {new} + u",
    "{new} = {n}\nfor i, u in enumerate({list}):\n    if i > 0:\n        {new} += u",
    "{new} = 0\nfor u, w in zip({list}, {list}):\n    {new} += u * w",
    "{new} = {n}\nfor u in {v}:\n    if u > {new}:\n        {new} = u", "{new}, *_ = {list}",
    "{new} = {n}\nfor name in {dict}:\n    {new} = {new} + {dict}[name]",
    "{new} = 0\nfor u, w in zip({v}, {v}[1:]):\n    {new} += w - u",
    "{new} = 0\nfor u in reversed({list}):\n    {new} = {new} * 2 + u",
    "if {n} > {c}:\n    {new} = {list}\nelse:\n    {new} = [{n}, {c}]",
    "{new} = 0\nfor i, (u, w) in enumerate(zip({list}, {list})):\n    {new} += i * u - w",
    "{new} = {n}\nfor u in ({n}, {z}):\n    {new} -= u",
    "{new} = 0\nfor name, u in {dict}.items():\n    {new} += u",
    "h = {v}.tolist()\n{new} = 0\nwhile h:\n    {new} = {new} * 2 + h.pop()\n    if len(h) > 3:\n        h.reverse()",
    "{new} = {v}.tolist()\n{new}.extend({like}.tolist())\n{new}[0] = {new}[-1]\n{new}.sort()",
    "{new} = dict({dict})\nfor name in {new}:\n    {new}[name] += {new}['p'] * {c}",
    "{new} = {{name: {n} for name in ('p', 'q')}}\nfor i, (name, u) in enumerate({new}.items()):\n"
    "    if u > {c}:\n        {new}[name] = i - u * {new}['q']",
    "{new} = dict.fromkeys(('p', 'q'), {n})\nfor i in range({k}):\n    for name in {new}:\n"
    "        {new}[name] = {new}[name] * 2 - {new}['q']",
    "u = {n}\n{new} = [lambda: u - {c} for u in ({n}, {c}, 3)]\nu = {c}\n{new} = {new}[0]() + {new}[-1]() * u",
    "def held(pairs):\n    s = 0\n    for u, w in pairs:\n        s = s - u * w\n    return s\n"
    "{new} = held(zip({list}, {v})) + 3 * held(zip({list}, {list})) + 7 * held(enumerate({list}, {k}))",
    "def held(numbers):\n    s = 0\n    for u in numbers:\n        s = 2 * s - u\n    return s\n"
    "{new} = held(range({k})) + 10 * held(range(4)) + held(reversed({list})) + 5 * held(reversed({v}))",
    "r = range(len({list}))\n{new} = sum(u * {n} for u in r)\nr = range({k})\n{new} += sum(u * {c} for u in r)",
    "{new} = 0\nfor u in {m}:\n    for w in u:\n        {new} += w",
    "{new} = [None] * 3\nfor i in range(3):\n    {new}[i] = {n} + i",
    "{new} = [None for _ in range(len({v}))]\nfor i, u in enumerate({v}):\n    w = u * {c}\n    {new}[i] = w",
    "k = {k} + 2\n{new} = [None] * k\n{new}[0] = {n}\nfor i in range(1, k):\n    {new}[i] = {new}[i - 1] * 2 - i",
    "rows = [{v}, {v}[1:], {m}[0]]\n{new} = 0\nfor i in range(3):\n    {new} = {new} + np.sum(rows[2 - i]) * i",
    "rows = [({v}, {n}), ({m}[0], {c})]\n{new} = {v}\nfor i in range(2):\n    {new} = {new}[1:] * rows[i][1]",
    "def held(numbers):\n    s = 0\n    for u in numbers:\n        if u > {c}:\n            break\n        s += u\n"
    "    return s\n{new} = held(u - {n} for u in {v}) + held(u * w for u in {list} for w in (1, {c}))",
    "def held(numbers, k):\n    return sum(numbers) * k\n{new} = held((u for u in {list} if u != {k}), k={n})",
    "{new} = 0\nfor u in (w * {c} for w in {list} if w > 0):\n    {new} += u",
    "k = {k}\n{new} = 0\nfor i in range(2, 5):\n    {new} += k * i\n    k += 1\n{new} -= k",
    "{new} = None\nif {n} > {c}:\n    {new} = {z}\n{new} = [bool({new}), isinstance({new}, (float, type(None)))]",
    )  # fmt: skip


def fill(w: Writer, template: str) -> str:
    def some(kind: type) -> str:
        return w.some(lambda value: isinstance(value, kind))

    while "{list}" in template:
        template = template.replace("{list}", some(list), 1)
    while "{dict}" in template:
        template = template.replace("{dict}", some(dict), 1)
    template = template.replace("{new}", f"t{w.made}")
    doubled = template.replace("{{", "\0").replace("}}", "\1")
    return w.fill(doubled).replace("\0", "{").replace("\1", "}")


def add(w: Writer, templates: tuple[str, ...]) -> None:
    for _ in range(6):
        if w.ended:
            return
        try:
            text = fill(w, w.pick.choice(templates))
        except Missing:
            continue
        if w.run(text):
            w.made += 1
            return


def sequences(seed: int) -> Case:
    w = Writer("sequences", seed, narrow=0.2)
    for _ in range(w.pick.randint(1, 2)):
        w.number()
    if w.pick.random() < 0.6:
        w.array()
    kind = w.pick.random()
    if kind < 0.15:
        w.parameter(
            [f"[{w.pick.randint(0, 3)}, {w.pick.randint(-3, 5)}, {w.pick.choice((1, 2))}]" for _ in range(3)]
        )
    elif kind < 0.25:
        w.parameter(
            [f"{{'p': {w.pick.randint(0, 3)}, 'q': {w.pick.choice((0.5, 1.5, -2.0))}}}" for _ in range(3)]
        )
    add(w, MADE)
    for _ in range(w.pick.randint(2, 5)):
        kind = w.pick.random()  # what changes a list is refused today
        add(w, RARE if kind < 0.02 else CHANGED if kind < 0.08 else w.pick.choice((MADE, FLOW)))
        if w.pick.random() < 0.5:
            add(w, tuple("{new} = " + read for read in READ))
    if w.pick.random() < 0.3:
        w.assign(OPERATORS)
    return Case("sequences", seed, w.text(), forms(w))
