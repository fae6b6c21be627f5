"""The text of a function or module -> its tree, by libcst.

define_of(source)                 the `def` that is all of a text
lambda_of(source, start, end)     a lambda in it
"""

from __future__ import annotations

import warnings

import libcst as cst

from codegen.read import tree
from codegen.read.bounded_queues import with_bounded_queues
from codegen.read.boxes import with_boxes
from codegen.read.expressions import Reading, reading
from codegen.read.lists.filled_lists import with_filled
from codegen.read.lists.lists_apart import with_apart
from codegen.read.lists.lists_handed_over import with_copies_handed_over
from codegen.read.lists.lists_in_lists import with_lists_in_lists
from codegen.read.lists.loops_over_changed import with_places_of_changed
from codegen.read.lists.owned_lists import with_changes
from codegen.read.plain_names import Names, with_plain_names
from codegen.read.refuse import check_function
from codegen.read.statements import read_def, read_lambda
from codegen.source import Source, SourceError, Span, refuse

LAMBDA = "lambda_"


def define_of(source: Source, names: Names = ()) -> tree.Define:
    """The tree of the `def` whose lines are the source's, with Python's names for those of Numba's."""
    indented = source.text[0].isspace()
    whole = "if 1:\n" + source.text if indented else source.text
    module, at = parse_module(whole, source, lines_added=int(indented))
    node = module.body[0].body.body[0] if isinstance(module.body[0], cst.If) else module.body[0]
    assert isinstance(node, cst.FunctionDef)
    return checked_define(node, LAMBDA, at, names)


def lambda_of(source: Source, start: int, end: int) -> tree.Define:
    """The tree of the lambda from column `start` of the source's first line to `end` of its last."""
    *before, last = source.text.split("\n")
    alone = "\n".join([*before, last[:end]])
    padded = "(\n" + " " * start + alone[start:] + "\n)"  # in parentheses lines may begin anywhere
    module, at = parse_module(padded, source, lines_added=1)
    line = module.body[0]
    assert isinstance(line, cst.SimpleStatementLine)
    assert isinstance(line.body[0], cst.Expr)
    assert isinstance(line.body[0].value, cst.Lambda)
    return checked_define(line.body[0].value, LAMBDA, at)


def parse_module(text: str | bytes, source: Source, *, lines_added: int = 0) -> tuple[cst.Module, Reading]:
    """libcst's tree of a text and where its nodes stand; `lines_added` stand before those of the source.

    Raises SourceError where the text is no Python.
    """
    shift = source.first_line - 1 - lines_added
    try:
        module = cst.parse_module(text)
        return module, reading(module, source, shift)
    except cst.ParserSyntaxError as error:
        line, column = error.raw_line + shift, error.raw_column + 1
        span = Span(source, line, column, line, column + 1)
        raise refuse(span, f"this is no Python that can be read: {error.message}") from None
    except RecursionError:
        raise _too_deep(source) from None


def _too_deep(source: Source) -> SourceError:
    span = Span(source, source.first_line, 1, source.first_line, 2)
    return refuse(span, "expressions are nested too deeply to be read: give parts of them names of their own")


def checked_define(
    node: cst.FunctionDef | cst.Lambda, name: str, at: Reading, names: Names = ()
) -> tree.Define:
    """The tree of a function in which nothing has to be refused; `name` is that of a lambda.

    Raises SourceError with all of its problems.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check_function(node, at)
            if isinstance(node, cst.Lambda):
                return read_lambda(node, name, at)
            read = with_copies_handed_over(with_places_of_changed(read_def(node, at)))
            bounded = with_bounded_queues(read, names)
            plain = with_boxes(with_plain_names(bounded, names))
            return with_changes(with_filled(with_apart(with_lists_in_lists(plain))))
        except RecursionError:
            raise _too_deep(at.source) from None
