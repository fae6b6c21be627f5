"""The ways that a program is run, each held against plain Python: `FORMS[name](text) -> Verdict`.

    jit-numpy, jit-numba                        the function, compiled
    batch-numpy, batch-numba, groups-numba      over lanes: eight, made of the calls' arguments; lane i's reference is
                                                f of element i of each argument
    once-…, drawn-…, sweep-…                    the same three for functions that draw, from a stream a lane
    sampled-…                                   a density's sampler (sampled.py)
    around-numpy                                its arguments being around it, in a closure
    frozen-numpy                                arguments that are not written being read-only
    jit-cuda                                    compiled for a GPU, over stand-ins of numba-cuda and CuPy
    jit-plain, ...                              jit-numpy and others, what the program itself compiles being run so too
    threads-numba, threads-text                 with loops that threads share
    jit-text, batch-text, groups-text           what Numba would compile, run as plain Python, in milliseconds; what
                                                differs there counts only if it differs compiled too

A program that is refused by name is no mismatch. Errors inside are, and so is what takes too long.
"""

from __future__ import annotations

import builtins
import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import plain_numba
from array_gpu import with_arrays_there

import codegen.backend.load
from autobatch import LaneError, Schedule, batch
from autobatch.streams import Streams
from codegen import jit
from hunt import sampled, slopes
from hunt.case import CALLS, Case, Outcome, names_of, outcome, plain, shown
from hunt.compare import difference
from hunt.limits import TooLong, limited
from hunt.nests import leaves, mapped
from hunt.rules import excuse, is_of_floats
from hunt.verdicts import SAME, UNLIKE, Verdict, refused

LANES = (0, 1, 2, 0, 2, 1, 1, 0)  # the calls that lanes are made of
# Of the processor, by the last part of a form's name; sampling a model takes 17 of them on a slow one.
SECONDS = {"text": 60, "plain": 60, "cuda": 60, "numpy": 60, "numba": 300}


@contextmanager
def uncompiled() -> Iterator[None]:
    """Emitted modules are run as plain Python."""

    def interpreted(text: str, name: str, quick: bool = False) -> Any:
        module = plain_numba.ModuleType(name)
        module.__dict__.update(plain_numba.module(text), __file__="emitted")
        return module

    with mock.patch.object(codegen.backend.load, "loaded", interpreted):
        yield


def judged(text: str, k: int, given: Callable[[], tuple[Any, ...]], got: Outcome, want: Outcome) -> Verdict:
    """What of call `k` differs, unless a rule allows it; `given()`: its arguments, made anew."""
    what = differs(got, want)
    if what is None:
        return SAME
    if got.error is not None and (reason := refused(got.error)):
        return Verdict("refused", reason)
    if isinstance(want.error, RecursionError) or excuse(text, given, got, want, what):
        return SAME
    after = " with arguments " if "argument" in what else ""
    said = [o.said + (after + shown(o.arguments) if after and o.error is None else "") for o in (got, want)]
    return Verdict("mismatch", what, k, *said)


def differs(got: Outcome, want: Outcome) -> str | None:
    if got.error is not None:
        name = type(got.error).__name__
        if want.error is None:
            return f"{name} raised"
        return None if name == type(want.error).__name__ else f"{name} for {type(want.error).__name__}"
    if want.error is not None:
        return f"no {type(want.error).__name__}"
    found = difference(got.value, want.value)
    if found is None:
        found = difference(got.arguments, want.arguments)
        found = found and f"argument: {found}"
    return found


def by_jit(text: str, *, frozen: bool = False, around: bool = False, **options: Any) -> Verdict:
    """`frozen`: of arrays that may not be written, where the function does not. `around`: of a function without
    arguments, around which they are, where it does not write into them: that is refused."""
    names = names_of(text)

    def given(k: int) -> Any:
        arguments = names["calls"]()[k]
        for leaf in leaves(arguments) if frozen else ():
            if isinstance(leaf, np.ndarray):
                leaf.flags.writeable = False
        return arguments

    made = jit(names["f"], **options)
    for k in range(len(names["calls"]())):
        arguments, want = given(k), plain(names["f"], given(k))
        if frozen and want.error is not None:
            continue
        closed = jit(lambda arguments=arguments: names["f"](*arguments), **options)
        is_closed = around and difference(want.arguments, given(k)) is None
        run = closed if is_closed else partial(made, *arguments)
        got = outcome(lambda run=run, arguments=arguments: (run(), arguments))
        verdict = judged(text, k, lambda k=k: given(k), got, want)
        if verdict.kind != "same":
            return verdict
    return SAME


