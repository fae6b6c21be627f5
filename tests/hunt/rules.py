"""What may differ from plain Python, each rule with the sentence of docs/language.md that it follows.

A rule is asked when something differs: it runs the plain function once more and watches it.

    rounding           the plain function, each of its operations off by a unit in the last place or two at random and
                       the terms of its sums and products in any order, gives numbers as far from its own
    64 bits            "Python's ints have 64 bits and wrap": plain Python's had more on the way, which is an
                       OverflowError where they come of a float
    division by zero   "Division of floats by zero, and powers of floats, follow NumPy (`inf`, `nan`) for Python's
                       floats too": plain Python raised, or gave a complex number
    kinds that meet    "An int on one way and a float on the other is a float; an int that a float does not hold
                       exactly (beyond 2^53) is an OverflowError there": dtypes alone differ, or plain Python gives the
                       same where such numbers are of the other kind from the beginning (meetings.py)
    negative powers    "A Python int to a negative power is a float where the power is a literal or is written `-n`, and
                       where it is written `m - n` and the result meets a float; otherwise it is a ValueError at run
                       time. A power of -1 is an int whatever the power is": dtypes alone differ

    complex eigenvalues  "`eig`, `eigvals` and `roots` give complex numbers whatever their values are": dtypes differ
    too large          "An array that nobody uses is not made, and so is never too large for memory": also where NumPy
                       raises something else of a size that no memory has
    undefined casts    "A float cast to an int dtype that does not hold it is some number": plain Python has such a cast
    empty sums         "`sum` of an array, a list or a generator expression that turns out to be empty is a 0 of its
                       dtype": plain Python gives the same
                       where it is
    without axes       "An array without axes counts as a number": plain Python gives the same of numbers
    NaN's sign         "The sign of a NaN says nothing": like rounding, with the signs of NaNs that are looked at random
    zero's sign        "Which of 0.0 and -0.0 ... is NumPy's matter": like rounding, with random signs of such zeros;
                       BLAS adds what it multiplies to 0.0
    copies             "What is written to places is read before": plain Python gives the same where copies are written;
                       NumPy itself writes over what it has yet to read where two rows of one array lie across
    zero times all     "`np.dot` and `np.inner` with a number multiply by it, infinities by 0 too": plain Python gives
                       the same where they do; NumPy's BLAS has zeros there
    fails inside       "`logsumexp` of no elements is -inf, of several axes too": plain Python raises an IndexError that
                       is SciPy's own
    beyond a family    Jacobi's and Gegenbauer's polynomials are what their recurrence gives where parameters leave the
                       families that are orthogonal: SciPy's formula is 0 / 0 there
    squares of bools   "An array of bools to the power of an int that is known at run time alone is int64, for 2 too":
                       plain Python gives the same where `**` is np.power
    empty takes        "`np.take` asks for its places as an index does, in empty arrays too": plain Python takes
                       nothing of an array
    terms              "sums of terms that cancel are as exact as the terms": of lgamma and logsumexp near 0, like
                       rounding, by units in the last place of 1; SciPy's `poch` is an exponential of such sums

Conventions of derivatives (ties, kinks, zeros) are met by slopes.py: differences say nothing there.
"""

from __future__ import annotations

import ast
import random
import re
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from hunt.case import Outcome, names_of, plain
from hunt.meetings import alike, of_kinds
from hunt.nests import mapped

