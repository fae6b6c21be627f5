"""The layers: codegen knows nothing above it, autodiff knows codegen, autobatch knows both in two places."""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from places import ROOT

from codegen.primitives import ROWS

PACKAGES = ("codegen", "autodiff", "autobatch")
MAY_IMPORT = {
    "codegen": {"codegen"},
    "autodiff": {"codegen", "autodiff"},
    "autobatch": {"codegen", "autobatch"},
    "autobatch/mcmc": {"codegen", "autodiff", "autobatch"},
    "autobatch/cli.py": {"codegen", "autodiff", "autobatch"},
}


def layer(file: Path) -> str:
    """The longest key of MAY_IMPORT that the file lies under.

    >>> layer(Path("autobatch/mcmc/kernels/nuts.py")), layer(Path("autobatch/api.py"))
    ('autobatch/mcmc', 'autobatch')
    """
    parents = [file.as_posix(), *(parent.as_posix() for parent in file.parents)]
    return next(parent for parent in parents if parent in MAY_IMPORT)


def imported(text: str) -> list[tuple[int, str]]:
    """(line, module) of every import of one of the three packages, wherever in the file it stands.

    >>> imported("def f():\\n    from codegen.ir import Var\\nimport numpy, autodiff.api")
    [(2, 'codegen.ir'), (3, 'autodiff.api')]
    """
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names):
                found += [(node.lineno, name.name) for name in names]
            case ast.ImportFrom(module=str(module), level=0):
                found.append((node.lineno, module))
            case ast.Call(
                ast.Name("__import__" | "lazily") | ast.Attribute(attr="import_module"),
                [ast.Constant(str(module))],
            ):
                found.append((node.lineno, module))
    return sorted((line, module) for line, module in found if module.split(".")[0] in PACKAGES)


def violations(file: Path, text: str) -> list[str]:
    """One sentence for every import that the layer of the file does not allow."""
    allowed = MAY_IMPORT[layer(file)]
    return [
        f"{file}:{line}: {layer(file)} may not import {module}"
        for line, module in imported(text)
        if module.split(".")[0] not in allowed
    ]


