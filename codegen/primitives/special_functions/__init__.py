"""Rows for functions of scipy.special that recurrences differentiate; importing a file enters its rows."""

from codegen.primitives.special_functions import bessel, integrals  # noqa: F401
