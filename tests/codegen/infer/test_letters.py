"""Texts whose letters are asked for when the program runs: digits of ints, and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from autobatch import batch
from autodiff import grad
from codegen import SourceError, jit

# Programs of an int: one line each, or several.
DIGITS = """
return sum(int(c) for c in str(n))
return [int(d) for d in str(n)], list(map(int, str(abs(n))))
return str(n) == str(n)[::-1], len(str(n)), int(str(abs(n))[::-1]) if abs(n) < 2**62 else 0
return str(n)[0], str(n)[-1], str(n)[1:], str(n)[:2]
return sorted(str(n)), "".join(sorted(str(n))), sorted(str(abs(n)), key=lambda c: -int(c))
return str(n).count("1"), str(n).count("12"), "0" in str(n), "12" in str(n), "5" not in str(n)
return bin(n), hex(n), oct(n), bin(n)[2:], bin(n).count("1"), format(n, "b"), f"{n:x}", format(n, "o")
return str(n).zfill(8), f"{n:08d}", f"{n:6d}|", f"{n:<6}|", str(n).rjust(5, "*"), str(n).ljust(5) + "|"
return f"{n}", f"{n}{n + 1}", "a" + str(n) + "b", f"<{n}, {n % 7}>", str(n) * 2, "ab" * (n % 3)
return int("".join(map(str, [int(c) % 3 for c in str(abs(n))])))
return max(str(abs(n))), min(str(n)), max(str(abs(n)), key=int), int(max(str(abs(n))))
return list(str(n)), list(reversed(str(n))), "".join(reversed(str(n))), "-".join(str(n)), tuple("ab")
return str(n) < str(n + 1), str(n) > "5", str(n) <= f"{n}", str(n) != "0", str(n) in ("7", "12")
return str(n).startswith("1"), str(n).endswith("0"), str(n).find("2"), str(n).isdigit(), bool(str(n))
return str(n).strip("1"), str(n).lstrip("-"), str(n).rstrip("0"), str(n).replace("1", "22")
return sum(c in "13579" for c in str(n)), sum(c in ("0", "1") for c in str(n)), any(c == "7" for c in str(n))
return sum(ord(c) for c in str(n)), "".join(chr(ord(c) + 1) for c in str(n))
return "0123456789abcdef"[n % 16], "abc"[n % 3 :], {"0": 4, "1": 9}["1" if n > 0 else "0"]
return [(c, i) for i, c in enumerate(str(n))], [a == b for a, b in zip(str(n), str(n)[1:])]
return int(bin(n), 2) == n, int(hex(n), 16) == n, int(f" {n} "), int(f"+{abs(n)}"), int("1_" + str(abs(n) % 10))
return len(set(str(n))), "1" in set(str(n)), max([str(n).count(c) for c in "0123456789"])
return ",".join(str(k) for k in range(n % 13)), ",".join(map(str, range(n % 13))), "".join([str(n % 3), str(n % 5)])
return sum(int(c) for k in range(n % 20) for c in str(k)), max(range(1, 30), key=lambda k: sum(map(int, str(k * 7))))
return hex(n).upper(), str(n).lower(), set(str(n)) & set("123") == set("12"), sorted((c, 1) for c in str(n))
return "".join(str(k % 10) for k in range(n % 25)), str(n % 2) + str(n % 10), int(str(n % 7)), bin(n % 9)[2:]
return next((c for c in str(n) if c > "4"), ""), max((str(n).count(c), c) for c in str(n)), str(n % 3) in "012"
return list(str(n)) == ["1", "2"], list(str(n)) == str(n), str(n) is None, str(n) == n, str(n)[0] == 1
return str(np.int32(n % 100)), f"{np.int64(n)}", isinstance(str(n), str), type(str(n)[0]) is str
"""

LONGER = """
total = 0
for i, c in enumerate(str(abs(n))):
    if c == "5":
        continue
    total += int(c) * (i + 1)
return total

s, k = "", n % 1000
while k:
    s = str(k % 2) + s
    k //= 2
return s or "0", int(s or "0", 2)

s = ""
for c in str(n):
    s += "x" if c == "1" else c
    if len(s) > 12:
        s = s[1:]
return s, len(s)

best, first = "", None
for c in str(n):
    if c > best:
        best = c
    if first is None or c < first:
        first = c
return best, first

