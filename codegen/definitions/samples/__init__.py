"""Functions of scipy.integrate and scipy.signal of what is given at places: integrals and filters."""

from codegen.definitions.samples import filters, integrals  # noqa: F401  (importing a file enters its definitions)
