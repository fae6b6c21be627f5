"""A transformed function: its signatures, specialisations, emitted text and stages. What jit, grad and batch return."""

from __future__ import annotations

import copy
import functools
import inspect
import types
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast, overload

import numpy as np

from codegen import gpu
from codegen.activity import doing
from codegen.arguments.forms import made_for
from codegen.arguments.known import KnownArguments, static_entry
from codegen.arguments.lists import FEW_NUMBERS, Lent
from codegen.arguments.related_sizes import RelatedSizes, Relations, is_other_sizes
from codegen.arguments.writes import argument_writes_of, assigned_number, give_back, require_order
from codegen.backend.load import file_of, load
from codegen.emit.border import is_flat, whole_text
from codegen.emit.coalescing import function_names
from codegen.emit.module import show
from codegen.emit.raising import own_classes
from codegen.emit.whole_arrays import WholeArrays, leaf_places, taking_wholes, with_whole_arrays
from codegen.infer.calls.arity import check_call, check_readable
from codegen.infer.calls.partials import held
from codegen.infer.dependencies import Programs
from codegen.infer.trace import Signature, Traced
from codegen.infer.values import Static
from codegen.ir import Program
from codegen.pickling import reduced_function
from codegen.pipeline import PASSES, emission, last, stages, told
from codegen.process_cache import ALIVE
from codegen.pytree import as_result, call_key, describe, flatten, leaves, native, once, unflatten
from codegen.read.texts import keep_texts, texts
from codegen.runtime import state_of
from codegen.source import Span
from codegen.specialisations import Compiled, ShortCalls, kind_of, streams_again
from codegen.targets.numba_cpu import has_threads
from codegen.tracebacks import at_border, cut, failing_span, raising_own

P = ParamSpec("P")  # the parameters of a user's function
Q = ParamSpec("Q")
R = TypeVar("R")  # its result


