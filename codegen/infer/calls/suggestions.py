"""What to write instead of a function that has no row: by its meaning, or as one of a like name in its family.

advice(np.linalg.cholesky)   ->   "write it as loops, as `gaussian_process` in examples/models.py does"
"""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np

from codegen.primitives.row import FUNCTIONS

LOOPS = "write it as loops, as `gaussian_process` in examples/models.py writes a Cholesky factor"
OUTSIDE = "compute it outside and pass the result"
SORTED = "sort outside and pass the result, or write a loop"
FINAL = "make an array of the final size and write into it"

INSTEAD = {
    **dict.fromkeys(("cholesky", "det", "slogdet", "lstsq", "matrix_power", "pinv"), LOOPS),
    **dict.fromkeys(("eig", "eigh", "eigvals", "eigvalsh", "svd", "qr", "matrix_rank", "cond"), OUTSIDE),
    **dict.fromkeys(("sort", "sorted", "argsort", "partition", "argpartition", "lexsort", "unique"), SORTED),
    **dict.fromkeys(("median", "percentile", "quantile", "searchsorted", "digitize", "histogram"), SORTED),
    **dict.fromkeys(("append", "insert", "delete", "resize", "pad"), FINAL),
    **dict.fromkeys(
        ("nansum", "nanmean", "nanmax", "nanmin", "nanprod"), "put np.where(np.isnan(x), ..., x) in"
    ),
    **dict.fromkeys(("vectorize", "apply_along_axis", "frompyfunc", "map"), "call the function in a loop"),
    "inv": "write np.linalg.solve(a, b) for np.linalg.inv(a) @ b",
    "tensordot": "write it by @ and reshape",
    "print": "look at values outside; an exception may tell them",
    "input": OUTSIDE,
    "open": OUTSIDE,
}
MODULES = {
    "numpy.fft": OUTSIDE,
    "scipy.fft": OUTSIDE,
    "numpy.random": "draw from a numpy.random.Generator that is an argument",
    "scipy.linalg": LOOPS,
    "scipy.optimize": OUTSIDE,
    "scipy.integrate": "write the steps as a loop",
    "scipy.stats": "write its formula",
}


def public_module(obj: Any) -> str:
    """The public module of a function."""
    module = getattr(obj, "__module__", None) or type(obj).__module__
    if isinstance(obj, np.ufunc):
        module = "scipy.special" if getattr(np, obj.__name__, None) is not obj else "numpy"
    return ".".join(part for part in module.split(".") if not part.startswith("_")) or module


def name(obj: Any) -> str:
    return str(getattr(obj, "__name__", type(obj).__name__))


def advice(obj: Any) -> str | None:
    """What to write instead, where that is known."""
    within = public_module(obj)
    found = next((text for module, text in MODULES.items() if f"{within}.".startswith(f"{module}.")), None)
    return found or INSTEAD.get(name(obj))


def nearest_rows(obj: Any) -> list[Any]:
    """Functions with rows of a like name, in the same module."""
    known = {name(f): f for f in FUNCTIONS if public_module(f) == public_module(obj)}
    return [known[found] for found in difflib.get_close_matches(name(obj), sorted(known), 3, 0.7)]


def file_of(obj: Any, others: list[Any]) -> str:
    """Where its row would stand."""
    if others:
        return f"{FUNCTIONS[others[0]].__module__.replace('.', '/')}.py"
    families = {"numpy.linalg": "linalg.py", "scipy.special": "special.py"}
    other = "elementwise.py" if isinstance(obj, np.ufunc) else ""
    return f"codegen/primitives/{families.get(public_module(obj), other)}"
