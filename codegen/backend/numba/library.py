"""LLVM's module of a function and of what it calls, as Numba's compiler sees it: Library.

Passes. Numba has LLVM optimise each function at its highest level before the module is, which unrolls loops that
callers then optimise again, in each of them. Here functions get the passes of -O2, which take half the time (those of
-O1 take as long and leave loops over lanes 9 % slower), and the highest level only where loops over lanes are to become
vectors: loops within them have to be unrolled by then. Loops of known length are unrolled until they are 450
instructions, not 150 or 300: what a lane's arrays hold are numbers from then on (NUTS over 1,024 chains is 8 to 13 %
faster, and compiles 15 to 20 % longer). A module's passes are Numba's, and run once a program: what only
callers link is optimised as a part of them, as if all were one module (of 12.6 s for eight schools' NUTS 9.2 s are
left). A loop over lanes is the exception: it becomes vectors where its arguments are known not to overlap, which they
are no longer once it is within its caller. Numba runs them twice, so that reference counts meet before they are pruned;
where loops over lanes are, none are in them. Wrappers, which take Python's objects apart once a call, get none: those
of a function of ten arrays are longer than it.

Machine code is made once an address is asked for: what callers link needs none. Functions that say `compiled_apart()`
(runtime/intrinsics/loop_hints.py), which are long and not worth inlining, have machine code of their own, which all
programs call.

Quick code is made in a third of the time that LLVM takes otherwise, and runs at a third to a tenth of the speed:
functions get the passes of -O1, modules none but inlining where it was asked for, and instructions are selected and
registers allocated as at -O0. Not by LLVM's fast selection, which does not contract products into sums: so numbers are
the same, bit for bit.

Memory. Numba hands modules to LLVM's engine, which keeps them for good. Here the engine has the machine code alone.
Modules are put away as bitcode when compiling is done, and read again by who links or prints them. What another process
compiled is called without reading its module: the names that are in it are kept beside its machine code.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from llvmlite.binding.ffi import ObjectRef
from llvmlite.binding.newpassmanagers import NewPassManager
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.environment import lookup_environment


def run_passes(passes: tuple[Any, Any], on: Any) -> None:
    """Of a function or module. llvmlite (0.50) never frees passes, since its classes inherit in the wrong order."""
    manager, builder = passes
    manager.run(on, builder)
    if type(manager)._dispose is ObjectRef._dispose:
        NewPassManager._dispose(manager)


ENVIRONMENT = "_ZN08NumbaEnv"
WRAPPER = "_ZN7cpython"
# Of the process: LLVM has them for no less.
llvm.set_option("", "-unroll-threshold=450")
# Blocks of a function from which on CodeGenPrepare goes again through those that it changed, not through all: the same
# code, but for an instruction or two, of 1,300 blocks in 1.0 s instead of 3.9 s.
llvm.set_option("", "-cgpp-huge-func=50")
llvm.set_option("", "-fast-isel=0")  # at -O0, which is quick code alone
# Loops are not looked at for being checksums: LLVM 22 goes through what a condition is made of once for each way that
# leads to it, 2^n of n conditions that are made of each other.
if llvm.llvm_version_info >= (22,):
    llvm.set_option("", "-disable-loop-idiom-hashrecognize")


@cache
def quick_target(codegen: Any) -> Any:
    """Numba's target machine, but for the effort that it makes."""
    options: dict[str, Any] = {}
    codegen._customize_tm_options(options)
    return llvm.Target.from_triple(codegen._tm.triple).create_target_machine(**options, opt=0)


class Passes(NamedTuple):
    """`level` of the passes of functions; `over_lanes`: loops over lanes are here or in a caller; `are_own`: here.

    `quick`: code is to be made soon, not to be fast. `checks_inside`: where inner loops ask about overlaps
    (overlap_checks.py).
    """

    level: int = 2
    over_lanes: bool = False
    are_own: bool = False
    quick: bool = False
    checks_inside: bool = False


