"""Files read without running them, and texts added to them."""

import doctest

import hypothesis.strategies as st
import libcst as cst
import pytest
from hypothesis import given, settings

from codegen.read import module, tree
from codegen.read.bindings import Imported, LiteralValue, RecordType, Unknown
from codegen.read.module import append_text, read_module
from codegen.source import SourceError

MODEL = """\
#!/usr/bin/env python
\"\"\"A model.\"\"\"
import numpy as np, scipy.special
from math import exp as e, log
from . import near
from ..far.off import thing
import typing
from collections import namedtuple

SCALE = TWICE = -2.0; NAME: str = "model"
LOW, (HIGH, *REST) = 0, (1, 2)
A, B = 1, (2, (-3.0, None))
LOG_2 = log(2) / SCALE
TABLE = [1, 2]
BAD = b"12"
Pair = namedtuple("Pair", "x y", defaults=(1,))
Triple = namedtuple("Triple", ["x", "y", "z"])
Odd = namedtuple("Odd", "x y", rename=True)
Mean = typing.NamedTuple("Mean", [("m", float), ("n", int)])


class State(typing.NamedTuple):
    \"\"\"Where it is.\"\"\"

    q: float
    p: float = 0.0


class Other:
    q: float = 1.0


@np.vectorize
@near.jit(target="numpy")
@LOW[0]
def f(x):
    return SCALE * np.exp(x)


g = lambda x: x + near


def count():
    global counted
    counted += 1


counted = 0
changed = 1
changed += 1
gone = 1
del gone
if SCALE:
    maybe = 1
    import os.path
for k in (late := TABLE):
    with open(k) as file: pass
raise SystemExit("reading runs nothing")
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return read_module(path)


def of_kind(model, kind):
    return {name: found for name, found in model.bindings.items() if isinstance(found, kind)}


def test_imports(model):
    assert {name: found.path for name, found in of_kind(model, Imported).items()} == {
        "np": "numpy", "scipy": "scipy", "e": "math.exp", "log": "math.log", "near": ".near",
        "thing": "..far.off.thing", "typing": "typing", "namedtuple": "collections.namedtuple",
    }  # fmt: skip


def test_constants(model):
    assert {name: found.value for name, found in of_kind(model, LiteralValue).items()} == {
        "SCALE": -2.0, "TWICE": -2.0, "NAME": "model", "LOW": 0, "A": 1, "B": (2, (-3.0, None)),
    }  # fmt: skip


def test_named_tuples(model):
    found = of_kind(model, RecordType)
    assert {name: (record.name, record.fields, record.defaults) for name, record in found.items()} == {
        "Pair": ("Pair", ("x", "y"), {"y": 1}),
        "Triple": ("Triple", ("x", "y", "z"), {}),
        "Mean": ("Mean", ("m", "n"), {}),
        "State": ("State", ("q", "p"), {"p": 0.0}),
    }


def test_what_is_not_known_has_its_place(model):
    lines = MODEL.splitlines()
    found = of_kind(model, Unknown)
    assert {name: lines[unknown.span.line - 1].strip() for name, unknown in found.items()} == {
        "HIGH": "LOW, (HIGH, *REST) = 0, (1, 2)",
        "REST": "LOW, (HIGH, *REST) = 0, (1, 2)",
        "LOG_2": "LOG_2 = log(2) / SCALE",
        "TABLE": "TABLE = [1, 2]",
        "BAD": 'BAD = b"12"',
        "Odd": 'Odd = namedtuple("Odd", "x y", rename=True)',
        "Other": "class Other:",
        "counted": "global counted",
        "changed": "changed += 1",
        "gone": "del gone",
        "maybe": "maybe = 1",
        "os": "import os.path",
        "k": "for k in (late := TABLE):",
        "late": "for k in (late := TABLE):",
        "file": "with open(k) as file: pass",
    }
    assert isinstance(found["LOG_2"].value, tree.Binary)
    assert found["BAD"].value is None


def test_functions_of_a_file(model):
    assert model.functions == ("f", "g", "count")
    assert model.bindings["f"].decorators == ("numpy.vectorize", ".near.jit", "LOW[0]")
    f = model.define("f")
    assert (f.name, f.span.text, f.span.source.file) == ("f", "def f(x):", model.file)
    assert (model.define("g").name, model.define("g").span.line) == ("g", 40)
    with pytest.raises(SourceError, match="`global` is not supported"):
        model.define("count")
    with pytest.raises(KeyError, match="has no function `h`; its functions: f, g, count"):
        model.define("h")


def test_star_import_leaves_earlier_names_unknown(tmp_path):
    path = tmp_path / "star.py"
    path.write_text("exp = 1\nfrom math import *\nlog = 2\n")
    found = read_module(path)
    assert [type(found.lookup(name)) for name in ("exp", "log", "sin")] == [Unknown, LiteralValue, Unknown]
    assert found.lookup("sin").span.line == 2


def test_lookup_of_a_name_that_is_not_bound(model):
    assert model.lookup("len") is None


def test_a_file_is_read_in_its_encoding(tmp_path):
    path = tmp_path / "latin.py"
    path.write_bytes("# coding: latin-1\r\nname = 'é'\r\ndef f(): return 'é'\r\n".encode("latin-1"))
    found = read_module(path)
    assert (found.bindings["name"].value, found.module.encoding) == ("é", "iso-8859-1")
    assert found.define("f").span.text == "def f(): return 'é'"


def test_a_file_that_is_no_python(tmp_path):
    path = tmp_path / "bad.py"
    path.write_bytes(b"x = '\xff'\n")
    with pytest.raises(SourceError, match="bad.py is no Python text: "):
        read_module(path)
    path.write_text("x = 1\ny = (\n")
    with pytest.raises(SourceError, match="this is no Python that can be read: ") as caught:
        read_module(path)
    assert caught.value.filename == str(path)


# Texts added to a file.


def added(text, texts=("def h():\n    return 1\n",), imports=()):
    found = append_text(cst.parse_module(text), texts, imports)
    compile(found, "<added>", "exec")
    return found


H = "def h():\n    return 1\n"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", H),
        ("x = 1", f"x = 1\n\n\n{H}"),
        ("x = 1\n\n\n\n\n", f"x = 1\n\n\n\n\n{H}"),
        (
            "def f():\n\tif 1:\n\t\tpass\n\t# inside\n# end",
            f"def f():\n\tif 1:\n\t\tpass\n\t# inside\n# end\n\n\n{H}",
        ),
        ("@ d (1 , 2)\n# c\ndef  f( ) :return 1 ;\n", f"@ d (1 , 2)\n# c\ndef  f( ) :return 1 ;\n\n\n{H}"),
        (
            "x = 1\nif __name__ == '__main__':\n    x = 2",
            f"x = 1\n\n\n{H}\n\nif __name__ == '__main__':\n    x = 2\n",
        ),
        (
            'x = """\n# a\n# b"""\n# run\n# it\nif "__main__"==__name__: x = 2\n# end\n',
            f'x = """\n# a\n# b"""\n\n\n{H}\n\n# run\n# it\nif "__main__"==__name__: x = 2\n# end\n',
        ),
        (
            "if __name__ == '__main__':\n    x = 2\ny = 1\n",
            f"if __name__ == '__main__':\n    x = 2\ny = 1\n\n\n{H}",
        ),
    ],
)  # fmt: skip
def test_added_text(text, expected):
    assert added(text) == expected


