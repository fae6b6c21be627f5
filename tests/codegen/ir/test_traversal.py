"""Equations inside others, and what is free in them, however deep they are nested."""

from codegen.ir import Block, Equation, For, If, Lit, Type, Var
from codegen.ir.build import Builder
from codegen.ir.substitution import free
from codegen.ir.traversal import equations, nested, within

N, X = Var("n", Type("i8")), Var("x", Type("f8"))


def added(name: str, x: Var) -> tuple[Equation, Var]:
    b = Builder()
    out = b.apply("add", x, x, name=name).atom
    return b.equations[-1], out


def loop(name: str, body: Block) -> Equation:
    zero = Lit(0, Type("i8"))
    return Equation((), For(Var(name, Type("i8")), zero, N, 1, (), (), Block(body.equations, ())))


def test_equations_come_before_those_inside_them_in_the_order_they_run() -> None:
    (a, u), (b, v), (c, w) = (added(name, X) for name in "abc")
    test = Var("test", Type("b1"))
    choice = Equation((Var("r", Type("f8")),), If(test, Block((a,), (u,)), Block((b,), (v,))))
    around = loop("i", Block((choice, c), ()))
    last, _ = added("d", w)
    assert list(nested((around, last))) == [around, choice, a, b, c, last]
    assert list(within(choice)) == [choice, a, b]
    assert free(around.op) == (N, test, X)


def test_nests_of_any_depth() -> None:
    innermost, out = added("a", X)
    block = Block((innermost,), (out,))
    for k in range(300):
        block = Block((loop(f"i{k}", block),), ())
        assert free(block) == (N, X) and free(block.equations[0].op) == (N, X)
    assert sum(1 for _ in equations(block)) == 301
