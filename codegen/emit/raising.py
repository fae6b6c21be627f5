"""`raise` in emitted text: the exceptions' classes under names of the module, and what puts messages together.

    raise Far(f"{x} is over 4", i)        NumPy: as it is; Far is the user's own
    raise FarWith(x, i)                   Numba, which writes no numbers: a class of the module's makes the exception

A class of the user's is another program's: the text has one of its name and of its builtin base in its place, and
whoever calls it from where the user's is at hand raises that (`own_classes`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.emit.coalescing import function_names, name_candidates, unused_spelling
from codegen.emit.spelling import TAKEN, number_text, scalar_type
from codegen.ir import Apply, Atom, Lit, Program, Var
from codegen.ir.exceptions import Said, Slot, Thrown, quoted
from codegen.ir.traversal import applications
from codegen.source import Span, refuse

NUMPYS = (np.linalg, np.exceptions)


def own_classes(program: Program) -> dict[str, type[BaseException]]:
    """The user's exceptions that a program raises, by the names of the classes that stand for them in its text."""
    taken = {*TAKEN, *function_names(program).values()}
    found: dict[str, type[BaseException]] = {}
    for op in raising_operations(program):
        for each in causes(op.params["exception"]):
            if not each.builtin and numpy_exception(each.cls) is None and each.cls not in found.values():
                name = next(c for c in name_candidates(each.name) if c not in taken and c not in found)
                found[name] = each.cls
    return found


def raising_operations(program: Program) -> list[Apply]:
    """Every check and fail."""
    return [op for op in applications(program) if op.primitive.stops]


def causes(thrown: Thrown) -> list[Thrown]:
    """An exception and its causes."""
    return [thrown, *(causes(thrown.cause) if thrown.cause else ())]


def numpy_exception(cls: type[BaseException]) -> str | None:
    """How an exception of NumPy's is written."""
    for module in NUMPYS:
        if getattr(module, cls.__name__, None) is cls:
            return f"{module.__name__.replace('numpy', 'np', 1)}.{cls.__name__}"
    return None


def base(cls: type[BaseException]) -> str:
    """The builtin exception that a class is of."""
    return next(c.__name__ for c in cls.__mro__ if c.__module__ == "builtins")


