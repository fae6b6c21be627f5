"""The functions and constants of a store of text, and the forms that a function is copied in: a form is Part -> source.

as_compiled     @njit(...)
                def draw_random(s: np.ndarray) -> float: ...
plain           def draw_random(s: np.ndarray) -> float: ...
with_offset     @njit(...)
                def draw_random(s: np.ndarray, o: int) -> float: ...
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

DEVICE = "@cuda.jit(device=True)"  # a function for threads of a GPU
ON_DEVICE = {"np.floor": "libdevice.floor", "np.sqrt": "math.sqrt"}  # of a number
OF_NUMPY = {"np.floating", "np.errstate", "np.nan", "np.linalg.LinAlgError"}  # CuPy has its own of all else


@dataclass(frozen=True)
class Part:
    """One function or assignment at the top level of a store.

    Parts with no blank line between them form a block; `heading` is the comment above the block. `decorator` is the
    line above a function by which Numba compiles it; `text` all else, without a newline at its end. `opening`: of a
    function, the lines of its text before its first statement. `of_arrays`: a function of NumPy's arrays, not compiled.
    """

    names: tuple[str, ...]
    uses: frozenset[str]
    block: int
    heading: str
    decorator: str
    text: str
    opening: int = 0
    of_arrays: bool = False

    @property
    def source(self) -> str:
        return f"{self.decorator}\n{self.text}" if self.decorator else self.text


Form = Callable[[Part], str]


def as_compiled(part: Part) -> str:
    """With Numba's decorator."""
    return part.source


def plain(part: Part) -> str:
    """As Python runs it."""
    return part.text


def with_offset(part: Part) -> str:
    """A function whose stream is not an array `s` but 13 words of a larger one, from place `o` on."""
    node = ast.parse(part.text).body[0]
    if not isinstance(node, ast.FunctionDef) or not takes_array(node) or node.args.args[0].arg != "s":
        return part.source
    edits = []
    for each in nodes_in(node):
        match each:
            case ast.arg("s") | ast.Call(ast.Name(), [ast.Name("s"), *_]):
                own = each if isinstance(each, ast.arg) else each.args[0]
                edits.append((behind(own), behind(own), ", o: int" if own is each else ", o"))
            case ast.Subscript(ast.Name("s"), ast.Constant() as place):
                edits.append((start(place), start(place), "o + "))
            case ast.Subscript(ast.Name("s"), place):
                edits += [(start(place), start(place), "o + np.int64("), (behind(place), behind(place), ")")]
    return replace(part, text=edited(part.text, edits)).source


def takes_array(node: ast.FunctionDef) -> bool:
    """Whether the first argument is an array."""
    given = [arg.annotation and ast.unparse(arg.annotation) for arg in node.args.args]
    return given[:1] == ["np.ndarray"]


def on_device(part: Part) -> Part:
    """A function of the CPU's for a thread of a GPU: numba-cuda compiles it, but for NumPy's function of a number. And
    one of NumPy's arrays for its host, of CuPy's."""
    nodes = nodes_in(ast.parse(part.text).body[0]) if part.of_arrays or part.decorator else []
    if part.of_arrays:
        attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
        theirs = [each for node in attributes if ast.unparse(node) in OF_NUMPY for each in ast.walk(node)]
        edits = [
            (start(node), behind(node), "cp")
            for node in nodes
            if isinstance(node, ast.Name) and node.id == "np" and node not in theirs
        ]
        return replace(part, text=edited(part.text, edits))
    if not part.decorator:
        return part
    called = [(node.func, ast.unparse(node.func)) for node in nodes if isinstance(node, ast.Call)]
    edits = [(start(f), behind(f), ON_DEVICE[name]) for f, name in called if name in ON_DEVICE]
    return replace(part, text=edited(part.text, edits), decorator=DEVICE, heading="")


Place = tuple[int, int]


def start(node: ast.expr | ast.arg) -> Place:
    return node.lineno - 1, node.col_offset


def behind(node: ast.expr | ast.arg) -> Place:
    return (node.end_lineno or 0) - 1, node.end_col_offset or 0


def edited(text: str, edits: Iterable[tuple[Place, Place, str]]) -> str:
    """A text with what is between two places of a line replaced."""
    lines = text.split("\n")
    for (row, first), (_, last), new in sorted(edits, reverse=True):
        lines[row] = lines[row][:first] + new + lines[row][last:]
    return "\n".join(lines)


# reading a store


def parts_of(sources: Iterable[str]) -> tuple[Part, ...]:
    """The parts of stores of text."""
    found: list[Part] = []
    for source in sources:
        found.extend(file_parts(source, len(found)))
    return tuple(found)


def file_parts(source: str, block: int) -> list[Part]:
    """The parts of one file, their blocks numbered from `block`."""
    lines = source.splitlines()
    found: list[Part] = []
    end = 0
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.Assign):
            above = node.decorator_list if isinstance(node, ast.FunctionDef) else []
            first = top = min([node.lineno, *(d.lineno for d in above)])
            compiled = any(isinstance(d, ast.Call) and ast.unparse(d.func) == "njit" for d in above)
            below = node.lineno if compiled else first
            while lines[top - 2].startswith("#"):
                top -= 1
            inside = nodes_in(node)
            variables = [n for n in inside if isinstance(n, ast.Name)]
            stored = tuple(n.id for n in variables if isinstance(n.ctx, ast.Store))
            own = (*stored, *(n.arg for n in inside if isinstance(n, ast.arg)))
            opens_block = first - end > 1 or not found
            part = Part(
                names=(node.name,) if isinstance(node, ast.FunctionDef) else stored,
                uses=frozenset(n.id for n in variables if isinstance(n.ctx, ast.Load)).difference(own),
                block=block + len(found) if opens_block else found[-1].block,
                heading="".join(line + "\n" for line in lines[top - 1 : first - 1]),
                decorator="\n".join(lines[first - 1 : below - 1]),
                text="\n".join(lines[below - 1 : node.end_lineno]),
            )
            found.append(with_facts(part, node, below) if isinstance(node, ast.FunctionDef) else part)
        end = node.end_lineno or end
    return found


def with_facts(part: Part, node: ast.FunctionDef, first: int) -> Part:
    """The part of a function, whose text begins in line `first`, with what is asked of functions."""
    behind_docstring = node.body[1 if ast.get_docstring(node, clean=False) is not None else 0 :]
    of_arrays = takes_array(node) and not node.decorator_list
    opening = behind_docstring[0].lineno - first
    return replace(part, opening=opening, of_arrays=of_arrays)


def nodes_in(node: ast.AST) -> list[ast.AST]:
    """A node and all in it, as `ast.walk` gives them in three times the time."""
    found = [node]
    for each in found:
        for field in each._fields:
            value = getattr(each, field, None)
            if isinstance(value, list):
                found.extend(item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST):
                found.append(value)
    return found
