"""scalarize: the same values by loops over scalars, and which arrays are stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_arrays import array_program
from random_ir import equations, random_program, same

from codegen import ir, jit
from codegen.ir import Apply, Equation, For, Function, Program, Type, Var
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.ir.literals import literal
from codegen.loops.elements import element_of
from codegen.loops.lower import scalarize
from codegen.loops.nests import nest
from codegen.primitives import ROWS
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.driver import simplify

I8, F8 = Type("i8"), Type("f8")
SCALAR = {"index", "update", "accumulate", "empty", "full"}


def vector(name: str, n: Var | int) -> Var:
    return Var(name, Type("f8", (n,)))


def program(params: tuple[Var, ...], build: Callable[..., Any]) -> Program:
    b = Builder()
    results = build(b, *(b.wrap(p) for p in params))
    body = b.block(results if isinstance(results, tuple) else (results,))
    return check(ir.program({"f": Function("f", params, body)}, "f"))


def names(p: Program) -> list[str]:
    """The primitives of a program, in order."""
    return [e.op.primitive.name for e in ordered(p) if isinstance(e.op, Apply)]


def ordered(p: Program) -> list[Equation]:
    return equations(p)


def loops(p: Program) -> int:
    return sum(isinstance(e.op, For) for e in equations(p))


def stored(p: Program) -> int:
    """How many arrays are made."""
    return names(p).count("empty") + names(p).count("full")


def agrees(p: Program, arguments: tuple[Any, ...]) -> None:
    """Scalarized, before and after simplification, a program gives what it gave, or the same error."""
    done = check(scalarize(p), after="scalarize")
    try:
        want = evaluate(p, *arguments)
    except (ValueError, IndexError) as error:
        with pytest.raises(type(error)):
            evaluate(done, *arguments)
        return
    for each in (done, check(simplify(done)), check(scalarize(simplify(p)))):
        got = evaluate(each, *arguments)
        tolerance = 1e-4 if any(np.asarray(w).dtype == np.float32 for w in want) else 1e-9
        assert same(got, want, tolerance)


def only_scalars(p: Program) -> bool:
    """Nothing but elements, loops and new arrays."""
    for equation in equations(p):
        if isinstance(equation.op, Apply) and equation.op.primitive.name not in SCALAR:
            if any(a.type.rank for a in (*equation.op.operands, *equation.outs)):
                return False
    return True


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(300))
def test_random_arrays(seed: int) -> None:
    p, arguments = array_program(seed)
    agrees(p, arguments)
    assert only_scalars(scalarize(p))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    p, arguments = random_program(seed)
    agrees(p, arguments)
    done = check(simplify(bounds(scalarize(simplify(p)), normalise=True)))
    assert same(evaluate(done, *arguments), evaluate(p, *arguments), 1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_some_equations_stay(seed: int) -> None:
    """`when` may choose any of them."""
    p, arguments = array_program(seed)
    chosen = np.random.default_rng(seed)
    try:
        want = evaluate(p, *arguments)
    except (ValueError, IndexError):
        return
    done = check(scalarize(p, when=lambda equation: bool(chosen.random() < 0.5)))
    tolerance = 1e-4 if any(np.asarray(w).dtype == np.float32 for w in want) else 1e-9
    assert same(evaluate(done, *arguments), want, tolerance)


ELEMENTWISE = [r for r in ROWS.values() if r.family == "elementwise" and r.name != "cast"]


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize("row", ELEMENTWISE, ids=repr)
@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 3, 2), (0,)], ids=str)
def test_every_elementwise_row(row: Any, shape: tuple[int, ...]) -> None:
    """By loops, over operands some of which are broadcast."""
    rng = np.random.default_rng(len(row.name))
    arguments = operands_for(row, rng, shape)
    params = tuple(
        Var("xyz"[k], Type(a.dtype.str[1:] if a.dtype != bool else "b1", a.shape))
        for k, a in enumerate(arguments)
    )
    p = program(params, lambda b, *xs: b.apply(row, *xs))
    done = check(scalarize(p))
    assert only_scalars(done)
    with np.errstate(all="ignore"):
        assert same(evaluate(done, *arguments), evaluate(p, *arguments), 1e-12)


def operands_for(row: Any, rng: np.random.Generator, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Arguments of the first types that the row takes."""
    for arity in (1, 2, 3):
        for kinds in ("fff", "iii", "bbb", "bff"):
            made = []
            for k in range(arity):
                values = rng.random(size=shape if k != 1 else (1,) * (len(shape) - 1) + shape[-1:])
                made.append({"f": values, "i": (values * 5).astype("i8"), "b": values > 0.5}[kinds[k]])
            dtypes = {"f": "f8", "i": "i8", "b": "b1"}
            atoms = [Var("x", Type(dtypes[kinds[k]], v.shape)) for k, v in enumerate(made)]
            try:
                row.type(*atoms)
            except TypeError:
                continue
            return made
    raise AssertionError(f"no operands for {row.name}")


