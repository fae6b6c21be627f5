"""What cannot be traced is refused at the user's line, in words that say what to write instead."""

# ruff: noqa: E501

import numpy as np
import pytest
from user_programs import loaded

from codegen.infer import trace
from codegen.pytree import describe, known_size
from codegen.source import SourceError

GIVEN = {
    "X": np.zeros(3),
    "M": np.eye(2),
    "WIDE": np.zeros((2, 3)),
    "RNG": np.random.default_rng(0),
    "1.5": 1.5,
    "3": 3,
    "1": 1,
}

# A program, then its arguments -> the line that is refused: the whole message.
REFUSED = """
def f(x):
    return np.sinh2(x)
# 1.5 -> 2: 'numpy' has no attribute 'sinh2': did you mean 'sinh'?

def f(x):
    return math.sqrt(x)
# 1.5 -> 2: name 'math' is not defined: write `import math` at the top of the module

def f(x):
    total = x
    return totl
# 1.5 -> 3: name 'totl' is not defined: did you mean 'total'?

def f(x):
    xs = [x]
    xs.apend(x)
# 1.5 -> 3: a list has no attribute 'apend': did you mean 'append'?

def f(x):
    xs = []
    for v in x:
        xs.append(v)
    xs.apend(x)
# X -> 5: a list of a length that is not known has no attribute 'apend': did you mean 'append'?

def f(x):
    return {"a": x}.itms()
# 1.5 -> 2: a dict has no attribute 'itms': did you mean 'items'?

def f(x):
    return x.summ()
# X -> 2: an array f8[3] has no method or attribute 'summ': did you mean 'sum'?

class Disc:
    def __new__(cls, radius):
        return object.__new__(cls)
def f(x):
    return Disc(x).radius
# 1.5 -> 5: objects of Disc are not made here, as a class may do anything to them: make it a dataclass (@dataclass, its fields in place of __init__), or make the object outside and pass it

class Wrong(Exception):
    pass
def f(x):
    return Wrong(x)
# 1.5 -> 4: Wrong is made where it is raised alone: `raise Wrong(...)`

def f(x):
    return ValueError("negative") if x < 0.0 else x
# 1.5 -> 2: ValueError is made where it is raised alone: `raise ValueError(...)`

import logging
def f(x):
    logging.info(x)
    return x
# 1.5 -> 3: logging.info cannot be taken, one of Python's own functions: print does, or look at values outside

def f(x):
    return np.array(["a", "b"])
# 1.5 -> 2: 'a' is no number, and arrays are of numbers

def f(x):
    return np.fft.rfft(x + 1j)
# X -> 2: rfft takes real numbers

def f(x):
    return np.isnat(x)
# X -> 2: numpy.isnat has no row; the nearest that have one: isnan. A new row goes into codegen/primitives/elementwise.py

def f(x):
    return np.row_stack((x, x))
# X -> 2: numpy.row_stack has no row: np.vstack does. A new row goes into codegen/primitives

import random
def f(x):
    return x * random.randint(1, 6)
# 1.5 -> 3: random.randint has no row: draw from a numpy.random.Generator: an argument, or np.random.default_rng(seed). A new row goes into codegen/primitives

import random
def f(x):
    return x * random.random()
# 1.5 -> 3: random.random has no row: draw from a numpy.random.Generator: an argument, or np.random.default_rng(seed). A new row goes into codegen/primitives

import statistics
def f(x):
    return statistics.stdev([x, 2.0])
# 1.5 -> 3: statistics.stdev cannot be taken, one of Python's own functions: NumPy's functions do: np.mean, np.median, np.std(x, ddof=1)

import colorsys
def f(x):
    return colorsys.hls_to_rgb(x, 0.5, None)
# 1.5 -> 3: colorsys.hls_to_rgb cannot be taken, one of Python's own functions: `+` of a float and None is not supported

import copy
def f(x):
    return copy.deepcopy([x, 2.0])
# 1.5 -> 3: copy.deepcopy cannot be taken, one of Python's own functions: x.copy() does of a list, a dict or an array

import time
def f(x):
    return x - time.time()
# 1.5 -> 3: time.time has no row: compute it outside and pass the result. A new row goes into codegen/primitives

def f(x):
    return bin(x)
# 1.5 -> 2: an int of 64 bits, with a sign, is needed here, not a float

def f(x):
    return ascii(x)
# 3 -> 2: builtins.ascii has no row. A new row goes into codegen/primitives

def f(x):
    pairs = zip(x, x)
    total = sum(a * b for a, b in pairs)
    for a, b in pairs:
        total += a
    return total
# X -> 4: 'pairs' is an iterator, which is empty once it was gone through: make it where it is gone through, or keep a list of it

def f(x):
    sizes = map(abs, (x, 2.0))
    return max(sizes) - min(sizes)
# 1.5 -> 3: 'sizes' is an iterator, which is empty once it was gone through: make it where it is gone through, or keep a list of it

def f(x):
    places, total = enumerate(x), 0.0
    for k in range(len(x)):
        total += sum(i * v for i, v in places)
    return total
# X -> 4: 'places' is an iterator, which is empty once it was gone through: make it where it is gone through, or keep a list of it

def f(x):
    back = reversed(x)
    return [[v * w for v in x] for w in x for u in back]
# X -> 3: 'back' is an iterator, which is empty once it was gone through: make it where it is gone through, or keep a list of it

def f(x):
    def twice(pairs):
        return sum(a for a, b in pairs) + sum(b for a, b in pairs)
    return twice(zip(x, x))
# X -> 3: 'pairs' is an iterator, which is empty once it was gone through: make it where it is gone through, or keep a list of it

def f(x):
    pairs = zip(x, x)
    if x[0] > 0.0:
        x = x + sum(a * b for a, b in pairs)
    return x + sum(a * b for a, b in pairs)
# X -> 5: 'pairs' is an iterator, which is empty once it was gone through: make it where it is gone through, or keep a list of it

def f(x):
    return map(abs, (x, 2.0))
# 1.5 -> 2: an iterator cannot be returned from a function: return a list of it

def f(x):
    return zip(x, x)
# X -> 2: a zip cannot be returned from a function: return a list of it

def f(x):
    return len(map(abs, (x, 2.0)))
# 1.5 -> 2: an iterator has no len()

def f(x):
    return np.frompyfunc(abs, 1, 1)
# X -> 2: numpy.frompyfunc has no row: call the function in a loop. A new row goes into codegen/primitives

def f(x):
    seen = set()
    seen.add(x)
    return len(seen)
# 1.5 -> 3: keys of dicts and elements of sets are ints, bools or tuples of ints, and this is a float: take int(...) of it

from collections import defaultdict
def f(x):
    counts = defaultdict(set)
    return len(counts)
# X -> 3: defaultdict() takes int, float, bool, list or a lambda of a number or an empty list: keep others in a list, and their places in the dict

from numba import types
from numba.typed import Dict
def f(x):
    counts = Dict.empty(types.int64, types.float64)
    return len(counts)
# X -> 4: Dict.empty is not supported: a dict does, `{}`

def f(x):
    return np.iterable(x)
# M -> 2: numpy.iterable has no row. A new row goes into codegen/primitives

import scipy.linalg
def f(x):
    return scipy.linalg.schur(x)
# X -> 3: scipy.linalg.schur has no row. A new row goes into codegen/primitives

import scipy.linalg
def f(x):
    return scipy.linalg.solveh_banded(x, x)
# X -> 3: scipy.linalg.solveh_banded has no row; the nearest that have one: solve_banded. A new row goes into codegen/definitions/linear_algebra/banded.py

import scipy.special
def f(x):
    return scipy.special.ellip_harm(x, x, 1, 1, x)
# 1.5 -> 3: scipy.special.ellip_harm has no row; the nearest that have one: elliprf. A new row goes into codegen/definitions/special_functions/elliptic.py

import functools
@functools.cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
def f(x):
    return fib(x)
# 3 -> 6: fib remembers its results from call to call, which programs do not: move it into the function that calls it, fill an array in a loop, or leave functools.cache out

def f(x):
    return sum(int(c) for c in str(x))
# 1.5 -> 2: the letters of a text are asked for that tells more than ints and texts, by str(n), f"{n}", bin(n) and `+`: ask for what it tells

import scipy.linalg
def f(x):
    return scipy.linalg.funm(x, np.tanh)
# M -> 3: scipy.linalg.funm has no row: of a symmetric matrix: w, V = np.linalg.eigh(A); (V * f(w)) @ V.T. A new row goes into codegen/primitives

def f(x):
    return np.power.reduce(x)
# X -> 2: numpy.power.reduce has no row: write a loop, as NumPy's own of floats are other numbers than the powers of powers. A new row goes into codegen/primitives

import math
def f(x):
    return math.hypot(x, x, x)
# 1.5 -> 3: hypot is not defined for f8 and f8 and f8

def f(x):
    return missing(x)
# 1.5 -> 2: name 'missing' is not defined

def f(x):
    y = 1.0
    return x.shape2
# X -> 3: an array f8[3] has no method or attribute 'shape2': did you mean 'shape'?

def f(x):
    return x.tobytes()
# X -> 2: an array f8[3] has no method or attribute 'tobytes' that is supported

def f(x):
    return y
    y = x
# 1.5 -> 2: the local variable 'y' is used before it is given a value

def f(x):
    if x > 100.0:
        pass
    t = t + x
    return t
# 1.5 -> 4: the local variable 't' is used before it is given a value

def f(x):
    if x > 0.0:
        y = 1.0
    else:
        y = (x, x)
    return y
# 1.5 -> 6: 'y' is a float on one way to here and a tuple of 2 on another: give it one kind of value

def f(x):
    if x > 0.0:
        y = np.zeros(3)
    else:
        y = 0.0
    return y
# 1.5 -> 6: 'y' is an array f8[3] on one way to here and a float on another: give it one kind of value

def f(x):
    if x > 0.0:
        return 1.0
    return np.zeros(2)
# 1.5 -> 2: the value returned is a float on one way to here and an array f8[2] on another: return one kind of value

def f(x):
    y = x if x > 0.0 else "x"
    return y
# 1.5 -> 2: the value is a float on one way to here and 'x' on another: give it one kind

def f(x):
    y = (x, x)
    for i in range(3):
        y = x
    return y
# 1.5 -> 3: 'y' is a tuple of 2 before an iteration and a float after it: give it one kind of value

def f(x):
    y = 0.0
    for i in range(3):
        y = (y, x)
    return y
# 1.5 -> 3: 'y' is a float before an iteration and a tuple of 2 after it: give it one kind of value

def f(x):
    y = 0.0
    while x > 0.0:
        y = np.zeros(2)
        x -= 1.0
    return y
# 1.5 -> 3: 'y' is a float before an iteration and an array f8[2] after it: give it one kind of value

def f(x):
    a, b = x, x, x
    return a
# 1.5 -> 2: cannot unpack 3 values into 2 names

def f(x):
    a, b, *c = (x,)
    return a
# 1.5 -> 2: cannot unpack 1 values into at least 2 names

def f(x):
    a, b = x
    return a
# X -> 2: cannot unpack 3 values into 2 names

def f(x):
    a, b = x
    return a
# 1.5 -> 2: a float cannot be unpacked

def f(x):
    for v in x:
        pass
    return v
# 1.5 -> 2: a float cannot be iterated over

def f(x):
    m = x * x[:, None]
    y = m.T.reshape(-1)
    y[0] = 2.0
    return m
# X -> 4: 'y' is written in place, but it may be a view of 'm': write `y = y.copy()` first

def f(x):
    m = x * x[:, None]
    y = m.T.reshape(-1)
    m[0] = 2.0
    return y
# X -> 5: 'y' may share memory with 'm', which was written after it was made: make it with .copy(), or again after the write

def f(x, y):
    z = x
    if y[0] > 0.0:
        z = y
    z[0] = 1.0
    return x, y
# X, X -> 5: 'z' is written in place, but it may be the same array as 'x': write `z = z.copy()` first

def f(x, y):
    z = x + 1j
    w = y * 1j
    if y[0] > 0.0:
        z = w
    z[0] = 1.0
    return z, w
# X, X -> 6: 'z' is written in place, but it may be the same array as 'w': write `z = z.copy()` first

def f(x, y):
    z = x
    if y[0] > 0.0:
        z = y
    x[0] = 1.0
    return z
# X, X -> 6: 'z' may share memory with 'x', which was written after it was made: make it with .copy(), or again after the write

def f(x):
    y = x
    for i in range(3):
        y[0] = 1.0
        y = y + x
    return y, x
# X -> 4: 'y' is written in place, but in some iterations it may be the array that was 'x' before the loop: write `y = y.copy()` first

def f(x):
    total = 0.0
    for t in x:
        x += x
        x = x + 1.0
        total += t
    return total
# X -> 4: 'x' is written in place, but in some iterations it may be the array that was 'x' before the loop: write `x = x.copy()` first

def g(a, b):
    a[0] = b[0]
def f(x):
    g(x[1:], x[:2])
    return x
# X -> 2: 'a' is written in place, but it may overlap another argument of this call: write `a = a.copy()` first

def part(a):
    return a[1:] if a[0] > 0.0 else a
def f(x):
    y = part(x)
    y[0] = 1.0
    return x
# X -> 5: 'y' is written in place, but it may be a part of an argument that it was made from: write `y = y.copy()` first

def f(n):
    return f(n - 1)
# 3 -> 1: 'f' calls itself on every way: what it returns cannot be known

def g(n):
    return h(n)
def h(n):
    return g(n)
def f(n):
    return g(n)
# 3 -> 5: 'f' calls itself on every way: what it returns cannot be known

def g(x):
    return g((x, x))
def f(x):
    return g(x)
# 1.5 -> 2: 'g' calls itself with arguments of ever new kinds: their shapes must not change

def g(x):
    return x[5]
def f(x):
    return g(x)
# X -> 2: index 5 is out of bounds for an axis of size 3

def f(x):
    del x[0]
    return x
# X -> 2: `del` of an element is not supported: arrays keep what they hold; build the shorter array with a slice

def f(x):
    return x[0, 1]
# X -> 2: too many indices: 2 for f8[3]

def f(x):
    return x[1.5]
# X -> 2: an index must be an int or an array of ints, not f8

def f(x):
    if x:
        return 1.0
    return 2.0
# X -> 2: the truth value of an array is ambiguous: use np.any or np.all

def f(x):
    return 1 in x
# 1.5 -> 2: `in` a float is not supported: it takes an array, a list or a range

def f(x):
    return x + None
# 1.5 -> 2: `+` of a float and None is not supported

def f(x):
    y = [1.0, 2.0]
    z = y
    y[0] = 3.0
    return z
# 1.5 -> 5: the list that is returned is changed, or has several names: return np.array of it

def f(x):
    y = [x]
    z = y
    z += [x]
    return y
# 1.5 -> 5: the list that is returned has a length that is known only when it runs: return np.array of it

def f(x):
    y = []
    for i in range(3):
        if x > i:
            y.append(i)
        else:
            y.append((x, x))
    return len(y)
# 1.5 -> 5: 'y' is an int on one way to here and a tuple of 2 on another: give it one kind of value

def f(x):
    y = []
    for i in range(3):
        if x > i:
            y.append(i)
    return y
# 1.5 -> 6: the list that is returned has a length that is known only when it runs: return np.array of it

def f(x):
    y = [x]
    z = y
    y.append(x)
    return z
# 1.5 -> 5: the list that is returned has a length that is known only when it runs: return np.array of it

def f(x):
    near = [[[] for _ in range(2)] for _ in range(int(x))]
    near[0][1].append(1)
    return near[0][1][0]
# 1.5 -> 2: the list is a list of items that are no numbers or arrays: give all its items one kind and shape

def f(x):
    near = [set() for _ in range(4)]
    for u in x:
        near[int(u) % 4].add(int(u))
    return len(near[0])
# X -> 4: which of several sets is meant is not found out when the program runs: have one set of pairs, `(u, v) in edges`, or lists, `if v not in near[u]: near[u].append(v)`

def f(x):
    near = [[] for _ in range(3)]
    for u in x:
        near[int(u) % 3].append(u)
    return sum(near[0]), near
# X -> 5: the lists that are returned have lengths that are known only when it runs: return numbers, or np.array of one of them

def f(x):
    return x[x[0] > 0, x[0] > 0, x[0] > 0]
# M -> 2: too many indices for array: array is 2-dimensional

def f(x):
    x[x > 0] = x
    return x
# M -> 2: NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has 2 dimensions

def f(x):
    print(x, sep=f"{x}")
    return x
# 1.5 -> 2: print() takes sep=, end= and flush= that are known

def f(x):
    text = f"{x}"
    return len(text)
# 1.5 -> 3: the letters of a text are asked for that tells more than ints and texts, by str(n), f"{n}", bin(n) and `+`: ask for what it tells

def f(x):
    told = []
    while x > 1.0:
        x = x / 2.0
        told.append(f"{x}")
    return told
# 1.5 -> 3: 'told' is a list of texts that are put together when the program runs: give all its items one kind and shape

def f(x):
    return f"{x}"
# 1.5 -> 2: a text that is put together when the program runs is not returned: return what it tells

def f(x):
    return "-".join([f"{x}"])
# 1.5 -> 2: the letters of a text are asked for that tells more than ints and texts, by str(n), f"{n}", bin(n) and `+`: ask for what it tells

def f(x):
    return sorted((x, 1.0), key=lambda a: [a, a])
# 1.5 -> 2: sorted() takes keys that are numbers of one kind: sort by np.argsort or np.lexsort

def f(x):
    return dict([(x, 1.0)])
# 1.5 -> 2: keys of dicts and elements of sets are ints, bools or tuples of ints, and this is a float: take int(...) of it

def f(x):
    return {"a": x}.get(x)
# 1.5 -> 2: get() of a dict takes a text that is known, and what to give where it is no key

def f(x):
    g = lambda a, **more: a
    return g(x, **(x, x))
# 1.5 -> 3: `**` takes a dict, not a tuple of 2

def f(x):
    g = lambda *a, **more: a
    return g(x, b=x, **{"b": x})
# 1.5 -> 3: the call is given the keyword argument 'b' twice

def g(a, b):
    return a
def f(x):
    return g(x)
# 1.5 -> 4: g() is missing the argument 'b'

def g(a, b):
    return a
def f(x):
    return g(x, x, x)
# 1.5 -> 4: g() takes 2 positional arguments but 3 were given

def g(a, b):
    return a
def f(x):
    return g(x, c=x, b=x)
# 1.5 -> 4: g() got an unexpected keyword argument 'c'

def g(a, b):
    return a
def f(x):
    return g(x, a=x)
# 1.5 -> 4: g() got multiple values for argument 'a'

def f(x):
    return (x, x)[2]
# 1.5 -> 2: index 2 is out of range for a tuple of 2

def f(x, n):
    return tuple([x for i in range(n)])
# 1.5, 3 -> 2: a tuple's length must be known and at most 256: make an array with np.zeros and fill it in a loop

def f(x, n):
    return np.sum(x, axis=n)
# M, 1 -> 2: axis must be a known int or a tuple of them

def f(x):
    return 1 / 0
# 3 -> 2: division by zero

def f(x):
    raise 'no'
# 1.5 -> 2: raise takes an exception, as in `raise ValueError('...')`

def f(x):
    raise ValueError(range(3))
# 1.5 -> 2: a text cannot say a range: give it numbers, arrays, texts, and tuples of them

def f(x):
    raise ValueError("no", code=x)
# 1.5 -> 2: an exception takes its arguments by position here, not by name

def f(x):
    return range(3)
# 1.5 -> 2: a range cannot be returned from a function

def f(x):
    return x(3)
# 1.5 -> 2: a float is not a function

def f(x):
    return lambda y: x + y
# 1.5 -> 2: a function cannot be returned from a function

def f(x):
    return ~(x > 0)
# 1.5 -> 2: `~` of a bool is -1 or -2 in Python: write `not`

def f(x):
    return 2 ** 100
# 1.5 -> 2: the int 1267650600228229401496703205376 does not fit in 64 bits

def f(x):
    return x < 2j
# 1.5 -> 2: '<' not supported between instances of 'complex' and 'complex'

def f(x):
    return np.median(np.array([x, 2j]))
# 1.5 -> 2: numpy.median of complex numbers is not supported: compute it of .real and .imag

def f(x):
    return np.fmax(x, 2j)
# 1.5 -> 2: numpy.fmax of complex numbers is not supported: compute it of .real and .imag

def f(x):
    y = np.zeros(2)
    y[0] = x + 2j
    return y
# 1.5 -> 3: a complex number does not fit an array of real ones: write .real, or make the array complex

def f(x):
    return np.array([x, 2j]).astype(float)
# 1.5 -> 2: a complex array in a dtype of real numbers loses its imaginary part: take .real

def f(x):
    return float(x + 2j)
# 1.5 -> 2: float() argument must be a string or a real number, not 'complex'

def f(x):
    for i in range(x):
        pass
    return x
# 1.5 -> 2: 'float' object cannot be interpreted as an integer

def f(x):
    return x @ x
# 1.5 -> 2: @ takes vectors and matrices, not f8 and f8

def f(x):
    return x @ np.zeros(4)
# WIDE -> 2: f8[2, 3] @ f8[4]: sizes 3 and 4 meet

def f(x):
    y = np.zeros(3, dtype=np.int64)
    y += 0.5
    return y
# 1.5 -> 3: cannot cast from f8 to i8 in place

def f(x):
    return x + np.zeros(4)
# X -> 2: f8[3] and f8[4] do not broadcast together: sizes 3 and 4 meet

def f(rng):
    return rng.zipf(1.5)
# RNG -> 2: the generator's method 'zipf' is not supported: it has beta, binomial, chisquare, choice, dirichlet, exponential, f, gamma, geometric, gumbel, integers, laplace, logistic, lognormal, multinomial, multivariate_normal, negative_binomial, normal, pareto, permutation, poisson, power, random, rayleigh, shuffle, standard_cauchy, standard_exponential, standard_gamma, standard_normal, standard_t, triangular, uniform, wald, weibull

def f(rng):
    return rng
# RNG -> 2: a random generator is advanced where the caller holds it: do not return it

DATA = np.zeros(3)
def f(x):
    DATA[0] = x
    return x
# 1.5 -> 3: 'DATA' is written in place, but it is an array of the enclosing scope: make a copy under a name of its own first

def f(x):
    return x.T.foo()
# M -> 2: an array f8[2, 2] has no method or attribute 'foo' that is supported
"""


@pytest.mark.parametrize("block", REFUSED.strip().split("\n\n"))
def test_refused(block: str) -> None:
    text, _, expected = block.rpartition("\n# ")
    names, _, expected = expected.partition(" -> ")
    line, _, message = expected.partition(": ")
    f = loaded(text + "\n")
    with pytest.raises(SourceError) as caught:
        trace(f, tuple(describe(GIVEN[name], known_size) for name in names.split(", ")))
    span, said = caught.value.problems[0]
    assert (span.line if span else None, said) == (int(line), message)
    assert caught.value.lineno == int(line)
