"""What Numba has no words for: halves of complex arrays, diagonals, and what LLVM is told of loops and functions."""
