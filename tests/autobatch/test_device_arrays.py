"""Arguments that are on a GPU: used where they are, results beside them; over stand-ins."""

import sys
from threading import Event
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest
from array_gpu import OfDlpack, cupy
from over_lanes import directory  # noqa: F401
from warp import OfLibrary, OnDevice, gpu, on_device, with_gpu

from autobatch import LaneError, Schedule, Streams, batch, streams
from autobatch.device_arrays import is_contiguous
from autobatch.execute import arrivals, launching


def path(x, step, X):
    """A matrix and a number."""
    found = np.empty((2, 3))
    for i in range(2):
        for j in range(3):
            found[i, j] = x[i, j] + step * X[j]
    return found, np.sum(x)


def root(x):
    if x < 0.0:
        raise ValueError(f"no root of {x}")
    return np.sqrt(x)


def deep(rng, n):
    return 0 if n == 0 else 1 + deep(rng, n - 1) + int(rng.random())


x, step, X = np.arange(24.0).reshape(4, 2, 3), np.arange(4.0), np.array([1.0, 2.0, 3.0])
WANTED = x + step[:, None, None] * X, x.sum(axis=(1, 2))


def counted(cuda: SimpleNamespace) -> list[Any]:
    """The arrays that go there, from now on."""
    went: list[Any] = []

    def to_device(array: np.ndarray) -> OnDevice:
        went.append(array)
        return on_device(array)

    cuda.to_device = to_device
    return went


@pytest.mark.parametrize("bytes_free", [10**9, 100])
def test_nothing_is_copied_that_is_there(bytes_free: int) -> None:
    """Not even where memory is full: in parts, each where it is."""
    cuda = gpu(bytes_free=bytes_free)
    went = counted(cuda)
    many = batch(path, (0, 0, None), target="cuda")
    with with_gpu(cuda):
        found = many(OfLibrary(x), OfLibrary(step), OfLibrary(X))
        assert not went
        if bytes_free > 100:
            host = many(x, step, X)
    for one, wanted in zip(found, WANTED, strict=True):
        assert isinstance(one, OnDevice) and one.shape == wanted.shape
        np.testing.assert_allclose(one.copy_to_host(), wanted)
    if bytes_free > 100:
        assert all(type(one) is np.ndarray for one in host) and len(went) == 3


def test_some_may_be_there() -> None:
    many = batch(path, (0, 0, None), target="cuda")
    with with_gpu(gpu()):
        found = many(x, OfLibrary(step), X)
    np.testing.assert_allclose(found[0].copy_to_host(), WANTED[0])


@pytest.mark.parametrize("stream", [0, 4711])
def test_results_are_arrays_of_cupy_where_an_argument_is(
    monkeypatch: pytest.MonkeyPatch, stream: int
) -> None:
    """On another stream than the default one its pool is left alone: kernels are on the default one."""
    library = cupy()
    library.cuda.get_current_stream = lambda: SimpleNamespace(ptr=stream)
    monkeypatch.setitem(sys.modules, "cupy", library)
    with with_gpu(gpu()):
        found = batch(root, target="cuda")(library.asarray(np.array([1.0, 4.0])))
        again = batch(root, target="cuda")(found)
    assert type(again) is library.ndarray
    np.testing.assert_allclose(again.get(), [1.0, np.sqrt(2.0)])


def test_lanes_that_are_there_by_dlpack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", library := cupy())
    with with_gpu(gpu()):
        found = batch(path, (0, 0, None), target="cuda")(OfDlpack(x), step, OfDlpack(X))
        with pytest.raises(
            TypeError, match="argument 0 is on a GPU: use target='cuda', or copy it to the host"
        ):
            batch(root)(OfDlpack(np.ones(3)))
    assert type(found[0]) is library.ndarray
    np.testing.assert_allclose(found[0].get(), WANTED[0])


