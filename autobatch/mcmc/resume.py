"""A run on disk: save : (path, identity, Chains) -> npz file, load : (path, identity) -> Chains.

The file holds where the chains stand, their tuned settings, their streams and all draws so far, so that a run
goes on bit for bit as if it had not stopped. `identity` is what must be the same for that; it is kept as text
beside the arrays and compared on loading.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from zipfile import BadZipFile

import numpy as np

from autobatch.mcmc.adaptation import Record
from autobatch.mcmc.chains import Chains
from autobatch.mcmc.metric import Dense, Diagonal
from autobatch.mcmc.state import State


def save(path: str | os.PathLike[str], identity: Mapping[str, Any], chains: Chains) -> None:
    """Write the file, or leave the one before it untouched if writing fails."""
    done = Record(*(np.asarray(array)[:, : chains.done] for array in chains.record))
    parts = {"state": chains.state, "metric": chains.metric, "record": done}
    arrays = {
        f"{part}.{name}": np.asarray(value)
        for part, values in parts.items()
        for name, value in values._asdict().items()
    }
    arrays |= {"step_size": np.asarray(chains.step_size), "words": chains.words}
    unfinished = f"{os.fspath(path)}.part"
    with open(unfinished, "wb") as file:
        np.savez(file, identity=np.array(json.dumps(dict(identity))), allow_pickle=False, **arrays)
    os.replace(unfinished, path)


def load(path: str | os.PathLike[str], identity: Mapping[str, Any]) -> Chains:
    """The chains saved there; ValueError names what differs if the file is of another run."""
    with opened(path) as (file, saved):
        check_same(path, saved, identity)
        arrays = {name: file[name] for name in file.files}
    metric_kind = Dense if "metric.factor" in arrays else Diagonal
    step_size = arrays["step_size"]
    record = collected(Record, "record", arrays)
    return Chains(
        collected(State, "state", arrays),
        step_size if step_size.ndim else float(step_size),
        collected(metric_kind, "metric", arrays),
        arrays["words"],
        record,
        record.draws.shape[1],
    )


def saved_seed(path: str | os.PathLike[str]) -> int:
    """The seed of the run saved there."""
    with opened(path) as (_, saved):
        return int(saved["seed"])


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The file of a run and the identity in it. ValueError for any other file."""
    with open(path, "rb") as raw:
        try:
            file = np.load(raw, allow_pickle=False)
            saved = dict(json.loads(str(file["identity"])))
        except (ValueError, TypeError, KeyError, IndexError, EOFError, BadZipFile):
            raise ValueError(
                f"{os.fspath(path)} is no file of a run: name one that resume= wrote, or one that does not exist"
            ) from None
        yield file, saved


def check_path(path: Any) -> None:
    """That a run can be kept there, before it begins."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"resume={path!r}: must be the path of a file")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"resume={os.fspath(path)!r}: there is no folder {folder}")
    if os.path.exists(path):
        with opened(path):
            pass


class Keeper:
    """Keeps a run's file up to date: called with the chains after each chunk, it writes every so often.

    `save` writes what it was last called with, if that is not on disk yet. Without a path nothing is written.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None, identity: Mapping[str, Any], seconds: float
    ) -> None:
        self.path, self.identity, self.seconds = path, identity, seconds
        self.pending: Chains | None = None
        self.written = -np.inf

    def __call__(self, chains: Chains) -> None:
        self.pending = chains
        if time.monotonic() - self.written >= self.seconds:
            self.save()

    def save(self) -> None:
        if self.path is not None and self.pending is not None:
            save(self.path, self.identity, self.pending)
        self.pending, self.written = None, time.monotonic()


def collected(kind: Any, part: str, arrays: Mapping[str, np.ndarray]) -> Any:
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


def digest(*values: Any) -> str:
    """A short name for the contents of arrays and numbers."""
    total = hashlib.sha256()
    for value in map(np.asarray, values):
        total.update(f"{value.dtype.str}{value.shape}".encode())
        total.update(np.ascontiguousarray(value).tobytes())
    return total.hexdigest()[:16]
