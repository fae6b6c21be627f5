"""Loops that carry arrays whose size changes: vectors and matrices that lose places by slices, steps and masks, or get
some by append and concatenate, beside each other and beside numbers, in for and while, branches and loops inside.

Derivatives of them, of the first and second order, and over lanes.
"""

from __future__ import annotations

import random
import re

import numpy as np

from hunt.case import CALLS, Case, names_of, plain
from hunt.limits import TooLong, limited
from hunt.nests import leaves

SHORTER = (
    "{v}[1:]", "{v}[:-1] * {s}", "np.sin({v}[1:] * {v}[:-1])", "0.5 * ({v}[1:] - {v}[:-1])", "{v}[::2]",
    "{v}[::2] * np.cos({v}[::2])", "np.diff({v})", "np.cos({v}[1:]) + 0.3 * {v}[:-1]", "np.sort({v})[1:]",
    "{v}[: len({v}) // 2] * np.cos({v}[len({v}) - len({v}) // 2 :])", "np.tanh({v}[1:-1] + {v}[2:] - {v}[:-2])",
    "{v}[{v} > np.min({v})]", "np.maximum({v}[1:], 0.9 * {v}[:-1])", "{v}[len({v}) // 2 :] + 0.1 * np.sum({v})",
    "(1.0 - {s}) * {v}[:-1] + {s} * {v}[1:]", "{v}[-2::-1]", "np.cumsum({v})[1:] * 0.5",
    "{v}[:-1] / (2.0 + {v}[-1] ** 2)", "np.convolve({v}, z[:2], 'valid')", "{v}[1:] * z[0]",
    "np.array([np.sin(e) for e in {v}[1:]])", "shorter({v})",
)  # fmt: skip
LONGER = (
    "np.append({v}, np.sin(np.sum({v})))", "np.append({v}, {s})", "np.concatenate([np.zeros(1), 0.5 * {v}])",
    "np.concatenate([np.sin({v}), {w}[:1]])", "np.concatenate((0.5 * {v}, [0.1])) + np.append(0.2, np.cos({v}))",
    "np.append(np.sin({v}), {v}[-1] * {s})", "np.hstack(({v}, z[:2]))", "np.pad(np.cos({v}), (1, 0))",
    "np.concatenate(({v}[:2], np.tanh({v})))", "np.insert({v}, 0, {s})", "longer({v}, {s})",
)  # fmt: skip
SMALLER = (
    "{m}[1:, 1:] - np.outer({m}[1:, 0], {m}[0, 1:]) / (3.0 + {m}[0, 0] ** 2)", "{m}[:-1]", "{m}[:, 1:]",
    "np.sin({m}[1:, :-1])", "{m}[::2] * {s}", "np.cos({m}[1:] * {m}[:-1])", "{m}[:-1, 1:] + 0.2 * {m}[1:, :-1]",
    "{m}[1:].T * 0.9", "np.tanh({m}[1:] @ {m}.T @ {m})", "{m}[:, :-1] + 0.1 * {m}[0, 0]", "smaller({m})",
)  # fmt: skip
LARGER = (
    "np.pad(np.sin({m}), 1)", "np.concatenate([{m}, np.cos({m}[:1])])", "np.vstack(({m}, {m}[-1] * {s}))",
    "np.concatenate([{m}, {m}[:, :1]], axis=1)", "np.concatenate((np.sin({m}), {m}[:, :2]), axis=1)",
)  # fmt: skip
SCALARS = (
    "s = np.sin(s + np.sum({v}))", "s += 0.1 * np.sum({v} * {v})", "s = 0.5 * s + np.cos(np.sum({m}))",
    "s = s * np.sum(np.sin({w})) * 0.3", "s += 0.2 * {v}[0]", "s = np.tanh(s - {w}[-1])", "t = s * 0.5\ns = t + 0.1",
    "s += np.max({v}) * 0.1", "s += np.tanh({m}[0, 0])", "s += 0.01 * len({v})",
)  # fmt: skip
WITHIN = (
    "u = {v}\nwhile len(u) > 1:\n    u = {su}\ns += 0.3 * np.sum(u)",
    "for j in range(len(z)):\n    {w} = {lw}",
    "u = np.zeros(len({v}) - 1)\nfor j in range(len(u)):\n    u[j] = {v}[j] * np.sin({v}[j + 1])\n{v} = u",
    "u = {v}.copy()\nfor j in range(1, len(u)):\n    u[j] += 0.5 * u[j - 1]\n{v} = u[1:]",
    "u = {m}.copy()\nfor j in range(1, len(u)):\n    u[j] -= 0.2 * u[0]\n{m} = u[1:]",
    "for j in range(len({v}) - 2):\n    {v} = 0.7 * {v}[1:] + 0.2 * z[0]",
    "{v}, {w} = {sw}, {v}",
    "for e in {v}:\n    s = np.sin(s + e)",
)  # fmt: skip
BRANCHES = (
    "if s > 0.2:\n    {v} = {sv}\nelse:\n    {v} = {sv2}",
    "if len({v}) % 2 == 0:\n    {v} = {sv}",
    "if len({v}) < 3:\n    break",
    "if len({w}) > 6:\n    {w} = {w}[::2]\n    continue",
    "if np.sum({v}) > 0.5:\n    {w} = {lw}\nelse:\n    s *= 0.9",
)  # fmt: skip
HEADS = (
    "for i in range(len(z)):", "for i in range(len(z) - 1, -1, -1):", "for e in z:", "while len({v}) > 2:",
    "for i in range(len({v}) - 1):", "while len({v}) > 1 and s < 9.0:", "while {m}.shape[0] > 1:",
    "for i in range(1, len(x), 2):",
)  # fmt: skip
HELPERS = """def shorter(v):
    return v[1:] * np.cos(v[:-1])


def longer(v, s):
    return np.append(v, s * v[0])


def smaller(m):
    return m[1:, :-1] * 0.5 + np.sin(m[:-1, 1:])


"""
TRIES = 40
SECONDS = 0.05


