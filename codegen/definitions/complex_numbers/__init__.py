"""Functions of NumPy, cmath and Python for complex arguments, written in our own language with the two parts of each.

    @of_complex("numpy.conjugate")
    def conjugate(x):                    np.conj(z)   ->   z_re, -z_im
        return complex_of(+x.real, -x.imag)

What is linear, or a product, needs none: infer/complex_numbers/calls.py finds that out by the rows. Special values
(infinities, NaN, zeros with a sign) are those of C99's annex G, as far as NumPy has them.
"""

from codegen.definitions.complex_numbers import (  # noqa: F401  (importing a file enters its definitions)
    arithmetic,
    decompositions,
    exponential,
    fourier,
    hyperbolic,
    inverses,
    matrices,
    order,
    parts,
    statistics,
)
