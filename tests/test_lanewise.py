"""A loop over the lanes around a function as it is."""

import numpy as np
import pytest
from corpus import Case
from lane_programs import PROGRAMS, equal, evaluated, lanes_of, of_case, printed

from autobatch.lanes.lanewise import lanewise
from autobatch.lanes.local_static import local_static
from codegen.ir.check import check
from codegen.simplify.driver import simplify
from codegen.source import SourceError


@pytest.mark.parametrize("case", [c for c in PROGRAMS if not c.raises], ids=lambda case: case.name)
def test_corpus(case: Case) -> None:
    lanes = of_case(case)
    try:
        made = check(lanewise(lanes.program, lanes.over))
    except SourceError as refusal:
        assert "size would differ from lane to lane" in str(refusal)
        return
    simple = check(simplify(made))
    wanted = lanes.wanted()
    for run in (evaluated(made), evaluated(simple), printed(simple)):
        got = run(*lanes.stacked())
        for k, results in enumerate(wanted):
            for one, column in zip(results, got):
                if not isinstance(one, np.random.Generator):
                    equal(column[k], one)


def halve(x):
    while x > 1.0:
        x = x / 2.0
    return x


def test_a_batch_of_a_batch() -> None:
    """Lanes inside lanes: the inner ones one by one, the outer ones together."""
    inner = lanes_of(halve, lambda: [(3.0,)])
    twice = local_static(lanewise(inner.program, [True]), [True])
    check(twice.program)
    x = np.array([[3.0, 4.0, 0.5], [7.0, 100.0, -1.0]])
    (got,) = evaluated(twice.program)(x)
    assert got.tolist() == [[halve(v) for v in row] for row in x.tolist()]


def test_lanes_that_part_twice_are_refused() -> None:
    inner = lanes_of(halve, lambda: [(3.0,)])
    with pytest.raises(SourceError, match="a batch inside a batch"):
        local_static(local_static(inner.program, [True]).program, [True])
