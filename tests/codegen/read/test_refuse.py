"""Every construct that cannot be read: the whole message, its line and column; all of a function at once."""

import traceback

import pytest

from codegen.read.module import read_text
from codegen.read.refuse import ROWS
from codegen.source import SourceError

LOCKSTEP = "lanes run in lockstep, not on an event loop"
UNWIND = "a lane cannot unwind"
RETURNS = "the loop's body is written in its place; write a loop"
LAYOUT = "a type made while running has no known layout"
IMPORT = "modules around it are not looked for; move the import to the top of the module"
TARGET = "a loop gives names values; assign to the attribute in the loop"

# (body of `def f(x):`, column of the problem on the body's first line, what is met, why and what instead)
CASES = {
    "except*": (
        "try:\n    y = 1\nexcept* ValueError:\n    y = 2",
        1,
        "`except*`",
        f"{UNWIND}; test the condition with `if` and `raise`",
    ),
    "with": (
        "with open('a') as y:\n    y = 1",
        1,
        "`with` ... `as`",
        "a lane holds no resources; enter and leave the context outside the function",
    ),
    "class": (
        "class A:\n    pass",
        1,
        "`class` in a function",
        f"{LAYOUT}; move the class to the top of the module",
    ),
    "decorator": (
        "@jit\ndef g(y):\n    return y",
        1,
        "a decorator on a nested function",
        "what it makes of the function is known only when it runs; "
        "move the decorated function to the top of the module",
    ),
    "cache": (
        "@functools.lru_cache(None)\ndef g(*y):\n    return y and g(*y[1:])",
        1,
        "a nested function that remembers its results",
        "what it is given by name or in any number is no key; give it plain parameters, or leave the decorator out",
    ),
    "match of an expression": (
        "match x[0]:\n    case 1:\n        return 2",
        1,
        "`match` of an expression",
        "each case looks at it again; give it a name before",
    ),
    "del of an attribute": (
        "del x[::2]",
        5,
        "`del` of an attribute, or of every k-th item",
        "objects keep their fields; build a new object, or a shorter list",
    ),
    "global": (
        "global y",
        1,
        "`global`",
        "a lane may change only what it owns; pass the value as an argument and return the new one",
    ),
    "import from": ("from . import exp", 1, "`from .` in a function", IMPORT),
    "raise alone": (
        "raise",
        1,
        "`raise` alone, but as all that a handler does,",
        "of what was caught the class alone is known; name the error, as in `raise ValueError(...)`",
    ),
    "yield": ("yield", 1, "`yield` of nothing, or `from`", RETURNS),
    "yield from": ("y = yield from x", 5, "`yield` of nothing, or `from`", RETURNS),
    "number keys and others": (
        "y = {1: x, **x}",
        5,
        "`**` in a dict beside keys that are no text literals",
        "a dict has keys of one kind; write `made.update(other)` afterwards",
    ),
    "element target": (
        "y = [0 for x[0] in x]",
        12,
        "an element as a comprehension's target",
        "a comprehension owns its names; write a loop",
    ),
    "walrus": (
        "y = 1 + (z := x)",
        10,
        "`:=` here",
        "what is written before it is evaluated before it; assign in a statement of its own",
    ),
    "walrus seen outside": (
        "y = 0; z = [y for u in x if (y := u)]; x = y",
        30,
        "`:=` of a name that is used outside of its comprehension, too,",
        "a comprehension owns its names; write a loop",
    ),
    "bytes": ("y = b'12'", 5, "a bytes literal", "values are numbers; write a tuple of integers"),
    "loop over attribute": ("for x.a in y: pass", 5, "an attribute as a loop's target", TARGET),
    "attribute in a loop's pattern": ("for k, x.a in y: pass", 8, "an attribute as a loop's target", TARGET),
}


@pytest.mark.parametrize("body, column, what, advice", CASES.values(), ids=CASES)
def test_construct(body, column, what, advice):
    message = f"{what} is not supported: {advice}"
    text = "def f(x):\n    " + body.replace("\n", "\n    ") + "\n"
    with pytest.raises(SourceError) as caught:
        read_text(text, "model.py")
    [(span, found)] = caught.value.problems
    assert (span.line, span.column, found) == (2, column + 4, message)
    assert caught.value.msg == message
    assert (caught.value.filename, caught.value.lineno, caught.value.offset) == ("model.py", 2, column + 4)


def test_nonlocal():
    text = (
        "def f():\n    def g():\n        nonlocal x\n        x = 2\n    if g:\n        x = 1\n    return x\n"
    )
    assert problems(text) == [
        (
            5,
            5,
            "`nonlocal` is not supported here: 'x' is first given a value in a branch or a loop, or beside other "
            "names; pass the value as an argument and return the new one",
        )
    ]


def test_leaving_finally():
    text = (
        "def f(x):\n    for i in x:\n        try:\n            return i\n        finally:\n            for k in x:\n"
        "                break\n            if i:\n                continue\n            return x\n"
    )
    message = (
        "`return`, `break` or `continue` out of `finally` is not supported: it would undo what was raised; write it "
        "behind the `try`"
    )
    assert problems(text) == [(9, 17, message), (10, 13, message)]


