"""A kernel's text compiled by Numba for the CPU: `cuda` and `libdevice` are modules of functions that it compiles.

What the kernel calls has the options that the same function of codegen/runtime has on the CPU, so that the compiler
joins products and sums in the same places: what a lane computes is then the CPU target's to the last bit.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
from numba import types
from numba.extending import intrinsic

from codegen import runtime
from codegen.backend.machine_code import njit


def module_of(name: str, **functions: Any) -> ModuleType:
    made = ModuleType(name)
    made.__dict__.update(functions)
    return made


@intrinsic
def fma(typing, x, y, z):
    """x * y + z, rounded once."""

    def generate(context, builder, signature, args):
        kind = args[0].type
        whole = type(builder.function.ftype)(kind, (kind, kind, kind))
        return builder.call(builder.module.declare_intrinsic("llvm.fma", (kind,), whole), args)

    return types.float64(types.float64, types.float64, types.float64), generate


@intrinsic
def dmul_rn(typing, x, y):
    """x * y, and never a part of another operation."""

    def generate(context, builder, signature, args):
        return builder.fmul(*args)

    return types.float64(types.float64, types.float64), generate


@intrinsic
def umul64hi(typing, a, b):
    """The upper 64 bits of a * b."""

    def generate(context, builder, signature, args):
        word = args[0].type
        wide = type(word)(128)
        product = builder.mul(*(builder.zext(x, wide) for x in args))
        return builder.trunc(builder.lshr(product, wide(64)), word)

    return types.int64(types.int64, types.int64), generate


def numpys(name: str) -> Any:
    found: dict[str, Any] = {}
    exec(f"def {name}(x):\n    return np.{name}(x)", {"np": np}, found)
    return njit()(found[name])


@njit()
def nextafter(x, y):
    return np.nextafter(x, y)


@njit()
def local_array(size, dtype):
    return np.zeros(size, dtype)


def options_of(name: str) -> dict[str, Any]:
    """What the CPU's function of this name is compiled with."""
    part = next((p for p in runtime.parts() if name in p.names), None)
    if part is None or not part.decorator:
        return {"error_model": "numpy", "forceinline": True}
    (call,) = ast.parse(part.source).body[0].decorator_list  # type: ignore[attr-defined]
    return {word.arg: ast.literal_eval(word.value) for word in call.keywords}


def jit(*functions: Callable[..., Any], **options: Any) -> Any:
    """A kernel, or with `device=True` what it calls."""
    if functions:
        return njit(error_model="numpy")(functions[0])
    return lambda function: njit(**options_of(function.__name__))(function)


@njit()
def syncthreads():
    pass


CUDA = module_of(
    "cuda",
    jit=jit,
    fma=fma,
    local=module_of("local", array=local_array),
    shared=module_of("shared", array=local_array),
    syncthreads=syncthreads,
)
ROUNDINGS = ("floor", "ceil", "trunc", "rint", "cbrt", "exp2")
LIBDEVICE = module_of(
    "libdevice",
    umul64hi=umul64hi,
    dmul_rn=dmul_rn,
    nextafter=nextafter,
    **{name: numpys(name) for name in ROUNDINGS},
)


def numba_module(text: str) -> dict[str, Any]:
    """What a kernel's text defines, to be compiled when it is called."""
    numba = module_of("numba", cuda=CUDA)
    numba_cuda = module_of("numba.cuda", libdevice=LIBDEVICE)
    found: dict[str, Any] = {"__name__": "kernel"}
    with mock.patch.dict(sys.modules, {"numba": numba, "numba.cuda": numba_cuda}):
        exec(compile(text, "kernel", "exec"), found)
    return found
