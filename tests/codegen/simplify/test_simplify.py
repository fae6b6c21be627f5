"""simplify, dead code and renaming: what goes, what stays, and that the values stay the same."""

from __future__ import annotations

import cProfile
import doctest
import pstats
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_ir import equations, random_program, same
from user_programs import loaded

import codegen.ir.substitution
import codegen.simplify.dead_code
from codegen import ir, jit
from codegen.ir import Apply, Block, Equation, For, Function, If, Lit, Program, Type, Var
from codegen.ir.build import Builder
from codegen.ir.check import check
from codegen.ir.exceptions import thrown
from codegen.ir.interpreter import evaluate
from codegen.ir.kinds import Same
from codegen.ir.listing import dump
from codegen.ir.literals import literal
from codegen.ir.substitution import clone, free, substitute
from codegen.primitives import ROWS
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.dead_code import dead_code
from codegen.simplify.driver import simplify

F8, I8, B1 = Type("f8"), Type("i8"), Type("b1")


def vector(name: str = "x") -> Var:
    return Var(name, Type("f8", (Var("n", I8),)))


def program(params: tuple[Var, ...], build: Callable[..., Any]) -> Program:
    """The program of one function; `build(builder, *parameters)` gives its results."""
    b = Builder(checked=False)
    results = build(b, *(b.wrap(p) for p in params))
    body = b.block(results if isinstance(results, tuple) else (results,))
    return check(ir.program({"f": Function("f", params, body)}, "f"))


def text(p: Program) -> str:
    """The listing of the simplified program, without its first line, indented as in these tests."""
    return "\n".join(line[2:] for line in dump(check(simplify(p))).splitlines()[1:] if line)


def loop(b: Builder, stop: Any, carried: dict[str, Any], body: Callable[..., Any]) -> Any:
    """`for i in range(stop)` over values that start as given; `body(builder, i, *values)`."""
    index = Var("i", I8)
    params = tuple(Var(k, Type(b.atom(v).type.dtype, b.atom(v).type.shape)) for k, v in carried.items())
    inner = b.inner()
    results = body(inner, inner.wrap(index), *(inner.wrap(p) for p in params))
    outs = tuple(Var(p.name, p.type) for p in params)
    init = tuple(b.atom(v) for v in carried.values())
    b.emit(outs, For(index, literal(0), b.atom(stop), 1, params, init, inner.block(results)))
    return tuple(b.wrap(o) for o in outs)


def branch(b: Builder, test: Any, then: Any, orelse: Any, type_: Type = F8) -> Any:
    """The value of `then(builder)` or `orelse(builder)`."""
    sides = []
    for side in (then, orelse):
        inner = b.inner()
        sides.append(inner.block((side(inner),)))
    out = Var("y", type_)
    b.emit((out,), If(b.atom(test), sides[0], sides[1]))
    return b.wrap(out)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_keep_their_results(seed: int) -> None:
    p, arguments = random_program(seed)
    want = evaluate(p, *arguments)
    for run in (dead_code, simplify):
        done = check(run(p), after=run.__name__)
        assert same(evaluate(done, *arguments), want)
        assert len(equations(done)) <= len(equations(bounds(p)))
    again = simplify(simplify(p))
    assert len(equations(again)) == len(equations(simplify(p)))


