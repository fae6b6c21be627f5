"""Kernels of GPUs, their machine code kept as that of the CPU is: keep(kernel).

numba-cuda's own cache has the faults that Numba's has (machine_code.py). Here each signature of a kernel is one file,
named after its text, the versions of compilers and CUDA, and the GPU's compute capability.
"""

from __future__ import annotations

import pickle
from importlib.metadata import version
from typing import Any

from numba.cuda import dispatcher
from numba.cuda.serialize import dumps

from codegen.backend.disk_cache import put
from codegen.backend.machine_code import MachineCode


def keep_cubin(kernel: Any) -> None:
    """The kernel's machine code is looked for on disk before it is compiled, and kept there."""
    if not isinstance(kernel._cache, Cubins):
        kernel._cache = Cubins(kernel.py_func)


class Cubins(MachineCode):
    kind = "cubin"

    def name(self, signature: Any, codegen: Any, *more: str) -> str:
        return super().name(signature, codegen, version("numba-cuda"), *more)

    def rebuilt(self, content: bytes, target_context: Any) -> Any:
        return dispatcher._Kernel._rebuild(**pickle.loads(content))

    def save_overload(self, signature: Any, data: Any) -> None:
        if self.is_enabled:
            put(self.name(signature, data.codegen), dumps(data._reduce_states()))
