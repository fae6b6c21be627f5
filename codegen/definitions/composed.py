"""Functions of scipy.stats that are others' results in one function more: densities and masses of their logarithms, and
logarithms of distribution functions, that have none of their own. Those of counts take a share and the rest of 1."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions import distributions, special_functions  # noqa: F401  (which enter what these are made of)
from codegen.definitions.distributions.shares import log_of_parts
from codegen.definitions.table import DEFINITIONS, Composed, enter


def density(logarithm):
    return np.exp(logarithm)


def logarithm(share):
    positive = share > 0
    of_none = np.where(share == 0, -np.inf, np.nan)
    return np.where(positive, np.log(np.where(positive, share, 1.0)), of_none)


def logarithm_of_count(share, rest):
    """Of a share of ints, by the rest where that is less."""
    return np.where(np.isnan(share), np.nan, log_of_parts(share, rest))


for _name, _definition in tuple(DEFINITIONS.items()):
    if _name.endswith((".logpdf", ".logpmf")) and (_plain := _name.replace(".logp", ".p")) not in DEFINITIONS:
        enter(_plain, Composed(density, _definition))
    for _share, _rest in ((".cdf", ".sf"), (".sf", ".cdf")):
        _of, _log = _name.removesuffix(_share), _name.replace(_share, f".log{_share[1:]}")
        if _of == _name or _log in DEFINITIONS:
            continue
        if f"{_of}.logpmf" in DEFINITIONS:
            enter(_log, Composed(logarithm_of_count, _definition, DEFINITIONS[_of + _rest]))
        else:
            enter(_log, Composed(logarithm, _definition))
