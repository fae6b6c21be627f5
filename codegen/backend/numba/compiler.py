"""How Numba compiles what this library emits, in two thirds of the time: lean : dispatcher -> None.

Functions that only compiled code calls. Numba makes of each function what Python could call: a wrapper that takes
Python's objects, another for C, and machine code of both, of the function and of all that it calls. Compiled code
needs LLVM's text of a function alone, optimised, to link it into its own. So wrappers are made when Python calls, and
machine code when an address is asked for. Functions that reach a recursion are compiled in Numba's own way.

What LLVM does is in numba/library.py, what it is told of signs in numba/signs.py, of loops that draw in numba/draws.py;
what is looked up while types are found and text is written in numba/lookups.py, what is written where it is called in
numba/calls.py, products of few numbers in numba/products.py, Numba's analyses in numba/analyses.py. All stand in for
methods of Numba's. Versions that they were not tried with compile functions as they do.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numba
from numba._dynfunc import make_function
from numba.core import types
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaPerformanceWarning
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.sigutils import normalize_signature

from codegen.activity import doing
from codegen.backend.collector import rare_collections
from codegen.backend.numba.analyses import Attribute
from codegen.backend.numba.draws import draws_kept_whole
from codegen.backend.numba.library import PASSES, QUICK, Library, Passes, put_away
from codegen.backend.numba.lookups import attributes_replaced, quick_lookups
from codegen.backend.numba.signs import signs_told
from codegen.backend.overlap_checks import are_inside
from codegen.backend.scipy_blas import load_alone
from codegen.deep_stack import deeper

load_alone()  # before Numba looks whether there is a BLAS
TRIED = (0, 62), (0, 68)  # from, to


def lean(dispatcher: Any) -> None:
    """Have a dispatcher of Numba's compile so."""
    version = tuple(int(part) for part in numba.__version__.split(".")[:2])
    if type(dispatcher) is CPUDispatcher and TRIED[0] <= version <= TRIED[1]:
        dispatcher.__class__ = Lean


@contextmanager
def without_advice() -> Iterator[None]:
    """Numba's advice on which arrays are faster is for those who wrote the code."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaPerformanceWarning)
        yield


class Lean(CPUDispatcher):
    """Compiles bare functions for compiled code, and those with wrappers for Python."""

    is_bare = False  # while compiled code asks
    has_address = False  # while a value of function type is made, which C calls
    elsewhere: Any = None  # gives the same function for all modules that have it
    is_quick = False
    is_apart = False  # machine code of its own, for compiled code

    def get_call_template(self, args: Any, kws: Any) -> Any:
        before, self.is_bare = self.is_bare, not recurs(self)
        try:
            return super().get_call_template(*unliteral(args, kws))
        finally:
            self.is_bare = before

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        """The types by which a recursion finds what is being compiled."""
        return super().fold_argument_types(*unliteral(args, kws))

    def compile(self, sig: Any) -> Any:
        with (
            global_compiler_lock,
            rare_collections(),
            deeper(),
            quick_lookups(),
            own_libraries(self.targetctx),
        ):
            if not self.is_bare:
                self.forget(sig)
            elif (entry := self.adopted(sig)) is not None:
                return entry
            outermost = ExitStack()
            if not COMPILED:
                outermost.enter_context(doing(f"compiling {self.py_func.__name__}"))
                outermost.enter_context(without_advice())
            COMPILED.append(self)
            PASSES.append(passes(self))
            try:
                with outermost:
                    return super().compile(sig)
            finally:
                PASSES.pop()
                COMPILED.pop()
                if not COMPILED:
                    put_away()

    def adopted(self, sig: Any) -> Any:
        """Compiled elsewhere, under a name of its own here; None where it is to be compiled here."""
        args = tuple(normalize_signature(sig)[0])
        if args in self.overloads or self.elsewhere is None or not COMPILED:
            return None
        other = self.elsewhere(self.py_func)
        if other is None or other is self:
            return None
        other.is_bare = True
        try:
            other.compile(sig)
        finally:
            other.is_bare = False
        result = other.overloads[args]
        if result.library.reads_environment:
            return None
        entry = stand_in_function(result.fndesc, result.environment, result.library)
        self.targetctx.insert_user_function(entry, result.fndesc, [result.library])
        self.overloads[args] = result._replace(entry_point=entry)
        return entry

    def get_compile_result(self, sig: Any) -> Any:
        self.overloads.pop(tuple(normalize_signature(sig)[0]), None)
        self.has_address = True
        try:
            return super().get_compile_result(sig)
        finally:
            self.has_address = False

    def add_overload(self, cres: Any) -> None:
        cres = cres._replace(type_annotation="")  # what `inspect_types` would print, a megabyte of objects
        if is_bare(cres):
            if self.is_apart and cres.library.is_linked_alone():
                cres.library.called_as = cres.fndesc.mangled_name
            self.overloads[tuple(cres.signature.args)] = cres
        else:
            super().add_overload(cres)

    def forget(self, sig: Any) -> None:
        """The bare function of a signature, which cannot be called."""
        args = tuple(normalize_signature(sig)[0])
        if args in self.overloads and is_bare(self.overloads[args]):
            del self.overloads[args]


def unliteral(args: Any, kws: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The types of arguments without numbers: Numba would compile a function once for each that it is given as text."""

    def is_number(type_: Any) -> bool:
        return isinstance(type_, types.IntegerLiteral | types.BooleanLiteral)

    def one(type_: Any) -> Any:
        of_numbers = type(type_) in (types.Tuple, types.UniTuple) and any(map(is_number, type_))
        return types.unliteral(type_) if is_number(type_) or of_numbers else type_

    return tuple(map(one, args)), {name: one(type_) for name, type_ in kws.items()}


