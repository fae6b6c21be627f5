"""A run on disk: save_chains : (path, identity, Chains) -> npz file, load_chains : (path, identity) -> Chains.

The file holds where the chains stand, their tuned settings, their streams and all draws so far, so that a run
goes on bit for bit as if it had not stopped. `identity` is what must be the same for that; it is kept as text
beside the arrays and compared on loading. The comment of the archive is a checksum of all that is before it.
"""

import hashlib
import json
import os
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO
from zipfile import ZipFile

import numpy as np

from autobatch.device_arrays import tree_on_host
from autobatch.mcmc.chains import Chains
from autobatch.mcmc.kernels.chain import Record
from autobatch.mcmc.kernels.metric import Dense, Diagonal
from autobatch.mcmc.kernels.state import State
from autobatch.mcmc.lock import Lock
from codegen.backend.atomic_files import left_over, replacing

SEAL = b"autobatch run, sha256 "
DIGITS = 64  # of the checksum


def save_chains(path: str | os.PathLike[str], identity: Mapping[str, Any], chains: Chains) -> None:
    """Write the file, or leave the one before it untouched if writing fails."""
    done = Record(*(np.asarray(array)[:, : chains.done] for array in chains.record))
    chains = tree_on_host(chains)
    parts = {"state": chains.state, "metric": chains.metric, "record": done}
    arrays = {
        f"{part}.{name}": np.asarray(value)
        for part, values in parts.items()
        for name, value in values._asdict().items()
    }
    arrays |= {"step_size": np.asarray(chains.step_size), "words": chains.words}
    arrays["identity"] = np.array(json.dumps({**identity, "draws": chains.done, "versions": releases()}))
    with replacing(Path(os.path.realpath(path))) as file:
        write_archive(file, arrays)
        os.fsync(file.fileno())  # some disks say only here that they are full


def write_archive(file: BinaryIO, arrays: Mapping[str, np.ndarray]) -> None:
    with ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
        archive.comment = SEAL + DIGITS * b"0"
    checksum = checksum_of(file)
    file.seek(-DIGITS, os.SEEK_END)
    file.write(checksum)
    file.flush()


def load_chains(path: str | os.PathLike[str], identity: Mapping[str, Any]) -> Chains:
    """The chains saved there; ValueError names what differs if the file is of another run."""
    with open_run(path) as (file, saved):
        check_same(path, saved, identity)
        arrays = {name: file[name] for name in file.files}
        metric_kind = Dense if "metric.factor" in arrays else Diagonal
        step_size, record = arrays["step_size"], collected_parts(Record, "record", arrays)
        return Chains(
            collected_parts(State, "state", arrays),
            step_size if step_size.ndim else float(step_size),
            collected_parts(metric_kind, "metric", arrays),
            arrays["words"],
            record,
            record.draws.shape[1],
        )


