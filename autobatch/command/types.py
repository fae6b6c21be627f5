"""The types of a function's arguments as a user writes them, to a signature of `codegen.infer`.

    parse_types("x: f8[:], n: i8, state: State(f8, f8[10]), rng: rng", names)
        -> {"x": f8[n], "n": i8, "state": Nest(State, (f8, f8[10]), ("q", "p")), "rng": rng}

A type is a NumPy code (`f8`, `f4`, `c16`, `i8`, `b1`, ...), `rng` for a random generator, or Python's `float`, `int`,
`complex` and `bool`; in brackets an array's sizes, `:` where any will do; a tuple, list or dict of types; a named tuple
of the file, called with the types of its fields.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import libcst as cst
from libcst.helpers import get_full_name_for_node

from codegen.infer.unloaded import Unread
from codegen.infer.values import Nest, complex_pair, is_named_tuple, keys_of
from codegen.ir import Type, Var
from codegen.ir.build import SIZE

CODES = ("f8", "f4", "c16", "c8", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1", "rng")
PYTHON = {"float": "f8", "int": "i8", "bool": "b1", "complex": "c16"}
Lookup = Callable[[str], Any]


class TypesError(ValueError):
    """A text that says no types."""


def parse_types(text: str, names: Lookup) -> dict[str, Any]:
    """`x: f8[:], n: i8` as an entry of a signature per name. TypesError where the text has another form."""
    return {key: parse_entry(node, names) for key, node in parse_parameters(text).items()}


def parse_values(text: str) -> dict[str, Any]:
    """`axis=0, mode="full"` as literal values. TypesError where a value is no literal.

    >>> parse_values("axis=0, shape=(2, 3)")
    {'axis': 0, 'shape': (2, 3)}
    """
    try:
        call = ast.parse(f"dict({text})", mode="eval").body
    except SyntaxError as error:
        raise TypesError(f'{text!r} is not of the form `axis=0, mode="full"`: {error.msg}') from None
    if not isinstance(call, ast.Call) or call.args or any(k.arg is None for k in call.keywords):
        raise TypesError(f'{text!r} is not of the form `axis=0, mode="full"`')
    return {str(k.arg): literal_value(k.value) for k in call.keywords}


def parse_axes(text: str) -> dict[str, Any]:
    """`x: 0, X: None` as axes by argument, nested as the arguments are.

    >>> parse_axes("x: 0, data: (None, 0)")
    {'x': 0, 'data': (None, 0)}
    """
    return {key: literal_value(node) for key, node in parse_parameters(text).items()}


def parse_parameters(text: str) -> dict[str, ast.expr]:
    """What stands after each name: read as the annotations of parameters."""
    form = f"{text!r} is not of the form `x: f8[:], n: i8`"
    try:
        made = ast.parse(f"def f({text}): pass").body
    except SyntaxError as error:
        raise TypesError(f"{form}: {error.msg}") from None
    define = made[0]
    if len(made) != 1 or not isinstance(define, ast.FunctionDef) or len(define.body) != 1:
        raise TypesError(form)
    given = define.args
    if given.vararg or given.kwarg or given.posonlyargs or given.kwonlyargs or given.defaults:
        raise TypesError(form)
    found = {}
    for argument in given.args:
        if argument.annotation is None:
            raise TypesError(f"nothing stands after {argument.arg!r} in {text!r}: write `{argument.arg}: f8`")
        found[argument.arg] = argument.annotation
    return found


def literal_value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise TypesError(f"`{ast.unparse(node)}` is no literal") from None


def parse_entry(node: ast.expr, names: Lookup) -> Any:
    """A type as an entry of a signature."""
    match node:
        case ast.Constant(str(text)):
            return parse_type(text, names)
        case ast.Name(word):
            return scalar(word)
        case ast.Subscript(ast.Name(word), sizes):
            listed = sizes.elts if isinstance(sizes, ast.Tuple) else [sizes]
            return array_type(scalar(word), tuple(map(parse_size, listed)), node)
        case ast.Tuple(items):
            return Nest(tuple, tuple(parse_entry(item, names) for item in items))
        case ast.List(items):
            return Nest(list, tuple(parse_entry(item, names) for item in items))
        case ast.Dict(keys, values) if all(isinstance(k, ast.Constant) for k in keys):
            texts = tuple(str(k.value) for k in keys if isinstance(k, ast.Constant))
            return Nest(dict, tuple(parse_entry(v, names) for v in values), texts)
        case ast.Call(ast.Name(word), items, keywords):
            return named_tuple_entry(word, items, keywords, names)
    raise TypesError(f"`{ast.unparse(node)}` is no type: write one like f8, i8[:], f8[10, :] or (f8, f8[:])")


def parse_type(text: str, names: Lookup) -> Any:
    """One type. TypesError where the text is none."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise TypesError(f"`{text}` is no type: write one like f8, i8[:] or (f8, f8[:])") from None
    return parse_entry(node, names)