def stacked(values: Sequence[Any]) -> Any:
    """One value whose parts have lanes first, of one value a lane; ValueError where they are unlike."""
    return mapped(lambda *leaves: stack(leaves), *values)


def stack(leaves: Sequence[Any]) -> np.ndarray:
    if any(type(leaf) is not type(leaves[0]) for leaf in leaves):
        raise ValueError
    rows = [np.asarray(leaf) for leaf in leaves]
    if any(
        row.shape != rows[0].shape or row.dtype != rows[0].dtype or row.dtype.kind not in "biufc"
        for row in rows
    ):
        raise ValueError
    return np.stack(rows)


def columns(calls: Callable[[], list[tuple[Any, ...]]]) -> tuple[Any, ...]:
    """The arguments of all lanes; none where calls are too unlike each other."""
    made = calls()
    try:
        return tuple(stacked([made[k % len(made)][place] for k in LANES]) for place in range(len(made[0])))
    except ValueError:
        return ()


def lane(value: Any, k: int) -> Any:
    """Lane k's part of a value."""
    return mapped(lambda leaf: leaf[k] if isinstance(leaf, np.ndarray) else leaf, value)


def by_batch(text: str, *, target: str, schedule: Any = "auto") -> Verdict:
    names = names_of(text)
    f, calls = names["f"], names["calls"]
    given, kept = columns(calls), columns(calls)
    if not given:
        return UNLIKE
    found, failed = outcome_of_lanes(lambda: batch(f, target=target, schedule=schedule)(*given), given)
    if found.error is not None and (reason := refused(found.error)):
        return Verdict("refused", reason)
    for k in range(len(LANES)):
        want = plain(f, lane(kept, k))
        if found.error is not None:
            got = found
            if want.error is not None:
                continue
        elif k in failed:
            got = Outcome(error=failed[k])
        else:
            got = Outcome(lane(found.value, k), lane(found.arguments, k))
        verdict = judged(text, LANES[k] % len(calls()), lambda k=k: lane(columns(calls), k), got, want)
        if verdict.kind != "same":
            return verdict
    if found.error is not None:
        return Verdict("mismatch", OF_ALL.format(type(found.error).__name__), 0, found.said, "LaneError")
    return SAME


def by_streams(text: str, *, target: str, schedule: Any = "auto") -> Verdict:
    """Lanes with streams of their own, twice one after the other: their numbers, and where the streams stand then."""
    names = names_of(text)
    f, calls = names["f"], names["calls"]
    run, rngs, given = (
        batch(f, target=target, schedule=schedule),
        Streams.from_generators(of_both_kinds(3)),
        columns(calls),
    )
    plainly = [rngs[k] for k in range(len(LANES))]
    for turn in range(2):
        found, failed = outcome_of_lanes(lambda: run(rngs, *given), None)
        if found.error is not None:
            reason = refused(found.error)
            kind, what = (
                ("refused", reason) if reason else ("mismatch", OF_ALL.format(type(found.error).__name__))
            )
            return Verdict(kind, what, turn, found.said)
        for k, rng in enumerate(plainly):
            want = replace(plain(f, (rng, *lane(given, k))), arguments=None)
            got = Outcome(error=failed[k]) if k in failed else Outcome(lane(found.value, k))
            if (what := differs(got, want)) is not None:
                return Verdict("mismatch", what, turn, got.said, want.said)
        if any(
            rngs[k].random() != copy.deepcopy(rng).random()
            for k, rng in enumerate(plainly)
            if k not in failed
        ):
            return Verdict("mismatch", "where the streams stand", turn)
        for k in failed:  # what a lane has drawn that failed is not said
            plainly[k] = rngs[k]
    return SAME


def of_both_kinds(seed: int) -> list[np.random.Generator]:
    """A generator a lane."""
    kinds = np.random.Philox, np.random.PCG64
    return [np.random.Generator(kinds[k % 2]([seed, k])) for k in range(len(LANES))]


def by_stream(text: str, *, target: str) -> Verdict:
    """The function, compiled, with a Generator."""
    names = names_of(text)
    made = jit(names["f"], target=target)
    for k, given in enumerate(names["calls"]()):
        rng, plainly = (of_both_kinds(5)[k] for _ in range(2))
        got = outcome(lambda: (made(rng, *given), None))
        want = replace(plain(names["f"], (plainly, *given)), arguments=None)
        if got.error is not None and (reason := refused(got.error)):
            return Verdict("refused", reason)
        if (what := differs(got, want)) is not None:
            return Verdict("mismatch", what, k, got.said, want.said)
        if want.error is None and rng.random() != plainly.random():
            return Verdict("mismatch", "where the stream stands", k)
    return SAME


