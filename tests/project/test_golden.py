"""What all tests share: golden files are compared, missing ones told of, and rewritten under the flag; cases that are
sampled are other ones each day."""

import re

import pytest
from places import TESTS


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest((TESTS / "conftest.py").read_text())
    pytester.makepyfile('def test_text(golden): golden("folder/text.py", "x = 1\\ny = 2\\n")')
    return pytester


def test_missing_written_equal_different(project: pytest.Pytester) -> None:
    file = project.path / "golden" / "folder" / "text.py"
    missing = project.runpytest("-q")
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["*no golden file folder/text.py; make it with pytest --update-golden*"])

    project.runpytest("-q", "--update-golden").assert_outcomes(passed=1)
    assert file.read_text() == "x = 1\ny = 2\n"
    project.runpytest("-q").assert_outcomes(passed=1)

    file.write_text("x = 1\ny = 3\n")
    different = project.runpytest("-q")
    different.assert_outcomes(failed=1)
    different.stdout.fnmatch_lines(["-y = 3", "+y = 2", "*if this is meant: pytest --update-golden"])


SAMPLED = """
import pytest

@pytest.mark.sampled(3)
@pytest.mark.parametrize("k", range(7))
def test_many(k): print(f"many {k};")

@pytest.mark.sampled(3)
@pytest.mark.parametrize("k", range(2))
def test_few(k): print(f"few {k};")

@pytest.mark.sampled(3)
def test_one(): print("one;")
"""


def test_all_cases_run_within_as_many_days(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeconftest((TESTS / "conftest.py").read_text())
    pytester.makeini("[pytest]\nmarkers =\n    slow\n    sampled(n)\n    turns(n)\n")
    pytester.makepyfile(SAMPLED)
    ran = []
    for day in range(3):
        monkeypatch.setenv("AUTOBATCH_TEST_DAY", str(day))
        shown = pytester.runpytest_inprocess("-s", "-m", "not slow").stdout.str()
        ran.append(sorted(re.findall(r"(?:many|few) \d(?=;)|one(?=;)", shown)))
    assert ran == [
        ["few 0", "many 0", "many 3", "many 6", "one"],
        ["few 1", "many 1", "many 4", "one"],
        ["few 0", "many 2", "many 5", "one"],
    ]


TURNS = """
import pytest

@pytest.mark.turns(3)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("k", range(4))
def test_cases(k): print(f"case {k};")

@pytest.mark.turns(3)
def test_alone(): print("alone;")
"""


def test_tests_take_turns(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """One day in three; on its next one a test has other cases."""
    pytester.makeconftest((TESTS / "conftest.py").read_text())
    pytester.makeini("[pytest]\nmarkers =\n    slow\n    sampled(n)\n    turns(n)\n")
    pytester.makepyfile(TURNS)
    ran = []
    for day in range(6):
        monkeypatch.setenv("AUTOBATCH_TEST_DAY", str(day))
        shown = pytester.runpytest_inprocess("-s", "-m", "not slow").stdout.str()
        ran.append(re.findall(r"case \d(?=;)|alone(?=;)", shown))
    cases = [sorted(k for k in found if k != "alone") for found in ran]
    assert sorted(found for found in cases if found) == [["case 0", "case 2"], ["case 1", "case 3"]]
    first, second = (day for day, found in enumerate(cases) if found)
    assert second - first == 3
    first, second = (day for day, found in enumerate(ran) if "alone" in found)
    assert second - first == 3
