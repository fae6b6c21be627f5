"""docs/functions.md: which functions of NumPy, SciPy and Python there are, as the tables of rows and definitions say.

`pytest --update-golden` writes the page.
"""

import bisect
import cmath
import heapq
import math
import operator
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.optimize
import scipy.signal
import scipy.special
from places import ROOT

import codegen.api  # noqa: F401  (which has all rows)
from codegen.definitions import COMPLEX, DEFINITIONS, GENERIC, standing_for
from codegen.primitives.row import FUNCTIONS

PAGE = ROOT / "docs" / "functions.md"
HEAD = """# Functions

What may be called, besides arithmetic, indexing and methods of arrays; [language.md](language.md) says how. Each has
derivatives, lanes and both targets. This page is made of the tables of rows and definitions
(`pytest tests/project/test_functions.py --update-golden`).
"""
# What NumPy has for files, texts, settings and memory, which compiled functions do without.
NO_NUMBERS = """
array2string array_repr array_str asmatrix base_repr binary_repr bmat busday_count busday_offset can_cast common_type
copyto datetime_as_string datetime_data einsum_path format_float_positional format_float_scientific from_dlpack
frombuffer fromfile fromfunction fromiter frompyfunc fromregex fromstring genfromtxt get_include get_printoptions
getbufsize geterr geterrcall info is_busday iscomplexobj isdtype isfortran isnat isrealobj issubdtype load loadtxt
may_share_memory min_scalar_type mintypecode nested_iters packbits printoptions promote_types require result_type save
savetxt savez savez_compressed set_printoptions setbufsize seterr seterrcall shares_memory show_config show_runtime
sort_complex test typename unpackbits real_if_close iscomplex isreal array
""".split()


def is_there(function: Any) -> bool:
    return function in FUNCTIONS or standing_for(function) is not None


def functions_of(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name in sorted(set(getattr(module, "__all__", dir(module)))):
        found = getattr(module, name, None)
        if callable(found) and not name.startswith("_") and not isinstance(found, type):
            yield name, found


def listed(names: list[str], said: str = "") -> str:
    return textwrap.fill(said + ", ".join(f"`{name}`" for name in names), 118)


def distributions() -> str:
    methods: dict[str, list[str]] = {}
    for name in DEFINITIONS:
        if name.startswith("scipy.stats."):
            distribution, method = name.split(".")[2:]
            methods.setdefault(distribution, []).append(method)
    return "\n".join(f"- `{name}`: {listed(sorted(methods[name]))}" for name in sorted(methods))


def methods_of_ufuncs() -> str:
    lines = []
    for method in ("outer", "reduce", "accumulate", "reduceat", "at"):
        names = sorted(name for name, f in functions_of(np) if isinstance(f, np.ufunc) and f.nin == 2)
        functions = {name: getattr(getattr(np, name), method) for name in names}
        there = [name for name in names if is_there(functions[name]) or functions[name] == np.add.at]
        lines.append(listed(there, f"`{method}` of ") + "\n")
    return "\n".join(lines)


def page() -> str:
    parts = [HEAD]
    of_scipy = (scipy.linalg, scipy.integrate, scipy.optimize, scipy.signal, scipy.special)
    of_python = (math, cmath, operator, bisect, heapq)
    for module in (np, np.linalg, np.fft, *of_scipy, *of_python):
        there = [name for name, function in functions_of(module) if is_there(function)]
        parts.append(f"## {module.__name__}\n\n{listed(there)}\n")
        if module in (np, np.linalg, np.fft, math, cmath):
            names = [n for n, f in functions_of(module) if not is_there(f) and n not in NO_NUMBERS]
            if names:
                parts.append(f"Not there:\n{listed(names)}\n")
        if module is np:
            parts.append(f"### Methods of NumPy's functions of two numbers\n\n{methods_of_ufuncs()}")
    parts.append(f"## scipy.stats\n\n{distributions()}\n")
    parts.append(f"## Complex arguments\n\n{LINEAR}\n\n{listed(of_complex())}\n")
    return "\n".join(parts)


LINEAR = """What is linear in its arrays takes complex ones (`sum`, `mean`, `cumsum`, `diff`, `reshape`, `concatenate`,
`where`, `pad`, `roll`, `linspace`, ...), and so do products (`multiply`, `matmul`, `dot`, `einsum`, `outer`, `kron`,
`cross`, ...), all of `cmath` and of `numpy.fft`, and of NumPy's others:"""


def of_complex() -> list[str]:
    """NumPy's functions with a definition that takes complex arguments, but for those of numpy.fft."""
    generic = (name for name, definition in DEFINITIONS.items() if definition in GENERIC)
    names = [name.removeprefix("numpy.") for name in {*COMPLEX, *generic} if name.startswith("numpy.")]
    return sorted(name for name in names if not name.startswith("fft.") and name not in NO_NUMBERS)


def test_the_page_is_what_the_tables_have(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page())
    assert there(PAGE.read_text()) == there(page())


def there(text: str) -> list[str]:
    """What the page says there is: what is not depends on how new NumPy is."""
    return [part for part in text.split("\n\n") if not part.startswith("Not there:")]


def test_every_function_of_arrays_is_called_by_a_test() -> None:
    """Each by its name, but for elementwise ones, which are tried by their rows."""
    files = "primitives/test_signatures primitives/test_numpy_calls definitions/test_definitions"
    files += " definitions/test_complex_numbers"
    tried = "".join((ROOT / "tests" / "codegen" / f"{name}.py").read_text() for name in files.split())
    tried += (ROOT / "tests" / "hunt" / "functions.py").read_text()
    assert [call for call in array_calls() if f"{call}(" not in tried] == []


def array_calls() -> Iterator[str]:
    for module, name in ((np, "np"), (np.linalg, "np.linalg"), (np.fft, "np.fft")):
        for word, function in functions_of(module):
            if is_there(function) and not isinstance(function, np.ufunc):
                yield f"{name}.{word}"
    for word, ufunc in functions_of(np):
        if isinstance(ufunc, np.ufunc) and ufunc.nin == 2 and ufunc.__name__ == word:  # no other name of one
            methods = ((name, getattr(ufunc, name)) for name in ("reduce", "accumulate", "reduceat", "at"))
            yield from (f"np.{word}.{name}" for name, method in methods if is_there(method))
