"""Functions read into the tree: the structure against Python's own, and live functions at their places."""

import ast
import collections
import dataclasses
import doctest
import functools
import linecache
import textwrap

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from codegen.read import function, scope, tree
from codegen.read.function import read_function
from codegen.read.module import read_text
from codegen.source import SourceError

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.UAdd: "+", ast.USub: "-", ast.Invert: "~", ast.Not: "not", ast.And: "and", ast.Or: "or",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


def of_tree(node):
    """A tree as nested tuples: the kind, then the fields, places left out."""
    if isinstance(node, tuple):
        return tuple(of_tree(item) for item in node)
    if isinstance(node, tree.Text):
        return ("Text", joined(map(of_tree, node.parts)))
    if isinstance(node, tree.Change):
        return of_tree(node.statement)
    if isinstance(node, tree.Replacement):
        return ("Replacement", of_tree(node.value), node.conversion, joined(map(of_tree, node.spec)))
    if not dataclasses.is_dataclass(node):
        return repr(node) if isinstance(node, (int, float)) else node
    names = [part.name for part in dataclasses.fields(node) if part.name not in ("span", "source", "rebound")]
    return (type(node).__name__, *(of_tree(getattr(node, name)) for name in names))


def of_ast(node):
    """Python's own tree in the same tuples."""
    op = lambda: OPERATORS[type(node.op)]
    match node:
        case None:
            return None
        case [*items]:
            found = []
            for item in items:
                made = of_ast(item)
                several = isinstance(item, (ast.Import, ast.ImportFrom, ast.With))
                found += made if several else [] if made is None else [made]
            return tuple(found)
        case ast.Name():
            return ("Name", node.id)
        case ast.Constant():
            return ("Constant", repr(node.value) if isinstance(node.value, (int, float)) else node.value)
        case ast.JoinedStr():
            return (
                "Text",
                joined(p.value if isinstance(p, ast.Constant) else of_ast(p) for p in node.values),
            )
        case ast.FormattedValue():
            spec = of_ast(node.format_spec)[1] if node.format_spec else ()
            return (
                "Replacement",
                of_ast(node.value),
                chr(node.conversion) if node.conversion > 0 else "",
                spec,
            )
        case ast.Tuple() | ast.List():
            return ("Tuple", of_ast(node.elts), repr(isinstance(node, ast.List)))
        case ast.Starred():
            return ("Starred", of_ast(node.value))
        case ast.Dict():
            return ("DictDisplay", tuple(key.value for key in node.keys), of_ast(node.values))
        case ast.Attribute():
            return ("Attribute", of_ast(node.value), node.attr)
        case ast.Subscript():
            return ("Subscript", of_ast(node.value), of_ast(node.slice))
        case ast.Slice():
            return ("Slice", of_ast(node.lower), of_ast(node.upper), of_ast(node.step))
        case ast.Call():
            keywords = tuple((keyword.arg, of_ast(keyword.value)) for keyword in node.keywords)
            return ("CallExpr", of_ast(node.func), of_ast(node.args), keywords)
        case ast.UnaryOp():
            return ("Unary", op(), of_ast(node.operand))
        case ast.BinOp():
            return ("Binary", op(), of_ast(node.left), of_ast(node.right))
        case ast.BoolOp():
            return ("Logical", op(), of_ast(node.values))
        case ast.Compare():
            rest = ((OPERATORS[type(o)], of_ast(c)) for o, c in zip(node.ops, node.comparators))
            return ("Compare", of_ast(node.left), tuple(rest))
        case ast.IfExp():
            return ("Conditional", of_ast(node.test), of_ast(node.body), of_ast(node.orelse))
        case ast.ListComp() | ast.GeneratorExp():
            generator = repr(isinstance(node, ast.GeneratorExp))
            return ("Comprehension", of_ast(node.elt), of_ast(node.generators), generator)
        case ast.comprehension():
            return ("Clause", of_ast(node.target), of_ast(node.iter), of_ast(node.ifs))
        case ast.Lambda():
            return ("Lambda", parameters_of_ast(node.args), of_ast(node.body))
        case ast.Assign():
            return ("Assign", of_ast(node.targets), of_ast(node.value))
        case ast.AnnAssign():
            return node.value and ("Assign", of_ast([node.target]), of_ast(node.value))
        case ast.AugAssign():
            return ("AugAssign", of_ast(node.target), op(), of_ast(node.value))
        case ast.If():
            return ("Branch", of_ast(node.test), of_ast(node.body), of_ast(node.orelse))
        case ast.While():
            return ("Loop", of_ast(node.test), of_ast(node.body), of_ast(node.orelse))
        case ast.For():
            parts = (node.target, node.iter, node.body, node.orelse)
            return ("Iterate", *(of_ast(part) for part in parts))
        case ast.Try():
            return ("Try", *map(of_ast, (node.body, node.handlers, node.orelse, node.finalbody)))
        case ast.ExceptHandler(body=[ast.Raise(exc=None)]):
            return ("Handler", of_ast(node.type), node.name, (), "True")
        case ast.ExceptHandler():
            return ("Handler", of_ast(node.type), node.name, of_ast(node.body), "False")
        case ast.Return():
            return ("Return", of_ast(node.value))
        case ast.Break() | ast.Continue():
            return (type(node).__name__,)
        case ast.Raise():
            return ("Raise", of_ast(node.exc), of_ast(node.cause))
        case ast.Assert():
            return ("Assert", of_ast(node.test), of_ast(node.msg))
        case ast.Pass():
            return None
        case ast.Import():
            roots = [alias.name if alias.asname else alias.name.split(".")[0] for alias in node.names]
            return tuple(
                bound(alias.asname or root, root) for alias, root in zip(node.names, roots, strict=True)
            )
        case ast.ImportFrom():
            names = node.names
            return tuple(bound(each.asname or each.name, f"{node.module}.{each.name}") for each in names)
        case ast.With():
            return (*(("Enter", of_ast(item.context_expr)) for item in node.items), *of_ast(node.body))
        case ast.Expr(value=ast.Yield() as made):
            return ("Yield", of_ast(made.value))
        case ast.Expr():
            return None if isinstance(node.value, ast.Constant) else ("Evaluate", of_ast(node.value))
        case ast.FunctionDef():
            return (
                "Define",
                node.name,
                parameters_of_ast(node.args),
                of_ast(node.body),
                ast.get_docstring(node),
            )