def files() -> list[Path]:
    return sorted(path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def test_every_import_stays_in_its_layer() -> None:
    assert {file.parts[0] for file in files()} == set(PACKAGES)
    assert [line for file in files() for line in violations(file, (ROOT / file).read_text())] == []


def test_no_circles_of_imports() -> None:
    """Those inside functions and for types alone count too."""
    modules = {".".join(f.with_suffix("").parts).removesuffix(".__init__"): f for f in files()}
    imports = {name: needed(ROOT / file, set(modules)) - {name} for name, file in modules.items()}
    while free := {name for name, needs in imports.items() if not needs & imports.keys()}:
        imports = {name: needs for name, needs in imports.items() if name not in free}
    while unused := imports.keys() - {need for needs in imports.values() for need in needs}:
        imports = {name: needs for name, needs in imports.items() if name not in unused}
    assert not imports


def needed(path: Path, modules: set[str]) -> set[str]:
    """The modules that a file imports; of `from package import module` the module."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names):
                found |= {name.name for name in names}
            case ast.ImportFrom(module=str(module), level=0):
                inner = {f"{module}.{name.name}" for name in node.names}
                found |= inner & modules if inner <= modules else {module} | inner & modules
            case ast.Call(ast.Name("lazily"), [ast.Constant(str(module))]):
                found.add(module)
    return found & modules


@pytest.mark.parametrize("package", PACKAGES)
def test_what_takes_long_is_imported_when_it_is_needed(package: str) -> None:
    late = ("numba", "llvmlite", "libcst", "arviz", "matplotlib")
    code = f"import sys, {package}; print(*sorted(sys.modules.keys() & {set(late)}))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "\n"
    )


def test_relative_imports_stay_in_their_package() -> None:
    escapes = [
        f"{file}:{node.lineno}"
        for file in files()
        for node in ast.walk(ast.parse((ROOT / file).read_text()))
        if isinstance(node, ast.ImportFrom) and node.level >= len(file.parts)
    ]
    assert escapes == []


def test_every_folder_is_a_package() -> None:
    folders = {file.parent for file in files()}
    assert [str(folder) for folder in sorted(folders) if not (ROOT / folder / "__init__.py").exists()] == []


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        (
            "codegen/ir/nodes.py",
            "import autodiff",
            ["codegen/ir/nodes.py:1: codegen may not import autodiff"],
        ),
        (
            "codegen/ir/nodes.py",
            "\nfrom autobatch.x import y",
            ["codegen/ir/nodes.py:2: codegen may not import autobatch.x"],
        ),
        ("autodiff/unzip.py", "import autobatch", ["autodiff/unzip.py:1: autodiff may not import autobatch"]),
        ("autobatch/api.py", "import autodiff", ["autobatch/api.py:1: autobatch may not import autodiff"]),
        ("autobatch/mcmc/kernels/nuts.py", "import autodiff, codegen.ir", []),
        ("autobatch/cli.py", "from autodiff import grad", []),
        ("autodiff/unzip.py", "from codegen import ir\nimport autodiffer", []),
    ],
)
def test_a_violation_is_named(file: str, text: str, expected: list[str]) -> None:
    assert violations(Path(file), text) == expected


# What a primitive is called is for its row, for rules of algebra, and for texts.
MAY_NAME = ("codegen/primitives", "codegen/simplify/algebra.py")


def named(file: Path, text: str) -> list[str]:
    """One sentence for every place that asks a primitive for its name, except to print it, or has a table of names."""
    if any(file.is_relative_to(place) for place in MAY_NAME):
        return []
    nodes = list(ast.walk(ast.parse(text)))
    printed = {inside for node in nodes if isinstance(node, ast.JoinedStr) for inside in ast.walk(node)}
    found = []
    for node in nodes:
        match node:
            case ast.Attribute(ast.Attribute(attr="primitive") | ast.Name("primitive" | "rule"), "name"):
                asks = node not in printed
            case ast.Compare(left, _, others):
                asks = any(is_row(side) for side in (left, *others))
            case ast.Dict(keys=items) | ast.Tuple(items) | ast.List(items) | ast.Set(items):
                words = [getattr(item, "value", None) for item in items]
                asks = len(words) > 1 and all(isinstance(word, str) and word in ROWS for word in words)
            case _:
                continue
        if asks:
            found.append(
                f"{file}:{node.lineno}: {ast.unparse(node)}: ask for a field of the row (ir/kinds.py)"
            )
    return found


def is_row(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and ast.unparse(node.value) == "ROWS"


def test_no_pass_asks_a_primitive_for_its_name() -> None:
    assert [line for file in files() for line in named(file, (ROOT / file).read_text())] == []


@pytest.mark.parametrize(
    "text",
    [
        'op.primitive.name == "add"',
        "name = rule.name",
        'op.primitive is ROWS["add"]',
        'SWAPPED = {"lt": "gt", "le": "ge"}',
        'op.kind in ("index", "update")',
    ],
)
def test_a_name_is_found(text: str) -> None:
    assert len(named(Path("codegen/emit/module.py"), text)) == 1
    assert named(Path("codegen/primitives/index.py"), text) == []


def test_a_name_may_be_printed() -> None:
    assert named(Path("codegen/ir/listing.py"), 'f"{op.primitive.name} {words}"') == []


# Where text is emitted; and what looks at text there: names of its own, comments and lengths of lines, arrangement.
PRINTERS = ("codegen/emit", "codegen/targets", "autobatch/kernel", "autobatch/host")
LOOKS = {"startswith", "endswith", "find", "partition", "rpartition", "removeprefix", "removesuffix"}
LOOKS |= {"isidentifier", "isdigit"}
MAY_LOOK = {
    "codegen/emit/coalescing.py": {"identifier", "name_candidates"},
    "codegen/emit/border.py": {"argument"},  # names an argument after its first part
    "codegen/emit/lines.py": {"listed", "quoted", "are_names", "bare_text"},
    "codegen/emit/raising.py": {"maker"},  # names a class after the one it makes
    "codegen/emit/spelling.py": {"number_text"},
    "codegen/emit/whole_arrays.py": {"with_whole_arrays"},  # names an array after its first part
    "autobatch/kernel/numba/addresses.py": {"row_offset"},  # parentheses
    "autobatch/kernel/numba/groups/blocks.py": {"__init__"},  # names of functions
}


def looking(file: Path, text: str) -> list[str]:
    """One sentence for every place of a printer that looks at the text of what it prints."""
    if not any(file.is_relative_to(place) for place in PRINTERS):
        return []
    found = []
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef) and function.name not in MAY_LOOK.get(file.as_posix(), ()):
            for node in ast.walk(function):
                match node:
                    case ast.Call(ast.Attribute(ast.Name("re"))):
                        looks = True
                    case ast.Call(ast.Attribute(owner, word)):
                        looks = word in LOOKS and ast.unparse(owner) not in (
                            "self",
                            "classes",
                        )  # sets that join
                    case ast.Compare(ast.Constant(str()), [ast.In() | ast.NotIn()], [ast.Name(word)]):
                        looks = word in ("text", "code", "source", "line", "written")
                    case _:
                        looks = False
                if looks:
                    found.append(
                        f"{file}:{node.lineno}: {ast.unparse(node)}: ask for what the text is made of"
                    )  # type: ignore[attr-defined]
    return found


def test_no_printer_looks_at_its_text() -> None:
    assert [line for file in files() for line in looking(file, (ROOT / file).read_text())] == []


@pytest.mark.parametrize(
    "line",
    ['re.sub("a", "b", text)', 'text.startswith("np.")', '"draw" in text', "x.y.removesuffix('_kept')"],
)
def test_a_look_is_found(line: str) -> None:
    text = f"def f(text):\n    return {line}"
    assert len(looking(Path("codegen/targets/cuda.py"), text)) == 1
    assert looking(Path("codegen/read/module.py"), text) == []


# Names that mean the same wherever they stand: nodes of the trees of Python, of programs and of kernels; what a
# primitive is in NumPy, in ranges and in rules of algebra; a transform and its declaration; samplers; copied texts.
SHARED_NAMES = {"Assign", "Branch", "Call", "If", "Loop", "Return", "While", "check", "evaluate", "leaves"}
SHARED_NAMES |= {"add", "arange", "extreme", "mul", "real", "reshape", "select", "sub", "trace", "transpose"}
SHARED_NAMES |= {"interval", "ordered", "positive", "positive_ordered", "simplex", "jvp", "step"}
SHARED_NAMES |= {"check_gpu"}
STORES = ("codegen/runtime", "codegen/definitions")  # of functions under names of the libraries'


def top_level(text: str) -> list[str]:
    return [n.name for n in ast.parse(text).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]


def test_one_name_for_one_idea() -> None:
    """No two functions or classes at the outermost level of modules have one name, unless they mean the same."""
    found: dict[str, list[str]] = {}
    for file in files():
        if not any(file.is_relative_to(store) for store in STORES):
            for name in dict.fromkeys(top_level((ROOT / file).read_text())):
                found.setdefault(name, []).append(file.as_posix())
    twice = {name: places for name, places in found.items() if len(places) > 1}
    assert {name: places for name, places in twice.items() if name not in SHARED_NAMES} == {}
    assert SHARED_NAMES - twice.keys() == set()


LINES_OF_A_FILE, LINES_OF_A_FUNCTION, FILES_OF_A_FOLDER = 400, 60, 20


def test_rooms_are_small() -> None:
    """No file, function or folder is longer than a reader takes in at once."""
    long: list[str] = []
    for file in files():
        text = (ROOT / file).read_text()
        if (lines := text.count("\n")) > LINES_OF_A_FILE:
            long.append(f"{file}: {lines} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > LINES_OF_A_FUNCTION:
                    long.append(f"{file}: {node.name} has {lines} lines")
    inside = Counter(file.parent for file in files() if file.name != "__init__.py")
    full = [f"{folder}: {count} files" for folder, count in inside.items() if count > FILES_OF_A_FOLDER]
    assert long + full == []