WAYS = (ast.If, ast.For, ast.While, ast.IfExp, ast.BoolOp)
LARGE = "array is too big|Maximum allowed (dimension|size)|Unable to allocate"
HUGE = 2**48  # elements
SIZED = ("linspace", "arange", "zeros", "ones", "empty", "full", "eye")
SIGNS = ("copysign", "signbit")  # which look at a sign
OF_TERMS = {  # sums of terms that cancel, in SciPy or here, and how large they are
    "lgamma": 1.0, "gammaln": 1.0, "logsumexp": 1.0, "cosm1": 1.0, "gammainc": 4.0,
    "gammaincc": 4.0, "betainc": 4.0, "binom": 1.0,
}  # fmt: skip
OF_OPERANDS = {  # terms of the operands' size, so many times, and in their precision: SciPy's spherical functions
    "betaln": 32.0, "j0": 1.0, "j1": 1.0, "y0": 1.0, "y1": 1.0,
    **dict.fromkeys(("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"), 1.0),
}  # fmt: skip
OF_EXPONENTS = {  # in SciPy exponentials of terms of the operands' size, so many times, or recurrences of that length
    "poch": 4.0, "eval_gegenbauer": 4.0, "eval_jacobi": 4.0, "eval_genlaguerre": 4.0,
}  # fmt: skip
IN_ORDER = ("sum", "prod", "mean", "nansum", "nanprod", "nanmean")  # of an array, one term after the other
OF_PRODUCTS = (  # sums of products of operands, and exponentials of their products
    "dot", "vdot", "inner", "matmul", "einsum", "tensordot", "multi_dot", "matrix_power", "convolve", "correlate",
    "cov", "corrcoef", "trace", "owens_t",
)  # fmt: skip
DECOMPOSED = (
    "eigh", "eigvalsh", "svd", "svdvals", "pinv", "lstsq", "cond", "matrix_rank", "qr", "solve", "inv", "det",
    "slogdet", "cholesky", "eig", "eigvals", "roots",
)  # fmt: skip
OF_ZEROS = (  # choose among zeros, or add them up
    "maximum", "minimum", "fmax", "fmin", "clip", "max", "min", "amax", "amin", "nanmax", "nanmin", "reduce",
    "accumulate", "sort", "unique", "union1d", "median", "nanmedian", "quantile", "nanquantile", "percentile",
    "nanpercentile", "sum", "mean", "average", "nansum", "nanmean", "cumsum", "cumulative_sum", "nancumsum",
    "dot", "vdot", "inner", "matmul", "vecdot", "matvec", "vecmat", "einsum", "tensordot", "multi_dot",
)  # fmt: skip
SAMPLES = 12
SPREAD = 6.0  # times what the samples differ by


Arguments = tuple[Any, ...]


def excuse(text: str, given: Callable[[], Arguments], got: Outcome, want: Outcome, kind: str) -> str | None:
    """The rule by which the result of a call with these arguments may differ, or None."""
    if is_of_floats(want.error) or is_complex(want.value) and not has_complex(text):
        return "division by zero"
    if (kind == "dtype" or isinstance(got.error, OverflowError)) and has_ways(text):
        return "kinds that meet"
    if kind == "sign of zero" and re.search(rf"\b({'|'.join(OF_PRODUCTS)})\(", text):
        return "zero's sign"
    if kind == "dtype" and re.search(r"\b(eig|eigvals|roots)\(", text):
        return "complex eigenvalues"
    if isinstance(got.error, ValueError) and "negative" in str(got.error) and "power" in str(got.error):
        return "negative powers"
    if kind == "dtype" and re.search(r"\*\* ?-|-1\)? ?\*\*", text):
        return "negative powers"
    if any(
        isinstance(one.error, ValueError | MemoryError) and re.match(LARGE, str(one.error))
        for one in (got, want)
    ):
        return "too large"  # of which NumPy's own sizes may wrap
    if re.search(r"\beval_(jacobi|gegenbauer)\(", text) and alike_where_known(got, want):
        return "beyond a family"
    if isinstance(want.error, IndexError) and is_of_scipy(want.error):
        return "fails inside"
    if alike(got, of_empty_sums(text, given())):
        return "empty sums"
    if alike(got, of_numbers(text, given())):
        return "without axes"
    if alike(got, of_copies(text, given())):
        return "copies"
    if alike(got, of_multiples(text, given())):
        return "zero times all"
    if kind == "dtype" and alike(got, of_powers(text, given())):
        return "squares of bools"
    watch = Watch()
    again = watch.run(text, given())
    if watch.undefined:
        return "undefined casts"
    if watch.taken and isinstance(got.error, IndexError):
        return "empty takes"
    if watch.huge and want.error is not None:
        return "too large"
    if watch.complex and not has_complex(text):
        return "division by zero"
    if watch.large or isinstance(again.error, OverflowError) and "int too large" in str(again.error):
        return "64 bits"
    if has_ways(text) and of_kinds(text, given, got):
        return "kinds that meet"
    samples = [Watch(random.Random(seed)).run(text, given()) for seed in range(SAMPLES)]
    if has_complex(text):  # whose zeros have no signs
        got, want, *samples = map(with_plain_zeros, (got, want, *samples))
    return "rounding" if is_rounding(got, want, samples) else None