def bound(name, path):
    """An import's name, bound to what is at a path."""
    return "Assign", (("Name", name),), ("Import", path)


def joined(parts):
    """Parts of a text, those that are said as they are together."""
    found = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part != "":
            found.append(part)
    return tuple(found)


def parameters_of_ast(node):
    positional = [(arg, "positional") for arg in node.posonlyargs] + [(arg, "plain") for arg in node.args]
    defaults = [None] * (len(positional) - len(node.defaults)) + node.defaults
    keyword = [(arg, "keyword") for arg in node.kwonlyargs]
    pairs = zip(positional + keyword, defaults + node.kw_defaults)
    return tuple(("Parameter", arg.arg, of_ast(default), kind) for (arg, kind), default in pairs)


def same(text):
    """The tree of the only function in `text` is Python's own."""
    [node] = ast.parse(text).body
    [found] = read_text(text).values()
    assert of_tree(found) == of_ast(node)
    return found


EVERY_KIND = '''
def f(x: np.ndarray, n=2, /, *, m: int = -1, k) -> float:
    """What it does.

    More of it.
    """
    a: int
    b: int = 0x_ff; c = d = (1.5e3,)
    pass
    ...
    "no effect"
    (a, [b, *c]), x[1:, ..., None, ::2] = y
    a @= ~b; x[i,] <<= +1
    if not (0 < a <= b != c is not None) and (a and b) and c or (d or e):
        return
    elif a in b: return a, *b
    else:
        while True:
            if a: break
            else: continue
        else: a = 1
    for i, (j, *k) in enumerate(x): print(i, *j, sep=f"{i!r:>{n}}" "s", end="a" 'b')
    else:
        raise ValueError from f"{{{a=}\\n{b!s:{c}.3f}" 'd'
    assert a, f"{a}"
    assert a
    try: yield a
    except (b, c) as d: pass
    except: raise a
    else: b = 1
    def g(*, z=[i for i in range(3) for j, (k, _) in i if j if not k]):
        'g'
        return lambda q, /, r=1: (q if r else z.T[0].sum()) ** -2 // 3
    import numpy.linalg, math as m
    from scipy.special import expit, logit as l
    with np.errstate(all="ignore"), a.b():
        a = 2
    rng.random(sum(a for a in b), max((c[i] for i in range(3) if i), default=1))
    return {"a": 1, "b" "c": (), 'd': []}, [], 10_000_000_000_000_000_000, x[a, b:c][*d][()]
'''


