"""Arrays of a lane that fails, given back: held : the text of a function that makes arrays -> one that never raises.

    def f_grad(x, n):                        def f_grad(x, n):
        calls = f_count(n, 0)                    try:
        ts = np.empty(calls)                         calls = f_count(n, 0)
        ...                             ->           ts = np.empty(calls)
        return x_bar                                 ...
                                                     return x_bar, True
                                                 except Exception:
                                                     return 0.0, False

Numba gives back what a function made when it returns, not when an exception passes through it. A long function is left
alone.
"""

from __future__ import annotations

import re

from codegen.emit.spelling import scalar_type
from codegen.ir import Function
from codegen.recursion.depth_check import variables
from codegen.recursion.entry_point import equations

INDENT = " " * 4
LONG = 150  # equations: of each call in a `try` Numba makes blocks, which it goes through by calls of itself


def makes_arrays(function: Function) -> bool:
    """Whether a function makes arrays, and is not too long to have a `try`."""
    long = sum(1 for _ in equations(function.body)) > LONG
    return not long and bool(function.body.results) and any(v.type.rank for v in variables(function))


def held(text: str, name: str, function: Function) -> str:
    """A module's text whose function of this name also gives whether it did what it should."""
    found = re.search(rf"^def {name}\(.*\):\n((?:{INDENT}.*\n|\n(?! *\n))*)", text, re.MULTILINE)
    assert found is not None
    body = re.sub(r"^( *return .*)$", r"\1, True", found[1], flags=re.MULTILINE)
    zeros = [f"{scalar_type(r.type.dtype)}(0)" for r in function.body.results]
    lines = [
        f"{INDENT}try:",
        *(line and INDENT + line for line in body.splitlines()),
        f"{INDENT}except Exception:",
        f"{INDENT * 2}return {', '.join((*zeros, 'False'))}\n",
    ]
    return text[: found.start(1)] + "\n".join(lines) + text[found.end(1) :]
