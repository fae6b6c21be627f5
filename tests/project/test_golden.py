"""The golden fixture: compares, tells how to make a missing file, rewrites under the flag."""

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
