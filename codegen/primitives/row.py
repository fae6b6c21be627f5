"""The table of primitives, one row each (codegen/ir/primitive.py says what a row has), and what calls build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codegen.ir import Atom, Lit, Type
from codegen.ir.primitive import Primitive, Rule

ROWS: dict[str, Primitive] = {}


def row(name: str, numpy: Rule, type: Callable[..., Any], family: str, **fields: Any) -> Primitive:
    """Enter a row in the table. A name is entered once."""
    if name in ROWS:
        raise ValueError(f"primitive {name!r} has a row already")
    ROWS[name] = Primitive(name, numpy, type, family, **fields)
    return ROWS[name]


# NumPy, math, SciPy or builtin callable -> what a call of it builds: `(builder, *arguments, **keywords)`,
# the arguments E, Python constants, or tuples of these.
FUNCTIONS: dict[Any, Rule] = {}
# Which argument, of those given by name, the result of a call may share memory with; None for none of them. Told are
# the arguments and the result.
VIEWS: dict[Any, Rule] = {}


def lowers(*callables: Any, views: Rule | None = None) -> Callable[[Rule], Rule]:
    """Decorate the function that says what calls of these callables mean."""

    def enter(function: Rule) -> Rule:
        for each in callables:
            FUNCTIONS[each] = function
            if views is not None:
                VIEWS[each] = views
        return function

    return enter


def first_argument(given: dict[Any, Any], made: Any = None) -> Any:
    """The first argument, as what a call may show."""
    return next(iter(given.values()), None)


def each_argument(given: dict[Any, Any], made: Any = None) -> Any:
    """The arguments, each of which one of several results may show; of a single one itself."""
    return tuple(given.values()) if len(given) != 1 else first_argument(given)


def as_type(dtype: str, atoms: tuple[Atom, ...]) -> Type:
    """A Type of `dtype` whose shape is given by size atoms (i8 Lits and Vars)."""
    return Type(dtype, tuple(dim_of(a) for a in atoms))


def dim_of(atom: Any) -> Any:
    """A dimension out of an atom: literals become ints."""
    return int(atom.value) if isinstance(atom, Lit) else atom
