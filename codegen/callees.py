"""How Numba compiles functions that only compiled code calls: lean : dispatcher -> None.

Numba makes of each function what Python could call: a wrapper that takes Python's objects, another for C, and machine
code of both, of the function and of all that it calls. Compiled code needs LLVM's text of a function alone, optimised,
to link it into its own. So wrappers are made when Python calls, and machine code when an address is asked for: a
quarter of what a sampler takes to compile. What runs is optimised as Numba does it. Functions that reach a recursion
are compiled in Numba's own way.

This stands in for methods of Numba's. Versions that it was not tried with compile functions as they do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba._dynfunc import make_function
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.sigutils import normalize_signature

TRIED = (0, 62), (0, 68)  # from, to


def lean(dispatcher: Any) -> None:
    """Have a dispatcher of Numba's compile so."""
    version = tuple(int(part) for part in numba.__version__.split(".")[:2])
    if type(dispatcher) is CPUDispatcher and TRIED[0] <= version <= TRIED[1]:
        dispatcher.__class__ = Lean


class Lean(CPUDispatcher):
    """Compiles bare functions for compiled code, and those with wrappers for Python."""

    is_bare = False  # while compiled code asks

    def get_call_template(self, args: Any, kws: Any) -> Any:
        before, self.is_bare = self.is_bare, not recurs(self)
        try:
            return super().get_call_template(args, kws)
        finally:
            self.is_bare = before

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock, libraries(self.targetctx):
            if not self.is_bare:
                self.forget(sig)
            COMPILED.append(self)
            try:
                return super().compile(sig)
            finally:
                COMPILED.pop()

    def get_compile_result(self, sig: Any) -> Any:
        self.forget(sig)  # its address is wanted
        return super().get_compile_result(sig)

    def add_overload(self, cres: Any) -> None:
        if is_bare(cres):
            self.overloads[tuple(cres.signature.args)] = cres
        else:
            super().add_overload(cres)

    def forget(self, sig: Any) -> None:
        """The bare function of a signature, which cannot be called."""
        args = tuple(normalize_signature(sig)[0])
        if args in self.overloads and is_bare(self.overloads[args]):
            del self.overloads[args]


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


COMPILED: list[Lean] = []  # the functions that are being compiled, a callee after its caller


def is_bare(result: Any) -> bool:
    """Whether a result of Numba's compiler is nothing that Python can call."""
    return isinstance(result.library, Library) and not result.library.has_wrapper


@contextmanager
def libraries(context: Any) -> Iterator[None]:
    """While these functions and all that they call are compiled; the compiler's lock is held."""
    codegen = context.codegen()
    if codegen._library_class is Library:
        yield
        return
    rtsys.initialize(context)  # Numba's own, which has addresses
    of_numba, kind = codegen._library_class, type(context)
    # Of the class: Numba compiles with copies of the context, whose options the wrappers need.
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
        if not is_for_compiled_code(description):
            for_c(self, library, description, *more, **options)

    def called(self: Any, library: Any, description: Any, environment: Any) -> Any:
        if isinstance(library, Library) and library.is_linked_alone():
            where, name = description.lookup_module(), description.qualname
            return make_function(where, name, "", 0, environment, (library,))  # to be found by
        return executable(self, library, description, environment)

    codegen._library_class = Library
    kind.create_cpython_wrapper, kind.create_cfunc_wrapper, kind.get_executable = (
        wrapper,
        c_wrapper,
        called,
    )
    try:
        yield
    finally:
        kind.create_cpython_wrapper, kind.create_cfunc_wrapper, kind.get_executable = (
            for_python,
            for_c,
            executable,
        )
        codegen._library_class = of_numba


def is_for_compiled_code(description: Any) -> bool:
    """Whether this is the function that is being compiled, and Python has not asked for it."""
    function = COMPILED[-1].py_func
    here = description.modname == function.__module__ and description.qualname == function.__qualname__
    return here and COMPILED[-1].is_bare


class Library(JITCodeLibrary):
    """LLVM's module of a function and of what it calls, and machine code once an address is asked for."""

    _codegen: Any
    is_code = has_wrapper = False

    def is_linked_alone(self) -> bool:
        """Whether callers link this function and nothing has its address: neither Python nor a recursion."""
        self._ensure_finalized()
        return not self.has_wrapper and not any(
            variable.name.startswith(RuntimeLinker.PREFIX) for variable in self._final_module.global_variables
        )

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        library = super()._unserialize(codegen, state)
        library.has_wrapper = True  # what is kept is what Python has called
        return library

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> Any:
        self._ensure_finalized()
        if not self.is_code:
            self.is_code = True
            self._dynamic_globals.clear()  # to be found once more
            super()._finalize_final_module()
            self.environments()
        return super().get_pointer_to_function(name)

    def environments(self) -> None:
        """Those of the functions that were linked in: Numba sets them where each has machine code of its own."""
        for variable in self._final_module.global_variables:
            if variable.name.startswith("_ZN08NumbaEnv"):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)