@pytest.mark.parametrize(
    ("build", "want"),
    [
        (lambda b, x, y: x * 1.0, "return x"),
        (lambda b, x, y: -0.0 + x, "return x"),
        (lambda b, x, y: 0.0 + x, "t: f8 = add 0.0, x\nreturn t"),  # of -0.0 it is 0.0
        (lambda b, x, y: x - -0.0, "t: f8 = sub x, -0.0\nreturn t"),
        (lambda b, x, y: x - 0.0, "return x"),
        (lambda b, x, y: 0.0 - x, "t: f8 = sub 0.0, x\nreturn t"),  # of zeros 0.0, not -0.0
        (lambda b, x, y: -1.0 * x, "t: f8 = neg x\nreturn t"),
        (lambda b, x, y: -(-x), "return x"),
        (lambda b, x, y: x + -y, "t: f8 = sub x, y\nreturn t"),
        (lambda b, x, y: x - -y, "t: f8 = add x, y\nreturn t"),
        (lambda b, x, y: y - (-x) * y, "t: f8 = mul x, y\nt.2: f8 = add y, t\nreturn t.2"),
        (lambda b, x, y: (-x) * (-y), "t: f8 = mul x, y\nreturn t"),
        (lambda b, x, y: x * 0.0, "t: f8 = mul x, 0.0\nreturn t"),
        (lambda b, x, y: b.apply("select", True, x, y), "return x"),
        (lambda b, x, y: b.apply("select", x < y, x, x), "return x"),
        (lambda b, x, y: b.apply("not", x == y), "t: b1 = ne x, y\nreturn t"),
        (lambda b, x, y: b.apply("not", x < y), "t: b1 = lt x, y\nt.2: b1 = not t\nreturn t.2"),
        (lambda b, x, y: b.apply("cast", x, dtype="f8"), "return x"),
        (lambda b, x, y: b.apply("copy", x), "return x"),
        (lambda b, x, y: x * y + y * x, "t: f8 = mul x, y\nt.2: f8 = add t, t\nreturn t.2"),
        (lambda b, x, y: np.exp(b.apply("copy", literal(0.0))), "return 1.0"),
        (
            lambda b, x, y: branch(b, b.apply("eq", literal(2), literal(2)), lambda c: x, lambda c: y),
            "return x",
        ),
        (lambda b, x, y: branch(b, x < y, lambda c: x, lambda c: x), "return x"),
    ],
)
def test_scalar_rules(build: Any, want: str) -> None:
    assert text(program((Var("x", F8), Var("y", F8)), build)) == want


@pytest.mark.parametrize(
    ("build", "want"),
    [
        (lambda b, i: (i + 1) - 1, "return i"),
        (lambda b, i: (i + 1) + 2, "t: i8 = add i, 3\nreturn t"),
        (lambda b, i: (i - 3) + 1, "t: i8 = sub i, 2\nreturn t"),
        (lambda b, i: (i + 2) - (i - 1), "return 3"),
        (lambda b, i: i * 0, "return 0"),
        (lambda b, i: b.apply("eq", i, i), "return True"),
        (lambda b, i: b.apply("eq", i + 1, i), "return False"),
        (lambda b, i: b.apply("lt", i + 1, i), "t: i8 = add i, 1\nt.2: b1 = lt t, i\nreturn t.2"),
    ],
)
def test_int_rules(build: Any, want: str) -> None:
    assert text(program((Var("i", I8),), build)) == want


def test_in_derivatives_zeros_have_no_sign() -> None:
    p = program((Var("x", F8), Var("y", F8)), lambda b, x, y: 0.0 + x)
    assert str(simplify(p, signed=False).entry.body.results) == "(x: f8,)"


@pytest.mark.parametrize(
    ("build", "want"),
    [
        (lambda b, x, i: b.apply("update", x, 2.0, i, spec=("i",))[i], "return 2.0"),
        (
            lambda b, x, i: b.apply("update", b.apply("update", x, 3.0, 1, spec=("i",)), 2.0, 0, spec=("i",))[
                1
            ],
            "return 3.0",
        ),
        (
            lambda b, x, i: b.apply(
                "update", b.apply("update", x, 3.0, -1, spec=("i",)), 2.0, 0, spec=("i",)
            )[-1],
            "t: f8[n] = update x, 3.0, -1, spec=('i',)\nt.2: f8[n] = update t, 2.0, 0, spec=('i',)\n"
            "t.3: f8 = index t.2, -1, spec=('i',)\nreturn t.3",
        ),
        (
            lambda b, x, i: b.apply(
                "accumulate", b.apply("update", x, 0.0, i, spec=("i",)), 5.0, i, spec=("i",)
            ),
            "t: f8[n] = update x, 5.0, i, spec=('i',)\nreturn t",
        ),
        (lambda b, x, i: b.apply("update", x, x[i], i, spec=("i",)) * 2.0, "t: f8[n] = mul x, 2.0\nreturn t"),
        (lambda b, x, i: b.apply("full", 0.0, x.shape[0], dtype="f8")[i], "return 0.0"),
        (
            lambda b, x, i: b.apply(
                "accumulate", b.apply("full", -0.0, x.shape[0], dtype="f8"), 1.0, i, spec=("i",)
            ),
            "t: f8[n] = full -0.0, n, dtype='f8'\nt.2: f8[n] = update t, 1.0, i, spec=('i',)\nreturn t.2",
        ),
        (lambda b, x, i: b.apply("stack", x[i], 2.0)[1], "return 2.0"),
        (lambda b, x, i: b.apply("maximum", x.shape[0], 0), "return n"),
        (
            lambda b, x, i: x * b.apply("full", 2.0, x.shape[0], dtype="f8"),
            "t: f8[n] = mul x, 2.0\nreturn t",
        ),
        (
            lambda b, x, i: np.exp(x - b.apply("full", 0.0, x.shape[0], dtype="f8")),
            "t: f8[n] = exp x\nreturn t",
        ),
        (
            lambda b, x, i: np.reshape(np.reshape(x, (1, x.shape[0])), (x.shape[0], 1)),
            "t: f8[n, 1] = reshape x, n, 1\nreturn t",
        ),
        (lambda b, x, i: np.sum(b.apply("full", 0.0, x.shape[0], dtype="f8")), "return 0.0"),
        (lambda b, x, i: np.sum(np.reshape(i, (1, 1))), "return i"),
    ],
)
def test_array_rules(build: Any, want: str) -> None:
    """Indices that are not proved to be in range leave their checks."""
    found = text(program((vector(), Var("i", I8)), build))
    checks, _, rest = found.rpartition("exception=IndexError('index out of bounds for axis 0')\n")
    made = checks.count(" = ")
    numbered = [f"t.{made + k}" for k in (1, 2)]
    for name, own in zip(numbered, ("t", "t.2")):
        rest = rest.replace(name, own) if checks else rest
    assert rest == want


