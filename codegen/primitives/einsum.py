"""np.einsum: products and sums of arrays whose axes have labels, as products of matrices where they are some.

Labels are letters, and negative ints for the axes of an ellipsis, counted from the last.
"""

from __future__ import annotations

import operator
from collections.abc import Collection
from itertools import combinations, islice
from math import prod
from string import ascii_letters
from typing import Any

import numpy as np

from codegen.ir.build import Builder, E
from codegen.ir.literals import code
from codegen.primitives.reduce import as_array
from codegen.primitives.row import lowers

Labels = tuple[Any, ...]
Labelled = tuple[Any, Labels]
NO_ELLIPSIS = "but no '...' ellipsis provided to broadcast the extra dimensions."


def lone_operand(given: dict[Any, Any], made: Any) -> Any:
    """The only operand, where nothing is summed: NumPy then gives a view of it."""
    placed = [given[k] for k in sorted(k for k in given if isinstance(k, int))]
    text = getattr(placed[0], "value", None)
    if len(placed) > (2 if isinstance(text, str) else 3):
        return None
    if isinstance(text, str):
        operand, words = placed[1], text.replace(" ", "").split("->")
    else:
        operand, words = placed[0], [listed_labels(each) for each in placed[1:]]
    left, *right = words
    return operand if (set(left) == set(*right) if right else len(set(left)) == len(left)) else None


def listed_labels(given: Any) -> Any:
    """The labels of a list that is known."""
    return [getattr(each, "value", each) for each in given.items]


@lowers(np.einsum, views=lone_operand)
def einsum(b: Builder, subscripts: Any, *operands: Any, optimize: Any = False) -> Any:
    """Pair after pair multiplied, or taken in a product of matrices, and summed over what no other needs."""
    if not isinstance(subscripts, str):
        subscripts, operands = as_text(subscripts, *operands)
    arrays = [as_array(b, x) for x in operands]
    terms, out = labels_in(subscripts, [x.ndim for x in arrays])
    return contraction(b, arrays, terms, out)


