"""The checker: well-formed programs pass, each kind of mistake is named at its line."""

from dataclasses import replace

import numpy as np
import pytest
from irbuild import B1, F8, I8, RNG, at, for_, function, if_, named, single, while_, zeros

from codegen.ir import Apply, Block, Call, Equation, For, If, Lit, Program, Type, Var, While, program
from codegen.ir.check import InternalError, check
from codegen.ir.exceptions import thrown
from codegen.ir.listing import dump
from codegen.pipeline import through
from codegen.primitives import ROWS

SIZE = Var("n", I8)
VECTOR = Type("f8", (SIZE,))


def loop_sum() -> Program:
    return single(
        "f",
        [Var("x", VECTOR)],
        lambda b, x: for_(
            b, "i", (0, b.wrap(SIZE), 1), {"s": 0.0}, lambda c, i, s: (s + at(c, c.wrap(x.atom), i),)
        ),
    )


def one(outs: tuple[Var, ...], op: object, params: tuple[Var, ...] = (), results: tuple = ()) -> Program:
    body = Block((Equation(outs, op),), results)
    return program({"f": replace(function("f", params, lambda b, *a: ()), body=body)}, "f")


def complaint(bad: Program) -> str:
    with pytest.raises(InternalError) as caught:
        check(bad, after="the test")
    return str(caught.value)


def test_a_good_program_comes_back_itself():
    p = loop_sum()
    assert check(p) is p


def test_listing():
    assert dump(loop_sum()) == (
        "main f(x: f8[n]):\n"
        "  s: f8 = for i in range(0, n, 1) with s.2: f8 = 0.0:\n"
        "    t: f8 = index x, i, spec=('i',)\n"
        "    t.2: f8 = add s.2, t\n"
        "    yield t.2\n"
        "  return s\n"
    )


def test_listing_of_branches_and_while():
    p = single(
        "f",
        [Var("x", F8)],
        lambda b, x: if_(
            b,
            x < 0.0,
            ["y"],
            lambda c: (0.0,),
            lambda c: while_(c, {"y": c.wrap(x.atom)}, lambda d, y: y > 1.0, lambda d, y: (y * 0.5,)),
        ),
    )
    assert dump(check(p)) == (
        "main f(x: f8):\n"
        "  t: b1 = lt x, 0.0\n"
        "  y: f8 = if t:\n"
        "    yield 0.0\n"
        "  else:\n"
        "    y.2: f8 = while with y.3: f8 = x:\n"
        "      t.2: b1 = gt y.3, 1.0\n"
        "      test t.2\n"
        "    do:\n"
        "      t.3: f8 = mul y.3, 0.5\n"
        "      yield t.3\n"
        "    yield y.2\n"
        "  return y\n"
    )


def test_the_pass_and_the_line_are_named():
    x, y, z = Var("x", F8), Var("y", F8), Var("z", F8)
    text = complaint(one((y,), Apply(ROWS["exp"], (z,)), (x,), (y,)))
    assert text == (
        "after the test, in f: z: f8 is used out of its scope\n"
        "main f(x: f8):\n"
        "  y: f8 = exp z    # <--- z: f8 is used out of its scope\n"
        "  return y\n"
    )


def test_bound_twice():
    x = Var("x", F8)
    assert "x: f8 is bound twice" in complaint(one((x,), Apply(ROWS["exp"], (x,)), (x,), (x,)))


def test_out_type_must_be_the_rule_s():
    x, y = Var("x", F8), Var("y", Type("f4"))
    assert "out y: f4 is given f8" in complaint(one((y,), Apply(ROWS["exp"], (x,)), (x,), (y,)))


def test_known_sizes_must_agree():
    x, y = Var("x", Type("f8", (3,))), Var("y", Type("f8", (4,)))
    assert "out y: f8[4] is given f8[3]" in complaint(one((y,), Apply(ROWS["exp"], (x,)), (x,), (y,)))


def test_operands_the_rule_refuses():
    x, y = Var("x", Type("f8", (3,))), Var("y", Type("f8", (4,)))
    t = Var("t", Type("f8", (3,)))
    assert "sizes 3 and 4 meet" in complaint(one((t,), Apply(ROWS["add"], (x, y)), (x, y), (t,)))


def test_sizes_are_in_scope():
    x, n = Var("x", F8), Var("n", I8)
    y = Var("y", Type("f8", (n,)))
    assert "n: i8 is used out of its scope" in complaint(
        one((y,), Apply(ROWS["full"], (x, n), {"dtype": "f8"}), (x,), (y,))
    )


def test_effects_have_no_outs():
    x, t = Var("x", B1), Var("t", B1)
    params = {"exception": thrown("ValueError", "no")}
    assert "0 values for 1 outs" in complaint(one((t,), Apply(ROWS["check"], (x,), params), (x,)))


def test_callee_and_arguments():
    x, y = Var("x", F8), Var("y", F8)
    assert "no function 'g'" in complaint(one((y,), Call("g", (x,)), (x,), (y,)))
    assert "1 values for 0 parameters" in complaint(
        program(
            {**one((y,), Call("g", (x,)), (x,), (y,)).functions, "g": function("g", [], lambda b: 1.0)}, "f"
        )
    )


def test_branches_give_the_same():
    x, y = Var("x", B1), Var("y", F8)
    one_, two = Block((), (Lit(1.0, F8),)), Block((), (Lit(1, I8),))
    assert "result 0 is f8 of one branch, i8 of the other" in complaint(
        one((y,), If(x, one_, two), (x,), (y,))
    )
    assert "1 results of one branch, 0" in complaint(one((y,), If(x, one_, Block((), ())), (x,), (y,)))
    assert "test y: f8 is no bool" in complaint(one((), If(y, Block((), ()), Block((), ())), (y,)))


