"""A kernel's text compiled by Numba for the CPU: `cuda` and `libdevice` are modules of functions that it compiles.

What the kernel calls has the options that the same function of codegen/runtime has on the CPU, so that the compiler
joins products and sums in the same places, and elementary functions are the CPU's, NVIDIA's and those that are another
text for threads alike: what a lane computes is then the CPU target's to the last bit.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
from numba import types
from numba.extending import intrinsic
from warp import OF_LIBRARY

from codegen import runtime
from codegen.backend.machine_code import njit
from codegen.ir.kinds import Vector
from codegen.primitives import Primitive
from codegen.runtime.exact import of_narrowest


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

    return of_narrowest(x, y, z), generate


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
def local_array(size, dtype):
    return np.zeros(size, dtype)


@cache
def on_cpu(name: str) -> Any:
    """A function of codegen/runtime as it is on the CPU."""
    found: dict[str, Any] = {}
    exec("\n".join((*runtime.IMPORTS, runtime.text([name]))), found)
    return found[name]


@njit()
def power(x, y, *fraction):
    return fast_pow(x, y)


fast_pow = on_cpu("fast_pow")
ON_CPU = {name: on_cpu(name) for name in ("fast_sin", "fast_cos", "single_sin", "single_cos")} | {
    "fast_root_pow": power,
    "fast_half_pow": fast_pow,
    "single_half_pow": on_cpu("single_pow"),
}
"""What threads have another text for, that rounds otherwise."""


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
        kernel = njit(error_model="numpy")(functions[0])
        kernel.is_quick = True  # it runs once
        return kernel
    return lambda function: ON_CPU.get(function.__name__) or njit(**options_of(function.__name__))(function)


@njit()
def syncthreads():
    pass


@njit()
def activemask():
    return 1


@njit()
def any_sync(mask, test):
    """Lanes are alone."""
    return test


CUDA = module_of(
    "cuda",
    jit=jit,
    fma=fma,
    local=module_of("local", array=local_array),
    shared=module_of("shared", array=local_array),
    syncthreads=syncthreads,
    activemask=activemask,
    any_sync=any_sync,
)


def of_library(name: str, row: Primitive) -> dict[str, Any]:
    """A function of NVIDIA's of float64, and of float32: the CPU's."""
    if row.vector is not Vector.TEXT:
        return dict.fromkeys((name, f"{name}f"), numpys(name))
    return {name: on_cpu(f"fast_{row.name}"), f"{name}f": on_cpu(f"single_{row.name}")}


LIBDEVICE = module_of("libdevice", umul64hi=umul64hi, dmul_rn=dmul_rn)
for _name, _row in OF_LIBRARY.items():
    LIBDEVICE.__dict__.update(of_library(_name, _row))


def numba_module(text: str) -> dict[str, Any]:
    """What a kernel's text defines, to be compiled when it is called."""
    numba = module_of("numba", cuda=CUDA)
    numba_cuda = module_of("numba.cuda", libdevice=LIBDEVICE)
    found: dict[str, Any] = {"__name__": "kernel"}
    with mock.patch.dict(sys.modules, {"numba": numba, "numba.cuda": numba_cuda}):
        exec(compile(text, "kernel", "exec"), found)
    return found