def test_every_kind():
    found = same(EVERY_KIND)
    assert found.doc == "What it does.\n\nMore of it."
    met = {type(node) for node in nodes(found)}
    assert met == {*tree.Expression.__args__, *tree.Statement.__args__, tree.Replacement, tree.Clause} - {
        tree.Change,
        tree.Delete,  # as nothing of Python's own tree that is compared
    }


def nodes(node):
    yield node
    for part in scope.parts_of(node) if not isinstance(node, tree.Define) else (*node.parameters, *node.body):
        if isinstance(part, tree.Parameter):
            yield from () if part.default is None else nodes(part.default)
        else:
            yield from nodes(part)


names = st.sampled_from("abcxyz")
constants = st.sampled_from(["0", "1", "2.5", "-3", "True", "None", "'s'", "1e-3", "..."])


def expressions():
    atoms = names | constants
    return st.recursive(atoms, compound_expressions, max_leaves=8)


def compound_expressions(inner):
    number = inner.filter(lambda text: not text.startswith(("'", "f'")))
    binary = st.tuples(number, st.sampled_from(sorted(set(OPERATORS.values()) - {"not", "~"})), number)
    several = st.lists(inner, max_size=3)
    index = st.lists(st.tuples(inner, inner).map(lambda p: f"{p[0]}:{p[1]}") | inner, min_size=1, max_size=2)
    return st.one_of(
        binary.map(lambda p: f"({p[0]}) {p[1]} ({p[2]})"),
        # Unbracketed, so that precedence and chains are Python's to decide.
        st.tuples(names, st.sampled_from(["+", "*", "**", "<", "==", "and", "or"]), names, names).map(
            lambda p: f"{p[0]} {p[1]} {p[2]} {p[1]} {p[3]}"
        ),
        st.tuples(st.sampled_from(["-", "+", "~", "not "]), inner).map(lambda p: f"({p[0]}({p[1]}))"),
        st.tuples(inner, inner, inner).map(lambda p: f"(({p[0]}) if ({p[1]}) else ({p[2]}))"),
        several.map(lambda items: f"[{', '.join(items)}]"),
        several.map(lambda items: f"({''.join(item + ', ' for item in items)})"),
        st.tuples(names, index).map(lambda p: f"{p[0]}[{', '.join(p[1])}]"),
        st.tuples(names, several, inner).map(lambda p: f"{p[0]}.f({', '.join([*p[1], 'k=' + p[2]])})"),
        st.tuples(inner, names, names).map(lambda p: f"[({p[0]}) for {p[1]} in {p[2]}]"),
        st.tuples(names, inner).map(lambda p: f"(lambda {p[0]}, k=1: ({p[1]}))"),
        st.tuples(inner, inner).map(lambda p: f"{{'a': {p[0]}, 'b': {p[1]}}}"),
        names.map(lambda name: f"f'{{{name}}}'"),
    )


