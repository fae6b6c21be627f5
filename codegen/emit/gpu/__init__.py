"""Kernels of array programs as text."""
