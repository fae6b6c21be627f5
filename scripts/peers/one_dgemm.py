"""As many floating-point operations as logistic regression's gradient takes for all chains, in one call of dgemm.

    python one_dgemm.py CHAINS

The gradient is two products with the 10,000 x 100 design matrix; here is one with a matrix twice as wide, SciPy's
BLAS on all cores, into memory that is there.
"""

import sys
from typing import Any

import numpy as np
from scipy.linalg.blas import dgemm

from serving import serve
from works import logistic, measured


def main(chains: int) -> None:
    X, _, beta = logistic()
    wide = np.asfortranarray(np.hstack([X, X]))
    betas = np.asfortranarray(np.random.default_rng(7).standard_normal((2 * len(beta), chains)))
    out = np.zeros((len(X), chains), order="F")

    def run() -> dict[str, Any]:
        return measured(chains, lambda: dgemm(1.0, wide, betas, 0.0, out, overwrite_c=1), calls=10)

    run()
    serve(run)


if __name__ == "__main__":
    main(int(sys.argv[1]))