def outcome_of_lanes(run: Callable[[], Any], given: Any) -> tuple[Outcome, dict[int, Exception]]:
    """What lanes give together, `given` beside it, and the errors of those that fail."""
    found = outcome(lambda: (run(), given))
    if not isinstance(found.error, LaneError):
        return found, {}
    return Outcome(found.error.results, given), {f.lane: raised(f) for f in found.error.failures}


OF_ALL = "{} of all lanes"  # what emitted text itself raises
NO_PLACE = OF_ALL.format("IndexError")


def raised(failure: Any) -> Exception:
    """The exception of a lane, by the name that it was told with."""
    cls = getattr(builtins, failure.exception, None) or type(failure.exception, (Exception,), {})
    made: Exception = cls(failure.message)
    return made


def texts(run: Callable[[str], Verdict]) -> Callable[[str], Verdict]:
    def as_text(text: str) -> Verdict:
        with uncompiled():
            return run(text)

    return as_text


def on_gpu(text: str) -> Verdict:
    """Plain Python divides ints by 0 where a GPU gives any number."""
    with with_arrays_there():
        verdict = by_jit(text, target="cuda")
    return SAME if verdict.what.startswith("ZeroDivisionError raised") else verdict


JIT = partial(by_jit, target="numba")
THREADS = partial(by_jit, target="numba", parallel=True)
BATCH = partial(by_batch, target="numba", schedule=Schedule("lanewise"))
# A limit of depth keeps recursions from running by calls of the host, which is no text to be run.
TALL = partial(by_batch, target="numba", schedule=Schedule("lanewise", stack_limit=200))
GROUPS = partial(by_batch, target="numba", schedule=Schedule("program_counter", group=4))
DRAWN = partial(by_streams, target="numba", schedule=Schedule("lanewise", stack_limit=200))
DRAWN_IN_GROUPS = partial(by_streams, target="numba", schedule=Schedule("program_counter", group=4))
FORMS: dict[str, Callable[[str], Verdict]] = {
    "jit-numpy": partial(by_jit, target="numpy"),
    "around-numpy": partial(by_jit, around=True, target="numpy"),
    "frozen-numpy": partial(by_jit, frozen=True, target="numpy"),
    "batch-numpy": partial(by_batch, target="numpy"),
    "static-numpy": partial(by_batch, target="numpy", schedule="local_static"),
    "derivative-numpy": partial(slopes.by_slopes, target="numpy"),
    "derivative-text": texts(partial(slopes.by_slopes, target="numba")),
    "derivative-numba": partial(slopes.by_slopes, target="numba"),
    "second-numpy": partial(slopes.second, target="numpy"),
    "jacobian-numpy": partial(slopes.by_columns, target="numpy"),
    "lanes-numpy": partial(slopes.over_lanes, target="numpy"),
    "jit-numba": JIT,
    "threads-numba": THREADS,
    "batch-numba": BATCH,
    "groups-numba": GROUPS,
    "jit-cuda": on_gpu,
    "once-numpy": partial(by_stream, target="numpy"),
    "once-numba": partial(by_stream, target="numba"),
    "drawn-numpy": partial(by_streams, target="numpy"),
    "drawn-numba": DRAWN,
    "sweep-numba": DRAWN_IN_GROUPS,
    "jit-text": texts(JIT),
    "threads-text": texts(THREADS),
    "batch-text": texts(TALL),
    "groups-text": texts(GROUPS),
    "jit-plain": texts(partial(by_jit, target="numpy")),
    "batch-plain": texts(partial(by_batch, target="numpy")),
    "derivative-plain": texts(partial(slopes.by_slopes, target="numpy")),
    "lanes-plain": texts(partial(slopes.over_lanes, target="numpy")),
    "once-text": texts(partial(by_stream, target="numba")),
    "drawn-text": texts(DRAWN),
    "sweep-text": texts(DRAWN_IN_GROUPS),
    "sampled-numpy": partial(sampled.by_sampling, target="numpy"),
    "sampled-numba": partial(sampled.by_sampling, target="numba"),
    "sampled-text": texts(partial(sampled.by_sampling, target="numba")),
}


def verdict_of(text: str, form: str) -> Verdict:
    """How a form runs a program, within its time."""
    try:
        with limited(SECONDS[form.split("-")[1]]):
            return FORMS[form](text)
    except TooLong:
        return Verdict("mismatch", "takes too long", 0, "no end", "") if ends(text) else SAME