def test_a_slice_is_not_taken_for_a_place() -> None:
    """x[0:2] and x[1:3] overlap although their bounds differ."""
    x = Var("x", Type("f8", (4,)))

    def build(b: Builder, x: Any) -> Any:
        from codegen.primitives.calls.subscripts import write

        return write(b, x, slice(0, 2), 1.0)[1:3]

    p = program((x,), build)
    assert same(evaluate(simplify(p), np.arange(4.0)), (np.array([1.0, 2.0]),))


def test_new_arrays_stay_apart() -> None:
    """Two `zeros` are two arrays, and a result never becomes the argument itself."""

    def build(b: Builder, x: Any) -> Any:
        zeros = [b.apply("full", 0.0, x.shape[0], dtype="f8") for _ in range(2)]
        return (*zeros, x - zeros[0])

    p = program((vector(),), build)
    x = np.ones(2)
    results = evaluate(simplify(p), x)
    assert results[0] is not results[1] and results[2] is not x
    assert "copy x" in text(p)


def test_loop_invariants_become_free() -> None:
    def build(b: Builder, x: Any, y: Any) -> Any:
        def body(b: Builder, i: Any, s: Any, t: Any, c: Any) -> Any:
            return s + t * b.wrap(x.atom) * c, 1.0 * t, 2.0

        return loop(b, 4, {"s": 0.0, "t": y, "c": 2.0}, body)

    assert text(program((Var("x", F8), Var("y", F8)), build)) == (
        "s: f8 = for i in range(0, 4, 1) with s.2: f8 = 0.0:\n"
        "  t: f8 = mul y, x\n  t.2: f8 = mul t, 2.0\n  t.3: f8 = add s.2, t.2\n  yield t.3\nreturn s, y, 2.0"
    )


def test_an_inner_loop_that_carries_an_invariant() -> None:
    def build(b: Builder, x: Any) -> Any:
        def outer(b: Builder, i: Any, s: Any, t: Any) -> Any:
            return loop(b, 3, {"s": s, "t": t}, lambda b, j, s, t: (s + t, t * 1.0))

        return loop(b, 2, {"s": 0.0, "t": x}, outer)

    assert text(program((Var("x", F8),), build)) == (
        "s: f8 = for i in range(0, 2, 1) with s.2: f8 = 0.0:\n"
        "  s.3: f8 = for i.2 in range(0, 3, 1) with s.4: f8 = s.2:\n"
        "    t: f8 = add s.4, x\n    yield t\n  yield s.3\nreturn s, x"
    )


@pytest.mark.parametrize(("stop", "want"), [(0, "return x"), (1, "t: f8 = sin x\nreturn t")])
def test_loops_of_no_and_of_one_trip(stop: int, want: str) -> None:
    p = program((Var("x", F8),), lambda b, x: loop(b, stop, {"s": x}, lambda b, i, s: (np.sin(s),)))
    assert text(p) == want


def of_one_trip(x, y):
    """Loops from a size to the next, to the one before, and back."""
    y = np.append(y, 7.0)
    n = len(x)
    for i in range(n - 1, n):
        y[i] *= 2.0
    for i in range(n, n - 1):
        y[i] *= 3.0
    for i in range(n, n - 1, -1):
        y[i] += x[i - 1]
    for i in range(n - 1, n + 1):
        y[i] += i
    return y


