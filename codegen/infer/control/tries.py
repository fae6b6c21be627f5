"""`try`: what may raise sets a flag that leads to a handler, as break and return do to where they lead.

    try:                          ok = b != 0
        x = a / b                 if ok: x = a / b
    except ZeroDivisionError:     raised = not ok
        x = 0.0                   if raised: x = 0.0

Statements are inferred one after the other: where one raises, names and arrays are what they were before it. Which
handler is to run is known by the exception's class. Exceptions that no handler takes end the program, as elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from codegen.infer.control.catching import Catching, Caught, Finish
from codegen.infer.control.flags import FLAGS, RAISED, certain, flag, leaves_for_good, possible, surely_falls
from codegen.infer.control.join import NOT_NEEDED, Join, Way, join_ways
from codegen.infer.control.paths import Rest, Run, fork, gated, meet, resume, side
from codegen.infer.expressions import evaluate
from codegen.infer.frame import Bottom, Frame, Live
from codegen.infer.kinds import out_atom
from codegen.infer.objects.field import shown_name
from codegen.infer.objects.halves import fields_changed, own_field
from codegen.infer.values import FALSE, Conflict, Nest, Static, Unbound
from codegen.ir import Apply, Atom, Block, Call, Equation, Function, Var
from codegen.ir.build import B1
from codegen.ir.kinds import Effect
from codegen.ir.traversal import nested
from codegen.read import tree
from codegen.simplify.bounds_checks import Checks
from codegen.source import refuse

UNSEEN = (RecursionError, MemoryError, FloatingPointError, KeyboardInterrupt, SystemExit, GeneratorExit)
OF_FLOATS = (ZeroDivisionError, OverflowError)
HIDDEN = "%tested"


def run_try(frame: Frame, node: tree.Try, live: Live) -> None:
    """A `try`, and what runs at its end in any case: flags that tell which way led there are put away meanwhile."""
    if not node.final:
        run_handled(frame, node, live)
        return
    last = frame.before(node.final, live)
    before, begun = (frame.handled, frame.last), len(frame.b.equations)
    frame.handled, frame.last = frame.handled | last, frame.last | last
    try:
        run_handled(frame, node, last)
    except Bottom:
        refuse_unseen(frame, node, acts=not all(map(is_naming, node.final)))
        raise
    finally:
        frame.handled, frame.last = before
    tried = frame.b.equations[begun:]
    kept = {name: frame.st.env.pop(name) for name in FLAGS if name in frame.st.env}
    store = dict(frame.st.store)
    frame.inference.run(frame, node.final, live)
    written = any(frame.st.store.get(cell) is not store.get(cell) for cell in frame.given)
    added = frame.b.equations[begun + len(tried) :]
    if leaves_program(frame, tried):
        seen = written or any(prints_or_calls(each) for each in nested(added))
        refuse_unseen(frame, node, acts=seen or leaves_program(frame, added))
    if kept and not surely_falls(frame.st):
        raise refuse(
            node.final[0].span,
            "`finally` that may raise what a handler around takes is not supported where another way leads out of its "
            "`try`: write it behind the `try`",
        )
    frame.st.env.update(kept)


def leaves_program(frame: Frame, tried: Sequence[Equation]) -> bool:
    """Whether equations may raise what no handler takes, which ends the program."""
    catching = Catching(frame.inference, (Caught("", (BaseException,), frame.handled),))
    unseen = {*nested(tried)} - frame.inference.caught
    checked = Checks(False, unseen).function(Function("f", (), Block(tuple(tried), ()))).body.equations
    return any(
        each.op.primitive.stops
        if isinstance(each.op, Apply)
        else bool(catching.of_function(each, each.op.function))
        for each in nested(checked)
        if isinstance(each.op, Apply | Call)
    )


def is_naming(statement: tree.Statement) -> bool:
    """Whether a statement gives names values, and does nothing else."""
    match statement:
        case tree.Assign(_, targets, tree.Constant() | tree.Name()):
            return all(isinstance(target, tree.Name) for target in targets)
        case tree.Evaluate(_, tree.Constant()):
            return True
    return False


def prints_or_calls(equation: Equation) -> bool:
    """Whether an equation does what is seen from outside: prints, draws, or calls what may."""
    op = equation.op
    return isinstance(op, Call) or isinstance(op, Apply) and op.primitive.kind is Effect.PRINT


def refuse_unseen(frame: Frame, node: tree.Try, *, acts: bool) -> None:
    """SourceError where `finally` does what is seen after something was raised that ends the program."""
    if acts:
        raise refuse(
            node.final[0].span,
            "`finally` of more than names is not supported where something may be raised that no handler takes: the "
            "program ends there; write it behind the `try`, and handlers before it",
        )


def run_handled(frame: Frame, node: tree.Try, live: Live) -> None:
    """The body, then its else part where nothing was raised, or the handler that the exception's class names."""
    outer = len(frame.catching)
    if outer + len(node.handlers) > len(RAISED):
        raise refuse(node.span, f"more than {len(RAISED)} handlers inside one another are not supported")
    clauses = [
        Caught(
            RAISED[outer + k],
            classes_of(frame, handler),
            frame.before(handler.body, live),
            outer if handler.passes else None,
        )
        for k, handler in enumerate(node.handlers)
    ]
    later = live.union(*(clause.live for clause in clauses))
    begun = len(frame.b.equations)
    with looking_after(frame, clauses, later):
        frame.inference.run(frame, node.body, frame.before(node.orelse, live))
        refuse_others(frame, frame.b.equations[begun:])
    if node.orelse and not leaves_for_good(frame.st):
        gated(frame, partial(frame.inference.run, frame, node.orelse, later), later, node.span)
    for clause, handler in zip(clauses, node.handlers, strict=True):
        if not handler.passes:
            handle(frame, clause, handler, live, later)


