"""Each function of the tables of rows and definitions, its arguments of all dtypes that meet: float32, narrow ints,
bools, Python's numbers. What the dtype of a result is, and what has none, is NumPy's and SciPy's to say."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

import codegen.api  # noqa: F401  (which has all rows)
from codegen.definitions import DEFINITIONS, standing_for
from codegen.primitives.row import FUNCTIONS
from codegen.primitives.signatures import library_signature
from hunt.arithmetic import LANES
from hunt.case import Case
from hunt.writer import RAISING, Missing, Writer, evaluated, is_array, is_kept

HEAD = "from scipy import stats\n\n\n"
MODULES = ((np, "np"), (np.linalg, "np.linalg"), (scipy.special, "sp"))
METHODS = ("reduce", "accumulate", "outer")
# What is called with functions, gives what nobody has written or what hangs on more than its arguments (an order that
# is NumPy's matter, of what is not sorted).
LEFT = {
    "empty", "empty_like", "apply_along_axis", "fromfunction", "piecewise", "einsum", "real_if_close", "histogram2d",
    "partition", "argpartition", "interp", "searchsorted", "unique_values",
}  # fmt: skip
TEXTS = {  # of parameters that take no numbers of any dtype
    "axis": "{axis1}", "axis1": "0", "axis2": "-1", "shape": "(2, 3)", "newshape": "-1", "dims": "(3, 4)",
    "pad_width": "{k}", "repeats": "{k}", "reps": "{k}", "shift": "{k}", "kth": "0", "N": "{k}", "M": "{k}",
    "condlist": "[{x} > {c}]", "choicelist": "[{x}]", "indices_or_sections": "1", "dtype": "{dt}", "k": "{k}",
    "keepdims": "{bool}", "ddof": "{k}", "decimals": "{k}", "source": "0", "destination": "-1", "n": "{k}",
    "q": "{share}", "indices": "{places}", "obj": "0", "multi_index": "({i}, {i})", "deg": "1", "num": "{k}",
    "endpoint": "{bool}", "initial": "{c}", "return_counts": "True", "return_index": "True", "start": "{x}",
    "assume_unique": "False", "equal_nan": "{bool}", "side": "'right'", "where": "{x} > {c}", "weights": "{like}",
    "mode": "'wrap'", "unbiased": "{bool}", "rowvar": "{bool}", "bias": "{bool}", "prepend": "{c}",
}  # fmt: skip
SEQUENCES = ("arrays", "tup", "arr")  # several arrays
OPTIONAL = ("dtype", "axis", "keepdims", "ddof", "initial", "where", "equal_nan", "weights", "n", "k", "prepend",
            "rowvar", "bias", "side", "return_counts", "endpoint")  # fmt: skip


@functools.cache
def callables() -> dict[str, Any]:
    """The functions that there are, by the texts that they are called by."""
    found = dict(in_modules())
    for name, function in list(found.items()):
        if isinstance(function, np.ufunc) and function.nin == 2 and function.nout == 1:
            methods = {f"{name}.{word}": getattr(function, word) for word in METHODS}
            found |= {text: method for text, method in methods.items() if is_there(method)}
    for name in DEFINITIONS:
        if name.endswith(("pdf", "pmf")) and not name.split(".")[2].startswith(("multi", "dirich", "wish")):
            found[name.removeprefix("scipy.")] = DEFINITIONS[name]
    return found


def in_modules() -> Iterator[tuple[str, Any]]:
    for module, label in MODULES:
        for word in sorted(public(module)):
            function = getattr(module, word)
            is_function = callable(function) and not isinstance(function, type)
            if is_function and word not in LEFT and is_there(function):
                yield f"{label}.{word}", function


def public(module: ModuleType) -> list[str]:
    return [word for word in getattr(module, "__all__", dir(module)) if not word.startswith("_")]


def is_there(function: Any) -> bool:
    return function in FUNCTIONS or standing_for(function) is not None


def dtypes(seed: int) -> Case:
    w = Writer("dtypes", seed, narrow=1.0, head=HEAD)
    of_stats = w.pick.random() < 0.1  # in whose formulas narrow ints wrap in SciPy
    if of_stats:
        w.odd = 0.0
        w.dtypes = ("int64", "float64", "float32")
    names = [name for name in callables() if name.startswith("stats.") == of_stats]
    for _ in range(w.pick.randint(1, 3)):
        (w.number if w.pick.random() < 0.3 else w.array)()
    if w.pick.random() < 0.5:
        w.number(w.pick.choice(("int64", "float64", "bool")))
    while not w.made and not w.ended:
        name = w.pick.choice(names)
        called(w, name, callables()[name])
    forms = ["jit-numpy"] + [w.pick.choice(LANES[:2])] * (w.pick.random() < 0.3)
    return Case("dtypes", seed, w.text(), tuple(forms))


def called(w: Writer, name: str, function: Any) -> None:
    """A statement that calls the function with some of what there is, and sometimes a result to write to."""
    for _ in range(6):
        try:
            text = f"{name}({', '.join(arguments(w, function))})"
            if name.startswith("stats."):  # exact to some digits
                text = f"np.round({text}, 6) + 0.0"
        except Missing:
            continue
        try:
            value = evaluated(text, w.values, w.names)
        except Exception:
            if w.pick.random() < RAISING:
                w.lines.append(f"    t0 = {text}")
                w.ended, w.values["t0"] = True, None
                return
            continue
        if not is_kept(value):
            continue
        if is_array(value) and "out" in library_signature(function).parameters and w.pick.random() < 0.2:
            text = f"{text[:-1]}, out=np.zeros({value.shape}, {w.place('dt')}))"
            try:
                value = evaluated(text, w.values, w.names)
            except Exception:
                continue
        w.lines.append(f"    t0 = {text}")
        w.values["t0"], w.made = value, 1
        return


def arguments(w: Writer, function: Any) -> Iterator[str]:
    """Of a ufunc its operands alone: what `where=` leaves out is anything, which SciPy's have no room for."""
    form = library_signature(function).parameters.values()
    for p in form:
        if p.kind is inspect.Parameter.VAR_POSITIONAL:
            yield w.fill("{x}, {y}")
        elif p.name in ("start", "stop") and p.default is None:
            yield w.fill("{n}")
        elif p.default is inspect.Parameter.empty and p.kind is not inspect.Parameter.VAR_KEYWORD:
            yield w.fill(operand(w, p.name))
    for p in form if not isinstance(function, np.ufunc) else ():
        if p.name in OPTIONAL and p.default is not inspect.Parameter.empty and w.pick.random() < 0.25:
            yield f"{p.name}={w.fill(TEXTS[p.name])}"


def operand(w: Writer, name: str) -> str:
    if name in SEQUENCES:
        return w.pick.choice(("({x}, {like})", "[{x}, {like}]", "({x}, {y})"))
    text = TEXTS.get(name) or w.pick.choice(("{x}", "{x}", "{a}", "{y}", "{like}"))
    text = text.replace("{share}", w.pick.choice(("0.25", "{n}", "0", "1", "[0.5, 0.25]", "np.float32(0.3)")))
    return text.replace("{places}", w.pick.choice(("[0, 0]", "0", "np.array([0, -1])", "{i}")))
