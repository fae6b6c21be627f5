"""Long and deep programs: what is emitted for them is right, or they are refused by name before anything is."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autobatch import batch
from codegen import SourceError, jit
from codegen.emit.lines import LEVELS, LOOPS, parsed


def written(folder: Path, lines: list[str]) -> Any:
    """The function f of a text, in a module of its own."""
    file = folder / f"written_{len(list(folder.iterdir()))}.py"
    file.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def elifs(n: int) -> list[str]:
    later = [line for k in range(1, n) for line in (f"    elif x < {k}.0:", f"        y = x * {k}.5")]
    return [
        "def f(x):",
        "    if x < 0.0:",
        "        y = 0.5 * x",
        *later,
        "    else:",
        "        y = x",
        "    return y",
    ]


def chain(n: int) -> list[str]:
    links = (f"def g{k}(x):\n    return g{k - 1}(x) * 1.01" for k in range(1, n))
    return ["def g0(x):\n    return x + 1.0", *links, f"def f(x):\n    return g{n - 1}(x)"]


def nested(head: str, n: int) -> list[str]:
    heads = [" " * (4 + k) + head.format(k=k) for k in range(n)]
    return [
        "def f(x):",
        "    y = 0.0",
        "    n = int(x < 100.0)",
        *heads,
        " " * (4 + n) + "y = y + x",
        "    return y",
    ]


@pytest.mark.turns(4)
def test_many_branches_and_calls_inside_one_another(tmp_path: Path) -> None:
    f = written(tmp_path, elifs(160))
    for x in (-2.0, 3.5, 200.0):
        assert jit(f, target="numpy")(x) == f(x)
    f = written(tmp_path, chain(150))
    assert jit(f, target="numpy")(1.5) == f(1.5)
    assert jit(f)(1.5) == pytest.approx(f(1.5))
    f = written(tmp_path, ["def f(x):", "    return " + " + ".join(f"x * {k}.0" for k in range(400))])
    assert jit(f, target="numpy")(1.5) == f(1.5)


def test_loops_inside_one_another(tmp_path: Path) -> None:
    f = written(tmp_path, nested("for i{k} in range(n):", 12))
    xs = np.array([1.5, 2.5])
    np.testing.assert_array_equal(batch(f, target="numpy")(xs), xs)


@pytest.mark.parametrize("head, n", [("for i{k} in range(n):", 19), ("if x > {k}.0:", 97)])
def test_what_python_does_not_read_is_refused_before_it_is_emitted(tmp_path: Path, head: str, n: int) -> None:
    f = written(tmp_path, nested(head, n))
    assert jit(f, target="numpy")(1.5) in (1.5, 0.0)
    with pytest.raises(SourceError, match="branches and loops are nested too deeply: Python takes") as error:
        batch(f)(np.array([1.5, 2.5]))
    assert error.value.lineno == 1


def test_as_deep_as_python_reads() -> None:
    for head, most in (("if x:\n", LEVELS), ("for x in y:\n", LOOPS)):
        text = "".join("    " * k + head for k in range(most)) + "    " * most + "pass\n"
        assert parsed(text, None).body and compile(text, "", "exec")
        deeper = "".join("    " * k + head for k in range(most + 1)) + "    " * (most + 1) + "pass\n"
        with pytest.raises(SourceError):
            parsed(deeper, None)
        with pytest.raises(SyntaxError):
            compile(deeper, "", "exec")