def statements():
    target = st.one_of(
        names,
        names.map(lambda n: f"{n}[0, 1:]"),
        st.tuples(names, names).map(lambda p: f"({p[0]}, [*{p[1]}])"),
    )
    operators = st.sampled_from(["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"])
    value = expressions()
    simple = st.one_of(
        st.tuples(target, value).map(lambda p: f"{p[0]} = {p[1]}"),
        st.tuples(names, names, value).map(lambda p: f"{p[0]} = {p[1]} = {p[2]}"),
        st.tuples(names, operators, value).map(lambda p: f"{p[0]} {p[1]}= {p[2]}"),
        value.map(lambda v: f"return {v}"),
        value.map(lambda v: f"g({v})"),
        value.map(lambda v: f"assert ({v})"),
        st.sampled_from(["pass", "return", "raise ValueError('no')", "a: int", "a: int = 1; pass"]),
    )
    return st.recursive(simple, compound_statements, max_leaves=6)


def compound_statements(inner):
    block = st.lists(inner, min_size=1, max_size=3).map(lambda items: textwrap.indent("\n".join(items), "  "))
    test = expressions()
    return st.one_of(
        st.tuples(test, block).map(lambda p: f"if {p[0]}:\n{p[1]}"),
        st.tuples(test, block, test, block, block).map(
            lambda p: f"if {p[0]}:\n{p[1]}\nelif {p[2]}:\n{p[3]}\nelse:\n{p[4]}"
        ),
        st.tuples(test, block, block).map(lambda p: f"while {p[0]}:\n{p[1]}\n  break\nelse:\n{p[2]}"),
        st.tuples(names, test, block).map(lambda p: f"for {p[0]} in {p[1]}:\n{p[2]}\n  continue"),
        st.tuples(names, names, test, block).map(lambda p: f"def {p[0]}({p[1]}, k={p[2]}):\n{p[3]}"),
    )


@pytest.mark.turns(8)
@settings(max_examples=100)
@given(st.lists(statements(), min_size=1, max_size=4))
def test_structure_is_pythons_own(body):
    same("def f(a, b, /, c=1, *, x):\n" + textwrap.indent("\n".join(body), "    "))


# Live functions.


def place(node):
    return (node.span.line, node.span.column)


def run(text, name, file):
    """What `name` is after running `text` as the file that `linecache` knows as `file`."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"__name__": "test_text"}
    exec(compile(text, file, "exec"), space)
    return space[name]


def test_a_function_of_this_file_is_read_at_its_place():
    found = read_function(place)
    line = place.__code__.co_firstlineno
    assert (found.name, place(found), found.span.source.file) == ("place", (line, 1), __file__)
    assert found.span.text == "def place(node):"
    [returned] = found.body
    assert place(returned) == (line + 1, 5)
    assert returned.span.source.line(line + 1) == "    return (node.span.line, node.span.column)"


DECORATED = '''\
def keep(f):
    return f

class Holder:
    @keep
    @staticmethod
    def method(x): return x + 1

    def make():
        @keep
        # a comment between
        @keep
        def nested(
            x,  # comments
            y=2,
        ):
            """Words
