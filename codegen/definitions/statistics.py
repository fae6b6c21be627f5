"""Densities of scipy.stats, by SciPy's own formulas."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from codegen.definitions.table import stands_for


@stands_for("scipy.stats.norm.logpdf")
def logpdf(x, loc=0, scale=1):
    x, loc, scale = np.asarray(x), np.asarray(loc), np.asarray(scale)
    z = ((x - loc) / scale).astype(np.float64)
    positive = scale > 0
    log_density = -(z**2) / 2.0 - 0.9189385332046727 - np.log(np.where(positive, scale, 1))
    return np.where(positive, log_density, np.nan)
