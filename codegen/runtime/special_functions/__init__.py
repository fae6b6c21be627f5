"""Special functions of scipy.special that Numba does not have, of numbers: copied into what calls them."""