m, steps = abs(n) % 10000, 0
while m not in (0, 6174) and steps < 10:
    s = str(m).zfill(4)
    m = int("".join(sorted(s, reverse=True))) - int("".join(sorted(s)))
    steps += 1
return m, steps

s = "1"
for _ in range(n % 8):
    out, i = "", 0
    while i < len(s):
        j = i
        while j < len(s) and s[j] == s[i]:
            j += 1
        out += str(j - i) + s[i]
        i = j
    s = out
return s

counts, seen = {}, set()
for c in str(n):
    counts[c] = counts.get(c, 0) + 1
    seen.add(c)
return counts, max(counts.values()), len(seen), "1" in seen

def digits(text):
    return [int(c) for c in text]
def turned(text):
    return text[::-1]
return digits(str(abs(n))), turned(str(n)), turned(f"{n % 10}!")

parts = list(str(n))
parts[0], parts[-1] = parts[-1], "9"
parts.append("-")
return "".join(parts), "".join(reversed(parts)), len(parts)

out, left = "", n % 60
for value, sign in ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
    while left >= value:
        out += sign
        left -= value
return out

words = 0
for k in range(1, n % 40):
    word = "FizzBuzz" if k % 15 == 0 else "Fizz" if k % 3 == 0 else "Buzz" if k % 5 == 0 else str(k)
    words += len(word)
return words

s = str(abs(n))
return [int(s[i:] + s[:i]) % 1000 for i in range(min(len(s), 5))], all(s[i] <= s[i + 1] for i in range(len(s) - 1))

a, b = map(int, str(abs(n) % 90 + 10))
m = abs(n)
while len(str(m)) > 1:
    m = sum(map(int, str(m)))
return a, b, m

told = f"{n} of {n % 7}"
if n % 2:
    raise ValueError(told, told[::-1], f"{str(n)[0]}: {list(str(n))[0]}")
return len(told)

digits, m = [], n % 10**6
while m:
    digits.append(str(m % 10))
    m //= 10
digits.reverse()
a, b, c = str(n % 900 + 100)
return "".join(digits), digits, c + b + a

counts, told = {c: 0 for c in "0123456789-"}, {}
for c in str(n):
    counts[c] += 1
    told[counts[c]] = c
return counts, told

best = None
for k in range(n % 7):
    if k % 3 == 1:
        best = str(k * n)
return best, 0 if best is None else len(best)

xs = [0] * 3
def change(ys, text):
    ys[0] = len(text)
    return text + text
told = change(xs, str(n) + "a")
told += "b"
return xs[0], told

try:
    return int(str(n) + ("x" if n % 2 else ""))
except ValueError:
    return -1

print(str(n)[::-1], str(n)[0], n)
return f"[{str(n)[::-1]}]", f"{str(n)[0]}{n}"

return int(str(n) + "x")

return int(str(n)[1:])

return str(n)[9]

