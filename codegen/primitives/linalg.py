"""Products of vectors, matrices and stacks of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from math import prod
from typing import Any

import numpy as np

from codegen.ir import Atom, Type
from codegen.ir.build import Builder
from codegen.ir.kinds import Product
from codegen.ir.literals import code
from codegen.ir.primitive import Rule
from codegen.lazy import lazily
from codegen.primitives.elementwise import result_dtype
from codegen.primitives.reduce import as_array, axes_given
from codegen.primitives.row import FUNCTIONS, lowers, row
from codegen.primitives.shape import equal_sizes
from codegen.runtime import stacks as meaning

compiled = lazily("codegen.runtime.stack_products")  # Numba comes with it


def matmul_type(x: Atom, y: Atom) -> Type:
    left, right = x.type.shape, y.type.shape
    if not (1 <= len(left) <= 2 and 1 <= len(right) <= 2):
        raise TypeError(f"@ takes vectors and matrices, not {x.type} and {y.type}")
    n, m = left[-1], right[0]
    if isinstance(n, int) and isinstance(m, int) and n != m:
        raise ValueError(f"{x.type} @ {y.type}: sizes {n} and {m} meet")
    return Type(result_dtype(np.add, (x, y)), (*left[:-1], *right[1:]))


# The cotangents of x and y in x @ y, by their axes; outer products where both sides lose one.
MATMUL_BACK: dict[tuple[int, int], tuple[Rule, Rule]] = {
    (1, 1): (lambda ct, x, y: ct * y, lambda ct, x, y: x * ct),
    (2, 1): (lambda ct, x, y: np.outer(ct, y), lambda ct, x, y: x.T @ ct),
    (1, 2): (lambda ct, x, y: y @ ct, lambda ct, x, y: np.outer(x, ct)),
    (2, 2): (lambda ct, x, y: ct @ y.T, lambda ct, x, y: x.T @ ct),
}


def matmul_back(k: int) -> Rule:
    return lambda ct, x, y: MATMUL_BACK[len(x.shape), len(y.shape)][k](ct, x, y)


def outer_type(x: Atom, y: Atom) -> Type:
    return Type(result_dtype(np.multiply, (x, y)), (*x.type.shape, *y.type.shape))


# fmt: off
row("matmul", np.matmul, matmul_type, "linalg", kind=Product.MATRIX, operator="@", cost=2,
    work=lambda x, y: 2 * prod(x) * prod(y[1:]),
    jvp=(lambda t, out, x, y: t @ y, lambda t, out, x, y: x @ t), transpose={0: matmul_back(0), 1: matmul_back(1)})
row("outer", np.outer, outer_type, "linalg", kind=Product.OUTER, call="np.outer",
    jvp=(lambda t, out, x, y: np.outer(t, y), lambda t, out, x, y: np.outer(x, t)),
    transpose={0: lambda ct, x, y: ct @ y, 1: lambda ct, x, y: x @ ct})
# fmt: on


# Of stacks, each pair of matrices: x @ y, and with one of them transposed, where it is.
STACKED = {
    "stack_products": (False, False),
    "stack_products_left": (True, False),
    "stack_products_right": (False, True),
}


def stacked_type(turned: tuple[bool, bool]) -> Callable[..., Type]:
    def type_(x: Atom, y: Atom) -> Type:
        stack, left, right = x.type.shape[0], x.type.shape[1 + turned[0]], y.type.shape[2 - turned[1]]
        return Type(x.type.dtype, (stack, left, right))

    return type_


def stacked(name: str) -> Callable[..., Any]:
    return lambda x, y: x.builder.apply(name, x, y)


plain, left_turned, right_turned = map(stacked, STACKED)
STACKED_BACK: dict[str, tuple[Rule, Rule]] = {
    "stack_products": (lambda ct, x, y: right_turned(ct, y), lambda ct, x, y: left_turned(x, ct)),
    "stack_products_left": (lambda ct, x, y: right_turned(y, ct), lambda ct, x, y: plain(x, ct)),
    "stack_products_right": (lambda ct, x, y: plain(ct, y), lambda ct, x, y: left_turned(ct, x)),
}
# fmt: off
for _name, _turned in STACKED.items():
    _of = stacked(_name)
    row(_name, getattr(meaning, _name), stacked_type(_turned), "linalg", call=_name, helper=f"{_name}_by_blas",
        definition=lambda name=_name: getattr(compiled, f"{name}_by_numbers").py_func,
        work=lambda x, y, k=1 + (not _turned[1]): 2 * prod(x) * y[k],
        jvp=(lambda t, out, x, y, of=_of: of(t, y), lambda t, out, x, y, of=_of: of(x, t)),
        transpose=dict(enumerate(STACKED_BACK[_name])))
# fmt: on


UNALIGNED = "matmul: Input operand 1 has a mismatch in its core dimension 0"


@lowers(np.matmul)
def matmul(b: Builder, x: Any, y: Any) -> Any:
    ranks = [b.atom(v).type.rank for v in (x, y)]
    if max(ranks) > 2 and min(ranks):
        inner_y = b.atom(y).type.shape[-2 if ranks[1] > 1 else 0]
        equal_sizes(b, b.atom(x).type.shape[-1], inner_y, UNALIGNED)
        left, right = ("i" if ranks[0] == 1 else "...hi"), ("i" if ranks[1] == 1 else "...ij")
        return einsum(b, f"{left},{right}->...{'h' * (ranks[0] > 1)}{'j' * (ranks[1] > 1)}", x, y)
    if min(ranks):
        b.same_size(b.atom(x).type.shape[-1], b.atom(y).type.shape[0], UNALIGNED)
    return b.apply("matmul", x, y)


@lowers(np.dot)
def dot(b: Builder, x: Any, y: Any) -> Any:
    x, y = as_operand(b, x), as_operand(b, y)
    ranks = [b.atom(v).type.rank for v in (x, y)]
    if not min(ranks):
        return b.apply("mul", x, y)
    return matmul(b, x, y) if max(ranks) < 3 else tensordot(b, x, y, ([-1], [-min(ranks[1], 2)]))


def as_operand(b: Builder, x: Any) -> Any:
    """A vector or matrix, or a number of NumPy's: products make an array of Python's."""
    if isinstance(x, tuple | list):
        return FUNCTIONS[np.array](b, x)
    type_ = b.atom(x).type
    return b.apply("cast", x, dtype=type_.dtype) if type_.weak else x


@lowers(np.vdot)
def vdot(b: Builder, x: Any, y: Any) -> Any:
    return dot(b, *(np.reshape(as_array(b, each), (-1,)) for each in (x, y)))


@lowers(np.inner)
def inner(b: Builder, x: Any, y: Any) -> Any:
    """Sums over the last axis of both."""
    x, y = as_operand(b, x), as_operand(b, y)
    ranks = [b.atom(v).type.rank for v in (x, y)]
    if max(ranks) > 2 and min(ranks):
        return tensordot(b, x, y, ([-1], [-1]))
    return dot(b, x, y.T if min(ranks) and ranks[1] > 1 else y)


@lowers(np.kron)
def kron(b: Builder, x: Any, y: Any) -> Any:
    """Each element of the first times the whole second, side by side."""
    x, y = as_array(b, x), as_array(b, y)
    rank = max(x.ndim, y.ndim)
    sizes = [(*(1,) * (rank - v.ndim), *v.shape) for v in (x, y)]
    apart = [
        np.reshape(x, tuple(n for k in sizes[0] for n in (k, 1))),
        np.reshape(y, tuple(n for k in sizes[1] for n in (1, k))),
    ]
    return np.reshape(apart[0] * apart[1], tuple(n * m for n, m in zip(*sizes, strict=True)))


@lowers(np.tensordot)
def tensordot(b: Builder, x: Any, y: Any, axes: Any = 2) -> Any:
    """Sums of products over axes of both, as one product of matrices."""
    x, y = as_array(b, x), as_array(b, y)
    if isinstance(axes, int | np.integer):
        pair: Any = tuple(range(x.ndim - int(axes), x.ndim)), tuple(range(int(axes)))
    else:
        pair = axes
    over = [axes_given(a, v.ndim) for a, v in zip(pair, (x, y), strict=True)]
    if len(over[0]) != len(over[1]):
        raise ValueError("shape-mismatch for sum")
    free = [[k for k in range(v.ndim) if k not in o] for v, o in zip((x, y), over, strict=True)]
    for n, m in zip(*over, strict=True):
        b.same_size(x.type.shape[n], y.type.shape[m], "shape-mismatch for sum")
    rows, columns = (tuple(v.shape[k] for k in f) for v, f in zip((x, y), free, strict=True))
    length = prod(x.shape[k] for k in over[0])
    left = np.reshape(np.transpose(x, (*free[0], *over[0])), (prod(rows), length))
    right = np.reshape(np.transpose(y, (*over[1], *free[1])), (length, prod(columns)))
    return np.reshape(left @ right, (*rows, *columns))


@lowers(np.outer)
def outer(b: Builder, x: Any, y: Any) -> Any:
    return b.apply("outer", *(np.reshape(as_array(b, each), (-1,)) for each in (x, y)))


@lowers(np.cross)
def cross(
    builder: Builder, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """Of vectors of three components, along an axis of each array."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = (cross_components(builder, each, k) for each, k in ((a, axisa), (b, axisb)))
    parts = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    made = builder.apply("stack", *parts)
    return np.moveaxis(made, 0, axisc) if made.ndim > 1 else made