def recurs(dispatcher: Any) -> bool:
    """Whether a function or one that it calls may call itself: Numba looks such up by address while they run."""
    seen: dict[Any, bool] = {}  # whether it is looked at still

    def look(each: Any) -> bool:
        if each in seen:
            return seen[each]
        seen[each] = True
        names = each.py_func.__globals__
        called = (names.get(name) for name in each.py_func.__code__.co_names)
        found = any(look(c) for c in called if isinstance(c, CPUDispatcher))
        seen[each] = found
        return found

    return look(dispatcher)


WIDE = "use_wide_registers"  # what emitted functions call whose loops are to become vectors


def passes(dispatcher: Any) -> Passes:
    """LLVM's for a function that has such loops or is called by one that has, and for any other."""
    names, own = dispatcher.py_func.__globals__, dispatcher.py_func.__code__
    if dispatcher.is_quick:
        return QUICK
    inside = are_inside(dispatcher.py_func)
    if WIDE not in names:
        return Passes(checks_inside=inside)
    codes = [f.py_func.__code__ for f in names.values() if isinstance(f, Lean)]
    wide = [code for code in codes if WIDE in code.co_names]
    if not any(code is own or dispatcher.__name__ in code.co_names for code in wide):
        return Passes(checks_inside=inside)
    own_loops = own in wide and not dispatcher.targetoptions.get("forceinline")
    return Passes(3, True, own_loops, checks_inside=inside)


def stand_in_function(description: Any, environment: Any, library: Any) -> Any:
    """What the context finds a function by that Python cannot call."""
    return make_function(description.lookup_module(), description.qualname, "", 0, environment, (library,))


COMPILED: list[Lean] = []  # the functions that are being compiled, a callee after its caller


def is_of_lanes() -> bool:
    """Whether what is being compiled is a loop over lanes, or a block that one runs."""
    compiled: Any = COMPILED[-1]
    return bool(compiled.targetoptions.get("nogil")) or compiled._compiler.pipeline_class is not Compiler


def is_bare(result: Any) -> bool:
    """Whether a result of Numba's compiler is nothing that Python can call."""
    return isinstance(result.library, Library) and not result.library.has_wrapper


@contextmanager
def own_libraries(context: Any) -> Iterator[None]:
    """While these functions and all that they call are compiled; the compiler's lock is held."""
    codegen = context.codegen()
    if codegen._library_class is Library:
        yield
        return
    rtsys.initialize(context)  # Numba's own, which has addresses
    # Of the class: Numba compiles with copies of the context, whose options the wrappers need.
    kind = type(context)
    for_python, for_c, executable = (
        kind.create_cpython_wrapper,
        kind.create_cfunc_wrapper,
        kind.get_executable,
    )

    def wrapper(self: Any, library: Any, description: Any, *more: Any, **options: Any) -> None:
        if not is_for_compiled_code(description):
            library.has_wrapper = True
            for_python(self, library, description, *more, **options)

    def c_wrapper(self: Any, library: Any, description: Any, *more: Any, **options: Any) -> None:
        if COMPILED[-1].has_address and not is_for_compiled_code(description):
            for_c(self, library, description, *more, **options)

    def called(self: Any, library: Any, description: Any, environment: Any) -> Any:
        if isinstance(library, Library) and library.is_linked_alone():
            return stand_in_function(description, environment, library)
        return executable(self, library, description, environment)

    stand_ins: list[Attribute] = [
        (codegen, "_library_class", Library),
        (kind, "create_cpython_wrapper", wrapper),
        (kind, "create_cfunc_wrapper", c_wrapper),
        (kind, "get_executable", called),
        *signs_told(kind),
        *draws_kept_whole(kind, is_of_lanes),
    ]
    with attributes_replaced(stand_ins):
        yield


def is_for_compiled_code(description: Any) -> bool:
    """Whether this is the function that is being compiled, and Python has not asked for it."""
    function = COMPILED[-1].py_func
    here = description.modname == function.__module__ and description.qualname == function.__qualname__
    return here and COMPILED[-1].is_bare