def test_loops_of_one_trip_by_their_bounds() -> None:
    x = np.arange(1.0, 5.0)
    text = jit(of_one_trip).source(x, x)
    assert text.count("    for i") == 2 and " + 0]" not in text and "y2[n2] = 7.0" in text, text
    assert np.array_equal(jit(of_one_trip)(x, x), of_one_trip(x, x))


def test_two_values_carried_alike_are_one() -> None:
    def build(b: Builder, x: Any) -> Any:
        def body(b: Builder, i: Any, s: Any, t: Any) -> Any:
            after = np.sin(s)
            return after, after

        return loop(b, 3, {"s": x, "t": x}, body)

    assert text(program((Var("x", F8),), build)).endswith("return s, s")


def test_a_check_is_made_once_and_known_afterwards() -> None:
    def build(b: Builder, x: Any) -> Any:
        for message in ("first", "second"):
            b.require(x > 0.0, "ValueError", message)
        return branch(b, x > 0.0, lambda c: x, lambda c: 1.0)

    assert text(program((Var("x", F8),), build)) == (
        "t: b1 = gt x, 0.0\ncheck t, exception=ValueError('first')\nreturn x"
    )


def test_what_is_known_where_one_way_has_raised() -> None:
    def build(b: Builder, n: Any, m: Any) -> Any:
        inner = b.inner()
        inner.apply("fail", exception=thrown("ValueError", "they differ"))
        b.emit((), If(b.atom(b.apply("ne", n, m)), inner.block(()), Block((), ())))
        b.require(b.apply("eq", m, n), "ValueError", "they differ")
        return b.apply("select", b.apply("ne", m, n), 2 * n, m)

    want = """t: b1 = ne n, m
if t:
  fail exception=ValueError('they differ')
else:
return m"""
    assert text(program((Var("n", I8), Var("m", I8)), build)) == want


def test_a_size_that_a_check_leaves_no_choice() -> None:
    def build(b: Builder, n: Any) -> Any:
        alone = b.apply("eq", n, 1)
        b.require(b.apply("or", b.apply("eq", 4, n), alone), "ValueError", "they do not meet")
        return b.apply("select", alone, 4, n)

    assert text(program((Var("n", I8),), build)).endswith("return 4")


def test_what_a_branch_knows() -> None:
    def build(b: Builder, x: Any, y: Any) -> Any:
        test = b.apply("and", x > 0.0, y > 0.0)
        return branch(
            b, test, lambda c: branch(c, c.wrap(x.atom) > 0.0, lambda d: x, lambda d: y), lambda c: y
        )

    assert text(program((Var("x", F8), Var("y", F8)), build)).count("if") == 1


def test_effects_stay_in_order() -> None:
    def build(b: Builder, x: Any) -> Any:
        b.require(x > 0.0, "ValueError", "one")
        loop(b, 3, {"s": x}, lambda b, i, s: (b.require(s > 1.0, "ValueError", "two"), s + 1.0)[1:])
        return x

    done = text(program((Var("x", F8),), build))
    assert done.index("'one'") < done.index("'two'")


def test_stop_gradient_goes_when_asked() -> None:
    p = program((Var("x", F8),), lambda b, x: b.apply("stop_gradient", x) * 2.0)
    assert "stop_gradient" in dump(simplify(p))
    assert "stop_gradient" not in dump(simplify(p, drop={Same.STOPPED}))


def test_what_numpy_refuses_waits_for_the_run() -> None:
    p = program((), lambda b: raw(b, "pow", Lit(2, I8), Lit(-1, I8)))
    assert "pow" in text(p)


def raw(b: Builder, name: str, *operands: Any) -> Any:
    out = Var("t", I8)
    b.emit((out,), Apply(ROWS[name], operands))
    return b.wrap(out)


def test_dead_code_through_calls() -> None:
    """A function keeps what some call needs: its second result and the parameter for it go."""
    x, y = Var("x", F8), Var("y", F8)
    b = Builder()
    callee = Function("g", (x, y), b.block((b.wrap(x) * 2.0, np.exp(b.wrap(y)))))
    a = Var("a", F8)
    outs = (Var("p", F8), Var("q", F8))
    main = Function("f", (a,), Block((Equation(outs, ir.Call("g", (a, a))),), outs[:1]))
    assert dump(check(dead_code(ir.program({"g": callee, "f": main}, "f")))) == (
        "g(x: f8):\n  t: f8 = mul x, 2.0\n  return t\nmain f(a: f8):\n  p: f8 = g(a)\n  return p\n"
    )