def cross_components(b: Builder, x: Any, axis: int) -> Any:
    """The three components, first."""
    x = np.moveaxis(as_array(b, x), axis, 0)
    n = x.type.shape[0]
    if isinstance(n, int) and n != 3:
        raise ValueError(
            f"cross takes vectors of three components, not {n}: a product in the plane is written out"
        )
    if not isinstance(n, int) and b.checked:
        b.require(b.apply("eq", b.size(n), 3), "ValueError", "cross takes vectors of three components")
    return x


# ---- einsum: labels of axes are letters, and negative ints for those of an ellipsis, counted from the last


Labelled = tuple[Any, tuple[Any, ...]]
NO_ELLIPSIS = "but no '...' ellipsis provided to broadcast the extra dimensions."


def lone_operand(given: dict[Any, Any], made: Any) -> Any:
    """The only operand, where nothing is summed: NumPy then gives a view of it."""
    text = getattr(given.get(0), "value", None)
    if not isinstance(text, str) or len(given) != 2:
        return None
    left, arrow, right = text.replace(" ", "").partition("->")
    return given[1] if set(left) == set(right) or not arrow and len(set(left)) == len(left) else None


@lowers(np.einsum, views=lone_operand)
def einsum(b: Builder, subscripts: Any, *operands: Any, optimize: Any = False) -> Any:
    """Operand after operand multiplied, or taken in a product of matrices, and summed over what no other needs."""
    if not isinstance(subscripts, str):
        raise TypeError("einsum: the subscripts must be a text that is known")
    arrays = [as_array(b, x) for x in operands]
    terms, out = parsed(subscripts, [x.ndim for x in arrays])
    kind = code(np.result_type(*(x.dtype for x in arrays)))
    waiting = [
        diagonals(b, x if x.type.dtype == kind else x.astype(kind), term) for x, term in zip(arrays, terms)
    ]
    made, labels = sum_unneeded(b, waiting[0], labels_needed(waiting[1:], out))
    for k, each in enumerate(waiting[1:], start=2):
        later = labels_needed(waiting[k:], out)
        made, labels = contract_pair(b, (made, labels), sum_unneeded(b, each, {*labels, *later}), later)
    perm = tuple(labels.index(label) for label in out)
    return np.transpose(made, perm) if perm else made


