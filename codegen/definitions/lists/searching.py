"""Places in a list that is in order, by halving."""

# mypy: disable-error-code="no-untyped-def"

from codegen.definitions.table import stands_for


@stands_for("bisect.bisect_left")
def bisect_left(a, x, lo=0, hi=None):
    """Where x would stand before what equals it."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        if a[middle] < x:
            lo = middle + 1
        else:
            end = middle
    return lo


@stands_for("bisect.bisect_right")
def bisect_right(a, x, lo=0, hi=None):
    """Where x would stand behind what equals it."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        if x < a[middle]:
            end = middle
        else:
            lo = middle + 1
    return lo


@stands_for("bisect.insort_left")
def insort_left(a, x, lo=0, hi=None):
    a.insert(bisect_left(a, x, lo, hi), x)


@stands_for("bisect.insort_right")
def insort_right(a, x, lo=0, hi=None):
    a.insert(bisect_right(a, x, lo, hi), x)