def alike_where_known(got: Outcome, want: Outcome) -> bool:
    """Whether results are the same but where plain Python's has NaN, of which it has some."""
    if got.error is not None or want.error is not None:
        return False
    found, wanted = np.asarray(got.value), np.asarray(want.value)
    if wanted.dtype.kind != "f" or found.shape != wanted.shape or not np.any(none := np.isnan(wanted)):
        return False
    return alike(*(replace(one, value=np.where(none, 0.0, one.value)) for one in (got, want)))


def is_of_floats(error: BaseException | None) -> bool:
    """Whether Python raises because it divides or raises floats: (34, 'Numerical result out of range') is of `**`."""
    said = str(error)
    if isinstance(error, ZeroDivisionError):
        return "float" in said or "0.0" in said
    return isinstance(error, OverflowError) and "34" in said


def is_of_scipy(error: BaseException) -> bool:
    """Whether it is raised by SciPy's text."""
    steps = list(traceback.walk_tb(error.__traceback__))
    return bool(steps) and "scipy" in Path(steps[-1][0].f_code.co_filename).parts


def has_ways(text: str) -> bool:
    """Whether a value may come from one place or another."""
    functions = [part for part in ast.parse(text).body if getattr(part, "name", "") != "calls"]
    return any(isinstance(node, WAYS) or is_choice(node) for part in functions for node in ast.walk(part))


def is_choice(node: ast.AST) -> bool:
    """An item of a list that is written out, a chain of comparisons, or `max` and `min`."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.List | ast.Name)
    if isinstance(node, ast.Compare):
        return len(node.ops) > 1
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("max", "min")


def has_complex(text: str) -> bool:
    """Whether a program is about complex numbers: Python's powers of floats give them too."""
    return any(
        isinstance(node, ast.Constant) and is_complex(node.value) for node in ast.walk(ast.parse(text))
    )


def is_complex(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(is_complex, value))
    if isinstance(value, dict):
        return any(map(is_complex, value.values()))
    return isinstance(value, complex | np.complexfloating) or (
        isinstance(value, np.ndarray) and value.dtype.kind == "c"
    )


def of_empty_sums(text: str, given: Arguments) -> Outcome:
    """Plain Python where `sum` of an empty array has the array's dtype."""

    def of_dtype(x: Any, start: Any = 0) -> Any:
        x = x if isinstance(x, np.ndarray) else list(x)
        none = np.zeros(x.shape[1:], x.dtype)[()] if isinstance(x, np.ndarray) else 0.0
        return sum(x, start) if len(x) else start + none

    names = names_of(text)
    names["sum"] = of_dtype
    return plain(names["f"], given)


def of_copies(text: str, given: Arguments) -> Outcome:
    """Plain Python where arrays are copied before they are written to places."""
    names = names_of(ast.unparse(ast.fix_missing_locations(Copied().visit(ast.parse(text)))))
    names["copied__"] = lambda value: value.copy() if isinstance(value, np.ndarray) else value
    return plain(names["f"], given)


