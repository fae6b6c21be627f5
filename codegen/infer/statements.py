"""Statements in order: assignment, branches, return, raise. Loops are in loops.py.

Control that leaves early (return, break, continue, raise) sets a flag among the state's hidden names; what follows is
built inside the way that goes on, so that `if c: return a` needs no flag at run time.
"""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import replace
from functools import partial
from typing import Any, assert_never

import numpy as np

from codegen.infer.control.flags import (
    BROKE,
    CONTINUED,
    DEAD,
    RESULT,
    RETURNED,
    certain,
    flag,
    leaves_for_good,
    surely_falls,
)
from codegen.infer.control.iterators import refuse_in_rounds
from codegen.infer.control.join import Way
from codegen.infer.control.loops import infer_for, infer_while
from codegen.infer.control.paths import Rest, end_by, gated, meet, resume, side
from codegen.infer.control.tries import may_raise, named_first, run_guarded, run_try
from codegen.infer.expressions import (
    condition,
    evaluate,
    evaluate_items,
    evaluate_keywords,
    evaluate_optional,
    make_closure,
)
from codegen.infer.frame import Frame, Live
from codegen.infer.kinds import Raises
from codegen.infer.memory.assignment import assign, augment
from codegen.infer.memory.changes import by_method, owned_nest
from codegen.infer.memory.growing_lists import is_list
from codegen.infer.memory.list_objects import as_object, bound_as_objects
from codegen.infer.objects.fields import fields_of
from codegen.infer.objects.lists_in_fields import wanting_its_object
from codegen.infer.optional import learn
from codegen.infer.texts.messages import argument_said, exception_made, is_known_message, raised_exception
from codegen.infer.values import FALSE, TRUE, Ref, Static, Unbound, Value, leaves
from codegen.ir import Lit
from codegen.ir.exceptions import Thrown
from codegen.read import tree
from codegen.read.lists.lists_put import puts_new
from codegen.read.lists.owned_lists import NAMED
from codegen.source import Span, refuse

IDLE_CONTEXTS = (np.errstate, warnings.catch_warnings, contextlib.nullcontext)


def run_statements(frame: Frame, statements: tuple[tree.Statement, ...], live: Live) -> None:
    """Run statements in `frame`'s state and block. `live`: names read after them."""
    run_from(frame, statements, frame.lives(statements, live), 0)


def run_from(frame: Frame, statements: tuple[tree.Statement, ...], lives: tuple[Live, ...], at: int) -> None:
    """Run the statements from place `at` on. `lives`: names read from each place on, and after the last."""
    for k in range(at, len(statements)):
        rest = Rest(
            partial(run_from, frame, statements, lives, k + 1),
            lives[k + 1],
            lives[-1],
            k + 1 < len(statements),
        )
        with frame.b.at(statements[k].span):
            try:
                done = run_statement(frame, statements[k], rest)
            except Raises as raises:
                end_by(frame, raises)
                return
        if done or not surely_falls(frame.st):
            if rest.any and not done and not leaves_for_good(frame.st):
                gated(frame, rest.run, rest.end, statements[k + 1].span)
            return


def run_statement(frame: Frame, statement: tree.Statement, rest: Rest) -> bool:
    """One statement; True where it ran the rest too."""
    if frame.catching:
        return run_inside_try(frame, statement, rest)
    return run_alone(frame, statement, rest)