return int(str(abs(n) % 1000) * 3)
"""

NUMBERS = (0, 7, 10, 12, 121, 120012, -35, -1, 2**62)


def program(body: str) -> Any:
    lines = "".join(f"    {line}\n" for line in body.strip().split("\n"))
    return loaded(f"def f(n):\n{lines}")


def told(f: Any, n: int) -> Any:
    try:
        return f(n)
    except (ValueError, IndexError, OverflowError) as error:
        return type(error), error.args if not isinstance(error, OverflowError) else ""


BODIES = [*DIGITS.strip().split("\n"), *LONGER.strip().split("\n\n")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", ["numpy", "numba"])
@pytest.mark.parametrize("body", BODIES)
def test_digits_of_an_int(body: str, target: str) -> None:
    """One program serves all ints, and gives, or raises, what Python does."""
    f = program(body)
    made = jit(f, target=target)
    assert made.source(5) == made.source(1234567)
    for n in NUMBERS:
        assert told(made, n) == told(f, n), n


def test_the_smallest_int() -> None:
    f = program("return str(n), hex(n), len(bin(n)), bin(n).count('0')")
    assert jit(f)(-(2**63)) == jit(f, target="numpy")(-(2**63)) == f(-(2**63))
    assert told(jit(program("return int(str(n) + '0')")), 2**62) == (OverflowError, "")


LANES = """
return sum(int(c) for c in str(abs(n)))
return str(n) == str(n)[::-1], len(str(n)), "12" in str(n), str(n).count("1")
return int("".join(sorted(str(abs(n) % 10**9), reverse=True)))
return len(set(str(n))), bin(n).count("1"), int(str(n).zfill(7)[-2:])
"""


@pytest.mark.turns(4)
@pytest.mark.parametrize("body", LANES.strip().split("\n"))
def test_lanes(body: str) -> None:
    f = program(body)
    ns = np.array([0, 7, 120, 121, 5512, -35, 2**62])
    rows = [f(int(n)) for n in ns]
    found = batch(f)(ns)
    for k, column in enumerate(found if isinstance(found, tuple) else (found,)):
        assert column.tolist() == [row[k] if isinstance(row, tuple) else row for row in rows]


def test_a_lane_gives_letters() -> None:
    assert batch(program("return str(n)[-1]"))(np.array([12, -7])).tolist() == ["2", "7"]


def test_inside_of_derivatives() -> None:
    def weighed(x: Any, n: int) -> Any:
        total = 0.0
        for k, c in enumerate(str(n)):
            total += x[k] ** int(c) * len(str(n * k))
        return total if str(n) == str(n)[::-1] else 2.0 * total

    x = np.array([1.5, 0.5, 2.0, 1.25])
    for n in (1221, 312):
        slopes = [(weighed(x + d, n) - weighed(x - d, n)) / 2e-6 for d in 1e-6 * np.eye(4)]
        np.testing.assert_allclose(grad(weighed)(x, n), slopes, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(
            batch(grad(weighed))(x[None], np.array([n]))[0], slopes, rtol=1e-6, atol=1e-8
        )


def test_the_text_of_programs() -> None:
    """It is what one would write by hand."""
    text = jit(program("return sum(int(c) for c in str(n))"), target="numpy").source(5)
    assert text.partition("def sum_")[2] == (
        "(n):\n"
        "    digits_codes, digits_count = decimal(n)\n"
        "    total = 0\n"
        "    for i in range(digits_count):\n"
        "        c = digits_codes[i]\n"
        "        if not 48 <= c <= 57:\n"
        '            raise ValueError(f"invalid literal for int() with base 10: {chr(c)!r}")\n'
        "        total += c - 48\n"
        "    return total\n\n\n"
        "def f(n):\n    return sum_(n)\n"
    )


def test_messages_are_put_together_by_python() -> None:
    """What is told alone has no letters in the program."""
    f = program("if n > 3:\n    raise ValueError(f'{n} is ' + str(n % 2))\nreturn n")
    assert "decimal" not in jit(f).source(1)


REFUSED = """
return len(f"{0.5 * n}")
the letters of a text are asked for that tells more than ints and texts, by str(n), f"{n}", bin(n) and `+`: \
ask for what it tells

return str(n).split("1")
'split' is not supported where its letters are found out when it runs

return str(n).cout("1")
'cout' is none of a text: did you mean 'count'?

return str(n) - 1
`-` of a text that is not known and an int is not supported

return len(f"{n:^5}")
the letters of a number told as '^5': ints are told as d, b, o and x here

return len("é" + str(n))
the letters of 'é' beside those of other texts: they are ASCII's alone

return int(str(n), 7)
int() of a text takes a base that is known: 2, 8, 10 or 16

return hex(0.5 * n)
an int of 64 bits, with a sign, is needed here, not a float

d = {n: str(n)[::-1]}
a dict of texts that are found out when the program runs: give its keys one kind, and its values one kind and shape

xs = [str(n), str(n + 1)] * n
a list of texts that are put together when the program runs: give all items one kind and shape

return np.array(list(str(n)))
a number or an array is needed here, not a list of a length that is not known
"""


@pytest.mark.parametrize("case", REFUSED.strip().split("\n\n"))
def test_what_is_refused(case: str) -> None:
    body, _, said = case.partition("\n")
    with pytest.raises(SourceError) as caught:
        jit(program(body), target="numpy")(10**12)
    assert caught.value.problems[0][1] == said
    assert caught.value.lineno == 2


def test_texts_of_lanes_are_refused() -> None:
    with pytest.raises(SourceError) as caught:
        batch(program("return str(n)"))(np.array([1, 22]))
    assert caught.value.msg == (
        "the text that is returned has a length that is known only when it runs: return numbers"
    )
