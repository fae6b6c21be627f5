"""What is beside the kernels that results come from: copies by threads, memory that the system gives ahead."""

import numpy as np
import pytest

from autobatch.execute import arrivals


@pytest.mark.parametrize("workers", [1, 3, 16])
def test_threads_share_the_bytes_of_copies(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of arrays of any number of lanes; every element is copied by one of them."""
    monkeypatch.setattr(arrivals, "WORKERS", workers)
    rng = np.random.default_rng(1)
    sources = [rng.random(shape) for shape in ((50, 4, 10), (50, 4), (1, 7), (0, 3), (3, 1000))]
    aims = [np.zeros((len(s), 2 * s.shape[1], *s.shape[2:]))[:, : s.shape[1]] for s in sources]
    pairs = list(zip(sources, aims, strict=True))
    shares = list(arrivals.shares_of(pairs))
    assert len(shares) <= workers
    counts = [sum(aim.nbytes for _, aim in share) for share in shares]
    assert sum(counts) == sum(s.nbytes for s in sources)
    assert max(counts) <= sum(counts) / workers + 8000  # a lane of the largest
    arrivals.copy_by_threads(pairs)
    for source, aim in pairs:
        np.testing.assert_array_equal(aim, source)


def test_memory_that_is_given_ahead_keeps_what_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "STAGED", 100_000)
    monkeypatch.setattr(arrivals, "PIECE", 8192)
    asked: list[tuple[int, int]] = []
    pages = arrivals.have_pages
    monkeypatch.setattr(arrivals, "have_pages", lambda pieces: asked.extend(pieces) or pages(pieces))
    small, large = np.arange(100.0), np.arange(50_001.0)
    arrivals.have_memory([small, large])
    for _ in range(arrivals.WORKERS):
        arrivals.POOL.submit(lambda: None).result()
    np.testing.assert_array_equal(large, np.arange(50_001.0))
    first, last = large.ctypes.data, large.ctypes.data + large.nbytes
    assert asked and all(first <= place and place + size <= last for place, size in asked)
    assert sum(size for _, size in asked) > large.nbytes - arrivals.PAGESIZE