@dataclass(eq=False)
class Raising:
    """The raise statements of one module. `compiled`: Numba is to compile them."""

    own: Mapping[str, type[BaseException]]
    taken: Collection[str]
    compiled: bool
    makers: dict[str, tuple[str, str]] = field(
        default_factory=dict
    )  # what a class is, however it calls values

    def classed(self, cls: type[BaseException]) -> str:
        """A class by its name in the module."""
        own = next((name for name, each in self.own.items() if each is cls), None)
        return own or numpy_exception(cls) or cls.__name__

    def statement(self, op: Apply, texts: Sequence[str], values: Sequence[Atom]) -> str:
        """`raise ...` for a check or fail whose values are written so."""
        thrown: Thrown = op.params["exception"]
        if self.compiled and (thrown.cause or not all(passes_unchanged(a, values) for a in thrown.arguments)):
            used = used_by(thrown)
            given = [texts[k] for k in used]
            maker = self.maker(thrown, values, used)
            return f"raise {maker}({', '.join(given)})" if given else f"raise {maker}"
        said = f"raise {self.call(thrown, texts, values)}"
        return f"{said} from {self.call(thrown.cause, texts, values)}" if thrown.cause else said

    def printing(self, op: Apply, texts: Sequence[str], span: Span | None) -> str:
        """`print(...)`. Numba prints what `str` says of a value: where that is another text, the value is of a class
        of the module's, which puts the text together."""
        told: tuple[Said, ...] = op.params["told"]
        settings: Mapping[str, Any] = op.params["settings"]
        if not self.compiled:
            named = [f"{key}={quoted(v) if isinstance(v, str) else v}" for key, v in settings.items()]
            return f"print({', '.join([*(argument_text(a, texts, op.operands) for a in told), *named])})"
        if settings.get("end", "\n") != "\n":
            raise refuse(
                span, "print(end=...) is not supported by Numba, which ends each line: print a line at once"
            )
        apart = settings.get("sep", " ")
        if all(a.constant for a in told):
            return f"print({quoted(apart.join(str(a.value()) for a in told))})"
        if apart == " " and all(passes_unchanged(a, op.operands) for a in told):
            return f"print({', '.join(argument_text(a, texts, op.operands) for a in told)})"
        used = list(dict.fromkeys(slot.place for slot in slots_in(told)))
        return f"print({self.teller(told, apart, op.operands, used)}({', '.join(texts[k] for k in used)}))"

    def call(self, thrown: Thrown, texts: Sequence[str], values: Sequence[Atom]) -> str:
        listed = ", ".join(argument_text(a, texts, values) for a in thrown.arguments)
        return f"{self.classed(thrown.cls)}({listed})" if listed else self.classed(thrown.cls)

    def maker(self, thrown: Thrown, values: Sequence[Atom], used: Sequence[int]) -> str:
        """The class that puts an exception together out of the values that it is raised with."""
        wanted = f"{self.classed(thrown.cls).rpartition('.')[2]}With"
        return self.class_of(wanted, values, used, lambda given: self.maker_text(thrown, values, given))

    def teller(self, told: Sequence[Said], apart: str, values: Sequence[Atom], used: Sequence[int]) -> str:
        """The class that puts what is printed together."""

        def text(given: Mapping[int, str]) -> str:
            texts = [given.get(k, "") for k in range(len(values))]
            boxed = [Boxed(None, v.type) for v in values]
            listed = [argument_text(a, texts, boxed) for a in told]
            together = f"{quoted(apart)}.join(map(str, ({', '.join(listed)})))"
            fields = " ".join(given.values())
            return "\n".join((
                f'(namedtuple("Told", {quoted(fields)})):',
                '    """What is printed, put together then."""',
                "",
                "    def __str__(self):",
                f"        {', '.join(given.values())}{',' * (len(given) == 1)} = self",
                f"        return {together if len(told) > 1 else f'str({listed[0]})'}",
            ))  # fmt: skip

        return self.class_of("Told", values, used, text)

    def class_of(
        self,
        wanted: str,
        values: Sequence[Atom],
        used: Sequence[int],
        text: Callable[[Mapping[int, str]], str],
    ) -> str:
        """The name of a class of the module's with this text, given what it calls which values."""
        key = text({k: f"value{at}" for at, k in enumerate(used)})
        if key not in self.makers:
            given: dict[int, str] = {}
            for k in used:
                hint = values[k].name if isinstance(values[k], Var) else "value"  # type: ignore[union-attr]
                given[k] = unused_spelling(hint, {*given.values(), *TAKEN, "cls", "self"})
            taken = {*self.taken, *self.own, *(name for name, _ in self.makers.values())}
            self.makers[key] = unused_spelling(wanted, taken), text(given)
        return self.makers[key][0]

    def maker_text(self, thrown: Thrown, values: Sequence[Atom], given: Mapping[int, str]) -> str:
        """The text of such a class but for its name; `given`: what it calls which values."""
        texts = [given.get(k, "") for k in range(len(values))]
        params = list(given.values()) or ["made"]

        def made(each: Thrown) -> str:
            text = self.call(each, texts, [Boxed(None, v.type) for v in values])
            return text if each.arguments else f"{text}()"

        cls = self.classed(thrown.cls)
        lines = [
            f"({cls}):",
            f'    """{"An" if cls[0] in "AEIOU" else "A"} {cls}, put together when it is raised."""',
            "",
            f"    def __new__(cls, {', '.join(f'{name}=None' for name in params)}):",
            f"        if isinstance({params[0]}, BaseException):",
            f"            return {params[0]}",
        ]
        if thrown.cause is None:
            lines.append(f"        return {made(thrown)}")
        else:
            lines.append(f"        error = {made(thrown)}")
            lines.append(f"        error.__cause__ = {made(thrown.cause)}")
            lines.append("        return error")
        return "\n".join(lines)

    def definitions(self) -> list[str]:
        """The classes, each as text."""
        own = [
            f'class {name}({base(cls)}):\n    """Stands for {cls.__module__}.{cls.__qualname__}."""'
            for name, cls in self.own.items()
        ]
        return [*own, *(f"class {name}{text}" for name, text in self.makers.values())]


def slots_in(told: Iterable[Said]) -> list[Slot]:
    return [piece for each in told for piece in each.pieces if isinstance(piece, Slot)]


def told_slots(thrown: Thrown) -> list[Slot]:
    return slots_in(a for t in causes(thrown) for a in t.arguments)


def used_by(thrown: Thrown) -> list[int]:
    """The places of the values that are told."""
    return list(dict.fromkeys(slot.place for slot in told_slots(thrown)))


def exactly_used(thrown: Thrown) -> set[int]:
    """Those whose types show."""
    return {slot.place for slot in told_slots(thrown) if slot.exact}


def passes_unchanged(said: Said, values: Sequence[Atom]) -> bool:
    """Whether an argument can be given as it is where nothing is written: a literal, or a Python number."""
    if said.constant:
        try:
            ast.literal_eval(said.written(()))
        except ValueError:
            return False
        return True
    slot = said.pieces[0] if len(said.pieces) == 1 else None
    if not isinstance(slot, Slot) or slot.among is not None:
        return False
    type_ = values[slot.place].type
    return not type_.rank and type_.dtype in ("f8", "i8", "b1")


class Boxed(Lit):
    """A value as Numba hands it to Python: a plain number, whose NumPy type is to be given back."""


def argument_text(said: Said, texts: Sequence[str], values: Sequence[Atom]) -> str:
    """An argument with these texts for its values; as it is said without where there are none."""
    if not values and not said.constant:
        return quoted(said.told)

    def shown(slot: Slot, text: str) -> str:
        atom = values[slot.place]
        if isinstance(atom, Lit) and not isinstance(atom, Boxed):
            text = number_text(atom.value)[0]
            if atom.type.dtype[0] in "iu" and atom.value >= 0 and slot.among is None:
                return text
        boxed = isinstance(atom, Boxed) and not atom.type.rank and atom.type.dtype not in ("f8", "i8", "b1")
        typed = boxed and (slot.exact or atom.type.is_float)
        return slot.shown(f"{scalar_type(atom.type.dtype)}({text})" if typed else text)

    return said.written(texts, shown)