def test_added_texts_keep_a_distance():
    assert added("x = 1\n", ["# g\ng = 1", "\n\ny = 2\n\n"]) == "x = 1\n\n\n# g\ng = 1\n\n\ny = 2\n"


def test_line_ends_are_the_files():
    text = "import math\r\nx = '''\r\n'''\r\n"
    assert added(text, imports=["import numpy as np"]) == (
        "import math\r\nimport numpy as np\r\nx = '''\r\n'''\r\n\r\n\r\ndef h():\r\n    return 1\r\n"
    )


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", "import numpy as np\n"),
        ("x = 1\n", "import numpy as np\n\nx = 1\n"),
        ("# x is\nx = 1\n", "import numpy as np\n\n# x is\nx = 1\n"),
        (
            "#!/bin/python\n# coding: utf-8\n# x is\nx = 1\n",
            "#!/bin/python\n# coding: utf-8\n\nimport numpy as np\n\n# x is\nx = 1\n",
        ),
        ("# Licence\n\nx = 1\n", "# Licence\n\nimport numpy as np\n\nx = 1\n"),
        ("# Licence", "# Licence\n\nimport numpy as np\n"),
        ('"""Doc."""\nx = 1\n', '"""Doc."""\n\nimport numpy as np\n\nx = 1\n'),
        ('"""Doc (x)."""\nx = 1\n', '"""Doc (x)."""\n\nimport numpy as np\n\nx = 1\n'),
        ('"""Doc."""\n\nx = 1\n', '"""Doc."""\n\nimport numpy as np\n\nx = 1\n'),
        ('"""Doc."""', '"""Doc."""\n\nimport numpy as np\n'),
        (
            '"""Doc."""\nfrom __future__ import division\n# c\nfrom re import (\n A) # d\nx = 1\nimport os\n',
            '"""Doc."""\nfrom __future__ import division\n# c\nfrom re import (\n A) # d\n'
            "import numpy as np\nx = 1\nimport os\n",
        ),
        ("import numpy as np\n", "import numpy as np\n"),
        ("x = 1\nimport numpy as np, math", "x = 1\nimport numpy as np, math"),
        ("import numpy\n", "import numpy\nimport numpy as np\n"),
    ],
)  # fmt: skip
def test_added_import(text, expected):
    assert added(text, (), ["import numpy as np"]) == expected


