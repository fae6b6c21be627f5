"""Where two ways of control meet: objects that the ways made, and objects that a name is on the one way or the other.

    if c: p = P(1.0)              p.x: f8 = if c: 1.0 else: 2.0
    else: p = P(2.0)       ->

Two objects become one with the fields of either, if nothing else can reach one of them: it would not see what is
assigned to the fields of that one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from codegen.infer.frame import Frame
from codegen.infer.objects.field import AssignedField, is_field_name
from codegen.infer.objects.fields import fields_in, new_name, one_of_two


@dataclass(eq=False)
class ObjectsMet:
    """The fields of objects where two ways meet, from the state before them, which is `frame`'s.

    waiting   variables that the state after them has beside those it had: (name, its name on the one way, on the other)
    met       the fields that are of one of two objects, by those of the two
    """

    frame: Frame
    waiting: list[tuple[str, str, str]] = field(default_factory=list)
    met: dict[tuple[AssignedField, AssignedField], AssignedField] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)

    def stays(self, name: str) -> bool:
        """Whether a name is a field's of an object that was there before the ways parted."""
        return is_field_name(name) and name in self.frame.st.env

    def keep(self, each: AssignedField) -> AssignedField:
        """A field of an object that only one way has a name for."""
        if not self.stays(each.name) and each.name not in self.kept:
            self.kept.add(each.name)
            self.waiting.append((each.name, each.name, each.name))
        return each

    def meet(self, x: AssignedField, y: AssignedField, label: str) -> AssignedField:
        """The field that stands for x on the one way and y on the other."""
        if (x, y) not in self.met:
            self.met[x, y] = AssignedField(new_name(self.frame, label), x.of)
            self.waiting.append((self.met[x, y].name, x.name, y.name))
        return self.met[x, y]

    def check(self, frame: Frame) -> None:
        """SourceError where something but the names of one of two objects reaches one of them."""
        if not self.met:
            return
        names = [value for name, value in frame.st.env.items() if not is_field_name(name)]
        reached = {*fields_in([*names, *frame.captured.values(), *frame.given_fields], frame)}
        parts = [part for pair in self.met for part in set(pair)]
        for part in parts:
            if part in reached or parts.count(part) > 1:
                raise one_of_two(frame.span, part)