class Symbols(NamedTuple):
    """Names in a module: functions and variables that it defines, variables with Python's objects of other modules.

    `calls_by_address`: whether addresses are to be filled in, of functions that call each other.
    """

    functions: tuple[str, ...]
    variables: tuple[str, ...]
    environments: tuple[str, ...]
    calls_by_address: bool


def symbols_of(module: Any) -> Symbols:
    variables = list(module.global_variables)
    return Symbols(
        tuple(f.name for f in module.functions if not f.is_declaration),
        tuple(v.name for v in variables if not v.is_declaration),
        tuple(v.name for v in variables if v.name.startswith(ENVIRONMENT)),
        any(v.name.startswith(RuntimeLinker.PREFIX) for v in variables),
    )


QUICK = Passes(level=1, quick=True)
PASSES = [Passes()]  # last those of the function being compiled

IN_MEMORY: list[Library] = []  # those whose modules are


def put_away() -> None:
    """Compiling is done."""
    while IN_MEMORY:
        IN_MEMORY.pop().put_away()


class Library(JITCodeLibrary):
    """A module that is optimised when it is wanted, and machine code once an address is."""

    _codegen: Any
    is_code = has_wrapper = False
    called_as = ""  # the name by which callers call it, which do not link it
    module: Any = None
    bitcode = b""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self.quick, self.checks_inside = PASSES[-1].quick, PASSES[-1].checks_inside
        self.called: dict[str, Library] = {}  # what it does not link
        IN_MEMORY.append(self)

    @property
    def _final_module(self) -> Any:
        if self.module is None:
            self.module = llvm.parse_bitcode(self.bitcode)
            IN_MEMORY.append(self)
        return self.module

    @_final_module.setter
    def _final_module(self, module: Any) -> None:
        self.module = module

    def put_away(self) -> None:
        if self._finalized and self.module is not None:
            self.bitcode = self.bitcode or self.module.as_bitcode()
            self.module = self._shared_module = None

    def get_llvm_str(self) -> str:
        self._sentry_cache_disable_inspection()
        return str(self.module or llvm.parse_bitcode(self.bitcode))

    def is_linked_alone(self) -> bool:
        """Whether callers link this function and nothing has its address: neither Python nor a recursion."""
        self._ensure_finalized()
        return not self.has_wrapper and not self.symbols.calls_by_address

    @cached_property
    def symbols(self) -> Symbols:
        """Of the finished module."""
        return symbols_of(self._final_module)

    @cached_property
    def reads_environment(self) -> bool:
        """Whether the code has use for Python's objects of the module that it was compiled in."""
        text = str(self._final_module)
        return any(text.count(f"@{name}") > 1 for name in self.symbols.environments)

    def add_linking_library(self, library: Any) -> None:
        library._ensure_finalized()
        if isinstance(library, Library):  # not one of Numba's
            self.called |= library.called
            self.checks_inside |= library.checks_inside
        if isinstance(library, Library) and library.called_as:
            self.called[library.called_as] = library
            self._reload_init |= library._reload_init
        else:
            super().add_linking_library(library)

    def add_ir_module(self, module: Any) -> None:
        for function in module.functions:
            if function.name.startswith(WRAPPER) and function.blocks:
                function.attributes.add("noinline")
                function.attributes.add("optnone")
        super().add_ir_module(module)

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        passes = self._codegen._function_pass_manager
        for function in module.functions:
            if not function.is_declaration:
                run_passes(passes(opt=PASSES[-1].level, loop_vectorize=False, slp_vectorize=False), function)

    def _optimize_final_module(self) -> None:
        codegen, wanted = self._codegen, PASSES[-1]
        if not (self.has_wrapper or wanted.are_own):
            return
        if wanted.quick:
            inlining = {"loop_vectorize": False, "slp_vectorize": False, "opt": 0}
            self.optimise(codegen._module_pass_manager(**inlining))
            return
        if not wanted.over_lanes:
            self.optimise_cheaply()
        self.optimise(codegen._module_pass_manager())

    def optimise(self, passes: tuple[Any, Any]) -> None:
        llvm.set_option("", f"-hoist-runtime-checks={int(not self.checks_inside)}")  # for all, until the next
        run_passes(passes, self._final_module)

    def optimise_cheaply(self) -> None:
        """Before reference counts are pruned: what meets in one function can be."""
        levels = {"loop_vectorize": self._codegen._loopvect, "opt": self._codegen._opt_level}
        self.optimise(self._codegen._module_pass_manager(**levels, slp_vectorize=False, cost="cheap"))

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def serialize_using_bitcode(self) -> Any:
        """Of what callers link; of what they call its machine code."""
        if self.called_as:
            return self.name, "called", (self.called_as, self.own_code(), self.symbols, self.codes_called())
        name, kind, bitcode = super().serialize_using_bitcode()
        return name, kind, (bitcode, self.codes_called())

    def serialize_using_object_code(self) -> Any:
        name, kind, (code, bitcode) = super().serialize_using_object_code()
        return name, kind, (code, bitcode, self.symbols, self.codes_called())

    def codes_called(self) -> dict[str, tuple[bytes, Symbols]]:
        return {symbol: (each.own_code(), each.symbols) for symbol, each in self.called.items()}

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, kind, data = state
        library = codegen.create_library(name)
        library._finalized, library.module = True, None
        *own, called = data
        library.called = {symbol: cls.of_code(codegen, symbol, *told) for symbol, told in called.items()}
        if kind == "bitcode":  # of what callers link
            (library.bitcode,) = own
        elif kind == "called":
            library.called_as, *own = own
            library.keep_code(*own)
            library.reads_environment = False
        else:  # of what Python has called
            code, library.bitcode, symbols = own
            library.keep_code(code, symbols)
            library.has_wrapper = True
        return library

    @classmethod
    def of_code(cls, codegen: Any, symbol: str, code: bytes, symbols: Symbols) -> Library:
        library: Library = codegen.create_library(symbol)
        library._finalized, library.module, library.called_as = True, None, symbol
        library.keep_code(code, symbols)
        return library

    def keep_code(self, code: bytes, symbols: Symbols) -> None:
        self.enable_object_caching()
        self._set_compiled_object(code)
        self.symbols = symbols

    def get_pointer_to_function(self, name: str) -> Any:
        self._ensure_finalized()
        self.load()
        return super().get_pointer_to_function(name)

    def load(self) -> None:
        """Hand the engine machine code, once; what it calls before."""
        for each in self.called.values():
            each.load()
        if not self.is_code:
            self.is_code = True
            if self.called_as not in self._codegen._rtlinker._defined:  # for another program
                self.to_machine_code()

    def own_code(self) -> bytes:
        """Machine code, as it was kept or is made now."""
        code: Any = self._object_caching_enabled and self._compiled_object
        if not code:
            if self.called_as:  # no caller has optimised it
                self.optimise_cheaply()
                self.optimise(self._codegen._module_pass_manager())
                self.symbols = symbols_of(self._final_module)
            target = quick_target(self._codegen) if self.quick else self._codegen._tm
            code = target.emit_object(self._final_module)
        if self._object_caching_enabled:
            self._compiled, self._compiled_object = True, code
        return code

    def to_machine_code(self) -> None:
        codegen = self._codegen
        if self.symbols.calls_by_address:
            self._dynamic_globals.clear()  # to be found once more
            super()._finalize_final_module()
        else:
            code, symbols = self.own_code(), self.symbols
            codegen._engine._defined_symbols.update(symbols.functions, symbols.variables)
            codegen._engine._ee.add_object_file(llvm.ObjectFileRef.from_data(code))
            codegen._rtlinker._defined.update(symbols.functions)
            codegen._engine.finalize_object()
        for name in self.symbols.environments:  # of functions linked in: Numba sets those of code of its own
            environment = lookup_environment(name)
            if environment is not None:
                codegen.set_env(name, environment)