def test_of_an_import_only_what_is_missing_is_added():
    text = "from importlib import reload\nimport scipy\n"
    imports = ["from importlib import reload, metadata as m", "import scipy", "import scipy.special"]
    assert added(text, (), imports) == text + "from importlib import metadata as m\nimport scipy.special\n"


@pytest.mark.parametrize(
    "text, texts, imports, message",
    [
        ("np = 1", (), ["import numpy as np"],
         "cannot add `import numpy as np`: the module uses the name `np` for something else"),
        ("import math as np", (), ["import numpy as np"],
         "cannot add `import numpy as np`: the module uses the name `np` for something else"),
        ("def h(): pass", [H], (), "cannot add `h`: the module has something of that name"),
        ("", (), ["x = 1"], "`x = 1` is no import"),
    ],
)  # fmt: skip
def test_what_cannot_be_added(text, texts, imports, message):
    with pytest.raises(ValueError) as caught:
        append_text(cst.parse_module(text), texts, imports)
    assert str(caught.value) == message


odd_text = ["if x:\n\ty = 2\n\t# in", "'''\n# s'''", "x = (\n# p\n  1)"]
lines = st.sampled_from(["x = 1", "# c", "", "def f(): return 1", "import re", *odd_text])


@pytest.mark.turns(4)
@settings(max_examples=100)
@given(st.lists(lines, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_everything_else_is_kept(parts, newline, ends, main):
    parts = [*parts, "if __name__ == '__main__':\n  print(1)"] if main else parts
    text = "\n".join(parts).replace("\n", newline) + newline * ends
    found = added(text, [H], ["import numpy as np"])
    kept = [line for line in text.splitlines() if line]
    new = ["import numpy as np", *H.splitlines()]
    rest = [line for line in found.splitlines() if line]
    for line in new:
        rest.remove(line)
    assert rest == kept
    assert "\n" not in text or not {"\n", "\r"} & set(found.replace(newline, ""))


def test_docstring_examples():
    assert doctest.testmod(module).failed == 0
