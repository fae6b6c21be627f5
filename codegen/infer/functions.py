"""What the functions of one program have in common while they are inferred: names, trees, what was found of them."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from types import MappingProxyType
from typing import Any

import numpy as np

from codegen.definitions.table import WITHIN_LISTS
from codegen.infer.dependencies import note_cell, note_name
from codegen.infer.texts.known_texts import Texts
from codegen.infer.unloaded import ReadFunction
from codegen.infer.values import Cell, Value
from codegen.ir import Atom, Equation, Function, Var
from codegen.ir.broadcasting import Meets
from codegen.read.function import read_function
from codegen.read.relocation import relocated
from codegen.read.tree import Define, Lambda
from codegen.source import SourceError, Span

Globals = Callable[[str], Any]
Place = tuple[str, int, int]  # in a text
NumberKinds = tuple[tuple[str, bool], ...]  # dtypes, and whether they are Python's
TRIES = 32


class Functions:
    """`run` infers statements, `call` calls, `text` makes a text; `known_sizes`: arrays of the enclosing scopes have
    their sizes in their types; `writes`: the main function's caller sees what is written into arguments, as every other
    caller does; `list_objects`: new lists are objects, which may have several names (memory/list_objects.py); those
    made at places in `list_kinds` have numbers of these dtypes, Python's or NumPy's; those made at places in `grown`
    get longer and shorter, and have items of these forms (memory/growing_objects.py); dicts and sets made at places in
    `tables` have keys that are numbers, and entries of these forms (tables/); `written`: loops that make lists longer
    are written out also where that is a long text; `fields`: those of users' classes that are assigned to, which are
    variables (objects/fields.py), whose names `numbers` tells apart; `slopes`: the program may be differentiated.

    functions    those that are done
    texts        those of which one is chosen when the program runs
    augmented    names of numbers that `+=` binds anew, by their function
    points       numbers that are arrays without axes: the parts that they show
    definitions  trees that stand at a user's call of a library's function
    within_lists those of them that index lists at places that are there
    memo         entries (inference.py) by kinds of arguments; `inside`: calls that are being inferred
    made_at      where new lists are made, by their cells, or by the result that they are of a function: spans, or the
                 argument that a dict is
    ordered      contents of arrays that lie row after row
    handed       contents of lists of one name's own that functions are given, before they may change them
    caught       equations that are checked before, inside `try`
    made_over    names of functions that tell what they raise
    catches      errors of Python's floats that handlers around take, which NumPy's do not raise
    is_narrow    whether a call was met that is given numbers narrower than NumPy's own for Python's
    puts_new     whether a list that is put into a dict is a new one, which has no name
    lists_of     whether lists in dicts that are made at these places are changed, and whether some have names
    changing     sizes that arrays have in one iteration, and may not have in the next
    splices      programs of transformed functions that are called; the names of their functions are `reserved`
    tries        how often functions may still be inferred with the values of ints for any reason that they are refused
    """

    def __init__(
        self,
        run: Callable[..., None],
        call: Callable[..., Value],
        text: Callable[..., Value],
        attribute: Callable[..., Value],
        known_sizes: bool = False,
        writes: bool = False,
        list_objects: bool = False,
        list_kinds: Mapping[Place, NumberKinds] = MappingProxyType({}),
        grown: dict[Place, Any] | None = None,
        tables: Mapping[Place, Any] = MappingProxyType({}),
        written: bool = False,
        fields: Mapping[Any, frozenset[str]] = MappingProxyType({}),
        slopes: bool = True,
        rows: Mapping[Any, dict[str, Any]] = MappingProxyType({}),
    ):
        self.run = run
        self.call = call
        self.text = text
        self.attribute = attribute
        self.is_narrow = False
        self.known_sizes = known_sizes
        self.writes = writes
        self.list_objects = list_objects
        self.list_kinds = list_kinds
        self.grown = grown
        self.tables = tables
        self.written = written
        self.fields = fields
        self.slopes = slopes
        self.rows = rows
        self.numbers = count()
        self.texts = Texts()
        self.made_at: dict[Cell | tuple[str, int], Any] = {}
        self.ordered: dict[Atom, frozenset[Cell] | None] = {}
        self.handed: dict[Cell, Atom] = {}
        self.functions: dict[str, Function] = {}
        self.augmented: set[tuple[object, str]] = set()
        self.points: dict[Var, Value] = {}
        self.defines: dict[Any, Define] = {}
        self.trees: set[Define] = set()
        self.definitions: set[Define | Lambda] = set()
        self.within_lists: set[Define | Lambda] = set()
        self.memo: dict[Any, Any] = {}
        self.inside: Counter[Define | Lambda] = Counter()
        self.caught: set[Equation] = set()
        self.changing: set[Var] = set()
        self.made_over: dict[Any, str] = {}
        self.catches: frozenset[type[BaseException]] = frozenset()
        self.splices: dict[Any, Any] = {}
        self.reserved: set[str] = set()
        self.meets = Meets()
        self.puts_new = False
        self.tries = TRIES
        self.lists_of: dict[Any, set[str]] = {}
        self.parts: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        self.columns: dict[Any, np.ndarray] = {}

    def column(self, dtype: str, numbers: tuple[Any, ...]) -> np.ndarray:
        """Numbers of lists of the enclosing scopes as an array, always the same object."""
        return self.columns.setdefault((dtype, numbers), np.array(numbers, np.dtype(dtype)))

    def parts_of(self, array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The real and the imaginary part of an array of the enclosing scopes, each always the same object."""
        found = self.parts.setdefault(id(array), (array, array.real, array.imag))
        return found[1], found[2]

    def may_try_ints(self, error: SourceError) -> bool:
        """Whether a call that is refused may be one of other kinds where ints that it is given are constants."""
        if error.of_unknown:
            return True
        self.tries -= error.may_be_of_ints
        return error.may_be_of_ints and self.tries >= 0

    def entry(self, callee: Any, span: Span) -> Any:
        """What is found of a function for these kinds of arguments: Inference does it."""
        raise NotImplementedError

    def define(self, f: Any) -> Define:
        """The tree of a Python function, read once. Functions of one text, which may hold other values or be of other
        modules, have a tree each."""
        if isinstance(f, ReadFunction):
            return f.define
        if f not in self.defines:
            read = read_function(f)
            self.defines[f] = replace(read) if read in self.trees else read
            self.trees.add(read)
        return self.defines[f]

    def definition(self, f: Any, span: Span) -> Define:
        """The tree of a definition as if it stood where it is called."""
        if (f, span) not in self.defines:
            self.defines[f, span] = relocated(read_function(f), span)
            self.definitions.add(self.defines[f, span])
            if f in WITHIN_LISTS:
                self.within_lists.add(self.defines[f, span])
        return self.defines[f, span]

    def own_definition(self, f: Any, span: Span) -> Define:
        """The tree of a definition that is a function of the program, as if it stood where it is called first."""
        if f not in self.defines:
            self.defines[f] = self.definition(f, span)
        return self.defines[f]

    def fresh(self, label: str) -> str:
        """A function name that is not taken."""
        label = label if label.isidentifier() else "f"
        taken = {*self.functions, *self.reserved, *(e.name for e in self.memo.values())}
        name, k = label, 2
        while name in taken:
            name, k = f"{label}_{k}", k + 1
        return name


def globals_of(f: Any) -> Globals:
    """Name -> object, as the function itself would find it: its closure, its module, the builtins."""
    if isinstance(f, ReadFunction):
        return f.globals
    closed = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))

    def find(name: str) -> Any:
        if name in closed:
            try:
                found = closed[name].cell_contents
            except ValueError:
                raise KeyError(name) from None
            note_cell(closed[name], found)
            return found
        if name in f.__globals__:
            note_name(f.__globals__, name, f.__globals__[name])
            return f.__globals__[name]
        return vars(builtins)[name]

    return find


def span_place(span: Span) -> Place:
    return span.source.file, span.line, span.column