def test_every_other_row_has_loops_or_elements() -> None:
    """What makes or takes arrays either has elements, or loops of its own, or is known to stay."""
    from codegen.loops.reductions import FOLDS

    stays = {"empty", "half_of", "whole_of", "diagonal_of", "check", "fail", "print", "store", "flatnonzero"}
    for row in ROWS.values():
        known = (
            row.family in ("elementwise", "reduce", "random", "stream")
            or row.kind in FOLDS
            or row.name in stays
        )
        assert known or row.definition or element_of(Apply(row, ())) is not None, row.name


def test_a_chain_and_a_sum_are_one_loop_and_no_array() -> None:
    n = Var("n", I8)
    p = scalarize(program((vector("x", n), vector("w", n)), lambda b, x, w: np.sum(np.exp(x) * w - x)))
    assert (loops(p), stored(p)) == (1, 0)


def test_an_expensive_array_is_stored_by_the_loop_that_needs_it_first() -> None:
    n = Var("n", I8)

    def build(b: Builder, x: Any) -> Any:
        z = np.exp(x)
        return z / np.sum(z)

    p = scalarize(program((vector("x", n),), build))
    assert (loops(p), stored(p), names(p).count("exp")) == (2, 2, 1)


def test_a_cheap_array_is_computed_again() -> None:
    n = Var("n", I8)

    def build(b: Builder, x: Any) -> Any:
        z = x * 2.0
        return z / np.sum(z)

    p = scalarize(program((vector("x", n),), build))
    assert (loops(p), stored(p)) == (2, 1)


def test_a_leapfrog_is_one_loop() -> None:
    """Positions, momenta and the energy, all in one pass; the half step is never stored."""
    n = Var("n", I8)

    def build(b: Builder, q: Any, p: Any, g: Any, h: Any) -> Any:
        half = p + 0.5 * h * g
        q = q + h * half
        p = half - 0.5 * h * q
        return np.sum(p * p), q, p

    made = program((vector("q", n), vector("p", n), vector("g", n), Var("h", F8)), build)
    p = scalarize(made)
    assert (loops(p), stored(p)) == (1, 2)
    rng = np.random.default_rng(0)
    agrees(made, (*(rng.normal(size=5) for _ in range(3)), 0.1))


def test_a_half_step_is_stored_where_memory_matters() -> None:
    """The momentum and the gradient it comes from are then done with; by itself it is computed again."""
    n = Var("n", I8)

    def build(b: Builder, q: Any, p: Any, g: Any, h: Any) -> Any:
        half = p + h * g
        q = q + h * half
        g = q * np.sum(q)
        return q, half + h * g, g

    made = program((vector("q", n), vector("p", n), vector("g", n), Var("h", F8)), build)
    rng = np.random.default_rng(0)
    given = (*(rng.normal(size=5) for _ in range(3)), 0.1)
    for thrifty, arrays in ((False, 3), (True, 4)):
        done = check(scalarize(made, thrifty=thrifty), after="scalarize")
        assert stored(done) == arrays
        assert same(evaluate(done, *given), evaluate(made, *given), 1e-12)


def test_scalars_that_wait_for_a_reduction_keep_no_loop_apart() -> None:
    """The second sum and the array join the loop of the first, though its result is used in between."""
    n = Var("n", I8)

    def build(b: Builder, x: Any, y: Any) -> Any:
        first = 2.0 * np.sum(x * y) + 1.0
        return first, np.sum(np.exp(y)), x - y

    p = program((vector("x", n), vector("y", n)), build)
    assert loops(scalarize(p)) == 1
    agrees(p, (np.arange(3.0), np.ones(3)))


def test_sizes_that_a_check_makes_equal_share_a_loop() -> None:
    x, y = vector("x", Var("n", I8)), vector("y", Var("m", I8))
    p = program((x, y), lambda b, x, y: (np.sum(x * y), np.sum(x), np.sum(y)))
    assert loops(scalarize(p)) == 1


@pytest.mark.parametrize(
    ("build", "order"),
    [
        (lambda b, m, v, w: m @ v, ("i", "j")),
        (lambda b, m, v, w: m.T @ w, ("i", "j")),
        (lambda b, m, v, w: w @ m, ("i", "j")),
        (lambda b, m, v, w: v @ m.T, ("i", "j")),
        (lambda b, m, v, w: np.sum(m, axis=0), ("i", "j")),
        (lambda b, m, v, w: np.sum(m, axis=1), ("i", "j")),
    ],
)
def test_matrices_are_read_along_their_rows(build: Any, order: Any) -> None:
    n, m = Var("n", I8), Var("m", I8)
    params = (Var("m", Type("f8", (n, m))), vector("v", m), vector("w", n))
    made = program(params, build)
    p = scalarize(made)
    outer = next(e.op for e in equations(p) if isinstance(e.op, For))
    (inner,) = (e.op for e in outer.body.equations if isinstance(e.op, For))
    (read,) = (e.op for e in inner.body.equations if isinstance(e.op, Apply) and len(e.op.operands) == 3
               and e.op.primitive.name == "index")  # fmt: skip
    assert read.operands[1:] == (outer.index, inner.index)
    rng = np.random.default_rng(0)
    agrees(made, (rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=4)))