class Written:
    """The lines of one program; `main`: the vector or matrix of which the loop around loses places."""

    def __init__(self, seed: int):
        self.pick = random.Random(f"ragged:{seed}")

    def filled(self, text: str, v: str, w: str, m: str = "m") -> str:
        pick = self.pick.choice
        forms = {
            "sv": (SHORTER, v),
            "sv2": (SHORTER, v),
            "sw": (SHORTER, w),
            "lw": (LONGER, w),
            "su": (SHORTER, "u"),
        }
        for name, (templates, of) in forms.items():
            while "{" + name + "}" in text:
                text = text.replace("{" + name + "}", pick(templates).replace("{v}", of).replace("{w}", v), 1)
        text = text.replace("{v}", v).replace("{w}", w).replace("{m}", m)
        return re.sub(r"\{s\}", lambda _: pick(("s", "0.7", "np.cos(s)", "0.4")), text)

    def step(self, v: str, w: str) -> str:
        pick = self.pick
        kind = pick.random()
        if kind < 0.3:
            return self.filled(f"{v} = {pick.choice(SHORTER)}", v, w)
        if kind < 0.45:
            return self.filled(f"{w} = {pick.choice(LONGER)}".replace("{v}", w).replace("{w}", v), v, w)
        if kind < 0.6:
            return self.filled(f"m = {pick.choice(SMALLER if pick.random() < 0.75 else LARGER)}", v, w)
        return self.filled(pick.choice(pick.choice((SCALARS, SCALARS, WITHIN, BRANCHES))), v, w)

    def loop(self, v: str, w: str) -> list[str]:
        head = self.filled(self.pick.choice(HEADS), v, w)
        steps = [self.step(v, w) for _ in range(self.pick.randint(1, 3))]
        if head.startswith("while"):  # which ends
            of = "m" if ".shape" in head else v
            steps.append(
                self.filled(f"{of} = {self.pick.choice(SMALLER[:2] if of == 'm' else SHORTER)}", v, w)
            )
        return [head, *("    " + line for step in steps for line in step.splitlines())]

    def text(self, of_vector: bool) -> str:
        pick = self.pick
        lines = ["s = 0.3", "y = x[:2] * 0.5"]
        for _ in range(pick.choice((1, 1, 2))):
            lines += self.loop(*pick.choice((("x", "y"), ("x", "y"), ("y", "x"))))
        last = "np.sin(x) * s" if of_vector else "s + np.sum(np.sin(x)) + np.sum(y * y) + np.sum(np.sin(m))"
        rng = np.random.default_rng(pick.randrange(10**6))
        shapes = (pick.randint(3, 8),), (pick.randint(2, 4), pick.randint(2, 4)), (pick.randint(2, 4),)
        rows = [[array(rng.uniform(0.2, 0.9, shape)) for shape in shapes] for _ in range(CALLS)]
        calls = "".join(f"        ({', '.join(row)}),\n" for row in rows)
        body = "\n".join("    " + line for line in [*lines, f"return {last}"])
        return f"{HELPERS}def f(x, m, z):\n{body}\n\n\ndef calls():\n    return [\n{calls}    ]\n"


def array(values: np.ndarray) -> str:
    return f"np.array({np.round(values, 3).tolist()})"


def is_sound(text: str) -> bool:
    """Whether each call gives numbers of some size."""
    names = names_of(text)
    for given in names["calls"]():
        try:
            with limited(SECONDS):
                found = plain(names["f"], given)
        except TooLong:
            return False
        if found.error is not None or any(not np.all(np.abs(leaf) < 1e3) for leaf in leaves(found.value)):
            return False
    return True


def ragged(seed: int) -> Case:
    written = Written(seed)
    form = written.pick.choice(
        ("derivative-numpy",) * 3
        + ("derivative-text", "second-numpy", "second-numpy", "lanes-numpy", "jacobian-numpy")
    )
    for _ in range(TRIES):
        text = written.text(form == "jacobian-numpy")
        if is_sound(text):
            break
    return Case("ragged", seed, text, (form,))
