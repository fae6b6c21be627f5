"""What a user's name can stand for while a program is inferred.

    Value = Atom                scalar, its Var or Lit
          | Ref(cell)           an array or a random generator: an object that names share and writes change
          | View(base, ...)     x[1:], x[i], x.T: a part of an array, read and written through the array
          | Nest(cls, items)    tuple, list, named tuple, dict, dataclass; a complex number or array: two parts
          | Optional            a Nest of whether there is a value, and that value; else None
          | GrowingList(parts)  a list whose length is known when the program runs
          | Wording(said, parts)   a text that is put together when the program runs
          | Static(object)      a module, function, string, None, dtype, ...
          | Closure             a nested def or lambda, with the frame it was made in
          | Partial             a function with its first arguments, or a method's with its object
          | Yields | Method     a generator, not yet gone through; x.sum, rng.normal: found, not yet called
          | Range | Enumerate | Zip | Reversed | Product | AssignedField (objects/field.py)
          | Unbound | Conflict  a name with no usable value here, and why

Arrays are objects: `y = x; y[0] = 2` changes x. A Cell is one; the State's store says which Var holds its present
contents, so a write is a new Var for the cell, seen by all names. Dicts whose keys are numbers: tables/values.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from codegen.infer.objects.field import AssignedField
from codegen.ir import Apply, Atom, Lit, Var
from codegen.ir.build import B1
from codegen.ir.exceptions import Said
from codegen.ir.literals import literal
from codegen.read.tree import Define, Lambda

NEEDED = "a value is needed here, and this is None"
TRUE, FALSE = Lit(True, B1), Lit(False, B1)


@dataclass(eq=False)
class Cell:
    """An array or a stream. `shared`: why a write could reach another name, None where it cannot.

    `bases`: the cells this one may share memory with (x.reshape, a joined name), with their contents when it was
    as they say. `final`: what was returned, which later writes, being on other ways, do not change. `number`: the name,
    and its function, of the number that it was made of by reshaping. `grows`: the contents may get another size.
    `ordered`: its elements lie row after row, where those of the arguments `ordered_as` do.
    """

    name: str
    shared: str | None = None
    bases: tuple[tuple[Cell, Atom], ...] = ()
    final: bool = False
    number: tuple[object, str] | None = None
    grows: bool = False
    ordered: bool = False
    ordered_as: frozenset[Cell] = frozenset()


@dataclass(frozen=True, eq=False)
class Ref:
    cell: Cell


@dataclass(frozen=True, eq=False)
class View:
    """What a row shows of `base` (memory/views.py): `atom`, while that holds what `made` is called with. `fixed`: it is
    read-only; `relies`: where the base's object lies in order; `stepped`: the first place of every k-th, and k."""

    base: Ref | View
    made: Apply
    atom: Var
    fixed: bool = False
    relies: bool = False
    stepped: tuple[Atom, Atom] | None = None


@dataclass(frozen=True, eq=False)
class Nest:
    """A structure of values. cls: tuple, list, dict, a named tuple's or dataclass's class; keys for the last three."""

    cls: Any
    items: tuple[Value, ...]
    keys: tuple[Any, ...] | None = None

    def with_items(self, items: tuple[Value, ...]) -> Nest:
        return Nest(self.cls, items, self.keys)

    def field(self, key: Any) -> Value | None:
        return self.items[self.keys.index(key)] if self.keys and key in self.keys else None

    def iterated(self) -> list[Value]:
        """What Python gives item by item: of a dict its keys."""
        keys = (literal(key) if isinstance(key, int) else Static(key) for key in self.keys or ())
        return [*keys] if self.cls is dict else list(self.items)

    def named(self, name: str) -> Iterator[tuple[str, Value]]:
        """The items with a name for each, after the one of the nest."""
        keys = self.keys or range(len(self.items))
        labels = (f"{name}_{getattr(k, 'name', k)}".replace("-", "minus_") if k != "" else name for k in keys)
        return zip(labels, self.items, strict=True)

    def like(self, other: object) -> bool:
        """Whether two nests have the same class, keys and number of items."""
        mine = (self.cls, self.keys, len(self.items))
        return isinstance(other, Nest) and mine == (other.cls, other.keys, len(other.items))


