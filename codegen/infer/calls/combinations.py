"""What loops over several ranges at once go through: itertools.product, np.ndindex, np.ndenumerate."""

from __future__ import annotations

import itertools

import numpy as np

from codegen.infer.calls.builtins import ONE, PYTHON, python_range
from codegen.infer.frame import Frame
from codegen.infer.values import Nest, Product, Ref, Value, View
from codegen.ir import Lit


def python_product(frame: Frame, name: str, /, *iterables: Value, repeat: Value = ONE) -> Value:
    if not (isinstance(repeat, Lit) and isinstance(repeat.value, int) and repeat.value >= 0):
        raise frame.refusal("product(repeat=) takes an int that is known")
    return Product(iterables * repeat.value)


def numpy_ndindex(frame: Frame, name: str, /, *shape: Value) -> Value:
    """The indices of an array of this shape."""
    if len(shape) == 1 and isinstance(shape[0], Nest):
        shape = shape[0].items
    return Product(tuple(python_range(frame, name, n) for n in shape))


def numpy_ndenumerate(frame: Frame, name: str, arr: Value, /) -> Value:
    if not isinstance(arr, Ref | View):
        raise frame.refusal(f"ndenumerate takes an array, not {frame.describe(arr)}")
    shape = frame.atom(arr).type.shape
    ranges = (python_range(frame, name, frame.b.atom(frame.b.size(n))) for n in shape)
    return Product(tuple(ranges), arr)


PYTHON[itertools.product] = python_product
PYTHON[np.ndindex] = numpy_ndindex
PYTHON[np.ndenumerate] = numpy_ndenumerate
