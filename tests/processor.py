"""What this processor has: tests of what LLVM makes vectors of are written for registers of eight numbers."""

import llvmlite.binding
import pytest

WIDE = bool(llvmlite.binding.get_host_cpu_features().get("avx512f"))
of_wide_registers = pytest.mark.skipif(not WIDE, reason="LLVM makes other vectors without AVX-512")
