"""Kernels as text that Numba compiles."""
