"""Writes a program by running it: each statement is tried on the first call's arguments before it is kept.

So types, shapes and values are known, nearly all programs are sound, and how often one ends in an error is a number.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hunt import values
from hunt.case import CALLS, names_of
from hunt.limits import TooLong, limited
from hunt.nests import parts

RAISING = 0.02  # of the statements that raise, those that stay
SECONDS = 0.1  # of a statement; a loop that halves an infinity has no end


class Writer:
    """`values`: what the names in scope are; `dtypes`: those that arguments may have; `head`: what is around `f`."""

    def __init__(self, family: str, seed: int, *, narrow: float = 0.6, odd: float = 0.15, head: str = ""):
        self.head, self.names = head, names_of(head)
        self.pick = random.Random(f"{family}:{seed}")
        self.odd = odd if self.pick.random() < 0.6 else 0.0
        self.narrow = self.pick.random() < narrow
        self.dtypes: Sequence[str] = values.DTYPES if self.narrow else values.WIDE
        self.lines: list[str] = []
        self.parameters: list[str] = []
        self.columns: list[list[str]] = []
        self.values: dict[str, Any] = {}
        self.size = self.pick.choice((0, 1, 1, 2, 3, 3, 4, 5))
        self.made = 0
        self.last: Any = None
        self.ended = False

    # arguments

    def parameter(self, texts: Sequence[str], name: str | None = None) -> str:
        name = name or "abcdefghuvw"[len(self.parameters)]
        self.parameters.append(name)
        self.columns.append(list(texts))
        self.values[name] = evaluated(texts[0], {}, self.names)
        return name

    def number(self, dtype: str | None = None) -> str:
        dtype = dtype or self.pick.choice(self.dtypes)
        python = dtype in values.WIDE and self.pick.random() < 0.4
        is_array = not python and self.pick.random() < 0.08
        return self.parameter(
            [values.scalar(self.pick, dtype, self.odd, python=python, array=is_array) for _ in range(CALLS)]
        )

    def array(self, rank: int | None = None, dtype: str | None = None, how: str | None = None) -> str:
        rank = self.pick.choice((1, 1, 1, 2, 2, 3)) if rank is None else rank
        dtype = dtype or self.pick.choice(self.dtypes)
        sizes = [self.pick.choice((self.size, self.size, self.size, 1, 2, 3)) for _ in range(rank)]
        how = how or self.pick.choice(("plain",) * 7 + ("reversed", "strided", "transposed"))
        return self.parameter([values.array(self.pick, dtype, sizes, self.odd, how) for _ in range(CALLS)])

    # names in scope

    def some(self, test: Callable[[Any], bool] = lambda value: True) -> str:
        """A name whose value passes, later ones more often; Missing where there is none."""
        found = [name for name, value in self.values.items() if test(value)]
        if not found:
            raise Missing
        name = found[-1] if self.pick.random() < 0.3 else self.pick.choice(found)
        self.last = self.values[name]
        return name

    def fill(self, template: str) -> str:
        """A template with its places taken by what there is."""
        return re.sub(r"\{(\w+)\}", lambda match: self.place(match[1]), template)

    def place(self, kind: str) -> str:
        pick = self.pick
        last = self.last
        rank = last.ndim if isinstance(last, np.ndarray) else 0
        match kind:
            case "x":
                return self.some(is_numeric)
            case "a":
                return self.some(is_array)
            case "v":
                return self.some(lambda v: is_array(v) and v.ndim == 1)
            case "m":
                return self.some(lambda v: is_array(v) and v.ndim == 2)
            case "n":
                return self.some(is_number)
            case "fa":
                return self.some(lambda v: is_array(v) and v.dtype.kind == "f")
            case "f":
                return self.some(lambda v: is_numeric(v) and np.asarray(v).dtype.kind == "f")
            case "i":
                return self.some(lambda v: is_numeric(v) and np.asarray(v).dtype.kind in "iu")
            case "like":
                shape = np.shape(last)
                return self.some(lambda v: is_numeric(v) and np.shape(v) == shape)
            case "y":
                return values.literal(pick) if pick.random() < 0.35 else self.some(is_numeric)
            case "z":
                return values.literal(pick) if pick.random() < 0.5 else self.some(is_number)
            case "c":
                return values.literal(pick)
            case "k":
                return str(pick.randint(0, 3))
            case "shift":
                return str(pick.randint(0, 7))
            case "idx":
                n = len(last) if rank else 1
                return str(pick.randint(-n, n - 1)) if n and pick.random() < 0.97 else str(n)
            case "slice":
                return pick.choice(
                    ("1:", ":-1", "::-1", "::2", ":2", "-2:", "::-2", "2:0:-1", ":", "1:1", "-1::-1", ":1")
                )
            case "dt":
                return values.CASTS[pick.choice(self.dtypes)]
            case "bool":
                return pick.choice(("True", "False"))
            case "axis1":
                return str(pick.randint(-rank, rank - 1)) if rank else "0"
            case "axis":
                if rank > 1 and pick.random() < 0.25:
                    return str(tuple(pick.sample(range(rank), 2)))
                return pick.choice(("None", str(pick.randint(-rank, rank - 1)) if rank else "None"))
        raise KeyError(kind)

    def expression(self, templates: Sequence[str]) -> str:
        return self.fill(self.pick.choice(templates))

    # statements

    def assign(self, templates: Sequence[str], tries: int = 8) -> None:
        """A new name for an expression that can be computed."""
        for _ in range(tries):
            if self.ended:
                return
            try:
                text = self.expression(templates)
            except Missing:
                continue
            try:
                value = evaluated(text, self.values, self.names)
            except Exception:
                if self.pick.random() < RAISING:
                    self.lines.append(f"    t{self.made} = {text}")
                    self.ended = True
                    self.values[f"t{self.made}"] = None
                continue
            if not is_kept(value):
                continue
            name = f"t{self.made}"
            self.made += 1
            self.lines.append(f"    {name} = {text}")
            self.values[name] = value
            return

    def run(self, text: str) -> bool:
        """A statement that changes what there is, if it can be run."""
        changed = dict(self.values)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"), limited(SECONDS):
                warnings.simplefilter("ignore")
                exec(text, {**self.names}, changed)
        except TooLong:
            return False
        except Exception:
            if self.pick.random() > RAISING:
                return False
            self.ended = True
        try:
            kept = {k: v for k, v in changed.items() if is_kept(v) or parts(v) is not None}
        except RecursionError:  # a list that holds itself
            return False
        self.values.update(kept)
        self.lines += ["    " + line for line in text.splitlines()]
        return True

    def results(self, most: int = 4) -> list[str]:
        """Some of what was made, the last one among it."""
        made = [name for name in self.values if re.fullmatch(r"t\d+", name)]
        if not made:
            return list(self.parameters[:1])
        some = self.pick.sample(made, min(len(made), self.pick.randint(1, most)))
        return sorted({*some, made[-1]}, key=made.index)

    def text(self, returned: str | None = None) -> str:
        if returned is None:
            listed = self.results()
            returned = listed[0] if len(listed) == 1 else f"({', '.join(listed)})"
        return program(self.parameters, [*self.lines, f"    return {returned}"], self.columns, self.head)


class Missing(Exception):
    """There is nothing of the wanted kind in scope."""


def program(
    parameters: Sequence[str],
    lines: Sequence[str],
    columns: Sequence[Sequence[str]],
    head: str = "",
    setup: str = "",
) -> str:
    rows = zip(*columns, strict=True) if columns else [() for _ in range(CALLS)]
    calls = "".join(f"        ({', '.join(row)}{',' if len(row) == 1 else ''}),\n" for row in rows)
    body = "\n".join(lines)
    return f"{head}def f({', '.join(parameters)}):\n{body}\n\n\ndef calls():\n{setup}    return [\n{calls}    ]\n"


NAMES = names_of("")


def evaluated(text: str, names: dict[str, Any], around: dict[str, Any] = NAMES) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return eval(text, around, names)


def is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating)


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0


def is_numeric(value: Any) -> bool:
    return is_number(value) or isinstance(value, np.ndarray)


def is_kept(value: Any) -> bool:
    """Whether a value is one that programs may have: no text, no complex numbers, no float16, nothing large."""
    if (inside := parts(value)) is not None:
        return len(inside) < 30 and all(map(is_kept, inside))
    if not is_numeric(value):
        return False
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return False
    kind = np.asarray(value).dtype
    return kind.kind in "biuf" and kind != np.float16 and np.size(value) < 200
