"""What loops over several things at once go through: itertools.product, combinations, permutations and pairwise,
np.ndindex, np.ndenumerate."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import numpy as np

from codegen.definitions.sequences import pairs_of
from codegen.infer.calls.builtins import ONE, PYTHON, Builtin, python_range
from codegen.infer.control.iterables import LONGEST, all_items, is_counted
from codegen.infer.control.iterators import iterator_over
from codegen.infer.frame import Frame
from codegen.infer.memory.subscripts import get_item
from codegen.infer.values import GrowingList, Nest, Product, Ref, Static, Value, View, Zip
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


def chosen_of(choose: Callable[..., Iterable[tuple[Value, ...]]]) -> Builtin:
    """itertools.combinations and its like: the tuples, all written out."""

    def build(frame: Frame, name: str, iterable: Value, /, r: Value | None = None) -> Value:
        word = choose.__name__
        items = None if is_counted(frame, iterable) else all_items(frame, iterable)
        known = r is None or isinstance(r, Lit | Static)
        pairs = choose is itertools.combinations and isinstance(r, Lit) and r.value == 2
        if pairs and isinstance(iterable, Ref | View | GrowingList) and items is None:
            return frame.inference.call(frame, Static(pairs_of), (iterable,), {}, name)
        if items is None or not known:
            raise frame.refusal(
                f"itertools.{word} takes a number of items that is known, and how many of them: write loops inside one "
                "another, `for j in range(i + 1, n)`"
            )
        with frame.refusing():
            rows = choose(items, *(() if r is None else (r.value,)))  # type: ignore[union-attr]
            made = tuple(Nest(tuple, row) for row in itertools.islice(rows, LONGEST + 1))
        if len(made) > LONGEST:
            raise frame.refusal(f"itertools.{word} of more than {LONGEST}: write loops inside one another")
        return iterator_over(made)

    return build


def python_pairwise(frame: Frame, name: str, iterable: Value, /) -> Value:
    """Each item beside the next one."""
    if not is_counted(frame, iterable):
        items = all_items(frame, iterable)
        return iterator_over(tuple(Nest(tuple, pair) for pair in itertools.pairwise(items)))
    if not isinstance(iterable, Ref | View | GrowingList):
        raise frame.refusal("itertools.pairwise takes an array or a list: zip(x, x[1:]) of that")
    return Zip((iterable, get_item(frame, iterable, slice(1, None), frame.span, name)))


PYTHON[itertools.product] = python_product
PYTHON[itertools.pairwise] = python_pairwise
for each in (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement):
    PYTHON[each] = chosen_of(each)
PYTHON[np.ndindex] = numpy_ndindex
PYTHON[np.ndenumerate] = numpy_ndenumerate
