"""Systems, decompositions and products of matrices: by NumPy, by LAPACK, and as loops over numbers."""