def parsed(text: str, ranks: list[int]) -> tuple[list[tuple[Any, ...]], tuple[Any, ...]]:
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


def labels_of(word: str, rank: int) -> tuple[Any, ...]:
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


def labels_needed(others: list[Labelled], out: tuple[Any, ...]) -> set[Any]:
    return {*out, *(label for _, labels in others for label in labels)}


def diagonals(b: Builder, x: Any, labels: tuple[Any, ...]) -> Labelled:
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
            x = np.moveaxis(x, (p, q), (0, 1))[r, r]
            labels = (label, *(each for k, each in enumerate(labels) if k not in (p, q)))
    return x, labels


def sum_unneeded(b: Builder, each: Labelled, kept: set[Any]) -> Labelled:
    """An operand summed over the axes that nothing else needs."""
    x, labels = each
    gone = tuple(k for k, label in enumerate(labels) if label not in kept)
    if gone:
        x = b.apply("any", x, axis=gone) if x.type.dtype == "b1" else np.sum(x, axis=gone, dtype=x.dtype)
    return x, tuple(label for label in labels if label in kept)


def contract_pair(b: Builder, left: Labelled, right: Labelled, later: set[Any]) -> Labelled:
    """The product of two, summed over the labels that they share and nothing else needs."""
    alone = broadcast_labels(left, right) - later
    left, right = (sum_unneeded(b, each, set(each[1]) - alone) for each in (left, right))
    (x, ours), (y, theirs) = left, right
    shared = [label for label in ours if label in theirs and label not in later]
    mine, others = ([k for k in labels if k not in shared] for labels in (ours, theirs))
    if shared and not set(mine) & set(others) and is_matrix_product(b, left, right, shared):
        for k in shared:
            b.same_size(x.type.shape[ours.index(k)], y.type.shape[theirs.index(k)])
        made = b.apply("matmul", merge_axes(b, left, mine, shared), merge_axes(b, right, shared, others))
        sizes = [x.shape[ours.index(k)] for k in mine] + [y.shape[theirs.index(k)] for k in others]
        return np.reshape(made, tuple(sizes)), (*mine, *others)
    if made := stack_product(b, left, right, shared):
        return made
    labels = tuple(dict.fromkeys((*mine, *others, *shared)))
    return sum_unneeded(b, (with_labels(x, ours, labels) * with_labels(y, theirs, labels), labels), later)