def settled(text: str, form: str) -> Verdict:
    """`verdict_of`; what differs as plain Python counts if it differs compiled too.

    So does a place that is in no array, whatever is there when it is compiled.
    """
    verdict = verdict_of(text, form)
    if verdict.kind == "mismatch" and form.endswith("-text") and verdict.what != NO_PLACE:
        verdict = verdict_of(text, form.replace("-text", "-numba"))
        return verdict if verdict.kind == "mismatch" else Verdict("compiled alike")
    return verdict


def ends(text: str) -> bool:
    """Whether plain Python is quick, of numbers and of lanes' numbers, which are NumPy's; not where it raises what is
    infinite here, with which a loop may have no end."""
    names = names_of(text)
    given = columns(names["calls"])
    lanes = [lane(given, k) for k in range(len(LANES))] if given else []
    try:
        with limited(3):
            return not any(is_of_floats(plain(names["f"], a).error) for a in [*names["calls"](), *lanes])
    except TooLong:
        return False


# programs together, since to compile one costs a second


def folds(case: Case) -> bool:
    """Whether a program can be one of several that are compiled together: plain Python raises in no call."""
    names = names_of(case.text)
    try:
        with limited(3):
            outcomes = [plain(names["f"], given) for given in names["calls"]()]
    except TooLong:
        return False
    return bool(outcomes) and all(o.error is None for o in outcomes) and "batch(" not in case.text


def together(modules: Sequence[dict[str, Any]]) -> Callable[..., Any]:
    """One function of the arguments of all, that gives all their results."""
    each = "".join(f"f{k}(*given[{k}]), " for k in range(len(modules)))
    names = names_of(f"def folded(given):\n    return ({each})\n")
    names.update({f"f{k}": module["f"] for k, module in enumerate(modules)})
    return names["folded"]


def folded(texts: Sequence[str]) -> list[Verdict]:
    """jit-numba of each, compiled as one function."""
    modules = [names_of(text) for text in texts]
    made = jit(together(modules))
    calls = min(len(module["calls"]()) for module in modules)
    found = [SAME] * len(texts)
    for c in range(calls):
        given = tuple(module["calls"]()[c] for module in modules)
        got = within_time(lambda: (made(given), given))
        if got.error is not None:
            return halved(texts, folded, "jit-numba")
        for k, (text, module) in enumerate(zip(texts, modules, strict=True)):
            if found[k] is SAME:
                want = plain(module["f"], module["calls"]()[c])
                found[k] = judged(
                    text, c, lambda calls=module["calls"]: calls()[c], Outcome(got.value[k], given[k]), want
                )
    return found


def batch_folded(texts: Sequence[str]) -> list[Verdict]:
    """batch-numba of each whose calls can be lanes and raise in none, compiled as one function."""
    verdicts = [UNLIKE] * len(texts)
    fits = [k for k, text in enumerate(texts) if sound_lanes(text)]
    if fits:
        for k, verdict in zip(fits, batched_together([texts[k] for k in fits]), strict=True):
            verdicts[k] = verdict
    return verdicts


def sound_lanes(text: str) -> bool:
    names = names_of(text)
    given = columns(names["calls"])
    return bool(given) and all(plain(names["f"], lane(given, k)).error is None for k in range(3))


def batched_together(texts: Sequence[str]) -> list[Verdict]:
    modules = [names_of(text) for text in texts]
    given = tuple(columns(module["calls"]) for module in modules)
    got = within_time(lambda: (batch(together(modules), schedule=Schedule("lanewise"))(given), given))
    if got.error is not None:
        return halved(texts, batched_together, "batch-numba")
    found = [SAME] * len(texts)
    for k, (text, module) in enumerate(zip(texts, modules, strict=True)):
        for i in range(3):
            want = plain(module["f"], lane(columns(module["calls"]), i))
            if found[k] is SAME:
                alone = lambda calls=module["calls"], i=i: lane(columns(calls), i)  # noqa: E731
                made = Outcome(lane(got.value[k], i), lane(given[k], i))
                found[k] = judged(text, LANES[i] % CALLS, alone, made, want)
    return found


def within_time(run: Callable[[], tuple[Any, Any]]) -> Outcome:
    try:
        with limited(SECONDS["numba"]):
            return outcome(run)
    except TooLong:
        return Outcome(error=TimeoutError("no end"))


def halved(texts: Sequence[str], run: Callable[[Sequence[str]], list[Verdict]], form: str) -> list[Verdict]:
    """Some program among them does not compile, or raises: which one."""
    if len(texts) == 1:
        return [verdict_of(texts[0], form)]
    half = len(texts) // 2
    return run(texts[:half]) + run(texts[half:])
