"""Kernels of array programs, compiled to machine code of a GPU without one: scripts/test --cuda."""

import copy
import sys
from contextlib import suppress
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from array_gpu import Launched, cupyx, with_arrays_there
from array_programs import PROGRAMS, logistic
from corpus import CASES
from cubins import device
from ordered_array_programs import LOSSES
from ordered_array_programs import PROGRAMS as ORDERED
from over_lanes import directory  # noqa: F401

from autodiff import grad, value_and_grad
from codegen import jit

pytestmark = pytest.mark.cuda
CORPUS = [(case.function, case.lanes()[0]) for case in CASES]
MADE = [(jit(f, target="cuda"), given) for f, given in (*PROGRAMS, *ORDERED, *CORPUS)]
MADE.append((value_and_grad(logistic, target="cuda"), PROGRAMS[5][1]))
MADE += [(grad(f, target="cuda"), given) for f, given in LOSSES]


def typed(value: Any) -> Any:
    from numba import typeof, types
    from numba.np.numpy_support import from_dtype

    if not isinstance(value, np.ndarray):
        return typeof(value)
    return types.Array(from_dtype(value.dtype), value.ndim, "C" if value.flags.c_contiguous else "A")


@pytest.mark.parametrize(("many", "given"), MADE, ids=[f"{m.__name__} {k}" for k, (m, _) in enumerate(MADE)])
@pytest.mark.parametrize("capability", [(8, 0), (9, 0)])
def test_kernels_compile(many: Any, given: Any, capability: tuple[int, int]) -> None:
    with with_arrays_there(), suppress(Exception):  # of what fails, kernels up to there
        many(*copy.deepcopy(given))
    launches = list(Launched.given)
    from numba import cuda

    defined: dict[str, Any] = {"__name__": "kernels"}
    linalg = {name: module for name, module in cupyx().items() if name != "cupyx"}
    with patch.dict(sys.modules, linalg):  # which asks for cuBLAS at once
        exec(compile(many.source(*given), "kernels", "exec"), defined)
    with device(capability):
        for name, arguments in launches:
            signature = tuple(map(typed, arguments))
            ptx, _ = cuda.compile(defined[name].py_func, signature, device=False, abi="numba", cc=capability)
            assert f".target sm_{capability[0]}{capability[1]}" in ptx