def scalar(word: str) -> Any:
    """A number's type; of a complex one those of its two parts."""
    if word not in PYTHON and word not in CODES:
        raise TypesError(f"`{word}` is no type: there are {', '.join(CODES)}, float, int, complex and bool")
    code = PYTHON.get(word, word)
    if code[0] != "c":
        return Type(code, (), weak=word in PYTHON)
    part = Type(f"f{int(code[1:]) // 2}", (), weak=word in PYTHON)
    return complex_pair(part, part)


def array_type(of: Any, shape: tuple[Any, ...], node: ast.expr) -> Any:
    if isinstance(of, Nest):
        return of.with_items(tuple(array_type(part, shape, node) for part in of.items))
    if of.dtype == "rng":
        raise TypesError(f"`{ast.unparse(node)}`: an argument is one random generator, `rng`")
    return Type(of.dtype, shape)


def parse_size(node: ast.expr) -> Any:
    """`:` or a number."""
    match node:
        case ast.Slice(None, None, None):
            return Var("n", SIZE)
        case ast.Constant(int(n)) if not isinstance(n, bool):
            return n
    raise TypesError(f"a size is `:` or a number, not `{ast.unparse(node)}`")


def named_tuple_entry(word: str, items: list[ast.expr], keywords: list[ast.keyword], names: Lookup) -> Nest:
    """`State(f8, p=f8[:])`: a named tuple of the file."""
    try:
        cls = names(word)
    except Unread as error:
        raise TypesError(str(error)) from None
    except KeyError:
        cls = None
    if not is_named_tuple(cls):
        raise TypesError(f"`{word}` is no named tuple of the file")
    keys = keys_of(cls) or ()
    given = dict(zip(keys, items, strict=False)) | {str(k.arg): k.value for k in keywords}
    if len(items) > len(keys) or set(given) != set(keys):
        raise TypesError(
            f"`{word}` has the fields {', '.join(keys)}: give each its type, in order or by name"
        )
    return Nest(cls, tuple(parse_entry(given[key], names) for key in keys), keys)


def annotated(node: cst.FunctionDef | cst.Lambda, names: Lookup) -> dict[str, Any]:
    """The types that annotations say: texts like "f8[:]", and float, int, bool; others say nothing."""
    found = {}
    listed = (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)
    for parameter in listed:
        said = None if parameter.annotation is None else parameter.annotation.annotation
        text = said.evaluated_value if isinstance(said, cst.SimpleString) else None
        if text is None and isinstance(said, cst.Name) and said.value in PYTHON:
            text = said.value
        if said is not None and (get_full_name_for_node(said) or "").endswith("random.Generator"):
            text = "rng"
        if isinstance(text, str):
            try:
                found[parameter.name.value] = parse_type(text, names)
            except TypesError:
                continue
    return found