def run_inside_try(frame: Frame, statement: tree.Statement, rest: Rest) -> bool:
    """A statement, where it matters what it raises: tests and what is gone through are statements of their own."""
    parts = None
    match statement:
        case tree.Branch(_, test) if may_raise(frame, lambda: condition(frame, test)):
            parts = named_first(frame, test, lambda name: (replace(statement, test=name),))
        case tree.Iterate(_, _, through) if may_raise(frame, lambda: evaluate(frame, through)):
            parts = named_first(frame, through, lambda name: (replace(statement, iterable=name),))
        case tree.Loop(span, test, body, ()) if may_raise(frame, lambda: condition(frame, test)):
            inner = named_first(frame, test, lambda name: (tree.Branch(span, name, (), (tree.Break(span),)),))
            parts = (tree.Loop(span, tree.Constant(span, True), (*inner, *body), ()),)
        case tree.Assert(span, test, message):
            failing = tree.Raise(
                span,
                tree.CallExpr(
                    span, tree.Constant(span, AssertionError), () if message is None else (message,)
                ),
            )
            parts = (tree.Branch(span, test, (), (failing,)),)
        case (
            tree.Assign() | tree.AugAssign() | tree.Return() | tree.Raise() | tree.Evaluate() | tree.Change()
        ):
            return run_guarded(frame, statement, partial(run_simple, frame, statement, rest), rest)
    if parts is None:
        return run_alone(frame, statement, rest)
    run_statements(frame, parts, rest.live)
    if isinstance(statement, tree.Branch) and isinstance(parts[-1], tree.Branch):
        frame.ways.setdefault(statement, set()).update(frame.ways.get(parts[-1], ()))
    return False


def run_simple(frame: Frame, statement: tree.Statement, rest: Rest) -> None:
    run_alone(frame, statement, rest)


def run_alone(frame: Frame, statement: tree.Statement, rest: Rest) -> bool:
    match statement:
        case tree.Branch():
            return run_branch(frame, statement, rest)
        case tree.Loop():
            refuse_in_rounds(frame, statement)
            infer_while(frame, statement, rest.live)
        case tree.Iterate():
            refuse_in_rounds(frame, statement)
            infer_for(frame, statement, rest.live)
        case tree.Try():
            run_try(frame, statement, rest.live)
        case tree.Assign(_, targets, value):
            made = exception_made(frame, value)
            result = made or evaluate_optional(frame, value, name=hint(targets[0]))
            result = bound_as_objects(frame, statement, result)
            frame.inference.puts_new = puts_new(value, frame.owned)
            for target in targets:
                assign(frame, target, result)
        case tree.AugAssign():
            augment(frame, statement)
        case tree.Return(_, tree.Conditional()) if fields_of(frame.st.env):
            return run_branch(frame, either_returned(statement), rest)
        case tree.Return(_, value):
            frame.st.env[RESULT] = Static(None) if value is None else given_back(frame, value)
            frame.st.env[RETURNED] = TRUE
        case tree.Yield(span):
            raise refuse(
                span, "a generator is gone through by a `for` statement alone: fill a list and return it"
            )
        case tree.Break():
            frame.st.env[BROKE] = TRUE
        case tree.Continue():
            frame.st.env[CONTINUED] = TRUE
        case tree.Raise():
            run_raise(frame, statement)
        case tree.Assert():
            return run_assert(frame, statement, rest)
        case tree.Evaluate(_, value):
            if not isinstance(value, tree.Constant):
                with wanting_its_object(frame, value, evaluate):
                    evaluate_optional(frame, value)
        case tree.Enter(span, context):
            check_context(frame, context, span)
        case tree.Delete(span, names):
            for name in names:
                frame.lookup(name, span)
                frame.st.env[name] = Unbound(FALSE)
        case tree.Change(_, (name, *_), _, True) if not is_list(frame.st.env.get(name)):
            return run_statement(frame, statement.of_arrays, rest)
        case tree.Change(_, _, inner):
            if not changed_by_method(frame, inner):
                return run_statement(frame, inner, rest)
        case tree.Define():
            frame.st.env[statement.name] = make_closure(frame, statement)
        case _:
            assert_never(statement)
    return False


def either_returned(statement: tree.Return) -> tree.Branch:
    """`return p if c else q` as two returns, behind which no name but the result's is left for either object."""
    span, value = statement.span, statement.value
    assert isinstance(value, tree.Conditional)
    return tree.Branch(span, value.test, (tree.Return(span, value.then),), (tree.Return(span, value.orelse),))


def run_raise(frame: Frame, statement: tree.Raise) -> None:
    span, values = statement.span, list[Any]()
    exception = raised_exception(frame, statement.value, span, values)
    if statement.cause is not None:
        exception = replace(exception, cause=raised_exception(frame, statement.cause, span, values))
    frame.b.apply("fail", *values, exception=exception)
    frame.st.env[DEAD] = TRUE


