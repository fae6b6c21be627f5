"""Names bound, read, free, live and carried, by example and against running the programs."""

import textwrap

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from codegen.read import scope
from codegen.read.module import read_text


def body(text):
    """The statements of a function's body."""
    return read_text("def f():\n" + textwrap.indent(textwrap.dedent(text), "    "))["f"].body


def test_assigned():
    text = """
        a, (b, *c) = x
        d[i] = e = 1
        if a: g += 1
        else:
            for h, j[0] in x: k = 1
            else: l = 1
        def m(p):
            q = 1
        n = [r for r in x]
        while (s): t = lambda u: u
        a = 2
    """
    assert scope.assigned_names(body(text)) == tuple("abceghklmnt")


def test_reads():
    text = """
        a[i] += b.c
        d += 1
        [e, f[g]] = h(j, k=l)
        n = [o + p for o in q]
        r = lambda s, t=u: s + t + v
        def w(x=y, *, z): return x + z + aa + w
        for bb, cc[dd] in ee: raise ff(f"{gg}")
        assert hh.ii, jj[kk:ll]
    """
    expected = "a i b d h j l f g q p u v y aa w ee cc dd ff gg hh jj kk ll"
    assert scope.read_names(body(text)) == tuple(expected.split())
    assert scope.read_names(body("return x if y else -z")[0].value) == ("y", "x", "z")
    assert scope.read_names(None) == ()


def test_free():
    [function] = read_text("""
def f(x, n=outer):
    y = x + a
    def g(z):
        w = z + y + b
        def h(): return w + c + g(x)
        return h
    return [g(i) for i in range(n)]
""").values()
    assert scope.free_names(function) == ("a", "b", "c", "range")
    [_, inner, _] = function.body
    assert scope.free_names(inner) == ("y", "b", "c", "g", "x")
    assert scope.free_names(body("return lambda x, y=z: x + y + u")[0].value) == ("u",)


def test_a_name_assigned_anywhere_is_local_everywhere():
    [function] = read_text("def f():\n    y = x\n    x = 1\n    return y\n").values()
    assert scope.free_names(function) == ()


def test_mutated():
    text = """
        a[0] = 1
        b.T[1:][0], c = 1, 2
        for d[0] in x: e.f[0] += 1
        g += 1
        (h if p else i)[0] = 1
        np.ravel(j)[0] = 2
        def k(l):
            m[0] = l[0] = n[0] = 1
            n = 2
        o.p.q[0], o.r = 1, 2
        o.s += 1
    """
    places = ["a", "b.T", "d", "e.f", "h", "i", "np.ravel", "j", "m", "o.p.q", "o.s"]
    assert [".".join(place) for place in scope.mutated_places(body(text))] == places


def live(text, after="", **exits):
    statements = body(text)
    exits = scope.Exits(**{"closures": scope.closures(statements), **exits})
    return "".join(sorted(scope.live_before(statements, frozenset(after), exits) - {"range"}))


def test_live_straight():
    assert live("a = b\nc = a + d", "cx") == "bdx"
    assert live("a += 1\nb[i] = c\nd = 1", "d") == "abci"
    assert live("return a\nb = c", "b") == "a"
    assert live("raise a(b)", "c") == "ab"
    assert live("assert a, b", "c") == "abc"


def test_live_branch():
    assert live("if a: b = 1\nelse: c = 1", "bc") == "abc"
    assert live("if a: b = 1\nelse: b = c", "b") == "ac"
    assert live("if True: b = 1\nelse: b = c", "b") == ""


def test_live_loops():
    assert live("while a: b = c; c = d", "b") == "abcd"
    assert live("for i in x: a = i", "ai") == "aix"
    assert live("for i in x: a = i\nelse: a = i = 1", "ai") == "x"
    assert live("while True:\n  a = b\n  if a: break\n  b = 1", "a") == "b"
    assert live("while True:\n  if c: break\n  a = b", "a") == "abc"
    assert live("for i in x:\n  if i: continue\n  a = b; b = i", "") == "bx"
    assert live("if a: break\nelse: continue", "x", on_break=set("b"), on_continue=set("c")) == "abc"
    assert live("for i in x:\n  for j in i:\n    b = a\n    a = j\n", "b") == "abx"