def as_text(*given: Any) -> tuple[str, tuple[Any, ...]]:
    """The subscripts that are given as a list of ints after each operand, and maybe one for the result, as a text."""
    operands, lists = given[: len(given) // 2 * 2 : 2], list(given[1::2])
    if len(given) % 2:
        lists.append(given[-1])
    words = [word_of(each) for each in lists]
    left = ",".join(words[: len(operands)])
    return f"{left}->{words[-1]}" if len(given) % 2 else left, operands


def word_of(labels: Any) -> str:
    """A list of ints and ellipses as letters."""
    known = isinstance(labels, tuple | list) and not any(isinstance(k, E) for k in labels)
    if not known:
        raise TypeError("einsum: the subscripts must be a text, or lists of ints, that is known")
    for k in labels:
        if k is not Ellipsis and not 0 <= operator.index(k) < len(ascii_letters):
            raise ValueError("subscript is not within the valid range [0, 52)")
    return "".join("..." if k is Ellipsis else ascii_letters[k] for k in labels)


def contraction(
    b: Builder, arrays: list[Any], terms: list[Labels], out: Labels, matched: Collection[Any] = ()
) -> Any:
    """Of arrays with labels, that with the labels `out`; the sizes of axes with a label of `matched` are one."""
    kind = code(np.result_type(*(x.dtype for x in arrays)))
    waiting = [
        by_diagonals(b, x if x.type.dtype == kind else x.astype(kind), term) for x, term in zip(arrays, terms)
    ]
    while len(waiting) > 1:
        i, j = next_pair(waiting, out)
        left, right = waiting[i], waiting[j]
        del waiting[j]
        later = labels_needed([each for each in waiting if each is not left], out)
        left, right = (
            sum_unneeded(b, each, {*other[1], *later}) for each, other in ((left, right), (right, left))
        )
        waiting[i] = contract_pair(b, left, right, later, matched)
    made, labels = sum_unneeded(b, waiting[0], set(out))
    perm = tuple(labels.index(label) for label in out)
    return np.transpose(made, perm) if perm else made


def next_pair(waiting: list[Labelled], out: Labels) -> tuple[int, int]:
    """The pair whose product is summed over something and has the fewest axes on the way; of several the first."""

    def price(pair: tuple[int, int]) -> tuple[bool, int]:
        ours, theirs = (set(waiting[k][1]) for k in pair)
        later = labels_needed([each for k, each in enumerate(waiting) if k not in pair], out)
        return not (ours & theirs) - later, len(ours | theirs)

    return min(combinations(range(len(waiting)), 2), key=price)


def labels_in(text: str, ranks: list[int]) -> tuple[list[Labels], Labels]:
    """The labels of each operand and of the result."""
    left, arrow, right = text.replace(" ", "").partition("->")
    words = left.split(",")
    if len(words) != len(ranks):
        few = "fewer" if len(words) > len(ranks) else "more"
        raise ValueError(
            f"{few} operands provided to einstein sum function than specified in the subscripts string"
        )
    terms = [labels_of(word, rank) for word, rank in zip(words, ranks)]
    every = [label for term in terms for label in term]
    ellipsis = sorted({label for label in every if isinstance(label, int)})
    if not arrow:
        once = sorted(label for label in every if isinstance(label, str) and every.count(label) == 1)
        return terms, (*ellipsis, *once)
    out = labels_of(right, len(right.replace("...", "")) + len(ellipsis) * ("..." in right))
    if ellipsis and "..." not in right:
        raise ValueError(f"output has more dimensions than subscripts given in einstein sum, {NO_ELLIPSIS}")
    for label in out:
        if label not in every:
            raise ValueError(
                f"einstein sum subscripts string included output subscript {label!r} which never appeared in an input"
            )
        if out.count(label) > 1:
            raise ValueError(
                f"einstein sum subscripts string includes output subscript {label!r} multiple times"
            )
    return terms, out


def labels_of(word: str, rank: int) -> Labels:
    """The labels of an operand's axes."""
    before, dots, after = word.partition("...")
    for letter in (*before, *after):
        if not (letter.isascii() and letter.isalpha()):
            raise ValueError(
                f"invalid subscript {letter!r} in einstein sum subscripts string, subscripts must be letters"
            )
    rest = rank - len(before) - len(after)
    if rest < 0:
        raise ValueError("einstein sum subscripts string contains too many subscripts for an operand")
    if rest and not dots:
        raise ValueError(f"operand has more dimensions than subscripts given in einstein sum, {NO_ELLIPSIS}")
    return (*before, *range(-rest, 0), *after)


def labels_needed(others: list[Labelled], out: Labels) -> set[Any]:
    return {*out, *(label for _, labels in others for label in labels)}


def by_diagonals(b: Builder, x: Any, labels: Labels) -> Labelled:
    """An operand whose labels differ: of axes with one label the diagonal."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            p = labels.index(label)
            q = labels.index(label, p + 1)
            n, m = x.type.shape[p], x.type.shape[q]
            if isinstance(n, int) and isinstance(m, int) and n != m:
                raise ValueError(
                    f"dimensions in an operand for collapsing index {label!r} don't match ({n} != {m})"
                )
            b.same_size(n, m, f"dimensions in an operand for collapsing index {label!r} don't match")
            r = b.apply("arange", b.size(n), dtype="i8")
            x = np.moveaxis(x, q, p + 1)[(*[slice(None)] * p, r, r)]
            labels = labels[:q] + labels[q + 1 :]
    return x, labels


def sum_unneeded(b: Builder, each: Labelled, kept: set[Any]) -> Labelled:
    """An operand summed over the axes that nothing else needs."""
    x, labels = each
    gone = tuple(k for k, label in enumerate(labels) if label not in kept)
    if gone:
        x = b.apply("any", x, axis=gone) if x.type.dtype == "b1" else np.sum(x, axis=gone, dtype=x.dtype)
    return x, tuple(label for label in labels if label in kept)


def contract_pair(
    b: Builder, left: Labelled, right: Labelled, later: set[Any], matched: Collection[Any]
) -> Labelled:
    """The product of two, summed over the labels that they share and nothing else needs."""
    alone = broadcast_labels(left, right) - later
    left, right = (sum_unneeded(b, each, set(each[1]) - alone) for each in (left, right))
    (x, ours), (y, theirs) = left, right
    shared = [label for label in ours if label in theirs and label not in later]
    mine, others = ([k for k in labels if k not in shared] for labels in (ours, theirs))
    unsure = [label for label in shared if label not in matched]
    if shared and not set(mine) & set(others) and is_matrix_product(b, left, right, unsure):
        for k in shared:
            b.same_size(x.type.shape[ours.index(k)], y.type.shape[theirs.index(k)])
        made = b.apply("matmul", merge_axes(b, left, mine, shared), merge_axes(b, right, shared, others))
        sizes = [x.shape[ours.index(k)] for k in mine] + [y.shape[theirs.index(k)] for k in others]
        return np.reshape(made, tuple(sizes)), (*mine, *others)
    if made := stack_product(b, left, right, shared, unsure):
        return made
    labels = tuple(dict.fromkeys((*mine, *others, *shared)))
    return sum_unneeded(b, (with_labels(x, ours, labels) * with_labels(y, theirs, labels), labels), later)


def stack_product(
    b: Builder, left: Labelled, right: Labelled, shared: list[Any], unsure: list[Any]
) -> Labelled | None:
    """The same where there is a product of matrices for each place along other axes that both have."""
    (x, ours), (y, theirs) = left, right
    both = [k for k in ours if k in theirs and k not in shared]
    mine, others = ([k for k in labels if k not in shared and k not in both] for labels in (ours, theirs))
    floats = x.type.dtype == y.type.dtype and x.type.is_float
    if not (shared and mine and others and floats and is_matrix_product(b, left, right, [*both, *unsure])):
        return None
    for k in (*both, *shared):
        b.same_size(x.type.shape[ours.index(k)], y.type.shape[theirs.index(k)])
    name = "stack_products"
    rows, columns = (both, mine, shared), (both, shared, others)
    if ours == (*both, *shared, *mine):
        name, rows = "stack_products_left", (both, shared, mine)
    elif theirs == (*both, *others, *shared):
        name, columns = "stack_products_right", (both, others, shared)
    made = b.apply(name, merge_axes(b, left, *rows), merge_axes(b, right, *columns))
    sizes = [x.shape[ours.index(k)] for k in (*both, *mine)] + [y.shape[theirs.index(k)] for k in others]
    return np.reshape(made, tuple(sizes)), (*both, *mine, *others)


def broadcast_labels(left: Labelled, right: Labelled) -> set[Any]:
    """The axes along which one is broadcast: what is summed over them is the other's sum times it, as NumPy has it."""
    (x, ours), (y, theirs) = left, right
    sizes = {k: (x.type.shape[ours.index(k)], y.type.shape[theirs.index(k)]) for k in ours if k in theirs}
    return {k for k, (n, m) in sizes.items() if n is not m and n != m and 1 in (n, m)}


def is_matrix_product(b: Builder, left: Labelled, right: Labelled, labels: list[Any]) -> bool:
    """Whether the sizes that meet at these labels are one, none of which may be 1 and be broadcast."""
    (x, ours), (y, theirs) = left, right
    pairs = [(x.type.shape[ours.index(k)], y.type.shape[theirs.index(k)]) for k in labels]
    return x.type.dtype != "b1" and all(
        b.meets.same(n, m) or not (1 in (n, m) or b.meets.may_be_one(n) or b.meets.may_be_one(m))
        for n, m in pairs
    )


def merge_axes(b: Builder, each: Labelled, *groups: list[Any]) -> Any:
    """An operand with the axes of each group made one; a group without axes is none."""
    x, labels = each
    x = np.transpose(x, tuple(labels.index(label) for group in groups for label in group))
    sizes = iter(x.shape)
    return np.reshape(x, tuple(prod(islice(sizes, len(group))) for group in groups if group))


def with_labels(x: Any, ours: Labels, labels: Labels) -> Any:
    """An operand with an axis for each label, of size 1 where it has none."""
    order = [label for label in labels if label in ours]
    if not order:
        return x
    x = np.transpose(x, tuple(ours.index(label) for label in order))
    return x[tuple(slice(None) if label in ours else None for label in labels)]