class Transformed(Generic[P, R]):
    """A function made out of `function`. Subclasses say what it means by `trace`.

    Arguments may be arrays, numbers, random generators, and tuples, named tuples, dicts and dataclasses of these;
    anything else is part of the program. One program is made per types of arguments and kept.
    """

    transparent = False  # whether it means what the function does, to other transformations and functions
    tables = True  # whether dicts in arguments may be taken as arrays
    argnums: tuple[int, ...] = ()  # arguments that are differentiated by
    parallel = False  # whether threads share the loops of one call
    targets: tuple[str, ...] = tuple(PASSES)
    quote = True  # the user's lines stand beside what was made of them

    def __init__(self, function: Any, *, target: str, static_argnames: tuple[str, ...] = ()):
        if target not in self.targets:
            raise ValueError(f"no target {target!r}: there are {', '.join(self.targets)}")
        check_readable(function)
        self.wrap(function)
        self.target = target
        self.static_argnames = static_argnames
        self.begin()

    def wrap(self, function: Any) -> None:
        """Look like the function."""
        plain = isinstance(function, types.FunctionType)  # the attributes of other callables are theirs
        functools.update_wrapper(self, function, updated=("__dict__",) if plain else ())
        self.__wrapped__ = function
        named = function if hasattr(function, "__name__") else held(function).function
        self.__name__: str = getattr(named, "__name__", "f")

    def begin(self) -> None:
        """Nothing is compiled yet. What is set here and by `wrap` does not go to other processes."""
        ALIVE.add(self)
        self.compiled: Programs[Compiled] = Programs()
        self.short = ShortCalls()
        self.known = KnownArguments()
        self.last: Compiled | None = None
        self.alive: list[Any] = []
        self.parameters: list[str] | None = None  # their names, once somebody asks
        self.fewest = FEW_NUMBERS + 1  # numbers in a list that is taken as arrays
        self.related = RelatedSizes()
        self.tabled: dict[Any, Any] = {}  # arguments whose dicts are taken as arrays, and the form of entries

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduced_function(self, self.state)

    def state(self) -> dict[str, Any]:
        """What makes it again in another process."""
        return {**self.told(), "__wrapped__": self.__wrapped__, "texts": texts(self.__wrapped__)}

    def told(self) -> dict[str, Any]:
        """What it was told beside the function: all that neither `wrap` nor `begin` sets."""
        fresh = type(self).__new__(type(self))
        fresh.begin()
        of = getattr(self.__wrapped__, "__dict__", {})
        made = {*vars(fresh), *functools.WRAPPER_ASSIGNMENTS, "__wrapped__"}
        return {k: v for k, v in vars(self).items() if k not in made and (k not in of or of[k] is not v)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = dict(state)
        keep_texts(own.pop("texts"))
        self.wrap(own.pop("__wrapped__"))
        self.begin()
        vars(self).update(own)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Itself, as of a Python function; of one that holds a copied object, one that holds the copy."""
        inner = copy.deepcopy(self.__wrapped__, memo)
        if inner is self.__wrapped__ or id(self) in memo:
            return memo.get(id(self), self)
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.wrap(inner)
        made.begin()
        vars(made).update(self.told())
        return made

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self.__wrapped__)

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        """The transformed program for these types of arguments."""
        raise TypeError(f"{type(self).__name__} says nothing of its program")

    def traced_alone(
        self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False
    ) -> Traced:
        """The same for a call from Python, which nothing differentiates."""
        return self.trace(signature, keywords, known_sizes=known_sizes)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            kind, plain = kind_of((*args, *kwargs.values()), kwargs) if kwargs else kind_of(args)
            short = None if kind is None else self.short.of(kind)
            if short is not None and (short.writes is None or not short.writes.twice(plain)):
                self.last = short
                try:
                    return cast(R, self.execute(short, plain))
                except ValueError as error:
                    if not is_other_sizes(error):
                        raise
            lent = Lent(self.fewest)
            signature, keywords, compiled = made_for(self, args, kwargs, lent)
            values = [*args, *kwargs.values()]
            entries = [*signature, *keywords.values()]
            flat = [
                leaf
                for value, entry in zip(values, entries, strict=True)
                for leaf in flatten(value, entry, lent)
            ]
            for k in compiled.traced.augmented if self.transparent else ():
                if isinstance(flat[k], np.ndarray):
                    raise assigned_number(self.__name__, compiled.traced.names[k])
            again = {} if compiled.writes is None else compiled.writes.twice(flat)
            if compiled.draws:
                again |= streams_again(flat)
            if again:
                entries = once(entries, again)
                named = dict(zip(keywords, entries[len(signature) :], strict=True))
                compiled = self.specialised(tuple(entries[: len(signature)]), named)
                flat = [leaf for k, leaf in enumerate(flat) if k not in again]
            elif kind is not None and not lent.lists:
                self.short.note(kind, entries, self.compiled.around(compiled), compiled)
            if lent.lists and compiled.writes is not None and compiled.writes.places:
                lent.check_apart(self.__name__)
            lent.tables.check_apart(compiled.traced.back, self.__name__)
            made: R = self.execute(compiled, flat, lent)
            return made
        except BaseException as error:
            cut(error, None if self.last is None else failing_span(error, self.last.file, self.last.places))
            raise

    def execute(self, compiled: Compiled, flat: Sequence[Any], lent: Lent | None = None) -> Any:
        """Run compiled code on flat arguments and give its result the shape it is to have. `lent`: the lists that it is
        given as arrays; None: it is given numbers, arrays and streams alone."""
        whole = compiled.whole.parts
        require_order(compiled.traced, flat, self.__name__)
        given = [leaf if k in whole else self.argument(leaf) for k, leaf in enumerate(flat)]
        given += compiled.traced.around
        try:
            if compiled.writes is None:
                made = compiled.run(*given)
            else:
                made = compiled.writes.run(compiled.run, flat, given)
        finally:
            if lent is not None or compiled.draws:
                give_back(compiled.writes, flat, given, lent)
        given_back = unflatten(compiled.traced.out, iter(compiled.settled(made)), lent)
        if not compiled.traced.back:
            return given_back
        assert lent is not None
        result, *tables = given_back
        lent.tables.put_back(compiled.traced.back, tables)
        return result

    def argument(self, leaf: Any) -> Any:
        """A leaf as compiled code takes it."""
        if isinstance(leaf, np.ndarray):
            if not leaf.ndim:
                return leaf[()]
            return np.ascontiguousarray(native(leaf)) if self.target == "numba" else native(leaf)
        if self.target == "numba" and isinstance(leaf, np.random.Generator):
            return state_of(leaf)
        return leaf

    def signature(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], lent: Lent | None = None
    ) -> tuple[Signature, dict[str, Any]]:
        """The types of a call's arguments; static ones as constants."""
        lent = lent or Lent(self.fewest)
        fixed = self.static_places(len(args))
        given = tuple(
            static_entry(a) if k in fixed else self.described(a, k, lent) for k, a in enumerate(args)
        )
        named = {
            k: static_entry(v) if k in self.static_argnames else self.described(v, k, lent)
            for k, v in kwargs.items()
        }
        return given, named

    def described(self, value: Any, place: int | str, lent: Lent) -> Any:
        """An argument's entry; what is wrong with it is said with its name."""
        label = self.label_of(place)
        tables = lent.tables
        tables.label, tables.entries = label, self.tabled.get(label)
        tables.wanted = label in self.tabled if self.takes_tables(place) else None
        try:
            return self.describe(value, lent)
        except TypeError as error:
            raise TypeError(f"argument {label!r} of {self.__name__}: {error}") from None
        except RecursionError:
            raise TypeError(
                f"argument {label!r} of {self.__name__} holds itself, or nests in nests without end"
            ) from None

    def takes_tables(self, place: int | str) -> bool:
        """Whether dicts in an argument may be taken as arrays: one that is differentiated by is a structure."""
        return self.tables and self.target != "cuda" and place not in self.argnums

    def names_of_parameters(self) -> list[str]:
        if self.parameters is None:
            self.parameters = list(self.__signature__.parameters)
        return self.parameters

    def label_of(self, place: int | str) -> int | str:
        """The name of a parameter."""
        try:
            names = self.names_of_parameters()
        except (TypeError, ValueError):
            return place
        return names[place] if isinstance(place, int) and place < len(names) else place

    def describe(self, value: Any, lent: Lent) -> Any:
        return describe(value, leaf=gpu.entry if self.target == "cuda" else None, lent=lent)

    def static_places(self, count: int) -> set[int]:
        if not self.static_argnames:
            return set()
        names = self.names_of_parameters()[:count]
        return {k for k, name in enumerate(names) if name in self.static_argnames}

    def specialised(
        self,
        signature: Signature,
        keywords: dict[str, Any],
        *,
        known_sizes: bool = False,
        values: Sequence[Any] | None = None,
    ) -> Compiled:
        """The code for these types of arguments, made when first met, and again when what is around it has changed.
        `known_sizes`: that of arrays around it, too. `values`: the arguments, whose sizes it may be made for."""
        entries = (*signature, *keywords.values())
        like = call_key(entries, keywords), known_sizes

        def make(given: tuple[Any, ...]) -> Compiled:
            self.check_call(len(signature), tuple(keywords))
            named = dict(zip(keywords, given[len(signature) :], strict=True))
            with doing(f"transforming {self.__name__}"):
                traced = self.traced_alone(given[: len(signature)], named, known_sizes=known_sizes)
                self.alive.extend(
                    leaf.value for entry in entries for leaf in leaves(entry) if isinstance(leaf, Static)
                )
                return self.compile(traced)

        def of(given: tuple[Any, ...], relations: Relations) -> Compiled:
            _, self.last = self.compiled.of((*like, relations), partial(make, given))
            return self.last

        if values is None or known_sizes or self.target == "cuda":
            return of(entries, ())
        return self.related.for_call(like, entries, values, of)

    def check_call(self, count: int, keywords: tuple[str, ...]) -> None:
        """Python's TypeError unless the function takes so many arguments by position, and these by name."""
        check_call(self.__wrapped__, count, keywords)

    def compile(self, traced: Traced) -> Compiled:
        whole = self.whole(last(self.passed(traced)), traced)
        program, places = whole.program, dict[int | str, Span]()
        text = show(program, target=self.target, quote=self.quote, homes=whole.homes, places=places)
        writes = argument_writes_of(traced)
        run, file = self.loaded(program, text, writes.places if writes else ())
        run = taking_wholes(run, whole)
        dtypes = tuple(as_result(r.type, self.target) for r in traced.program.entry.body.results)
        given = dtypes if any(dtypes) else None
        return Compiled(traced, program, text, run, writes, file, places, given, whole)

    def whole(self, program: Program, traced: Traced) -> WholeArrays:
        """The program, and which complex arrays it has as they are: compiled for the CPU, those that it can."""
        given, made = leaf_places(traced.arguments), leaf_places([traced.out])
        if self.target != "numba" or all(len(pair) < 2 for pair in (*given, *made)):
            return WholeArrays(program, traced.homes)
        return with_whole_arrays(program, traced.homes, given, made)

    def loaded(self, program: Program, text: str, written: Sequence[int]) -> tuple[Callable[..., Any], str]:
        """The function that runs, and the file of its text; `written`: the arguments that it writes into."""

        @functools.cache
        def function() -> Callable[..., Any]:
            module = gpu.with_quick_launches(load(text, program.main))
            run: Callable[..., Any] = getattr(module, function_names(program)[program.main])
            own = {getattr(module, name): cls for name, cls in own_classes(program).items()}
            return raising_own(run, own) if own else run

        run = gpu.there_and_back(function, written) if self.target == "cuda" else function()
        return run, str(file_of(text, program.main))

    def passed(self, traced: Traced, seconds: dict[str, float] | None = None) -> dict[str, Program]:
        """The program after each pass but those of emission; `seconds` is given what each took."""
        listed = traced.stages or (("program", traced.program),)
        return stages(self.target, listed, parallel=self.parallel, seconds=seconds)

    def of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Compiled:
        """The specialisation for these arguments (or their types, as a signature's entries), or of the last call."""
        if args or kwargs or self.last is None:
            return made_for(self, args, kwargs, Lent(self.fewest))[-1]
        return self.last

    @at_border
    def source(self, *args: Any, **kwargs: Any) -> str:
        """The emitted text for these arguments, or of the last call; it runs without this distribution.

        What is compiled takes the parts of complex numbers and structures, `f_parts(z_re, z_im, pair_0, pair_1)`; the
        text has `f(z, pair)` too, which calls it, where it cannot give the structures itself.
        """
        made = self.of(args, kwargs)
        if is_flat(made.traced):
            return made.text
        return whole_text(made.whole, made.traced, target=self.target, quote=self.quote)

    @at_border
    def stages(self, *args: Any, **kwargs: Any) -> dict[str, str]:
        """The text of the program after each pass, in order."""
        made = self.of(args, kwargs)
        listed = self.passed(made.traced) | emission(made.program, self.target, made.traced.homes)
        return {name: show(program, target="numpy") for name, program in listed.items()}

    @at_border
    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What the compiled program is made of, and what each pass took."""
        made = self.of(args, kwargs)
        seconds = dict(made.traced.seconds)
        program = made.program
        lines = [f"{self.__name__} for target {self.target}: {len(program.functions)} function(s)"]
        for name, function in program.functions.items():
            params = ", ".join(map(repr, function.params))
            shared = ", in a loop that threads share" * has_threads(function)
            shared = ", a kernel" if function.kernel else shared
            lines.append(f"  {name}({params}): {len(function.body.equations)} equations{shared}")
        self.passed(made.traced, seconds)
        emission(program, self.target, made.traced.homes, seconds)
        lines.append(f"passes: {told(seconds)}")
        return "\n".join(lines)

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(
        self: Transformed[Concatenate[Any, Q], R], instance: object, owner: Any = None
    ) -> Callable[Q, R]: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else partial(self, instance)

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} of {getattr(self, '__name__', 'f')}>"
