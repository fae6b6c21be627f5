"""Functions of NumPy and SciPy that are written in our own language: each is an ordinary Python function, read as a
user's is and put in place of the call, so that it has derivatives, lanes and targets without a rule.

    @stands_for("numpy.tril")
    def tril(m, k=0):                    np.tril(a, 1)   ->   the equations of `np.where(...)`, at the user's line
        ...

`standing_for(np.tril)` finds it. A name of a module that nobody has imported costs nothing: who calls a function has
its module.
"""

from codegen.definitions import (  # noqa: F401  (importing a file enters its definitions)
    calculus,
    complex_numbers,
    composed,
    decompositions,
    distributions,
    generators,
    grids,
    linear_algebra,
    lists,
    matrices,
    operators,
    order,
    places,
    polynomials,
    python_math,
    quantiles,
    samples,
    scipy_linalg,
    sequences,
    series,
    sets,
    special,
    special_functions,
    ufunc_methods,
)
from codegen.definitions.table import (
    COMPLEX,
    DEFINITIONS,
    GENERIC,
    OF_COMPLEX,
    OWN_FUNCTIONS,
    SHOWING,
    Composed,
    Origin,
    method_of_generator,
    origin,
    standing_for,
)

__all__ = [
    "COMPLEX",
    "DEFINITIONS",
    "GENERIC",
    "OF_COMPLEX",
    "OWN_FUNCTIONS",
    "SHOWING",
    "Composed",
    "Origin",
    "method_of_generator",
    "origin",
    "standing_for",
]
