"""Text to machine code: modules on disk, Numba, and what is cached for later processes."""
