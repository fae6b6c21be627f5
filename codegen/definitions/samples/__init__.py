"""Functions of what is given at places: integrals and filters, histograms of points."""

from codegen.definitions.samples import (  # noqa: F401  (importing a file enters its definitions)
    filters,
    histograms,
    integrals,
)