def test_live_through_nested_functions():
    assert live("def g(x, y=z): return x + s\ns = 1\na = g(2)", "a") == "sz"
    assert live("s = 1\na = g(2)", "a", closures={"g": frozenset("st")}) == "gt"
    assert live("g = lambda x: x + s\nh = g\ns = t\na = h(2)", "a") == "st"
    assert live("def g(): return s\nif a:\n  t = (1, g)\nt[1]()", "") == "ast"


def test_closures():
    text = """
        def g(x): return x + s
        def h(x): return g(x) + t
        both = [g, lambda: u]
        for k in both: y = k(1)
        p = partial(h, 2)
        z = g(3)
        def make(a):
            return lambda b: a + b + v
        q = make(1)
    """
    found = scope.closures(body(text))
    assert {name: "".join(sorted(n for n in held if len(n) == 1)) for name, held in found.items()} == {
        "g": "s", "h": "gst", "both": "su", "k": "su", "p": "gst", "make": "v", "q": "v",
    }  # fmt: skip


def carried(text, after="", **exits):
    [loop] = body(text)
    return " ".join(scope.carried_names(loop, frozenset(after.split()), scope.Exits(**exits)))


def test_carried_names():
    assert carried("for i in range(n):\n  t = x[i]\n  s = s + t", "s") == "s"
    assert carried("for i in range(n):\n  t = x[i]\n  s = s + t", "i t") == "i t s"
    assert carried("for i in range(n): a, b = b, a", "") == "a b"
    assert carried("while a > 0: a -= 1; b = a") == "a"
    assert carried("while True:\n  a = f(b)\n  if a: break\n  b = a", "a") == "a b"
    assert carried("for i in x: a = i\nelse: b = a + i", "b") == "i a"
    assert carried("while a:\n  b = 1\n  return c\nelse: c = 2", "") == ""
    assert carried("for i in x:\n  s = i\n  y = g(i)", "", closures={"g": frozenset("s")}) == ""
    assert carried("for i in x:\n  y = g(i)\n  s = i", "", closures={"g": frozenset("s")}) == "s"


values = st.sampled_from(
    ["a", "b", "c", "a + 1", "b - c", "7", "(lambda c: a + c)(b)", "sum([b for b in range(c % 4)])"]
)
few = st.sampled_from("abc")
runs = st.recursive(
    st.one_of(
        st.tuples(few, values).map(lambda p: f"{p[0]} = {p[1]}"),
        st.tuples(few, values).map(lambda p: f"{p[0]} += {p[1]}"),
        st.tuples(few, few, values, values).map(lambda p: f"{p[0]}, {p[1]} = {p[2]}, {p[3]}"),
        values.map(lambda v: f"return ({v}, 0, 0)"),
        st.sampled_from(["if a > 2: break", "if b > 1: continue", "if c: return (c, c, c)"]),
        st.tuples(few, few).map(lambda p: f"def g(x): return x + {p[0]}\n{p[1]} = 1\n{p[1]} = g({p[0]})"),
    ),
    lambda inner: st.tuples(
        st.sampled_from(["if a > b:", "if b:", "for a in range(3):", "for c in range(b % 3):"])
        | st.just("while tick():"),
        st.lists(inner, min_size=1, max_size=4),
        st.lists(inner, max_size=2),
    ).map(lambda p: f"{p[0]}\n{indented(p[1])}" + (f"\nelse:\n{indented(p[2])}" if p[2] else "")),
    max_leaves=8,
)  # fmt: skip


def indented(items):
    return textwrap.indent("\n".join(items), "  ")


@pytest.mark.turns(4)
@settings(max_examples=200)
@given(st.lists(runs, min_size=1, max_size=5), st.sets(few), st.integers(-2, 5))
def test_what_is_not_live_does_not_matter(items, after, start):
    """Names not live at the beginning may hold anything: the names live at the end come out the same."""
    text = "for _ in range(2):\n" + indented(items) + f"\nreturn ({''.join(n + ', ' for n in sorted(after))})"
    needed = live(text)
    first = outcome(text, {name: start for name in "abc"})
    other = outcome(text, {name: start if name in needed else 1000 for name in "abc"})
    assert first == other


def outcome(text, given):
    """What the text returns as a function's body; its `while` loops end by and by."""
    ticks = iter([True, True, False] * 5)
    space = {"tick": lambda: next(ticks, False)}
    exec("def f(a, b, c):\n" + textwrap.indent(text, "    "), space)
    return space["f"](**given)
