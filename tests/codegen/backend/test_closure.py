"""The part of a module that one function needs; and that a function of one text is compiled once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from codegen import clear_cache
from codegen.backend.closure import closure
from codegen.backend.load import load

MODULE = '''"""A module."""

import math
from itertools import chain, count

import numpy as np

A, B = 1.0, 2.0
C = [A]  # not the function's


def decorator(f):
    return f


# Told apart.
@decorator
def f(x, *, y=B):
    """With a comment inside."""
    # here
    A = math.sqrt(x)
    return g(A) + np.sum(x)


def g(x):
    return f(x) if x else 0.0


class D(list):
    pass


def h(x: D) -> None:
    return next(count(x))
'''


def test_what_a_function_needs() -> None:
    found = closure(MODULE, "f")
    assert found is not None
    assert found.defined == {"math", "np", "A", "B", "decorator", "f", "g"}
    assert found.text == "".join((
        "import math\n\nimport numpy as np\n\nA, B = 1.0, 2.0\n\ndef decorator(f):\n    return f\n",
        '\n@decorator\ndef f(x, *, y=B):\n    """With a comment inside."""\n    # here\n',
        "    A = math.sqrt(x)\n    return g(A) + np.sum(x)\n",
        "\ndef g(x):\n    return f(x) if x else 0.0\n",
    ))  # fmt: skip
    assert "sum" not in found.used and {"x", "A", "g"} <= found.used
    other = closure(MODULE, "h")
    assert other is not None and other.text.startswith("from itertools import count\n\nclass D")
    for each in (found, other):
        again = closure(each.text, "f" if each is found else "h")
        assert again is not None and again.text == each.text
        exec(each.text, {})


@pytest.mark.parametrize(
    "more",
    [
        "A = 2.0",
        "C[0] = 1",
        "np.x = 1",
        "for x in C: pass",
        "f(1)",
        "if A: B = 2",
        "from __future__ import division",
    ],
)
def test_modules_that_do_more_than_define(more: str) -> None:
    assert closure(f"{more}\n{MODULE}" if "future" in more else f"{MODULE}\n{more}\n", "f") is None


def test_names_that_a_module_does_not_define() -> None:
    assert closure(MODULE, "missing") is None and closure(MODULE, "math") is not None


TEXT = """
import numpy as np
from numba import njit

SCALE = 3.0


@njit(error_model="numpy")
def scaled(x):
    return SCALE * x


@njit(error_model="numpy")
def checked(x):
    if x < 0.0:
        raise ValueError("below 0")
    return scaled(x)


@njit(error_model="numpy", cache=True)
def total(x):
    s = 0.0
    for each in x:
        s += checked(each)
    return s + NUMBER
"""


def of_number(number: int) -> Any:
    return load(TEXT + f"\n\nNUMBER = {number}.0\n", "total")


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    clear_cache()
    return tmp_path


def test_a_function_is_compiled_once_for_all_modules(folder: Path) -> None:
    x = np.array([1.0, 2.0])
    assert [of_number(k).total(x) for k in range(4)] == [9.0, 10.0, 11.0, 12.0]
    first, *later = (of_number(k) for k in range(4))
    libraries = [{r.library for r in m.scaled.overloads.values()} for m in (first, *later)]
    assert libraries[0] != libraries[1] == libraries[2] == libraries[3]
    assert len({r.library for m in (first, *later) for r in m.checked.overloads.values()}) == 4  # it raises
    own = {path.suffix: path.read_bytes() for path in folder.glob("scaled*")}
    assert own.keys() == {".linked", ".py"} and own[".py"].count(b"def ") == 1
    for module in (first, *later):
        assert module.scaled(2.0) == 6.0 and module.total(x[:1]) == module.NUMBER + 3.0
        with pytest.raises(ValueError, match="below 0"):
            module.total(-x)


def test_a_long_function_is_so_at_once(folder: Path) -> None:
    text = TEXT.replace("return SCALE * x", f"return SCALE * x{' + 0.0 * x' * 200}")
    modules = [load(f"{text}\n\nNUMBER = {k}.0\n", "total") for k in range(2)]
    assert [module.total(np.array([1.0, 2.0])) for module in modules] == [9.0, 10.0]
    one, other = ({r.library for r in module.scaled.overloads.values()} for module in modules)
    assert one == other


LATER = """
import sys
import numpy as np
from codegen.backend.load import load

