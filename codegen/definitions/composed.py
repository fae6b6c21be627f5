"""Functions of scipy.stats that are others' results in one function more: densities and masses of their logarithms, and
logarithms of distribution functions, that have none of their own."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions import distributions, special_functions  # noqa: F401  (which enter what these are made of)
from codegen.definitions.table import DEFINITIONS, Composed, enter


def density(logarithm):
    return np.exp(logarithm)


def logarithm(share):
    positive = share > 0
    of_none = np.where(share == 0, -np.inf, np.nan)
    return np.where(positive, np.log(np.where(positive, share, 1.0)), of_none)


for _name, _definition in tuple(DEFINITIONS.items()):
    if _name.endswith((".logpdf", ".logpmf")) and (_plain := _name.replace(".logp", ".p")) not in DEFINITIONS:
        enter(_plain, Composed(density, _definition))
    for _share in (".cdf", ".sf"):
        if _name.endswith(_share) and (_log := _name.replace(_share, f".log{_share[1:]}")) not in DEFINITIONS:
            enter(_log, Composed(logarithm, _definition))
