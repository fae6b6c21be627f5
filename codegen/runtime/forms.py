"""The functions and constants of a store of text, and the forms that a function is copied in: a form is Part -> source.

as_compiled     @njit(...)
                def draw_random(s: np.ndarray) -> float: ...
plain           def draw_random(s: np.ndarray) -> float: ...
with_offset     @njit(...)
                def draw_random(s: np.ndarray, o: int) -> float: ...
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

DEVICE = "@cuda.jit(device=True)"  # a function for threads of a GPU
ON_DEVICE = {"np.floor": "libdevice.floor", "np.sqrt": "math.sqrt"}  # of a number
OF_NUMPY = {"np.floating", "np.errstate", "np.nan", "np.linalg.LinAlgError"}  # CuPy has its own of all else


@dataclass(frozen=True)
class Part:
    """One function or assignment at the top level of a store.

    Parts with no blank line between them form a block; `heading` is the comment above the block. `decorator` is the
    line above a function by which Numba compiles it; `text` all else, without a newline at its end. Only what is asked
    of a part needs its tree: most parts are never parsed.
    """

    names: tuple[str, ...]
    block: int
    heading: str
    decorator: str
    text: str

    @property
    def source(self) -> str:
        return f"{self.decorator}\n{self.text}" if self.decorator else self.text

    @cached_property
    def node(self) -> ast.stmt:
        return ast.parse(self.source).body[0]

    @cached_property
    def uses(self) -> frozenset[str]:
        """The names that it reads, but for its own."""
        inside = nodes_in(self.node)
        variables = [n for n in inside if isinstance(n, ast.Name)]
        stored = (n.id for n in variables if isinstance(n.ctx, ast.Store))
        own = (*stored, *(n.arg for n in inside if isinstance(n, ast.arg)))
        return frozenset(n.id for n in variables if isinstance(n.ctx, ast.Load)).difference(own)

    @cached_property
    def opening(self) -> int:
        """Of a function, the lines of its text before its first statement."""
        node = self.node
        if not isinstance(node, ast.FunctionDef):
            return 0
        behind_docstring = node.body[1 if ast.get_docstring(node, clean=False) is not None else 0 :]
        return behind_docstring[0].lineno - 1 - (self.decorator.count("\n") + 1 if self.decorator else 0)

    @property
    def of_arrays(self) -> bool:
        """Whether it is a function of NumPy's arrays, not compiled."""
        node = self.node
        return isinstance(node, ast.FunctionDef) and takes_array(node) and not node.decorator_list

    @cached_property
    def on_device(self) -> Part:
        """The same for a GPU, made once in a process: its text is parsed for that."""
        return on_device(self)


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
    of_arrays = part.of_arrays
    nodes = nodes_in(ast.parse(part.text).body[0]) if of_arrays or part.decorator else []
    if of_arrays:
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

PART = re.compile(
    r"""^(?P<heading>(?:\#.*\n)*)
    (?P<decorators>(?:@.*\n)*)
    (?P<text>(?:def\ (?P<function>\w+)|(?P<stored>\w[\w,\ ]*)\ =).*\n(?:[\ )\]}].*\n|\n(?=\n*\ ))*)""",
    re.MULTILINE | re.VERBOSE,
)
DOCSTRING = re.compile('r?""".*?"""\n', re.DOTALL)


def parts_of(sources: Iterable[str]) -> tuple[Part, ...]:
    """The parts of stores of text, which the formatter has been over: where one begins is seen by its first letter."""
    found: list[Part] = []
    for source in sources:
        found.extend(file_parts(source, len(found)))
    return tuple(found)


def file_parts(source: str, block: int) -> list[Part]:
    """The parts of one file, their blocks numbered from `block`."""
    docstring = DOCSTRING.match(source)
    found: list[Part] = []
    end = -1
    for match in PART.finditer(source, docstring.end() if docstring else 0):
        heading, decorators, text = match["heading"], match["decorators"], match["text"]
        is_compiled = re.search("^@njit\\b", decorators, re.MULTILINE) is not None
        opens_block = bool(heading) or match.start() != end
        part = Part(
            names=(match["function"],) if match["function"] else tuple(match["stored"].split(", ")),
            block=block + len(found) if opens_block else found[-1].block,
            heading=heading,
            decorator=decorators[:-1] if is_compiled else "",
            text=(text if is_compiled else decorators + text)[:-1],
        )
        found.append(part)
        end = match.end()
    return found


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
