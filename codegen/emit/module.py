"""The one printer: show : Program -> Python text of a module that stands alone.

    print(show(program))                       NumPy: what a person reads, steps through and keeps
    print(show(program, target="numba"))       the same functions, compiled by Numba when first called

The text imports NumPy, math, SciPy and Numba where used and nothing of ours. Written values keep the user's
names; in-place writes are done in place, on copies where the old array is still needed or is the caller's and not
to be changed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from codegen.emit.argument_stores import NOTHING, ResultHome, returned_arguments
from codegen.emit.coalescing import function_names, names
from codegen.emit.expression_folding import fold_expressions, use_count
from codegen.emit.gpu.block_kernels import BlockPrinter
from codegen.emit.gpu.kernels import KernelPrinter
from codegen.emit.gpu.row_kernels import RowPrinter
from codegen.emit.inplace import array_storage
from codegen.emit.lines import Lines, parsed
from codegen.emit.raising import Raising, own_classes
from codegen.emit.spelling import TAKEN
from codegen.emit.statements import Printer
from codegen.ir import Function, Program
from codegen.pipeline import emission, last
from codegen.simplify.bounds_checks import unproved
from codegen.source import Span
from codegen.targets import TARGETS
from codegen.targets.cuda import kernel_kind

MODULES = {
    "copy": "import copy",
    "math": "import math",
    "namedtuple": "from collections import namedtuple",
    "make_dataclass": "from dataclasses import make_dataclass",
    "cp": "import cupy as cp",
    "cupyx": "import cupyx",
    "np": "import numpy as np",
    "scipy": "import scipy.special",
}
STANDARD = ("copy", "math", "namedtuple", "make_dataclass")
FROM_NUMBA = ("config", "cuda", "njit", "prange", "types")
FROM_PARTS = {
    "Compiler": "from numba.core.compiler import Compiler",
    "add_symbol": "from llvmlite.binding import add_symbol",
    "get_host_cpu_features": "from llvmlite.binding import get_host_cpu_features",
    "get_cython_function_address": "from numba.extending import get_cython_function_address",
    "intrinsic": "from numba.extending import intrinsic",
    "libdevice": "from numba.cuda import libdevice",
    "solve_triangular": "from cupyx.scipy.linalg import solve_triangular",
}


def show(
    program: Program,
    *,
    target: str = "numpy",
    banner: str | None = None,
    quote: bool = False,
    homes: Sequence[ResultHome] | None = None,
    places: dict[int | str, Span] | None = None,
    options: Sequence[str] = (),
) -> str:
    """The module text of `program`: its functions in order, under one import block.

    target   "numpy", "numba" or "cuda"
    banner   a docstring for the module
    quote    note the user's line beside statements that are not that line itself
    places   is given what the user wrote for each line of the text, and for its expressions, where that is known
    options  of the compiler, for the program's functions
    homes    which arguments the main function's results may share memory with; None where it does not matter

    Scalars arrive as NumPy scalars (or Python numbers), streams as `numpy.random.Generator` for NumPy and
    as a state row (`codegen.runtime`) for Numba. One result is returned bare, several as a tuple.
    """
    made = function_texts(program, target, quote=quote, homes=homes, options=options)
    found = module(made.functions, made.helpers, banner, program.entry.span)
    if places is not None:
        first = found.head.count("\n") + 1
        for part, printed in zip(made.functions, made.printed_for, strict=True):
            places.update((first + k if isinstance(k, int) else k, span) for k, span in printed.items())
            first += part.strip("\n").count("\n") + 3
    return found.text


def emitted(program: Program, target: str, homes: Sequence[ResultHome] | None = None) -> EmittedModule:
    """What `show` gives, in its parts."""
    made = function_texts(program, target, homes=homes)
    return module(made.functions, made.helpers, None, program.entry.span)


@dataclass(frozen=True, eq=False)
class FunctionTexts:
    """The texts of a program's functions and of what they call; of each what the user wrote for its lines."""

    functions: tuple[str, ...]
    helpers: tuple[str, ...]
    printed_for: tuple[Mapping[int | str, Span], ...]


