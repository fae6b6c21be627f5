"""The text of a function that takes and gives what the user's does: that of its numbers and arrays, and one around it.

def f_parts(z_re, z_im, s_q): ...

def f(z, s):
    re, im = f_parts(z.real, z.imag, s.q)
    return {"gain": complex_of(re, im), "order": 2}

Compiled, it takes and gives those complex arrays whole, as pairs of numbers, that it can (whole_arrays.py). Where it
takes numbers and arrays alone, and gives a structure that its target has words for, there is one function:

def f(a, b):
    return result, (a_bar, b_bar)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, is_dataclass
from typing import Any

import numpy as np

from codegen.analysis.calls import call_graph
from codegen.emit.argument_stores import stored
from codegen.emit.coalescing import claim, function_names, identifier
from codegen.emit.module import function_texts, module
from codegen.emit.spelling import scalar_type
from codegen.emit.structures import (
    column_texts,
    literal_text,
    number_paths,
    quote,
    rows_text,
    structure,
    table_text,
)
from codegen.emit.whole_arrays import WholeArrays
from codegen.infer.main import Traced
from codegen.infer.tables.results import nests_in
from codegen.infer.tables.values import ListAlone, ListsBack, OwnTable, TableDict, is_given_table
from codegen.infer.values import GrowingList, Nest, Optional, Static, keys_of
from codegen.ir import Program, Type, program
from codegen.ir.traversal import renamed_functions
from codegen.pytree import types_in

JOINED = '''def complex_of(re, im):
    """A complex array or number of its two parts."""
    made = np.empty(np.shape(re), np.result_type(re, np.complex64))
    made.real, made.imag = re, im
    return made[()]
'''
JOINED_ON_GPU = '''def complex_of(re, im):
    """A complex array or number of its two parts."""
    library = cp.get_array_module(re)
    made = library.empty(library.shape(re), library.result_type(re, np.complex64))
    made.real, made.imag = re, im
    return made[()]
'''


def whole_text(whole: WholeArrays, traced: Traced, *, target: str, quote: bool) -> str:
    """The module text of the program, which is over parts, with the function around it."""
    made, compiled = whole.program, target != "numpy"
    library = "cp" if target == "cuda" else "np"
    if gives_structure(traced, made, compiled=compiled):
        alone = StructureBorder(traced, whole, made, compiled=compiled, library=library)
        texts = function_texts(made, target, quote=quote, homes=whole.homes, returned=alone.returned)
        return module(texts.functions, texts.helpers, None, made.entry.span).text
    inner, name = of_parts(made), function_names(made)[made.main]
    texts = function_texts(inner, target, quote=quote, homes=whole.homes)
    border = StructureBorder(traced, whole, inner, compiled=compiled, library=library)
    around = border.text(name)
    classes = "\n".join(definition(cls, name) for cls, name in border.classes.items())
    joins = [JOINED_ON_GPU if target == "cuda" else JOINED] if border.joins else []
    own, called = [*texts.functions, around], [classes, *joins, *texts.helpers]
    return module(own, called, None, made.entry.span).text


def takes_leaves(traced: Traced) -> bool:
    return not any(isinstance(entry, Nest) for entry in traced.arguments)


def gives_structure(traced: Traced, made: Program, *, compiled: bool) -> bool:
    """Whether the function itself can return the structure that the user's does: it calls itself nowhere."""
    called = any(made.main in calls for calls in call_graph(made).values())
    results = bool(made.entry.body.results)
    return results and not called and takes_leaves(traced) and is_displayed(traced.out, compiled=compiled)


def is_displayed(entry: Any, *, compiled: bool) -> bool:
    """Whether a structure is a tuple, list or dict that an expression makes of names and constants; compiled code has
    tuples of one value and more, and no constants."""
    if isinstance(entry, Nest) and not isinstance(entry, Optional):
        classes = {tuple} if compiled else {tuple, list, dict}
        return (
            entry.cls in classes
            and (bool(entry.items) or not compiled)
            and all(is_displayed(item, compiled=compiled) for item in entry.items)
        )
    return isinstance(entry, Type) or isinstance(entry, Static) and is_told(entry) and not compiled


def is_flat(traced: Traced) -> bool:
    """Whether a function takes and gives numbers and arrays alone, so that its text has its arguments and results."""
    if not takes_leaves(traced):
        return False
    match traced.out:
        case Type() | Static(None):
            return True
        case Nest(cls, items) if cls is tuple and not isinstance(traced.out, Optional | GrowingList):
            return len(items) > 1 and all(isinstance(item, Type) for item in items)
    return not all(map(is_told, nests_in(traced.out)))


def is_told(entry: Any) -> bool:
    """Whether a text can say what is returned there: an array, a number, a structure, a constant of few words."""
    if isinstance(entry, Static):
        return entry.value is None or isinstance(entry.value, bool | int | float | complex | str | np.generic)
    return isinstance(entry, Type | Nest | GrowingList)


