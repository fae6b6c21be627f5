"""In-place writes: results and arguments stay right, and copies are made exactly where they must be."""

import numpy as np
import pytest
from irbuild import F8, I8, VECTOR, at, call_, enter, for_, function, if_, named, put, single, while_, zeros

from codegen.emit.inplace import inplace
from codegen.emit.module import show
from codegen.ir import Apply, Program, Var, program
from codegen.ir.check import check
from codegen.ir.interpreter import evaluate
from codegen.ir.traversal import all_equations

X, Y, S, I = Var("x", VECTOR), Var("y", VECTOR), Var("s", F8), Var("i", I8)
ARRAYS = np.array([1.0, 2.0, 3.0, 4.0]), np.array([5.0, 6.0, 7.0, 8.0])


def copies(p: Program) -> int:
    """The copies in a program made ready for printing, its printed text checked against its equations."""
    ready = check(inplace(check(p)), after="inplace")
    args = [
        {VECTOR: ARRAYS[k % 2].copy(), F8: np.float64(2.5), I8: np.int64(2)}[v.type]
        for k, v in enumerate(p.entry.params)
    ]
    before = [np.copy(a) for a in args]
    wanted = evaluate(p, *args)
    for made in (evaluate(ready, *args), printed(p, args)):
        for value, want in zip(made, wanted, strict=True):
            np.testing.assert_array_equal(value, want)
    for argument, old in zip(args, before):
        np.testing.assert_array_equal(argument, old)
    found = [e.op for e in all_equations(ready) if isinstance(e.op, Apply) and e.op.primitive.name == "copy"]
    return len(found)


def printed(p: Program, args: list) -> tuple:
    scope: dict = {}
    exec(show(p), scope)
    made = scope[p.main](*args)
    return made if len(p.entry.body.results) > 1 else (made,)


def count(body, *params: Var) -> int:
    return copies(single("f", params, body))


def test_the_caller_s_array_is_copied_once():
    assert count(lambda b, x: put(b, put(b, x, 0, 1.0), 1, 2.0), X) == 1


def test_an_own_array_is_not_copied():
    assert count(lambda b, x: put(b, np.exp(x), 0, 1.0), X) == 0


def test_an_update_sinks_behind_the_reads_of_the_old_array():
    def body(b, x):
        old = named(np.exp(x), "old")
        new = put(b, old, 0, 1.0)
        return new, at(b, old, 0) * 2.0

    assert count(body, X) == 0


def test_reads_that_need_the_new_array_cannot_pass():
    def body(b, x):
        old = named(np.exp(x), "old")
        new = put(b, old, 0, 1.0)
        return new, at(b, old, 0) * at(b, new, 1) + np.sum(old * at(b, new, 0))

    assert count(body, X) == 1


def test_an_old_array_that_is_returned_is_copied():
    def body(b, x):
        old = named(np.exp(x), "old")
        return put(b, old, 0, 1.0), old

    assert count(body, X) == 1


@pytest.mark.parametrize(
    "view",
    [
        lambda b, x: at(b, x, slice(1, 3)),
        lambda b, x: at(b, x, slice(None, None, -1)),
        lambda b, x: b.apply("reshape", x, 2, 2),
        lambda b, x: b.apply("stop_gradient", x),
        lambda b, x: b.apply("broadcast_to", x, 3, 4),
        lambda b, x: b.apply("transpose", b.apply("reshape", x, 2, 2), perm=(1, 0)),
    ],
)
def test_a_living_view_keeps_its_array(view):
    def body(b, x):
        old = named(np.exp(x), "old")
        seen = named(view(b, old), "seen")
        return put(b, old, 1, 9.0), seen

    assert count(body, X) == 1


def test_a_dead_view_does_not():
    def body(b, x):
        old = named(np.exp(x), "old")
        total = np.sum(named(at(b, old, slice(1, 3)), "seen"))
        return put(b, old, 1, 9.0), total

    assert count(body, X) == 0


def test_gathered_elements_are_no_view():
    def body(b, x):
        old = named(np.exp(x), "old")
        seen = named(at(b, old, (b.apply("arange", 3, dtype="i8"),)), "seen")
        return put(b, old, 1, 9.0), seen

    assert count(body, X) == 0


def test_a_broadcast_is_never_written():
    assert count(lambda b, s: put(b, b.apply("broadcast_to", s, 4), 1, 9.0), S) == 1


def test_a_loop_copies_the_caller_s_array_before_it():
    p = single(
        "f",
        [X],
        lambda b, x: for_(b, "i", (1, 4, 1), {"x": x}, lambda c, i, x: (put(c, x, i, at(c, x, i - 1)),)),
    )
    assert copies(p) == 1
    assert show(p).index("copy") < show(p).index("for")


def test_a_loop_that_only_reads_copies_nothing():
    def body(b, x):
        return for_(b, "i", (0, 4, 1), {"x": x, "s": 0.0}, lambda c, i, x, s: (x, s + at(c, x, i)))

    assert count(body, X) == 0


def test_the_initial_array_read_after_the_loop():
    def body(b, x):
        old = named(np.exp(x), "old")
        (new,) = for_(b, "i", (1, 4, 1), {"x": old}, lambda c, i, x: (put(c, x, i, at(c, x, i - 1)),))
        return new, old

    assert count(body, X) == 1


def test_two_carried_places_that_start_as_one_array():
    def body(b, x):
        old = named(np.exp(x), "old")
        step = lambda c, i, x, y: (put(c, x, i, 1.0), put(c, y, i, at(c, y, i) + 1.0))
        return for_(b, "i", (0, 3, 1), {"x": old, "y": old}, step)

    assert count(body, X) == 1