that begin at the margin."""
            return (x +
y)
        return nested
'''


def test_decorated_nested_and_indented():
    holder = run(DECORATED, "Holder", "<decorated>")
    method = read_function(holder.method)
    assert (method.name, method.span.text) == ("method", "def method(x): return x + 1")
    assert place(method) == (7, 5)
    nested = read_function(holder.make())
    assert (place(nested), nested.span.text) == ((13, 9), "def nested(")
    assert place(nested.body[0].value.right) == (20, 1)
    assert nested.doc == "Words\nthat begin at the margin."


def test_columns_count_characters():
    f = run("if 1:\n\tdef f(é):\n\t\treturn 'ééé', é, lambda: é  # é\n", "f", "<columns>")
    [returned] = read_function(f).body
    assert [place(item) for item in returned.value.items] == [(3, 10), (3, 17), (3, 20)]
    g = run("g = 'ééé', [lambda é: (é,\n  é + 1)]\n", "g", "<columns>")[1][0]
    found = read_function(g)
    assert (place(found), place(found.body[0].value.items[1])) == ((1, 13), (2, 3))


def test_lambda():
    found = read_function(lambda x, k=2: x**k)
    assert (found.name, [p.name for p in found.parameters]) == ("lambda_", ["x", "k"])
    [returned] = found.body
    assert of_tree(returned) == ("Return", ("Binary", "**", ("Name", "x"), ("Name", "k")))


def test_lambdas_of_one_line_are_told_apart():
    fs = [lambda x: x, lambda x: x + 1, lambda x: lambda y: x * y, lambda x: 1, lambda x: x if True else 2]
    shown = [of_tree(read_function(f).body[0].value)[0] for f in fs]
    assert shown == ["Name", "Binary", "Lambda", "Constant", "Conditional"]
    assert of_tree(read_function(fs[2](3)).body[0].value)[:2] == ("Binary", "*")


def without_columns(f):
    """As where Python was told to keep no columns (`-X no_debug_ranges`)."""
    f.__code__ = f.__code__.replace(co_linetable=b"")
    return f


def test_lambdas_without_columns():
    fs = [without_columns(f) for f in [lambda x: x, lambda x: -x, lambda x: 1, lambda x: 1.0, lambda x: None]]
    assert [of_tree(read_function(f).body[0].value)[1] for f in fs] == ["x", "-", "1", "1.0", None]


def test_lambdas_that_cannot_be_told_apart():
    f = run("def make(k): return [lambda x: x + k, lambda x: x - k]\n", "make", "<lambdas>")(1)[1]
    with pytest.raises(SourceError) as caught:
        read_function(without_columns(f))
    message = "cannot tell which lambda of this line is meant: give each its own line, or write a `def`"
    assert (caught.value.msg, caught.value.lineno, caught.value.offset) == (message, 1, 22)


def test_a_wrapped_function_is_not_looked_through():
    def inner(x):
        return x

    @functools.wraps(inner)
    def outer(x):
        return inner(x) + 1

    assert read_function(outer).name == "outer"


def test_doctest():
    """A function typed into a doctest has its text while the doctest runs."""
    text = ">>> def f(x):\n...     return x + 1\n>>> read_function(f).body[0].span.line\n2\n"
    test = doctest.DocTestParser().get_doctest(text, {"read_function": read_function}, "typed", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_text_that_is_not_available():
    space = {}
    exec("def f(x): return x", space)
    with pytest.raises(SourceError) as caught:
        read_function(space["f"])
    assert caught.value.msg == (
        "the text of `f` is not available (<string>): define it in a file or a notebook cell"
    )


def test_text_that_has_changed():
    f = run("def f(x):\n    return x\n", "f", "<changed>")
    for text in ("def g(x):\n    return x\n", "def f(y):\n    return y\n", "def f(x:\n"):
        linecache.cache["<changed>"] = (len(text), None, text.splitlines(True), "<changed>")
        with pytest.raises(SourceError) as caught:
            read_function(f)
        assert (
            caught.value.msg == "the text of `f` (<changed>:1) has changed since it was loaded: load it again"
        )


BOUND = collections.UserDict().keys


@pytest.mark.parametrize(
    "given, message",
    [
        (len, "`len` is built in: it has no Python text to read"),
        (np.exp, "`exp` is built in: it has no Python text to read"),
        (BOUND, "`keys` is a bound method: give its function, `keys.__func__`, and the object"),
        (int, "`int` is a class: give a function that calls it"),
        (3, "expected a Python function, got `3` of type `int`"),
    ],
)  # fmt: skip
def test_what_is_no_python_function(given, message):
    with pytest.raises(TypeError) as caught:
        read_function(given)
    assert str(caught.value) == message


def test_refusals_of_a_live_function_are_at_their_place():
    def f(x):
        y = b"12"
        return y

    with pytest.raises(SourceError) as caught:
        read_function(f)
    assert (caught.value.filename, caught.value.lineno, caught.value.offset) == (
        __file__, f.__code__.co_firstlineno + 1, 13,
    )  # fmt: skip


def test_odd_escapes_give_no_warning():
    assert read_text("def f():\n    return '\\d'\n")["f"].body[0].value.value == "\\d"


def test_docstring_examples():
    assert doctest.testmod(function).failed == 0
