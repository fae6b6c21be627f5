"""Functions of numpy.linalg and scipy.linalg that need eigenvectors of any matrix, or are tensors', and SciPy's names
for what NumPy has; the others are in matrices.py, decompositions.py and scipy_linalg.py above."""

from codegen.definitions.linear_algebra import (  # noqa: F401  (importing a file enters its definitions)
    eigenvectors,
    scipy_decompositions,
    tensors,
)