def test_carried_arrays_that_swap():
    """Jacobi's iteration: write one, read the other, swap; nothing is copied inside."""

    def body(b, x):
        def step(c, k, x, y):
            def inner(d, i, y):
                return (put(d, y, i, 0.5 * at(d, enter(d, x)[0], i - 1)),)

            (y,) = for_(c, "i", (1, 4, 1), {"y": y}, inner)
            return y, x

        return for_(b, "k", (0, 3, 1), {"x": np.exp(x), "y": zeros(b, 4)}, step)

    assert count(body, X) == 0


def test_the_array_of_the_step_before_is_a_copy_each_time():
    def body(b, x):
        step = lambda c, i, x, old: (put(c, x, i, at(c, old, i) + 1.0), x)
        return for_(b, "i", (0, 3, 1), {"x": np.exp(x), "old": zeros(b, 4)}, step)

    p = single("f", [X], body)
    assert copies(p) == 1
    assert show(p).index("for") < show(p).index("copy")


def test_a_row_of_a_history_taken_out_to_be_written():
    def body(b, x):
        xs = named(b.apply("broadcast_to", x, 3, 4).copy(), "xs")
        (s,) = for_(
            b,
            "t",
            (0, 3, 1),
            {"s": 0.0},
            lambda c, t, s: (s + np.sum(put(c, at(c, enter(c, xs)[0], t), 0, s)),),
        )
        return s, xs

    assert count(body, X) == 2


def test_an_array_free_in_the_loop_is_copied_each_time():
    def body(b, x):
        y = named(np.exp(x), "y")
        return for_(
            b, "i", (0, 3, 1), {"s": 0.0}, lambda c, i, s: (s + np.sum(put(c, enter(c, y)[0], i, 1.0)),)
        )

    assert count(body, X) == 1


def test_branches_write_what_dies_with_them():
    def body(b, x, s):
        y = named(np.exp(x), "y")
        return if_(b, s > 0.0, ["y"], lambda c: (put(c, *enter(c, y), 0, 1.0),), lambda c: tuple(enter(c, y)))

    assert count(body, X, S) == 0


def test_a_branch_copies_what_lives_on():
    def body(b, x, s):
        y = named(np.exp(x), "y")
        z = if_(b, s > 0.0, ["z"], lambda c: (put(c, *enter(c, y), 0, 1.0),), lambda c: tuple(enter(c, y)))
        return z[0], y

    assert count(body, X, S) == 1


def test_while_carries_its_array():
    def body(b, x):
        step = lambda c, k, x: (k + 1, put(c, x, k, at(c, x, k) * 2.0))
        return while_(b, {"k": 0, "x": np.exp(x)}, lambda c, k, x: at(c, x, k) < 20.0, step)

    assert count(body, X) == 0


def test_overlapping_accumulation_reads_a_copy():
    def body(b, x):
        y = named(np.exp(x), "y")
        return put(b, y, slice(1, 4), at(b, y, slice(0, 3)), "accumulate")

    assert count(body, X) == 1


def test_overlapping_assignment_is_numpy_s_business():
    def body(b, x):
        y = named(np.exp(x), "y")
        return put(b, y, slice(1, 4), at(b, y, slice(0, 3)))

    assert count(body, X) == 0


def bump(name: str) -> Program:
    return function(name, [Var("v", VECTOR)], lambda b, v: put(b, v, 0, 9.0))


def with_callee(body, *params: Var) -> int:
    return copies(program({"bump": bump("bump"), "f": function("f", params, body)}, "f"))


def test_a_callee_takes_over_what_dies():
    assert with_callee(lambda b, x: call_(b, "bump", [np.exp(x)], [VECTOR], ["t"]), X) == 0


def test_the_caller_copies_what_it_still_needs():
    def body(b, x):
        y = named(np.exp(x), "y")
        return call_(b, "bump", [y], [VECTOR], ["z"])[0], y

    assert with_callee(body, X) == 1


def test_the_caller_of_all_is_protected_from_callees():
    assert with_callee(lambda b, x: call_(b, "bump", [x], [VECTOR], ["t"]), X) == 1


def test_a_callee_that_returns_its_argument():
    def body(b, x):
        y = named(np.exp(x), "y")
        (z,) = call_(b, "same", [y], [VECTOR], ["z"])
        return put(b, z, 0, 1.0), y

    p = program(
        {"same": function("same", [Var("v", VECTOR)], lambda b, v: v), "f": function("f", [X], body)}, "f"
    )
    assert copies(p) == 1


def test_recursion_writes_one_array_all_the_way():
    def body(b, x, i):
        def deeper(c):
            x_, i_ = enter(c, x, i)
            return call_(c, "f", [put(c, x_, i_, at(c, x_, i_ - 1) + 1.0), i_ + 1], [VECTOR], ["t"])

        return if_(b, i > 3, ["t"], lambda c: tuple(enter(c, x)), deeper)

    p = single("f", [X, I], body)
    assert copies(p) == 1
    assert "return f_in_place(x.copy(), i)" in show(p)


def test_making_ready_twice_changes_nothing():
    def body(b, x):
        return for_(b, "i", (0, 3, 1), {"x": x, "y": x}, lambda c, i, x, y: (put(c, x, i, 1.0), x))

    once = inplace(single("f", [X], body))
    assert show(inplace(once)) == show(once)
