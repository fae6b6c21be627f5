"""Numba as emitted text sees it: machine code is kept as everything is that this library keeps.

    from codegen.backend.machine_code import njit     # what `load` runs where the text says: from numba import njit


    @njit(cache=True, error_model="numpy")
    def f(x): ...

Numba's own cache raises where the disk is full or a file damaged, compiles again where it can read but not write, and
has an index of numbered files, which processes that write at the same time can leave with another function's code.
Here each signature of a function is one file, named after all that its code hangs on; the place of the text among it,
which what is raised has in it.
"""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import typeinfer
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from codegen.backend.disk_cache import PACKAGE, cache_directory, damaged, found, hashed_name, put
from codegen.backend.numba.compiler import COMPILED, WIDE, Lean, is_bare, lean


def njit(*signatures: str, cache: bool = False, **options: Any) -> Callable[..., Any]:
    """numba.njit(...), or the same with machine code kept by this library."""
    plain: Any = numba.njit  # older Numba says nothing of types

    def decorate(function: FunctionType) -> Any:
        dispatcher: Any = plain(**options)(function)
        if not hasattr(dispatcher, "_cache"):  # NUMBA_DISABLE_JIT
            return dispatcher
        lean(dispatcher)
        if cache:
            dispatcher._cache = MachineCode(function)
        if signatures:
            with typeinfer.register_dispatcher(dispatcher):  # it may call itself
                for signature in signatures:
                    dispatcher.compile(signature)
                dispatcher.disable_compile()
        return dispatcher

    return decorate


def __getattr__(name: str) -> Any:
    """What else a text takes from Numba."""
    return numba_cuda() if name == "cuda" else getattr(numba, name)


def numba_cuda() -> ModuleType:
    """numba.cuda, which is not there before it is imported; RuntimeError, of one line, where it does not start."""
    try:
        return importlib.import_module("numba.cuda")
    except AttributeError as error:  # NumPy 2.5 has no row_stack, for which numba-cuda 0.30 looks
        raise RuntimeError(
            f"numba-cuda does not start beside NumPy {np.__version__} ({error}): pip install 'numpy<2.5'"
        ) from None


def compile_anew(functions: list[Any]) -> None:
    """From here on these are compiled where they have not been yet, whatever is kept."""
    for function in functions:
        if isinstance(kept := getattr(function, "_cache", None), MachineCode):
            kept.is_read = False


def is_kept(function: Any, signature: Any) -> bool:
    """Whether the machine code of a function for such arguments need not be made any more, or cannot be kept."""
    kept = function._cache
    if tuple(signature) in function.overloads or not isinstance(kept, MachineCode) or not kept.is_enabled:
        return True
    name = kept.name(tuple(signature), function.targetctx.codegen())
    return (cache_directory() / name).exists() or not Path(function.py_func.__code__.co_filename).exists()


def share(module: ModuleType, elsewhere: Callable[[FunctionType], Any]) -> None:
    """What a module's own functions are compiled as is asked of `elsewhere` first."""
    for each in own_functions(module):
        each.elsewhere = elsewhere


def compile_quickly(module: ModuleType) -> None:
    """A module's own functions are compiled soon, not to be fast."""
    for each in own_functions(module):
        each.is_quick = True
        if isinstance(kept := getattr(each, "_cache", None), MachineCode):
            kept.kind = "quick"


def own_functions(module: ModuleType) -> list[Lean]:
    """The functions that a module defines, of those that Numba compiles."""
    found = [each for each in vars(module).values() if isinstance(each, Lean)]
    return [each for each in found if each.py_func.__module__ == module.__name__]


def program_at_present() -> Lean:
    """The function that is being compiled with all that it calls."""
    return COMPILED[0]


def is_beside_wide_loops(function: FunctionType) -> bool:
    """Whether its module has loops that are to become vectors."""
    return WIDE in function.__globals__