@dataclass(frozen=True, eq=False)
class NewList(Nest):
    """A list that may have several names, and was `made` there."""

    made: Any = None

    def with_items(self, items: tuple[Value, ...]) -> Nest:
        return NewList(list, items, None, self.made)


class ValueOrNone:
    """The class of an Optional, which makes Python's value of its parts."""

    def __new__(cls, parts: Sequence[Any]) -> Any:
        return parts[1] if parts[0] else None


@dataclass(frozen=True, eq=False)
class Optional(Nest):
    """None unless `there` holds. `of`: what this was before a test told whether it is there."""

    of: Optional | None = None

    @classmethod
    def made(cls, there: Any, value: Any, of: Optional | None = None) -> Optional:
        return cls(ValueOrNone, (there, value), None, of)

    @property
    def there(self) -> Any:
        return self.items[0]

    @property
    def value(self) -> Any:
        return self.items[1]

    def known(self, there: bool) -> Optional:
        return Optional.made(TRUE if there else FALSE, self.value, self)

    def with_items(self, items: tuple[Value, ...]) -> Optional:
        return Optional(self.cls, items)

    def named(self, name: str) -> Iterator[tuple[str, Value]]:
        return iter(((f"{name}_there", self.there), (name, self.value)))


def complex_pair(re: Any, im: Any) -> Nest:
    """A complex number or array: its two parts (infer/complex_numbers/)."""
    return Nest(complex, (re, im), ("re", "im"))


@dataclass(frozen=True, eq=False)
class GrowingList:
    """A list whose length is known when the program runs: its items are the first `count` of `rows`.

    `parts` are the count and the rows: what an item is made of, with an array in place of each number or array, whose
    rows are the items'. `python`: of each of these arrays, whether its elements are Python's numbers; where it has more
    axes the items are lists of such. `fixed`: an object; what is written into it is written into its arrays, and seen
    under every name it has. It keeps its length, all rows being in use, unless it `grows`: its count is an object, too.
    """

    parts: Nest
    python: tuple[bool, ...]
    fixed: bool = False
    grows: bool = False

    @classmethod
    def of(cls, count: Any, rows: Any, python: tuple[bool, ...], *, fixed: bool = False) -> GrowingList:
        return cls(Nest(tuple, (count, rows), ("count", "")), python, fixed)

    @property
    def count(self) -> Any:
        return self.parts.items[0]

    @property
    def rows(self) -> Any:
        return self.parts.items[1]

    def with_parts(self, parts: Any) -> GrowingList:
        return GrowingList(parts, self.python, self.fixed, self.grows)


@dataclass(frozen=True, eq=False)
class Wording:
    """A text that is put together when the program runs: an expression of Python's, and the values in its places, which
    are numbers, and arrays that nothing else holds."""

    said: Said
    parts: Nest

    def with_parts(self, parts: Any) -> Wording:
        return Wording(self.said, parts)


@dataclass(frozen=True, eq=False)
class Static:
    value: Any


@dataclass(frozen=True)
class Same:
    """In a signature: the array that is its `place`-th leaf, given again."""

    place: int


@dataclass(frozen=True, eq=False)
class Closure:
    """A function made inside a function; its free names are looked up in `frame`'s state when it is called there,
    elsewhere in `env`. `defaults` were evaluated where it was made."""

    define: Define | Lambda
    frame: Any
    env: dict[str, Value]
    defaults: dict[str, Value] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return self.define.name if isinstance(self.define, Define) else "lambda"


@dataclass(frozen=True, eq=False)
class Partial:
    """`functools.partial(function, *arguments, **keywords)`."""

    function: Value
    arguments: tuple[Value, ...]
    keywords: dict[str, Value]


@dataclass(frozen=True, eq=False)
class Yields:
    """A generator: a function that yields, and its arguments. `globals`: names around it, None where it is nested;
    `depth`: how many loops are around the call."""

    define: Define
    bound: dict[str, Value]
    globals: Callable[[str], Any] | None
    depth: int


@dataclass(frozen=True)
class Choice:
    """The class of a nest that stands for one of two functions: whether it is the first, and the two."""


CHOICE = Choice()


@dataclass(frozen=True, eq=False)
class Method:
    owner: Value
    name: str


