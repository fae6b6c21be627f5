"""A target: lanes as threads of a GPU, as text that numba-cuda compiles."""