def read_identity(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What the file of a run says of it: its identity, how many draws of each chain it has, the versions it was
    written by. Nothing else is read."""
    with open_run(path, whole=False) as (_, saved):
        return saved


@contextmanager
def open_run(path: str | os.PathLike[str], *, whole: bool = True) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The file of a run and the identity in it. ValueError for any other file, and where a byte has changed."""
    with open(path, "rb") as raw:
        try:
            if whole:
                check_seal(raw)
            file = np.load(raw, allow_pickle=False)
            saved = dict(json.loads(str(file["identity"])))
        except Exception as error:  # whatever comes of reading arbitrary bytes
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise NoRun(path) from None
        try:
            yield file, saved
        except KeyError:  # a member is missing
            raise NoRun(path) from None


class NoRun(ValueError):
    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(
            f"{os.fspath(path)} is no file of a run, or is damaged: "
            "name one that resume= wrote, or one that does not exist"
        )


def check_seal(file: BinaryIO) -> None:
    file.seek(max(file.seek(0, os.SEEK_END) - len(SEAL) - DIGITS, 0))
    if file.read() != SEAL + checksum_of(file):
        raise ValueError("these are not the bytes that were written")
    file.seek(0)


def checksum_of(file: BinaryIO) -> bytes:
    """Of all before the checksum, as hexadecimal digits."""
    left, total = file.seek(0, os.SEEK_END) - DIGITS, hashlib.sha256()
    file.seek(0)
    while left > 0 and (piece := file.read(min(left, 1 << 20))):
        total.update(piece)
        left -= len(piece)
    return total.hexdigest().encode()


def check_path(path: Any) -> None:
    """That a run can be kept there, before it begins."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"resume={path!r}: must be the path of a file")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"resume={os.fspath(path)!r}: there is no folder {folder}")
    if os.path.exists(path):
        with open_run(path):
            pass


class Keeper:
    """Keeps a run's file up to date: called with the chains after each chunk, it writes every so often.

        with Keeper(path, identity, 30.0) as keeper:
            held = keeper.load(draws) or start_chains(...)
            held = draw_chains(..., keeper)

    At the end it writes what it was last called with, if that is not on disk yet. What cannot be written is warned of
    once, and tried again the next time. From where the run is written on it is this process' alone. Without a path
    nothing is written. `latest` are the chains it was last called with.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None, identity: Mapping[str, Any], seconds: float
    ) -> None:
        self.path, self.identity, self.seconds = path, identity, seconds
        self.lock = None if path is None else Lock(f"{os.path.realpath(path)}.lock")
        self.latest: Chains | None = None
        self.pending: Chains | None = None
        self.written = -np.inf
        self.warned = False

    def __enter__(self) -> "Keeper":
        return self

    def load(self, draws: int) -> Chains | None:
        """The chains in the file, if it is there. It is only read where it has so many draws already."""
        if self.path is None or self.lock is None:
            return None
        has = read_identity(self.path)["draws"] if os.path.exists(self.path) else -1
        if has < draws:
            if not self.lock.take():
                raise RuntimeError(
                    f"another process is at the run in {os.fspath(self.path)}: wait until it ends, or name another file"
                )
            if self.lock.is_held:
                for part in left_over(Path(os.path.realpath(self.path))):  # of processes that were killed
                    part.unlink(missing_ok=True)
        if not os.path.exists(self.path):
            return None
        self.latest = load_chains(self.path, self.identity)
        if self.latest.done < draws:
            warn_of_versions(self.path)
        return self.latest

    def __call__(self, chains: Chains) -> None:
        self.latest = self.pending = chains
        if time.monotonic() - self.written >= self.seconds:
            self.save()

    def save(self) -> None:
        if self.path is None or self.pending is None:
            return
        try:
            save_chains(self.path, self.identity, self.pending)
            self.pending = None
        except OSError as error:
            self.warn(error)
        self.written = time.monotonic()

    def warn(self, error: OSError) -> None:
        if not self.warned:
            self.warned = True
            warnings.warn(
                f"the run is not kept: {self.path} cannot be written ({error.strerror or error}); "
                "sampling goes on, and writing is tried again",
                RuntimeWarning,
                stacklevel=2,
            )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.save()
        finally:
            if self.lock is not None:
                self.lock.give()


def releases() -> dict[str, str]:
    """Of what the draws' last digits hang on."""
    import autobatch

    return {"autobatch": getattr(autobatch, "__version__", "0"), "NumPy": np.__version__}


def warn_of_versions(path: str | os.PathLike[str]) -> None:
    there, here = read_identity(path)["versions"], releases()
    if there != here:
        words = (", ".join(f"{name} {number}" for name, number in each.items()) for each in (there, here))
        warnings.warn(
            "{} was written by {}, this is {}: what is drawn from here on may differ in the last digits from an "
            "uninterrupted run".format(os.fspath(path), *words),
            RuntimeWarning,
            stacklevel=2,
        )


def collected_parts(kind: Any, part: str, arrays: Mapping[str, np.ndarray]) -> Any:
    return kind(*(arrays[f"{part}.{name}"] for name in kind._fields))


def check_same(path: str | os.PathLike[str], saved: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
    differing = [name for name in identity if saved.get(name) != identity[name]]
    if differing:
        listed = "\n".join(
            f"    {name}: {saved.get(name)!r} there, {identity[name]!r} here" for name in differing
        )
        raise ValueError(
            f"{os.fspath(path)} holds another run:\n{listed}\n"
            "resume with what it was started with, or name a file that does not exist"
        )


def content_digest(*values: Any) -> str:
    """A short name for the contents of arrays and numbers."""
    total = hashlib.sha256()
    for value in map(np.asarray, values):
        total.update(f"{value.dtype.str}{value.shape}".encode())
        total.update(np.ascontiguousarray(value).tobytes())
    return total.hexdigest()[:16]
