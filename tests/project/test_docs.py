"""README and docs: their examples run, in order, and print what the pages say.

    ```python             runs; what the page has run before is there
    # name.py             a block that begins so is a file of that name instead
    ```sh                 runs in the shell; the files are there
    ```text               right after one of these: what it printed

Blocks of other kinds are left alone. `pytest --update-golden` writes what was printed into the pages.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest
from places import ROOT

PAGES = (
    "README.md",
    "docs/cuda.md",
    "docs/derivatives.md",
    "docs/language.md",
    "docs/profile.md",
    "docs/random.md",
    "docs/samplers.md",
    "docs/schedules.md",
)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


class Block(NamedTuple):
    """A block of a page, and where its text stands there."""

    kind: str
    text: str
    start: int
    end: int


def blocks(page: str) -> list[Block]:
    return [Block(m[1], m[2], m.start(2), m.end(2)) for m in FENCED.finditer(page)]


def examples(page: str) -> Iterator[tuple[Block, Block | None]]:
    """The blocks that run, each with the one that has its output, if nothing but space stands between."""
    listed = blocks(page)
    for block, after in zip(listed, [*listed[1:], None]):
        if block.kind in ("python", "sh"):
            follows = after is not None and not page[block.end + 4 : after.start - 8].strip()
            yield block, after if follows and after is not None and after.kind == "text" else None


class Session:
    """What a page's examples share: a folder, and the names of its Python blocks."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.names, self.count = folder, {"__name__": "__main__"}, 0

    def printed(self, block: Block) -> str:
        if block.kind == "sh":
            return self.shell(block.text)
        if name := re.match(r"# (\w+\.py)\n", block.text):
            (self.folder / name[1]).write_text(block.text.split("\n", 1)[1].lstrip("\n"))
            return ""
        return self.python(block.text)

    def python(self, text: str) -> str:
        """Run from a file of its own, so that functions have a source to be read."""
        self.count += 1
        path = self.folder / f"block_{self.count}.py"
        path.write_text(text)
        with redirect_stdout(StringIO()) as out:
            exec(compile(text, str(path), "exec"), self.names)
        return out.getvalue()

    def shell(self, text: str) -> str:
        """With this interpreter and this checkout behind `python` and `autobatch`."""
        tools = self.folder / "bin"
        tools.mkdir(exist_ok=True)
        for name, command in (("python", ""), ("autobatch", " -m autobatch")):
            (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{command} "$@"\n')
            (tools / name).chmod(0o755)
        paths = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            ["bash", "-euc", text],
            cwd=self.folder,
            env={**os.environ, **paths},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


SAMPLING = pytest.param("docs/samplers.md", marks=pytest.mark.slow)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", [*(name for name in PAGES if name != "docs/samplers.md"), SAMPLING])
def test_examples_print_what_the_page_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / name).read_text()
    session = Session(tmp_path)
    found = [(block, said, session.printed(block)) for block, said in examples(page)]
    if request.config.getoption("--update-golden"):
        for _, said, printed in reversed(found):
            if said is not None:
                page = page[: said.start] + tidied(printed) + page[said.end :]
        (ROOT / name).write_text(page)
        return
    for block, said, printed in found:
        if said is None:
            assert not printed, f"{name} does not show what this prints:\n{block.text}"
        else:
            assert tidied(printed) == tidied(said.text), f"{name}:\n{block.text}"


def tidied(text: str) -> str:
    """Without white space at the ends of lines and of the text, and without how long passes took."""
    text = re.sub(
        r"^passes: .*$", lambda line: re.sub(r"\d+\.\d ms", "0.3 ms", line[0]), text, flags=re.MULTILINE
    )
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


@pytest.mark.parametrize("name", PAGES)
def test_pages_name_files_that_exist(name: str) -> None:
    prose = "".join((ROOT / name).read_text().split("```")[::2])
    for target in LINK.findall(prose):
        if not target.startswith("http"):
            assert ((ROOT / name).parent / target).exists(), target


def test_a_page_is_cut_into_examples() -> None:
    page = "a\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n```sh\ntrue\n```\nb\n```text\nx\n```\n"
    found = [(block.kind, said and said.text) for block, said in examples(page)]
    assert found == [("python", "1\n"), ("sh", None)]


def test_files_that_the_architecture_names_are_there() -> None:
    there = {
        path.name
        for package in ("codegen", "autodiff", "autobatch", "tests")
        for path in (ROOT / package).rglob("*.py")
    }
    named = re.findall(r"`(?:[\w]+/)*(\w+\.py)`", (ROOT / "ARCHITECTURE.md").read_text())
    assert sorted(set(named) - there) == []