def test_complex_lanes_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def escaped(c, w):
        z, n = 0j, 0
        while abs(z) < 2.0 and n < 30:
            z = z * z + c
            n += 1
        return n, z + np.sum(w)

    monkeypatch.setitem(sys.modules, "cupy", library := cupy())
    c, w = np.linspace(-2.0, 1.0, 40) + 0.3j, np.arange(80.0).reshape(40, 2) * 1j
    with with_gpu(gpu()):
        counts, ends = batch(escaped, target="cuda")(library.asarray(c), library.asarray(w))
        shared = batch(escaped, (None, 0), target="cuda")(library.asarray(c)[3].item(), w)
    assert type(counts) is type(ends) is library.ndarray and ends.dtype == np.complex128
    wanted = [escaped(*lane) for lane in zip(c, w)]
    np.testing.assert_array_equal(counts.get(), [n for n, _ in wanted])
    np.testing.assert_allclose(ends.get(), [z for _, z in wanted], rtol=1e-12)
    np.testing.assert_allclose(shared[1], [escaped(c[3], lane)[1] for lane in w], rtol=1e-12)


def test_lanes_fail_and_start_again_as_ever() -> None:
    with with_gpu(gpu()):
        with pytest.raises(LaneError) as error:
            batch(root, target="cuda")(OfLibrary(np.array([1.0, -1.0, 4.0])))
        assert error.value.failures[0].message == "no root of -1.0"
        np.testing.assert_array_equal(error.value.results.copy_to_host()[[0, 2]], [1.0, 2.0])
        n, rngs, expected = np.array([3, 300, 5, 290, 0]), streams(1, 5), streams(1, 5)
        found = batch(deep, target="cuda")(rngs, OfLibrary(n))
    np.testing.assert_array_equal(found.copy_to_host(), n)
    batch(deep)(expected, n)
    np.testing.assert_array_equal(rngs.state, expected.state)


def drawn(rng, n):
    """Lanes go as deep as they say, and those with a negative number fail when they have drawn."""
    first = rng.random()
    if n < 0:
        raise ValueError(f"{n} after {first}")
    return first + deep(rng, n)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("n", [[3, 5, 0, 1], [3, 300, 5, 290], [300, 301, 302, 303], [3, 300, -1, 290]])
