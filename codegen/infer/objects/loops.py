"""The fields that a loop carries: those that it may assign to, until a round shows which it does.

for _ in range(n):            b_x, b_v = for _ from 0 to n with b_x2 = b_x, b_v2 = b_v:
    b.step(0.1)        ->         ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from codegen.infer.control.carried import Template, template
from codegen.infer.control.flags import RESULT
from codegen.infer.frame import Frame
from codegen.infer.objects.field import is_field_name
from codegen.infer.objects.fields import fields_of, one_of_two
from codegen.infer.objects.held import held_fields, rows_of_one_in_itself, times_met
from codegen.infer.values import FlowState, Value
from codegen.ir import Lit
from codegen.read import tree
from codegen.read.scope import parts_of
from codegen.source import SourceError, refuse

Loop = tree.Loop | tree.Iterate
FEW = 5  # rounds in which the kinds of objects in objects settle that do not get more


class LoopObjects:
    """The fields of objects that were there before a loop. `by_test`: those that its test assigns to."""

    def __init__(self, frame: Frame, loop: Loop):
        self.frame, self.loop = frame, loop
        self.before = frozenset(fields_of(frame.st.env))
        self.may_assign = bool(self.before) and any(map(may_assign_fields, statements_of(loop)))
        self.by_test: set[str] = set()
        self.settled = False
        self.tries = self.rounds = 0

    def first(self) -> Iterator[str]:
        """What it is taken to carry: no field's value is known to a loop that may assign to it."""
        return iter(sorted(self.before) if self.may_assign else ())

    def of_ever_new(self, carried: dict[str, Template]) -> SourceError:
        """The SourceError for variables of which there are ever new kinds."""
        error = refuse(self.loop.span, "the types of this loop's variables change with every iteration")
        error.wants_rows = rows_of_one_in_itself(carried.values(), self.frame.st)
        return error

    def tried(self, around: Callable[[], Any], start: FlowState, carried: dict[str, Template]) -> Any:
        """A round; where it is refused, one that is not taken to assign to ints that are known, which may say that
        it does not go the way that is refused."""
        self.rounds += 1
        if self.rounds > FEW and (error := self.of_ever_new(carried)).wants_rows is not None:
            raise error
        try:
            return around()
        except SourceError as error:
            fields = (name for name in carried if is_field_name(name))
            known = [name for name in fields if is_known_int(start.env.get(name))]
            if self.tries or not known or not error.may_be_of_ints:
                raise
        self.tries += 1
        for name in known:
            del carried[name]
        return around()

    def note_test(self, before: FlowState, after: FlowState) -> list[str]:
        """The fields that the test assigns to."""
        changed = [name for name in sorted(self.before) if after.env[name] is not before.env[name]]
        self.by_test |= {*changed}
        return changed

    def take(self, start: FlowState, end: FlowState, carried: dict[str, Template]) -> bool:
        """Take in fields that a round assigned to and that are not carried yet; True if there are any."""
        more = [
            name
            for name in sorted(self.before - {*carried})
            if name in self.by_test or end.env.get(name, start.env[name]) is not start.env[name]
        ]
        carried.update((name, template(start.env[name], start)) for name in more)
        return bool(more)

    def leave(
        self, head: FlowState, end: FlowState, carried: dict[str, Template], live: frozenset[str]
    ) -> bool:
        """Leave out fields that are carried and that no iteration assigns to, asked for once; True if there are any."""
        kept = [name for name in carried if is_field_name(name) and name not in self.by_test]
        alone = [] if self.settled else [name for name in kept if end.env.get(name) is head.env.get(name)]
        self.settled = True
        for name in alone:
            del carried[name]
        if not alone:
            for st in (self.frame.st, end):
                self.check(st, carried, live)
        return bool(alone)

    def check(self, st: FlowState, carried: dict[str, Template], live: frozenset[str]) -> None:
        """SourceError where an object that may be another in each iteration has another name, or is in another object:
        what is assigned to its fields would be seen there."""
        frame = self.frame
        around = [*frame.captured.values(), *frame.given_fields]
        names = [name for name in {**carried, **st.env} if name in live or name in carried]
        values = [st.env.get(name) for name in names if not is_field_name(name) and name != RESULT]
        met = times_met([*values, *around], st, frame), times_met([st.env.get(RESULT), *around], st, frame)
        for name, t in carried.items():
            for field in held_fields(t, st.env.get(name), st):
                if met[name == RESULT][field] > 1:
                    raise one_of_two(self.loop.span, field)


def is_known_int(value: Value | None) -> bool:
    return isinstance(value, Lit) and isinstance(value.value, int)


def statements_of(loop: Loop) -> tuple[tree.Node, ...]:
    return (loop.test, *loop.body) if isinstance(loop, tree.Loop) else loop.body


def may_assign_fields(node: tree.Node) -> bool:
    """Whether a node calls something, or assigns to an attribute."""
    targets = (
        node.targets
        if isinstance(node, tree.Assign)
        else (node.target,)
        if isinstance(node, tree.AugAssign)
        else ()
    )
    is_act = isinstance(node, tree.CallExpr) or any(
        isinstance(t, tree.Attribute | tree.Tuple) for t in targets
    )
    return is_act or any(map(may_assign_fields, parts_of(node)))  # type: ignore[arg-type]