def check_context(frame: Frame, node: tree.Expression, span: Span) -> None:
    """SourceError for a `with` that does more than to say what is warned of."""
    made_by = evaluate(frame, node.function) if isinstance(node, tree.CallExpr) else None
    if not (isinstance(made_by, Static) and made_by.value in IDLE_CONTEXTS):
        known = ", ".join(f"{each.__module__}.{each.__name__}" for each in IDLE_CONTEXTS)
        raise refuse(
            span,
            f"`with` of other contexts than {known} is not supported: a lane holds no resources; "
            "enter and leave the context outside the function",
        )


def changed_by_method(frame: Frame, statement: tree.Statement) -> bool:
    """`xs.append(x)` and its like, of a list that nothing else refers to; False for other statements."""
    match statement:
        case tree.Evaluate(
            span, tree.CallExpr(_, tree.Attribute(_, tree.Name(_, name), method), values, named)
        ):
            if method == "pop" or owned_nest(frame, name) is None or named and method not in NAMED:
                return False
            given, keywords = tuple(evaluate_items(frame, values)), evaluate_keywords(frame, named)
            nest = owned_nest(frame, name)
            assert nest is not None
            frame.st.env[name] = by_method(frame, name, nest, method, given, span, keywords)
            return True
    return False


def given_back(frame: Frame, node: tree.Expression) -> Value:
    """The value of a return: arrays must be what they say here, whatever is written later on other ways."""
    frame.returning = node.span
    value = as_object(frame, node, evaluate_optional(frame, node, name="result"), "result")
    for leaf in leaves(value):
        if isinstance(leaf, Ref):
            frame.atom(leaf, node.span)
    return value


def hint(target: tree.Expression) -> str:
    match target:
        case tree.Name(_, name):
            return name
        case tree.Attribute(_, tree.Name(_, owner), name):
            return f"{owner}_{name}"
    return "t"


def run_branch(frame: Frame, statement: tree.Branch, rest: Rest) -> bool:
    """if/else. Where one way leaves for good, the rest of the block belongs to the other."""
    test = condition(frame, statement.test)
    ways = frame.ways.setdefault(statement, set())
    ways |= {bool(test.value)} if isinstance(test, Lit) else {True, False}
    if isinstance(test, Lit):
        run_statements(frame, statement.then if test.value else statement.orelse, rest.live)
        return False

    def run(outcome: bool) -> None:
        learn(frame, statement.test, outcome)
        run_statements(frame, statement.then if outcome else statement.orelse, rest.live)

    left, right = (side(frame, partial(run, outcome)) for outcome in (True, False))
    onward = partial(gated, frame, rest.run, rest.end, statement.span)
    took = False
    if rest.any and leaves_value(left) and not right.exits:
        right, took = resume(frame, right, onward), True
    elif rest.any and leaves_value(right) and not left.exits:
        left, took = resume(frame, left, onward), True
    meet(frame, test, left, right, rest.end if took else rest.live, statement.span)
    return took


def leaves_value(way: Way) -> bool:
    """The way ends here for good; a way that only raises gives nothing, so what follows need not be nested."""
    return way.exits and not (way.st is not None and certain(flag(way.st, DEAD)))


def run_assert(frame: Frame, statement: tree.Assert, rest: Rest) -> bool:
    """A check; one whose message tells values is a branch, which makes them only where it fails."""
    message = statement.message
    if message is not None and not is_known_message(frame, message):
        failing = tree.Raise(
            statement.span,
            tree.CallExpr(statement.span, tree.Constant(statement.span, AssertionError), (message,)),
        )
        return run_branch(frame, tree.Branch(statement.span, statement.test, (), (failing,)), rest)
    met = condition(frame, statement.test)
    told = () if message is None else (argument_said(frame, message, []),)
    frame.b.require(frame.b.wrap(met), Thrown(AssertionError, told))
    learn(frame, statement.test, True)
    return False
