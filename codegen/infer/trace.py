"""From a function and the types of its arguments to a typed Program.

    trace(f, (f8[n], i8)) -> Traced(program, ...)

A signature has one entry per argument: a Type, a Nest of entries, or Static(object). `Traced.out` has the same form.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from codegen.infer.attributes import attribute
from codegen.infer.calls.binding import bind_call, default_objects, defaults_of
from codegen.infer.calls.dispatch import call_value
from codegen.infer.calls.library import calling, is_library
from codegen.infer.calls.partials import Held, held, without
from codegen.infer.frame import Frame
from codegen.infer.functions import Globals, globals_of
from codegen.infer.inference import Inference
from codegen.infer.known_lists import KnownLists
from codegen.infer.main import Signature, Traced, storing, trace_define
from codegen.infer.statements import run_statements
from codegen.infer.tables.results import refuse_lists
from codegen.infer.texts.messages import text_value
from codegen.infer.values import Ref, leaves
from codegen.ir import Var
from codegen.ir.broadcasting import counted_open_sizes
from codegen.read.tree import Define
from codegen.source import SourceError, refuse

LANES_IN_TURN = ContextVar("LANES_IN_TURN", default=False)  # of each batch inside the function: as a loop

NO_NAMES: dict[str, Any] = {}


def trace(
    f: Any,
    signature: Signature,
    keywords: dict[str, Any] | None = None,
    *,
    known_sizes: bool = False,
    writes: bool = False,
    lists: bool = False,
    slopes: bool = True,
) -> Traced:
    """The Program of a Python function, or of a transformed one, for these types of arguments.

    `keywords`: entries of arguments given by name; their leaves come after those of `signature`, in this order.
    `known_sizes`: arrays of the enclosing scopes have their sizes in their types, not symbols for them.

    `writes`: the program stores what the function writes into its arguments; else it is a function of their values.
    `lists`: it may give lists whose lengths are known only when it runs.
    `slopes`: it may be differentiated; else what definitions say of their slopes is not looked at.

    Raises SourceError, at the user's line, for what cannot be transformed.

    >>> from codegen.ir import Type
    >>> def area(width, height=2.0):
    ...     return width * height
    >>> trace(area, (Type("f8"),)).names
    ('width',)
    """
    with counted_open_sizes():
        return with_known_lists(f, signature, keywords, known_sizes, writes, lists, slopes)


def with_known_lists(f: Any, *given: Any) -> Traced:
    """As `trace`, begun anew with what is known of lists where it was refused for want of that."""
    known, standing, before = KnownLists(), None, None
    while True:
        try:
            return traced_once(f, *given, lists=known)
        except SourceError as error:
            further = known.after(error)
            if further is None and standing is not None:
                raise standing from None
            if further is None:
                error.of_changed_list |= known.grown is not None
                raise
            standing = error if error.stands else before if error.of_last_resort else standing
            known, before = further, error


def traced_once(
    f: Any,
    signature: Signature,
    keywords: dict[str, Any] | None,
    known_sizes: bool,
    writes: bool,
    returned: bool,
    slopes: bool,
    *,
    lists: KnownLists,
) -> Traced:
    """As `trace`; `returned`: lists may be; `lists`: what is known of those that are made."""
    of = held(f)
    f = of.function
    if hasattr(f, "trace") and hasattr(f, "__wrapped__"):
        if of.arguments or of.keywords:
            raise TypeError(f"what {of.function!r} is given already must be given when it is called")
        if writes and hasattr(f, "writing"):
            return storing(*f.writing(signature, keywords or {}, known_sizes=known_sizes))
        traced: Traced = f.trace(signature, keywords or {}, known_sizes=known_sizes)
        return traced if returned else without_lists(traced)
    known = lists.objects, lists.kinds, lists.grown, lists.tables, lists.written, lists.fields
    inference = Inference(
        run_statements, call_value, text_value, attribute, known_sizes, writes, *known, slopes, lists.rows
    )
    inference.texts.spelled = lists.letters
    if is_library(f):
        define = calling(f, len(signature) + len(of.arguments), (*(of.keywords or {}), *(keywords or {})))
        globals_: Globals = NO_NAMES.__getitem__
    else:
        define, globals_ = inference.define(f), globals_of(f)
    label = getattr(f, "__name__", define.name)
    if of.arguments or of.keywords:
        define, globals_ = without(define, of, keywords or {}, globals_)
    shell = Frame(inference, define, globals_)
    defaults = {} if is_library(f) else defaults_of(shell, f)
    bound = bind_call(define, signature, keywords or {}, defaults, label=label)
    check_order(define, tuple(keywords or {}))
    arrays = {
        name: default_objects(f)[name]
        for name, default in defaults.items()
        if bound.get(name) is default and any(isinstance(leaf, Ref | Var) for leaf in leaves(default))
    }
    if arrays:  # they are around the function, as those of its module are
        define, globals_ = without(define, Held(f, (), arrays), {}, globals_)
        shell = Frame(inference, define, globals_)
        left = {name: default for name, default in defaults_of(shell, f).items() if name not in arrays}
        bound = bind_call(define, signature, keywords or {}, left, label=label)
    traced = trace_define(inference, shell, define, globals_, {}, bound, label)
    return traced if returned else without_lists(traced)


def without_lists(traced: Traced) -> Traced:
    """The program, unless it gives lists whose lengths are known only when it runs."""
    refuse_lists(traced.out, traced.returning or traced.program.entry.span)
    return traced


def check_order(define: Define, names: tuple[str, ...]) -> None:
    """What `**kwargs` takes comes last, so that a program's parameters are in the order of its caller's arguments."""
    others = [name not in {p.name for p in define.parameters} for name in names]
    if others != sorted(others):
        late = names[others.index(False, others.index(True))]
        raise refuse(
            define.span, f"give {late!r} before the arguments that no parameter of {define.name!r} names"
        )


__all__ = ["Signature", "Traced", "trace"]
