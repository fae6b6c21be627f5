"""Rows for functions of scipy.special that recurrences differentiate; importing a file enters its rows."""

from codegen.primitives.special_functions import airy, bessel, integrals, spherical  # noqa: F401