def test_an_array_stays_for_the_size_it_brings() -> None:
    p = program((vector(),), lambda b, x: b.apply("full", 1.0, (x * 2.0).shape[0], dtype="f8"))
    assert text(p) == "t: f8[n] = full 1.0, n, dtype='f8'\nreturn t"


@pytest.mark.turns(4)
def test_simplify_is_linear_in_the_program() -> None:
    """Function calls, which are the same on every machine, for each equation."""
    small, large = (random_program(5, statements=n, depth=3)[0] for n in (60, 450))
    assert len(equations(large)) > 5000
    assert calls_for(large) < 1.5 * calls_for(small)


def calls_for(p: ir.Program) -> float:
    profile = cProfile.Profile()
    profile.runcall(simplify, p)
    return pstats.Stats(profile).total_calls / len(equations(p))


def test_sharing_is_kept() -> None:
    """y = y * y, forty times: forty equations."""

    def build(b: Builder, x: Any) -> Any:
        for _ in range(40):
            x = x * x
        return x

    assert len(equations(simplify(program((Var("x", F8),), build)))) == 40


def test_clone_has_binders_of_its_own() -> None:
    p, arguments = random_program(3)
    copy = {name: clone(f) for name, f in p.functions.items()}
    both = ir.program(
        {**p.functions, "copy": ir.Function("copy", copy["main"].params, copy["main"].body)}, "copy"
    )
    check(both)
    assert same(evaluate(both, *arguments), evaluate(p, *arguments))


def test_free_and_substitute_go_through_types() -> None:
    x = vector()
    (n,) = x.type.shape
    block = Block((), (x,))
    assert free(block) == (n, x)
    out = Var("y", x.type)
    inside = Block((Equation((out,), Apply(ROWS["exp"], (x,))),), (out,))
    assert isinstance(n, Var)
    done = substitute(inside, {x: Var("x", Type("f8", (3,))), n: literal(3)})
    assert done.equations[0].outs[0].type.shape == (3,)


@pytest.mark.parametrize("module", [codegen.ir.substitution, codegen.simplify.dead_code])
def test_examples(module: Any) -> None:
    names = {"Type": Type, "Var": Var, "Apply": Apply, "ROWS": ROWS, **vars(module)}
    assert doctest.testmod(module, globs=names).failed == 0


def test_a_single_round_takes_all_its_values_from_before_or_none() -> None:
    """One of its values has another type than what it starts with: the stream stays the loop's own."""
    f = loaded(
        "def step(rng, x):\n    u = rng.normal()\n    return u + x if rng.random() < 0.5 else x\n\n\n"
        "def f(rng):\n    x = int(rng.integers(3))\n    for i in range(1):\n        x = step(rng, x)\n    return x\n"
    )
    rngs = [np.random.Generator(np.random.Philox(key=[2, k])) for k in (1, 1)]
    assert jit(f, target="numpy")(rngs[0]) == f(rngs[1])


def multiples(x, y):
    return x + -2.0 * y, x - -1.0 / y, -3.0 / y + x


def doubled_multiple(x):
    return -0.5 * x + -0.5 * x


def test_negative_multiples_are_taken_away() -> None:
    """Bit for bit the same; what is added to itself, and what has a name, stays."""
    assert "return x - 2.0 * y, x + 1.0 / y, x - 3.0 / y" in jit(multiples, target="numpy").source(1.0, 2.0)
    assert "- 0.5" not in jit(doubled_multiple, target="numpy").source(1.0)
    for x, y in [(1.0, 3.0), (-0.0, np.inf), (0.0, -np.inf), (-2.0, 1.0), (np.nan, 0.5)]:
        got = jit(multiples, target="numpy")(x, y)
        assert [float(v).hex() for v in got] == [float(v).hex() for v in multiples(x, y)]


def later_corner(n: int) -> Any:
    """Both axes of the corner have one size, which each round found out anew."""
    s = np.ones((6 * n, 6 * n))
    return np.linalg.solve(s[6:, 6:] + np.eye(6 * n - 6), s[6:, 0])


def test_rounds_end_where_nothing_changes() -> None:
    """That they do is asked in all tests (AUTOBATCH_CHECK)."""
    np.testing.assert_allclose(jit(later_corner, target="numpy")(2), later_corner(2), rtol=1e-12)
