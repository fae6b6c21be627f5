"""Views of views of one matrix: made in every way, in helpers, branches and loops, then read and written while the
matrix is written too.
"""

from __future__ import annotations

from hunt.case import Case
from hunt.views import FORMS, begun
from hunt.writer import Missing, Writer

MADE = (
    "{m}.T", "{m}[::-1]", "{m}[:, ::-1]", "{m}.reshape(-1)", "{m}.ravel()", "{m}.reshape({m}.shape[1], -1)",
    "np.flip({m})", "np.swapaxes({m}, 0, 1)", "np.moveaxis({m}, 0, 1)", "{m}[None]", "np.expand_dims({m}, 1)",
    "{m}[1:]", "{m}[:, 1:]", "{m}[0]", "{m}[:, 0]", "{m}.T[0]", "{v}[::-1]", "{v}[1:]", "{v}.reshape(-1, 1)",
    "{v}[:, None]", "swapped({m})", "column({m}, 1)", "turned({m})", "np.atleast_2d({v})", "{m}.reshape(-1)[1:]",
    "{m}.T.T", "np.rot90({m})", "np.fliplr({m})", "np.vsplit({m}, [1])[0]", "{m}.T.reshape(-1)",
    "np.squeeze({m}[None], 0)", "{m}.transpose()[::-1]", "np.diagonal({m})", "{m} * 1.0", "np.zeros_like({m})",
    "{m}.copy()", "np.broadcast_to({v}, (2, {v}.size))", "{m}.real", "{m}[...]", "inner({v})", "{m} + {m}.T",
)  # fmt: skip
CHANGED = (
    "{m}[0, 1] = {n}", "{m}[1] {op}= {n}", "{v}[0] = {n}", "{v}[-1] {op}= {n}", "{m}[:, 0] = {n}", "{m} {op}= {n}",
    "{v} {op}= {n}", "{m}.T[1] = {m}[0, 0]", "{m}.reshape(-1)[1] {op}= {n}", "{m}.flat[1] = {n}",
    "{m}.flat[::2] = {n}", "{m}.flat = {n}", "{m}.flat = {v} * 1.0", "{m}.flat[-1] {op}= {n}", "put({m}.T, 0, {n})",
    "put({m}[1], 0, {n})", "put({v}[::-1], 0, {n})", "halved({m}.T[0])", "halved({v}[1:])", "swapped({m})[0] = {n}",
    "column({m}, 0)[1] = {n}", "turned({m}.T)[0] = {n}", "{m}[{m} > {n}] = {n}", "{m}.T[[0, 1], 0] = {n}",
    "{m}.T[1:, 0] = {n}", "{m}.T[:, :1] = {n}", "{m}[:] = {m}[::-1]", "{m}.T.sort()", "{v}[:] = {v}[::-1]",
    "for row in {m}:\n    row {op}= {n}", "for row in {m}.T:\n    row[:] = row[::-1]",
    "for i, row in enumerate({m}.T):\n    row[i % len(row)] = i",
    "for i in range(len({v})):\n    {v}[i] = {v}[i - 1] + {n}", "for row, w in zip({m}, {m}.T):\n    row[0] = w[-1]",
    "for i in range(2):\n    u = {m}.T\n    u[i] = u[1 - i] + {n}", "u = {m}.ravel()\nfor i in range(2):\n"
    "    u[i] = u[i + 1] * 0.5\n    {m}[0, 0] += u[i]", "np.add({m}, {n}, out={m})", "{m}[0], {m}[1] = {m}[1], {m}[0]",
    "np.multiply({m}.T, 2.0, out={m}.T)", "{m}.T.fill({n})", "if {n} > 0.5:\n    {v}[0] = {n}\nelse:\n    {m}[0] = 0.5",
    "if {n} > 0.5:\n    u = {m}.T\n    u[0] = {n}", "{v}[::-1][1:] = {n}", "{m}[None][0, 1] = {n}",
    "np.fill_diagonal({m}, {n})", "u = {m}[0] if {n} > 0.5 else {m}[1]\nu[0] = {n}\n{m}[0, 0] = u[1]",
    "if {n} > 0.5:\n    u = {m}.T[0]\nelse:\n    u = {m}.T[1]\nu {op}= {n}", "{m}.swapaxes(0, 1)[1, 0] = {n}",
)  # fmt: skip
READ = ("{m} * 1.0", "{v} * 1.0", "{m}[0, -1]", "{v}[0]", "{m}.sum(axis=0)", "{m}.T @ {m}", "{m}.ravel()[1]")


def added(w: Writer, templates: tuple[str, ...], *, named: bool) -> None:
    for _ in range(12):
        if w.ended:
            return
        text = w.pick.choice(templates)
        text = (f"t{w.made} = {text}" if named else text).replace("{op}", w.pick.choice("+-*"))
        try:
            text = w.fill(text)
        except Missing:
            continue
        if w.run(text):
            w.made += 1
            for name in ("i", "u", "w", "row"):
                if name not in w.parameters:
                    w.values.pop(name, None)
            return


def shown(seed: int) -> Case:
    w = begun("shown", seed, False)
    if w.pick.random() < 0.5:
        added(w, ("{m} * 1.0", "{m}.copy()", "np.zeros((3, 2))", "np.zeros((2, 2))"), named=True)
    for _ in range(w.pick.randint(3, 6)):
        draw = w.pick.random()
        added(w, MADE if draw < 0.45 else CHANGED if draw < 0.85 else READ, named=not 0.45 <= draw < 0.85)
    return Case("shown", seed, w.text(), (w.pick.choice(FORMS),))
