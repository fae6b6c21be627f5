"""Where parts of a store of text begin and end is found without Python's parser, which must say the same."""

import ast
from pathlib import Path

import pytest

from codegen import runtime
from codegen.runtime.forms import parts_of

HERE = Path(runtime.__file__).parent
STORES = [file for file in sorted(HERE.glob("**/*.py")) if file.stem not in runtime.NO_STORES]


@pytest.mark.parametrize("file", STORES, ids=lambda file: str(file.relative_to(HERE)))
def test_parts_are_those_of_pythons_parser(file):
    source = file.read_text("utf-8")
    nodes = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef | ast.Assign)]
    parts = parts_of([source])
    assert [part.source for part in parts] == [whole(source, node) for node in nodes]
    assert [part.names for part in parts] == [names_of(node) for node in nodes]


def whole(source, node):
    first = min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))
    return "\n".join(source.splitlines()[first - 1 : node.end_lineno])


def names_of(node):
    if isinstance(node, ast.FunctionDef):
        return (node.name,)
    return tuple(n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name))


STORE = '''"""Text that says
A = 1
"""

import math

# Of both.
A = 1.0
B, C = (
    2.0,
    3.0,
)

D = 4.0


@njit()
def f(x: float) -> float:
    """Of B."""

    return x * B


@intrinsic
def g(typing: object) -> object: ...


def h(x: np.ndarray) -> np.ndarray:
    return np.sort(x)
'''


def test_blocks_headings_and_decorators():
    a, b, d, f, g, h = parts_of([STORE])
    assert (a.heading, a.text, a.block) == ("# Of both.\n", "A = 1.0", 0)
    assert (b.heading, b.text, b.names, b.block) == ("", "B, C = (\n    2.0,\n    3.0,\n)", ("B", "C"), 0)
    assert (d.text, d.block) == ("D = 4.0", 2)
    assert (f.decorator, f.opening, f.uses, f.of_arrays) == ("@njit()", 3, {"njit", "B", "float"}, False)
    assert (g.decorator, g.text) == ("", "@intrinsic\ndef g(typing: object) -> object: ...")
    assert h.of_arrays and h.uses == {"np"}
