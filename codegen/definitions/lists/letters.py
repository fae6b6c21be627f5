"""Texts whose letters are found out when the program runs, as codes in an array and how many they are: digits of ints,
ints of digits, parts of texts.

str(-12)   ->   decimal(-12)   ->   array([45, 49, 50, ...]), 3

Texts that are made of others are made of lists of codes.
"""

# mypy: disable-error-code="no-untyped-def"

from typing import Any, NamedTuple

import numpy as np

from codegen.definitions.lists.tables import fill, inside
from codegen.definitions.table import own_function

ROOM = 20  # of the longest int, -9223372036854775808
ROOM_IN_BITS = 67  # of -0b1000...


class Digits(NamedTuple):
    codes: Any
    count: Any


def turned(codes, count):
    """The codes from the last one to the first."""
    for k in range(count // 2):
        first = inside(codes, k)
        fill(codes, k, inside(codes, count - 1 - k))
        fill(codes, count - 1 - k, first)
    return Digits(codes, count)


@own_function
def decimal(n):
    """The codes of the digits of an int, behind its sign."""
    codes = np.empty(ROOM, np.int64)
    count, left = 0, n if n < 0 else -n  # as no positive int is as large as the smallest one
    while count == 0 or left < 0:
        rest = (left + 9) // 10
        fill(codes, count, 48 + 10 * rest - left)
        count, left = count + 1, rest
    if n < 0:
        fill(codes, count, 45)
        count += 1
    return turned(codes, count)


@own_function
def in_bits(n, size, mark):
    """The same of digits that stand for so many bits each; `mark`: the code of the `x` in `0x`, or 0."""
    codes = np.empty(ROOM_IN_BITS, np.int64)
    count, left = 0, abs(n)
    while count == 0 or left != 0:
        digit = left & ((1 << size) - 1)
        fill(codes, count, digit + (48 if digit < 10 else 87))
        count, left = (
            count + 1,
            (left >> size) & ((1 << (64 - size)) - 1),
        )  # the smallest int's bits stay its own
    if mark != 0:
        fill(codes, count, mark)
        fill(codes, count + 1, 48)
        count += 2
    if n < 0:
        fill(codes, count, 45)
        count += 1
    return turned(codes, count)


def is_space(code):
    return code == 32 or 9 <= code <= 13 or 28 <= code <= 31


def digit_of(code):
    """What a letter stands for as a digit; 99 of others."""
    if 48 <= code <= 57:
        return code - 48
    return (code | 32) - 87 if 97 <= (code | 32) <= 122 else 99


@own_function
def whole_number(codes, count, base, mark):
    """int(text, base), and whether the text is an int: it may have space around it, a sign, `0x` or the like where the
    base has such a `mark`, and `_` between digits."""
    place, end = 0, count
    while place < end and is_space(inside(codes, place)):
        place += 1
    while place < end and is_space(inside(codes, end - 1)):
        end -= 1
    negative = place < end and inside(codes, place) == 45
    if place < end and (negative or inside(codes, place) == 43):
        place += 1
    made, before = 0, 95
    if place + 1 < end and inside(codes, place) == 48 and inside(codes, place + 1) | 32 == mark:
        place, before = place + 2, 48
    while place < end:
        code = inside(codes, place)
        if code != 95:
            digit = digit_of(code)
            if digit >= base:
                return 0, False
            if made > (9223372036854775807 - digit) // base:
                raise OverflowError("int() of a text beyond 64 bits")
            made = made * base + digit
        elif before == 95:
            return 0, False
        place, before = place + 1, code
    return -made if negative else made, before != 95


def stands_at(codes, place, part, length):
    """Whether a part so long stands at a place."""
    return all(inside(codes, place + k) == inside(part, k) for k in range(length))


@own_function
def place_of(codes, count, part, length):
    """Where a part stands first; -1 where it does not."""
    for place in range(count - length + 1):
        if stands_at(codes, place, part, length):
            return place
    return -1


@own_function
def number_of(codes, count, part, length):
    """How often a part stands there, one behind the other."""
    number, place = 0, 0
    while place + length <= count:
        if stands_at(codes, place, part, length):
            number, place = number + 1, place + max(length, 1)
        else:
            place += 1
    return number


def starts_with(codes, count, part, length):
    return length <= count and stands_at(codes, 0, part, length)


def ends_with(codes, count, part, length):
    return length <= count and stands_at(codes, count - length, part, length)


@own_function
def is_same(codes, count, others, length):
    """Whether two texts are equal."""
    return count == length and stands_at(codes, 0, others, length)


@own_function
def comes_before(codes, count, others, length):
    """-1 of a text that comes before another one, 1 of one behind it, 0 of the same."""
    for k in range(min(count, length)):
        code, other = inside(codes, k), inside(others, k)
        if code != other:
            return -1 if code < other else 1
    return -1 if count < length else int(count > length)


def all_between(codes, count, first, last):
    """Whether there are letters, and all from one to another."""
    for k in range(count):
        if not first <= inside(codes, k) <= last:
            return False
    return count > 0


def filled(codes, width, code):
    """With letters before it, until it is so long."""
    return [code] * (width - len(codes)) + codes


def filled_behind(codes, width, code):
    return codes + [code] * (width - len(codes))


def filled_with_zeros(codes, width):
    """The same with zeros, which come behind a sign."""
    zeros = [48] * (width - len(codes))
    if len(codes) > 0 and (codes[0] == 45 or codes[0] == 43):
        return codes[:1] + zeros + codes[1:]
    return zeros + codes


def stripped(codes, among, before, behind):
    """Without letters at its ends that are among others."""
    place, end = 0, len(codes)
    while before and place < end and codes[place] in among:
        place += 1
    while behind and place < end and codes[end - 1] in among:
        end -= 1
    return codes[place:end]


def replaced(codes, old, new):
    """With another part where one stands."""
    made, place = codes[:0], 0
    while place < len(codes):
        if codes[place : place + len(old)] == old:
            made = made + new
            place += len(old)
        else:
            made = made + codes[place : place + 1]
            place += 1
    return made


def over_and_over(codes, times):
    made = codes[:0]
    for _ in range(times):
        made = made + codes
    return made


def with_between(codes, part):
    """With a part between any two letters."""
    made = codes[:1]
    for k in range(1, len(codes)):
        made = made + part + codes[k : k + 1]
    return made


def shifted(codes, first, last, by):
    """With other letters for those from one to another."""
    return [code + by if first <= code <= last else code for code in codes]
