"""What Numba's compiler asks again and again is answered once: quick_lookups.

Types. For each `a + b` and `x[k]` Numba tries all that `+` and `[]` may mean, arrays or dictionaries first. What an
operator gives for types of numbers, and for elements of arrays, is kept.

Options of compilation are part of the keys that Numba looks functions up by; it makes dictionaries of all their values
to compare two, which mostly are one.

Variables of an instruction: each pass finds them by a walk over all its fields, places in the source among them.

Lifetimes of variables: each pass finds them anew, though only the last asks where variables end.

Sizes of LLVM's types: LLVM is asked by way of a module in text that has one such variable.

Transposition: that axes are there once each, which is known, is looked at by a function that takes a second to compile.

Powers: of `x ** 2` Numba compiles a loop over the bits of an int, though it has products for those that are known.

Events: each pass and each call of LLVM is announced, though nobody listens but timers of how long locks are held.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any

import numpy as np
from llvmlite.binding import ffi
from numba.core import event, ir, transforms, types
from numba.core.base import BaseContext
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction
from numba.np import arrayobj

from codegen.backend.numba.allocations import LARGE_PAGES
from codegen.backend.numba.analyses import QUICK_ANALYSES, Attribute
from codegen.backend.numba.calls import CALLS_WITHIN, written_here
from codegen.backend.numba.elements import ELEMENTS_WRITTEN
from codegen.backend.numba.products import SMALL_PRODUCTS
from codegen.backend.numba.ranges import LOOPS_WRITTEN
from codegen.backend.numba.references import REFERENCES_COUNTED


@contextmanager
def attributes_replaced(attributes: Iterable[Attribute]) -> Iterator[None]:
    """While others stand in for these."""
    stand_ins = list(attributes)
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in stand_ins]
    try:
        for owner, name, value in stand_ins:
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


@contextmanager
def quick_lookups() -> Iterator[None]:
    """While functions are compiled; the compiler's lock is held."""
    if BaseFunction.get_call_type is get_call_type:
        yield
        return
    unheard: list[Attribute] = [] if event._registered[LLVM] else [(ffi.lib._lock, "_cblist", [])]
    lean = [
        *QUICK_ANALYSES,
        *CALLS_WITHIN,
        *SMALL_PRODUCTS,
        *LOOPS_WRITTEN,
        *REFERENCES_COUNTED,
        *ELEMENTS_WRITTEN,
    ]
    with attributes_replaced([*STAND_INS, *lean, *LARGE_PAGES, *unheard]):
        yield


type_of_call: Any = BaseFunction.get_call_type

NUMBERS = types.Number | types.Boolean
ELEMENTS = operator.getitem, operator.setitem
POWERS = operator.pow, operator.ipow
LARGEST_POWER = 64  # of a few products


def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    key = self.typing_key
    if not kws and (instead := written_here(key, args)) is not None:
        return of_intrinsic(self, context, args, instead)
    if getattr(key, "__module__", None) != operator.add.__module__:
        return type_of_call(self, context, args, kws)
    array = isinstance(args[0], types.Array) and key in ELEMENTS
    if not all(isinstance(each, NUMBERS) for each in (args[1:] if array else args)):
        return type_of_call(self, context, args, kws)
    kept = self.__dict__.setdefault("signatures", {})
    if args not in kept:
        kept[args] = of_products(self, args, type_of_call(self, context, args, kws))
    return kept[args]


def of_intrinsic(self: Any, context: Any, args: Any, instead: Any) -> Any:
    """The signature of a call that an intrinsic writes."""
    kind = context.resolve_value_type(instead)
    found = kind.get_call_type(context, tuple(map(types.unliteral, args)), {})
    self._impl_keys[found.args] = kind.get_impl_key(found)
    return found


def of_products(self: Any, args: Any, found: Any) -> Any:
    """The signature of a power by a small int that is known with that int."""
    power = args[-1]
    if self.typing_key not in POWERS or not isinstance(power, types.IntegerLiteral) or found is None:
        return found
    if not 0 <= power.literal_value <= LARGEST_POWER or not isinstance(found.args[1], types.Integer):
        return found
    made = found.replace(args=(found.args[0], power))
    vars(power)["value"] = power.literal_value  # by the name that Numba's products ask for
    self._impl_keys[made.args] = self._impl_keys[found.args]
    return made


