"""The targets: what Numba compiles of each row, in NumPy's dtypes, and that both targets agree."""

import inspect
import os
import random
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.special
from compile_program import compile_program
from irbuild import B1, F8, I8, RNG, Random, at, call_, enter, for_, function, if_, put, single
from over_lanes import directory  # noqa: F401
from places import ROOT

from codegen.backend import machine_code
from codegen.emit.module import show
from codegen.ir import Program, Type, Var, program
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.pipeline import last, stages
from codegen.primitives import ROWS, Primitive
from codegen.runtime import state_of
from codegen.targets.numba_cpu import cacheable

REALS = np.array([[0.3, 0.7], [0.2, 0.9]])
SAMPLES = {
    "f8": REALS,
    "f4": REALS.astype("f4"),
    "i8": np.array([[3, 1], [2, 4]]),
    "i4": np.array([[3, 1], [2, 4]], "i4"),
    "b1": np.array([[True, False], [True, True]]),
}


def sample(type_: Type) -> Any:
    whole = SAMPLES[type_.dtype]
    return [whole[0, 0], whole[0].copy(), whole.copy()][type_.rank]


def arity(rule: Primitive) -> int:
    if isinstance(rule.numpy, np.ufunc):
        return rule.numpy.nin
    return len(inspect.signature(rule.numpy).parameters)


def compiled(params: list[Var], body: Any) -> None:
    """All results of a program compiled by Numba against its equations, dtypes included."""
    p = check(single("f", params, body))
    args = [sample(v.type) for v in params]
    wanted = evaluate(p, *args)
    text = show(last(stages("numba", (("given", p),))), target="numba")
    made = loaded(text)(*args)
    for value, want in zip(made if len(wanted) > 1 else (made,), wanted, strict=True):
        assert np.asarray(value).dtype == want.dtype, text
        tolerance = 1e-5 if want.dtype == np.float32 else 1e-14
        np.testing.assert_allclose(value, want, rtol=tolerance, err_msg=text)


def loaded(text: str) -> Any:
    """The function of a text, not kept on disk, as a module that is loaded has it, which takes less time to compile."""
    scope: dict[str, Any] = {}
    library = f"from {machine_code.__name__} import"
    exec(text.replace("cache=True, ", "").replace("from numba import", library), scope)
    return scope["f"]


def results(b: Builder, values: list[Any]) -> tuple[Any, ...]:
    """Values as results; scalars as arrays of one, which keep their dtype on the way to Python."""
    atoms = [b.atom(v) for v in values]
    return tuple(v if a.type.rank else b.apply("stack", v) for v, a in zip(values, atoms))


def elementwise(dtype: str) -> list[Primitive]:
    """The rows that have a value of this dtype which is at least 32 bits wide, or a bool."""
    left = ("cast", "stop_gradient", "select", "polygamma")
    found = [r for r in ROWS.values() if r.family == "elementwise" and r.name not in left]
    kept = []
    for rule in found:
        try:
            out = rule.type(*[Var("x", Type(dtype))] * arity(rule))
        except TypeError:
            continue
        if out.dtype in SAMPLES and (dtype, out.dtype) != ("f4", "f8"):  # which are given float64
            kept.append(rule)
    return kept


def spelled(dtype: str, rank: int, rules: list[Primitive]) -> None:
    """Each row over arrays (and a scalar with an array) of this rank."""
    shape = (2,) * rank
    x, y, s = Var("x", Type(dtype, shape)), Var("y", Type(dtype, shape)), Var("s", Type(dtype))

    def body(b, *values):
        made = []
        for k, rule in enumerate(rules):
            second = values[1 + k % 2] if rank else values[1]
            operands = (values[0], second, values[0])[: arity(rule)]
            made.append(b.apply(rule, *operands))
        assert len(made) > 4
        return results(b, made)

    compiled([x, y, s], body)