module = load(sys.stdin.read(), "total")
print(module.total(np.array([1.0, 2.0])))
own = [m.scaled for n, m in sys.modules.items() if n.startswith("autobatch_cache.scaled")]
print([sum(f.stats.cache_hits.values()) > 0 for f in own])
"""


@pytest.mark.turns(4)
def test_later_processes_find_it(folder: Path) -> None:
    assert [of_number(k).total(np.array([1.0])) for k in (10, 11)] == [13.0, 14.0]
    text = TEXT + "\n\nNUMBER = 12.0\n"
    done = subprocess.run(
        [sys.executable, "-c", LATER], input=text, capture_output=True, text=True, check=True
    )
    assert done.stdout == "21.0\n[True]\n"
    # Machine code that holds it, where it is not there itself.
    for path in folder.glob("scaled*"):
        path.unlink()
    done = subprocess.run(
        [sys.executable, "-c", LATER], input=text, capture_output=True, text=True, check=True
    )
    assert done.stdout == "21.0\n[]\n" and not done.stderr


ALIKE = """
from numba import njit


@njit(error_model="numpy")
def total(numbers):
    s = 0.0
    for each in numbers:
        s += each
    return s


@njit(error_model="numpy")
def of_each(*numbers):
    return total(numbers)


@njit(error_model="numpy", cache=True)
def ends(x):
    return {call}
"""


@pytest.mark.turns(4)
def test_types_that_print_alike(folder: Path) -> None:
    """Of a tuple and of *args: neither is found where the other is looked for, in later processes too."""
    of_each, of_tuple = "of_each(x[0], {})", "total((x[0], {}))"
    for calls in [of_each, of_each], [of_tuple], [of_tuple, of_each]:
        texts = [ALIKE.format(call=call.format(f"{k}.0")) for k, call in enumerate(calls)]
        program = "import sys, numpy as np\nfrom codegen.backend.load import load\n"
        program += f"for text in {texts!r}:\n    print(load(text, 'ends').ends(np.array([1.0])))\n"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert [*map(float, done.stdout.split())] == [1.0, 2.0][: len(calls)] and not done.stderr


APART = """
import numpy as np
from numba import njit, types
from numba.extending import intrinsic


@intrinsic
def compiled_apart(typing):
    def generate(context, builder, signature, args):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), generate


@njit(error_model="numpy")
def half(x):
    compiled_apart()
    return x / 2


@njit(error_model="numpy")
def halves(x):
    compiled_apart()
    return np.array([half(each) for each in x])


@njit(error_model="numpy")
def between(x):
    return halves(x) + half(x[0]) + half(3)


@njit(error_model="numpy", cache=True)
def total(x):
    return np.sum(between(x)) + half(NUMBER)
"""

LATER_APART = """
import numpy as np
from codegen.backend.load import load

for k in range(4):
    print(load(TEXT + f"NUMBER = {k}.0\\n", "total").total(np.array([1.0, 2.0])))
"""


def halved_total(number: int) -> Any:
    return load(APART + f"\n\nNUMBER = {number}.0\n", "total").total


@pytest.mark.turns(4)
def test_functions_that_callers_call(folder: Path) -> None:
    """They have machine code of their own, which callers of callers keep beside theirs."""
    x = np.array([1.0, 2.0])
    assert [halved_total(k)(x) for k in range(3)] == [5.5, 6.0, 6.5]
    library = halved_total(0).overloads[(numba.typeof(x),)].library
    assert [sum(name in symbol for symbol in library.called) for name in ("4half", "6halves")] == [2, 1]
    assert not library.called.keys() & set(library.symbols.functions)
    program = f"TEXT = {APART!r}\n{LATER_APART}"
    for _ in range(2):  # with what they call as it is kept for all, then as each program keeps it
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["5.5", "6.0", "6.5", "7.0"]
        for path in folder.glob("*.linked"):
            path.unlink()