def of_multiples(text: str, given: Arguments) -> Outcome:
    """Plain Python where a product with a number multiplies all elements."""

    def multiplied(name: str) -> Callable[..., Any]:
        def run(a: Any, b: Any) -> Any:
            return np.multiply(a, b) if np.ndim(a) == 0 or np.ndim(b) == 0 else getattr(np, name)(a, b)

        return run

    names = names_of(text)
    made = names["np"] = ModuleType("numpy")
    made.__dict__.update(vars(np), dot=multiplied("dot"), inner=multiplied("inner"))
    return plain(names["f"], given)


def of_powers(text: str, given: Arguments) -> Outcome:
    """Plain Python where `**` of arrays is np.power."""
    names = names_of(ast.unparse(ast.fix_missing_locations(Powers().visit(ast.parse(text)))))
    names["power__"] = lambda x, y: np.power(x, y) if isinstance(x, np.ndarray) else x**y
    return plain(names["f"], given)


class Powers(ast.NodeTransformer):
    """`x ** y` as `power__(x, y)`."""

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        return called("power__", node.left, node.right) if isinstance(node.op, ast.Pow) else node


class Copied(ast.NodeTransformer):
    """What is assigned to places inside `copied__(...)`."""

    def visit_Assign(self, node: ast.Assign) -> Any:
        if any(isinstance(target, ast.Subscript) for target in node.targets):
            node.value = called("copied__", node.value)
        return node


def of_numbers(text: str, given: Arguments) -> Outcome:
    """Plain Python where arrays without axes are numbers."""
    watch = Watch(numbers=True)
    return watch.run(text, tuple(watch.seen(a) for a in given))


def has_halves(text: str, given: Arguments) -> bool:
    """Whether a float16 is on the way, which NumPy's functions of bools give."""
    watch = Watch()
    watch.run(text, given)
    return watch.half