@pytest.mark.turns(8)
@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.sampled(6)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "b1"])
def test_elementwise_rows_of_scalars(dtype):
    spelled(dtype, 0, elementwise(dtype))


@pytest.mark.turns(4)
@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.sampled(5)
@pytest.mark.parametrize(("dtype", "rank", "every"), [("f8", 1, 1), ("f4", 1, 4), ("i8", 1, 4), ("f8", 2, 5)])
def test_elementwise_rows_of_arrays(dtype, rank, every):
    spelled(dtype, rank, elementwise(dtype)[::every])


@pytest.mark.turns(8)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_signs_of_zeros(dtype):
    """Of both zeros, but for those that choose among them."""
    rules = [r for r in elementwise(dtype) if arity(r) == 1]
    x = Var("x", Type(dtype, (4,)))
    program_ = check(single("f", [x], lambda b, x: results(b, [b.apply(r, x) for r in rules])))
    given = np.array([-0.0, 0.0, -1.5, 1.5], dtype)
    with np.errstate(all="ignore"):
        wanted = evaluate(program_, given)
    f = loaded(show(last(stages("numba", (("given", program_),))), target="numba"))
    for rule, value, want in zip(rules, f(given), wanted, strict=True):
        if want.dtype.kind == "f":
            zeros = (want == 0) & (value == 0)
            assert np.array_equal(np.signbit(value[zeros]), np.signbit(want[zeros])), rule.name


def test_float32_meets_ints():
    x, i = Var("x", Type("f4")), Var("i", I8)
    rules = [ROWS[n] for n in ("add", "sub", "mul", "div", "maximum", "pow", "atan2", "hypot", "logaddexp")]
    compiled([x, i], lambda b, x, i: results(b, [b.apply(r, x, i) for r in rules]))


@pytest.mark.turns(4)
def test_casts_and_choices():
    kinds = list(SAMPLES)
    params = [Var("x", Type(k, (2,) * r)) for k in kinds for r in (0, 1)]

    def body(b, *values):
        casts = [b.apply("cast", v, dtype=k) for v in values for k in kinds]
        test = [v for v, p in zip(values, params) if p.type.dtype == "b1"]
        chosen = [
            np.where(t, a, c) for t in test for a, c in ((values[0], values[0] * 2.0), (values[1], values[0]))
        ]
        return results(b, casts + chosen)

    compiled(params, body)


@pytest.mark.turns(4)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", ["f8", "i8", "b1"])
def test_reductions_products_and_shapes(dtype):
    v, A = Var("v", Type(dtype, (2,))), Var("A", Type(dtype, (2, 2)))

    def body(b, v, A):
        made = []
        turned = b.apply("transpose", A, perm=(1, 0))
        back = at(b, v, slice(None, None, -1))
        for name in ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin"):
            some = [(back, (0,)), (A, (1,)), (turned, (0, 1))]
            some = some[:2] if name.startswith("arg") else some  # places are counted along one axis
            made += [tried(b, name, x, axis=axis) for x, axis in some]
        made += [tried(b, "cumsum", v, axis=0), tried(b, "matmul", A, turned), tried(b, "matmul", back, A)]
        made += [tried(b, "matmul", v, back), tried(b, "matmul", A, v), tried(b, "outer", v, back)]
        made += [tried(b, "stack", v, back), tried(b, "stack", A, turned)]
        made += [tried(b, "concatenate", v, back, axis=0), tried(b, "concatenate", A, turned, axis=1)]
        made += [b.apply("copy", turned), b.apply("reshape", turned, 4), b.apply("reshape", back, 2, 1)]
        made += [b.apply("broadcast_to", v, 3, 2), b.apply("full", at(b, v, 0), 2, 2, dtype=dtype)]
        return results(b, [m for m in made if m is not None])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled([v, A], body)


