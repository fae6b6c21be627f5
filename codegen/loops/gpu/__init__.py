"""Loops for the threads of a GPU: kernels, what a thread can do, sums at any places put in order."""
