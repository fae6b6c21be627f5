"""Calls of NPBench's programs and of what is made of them: the first one, and how long later ones take."""

from __future__ import annotations

import copy
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np


def module(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = made
    spec.loader.exec_module(made)
    return made


def called(f: Callable[..., Any], arguments: list[Any]) -> tuple[Any, list[Any]]:
    """What f gives for copies of the arguments, and the copies, as it left them."""
    own = copy.deepcopy(arguments)
    with np.errstate(all="ignore"):
        return f(*own), own


def first_call(
    f: Callable[..., Any], arguments: list[Any]
) -> tuple[dict[str, Any], tuple[Any, list[Any]] | None]:
    """What a line tells of it, and what `called` gives: None where it is refused or fails."""
    from codegen import SourceError

    try:
        began = time.perf_counter()
        made = called(f, arguments)
        return {"first": time.perf_counter() - began}, made
    except SourceError as error:
        return {"state": "refused", "why": f"line {error.lineno}: {error.msg.splitlines()[0]}"}, None
    except TypeError as error:
        return {"state": "refused", "why": reason(error)}, None
    except Exception as error:
        return {"state": "failed", "why": reason(error)}, None


def timed(f: Callable[..., Any], arguments: list[Any], repeat: int) -> float:
    """The median time of a call, in seconds."""
    times = []
    for _ in range(max(repeat, 1)):
        own = copy.deepcopy(arguments)
        with np.errstate(all="ignore"):
            began = time.perf_counter()
            f(*own)
            times.append(time.perf_counter() - began)
    return float(np.median(times))


def reason(error: Exception) -> str:
    """An exception in one line."""
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words[:160]}"
