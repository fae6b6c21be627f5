"""Distributions of SciPy: logarithms of densities and masses, shares up to a place and beyond one, places by shares. Of
numbers outside the support a density is 0, of parameters without a distribution NaN; where a number does not count, the
formula has another in its place, so that slopes are finite."""

from codegen.definitions.distributions import (  # noqa: F401  (importing a file enters its definitions)
    count_shares,
    densities,
    inverse_shares,
    masses,
    of_arrays,
    shares,
    survival,
    truncated,
)
