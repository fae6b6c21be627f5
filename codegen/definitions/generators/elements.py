"""What methods of a Generator share: draws for each element of an array in turn."""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from codegen.definitions.special import flat
from codegen.definitions.table import GENERATOR, stands_for


def of_generator(definition):
    return stands_for(f"{GENERATOR}.{definition.__name__}")(definition)


def drawn(one, self, dtype, size, a, b):
    """one(self, a, b), of each element of `size` or of the parameters' common shape in turn."""
    if size is None:
        if np.ndim(a) == 0 and np.ndim(b) == 0:
            return pythons(one(self, a, b))
        shape = np.broadcast_shapes(np.shape(a), np.shape(b))
    else:
        shape = size if isinstance(size, tuple) else (size,)
    if np.ndim(a):
        a = flat(a, shape)
    if np.ndim(b):
        b = flat(b, shape)
    made = np.empty(math.prod(shape), dtype)
    for i in range(len(made)):
        made[i] = one(self, a[i] if np.ndim(a) else a, b[i] if np.ndim(b) else b)
    return made.reshape(shape)


def pythons(x):
    """One number that is drawn is a float or an int of Python's."""
    return x if np.ndim(x) else int(x) if np.asarray(x).dtype == np.int64 else float(x)


def common(size, a, b):
    """The size of draws whose parameters are these."""
    if size is not None or np.ndim(a) == 0 and np.ndim(b) == 0:
        return size
    return np.broadcast_shapes(np.shape(a), np.shape(b))
