"""Products and systems without the package around SciPy's BLAS; who imports it has all of it."""

import os
import subprocess
import sys

import pytest
from places import ROOT

SCRIPT = """
import sys
import numpy as np
from codegen import jit

def f(a, b):
    return np.linalg.solve(a, a @ b)

a, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([[1.0, 2.0], [3.0, 4.0]])
assert np.allclose(jit(f)(a, b), b)
print("scipy.linalg" in sys.modules)

import scipy.linalg
import scipy.linalg.cython_blas

found = scipy.linalg.cython_blas, scipy.linalg.cython_lapack
print(found[0] is sys.modules["scipy.linalg.cython_blas"], len(found[1].__pyx_capi__) > 1000)
print(np.allclose(scipy.linalg.solve(a, a @ b), b), np.allclose(jit(f)(a, b + 1.0), b + 1.0))
print([each for each in sys.meta_path if "scipy_blas" in getattr(each, "__module__", "")])
"""


@pytest.mark.turns(4)
def test_the_package_is_imported_by_who_asks_for_it(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stdout.splitlines() == ["False", "True True", "True True", "[]"]
