"""What Numba has no words for: halves of complex arrays as arrays, and what LLVM is told of loops and functions."""
