"""Lanes on a GPU: the corpus and NUTS, by scripts/gpu_check. A few of them over stand-ins, where there is none."""

import pytest
from corpus import CASES, Case
from lanes_as_threads import NUTS
from on_gpu import check_case, check_nuts
from over_lanes import directory  # noqa: F401
from warp import gpu, with_gpu


@pytest.mark.gpu
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_corpus(case: Case) -> None:
    check_case(case)


@pytest.mark.gpu
@pytest.mark.parametrize("name", NUTS)
def test_nuts(name: str) -> None:
    check_nuts(name, 1024, 20)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", CASES[::5], ids=lambda case: case.name)
def test_corpus_over_stand_ins(case: Case) -> None:
    with with_gpu(gpu()):
        check_case(case)


def test_nuts_over_stand_ins() -> None:
    with with_gpu(gpu()):
        check_nuts("recursive", 3, 1)