def test_loops():
    x, i, s, out = Var("x", F8), Var("i", I8), Var("s", F8), Var("s", F8)
    zero, three = Lit(0, I8), Lit(3, I8)
    body = Block((), (Lit(1, I8),))
    loop = For(i, zero, three, 1, (s,), (x,), body)
    assert "carried s: f8 is given i8" in complaint(one((out,), loop, (x,), (out,)))
    assert "bound x: f8 is not an i8 scalar" in complaint(
        one((), For(i, zero, x, 1, (), (), Block((), ())), (x,))
    )
    assert "index x: f8 is not" in complaint(one((), For(x, zero, three, 1, (), (), Block((), ()))))
    assert "step 0" in complaint(one((), For(i, zero, three, 0, (), (), Block((), ()))))
    test = Block((), (x,))
    assert "the condition is not one bool" in complaint(one((), While((), (), test, Block((), ())), (x,)))


def draw(rng: Var, out: Var, value: Var) -> Equation:
    return Equation((out, value), Apply(ROWS["draw_random"], (rng,)))


def test_streams_are_consumed_once():
    rng, r1, r2, u, v = Var("rng", RNG), Var("rng", RNG), Var("rng", RNG), Var("u", F8), Var("v", F8)
    empty = function("f", (rng,), lambda b, r: ())
    twice = Block((draw(rng, r1, u), draw(rng, r2, v)), (u, v))
    assert "stream rng: rng is used after it was consumed" in complaint(
        program({"f": replace(empty, body=twice)}, "f")
    )
    thread = Block((draw(rng, r1, u), draw(r1, r2, v)), (u, v))
    check(program({"f": replace(empty, body=thread)}, "f"))


def test_a_copied_stream_is_another_stream():
    rng, kept, r1, r2, u, v = (
        Var(n, RNG if n[0] == "r" else F8) for n in ("rng", "rk", "r1", "r2", "u", "v")
    )
    copy = Equation((kept,), Apply(ROWS["copy"], (rng,)))
    empty = function("f", (rng,), lambda b, r: ())
    check(
        program({"f": replace(empty, body=Block((copy, draw(rng, r1, u), draw(kept, r2, v)), (u, v)))}, "f")
    )
    late = Block((draw(rng, r1, u), copy), (u,))
    assert "used after it was consumed" in complaint(program({"f": replace(empty, body=late)}, "f"))


def test_each_branch_may_consume_a_stream():
    rng = Var("rng", RNG)

    def take(b):
        return b.apply("draw_random", b.wrap(rng), name="rng")

    p = single(
        "f",
        [rng, Var("x", F8)],
        lambda b, r, x: if_(b, x < 0.0, ["rng", "u"], take, lambda c: (c.wrap(rng), 0.5)),
    )
    check(p)


def test_a_loop_must_carry_the_stream_it_consumes():
    rng, r1, u, i = Var("rng", RNG), Var("rng", RNG), Var("u", F8), Var("i", I8)
    loop = For(i, Lit(0, I8), Lit(3, I8), 1, (), (), Block((draw(rng, r1, u),), ()))
    assert "consumed in a loop that does not carry it" in complaint(one((), loop, (rng,)))


def test_zero_size_program():
    check(single("f", [], lambda b: np.exp(named(zeros(b, 3), "z"))))


def test_a_callee_that_draws_nothing_consumes_nothing():
    """Nor one that passes the stream on to such."""
    rng, r1, u = Var("rng", RNG), Var("rng", RNG), Var("u", F8)
    idle = function("idle", (Var("r", RNG),), lambda b, r: ())
    inner = Var("r", RNG)
    passing = replace(
        idle, name="passing", params=(inner,), body=Block((Equation((), Call("idle", (inner,))),), ())
    )
    calls = tuple(Equation((), Call(name, (rng,))) for name in ("idle", "passing", "idle"))
    main = replace(idle, name="f", params=(rng,), body=Block((*calls, draw(rng, r1, u)), (u,)))
    check(program({"idle": idle, "passing": passing, "f": main}, "f"))
    taking = replace(
        idle, name="taking", params=(inner,), body=Block((draw(inner, Var("r", RNG), Var("v", F8)),), ())
    )
    both = Block((Equation((), Call("taking", (rng,))), draw(rng, r1, u)), (u,))
    assert "used after it was consumed" in complaint(
        program({"taking": taking, "f": replace(main, body=both)}, "f")
    )


@pytest.mark.parametrize("checked", ["passes", ""])
def test_the_pass_that_goes_wrong_is_named(monkeypatch: pytest.MonkeyPatch, checked: str) -> None:
    """Also where the last program alone is asked at first, and where a later pass fails of it."""
    monkeypatch.setenv("AUTOBATCH_CHECK", checked)
    good, lost = loop_sum(), Var("y", F8)
    bad = one((lost,), Apply(ROWS["sin"], (Var("x", F8),)), results=(lost,))
    ran: list[str] = []

    def fails(p: Program) -> Program:
        ran.append(p.main)
        raise KeyError("x")

    with pytest.raises(InternalError, match="after spoil, in f"):
        through({"tidy": lambda p: p, "spoil": lambda p: bad, "same": lambda p: p}, good, check)
    with pytest.raises(InternalError, match="after spoil, in f"):
        through({"spoil": lambda p: bad, "fail": fails}, good, check)
    assert ran == (["f"] if not checked else [])
    made = through({"tidy": lambda p: loop_sum(), "same": lambda p: p}, good, check)
    assert list(made) == ["tidy", "same"] and made["same"] is made["tidy"]
