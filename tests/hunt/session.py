"""Many random programs in several processes: `python -m hunt.session 1000 --seed 0`, by `scripts/hunt`.

Each mismatch is shrunk and printed when it is found, once a class; the end is a table: how many ran, were compared,
were refused (with the reasons), and went wrong. The status is 1 if any did.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from hunt.case import Case
from hunt.families import FAMILIES, case_of, shares
from hunt.forms import batch_folded, folded, folds, settled, verdict_of
from hunt.shrink import shrunk
from hunt.verdicts import Verdict

os.environ.setdefault("AUTOBATCH_CHECK", "passes")
CHUNK = 600  # programs that one process runs
FOLDED = 12  # of them, compiled as one function
MEMORY = 8 * 2**30  # bytes of addresses that a process may have: NumPy then says that there is no more
OF_A_CLASS = 3  # mismatches that a process shrinks, of those that look alike


@dataclass(frozen=True)
class Mismatch:
    name: str  # of the program: "family:seed"
    form: str
    verdict: Verdict
    text: str
    is_shrunk: bool = True

    @property
    def like(self) -> str:
        """What mismatches of one class share: the difference, and what the program is made of."""
        if not self.is_shrunk:
            return f"{self.form.split('-')[0]} {self.verdict.what}"
        made = sorted(skeleton(self.text))
        return f"{self.verdict.what}: {' '.join(made)}"


def skeleton(text: str) -> Iterator[str]:
    """The operators and functions of a program."""
    for part in ast.parse(text).body:
        if isinstance(part, ast.FunctionDef) and part.name == "calls":
            continue
        for node in ast.walk(part):
            match node:
                case ast.Call(ast.Attribute(_, name)) | ast.Call(ast.Name(name)):
                    yield name
                    yield from (f"{keyword.arg}=" for keyword in node.keywords)
                case ast.BinOp() | ast.UnaryOp() | ast.AugAssign():
                    yield type(node.op).__name__
                case ast.Compare():
                    yield type(node.ops[0]).__name__
                case (
                    ast.For()
                    | ast.While()
                    | ast.If()
                    | ast.Raise()
                    | ast.Subscript()
                    | ast.IfExp()
                    | ast.Dict()
                    | ast.List()
                ):
                    yield type(node).__name__


@dataclass
class Found:
    """What a process tells: counts and mismatches."""

    programs: int = 0
    forms: Counter[str] = field(default_factory=Counter)  # "form kind"
    refused: Counter[str] = field(default_factory=Counter)
    families: Counter[str] = field(default_factory=Counter)  # "family kind"
    mismatches: list[Mismatch] = field(default_factory=list)

    def add(self, other: Found) -> None:
        self.programs += other.programs
        self.forms += other.forms
        self.refused += other.refused
        self.families += other.families
        self.mismatches += other.mismatches


def examined(case: Case, form: str, alike: Counter[str], said: Found) -> bool:
    """Run a program by a form and note what came out; False where it went wrong."""
    verdict = settled(case.text, form)
    if verdict.kind == "mismatch":
        said.mismatches.append(small(case, form.replace("-text", "-numba"), verdict, alike))
    said.forms[f"{form} {verdict.kind}"] += 1
    if verdict.kind == "refused":
        said.refused[verdict.what] += 1
    return verdict.kind not in ("mismatch", "refused")


def small(case: Case, form: str, verdict: Verdict, alike: Counter[str]) -> Mismatch:
    """The mismatch shrunk, unless many like it have been."""
    met = Mismatch(case.name, form, verdict, case.text, is_shrunk=False)
    alike[met.like] += 1
    if alike[met.like] > OF_A_CLASS:
        return met
    text, verdict = shrunk(case.text, verdict, lambda text: verdict_of(text, form))
    return Mismatch(case.name, form, verdict, text)


def chunk(family: str, seeds: Sequence[int], tell: Any, fold: int) -> None:
    """Programs of a family, one after the other; `tell(seed, Found)` after each."""
    alike: Counter[str] = Counter()
    sound: list[Case] = []
    for seed in seeds:
        tell(seed, None)
        said = Found(programs=1)
        case = case_of(family, seed)
        good = [examined(case, form, alike, said) for form in case.forms]
        said.families[
            f"{family} {'mismatch' if said.mismatches else 'same' if all(good) else 'refused'}"
        ] += 1
        if all(good) and case.forms[0].startswith("jit") and folds(case):
            sound.append(case)
        tell(seed, said)
    for form, run in (("jit-numba", folded), ("batch-numba", batch_folded)):
        some = sound[:fold]
        sound = sound[fold:] if len(sound) >= 2 * fold else sound
        if not some or not fold:
            continue
        tell(seeds[-1], None)
        said = Found()
        for case, verdict in zip(some, run([case.text for case in some]), strict=True):
            said.forms[f"{form} {verdict.kind}"] += 1
            if verdict.kind == "mismatch":
                said.mismatches.append(small(case, form, verdict, alike))
                said.families[f"{family} mismatch"] += 1
        tell(seeds[-1], said)


def process(family: str, seeds: Sequence[int], pipe: Connection, fold: int) -> None:
    directory = tempfile.mkdtemp(prefix="hunt-")
    os.environ["AUTOBATCH_CACHE_DIR"] = directory
    sys.setrecursionlimit(3000)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    gc.freeze()  # what is imported stays
    try:
        chunk(family, seeds, lambda seed, said: pipe.send((seed, said)), fold)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        pipe.send(("end", None))


class Session:
    """Processes over chunks; prints each class of mismatches once."""

    def __init__(self, workers: int, fold: int):
        self.workers, self.fold = workers, fold
        self.found = Found()
        self.printed: dict[str, list[Mismatch]] = {}
        self.begun = time.monotonic()

    def run(self, todo: list[tuple[str, Sequence[int]]]) -> None:
        context = get_context("fork")
        running: dict[Any, tuple[Any, str, list[int]]] = {}
        waiting = list(reversed(todo))
        while waiting or running:
            while waiting and len(running) < self.workers:
                family, seeds = waiting.pop()
                ours, theirs = context.Pipe(duplex=False)
                worker = context.Process(target=process, args=(family, seeds, theirs, self.fold))
                worker.start()
                theirs.close()
                running[ours] = worker, family, list(seeds)
            for pipe in wait(list(running)):
                worker, family, seeds = running[pipe]
                try:
                    seed, said = pipe.recv()
                except EOFError:  # it died
                    worker.join()
                    del running[pipe]
                    if seeds:
                        self.died(family, seeds[0], worker.exitcode)
                        if seeds[1:]:
                            waiting.append((family, seeds[1:]))
                    continue
                if seed == "end":
                    worker.join()
                    del running[pipe]
                elif said is None:
                    while seeds and seeds[0] != seed:
                        seeds.pop(0)
                else:
                    self.take(said)

    def died(self, family: str, seed: int, status: int) -> None:
        verdict = Verdict("mismatch", "the process ended", 0, f"status {status}", "")
        self.take(
            Found(1, mismatches=[Mismatch(f"{family}:{seed}", "", verdict, case_of(family, seed).text)])
        )

    def take(self, said: Found) -> None:
        self.found.add(said)
        for mismatch in said.mismatches:
            like = self.printed.setdefault(mismatch.like, [])
            like.append(mismatch)
            if len(like) == 1 and mismatch.is_shrunk:
                print(report(mismatch), flush=True)
        if self.found.programs % 2000 == 0 and said.programs:
            spent = time.monotonic() - self.begun
            print(
                f"... {self.found.programs} programs, {spent:.0f} s, {len(self.found.mismatches)} mismatches",
                flush=True,
            )

    def summary(self) -> str:
        found, lines = self.found, []
        kinds: Counter[str] = Counter()
        for key, count in found.forms.items():
            kinds[key.split(" ", 1)[1]] += count
        lines.append(
            f"{found.programs} programs, {sum(found.forms.values())} runs in {time.monotonic() - self.begun:.0f} s: "
            + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())
        )
        for title, counts in (("form", found.forms), ("family", found.families)):
            rows: dict[str, Counter[str]] = {}
            for key, count in counts.items():
                name, kind = key.split(" ", 1)
                rows.setdefault(name, Counter())[kind] += count
            lines += [
                f"  {title} {name}: " + ", ".join(f"{n} {kind}" for kind, n in row.most_common())
                for name, row in sorted(rows.items())
            ]
        lines += [f"  refused {n}: {reason}" for reason, n in found.refused.most_common(25)]
        for like, those in sorted(self.printed.items(), key=lambda item: -len(item[1])):
            lines.append(
                f"  mismatch {len(those)}: {like} ({', '.join(sorted({m.form for m in those}))}; {those[0].name})"
            )
        return "\n".join(lines)


def report(mismatch: Mismatch) -> str:
    verdict = mismatch.verdict
    return (
        f"==== {mismatch.name} {mismatch.form}: {verdict.what} (call {verdict.call})\n{mismatch.text}\n"
        f"    plain: {verdict.want}\n    ours:  {verdict.got}\n"
    )


def chunks(count: int, seed: int, only: Sequence[str]) -> list[tuple[str, Sequence[int]]]:
    """Families in turn, so that a hunt that is stopped has seen all of them."""
    wanted = shares(count) if not only else dict.fromkeys(only, -(-count // len(only)))
    listed = {
        name: [range(seed + k, seed + min(k + CHUNK, n)) for k in range(0, n, CHUNK)]
        for name, n in wanted.items()
    }
    turns: list[tuple[float, str, Sequence[int]]] = []
    for name, each in listed.items():
        turns += [((k + 1) / len(each), name, seeds) for k, seeds in enumerate(each)]
    return [(name, seeds) for _, name, seeds in sorted(turns, key=lambda turn: (turn[0], turn[1]))]


def one(name: str, shrink: bool) -> int:
    """One program by each of its forms, and compiled."""
    family, seed = name.split(":")
    case = case_of(family, int(seed))
    print(case.text)
    extra = (
        ("jit-numba", "batch-numba", "batch-numpy") if case.forms[0] == "jit-numpy" and folds(case) else ()
    )
    wrong = 0
    for form in dict.fromkeys((*case.forms, *extra)):
        verdict = verdict_of(case.text, form)
        print(f"{form}: {verdict.kind} {verdict.what}", flush=True)
        if verdict.kind == "mismatch":
            wrong = 1
            mismatch = Mismatch(name, form, verdict, case.text)
            if shrink:
                text, verdict = shrunk(case.text, verdict, lambda text, form=form: verdict_of(text, form))
                mismatch = Mismatch(name, form, verdict, text)
            print(report(mismatch))
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scripts/hunt", description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed of each family")
    parser.add_argument("--only", metavar="FAMILY:SEED", help="one program, by all of its forms")
    parser.add_argument("--family", action="append", default=[], choices=list(FAMILIES))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--no-compile", action="store_true", help="nothing by Numba but what differs without it"
    )
    given = parser.parse_args(arguments)
    if given.only:
        return one(given.only, shrink=True)
    session = Session(given.processes, 0 if given.no_compile else FOLDED)
    session.run(chunks(given.programs, given.seed, given.family))
    print(session.summary())
    return 1 if session.found.mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