def keep_linked(function: Any) -> None:
    """Of a function in a module of its own, what callers link is kept, or call."""
    if not isinstance(function._cache, Linked):
        function._cache = Linked(function.py_func)
        function.is_apart = is_apart(function.py_func)


def is_apart(function: FunctionType) -> bool:
    """Whether callers are to call a function, and not to link it."""
    return APART in function.__code__.co_names


def release(functions: list[Any]) -> None:
    """Numba's code refers to the module that refers to it, where Python's garbage collection does not see it."""
    for function in functions:
        if not hasattr(function, "_reset_overloads"):
            continue
        function._make_finalizer()()
        function._reset_overloads()
        function.disable_compile(False)
        if isinstance(kept := function._cache, MachineCode):  # which finds modules by names that are free now
            kept.is_read = kept.is_enabled = False


class MachineCode(NullCache):
    """What a dispatcher of Numba's asks for code before it compiles, and gives it to afterwards."""

    kind = "machine"  # how names of its files end

    def __init__(self, function: FunctionType):
        self.function = function
        self.is_read = self.is_enabled = True

    @property
    def cache_path(self) -> str:
        return str(cache_directory())

    def flush(self) -> None:
        self.is_read = False

    def name(self, signature: Any, codegen: Any, *more: str) -> str:
        code = self.function.__code__
        place = code.co_filename, code.co_firstlineno
        arguments, result = normalize_signature(signature)
        by = *(each.name for each in arguments), result  # a tuple and *args of the same types print alike
        words = *place, code.co_code.hex(), by, *more, codegen.magic_tuple(), *compiler_versions()
        return f"{hashed_name(Path(code.co_filename).stem, code.co_name, *words)}.{self.kind}"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The code for a signature, or None."""
        if not self.is_read:
            return None
        target_context.refresh()
        name = self.name(signature, target_context.codegen())
        if (content := found(name)) is None:
            return None
        try:
            made = self.rebuilt(content, target_context)
            assert made.signature.args == tuple(normalize_signature(signature)[0])
        except Exception:  # it is what was written, and yet of no use
            damaged(name)
            return None
        return made

    def rebuilt(self, content: bytes, target_context: Any) -> Any:
        """What was written, as Numba's dispatcher takes it."""
        return CompileResult._rebuild(target_context, *pickle.loads(content))

    def save_overload(self, signature: Any, data: Any) -> None:
        if is_bare(data):
            return  # it is within its callers
        if self.is_enabled and not data.lifted and not data.library.has_dynamic_globals:
            *state, _ = data._reduce()
            put(self.name(signature, data.codegen), dumps((*state, environments(data))))


class Linked(MachineCode):
    """Keeps what callers link: LLVM's text of a function, optimised, instead of machine code; or what they call."""

    kind = "linked"

    def save_overload(self, signature: Any, data: Any) -> None:
        if not is_bare(data) or data.lifted or data.library.has_dynamic_globals:
            return
        if not data.library.reads_environment:
            put(self.name(signature, data.codegen), dumps(linked(data)))


def linked(result: Any) -> tuple[Any, ...]:
    """What `CompileResult._rebuild` takes, of a bare function that reads no environment."""
    result.fndesc.typemap = result.fndesc.calltypes = None
    library = result.library.serialize_using_bitcode()
    found = result.fndesc, result.environment, result.signature, result.objectmode, result.lifted
    return library, *found, "", result.reload_init, ()


def environments(result: Any) -> tuple[Any, ...]:
    """Those that its code may read; functions in modules of their own read none, and these may not be there later."""
    own = result.fndesc.modname
    return tuple(
        each
        for each in result._find_referenced_environments()
        if (name := each.globals["__name__"]) == own or not name.startswith(f"{PACKAGE}.")
    )


APART = "compiled_apart"  # what functions call that are to be
MADE = "29"  # another number where the same text is compiled to other code


def compiler_versions() -> tuple[str, ...]:
    """Of all that makes machine code."""
    return MADE, str(sys.implementation.cache_tag), np.__version__, numba.__version__, llvmlite.__version__