def tried(b: Builder, name: str, *operands: Any, **params: Any) -> Any:
    """The primitive's value, where its rule allows it."""
    try:
        return b.apply(name, *operands, **params)
    except TypeError:
        return None


SUBSCRIPTS = {
    "i": lambda i, k: i,
    "ii": lambda i, k: (i, 0),
    ":i": lambda i, k: (slice(None), i),
    "cut": lambda i, k: slice(0, 1),
    "rev": lambda i, k: slice(None, None, -1),
    "i cut": lambda i, k: (i, slice(0, 1)),
    "cut cut": lambda i, k: (slice(0, 1), slice(0, i)),
    "n": lambda i, k: (None, i),
    ":n": lambda i, k: (slice(None), None),
    "a": lambda i, k: k,
    "aa": lambda i, k: (k, k),
    "ai": lambda i, k: (k, i),
    ":a": lambda i, k: (slice(None), k),
}


@pytest.mark.turns(4)
def test_subscripts():
    A, v, i, k = (
        Var("A", Type("f8", (2, 2))),
        Var("v", Type("f8", (2,))),
        Var("i", I8),
        Var("k", Type("i8", (2,))),
    )

    def body(b, A, v, i, k):
        i = i - 2
        k = k - 2
        made = [at(b, x, index(i, k)) for x in (A, v) for name, index in SUBSCRIPTS.items() if fits(name, x)]
        for name, index in SUBSCRIPTS.items():
            for x in (A, v):
                if fits(name, x) and "n" not in name:
                    made.append(put(b, x, index(i, k), at(b, x, index(i, k)) + 1.0))
                    if "a" not in name:
                        made.append(put(b, x, index(i, k), 0.5, "accumulate"))
        return results(b, made)

    compiled([A, v, i, k], body)


def fits(name: str, x: Any) -> bool:
    return x.type.rank == 2 or name in ("i", "cut", "rev", "n", ":n", "a")


def test_what_numba_types_in_its_own_way():
    def body(b, A):
        narrow, ints = b.apply("cast", A, dtype="f4"), b.apply("cast", A, dtype="i8")
        doubled = put(b, A.copy(), b.apply("stack", 1, 1), 1.0, "accumulate")
        return narrow + ints, ints @ ints, doubled, scipy.special.digamma(A), scipy.special.erf(A)

    compiled([Var("A", Type("f8", (2, 2)))], body)


def test_special_functions_to_4_ulp():
    """Against SciPy, whose own error is up to 2 ulp."""
    x = Var("x", Type("f8"))

    def body(b, x):
        made = [scipy.special.expit(x), scipy.special.log_expit(x), scipy.special.digamma(x)]
        return tuple(made + [b.apply("polygamma", n, x) for n in (1, 2)])

    f = compile_program(single("f", [x], body), "numba")
    points = np.concatenate((np.linspace(0.01, 12, 400), [1e-8, 40.0, 1e5, 1.4616321449683622]))
    made = np.array([f(p) for p in points])
    sp = scipy.special
    wanted = [
        sp.expit(points),
        sp.log_expit(points),
        sp.digamma(points),
        sp.polygamma(1, points),
        sp.polygamma(2, points),
    ]
    for column, want in zip(made.T, wanted):
        assert np.max(np.abs(column - want) / np.spacing(np.abs(want))) <= 8
    low = np.linspace(-30.3, 0.0, 200)
    np.testing.assert_allclose(
        [f(p)[:3] for p in low], np.stack([sp.expit(low), sp.log_expit(low), sp.digamma(low)], 1), rtol=2e-13
    )
    assert np.isnan(f(-2.0)[2]) and f(0.0)[2] == -np.inf and f(-1.0)[3] == np.inf