def of_parts(made: Program) -> Program:
    """The program under the name that its function over parts has."""
    name = claim(f"{made.main}_parts", set(made.functions))
    return program(
        renamed_functions(dict(made.functions), {n: n for n in made.functions} | {made.main: name}), name
    )


@dataclass
class StructureBorder:
    """The function around `made`, which is over parts; `compiled`: it takes arrays that are contiguous alone, those of
    a library.

    `leaf`, `result`: how many leaves of the arguments and of the results are done.
    """

    traced: Traced
    whole: WholeArrays
    made: Program
    compiled: bool
    library: str
    leaf: int = 0
    result: int = 0
    joins: bool = False
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    classes: dict[Any, str] = field(default_factory=dict)
    tables: list[tuple[str, Nest]] = field(default_factory=list)  # dicts and sets that are given as arrays

    def __post_init__(self) -> None:
        self.params = [p.name for p in self.made.entry.params]
        self.taken = {*self.params, *function_names(self.made).values()}
        self.stored = stored(self.traced.program)

    def text(self, name: str) -> str:
        given = [self.argument(entry) for entry in self.traced.arguments if any(types_in(entry))]
        rest = self.params[len(self.operands) :]
        body = self.made.entry.body
        results = [claim(r.name if hasattr(r, "name") else "t", self.taken) for r in body.results]
        call = f"{function_names(self.made)[self.made.main]}({', '.join([*self.operands, *rest])})"
        back = self.returned(results)
        if results and back == results and not self.after:
            lines = [f"return {call}"]
        else:
            lines = [f"{', '.join(results)} = {call}" if results else call, *self.after]
            lines += [f"return {', '.join(back)}"] * (back != ["None"])
        return "\n    ".join([f"def {name}({', '.join([*given, *rest])}):", *self.before, *lines])

    # arguments

    def argument(self, entry: Any) -> str:
        """The name of an argument; its parts become operands of the function inside."""
        first = self.params[len(self.operands)]
        if isinstance(
            entry, Type | GrowingList
        ):  # a list's arrays, as they are where nothing is around a function
            return ", ".join(self.operand() for _ in types_in(entry))
        place = first if self.is_whole(entry) else claim(first.removesuffix(first_path(entry)), self.taken)
        self.unpack(entry, place)
        return place

    def unpack(self, entry: Any, place: str) -> None:
        match entry:
            case Nest() if self.is_whole(entry):
                self.unpack_pairs(next(types_in(entry)), place)
            case Nest() if is_given_table(entry):
                self.unpack_table(entry, place)
            case Nest(cls, items, keys):
                for k, item in enumerate(items):
                    self.unpack(item, part_text(place, cls, keys, k))
            case GrowingList():
                self.unpack_list(entry, place)
            case Type():
                stored_back = self.leaf in self.stored and self.compiled
                name = self.operand()
                whole = (
                    f"{self.library}.ascontiguousarray({place})" if self.compiled and entry.rank else place
                )
                self.before.append(f"{name} = {whole}")
                if stored_back:
                    self.after.append(f"{place}[...] = {name}")

    def operand(self) -> str:
        """The next parameter of the function inside, given as it is."""
        name = self.params[len(self.operands)]
        self.operands.append(name)
        self.leaf += 1
        return name

    def unpack_list(self, entry: GrowingList, place: str) -> None:
        """A list of numbers, of tuples or of complex numbers, as arrays; what is changed goes back into it."""
        types = list(types_in(entry))
        if isinstance(entry.rows, Type):
            columns = [place]
        elif entry.rows.cls is complex:
            columns = [f"np.array({place}).{part}" for part in ("real", "imag")]
        else:
            columns = [f"[item[{k}] for item in {place}]" for k in range(len(types))]
        is_changed = any(self.leaf + k in self.stored for k in range(len(types)))
        names = [self.operand() for _ in types]
        for name, column, type_ in zip(names, columns, types, strict=True):
            self.before.append(f"{name} = np.array({column}, {scalar_type(type_.dtype)})")
        if is_changed:
            made = rows_text(entry.rows, iter(entry.python), iter(names), self.class_name)
            self.after.append(f"{place}[:] = {made}")

    def unpack_table(self, entry: Nest, place: str) -> None:
        """A dict or set whose keys are numbers, as arrays."""
        self.tables.append((place, entry))
        listed, *lists = entry.items
        assert isinstance(listed, GrowingList)
        texts = [*column_texts(listed.rows, place, is_dict=entry.cls is TableDict)]
        for each in lists:
            assert isinstance(each, GrowingList)
            items = (
                f"item{path} for value in {place}.values() for item in value"
                for path in number_paths(each.rows)
            )
            texts += [f"[{text}]" for text in items]
        for text, type_ in zip(texts, types_in(entry), strict=True):
            self.before.append(f"{self.operand()} = np.array({text}, {scalar_type(type_.dtype)})")

    def is_whole(self, entry: Any) -> bool:
        """Whether an argument is a complex array that the function inside takes in one piece."""
        return entry.cls is complex and isinstance(entry.items[0], Type) and self.leaf in self.whole.params

    def unpack_pairs(self, part: Type, place: str) -> None:
        """A complex array as pairs of numbers."""
        name = self.params[len(self.operands)]
        self.before.append(f"{name} = np.ascontiguousarray({place})")
        self.operands.append(f"{name}.view({scalar_type(part.dtype)}).reshape((*{name}.shape, 2))")
        self.leaf += 2

    # results

    def returned(self, results: Sequence[str]) -> list[str]:
        """The values of the `return` for the results of the function over parts, and what a call gives besides."""
        out, values, self.result = self.traced.out, self.counted(results), 0
        if self.traced.back:
            out, *tables = out.items
            made = [self.built(out, values)]
            for k, entry in zip(self.traced.back, tables, strict=True):
                place = self.tables[k][0]
                if entry.cls is ListsBack:
                    self.lists_back(entry, values, place)
                    continue
                put = self.built(entry, values)
                self.after += [f"{place}.clear()", f"{place}.update({put})"]
            return [*made, *values]
        if isinstance(out, Nest) and out.cls is tuple and len(out.items) > 1:
            return [*(self.built(item, values) for item in out.items), *values]
        return [self.built(out, values), *values]

    def lists_back(self, entry: Nest, values: Iterator[str], place: str) -> None:
        """A dict whose values are lists, the caller's own and new ones, has what was made of it."""
        named: dict[str, str] = {}

        def name(wanted: str) -> str:
            return named.setdefault(wanted, claim(wanted, self.taken))

        put, lines = table_text(entry, values, self.class_name, name)
        own, lists, one, now, made = map(name, ("own", "lists", "one", "now", "made"))
        self.after += [*lines, f"{own} = [*{place}.values()]", f"for {one}, {now} in zip({own}, {lists}):"]
        self.after += [f"    {one}[:] = {now}", f"{lists}[: len({own})] = {own}", f"{made} = {put}"]
        self.after += [f"{place}.clear()", f"{place}.update({made})"]

    def counted(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            self.result += 1
            yield name

    def built(self, entry: Any, values: Iterator[str]) -> str:
        """The text of a structure whose leaves are called `values`."""
        match entry:
            case Type():
                return next(values)
            case GrowingList():
                return rows_text(entry.rows, iter(entry.python), values, self.class_name)
            case Optional():
                there = self.built(entry.there, values)
                value = self.built(entry.value, values)
                return f"({value} if {there} else None)"
            case Nest(cls, items, _) if cls is complex and self.result in self.whole.results:
                pairs, (part, _) = next(values), types_in(entry)
                self.result += 1
                return f"{pairs}.view(np.complex{16 * np.dtype(part.dtype).itemsize})[..., 0]"
            case Nest(cls, items, _) if cls is complex:
                parts = ", ".join(self.built(item, values) for item in items)
                if all(isinstance(item, Static) or isinstance(item, Type) and item.weak for item in items):
                    return f"complex({parts})"
                self.joins = True
                return f"complex_of({parts})"
            case Nest(cls) if is_given_table(entry) or cls is ListAlone:
                text, more = table_text(
                    entry, values, self.class_name, lambda wanted: claim(wanted, self.taken)
                )
                self.after += more
                return text
            case Nest(_, items):
                return structure(entry, [self.built(item, values) for item in items], self.class_name)
            case Static(OwnTable(place)):
                return self.tables[place][0]
        return literal_text(entry.value)

    def class_name(self, cls: Any) -> str:
        if cls not in self.classes:
            self.classes[cls] = claim(identifier(cls.__name__), self.taken)
        return self.classes[cls]


def first_path(entry: Any) -> str:
    """What the name of a structure's first leaf has after the structure's own."""
    if not isinstance(entry, Nest):
        return ""
    if entry.cls is complex:
        return "_re"
    if is_given_table(entry):
        return f"_keys{first_path(given_keys(entry))}"
    k, item = next((k, item) for k, item in enumerate(entry.items) if any(types_in(item)))
    name = next(name for j, (name, _) in enumerate(entry.named("")) if j == k)
    return f"{name}{first_path(item)}"


def given_keys(entry: Nest) -> Any:
    listed = entry.items[0]
    assert isinstance(listed, GrowingList)
    return listed.rows.items[0]


def part_text(place: str, cls: Any, keys: tuple[str, ...] | None, k: int) -> str:
    """The k-th part of the structure at a place."""
    if cls is complex:
        return f"{place}.{('real', 'imag')[k]}"
    if keys is None:
        return f"{place}[{k}]"
    return f"{place}[{literal_text(keys[k])}]" if cls is dict else f"{place}.{keys[k]}"


def definition(cls: Any, name: str) -> str:
    """A class of the fields that a named tuple's or dataclass's has."""
    made, keys = ("make_dataclass" if is_dataclass(cls) else "namedtuple"), keys_of(cls) or ()
    return f"{name} = {made}({quote(name)}, [{', '.join(map(quote, keys))}])"