def function_texts(
    program: Program,
    target: str,
    *,
    quote: bool = False,
    homes: Sequence[ResultHome] | None = None,
    options: Sequence[str] = (),
    decorators: Mapping[str, str] | None = None,
    guarded: Collection[str] = (),
    returned: Callable[[Sequence[str]], Sequence[str]] | None = None,
) -> FunctionTexts:
    """`decorators`: the line above a function, by name, instead of the target's, with which all results are returned;
    `guarded` functions never raise; `returned`: what the main function, which nothing calls, returns of its results."""
    chosen = TARGETS[target]
    program = last(emission(program, target, homes))
    called = function_names(program)
    helpers = set(chosen.helper_names(program))
    raising = Raising(own_classes(program), {*TAKEN, *called.values(), *helpers}, chosen.compiled)
    avoid = TAKEN | set(called.values()) | helpers | set(raising.own)
    memory = array_storage(program)
    alone = chosen.compiled and not chosen.launches and decorators is None
    back = returned_arguments(program) if alone else NOTHING
    spelling = chosen.spelled(program)
    parts, printed = [], []
    for name, function in program.functions.items():
        folded = fold_expressions(
            function, memory, frozenset() if chosen.compiled else unproved(function), back
        )
        given, out, used = names(function, folded, avoid, back), Lines(quote=quote), use_count(function.body)
        own = (function, raising, name in guarded, returned if name == program.main else None)
        kernel = chosen.launches and function.kernel
        kind, words = (of_kernel(function), chosen.in_kernels()) if kernel else (Printer, spelling)
        printer = kind(chosen, words, called, folded, given, out, used, back, *own)
        above = chosen.decorated(program, function, options) if decorators is None else decorators[name]
        parts.append(printer.definition(above))
        printed.append(printer.out.printed_for)
    texts = [*filter(None, [chosen.helpers(program)]), *raising.definitions()]
    return FunctionTexts(tuple(parts), tuple(texts), tuple(printed))


def of_kernel(function: Function) -> type[KernelPrinter]:
    kinds = {"threads": KernelPrinter, "rows": RowPrinter}
    return kinds.get(kernel_kind(function) or "", BlockPrinter)


CALLED = "# What the functions above call."


@dataclass(frozen=True)
class EmittedModule:
    """head: docstring and imports, up to the rest; own: what a module is for; called: what that calls."""

    head: str
    own: str
    called: str

    @property
    def text(self) -> str:
        return self.head + in_sections(self.own, self.called)

    def changed(self, change: Callable[[str], str]) -> EmittedModule:
        """Another text for each of the two sections."""
        return replace(self, own=change(self.own), called=change(self.called))


def module(
    functions: Iterable[str], helpers: Iterable[str], banner: str | None, span: Span | None
) -> EmittedModule:
    """Docstring and imports; the program's functions, and in a section of its own what they call."""
    own, called = joined_texts(functions), joined_texts(helpers)
    imports = imports_of(parsed(in_sections(own, called), span))
    head = "\n\n".join([f'"""{banner}"""'] * bool(banner) + [imports] * bool(imports))
    return EmittedModule(f"{head}\n\n\n" if head else "", own, called)


def joined_texts(texts: Iterable[str]) -> str:
    """Texts two blank lines apart."""
    return "\n\n\n".join(text.strip("\n") for text in texts if text)


def in_sections(own: str, called: str) -> str:
    return joined_texts((own, CALLED * bool(own and called), called)) + "\n"


def imports_of(code: ast.Module) -> str:
    """The import lines of the modules that a text names, but for a function's own variables."""
    nodes = list(ast.walk(code))
    named = names_from_outside(code)
    used = [line for word, line in MODULES.items() if word in named]
    numba = ", ".join(word for word in FROM_NUMBA if word in named)
    used += [f"from numba import {numba}"] if numba else []
    used += [line for word, line in FROM_PARTS.items() if word in named]
    standard = [line for line in used if line in map(MODULES.get, STANDARD)]
    others = [line for line in used if line not in standard]
    text = "\n\n".join("\n".join(group) for group in (standard, others) if group)
    return said_of_scipy(nodes) + text


def names_from_outside(scope: ast.AST) -> set[str]:
    """The names that a module or function reads without giving them a value."""
    read, bound, inner = set(), set(), list(ast.iter_child_nodes(scope))
    for node in inner:
        match node:
            case ast.FunctionDef() | ast.Lambda():
                read |= names_from_outside(node)
            case ast.Name(name, ast.Load()):
                read.add(name)
            case ast.Name(name) | ast.arg(name):
                bound.add(name)
            case _:
                pass
        inner += [] if isinstance(node, ast.FunctionDef | ast.Lambda) else ast.iter_child_nodes(node)
    return read - bound if isinstance(scope, ast.FunctionDef | ast.Lambda) else read


def packages_needed(code: str) -> str:
    """A comment of what compiled code needs and does not import: Numba calls BLAS and LAPACK by SciPy."""
    return said_of_scipy(list(ast.walk(ast.parse(code))))


def said_of_scipy(nodes: Sequence[ast.AST]) -> str:
    if not any(isinstance(node, ast.Name) and node.id == "njit" for node in nodes):
        return ""
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    if any(
        is_numpy_attribute(node.value, "linalg") or node.attr == "ExternalFunction" for node in attributes
    ):
        return "# needs scipy: Numba takes linear algebra from there\n"
    product = any(isinstance(node, ast.MatMult) or is_numpy_attribute(node, "dot", "vdot") for node in nodes)
    return "# needs scipy: Numba takes products of matrices from there\n" if product else ""


def is_numpy_attribute(node: ast.AST, *names: str) -> bool:
    """Whether a node is `np.` and one of these names."""
    match node:
        case ast.Attribute(ast.Name("np"), attr):
            return attr in names
    return False
