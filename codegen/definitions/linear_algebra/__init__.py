"""Functions of numpy.linalg and scipy.linalg that need eigenvectors of any matrix, or are tensors', functions of
matrices, matrices that are made of vectors, and SciPy's names for what NumPy has; the others are in matrices.py,
decompositions.py and scipy_linalg.py above."""

from codegen.definitions.linear_algebra import (  # noqa: F401  (importing a file enters its definitions)
    banded,
    eigenvectors,
    functions,
    polar_factors,
    scipy_decompositions,
    special_matrices,
    tensors,
)
