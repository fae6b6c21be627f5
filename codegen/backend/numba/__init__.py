"""Numba's compiler as this library uses it: what it is told, asked and spared."""
