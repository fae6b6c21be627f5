"""What to write instead of a function that has no row: by its meaning, or as one of a like name in its family.

advice(np.lexsort)   ->   "sort by np.argsort, the last key first"
"""

from __future__ import annotations

import builtins
import difflib
import os.path
import random
import sys
import sysconfig
from typing import Any

import numpy as np

from codegen.definitions.table import DEFINITIONS
from codegen.infer.dependencies import package_of
from codegen.infer.unloaded import LIBRARIES
from codegen.primitives.row import FUNCTIONS

STDLIB = sysconfig.get_path("stdlib")
OUTSIDE = "compute it outside and pass the result"

INSTEAD = {
    "vectorize": "give it one dtype, otypes=[float], or call the function in a loop",
    **dict.fromkeys(("frompyfunc", "map"), "call the function in a loop"),
    "odeint": "solve_ivp does, of f(t, y); its method is RK45 or RK23",
    **dict.fromkeys(("root_scalar", "toms748", "fsolve", "root"), "of one number brentq and newton do"),
    **dict.fromkeys(("dblquad", "tplquad", "nquad"), "quad does, of a function that calls quad"),
    "funm": "of a symmetric matrix: w, V = np.linalg.eigh(A); (V * f(w)) @ V.T",
    "row_stack": "np.vstack does",
    "sorted": "np.sort does",
    "filter": "a list comprehension does, `[v for v in x if ...]`",
    **dict.fromkeys(("takewhile", "dropwhile", "next", "iter"), "write a loop, with `break`"),
    **dict.fromkeys(("Decimal", "Fraction"), "take floats"),
    "groupby": "go through the items in a loop, and compare each with the one before",
    "cycle": "take items by `k % len(x)`",
    "bytearray": "np.zeros(n, np.uint8) does",
    **dict.fromkeys(("vars", "dir", "id", "locals", "globals"), "name what is meant"),
    **dict.fromkeys(("eval", "exec"), "write the expression itself, or give a function"),
    "print": "look at values outside; an exception may tell them",
    "warn": "print(...) tells it, or warn outside",
    "exit": "raise an exception, `raise SystemExit(...)`",
    "input": OUTSIDE,
    "open": OUTSIDE,
}
DICTS = "is not supported: a dict does, `{}`"
COLLECTIONS = dict.fromkeys(("numba.typed.typeddict.Dict", "numba.typed.typeddict.Dict.empty"), DICTS)
MODULES = {
    "numpy.power": "write a loop, as NumPy's own of floats are other numbers than the powers of powers",
    "numpy.fft": OUTSIDE,
    "scipy.fft": OUTSIDE,
    **dict.fromkeys(
        ("numpy.random", "random"),
        "draw from a numpy.random.Generator: an argument, or np.random.default_rng(seed)",
    ),
    "time": OUTSIDE,
    "logging": "print does, or look at values outside",
    "copy": "x.copy() does of a list, a dict or an array",
    "statistics": "NumPy's functions do: np.mean, np.median, np.std(x, ddof=1)",
    "scipy.optimize": OUTSIDE,
    "scipy.integrate": "quad does, and solve_ivp",
    "scipy.stats": "write its formula",
}


def public_module(obj: Any) -> str:
    """The public module of a function; of a method of NumPy's ufuncs, the ufunc."""
    if isinstance(owner := getattr(obj, "__self__", None), np.ufunc):
        return f"{public_module(owner)}.{owner.__name__}"
    if is_of_random(obj):
        return "random"
    module = getattr(obj, "__module__", None) or type(obj).__module__
    if isinstance(obj, np.ufunc):
        module = "scipy.special" if getattr(np, obj.__name__, None) is not obj else "numpy"
    return ".".join(part for part in module.split(".") if not part.startswith("_")) or module.lstrip("_")


def is_of_random(obj: Any) -> bool:
    """Whether it is a function of Python's `random`, or a method of such a generator, whose state no program has."""
    return isinstance(getattr(obj, "__self__", None), random.Random)


def is_pythons_own(file: str) -> bool:
    """Whether a file is one of Python's own modules."""
    return file.startswith(os.path.join(STDLIB, "")) and f"{os.sep}site-packages{os.sep}" not in file


def name(obj: Any) -> str:
    return "vectorize" if isinstance(obj, np.vectorize) else str(getattr(obj, "__name__", type(obj).__name__))


def not_in_arrays(obj: Any) -> str | None:
    """Why there are no objects of a class of collections, and what is there instead."""
    own = getattr(obj, "__qualname__", "")
    said = COLLECTIONS.get(f"{getattr(obj, '__module__', '')}.{own}")
    return said and f"{own} {said}"


def not_made(obj: Any) -> str | None:
    """Why there are no objects of a class of the user's."""
    if isinstance(obj, type) and issubclass(obj, BaseException):
        return f"{obj.__name__} is made where it is raised alone: `raise {obj.__name__}(...)`"
    if not isinstance(obj, type) or not is_users_class(obj):
        return None
    return (
        f"objects of {obj.__name__} are not made here, as a class may do anything to them: make it a dataclass "
        "(@dataclass, its fields in place of __init__), or make the object outside and pass it"
    )


def is_users_class(cls: Any) -> bool:
    """Whether it is a class, neither of a library nor of Python's own modules."""
    if not isinstance(cls, type):
        return False
    if cls.__module__ == "builtins":
        return getattr(builtins, cls.__name__, None) is not cls
    package = package_of(cls)
    return package not in LIBRARIES and package not in sys.stdlib_module_names


def advice(obj: Any) -> str | None:
    """What to write instead, where that is known."""
    within = public_module(obj)
    found = next((text for module, text in MODULES.items() if f"{within}.".startswith(f"{module}.")), None)
    return found or INSTEAD.get(name(obj))


def nearest(obj: Any) -> list[tuple[str, str]]:
    """Functions of a like name in the same module that have a row or a definition, and the module of each."""
    module = public_module(obj)
    known = {name(f): str(rule.__module__) for f, rule in FUNCTIONS.items() if public_module(f) == module}
    for dotted, definition in DEFINITIONS.items():
        within, _, last = dotted.rpartition(".")
        if within == module:
            known[last] = definition.__module__
    return [(found, known[found]) for found in difflib.get_close_matches(name(obj), sorted(known), 3, 0.7)]


def row_file(obj: Any, others: list[tuple[str, str]]) -> str:
    """Where its row or definition would stand."""
    if others:
        return f"{others[0][1].replace('.', '/')}.py"
    families = {"numpy.linalg": "linalg.py", "scipy.special": "special.py"}
    other = "elementwise.py" if isinstance(obj, np.ufunc) else ""
    return f"codegen/primitives/{families.get(public_module(obj), other)}"
