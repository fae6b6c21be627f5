"""What may differ from plain Python, each rule with the sentence of docs/language.md that it follows.

A rule is asked when something differs: it runs the plain function once more and watches it.

    rounding           the plain function, each of its operations off by a unit in the last place or two at random,
                       gives numbers as far from its own
    64 bits            "Integers wrap as NumPy's do": plain Python's ints had more than 64 bits on the way
    division by zero   "division by zero follows NumPy (`inf`, `nan`), not Python": of floats; plain Python raised
    powers of floats   the same: plain Python's float power overflowed, or was complex, where NumPy gives inf or nan
    kinds that meet    an int on one way and a float on another are a float, of the same value; of two widths the wider
    x + 0.0            "`x + 0.0` is x, so that it does not make 0.0 of -0.0"
    shifts             "A shift by all 64 bits or more, or by a negative number, is what the processor makes of it"
"""

from __future__ import annotations

import ast
import random
from typing import Any

import numpy as np

from hunt.case import Outcome, names_of, plain

WAYS = (ast.If, ast.For, ast.While, ast.IfExp, ast.BoolOp, ast.List)
SAMPLES = 12
SPREAD = 6.0  # times what the samples differ by


def excuse(text: str, k: int, got: Outcome, want: Outcome, kind: str) -> str | None:
    """The rule by which a result of call `k` may differ, or None."""
    if isinstance(want.error, ZeroDivisionError) and ("float" in str(want.error) or "0.0" in str(want.error)):
        return "division by zero"
    if isinstance(want.error, OverflowError) and "too large" in str(want.error) + "Numerical result" in str(
        want.error
    ):
        return "powers of floats"
    if isinstance(want.error, OverflowError) and "34" in str(want.error):
        return "powers of floats"
    if is_complex(want.value):
        return "powers of floats"
    if "sign of zero" in kind and any(adds_zero(node) for node in ast.walk(ast.parse(text))):
        return "x + 0.0"
    if kind == "dtype" and any(isinstance(node, WAYS) for node in ast.walk(ast.parse(text))):
        return "kinds that meet"
    watch = Watch()
    again = watch.run(text, k)
    if watch.complex:
        return "powers of floats"
    if watch.large or isinstance(again.error, OverflowError) and "int too large" in str(again.error):
        return "64 bits"
    if watch.shifted:
        return "shifts"
    samples = [Watch(random.Random(seed)).run(text, k) for seed in range(SAMPLES)]
    return "rounding" if is_rounding(got, want, samples) else None


def is_complex(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(is_complex, value))
    if isinstance(value, dict):
        return any(map(is_complex, value.values()))
    return isinstance(value, complex | np.complexfloating) or (
        isinstance(value, np.ndarray) and value.dtype.kind == "c"
    )


def adds_zero(node: ast.AST) -> bool:
    """Whether a number, or the sum of one, may be added to a zero: sums of one element, too."""
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub(), right):
            return any(isinstance(e, ast.Constant) and e.value == 0 for e in (left, right))
        case ast.AugAssign(_, ast.Add() | ast.Sub(), _):
            return True
    return False


class Watch:
    """Runs a program and sees the value of each operation; with `by`, floats are changed a little on the way."""

    def __init__(self, by: random.Random | None = None):
        self.by = by
        self.large = self.complex = self.shifted = False

    def run(self, text: str, k: int) -> Outcome:
        tree = ast.parse(text)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name != "calls":
                Seen().visit(node)
        names = names_of(ast.unparse(ast.fix_missing_locations(tree)))
        names["seen__"], names["shift__"] = self.seen, self.shift
        return plain(names["f"], names["calls"]()[k])

    def shift(self, by: Any) -> Any:
        places = np.asarray(by)
        if places.dtype.kind in "iu" and np.any((places < 0) | (places >= 8)):
            self.shifted = True
        return by

    def seen(self, value: Any) -> Any:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            self.large = True
        if is_complex(value):
            self.complex = True
        if self.by is None:
            return value
        if type(value) is float:
            return value * (1.0 + self.by.randint(-2, 2) * 2.0**-52)
        if isinstance(value, np.floating | np.ndarray) and value.dtype.kind == "f":
            eps = np.finfo(value.dtype).eps
            off = [self.by.randint(-2, 2) * eps for _ in range(value.size)]
            if value.ndim == 0:
                return value * value.dtype.type(1.0 + off[0])
            if value.base is None and value.flags.writeable:
                value *= (1.0 + np.reshape(off, value.shape)).astype(value.dtype)
        return value


class Seen(ast.NodeTransformer):
    """Operations and calls inside `seen__(...)`."""

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.LShift | ast.RShift):
            node.right = ast.Call(ast.Name("shift__", ast.Load()), [node.right], [])
        return ast.Call(ast.Name("seen__", ast.Load()), [node], [])

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        return ast.Call(ast.Name("seen__", ast.Load()), [node], [])

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        return node


def is_rounding(got: Outcome, want: Outcome, samples: list[Outcome]) -> bool:
    """Whether `got` is as near as the samples are."""
    if got.error is not None or want.error is not None:
        kind = type(got.error)
        return any(type(s.error) is kind for s in samples)
    good = [s for s in samples if s.error is None]
    return bool(good) and near(
        (got.value, got.arguments), (want.value, want.arguments), [(s.value, s.arguments) for s in good]
    )


def near(got: Any, want: Any, samples: list[Any]) -> bool:
    if isinstance(want, tuple | list | dict):
        keys = list(want) if isinstance(want, dict) else range(len(want))
        if type(got) is not type(want) or len(got) != len(want):
            return False
        if any(len(s) != len(want) for s in samples):
            return False
        return all(near(got[key], want[key], [s[key] for s in samples]) for key in keys)
    if not isinstance(want, np.ndarray | np.generic | bool | int | float):
        return bool(got == want)
    g, w = np.asarray(got), np.asarray(want)
    listed = [np.asarray(s) for s in samples]
    if g.dtype != w.dtype or g.shape != w.shape or any(s.shape != w.shape for s in listed):
        return False
    if w.dtype.kind == "b":
        return bool(np.all((g == w) | np.any([s != w for s in listed], axis=0)))
    with np.errstate(all="ignore"):
        wide = np.abs(w.astype(float))
        off = np.abs(g.astype(float) - w.astype(float))
        apart = np.max([np.abs(s.astype(float) - w.astype(float)) for s in listed], axis=0)
        eps = np.finfo(w.dtype).eps if w.dtype.kind == "f" else 0.0
        fine = off <= SPREAD * apart + 8 * eps * wide
        alike = np.any([(s == g) | ((s != s) & (g != g)) for s in listed], axis=0)
    return bool(np.all(fine | alike | (g == w) | ((g != g) & (w != w))))