@dataclass(frozen=True, eq=False)
class Range:
    start: Atom
    stop: Atom
    step: Atom


@dataclass(frozen=True, eq=False)
class Enumerate:
    inner: Value
    start: Atom


@dataclass(frozen=True, eq=False)
class Zip:
    """`strict`: the lengths must be equal, which is seen where the loop ends."""

    inners: tuple[Value, ...]
    strict: bool = False


@dataclass(frozen=True, eq=False)
class Reversed:
    inner: Value


@dataclass(frozen=True, eq=False)
class Product:
    """Items of each of `inners`, the last one's changing first: itertools.product, np.ndindex. `of`: an array that they
    are the indices of, whose elements stand beside them."""

    inners: tuple[Value, ...]
    of: Value | None = None


@dataclass(frozen=True, eq=False)
class Unbound:
    """A local name that may have no value. `bound` says at run time whether it has; `value` is what it then is.
    `pending`: none was seen yet, but the loop around may turn out to give it one."""

    bound: Atom
    value: Value | None = None
    pending: bool = False


@dataclass(frozen=True, eq=False)
class Conflict:
    """A name whose values on two ways to here do not fit; an error only if it is used."""

    message: str
    wants: tuple[Any, Any] = (None, None)  # what the error says: wants_table, wants_rows


Value = (
    Atom | Ref | View | Nest | GrowingList | Wording | Static | Closure | Partial | Yields | Method | Range |
    Enumerate | Zip | Reversed | Product | AssignedField | Unbound | Conflict
)  # fmt: skip


@dataclass(eq=False)
class FlowState:
    """Names and contents at one point of a function. Copied where control parts, joined where it meets."""

    env: dict[str, Value] = field(default_factory=dict)
    store: dict[Cell, Atom] = field(default_factory=dict)

    def copy(self) -> FlowState:
        return FlowState(dict(self.env), dict(self.store))


def is_named_tuple(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def keys_of(cls: Any) -> tuple[str, ...] | None:
    """The field names of a named tuple's or dataclass's class."""
    if is_named_tuple(cls):
        return tuple(cls._fields)
    return tuple(f.name for f in fields(cls)) if isinstance(cls, type) and is_dataclass(cls) else None


def leaves(value: Value | None) -> Iterator[Value]:
    """The values inside nests, left to right; a closure's captured values are not its leaves."""
    if isinstance(value, Nest):
        for item in value.items:
            yield from leaves(item)
    elif isinstance(value, GrowingList | Wording):
        yield from leaves(value.parts)
    elif isinstance(value, Unbound):
        yield from leaves(value.value)
    elif value is not None:
        yield value


def rebuild(value: Any, make: Callable[[Any], Any]) -> Any:
    """`value` with every leaf replaced by `make(leaf)`; what says whether a name has a value is a leaf too."""
    match value:
        case Nest():
            return value.with_items(tuple(rebuild(item, make) for item in value.items))
        case GrowingList() | Wording():
            return value.with_parts(rebuild(value.parts, make))
        case Unbound(bound, inner, pending):
            return Unbound(make(bound), inner and rebuild(inner, make), pending)
    return make(value)


def cell_of(value: Value) -> Cell | None:
    """The object a leaf refers to."""
    match value:
        case Ref(cell):
            return cell
        case View(base):
            return cell_of(base)
    return None


def same_reference(x: Value, y: Value) -> bool:
    """Whether two values are one object."""
    return x is y or isinstance(x, Ref) and isinstance(y, Ref) and x.cell is y.cell


def is_function(value: Value) -> bool:
    """Whether a value is a function that holds nothing, or one of two such."""
    match value:
        case Static(obj):
            return isinstance(obj, FunctionType | BuiltinFunctionType | np.ufunc) or hasattr(obj, "trace")
        case Closure():
            return not value.defaults
    return isinstance(value, Nest) and value.cls is CHOICE


def same_static(x: Value, y: Value) -> bool:
    """Whether two static values are one: the same object, or equal text."""
    if isinstance(x, Static) and isinstance(y, Static):
        return x.value is y.value or (type(x.value) is type(y.value) is str and x.value == y.value)
    return isinstance(x, Closure) and isinstance(y, Closure) and x.define is y.define
