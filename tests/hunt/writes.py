"""Programs that change things: elements, slices and masks of arrays, through views and aliases too; arguments; lists
and dicts; arguments that share memory.
"""

from __future__ import annotations

from hunt.arithmetic import ELEMENTWISE, OPERATORS, SHAPES, forms
from hunt.case import Case
from hunt.values import CASTS, number
from hunt.writer import Missing, Writer, program

WRITES = (
    "{v}[{idx}] = {y}", "{v}[{idx}] {op}= {y}", "{a}[{slice}] = {y}", "{a}[{slice}] {op}= {y}", "{a}[:] = {x}",
    "{a}[...] = {x}", "{a}[{idx}] = {x}", "{m}[{k}, {k}] = {y}", "{m}[:, {k}] = {x}",
    "{m}[{slice}, {slice}] = {x}", "{a}[{a} > {c}] = {c}", "{a} {op}= {y}", "{a} {op}= {x}", "{v}[[0, 0]] = {y}",
    "{v}[[0, -1]] {op}= {y}", "{v}[np.array([0, 0])] += {n}", "np.add.at({v}, [0, 0], {y})", "{m}[{k}] = {v}",
    "{m}[:, None][{idx}] = {y}", "{v}[{i}] = {y}", "{v}[{v} < {c}] {op}= {c}", "{a}[{slice}] = {a}[{slice}]",
    "{v}[1:] = {v}[:-1]", "{v}[:-1] += {v}[1:]", "{v}[::-1] = {v}", "{m}[:] = {v}", "{m}.T[{idx}] = {n}",
    "{m}.T[{k}] {op}= {x}", "{m}.T[{k}, {slice}] = {y}",
    "{v}.fill({c})", "{a}[()] = {c}", "{v}[:{k}] = {n}", "{v}[{k}:] = {x}", "{m}[{k}][{k}] = {c}",
    "{m}[{k}, {slice}] {op}= {x}",
)  # fmt: skip
NAMED = (
    "{new} = {a}", "{new} = {a}[{slice}]", "{new} = {a}.T", "{new} = {m}[{idx}]", "{new} = {a}.copy()",
    "{new} = {a}.reshape(-1)", "{new} = {a}.ravel()", "{new} = {a}[::-1]", "{new} = np.zeros_like({a})",
    "{new} = {a} if {n} > {c} else {like}", "{new} = {m}[:, {k}]", "{new} = np.asarray({a})",
    "{new} = np.zeros({k}, {dt})", "{new} = {a}[{slice}][{slice}]", "{new} = np.array({a})", "{new} = {m}[0]",
)  # fmt: skip


def statement(w: Writer, templates: tuple[str, ...]) -> bool:
    template = w.pick.choice(templates)
    if "{op}" in template:
        template = template.replace(
            "{op}", w.pick.choice(("+", "-", "*", "+", "/", "//", "%", "**", "&", "|", "^"))
        )
    name = f"t{w.made}"
    template = template.replace("{new}", name)
    try:
        text = w.fill(template)
    except Missing:
        return False
    if w.pick.random() < 0.15 and "{new}" not in template:
        text = f"for _ in range(2):\n    {text}"
    if w.run(text):
        w.made += 1
        return True
    return False


def writes(seed: int) -> Case:
    w = Writer("writes", seed, narrow=0.5)
    for _ in range(w.pick.randint(1, 3)):
        w.array()
    if w.pick.random() < 0.6:
        w.number()
    for _ in range(w.pick.randint(2, 5)):
        for _ in range(4):
            if w.ended or statement(w, WRITES if w.pick.random() < 0.6 else NAMED):
                break
        if w.pick.random() < 0.3 and not w.ended:
            w.assign(
                w.pick.choice((OPERATORS, ELEMENTWISE, SHAPES, ("np.sum({a})", "{v}[{idx}]", "{a}.copy()")))
            )
    return Case("writes", seed, w.text(), forms(w))


SHARED = (
    ("base[1:]", "base[:-1]"), ("base", "base"), ("base", "base[::-1]"), ("base[:3]", "base[2:]"),
    ("base[::2]", "base[1::2]"), ("base[1:]", "base"), ("base[:-1]", "base[1:]"),
    ("base[:2]", "base[3:]"), ("base", "base[2:3]"),
)  # fmt: skip
LOOPS = (
    "a[{i}] = a[{i}] + b[{i}]", "a[{i}] = b[{i}] * 2", "b[{i}] += a[{i}]", "s += a[{i}] * b[{i}]", "a[{i}] = s",
    "b[{i}] = a[-1 - {i}]", "a[{i}] -= 1", "s = b[{i}]", "a[{i}], b[{i}] = b[{i}], a[{i}]",
)  # fmt: skip
WHOLE = (
    "a[:] = a + b[: len(a)]", "a += 1", "b *= 2", "a[:1] = b[:1]", "b[:] = 0", "a[-1] = b[0]",
    "s = s + np.sum(a) - b[0]", "c = a\n    c[0] = 7", "a = a.copy()", "b = b + 1", "c = b[::-1]\n    c[0] = s",
    "a[:] = a[::-1]", "a[1:] = b[: len(a) - 1]",
)  # fmt: skip


def sharing(seed: int) -> Case:
    """Two arguments that are parts of one array, and loops that write the one and read the other."""
    w = Writer("sharing", seed)
    dtype = w.pick.choice(("float64", "float64", "int64", "int32", "float32"))
    lines = ["    s = 0"]
    for _ in range(w.pick.randint(1, 3)):
        if w.pick.random() < 0.6:
            lines.append("    for i in range(min(len(a), len(b))):")
            lines += [
                "        " + w.pick.choice(LOOPS).replace("{i}", "i") for _ in range(w.pick.randint(1, 2))
            ]
        else:
            lines.append("    " + w.pick.choice(WHOLE))
    lines.append(
        f"    return {w.pick.choice(('s', 'np.sum(a)', 'a[0] + b[-1]', 'a.copy(), s', 'a', '(a, b)', 'b'))}"
    )
    first, second = w.pick.choice(SHARED)
    items = ", ".join(number(w.pick, dtype, 0.0) for _ in range(5))
    setup = f"    base = np.array([{items}], {CASTS[dtype]})\n"
    text = program(["a", "b"], lines, [[first], [second]], setup=setup)
    is_wide = dtype in ("float64", "int64")
    return Case("sharing", seed, text, ("jit-numpy", "jit-text") if is_wide else ("jit-numpy",))
