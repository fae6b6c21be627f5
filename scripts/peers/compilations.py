"""Memory after many compilations: each a different small program, used once and dropped.

    python compilations.py ours|numba COUNT

Prints one JSON line: the resident set in MB before the first and after every compilation. Nothing is kept on disk.
"""

import gc
import importlib.util
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from serving import answer

PROGRAM = """
def program_{k}(x):
    steps = {k}
    while x > 1e-{k}:
        x = x * 0.{k:03} if steps % 2 == 0 else x / {k}.5
        steps += 1
    return steps
"""


def programs(folder: Path, count: int) -> list[Callable[..., Any]]:
    path = folder / "many_programs.py"
    path.write_text("\n".join(PROGRAM.format(k=k) for k in range(1, count + 1)))
    spec = importlib.util.spec_from_file_location("many_programs", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["many_programs"] = module
    spec.loader.exec_module(module)
    return [getattr(module, f"program_{k}") for k in range(1, count + 1)]


def resident() -> float:
    """MB of this process that are in memory (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def use(compiler: str, function: Callable[..., Any], xs: np.ndarray) -> None:
    """Compiles the function and runs it on all xs; nothing of it is kept here."""
    if compiler == "ours":
        from autobatch import batch

        batch(function)(xs)
    else:
        from numba import njit

        compiled = njit(error_model="numpy")(function)
        for x in xs:
            compiled(x)


def main(compiler: str, count: int) -> None:
    xs = np.linspace(1.0, 2.0, 4)
    with tempfile.TemporaryDirectory() as folder:
        many = programs(Path(folder), count + 2)
        for function in many[:2]:  # what is set up once
            use(compiler, function, xs)
        sizes = [resident()]
        for function in many[2:]:
            use(compiler, function, xs)
            gc.collect()
            sizes.append(resident())
    answer({"MB": sizes})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