equal_options: Any = TargetConfig.__eq__
hash_of_options: Any = TargetConfig.__hash__
HASHES: dict[type, int] = {}


def are_equal(self: Any, other: Any) -> Any:
    if type(self) is not type(other):
        return equal_options(self, other)
    mine, others = self._values, other._values
    if self is other or mine == others:
        return True
    return all(getattr(self, name) == getattr(other, name) for name in mine.keys() | others.keys())


def of_names(self: Any) -> int:
    """As Numba's, which hashes the names of the options and not what they are."""
    if type(self) not in HASHES:
        HASHES[type(self)] = hash_of_options(self)
    return HASHES[type(self)]


def variables_in(fields: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for each in fields:
        kind: Any = type(each)
        if kind is ir.Var:
            found.append(each)
        elif (inner := reader_of(kind)) is not None:
            found += inner(each)
    return found


@cache
def reader_of(kind: type) -> Callable[[Any], list[Any]] | None:
    """How to ask what a field holds for its variables; None where it holds none."""
    if issubclass(kind, ir.Inst):
        return operator.methodcaller("list_vars")
    if issubclass(kind, dict):
        return lambda each: variables_in(each.values())
    return variables_in if issubclass(kind, list | tuple) else None


all_lifetimes: Any = PostProcessor.run


def lifetimes(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """A VariableLifetime finds things when it is asked; Python's own variables are asked for by generators alone."""
    function = self.func_ir
    if emit_dels or function.is_generator:
        all_lifetimes(self, emit_dels, extend_lifetimes)
        return
    function.blocks = transforms.canonicalize_cfg(function.blocks)
    function.variable_lifetime = VariableLifetime(function.blocks)
    function.generator_info = None


def asked_once(name: str) -> Attribute:
    """A question about LLVM's types, answered once for each."""
    ask: Any = getattr(BaseContext, name)

    def answer(self: Any, type_: Any) -> Any:
        text = str(type_)
        if "%" in text:  # a type that a module declares
            return ask(self, type_)
        kept = self.codegen().__dict__.setdefault(f"kept_{name}", {})
        if text not in kept:
            kept[text] = ask(self, type_)
        return kept[text]

    return BaseContext, name, answer


LLVM = "numba:llvm_lock"


def if_heard(name: str, otherwise: Callable[[], Any]) -> Attribute:
    """An announcement that is made where somebody listens."""
    announce: Any = getattr(event, name)

    def perhaps(kind: str, *details: Any, **more: Any) -> Any:
        return announce(kind, *details, **more) if event._registered[kind] else otherwise()

    return event, name, perhaps


timer: Any = event.install_timer


def untimed(kind: str, callback: Any) -> AbstractContextManager[Any]:
    return nullcontext() if kind in (LLVM, "numba:compiler_lock") else timer(kind, callback)


def permute(axis: Any, shape: Any, strides: Any) -> None:
    """Sizes and strides of a transposed array. Numba's looks with a set whether each axis is there once, as it is in
    what this library emits, and takes a second to be compiled."""
    before = np.empty((2, len(axis)), np.intp)
    for k in range(len(axis)):
        before[0, k] = shape[k]
        before[1, k] = strides[k]
    for k in range(len(axis)):
        shape[k] = before[0, axis[k]]
        strides[k] = before[1, axis[k]]


STAND_INS: list[Attribute] = [
    (BaseFunction, "get_call_type", get_call_type),
    (TargetConfig, "__eq__", are_equal),
    (TargetConfig, "__hash__", of_names),
    (ir.Stmt, "list_vars", lambda self: variables_in(vars(self).values())),
    (ir.Expr, "list_vars", lambda self: variables_in(self._kws.values())),
    (PostProcessor, "run", lifetimes),
    asked_once("get_abi_sizeof"),
    asked_once("get_abi_alignment"),
    if_heard("start_event", lambda: None),
    if_heard("end_event", lambda: None),
    if_heard("trigger_event", nullcontext),
    (event, "install_timer", untimed),
    (arrayobj, "permute_arrays", permute),
]