def test_raise_beside_other_statements_of_a_handler():
    text = (
        "def f(x):\n    try:\n        x = 1 / x\n    except ValueError: raise\n    except KeyError as error:\n"
        "        raise error\n    except TypeError:\n        x = 2\n        raise\n    return x\n"
    )
    message = (
        "`raise` alone, but as all that a handler does, is not supported: of what was caught the class alone is known; "
        "name the error, as in `raise ValueError(...)`"
    )
    assert problems(text) == [(9, 9, message)]


def test_async():
    text = (
        "async def f(x):\n    async for k in x:\n        await k\n"
        "    async with x:\n        return [k async for k in x]\n"
    )
    assert problems(text) == [
        (1, 1, f"`async def` is not supported: {LOCKSTEP}; write a plain `def`"),
        (2, 5, f"`async for` is not supported: {LOCKSTEP}; write a plain `for`"),
        (3, 9, f"`await` is not supported: {LOCKSTEP}; call the function directly"),
        (
            4,
            5,
            "`async with` is not supported: a lane holds no resources; "
            "enter and leave the context outside the function",
        ),
        (5, 19, f"`async for` is not supported: {LOCKSTEP}; write a plain `for`"),
    ]


def test_type_alias():
    text = "def f(x):\n    type A = int\n    return x\n"
    message = f"`type` in a function is not supported: {LAYOUT}; move it to the top of the module"
    assert problems(text) == [(2, 5, message)]


def test_template_string():
    text = "def f(x):\n    raise ValueError(t'{x}')\n"
    why = "what it is made of is known only when it runs; write an f-string"
    assert problems(text) == [(2, 22, f"a t-string is not supported: {why}")]


def test_all_problems_at_once_in_line_order_with_nested_functions():
    text = (
        "def f(x):\n"
        "    with x as y:\n"
        "        y = b'12'\n"
        "    def g(a):\n"
        "        del y.a\n"
        "        return lambda: (z := 1)\n"
        "    return g\n"
    )
    with pytest.raises(SourceError) as caught:
        read_text(text, "model.py")
    places = [(span.line, span.column) for span, _ in caught.value.problems]
    assert places == [(2, 5), (3, 13), (5, 13), (6, 25)]
    rest = [f"  model.py:{span.line}: {message}" for span, message in caught.value.problems[1:]]
    assert caught.value.msg.splitlines()[1:] == ["and 3 more:", *rest]


@pytest.mark.parametrize("pattern", ["1, y", "[1]", "{'a': 1}", "int(y)", "1 as y", "(1 | 2) as y"])
def test_patterns_that_take_objects_apart(pattern):
    text = f"def f(x):\n    match x:\n        case {pattern}:\n            return 2\n    return 3\n"
    message = "a pattern that takes an object apart is not supported: its patterns test Python objects; "
    assert problems(text) == [(3, 14, f"{message}write `if` and `elif`")]


def test_problems_of_all_functions_of_a_text():
    assert [line for line, _, _ in problems("def f(x):\n    del x.a\ndef g(x):\n    del x[0::2], x\n")] == [
        2,
        4,
    ]


def test_python_draws_the_caret():
    with pytest.raises(SourceError) as caught:
        read_text("def f(x):\n    y = x + b''\n", "model.py")
    shown = traceback.format_exception_only(caught.value)
    assert shown[:3] == ['  File "model.py", line 2\n', "    y = x + b''\n", "            ^^^\n"]


def test_decorators_of_the_function_itself_are_not_looked_at():
    assert read_text("@g(*a, **{1: 2})\ndef f(x):\n    return x\n")["f"].span.line == 2


def test_every_row_is_met_by_a_test():
    known = [f"{what} is not supported: {advice}" for _, _, what, advice in CASES.values()]
    own_test = {
        "`nonlocal`",
        "`async for`",
        "`async def`",
        "`async with`",
        "`await`",
        "`type` in a function",
        "a t-string",
    }
    own_test |= {"a pattern that takes an object apart", "`return`, `break` or `continue` out of `finally`"}
    assert [row.what for row in ROWS if row.message not in known and row.what not in own_test] == []


def test_text_that_is_no_python():
    with pytest.raises(SourceError) as caught:
        read_text("def f(x):\n    return x +\n", "model.py")
    [(span, message)] = caught.value.problems
    assert (span.source.file, span.line) == ("model.py", 2)
    assert message.startswith("this is no Python that can be read: ")


def test_nested_too_deeply():
    with pytest.raises(
        SourceError, match="nested too deeply to be read: give parts of them names of their own"
    ):
        read_text("def f(x):\n    return " + "-" * 2000 + "x\n")


def problems(text):
    with pytest.raises(SourceError) as caught:
        read_text(text)
    return [(span.line, span.column, message) for span, message in caught.value.problems]
