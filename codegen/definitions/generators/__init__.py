"""Methods of numpy.random.Generator beyond the basic draws (codegen/primitives/random.py): NumPy's own formulas of
those, which take from the stream what NumPy takes, in its order.

    gamma(self, shape, scale, size)  ->  scale * standard_gamma(shape), of each element in turn

The basic draws hold: derivatives are of the formulas, and of a gamma with respect to its shape implicit (gamma.py).
Which way a branch goes does not count.
"""

from codegen.definitions.generators import (  # noqa: F401  (importing a file enters its definitions)
    choice,
    continuous,
    counts,
    gamma,
    vectors,
)
