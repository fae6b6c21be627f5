"""What all tests share: golden files, which cases are slow, that no test hangs on a clock, that Ctrl-C is heard."""

import difflib
import gc
import os
import signal
import zlib
from collections import defaultdict
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("no clock", deadline=None)
settings.load_profile("no clock")
# As in a terminal: what is started in the background is deaf to Ctrl-C, and its children are.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Tests run in as many processes as there are processors: none is left to compile ahead (test_compile_ahead.py).
os.environ.setdefault("AUTOBATCH_COMPILE_AHEAD", "0")
# Programs are asked whether they are well formed after each pass, not after the last one alone.
os.environ.setdefault("AUTOBATCH_CHECK", "passes")
# Thousands of tests leave much behind that lives: Python's garbage collector would go through it again and again.
gc.set_threshold(100_000, 20, 20)

# By which cases are sampled; the same in all processes of a run, which may go on past midnight.
DAY = int(os.environ.setdefault("AUTOBATCH_TEST_DAY", str(date.today().toordinal())))

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the files in tests/golden with what the tests produce; read the diff like code",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test that is marked `sampled(n)` every n-th case runs each time, on the next day the ones after these. One
    that is marked `turns(n)` runs one day in n, which its name decides. The others are slow: scripts/test --all."""
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    for name, found in cases.items():
        for k, item in enumerate(found):
            n, turns = (marked(item, mark) for mark in ("sampled", "turns"))
            day, turn = divmod(DAY, turns)  # each case has its turn
            if k % n != day % min(n, len(found)) or zlib.crc32(name.encode()) % turns != turn:
                item.add_marker(pytest.mark.slow)


def marked(item: pytest.Item, mark: str) -> int:
    found = item.get_closest_marker(mark)
    return 1 if found is None else int(found.args[0])


def pytest_report_header() -> str:
    return f"sampled cases: those of AUTOBATCH_TEST_DAY={DAY}"


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)` compares text with tests/golden/<name>, or writes it under --update-golden.

    def test_emitted_gradient(golden):
        golden("logistic_grad.py", grad(logistic).source(beta, X, y))
    """
    update = request.config.getoption("--update-golden")

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            return
        if not path.exists():
            pytest.fail(
                f"no golden file {name}; make it with pytest --update-golden and read it", pytrace=False
            )
        expected = path.read_text()
        if text != expected:
            lines = difflib.unified_diff(
                expected.splitlines(), text.splitlines(), f"golden/{name}", "produced", lineterm=""
            )
            message = "\n".join(lines) or "they differ in white space at line ends only"
            pytest.fail(f"{message}\n\nif this is meant: pytest --update-golden", pytrace=False)

    return compare
