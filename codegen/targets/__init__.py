"""Targets: how a Program is written, and what its text needs besides its functions."""

from codegen.targets.cuda import CUDA
from codegen.targets.numba_cpu import NUMBA
from codegen.targets.numpy import NUMPY
from codegen.targets.target import Target

TARGETS: dict[str, Target] = {"numpy": NUMPY, "numba": NUMBA, "cuda": CUDA}

__all__ = ["TARGETS", "Target"]