def test_reads_stay_before_the_write_of_what_they_read() -> None:
    """y = x + 1 is computed before x[0] = 5, although nothing needs it until later."""
    n = Var("n", I8)

    def build(b: Builder, x: Any) -> Any:
        z = b.apply("copy", x)
        y = np.sin(z)
        z = b.apply("update", z, 5.0, 0, spec=("i",))
        return y, z

    p = scalarize(program((vector("x", n),), build))
    kinds = [
        "loop" if isinstance(e.op, For) else e.op.primitive.name
        for e in p.entry.body.equations
        if isinstance(e.op, For) or isinstance(e.op, Apply)
    ]
    assert kinds.index("update") > max(k for k, kind in enumerate(kinds) if kind == "loop")


def test_one_element_of_an_array_is_computed_alone() -> None:
    n = Var("n", I8)
    p = scalarize(program((vector("x", n),), lambda b, x: np.exp(x)[0]))
    assert loops(p) == 0 and stored(p) == 0


def test_a_long_chain_does_not_grow() -> None:
    """t = t + t, 60 times, is of the size of the program."""
    n = Var("n", I8)

    def build(b: Builder, x: Any) -> Any:
        for _ in range(60):
            x = np.tanh(x) + x
        return x

    p = scalarize(program((vector("x", n),), build))
    assert len(equations(p)) < 400
    agrees(program((vector("x", n),), build), (np.ones(3),))


def test_an_array_of_draws_is_the_draws_one_by_one() -> None:
    n = Var("n", I8)
    rng = Var("rng", Type("rng"))

    def build(b: Builder, rng: Any, x: Any) -> Any:
        stream, normals = b.apply("draw_standard_normal", rng, *x.shape)
        stream, table = b.apply("draw_random", stream, 2, *x.shape)
        stream, ints = b.apply("draw_integers", stream, 0, 10, *x.shape)
        return normals + x, table, ints

    p = program((rng, vector("x", n)), build)
    streams = [np.random.Generator(np.random.Philox(key=[7, 0])) for _ in range(2)]
    x = np.zeros(5)
    assert same(evaluate(check(scalarize(p)), streams[0], x), evaluate(p, streams[1], x))


@pytest.mark.parametrize(
    ("build", "kind"),
    [
        (lambda b, x: np.sin(x), "parallel"),
        (lambda b, x: np.sum(x), "parallel"),
        (lambda b, x: b.apply("argmax", x, axis=(0,)), "sequential"),
        (lambda b, x: np.cumsum(x), "sequential"),
    ],
)
def test_loops_whose_iterations_may_run_in_any_order_say_so(build: Any, kind: str) -> None:
    p = scalarize(program((vector("x", Var("n", I8)),), build))
    assert [e.op.kind for e in equations(p) if isinstance(e.op, For)] == [kind]


def test_nest_without_axes_runs_once() -> None:
    b = Builder()
    assert nest(b, (), (), (1,), lambda b, at, values: (values[0] + 1,)) == (2,)
    assert b.equations == [] and literal(1).value == 1


def test_nan_and_ties_as_in_numpy() -> None:
    x = Var("x", Type("f8", (4,)))
    rows = ("max", "min", "argmax", "argmin")
    p = program((x,), lambda b, x: tuple(b.apply(r, x, axis=(0,)) for r in rows))
    for values in (
        [1.0, np.nan, 3.0, np.nan],
        [2.0, 2.0, 1.0, 1.0],
        [-np.inf] * 4,
        [np.inf] * 4,
        [np.nan] * 4,
    ):
        agrees(p, (np.array(values),))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.tile(x, (2, 3)),
        lambda x: np.kron(x, x),
        lambda x: np.ravel(x) * 2.0 + np.arange(6.0),
        lambda x: np.ravel(x.T) * 2.0 + np.ravel(x[::-1]),
        lambda x: np.sum(np.ravel(x * x) * np.arange(6.0)),
    ],
)
def test_reshaping_divides_nothing(f: Callable) -> None:
    """Places of elements are not found by division: what is reshaped is stored, and its shape another."""
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(jit(f)(x), f(x))
    assert "//" not in jit(f).source(x) and "%" not in jit(f).source(x)