class Watch:
    """Runs a program and sees the value of each operation; with `by`, floats are changed a little on the way, with
    `numbers` arrays without axes are made numbers.

    `large`: an int had more than 64 bits; `complex`: a number was complex; `undefined`: a float was cast to an int
    dtype that does not hold it; `half`: a float16 was on the way; `huge`: an array was to be larger than any memory;
    `taken`: np.take gave nothing.
    """

    def __init__(self, by: random.Random | None = None, *, numbers: bool = False):
        self.by, self.numbers = by, numbers
        self.large = self.complex = self.undefined = self.huge = self.taken = self.half = False

    def run(self, text: str, given: Arguments) -> Outcome:
        tree = ast.parse(text)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name != "calls":
                Seen().visit(node)
        names = names_of(ast.unparse(ast.fix_missing_locations(tree)))
        names.update(
            seen__=self.seen,
            cast__=self.cast,
            size__=self.size,
            signed__=self.signed,
            zeros__=self.zeros,
            terms__=self.terms,
            exponents__=self.exponents,
            taken__=self.take,
            decomposed__=self.decomposed,
            shuffled__=self.shuffled,
            operand__=self.operand,
            stored__=self.stored,
            converted__=self.converted,
        )
        return plain(self.warned(names["f"]), given)

    def warned(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """f, its undefined casts noted that NumPy warns of."""

        def run(*given: Any) -> Any:
            with np.errstate(invalid="warn"), warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                try:
                    return f(*given)
                finally:
                    self.undefined |= any("encountered in cast" in str(w.message) for w in said)

        return run

    def cast(self, value: Any, made: Callable[[Any], Any]) -> Any:
        """What a cast gives, of which NumPy does not always warn."""
        result = made(value)
        of, to = np.asarray(value), np.asarray(result)
        if of.dtype.kind == "f" and to.dtype.kind in "iu":
            limits = np.iinfo(to.dtype)
            self.undefined |= not np.all((of > float(limits.min) - 1.0) & (of < float(limits.max) + 1.0))
        return self.seen(result)

    def stored(self, value: Any, array: Any) -> Any:
        """What is written to places of an array."""
        if isinstance(array, np.ndarray) and isinstance(value, float | np.floating | np.ndarray):
            self.cast(value, lambda given: np.asarray(given).astype(array.dtype))
        return value

    def converted(self, value: Any, dtype: Any) -> Any:
        """What a call is told to take in another dtype."""
        if dtype is not None and isinstance(value, float | np.floating | np.ndarray):
            self.cast(value, lambda given: np.asarray(given).astype(dtype))
        return value

    def take(self, value: Any) -> Any:
        self.taken |= np.size(value) == 0
        return value

    def decomposed(self, value: Any) -> Any:
        """A matrix, whose NaN and infinities LAPACK makes any numbers of, rounded as its largest element is."""
        array = np.asarray(value) + 0.0
        self.undefined |= not np.all(np.isfinite(array))
        if self.by is None or self.undefined:
            return array
        eps = np.finfo(array.dtype).eps * np.max(np.abs(array), initial=0.0)
        off = np.reshape([self.by.randint(-2, 2) for _ in range(array.size)], array.shape)
        return (array + off * eps).astype(array.dtype)

    def size(self, value: Any) -> Any:
        self.huge |= isinstance(value, int | np.integer | np.ndarray) and bool(np.any(value >= HUGE))
        return value

    def signed(self, value: Any) -> Any:
        """A value whose NaNs have any sign."""
        if self.by is None or not np.any(np.isnan(value)):
            return value
        signs = np.reshape([self.by.choice((1.0, -1.0)) for _ in range(np.size(value))], np.shape(value))
        made = np.where(np.isnan(value), np.copysign(np.asarray(value), signs), value)
        return made if isinstance(value, np.ndarray) else type(value)(made[()])

    def zeros(self, value: Any) -> Any:
        """A value whose zeros have any sign."""
        if self.by is None or np.asarray(value).dtype.kind != "f":
            return value
        signs = np.reshape([self.by.choice((1.0, -1.0)) for _ in range(np.size(value))], np.shape(value))
        made = np.where(np.asarray(value) == 0, np.copysign(np.asarray(value), signs), value)
        return made if isinstance(value, np.ndarray) else type(value)(made[()])

    def terms(self, value: Any, size: float, *operands: Any) -> Any:
        """A sum of terms of some size and more, of operands that many times theirs, which cancel."""
        return value if (off := self.off(value, size, operands)) is None else value + off

    def exponents(self, value: Any, size: float, *operands: Any) -> Any:
        """An exponential of such a sum."""
        return value if (off := self.off(value, size, operands)) is None else value + value * off

    def off(self, value: Any, size: float, operands: tuple[Any, ...]) -> Any:
        """What rounding may make of terms of that size, or so many times the largest operand's."""
        if self.by is None or np.asarray(value).dtype.kind != "f":
            return None
        sizes = (np.nan_to_num(np.abs(np.asarray(x, float)), posinf=0.0) for x in operands)
        size *= max([1.0, *(np.max(each, initial=0.0) for each in sizes)])
        narrow = any(np.asarray(x).dtype == np.float32 for x in operands)
        size *= 2.0**-23 if narrow else 2.0**-52
        off = [self.by.randint(-2, 2) * size for _ in range(np.size(value))]
        return np.reshape(off, np.shape(value)).astype(np.asarray(value).dtype)[()]

    def operand(self, value: Any) -> Any:
        """Floats of which products are summed: what rounding does in there, as if they were a little off."""
        array = np.asarray(value)
        if self.by is None or array.dtype.kind != "f":
            return value
        off = np.reshape([self.by.randint(-2, 2) for _ in range(array.size)], array.shape)
        return array * (1 + off * np.finfo(array.dtype).eps).astype(array.dtype)

    def shuffled(self, value: Any, axis: Any = None) -> Any:
        """An array whose elements are in another order, along the axes that a sum goes over."""
        if self.by is None or not isinstance(value, np.ndarray | list):
            return value
        array = np.array(value)
        axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if axis is None:
            return np.reshape(self.by.sample(list(array.ravel()), array.size), array.shape).astype(
                array.dtype
            )
        for each in axes:
            array = np.take(array, self.by.sample(range(array.shape[each]), array.shape[each]), each)
        return array

    def seen(self, value: Any) -> Any:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            self.large = True
        if is_complex(value):
            self.complex = True
        self.half |= isinstance(value, np.generic | np.ndarray) and value.dtype == np.float16
        if self.numbers and isinstance(value, np.ndarray) and not value.ndim:
            return value[()]
        if self.by is None:
            return value
        if type(value) in (float, complex):
            return value * (1.0 + self.by.randint(-2, 2) * 2.0**-52)
        if isinstance(value, np.inexact | np.ndarray) and value.dtype.kind in "fc":
            eps = np.finfo(value.dtype).eps
            off = [self.by.randint(-2, 2) * eps for _ in range(value.size)]
            if value.ndim == 0:
                return value * value.dtype.type(1.0 + off[0])
            if value.base is None and value.flags.writeable:
                value *= (1.0 + np.reshape(off, value.shape)).astype(value.dtype)
        return value


def called(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def lambda_of(made: ast.expr) -> ast.expr:
    """`lambda v__: made`."""
    nothing = ast.arguments(posonlyargs=[], args=[ast.arg("v__")], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, made)


def shuffled(of: ast.expr, call: ast.Call) -> ast.expr:
    """What a call sums, in any order; where it says which of the terms count, as it is."""
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if "where" in named:
        return of
    return called("shuffled__", of, *[a for a in call.args[1:2] or [named.get("axis")] if a is not None])


def name_of(function: ast.Attribute | ast.Name) -> str:
    return function.attr if isinstance(function, ast.Attribute) else function.id


class Seen(ast.NodeTransformer):
    """Operations and calls inside `seen__(...)`."""

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        return ast.Call(ast.Name("seen__", ast.Load()), [node], [])

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        for keyword in node.keywords:
            if keyword.arg == "dtype" and node.args:
                node.args[0] = called("converted__", node.args[0], keyword.value)
        match node:
            case ast.Call(ast.Attribute(of, "astype") as function, _, _):
                function.value = ast.Name("v__", ast.Load())
                return called("cast__", of, lambda_of(node))
            case ast.Call(ast.Attribute(_, name), [of], []) if re.fullmatch(r"u?int\d+", name):
                node.args = [ast.Name("v__", ast.Load())]
                return called("cast__", of, lambda_of(node))
            case ast.Call(ast.Attribute(_, name), [*_, _], _) if name in SIGNS:
                node.args[-1] = called("signed__", node.args[-1])
            case ast.Call(ast.Attribute(_, name)) if name in OF_TERMS:
                return called("terms__", called("seen__", node), ast.Constant(OF_TERMS[name]))
            case ast.Call(ast.Attribute(_, name)) if name in OF_OPERANDS:
                return called("terms__", called("seen__", node), ast.Constant(OF_OPERANDS[name]), *node.args)
            case ast.Call(ast.Attribute(_, name)) if name in OF_EXPONENTS:
                size = ast.Constant(OF_EXPONENTS[name])
                return called("exponents__", called("seen__", node), size, *node.args)
            case ast.Call(ast.Attribute(_, name), [_, *_]) if name in IN_ORDER:
                node.args[0] = shuffled(node.args[0], node)
            case ast.Call(ast.Name("sum"), [of, *_]) if not isinstance(of, ast.GeneratorExp):
                node.args[0] = called("shuffled__", of)
            case ast.Call(ast.Attribute(of, name) as function, []) if name in IN_ORDER:
                function.value = shuffled(of, node)
            case ast.Call(ast.Attribute(_, name)) if name in OF_PRODUCTS:
                node.args = [called("operand__", a) for a in node.args]
            case ast.Call(ast.Attribute(_, name), [_, *_]) if name in DECOMPOSED:
                node.args[0] = called("decomposed__", node.args[0])
            case ast.Call(ast.Attribute(_, "take" | "compress")):
                return called("taken__", called("seen__", node))
            case ast.Call(ast.Attribute(_, name)) if name in SIZED:
                node.args = [called("size__", a) for a in node.args]
        of_zeros = isinstance(node.func, ast.Attribute | ast.Name) and name_of(node.func) in OF_ZEROS
        return called("seen__", called("zeros__", node) if of_zeros else node)

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        match node.targets:
            case [ast.Subscript(ast.Name(name))]:
                node.value = called("stored__", node.value, ast.Name(name, ast.Load()))
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """`a[k] += v` writes what `a[k] + v` is, which is asked before it; not of a `v` that calls what may change."""
        asked = any(isinstance(part, ast.Call) for part in ast.walk(node))
        self.generic_visit(node)
        match node.target:
            case ast.Subscript(ast.Name(name), place) as target if not asked:
                sum_ = ast.BinOp(ast.Subscript(target.value, place, ast.Load()), node.op, node.value)
                return [ast.Expr(called("stored__", sum_, ast.Name(name, ast.Load()))), node]
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        return node


def with_plain_zeros(found: Outcome) -> Outcome:
    """Without signs of zeros."""

    def plain_zeros(leaf: Any) -> Any:
        return (
            leaf + 0.0
            if isinstance(leaf, float | np.generic | np.ndarray) and np.asarray(leaf).dtype.kind == "f"
            else leaf
        )

    return replace(
        found, value=mapped(plain_zeros, found.value), arguments=mapped(plain_zeros, found.arguments)
    )


def is_rounding(got: Outcome, want: Outcome, samples: list[Outcome]) -> bool:
    """Whether `got` is as near as the samples are."""
    if got.error is not None or want.error is not None:
        kind = type(got.error)
        return any(type(s.error) is kind for s in samples)
    good = [s for s in samples if s.error is None]
    return bool(good) and near(
        (got.value, got.arguments), (want.value, want.arguments), [(s.value, s.arguments) for s in good]
    )


def near(got: Any, want: Any, samples: list[Any]) -> bool:
    if isinstance(want, tuple | list | dict):
        keys = list(want) if isinstance(want, dict) else range(len(want))
        if type(got) is not type(want) or len(got) != len(want):
            return False
        if any(len(s) != len(want) for s in samples):
            return False
        return all(near(got[key], want[key], [s[key] for s in samples]) for key in keys)
    if not isinstance(want, np.ndarray | np.generic | bool | int | float | complex):
        return bool(got == want)
    g, w = np.asarray(got), np.asarray(want)
    listed = [np.asarray(s) for s in samples]
    if g.dtype != w.dtype or g.shape != w.shape or any(s.shape != w.shape for s in listed):
        return False
    if w.dtype.kind == "b":
        return bool(np.all((g == w) | np.any([s != w for s in listed], axis=0)))
    with np.errstate(all="ignore"):
        kind = complex if w.dtype.kind == "c" else float
        wide = np.abs(w.astype(kind))
        off = np.abs(g.astype(kind) - w.astype(kind))
        apart = np.max([np.abs(s.astype(kind) - w.astype(kind)) for s in listed], axis=0)
        eps = np.finfo(w.dtype).eps if w.dtype.kind in "fc" else 0.0
        fine = off <= SPREAD * apart + 8 * eps * wide
        alike = np.any([(s == g) | ((s != s) & (g != g)) for s in listed], axis=0)
        fine |= alike | (g == w) | ((g != g) & (w != w))
        if w.dtype.kind == "f":
            turned = np.all([np.signbit(s) != np.signbit(g) for s in listed], axis=0)
            fine &= ~((g == 0) & (w == 0) & (np.signbit(g) != np.signbit(w)) & turned)
    return bool(np.all(fine))