def classes_of(frame: Frame, handler: tree.Handler) -> tuple[type[BaseException], ...]:
    """The classes that a handler takes."""
    if handler.kind is None:
        return (BaseException,)
    value = evaluate(frame, handler.kind)
    listed = value.items if isinstance(value, Nest) and value.cls is tuple else (value,)
    found = []
    for each in listed:
        cls = each.value if isinstance(each, Static) else None
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            raise refuse(handler.kind.span, "`except` takes exceptions' classes that are known")
        if issubclass(cls, UNSEEN) and not handler.passes:
            raise refuse(
                handler.kind.span,
                f"`except {cls.__name__}` is not supported: programs do not tell when it is raised",
            )
        found.append(cls)
    return tuple(found)


@contextmanager
def looking_after(frame: Frame, clauses: Sequence[Caught], live: Live) -> Iterator[None]:
    """Inside the body: the innermost handlers first, and names that they read."""
    before = frame.catching, frame.handled, frame.inference.catches
    frame.catching = (*clauses, *frame.catching)
    frame.handled |= live
    taken = (cls for cls in OF_FLOATS if any(issubclass(cls, clause.classes) for clause in clauses))
    frame.inference.catches |= frozenset(taken)
    try:
        yield
    finally:
        frame.catching, frame.handled, frame.inference.catches = before


@contextmanager
def alone(frame: Frame) -> Iterator[None]:
    """Inside one statement: what it raises is seen to when it is over."""
    before, frame.catching = frame.catching, ()
    try:
        yield
    finally:
        frame.catching = before


def handle(frame: Frame, clause: Caught, handler: tree.Handler, live: Live, later: Live) -> None:
    """A handler, where its flag is set."""
    raised = flag(frame.st, clause.flag)
    if not possible(raised):
        return

    def run() -> None:
        for name in FLAGS:
            frame.st.env.pop(name, None)
        if handler.name:
            message = (
                f"what was caught as {handler.name!r} has no value here: its class alone is known; "
                f"say what is wrong in words of the handler's own, and leave `from {handler.name}` out"
            )
            frame.st.env[handler.name] = Conflict(message)
        frame.inference.run(frame, handler.body, live)
        if handler.name:
            frame.st.env[handler.name] = Unbound(FALSE)

    if certain(raised):
        run()
        return
    on, off = fork(frame), fork(frame)
    assert off.st is not None
    off.st.env.pop(clause.flag, None)
    meet(frame, raised, resume(frame, on, run), off, later, handler.span)


# ---- one statement of a body ----


def run_guarded(frame: Frame, statement: tree.Statement, run: Run, rest: Rest) -> bool:
    """A simple statement inside `try`, and the rest of its block where it raises nothing; True where it ran that."""
    with alone(frame):
        way = side(frame, run)
    catching = Catching(frame.inference, frame.catching)
    if catching.of_block(way.b.equations):
        way.b.equations = [*catching.explicit(way.b.block(())).equations]
    used = sorted(catching.of_block(way.b.equations))
    if way.st is None and not used:
        raise Bottom
    if not used:
        adopt(frame, way)
        return False
    if way.st is not None:
        refuse_halves(frame, statement, way, catching)
    count, took = len(way.b.equations), rest.any and not way.exits
    if took:
        way = resume(frame, way, partial(gated, frame, rest.run, rest.end, statement.span))
    failed = fork(frame)
    assert failed.st is not None
    markers = {frame.catching[k].flag: Var("raised", B1) for k in used}
    failed.st.env.update(markers)
    plan = Guarded(frame, way, failed, catching, count, used, tuple(markers.values()))
    join_ways(frame, plan, rest.end if took else rest.live)
    return took


def adopt(frame: Frame, way: Way) -> None:
    """Go on at the end of a way."""
    assert way.st is not None
    frame.b.equations += way.b.equations
    frame.b.renamed |= way.b.renamed
    frame.st = way.st