def stack_product(b: Builder, left: Labelled, right: Labelled, shared: list[Any]) -> Labelled | None:
    """The same where there is a product of matrices for each place along other axes that both have."""
    (x, ours), (y, theirs) = left, right
    both = [k for k in ours if k in theirs and k not in shared]
    mine, others = ([k for k in labels if k not in shared and k not in both] for labels in (ours, theirs))
    floats = x.type.dtype == y.type.dtype and x.type.is_float
    if not (shared and mine and others and floats and is_matrix_product(b, left, right, [*both, *shared])):
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


def is_matrix_product(b: Builder, left: Labelled, right: Labelled, shared: list[Any]) -> bool:
    """Whether the sizes that meet are one, none of which may be 1 and be broadcast."""
    (x, ours), (y, theirs) = left, right
    pairs = [(x.type.shape[ours.index(k)], y.type.shape[theirs.index(k)]) for k in shared]
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


def with_labels(x: Any, ours: tuple[Any, ...], labels: tuple[Any, ...]) -> Any:
    """An operand with an axis for each label, of size 1 where it has none."""
    order = [label for label in labels if label in ours]
    if not order:
        return x
    x = np.transpose(x, tuple(ours.index(label) for label in order))
    return x[tuple(slice(None) if label in ours else None for label in labels)]
