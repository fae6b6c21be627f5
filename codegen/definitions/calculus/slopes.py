"""Slopes of a program's functions, for definitions: autodiff enters how they are found when it is imported, and nothing
is differentiated before.
"""

# mypy: disable-error-code="no-untyped-def"

from typing import Any

from codegen.primitives.shape import with_slope, without_slope

SLOPE: Any = None  # function -> function of a number, its value and its slope


def enter_slope(found_by: Any) -> None:
    global SLOPE
    SLOPE = found_by


def root_with_slopes(f, given, found):
    """Where f is 0, with derivatives by what it is given and holds: three of Newton's steps, each of which doubles how
    many derivatives are right, have the first seven."""
    if SLOPE is None:
        return float(found)
    x = without_slope(found)
    return float(with_slope(found, newton_step(f, given, newton_step(f, given, newton_step(f, given, x)))))


def newton_step(f, given, x):
    value, slope = SLOPE(f)(x, *given)
    return x - value / slope
