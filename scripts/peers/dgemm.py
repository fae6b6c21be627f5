"""The limit for a logistic regression of many chains: both products of a gradient, by one call of BLAS each.

python dgemm.py CHAINS GRADIENTS        gradients of every chain, of which nothing but the products is computed
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg.blas import dgemm

import works
from serving import serve


def products(chains: int, gradients: int) -> Callable[[], dict[str, Any]]:
    """X q and r X for all chains at once, as often as asked; SciPy's BLAS, all cores."""
    data = works.logistic()
    q = works.logistic_start(chains, data.beta)
    r = np.random.default_rng(4).standard_normal((chains, len(data.X)))
    logits, slopes = np.zeros(r.T.shape, order="F"), np.zeros(q.T.shape, order="F")

    def run() -> dict[str, Any]:
        for _ in range(gradients):
            dgemm(1.0, data.X.T, q.T, trans_a=True, c=logits, overwrite_c=True)
            dgemm(1.0, data.X.T, r.T, c=slopes, overwrite_c=True)
        return {"count": chains * gradients}

    run()
    return run


if __name__ == "__main__":
    serve(products(int(sys.argv[1]), int(sys.argv[2])))