@pytest.mark.parametrize("has_cupy", [False, True])
@pytest.mark.parametrize("bytes_free", [10**9, 10**5])
def test_streams_that_are_there_advance_there(
    n: list[int], has_cupy: bool, bytes_free: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on the host: whether no lane needs a larger stack, some do, or all; whether one fails; in parts."""
    n = 3 * n
    expected, given = streams(1, len(n)), streams(1, len(n))
    there = Streams(on_device(given.state))
    monkeypatch.setitem(sys.modules, "cupy", cupy() if has_cupy else None)
    with with_gpu(gpu(bytes_free=bytes_free)):
        if min(n) < 0:
            with pytest.raises(LaneError) as found:
                batch(drawn, target="cuda")(there, np.array(n))
            with pytest.raises(LaneError) as wanted:
                batch(drawn)(expected, np.array(n))
            assert found.value.failures == wanted.value.failures
        else:
            found = batch(drawn, target="cuda")(there, OfLibrary(np.array(n)))
            np.testing.assert_array_equal(found.copy_to_host(), batch(drawn)(expected, np.array(n)))
    np.testing.assert_array_equal(there.state, expected.state)
    np.testing.assert_array_equal(given.state, streams(1, len(n)).state)


def test_interrupted_streams_that_are_there_are_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Streams(on_device(streams(1, 3).state))
    put = launching.put_rows

    def stopping(*given: Any) -> None:
        put(*given)
        raise KeyboardInterrupt

    with with_gpu(gpu()):
        monkeypatch.setattr(launching, "put_rows", stopping)
        with pytest.raises(KeyboardInterrupt):
            batch(drawn, target="cuda")(there, OfLibrary(np.array([1, 2, 3])))
    np.testing.assert_array_equal(there.state, streams(1, 3).state)


def fallen(n):
    return 0.5 if n == 0 else 0.5 + fallen(n - 1)


def folded(x, n):
    """A frame of a hundred numbers and more."""
    if n == 0:
        return x
    y = np.cumsum(x)
    return folded(y / (1.0 + np.max(y)), n - 1) + y


def test_a_kernel_begins_with_room_for_four_frames() -> None:
    many, rows, n = batch(folded, target="cuda"), np.ones((3, 101)), np.array([3, 4, 0])
    with with_gpu(gpu()), mock.patch.object(launching, "LanePart", wraps=launching.LanePart) as part:
        np.testing.assert_allclose(many(rows, n), batch(folded)(rows, n))
        assert part.call_count == 1
        many(rows, np.array([9, 9, 9]))
        assert part.call_count == 3


def test_a_kernel_begins_with_the_stacks_that_its_lanes_needed_before() -> None:
    """One that many needed; not one of a few."""
    many = batch(fallen, target="cuda")
    with with_gpu(gpu()), mock.patch.object(launching, "device_array", wraps=launching.device_array) as made:
        for n, sizes in (
            ([500, 3, 500], [256, 1024]),
            ([500, 3, 500], [1024]),
            ([1] * 39 + [1200], [1024, 4096]),
            ([1] * 40, [1024]),
        ):
            made.reset_mock()
            np.testing.assert_array_equal(many(np.array(n)), 0.5 + 0.5 * np.array(n))
            shapes = [call.args[0] for call in made.call_args_list]
            assert [shape[0] for shape in shapes if np.ndim(shape) and len(shape) == 2] == sizes


def writes(x):
    x[0] = 1.0
    return x[1]


def array(**told: Any) -> Any:
    return SimpleNamespace(__cuda_array_interface__={"typestr": "<f8", "shape": (3, 2), "version": 3} | told)


@pytest.mark.parametrize(
    ("given", "axes", "message"),
    [
        (array(shape=()), None, "argument 0 is one number on a GPU: give the number, x.item()"),
        (array(), 1, "argument 0 is on a GPU, where lanes are the first axis: in_axes is 0 or None, not 1"),
        (array(mask=1), 0, "argument 0 is masked: fill the mask, or give data and mask as two arrays"),
        (array(strides=(8, 24)), 0,
         "argument 0 is not contiguous on its GPU: give a copy, as cupy.ascontiguousarray makes it"),
        (array(typestr=">f8"), 0,
         "argument 0 is not contiguous on its GPU: give a copy, as cupy.ascontiguousarray makes it"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_as_it_is(given: Any, axes: Any, message: str) -> None:
    many = batch(lambda x: np.sum(x), axes, target="cuda")
    with pytest.raises(ValueError) as error:
        many(given)
    assert str(error.value) == message


def test_what_is_for_the_host() -> None:
    with pytest.raises(
        TypeError, match="^argument 0 is on a GPU: use target='cuda', or copy it to the host$"
    ):
        batch(root)(OfLibrary(np.ones(3)))
    with (
        with_gpu(gpu()),
        pytest.raises(
            TypeError,
            match="^writes writes into argument 'x', which is on a GPU: have it write into a copy, and return",
        ),
    ):
        batch(writes, target="cuda")(OfLibrary(np.ones((3, 2))))


def test_what_is_contiguous() -> None:
    assert (
        is_contiguous((3, 2), None, 8)
        and is_contiguous((3, 2), (16, 8), 8)
        and is_contiguous((1, 2), (99, 8), 8)
    )
    assert not is_contiguous((3, 2), (8, 24), 8) and not is_contiguous((3,), (16,), 8)


def test_large_results_come_back_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Into arrays of the host, or the first elements of each lane into a part of one; several in one buffer."""
    monkeypatch.setattr(arrivals, "STAGED", 4096)
    monkeypatch.setattr(arrivals, "STAGE", 10_000)
    whole = np.arange(7000.0).reshape(1000, 7)
    with with_gpu(gpu()):
        found = on_device(whole)
        every, some, flat = np.zeros((1000, 7)), np.zeros((1000, 9)), np.zeros(7000)
        arrivals.to_host(found, every)
        arrivals.to_host(found, some[:, 2:5])
        arrivals.to_host(on_device(whole.reshape(-1)), flat)
        odd, few, none = np.zeros(1001, bool), np.zeros(3), np.zeros((0, 2))
        pairs = (np.arange(1001) % 3 == 0, odd), (np.arange(3.0), few), (none, none)
        for job in arrivals.arrive([(on_device(made), aim) for made, aim in pairs]):
            job.result()
    np.testing.assert_array_equal(every, whole)
    np.testing.assert_array_equal(some[:, 2:5], whole[:, :3])
    np.testing.assert_array_equal(flat, whole.reshape(-1))
    assert not some[:, :2].any() and not some[:, 5:].any()
    np.testing.assert_array_equal(odd, np.arange(1001) % 3 == 0)
    np.testing.assert_array_equal(few, np.arange(3.0))


def halved(rng, x, n):
    """Lanes of all depths, some of which fail."""
    if x < 0.0:
        raise ValueError("below zero")
    return fallen(n) + rng.random(), np.array([x, 2.0 * x])


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results of all sizes go to the host while other lanes run."""
    monkeypatch.setattr(launching, "OVERLAPPED", 1)
    monkeypatch.setattr(launching, "PARTS", 3)


@pytest.mark.turns(4)
@pytest.mark.usefixtures("in_parts")
def test_lanes_in_parts_that_run_at_the_same_time() -> None:
    """Those that need larger stacks run again, and what they give comes after what they gave before."""
    count = 300
    x, n = np.linspace(0.0, 1.0, count), np.arange(count) % 5
    n[[3, 170, 299]] = 400
    lanes, expected = streams(2, count), streams(2, count)
    with (
        with_gpu(gpu()),
        mock.patch.object(launching, "LanePart", wraps=launching.LanePart) as part,
        mock.patch.object(arrivals, "by_stage", wraps=arrivals.by_stage) as copies,
    ):
        found = batch(halved, target="cuda", schedule=Schedule(block=32))(lanes, x, n)
    told = [call.args[2:] for call in part.call_args_list]
    assert [these.stop - these.start for these, _ in told[:3]] == [128, 128, 44]
    assert len({id(stream) for _, stream in told[:3]}) == 3 and told[3][0].tolist() == [3, 170, 299]
    assert copies.call_count == 3
    for one, other in zip(found, batch(halved)(expected, x, n)):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(lanes.state, expected.state)


@pytest.mark.usefixtures("in_parts")
def test_lanes_in_parts_that_fail() -> None:
    x, n = np.ones(300), np.zeros(300, np.int64)
    x[[5, 140, 298]] = -1.0
    with with_gpu(gpu()), pytest.raises(LaneError) as error:
        batch(halved, target="cuda")(streams(2, 300), x, n)
    assert [failure.lane for failure in error.value.failures] == [5, 140, 298]
    np.testing.assert_array_equal(error.value.results[1][[0, 299]], [[1.0, 2.0]] * 2)


@pytest.mark.usefixtures("in_parts")
def test_calls_whose_results_arrive_later() -> None:
    x = np.arange(300.0)
    begun, go = Event(), Event()

    def held_up() -> None:
        begun.set()
        go.wait(60)

    with with_gpu(gpu()):
        for _ in range(2):
            arrivals.COPIERS.submit(held_up)
        with arrivals.arriving_later() as jobs:
            found = batch(root, target="cuda")(x)
        assert begun.wait(60) and len(jobs) == 3 and not any(job.done() for job in jobs)
        go.set()
        for job in jobs:
            job.result(60)
    np.testing.assert_array_equal(found, np.sqrt(x))