class Guarded(Join):
    """The way of a statement that raises nothing, and the one on which it did: as one, by the checks between them."""

    def __init__(
        self,
        frame: Frame,
        left: Way,
        right: Way,
        catching: Catching,
        count: int,
        used: Sequence[int],
        markers: tuple[Var, ...],
    ):
        super().__init__(frame, left, right, FALSE)
        self.catching, self.count, self.used, self.markers = catching, count, used, markers
        self.bound |= set(markers)

    def needed(self, side: Way, name: str) -> Any:
        """What no handler reads is not needed where something was raised, if it has a value where nothing was."""
        handlers = (self.frame.catching[k].live for k in self.used)
        read = name.startswith("%") or name in self.frame.last or any(name in live for live in handlers)
        if side is self.left or read:
            return super().needed(side, name)
        other = super().needed(self.left, name)
        return (
            super().needed(side, name)
            if other is NOT_NEEDED or isinstance(other, Unbound | Conflict)
            else NOT_NEEDED
        )

    def emit(self, test: Atom) -> list[Var]:
        pairs = [pair for pair in self.pairs if pair.right not in self.markers]
        left, right = self.left.b, self.right.b
        values = tuple(out_atom(left, pair.left, pair.kind) for pair in pairs)
        before = tuple(out_atom(right, pair.right, pair.kind) for pair in pairs)
        set_later = {pair.right: pair.left for pair in self.pairs if pair.right in self.markers}
        fine = tuple(set_later.get(marker) or FALSE for marker in self.markers)
        finish = Finish(fine, values, tuple(pair.kind for pair in pairs), lambda b: before)
        block = self.catching.made_over(left.block(values), self.count, self.used, finish)
        self.frame.b.equations += [*right.equations, *block.equations]
        count = len(self.used)
        flags = dict(zip(self.markers, block.results[:count], strict=True))
        others = iter(block.results[count:])
        found: list[Any] = [flags[p.right] if p.right in flags else next(others) for p in self.pairs]
        return found


def refuse_halves(frame: Frame, statement: tree.Statement, way: Way, catching: Catching) -> None:
    """SourceError where a statement changes arrays, draws or assigns before something in it that may raise."""
    assert way.st is not None
    equations = way.b.equations
    last = max(k for k, each in enumerate(equations) if catching.of_equation(each))
    early = {out for each in nested(equations[: last + 1]) for out in each.outs}
    changed = [
        c for c, atom in frame.st.store.items() if (now := way.st.store[c]) is not atom and now in early
    ]
    labels = [cell.name for cell in changed]
    labels += [
        shown_name(name) for name in fields_changed(frame.st, way.st) if name != own_field(statement, way.st)
    ]
    places = [t for t in targets_of(statement) if not isinstance(t, tree.Name)]
    if labels or len(targets_of(statement)) > 1 and places:
        what = repr(labels[0]) if labels else "one of its targets"
        raise refuse(
            statement.span,
            f"{what} is changed here before what may raise inside `try`: make it statements of their own",
        )


def targets_of(statement: tree.Statement) -> list[tree.Expression]:
    """What a statement assigns to, one by one."""
    if isinstance(statement, tree.Change):
        return targets_of(statement.statement)
    if not isinstance(statement, tree.Assign):
        return []
    return [part for target in statement.targets for part in single_targets(target)]


def single_targets(target: tree.Expression) -> list[tree.Expression]:
    if isinstance(target, tree.Tuple):
        return [part for item in target.items for part in single_targets(item)]
    return [target]


def refuse_others(frame: Frame, equations: Sequence[Equation]) -> None:
    """SourceError where something else than a statement may raise what the handlers take."""
    catching = Catching(frame.inference, frame.catching)
    for equation in equations:
        if catching.of_equation(equation):
            raise refuse(
                equation.span,
                "what is raised here inside `try` is not seen to: give what is tested or gone through a name before",
            )


# ---- tests and what is gone through, as statements of their own ----


def may_raise(frame: Frame, make: Callable[[], object]) -> bool:
    """Whether what is evaluated so may raise what the handlers take."""
    inner = fork(frame)
    assert inner.st is not None
    with alone(frame), frame.inside(inner.b, inner.st):
        make()
    return bool(Catching(frame.inference, frame.catching).of_block(inner.b.equations))


def named_first(
    frame: Frame, value: tree.Expression, rest: Callable[[tree.Name], tuple[tree.Statement, ...]]
) -> tuple[tree.Statement, ...]:
    """Statements that give an expression a name of their own, and go on with it."""
    span = value.span
    hidden = tree.Name(span, f"{HIDDEN}{sum(name.startswith(HIDDEN) for name in frame.locals)}")
    frame.locals |= {hidden.id}
    return (tree.Assign(span, (hidden,), value), *rest(hidden))
