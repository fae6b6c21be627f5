"""Functions of scipy.special by rows of their family, and by integrals and series of their own."""

from codegen.definitions.special_functions import (  # noqa: F401  (importing a file enters its definitions)
    bessel,
    counts,
    elliptic,
    faddeeva,
    incomplete_beta,
    incomplete_gamma,
    normal,
    oscillators,
    polynomials,
    shares,
    student,
)
