"""What no emitted text has, whatever it was made of: what one would not write by hand."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import corpus
import numpy as np
import pytest
from corpus.case import CASES, GROWING, Case

from autobatch import Schedule, batch
from autodiff import grad
from codegen import jit
from codegen.source import SourceError

assert corpus  # enters the cases


def found_in(text: str) -> list[str]:
    """The faults of a text, each in words."""
    module = ast.parse(text)
    return [*doubled(module), *unused(module), *spelled(module), *sums(module)]


def functions_of(module: ast.Module) -> list[ast.FunctionDef]:
    return [node for node in module.body if isinstance(node, ast.FunctionDef)]


def sums(module: ast.Module) -> Iterator[str]:
    """Sums that are differences."""
    for node in ast.walk(module):
        match node:
            case ast.BinOp(_, ast.Add(), ast.BinOp(ast.UnaryOp(ast.USub(), ast.Constant()))):
                yield f"a negative multiple is added: {ast.unparse(node)}"


def spelled(module: ast.Module) -> Iterator[str]:
    """Comparisons from the wrong side, and what is left of a function in two ways."""
    for node in ast.walk(module):
        match node:
            case ast.Compare(ast.Constant(), [_], [ast.Constant()]):
                pass
            case ast.Compare(ast.Constant(), [ast.Eq() | ast.Lt() | ast.Gt() | ast.LtE() | ast.GtE()], [_]):
                yield f"a literal on the left: {ast.unparse(node)}"
            case ast.FunctionDef() | ast.If() | ast.For() | ast.While():
                yield from left_twice(node.body)
                yield from left_twice(getattr(node, "orelse", []))


def doubled(module: ast.Module) -> Iterator[str]:
    """Functions that do the same, but those that one function of the user's was made, of arrays of other sizes."""
    seen: dict[tuple[str, str], str] = {}
    for function in functions_of(module):
        params = [a.arg for a in function.args.args]
        body = ast.unparse(ast.Module(function.body[isinstance(function.body[0], ast.Expr) :], []))
        for k, name in enumerate(params):
            body = re.sub(rf"\b{name}\b", f"given{k}", body)
        other = seen.setdefault((body, ",".join(map(ast.unparse, function.decorator_list))), function.name)
        if made_of(other) != made_of(function.name) and len(function.body) > 1:
            yield f"{function.name} is {other}"


def made_of(name: str) -> str:
    return re.sub(r"(_lanes)?(_parts|_\d+)?$", "", name)


def unused(module: ast.Module) -> Iterator[str]:
    """Functions, constants and imports that nothing reads, but for the function that the text is for."""
    read = Counter(node.id for node in ast.walk(module) if isinstance(node, ast.Name) and not is_stored(node))
    for node in module.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [(alias.asname or alias.name).split(".")[0] for alias in node.names]
        elif isinstance(node, ast.Assign):
            names = [each.id for t in node.targets for each in ast.walk(t) if isinstance(each, ast.Name)]
        else:
            names = [node.name] if isinstance(node, ast.ClassDef) else []
        yield from (f"nothing reads {name}" for name in names if not read[name])
    alone = [f.name for f in functions_of(module) if not read[f.name]]
    if len(alone) > 1:
        yield f"nothing calls one of {', '.join(alone)}"


def is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def left_twice(statements: list[ast.stmt]) -> Iterator[str]:
    """Returns of what is returned anyway, and of what has just been called `result`."""
    for before, after in zip(statements, statements[1:]):
        if not isinstance(after, ast.Return) or after.value is None:
            continue
        value = ast.unparse(after.value)
        match before:
            case ast.If(_, [*_, ast.Return() as inner], []) if ast.dump(inner) == ast.dump(after):
                yield f"returned on both ways: {value}"
            case ast.Assign([ast.Name(name)]) if name == value == "result":
                yield f"named to be returned: {ast.unparse(before)}"


EXAMPLES = [case for case in (*CASES, *GROWING) if "raises" not in case.marks]


@pytest.mark.sampled(21)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("case", EXAMPLES, ids=lambda case: case.name)
def test_functions(case: Case, target: Any) -> None:
    text = jit(case.function, target=target).source(*case.lanes()[0])
    assert found_in(text) == [], text


DIFFERENTIABLE = [case for case in CASES if "differentiable" in case.marks and "draws" not in case.marks]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=lambda case: case.name)
def test_gradients(case: Case, target: Any) -> None:
    arguments = case.lanes()[0]
    floats = tuple(k for k, a in enumerate(arguments) if np.asarray(a).dtype.kind == "f")

    def loss(*given):
        return np.sum(case.function(*given))

    if floats and isinstance(case.function(*case.lanes()[0]), float | np.floating | np.ndarray):
        text = grad(loss, floats, target=target).source(*arguments)
        assert found_in(text) == [], text


LANES = [case for case in EXAMPLES if case in CASES and "draws" not in case.marks]


@pytest.mark.sampled(81)
@pytest.mark.parametrize("form", ["numba", "cuda", "local_static"])
@pytest.mark.parametrize("case", LANES, ids=lambda case: case.name)
def test_lanes(case: Case, form: Any) -> None:
    lanes = case.lanes()
    if not all(isinstance(a, int | float | np.ndarray) for a in lanes[0]):
        return
    given = [a if k in case.shared else np.array([lane[k] for lane in lanes]) for k, a in enumerate(lanes[0])]
    axes = tuple(None if k in case.shared else 0 for k in range(len(given)))
    told = {"target": "numpy", "schedule": Schedule(form)} if form == "local_static" else {"target": form}
    try:
        text = batch(case.function, axes, **told).source(*given)
    except SourceError:  # lanes whose arrays differ in size
        return
    module = ast.parse(text)
    assert [*doubled(module), *spelled(module)] == [], text
