"""What loops over several things at once go through: itertools.product, combinations, permutations, pairwise and its
others, np.ndindex, np.ndenumerate."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from codegen.definitions.grids import counting
from codegen.definitions.sequences import (
    chained_from_last,
    pairs_of,
    running_from_last,
    running_on_from_last,
)
from codegen.infer.calls.builtins import ONE, PYTHON, Builtin, python_range
from codegen.infer.control.iterables import ZERO, all_items, is_counted
from codegen.infer.control.iterators import iterator_over
from codegen.infer.frame import Frame
from codegen.infer.kinds import LONGEST
from codegen.infer.memory.subscripts import get_item
from codegen.infer.optional import NONE, is_none
from codegen.infer.values import GrowingList, Nest, Product, Range, Ref, Reversed, Static, Value, View, Zip
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
    if isinstance(iterable, Range):
        second = frame.b.atom(frame.b.apply("add", iterable.start, iterable.step))
        return Zip((iterable, replace(iterable, start=second)))
    if not isinstance(iterable, Ref | View | GrowingList):
        raise frame.refusal("itertools.pairwise takes an array, a list or a range: zip(x, x[1:]) of that")
    return Zip((iterable, get_item(frame, iterable, slice(1, None), frame.span, name)))


def python_count(frame: Frame, name: str, start: Value = ZERO, step: Value = ONE) -> Value:
    """Numbers without end, which a loop goes through until it leaves."""
    return frame.inference.call(frame, Static(counting), (start, step), {}, name)


def python_accumulate(
    frame: Frame,
    name: str,
    iterable: Value,
    /,
    func: Value = NONE,
    *,
    initial: Value = NONE,
) -> Value:
    """Each item and all before it, put together by a function of two."""
    function = Static(operator.add) if is_none(func) else func
    if is_counted(frame, iterable):
        if is_none(initial) and not isinstance(iterable, Ref | View | GrowingList):
            raise frame.refusal("itertools.accumulate takes an array or a list: make a list of it")
        own, more = (running_from_last, ()) if is_none(initial) else (running_on_from_last, (initial,))
        return Reversed(frame.inference.call(frame, Static(own), (iterable, function, *more), {}, name))
    items = all_items(frame, iterable)
    made = [*([] if is_none(initial) else [initial]), *items]
    for k in range(1, len(made)):
        made[k] = frame.inference.call(frame, function, (made[k - 1], made[k]), {}, name)
    return iterator_over(tuple(made))


def of_known_items(build: Callable[..., Iterable[Value]]) -> Builtin:
    """A function of itertools that gives items of what has a number of items that is known."""

    def built(frame: Frame, name: str, /, *given: Value, **named: Value) -> Value:
        with frame.refusing():
            return iterator_over(tuple(build(frame, *given, **named)))

    return built


def items_written_out(frame: Frame, iterable: Value) -> list[Value]:
    if is_counted(frame, iterable):
        raise TypeError(
            "itertools takes a number of items that is known: write a loop, or join arrays and lists"
        )
    return all_items(frame, iterable)


def python_chain(frame: Frame, name: str, /, *iterables: Value) -> Value:
    if any(is_counted(frame, each) for each in iterables):
        made = frame.inference.call(frame, Static(chained_from_last), (Nest(tuple, iterables),), {}, name)
        return Reversed(made)
    return iterator_over(tuple(item for each in iterables for item in all_items(frame, each)))


def repeat_known(frame: Frame, object: Value, times: Value) -> Iterable[Value]:
    return itertools.repeat(object, known_int(times))


def slice_known(frame: Frame, iterable: Value, *bounds: Value) -> Iterable[Value]:
    return itertools.islice(items_written_out(frame, iterable), *map(known_int, bounds))


def known_int(value: Value) -> Any:
    if isinstance(value, Lit) and isinstance(value.value, int) or is_none(value):
        return value.value  # type: ignore[union-attr]
    raise TypeError("itertools takes ints that are known here")


def zip_longest_known(frame: Frame, *iterables: Value, fillvalue: Value = NONE) -> Iterable[Value]:
    rows = itertools.zip_longest(*(items_written_out(frame, each) for each in iterables), fillvalue=fillvalue)
    return [Nest(tuple, row) for row in rows]


def starmap_known(frame: Frame, function: Value, iterable: Value) -> Iterable[Value]:
    rows = [items_written_out(frame, row) for row in items_written_out(frame, iterable)]
    return [frame.inference.call(frame, function, tuple(row), {}, "t") for row in rows]


PYTHON[itertools.count] = python_count
PYTHON[itertools.accumulate] = python_accumulate
PYTHON[itertools.chain] = python_chain
PYTHON[itertools.repeat] = of_known_items(repeat_known)
PYTHON[itertools.islice] = of_known_items(slice_known)
PYTHON[itertools.zip_longest] = of_known_items(zip_longest_known)
PYTHON[itertools.starmap] = of_known_items(starmap_known)
PYTHON[itertools.product] = python_product
PYTHON[itertools.pairwise] = python_pairwise
for each in (itertools.combinations, itertools.permutations, itertools.combinations_with_replacement):
    PYTHON[each] = chosen_of(each)
PYTHON[np.ndindex] = numpy_ndindex
PYTHON[np.ndenumerate] = numpy_ndenumerate