@pytest.mark.turns(4)
def test_draws_are_bit_identical():
    rng = Var("rng", RNG)

    def body(b, rng):
        made = []
        for name, given in (
            ("random", ()),
            ("standard_normal", ()),
            ("standard_exponential", ()),
            ("integers", (-3, 9)),
        ):
            rng, one = b.apply(f"draw_{name}", rng, *given, name="rng")
            rng, many = b.apply(f"draw_{name}", rng, *given, 2, 3, name="rng")
            made += [one, many]
        return tuple(made)

    p = single("f", [rng], body)
    generator = lambda: np.random.Generator(np.random.Philox(key=[5, 8]))
    for value, want in zip(compile_program(p, "numba")(state_of(generator())), evaluate(p, generator())):
        np.testing.assert_array_equal(value, want)
    for value, want in zip(compile_program(p, "numpy")(generator()), evaluate(p, generator())):
        np.testing.assert_array_equal(value, want)


ARGUMENTS = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, -2.0, 3.0, 0.5]), np.float64(0.7), np.float64(-0.3)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed):
    p = Random(random.Random(seed)).program()
    wanted = evaluate(p, *ARGUMENTS)
    for target in ("numpy", "numba"):
        with np.errstate(all="ignore"):
            made = compile_program(p, target)(*(np.copy(a)[()] for a in ARGUMENTS))
        for value, want in zip(made, wanted):
            np.testing.assert_allclose(value, want, rtol=1e-12)


def parity(name: str, other: str, at_zero: bool) -> Any:
    n = Var("n", I8)

    def body(b, n):
        deeper = lambda c: call_(c, other, [enter(c, n)[0] - 1], [B1], ["t"])
        return if_(b, b.apply("eq", n, 0), ["t"], lambda c: (at_zero,), deeper)

    return function(name, [n], body)


def fib() -> Any:
    def both(c, k):
        values = [call_(c, "fib", [enter(c, k)[0] - d], [I8], ["t"])[0] for d in (1, 2)]
        return (values[0] + values[1],)

    return function(
        "fib", [Var("k", I8)], lambda b, k: if_(b, k < 2, ["t"], lambda c: (1,), lambda c: both(c, k))
    )


MUTUAL = program({"even": parity("even", "odd", True), "odd": parity("odd", "even", False)}, "even")
SELF = program({"fib": fib()}, "fib")


def test_recursion_on_both_targets():
    for target in ("numpy", "numba"):
        assert [bool(compile_program(MUTUAL, target)(k)) for k in (5, 6, 8, 9, 0)] == [
            False,
            True,
            True,
            False,
            True,
        ]
        assert compile_program(SELF, target)(9) == 55


def test_numba_s_cache_is_used_where_it_is_safe():
    loop = single(
        "f", [Var("x", F8)], lambda b, x: for_(b, "i", (0, 3, 1), {"x": x}, lambda c, i, x: (x * 2.0,))
    )
    assert cacheable(loop) and cacheable(SELF) and not cacheable(MUTUAL)
    assert "cache=True" in show(SELF, target="numba") and "cache=True" not in show(MUTUAL, target="numba")
    literal = program(
        {**SELF.functions, "f": function("f", [], lambda b: call_(b, "fib", [9], [I8], ["t"]))}, "f"
    )
    assert not cacheable(literal)


RECURSIVE = """
import test_targets as t
from compile_program import compile_program
print(compile_program(t.MUTUAL, "numba")(8), compile_program(t.SELF, "numba")(9))
"""


@pytest.mark.turns(4)
def test_recursive_functions_run_again_in_the_next_process():
    paths = os.pathsep.join((str(ROOT), *sys.path))
    for _ in range(2):
        made = subprocess.run(
            [sys.executable, "-c", RECURSIVE], cwd=ROOT, env={**os.environ, "PYTHONPATH": paths},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (made.returncode, made.stdout) == (0, "True 55\n"), made.stderr


def test_programs_are_named():
    p: Program = single("gain", [Var("x", F8)], lambda b, x: np.exp(x) * 2.0)
    assert compile_program(p).__name__ == "gain"
    assert compile_program(p)(0.0) == 2.0
